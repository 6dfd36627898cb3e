"""Which base and scaling made the rates of a rotary encoding."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.encodings.rope import Rope
from pecli.measures.fits import roundest

NEAR = 0.05  # share of a rate, within which a base before it is rounded has to make it
ORIGINALS = sorted((m * 2**n for m in (1, 3, 5) for n in range(8, 21)), key=lambda n: n & (n - 1) > 0)  # of models


def rope_of(rates: Array, errors: Array) -> Rope | None:
    """Return the rope whose rates these are, rad/position, (n_pairs,), each known up to an error; None without one."""
    d, turning = 2 * len(rates), rates[: np.count_nonzero(rates)]
    if len(turning) < 2 or np.any(turning <= 0):
        return None
    for center, scaling in scalings(turning, len(rates)):

        def fits(base: float, share: float = 0.0, scaling: dict[str, Any] = scaling) -> bool:
            try:
                made = Rope(d=d, base=base, **scaling).frequencies()
            except UsageError:  # a base or factor that nobody has
                return False
            return bool(np.all(np.abs(made - rates) <= errors + share * rates))

        if fits(center, NEAR):
            base, _ = roundest(center, fits)
            if fits(base):
                return Rope(d=d, base=base, **scaling)
    return None


def scalings(rates: Array, n_pairs: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield a base, not yet rounded, and a scaling that may have made the rates of turning pairs; plainest first."""

    def rounded(value: float) -> float:
        return roundest(value, lambda x: abs(x / value - 1) < 1e-4)[0]

    pairs, logs = np.arange(len(rates)), np.log(rates)
    slope, level = np.polyfit(pairs, logs, 1)
    base = exp(min(-slope * n_pairs, 700))
    yield base, {}
    yield base, {"scaling": "linear", "factor": rounded(exp(-level))}
    if len(rates) < n_pairs:
        yield base, {"scaling": "proportional", "partial_rotary_factor": len(rates) / n_pairs}
    step = float(np.median(-np.diff(logs)))  # between pairs that are all kept, or all divided by the factor
    base, factor = rounded(exp(min(step * n_pairs, 700))), rounded(float(np.exp(-step * pairs[-1]) / rates[-1]))
    for original in ORIGINALS if factor > 1 else ():
        options = {"factor": factor, "original": original}
        yield base, {"scaling": "yarn", **options}
        yield base, {"scaling": "yarn", "truncate": False, **options}
        yield base, {"scaling": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0, **options}
