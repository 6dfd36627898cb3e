"""Tests of identify with 300 generated arrays in the forms that programs store, and 100 without formula."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.lazy import Array
from pecli.core.numbers import ROUND
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.spec import read_encoding
from pecli.measures.differences import MAX_CHANGED
from pecli.reports.identify import IdentifyReport, read_and_identify

Generator = np.random.Generator
ROPES = (
    "rope:d={d}",
    "rope:d={d},base=500000",
    "rope:d={d},base=1000000",
    "rope:d={d},base=500000,scaling=llama3,factor=8,original=8192,low_freq_factor=1,high_freq_factor=4",
    "rope:d={d},base=1000000,scaling=yarn,factor=4,original=32768",
    "rope:d={d},scaling=linear,factor=4",
    "rope:d={d},scaling=linear,factor=32",
)
BASES = (100.0, 1000.0, 5000.0, 10000.0, 500000.0)


@dataclass(frozen=True)
class Truth:
    """What a report must say of an array. spec : its encoding, or parts of the spec"""

    spec: tuple[str, ...] = ()
    kept: tuple[str, ...] | None = ()
    start: float | None = 0
    name: str | None = None
    base: float | None = None
    options: tuple[tuple[str, Any], ...] = ()


Case = tuple[Array, Truth]


def options_of(spec: str) -> tuple[str, ...]:
    """Return name and options of a spec."""
    return tuple(re.split(r"[:,](?=[a-z])", spec))


def columns_of(spec: str) -> tuple[str, ...]:
    """Return the options of a rope that a sinusoid has too; one divided rate is a step there."""
    return tuple(option for option in options_of(spec)[1:] if option not in ("scaling=linear", "factor=4"))


def unrelated(rng: Generator) -> Array:
    """Return an array that follows no formula: random, as if learned, or smooth, of any form."""
    n, d = int(rng.integers(20, 300)), 4 * int(rng.integers(2, 33))
    noise, kind = rng.normal(0, 0.02, (n, d)), int(rng.integers(10))
    turned = np.outer(np.arange(n), rng.uniform(0.01, 3, d)) + rng.uniform(0, 6, d)
    smooth = np.cumsum(noise, axis=0)
    arrays = (
        noise,
        smooth,
        smooth[:, :3] @ rng.normal(size=(3, d)),  # few principal components
        np.sin(turned) * rng.uniform(0.2, 2, d),  # waves of any rate, phase and size
        np.cos(turned),
        np.tile(smooth, 2),
        noise + 1j * smooth,
        np.exp(1j * turned),
        np.sort(rng.uniform(0, 1, d))[::-1],  # rates of no base
        np.outer(np.arange(n), np.sort(rng.uniform(0, 1, d))[::-1]),
    )
    return arrays[kind]


def rotary(rng: Generator, length: int | None = None, start: int = 0) -> tuple[Array, Array, str]:
    """Return the cosines and the sines of a rope, (n, d/2) each, and its spec."""
    d = int(rng.choice([64, 128]))
    spec = str(rng.choice(ROPES)).format(d=d)
    table = pecli.encode(
        spec.replace("scaling=yarn", "attention_factor=1,scaling=yarn"),
        length=length or int(rng.integers(300, 700)),
        start=start,
    )
    return table[:, ::2], table[:, 1::2], spec


def typed(table: Array, rng: Generator, *kinds: str) -> Array:
    return ROUND[str(rng.choice(kinds or ("float32", "float64")))](table)


def one_wave(rng: Generator) -> Case:
    cosines, sines, spec = rotary(rng)
    which = int(rng.integers(2))
    copies, table = int(rng.integers(3)), (cosines, sines)[which]
    table = (table, np.tile(table, 2), np.repeat(table, 2, axis=1))[copies]
    kept = ((), ("copied_halves",), ("copied_columns",))[copies] + (("cosines", "sines")[which],)
    return typed(table, rng), Truth(options_of(spec), kept)


def one_wave_computed_in_float32(rng: Generator) -> Case:
    """Return one wave as transformers computes it: rates, positions, angles and waves in float32."""
    d, base = int(rng.choice([64, 96, 128])), float(rng.choice([250000, 500000, 1000000]))
    spec, factor = f"rope:d={d},base={base:.0f}", 1.0
    rates = np.float32(base) ** -(np.arange(0, d, 2, dtype=np.float32) / np.float32(d))
    if rng.integers(2):
        spec += ",scaling=yarn,factor=4,original=32768"
        rates = (rates * (rates_of(spec) / paper(d, base))).astype(np.float32)
        factor = 1.1386294361119891
    turned = np.outer(np.arange(rng.choice([64, 256, 1024]), dtype=np.float32), rates)
    at = int(rng.integers(2))
    table = (np.cos, np.sin)[at](np.tile(turned, 2)) * np.float32(factor)
    return table, Truth(options_of(spec), ("copied_halves", ("cosines", "sines")[at]), base=base)


def one_wave_in_bfloat16(rng: Generator) -> Case:
    spec = str(rng.choice(["rope:d=128", "rope:d=64", "rope:d=64,base=500000"]))
    table = ROUND["bfloat16"](pecli.encode(spec, length=600))[:, (at := int(rng.integers(2))) :: 2]
    return np.tile(table, 2), Truth(options_of(spec), ("copied_halves", ("cosines", "sines")[at]))


def one_wave_of_rounded_rates(rng: Generator) -> Case:
    d, base = int(rng.choice([64, 128])), float(rng.choice([10000, 500000, 1000000]))
    at = int(rng.integers(3))
    turned = np.arange(500.0)[:, None] * ROUND["bfloat16"](paper(d, base))
    table = (np.cos, np.sin, np.asarray)[at](turned)
    kept = ("copied_halves", ("cosines", "sines", "angles")[at], "bfloat16_rates")
    return typed(np.tile(table, 2), rng, "float32"), Truth(("rope", f"d={d}"), kept, base=base)


def copied(rng: Generator) -> Case:
    cosines, sines, spec = rotary(rng)
    halves = bool(rng.integers(2))
    table = np.hstack([np.tile(each, 2) if halves else np.repeat(each, 2, axis=1) for each in (cosines, sines)])
    return typed(table, rng), Truth(columns_of(spec), ("copied_halves" if halves else "copied_columns",))


def vllm(rng: Generator) -> Case:
    cosines, sines, spec = rotary(rng)
    return typed(np.hstack([cosines, sines]), rng, "float32", "float64", "bfloat16"), Truth(columns_of(spec))


def freqs_cis(rng: Generator) -> Case:
    cosines, sines, spec = rotary(rng)
    return (cosines + 1j * sines).astype(str(rng.choice(["complex64", "complex128"]))), Truth(
        columns_of(spec), ("complex",)
    )


def view_as_real(rng: Generator) -> Case:
    cosines, sines, spec = rotary(rng)
    array = np.stack([cosines, sines], axis=-1)
    if rng.integers(3) == 0:
        return np.stack([cosines, sines]), Truth(columns_of(spec), ("pairs_in_front",))
    return typed(array, rng), Truth(columns_of(spec), ("pairs",))


def rotation_matrices(rng: Generator) -> Case:
    cosines, sines, spec = rotary(rng)
    array = np.stack([np.stack([cosines, sines], -1), np.stack([-sines, cosines], -1)], -1)
    return typed(array, rng), Truth(columns_of(spec), ("rotations",))


def angle_tables(rng: Generator) -> Case:
    d, n, start = int(rng.choice([64, 128])), int(rng.integers(40, 600)), int(rng.choice([0, 0, 1, 7]))
    spec = str(rng.choice(ROPES)).format(d=d)
    rates = rates_of(spec)
    table = (start + np.arange(n))[:, None] * rates
    copies = int(rng.integers(3))
    table = (table, np.tile(table, 2), np.repeat(table, 2, axis=1))[copies]
    kept = ((), ("copied_halves",), ("copied_columns",))[copies] + ("angles",)
    return typed(table, rng), Truth(options_of(spec), kept, start)


def rate_vectors(rng: Generator) -> Case:
    d = int(rng.choice([64, 128]))
    spec = str(rng.choice(ROPES)).format(d=d)
    return typed(rates_of(spec), rng), Truth(options_of(spec), (), None)


def rates_of(spec: str) -> Array:
    encoding = read_encoding(spec)
    assert isinstance(encoding, Harmonic)
    return encoding.frequencies()


def tensor2tensor_rates(rng: Generator) -> Case:
    d, base = int(rng.choice([64, 128, 512])), float(rng.choice([1000, 10000]))
    rates = base ** -(np.arange(d // 2) / (d // 2 - 1))
    return typed(rates, rng), Truth(("sinusoidal", "family=tensor2tensor"), (), None, base=base)


def divisors(rng: Generator) -> Case:
    d, factor = int(rng.choice([64, 128])), int(rng.choice([8, 32]))
    spec = f"rope:d={d},base=500000,scaling=llama3,factor={factor},original=8192,low_freq_factor=1,high_freq_factor=4"
    numbers = rates_of(f"rope:d={d},base=500000") / rates_of(spec)
    return typed(numbers, rng, "float32"), Truth(options_of(spec), ("divisors",), None)


def slopes(rng: Generator) -> Case:
    heads = int(rng.choice([4, 8, 12, 16, 32, 40, 64]))
    power = 2 ** int(np.log2(heads))
    numbers = [2.0 ** (-8 * (h + 1) / power) for h in range(power)]
    numbers += [2.0 ** (-4 * (2 * h + 1) / power) for h in range(heads - power)]
    return typed(np.array(numbers), rng), Truth(
        ("alibi",) + ((f"heads={heads}",) if heads != 8 else ()), ("slopes",), None
    )


def waves(places: Array, rates: Array, layout: str) -> Array:
    """Return sines and cosines of places (n,), interleaved or concatenated."""
    turned = np.outer(places, rates)
    parts = [np.sin(turned), np.cos(turned)]
    return np.hstack(parts) if layout == "concatenated" else np.stack(parts, -1).reshape(len(places), -1)


def paper(d: int, base: float) -> Array:
    return base ** (-np.arange(0, d, 2) / d)


def some(rng: Generator) -> tuple[int, int, float, str]:
    return (
        int(rng.integers(40, 300)),
        2 * int(rng.integers(8, 65)),
        float(rng.choice(BASES)),
        str(rng.choice(["interleaved", "concatenated"])),
    )


def descending(rng: Generator) -> Case:
    n, d, base, layout = some(rng)
    return typed(waves(np.arange(n)[::-1], paper(d, base), layout), rng), Truth(
        ("sinusoidal",), ("rows_reversed",), n - 1, name="paper", base=base
    )


def centred(rng: Generator) -> Case:
    n, d, base, layout = some(rng)
    places = np.arange(n) - (n - 1) / 2
    return typed(waves(places, paper(d, base), layout), rng), Truth(
        ("sinusoidal",), None, places[0], name="paper", base=base
    )


def started(rng: Generator) -> Case:
    n, d, base, layout = some(rng)
    start = int(10 ** rng.uniform(3, 6))
    return waves(start + np.arange(n), paper(d, base), layout), Truth(
        ("sinusoidal",), (), start, name="paper", base=base
    )


def grid_table(down: Array, across: Array, rates: Array, layout: str = "concatenated", first: str = "column") -> Array:
    rows, columns = waves(down, rates, layout), waves(across, rates, layout)
    parts = [np.tile(columns, (len(rows), 1)), np.repeat(rows, len(columns), axis=0)]
    return np.hstack(parts if first == "column" else parts[::-1])


def sides(rng: Generator) -> tuple[int, int]:
    h, w = (int(each) for each in rng.integers(7, 33, 2))
    return h, w


def simple_vit(rng: Generator) -> Case:
    (h, w), d = sides(rng), int(rng.choice([32, 64, 128]))
    rates = 10000.0 ** -(np.arange(d // 4) / (d // 4 - 1))
    table = grid_table(np.arange(h), np.arange(w), rates)
    return typed(table, rng), Truth(("sincos2d", f"grid={h}x{w}"), (), name="tensor2tensor", base=10000.0)


def scaled_grid(rng: Generator) -> Case:
    (h, w), d = sides(rng), int(rng.choice([32, 64, 128]))
    step = float(rng.choice([0.5, 0.25, 2.0]))
    table = grid_table(step * np.arange(h), step * np.arange(w), paper(d // 2, 10000.0))
    return typed(table, rng), Truth(
        ("sincos2d", f"grid={h}x{w}", f"grid_step={step:g}"), (), base=10000.0, name="paper"
    )


def crop(rng: Generator) -> Case:
    (h, w), d = sides(rng), int(rng.choice([32, 64, 128]))
    top, left = (int(each) for each in rng.integers(1, 60, 2))
    table = grid_table(top + np.arange(h), left + np.arange(w), paper(d // 2, 10000.0))
    table = table if rng.integers(2) else table.reshape(h, w, d)
    return typed(table, rng), Truth(
        ("sincos2d", f"grid={h}x{w}", f"grid_start={top}" + f",{left}" * (top != left)),
        None,
        base=10000.0,
        name="paper",
    )


def one_axis(rng: Generator) -> Case:
    (h, w), d = sides(rng), int(rng.choice([32, 64, 128]))
    table, first = grid_table(np.arange(h), np.arange(w), paper(d // 2, 10000.0)), int(rng.integers(2))
    half = np.hsplit(table, 2)[first]
    return typed(half, rng), Truth(
        ("sinusoidal",), (("rows_tiled", "rows_repeated")[first],), base=10000.0, name="paper"
    )


def exchanged_axes(rng: Generator) -> Case:
    (h, w), d = sides(rng), int(rng.choice([32, 64, 128]))
    table = grid_table(np.arange(h), np.arange(w), paper(d // 2, 10000.0), first="row")
    return typed(table, rng), Truth(("sincos2d", "first=row"), (), base=10000.0, name="paper")


def loftr(rng: Generator) -> Case:
    (h, w), d, slip = sides(rng), 4 * int(rng.integers(8, 33)), bool(rng.integers(2))
    rates = np.exp(
        np.arange(0, d // 2, 2) * ((-np.log(10000.0) / (d // 2) // 2) if slip else (-np.log(10000.0) / (d // 2)))
    )
    rates = rates if not slip else np.exp(np.arange(0, d // 2, 2) * -1.0)
    x, y = np.meshgrid(np.arange(1, w + 1), np.arange(1, h + 1))
    array = np.empty((d, h, w))
    array[0::4], array[1::4] = np.sin(rates[:, None, None] * x), np.cos(rates[:, None, None] * x)
    array[2::4], array[3::4] = np.sin(rates[:, None, None] * y), np.cos(rates[:, None, None] * y)
    table = array.reshape(d, -1).T
    if rng.integers(2) and d > max(h, w):
        return typed(array, rng), Truth(
            (),
            ("channels_in_front", "columns_in_fours"),
            name="floored" if slip else "paper",
            base=None if slip else 10000.0,
        )
    return typed(table, rng), Truth(
        (), ("columns_in_fours",), name="floored" if slip else "paper", base=None if slip else 10000.0
    )


def nerf(rng: Generator) -> Case:
    n, count, layout = (
        int(rng.integers(30, 200)),
        int(rng.integers(4, 11)),
        str(rng.choice(["interleaved", "concatenated"])),
    )
    places = np.linspace(-1, 1, n) if rng.integers(2) else np.linspace(0, 1, n)
    return typed(waves(places, pi * 2.0 ** np.arange(count), layout), rng), Truth(
        (), ("octaves",), None, name="octaves"
    )


def integer_exponents(rng: Generator) -> Case:
    n, d, base, layout = some(rng)
    return typed(waves(np.arange(n), base ** -(np.arange(0, d, 2) // d).astype(float), layout), rng), Truth(
        (), (), name="integers"
    )


def transposed(rng: Generator) -> Case:
    n, d, base, layout = some(rng)
    return typed(waves(np.arange(n), paper(d, base), layout).T, rng), Truth(
        ("sinusoidal",), ("transposed",), name="paper", base=base
    )


def sine_for_cosine(rng: Generator) -> Case:
    n, d, base, layout = some(rng)
    sines = np.sin(np.outer(np.arange(n), paper(d, base)))
    table = np.tile(sines, 2) if layout == "concatenated" else np.repeat(sines, 2, axis=1)
    return typed(table, rng), Truth(
        (), ("copied_halves" if layout == "concatenated" else "copied_columns", "sines"), base=base
    )


def rounded(rng: Generator) -> Case:
    n, d, base, layout = some(rng)
    n, d, what = n + 300, max(d, 32), int(rng.integers(3))
    low = ROUND["bfloat16"]
    rates = low(paper(d, base)) if what == 0 else paper(d, base)
    places = np.arange(float(n))
    turned = (low(places) if what == 1 else places)[:, None] * rates
    turned = low(turned) if what == 2 else turned
    parts = [np.sin(turned), np.cos(turned)]
    table = np.hstack(parts) if layout == "concatenated" else np.stack(parts, -1).reshape(n, -1)
    return typed(table, rng, "float32", "bfloat16"), Truth(
        (), (f"bfloat16_{('rates', 'positions', 'angles')[what]}",), base=base
    )


def mixed(rng: Generator) -> Case:
    cosines, sines, spec = rotary(rng)
    table = np.hstack([np.repeat(cosines, 2, axis=1), np.tile(sines, 2)])
    return typed(table, rng), Truth(columns_of(spec), ("mixed_pairings",))


def doubled(rng: Generator) -> Case:
    n, d, _, layout = some(rng)
    return typed(waves(np.arange(n), 10000.0 ** (-2 * np.arange(0, d, 2) / d), layout), rng), Truth(
        (), (), name="doubled", base=10000.0
    )


KINDS: dict[Callable[[Generator], Case], int] = {
    one_wave: 16, one_wave_computed_in_float32: 8, one_wave_in_bfloat16: 6, one_wave_of_rounded_rates: 6,
    copied: 10, vllm: 20, freqs_cis: 16, view_as_real: 16, rotation_matrices: 6,
    angle_tables: 16, rate_vectors: 16, tensor2tensor_rates: 4, divisors: 10, slopes: 10, descending: 10, centred: 10,
    started: 12, simple_vit: 10, scaled_grid: 8, crop: 10, one_axis: 6, exchanged_axes: 6, loftr: 10, nerf: 10,
    integer_exponents: 6,
    transposed: 8, sine_for_cosine: 6, rounded: 16, mixed: 6, doubled: 6,
}  # fmt: skip


def mistakes(report: IdentifyReport, truth: Truth) -> list[str]:
    """Return what a report says that is not so."""
    data, found = report.data, report.found
    spec = options_of(data["spec"]) if data["spec"] else ()
    told = []
    if not found.certain:
        return ["nothing"]
    told += [f"{option} of {data['spec']}" for option in truth.spec if option not in spec and option != "d=128"]
    if truth.kept is not None and (kept := found.kept) != truth.kept:
        told.append(f"kept {kept} for {truth.kept}")
    if truth.start is not None and data["first_position"] not in (truth.start, None):
        told.append(f"start {data['first_position']} for {truth.start}")
    if truth.name is not None and [each["name"] for each in data["names"]][:1] != [truth.name]:
        told.append(f"{data['names']} for {truth.name}")
    if truth.base is not None and not any(abs((each["base"] or 0) / truth.base - 1) < 1e-6 for each in data["names"]):
        told.append(f"{data['names']} for base {truth.base}")
    return told


def counted(seed: int, every: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """Return how many of each kind are right, undecided and wrong, of every so many arrays, and what was not right."""
    rng, counts, lines = np.random.default_rng(seed), dict[str, Counter[str]](), []
    for at, kind in enumerate(kind for kind, count in KINDS.items() for _ in range(count)):
        array, truth = kind(rng)
        if at % every:
            continue
        why = mistakes(report := read_and_identify(array), truth)
        verdict = "right" if not why else "undecided" if why == ["nothing"] else "wrong"
        counts.setdefault(kind.__name__, Counter())[verdict] += 1
        if why:
            lines.append(f"{verdict}: {kind.__name__} {array.dtype} {array.shape} {report.data['spec']} {truth}: {why}")
    return counts, lines


@pytest.mark.some(2)
@pytest.mark.parametrize("every", [100, 1])
def test_300_arrays_of_programs_are_known(every: int) -> None:
    counts, lines = counted(35, every)
    total = sum(counts.values(), Counter[str]())
    assert total.total() == 300 // every
    assert total["wrong"] == 0, "\n".join(lines)
    assert total["right"] >= total.total() * 29 / 30, "\n".join(lines)


@pytest.mark.some(7)
@pytest.mark.parametrize(
    ("form", "kept"),
    [
        (lambda turned: turned, ("angles",)),  # Qwen2-VL
        (lambda turned: np.cos(np.tile(turned, 2)), ("copied_halves", "cosines")),
        (lambda turned: np.sin(np.repeat(turned, 2, axis=1)), ("copied_columns", "sines")),
        (lambda turned: np.hstack([np.cos(turned), np.sin(turned)]), ()),
        (lambda turned: np.exp(1j * turned).reshape(6, 9, -1), ("complex",)),  # Pixtral
    ],
)
@pytest.mark.parametrize("axes", ["", ",axes=alternating"])
def test_rope_on_a_grid_is_known_in_the_forms_of_programs(form: Any, kept: tuple[str, ...], axes: str) -> None:
    spec = f"rope:d=32,base=500,grid=6x9{axes}"
    rope: Any = read_encoding(spec)
    turned = rope.coordinates(np.arange(54)) * rope.frequencies()
    report = read_and_identify(form(turned))
    assert mistakes(report, Truth(options_of(spec), kept)) == []


@pytest.mark.some(16)
@pytest.mark.parametrize(
    ("form", "kept"),  # of the cosines and sines of the 8 pairs that rotate, and those of the 24 others
    [
        (lambda cos, sin, one, zero: np.hstack([cos, sin, one, zero]), ()),
        (lambda cos, sin, one, zero: np.hstack([cos, one, sin, zero]), ()),
        (lambda cos, sin, one, zero: np.hstack([cos, sin, np.dstack([one, zero]).reshape(len(one), -1)]), ()),
        (lambda cos, sin, one, zero: np.dstack([np.hstack([cos, one]), np.hstack([sin, zero])]).reshape(512, -1), ()),
        (lambda cos, sin, one, zero: np.hstack([sin, cos, zero, one]), ("sines_first",)),
        (lambda cos, _, one, __: np.hstack([cos, one]), ("cosines",)),
        (lambda _, sin, __, zero: np.hstack([sin, zero]), ("sines",)),
        (lambda cos, _, one, __: np.hstack([cos, cos, one, one]), ("copied_halves", "cosines")),
    ],
)
@pytest.mark.parametrize("spec", ["rope:d=64,rotary_dim=16", "rope:d=64,base=500000,rotary_dim=16"])
def test_columns_that_stand_still_beside_a_rope_are_known(form: Any, kept: tuple[str, ...], spec: str) -> None:
    rope: Any = pecli.encoding(spec)
    turned = np.outer(np.arange(512), rope.frequencies())
    ones, zeros = np.ones((512, 24)), np.zeros((512, 24))
    array = form(np.cos(turned), np.sin(turned), ones, zeros).astype(np.float32)
    report = read_and_identify(array)
    assert mistakes(report, Truth(options_of(spec), ("standing_columns", *kept))) == []
    array[100, -1] = 0.5  # one wrong cell, so that its column does not stand still
    wrong = read_and_identify(array).found
    assert not wrong.certain or len({*wrong.columns}) <= MAX_CHANGED


@pytest.mark.some(2)
@pytest.mark.parametrize("count", [4, 100])
def test_arrays_that_follow_no_formula_have_no_name(count: int) -> None:
    rng = np.random.default_rng(36)
    told = [read_and_identify(unrelated(rng)).found for _ in range(count)]
    assert [(each.encoding, each.kept) for each in told if each.encoding] == []
