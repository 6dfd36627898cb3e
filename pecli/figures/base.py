"""The base class of figures, and texts that their titles and captions share."""

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
from pecli.measures.reduce import largest_of_blocks
from pecli.page.canvas import Canvas
from pecli.page.colors import DIFFERENCE
from pecli.page.panels import Panel, PanelGroup, in_columns

MAX_HEADLINE = 150  # characters of a headline above several encodings
MAX_WHOLE = 2**22  # numbers: with more, the largest difference is not computed

N = TypeVar("N", bound="ColouredNumbers[Any]")
F = TypeVar("F", bound="Figure[Any]")


@dataclass(frozen=True, kw_only=True)
class ColouredNumbers(Numbers[E_co]):
    """Numbers that are shown as colours.

    ends : the values at the two ends of the colour scale
    sample : values at evenly spaced positions, from which percentiles are computed if the main array has means or only
        some of the values
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
    """Base of the figures.

    Each subclass has its own file, with options as fields, `panel_groups`, `compute` and `draw`. A page is made in this
    order: `panel_groups` defines the axes and titles; `decorate` adds legends and marks that need no numbers, so that
    they are measured as well; `compute` makes as many numbers as the panels have pixels; `draw` shows them.
    """

    shows_positions: ClassVar[bool] = True  # whether an axis shows positions; if not, the title gives the first one
    counts_positions: ClassVar[bool] = False  # whether the title gives the number of positions
    shares_limits: ClassVar[bool] = True  # whether several of this figure can share colour limits

    def variant(self, view: View[E]) -> Figure[Any]:
        return self

    def as_kind(self, kind: type[F]) -> F:
        """Return a figure of class `kind` with the same options."""
        return kind(**{name: getattr(self, name) for name in self.options()})

    @abstractmethod
    def panel_groups(self, view: View[E], canvas: Canvas) -> list[PanelGroup]:
        """Return groups of panels, each with the grids that it may be arranged in; usually one group.

        The number and order of the panels must not depend on the canvas.
        """

    def decorate(self, view: View[E], axes: list[Axes], canvas: Canvas) -> None:
        """Draw what does not depend on the numbers, in or around the panels: legends, names of lines, marks."""

    def fit(self, view: View[E], axes: list[Axes], canvas: Canvas) -> None:
        """Adapt labels to the current size of the panels; called after each change of size."""
        from pecli.page.labels import place_labels

        for ax in axes:
            place_labels(ax, canvas)

    @abstractmethod
    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        """Draw the numbers on the axes; return one mappable per panel, the artist whose colours a colour bar shows.

        The mappable of a panel without colours is None.
        """

    def all_values(self, view: View[E]) -> Array | None:
        """Return all values shown as colours, or fewer with the same extremes; None if there are too many."""
        whole = replace(view, panels=None)
        return self.compute(whole).main if prod(self.shape(whole)) <= MAX_WHOLE else None

    def texts(self) -> list[str]:
        """Return the user's texts that are drawn besides the title, so that fonts can be found for them."""
        return []

    def title(self, view: View[E]) -> str:
        """Return the default title."""
        return join_title([*(encoding.title(join_title) for encoding in view.encodings), self.positions_clause(view)])

    def positions_clause(self, view: View[E]) -> str:
        """Return the title clause on positions that the rest of the picture does not show; usually ""."""
        if all(encoding.own_positions for encoding in view.encodings):
            return ""
        if self.counts_positions and all(e.position_unit for e in view.encodings) and not view.positions.start:
            return view.encodings[0].length_text(view.positions.length)
        if self.counts_positions:
            return all_positions_text(view.encodings, view.positions)
        return "" if self.shows_positions else positions_text(view.encodings, view.positions)


def groups_of(figure: Figure[Any], view: View[Any], canvas: Canvas) -> list[PanelGroup]:
    """Return the figure's panel groups, arranged in the number of columns that the canvas sets, if any.

    Raises UsageError if there are fewer panels than columns.
    """
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
    """Return all panels of a figure in order."""
    return [panel for group in figure.panel_groups(view, canvas or Canvas()) for panel in group.panels]


def has_comparable_offsets(view: View[Any]) -> bool:
    """Return whether two pairs of positions can have the same offset, which needs at least three positions."""
    return view.positions.length > 2


