"""One figure of several encodings, under the same limits."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.core.errors import UsageError, mention
from pecli.core.options import option
from pecli.encodings.encoding import Encoding
from pecli.figures.canvas import Canvas, ColourBar, add_colour_bar
from pecli.figures.figure import Figure, View
from pecli.figures.overview import OverviewNumbers, Part, single_figures
from pecli.measures.pairwise import measures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SQUARE = 0.85  # height over width of a square panel and its labels


@dataclass(frozen=True, kw_only=True)
class CompareNumbers(OverviewNumbers):
    """The figure with the numbers of each encoding, in order; the difference of two as the last where asked for."""

    differs: bool

    def facts(self) -> dict[str, Any]:
        names = [encoding.spec() for encoding in self.view.encodings] + ["difference"]
        return {name: part.numbers.facts() for name, part in zip(names, self.parts, strict=False)}


@dataclass(frozen=True)
class Compare(Figure[Encoding]):
    """A figure for several encodings in one grid, with shared limits and one colour bar."""

    name: ClassVar[str] = "compare"
    summary: ClassVar[str] = "One figure of several encodings, under the same limits"
    example: ClassVar[str] = "pecli compare sinusoidal:base=10 sinusoidal:base=10000"
    several: ClassVar[bool] = True
    specs_are_arguments: ClassVar[bool] = True
    one_table: ClassVar[bool] = False
    composed: ClassVar[bool] = True

    figure: str = option("heatmap", "the figure that is drawn for each", choices=single_figures)
    measure: str = option("euclidean", "the measure, where the figure has one", choices=measures, flags=("-m",))
    difference: bool = option(False, "add the difference of two encodings, first less second")

    def part(self) -> Figure[Any]:
        """The figure that is drawn for each encoding."""
        kind = single_figures()[self.figure]
        return kind(**({"measure": self.measure} if "measure" in kind.options() else {}))

    def views(self, view: View[Encoding]) -> list[View[Any]]:
        """One view an encoding."""
        return [View((encoding,), view.positions, view.pixels) for encoding in view.encodings]

    def check_view(self, view: View[Encoding]) -> None:
        if self.difference and len(view.encodings) != 2:
            text = f"{mention('difference')} takes two encodings, {len(view.encodings)} are given"
            raise UsageError(text, option="difference")
        for one in self.views(view):
            if not self.part().takes(type(one.encoding)):
                raise UsageError(self.part().refusal(type(one.encoding)))
            self.part().check_view(one)

    def grid_for(self, view: View[Encoding]) -> tuple[int, int]:
        rows, across = self.part().grid()
        if rows > 1:  # panels that belong to each other stay so
            return ((len(view.encodings) + self.difference) * rows, across)
        panels = (len(view.encodings) + self.difference) * across
        columns = panels if panels <= 3 else ceil(sqrt(panels))
        return (ceil(panels / columns), columns)

    def aspect_for(self, view: View[Encoding]) -> float:
        return 0.9 * (self.part().aspect_for(view) or SQUARE)

    def shape(self, view: View[Encoding]) -> tuple[int, ...]:
        return (sum(prod(self.part().shape(one)) for one in self.views(view)),)

    def compute(self, view: View[Encoding]) -> CompareNumbers:
        part = self.part()
        every = [part.compute(one) for one in self.views(view)]
        limits = [numbers.limits() for numbers in every]
        known = [one for one in limits if one is not None]
        if len(known) == len(every):
            low, high = min(one[0] for one in known), max(one[1] for one in known)
            shown = [numbers.with_limits(low, high) for numbers in every]
        else:
            shown = every
        if self.difference:
            shown.append(every[0].difference(every[1]))
        return CompareNumbers(view=view, parts=tuple(Part(part, numbers) for numbers in shown), differs=self.difference)

    def draw(self, numbers: CompareNumbers, axes: list[Axes], canvas: Canvas) -> None:
        size = prod(self.part().grid())
        groups = [axes[at : at + size] for at in range(0, len(axes), size)]
        scales = [part.figure.draw(part.numbers, own, canvas) for part, own in zip(numbers.parts, groups, strict=False)]
        titles = [encoding.label() for encoding in numbers.view.encodings] + ["difference, first − second"]
        for own, title in zip(groups[: len(scales)], titles, strict=False):
            share = 0.7 / self.grid_for(numbers.view)[1]  # the rest is for labels and the colour bar
            own[0].set_title(f"{canvas.wrapped(unbroken(title), share)}\n{own[0].get_title()}".strip())
        for unused in axes[len(scales) * size :]:
            unused.set_axis_off()
        shared = len(scales) - numbers.differs
        _one_bar(scales[:shared], [one for own in groups[:shared] for one in own])
        if numbers.differs:
            _one_bar([scale and scale._replace(label="difference") for scale in scales[shared:]], groups[shared])
        if not scales[0]:
            _one_window([one for own in groups[:shared] for one in own])

    def texts(self) -> list[str]:
        return self.part().texts()

    def title(self, view: View[Encoding]) -> str:
        return ""


def _one_bar(scales: list[ColourBar | None], axes: list[Axes]) -> None:
    if scales[0] is not None:
        add_colour_bar(scales[0]._replace(panels=None), axes)


def _one_window(axes: list[Axes]) -> None:
    """The same limits on every panel of lines."""
    low, high = (pick(one.get_ylim()[end] for one in axes) for end, pick in ((0, min), (1, max)))
    for one in axes:
        one.set_ylim(low, high)


def unbroken(title: str) -> str:
    """A title that breaks at its commas only."""
    return ", ".join(part.replace(" ", "\u00a0") for part in title.split(", "))
