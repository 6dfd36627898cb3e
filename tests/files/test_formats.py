"""What every format's bytes hold: the picture or its numbers, and the job."""

from __future__ import annotations

import csv
import functools
import io
import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from PIL import Image

import pecli
from pecli.core.errors import PecliError, UnknownNameError, UsageError
from pecli.files.formats import FORMATS, About, Film, Frame, SweptOption, encoded, format_of, here
from pecli.files.metadata import READERS, read_metadata

SMALL: dict[str, Any] = {"d": 7, "length": 11, "dpi": 30, "size": "column"}
CARRIERS = list(READERS)
PICTURES = [name for name, one in FORMATS.items() if one.picture]
SINGLE = [name for name in PICTURES if not FORMATS[name].frames]
FRAMED = [name for name in PICTURES if FORMATS[name].frames]
NUMBERS = [name for name, one in FORMATS.items() if one.numbers]


def swept(format: str) -> dict[str, Any]:
    """What a file of many pictures has several of."""
    return {"base": [10, 100]} if FORMATS[format].frames else {}


@functools.cache
def rendered(format: str, figure: str = "heatmap", **options: Any) -> bytes:
    return pecli.figure(figure, **{**SMALL, **swept(format), **options}).render(format)[0]


def test_pictures_are_what_their_names_say() -> None:
    with Image.open(io.BytesIO(rendered("png"))) as image:
        assert image.format == "PNG"
        assert image.width == int(3.25 * 30)
    assert ElementTree.fromstring(rendered("svg")).tag.endswith("}svg")
    assert rendered("pdf").startswith(b"%PDF-") and b"%%EOF" in rendered("pdf")[-64:]


@pytest.mark.parametrize(
    ("formats", "figure", "panels"),
    [(SINGLE, "overview", {"panels": "distance,scatter"}), (NUMBERS, "distance", {}), (NUMBERS, "scatter", {})],
    ids=["images and points", "distance", "scatter"],
)
def test_the_second_time_and_alone_gives_the_same_bytes(
    formats: list[str], figure: str, panels: dict[str, str]
) -> None:
    together = pecli.figure(figure, **SMALL, **panels).render(*formats)
    alone = [pecli.figure(figure, **SMALL, **panels).render(format)[0] for format in formats]
    assert [name for name, one, other in zip(formats, together, alone, strict=True) if one != other] == []


@pytest.mark.parametrize("format", FRAMED)
def test_frames_are_the_same_bytes_the_second_time(format: str) -> None:
    assert rendered.__wrapped__(format) == rendered(format)


@pytest.mark.parametrize("format", [*PICTURES, *NUMBERS])
def test_no_date_and_no_path_of_this_machine_is_inside(format: str) -> None:
    data = rendered(format)
    assert b"CreationDate" not in data and b"dc:date" not in data
    assert str(Path.cwd()).encode() not in data


def test_npy_is_the_main_array() -> None:
    array = np.load(io.BytesIO(rendered("npy")), allow_pickle=False)
    assert np.array_equal(array, pecli.encode(d=7, length=11))
    assert array.dtype == np.float64


def test_npz_has_every_array_under_its_name() -> None:
    numbers = pecli.figure("scatter", **SMALL).numbers
    with np.load(io.BytesIO(rendered("npz", "scatter")), allow_pickle=False) as arrays:
        assert set(arrays.files) == {*numbers.arrays(), "job"}
        assert all(np.array_equal(arrays[name], array) for name, array in numbers.arrays().items())


def test_csv_of_a_matrix_has_coordinates_and_every_digit() -> None:
    header, *rows = csv.reader(io.StringIO(rendered("csv", start=-3).decode()))
    assert header == ["positions", *map(str, range(7))]
    values = np.array(rows, dtype=float)
    assert np.array_equal(values[:, 0], np.arange(-3, 8))
    assert np.array_equal(values[:, 1:], pecli.encode(d=7, length=11, start=-3))


def test_csv_of_lists_has_them_side_by_side() -> None:
    header, *rows = csv.reader(io.StringIO(rendered("csv", "scatter").decode()))
    arrays = pecli.figure("scatter", **SMALL).numbers.arrays()
    assert header == ["x", "y", "p", "q"]
    assert np.array_equal(np.array(rows, dtype=float), np.column_stack([arrays[name] for name in header]))


def test_json_has_job_facts_and_arrays() -> None:
    found = json.loads(rendered("json", "distance"))
    numbers = pecli.figure("distance", **SMALL).numbers
    assert found["job"]["command"] == "distance"
    assert found["facts"]["largest"] == numbers.main.max()
    assert found["arrays"]["matrix"] == numbers.main.tolist()


def test_what_is_undefined_is_null_in_json_and_empty_in_csv() -> None:
    def no_constant(text: str) -> None:
        raise AssertionError(text)

    found = json.loads(rendered("json", "distance", d=1, length=2, measure="corr"), parse_constant=no_constant)
    assert found["arrays"]["matrix"] == [[None, None], [None, None]]
    assert rendered("csv", "distance", d=1, length=2, measure="corr") == b"positions,0,1\n0,,\n1,,\n"


