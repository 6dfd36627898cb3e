"""The numbers behind figures side by side, the limits that they share, and what is said of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from pecli.analysis import Limits
from pecli.core.language import clauses, phrase, said_by_each
from pecli.core.lazy import Array
from pecli.encodings.encoding import Encoding
from pecli.figures.figure import Figure, Numbers

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
