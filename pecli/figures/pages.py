"""A figure on a page, or several on pages that match: laid out, then computed for the pixels there are, then drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from math import ceil, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.analysis import Numbers, View
from pecli.core.errors import UsageError, mention
from pecli.figures.bands import arranged
from pecli.figures.blocks import Block, Room
from pecli.figures.canvas import LIMITS, Canvas
from pecli.figures.columns import Measured
from pecli.figures.figure import Figure
from pecli.figures.grid import Grid
from pecli.figures.legends import keep_below
from pecli.figures.limits import chosen
from pecli.figures.measure import Margins
from pecli.figures.page import Page, Sheet
from pecli.figures.style import set_sizes
from pecli.figures.windows import share_colours, share_windows

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Extent = tuple[float, float]  # width and height of a page, in inches
MUCH = 0.8  # of a page's area that another has to take at most to be named instead
SLACK = 1.05  # of the size that is named where one is refused: ticks change with the size
PASSES = 8  # of measuring, at most: ticks follow the size of their axis, and labels the grid
TRIES = 3  # of computing, at most: numbers can bring labels that take some of the pixels


class Asked(NamedTuple):
    """What is to be drawn: the parameters of `draw_pages` without the canvas."""

    whole: Figure[Any]
    view: View[Any]
    sheets: Sequence[Sheet]
    apart: Callable[[Any], Sequence[Numbers[Any]]]
    known: Numbers[Any] | None = None


def draw_page(
    figure: Figure[Any], view: View[Any], canvas: Canvas, title: str, known: Numbers[Any] | None = None
) -> tuple[Drawing, Numbers[Any]]:
    """The picture of a figure, and the numbers that it shows.

    known : every number, where they have been computed already

    Raises
    ------
    UsageError : the size does not hold what has to be said
    """
    (drawing,), numbers = draw_pages(figure, view, [Sheet(figure, view, title)], canvas, lambda all_: [all_], known)
    return drawing, numbers


def draw_pages(
    whole: Figure[Any],
    view: View[Any],
    sheets: Sequence[Sheet],
    canvas: Canvas,
    apart: Callable[[Any], Sequence[Numbers[Any]]],
    known: Numbers[Any] | None = None,
) -> tuple[list[Drawing], Numbers[Any]]:
    """Pictures in which everything has one place, and the numbers that they show.

    Parameters
    ----------
    whole, view : the figure that computes for all of them, and what it looks at
    sheets : what is to be on each page, with as many panels each
    apart : the numbers of each page
    known : every number, where they have been computed already

    Raises
    ------
    UsageError : the size does not hold what has to be said
    """
    asked = Asked(whole, view, sheets, apart, known)
    for one in (canvas, *canvas.smaller()):
        if one is not canvas:
            set_sizes(one)
        pages, numbers = _tried(asked, one)
        if numbers is not None:
            break
    else:
        raise _too_small(asked, pages[0], canvas)
    align_titles(pages)
    for page in pages:
        page.drawing.set_dpi(canvas.dpi)
    return [page.drawing for page in pages], numbers


def draw_frames(
    grid: Grid, view: View[Any], canvas: Canvas, titles: Sequence[str]
) -> tuple[list[Drawing], Numbers[Any]]:
    """A picture of every cell, all laid out alike and under the limits of all, and the numbers that they show."""
    sheets = [Sheet(*cell, title) for cell, title in zip(grid.cells, titles, strict=True)]
    return draw_pages(grid, view, sheets, canvas, lambda numbers: [part.numbers for part in numbers.parts])


def anew(page: Page) -> Page:
    """The page without what was drawn on it, everything where it stood: a legend that changes sides moves panels."""
    made = Page(page.sheet, page.canvas, page.layout, page.measured)
    keep_below(page.axes, made.axes)
    made.place(page.layout)
    return made


def _seen(pages: Sequence[Page], view: View[Any]) -> View[Any]:
    """The view through the pixels that the panels of all pages have."""
    return replace(view, panels=tuple(panel for page in pages for panel in page.pixels()))


def _parts(seen: View[Any], pages: Sequence[Page]) -> list[Sequence[tuple[int, int]]]:
    """The pixels of each page's panels."""
    size = len(pages[0].panels)
    return [(seen.panels or ())[at * size : (at + 1) * size] for at in range(len(pages))]


