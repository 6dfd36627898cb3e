"""How similar two copies of a vector are if one is rotated with one set of rates, the other with another set."""

from __future__ import annotations

from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks

STEP = 256  # largest number of positions per row of the coarse table


def cosine_sums(rates: Array, first: float, count: int) -> Array:
    """Return Σ_j cos(ω_j p) for the consecutive positions p = first, first + 1, …, shape (count,).

    Since cos(a + b) = cos a cos b − sin a sin b, the product of two small tables gives all cosines.

    rates : ω_j, rad/position, (n_pairs,)
    """
    step = min(STEP, 1 << (count.bit_length() + 1) // 2)  # about √count, so that both tables are small
    coarse = np.multiply.outer(first + step * np.arange(-(-count // step), dtype=np.float64), rates)
    fine = np.multiply.outer(np.arange(step, dtype=np.float64), rates)
    begun, ended = (np.concatenate([np.cos(own), np.sin(own)], axis=1) for own in (coarse, fine))
    ended[:, len(rates) :] *= -1
    sums: Array = (begun @ ended.T).reshape(-1)[:count]
    return sums


def drift(one: Array, other: Array, positions: Array) -> Array:
    """Return the mean over pairs of cos p(ω_j − ω'_j) for every position p, shape (n,).

    one, other : the two sets of rates ω and ω', rad/position, (n_pairs,)
    positions : p, (n,)

    This is the cosine similarity between a vector turned with ω and the same vector turned with ω', if all pairs have
    equal weight: tr(R_p R'_pᵀ)/d (Su et al. 2021, RoFormer, equation 15, arXiv:2104.09864).
    """
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if one.shape != other.shape:
        raise ValueError(f"{one.shape} and {other.shape} rates cannot be compared")
    positions = np.asarray(positions, dtype=np.float64)
    apart, count = one - other, len(positions)
    if count > STEP and (np.diff(positions) == 1).all():
        return cosine_sums(apart, float(positions[0]), count) / len(apart)
    result = np.empty(count)
    for part in chunks(0, count, len(apart)):
        own = slice(part.start, part.stop)
        result[own] = np.cos(np.multiply.outer(positions[own], apart)).mean(axis=1)
    return result
