"""What every command of the program is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

WRITES = "the names of the files written, a line each"
SAYS = f"what it says; with `-o` {WRITES}"


@dataclass(frozen=True)
class Command:
    """A command as Typer takes it.

    function : with the command's options as parameters
    examples : lines that run
    reads_text : whether the function reads the text of its options itself
    notes : paragraphs at the end of its help
    settings : how its words are taken, besides the names of its help
    prints : what standard output has, in words
    keys : of its JSON, where that is its own, and what each is
    """

    function: Callable[..., None]
    examples: tuple[str, ...]
    reads_text: bool = False
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    prints: str = SAYS
    keys: Mapping[str, str] = field(default_factory=dict)
