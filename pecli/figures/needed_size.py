"""The size of a page that holds what one of the size asked for does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import ceil, prod

from pecli.core.errors import UsageError, mention
from pecli.figures.canvas import LIMITS, Canvas
from pecli.figures.filled_pages import Asked, filled, laid_out
from pecli.figures.page import Page
from pecli.figures.style import set_sizes

Extent = tuple[float, float]  # width and height of a page, in inches
MUCH = 0.8  # of a page's area that another has to take at most to be named instead
SLACK = 1.05  # of the size that is named where one is refused: ticks change with the size
TRIES = 3  # of sizes with all that numbers bring, at most
STEPS = 8  # of sizes with empty frames, at most


def too_small(asked: Asked, page: Page, canvas: Canvas) -> UsageError:
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
        return laid_out(asked.sheets, sized)

    size = _empty_page(laid, page)
    for _ in range(TRIES):
        if max(size) > LIMITS[1]:
            break
        pages = laid(size)
        set_sizes(pages[0].canvas)
        if filled(asked, pages) is not None:
            break
        size = _larger(size, _rounded(pages[0].least()))
    return size


def _empty_page(laid: Callable[[Extent], list[Page]], page: Page) -> Extent:
    """The width and height of a page that holds the frames: what is around them changes with it.

    laid : pages of a size
    """
    size, found = _rounded(page.least()), None
    for _ in range(STEPS):
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


def _larger(size: Extent, least: Extent) -> Extent:
    """A size no smaller than either, and larger than the first."""
    width, height = max(size[0], least[0]), max(size[1], least[1])
    return (width, height) if (width, height) != size else _rounded(size)


def _of_size(canvas: Canvas, size: Extent) -> Canvas:
    """The canvas in another size, with the smallest text that it has then."""
    sized = replace(canvas, size=f"{size[0]}x{size[1]}")
    return (sized, *sized.smaller())[-1]


def _rounded(size: Extent) -> Extent:
    """A size with room for other ticks, as it is named: in tenths of an inch, rounded up."""
    width, height = (ceil(10 * SLACK * side) / 10 for side in size)
    return width, height
