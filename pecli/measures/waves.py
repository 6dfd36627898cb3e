"""How many positions a wave takes, and what the rates of a harmonic encoding say of long sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic, PowersOfBase
from pecli.encodings.rope_scaling import Scaled

MEASURED = 65536  # positions from which the period of a column without a formula is measured, at most
PADDING = 8  # a transform so many times as long finds the peak between whole numbers of waves
TRANSFORMED = 1 << 21  # numbers that are transformed together, some columns at a time


def wavelengths(encoding: TableEncoding, rows: Positions) -> Array:
    """Return the positions that a turn takes, of each pair, (n_pairs,), or measured, of each column, (d,).

    inf where a pair stands still, or a column does not vary.
    """
    if isinstance(encoding, Harmonic):
        return encoding.wavelengths()
    if ("periods", rows) not in encoding.measured:  # a page asks many times
        encoding.measured["periods", rows] = _strongest_periods(encoding, rows)
    found: Array = encoding.measured["periods", rows]
    return found


def _strongest_periods(encoding: TableEncoding, rows: Positions) -> Array:
    """Return the period of the strongest wave of each column, from a Fourier transform."""
    cycle = encoding.cycle(MEASURED)
    window = cycle or Positions(start=rows.start, length=min(rows.length, MEASURED))
    padding = 1 if cycle else PADDING  # a whole cycle holds whole waves
    table, count = encoding.table(window.array()), padding * window.length
    step = max(1, TRANSFORMED // count)
    parts = (table[:, at : at + step] for at in range(0, table.shape[1], step))
    return np.concatenate([_periods(part, count, padding) for part in parts])


def _periods(columns: Array, count: int, padding: int) -> Array:
    """Return the same of some columns, from a transform of so many numbers."""
    power = power_spectrum(columns, count)
    power[(count - 1) // 2 :] *= 2  # as strong as a wave that has a mirror image
    power[: padding - 1] = 0  # waves longer than the window cannot be told from none
    varies = power.max(axis=0) > 1e-18 * len(columns) ** 2
    return np.where(varies, count / (power.argmax(axis=0) + 1), np.inf)


def power_spectrum(columns: Array, count: int | None = None) -> Array:
    """Return the power of each column less its mean at 1, 2, … waves over its rows, or over so many with zeros behind:
    squared sizes of its discrete Fourier transform, (waves, d); a real wave stands for its mirror image too."""
    power = np.abs(np.fft.rfft(columns - columns.mean(axis=0), n=count, axis=0)[1:]) ** 2
    power[: ((count or len(columns)) - 1) // 2] *= 2
    return np.asarray(power)


STEP = 1 << 11  # offsets looked at together: so few that no product of matrices is shared out to threads
NEGATIVE = -1e-9  # of the number of pairs; rounding stays above it


@lru_cache(maxsize=64)  # layers, and files held against each other, often have the same rates
def first_negative_offset(encoding: Harmonic, most: int) -> int | None:
    """Return the first offset 1 … most at which Σ_j cos(ω_j Δ) is negative, or None where it never is.

    Where it is, a key further away can outscore a nearer one that is alike (Men et al. 2024, arXiv:2405.14591).
    """
    weight = float(np.sum(encoding.amplitudes**2))
    for first in range(0, most + 1, STEP):
        sums = weight - encoding.squares(min(STEP, most + 1 - first), first) / 2
        below = np.flatnonzero(sums < NEGATIVE * weight)
        if len(below):
            return first + int(below[0])
    return None


def critical_dimension(encoding: PowersOfBase, length: int) -> int:
    """Return how many columns have pairs that make a whole turn within the length, 0 to d.

    2⌈(d/2) · log_base(length/2π)⌉ for rates base^(−2j/d): Liu et al. 2023, Scaling Laws of RoPE-based Extrapolation,
    arXiv:2310.05209. There the rates and the length are those of the first training, as in `of_contexts`.
    """
    return min(2 * (len(encoding.frequencies()) - encoding.longer_waves(length)), encoding.width)


@dataclass(frozen=True)
class OfContexts:
    """How many pairs turn less than once: `unscaled` by the rates of the first training in the `original` context,
    `scaled` by the rates that hold in the `extended` one; and the critical dimension of the former. None if not known.

    window : the positions that a query sees of either, where it sees no more; the critical dimension is that within it
    in_window : how many turn less than once within it, unscaled and scaled
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

    length : of a sequence, which stands for a context that the encoding does not say
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
