"""What each pair of dimensions adds to a score, offset by offset."""

from __future__ import annotations

from pecli.core.lazy import Array, np
from pecli.encodings.harmonic import dirichlet, reduced_product, turns_of


def log_runs(first: int, last: int, count: int) -> tuple[Array, Array]:
    """Divide a logarithmic axis into equal parts; return their first offsets and numbers of offsets, (count,) each.

    A part that is narrower than the step between two offsets gets the nearest offset. A wider part gets all offsets
    within twice its width, so that a wave two parts long does not alias.
    """
    borders = np.geomspace(first, last, count + 1)
    low, high = borders[:-1], borders[1:]
    half, narrow = (high - low) / 2, high - low < 1
    nearest = np.floor(0.5 + np.sqrt(low * high + 0.25))  # n is the nearest from √(n(n − 1)) to √(n(n + 1))
    start = np.where(narrow, nearest, np.ceil(low - half)).clip(first, last)
    stop = np.where(narrow, nearest + 1, np.ceil(high + half)).clip(start + 1, last + 1)
    return start, stop - start


def mean_cosines(rates: Array, firsts: Array, counts: Array, decay: Array | None = None) -> Array:
    """Return the mean of cos ω_j Δ over each run of consecutive offsets Δ, shape (runs, n_pairs).

    Without decay, the mean over n offsets with middle m is cos(ω m) sin(nω/2) / (n sin(ω/2)). With decay, the result is
    the mean of e^(−k_j Δ) cos ω_j Δ: over n offsets from a on, the real part of z^a (z^n − 1) / (n (z − 1)) with
    z = e^(iω − k).

    rates : ω_j, rad/position, (n_pairs,)
    firsts, counts : first offset and number of offsets of each run, (runs,)
    decay : k_j, (n_pairs,)
    """
    if decay is not None and decay.any():
        power, runs = 1j * rates - decay, counts[:, None]
        found = np.exp(firsts[:, None] * power) * np.expm1(runs * power) / (runs * np.expm1(power))
        return np.asarray(found.real)
    high, low = turns_of(tuple(rates.tolist()), 1.0)
    high = high - np.rint(high)  # without whole turns, because offsets are whole numbers
    counts, centres = counts[:, None], (firsts + (counts - 1) / 2)[:, None]
    result: Array = np.cos(2 * np.pi * reduced_product(centres, high, low)) * dirichlet(counts, high, low)
    return result
