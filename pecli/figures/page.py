"""A page: frames with their labels, which are measured and placed, and what is drawn on them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.analysis import Numbers, View
from pecli.figures.axis_labels import label_edges
from pecli.figures.bands import least_size
from pecli.figures.base import Figure
from pecli.figures.blocks import Block, Box, Room
from pecli.figures.canvas import Canvas
from pecli.figures.headings import LINES, MORE_LINES, Headline, Headlines
from pecli.figures.layout import Layout
from pecli.figures.legends import BEFORE, WIDTH, add_bar, bar_width, place_legend, share_legend
from pecli.figures.limits import Words, words_of
from pecli.figures.matrix import cells_overflow, cells_seen
from pecli.figures.measure import Margins, around, block_of, state_of, with_bar
from pecli.figures.mosaic import Band
from pecli.figures.panel_titles import PanelTitles
from pecli.figures.panels import Bar, Panel, labelled_apart
from pecli.figures.text import HEADLINE, Ruler
from pecli.figures.ways import first_layout, with_pixels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.text import Text

APART = 1.0  # ems between titles side by side
GAP = 0.5  # ems between blocks and around the page


class Sheet(NamedTuple):
    """What is to be on a page."""

    figure: Figure[Any]
    view: View[Any]
    title: str


class Page:
    """A picture in the making."""

    def __init__(
        self,
        sheet: Sheet,
        canvas: Canvas,
        layout: Layout | None = None,
        measured: dict[Hashable, Margins] | None = None,
    ) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Drawing

        size, (figure, view, title) = canvas.inches, sheet
        self.sheet, self.figure, self.view, self.canvas = sheet, figure, view, canvas
        unknown = " " if size.height else ""  # what may come takes a line
        self.words = Words(title, unknown if canvas.headed else "", unknown)
        self.ruler, self.bold = Ruler(canvas.dpi), Ruler(canvas.dpi, HEADLINE)
        self.panels = figure.panels_for(view)
        self.above = 0.0  # the height that the title takes
        self.drawing = Drawing(figsize=(size.width, size.height or size.width), dpi=canvas.dpi)
        FigureCanvasAgg(self.drawing)
        self.drawing.set_dpi(self.ruler.dpi)
        self.message = self.drawing.text(0.5, 1.0, "", ha="center", va="top", weight=HEADLINE)
        self.axes = [self.drawing.add_axes((0.0, 0.0, 1.0, 1.0)) for _ in self.panels]
        self.headlines = Headlines([], (self.ruler, self.bold))
        self.titles = PanelTitles(self.ruler)
        self.blocks: list[Block] = []
        self.measured: dict[Hashable, Margins] = {} if measured is None else measured
        self.bars: list[Axes] = []
        self.mappables: list[Any] = []
        figure.frame(view, self.axes, canvas)
        self.key = share_legend(self.drawing, self.axes, size.width - 2 * GAP * size.font / 72, self.ruler)
        if layout is None:
            layout = first_layout(self.panels, canvas, self.room(), self.bands())
        beside = zip(self.panels, layout.beside(), strict=True)
        self.panels = [with_pixels(panel, count, canvas) for panel, count in beside]
        self.place(layout)

    def bands(self) -> list[Band]:
        """The grids of panels that stand below each other, and how each may be arranged."""
        return self.figure.bands(self.view)

    def measure(self) -> None:
        """Measures what stands around the frames."""
        beside = [(axes.get_ylabel(), self._around(axes).right) for axes in self.bars]
        blocks = [self._block(axes, panel, beside) for axes, panel in zip(self.axes, self.panels, strict=True)]
        self.blocks = self.headlines.raised(blocks, self.layout.mosaic)

    def _block(self, axes: Axes, panel: Panel, beside: Sequence[tuple[str, float]]) -> Block:
        """The panel with what stands around it.

        beside : the labels of the colour bars that are drawn, and what stands right of them
        """
        block = block_of(axes, panel, self._around(axes), self.titles.before(axes), self.canvas, self.ruler)
        across, down = cells_seen(axes) if axes.images else (panel.rows * panel.exact, panel.rows)
        block = replace(block, cells=(across / self.canvas.dpi, down / self.canvas.dpi))
        return with_bar(block, self.canvas, self.ruler, self._bar_width(panel.bar, beside))

    def _around(self, axes: Axes) -> Margins:
        """What stands around a frame, measured where it is not as it was, here or on a page like this."""
        now = [*self.axes, *self.bars].index(axes), state_of(axes)
        if now not in self.measured:
            self.measured[now] = around(axes, self.ruler)
        return self.measured[now]

    def _bar_width(self, bar: Bar | None, beside: Sequence[tuple[str, float]]) -> float:
        """What a colour bar takes: as measured where it is drawn, else about."""
        drawn = [width for label, width in beside if bar is not None and label == bar.label]
        if bar is None or not drawn:
            return bar_width(self.canvas, self.ruler) if bar else 0.0
        return (BEFORE + WIDTH) * self.canvas.inches.font / 72 + max(drawn)

    def least(self) -> tuple[float, float]:
        """Width and height that would be enough."""
        return least_size(self.blocks, self.room(), self.bands())

    def pixels(self) -> list[tuple[int, int]]:
        """The rows and columns of pixels that the panels have."""
        share = self.canvas.dpi / self.ruler.dpi
        return [(round(share * axes.bbox.height), round(share * axes.bbox.width)) for axes in self.axes]

    def lost(self, before: Sequence[tuple[int, int]]) -> bool:
        """Whether a panel has fewer pixels than numbers were made for."""
        pairs = zip(self.pixels(), before, strict=True)
        return any(now < then for one, other in pairs for now, then in zip(one, other, strict=True))

    def crowded(self) -> bool:
        """Whether an image has more blocks than its panel has pixels, or numbers that its cells do not hold."""
        every = ((image, own) for axes, own in zip(self.axes, self.pixels(), strict=True) for image in axes.images)
        sides = (pair for image, own in every for pair in zip(image.get_size(), own, strict=True))
        return any(blocks > count for blocks, count in sides) or any(map(cells_overflow, self.axes))

    def show(self, numbers: Numbers[Any]) -> None:
        """Puts the numbers onto the frames, with their colour bars, and what is said of them onto the page."""
        self.mappables = self.figure.draw(numbers, self.axes, self.canvas)
        self.words = words_of(self.sheet.title, numbers, self.canvas)
        self._say_apart(numbers.messages() if self.canvas.headed else [])
        self._add_bars()

    def _say_apart(self, messages: Sequence[str]) -> None:
        """Says above each part what there is to see in it, and not above all, where that has room."""
        if not any(messages):
            return
        headings, points = self.figure.headings(self.view), self.canvas.inches.font
        said = zip(headings, [*messages, ""], strict=False)  # nothing of the difference of two
        lines = [Headline(self.drawing, heading, message, points) for heading, message in said]
        self.headlines = Headlines(lines, (self.ruler, self.bold))
        if self.headlines.wrap(self.layout) > (LINES if self.canvas.inches.height else MORE_LINES):
            self.headlines.remove()
            return
        self.words = self.words._replace(message="")
        for heading in headings:
            axes = self.axes[heading.first]
            axes.title.set_text(f"{self.titles.now(axes)}\n".removeprefix(f"{heading.name}\n").strip())

    def room(self) -> Room:
        """What title, message and caption leave; they break into lines that fit the page."""
        size = self.canvas.inches
        gap = GAP * size.font / 72
        across, foot = size.width - 2 * gap, 0.0
        head = self._head(across, gap)
        if self.words.caption:
            text = self.drawing.supxlabel(self.ruler.wrapped(self.words.caption, self.canvas.small, across), alpha=0.7)
            foot = self._height(text) + gap
        elif self.drawing.get_supxlabel():
            self.drawing.supxlabel("")
        self.below = foot  # where a legend of all panels stands
        if self.key is not None:
            foot += self._height(self.key) + gap
        return Room(size.width, size.height, head, foot, gap)

    def _head(self, across: float, gap: float) -> float:
        """Writes title and message; gives the height that they take."""
        font, self.above = self.canvas.inches.font, 0.0
        if self.words.title:
            title = self.drawing.suptitle(self.ruler.wrapped(self.words.title, font, across), fontsize=font)
            self.above = self._height(title) + gap
        self.message.set(text=self.bold.wrapped(self.words.message, font, across), fontsize=font)
        return self.above + (self._height(self.message) + gap if self.words.message else 0.0)

    def _height(self, text: Text | Legend) -> float:
        return float(text.get_window_extent(self.ruler.renderer).height) / self.ruler.dpi

    def place(self, layout: Layout) -> None:
        """Puts everything where the layout has it."""
        self.layout = layout
        gap, em = GAP * self.canvas.inches.font / 72, self.canvas.inches.font / 72
        self.drawing.set_size_inches(layout.width, layout.height)
        shown = labelled_apart(self.panels, layout.grids)
        apart = max(APART * em - layout.gutter, 0.0 if layout.even else float("-inf"))
        for axes, frame, panel, labels in zip(self.axes, layout.frames, self.panels, shown, strict=True):
            self._put(axes, frame)
            self.titles.wrap(axes, frame.width, apart)
            label_edges(axes, panel, labels)
        for row in layout.mosaic:
            self.titles.wrap_alike([self.axes[at] for at in row])
        self.figure.fit(self.view, self.axes, self.canvas)
        for axes, frame in zip(self.axes, layout.frames, strict=True):
            if axes.get_legend() is not None:
                place_legend(axes, frame, self._around(axes).bottom, self.ruler)
        if len(self.bars) != len(layout.runs) and self.bars:
            self._add_bars()
        for bar, box in zip(self.bars, layout.bars, strict=False):
            self._put(bar, Box(box.left + BEFORE * em, box.bottom, WIDTH * em, box.height))
        self._place_words(gap)

    def _place_words(self, gap: float) -> None:
        """Puts title, message, key and caption where they stand; the gap in inches."""
        height, above, below = self.layout.height, self.layout.above + gap, self.layout.below + gap
        if self.words.title:
            self.drawing.suptitle(self.drawing.get_suptitle(), y=1 - above / height, va="top")
        self.message.set_y(1 - (above + self.above) / height)
        self.headlines.wrap(self.layout)
        self.headlines.put(self.layout, self.blocks)
        if self.key is not None:
            self.key.set_bbox_to_anchor((0.5, (self.below + below) / height))
        if self.words.caption:
            self.drawing.supxlabel(self.drawing.get_supxlabel(), y=below / height, va="bottom")

    def _put(self, axes: Axes, box: Box) -> None:
        """Puts a frame on whole pixels, so that an image has as many of them as it is told."""
        dpi, (width, height) = self.canvas.dpi, self.drawing.get_size_inches()
        left, bottom, across, up = (max(0, round(side * dpi)) / dpi for side in box)
        axes.set_position((left / width, bottom / height, max(1 / dpi, across) / width, max(1 / dpi, up) / height))

    def _add_bars(self) -> None:
        """Draws the colour bars, one for each that the layout has a place for."""
        for bar in self.bars:
            bar.remove()
        runs = self.layout.runs
        self.bars = [
            add_bar(self.drawing, self.mappables[run.panel], self.panels[run.panel].bar or run.bar, self.canvas)
            for run in runs
        ]
