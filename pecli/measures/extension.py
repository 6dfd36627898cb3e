"""Methods to extend the context of a RoPE encoding beyond its training length, and what each of them changes."""

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

SEARCHED = 1 << 24  # most cosines computed in the search for a negative sum


@dataclass(frozen=True)
class Extension:
    """What one extension method does to the pairs of a RoPE encoding.

    Attributes
    ----------
    method : linear, ntk, dynamic, yarn, longrope or base; "none" without a scaling, "file" for the model's own scaling
    rope : the RoPE with its rates at the extended length
    parts : numbers of pairs that are unchanged, blended and scaled
    new : number of pairs that meet angles never seen in training, within the extended length
    holds : first offset Δ at which Σ_j cos ω_j Δ is negative (Men et al. 2024, arXiv:2405.14591); None if there is none
        up to `searched`
    searched : largest offset searched
    """

    method: str
    rope: Rope
    parts: tuple[int, int, int]
    new: int
    holds: int | None
    searched: int


def extensions(rope: Rope, trained: int, length: int, base: float | None) -> list[Extension]:
    """Return what each method changes to extend a RoPE encoding from `trained` to `length` positions.

    rope : RoPE as read from the model's file; if it is scaled, the methods start from its rates in training
    base : base for the method "base"; default: `critical_base`

    Raises
    ------
    UsageError : if `length` is not larger than `trained`, or no method applies to this RoPE
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
        text = (
            f"{option_text('new_base', base)} is not above the file's base, {rope.base:,.10g}, so no wave gets longer"
        )
        raise UsageError(text, option="new_base", value=base, advice="give a larger one, or leave --new-base out")
    plain = replace(rope.unscaled(), max_position=None)
    found = [("none", plain)]
    if rope.scaling not in ("default", "longrope"):
        found.append(("file", replace(rope, seq_len=length) if rope.context else rope))
    found += _scaled_ropes(rope, plain, trained, length, base)
    return [_extension_of(method, made, plain, trained, length) for method, made in found]


def _scaled_ropes(rope: Rope, plain: Rope, trained: int, length: int, base: float | None) -> Iterator[tuple[str, Rope]]:
    """Yield each method's name with the RoPE that it makes from `plain`, for the factor length / trained.

    rope : the model's own RoPE
    plain : the model's RoPE without scaling
    base : as for `extensions`
    """
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
    """Return the base, an integer, at which the fastest pair without a full turn in training has wavelength `length`.

    The base is (length/2π)^(d/d_c) with critical dimension d_c, the number of columns in pairs that completed a turn:
    Liu et al. 2023, Scaling Laws of RoPE-based Extrapolation, theorem 2, arXiv:2310.05209. Returns None if no pair
    completed a turn, or if the result is not larger than the current base.
    """
    critical = critical_dimension(rope, trained)
    base = round((length / (2 * pi)) ** (rope.width / critical)) if critical else 0
    return float(base) if base > rope.base else None


def _extension_of(method: str, rope: Rope, plain: Rope, trained: int, length: int) -> Extension:
    """Return the `Extension` for `rope`, which `method` made from `plain`, at `length` positions."""
    before, now = (turns_of(tuple(own.rates()), own.spacing) for own in (plain, rope))
    most = min(2 * length, SEARCHED // max(1, rope.width // 2))
    return Extension(
        method,
        rope,
        _part_counts(rope, before[0], now[0]),
        int(np.count_nonzero(meets_new_angles(before[0], trained, now, length))),
        first_negative_offset(rope, most),
        most,
    )


def _part_counts(rope: Rope, before: Array, now: Array) -> tuple[int, int, int]:
    """Return the numbers of pairs that are unchanged, blended and scaled.

    They come from the scaling's own definition if it has such parts, otherwise from comparing the rates `before` and
    `now`.
    """
    if parts := rope.parts():
        return parts["kept"], parts["between"], parts["divided"]
    same = int(np.count_nonzero(np.abs(now - before) <= np.abs(before) * ROUNDING))
    return same, 0, len(now) - same


def meets_new_angles(trained_turns: Array, trained: int, turns: tuple[Array, Array], length: int) -> Array:
    """Return a mask, (n_pairs,), of the pairs that meet an angle never seen in training at positions 0 … length − 1.

    trained_turns, turns : rates in training and now, as in `pecli.measures.unseen.new_angles`
    trained : number of positions in training
    """
    arcs, found = np.abs(trained_turns) * trained, np.zeros(len(trained_turns), dtype=bool)
    for pair in np.flatnonzero((arcs < 1) & (turns[0] != 0)):
        step = abs(float(turns[0][pair]))
        first = int(min(arcs[pair] * (1 - ROUNDING) / step, length))  # last position within the arc, or the one before
        last = length if step > 1 - arcs[pair] else min(length, first + 3)  # a long step may jump over the new angles
        positions = np.arange(first, last, dtype=np.float64)
        one = turns[0][pair : pair + 1], turns[1][pair : pair + 1]
        found[pair] = bool(new_angles(trained_turns[pair : pair + 1], trained, one, positions).any())
    return found
