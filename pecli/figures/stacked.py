"""A few panels below each other on a narrow page, where they would be slivers side by side."""

from __future__ import annotations

from pecli.analysis import E, View
from pecli.figures.figure import Figure

FEW = 3  # panels that may stand below each other


class Stacked(Figure[E]):
    """To be put before a figure of several: panels that have no shape of their own stand below each other."""

    def columns(self, view: View[E]) -> int:
        panels = self.panels_for(view)
        few = len(panels) <= FEW and not any(panel.exact for panel in panels)
        return 1 if few and 1 in super().grids(view) else super().columns(view)

    def grids(self, view: View[E]) -> tuple[int, ...]:
        return (1,) if self.columns(view) == 1 else super().grids(view)
