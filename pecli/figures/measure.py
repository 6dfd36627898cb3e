"""What stands around the frame of a panel, measured."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.figures.blocks import Block
from pecli.figures.canvas import Canvas
from pecli.figures.legends import gap_of, is_beside, least_width, size_of
from pecli.figures.panels import Panel
from pecli.figures.text import Ruler

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = 3  # that the title of a panel may take before it takes a column


class Margins(NamedTuple):
    """What a frame has around it, in inches."""

    left: float
    right: float
    bottom: float
    top: float


def guess(panel: Panel, canvas: Canvas) -> Block:
    """A panel before anything around it is measured."""
    em = canvas.inches.font / 72
    width, height = (ems * canvas.small / 72 for ems in panel.least)
    bar = 5 * em if panel.bar else 0.0
    return Block(
        panel, left=4 * em, right=em / 2, top=2 * em, bottom=3 * em, bar=bar, bar_height=0.0, width=width, height=height
    )


def state_of(axes: Axes) -> Hashable:
    """All that what stands around a frame depends on: while it is the same nothing has to be measured again."""
    from pecli.figures.ticks import inches, tick_size

    size = inches(axes.xaxis), inches(axes.yaxis)
    axes_state = [
        (
            tuple(axis.get_view_interval()),
            axis.label.get_text(),
            axis.label.get_visible(),
            tick_texts(axis),
            tick_size(axis),
        )
        for axis in (axes.xaxis, axes.yaxis)
    ]
    return size, axes.get_title() if axes.title.get_visible() else "", *axes_state, len(axes.texts)


def tick_texts(axis: Any) -> tuple[str, ...]:
    """What stands at the ticks of an axis."""
    return tuple(axis.get_major_formatter().format_ticks(axis.get_majorticklocs()))


def block_of(axes: Axes, panel: Panel, margins: Margins, title: str, canvas: Canvas, ruler: Ruler) -> Block:
    """What stands around a frame but its colour bar, and the smallest frame that its texts allow.

    title : the panel's, before it was broken into lines
    """
    left, right, bottom, top = margins
    width, height = least_frame(axes, panel, title, canvas, ruler)
    block = Block(panel, left, right, top, bottom, bar=0.0, bar_height=0.0, width=width, height=height)
    return block if axes.get_legend() is None else with_legend(block, axes, ruler)


def with_bar(block: Block, canvas: Canvas, ruler: Ruler, width: float) -> Block:
    """A block with the width that its colour bar takes, and the height."""
    label = block.panel.bar.label if block.panel.bar else ""
    return replace(block, bar=width, bar_height=ruler.width(label, canvas.inches.font))


def around(axes: Axes, ruler: Ruler) -> Margins:
    """How far labels reach beyond the frame. A legend is no part of it."""
    frame = axes.bbox
    texts = [one for one in axes.texts if one.get_visible() and one.get_in_layout()]  # not those that stand in cells
    box = axes.get_tightbbox(ruler.renderer, bbox_extra_artists=[*texts, *axes.child_axes], for_layout_only=True)
    assert box is not None  # an Axes that is visible has one
    sides = frame.x0 - box.x0, box.x1 - frame.x1, frame.y0 - box.y0, box.y1 - frame.y1
    return Margins(*(max(0.0, float(side)) / ruler.dpi for side in sides))


def least_frame(axes: Axes, panel: Panel, title: str, canvas: Canvas, ruler: Ruler) -> tuple[float, float]:
    """The smallest frame that its title, labels and colour bar allow."""
    width, height = (ems * canvas.small / 72 for ems in panel.least)
    points = float(axes.title.get_fontsize())
    titled = max(ruler.widest_piece(title, points), ruler.width(title, points) / LINES)
    across, up = (axis.label.get_window_extent(ruler.renderer) for axis in (axes.xaxis, axes.yaxis))
    return max(width, titled, across.width / ruler.dpi), max(height, up.height / ruler.dpi)


def with_legend(block: Block, axes: Axes, ruler: Ruler) -> Block:
    """A block with the legend where it stands, right of the frame or below it."""
    width, height = size_of(axes, ruler)
    gap = gap_of(axes)
    if is_beside(axes):
        return replace(block, right=max(block.right, gap + width), height=max(block.height, height))
    return replace(block, bottom=block.bottom + gap + height, width=max(block.width, least_width(axes, ruler)))
