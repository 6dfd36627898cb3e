"""What figures of several figures share: parts, limits, texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from pecli.analysis import Limits
from pecli.core.errors import UnusedOptionError, UsageError, mention
from pecli.core.language import clauses, phrase, said_by_each
from pecli.core.lazy import Array
from pecli.core.registry import Registry
from pecli.encodings.base import Encoding
from pecli.figures import FIGURES, SINGLE
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.panels import Panel

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


def owned(panel: Panel, part: int) -> Panel:
    """The panel with a colour bar that it shares with its own part alone."""
    return replace(panel, bar=panel.bar and replace(panel.bar, part=part))


def through(view: View[Encoding], own: slice) -> View[Encoding]:
    """The view through some of the panels."""
    return replace(view, panels=view.panels and view.panels[own])


LONGEST = 130  # characters above a picture of several


class Part(NamedTuple):
    """One figure with its numbers."""

    figure: Figure[Any]
    numbers: Numbers[Any]


@dataclass(frozen=True, kw_only=True)
class ComposedNumbers(Numbers[Encoding]):
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
