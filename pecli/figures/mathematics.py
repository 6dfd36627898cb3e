"""Text that matplotlib takes for mathematics: between two dollar signs, in its own dialect of TeX."""

from __future__ import annotations

from collections.abc import Iterable

from pecli.core.errors import UsageError


def check_mathematics(texts: Iterable[str]) -> None:
    """Refuses a text whose mathematics cannot be set, before it is drawn."""
    for text in texts:
        if text.count("$") > 1 and not _is_set(text):
            advice = r"write \$ for a dollar sign"
            raise UsageError(f"{text!r} holds mathematics between its $ that cannot be set: {advice}")


def _is_set(text: str) -> bool:
    from matplotlib.cbook import is_math_text
    from matplotlib.mathtext import MathTextParser

    try:
        if is_math_text(text):
            MathTextParser("path").parse(text)
    except ValueError:
        return False
    return True
