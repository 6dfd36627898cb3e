"""RoPE: rotations, what they keep, and the numbers of two libraries."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.positions import Blocks
from pecli.encodings.rope import Rope
from pecli.measures.pairwise import MEASURES, by_offset

DATA = Path(__file__).parents[1] / "data"
PAIRINGS = ["interleaved", "half"]
D = 14  # seven pairs

both = pytest.mark.parametrize("pairing", PAIRINGS)
several = pytest.mark.parametrize("seed", range(5))


def f(rope: Rope, x: Array, position: float) -> Array:
    """f(x, p) of one vector."""
    return rope.rotate(x[None], np.array([position], dtype=float))[0]


def vectors(seed: int, count: int = 2) -> Array:
    """Queries and keys."""
    return np.random.default_rng(seed).standard_normal((count, D))


# RoFormer's identities


@both
@several
def test_the_norm_is_kept(pairing: str, seed: int) -> None:
    x = vectors(seed, 37)
    rotated = Rope(d=D, pairing=pairing).rotate(x, np.arange(37) * 1009)
    assert np.linalg.norm(rotated, axis=1) == pytest.approx(np.linalg.norm(x, axis=1), rel=1e-14)


@both
def test_position_0_changes_nothing(pairing: str) -> None:
    q, _ = vectors(0)
    assert np.array_equal(f(Rope(d=D, pairing=pairing), q, 0), q)


@both
@several
@pytest.mark.parametrize(("m", "n"), [(0, 0), (5, 2), (2, 5), (97, 11), (0, 1000)])
def test_the_score_depends_on_the_offset_alone(pairing: str, seed: int, m: int, n: int) -> None:
    rope, (q, k) = Rope(d=D, pairing=pairing), vectors(seed)
    score = f(rope, q, m) @ f(rope, k, n)
    for shift in (1, 13, 10**6, -50):
        assert f(rope, q, m + shift) @ f(rope, k, n + shift) == pytest.approx(score, abs=1e-12)
    assert f(rope, q, m - n) @ k == pytest.approx(score, abs=1e-12)


@both
def test_another_offset_is_another_score(pairing: str) -> None:
    rope, (q, k) = Rope(d=D, pairing=pairing), vectors(3)
    scores = [float(f(rope, q, 0) @ f(rope, k, n)) for n in range(11)]
    assert len({round(score, 6) for score in scores}) == 11


def test_angles_of_one_pairing_under_the_rotation_of_the_other_lose_the_offset() -> None:
    """The mix that is found in the wild: cos and sin repeated pairwise, columns swapped by halves."""
    angles = np.repeat(Rope(d=D).frequencies(), 2)

    def mixed(x: Array, p: int) -> Array:
        return x * np.cos(angles * p) + np.concatenate([-x[D // 2 :], x[: D // 2]]) * np.sin(angles * p)

    q, k = vectors(1)
    assert abs(mixed(q, 5) @ mixed(k, 2) - mixed(q, 15) @ mixed(k, 12)) > 0.1


# the matrix


def test_the_matrix_is_the_papers_block_diagonal() -> None:
    position, d = 7, 6
    expected = np.zeros((d, d))
    for j in range(d // 2):
        angle = position * 10000 ** (-2 * j / d)
        block = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        expected[2 * j : 2 * j + 2, 2 * j : 2 * j + 2] = block
    assert Rope(d=d).rotation_matrix(position) == pytest.approx(expected, abs=1e-14)


@both
@several
def test_the_sparse_form_is_the_matrix(pairing: str, seed: int) -> None:
    rope, (q, _) = Rope(d=D, pairing=pairing), vectors(seed)
    for position in (-3, 0, 1, 10**5):
        assert f(rope, q, position) == pytest.approx(rope.rotation_matrix(position) @ q, abs=1e-13)


def test_the_fifth_articles_sparse_form_with_the_minus_that_its_last_pair_lacks() -> None:
    """q ⊗ cos + (−q_1, q_0, −q_3, q_2, …) ⊗ sin; the article ends q_{d−1}, q_{d−2} where −q_{d−1} is meant."""
    q, _ = vectors(2)
    angles = 11 * np.repeat(10000.0 ** (-2 * np.arange(D // 2) / D), 2)
    swapped = np.stack([-q[1::2], q[0::2]], axis=1).reshape(-1)
    assert f(Rope(d=D), q, 11) == pytest.approx(q * np.cos(angles) + swapped * np.sin(angles), abs=1e-13)
    swapped[-2] = q[-1]
    printed = q * np.cos(angles) + swapped * np.sin(angles)
    assert np.linalg.norm(printed) != pytest.approx(np.linalg.norm(q), abs=1e-4)


def test_the_second_articles_rotate_every_two_is_the_half_form() -> None:
    q, _ = vectors(4)
    angles = 11 * np.tile(10000.0 ** (-2 * np.arange(D // 2) / D), 2)
    first, second = np.split(q, 2)
    code = q * np.cos(angles) + np.concatenate([-second, first]) * np.sin(angles)
    assert f(Rope(d=D, pairing="half"), q, 11) == pytest.approx(code, abs=1e-13)
    assert np.abs(f(Rope(d=D), q, 11) - code).max() > 0.1


@both
def test_rotations_add_up(pairing: str) -> None:
    rope = Rope(d=D, pairing=pairing)
    for m, n in [(3, 8), (-4, 4), (10**5, 1)]:
        product = rope.rotation_matrix(m) @ rope.rotation_matrix(n)
        assert product == pytest.approx(rope.rotation_matrix(m + n), abs=1e-13)


@both
def test_the_matrix_is_orthogonal_and_turns_without_mirroring(pairing: str) -> None:
    matrix = Rope(d=D, pairing=pairing).rotation_matrix(29)
    assert matrix.T @ matrix == pytest.approx(np.eye(D), abs=1e-14)
    assert np.linalg.det(matrix) == pytest.approx(1)
    assert pytest.approx(Rope(d=D, pairing=pairing).rotation_matrix(-29), abs=1e-14) == matrix.T


# the two pairings


@several
def test_interleaved_and_half_are_one_permutation_apart(seed: int) -> None:
    interleaved, half = Rope(d=D), Rope(d=D, pairing="half")
    order, (q, _) = half.join(*interleaved.split(np.arange(D))), vectors(seed)  # new[j] = old[2j]
    assert order.tolist() == [*range(0, D, 2), *range(1, D, 2)]
    assert f(half, q[order], 23) == pytest.approx(f(interleaved, q, 23)[order], abs=1e-14)
    assert half.rotation_matrix(23) == pytest.approx(interleaved.rotation_matrix(23)[np.ix_(order, order)], abs=1e-14)


@both
def test_split_and_join_are_inverse(pairing: str) -> None:
    rope, x = Rope(d=D, pairing=pairing), vectors(0, 5)
    assert np.array_equal(rope.join(*rope.split(x)), x)


# other people's numbers


def rotated_as(rope: Rope, x: Array, positions: Array) -> Array:
    """Rotates (batch, head, position, d), each of the batch at its own positions."""
    return np.stack([rope.rotate(one, at) for one, at in zip(x, positions, strict=True)])


@pytest.mark.parametrize("which", ["q", "k"])
def test_llamas_numbers(which: str) -> None:
    with np.load(DATA / "rotary_half_llama.npz") as numbers:
        rope = Rope(d=16, pairing="half")
        assert rope.frequencies() == pytest.approx(numbers["inv_freq"], rel=1e-6)
        rotated = rotated_as(rope, numbers[which], numbers["positions"])
        assert np.abs(rotated - numbers[f"{which}_out"]).max() < 1e-6


@pytest.mark.parametrize("which", ["q", "k"])
def test_gpt_js_numbers(which: str) -> None:
    with np.load(DATA / "rotary_interleaved_gptj.npz") as numbers:
        x, expected = (numbers[name].swapaxes(1, 2) for name in (which, f"{which}_out"))
        rotated = rotated_as(Rope(d=16), x, numbers["positions"])
        assert np.abs(rotated - expected).max() < 1e-6


def test_each_librarys_numbers_need_its_own_pairing() -> None:
    with np.load(DATA / "rotary_half_llama.npz") as numbers:
        rotated = rotated_as(Rope(d=16), numbers["q"], numbers["positions"])
        assert np.abs(rotated - numbers["q_out"]).max() > 1


# any x


@both
@pytest.mark.parametrize("leading", [(), (2,), (2, 3)], ids=str)
def test_any_leading_axes_are_kept(pairing: str, leading: tuple[int, ...]) -> None:
    rope, positions = Rope(d=D, pairing=pairing), np.arange(5) * 7
    x = np.random.default_rng(0).standard_normal((*leading, 5, D))
    rotated = rope.rotate(x, positions)
    assert rotated.shape == x.shape
    last = (-1,) * len(leading)
    expected = np.array([f(rope, row, 7 * i) for i, row in enumerate(x[last])])
    assert rotated[last] == pytest.approx(expected, abs=1e-15)


def test_float32_is_rotated_in_float64_and_x_is_left_alone() -> None:
    x = vectors(0, 3).astype(np.float32)
    kept = x.copy()
    rotated = Rope(d=D).rotate(x, np.arange(3))
    assert rotated.dtype == np.float64
    assert np.array_equal(x, kept)


@both
def test_one_vector_may_be_turned_by_many_positions(pairing: str) -> None:
    rope, positions, x = Rope(d=D, pairing=pairing), np.arange(-5.0, 18), vectors(3, 1)
    assert np.array_equal(rope.rotate(x, positions), rope.rotate(np.tile(x, (23, 1)), positions))
    assert np.array_equal(rope.rotate(x, positions), rope.rotate(x[0], positions))


@both
def test_one_position_may_turn_many_vectors_and_each_row_of_several_has_its_own(pairing: str) -> None:
    rope, x = Rope(d=D, pairing=pairing), vectors(3, 6)
    assert np.array_equal(rope.rotate(x, 9), rope.rotate(x, np.full(6, 9)))
    assert np.array_equal(rope.rotate(x[0], 9), rope.rotate(x[:1], np.array([9]))[0])
    rows = np.arange(6)
    assert np.array_equal(rope.rotate(x.reshape(2, 3, D), rows.reshape(2, 3))[1], rope.rotate(x, rows)[3:])


def test_another_number_of_vectors_than_of_positions_is_refused() -> None:
    with pytest.raises(UsageError, match="one vector a position: 2 for 3 are given"):
        Rope(d=D).rotate(np.zeros((2, D)), np.arange(3))
    with pytest.raises(UsageError, match="one vector a position: 2×3 for 3×2 are given"):
        Rope(d=D).rotate(np.zeros((2, 3, D)), np.zeros((3, 2)))


@pytest.mark.parametrize("width", [D - 2, D + 2, 1])
def test_vectors_of_another_width_are_refused(width: int) -> None:
    with pytest.raises(UsageError, match=f"rotate .* d = 14 numbers, {width} are given"):
        Rope(d=D).rotate(np.zeros((3, width)), np.arange(3))
    with pytest.raises(UsageError, match=f"reordered .* d = 14 numbers, {width} are given"):
        Rope(d=D).reordered(np.zeros((3, width)), "half")


@pytest.mark.parametrize("d", [1, 3, 127])
def test_an_odd_d_is_refused(d: int) -> None:
    with pytest.raises(UsageError, match=f"d={d} is not allowed: it takes an even d"):
        Rope(d=d)


@pytest.mark.parametrize(
    ("given", "said"),
    [({"pairing": "neox"}, "interleaved, half"), ({"base": 0}, "base=0"), ({"d": 0}, "d=0"), ({"d": -2}, "d=-2")],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Rope.make(given)


# the table


@both
def test_the_table_is_the_rotation_of_1_0_in_every_pair(pairing: str) -> None:
    rope, positions = Rope(d=D, pairing=pairing), np.arange(-3.0, 20)
    unit = rope.join(np.ones(D // 2), np.zeros(D // 2))
    expected = rope.rotate(np.tile(unit, (23, 1)), positions)
    assert rope.table(positions) == pytest.approx(expected, abs=1e-15)


def test_the_table_of_1_0_is_the_sinusoid_with_its_pairs_swapped() -> None:
    rope, sinusoidal = pecli.encode("rope", d=D, length=23), pecli.encode("sinusoidal", d=D, length=23)
    assert np.array_equal(rope[:, 0::2], sinusoidal[:, 1::2])
    assert np.array_equal(rope[:, 1::2], sinusoidal[:, 0::2])


@both
@several
def test_the_table_of_a_random_query_is_its_rotation(pairing: str, seed: int) -> None:
    rope, positions = Rope(d=D, pairing=pairing, query=f"random:{seed}"), np.arange(23.0)
    assert rope.table(np.zeros(1))[0] == pytest.approx(rope.vector, abs=1e-14)
    assert rope.table(positions) == pytest.approx(rope.rotate(np.tile(rope.vector, (23, 1)), positions), abs=1e-14)


def test_a_random_query_is_its_seeds_own() -> None:
    first, same, other = (Rope(d=D, query=f"random:{seed}").vector for seed in (3, 3, 4))
    assert np.array_equal(first, same)
    assert not np.any(first == other)


@both
@pytest.mark.parametrize("name", ["q.npy", "q.csv"])
def test_the_table_of_a_files_query_is_its_rotation(pairing: str, name: str, tmp_path: Path) -> None:
    query, path = vectors(6)[:1], tmp_path / name
    np.save(path, query) if name.endswith("npy") else np.savetxt(path, query, delimiter=",")
    rope = Rope(d=D, pairing=pairing, query=str(path))
    positions = np.arange(23.0)
    assert rope.table(positions) == pytest.approx(rope.rotate(np.tile(query[0], (23, 1)), positions), abs=1e-14)


def test_a_column_of_numbers_is_a_query_too(tmp_path: Path) -> None:
    query = vectors(6)[0]
    np.savetxt(tmp_path / "q.csv", query)
    assert np.array_equal(Rope(d=D, query=str(tmp_path / "q.csv")).vector, query)


def test_a_query_of_another_size_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "q.npy", np.zeros((1, D + 1)))
    with pytest.raises(UsageError, match=r"q\.npy' holds 15 numbers, not d = 14"):
        pecli.encode("rope", d=D, query=str(tmp_path / "q.npy"), length=3)


@pytest.mark.parametrize("query", ["random:", "random:-1", "random:x", "random:1.5", "random:10000000000"])
def test_a_seed_that_is_none_is_refused(query: str) -> None:
    with pytest.raises(UsageError, match="SEED a whole number"):
        Rope(query=query)


def test_a_seed_has_up_to_nine_digits() -> None:
    assert Rope(query="random:999999999").vector.shape == (128,)
    with pytest.raises(UsageError, match="SEED a whole number"):
        Rope(query="random:1000000000")


def test_the_querys_file_is_an_input_and_random_is_none(tmp_path: Path) -> None:
    path = tmp_path / "q.npy"
    np.save(path, vectors(0)[:1])
    assert Rope(d=D, query=str(path)).inputs() == (str(path),)
    assert Rope(query="random:1").inputs() == Rope().inputs() == ()


@both
@pytest.mark.parametrize("query", [None, "random:2"])
@pytest.mark.parametrize("blocks", [Blocks(0, 101, 7), Blocks(-50, 97, 97), Blocks(10**12, 64, 13)], ids=str)
def test_block_means_are_the_brute_force(pairing: str, query: str | None, blocks: Blocks) -> None:
    rope = Rope(d=D, pairing=pairing, query=query)
    table = rope.table(np.arange(blocks.start, blocks.start + blocks.length, dtype=float))
    cuts = np.split(table, range(blocks.size, blocks.length, blocks.size))
    assert rope.mean_table(blocks) == pytest.approx(np.array([part.mean(axis=0) for part in cuts]), abs=1e-12)


@both
@pytest.mark.parametrize("query", [None, "random:2"])
def test_distances_in_closed_form_are_those_of_the_table(pairing: str, query: str | None) -> None:
    rope = Rope(d=D, pairing=pairing, query=query)
    table = rope.table(np.arange(37.0))
    assert rope.invariant
    assert rope.squares(37) == pytest.approx(((table - table[0]) ** 2).sum(axis=1), abs=1e-12)
    assert by_offset(rope, MEASURES["dot"], 37) == pytest.approx(table @ table[0], abs=1e-12)
    assert rope.limit is not None
    assert np.abs(table).max() <= rope.limit + 1e-12


# from one pairing to the other


@both
def test_vectors_change_from_one_pairing_to_the_other_and_back(pairing: str) -> None:
    rope, x = Rope(d=D, pairing=pairing), vectors(3, 5)
    (other,) = {"interleaved", "half"} - {pairing}
    assert np.array_equal(replace(rope, pairing=other).reordered(rope.reordered(x, other), pairing), x)
    assert np.array_equal(rope.reordered(x, pairing), x)
    turned = replace(rope, pairing=other).rotate(rope.reordered(x, other), np.arange(5.0))
    assert turned == pytest.approx(rope.reordered(rope.rotate(x, np.arange(5.0)), other), abs=1e-14)


@both
def test_columns_that_do_not_turn_keep_their_places(pairing: str) -> None:
    rope, x = Rope(d=8, rotary_dim=4, pairing=pairing), np.arange(8.0)[None]
    (other,) = {"interleaved", "half"} - {pairing}
    assert sorted(rope.reordered(x, other)[0, :4]) == [0, 1, 2, 3]
    assert rope.reordered(x, other)[0].tolist() != x[0].tolist()
    assert rope.reordered(x, other)[0, 4:].tolist() == [4, 5, 6, 7]


def test_an_unknown_pairing_is_refused() -> None:
    with pytest.raises(UsageError, match="pairing"):
        Rope(d=4).reordered(np.ones((1, 4)), "quarter")


def test_the_object_is_had_by_its_spec() -> None:
    rope = pecli.encoding("rope:d=6,base=10", pairing="half")
    assert rope == Rope(d=6, base=10, pairing="half")
    assert rope.rotate(np.ones((5, 6)), range(5)).shape == (5, 6)
    assert pecli.encoding("alibi:heads=2").bias(np.array([1.0])).tolist() == [[-1 / 16], [-1 / 256]]
    with pytest.raises(UsageError, match="d=7"):
        pecli.encoding("rope", d=7)


# in smaller types of numbers


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


def test_bfloat16_breaks_what_depends_on_the_offset_alone() -> None:
    q, k = vectors(0)
    scores = {}
    for dtype in ("float64", "bfloat16"):
        rope = Rope(d=D, dtype=dtype)
        scores[dtype] = [float(f(rope, q, start + 3) @ f(rope, k, start)) for start in (0, 1000, 5000)]
    assert np.ptp(scores["float64"]) < 1e-12
    assert np.ptp(scores["bfloat16"]) > 0.1
