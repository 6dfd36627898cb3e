"""Terminal output: messages on stderr, results on stdout, documents and images.

Printed text may come from other people's files, so control characters are escaped.
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
from pecli.core.progress import supports_animation

ASCII = str.maketrans({"−": "-", "…": "...", "⋮": ":"})
CHUNK = 4096  # characters of data in one kitty escape code


CODE = "code"  # style of a command to type


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, wrapped to the width: a heading if `heading` is set, a command to type if `style` is CODE."""

    text: str = ""
    heading: bool = False
    style: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and values, one pair per line."""

    facts: Mapping[str, str]


@dataclass(frozen=True)
class TextTable:
    """A header and rows of cells; cells may have several lines."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: bool = False  # whether columns are numbers, right-aligned and never wrapped
    plain: bool = False  # whether it is drawn without a frame


Block = Paragraph | Facts | TextTable
Document = Iterable[Block]


def columns() -> int:
    """Return the width of the terminal in columns; 80 if unknown."""
    return shutil.get_terminal_size().columns


def print_notes(*lines: str) -> None:
    """Print messages on stderr, each with the prefix ``pecli:``."""
    for line in lines:
        print(f"pecli: {escaped(line)}", file=sys.stderr)


def print_results(lines: Iterable[str]) -> None:
    """Print results on stdout."""
    print("\n".join(escaped(line, "\n") for line in lines), flush=True)  # fast for printable lines


def print_json(results: Sequence[Any]) -> None:
    """Print results on stdout as JSON, in the form that all commands share: {"results": [...]}."""
    print_results([json.dumps({"results": results}, allow_nan=False)])


class Steps:
    """Progress of many pictures on stderr: a bar with names and remaining time, or one line per picture."""

    def __init__(self, total: int, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.total, self.quiet, self.done = total, quiet, 0
        self.moves = supports_animation() and not quiet
        self.waiting: list[str] = []  # results held back until the bar is gone
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

    def advance(self, text: str, notes: Sequence[str], paths: Sequence[str]) -> None:
        """Count one more picture; print its notes on stderr and its paths on stdout."""
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
    """Return what `show` prints, without colours, wrapped to a width in characters."""
    from rich.console import Console

    screen = Console(file=io.StringIO(), highlight=False, width=width, force_jupyter=False)
    return _rendered(document, screen).rstrip()


BLANKS = re.compile(r"(?: |\x1b\[[\d;]*m)+$", re.MULTILINE)  # spaces and styles at the end of a line


def _rendered(document: Document, screen: Any) -> str:
    """Return the blocks one below the other, without rich's trailing spaces."""
    with screen.capture() as captured:
        _print_blocks(document, screen)
    return BLANKS.sub(lambda match: match[0].replace(" ", ""), captured.get())


def _print_blocks(document: Document, screen: Any) -> None:
    """Print the blocks one after the other."""
    from rich.table import Table as Grid

    for block in document:
        if isinstance(block, Paragraph):
            screen.print(_text(block.text, "bold" if block.heading else block.style))
        elif isinstance(block, TextTable):
            screen.print(_table(block), end="")
        else:
            grid = Grid.grid(padding=(0, 2))
            for name, fact in block.facts.items():
                grid.add_row(_text(name, "bold"), _text(fact))
            screen.print(grid, end="")


def _table(block: TextTable) -> Any:
    """Return the table as a rich table."""
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
    """Return True if stdout can print more than ASCII."""
    return "utf" in (getattr(sys.stdout, "encoding", "") or "").lower()


def _text(text: str, style: str = "") -> Any:
    """Return the text as rich text, control characters escaped; signs such as − become ASCII if stdout needs it."""
    from rich.text import Text

    shown = escaped(text, "\n")
    return Text(shown if _unicode() else shown.translate(ASCII), style)


def kitty(png: bytes, columns: int) -> str:
    """Return the escape codes that show a PNG by kitty's graphics protocol, `columns` wide."""
    data = base64.b64encode(png).decode()
    parts = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    keys = [f"a=T,f=100,q=2,c={columns},m=1", *["m=1"] * (len(parts) - 1)]
    keys[-1] = keys[-1].replace("m=1", "m=0")
    return "".join(f"\x1b_G{key};{part}\x1b\\" for key, part in zip(keys, parts, strict=True))


def iterm(png: bytes, columns: int) -> str:
    """Return the escape code that shows a PNG as an iTerm inline image, `columns` wide."""
    keys = f"inline=1;size={len(png)};width={columns};preserveAspectRatio=1"
    return f"\x1b]1337;File={keys}:{base64.b64encode(png).decode()}\x07"


PROTOCOLS: dict[str, Callable[[bytes, int], str]] = {"kitty": kitty, "iterm": iterm}


def protocol(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the name of the terminal's image protocol, from its environment; None if it has none.

    Without a protocol, images are printed as half-blocks.
    """
    kind = environment.get("TERM", "")
    programs = {environment.get("TERM_PROGRAM"), environment.get("LC_TERMINAL")}
    if kind == "dumb" or "TMUX" in environment or kind.startswith(("screen", "tmux")):
        return None
    if programs & {"iTerm.app", "iTerm2", "WezTerm"}:
        return "iterm"
    return "kitty" if "KITTY_WINDOW_ID" in environment or kind in ("xterm-kitty", "xterm-ghostty") else None


def half_blocks(pixels: Array) -> Any:
    """Return pixels, shape (h, w, 3), uint8, as rich segments: one pixel per column and two per row of text."""
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
