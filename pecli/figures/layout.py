"""Where panels stand on a page: what stands around them is measured, they share what is left. Lengths in inches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from pecli.figures.panels import Panel, Run, runs_of
from pecli.figures.row_heights import filled, with_bars

WIDER = 4  # times the gap that comes between panels where there is room to spare
BEHIND = 2  # times the gap between a colour bar's label and the panel right of it: it is no other panel's
HIGHER = 0.45  # of what a page is higher than everything on it: above the title, the rest below the caption
SEEN = 0.05  # inches that a panel may lack before it is seen


class Box(NamedTuple):
    """A rectangle on the page; y runs from the bottom."""

    left: float
    bottom: float
    width: float
    height: float


@dataclass(frozen=True)
class Block:
    """A panel with what was measured around its frame.

    bar, bar_height : the width that a colour bar beside it takes, 0 for none, and the height that its label takes
    width, height : the smallest frame that its texts allow
    """

    panel: Panel
    left: float
    right: float
    top: float
    bottom: float
    bar: float
    bar_height: float
    width: float
    height: float

    def or_wider(self, other: Block) -> Block:
        """The same panel with whichever margins are wider."""
        return self._or_more(other, "left", "right", "top", "bottom")

    def or_larger(self, other: Block) -> Block:
        """The same panel with room for what stands around either."""
        return self.or_wider(other)._or_more(other, "bar", "bar_height", "width", "height")

    def _or_more(self, other: Block, *names: str) -> Block:
        return replace(self, **{name: max(getattr(self, name), getattr(other, name)) for name in names})


@dataclass(frozen=True)
class Room:
    """The page: its width, its height (None: what the panels take), what words above and below take, and the gaps."""

    width: float
    height: float | None
    head: float
    foot: float
    gap: float

    def or_less(self, other: Room) -> Room:
        """What both leave."""
        return replace(self, head=max(self.head, other.head), foot=max(self.foot, other.foot))


@dataclass(frozen=True)
class Layout:
    """Frames of all panels, in order, and of the colour bars, on a page of that size.

    above, below : inches left free above the title and below the caption
    lacks : inches of width and height that the worst panel lacks
    """

    columns: int
    width: float
    height: float
    frames: tuple[Box, ...]
    runs: tuple[Run, ...]
    bars: tuple[Box, ...]
    above: float
    below: float
    lacks: tuple[float, float]

    @property
    def fits(self) -> bool:
        """Whether no panel is below its smallest size."""
        return max(self.lacks) < 1e-6

    @property
    def nearly_fits(self) -> bool:
        """Whether what a panel is below its smallest size is not seen."""
        return max(self.lacks) < SEEN

    @property
    def holes(self) -> int:
        """How many panels the last row has less than the others."""
        return -len(self.frames) % self.columns

    def moved(self, before: Layout) -> float:
        """How far anything is from where it was; inches."""
        if (self.columns, self.runs) != (before.columns, before.runs):
            return float("inf")
        pairs = zip((*self.frames, *self.bars), (*before.frames, *before.bars), strict=True)
        return max(
            abs(self.height - before.height), *(abs(a - b) for pair in pairs for a, b in zip(*pair, strict=True))
        )

    @property
    def gutter(self) -> float:
        """How far apart frames side by side are; inches, infinite where none are."""
        row = self.frames[: self.columns]
        return min((b.left - a.left - a.width for a, b in pairwise(row)), default=float("inf"))

    @property
    def smallest(self) -> float:
        """The area of the smallest frame."""
        return min(frame.width * frame.height for frame in self.frames)


class Grid(NamedTuple):
    """The panels of each row, the colour bars, what columns take left and right of frames and rows above and below."""

    rows: list[list[int]]
    runs: tuple[Run, ...]
    sides: list[tuple[float, float]]
    ends: list[tuple[float, float]]


def grid_of(blocks: Sequence[Block], columns: int, gap: float) -> Grid:
    """The grid of the panels in so many columns, with what has to be left free around its frames."""
    rows = [list(range(at, min(at + columns, len(blocks)))) for at in range(0, len(blocks), columns)]
    runs = runs_of([block.panel for block in blocks], columns)
    ends = [(max(blocks[at].top for at in row), max(blocks[at].bottom for at in row)) for row in rows]
    return Grid(rows, runs, _sides(blocks, rows, runs, BEHIND * gap), ends)


def solve(blocks: Sequence[Block], room: Room, columns: int) -> Layout:
    """The layout in so many columns."""
    rows, runs, sides, ends = grid_of(blocks, columns, room.gap)
    across = room.width - (columns + 1) * room.gap - sum(map(sum, sides))
    around = room.head + room.foot + 2 * len(rows) * room.gap + sum(map(sum, ends))
    down = None if room.height is None else room.height - around
    least = with_bars(_least_heights(blocks, rows), [(run, blocks[run.panel].bar_height) for run in runs])
    widths, heights = _frames(blocks, rows, least, (across, down))
    height = around + sum(heights) if room.height is None else room.height

    loose = {run.column for run in runs} - {columns - 1} or set(range(columns - 1))  # what shares a bar stands together
    beside, between = _shared(across - sum(widths), len(loose) + 1, room.gap)  # exact panels on a page that is wider
    spread = [(left, right + between * (c in loose)) for c, (left, right) in enumerate(sides)]
    lefts = _edges(room.gap + beside, widths, spread, room.gap)
    indents = _indents(rows, lefts)
    outside, apart = _shared(0.0 if down is None else down - sum(heights), len(rows) + 2, room.gap / 2)
    above = HIGHER * 2 * outside
    tops = _edges(room.gap + room.head + above + apart, heights, ends, 2 * room.gap + apart)  # a title is its panel's
    frames = tuple(
        _frame(blocks[at].panel, Box(lefts[c] + indents[r], height - tops[r] - heights[r], widths[c], heights[r]))
        for r, row in enumerate(rows)
        for c, at in enumerate(row)
    )
    bars = tuple(_bar_place(run, blocks, rows, frames) for run in runs)
    short = [blocks[run.panel].bar_height - bar.height for run, bar in zip(runs, bars, strict=True)]
    lacks = (
        max(block.width - frame.width for block, frame in zip(blocks, frames, strict=True)),
        max([block.height - frame.height for block, frame in zip(blocks, frames, strict=True)] + short),
    )
    return Layout(columns, room.width, height, frames, runs, bars, above, 2 * outside - above, lacks)


def _shared(free: float, parts: int, gap: float) -> tuple[float, float]:
    """What is left over on both sides of so many parts, and what comes between them: that first, but not too much."""
    free = max(0.0, free)
    between = min(free / (parts + 1), WIDER * gap)
    return (free - between * (parts - 1)) / 2, between


def _indents(rows: Sequence[Sequence[int]], lefts: Sequence[float]) -> list[float]:
    """How far right each row stands: the last, where it is not full, in the middle of those above."""
    return [(lefts[-1] - lefts[len(row) - 1]) / 2 for row in rows]


def _sides(
    blocks: Sequence[Block], rows: Sequence[Sequence[int]], runs: Sequence[Run], apart: float
) -> list[tuple[float, float]]:
    """What every column takes left and right of its frames, colour bars included.

    apart : what is left free between a bar and a panel right of it, so that its label is no other panel's
    """
    columns = [[blocks[row[c]] for row in rows if c < len(row)] for c in range(len(rows[0]))]
    inner = [apart * (c < len(columns) - 1) for c in range(len(columns))]
    bars = [
        max((blocks[run.panel].bar + inner[c] for run in runs if run.column == c), default=0.0)
        for c in range(len(columns))
    ]
    return [
        (max(block.left for block in column), max(block.right for block in column) + bar)
        for column, bar in zip(columns, bars, strict=True)
    ]


def _edges(first: float, sizes: Sequence[float], around: Sequence[tuple[float, float]], gap: float) -> list[float]:
    """Where frames of these sizes begin that have so much before and behind them."""
    edges = []
    for size, (before, behind) in zip(sizes, around, strict=True):
        edges.append(first + before)
        first += before + size + behind + gap
    return edges


def _least_heights(blocks: Sequence[Block], rows: Sequence[Sequence[int]]) -> list[float]:
    """The smallest height of each row's frames."""
    return [max(blocks[at].height for at in row) for row in rows]


