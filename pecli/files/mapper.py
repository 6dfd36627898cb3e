"""A piece of work done for many things, each giving bytes: here, or wherever the caller has more hands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

Bytes = tuple[bytes, ...]
T = TypeVar("T")


class Mapper(Protocol):
    """Who does it, in this process or several."""

    def __call__(self, work: Callable[[T], Bytes], things: Sequence[T], doing: str) -> Iterable[Bytes]:
        """What the work gives for each thing, in order."""


def here(work: Callable[[T], Bytes], things: Sequence[T], doing: str) -> Iterable[Bytes]:
    """What the work gives for each thing, done in this process."""
    return map(work, things)
