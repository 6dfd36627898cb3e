"""What figures of several figures share: cells side by side, their limits and their texts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pecli.analysis import Limits
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import clauses, said_by_each
from pecli.core.lazy import Array, Registry
from pecli.encodings.base import Encoding
from pecli.figures import FIGURES, SINGLE
from pecli.figures.base import Figure, Numbers, View, panels_of
from pecli.figures.canvas import Canvas
from pecli.figures.panels import Mosaic, Panel, PanelGroup, below_each_other, in_columns, is_even, owned, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HANDED_ON = ("measure", "highlight")  # options of a composed figure that its parts take, where they have them
LONGEST = 130  # characters above a picture of several
ROW = 3  # panels that stand side by side where there is room, whatever they belong to


class Cell(NamedTuple):
    """A figure that looks at something of its own, with what stands above its first panel and left of it."""

    figure: Figure[Any]
    view: View[Any]
    label: str = ""
    beside: str = ""


class Part(NamedTuple):
    """One figure with its numbers."""

    figure: Figure[Any]
    numbers: Numbers[Any]


@dataclass(frozen=True, kw_only=True)
class ComposedNumbers(Numbers[Encoding]):
    """The figures with their numbers, in order."""

    parts: tuple[Part, ...]
    labels: tuple[str, ...]  # what tells those parts from each other that are looked at one by one
    kin: tuple[int, ...]  # of each part, the first that it shares its colours with

    @property
    def main(self) -> Array:
        return self.parts[0].numbers.main

    def arrays(self) -> dict[str, Array]:
        return {f"{i}.{p.figure.name}.{k}": a for i, p in enumerate(self.parts) for k, a in p.numbers.arrays().items()}

    def limited(self, choose: Callable[[Limits, Sequence[Array]], Limits]) -> Self:
        """Under the limits of all parts that share their colours, chosen from those and from all their values."""
        return replace(self, parts=limited_alike(self.parts, self.kin, choose))

    def shown(self) -> Sequence[tuple[str, Numbers[Any]]]:
        return [(name, part.numbers) for name, part in zip(self.labels, self.parts, strict=False)]

    def facts(self) -> dict[str, Any]:
        return {f"{i}.{part.figure.name}": part.numbers.facts() for i, part in enumerate(self.parts)}

    def remarks(self) -> list[str]:
        return said_by_each(self.labels, [part.numbers.remarks() for part in self.parts[: len(self.labels)]])

    def marks(self) -> list[str]:
        """What is meant by the marks of all parts, each said once: panels without one are told by that."""
        return [*dict.fromkeys(mark for part in self.parts for mark in part.numbers.marks())]

    def message(self) -> str:
        return message_of_each(self.labels, self.messages())

    def messages(self) -> list[str]:
        """Return what there is to see in each of the parts that have a label; empty where there is nothing to say."""
        return [part.numbers.message() for part in self.parts[: len(self.labels)]]


@dataclass(frozen=True)
class Composite(Figure[Encoding]):
    """Base of the figures that are made of cells, each a figure that looks at something of its own.

    alike : whether all cells are the same figure, so that they share limits, colour bars and labels
    """

    one_table: ClassVar[bool] = False
    composed: ClassVar[bool] = True
    alike: ClassVar[bool] = True

    @abstractmethod
    def cells_of(self, view: View[Encoding]) -> list[Cell]:
        """Return the cells, in order; none looks through any panels."""

    def _through(self, view: View[Encoding]) -> Iterator[tuple[Cell, slice]]:
        """Yield each cell, looking through its panels, and which panels they are."""
        first = 0
        for cell in self.cells_of(view):
            own = slice(first, first + len(panels_of(cell.figure, cell.view)))
            yield cell._replace(view=replace(cell.view, panels=view.panels and view.panels[own])), own
            first = own.stop

    def _each(self, view: View[Encoding], axes: list[Axes]) -> Iterator[tuple[Cell, list[Axes]]]:
        """Yield each cell with its axes; the first has the cell's label above its title except in the meantime."""
        for cell, own in self._through(view):
            title = axes[own.start].title
            title.set_text(title.get_text().removeprefix(cell.label).removeprefix("\n"))
            yield cell, axes[own]
            title.set_text(f"{cell.label}\n{title.get_text()}".strip())

    def panel_groups(self, view: View[Encoding], canvas: Canvas) -> list[PanelGroup]:
        parts = [self._placed(cell, at, canvas) for at, cell in enumerate(self.cells_of(view))]
        panels = tuple(panel for part in parts for panel in part.panels)
        if len(panels) > len(parts):
            return [PanelGroup(panels, in_rows_of_their_own(parts))]
        few = len(panels) <= ROW and not any(panel.exact for panel in panels)
        grids = in_columns(len(panels), *([1] if few and canvas.narrow else []))
        return [PanelGroup(panels, grids, one_legend=True)]

    def _placed(self, cell: Cell, at: int, canvas: Canvas) -> PanelGroup:
        """Return the panels of a cell, with bars of their own where colours mean nothing elsewhere."""
        groups = cell.figure.panel_groups(cell.view, canvas)
        panels = [panel for group in groups for panel in group.panels]
        if not self.alike or not cell.figure.shares_limits:
            panels = [owned(panel, at) for panel in panels]
        if self.alike:
            panels = [replace(panel, head=panel.head and (at, panel.head)) for panel in panels]
        even = [[grid for grid in group.grids if is_even(grid)] for group in groups]
        grids = even[0] if len(groups) == 1 else [below_each_other([own[0] for own in even])]
        return PanelGroup(tuple(panels), tuple(grids))

    def decorate(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        cells = []
        for cell, own in self._each(view, axes):
            cell.figure.decorate(cell.view, own, canvas)
            if cell.beside:
                own[0].set_ylabel(f"{cell.beside}\n{own[0].get_ylabel()}".strip())
            cells.append(own)
        if self.alike and len(cells) > 1:
            from pecli.figures.legends import keep_last_legend

            keep_last_legend(cells)

    def fit(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        for cell, own in self._through(view):
            cell.figure.fit(cell.view, axes[own], canvas)

    def shape(self, view: View[Encoding]) -> tuple[int, ...]:
        return (sum(prod(cell.figure.shape(cell.view)) for cell, _ in self._through(view)),)

    def computed_parts(self, view: View[Encoding]) -> list[Part]:
        """Return each figure with its numbers."""
        return [Part(cell.figure, cell.figure.compute(cell.view)) for cell, _ in self._through(view)]

    def kin_of(self, view: View[Encoding]) -> tuple[int, ...]:
        """Return, of each cell, the first that it shares its colours with."""
        bars = [
            {panel.bar for panel in self._placed(cell, at, Canvas()).panels}
            for at, cell in enumerate(self.cells_of(view))
        ]
        return tuple(bars.index(own) if self.alike else at for at, own in enumerate(bars))

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        drawn, parts = [], iter(numbers.parts)
        for cell, own in self._each(numbers.view, axes):
            drawn += cell.figure.draw(next(parts).numbers, own, canvas)
        if self.alike:
            panels = panels_of(self, numbers.view, canvas)
            share_windows(axes, panels)
            share_colours(drawn, panels)
        return drawn

    def texts(self) -> list[str]:
        return []


def in_rows_of_their_own(parts: Sequence[PanelGroup]) -> tuple[Mosaic, ...]:
    """Return the grids in which each part has rows of its own, all of one width; the best first."""
    most = max(parts, key=lambda part: len(part.panels))
    return tuple(
        below_each_other(
            [
                grid if len(part.panels) == len(most.panels) else in_columns(len(part.panels), width_of(grid))[0]
                for part in parts
            ]
        )
        for grid in most.grids
    )


def limited_alike(
    parts: Sequence[Part], kin: Sequence[int], choose: Callable[[Limits, Sequence[Array]], Limits]
) -> tuple[Part, ...]:
    """Return the parts under the limits of all that share their colours, chosen from those and from all their values.

    kin : of each part, the first that it shares its colours with
    """
    found = list(parts)
    for first in dict.fromkeys(kin):
        family = [at for at, own in enumerate(kin) if own == first]
        for at, numbers in zip(family, _under_one([parts[at].numbers for at in family], choose), strict=True):
            found[at] = Part(parts[at].figure, numbers)
    return tuple(found)


def _under_one(
    numbers: Sequence[Numbers[Any]], choose: Callable[[Limits, Sequence[Array]], Limits]
) -> Sequence[Numbers[Any]]:
    """Return the numbers under the limits of all, those of several figures each under its own."""
    if len(numbers) == 1:
        return [numbers[0].limited(choose)]
    composed = [one for one in numbers if isinstance(one, ComposedNumbers)]
    if composed:
        columns = [
            limited_alike(parts, [0] * len(parts), choose)
            for parts in zip(*(one.parts for one in composed), strict=True)
        ]
        return [replace(one, parts=parts) for one, parts in zip(composed, zip(*columns, strict=True), strict=True)]
    known = [limits for one in numbers if (limits := one.limits()) is not None]
    if len(known) < len(numbers):
        return numbers
    both = min(low for low, _ in known), max(high for _, high in known)
    both = (-max(map(abs, both)), max(map(abs, both))) if both[0] < 0 < both[1] else both
    limits = choose(both, [array for one in numbers for array in one.coloured()])
    return [one.with_limits(*limits) for one in numbers]


def share_windows(axes: Sequence[Axes], panels: Sequence[Panel]) -> None:
    """Give all that is labelled once for several panels, and all that ends where its data do, the ends of them all."""
    for x_or_y in ("x", "y"):
        free = [_label(one, x_or_y) if getattr(one, f"get_autoscale{x_or_y}_on")() else None for one in axes]
        for subjects in ([getattr(panel, x_or_y) for panel in panels], free):
            groups: dict[Hashable, list[Axes]] = {}
            for one, subject in zip(axes, subjects, strict=True):
                groups.setdefault(subject, []).append(one)
            groups.pop(None, None)
            for group in groups.values():
                _set_ends(group, x_or_y)


def _label(axes: Axes, x_or_y: str) -> str | None:
    """Return what an axis says that it shows, without what tells the row; None for nothing."""
    text: str = getattr(axes, f"get_{x_or_y}label")()
    return text.rpartition("\n")[2] or None


def _set_ends(group: Sequence[Axes], x_or_y: str) -> None:
    """Give all of these one window, and numbers as far as one of them has."""
    from pecli.figures.ticks import number_between, numbered

    axes = [getattr(one, f"{x_or_y}axis") for one in group]
    ends: list[Any] = [getattr(one, f"get_{x_or_y}lim")() for one in group]
    known = [numbered(axis) for axis in axes]
    low, high = min(min(one) for one in ends), max(max(one) for one in ends)
    for one, (first, last) in zip(group, ends, strict=True):
        if {first, last} != {low, high}:
            getattr(one, f"set_{x_or_y}lim")((low, high) if first < last else (high, low))
    for axis in axes:
        number_between(axis, min(first for first, _ in known), max(last for _, last in known))


def share_colours(mappables: Sequence[Any], panels: Sequence[Panel]) -> None:
    """Give all images beside one bar the ends of them all, and their numbers the ink that goes with that."""
    from pecli.figures.matrix import ink_again

    for bar in dict.fromkeys(panel.bar for panel in panels if panel.bar):
        family = [one for one, panel in zip(mappables, panels, strict=True) if one is not None and panel.bar == bar]
        lows, highs = zip(*(one.get_clim() for one in family), strict=True) if family else ((), ())
        if len({*lows}) > 1 or len({*highs}) > 1:
            for one in family:
                one.set_clim(min(lows), max(highs))
                ink_again(one)


def message_of_each(labels: Sequence[str], messages: Sequence[str]) -> str:
    """Return what there is to see in several that are told apart by these labels; of many in the first and the last.

    That of one alone is said last of all, after all of them in twice the length: it holds for its own panel.
    """
    said = said_by_each(labels, [[message] for message in messages])
    tried = ((said, LONGEST), (said[:1] + said[1:][-1:], LONGEST), (said, 2 * LONGEST), (said[:1], LONGEST))
    return next((one for some, most in tried if len(one := clauses(some)) <= most), "")


def single_figures() -> Registry[type[Figure[Any]]]:
    """Return the figures that are not made of figures."""
    return SINGLE


def what_it_is(name: str) -> str:
    """Return what to ask for instead of another name of a figure: similarity is distance with a measure; else ''."""
    own, options = FIGURES.aliases.get(name, ("", {}))
    said = ", ".join(option_text(option, value) for option, value in options.items())
    return f"{name} is {own} with {said}" if own else ""


def part_of(whole: Figure[Any], name: str) -> Figure[Any]:
    """Return a figure with the options that the composed one hands on; refuses what it cannot show (UsageError)."""
    kind, given = single_figures()[name], {option: getattr(whole, option) for option in HANDED_ON}
    own = {option: value for option, value in given.items() if option in kind.options() and value is not None}
    return kind(**own)


def check_part(whole: Figure[Any], part: Figure[Any], view: View[Encoding], option: str) -> None:
    """Refuses a part that cannot show an encoding, naming the figures that this option may name for it."""
    if part.takes(type(view.encoding)):
        part.check_view(view)
        return
    fitting = [name for name in single_figures() if _shows(whole, name, view)]
    advice = f"{option_text(option)} takes {', '.join(fitting)} here" if fitting else ""
    raise UsageError(part.refusal(type(view.encoding)), option="encoding", advice=advice)


def _shows(whole: Figure[Any], name: str, view: View[Encoding]) -> bool:
    """Return whether that figure, with the options that the composed one hands on, shows the encoding."""
    if not single_figures()[name].takes(type(view.encoding)):
        return False
    try:
        part_of(whole, name).check_view(view)
    except UsageError:
        return False
    return True


def check_handed_on(whole: Figure[Any], parts: Iterable[Figure[Any]]) -> None:
    """Refuses an option that none of the parts has (UsageError)."""
    names = dict.fromkeys(part.name for part in parts)
    for one, value in whole.changed().items():
        fitting = [name for name, figure in single_figures().items() if one in figure.options()]
        if one in HANDED_ON and not {*fitting} & {*names}:
            why = f"{', '.join(names)} has no {option_text(one)}, {', '.join(fitting)} have"
            raise UnusedOptionError(one, whole.options()[one].write(value), why)
