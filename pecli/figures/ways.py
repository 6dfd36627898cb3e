"""How panels are arranged on a page, estimated before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pecli.analysis import View
from pecli.core.positions import Positions
from pecli.figures.canvas import Canvas
from pecli.figures.columns import chosen, columns_to_try
from pecli.figures.figure import Figure
from pecli.figures.layout import Block, Layout, Room, solve
from pecli.figures.measure import guess
from pecli.figures.panels import Panel, labelled

LINE = 1.2  # ems that a line takes

F = TypeVar("F", bound=Figure[Any])


def most_fitting(ways: Sequence[F], canvas: Canvas) -> F:
    """The first that fits, or on a page of fixed height the one that shows most; else the one that lacks least."""
    laid = [_laid(one, canvas) for one in ways]
    shown = [one.smallest if canvas.inches.height else 0.0 for one in laid]
    return ways[max(range(len(ways)), key=lambda at: (laid[at].fits, shown[at], min(0.0, -max(laid[at].lacks))))]


def first_layout(
    panels: Sequence[Panel], canvas: Canvas, room: Room, preferred: int, grids: Sequence[int] | None = None
) -> Layout:
    """About the grid that fits, before anything around the panels is measured."""
    columns = columns_to_try(len(panels), room, preferred, grids)
    return chosen([solve(_blocks(panels, one, canvas), room, one) for one in columns], room, preferred)


def _laid(figure: Figure[Any], canvas: Canvas) -> Layout:
    """About how the panels would stand."""
    size, em = canvas.inches, canvas.inches.font / 72
    line, gap = LINE * em, em / 2
    room = Room(size.width, size.height, head=2 * (line + gap) * canvas.headed, foot=line + gap, gap=gap)
    view: View[Any] = View((), Positions())
    panels, columns = figure.panels_for(view), figure.columns(view)
    return solve(_blocks(panels, columns, canvas), room, columns)


def _blocks(panels: Sequence[Panel], columns: int, canvas: Canvas) -> list[Block]:
    """About what panels take, with labels where neighbours have none for them."""
    em, sides = canvas.inches.font / 72, zip(panels, labelled(panels, columns), strict=True)
    return [
        block if shown.left else replace(block, left=em / 2)
        for block, shown in ((guess(panel, canvas), shown) for panel, shown in sides)
    ]
