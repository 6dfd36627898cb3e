"""Names and the classes that bear them, each imported when it is first asked for."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

SUMMARY = re.compile(r'^    summary: ClassVar\[str\] = "(.*)"$', re.MULTILINE)  # of a class, in its file
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
        """What a class says in its `summary`, or a function's module in its first line, read from the file."""
        module, _, what = self.places[name].partition(":")
        spec = importlib.util.find_spec(module)
        if spec is None or spec.origin is None:
            return ""
        text = Path(spec.origin).read_text(encoding="utf-8")
        said = SUMMARY.search(text, max(0, text.find(f"\nclass {what}")))
        return said[1] if said else text.partition("\n")[0].strip('"').removesuffix(".")
