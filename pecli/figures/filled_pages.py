"""Pages that match, laid out and filled with as many numbers as their panels have pixels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, NamedTuple

from pecli.analysis import Numbers, View
from pecli.figures.bands import arranged
from pecli.figures.base import Figure
from pecli.figures.blocks import Block, Room
from pecli.figures.canvas import Canvas
from pecli.figures.columns import Measured
from pecli.figures.legends import keep_below
from pecli.figures.limits import chosen
from pecli.figures.measure import Margins
from pecli.figures.page import Page, Sheet
from pecli.figures.windows import share_colours, share_windows

PASSES = 8  # of measuring, at most: ticks follow the size of their axis, and labels the grid
TRIES = 3  # of computing, at most: numbers can bring labels that take some of the pixels


class Asked(NamedTuple):
    """What is to be drawn: the parameters of `draw_pages` without the canvas."""

    whole: Figure[Any]
    view: View[Any]
    sheets: Sequence[Sheet]
    apart: Callable[[Any], Sequence[Numbers[Any]]]
    known: Numbers[Any] | None = None


def laid_out(sheets: Sequence[Sheet], canvas: Canvas) -> list[Page]:
    """The pages before there are numbers."""
    measured: dict[Hashable, Margins] = {}  # what one page has the next need not measure
    pages = [Page(sheet, canvas, measured=measured) for sheet in sheets]
    arrange(pages)
    return pages


def filled(asked: Asked, pages: list[Page]) -> Numbers[Any] | None:
    """Puts the numbers onto the pages and gives them, or None where they do not hold what has to be said."""
    if not pages[0].layout.fits:
        return None
    numbers = _shown(asked, pages)
    return numbers if pages[0].layout.nearly_fits else None  # numbers bring captions, bars and names


def _shown(asked: Asked, pages: list[Page]) -> Numbers[Any]:
    """Puts as many numbers onto the pages as their panels have pixels, and gives them; pages are made anew in place."""
    whole, view, _, apart, known = asked
    for left in reversed(range(TRIES)):
        seen = _seen(pages, view)
        every = known is not None and whole.shape(known.view) == whole.shape(seen)
        numbers = known if known is not None and every else whole.compute(seen)
        for page, own in zip(pages, apart(numbers.limited(partial(chosen, pages[0].canvas))), strict=True):
            page.show(own)
        if len(pages) > 1:
            share_windows([one for page in pages for one in page.axes], whole.panels_for(view))
            share_colours([one for page in pages for one in page.mappables], whole.panels_for(view))
        arrange(pages)
        if not any(page.lost(old) for page, old in zip(pages, _parts(seen, pages), strict=True)):
            break
        alike = whole.shape(_seen(pages, view)) == whole.shape(seen)
        if not left or (alike and not any(page.crowded() for page in pages)):
            break  # what is made anew has to be drawn on
        pages[:] = [anew(page) for page in pages]
    return numbers


def anew(page: Page) -> Page:
    """The page without what was drawn on it, everything where it stood: a legend that changes sides moves panels."""
    made = Page(page.sheet, page.canvas, page.layout, page.measured)
    keep_below(page.axes, made.axes)
    made.place(page.layout)
    return made


def arrange(pages: Sequence[Page]) -> None:
    """Measures what stands around the frames of all pages and shares the rest, until nothing moves."""
    first, measured = pages[0], Measured()
    for _ in range(PASSES):
        for page in pages:
            page.measure()
        blocks = [reduce(Block.or_larger, alike) for alike in zip(*(page.blocks for page in pages), strict=True)]
        room, before = reduce(Room.or_less, [page.room() for page in pages]), first.layout
        blocks = measured.with_grid(before.mosaic, blocks)
        layout = arranged(blocks, room, first.bands(), measured.blocks)
        for page in pages:
            page.blocks = blocks
            page.place(layout)
        if layout.moved(before) * first.ruler.dpi < 0.5:
            break


def _seen(pages: Sequence[Page], view: View[Any]) -> View[Any]:
    """The view through the pixels that the panels of all pages have."""
    return replace(view, panels=tuple(panel for page in pages for panel in page.pixels()))


def _parts(seen: View[Any], pages: Sequence[Page]) -> list[Sequence[tuple[int, int]]]:
    """The pixels of each page's panels."""
    size = len(pages[0].panels)
    return [(seen.panels or ())[at * size : (at + 1) * size] for at in range(len(pages))]
