"""The score of two tokens as its four parts: what content, position and both together contribute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.encodings.base import Additive
from pecli.figures.base import ColouredNumbers, View
from pecli.figures.matrix import WithCellNumbers, show_matrix
from pecli.figures.tokens import TokenFigure, fit_tokens, label_tokens, token_panel
from pecli.files.sheet import aside, over
from pecli.measures.comparison import largest_spread, offset_codes
from pecli.measures.pairwise import products
from pecli.page.canvas import Canvas
from pecli.page.panels import ColorBar, PanelGroup, grids_around, in_columns

TITLES = {
    "content_content": "terms.content_content",
    "content_position": "terms.content_position",
    "position_content": "terms.position_content",
    "position_position": "terms.position_position",
    "total": "terms.score_sum_of_the",
}


@dataclass(frozen=True, kw_only=True)
class TermsNumbers(ColouredNumbers[Additive]):
    """The scores, p down, q across, and their four parts."""

    total: Array = over("p", "q")
    content_content: Array = over("p", "q")
    content_position: Array = over("p", "q")
    position_content: Array = over("p", "q")
    position_position: Array = over("p", "q")
    tokens: tuple[str, ...]
    embeddings: str  # where they come from
    rounded: str = aside()  # said of numbers in cells
    error: float  # the largest |sum of the parts − score computed at once|
    spreads: dict[str, float]  # how much total and parts vary along a diagonal, 0 where the offset alone counts
    limit: float

    def coloured(self) -> list[Array]:
        return list(self.arrays().values())

    def message(self) -> str:
        same = ROUNDING * float(np.abs(self.total).max())
        *parts, spread = list(self.spreads.values())[1:]
        if spread > same:
            return say("terms.at_equal_offset_the", number=number_text(spread, 2))
        offset = say("terms.offset_in_rows_and" if self.view.encoding.sides else "terms.offset")
        if min(parts) <= same:  # so do others
            return say("terms.the_position_position_term", offset=offset)
        _, *others, last = map(np.abs, self.arrays().values())
        largest = last.min() > np.max(others)
        here = "terms.only_the_position_position_term"
        return say(here if largest else "terms.only_the_position_position", offset=offset)

    def remarks(self) -> list[str]:
        content = say("terms.content_embeddings", embeddings=self.embeddings)
        return [content, say("terms.score_query_key_not"), self.rounded]


@dataclass(frozen=True)
class Terms(WithCellNumbers[Additive], TokenFigure[Additive]):
    """(x_p + PE_p)·(x_q + PE_q) of tokens x at positions p, q, multiplied out: four parts and their sum, one scale.

    Absolute positions are in the middle two, content · position and position · content; the offset is in the last:
    position · position is constant along its diagonals where the encoding is translation invariant.

    Notes
    -----
    The fifth article; the four terms as in Ke et al. 2020, TUPE, arXiv:2006.15595, section 3.1. Scores of embeddings
    themselves, without learned projections and without the division by √d. The wider the encoding the paler the middle
    two: products of independent vectors grow with √d, those of a vector with itself with d.
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

    def panel_groups(self, view: View[Additive], canvas: Canvas) -> list[PanelGroup]:
        count = len(TITLES)
        bar = ColorBar(say("words.dot_product"), spare=self.may_be_spare(len(self.words)))
        panels = (token_panel(self.words, bar),) * count
        grids = *grids_around(count - 1, count), *in_columns(count, count, 2, 1)  # parts down and across, and their sum
        return [PanelGroup(panels, grids)]

    def decorate(self, view: View[Additive], axes: list[Axes], canvas: Canvas) -> None:
        for ax, title in zip(axes, TITLES.values(), strict=True):
            ax.set_title(say(title), fontsize=canvas.small)
            label_tokens(ax, self.words, say("words.token_p"), say("words.token_q"))

    def fit(self, view: View[Additive], axes: list[Axes], canvas: Canvas) -> None:
        for ax in axes:
            fit_tokens(ax, canvas.small)

    def draw(self, numbers: TermsNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        values, colours = numbers.arrays(), canvas.colours("diverging")
        images = [
            show_matrix(ax, values[name], colours=colours, limits=numbers.ends, centred=True)
            for ax, name in zip(axes, TITLES, strict=True)
        ]
        self.write_numbers(axes, images, canvas)
        return images
