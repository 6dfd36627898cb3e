"""Which base and scaling made the rates of a rotary encoding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from math import exp
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.encodings.rope import Rope
from pecli.measures.fits import roundest

NEAR = 0.05  # share of a rate, within which a base before it is rounded has to make it
ORIGINALS = sorted((m * 2**n for m in (1, 3, 5) for n in range(8, 21)), key=lambda n: n & (n - 1) > 0)  # of models
BLENDS = ("yarn", "llama3")  # scalings, of whose parameters rates may leave several open
LEAST_FACTOR = 1.1  # of those: what divides less is an error of the rates
FINE = 1e-4  # share, to which a factor is known before it is rounded


def ropes_of(rates: Array, errors: Array) -> Iterator[Rope]:
    """Yield the ropes that have these rates, rad/position, (n_pairs,), each known up to an error; plainest first."""
    d, turning = 2 * len(rates), rates[: np.count_nonzero(rates)]
    if len(turning) < 2 or np.any(turning <= 0):
        return

    def rope(base: float, scaling: dict[str, Any], share: float = 0.0) -> Rope | None:
        with suppress(UsageError):  # a base or factor that nobody has
            made = Rope(d=d, base=base, **scaling)
            if np.all(np.abs(made.frequencies() - rates) <= errors + share * rates):
                return made
        return None

    def fits(scaling: dict[str, Any], base: float) -> bool:
        return rope(base, scaling) is not None

    shares = errors[: len(turning)] / turning + 1e-12
    for center, scaling in scalings(turning, shares, len(rates)):
        if rope(center, scaling, NEAR):
            base, _ = roundest(center, partial(fits, scaling))
            yield from filter(None, [rope(base, scaling)])
    for base, scaling in blends(turning, shares, len(rates)):
        yield from filter(None, [rope(base, scaling)])


def scalings(rates: Array, shares: Array, n_pairs: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield a base, not yet rounded, and a scaling of all turning pairs alike.

    shares : of each rate, to which it is known
    """
    slope, level = np.polyfit(np.arange(len(rates)), np.log(rates), 1, w=1 / shares)
    base = exp(min(-slope * n_pairs, 700))
    yield base, {}
    yield base, {"scaling": "linear", "factor": rounded(exp(-level), FINE + float(shares[0]))}
    if len(rates) < n_pairs:
        yield base, {"scaling": "proportional", "partial_rotary_factor": len(rates) / n_pairs}


def blends(rates: Array, shares: Array, n_pairs: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield a base and a scaling that keeps the fast ones of the turning pairs and divides the slow ones by a factor.

    shares : of each rate, to which it is known
    """
    pairs = np.arange(len(rates))
    for base in agreed(rates[1:] ** (-n_pairs / pairs[1:]), (shares[1:] + FINE / n_pairs) * n_pairs / pairs[1:]):
        divided = (base ** (-pairs / n_pairs) / rates)[::-1]
        factors = [factor for factor in agreed(divided, shares[::-1] + FINE) if factor > LEAST_FACTOR]
        for factor, original in product(factors, ORIGINALS):
            options = {"factor": factor, "original": original}
            yield base, {"scaling": "yarn", **options}
            yield base, {"scaling": "yarn", "truncate": False, **options}
            yield base, {"scaling": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0, **options}


def agreed(values: Array, shares: Array) -> list[float]:
    """Return the roundest numbers above 1 that values, each known to a share, are: as many of the first as can be one
    number, and fewer."""
    with np.errstate(over="ignore"):
        low = np.maximum.accumulate(values * np.exp(-shares))
        high = np.minimum.accumulate(values * np.exp(shares))
    count, found = int(np.argmax(low > high)) or len(low), list[float]()
    for last in (count - 1, 3 * count // 4, count // 2, count // 4):
        middle, share = np.sqrt([low[last] * high[last], high[last] / low[last]]).tolist()
        if np.isfinite(middle * share):
            found.append(rounded(middle, share - 1 + 1e-12))
    return [each for each in dict.fromkeys(found) if each > 1]


def rounded(value: float, share: float) -> float:
    """Return the roundest number that is as large, give or take a share."""
    return roundest(value, lambda x: abs(x / value - 1) < share)[0]
