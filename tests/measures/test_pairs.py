"""Tests of all pairs of positions, as points and as counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.language import say
from pecli.core.positions import Positions
from pecli.encodings.spec import read_table_encoding
from pecli.figures.scatter import DensityNumbers
from pecli.measures.comparison import VectorComparison
from pecli.measures.pairs import CLASSES, class_correlation, counts, merge_classes, pearson, points, ranks

cases = pytest.mark.parametrize(
    ("spec", "across", "up", "length"),
    [
        ("sinusoidal:d=16,base=100", "corr", "euclidean", 37),
        ("sinusoidal:d=7", "correlation", "cityblock", 101),
        ("binary:d=11", "corr", "hamming", 1100),  # position 0 is constant: no correlation; in several pieces
        ("rope:d=8", "cos", "sqeuclidean", 1100),  # both by offset alone
        ("learned:d=12", "dot", "chebyshev", 53),
    ],
)


def brute(spec: str, across: str, up: str, rows: Positions) -> tuple[np.ndarray, np.ndarray, int]:
    encoding = read_table_encoding(spec)
    upper = np.triu_indices(rows.length, 1)
    x, y = (VectorComparison(encoding, name).block_means(rows.blocks(None))[0][upper] for name in (across, up))
    known = ~(np.isnan(x) | np.isnan(y))
    return x[known], y[known], int((~known).sum())


def test_points_know_whose_pair_they_are() -> None:
    encoding = read_table_encoding("sinusoidal:d=6")
    found = points(encoding, "dot", "euclidean", Positions(length=23, start=5))
    p, q = encoding.table(found.p), encoding.table(found.q)
    assert found.x == pytest.approx((p * q).sum(axis=1))
    assert found.y == pytest.approx(np.linalg.norm(p - q, axis=1))


@pytest.mark.long
@cases
def test_every_pair_counts_once(spec: str, across: str, up: str, length: int) -> None:
    rows = Positions(length=length)
    found = counts(read_table_encoding(spec), across, up, rows)
    x, y, undefined = brute(spec, across, up, rows)
    assert found.counts.sum() == len(x) == found.pairs - undefined
    assert found.x_edges[[0, -1]] == pytest.approx([x.min(), x.max()], abs=1e-9)
    assert found.y_edges[[0, -1]] == pytest.approx([y.min(), y.max()], abs=1e-9)
    for values, edges, axis in ((x, found.x_edges, 0), (y, found.y_edges, 1)):
        held = found.counts.sum(axis=axis)
        assert held @ (edges[:-1] + edges[1:]) / 2 / len(x) == pytest.approx(values.mean(), abs=edges[1] - edges[0])
        below = np.searchsorted(np.sort(values), edges[CLASSES // 3] + np.array([-1, 1]) * 1e-9)
        assert below[0] <= held[: CLASSES // 3].sum() <= below[1]
    assert found.pearson == pytest.approx(pearson(x, y), abs=1e-9)
    assert found.spearman == pytest.approx(pearson(ranks(x), ranks(y)), abs=2e-4)


def test_a_class_correlation_of_untied_classes_is_that_of_the_ranks() -> None:
    order = np.array([3, 0, 4, 1, 2])
    assert class_correlation(np.eye(5, dtype=np.int64)[order]) == pytest.approx(pearson(np.arange(5.0), order * 1.0))


@pytest.mark.parametrize(
    ("spec", "across", "undefined", "edges"),
    [("sinusoidal:d=1", "corr", 55, None), ("learned:d=3", "hamming", 0, (1, 2))],
)
def test_what_does_not_vary_has_no_correlation(
    spec: str, across: str, undefined: int, edges: tuple[int, int] | None
) -> None:
    found = counts(read_table_encoding(spec), across, "euclidean", Positions(length=11))
    assert found.pearson is None and found.spearman is None
    assert found.undefined == undefined and found.pairs == 55
    assert found.counts.sum() == found.counts[:, 0].sum() == 55 - undefined  # no two numbers of it are equal
    assert edges is None or (found.x_edges[0], found.x_edges[-1]) == edges


@pytest.mark.parametrize("most", [1, 7, 50, 199, 239, 240, 241, 2160])
def test_cells_have_one_width_as_an_image_draws_them_and_keep_every_pair(most: int) -> None:
    table, edges = np.arange(CLASSES * 2).reshape(2, CLASSES), np.linspace(-1.5, 4.0, CLASSES + 1)
    fewer, borders = merge_classes(table, edges, most, 1)
    cells = fewer.shape[1]
    assert most / 2 < cells <= most and CLASSES % cells == 0
    assert borders == pytest.approx(np.linspace(-1.5, 4.0, cells + 1), abs=1e-12)  # equal cells from end to end
    assert fewer[0].tolist() == table[0].reshape(cells, -1).sum(axis=1).tolist()
    assert merge_classes(np.arange(35).reshape(5, 7), np.linspace(0, 1, 8), 3, 1)[0].shape == (5, 1)  # 7 is prime


@pytest.mark.long
def test_too_many_pairs_for_points_are_drawn_as_counts() -> None:
    picture = pecli.figure("scatter", length=701, d=8, dpi=20, triangle="upper")
    numbers = picture.seen
    assert isinstance(numbers, DensityNumbers)
    assert numbers.counts.sum() == numbers.pairs == 701 * 700 // 2
    assert say("scatter.pairs_counted", count=245_350) in numbers.caption()
    axes: Any = picture.draw(Drawing().add_subplot())
    (image,) = axes.images
    assert image.get_array().compressed().sum() == numbers.pairs
    assert tuple(image.get_extent()) == (*numbers.x_edges[[0, -1]], *numbers.y_edges[[0, -1]])
    assert axes.get_ylim()[0] < axes.get_ylim()[1]  # small distances below
    assert len(picture.numbers.main) == 701 * 700 // 2  # the numbers are still every pair


@pytest.mark.parametrize(("step", "expected"), [(1e-9, [1, 2, 3]), (1e-11, [1, 2, 3]), (1e-14, [1.5, 1.5, 3])])
def test_ranks_tell_all_apart_that_is_more_than_rounding(step: float, expected: list[float]) -> None:
    assert ranks(np.array([0.0, step, 1.0])).tolist() == expected
