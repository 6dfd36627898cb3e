"""Where the colours end: at the extreme values, where the user says, or where most values are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pecli.analysis import Limits, Numbers
from pecli.core.errors import UsageError
from pecli.core.language import merge_labels, say
from pecli.core.lazy import Array, np
from pecli.core.numbers import number_text
from pecli.encodings.base import distinguishing_labels
from pecli.measures.summary import SAMPLE_SIZE
from pecli.page.canvas import PERCENTILES, Canvas

WASHED_OUT = 0.3  # of the colours, or less, for all values between the percentiles: the rest is for a few


def ends(low: float, high: float) -> Limits:
    """Return the ends of colours for values from low to high: 0 in the middle of two signs, else at an end."""
    if low < 0 < high:
        return -max(-low, high), max(-low, high)
    return (min(0.0, low), max(0.0, high)) if low != high or low else (0.0, 1.0)


def resolve_limits(canvas: Canvas, limits: Limits, values: Sequence[Array]) -> Limits:
    """Return the limits that the canvas asks for where the figure's are these."""
    low, high = limits
    if canvas.robust and (inner := most_values(values)) is not None:
        low, high = ends(*inner) if low < 0 < high else inner
    if canvas.vmin is not None and canvas.vmax is None and canvas.vmin >= high:
        allowed = f"less than the upper end of the colours, {number_text(high)}"
        raise UsageError(option="vmin", value=canvas.vmin, allowed=allowed)
    if canvas.vmax is not None and canvas.vmin is None and canvas.vmax <= low:
        allowed = f"more than the lower end of the colours, {number_text(low)}"
        raise UsageError(option="vmax", value=canvas.vmax, allowed=allowed)
    return low if canvas.vmin is None else canvas.vmin, high if canvas.vmax is None else canvas.vmax


def footnotes(numbers: Numbers[Any], canvas: Canvas) -> list[str]:
    """Return how the picture was made, what its marks are, and where its colours do not end at the extreme values."""
    text = "page.colours_from_the_nd"
    ends = say(text, low=PERCENTILES[0], high=PERCENTILES[1]) if canvas.robust and numbers.coloured() else ""
    encodings = numbers.view.encodings
    left_out = merge_labels(distinguishing_labels(encodings), [[encoding.left_out()] for encoding in encodings])
    return [*filter(None, [*numbers.marks(), *numbers.remarks(), *left_out, ends])]


def most_values(values: Sequence[Array]) -> Limits | None:
    """Return the percentiles of the values, or None where they are one number."""
    flat = np.concatenate([array[np.isfinite(array)] for array in values]) if values else np.zeros(0)
    if not len(flat):
        return None
    low, high = np.percentile(flat[:: -(-len(flat) // SAMPLE_SIZE)], PERCENTILES)
    return (float(low), float(high)) if low < high else None


def note_on_colours(numbers: Numbers[Any], canvas: Canvas) -> str:
    """Return a note where few values take most of the colours; mostly nothing."""
    if canvas.vmin is not None or canvas.vmax is not None:
        return ""
    seen = numbers.limited(partial(resolve_limits, canvas)) if canvas.robust else numbers
    parts = [(item.limits(), item.coloured()) for _, item in seen.shown()]
    groups = {limits: [array for own, arrays in parts if own == limits for array in arrays] for limits, _ in parts}
    return next(filter(None, (few_colours_note(limits, arrays) for limits, arrays in groups.items())), "")


def few_colours_note(limits: Limits | None, values: Sequence[Array]) -> str:
    """Return a note where a few values take most of the colours between these limits; mostly nothing."""
    inner = most_values(values) if limits is not None else None
    if limits is None or inner is None or inner[1] - inner[0] > WASHED_OUT * (limits[1] - limits[0]):
        return ""
    named = zip(("low", "high", "first", "last"), map(number_text, (*inner, *limits)), strict=True)
    return say(
        "page.of_the_values_are",
        share=PERCENTILES[1] - PERCENTILES[0],
        option="--robust",
        **dict(named),
    )
