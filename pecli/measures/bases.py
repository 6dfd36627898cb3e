"""How large a context a RoPE base supports: up to which offset a query and an equal key score 0 or more on average."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from pecli.core.lazy import Array, cached, np
from pecli.measures.drift import STEP, cosine_sums
from pecli.measures.waves import NEGATIVE

FIRST = 8 * STEP  # offsets of the first search; each later one has twice as many


@dataclass(frozen=True)
class ReleasedModel:
    """A released model.

    base, context, d : its base, its context in training in positions, and its number of rotary columns
    source : where these numbers are from
    """

    base: float
    context: int
    d: int
    source: str


@cached
def released_models() -> dict[str, ReleasedModel]:
    """Return the models in ``released.toml`` by name."""
    text = Path(__file__).with_name("released.toml").read_text(encoding="utf-8")
    return {name: ReleasedModel(**facts) for name, facts in tomllib.loads(text).items()}


@cached
def reach_of_base(base: float, d: int, most: int) -> int:
    """Return the first offset m < most at which Σ_j cos(base^(−2j/d) m) is negative, or `most`.

    For a RoPE encoding without scaling, this equals `pecli.measures.waves.first_negative_offset`, but it is computed in
    plain float64, which is fast enough for hundreds of bases. Results are cached, because figures of the same bases are
    often drawn one after the other. Men et al. 2024, Base of RoPE Bounds Context Length, arXiv:2405.14591.
    """
    rates = base ** (-2 * np.arange(d // 2) / d)
    first, count = 0, FIRST
    while first < most:
        negative = cosine_sums(rates, first, min(count, most - first)) < NEGATIVE * d / 2
        if negative.any():
            return first + int(negative.argmax())
        first, count = first + count, 2 * count
    return most


def reaches(bases: Array, d: int, most: int) -> Array:
    """Return `reach_of_base` of each base, shape (n,)."""
    return np.array([reach_of_base(float(base), d, most) for base in bases])
