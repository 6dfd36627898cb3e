"""Base of the figures, and what their titles and captions have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, Self, TypeVar

from pecli.analysis import Analysis, E, E_co, Limits, Numbers as Numbers, View as View
from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes
from pecli.core.numbers import minus
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding, TableEncoding, ends_of
from pecli.files.sheet import aside
from pecli.page.canvas import Canvas
from pecli.page.colors import DIFFERENCE
from pecli.page.panels import Panel, PanelGroup, in_columns

MAX_HEADLINE = 150  # characters above a picture of several
MAX_WHOLE = 2**22  # numbers, all of which are looked at for the largest difference

N = TypeVar("N", bound="ColouredNumbers[Any]")
F = TypeVar("F", bound="Figure[Any]")


@dataclass(frozen=True, kw_only=True)
class ColouredNumbers(Numbers[E_co]):
    """Numbers that colours stand for.

    ends : the values at the ends of the colours
    sample : some of all numbers, evenly spread, where those of the main array are fewer than all, or means
    """

    ends: Limits = aside()
    sample: tuple[Array, ...] = aside(default=())

    def limits(self) -> Limits | None:
        return self.ends

    def coloured(self) -> list[Array]:
        return [*self.sample] or super().coloured()

    def with_limits(self, low: float, high: float) -> Self:
        return replace(self, ends=(low, high))


@dataclass(frozen=True)
class Figure(Analysis[E]):
    """Base of the figures. A subclass is one file: options as fields, `panel_groups`, `compute`, `draw`.

    The order is that of a page: `panel_groups` says what the axes show and what stands above them; `decorate` adds
    keys and marks that need no numbers, so that they are measured too; `compute` makes as many numbers as the panels
    have pixels; `draw` shows them.
    """

    shows_positions: ClassVar[bool] = True  # on an axis; else the title says where they start
    counts_positions: ClassVar[bool] = False  # in the title, for nothing else in the picture says how many there are
    shares_limits: ClassVar[bool] = True  # its numbers can be shown under the limits of others

    def variant(self, view: View[E]) -> Figure[Any]:
        return self

    def as_kind(self, kind: type[F]) -> F:
        """Return a figure of that kind with the same options."""
        return kind(**{name: getattr(self, name) for name in self.options()})

    @abstractmethod
    def panel_groups(self, view: View[E], canvas: Canvas) -> list[PanelGroup]:
        """Return the panels and the grids in which they may stand; mostly one group. The panels' number and order do
        not depend on the canvas."""

    def decorate(self, view: View[E], axes: list[Axes], canvas: Canvas) -> None:
        """Add what stands in or around the panels whatever the numbers are: a key, names of lines, marks."""

    def fit(self, view: View[E], axes: list[Axes], canvas: Canvas) -> None:
        """Adapt labels to the size that the panels have now; called whenever it changes."""
        from pecli.page.labels import place_labels

        for ax in axes:
            place_labels(ax, canvas)

    @abstractmethod
    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        """Draw the numbers onto the axes; return for each panel what its colour bar explains."""

    def every(self, view: View[E]) -> Array | None:
        """Return all numbers that colours stand for, or fewer with the same extremes; None where they are too many."""
        whole = replace(view, panels=None)
        return self.compute(whole).main if prod(self.shape(whole)) <= MAX_WHOLE else None

    def texts(self) -> list[str]:
        """Return the free text that is drawn besides the title, to find fonts for."""
        return []

    def title(self, view: View[E]) -> str:
        """Return the picture's title where the user gives none."""
        return join_title([*(encoding.title(join_title) for encoding in view.encodings), self.unseen(view)])

    def unseen(self, view: View[E]) -> str:
        """Return what a title says of the positions where nothing else in the picture does; mostly nothing."""
        if all(encoding.own_positions for encoding in view.encodings):
            return ""
        if self.counts_positions and all(e.position_unit for e in view.encodings) and not view.positions.start:
            return view.encodings[0].length_text(view.positions.length)
        if self.counts_positions:
            return all_positions_text(view.encodings, view.positions)
        return "" if self.shows_positions else positions_text(view.encodings, view.positions)


