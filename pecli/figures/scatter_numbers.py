"""The numbers behind two measures of all pairs of positions: as points, or counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pecli.core.language import phrase, template
from pecli.core.lazy import Array
from pecli.core.number_text import minus
from pecli.encodings.capabilities import TableEncoding
from pecli.figures.figure import Numbers, other_positions_text
from pecli.measures.pair_density import CLASSES
from pecli.measures.pairwise import MEASURES

STRONG, WEAK = 0.9, 0.5  # rank correlations, without their sign: at least one is a trend, below the other none


@dataclass(frozen=True, kw_only=True)
class CloudNumbers(Numbers[TableEncoding]):
    """What is known of all pairs, drawn as points or as counts."""

    no_facts: ClassVar[tuple[str, ...]] = ("measures", "mirrored")

    pearson: float | None  # linear correlation of the cloud
    spearman: float | None  # rank correlation of the cloud
    pairs: int
    undefined: int  # pairs left out: a measure is not defined for a constant row
    measures: tuple[str, str]  # across and up
    mirrored: bool  # whether both triangles are shown, which are the same: every measure is symmetric

    def message(self) -> str:
        across, up = (MEASURES[name].label for name in self.measures)
        return "" if self.spearman is None or across == up else phrase(trend(self.spearman), x=across, y=up)

    def remarks(self) -> list[str]:
        count, every = self.undefined, self.pairs
        left_out = template("{count:,} of {all:,} pairs left out: a row is constant, no correlation is defined")
        said = phrase(left_out, count=count, all=every) if count else ""
        alike = phrase("p > q: the same, both measures are symmetric") if self.mirrored else ""
        return [other_positions_text(self.view), self.correlations(), alike, said]

    def correlations(self) -> str:
        """Both correlations of the cloud, as the picture says them once: the triangles have the same pairs."""
        pair = (self.pearson, self.spearman)
        linear, rank = (phrase("undefined") if one is None else f"{one:.4f}" for one in pair)
        return minus(phrase("linear r = {linear}, rank ρ = {rank}", linear=linear, rank=rank))


@dataclass(frozen=True, kw_only=True)
class ScatterNumbers(CloudNumbers):
    """x, y, p, q : (pairs,), both measures of the pair p < q, in the lower triangle alone of p > q."""

    main_array: ClassVar[str] = "x"
    row_coordinates: ClassVar[tuple[str, ...]] = ("y", "p", "q")

    x: Array
    y: Array
    p: Array
    q: Array


@dataclass(frozen=True, kw_only=True)
class DensityNumbers(CloudNumbers):
    """counts : (rows, columns), pairs in each cell, y up and x across; y_edges, x_edges : borders of the cells;
    streaks : (offsets, 4), left, bottom, right and top of the pairs at the offsets 1, 2, …"""

    main_array: ClassVar[str] = "counts"

    counts: Array
    y_edges: Array
    x_edges: Array
    streaks: Array
    most: int  # pairs in the fullest cell

    def remarks(self) -> list[str]:
        counted = phrase("{count:,} pairs counted", count=self.pairs - self.undefined)
        classes = phrase("rank ρ of {classes:,} × {classes:,} classes", classes=CLASSES)
        return [*super().remarks(), counted, classes]


def trend(rank: float) -> str:
    """What a rank correlation says, with blanks for the measures across and up."""
    if abs(rank) < WEAK:
        return template("the {x} says little about the {y}")
    if abs(rank) < STRONG:
        up, down = (
            template("as the {x} rises, the {y} tends to rise"),
            template("as the {x} rises, the {y} tends to fall"),
        )
    else:
        up, down = template("as the {x} rises, the {y} rises"), template("as the {x} rises, the {y} falls")
    return up if rank > 0 else down
