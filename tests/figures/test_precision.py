"""Tests of the figure precision: errors of tables in smaller number types, and texts that name these types."""

from __future__ import annotations

import json
from typing import Any, cast

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, say
from pecli.core.positions import Blocks
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.comparison import VectorComparison
from pecli.page.cell_image import CellImage
from pecli.page.colors import HEADLINE_INK, RULE
from pecli.page.labels import BracketLabel, labels_of
from tests.conftest import Ask
from tests.drawing import axes_of, clauses, line_labels, numbers_of, page_of, texts, told


def numbers(**options: Any) -> Any:
    return numbers_of("precision", **options)


def test_the_published_case_of_float16() -> None:
    """EleutherAI/gpt-neox, issue 1003: the angle 1044.27 becomes 1045, the largest error of a cosine is 0.7819."""
    found = numbers(encoding="rope:d=32", length=2048)
    assert found.largest == pytest.approx(0.7819, abs=5e-5)
    assert (found.position, found.pair) == (2008, 1)
    half = Rope(d=32, dtype="float16")
    assert half.made_angles(np.array([1857.0]))[0, 1] == 1045
    cosines = half.table(np.arange(2048.0)) - Rope(d=32).table(np.arange(2048.0))
    assert np.abs(cosines[:, ::2]).max() == pytest.approx(0.7819, abs=5e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_a_table_is_what_numpy_makes_in_that_type(dtype: str, layout: str) -> None:
    encoding = Sinusoidal(d=14, base=100, dtype=dtype, layout=layout)
    kind = np.dtype(dtype)
    rates = (100.0 ** (-np.arange(0, 14, 2) / 14)).astype(kind)
    angles = np.arange(500).astype(kind)[:, None] * rates
    found = encoding.table(np.arange(500.0))
    sines, cosines = found[:, [encoding.waves().index((wave, 3)) for wave in ("sin", "cos")]].T
    assert np.array_equal(found, found.astype(kind))
    assert sines == pytest.approx(np.sin(angles[:, 3].astype(float)).astype(kind).astype(float), abs=0)
    assert cosines == pytest.approx(np.cos(angles[:, 3].astype(float)).astype(kind).astype(float), abs=0)


def test_every_operation_of_a_turned_query_is_rounded() -> None:
    encoding = Rope(d=4, base=100, query="random:0", dtype="bfloat16")
    r, positions = encoding.rounded, np.arange(300.0)
    angles = r(r(r(positions)[:, None] * r(encoding.frequencies())) + r(encoding.phases))
    first = r(r(encoding.amplitudes) * r(np.cos(angles)))
    assert np.array_equal(encoding.split(encoding.table(positions))[0], first)


def test_closed_forms_do_not_stand_for_a_rounded_table() -> None:
    encoding, blocks = Sinusoidal(d=6, dtype="float16"), Blocks(0, 600, 100)
    assert not encoding.invariant
    compared = VectorComparison(encoding, "euclidean")
    assert not compared.is_of_offset
    table = encoding.table(np.arange(600.0))
    assert encoding.mean_table(blocks) == pytest.approx(table.reshape(6, 100, 6).mean(axis=1), abs=1e-12)
    distances = np.linalg.norm(table[:, None] - table, axis=2)[::37, ::37]
    assert compared.block_means(Blocks(0, 600, 1))[0][::37, ::37] == pytest.approx(distances, abs=1e-9)
    with pytest.raises(UsageError, match="float16: show fewer positions"):
        encoding.mean_offsets(blocks, 0)


@pytest.mark.parametrize(
    ("encoding", "columns"),
    [
        ("sinusoidal:d=5,base=10", [[0, 1], [2, 3], [4]]),  # an odd d: a sine without a cosine
        ("rope:d=6,pairing=half", [[0, 3], [1, 4], [2, 5]]),
    ],
)
def test_an_error_is_the_larger_of_a_pairs_two_columns(encoding: str, columns: list[list[int]]) -> None:
    rounded, exact = (pecli.encode(f"{encoding},dtype={dtype}", length=40) for dtype in ("float16", "float64"))
    errors = [np.abs(rounded - exact)[:, pair].max(axis=1) for pair in columns]
    assert np.array_equal(numbers(encoding=f"{encoding},dtype=float16", length=40).error.T, errors)


def test_a_pixel_is_the_largest_error_of_its_positions() -> None:
    whole, seen = (numbers_of("precision", panels, encoding="rope:d=8", length=99) for panels in (None, ((20, 9),)))
    assert np.array_equal(seen.error, [whole.error[first : first + 5].max(axis=0) for first in range(0, 99, 5)])
    assert (seen.largest, seen.position, seen.pair) == (whole.largest, whole.position, whole.pair)
    assert finding(clauses(seen.caption())[-1]) == {"key": "precision.each_pixel_shows_the", "positions": "5 positions"}
    assert seen.sheet()[0][2] == "pair 1"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dtype": "float64"}, "has no rounding to show: try float16, bfloat16 or float32"),
        ({"length": 70_000}, "float16 cannot represent the angles at position 69,999"),
        ({"encoding": "geometric:d=64", "start": -(10**9), "length": 3}, "at position −1,000,000,000: try bfloat16"),
        ({"encoding": "binary"}, "precision cannot show binary, which has no frequencies"),
    ],
)
def test_what_cannot_be_shown_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        numbers(**options)


