"""A figure on a page, or several on pages that match: laid out, then computed for the pixels there are, then drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pecli.analysis import Numbers, View
from pecli.figures.base import Figure
from pecli.figures.canvas import Canvas
from pecli.figures.filled_pages import Asked, filled, laid_out
from pecli.figures.grid import Grid
from pecli.figures.needed_size import too_small
from pecli.figures.page import Page, Sheet
from pecli.figures.style import set_sizes

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


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
        raise too_small(asked, pages[0], canvas)
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


def _tried(asked: Asked, canvas: Canvas) -> tuple[list[Page], Numbers[Any] | None]:
    """The pages with the numbers that they show, or with None where they do not hold what has to be said."""
    pages = laid_out(asked.sheets, canvas)
    return pages, filled(asked, pages)


def align_titles(pages: Sequence[Page]) -> None:
    """Lets the titles of several pictures begin at one place, and what there is to see in them: so nothing jumps."""
    titles = [text for one in pages if (text := one.drawing._suptitle) is not None]  # type: ignore[attr-defined]
    for texts in (titles, [one.message for one in pages]) if len(pages) > 1 else ():
        share = max((text.get_window_extent().width / text.figure.bbox.width for text in texts), default=0.0)
        for text in texts:
            text.set(x=0.5 - share / 2, ha="left")
