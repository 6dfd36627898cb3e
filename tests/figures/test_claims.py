"""Tests that headlines, notes and labels are true of the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.language import finding, say
from pecli.core.numbers import number_text
from pecli.jobs.picture import alt_text
from pecli.page.labels import BracketLabel, labels_of
from tests.drawing import axes_of, clauses, page_of, texts, told


def said(figure: str, **options: Any) -> str:
    """Return what stands in the picture and in its alt text."""
    picture = pecli.figure(figure, **options)
    return "\n".join([picture.seen.message(), picture.seen.caption(), picture.title(), alt_text(picture.job)])


MROPE = {"encoding": "rope", "sections": [16, 24, 24]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "span", "length"),
    [
        ({"step": 10, "length": 101}, 1010, {"key": "heatmap.steps_of", "count": 101, "step": "10"}),
        ({"step": 0.5, "length": 7, "start": 2}, 3.5, {"key": "heatmap.steps_of", "count": 7, "step": "0.5"}),
        ({"step": 10, "length": 102, "log": True}, 1010, {"key": "heatmap.steps_of", "count": 101, "step": "10"}),
        ({"encoding": "relative", "length": 50}, 99, {"key": "sinusoidal.count_offsets", "count": 99}),
        ({**MROPE, "sequence": "14"}, 14, {"key": "heatmap.positions_of_the_tokens", "count": 14}),
        ({"length": 200}, 200, {"key": "words.count_positions", "count": 200}),
    ],
)
def test_a_span_is_called_what_it_is(options: dict[str, Any], span: float, length: dict[str, Any]) -> None:
    """Steps, offsets and tokens are no positions; how many wavelengths are longer is counted in positions."""
    numbers = pecli.figure("heatmap", **options).numbers
    brackets = labels_of(axes_of("heatmap", **options), BracketLabel)
    said = finding(brackets[-1].texts[0] if len(brackets) == 2 else numbers.message())
    assert finding(said["length"]) == length
    assert (said["count"], said["all"]) == ((numbers.view.encoding.wavelengths() > span).sum(), 64)


def test_encodings_of_other_steps_are_not_counted_over_one_span() -> None:
    options: dict[str, Any] = {"encoding": ["sinusoidal:step=10", "sinusoidal:base=10"], "length": 50}
    text = pecli.figure("compare", **options).numbers.message()
    waves = 2 * np.pi * np.array([10000, 10]) ** (np.arange(64)[:, None] / 64)
    firsts = 2 * (waves > [500, 50]).argmax(axis=0)
    dimension = say("encoding.dimension")
    for first in firsts:  # each says its own
        assert say("heatmap.from_dimension_on", dimension=dimension, first=first) in text


@pytest.mark.parametrize("figure", ["offsets", "curves"])
def test_an_axis_that_counts_steps_says_so(figure: str) -> None:
    more: dict[str, Any] = {"against": "offset"} if figure == "curves" else {}
    labels = [axes_of(figure, step=step, d=8, length=9, **more).get_xlabel() for step in (1, 10)]
    assert [say("page.in_steps_of", step=10) in label for label in labels] == [False, True]


def test_wavelengths_of_a_table_in_steps_are_counted_in_positions() -> None:
    plain, far = (pecli.figure("fourier", d=8, length=64, step=step).numbers for step in (1, 10))
    assert far.wavelengths == pytest.approx(10 * plain.wavelengths)


NEAREST: list[tuple[dict[str, Any], list[int]]] = [
    ({"encoding": "clock", "at": 10800, "length": 86400}, [54000]),
    ({"encoding": "clock", "at": 43200, "length": 86401}, [0, 86400]),  # as far before as after
    ({"base": 10, "d": 2, "at": 100, "length": 201}, [56, 144]),
    ({"encoding": "binary", "at": 5, "length": 8}, [1, 4, 7]),  # and not 6, which differs in two bits
    ({"encoding": "binary", "at": 5, "length": 64}, [1, 4, 7, 13, 21, 37]),
    ({"at": 100}, []),
]


@pytest.mark.long
@pytest.mark.parametrize(("options", "places"), NEAREST)
def test_the_nearest_position_is_marked_at_its_distance_and_the_line_goes_through_it(
    options: dict[str, Any], places: list[int]
) -> None:
    picture: Any = pecli.figure("curves", dpi=40, **options)
    start, length = options["at"], options.get("length", 200)
    rows = pecli.encode(picture.numbers.view.encoding, length=length)
    distances = np.linalg.norm(rows - rows[start], axis=1)
    others = np.delete(distances, start)
    assert picture.seen.nearest_distance == pytest.approx(others.min(), abs=1e-9)
    line, own, *marks = axes_of("curves", dpi=40, **options).lines
    assert [*own.get_xdata()] == [start] and [mark.get_xdata()[0] for mark in marks] == places
    for mark in marks:
        (x,), (y,) = mark.get_data()
        assert y == pytest.approx(distances[int(x)], abs=1e-9)
        assert y in np.asarray(line.get_ydata())[np.asarray(line.get_xdata()) == x]
    assert (picture.seen.message().key == "curves.nothing_is_nearer") == (not places)
    assert places or max(distances[start - 1], distances[start + 1]) <= np.delete(others, [start - 1, start]).min()


SCALINGS = [
    ("rope:scaling=linear,factor=8", True),
    ("rope:scaling=yarn,factor=8,original=4096", True),
    ("rope:scaling=yarn,factor=1,original=4096", False),  # changes nothing
    ("rope:scaling=yarn,factor=8,original=40000000", False),  # whose ramp lies beyond the pairs
    ("rope:scaling=dynamic,factor=2,max_position=4096,seq_len=4097", False),  # less than a line is wide
    ("rope:d=2,scaling=linear,factor=8", False),  # one pair is a dot
    ("rope", False),
]


@pytest.mark.long
@pytest.mark.parametrize(("spec", "dashed"), SCALINGS)
def test_the_spectrum_names_its_dashes_where_it_has_them(spec: str, dashed: bool) -> None:
    axes = axes_of("spectrum", encoding=spec)
    lines = [line.get_ydata() for line in axes.lines if line.get_linestyle() == "--"]
    assert [bool(len(lines)), say("spectrum.unscaled") in texts(axes.texts)] == [dashed, dashed]


@pytest.mark.long
@pytest.mark.parametrize("length", [40, 2000])  # of the second pixels are means
def test_two_tables_say_where_they_differ_most_and_where_alone(length: int) -> None:
    rng = np.random.default_rng(3)
    one = rng.normal(size=(length, 32))
    other = one.copy()
    other[length // 4 :, 5] *= -1
    picture = pecli.compare([one, other], label=["one", "other"], figure="heatmap", difference=True, size="column")
    at = int(np.abs(one - other)[:, 5].argmax())
    facts = picture.seen.facts()["difference"]
    ends = [length // 4, length - 1]
    most = (one - other)[at, 5]
    assert facts["where"] == {"position": at, "dimension": 5, "difference": most, "dimensions": [5], "positions": ends}
    assert facts["largest"] == (one - other).max() and facts["smallest"] == (one - other).min()
    where = {"key": "compare.most_in_dimension_at", "number": 5, "position": f"{at:,}"}
    alone = {"key": "compare.in_of_dimensions_positions", "count": 1, "all": 32, "first": f"{ends[0]:,}"}
    assert [told(picture.seen.message(), said) for said in (where, alone)] == [where, alone]


@pytest.mark.long
@pytest.mark.parametrize("other", ["sinusoidal", "learned"])  # one is of the offset alone
def test_two_measures_say_where_they_differ_most_and_equal_ones_do_not(other: str) -> None:
    specs = ["sinusoidal:base=10", other]
    picture = pecli.compare(specs, figure="distance", difference=True, length=40)
    first, second = (pecli.distance(spec, length=40).numbers.matrix for spec in specs)
    place = picture.seen.facts()["difference"]["where"]
    assert abs((first - second)[place["p"], place["q"]]) == pytest.approx(np.abs(first - second).max())
    axes = page_of("compare", encoding=specs, figure="distance", difference=True, length=40).axes[2]
    text = number_text(place["difference"], 3)
    (mark,) = [label for label in axes.texts if label.get_text() in (text, f"+{text}")]
    assert mark.xy == (place["q"], place["p"]) and axes.named
    if other == "sinusoidal":
        assert place["q"] - place["p"] == place["offset"] and 10 < place["p"] < 30  # in the middle of its diagonal
        offset = {"key": "compare.most_at_offset", "offset": place["offset"]}
        assert told(picture.seen.message(), offset) == offset
    same = pecli.compare(specs[:1] * 2, figure="heatmap", difference=True, length=9)
    assert "where" not in same.seen.facts()["difference"]
    assert finding(same.seen.message()) == {"key": "compare.no_difference"}


def test_of_too_many_means_nothing_is_said_of_the_largest_difference() -> None:
    """It was "no difference"."""
    specs = ["sinusoidal:base=10,d=64", "sinusoidal:d=64"]
    picture = pecli.compare(specs, figure="heatmap", difference=True, length=100_000, dpi=40)
    assert (
        picture.seen.message() == ""
        and not {"smallest", "largest", "where"} & picture.seen.facts()["difference"].keys()
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("encodings", "figure", "shared", "names_width"),
    [
        (["sinusoidal", "rope", "clock", "binary"], "distance", False, True),
        (["sinusoidal", "rope"], "distance", True, False),
        (["sinusoidal:d=8", "rope:d=16"], "curves", False, True),
        (["alibi:heads=1", "t5"], "curves", False, False),  # a bias and a bucket
        (["clock", "rope"], "spectrum", False, False),  # seconds and positions
        (["sinusoidal:d=8", "rope:d=8"], "path", False, False),
        (["sinusoidal", "binary"], "heatmap", False, False),
        (["sinusoidal", "clock"], "heatmap", True, False),
        (["sinusoidal:d=8", "rope:d=16"], "distance", False, True),
    ],
)
def test_compare_says_where_limits_are_not_shared(
    encodings: list[str], figure: str, shared: bool, names_width: bool
) -> None:
    options: dict[str, Any] = {"encoding": encodings, "figure": figure, "length": 24, "dpi": 40}
    axes = axes_of("compare", **options)
    panels = [ax for ax in axes.child_axes if ax.get_title()]
    assert len(panels) == len(encodings)
    ends = {ax.images[0].get_clim() if ax.images else ax.get_ylim() for ax in panels}
    assert (len(ends) == 1) == shared
    keys = {finding(note)["key"] for note in clauses(pecli.figure("compare", **options).seen.caption())}
    limits = {"compare.limits_are_shared_by" if names_width else "compare.not_all_panels_have"} if not shared else set()
    assert keys & {"compare.limits_are_shared_by", "compare.not_all_panels_have"} == limits


@pytest.mark.long
def test_rows_of_offsets_are_called_offsets() -> None:
    averaged: Any = pecli.figure("heatmap", encoding="relative", length=1000, size="column", dpi=40).seen
    cells = say("sinusoidal.count_offsets", count=averaged.block)
    assert say("figures.each_pixel_is_the_mean", cells=cells) in averaged.caption()
    offsets = say("figures.offsets_to", first="−9", last="9")
    assert offsets in pecli.figure("scatter", encoding="relative", length=10).seen.caption()
