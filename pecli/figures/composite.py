"""Figures composed of other figures: panels side by side, their shared limits and axes, their texts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, NamedTuple, Self

from pecli.analysis import Limits
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import join_clauses, join_title, merge_labels, say
from pecli.core.lazy import Array, Axes, Registry
from pecli.encodings.base import Encoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures import FIGURES, SINGLE
from pecli.figures.base import MAX_HEADLINE, Figure, Numbers, View, panels_of
from pecli.figures.heatmap import HeatmapNumbers, length_shown
from pecli.page.canvas import Canvas
from pecli.page.panels import (
    ColorBar,
    Mosaic,
    Panel,
    PanelGroup,
    columns_of,
    in_columns,
    stacked,
    with_own_bar,
    without_bar_name,
)

FORWARDED = ("measure", "highlight")  # options that a composed figure passes on to parts that have them
ROW = 3  # most panels in a single row by default
Choose = Callable[[Limits, Sequence[Array]], Limits]  # (limits, coloured arrays) → limits


class Cell(NamedTuple):
    """A figure with its view.

    label, beside : texts above the cell's first panel, and to the left of that panel
    derived : whether the cell's numbers are computed from the numbers of the other cells
    """

    figure: Figure[Any]
    view: View[Any]
    label: str = ""
    beside: str = ""
    derived: bool = False


class Part(NamedTuple):
    """A figure with its numbers."""

    figure: Figure[Any]
    numbers: Numbers[Any]


@dataclass(frozen=True, kw_only=True)
class ComposedNumbers(Numbers[Encoding]):
    """The parts of a composed figure, in order.

    labels : the names of the parts; a difference, which comes last, has none
    colour_groups : a key for each part; parts with equal keys share the colour scale
    """

    parts: tuple[Part, ...]
    labels: tuple[str, ...]
    colour_groups: tuple[Hashable, ...]

    @property
    def main(self) -> Array:
        return self.parts[0].numbers.main

    @property
    def always_long(self) -> bool:
        return False

    def arrays(self) -> dict[str, Array]:
        return {f"{i}.{p.figure.name}.{k}": a for i, p in enumerate(self.parts) for k, a in p.numbers.arrays().items()}

    def limited(self, choose: Choose) -> Self:
        """Return a copy in which parts of the same colour group have common limits.

        choose : function that returns the common limits, from the limits and values of the parts
        """
        numbers = [part.numbers for part in self.parts]
        for group in dict.fromkeys(self.colour_groups):
            members = [at for at, own in enumerate(self.colour_groups) if own == group]
            for at, limited in zip(members, _with_common_limits([numbers[at] for at in members], choose), strict=True):
                numbers[at] = limited
        return self._with_numbers(numbers)

    def _with_numbers(self, numbers: Iterable[Numbers[Any]]) -> Self:
        """Return a copy with the same figures and other numbers."""
        pairs = zip(self.parts, numbers, strict=True)
        return replace(self, parts=tuple(part._replace(numbers=own) for part, own in pairs))

    def shown(self) -> Sequence[tuple[str, Numbers[Any]]]:
        return [(name, part.numbers) for name, part in zip(self.labels, self.parts, strict=False)]

    def facts(self) -> dict[str, Any]:
        return {f"{i}.{part.figure.name}": part.numbers.facts() for i, part in enumerate(self.parts)}

    @classmethod
    def fact_types(cls) -> dict[str, Any]:
        return {}  # unknown here: the facts are those of the parts, which depend on what is drawn

    def remarks(self) -> list[str]:
        return merge_labels(self.labels, [part.numbers.remarks() for part in self.parts[: len(self.labels)]])

    def marks(self) -> list[str]:
        return [*dict.fromkeys(mark for part in self.parts for mark in part.numbers.marks())]

    def message(self) -> str:
        return message_of_each(self.labels, self.messages())

    def messages(self) -> list[str]:
        return [part.numbers.message() for part in self.parts[: len(self.labels)]]


def _with_common_limits(numbers: Sequence[Any], choose: Choose) -> list[Any]:
    """Return the numbers with the common limits that `choose` finds; unchanged if some have no limits.

    The parts of composed numbers get common limits separately: all first parts, all second parts, and so on.
    """
    if len(numbers) == 1:
        return [numbers[0].limited(choose)]
    if isinstance(numbers[0], ComposedNumbers):
        columns = zip(*([part.numbers for part in number.parts] for number in numbers), strict=True)
        rows = zip(*(_with_common_limits(column, choose) for column in columns), strict=True)
        return [number._with_numbers(row) for number, row in zip(numbers, rows, strict=True)]
    known = [limits for number in numbers if (limits := number.limits()) is not None]
    if len(known) < len(numbers):
        return [*numbers]
    low, high = min(low for low, _ in known), max(high for _, high in known)
    if low < 0 < high:
        low, high = -max(-low, high), max(-low, high)
    limits = choose((low, high), [array for number in numbers for array in number.coloured()])
    return [number.with_limits(*limits) for number in numbers]


def message_of_each(labels: Sequence[str], messages: Sequence[str]) -> str:
    """Join the headlines of labelled parts into one of at most MAX_HEADLINE characters.

    If that is too long, and one part differs from all others, the others are not named. Otherwise return "", because a
    headline on some of the parts would hide the others.
    """
    joined = [merge_labels(labels, [[message] for message in messages])]
    alone = [at for at, message in enumerate(messages) if message and messages.count(message) == 1]
    if len(alone) == 1 < len(messages) - 1 and len({*messages}) == 2:
        (at,) = alone
        names = [labels[at] if message == messages[at] else say("join.all_others") for message in messages]
        pairs = dict.fromkeys((text, name) for text, name in zip(messages, names, strict=True) if text)
        joined.append([say("join.with_names", text=text, names=name) for text, name in pairs])
    return next((text for some in joined if len(text := join_clauses(some)) <= MAX_HEADLINE), "")


def longer_waves_text(labels: Sequence[str], parts: Sequence[Part]) -> str:
    """Return the headline on which heatmaps have the most and the fewest pairs with wavelengths beyond the length.

    Return "" if the counts cannot be compared, or if all are equal and above 0.

    labels : the names of the parts
    """
    numbers = (part.numbers for part in parts)
    heatmaps = [own for own in numbers if isinstance(own, HeatmapNumbers) and not (own.chosen or own.partial)]
    encodings: list[Any] = [heatmap.view.encoding for heatmap in heatmaps]
    pairs = zip(encodings, heatmaps, strict=True)
    counts = [own.longer_waves(heatmap.length) for own, heatmap in pairs if isinstance(own, Harmonic)]
    lengths = {length_shown(heatmap.view.encoding, heatmap.length) for heatmap in heatmaps}
    if not 1 < len(counts) == len(parts) or len(lengths) > 1:
        return ""
    if not any(counts) and not any(encoding.position_unit for encoding in encodings):
        return say("heatmap.no_sine_cosine_pair", wave=say("heatmap.wavelength"), length=lengths.pop())
    every = [len(encoding.wavelengths()) for encoding in encodings]
    shares = [count / own for count, own in zip(counts, every, strict=True)]
    if len({*shares}) == 1:
        return ""
    few, most = (shares.index(end(shares)) for end in (min, max))
    known = {"few": counts[few] or say("figures.none"), "count": counts[most], "all": every[most]}
    if len({*every}) > 1:
        text = "figures.turn_of_different"
        return say(text, name=labels[most], other=labels[few], **known, fewer=every[few])
    bases: list[Any] = [getattr(encoding, "base", None) for encoding in encodings]
    alone = None not in bases and len({replace(encoding, base=bases[0], label=None) for encoding in encodings}) == 1
    if len(counts) > 2 and alone and counts == sorted(counts) and bases == sorted({*bases}):
        return say("figures.larger_bases", **known)
    text = "figures.turn_of_two" if len(counts) == 2 else "figures.turn_of_several"
    return say(text, name=labels[most], other=labels[few], **known)


@dataclass(frozen=True)
class Composite(Figure[Encoding]):
    """Base of the figures that are made of cells, each a figure with its own view.

    alike : whether all cells show the same figure, so that they share limits, colour bars and labels
    """

    one_table: ClassVar[bool] = False
    composed: ClassVar[bool] = True
    alike: ClassVar[bool] = True

    @abstractmethod
    def made_of(self) -> Sequence[Figure[Any]]:
        """Return the figures of the parts that are known without a view."""

    def check(self) -> None:
        """Raise UnusedOptionError for an option that no part has."""
        super().check()
        names = dict.fromkeys(part.name for part in self.made_of())
        for option, value in self.changed().items():
            fitting = [name for name, figure in SINGLE.items() if option in figure.options()]
            if option in FORWARDED and not {*fitting} & {*names}:
                why = f"{', '.join(names)} has no {option_text(option)} ({', '.join(fitting)} have it)"
                raise UnusedOptionError(option, self.options()[option].write(value), why)

    def texts(self) -> list[str]:
        return list(dict.fromkeys(text for part in self.made_of() for text in part.texts()))

    @abstractmethod
    def cells_of(self, view: View[Encoding]) -> list[Cell]:
        """Return the cells in order; the sizes of panels are not set in their views yet."""

    def _cells(self, view: View[Encoding]) -> Iterator[tuple[Cell, slice]]:
        """Yield each cell and the slice of its panels among all panels.

        The cell's view has the pixel sizes of these panels.
        """
        first = 0
        for cell in self.cells_of(view):
            own = slice(first, first + len(panels_of(cell.figure, cell.view)))
            yield cell._replace(view=replace(cell.view, panels=view.panels and view.panels[own])), own
            first = own.stop

    def panel_groups(self, view: View[Encoding], canvas: Canvas) -> list[PanelGroup]:
        parts = [self._cell_panels(cell, at, canvas) for at, cell in enumerate(self.cells_of(view))]
        panels = with_unique_bar_names([panel for part in parts for panel in part.panels])
        if len(panels) > len(parts):
            return [PanelGroup(panels, _rows_of_parts(parts))]
        few = len(panels) <= ROW and not any(panel.exact for panel in panels)
        square = len(panels) == 4 and canvas.inches.height is None  # then the panels stand two by two
        columns = [1] if few and canvas.narrow else [2, 1] if square else []
        return [PanelGroup(panels, in_columns(len(panels), *columns), one_legend=True)]

    def _cell_panels(self, cell: Cell, at: int, canvas: Canvas) -> PanelGroup:
        """Return the panels of the cell with index `at`, and the grids in which they can be arranged.

        Each panel has its own colour bar unless all cells use the same limits of colours.
        """
        groups = cell.figure.panel_groups(cell.view, canvas)
        panels = [panel for group in groups for panel in group.panels]
        panels[0] = with_cell_texts(panels[0], cell)
        if not self.alike or not cell.figure.shares_limits:
            panels = [with_own_bar(panel, at) for panel in panels]
        first, *below = (group.grids for group in groups)
        grids = (stacked([first[0], *(own[0] for own in below)]),) if below else first
        return PanelGroup(tuple(panels), grids)

    def decorate(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        cells = []
        for cell, own in self._cells(view):
            cell.figure.decorate(cell.view, axes[own], canvas)
            cells.append(axes[own])
        if self.alike and len(cells) > 1:
            from pecli.page.legends import keep_last_legend

            keep_last_legend(cells)

    def fit(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        for cell, own in self._cells(view):
            cell.figure.fit(cell.view, axes[own], canvas)

    def shape(self, view: View[Encoding]) -> tuple[int, ...]:
        return (sum(prod(cell.figure.shape(cell.view)) for cell, _ in self._cells(view)),)

    def compute(self, view: View[Encoding]) -> ComposedNumbers:
        cells = [cell for cell, _ in self._cells(view) if not cell.derived]
        parts = tuple(Part(cell.figure, cell.figure.compute(cell.view)) for cell in cells)
        bars: list[Hashable] = [
            frozenset(panel.bar for panel in self._cell_panels(cell, at, Canvas()).panels) if self.alike else at
            for at, cell in enumerate(self.cells_of(view))
        ]
        return self.composed_numbers(view=view, parts=parts, colour_groups=tuple(bars)).limited(
            lambda limits, _: limits
        )

    @abstractmethod
    def composed_numbers(self, view: View[Encoding], **fields: Any) -> ComposedNumbers:
        """Return the numbers of the whole figure, with the names of its parts.

        fields : values of the fields that a subclass of `ComposedNumbers` adds
        """

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        cells = zip(self._cells(numbers.view), numbers.parts, strict=True)
        drawn = [item for (cell, own), part in cells for item in cell.figure.draw(part.numbers, axes[own], canvas)]
        if self.alike:
            panels = panels_of(self, numbers.view, canvas)
            share_limits(axes, panels)
            share_colours(drawn, panels)
        return drawn


def with_cell_texts(panel: Panel, cell: Cell) -> Panel:
    """Return the first panel of a cell with the cell's texts above and to its left."""
    both = [*filter(None, (cell.label, panel.title))]  # a title may begin with a blank line
    title = "\n".join(both) if any("\n" in text for text in both) else join_title(both)
    return replace(panel, title=title, y=replace(panel.y, beside=cell.beside))


