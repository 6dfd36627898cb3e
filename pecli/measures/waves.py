"""Wavelengths of encodings, and what the rates of a harmonic encoding imply for long sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic, PowersOfBase
from pecli.encodings.rope_scaling import Scaled

MEASURED = 65536  # most positions from which a period is measured
PADDING = 8  # zero padding of the transform: finds peaks between whole numbers of waves
TRANSFORMED = 1 << 21  # numbers transformed at once


def wavelengths(encoding: TableEncoding, rows: Positions) -> Array:
    """Return the wavelength in positions of each pair, (n_pairs,), or without a formula of each column, (d,), measured.

    inf for a pair that stands still or a constant column.
    """
    if isinstance(encoding, Harmonic):
        return encoding.wavelengths()
    if ("periods", rows) not in encoding.measured:  # cached: a page asks many times
        encoding.measured["periods", rows] = _strongest_periods(encoding, rows)
    found: Array = encoding.measured["periods", rows]
    return found


def _strongest_periods(encoding: TableEncoding, rows: Positions) -> Array:
    """Return the period of the strongest wave in each column, from a Fourier transform."""
    cycle = encoding.cycle(MEASURED)
    window = cycle or Positions(start=rows.start, length=min(rows.length, MEASURED))
    padding = 1 if cycle else PADDING  # a full cycle has a whole number of waves
    table, count = encoding.table(window.array()), padding * window.length
    step = max(1, TRANSFORMED // count)
    parts = (table[:, at : at + step] for at in range(0, table.shape[1], step))
    return np.concatenate([_periods(part, count, padding) for part in parts])


def _periods(columns: Array, count: int, padding: int) -> Array:
    """Return the periods of some columns, from a transform of `count` numbers."""
    power = power_spectrum(columns, count)
    power[(count - 1) // 2 :] *= 2  # has no mirror image: count it twice like the others
    power[: padding - 1] = 0  # waves longer than the window cannot be detected
    varies = power.max(axis=0) > 1e-18 * len(columns) ** 2
    return np.where(varies, count / (power.argmax(axis=0) + 1), np.inf)


def power_spectrum(columns: Array, count: int | None = None) -> Array:
    """Return the power of each column minus its mean at 1, 2, … waves over `count` rows (zero-padded), (waves, d).

    Powers are squared magnitudes of the discrete Fourier transform, both mirror images added.
    """
    power = np.abs(np.fft.rfft(columns - columns.mean(axis=0), n=count, axis=0)[1:]) ** 2
    power[: ((count or len(columns)) - 1) // 2] *= 2
    return np.asarray(power)


STEP = 1 << 11  # offsets in one step: few enough that BLAS does not use threads
NEGATIVE = -1e-9  # sum relative to the number of pairs below which it is negative beyond rounding


@lru_cache(maxsize=64)  # layers, and files held against each other, often have the same rates
def first_negative_offset(encoding: Harmonic, most: int) -> int | None:
    """Return the first offset 1 … most at which Σ_j cos(ω_j Δ) is negative; None if it never is.

    There a farther key can outscore a nearer one that is alike (Men et al. 2024, arXiv:2405.14591).
    """
    weight = float(np.sum(encoding.amplitudes**2))
    for first in range(0, most + 1, STEP):
        sums = weight - encoding.squares(min(STEP, most + 1 - first), first) / 2
        below = np.flatnonzero(sums < NEGATIVE * weight)
        if len(below):
            return first + int(below[0])
    return None


def critical_dimension(encoding: PowersOfBase, length: int) -> int:
    """Return the number of columns in pairs that complete a turn within the length, 0 to d.

    2⌈(d/2) · log_base(length/2π)⌉ for rates base^(−2j/d): Liu et al. 2023, Scaling Laws of RoPE-based Extrapolation,
    arXiv:2310.05209, for the rates and the length of the original training, as in `of_contexts`.
    """
    return min(2 * (len(encoding.frequencies()) - encoding.longer_waves(length)), encoding.width)


@dataclass(frozen=True)
class OfContexts:
    """Pairs that turn less than once: `unscaled`, with the original rates in the `original` context; `scaled`, with the
    current rates in the `extended` one; and the critical dimension of the original rates. None if unknown.

    window : positions that a query sees if fewer than the context; the critical dimension is then that of the window
    in_window : pairs that turn less than once in the window, unscaled and scaled
    """

    window: int | None
    in_window: tuple[int, int] | None
    original: int | None
    unscaled: int | None
    extended: int | None
    scaled: int | None
    critical_dimension: int | None


def of_contexts(encoding: Harmonic, length: int | None = None) -> OfContexts:
    """Return how many pairs turn less than once in the original and in the extended context.

    length : length of a sequence, used if the encoding does not state a context
    """
    trained, used, window, (original, extended) = encoding, encoding, None, (length, length)
    if isinstance(encoding, Scaled):
        trained, window, (original, extended) = encoding.in_training(), encoding.window, encoding.contexts(length)
        used = replace(encoding, seq_len=extended) if encoding.context and extended else encoding
    seen = min(filter(None, (original, window)), default=None)
    return OfContexts(
        window,
        None if window is None else (trained.longer_waves(window), used.longer_waves(window)),
        original,
        None if original is None else trained.longer_waves(original),
        extended,
        None if extended is None else used.longer_waves(extended),
        critical_dimension(trained, seen) if seen is not None and isinstance(trained, PowersOfBase) else None,
    )
