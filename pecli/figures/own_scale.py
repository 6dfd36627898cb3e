"""An axis at the right of a panel, for lines that are drawn on a scale of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pecli.figures.axis_labels import label_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OWN = "own axis"


def add_own_axis(axes: Axes, label: str) -> None:
    """An axis at the right for what is drawn on another scale."""
    own = axes.secondary_yaxis("right")
    own.set_gid(OWN)
    label_values(own.yaxis, label)


def scale_own_axis(axes: Axes, scale: float) -> None:
    """What is drawn so many times as large as it is has its own numbers at the right."""
    for one in axes.child_axes:
        if one.get_gid() == OWN:
            functions = (lambda shown: shown / scale, lambda value: value * scale)
            one.set_functions(functions)  # type: ignore[attr-defined]  # it is a secondary axis
