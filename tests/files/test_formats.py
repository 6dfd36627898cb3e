"""Tests of every file format: the picture or its numbers, and the stored job, which is read with limits."""

from __future__ import annotations

import csv
import functools
import io
import json
import os
import re
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from PIL import Image

import pecli
from pecli.analysis import Parts
from pecli.core.errors import FileError, OutputError, PecliError, UsageError
from pecli.files.animation import XMP, Animation, Frame, SweptOption
from pecli.files.formats import FORMATS, encode, format_of
from pecli.files.metadata import METADATA_READERS, FileMetadata, read_metadata
from pecli.files.tables import MAX_BYTES

SMALL: dict[str, Any] = {"d": 7, "length": 11, "dpi": 30, "size": "column"}
SINGLE = [name for name, item in FORMATS.items() if item.kind == "picture"]
FRAMED = [name for name, item in FORMATS.items() if item.frames]
NUMBERS = [name for name, item in FORMATS.items() if item.numbers]
carriers = pytest.mark.parametrize("format", METADATA_READERS)


def swept(format: str) -> dict[str, Any]:
    """Return what a file of many pictures has several of."""
    return {"base": [10, 100]} if FORMATS[format].frames else {}


@functools.cache
def rendered(format: str, figure: str = "heatmap", **options: Any) -> bytes:
    """Return the bytes of a small result, made once."""
    return pecli.figure(figure, **{**SMALL, **swept(format), **options}).render(format)[0]


@pytest.fixture
def path(tmp_path: Path, format: str) -> Path:
    """Return a finished file of that format."""
    target = tmp_path / f"a.{format}"
    target.write_bytes(rendered(format))
    return target


@pytest.mark.long
@carriers
def test_other_programs_read_the_file(path: Path, format: str) -> None:
    if format in ("png", "gif", "webp"):
        with Image.open(path) as image:
            assert image.format == format.upper() and image.width in (int(3.25 * 30), int(3.25 * 20))
            image.verify() if format == "png" else image.seek(1)
    elif format == "npz":
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
    elif format == "json":
        assert {"job", "facts", "arrays"} <= set(json.loads(path.read_text(encoding="utf-8")))
    elif format == "svg":
        assert ElementTree.parse(path).getroot().tag.endswith("}svg")
    elif format == "html":
        assert path.read_text(encoding="utf-8").rstrip().splitlines()[-1] == "</html>"
    else:
        assert path.read_bytes().startswith(b"%PDF-") and b"%%EOF" in path.read_bytes()[-64:]


@pytest.mark.long
@pytest.mark.parametrize(
    ("formats", "figure", "options"),
    [
        (SINGLE, "distance", {}),
        (FRAMED, "heatmap", {"base": [10, 100], "d": 2, "length": 2, "size": "2x2", "no_title": True}),
        (NUMBERS, "scatter", {}),
    ],
)
def test_the_second_time_and_alone_gives_the_same_bytes(
    formats: list[str], figure: str, options: dict[str, Any]
) -> None:
    options = SMALL | options
    together = pecli.figure(figure, **options).render(*formats)
    alone = [pecli.figure(figure, **options).render(format)[0] for format in formats]
    assert [name for name, item, other in zip(formats, together, alone, strict=True) if item != other] == []

    for data in together:
        assert b"CreationDate" not in data and b"dc:date" not in data and str(Path.cwd()).encode() not in data


@pytest.mark.long
@pytest.mark.parametrize("formats", [SINGLE, ["gif"]], ids=" ".join)
def test_every_picture_format_takes_width_and_length_1(formats: list[str]) -> None:
    given = {"dpi": 30, "panels": "heatmap,distance", "d": 1, "length": 1, **swept(formats[0])}
    assert all(len(data) > 1000 for data in pecli.figure("overview", **given).render(*formats))


def test_the_job_of_a_webp_file_is_found_behind_other_chunks(tmp_path: Path) -> None:
    text = XMP.format(title="a", job='{"job": {"d": 5}}').encode()
    chunks = ((b"VP8L", b"odd"), (b"EXIF", b"even"), (b"XMP ", text))
    body = b"".join(kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for kind, data in chunks)
    (tmp_path / "a.webp").write_bytes(b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body)
    assert read_metadata(str(tmp_path / "a.webp")) == {"job": {"d": 5}}


