"""What RoPE does to a query: before, after, and the circles on which pairs of columns turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pecli.analysis import Limits, View, check_indices, refuse_positions, refuse_turned
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import phrase, template
from pecli.core.lazy import Array, np
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.core.terminal import track
from pecli.encodings.base import Rotary
from pecli.encodings.harmonic import Harmonic
from pecli.figures.axis_labels import label_dimensions, label_positions, label_values
from pecli.figures.base import ColouredNumbers, Numbers, averaging_cells
from pecli.figures.canvas import Canvas
from pecli.figures.lines import key_inside
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.figures.panels import Bar, Panel, PanelGroup, in_columns
from pecli.figures.wavelengths import angle_text, turned_apart, turns_between_ends
from pecli.files.tables import read_table
from pecli.measures.reduce import averaged_columns, averaged_rows, even_bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

Rows = Callable[[slice], Array]  # of a query: asked for from first to last, each once
SIDE = 1024  # rows that are turned at once, at least a pixel's


class Turned(NamedTuple):
    """before, after : (blocks of positions, blocks of dimensions), means; paths : (length, pairs, 2)."""

    before: Array
    after: Array
    paths: Array
    columns_block: int


def query_text(content: str, seed: int) -> str:
    """Where a query comes from, as the caption says it; nothing of a file."""
    return phrase("random Q, seed {seed}", seed=seed) if content in ("same", "random") else ""


def query_rows(content: str, seed: int, shape: tuple[int, int]) -> Rows:
    """The rows of a query of that shape: one random vector, a random one a position, or those of a file."""
    random = np.random.default_rng(seed)
    if content == "same":
        vector = random.standard_normal(shape[1])
        return lambda rows: np.tile(vector, (rows.stop - rows.start, 1))
    if content == "random":
        return lambda rows: random.standard_normal((rows.stop - rows.start, shape[1]))
    table = read_table(content)
    if table.shape != shape:
        given, wanted = (" × ".join(map(str, sides)) for sides in (table.shape, shape))
        text = f"{option_text('content', content)} holds {given} numbers and {wanted} are needed"
        raise UsageError(text, option="content", value=content)
    return lambda rows: table[rows]


def turned_query(view: View[Rotary], query: Rows, pairs: Array) -> Turned:
    """The query before and after, as many rows and columns of it as the panels have pixels."""
    rope, positions, blocks = view.encoding, view.covered.array(), view.covered.blocks(view.pixel_rows)
    step = blocks.size * max(1, SIDE // blocks.size)
    before, after, paths = [], [], []
    for at in track(range(0, len(positions), step), "turning the query"):
        rows = slice(at, min(at + step, len(positions)))
        plain = query(rows)
        turned = rope.rotate(plain, positions[rows])
        before.append(averaged_rows(plain, blocks.size))
        after.append(averaged_rows(turned, blocks.size))
        paths.append(np.stack(rope.split(turned), axis=-1)[:, pairs])
    (first, size), (second, _) = (
        averaged_columns(np.concatenate(parts), view.pixel_columns) for parts in (before, after)
    )
    return Turned(first, second, np.concatenate(paths), size)


@dataclass(frozen=True, kw_only=True)
class RotationNumbers(ColouredNumbers[Rotary]):
    """after, before : (length, d), Q with and without the rotation, or of fewer rows and columns, the means of blocks;
    change : as they, after − before; positions : one a row, of a block its middle; pairs : (n,), those with a path;
    paths : (n, length, 2), the two columns of each pair after the rotation, never means; radii : (n,), of the largest
    circle of each pair."""

    main_array: ClassVar[str] = "after"
    row_coordinates: ClassVar[tuple[str, ...]] = ("positions",)

    after: Array
    positions: Array
    before: Array
    pairs: Array
    paths: Array
    change: Array
    radii: Array
    limit: float
    block: int
    columns_block: int  # dimensions a column
    query: str  # where it comes from

    def remarks(self) -> list[str]:
        return [self.query, averaging_cells(self.block, self.columns_block)]

    def marks(self) -> list[str]:
        first = self.view.encoding.position_text(self.view.covered.start)
        said = template("circles: pairs, each to its own scale; marks: position {position}; arrows: which way")
        return [phrase(said, position=first)]

    def message(self) -> str:
        return turned_apart(self.view.encoding, self.view.covered)

    def coloured(self) -> list[Array]:
        return [self.before, self.after]


@dataclass(frozen=True, kw_only=True)
class MatrixNumbers(Numbers[Rotary]):
    """matrix : (d, d), R_p; dimensions : (d,)."""

    main_array: ClassVar[str] = "matrix"
    row_coordinates: ClassVar[tuple[str, ...]] = ("dimensions",)

    matrix: Array
    dimensions: Array
    position: int


CIRCLE = 0.95  # the radius of the largest circle, as a share of half the side of the square that shows them
APART = 0.12  # how far inside its circle an arrow runs at most, of the largest radius
BETWEEN = 0.5  # and of the way to the next circle, or to the middle
ARROW = 0.4  # how long it is, of the largest radius, at most a quarter of a turn
HEAD = 0.1  # and at least, of the largest radius: there is little more than its head
LEAST = 0.4  # of the frame's shorter side that the circles take, however large the key
LONG = 10  # lines of a key, of more pairs than that it has two columns
ROUND, ENTRY = 4.5, (8.5, 1.6)  # ems of small text that circles take at least, and the width and height of a key's line
MARKS = ("o", "s", "^", "D", "v")  # of pairs


def frame_plane(axes: Axes, view: View[Rotary], pairs: Array) -> None:
    """Says in a key how far each pair turns; the plane has no scale, since each pair has its own."""
    axes.set_title(phrase("pairs in the plane"))
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    names = [_pair_text(view, int(pair)) for pair in pairs]
    looks = [{"color": f"C{at}", "marker": mark(at), "linestyle": "none"} for at in range(len(pairs))]
    key_inside(axes, zip(names, looks, strict=True), phrase("pair j"), key_columns(len(pairs)))


def key_columns(count: int) -> int:
    """In how many columns the key says so many pairs."""
    return 1 if count <= LONG else 2


def least_plane(count: int) -> tuple[float, float]:
    """The smallest width and height of the circles of so many pairs with their key; ems of small text."""
    columns, (width, height) = key_columns(count), ENTRY
    key = height * (1 + ceil(count / columns))
    if columns == 1:
        return ROUND + width, max(ROUND + 1.5, key)
    return columns * width, 2 * ROUND + key  # below it: beside two columns there is no room


def _pair_text(view: View[Rotary], pair: int) -> str:
    (turns,) = turns_of(view, np.array([pair])).tolist()
    return f"{pair}: {angle_text(turns)}" if isfinite(turns) else str(pair)


def turns_of(view: View[Rotary], pairs: Array) -> Array:
    """How often these pairs turn from the first position to the last; infinity where no frequency says it."""
    if not isinstance(view.encoding, Harmonic) or view.covered.length == 1:
        return np.full(len(pairs), np.inf)
    return turns_between_ends(view.encoding, view.covered)[pairs]


def draw_circles(axes: Axes, paths: Array, radii: Array, turns: Array, canvas: Canvas) -> None:
    """The paths of pairs (n, length, 2), each on a circle of its own: the first is the smallest.

    turns : (n,), from the first position to the last; an arrow goes no farther than its pair, if that can be seen
    """
    rings = np.arange(1, len(paths) + 1) / len(paths)
    apart = min(APART, BETWEEN * float(rings[0]))
    for line, (path, radius, ring, turn) in enumerate(zip(paths, radii, rings.tolist(), turns, strict=True)):
        scaled = path * (ring / radius if radius else 1.0)
        _draw_circle(axes, line, scaled, ring, canvas)
        _draw_arrow(axes, line, scaled[0], (apart, 2 * np.pi * turn), canvas)
    show_circles(axes)


def show_circles(axes: Axes) -> None:
    """Shows the circles in a square below the title, and the key beside or above it, in the middle of the frame."""
    width, height = axes.bbox.size
    boxes = [key.get_window_extent() for key in _keys(axes)]
    wide, high = (max((getattr(box, name) for box in boxes), default=0.0) for name in ("width", "height"))
    side, beside = _side_by((width, height), (wide, high))
    left = max(0.0, width - side - wide * beside) / 2
    below = max(0.0, height - side - high * (not beside)) / 2
    unit = 2 / CIRCLE / side  # of the plane a pixel
    axes.set(
        xlim=(-left * unit - 1 / CIRCLE, (width - left) * unit - 1 / CIRCLE),
        ylim=(-below * unit - 1 / CIRCLE, (height - below) * unit - 1 / CIRCLE),
    )
    axes.title.set_x((left + side / 2) / width)
    corner = (left + side, (height + max(side, high)) / 2) if beside else ((width - max(side, wide)) / 2, below + side)
    for key in _keys(axes):
        key.set_alignment("left")
        key.set_loc("upper left" if beside else "lower left")
        key.set_bbox_to_anchor((corner[0] / width, corner[1] / height), axes.transAxes)


def _side_by(frame: tuple[float, float], key: tuple[float, float]) -> tuple[float, bool]:
    """The side of the largest square that leaves room for the key, in pixels, and whether that stands beside it."""
    width, height = frame
    beside, below = min(height, width - key[0]), min(width, height - key[1])
    return max(beside, below, LEAST * min(width, height)), beside >= below


def _keys(axes: Axes) -> list[Legend]:
    from matplotlib.legend import Legend

    return [one for one in axes.get_children() if isinstance(one, Legend)]


def _draw_circle(axes: Axes, line: int, path: Array, radius: float, canvas: Canvas) -> None:
    """The path of a pair on its circle, with a mark where it stands first."""
    from matplotlib.patches import Circle

    axes.add_patch(
        Circle((0, 0), radius, fill=False, edgecolor="0.5", alpha=0.5, linewidth=0.6 * canvas.scale, zorder=0)
    )
    axes.plot(path[:, 0], path[:, 1], ".", markersize=2 * canvas.scale, color=f"C{line}")
    (ring,) = axes.plot(*path[0], color=f"C{line}", marker=mark(line), markersize=4 * canvas.scale)
    ring.set(markeredgecolor=axes.xaxis.label.get_color(), markeredgewidth=0.6 * canvas.scale)


def _draw_arrow(axes: Axes, line: int, first: Array, course: tuple[float, float], canvas: Canvas) -> None:
    """An arrow inside of the mark, the way that the pair turns; none where it stands in the middle.

    course : how far inside it runs, and the angle that the pair turns
    """
    apart, all_of_it = course
    radius = float(np.hypot(*first))
    if not radius:
        return
    inside = radius - apart
    angle = min(ARROW / inside, np.pi / 2, max(all_of_it, HEAD / inside))
    start, end = (tuple((inside / radius * turned(first, one)).tolist()) for one in (0.0, angle))
    style = {
        "arrowstyle": "->,head_width=0.2,head_length=0.3",
        "color": f"C{line}",
        "linewidth": canvas.scale,
        "connectionstyle": f"arc3,rad={np.tan(angle / 2) / 2}",  # its tangents are the circle's
    }
    axes.annotate("", end, start, arrowprops={**style, "shrinkA": 0, "shrinkB": 0})


def mark(line: int) -> str:
    """The mark of a pair, told from the others' in grey too."""
    return MARKS[line % len(MARKS)]


