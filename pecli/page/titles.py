"""What stands in the line of a panel's title or above it, the signs between panels, and which panel is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Text

from pecli.page.canvas import Canvas
from pecli.page.colors import headline_ink, note_ink
from pecli.page.labels import Label, labels_of
from pecli.page.layout import GAP
from pecli.page.text import HEADLINE, Ruler, points_per_pixel

APART = 0.5  # ems between texts in one line
ROW_HEAD = 0.25  # ems between the name of a row and the titles below it, beside the line's own
APART_MORE = 0.6  # ems that panels with a sign between them are farther apart than others


class TitleLabel(Label):
    """A text in the line of a title: behind it, at the right end of the frame, or in the line that the title leaves
    blank: there also the head of a row. Of its texts the first that has room there is shown."""

    where: str
    texts: Sequence[str]


class SignLabel(Label):
    """A sign left of a panel, as between the parts of a sum."""


def add_behind_title(axes: Axes, texts: Sequence[str], canvas: Canvas) -> None:
    """Write the first of the texts that has room behind the title of a panel, paler."""
    _add(axes, "behind", texts, canvas, color=note_ink())


def add_at_end_of_title(axes: Axes, text: str, canvas: Canvas, **style: Any) -> None:
    """Write a text at the right end of a title's line, or into the line that the title leaves blank."""
    _add(axes, "end", [text], canvas, ha="right", **style)


def add_below_title(
    axes: Axes, text: str, canvas: Canvas, *, right: bool = False, short: str = "", **style: Any
) -> None:
    """Write a text, or a short one where there is less room, into the line that the title of a panel leaves blank, at
    its left or right end."""
    _add(axes, "below", [text, short or text], canvas, ha="right" if right else "left", **style)


def add_row_head(axes: Axes, name: str, said: str, canvas: Canvas) -> None:
    """Write the name of a row of panels, and paler what is said of it, into the blank line of its first panel's title;
    beyond that panel too."""
    _add(axes, "row", [name], canvas, weight=HEADLINE, color=headline_ink())
    _add(axes, "row", [said], canvas, color=note_ink())


def _add(axes: Axes, where: str, texts: Sequence[str], canvas: Canvas, **style: Any) -> None:
    label = TitleLabel(axes, texts[0], (0.0, 1.0), axes.transAxes, canvas, **{"ha": "left", "va": "bottom", **style})
    label.where, label.texts = where, texts
    label.set_in_layout(False)  # titles have measured their line


def add_sign(axes: Axes, sign: str, canvas: Canvas) -> None:
    """Write a sign in the gap left of a panel."""
    label = SignLabel(axes, sign, (0.0, 0.5), axes.transAxes, canvas, ha="center", va="center")
    label.set(fontsize=1.5 * canvas.small, in_layout=False)


def name_panel(axes: Axes) -> None:
    """Let the line below a panel's title be dark: the headline names it."""
    axes.named = True  # type: ignore[attr-defined]


def place_titles(panels: Sequence[Axes], canvas: Canvas) -> None:
    """Move what stands in the lines of titles, and signs; again whenever the panels' size changes. What does not fit
    behind one title stands behind none."""
    lines = [TitleLine(axes, canvas) for axes in panels]
    for line in lines:
        line.put_ends()
        line.put_row_head()
        line.put_below()
        line.put_sign()
    behind = [label for line in lines for label in line.labels("behind")]
    most = max((len(label.texts) for label in behind), default=0)
    fitting = (at for at in range(most) if all(line.has_room_behind(at) for line in lines))
    shown = next(fitting, None)
    for line in lines:
        line.put_behind(shown)


class TitleLine:
    """The line of a panel's title as it stands now. Lengths in points from the upper left corner of the frame."""

    def __init__(self, axes: Axes, canvas: Canvas) -> None:
        self.axes, self.canvas, title = axes, canvas, axes.title
        self.points = points_per_pixel(axes)
        self.gap, self.end = APART * canvas.small, float(axes.bbox.width) * self.points
        lines = [line.strip() for line in title.get_text().split("\n")]
        left, foot = title.get_transform().transform(title.get_position())
        self.foot = float(foot - axes.bbox.y1) * self.points
        own = self.width(lines[-1], title)
        share = {"left": 1.0, "center": 0.5, "right": 0.0}[title.get_horizontalalignment()]  # of it, right of its place
        self.start = float(left - axes.bbox.x0) * self.points + share * own
        self.above = 0.0  # of the blank line
        self.blank = "" in lines
        if self.blank and title.get_text():
            high = float(title.get_window_extent().height) * self.points / len(lines)
            self.above = high * lines[::-1].index("")

    def width(self, text: str, own: Text) -> float:
        """Return how wide a text is in the letters of an artist."""
        ruler = Ruler(72 / self.points, own.get_fontweight())  # type: ignore[arg-type]
        return 72 * ruler.width(text, float(own.get_fontsize())) if text else 0.0

    def labels(self, where: str) -> list[TitleLabel]:
        """Return what stands there."""
        return [label for label in labels_of(self.axes, TitleLabel) if label.where == where]

    def put_ends(self) -> None:
        """Put texts at the right end, as far as there is room; or at the left into the blank line."""
        for label in self.labels("end"):
            (text,), wide = label.texts, self.width(label.texts[0], label)
            fits = self.blank or self.start + self.gap + wide <= self.end
            label.set(text=text if fits else "", ha="left" if self.blank else "right")
            label.set_position((0.0, self.foot + self.above) if self.blank else (self.end, self.foot))
            self.end -= 0.0 if self.blank else fits * (wide + self.gap)

    def has_room_behind(self, at: int) -> bool:
        """Return whether the text of that rank fits behind the title."""
        widths = (self.width(own.texts[at], own) for own in self.labels("behind"))
        return not self.blank and all(self.start + wide <= self.end for wide in widths)

    def put_behind(self, at: int | None) -> None:
        """Put the text of that rank, or none, behind the title."""
        for label in self.labels("behind"):
            label.set_text("" if at is None else label.texts[at])
            label.set_position((self.start, self.foot))

    def put_row_head(self) -> None:
        """Put the name of the row, and what is said of it, into the blank line."""
        across = 0.0
        for label in self.labels("row"):
            label.set_position((across, self.foot + self.above + ROW_HEAD * self.canvas.small))
            across += self.width(label.get_text(), label) + 1.5 * self.gap

    def put_below(self) -> None:
        """Put texts into the blank line, at both its ends, all in full or all short; where they have no room beside
        each other, the left one alone."""
        if not (labels := self.labels("below")):
            return
        wide = [self.gap + sum(self.width(label.texts[at], label) for label in labels) for at in (0, 1)]
        at = 0 if wide[0] <= self.end else 1
        for label in labels:
            shown = wide[at] <= self.end or label.get_horizontalalignment() == "left"
            label.set_text(label.texts[at] if shown else "")
            label.set_position((self.end * (label.get_horizontalalignment() == "right"), self.foot + self.above))

    def put_sign(self) -> None:
        """Put a sign into the middle of the gap, or left of the labels that stand there."""
        for sign in labels_of(self.axes, SignLabel):
            beside = self.axes.yaxis.get_tightbbox() if self.axes.yaxis.label.get_visible() else None
            sign.set_in_layout(beside is not None)  # the gap holds it, but not beside labels
            taken = 0.0 if beside is None else max(0.0, float(self.axes.bbox.x0 - beside.x0) * self.points)
            sign.set_position((-taken - (GAP + APART_MORE) * self.canvas.inches.font / 2, 0.0))
