"""How numbers are written in pictures and on axes."""

from __future__ import annotations


def minus(text: str) -> str:
    """A number's text with a minus sign where it has a hyphen."""
    return text.replace("-", "−")
