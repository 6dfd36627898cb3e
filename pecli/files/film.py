"""Many pictures for one file: frames that follow each other, or a page on which one is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pecli.files.mapper import Mapper

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

DRAWING = "drawing"  # what a bar says meanwhile


class SweptOption(NamedTuple):
    """An option whose values the frames have.

    texts : what is said of each value
    number : whether the values are numbers, to be run through; else words, to be chosen from
    """

    name: str
    texts: tuple[str, ...]
    number: bool


class Frame(NamedTuple):
    """One picture: what is drawn, what tells it from the others, the line that makes it alone, what there is to see."""

    drawing: Drawing
    label: str
    line: str
    message: str = ""


@dataclass(frozen=True)
class Film:
    """The frames, the last of the swept options running fastest, all laid out alike.

    dpi : pixels an inch; a page has pictures of twice as many too
    seconds : that each frame is shown
    times : that it plays, None for ever
    each : turns the drawings into bytes
    """

    frames: tuple[Frame, ...]
    swept: tuple[SweptOption, ...]
    dpi: int
    seconds: float
    times: int | None
    each: Mapper

    @property
    def drawings(self) -> list[Drawing]:
        """What is drawn on each frame."""
        return [frame.drawing for frame in self.frames]
