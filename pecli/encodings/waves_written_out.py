"""An entry of a table of waves as text: from its formula, with its numbers, to the angle."""

from __future__ import annotations

from decimal import Decimal

from pecli.encodings.exact_angles import many_digits


def exact_angle_text(rate: Decimal | float, position: int, phase: float) -> str:
    """ω p + φ in so many digits that its sine is right to ten."""
    with many_digits():
        angle = Decimal(rate) * position + Decimal(phase)
    return f"{float(angle):.10g}" if abs(angle) < 1 else f"{angle:.10f}".rstrip("0").rstrip(".")


def wave_steps(wave: str, position: int, *, rates: list[str], angle: str, radius: float, phase: float) -> list[str]:
    """r · sin(ω p + φ) with its numbers, ω as each of the `rates`, then the whole angle; no r of 1, no φ of 0."""
    before = f"{radius:.10g} · " if radius != 1 else ""
    after = f" {'-' if phase < 0 else '+'} {abs(phase):.10g}" if phase else ""
    inside = [f"{position} · {text}{after}" for text in rates]
    return [f"{before}{wave}({text})" for text in (*inside, angle)]
