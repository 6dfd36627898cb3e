"""How two rows of a table compare: measures, pair by pair, by offset, and averaged pixel by pixel.

Distances are those of ``scipy.spatial.distance``; ``dot``, ``cos`` and ``corr`` are similarities. No array of shape
(length, length, d) is ever made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any, NamedTuple

from pecli.core.errors import UsageError, option_text
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.core.options import option
from pecli.core.positions import Blocks, Positions
from pecli.core.terminal import track
from pecli.encodings.base import BiasEncoding, Encoding, TableEncoding
from pecli.encodings.harmonic import NEAR, Harmonic
from pecli.measures.reduce import Envelope, envelope, means_of_offsets, means_of_pairs

OTHER_NAMES = {  # understood, not listed
    "manhattan": "cityblock",
    "l1": "cityblock",
    "l2": "euclidean",
    "cosine_similarity": "cos",
    "cosine_distance": "cosine",
    "dot_product": "dot",
    "inner_product": "dot",
    "pearson": "corr",
}


def choice_of_measure(default: str | None, help: str, **more: Any) -> Any:
    """Return a field that is a measure, by its name or another that people know; `more` as `option` takes it."""
    return option(default, help, choices=lambda: tuple(MEASURES), names=OTHER_NAMES, **more)


def measure_option(default: str | None) -> Any:
    """Return the field measure of all that compare rows by one; without a default where each figure has its own."""
    similarities = ", ".join(name for name, measure in MEASURES.items() if measure.similarity)
    help = f"how two rows are compared: {similarities} are similarities, the others distances"
    unset = {"unset": "each figure's own"} if default is None else {}
    return choice_of_measure(default, help, flags=("-m",), aliases=("metric",), **unset)


MAX_PAIRS = 10**10  # pairs that are compared one by one at most
CACHED = 1 << 14  # numbers that stay in a processor's cache from one column to the next
SAME = 1e-12  # numbers that differ by less than this share of the largest are one number
CONSTANT = 1e-13  # a row whose deviation is below this share of its mean is constant (scipy's rule)


def _squares(a: Array, b: Array) -> Array:
    """Return ‖a_i − b_j‖², (n, m). Where |a|² + |b|² − 2ab cancels, from the differences: exactly 0 for equals."""
    sizes = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)
    squares = sizes - 2 * (a @ b.T)
    rows, columns = np.nonzero(squares <= NEAR * sizes)
    for part in chunks(0, len(rows), a.shape[1]):
        i, j = rows[part.start : part.stop], columns[part.start : part.stop]
        difference = a[i] - b[j]
        squares[i, j] = np.einsum("ij,ij->i", difference, difference)
    return squares


def _by_column(reduce: Callable[..., Array]) -> Callable[[Array, Array], Array]:
    """Return what reduces |a_ik − b_jk| over k, one column at a time, so that memory stays (n, m)."""

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
    """Return the share of the columns in which two rows differ by more than a sine's repetition does by rounding."""
    rounding = SAME * max(np.abs(a).max(), np.abs(b).max())

    def counted(counts: Array, difference: Array, out: Array) -> Array:
        return np.add(counts, difference > rounding, out=out)

    return _by_column(counted)(a, b) / a.shape[1]


def _directions(rows: Array) -> Array:
    """Return the rows with norm 1; NaN where a row is zero."""
    rows = _scaled(rows)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, np.nan)


def _scaled(rows: Array) -> Array:
    """Return the rows times powers of two, their largest number near 1: the squares of tiny ones are not 0."""
    _, exponents = np.frexp(np.abs(rows).max(axis=1, keepdims=True))
    return np.ldexp(rows, -exponents)


def _deviations(rows: Array) -> Array:
    """Return the rows less their means, with norm 1; NaN where a row is constant: no correlation is defined."""
    rows = _scaled(rows)
    means = rows.mean(axis=1, keepdims=True)
    centred = rows - means
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    constant = norms <= CONSTANT * np.abs(means) * np.sqrt(rows.shape[1])
    return centred / np.where(constant | (norms == 0), np.nan, norms)