def positions_text(encodings: Sequence[Encoding], shown: Positions) -> str:
    """Return the title clause with the first and last of the positions shown, or "" if the first is 0."""
    first, last = (minus(f"{at:,.15g}") for at in ends_of(encodings, shown))
    return say(range_text_of(encodings), first=first, last=last) if shown.start else ""


def range_text_of(encodings: Sequence[Encoding]) -> str:
    """Return the key of the text that states the first and the last position."""
    return common_text([encoding.range_named for encoding in encodings], Encoding.range_named)


def all_positions_text(encodings: Sequence[Encoding], covered: Positions) -> str:
    """Return the title clause on all positions: the first and the last one, or their number if the first is 0."""
    return positions_text(encodings, covered) or say(
        common_text([encoding.length_counted for encoding in encodings], Encoding.length_counted), count=covered.length
    )


def common_text(keys: Sequence[str], default: str) -> str:
    """Return the text key if all encodings have the same one, otherwise the default.

    keys : the text key of each encoding
    """
    return keys[0] if len({*keys}) == 1 else default


def other_positions_text(view: View[TableEncoding]) -> str:
    """Return the title clause for table rows that are offsets, not positions; "" for positions."""
    text, rows = "figures.offsets_to", view.covered
    return "" if rows == view.positions else say(text, first=minus(f"{rows.start:,}"), last=f"{rows.stop - 1:,}")


def averaging_note(size: int) -> str:
    """Return the footnote for pixels that each show the mean of `size` × `size` pairs of positions."""
    return cell_averaging_note(None, size, size)


def cell_averaging_note(encoding: Encoding | None, rows: int, columns: int, log: bool = False) -> str:
    """Return the footnote for pixels that each show the mean of `rows` × `columns` cells; "" for one cell.

    encoding : gives the unit of rows, used if only rows are averaged
    log : whether the axis is logarithmic; then pixels cover different numbers of cells, of which `rows` and `columns`
        are the largest
    """
    text = "figures.each_pixel_is_the" if log else "figures.each_pixel_is_the_mean"
    cells = say("figures.cells", rows=rows, columns=columns)
    if encoding is not None and columns == 1:
        cells = encoding.length_text(rows) if encoding.position_unit else say(encoding.rows_counted, count=rows)
    return say(text, cells=cells) if max(rows, columns) > 1 else ""


def difference_of(
    first: N, second: N, reach: Limits | None, whole: Array | None, block: tuple[int, int], **facts: Any
) -> N:
    """Return the difference of two `Numbers`: their main arrays subtracted, with colours symmetric about 0.

    reach : the smallest and the largest difference; if None, the colour limits are computed from the ends of both
        colour scales
    whole : all differences; None: use the differences of the numbers shown
    block : how many rows and columns a pixel covers; it shows the largest difference among them
    facts : other fields to replace in the result

    Raises UsageError if the shapes differ.
    """
    if first.main.shape != second.main.shape:
        item, other = (" × ".join(map(str, numbers.main.shape)) for numbers in (first, second))
        text = f"--difference needs tables of one size, but these have {item} and {other} numbers"
        raise UsageError(text, option="difference")
    low, high = (first.ends[0] - second.ends[1], first.ends[1] - second.ends[0]) if reach is None else reach
    limit = max(-low, high) or 1.0
    main = first.main - second.main if whole is None else largest_of_blocks(whole, *block)
    facts |= {first.main_array: main, "palette": DIFFERENCE}
    facts |= dict(zip(("smallest", "largest"), reach or (None, None), strict=True))
    facts["sample"] = tuple(own - other for own, other in zip(first.sample, second.sample, strict=True))
    return replace(first, ends=(-limit, limit), **facts)


def extremes_note(encoding: Encoding, size: int) -> str:
    """Return the footnote for a line that spans the minimum and maximum of `size` positions per pixel."""
    return say("figures.each_pixel_minimum_to", positions=encoding.counted(size)) if size > 1 else ""


def offset_extremes_note(size: int) -> str:
    """Return the footnote for a line that spans the minimum and maximum of `size` offsets per pixel."""
    return say("figures.each_pixel_minimum_to_maximum", count=size) if size > 1 else ""
