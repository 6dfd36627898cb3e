"""The terminal: messages on stderr, results on stdout, progress bars, documents and images.

Whatever is printed may come from a file of somebody else's, so control characters are shown and never sent.

What is sent is made of pixels alone: nothing that stands in a file reaches the terminal. The library textual-image
(LGPL, 0.1 MB) was tried: it knows no iTerm, shows kitty's images by placeholders that kitty alone understands, and asks
the terminal when it is imported.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import select
import shutil
import sys
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pecli.core.lazy import Array, np

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
Tracker = Callable[[Sequence[Any], str], Iterable[Any]]


def silent(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """The items, and nobody is told."""
    return items


TRACKER: ContextVar[Tracker] = ContextVar("tracker", default=silent)


def track(items: Sequence[T], doing: str) -> Iterable[T]:
    """The items one by one, reported to whoever listens."""
    return TRACKER.get()(items, doing)


@dataclass(frozen=True)
class Paragraph:
    """Text in lines that fit; as a heading, or in a style of rich's."""

    text: str = ""
    heading: bool = False
    style: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and what they are, one below the other."""

    facts: Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header, whose cells may have several lines.

    numbers : all columns but the first hold numbers, which stand at the right and are not broken
    plain : without lines around it
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: bool = False
    plain: bool = False


Block = Paragraph | Facts | Table
Document = Iterable[Block]


WIDTHS = (20, 1000)  # columns: a terminal may say anything
TERMINAL_PATIENCE = 1.0  # seconds before a progress bar appears
LONG = 60.0  # seconds that are announced where no bar can be shown


def is_shown(character: str) -> bool:
    """Whether a terminal shows this character and does nothing else: it moves nothing, ends no line, turns no text."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


def can_print(character: str) -> bool:
    """Whether stdout takes this character and a terminal shows it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return is_shown(character) and character.encode(encoding, "ignore") != b""


def escaped(text: str, kept: str = "") -> str:
    """Text with each character that is not shown, nor one of those kept, as its code: ``\\x1b``, ``\\u202e``."""
    if text.isprintable():
        return text
    return "".join(one if one in kept or is_shown(one) else repr(one)[1:-1] for one in text)


def console() -> Console:
    """The console on stderr. NO_COLOR, TERM=dumb and a pipe are rich's to respect."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def prepare_streams() -> None:
    """Lets every text be shown in any terminal, whatever its encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(*lines: str) -> None:
    """A message on stderr, mostly of one line."""
    for line in lines:
        print(f"pecli: {escaped(line)}", file=sys.stderr)


def flush() -> None:
    """Lets go of what was printed, where somebody takes it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, full
            stream.flush()


def results(lines: Iterable[str]) -> None:
    """Results, on stdout."""
    print(escaped("\n".join(lines), "\n"), flush=True)


def json_results(found: Sequence[Any]) -> None:
    """Results on stdout in the one shape of JSON that all commands have."""
    results([json.dumps({"results": found}, allow_nan=False)])


