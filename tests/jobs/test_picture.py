"""Tests of a finished job in Python: its numbers, its picture and its files."""

from __future__ import annotations

import csv
import io
from base64 import b64decode
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from PIL import Image

import pecli
from pecli.core.errors import UsageError
from pecli.figures.bases import Bases
from pecli.figures.ids import Ids
from pecli.figures.maps import OverGrid
from pecli.figures.tokens import TokenFigure
from pecli.jobs.job_options import ANALYSES


def test_encode_gives_the_table() -> None:
    table = pecli.encode("sinusoidal", base=10, d=64, length=100)
    assert table.shape == (100, 64)
    assert table.dtype == np.float64
    assert np.array_equal(table, pecli.encode("sinusoidal:base=10,d=64", length=100))


@pytest.mark.parametrize("wrong", [{"lenght": 5}, {"d": 0}, {"length": 10**12}, {"encoding": "sine"}])
def test_encode_refuses_with_a_value_error_of_ours(wrong: dict[str, object]) -> None:
    with pytest.raises(pecli.PecliError) as caught:
        pecli.encode(**wrong)  # type: ignore[arg-type]  # that is the point
    assert isinstance(caught.value, ValueError)


def test_draws_onto_a_given_axes_and_leaves_its_figure_as_it_is() -> None:
    drawing = Drawing(figsize=(5, 3), dpi=37)
    other, axes = drawing.subplots(1, 2)
    assert pecli.figure("heatmap", d=7, length=5).draw(axes) is axes
    assert len(axes.images) == 1 and not other.images
    assert tuple(drawing.get_size_inches()) == (5, 3) and drawing.dpi == 37
    assert drawing.get_suptitle() == ""
    many: Any = pecli.figure("heatmap", d=4, length=3000)
    whole: Any = pecli.figure("heatmap", d=4, length=3000).seen
    assert many.draw(other) is other and many.seen.block > whole.block  # of fewer pixels


@pytest.mark.parametrize("kind", [None, "polar"])
def test_what_is_no_axes_with_x_and_y_is_refused(kind: str | None) -> None:
    axes: Any = Drawing().subplots(subplot_kw={"projection": kind}) if kind else Drawing()
    with pytest.raises(pecli.UsageError, match=f"onto one Axes.*not onto {kind or '<Figure size'}"):
        pecli.figure("heatmap", d=4, length=5).draw(axes)


@pytest.mark.long
def test_two_panels_share_a_given_axes() -> None:
    drawing = Drawing()
    axes = drawing.subplots()
    pecli.figure("scatter", d=7, length=5, triangle="both").draw(axes)
    assert len(axes.child_axes) == 2
    drawing.savefig(io.BytesIO(), format="png", dpi=30)  # the colour bar of panels inside an Axes can be laid out


def test_shows_itself_in_a_notebook() -> None:
    png = b64decode(pecli.figure("heatmap", d=7, length=5, dpi=30)._repr_mimebundle_()["image/png"])
    with Image.open(io.BytesIO(png)) as image:
        assert image.size[0] == int(6.75 * 30)


