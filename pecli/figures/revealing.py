"""Options that draw a figure step by step: one more wave or column in every frame, in the same layout."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from pecli.analysis import E
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.options import option
from pecli.figures.base import Figure, View


@dataclass(frozen=True)
class Revealing(Figure[E]):
    """Base of the figures that can be drawn step by step, from the top or the left.

    When options are expanded into jobs, `reveal` becomes a sweep of `revealed`: figures and jobs never have `reveal`.
    """

    reveal: bool = option(False, "add one wave or pair per frame of a .gif or .html, or page of a .pdf")
    revealed: int | None = option(None, "number of waves or pairs to draw", at_least=1, unset="all")

    def check(self) -> None:
        super().check()
        if self.reveal:
            text = "--reveal makes one picture per step, but this is a single picture"
            raise UsageError(text, option="reveal", advice="--revealed decides how many steps it shows")

    def settings(self) -> dict[str, Any]:
        return {name: value for name, value in super().settings().items() if name != "reveal"}

    def check_revealed(self, view: View[E]) -> None:
        """Raise UsageError if `revealed` is larger than the number of steps, or given although there is one step."""
        if self.revealed is None:
            return
        every = self.steps(view)
        if every == 1:
            raise UnusedOptionError("revealed", self.revealed, f"this {self.name} is drawn in one step")
        if self.revealed > every:
            text = f"{option_text('revealed', self.revealed)} is more than the {every} steps of this {self.name}"
            raise UsageError(text, option="revealed", value=self.revealed)

    @abstractmethod
    def steps(self, view: View[E]) -> int:
        """Return how many steps there are until everything is drawn."""

    def drawn_steps(self, view: View[E]) -> int:
        """Return how many steps are drawn."""
        return self.steps(view) if self.revealed is None else self.revealed