def groups_of(figure: Figure[Any], view: View[Any], canvas: Canvas) -> list[PanelGroup]:
    """Return the groups of a figure's panels, in as many columns as are asked for (UsageError: more than panels)."""
    groups, columns = figure.panel_groups(view, canvas), canvas.columns
    if columns is None:
        return groups
    most = max(len(group.panels) for group in groups)
    if columns > most:
        text = f"{option_text('columns', columns)} is more than the number of panels of this {figure.name}, {most}"
        raise UsageError(text, option="columns", value=columns)
    counts = (len(group.panels) for group in groups)
    grids = (in_columns(count, min(columns, count)) for count in counts)
    return [replace(group, grids=own) for group, own in zip(groups, grids, strict=True)]


def panels_of(figure: Figure[Any], view: View[Any], canvas: Canvas | None = None) -> list[Panel]:
    """Return all panels of a figure, in order."""
    return [panel for group in figure.panel_groups(view, canvas or Canvas()) for panel in group.panels]


def tells_of_offsets(view: View[Any]) -> bool:
    """Return whether an offset other than 0 has two pairs that a symmetric measure does not make alike anyway."""
    return view.positions.length > 2


def positions_text(encodings: Sequence[Encoding], shown: Positions) -> str:
    """Return the first and last position for a title; nothing where the first is 0."""
    first, last = (minus(f"{at:,.15g}") for at in ends_of(encodings, shown))
    return say("words.positions_to", first=first, last=last) if shown.start else ""


def all_positions_text(encodings: Sequence[Encoding], covered: Positions) -> str:
    """Return how many positions there are, or the first and last, for a title where no axis says it."""
    return positions_text(encodings, covered) or say("words.count_positions", count=covered.length)


def other_positions_text(view: View[TableEncoding]) -> str:
    """Return the rows of the table for a title where they are not the positions: offsets."""
    text, rows = "figures.offsets_to", view.covered
    return "" if rows == view.positions else say(text, first=minus(f"{rows.start:,}"), last=f"{rows.stop - 1:,}")


def averaging(size: int) -> str:
    """Return the note on pixels that are means over pairs of so many positions each."""
    return averaging_cells(None, size, size)


def averaging_cells(encoding: Encoding | None, rows: int, columns: int, log: bool = False) -> str:
    """Return the note on pixels that are means over so many rows, positions of the encoding, and columns of cells; at
    most so many on an axis of logarithms."""
    text = "figures.each_pixel_is_the" if log else "figures.each_pixel_is_the_mean"
    cells = say("figures.cells", rows=rows, columns=columns)
    if encoding is not None and columns == 1:
        cells = encoding.length_text(rows) if encoding.position_unit else say(encoding.rows_counted, count=rows)
    return say(text, cells=cells) if max(rows, columns) > 1 else ""


def difference_of(first: N, second: N, reach: Limits | None, **facts: Any) -> N:
    """Return the first main array less the second as numbers, colours alike on both sides of 0.

    reach : the smallest and the largest of all differences; None: colours end where none can be beyond

    Raises UsageError where the sizes differ.
    """
    if first.main.shape != second.main.shape:
        item, other = (" × ".join(map(str, numbers.main.shape)) for numbers in (first, second))
        text = f"--difference needs tables of one size, but these have {item} and {other} numbers"
        raise UsageError(text, option="difference")
    low, high = (first.ends[0] - second.ends[1], first.ends[1] - second.ends[0]) if reach is None else reach
    limit = max(-low, high) or 1.0
    facts |= {first.main_array: first.main - second.main, "palette": DIFFERENCE}
    facts |= dict(zip(("smallest", "largest"), reach or (None, None), strict=True))
    facts["sample"] = tuple(own - other for own, other in zip(first.sample, second.sample, strict=True))
    return replace(first, ends=(-limit, limit), **facts)


def extremes(size: int) -> str:
    """Return the caption of a line drawn from the minimum to the maximum of every run of positions."""
    return say("figures.each_pixel_minimum_to", count=size) if size > 1 else ""


def extremes_of_offsets(size: int) -> str:
    """Return the same of every run of offsets."""
    return say("figures.each_pixel_minimum_to_maximum", count=size) if size > 1 else ""
