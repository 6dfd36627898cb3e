"""Tests of texts, labels, letters and columns that the user sets or leaves out in a picture."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, join_title, say
from pecli.figures import FIGURES
from pecli.figures.page import draw_page
from pecli.page.style import style_context
from tests.drawing import clauses, fitting

Ask = Callable[..., Any]
SMALL: dict[str, Any] = {"d": 8, "size": "column", "dpi": 40}


def drawn(figure: str, **options: Any) -> Any:
    picture = pecli.figure(figure, **SMALL, **options)
    with style_context(picture.canvas, ""):
        title = picture.figure.title(picture.job.view)
        drawing, _ = draw_page(picture.figure, picture.job.view, picture.canvas, title, 0)
    return drawing


def above(drawing: Drawing) -> list[str]:
    return [text.get_text().replace("\n", " ") for text in drawing.texts if text.get_text()]


def panels(drawing: Drawing) -> list[Any]:
    return [axes for axes in drawing.axes if axes.get_label() != "<colorbar>"]


@cache
def own_texts() -> tuple[str, str, str]:
    """Return headline, title and footnote of a picture whose author writes none."""
    own = pecli.heatmap("rope", **SMALL, length=900)
    return own.message(), own.title(), own.caption()


@pytest.mark.some(9)
@pytest.mark.parametrize(("options", "texts"), [
    ({"headline": "{title}", "title": "{base} {{nothing}} $x_{i}$", "no_footnote": True},
     ["{1}", "10000 {{nothing}} $x_{{i}}$"]),
    ({}, ["{0}", "{1}", "{2}"]),
    ({"plain": True}, []),
    ({"plain": True, "title": "Mine"}, ["Mine"]),
    ({"no_headline": True}, ["{1}", "{2}"]),
    ({"no_title": True, "no_footnote": True}, ["{0}"]),
    ({"headline": "Mine: {headline}", "title": "{title}, $d$", "footnote": "see text"},
     ["Mine: {0}", "{1}, $d$", "see text"]),
])  # fmt: skip
def test_texts_are_the_authors(options: dict[str, Any], texts: list[str]) -> None:
    parts = own_texts()
    assert all(parts)
    assert above(drawn("heatmap", encoding="rope", length=900, **options)) == [text.format(*parts) for text in texts]


@pytest.mark.parametrize(("flag", "text"), [("--title", "base {bsae}"), ("--xlabel", "{title}")])
def test_a_blank_that_there_is_not_is_refused(flag: str, text: str, ask: Ask) -> None:
    ended = ask("heatmap", "-d", "4", "-n", "5", flag, text, "-o", "a.png")
    assert ended.code == 2 and f"{text[-5:-1]}'; did you mean" in ended.err and "braces" in ended.err


@pytest.mark.long
@pytest.mark.parametrize("figure", ["heatmap", "curves", "attention", "compare"])  # a panel, lines, a row, a composite
def test_plain_leaves_the_panels_and_nothing_around_them(figure: str) -> None:
    pictures = [pecli.figure(figure, **SMALL, plain=plain) for plain in (False, True)]
    assert pictures[0].message() or pictures[0].title()
    assert not any((pictures[1].message(), pictures[1].title(), pictures[1].caption()))
    assert pictures[1].alt == pictures[0].alt != ""


@pytest.mark.long
def test_what_is_left_out_stands_in_json(ask: Ask, folder: Path) -> None:
    words = ("heatmap", "-d", "8", "-n", "3000", "--size", "column", "-o", "a.png", "--json")
    told, plain = (json.loads(ask(*words, *more).out)["results"][0] for more in ((), ("--plain",)))
    for result in (told, plain):
        assert result["headline"] and result["footnotes"]
        assert result["headline"] in result["alt"] and result["footnotes"][0][1:] in result["alt"]
    Path("f.toml").write_text(
        '[[figure]]\ncommand = "heatmap"\nd = 8\nlength = 3000\nplain = true\noutput = "b.png"\n', encoding="utf-8"
    )
    (again,) = json.loads(ask("batch", "f.toml", "--json").out)["results"]
    assert again["headline"] == told["headline"] and len(again["footnotes"]) == len(plain["footnotes"])


@pytest.mark.long
def test_a_redrawn_label_takes_the_place_of_the_one_there_was(ask: Ask, folder: Path) -> None:
    words = (
        "offsets",
        "rope:base=500,label=A",
        "clock:periods=60,70,label=B\\,C",
        "-n",
        "9",
        "--title",
        "{base}, {periods}",
    )
    assert ask(*words, "-o", "a.png").code == 0
    assert ask("redraw", "a.png", "--label", "X", "--label", "Y, Z", "-o", "b.png").code == 0
    again = "rope:label=X,base=500 --encoding 'clock:label=Y\\, Z,periods=60,70'"
    assert again in ask("recipe", "b.png").out
    assert pecli.offsets(["rope:base=5", "rope"], title="{base}").title() == "5, 10000"


@pytest.mark.long
def test_a_redrawn_text_takes_the_place_of_its_opposite(ask: Ask, folder: Path) -> None:
    assert ask("heatmap", "-d", "4", "-n", "5", "--title", "Mine", "--no-footnote", "-o", "a.png").code == 0
    assert ask("redraw", "a.png", "--no-title", "--footnote", "seen", "-o", "b.png").code == 0
    assert "--footnote seen --no-title" in ask("recipe", "b.png").out


def test_bars_and_legends_are_left_out() -> None:
    assert len(drawn("heatmap").axes) == 2 and len(drawn("heatmap", no_colorbar=True).axes) == 1
    legends = [drawn("offsets", encoding="rope", decay=True, no_legend=left_out) for left_out in (False, True)]
    assert [axes.axes[0].get_legend() is None for axes in legends] == [False, True]
    heatmaps = [drawn("heatmap", no_legend=left_out).findobj(Text) for left_out in (False, True)]
    assert [any("λ" in text.get_text() for text in found) for found in heatmaps] == [True, False]


@pytest.mark.long
def test_labels_name_encodings_wherever_they_are_told_apart(ask: Ask, folder: Path) -> None:
    encodings = ["rope:base=500000,label=Llama-3", "rope"]
    picture = pecli.offsets(encodings, **SMALL)
    assert "Llama-3" in {text.get_text() for text in drawn("offsets", encoding=encodings).findobj(Text)}
    assert "Llama-3" in picture.alt
    labelled = pecli.figure("offsets", encoding=["rope:base=500000", "rope"], labels=["Llama-3", "A, B"], **SMALL)
    assert [encoding.label for encoding in labelled.job.encodings] == ["Llama-3", "A, B"]
    titles = [axes.get_title() for axes in panels(drawn("compare", encoding=["rope", "binary"], label=["X", "Y"]))]
    assert titles == ["X", "Y"]
    assert ask("heatmap", "-d", "8", "-n", "5", "--label", "PE", "-o", "a.png").code == 0
    recipe = ask("recipe", "a.png").out
    assert "sinusoidal:label=PE" in recipe
    assert pecli.heatmap("sinusoidal", label="PE", d=8).title() == "PE"


@pytest.mark.parametrize(("figure", "options", "said"), [
    ("heatmap", {"label": ["a", "b"]}, "label is given 2 times, for 1 encoding"),
    ("heatmap", {"columns": 2}, "columns=2 is more than the number of panels of this heatmap, 1"),
    ("dials", {"xlabel": "x", "d": 8}, "no panel has such a label"),
    ("offsets", {"cbar_label": "x"}, "there is no colour bar"),
    ("heatmap", {"title": "x", "no_title": True}, "exclude each other"),
    ("heatmap", {"cbar_label": "x", "no_colorbar": True}, "exclude each other"),
    ("heatmap", {"base": [10, 100], "d": [4, 8], "columns": 1}, "side by side"),
])  # fmt: skip
def test_what_there_is_not_is_not_labelled(figure: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        pecli.figure(figure, **options).render("png")
    assert said in str(refused.value)


@pytest.mark.long
def test_labels_of_axes_and_bars_letters_and_columns() -> None:
    options = {"encoding": ["rope", "sinusoidal"], "xlabel": "i", "ylabel": "pos", "cbar_label": "PE", "letters": True}
    one, two = (drawn("compare", columns=columns, **options) for columns in (1, 2))
    for drawing, columns in ((one, 1), (two, 2)):
        frames = panels(drawing)
        assert [axes.get_xlabel() for axes in frames] == ["i", "i"] and frames[0].get_ylabel() == "pos"
        letters = [text for axes in frames for text in axes.texts if text.get_weight() == "bold"]
        assert [text.get_text() for text in letters] == ["a", "b"]
        assert len({round(axes.bbox.x0) for axes in frames}) == columns
        assert next(axes for axes in drawing.axes if axes not in frames).get_ylabel() == "PE"
        for text, axes in zip(letters, frames, strict=True):
            box = text.get_window_extent()
            assert box.x1 <= axes.bbox.x0 and box.y0 >= axes.bbox.y1


def test_a_grid_keeps_the_value_of_a_row_beside_the_authors_label() -> None:
    frames = panels(drawn_grid())
    assert [axes.get_ylabel() for axes in frames][::2] == ["d = 4\npos", "d = 8\npos"]


def drawn_grid() -> Any:
    picture = pecli.heatmap(base=[10, 100], d=[4, 8], length=9, ylabel="pos", size="column", dpi=40)
    with style_context(picture.canvas, ""):
        return draw_page(picture.figure, picture.job.view, picture.canvas, picture.title(), 0)[0]


PLACES = [
    *((figure, {}) for figure in FIGURES),
    ("heatmap", {"d": 512, "log": True}),
    ("distance", {"encoding": "binary:d=10"}),
    ("curves", {"encoding": "binary:d=10"}),
    ("compare", {"figure": "distance", "difference": True, "encoding": ["sinusoidal:base=10", "sinusoidal"]}),
    ("distance", {"measure": "cos"}),
    ("offsets", {"encoding": "rope", "random": 20}),
    ("bias", {"softmax": True}),
    ("curves", {"encoding": ["rope", "binary:d=10"], "at": 3}),
]


@pytest.mark.parametrize("figure", ["spectrum", "offsets", "curves", "compare"])
def test_the_title_says_what_stands_behind_labels(figure: str) -> None:
    given = ["rope:label=Llama-2", "rope:base=500000,label=Llama-3"]
    picture = pecli.figure(figure, encoding=given)
    said = join_title(["RoPE", "d = 128", "Llama-2: base = 10,000", "Llama-3: base = 500,000"])
    assert picture.title().startswith(said)


@pytest.mark.some(40)
@pytest.mark.parametrize(("figure", "options"), PLACES)
def test_the_same_words_stand_in_every_size(figure: str, options: dict[str, Any]) -> None:
    """What is seen is told of the numbers, not of the pixels; the note on averaging alone differs."""
    given = fitting(figure, {"d": 16, "length": 700}) | options
    given = {name: value for name, value in given.items() if name != "d" or ":d=" not in str(options)}
    said = set()
    for size in ("column", "page", "blog", "slide", "5x3"):
        picture = pecli.figure(figure, **given, size=size, dpi=20)
        seen = picture.figure.compute(picture.job.display_view)  # through as many pixels as panels of that size have
        keys = {note: finding(finding(note).get("text", note)).get("key", "") for note in clauses(seen.caption())}
        notes = [note for note, key in keys.items() if not re.search("each_pixel|_drawn$|one_patch", key)]
        said.add((seen.message(), picture.title(), *notes))
    assert len(said) == 1


@pytest.mark.long
def test_a_file_stands_in_a_picture_by_its_name_alone(folder: Path) -> None:
    one, two, table = (str(folder / name) for name in ("one.npy", "two.npy", "table.npy"))
    for path, numbers in {one: np.arange(1.0, 5), two: np.arange(4.0, 0, -1), table: np.eye(16, 4)}.items():
        np.save(path, numbers)
    several = [f"rope:d=4,query={one}", f"rope:d=4,query={two}"]
    for name, options in (
        ("heatmap", {"encoding": several[0], "title": "{query}", "length": 5}),
        ("offsets", {"encoding": several, "length": 5}),
        ("heatmap", {"encoding": f"learned:file={table}", "headline": "{file}"}),
        ("rotation", {"encoding": "rope:d=4", "length": 16, "content": table}),
    ):
        picture = pecli.figure(name, size="column", dpi=40, text=True, format="svg", **options)
        written = re.sub(r"<metadata>.*?</metadata>", "", picture.render("svg")[0].decode(), flags=re.DOTALL)
        assert ".npy" in written + picture.alt and str(folder) not in written + picture.alt


@pytest.mark.long
def test_a_rope_that_turns_some_columns_says_so() -> None:
    picture = pecli.heatmap("rope:d=80,rotary_dim=32", length=9, dpi=20)
    turning = say("words.of_columns_turn", count=32, all=80)
    assert picture.title() == join_title(["RoPE", turning, "base = 10,000"])
    left_out = say("rope_scaling.columns_that_do_not", count=48, all=80)
    assert left_out in picture.caption()
    both = pecli.compare("rope:d=80,rotary_dim=32", "rope:d=80", length=9, dpi=20)
    assert say("join.with_names", text=left_out, names=turning) in clauses(both.caption())
    keys = [finding(note)["key"] for note in clauses(pecli.heatmap("rope:d=80", length=9, dpi=20).seen.caption())]
    assert "figures.vectors_of_rope_1" in keys and "rope_scaling.columns_that_do_not" not in keys


@pytest.mark.long
@pytest.mark.parametrize(("size", "panels", "key", "names"), [
    ("column", "heatmap,distance", "figures.each_pixel_is_the_mean", say("overview.right")),
    ("5x4", "heatmap,distance,distance", "waves.every_second_pair_drawn", "heatmap"),  # sides are of two
])  # fmt: skip
def test_a_note_on_one_of_two_panels_says_which(size: str, panels: str, key: str, names: str) -> None:
    picture = pecli.figure("overview", panels=panels.split(","), length=400, size=size, dpi=150)
    notes = [finding(note) for note in picture.seen.remarks()]
    assert (key, names) in [(finding(note.get("text", ""))["key"], note["names"]) for note in notes if "names" in note]
