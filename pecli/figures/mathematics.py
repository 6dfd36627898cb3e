"""Text that matplotlib takes for mathematics: between two dollar signs, in its own dialect of TeX."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from pecli.core.errors import UsageError

DEEPEST = 16  # braces inside each other: matplotlib goes down as deep, several calls each


def check_mathematics(texts: Iterable[str]) -> None:
    """Refuses a text whose mathematics cannot be set, before it is drawn."""
    for text in texts:
        if text.count("$") > 1 and nested(text) > DEEPEST:
            raise UsageError(f"a text holds mathematics in {nested(text):,} braces inside each other, not {DEEPEST}")
        if text.count("$") > 1 and not _is_set(text):
            advice = r"write \$ for a dollar sign"
            raise UsageError(f"{text!r} holds mathematics between its $ that cannot be set: {advice}")


def nested(text: str) -> int:
    """How many braces are open at once at the most."""
    return max(accumulate((sign == "{") - (sign == "}") for sign in text), default=0)


def _is_set(text: str) -> bool:
    from matplotlib.cbook import is_math_text
    from matplotlib.mathtext import MathTextParser

    try:
        if is_math_text(text):
            MathTextParser("path").parse(text)
    except (ValueError, RecursionError):
        return False
    return True
