"""Which colour map shows which kind of values."""

from __future__ import annotations

DIFFERENCE = "difference"  # the kind of values that are one thing less another
DEFAULTS = {"diverging": "RdBu_r", "sequential": "viridis", "binary": "Greys", DIFFERENCE: "RdBu_r"}
TWO_SIDED = {
    *("PiYG", "PRGn", "BrBG", "PuOr", "RdGy", "RdBu", "RdYlBu", "RdYlGn", "Spectral", "coolwarm", "bwr", "seismic"),
    *("berlin", "managua", "vanimo"),
}
COLOURS = 256  # of a map


def colour_map(kind: str, given: str | None) -> str:
    """The name of the map for values of that kind: the one given, but a difference has two sides whatever is given."""
    fits = kind != DIFFERENCE or (given or "").removesuffix("_r") in TWO_SIDED
    return given if given and fits else DEFAULTS[kind]
