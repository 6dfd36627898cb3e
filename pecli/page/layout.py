"""The page layout: positions of everything on a page, computed from measured margins without matplotlib.

Lengths are in inches; positions are in inches from the lower left corner of the page. `choose_layout` computes the
layout of every possible grid and rates it by the size of the panels, so that nothing is drawn twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, log
from types import MappingProxyType
from typing import NamedTuple

from pecli.page.panels import ColorBar, Mosaic, Panel, Place, VisibleLabels, columns_of, label_outer, places_of
from pecli.page.words import Words

Box = tuple[float, float, float, float]  # left, bottom, right, top margins of a frame; or x, y, width, height

# In ems of the text, unless noted
GAP = 1.4  # between neighbouring panels
UNDER = 1.4  # between the subtitle and the panels
PAD = 0.6  # between a title and its panel
UNDER_RULE = 0.5  # between the rule below a heading and the panel titles below it
BAR, LEAST_BAR = 10.4, 4.0  # preferred and least length of a colour bar
LEAST_ON_TITLE = 2.6  # least length of a colour bar on a title's line
STACKED = 1.3  # ems of small text: height of a bar's name above the bar
ENDS = 5.0  # ems of small text: width of the two numbers beside a bar on a title's line
BAR_HEIGHT, BAR_DROP = 0.68, 0.24  # height of a colour bar, and its distance from the top of its line
TEXT_COLUMN, LEAST_TEXT_COLUMN = 15.0, 12.5  # preferred and least width of a text column left of square panels
TEXT_COLUMN_SHARE = 0.25  # largest share of the page for a text column wider than the least

COMFORTABLE = 2.4  # times a panel's least width: wider panels are no easier to read
ALIKE = 0.12  # cost difference below which grids count as equally good
ENOUGH = 0.01  # inches: a smaller shortfall is invisible
ALONE = 1.0  # cost of a last row that is not full; on a page of fixed height, multiplied by its empty share
TIGHT = 0.25  # share of the usual gaps on a page of fixed height that is too small for them
PASSES = 4  # limit of iterations: line breaks depend on widths, widths of square panels on heights
MAX_LEGEND = 0.35  # of a panel's width: a wider legend goes below the panel
STRETCH = 2.5  # limit of stretching a panel so that each row of its image has a pixel


class Page(NamedTuple):
    """The page on which panels are arranged.

    height : None for as high as the panels need
    em, small : size of the text and of small text
    pixel : size of a pixel
    gap_share : gaps between panels as a share of the usual gaps
    edge : outer margin in ems of the text
    """

    width: float
    height: float | None
    em: float
    small: float
    pixel: float
    edge: float
    gap_share: float = 1.0


FEW_ENTRIES = 3  # up to this many entries of a legend share a row or a column: rows of 2 and 1 would be misread


class Legend(NamedTuple):
    """The size of a legend beside a panel (width, height), and what its size below the panel depends on.

    entry : width of the widest entry with the gap after it
    entries : number of entries
    line : height of a line
    placed : the legend's height below its panel, if it is already there
    """

    width: float
    height: float
    entry: float
    entries: int
    line: float
    placed: float | None = None

    def height_below(self, room: float) -> float:
        """Return the legend's height below a panel of width `room`."""
        if self.placed is not None:
            return self.placed
        columns = columns_of_legend(self.entries, min(room / self.entry, float(self.entries)))
        return self.line * (ceil(self.entries / columns) + 1)


def columns_of_legend(entries: int, fitting: float) -> int:
    """Return the number of columns for a legend of `entries` entries where `fitting` columns fit."""
    columns = max(1, min(entries, int(fitting)))
    return 1 if columns < entries <= FEW_ENTRIES else columns


class Margins(NamedTuple):
    """The space that ticks, labels and legend take around a panel's frame, as (left, bottom, right, top).

    own : space for what is always there, such as marks and names of lines
    x, y : space for the ticks and label of the horizontal and of the vertical axis, unless a neighbour shows them
    labels : lengths of the labels of these two axes
    legend : the panel's legend, if any
    """

    own: Box
    x: Box
    y: Box
    labels: tuple[float, float] = (0.0, 0.0)
    legend: Legend | None = None


NO_BOX: Box = (0.0, 0.0, 0.0, 0.0)
NO_MARGINS = Margins(NO_BOX, NO_BOX, NO_BOX)


