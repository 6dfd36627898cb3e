"""In how many columns panels stand: as many as are wanted where they fit, else fewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pecli.figures.layout import Block, Layout, Room, grid_of, solve
from pecli.figures.row_heights import with_bars

NEARLY = 0.3  # inches that a grid may lack and still be tried: what was measured in another need not hold in it


class Measured:
    """What was measured around panels in each grid, by its number of columns: labels come and go with it."""

    def __init__(self) -> None:
        self.blocks: dict[int, list[Block]] = {}
        self._again: dict[int, bool] = {}

    def with_grid(self, columns: int, blocks: list[Block]) -> list[Block]:
        """Adds what is measured in a grid, and gives it; from the third time on with margins that come and go."""
        if self._again.get(columns):
            blocks = [one.or_wider(before) for one, before in zip(blocks, self.blocks[columns], strict=True)]
        self._again[columns] = columns in self.blocks
        self.blocks[columns] = blocks
        return blocks


def best(
    blocks: Sequence[Block],
    room: Room,
    preferred: int,
    grids: Sequence[int] | None = None,
    known: Mapping[int, Sequence[Block]] | None = None,
) -> Layout:
    """The grid that fits: with the columns preferred, or fewer; on a page of fixed height whichever shows most.

    grids : the numbers of columns that there may be; any where None
    known : the blocks as they were measured in some of the grids; one that is not among them may lack a little
    """
    columns = columns_to_try(len(blocks), room, preferred, grids)
    tried = [solve((known or {}).get(one, blocks), room, one) for one in columns]
    if known and room.height is None:
        likely = (one for one in tried if one.fits or (one.columns not in known and max(one.lacks) < NEARLY))
        return next(likely, chosen(tried, room, preferred))
    return chosen(tried, room, preferred)


def chosen(tried: Sequence[Layout], room: Room, preferred: int) -> Layout:
    """The first that fits, on a page of fixed height whichever shows most; else the one that lacks least."""
    if room.height is None:
        return next((one for one in tried if one.fits), min(tried, key=lambda one: max(one.lacks)))
    fitting = [one for one in tried if one.fits]
    if not fitting:
        return min(tried, key=lambda one: sum(max(0.0, lack) for lack in one.lacks))
    most = max(one.smallest for one in fitting)
    return min(fitting, key=lambda one: (one.smallest < 0.8 * most, one.holes, abs(one.columns - preferred)))


def least_page(
    blocks: Sequence[Block], room: Room, preferred: int, grids: Sequence[int] | None = None
) -> tuple[float, float]:
    """Width and height of the smallest page that would be enough."""

    def excess(page: tuple[float, float]) -> tuple[float, float]:
        return max(page[0] / room.width, page[1] / (room.height or page[1])), page[0] * page[1]

    columns = columns_to_try(len(blocks), room, preferred, grids)
    return min((_least(blocks, room, one) for one in columns), key=excess)


def columns_to_try(count: int, room: Room, preferred: int, grids: Sequence[int] | None = None) -> list[int]:
    """The numbers of columns to try, those preferred first, or any where the height is fixed."""
    allowed = sorted(grids or range(1, count + 1), reverse=True)
    if room.height is not None:
        return allowed[::-1]
    return [columns for columns in allowed if columns <= preferred] or [preferred]


def _least(blocks: Sequence[Block], room: Room, columns: int) -> tuple[float, float]:
    """The smallest page with so many columns."""
    grid = grid_of(blocks, columns, room.gap)
    width = max(max(one.width, one.height / one.panel.aspect) if one.panel.exact else one.width for one in blocks)
    least = [width * one.panel.aspect if one.panel.exact else one.height for one in blocks]
    bars = [(run, blocks[run.panel].bar_height) for run in grid.runs]
    heights = with_bars([max(least[at] for at in row) for row in grid.rows], bars)
    across = (columns + 1) * room.gap + sum(map(sum, grid.sides)) + columns * width
    around = room.head + room.foot + 2 * len(grid.rows) * room.gap + sum(map(sum, grid.ends))
    return across, around + sum(heights)
