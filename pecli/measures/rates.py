"""Which base and scaling made the rates of a rotary encoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from math import exp, floor, log, pi
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUND
from pecli.encodings.rope import Rope
from pecli.measures.fits import roundest
from pecli.measures.identify import STEPS, Identified

KNOWN = (10_000.0, 500_000.0, 1_000_000.0)  # bases that models are trained with
SHARE = 1e-6  # of a rate, to which libraries that compute in float32 agree
PLACES = 7  # after the point, from which on numbers were computed


def identify_rates(rates: Array) -> Identified:
    """Return the rope whose rates these are, rad/position, (n_pairs,); `difference` is a share of the rate."""
    n_pairs, turning = len(rates), int(np.count_nonzero(rates))
    places = max(-int(Decimal(repr(rate)).as_tuple().exponent) for rate in rates.tolist())
    typed = 0.5 * 10.0**-places if places < PLACES else 0.0  # of numbers that somebody wrote down
    kinds = [kind for kind in STEPS if not typed and np.array_equal(ROUND[kind](rates), rates)]
    number_type = next(iter(kinds), "float64")
    errors = np.maximum(typed, rates * max(2 * STEPS.get(number_type, 0.0), SHARE))
    blank = Identified(number_type, 2 * n_pairs)
    if turning < 2 or np.any(rates[:turning] <= 0):
        return blank
    for center, scaling in scalings(rates[:turning], n_pairs):

        def made(base: float, scaling: dict[str, Any] = scaling) -> Array | None:
            try:
                return Rope(d=2 * n_pairs, base=base, **scaling).frequencies()
            except UsageError:
                return None

        def fits(base: float, made: Callable[[float], Array | None] = made) -> bool:
            return (own := made(base)) is not None and bool(np.all(np.abs(own - rates) <= errors))

        base, digits = roundest(center, fits)
        if fits(base):
            rope = Rope(d=2 * n_pairs, base=base, **scaling)
            difference = float((np.abs(rope.frequencies() - rates)[:turning] / rates[:turning]).max())
            names = (("paper", base), *(() if scaling or digits < 5 else ntk(base, n_pairs)))
            return replace(blank, certain=True, encoding=rope, same=True, names=names, difference=difference)
    return blank


def ntk(base: float, n_pairs: int) -> Iterator[tuple[str, float]]:
    """Yield from which base NTK-aware scaling makes this one, base · growth^(d/(d − 2)), where the growth is round."""
    for known in KNOWN if n_pairs > 1 else ():
        center = (base / known) ** (1 - 1 / n_pairs)
        growth, digits = roundest(center, lambda x, center=center: abs(x / center - 1) < 1e-5)  # type: ignore[misc]
        if growth > 1 and digits < 4:
            yield f"ntk {growth:g}", known


def scalings(rates: Array, n_pairs: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield a base, not yet rounded, and the scaling that may have made the rates of the pairs that turn, the plainest
    first.
    """

    def rounded(value: float, share: float = 1e-4) -> float:
        return roundest(value, lambda x: abs(x / value - 1) < share)[0]

    logs, pairs = np.log(rates), np.arange(len(rates))
    falls = -np.diff(logs)
    slope, level = np.polyfit(pairs, logs, 1)
    step = float(np.sort(falls)[len(falls) // 2])
    if max(-slope, step) * n_pairs > 200:  # nobody has such a base
        return
    yield exp(-slope * n_pairs), {}
    yield exp(-slope * n_pairs), {"scaling": "linear", "factor": rounded(exp(-level))}
    if len(rates) < n_pairs:
        yield exp(-slope * n_pairs), {"scaling": "proportional", "partial_rotary_factor": len(rates) / n_pairs}
    step = float(
        falls[np.abs(falls - step) < 1e-3 * abs(step) + 1e-6].mean()
    )  # of pairs that are all kept or all divided
    base, stretch = rounded(exp(step * n_pairs)), np.exp(-step * pairs) / rates
    factor = rounded(float(stretch[-1]))
    kept = (factor / stretch - 1) / (factor - 1) if factor > 1.001 else stretch  # 1 of pairs that are kept, else 0
    ramp = np.flatnonzero((kept > 1e-4) & (kept < 1 - 1e-4))
    if factor <= 1.001 or len(ramp) < 2:
        return
    turns = np.exp(-step * ramp) / (2 * pi)
    slope, level = np.polyfit(turns, kept[ramp], 1)  # (original · turns − low) / (high − low): low is taken for 1
    if level < 0 < slope:
        high = rounded(1 - 1 / level, 1e-3)
        own = {"original": round(slope * (high - 1)), "low_freq_factor": 1.0, "high_freq_factor": high}
        yield base, {"scaling": "llama3", "factor": factor, **own}
    slope, level = np.polyfit(ramp, 1 - kept[ramp], 1)
    low, high = -level / slope, (1 - level) / slope
    if not -n_pairs < low < high < 2 * n_pairs:
        return

    def context(name: str, pair: float) -> float:
        """Return the positions over which that pair makes as many turns as the option says by default."""
        return 2 * pi * float(Rope.options()[name].default) * base ** (pair / n_pairs)

    yield base, {"scaling": "yarn", "factor": factor, "truncate": False, "original": round(context("beta_fast", low))}
    least = max(context("beta_fast", round(low)) if low > 0.5 else 1.0, context("beta_slow", round(high) - 1))
    most = min(context("beta_fast", round(low) + 1), context("beta_slow", round(high)))
    power = 2 ** floor(log(most, 2))
    original = power if power >= least else round((least + most) / 2)
    yield base, {"scaling": "yarn", "factor": factor, "original": original}
