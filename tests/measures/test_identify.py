"""Tables of a generator of its own are told by their numbers: 300 of all kinds, types and noises, counted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pecli.core.lazy import Array
from pecli.measures.identify import Identified, identify

Generator = np.random.Generator
BASES = (10.0, 100.0, 500.0, 1000.0, 5000.0, 10000.0, 20000.0, 500000.0, 12345.0)
SMALL = (2.0, 3.0, 5.0, 10.0)  # of what is not divided by d, and falls so fast that noise hides larger ones


def angles(length: int, d: int, rate: Callable[[int, int], float], start: float = 0.0) -> Array:
    """Return position · rate(pair, column) for every column."""
    return np.array([[(p + start) * rate(c // 2, c) for c in range(d)] for p in range(length)])


def waves(turned: Array) -> Array:
    """Return sines in even columns and cosines in odd ones."""
    odd = np.arange(turned.shape[1]) % 2 == 1
    return np.where(odd, np.cos(turned), np.sin(turned))


def sines_first(table: Array) -> Array:
    return np.concatenate([table[:, ::2], table[:, 1::2]], axis=1)


def exchanged(table: Array) -> Array:
    """Return a table with the two columns of each pair exchanged."""
    return table.reshape(len(table), -1, 2)[:, :, ::-1].reshape(table.shape)


def some(rng: Generator, even: bool = True) -> tuple[int, int, float]:
    """Return length, d and base."""
    return int(rng.integers(40, 130)), 2 * int(rng.integers(6, 24)) + (not even), float(rng.choice(BASES))


Case = tuple[Array, dict[str, Any]]


def paper(rng: Generator) -> Case:
    n, d, k = some(rng, bool(rng.integers(2)))
    return waves(angles(n, d, lambda j, _: k ** (-2 * j / d))), {"paper": k}


def concatenated(rng: Generator) -> Case:
    n, d, k = some(rng, bool(rng.integers(2)))
    return sines_first(waves(angles(n, d, lambda j, _: k ** (-2 * j / d)))), {"paper": k, "layout": "concatenated"}


def odd_base(rng: Generator) -> Case:
    n, d, _ = some(rng)
    k = round(float(rng.uniform(2000, 90000)), 2)
    return waves(angles(n, d, lambda j, _: k ** (-2 * j / d))), {"paper": k}


def tensor2tensor(rng: Generator) -> Case:
    n, d, k = some(rng)
    table = waves(angles(n, d, lambda j, _: k ** (-j / (d // 2 - 1))))
    beside = bool(rng.integers(2))
    layout = "interleaved" if beside else "concatenated"
    return table if beside else sines_first(table), {"tensor2tensor": k, "layout": layout}


def swapped(rng: Generator) -> Case:
    n, d, k = some(rng)
    table = exchanged(waves(angles(n, d, lambda j, _: k ** (-2 * j / d))))
    beside = bool(rng.integers(2))
    layout = "interleaved" if beside else "concatenated"
    return table if beside else sines_first(table), {"paper": k, "layout": layout, "cosine_first": True}


def started(rng: Generator) -> Case:
    n, d, k = some(rng)
    start = int(rng.choice([1, 1, 2, 37, 512, 1000]))
    return waves(angles(n, d, lambda j, _: k ** (-2 * j / d), start)), {"paper": k, "start": start}


def scaled(rng: Generator) -> Case:
    n, d, k = some(rng)
    scale = float(rng.choice([math.sqrt(d), 1 / math.sqrt(d), 0.37, 7.5]))
    return scale * waves(angles(n, d, lambda j, _: k ** (-2 * j / d))), {"paper": k, "scale": scale}


def normalised(rng: Generator) -> Case:
    n, d, k = some(rng, bool(rng.integers(2)))
    table = waves(angles(n, d, lambda j, _: k ** (-2 * j / d)))
    return table / np.linalg.norm(table, axis=1, keepdims=True), {"paper": k, "norm": 1.0}


def permuted(rng: Generator) -> Case:
    n, d, k = some(rng)
    table = waves(angles(n, d, lambda j, _: k ** (-2 * j / d)))
    return table[:, rng.permutation(d)], {"paper": k, "layout": "permuted"}


def partly_filled(rng: Generator) -> Case:
    n, d, k = some(rng)
    table = waves(angles(n, d, lambda j, _: k ** (-2 * j / d)))
    layout = str(rng.choice(["interleaved", "concatenated"]))
    table = table if layout == "interleaved" else sines_first(table)
    more = int(rng.integers(1, 9))
    return np.pad(table, ((0, 0), (0, more))), {"paper": k, "filled": d, "layout": layout}


def row_in_front(rng: Generator) -> Case:
    n, d, k = some(rng)
    table = waves(angles(n, d, lambda j, _: k ** (-2 * j / d)))
    kind, count = int(rng.integers(3)), int(rng.integers(1, 3))
    if kind == 0:  # fairseq: a row of padding amid the others
        table[1] = 0
        return table, {"paper": k, "unlike": (1,), "start": 0}
    rows = np.zeros((count, d)) if kind == 1 else rng.normal(0, 0.5, (count, d))
    return np.concatenate([rows, table]), {"paper": k, "unlike": tuple(range(count)), "start": -count}


def grid(rng: Generator) -> Case:
    rows, columns = (int(side) for side in rng.integers(5, 12, 2))
    half, k = 2 * int(rng.integers(4, 12)), float(rng.choice(BASES))
    down, across = (
        sines_first(waves(angles(side, half, lambda j, _: k ** (-2 * j / half)))) for side in (rows, columns)
    )
    parts = [np.tile(across, (rows, 1)), np.repeat(down, columns, axis=0)]
    table = np.concatenate(parts, axis=1)
    token = int(rng.integers(2))
    return np.concatenate([np.zeros((token, 2 * half)), table]), {"paper": k, "grid": f"{rows}x{columns}"}


def own_exponents(rng: Generator) -> Case:
    n, d, k = some(rng)
    return waves(angles(n, d, lambda _, c: k ** (-c / d))), {"columns": k, "layout": "columns"}


def doubled(rng: Generator) -> Case:
    n, d, _ = some(rng)
    k = float(rng.choice([500.0, 1000.0, 10000.0]))
    return waves(angles(n, d, lambda j, _: k ** (-2 * (2 * j) / d))), {"doubled": k}


def undivided(rng: Generator) -> Case:
    n, d, _ = some(rng)
    k = float(rng.choice(SMALL))
    return waves(angles(n, d, lambda j, _: k ** (-2.0 * j))), {"undivided": k}


def precedence(rng: Generator) -> Case:
    n, d, _ = some(rng)
    k, kind = float(rng.choice([2.0, 3.0, 5.0, 10.0])), int(rng.integers(3))
    number = (lambda j, _: j, lambda j, _: 2 * j, lambda _, c: c)[kind]
    return waves(angles(n, d, lambda j, c: 1 / k**2 * number(j, c) / d)), {"precedence": k, "progression": "linear"}


def degrees(rng: Generator) -> Case:
    n, d, k = some(rng)
    unit = math.pi / 180 if rng.integers(2) or k < 1000 else 180 / math.pi  # else every pair turns more than half round
    return waves(angles(n, d, lambda j, _: unit * k ** (-2 * j / d))), {"paper": k, "rate": unit}


def whole_exponents(rng: Generator) -> Case:
    n, d, k = some(rng)
    if rng.integers(2):
        return waves(angles(n, d, lambda j, _: k ** -float(2 * j // d))), {"integers": 1.0}
    k = float(rng.choice([10.0, 20.0, 100.0, 500.0]))
    return waves(angles(n, d, lambda j, _: k ** -float(4 * j // d))), {"integers": k, "progression": "halves"}


def whole_angles(rng: Generator) -> Case:
    n, d, k = some(rng)
    start = int(rng.integers(2))
    return waves(np.array([[float((p + start) // k ** (2 * (c // 2) / d)) for c in range(d)] for p in range(n)])), {
        "paper": None,
        "whole": True,
        "start": start,
        "base": k,
    }


def learned(rng: Generator) -> Case:
    n, d, _ = some(rng)
    kind, noise = int(rng.integers(4)), rng.normal(0, 0.02, (n, d))
    smooth = np.cumsum(noise, axis=0)
    rates = np.outer(np.arange(n), rng.uniform(0.01, 3, d)) + rng.uniform(0, 6, d)
    mixed = np.sin(rates) * rng.uniform(0.2, 2, d)  # waves of any rate, phase and size
    low = smooth[:, :3] @ rng.normal(size=(3, d))
    return (noise, smooth, low, mixed)[kind], {}


def bits(rng: Generator) -> Case:
    start = int(rng.integers(5))
    table = np.array([[p >> j & 1 for j in range(8)] for p in range(start, start + 90)], dtype=float)
    return table * (2 if (pm := rng.integers(2)) else 1) - pm, {"binary": True, "start": start}


def hands(rng: Generator) -> Case:
    periods = np.sort(rng.choice([12, 24, 28, 60, 90, 365], 3, replace=False)).tolist()
    return waves(angles(100, 6, lambda j, _: 2 * math.pi / periods[j])), {"clock": tuple(map(float, periods))}


KINDS: dict[Callable[[Generator], Case], int] = {
    paper: 30, concatenated: 16, odd_base: 10, tensor2tensor: 16, swapped: 14, started: 14, scaled: 14, normalised: 10,
    permuted: 14, partly_filled: 14, row_in_front: 16, grid: 12, own_exponents: 16, doubled: 12, undivided: 12,
    precedence: 16, degrees: 14, whole_exponents: 12, whole_angles: 12, learned: 16, bits: 5, hands: 5,
}  # fmt: skip


def stored(table: Array, rng: Generator, exact: bool) -> tuple[Array, str, float]:
    """Return a table with noise, as a type of numbers has it, the type and the noise."""
    kind = str(rng.choice(["float64", "float32", "float16", "bfloat16"]))
    noise = 0.0 if exact else float(rng.choice([0.0, 0.0, 1e-6, 1e-4, 1e-3])) * float(np.abs(table).max())
    noisy = table + rng.normal(0, 1, table.shape) * noise * (table != 0)
    if kind == "bfloat16":
        raw = noisy.astype(np.float32).view(np.uint32)
        return ((raw + 0x7FFF + ((raw >> 16) & 1)) & 0xFFFF0000).view(np.float32).astype(float), kind, noise
    return noisy.astype(kind).astype(float), kind, noise


def judged(found: Identified, truth: dict[str, Any], kind: str, noise: float) -> str:
    """Return right, undecided or wrong: a name with certainty that is not the table's."""
    if not truth:
        return "right" if found.fit is None and not found.certain else "wrong" if found.certain else "undecided"
    if not found.certain:
        return "undecided"
    return "right" if not mistakes(found, truth, kind, noise) else "wrong"


