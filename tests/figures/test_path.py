"""Tests of the figure path: the rows of a table on their first principal components."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, say
from tests.drawing import clauses, numbers_of, page_of, panels_of


def path(**options: Any) -> Any:
    return numbers_of("path", **options)


def test_coordinates_are_those_along_known_axes(folder: Path) -> None:
    axes, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((5, 5)))
    known = np.random.default_rng(2).standard_normal((40, 5)) * [9, 4, 2, 1, 0.5]
    known, _ = np.linalg.qr(known - known.mean(axis=0))  # uncorrelated columns of mean 0
    known *= [9, 4, 2, 1, 0.5]
    np.save("table.npy", known @ axes.T + 3)
    found = path(encoding="learned:file=table.npy", components=3)
    assert np.abs(found.coordinates) == pytest.approx(np.abs(known[:, :3]), abs=1e-12)
    assert found.share == pytest.approx(np.array([81, 16, 4]) / 102.25)
    assert finding(found.message()) == {"key": "path.the_first_principal_components", "count": 3, "share": "99%"}
    largest = found.coordinates.T @ (known @ axes.T)  # each axis times its eigenvalue
    assert (largest[np.arange(3), np.abs(largest).argmax(axis=1)] > 0).all()


def test_a_pair_of_sine_and_cosine_is_a_circle() -> None:
    found = path(encoding="clock:periods=12", length=12)
    assert np.hypot(*found.coordinates.T) == pytest.approx(1) and found.share == pytest.approx(0.5)
    steps = np.hypot(*np.diff(found.coordinates, axis=0).T)
    assert steps == pytest.approx(2 * np.sin(np.pi / 12))
    assert found.message() == say("path.in_this_plane_each") and not found.tied
    twice = path(encoding="clock:periods=12", length=24)  # the second turn lies on the first
    assert finding(twice.message())["key"] == "path.goes_round" and twice.period == pytest.approx(12)
    two = path(encoding="clock:periods=12,3", length=12)
    assert two.tied and two.share == pytest.approx(np.full(2, 0.25))
    assert finding(clauses(two.caption())[-1])["key"] == "path.the_next_component_has"


@pytest.mark.parametrize("components", [2, 3])
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 0, 2, 1]])
def test_of_components_with_equal_variance_those_near_the_first_columns_are_drawn(
    components: int, order: list[int], folder: Path
) -> None:
    table = pecli.encode("clock:periods=12,3", length=12)[:, order]
    for name, rows in (("tall", np.tile(table, (2, 1))), ("wide", np.hstack([table, np.zeros((12, 12))]))):
        np.save(f"{name}.npy", rows)
        found = path(encoding=f"{name}.npy", components=components).coordinates
        assert found == pytest.approx(rows[:, :components], abs=1e-9)


def test_of_fewer_positions_than_columns_the_coordinates_are_the_same(folder: Path) -> None:
    rows = np.random.default_rng(4).standard_normal((9, 20))
    np.save("wide.npy", rows)
    np.save("tall.npy", np.linalg.qr(rows.T)[1].T)  # the same distances in nine columns
    wide, tall = (path(encoding=f"learned:file={name}.npy") for name in ("wide", "tall"))
    assert np.abs(wide.coordinates) == pytest.approx(np.abs(tall.coordinates), abs=1e-9)
    assert wide.share == pytest.approx(tall.share)


def test_panels_have_one_scale_and_say_the_share_of_each_component() -> None:
    panels = panels_of("path", encoding="rope:d=8", length=50, components=3)
    found = path(encoding="rope:d=8", length=50, components=3)
    assert len({(panel.get_xlim(), panel.get_ylim()) for panel in panels}) == 1
    for panel, pair in zip(panels, [(0, 1), (0, 2), (1, 2)], strict=True):
        (line,) = (item for item in panel.collections if hasattr(item, "get_segments"))
        assert np.array_equal([segment[0] for segment in line.get_segments()], found.coordinates[:-1, pair])
        assert np.array_equal(line.get_array(), np.arange(49))
        ends = [(text.get_text(), text.xy) for text in panel.texts]
        assert ends == [
            (f"p = {at}" if at in (0, 49) else str(at), tuple(found.coordinates[at, pair]))
            for at in (0, 49, 10, 20, 30, 40)
        ]
        number = pair[0] + 1
        share = f"{found.share[pair[0]]:.0%}"
        assert panel.get_xlabel() == say("path.pc_of_the_variance", number=number, share=share)


def table_of_turns(period: float, drift: float, length: int = 90) -> Any:
    """Return rows that go round once in so many positions while they drift, in a plane."""
    angles = 2 * np.pi * np.arange(length) / period
    return np.column_stack((np.cos(angles) + drift * np.arange(length), np.sin(angles)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("period", "drift", "found"),
    [(6.0, 0.0, 6.0), (6.0, 0.05, 6.0), (14.3, 0.01, 14.3), (50.0, 0.0, None), (6.0, 3.0, None)],
)
def test_the_period_is_that_of_turns_and_the_outermost_turn_is_drawn_over_all(
    folder: Path, period: float, drift: float, found: float | None
) -> None:
    np.save("table.npy", table_of_turns(period, drift))
    numbers, axes = path(encoding="learned:file=table.npy"), page_of("path", encoding="learned:file=table.npy").axes[0]
    if found is None:
        assert numbers.period is None and not axes.lines and finding(numbers.message()).get("key") != "path.goes_round"
        return
    assert numbers.period == pytest.approx(found, rel=0.05)
    wave = say("encoding.count_positions", count=f"{numbers.period:.2g}")
    assert finding(numbers.message()) == {"key": "path.goes_round", "wave": wave}
    turn = numbers.outermost_turn()
    assert turn.tolist() == [*range(turn[0], turn[-1] + 1)] and found <= turn[-1] - turn[0] < found + 1  # it closes
    for line in axes.lines:  # and its dots
        assert np.column_stack(line.get_data()) == pytest.approx(numbers.coordinates[turn])
    if drift > 0.02:
        assert turn[0] == 0 or turn[-1] == 89  # at an end
    marked = {text.get_text(): text.xy for text in axes.texts if "=" not in text.get_text()}
    assert marked and all(xy == tuple(numbers.coordinates[int(at)]) for at, xy in marked.items())


@pytest.mark.parametrize(("options", "said"), [
    ({"length": 1}, "it takes 2 or more"),
    ({"encoding": "binary", "length": 4, "components": 3}, "components=3 is more than the 2 columns"),
    ({"length": 2, "components": 3}, "components=3 is more than the 2 positions"),
    ({"components": 4}, "from 2 to 3"),
])  # fmt: skip
def test_what_has_no_path_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        pecli.figure("path", **options).render("png")
    assert said in str(refused.value)


def test_of_a_table_that_does_not_vary_nothing_is_said(folder: Path) -> None:
    """Of two positions, each has only one other, which is nearest in any case."""
    assert path(d=2, length=2).message() == ""
    np.save("table.npy", np.ones((4, 3)))
    found = path(encoding="learned:file=table.npy")
    assert found.message() == "" and not found.coordinates.any()


@pytest.mark.long
def test_the_panel_of_two_components_ends_with_them_on_one_scale() -> None:
    axes = page_of("path", encoding="rope:d=8", length=50, size="page").axes[0]
    points = path(encoding="rope:d=8", length=50).coordinates
    ends = np.array([axes.get_xlim(), axes.get_ylim()]).T
    assert (ends[0] < points.min(axis=0)).all() and (ends[1] > points.max(axis=0)).all()
    wide, high = np.ptp(ends, axis=0) / [axes.bbox.width, axes.bbox.height]
    assert wide == pytest.approx(high, rel=0.03)
