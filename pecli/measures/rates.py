"""Find the base and the scaling of a RoPE encoding from its rates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from math import exp, log, pi, sqrt
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.encodings.biases import T5, Alibi
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.fits import SHARE_RIGHT, shortest_decimal

NEAR = 0.05  # largest relative error of the rates for a base that is not rounded yet
# usual training contexts
ORIGINALS = sorted((m * 2**n for m in (1, 3, 5) for n in range(8, 21)), key=lambda n: n & (n - 1) > 0)
BLENDS = ("yarn", "llama3")  # scalings whose parameters may not follow uniquely from the rates
LEAST_FACTOR = 1.1  # smallest factor of these scalings; smaller ones are due to errors of the rates
MAX_HEADS = 1024  # most heads of an ALiBi
BUCKETS, DISTANCES = (32, 64, 320), (128, 64, 256, 800, 512, 32, 20)  # usual numbers of T5 buckets, and max_distance
MAX_DISTANCE = 1e9  # largest max_distance that is derived from where the buckets begin
PARTS = {"both": 4, "causal": 2}  # of T5's buckets, this part is for near distances, and as many for far ones
MASKED = -65504.0  # the least number of float16: a bias up to it hides a key
FACTORS = (2.0, 4.0, 8.0, 16.0, 32.0, 40.0, 64.0)  # usual factors, tried if the slowest rates are not precise
COARSE = 0.05  # relative error of such rates
FINE = 1e-4  # largest relative error of a factor that is not rounded yet


def ropes_of(rates: Array, errors: Array) -> Iterator[Rope]:
    """Yield the RoPE encodings that have the given rates, the simplest first.

    rates : rad/position, (n_pairs,), NaN where unknown
    errors : absolute error of each rate, (n_pairs,)
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
            base, _ = shortest_decimal(center, partial(fits, scaling))
            yield from filter(None, [rope(base, scaling)])
    for base, scaling in blends(pairs, turning, shares, n_pairs) if len(pairs) > 3 else ():  # of three parameters
        yield from filter(None, [rope(base, scaling)])


def partial_ropes_of(rates: Array, errors: Array) -> Iterator[Rope]:
    """Yield the RoPE encodings that rotate only the first columns, at these rates; the last rates are 0.

    rates, errors : as `ropes_of` takes them
    """
    turning = int(np.flatnonzero(rates).max(initial=-1)) + 1
    for rope in ropes_of(rates[:turning], errors[:turning]):
        yield replace(rope, d=2 * len(rates), rotary_dim=2 * turning)


def rates_of(encoding: Rope | Sinusoidal, n_pairs: int) -> Array:
    """Return the rates of all pairs, (n_pairs,), 0 for those that do not rotate."""
    rates = encoding.frequencies()
    return np.pad(rates, (0, n_pairs - len(rates)))


