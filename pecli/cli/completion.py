"""What a shell offers where the value of an option stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pecli.core.options import Option
from pecli.encodings.registry import all_encodings
from pecli.figures.canvas import SIZES


def values_for(one: Option) -> list[tuple[str, str]]:
    """Return the values that an option takes and what each is; none where a file or any text may stand."""
    if one.name in OFFERED:
        return list(OFFERED[one.name]())
    return [(value, "") for value in one.choices()] if one.choices is not None else []


def _encodings() -> Iterable[tuple[str, str]]:
    return ((name, kind.summary) for name, kind in all_encodings().items())


def _color_maps() -> Iterable[tuple[str, str]]:
    from matplotlib import colormaps

    return ((name, "") for name in colormaps if not name.endswith("_r"))


def _styles() -> Iterable[tuple[str, str]]:
    from pecli.figures.style import bundled_styles

    return ((name, "") for name in bundled_styles() if not name.startswith("_"))


OFFERED: dict[str, Callable[[], Iterable[tuple[str, str]]]] = {  # of options whose values are no fixed list
    "encoding": _encodings,
    "size": lambda: ((size, "") for size in SIZES),
    "cmap": _color_maps,
    "style": _styles,
}
