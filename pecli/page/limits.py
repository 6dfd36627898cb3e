"""The ends of the colour scale or of an axis of values: the extreme values, the user's limits, or percentiles."""

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

WASHED_OUT = 0.3  # share of the colour scale: if most values lie within less, a note suggests --robust


def colour_ends(low: float, high: float) -> Limits:
    """Return colour limits for values from `low` to `high`.

    They are symmetric about 0 if values have both signs; otherwise one of them is 0.
    """
    if low < 0 < high:
        return -max(-low, high), max(-low, high)
    return (min(0.0, low), max(0.0, high)) if low != high or low else (0.0, 1.0)


def resolve_limits(canvas: Canvas, limits: Limits, values: Sequence[Array]) -> Limits:
    """Return the limits of colours or of an axis of values: the figure's own `limits`, changed as the user asks.

    values : the arrays that are coloured, for percentiles
    """
    low, high = limits
    if canvas.robust and (inner := robust_limits(values)) is not None:
        low, high = colour_ends(*inner) if low < 0 < high else inner
    if canvas.vmin is not None and canvas.vmax is None and canvas.vmin >= high:
        allowed = f"less than the upper end, {number_text(high)}"
        raise UsageError(option="vmin", value=canvas.vmin, allowed=allowed)
    if canvas.vmax is not None and canvas.vmin is None and canvas.vmax <= low:
        allowed = f"more than the lower end, {number_text(low)}"
        raise UsageError(option="vmax", value=canvas.vmax, allowed=allowed)
    return low if canvas.vmin is None else canvas.vmin, high if canvas.vmax is None else canvas.vmax


def footnotes(numbers: Numbers[Any], canvas: Canvas) -> list[str]:
    """Return the footnotes: the key to marks, remarks on how the picture was made, and robust colour limits if used."""
    text = "page.colours_from_the_nd"
    ends = say(text, low=PERCENTILES[0], high=PERCENTILES[1]) if canvas.robust and numbers.coloured() else ""
    encodings = numbers.view.encodings
    left_out = merge_labels(distinguishing_labels(encodings), [[encoding.left_out()] for encoding in encodings])
    beside = dict.fromkeys(encoding.beside_others() for encoding in encodings) if len(encodings) > 1 else {}
    return [*filter(None, [*numbers.marks(), *numbers.remarks(), *left_out, *beside, ends])]


def robust_limits(values: Sequence[Array]) -> Limits | None:
    """Return the percentiles of all finite values at which robust colours end, or None if they are equal."""
    flat = np.concatenate([array[np.isfinite(array)] for array in values]) if values else np.zeros(0)
    if not len(flat):
        return None
    low, high = np.percentile(flat[:: -(-len(flat) // SAMPLE_SIZE)], PERCENTILES)
    return (float(low), float(high)) if low < high else None


def note_on_colours(numbers: Numbers[Any], canvas: Canvas) -> str:
    """Return a note if a few values take up most of the colour scale, otherwise ""."""
    if canvas.vmin is not None or canvas.vmax is not None:
        return ""
    seen = numbers.limited(partial(resolve_limits, canvas)) if canvas.robust else numbers
    parts = [(item.limits(), item.coloured()) for _, item in seen.shown()]
    groups = {limits: [array for own, arrays in parts if own == limits for array in arrays] for limits, _ in parts}
    return next(filter(None, (few_colours_note(limits, arrays) for limits, arrays in groups.items())), "")


def few_colours_note(limits: Limits | None, values: Sequence[Array]) -> str:
    """Return a note if most values lie within a small part of the colour scale, `limits`, otherwise ""."""
    inner = robust_limits(values) if limits is not None else None
    if limits is None or inner is None or inner[1] - inner[0] > WASHED_OUT * (limits[1] - limits[0]):
        return ""
    named = zip(("low", "high", "first", "last"), map(number_text, (*inner, *limits)), strict=True)
    return say(
        "page.of_the_values_are",
        share=PERCENTILES[1] - PERCENTILES[0],
        option="--robust",
        **dict(named),
    )
