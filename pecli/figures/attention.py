"""The effect of word order on attention: weights for two orders of the same tokens, without and with an encoding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import add
from typing import Any, ClassVar

from pecli.analysis import check_indices, refuse_unused
from pecli.core.errors import UsageError, option_text
from pecli.core.language import capitalised, join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.encodings.base import Additive, BiasEncoding, Rotary, names_in_sentence
from pecli.figures.base import ColouredNumbers, View
from pecli.figures.matrix import WithCellNumbers, hatch, show_matrix
from pecli.figures.tokens import TokenFigure, fit_tokens, read_order, shortened, token_panel
from pecli.files.sheet import aside, over
from pecli.measures.pairwise import products
from pecli.page.canvas import Canvas
from pecli.page.colors import DIFFERENCE
from pecli.page.panels import ColorBar, Panel, PanelGroup
from pecli.page.words import ems

AttentionEncoding = Additive | Rotary | BiasEncoding


@dataclass(frozen=True, kw_only=True)
class AttentionNumbers(ColouredNumbers[AttentionEncoding]):
    """Attention weights of the tokens in two orders, without (`plain`) and with (`encoded`) the encoding.

    Rows are queries, columns are keys. A change is the second order's weights, put back into the first order, minus the
    first order's weights; a difference is the largest |change|.
    """

    plain: Array = over("query", "key")
    reordered_plain: Array = over("query", "key")
    encoded: Array = over("query", "key")
    reordered_encoded: Array = over("query", "key")
    change_plain: Array = over("query", "key")
    change_encoded: Array = over("query", "key")
    order: Array = aside("query")  # index of the token at each place of the second order
    tokens: tuple[str, ...]
    reordered_tokens: tuple[str, ...]
    embeddings: str  # footnote on how the embeddings were made
    rounded: str = aside()  # footnote on the rounding of numbers in cells
    difference_plain: float
    difference_encoded: float
    largest: float
    most: tuple[int, int]  # query and key of the largest change with the encoding

    def coloured(self) -> list[Array]:
        return [self.plain, self.reordered_plain, self.encoded, self.reordered_encoded]

    def message(self) -> str:
        """Return the headline, or "" if both orders of the tokens are the same."""
        if not self.difference_encoded:
            return ""
        if not self.difference_plain:
            return say("attention.only_with_positions")
        number, plain = map(weight_text, (self.difference_encoded, self.difference_plain))
        name = names_in_sentence([self.view.encoding])[0]
        return say("attention.with_reordering_changes_weights", name=name, number=number, plain=plain)

    def row_headings(self) -> list[tuple[str, str]]:
        """Return (name, note) for the rows of panels without and with positions; the note gives the largest change."""
        without = "attention.causal_mask_alone" if self.has_mask else "attention.without_positions"
        return [
            (
                say(name),
                say("attention.change_by_up_to" if most else "attention.no_weight_changes", number=weight_text(most)),
            )
            for name, most in ((without, self.difference_plain), ("attention.with_positions", self.difference_encoded))
        ]

    def marks(self) -> list[str]:
        return [say("attention.hatched_masked_weight_0")] if self.has_mask else []

    @property
    def has_mask(self) -> bool:
        """Whether a mask hides keys from some queries."""
        return bool((self.plain == 0).any())

    @property
    def masked_keys(self) -> Array:
        """The mask of (query, key) pairs that are hidden in both orders, shape (n, n)."""
        return (self.encoded == 0) & (restore_order(self.reordered_encoded, self.order) == 0)

    def remarks(self) -> list[str]:
        return [
            say("attention.second_order_put_back"),
            say("attention.q_k", embeddings=self.embeddings),
            self.rounded,
        ]


OUTLINE = 1.6  # points, line width around the largest change
MAX_TITLE = 40  # characters: longer orders are not used as titles
APART = 1.4  # ems of extra gap between the two orders and the change
WIDTH = 16  # default width of embeddings


@dataclass(frozen=True)
class Attention(WithCellNumbers[AttentionEncoding], TokenFigure[AttentionEncoding]):
    """The attention weights softmax(Q Kᵀ / √d) of tokens with embeddings Q = K, in two orders, and their change.

    Without an encoding the weights do not change at all: every weight is computed from the same numbers in the same
    way, wherever its tokens stand. With an encoding they change.

    Notes
    -----
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.1, arXiv:1706.03762. Q and K are the embeddings
    themselves, with the encoding added or, for RoPE, rotated by it: there are no learned projections and there is one
    head. A bias is added to the scores and may mask keys. Each token therefore attends mostly to itself; the figure
    shows what order alone can do, not what a trained model does with it.
    """

    name: ClassVar[str] = "attention"
    requires: ClassVar[Any] = AttentionEncoding
    defines: ClassVar[str] = (
        "softmax over q of x_p·x_q/√d, or of x_p·x_q/√d + bias if the encoding is a bias; x are the embeddings with "
        "their positions, Q = K = x, and nothing is learned; a change is the second order minus the first"
    )
    example: ClassVar[str] = "pecli attention --tokens 'dog bites man' --reorder swap:0,2"
    examples: ClassVar[tuple[str, ...]] = ('pecli attention --tokens "I like you" --reorder reverse',)
    default_options: ClassVar[Mapping[str, Any]] = {"d": WIDTH}
    one_table: ClassVar[bool] = False

    reorder: str | None = option(
        None,
        "second order of the tokens: reverse, swap:I,J (counted from 0), or the same tokens in another order",
        unset="that of the example; reverse for your own tokens",
    )

    head: int | None = option(None, "head whose bias is added, from 0", at_least=0, unset="the first")

    def check(self) -> None:
        super().check()
        self.order()

    def check_view(self, view: View[AttentionEncoding]) -> None:
        super().check_view(view)
        encoding = view.encoding
        if isinstance(encoding, BiasEncoding):
            check_indices("head", None if self.head is None else [self.head], view, encoding.n_heads, "heads")
            if not encoding.known:
                raise UsageError(f"{encoding.name} adds a learned bias; give its table: {encoding.name}:file=…")
            return
        if isinstance(encoding, Rotary):
            refuse_unused(encoding.turned, f"{self.name} rotates the embeddings of the tokens")
        if self.head is not None:
            text = f"{option_text('head', self.head)} selects the bias of a head, but {encoding.name} has no biases"
            raise UsageError(text, option="head", value=self.head)

    def order(self) -> list[int]:
        """Return the index of the token at each place of the second order."""
        default = self.example_pair[1] if self.tokens is None else "reverse"
        return read_order(default if self.reorder is None else self.reorder, self.words)

    def shape(self, view: View[AttentionEncoding]) -> tuple[int, ...]:
        count = len(self.words)
        return (4, count, max(count, self.width(view)))

    def width(self, view: View[AttentionEncoding]) -> int:
        """Return the width of the embeddings: the encoding's width, or the default for a bias."""
        encoding = view.encoding
        return self.embedding_width(WIDTH) if isinstance(encoding, BiasEncoding) else encoding.width

    def compute(self, view: View[AttentionEncoding]) -> AttentionNumbers:
        encoding, positions, order = view.encoding, self.rows(view), np.array(self.order())
        content = self.content(self.width(view))
        both = (content, content[order])
        bias = head_bias(encoding, positions, self.head or 0)
        plain, other_plain = (weights(x, np.where(np.isinf(bias), bias, 0.0)) for x in both)
        encoded, other_encoded = (
            weights(encoded_rows(encoding, x, positions), bias, encoded_keys(encoding, x, positions)) for x in both
        )
        change_plain, change_encoded = (
            restore_order(other_plain, order) - plain,
            restore_order(other_encoded, order) - encoded,
        )
        largest = float(np.max([plain, other_plain, encoded, other_encoded]))
        return AttentionNumbers(
            view=view,
            plain=plain,
            reordered_plain=other_plain,
            encoded=encoded,
            reordered_encoded=other_encoded,
            change_plain=change_plain,
            change_encoded=change_encoded,
            order=order,
            tokens=self.words,
            reordered_tokens=tuple(self.words[i] for i in order),
            embeddings=self.content_text(),
            rounded=self.rounded_text(len(self.words)),
            difference_plain=float(np.abs(change_plain).max()),
            difference_encoded=float(np.abs(change_encoded).max()),
            largest=largest,
            most=divmod(int(np.abs(change_encoded).argmax()), len(order)),
            ends=(0.0, largest),
        )

    def panel_groups(self, view: View[AttentionEncoding], canvas: Canvas) -> list[PanelGroup]:
        upright, panels = self._is_upright(canvas), list[Panel]()
        for at, title in enumerate(self._titles(upright)):
            label = say("attention.change" if at % 3 == 2 else "attention.weight")
            bar = ColorBar(label, redundant=self.may_show_numbers(len(self.words)))
            panel = token_panel(self.words, bar, say("attention.query"), say("attention.key"))
            panels.append(replace(panel, title=title, extra_gap=APART * (at % 3 == 2 and not upright)))
        grid = ((0, 3), (1, 4), (2, 5)) if upright else ((0, 1, 2), (3, 4, 5))
        return [PanelGroup(tuple(panels), (grid,))]

    def _titles(self, upright: bool) -> list[str]:
        """Return the titles of all panels; a blank line above a title leaves room for the name of the row of panels.

        upright : whether the panels are stacked in two columns, as `_is_upright` returns
        """
        orders = [self.words, [self.words[at] for at in self.order()]]
        texts = [" ".join(own).replace("$", r"\$") for own in orders]
        if max(map(len, texts)) > MAX_TITLE:
            texts = [say(name) for name in ("attention.as_given", "attention.reordered")]
        titles = [*texts, capitalised(say("attention.change"))]
        above = [" \n" if at == 0 or not upright else "" for at in range(3)]
        below = [" \n" + titles[0], *titles[1:]] if upright else [" \n ", "", ""]
        return [*map(add, above, titles), *below]

    def _is_upright(self, canvas: Canvas) -> bool:
        """Return whether to stack the panels in two columns, without and with the encoding.

        This is so on a tall page, or if three panels do not fit side by side.
        """
        size = canvas.inches
        side = token_panel(self.words, ColorBar(""), "", "").least[0]
        across = 3 * side + max(ems(shortened(word)) for word in self.words) + 8  # labels and gaps
        tall = (size.height or 0) > 1.3 * size.width
        return tall or 72 * size.width / canvas.small < across

    def decorate(self, view: View[AttentionEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import name_panel

        for ax in (axes[2], axes[5]):
            name_panel(ax)

    def title(self, view: View[AttentionEncoding]) -> str:
        encoding = view.encoding
        head = encoding.head_text(self.head or 0) if isinstance(encoding, BiasEncoding) else ""
        return join_title([super().title(view), head, say("attention.weight_of_each_key")])

    def fit(self, view: View[AttentionEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import place_titles

        for ax in axes:
            fit_tokens(ax, canvas.small)
        place_titles(axes, canvas)

    def draw(self, numbers: AttentionNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from matplotlib.patches import Rectangle

        from pecli.page.colors import headline_ink
        from pecli.page.titles import add_row_head

        reach = max(numbers.difference_encoded, numbers.difference_plain) or numbers.largest
        weight: Any = {"colours": canvas.colours("amount"), "limits": numbers.ends}
        change: Any = {"colours": canvas.colours(DIFFERENCE), "limits": (-reach, reach), "centred": True}
        every = (
            (numbers.plain, weight),
            (restore_order(numbers.reordered_plain, numbers.order), weight),
            (numbers.change_plain, change),
            (numbers.encoded, weight),
            (restore_order(numbers.reordered_encoded, numbers.order), weight),
            (numbers.change_encoded, change),
        )
        images = []
        for ax, (values, look) in zip(axes, every, strict=True):
            hidden = numbers.masked_keys if look is change else values == 0
            if hidden.any():
                hatch(ax)
            images.append(show_matrix(ax, np.where(hidden, np.nan, values), **look))
        self.write_numbers(axes, images, canvas)
        for ax, (name, said) in zip((axes[0], axes[3]), numbers.row_headings(), strict=True):
            add_row_head(ax, name, "" if self._is_upright(canvas) else said, canvas)
        if numbers.difference_encoded:
            (query, key), ink = numbers.most, headline_ink()
            look = {"fill": False, "edgecolor": ink, "linewidth": OUTLINE * canvas.scale, "joinstyle": "miter"}
            axes[5].add_patch(Rectangle((key - 0.5, query - 0.5), 1, 1, clip_on=False, zorder=5, **look))
        return images


def weight_text(weight: float) -> str:
    """Return a weight as text with two decimals, as in cells, or with two digits if it is below 0.01."""
    return f"{weight:.2f}" if weight >= 0.01 else number_text(weight, 2)


def encoded_rows(encoding: AttentionEncoding, content: Array, positions: Array) -> Array:
    """Return the embeddings `content`, (n, d), with the encoding of their positions; unchanged for a bias."""
    if isinstance(encoding, Rotary):
        return encoding.rotate(content, positions)
    return content + encoding.table(positions) if isinstance(encoding, Additive) else content


def encoded_keys(encoding: AttentionEncoding, content: Array, positions: Array) -> Array:
    """Return the embeddings encoded as keys, which differ from queries only with xpos."""
    if isinstance(encoding, Rotary):
        return encoding.rotate_keys(content, positions)
    return encoded_rows(encoding, content, positions)


def head_bias(encoding: AttentionEncoding, positions: Array, head: int) -> Array:
    """Return the bias that a head adds to the scores, shape (n, n); 0 for other encodings."""
    offsets = positions[:, None] - positions
    if not isinstance(encoding, BiasEncoding):
        return np.zeros(offsets.shape)
    return encoding.bias(offsets.reshape(-1))[head].reshape(offsets.shape)


def weights(x: Array, bias: Array | float = 0.0, keys: Array | None = None) -> Array:
    """Return softmax(x keysᵀ / √d + bias), shape (n, n), of queries x, which are also the keys by default.

    The result is the same to the last bit in any order of the rows.
    """
    scores = products(x, x if keys is None else keys) / np.sqrt(x.shape[1]) + bias
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / np.sort(raised, axis=1).sum(axis=1, keepdims=True)  # sorted for a sum independent of order


def restore_order(second: Array, order: Array) -> Array:
    """Return weights of the second order, shape (n, n), with rows and columns put back into the first order.

    order : index of the token at each place of the second order, shape (n,)
    """
    back = np.argsort(order)
    return second[np.ix_(back, back)]
