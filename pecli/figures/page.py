"""A figure on a page: what stands around each panel is measured, the panels share what is left. Lengths in inches.

Every axes is made with its labels; its tight box less its frame are its margins. Columns and rows take the largest of
theirs, panels share the rest, the height follows from their aspects. That is done twice, since ticks follow the size.
Then as many numbers are computed as the panels have pixels, and drawn; captions, bars and labels that come with them
are measured in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.legend import Legend
from matplotlib.text import Text

from pecli.analysis import Numbers, View
from pecli.core.errors import UsageError, option_text
from pecli.core.language import capitalised, join_clauses
from pecli.figures.axis_labels import label_edges
from pecli.figures.base import Figure
from pecli.figures.canvas import LIMITS, Canvas
from pecli.figures.composite import share_colours, share_limits
from pecli.figures.legends import add_bar, legend_fits_beside, legend_size, move_legend, put_legend
from pecli.figures.limits import limits_text, resolve_limits
from pecli.figures.panels import ColorBar, Mosaic, PanelGroup, columns_of, label_outer, places_of
from pecli.figures.style import set_sizes
from pecli.figures.text import HEADLINE, Ruler

LABELS = 5.0  # em that labels take beside a panel, roughly: to choose the grid
BAR, BESIDE = 0.9, 0.6  # em: a colour bar's width, and what is left free before it
BAR_LABELS, TICK = 2.4, "−0.00"  # em that a colour bar's label takes and about its widest tick: before it is drawn
NEARLY = 0.8  # of what the grid shows that shows most: one that comes first or has full rows is as good
MAX_ATTEMPTS = 4  # times that grids are chosen, at most
ROWS = 1.5  # gaps from what stands below a row to what stands above the next
MAX_GAPS = 4  # gaps more between panels, at most, where there is room to spare
MAX_PASSES = 6  # of measuring, at most: ticks depend on the size, and the size on ticks
TOLERANCE = 0.005  # inches: what moves less than that stands still
MAX_COMPUTES = 3  # times that numbers are computed, at most: they bring captions and bars that take some of the pixels
SHORTAGE = 0.06  # inches that a panel may lack before it is seen
MAX_SIZES = 6  # that are tried, at most, to name one that would do
GROWTH = 1.1  # times larger is each of them where what was lacking is not enough


class Words(NamedTuple):
    """What a picture says: what it shows of what, what there is to see in it, and how it was made."""

    title: str
    message: str
    caption: str


def words_of(title: str, numbers: Numbers[Any], canvas: Canvas) -> Words:
    """Return what a picture says under that title; where the user wants none, nothing stands above it, all below."""
    message, caption = numbers.message(), [numbers.caption(), limits_text(canvas) if numbers.coloured() else ""]
    if not canvas.headed:
        return Words("", "", join_clauses([message, *caption]))
    return Words(title, capitalised(message), join_clauses(caption))


class Margins(NamedTuple):
    """What stands around a frame."""

    left: float
    bottom: float
    right: float
    top: float


class Measured(NamedTuple):
    """What stands around the frames of a page: around each, above all and below all."""

    margins: list[Margins]
    head: float
    foot: float

    def or_larger(self, other: Measured) -> Measured:
        """Return what is enough for both."""
        pairs = zip(self.margins, other.margins, strict=True)
        margins = [Margins(*map(max, zip(*pair, strict=True))) for pair in pairs]
        return Measured(margins, max(self.head, other.head), max(self.foot, other.foot))

    def moved(self, before: Measured) -> float:
        """Return how much more or less anything takes than before."""
        pairs = [*zip(self.margins, before.margins, strict=True), (self[1:], before[1:])]
        return max(abs(a - b) for now, then in pairs for a, b in zip(now, then, strict=True))


def margins_of(axes: Axes, ruler: Ruler) -> Margins:
    """Return how far labels reach beyond the frame; texts in cells and legends are no part of it."""
    texts = [text for text in axes.texts if text.get_visible() and text.get_in_layout()]
    box = axes.get_tightbbox(ruler.renderer, bbox_extra_artists=[*texts, *axes.child_axes], for_layout_only=True)
    assert box is not None  # an Axes that is visible has one
    frame = axes.bbox
    sides = (frame.x0 - box.x0, frame.y0 - box.y0, box.x1 - frame.x1, box.y1 - frame.y1)
    return Margins(*(max(0.0, float(side)) / ruler.dpi for side in sides))


def choose_grids(groups: Sequence[PanelGroup], canvas: Canvas, attempts: Sequence[int]) -> list[Mosaic]:
    """Return the grid of each group, panels counted over all groups: on a page of free height the best that leaves the
    panels the width that they need, on one of fixed height the one that shows most; at later attempts the next."""
    chosen, first = [], 0
    for group, attempt in zip(groups, attempts, strict=True):
        ranked = _ranked(group, canvas, len(groups))
        best = ranked[min(attempt, len(ranked) - 1)]
        chosen.append(tuple(tuple(first + at for at in row) for row in best))
        first += len(group.panels)
    return chosen


def _ranked(group: PanelGroup, canvas: Canvas, groups: int) -> list[Mosaic]:
    """Return the grids of one of so many groups, the best first, by what panels and their labels take about."""
    size, em = canvas.inches, canvas.inches.font / 72
    wanting = max(group.panels, key=lambda panel: panel.least[0])

    def frame(grid: Mosaic) -> tuple[float, float]:
        labels = LABELS if wanting.y is None else LABELS / 2
        bar = 4 / min(2, columns_of(grid)) if wanting.bar else 0.0
        high = ((size.height or 0.0) / groups - 4 * em) / len(grid) - 3 * em
        return size.width / columns_of(grid) - (labels + bar) * em, high

    def shown(grid: Mosaic) -> float:
        """Return the mean area of the panels, no sliver counted whole."""
        (one_wide, one_high), areas = frame(grid), []
        for place, panel in zip(places_of(grid), group.panels, strict=True):
            wide = max(0.0, one_wide) * (place.right - place.left + 1)
            high = max(0.0, one_high) * (place.bottom - place.top + 1)
            if panel.exact:
                areas.append(min(wide, high / panel.aspect) ** 2 * panel.aspect)
            else:
                areas.append(min(wide, 2 * high / panel.aspect) * min(high, 2 * wide * panel.aspect))
        return sum(areas) / len(areas)

    if size.height:
        most = max(map(shown, group.grids))
        return sorted(group.grids, key=lambda grid: (shown(grid) < NEARLY * most, len(grid[0]) - len(grid[-1])))
    grids = [grid for grid in group.grids if columns_of(grid) <= columns_of(group.grids[0])]
    return [grid for grid in grids if frame(grid)[0] >= wanting.least[0] * canvas.small / 72] or grids[-1:]


class Page:
    """A picture in the making: panels with their labels, colour bars and legends, and what is said around them.

    attempts : which grid the panels of each group stand in; left out: the best
    """

    def __init__(
        self, figure: Figure[Any], view: View[Any], title: str, canvas: Canvas, attempts: Sequence[int] = ()
    ) -> None:
        size = canvas.inches
        self.figure, self.view, self.canvas, self.title = figure, view, canvas, title
        self.em, self.gap = size.font / 72, size.font / 144
        groups = figure.panel_groups(view, canvas)
        self.panels = [panel for group in groups for panel in group.panels]
        self.attempts = attempts or [0] * len(groups)
        self.grids = choose_grids(groups, canvas, self.attempts)
        self.rows = [row for grid in self.grids for row in grid]
        self.places = places_of(tuple(self.rows))
        self.ruler, self.bold = Ruler(canvas.dpi), Ruler(canvas.dpi, HEADLINE)
        self.drawing = Drawing(figsize=(size.width, size.height or size.width), dpi=canvas.dpi)
        FigureCanvasAgg(self.drawing)  # files have the resolution of now, texts are measured at a finer one
        self.drawing.set_dpi(self.ruler.dpi)
        share = 0.8 / max(map(len, self.rows))
        self.axes = [self.drawing.add_axes((0.1, 0.1, share, 0.5)) for _ in self.panels]
        figure.decorate(view, self.axes, canvas)
        self.titles = [axes.get_title() for axes in self.axes]
        self.legends_below = {at for at, panel in enumerate(self.panels) if panel.legend_below}
        self.legend = self._legend_of_all(groups)
        self._label_outer(groups)
        self.bars: dict[ColorBar, Axes | None] = {panel.bar: None for panel in self.panels if panel.bar}
        self.mappables: list[Any] = []
        self.outside = 0.0  # what is left free above the title and below the caption
        look: dict[str, Any] = {"ha": "center", "fontsize": size.font, "va": "top"}
        self.texts: list[Text] = [
            self.drawing.suptitle("", **look),
            self.drawing.text(0.5, 1.0, "", weight=HEADLINE, **look),
            self.drawing.supxlabel("", fontsize=canvas.small, va="bottom", alpha=0.7),
        ]
        unknown = " " if size.height else ""  # what may come takes a line
        self.say(Words(title, unknown if canvas.headed else "", unknown))

    def _legend_of_all(self, groups: Sequence[PanelGroup]) -> Legend | None:
        """Move a legend that one panel has for all to the foot of the page."""
        owners = [axes for axes in self.axes if axes.get_legend() is not None]
        if len(groups) > 1 or not groups[0].one_legend or len(owners) != 1:
            return None
        return move_legend(self.drawing, owners[0], self.canvas.inches.width - 2 * self.gap, self.ruler)

    def _label_outer(self, groups: Sequence[PanelGroup]) -> None:
        """Show labels that neighbours share once; different groups share none."""
        first = 0
        for group, grid in zip(groups, self.grids, strict=True):
            local = tuple(tuple(at - first for at in row) for row in grid)
            for panel, visible in zip(group.panels, label_outer(group.panels, local), strict=True):
                label_edges(self.axes[first], panel, visible)
                first += 1

    def say(self, words: Words) -> None:
        """Write title and message at the top, the caption at the bottom, in lines as long as the page is wide."""
        font, small, room = self.canvas.inches.font, self.canvas.small, self.canvas.inches.width - 2 * self.gap
        title, message, caption = self.texts
        title.set_text(self.ruler.wrapped(words.title, font, room))
        message.set_text(self.bold.wrapped(words.message, font, room))
        caption.set_text(self.ruler.wrapped(words.caption, small, room))

    def _height(self, artist: Text | Legend | None) -> float:
        """Return the height of a text or legend with the gap behind it; 0 where there is none."""
        if artist is None or (isinstance(artist, Text) and not artist.get_text()):
            return 0.0
        return float(artist.get_window_extent(self.ruler.renderer).height) / self.ruler.dpi + self.gap

    def measure(self) -> Measured:
        """Return what stands around the panels, legends and colour bars included."""
        margins = []
        for at, (axes, panel) in enumerate(zip(self.axes, self.panels, strict=True)):
            left, bottom, right, top = margins_of(axes, self.ruler)
            if (legend := axes.get_legend()) is not None:
                wide, high = legend_size(legend, self.ruler)
                right, bottom = (right, bottom + high) if at in self.legends_below else (max(right, wide), bottom)
            if panel.bar and at == self._panel_beside(panel.bar):
                bar = self.bars[panel.bar]
                inner = self.gap if self.places[at].right + 1 < max(map(len, self.rows)) else 0.0
                about = BAR_LABELS * self.em + self.ruler.width(TICK, self.canvas.small)
                labels = margins_of(bar, self.ruler).right if bar else about
                right += (BESIDE + BAR) * self.em + labels + inner
            margins.append(Margins(left, bottom, right, top))
        head, foot = sum(map(self._height, self.texts[:2])), self._height(self.texts[2]) + self._height(self.legend)
        return Measured(margins, head, foot)

    def _panel_beside(self, bar: ColorBar) -> int:
        """Return the panel right of which a colour bar stands: the last in the first row of those that share it."""
        sharing = [at for at, panel in enumerate(self.panels) if panel.bar == bar]
        return max(sharing, key=lambda at: (self.places[at].right, -at))

    def place(self, measured: Measured) -> None:
        """Put everything where there is room for it."""
        size, gap, panels, (margins, head, foot) = self.canvas.inches, self.gap, self.panels, measured
        pairs = list(zip(margins, self.places, strict=True))
        top = [max((m.top for m, p in pairs if p.top == row), default=0.0) for row in range(len(self.rows))]
        bottom = [max((m.bottom for m, p in pairs if p.bottom == row), default=0.0) for row in range(len(self.rows))]
        around = head + foot + sum(top) + sum(bottom) + ROWS * gap * len(top)
        across = self._across(margins, 1.0)
        wanted = self._row_heights(across)
        share = max(0.01, size.height - around) / sum(wanted) if size.height else 1.0
        if share < 1 and any(panel.exact for panel in panels):
            across = self._across(margins, share)
        exact = [any(panels[at].exact for at in row) for row in self.rows]
        if share > 1 and not all(exact):  # rows that keep their height leave the others the rest
            kept = sum(height for height, keep in zip(wanted, exact, strict=True) if keep)
            share = (share * sum(wanted) - kept) / (sum(wanted) - kept)
        heights = [h * (min(1.0, share) if keep else share) for h, keep in zip(wanted, exact, strict=True)]
        page_height = size.height or ceil((around + sum(heights)) * self.canvas.dpi) / self.canvas.dpi
        self.outside, between = self._spare(page_height - around - sum(heights), len(top))
        self.drawing.set_size_inches(size.width, page_height)
        y, lows = page_height - gap - self.outside - head - between, []
        for above, height, below in zip(top, heights, bottom, strict=True):
            lows.append(y - above - height)
            y -= above + height + below + ROWS * gap + between
        for at, (axes, panel, place) in enumerate(zip(self.axes, panels, self.places, strict=True)):
            (x, width), high = across[at], lows[place.top] + heights[place.top]
            frame = width, high - lows[place.bottom]
            if panel.exact:
                frame = min(frame[0], frame[1] / panel.aspect), min(frame[1], frame[0] * panel.aspect)
            self._put(axes, (x + (width - frame[0]) / 2, high - frame[1], *frame))
        self._fit_labels()
        self._place_bars()
        self._place_words(page_height)

    def _across(self, margins: Sequence[Margins], share: float) -> dict[int, tuple[float, float]]:
        """Return where each panel begins and how wide it is; that share of the room, in the middle."""
        found: dict[int, tuple[float, float]] = {}
        for grid in self.grids:
            columns, places = range(columns_of(grid)), {at: self.places[at] for row in grid for at in row}
            alone = grid[-1][0] if len(grid) > 1 and len(grid[-1]) == 1 < len(columns) else -1  # it has the whole row
            left, right = (
                [
                    max((margins[at][side] for at, p in places.items() if p[edge] == c and at != alone), default=0.0)
                    for c in columns
                ]
                for side, edge in ((0, 2), (2, 3))
            )
            room = self.canvas.inches.width - sum(left) - sum(right) - self.gap * (len(columns) + 1)
            room = max(0.05 * len(columns), room)
            width, (outside, between) = room * share / len(columns), self._spare(room * (1 - share), len(columns) - 1)
            starts, x = [], self.gap + outside
            for before, behind in zip(left, right, strict=True):
                starts.append(x + before)
                x += before + width + behind + self.gap + between
            short = (starts[-1] - starts[places[grid[-1][-1]].right]) / 2 if len(grid) > 1 else 0.0
            for at, place in places.items():  # a last row that is not full stands in the middle
                indent = short if at in grid[-1] else 0.0
                found[at] = starts[place.left] + indent, starts[place.right] + width - starts[place.left]
        return found

    def _spare(self, room: float, places: int) -> tuple[float, float]:
        """Return what is left free on both sides of all, and at so many places between them: not too much there."""
        between = min(room / (places + 2), MAX_GAPS * self.gap) if room > 0 else 0.0
        return max(0.0, room - between * places) / 2, between

    def _row_heights(self, across: dict[int, tuple[float, float]]) -> list[float]:
        """Return the heights that rows want; on a page of fixed height no group more than its share of that."""
        heights: list[float] = []
        for grid in self.grids:
            own = [self._row_height(row, across) for row in grid]
            most = (self.canvas.inches.height or float("inf")) / len(self.grids) if len(self.grids) > 1 else sum(own)
            heights += [height * min(1.0, most / sum(own)) for height in own]
        return heights

    def _row_height(self, row: Sequence[int], across: dict[int, tuple[float, float]]) -> float:
        """Return the height that the panels of a row want that stand in no other; beside exact ones that of those."""
        alone = [at for at in row if self.places[at].top == self.places[at].bottom]
        exact = [across[at][1] * self.panels[at].aspect for at in alone if self.panels[at].exact]
        free = [max(across[at][1] * self.panels[at].aspect, self.least(at)[1]) for at in alone]
        return max(exact or free, default=0.0)

    def _put(self, axes: Axes, box: Sequence[float]) -> None:
        """Put a frame (left, bottom, width, height) on whole pixels."""
        dpi, (width, height) = self.canvas.dpi, self.drawing.get_size_inches()
        x, y, w, h = (max(1, round(side * dpi)) / dpi for side in box)
        axes.set_position((x / width, y / height, w / width, h / height))

    def _fit_labels(self) -> None:
        """Break titles into lines, and place labels and legends, as the frames have room now."""
        size = self.drawing.get_size_inches()
        for axes, title in zip(self.axes, self.titles, strict=True):
            axes.title.set_text(title)
        self.figure.fit(self.view, self.axes, self.canvas)
        self.titles = [axes.get_title() for axes in self.axes]
        for at, (axes, title) in enumerate(zip(self.axes, self.titles, strict=True)):
            box = axes.get_position()
            frame = float(box.width * size[0]), float(box.height * size[1])
            axes.title.set_text(self.ruler.wrapped(title, float(axes.title.get_fontsize()), frame[0] + self.gap))
            if (legend := axes.get_legend()) is not None:
                if at not in self.legends_below and not legend_fits_beside(legend, frame, self.ruler):
                    self.legends_below.add(at)  # and stays there
                put_legend(axes, frame, margins_of(axes, self.ruler).bottom, at in self.legends_below, self.ruler)

    def _place_bars(self) -> None:
        """Put the colour bars beside their panels, as high as all that share them."""
        width, height = self.drawing.get_size_inches()
        for bar, axes in self.bars.items():
            if axes is not None:
                frames = [a.get_position() for a, panel in zip(self.axes, self.panels, strict=True) if panel.bar == bar]
                beside = self.axes[self._panel_beside(bar)]
                x = beside.get_position().x1 * width + margins_of(beside, self.ruler).right + BESIDE * self.em
                low, high = min(frame.y0 for frame in frames) * height, max(frame.y1 for frame in frames) * height
                self._put(axes, (x, low, BAR * self.em, high - low))

    def _place_words(self, height: float) -> None:
        """Put title, message, legend and caption where they stand."""
        y = height - self.gap - self.outside
        for text in self.texts[:2]:
            text.set_y(y / height)
            y -= self._height(text)
        foot = self.gap / 2 + self.outside
        self.texts[2].set_y(foot / height)
        if self.legend is not None:
            self.legend.set_bbox_to_anchor((0.5, (foot + self._height(self.texts[2])) / height))

    def least(self, at: int) -> tuple[float, float]:
        """Return width and height of the smallest frame in which a panel can be read."""
        wide, high = (ems * self.canvas.small / 72 for ems in self.panels[at].least)
        across, up = (axis.label for axis in (self.axes[at].xaxis, self.axes[at].yaxis))
        if across.get_visible():
            wide = max(wide, across.get_window_extent(self.ruler.renderer).width / self.ruler.dpi)
        if up.get_visible():
            high = max(high, up.get_window_extent(self.ruler.renderer).height / self.ruler.dpi)
        bar = self.panels[at].bar
        alone = bar is not None and [panel.bar for panel in self.panels].count(bar) == 1
        return wide, max(high, self.ruler.width(bar.label, self.canvas.inches.font) if bar and alone else 0.0)

    def _shortages(self) -> Any:
        """Return by how much the page is too narrow and too low for each panel, (panels, 2); below 0: it is not."""
        sizes = [np.array(axes.bbox.size) / self.ruler.dpi for axes in self.axes]
        short = np.array([np.array(self.least(at)) - size for at, size in enumerate(sizes)])
        return short * (max(map(len, self.rows)), len(self.rows))

    def lacks(self) -> tuple[float, float]:
        """Return by how much the page is too narrow and too low for its panels; below 0 where it is not."""
        wide, high = self._shortages().max(axis=0).tolist()
        return wide, high

    def next_attempts(self) -> list[int]:
        """Return the attempts with another grid for each group of which a panel lacks something."""
        lacking = self._shortages().max(axis=1) >= SHORTAGE
        grids = zip(self.attempts, self.grids, strict=True)
        return [attempt + any(lacking[at] for row in grid for at in row) for attempt, grid in grids]

    def pixels(self) -> tuple[tuple[int, int], ...]:
        """Return the rows and columns of pixels of each panel."""
        share = self.canvas.dpi / self.ruler.dpi
        sizes = [np.array(axes.bbox.size) * share for axes in self.axes]
        return tuple((max(1, round(height)), max(1, round(width))) for width, height in sizes)

    def is_crowded(self) -> bool:
        """Return whether an image has more cells than its panel has pixels."""
        pairs = zip(self.axes, self.pixels(), strict=True)
        sizes = [(image.get_size(), pixels) for axes, pixels in pairs for image in axes.images]
        return any(cells > count for size, pixels in sizes for cells, count in zip(size, pixels, strict=True))

    def again(self) -> Page:
        """Return the page before numbers were drawn on it, every frame where it stands now."""
        page = Page(self.figure, self.view, self.title, self.canvas, self.attempts)
        page.legends_below = self.legends_below
        page.drawing.set_size_inches(*self.drawing.get_size_inches())
        for axes, before in zip(page.axes, self.axes, strict=True):
            axes.set_position(before.get_position())
        page._fit_labels()
        return page

    def show(self, numbers: Numbers[Any]) -> None:
        """Draw the numbers, their colour bars, and what there is to say of them."""
        for axes, title in zip(self.axes, self.titles, strict=True):
            axes.title.set_text(title)
        self.mappables = self.figure.draw(numbers, self.axes, self.canvas)
        self.titles = [axes.get_title() for axes in self.axes]
        for bar in self.bars:
            first = next(at for at, panel in enumerate(self.panels) if panel.bar == bar)
            self.bars[bar] = add_bar(self.drawing, self.mappables[first], bar, self.canvas)
        self.say(words_of(self.title, numbers, self.canvas))


def settle(pages: Sequence[Page]) -> None:
    """Measure what stands around the panels of all pages and place everything alike on each, until nothing changes."""
    before = None
    for turn in range(MAX_PASSES):
        now = reduce(Measured.or_larger, [page.measure() for page in pages])
        if before is not None and now.moved(before) < TOLERANCE:
            break
        if before is not None and turn > 2:  # margins that come and go keep the larger
            now = now.or_larger(before)
        for page in pages:
            page.place(now)
        before = now


Contents = Sequence[tuple[Figure[Any], View[Any], str]]  # what stands on each page: a figure, its view, its title


def draw_page(
    figure: Figure[Any], view: View[Any], canvas: Canvas, title: str, known: Numbers[Any] | None = None
) -> tuple[Drawing, Numbers[Any]]:
    """Return the picture of a figure, and the numbers that it shows.

    Parameters
    ----------
    known : all numbers, where they have been computed already

    Raises
    ------
    UsageError : the size does not hold what has to be said
    """
    (page,), numbers = _draw_pages(figure, view, canvas, [(figure, view, title)], known)
    return page, numbers


def draw_frames(grid: Any, view: View[Any], canvas: Canvas, titles: Sequence[str]) -> tuple[list[Drawing], Any]:
    """Return a picture of every cell of a grid, all laid out alike and under the limits of all, and the numbers."""
    contents = [(cell.figure, cell.view, title) for cell, title in zip(grid.cells, titles, strict=True)]
    return _draw_pages(grid, view, canvas, contents)


def _draw_pages(
    figure: Figure[Any], view: View[Any], canvas: Canvas, contents: Contents, known: Numbers[Any] | None = None
) -> tuple[list[Drawing], Numbers[Any]]:
    """Return pictures in which everything has one place, and the numbers that they show."""
    failed: list[list[Page]] = []
    for smaller in (canvas, *canvas.smaller()):
        if smaller is not canvas:
            set_sizes(smaller)
        attempts: Sequence[int] = ()
        for _ in range(MAX_ATTEMPTS):
            pages = [Page(*content, smaller, attempts) for content in contents]
            pages, numbers = _shown(pages, figure, view, known)
            if numbers is not None:
                for page in pages:
                    page.drawing.set_dpi(canvas.dpi)
                return [page.drawing for page in pages], numbers
            if failed and failed[-1][0].grids == pages[0].grids:
                break
            failed.append(pages)
            attempts = pages[0].next_attempts()
    best = min(failed, key=lambda tried: max(max(page.lacks()) for page in tried))
    raise _too_small(best, figure, view, canvas, contents)


def _shown(
    pages: list[Page], figure: Figure[Any], view: View[Any], known: Numbers[Any] | None = None
) -> tuple[list[Page], Numbers[Any] | None]:
    """Return the pages with the numbers that they show; no numbers where the pages do not hold what has to be said."""
    settle(pages)
    if not _holds(pages):
        return pages, None
    for left in reversed(range(MAX_COMPUTES)):
        seen = replace(view, panels=tuple(panel for page in pages for panel in page.pixels()))
        whole = known is not None and figure.shape(known.view) == figure.shape(seen)
        numbers: Any = known if whole else figure.compute(seen)
        limited = numbers.limited(partial(resolve_limits, pages[0].canvas))
        each = [limited] if pages[0].figure is figure else [part.numbers for part in limited.parts]
        for page, own in zip(pages, each, strict=True):
            page.show(own)
        if len(pages) > 1:
            panels = [panel for page in pages for panel in page.panels]
            share_limits([axes for page in pages for axes in page.axes], panels)
            share_colours([mappable for page in pages for mappable in page.mappables], panels)
        settle(pages)
        if not left or not any(page.is_crowded() for page in pages):
            break
        pages = [page.again() for page in pages]
    _align_words(pages)
    return pages, numbers if _holds(pages) else None


def _holds(pages: Sequence[Page]) -> bool:
    """Return whether no panel is seen to lack anything."""
    return all(max(page.lacks()) < SHORTAGE for page in pages)


def _align_words(pages: Sequence[Page]) -> None:
    """Let the titles of several pictures begin at one place, and what there is to see in them: so nothing jumps."""
    for texts in zip(*(page.texts[:2] for page in pages), strict=True) if len(pages) > 1 else ():
        renderer = pages[0].ruler.renderer
        share = max(text.get_window_extent(renderer).width / text.figure.bbox.width for text in texts)
        for text in texts:
            text.set(x=0.5 - share / 2, ha="left")


def _too_small(
    pages: list[Page], figure: Figure[Any], view: View[Any], canvas: Canvas, contents: Contents
) -> UsageError:
    """Return why nothing is drawn: the size does not hold it, and one that does."""
    text = f"{option_text('size', canvas.size)} is too small for {contents[0][0].name} here: it needs "
    for again in range(MAX_SIZES):
        lacks = np.max([page.lacks() for page in pages], axis=0)
        sides = (pages[0].drawing.get_size_inches() + np.maximum(lacks, 0.0)) * (GROWTH if again else 1.0)
        width, height = (ceil(10 * float(side)) / 10 for side in sides)
        if max(width, height) > LIMITS[1]:
            break
        sized = replace(canvas, size=f"{width:g}x{height:g}")
        sized = (sized, *sized.smaller())[-1]
        set_sizes(sized)
        pages, numbers = _shown([Page(*content, sized) for content in contents], figure, view)
        if numbers is not None:
            text += f"{width:g} × {height:g} inches with text of {sized.inches.font:g} points"
            advice = f"give {option_text('size', f'{width:g}x{height:g}')}"
            return UsageError(text, option="size", value=canvas.size, advice=advice)
    advice = "make --text-size smaller, or show less"
    return UsageError(f"{text}more than {LIMITS[1]:g} inches", option="size", value=canvas.size, advice=advice)
