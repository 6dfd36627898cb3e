"""Names and what bears them, each imported when it is first asked for: a name costs no more than its letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Registry(Mapping[str, T_co]):
    """A mapping of names to objects, each written down as its place, ``module:object``, and one line on what it is.

    Listing names and lines costs no import: that of twenty figures would double the time of ``pecli --help``.
    """

    def __init__(
        self, entries: Mapping[str, tuple[str, str]], aliases: Mapping[str, tuple[str, Mapping[str, str]]] | None = None
    ) -> None:
        self.entries = dict(entries)
        self.aliases = dict(aliases or {})  # what people look for: the name that it has here, and with which options

    def __getitem__(self, name: str) -> T_co:
        found: Any = _at(self.entries[name][0])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.entries

    def __or__(self, other: Registry[Any]) -> Registry[Any]:
        return Registry({**self.entries, **other.entries}, {**self.aliases, **other.aliases})

    def summary(self, name: str) -> str:
        """What stands beside the place."""
        return self.entries[name][1]


def late(place: str) -> Callable[..., Any]:
    """The function at that place, ``module:function``, imported when it is first called."""

    def call(*values: Any) -> Any:
        return _at(place)(*values)

    return call


def _at(place: str) -> Any:
    module, _, what = place.partition(":")
    return getattr(import_module(module), what)
