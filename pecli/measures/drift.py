"""How far two sets of rates turn the same pairs apart."""

from __future__ import annotations

from pecli.core.lazy import Array, np


def drift(one: Array, other: Array, positions: Array) -> Array:
    """Return the mean over pairs of cos(p (ω_j − ω′_j)) at each position, (n_positions,); 1 where nothing drifts.

    It is the cosine between a vector of equally long pairs turned by the one and by the other.

    Parameters
    ----------
    one, other : rates ω and ω′, rad per position, (n_pairs,)
    positions : p, (n_positions,)

    Raises
    ------
    ValueError : not as many rates in both
    """
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if one.shape != other.shape:
        raise ValueError(f"{one.shape} and {other.shape} rates are not of the same pairs")
    found: Array = np.cos(np.multiply.outer(np.asarray(positions), one - other)).mean(axis=-1)
    return found
