"""Several figures of one encoding side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.core.errors import UsageError, mention
from pecli.core.language import phrase
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding
from pecli.figures.base import Figure, View
from pecli.figures.canvas import Canvas
from pecli.figures.composite import (
    ComposedNumbers,
    Part,
    check_handed_on,
    owned,
    part_of,
    refused_part,
    single_figures,
    through,
    what_it_is,
)
from pecli.figures.headings import Heading
from pecli.figures.highlights import Highlighting
from pecli.figures.mosaic import Band, columns_of
from pecli.figures.panels import Panel
from pecli.measures.pairwise import measure_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    def compute(self, view: View[Encoding]) -> ComposedNumbers:
        parts = tuple(Part(part, part.compute(through(view, own))) for part, own in self.shares(view))
        return ComposedNumbers(view=view, parts=parts)

    def draw(self, numbers: ComposedNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        drawn = []
        for (_, own), part in zip(self.shares(numbers.view), numbers.parts, strict=True):
            drawn += part.figure.draw(part.numbers, axes[own], canvas)
        return drawn
