"""One figure of several encodings, under the same limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pecli.analysis import Limits, Numbers
from pecli.core.errors import UsageError, mention
from pecli.core.language import clauses, phrase, said_by_each
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING, bound_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding, apart, in_common, short_names
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Figure, Stacked, View
from pecli.figures.canvas import Canvas
from pecli.figures.composite import (
    LONGEST,
    ComposedNumbers,
    Part,
    check_handed_on,
    differing,
    limited_alike,
    marks_of,
    owned,
    part_of,
    refused_part,
    single_figures,
    through,
    what_it_is,
)
from pecli.figures.headings import Heading
from pecli.figures.highlights import Highlighting
from pecli.figures.legends import keep_last_legend
from pecli.figures.mosaic import Mosaic, rows_of_their_own
from pecli.figures.panels import Panel, headed
from pecli.figures.windows import share_colours, share_windows
from pecli.measures.pairwise import measure_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


LONGEST_NAME = 28  # characters of a difference's name


@dataclass(frozen=True)
class Compare(Highlighting[Encoding]):
    """A figure for several encodings in one grid, with shared limits and one colour bar."""

    name: ClassVar[str] = "compare"
    summary: ClassVar[str] = "One figure of several encodings, under the same limits"
    defines: ClassVar[str] = (
        "those of the figure for each encoding, under limits that hold for all; the difference is the first "
        "less the second"
    )
    example: ClassVar[str] = "pecli compare sinusoidal:base=10 sinusoidal:base=10000"
    examples: ClassVar[tuple[str, ...]] = ("pecli compare rope sinusoidal --figure curves",)
    several: ClassVar[bool] = True
    specs_are_arguments: ClassVar[bool] = True
    one_table: ClassVar[bool] = False
    shares_limits: ClassVar[bool] = False
    composed: ClassVar[bool] = True

    figure: str = option("heatmap", "the figure that is drawn for each", choices=single_figures, advice=what_it_is)
    measure: str | None = measure_option(None)
    difference: bool = option(False, "add the difference of two encodings, first less second")

    def positions_for(self, asked: Positions) -> Positions:
        return self.part().positions_for(asked)

    def on_page(self, canvas: Canvas) -> Compare:
        """Itself, or with panels below each other where they would be slivers side by side."""
        return self.laid_out_as(CompareDown) if canvas.narrow else self

    def part(self) -> Figure[Any]:
        """The figure that is drawn for each encoding."""
        return part_of(self, self.figure)

    def check(self) -> None:
        super().check()
        check_handed_on(self, [self.part()])

    def views(self, view: View[Encoding]) -> list[View[Encoding]]:
        """One view an encoding, through its share of the panels."""
        alone = [replace(view, encodings=(encoding,), panels=None) for encoding in view.encodings]
        if view.panels is None:
            return alone
        return [
            through(replace(one, panels=view.panels), own) for one, own in zip(alone, self._shares(alone), strict=False)
        ]

    def _shares(self, alone: list[View[Encoding]]) -> list[slice]:
        """The places of each encoding's panels, those of the difference last."""
        counts = [len(self.part().panels_for(one)) for one in alone]
        last = list(accumulate([*counts, *counts[:1]] if self.difference else counts))
        return [slice(start, stop) for start, stop in pairwise([0, *last])]

    def check_view(self, view: View[Encoding]) -> None:
        if self.difference and len(view.encodings) != 2:
            text = f"{mention('difference')} takes two encodings, {len(view.encodings)} are given"
            raise UsageError(text, option="difference")
        for one in self.views(view):
            if not self.part().takes(type(one.encoding)):
                raise refused_part(self, self.part(), one, "figure")
            self.part().check_view(one)

    def panels_for(self, view: View[Encoding]) -> list[Panel]:
        every = [headed(p, at) for at, one in enumerate(self.views(view)) for p in self.part().panels_for(one)]
        differ = [owned(panel, 1) for panel in self.part().panels_for(self.views(view)[0])] if self.difference else []
        return every + [
            replace(p, bar=p.bar and replace(p.bar, label=phrase("difference"), ticks=None)) for p in differ
        ]

    def columns(self, view: View[Encoding]) -> int:
        across = self.part().columns(self.views(view)[0])
        return super().columns(view) if across == 1 else across  # panels that belong to each other stay so

    def grids(self, view: View[Encoding]) -> tuple[int, ...]:
        if self.mosaics(view):
            return ()
        first = self.views(view)[0]
        across = self.part().columns(first)
        if across == 1:
            return super().grids(view)
        row = len(self.part().panels_for(first))  # a row for each encoding
        return tuple(one for one in self.part().grids(first) if one <= across or one == row)

    def mosaics(self, view: View[Encoding]) -> tuple[Mosaic, ...]:
        """None, or where one encoding has more panels than another, each in rows of its own."""
        counts = [own.stop - own.start for own in self._shares(self.views(replace(view, panels=None)))]
        if len({*counts}) == 1:
            return ()
        most = self.views(view)[counts.index(max(counts))]
        return rows_of_their_own(counts, self.part().grids(most), self.part().columns(most))

    def headings(self, view: View[Encoding]) -> list[Heading]:
        names = [*names_apart(view), difference_name(view)]
        shares = self._shares(self.views(replace(view, panels=None)))
        return [Heading(own.start, own.stop, name) for own, name in zip(shares, names, strict=False)]

    def frame(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        count, groups = len(view.encodings), self._groups(axes, view)
        for one, own, title in zip(self.views(view), groups, names_apart(view), strict=False):
            self.part().frame(one, own, canvas)
            own[0].title.set_text(f"{title}\n{own[0].get_title()}".strip())  # as far above as it was
        keep_last_legend([one for own in groups[:count] for one in own], count)
        if self.difference:
            self.part().frame(self.views(view)[0], groups[-1], canvas)
            groups[-1][0].set_title(difference_name(view))

    def fit(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        every = self.views(view)  # the difference looks as the first
        for one, own in zip([*every, every[0]], self._groups(axes, view), strict=False):
            self.part().fit(one, own, canvas)

    def _groups(self, axes: list[Axes], view: View[Encoding]) -> list[list[Axes]]:
        """The axes of each encoding."""
        return [axes[own] for own in self._shares(self.views(replace(view, panels=None)))]

    def shape(self, view: View[Encoding]) -> tuple[int, ...]:
        return (sum(prod(self.part().shape(one)) for one in self.views(view)),)

    def compute(self, view: View[Encoding]) -> CompareNumbers:
        part = self.part()
        every = [part.compute(one) for one in self.views(view)]
        bars = [[panel.bar for panel in part.panels_for(one)] for one in self.views(view)]
        kin = [next(at for at, other in enumerate(bars) if {*other} == {*own}) for own in bars]
        if self.difference:
            every.append(every[0].difference(every[1]))
            kin.append(len(kin))
        numbers = CompareNumbers(view=view, parts=tuple(Part(part, one) for one in every), kin=tuple(kin))
        return numbers.limited(lambda limits, _: limits)

    def draw(self, numbers: CompareNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        groups = self._groups(axes, numbers.view)
        drawn = [part.figure.draw(part.numbers, own, canvas) for part, own in zip(numbers.parts, groups, strict=True)]
        share_windows(axes, self.panels_for(numbers.view))
        images = [one for own in drawn for one in own]
        if drawn[0][0] is not None and len(images) == len(axes):
            share_colours(images, self.panels_for(numbers.view))
        return images

    def texts(self) -> list[str]:
        return self.part().texts()

    def title(self, view: View[Encoding]) -> str:
        one = view.encoding.label() if len(view.encodings) == 1 else ""
        shared = in_common(view.encodings) if len(set(view.encodings)) > 1 else []
        return clauses([one, ", ".join(shared), self.unseen(view)])

    def unseen(self, view: View[Encoding]) -> str:
        return self.part().unseen(view)


class CompareDown(Stacked[Encoding], Compare):
    """The same on a narrow page."""


def difference_name(view: View[Encoding]) -> str:
    """The name of the difference: those of the two, where they are short and not the same."""
    name = " − ".join(names_apart(view))
    return name if len(name) <= LONGEST_NAME and len(set(view.encodings)) > 1 else phrase("difference, first − second")


def names_apart(view: View[Encoding]) -> list[str]:
    """What tells each encoding from the others; of equal ones all that there is to say, of one what the title says."""
    if len(view.encodings) == 1:
        return [""]
    if len(set(view.encodings)) == 1:
        return [encoding.label() for encoding in view.encodings]
    return apart(view.encodings)
