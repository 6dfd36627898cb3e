"""The formats of a result and what each can hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pecli.core.errors import UnknownNameError, UsageError, option_text
from pecli.files.writer import ending_of, is_stdout, no_file

if TYPE_CHECKING:
    from pecli.files.metadata import About


@dataclass(frozen=True)
class Format:
    """What one format can hold.

    kind : a drawing, several of them one by one, numbers, or what a report says
    text : may go to a terminal
    one_table : holds one array only
    markup : is text that a web page may take in, and follow its reader's light or dark mode
    moves : shows its pictures one after the other
    clear : may have no background
    paged : can hold its pictures on pages of their own
    lines : is printed and zoomed into, so that every cell of a matrix counts
    rows : can hold numbers as a row each
    """

    kind: Literal["picture", "frames", "numbers", "document"]
    text: bool = False
    one_table: bool = False
    markup: bool = False
    moves: bool = False
    clear: bool = False
    paged: bool = False
    lines: bool = False
    rows: bool = False

    @property
    def numbers(self) -> bool:
        """Whether it holds numbers."""
        return self.kind == "numbers"

    @property
    def document(self) -> bool:
        """Whether it holds what a report says."""
        return self.kind == "document"

    @property
    def frames(self) -> bool:
        """Whether it holds the pictures of a whole sweep one by one, not side by side."""
        return self.kind == "frames"

    @property
    def picture(self) -> bool:
        """Whether it holds a picture or several."""
        return self.kind in ("picture", "frames")


FORMATS: dict[str, Format] = {
    "png": Format("picture", clear=True),
    "svg": Format("picture", text=True, markup=True, clear=True, lines=True),
    "pdf": Format("picture", clear=True, paged=True, lines=True),
    "gif": Format("frames", moves=True),
    "webp": Format("frames", moves=True, clear=True),
    "html": Format("frames", text=True, clear=True),
    "npy": Format("numbers", one_table=True),
    "npz": Format("numbers"),
    "csv": Format("numbers", one_table=True, text=True, rows=True),
    "json": Format("numbers", text=True, rows=True),
    "md": Format("document", text=True),
    "tex": Format("document", text=True),
}
FOREIGN = {"eps": "pdf", "ps": "pdf", "pgf": "pdf"}  # formats of other programs, and which of these to take instead
FOREIGN |= dict.fromkeys(("jpg", "jpeg", "bmp", "tif", "tiff", "ico", "avif", "heic"), "png")
FOREIGN |= dict.fromkeys(("mp4", "mov", "avi", "mkv", "webm"), "gif")


def encoded(format: str, content: Any, about: About, kind: str | None = None) -> bytes:
    """Return the bytes of a file of a format in `FORMATS` with what it holds: a drawing, film, document, or numbers in
    parts; of another kind than is usual where one is named."""
    return b"".join(pieces(format, content, about, kind))


def pieces(format: str, content: Any, about: About, kind: str | None = None) -> Iterable[bytes]:
    """Return the same piece by piece: numbers in parts are made while they are written."""
    from pecli.files import animation, documents, numbers, pictures  # late: --help knows the names alone

    modules = {"picture": pictures, "frames": animation, "numbers": numbers, "document": documents}
    encode: Callable[[Any, About], bytes | Iterable[bytes]] = getattr(modules[kind or FORMATS[format].kind], format)
    data = encode(content, about)
    return [data] if isinstance(data, bytes) else data


def format_of(path: str, given: str | None, unsaid: str = "png") -> str:
    """Return the format of a file by its extension, else the given one; without a name to go by else `unsaid`."""
    example = f"{'text' if FORMATS[unsaid].document else 'figure'}.{unsaid}"
    if not path.strip():
        text = f"{option_text('output', path)} is not a file name"
        raise UsageError(text, option="output", value=path, advice=f"try {example}")
    stream = is_stdout(path)
    if not stream and (path.endswith(("/", os.sep)) or os.path.isdir(path)):
        raise no_file(path, example)
    suffix = ending_of(path)
    if suffix in FORMATS:
        if given is not None and given != suffix:
            text = f"{option_text('output', path)} is a .{suffix} file and --format says {given}"
            raise UsageError(text, option="format", value=given, advice="drop one of the two")
        return suffix
    if given is not None and not suffix:
        return given
    if stream or (os.path.exists(path) and not os.path.isfile(path)):
        return unsaid  # standard output, a device or a pipe: no name to go by
    if not suffix:
        text = f"{option_text('output', path)} has no extension to say its format"
        advice = f"try {path}.{unsaid}, or {option_text('format', unsaid)}"
        raise UsageError(text, option="output", value=path, advice=advice)
    other = FOREIGN.get(suffix)
    advice = f"try {Path(path).with_suffix(f'.{other}')}" if other and FORMATS[unsaid].picture else ""
    alike = 1.0 if other else 0.6
    raise UnknownNameError("output format", suffix, FORMATS, option="output", alike=alike, advice=advice)
