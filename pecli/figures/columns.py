"""In how many columns panels stand: as many as are wanted where they fit, else fewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pecli.figures.blocks import Block, Room
from pecli.figures.frame_grid import grid_of, least_sizes
from pecli.figures.layout import Layout, solve
from pecli.figures.mosaic import Band, Mosaic, in_columns

NEARLY = 0.3  # inches that a grid may lack and still be tried: what was measured in another need not hold in it


class Measured:
    """What was measured around panels in each grid: labels come and go with it."""

    def __init__(self) -> None:
        self.blocks: dict[Mosaic, list[Block]] = {}
        self._again: dict[Mosaic, bool] = {}

    def with_grid(self, mosaic: Mosaic, blocks: list[Block]) -> list[Block]:
        """Adds what is measured in a grid, and gives it; from the third time on with margins that come and go."""
        if self._again.get(mosaic):
            blocks = [one.or_wider(before) for one, before in zip(blocks, self.blocks[mosaic], strict=True)]
        self._again[mosaic] = mosaic in self.blocks
        self.blocks[mosaic] = blocks
        return blocks


def best(
    blocks: Sequence[Block], room: Room, band: Band, known: Mapping[Mosaic, Sequence[Block]] | None = None
) -> Layout:
    """The grid that fits: with the columns preferred, or fewer; on a page of fixed height whichever shows most.

    known : the blocks as they were measured in some of the grids; one that is not among them may lack a little
    """
    every = mosaics_to_try(room, band)
    tried = [solve((known or {}).get(one, blocks), room, one) for one in every]
    if known and room.height is None:
        likely = (one for one in tried if one.fits or (one.mosaic not in known and max(one.lacks) < NEARLY))
        return next(likely, chosen(tried, room, band.columns))
    return chosen(tried, room, band.columns)


def chosen(tried: Sequence[Layout], room: Room, preferred: int) -> Layout:
    """The first that fits, on a page of fixed height whichever shows most; else the one that lacks least."""
    if room.height is None:
        return next((one for one in tried if one.fits), min(tried, key=lambda one: max(one.lacks)))
    fitting = [one for one in tried if one.fits]
    if not fitting:
        return min(tried, key=lambda one: sum(max(0.0, lack) for lack in one.lacks))
    most = max(one.shown for one in fitting)
    return min(fitting, key=lambda one: (one.shown < 0.8 * most, one.holes, one.even, abs(one.columns - preferred)))


def least_page(blocks: Sequence[Block], room: Room, band: Band) -> tuple[float, float]:
    """Width and height of the smallest page that would be enough."""

    def excess(page: tuple[float, float]) -> tuple[float, float]:
        return max(page[0] / room.width, page[1] / (room.height or page[1])), page[0] * page[1]

    return min((least_of(blocks, room, one) for one in mosaics_to_try(room, band)), key=excess)


def mosaics_to_try(room: Room, band: Band) -> list[Mosaic]:
    """The grids to try: the band's mosaics, then those of no more columns than preferred, most first.

    On a page of fixed height all numbers of columns that there may be, the fewest first.
    """
    allowed = sorted(band.grids)
    if room.height is None and allowed:
        allowed = [columns for columns in allowed[::-1] if columns <= band.columns] or [band.columns]
    return [*band.mosaics, *(in_columns(band.panels, columns) for columns in allowed)]


def least_of(blocks: Sequence[Block], room: Room, mosaic: Mosaic) -> tuple[float, float]:
    """The smallest page with panels in these places."""
    grid = grid_of(blocks, mosaic, room.gap)
    widths, heights = least_sizes(blocks, grid)
    across = (len(widths) + 1) * room.gap + sum(map(sum, grid.sides)) + sum(widths)
    around = room.head + room.foot + 2 * len(heights) * room.gap + sum(map(sum, grid.ends))
    return across, around + sum(heights)
