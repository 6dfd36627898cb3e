"""The rows of `pecli stats`: what each says of an encoding, and what that means."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pecli.core.language import both, phrase, template
from pecli.encodings.capabilities import TableEncoding
from pecli.reports.indicators import Indicators


class Row(NamedTuple):
    """A row of the report.

    meaning : what it says, a template
    text : of the indicators of an encoding
    """

    meaning: str
    text: Callable[[Indicators, TableEncoding], str]


def format_value(value: float | None, text: str = "{:.4g}") -> str:
    """A number as text, or that there is none."""
    return phrase("undefined") if value is None else text.format(value)


def share(value: float | None, every: int | None, text: str = "{:,}") -> str:
    """How much of how many, or that there is none."""
    return phrase("undefined") if value is None else phrase("{value} of {all:,}", value=text.format(value), all=every)


def first_fall(one: Indicators, _: TableEncoding) -> str:
    """The first offset at which the mean distance falls."""
    if one.growing is None:
        return phrase("undefined")
    return phrase("never") if one.first_fall is None else f"{one.first_fall:,}"


def closest_pair(one: Indicators, encoding: TableEncoding) -> str:
    """The two positions that are closest, in the encoding's own terms."""
    return phrase("undefined") if one.closest is None else both(map(encoding.position_text, one.closest))


def longest_wavelength(one: Indicators, encoding: TableEncoding) -> str:
    """The longest wavelength, in the encoding's own terms."""
    if one.longest_wavelength is None:
        return phrase("undefined") if one.pairs is None else phrase("a pair stands still")
    return encoding.length_text(one.longest_wavelength)


def critical(one: Indicators, _: TableEncoding) -> str:
    """The critical dimension of all, and the length that it is for."""
    if one.critical_dimension is None:
        return phrase("undefined")
    counts = {"count": one.critical_dimension, "all": one.dimensions, "length": one.length}
    return phrase("{count} of {all} at {length:,}", **counts)


def first_negative(one: Indicators, encoding: TableEncoding) -> str:
    """The first offset at which the sum of cosines is negative."""
    if one.first_negative is not None:
        return f"{one.first_negative:,}"
    if one.length is None or encoding.width % 2:
        return phrase("undefined")
    return phrase("none up to offset {searched:,}", searched=one.length - 1)


ROWS: dict[str, Row] = {  # by their labels, templates
    template("invariance: widest spread"): Row(
        template("how far the measure of p and p + Δ spreads over p, over its range: at its widest"),
        lambda one, _: format_value(one.spread),
    ),
    template("invariance: mean spread"): Row(
        template("the same, the mean over all Δ; 0 where the offset alone counts"),
        lambda one, _: format_value(one.mean_spread),
    ),
    template("monotonic: steps that grow"): Row(
        template("the share of steps from Δ to Δ + 1 at which the mean distance grows"),
        lambda one, _: format_value(one.growing, "{:.1%}"),
    ),
    template("first fall at offset"): Row(
        template("the first Δ at which the mean distance is less than at the one before"), first_fall
    ),
    template("asymmetry"): Row(
        template("the mean |m(p, p + Δ) − m(p, p − Δ)| over the range; 0 where ahead and behind look alike"),
        lambda one, _: format_value(one.asymmetry),
    ),
    template("smallest distance"): Row(
        template("the least Euclidean distance of two different positions"),
        lambda one, _: format_value(one.smallest_distance),
    ),
    template("closest positions"): Row(template("the two positions that have it"), closest_pair),
    template("effective dimension"): Row(
        template("participation ratio (Σλ)²/Σλ² of the covariance's eigenvalues λ: 1 to d"),
        lambda one, _: share(one.effective_dimension, one.dimensions, "{:.4g}"),
    ),
    template("linear correlation"): Row(
        template("Pearson's r of two measures over all pairs, as in pecli scatter"),
        lambda one, _: format_value(one.pearson, "{:.4f}"),
    ),
    template("rank correlation"): Row(
        template("Spearman's ρ of the same; values that are equal share the mean of their ranks"),
        lambda one, _: format_value(one.spearman, "{:.4f}"),
    ),
    template("longest wavelength"): Row(template("2π/ω of the slowest pair"), longest_wavelength),
    template("critical dimension"): Row(
        template("the columns whose pairs make a whole turn within the length"), critical
    ),
    template("Σ cos < 0 first at offset"): Row(
        template("the first Δ at which Σ cos ω_j Δ < 0 (arXiv:2405.14591)"), first_negative
    ),
    template("pairs slower than length"): Row(
        template("pairs whose wavelength is longer than the length: they never finish a turn"),
        lambda one, _: share(one.slow_pairs, one.pairs),
    ),
}
