"""A cache of a function's results that keeps the function's own type."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def cached(function: F) -> F:
    """`functools.cache`; mypy takes the classes of dataclasses, which are the keys here, for unhashable."""
    return cast(F, cache(function))
