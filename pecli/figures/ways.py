"""How panels are arranged on a page, estimated before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pecli.analysis import View
from pecli.core.positions import Positions
from pecli.figures.bands import arranged
from pecli.figures.base import Figure
from pecli.figures.blocks import Block, Room
from pecli.figures.canvas import Canvas
from pecli.figures.columns import chosen, mosaics_to_try
from pecli.figures.layout import Layout, solve
from pecli.figures.measure import guess
from pecli.figures.mosaic import Band, Mosaic, in_columns
from pecli.figures.panels import Panel, labelled

LINE = 1.2  # ems that a line takes

F = TypeVar("F", bound=Figure[Any])

HIGHER = 1.25  # times the height that a panel wants, which it takes where every row of its image has a pixel then


def most_fitting(ways: Sequence[F], canvas: Canvas) -> F:
    """The first that fits, or on a page of fixed height the one that shows most; else the one that lacks least."""
    laid = [_laid(one, canvas) for one in ways]
    shown = [one.smallest if canvas.inches.height else 0.0 for one in laid]
    return ways[max(range(len(ways)), key=lambda at: (laid[at].fits, shown[at], min(0.0, -max(laid[at].lacks))))]


def with_pixels(panel: Panel, columns: int, canvas: Canvas) -> Panel:
    """The panel, one of so many side by side, with a pixel for every row of its image where little is lacking."""
    size, about = canvas.inches, guess(panel, canvas)
    width = size.width / columns - about.left - about.right - about.bar
    height = (panel.rows + 0.5) / canvas.dpi
    if panel.exact or size.height is not None or height > HIGHER * panel.aspect * width:
        return panel
    return replace(panel, least=(panel.least[0], max(panel.least[1], 72 * height / canvas.small)))


def first_layout(
    panels: Sequence[Panel],
    canvas: Canvas,
    room: Room,
    bands: Sequence[Band],
) -> Layout:
    """About the grids that fit, before anything around the panels is measured."""
    if len(bands) > 1:
        return arranged([guess(panel, canvas) for panel in panels], room, bands)
    band = bands[0]
    every = mosaics_to_try(room, band)
    return chosen([solve(_blocks(panels, one, canvas), room, one) for one in every], room, band.columns)


def _laid(figure: Figure[Any], canvas: Canvas) -> Layout:
    """About how the panels would stand."""
    size, em = canvas.inches, canvas.inches.font / 72
    line, gap = LINE * em, em / 2
    room = Room(size.width, size.height, head=2 * (line + gap) * canvas.headed, foot=line + gap, gap=gap)
    view: View[Any] = View((), Positions())
    panels = figure.panels_for(view)
    mosaic = in_columns(len(panels), figure.columns(view))
    return solve(_blocks(panels, mosaic, canvas), room, mosaic)


def _blocks(panels: Sequence[Panel], mosaic: Mosaic, canvas: Canvas) -> list[Block]:
    """About what panels take, with labels where neighbours have none for them."""
    em, sides = canvas.inches.font / 72, zip(panels, labelled(panels, mosaic), strict=True)
    return [
        block if shown.left else replace(block, left=em / 2)
        for block, shown in ((guess(panel, canvas), shown) for panel, shown in sides)
    ]