@pytest.mark.long
@pytest.mark.parametrize(
    ("encoding", "said", "notes"),
    [
        (
            "rope:d=8,base=10",
            {"key": "precision.in_errors_exceed_in", "count": 3, "all": 4, "position": "243"},
            ["precision.rounded", "precision.line_first_error_above", "precision.pair_0_angles_are"],
        ),
        (
            "rope:d=8,base=10,dtype=float32",
            {"key": "precision.in_errors_exceed_in_no", "dtype": "float32"},
            ["precision.rounded"],
        ),
    ],
)
def test_an_error_that_matters_is_said_and_marked_where_there_is_one(
    encoding: str, said: dict[str, Any], notes: list[str]
) -> None:
    options: Any = {"encoding": encoding, "length": 2048, "size": "3x3", "dpi": 40}
    found: Any = pecli.figure("precision", **options).seen
    axes, bar = page_of("precision", **options).axes
    image = axes.get_images()[0]
    assert type(image.norm).__name__ == "LogNorm" and isinstance(image, CellImage)  # whose cells are equally wide
    assert told(found.message(), said) == said
    *others, last = map(finding, clauses(found.caption()))
    assert [note["key"] for note in others] == notes
    assert last == {"key": "precision.each_pixel_shows_the", "positions": f"{found.block:,} positions"}
    assert not [item for item in axes.lines if item.get_marker() == "o"]  # no ring
    assert [item.get_xdata()[0] for item in bar.lines if item.get_linewidth() > 1] == [0.1, 0.1] * (len(notes) > 1)
    bar.set_xlim(0.05, 0.35)  # fewer powers of ten than ticks
    assert {"0.2", "0.5"} <= {*texts(bar.get_xticklabels(minor=True))}


@pytest.mark.parametrize(("start", "length"), [(0, 997), (-600, 997), (40, 700)])
def test_the_message_is_how_many_pairs_are_off_and_from_which_position_on(start: int, length: int) -> None:
    options: Any = {"encoding": "rope:d=8,base=10", "start": start, "length": length}
    whole, seen = (numbers_of("precision", panels, **options) for panels in (None, ((30, 9),)))
    wrong = whole.error.T > 0.1
    first = np.where(wrong.any(axis=1), start + wrong.argmax(axis=1), np.nan)
    assert wrong.any() and seen.first_wrong == pytest.approx(first, nan_ok=True)
    said = {"count": int(wrong.any(axis=1).sum()), "all": 4, "position": f"{np.nanmin(first):g}".replace("-", "−")}
    text = say("precision.in_errors_exceed_in", dtype="float16", error=0.1, **said)
    assert whole.message() == seen.message() == text


@pytest.mark.long
def test_a_line_of_steps_stands_where_each_pair_is_first_off_by_much() -> None:
    """In two strokes, at the position that the error says, not at a pixel's first."""
    options: Any = {"encoding": "rope:d=8,base=10", "length": 2000, "size": "3x3", "dpi": 40}
    wrong = numbers(**options).error.T > 0.1
    first = np.where(wrong.any(axis=1), wrong.argmax(axis=1) - 0.5, np.nan)
    (panel, _), seen = page_of("precision", **options).axes, cast(Any, pecli.figure("precision", **options).seen)
    steps = [line for line in panel.lines if line.get_drawstyle() != "default"]
    assert seen.block > 1 and len(steps) == 2 and wrong.any()
    for line in steps:
        assert line.get_drawstyle() == "steps-post"  # of a pair from its left side to its right one
        assert line.get_xdata().tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5]
        assert line.get_ydata() == pytest.approx([*first, np.nan], nan_ok=True)


