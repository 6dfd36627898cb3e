"""What RoPE does to a query: before, after, and the circles on which pairs of columns turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.analysis import Limits, check_indices, refuse_positions, refuse_turned
from pecli.core.errors import UnusedOptionError, mention
from pecli.core.language import phrase, template
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.values import EXACT
from pecli.encodings.capabilities import Rotary
from pecli.figures.axis_labels import label_dimensions, label_positions, label_values
from pecli.figures.canvas import Canvas
from pecli.figures.cell_numbers import WithCellNumbers
from pecli.figures.circles import draw_circles, frame_plane, least_plane, refit_plane, turns_of
from pecli.figures.figure import View
from pecli.figures.images import show_matrix
from pecli.figures.mosaic import Mosaic, beside, in_columns
from pecli.figures.panels import Bar, Panel
from pecli.figures.rotation_numbers import MatrixNumbers, RotationNumbers
from pecli.figures.turned_query import query_rows, query_text, turned_query
from pecli.measures.min_max import even_bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IMAGES = (template("Q before"), template("Q after"), template("after − before"))
PLANE = 0.7  # height over width of the panel of circles, which has the key beside them
FLAT = 0.36  # of the images where panels stand below each other
PATHS = 4  # pairs whose paths are drawn where none are asked for


@dataclass(frozen=True)
class Rotation(WithCellNumbers[Rotary]):
    """Q as a heatmap before and after the rotation, and the paths of chosen pairs in the plane.

    Notes
    -----
    The second article's case analysis. With the same vector at every position (``--content same``) all that varies from
    row to row is the rotation; with independent vectors the pattern hides in the noise although it is there.
    """

    name: ClassVar[str] = "rotation"
    summary: ClassVar[str] = "What RoPE does to a query: before, after, and the circles on which pairs of columns turn"
    defines: ClassVar[str] = (
        "pair j of a row of Q is turned by ω_j p at position p; the change is after less before; R_P x is x "
        "turned, --matrix P draws R_P"
    )
    example: ClassVar[str] = "pecli rotation --d 32 --length 64 --pairs 0,4,8"
    copies: ClassVar[int] = 8
    examples: ClassVar[tuple[str, ...]] = ("pecli rotation -d 32 --matrix 8",)
    default_encoding: ClassVar[str] = "rope"
    plane: ClassVar[int] = 2  # which panel shows pairs in the plane

    content: str = option(
        "same", "Q: same (one random vector at every position), random, or a file of length × d numbers"
    )
    content_seed: int = option(0, "seed of a random Q", at_least=0)
    pairs: tuple[int, ...] | None = option(
        None, "pairs whose paths are drawn", at_least=0, unset=f"{PATHS}, fast to slow"
    )
    matrix: int | None = option(
        None, "draw the matrix R_P of this position instead", at_least=-EXACT, unset="the query before and after"
    )

    def sides(self) -> tuple[str, str]:
        return "length" if self.matrix is None else "d", "d"

    def check(self) -> None:
        super().check()
        for name in ("content", "content_seed", "pairs"):
            if self.matrix is not None and (given := self.changed().get(name)):
                raise UnusedOptionError(name, given, _matrix_alone(self.matrix))
        if self.inputs() and self.content_seed:
            raise UnusedOptionError("content_seed", self.content_seed, "a Q from a file is not random")

    def positions_for(self, asked: Positions) -> Positions:
        if self.matrix is not None:
            refuse_positions(asked, self.default_length(None), _matrix_alone(self.matrix))
        return asked

    def shape(self, view: View[Rotary]) -> tuple[int, ...]:
        width = view.encoding.width
        if self.matrix is not None:
            return (width, width)
        rows, columns = view.covered.blocks(view.pixel_rows).count, even_bins(width, view.pixel_columns)
        paths = 2 * len(self.drawn_pairs(view)) * view.covered.length
        return (rows * columns + paths,)  # no more than all of them together

    def check_view(self, view: View[Rotary]) -> None:
        super().check_view(view)
        refuse_turned(view.encoding, f"{self.name} turns {mention('content')}")
        self.drawn_pairs(view)

    def drawn_pairs(self, view: View[Rotary]) -> Array:
        """The pairs whose paths are drawn."""
        count = view.encoding.width // 2
        check_indices("pairs", self.pairs, view, count, "pairs")
        if self.pairs is not None:
            return np.array(self.pairs)
        return np.unique(np.linspace(0, count - 1, PATHS).round().astype(int))

    def inputs(self) -> tuple[str, ...]:
        return () if self.content in ("same", "random") else (self.content,)

    def compute(self, view: View[Rotary]) -> RotationNumbers | MatrixNumbers:
        rope = view.encoding
        if self.matrix is not None:
            turned = rope.rotation_matrix(self.matrix)
            return MatrixNumbers(view=view, matrix=turned, dimensions=np.arange(rope.width), position=self.matrix)
        blocks, pairs = view.covered.blocks(view.pixel_rows), self.drawn_pairs(view)
        query = query_rows(self.content, self.content_seed, (view.covered.length, rope.width))
        before, after, paths, across = turned_query(view, query, pairs)
        paths = paths.swapaxes(0, 1)
        limit = float(np.abs([before, after]).max())
        return RotationNumbers(
            view=view,
            after=after,
            positions=blocks.centres() if blocks.size > 1 else view.covered.array(),
            before=before,
            pairs=pairs,
            paths=paths,
            change=after - before,
            radii=np.hypot(*np.moveaxis(paths, -1, 0)).max(axis=1, initial=0.0),
            limit=limit,
            ends=(-limit, limit),
            block=blocks.size,
            columns_block=across,
            query=query_text(self.content, self.content_seed),
        )

    def on_page(self, canvas: Canvas) -> Rotation:
        if self.matrix is not None:
            return self
        return self.laid_out_as(RotationDown)

    def panels_for(self, view: View[Rotary]) -> list[Panel]:
        bar = Bar(phrase("value"), fixed=self.matrix is not None)
        if self.matrix is not None:
            return [Panel(1.0, exact=True, bar=bar)]
        x, y = (one.width for one in view.encodings), ("position", view.positions)
        query = Panel(PLANE, least=(7.0, 4.0), bar=bar, x=("dimension", *x), y=y)
        change = replace(query, bar=Bar(phrase("change")), x=(query.x, "change"))
        plane = Panel(PLANE, least=least_plane(len(self.pairs or range(PATHS))))
        return [query, query, plane, change]  # bars stand at the right

    def columns(self, view: View[Rotary]) -> int:
        return 2 if self.matrix is None else 1

    def frame(self, view: View[Rotary], axes: list[Axes], canvas: Canvas) -> None:
        if self.matrix is not None:
            width = view.encoding.width
            title = phrase("$R_p$ at p = {position:,}", position=self.matrix)
            axes[0].set(title=title, xlim=(-0.5, width - 0.5), ylim=(width - 0.5, -0.5))
            label_values(axes[0].xaxis, phrase("column"), integer=True)
            label_values(axes[0].yaxis, phrase("row"), integer=True)
            return
        encoding, rows = view.encoding, view.covered
        for one, title in zip(self.tables(axes), IMAGES, strict=True):
            one.set(title=phrase(title), xlim=(-0.5, encoding.width - 0.5), ylim=(rows.stop - 0.5, rows.start - 0.5))
            label_dimensions(one.xaxis, encoding)
            label_positions(one.yaxis, encoding)
        frame_plane(axes[self.plane], view, self.drawn_pairs(view))

    def fit(self, view: View[Rotary], axes: list[Axes], canvas: Canvas) -> None:
        if self.matrix is None:
            refit_plane(axes[self.plane])

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        if isinstance(numbers, MatrixNumbers):
            most = max(1.0, float(np.abs(numbers.matrix).max()))  # a scaling may stretch as well as turn
            image = _image(axes[0], numbers.matrix, (-most, most), canvas)
            self.write_numbers(axes, [image], canvas)
            return [image]
        edges = numbers.view.covered.start, numbers.block, numbers.columns_block
        draw_circles(axes[self.plane], numbers.paths, numbers.radii, turns_of(numbers.view, numbers.pairs), canvas)
        most = float(np.abs(numbers.change).max(initial=0.0)) or 1.0
        values, ends = (numbers.before, numbers.after, numbers.change), (numbers.ends, numbers.ends, (-most, most))
        triples = zip(self.tables(axes), values, ends, strict=True)
        images = [_image(one, value, limits, canvas, edges) for one, value, limits in triples]
        self.write_numbers(self.tables(axes), images, canvas)
        return [*images[: self.plane], None, *images[self.plane :]]

    def tables(self, axes: list[Axes]) -> list[Axes]:
        """The panels of images: all but that of the plane."""
        return [*axes[: self.plane], *axes[self.plane + 1 :]]


class RotationDown(Rotation):
    """The same with images below each other, so that those share labels, and the circles large beside them or last."""

    plane: ClassVar[int] = 3

    def panels_for(self, view: View[Rotary]) -> list[Panel]:
        before, after, plane, change = super().panels_for(view)
        flat = (replace(one, aspect=FLAT, x=before.x) for one in (before, after, change))
        return [*flat, plane]

    def columns(self, view: View[Rotary]) -> int:
        return 1

    def grids(self, view: View[Rotary]) -> tuple[int, ...]:
        return (1,)

    def mosaics(self, view: View[Rotary]) -> tuple[Mosaic, ...]:
        return (beside(self.plane, in_columns(self.plane, 1)),)


def _matrix_alone(position: int) -> str:
    return f"{mention('matrix', position)} shows the matrix of that position and no query"


def _image(axes: Axes, values: Array, limits: Limits, canvas: Canvas, edges: tuple[int, int, int] = (0, 1, 1)) -> Any:
    """Shows values from a position on, each the mean of so many positions and dimensions."""
    start, rows, columns = edges
    extent = (-0.5, values.shape[1] * columns - 0.5, start + len(values) * rows - 0.5, start - 0.5)
    return show_matrix(axes, values, colours=canvas.colours("diverging"), limits=limits, centred=True, extent=extent)
