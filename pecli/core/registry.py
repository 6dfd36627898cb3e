"""Names and the classes that bear them, each imported when it is first asked for."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Registry(Mapping[str, T_co]):
    """A mapping of names to objects that are written down as ``module:object``.

    Listing names costs no import: that of twenty figures would double the time of ``pecli --help``.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = dict(places)

    def __getitem__(self, name: str) -> T_co:
        module, _, what = self.places[name].partition(":")
        found: Any = getattr(import_module(module), what)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __or__(self, other: Registry[Any]) -> Registry[Any]:
        return Registry({**self.places, **other.places})

    def summary(self, name: str) -> str:
        """The first line of the module's own text, read from its file."""
        spec = importlib.util.find_spec(self.places[name].partition(":")[0])
        if spec is None or spec.origin is None:
            return ""
        with Path(spec.origin).open(encoding="utf-8") as file:
            return first_line(file.readline().strip().strip('"'))


def first_line(text: str | None) -> str:
    """The first line of a docstring, without its full stop."""
    return (text or "").strip().split("\n")[0].removesuffix(".")
