"""The titles of panels, broken into lines as their frames have room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pecli.figures.text import Ruler, alike

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PanelTitles:
    """The titles of a page's panels: as the figure has them, and as they stand there."""

    def __init__(self, ruler: Ruler) -> None:
        self._ruler = ruler
        self._wrapped: dict[Axes, tuple[str, str]] = {}  # in one line, and in several

    def before(self, axes: Axes) -> str:
        """A panel's title as it was when it was last broken into lines; nothing where it never was."""
        return self._wrapped.get(axes, ("", ""))[0]

    def now(self, axes: Axes) -> str:
        """A panel's title before it was broken into lines."""
        raw, wrapped = self._wrapped.get(axes, ("", ""))
        return raw if axes.get_title() == wrapped else axes.get_title()

    def wrap(self, axes: Axes, width: float, apart: float) -> None:
        """Breaks a panel's title into lines as long as the panel is wide, less what tells it from its neighbour's.

        width : of the panel, inches
        apart : below 0 where there is room between neighbours that titles may take, inches
        """
        raw, points = self.now(axes), float(axes.title.get_fontsize())
        room = max(width - apart, min(width, self._ruler.widest_piece(raw, points)))
        self._put(axes, raw, self._ruler.wrapped(raw, points, room))

    def wrap_alike(self, row: Sequence[Axes]) -> None:
        """Breaks the titles of a row into as many lines as another of them takes, where all can between clauses."""
        own = [self._wrapped[axes] for axes in row]
        for axes, (raw, _), text in zip(row, own, alike(own), strict=True):
            self._put(axes, raw, text)

    def _put(self, axes: Axes, raw: str, wrapped: str) -> None:
        self._wrapped[axes] = raw, wrapped
        axes.title.set_text(wrapped)
