"""Tests of RoPE: properties of rotations, and comparison with two libraries."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.encodings.rope import Rope
from pecli.measures.comparison import VectorComparison

DATA = Path(__file__).parents[1] / "data"
D = 14  # seven pairs
RATES = 10000.0 ** (-2 * np.arange(D // 2) / D)

both = pytest.mark.parametrize("pairing", ["interleaved", "half"])
several = pytest.mark.parametrize("seed", range(3))


def f(rope: Rope, x: Array, position: float) -> Array:
    """f(x, p) of one vector."""
    return rope.rotate(x[None], np.array([position], dtype=float))[0]


def vectors(seed: int, count: int = 2) -> Array:
    """Queries and keys."""
    return np.random.default_rng(seed).standard_normal((count, D))


@pytest.mark.some(7)
@both
@several
@pytest.mark.parametrize(("m", "n"), [(0, 0), (5, 2), (2, 5), (97, 11), (0, 1000)])
def test_the_score_depends_on_the_offset_alone(pairing: str, seed: int, m: int, n: int) -> None:
    rope, (q, k) = Rope(d=D, pairing=pairing), vectors(seed)
    score = f(rope, q, m) @ f(rope, k, n)
    for shift in (13, 10**6, -50, -n):
        assert f(rope, q, m + shift) @ f(rope, k, n + shift) == pytest.approx(score, abs=1e-12)


@both
@several
def test_the_matrix_is_the_rotation_orthogonal_and_adds_up(pairing: str, seed: int) -> None:
    rope, (q, _) = Rope(d=D, pairing=pairing), vectors(seed)
    for m, n in [(3, 8), (-4, 4), (10**5, 1)]:
        first, second = rope.rotation_matrix(m), rope.rotation_matrix(n)
        assert f(rope, q, m) == pytest.approx(first @ q, abs=1e-13)
        assert first @ second == pytest.approx(rope.rotation_matrix(m + n), abs=1e-13)
        assert first.T @ first == pytest.approx(np.eye(D), abs=1e-14) and np.linalg.det(first) == pytest.approx(1)


def test_the_fifth_articles_sparse_form_with_the_minus_that_its_last_pair_lacks() -> None:
    """q ⊗ cos + (−q_1, q_0, −q_3, q_2, …) ⊗ sin; the article ends q_{d−1}, q_{d−2} where −q_{d−1} is meant."""
    q, _ = vectors(2)
    angles = 11 * np.repeat(RATES, 2)
    swapped = np.stack([-q[1::2], q[0::2]], axis=1).reshape(-1)
    assert f(Rope(d=D), q, 11) == pytest.approx(q * np.cos(angles) + swapped * np.sin(angles), abs=1e-13)
    swapped[-2] = q[-1]
    printed = q * np.cos(angles) + swapped * np.sin(angles)
    assert np.linalg.norm(printed) != pytest.approx(np.linalg.norm(q), abs=1e-4)


def test_the_second_articles_rotate_every_two_is_the_half_form() -> None:
    q, _ = vectors(4)
    angles = 11 * np.tile(RATES, 2)
    first, second = np.split(q, 2)
    code = q * np.cos(angles) + np.concatenate([-second, first]) * np.sin(angles)
    assert f(Rope(d=D, pairing="half"), q, 11) == pytest.approx(code, abs=1e-13)
    assert np.abs(f(Rope(d=D), q, 11) - code).max() > 0.1


@both
def test_vectors_change_from_one_pairing_to_the_other_and_back(pairing: str) -> None:
    rope, x = Rope(d=D, pairing=pairing), vectors(3, 5)
    (other,) = {"interleaved", "half"} - {pairing}
    assert np.array_equal(rope.join(*rope.split(x)), x)
    assert np.array_equal(replace(rope, pairing=other).reordered(rope.reordered(x, other), pairing), x)
    assert np.array_equal(rope.reordered(x, pairing), x)
    turned = replace(rope, pairing=other).rotate(rope.reordered(x, other), np.arange(5.0))
    assert turned == pytest.approx(rope.reordered(rope.rotate(x, np.arange(5.0)), other), abs=1e-14)
    (partly,) = Rope(d=8, rotary_dim=4, pairing=pairing).reordered(np.arange(8.0)[None], other).tolist()
    assert sorted(partly[:4]) == [0, 1, 2, 3] != partly[:4] and partly[4:] == [4, 5, 6, 7]
    with pytest.raises(UsageError, match="pairing"):
        rope.reordered(x, "quarter")


@pytest.mark.parametrize("which", ["q", "k"])
@pytest.mark.parametrize(("file", "pairing"), [("half_llama", "half"), ("interleaved_gptj", "interleaved")])
def test_is_what_llama_and_gpt_j_ship_each_with_its_own_pairing(file: str, pairing: str, which: str) -> None:
    with np.load(DATA / f"rotary_{file}.npz") as numbers:
        x, expected = numbers[which], numbers[f"{which}_out"]
        if pairing == "interleaved":  # its heads stand behind the positions
            x, expected = x.swapaxes(1, 2), expected.swapaxes(1, 2)
        else:
            assert Rope(d=16).frequencies() == pytest.approx(numbers["inv_freq"], rel=1e-6)
        for item in ("half", "interleaved"):
            at = numbers["positions"][:, None]
            far = np.abs(Rope(d=16, pairing=item).rotate(x, np.broadcast_to(at, x.shape[:-1])) - expected).max()
            assert far < 1e-6 if item == pairing else far > 1


def test_one_vector_turns_by_many_positions_and_many_by_one_under_any_leading_axes() -> None:
    rope, positions, x, rows = Rope(d=D), np.arange(-5.0, 18), vectors(3, 6), np.arange(6)
    item = x[:1]
    assert np.array_equal(rope.rotate(item, positions), rope.rotate(np.tile(item, (23, 1)), positions))
    assert np.array_equal(rope.rotate(item, positions), rope.rotate(item[0], positions))
    assert np.array_equal(rope.rotate(x, 9), rope.rotate(x, np.full(6, 9)))
    assert np.array_equal(rope.rotate(x[0], 9), rope.rotate(item, np.array([9]))[0])
    assert np.array_equal(rope.rotate(x.reshape(2, 3, D), rows.reshape(2, 3))[1], rope.rotate(x, rows)[3:])
    turned = rope.rotate(x.reshape(1, 2, 3, D).astype(np.float32), rows[:3])
    assert turned.shape == (1, 2, 3, D) and turned.dtype == np.float64
    assert turned[0, 1, 2] == pytest.approx(f(rope, x[5], 2), abs=1e-6)


def test_vectors_that_do_not_fit_are_refused() -> None:
    for x, positions, text in (((2, D), (3,), "2 vectors for 3"), ((2, 3, D), (3, 2), "2×3 vectors for 3×2")):
        with pytest.raises(UsageError, match=f"one vector per position, not {text} positions"):
            Rope(d=D).rotate(np.zeros(x), np.zeros(positions))
    for width in (D - 2, D + 2, 1):
        with pytest.raises(UsageError, match=f"rotate .* d = 14 numbers, but {width} are given"):
            Rope(d=D).rotate(np.zeros((3, width)), np.arange(3))
        with pytest.raises(UsageError, match=f"reordered .* d = 14 numbers, but {width} are given"):
            Rope(d=D).reordered(np.zeros((3, width)), "half")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"d": 127}, "d=127 is odd: it takes an even d"),
        ({"pairing": "neox"}, "interleaved, half"),
        *(({"query": f"random:{seed}"}, "SEED is a whole number") for seed in ("", "-1", "x", "1.5", "1000000000")),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Rope.make(given)


def test_the_table_of_1_0_is_the_sinusoid_with_its_pairs_swapped() -> None:
    rope, sinusoidal = pecli.encode("rope", d=D, length=23), pecli.encode("sinusoidal", d=D, length=23)
    assert np.array_equal(rope[:, 0::2], sinusoidal[:, 1::2])
    assert np.array_equal(rope[:, 1::2], sinusoidal[:, 0::2])


@both
@pytest.mark.parametrize("query", [None, "random:2", "random:999999999", "q.npy", "q.csv", "column.csv"])
def test_the_table_is_the_querys_rotation_and_its_closed_forms_hold(
    pairing: str, query: str | None, folder: Path
) -> None:
    given = vectors(6)[0]
    np.save("q.npy", given[None])
    np.savetxt("q.csv", given[None], delimiter=",")
    np.savetxt("column.csv", given)
    rope, positions = Rope(d=D, pairing=pairing, query=query), np.arange(-3.0, 37)
    if query is None:
        given = rope.join(np.ones(D // 2), np.zeros(D // 2))
    is_file = query is not None and "." in query
    assert (query is not None and "random" in query) or np.array_equal(rope.vector, given)
    assert rope.inputs() == ((query,) if is_file else ())
    table = rope.table(positions)
    assert table == pytest.approx(rope.rotate(np.tile(rope.vector, (40, 1)), positions), abs=1e-14)
    assert rope.invariant
    assert rope.squares(40) == pytest.approx(((table - table[0]) ** 2).sum(axis=1), abs=1e-12)
    assert VectorComparison(rope, "dot").at_offsets(0, 40) == pytest.approx(table @ table[0], abs=1e-12)
    assert np.abs(table).max() <= (rope.limit or 0) + 1e-12


def test_a_query_has_a_seed_of_its_own_or_the_right_size(folder: Path) -> None:
    first, same, other = (Rope(d=D, query=f"random:{seed}").vector for seed in (3, 3, 4))
    assert np.array_equal(first, same) and not np.any(first == other)
    np.save("q.npy", np.zeros((1, D + 1)))
    with pytest.raises(UsageError, match=r"q\.npy has 15 numbers, not d = 14"):
        pecli.encode("rope", d=D, query="q.npy", length=3)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_vectors_turn_as_numpy_turns_them_in_that_type(dtype: str) -> None:
    rope, kind, positions = Rope(d=8, base=100, rotary_dim=6, dtype=dtype), np.dtype(dtype), np.arange(50)
    x = np.random.default_rng(1).standard_normal((50, 8))
    angles = positions.astype(kind)[:, None] * rope.frequencies().astype(kind)
    cos, sin = (wave(angles.astype(float)).astype(kind) for wave in (np.cos, np.sin))
    first, second = x[:, 0:6:2].astype(kind), x[:, 1:6:2].astype(kind)
    turned = rope.rotate(x, positions)
    assert np.array_equal(turned[:, 0:6:2], (first * cos - second * sin).astype(float))
    assert np.array_equal(turned[:, 1:6:2], (second * cos + first * sin).astype(float))
    assert np.array_equal(turned[:, 6:], x[:, 6:])