def _half_squares(a: Array, b: Array) -> Array:
    """Return 1 − ⟨u, v⟩ of rows of norm 1, as ½‖u − v‖²: exactly 0 for equals."""
    return _squares(a, b) / 2


def _products(a: Array, b: Array) -> Array:
    """Return ⟨u, v⟩ of rows of norm 1: near 1 nothing cancels, so a product is enough."""
    return np.clip(a @ b.T, -1.0, 1.0)


@dataclass(frozen=True)
class Measure:
    """One way to compare rows.

    compare : prepared rows (n, d) and (m, d) to (n, m)
    prepare : rows (n, d) as they are compared, such as directions: once, however many they are compared with
    grows : the more columns, the larger it is, so that tables of several widths are on several scales
    from_squares : the same from ‖a − b‖² and the common ‖a‖² of an encoding whose rows have one norm, where it can
    """

    name: str
    text: str
    compare: Callable[[Array, Array], Array]
    from_squares: Callable[[Array, float], Array] | None = None
    similarity: bool = False
    grows: bool = False
    prepare: Callable[[Array], Array] = lambda rows: rows

    def between(self, a: Array, b: Array) -> Array:
        """Return the measure of rows (n, d) and (m, d), shape (n, m)."""
        return self.compare(self.prepare(a), self.prepare(b))

    @property
    def label(self) -> str:
        """Return the measure's name on an axis."""
        return say(self.text)

    @property
    def palette(self) -> str:
        """Return the kind of colours that show it: a similarity has two signs, a distance has one."""
        return "diverging" if self.similarity else "distance"


_ALL = (
    Measure(
        "euclidean",
        "measure.euclidean_distance",
        lambda a, b: np.sqrt(_squares(a, b)),
        lambda s, _: np.sqrt(s),
        grows=True,
    ),
    Measure("sqeuclidean", "measure.squared_euclidean_distance", _squares, lambda s, _: s, grows=True),
    Measure("cityblock", "measure.city_block_distance", lambda a, b: _by_column(np.add)(a, b), grows=True),
    Measure("chebyshev", "measure.chebyshev_distance", lambda a, b: _by_column(np.maximum)(a, b)),
    Measure("hamming", "measure.normalised_hamming_distance", _hamming),
    Measure("cosine", "measure.cosine_distance", _half_squares, lambda s, n: s / (2 * n), prepare=_directions),
    Measure("correlation", "measure.correlation_distance", _half_squares, prepare=_deviations),
    Measure(
        "dot", "words.dot_product", lambda a, b: a @ b.T, lambda s, norm: norm - s / 2, similarity=True, grows=True
    ),
    Measure(
        "cos",
        "measure.cosine_similarity",
        _products,
        lambda s, n: 1 - s / (2 * n),
        similarity=True,
        prepare=_directions,
    ),
    Measure("corr", "measure.correlation_coefficient", _products, similarity=True, prepare=_deviations),
)
MEASURES: dict[str, Measure] = {measure.name: measure for measure in _ALL}


def is_closed(encoding: TableEncoding, measure: Measure) -> bool:
    """Return whether the measure has a closed form, by the offset along each axis."""
    return measure.from_squares is not None and isinstance(encoding, Harmonic) and encoding.invariant


def is_by_offset(encoding: TableEncoding, measure: Measure) -> bool:
    """Return whether the measure depends on the offset on a line alone, in closed form."""
    return is_closed(encoding, measure) and encoding.own_positions is None


def by_offset(encoding: TableEncoding, measure: Measure, n: int, first: int = 0) -> Array | None:
    """Return the measure at the offsets first … first + n − 1, (n,); None where it is not `is_by_offset`."""
    if not isinstance(encoding, Harmonic) or not is_by_offset(encoding, measure):
        return None
    assert measure.from_squares is not None
    with np.errstate(invalid="ignore"):  # rows of zeros have no direction: NaN, undefined
        return measure.from_squares(encoding.squares(n, first), float(np.sum(encoding.amplitudes**2)))


def quantity_of(encoding: Encoding, measure: str) -> str:
    """Return what is shown of two positions, on an axis: the measure, or a bias."""
    return say(encoding.quantity) if isinstance(encoding, BiasEncoding) else MEASURES[measure].label


