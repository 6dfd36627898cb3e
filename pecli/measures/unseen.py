"""Angles of RoPE pairs that did not occur in training."""

from __future__ import annotations

from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING
from pecli.encodings.harmonic import reduced_product

SEEN, SLOWER, NEW = range(3)  # angle seen in training; seen, but the pair turns slower now; never seen


def new_angles(trained: Array, length: int, turns: tuple[Array, Array], positions: Array) -> Array:
    """Return a mask, (n, n_pairs), of angles that were never seen in training, at positions (n,).

    In training on L = `length` positions, pair j covered the arc [0, ω_j L), or the whole circle if ω_j L ≥ 2π (Peng et
    al. 2023, YaRN, section 3, arXiv:2309.00071).

    trained : ω_j / 2π in training, turns per position, (n_pairs,)
    turns : ω'_j / 2π now, as the sum of two arrays, (n_pairs,) each, from `pecli.encodings.harmonic.turns_of`
    """
    arcs, new = np.abs(trained) * length, np.zeros((len(positions), len(trained)), dtype=bool)
    some = np.flatnonzero((arcs < 1) & (arcs > 0))
    high, low = (np.sign(turns[0][some]) * part[some] for part in turns)
    new[:, some] = reduced_product(positions[:, None], high, low) % 1 >= arcs[some] * (1 - ROUNDING)
    return new
