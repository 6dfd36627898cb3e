"""A drawing in which nothing moves: what matplotlib asks an axis again and again is found out once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ASKED = ("_update_ticks", "_get_ticklabel_bboxes", "_update_label_position")  # two to six times where once would do


@contextmanager
def still(every: Iterable[Axes]) -> Iterator[None]:
    """Lets the ticks and labels of these axes, and of those inside them, stay as they are first found."""
    found: list[Any] = [one for axes in every for one in (axes, *axes.child_axes)]
    named = [(axis, name) for one in found for axis in (one.xaxis, one.yaxis) for name in ASKED]
    kept = [(axis, name) for axis, name in named if hasattr(axis, name)]  # they are matplotlib's own
    for axis, name in kept:
        vars(axis)[name] = _once(getattr(axis, name))
    try:
        yield
    finally:
        for axis, name in kept:
            del vars(axis)[name]


def _once(asked: Callable[..., Any]) -> Callable[..., Any]:
    """The same, which works once and gives what it gave then."""
    found: list[Any] = []

    def answer(*given: Any, **named: Any) -> Any:
        if not found:
            found.append(asked(*given, **named))
        return found[0]

    return answer