class PageTexts(NamedTuple):
    """The texts of a page and the sizes of legends and colour bars.

    titles : title of each panel
    bars : width of each bar's name, and height of the bar with its ticks
    legend : height of a legend for all panels at the foot of the page
    headings : texts above whole rows, each with the index of the row's first panel
    right_titles : width of the text at the right of a panel's title, by panel
    """

    headline: Words
    subtitle: Words
    footnote: Words
    titles: tuple[Words, ...]
    bars: Mapping[ColorBar, tuple[float, float]]
    legend: float = 0.0
    headings: tuple[tuple[int, Words], ...] = ()
    right_titles: Mapping[int, float] = MappingProxyType({})


class Layout(NamedTuple):
    """The positions of everything on a page.

    grids : the arrangement of each group of panels
    texts_left : whether the texts are to the left of the panels
    size : width and height of the page
    frames : x, y, width, height of each panel
    shown : which axis labels each panel shows itself
    legends_below : panels whose legend is below them
    bars : right end, top and length of each colour bar, and whether its name is above it
    on_titles : whether each bar is on the title line of its panel, with the bar's numbers beside it
    words : left end, top and available width of headline, subtitle and footnote
    titles : distance of each title from its frame
    headings : left end, foot and width of the rules below headings, by the first panel of their row
    legend : lower left corner of a legend of all panels
    shortfall : the width and height that the page lacks; 0 or less where everything fits
    spare : unused width and height
    """

    grids: tuple[Mosaic, ...]
    texts_left: bool
    page: Page
    size: tuple[float, float]
    frames: tuple[Box, ...]
    shown: tuple[VisibleLabels, ...]
    legends_below: frozenset[int]
    bars: Mapping[ColorBar, tuple[float, float, float, bool]]
    on_titles: bool
    words: tuple[tuple[float, float, float], ...]
    titles: tuple[float, ...]
    headings: Mapping[int, tuple[float, float, float]]
    legend: tuple[float, float]
    shortfall: tuple[float, float]
    spare: tuple[float, float]

    @property
    def fits(self) -> bool:
        """Whether everything fits on the page."""
        return max(self.shortfall) <= ENOUGH


@dataclass(frozen=True)
class Contents:
    """The contents to arrange: the panels, their margins, and the texts."""

    panels: Sequence[Panel]
    margins: Sequence[Margins]
    texts: PageTexts


def choose_layout(contents: Contents, choices: Sequence[tuple[Mosaic, ...]], page: Page) -> Layout:
    """Return the first layout that is about as good as the best one.

    choices : the arrangements to try, each with one grid per group of panels
    """
    layout = _best_layout(contents, choices, page)
    if page.height is not None and not layout.fits:
        return _best_layout(contents, choices, page._replace(gap_share=TIGHT))
    return layout


def _best_layout(contents: Contents, choices: Sequence[tuple[Mosaic, ...]], page: Page) -> Layout:
    """Return the first layout that is about as good as the best one, without reducing gaps."""
    squares = page.height is not None and any(panel.exact or panel.bar for panel in contents.panels)
    sides = (False, True) if squares and contents.texts.headline.paragraphs else (False,)
    layouts = [arrange(contents, grids, page, texts_left) for grids in choices for texts_left in sides]
    costs = [cost_of(layout, contents.panels, page) for layout in layouts]
    missing, least = min(costs)
    return next(
        layout
        for layout, (lacks, own) in zip(layouts, costs, strict=True)
        if lacks <= missing + ENOUGH and own <= least + ALIKE
    )


def cost_of(layout: Layout, panels: Sequence[Panel], page: Page) -> tuple[float, float]:
    """Return the shortfall in inches, then the cost of a layout.

    On a page of fixed height the cost grows as panels shrink. If the height is not fixed, the cost grows as panels get
    narrower, and with the height and the empty space of the page.
    """
    missing, (width, height) = max(0.0, max(layout.shortfall) - ENOUGH), layout.size
    if page.height is not None:  # thin frames count less than their area; spare width counts more than height
        alone = ALONE * sum(1 - len(grid[-1]) / columns_of(grid) for grid in layout.grids)
        areas = [
            min(w, 2 * h / panel.aspect) * min(h, 2 * w * panel.aspect)
            for panel, (_, _, w, h) in zip(panels, layout.frames, strict=True)
        ]
        spare = 2 * layout.spare[0] / width + layout.spare[1] / height / 2
        return missing, spare - sum(map(log, areas)) / len(areas) + alone
    alone = ALONE * sum(len(grid[-1]) < columns_of(grid) for grid in layout.grids)
    pairs = zip(panels, layout.frames, strict=True)
    hard = [max(0.0, COMFORTABLE * panel.least[0] * page.small / frame[2] - 1) for panel, frame in pairs]
    empty = width * height - sum(w * h for _, _, w, h in layout.frames)
    return missing, height / width + empty / width**2 + sum(hard) / len(hard) + alone


