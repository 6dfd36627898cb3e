"""Drawing of a figure on the user's own Axes, which keeps its place and size in the user's layout."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from matplotlib.axes import Axes

from pecli.analysis import Numbers, View
from pecli.core.errors import UsageError, shorten
from pecli.core.language import letters
from pecli.figures.base import Figure, groups_of
from pecli.page.axis_labels import label_edges, put_axes, write_user_labels
from pecli.page.canvas import Canvas
from pecli.page.colors import add_maps
from pecli.page.labels import end_value_axes
from pecli.page.legends import add_bar, remove_legends
from pecli.page.limits import resolve_limits
from pecli.page.panels import Mosaic, Panel, columns_of, label_outer, places_of, stacked
from pecli.page.style import make_readable

GAP = 0.08  # between panels, as a share of the Axes
BESIDE, BAR = 1.02, 0.035  # left end of colour bar or legend, and the bar's width, in widths of a panel


def check_axes(axes: object) -> None:
    """Raise UsageError unless this is an Axes with x and y."""
    if not isinstance(axes, Axes) or axes.name != "rectilinear":
        what = getattr(axes, "name", "") or shorten(repr(axes))
        raise UsageError(f"a picture is drawn onto one Axes with x and y, such as Figure().subplots(), not onto {what}")


def draw_on(figure: Figure[Any], view: View[Any], axes: Axes, canvas: Canvas) -> Numbers[Any]:
    """Draw a figure on an Axes; return its numbers, as many as the Axes currently has pixels."""
    add_maps()
    groups = groups_of(figure, view, canvas)
    panels = [panel for group in groups for panel in group.panels]
    mosaic = stacked([group.grids[0] for group in groups])
    parts = split_axes(axes, panels, mosaic)
    for part, panel in zip(parts, panels, strict=True):
        put_axes(part, panel, canvas)
    figure.decorate(view, parts, canvas)
    if canvas.no_legend:
        remove_legends(parts)
    texts = " ".join([*figure.texts(), letters()])
    make_readable(axes, canvas, texts)  # needed before texts are measured
    for part, panel, visible in zip(parts, panels, label_outer(panels, mosaic), strict=True):
        label_edges(part, panel, visible)
    write_user_labels(parts, panels, canvas)
    figure.fit(view, parts, canvas)
    boxes = [part.get_window_extent() for part in parts]
    seen = replace(view, panels=tuple((max(1, int(box.height)), max(1, int(box.width))) for box in boxes))
    numbers = figure.compute(seen)
    mappables = figure.draw(numbers.limited(partial(resolve_limits, canvas)), parts, canvas)
    end_value_axes(parts, panels, canvas)
    figure.fit(view, parts, canvas)  # labels follow their lines
    drawing: Any = axes.get_figure(root=True)
    bars = [panel.bar for panel in panels]
    for bar, last in dict(zip(bars, parts, strict=True)).items():
        if bar is not None and not canvas.no_colorbar:
            shared = [item for item, own in zip(mappables, bars, strict=True) if own == bar]
            add_bar(drawing, shared, bar, canvas, last.inset_axes((BESIDE, 0, BAR, 1)))
    for part in parts:
        if (legend := part.get_legend()) is not None:
            legend.set_loc("upper left")
            legend.borderaxespad = legend.borderpad = 0.0
            legend.set_bbox_to_anchor((BESIDE, 1.0), transform=part.transAxes)
    make_readable(axes, canvas, texts)
    return numbers


def split_axes(axes: Axes, panels: list[Panel], mosaic: Mosaic) -> list[Axes]:
    """Return one Axes per panel, inset into the Axes as a grid, or the Axes itself for a single panel.

    Panels of fixed aspect keep their aspect.
    """
    parts = [axes]
    if len(panels) > 1:
        axes.set_axis_off()
        columns, rows = columns_of(mosaic), len(mosaic)
        width, height = (1 - GAP * (columns - 1)) / columns, (1 - GAP * (rows - 1)) / rows
        parts = []
        for place in places_of(mosaic):
            left, bottom = place.left * (width + GAP), 1 - height - place.bottom * (height + GAP)
            right, top = place.right * (width + GAP) + width, 1 - place.top * (height + GAP)
            parts.append(axes.inset_axes((left, bottom, right - left, top - bottom)))
    for part, panel in zip(parts, panels, strict=True):
        if panel.exact:
            part.set_box_aspect(panel.aspect)
    return parts
