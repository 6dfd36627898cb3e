"""Which base and scaling gave the rates of a rotary encoding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from math import exp, sqrt
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.encodings.rope import Rope
from pecli.measures.fits import roundest

NEAR = 0.05  # relative error of the rates allowed for a base not yet rounded
ORIGINALS = sorted((m * 2**n for m in (1, 3, 5) for n in range(8, 21)), key=lambda n: n & (n - 1) > 0)  # of models
BLENDS = ("yarn", "llama3")  # scalings whose parameters may not follow uniquely from the rates
LEAST_FACTOR = 1.1  # smallest factor of those; less is an error of the rates
FINE = 1e-4  # relative error of a factor not yet rounded


def ropes_of(rates: Array, errors: Array) -> Iterator[Rope]:
    """Yield the ropes with the given rates, rad/position, (n_pairs,), the simplest first.

    errors : absolute error of each rate, (n_pairs,); unknown rates are NaN
    """
    n_pairs, known = len(rates), np.isfinite(rates)
    pairs = np.flatnonzero(known & (rates != 0))
    turning, errors = rates[pairs], errors[known]
    if len(turning) < 2 or np.any(turning <= 0) or np.any(rates[: pairs[-1]] == 0):
        return

    def rope(base: float, scaling: dict[str, Any], share: float = 0.0) -> Rope | None:
        with suppress(UsageError):  # an invalid base or factor
            made = Rope(d=2 * n_pairs, base=base, **scaling)
            if np.all(np.abs(made.frequencies() - rates)[known] <= errors + share * rates[known]):
                return made
        return None

    def fits(scaling: dict[str, Any], base: float) -> bool:
        return rope(base, scaling) is not None

    shares = errors[rates[known] != 0] / turning + 1e-12
    for center, scaling in scalings(pairs, turning, shares, n_pairs):
        if rope(center, scaling, NEAR):
            base, _ = roundest(center, partial(fits, scaling))
            yield from filter(None, [rope(base, scaling)])
    for base, scaling in blends(pairs, turning, shares, n_pairs):
        yield from filter(None, [rope(base, scaling)])


def scalings(pairs: Array, rates: Array, shares: Array, n_pairs: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield a base, not yet rounded, and a scaling that treats all turning pairs alike.

    pairs, rates, shares : turning pairs, their rates and relative errors, (n,)
    """
    slope, level = np.polyfit(pairs, np.log(rates), 1, w=1 / shares)
    base = exp(min(-slope * n_pairs, 700))
    yield base, {}
    yield base, {"scaling": "linear", "factor": rounded(exp(-level), FINE + float(shares[0]))}
    if (n_turning := int(pairs[-1]) + 1) < n_pairs:
        yield base, {"scaling": "proportional", "partial_rotary_factor": n_turning / n_pairs}


def blends(pairs: Array, rates: Array, shares: Array, n_pairs: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield a base and a scaling that keeps fast pairs and divides slow ones by a factor.

    pairs, rates, shares : turning pairs, their rates and relative errors, (n,)
    """
    later = pairs > 0  # these determine the base
    powers = n_pairs / pairs[later]
    for base in agreed(rates[later] ** -powers, (shares[later] + FINE / n_pairs) * powers):
        divided = (base ** (-pairs / n_pairs) / rates)[::-1]
        factors = [factor for factor in agreed(divided, shares[::-1] + FINE) if factor > LEAST_FACTOR]
        for factor, original in product(factors, ORIGINALS):
            options = {"factor": factor, "original": original}
            yield base, {"scaling": "yarn", **options}
            yield base, {"scaling": "yarn", "truncate": False, **options}
            yield base, {"scaling": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0, **options}


def agreed(values: Array, shares: Array) -> list[float]:
    """Return the roundest numbers above 1 within the relative errors of the values: of as many of the first values as
    can agree, and of fewer."""
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
    """Return the roundest number within the relative tolerance."""
    return roundest(value, lambda x: abs(x / value - 1) < share)[0]


BASES = (1e4, 1e5, 5e5, 1e6, 5e6, 1e7)  # of released models, before a scaling makes them larger
MANY_DIGITS = 6  # significant, of a base that nobody types
LARGEST_GROWTH = 64.0
GROWTH = 1e-5  # share, to which a growth is a whole or a half number


def grown(rope: Rope) -> Rope | None:
    """Return the NTK-aware scaling that makes the rates of a rope whose base nobody would type; None where none does.

    Its factor is what the longest wavelength grew by: base' = base · factor^(d/(d − 2)).
    """
    typed = float(f"{rope.base:.{MANY_DIGITS - 1}g}")
    if rope.scaling != "default" or rope.base == typed or rope.width < 4:
        return None
    for base in BASES:
        factor = (rope.base / base) ** ((rope.width - 2) / rope.width)
        whole = round(2 * factor) / 2
        if 1 < whole <= LARGEST_GROWTH and abs(factor / whole - 1) < GROWTH:
            return Rope(d=rope.d, base=base, scaling="ntk", factor=whole)
    return None


def dynamic_factor(growth: float) -> float | None:
    """Return the whole factor of a dynamic scaling that, at `factor` times its context, grows so much; else None.

    There it grows by factor · factor − (factor − 1), at every length in a runtime that fixes it (SGLang).
    """
    factor = (1 + sqrt(4 * growth - 3)) / 2
    return factor if factor > 1 and factor == round(factor) else None
