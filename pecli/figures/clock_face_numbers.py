"""The numbers behind clock faces: how far each hand has turned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pecli.core.language import phrase
from pecli.core.lazy import Array
from pecli.encodings.harmonic import Harmonic
from pecli.figures.figure import Numbers
from pecli.figures.wavelength_marks import STILL
from pecli.figures.wavelength_texts import short_length, short_wave_text


@dataclass(frozen=True, kw_only=True)
class DialsNumbers(Numbers[Harmonic]):
    """angles : (positions, pairs), rad, ω_j p in [−π, π]; positions : (positions,); pairs : (pairs,);
    wavelengths : (pairs,), positions."""

    main_array: ClassVar[str] = "angles"
    row_coordinates: ClassVar[tuple[str, ...]] = ("positions",)

    angles: Array
    positions: Array
    pairs: Array
    wavelengths: Array

    def message(self) -> str:
        """Nothing where a hand stands still, or none is faster than the others."""
        encoding, ends = self.view.encoding, (float(self.wavelengths.min()), float(self.wavelengths.max()))
        if ends[1] > STILL or len({short_length(encoding, wave) for wave in ends}) == 1:
            return ""
        fast, slow = short_wave_text(encoding, ends[0]), short_length(encoding, ends[1])
        return phrase("the fastest hand turns once in {fast}, the slowest in {slow}", fast=fast, slow=slow)

    def marks(self) -> list[str]:
        named = bool(self.view.encoding.tick_steps)  # the hands' names say how long they take
        return [phrase("top: angle 0; hands turn clockwise"), "" if named else phrase("λ: positions of one turn")]

    def columns(self) -> list[str]:
        return [f"pair {pair}" for pair in self.pairs]
