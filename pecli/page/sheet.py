"""The artists of a picture: panels with labels, colour bars, legends and texts, measured and placed on a page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from math import isfinite, log
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from pecli.core.numbers import number_text
from pecli.page.axis_labels import put_axes, write_user_labels
from pecli.page.canvas import SQUARE, Canvas
from pecli.page.colors import RULE, headline_ink, note_ink
from pecli.page.labels import SpanLabel, labels_of
from pecli.page.layout import (
    BAR_DROP,
    BAR_HEIGHT,
    NO_BOX,
    NO_MARGINS,
    PAD,
    STACKED,
    Box,
    Contents,
    Layout,
    Legend,
    Margins,
    Page,
    PageTexts,
)
from pecli.page.legends import (
    add_bar,
    bar_label,
    legend_entries,
    legend_size,
    move_legend,
    put_legend,
    remove_legends,
)
from pecli.page.panels import ColorBar, Panel, PanelGroup
from pecli.page.style import line_spacing
from pecli.page.text import HEADLINE, LINE, Ruler
from pecli.page.ticks import NumberTexts, is_right_aligned

BAR_LABELS = 1.6  # ems of small text: height of a bar's numbers
RULE_WIDTH, RULED = 1.2, 0.3  # width of a rule in points; ems between a title and the rule below it
NEAR = 0.03  # share of a bar's length: numbers closer to an end are flush with it
TITLE = "medium"  # font weight of a panel's title
TICKS_APART = 0.5  # ems of small text: least gap between numbers of a bar
BESIDE_BAR = 0.6  # ems between a bar and its name


class Texts(NamedTuple):
    """The texts of a picture."""

    headline: str
    title: str
    footnote: str


class Sheet:
    """The artists of one picture.

    groups : the panels in groups, each group below the one before
    axes : one Axes per panel, in order, with its axes and title set
    """

    def __init__(self, groups: Sequence[PanelGroup], canvas: Canvas) -> None:
        size = canvas.inches
        self.canvas, self.groups = canvas, groups
        self.em, self.small = size.font / 72, canvas.small / 72
        self.panels: list[Panel] = [panel for group in groups for panel in group.panels]
        self.ruler, self.bold = Ruler(canvas.dpi), Ruler(canvas.dpi, HEADLINE)
        self.drawing = Drawing(figsize=(size.width, size.height or size.width), dpi=canvas.dpi)
        FigureCanvasAgg(self.drawing)
        self.drawing.set_dpi(self.ruler.dpi)  # texts are measured at this resolution; files have that of the canvas
        self.axes: list[Axes] = [self.drawing.add_axes((0.1, 0.1, 0.8, 0.8)) for _ in self.panels]
        for axes, panel in zip(self.axes, self.panels, strict=True):
            put_axes(axes, panel, canvas)
            if len(self.panels) > 1:
                axes.xaxis.flush = True  # type: ignore[attr-defined]  # read by `ticks.at_end`
        self.bars: dict[ColorBar, Axes | None] = {
            bar: None
            for bar in dict.fromkeys(panel.bar for panel in self.panels if panel.bar and not canvas.no_colorbar)
            if not bar.redundant
        }
        self.bar_ends: dict[Axes, list[Text]] = {}  # the numbers beside bars on title lines
        self.legend: Any = None
        self.rules: dict[int, Line2D] = {}  # the rules below titles and headings, by panel
        firsts = accumulate([len(group.panels) for group in groups[:-1]], initial=0)
        self.headings = {
            first + at: (text, self.drawing.text(0, 0, "", weight=TITLE, fontsize=size.font, ha="left", va="bottom"))
            for first, group in zip(firsts, groups, strict=True)
            for at, text in group.headings
        }
        look: dict[str, Any] = {"ha": "left", "va": "top", "transform": self.drawing.dpi_scale_trans}
        note: dict[str, Any] = {"color": note_ink()}
        self.texts: list[Text] = [
            self.drawing.text(0, 0, "", weight=HEADLINE, fontsize=canvas.headline_size, color=headline_ink(), **look),
            self.drawing.suptitle("", fontsize=size.font, **note),
            self.drawing.text(0, 0, "", fontsize=canvas.small, **note, **look),
        ]
        self.texts[1].set(**look)
        if (spacing := line_spacing(LINE)) is not None:
            titles = [axes.title for axes in self.axes]
            for text in (*self.texts, *titles, *(text for _, text in self.headings.values())):
                text.set_linespacing(spacing)
        self.page_texts = Texts("", "", "")
        self.margins: list[Margins] = [NO_MARGINS] * len(self.panels)

    def take_labels(self) -> None:
        """Record the legends and titles that the figure has added, and write the user's labels."""
        if self.canvas.no_legend:
            remove_legends(self.axes)
        owners = [axes for axes in self.axes if axes.get_legend() is not None]
        if len(self.groups) == 1 and self.groups[0].one_legend and len(owners) == 1:
            room = self.canvas.inches.width - 2 * self.em
            self.legend = move_legend(self.drawing, owners[0], room, self.ruler)
        write_user_labels(self.axes, self.panels, self.canvas)
        self.take_titles()

    def take_titles(self) -> None:
        """Record the titles of the panels as they are now."""
        self.titles = [axes.get_title() for axes in self.axes]

    @property
    def page(self) -> Page:
        """The page to arrange the panels on."""
        size = self.canvas.inches
        alone = self.canvas.size == "page" and len(self.panels) == 1 and self.panels[0].exact
        square = alone and self.panels[0].aspect > 0.9
        width = SQUARE if square else size.width
        return Page(width, size.height, self.em, self.small, 1 / self.canvas.dpi, edge=size.edge)

    def contents(self, texts: Texts | None = None) -> Contents:
        """Return the contents to arrange.

        texts : texts to arrange instead of this picture's
        """
        texts, size = texts or self.page_texts, self.canvas.inches.font
        titles = [
            self.ruler.words(title, float(axes.title.get_fontsize()))
            for title, axes in zip(self.titles, self.axes, strict=True)
        ]
        bars = {}
        for bar in self.bars:
            name, ticks = bar_label(bar, self.canvas), (BAR_DROP + BAR_HEIGHT) * self.em + BAR_LABELS * self.small
            width = self.ruler.width(name, self.canvas.small) + BESIDE_BAR * self.em if name else 0.0
            bars[bar] = width, ticks
        legend = 0.0
        if self.legend is not None:
            legend = self.legend.get_window_extent(self.ruler.renderer).height / self.ruler.dpi
        own = PageTexts(
            self.bold.words(texts.headline, self.canvas.headline_size),
            self.ruler.words(texts.title, size),
            self.ruler.words(texts.footnote, self.canvas.small),
            tuple(titles),
            bars,
            float(legend),
            tuple((at, self.ruler.words(text, size)) for at, (text, _) in self.headings.items()),
            {
                at: self.ruler.width(text, self.canvas.small)
                for at, axes in enumerate(self.axes)
                if (text := axes.get_title(loc="right").strip())
            },
        )
        return Contents(self.panels, self.margins, own)

    # Measuring

    def measure(self, layout: Layout) -> list[Margins]:
        """Measure and return the margins of each panel, as placed by this layout."""
        self.margins = [
            self._margins(at, axes, panel, at in layout.legends_below)
            for at, (axes, panel) in enumerate(zip(self.axes, self.panels, strict=True))
        ]
        return self.margins

    def _margins(self, at: int, axes: Axes, panel: Panel, below: bool) -> Margins:
        """Measure the margins of the panel with index `at`.

        below : whether its legend is below it
        """
        axes.get_xlim(), axes.get_ylim()  # makes matplotlib update the limits
        had_axis, axes.axison = axes.axison, False
        titles = axes.title, axes._right_title  # type: ignore[attr-defined]  # has no public name
        for title in titles:
            title.set_visible(False)
        own = margins_of(axes, self.ruler)
        axes.axison = had_axis
        axes.title.set_visible(True)
        sides, labels = [NO_BOX, NO_BOX], [0.0, 0.0]
        for side, (axis, subject, name) in enumerate(sides_of(axes, panel) if had_axis else ()):
            if subject is not None:
                show_ticks(axes, name, True)
            end_labels(axis)
            axis.label.set_visible(False)  # the label may be longer than the frame
            ticks = [*reach_beyond(axes, axis.get_tightbbox(self.ruler.renderer), self.ruler)]
            axis.label.set_visible(True)
            text, size = axis.label.get_text(), float(axis.label.get_fontsize())
            labels[side] = self.ruler.width(text, size)
            ticks[1 - side] += bool(text) * (axis.labelpad + LINE * size * (text.count("\n") + 1)) / 72
            sides[side] = (ticks[0], ticks[1], ticks[2], ticks[3])
        return Margins(own, sides[0], sides[1], (labels[0], labels[1]), self._legend_of(at, axes, below))

    def _legend_of(self, at: int, axes: Axes, below: bool) -> Legend | None:
        """Measure the legend of the panel with index `at`; return None if it has none.

        below : whether the legend is below the panel
        """
        legend = axes.get_legend()
        if legend is None:
            return None
        wide, high = legend_size(legend, self.ruler)
        before = self.margins[at].legend
        if below and before is not None:
            return before._replace(placed=high)
        return Legend(wide, high, *legend_entries(legend, self.ruler))

    # Placing

    def place(self, layout: Layout) -> None:
        """Place all artists according to the layout."""
        self.drawing.set_size_inches(*layout.size)
        inches = self.drawing.dpi_scale_trans
        for at, (axes, panel, frame, shown) in enumerate(
            zip(self.axes, self.panels, layout.frames, layout.shown, strict=True)
        ):
            self._put_frame(axes, frame)
            for (axis, subject, name), visible in zip(sides_of(axes, panel), (shown.below, shown.left), strict=True):
                if subject is not None:
                    axis.label.set_visible(visible)
                    show_ticks(axes, name, visible)
            end_labels(axes.xaxis)
            title = self.titles[at]
            size = float(float(axes.title.get_fontsize()))
            text = without_trailing_separators(self.ruler.words(title, size).wrapped(frame[2])) if title else ""
            pad = 72 * layout.titles[at]
            axes.set_title(text, y=1.0, pad=pad, fontsize=size, ha="left", x=0.0, va="bottom", weight=TITLE)
            ruled = bool(title.strip()) and len(self.axes) > 1 and not self.headings and not labels_of(axes, SpanLabel)
            self._put_rule(at, frame, layout.titles[at], ruled)
        self._put_right_titles()
        for at, (x, y, wide) in layout.headings.items():
            text, artist = self.headings[at]
            place = (x, y + RULED * self.em)
            artist.set(text=text, position=place, transform=inches, color=headline_ink())
            self._put_rule(-1 - at, (x, y, wide, 0.0), RULED * self.em, True, strong=True)
        self._put_legends(layout)
        self._put_bars(layout)
        words = self.contents().texts
        for artist, own, (left, top, room) in zip(
            self.texts, (words.headline, words.subtitle, words.footnote), layout.words, strict=True
        ):
            text = own.wrapped(room)
            artist.set(text=without_trailing_separators(text) if own is words.subtitle else text, position=(left, top))
        if self.legend is not None:
            self.legend.set_loc("lower left")
            width, height = layout.size
            self.legend.set_bbox_to_anchor((layout.legend[0] / width, layout.legend[1] / height))

    def _put_bars(self, layout: Layout) -> None:
        """Place the colour bars and their names."""
        length = 0.0
        for bar, (right, top, length, stacked) in layout.bars.items():
            if (own_axes := self.bars.get(bar)) is not None:
                show_ticks(own_axes, "bottom", not layout.on_titles)
                if layout.on_titles:
                    self._put_on_title(own_axes, right, top, length)
                    continue
                label = own_axes.yaxis.label
                y = top - (BAR_DROP + BAR_HEIGHT) * self.em - stacked * bool(label.get_text()) * STACKED * self.small
                self._put_frame(own_axes, (right - length, y, length, BAR_HEIGHT * self.em))
                above, middle = y + (BAR_HEIGHT + PAD) * self.em, y + BAR_HEIGHT * self.em / 2
                flush = stacked and layout.texts_left  # flush left with the texts
                place = (right if stacked else right - length - BESIDE_BAR * self.em, above if stacked else middle)
                place = (right - length, above) if flush else place
                own_axes.yaxis.set_label_coords(*place, transform=self.drawing.dpi_scale_trans)
                label.set(rotation=0, ha="left" if flush else "right", va="bottom" if stacked else "center")
        for bar, own_axes in self.bars.items():
            if own_axes is not None:  # a layout made for another picture may lack this bar
                own_axes.set_visible(bar in layout.bars)
                for artist in self.bar_ends.get(own_axes, ()):
                    artist.set_visible(bar in layout.bars and layout.on_titles)
                self._thin_out(own_axes, length)

    def _put_right_titles(self) -> None:
        """Place the texts at the right of titles, on a line of the title; hide all if one does not fit."""
        fits = True
        right_titles = [(axes, axes._right_title) for axes in self.axes]  # type: ignore[attr-defined]  # has no public name
        for (axes, right_title), title in zip(right_titles, self.titles, strict=True):
            text, lines = right_title.get_text(), title.split("\n")
            line = lines[max(0, len(lines) - 1 - text.count("\n"))]
            size, room = float(axes.title.get_fontsize()), axes.bbox.width / self.ruler.dpi
            needed = self.ruler.width(line, size) + self.ruler.width(text.strip(), self.canvas.small) + self.small / 2
            fits &= not text or (needed <= room and axes.get_title().count("\n") < len(lines))
        for _, right_title in right_titles:
            right_title.set(va="bottom", fontsize=self.canvas.small, color=note_ink(), visible=fits)

    def _put_on_title(self, bar: Axes, right: float, top: float, length: float) -> None:
        """Place a bar on a title's line, with its first and last number beside it.

        right : right end of the last number
        top : top of the line
        length : length of the bar
        """
        first, *_, last = bar.xaxis.get_major_formatter().format_ticks(bar.get_xticks().tolist())
        beside, height = BESIDE_BAR * self.em / 2, BAR_HEIGHT * self.em
        right -= self.ruler.width(last, self.canvas.small) + beside
        middle = top - LINE * self.em / 2
        self._put_frame(bar, (right - length, middle - height / 2, length, height))
        places = (right - length - beside, "right", first), (right + beside, "left", last)
        if bar not in self.bar_ends:
            look: dict[str, Any] = {"va": "center", "fontsize": self.canvas.small, "color": bar.xaxis.label.get_color()}
            transform = self.drawing.dpi_scale_trans
            self.bar_ends[bar] = [self.drawing.text(0, 0, "", transform=transform, **look) for _ in places]
        for artist, (x, side, text) in zip(self.bar_ends[bar], places, strict=True):
            artist.set(position=(x, middle), horizontalalignment=side, text=text)

    def _thin_out(self, bar: Axes, length: float) -> None:
        """Keep the numbers of a bar of this length from touching.

        The numbers at the ends are flush with the bar and rounded if they would touch; a number between them is hidden
        if it would touch one of them. On a logarithmic bar only the alignment of the ends changes.
        """
        low, high = bar.get_xlim()
        labels = bar.get_xticklabels()
        if bar.get_xscale() == "log":
            for tick, label in zip(bar.get_xticks(), labels, strict=False):
                share = log(tick / low) / log(high / low)
                label.set_horizontalalignment("right" if share > 1 - NEAR else "left" if share < NEAR else "center")
            return
        if len(labels) != 3 or labels[0].get_horizontalalignment() != "left":
            return
        widths = [self.ruler.width(labels[at].get_text(), self.canvas.small) for at in (0, -1)]
        if sum(widths) + TICKS_APART * self.small > length:
            bar.xaxis.set_major_formatter(NumberTexts(partial(number_text, digits=2)))
            labels = bar.get_xticklabels()
        first, middle, last = (self.ruler.width(own.get_text(), self.canvas.small) for own in labels)
        place = length * (labels[1].get_position()[0] - low) / (high - low)
        free = min(place - first, length - last - place) - middle / 2
        labels[1].set_visible(free >= TICKS_APART * self.small)

    def _put_rule(self, at: int, frame: Box, foot: float, wanted: bool, strong: bool = False) -> None:
        """Draw or move the rule below a title.

        at : index of the panel; for a heading, −1 minus the index of the first panel of its row
        foot : distance of the title from the frame
        wanted : whether to show the rule
        strong : whether the rule is dark from the start
        """
        x, y, wide, high = frame
        if wanted and at not in self.rules:
            ink = headline_ink() if strong else RULE
            look: dict[str, Any] = {"color": ink, "linewidth": RULE_WIDTH * self.canvas.scale, "zorder": 0}
            self.rules[at] = Line2D([], [], transform=self.drawing.dpi_scale_trans, solid_capstyle="butt", **look)
            self.drawing.add_artist(self.rules[at])
        if at in self.rules:
            self.rules[at].set_data([x, x + wide], [y + high + foot - RULED * self.em] * 2)
            self.rules[at].set_visible(wanted)
            named = getattr(self.axes[at], "named", False)  # whether the headline is about this panel
            self.rules[at].set_color(self.texts[0].get_color() if named else RULE)

    def _put_legends(self, layout: Layout) -> None:
        """Place the legends to the right of their panels or below them."""
        for at, axes in enumerate(self.axes):
            if axes.get_legend() is not None:
                own, shown = self.margins[at], layout.shown[at]
                bottom = max(own.own[1], own.x[1] if shown.below else 0.0, own.y[1] if shown.left else 0.0)
                put_legend(axes, layout.frames[at][2:], bottom, at in layout.legends_below, self.ruler)

    def _put_frame(self, axes: Axes, box: Sequence[float]) -> None:
        """Set an Axes' frame (x, y, width, height), rounded to whole pixels."""
        dpi, (width, height) = self.canvas.dpi, self.drawing.get_size_inches()
        x, y, wide, high = (max(1, round(side * dpi)) / dpi for side in box)  # equal sizes stay equal in pixels
        axes.set_position((x / width, y / height, wide / width, high / height))

    # Drawing

    def add_bars(self, mappables: Sequence[Any]) -> None:
        """Draw the colour bars, but no redundant bar if every cell shows its number and a title names the quantity.

        mappables : the image of each panel
        """
        for bar in dict.fromkeys(panel.bar for panel in self.panels if panel.bar and not self.canvas.no_colorbar):
            beside = [at for at, panel in enumerate(self.panels) if panel.bar == bar]
            shared, panels = [mappables[at] for at in beside], [self.axes[at] for at in beside]
            if bar.redundant and all(len(image.numbers) == image.get_array().count() for image in shared):
                label = bar_label(bar, self.canvas)
                untitled = len(panels) == 1 and not panels[0].get_title()
                if untitled and label not in self.page_texts.headline:
                    panels[0].set_title(label)
                said = [self.page_texts.title, *(own.get_title() for own in self.axes)]
                if untitled or any(label.lower() in text.lower() for text in said):
                    self.bars.pop(bar, None)
                    continue
            self.bars[bar] = add_bar(self.drawing, shared, bar, self.canvas)
        self.take_titles()

    def pixels(self) -> list[tuple[int, int]]:
        """Return the size of each panel in pixels (rows, columns)."""
        share = self.canvas.dpi / self.ruler.dpi
        sizes = [np.array(axes.bbox.size) * share for axes in self.axes]
        return [(max(1, round(height)), max(1, round(width))) for width, height in sizes]


