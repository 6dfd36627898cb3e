"""Drawing of figures on pages, in one pass.

Empty panels with their labels are measured and arranged; numbers are computed for the pixels of the panels and drawn;
what was added is measured, and the same arrangement is placed a second and last time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from math import sqrt
from typing import Any

from matplotlib.figure import Figure as Drawing

from pecli.analysis import Numbers, View
from pecli.core.errors import UsageError, option_text
from pecli.core.language import capitalised, join_clauses
from pecli.figures.base import Figure, groups_of
from pecli.figures.composite import share_colours, share_limits
from pecli.page.canvas import LIMITS, SIZES, Canvas
from pecli.page.cell_image import FEW_IN_FRAMES, CellImage
from pecli.page.labels import end_value_axes
from pecli.page.layout import Contents, Layout, Page, arrange, choose_layout, largest_margins, smallest_page
from pecli.page.limits import footnotes, resolve_limits
from pecli.page.panels import Mosaic, PanelGroup, renumbered_from
from pecli.page.sheet import Sheet, Texts
from pecli.page.style import set_sizes
from pecli.page.words import Words

HIGHEST = 9.0  # inches: largest height of a page of free height, if everything fits

Content = tuple[Figure[Any], View[Any], str]  # figure, view and title of a page


def words_of(title: str, numbers: Numbers[Any], canvas: Canvas) -> Texts:
    """Return the texts of a picture: pecli's or the user's; "" for texts that are left out."""
    footnote = join_clauses(footnotes(numbers, canvas))
    own = {"headline": capitalised(numbers.message()), "title": capitalised(title), "footnote": footnote}
    return Texts(**{name: canvas.final_text(name, own) for name in own})


def draw_page(
    figure: Figure[Any], view: View[Any], canvas: Canvas, title: str, cells: int
) -> tuple[Drawing, Numbers[Any]]:
    """Return the picture of a figure, and the numbers that it shows.

    Parameters
    ----------
    cells : at least cells × cells numbers are computed for the panels together, even if there are fewer pixels

    Raises
    ------
    UsageError : the size is too small for the contents
    """
    (drawing,), numbers = _draw_pages(figure, view, canvas, [(figure, view, title)], cells)
    return drawing, numbers


def draw_frames(
    grid: Any, view: View[Any], canvas: Canvas, titles: Sequence[str], cells: int
) -> tuple[list[Drawing], Any]:
    """Return one picture per cell of a grid, with the same layout and common limits, and the grid's numbers."""
    contents = [(cell.figure, cell.view, title) for cell, title in zip(grid.cells, titles, strict=True)]
    drawings, numbers = _draw_pages(grid, view, canvas, contents, cells)
    for drawing in drawings:
        for image in drawing.findobj(CellImage):
            image.few = FEW_IN_FRAMES
    return drawings, numbers


