"""Tests of a sweep in one file: one picture with one panel per value."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import capitalised, finding, join_clauses, join_title, say
from pecli.figures.composite import message_of_each
from pecli.jobs.job import Job
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import job_of, jobs_of
from pecli.measures.pairwise import MEASURES
from tests.drawing import page_of

SMALL = {"d": 4, "length": 5, "dpi": 40}


def drawn(name: str, **options: Any) -> tuple[Job, list[Any]]:
    """Return the job, and the panels and bars of its picture."""
    return job_of(name, {**SMALL, **options}), page_of(name, **{**SMALL, **options}).axes


def bars(axes: list[Any]) -> list[Any]:
    return [ax for ax in axes if ax.get_label() == "<colorbar>"]


@pytest.mark.long
def test_two_options_are_rows_and_columns_told_once() -> None:
    job, axes = drawn("heatmap", d=[4, 6], base=[10, 100, 1000])
    panels = [ax for ax in axes if ax not in bars(axes)]
    assert [panel.get_title() for panel in panels] == ["base = 10", "base = 100", "base = 1,000", "", "", ""]
    rows = [panel.get_ylabel().partition("\n")[0] for panel in panels[::3]]
    assert rows == ["d = 4", "d = 6"] and Picture(job).title() == "sinusoidal"
    assert [panel.yaxis.label.get_visible() for panel in panels] == [True, False, False] * 2
    assert len(bars(axes)) == 1
    tops = sorted({round(panel.get_position().y1, 6) for panel in panels})
    assert len(tops) == 2 and len({round(panel.get_position().x0, 6) for panel in panels}) == 3


def test_what_all_cells_of_a_table_say_is_said_and_nothing_of_cells_that_differ() -> None:
    rising = Picture(job_of("heatmap", {"base": [10, 100, 1000], "d": 32, "length": 200})).seen.message()
    assert finding(rising) == {"key": "figures.larger_bases", "few": say("figures.none"), "count": 7, "all": 16}
    widths = Picture(job_of("heatmap", {"base": [10, 100, 1000], "d": [32, 64], "length": 200})).seen.message()
    assert finding(widths)["key"] == "figures.turn_of_different"
    same = Picture(job_of("heatmap", {"base": [2, 3], "d": [4, 6], "length": 200})).seen.message()
    assert finding(same)["key"] == "heatmap.no_sine_cosine_pair"
    yarn = ["rope", "rope:scaling=yarn,factor=4,original=4096"]  # YaRN is not defined for base 1
    assert finding(Picture(job_of("compare", {"encoding": yarn})).seen.message())["key"] == "figures.turn_of_two"


@pytest.mark.parametrize(
    ("texts", "names"),
    [("AAAAB", [say("join.all_others"), "the encoding 5"]), ("ABC", [])],  # the names of four others would be too many
)
def test_a_headline_too_long_for_all_cells_names_the_one_that_differs_or_none(texts: str, names: list[str]) -> None:
    messages = [letter * 50 for letter in texts]
    found = message_of_each([f"the encoding {at}" for at in range(1, 1 + len(texts))], messages)
    pairs = zip(dict.fromkeys(messages), names, strict=False)
    assert found == join_clauses(say("join.with_names", text=text, names=name) for text, name in pairs)


@pytest.mark.long
def test_what_all_in_a_column_say_stands_once_and_is_told_by_its_column_alone() -> None:
    _, axes = drawn("distance", encoding=["sinusoidal", "rope"], measure=["dot", "cos"])
    above = [" ".join(text.get_text().split()) for text in axes[0].figure.texts]
    each = [
        say("words.the_depends_only_on", measure=say(key)) for key in ("words.dot_product", "measure.cosine_similarity")
    ]
    names = [f"{say('page.measure')} = {name}" for name in ("dot", "cos")]
    said = [say("join.with_names", text=text, names=name) for text, name in zip(each, names, strict=True)]
    assert capitalised(join_clauses(said)) in above


@pytest.mark.long
def test_every_cell_is_its_own_picture_under_the_limits_of_all() -> None:
    _, axes = drawn("distance", base=[2, 10000])
    images = [ax.images[0] for ax in axes if ax.images and ax not in bars(axes)]
    assert len({image.get_clim() for image in images}) == 1
    for base, image in zip((2, 10000), images, strict=True):
        own = pecli.figure("distance", **SMALL, base=base).numbers
        np.testing.assert_array_equal(np.asarray(image.get_array()), own.main)
        assert own.main.max() <= image.get_clim()[1]
    assert max(np.asarray(image.get_array()).max() for image in images) == images[0].get_clim()[1]


@pytest.mark.long
def test_measures_of_their_own_kind_keep_their_own_limits_and_bars() -> None:
    _, axes = drawn("distance", measure=["euclidean", "cos"])
    assert [bar.get_ylabel() for bar in bars(axes)] == [say(MEASURES[name].text) for name in ("euclidean", "cos")]
    images = [ax.images[0] for ax in axes if ax.images and ax not in bars(axes)]
    assert images[0].get_clim() != images[1].get_clim()


@pytest.mark.long
def test_lines_are_compared_in_one_window_with_one_legend() -> None:
    _, axes = drawn("curves", base=[2, 10000], against="offset", measure="corr")
    assert len({ax.get_ylim() for ax in axes}) == 1
    assert all(ax.get_legend() is None for ax in axes)
    (legend,) = axes[0].figure.legends
    assert legend.get_texts()[0].get_text() == say("curves.from_position_2", position=0)
    below = legend.get_window_extent().y1
    assert all(ax.get_tightbbox().y0 > below for ax in axes)
    _, alike = drawn("curves", base=[2, 10000], against="offset")  # one line lies on the other
    assert all(ax.get_legend() is None for ax in alike) and not alike[0].figure.legends


@pytest.mark.long
def test_a_figure_of_several_panels_is_a_row_a_value(folder: Path) -> None:
    _, axes = drawn("scatter", base=[10, 100], triangle="both")
    assert [ax.get_title().split(" · ")[0] for ax in axes[:4:2]] == ["base = 10", "base = 100"]
    _, axes = drawn("attention", base=[10, 100], d=[4, 6], tokens="a b", length=2)
    assert [ax.get_ylabel().count("base") for ax in axes[:10:5]] == [0, 0]
    assert join_title(["d = 4", "base = 10"]) in axes[0].get_title()


def test_numbers_have_an_axis_an_option(folder: Path) -> None:
    picture = pecli.figure("heatmap", length=5, d=4, base=[10, 100], start=[0, 7, 9])
    picture.save("a.npz", "a.json")
    found, job = np.load("a.npz"), json.loads(Path("a.json").read_text(encoding="utf-8"))
    assert found["table"].shape == (2, 3, 5, 4)  # in the order of the help
    assert found["base"].tolist() == [10, 100] and found["start"].tolist() == [0, 7, 9]
    item = pecli.encode("sinusoidal", d=4, base=100, start=9, length=5)
    np.testing.assert_array_equal(found["table"][1, 2], item)
    assert job["arrays"]["table"][1][2] == item.tolist() and job["job"]["base"] == [10, 100]
    with pytest.raises(UsageError, match=r"write \.npz or \.json"):
        picture.save("a.csv")
    lists = ("sweep_dims", [[1], [3]]), ("dims", [[1, 2], [3]])  # numbers where each has one, else texts
    made = [pecli.figure("waves", length=5, d=4, dims=dims).numbers.arrays()[name].tolist() for name, dims in lists]
    assert made == [[1, 3], ["1,2", "3"]]
    ragged = pecli.figure("heatmap", length=5, d=[2, 4]).numbers.arrays()
    assert ragged["1.table"].shape == (5, 4) and ragged["d"].tolist() == [2, 4]


@pytest.mark.long
@pytest.mark.parametrize("given", [
    {"base": [10, 100], "d": [4, 6], "length": 5},
    {"encoding": ["sinusoidal", "rope:pairing=half"], "base": [10, 100], "d": 4},
], ids=str)  # fmt: skip
def test_the_file_makes_itself_again(given: dict[str, Any], ask: Any, folder: Path) -> None:
    (job,) = jobs_of("heatmap", {**given, "output": "a.svg", "dpi": 40})
    Picture(job).save()
    line = ask("recipe", "a.svg").out.strip()
    first = Path("a.svg").read_bytes()
    listed = tomllib.loads(ask("recipe", "a.svg", "--form", "toml").out)["figure"][0]
    assert jobs_of(listed.pop("command"), listed)[0].metadata == job.metadata
    Path("a.svg").unlink()
    assert ask(*line.split(" ")[1:]).code == 0
    assert Path("a.svg").read_bytes() == first
    again = ask("redraw", "a.svg", "--dpi", "20", "-o", "b.png")
    assert again.code == 0 and again.out == "b.png\n"
    assert json.loads(job.metadata)["job"].items() >= {"dpi": 40}.items()


def test_blanks_for_some_of_the_options_make_a_grid_of_the_others() -> None:
    jobs = jobs_of("heatmap", {"base": [10, 100], "d": [4, 6], "output": ["x-{base}.png", "all.png"]})
    assert [(job.paths, job.axes) for job in jobs] == [
        (("x-10.png",), ("d",)),
        (("x-100.png",), ("d",)),
        (("all.png",), ("d", "base")),
    ]


@pytest.mark.long
def test_what_turns_stays_round_and_tables_of_other_widths_fill_their_panels() -> None:
    _, axes = drawn("rotation", d=[8, 128])
    shown = [ax for ax in axes if ax not in bars(axes)]
    for circles, table, width in ((shown[2], shown[0], 8), (shown[5], shown[3], 128)):
        across, up = circles.transData.transform((1, 1)) - circles.transData.transform((0, 0))
        assert across == pytest.approx(up, rel=0.02) and circles.yaxis.label.get_visible()
        assert table.get_xlim() == (-0.5, width - 0.5)


@pytest.mark.long
@pytest.mark.parametrize(("figure", "count"), [("overview", 2), ("attention", 6)])
def test_panels_of_cells_share_the_limits_of_their_own_kind(figure: str, count: int) -> None:
    """Also under ends that the user gives, and what one cell has more of is not lost."""
    for options in ({"vmax": 0.5},) if figure == "overview" else ({"tokens": "a b c d e"},):
        _, axes = drawn(figure, base=[2, 1000], d=16, size="12x8", text_size=6, **options)
        limits = [ax.images[0].get_clim() for ax in axes if ax not in bars(axes)]
        assert limits[:count] == limits[count:] and len({*limits}) > 1


def test_what_one_figure_says_in_all_cells_is_said_once() -> None:
    given = {"base": [10, 10000], "length": 40, "panels": "distance,distance"}
    assert finding(Picture(job_of("overview", given)).seen.message())["key"] == "words.the_depends_only_on"


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "panels", "lines"),
    [
        ({"base": [10, 100, 1000]}, 1, 3),
        ({"base": [10, 100], "d": [4, 6]}, 1, 4),
        ({"base": [10, 100], "encoding": [["rope", "binary"]]}, 2, 2),  # a panel each
        ({"base": list(range(2, 12))}, 10, 1),  # more lines than can be told apart
        ({"base": [10, 100], "format": "gif"}, 2, 1),  # a picture each
    ],
)
def test_a_figure_of_several_encodings_shows_a_few_bases_in_one_panel(
    options: dict[str, Any], panels: int, lines: int
) -> None:
    axes = page_of("spectrum", **{**SMALL, **options}).axes
    assert [sum(line.get_marker() != "None" for line in ax.lines) for ax in axes] == [lines] * panels
