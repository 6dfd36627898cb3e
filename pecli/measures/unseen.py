"""Which angles a model never met in training."""

from __future__ import annotations

from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUNDING
from pecli.encodings.harmonic import reduced_product

SEEN, SLOWER, NEW = range(3)  # as trained; by a pair that turns slower than in training; never in training


def new_angles(trained: Array, length: int, turns: tuple[Array, Array], positions: Array) -> Array:
    """Return where a pair stands at an angle that it never had in training, (n, n_pairs), at positions (n,).

    Pair j went over the arc [0, ω_j L) there, L the length, or over the whole circle where ω_j L ≥ 2π. Peng et al.
    2023, YaRN, section 3, arXiv:2309.00071.

    trained : ω_j / 2π of the training, turns a position, (n_pairs,)
    turns : ω'_j / 2π now, each the sum of two numbers, as `pecli.encodings.harmonic.turns_of` gives them
    """
    arcs, new = np.abs(trained) * length, np.zeros((len(positions), len(trained)), dtype=bool)
    some = np.flatnonzero((arcs < 1) & (arcs > 0))
    high, low = (np.sign(turns[0][some]) * part[some] for part in turns)
    new[:, some] = reduced_product(positions[:, None], high, low) % 1 >= arcs[some] * (1 - ROUNDING)
    return new
