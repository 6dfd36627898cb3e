"""The numbers behind a figure of several encodings, and how large the difference of two is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from pecli.analysis import Limits, Numbers
from pecli.core.arithmetic import ROUNDING
from pecli.core.language import clauses, phrase, said_by_each
from pecli.core.lazy import Array, np
from pecli.core.number_text import bound_text
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.titles import short_names
from pecli.figures.composed_numbers import LONGEST, ComposedNumbers, differing, limited_alike, marks_of


@dataclass(frozen=True, kw_only=True)
class CompareNumbers(ComposedNumbers):
    """The figure with the numbers of each encoding, in order; the difference of two as the last where asked for."""

    kin: tuple[int, ...]  # of each, the first that it shares its colours with

    def limited(self, choose: Callable[[Limits, Sequence[Array]], Limits]) -> Self:
        return replace(self, parts=limited_alike(self.parts, self.kin, choose))

    def remarks(self) -> list[str]:
        labels = [*self.names(), phrase("difference")]
        said = [part.numbers.remarks() for part in self.parts]
        return said_by_each(labels[: len(said)], said)

    def marks(self) -> list[str]:
        return marks_of(self.parts)

    def names(self) -> Sequence[str]:
        return short_names(self.view.encodings)  # a difference is none of them

    def message(self) -> str:
        each, apart = super().message(), self.apart()
        return one if len(one := clauses([each, apart])) <= LONGEST else each

    def messages(self) -> list[str]:
        said = differing(self.said())
        return said and [*said, *filter(None, [self.apart()])]

    def apart(self) -> str:
        """How large the difference of two is; nothing without one."""
        rest = [part.numbers for part in self.parts[len(self.view.encodings) :]]
        said = next((difference_text(self.names(), one) for one in rest), "")
        return clauses([phrase("the same columns in another order"), said]) if said and self.reordered() else said

    def reordered(self) -> bool:
        """Whether the formulas of two say that their tables have the same columns in another order."""
        every, rows = self.view.encodings, self.view.positions
        known = [one for one in every if isinstance(one, Harmonic)]
        if not len(known) == len(every) == 2 or known[0].covered(rows) != known[1].covered(rows):
            return False
        one, other = map(column_terms, known)
        return one != other and sorted(one) == sorted(other)

    def facts(self) -> dict[str, Any]:
        names = [encoding.spec() for encoding in self.view.encodings] + ["difference"]
        return {name: part.numbers.facts() for name, part in zip(names, self.parts, strict=False)}


def column_terms(encoding: Harmonic) -> list[tuple[Any, ...]]:
    """What each column of a table is made of: two columns with the same are the same."""
    pairs = list(zip(encoding.frequencies(), encoding.amplitudes, encoding.phases, strict=True))
    return [(wave, *pairs[pair], encoding.dtype) for wave, pair in encoding.waves()]


def difference_text(names: Sequence[str], difference: Numbers[Any]) -> str:
    """How large the first less the second is."""
    low, high = (float(end.reduce(difference.main, axis=None, initial=0.0)) for end in (np.fmin, np.fmax))
    number, rounding = bound_text(max(-low, high), 3), ROUNDING * max(-low, high)
    if not low < 0 and not high > 0:
        return phrase("no difference")
    if difference.averaged():
        return phrase("the means differ by up to {number}", number=number)
    if -low > rounding and high > rounding:
        return phrase("the two differ by up to {number}", number=number)
    return phrase("{name} is larger by up to {number}", name=names[0 if high > rounding else 1], number=number)
