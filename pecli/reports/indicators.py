"""What can be measured of an encoding. Each indicator is one function and says what it is.

The three properties are those of Wang et al. 2021, On Position Embeddings in BERT, ICLR 2021, section 2: translation
invariance, monotonicity and symmetry of a proximity between position vectors. Their own indicators are taken from
attention weights; ours are taken from the vectors alone, so the numbers are not to be compared with theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from pecli.core.arithmetic import ROUNDING, chunks
from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.powers_of_base import PowersOfBase
from pecli.measures.long_context import critical_dimension, first_negative_offset, longer_than
from pecli.measures.min_max import Envelope
from pecli.measures.pair_density import pearson, ranks
from pecli.measures.pairwise import MEASURES, Measure, by_offset, is_by_offset, spread_by_offset
from pecli.reports.effective_dimension import gram, participation_ratio

SAMPLE = 2000  # positions of which all pairs are compared at once; more are thinned to that many, evenly


@dataclass(frozen=True, kw_only=True)
class Indicators:
    """What is measured of one encoding; None where it is not defined.

    spread, mean_spread : `spreads`
    growing, first_fall : `growth`
    asymmetry : `asymmetry`
    smallest_distance, closest : `closest`
    effective_dimension : `participation_ratio`, of `dimensions` columns
    pearson, spearman : linear and rank correlation of two measures over all pairs, as in the scatter
    thinned : asymmetry and the correlations are of every thinned-th position
    slow_pairs : pairs whose wavelength is longer than the sequence, of `pairs`; longest_wavelength, positions
    critical_dimension : the columns whose pairs make a whole turn within the sequence, of powers of one base
    length : positions of the sequence, where waves are looked at
    first_negative : the first offset within the sequence at which Σ_j cos(ω_j Δ) is negative; None if it never is
    """

    spread: float | None
    mean_spread: float | None
    growing: float | None
    first_fall: int | None
    asymmetry: float | None
    smallest_distance: float | None
    closest: tuple[int, int] | None
    effective_dimension: float | None
    dimensions: int
    pearson: float | None
    spearman: float | None
    thinned: int
    slow_pairs: int | None = None
    pairs: int | None = None
    longest_wavelength: float | None = None
    critical_dimension: int | None = None
    first_negative: int | None = None
    length: int | None = None


def indicators(encoding: TableEncoding, asked: Positions, measure: str, against: str) -> Indicators:
    """All of them, for a sequence at these positions."""
    rows, main = encoding.covered(asked), MEASURES[measure]
    bands = by_offsets(encoding, main, rows)
    straight = bands if measure == "euclidean" else by_offsets(encoding, MEASURES["euclidean"], rows)
    distance, pair = closest(encoding, straight.low[0], rows)
    thinned = ceil(rows.length / SAMPLE)
    y, x = (pairs_of(encoding, MEASURES[name], rows, thinned) for name in (measure, against))
    linear, rank = correlations(x, y)
    spread, mean_spread = spreads(bands)
    growing, first_fall = growth(-bands.mean[0] if main.similarity else bands.mean[0])
    return Indicators(
        spread=spread,
        mean_spread=mean_spread,
        growing=growing,
        first_fall=first_fall,
        asymmetry=asymmetry(y, _range(bands)),
        smallest_distance=distance,
        closest=pair,
        effective_dimension=participation_ratio(*gram(encoding, rows)),
        dimensions=encoding.width,
        pearson=linear,
        spearman=rank,
        thinned=thinned,
        **of_waves(encoding, asked.length),
    )


def by_offsets(encoding: TableEncoding, measure: Measure, rows: Positions) -> Envelope:
    """The measure's minimum, maximum and mean over all pairs at each offset 0 … L − 1, each (1, L).

    One and the same run where the measure is a function of the offset in closed form; else from every pair.
    """
    run = by_offset(encoding, measure, rows.length)
    if run is None:
        return spread_by_offset(encoding, measure, rows).values
    return Envelope(run[None], run[None], run[None])


def spreads(bands: Envelope) -> tuple[float | None, float | None]:
    """Translation invariance: how wide g(Δ) = m(p, p + Δ) spreads over the positions p, over the range of all m.

    The widest and the mean over the offsets; 0 where the measure is a function of the offset alone, 1 where one offset
    has every value. Long offsets have few pairs, so the mean leans to 0.
    """
    widths, whole = bands.high - bands.low, _range(bands)
    if not whole or np.isnan(widths).all():
        return None, None
    return float(np.nanmax(widths)) / whole, float(np.nanmean(widths)) / whole


def _range(bands: Envelope) -> float:
    """The largest less the smallest value over all pairs; 0 where none is defined."""
    if np.isnan(bands.low).all():
        return 0.0
    return float(np.nanmax(bands.high) - np.nanmin(bands.low))


def growth(mean: Array) -> tuple[float | None, int | None]:
    """Monotonicity: the share of the steps Δ − 1 → Δ at which the mean distance grows, and the first Δ where it falls.

    For a similarity, at which it falls. The first fall is where the circle of the fastest hand has been half walked:
    from there on farther positions may look nearer (the third article's clock).
    """
    steps = np.diff(mean)
    defined = ~np.isnan(steps)
    if not defined.any():
        return None, None
    least = ROUNDING * float(np.nanmax(np.abs(mean)))
    falls = np.flatnonzero(steps < -least)
    return float((steps > least).sum() / defined.sum()), int(falls[0]) + 1 if len(falls) else None


def asymmetry(values: Array, whole: float) -> float | None:
    """Symmetry: the mean of |m(p, p + Δ) − m(p, p − Δ)| over positions and offsets, over the range of all m.

    m(p, q) = m(q, p) holds for every measure here, so what is compared is ahead and behind: 0 where a position sees
    both alike, as every translation-invariant encoding does.
    """
    total, count = 0.0, 0
    for i, row in enumerate(values):
        reach = min(i, len(values) - 1 - i)
        differences = np.abs(row[i + 1 : i + 1 + reach] - row[i - reach : i][::-1])
        defined = differences[~np.isnan(differences)]
        total, count = total + float(defined.sum()), count + len(defined)
    return total / count / whole if count and whole else None


def closest(encoding: TableEncoding, low: Array, rows: Positions) -> tuple[float | None, tuple[int, int] | None]:
    """Uniqueness: the smallest Euclidean distance of two different positions, and the first two that are so close."""
    if rows.length < 2:
        return None, None
    offset = 1 + int(np.argmin(low[1:]))
    count, best, at = rows.length - offset, np.inf, 0
    for part in chunks(0, 0 if is_by_offset(encoding, MEASURES["euclidean"]) else count, encoding.width):
        own = rows.start + np.arange(part.start, part.stop, dtype=np.float64)
        sizes = np.linalg.norm(encoding.table(own + offset) - encoding.table(own), axis=1)
        if sizes.min() < best:
            best, at = float(sizes.min()), part.start + int(sizes.argmin())
    first = rows.start + at
    return float(low[offset]), (first, first + offset)


def pairs_of(encoding: TableEncoding, measure: Measure, rows: Positions, thinned: int) -> Array:
    """The measure between every thinned-th position, (n, n)."""
    run = by_offset(encoding, measure, rows.length)
    if run is not None:
        run = run[::thinned]
        steps = np.arange(len(run))
        return run[np.abs(steps[:, None] - steps)]
    table = encoding.table(np.arange(rows.start, rows.stop, thinned, dtype=np.float64))
    return measure.between(table, table)


def correlations(x: Array, y: Array) -> tuple[float | None, float | None]:
    """Linear and rank correlation of two measures over all pairs p < q at which both are defined."""
    upper = np.triu_indices(len(x), 1)
    x, y = x[upper], y[upper]
    defined = ~(np.isnan(x) | np.isnan(y))
    x, y = x[defined], y[defined]
    return pearson(x, y), pearson(ranks(x), ranks(y))


def of_waves(encoding: TableEncoding, length: int) -> dict[str, Any]:
    """What the frequencies say of a sequence of that length; nothing where there are none."""
    if not isinstance(encoding, Harmonic):
        return {}
    found: dict[str, Any] = {
        "length": length,
        "slow_pairs": longer_than(encoding, length),
        "pairs": len(encoding.frequencies()),
        "longest_wavelength": longest(encoding),
    }
    if encoding.width % 2 == 0:  # else a sine has no cosine, and the sum is none of offsets
        found["first_negative"] = first_negative_offset(encoding, length - 1)
    if isinstance(encoding, PowersOfBase):
        found["critical_dimension"] = critical_dimension(encoding, length)
    return found


def longest(encoding: Harmonic) -> float | None:
    """The longest wavelength, positions; None where a pair stands still."""
    wave = float(encoding.wavelengths().max())
    return wave if np.isfinite(wave) else None
