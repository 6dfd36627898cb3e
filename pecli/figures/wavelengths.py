"""Texts of wavelengths, and the columns of a table that a picture shows."""

from __future__ import annotations

from math import ceil

from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.numbers import number_text
from pecli.encodings.base import COUNTED, Encoding, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.measures.reduce import averaged_rows
from pecli.measures.waves import MEASURED

CLEAR = 2  # least pixels per column: fewer would mix sines and cosines
MAX_WAVELENGTH = 1e15  # positions: pairs with longer waves count as not rotating


def wavelength_unit(encoding: Encoding) -> str:
    """Return the note on the unit of wavelengths, or "" if the texts of wavelengths include the unit."""
    return "" if encoding.position_unit else say("waves.wavelength_in", units=say(encoding.wave_unit))


def short_length(encoding: Encoding, length: float) -> str:
    """Return a number of positions as short text, with its unit only if the encoding has one."""
    return encoding.length_text(length) if encoding.position_unit else number_text(length, 3)


def short_wave_text(encoding: Encoding, wave: float, unit: str = "") -> str:
    """Return a wavelength as short text with its unit, by default the encoding's."""
    count = short_length(encoding, wave)
    return count if encoding.position_unit else say(COUNTED[unit or encoding.wave_unit], count=count)


def has_known_waves(encoding: TableEncoding) -> bool:
    """Return whether wavelengths follow from a formula or a whole cycle, and are not just estimates."""
    return isinstance(encoding, Harmonic) or encoding.cycle(MEASURED) is not None


def column_step(encoding: TableEncoding, most: int | None) -> int:
    """Return n such that every n-th column, or pair, fits on `most` pixels."""
    if most is None:
        return 1
    if isinstance(encoding, Harmonic):
        return ceil(CLEAR * len(encoding.frequencies()) / max(1, most // 2))
    return ceil(encoding.width / max(1, most))


def columns_shown(encoding: TableEncoding, table: Array, most: int | None) -> tuple[Array, int]:
    """Return at most `most` columns of a table (n, d), and how many columns each stands for.

    Pairs and columns of a learned table are thinned out, because their means would be meaningless; others are averaged.
    """
    size = column_step(encoding, most)
    if encoding.trained:
        return table[:, ::size], size
    if not isinstance(encoding, Harmonic):
        return averaged_rows(table.T, size).T, size
    return table[:, [column for column, (_, pair) in enumerate(encoding.waves()) if pair % size == 0]], size


def columns_end(encoding: TableEncoding, table: Array, size: int) -> float:
    """Return the right end of the last column of an image whose columns stand for `size` table columns each.

    If each column is a mean, the last one may extend beyond the table; if columns are pairs, it does not.
    """
    columns = table.shape[1] * size
    return (min(columns, encoding.width) if isinstance(encoding, Harmonic) else columns) - 0.5


def columns_left_out(encoding: TableEncoding, size: int) -> str:
    """Return the footnote on pairs or columns that are left out, or ""."""
    if size > 1 and encoding.trained:
        return say("waves.one_column_in_drawn", count=size)
    if size == 1 or not isinstance(encoding, Harmonic):
        return ""
    return say("waves.every_second_pair_drawn" if size == 2 else "waves.one_pair_in_drawn", count=size)


def repetition_text(encoding: TableEncoding, dims: Array, waves: Array) -> str:
    """Return the headline on how often the fastest and the slowest of some dimensions repeat, or "".

    dims, waves : the dimensions and their wavelengths in positions, shape (dims,)
    """
    moving = np.flatnonzero(np.isfinite(waves))
    known = has_known_waves(encoding) and not encoding.sides  # on a grid, rows and columns have different units
    if not known or not len(moving):
        return ""
    fast, slow = (int(moving[own]) for own in (waves[moving].argmin(), waves[moving].argmax()))
    low, high = (short_wave_text(encoding, float(waves[own])) for own in (fast, slow))
    one = waves[fast] == waves[slow]
    high = high if encoding.position_unit else short_length(encoding, float(waves[slow]))
    named = encoding.dimension_names()
    if named and not named[0].isdigit():  # names such as "hour hand" tell the periods
        return "" if one else say("waves.fastest_and_slowest", low=low, high=high)
    label = say(encoding.dimension_label)
    names = {"dimension": label, "first": int(dims[fast]), "last": int(dims[slow]), "low": low}
    if one:
        return say("waves.repeats", **names) if len(moving) == len(waves) else ""
    return say("waves.repeats_and", **names, high=high)
