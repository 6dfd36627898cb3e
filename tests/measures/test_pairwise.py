"""Tests of every measure against its definition, and of matrices and block means against all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.numbers import CHUNK
from pecli.core.positions import Positions
from pecli.encodings.base import BiasEncoding
from pecli.encodings.clock import Clock
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.encodings.spec import read_encoding, read_table_encoding
from pecli.measures.comparison import VectorComparison, check_pairs, comparison_of
from pecli.measures.pairwise import MEASURES

Pair = Callable[[Sequence[float], Sequence[float]], float]


def inner(u: Sequence[float], v: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(u, v, strict=True))


def differences(u: Sequence[float], v: Sequence[float]) -> list[float]:
    return [abs(a - b) for a, b in zip(u, v, strict=True)]


def cosine_of(u: Sequence[float], v: Sequence[float]) -> float:
    size = math.sqrt(inner(u, u) * inner(v, v))
    return inner(u, v) / size if size else math.nan


def correlation_of(u: Sequence[float], v: Sequence[float]) -> float:
    if len(set(u)) == 1 or len(set(v)) == 1:
        return math.nan
    return cosine_of([a - math.fsum(u) / len(u) for a in u], [b - math.fsum(v) / len(v) for b in v])


# the definitions of scipy.spatial.distance, one pair of rows at a time
DEFINITIONS: dict[str, Pair] = {
    "euclidean": lambda u, v: math.sqrt(inner(differences(u, v), differences(u, v))),
    "sqeuclidean": lambda u, v: inner(differences(u, v), differences(u, v)),
    "cityblock": lambda u, v: math.fsum(differences(u, v)),
    "chebyshev": lambda u, v: max(differences(u, v)),
    "hamming": lambda u, v: sum(x > 0 for x in differences(u, v)) / len(u),
    "cosine": lambda u, v: 1 - cosine_of(u, v),
    "correlation": lambda u, v: 1 - correlation_of(u, v),
    "dot": inner,
    "cos": cosine_of,
    "corr": correlation_of,
}
names = pytest.mark.parametrize("name", DEFINITIONS)


def by_definition(name: str, a: Array, b: Array) -> Array:
    return np.array([[DEFINITIONS[name](u, v) for v in b.tolist()] for u in a.tolist()])


def block_means(values: Array, size: int) -> Array:
    cuts = range(0, len(values), size)
    return np.array([[values[i : i + size, j : j + size].mean() for j in cuts] for i in cuts])


def test_every_measure_has_its_definition_here() -> None:
    assert set(DEFINITIONS) >= set(MEASURES)
    assert {name for name, measure in MEASURES.items() if measure.similarity} == {"dot", "cos", "corr"}


@names
@pytest.mark.parametrize(("n", "m", "d"), [(5, 7, 3), (1, 11, 13), (7, 1, 2)])
def test_a_measure_is_its_definition_on_any_rows(name: str, n: int, m: int, d: int) -> None:
    random = np.random.default_rng(n)
    a, b = random.normal(1, 2, (n, d)), random.normal(-1, 3, (m, d))
    b[0] = a[0]
    assert MEASURES[name].between(a, b) == pytest.approx(by_definition(name, a, b), rel=1e-12, abs=1e-12)


@pytest.mark.some(72)
@names
@pytest.mark.parametrize(("d", "base"), [(2, 10000), (7, 10), (22, 0.3)])
@pytest.mark.parametrize(
    ("start", "length", "most"), [(1009, 11, None), (0, 23, 5), (-7, 22, 4), (3, 17, 1), (0, 7, 7), (1, 3, 2)]
)
def test_a_block_is_the_mean_of_its_pairs(
    name: str, d: int, base: float, start: int, length: int, most: int | None
) -> None:
    encoding, positions = Sinusoidal(d=d, base=base), Positions(length=length, start=start)
    blocks, table = positions.blocks(most), encoding.table(positions.array())
    # d = 2: both columns of a row are at one distance from their mean, so rounding is all that its correlation has
    expected = block_means(by_definition(name, table, table), blocks.size)
    means, _ = VectorComparison(encoding, name).block_means(blocks)
    assert means == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.some(2)
@pytest.mark.parametrize("d", [2, 3])
def test_blocks_that_need_several_pieces_are_put_together_right(d: int) -> None:
    encoding, positions = Sinusoidal(d=d, base=10), Positions(length=1301, start=-3)
    blocks, table = positions.blocks(4), encoding.table(positions.array())  # 326 positions a block, the last 323
    expected = block_means(MEASURES["dot"].between(table, table), blocks.size)
    means, _ = VectorComparison(encoding, "dot").block_means(blocks)
    assert means == pytest.approx(expected, rel=1e-9, abs=1e-12)


@names
def test_the_closed_form_is_the_measure_by_offset(name: str) -> None:
    encoding = Sinusoidal(d=22, base=100)
    table, compared = encoding.table(np.arange(31.0)), VectorComparison(encoding, name)
    assert compared.is_of_offset == (MEASURES[name].from_squares is not None)
    if compared.is_of_offset:
        assert compared.at_offsets(0, 31) == pytest.approx(
            by_definition(name, table[:1], table)[0], rel=1e-9, abs=1e-12
        )
    assert not VectorComparison(Sinusoidal(d=7), name).is_of_offset  # an odd width has none


@pytest.mark.parametrize(
    ("spec", "head", "ahead"),
    [("sinusoidal:d=6", None, False), ("alibi", 2, False), ("alibi:direction=both", 1, True), ("kerple", 3, False)],
)
def test_a_comparison_is_one_of_vectors_or_of_a_head_and_its_profile_is_what_stands_between(
    spec: str, head: int | None, ahead: bool
) -> None:
    encoding, (p, q) = read_encoding(spec), np.arange(14.0).reshape(2, 7)
    compared = comparison_of(encoding, "dot", head or 0)
    offsets, profile = (p[:, None] - q).astype(int), compared.profile(14)
    assert (compared.head, compared.sees_ahead) == (head, ahead)
    for found in (compared.between(p, q), compared.to_run(p, 7, 7)):
        assert np.allclose(found, profile[13 + offsets], rtol=1e-12, atol=1e-12, equal_nan=True)
    assert np.allclose(compared.between(q, p), profile[13 - offsets.T], rtol=1e-12, atol=1e-12, equal_nan=True)
    if isinstance(encoding, BiasEncoding):
        assert np.allclose(compared.at_offsets(0, 9), encoding.bias(np.arange(9.0))[head], rtol=0, atol=0)


@pytest.mark.some(22)
@pytest.mark.parametrize("name", [name for name, measure in MEASURES.items() if not measure.similarity])
@pytest.mark.parametrize("d", [6, 7, 255])
def test_a_distance_is_exactly_0_on_the_diagonal_and_symmetric(name: str, d: int) -> None:
    values, _ = VectorComparison(Sinusoidal(d=d), name).block_means(Positions(length=53, start=1_000_003).blocks(None))
    assert np.array_equal(np.diag(values), np.zeros(53))
    assert values == pytest.approx(values.T, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(("name", "defined"), [("correlation", 1), ("corr", 1), ("cosine", 2), ("cos", 2)])
def test_a_constant_row_has_no_correlation_and_a_zero_row_no_direction(name: str, defined: int) -> None:
    rows = np.array([[1.0, 2.0, 4.0], [0.1, 0.1, 0.1], [0.0, 0.0, 0.0]])
    known = ~np.isnan(MEASURES[name].between(rows, rows))
    assert known[:defined, :defined].all() and known.sum() == defined**2


@pytest.mark.parametrize("most", [None, 3])
def test_width_1_has_no_correlation_at_all(most: int | None) -> None:
    means, _ = VectorComparison(Sinusoidal(d=1), "corr").block_means(Positions(length=7).blocks(most))
    assert np.isnan(means).all()


@pytest.mark.parametrize(("d", "name", "undefined"), [(1, "cos", 9), (1, "corr", 45), (2, "cos", 0)])
def test_pairs_that_have_no_measure_are_counted(d: int, name: str, undefined: int) -> None:
    positions = Positions(length=9)  # 45 pairs p ≤ q; at d = 1 the row of position 0 is zero, and it is in 9
    assert VectorComparison(Sinusoidal(d=d), name).offset_runs(positions, np.arange(10)).undefined == undefined


@pytest.mark.long
def test_runs_of_offsets_are_those_of_all_pairs_also_of_more_than_are_held_at_once() -> None:
    length = math.isqrt(CHUNK) + 9
    encoding = read_table_encoding("learned:d=1,seed=3").fitted(Positions(length=length))
    compared, positions = VectorComparison(encoding, "cityblock"), np.arange(float(length))
    found = compared.offset_runs(Positions(length=length), np.array([0, 1, 5, length]))
    apart = compared.between(positions, positions)
    diagonals = [np.diagonal(apart, offset) for offset in range(length)]
    runs = [np.concatenate(diagonals[first:last]) for first, last in ((0, 1), (1, 5), (5, length))]
    assert found.values.low[0].tolist() == [run.min() for run in runs]
    assert found.values.high[0].tolist() == [run.max() for run in runs]
    assert found.values.mean[0] == pytest.approx([run.mean() for run in runs], rel=1e-12)
    assert found.widest == max(np.ptp(diagonal) for diagonal in diagonals)


@pytest.mark.parametrize("name", ["cos", "corr"])
def test_no_similarity_is_beyond_1(name: str) -> None:
    rows = np.random.default_rng(2).normal(size=(101, 7))
    both = np.vstack([rows, -rows])  # norms are 1 but for rounding, and so would be their products
    values = MEASURES[name].between(both, both)
    assert (values.min(), values.max()) == (-1, 1)


def test_hours_of_pairs_are_refused_before_they_begin() -> None:
    compared, rows = VectorComparison(read_table_encoding("binary"), "euclidean"), Positions(length=141_423)
    refused = pytest.raises(UsageError, match=r"10,000,161,753 pairs would be compared one by one.*length=100000")
    with refused:
        compared.block_means(rows.blocks(4))
    with refused:
        compared.offset_runs(rows, np.arange(9))
    check_pairs(141_421)


def test_hamming_takes_what_repeats_for_the_same() -> None:
    table = Clock().table(np.arange(91.0))
    (found,) = MEASURES["hamming"].between(table[[30]], table[[90]])[0]
    assert found == 4 / 6  # the second hand stands where it stood


@pytest.mark.parametrize("share", [1e-6, 1e-3, 1e-1])
def test_squared_distances_keep_their_digits_near_and_far(share: float) -> None:
    rng = np.random.default_rng(5)
    a = rng.standard_normal((40, 64))
    b = a + np.sqrt(share) * rng.standard_normal((40, 64))
    exact = ((a - b) ** 2).sum(axis=1)
    found = np.diag(MEASURES["sqeuclidean"].between(a, b))
    assert np.abs(found / exact - 1).max() < 2e-13


def test_a_row_of_tiny_numbers_has_a_direction() -> None:
    rows = np.array([[3e-200, 4e-200], [3.0, 4.0], [-4e150, 3e150]])
    assert np.allclose(MEASURES["cos"].between(rows, rows), [[1, 1, 0], [1, 1, 0], [0, 0, 1]], rtol=0, atol=1e-15)
