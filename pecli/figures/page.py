"""A figure on a page: what stands around each panel is measured, the panels share what is left. Lengths in inches.

Every axes is made with its labels; its tight box less its frame are its margins. Columns and rows take the largest of
theirs, panels share the rest, the height follows from their aspects. That is done twice, since ticks follow the size.
Then as many numbers are computed as the panels have pixels, and drawn; captions, bars and labels that come with them
are measured in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import accumulate
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.legend import Legend
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from pecli.analysis import Numbers, View
from pecli.core.errors import UsageError, option_text
from pecli.core.language import capitalised, join_clauses
from pecli.core.lazy import Array
from pecli.figures.axis_labels import label_as_asked, label_edges
from pecli.figures.base import Figure, groups_of
from pecli.figures.canvas import LIMITS, SIZES, Canvas
from pecli.figures.cell_image import FEW_IN_FRAMES, CellImage
from pecli.figures.composite import share_colours, share_limits
from pecli.figures.legends import add_bar, bar_label, legend_size, move_legend, put_legend, remove_legends
from pecli.figures.limits import footnotes, resolve_limits
from pecli.figures.panels import ColorBar, Mosaic, PanelGroup, columns_of, counted_from, label_outer, places_of
from pecli.figures.style import set_sizes
from pecli.figures.text import HEADLINE, Ruler

LABELS = 4.0  # em that labels take beside a panel, roughly: to choose the grid
BAR, BESIDE = 0.9, 0.6  # em: a colour bar's width, and what is left free before it
BAR_LABELS, TICK = 2.4, "−0.00"  # em that a colour bar's label takes and about its widest tick: before it is drawn
NEARLY = 0.85  # of what the grid shows that shows most: one that comes first or has full rows is as good
MAX_GRIDS = 4  # that are tried, at most
ROWS = 1.5  # gaps from what stands below a row to what stands above the next
MAX_GAPS = 4  # gaps more between panels, at most, where there is room to spare
LONG = 0.75  # of a panel's width: a title that is broken where one beside it is
SHARE = 0.35  # of the panel's width, that a legend beside it takes at most
MAX_PASSES = 6  # of measuring, at most: ticks depend on the size, and the size on ticks
TOLERANCE = 0.005  # inches: what moves less than that stands still
GROWN = 1.15  # times higher is a panel with more numbers than there were pixels for when they were computed
MAX_COMPUTES = 3  # times that numbers are computed, at most: they bring captions and bars that take some of the pixels
GREY = 0.7  # opacity of what stands beside the headline
SHORTAGE = 0.08  # inches that a panel may lack before it is seen
HIGHER = 2.5  # times the height that a panel wants, which it takes where every row of its image has a pixel then
HIGHEST = 9.0  # inches of a page whose height is free, where that is enough
GROWTH = 1.1  # times larger is the next size that is tried, to name one that would do


class Words(NamedTuple):
    """What a picture says: what it shows of what, what there is to see in it, and how it was made."""

    headline: str
    title: str
    footnote: str


def words_of(title: str, numbers: Numbers[Any], canvas: Canvas) -> Words:
    """Return what a picture says under that title: pecli's texts or the author's, and none that is to be left out."""
    footnote = join_clauses(footnotes(numbers, canvas))
    own = {"headline": capitalised(numbers.message()), "title": title, "footnote": footnote}
    return Words(**{name: canvas.written(name, own) for name in own})


def margins_of(axes: Axes, ruler: Ruler) -> Array:
    """Return how far labels reach beyond the frame: left, bottom, right, top; no texts in cells, no legends."""
    box = axes.get_tightbbox(ruler.renderer, bbox_extra_artists=axes.child_axes, for_layout_only=True)
    assert box is not None  # an Axes that is visible has one
    beside = (text for text in axes.texts if isinstance(text, Annotation))
    texts = [text for text in beside if text.get_visible() and text.get_in_layout()]
    for text in texts:
        text.update_positions(ruler.renderer)
    boxes = [box, *(Text.get_window_extent(text, ruler.renderer) for text in texts)]  # leaders are never the outermost
    frame, outer = np.array(axes.bbox.extents), np.array(Bbox.union(boxes).extents)
    return np.maximum(0.0, [*(frame[:2] - outer[:2]), *(outer[2:] - frame[2:])]) / ruler.dpi


def grids_to_try(groups: Sequence[PanelGroup], canvas: Canvas) -> Iterator[list[Mosaic]]:
    """Yield a grid for each group, the best first; panels are counted over all groups."""
    ranked = [_ranked(group, canvas, len(groups)) for group in groups]
    firsts = accumulate([len(group.panels) for group in groups[:-1]], initial=0)
    ranked = [[counted_from(first, grid) for grid in grids] for first, grids in zip(firsts, ranked, strict=True)]
    for at in range(min(MAX_GRIDS, max(map(len, ranked)))):
        yield [grids[min(at, len(grids) - 1)] for grids in ranked]


def _ranked(group: PanelGroup, canvas: Canvas, groups: int) -> list[Mosaic]:
    """Return the grids of one of so many groups, the best first, by what panels and their labels take about: on a page
    of free height the widest whose panels have the width that they need, else the one that shows most."""
    size, em = canvas.inches, canvas.inches.font / 72
    wanting = max(group.panels, key=lambda panel: panel.least[0])

    def frame(grid: Mosaic) -> tuple[float, float]:
        columns, bar = columns_of(grid), 4.0 if wanting.bar else 0.0
        labels = LABELS * columns if wanting.y is None else LABELS + columns
        high = ((size.height or 0.0) / groups - 4 * em) / len(grid) - 4 * em
        return (size.width - (labels + bar) * em) / columns, high

    def shown(grid: Mosaic) -> float:
        """Return the mean area of the panels, no sliver counted whole, nor an image without a pixel for each row."""
        (one_wide, one_high), areas = frame(grid), []
        for place, panel in zip(places_of(grid), group.panels, strict=True):
            wide = max(0.0, one_wide) * (place.right - place.left + 1)
            high = max(0.0, one_high) * (place.bottom - place.top + 1)
            if panel.exact:
                areas.append(min(wide, high / panel.aspect) ** 2 * panel.aspect)
            else:
                rows = panel.rows / canvas.dpi
                seen = min(1.0, high / rows) if rows else 1.0
                areas.append(min(wide, 2 * high / panel.aspect) * min(high, max(2 * wide * panel.aspect, rows)) * seen)
        return sum(areas) / len(areas)

    if size.height:
        most = max(map(shown, group.grids))
        return sorted(group.grids, key=lambda grid: (shown(grid) < NEARLY * most, len(grid[0]) - len(grid[-1])))
    grids = [grid for grid in group.grids if columns_of(grid) <= columns_of(group.grids[0])]
    return [grid for grid in grids if frame(grid)[0] >= wanting.least[0] * canvas.small / 72] or grids[-1:]


class Page:
    """A picture in the making: panels with their labels, colour bars and legends, and what is said around them.

    grids : where the panels of each group stand
    """

    def __init__(
        self, figure: Figure[Any], view: View[Any], title: str, canvas: Canvas, grids: Sequence[Mosaic]
    ) -> None:
        size = canvas.inches
        self.figure, self.view, self.canvas, self.title, self.grids = figure, view, canvas, title, grids
        self.em, self.gap = size.font / 72, size.font / 144
        groups = groups_of(figure, view, canvas)
        self.panels = [panel for group in groups for panel in group.panels]
        self.rows = [row for grid in self.grids for row in grid]
        self.places = places_of(tuple(self.rows))
        self.ruler, self.bold = Ruler(canvas.dpi), Ruler(canvas.dpi, HEADLINE)
        self.drawing = Drawing(figsize=(size.width, size.height or size.width), dpi=canvas.dpi)
        FigureCanvasAgg(self.drawing)  # files have the resolution of now, texts are measured at a finer one
        self.drawing.set_dpi(self.ruler.dpi)
        share = 0.8 / max(map(len, self.rows))
        self.axes = [self.drawing.add_axes((0.1, 0.1, share, 0.5)) for _ in self.panels]
        figure.decorate(view, self.axes, canvas)
        if canvas.no_legend:
            remove_legends(self.axes)
        self.titles = [axes.get_title() for axes in self.axes]
        self.legends_below = {at for at, panel in enumerate(self.panels) if panel.legend_below}
        self.legend: Legend | None = None
        owners = [axes for axes in self.axes if axes.get_legend() is not None]
        if len(groups) == 1 and groups[0].one_legend and len(owners) == 1:
            self.legend = move_legend(self.drawing, owners[0], size.width - 2 * self.gap, self.ruler)
        for axes, panel, shown in zip(self.axes, self.panels, label_outer(self.panels, tuple(self.rows)), strict=True):
            label_edges(axes, panel, shown)
        label_as_asked(self.axes, self.panels, canvas)
        self.own_bars = [*dict.fromkeys(panel.bar for panel in self.panels if panel.bar and not canvas.no_colorbar)]
        self.bars: dict[ColorBar, Axes | None] = dict.fromkeys(bar for bar in self.own_bars if not bar.spare)
        self.has_late_bars = False  # for which there was no room when numbers were computed
        self.mappables: list[Any] = []
        look: dict[str, Any] = {"ha": "center", "fontsize": size.font, "va": "top"}
        self.texts: list[Text] = [
            self.drawing.text(0.5, 1.0, "", weight=HEADLINE, **look),
            self.drawing.suptitle("", alpha=GREY, **look),
            self.drawing.supxlabel("", fontsize=canvas.small, va="bottom", alpha=GREY),
        ]
        unknown = " " if size.height else ""  # what may come takes a line
        own = {"headline": unknown, "title": title, "footnote": unknown}
        self.say(Words(**{name: canvas.written(name, own) for name in own}))

    def say(self, words: Words) -> None:
        """Write headline and title at the top, the footnote at the bottom, in lines as long as the page is wide."""
        font, small, room = self.canvas.inches.font, self.canvas.small, self.canvas.inches.width - 2 * self.gap
        headline, title, footnote = self.texts
        headline.set_text(self.bold.wrapped(words.headline, font, room))
        title.set_text(self.ruler.wrapped(words.title, font, room))
        footnote.set_text(self.ruler.wrapped(words.footnote, small, room))

    def _height(self, artist: Text | Legend | None) -> float:
        """Return the height of a text or legend with the gap behind it; 0 where there is none."""
        if artist is None or (isinstance(artist, Text) and not artist.get_text()):
            return 0.0
        return float(artist.get_window_extent(self.ruler.renderer).height) / self.ruler.dpi + self.gap

    def measure(self) -> Array:
        """Return what stands around each panel, legends and colour bars too, then above and below all, (n + 1, 4)."""
        margins = []
        for at, (axes, panel) in enumerate(zip(self.axes, self.panels, strict=True)):
            left, bottom, right, top = margins_of(axes, self.ruler)
            if (legend := axes.get_legend()) is not None:
                wide, high = legend_size(legend, self.ruler)
                right, bottom = (right, bottom + high) if at in self.legends_below else (max(right, wide), bottom)
            if panel.bar in self.bars and at == self._panel_beside(panel.bar):
                bar = self.bars[panel.bar]
                inner = 2 * self.gap if self.places[at].right + 1 < max(map(len, self.rows)) else 0.0
                about = BAR_LABELS * self.em + self.ruler.width(TICK, self.canvas.small)
                right += (BESIDE + BAR) * self.em + (margins_of(bar, self.ruler)[2] if bar else about) + inner
            margins.append([left, bottom, right, top])
        for own, place in zip(margins, self.places, strict=True):  # labels stand by their own panel
            beside = [
                right
                for (_, _, right, _), other in zip(margins, self.places, strict=True)
                if other.right == place.left - 1
            ]
            own[0] += self.gap * (bool(beside) and own[0] > 0 and max(beside) < self.gap)
        head, foot = sum(map(self._height, self.texts[:2])), self._height(self.texts[2]) + self._height(self.legend)
        return np.array([*margins, [head, foot, 0.0, 0.0]])

    def _panel_beside(self, bar: ColorBar) -> int:
        """Return the panel right of which a colour bar stands: the last in the first row of those that share it."""
        sharing = [at for at, panel in enumerate(self.panels) if panel.bar == bar]
        return max(sharing, key=lambda at: (self.places[at].right, -at))

    def place(self, measured: Array) -> None:
        """Put everything where there is room for it."""
        size, gap, panels, (head, foot, *_) = self.canvas.inches, self.gap, self.panels, measured[-1]
        margins = measured[:-1].tolist()
        top = self._largest(margins, 3, "top", len(self.rows))
        bottom = self._largest(margins, 1, "bottom", len(self.rows))
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
        outside, between = self._spare(page_height - around - sum(heights), len(top))
        self.drawing.set_size_inches(size.width, page_height)
        y, lows = page_height - gap - outside - head - between, []
        for above, height, below in zip(top, heights, bottom, strict=True):
            lows.append(y - above - height)
            y -= above + height + below + ROWS * gap + between
        for at, (axes, panel, place) in enumerate(zip(self.axes, panels, self.places, strict=True)):
            (x, width), high = across[at], lows[place.top] + heights[place.top]
            whole = frame = width, high - lows[place.bottom]
            if panel.exact:
                frame = min(frame[0], frame[1] / panel.aspect), min(frame[1], frame[0] * panel.aspect)
            below = (whole[1] - frame[1]) / 2 if place.top < place.bottom else whole[1] - frame[1]
            self._put(axes, (x + (width - frame[0]) / 2, lows[place.bottom] + below, *frame))
        self._fit_labels()
        self._place_bars()
        self._place_words(page_height, outside)

    def _largest(self, margins: Sequence[Any], side: int, edge: str, count: int, without: int = -1) -> list[float]:
        """Return the largest margin on one side of the panels that end there, in each of so many rows or columns."""
        pairs = [(getattr(self.places[at], edge), own[side]) for at, own in enumerate(margins) if own and at != without]
        return [max((margin for place, margin in pairs if place == item), default=0.0) for item in range(count)]

    def _across(self, margins: Sequence[Any], share: float) -> dict[int, tuple[float, float]]:
        """Return where each panel begins and how wide it is; that share of the room, in the middle."""
        found: dict[int, tuple[float, float]] = {}
        for grid in self.grids:
            columns, places = range(columns_of(grid)), {at: self.places[at] for row in grid for at in row}
            alone = grid[-1][0] if len(grid) > 1 and len(grid[-1]) == 1 < len(columns) else -1  # it has the whole row
            own = [margin if at in places else () for at, margin in enumerate(margins)]
            left, right = (self._largest(own, *side, len(columns), alone) for side in ((0, "left"), (2, "right")))
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
        free = [max(self._free_height(at, across[at][1]), self.least(at)[1]) for at in alone]
        return max(exact or free, default=0.0)

    def _free_height(self, at: int, width: float) -> float:
        """Return the height that a panel wants at a width: where little more is a pixel a row of its image, that."""
        panel, whole = self.panels[at], (self.panels[at].rows + 0.5) / self.canvas.dpi
        height = width * panel.aspect
        return whole if self.canvas.inches.height is None and height < whole <= HIGHER * height else height

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
            axes.title.set_text(self._wrapped_title(at, title, frame[0]))
            if (legend := axes.get_legend()) is not None:
                wide, high = legend_size(legend, self.ruler)
                if wide > SHARE * frame[0] or high > 1.08 * frame[1]:
                    self.legends_below.add(at)  # and stays there
                put_legend(axes, frame, margins_of(axes, self.ruler)[1], at in self.legends_below, self.ruler)

    def _wrapped_title(self, at: int, title: str, frame: float) -> str:
        """Return a panel's title, no line longer than its frame, or a little where no panel alike stands beside it; a
        long one in two lines where that of a panel alike takes them."""
        size, own = float(self.axes[at].title.get_fontsize()), (self.panels[at], self.places[at][:2])
        others = zip(self.titles, self.panels, self.places, strict=True)
        widths = [self.ruler.width(text, size) for text, panel, place in others if (panel, place[:2]) == own]
        width, room = self.ruler.width(title, size), frame + self.gap * (len(widths) == 1)
        if "\n" not in title and LONG * room < width <= room < max(widths):
            room = max(0.6 * width, *(self.ruler.width(word, size) for word in title.split(" ")))
        return self.ruler.wrapped(title, size, room)

    def _place_bars(self) -> None:
        """Put the colour bars beside their panels, as high as all that share them, up to where another bar stands."""
        width, height = self.drawing.get_size_inches()
        places = {bar: self.places[self._panel_beside(bar)] for bar in self.bars}
        for bar, axes in self.bars.items():
            if axes is not None:
                others = [place for place in places.values() if place.right == places[bar].right]
                above = max((place.bottom for place in others if place.bottom < places[bar].top), default=-1)
                below = min((place.top for place in others if place.top > places[bar].bottom), default=len(self.rows))
                every = zip(self.axes, self.panels, self.places, strict=True)
                sharing = (ax for ax, panel, own in every if panel.bar == bar and above < own.top <= own.bottom < below)
                frames, beside = [ax.get_position() for ax in sharing], self.axes[self._panel_beside(bar)]
                x = beside.get_position().x1 * width + margins_of(beside, self.ruler)[2] + BESIDE * self.em
                low, high = min(frame.y0 for frame in frames) * height, max(frame.y1 for frame in frames) * height
                self._put(axes, (x, low, BAR * self.em, high - low))

    def _place_words(self, height: float, outside: float) -> None:
        """Put headline, title, legend and footnote where they stand."""
        outside = 0.0 if self.canvas.inches.height else outside  # a slide's stand at its ends
        y = height - self.gap - outside
        for text in self.texts[:2]:
            text.set_y(y / height)
            y -= self._height(text)
        foot = self.gap / 2 + outside
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
        alone = bar in self.bars and [panel.bar for panel in self.panels].count(bar) == 1
        label = bar_label(bar, self.canvas) if alone and bar else ""
        return wide, max(high, self.ruler.width(label, self.canvas.inches.font))

    def lacks(self) -> Array:
        """Return by how much the page is too narrow and too low for its panels, (2,); below 0 where it is not."""
        sizes = np.array([axes.bbox.size for axes in self.axes]) / self.ruler.dpi
        spans = [(place.right - place.left + 1, place.bottom - place.top + 1) for place in self.places]
        short = np.array([self.least(at) for at in range(len(self.axes))]) - sizes
        return np.asarray((short * (max(map(len, self.rows)), len(self.rows)) / spans).max(axis=0))

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

    def is_outgrown(self) -> bool:
        """Return whether the numbers in cells have no room any more, since there is more to say than was expected."""
        return any(
            text.get_window_extent(self.ruler.renderer).width > axes.bbox.width / image.get_size()[1]
            for axes in self.axes
            for image in axes.images
            for text in getattr(image, "numbers", {}).values()
        )

    def again(self, measured: Array) -> Page:
        """Return the page before numbers were drawn on it, with what stands around its panels."""
        page = Page(self.figure, self.view, self.title, self.canvas, self.grids)
        page.legends_below, page.bars = self.legends_below, dict.fromkeys(self.bars)
        page.place(measured)
        return page

    def show(self, numbers: Numbers[Any]) -> None:
        """Draw the numbers, their colour bars, and what there is to say of them."""
        for axes, title in zip(self.axes, self.titles, strict=True):
            axes.title.set_text(title)
        self.mappables, words = (
            self.figure.draw(numbers, self.axes, self.canvas),
            words_of(self.title, numbers, self.canvas),
        )
        for bar in self.own_bars:
            beside = [at for at, panel in enumerate(self.panels) if panel.bar == bar]
            shared, panels = [self.mappables[at] for at in beside], [self.axes[at] for at in beside]
            if bar.spare and all(len(image.numbers) == image.get_array().count() for image in shared):
                label = bar_label(bar, self.canvas)
                untitled = len(panels) == 1 and not panels[0].get_title()
                if untitled and label not in words.headline:  # what the numbers are
                    panels[0].set_title(label)
                if untitled or any(label in own.get_title() for own in self.axes):
                    self.bars.pop(bar, None)
                    continue
            self.has_late_bars |= bar not in self.bars
            self.bars[bar] = add_bar(self.drawing, shared, bar, self.canvas)
        self.titles = [axes.get_title() for axes in self.axes]
        self.say(words)


def settle(pages: Sequence[Page]) -> Array:
    """Measure what stands around the panels of all pages and place everything alike on each, until nothing changes."""
    before = None
    for turn in range(MAX_PASSES):
        now = np.maximum.reduce([page.measure() for page in pages])
        if before is not None and np.abs(now - before).max() < TOLERANCE:
            break
        if before is not None and turn > 2:  # margins that come and go keep the larger
            now = np.maximum(now, before)
        for page in pages:
            page.place(now)
        before = now
    return now


Contents = Sequence[tuple[Figure[Any], View[Any], str]]  # what stands on each page: a figure, its view, its title


def draw_page(
    figure: Figure[Any], view: View[Any], canvas: Canvas, title: str, known: Numbers[Any] | None = None, cells: int = 0
) -> tuple[Drawing, Numbers[Any]]:
    """Return the picture of a figure, and the numbers that it shows.

    Parameters
    ----------
    known : all numbers, where they have been computed already
    cells : rows and columns of matrices, all together, that are drawn even where pixels are fewer

    Raises
    ------
    UsageError : the size does not hold what has to be said
    """
    (page,), numbers = _draw_pages(figure, view, canvas, [(figure, view, title)], known, cells)
    return page, numbers


def draw_frames(
    grid: Any, view: View[Any], canvas: Canvas, titles: Sequence[str], cells: int = 0
) -> tuple[list[Drawing], Any]:
    """Return a picture of every cell of a grid, all laid out alike and under the limits of all, and the numbers."""
    contents = [(cell.figure, cell.view, title) for cell, title in zip(grid.cells, titles, strict=True)]
    drawings, numbers = _draw_pages(grid, view, canvas, contents, cells=cells)
    for drawing in drawings:
        for image in drawing.findobj(CellImage):
            image.few = FEW_IN_FRAMES
    return drawings, numbers


def _draw_pages(
    figure: Figure[Any],
    view: View[Any],
    canvas: Canvas,
    contents: Contents,
    known: Numbers[Any] | None = None,
    cells: int = 0,
) -> tuple[list[Drawing], Numbers[Any]]:
    """Return pictures in which everything has one place, and the numbers that they show."""
    failed = []
    for smaller in (canvas, *canvas.smaller()):
        set_sizes(smaller)
        for grids in grids_to_try(groups_of(*contents[0][:2], smaller), smaller):
            drawn = [Page(*content, smaller, grids) for content in contents]
            pages, numbers = _shown(drawn, figure, view, known, cells)
            if numbers is not None:
                if canvas.inches.height is None and pages[0].drawing.get_size_inches()[1] > HIGHEST:
                    with suppress(UsageError):
                        return _draw_pages(figure, view, canvas.cut(HIGHEST), contents, known, cells)
                for page in pages:
                    page.drawing.set_dpi(canvas.dpi)
                return [page.drawing for page in pages], numbers
            failed.append(pages)
    best = min(failed, key=lambda tried: max(page.lacks().max() for page in tried))
    raise _too_small(best, figure, view, canvas, contents)


def _shown(
    pages: list[Page], figure: Figure[Any], view: View[Any], known: Numbers[Any] | None = None, cells: int = 0
) -> tuple[list[Page], Numbers[Any] | None]:
    """Return the pages with the numbers that they show; no numbers where the pages do not hold what has to be said."""
    settle(pages)
    if not _holds(pages):
        return pages, None
    for left in reversed(range(MAX_COMPUTES)):
        panels = [panel for page in pages for panel in page.pixels()]
        least = int(cells / sqrt(len(panels)))
        seen = replace(view, panels=tuple((max(rows, least), max(columns, least)) for rows, columns in panels))
        whole = known is not None and figure.shape(known.view) == figure.shape(seen)
        numbers: Any = known if whole else figure.compute(seen)
        numbers = numbers.placed(pages[0].rows)
        limited = numbers.limited(partial(resolve_limits, pages[0].canvas))
        each = [limited] if pages[0].figure is figure else [part.numbers for part in limited.parts]
        for page, own in zip(pages, each, strict=True):
            page.show(own)
        if len(pages) > 1:
            every = [panel for page in pages for panel in page.panels]
            share_limits([axes for page in pages for axes in page.axes], every)
            share_colours([mappable for page in pages for mappable in page.mappables], every)
        measured = settle(pages)
        now = [panel for page in pages for panel in page.pixels()]
        grown = any(rows > GROWN * before for (rows, _), (before, _) in zip(now, panels, strict=True))
        coarse = not cells and (grown or any(page.is_crowded() for page in pages))
        if not left or not (coarse or any(page.has_late_bars or page.is_outgrown() for page in pages)):
            break
        pages = [page.again(measured) for page in pages]
    _align_words(pages)
    return pages, numbers if _holds(pages) else None


def _holds(pages: Sequence[Page]) -> bool:
    """Return whether no panel is seen to lack anything."""
    return all(page.lacks().max() < SHORTAGE for page in pages)


def _align_words(pages: Sequence[Page]) -> None:
    """Let the headlines of several pictures begin at one place, and their titles: so nothing jumps."""
    for texts in zip(*(page.texts[:2] for page in pages), strict=True) if len(pages) > 1 else ():
        renderer = pages[0].ruler.renderer
        share = max(text.get_window_extent(renderer).width / text.figure.bbox.width for text in texts)
        for text in texts:
            text.set(x=0.5 - share / 2, ha="left")


def _too_small(
    pages: list[Page], figure: Figure[Any], view: View[Any], canvas: Canvas, contents: Contents
) -> UsageError:
    """Return why nothing is drawn: the size does not hold it, and one that does."""
    if canvas.size in SIZES:
        points = f"{canvas.text_size or canvas.inches.least:g} points"
        text = f"{contents[0][0].name} has no room here on a {canvas.size}, with text of {points}"
        fewer = "name fewer --panels" if "panels" in contents[0][0].options() else "show less"
        less = "make --text-size smaller" if canvas.text_size else fewer
        advice = less if canvas.inches.height else f"{less}, or give a larger --size"
        raise UsageError(text, option="size", value=canvas.size, advice=advice)
    text = f"{option_text('size', canvas.size)} is too small for {contents[0][0].name} here: it needs "
    sides, growth = pages[0].drawing.get_size_inches(), 1.0
    while True:
        sides = np.ceil(10 * growth * (sides + np.maximum(np.max([page.lacks() for page in pages], axis=0), 0.0))) / 10
        if sides.max() > LIMITS[1]:
            break
        size = replace(canvas, size="{:g}x{:g}".format(*sides))
        sized, growth = (size, *size.smaller())[-1], GROWTH
        set_sizes(sized)
        pages, numbers = _shown([Page(*content, sized, pages[0].grids) for content in contents], figure, view)
        if numbers is not None:
            text += "{:g} × {:g} inches".format(*sides)
            return UsageError(text, option="size", value=canvas.size, advice=f"give {option_text('size', size.size)}")
    advice = "make --text-size smaller, or show less"
    return UsageError(f"{text}more than {LIMITS[1]:g} inches", option="size", value=canvas.size, advice=advice)
