"""The file formats and what each can hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pecli.core.errors import UnknownNameError, UsageError, option_text
from pecli.files.writer import ending_of, folder_error, is_stdout

if TYPE_CHECKING:
    from pecli.files.metadata import FileMetadata


@dataclass(frozen=True)
class Format:
    """What a file of one format can hold.

    kind : one picture, frames shown one by one, numbers, or a report
    text : whether the file can be printed in a terminal
    one_table : whether the file holds only one array
    markup : whether the file can be embedded in a web page and adapt to light and dark mode
    moves : whether the file plays its pictures as an animation
    clear : whether backgrounds can be transparent
    paged : whether the file can have several pages
    lines : whether readers print the file or zoom in, so that every cell of a matrix is drawn
    rows : whether the file can have one row per number
    separated : whether the file has cells with a separator, and numbers with a decimal sign
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
    separated: bool = False

    @property
    def numbers(self) -> bool:
        """Whether a file of this format holds numbers."""
        return self.kind == "numbers"

    @property
    def document(self) -> bool:
        """Whether a file of this format holds a report."""
        return self.kind == "document"

    @property
    def frames(self) -> bool:
        """Whether a file of this format shows the pictures of a sweep one by one instead of side by side."""
        return self.kind == "frames"

    @property
    def picture(self) -> bool:
        """Whether a file of this format holds one or more pictures."""
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
    "csv": Format("numbers", one_table=True, text=True, rows=True, separated=True),
    "json": Format("numbers", text=True, rows=True),
    "md": Format("document", text=True),
    "tex": Format("document", text=True),
}
UNSUPPORTED = {"eps": "pdf", "ps": "pdf", "pgf": "csv"}  # other formats, and which of these to use instead
UNSUPPORTED |= dict.fromkeys(("jpg", "jpeg", "bmp", "tif", "tiff", "ico", "avif", "heic"), "png")
UNSUPPORTED |= dict.fromkeys(("mp4", "mov", "avi", "mkv", "webm"), "gif")


def encode(format: str, content: Any, about: FileMetadata, kind: str | None = None) -> bytes:
    """Return the bytes of a file in one of the `FORMATS`.

    content : a drawing, animation, document, or numbers in parts
    kind : kind of the content, by default the format's `kind`
    """
    return b"".join(encode_pieces(format, content, about, kind))


def encode_pieces(format: str, content: Any, about: FileMetadata, kind: str | None = None) -> Iterable[bytes]:
    """Return the bytes that `encode` returns, in pieces; numbers in parts are computed while they are written."""
    from pecli.files import animation, documents, numbers, pictures  # imported late: --help needs only the names

    modules = {"picture": pictures, "frames": animation, "numbers": numbers, "document": documents}
    encode: Callable[[Any, FileMetadata], bytes | Iterable[bytes]] = getattr(
        modules[kind or FORMATS[format].kind], format
    )
    data = encode(content, about)
    return [data] if isinstance(data, bytes) else data


def format_of(path: str, given: str | None, default: str, known: Collection[str] = ()) -> str:
    """Return a file's format: its extension; without one, the `given` format.

    default : format for standard output and devices if none is given
    known : formats that the command can write, for an error message; by default all

    Raises UsageError if the format is unknown, or if the extension differs from the given format.
    """
    example = f"{'text' if FORMATS[default].document else 'figure'}.{default}"
    if not path.strip():
        text = f"{option_text('output', path)} is not a file name"
        raise UsageError(text, option="output", value=path, advice=f"try {example}")
    stream, suffix = is_stdout(path), ending_of(path)
    if not stream and (path.endswith(("/", os.sep)) or (suffix not in FORMATS and os.path.isdir(path))):
        raise folder_error(path, example)
    if suffix in FORMATS:
        if given is not None and given != suffix:
            text = f"{option_text('output', path)} is a .{suffix} file, but --format says {given}"
            raise UsageError(text, option="format", value=given, advice="leave one of them out")
        return suffix
    if given is not None and not suffix:
        return given
    if stream or (os.path.exists(path) and not os.path.isfile(path)):
        return default  # standard output, a device or a pipe has no extension
    if not suffix:
        text = f"{option_text('output', path)} has no extension, so its format is unknown"
        advice = f"try {path}.{default}, or {option_text('format', default)}"
        raise UsageError(text, option="output", value=path, advice=advice)
    other = UNSUPPORTED.get(suffix)
    advice = f"try {Path(path).with_suffix(f'.{other}')}" if other and FORMATS[default].picture else ""
    advice += ", whose numbers pgfplots can draw (see gallery/use.md)" if advice and other == "csv" else ""
    alike = 1.0 if other else 0.6
    raise UnknownNameError("output format", suffix, known or FORMATS, option="output", alike=alike, advice=advice)