def is_of_offset(encoding: Encoding, measure: Measure) -> bool:
    """Return whether the measure, or the bias, depends on the offset alone by its formula."""
    return isinstance(encoding, BiasEncoding) or (
        isinstance(encoding, TableEncoding) and is_by_offset(encoding, measure)
    )


def seen_bias(encoding: BiasEncoding, offsets: Array, head: int | None = None) -> Array:
    """Return the bias of every head, (n_heads, n), or of one, (n,), at offsets (n,); NaN where no key is seen."""
    values = encoding.bias(offsets)
    return np.where(np.isfinite(values), values, np.nan)[slice(None) if head is None else head]


def by_grid_offset(encoding: TableEncoding, measure: Measure) -> Array | None:
    """Return the measure so many rows and columns apart, from 0 on, (rows, columns); None where that is not all that
    counts: of waves along each axis it is that of the first cell and all others."""
    if not encoding.sides or not is_closed(encoding, measure):
        return None
    table = encoding.table(np.arange(prod(encoding.sides), dtype=np.float64))
    return measure.between(table[:1], table).reshape(encoding.sides)


def comparison(encoding: TableEncoding, measure: Measure) -> Callable[[Array, Array], Array]:
    """Return what gives the measure between positions p (n,) and q (m,), (n, m)."""
    profile = by_grid_offset(encoding, measure)

    def between(p: Array, q: Array) -> Array:
        if profile is None:
            return measure.between(encoding.table(p), encoding.table(q))
        places = zip(encoding.places_of(p), encoding.places_of(q), strict=True)
        return profile[tuple(np.abs(np.subtract.outer(first, second)) for first, second in places)]

    return between


def to_all(encoding: TableEncoding, measure: Measure, at: Array, first: int, count: int) -> Array:
    """Return the measure between the positions `at` and `count` positions from `first` on, shape (len(at), count)."""
    if is_by_offset(encoding, measure):
        return np.array([by_offset(encoding, measure, count, first - int(p)) for p in at])
    rows = encoding.table(at)
    parts = [np.arange(p.start, p.stop, dtype=np.float64) for p in chunks(first, first + count, encoding.width)]
    return np.hstack([measure.between(rows, encoding.table(part)) for part in parts])


def check_pairs(length: int) -> None:
    """Refuse to compare all pairs of so many positions one by one where that takes hours."""
    pairs = length * (length - 1) // 2
    if pairs > MAX_PAIRS:
        text = f"{pairs:,} pairs would be compared one by one and {MAX_PAIRS:.0e} are the most, some minutes of work"
        raise UsageError(text, option="length", value=length, advice=f"try {option_text('length', 100_000)}")


def matrix(encoding: TableEncoding, measure: Measure, blocks: Blocks) -> Array:
    """Return the measure between all positions, averaged over each pair of blocks, (blocks, blocks), symmetric."""
    run = by_offset(encoding, measure, blocks.length)
    if run is not None:
        return means_of_offsets(run, blocks)
    check_pairs(blocks.length)
    return means_of_pairs(comparison(encoding, measure), blocks)


def offset_codes(encoding: TableEncoding, p: Array, q: Array) -> Array:
    """Return one whole number for each offset p − q, (n, m) of positions (n,) and (m,); in a grid for each number of
    rows and columns between them."""
    codes = np.zeros((len(p), len(q)), dtype=np.int64)
    for side, first, second in zip(encoding.sides or (1,), *map(encoding.places_of, (p, q)), strict=True):
        codes = codes * (2 * side - 1) + np.subtract.outer(first, second).astype(np.int64) + side - 1
    return codes


def largest_spread(values: Array, codes: Array) -> float:
    """Return how much values differ at one offset, at most; NaN is left out."""
    places = (codes - codes.min()).ravel()
    low, high = np.full(places.max() + 1, np.inf), np.full(places.max() + 1, -np.inf)
    np.fmin.at(low, places, values.ravel())
    np.fmax.at(high, places, values.ravel())
    return float(np.max(high - low, initial=0.0, where=high >= low))


