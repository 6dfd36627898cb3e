"""The grid of frames: what is left free around its columns and rows, and how large they are. Lengths in inches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import floor
from typing import NamedTuple

from pecli.figures.blocks import Block
from pecli.figures.mosaic import Mosaic, Place, places_of
from pecli.figures.panels import Run, runs_of
from pecli.figures.row_heights import filled, grown, with_bars
from pecli.figures.spans import Span

BEHIND = 2  # times the gap between a colour bar's label and the panel right of it: it is no other panel's
FEW = 6  # pixels a cell: with fewer it is seen that one cell is a pixel wider than the next
SPARE = 0.03  # inches that frames may take from the gaps around them all, for the same
TRIMMED = 1 / 12  # of a frame, at most, so that all cells have as many pixels
APART = 2  # times the gap more between a panel that stands large and those beside it
Around = list[tuple[float, float]]  # what every column takes left and right of its frames, or a row above and below


class Grid(NamedTuple):
    """Where panels stand, their colour bars, and what has to be left free around columns and rows.

    span : what there is to know of a panel that stands large beside the others, if there is one
    """

    places: list[Place]
    runs: tuple[Run, ...]
    sides: Around
    ends: Around
    span: Span | None

    @property
    def rows(self) -> list[list[int]]:
        """The panels that stand in one row alone."""
        return [
            [at for at, place in enumerate(self.places) if place.top == place.bottom == row]
            for row in range(len(self.ends))
        ]


def grid_of(blocks: Sequence[Block], mosaic: Mosaic, gap: float) -> Grid:
    """The grid of the panels in these places."""
    places, runs = places_of(mosaic), runs_of([block.panel for block in blocks], mosaic)
    grid = Grid(places, runs, _sides(blocks, places, runs, gap), _ends(blocks, places), None)
    large = next((at for at, place in enumerate(places) if place.is_large), None)
    return grid if large is None else grid._replace(span=_span(blocks, grid, large, gap))


def sizes(blocks: Sequence[Block], grid: Grid, room: tuple[float, float | None]) -> tuple[list[float], list[float]]:
    """Widths of the columns and heights of the rows of frames, in the room across and down."""
    least = least_heights(blocks, grid)
    widths, heights = _even_sizes(blocks, grid, least, room) if grid.span is None else grid.span.sizes_in(room, least)
    columns = [[at for at, one in enumerate(grid.places) if one.left == one.right == c] for c in range(len(widths))]
    across = [[(blocks[at].cells[0], blocks[at].width) for at in column] for column in columns]
    along = [[(blocks[at].cells[1], blocks[at].height) for at in row] for row in grid.rows]
    widths = [whole(width, ones, SPARE / len(widths)) for width, ones in zip(widths, across, strict=True)]
    heights = [whole(height, ones, SPARE / len(heights)) for height, ones in zip(heights, along, strict=True)]
    return widths, [min([height, *_exact(blocks, grid, row, widths)]) for row, height in enumerate(heights)]


def _exact(blocks: Sequence[Block], grid: Grid, row: int, widths: Sequence[float]) -> list[float]:
    """How high the panels of a row are that keep their aspect, in one column each: others are no higher."""
    ones = [(blocks[at].panel, grid.places[at]) for at in grid.rows[row]]
    return [widths[place.left] * panel.aspect for panel, place in ones if panel.exact and place.left == place.right]


def whole(length: float, ones: Sequence[tuple[float, float]], spare: float = 0.0) -> float:
    """The length of frames, or, where it is not far, one in which the cells of their images have all as many pixels.

    ones : for each frame how long it is where its cells have one pixel, 0 without an image, and the least it may be
    spare : how much longer it may be
    """
    cells, least = {cells for cells, _ in ones}, max((least for _, least in ones), default=0.0)
    unit = max(cells, default=0.0)
    if len(cells) != 1 or not unit:
        return length
    pixels = floor((length + spare) / unit + 1e-6)
    kept = 1 <= pixels < FEW and pixels * unit >= max(least, (1 - TRIMMED) * length)
    return pixels * unit if kept else length


def least_sizes(blocks: Sequence[Block], grid: Grid) -> tuple[list[float], list[float]]:
    """Widths of the columns and heights of the rows of the smallest frames that would be enough."""
    span = grid.span
    ones = [block for at, block in enumerate(blocks) if span is None or at != span.large]
    width = max(max(one.width, one.height / one.panel.aspect) if one.panel.exact else one.width for one in ones)
    if span is not None:
        widths, heights = span.sizes(max(width, span.width_for(blocks[span.large].width, blocks[span.large].height)))
        return widths, heights if span.exact else least_heights(blocks, grid)
    least = [width * one.panel.aspect if one.panel.exact else one.height for one in blocks]
    bars = [(run, blocks[run.panel].bar_height) for run in grid.runs]
    return [width] * len(grid.sides), with_bars([max(least[at] for at in row) for row in grid.rows], bars)


def least_heights(blocks: Sequence[Block], grid: Grid) -> list[float]:
    """The smallest height of each row's frames."""
    least = [max(blocks[at].height for at in row) for row in grid.rows]
    if grid.span is not None and grid.span.tall:
        short = blocks[grid.span.large].height - grid.span.between - sum(least)
        least = [height + max(0.0, short) / len(least) for height in least]
    return with_bars(least, [(run, blocks[run.panel].bar_height) for run in grid.runs])


