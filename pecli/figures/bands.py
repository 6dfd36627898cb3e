"""Panels in bands below each other, each a grid of its own: those of one part of a picture keep together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from pecli.figures.blocks import Block, Box, Room
from pecli.figures.columns import best, least_of, least_page, mosaics_to_try
from pecli.figures.layout import Layout, solve
from pecli.figures.mosaic import Band, Mosaic, counted_from
from pecli.figures.row_heights import filled

ROW = 3  # panels that stand side by side where there is room, whatever they belong to
APART = 1.0  # times the gap more between bands


def arranged(
    blocks: Sequence[Block], room: Room, bands: Sequence[Band], known: Mapping[Mosaic, Sequence[Block]] | None = None
) -> Layout:
    """The layout in which everything fits: one grid, or of several bands each in its own unless all stand in a row.

    known : the blocks as they were measured in some of the grids
    """
    if len(bands) == 1:
        return best(blocks, room, bands[0], known)
    row = best(blocks, room, Band(len(blocks), len(blocks), (len(blocks),)))
    return row if len(blocks) <= ROW and row.fits else _stacked(blocks, room, bands)


def least_size(blocks: Sequence[Block], room: Room, bands: Sequence[Band]) -> tuple[float, float]:
    """Width and height of the smallest page that would be enough."""
    if len(bands) == 1:
        return least_page(blocks, room, bands[0])
    share = room.height and room.height / len(bands)
    parts = _parts(blocks, room, bands)
    sizes = [least_page(own, replace(one, height=share), band) for own, one, band in parts]
    return max(width for width, _ in sizes), sum(height for _, height in sizes)


def _parts(blocks: Sequence[Block], room: Room, bands: Sequence[Band]) -> list[tuple[Sequence[Block], Room, Band]]:
    """The blocks of each band, and its page: what is said above all and below all stands on the first and the last."""
    starts, last = [0, *accumulate(band.panels for band in bands)], len(bands) - 1
    free = replace(room, height=None)
    return [
        (
            blocks[start : start + band.panels],
            replace(free, head=APART * room.gap if at else room.head, foot=0.0 if at < last else room.foot),
            band,
        )
        for at, (start, band) in enumerate(zip(starts, bands, strict=False))
    ]


def _stacked(blocks: Sequence[Block], room: Room, bands: Sequence[Band]) -> Layout:
    """Each band in the grid that fits it, below each other; on a page of fixed height each has its share of that."""
    parts = _parts(blocks, room, bands)
    if room.height is not None:
        flat, most = [_flattest(*part) for part in parts], room.height / len(parts)
        heights = filled([min(wanted, most) for wanted, _ in flat], [least for _, least in flat], room.height)
        parts = [(own, replace(one, height=high), band) for (own, one, band), high in zip(parts, heights, strict=True)]
    return _below_each_other([best(own, one, band) for own, one, band in parts])


def _flattest(blocks: Sequence[Block], room: Room, band: Band) -> tuple[float, float]:
    """The height that a band wants where it stands in the grid that is the least high, and the least that it takes."""
    every = mosaics_to_try(replace(room, height=1.0), band)
    sizes = [(solve(blocks, room, one).height, *least_of(blocks, room, one)) for one in every]
    holding = [one for one in sizes if one[1] <= room.width] or [min(sizes, key=lambda one: one[1])]
    return min(wanted for wanted, *_ in holding), min(least for *_, least in holding)


def _below_each_other(parts: Sequence[Layout]) -> Layout:
    """One layout of several."""
    height, panels, rows = sum(one.height for one in parts), 0, 0
    frames: list[Box] = []
    bars: list[Box] = []
    runs, mosaics, bottom = [], [], height
    for one in parts:
        bottom -= one.height
        frames += [box._replace(bottom=box.bottom + bottom) for box in one.frames]
        bars += [box._replace(bottom=box.bottom + bottom) for box in one.bars]
        runs += [run.moved(rows, panels) for run in one.runs]
        mosaics.append(counted_from(panels, one.mosaic))
        panels, rows = len(frames), rows + len(one.mosaic)
    wide, high = (max(one.lacks[side] for one in parts) for side in (0, 1))
    return replace(
        parts[0],
        mosaic=tuple(row for mosaic in mosaics for row in mosaic),
        bands=tuple(mosaics),
        height=height,
        frames=tuple(frames),
        runs=tuple(runs),
        bars=tuple(bars),
        below=parts[-1].below,
        shown=min(one.shown for one in parts),
        lacks=(wide, high),
    )