def sides_of(axes: Axes, panel: Panel) -> tuple[tuple[Any, Any, str], tuple[Any, Any, str]]:
    """Return (matplotlib axis, shared `Axis` or None, side of its labels) for the x and the y axis of a panel."""
    return (axes.xaxis, panel.x.shared, "bottom"), (axes.yaxis, panel.y.shared, "left")


def show_ticks(axes: Axes, side: str, visible: bool) -> None:
    """Show or hide tick marks and tick labels on one side of a frame, "bottom" or "left"."""
    options: Any = {side: visible, f"label{side}": visible}
    axes.tick_params(**options)


def end_labels(axis: Any) -> None:
    """Right-align the last number of a horizontal axis if it is at the end.

    Otherwise it would reach beyond the frame.
    """
    if not getattr(axis, "flush", False):
        return
    axis._update_ticks()
    for tick in axis.get_major_ticks(len(axis.get_majorticklocs())):
        last = is_right_aligned(axis, tick.get_loc()) and not tick.label1.get_rotation()
        tick.label1.set_horizontalalignment("right" if last else "center")


def without_trailing_separators(text: str) -> str:
    """Return the text without the separator " ·" at the ends of lines."""
    return text.replace(" ·\n", "\n")


def margins_of(axes: Axes, ruler: Ruler) -> Box:
    """Return how far the labels of an Axes reach beyond its frame in inches: left, bottom, right, top.

    Texts in cells and legends do not count.
    """
    box = axes.get_tightbbox(ruler.renderer, bbox_extra_artists=axes.child_axes, for_layout_only=True)
    beside = (text for text in axes.texts if isinstance(text, Annotation))
    texts = [text for text in beside if text.get_visible() and text.get_in_layout()]
    for text in texts:
        text.update_positions(ruler.renderer)
    boxes = [box, *(Text.get_window_extent(text, ruler.renderer) for text in texts)]  # leaders are never outermost
    return reach_beyond(axes, Bbox.union([own for own in boxes if own is not None]), ruler)


def reach_beyond(axes: Axes, box: Any, ruler: Ruler) -> Box:
    """Return how far a box reaches beyond the frame of an Axes in inches, or zeros if there is no box."""
    if box is None or not all(map(isfinite, box.extents)):
        return (0.0, 0.0, 0.0, 0.0)
    frame, outer = axes.bbox.extents, box.extents
    left, bottom = (max(0.0, float(frame[at] - outer[at]) / ruler.dpi) for at in (0, 1))
    right, top = (max(0.0, float(outer[at] - frame[at]) / ruler.dpi) for at in (2, 3))
    return left, bottom, right, top
