"""What a file says of itself: the text that goes into it, and the job read back with limits.

What is read may be anybody's: regular files only, no more of them than the part that can hold a job, nothing expanded.
"""

from __future__ import annotations

import html
import json
import os
import re
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from pecli.core.errors import FileError, PecliError, path_text
from pecli.files.tables import MAX_BYTES, Bounded, opened, stored_arrays
from pecli.files.writer import ending_of


class About(NamedTuple):
    """Text that goes into a finished file where its format has a place for it.

    job : the job as JSON in ASCII
    id_prefix : a short name that no other job has, which begins the names inside an SVG file
    title : of the picture, one line
    sentence : what is seen, for who does not see it
    inline : an SVG without what stands before its first tag
    adaptive : an SVG whose ink follows the reader's light or dark mode
    long : numbers of a matrix as a row a number
    """

    job: str
    id_prefix: str
    title: str = ""
    sentence: str = ""
    inline: bool = False
    adaptive: bool = False
    long: bool = False


def read_metadata(path: str) -> dict[str, Any]:
    """Return what a finished file says of itself: ``job`` and the versions that made it.

    Raises
    ------
    FileError : the file does not exist, is damaged, or carries no job
    """
    suffix = ending_of(path)
    if suffix not in READERS:
        raise FileError(f"{path_text(path)} carries no job: only {', '.join(f'.{name}' for name in READERS)} files do")
    try:
        with opened(path) as file:
            text = READERS[suffix](file)
        found = json.loads(text) if text else None
    except OSError as error:
        raise FileError(f"{path_text(path)} could not be read: {error.strerror or error}") from None
    except PecliError:
        raise
    except Exception:  # each reader has its own kinds of damage
        raise FileError(f"{path} could not be read: it is not a whole .{suffix} file") from None
    if not isinstance(found, dict) or not isinstance(found.get("job"), dict):
        raise FileError(f"{path} carries no job: pecli did not make it, or something took the metadata away")
    return found


def find_metadata(path: str) -> dict[str, Any]:
    """Return what a file says of itself; nothing where none is there, or where it carries no job."""
    if not can_carry(path) or not os.path.isfile(path):
        return {}
    try:
        return read_metadata(path)
    except PecliError:
        return {}


def can_carry(path: str) -> bool:
    """Return whether a file of that name is of a kind that carries a job."""
    return ending_of(path) in READERS


def _from_png(file: Bounded) -> str | None:
    """Return the text chunk named pecli; the pixels are not read."""
    from PIL.PngImagePlugin import PngImageFile  # Image.open refuses large pictures

    text: str | None = PngImageFile(file).info.get("pecli")
    return text


def _from_gif(file: Bounded) -> str | None:
    """Return the comment before the first frame."""
    from PIL.GifImagePlugin import GifImageFile

    comment: bytes | None = GifImageFile(file).info.get("comment")
    return comment.decode("latin-1") if comment else None


def _from_webp(file: Bounded) -> str | None:
    """Return the description in the chunk of metadata; chunks with pixels are not read, as Pillow would."""
    if file.read(12)[::8] != b"RW":
        raise ValueError("no signature")
    while len(head := file.read(8)) == 8:
        kind, length = struct.unpack("<4sI", head)
        if kind == b"XMP ":
            return _description(file.read(length))
        file.seek(length + length % 2, os.SEEK_CUR)
    return None


def _description(head: bytes) -> str | None:
    """Return the first description in the head of an XML document; entities are not expanded."""
    if b"<!ENTITY" in head:
        return None
    from xml.etree import ElementTree

    parser: Any = ElementTree.XMLPullParser(["end"])
    parser.feed(head)
    tag = "{http://purl.org/dc/elements/1.1/}description"
    return next((found.text for _, found in parser.read_events() if found.tag == tag), None)


def _from_pdf(file: Bounded) -> str | None:
    """Return the subject in the last part of the file, where matplotlib puts what it says of the document."""
    file.seek(max(0, os.fstat(file.fileno()).st_size - MAX_BYTES))
    data = file.read(MAX_BYTES)
    if b"%%EOF" not in data[-64:]:
        raise ValueError("cut short")
    match = re.search(rb"/Subject \(((?:[^()\\]|\\.)*)\)", data, re.DOTALL)
    return re.sub(rb"\\(.)", rb"\1", match[1], flags=re.DOTALL).decode("latin-1") if match else None


def _from_html(file: Bounded) -> str | None:
    """Return what the head of the page says; the pictures are not read."""
    match = re.search(rb'<meta name="pecli" content="([^"]*)">', file.read(MAX_BYTES))
    return html.unescape(match[1].decode()) if match else None


def _from_npz(file: Bounded) -> str | None:
    """Return the text in the array named job."""
    array = stored_arrays(str(file.name)).get("job")
    return str(array.read()) if array else None


def _from_json(file: Bounded) -> str:
    """Return the entries of the object up to the facts: the numbers are not read."""
    head, facts, _ = re.sub(rb',\s*"facts"\s*:', b"\0", file.read(MAX_BYTES), count=1).partition(b"\0")
    return head.decode(errors="ignore") + "}" * len(facts)


READERS: dict[str, Callable[[Bounded], str | None]] = {
    "png": _from_png,
    "svg": lambda file: _description(file.read(MAX_BYTES)),
    "pdf": _from_pdf,
    "gif": _from_gif,
    "webp": _from_webp,
    "html": _from_html,
    "npz": _from_npz,
    "json": _from_json,
}