def scalings(pairs: Array, rates: Array, shares: Array, n_pairs: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield (base, scaling options) for scalings that treat all rotating pairs alike; the base is not rounded yet.

    pairs, rates, shares : indices of the rotating pairs, their rates and relative errors, (n,) each
    """
    slope, level = np.polyfit(pairs, np.log(rates), 1, w=1 / shares)
    base = exp(min(-slope * n_pairs, 700))
    yield base, {}
    factor = shortest_within(exp(min(-level, 700)), FINE + float(shares[0]))
    if factor > LEAST_FACTOR or shares[0] < FINE:
        yield base, {"scaling": "linear", "factor": factor}
    if (n_turning := int(pairs[-1]) + 1) < n_pairs:
        yield base, {"scaling": "proportional", "partial_rotary_factor": n_turning / n_pairs}


def blends(pairs: Array, rates: Array, shares: Array, n_pairs: int) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield (base, scaling options) for scalings that keep fast pairs and divide the rates of slow pairs by a factor.

    pairs, rates, shares : indices of the rotating pairs, their rates and relative errors, (n,) each
    """
    later = pairs > 0  # pair 0 has rate 1 for every base
    powers = n_pairs / pairs[later]
    with np.errstate(over="ignore"):
        bases = rates[later] ** -powers
    for base in common_round_values(bases, (shares[later] + FINE / n_pairs) * powers):
        divided = (base ** (-pairs / n_pairs) / rates)[::-1]
        factors = [factor for factor in common_round_values(divided, shares[::-1] + FINE) if factor > LEAST_FACTOR]
        factors += [float(f"{factor:.2g}") for factor in factors]
        factors = sorted({*factors}, key=lambda factor: (len(f"{factor:.15g}".rstrip("0")), factor))
        factors += [factor for factor in FACTORS if shares[-1] > COARSE and factor not in factors]
        ends = [n_pairs * log(original / turns / (2 * pi)) / log(base) for original in ORIGINALS for turns in (32, 1)]
        for factor, (fast, slow, original) in product(factors, zip(ends[::2], ends[1::2], ORIGINALS, strict=True)):
            expected = np.where(pairs > slow + 1, factor, 1.0)  # yarn rounds both ends to whole pairs
            sure = (pairs > slow + 1) | (pairs < fast - 1)
            if np.any(np.abs(divided[::-1] / expected - 1)[sure] > (shares + FINE)[sure]):
                continue
            options = {"factor": factor, "original": original}
            yield base, {"scaling": "yarn", **options}
            yield base, {"scaling": "yarn", "truncate": False, **options}
            yield base, {"scaling": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0, **options}


def common_round_values(values: Array, shares: Array) -> list[float]:
    """Return round numbers above 1 that agree with the values, within their relative errors `shares`, (n,) each.

    The first number agrees with as many of the first values as possible, the next ones with ¾, ½ and ¼ of these.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        low = np.maximum.accumulate(values * np.exp(-shares))
        high = np.minimum.accumulate(values * np.exp(shares))
        middles, ratios = np.sqrt(low * high).tolist(), np.sqrt(high / low).tolist()
    count, found = int(np.argmax(low > high)) or len(low), list[float]()
    for last in (count - 1, 3 * count // 4, count // 2, count // 4):
        middle, share = middles[last], ratios[last]
        if np.isfinite(middle * share):
            found.append(shortest_within(middle, share - 1 + 1e-12))
    return [each for each in dict.fromkeys(found) if each > 1]


def shortest_within(value: float, share: float) -> float:
    """Return the number with the fewest digits within the relative tolerance `share` of the value."""
    return shortest_decimal(value, lambda x: abs(x / value - 1) < share)[0]


BASES = (1e4, 1e5, 5e5, 1e6, 5e6, 1e7)  # bases of released models, before a scaling makes them larger
MANY_DIGITS = 6  # a base with this many significant digits was computed, not typed
LARGEST_GROWTH = 64.0
GROWTH = 1e-5  # relative tolerance for a growth to count as a whole or half number


def ntk_equivalent(rope: Rope) -> Rope | None:
    """Return the NTK-aware RoPE with a usual base and these rates; None if the base has few digits or no factor fits.

    The factor is the growth of the longest wavelength: base' = base · factor^(d/(d − 2)).
    """
    typed = float(f"{rope.base:.{MANY_DIGITS - 1}g}")
    if rope.scaling != "default" or rope.base == typed or rope.width < 4:
        return None
    for base in BASES:
        factor = (rope.base / base) ** ((rope.width - 2) / rope.width)
        whole = round(2 * factor) / 2
        if 1 < whole <= LARGEST_GROWTH and abs(factor / whole - 1) < GROWTH:
            return replace(rope, base=base, scaling="ntk", factor=whole)
    return None


def dynamic_factor(growth: float) -> float | None:
    """Return the integer factor with which dynamic scaling lengthens the longest wavelength `growth`-fold, or None.

    At `factor` times its context, dynamic scaling lengthens the longest wavelength by a factor of
    factor² − (factor − 1). SGLang uses this value at every length.
    """
    factor = (1 + sqrt(4 * growth - 3)) / 2
    return factor if factor > 1 and factor == round(factor) else None


def tensor2tensor_of(rope: Rope, rates: Array, errors: Array) -> Sinusoidal | None:
    """Return a `Sinusoidal` that has the same rates as `rope`, with tensor2tensor's exponents and a round base.

    Return None if the base of `rope` is round, or if there is no such `Sinusoidal`.

    rates, errors : as `ropes_of` takes them
    """
    if (
        rope.scaling != "default"
        or rope.width < 4
        or rope.width != 2 * len(rates)
        or float(f"{rope.base:.2g}") == rope.base
    ):
        return None
    base = float(f"{rope.base ** ((rope.width - 2) / rope.width):.2g}")
    made = Sinusoidal(d=rope.width, base=base, family="tensor2tensor") if base > 1 else None
    known = np.isfinite(rates)
    return made if made and np.all(np.abs(made.frequencies() - rates)[known] <= errors[known]) else None


def slopes_of(numbers: Array, share: float) -> Any:
    """Return the `Alibi` with these slopes, (n_heads,), up to the relative error `share`; None if there is none."""
    if numbers.min() <= 0 or not 1 < len(numbers) <= MAX_HEADS:
        return None
    known = (Alibi(heads=len(numbers), family=family) for family in ("paper", "geometric"))
    return next((each for each in known if np.all(np.abs(each.slopes() / numbers - 1) <= share)), None)


def by_offset(biases: Array) -> tuple[Array, Array] | None:
    """Return the offsets query minus key, (n,) from the largest to the least, and their biases, (heads, n).

    A bias of −inf, or of MASKED or less, hides a key; its offset is left out. Return None for numbers that do not
    depend on the offset alone, or are all the same.

    biases : (heads, queries, keys), or (queries, keys); further axes have length 1
    """
    biases = np.squeeze(biases)
    biases = biases[None] if biases.ndim == 2 else biases
    if biases.ndim != 3 or not 1 < biases.shape[1] <= biases.shape[2]:
        return None
    hidden = np.where(biases > MASKED, biases, -np.inf)
    if not np.array_equal(hidden[:, 1:, 1:], hidden[:, :-1, :-1]):
        return None
    keys, queries = hidden.shape[2], hidden.shape[1]
    offsets = np.concatenate([np.arange(keys - 1, -1, -1), -np.arange(1, queries)])
    values = np.concatenate([hidden[:, -1], hidden[:, 0, keys - queries + 1 :]], axis=1)
    shown = np.isfinite(values).all(axis=0)
    offsets, values = offsets[shown], values[:, shown]
    return (offsets, values) if values.size and np.ptp(values) else None


def t5_of(offsets: Array, values: Array) -> Any:
    """Return the T5 whose buckets the biases of these offsets have; None if there is none.

    A bias changes from one offset to the next exactly where the next bucket begins, and most buckets have a bias of
    their own. Without offsets that share a bucket, no T5 is found.

    offsets, values : as `by_offset` returns them
    """
    begins = (values[:, 1:] != values[:, :-1]).any(axis=0)
    steps = offsets[:-1][begins & (offsets[1:] >= 0)][::-1]  # distances at which the buckets of keys behind begin
    near = int(np.flatnonzero(np.append(steps, -1) != np.arange(1, len(steps) + 2))[0])  # the last in a bucket alone
    for buckets, (direction, shares) in product(dict.fromkeys((*BUCKETS, 4 * near, 2 * near)), PARTS.items()):
        for max_distance in dict.fromkeys((*DISTANCES, *distances_near(steps, buckets // shares))):
            with suppress(UsageError):  # too few buckets, or too short a distance
                t5 = T5(buckets=buckets, max_distance=max_distance, direction=direction)
                bucket = t5.bucket(offsets)
                known, first = np.unique(bucket, return_index=True)
                shared = np.unique(bucket[offsets > 0], return_counts=True)[1] > 1
                different = np.unique(values[:, first], axis=1).shape[1]
                same = np.array_equal(bucket[1:] != bucket[:-1], begins)
                if same and shared.sum() > 1 and different >= SHARE_RIGHT * len(known):
                    return t5
    return None


def distances_near(steps: Array, exact: int) -> Iterator[int]:
    """Yield the roundest max_distance of a T5 whose growing buckets begin at these distances, if there is one.

    steps : distances at which a bucket begins, ascending
    exact : number of distances with a bucket of their own, and of growing buckets
    """
    later = steps[steps > exact]
    powers = exact / np.arange(1, len(later) + 1)
    if exact and len(later):
        with np.errstate(over="ignore"):
            low = exact * float(np.max(((later - 1) / exact) ** powers))
            high = exact * float(np.min((later / exact) ** powers))
        if low < high < MAX_DISTANCE:
            yield round(shortest_decimal((low + high) / 2, lambda n: low < n <= high and n == round(n))[0])


def alibi_of(biases: Array, share: float) -> tuple[Any, tuple[int, ...]]:
    """Return the ALiBi that has these biases, up to the relative error `share`, and the heads with other biases.

    Return (None, ()) if most heads fit no ALiBi.

    For query p and key q, the biases are slope·(q − p), −slope·|p − q| or, as in BLOOM, slope·q. A bias of −inf, or
    of MASKED or less, hides a key; so do zeros for all keys after the query.

    biases : (heads, queries, keys) or, for the last query, (heads, keys); further axes have length 1
    """
    biases = np.squeeze(biases)
    biases = biases[:, None] if biases.ndim == 2 else biases
    if biases.ndim != 3 or min(biases.shape[0], biases.shape[2]) < 2:
        return None, ()
    (heads, queries, n_keys), seen = biases.shape, biases > MASKED
    if heads > MAX_HEADS or queries > n_keys or not seen[:, -1].all():
        return None, ()
    keys = np.arange(n_keys)
    offsets = keys - np.arange(n_keys - queries, n_keys)[:, None]
    if (offsets > 0).any() and not biases[:, offsets > 0].any():
        seen = seen & (offsets <= 0)
    forms = ("causal", offsets), ("both", -np.abs(offsets)), ("causal", keys)
    found: tuple[Any, tuple[int, ...]] = None, tuple(range(int(heads * (1 - SHARE_RIGHT)) + 1))
    for family, (direction, places) in product(("paper", "geometric"), forms):
        alibi = Alibi(heads=heads, family=family, direction=direction)
        made = np.multiply.outer(alibi.slopes(), places).reshape(heads, -1, n_keys)
        right = np.all((np.abs(biases - made) <= share * np.abs(made)) | ~seen, axis=(1, 2))
        found = min(found, (alibi, tuple(np.flatnonzero(~right).tolist())), key=lambda each: len(each[1]))
    return found if found[0] else (None, ())