@pytest.mark.long
def test_save_writes_every_path_and_gives_them(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a.png", "new/a.svg", "a.npz")]
    picture = pecli.figure("heatmap", d=7, length=5, dpi=30)
    assert picture.save(*paths) == paths
    assert [Path(path).read_bytes() for path in paths] == picture.render("png", "svg", "npz")


@pytest.mark.long
def test_save_without_a_path_makes_up_a_name(folder: Path) -> None:
    assert pecli.figure("heatmap", d=7, length=5, dpi=30).save() == ["heatmap-sinusoidal-d7-length5-dpi30.png"]
    assert [path.name for path in folder.iterdir()] == ["heatmap-sinusoidal-d7-length5-dpi30.png"]


def test_save_writes_nothing_where_one_path_is_wrong(tmp_path: Path) -> None:
    picture = pecli.figure("heatmap", d=7, length=5, dpi=30)
    with pytest.raises(pecli.PecliError):
        picture.save(str(tmp_path / "a.png"), str(tmp_path / "a.gif"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_rendering_leaves_matplotlibs_settings_alone_and_ignores_them() -> None:
    clean = pecli.figure("curves", d=7, length=5, dpi=30).render("png")
    with mpl.rc_context({"lines.linewidth": 17, "figure.facecolor": "red", "savefig.bbox": "tight"}):
        before = dict(mpl.rcParams)
        assert pecli.figure("curves", d=7, length=5, dpi=30).render("png") == clean
        assert dict(mpl.rcParams) == before


@pytest.mark.long
def test_the_caption_stands_in_the_picture() -> None:
    picture = pecli.figure("heatmap", d=7, length=1009, dpi=30, size="3.5x2.5")
    assert picture.seen.caption()
    assert picture._drawing().texts[-1].get_text().replace("\n", " ") == picture.caption()


@pytest.mark.some(30)
@pytest.mark.parametrize("name", [name for name, analysis in ANALYSES.items() if analysis.one_table])
def test_numbers_as_columns_are_those_of_a_csv_file(name: str, folder: Path) -> None:
    options: dict[str, Any] = {} if issubclass(ANALYSES[name], (TokenFigure, OverGrid, Ids, Bases)) else {"length": 5}
    picture = pecli.figure(name, **options)
    columns = picture.to_dict()
    assert len({len(column) for column in columns.values()}) == 1
    picture.save("a.csv")
    header, *rows = csv.reader(Path("a.csv").read_text(encoding="utf-8").splitlines())
    assert header == list(columns)
    for name, cells in zip(header, zip(*rows, strict=True), strict=True):
        if columns[name].dtype.kind == "f":
            assert [float(cell or "nan") for cell in cells] == pytest.approx(columns[name].tolist(), nan_ok=True)


@pytest.mark.some(3)
@pytest.mark.parametrize(("figure", "options"), [
    ("bias", {"encoding": "alibi", "softmax": True}),
    ("fourier", {"d": 80}),
    ("rotation", {}),
    ("offsets", {"encoding": "rope", "random": 9}),
    ("distance", {"encoding": "rope"}),
])  # fmt: skip
def test_numbers_are_whole_beside_a_picture_and_the_picture_has_means_beside_them(
    figure: str, options: dict[str, Any]
) -> None:
    given = {"length": 700, "size": "column", "dpi": 20, **options}
    first, second = (pecli.figure(figure, **given) for _ in range(2))
    pictured, whole = first.seen.arrays(), second.numbers.arrays()
    for arrays, same in ((first.numbers.arrays(), whole), (second.seen.arrays(), pictured)):
        assert all(np.array_equal(array, same[name], equal_nan=True) for name, array in arrays.items())
    assert any(pictured[name].shape != array.shape for name, array in whole.items())


def test_several_tables_have_no_columns(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"picture\.numbers\.arrays\(\) has them by name"):
        pecli.figure("overview", length=5).to_dict()


@pytest.mark.some(4)
@pytest.mark.parametrize(("name", "value"), [("cmap", "nope"), ("title", "$x_$"), ("style", "nope"), ("font", "nope")])
def test_what_matplotlib_does_not_know_is_refused_in_our_words_however_it_is_drawn(name: str, value: str) -> None:
    picture = pecli.figure("heatmap", length=3, d=2, **{name: value})
    axes = Drawing().subplots()
    for look in (lambda: picture.render("png"), lambda: picture.draw(axes), lambda: picture.seen):
        with pytest.raises(UsageError) as refused:
            look()
        assert refused.value.option == name


HTML = [  # a figure or report with its options, the tag that it is, and whether its alt text is in it
    ("heatmap", {"d": 4, "length": 5}, "<svg ", True),
    ("heatmap", {"d": 4, "length": 5, "inline": True, "format": "svg"}, "<svg ", True),
    ("heatmap", {"d": 4, "length": 5, "base": [10, 100], "format": "gif"}, "<svg ", True),
    ("curves", {"d": 4, "length": 5, "style": "auto", "headline": 'a "quoted" <b> & more'}, "<svg ", True),
    ("waves", {"d": 4, "length": 5, "lang": "zh"}, "<svg ", True),
    ("table", {"d": 4, "length": 5}, "<p>", False),
]


@pytest.mark.some(4)
@pytest.mark.parametrize(("figure", "options", "tag", "described"), HTML)
def test_a_picture_as_html_is_an_inline_svg_with_its_alt_text(
    figure: str, options: dict[str, Any], tag: str, described: bool
) -> None:
    picture = pecli.figure(figure, **options)
    text = picture.to_html()
    assert text.startswith(tag) and text == picture.to_html()
    if described:
        root = ElementTree.fromstring(text)
        assert (root.get("role"), root.get("aria-label")) == ("img", picture.alt)
        assert "<?xml" not in text and "<!DOCTYPE" not in text and "<script" not in text
