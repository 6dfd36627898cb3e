"""Formulas as text, with numbers put in."""

from __future__ import annotations

from pecli.core.values import write_scalar


def geometric_formula(base: float, d: int, pair: int) -> str:
    """The frequency base^(−2j/d) of pair j."""
    return f"{write_scalar(base)}^(-{2 * pair}/{d})"


def wave_steps(wave: str, position: int, rates: list[str], rate: float, radius: float, phase: float) -> list[str]:
    """r · sin(ω p + φ) with its numbers, ω first as each of the `rates`, then multiplied out; no r of 1, no φ of 0."""
    before = f"{radius:.10g} · " if radius != 1 else ""
    after = f" {'-' if phase < 0 else '+'} {abs(phase):.10g}" if phase else ""
    inside = [f"{position} · {text}{after}" for text in (*rates, f"{rate:.10g}")]
    return [f"{before}{wave}({text})" for text in (*inside, f"{position * rate + phase:.10g}")]
