"""The score of two tokens as the sum of four terms of content and position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pecli.core.language import capitalised, join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.encodings.base import Additive
from pecli.figures.base import ColouredNumbers, View
from pecli.figures.matrix import MAX_CELLS, WithCellNumbers, show_matrix
from pecli.figures.tokens import TokenFigure, fit_tokens, token_panel
from pecli.files.sheet import aside, over
from pecli.measures.comparison import largest_spread, offset_codes
from pecli.measures.pairwise import products
from pecli.page.canvas import Canvas
from pecli.page.colors import text_color_on
from pecli.page.panels import ColorBar, PanelGroup, in_columns

TITLES = {
    "content_content": "terms.content_content",
    "content_position": "terms.content_position",
    "position_content": "terms.position_content",
    "position_position": "terms.position_position",
    "total": "terms.score",
}
NAMED = 3  # index of the panel that the headline is about
STROKE = 0.13  # half the extent of a stroke across a corner, in cells
OUTLINE = 1.6  # points, line width around the two cells in the headline


@dataclass(frozen=True, kw_only=True)
class TermsNumbers(ColouredNumbers[Additive]):
    """The scores of tokens at positions p (rows) and q (columns), and their four terms."""

    total: Array = over("p", "q")
    content_content: Array = over("p", "q")
    content_position: Array = over("p", "q")
    position_content: Array = over("p", "q")
    position_position: Array = over("p", "q")
    tokens: tuple[str, ...]
    embeddings: str  # footnote on how the embeddings were made
    rounded: str = aside()  # footnote on the rounding of numbers in cells
    error: float  # the largest |sum of the terms − score computed directly|
    spreads: dict[str, float]  # largest variation at one offset; 0: only the offset matters
    limit: float

    def coloured(self) -> list[Array]:
        return list(self.arrays().values())

    @property
    def tolerance(self) -> float:
        """The rounding tolerance: numbers that differ by less count as equal."""
        return ROUNDING * float(np.abs(self.total).max())

    @property
    def joins_equal(self) -> bool:
        """Whether strokes join the equal numbers along the diagonals of position · position."""
        return self.spreads["position_position"] <= self.tolerance and len(self.tokens) <= MAX_CELLS

    def message(self) -> str:
        *parts, spread = list(self.spreads.values())[1:]
        if spread > self.tolerance:
            return say("terms.at_equal_offset_the", number=number_text(spread, 2))
        offset = say("terms.offset_in_rows_and" if self.view.encoding.sides else "terms.offset")
        others = min(parts) <= self.tolerance  # whether another term depends only on the offset, too
        return say("terms.the_position_position" if others else "terms.only_the_position_position", offset=offset)

    def marks(self) -> list[str]:
        if self.spreads["position_position"] > self.tolerance:
            return [say("terms.outlined_largest_spread")]
        return [say("terms.strokes_join")] if self.joins_equal else []

    def remarks(self) -> list[str]:
        return [self.embeddings, self.rounded]


@dataclass(frozen=True)
class Terms(WithCellNumbers[Additive], TokenFigure[Additive]):
    """The score (x_p + PE_p)·(x_q + PE_q) of tokens x at positions p and q as the sum of four terms.

    All terms have one colour scale. Content · position and position · content depend on absolute positions. Position ·
    position is constant along its diagonals if the encoding is translation invariant: it depends only on the offset.

    Notes
    -----
    The four terms are those of Ke et al. 2020, TUPE, arXiv:2006.15595, section 3.1. The scores are those of the
    embeddings, without learned projections and without division by √d. The wider the encoding, the paler the middle two
    terms: products of independent vectors grow with √d, products of a vector with itself grow with d.
    """

    name: ClassVar[str] = "terms"
    requires: ClassVar[Any] = Additive
    defines: ClassVar[str] = (
        "the parts of (x_p + PE_p)·(x_q + PE_q): x_p·x_q, x_p·PE_q, PE_p·x_q, PE_p·PE_q, and their sum; not "
        "divided by √d"
    )
    example: ClassVar[str] = "pecli terms --tokens 'dog bites man'"
    examples: ClassVar[tuple[str, ...]] = ('pecli terms --tokens "the dog bites the man" -o terms.svg',)
    default_options: ClassVar[Mapping[str, Any]] = {"d": 16}
    one_table: ClassVar[bool] = False

    def shape(self, view: View[Additive]) -> tuple[int, ...]:
        count = len(self.words)
        return (5, count, max(count, view.encoding.width))

    def compute(self, view: View[Additive]) -> TermsNumbers:
        rows = self.rows(view)
        x, p, codes = (
            self.content(view.encoding.width),
            view.encoding.table(rows),
            offset_codes(view.encoding, rows, rows),
        )
        xx, xp, px, pp = (products(first, second) for first in (x, p) for second in (x, p))
        names = ("total", "content_content", "content_position", "position_content", "position_position")
        parts = np.stack([xx + xp + px + pp, xx, xp, px, pp])
        arrays: dict[str, Any] = dict(zip(names, parts, strict=True))
        return TermsNumbers(
            view=view,
            **arrays,
            tokens=self.words,
            embeddings=self.content_text(),
            rounded=self.rounded_text(len(self.words)),
            error=float(np.abs(parts[0] - products(x + p, x + p)).max()),
            spreads={name: largest_spread(part, codes) for name, part in arrays.items()},
            limit=float(np.abs(parts).max()) or 1.0,
            ends=(min(0.0, float(parts.min())), max(0.0, float(parts.max())) or 1.0),
        )

    def title(self, view: View[Additive]) -> str:
        return join_title([super().title(view), say("terms.score_of_query_and_key")])

    def panel_groups(self, view: View[Additive], canvas: Canvas) -> list[PanelGroup]:
        from pecli.page.titles import APART_MORE

        bar = ColorBar(say("terms.score"), redundant=self.may_show_numbers(len(self.words)))
        panel = token_panel(self.words, bar, say("words.query_p"), say("words.key_q"))
        titles = map(capitalised, map(say, TITLES.values()))
        panels = (replace(panel, title=title, extra_gap=APART_MORE * bool(at)) for at, title in enumerate(titles))
        return [PanelGroup(tuple(panels), in_columns(len(TITLES), *((2, 1) if canvas.narrow else (5, 3, 2, 1))))]

    def decorate(self, view: View[Additive], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import add_sign, name_panel

        for ax, sign in zip(axes[1:], "+++=", strict=True):
            add_sign(ax, sign, canvas)
        name_panel(axes[NAMED])

    def fit(self, view: View[Additive], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import place_titles

        for ax in axes:
            fit_tokens(ax, canvas.small)
        place_titles(axes, canvas)

    def draw(self, numbers: TermsNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        values, colours = numbers.arrays(), canvas.colours("diverging")
        images = [
            show_matrix(ax, values[name], colours=colours, limits=numbers.ends, centred=True)
            for ax, name in zip(axes, TITLES, strict=True)
        ]
        self.write_numbers(axes, images, canvas)
        rows = self.rows(numbers.view)
        codes = offset_codes(numbers.view.encoding, rows, rows)
        if numbers.joins_equal:
            join_equal(axes[NAMED], images[NAMED], codes, canvas)
        elif numbers.spreads["position_position"] > numbers.tolerance:
            outline_spread(axes[NAMED], numbers.position_position, codes, canvas)
        return images


def join_equal(axes: Axes, image: Any, codes: Array, canvas: Canvas) -> None:
    """Draw strokes that join diagonally adjacent cells with the same offset.

    codes : a number per cell that is equal for equal offsets
    """
    from matplotlib.collections import LineCollection

    values = image.get_array()
    pairs = np.argwhere(codes[:-1, :-1] == codes[1:, 1:]).tolist()
    ends = [[(q + 0.5 - STROKE, p + 0.5 - STROKE), (q + 0.5 + STROKE, p + 0.5 + STROKE)] for p, q in pairs]
    inks = [text_color_on(image, float(values[p, q])) for p, q in pairs]
    axes.add_collection(LineCollection(ends, colors=inks, linewidths=canvas.scale, zorder=2), autolim=False)


def outline_spread(axes: Axes, values: Array, codes: Array, canvas: Canvas) -> None:
    """Outline the two cells with the same offset that differ most.

    codes : a number per cell that is equal for equal offsets
    """
    from matplotlib.patches import Rectangle

    from pecli.page.colors import headline_ink

    groups = [np.argwhere(codes == code) for code in np.unique(codes)]
    group = max(groups, key=lambda cells: float(np.ptp(values[tuple(cells.T)])))
    own = values[tuple(group.T)]
    look: dict[str, Any] = {"fill": False, "edgecolor": headline_ink(), "linewidth": OUTLINE * canvas.scale}
    for p, q in (group[own.argmin()], group[own.argmax()]):
        axes.add_patch(Rectangle((q - 0.5, p - 0.5), 1, 1, clip_on=False, zorder=5, **look))
