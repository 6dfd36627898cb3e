"""The options that both figures of `bias` share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import chosen_indices, refuse_unused
from pecli.core.errors import UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.numbers import MAX_EXACT, ROUNDING
from pecli.core.options import option
from pecli.encodings.base import BiasEncoding
from pecli.encodings.biases import Alibi
from pecli.figures.base import View
from pecli.figures.highlights import WithTrained
from pecli.figures.matrix import WithCellNumbers

PANELS = 8  # number of heads to draw by default
FAINT = -10.0  # a bias of −10 leaves 1/20,000 of the weight: colours end there


@dataclass(frozen=True)
class BiasFigure(WithCellNumbers[BiasEncoding], WithTrained[BiasEncoding]):
    """Base of the two figures of `bias`, with their options."""

    name: ClassVar[str] = "bias"
    requires: ClassVar[Any] = BiasEncoding
    defines: ClassVar[str] = (
        "what a head adds to the score of query p and key q before the softmax; it depends only on p − q; blank "
        "where the query does not see the key"
    )
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli bias -e alibi:heads=8 --lowest -20"
    examples: ClassVar[tuple[str, ...]] = ("pecli bias t5 -n 128",)
    default_encoding: ClassVar[str] = "alibi"

    head: tuple[int, ...] | None = option(
        None,
        "heads to show, from 0, one panel each",
        at_least=0,
        unset=f"up to {PANELS} in a picture, all in .npy, .npz, .csv and .json",
    )
    lowest: float | None = option(
        None, "lowest bias of the colour scale", at_least=-MAX_EXACT, unset=f"the lowest shown, but not below {FAINT:g}"
    )

    softmax: bool = option(
        False, "show the attention weights that the bias alone gives, by distance, one line per head"
    )

    def shown_heads(self, view: View[BiasEncoding]) -> Array:
        """Return the indices of the heads to draw; the default includes the heads that see the fewest and most keys."""
        encoding = view.encoding
        heads = chosen_indices("head", self.head, view, encoding.n_heads, "heads", PANELS)
        if self.head is not None or len(heads) == encoding.n_heads or not encoding.known:
            return heads
        ends = ends_of_reach(encoding, view.positions.length)
        for end in ends:
            if end not in heads:
                free = heads[~np.isin(heads, ends)]
                heads = np.where(heads == free[np.abs(free - end).argmin()], end, heads)
        return np.sort(heads)

    def computed_heads(self, view: View[BiasEncoding]) -> Array:
        """Return the heads to compute: those to draw or, for a file of numbers, all heads unless some are chosen."""
        every = view.panels is None and self.head is None
        return np.arange(view.encoding.n_heads) if every else self.shown_heads(view)

    def check_view(self, view: View[BiasEncoding]) -> None:
        super().check_view(view)
        self.shown_heads(view)
        self.check_trained(view.positions)
        if self.softmax:
            matrices = {"lowest", "numbers", "no_numbers"} & self.changed().keys()
            refuse_unused({name: getattr(self, name) for name in matrices}, "--softmax draws lines, not matrices")
            if not view.encoding.known:
                text = f"--softmax needs biases, but {view.encoding.name} without a file has only buckets"
                raise UsageError(text, option="softmax", advice=f"give {option_text('file', 'model.safetensors')}")


def nearest_with_half(weights: Array) -> Array:
    """Return the number of nearest keys with half of the weight, (n_heads,); the weights by distance add up to 1."""
    return np.asarray(1 + (weights.cumsum(axis=1) < 0.5 - ROUNDING).sum(axis=1))


def weights_by_distance(encoding: BiasEncoding, length: int) -> Array:
    """Return the softmax of each head's bias over the distances below `length`, (n_heads, length)."""
    bias = encoding.bias(np.arange(length, dtype=np.float64))
    weights = np.exp(bias - bias.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def ends_of_reach(encoding: BiasEncoding, length: int) -> tuple[int, int]:
    """Return the head that sees the fewest keys, and the head that sees the most."""
    if isinstance(encoding, Alibi):
        reach = -np.asarray(encoding.slopes())
    else:
        reach = nearest_with_half(weights_by_distance(encoding, length))
    return int(reach.argmin()), int(reach.argmax())
