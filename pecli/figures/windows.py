"""Panels that show the same things between the same ends."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pecli.figures.panels import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def share_windows(axes: Sequence[Axes], panels: Sequence[Panel]) -> None:
    """Gives all that is labelled once for several panels, and all that ends where its data do, the ends of them all."""
    for x_or_y in ("x", "y"):
        groups: dict[Hashable, list[Axes]] = {}
        for one, panel in zip(axes, panels, strict=True):
            groups.setdefault(_subject(one, x_or_y, getattr(panel, x_or_y)), []).append(one)
        groups.pop(None, None)
        for group in groups.values():
            _set_ends(group, x_or_y)


def _subject(axes: Axes, x_or_y: str, key: Hashable) -> Hashable:
    """What an axis shows; None where that is its own affair."""
    free: bool = getattr(axes, f"get_autoscale{x_or_y}_on")()
    label = getattr(axes, f"get_{x_or_y}label")().rpartition("\n")[2]  # without what tells the row
    return (label, "free") if free and label else key


def _set_ends(group: Iterable[Axes], x_or_y: str) -> None:
    ends: list[Any] = [getattr(one, f"get_{x_or_y}lim")() for one in group]
    low, high = min(min(one) for one in ends), max(max(one) for one in ends)
    for one, (first, last) in zip(group, ends, strict=True):
        if {first, last} != {low, high}:
            getattr(one, f"set_{x_or_y}lim")((low, high) if first < last else (high, low))