def animated() -> bool:
    """Whether stderr can show something that moves."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def progress(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """The items; once they take longer than a moment, with a bar on stderr, or else a word where they will for long."""
    begun, at = time.monotonic(), 0
    while at < len(items) and time.monotonic() - begun < TERMINAL_PATIENCE:
        yield items[at]
        at += 1
    if at < len(items) and animated():
        from rich.progress import track

        yield from track(items[at:], description=doing, console=console(), transient=True)
    elif at < len(items):
        yield from _announced(items, doing, begun, at)


def _announced(items: Sequence[Any], doing: str, begun: float, done: int) -> Iterable[Any]:
    """The items from that one on; says it once when they will take for long."""
    told = False
    for at in range(done, len(items)):
        left = (time.monotonic() - begun) / max(at, 1) * (len(items) - at)
        if left > LONG and not told:
            say(f"{doing} takes about {duration(left)}; Ctrl-C ends it")
            told = True
        yield items[at]


def duration(seconds: float) -> str:
    """A time as people say it: 3 minutes, 20 hours."""
    for unit, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds:.0f} seconds"


def columns() -> int:
    """How wide the terminal is; 80 where there is none or it does not say, and never beyond `WIDTHS`."""
    size = (80, 24)
    with suppress(AttributeError, OSError, ValueError):
        size = os.get_terminal_size(sys.stdout.fileno())  # shutil asks the first stdout, which may be detached
    told = shutil.get_terminal_size(size).columns or 80
    return min(max(told, WIDTHS[0]), WIDTHS[1])


class Steps:
    """Progress of many pictures on stderr: a bar with names and time left, or a plain line each."""

    def __init__(self, total: int, quiet: bool) -> None:
        self.total, self.quiet, self.done = total, quiet, 0
        self.bar: Any = None
        self.waiting: list[str] = []

    def __enter__(self) -> Self:
        if animated() and not self.quiet:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            shown = (
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.description}", markup=False),
            )
            self.bar = Progress(*shown, console=console(), transient=True)
            self.task = self.bar.add_task("", total=self.total)
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
        if self.waiting:
            results(self.waiting)

    def advance(self, text: str, notes: Sequence[str]) -> None:
        """One picture more, with what the user should know about it."""
        self.done += 1
        if self.bar is not None:
            self.bar.update(self.task, advance=1, description=escaped(text))
        elif not self.quiet:
            say(f"[{self.done}/{self.total}] {text}")
        for note in [] if self.quiet else notes:
            say(note)

    def result(self, paths: Iterable[str]) -> None:
        """Paths for stdout; kept until a bar is gone, so that they do not run into it."""
        if self.bar is not None:
            self.waiting += paths
        else:
            results(paths)


CELL = 10  # pixels of a column, where the terminal does not say it
TERMINAL_IMAGES_PATIENCE = 1.0  # seconds in which a terminal answers, also from far away
CHUNK = 4096  # characters that kitty takes at once
BAND = 6  # rows of pixels in a sixel
COLOURS = 256  # of a sixel image
KITTY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"  # may it be shown?
ATTRIBUTES = "\x1b[c"  # what every terminal answers
ATTRIBUTES_ARE = re.compile(rb"\x1b\[\?([\d;]*)c")
SIXEL = b"4"  # among them


def kitty(pixels: Array, columns: int) -> str:
    """Pixels, shape (h, w, 3), uint8, so many columns wide, by kitty's graphics protocol."""
    height, width, _ = pixels.shape
    data = base64.b64encode(zlib.compress(pixels.tobytes())).decode()
    parts = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    head = f"a=T,f=24,o=z,q=2,s={width},v={height},c={columns},"
    keys = [head, *[""] * (len(parts) - 1)]
    more = [1] * (len(parts) - 1) + [0]
    return "".join(f"\x1b_G{key}m={m};{part}\x1b\\" for key, m, part in zip(keys, more, parts, strict=True))


def iterm(pixels: Array, columns: int) -> str:
    """The same by iTerm's inline images."""
    from PIL import Image

    Image.fromarray(pixels).save(file := io.BytesIO(), "png")
    data = file.getvalue()
    keys = f"inline=1;size={len(data)};width={columns};preserveAspectRatio=1"
    return f"\x1b]1337;File={keys}:{base64.b64encode(data).decode()}\x07"


def sixel(pixels: Array, columns: int) -> str:
    """The same as sixels, of at most so many colours; as wide as the pixels are."""
    from PIL import Image

    image = Image.fromarray(pixels).quantize(COLOURS)
    known, index = image.getpalette() or [], np.asarray(image)
    height, width = index.shape
    used = np.unique(index).tolist()
    shares = {at: [round(100 * one / 255) for one in known[3 * at : 3 * at + 3]] for at in used}
    palette = "".join(f"#{at};2;{red};{green};{blue}" for at, (red, green, blue) in shares.items())
    bands = "-".join(_band(index[top : top + BAND]) for top in range(0, height, BAND))
    return f'\x1bP0;1q"1;1;{width};{height}{palette}{bands}\x1b\\'


def _band(rows: Array) -> str:
    """Six rows of pixels: of each colour in them, in which columns and rows it stands."""
    weights = 1 << np.arange(len(rows))
    lines = []
    for colour in np.unique(rows).tolist():
        signs = (weights @ (rows == colour) + 63).astype(np.uint8).tobytes().decode()
        lines.append(f"#{colour}" + re.sub(r"(.)\1{3,}", lambda run: f"!{len(run[0])}{run[1]}", signs))
    return "$".join(lines)


def half_blocks(pixels: Array, console: Console) -> Any:
    """The same as rich's segments, two pixels a character, one column a pixel, in the colours that the console has."""
    from rich.color import Color
    from rich.segment import Segment, Segments
    from rich.style import Style

    even = np.concatenate([pixels, pixels[-1:]]) if len(pixels) % 2 else pixels
    found: list[Segment] = []
    for upper, lower in zip(even[::2].tolist(), even[1::2].tolist(), strict=True):
        cells = zip(upper, lower, strict=True)
        found += [Segment("▀", Style(color=Color.from_rgb(*up), bgcolor=Color.from_rgb(*down))) for up, down in cells]
        found.append(Segment.line())
    return Segments(found)


