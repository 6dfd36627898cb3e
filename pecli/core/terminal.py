"""The terminal: messages on stderr, results on stdout, documents and images.

Whatever is printed may come from a file of somebody else's, so control characters are shown and never sent.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pecli.core.errors import escaped
from pecli.core.lazy import Array, np
from pecli.core.progress import animated

ASCII = str.maketrans({"−": "-", "…": "...", "⋮": ":"})
CHUNK = 4096  # characters of data that kitty takes at once


CODE = "code"  # the style of what is to be typed


@dataclass(frozen=True)
class Paragraph:
    """Text in lines that fit; as a heading, in a style of rich's, or as a line to type in a file."""

    text: str = ""
    heading: bool = False
    style: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and what they are, one below the other."""

    facts: Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header, whose cells may have several lines."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: bool = False  # whether columns hold numbers, which stand at the right and are not broken
    plain: bool = False  # whether it has no lines around it


Block = Paragraph | Facts | Table
Document = Iterable[Block]


def columns() -> int:
    """Return how wide the terminal is; 80 where there is none or it does not say."""
    return shutil.get_terminal_size().columns


def print_notes(*lines: str) -> None:
    """Print a message on stderr, mostly of one line."""
    for line in lines:
        print(f"pecli: {escaped(line)}", file=sys.stderr)


def print_results(lines: Iterable[str]) -> None:
    """Print results on stdout."""
    print(escaped("\n".join(lines), "\n"), flush=True)


def print_json(found: Sequence[Any]) -> None:
    """Print results on stdout in the one shape of JSON that all commands have."""
    print_results([json.dumps({"results": found}, allow_nan=False)])


class Steps:
    """Progress of many pictures on stderr: a bar with names and time left, or a plain line each."""

    def __init__(self, total: int, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.total, self.quiet, self.done = total, quiet, 0
        self.moves = animated() and not quiet
        self.waiting: list[str] = []  # results, until the bar is gone, so that they do not run into it
        text = TextColumn("{task.description}", markup=False)
        parts = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), text)
        self.bar = Progress(*parts, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task("", total=total)

    def __enter__(self) -> Self:
        if self.moves:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.moves:
            self.bar.stop()
        if self.waiting:
            print_results(self.waiting)

    def advance(self, text: str, notes: Sequence[str], paths: Sequence[str] = ()) -> None:
        """Count one picture more, with what the user should know about it and paths to print on stdout."""
        self.done += 1
        self.bar.update(self.task, advance=1, description=escaped(text))
        if not self.quiet:
            print_notes(*([] if self.moves else [f"[{self.done}/{self.total}] {text}"]), *notes)
        if self.moves:
            self.waiting += paths
        elif paths:
            print_results(paths)


def show(document: Document, stderr: bool = False) -> None:
    """Print a document on stdout, or on stderr."""
    from rich.console import Console

    screen = Console(highlight=False, width=columns(), stderr=stderr)
    screen.file.write(_rendered(document, screen))
    screen.file.flush()


def as_text(document: Document, width: int) -> str:
    """Return what `show` prints, without colours, in lines of so many characters."""
    from rich.console import Console

    screen = Console(file=io.StringIO(), highlight=False, width=width, force_jupyter=False)
    return _rendered(document, screen).rstrip()


BLANKS = re.compile(r"(?: |\x1b\[[\d;]*m)+$", re.MULTILINE)  # at the end of a line, with styles that begin or end there


def _rendered(document: Document, screen: Any) -> str:
    """Return the blocks one below the other, without the blanks that rich puts at the ends of lines."""
    with screen.capture() as captured:
        _print_blocks(document, screen)
    return BLANKS.sub(lambda match: match[0].replace(" ", ""), captured.get())


def _print_blocks(document: Document, screen: Any) -> None:
    """Print the blocks one below the other."""
    from rich.table import Table as Grid

    for block in document:
        if isinstance(block, Paragraph):
            screen.print(_text(block.text, "bold" if block.heading else block.style))
        elif isinstance(block, Table):
            screen.print(_table(block), end="")
        else:
            grid = Grid.grid(padding=(0, 2))
            for name, fact in block.facts.items():
                grid.add_row(_text(name, "bold"), _text(fact))
            screen.print(grid, end="")


def _table(block: Table) -> Any:
    """Return an aligned table of rich's."""
    from rich import box
    from rich.table import Table as Grid

    lines = box.SIMPLE_HEAD if _unicode() else box.ASCII2
    grid = Grid(box=lines, pad_edge=False, show_edge=not block.plain, collapse_padding=block.plain)
    for title in block.header:
        side: Any = "right" if block.numbers else "left"
        grid.add_column(_text(title), overflow="fold", justify=side, no_wrap=block.numbers)
    for row in block.rows:
        grid.add_row(*map(_text, row))
    return grid


def _unicode() -> bool:
    """Return whether stdout takes more than ASCII."""
    return "utf" in (getattr(sys.stdout, "encoding", "") or "").lower()


def _text(text: str, style: str = "") -> Any:
    """Return rich's text, with signs of ours in ASCII where it must be."""
    from rich.text import Text

    shown = escaped(text, "\n")
    return Text(shown if _unicode() else shown.translate(ASCII), style)


def kitty(png: bytes, columns: int) -> str:
    """Return a picture, so many columns wide, by kitty's graphics protocol."""
    data = base64.b64encode(png).decode()
    parts = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    keys = [f"a=T,f=100,q=2,c={columns},m=1", *["m=1"] * (len(parts) - 1)]
    keys[-1] = keys[-1].replace("m=1", "m=0")
    return "".join(f"\x1b_G{key};{part}\x1b\\" for key, part in zip(keys, parts, strict=True))


def iterm(png: bytes, columns: int) -> str:
    """Return a picture, so many columns wide, by iTerm's inline images."""
    keys = f"inline=1;size={len(png)};width={columns};preserveAspectRatio=1"
    return f"\x1b]1337;File={keys}:{base64.b64encode(png).decode()}\x07"


PROTOCOLS: dict[str, Callable[[bytes, int], str]] = {"kitty": kitty, "iterm": iterm}


def protocol(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return which of the protocols the terminal has, as its environment says; None for half-blocks."""
    kind = environment.get("TERM", "")
    programs = {environment.get("TERM_PROGRAM"), environment.get("LC_TERMINAL")}
    if kind == "dumb" or "TMUX" in environment or kind.startswith(("screen", "tmux")):
        return None
    if programs & {"iTerm.app", "iTerm2", "WezTerm"}:
        return "iterm"
    return "kitty" if "KITTY_WINDOW_ID" in environment or kind in ("xterm-kitty", "xterm-ghostty") else None


def half_blocks(pixels: Array) -> Any:
    """Return pixels, shape (h, w, 3), uint8, as rich's segments, two a character, one column a pixel."""
    from rich.color import Color
    from rich.segment import Segment, Segments
    from rich.style import Style

    even = np.concatenate([pixels, pixels[-1:]]) if len(pixels) % 2 else pixels
    segments: list[Segment] = []
    for upper, lower in zip(even[::2].tolist(), even[1::2].tolist(), strict=True):
        colours = [(Color.from_rgb(*up), Color.from_rgb(*down)) for up, down in zip(upper, lower, strict=True)]
        segments += [Segment("▀", Style(color=up, bgcolor=down)) for up, down in colours]
        segments.append(Segment.line())
    return Segments(segments)
