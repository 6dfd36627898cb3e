"""The input of a Transformer's first layer: word vectors, position encodings and their sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

from pecli.core.language import capitalised, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.encodings.base import Additive
from pecli.figures.base import ColouredNumbers, View
from pecli.figures.matrix import MAX_CELLS, WithCellNumbers, decimal_places, show_matrix, split_cells
from pecli.figures.tokens import TokenFigure, tokens_axis
from pecli.files.sheet import aside, over
from pecli.page.axis_labels import dimensions_axis
from pecli.page.canvas import Canvas
from pecli.page.panels import Axis, ColorBar, Panel, PanelGroup
from pecli.page.text import points_per_pixel
from pecli.page.words import ems

ROW = 0.045, 0.065  # height of a row as a share of the strip's width: normal, on a narrow page
WIDER = 5, 3  # width of a strip relative to the bars beside it: normal, on a narrow page
MOST = 0.7  # largest share of the panel's width for the numbers after the bars
BAR = 0.62  # height of a bar as a share of its row
SIGNS = ("", "+ ", "= ")
SCALED = {"sqrt": "addition.word_vectors_d", "none": "addition.word_vectors"}
ALIKE = 1.05  # ratio of lengths below which they count as equal


@dataclass(frozen=True, kw_only=True)
class AdditionNumbers(ColouredNumbers[Additive]):
    """The vectors of words and of positions, and their sum."""

    words: Array = aside("token", "dimension")
    positions: Array = aside("token", "dimension")
    total: Array = over("token", "dimension")
    tokens: tuple[str, ...]
    scaled: str = aside()  # key of the word vectors' title
    embeddings: str  # footnote on random word vectors, "" for a file
    limit: float
    mean_lengths: tuple[float, ...]  # of words, positions, sums

    def coloured(self) -> list[Array]:
        return [self.words, self.positions, self.total]

    def message(self) -> str:
        words, positions, _ = self.mean_lengths
        longer, shorter = max(words, positions), min(words, positions)
        if not shorter:
            return ""
        text = "addition.are_times_as_long"
        if positions > words:
            text = "addition.position_encodings_are_times"
        if longer < ALIKE * shorter:
            text = "addition.and_position_encodings_are"
        return say(text, ratio=number_text(longer / shorter, 3), words=say(self.scaled))

    def lengths(self) -> list[Array]:
        """Return the norms of the vectors of words, of positions and of sums, each of shape (tokens,)."""
        return [np.linalg.norm(each, axis=1) for each in (self.words, self.positions, self.total)]

    def remarks(self) -> list[str]:
        return [self.embeddings]


@dataclass(frozen=True)
class Addition(WithCellNumbers[Additive], TokenFigure[Additive]):
    """Word vectors, the encodings of their positions, and the sum of both, on one colour scale.

    Notes
    -----
    Vaswani et al. 2017, section 3.4, arXiv:1706.03762: word vectors are multiplied by √d before the encoding is added.
    Random vectors have variance 1/d, like the initial ones of tensor2tensor: scaled, they are √2 times as long as a
    sinusoidal encoding; unscaled, they are √(d/2) times shorter.
    """

    name: ClassVar[str] = "addition"
    requires: ClassVar[Any] = Additive
    defines: ClassVar[str] = "one row per token: its vector, the encoding of its position, and their sum; dimensionless"
    example: ClassVar[str] = "pecli addition --tokens 'dog bites man'"
    examples: ClassVar[tuple[str, ...]] = ("pecli addition --scale none -d 128 -o addition.svg",)
    default_options: ClassVar[Mapping[str, Any]] = {"d": 64}
    one_table: ClassVar[bool] = False
    variance_power: ClassVar[float] = 1.0

    scale: str = option(
        "sqrt", "factor of word vectors: √d, as in the paper (sqrt), or 1 (none)", choices=lambda: ("sqrt", "none")
    )

    def shape(self, view: View[Additive]) -> tuple[int, ...]:
        return (3, len(self.words), view.encoding.width)

    def compute(self, view: View[Additive]) -> AdditionNumbers:
        width = view.encoding.width
        words, positions = self.content(width), view.encoding.table(self.rows(view))
        made = "addition.random_word_vectors_of"
        length = number_text(float(np.linalg.norm(words, axis=1).mean()), 2)  # before scaling
        words = words * sqrt(width) if self.scale == "sqrt" else words
        both = (words, positions, words + positions)
        limit = float(max(np.abs(each).max() for each in both)) or 1.0
        return AdditionNumbers(
            view=view,
            words=words,
            positions=positions,
            total=words + positions,
            tokens=self.words,
            scaled=SCALED[self.scale],
            embeddings="" if self.embeddings else say(made, length=length, seed=self.content_seed),
            limit=limit,
            mean_lengths=tuple(float(np.linalg.norm(each, axis=1).mean()) for each in both),
            ends=(-limit, limit),
        )

    def panel_groups(self, view: View[Additive], canvas: Canvas) -> list[PanelGroup]:
        count, encoding = len(self.words), view.encoding
        at = [say("addition.position", position=encoding.position_text(at)) for at in self.rows(view).tolist()]
        titles = (SCALED[self.scale], "addition.position_encodings", "addition.input")
        aspect, wide = max(0.1, ROW[canvas.narrow] * count), WIDER[canvas.narrow]
        bar = ColorBar(say("heatmap.value"), redundant=self.may_show_numbers(count, encoding.width))
        frame: dict[str, Any] = {"aspect": aspect, "small": True}
        strips = tuple(
            Panel(
                title=sign + say(title) if sign else capitalised(say(title)), least=(9.0, 1.0 * count), bar=bar,
                x=dimensions_axis(encoding), y=tokens_axis("", names, turned=True), **frame,
            )
            for sign, title, names in zip(SIGNS, titles, (self.words, at, self.words), strict=True)
        )  # fmt: skip
        length = say("addition.mean_length", length="10.0")  # reserves the width
        ends: Any = Axis(ends=(count - 0.5, -0.5))
        beside = Panel(title=length, least=(4.0, 1.0 * count), y=ends, **frame)
        rows = tuple((at,) * wide + (at + len(SIGNS),) for at in range(len(SIGNS)))
        return [PanelGroup((*strips, *[beside] * len(SIGNS)), (rows,))]

    def decorate(self, view: View[Additive], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import name_panel

        for ax in axes[len(SIGNS) :]:
            ax.set_axis_off()
        for ax in axes[len(SIGNS) : -1]:
            name_panel(ax)

    def fit(self, view: View[Additive], axes: list[Axes], canvas: Canvas) -> None:
        for ax in axes:
            ax.tick_params(axis="y", labelsize=canvas.small)
        bars: list[Any] = axes[len(SIGNS) :]
        if longest := max((bar.get_width() for ax in bars for bar in ax.patches), default=0.0):
            numbers = max((ems(text.get_text()) for ax in bars for text in ax.texts), default=0.0)
            taken = numbers * canvas.small / (float(bars[0].bbox.width) * points_per_pixel(bars[0]))
            for ax in bars:
                ax.set_xlim(0.0, longest / (1 - min(taken, MOST)))

    def draw(self, numbers: AdditionNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        colours = canvas.colours("diverging")
        strips, bars = axes[: len(SIGNS)], axes[len(SIGNS) :]
        images = [
            show_matrix(ax, each, colours=colours, limits=numbers.ends, centred=True)
            for ax, each in zip(strips, (numbers.words, numbers.positions, numbers.total), strict=True)
        ]
        self.write_numbers(strips, images, canvas)
        for ax, image in zip(strips, images, strict=True):
            split_cells(ax, image, canvas, columns_too=False)
        draw_lengths(numbers, bars, canvas)
        return [*images, *[None] * len(bars)]


def draw_lengths(numbers: AdditionNumbers, axes: list[Axes], canvas: Canvas) -> None:
    """Draw the norms of all vectors as bars; those that the headline compares are darker."""
    import matplotlib as mpl

    lengths, ink = numbers.lengths(), mpl.rcParams["text.color"]
    digits = decimal_places(lengths)
    for ax, own, mean in zip(axes, lengths, numbers.mean_lengths, strict=True):
        ax.set_title(say("addition.mean_length", length=f"{mean:.{digits}f}"), fontsize=canvas.small)
        ax.barh(range(len(own)), own, height=BAR, color=ink, alpha=0.4 if ax is axes[-1] else 1.0, linewidth=0)
        if len(own) <= MAX_CELLS:
            for row, length in enumerate(own.tolist()):
                text = f" {length:.{digits}f}"
                ax.text(length, row, text, fontsize=canvas.small, va="center_baseline", in_layout=False)
