"""The score of two tokens as four parts: they add up, and the last depends on the offset alone."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError
from pecli.core.numbers import bound_text
from pecli.figures.terms import TITLES, Terms, TermsNumbers, spread
from tests.drawing import page_of

ADDED = ["sinusoidal:d=8", "sinusoidal:d=7", "clock", "geometric:d=8", "binary", "learned:d=5"]
INVARIANT = ["sinusoidal:d=8", "sinusoidal:d=8,layout=concatenated", "clock", "geometric:d=8"]


def made(**options: object) -> TermsNumbers:
    numbers = pecli.figure("terms", **options).numbers
    assert isinstance(numbers, TermsNumbers)
    return numbers


@pytest.mark.parametrize("encoding", ADDED)
def test_the_four_parts_add_up_to_the_score(encoding: str) -> None:
    numbers = made(encoding=encoding, start=3)
    one = numbers.view.encoding
    both = Terms().content(one.width) + one.table(np.arange(3.0, 8.0))
    parts = numbers.content_content + numbers.content_position + numbers.position_content + numbers.position_position
    assert numbers.total == pytest.approx(both @ both.T, abs=1e-12)
    assert parts == pytest.approx(numbers.total, abs=1e-12)
    assert numbers.facts()["error"] < 1e-12


def test_each_part_is_its_product() -> None:
    numbers = made(d=5)
    x, p = Terms().content(5), pecli.encode(d=5, length=5)
    assert numbers.content_content == pytest.approx(x @ x.T, abs=1e-13)
    assert numbers.content_position == pytest.approx(x @ p.T, abs=1e-13)
    assert numbers.position_content == pytest.approx(p @ x.T, abs=1e-13)
    assert numbers.position_position == pytest.approx(p @ p.T, abs=1e-13)
    assert np.array_equal(numbers.position_content, numbers.content_position.T)


@pytest.mark.parametrize("encoding", INVARIANT)
def test_position_with_position_depends_on_the_offset_alone(encoding: str) -> None:
    numbers = made(encoding=encoding)
    spreads = numbers.facts()["spreads"]
    assert spreads["position_position"] < 1e-12
    assert min(spreads["content_position"], spreads["position_content"], spreads["content_content"]) > 0.1
    assert numbers.message().endswith("depends on the offset alone")


@pytest.mark.parametrize("encoding", ["binary", "learned:d=5", "sinusoidal:d=7"])
def test_where_it_does_not_the_spread_says_so(encoding: str) -> None:
    spread = made(encoding=encoding).facts()["spreads"]["position_position"]
    assert spread > 1e-6
    assert made(encoding=encoding).message().endswith(f"by up to {bound_text(spread, 2)}")


def test_the_spread_is_that_of_the_worst_diagonal() -> None:
    assert spread(np.array([[0.0, 5.0, 9.0], [1.0, 2.0, 7.0], [8.0, 4.0, 1.0]])) == 3
    assert spread(np.array([[4.0]])) == 0
    steps = np.arange(11)
    assert spread((steps[:, None] - steps) ** 3) == 0


@pytest.mark.parametrize(("encoding", "instead"), [("rope", "attention"), ("relative", "relative")])
def test_what_is_not_added_is_refused_with_what_fits(encoding: str, instead: str) -> None:
    with pytest.raises(
        UsageError, match=f"terms cannot show {encoding}: it has no position vector to add; try .*{instead}"
    ):
        pecli.figure("terms", encoding=encoding)


def test_five_panels_share_limits_and_0_has_the_middle_of_the_map() -> None:
    picture = pecli.figure("terms", tokens="x y z")
    axes = Drawing(figsize=(12, 3), dpi=30).subplots()
    picture.draw(axes)
    drawn: list[Any] = list(axes.child_axes)
    arrays = picture.seen.arrays()
    images = {name: one.get_images()[0] for name, one in zip(TITLES, drawn, strict=False)}
    limits = (min(array.min() for array in arrays.values()), max(array.max() for array in arrays.values()))
    assert {image.get_clim() for image in images.values()} == {limits}
    assert images["total"].to_rgba(0.0) == pytest.approx(mpl.colormaps["RdBu_r"](0.5), abs=0.02)
    assert {image.get_cmap().name for image in images.values()} == {"RdBu_r"}
    assert all(np.array_equal(image.get_array(), arrays[name]) for name, image in images.items())
    titles = [one.get_title().partition("\n")[0] for one in drawn if one.get_images()]
    assert titles == [
        "content · content",
        "content · position",
        "position · content",
        "position · position",
        "sum of the four",
    ]
    assert [text.get_text() for text in drawn[4].get_xticklabels()] == ["x", "y", "z"]


def test_compare_shows_two_under_the_same_limits() -> None:
    options: Any = {"figure": "terms", "encoding": ["clock", "sinusoidal:d=8"]}
    rows = [round(axes.get_position().y0, 2) for axes in page_of("compare", **options).axes[:10]]
    assert len({*rows}) == 2 and min(rows[:5]) > max(rows[5:])
    limits = {part.numbers.limits() for part in pecli.figure("compare", **options).seen.parts}  # type: ignore[attr-defined]  # compare's numbers
    assert len(limits) == 1