def _tried(asked: Asked, canvas: Canvas) -> tuple[list[Page], Numbers[Any] | None]:
    """The pages with the numbers that they show, or with None where they do not hold what has to be said."""
    pages = _laid(asked.sheets, canvas)
    return pages, _filled(asked, pages)


def _laid(sheets: Sequence[Sheet], canvas: Canvas) -> list[Page]:
    """The pages before there are numbers."""
    measured: dict[Hashable, Margins] = {}  # what one page has the next need not measure
    pages = [Page(sheet, canvas, measured=measured) for sheet in sheets]
    arrange(pages)
    return pages


def _filled(asked: Asked, pages: list[Page]) -> Numbers[Any] | None:
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


def _too_small(asked: Asked, page: Page, canvas: Canvas) -> UsageError:
    """Why nothing is drawn: the size does not hold it, and the one that would."""
    width, height = size = _enough(asked, page, canvas)
    text = f"{mention('size', canvas.size)} is too small for what {page.figure.name} has to say here: it takes "
    if max(size) > LIMITS[1]:
        most, advice = f"more than {LIMITS[1]:g} inches", f"make {mention('text_size')} smaller, or show less"
        return UsageError(text + most, option="size", value=canvas.size, advice=advice)
    font = _of_size(canvas, size).inches.font
    text += f"{width} × {height} inches with text of {font:g} points"
    return UsageError(text, option="size", value=canvas.size, advice=f"give {mention('size', f'{width}x{height}')}")


def _enough(asked: Asked, page: Page, canvas: Canvas) -> Extent:
    """The width and height of a page that holds what this does not, tried with all that its numbers bring."""

    @cache
    def laid(size: Extent) -> list[Page]:  # once a size: one that is too small is come back to
        sized = _of_size(canvas, size)
        set_sizes(sized)
        return _laid(asked.sheets, sized)

    size = _empty_page(laid, page)
    for _ in range(TRIES):
        if max(size) > LIMITS[1]:
            break
        pages = laid(size)
        set_sizes(pages[0].canvas)
        if _filled(asked, pages) is not None:
            break
        size = _larger(size, _rounded(pages[0].least()))
    return size


def _larger(size: Extent, least: Extent) -> Extent:
    """A size no smaller than either, and larger than the first."""
    width, height = max(size[0], least[0]), max(size[1], least[1])
    return (width, height) if (width, height) != size else _rounded(size)


def _of_size(canvas: Canvas, size: Extent) -> Canvas:
    """The canvas in another size, with the smallest text that it has then."""
    sized = replace(canvas, size=f"{size[0]}x{size[1]}")
    return (sized, *sized.smaller())[-1]


def _empty_page(laid: Callable[[Extent], list[Page]], page: Page) -> Extent:
    """The width and height of a page that holds the frames: what is around them changes with it.

    laid : pages of a size
    """
    size, found = _rounded(page.least()), None
    for _ in range(PASSES):
        if max(size) > LIMITS[1]:
            break
        (first, *_) = laid(size)
        least = first.least()
        if first.layout.fits:
            found, size = size, _rounded(least)
            if prod(size) > MUCH * prod(found):
                break
        elif found:
            size = _rounded(((size[0] + found[0]) / 2, (size[1] + found[1]) / 2))
        else:
            size = _rounded((max(size[0], least[0]), max(size[1], least[1])))
    return found or size


def _rounded(size: Extent) -> Extent:
    """A size with room for other ticks, as it is named: in tenths of an inch, rounded up."""
    width, height = (ceil(10 * SLACK * side) / 10 for side in size)
    return width, height


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


def align_titles(pages: Sequence[Page]) -> None:
    """Lets the titles of several pictures begin at one place, and what there is to see in them: so nothing jumps."""
    titles = [text for one in pages if (text := one.drawing._suptitle) is not None]  # type: ignore[attr-defined]
    for texts in (titles, [one.message for one in pages]) if len(pages) > 1 else ():
        share = max((text.get_window_extent().width / text.figure.bbox.width for text in texts), default=0.0)
        for text in texts:
            text.set(x=0.5 - share / 2, ha="left")