PROTOCOLS: dict[str, Callable[[Array, int], str]] = {"kitty": kitty, "iterm": iterm, "sixel": sixel}


def protocol(environment: Mapping[str, str] = os.environ, ask: Callable[[str], bytes] | None = None) -> str | None:
    """Which of the protocols the terminal says that it has; None where it says nothing."""
    if environment.get("TERM") == "dumb":
        return None
    inside = "TMUX" in environment or environment.get("TERM", "").startswith(("screen", "tmux"))
    program = (environment.get("TERM_PROGRAM"), environment.get("LC_TERMINAL"))
    if not inside and ("iTerm.app" in program or "iTerm2" in program):
        return "iterm"
    said = (ask or answer)(ATTRIBUTES if inside else KITTY + ATTRIBUTES)  # tmux takes kitty's question for a title
    if b"\x1b_Gi=31;OK" in said:
        return "kitty"
    attributes = ATTRIBUTES_ARE.search(said)
    return "sixel" if attributes and SIXEL in attributes[1].split(b";") else None


def answer(question: str) -> bytes:
    """What the terminal answers to it and to the question for its attributes; nothing where there is none to ask."""
    with suppress(OSError, ImportError), _unbuffered() as terminal:
        os.write(terminal, question.encode())
        return heard(terminal)
    return b""


def heard(terminal: int) -> bytes:
    """What a terminal says until it has said its attributes, or has had time to."""
    said, end = b"", time.monotonic() + TERMINAL_IMAGES_PATIENCE
    while ATTRIBUTES_ARE.search(said) is None:
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            break
        said += os.read(terminal, 1024)
    return said


@contextmanager
def _unbuffered() -> Iterator[int]:
    """The terminal, which gives every character at once and shows none of them; raises OSError without one."""
    import termios
    import tty

    terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    try:
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal)
            yield terminal
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    finally:
        os.close(terminal)


def pixels_across(columns: int) -> int:
    """How many pixels the terminal is wide, as it says."""
    with suppress(ImportError, OSError):
        import fcntl
        import struct
        import termios

        _, _, across, _ = struct.unpack("4H", fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8)))
        if across:
            return int(across)
    return CELL * columns


ASCII = str.maketrans({"−": "-", "…": "...", "⋮": ":"})


def show(document: Document) -> None:
    """A document on stdout, one block below the other."""
    from rich.console import Console

    screen = Console(highlight=False, width=columns())
    for one in document:
        screen.print(_harmless(screen, _renderable(one)), end="")


def _harmless(screen: Console, renderable: Any) -> Any:
    """What rich makes of it, with the texts escaped: rich itself lets most control characters through."""
    from rich.segment import Segment, Segments

    lines = screen.render_lines(renderable, pad=False, new_lines=True)
    return Segments(Segment(escaped(text, "\n"), style, control) for line in lines for text, style, control in line)


def _renderable(block: Block) -> Any:
    """The block as rich shows it."""
    from rich.text import Text

    if isinstance(block, Paragraph):
        return Text(_printable(block.text), style="bold" if block.heading else block.style)
    if isinstance(block, Table):
        return _table(block)
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 2))
    for name, fact in block.facts.items():
        grid.add_row(Text(_printable(name), style="bold"), Text(_printable(fact)))
    return grid


def _table(block: Table) -> Any:
    """An aligned table."""
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    style: Any = {"show_edge": False, "collapse_padding": True} if block.plain else {}
    grid = Grid(box=box.SIMPLE_HEAD if _unicode() else box.ASCII2, pad_edge=False, **style)
    for title in block.header:
        grid.add_column(
            Text(_printable(title)),
            overflow="fold",
            justify="right" if block.numbers else "left",
            no_wrap=block.numbers,
        )
    for row in block.rows:
        grid.add_row(*(Text(_printable(cell)) for cell in row))
    return grid


def _unicode() -> bool:
    """Whether stdout takes more than ASCII."""
    return "utf" in (getattr(sys.stdout, "encoding", "") or "").lower()


def _printable(text: str) -> str:
    """Text as a terminal shows it, before rich drops what it does not; with signs of ours in ASCII where it must be."""
    shown = escaped(text, "\n")
    return shown if _unicode() else shown.translate(ASCII)