def _sides(blocks: Sequence[Block], places: Sequence[Place], runs: Sequence[Run], gap: float) -> Around:
    """What every column takes left and right of its frames, colour bars included."""
    pairs, last = list(zip(blocks, places, strict=True)), max(place.right for place in places)
    sides = []
    for column in range(last + 1):
        behind = BEHIND * gap * (column < last)
        bar = max((blocks[run.panel].bar + behind for run in runs if run.column == column), default=0.0)
        tall = APART * gap * any(place.top < place.bottom and place.left == column for place in places)
        left = max(block.left for block, place in pairs if place.left == column) + tall * (column > 0)
        right = max(block.right for block, place in pairs if place.right == column) + tall * (column < last)
        sides.append((left, right + bar))
    return sides


def _ends(blocks: Sequence[Block], places: Sequence[Place]) -> Around:
    """What every row takes above and below its frames."""
    pairs, last = list(zip(blocks, places, strict=True)), max(place.bottom for place in places)
    tops = [max(block.top for block, place in pairs if place.top == row) for row in range(last + 1)]
    bottoms = [max(block.bottom for block, place in pairs if place.bottom == row) for row in range(last + 1)]
    return list(zip(tops, bottoms, strict=True))


def _even_sizes(
    blocks: Sequence[Block], grid: Grid, least: list[float], room: tuple[float, float | None]
) -> tuple[list[float], list[float]]:
    """Widths of the columns and heights of the rows of frames where none is large."""
    (across, down), rows, columns = room, grid.rows, len(grid.sides)
    width = max(1e-3, across / columns)
    exact = [max((blocks[at].panel.aspect for at in row if blocks[at].panel.exact), default=None) for row in rows]
    wanted = [max(blocks[at].panel.aspect for at in row) for row in rows]
    heights = [width * a if a is not None else max(width * w, h) for a, w, h in zip(exact, wanted, least, strict=True)]
    if down is None:
        return [width] * columns, heights
    if all(one is None for one in exact):
        return [width] * columns, filled(heights, least, down)
    share = min(1.0, max(1e-3, down) / sum(heights))
    if share == 1.0:  # rows whose height is not their width's take what is left
        heights = grown(heights, [at for at, one in enumerate(exact) if one is None], down)
    kept = [any(blocks[row[c]].panel.exact for row in rows if c < len(row)) for c in range(columns)]
    narrow = width * share
    wide = (across - narrow * sum(kept)) / max(1, columns - sum(kept))
    return [narrow if one else wide for one in kept], [height * share for height in heights]


def _span(blocks: Sequence[Block], grid: Grid, large: int, gap: float) -> Span:
    """What there is to know of a panel that stands large."""
    own, rows = grid.places[large], [[at for at in row if at != large] for row in grid.rows]
    tall = own.bottom > own.top
    around, apart = (grid.ends, 2 * gap) if tall else (grid.sides, gap)
    return Span(
        large=large,
        tall=tall,
        first=(own.left if tall else own.top) == 0,
        columns=len(grid.sides) - tall,
        aspects=tuple(max(blocks[at].panel.aspect for at in row) for row in rows if row),
        aspect=blocks[large].panel.aspect,
        between=sum(behind + apart + before for (_, behind), (before, _) in pairwise(around)),
        exact=any(block.panel.exact for block in blocks),
    )
