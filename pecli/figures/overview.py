"""Several figures of one encoding side by side."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pecli.core.errors import UsageError, mention
from pecli.core.lazy import Array
from pecli.core.options import option
from pecli.encodings.encoding import Encoding
from pecli.figures.canvas import Canvas, add_colour_bar
from pecli.figures.figure import Figure, Numbers, View
from pecli.measures.pairwise import measures

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def single_figures() -> dict[str, type[Figure[Any]]]:
    """The figures that are not made of figures."""
    from pecli.figures import FIGURES  # the registry holds this very class, so it is asked when it is complete

    return {name: figure for name, figure in FIGURES.items() if not figure.composed}


class Part(NamedTuple):
    """One figure with its numbers."""

    figure: Figure[Any]
    numbers: Numbers[Any]


@dataclass(frozen=True, kw_only=True)
class OverviewNumbers(Numbers[Encoding]):
    """The figures with their numbers, in order."""

    parts: tuple[Part, ...]

    @property
    def main(self) -> Array:
        return self.parts[0].numbers.main

    def arrays(self) -> dict[str, Array]:
        return {f"{i}.{p.figure.name}.{k}": a for i, p in enumerate(self.parts) for k, a in p.numbers.arrays().items()}

    def facts(self) -> dict[str, Any]:
        return {f"{i}.{part.figure.name}": part.numbers.facts() for i, part in enumerate(self.parts)}

    def caption(self) -> str:
        said = dict.fromkeys((part.figure.name, part.numbers.caption()) for part in self.parts)
        return "; ".join(f"{name}: {caption}" for name, caption in said if caption)


@dataclass(frozen=True)
class Overview(Figure[Encoding]):
    """The first article's two-panel figure, or any list of figures."""

    name: ClassVar[str] = "overview"
    summary: ClassVar[str] = "Several figures of one encoding side by side"
    example: ClassVar[str] = "pecli overview -k 10 --panels heatmap,distance,curves"
    aspect: ClassVar[float] = 0.8
    one_table: ClassVar[bool] = False
    composed: ClassVar[bool] = True

    panels: tuple[str, ...] = option(("heatmap", "distance"), "the figures, left to right", choices=single_figures)
    measure: str = option("euclidean", "the measure of the panels that have one", choices=measures, flags=("-m",))

    def parts(self) -> list[Figure[Any]]:
        """The figures that stand side by side."""
        classes = [single_figures()[name] for name in self.panels]
        return [cls(**({"measure": self.measure} if "measure" in cls.options() else {})) for cls in classes]

    def check(self) -> None:
        if not self.panels:
            text = f"{mention('panels')} names no figure"
            raise UsageError(text, option="panels", allowed="a list such as heatmap,distance")

    def grid(self) -> tuple[int, int]:
        total = sum(prod(part.grid()) for part in self.parts())
        columns = total if total <= 3 else ceil(sqrt(total))
        return (ceil(total / columns), columns)

    def shape(self, view: View[Encoding]) -> tuple[int, ...]:
        return (sum(prod(part.shape(view)) for part in self.parts()),)

    def check_view(self, view: View[Encoding]) -> None:
        for part in self.parts():
            if not part.takes(type(view.encoding)):
                raise UsageError(f"panel {part.refusal(type(view.encoding))}")
            part.check_view(view)

    def texts(self) -> list[str]:
        return [text for part in self.parts() for text in part.texts()]

    def compute(self, view: View[Encoding]) -> OverviewNumbers:
        return OverviewNumbers(view=view, parts=tuple(Part(part, part.compute(view)) for part in self.parts()))

    def draw(self, numbers: OverviewNumbers, axes: list[Axes], canvas: Canvas) -> None:
        left = list(axes)
        if any(figure.aspect is None for figure in self.parts()):
            for one in axes:
                one.set_box_aspect(1)  # beside a square panel all are
        for figure, part in numbers.parts:
            own, left = left[: prod(figure.grid())], left[prod(figure.grid()) :]
            scale = figure.draw(part, own, canvas)
            if scale is not None:
                add_colour_bar(scale, own)
        for unused in left:
            unused.set_axis_off()
