"""Options that are a measure: its names, and those that people know it by."""

from __future__ import annotations

from typing import Any

from pecli.core.options import option
from pecli.measures.pairwise import MEASURES

OTHER_NAMES = {  # understood, not listed
    "manhattan": "cityblock",
    "l1": "cityblock",
    "l2": "euclidean",
    "cosine_similarity": "cos",
    "cosine_distance": "cosine",
    "dot_product": "dot",
    "inner_product": "dot",
    "pearson": "corr",
}


def measures() -> tuple[str, ...]:
    """The names of the measures."""
    return tuple(MEASURES)


def choice_of_measure(default: str | None, help: str, **more: Any) -> Any:
    """A field that is a measure, by its name or another that people know; `more` as `option` takes it."""
    return option(default, help, choices=measures, names=OTHER_NAMES, **more)


def measure_option(default: str | None) -> Any:
    """The field measure, the same for all that compare rows by one; without a default where each figure has its own."""
    alike = ", ".join(name for name, measure in MEASURES.items() if measure.similarity)
    said = f"how two rows are compared: {alike} are similarities, the others distances"
    own = {"unset": "each figure's own"} if default is None else {}
    return choice_of_measure(default, said, flags=("-m",), aliases=("metric",), **own)
