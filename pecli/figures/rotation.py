"""The effect of RoPE on a query: before, after, and the circles on which pairs of columns rotate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from pecli.analysis import View
from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.encodings.base import Rotary
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import ColouredNumbers, Figure, cell_averaging_note
from pecli.figures.matrix import show_matrix
from pecli.figures.rotation_figure import AFTER, BEFORE, PLANE, TITLES, RotationFigure
from pecli.figures.wavelengths import columns_end, columns_left_out, columns_shown
from pecli.files.sheet import aside, over
from pecli.files.tables import read_table
from pecli.measures.reduce import averaged_rows
from pecli.measures.summary import SAMPLE_SIZE
from pecli.page.axis_labels import dimensions_axis, positions_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import HAIRLINE, legible, note_ink, visible_colours
from pecli.page.lines import add_legend
from pecli.page.panels import Axis, ColorBar, Panel, PanelGroup, in_columns
from pecli.page.text import points_per_pixel
from pecli.page.words import ems

FLAT = 0.36  # height over width of images that are stacked
HALF = 1.2  # half the side of the circles' panel; the largest circle has radius 1
INNER, START = 0.4, 1.03  # radius of the smallest circle; upper end of the line through all first positions
FAST, SLOW = 3, 2  # digits in the headline for the fastest and the slowest pair
TINY = 1e-300  # avoids division by 0
LINE = 1.1  # ems of small text: least distance between labels of circles
ARROWS = 16  # most arrows along an axis of a grid


@dataclass(frozen=True, kw_only=True)
class RotationNumbers(ColouredNumbers[Rotary]):
    """The query Q before and after the rotation; with few pixels, means of positions and only some of the pairs."""

    after: Array = over("position", "dimension")
    positions: Array = over("position")  # the centre of a block
    before: Array = over("position", "dimension")
    pairs: Array = aside("pair")  # pairs whose paths are drawn
    paths: Array = aside("pair", "step", "axis")  # both columns of each pair after the rotation, not averaged
    radii: Array = aside("pair")  # largest radius of each path
    limit: float
    block: int = aside()
    columns_block: int = aside()  # dimensions per column
    circles: bool = aside()  # whether the circles are drawn

    def remarks(self) -> list[str]:
        pairs = columns_left_out(self.view.encoding, self.columns_block)
        left_out = say("rotation.q_note", note=pairs) if pairs else ""  # the circles' title counts their pairs
        return [cell_averaging_note(self.view.encoding, self.block, 1 if pairs else self.columns_block), left_out]

    def marks(self) -> list[str]:
        marks = say(
            "rotation.dot_for_each_position",
            position=self.first_position,
        )
        if len(self.view.encoding.sides) == 2:
            marks = say("rotation.arrows_how_far_pairs", position=self.first_position)
        return [marks] if self.circles else []

    @property
    def first_position(self) -> str:
        """The first position as text."""
        return self.view.encoding.position_text(self.view.covered.start)

    def message(self) -> str:
        """Return the headline: how far the fastest and the slowest drawn pair turn; "" if all turn equally."""
        turns, encoding, rows = _turns_of(self.view)[self.pairs], self.view.encoding, self.view.covered
        if len(set(turns)) < 2 or not self.circles:
            return ""
        fast, slow = int(turns.argmax()), int(turns.argmin())
        pairs = {"fast": int(self.pairs[fast]), "slow": int(self.pairs[slow])}
        ends = {"first": self.first_position, "last": encoding.position_text(rows.stop - 1)}
        times = "rotation.from_position_to_pair"
        degrees = "rotation.from_position_to_pair_turns"
        part = turns[slow] < 1 <= turns[fast]
        much = number_text(turns[fast], FAST)
        little = number_text(turns[slow] * (360 if part else 1), SLOW if part else FAST)
        return say(degrees if part else times, **ends, **pairs, much=much, little=little)

    def coloured(self) -> list[Array]:
        return [*self.sample]


@dataclass(frozen=True)
class Rotation(RotationFigure):
    """The query Q as a heatmap before and after the rotation, and the paths of chosen pairs in the plane.

    Notes
    -----
    With the same vector at every position (``--content same``), rows differ only by the rotation. With independent
    vectors the same pattern is there, but hidden in the noise.
    """

    @classmethod
    def variants(cls) -> tuple[type[Figure[Any]], ...]:
        from pecli.figures.rotation_arrows import RotationArrows
        from pecli.figures.rotation_matrix import RotationMatrix

        return (Rotation, RotationMatrix, RotationArrows)

    def variant(self, view: View[Rotary]) -> Figure[Any]:
        query, matrix, arrows = self.variants()
        return self.as_kind(arrows if self.offset is not None else query if self.matrix is None else matrix)

    def shape(self, view: View[Rotary]) -> tuple[int, ...]:
        return (view.covered.length, view.encoding.width)

    def compute(self, view: View[Rotary]) -> RotationNumbers:
        rope, blocks, pairs = view.encoding, view.covered.blocks(view.pixel_rows), self.drawn_pairs(view)
        query = self._query((view.covered.length, rope.width))
        rotated = rope.rotate(query, view.covered.array())
        before, columns_block = columns_shown(rope, averaged_rows(query, blocks.size), view.pixel_columns)
        after, _ = columns_shown(rope, averaged_rows(rotated, blocks.size), view.pixel_columns)
        paths = np.stack([part[:, pairs].T for part in rope.split(rotated)], axis=-1)
        limit = float(max(np.abs(query).max(), np.abs(rotated).max()))  # of all numbers, not of the means in pixels
        return RotationNumbers(
            view=view,
            after=after,
            positions=blocks.centres() if blocks.size > 1 else view.covered.array(),
            before=before,
            pairs=pairs,
            paths=paths,
            radii=np.hypot(*np.moveaxis(paths, -1, 0)).max(axis=1, initial=0.0),
            limit=limit,
            ends=(-limit, limit),
            block=blocks.size,
            columns_block=columns_block,
            circles=PLANE in self.panels,
            sample=tuple(own[:: -(-own.size // SAMPLE_SIZE)] for own in (query, rotated)),
        )

    def _query(self, shape: tuple[int, int]) -> Array:
        """Return Q as an array of this shape; raise UsageError if a file has another shape."""
        random = np.random.default_rng(self.content_seed)
        if self.content == "random":
            return random.standard_normal(shape)
        if self.content == "same":
            return np.broadcast_to(random.standard_normal(shape[1]), shape)
        table = read_table(self.content)
        if table.shape != shape:
            given, needed = (" × ".join(map(str, sides)) for sides in (table.shape, shape))
            text = f"{option_text('content', self.content)} has {given} numbers, but {needed} are needed"
            raise UsageError(text, option="content", value=self.content)
        return table

    def panel_groups(self, view: View[Rotary], canvas: Canvas) -> list[PanelGroup]:
        encoding, rows = view.encoding, view.covered
        bar = ColorBar(say("heatmap.value"))
        whole = self.panels == tuple(TITLES)
        x, y = dimensions_axis(encoding), positions_axis(encoding, ends=(rows.stop - 0.5, rows.start - 0.5))
        query = Panel(FLAT if whole else 0.62, least=(7.0, 4.0), bar=bar, x=x, y=y)
        marked = say("rotation.marked_pairs") if self._marks_columns(view) else ""
        each = {
            BEFORE: replace(query, title=say(TITLES[BEFORE])),
            AFTER: replace(query, title=say(TITLES[AFTER]), right_title=marked),
            PLANE: self._plane_panel(view),
        }
        panels = tuple(each[name] for name in self.panels)
        return [PanelGroup(panels, (((0, 2), (1, 2)), *in_columns(3, 1)) if whole else ())]

    def _plane_panel(self, view: View[Rotary]) -> Panel:
        """Return the panel of the pairs in their planes, or over the grid."""
        encoding, shown = view.encoding, len(self.drawn_pairs(view))
        side = max(14.0, 1.3 * shown)
        panel = Panel(1.0, exact=True, least=(side, side), legend_below=bool(encoding.sides))
        if len(encoding.sides) == 2:
            down, across = encoding.sides
            x = values_axis(say("words.column"), whole=True, ends=(-1, across))
            y = values_axis(say("words.row"), whole=True, ends=(down, -1))
            return replace(panel, title=say("rotation.pairs_over_the_grid"), x=x, y=y)
        every = encoding.width // 2
        some = say("rotation.of_pairs_in_their", count=shown, all=every)
        ends = Axis(ends=(-HALF, HALF))
        return replace(panel, title=some if shown < every else say(TITLES[PLANE]), x=ends, y=ends)

    def decorate(self, view: View[Rotary], axes: list[Axes], canvas: Canvas) -> None:
        if PLANE not in self.panels:
            return
        panel = axes[self.panels.index(PLANE)]
        if len(view.encoding.sides) == 2:
            pairs = enumerate(self.drawn_pairs(view).tolist())
            add_legend(panel, [(say("words.pair_pair", pair=pair), {"color": f"C{line}"}) for line, pair in pairs])
        else:
            panel.set(xticks=[], yticks=[])
            panel.spines[:].set_visible(False)

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.titles import name_panel

        colours = canvas.colours("diverging")
        rows, right = len(numbers.after), columns_end(numbers.view.encoding, numbers.after, numbers.columns_block)
        start = numbers.view.covered.start - 0.5
        extent = (-0.5, right, start + rows * numbers.block, start)
        images: list[Any] = []
        for panel, name in zip(axes, self.panels, strict=True):
            if name == PLANE and numbers.message():
                name_panel(panel)
            if name == PLANE:
                (_draw_arrows if len(numbers.view.encoding.sides) == 2 else _draw_circles)(panel, numbers, canvas)
            look: dict[str, Any] = {"colours": colours, "limits": numbers.ends, "centred": True, "extent": extent}
            values = {BEFORE: numbers.before, AFTER: numbers.after}.get(name)
            images.append(None if values is None else show_matrix(panel, values, **look))
            if name == AFTER and self._marks_columns(numbers.view):
                _mark_columns(panel, numbers, canvas)
        self.write_numbers(axes, images, canvas)
        return images

    def _marks_columns(self, view: View[Rotary]) -> bool:
        """Return whether the columns of the pairs with circles are marked."""
        return PLANE in self.panels and len(view.encoding.sides) != 2

    def title(self, view: View[Rotary]) -> str:
        seed, file = self.content_seed, Path(self.content).name
        text = say("rotation.rows_of_q_one" if self.content == "same" else "rotation.rows_of_q_random", seed=seed)
        return join_title([super().title(view), say("rotation.q_file", file=file) if self.inputs() else text])


def _turns_of(view: View[Rotary]) -> Array:
    """Return the number of turns of each pair from the first to the last position, shape (n_pairs,).

    The number is infinite for a single position, or if frequencies are unknown.
    """
    if not isinstance(view.encoding, Harmonic) or view.covered.length == 1:
        return np.full(view.encoding.width // 2, np.inf)
    ends = view.encoding.coordinates(np.array([view.covered.start, view.covered.stop - 1], dtype=np.float64))
    return np.abs(ends[1] - ends[0]) / view.encoding.wavelengths()


def _draw_arrows(axes: Axes, numbers: RotationNumbers, canvas: Canvas) -> None:
    """Draw arrows on a grid that show how far each pair is rotated relative to the first patch."""
    down, across = sides = numbers.view.encoding.sides
    step = ceil(max(sides) / ARROWS)
    some = np.arange(down * across).reshape(sides)[::step, ::step].ravel()
    for line, path in enumerate(numbers.paths @ [1, 1j]):
        turned = path[some] * path[0].conj() / (np.abs(path[0]) ** 2 or 1.0)
        look: dict[str, Any] = {"scale_units": "x", "scale": 2.2 / step, "width": 0.006, "color": f"C{line}"}
        axes.quiver(some % across, some // across, turned.real, turned.imag, **look)


def _colours_of_pairs(count: int, axes: Axes, canvas: Canvas) -> list[Any]:
    """Return the colours of `count` pairs, from fast to slow."""
    shades = visible_colours(canvas.colours("order"), axes)
    return [shades(share) for share in np.linspace(0, 1, count)]


def _mark_columns(axes: Axes, numbers: RotationNumbers, canvas: Canvas) -> None:
    """Mark the columns of the pairs with circles above the image, in the colours of their circles."""
    from matplotlib.transforms import ScaledTranslation

    rope = numbers.view.encoding
    parts = [part[0, numbers.pairs] for part in rope.split(np.arange(rope.width, dtype=np.float64)[None, :])]
    above = ScaledTranslation(0, 3.5 * canvas.scale / 72, axes.get_figure(root=True).dpi_scale_trans)  # type: ignore[union-attr]
    look: dict[str, Any] = {"transform": axes.get_xaxis_transform() + above, "clip_on": False, "markeredgewidth": 0}
    colours = _colours_of_pairs(len(numbers.pairs), axes, canvas)
    for first, second, colour in zip(*parts, colours, strict=True):
        places = [(first + second) / 2] if abs(second - first) == 1 else [first, second]  # neighbours share a mark
        axes.plot(places, [1.0] * len(places), "v", color=colour, markersize=4 * canvas.scale, **look)


def _draw_circles(axes: Axes, numbers: RotationNumbers, canvas: Canvas) -> None:
    """Draw the path of each pair on its own circle, from the smallest to the largest, all starting at the top.

    Each circle is labelled with the pair's total rotation if there is room.
    """
    from matplotlib.patches import Circle

    count, turns = len(numbers.pairs), _turns_of(numbers.view)
    unit = axes.bbox.height * points_per_pixel(axes) / (2 * HALF)  # in points
    rings = np.linspace(INNER, 1, count) if count > 1 else np.ones(1)
    apart = unit * float(rings[1] - rings[0]) if count > 1 else unit
    named = [*range(0, count, ceil(LINE * canvas.small / apart))]
    paths = numbers.paths @ [1, 1j]
    largest = np.maximum(np.abs(paths).max(axis=1), TINY)
    paths *= (rings / largest)[:, None] * 1j * np.exp(-1j * np.angle(paths[:, :1]))  # all start at the top
    grey: dict[str, Any] = {"color": axes.spines["bottom"].get_edgecolor(), "linewidth": 0.8 * canvas.scale}
    axes.plot([0, 0], [rings[0], START], zorder=1, **grey)
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": canvas.small, "zorder": 2}
    first = say("rotation.position_number", position=numbers.first_position)
    axes.annotate(first, (0, START), (0, 1.5 * canvas.scale), va="bottom", color=note_ink(), **look)
    look["bbox"] = {"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 0.3}
    for line, (ring, path, colour) in enumerate(zip(rings, paths, _colours_of_pairs(count, axes, canvas), strict=True)):
        axes.add_patch(Circle((0, 0), ring, fill=False, edgecolor=HAIRLINE, linewidth=0.8 * canvas.scale, zorder=0))
        axes.plot(path.real, path.imag, ".", markersize=4 * canvas.scale, markeredgewidth=0, color=colour, zorder=3)
        if line not in named:
            continue
        pair = int(numbers.pairs[line])
        parts = [say("words.pair_pair", pair=pair), rotation_text(float(turns[pair]))]
        text, wide = "\n".join(filter(None, parts)), max(map(ems, parts)) * canvas.small
        style: dict[str, Any] = {"color": legible(colour, axes), "weight": "medium"}
        if line == 0 and wide < 1.6 * ring * unit:
            axes.annotate(text, (0, 0), (0, 0), va="center", **style, **look)
        else:
            place = (0, -ring), (0, -2.5 * canvas.scale)
            axes.annotate(join_title(parts), place[0], place[1], va="top", **style, **look)


def rotation_text(turns: float) -> str:
    """Return a rotation as text, in degrees below one turn; "" if it is unknown."""
    if turns == np.inf:
        return ""
    if turns < 1:
        return f"{number_text(360 * turns, SLOW)}°"
    text = number_text(turns, FAST)
    return say("rotation.one_turn") if text == "1" else say("rotation.turns", turns=text)
