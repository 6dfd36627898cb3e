"""What every report is: options, `compute` (numbers), `show` (a document, no numbers made)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import Analysis, E, Numbers, View
from pecli.core.document import Block

__all__ = ["Numbers", "Report", "View"]


@dataclass(frozen=True)
class Report(Analysis[E]):
    """Base of the reports: what is read in the terminal, or written as numbers."""

    drawn: ClassVar[bool] = False

    def cells(self) -> tuple[int, int] | None:
        """The rows and columns that are printed at most, where `compute` makes no more than that; None: all are made.

        They take the place of a picture's pixels: without them (a file) `compute` makes every number.
        """
        return None

    @abstractmethod
    def show(self, numbers: Any, width: int) -> list[Block]:
        """What to print, one block below the other, where so many characters stand in a line."""
