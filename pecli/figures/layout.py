"""Where panels stand on a page: what stands around them is measured, they share what is left. Lengths in inches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pecli.figures.blocks import Block, Box, Room
from pecli.figures.frame_grid import Around, Grid, grid_of, sizes
from pecli.figures.mosaic import Mosaic, width_of
from pecli.figures.panels import Panel, Run

WIDER = 4  # times the gap that comes between panels where there is room to spare
HIGHER = 0.45  # of what a page is higher than everything on it: above the title, the rest below the caption
SLIVER = 2  # times as high or wide as a panel wants, above which more of it shows nothing more
Line = tuple[Sequence[float], Sequence[float]]  # where columns or rows of frames begin, and their sizes
SEEN = 0.05  # inches that a panel may lack before it is seen


@dataclass(frozen=True)
class Layout:
    """Frames of all panels, in order, and of the colour bars, on a page of that size.

    above, below : inches left free above the title and below the caption
    shown : the area of the smallest frame; where one is large that of all in the shape that they want, shared
    lacks : inches of width and height that the worst panel lacks
    bands : the grids that stand below each other; empty where there is one
    """

    mosaic: Mosaic
    width: float
    height: float
    frames: tuple[Box, ...]
    runs: tuple[Run, ...]
    bars: tuple[Box, ...]
    above: float
    below: float
    shown: float
    lacks: tuple[float, float]
    bands: tuple[Mosaic, ...] = ()

    @property
    def grids(self) -> tuple[Mosaic, ...]:
        """The grids that stand below each other, mostly one; panels of different ones have no labels in common."""
        return self.bands or (self.mosaic,)

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return width_of(self.mosaic)

    def beside(self) -> list[int]:
        """How many columns the grid of each panel has."""
        counts = [(width_of(one), len({at for row in one for at in row})) for one in self.grids]
        return [columns for columns, panels in counts for _ in range(panels)]

    @property
    def even(self) -> bool:
        """Whether no panel stands large beside the others."""
        return sum(map(len, self.mosaic)) == len(self.frames)

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
        return self.columns - len(self.mosaic[-1])

    def moved(self, before: Layout) -> float:
        """How far anything is from where it was; inches."""
        if (self.mosaic, self.runs) != (before.mosaic, before.runs):
            return float("inf")
        pairs = zip((*self.frames, *self.bars), (*before.frames, *before.bars), strict=True)
        return max(
            abs(self.height - before.height), *(abs(a - b) for pair in pairs for a, b in zip(*pair, strict=True))
        )

    @property
    def gutter(self) -> float:
        """How far apart frames side by side are; inches, infinite where none are."""
        rows = [[self.frames[at] for at in dict.fromkeys(row)] for row in self.mosaic]
        return min((b.left - a.left - a.width for row in rows for a, b in pairwise(row)), default=float("inf"))

    @property
    def smallest(self) -> float:
        """The area of the smallest frame."""
        return min(frame.width * frame.height for frame in self.frames)


def solve(blocks: Sequence[Block], room: Room, mosaic: Mosaic) -> Layout:
    """The layout in which panels stand in these places."""
    grid = grid_of(blocks, mosaic, room.gap)
    sides, ends, span = grid.sides, grid.ends, grid.span
    across = room.width - (len(sides) + 1) * room.gap - sum(map(sum, sides))
    around = room.head + room.foot + 2 * len(ends) * room.gap + sum(map(sum, ends))
    down = None if room.height is None else room.height - around
    widths, heights = sizes(blocks, grid, (across, down))
    height = around + sum(heights) if room.height is None else room.height

    loose = _loose_columns(grid)
    beside, between = _shared(across - sum(widths), len(loose) + 1, room.gap)  # exact panels on a page that is wider
    lefts = _edges(room.gap + beside, widths, _spread(sides, loose, between), room.gap)
    loose = set(range(len(ends) - 1)) if span is None or not span.tall else set()
    outside, apart = _shared(0.0 if down is None else down - sum(heights), len(loose) + 3, room.gap / 2)
    above = HIGHER * 2 * outside
    first = room.gap + room.head + above + apart
    tops = _edges(first, heights, _spread(ends, loose, apart), 2 * room.gap)  # a title is its panel's
    cells = _cells(grid, (lefts, widths), (tops, heights), height)
    frames = tuple(_frame(block.panel, cell) for block, cell in zip(blocks, cells, strict=True))
    bars = tuple(_bar_place(run, blocks, grid, frames) for run in grid.runs)
    short = [blocks[run.panel].bar_height - bar.height for run, bar in zip(grid.runs, bars, strict=True)]
    lacks = (
        max(block.width - frame.width for block, frame in zip(blocks, frames, strict=True)),
        max([block.height - frame.height for block, frame in zip(blocks, frames, strict=True)] + short),
    )
    shown = _shown(blocks, frames, span is None)
    return Layout(mosaic, room.width, height, frames, grid.runs, bars, above, 2 * outside - above, shown, lacks)


def _shown(blocks: Sequence[Block], frames: Sequence[Box], even: bool) -> float:
    """The area of the smallest frame, no sliver counted whole; where one is large, of panels in their own shapes."""
    pairs = [(frame, block.panel.aspect) for block, frame in zip(blocks, frames, strict=True)]
    if even:
        return min(
            min(frame.width, SLIVER * frame.height / aspect) * min(frame.height, SLIVER * frame.width * aspect)
            for frame, aspect in pairs
        )
    return sum(min(frame.width, frame.height / aspect) ** 2 * aspect for frame, aspect in pairs) / len(pairs)


def _loose_columns(grid: Grid) -> set[int]:
    """The columns behind which there may be more room: what shares a bar, or stands above one panel, stays together."""
    if grid.span is not None and not grid.span.tall:
        return set()
    last = len(grid.sides) - 1
    return {run.column for run in grid.runs} - {last} or set(range(last))


def _shared(free: float, parts: int, gap: float) -> tuple[float, float]:
    """What is left over on both sides of so many parts, and what comes between them: that first, but not too much."""
    free = max(0.0, free)
    between = min(free / (parts + 1), WIDER * gap)
    return (free - between * (parts - 1)) / 2, between


def _spread(around: Around, loose: set[int], more: float) -> Around:
    """The same with so much more behind some of them."""
    return [(before, behind + more * (at in loose)) for at, (before, behind) in enumerate(around)]


def _edges(first: float, sizes: Sequence[float], around: Sequence[tuple[float, float]], gap: float) -> list[float]:
    """Where frames of these sizes begin that have so much before and behind them."""
    edges = []
    for size, (before, behind) in zip(sizes, around, strict=True):
        edges.append(first + before)
        first += before + size + behind + gap
    return edges


def _cells(grid: Grid, columns: Line, rows: Line, height: float) -> list[Box]:
    """The room of each panel on a page of that height; in the middle where the last row alone is not full."""
    (lefts, widths), (tops, heights) = columns, rows
    *others, last = (max(place.right for place in grid.places if place.bottom == row) for row in range(len(tops)))
    indent = (lefts[-1] - lefts[last]) / 2 if min(others, default=len(lefts) - 1) == len(lefts) - 1 else 0.0
    return [
        Box(
            lefts[one.left] + indent * (one.bottom == len(tops) - 1),
            height - tops[one.bottom] - heights[one.bottom],
            lefts[one.right] - lefts[one.left] + widths[one.right],
            tops[one.bottom] - tops[one.top] + heights[one.bottom],
        )
        for one in grid.places
    ]


def _frame(panel: Panel, cell: Box) -> Box:
    """The frame of a panel in its cell; one of exact aspect stands at the top, in the middle."""
    if not panel.exact:
        return cell
    width = min(cell.width, cell.height / panel.aspect)
    height = width * panel.aspect
    return Box(cell.left + (cell.width - width) / 2, cell.bottom + cell.height - height, width, height)


def _bar_place(run: Run, blocks: Sequence[Block], grid: Grid, frames: Sequence[Box]) -> Box:
    """The strip that a bar with its labels takes: as high as its panels, right of them."""
    inside = [at for at, one in enumerate(grid.places) if one.bottom >= run.first_row and one.top <= run.last_row]
    edge = [at for at in inside if grid.places[at].right == run.column] or inside[-1:]
    right = max(frames[at].left + frames[at].width for at in edge) + max(blocks[at].right for at in edge)
    top = max(frames[at].bottom + frames[at].height for at in inside if grid.places[at].top == run.first_row)
    bottom = min(frames[at].bottom for at in inside if grid.places[at].bottom == run.last_row)
    return Box(right, bottom, blocks[run.panel].bar, top - bottom)
