"""All pairs: as points, and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.positions import Positions
from pecli.figures.scatter import DensityNumbers
from pecli.measures import pairs as pair_density
from pecli.measures.pairs import CLASSES
from pecli.measures.pairwise import MEASURES, matrix
from pecli.models.spec import read_table_encoding

CASES = [
    ("sinusoidal:d=16,base=100", "corr", "euclidean"),
    ("sinusoidal:d=7", "correlation", "cityblock"),
    ("binary:d=7", "corr", "hamming"),  # position 0 is constant: no correlation
    ("rope:d=8", "cos", "sqeuclidean"),  # both by offset alone
    ("learned:d=12", "dot", "chebyshev"),
]


def brute(spec: str, across: str, up: str, rows: Positions) -> tuple[np.ndarray, np.ndarray, int]:
    encoding = read_table_encoding(spec)
    upper = np.triu_indices(rows.length, 1)
    x, y = (matrix(encoding, MEASURES[name], rows.blocks(None))[upper] for name in (across, up))
    known = ~(np.isnan(x) | np.isnan(y))
    return x[known], y[known], int((~known).sum())


@pytest.mark.parametrize(("spec", "across", "up"), CASES)
@pytest.mark.parametrize("chunk", [1, 97, 10**6])
def test_points_are_all_pairs_whatever_the_chunk(
    monkeypatch: pytest.MonkeyPatch, spec: str, across: str, up: str, chunk: int
) -> None:
    monkeypatch.setattr("pecli.core.numbers.CHUNK", chunk)
    rows = Positions(length=37)
    found = pair_density.points(read_table_encoding(spec), MEASURES[across], MEASURES[up], rows)
    x, y, undefined = brute(spec, across, up, rows)
    assert found.pairs == 37 * 36 // 2 and found.undefined == undefined
    assert found.x == pytest.approx(x, abs=1e-9) and found.y == pytest.approx(y, abs=1e-9)
    assert (found.p < found.q).all() and len(found.p) == len(x)


def test_points_know_whose_pair_they_are() -> None:
    rows = Positions(length=23, start=5)
    encoding = read_table_encoding("sinusoidal:d=6")
    found = pair_density.points(encoding, MEASURES["dot"], MEASURES["euclidean"], rows)
    for at in (0, 100, 252):
        p, q = encoding.table(found.p[at : at + 1])[0], encoding.table(found.q[at : at + 1])[0]
        assert found.x[at] == pytest.approx(p @ q)
        assert found.y[at] == pytest.approx(np.linalg.norm(p - q))


@pytest.mark.parametrize(("spec", "across", "up"), CASES)
def test_every_pair_counts_once(monkeypatch: pytest.MonkeyPatch, spec: str, across: str, up: str) -> None:
    monkeypatch.setattr("pecli.core.numbers.CHUNK", 501)
    rows = Positions(length=101)
    found = pair_density.counts(read_table_encoding(spec), MEASURES[across], MEASURES[up], rows)
    x, y, undefined = brute(spec, across, up, rows)
    assert found.counts.sum() == len(x) == found.pairs - undefined
    assert found.x_edges[[0, -1]] == pytest.approx([x.min(), x.max()], abs=1e-9)
    assert found.y_edges[[0, -1]] == pytest.approx([y.min(), y.max()], abs=1e-9)
    for values, edges, axis in ((x, found.x_edges, 0), (y, found.y_edges, 1)):
        centres, width = (edges[:-1] + edges[1:]) / 2, edges[1] - edges[0]
        held = found.counts.sum(axis=axis)
        assert held @ centres / len(x) == pytest.approx(values.mean(), abs=width)
        below = np.searchsorted(np.sort(values), edges[pair_density.CLASSES // 3] + np.array([-1, 1]) * 1e-9)
        assert below[0] <= held[: pair_density.CLASSES // 3].sum() <= below[1]
    assert found.pearson == pytest.approx(pair_density.pearson(x, y), abs=1e-9)
    assert found.spearman == pytest.approx(pair_density.pearson(pair_density.ranks(x), pair_density.ranks(y)), abs=2e-4)


def test_a_class_correlation_of_untied_classes_is_that_of_the_ranks() -> None:
    order = np.array([3, 0, 4, 1, 2])
    table = np.zeros((5, 5), dtype=np.int64)
    table[np.arange(5), order] = 1
    assert pair_density.class_correlation(table) == pytest.approx(
        pair_density.pearson(np.arange(5.0), order.astype(float))
    )


def test_what_does_not_vary_has_no_correlation() -> None:
    found = pair_density.counts(
        read_table_encoding("sinusoidal:d=1"), MEASURES["corr"], MEASURES["dot"], Positions(length=11)
    )
    assert found.pearson is None and found.spearman is None
    assert found.undefined == found.pairs == 55 and found.counts.sum() == 0


def test_coarser_classes_keep_every_pair() -> None:
    table, edges = np.arange(35).reshape(5, 7), np.linspace(0.0, 1.0, 8)
    fewer, borders = pair_density.coarser(table, edges, 3, 1)
    assert fewer.sum() == table.sum() and fewer.shape == (5, 1)  # a prime number of classes is one cell or all
    assert borders == pytest.approx(edges[[0, 7]])


@pytest.mark.parametrize("most", [1, 7, 50, 199, 239, 240, 241, 2160])
def test_cells_have_one_width_as_an_image_draws_them(most: int) -> None:
    table, edges = np.arange(CLASSES * 2).reshape(2, CLASSES), np.linspace(-1.5, 4.0, CLASSES + 1)
    fewer, borders = pair_density.coarser(table, edges, most, 1)
    cells = fewer.shape[1]
    assert most / 2 < cells <= most and CLASSES % cells == 0
    assert borders == pytest.approx(np.linspace(-1.5, 4.0, cells + 1), abs=1e-12)  # equal cells from end to end
    assert fewer[0].tolist() == table[0].reshape(cells, -1).sum(axis=1).tolist()


def test_a_density_is_drawn_over_its_own_borders() -> None:
    picture = pecli.figure("scatter", length=701, d=8, dpi=20, triangle="upper")
    axes: Any = picture.draw(Drawing().subplots())
    (image,) = [one for panel in (axes, *axes.child_axes) for one in panel.images]
    numbers = picture.seen
    assert isinstance(numbers, DensityNumbers)
    x, y = numbers.x_edges, numbers.y_edges
    assert tuple(image.get_extent()) == (x[0], x[-1], y[0], y[-1])
    assert np.ptp(np.diff(x)) < 1e-12 and np.ptp(np.diff(y)) < 1e-12


def test_too_many_pairs_for_points_are_drawn_as_counts() -> None:
    picture = pecli.figure("scatter", length=701, d=8, dpi=20, triangle="upper")
    numbers = picture.seen
    assert isinstance(numbers, DensityNumbers)
    assert numbers.counts.sum() == numbers.pairs == 701 * 700 // 2
    assert "245,350 pairs counted" in numbers.caption()
    axes = Drawing().add_subplot()
    picture.draw(axes)
    (image,) = axes.images
    assert image.get_array().compressed().sum() == numbers.pairs  # type: ignore[union-attr]
    assert tuple(image.get_extent()) == pytest.approx((*numbers.x_edges[[0, -1]], *numbers.y_edges[[0, -1]]))
    assert axes.get_ylim()[0] < axes.get_ylim()[1]  # small distances below


def test_the_numbers_of_a_counted_scatter_are_still_every_pair() -> None:
    picture = pecli.figure("scatter", length=641, d=4)
    assert len(picture.numbers.main) == 641 * 640 // 2


def test_a_measure_of_one_value_falls_into_one_class() -> None:
    rows = Positions(length=11)
    found = pair_density.counts(read_table_encoding("learned:d=3"), MEASURES["hamming"], MEASURES["euclidean"], rows)
    assert found.counts.sum() == found.counts[:, 0].sum() == 55  # no two numbers of it are equal: 1 for every pair
    assert (found.x_edges[0], found.x_edges[-1]) == (1, 2)
    assert found.pearson is None and found.spearman is None


def test_values_that_are_equal_but_for_rounding_share_a_class() -> None:
    edges = np.linspace(0.1, 0.7, pair_density.CLASSES + 1)
    for border in (edges[[1, 512, 1024, 2047]], edges[[1, 512, 1024, 2047]] * (1 - 1e-16)):
        assert pair_density._class(border, edges).tolist() == [1, 512, 1024, 2047]
    assert pair_density._class(edges[[0, -1]], edges).tolist() == [0, pair_density.CLASSES - 1]


@pytest.mark.parametrize(("step", "expected"), [(1e-9, [1, 2, 3]), (1e-11, [1, 2, 3]), (1e-14, [1.5, 1.5, 3])])
def test_ranks_tell_all_apart_that_is_more_than_rounding(step: float, expected: list[float]) -> None:
    assert pair_density.ranks(np.array([0.0, step, 1.0])).tolist() == expected
