"""Metadata of finished files: what is stored in them, and how the job is read back.

Files may come from anybody: only regular files are read, and of these only the part that can hold a job. XML documents
with entities are rejected.
"""

from __future__ import annotations

import html
import json
import os
import re
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from pecli.core.errors import FileError, PecliError, path_text, reason_of
from pecli.files.tables import MAX_BYTES, BoundedFile, arrays_in_file, open_file
from pecli.files.writer import ending_of


class FileMetadata(NamedTuple):
    """Metadata and options for writing a finished file; each format uses the fields that it supports.

    job : the job as ASCII JSON
    id_prefix : short name, different for every job, that begins all ids in an SVG file
    title : title of the picture, one line
    sentence : alt text
    inline : SVG for embedding, without an XML declaration
    adaptive : SVG whose colours follow the reader's light or dark mode
    long : write a matrix in long format, one row per number
    separator, decimal : separator between the cells of a CSV file, and decimal sign of its numbers
    """

    job: str
    id_prefix: str
    title: str = ""
    sentence: str = ""
    inline: bool = False
    adaptive: bool = False
    long: bool = False
    separator: str = ","
    decimal: str = "."


def read_metadata(path: str) -> dict[str, Any]:
    """Return the metadata of a finished file: ``job`` and the versions that made it.

    Raises
    ------
    FileError : the file does not exist, is damaged, or stores no job
    """
    suffix = ending_of(path)
    if suffix not in METADATA_READERS:
        raise FileError(
            f"{path_text(path)} stores no job: only {', '.join(f'.{name}' for name in METADATA_READERS)} files can"
        )
    try:
        with open_file(path) as file:
            text = METADATA_READERS[suffix](file)
        found = json.loads(text) if text else None
    except OSError as error:
        raise FileError(f"{path_text(path)} could not be read: {reason_of(error)}") from None
    except PecliError:
        raise
    except Exception:  # each reader raises its own errors
        raise FileError(f"{path} could not be read: it is not a complete .{suffix} file") from None
    if not isinstance(found, dict) or not isinstance(found.get("job"), dict):
        raise FileError(f"{path} stores no job: pecli did not make it, or its metadata was removed")
    return found


def find_metadata(path: str) -> dict[str, Any]:
    """Return the metadata of a file; {} if it does not exist or stores no job."""
    if not can_carry(path) or not os.path.isfile(path):
        return {}
    try:
        return read_metadata(path)
    except PecliError:
        return {}


def can_carry(path: str) -> bool:
    """Return whether files with this name's extension can store a job."""
    return ending_of(path) in METADATA_READERS


def _from_png(file: BoundedFile) -> str | None:
    """Return the text chunk named pecli, or None; pixels are not decoded."""
    from PIL.PngImagePlugin import PngImageFile  # Image.open rejects large pictures

    text: str | None = PngImageFile(file).info.get("pecli")
    return text


def _from_gif(file: BoundedFile) -> str | None:
    """Return the comment before the first frame, or None."""
    from PIL.GifImagePlugin import GifImageFile

    comment: bytes | None = GifImageFile(file).info.get("comment")
    return comment.decode("latin-1") if comment else None


def _from_webp(file: BoundedFile) -> str | None:
    """Return the description in the XMP chunk, or None; Pillow is not used, because it would read the pixels."""
    if file.read(12)[::8] != b"RW":
        raise ValueError("no signature")
    while len(head := file.read(8)) == 8:
        kind, length = struct.unpack("<4sI", head)
        if kind == b"XMP ":
            return _description(file.read(length))
        file.seek(length + length % 2, os.SEEK_CUR)
    return None


def _description(head: bytes) -> str | None:
    """Return the first description at the head of an XML document.

    None if there is no description, or if the document defines entities.
    """
    if b"<!ENTITY" in head:
        return None
    from xml.etree import ElementTree

    parser: Any = ElementTree.XMLPullParser(["end"])
    parser.feed(head)
    tag = "{http://purl.org/dc/elements/1.1/}description"
    return next((found.text for _, found in parser.read_events() if found.tag == tag), None)


def _from_pdf(file: BoundedFile) -> str | None:
    """Return the subject from the end of the file, where matplotlib writes the metadata; None without one."""
    file.seek(max(0, os.fstat(file.fileno()).st_size - MAX_BYTES))
    data = file.read(MAX_BYTES)
    if b"%%EOF" not in data[-64:]:
        raise ValueError("cut short")
    match = re.search(rb"/Subject \(((?:[^()\\]|\\.)*)\)", data, re.DOTALL)
    return re.sub(rb"\\(.)", rb"\1", match[1], flags=re.DOTALL).decode("latin-1") if match else None


def _from_html(file: BoundedFile) -> str | None:
    """Return the job in the head of the page, or None; the pictures are not read."""
    match = re.search(rb'<meta name="pecli" content="([^"]*)">', file.read(MAX_BYTES))
    return html.unescape(match[1].decode()) if match else None


def _from_npz(file: BoundedFile) -> str | None:
    """Return the text in the array named job; None without one."""
    array = arrays_in_file(str(file.name)).get("job")
    return str(array.read()) if array else None


def _from_json(file: BoundedFile) -> str:
    """Return the object's JSON text up to its facts, as a complete object; the numbers after them are not read."""
    head, facts, _ = re.sub(rb',\s*"facts"\s*:', b"\0", file.read(MAX_BYTES), count=1).partition(b"\0")
    return head.decode(errors="ignore") + "}" * len(facts)


METADATA_READERS: dict[str, Callable[[BoundedFile], str | None]] = {
    "png": _from_png,
    "svg": lambda file: _description(file.read(MAX_BYTES)),
    "pdf": _from_pdf,
    "gif": _from_gif,
    "webp": _from_webp,
    "html": _from_html,
    "npz": _from_npz,
    "json": _from_json,
}
