"""What the rates of a harmonic encoding say of long sequences."""

from __future__ import annotations

from math import ceil, log, pi

from pecli.core.lazy import Array, np
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.powers_of_base import PowersOfBase

STEP = 1 << 11  # offsets looked at together: so few that no product of matrices is shared out to threads
NEGATIVE = -1e-9  # of the number of pairs; rounding stays above it


def first_negative_offset(encoding: Harmonic, most: int) -> int | None:
    """The first offset 1 … most at which Σ_j cos(ω_j Δ) is negative, or None where it never is.

    Where it is, a key further away can outscore a nearer one that is alike (Men et al. 2024, arXiv:2405.14591).
    """
    weight = float(np.sum(encoding.amplitudes**2))
    for first in range(0, most + 1, STEP):
        sums = weight - encoding.squares(min(STEP, most + 1 - first), first) / 2
        below = np.flatnonzero(sums < NEGATIVE * weight)
        if len(below):
            return first + int(below[0])
    return None


def critical_dimension(encoding: PowersOfBase, length: int) -> int:
    """The columns whose pairs, unscaled, make a whole turn within the length: 2⌈(d/2) · log_base(length/2π)⌉, 0 to d.

    Liu et al. 2023, Scaling Laws of RoPE-based Extrapolation, arXiv:2310.05209.
    """
    if encoding.base == 1 or length <= 2 * pi:
        return 0
    turning = 2 * ceil(encoding.width / 2 * log(length / (2 * pi)) / log(encoding.base))
    return min(max(turning, 0), encoding.width)


def longer_than(encoding: Harmonic, length: int) -> int:
    """How many pairs have a wavelength longer than so many positions: they never finish a turn."""
    waves: Array = encoding.wavelengths()
    return int((waves > length).sum())
