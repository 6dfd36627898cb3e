"""The sizes of frames of which one is as tall as all rows of the others, or as wide as all their columns. Inches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pecli.figures.row_heights import filled


@dataclass(frozen=True)
class Span:
    """A panel that stands large beside others of one width, from which all sizes follow.

    large : the panel
    tall : whether it is as tall as all rows of the others, else it is as wide as all their columns
    first : whether its column or row is the first, else it is the last
    columns : of the others
    aspects : height over width of the others, row by row
    aspect : its own
    between : what stands between the frames along which it runs
    exact : whether the aspects are kept
    """

    large: int
    tall: bool
    first: bool
    columns: int
    aspects: tuple[float, ...]
    aspect: float
    between: float
    exact: bool

    def sizes_in(self, room: tuple[float, float | None], least: Sequence[float]) -> tuple[list[float], list[float]]:
        """Widths of all columns and heights of all rows, of which each has its least, in the room across and down."""
        across, down = room
        widths, heights = self.sizes(self._width_in(across, down if self.exact else None))
        if self.exact:
            return widths, heights
        if down is None:
            return widths, [max(height, low) for height, low in zip(heights, least, strict=True)]
        return widths, filled(heights, least, down)

    def sizes(self, width: float) -> tuple[list[float], list[float]]:
        """Widths of all columns and heights of all rows where the others are so wide."""
        widths, heights = [width] * self.columns, [width * aspect for aspect in self.aspects]
        if self.tall:
            return self._joined(widths, (sum(heights) + self.between) / self.aspect), heights
        return widths, self._joined(heights, (sum(widths) + self.between) * self.aspect)

    def _joined(self, others: list[float], own: float) -> list[float]:
        return [own, *others] if self.first else [*others, own]

    def _width_in(self, across: float, down: float | None) -> float:
        """How wide the others are where that is the room for all frames; None: as much as they take."""
        wide, high = float(self.columns), sum(self.aspects)  # what they take for each inch
        if self.tall:
            most = (across - self.between / self.aspect) / (wide + high / self.aspect)
            return max(1e-3, most if down is None else min(most, down / high))
        low = across if down is None else (down - self.between * self.aspect) / (high + wide * self.aspect)
        return max(1e-3, min(across / wide, low))

    def width_for(self, width: float, height: float) -> float:
        """How wide the others are where the large one is just so large."""
        if self.tall:
            return (max(height, width * self.aspect) - self.between) / sum(self.aspects)
        return (max(width, height / self.aspect) - self.between) / self.columns
