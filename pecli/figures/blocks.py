"""What has to be known to lay panels out: what stands around each, and the page. Lengths in inches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from pecli.figures.panels import Panel


class Box(NamedTuple):
    """A rectangle on the page; y runs from the bottom."""

    left: float
    bottom: float
    width: float
    height: float


@dataclass(frozen=True)
class Block:
    """A panel with what was measured around its frame.

    bar, bar_height : the width that a colour bar beside it takes, 0 for none, and the height that its label takes
    width, height : the smallest frame that its texts allow
    cells : of an image, the width and height of a frame in which each cell has one pixel
    """

    panel: Panel
    left: float
    right: float
    top: float
    bottom: float
    bar: float
    bar_height: float
    width: float
    height: float
    cells: tuple[float, float] = (0.0, 0.0)

    def or_wider(self, other: Block) -> Block:
        """The same panel with whichever margins are wider, those for a bar too."""
        return self._or_more(other, "left", "right", "top", "bottom", "bar", "bar_height")

    def or_larger(self, other: Block) -> Block:
        """The same panel with room for what stands around either."""
        return self.or_wider(other)._or_more(other, "width", "height")

    def _or_more(self, other: Block, *names: str) -> Block:
        return replace(self, **{name: max(getattr(self, name), getattr(other, name)) for name in names})


@dataclass(frozen=True)
class Room:
    """The page: its width, its height (None: what the panels take), what words above and below take, and the gaps."""

    width: float
    height: float | None
    head: float
    foot: float
    gap: float

    def or_less(self, other: Room) -> Room:
        """What both leave."""
        return replace(self, head=max(self.head, other.head), foot=max(self.foot, other.foot))
