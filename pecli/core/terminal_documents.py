"""A document in the terminal: paragraphs, facts and tables as rich shows them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pecli.core.document import Block, Document, Paragraph, Table
from pecli.core.terminal import columns, escaped

if TYPE_CHECKING:
    from rich.console import Console

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