def with_unique_bar_names(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Return the panels; if several colour bars have the same name, only the first of these bars shows it."""
    first: dict[str, ColorBar] = {}
    named = (panel.bar is None or first.setdefault(panel.bar.label, panel.bar) == panel.bar for panel in panels)
    return tuple(panel if own else without_bar_name(panel) for panel, own in zip(panels, named, strict=True))


def _rows_of_parts(parts: Sequence[PanelGroup]) -> tuple[Mosaic, ...]:
    """Return grids in which each part has its own rows; the best grid comes first.

    All rows have the same number of columns.
    """
    counts = [len(part.panels) for part in parts]
    large = parts[counts.index(max(counts))]
    return tuple(
        stacked([grid if n == max(counts) else in_columns(n, columns_of(grid))[0] for n in counts])
        for grid in large.grids
    )


def share_limits(axes: Sequence[Axes], panels: Sequence[Panel]) -> None:
    """Give the same limits to the axes of panels that have the same `Axis.shared` or the same `Panel.ends`."""
    subjects: Sequence[Hashable]
    for x_or_y, subjects in (
        ("x", [panel.x.shared for panel in panels]),
        ("y", [panel.y.shared for panel in panels]),
        ("y", [panel.ends for panel in panels]),
    ):
        for subject in dict.fromkeys(filter(None, subjects)):
            group = [ax for ax, own in zip(axes, subjects, strict=True) if own == subject]
            ends: list[Any] = [getattr(item, f"get_{x_or_y}lim")() for item in group]
            low, high = min(map(min, ends)), max(map(max, ends))
            for item, (first, last) in zip(group, ends, strict=True):
                if {first, last} != {low, high}:
                    getattr(item, f"set_{x_or_y}lim")((low, high) if first < last else (high, low))


def share_colours(mappables: Sequence[Any], panels: Sequence[Panel]) -> None:
    """Give common limits to all images with the same colour bar, and adapt the ink of numbers in their cells."""
    from pecli.figures.matrix import update_text_colors

    for bar in dict.fromkeys(panel.bar for panel in panels if panel.bar):
        images = [
            mappable
            for mappable, panel in zip(mappables, panels, strict=True)
            if mappable is not None and panel.bar == bar
        ]
        if len({image.get_clim() for image in images}) > 1:
            for image in images:
                if ramp := getattr(image, "ramp", None):  # back to the continuous map, since other images show means
                    image.set_cmap(ramp[0])
                    image.set_clim(ramp[1])
            ends = {image.get_clim() for image in images}
            for image in images:
                image.set_clim(min(low for low, _ in ends), max(high for _, high in ends))
                update_text_colors(image)


def single_figures() -> Registry[type[Figure[Any]]]:
    """Return the figures that are not composed of others."""
    return SINGLE


def kind_text(name: str) -> str:
    """Return advice for an alias of a figure, such as "similarity is distance with --measure cos", or ""."""
    own, options = FIGURES.aliases.get(name, ("", {}))
    text = ", ".join(option_text(option, value) for option, value in options.items())
    return f"{name} is {own} with {text}" if own else ""


def part_of(whole: Figure[Any], name: str) -> Figure[Any]:
    """Return the figure of that name with the options that the composed figure `whole` passes on."""
    kind = SINGLE[name]
    given = {option: getattr(whole, option) for option in FORWARDED if option in kind.options()}
    return kind(**{option: value for option, value in given.items() if value is not None})


def check_part(part: Figure[Any], view: View[Encoding], option: str) -> None:
    """Raise UsageError if a part cannot show the encoding.

    The message lists the figures that `option` could name instead.
    """
    kind = type(view.encoding)
    if not part.takes(kind):
        fitting = ", ".join(name for name, figure in SINGLE.items() if figure.takes(kind))
        advice = f"here, {option_text(option)} takes {fitting}" if fitting else ""
        raise UsageError(part.refusal(kind), option="encoding", advice=advice)
    part.check_view(view)
