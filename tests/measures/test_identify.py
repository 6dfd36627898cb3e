"""Tests of identify with 300 generated tables of all kinds, number types and noise levels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.lazy import Array
from pecli.core.numbers import ROUND
from pecli.encodings.clock import Geometric
from pecli.measures.fits import SINGLE_RATE
from pecli.measures.identify import Identified, identify

Generator = np.random.Generator
BASES = (10.0, 100.0, 500.0, 1000.0, 5000.0, 10000.0, 20000.0, 500000.0, 12345.0)


@dataclass(frozen=True)
class Truth:
    """What a table was made with. name : of the formula with that base, nothing of a learned table"""

    name: str = "paper"
    base: float = 0.0
    layout: str | None = "interleaved"
    cosine_first: bool = False
    rate: float | None = 1.0
    start: float = 0.0
    scale: float | None = 1.0
    unlike: tuple[int, ...] = ()
    filled: int | None = None
    grid: str | None = None


Case = tuple[Array, Truth]


def angles(length: int, d: int, rate: Callable[[int, int], float], start: float = 0.0) -> Array:
    """Return position · rate(pair, column) for every column."""
    return np.array([[(p + start) * rate(c // 2, c) for c in range(d)] for p in range(length)])


def waves(turned: Array) -> Array:
    """Return sines in even columns and cosines in odd ones."""
    odd = np.arange(turned.shape[1]) % 2 == 1
    return np.where(odd, np.cos(turned), np.sin(turned))


def plain(length: int, d: int, k: float, start: float = 0.0) -> Array:
    """Return the paper's table."""
    return waves(angles(length, d, lambda j, _: k ** (-2 * j / d), start))


def arranged(table: Array, rng: Generator) -> tuple[Array, str]:
    """Return a table as it is, or with its sines first."""
    if rng.integers(2):
        return table, "interleaved"
    return np.concatenate([table[:, ::2], table[:, 1::2]], axis=1), "concatenated"


def some(rng: Generator, even: bool = True) -> tuple[int, int, float]:
    """Return length, d and base."""
    return int(rng.integers(40, 110)), 2 * int(rng.integers(6, 20)) + (not even), float(rng.choice(BASES))


def paper(rng: Generator) -> Case:
    n, d, k = some(rng, bool(rng.integers(2)))
    table, layout = arranged(plain(n, d, k), rng)
    return table, Truth(base=k, layout=layout)


def odd_base(rng: Generator) -> Case:
    n, d, _ = some(rng)
    k = round(float(rng.uniform(2000, 90000)), 2)
    return plain(n, d, k), Truth(base=k)