def ids(svg: bytes) -> list[str]:
    return re.findall(r'\bid="([^"]*)"', svg.decode())


def test_two_pictures_share_no_id_in_one_page() -> None:
    first, second = ids(rendered("svg", "scatter")), ids(rendered("svg", "scatter", base=10))
    assert first and second
    assert not set(first) & set(second)
    assert len(set(first)) == len(first)


def test_the_title_of_an_svg_turns_no_text() -> None:
    svg = rendered("svg", "heatmap", title="a\u202eb\x9bc").decode()
    assert re.findall("<title>(.*)</title>", svg) == ["a\\u202eb\\x9bc"]
    assert not {"\u202e", "\x9b"} & {*svg}  # nor in a remark


@pytest.mark.parametrize("figure", ["heatmap", "scatter", "curves"])
def test_everything_an_svg_points_at_is_there(figure: str) -> None:
    svg = rendered("svg", figure)
    used = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', svg.decode()))
    assert used
    assert used <= set(ids(svg))


TITLES = [
    "plain",
    "",
    "位置编码 k=10",
    "\"double\" and 'single' and `back`",
    r"back\slash (round) \n",
    "two\nlines",
    "<b>&amp;</b> -- -->",
    "ends with a backslash \\",
    "🎓 é \u00a0",
    "my id=",
    "see url(#there)",
]


@pytest.mark.parametrize("format", CARRIERS)
@pytest.mark.parametrize("title", TITLES)
def test_the_job_comes_back_from_the_file(tmp_path: Path, format: str, title: str) -> None:
    job = pecli.figure("heatmap", **SMALL, **swept(format), title=title).job
    what: Any = pecli.figure("heatmap", **SMALL).numbers if FORMATS[format].numbers else Drawing(figsize=(1, 1))
    if FORMATS[format].frames:
        frames = Frame(what, "base 10", "pecli heatmap"), Frame(what, "base 100", "pecli heatmap")
        what = Film(frames, (SweptOption("base", ("10", "100"), True),), 10, 0.2, None, here)
    path = tmp_path / f"a.{format}"
    path.write_bytes(b"".join(encoded(format, what, About(job.metadata(), job.salt()))))
    assert read_metadata(str(path)) == {**read_metadata(str(path)), **json.loads(job.metadata())}


@pytest.mark.parametrize("format", CARRIERS)
@pytest.mark.parametrize("damage", [b"", b"junk", b"\x89PNG\r\n\x1a\n", b"[1, 2]", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_or_foreign_file_is_one_error(tmp_path: Path, format: str, damage: bytes) -> None:
    path = tmp_path / f"a.{format}"
    path.write_bytes(damage)
    with pytest.raises(PecliError) as caught:
        read_metadata(str(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("format", CARRIERS)
def test_a_file_cut_short_is_one_error_or_still_says_its_job(tmp_path: Path, format: str) -> None:
    whole = rendered(format)
    path = tmp_path / f"a.{format}"
    for share in (0.01, 0.1, 0.5, 0.9):
        path.write_bytes(whole[: int(share * len(whole))])
        try:
            found = read_metadata(str(path))
        except PecliError:
            continue
        assert found["job"]["command"] == "heatmap"


def test_an_object_array_is_not_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", job=np.array([{"job": 1}], dtype=object))
    with pytest.raises(PecliError):
        read_metadata(str(tmp_path / "a.npz"))


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>')
    with pytest.raises(PecliError):
        read_metadata(str(tmp_path / "a.svg"))


def test_formats_without_a_job_say_which_have_one(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(rendered("npy"))
    with pytest.raises(UsageError, match=r"\.npz"):
        read_metadata(str(tmp_path / "a.npy"))
    with pytest.raises(UsageError, match="not exist"):
        read_metadata(str(tmp_path / "none.png"))


@pytest.mark.parametrize(
    ("path", "given", "format"),
    [
        ("a.png", None, "png"),
        ("a.b.SVG", None, "svg"),
        ("a.png", "png", "png"),
        ("a", "pdf", "pdf"),
        ("-", None, "png"),
        ("-", "npz", "npz"),
        (os.devnull, None, "png"),
        (os.devnull, "csv", "csv"),
    ],
)
def test_the_extension_says_the_format_else_the_option(path: str, given: str | None, format: str) -> None:
    assert format_of(path, given) == format


def test_a_format_that_cannot_be_told_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.png"):
        format_of("a", None)
    with pytest.raises(UsageError, match="drop one"):
        format_of("a.png", "svg")
    with pytest.raises(UnknownNameError, match="did you mean 'json'"):
        format_of("a.jsn", None)
    with pytest.raises(UsageError, match="folder"):
        format_of(str(tmp_path), None)


@pytest.mark.parametrize("formats", [SINGLE, *([name] for name in FRAMED)], ids=" ".join)
def test_every_figure_has_every_picture_format_at_width_and_length_1(formats: list[str]) -> None:
    given = {"dpi": 30, "panels": "heatmap,distance,curves", "d": 1, "length": 1, **swept(formats[0])}
    made = pecli.figure("overview", **given).render(*formats)
    assert len(made) == len(formats) and all(len(data) > 1000 for data in made)
