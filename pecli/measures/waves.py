"""Wavelengths of encodings, and what the rates of sines and cosines mean for long sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic, PowersOfBase
from pecli.encodings.rope_scaling import Scaled

MEASURED = 65536  # largest number of positions from which a period is measured
PADDING = 8  # factor of zero padding, to find peaks between whole numbers of waves
TRANSFORMED = 1 << 21  # most numbers transformed at once


def wavelengths(encoding: TableEncoding, rows: Positions) -> Array:
    """Return the wavelength in positions of each pair, (n_pairs,), for a harmonic encoding.

    For other encodings, return the measured period of each column, (d,). A pair that does not turn and a constant
    column have inf.
    """
    if isinstance(encoding, Harmonic):
        return encoding.wavelengths()
    if ("periods", rows) not in encoding.measured:  # cached, because a page needs them many times
        encoding.measured["periods", rows] = _strongest_periods(encoding, rows)
    found: Array = encoding.measured["periods", rows]
    return found


def column_periods(encoding: TableEncoding, rows: Positions) -> Array:
    """Return the wavelength of every column in positions, (d,), measured where there is no formula."""
    return encoding.column_wavelengths() if isinstance(encoding, Harmonic) else wavelengths(encoding, rows)


def _strongest_periods(encoding: TableEncoding, rows: Positions) -> Array:
    """Return the period in positions of the strongest wave in each column, (d,), from a Fourier transform."""
    cycle = encoding.cycle(MEASURED)
    window = cycle or Positions(start=rows.start, length=min(rows.length, MEASURED))
    padding = 1 if cycle else PADDING  # a full cycle has only whole numbers of waves
    table, count = encoding.table(window.array()), padding * window.length
    step = max(1, TRANSFORMED // count)
    parts = (table[:, at : at + step] for at in range(0, table.shape[1], step))
    return np.concatenate([_periods(part, count, padding) for part in parts])


def _periods(columns: Array, count: int, padding: int) -> Array:
    """Return the period, in rows, of the strongest wave in each column; inf if the column is constant.

    count : length of the Fourier transform, with zeros after the column's numbers
    padding : `count` as a multiple of the number of rows
    """
    power = power_spectrum(columns, count)
    power[(count - 1) // 2 :] *= 2  # the Nyquist term has no mirror image: double it like the others
    power[: padding - 1] = 0  # waves longer than the window cannot be detected
    varies = power.max(axis=0) > 1e-18 * len(columns) ** 2
    return np.where(varies, count / (power.argmax(axis=0) + 1), np.inf)


def power_spectrum(columns: Array, count: int | None = None) -> Array:
    """Return the power spectrum of each column minus its mean, at 1, 2, … waves over `count` rows, (waves, d).

    Columns shorter than `count` are padded with zeros. A power is the squared magnitude of the discrete Fourier
    transform, with both mirror images added.
    """
    power = np.abs(np.fft.rfft(columns - columns.mean(axis=0), n=count, axis=0)[1:]) ** 2
    power[: ((count or len(columns)) - 1) // 2] *= 2
    return np.asarray(power)


STEP = 1 << 11  # offsets per step; few enough for BLAS not to start threads
NEGATIVE = -1e-9  # a sum is negative beyond rounding if it is below this times the number of pairs


@lru_cache(maxsize=64)  # layers and compared models often share rates
def first_negative_offset(encoding: Harmonic, most: int) -> int | None:
    """Return the first offset in 0 … most at which Σ_j cos(ω_j Δ) is negative; None if there is none.

    At that offset a farther similar key can outscore a nearer one (Men et al. 2024, arXiv:2405.14591).
    """
    weight = float(np.sum(encoding.amplitudes**2))
    for first in range(0, most + 1, STEP):
        sums = weight - encoding.squares(min(STEP, most + 1 - first), first) / 2
        below = np.flatnonzero(sums < NEGATIVE * weight)
        if len(below):
            return first + int(below[0])
    return None


def critical_dimension(encoding: PowersOfBase, length: int) -> int:
    """Return the critical dimension: how many columns, 0 to d, belong to pairs that complete a turn within the length.

    It is 2⌈(d/2) · log_base(length/2π)⌉ for rates base^(−2j/d), with the rates and the length of the original training:
    Liu et al. 2023, Scaling Laws of RoPE-based Extrapolation, arXiv:2310.05209.
    """
    return min(2 * (len(encoding.frequencies()) - encoding.longer_waves(length)), encoding.width)


@dataclass(frozen=True)
class IncompleteTurns:
    """Numbers of pairs that turn less than once in a context, before and after scaling. Fields are None if unknown.

    original, extended : lengths of the original and of the extended context
    unscaled : number of such pairs in the original context, with the original rates
    scaled : number of such pairs in the extended context, with the current rates
    window : attention window in positions, if shorter than the context
    in_window : numbers of such pairs in the window, with original and with current rates
    critical_dimension : critical dimension of the original rates in the original context, or in a shorter window
    """

    window: int | None
    in_window: tuple[int, int] | None
    original: int | None
    unscaled: int | None
    extended: int | None
    scaled: int | None
    critical_dimension: int | None


def incomplete_turns(encoding: Harmonic, length: int | None = None) -> IncompleteTurns:
    """Return how many pairs turn less than once in the original and in the extended context.

    length : length of a sequence, used if the encoding does not state a context
    """
    trained, used, window, (original, extended) = encoding, encoding, None, (length, length)
    if isinstance(encoding, Scaled):
        trained, window, (original, extended) = encoding.in_training(), encoding.window, encoding.contexts(length)
        used = replace(encoding, seq_len=extended) if encoding.context and extended else encoding
    seen = min(filter(None, (original, window)), default=None)
    return IncompleteTurns(
        window,
        None if window is None else (trained.longer_waves(window), used.longer_waves(window)),
        original,
        None if original is None else trained.longer_waves(original),
        extended,
        None if extended is None else used.longer_waves(extended),
        critical_dimension(trained, seen) if seen is not None and isinstance(trained, PowersOfBase) else None,
    )
