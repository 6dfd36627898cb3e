"""Axes along which tokens stand: every one is labelled, turned where there is no room side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pecli.figures.axis_labels import fixed_names, names_fit
from pecli.figures.panels import Bar, Panel
from pecli.figures.text_size import ems, is_wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PITCH = 0.87  # ems of tick labels from one token to the next, at least
LONGEST = 12.0  # ems of a token, before it is cut


def token_panel(words: Sequence[str], bar: Bar) -> Panel:
    """A square panel in which these tokens are labelled on both sides."""
    side, shown = max(6.0, PITCH * len(words)), tuple(words)
    return Panel(1.0, exact=True, least=(side, side), bar=bar, x=shown, y=shown)


def label_tokens(axes: Axes, words: Sequence[str], across: Sequence[str], down: str, right: str) -> None:
    """Names rows by one order of the tokens and columns by another; every one, and what they are.

    down, right : what rows and columns are
    """
    count = len(words)
    axes.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5), xlabel=right, ylabel=down)
    axes.tick_params(length=0)
    axes.set_xticks(range(count), list(map(cut, across)), parse_math=False)
    axes.set_yticks(range(count), list(map(cut, words)), parse_math=False)


def fit_tokens(axes: Axes, size: float) -> None:
    """Gives the labels that size in points; turns those below a panel that would touch.

    Chinese stands one character below the other instead.
    """
    axes.tick_params(labelsize=size)
    words = [word.replace("\n", "") for word in fixed_names(axes.xaxis)]
    fits = names_fit(axes.xaxis, words)
    stacks = not fits and all(map(is_wide, "".join(words)))
    axes.set_xticks(range(len(words)), ["\n".join(word) if stacks else word for word in words], parse_math=False)
    axes.tick_params(axis="x", labelrotation=0 if fits or stacks else 90)


def cut(word: str) -> str:
    """A token of at most so many ems."""
    if ems(word) <= LONGEST:
        return word
    kept = next(n for n in range(len(word), -1, -1) if ems(word[:n]) <= LONGEST - 1)
    return word[:kept] + "…"
