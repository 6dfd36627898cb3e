"""Tests of every statistic against its definition: closed forms, all pairs, and known matrices."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.positions import Positions
from pecli.encodings.rope import Rope
from pecli.encodings.spec import read_table_encoding
from pecli.jobs.sweep import make_job
from pecli.jobs.text import command
from pecli.measures.pairwise import MEASURES
from pecli.reports.stats import Indicators, indicators, wave_statistics
from tests.conftest import Ask


def measured(spec: str, length: int, start: int = 0, measure: str = "euclidean") -> Indicators:
    positions = Positions(length=length, start=start)
    return indicators(read_table_encoding(spec).fitted(positions), positions, measure, "corr")


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., str]:
    """Return the spec of a learned table that holds the given one, which hides its formula."""

    def save(table: Any) -> str:
        np.save(tmp_path / "table.npy", np.asarray(table, dtype=float))
        return f"learned:file={tmp_path / 'table.npy'}"

    return save


@pytest.mark.some(9)
@pytest.mark.parametrize("measure", ["euclidean", "dot", "cos"])
@pytest.mark.parametrize("spec", ["sinusoidal:d=22,base=10", "clock:periods=7,60", "rope:d=6,query=random:1"])
def test_what_the_formula_proves_is_what_all_pairs_say(saved: Callable[..., str], spec: str, measure: str) -> None:
    proved = measured(spec, 67, measure=measure)
    found = measured(saved(pecli.encode(spec, length=67)), 67, measure=measure)
    assert (proved.spread, proved.mean_spread, proved.asymmetry) == (0, 0, 0)
    assert found.spread == pytest.approx(0, abs=1e-12) and found.asymmetry == pytest.approx(0, abs=1e-12)
    assert found.first_fall == proved.first_fall
    assert found.growing == pytest.approx(proved.growing)
    assert found.smallest_distance == pytest.approx(proved.smallest_distance, abs=1e-9)
    assert found.effective_dimension == pytest.approx(proved.effective_dimension)
    assert found.pearson == pytest.approx(proved.pearson)


@pytest.mark.some(8)
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("spec", ["binary", "sinusoidal:d=7,base=10", "learned:d=5", "relative:d=6"])
def test_the_three_properties_by_brute_force(spec: str, measure: str) -> None:
    positions = Positions(length=13)
    encoding = read_table_encoding(spec).fitted(positions)
    rows = encoding.covered(positions)
    values = MEASURES[measure].between(encoding.table(rows.array()), encoding.table(rows.array()))
    n = len(values)
    bands = [np.diagonal(values, k)[~np.isnan(np.diagonal(values, k))] for k in range(n)]
    bands = [band for band in bands if len(band)]
    whole = max(b.max() for b in bands) - min(b.min() for b in bands)
    widths = [band.max() - band.min() for band in bands]
    ahead = [
        abs(values[p, p + k] - values[p, p - k]) for p in range(n) for k in range(1, n) if p + k < n and p - k >= 0
    ]
    ours = indicators(encoding, positions, measure, "euclidean")
    assert ours.spread == pytest.approx(max(widths) / whole, abs=1e-12)
    assert ours.asymmetry == pytest.approx(np.nanmean(ahead) / whole, abs=1e-12)
    if not np.isnan(values).any():
        assert ours.mean_spread == pytest.approx(np.mean(widths) / whole, abs=1e-12)
        sign = -1 if MEASURES[measure].similarity else 1
        steps = [sign * (b.mean() - a.mean()) for a, b in pairwise(bands)]
        falls = [k for k, step in enumerate(steps, 1) if step < -1e-12 * max(abs(b.mean()) for b in bands)]
        assert ours.first_fall == (falls[0] if falls else None)


@pytest.mark.parametrize("spec", ["binary", "learned:d=3,seed=4", "sinusoidal:d=3"])
@pytest.mark.parametrize("start", [0, 5])
def test_the_closest_positions_are_the_closest(spec: str, start: int) -> None:
    ours = measured(spec, 29, start)
    table = pecli.encode(spec, length=29, start=start)
    pairs = {(p, q): float(np.linalg.norm(table[p] - table[q])) for p in range(29) for q in range(p + 1, 29)}
    assert ours.smallest_distance == pytest.approx(min(pairs.values()))
    assert ours.closest is not None
    assert pairs[ours.closest[0] - start, ours.closest[1] - start] == pytest.approx(min(pairs.values()))


@pytest.mark.parametrize("shape", [(31, 5), (5, 31)])
def test_the_effective_dimension_is_of_the_covariance(saved: Callable[..., str], shape: tuple[int, int]) -> None:
    table = np.random.default_rng(3).normal(2, 1, shape) * np.arange(1, shape[1] + 1)
    eigenvalues = np.linalg.eigvalsh(np.cov(table.T))
    expected = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    assert measured(saved(table), shape[0]).effective_dimension == pytest.approx(expected)


def test_a_constant_table_has_almost_nothing_to_measure(saved: Callable[..., str]) -> None:
    ours = measured(saved(np.full((7, 3), 0.1)), 7)
    assert (ours.spread, ours.asymmetry, ours.effective_dimension, ours.pearson, ours.spearman) == (None,) * 5
    assert (ours.smallest_distance, ours.growing) == (0, 0)


def test_the_correlations_are_the_scatters() -> None:
    for spec in ("sinusoidal:base=10", "binary", "learned"):
        scatter = pecli.figure("scatter", encoding=spec, length=41).numbers.facts()
        ours = measured(spec, 41)
        assert ours.pearson == pytest.approx(scatter["pearson"])
        assert ours.spearman == pytest.approx(scatter["spearman"], abs=1e-4)


def test_json_has_every_result_and_null_where_there_is_none(ask: Ask) -> None:
    answer = ask("stats", "clock", "-e", "binary:d=9", "--length", "1", "--json")
    (data,) = json.loads(answer.out)["results"]
    first, second = data["facts"]["statistics"]
    assert (first["encoding"], second["encoding"]) == ("clock", "binary:d=9")
    assert first["spread"] is None and first["closest"] is None and first["slow_pairs"] == 3
    assert set(first) == {"encoding", *Indicators.__dataclass_fields__}


def test_options_go_to_every_encoding_that_has_them() -> None:
    job = make_job("stats", {"encoding": ["sinusoidal", "clock", "rope:base=10"], "d": 6})
    assert [encoding.settings().get("d") for encoding in job.encodings] == [6, None, 6]
    assert command(job) == "pecli stats sinusoidal:d=6 clock rope:d=6,base=10"
    assert command(make_job("stats", {})) == "pecli stats"


@pytest.mark.long
@pytest.mark.parametrize(
    ("length", "first", "step", "smallest"),
    [(1024, 3900, 5, "4.3e+03"), (2048, 9800, 20, "1.2e+04"), (8192, 83000, 50, "8.4e+04")],
)
def test_the_smallest_base_of_a_length_is_the_published_one(length: int, first: int, step: int, smallest: str) -> None:
    """Men et al. 2024, arXiv:2405.14591, at d = 128: scanned upwards, since the condition is not monotone."""
    scanned = (first + step * at for at in range(400))
    base = next(item for item in scanned if wave_statistics(Rope(d=128, base=item), length)["first_negative"] is None)
    assert f"{base:.1e}" == smallest


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("spec", "length", "expected"),
    [
        ("clock:periods=60", 61, {"first_fall": 31}),  # a hand seems nearer once it has gone half round
        ("clock:periods=1000", 501, {"first_fall": None}),
        ("clock:periods=2100,60", 2101, {"smallest_distance": 0, "closest": (0, 2100), "thinned": 2}),
    ],
)
def test_known_indicators(spec: str, length: int, expected: dict[str, Any]) -> None:
    ours = asdict(measured(spec, length))
    assert {name: ours[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("spec", "length", "expected"),
    [
        ("clock:periods=64,16,4", 16, {"slow_pairs": 1, "pairs": 3, "critical_dimension": None}),
        ("binary", 8, {"slow_pairs": None, "first_negative": None, "longest_wavelength": None}),
        ("sinusoidal:d=7", 9, {"first_negative": None}),  # a sine without its cosine
        ("geometric:d=200", 9, {"longest_wavelength": None}),  # 1/0
        ("rope:d=128", 4096, {"slow_pairs": 18, "pairs": 64, "longest_wavelength": pytest.approx(54_410, rel=1e-5)}),
        ("rope:d=96,base=1e4", 2048, {"critical_dimension": 62}),  # as published
        ("rope:d=128,base=5e5", 8192, {"critical_dimension": 70}),
        ("sinusoidal:d=8,base=1", 7, {"critical_dimension": 8}),  # all pairs of the wavelength 2π
        ("sinusoidal:d=8,base=1", 6, {"critical_dimension": 0}),
        ("sinusoidal:d=8,base=0.5", 6, {"critical_dimension": 6}),  # 2π · 0.5^(j/4): 6.28, 5.28, 4.44, 3.74
        ("sinusoidal:d=8,base=100,step=0.5", 126, {"critical_dimension": 6, "slow_pairs": 1}),  # up to coordinate 63
    ],
)
def test_what_frequencies_say_of_a_length(spec: str, length: int, expected: dict[str, Any]) -> None:
    ours = wave_statistics(read_table_encoding(spec), length)
    assert {name: ours.get(name) for name in expected} == expected


LLAMA = "rope:base=500000,scaling=llama3,factor=8,original=8192,low_freq_factor=1,high_freq_factor=4"
YARN = "rope:base=1e6,scaling=yarn,factor=4,original=32768"
LONG = f"rope:d=8,scaling=longrope,original=64,short_factor={'1,' * 3}1,long_factor={'1,' * 3}9"


@pytest.mark.parametrize(
    ("spec", "length", "expected"),  # original context, slow pairs unscaled in it; extended context, and scaled
    [
        ("rope:base=500000", 8192, (8192, 29, 8192, 29)),
        (LLAMA, 8192, (8192, 29, 8192, 32)),  # factor × original is not its extended context
        (LLAMA, 131072, (8192, 29, 131072, 25)),
        (LLAMA, 100, (8192, 29, None, None)),
        (f"{LLAMA},max_position=131072", 100, (8192, 29, 131072, 25)),
        (YARN, 100, (32768, 24, 131072, 24)),
        ("rope:scaling=linear,factor=4", 4096, (None, None, 4096, 28)),  # it does not say the original one
        ("rope:scaling=dynamic,factor=8,max_position=4096", 4096, (4096, 18, 32768, 22)),
        ("rope:scaling=dynamic,factor=8,max_position=4096,seq_len=8192", 4096, (4096, 18, 8192, 23)),
        (f"{LONG},factor=4", 64, (64, 2, 256, 2)),  # waves of 6.28, 62.8, 628 and 6,283 · 9
        (LONG, 64, (64, 2, 64, 2)),
        ("rope:d=8,scaling=proportional,partial_rotary_factor=0.5", 64, (64, 2, 64, 2)),
    ],
)
def test_unscaled_rates_are_judged_in_the_original_context_and_scaled_ones_in_the_extended(
    spec: str, length: int, expected: tuple[int | None, ...]
) -> None:
    encoding = read_table_encoding(spec)
    ours = wave_statistics(encoding, length)
    assert tuple(ours[name] for name in ("original", "unscaled_slow_pairs", "extended", "slow_pairs")) == expected
    turning = None if expected[1] is None else encoding.width - 2 * expected[1]
    assert ours["critical_dimension"] == turning  # the same pairs, counted as columns
