"""Which base and scaling made the rates of a rotary encoding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from math import ceil, exp, floor, log, pi
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUND
from pecli.encodings.rope import Rope
from pecli.encodings.rope_scaling import Scaled
from pecli.measures.fits import roundest
from pecli.measures.identify import STEPS, Identified

KNOWN = (10_000.0, 500_000.0, 1_000_000.0)  # bases that models are trained with
SHARE = 1e-6  # of a rate, to which libraries that compute in float32 agree


def identify_rates(rates: Array) -> Identified:
    """Return the encoding whose rates these are, rad/position, (n_pairs,); `difference` is a share of the rate."""
    kinds = [kind for kind in STEPS if np.array_equal(ROUND[kind](rates), rates)]
    places = max(-int(Decimal(repr(rate)).as_tuple().exponent) for rate in rates.tolist())
    typed = 0.5 * 10.0**-places if places < 7 else 0.0  # of numbers that somebody wrote down
    kind = next(iter(kinds), "float64") if not typed else "float64"
    errors = np.maximum(typed, rates * max(2 * STEPS.get(kind, 0.0), SHARE))
    blank = Identified(kind, 2 * len(rates))
    turning = int(np.count_nonzero(rates > 0))
    if len(rates) < 2 or turning < 2 or np.any(rates[:turning] <= 0):
        return blank
    for scaling in scalings(rates[:turning], len(rates)):

        def made(base: float, scaling: dict[str, Any] = scaling) -> Rope:
            return Rope(d=2 * len(rates), **{"base": base, **scaling})

        def fits(base: float, made: Any = made) -> bool:
            try:
                return bool(np.all(np.abs(made(base).frequencies() - rates) <= errors))
            except UsageError:
                return False

        center = scaling.pop("base")
        base, digits = roundest(center, fits)
        if not fits(base):
            continue
        rope = made(base)
        off = np.abs(rope.frequencies() - rates)[:turning] / rates[:turning]
        names = [("paper", base)]
        for known in KNOWN if digits > 4 and scaling["scaling"] == "default" else ():
            growth, short = roundest(
                (base / known) ** (1 - 1 / len(rates)), lambda x, b=known, to=base: grown(x, b, to, len(rates))
            )
            names += [(f"ntk {growth:g}", known)] if short < 4 and growth > 1 else []
        return replace(blank, certain=True, encoding=rope, same=True, names=tuple(names), difference=float(off.max()))
    return blank


def grown(growth: float, known: float, base: float, n_pairs: int) -> bool:
    """Return whether NTK-aware scaling makes this base out of the known one."""
    return abs(log(known * growth ** (n_pairs / (n_pairs - 1)) / base)) < 1e-5


def scalings(rates: Array, n_pairs: int) -> Iterator[dict[str, Any]]:
    """Yield parameters that may have made the rates of the pairs that turn, the plainest first; the base not yet
    rounded."""
    logs, pairs = np.log(rates), np.arange(len(rates))
    falls = -np.diff(logs)
    step = float(np.median(falls))
    if step * n_pairs > 700:
        return
    slope, level = np.polyfit(pairs, logs, 1)
    base, factor = exp(-slope * n_pairs), exp(-level)
    yield {"base": base, "scaling": "default"}
    yield {"base": base, "scaling": "linear", "factor": roundest(factor, lambda x: abs(x / factor - 1) < 1e-4)[0]}
    if len(rates) < n_pairs:
        share = len(rates) / n_pairs
        yield {"base": base, "scaling": "proportional", "partial_rotary_factor": share}
    plateau = np.abs(falls - step) < 1e-3 * abs(step) + 1e-6
    if len(rates) < 4 or not plateau.any():
        return
    step = float(falls[plateau].mean())
    base, stretch = exp(step * n_pairs), np.exp(-step * pairs) / rates
    factor = roundest(float(stretch[-1]), lambda x: abs(x / stretch[-1] - 1) < 1e-4)[0]
    if factor <= 1.001:
        return
    kept = np.clip((factor / stretch - 1) / (factor - 1), 0, 1)  # 1 of pairs that are kept
    ramp = (kept > 1e-4) & (kept < 1 - 1e-4)
    if ramp.sum() < 2:
        return
    base = float(roundest(base, lambda x: abs(x / base - 1) < 1e-4)[0])
    common = {"base": base, "factor": factor}
    turn = np.exp(-step * pairs[ramp]) / (2 * pi)
    slope, level = np.polyfit(turn, kept[ramp], 1)
    if level < 0 < slope:  # (original · turns − low) / (high − low), of which a table tells the ratios alone
        high = roundest(1 - 1 / level, lambda x: abs(x / (1 - 1 / level) - 1) < 1e-3)[0]
        yield {**common, "scaling": "llama3", "low_freq_factor": 1.0, "high_freq_factor": high,
               "original": round(slope * (high - 1))}  # fmt: skip
    slope, level = np.polyfit(pairs[ramp], 1 - kept[ramp], 1)
    low, high = -level / slope, (1 - level) / slope
    per = log(base) / n_pairs
    fast, slow = (float(Scaled.options()[name].default) for name in ("beta_fast", "beta_slow"))
    ends = [2 * pi * fast * exp(per * low), 2 * pi * slow * exp(per * high)]
    yield {**common, "scaling": "yarn", "truncate": False, "original": round(ends[0])}
    least = max(2 * pi * fast * exp(per * round(low)) if low > 0.5 else 1, 2 * pi * slow * exp(per * (round(high) - 1)))
    most = min(2 * pi * fast * exp(per * (round(low) + 1)), 2 * pi * slow * exp(per * round(high)))
    powers = [2**at for at in range(ceil(log(least, 2)), floor(log(max(most, 1), 2)) + 1)]
    if least <= most:
        middle = roundest((least + most) / 2, lambda x: least < x <= most)[0]
        yield {**common, "scaling": "yarn", "original": (powers or [round(middle)])[0]}
