"""The phase errors of a table of sines and cosines if only one stage of its computation is rounded."""

from __future__ import annotations

from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.core.positions import Positions
from pecli.encodings.harmonic import Harmonic

STAGES = ("rates", "positions", "angles", "table")


def largest_phase_errors(encoding: Harmonic, rows: Positions) -> dict[str, Array]:
    """Return, for each stage, the largest phase error of each pair if only that stage is rounded, in rad, (n_pairs,).

    The errors are in [0, π] and taken over all rows. The stage is rounded to the encoding's number type, which is
    written r(…) below; the other stages are computed in float64.

    Notes
    -----
    rates: p (r(ω) − ω); positions: ω (r(p) − p); angles: r(ωp) − ωp; table: the angle of (r(cos), r(sin)). Cf. Wang et
    al. 2024, When Precision Meets Position, arXiv:2411.13476.
    """
    rates, rounded = encoding.frequencies(), encoding.rounded
    found = {name: np.zeros(len(rates)) for name in STAGES}
    for part in chunks(0, rows.length, len(STAGES) * len(rates)):
        positions = rows.start + np.arange(part.start, part.stop, dtype=np.float64)
        p, exact = encoding.coordinates(positions), encoding.angles(positions)
        angles = p * rates
        errors = {
            "rates": p * (rounded(rates) - rates),
            "positions": (rounded(p) - p) * rates,
            "angles": rounded(angles) - angles,
            "table": np.arctan2(rounded(np.sin(exact)), rounded(np.cos(exact))) - exact,
        }
        for name, own in errors.items():
            wrapped = np.abs((own + np.pi) % (2 * np.pi) - np.pi)
            np.maximum(found[name], wrapped.max(axis=0), out=found[name])
    return found
