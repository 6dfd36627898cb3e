"""The job inside a finished file, read back with limits.

What is read may be anybody's: regular files only, no more of them than the part that can hold a job, nothing expanded.
"""

from __future__ import annotations

import html
import io
import json
import os
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pecli.core.errors import PecliError, UsageError, visible
from pecli.core.lazy import np
from pecli.files.tables import MOST, Bounded, opened

PNG_HEAD = b"\x89PNG\r\n\x1a\n"
DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"


def read_metadata(path: str) -> dict[str, Any]:
    """What a finished file says of itself: ``job`` and the versions that made it.

    Raises
    ------
    UsageError : the file does not exist, or is of a kind that carries no job
    PecliError : the file is damaged, or carries no job
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in READERS:
        raise UsageError(f"{visible(path)} carries no job: only {', '.join(f'.{name}' for name in READERS)} files do")
    try:
        with opened(path) as file:
            text = READERS[suffix](file)
        found = json.loads(text) if text else None
    except OSError as error:
        raise PecliError(f"{visible(path)} could not be read: {error.strerror or error}") from None
    except PecliError:
        raise
    except Exception:  # each reader has its own kinds of damage
        raise PecliError(f"{path} could not be read: it is not a whole .{suffix} file") from None
    if not isinstance(found, dict) or not isinstance(found.get("job"), dict):
        raise PecliError(f"{path} carries no job: pecli did not make it, or something took the metadata away")
    return found


def is_foreign(path: str) -> bool:
    """Whether a file stands there of a kind that carries a job, and carries none: pecli did not make it."""
    if Path(path).suffix.lower().removeprefix(".") not in READERS or not os.path.isfile(path):
        return False
    try:
        read_metadata(path)
    except PecliError:
        return True
    return False


def _from_png(file: Bounded) -> str | None:
    """The text chunk named pecli; chunks with pixels are not read."""
    if file.read(len(PNG_HEAD)) != PNG_HEAD:
        raise ValueError("no signature")
    while True:
        length, kind = struct.unpack(">I4s", file.read(8))
        if kind in (b"IDAT", b"IEND"):
            return None
        if kind == b"tEXt":
            name, _, text = file.read(length).partition(b"\0")
            if name == b"pecli":
                return text.decode("latin-1")
            length = 0
        file.seek(length + 4, os.SEEK_CUR)


def _from_svg(file: Bounded) -> str | None:
    """The first description, wherever the head of the document ends; entities are not expanded."""
    return _described(file.read(MOST))


def _described(head: bytes) -> str | None:
    """The first description in the head of an XML document."""
    if b"<!ENTITY" in head:
        return None
    from xml.etree import ElementTree

    parser: Any = ElementTree.XMLPullParser(["end"])
    parser.feed(head)
    return next((found.text for _, found in parser.read_events() if found.tag == DESCRIPTION), None)


def _from_pdf(file: Bounded) -> str | None:
    """The subject in the last part of the file, where matplotlib puts what it says of the document."""
    file.seek(max(0, os.fstat(file.fileno()).st_size - MOST))
    data = file.read(MOST)
    if b"%%EOF" not in data[-64:]:
        raise ValueError("cut short")
    match = re.search(rb"/Subject \(((?:[^()\\]|\\.)*)\)", data, re.DOTALL)
    return re.sub(rb"\\(.)", rb"\1", match[1], flags=re.DOTALL).decode("latin-1") if match else None


def _from_gif(file: Bounded) -> str | None:
    """The first remark before the first frame."""
    head = file.read(13)
    if head[:3] != b"GIF" or len(head) < 13:
        raise ValueError("no signature")
    if head[10] & 0x80:  # a palette of so many colours
        file.seek(3 * 2 ** (head[10] % 8 + 1), os.SEEK_CUR)
    while (mark := file.read(2))[:1] == b"!":
        parts = list(_gif_parts(file))
        if mark[1:] == b"\xfe":
            return b"".join(parts).decode("latin-1")
    return None


def _gif_parts(file: Bounded) -> Iterator[bytes]:
    """What a block of a GIF file holds; each part has its length before it."""
    begun = file.tell()
    while length := file.read(1)[0]:
        yield file.read(length)
        if file.tell() - begun > MOST:
            raise ValueError(f"over {MOST >> 20} MiB of remarks")


def _from_webp(file: Bounded) -> str | None:
    """The description in the chunk of metadata; chunks with pixels are not read."""
    head = file.read(12)
    if head[:4] != b"RIFF" or head[8:] != b"WEBP":
        raise ValueError("no signature")
    while len(mark := file.read(8)) == 8:
        kind, length = struct.unpack("<4sI", mark)
        if kind == b"XMP ":
            return _described(file.read(length))
        file.seek(length + length % 2, os.SEEK_CUR)
    return None


def _from_html(file: Bounded) -> str | None:
    """What the head of the page says; the pictures are not read."""
    match = re.search(rb'<meta name="pecli" content="([^"]*)">', file.read(MOST))
    return html.unescape(match[1].decode()) if match else None


def _from_npz(file: Bounded) -> str | None:
    import zipfile

    with zipfile.ZipFile(file) as archive:
        if "job.npy" not in archive.namelist():
            return None
        with archive.open("job.npy") as member:
            data = member.read(4 * MOST)  # four bytes a character
        return str(np.load(io.BytesIO(data), allow_pickle=False))


def _from_json(file: Bounded) -> str | None:
    """The first entries of the object, up to the first that is not of the job: the numbers are not read."""
    text, decoder = file.read(MOST).decode(errors="ignore"), json.JSONDecoder()
    found: dict[str, Any] = {}
    at = _after(text, 0, "{")
    while True:
        name, at = decoder.raw_decode(text, at)
        if name == "facts":
            return json.dumps(found)
        found[name], at = decoder.raw_decode(text, _after(text, at, ":"))
        if text[at : at + 2].strip() == "}":
            return json.dumps(found)
        at = _after(text, at, ",")


def _after(text: str, at: int, sign: str) -> int:
    """Where the next value begins, behind that sign; raises ValueError where another one stands."""
    match = re.compile(rf"\s*{sign}\s*").match(text, at)
    if match is None:
        raise ValueError(f"no {sign}")
    return match.end()


READERS: dict[str, Callable[[Bounded], str | None]] = {
    "png": _from_png,
    "svg": _from_svg,
    "pdf": _from_pdf,
    "gif": _from_gif,
    "webp": _from_webp,
    "html": _from_html,
    "npz": _from_npz,
    "json": _from_json,
}