def tensor2tensor(rng: Generator) -> Case:
    n, d, k = some(rng)
    table, layout = arranged(waves(angles(n, d, lambda j, _: k ** (-j / (d // 2 - 1)))), rng)
    return table, Truth("tensor2tensor", k, layout)


def swapped(rng: Generator) -> Case:
    n, d, k = some(rng)
    exchanged = plain(n, d, k).reshape(n, -1, 2)[:, :, ::-1].reshape(n, d)
    table, layout = arranged(exchanged, rng)
    return table, Truth(base=k, layout=layout, cosine_first=True)


def started(rng: Generator) -> Case:
    n, d, k = some(rng)
    start = float(rng.choice([1, 1, 2, 37, 512, 1000]))
    return plain(n, d, k, start), Truth(base=k, start=start)


def scaled(rng: Generator) -> Case:
    n, d, k = some(rng)
    scale = float(rng.choice([math.sqrt(d), 1 / math.sqrt(d), 0.37, 7.5]))
    return scale * plain(n, d, k), Truth(base=k, scale=scale)


def normalised(rng: Generator) -> Case:
    n, d, k = some(rng)
    table = plain(n, d, k)
    return table / np.linalg.norm(table, axis=1, keepdims=True), Truth(base=k, scale=math.sqrt(2 / d))


def permuted(rng: Generator) -> Case:
    n, d, k = some(rng)
    return plain(n, d, k)[:, rng.permutation(d)], Truth(base=k, layout="permuted")


def partly_filled(rng: Generator) -> Case:
    n, d, k = some(rng)
    table, layout = arranged(plain(n, d, k), rng)
    return np.pad(table, ((0, 0), (0, int(rng.integers(1, 9))))), Truth(base=k, filled=d, layout=layout)


def row_in_front(rng: Generator) -> Case:
    n, d, k = some(rng)
    table, count = plain(n, d, k), int(rng.integers(1, 3))
    if rng.integers(3) == 0:  # as fairseq: a row of padding amid the others
        table[1] = 0
        return table, Truth(base=k, unlike=(1,))
    rows = rng.normal(0, 0.5, (count, d)) * rng.integers(2)
    return np.concatenate([rows, table]), Truth(base=k, unlike=tuple(range(count)), start=-count)


def grid(rng: Generator) -> Case:
    rows, columns = (int(side) for side in rng.integers(5, 12, 2))
    half, k = 2 * int(rng.integers(4, 12)), float(rng.choice(BASES))
    down, across = (np.hstack([plain(side, half, k)[:, at::2] for at in (0, 1)]) for side in (rows, columns))
    table = np.concatenate([np.tile(across, (rows, 1)), np.repeat(down, columns, axis=0)], axis=1)
    token = int(rng.integers(2))
    truth = Truth(base=k, layout="concatenated", grid=f"{rows}x{columns}", unlike=tuple(range(token)))
    return np.concatenate([np.zeros((token, 2 * half)), table]), truth


def own_exponents(rng: Generator) -> Case:
    n, d, k = some(rng)
    return waves(angles(n, d, lambda _, c: k ** (-c / d))), Truth("columns", k, "columns")


def doubled(rng: Generator) -> Case:
    n, d, _ = some(rng)
    k = float(rng.choice([500.0, 1000.0, 10000.0]))
    return waves(angles(n, d, lambda j, _: k ** (-2 * (2 * j) / d))), Truth("doubled", k)


def undivided(rng: Generator) -> Case:
    n, d, _ = some(rng)
    k = float(rng.choice([2.0, 3.0, 5.0, 10.0]))  # of larger ones noise hides all but the first pair
    return waves(angles(n, d, lambda j, _: k ** (-2.0 * j))), Truth("undivided", k)


def precedence(rng: Generator) -> Case:
    n, d, _ = some(rng)
    k, kind = float(rng.choice([2.0, 3.0, 5.0, 10.0])), int(rng.integers(3))  # larger ones: noise hides the waves
    number = (lambda j, _: j, lambda j, _: 2 * j, lambda _, c: c)[kind]
    table = waves(angles(n, d, lambda j, c: 1 / k**2 * number(j, c) / d))
    return table, Truth("precedence", k, None, rate=None)


def degrees(rng: Generator) -> Case:
    n, d, k = some(rng)
    unit = math.pi / 180 if rng.integers(2) or k < 1000 else 180 / math.pi  # else every pair turns more than half round
    return waves(angles(n, d, lambda j, _: unit * k ** (-2 * j / d))), Truth(base=k, rate=unit)


def whole_exponents(rng: Generator) -> Case:
    n, d, k = some(rng)
    return waves(angles(n, d, lambda j, _: k ** -float(2 * j // d))), Truth("integers", 1.0)


def whole_angles(rng: Generator) -> Case:
    n, d, k = some(rng)
    start = int(rng.integers(2))
    turned = [[float((p + start) // k ** (2 * (c // 2) / d)) for c in range(d)] for p in range(n)]
    return waves(np.array(turned)), Truth("whole", k, start=start)


def learned(rng: Generator) -> Case:
    n, d, _ = some(rng)
    noise = rng.normal(0, 0.02, (n, d))
    smooth = np.cumsum(noise, axis=0)
    turned = np.outer(np.arange(n), rng.uniform(0.01, 3, d)) + rng.uniform(0, 6, d)
    mixed = np.sin(turned) * rng.uniform(0.2, 2, d)  # waves of any rate, phase and size
    return (noise, smooth, smooth[:, :3] @ rng.normal(size=(3, d)), mixed)[int(rng.integers(4))], Truth("")


KINDS: dict[Callable[[Generator], Case], int] = {
    paper: 46, odd_base: 10, tensor2tensor: 16, swapped: 14, started: 14, scaled: 14, normalised: 10, permuted: 14,
    partly_filled: 14, row_in_front: 16, grid: 16, own_exponents: 16, doubled: 12, undivided: 12, precedence: 16,
    degrees: 14, whole_exponents: 12, whole_angles: 12, learned: 22,
}  # fmt: skip


def stored(table: Array, rng: Generator) -> tuple[Array, str, float]:
    """Return a table with noise as a type of numbers has it, the type, and the noise as a share of the largest."""
    kind, noise = (
        str(rng.choice(["float64", "float32", "float16", "bfloat16"])),
        float(rng.choice([0, 0, 1e-6, 1e-4, 1e-3])),
    )
    noisy = table + rng.normal(0, 1, table.shape) * noise * np.abs(table).max() * (table != 0)
    if kind == "bfloat16":
        raw = noisy.astype(np.float32).view(np.uint32)
        return ((raw + 0x7FFF + ((raw >> 16) & 1)) & 0xFFFF0000).view(np.float32).astype(float), kind, noise
    return noisy.astype(kind).astype(float), kind, noise


def mistakes(found: Identified, truth: Truth, tolerance: float) -> list[str]:
    """Return in what the found is not what the table was made with."""
    fit, bases = found.fit, [base for formula, base in found.names if formula.name == truth.name]
    if fit is None:  # known by the rate of each pair alone
        same = isinstance(found.encoding, Geometric) and found.encoding.radix == truth.base
        return [] if same and truth.name == "undivided" else ["no formula"]
    own = {
        "layout": fit.layout, "cosine_first": fit.cosine_first, "rate": fit.rate, "start": found.start,
        "unlike": (*found.zeros, *found.unlike), "filled": found.filled, "grid": getattr(found.encoding, "grid", None),
        "scale": None if truth.scale is None else fit.scale,
    }  # fmt: skip
    if truth.grid is not None:
        own["start"] = truth.start
    asked = {name: getattr(truth, name) for name in own if getattr(truth, name) is not None}
    if truth.scale not in (None, 1.0) and abs(fit.scale / truth.scale - 1) < 2e-3:
        del asked["scale"]
    wrong = [f"{name} {own[name]} for {value}" for name, value in asked.items() if own[name] != value]
    told = any(abs(base / truth.base - 1) <= tolerance for base in bases)
    return wrong + [f"{truth.name} {bases} for {truth.base}"] * (not told)


def judged(found: Identified, truth: Truth, kind: str, noise: float) -> tuple[str, list[str]]:
    """Return right, undecided or wrong, a name with certainty that is not the table's; and why."""
    if truth.name == "":
        return ("wrong" if found.certain else "undecided" if found.fit else "right"), ["a formula"]
    exact = noise == 0 and kind in ("float64", "float32") and truth.name != "whole"  # whose steps bound the base
    close = 2 * SINGLE_RATE if kind == "float32" else 1e-6  # sines in float32 differ between processors
    why = mistakes(found, truth, close if exact else 0.03)
    if found.number_type != kind:
        why.append(f"{found.number_type} for {kind}")
    return ("undecided" if found.encoding is None else "wrong" if why else "right"), why


def counted(seed: int, every: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """Return how many of each kind are right, undecided and wrong, of every so many tables, and what was not right."""
    rng, counts, lines = np.random.default_rng(seed), dict[str, Counter[str]](), []
    for at, kind in enumerate(kind for kind, count in KINDS.items() for _ in range(count)):
        made, truth = kind(rng)
        table, number_type, noise = stored(made, rng)
        if at % every:
            continue
        found = identify(table)
        verdict, why = judged(found, truth, number_type, noise)
        counts.setdefault(kind.__name__, Counter())[verdict] += 1
        if verdict != "right":
            lines.append(
                f"{verdict}: {kind.__name__} {number_type} {noise:.0e} {table.shape} {truth}: {found.names} {why}"
            )
    return counts, lines


@pytest.mark.some(2)
@pytest.mark.parametrize("every", [32, 1])
def test_300_tables_are_told_by_their_numbers(every: int) -> None:
    counts, lines = counted(35, every)
    total = sum(counts.values(), Counter[str]())
    assert total.total() == -(-300 // every) and (every > 1 or counts.keys() == {kind.__name__ for kind in KINDS})
    assert total["wrong"] == 0, "\n".join(lines)
    assert total["right"] >= total.total() - 3, "\n".join(lines)


@pytest.mark.some(4)
@pytest.mark.parametrize("scale", [1.0, math.sqrt(24), 1 / math.sqrt(24), math.sqrt(2 / 24)])
def test_a_scale_of_formulas_is_that_number_and_no_other_near_it(scale: float) -> None:
    found = identify(ROUND["float16"](scale * plain(60, 24, 1000.0)))
    assert found.certain and found.scale == scale


def noisy(table: Array, noise: float, rng: Generator | None = None) -> Array:
    return table + (rng or np.random.default_rng(1)).normal(0, noise, table.shape)


HARD = {
    "no phase tells the start at once": (plain(60, 8, 10.0, 1000), Truth(base=10.0, start=1000)),
    "noise has the rates of slow sines": (
        noisy(waves(angles(60, 16, lambda _, c: 500000 ** (-c / 16))), 1e-3),
        Truth("columns", 500000.0, "columns"),
    ),
    "angles of 10⁻⁸": (
        waves(angles(60, 16, lambda _, c: c / (1e8 * 16))),
        Truth("precedence", 10000.0, "columns", rate=None),
    ),
    "cosines first, a rate a column": (
        waves(angles(60, 16, lambda _, c: 100 ** (-c / 16)) + np.pi / 2 * (-1.0) ** np.arange(16)),
        Truth("columns", 100.0, "columns", cosine_first=True),
    ),
    "steps of a half": (waves(angles(60, 16, lambda j, _: 0.5 * 1e4 ** (-j / 8))), Truth(base=1e4, rate=0.5)),
    "none but the first pair turns": (noisy(waves(angles(60, 16, lambda j, _: 1e4 ** (-2.0 * j))), 1e-3), Truth("")),
    "a pair turns beneath more noise": (noisy(waves(angles(44, 22, lambda j, _: 1e3 ** (-2.0 * j))), 1e-2), Truth("")),
    "rates that rise": (noisy(waves(angles(50, 4, lambda j, _: j / 400)), 1e-4), Truth("")),
    "most rows of zeros": (np.eye(30, 8), Truth("")),
    "one wrong number": (plain(60, 16, 100.0) + 0.5 * np.eye(60, 16, -30) * (np.arange(16) == 5), Truth("")),
}


@pytest.mark.long
@pytest.mark.parametrize("case", HARD)
def test_hard_cases(case: str) -> None:
    table, truth = HARD[case]
    found = identify(table)
    assert (found.certain or found.noise > 0) == bool(truth.name)
    assert truth.name == "" or mistakes(found, truth, 1e-3) == []


def slow(rng: Generator) -> Case:
    """Return few rows of waves so slow that noise hides most of them, or random signs, which lie on circles too."""
    n, d, k = int(rng.integers(8, 50)), 2 * int(rng.integers(1, 12)), float(rng.choice([10, 20, 50, 100, 1000, 10000]))
    kind, signs = int(rng.integers(5)), np.sign(rng.normal(size=(n, d)))
    if kind == 4:
        return signs, Truth("")
    if kind < 2:
        table = waves(angles(n, d, lambda j, c: (j, c)[kind] / (k**2 * d)))
        return noisy(table, 1e-3, rng), Truth("precedence", k, None, rate=None)
    table = waves(angles(n, d, lambda j, c: k ** (-2.0 * j if kind == 2 else -c / d)))
    truth = Truth("undivided", k) if kind == 2 else Truth("columns", k, "columns")
    return noisy(table, 1e-3, rng), truth


@pytest.mark.some(2)
@pytest.mark.parametrize("count", [4, 150])
def test_what_noise_hides_is_never_named_wrongly(count: int) -> None:
    rng, wrong = np.random.default_rng(5), []
    for _ in range(count):
        table, truth = slow(rng)
        verdict, why = judged(identify(table), truth, "float64", 1e-3)
        wrong += [(table.shape, truth, why)] * (verdict == "wrong")
    assert wrong == []


OWN = {  # an encoding as it is asked for, and as it is told, row 0 at that position
    "sinusoidal:d=64": ("sinusoidal:d=64", 0),
    "sinusoidal:d=32,base=500,layout=concatenated": ("sinusoidal:d=32,base=500,layout=concatenated", 0),
    "sinusoidal:d=64,family=tensor2tensor": ("sinusoidal:d=64,family=tensor2tensor", 0),
    "sinusoidal:d=32,family=timestep": ("sinusoidal:d=32,layout=concatenated,family=tensor2tensor", 0),
    "sinusoidal:d=16,base=10": ("sinusoidal:d=16,base=10", 0),
    "sinusoidal:d=9": ("sinusoidal:d=9", 0),
    "sinusoidal:d=32,step=0.5": ("sinusoidal:d=32,step=0.5", 0),
    "rope:d=64,base=500000": ("rope:d=64,base=500000", 0),
    "rope:d=32,scaling=linear,factor=4": ("rope:d=32,scaling=linear,factor=4", 0),
    "rope:d=64,base=500000,scaling=linear,factor=8": ("rope:d=64,base=500000,scaling=linear,factor=8", 0),
    **{
        f"rope:d={d},{scaling}": (f"rope:d={d},{scaling}", 0)
        for d in (32, 96)
        for scaling in (
            "base=500000,scaling=yarn,factor=4,original=4096",
            "scaling=yarn,factor=32,original=4096,truncate=false",
            "scaling=yarn,factor=4,original=8192,attention_factor=1",
            "base=500000,scaling=llama3,factor=8,original=8192,low_freq_factor=1,high_freq_factor=4",
        )
    },
    "rope:d=32,pairing=half": ("rope:d=32,pairing=half", 0),
    "clock": ("clock", 0),
    "clock:periods=60\\,3600": ("clock:periods=60,3600", 0),
    "geometric:d=8,radix=3": ("geometric:d=8,radix=3", 0),
    "geometric:d=16,radix=10": ("geometric:d=16,radix=10", 0),
    "binary": ("binary:d=7", 0),
    "binary:order=msb,values=pm1": ("binary:d=7,order=msb,values=pm1", 0),
    "relative:d=16,base=100": ("sinusoidal:d=16,base=100", -99),
    "sincos2d:d=32,grid=7x9": ("sincos2d:d=32,grid=7x9", 0),
}
NAMES = {"sinusoidal", "rope", "clock", "geometric", "binary", "relative", "sincos2d"}


def parts_of(spec: str) -> tuple[str, set[str]]:
    name, _, options = spec.partition(":")
    return name, {*options.split(",")} - {""}


@pytest.mark.long
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("how", ["computed", "cast"])
@pytest.mark.parametrize("spec", OWN)
def test_own_tables_in_short_types_are_known(spec: str, how: str, kind: str) -> None:
    asked = spec
    if how == "computed" and "binary" not in spec:
        asked += (",", ":")[":" not in spec] + f"dtype={kind}"
    table = pecli.encode(asked, **({} if "grid" in spec else {"length": 100}))
    table = table if how == "computed" else ROUND[kind](table)
    found, (told, start) = identify(table), OWN[spec]
    assert found.encoding is not None and found.certain and (found.cells, found.start) == (0, start)
    name, options = parts_of(found.encoding.spec())
    if found.encoding.spec() == told:  # as it is cast; numbers that a type holds as they are say nothing of computing
        assert (
            how == "cast"
            or "binary" in spec
            or np.abs(table - ROUND[kind](pecli.encode(spec, length=100))).max() < 1e-6
        )
        assert "binary" in spec or found.number_type == kind
    else:
        assert how == "computed" and (name, options - {f"dtype={kind}"}) == parts_of(told)
        assert options >= {f"dtype={kind}"}


@pytest.mark.long
@pytest.mark.parametrize("kind", ROUND)
def test_contexts_that_a_table_leaves_open_are_named(kind: str) -> None:
    found = identify(ROUND[kind](pecli.encode("rope:d=32,scaling=yarn,factor=4,original=4096", length=100)))
    same = [found.encoding, *found.alike]
    assert {each.settings()["original"] for each in same if each} >= {4096, 5120, 6144}
    tables = [ROUND[kind](each.table(np.arange(100.0))) for each in same if each]
    assert all(np.abs(table - tables[0]).max() < 1e-6 for table in tables)
    single = identify(ROUND[kind](pecli.encode("rope:d=128,scaling=yarn,factor=4,original=4096", length=100)))
    assert single.encoding is not None and single.alike == ()


@pytest.mark.long
@pytest.mark.parametrize("kind", ROUND)
def test_a_base_that_grew_draws_the_same_table(kind: str) -> None:
    table = ROUND[kind](pecli.encode("rope:d=64,scaling=dynamic,factor=4,max_position=64", length=200))
    found = identify(table)
    assert found.encoding is not None and found.certain and found.same
    assert found.encoding.settings()["base"] == pytest.approx(10000 * 9.5 ** (64 / 62), rel=2e-2)
    assert np.abs(found.encoding.table(np.arange(200.0)) - table).max() < {"bfloat16": 8e-3, "float16": 1e-3}.get(
        kind, 1e-4
    )


@pytest.mark.some(14)
@pytest.mark.parametrize("kind", ROUND)
@pytest.mark.parametrize("how", ["computed", "cast"])
def test_a_changed_clock_is_a_clock(how: str, kind: str) -> None:
    computed = kind != "float64" and how == "computed"
    asked = f"clock:dtype={kind}" if computed else "clock"
    table = ROUND[kind](pecli.encode(asked, length=128))
    cases = {  # the table, the changes, the position of row 0, the scale
        "8 times": (8 * table, [], 0, 8.0),
        "rows in front": (np.concatenate([np.ones((2, 6)), table]), [], -2, 1.0),
        "a row of zeros": (changed(table, 9, 0.0), [], 0, 1.0),
        "a row left out": (np.delete(table, 80, axis=0), ["moved"], 0, 1.0),
        **{f"sign of {at}": (changed(table, np.s_[:, at], -table[:, at]), ["flipped"], 0, 1.0) for at in (0, 5)},
    }
    for name, (numbers, changes, start, scale) in cases.items():
        found = identify(numbers)
        assert found.encoding is not None and found.certain, name
        specs = {"clock", f"clock:dtype={kind}"} if computed else {"clock"}
        assert found.encoding.spec() in specs, name
        assert ([each.kind for each in found.changes], found.start, found.scale) == (changes, start, scale), name


@pytest.mark.some(3)
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("spec", ["sinusoidal:d=64,family=tensor2tensor", "rope:d=64,base=500000", "rope:d=32"])
def test_columns_in_another_order_that_a_type_makes_alike_are_no_change(spec: str, kind: str) -> None:
    found = identify(ROUND[kind](pecli.encode(spec, length=128))[:, ::-1])
    assert found.fit is not None and found.fit.layout == "permuted"
    assert found.certain and (found.cells, found.changes) == (0, ())


def test_own_tables_are_of_all_encodings() -> None:
    from pecli.encodings.registry import ENCODINGS

    without_formula = {"learned", "xpos"}  # identify looks for waves of one radius; those of xpos decay
    made = {name for name, encoding in ENCODINGS.items() if hasattr(encoding, "table")} - without_formula
    assert made == NAMES == {parts_of(spec)[0] for spec in OWN}


def changed(table: Array, at: Any, numbers: Any) -> Array:
    table = table.copy()
    table[at] = numbers
    return table


def spoiled(table: Array, rng: Generator) -> dict[str, tuple[Array, list[str], Array]]:
    """Return what can happen to a table, (length, d): the table then, the changes that explain it, what differs."""
    length, d = table.shape
    column, other = (int(at) for at in rng.choice(d // 2, 2, replace=False))  # that turn, so that all can be told
    row, late = int(rng.integers(70, 120)), length - 28
    swapped = table[:, [{column: other, other: column}.get(at, at) for at in range(d)]]
    every: dict[str, tuple[Array, list[str]]] = {
        "nothing": (table, []),
        "cell": (changed(table, (row, column), 9.0), []),
        "column sign": (changed(table, (slice(None), column), -table[:, column]), ["flipped"]),
        "columns exchanged": (swapped, ["exchanged"]),
        "column times 1.1": (changed(table, (slice(None), column), 1.1 * table[:, column]), ["scaled"]),
        "column plus 0.25": (changed(table, (slice(None), column), table[:, column] + 0.25), ["raised"]),
        "column of zeros": (changed(table, (slice(None), column), 0.0), ["zero"]),
        "column wrong from a row on": (changed(table, (slice(late, None), column), rng.normal(size=28)), []),
        "rows from one on": (changed(table, slice(late, None), rng.normal(size=(28, d))), []),
        "block of rows": (changed(table, slice(40, 60), rng.normal(size=(20, d))), []),
        "a row left out": (np.delete(table, row, axis=0), ["moved"]),
    }
    return {name: (made, told, made != table[: len(made)]) for name, (made, told) in every.items()}


FORMULAS = (
    "sinusoidal:d=16,base=100",
    "sinusoidal:d=64,base=500,layout=concatenated",
    "rope:d=32,base=500000",
    "sinusoidal:d=32",
    "sinusoidal:d=48,base=7000,family=tensor2tensor",
)


@pytest.mark.some(28)
@pytest.mark.parametrize("kind", ["float64", "float32", "float16"])
@pytest.mark.parametrize("spec", FORMULAS)
def test_what_is_wrong_in_a_table_does_not_move_the_formula(spec: str, kind: str) -> None:
    rng = np.random.default_rng(len(spec))
    for name, (table, changes, differs) in spoiled(ROUND[kind](pecli.encode(spec, length=128)), rng).items():
        found = identify(ROUND[kind](table))
        assert found.encoding is not None, name
        assert (found.encoding.spec(), found.noise, found.start) == (spec, 0, 0), name
        assert found.certain == (name == "nothing" or bool(changes)), name
        assert [each.kind for each in found.changes] == changes, name
        assert found.correct == (name == "nothing"), name
        wrong = np.zeros(table.shape, dtype=bool)
        wrong[np.ix_(found.rows, found.columns)] = True
        assert not (differs & ~wrong & (np.abs(table - pecli.encode(spec, length=len(table))) > 1e-3)).any(), name
        assert found.cells <= differs.sum(), name


@pytest.mark.long
@pytest.mark.parametrize(
    "scaling",
    [
        "scaling=llama3,factor=8,original=8192,low_freq_factor=1,high_freq_factor=4",
        "scaling=yarn,factor=4,original=4096",
        "scaling=proportional,partial_rotary_factor=0.5",
    ],
)
@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_one_wrong_column_does_not_hide_a_scaled_rope(scaling: str, pairing: str) -> None:
    spec = f"rope:d=64,base=500000,{scaling}" + (",pairing=half" if pairing == "half" else "")
    table, rng = pecli.encode(spec, length=512), np.random.default_rng(5)
    for column in (0, 5, 12):
        wrong = {
            "zero": (np.zeros(512), ["zero"]),
            "copy": (table[:, column + 2], ["copied"]),
            "noise": (table[:, column] + 0.01 * rng.normal(size=512), []),
        }
        for name, (numbers, changes) in wrong.items():
            found = identify(changed(table, (slice(None), column), numbers))
            assert (found.encoding and found.encoding.spec(), found.columns) == (spec, (column,)), (name, column)
            assert [each.kind for each in found.changes] == changes, (name, column)


@pytest.mark.long
@pytest.mark.parametrize("noise", [1e-3, 1e-2, 5e-2])
def test_noise_is_no_other_formula(noise: float) -> None:
    rng, told = np.random.default_rng(3), []
    for spec in FORMULAS:
        found = identify(noisy(pecli.encode(spec, length=128), noise, rng))
        assert not found.certain and not found.correct and found.noise == pytest.approx(noise, rel=0.1)
        told.append(found.encoding.spec() if found.encoding else "")
    assert told == [*FORMULAS]


def test_equal_copies_and_damage_are_named() -> None:
    table = pecli.encode("sinusoidal:d=32", length=80)
    assert "4 equal copies of one table" in pecli.identify(np.stack([table] * 4)).sentence()
    one = table.copy()
    one[7, 5] = 3
    assert "the number that differs" in pecli.identify(one).kept() and not pecli.identify(one).data["same"]
    one[7, 5], one[60:] = table[7, 5], 0
    assert "the rows of zeros" in pecli.identify(one).kept()
