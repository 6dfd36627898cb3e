"""What order does to attention: weights for two orders of the same tokens, without and with the encoding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pecli.analysis import check_indices
from pecli.core.errors import UsageError, mention
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.encodings.capabilities import Additive, BiasEncoding, Rotary
from pecli.figures.canvas import Canvas, ColourBar
from pecli.figures.figure import Numbers, View
from pecli.figures.images import show_matrix
from pecli.figures.token_axes import label_tokens
from pecli.figures.tokens import TokenFigure, products, read_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WIDTH = 16  # of embeddings where nothing says it
Placing = Additive | Rotary | BiasEncoding


@dataclass(frozen=True, kw_only=True)
class AttentionNumbers(Numbers[Placing]):
    """plain, encoded : (n, n), weights of the tokens as given, without and with the encoding, query down, key across;
    reordered_plain, reordered_encoded : the same for the second order; order : (n,), which token stands where in it.

    The differences are the largest |weight − weight| once the second order is put back into the first.
    """

    main_array: ClassVar[str] = "plain"

    plain: Array
    reordered_plain: Array
    encoded: Array
    reordered_encoded: Array
    order: Array
    tokens: tuple[str, ...]
    reordered_tokens: tuple[str, ...]
    difference_plain: float
    difference_encoded: float
    largest: float

    def limits(self) -> tuple[float, float]:
        return 0.0, self.largest

    def with_limits(self, low: float, high: float) -> Self:
        return replace(self, largest=high)

    def caption(self) -> str:
        return "differs by: the largest change of a weight once the reordering is undone"


@dataclass(frozen=True)
class Attention(TokenFigure[Placing]):
    """softmax(Q Kᵀ / √d) for tokens in two orders: without an encoding the second is the first permuted.

    Then the largest difference, once the order is undone, is exactly 0: every weight is computed from the same
    numbers in the same way wherever its tokens stand. With the encoding it is not.

    Notes
    -----
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.1, arXiv:1706.03762. Q and K are the embeddings
    themselves, with the encoding added or, for rope, turned by it: no learned projections, one head. A bias is added to
    the scores, and hides the keys that it does not let a query see. So a token looks mostly at itself, and what is seen
    is what order alone can do, not what a trained model does with it.
    """

    name: ClassVar[str] = "attention"
    summary: ClassVar[str] = "What order does to attention: the same tokens in two orders, without and with encoding"
    example: ClassVar[str] = "pecli attention --tokens 'the dog bites the man' --reorder swap:1,4"
    default_options: ClassVar[Mapping[str, Any]] = {"d": WIDTH}
    aspect: ClassVar[float] = 0.92
    one_table: ClassVar[bool] = False

    reorder: str | None = option(
        None,
        "the second order: reverse, swap:I,J (places from 0) or the same tokens in another order",
        unset="the example's; reverse for your own tokens",
    )

    head: int | None = option(None, "the head whose bias is added", at_least=0, unset="the first")

    def check(self) -> None:
        super().check()
        self.order()

    def check_view(self, view: View[Placing]) -> None:
        super().check_view(view)
        encoding = view.encoding
        if isinstance(encoding, BiasEncoding):
            check_indices("head", None if self.head is None else [self.head], view, encoding.n_heads, "heads")
            if encoding.quantity != "bias":
                raise UsageError(f"{encoding.name} adds what is learned: give its table, {encoding.name}:file=…")
        elif self.head is not None:
            text = f"{mention('head', self.head)} chooses a head's bias, and {encoding.name} is {encoding.kind}"
            raise UsageError(text, option="head", value=self.head)

    def order(self) -> list[int]:
        """Which token stands at each place of the second order."""
        default = self.example_pair.reordered if self.tokens is None else "reverse"
        return read_order(default if self.reorder is None else self.reorder, self.words)

    def grid(self) -> tuple[int, int]:
        return (2, 2)

    def shape(self, view: View[Placing]) -> tuple[int, ...]:
        count = len(self.words)
        return (4, count, max(count, self.width(view)))

    def width(self, view: View[Placing]) -> int:
        """How wide the embeddings are: as the encoding's vectors; beside a bias, which has none, as usual."""
        encoding = view.encoding
        return self.own_width(WIDTH) if isinstance(encoding, BiasEncoding) else encoding.width

    def compute(self, view: View[Placing]) -> AttentionNumbers:
        encoding, positions, order = view.encoding, self.rows(view), np.array(self.order())
        content = self.content(self.width(view))
        both = (content, content[order])
        plain, other_plain = (weights(x) for x in both)
        encoded, other_encoded = (placed_weights(encoding, x, positions, self.head or 0) for x in both)
        return AttentionNumbers(
            view=view,
            plain=plain,
            reordered_plain=other_plain,
            encoded=encoded,
            reordered_encoded=other_encoded,
            order=order,
            tokens=self.words,
            reordered_tokens=tuple(self.words[i] for i in order),
            difference_plain=_difference(plain, other_plain, order),
            difference_encoded=_difference(encoded, other_encoded, order),
            largest=float(np.max([plain, other_plain, encoded, other_encoded])),
        )

    def draw(self, numbers: AttentionNumbers, axes: list[Axes], canvas: Canvas) -> ColourBar:
        name = numbers.view.encoding.name
        without, with_it = (f"{x:.2g}" for x in (numbers.difference_plain, numbers.difference_encoded))
        panels = (
            (numbers.plain, "no encoding\nas given"),
            (numbers.reordered_plain, f"no encoding\nreordered\ndiffers by {without}"),
            (numbers.encoded, f"{name}\nas given"),
            (numbers.reordered_encoded, f"{name}\nreordered\ndiffers by {with_it}"),
        )
        colours, image = canvas.colours("sequential"), None
        for place, (one, (values, title)) in enumerate(zip(axes, panels, strict=True)):
            image = show_matrix(one, values, colours=colours, limits=numbers.limits(), square=True)
            one.set_title(title)
            words, down = (numbers.reordered_tokens, "") if place % 2 else (numbers.tokens, "query")
            label_tokens(one, words, down, "key" if place >= 2 else None, around=10)
        return ColourBar(image, "attention weight")


def placed_weights(encoding: Placing, content: Array, positions: Array, head: int) -> Array:
    """The weights of embeddings at their positions, (n, n); of a bias, that of this head."""
    if not isinstance(encoding, BiasEncoding):
        return weights(positioned(encoding, content, positions))
    offsets = positions[:, None] - positions
    return weights(content, encoding.bias(offsets.reshape(-1))[head].reshape(offsets.shape))


def positioned(encoding: Additive | Rotary, content: Array, positions: Array) -> Array:
    """The embeddings with their positions in them, shape (n, d)."""
    if isinstance(encoding, Rotary):
        return encoding.rotate(content, positions)
    return content + encoding.table(positions)


def weights(x: Array, bias: Array | float = 0.0) -> Array:
    """softmax(x xᵀ / √d + bias), shape (n, n); the same bits for the same pair of rows in any order of the rows."""
    scores = products(x, x) / np.sqrt(x.shape[1]) + bias
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / np.sort(raised, axis=1).sum(axis=1, keepdims=True)  # sorted: a sum that no order changes


def _difference(first: Array, second: Array, order: Array) -> float:
    """How far the second is from the first permuted."""
    return float(np.abs(second - first[np.ix_(order, order)]).max())
