"""What costs nothing until it is used: numpy, objects known by name, results of functions."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

__all__ = ["Array", "Registry", "cached", "late", "np"]

F = TypeVar("F", bound=Callable[..., Any])
T_co = TypeVar("T_co", covariant=True)


def _lazy(name: str) -> ModuleType:
    """Return a module that is loaded at its first use, so that options can be declared without paying for it."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]  # float64 unless it says otherwise
else:
    np = _lazy("numpy")
    Array = "numpy.ndarray"


def cached(function: F) -> F:
    """Return `functools.cache` of it, typed as it is; mypy takes classes of dataclasses, the keys, for unhashable."""
    return cast(F, cache(function))


def late(place: str) -> Callable[..., Any]:
    """Return the function at that place, ``module:function``, imported when it is first called."""
    return lambda *values: _at(place)(*values)


def _at(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


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
        return cast(T_co, _at(self.entries[name][0]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.entries

    def __or__(self, other: Registry[Any]) -> Registry[Any]:
        return Registry({**self.entries, **other.entries}, {**self.aliases, **other.aliases})

    def summary(self, name: str) -> str:
        """Return the line on what it is."""
        return self.entries[name][1]