def _draw_pages(
    figure: Figure[Any],
    view: View[Any],
    canvas: Canvas,
    contents: Sequence[Content],
    cells: int,
) -> tuple[list[Drawing], Numbers[Any]]:
    """Return one picture per page, all with the same layout, and the numbers of `figure`.

    contents : figure, view and title of each page; for `cells`, see `draw_page`
    """
    numbers: Any = None
    sizes = (canvas, *canvas.with_smaller_text())
    for sized in sizes:
        set_sizes(sized)
        sheets = [_labelled_sheet(*content, sized) for content in contents]
        _check_panels(contents[0][0], sheets)
        choices, page = _arrangements(sheets[0].groups), sheets[0].page
        layout = choose_layout(_joint_contents(sheets), choices, page)
        _place_all(sheets, contents, layout)
        measured = _measure(sheets, layout)
        page = _with_limited_height(measured, choices, page)
        layout = choose_layout(measured, choices, page)
        if not layout.fits and sized is not sizes[-1]:
            continue
        _place_all(sheets, contents, layout)
        for finished in (False, True):
            if numbers is None:
                seen = _seen(view, sheets, cells)
                numbers = figure.compute(seen).placed([row for grid in layout.grids for row in grid])
            _draw(sheets, contents, numbers, frames=contents[0][0] is not figure)
            measured = _measure(sheets, layout)
            layout = arrange(measured, layout.grids, layout.page, layout.texts_left)
            if not layout.fits:  # texts that depend on the numbers need more room than expected
                layout = choose_layout(measured, choices, page)
            _place_all(sheets, contents, layout)
            if finished or not layout.fits or not _too_fine(figure, seen, _seen(view, sheets, cells), sheets):
                break
            sheets, numbers = [_labelled_sheet(*content, sized) for content in contents], None
            _place_all(sheets, contents, layout)
        if layout.fits:
            for sheet in sheets:
                sheet.drawing.set_dpi(canvas.dpi)
            return [sheet.drawing for sheet in sheets], numbers
    enough: Page | None = page
    while enough and not choose_layout(measured, choices, enough).fits:
        enough = smallest_page(measured, choices, enough, LIMITS[1])
        if enough:  # larger frames have other ticks, so measure again
            layout = choose_layout(measured, choices, enough)
            _place_all(sheets, contents, layout)
            measured = _measure(sheets, layout)
    raise _too_small(contents[0][0], canvas, enough)


def _labelled_sheet(figure: Figure[Any], view: View[Any], title: str, canvas: Canvas) -> Sheet:
    """Return the sheet of a figure with its labels, but without numbers."""
    sheet = Sheet(groups_of(figure, view, canvas), canvas)
    figure.decorate(view, sheet.axes, canvas)
    sheet.take_labels()
    unknown = " " if sheet.page.height else ""  # a blank reserves a line
    own = {"headline": unknown, "title": capitalised(title), "footnote": unknown}
    sheet.page_texts = Texts(**{name: canvas.final_text(name, own) for name in own})
    return sheet


def _check_panels(figure: Figure[Any], sheets: Sequence[Sheet]) -> None:
    """Raise UsageError for frames with different numbers of panels, which no layout fits."""
    counts = [len(sheet.panels) for sheet in sheets]
    if len({*counts}) > 1:
        text = f"the frames have different numbers of panels: {', '.join(map(str, counts))}"
        heads = ",".join(map(str, range(min(counts))))
        same = f"name the same heads for all, --head {heads}, or " if "head" in figure.options() else ""
        raise UsageError(text, advice=f"{same}draw them side by side in a .png")


def _arrangements(groups: Sequence[PanelGroup]) -> list[tuple[Mosaic, ...]]:
    """Return the arrangements to try, each with one grid per group; panel indices count over all groups."""
    firsts = accumulate([len(group.panels) for group in groups[:-1]], initial=0)
    counted = [
        [renumbered_from(first, grid) for grid in group.grids] for first, group in zip(firsts, groups, strict=True)
    ]
    most = max(map(len, counted))
    return [tuple(grids[min(at, len(grids) - 1)] for grids in counted) for at in range(most)]


def _with_limited_height(contents: Contents, choices: Sequence[tuple[Mosaic, ...]], page: Page) -> Page:
    """Return the page, with the height HIGHEST if its height is free and would exceed that.

    The height stays free if not everything fits into HIGHEST.
    """
    usual = page._replace(height=HIGHEST)
    too_high = page.height is None and choose_layout(contents, choices, page).size[1] > HIGHEST
    return usual if too_high and choose_layout(contents, choices, usual).fits else page


def _joint_contents(sheets: Sequence[Sheet]) -> Contents:
    """Return the `Contents` by which all sheets get the same layout.

    Each margin is the largest, and each text the longest, among all sheets.
    """
    every = [sheet.contents() for sheet in sheets]
    first, texts = every[0], ("headline", "subtitle", "footnote")
    longest = {name: max((getattr(own.texts, name) for own in every), key=Words.width) for name in texts}
    titles = tuple(max(own, key=Words.width) for own in zip(*(own.texts.titles for own in every), strict=True))
    margins = [largest_margins(own) for own in zip(*(own.margins for own in every), strict=True)]
    return replace(first, margins=margins, texts=first.texts._replace(**longest, titles=titles))


