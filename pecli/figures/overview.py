"""Several figures of one encoding side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any, ClassVar, Self

from pecli.analysis import measure_option
from pecli.core.language import capitalised, join_clauses, say
from pecli.core.lazy import Axes
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding
from pecli.figures.base import Figure, View
from pecli.figures.composite import (
    ROW,
    Cell,
    ComposedNumbers,
    Composite,
    check_part,
    kind_text,
    part_of,
    single_figures,
    with_cell_texts,
)
from pecli.figures.curves import Curves
from pecli.figures.highlights import Highlighting
from pecli.page.canvas import Canvas
from pecli.page.panels import Panel, PanelGroup, with_own_bar, without_bar_name

SIDES = {((0, 1),): ("overview.left", "overview.right"), ((0,), (1,)): ("overview.top", "overview.bottom")}
ON_LINE, ON_GRID = ("heatmap", "distance"), ("heatmap", "tiles")  # defaults for a line, for a grid
MAX_JOINED = 90  # characters of a headline joined from several panels


class OverviewNumbers(ComposedNumbers):
    """The numbers of several figures side by side."""

    @property
    def comparing_part(self) -> int | None:
        """The index of the first figure that compares positions and has a headline; None if there is none.

        Its headline is the headline of the page.
        """
        pairs = enumerate(zip(self.parts, self.messages(), strict=True))
        return next((at for at, (part, said) in pairs if said and "measure" in part.figure.options()), None)

    def message(self) -> str:
        """Return the headline of the panel that compares positions, if there is one.

        Otherwise return all headlines, or "" if they are too long together.
        """
        if self.comparing_part is not None:
            return self.messages()[self.comparing_part]
        text = join_clauses(dict.fromkeys(filter(None, self.messages())))
        return text if len(text) <= MAX_JOINED else ""

    def placed(self, grid: Sequence[Sequence[int]]) -> Self:
        """Return a copy whose two parts are named "left" and "right", or "top" and "bottom".

        The copy is unchanged if there are more parts, or if they are placed in another way.
        """
        sides = SIDES.get(tuple(map(tuple, grid)))
        return replace(self, labels=tuple(map(say, sides))) if sides and len(self.parts) == 2 else self


@dataclass(frozen=True)
class Overview(Composite, Highlighting[Encoding]):
    """A heatmap beside the distances of all positions, or any list of figures."""

    name: ClassVar[str] = "overview"
    defines: ClassVar[str] = "the numbers of each figure shown; pecli FIGURE --help explains them"
    example: ClassVar[str] = "pecli overview -k 10 --panels heatmap,distance,curves"
    examples: ClassVar[tuple[str, ...]] = ("pecli overview rope --panels heatmap,distance",)
    alike: ClassVar[bool] = False

    panels: tuple[str, ...] | None = option(
        None,
        "figures to show, from left to right",
        choices=single_figures,
        advice=kind_text,
        unset=f"{','.join(ON_LINE)}; on a grid {','.join(ON_GRID)}",
    )
    measure: str | None = measure_option(None)

    def names(self, view: View[Encoding] | None = None) -> tuple[str, ...]:
        """Return the names of the figures: the chosen ones, or the default for positions on a line or in a grid."""
        grid = view is not None and len(view.encoding.sides) == 2
        return (ON_GRID if grid else ON_LINE) if self.panels is None else self.panels

    def cells_of(self, view: View[Encoding]) -> list[Cell]:
        whole = replace(view, panels=None)
        return [Cell(part_of(self, name).variant(whole), whole) for name in self.names(view)]

    def made_of(self) -> list[Figure[Any]]:
        return [part_of(self, name) for name in self.names()]

    def check_view(self, view: View[Encoding]) -> None:
        for cell in self.cells_of(view):
            check_part(cell.figure, cell.view, "panels")

    def panel_groups(self, view: View[Encoding], canvas: Canvas) -> list[PanelGroup]:
        """Return all panels as one group if there are at most ROW and the page is not narrow.

        Otherwise each figure with several panels is a separate group.
        """
        groups = []
        for at, cell in enumerate(self.cells_of(view)):
            for group in cell.figure.panel_groups(cell.view, canvas):
                own = [with_own_bar(panel, at) for panel in group.panels]
                own[0] = with_cell_texts(own[0], cell)
                if len(own) == 1:
                    lines = len(cell.figure.starts(cell.view)) if isinstance(cell.figure, Curves) else 0
                    own = [with_title(own[0], cell.figure.name, lines)]
                groups.append(replace(group, panels=tuple(own)))
        panels = tuple(panel for group in groups for panel in group.panels)
        if len(panels) <= ROW and not canvas.narrow:
            return [PanelGroup(panels)]
        joined: list[PanelGroup] = []
        for alone, several in groupby(groups, lambda group: len(group.panels) == 1):
            same = list(several)
            joined += [PanelGroup(tuple(group.panels[0] for group in same))] if alone else same
        return joined

    def positions_clause(self, view: View[Encoding]) -> str:
        texts = [cell.figure.positions_clause(view) for cell in self.cells_of(view)]
        return texts[0] if all(texts) else ""

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        parts = self.made_of()
        if all(part.positions_for(Positions()) != Positions() for part in parts):  # no part uses the user's positions
            return parts[0].positions_for(asked)
        return asked

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        """Draw the panels and mark the one in the headline; return one mappable per panel."""
        from pecli.page.titles import name_panel

        drawn = super().draw(numbers, axes, canvas)
        if numbers.comparing_part is not None and len(axes) > 1:
            *_, (_, own) = islice(self._cells(numbers.view), numbers.comparing_part + 1)
            name_panel(axes[own.start])
        return drawn

    def composed_numbers(self, view: View[Encoding], **fields: Any) -> ComposedNumbers:
        return OverviewNumbers(view=view, labels=tuple(map(say, self.names(view))), **fields)


def with_title(panel: Panel, figure: str, lines: int) -> Panel:
    """Return the only panel of a figure, with a title added if it has none: the label of its colours or vertical axis.

    figure : the figure's name, which becomes the title if the vertical axis has names of rows
    lines : number of positions that lines start from, which the title states; 0 for a figure without such lines
    """
    if panel.title:
        return without_bar_name(panel)
    if panel.bar:
        return without_bar_name(replace(panel, title=capitalised(panel.bar.label)))
    if panel.y.names:
        return replace(panel, title=capitalised(say(figure)))
    shown = panel.y.label
    if lines:
        shown = say("overview.from_positions", shown=shown, count=lines)
    elif figure == "offsets":
        shown = say("overview.by_offset", shown=shown)
    return replace(panel, title=capitalised(shown), y=replace(panel.y, label=""))
