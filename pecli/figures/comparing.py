"""Base of the figures that compare pairs of positions, by a measure of their vectors or the bias of a head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import View, check_indices, measure_option
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import join_and, join_title, say
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.encodings.base import BiasEncoding, Encoding, TableEncoding, names_in_sentence, short_names
from pecli.encodings.rope import Rope, RotatedPairs
from pecli.figures.base import Figure
from pecli.figures.highlights import Highlighting
from pecli.measures.comparison import Comparison, comparison_of


@dataclass(frozen=True)
class ComparingFigure(Highlighting[TableEncoding | BiasEncoding]):
    """Base of the figures that compare pairs of positions."""

    requires: ClassVar[Any] = TableEncoding | BiasEncoding
    counts_positions: ClassVar[bool] = True

    measure: str = measure_option("euclidean")

    def check_view(self, view: View[Any]) -> None:
        super().check_view(view)
        every = list(map(self.compared, view.encodings))
        quantities = {"measure" if compared.head is None else compared.label for compared in every}
        if len(quantities) > 1:
            text = f"{join_and(sorted(quantities))} have different scales, so they cannot share a panel"
            raise UsageError(text, advice=f"try pecli compare with --figure {self.name}")
        if every[0].head is not None and self.changed().get("measure"):
            text = f"{option_text('measure', self.measure)} compares vectors, but {view.encoding.name} is a bias"
            raise UsageError(text, option="measure", value=self.measure)
        lengths = [view.of(encoding).covered.length for encoding in view.encodings]
        if len({*lengths}) > 1:
            named = zip(short_names(view.encodings), lengths, strict=True)
            given = join_and(f"{name} has {length:,}" for name, length in named)
            raise UsageError(
                f"{self.name} draws encodings in one panel only if they have equal numbers of positions: {given}",
                option="encoding",
            )

    def compared(self, encoding: Encoding) -> Comparison:
        """Return the comparison to show for an encoding: the measure, or the bias of the first head."""
        return comparison_of(encoding, self.measure)

    def quantity(self, view: View[Any]) -> str:
        """Return the name of the compared quantity, for an axis."""
        return self.compared(view.encoding).label


@dataclass(frozen=True)
class OneHeadFigure(ComparingFigure):
    """Base of the comparing figures that show one head of a bias."""

    head: int | None = option(None, "head whose bias is shown", at_least=0, unset="0")

    def check_view(self, view: View[Any]) -> None:
        super().check_view(view)
        for encoding in view.encodings:
            if isinstance(encoding, BiasEncoding):
                check_indices("head", [self.head or 0], view.of(encoding), encoding.n_heads, "heads")
            elif self.head is not None:
                raise UnusedOptionError("head", self.head, f"{encoding.name} has no heads")

    def compared(self, encoding: Encoding) -> Comparison:
        """Return the comparison to show for an encoding: the measure, or the bias of the chosen head."""
        return comparison_of(encoding, self.measure, self.head or 0)

    def title(self, view: View[Any]) -> str:
        biases = [e for e in view.encodings if isinstance(e, BiasEncoding) and e.n_heads > 1]
        heads = dict.fromkeys(encoding.head_text(self.head or 0) for encoding in biases)
        return join_title([Figure.title(self, view), *heads])


def differing_text(view: View[Any], quantity: str, apart: Sequence[float], same: float) -> str:
    """Return the headline on whether the offset alone matters.

    It names the encodings for which only the offset matters, or states how much pairs of positions with the same offset
    differ. It is "" if no encoding is known to differ.

    quantity : the name of what is compared
    apart : for each encoding, the largest difference between pairs with the same offset; NaN or negative if unknown
    same : rounding tolerance: smaller differences count as none
    """
    names, wide = names_in_sentence(view.encodings), [at for at, width in enumerate(apart) if width > same]
    alone = [names[at] for at, width in enumerate(apart) if 0 <= width <= same]
    if not wide:
        return ""
    if alone:
        return say("figures.only_with_the_offset", names=join_and(alone))
    text = "words.at_equal_offset_the"
    return say(text, measure=quantity, number=number_text(max(apart[at] for at in wide), 3))


def default_query_notes(encodings: Sequence[Encoding]) -> list[str]:
    """Return the footnotes on the default query of rotary encodings; none where a query is given."""
    turned = [encoding for encoding in encodings if isinstance(encoding, RotatedPairs) and encoding.query is None]
    ropes = sum(isinstance(encoding, Rope) for encoding in turned)
    rope, others = "figures.vectors_of_rope_1", "figures.query_and_key_are_1"
    return [*([say(rope)] if ropes else []), *([say(others)] if len(turned) > ropes else [])]