def test_arrays_are_those_of_the_picture() -> None:
    array = np.load(io.BytesIO(rendered("npy")), allow_pickle=False)
    assert array.dtype == np.float64 and np.array_equal(array, pecli.encode(d=7, length=11))
    numbers = pecli.figure("scatter", **SMALL).numbers
    arrays = numbers.arrays()
    with np.load(io.BytesIO(rendered("npz", "scatter")), allow_pickle=False) as found:
        assert set(found.files) == {*arrays, "job"}
        assert all(np.array_equal(found[name], array) for name, array in arrays.items())
    with zipfile.ZipFile(io.BytesIO(rendered("npz", "scatter"))) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}  # the same at any time
    header, *rows = csv.reader(io.StringIO(rendered("csv", "scatter").decode()))
    assert header == ["x", "y", "p", "q"]
    assert np.array_equal(np.array(rows, dtype=float), np.column_stack([arrays[name] for name in header]))
    found = json.loads(rendered("json", "scatter"))
    assert found["job"]["command"] == "scatter" and set(found["facts"]) == set(numbers.facts())
    assert pecli.figure("scatter", **SMALL).to_dict().keys() == found["rows"][0].keys() and found["arrays"] == {}
    assert all([row[name] for row in found["rows"]] == array.tolist() for name, array in arrays.items())
    matrix = pecli.figure("distance", **SMALL).numbers
    found = json.loads(rendered("json", "distance"))
    assert {name: np.array(array).tolist() for name, array in matrix.arrays().items()} == found["arrays"]


def test_csv_of_a_matrix_has_coordinates_and_every_digit() -> None:
    header, *rows = csv.reader(io.StringIO(rendered("csv", start=-3).decode()))
    assert header == ["positions", *map(str, range(7))] and [row[0] for row in rows] == [*map(str, range(-3, 8))]
    assert np.array_equal(np.array(rows, dtype=float)[:, 1:], pecli.encode(d=7, length=11, start=-3))
    assert rendered("csv", encoding="binary", d=2, length=3) == b"positions,0,1\n0,0,0\n1,1,0\n2,0,1\n"


@pytest.mark.long
def test_a_file_of_many_numbers_is_written_in_pieces() -> None:
    table = pecli.encode(d=128, length=700)
    data = {format: pecli.figure("heatmap", d=128, length=700).render(format)[0] for format in ("csv", "json")}
    assert json.loads(data["json"])["arrays"]["table"] == table.tolist()
    assert np.array_equal(np.loadtxt(io.BytesIO(data["csv"]), delimiter=",", skiprows=1)[:, 1:], table)


@pytest.mark.long
@pytest.mark.parametrize("dpi", [90, 97, 150])  # 4.6 in are not quite 414 pixels at 90
@pytest.mark.parametrize("look", [{}, {"transparent": True}])
def test_a_png_has_the_pixels_of_the_drawing(dpi: int, look: dict[str, Any]) -> None:
    picture = pecli.bias("t5", length=20, dpi=dpi, **look)
    found = np.asarray(Image.open(io.BytesIO(picture.render("png")[0])).convert("RGBA"))
    axes_side = round(4.6 * dpi)
    assert abs(found.shape[1] - axes_side) <= 1
    clear = (255, 255, 255, 0) if look else (255, 255, 255, 255)
    assert (found[:, 0] == clear).all() and (found[:, -1] == clear).all()  # the edge of the page, top to bottom
    assert Image.open(io.BytesIO(picture.render("png")[0])).mode == ("RGBA" if look else "RGB")


def test_what_is_undefined_is_null_in_json_and_empty_in_csv() -> None:
    found = json.loads(rendered("json", "distance", d=1, length=2, measure="corr"))
    assert found["arrays"]["matrix"] == [[None, None], [None, None]]
    assert rendered("csv", "distance", d=1, length=2, measure="corr") == b"positions,0,1\n0,,\n1,,\n"


def ids(svg: bytes) -> list[str]:
    return re.findall(r'\bid="([^"]*)"', svg.decode())


TITLES = [
    *("plain", "", "位置编码 k=10", "two\nlines", "<b>&amp;</b> -- -->", "ends with a backslash \\", ', "facts": {}'),
    *("\"double\" and 'single' and `back`", r"back\slash (round) \n", "🎓 é \u00a0", "my id=", "see url(#there)"),
]


