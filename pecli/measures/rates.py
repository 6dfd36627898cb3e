"""Which base and scaling made the rates of a rotary encoding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from math import exp
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.encodings.rope import Rope
from pecli.measures.fits import roundest
from pecli.measures.identify import PAPER, Identified, type_of

SHARES = {"bfloat16": 2.0**-7, "float16": 2.0**-10}  # of a rate, to which it is known
SHARE = 1e-6  # to which libraries that compute in float32 agree
PLACES = 7  # after the point, from which on numbers were computed and not typed
ORIGINALS = sorted((m * 2**n for m in (1, 3, 5) for n in range(8, 21)), key=lambda n: n & (n - 1) > 0)  # of models


def identify_rates(rates: Array) -> Identified:
    """Return the rope whose rates these are, rad/position, (n_pairs,); `difference` is a share of the rate."""
    d, turning = 2 * len(rates), rates[: np.count_nonzero(rates)]
    places = max(-int(Decimal(repr(rate)).as_tuple().exponent) for rate in rates.tolist())
    typed = 0.5 * 10.0**-places if places < PLACES else 0.0
    number_type = "float64" if typed else type_of(rates)
    errors = np.maximum(typed, rates * SHARES.get(number_type, SHARE))
    blank = Identified(number_type, d)
    if len(turning) < 2 or np.any(turning <= 0):
        return blank
    for center, scaling in scalings(turning, len(rates)):

        def made(base: float, scaling: dict[str, Any] = scaling) -> Array:
            try:
                return Rope(d=d, base=base, **scaling).frequencies()
            except UsageError:  # a base or factor that nobody has
                return np.full(len(rates), np.inf)

        base, _ = roundest(center, lambda base: bool(np.all(np.abs(made(base) - rates) <= errors)))
        off = np.abs(made(base) - rates)
        if np.all(off <= errors):
            difference = float((off[: len(turning)] / turning).max())
            rope = Rope(d=d, base=base, **scaling)
            return replace(blank, certain=True, encoding=rope, same=True, names=((PAPER, base),), difference=difference)
    return blank


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
