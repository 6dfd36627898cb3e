"""The numbers behind attention in two orders of the same tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pecli.core.language import phrase
from pecli.core.lazy import Array
from pecli.core.values import shorten
from pecli.figures.figure import ColouredNumbers
from pecli.measures.attention_weights import Placing


@dataclass(frozen=True, kw_only=True)
class AttentionNumbers(ColouredNumbers[Placing]):
    """plain, encoded : (n, n), weights of the tokens as given, without and with the encoding, query down, key across;
    reordered_plain, reordered_encoded : the same for the second order; order : (n,), which token stands where in it;
    change_plain, change_encoded : (n, n), second − first once the second order is put back into the first.

    The differences are the largest |change|.
    """

    main_array: ClassVar[str] = "plain"

    plain: Array
    reordered_plain: Array
    encoded: Array
    reordered_encoded: Array
    change_plain: Array
    change_encoded: Array
    order: Array
    tokens: tuple[str, ...]
    reordered_tokens: tuple[str, ...]
    embeddings: str  # where they come from
    difference_plain: float
    difference_encoded: float
    largest: float

    def coloured(self) -> list[Array]:
        return [self.plain, self.reordered_plain, self.encoded, self.reordered_encoded]

    def message(self) -> str:
        """Nothing where the second order is the first."""
        if not self.difference_encoded:
            return ""
        return phrase("without an encoding, order does not count; with {name} it does", name=self.view.encoding.name)

    def remarks(self) -> list[str]:
        order = shorten(" ".join(self.reordered_tokens), 80).replace("$", r"\$")
        return [phrase("reordered: {order}, shown in the order as given", order=order), self.embeddings]
