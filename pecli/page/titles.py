"""Texts on or above the title line of a panel, signs between panels, and the mark of the panel in the headline."""

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
ROW_HEAD = 0.25  # ems of extra gap between a row's name and the titles below it
APART_MORE = 0.6  # ems of extra gap for a sign between panels


class TitleLabel(Label):
    """A text on the title line of a panel, or on the line that its title leaves blank.

    where : "behind" (after the title), "end" (at the right), "below" (on the blank line) or "row" (head of a row, on
        the blank line)
    texts : versions of the text from long to short; the first that fits is shown
    """

    where: str
    texts: Sequence[str]


class SignLabel(Label):
    """A sign to the left of a panel, such as the + of a sum."""


def add_behind_title(axes: Axes, texts: Sequence[str], canvas: Canvas) -> None:
    """Write the first of `texts` that fits after a panel's title, in the paler colour of notes."""
    _add_title_label(axes, "behind", texts, canvas, color=note_ink())


def add_at_end_of_title(axes: Axes, text: str, canvas: Canvas, **style: Any) -> None:
    """Write a text at the right end of a panel's title line, or on the line that the title leaves blank."""
    _add_title_label(axes, "end", [text], canvas, ha="right", **style)


def add_below_title(axes: Axes, text: str, canvas: Canvas, *, right: bool = False, short: str, **style: Any) -> None:
    """Write a text on the line that a panel's title leaves blank, at its left or right end.

    short : a text to use if the other does not fit
    """
    _add_title_label(axes, "below", [text, short or text], canvas, ha="right" if right else "left", **style)


def add_row_head(axes: Axes, name: str, note: str, canvas: Canvas) -> None:
    """Write the name of a row of panels above its first panel, followed by a paler note.

    Both may extend beyond the panel.
    """
    _add_title_label(axes, "row", [name], canvas, weight=HEADLINE, color=headline_ink())
    _add_title_label(axes, "row", [note], canvas, color=note_ink())


def _add_title_label(axes: Axes, where: str, texts: Sequence[str], canvas: Canvas, **style: Any) -> None:
    """Add a title label of that kind to an Axes."""
    label = TitleLabel(axes, texts[0], (0.0, 1.0), axes.transAxes, canvas, **{"ha": "left", "va": "bottom", **style})
    label.where, label.texts = where, texts
    label.set_in_layout(False)  # the title's size already includes its line


def add_sign(axes: Axes, sign: str, canvas: Canvas) -> None:
    """Write a sign in the gap to the left of a panel."""
    label = SignLabel(axes, sign, (0.0, 0.5), axes.transAxes, canvas, ha="center", va="center")
    label.set(fontsize=1.5 * canvas.small, in_layout=False)


def name_panel(axes: Axes) -> None:
    """Mark a panel as the one in the headline: the rule below its title becomes dark."""
    axes.named = True  # type: ignore[attr-defined]


def place_titles(panels: Sequence[Axes], canvas: Canvas) -> None:
    """Place texts on title lines, and signs between panels; called after each change of the panels' size.

    Texts after titles are shown in all panels or in none.
    """
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
    """The title line of a panel at its current size. Lengths are in points from the upper left corner of the frame."""

    def __init__(self, axes: Axes, canvas: Canvas) -> None:
        self.axes, self.canvas, title = axes, canvas, axes.title
        self.points = points_per_pixel(axes)
        self.gap, self.end = APART * canvas.small, float(axes.bbox.width) * self.points
        lines = [line.strip() for line in title.get_text().split("\n")]
        left, foot = title.get_transform().transform(title.get_position())
        self.foot = float(foot - axes.bbox.y1) * self.points
        own = self.width(lines[-1], title)
        share = {"left": 1.0, "center": 0.5, "right": 0.0}[title.get_horizontalalignment()]  # of the title's width
        self.start = float(left - axes.bbox.x0) * self.points + share * own
        self.above = 0.0  # height of the blank line above the title line
        self.blank = "" in lines
        if self.blank and title.get_text():
            high = float(title.get_window_extent().height) * self.points / len(lines)
            self.above = high * lines[::-1].index("")

    def width(self, text: str, own: Text) -> float:
        """Return the width of a text in the font of the artist `own`."""
        ruler = Ruler(72 / self.points, own.get_fontweight())  # type: ignore[arg-type]
        return 72 * ruler.width(text, float(own.get_fontsize())) if text else 0.0

    def labels(self, where: str) -> list[TitleLabel]:
        """Return the title labels whose `where` is this."""
        return [label for label in labels_of(self.axes, TitleLabel) if label.where == where]

    def put_ends(self) -> None:
        """Place texts at the right end if they fit there, otherwise at the left of the blank line."""
        for label in self.labels("end"):
            (text,), wide = label.texts, self.width(label.texts[0], label)
            fits = self.blank or self.start + self.gap + wide <= self.end
            label.set(text=text if fits else "", ha="left" if self.blank else "right")
            label.set_position((0.0, self.foot + self.above) if self.blank else (self.end, self.foot))
            self.end -= 0.0 if self.blank else fits * (wide + self.gap)

    def has_room_behind(self, at: int) -> bool:
        """Return whether version `at` of the text of every label after the title fits there."""
        widths = (self.width(own.texts[at], own) for own in self.labels("behind"))
        return not self.blank and all(self.start + wide <= self.end for wide in widths)

    def put_behind(self, at: int | None) -> None:
        """Show version `at` of the text of every label after the title; None hides these labels.

        The versions of a label's text are in `label.texts`.
        """
        for label in self.labels("behind"):
            label.set_text("" if at is None else label.texts[at])
            label.set_position((self.start, self.foot))

    def put_row_head(self) -> None:
        """Place the row's name on the blank line, and the row's note after the name if the page has room there."""
        across, room = 0.0, float(self.axes.figure.bbox.x1 - self.axes.bbox.x0) * self.points
        for label in self.labels("row"):
            wide = self.width(label.texts[0], label)
            label.set_text(label.texts[0] if not across or across + wide <= room else "")
            label.set_position((across, self.foot + self.above + ROW_HEAD * self.canvas.small))
            across += wide + 1.5 * self.gap

    def put_below(self) -> None:
        """Place texts at both ends of the blank line.

        Either all are the long texts, or all are the short ones. If the short ones do not fit either, only the left one
        is shown.
        """
        if not (labels := self.labels("below")):
            return
        wide = [self.gap + sum(self.width(label.texts[at], label) for label in labels) for at in (0, 1)]
        at = 0 if wide[0] <= self.end else 1
        for label in labels:
            shown = wide[at] <= self.end or label.get_horizontalalignment() == "left"
            label.set_text(label.texts[at] if shown else "")
            label.set_position((self.end * (label.get_horizontalalignment() == "right"), self.foot + self.above))

    def put_sign(self) -> None:
        """Place the sign in the middle of the gap between panels, but to the left of axis labels in that gap."""
        for sign in labels_of(self.axes, SignLabel):
            beside = self.axes.yaxis.get_tightbbox() if self.axes.yaxis.label.get_visible() else None
            sign.set_in_layout(beside is not None)  # without axis labels the gap has room for it
            taken = 0.0 if beside is None else max(0.0, float(self.axes.bbox.x0 - beside.x0) * self.points)
            sign.set_position((-taken - (GAP + APART_MORE) * self.canvas.inches.font / 2, 0.0))
