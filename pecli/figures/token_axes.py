"""Axes along which tokens stand: labels that fit."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL = 0.833  # matplotlib's "small", the size of tick labels


def label_tokens(axes: Axes, words: Sequence[str], down: str | None, across: str | None, around: float) -> None:
    """Names rows and columns of a square image by tokens, as many and as much of each as there is room for.

    down, across : what the rows and columns are; None where a panel beside or below shows the same tokens
    around : about how much titles and labels take from each panel of the picture, in ems of a label
    """
    share = _room(axes)
    texts = [_cut(word, max(3, share / 4)) for word in words]
    side = max(1, share - around)
    step = ceil(1.1 * len(words) / side)
    ticks, texts = range(0, len(words), step), texts[::step]
    fits = max(map(_ems, texts)) < 0.9 * step * side / len(words)
    stacks = all(map(_wide, "".join(texts)))  # Chinese that has no room beside each other stands one below the other
    below = texts if fits or not stacks else ["\n".join(text) for text in texts]
    axes.tick_params(length=0, labelleft=down is not None, labelbottom=across is not None)
    axes.set_xticks(ticks, below, rotation=0 if fits or stacks else 90, parse_math=False)
    axes.set_yticks(ticks, texts, parse_math=False)
    axes.set(xlabel=across or "", ylabel=down or "")


def _room(axes: Axes) -> float:
    """About how many ems of a tick label a panel has of the picture, for its image and all that stands around it."""
    import matplotlib as mpl

    em = SMALL * mpl.rcParams["font.size"] / 72 * axes.figure.dpi
    box = axes.get_window_extent()  # before the layout: matplotlib's default margins
    return float(1.4 * min(box.width, box.height) / em)


def _wide(sign: str) -> bool:
    """Whether a character is as wide as it is high."""
    return unicodedata.east_asian_width(sign) in "WF"


def _ems(text: str) -> float:
    """About how wide a text is, in its own size."""
    return sum(1.0 if _wide(sign) else 0.62 for sign in text)


def _cut(word: str, most: float) -> str:
    """A token of at most so many ems."""
    if _ems(word) <= most:
        return word
    kept = next(n for n in range(len(word), -1, -1) if _ems(word[:n]) <= most - 1)
    return word[:kept] + "…"
