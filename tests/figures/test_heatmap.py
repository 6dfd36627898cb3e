"""The heatmap's numbers and what stands on its Axes."""

from __future__ import annotations

import io
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import pecli
from pecli.core.errors import UsageError
from pecli.core.terminal import TRACKER
from tests.drawing import axes_of, page_of


@pytest.mark.parametrize(("d", "length", "start"), [(7, 11, 0), (2, 1, -5), (1, 3, 1), (13, 5, 1009)])
def test_the_image_is_the_table_at_its_positions(d: int, length: int, start: int) -> None:
    axes = axes_of("heatmap", d=d, length=length, start=start)
    (image,), (bar,) = axes.images, axes.child_axes
    assert np.array_equal(image.get_array(), pecli.encode(d=d, length=length, start=start))
    assert [*image.get_extent()] == [-0.5, d - 0.5, start + length - 0.5, start - 0.5]
    assert axes.get_ylim() == (start + length - 0.5, start - 0.5)  # position down
    assert (image.get_clim(), image.get_cmap().name) == ((-1, 1), "RdBu_r")
    assert axes.figure.axes == [axes] and bar is image.colorbar.ax
    assert (axes.get_xlabel(), axes.get_ylabel(), bar.get_ylabel()) == ("dimension", "position p", "value")
    assert axes_of("heatmap", d=7, length=5, cmap="PiYG").images[0].get_cmap().name == "PiYG"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("sinusoidal:d=128", "39 of 64 pairs never finish a turn in 200 positions"),
        ("clock", "2 of 3 pairs never finish a turn in 200 s"),
        ("sinusoidal:d=2", "every pair finishes a turn in 200 positions"),
        ("binary", "each bit changes half as often as the one before: bit 7 every 128 positions"),
    ],
)
def test_a_heatmap_alone_says_what_its_stripes_are(encoding: str, said: str) -> None:
    picture = pecli.figure("heatmap", encoding=encoding)
    ruled = "rule above: pairs that never finish a turn" if "never" in said else ""
    assert (picture.message().lower(), picture.caption()) == (said, ruled)
    for silent in ("sinusoidal", "binary:d=1", "learned"):
        assert pecli.figure("heatmap", encoding=silent, length=1).message() == ""
    long = pecli.figure("heatmap", encoding="sinusoidal:d=2", length=10**9, dpi=20)
    assert long.message() == "Every pair finishes a turn in 1,000,000,000 positions"
    several = pecli.figure("heatmap", encoding=[encoding, "learned"]).numbers
    assert several.message().startswith(f"{said} ({picture.job.view.encoding.name}")
    assert "learned" not in several.message()


@pytest.mark.parametrize("length", [11, 25])
def test_every_pixel_has_the_colour_of_its_cell(length: int) -> None:
    picture = pecli.figure("heatmap", d=7, base=10, length=length, dpi=60, no_title=True, no_numbers=True)
    pixels = np.asarray(Image.open(io.BytesIO(picture.render("png")[0])).convert("RGBA"))
    drawing = page_of("heatmap", d=7, base=10, length=length, dpi=60, no_title=True, no_numbers=True)
    place = drawing.axes[0].get_window_extent()
    top, bottom = (len(pixels) - place.y1, len(pixels) - place.y0)
    inside = pixels[round(top) + 3 : round(bottom) - 3, round(place.x0) + 3 : round(place.x1) - 3]
    colours = mpl.colormaps["RdBu_r"](np.arange(256), bytes=True)
    assert inside.size > 10_000
    assert {tuple(one) for one in np.unique(inside.reshape(-1, 4), axis=0)} <= {tuple(one) for one in colours}
    if length == 11:
        table = pecli.encode(d=7, base=10, length=11)
        rows = (top + (np.arange(11) + 0.5) * place.height / 11).astype(int)
        columns = (place.x0 + (np.arange(7) + 0.5) * place.width / 7).astype(int)
        expected = mpl.colormaps["RdBu_r"]((table + 1) / 2, bytes=True)
        assert np.array_equal(pixels[np.ix_(rows, columns)], expected)


