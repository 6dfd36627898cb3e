"""Texts of wavelengths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pecli.core.language import translate
from pecli.core.numbers import number_text
from pecli.encodings.base import Encoding, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.measures.waves import MEASURED

if TYPE_CHECKING:
    pass

MAX_WAVELENGTH = 1e15  # positions; a longer wave stands still, and an axis has no room for it


def wavelength_unit(encoding: Encoding) -> str:
    """Return what wavelengths are counted in, where their numbers do not say it."""
    return "" if encoding.position_unit else translate("wavelength λ in positions")


def short_length(encoding: Encoding, length: float) -> str:
    """Return a number of positions in little room; a unit that belongs to it stays."""
    return encoding.length_text(length) if encoding.position_unit else number_text(length, 3)


def short_wave_text(encoding: Encoding, wave: float) -> str:
    """Return a wavelength with its unit in little room."""
    count = short_length(encoding, wave)
    return count if encoding.position_unit else translate("{count} positions", count=count)


def has_known_waves(encoding: TableEncoding) -> bool:
    """Return whether wavelengths follow from a formula or are those of a whole cycle; else they are estimates."""
    return isinstance(encoding, Harmonic) or encoding.cycle(MEASURED) is not None
