"""The position ids of words, images and videos in a sequence: frame, row and column of every token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, pairwise
from math import prod
from typing import Any, ClassVar, NamedTuple

from pecli.analysis import refuse_unused
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.positions import Positions
from pecli.encodings.rope import OnAxes, parts_of_sequence, places_of_sequence
from pecli.figures.base import Figure, Numbers, View
from pecli.files.sheet import over
from pecli.page.axis_labels import values_axis, with_ticks
from pecli.page.canvas import Canvas
from pecli.page.panels import Axis, Panel, PanelGroup
from pecli.page.words import ems

EXAMPLE = "6, 1x4x6, 5, 3x3x4, 6"
COLOURS = {"w": "C2", "h": "C1", "t": "C0"}  # of the lines, in the order of drawing
WORDS = ("#DDE1E5", "#DDE1E5")  # colours of tokens in the strip, for alternating rows or frames
OTHER = ("#8B939C", "#B4BBC2")
GROUND = ("#8B939C", 0.1)  # shade behind images
STRIP, UP = 7.0, 9.0  # points: height of the strip, and of its middle above the panel
APART = 2.5  # points per token: with fewer, no gaps are drawn between tokens
MANY = 2000  # with more tokens, lines are pixels in a vector file


class Part(NamedTuple):
    """Some words, an image or a video.

    sides : the number of words; or rows and columns; or frames, rows and columns
    first, stop : the first token, and the token after the last
    low, high : the smallest and the largest position
    """

    sides: tuple[int, ...]
    first: int
    stop: int
    low: int
    high: int

    @property
    def frames(self) -> int:
        """The number of frames: 1 for an image, 0 for words."""
        return 0 if len(self.sides) == 1 else self.sides[0] if len(self.sides) == 3 else 1

    @property
    def takes(self) -> int:
        """The number of positions that the part takes."""
        return self.high - self.low + 1

    def names(self) -> list[str]:
        """Return texts that name the part, such as "image · 4 rows of 6" and "4 × 6", the longest first."""
        if not self.frames:
            return [say("ids.text")]
        rows, columns = self.sides[-2:]
        sides = " × ".join(map(str, self.sides[-2:] if self.frames == 1 else self.sides))
        if self.frames == 1:
            return [say("ids.image", rows=rows, columns=columns), say("ids.image_short", sides=sides), sides]
        whole = say("ids.video", frames=self.frames, rows=rows, columns=columns)
        return [whole, say("ids.video_short", sides=sides), sides]

    def shade(self) -> Array:
        """Return 0 or 1 for each token, alternating between words, rows of an image, or frames of a video."""
        block = self.sides[-1] if self.frames == 1 else prod(self.sides[1:])
        return np.arange(self.stop - self.first) // max(block, 1) % 2


class Sequence3D:
    """A sequence of words, images and videos, numbered as in Qwen2-VL."""

    def __init__(self, text: str) -> None:
        self.text, sides, self.places = text, parts_of_sequence(text), places_of_sequence(text)
        ends = pairwise(accumulate(map(prod, sides), initial=0))
        spans = [(own, first, stop, self.places[:, first:stop]) for own, (first, stop) in zip(sides, ends, strict=True)]
        self.parts = [Part(own, first, stop, int(at.min()), int(at.max())) for own, first, stop, at in spans]

    @cached_property
    def named(self) -> Part | None:
        """The part that the headline names: the first image, or the first video if there is no image."""
        images = [part for part in self.parts if part.frames]
        return next((part for part in images if part.frames == 1), images[0] if images else None)


@dataclass(frozen=True, kw_only=True)
class IdsNumbers(Numbers[OnAxes]):
    """Frame, row and column of every token, and the number of positions that the image in the headline takes."""

    ids: Array = over("token", "axis")
    tokens: Array = over("token")
    axes: tuple[str, ...] = over("axis")
    sequence: str
    length: int  # tokens
    largest: int
    image: tuple[int, ...]  # sides of the image or video in the headline, () without one
    image_tokens: int
    image_positions: int
    several: bool  # whether there are several images, or several videos

    def marks(self) -> list[str]:
        return [say("ids.in_text")]

    def message(self) -> str:
        if not self.image:
            return say("ids.words_alone")
        video = len(self.image) == 3 and self.image[0] > 1
        first, only = ("ids.first_video", "ids.the_video") if video else ("ids.first_image", "ids.the_image")
        what = say(first if self.several else only)
        if self.image_positions == self.image_tokens:
            return say("ids.as_many", what=what, count=self.image_tokens)
        return say("ids.moves", what=what, count=self.image_positions, all=self.image_tokens)


@dataclass(frozen=True)
class Ids(Figure[OnAxes]):
    """The position ids t, h and w of every token of a text with images and videos, as M-RoPE numbers them.

    Notes
    -----
    The three ids of a word are equal. An image or a video starts after the largest id so far and adds frame, row and
    column; the part after it starts after its largest id. Wang et al. 2024, Qwen2-VL, section 2.1, arXiv:2409.12191,
    and `get_rope_index` of transformers. Later models number the frames of a video in another way: Qwen2.5-VL by the
    time between them.
    """

    name: ClassVar[str] = "ids"
    requires: ClassVar[Any] = OnAxes
    defines: ClassVar[str] = (
        "t, h, w of a token: for a word, all three are the next free number; in an image or video, they are that "
        "number plus frame, row and column"
    )
    example: ClassVar[str] = 'pecli ids --sequence "6, 1x4x6, 5, 3x3x4, 6"'
    examples: ClassVar[tuple[str, ...]] = ('pecli ids rope --sections 16,24,24 -d 128 --sequence "10, 16x16, 10"',)
    default_encoding: ClassVar[str] = "rope"
    default_options: ClassVar[Mapping[str, Any]] = {"d": 96}  # 48 pairs, which three axes can share
    length_help: ClassVar[str] = "always the number of tokens in the sequence, so leave it out"

    def sequence(self, view: View[OnAxes]) -> Sequence3D:
        """Return the sequence that is numbered: the encoding's, or an example."""
        return Sequence3D(view.encoding.sequence or EXAMPLE)

    def default_length(self, rows: int | None) -> int:
        return Sequence3D(EXAMPLE).places.shape[1]

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        own = Positions(length=self.default_length(None))
        given = {name: at for name, at in asked.changed().items() if at != own.length}
        refuse_unused(given, "a sequence is always shown with all its tokens")
        return own

    def shape(self, view: View[OnAxes]) -> tuple[int, ...]:
        return (3, self.sequence(view).places.shape[1])

    def compute(self, view: View[OnAxes]) -> IdsNumbers:
        sequence = self.sequence(view)
        count, part = sequence.places.shape[1], sequence.named
        alike = [own for own in sequence.parts if part and (own.frames > 1) == (part.frames > 1) and own.frames]
        return IdsNumbers(
            view=view,
            ids=sequence.places.T,
            tokens=np.arange(count),
            axes=("t", "h", "w"),
            sequence=sequence.text,
            length=count,
            largest=int(sequence.places.max()),
            image=part.sides if part else (),
            image_tokens=part.stop - part.first if part else 0,
            image_positions=part.takes if part else 0,
            several=len(alike) > 1,
        )

    def panel_groups(self, view: View[OnAxes], canvas: Canvas) -> list[PanelGroup]:
        sequence = self.sequence(view)
        count, most = sequence.places.shape[1], int(sequence.places.max())
        low, high = ((0.13 if part.frames else 0.04) * (most + 1) for part in (sequence.parts[0], sequence.parts[-1]))
        x = values_axis(say("ids.token"), whole=True, ends=(-0.5, count - 0.5))
        x = with_ticks(x, [*(part.first for part in sequence.parts), count - 1])
        y = Axis(say("ids.position"), ends=(-low, most + high), ticks=partial(_put_whole_ticks, most))
        return [PanelGroup((Panel(0.8 if canvas.narrow else 0.41, x=x, y=y, grid=True),))]

    def decorate(self, view: View[OnAxes], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.colors import headline_ink, note_ink
        from pecli.page.labels import BracketLabel, add_bracket_beside

        (panel,), sequence = axes, self.sequence(view)
        count, named, high = sequence.places.shape[1], sequence.named, float(np.ptp(panel.get_ylim()))
        wide = 72 * canvas.inches.width / canvas.scale / count  # points per token, about
        inset = min(0.1, 1 / wide) if wide >= APART else 0.0

        def label(place: tuple[float, float], end: float, texts: Sequence[str], colour: Any, **more: Any) -> None:
            system = more.pop("system", panel.transData)
            look = {"ha": "left", "va": "bottom", "color": colour, "zorder": 5, **more}
            made = BracketLabel(panel, texts[0], place, system, canvas, **look)
            made.last, made.texts = end, texts

        above = _above(panel, UP * canvas.scale)
        names = _above(panel, (UP + STRIP / 2) * canvas.scale)
        for part in sequence.parts:
            shades: Any = (headline_ink(), note_ink()) if part == named else OTHER if part.frames else WORDS
            for at in (0, 1):
                tokens = part.first + np.flatnonzero(part.shade() == at)
                _add_tokens(panel, tokens, inset, shades[at], above, STRIP * canvas.scale)
            ink = headline_ink() if part == named else note_ink()
            weight = "medium" if part == named else "normal"
            place = (part.first - 0.5 + inset, 1.0)
            label(place, part.stop - 0.5, part.names(), ink, weight=weight, system=names)
            if part.frames:
                panel.axvspan(part.first - 0.5, part.stop - 0.5, color=GROUND, linewidth=0, zorder=0)
                _name_lines(part, label, part == named or named is None, high, panel)
        if named is not None:
            text = say("ids.positions", count=named.takes)
            if (count - named.stop) * wide * canvas.scale < (ems(text) + 1) * canvas.small:
                add_bracket_beside(panel, named.low - 0.4, named.high + 0.4, text, canvas)
            else:
                _measure(panel, named, text, canvas)

    def draw(self, numbers: IdsNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        (panel,), sequence = axes, self.sequence(numbers.view)
        ink = panel.xaxis.label.get_color()
        for part in sequence.parts:
            edges = np.arange(part.first, part.stop + 1) - 0.5
            for at, (axis, colour) in enumerate(COLOURS.items() if part.frames else [("t", ink)]):
                values = numbers.ids[part.first : part.stop, numbers.axes.index(axis)]
                look: dict[str, Any] = {"linewidth": 1.5 * canvas.scale, "zorder": 3 + at / 4, "baseline": None}
                panel.stairs(values, edges, color=colour, rasterized=numbers.length > MANY, **look)
        return [None]

    def title(self, view: View[OnAxes]) -> str:
        places = self.sequence(view).places
        counts = {"count": places.shape[1], "all": int(places.max()) + 1}
        return join_title([say("ids.mrope"), say("ids.tokens_take", **counts)])


def _above(panel: Axes, points: float) -> Any:
    """Return a transform with x in data coordinates and y in heights of the frame, moved up by `points` points."""
    from matplotlib.transforms import ScaledTranslation

    figure = panel.get_figure(root=True)
    assert figure is not None
    return panel.get_xaxis_transform() + ScaledTranslation(0, points / 72, figure.dpi_scale_trans)


def _put_whole_ticks(last: int, axis: Any) -> None:
    """Put ticks at 0, the last position and some between, but none beyond."""
    from pecli.page.ticks import FittingTicks, NumberTexts, whole_numbers

    axis.set_major_locator(FittingTicks(lambda *_: whole_numbers(0, last)))
    axis.set_major_formatter(NumberTexts())


def _add_tokens(panel: Axes, tokens: Array, inset: float, colour: str, system: Any, height: float) -> None:
    """Add a block for each of these tokens to the strip above the panel.

    inset : gap at each end of a block, in tokens
    system, height : transform of the strip, from `_above`, and its height in points
    """
    from matplotlib.lines import Line2D

    ends = np.stack([tokens - 0.5 + inset, tokens + 0.5 - inset, np.full(len(tokens), np.nan)], axis=1)
    look: dict[str, Any] = {"linewidth": height, "solid_capstyle": "butt", "clip_on": False}
    panel.add_artist(Line2D(ends.ravel(), np.ones(ends.size), transform=system, color=colour, **look))


def _name_lines(part: Part, label: Any, all_three: bool, high: float, panel: Axes) -> None:
    """Name the lines of an image or a video: t below them and, if `all_three`, h and w above them.

    label : function that writes the longest text that fits between two places
    high : height of the axis in positions
    """
    from pecli.page.colors import legible

    start, stop = part.first - 0.2, part.stop - 0.5
    block = prod(part.sides[-2:])
    still = say("ids.frame_same", count=block) if part.frames == 1 else say("ids.frame_more", count=block)
    frame = legible(COLOURS["t"], panel)
    label((start, part.low - 0.045 * high), stop, [still, say("ids.frame"), "t"], frame, va="top", weight="medium")
    if all_three:
        middle = start + 0.62 * (stop - start)
        for axis, begin, end in (("w", start, middle), ("h", middle, stop)):
            name = say("ids.column" if axis == "w" else "ids.row")
            place = (begin, part.high + 0.02 * high)
            label(place, end, [name, axis], legible(COLOURS[axis], panel), weight="medium")


def _measure(panel: Axes, part: Part, text: str, canvas: Canvas) -> None:
    """Draw a bracket at the right of an image over the positions that it takes, labelled with `text`."""
    from pecli.page.colors import headline_ink
    from pecli.page.labels import label_point

    x = part.stop - 0.1
    look: dict[str, Any] = {"linewidth": 1.2 * canvas.scale, "solid_capstyle": "butt"}
    panel.plot([x, x], [part.low - 0.4, part.high + 0.4], color=headline_ink(), **look)
    label_point(panel, text, (x, (part.low + part.high) / 2), headline_ink(), canvas, ((1, 0), (1, -1)))
