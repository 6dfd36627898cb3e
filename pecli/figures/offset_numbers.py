"""The numbers behind a measure against the offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.core.arithmetic import ROUNDING
from pecli.core.language import clauses, phrase, said_by_each, template
from pecli.core.lazy import Array, np
from pecli.core.number_text import number_text
from pecli.encodings.capabilities import TableEncoding
from pecli.figures.figure import Numbers, extremes_of_offsets

BOUND = template(
    "dashed, right axis: mean of $|S_j|$, sums of the first j turns; times the number of pairs and the largest step of "
    "$q_j k_j^*$ from pair to pair (0 after the last), it bounds the product of any q and k"
)


@dataclass(frozen=True, kw_only=True)
class OffsetsNumbers(Numbers[TableEncoding]):
    """mean, low, high : (encodings, n), over all pairs at each of n runs of offsets; offsets : (n,), their middles;
    decay : (encodings, n), RoFormer's bound, or empty; unscaled : (scaled encodings, n), the measure without the
    scaling, or empty."""

    main_array: ClassVar[str] = "mean"
    row_coordinates: ClassVar[tuple[str, ...]] = ("encoding",)
    column_coordinates: ClassVar[str | None] = "offsets"

    mean: Array
    encoding: Array
    offsets: Array
    low: Array
    high: Array
    decay: Array
    unscaled: Array
    block: int
    spread: tuple[float, ...]  # the widest band of each encoding over one offset, 0 where it is a line exactly
    undefined: tuple[int, ...]  # pairs of each encoding that are left out: a row is constant or zero

    def remarks(self) -> list[str]:
        rows = zip(self.view.encodings, self.undefined, strict=True)
        left_out = [
            phrase("{encoding}: {count:,} undefined pairs left out", encoding=encoding.name, count=count)
            for encoding, count in rows
            if count
        ]
        dotted = phrase("dotted: without the scaling") if len(self.unscaled) else ""
        band = phrase("line: mean of all pairs at that offset, band: from the smallest to the largest")
        bound = phrase(BOUND) if len(self.decay) else ""
        wide = any(width > 0 for width in self.spread)
        return [band if wide else "", extremes_of_offsets(self.block), bound, *left_out, dotted]

    def message(self) -> str:
        known = [(one.name, width) for one, width in zip(self.view.encodings, self.spread, strict=True) if width >= 0]
        scale = ROUNDING * float(np.nanmax(np.abs(self.mean), initial=0.0))
        said = [
            phrase("at one offset pairs differ by up to {number}", number=number_text(width, 3))
            if width > scale
            else phrase("at one offset all pairs are alike")
            for _, width in known
        ]
        return clauses(said_by_each([name for name, _ in known], [[text] for text in said]))

    def facts(self) -> dict[str, Any]:
        specs = [encoding.spec() for encoding in self.view.encodings]
        by_encoding = {"spread": self.spread, "undefined": self.undefined}
        return {"block": self.block, **{n: dict(zip(specs, v, strict=True)) for n, v in by_encoding.items()}}
