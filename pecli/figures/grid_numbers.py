"""The numbers behind one figure many times: those of every cell, under limits that cells share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from pecli.analysis import Limits
from pecli.core.language import clauses, listing, said_by_each
from pecli.core.lazy import Array, np
from pecli.figures.composed_numbers import ComposedNumbers, differing, limited_alike, marks_of, message_of_each


class Axis(NamedTuple):
    """An option that the cells differ in.

    values : what each of its values is, as an array's elements
    texts : what stands beside its cells
    number : whether the values are numbers
    """

    name: str
    values: tuple[Any, ...]
    texts: tuple[str, ...]
    number: bool


@dataclass(frozen=True, kw_only=True)
class GridNumbers(ComposedNumbers):
    """The numbers of every cell, row by row. Arrays that all cells have in one shape have an axis an option first."""

    axes: tuple[Axis, ...]
    labels: tuple[str, ...]
    kin: tuple[int, ...]  # of each cell, the first cell that it shares its colours with

    def limited(self, choose: Callable[[Limits, Sequence[Array]], Limits]) -> Self:
        """Under the limits of all cells that share their colours, chosen from those and from all their values."""
        return replace(self, parts=limited_alike(self.parts, self.kin, choose))

    def arrays(self) -> dict[str, Array]:
        every = [part.numbers.arrays() for part in self.parts]
        shapes = [{name: array.shape for name, array in own.items()} for own in every]
        if all(own == shapes[0] for own in shapes):
            found = {name: self._stacked([own[name] for own in every], name) for name in every[0]}
        else:
            found = {f"{at}.{name}": array for at, own in enumerate(every) for name, array in own.items()}
        return {f"sweep_{a.name}" if a.name in found else a.name: np.array(a.values) for a in self.axes} | found

    def _stacked(self, arrays: list[Array], name: str) -> Array:
        """The cells' arrays as one; a coordinate that they all share once."""
        first = self.parts[0].numbers
        coordinate = name in (*first.row_coordinates, first.column_coordinates)
        if coordinate and all(np.array_equal(arrays[0], one) for one in arrays):
            return arrays[0]
        return np.stack(arrays).reshape(*(len(axis.values) for axis in self.axes), *arrays[0].shape)

    def facts(self) -> dict[str, Any]:
        return {label: part.numbers.facts() for label, part in zip(self.labels, self.parts, strict=True)}

    def remarks(self) -> list[str]:
        return said_by_each(self.names(), [part.numbers.remarks() for part in self.parts])

    def marks(self) -> list[str]:
        return marks_of(self.parts)

    def names(self) -> Sequence[str]:
        return self.labels

    def messages(self) -> list[str]:
        """Once, at the top, in rows and columns where all in a column say the same."""
        said = differing(self.said())
        if said:
            said[0] = clauses([said[0], *self._common()])
        if said and len(self.axes) > 1 and 0 not in self._telling():
            across = len(said) // len(self.axes[0].values)
            said[across:] = [""] * (len(said) - across)
        return said

    def message(self) -> str:
        """What there is to see in each, by the names of the options that make a difference to it."""
        telling, places = self._telling(), np.ndindex(*(len(axis.values) for axis in self.axes))
        names = [listing(self.axes[at].texts[place[at]] for at in telling) for place in places]
        each = dict(zip(names, self.said(), strict=True))
        return clauses([message_of_each([*each], [*each.values()]), *self._common()])

    def said(self) -> list[str]:
        """What there is to see in each cell; of several figures in each what not all cells say."""
        common = self._common()
        each = [part.numbers.messages() or [part.numbers.message()] for part in self.parts]
        return [clauses(text for text in own if text not in common) for own in each]

    def _common(self) -> list[str]:
        """What one of several figures in each cell says in all of them."""
        first, *others = (part.numbers.messages() for part in self.parts)
        return [text for text in first if text and all(text in one for one in others)]

    def _telling(self) -> list[int]:
        """The axes along which cells say different things."""
        said = np.array(self.said(), dtype=object).reshape([len(axis.values) for axis in self.axes])
        return [at for at in range(said.ndim) if (said != said.take([0], axis=at)).any()]