class OffsetRuns(NamedTuple):
    """values : (1, runs), over all pairs of positions at the offsets of each run, NaN where none is defined; widest :
    the largest difference of two pairs at a single offset; undefined : pairs that are left out."""

    values: Envelope
    widest: float
    undefined: int


def offset_runs(encoding: TableEncoding, measure: Measure, positions: Positions, edges: Array) -> OffsetRuns:
    """Return the measure's minimum, maximum and mean over all pairs at each run of offsets.

    edges : borders of the runs, whole numbers, shape (runs + 1,)
    """
    if is_by_offset(encoding, measure):
        exact = envelope(lambda first, count: np.array([by_offset(encoding, measure, count, first)]), edges)
        return OffsetRuns(exact, 0.0, 0)
    length = positions.length
    check_pairs(length)
    low, high, total, pairs = np.full((4, length), [[np.nan], [np.nan], [0.0], [0.0]])
    for part in track(chunks(0, length, length), "comparing positions"):
        at = positions.start + np.arange(part.start, part.stop, dtype=np.float64)
        values = to_all(encoding, measure, at, positions.start + part.start, length - part.start)
        for shift, row in enumerate(values):  # from its diagonal on, a row stands at the offsets 0, 1, …
            stop = length - part.start - shift
            low[:stop] = np.fmin(low[:stop], row[shift:])
            high[:stop] = np.fmax(high[:stop], row[shift:])
            total[:stop] += np.nan_to_num(row[shift:])
            pairs[:stop] += ~np.isnan(row[shift:])
    widest = float(np.fmax.reduce(high - low))
    starts, stop = edges[:-1], int(edges[-1])
    counts = np.add.reduceat(pairs[:stop], starts)
    mean = np.add.reduceat(total[:stop], starts) / np.where(counts, counts, np.nan)  # a long offset has fewer pairs
    runs = Envelope(np.fmin.reduceat(low[:stop], starts)[None], np.fmax.reduceat(high[:stop], starts)[None], mean[None])
    return OffsetRuns(runs, widest, length * (length + 1) // 2 - int(pairs.sum()))


class OffsetMap(NamedTuple):
    """low, high, mean : over the pairs of a grid at each offset, (2 rows − 1, 2 columns − 1), NaN where there are none;
    pairs : how many there are."""

    low: Array
    high: Array
    mean: Array
    pairs: Array


def offset_map(encoding: TableEncoding, measure: Measure, p: Array, q: Array) -> OffsetMap:
    """Return the measure between positions p (n,) and q (m,) of a grid by their offset in rows and columns."""
    shape = tuple(2 * side - 1 for side in encoding.sides)
    profile = by_grid_offset(encoding, measure)
    if profile is not None and np.array_equal(p, q):
        steps = [np.abs(np.arange(1 - side, side)) for side in encoding.sides]
        values = profile[np.ix_(*steps)]
        pairs = reduce(np.multiply.outer, [step.max() + 1.0 - step for step in steps])
        return OffsetMap(values, values, values, pairs)
    low, high, total, pairs = np.full((4, prod(shape)), [[np.nan], [np.nan], [0.0], [0.0]])
    between = comparison(encoding, measure)
    for part in chunks(0, len(p), len(q)):
        some = p[part.start : part.stop]
        values, codes = between(some, q).ravel(), offset_codes(encoding, some, q).ravel()
        np.fmin.at(low, codes, values)
        np.fmax.at(high, codes, values)
        total += np.bincount(codes, np.nan_to_num(values), len(total))
        pairs += np.bincount(codes, ~np.isnan(values), len(total))
    mean = total / np.where(pairs, pairs, np.nan)
    return OffsetMap(*(values.reshape(shape) for values in (low, high, mean, pairs)))


def products(first: Array, second: Array) -> Array:
    """Return ⟨first_p, second_q⟩ for rows p of one, (n, d), and q of the other, (m, d): (n, m).

    Each entry is summed by itself, not by BLAS, whose rounding depends on where in the matrix an entry stands: the
    same two rows give the same bits in any order of the rows.
    """
    return np.stack([(second * row).sum(axis=-1) for row in first])