@pytest.mark.long
@carriers
def test_the_job_comes_back_from_the_file(tmp_path: Path, format: str) -> None:
    numbers = Parts(lambda _: pecli.figure("heatmap", **SMALL).numbers)
    what: Any = numbers if FORMATS[format].numbers else Drawing(figsize=(1, 1))
    if FORMATS[format].frames:
        frames = Frame(what, "base = 10", "pecli heatmap"), Frame(what, "base = 100", "pecli heatmap")
        what = Animation(frames, (SweptOption("base", ("10", "100"), True),), 10, 0.2, None)
    path = tmp_path / f"a.{format}"
    for title in TITLES:
        job = pecli.figure("heatmap", **SMALL, **swept(format), title=title).job
        path.write_bytes(encode(format, what, FileMetadata(job.metadata, job.id_prefix())))
        assert read_metadata(str(path)) == {**read_metadata(str(path)), **json.loads(job.metadata)}


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """Return one chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


DIGESTS: dict[str, Callable[[bytes], bytes]] = {  # how files made before 23 November 2026 ended
    "png": lambda data: data[:-12] + png_chunk(b"tEXt", b"pecli-digest\0" + bytes(16)) + data[-12:],
    "svg": lambda data: data + b"<!-- pecli 0123456789abcdef -->\n",
    "pdf": lambda data: data + b"% pecli 0123456789abcdef\n",
    "gif": lambda data: data[:-1] + b"!\xfe\x100123456789abcdef\0;",
    "webp": lambda data: (
        data[:4] + struct.pack("<I", len(data) + 16) + data[8:] + b"PECL" + struct.pack("<I", 16) + bytes(16)
    ),
    "html": lambda data: data + b"<!-- pecli 0123456789abcdef -->\n",
    "npz": lambda data: data[:-2] + struct.pack("<H", 22) + b"pecli 0123456789abcdef",
    "json": lambda data: data[:-2] + b', "digest": "0123456789abcdef"}\n',
}


@pytest.mark.some(8)
@carriers
def test_a_file_that_ends_in_a_digest_as_older_ones_do_is_read(path: Path, format: str) -> None:
    found = read_metadata(str(path))
    path.write_bytes(DIGESTS[format](path.read_bytes()))
    assert read_metadata(str(path)) == found and found["job"]["command"] == "heatmap"


def png_with(*chunks: bytes, side: int = 1) -> bytes:
    """Return a PNG file of those chunks and no pixels."""
    head = png_chunk(b"IHDR", struct.pack(">2I5B", side, side, 8, 6, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + png_chunk(b"IDAT", b"")


JOB = png_chunk(b"tEXt", b'pecli\0{"job": {"command": "heatmap"}}')


@pytest.mark.parametrize(
    "data",
    [
        png_with(JOB),
        png_with(JOB, side=60_000),  # Pillow takes so many pixels for an attack
        png_with(png_chunk(b"juNK", bytes(3 * MAX_BYTES)), JOB),
        png_with(png_chunk(b"tEXt", b"Comment\0a remark"), JOB),
    ],
    ids=["plain", "large", "behind a large chunk", "behind a comment"],
)
def test_the_job_is_found_among_what_other_programs_write(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(data)
    assert read_metadata(str(tmp_path / "a.png")) == {"job": {"command": "heatmap"}}


@pytest.mark.some(2)
@carriers
def test_a_damaged_or_foreign_file_is_one_error(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"a.{format}"
    for damage in (b"", b"junk", b"\x89PNG\r\n\x1a\n", b"[1, 2]", b"{", b"\xff\xfe", b"[" * 100_000):
        path.write_bytes(damage)
        with pytest.raises(PecliError) as caught:
            read_metadata(str(path))
        assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.long
def test_an_archive_is_not_unpickled_and_not_unpacked_to_gigabytes(tmp_path: Path) -> None:
    target = tmp_path / "a.npz"
    np.savez(target, job=np.array([{"job": 1}], dtype=object))
    with pytest.raises(PecliError):
        read_metadata(str(target))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("job.npy", "w") as member:
        member.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", 3 << 29))
        for _ in range(60):
            member.write(bytes(1 << 20))
    tracemalloc.start()
    with pytest.raises(PecliError, match=r"\.npz file"):
        read_metadata(str(target))
    assert tracemalloc.get_traced_memory()[1] < 24 * MAX_BYTES
    tracemalloc.stop()


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>')
    with pytest.raises(PecliError):
        read_metadata(str(tmp_path / "a.svg"))


def test_formats_without_a_job_say_which_have_one(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(rendered("npy"))
    with pytest.raises(FileError, match=r"\.npz"):
        read_metadata(str(tmp_path / "a.npy"))
    with pytest.raises(FileError, match="not exist"):
        read_metadata(str(tmp_path / "none.png"))


@pytest.mark.parametrize(
    ("path", "given", "format"),
    [
        *[("a.b.SVG", None, "svg"), ("a.png", "png", "png"), ("a", "pdf", "pdf"), ("-", None, "png")],
        *[("-", "npz", "npz"), (os.devnull, None, "png"), (os.devnull, "csv", "csv")],
    ],
)
def test_the_extension_says_the_format_else_the_option(path: str, given: str | None, format: str) -> None:
    assert format_of(path, given, "png") == format


@pytest.mark.parametrize(
    ("path", "given", "said"),
    [
        ("a", None, "output=a .* format=png"),
        ("a.png", "svg", "format says svg"),
        ("a.jsn", None, "did you mean 'json'"),
        (".", None, "folder"),
        ("a/", None, "folder"),
        (" ", None, "is not a file name"),
    ],
)
def test_a_format_that_cannot_be_told_is_refused(path: str, given: str | None, said: str) -> None:
    with pytest.raises(OutputError if said == "folder" else UsageError, match=said):
        format_of(path, given, "png")


@pytest.mark.long
@pytest.mark.parametrize(("formats", "rows"), [(("svg", "pdf"), 2500), (("png", "pdf"), 0)])
def test_files_of_lines_hold_every_cell(formats: tuple[str, ...], rows: int) -> None:
    picture = pecli.heatmap(d=4, length=2500, size="column", dpi=50)
    picture.render(*formats)
    assert (len(picture.seen.main) == 2500) == bool(rows)
    assert bool(picture.caption()) != bool(rows)