def _measure(sheets: Sequence[Sheet], layout: Layout) -> Contents:
    """Measure all sheets as placed now, and return their joint contents."""
    for sheet in sheets:
        sheet.measure(layout)
    return _joint_contents(sheets)


def _place_all(sheets: Sequence[Sheet], contents: Sequence[Content], layout: Layout) -> None:
    """Place all sheets according to the layout, and fit labels to the frames."""
    for sheet, (figure, view, _) in zip(sheets, contents, strict=True):
        sheet.place(layout)
        figure.fit(view, sheet.axes, sheet.canvas)


def _seen(view: View[Any], sheets: Sequence[Sheet], cells: int) -> View[Any]:
    """Return the view with the size in pixels that each panel has now."""
    panels = [panel for sheet in sheets for panel in sheet.pixels()]
    least = int(cells / sqrt(len(panels)))
    return replace(view, panels=tuple((max(rows, least), max(columns, least)) for rows, columns in panels))


def _too_fine(figure: Figure[Any], before: View[Any], after: View[Any], sheets: Sequence[Sheet]) -> bool:
    """Return whether images were computed for at least two pixels more than their panels have now.

    before, after : the view for which the numbers were computed, and the view at the current sizes
    """
    axes = (axes for sheet in sheets for axes in sheet.axes)
    panels = zip(axes, before.panels or (), after.panels or (), strict=True)
    less = any(own.images and (was[0] > now[0] + 1 or was[1] > now[1] + 1) for own, was, now in panels)
    return less and figure.shape(before) != figure.shape(after)


def _draw(sheets: Sequence[Sheet], contents: Sequence[Content], numbers: Any, frames: bool) -> None:
    """Draw the numbers and colour bars, and set the texts that depend on the numbers.

    frames : whether each sheet shows one part of the numbers
    """
    canvas = sheets[0].canvas
    limited = numbers.limited(partial(resolve_limits, canvas))
    each = [part.numbers for part in limited.parts] if frames else [limited]
    mappables = []
    for sheet, (figure, view, title), own in zip(sheets, contents, each, strict=True):
        drawn = figure.draw(own, sheet.axes, canvas)
        end_value_axes(sheet.axes, sheet.panels, canvas)
        figure.fit(view, sheet.axes, sheet.canvas)  # shortens the new texts to the room that they have
        sheet.page_texts = words_of(title, own, canvas)
        sheet.add_bars(drawn)
        mappables += drawn
    if len(sheets) > 1:
        panels = [panel for sheet in sheets for panel in sheet.panels]
        share_limits([axes for sheet in sheets for axes in sheet.axes], panels)
        share_colours(mappables, panels)


def _too_small(figure: Figure[Any], canvas: Canvas, enough: Page | None) -> UsageError:
    """Return the error for a size that is too small, with a size that is large enough."""
    if canvas.size in SIZES:
        points = f"{canvas.text_size or canvas.inches.least:g} points"
        text = f"{figure.name} does not fit on {option_text('size', canvas.size)} with text of {points}"
        fewer = "name fewer --panels" if "panels" in figure.options() else "show less"
        less = "make --text-size smaller" if canvas.text_size else fewer
        advice = less if canvas.inches.height else f"{less}, or give a larger --size"
        return UsageError(text, option="size", value=canvas.size, advice=advice)
    text = f"{option_text('size', canvas.size)} is too small for {figure.name} here: it needs "
    if enough is None:
        advice = "make --text-size smaller, or show less"
        return UsageError(f"{text}more than {LIMITS[1]:g} inches", option="size", value=canvas.size, advice=advice)
    sides = [side for side in (enough.width, enough.height) if side is not None]
    size = "x".join(f"{side:g}" for side in sides)
    text += " × ".join(f"{side:g}" for side in sides) + " inches"
    return UsageError(text, option="size", value=canvas.size, advice=f"give {option_text('size', size)}")
