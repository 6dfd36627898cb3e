"""Classes that other packages register under an entry point group."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any


def load_plugins(group: str, base: type[Any], described: Collection[str], taken: Collection[str]) -> dict[str, Any]:
    """Return the classes of an entry point group by name. A broken one is skipped with a warning.

    Parameters
    ----------
    base : class from which each must derive
    described : attributes that each must have besides the abstract methods of `base`
    taken : names that pecli itself uses; a class with one of them is skipped
    """
    from importlib.metadata import entry_points

    found: dict[str, Any] = {}
    for point in entry_points(group=group):
        try:
            plugin = point.load()
            if not (isinstance(plugin, type) and issubclass(plugin, base)):
                raise TypeError(f"{plugin!r} is not a subclass of {base.__module__}.{base.__name__}")
            lacking = [name for name in described if not hasattr(plugin, name)]
            lacking += sorted(getattr(plugin, "__abstractmethods__", ()))
            if lacking:
                raise TypeError(f"its class has no {', '.join(lacking)}")
            if (name := str(plugin.__dict__.get("name"))) != point.name:
                raise ValueError(f"its class is named {name!r}")
            if point.name in taken:
                raise ValueError("that name is pecli's own")
            found[point.name] = plugin
        except Exception as error:  # importing a plugin can raise anything
            package = point.dist.name if point.dist else "an unknown package"
            what = base.__name__.lower()
            warnings.warn(f"{what} plugin {point.name!r} of {package} was skipped: {error}", stacklevel=2)
    return found