def turned(point: Array, angle: float) -> Array:
    """A point of the plane turned about 0, counterclockwise as pairs turn."""
    sin, cos = np.sin(angle), np.cos(angle)
    return np.array([cos * point[0] - sin * point[1], sin * point[0] + cos * point[1]])


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
    requires: ClassVar[Any] = Rotary
    summary: ClassVar[str] = "What RoPE does to a query: before, after, and the circles on which pairs of columns turn"
    defines: ClassVar[str] = (
        "pair j of a row of Q is turned by ω_j p at position p; the change is after less before; R_P x is x "
        "turned, --matrix P draws R_P"
    )
    example: ClassVar[str] = "pecli rotation --d 32 --length 64 --pairs 0,4,8"
    copies: ClassVar[int] = 8
    examples: ClassVar[tuple[str, ...]] = ("pecli rotation -d 32 --matrix 8",)
    default_encoding: ClassVar[str] = "rope"
    plane: ClassVar[int] = 3  # which panel shows pairs in the plane

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
        refuse_turned(view.encoding, f"{self.name} turns --content")
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

    def panel_groups(self, view: View[Rotary], canvas: Canvas) -> list[PanelGroup]:
        bar = Bar(phrase("value"), fixed=self.matrix is not None)
        if self.matrix is not None:
            return [PanelGroup((Panel(1.0, exact=True, bar=bar),))]
        x, y = (one.width for one in view.encodings), ("position", view.positions)
        query = Panel(FLAT, least=(7.0, 4.0), bar=bar, x=("dimension", *x), y=y)
        change = replace(query, bar=Bar(phrase("change")))
        plane = Panel(PLANE, least=least_plane(len(self.pairs or range(PATHS))))
        return [PanelGroup((query, query, change, plane), (((0, 3), (1, 3), (2, 3)), *in_columns(4, 2, 1)))]

    def decorate(self, view: View[Rotary], axes: list[Axes], canvas: Canvas) -> None:
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
            show_circles(axes[self.plane])

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
        return [*images, None]

    def tables(self, axes: list[Axes]) -> list[Axes]:
        """The panels of images: all but that of the plane."""
        return axes[: self.plane]


def _matrix_alone(position: int) -> str:
    return f"{option_text('matrix', position)} shows the matrix of that position and no query"


def _image(axes: Axes, values: Array, limits: Limits, canvas: Canvas, edges: tuple[int, int, int] = (0, 1, 1)) -> Any:
    """Shows values from a position on, each the mean of so many positions and dimensions."""
    start, rows, columns = edges
    extent = (-0.5, values.shape[1] * columns - 0.5, start + len(values) * rows - 0.5, start - 0.5)
    return show_matrix(axes, values, colours=canvas.colours("diverging"), limits=limits, centred=True, extent=extent)
