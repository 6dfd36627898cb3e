"""What other packages bring under an entry point group of pecli's."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any


def load_plugins(group: str, base: type[Any], described: Collection[str], taken: Collection[str]) -> dict[str, Any]:
    """Return the classes of a group by name; one that is broken is left out with one warning that names it.

    Parameters
    ----------
    base : what each derives from
    described : attributes that each has, besides the methods that the base asks for
    taken : names that are pecli's own
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
        except Exception as error:  # a plugin can fail in any way; ours must not
            package = point.dist.name if point.dist else "an unknown package"
            what = base.__name__.lower()
            warnings.warn(f"{what} plugin {point.name!r} of {package} is left out: {error}", stacklevel=2)
    return found