def smallest_page(contents: Contents, choices: Sequence[tuple[Mosaic, ...]], page: Page, largest: float) -> Page | None:
    """Return about the smallest page on which everything fits, at least as large as `page`.

    Returns None if a side would be longer than `largest`.
    """
    while not (layout := choose_layout(contents, choices, page)).fits:
        across, up = (max(0.0, short) for short in layout.shortfall)
        wider = across / 2 if page.height is not None else max(across, up) / 2
        page = page._replace(width=page.width + wider + 0.01, height=page.height and page.height + up / 2 + 0.01)
        if max(page.width, page.height or 0.0) > largest:
            return None
    up_to = ceil(10 * page.width) / 10, page.height and ceil(10 * page.height) / 10
    return page._replace(width=up_to[0], height=up_to[1])


def arrange(contents: Contents, grids: tuple[Mosaic, ...], page: Page, texts_left: bool = False) -> Layout:
    """Return the layout in these grids, one per group of panels, each group below the one before.

    Each column and row takes the largest margins of its panels; the frames share the rest. Columns of square panels are
    as wide as their height allows; the other columns share the remaining width. With `texts_left`, the texts are to the
    left of all panels.
    """
    return _Arrangement(contents, grids, page, texts_left).layout()


class _Arrangement:
    """The computation of one layout, repeated until widths and heights agree."""

    def __init__(self, contents: Contents, grids: tuple[Mosaic, ...], page: Page, texts_left: bool) -> None:
        self.panels, self.margins, self.texts = contents.panels, contents.margins, contents.texts
        self.grids, self.page, self.texts_left, em = grids, page, texts_left, page.em * page.gap_share
        self.gap, self.edge, self.under = GAP * em, page.edge * em, UNDER * em
        self.every = range(len(self.panels))
        self.places: list[Place] = []
        self.shown: list[VisibleLabels] = []
        self.columns: list[range] = []  # column indices of each group
        self.group_of: list[int] = []
        rows = 0
        for group, grid in enumerate(grids):
            own = places_of(grid)
            self.shown += label_outer(self.panels[len(self.places) : len(self.places) + len(own)], grid)
            self.places += [place._replace(top=place.top + rows, bottom=place.bottom + rows) for place in own]
            self.group_of += [group] * len(own)
            self.columns.append(range(columns_of(grid)))
            rows += len(grid)
        self.rows = range(rows)
        sharing = {bar: [at for at in self.every if self.panels[at].bar == bar] for bar in self.texts.bars}
        self.sharing = {bar: own for bar, own in sharing.items() if own}
        self.owners = {
            bar: max(own, key=lambda at: (-self.places[at].top, self.places[at].right))
            for bar, own in self.sharing.items()
        }  # a shared bar belongs to the panel at the upper right
        # a bar for all coloured panels is on the subtitle's line
        coloured = sum(panel.bar is not None for panel in self.panels)
        self.shared = next((bar for bar, own in self.sharing.items() if len(own) == coloured), None)
        # with texts left of the panels, all bars are below the texts if their names differ
        named = len({bar.label for bar, (name, _) in self.texts.bars.items() if name}) == len(self.texts.bars)
        self.among_words = (self.shared,) if self.shared else tuple(self.sharing) if texts_left and named else ()
        self.usable = {(group, column): inf for group, columns in enumerate(self.columns) for column in columns}
        self.widths = [inf for _ in self.every]
        self.heights = [inf for _ in self.every]
        self.below = {at for at in self.every if self.margins[at].legend and self.panels[at].legend_below}
        self.spare_across = 0.0

    def layout(self) -> Layout:
        """Return the layout."""
        for _ in range(PASSES):
            before = self.widths, self.heights, self.start
            self._set_columns()
            self._measure_above_panels()
            self._measure_page_texts()
            self._set_rows()
            if before == (self.widths, self.heights, self.start):
                break
        return self._result()

    # Horizontal

    @property
    def start(self) -> float:
        """The left end of the panels with their margins."""
        em = self.page.em
        words = max(LEAST_TEXT_COLUMN * em, min(TEXT_COLUMN * em, TEXT_COLUMN_SHARE * self.page.width))
        return self.edge + (max(words, self.spare_across) + 2 * self.gap if self.texts_left else 0.0)

    def _panel_margins(self, at: int) -> Box:
        """Return the margins of a panel, including its legend and the axis labels that it shows itself."""
        own, shown = self.margins[at], self.shown[at]
        boxes = [own.own, *([own.x] if shown.below else []), *([own.y] if shown.left else [])]
        left, bottom, right, top = (max(sides) for sides in zip(*boxes, strict=True))
        left += self.panels[at].extra_gap * self.page.em * self.page.gap_share
        if own.legend is not None:
            wide, high = own.legend.width > MAX_LEGEND * self.widths[at], own.legend.height > 1.08 * self.heights[at]
            if self.widths[at] < inf and (wide or high):
                self.below.add(at)
            if at in self.below:
                bottom += own.legend.height_below(self.widths[at])
            else:
                right = max(right, own.legend.width)
        return left, bottom, right, top

    def _largest_margins(self, side: int, edge: str, lines: Iterable[int], group: int | None = None) -> list[float]:
        """Return the largest margin on one side of the panels in each row or column.

        side : index into a margin box
        edge : the field of `Place` that gives a panel's row or column
        lines : the rows or columns
        group : index of the only group to consider, or None for all
        """
        own = [at for at in self.every if group is None or self.group_of[at] == group]
        return [
            max((self.boxes[at][side] for at in own if getattr(self.places[at], edge) == line), default=0.0)
            for line in lines
        ]

    def _set_columns(self) -> None:
        """Set the panels' x and widths: columns share the width, and all groups have the same left and right ends."""
        self.boxes = [self._panel_margins(at) for at in self.every]
        groups = range(len(self.grids))
        left = [self._largest_margins(0, "left", self.columns[group], group) for group in groups]
        right = [self._largest_margins(2, "right", self.columns[group], group) for group in groups]
        first, last = max(own[0] for own in left), max(own[-1] for own in right)
        start, spare = self.start, inf
        self.column_widths: list[list[float]] = []
        self.x, whole = [0.0 for _ in self.every], [0.0 for _ in self.every]
        for group in groups:
            before, behind, columns = [first, *left[group][1:]], [*right[group][:-1], last], self.columns[group]
            room = self.page.width - start - self.edge - sum(before) - sum(behind) - self.gap * (len(columns) - 1)
            widths = share_width(max(0.01, room), [self.usable[group, column] for column in columns])
            spare = min(spare, room - sum(widths))
            self.column_widths.append(widths)
            starts = [
                start + sum(before[: at + 1]) + sum(behind[:at]) + sum(widths[:at]) + self.gap * at for at in columns
            ]
            for at in (at for at in self.every if self.group_of[at] == group):
                place = self.places[at]
                self.x[at] = starts[place.left]
                whole[at] = starts[place.right] + widths[place.right] - starts[place.left]
        self.whole, self.unused = whole, max(0.0, spare)
        if not self.texts_left:  # centred
            self.x = [x + self.unused / 2 for x in self.x]
        self.spare_across = max(0.0, spare) + start - self.edge - 2 * self.gap
        pairs = zip(self.panels, whole, self.widths, strict=True)
        self.widths = [old if panel.exact and old < inf else across for panel, across, old in pairs]

    # Above the panels

    def _row_top(self, at: int) -> float:
        """Return the largest height of titles and bars above the frames in this panel's row."""
        return max(self.above[own] for own in self.every if self.places[own].top == self.places[at].top)

    def _measure_above_panels(self) -> None:
        """Set the height that titles and colour bars take above each panel."""
        rights = [x + width for x, width in zip(self.x, self.widths, strict=True)]
        self.rights, em = rights, self.page.em
        titles = [title.height(width) for title, width in zip(self.texts.titles, self.widths, strict=True)]
        feet = [box[3] + PAD * em if title else 0.0 for box, title in zip(self.boxes, titles, strict=True)]
        rows = [place.top for place in self.places]
        level = {row: max(foot for foot, own in zip(feet, rows, strict=True) if own == row) for row in rows}
        pairs = zip(self.boxes, titles, rows, strict=True)
        self.title_feet = [level[row] if title else box[3] for box, title, row in pairs]  # titles in a row are aligned
        self.above = [foot + title for foot, title in zip(self.title_feet, titles, strict=True)]
        self.plot = min(self.x), max(rights)
        self.words_left = self.edge if self.texts_left else self.plot[0]
        words_right = self.start - 2 * self.gap if self.texts_left else self.page.width - self.edge
        self.words_room = words_right - self.words_left
        reach = {}
        for bar, at in self.owners.items():
            others = [
                rights[other] + self.gap
                for other in self.owners.values()
                if self.places[other].top == self.places[at].top and rights[other] < rights[at]
            ]
            reach[bar] = rights[at] - max(min(self.x[other] for other in self.sharing[bar]), *others, -inf)
        if self.among_words:
            room = self.words_room if self.texts_left else self.plot[1] - self.plot[0]
            reach = dict.fromkeys(self.among_words, room)
        beside = [reach[bar] - self.texts.bars[bar][0] for bar in reach]
        self.stacked = min(beside, default=inf) < 2 * LEAST_BAR * em  # whether names are above bars
        lacking = [min(reach[bar], reach[bar] - self.texts.bars[bar][0] + LEAST_BAR * em) for bar in reach]
        self.bar_room = min(lacking if self.stacked else beside, default=inf)
        names = {bar: 0.0 if self.stacked else self.texts.bars[bar][0] for bar in reach}
        highs = {
            bar: self.texts.bars[bar][1] + (self.stacked and self.texts.bars[bar][0] > 0) * STACKED * self.page.small
            for bar in reach
        }
        self.names, self.bar_heights = names, highs
        self.bar_length = max(LEAST_BAR * em, min(BAR * em, self.bar_room))  # all bars have the same length
        strips = {}
        own = () if self.among_words else self.owners.items()
        self.title_bar = min([LEAST_BAR * em, *(self._room_on_title(bar, at) for bar, at in own)])
        self.on_titles = self.title_bar >= LEAST_ON_TITLE * em
        for bar, at in own:  # a bar is beside its title if it fits
            if self.on_titles:
                strips[bar] = self.above[at]
                continue
            room = self.widths[at] - self.texts.titles[at].width() - self.gap - names[bar] - self.bar_length
            room -= self.texts.right_titles.get(at, 0.0)
            on_line = room >= 0 and not self.panels[at].title_end_taken
            foot = self.title_feet[at] if on_line else self.above[at] + PAD * em / 2
            strips[bar] = max(foot + highs[bar], self.above[at])
        self.strips = {}
        for bar, at in own:  # bars above one row are aligned
            row = self.places[at].top
            self.strips[bar] = max(high for other, high in strips.items() if self.places[self.owners[other]].top == row)
        for bar, high in self.strips.items():
            self.above[self.owners[bar]] = max(high, self.above[self.owners[bar]])
        self.rules = {}
        for at, heading in self.texts.headings:
            self.rules[at] = self._row_top(at) + UNDER_RULE * em
            self.above[at] = self.rules[at] + heading.height(self.plot[1] - self.plot[0]) + PAD * em

    def _room_on_title(self, bar: ColorBar, at: int) -> float:
        """Return the possible length of a bar on its panel's title line, with its numbers beside it.

        Return 0 for a bar with a name.
        """
        title = self.texts.titles[at]
        taken = title.width() + self.texts.right_titles.get(at, 0.0) + self.gap + ENDS * self.page.small
        free = not self.panels[at].title_end_taken and not self.texts.bars[bar][0] and title.height(self.widths[at]) > 0
        return self.widths[at] - taken if free else 0.0

    def _measure_page_texts(self) -> None:
        """Set the heights of headline, subtitle, the colour bar of all panels, footnote and legend."""
        texts = self.texts
        self.head = texts.headline.height(self.words_room)
        self.subtitle, self.subtitle_room = texts.subtitle.height(self.words_room), self.words_room
        self.bar_line = 0.0
        if self.among_words:
            name = max(self.names[bar] for bar in self.among_words)
            self.bar_step = max(self.bar_heights[bar] for bar in self.among_words) + self.under / 2
            high = len(self.among_words) * self.bar_step - self.under / 2
            beside = self.plot[1] - self.plot[0] - name - self.bar_length - self.gap
            if self.texts_left or beside <= 0 or texts.subtitle.height(beside) > self.subtitle:  # a line of its own
                self.bar_line = self.subtitle + (self.subtitle > 0) * self.under / 2
                self.subtitle = self.bar_line + high
            else:
                self.subtitle, self.subtitle_room = max(self.subtitle, high), beside
        self.foot = texts.footnote.height(self.words_room)
        self.foot += self.under / 2 if self.foot else 0.0
        self.foot += texts.legend and texts.legend + self.under / 2
        under = self.under * (0.5 if self.bar_line else 1.0)  # a bar on a line of its own has the same gap above it
        self.over = 0.0 if self.texts_left or not self.head + self.subtitle else self.head + self.subtitle + under

    # Vertical

    def _set_rows(self) -> None:
        """Set the panels' y and heights: rows share the height.

        Square panels get the width that their height allows.
        """
        places, panels, fixed = self.places, self.panels, self.page.height
        above = [max((self.above[at] for at in self.every if places[at].top == row), default=0.0) for row in self.rows]
        below = self._largest_margins(1, "bottom", self.rows)
        foot = 0.0 if self.texts_left else self.foot
        taken = 2 * self.edge + self.over + sum(above) + sum(below) + foot + self.gap * (len(self.rows) - 1)
        heights = self._row_heights(None if fixed is None else fixed - taken)
        self.total = ceil((taken + sum(heights)) / self.page.pixel - 1e-6) * self.page.pixel if fixed is None else fixed
        self.spare_up = self.total - taken - sum(heights)
        y = self.total - self.edge - self.over - (0.0 if self.texts_left else self.spare_up / 2)
        tops = [y - sum(above[: row + 1]) - sum(heights[:row]) - sum(below[:row]) - self.gap * row for row in self.rows]
        tall = [tops[own.top] - tops[own.bottom] + heights[own.bottom] for own in places]
        self.tops = [tops[own.top] for own in places]
        pairs = zip(panels, self.whole, tall, strict=True)
        self.widths = [min(wide, high / panel.aspect) if panel.exact else wide for panel, wide, high in pairs]
        pairs = zip(panels, self.widths, tall, strict=True)
        self.heights = [wide * panel.aspect if panel.exact else high for panel, wide, high in pairs]
        if fixed is not None:
            self._limit_columns(tall)

    def _limit_columns(self, tall: Sequence[float]) -> None:
        """Set the largest useful width of each column that holds only square panels; `tall` has each panel's height."""
        for group, column in self.usable:
            own = [
                at
                for at in self.every
                if self.group_of[at] == group and self.places[at].left <= column <= self.places[at].right
            ]
            if own and all(self.panels[at].exact for at in own):
                self.usable[group, column] = max(
                    self.column_widths[group][column]
                    + (tall[at] / self.panels[at].aspect - self.whole[at])
                    / (self.places[at].right - self.places[at].left + 1)
                    for at in own
                )

    def _row_heights(self, room: float | None) -> list[float]:
        """Return the height of each row.

        A row of square panels is as high as its columns are wide, or less; other rows have the height that their panels
        prefer, scaled to the available height.

        room : the height available, None if the height of the page is not fixed
        """
        wanted, rigid = [], []
        for row in self.rows:
            inside = [at for at in self.every if self.places[at].top <= row <= self.places[at].bottom]
            alone = [at for at in inside if self.places[at].top == self.places[at].bottom] or inside
            spans = [self.places[at].bottom - self.places[at].top + 1 for at in alone]
            exact = [
                self.whole[at] * self.panels[at].aspect / span
                for at, span in zip(alone, spans, strict=True)
                if self.panels[at].exact
            ]
            wanted.append(
                max(exact or [self._preferred_height(at) / span for at, span in zip(alone, spans, strict=True)])
            )
            rigid.append(bool(exact))
        factor = 1.0 if room is None else max(0.01, room) / sum(wanted)
        if room is not None and factor > 1 and not all(rigid):
            kept = sum(high for high, stiff in zip(wanted, rigid, strict=True) if stiff)
            factor = (room - kept) / (sum(wanted) - kept)
        pairs = zip(wanted, rigid, strict=True)
        return [high * (min(1.0, factor) if stiff else factor) for high, stiff in pairs]

    def _preferred_height(self, at: int) -> float:
        """Return the preferred height of a panel.

        It follows from the aspect. If that is little less than one pixel per row of the panel's image, it is one pixel
        per row.
        """
        panel = self.panels[at]
        label = self.margins[at].labels[1] if self.shown[at].left else 0.0
        height = max(self.whole[at] * panel.aspect, panel.least[1] * self.page.small, label)
        rows = (panel.rows + 0.5) * self.page.pixel
        return rows if self.page.height is None and height < rows <= STRETCH * height else height

    # The result

    def _result(self) -> Layout:
        """Collect the computed positions."""
        frames = tuple(
            (x, top - high, wide, high)
            for x, top, wide, high in zip(self.x, self.tops, self.widths, self.heights, strict=True)
        )
        under_head = self.total - self.edge - self.head
        on_titles = self.on_titles and not self.among_words
        length = self.title_bar if on_titles else self.bar_length
        bars = {
            bar: (self.rights[at], self.tops[at] + self.strips[bar], length, self.stacked)
            for bar, at in self.owners.items()
            if not self.among_words
        }
        for line, bar in enumerate(self.among_words):
            names = max(self.names[own] for own in self.among_words)
            right = self.words_left + names + self.bar_length if self.texts_left else self.plot[1]
            top = under_head - self.bar_line - line * self.bar_step
            bars[bar] = right, top, self.bar_length, self.stacked
        note = self.texts.footnote.height(self.words_room)
        words = (
            (self.words_left, self.total - self.edge, self.words_room),
            (self.words_left, under_head, self.subtitle_room),
            (self.words_left, self.edge + note, self.words_room),
        )
        return Layout(
            grids=self.grids,
            texts_left=self.texts_left,
            page=self.page,
            size=(self.page.width, self.total),
            frames=frames,
            shown=tuple(self.shown),
            legends_below=frozenset(self.below),
            bars=bars,
            on_titles=on_titles,
            words=words,
            titles=tuple(self.title_feet),
            headings={
                at: (self.plot[0], self.tops[at] + up, self.plot[1] - self.plot[0]) for at, up in self.rules.items()
            },
            legend=(self.words_left, self.edge + note + (self.under / 2 if note else 0.0)),
            shortfall=self._shortfall(frames),
            spare=(0.0 if self.texts_left else self.unused, self.spare_up),
        )

    def _shortfall(self, frames: Sequence[Box]) -> tuple[float, float]:
        """Return the width and the height that the page lacks."""
        lacks = [LEAST_BAR * self.page.em - self.bar_room, -inf]
        for at, place in enumerate(self.places):
            spans = place.right - place.left + 1, place.bottom - place.top + 1
            lines = len(self.columns[self.group_of[at]]), len(self.rows)
            for side, shown in enumerate(self.shown[at]):
                least = self.panels[at].least[side] * self.page.small
                label = self.margins[at].labels[side] if shown else 0.0
                short = max(least, label) - frames[at][2 + side]
                lacks[side] = max(lacks[side], short * lines[side] / spans[side])
        words = self.head + self.subtitle + self.foot + 2 * self.edge if self.texts_left else 0.0
        return lacks[0], max(lacks[1], words - self.total)


def share_width(room: float, most: Sequence[float]) -> list[float]:
    """Return the widths of columns: equal shares of `room`, but none above its maximum in `most`."""
    found, left = [0.0] * len(most), room
    for done, at in enumerate(sorted(range(len(most)), key=most.__getitem__)):
        found[at] = min(most[at], left / (len(most) - done))
        left -= found[at]
    return found


def largest_margins(each: Sequence[Margins]) -> Margins:
    """Return margins large enough for all of several pictures, such as the frames of an animation."""
    own, x, y, labels = (
        tuple(map(max, zip(*(getattr(item, name) for item in each), strict=True)))
        for name in ("own", "x", "y", "labels")
    )
    legends = [item.legend for item in each if item.legend is not None]
    return Margins(own, x, y, labels, max(legends, default=None))
