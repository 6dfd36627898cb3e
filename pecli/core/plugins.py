"""Classes that other packages register under an entry point group."""

from __future__ import annotations

import io
import warnings
from collections.abc import Collection
from contextlib import redirect_stdout
from typing import Any

from pecli.core.errors import shorten


def load_plugins(group: str, base: type[Any], described: Collection[str], taken: Collection[str]) -> dict[str, Any]:
    """Return the classes of an entry point group by name; one that fails or exits on import is skipped with a warning.

    Whatever a plugin prints on import becomes a warning, because it would spoil results on standard output.

    Parameters
    ----------
    base : class from which each class must derive
    described : attributes that each class must have besides the abstract methods of `base`
    taken : names that pecli itself uses; a class with one of them is skipped
    """
    from importlib.metadata import entry_points

    found: dict[str, Any] = {}
    for point in entry_points(group=group):
        printed, wrong = io.StringIO(), ""
        try:
            with redirect_stdout(printed):
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
        except SystemExit as error:
            wrong = f"was skipped: its import ends Python with exit({error})"
        except Exception as error:  # importing a plugin can raise anything
            wrong = f"was skipped: {error}"
        text = " ".join(printed.getvalue().split())
        said = " and ".join(filter(None, [wrong, text and f"printed '{shorten(text)}'"]))
        if said:
            package = point.dist.name if point.dist else "an unknown package"
            warnings.warn(f"{base.__name__.lower()} plugin {point.name!r} of {package} {said}", stacklevel=2)
    return found
