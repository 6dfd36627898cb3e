"""How many positions a turn takes: by the formula, or measured where there is none."""

from __future__ import annotations

from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.harmonic import Harmonic

MEASURED = 65536  # positions from which the period of a column without a formula is measured, at most
PADDING = 8  # a transform so many times as long finds the peak between whole numbers of waves
TRANSFORMED = 1 << 21  # numbers that are transformed together, some columns at a time


def wavelengths(encoding: TableEncoding, rows: Positions) -> Array:
    """Positions a turn takes, of each pair, (n_pairs,), or measured, of each column, (d,); inf where it stands."""
    if isinstance(encoding, Harmonic):
        return encoding.wavelengths()
    known: dict[Positions, Array] = vars(encoding).setdefault("_measured", {})  # a page asks many times
    if rows not in known:
        known[rows] = _measured(encoding, rows)
    return known[rows]


def _measured(encoding: TableEncoding, rows: Positions) -> Array:
    """Positions that the strongest wave of each column takes to turn, inf where it stands."""
    cycle = encoding.cycle(MEASURED)
    window = cycle or Positions(start=rows.start, length=min(rows.length, MEASURED))
    padding = 1 if cycle else PADDING  # a whole cycle holds whole waves
    table = encoding.table(window.array())
    count = padding * window.length
    step = max(1, TRANSFORMED // count)
    parts = (table[:, at : at + step] for at in range(0, table.shape[1], step))
    return np.concatenate([_periods(part, count, padding) for part in parts])


def _periods(columns: Array, count: int, padding: int) -> Array:
    """The period of the strongest wave of each column, from a transform of so many numbers; inf where none is."""
    strength = np.abs(np.fft.rfft(columns - columns.mean(axis=0), n=count, axis=0))
    strength[:padding] = 0  # waves longer than the window cannot be told from none
    peak = strength.argmax(axis=0)
    varies = strength.max(axis=0) > 1e-9 * len(columns)
    return np.where(varies, count / np.maximum(peak, 1), np.inf)
