"""What is said of wavelengths: how they follow each other, and how many are too long to be seen whole."""

from __future__ import annotations

from pecli.core.language import phrase, template, templates
from pecli.core.lazy import Array, np
from pecli.core.number_text import number_text
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.encoding import Encoding
from pecli.encodings.harmonic import Harmonic

CONTEXTS = templates(
    {
        "original context": "original context {count:,.0f}",
        "scaled context": "factor × original {count:,.0f}",
    }
)


def wavelength_unit(encoding: Encoding) -> str:
    """What wavelengths are counted in, where their numbers do not say it."""
    return "" if encoding.position_unit else phrase("wavelength λ in positions")


def wave_text(encoding: Encoding, wave: float) -> str:
    """A wavelength, or a number of positions, with its unit."""
    if encoding.position_unit:
        return encoding.length_text(wave)
    count = f"{wave:,}" if isinstance(wave, int) else encoding.length_text(wave)
    return phrase("{count} positions", count=count)


def turns_text(encoding: Encoding, waves: Array) -> str:
    """From what to what wavelength these are; empty for fewer than two."""
    known = waves[np.isfinite(waves)]
    if len(np.unique(known)) < 2:
        return ""
    low, high = encoding.length_text(float(known.min())), wave_text(encoding, float(known.max()))
    return phrase("the dimensions drawn turn once in {low} to {high}", low=low, high=high)


def unfinished(encoding: Harmonic, length: int) -> str:
    """How many pairs have a wavelength beyond the length, or that none has."""
    waves, within = encoding.wavelengths(), wave_text(encoding, length)
    count = int((waves > length).sum())
    if not count:
        return phrase("every pair finishes a turn in {length}", length=within)
    said = template("{count} of {all} pairs never finish a turn in {length}")
    return phrase(said, count=count, all=len(waves), length=within)


def angle_text(turns: float) -> str:
    """How far something turns: in turns, or in degrees where it finishes none."""
    if turns < 1:
        return f"{number_text(360 * turns, 3)}°"
    count = number_text(turns, 3)
    return phrase(template("{count} turn") if count == "1" else template("{count} turns"), count=count)


def turned_apart(encoding: TableEncoding, length: int) -> str:
    """How far the fastest and the slowest pair turn in the length; nothing where no pair is faster than another."""
    turns = length / encoding.wavelengths() if isinstance(encoding, Harmonic) else np.zeros(0)
    if length == 1 or len(set(turns)) < 2:
        return ""
    fast, slow = int(turns.argmax()), int(turns.argmin())
    much, little = angle_text(turns[fast]), angle_text(turns[slow])
    said = template("in {length} pair {fast} covers {much}, pair {slow} only {little}")
    return phrase(said, length=wave_text(encoding, length), fast=fast, slow=slow, much=much, little=little)


def unfinished_above(encoding: TableEncoding, waves: Array, length: int) -> str:
    """How many of an encoding's waves are longer than the length, in two lines, to stand where they are."""
    pairs = template("↑ {count} of {all} pairs\nnever finish a turn")
    columns = template("↑ {count} of {all} columns\nnever finish a turn")
    count = int((waves > length).sum())
    return phrase(pairs if isinstance(encoding, Harmonic) else columns, count=count, all=len(waves))


def ratio_text(waves: Array) -> str:
    """How many times longer each wavelength is than the one before: ×1.155, or ×12 to ×60."""
    if len(waves) < 2:
        return ""
    ratios = waves[1:] / waves[:-1]
    low, high = float(ratios.min()), float(ratios.max())
    return f"×{low:.4g}" if high - low < 1e-6 * high else phrase("×{low:.4g} to ×{high:.4g}", low=low, high=high)
