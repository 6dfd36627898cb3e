"""The job in a finished file: found with limits, and whether the file is as it was written."""

from __future__ import annotations

import functools
import io
import json
import os
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import PecliError, UsageError
from pecli.files.formats import FORMATS
from pecli.files.metadata import READERS, read_metadata
from pecli.files.tables import MOST

SMALL: dict[str, Any] = {"d": 6, "length": 9, "dpi": 30, "size": "column"}


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """One chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


every_format = pytest.mark.parametrize("format", READERS)


@functools.cache
def finished(format: str) -> bytes:
    """The bytes of a finished file of that format."""
    swept = {"base": [10, 100]} if FORMATS[format].frames else {}
    return pecli.figure("heatmap", **SMALL, **swept).render(format)[0]


@pytest.fixture
def path(tmp_path: Path, format: str) -> Path:
    """A finished file of that format."""
    target = tmp_path / f"a.{format}"
    target.write_bytes(finished(format))
    return target


@every_format
def test_other_programs_read_the_file(path: Path, format: str) -> None:
    if format == "json":
        assert list(json.loads(path.read_text())["arrays"])
    elif format == "npz":
        with np.load(path) as arrays:
            assert arrays["heatmap" if "heatmap" in arrays.files else arrays.files[0]].size
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
    elif format in ("png", "gif", "webp"):
        from PIL import Image

        with Image.open(path) as image:
            image.verify() if format == "png" else image.seek(1)
    elif format == "svg":
        from xml.etree import ElementTree

        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    elif format == "html":
        assert path.read_text().rstrip().splitlines()[-1] == "</html>"
    else:
        assert b"%%EOF" in path.read_bytes()[-64:]


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


@every_format
def test_a_file_that_ends_in_a_digest_as_older_ones_do_is_read(path: Path, format: str) -> None:
    found = read_metadata(str(path))
    path.write_bytes(DIGESTS[format](path.read_bytes()))
    assert read_metadata(str(path)) == found and found["job"]["command"] == "heatmap"


@every_format
@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_what_might_never_end_is_not_read(tmp_path: Path, format: str, kind: str) -> None:
    target = tmp_path / f"a.{format}"
    if kind == "fifo":
        os.mkfifo(target)
    elif kind == "device":
        target.symlink_to("/dev/zero")
    else:
        target.mkdir()
    with pytest.raises(UsageError, match="not a regular file"):
        read_metadata(str(target))


@every_format
def test_a_file_of_gigabytes_is_not_read_whole(path: Path, format: str) -> None:
    """A hole of 8 GB behind the file: the job is found where it stands, or is not found, in little time and memory."""
    os.truncate(path, 8 << 30)
    try:
        assert read_metadata(str(path))["job"]["command"] == "heatmap"
    except PecliError as error:
        assert str(path) in str(error)


def test_a_picture_with_a_large_chunk_before_its_job_is_read_past_it(tmp_path: Path) -> None:
    pecli.figure("heatmap", **SMALL).save(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    begin = data.index(b"IHDR") + 4 + 13 + 4
    extra = png_chunk(b"juNK", bytes(3 * MOST))
    (tmp_path / "a.png").write_bytes(data[:begin] + extra + data[begin:])
    assert read_metadata(str(tmp_path / "a.png"))["job"]["command"] == "heatmap"


def test_a_large_picture_is_no_damaged_one(tmp_path: Path) -> None:
    """Pillow takes more than 180 million pixels for an attack."""
    head = struct.pack(">2I5B", 60_000, 60_000, 8, 6, 0, 0, 0)
    job = json.dumps({"job": {"command": "heatmap"}}).encode()
    chunks = [png_chunk(b"IHDR", head), png_chunk(b"tEXt", b"pecli\0" + job), png_chunk(b"IDAT", b"")]
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    assert read_metadata(str(tmp_path / "a.png")) == {"job": {"command": "heatmap"}}


def test_an_archive_that_declares_or_unpacks_to_gigabytes_is_not_unpacked(tmp_path: Path) -> None:
    target = tmp_path / "a.npz"
    header = b"\x93NUMPY\x02\x00" + struct.pack("<I", 3 << 29)
    for start in (header, b"\x93NUMPY\x01\x00"):
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("job.npy", "w") as member:
            member.write(start)
            for _ in range(60):
                member.write(bytes(1 << 20))
        tracemalloc.start()
        with pytest.raises(PecliError, match="not a whole"):
            read_metadata(str(target))
        assert tracemalloc.get_traced_memory()[1] < 24 * MOST
        tracemalloc.stop()


def test_an_archive_whose_list_is_huge_is_refused(tmp_path: Path) -> None:
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, 3 << 20, 0, 0)
    (tmp_path / "a.npz").write_bytes(bytes(3 << 20) + end)
    with pytest.raises(PecliError, match=r"a\.npz has a part of over 1 MiB"):
        read_metadata(str(tmp_path / "a.npz"))


def test_a_job_that_is_too_long_is_no_damage(tmp_path: Path) -> None:
    text = png_chunk(b"tEXt", b"pecli\0" + bytes(2 * MOST))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + text)
    with pytest.raises(PecliError, match=r"a\.png has a part of over 1 MiB"):
        read_metadata(str(tmp_path / "a.png"))


def test_json_of_any_spacing_is_read_up_to_its_facts(tmp_path: Path) -> None:
    pecli.figure("heatmap", **SMALL).save(tmp_path / "a.json")
    found = json.loads((tmp_path / "a.json").read_text())
    (tmp_path / "a.json").write_text(json.dumps(found, indent=4))
    assert read_metadata(str(tmp_path / "a.json"))["job"] == found["job"]
    (tmp_path / "a.json").write_text(json.dumps({"job": found["job"]}, indent=1))
    assert read_metadata(str(tmp_path / "a.json")) == {"job": found["job"]}


@every_format
def test_a_job_of_the_wrong_kind_is_no_job(tmp_path: Path, format: str) -> None:
    files: dict[str, Any] = {
        "png": b"\x89PNG\r\n\x1a\n" + png_chunk(b"tEXt", b"pecli\0[1]") + png_chunk(b"IDAT", zlib.compress(b"")),
        "svg": b'<svg xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description>[1]</dc:description></svg>',
        "pdf": b"/Subject ([1])\n%%EOF\n",
        "json": b'{"job": 7}',
        "gif": b"GIF89a" + bytes(7) + b"!\xfe\x03[1]\0;",
        "webp": b"RIFF" + bytes(4) + b"WEBP",
        "html": b'<meta name="pecli" content="[1]">',
    }
    buffer = io.BytesIO()
    np.savez(buffer, job=np.array("[1]"))
    (tmp_path / f"a.{format}").write_bytes(files.get(format, buffer.getvalue()))
    with pytest.raises(PecliError, match="carries no job"):
        read_metadata(str(tmp_path / f"a.{format}"))


@pytest.mark.parametrize("format", ["png"])
def test_text_of_other_programs_may_stand_before_the_job(path: Path, format: str) -> None:
    job, data = read_metadata(str(path)), path.read_bytes()
    behind = 8 + 25  # the signature and the first chunk
    path.write_bytes(data[:behind] + png_chunk(b"tEXt", b"Comment\0a remark") + data[behind:])
    assert read_metadata(str(path)) == job
