"""What stands above each part of a picture of several: its name, and what there is to see in it. Lengths in inches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pecli.core.language import capitalised
from pecli.figures.blocks import Block
from pecli.figures.layout import Layout
from pecli.figures.mosaic import Mosaic, places_of
from pecli.figures.text import Ruler

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from matplotlib.text import Text

LINES = 3  # that what there is to see in a part may take on a page of one height
MORE_LINES = 4  # on a page that is as high as it has to be
APART = 1.5  # ems to what stands beside it
GAPS = (0.2, 0.5)  # ems below a name and below what there is to see
SHARES = (0.9, 0.8, 0.7, 0.6)  # of the length of lines, tried where neighbours have more of them


class Heading(NamedTuple):
    """The first panel of a part, the one after its last, and its name; empty where it needs none."""

    first: int
    stop: int
    name: str = ""

    def room(self, layout: Layout, apart: float) -> float:
        """How long its lines may be: to the next part, so far apart from it, a bar that goes on, or the page's edge."""
        places = places_of(layout.mosaic)
        row = places[self.first].top
        pairs = zip(places[self.stop :], layout.frames[self.stop :], strict=True)
        beside = [frame.left - apart for place, frame in pairs if place.top == row]
        bars = [
            bar.left for run, bar in zip(layout.runs, layout.bars, strict=True) if run.first_row < row <= run.last_row
        ]
        left = layout.frames[self.first].left
        return min(edge for edge in (layout.width - apart, *beside, *bars) if edge > left) - left


class Headline:
    """A name, and below it what there is to see, flush left above the first panel of a part."""

    def __init__(self, drawing: Drawing, heading: Heading, message: str, points: float) -> None:
        self.heading, self.texts, self.points = heading, (heading.name, capitalised(message)), points
        sides = zip(self.texts, ("top", "bottom"), strict=True)
        self.drawn: list[Text] = [drawing.text(0.0, 1.0, text, va=side, size=points) for text, side in sides]

    def wrap(self, room: float, rulers: tuple[Ruler, Ruler]) -> None:
        """Breaks both into lines of that length, as wide as these rulers say."""
        for drawn, text, ruler in zip(self.drawn, self.texts, rulers, strict=True):
            drawn.set(text=ruler.wrapped(text, self.points, room), weight=ruler.weight)

    def wrap_alike(self, room: float, count: int, ruler: Ruler) -> None:
        """Breaks what there is to see into so many lines, not much shorter than that, to match its neighbours."""
        for share in SHARES:
            if self.count < count:
                self.drawn[1].set_text(ruler.wrapped(self.texts[1], self.points, share * room))

    @property
    def count(self) -> int:
        """How many lines what there is to see takes."""
        return self.drawn[1].get_text().count("\n") + 1

    def height(self, ruler: Ruler) -> float:
        """What both take, with the gaps below them."""
        every = zip(self.drawn, GAPS, strict=True)
        said = [(one.get_window_extent(ruler.renderer), gap) for one, gap in every if one.get_text()]
        return sum(float(box.height) / ruler.dpi + gap * self.points / 72 for box, gap in said)


class Headlines:
    """Those of all parts, on one page: names of a row stand in one line, what there is to see right above panels."""

    def __init__(self, lines: Sequence[Headline], rulers: tuple[Ruler, Ruler]) -> None:
        self.lines, self.rulers = lines, rulers

    def wrap(self, layout: Layout) -> int:
        """Breaks those of a row into lines of one length; gives how many what there is to see takes at most."""
        for _, lines in self._rows(layout.mosaic):
            room = min(line.heading.room(layout, APART * line.points / 72) for line in lines)
            for line in lines:
                line.wrap(room, self.rulers)
            most = max(line.count for line in lines)
            for line in lines:
                line.wrap_alike(room, most, self.rulers[1])
        return max((line.count for line in self.lines), default=0)

    def raised(self, blocks: Sequence[Block], mosaic: Mosaic) -> list[Block]:
        """The blocks with room for them, where panels stand in these places."""
        found = list(blocks)
        for row, lines in self._rows(mosaic):
            titles = max(blocks[at].top for at in mosaic[row])
            own = self._height(lines)
            for line in lines:
                first = line.heading.first
                found[first] = replace(blocks[first], top=titles + own)
        return found

    def put(self, layout: Layout, blocks: Sequence[Block]) -> None:
        """Puts them above the frames, where these blocks have room for them."""
        for row, lines in self._rows(layout.mosaic):
            top, own = max(blocks[at].top for at in layout.mosaic[row]), self._height(lines)
            for line in lines:
                frame, gap = layout.frames[line.heading.first], GAPS[1] * line.points / 72
                for drawn, above in zip(line.drawn, (top, top - own + gap), strict=True):
                    edge = frame.bottom + frame.height + above
                    drawn.set_position((frame.left / layout.width, edge / layout.height))

    def _height(self, lines: Sequence[Headline]) -> float:
        """What those of a row take."""
        return max(line.height(self.rulers[0]) for line in lines)

    def _rows(self, mosaic: Mosaic) -> Iterable[tuple[int, list[Headline]]]:
        """Those of each row of panels."""
        found: dict[int, list[Headline]] = {}
        for line in self.lines:
            found.setdefault(places_of(mosaic)[line.heading.first].top, []).append(line)
        return found.items()

    def remove(self) -> None:
        """Takes them off the page."""
        for line in self.lines:
            for drawn in line.drawn:
                drawn.remove()
        self.lines = []
