"""Lazy imports: numpy loads at first use, types of annotations need no import, a `Registry` imports on access."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

__all__ = ["Array", "Axes", "Registry", "cached", "np"]

F = TypeVar("F", bound=Callable[..., Any])
T_co = TypeVar("T_co", covariant=True)

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes as Axes
    from numpy.typing import NDArray

    Array = NDArray[Any]  # float64 unless stated otherwise
else:
    Array, Axes = "numpy.ndarray", "matplotlib.axes.Axes"
    if "numpy" not in sys.modules:  # so that options can be declared without importing numpy
        spec = importlib.util.find_spec("numpy")
        spec.loader = importlib.util.LazyLoader(spec.loader)
        sys.modules["numpy"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["numpy"])
    np = sys.modules["numpy"]


def cached(function: F) -> F:
    """Return `functools.cache` of a function, with the function's own type.

    With the type of the cache, mypy would refuse dataclasses as arguments, which it considers unhashable.
    """
    return cast(F, cache(function))


class Registry(Mapping[str, T_co]):
    """A mapping of names to objects, each given by its location, ``module:object``, and a one-line summary.

    Listing names and summaries imports nothing: importing all figures would double the time of ``pecli --help``.

    aliases : other names, each with the name that it stands for and the options that it implies
    more : returns the objects of plugins, which can be looked up by name but are not listed; called for unknown names
    """

    def __init__(
        self,
        entries: Mapping[str, tuple[str, str]],
        aliases: Mapping[str, tuple[str, Mapping[str, str]]] | None = None,
        more: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        self.entries, self.aliases, self.more = dict(entries), dict(aliases or {}), more

    def __getitem__(self, name: str) -> T_co:
        if name not in self.entries:
            return cast(T_co, self.more()[name])
        module, _, attribute = self.entries[name][0].partition(":")
        return cast(T_co, getattr(import_module(module), attribute))

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.entries or name in self.more())

    def __or__(self, other: Registry[Any]) -> Registry[Any]:
        def more() -> dict[str, Any]:
            return {**self.more(), **other.more()}

        return Registry({**self.entries, **other.entries}, {**self.aliases, **other.aliases}, more)

    def summary(self, name: str) -> str:
        """Return the one-line summary."""
        return self.entries[name][1] if name in self.entries else cast(str, self.more()[name].summary)
