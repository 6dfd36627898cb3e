"""Several figures of one encoding side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pecli.analysis import Limits
from pecli.core.errors import UnusedOptionError, UsageError, mention
from pecli.core.language import clauses, phrase, said_by_each
from pecli.core.lazy import Array
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.registry import Registry
from pecli.encodings.encoding import Encoding
from pecli.figures import FIGURES, SINGLE
from pecli.figures.canvas import Canvas
from pecli.figures.figure import Figure, Numbers, View
from pecli.figures.headings import Heading
from pecli.figures.highlights import Highlighting
from pecli.figures.mosaic import Band, columns_of
from pecli.figures.panels import Panel
from pecli.measures.measure_options import measure_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


LONGEST = 130  # characters above a picture of several
HANDED_ON = ("measure", "highlight")  # options of a composed figure that its parts take, where they have them


def single_figures() -> Registry[type[Figure[Any]]]:
    """The figures that are not made of figures."""
    return SINGLE


def what_it_is(name: str) -> str:
    """What to ask for instead of another name of a figure: similarity is distance with a measure; else nothing."""
    own, options = FIGURES.aliases.get(name, ("", {}))
    said = ", ".join(mention(option, value) for option, value in options.items())
    return f"{name} is {own} with {said}" if own else ""


def part_of(whole: Figure[Any], name: str) -> Figure[Any]:
    """A figure with the options that the composed one hands on; refuses what it cannot show (UsageError)."""
    kind, given = single_figures()[name], {option: getattr(whole, option) for option in HANDED_ON}
    own = {option: value for option, value in given.items() if option in kind.options() and value is not None}
    return kind(**own).as_part()


def refused_part(whole: Figure[Any], part: Figure[Any], view: View[Encoding], option: str) -> UsageError:
    """What to say of a part that cannot show an encoding: the figures that this option may name for it."""
    fitting = [name for name in single_figures() if _shows(whole, name, view)]
    advice = f"{mention(option)} takes {', '.join(fitting)} here" if fitting else ""
    return UsageError(part.refusal(type(view.encoding)), option="encoding", advice=advice)


def _shows(whole: Figure[Any], name: str, view: View[Encoding]) -> bool:
    """Whether that figure, with the options that the composed one hands on, shows the encoding."""
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
            why = f"{', '.join(names)} has no {mention(one)}, {', '.join(fitting)} have"
            raise UnusedOptionError(one, whole.options()[one].write(value), why)


class Part(NamedTuple):
    """One figure with its numbers."""

    figure: Figure[Any]
    numbers: Numbers[Any]


def limited_alike(
    parts: Sequence[Part], kin: Sequence[int], choose: Callable[[Limits, Sequence[Array]], Limits]
) -> tuple[Part, ...]:
    """The parts under the limits of all that share their colours, chosen from those and from all their values.

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
    """The numbers under the limits of all, those of several figures each under its own."""
    if len(numbers) == 1:
        return [numbers[0].limited(choose)]
    composed = [one for one in numbers if isinstance(one, OverviewNumbers)]
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


@dataclass(frozen=True, kw_only=True)
class OverviewNumbers(Numbers[Encoding]):
    """The figures with their numbers, in order."""

    parts: tuple[Part, ...]

    @property
    def main(self) -> Array:
        return self.parts[0].numbers.main

    def arrays(self) -> dict[str, Array]:
        return {f"{i}.{p.figure.name}.{k}": a for i, p in enumerate(self.parts) for k, a in p.numbers.arrays().items()}

    def limited(self, choose: Callable[[Limits, Sequence[Array]], Limits]) -> Self:
        return replace(self, parts=tuple(Part(one.figure, one.numbers.limited(choose)) for one in self.parts))

    def shown(self) -> Sequence[tuple[str, Numbers[Any]]]:
        return [(name, part.numbers) for name, part in zip(self.names(), self.parts, strict=False)]

    def facts(self) -> dict[str, Any]:
        return {f"{i}.{part.figure.name}": part.numbers.facts() for i, part in enumerate(self.parts)}

    def remarks(self) -> list[str]:
        return said_by_each(self.names(), [part.numbers.remarks() for part in self.parts])

    def marks(self) -> list[str]:
        return said_by_each(self.names(), [part.numbers.marks() for part in self.parts])

    def names(self) -> Sequence[str]:
        """What tells those parts from each other that are looked at one by one."""
        return [phrase(part.figure.name) for part in self.parts]

    def message(self) -> str:
        return message_of_each(self.names(), self.said())

    def messages(self) -> list[str]:
        return self.said()

    def said(self) -> list[str]:
        """What there is to see in each of those parts; empty where there is nothing to say."""
        return [part.numbers.message() for part in self.parts[: len(self.names())]]