def mistakes(found: Identified, truth: dict[str, Any], kind: str, noise: float) -> list[str]:
    """Return in what the identified is not what the table was made with."""
    encoding, fit = found.encoding, found.fit
    said = dict(found.names)
    if "binary" in truth or "clock" in truth:
        name = "binary" if "binary" in truth else "clock"
        ok = encoding is not None and encoding.name == name and found.start == truth.get("start", 0)
        periods = getattr(encoding, "periods", None)
        return [] if ok and ("clock" not in truth or periods == truth["clock"]) else [name]
    if fit is None:
        return ["no formula"]
    values = {
        "layout": fit.waves.layout, "cosine_first": fit.waves.cosine_first, "start": fit.start, "rate": fit.rate,
        "progression": fit.progression, "whole": fit.whole, "unlike": found.unlike, "filled": found.filled,
        "scale": fit.scale, "norm": 1.0, "grid": getattr(encoding, "grid", None),
    }  # fmt: skip
    plain = {"layout": "interleaved", "cosine_first": False, "progression": "geometric", "whole": False, "rate": 1.0}
    if truth.keys() & {"grid"}:
        plain["layout"] = "concatenated"
    if truth.keys() & {"precedence"}:
        del plain["layout"], plain["rate"]
    if truth.keys() & {"integers"}:
        del plain["progression"]
    plain |= {"start": 0} if not truth.keys() & {"unlike", "grid"} else {}
    plain |= {"scale": 1.0} if "norm" not in truth else {}
    wrong = []
    loose = 1e-6 if noise == 0 and kind in ("float64", "float32") else 3e-3
    for name, value in {**plain, **truth}.items():
        if name in said or name not in values:
            if name == "base" or value is None:
                continue
            own = said.get(name)
            if own is None or abs(own / value - 1) > loose * (10 if name == "paper" else 1):
                wrong.append(f"{name} {own} for {value}")
        elif name == "scale":
            if abs(fit.scale / value - 1) > 2e-3:
                wrong.append(f"scale {fit.scale} for {value}")
        elif values[name] != value:
            wrong.append(f"{name} {values[name]} for {value}")
    if kind != found.number_type and not np.array_equal(found.number_type, kind):
        wrong.append(f"type {found.number_type} for {kind}")
    return wrong


def counted(seed: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """Return how many of each kind are right, undecided and wrong, and what was not right."""
    rng = np.random.default_rng(seed)
    counts: dict[str, Counter[str]] = {}
    lines = []
    for kind, count in KINDS.items():
        for _ in range(count):
            made, truth = kind(rng)
            table, number_type, noise = stored(made, rng, kind in (bits,))
            found = identify(table)
            number_type = found.number_type if kind in (bits, learned) else number_type
            verdict = judged(found, truth, number_type, noise)
            counts.setdefault(kind.__name__, Counter())[verdict] += 1
            if verdict != "right":
                why = mistakes(found, truth, number_type, noise) if truth else []
                lines.append(
                    f"{verdict}: {kind.__name__} {number_type} {noise:.0e} {table.shape} {truth}: {found.names} {why}"
                )
    return counts, lines


def test_300_tables_are_told_by_their_numbers() -> None:
    counts, lines = counted(35)
    total = sum(counts.values(), Counter())
    assert total.total() == 300
    assert total["wrong"] == 0, "\n".join(lines)
    assert total["right"] >= 297, "\n".join(lines)
