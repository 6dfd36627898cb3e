"""Panels that show the same things between the same ends."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from pecli.figures.matrix import ink_again
from pecli.figures.panels import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def share_windows(axes: Sequence[Axes], panels: Sequence[Panel]) -> None:
    """Gives all that is labelled once for several panels, and all that ends where its data do, the ends of them all."""
    for x_or_y in ("x", "y"):
        free = [_label(one, x_or_y) if getattr(one, f"get_autoscale{x_or_y}_on")() else None for one in axes]
        for subjects in ([getattr(panel, x_or_y) for panel in panels], free):
            groups: dict[Hashable, list[Axes]] = {}
            for one, subject in zip(axes, subjects, strict=True):
                groups.setdefault(subject, []).append(one)
            groups.pop(None, None)
            for group in groups.values():
                _set_ends(group, x_or_y)


def share_colours(images: Sequence[Any], panels: Sequence[Panel]) -> None:
    """Gives all images beside one bar the ends of them all, and their numbers the ink that goes with that."""
    for bar in dict.fromkeys(panel.bar for panel in panels if panel.bar):
        family = [one for one, panel in zip(images, panels, strict=False) if one is not None and panel.bar == bar]
        lows, highs = zip(*(one.get_clim() for one in family), strict=True) if family else ((), ())
        if len({*lows}) > 1 or len({*highs}) > 1:
            for one in family:
                one.set_clim(min(lows), max(highs))
                ink_again(one)


def _label(axes: Axes, x_or_y: str) -> str | None:
    """What an axis says that it shows, without what tells the row; None for nothing."""
    text: str = getattr(axes, f"get_{x_or_y}label")()
    return text.rpartition("\n")[2] or None


def _set_ends(group: Sequence[Axes], x_or_y: str) -> None:
    """One window for all of these, and numbers as far as one of them has."""
    from pecli.figures.ticks import number_between, numbered

    axes = [getattr(one, f"{x_or_y}axis") for one in group]
    ends: list[Any] = [getattr(one, f"get_{x_or_y}lim")() for one in group]
    known = [numbered(axis) for axis in axes]
    low, high = min(min(one) for one in ends), max(max(one) for one in ends)
    for one, (first, last) in zip(group, ends, strict=True):
        if {first, last} != {low, high}:
            getattr(one, f"set_{x_or_y}lim")((low, high) if first < last else (high, low))
    for axis in axes:
        number_between(axis, min(first for first, _ in known), max(last for _, last in known))