@dataclass(frozen=True)
class Overview(Highlighting[Encoding]):
    """The first article's two-panel figure, or any list of figures."""

    name: ClassVar[str] = "overview"
    summary: ClassVar[str] = "Several figures of one encoding side by side"
    defines: ClassVar[str] = "those of each figure that is shown, as it computes them alone: pecli FIGURE --help"
    example: ClassVar[str] = "pecli overview -k 10 --panels heatmap,distance,curves"
    examples: ClassVar[tuple[str, ...]] = ("pecli overview rope --panels heatmap,distance",)
    one_table: ClassVar[bool] = False
    composed: ClassVar[bool] = True

    panels: tuple[str, ...] = option(
        ("heatmap", "distance"), "the figures, left to right", choices=single_figures, advice=what_it_is
    )
    measure: str | None = measure_option(None)

    def parts(self) -> list[Figure[Any]]:
        """The figures that stand side by side."""
        return [part_of(self, name) for name in self.panels]

    def check(self) -> None:
        super().check()
        if not self.panels:
            text = f"{mention('panels')} names no figure"
            raise UsageError(text, option="panels", allowed="a list such as heatmap,distance")
        check_handed_on(self, self.parts())

    def panels_for(self, view: View[Encoding]) -> list[Panel]:
        return [owned(panel, at) for at, part in enumerate(self.parts()) for panel in part.panels_for(view)]

    def shares(self, view: View[Encoding]) -> Iterator[tuple[Figure[Any], slice]]:
        """Each part with its share of the panels."""
        first = 0
        for part in self.parts():
            count = len(part.panels_for(view))
            yield part, slice(first, first + count)
            first += count

    def bands(self, view: View[Encoding]) -> list[Band]:
        """A part of several panels has rows of its own, neighbours of one panel each share theirs."""
        counts = [(part, own.stop - own.start) for part, own in self.shares(view)]
        found: list[Band] = []
        for single, parts in groupby(counts, lambda one: one[1] == 1):
            if single:
                count = len([*parts])
                found.append(Band(count, columns_of(count), tuple(range(1, count + 1))))
            else:
                found += [band for part, _ in parts for band in part.bands(view)]
        return found

    def headings(self, view: View[Encoding]) -> list[Heading]:
        return [Heading(own.start, own.stop, phrase(part.name)) for part, own in self.shares(view)]

    def frame(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        for part, own in self.shares(view):
            part.frame(view, axes[own], canvas)

    def fit(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        for part, own in self.shares(view):
            part.fit(view, axes[own], canvas)

    def shape(self, view: View[Encoding]) -> tuple[int, ...]:
        return (sum(prod(part.shape(through(view, own))) for part, own in self.shares(view)),)

    def check_view(self, view: View[Encoding]) -> None:
        for part in self.parts():
            if not part.takes(type(view.encoding)):
                raise refused_part(self, part, view, "panels")
            part.check_view(view)

    def unseen(self, view: View[Encoding]) -> str:
        return next(filter(None, (part.unseen(view) for part in self.parts())), "")

    def positions_for(self, asked: Positions) -> Positions:
        parts = self.parts()
        if all(part.positions_for(Positions()) != Positions() for part in parts):  # none looks at what is asked for
            return parts[0].positions_for(asked)
        return asked

    def texts(self) -> list[str]:
        return [text for part in self.parts() for text in part.texts()]

    def compute(self, view: View[Encoding]) -> OverviewNumbers:
        parts = tuple(Part(part, part.compute(through(view, own))) for part, own in self.shares(view))
        return OverviewNumbers(view=view, parts=parts)

    def draw(self, numbers: OverviewNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        drawn = []
        for (_, own), part in zip(self.shares(numbers.view), numbers.parts, strict=True):
            drawn += part.figure.draw(part.numbers, axes[own], canvas)
        return drawn


def marks_of(parts: Iterable[Part]) -> list[str]:
    """What is meant by the marks of parts of one kind, each said once: panels without one are told by that."""
    return [*dict.fromkeys(mark for part in parts for mark in part.numbers.marks())]


def message_of_each(labels: Sequence[str], messages: Sequence[str]) -> str:
    """What there is to see in several that are told apart by these labels; of many in the first and the last.

    That of one alone is said last of all, after all of them in twice the length: it holds for its own panel.
    """
    said = said_by_each(labels, [[message] for message in messages])
    tried = ((said, LONGEST), (said[:1] + said[1:][-1:], LONGEST), (said, 2 * LONGEST), (said[:1], LONGEST))
    return next((one for some, most in tried if len(one := clauses(some)) <= most), "")


def differing(messages: Sequence[str]) -> list[str]:
    """What there is to see in each of several where that is not the same in all; else nothing."""
    return list(messages) if len({*messages}) > 1 else []


def owned(panel: Panel, part: int) -> Panel:
    """The panel with a colour bar that it shares with its own part alone."""
    return replace(panel, bar=panel.bar and replace(panel.bar, part=part))


def through(view: View[Encoding], own: slice) -> View[Encoding]:
    """The view through some of the panels."""
    return replace(view, panels=view.panels and view.panels[own])