@pytest.mark.parametrize(("d", "named"), [(32, 3), (128, 1)])
def test_brackets_stand_over_the_pairs_that_are_off_and_numbers_where_each_first_is(d: int, named: int) -> None:
    options: Any = {"encoding": f"rope:d={d}", "length": 2048, "size": "page"}
    panel, bar = page_of("precision", **options).axes
    first = numbers(**options).first_wrong
    wrong = np.flatnonzero(np.isfinite(first))
    assert (np.diff(wrong) == 1).all()  # one run
    brackets = [line for line in panel.lines if line.get_drawstyle() == "default"]
    ends = sorted((*np.asarray(line.get_xdata()).tolist(), line.get_color()) for line in brackets)
    assert ends[0][:2] == pytest.approx((wrong[0] - 0.46, wrong[-1] + 0.46))
    assert ends[1][:2] == pytest.approx((wrong[-1] + 0.54, d / 2 - 0.54))
    assert [ink for *_, ink in ends] == [HEADLINE_INK, RULE]
    assert texts(labels_of(panel, BracketLabel)) == [
        say(f"precision.{key}", error=0.1) for key in ("error_above", "below_throughout")
    ]
    marks = [text for text in panel.texts if not isinstance(text, BracketLabel)]
    assert len(marks) == named and all(text.xy[1] == first[int(text.xy[0])] for text in marks)
    assert min(text.xy[1] for text in marks) == np.nanmin(first)
    powers = {f"{10.0**power:.{max(0, -power)}f}" for power in range(-5, 1)}  # in decimals, all of them
    ticks = zip(bar.get_xticks(), texts(bar.get_xticklabels()), strict=True)
    assert {text for at, text in ticks if 1e-5 < at < 2} <= powers


@pytest.mark.long
def test_what_is_exact_is_blank_and_the_headline_says_what_is_rounded() -> None:
    panel = axes_of("precision", encoding="rope:d=8,dtype=bfloat16", length=50)
    assert np.ma.getmaskarray(panel.get_images()[0].get_array())[0].all()  # position 0
    found = numbers(encoding="rope:d=8,dtype=bfloat16", length=50)
    assert found.coloured()[0].min() > 0  # percentiles are of what has a colour
    assert found.message() == say("precision.in_errors_exceed_in_no", dtype="bfloat16", error=0.1)
    assert found.caption() == say("precision.rounded", dtype="bfloat16", letter="p")
    assert f"{found.largest:.4g}" == "0.01874"


@pytest.mark.long
def test_one_stage_alone_says_which_loses_what(ask: Ask) -> None:
    words = ["precision", "--by", "stage", "rope:dtype=bfloat16", "-n", "4096", "-o", "a.svg", "--json"]
    (result,) = json.loads(ask(*words).out)["results"]
    assert result["facts"]["wrong"] == {"rates": 28, "positions": 31, "angles": 34, "table": 0}
    said = {"key": "precision.spoilt_by", "count": 34, "all": 64, "worst": say("precision.stage_angles")}
    assert {name: result["finding"][name] for name in said} == said


def test_phase_errors_are_those_of_rounded_numbers() -> None:
    encoding = Rope(d=6, base=50.0, dtype="bfloat16")
    found, r, w = numbers(encoding=encoding, length=700, by="stage"), encoding.rounded, encoding.frequencies()
    p = np.arange(700.0)[:, None]
    made = [p * (r(w) - w), (r(p) - p) * w, r(p * w) - p * w]
    made.append(np.arctan2(r(np.sin(p * w)), r(np.cos(p * w))) - p * w)
    expected = [np.abs(np.angle(np.exp(1j * error))).max(axis=0) for error in made]
    assert np.allclose(found.error.T, expected, rtol=0, atol=1e-9)
    assert found.sheet()[0] == ["pair", "rates", "positions", "angles", "table"]


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide"])
def test_stages_are_lines_with_a_bracket_over_the_pairs_that_the_worst_spoils(size: str) -> None:
    panel = page_of("precision", encoding="rope:dtype=bfloat16", length=4096, by="stage", size=size).axes[0]
    (bracket,) = labels_of(panel, BracketLabel)
    assert [bracket.xy[0], bracket.last] == pytest.approx([-0.46, 33.46])
    assert line_labels(panel) == [say(f"precision.stage_{name}") for name in ("rates", "positions", "angles", "table")]
    assert "0.1" in texts(panel.get_yticklabels())
    none = numbers(encoding="rope:dtype=float32", by="stage", length=99).message()
    assert told(none, {"key": "precision.no_stage"}) == {"key": "precision.no_stage"}
    with pytest.raises(UsageError, match="trained"):
        numbers(encoding="rope:dtype=float16", by="stage", trained=50)
