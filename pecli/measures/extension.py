"""The ways to let a rope read more positions than it was trained on, and what each of them changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi

from pecli.core.errors import UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING
from pecli.encodings.harmonic import turns_of
from pecli.encodings.rope import Rope
from pecli.measures.unseen import new_angles
from pecli.measures.waves import critical_dimension, first_negative_offset

SEARCHED = 1 << 24  # cosines that are added up to look for a negative sum


@dataclass(frozen=True)
class Extension:
    """What one method does to the pairs of a rope.

    Attributes
    ----------
    method : linear, ntk, dynamic, yarn, longrope, base; "none" without a scaling, "file" with that of the file
    rope : with the rates that hold at the length that is wanted
    parts : how many pairs are unchanged, blended, scaled
    new : how many pairs meet angles that training never had, at the positions wanted
    holds : offsets 0 to holds − 1 have Σ_j cos ω_j Δ ≥ 0 (Men et al. 2024, arXiv:2405.14591); None where all that
        were searched have
    searched : the largest offset that was looked at
    """

    method: str
    rope: Rope
    parts: tuple[int, int, int]
    new: int
    holds: int | None
    searched: int


def extensions(rope: Rope, trained: int, length: int, base: float | None = None) -> list[Extension]:
    """Return what every method does that lets a rope read `length` positions after training on `trained`.

    rope : as its file has it; where it is scaled the methods start from its rates in training
    base : the new base, which replaces the one of `critical_base`

    Raises
    ------
    UsageError : nothing to extend, or a rope that no method is for
    """
    if rope.scaling in ("proportional", "divisors") or rope.places is not None:
        raise UsageError(f"pecli knows no method that extends {rope.spec()}")
    if length <= trained:
        raise UsageError(
            f"{option_text('to', length)} is within the {trained:,} positions that the model was trained on",
            option="to",
            value=length,
            allowed=f"a number above {trained}",
        )
    if base is not None and base <= rope.base:
        text = f"{option_text('new_base', base)} is not above the file's base, {rope.base:,.10g}: it lengthens no wave"
        raise UsageError(text, option="new_base", value=base, advice="give a larger one, or leave --new-base out")
    plain = replace(rope.unscaled(), max_position=None)
    found = [("none", plain)]
    if rope.scaling not in ("default", "longrope"):
        found.append(("file", replace(rope, seq_len=length) if rope.context else rope))
    found += _scaled_ropes(rope, plain, trained, length, base)
    return [_measured(method, made, plain, trained, length) for method, made in found]


def _scaled_ropes(rope: Rope, plain: Rope, trained: int, length: int, base: float | None) -> Iterator[tuple[str, Rope]]:
    """Yield each method and the rope that it makes of the plain one, with a factor of length / trained."""
    factor = length / trained
    yield "linear", replace(plain, scaling="linear", factor=factor)
    if plain.width > 2:
        yield "ntk", replace(plain, scaling="ntk", factor=factor)
        yield "dynamic", replace(plain, scaling="dynamic", factor=1.0, max_position=trained, seq_len=length)
    if plain.base > 1:
        yield "yarn", replace(plain, scaling="yarn", factor=factor, original=trained)
    if rope.scaling == "longrope":
        yield "longrope", replace(rope, seq_len=length)
    if (larger := base or critical_base(plain, trained, length)) is not None:
        yield "base", replace(plain, base=larger)


def critical_base(rope: Rope, trained: int, length: int) -> float | None:
    """Return the base at which the critical dimension of the training has a wavelength of `length`, a whole number.

    (length/2π)^(d/d_c), d_c the critical dimension: columns whose pairs made a whole turn. Liu et al. 2023, Scaling
    Laws of RoPE-based Extrapolation, theorem 2, arXiv:2310.05209. None where no pair did, or the base is no larger.
    """
    critical = critical_dimension(rope, trained)
    base = round((length / (2 * pi)) ** (rope.width / critical)) if critical else 0
    return float(base) if base > rope.base else None


def _measured(method: str, rope: Rope, plain: Rope, trained: int, length: int) -> Extension:
    """Return what a rope's rates say."""
    before, now = (turns_of(tuple(own.rates()), own.spacing) for own in (plain, rope))
    most = min(2 * length, SEARCHED // max(1, rope.width // 2))
    return Extension(
        method,
        rope,
        _parts(rope, before[0], now[0]),
        int(np.count_nonzero(meets_new_angles(before[0], trained, now, length))),
        first_negative_offset(rope, most),
        most,
    )


def _parts(rope: Rope, before: Array, now: Array) -> tuple[int, int, int]:
    """Return how many pairs are unchanged, blended, scaled: by the rule, where it has parts, else by the rates."""
    if parts := rope.parts():
        return parts["kept"], parts["between"], parts["divided"]
    same = int(np.count_nonzero(np.abs(now - before) <= np.abs(before) * ROUNDING))
    return same, 0, len(now) - same


def meets_new_angles(trained_turns: Array, trained: int, turns: tuple[Array, Array], length: int) -> Array:
    """Return which pairs meet an angle that they never had in training, (n_pairs,), at positions 0 … length − 1.

    trained_turns, turns : as `pecli.measures.unseen.new_angles` takes them
    """
    arcs, found = np.abs(trained_turns) * trained, np.zeros(len(trained_turns), dtype=bool)
    for pair in np.flatnonzero((arcs < 1) & (turns[0] != 0)):
        step = abs(float(turns[0][pair]))
        first = int(arcs[pair] * (1 - ROUNDING) / step)  # the last position within the arc, or the one before
        last = length if step > 1 - arcs[pair] else min(length, first + 3)  # a long step may jump over what is new
        positions = np.arange(first, last, dtype=np.float64)
        one = turns[0][pair : pair + 1], turns[1][pair : pair + 1]
        found[pair] = bool(new_angles(trained_turns[pair : pair + 1], trained, one, positions).any())
    return found
