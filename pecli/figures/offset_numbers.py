"""The numbers behind a measure against the offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.core.arithmetic import ROUNDING
from pecli.core.language import clauses, phrase, said_by_each, template
from pecli.core.lazy import Array, np
from pecli.core.number_text import bound_text
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.titles import short_names
from pecli.figures.courses import Point, course_of, farthest_text
from pecli.figures.figure import Numbers, extremes_of_offsets, tells_of_offsets
from pecli.measures.pairwise import MEASURES

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
    measure: str
    spread: tuple[float, ...]  # the widest band of each encoding over one offset, 0 where it is a line exactly
    undefined: tuple[int, ...]  # pairs of each encoding that are left out: a row is constant or zero

    def remarks(self) -> list[str]:
        rows = zip(self.view.encodings, self.undefined, strict=True)
        left_out = [
            phrase("{encoding}: {count:,} undefined pairs left out", encoding=encoding.name, count=count)
            for encoding, count in rows
            if count
        ]
        alike = all(width == 0 for width in self.spread)
        exact = phrase("at each offset all pairs agree") if alike else ""
        return [exact, extremes_of_offsets(self.block), *left_out]

    def marks(self) -> list[str]:
        wide = any(width > 0 for width in self.spread)
        band = template("line: mean of all pairs at that offset, band: from the smallest to the largest")
        dotted = phrase("dotted: without the scaling") if len(self.unscaled) else ""
        return [phrase(band) if wide else "", phrase(BOUND) if len(self.decay) else "", dotted]

    def _wide(self) -> list[int]:
        """The encodings whose pairs differ at one offset."""
        scale = ROUNDING * float(np.nanmax(np.abs(self.mean), initial=0.0))
        return [at for at, width in enumerate(self.spread) if width > scale]

    def told(self) -> list[Point]:
        """The points that the message names, where one line is drawn, offset by offset."""
        if self.block > 1 or self._wide() or len(self.mean) + len(self.decay) + len(self.unscaled) > 1:
            return []
        course = course_of(self.low[0], self.mean[0], self.high[0], self.offsets)
        return [] if course is None else course.told()

    def message(self) -> str:
        known, wide = [at for at, width in enumerate(self.spread) if width >= 0], self._wide()
        names = short_names(self.view.encodings)
        if not wide:
            return self._course([names[at] for at in known], known)
        if len(known) == 1:
            more = template("more than the offset counts: pairs at one offset differ by up to {number}")
            return phrase(more, number=bound_text(self.spread[wide[0]], 3))
        differ = template("at one offset pairs differ by up to {number}")
        said = [
            phrase(differ, number=bound_text(self.spread[at], 3)) if at in wide else phrase("only the offset counts")
            for at in known
        ]
        return clauses(said_by_each([names[at] for at in known], [[text] for text in said]))

    def _course(self, names: list[str], lines: list[int]) -> str:
        """Where lines that are functions of the offset go; nothing where there is one offset alone."""
        exact, measure = self.offsets if self.block == 1 else None, MEASURES[self.measure].label
        courses = [course_of(self.low[at], self.mean[at], self.high[at], exact) for at in lines]
        known = {name: one for name, one in zip(names, courses, strict=True) if one is not None}
        if not known:
            return ""
        one = next(iter(known.values()))
        text = one.text(measure) if len(names) == 1 else farthest_text(known, measure)
        if not tells_of_offsets(self.view):
            return text
        return phrase("only the offset counts: {text}", text=text) if text else phrase("only the offset counts")

    def facts(self) -> dict[str, Any]:
        specs = [encoding.spec() for encoding in self.view.encodings]
        by_encoding = {"spread": self.spread, "undefined": self.undefined}
        return {"block": self.block, **{n: dict(zip(specs, v, strict=True)) for n, v in by_encoding.items()}}