def _frames(
    blocks: Sequence[Block], rows: Sequence[Sequence[int]], least: list[float], room: tuple[float, float | None]
) -> tuple[list[float], list[float]]:
    """Widths of the columns and heights of the rows of frames, in the room across and down."""
    (across, down), columns = room, len(rows[0])
    width = max(1e-3, across / columns)
    exact = [max((blocks[at].panel.aspect for at in row if blocks[at].panel.exact), default=None) for row in rows]
    wanted = [max(blocks[at].panel.aspect for at in row) for row in rows]
    heights = [width * a if a is not None else max(width * w, h) for a, w, h in zip(exact, wanted, least, strict=True)]
    if down is None:
        return [width] * columns, heights
    if all(one is None for one in exact):
        return [width] * columns, filled(heights, least, down)
    share = min(1.0, max(1e-3, down) / sum(heights))
    kept = [any(blocks[row[c]].panel.exact for row in rows if c < len(row)) for c in range(columns)]
    narrow = width * share
    wide = (across - narrow * sum(kept)) / max(1, columns - sum(kept))
    return [narrow if one else wide for one in kept], [height * share for height in heights]


def _frame(panel: Panel, cell: Box) -> Box:
    """The frame of a panel in its cell; one of exact aspect stands at the top, in the middle."""
    if not panel.exact:
        return cell
    width = min(cell.width, cell.height / panel.aspect)
    height = width * panel.aspect
    return Box(cell.left + (cell.width - width) / 2, cell.bottom + cell.height - height, width, height)


def _bar_place(run: Run, blocks: Sequence[Block], rows: Sequence[Sequence[int]], frames: Sequence[Box]) -> Box:
    """The strip that a bar with its labels takes: as high as its panels, right of them."""
    last = [at for row in rows[run.first_row : run.last_row + 1] for c, at in enumerate(row) if c == run.column]
    edge = last or [rows[run.first_row][-1]]
    right = max(frames[at].left + frames[at].width for at in edge) + max(blocks[at].right for at in edge)
    top = max(frames[at].bottom + frames[at].height for at in rows[run.first_row])
    bottom = min(frames[at].bottom for at in rows[run.last_row])
    return Box(right, bottom, blocks[run.panel].bar, top - bottom)