# the logarithmic axis


def test_a_logarithmic_axis_begins_at_position_1() -> None:
    found = pecli.figure("heatmap", log=True, d=6, length=3).numbers
    assert found.arrays()["positions"].tolist() == [1, 2]
    assert np.array_equal(found.main, pecli.encode(d=6, start=1, length=2))
    assert pecli.figure("heatmap", log=True, d=6, start=5, length=3).numbers.arrays()["positions"][0] == 5


@pytest.mark.parametrize(("start", "length"), [(0, 2), (0, 1), (-1, 9)])
def test_positions_that_have_no_logarithmic_axis_are_refused(start: int, length: int) -> None:
    with pytest.raises(UsageError, match="a start of 0 or more and 3 positions"):
        pecli.figure("heatmap", log=True, start=start, length=length)


def test_more_positions_than_pixels_are_averaged_but_not_in_the_numbers() -> None:
    options: dict[str, Any] = {"d": 7, "base": 10, "length": 1009, "start": 3, "dpi": 10, "size": "2x2"}
    picture, axes = pecli.figure("heatmap", **options), axes_of("heatmap", **options)
    picture.draw(axes.figure.add_subplot())
    size, table = picture.seen.facts()["block"], pecli.encode(d=7, base=10, length=1009, start=3)
    expected = [table[at : at + size].mean(axis=0) for at in range(0, 1009, size)]
    assert size > 1 and 1009 % size
    assert picture.seen.main == pytest.approx(np.array(expected), abs=1e-14)
    assert picture.seen.caption() == f"each pixel: mean of {size} positions"
    assert axes.get_ylim() == (1011.5, 2.5)  # a short last block does not stretch the axis
    facts, numbers = picture.numbers.facts(), pecli.figure("heatmap", **options).numbers
    assert np.array_equal(numbers.main, table) and numbers.caption() == ""
    assert (facts["smallest"], facts["largest"], facts["limit"]) == (table.min(), table.max(), 1)
    assert len(pecli.figure("heatmap", d=7, length=10**9, dpi=30).seen.main) < 6.75 * 30


@pytest.mark.parametrize(
    ("encoding", "runs"),
    [
        ("sinusoidal:d=128", [(49.5, 127.5)]),  # the 39 last pairs of 64
        ("rope:d=128,pairing=half", [(24.5, 63.5), (88.5, 127.5)]),
        ("sinusoidal:d=2", []),
        ("binary", []),
    ],
)
def test_a_rule_stands_above_the_columns_that_never_finish_a_turn(
    encoding: str, runs: list[tuple[float, float]]
) -> None:
    panel = page_of("heatmap", encoding=encoding, dpi=40).axes[0]
    assert [tuple(line.get_xdata()) for line in panel.lines] == runs


@pytest.mark.parametrize(
    ("options", "title"),
    [({}, "sinusoidal, d 3, base 10,000"), ({"title": "mine"}, "mine"), ({"no_title": True}, ""), ({"title": ""}, "")],
)
def test_title_is_the_encoding_or_the_users_or_none(options: dict[str, Any], title: str) -> None:
    assert page_of("heatmap", length=5, d=3, dpi=30, **options).get_suptitle() == title


def test_a_long_average_without_a_closed_form_shows_a_bar_and_says_why() -> None:
    said: list[str] = []

    def note(items: Any, doing: str) -> Any:
        said.append(doing)
        return items

    before = TRACKER.set(note)
    try:
        assert np.abs(pecli.figure("heatmap", encoding="learned:d=2", length=30_000, dpi=20).seen.main).max() < 0.01
    finally:
        TRACKER.reset(before)
    assert "averaging learned position by position: it has no closed form" in said
