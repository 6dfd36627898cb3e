"""Where everything on a page stands: arithmetic on measured margins, without matplotlib.

Lengths are inches; places are inches from the lower left corner of the page. `choose` judges every grid by what its
panels would get, so nothing is guessed and nothing is drawn twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, log
from types import MappingProxyType
from typing import NamedTuple

from pecli.page.panels import ColorBar, Mosaic, Panel, Place, VisibleLabels, columns_of, label_outer, places_of
from pecli.page.words import Words

Box = tuple[float, float, float, float]  # left, bottom, right, top beyond a frame; or x, y, width, height of a frame

# ems of the text
GAP = 1.4  # between neighbouring panels
UNDER = 1.4  # between the subtitle and the panels
PAD = 0.6  # between a title and its panel
UNDER_RULE = 0.5  # between the rule below a heading and the titles of its panels
BAR, LEAST_BAR = 10.4, 4.0  # length of a colour bar, and its least
LEAST_ON_TITLE = 2.6  # the same of one on the line of a title, which has the least of others where there is room
STACKED = 1.3  # of small text: a name above its bar
ENDS = 5.0  # of small text: the numbers at both ends of a bar on the line of a title
BAR_HEIGHT, BAR_DROP = 0.68, 0.24  # of a colour bar, and how far it is below the top of its line
ASIDE, LEAST_ASIDE = 15.0, 12.5  # width of a column of words left of squares, and its least
ASIDE_SHARE = 0.25  # of the page, at most, where there is more than the least

COMFORTABLE = 2.4  # times the least width: what is wider is no easier to read
ALIKE = 0.12  # of the cost: of grids that are as good, the first is taken
ENOUGH = 0.01  # inches that nobody sees to be missing
ALONE = 1.0  # of the cost: a last row that is empty, on a page of free height one that is not full
TIGHT = 0.25  # of the usual space, on a page of fixed height that holds everything so alone
PASSES = 4  # at most: lines of words follow the width, widths of squares follow the height
MAX_LEGEND = 0.35  # of a panel's width, for a legend beside it
STRETCH = 2.5  # times the height that a panel wants, which it takes where each row of its image has a pixel then


class Page(NamedTuple):
    """What panels are arranged on.

    height : None is as high as the panels want
    em, small : of the text and of small text
    pixel : the side of one
    air : how much of the usual space is left free between things
    edge : what is free around it, in ems of the text
    """

    width: float
    height: float | None
    em: float
    small: float
    pixel: float
    air: float = 1.0
    edge: float = 0.9


FEW_ENTRIES = 3  # of a legend, that stand side by side or below each other: 1, 3 above 2 is read in the wrong order


class Legend(NamedTuple):
    """How large a legend is beside a panel, and below one.

    entry : width of the widest entry with what is free behind it; line : height of one
    placed : its height below its panel, where it stands there already
    """

    width: float
    height: float
    entry: float
    entries: int
    line: float
    placed: float | None = None

    def below(self, room: float) -> float:
        """Return its height below a panel of that width."""
        if self.placed is not None:
            return self.placed
        columns = columns_of_legend(self.entries, min(room / self.entry, float(self.entries)))
        return self.line * (ceil(self.entries / columns) + 1)


def columns_of_legend(entries: int, fitting: float) -> int:
    """Return in how many columns so many entries stand where so many fit."""
    columns = max(1, min(entries, int(fitting)))
    return 1 if columns < entries <= FEW_ENTRIES else columns


class Margins(NamedTuple):
    """How far what stands around a panel reaches beyond its frame: left, bottom, right, top.

    own : whatever the axes show: marks, names of lines
    x, y : ticks and label of one axis, where the panel has them itself
    labels : lengths of the labels of x and y
    """

    own: Box
    x: Box
    y: Box
    labels: tuple[float, float] = (0.0, 0.0)
    legend: Legend | None = None


NO_BOX: Box = (0.0, 0.0, 0.0, 0.0)
NO_MARGINS = Margins(NO_BOX, NO_BOX, NO_BOX)


class Said(NamedTuple):
    """The texts of a page: above all, below all, above each panel; width of each bar's name and height of a bar with
    its ticks; what a legend of all panels takes at the foot; what stands above whole rows, by their first panels;
    how wide what stands right of a title is."""

    headline: Words
    subtitle: Words
    footnote: Words
    titles: tuple[Words, ...]
    bars: Mapping[ColorBar, tuple[float, float]]
    legend: float = 0.0
    headings: tuple[tuple[int, Words], ...] = ()
    asides: Mapping[int, float] = MappingProxyType({})


class Layout(NamedTuple):
    """Where everything stands.

    frames : x, y, width, height of each panel
    shown : which labels of its axes each panel has itself
    legends_below : panels whose legend stands below them
    bars : right end, top and length of each colour bar, and whether its name stands above it
    on_titles : bars stand on the lines of titles, their numbers beside them
    words : left end, top and room across of headline, subtitle and footnote
    titles : how far above each frame its title stands
    headings : left end, foot and width of the rules below headings, by the first panel of their row
    shortfall : what the page lacks across and up; 0 or less where it holds everything
    spare : what nothing uses across and up
    """

    grids: tuple[Mosaic, ...]
    aside: bool
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
    def holds(self) -> bool:
        """Whether nothing is missing."""
        return max(self.shortfall) <= ENOUGH


@dataclass(frozen=True)
class Contents:
    """What is to be arranged: panels, what stands around each, and the texts."""

    panels: Sequence[Panel]
    margins: Sequence[Margins]
    said: Said


def choose(contents: Contents, choices: Sequence[tuple[Mosaic, ...]], page: Page) -> Layout:
    """Return the best arrangement: the first of those about as good as the best.

    choices : a grid for each group of panels, each of them to be tried
    """
    layout = _best(contents, choices, page)
    if page.height is not None and not layout.holds:
        return _best(contents, choices, page._replace(air=TIGHT))
    return layout


def _best(contents: Contents, choices: Sequence[tuple[Mosaic, ...]], page: Page) -> Layout:
    squares = page.height is not None and any(panel.exact or panel.bar for panel in contents.panels)
    sides = (False, True) if squares and contents.said.headline.paragraphs else (False,)
    layouts = [arrange(contents, grids, page, aside) for grids in choices for aside in sides]
    costs = [cost(layout, contents.panels, page) for layout in layouts]
    missing, least = min(costs)
    return next(
        layout
        for layout, (lacks, own) in zip(layouts, costs, strict=True)
        if lacks <= missing + ENOUGH and own <= least + ALIKE
    )


def cost(layout: Layout, panels: Sequence[Panel], page: Page) -> tuple[float, float]:
    """Return what is missing, then how small panels are; on a page of free height how hard to read, how high and how
    empty it is."""
    missing, (width, height) = max(0.0, max(layout.shortfall) - ENOUGH), layout.size
    if page.height is not None:  # no sliver counts whole; what is left over at the sides looks worse than above
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


def smallest(contents: Contents, choices: Sequence[tuple[Mosaic, ...]], page: Page, largest: float) -> Page | None:
    """Return a page that holds everything, about the smallest whose sides are no less than this one's; None where that
    has a side over the largest."""
    while not (layout := choose(contents, choices, page)).holds:
        across, up = (max(0.0, short) for short in layout.shortfall)
        wider = across / 2 if page.height is not None else max(across, up) / 2
        page = page._replace(width=page.width + wider + 0.01, height=page.height and page.height + up / 2 + 0.01)
        if max(page.width, page.height or 0.0) > largest:
            return None
    up_to = ceil(10 * page.width) / 10, page.height and ceil(10 * page.height) / 10
    return page._replace(width=up_to[0], height=up_to[1])


def arrange(contents: Contents, grids: tuple[Mosaic, ...], page: Page, aside: bool = False) -> Layout:
    """Return where everything stands in these grids, one a group of panels, each below the one before.

    Columns and rows take the largest margins of theirs; frames share the rest. Columns of squares are as wide as their
    height lets them be, others have what they leave; with `aside` words stand left of all panels.
    """
    return _Arrangement(contents, grids, page, aside).layout()


class _Arrangement:
    """One arrangement in the making; repeated until widths and heights agree."""

    def __init__(self, contents: Contents, grids: tuple[Mosaic, ...], page: Page, aside: bool) -> None:
        self.panels, self.margins, self.said = contents.panels, contents.margins, contents.said
        self.grids, self.page, self.aside, em = grids, page, aside, page.em * page.air
        self.gap, self.edge, self.under = GAP * em, page.edge * em, UNDER * em
        self.every = range(len(self.panels))
        self.places: list[Place] = []
        self.shown: list[VisibleLabels] = []
        self.columns: list[range] = []  # of each group
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
        sharing = {bar: [at for at in self.every if self.panels[at].bar == bar] for bar in self.said.bars}
        self.sharing = {bar: own for bar, own in sharing.items() if own}
        self.owners = {
            bar: max(own, key=lambda at: (-self.places[at].top, self.places[at].right))
            for bar, own in self.sharing.items()
        }  # at the upper right of those that share it
        # the bar of all panels that have colours stands on the subtitle's line
        coloured = sum(panel.bar is not None for panel in self.panels)
        self.shared = next((bar for bar, own in self.sharing.items() if len(own) == coloured), None)
        # left of the panels all bars stand below the words, where their names tell them apart
        named = len({bar.label for bar, (name, _) in self.said.bars.items() if name}) == len(self.said.bars)
        self.among_words = (self.shared,) if self.shared else tuple(self.sharing) if aside and named else ()
        self.usable = {(group, column): inf for group, columns in enumerate(self.columns) for column in columns}
        self.widths = [inf for _ in self.every]
        self.heights = [inf for _ in self.every]
        self.below = {at for at in self.every if self.margins[at].legend and self.panels[at].legend_below}
        self.spare_across = 0.0

    def layout(self) -> Layout:
        """Return the arrangement."""
        for _ in range(PASSES):
            before = self.widths, self.heights, self.start
            self._across()
            self._above_panels()
            self._above_page()
            self._down()
            if before == (self.widths, self.heights, self.start):
                break
        return self._result()

    # Across

    @property
    def start(self) -> float:
        """Where panels and their margins begin."""
        em = self.page.em
        words = max(LEAST_ASIDE * em, min(ASIDE * em, ASIDE_SHARE * self.page.width))
        return self.edge + (max(words, self.spare_across) + 2 * self.gap if self.aside else 0.0)

    def _around(self, at: int) -> Box:
        """Return the margins of a panel, with the axes that it labels itself and its legend."""
        own, shown = self.margins[at], self.shown[at]
        boxes = [own.own, *([own.x] if shown.below else []), *([own.y] if shown.left else [])]
        left, bottom, right, top = (max(sides) for sides in zip(*boxes, strict=True))
        left += self.panels[at].apart * self.page.em * self.page.air
        if own.legend is not None:
            wide, high = own.legend.width > MAX_LEGEND * self.widths[at], own.legend.height > 1.08 * self.heights[at]
            if self.widths[at] < inf and (wide or high):
                self.below.add(at)
            if at in self.below:
                bottom += own.legend.below(self.widths[at])
            else:
                right = max(right, own.legend.width)
        return left, bottom, right, top

    def _largest(self, side: int, edge: str, lines: Iterable[int], group: int | None = None) -> list[float]:
        """Return the largest margin on a side of the panels that end in each of these rows or columns."""
        own = [at for at in self.every if group is None or self.group_of[at] == group]
        return [
            max((self.boxes[at][side] for at in own if getattr(self.places[at], edge) == line), default=0.0)
            for line in lines
        ]

    def _across(self) -> None:
        """Share the width among columns; groups begin and end at the same places."""
        self.boxes = [self._around(at) for at in self.every]
        groups = range(len(self.grids))
        left = [self._largest(0, "left", self.columns[group], group) for group in groups]
        right = [self._largest(2, "right", self.columns[group], group) for group in groups]
        first, last = max(own[0] for own in left), max(own[-1] for own in right)
        start, spare = self.start, inf
        self.column_widths: list[list[float]] = []
        self.x, whole = [0.0 for _ in self.every], [0.0 for _ in self.every]
        for group in groups:
            before, behind, columns = [first, *left[group][1:]], [*right[group][:-1], last], self.columns[group]
            room = self.page.width - start - self.edge - sum(before) - sum(behind) - self.gap * (len(columns) - 1)
            widths = shares(max(0.01, room), [self.usable[group, column] for column in columns])
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
        if not self.aside:  # in the middle
            self.x = [x + self.unused / 2 for x in self.x]
        self.spare_across = max(0.0, spare) + start - self.edge - 2 * self.gap
        pairs = zip(self.panels, whole, self.widths, strict=True)
        self.widths = [old if panel.exact and old < inf else across for panel, across, old in pairs]

    # Above

    def _row_top(self, at: int) -> float:
        """Return how much stands above the frames of the row in which a panel is the first."""
        return max(self.above[own] for own in self.every if self.places[own].top == self.places[at].top)

    def _above_panels(self) -> None:
        """Find how much titles and colour bars take above each panel."""
        rights = [x + width for x, width in zip(self.x, self.widths, strict=True)]
        self.rights, em = rights, self.page.em
        titles = [title.height(width) for title, width in zip(self.said.titles, self.widths, strict=True)]
        feet = [box[3] + PAD * em if title else 0.0 for box, title in zip(self.boxes, titles, strict=True)]
        rows = [place.top for place in self.places]
        level = {row: max(foot for foot, own in zip(feet, rows, strict=True) if own == row) for row in rows}
        pairs = zip(self.boxes, titles, rows, strict=True)
        self.title_feet = [level[row] if title else box[3] for box, title, row in pairs]  # a row has one line
        self.above = [foot + title for foot, title in zip(self.title_feet, titles, strict=True)]
        self.plot = min(self.x), max(rights)
        self.words_left = self.edge if self.aside else self.plot[0]
        words_right = self.start - 2 * self.gap if self.aside else self.page.width - self.edge
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
            room = self.words_room if self.aside else self.plot[1] - self.plot[0]
            reach = dict.fromkeys(self.among_words, room)
        beside = [reach[bar] - self.said.bars[bar][0] for bar in reach]
        self.stacked = min(beside, default=inf) < 2 * LEAST_BAR * em  # names stand above bars
        lacking = [min(reach[bar], reach[bar] - self.said.bars[bar][0] + LEAST_BAR * em) for bar in reach]
        self.bar_room = min(lacking if self.stacked else beside, default=inf)
        names = {bar: 0.0 if self.stacked else self.said.bars[bar][0] for bar in reach}
        highs = {
            bar: self.said.bars[bar][1] + (self.stacked and self.said.bars[bar][0] > 0) * STACKED * self.page.small
            for bar in reach
        }
        self.names, self.bar_heights = names, highs
        self.bar_length = max(LEAST_BAR * em, min(BAR * em, self.bar_room))  # all bars are of one length
        strips = {}
        own = () if self.among_words else self.owners.items()
        self.title_bar = min([LEAST_BAR * em, *(self._room_on_title(bar, at) for bar, at in own)])
        self.on_titles = self.title_bar >= LEAST_ON_TITLE * em
        for bar, at in own:  # beside the title, where there is room
            if self.on_titles:
                strips[bar] = self.above[at]
                continue
            room = self.widths[at] - self.said.titles[at].width() - self.gap - names[bar] - self.bar_length
            room -= self.said.asides.get(at, 0.0)
            on_line = room >= 0 and not self.panels[at].said_right
            foot = self.title_feet[at] if on_line else self.above[at] + PAD * em / 2
            strips[bar] = max(foot + highs[bar], self.above[at])
        self.strips = {}
        for bar, at in own:  # those above one row are on one line
            row = self.places[at].top
            self.strips[bar] = max(high for other, high in strips.items() if self.places[self.owners[other]].top == row)
        for bar, high in self.strips.items():
            self.above[self.owners[bar]] = max(high, self.above[self.owners[bar]])
        self.rules = {}
        for at, heading in self.said.headings:
            self.rules[at] = self._row_top(at) + UNDER_RULE * em
            self.above[at] = self.rules[at] + heading.height(self.plot[1] - self.plot[0]) + PAD * em

    def _room_on_title(self, bar: ColorBar, at: int) -> float:
        """Return how long a bar without a name may be on the line of its panel's title, its numbers beside it."""
        title = self.said.titles[at]
        taken = title.width() + self.said.asides.get(at, 0.0) + self.gap + ENDS * self.page.small
        free = not self.panels[at].said_right and not self.said.bars[bar][0] and title.height(self.widths[at]) > 0
        return self.widths[at] - taken if free else 0.0

    def _above_page(self) -> None:
        """Find how much headline, subtitle, the bar of all panels, footnote and legend take."""
        said = self.said
        self.head = said.headline.height(self.words_room)
        self.subtitle, self.subtitle_room = said.subtitle.height(self.words_room), self.words_room
        self.bar_line = 0.0
        if self.among_words:
            name = max(self.names[bar] for bar in self.among_words)
            self.bar_step = max(self.bar_heights[bar] for bar in self.among_words) + self.under / 2
            high = len(self.among_words) * self.bar_step - self.under / 2
            beside = self.plot[1] - self.plot[0] - name - self.bar_length - self.gap
            if self.aside or beside <= 0 or said.subtitle.height(beside) > self.subtitle:  # a line of its own
                self.bar_line = self.subtitle + (self.subtitle > 0) * self.under / 2
                self.subtitle = self.bar_line + high
            else:
                self.subtitle, self.subtitle_room = max(self.subtitle, high), beside
        self.foot = said.footnote.height(self.words_room)
        self.foot += self.under / 2 if self.foot else 0.0
        self.foot += said.legend and said.legend + self.under / 2
        under = self.under * (0.5 if self.bar_line else 1.0)  # as much is above a bar in a line of its own
        self.over = 0.0 if self.aside or not self.head + self.subtitle else self.head + self.subtitle + under

    # Down

    def _down(self) -> None:
        """Share the height among rows, and let squares be as wide as that lets them."""
        places, panels, fixed = self.places, self.panels, self.page.height
        above = [max((self.above[at] for at in self.every if places[at].top == row), default=0.0) for row in self.rows]
        below = self._largest(1, "bottom", self.rows)
        foot = 0.0 if self.aside else self.foot
        taken = 2 * self.edge + self.over + sum(above) + sum(below) + foot + self.gap * (len(self.rows) - 1)
        heights = self._row_heights(None if fixed is None else fixed - taken)
        self.total = ceil((taken + sum(heights)) / self.page.pixel - 1e-6) * self.page.pixel if fixed is None else fixed
        self.spare_up = self.total - taken - sum(heights)
        y = self.total - self.edge - self.over - (0.0 if self.aside else self.spare_up / 2)
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
        """Find how wide columns of squares alone can be at most."""
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
        """Return how high rows are: squares as their columns are wide, else as panels want to be, or as a page of fixed
        height lets them."""
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
            wanted.append(max(exact or [self._wanted(at) / span for at, span in zip(alone, spans, strict=True)]))
            rigid.append(bool(exact))
        factor = 1.0 if room is None else max(0.01, room) / sum(wanted)
        if room is not None and factor > 1 and not all(rigid):
            kept = sum(high for high, stiff in zip(wanted, rigid, strict=True) if stiff)
            factor = (room - kept) / (sum(wanted) - kept)
        pairs = zip(wanted, rigid, strict=True)
        return [high * (min(1.0, factor) if stiff else factor) for high, stiff in pairs]

    def _wanted(self, at: int) -> float:
        """Return the height that a panel wants: where little more is a pixel a row of its image, that."""
        panel = self.panels[at]
        label = self.margins[at].labels[1] if self.shown[at].left else 0.0
        height = max(self.whole[at] * panel.aspect, panel.least[1] * self.page.small, label)
        rows = (panel.rows + 0.5) * self.page.pixel
        return rows if self.page.height is None and height < rows <= STRETCH * height else height

    # All

    def _result(self) -> Layout:
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
            right = self.words_left + names + self.bar_length if self.aside else self.plot[1]
            top = under_head - self.bar_line - line * self.bar_step
            bars[bar] = right, top, self.bar_length, self.stacked
        note = self.said.footnote.height(self.words_room)
        words = (
            (self.words_left, self.total - self.edge, self.words_room),
            (self.words_left, under_head, self.subtitle_room),
            (self.words_left, self.edge + note, self.words_room),
        )
        return Layout(
            grids=self.grids,
            aside=self.aside,
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
            spare=(0.0 if self.aside else self.unused, self.spare_up),
        )

    def _shortfall(self, frames: Sequence[Box]) -> tuple[float, float]:
        """Return by how much the page is too narrow and too low."""
        lacks = [LEAST_BAR * self.page.em - self.bar_room, -inf]
        for at, place in enumerate(self.places):
            spans = place.right - place.left + 1, place.bottom - place.top + 1
            lines = len(self.columns[self.group_of[at]]), len(self.rows)
            for side, shown in enumerate(self.shown[at]):
                least = self.panels[at].least[side] * self.page.small
                label = self.margins[at].labels[side] if shown else 0.0
                short = max(least, label) - frames[at][2 + side]
                lacks[side] = max(lacks[side], short * lines[side] / spans[side])
        words = self.head + self.subtitle + self.foot + 2 * self.edge if self.aside else 0.0
        return lacks[0], max(lacks[1], words - self.total)


def shares(room: float, most: Sequence[float]) -> list[float]:
    """Return how wide columns are: equal shares of the room, but none more than it can use."""
    found, left = [0.0] * len(most), room
    for done, at in enumerate(sorted(range(len(most)), key=most.__getitem__)):
        found[at] = min(most[at], left / (len(most) - done))
        left -= found[at]
    return found


def largest(each: Sequence[Margins]) -> Margins:
    """Return margins that hold all of these, as for the frames of an animation."""
    own, x, y, labels = (
        tuple(map(max, zip(*(getattr(item, name) for item in each), strict=True)))
        for name in ("own", "x", "y", "labels")
    )
    legends = [item.legend for item in each if item.legend is not None]
    return Margins(own, x, y, labels, max(legends, default=None))
