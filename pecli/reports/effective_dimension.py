"""How many dimensions an encoding makes use of."""

from __future__ import annotations

from pecli.core.arithmetic import ROUNDING, chunks
from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.core.progress import track
from pecli.encodings.capabilities import TableEncoding


def gram(encoding: TableEncoding, rows: Positions) -> tuple[Array, float]:
    """Products of the centred columns, (d, d), or of the rows, (L, L), whichever is smaller; Σ of the means²."""
    mean = encoding.mean_table(rows.blocks(1))[0]
    size = rows.length * float(mean @ mean)
    if rows.length < encoding.width:
        centred = encoding.table(rows.array()) - mean
        return centred @ centred.T, size
    result = np.zeros((encoding.width, encoding.width))
    for part in track(chunks(rows.start, rows.stop, encoding.width), "comparing columns"):
        centred = encoding.table(np.arange(part.start, part.stop, dtype=np.float64)) - mean
        result += centred.T @ centred
    return result, size


def participation_ratio(products: Array, size: float = 0.0) -> float | None:
    """Effective dimension: (Σ λ)² / Σ λ² over the eigenvalues λ of the covariance of the columns.

    From 1 (all rows on a line) to d (the same variance along every axis); Gao et al. 2017, doi:10.1101/214262. Taken
    from the trace and the squared entries of the products, which have those eigenvalues up to a factor. Not defined
    where no row differs from the mean row by more than rounding (`size`: of the means, as the trace is).
    """
    trace, squares = float(np.trace(products)), float(np.sum(products**2))
    return None if squares == 0 or trace <= ROUNDING**2 * size else trace**2 / squares
