"""The terminal: messages on stderr, results on stdout, progress bars, documents and images.

Whatever is printed may come from a file of somebody else's, so control characters are shown and never sent.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pecli.core.errors import escaped, is_shown
from pecli.core.lazy import Array, np

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
Tracker = Callable[[Sequence[Any], str], Iterable[Any]]
DELAY = 1.0  # seconds before a progress bar appears
WIDTHS = (20, 1000)  # columns: a terminal may say anything
ASCII = str.maketrans({"−": "-", "…": "...", "⋮": ":"})
CHUNK = 4096  # characters that kitty takes at once


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


def can_print(character: str) -> bool:
    """Whether stdout takes this character and a terminal shows it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return is_shown(character) and character.encode(encoding, "ignore") != b""


def columns() -> int:
    """Return how wide the terminal is; 80 where there is none or it does not say, and never beyond `WIDTHS`."""
    return min(max(shutil.get_terminal_size().columns, WIDTHS[0]), WIDTHS[1])


def say(*lines: str) -> None:
    """Print a message on stderr, mostly of one line."""
    for line in lines:
        print(f"pecli: {escaped(line)}", file=sys.stderr)


def results(lines: Iterable[str]) -> None:
    """Print results on stdout."""
    print(escaped("\n".join(lines), "\n"), flush=True)


def json_results(found: Sequence[Any]) -> None:
    """Print results on stdout in the one shape of JSON that all commands have."""
    results([json.dumps({"results": found}, allow_nan=False)])


def silent(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """Return the items, and nobody is told."""
    return items


TRACKER: ContextVar[Tracker] = ContextVar("tracker", default=silent)


def track(items: Sequence[T], doing: str) -> Iterable[T]:
    """Return the items one by one, reported to whoever listens."""
    return TRACKER.get()(items, doing)


def animated() -> bool:
    """Whether stderr can show something that moves."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def progress(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """Yield the items, with a bar on stderr once they take longer than a moment."""
    begun, at = time.monotonic(), 0
    while at < len(items) and (time.monotonic() - begun < DELAY or not animated()):
        yield items[at]
        at += 1
    if at < len(items):
        from rich.progress import track

        yield from track(items[at:], description=doing, console=_stderr(), transient=True)


def _stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def duration(seconds: float) -> str:
    """Return a time as people say it: 3 minutes, 20 hours."""
    for unit, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds:.0f} seconds"


class Steps:
    """Progress of many pictures on stderr: a bar with names and time left, or a plain line each."""

    def __init__(self, total: int, quiet: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.total, self.quiet, self.done = total, quiet, 0
        self.moves = animated() and not quiet
        self.waiting: list[str] = []  # results, until the bar is gone, so that they do not run into it
        parts = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        text = TextColumn("{task.description}", markup=False)
        self.bar = Progress(*parts, text, console=_stderr(), transient=True)
        self.task = self.bar.add_task("", total=total)

    def __enter__(self) -> Self:
        if self.moves:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.moves:
            self.bar.stop()
        if self.waiting:
            results(self.waiting)

    def advance(self, text: str, notes: Sequence[str]) -> None:
        """Count one picture more, with what the user should know about it."""
        self.done += 1
        self.bar.update(self.task, advance=1, description=escaped(text))
        if not self.quiet:
            say(*([] if self.moves else [f"[{self.done}/{self.total}] {text}"]), *notes)

    def result(self, paths: Iterable[str]) -> None:
        """Print paths on stdout."""
        if self.moves:
            self.waiting += paths
        else:
            results(paths)


def show(document: Document) -> None:
    """Print a document on stdout, one block below the other."""
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    screen = Console(highlight=False, width=columns())
    for block in document:
        if isinstance(block, Paragraph):
            screen.print(Text(_printable(block.text), style="bold" if block.heading else block.style))
        elif isinstance(block, Table):
            screen.print(_table(block), end="")
        else:
            grid = Grid.grid(padding=(0, 2))
            for name, fact in block.facts.items():
                grid.add_row(Text(_printable(name), style="bold"), Text(_printable(fact)))
            screen.print(grid, end="")


def _table(block: Table) -> Any:
    """Return an aligned table of rich's."""
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    style: Any = {"show_edge": False, "collapse_padding": True} if block.plain else {}
    grid = Grid(box=box.SIMPLE_HEAD if _unicode() else box.ASCII2, pad_edge=False, **style)
    side: Any = "right" if block.numbers else "left"
    for title in block.header:
        grid.add_column(Text(_printable(title)), overflow="fold", justify=side, no_wrap=block.numbers)
    for row in block.rows:
        grid.add_row(*(Text(_printable(cell)) for cell in row))
    return grid


def _unicode() -> bool:
    """Whether stdout takes more than ASCII."""
    return "utf" in (getattr(sys.stdout, "encoding", "") or "").lower()


def _printable(text: str) -> str:
    """Return text as a terminal shows it, with signs of ours in ASCII where it must be."""
    shown = escaped(text, "\n")
    return shown if _unicode() else shown.translate(ASCII)


def kitty(pixels: Array, columns: int) -> str:
    """Return pixels, shape (h, w, 3), uint8, so many columns wide, by kitty's graphics protocol."""
    height, width, _ = pixels.shape
    data = base64.b64encode(zlib.compress(pixels.tobytes())).decode()
    parts = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    heads = [f"a=T,f=24,o=z,q=2,s={width},v={height},c={columns},"] + [""] * (len(parts) - 1)
    more = [1] * (len(parts) - 1) + [0]
    return "".join(f"\x1b_G{head}m={m};{part}\x1b\\" for head, m, part in zip(heads, more, parts, strict=True))


def iterm(pixels: Array, columns: int) -> str:
    """Return the same by iTerm's inline images."""
    from PIL import Image

    Image.fromarray(pixels).save(file := io.BytesIO(), "png")
    data = file.getvalue()
    keys = f"inline=1;size={len(data)};width={columns};preserveAspectRatio=1"
    return f"\x1b]1337;File={keys}:{base64.b64encode(data).decode()}\x07"


PROTOCOLS: dict[str, Callable[[Array, int], str]] = {"kitty": kitty, "iterm": iterm}


def protocol(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return which of the protocols the terminal has, as its environment says; None for half-blocks."""
    kind = environment.get("TERM", "")
    programs = {environment.get("TERM_PROGRAM"), environment.get("LC_TERMINAL")}
    if kind == "dumb" or "TMUX" in environment or kind.startswith(("screen", "tmux")):
        return None
    if programs & {"iTerm.app", "iTerm2", "WezTerm"}:
        return "iterm"
    return "kitty" if "KITTY_WINDOW_ID" in environment or kind in ("xterm-kitty", "xterm-ghostty") else None


def half_blocks(pixels: Array, console: Console) -> Any:
    """Return pixels as rich's segments, two a character, one column a pixel, in the colours that the console has."""
    from rich.color import Color
    from rich.segment import Segment, Segments
    from rich.style import Style

    even = np.concatenate([pixels, pixels[-1:]]) if len(pixels) % 2 else pixels
    segments: list[Segment] = []
    for upper, lower in zip(even[::2].tolist(), even[1::2].tolist(), strict=True):
        cells = zip(upper, lower, strict=True)
        segments += [
            Segment("▀", Style(color=Color.from_rgb(*up), bgcolor=Color.from_rgb(*down))) for up, down in cells
        ]
        segments.append(Segment.line())
    return Segments(segments)
