"""Measures between two rows of numbers.

Distances are defined as in ``scipy.spatial.distance``; ``dot``, ``cos`` and ``corr`` are similarities. No array of
shape (length, length, d) is ever built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.encodings.harmonic import NEAR

CACHED = 1 << 14  # numbers that fit a processor's cache, float64
EQUAL = 1e-12  # numbers are equal if they differ by less than this share of the largest number
CONSTANT = 1e-13  # a row is constant if its deviation is below this share of its mean (scipy's rule)


def _squares(a: Array, b: Array) -> Array:
    """Return ‖a_i − b_j‖² = ‖a_i‖² + ‖b_j‖² − 2⟨a_i, b_j⟩, (n, m).

    Where the terms cancel, squared differences are summed instead: the result is exactly 0 for equal rows.
    """
    sizes = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)
    squares = sizes - 2 * (a @ b.T)
    rows, columns = np.nonzero(squares <= NEAR * sizes)
    for part in chunks(0, len(rows), a.shape[1]):
        i, j = rows[part.start : part.stop], columns[part.start : part.stop]
        difference = a[i] - b[j]
        squares[i, j] = np.einsum("ij,ij->i", difference, difference)
    return squares


def _by_column(reduce: Callable[..., Array]) -> Callable[[Array, Array], Array]:
    """Return a function that reduces |a_ik − b_jk| over k, one column at a time, so that memory stays (n, m)."""

    def between(a: Array, b: Array) -> Array:
        result, columns = np.zeros((len(a), len(b))), np.ascontiguousarray(b.T)
        for rows in chunks(0, len(a), len(b), CACHED):
            part, some = result[rows.start : rows.stop], a[rows.start : rows.stop]
            difference = np.empty_like(part)
            for k, column in enumerate(columns):
                np.abs(np.subtract(some[:, k, None], column, out=difference), out=difference)
                reduce(part, difference, out=part)
        return result

    return between


def _hamming(a: Array, b: Array) -> Array:
    """Return the share of columns in which two rows differ by more than rounding, (n, m)."""
    rounding = EQUAL * max(np.abs(a).max(), np.abs(b).max())

    def counted(counts: Array, difference: Array, out: Array) -> Array:
        return np.add(counts, difference > rounding, out=out)

    return _by_column(counted)(a, b) / a.shape[1]


def _directions(rows: Array) -> Array:
    """Return the rows divided by their norms; NaN for a row of zeros."""
    rows = _scaled(rows)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, np.nan)


def _scaled(rows: Array) -> Array:
    """Return the rows times powers of two that bring their largest number near 1, so that squares do not underflow."""
    _, exponents = np.frexp(np.abs(rows).max(axis=1, keepdims=True))
    return np.ldexp(rows, -exponents)


def _deviations(rows: Array) -> Array:
    """Return the rows minus their means, divided by their norms; NaN for constant rows (no correlation)."""
    rows = _scaled(rows)
    means = rows.mean(axis=1, keepdims=True)
    centred = rows - means
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    constant = norms <= CONSTANT * np.abs(means) * np.sqrt(rows.shape[1])
    return centred / np.where(constant | (norms == 0), np.nan, norms)


def _half_squares(a: Array, b: Array) -> Array:
    """Return 1 − ⟨u, v⟩ for rows of norm 1, computed as ½‖u − v‖², which is exactly 0 for equal rows."""
    return _squares(a, b) / 2


def _products(a: Array, b: Array) -> Array:
    """Return ⟨u, v⟩ for rows of norm 1, (n, m)."""
    return np.clip(a @ b.T, -1.0, 1.0)


@dataclass(frozen=True)
class Measure:
    """A measure between rows of numbers.

    text : text key of its name
    compare : function from prepared rows (n, d) and (m, d) to values (n, m)
    prepare : function applied once to rows (n, d) before comparing, such as dividing by their norms
    from_squares : for rows of equal norm, the function from ‖a − b‖² and ‖a‖² to the measure; None if these two do not
        determine it
    similarity : True if larger values mean more alike
    grows : True if values grow with the number of columns, so that tables of different widths need different scales
    """

    text: str
    compare: Callable[[Array, Array], Array]
    from_squares: Callable[[Array, float], Array] | None = None
    similarity: bool = False
    grows: bool = False
    prepare: Callable[[Array], Array] = lambda rows: rows

    @property
    def undefined(self) -> str:
        """The text key of why it can be undefined: a row of zeros has no direction, a constant row no correlation."""
        reasons: dict[Any, str] = {_directions: "measure.row_of_zeros", _deviations: "measure.constant_row"}
        return reasons.get(self.prepare, "")

    def between(self, a: Array, b: Array) -> Array:
        """Return the measure between all rows (n, d) and (m, d), shape (n, m)."""
        return self.compare(self.prepare(a), self.prepare(b))


MEASURES: dict[str, Measure] = {
    "euclidean": Measure(
        "measure.euclidean_distance", lambda a, b: np.sqrt(_squares(a, b)), lambda s, _: np.sqrt(s), grows=True
    ),
    "sqeuclidean": Measure("measure.squared_euclidean_distance", _squares, lambda s, _: s, grows=True),
    "cityblock": Measure("measure.city_block_distance", lambda a, b: _by_column(np.add)(a, b), grows=True),
    "chebyshev": Measure("measure.chebyshev_distance", lambda a, b: _by_column(np.maximum)(a, b)),
    "hamming": Measure("measure.normalised_hamming_distance", _hamming),
    "cosine": Measure("measure.cosine_distance", _half_squares, lambda s, n: s / (2 * n), prepare=_directions),
    "correlation": Measure("measure.correlation_distance", _half_squares, prepare=_deviations),
    "dot": Measure(
        "words.dot_product", lambda a, b: a @ b.T, lambda s, norm: norm - s / 2, similarity=True, grows=True
    ),
    "cos": Measure(
        "measure.cosine_similarity", _products, lambda s, n: 1 - s / (2 * n), similarity=True, prepare=_directions
    ),
    "corr": Measure("measure.correlation_coefficient", _products, similarity=True, prepare=_deviations),
}


def products(first: Array, second: Array) -> Array:
    """Return ⟨first_p, second_q⟩ for rows p (n, d) and q (m, d), shape (n, m).

    Each entry is summed separately. BLAS rounds an entry differently depending on its place in the matrix; here the
    same two rows give the same bits in any order of the rows.
    """
    return np.stack([(second * row).sum(axis=-1) for row in first])
