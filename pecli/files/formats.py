"""The formats of a result, what each can hold, and what a file says of itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.lazy import late
from pecli.files.writer import is_stdout, no_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


class About(NamedTuple):
    """Text that goes into a finished file where its format has a place for it.

    job : the job as JSON in ASCII
    salt : a short name that no other job has, which begins the names inside an SVG file
    title : of the picture, one line
    sentence : what is seen, for who does not see it
    inline : an SVG without what stands before its first tag
    adaptive : an SVG whose ink follows the reader's light or dark mode
    """

    job: str
    salt: str
    title: str = ""
    sentence: str = ""
    inline: bool = False
    adaptive: bool = False


Bytes = tuple[bytes, ...]
T = TypeVar("T")


class Mapper(Protocol):
    """Who does it, in this process or several."""

    def __call__(self, work: Callable[[T], Bytes], things: Sequence[T], doing: str) -> Iterable[Bytes]:
        """What the work gives for each thing, in order."""


def here(work: Callable[[T], Bytes], things: Sequence[T], doing: str) -> Iterable[Bytes]:
    """What the work gives for each thing, done in this process."""
    return map(work, things)


DRAWING = "drawing"  # what a bar says meanwhile


class SweptOption(NamedTuple):
    """An option whose values the frames have.

    texts : what is said of each value
    number : whether the values are numbers, to be run through; else words, to be chosen from
    """

    name: str
    texts: tuple[str, ...]
    number: bool


class Frame(NamedTuple):
    """One picture: what is drawn, what tells it from the others, the line that makes it alone, what there is to see."""

    drawing: Drawing
    label: str
    line: str
    message: str = ""


@dataclass(frozen=True)
class Film:
    """The frames, the last of the swept options running fastest, all laid out alike.

    dpi : pixels an inch; a page has pictures of twice as many too
    seconds : that each frame is shown
    times : that it plays, None for ever
    each : turns the drawings into bytes
    """

    frames: tuple[Frame, ...]
    swept: tuple[SweptOption, ...]
    dpi: int
    seconds: float
    times: int | None
    each: Mapper

    @property
    def drawings(self) -> list[Drawing]:
        """What is drawn on each frame."""
        return [frame.drawing for frame in self.frames]


@dataclass(frozen=True)
class Format:
    """One format.

    numbers : holds numbers, not a picture
    document : holds what a report says, neither numbers nor a picture
    text : may go to a terminal
    frames : holds the pictures of a whole sweep one by one, not side by side
    moves : shows them one after the other
    markup : is text that a web page may take in, and follow its reader's light or dark mode
    clear : may have no background, where it is a picture
    pieces : of a drawing, numbers or a document, what it says of itself, the bytes of a file
    one_table : holds one array only
    """

    numbers: bool
    pieces: Callable[[Any, About], Iterator[bytes]]
    one_table: bool = False
    document: bool = False
    text: bool = False
    frames: bool = False
    moves: bool = False
    markup: bool = False
    clear: bool = False

    @property
    def picture(self) -> bool:
        """Whether it holds a picture."""
        return not (self.numbers or self.document)


FORMATS: dict[str, Format] = {
    "png": Format(False, late("pecli.files.pictures:png"), clear=True),
    "svg": Format(False, late("pecli.files.pictures:svg"), text=True, markup=True, clear=True),
    "pdf": Format(False, late("pecli.files.pictures:pdf"), clear=True),
    "gif": Format(False, late("pecli.files.animation:gif"), frames=True, moves=True),
    "webp": Format(False, late("pecli.files.animation:webp"), frames=True, moves=True, clear=True),
    "html": Format(False, late("pecli.files.animation:html"), text=True, frames=True, clear=True),
    "npy": Format(True, late("pecli.files.numbers:npy"), one_table=True),
    "npz": Format(True, late("pecli.files.numbers:npz")),
    "csv": Format(True, late("pecli.files.numbers:csv"), one_table=True, text=True),
    "json": Format(True, late("pecli.files.numbers:json_"), text=True),
    "md": Format(False, late("pecli.files.documents:md"), document=True, text=True),
    "tex": Format(False, late("pecli.files.documents:tex"), document=True, text=True),
}

INSTEAD = {"image/": "png", "application/postscript": "pdf", "video/": "gif"}  # by what a file is to other programs


def encoded(format: str, what: Any, about: About) -> Iterator[bytes]:
    """The bytes of a file of that format, piece by piece.

    Parameters
    ----------
    format : a name in `FORMATS`
    what : a drawing, numbers or a document, whichever the format holds
    about : its job, title and the like
    """
    return FORMATS[format].pieces(what, about)


def format_of(path: str, given: str | None, unsaid: str = "png") -> str:
    """The format of a file by its extension, else the given one; of standard output the given one, else `unsaid`."""
    example = f"{'text' if FORMATS[unsaid].document else 'figure'}.{unsaid}"
    if not path.strip():
        text = f"{mention('output', path)} is no name of a file"
        raise UsageError(text, option="output", value=path, advice=f"try {example}")
    stream = is_stdout(path)
    if not stream and (path.endswith(("/", os.sep)) or os.path.isdir(path)):
        raise no_file(path, example)
    suffix = "" if stream else Path(path).suffix.lower().removeprefix(".")
    if suffix in FORMATS:
        if given is not None and given != suffix:
            text = f"{mention('output', path)} is a .{suffix} file and {mention('format')} says {given}"
            raise UsageError(text, option="format", value=given, advice="drop one of the two")
        return suffix
    if given is not None and not suffix:
        return given
    if stream or (os.path.exists(path) and not os.path.isfile(path)):
        return unsaid  # standard output, a device or a pipe: no name to go by
    if not suffix:
        text = f"{mention('output', path)} has no extension to say its format"
        raise UsageError(
            text, option="output", value=path, advice=f"try {path}.{unsaid}, or {mention('format', unsaid)}"
        )
    unknown = UnknownNameError("output format", suffix, FORMATS, option="output", alike=_slip(suffix))
    if not unknown.nearest and FORMATS[unsaid].picture:
        unknown.advice = _instead(path)
    raise unknown


def _instead(path: str) -> str:
    """The same file in a format there is, for one of pixels, of drawings or of a film; else nothing."""
    import mimetypes

    kind = mimetypes.MimeTypes().guess_type(Path(path).name)[0] or ""
    format = next((format for begun, format in INSTEAD.items() if kind.startswith(begun)), "")
    return f"try {Path(path).with_suffix(f'.{format}')}" if format else ""


def _slip(suffix: str) -> float:
    """How alike a format that was meant has to be: one that swaps letters less than one of another program (jpg)."""
    return 0.5 if sorted(suffix) in map(sorted, FORMATS) else 0.75
