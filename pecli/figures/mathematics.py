"""Text that matplotlib takes for mathematics: between two dollar signs, in its own dialect of TeX."""

from __future__ import annotations

from itertools import accumulate

from pecli.core.errors import UsageError

DEEPEST = 16  # braces inside each other: matplotlib goes down as deep, several calls each


def check_mathematics(text: str, option: str) -> None:
    """Refuses a text whose mathematics cannot be set, before it is drawn; `option` is what it was given as."""
    if text.count("$") > 1 and nested(text) > DEEPEST:
        said = f"a text holds mathematics in {nested(text):,} braces inside each other, not {DEEPEST}"
        raise UsageError(said, option=option, value=text)
    if text.count("$") > 1 and not _is_set(text):
        said = f"'{text}' holds mathematics between its $ that cannot be set"
        raise UsageError(said, option=option, value=text, advice=r"write \$ for a dollar sign")


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
