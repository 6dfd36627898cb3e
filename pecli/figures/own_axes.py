"""A figure on an Axes of the user's own, inside whatever layout that has."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pecli.analysis import Numbers, View
from pecli.core.errors import UsageError
from pecli.core.language import letters
from pecli.figures.axis_labels import label_edges
from pecli.figures.base import Figure
from pecli.figures.canvas import Canvas
from pecli.figures.legends import add_bar, beside_own
from pecli.figures.limits import chosen
from pecli.figures.mosaic import in_columns
from pecli.figures.panels import Panel, labelled, runs_of
from pecli.figures.style import make_readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

GAP = 0.08  # between panels, as a share of the Axes


def check_axes(axes: object) -> None:
    """Refuses what is no Axes with x and y (UsageError)."""
    from matplotlib.axes import Axes

    if not isinstance(axes, Axes) or axes.name != "rectilinear":
        what = getattr(axes, "name", "") or type(axes).__name__
        raise UsageError(f"a picture is drawn onto one Axes with x and y, such as Figure().subplots(), not onto {what}")


def draw_on(figure: Figure[Any], view: View[Any], axes: Axes, canvas: Canvas) -> Numbers[Any]:
    """Draws a figure onto an Axes; gives the numbers that it shows: as many as the Axes has pixels now."""
    shapes, columns = figure.panels_for(view), figure.columns(view)
    mosaic = in_columns(len(shapes), columns)
    panels = split_axes(axes, shapes, columns)
    figure.frame(view, panels, canvas)
    texts = " ".join([*figure.texts(), letters()])
    make_readable(axes, canvas, texts)  # before texts are measured
    for panel, shape, labels in zip(panels, shapes, labelled(shapes, mosaic), strict=True):
        label_edges(panel, shape, labels)
    figure.fit(view, panels, canvas)
    boxes = [panel.get_window_extent() for panel in panels]
    seen = replace(view, panels=tuple((max(1, int(box.height)), max(1, int(box.width))) for box in boxes))
    numbers = figure.compute(seen)
    mappables = figure.draw(numbers.limited(partial(chosen, canvas)), panels, canvas)
    figure.fit(view, panels, canvas)  # names follow their lines
    drawing: Drawing | None = axes.get_figure(root=True)
    assert drawing is not None  # an Axes that is drawn on stands in a picture
    for run in runs_of(shapes, mosaic):
        beside = panels[min(len(panels), run.first_row * columns + run.column + 1) - 1]
        add_bar(drawing, mappables[run.panel], run.bar, canvas, beside.inset_axes((1.02, 0, 0.035, 1)))
    for panel in panels:
        beside_own(panel)
    make_readable(axes, canvas, texts)
    return numbers


def split_axes(axes: Axes, shapes: list[Panel], columns: int) -> list[Axes]:
    """The Axes as a grid of panels inside it, or itself where one is enough, each of its panel's shape."""
    count, columns = len(shapes), min(columns, len(shapes))
    panels = [axes]
    if count > 1:
        axes.set_axis_off()
        rows = -(-count // columns)
        width, height = (1 - GAP * (columns - 1)) / columns, (1 - GAP * (rows - 1)) / rows
        places = [divmod(at, columns) for at in range(count)]
        corners = [(c * (width + GAP), 1 - height - r * (height + GAP)) for r, c in places]
        panels = [axes.inset_axes((x, y, width, height)) for x, y in corners]
    for panel, shape in zip(panels, shapes, strict=True):
        if shape.exact:
            panel.set_box_aspect(shape.aspect)
    return panels
