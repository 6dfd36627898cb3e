"""What every encoding of sines and cosines satisfies, whatever its frequencies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.positions import Blocks
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.pairwise import MEASURES, by_offset

CASES = [(2, 10000), (6, 10), (22, 0.3), (50, 1), (122, 10000), (254, 1e6)]
encodings = pytest.mark.parametrize(
    "encoding", [Sinusoidal(d=d, base=base) for d, base in CASES], ids=lambda encoding: encoding.spec()
)
POSITIONS = np.concatenate([np.arange(-11.0, 90), [1e5 + 3, 1e6 + 3, 1e9 + 7]])


def rates(encoding: Sinusoidal) -> Array:
    return np.array([encoding.base ** (-2 * j / encoding.d) for j in range((encoding.d + 1) // 2)])


@encodings
def test_every_row_has_norm_root_of_half_d(encoding: Sinusoidal) -> None:
    norms = np.linalg.norm(encoding.table(POSITIONS), axis=1)
    assert np.abs(norms - math.sqrt(encoding.d / 2)).max() < 1e-13


@encodings
def test_every_pair_lies_on_the_unit_circle(encoding: Sinusoidal) -> None:
    table = encoding.table(POSITIONS)
    assert np.abs(table[:, 0::2] ** 2 + table[:, 1::2] ** 2 - 1).max() < 1e-15 * 4


@encodings
def test_the_gram_matrix_is_toeplitz_with_half_d_on_the_diagonal(encoding: Sinusoidal) -> None:
    table = encoding.table(np.arange(101.0))
    gram = table @ table.T
    assert np.abs(gram[1:, 1:] - gram[:-1, :-1]).max() < 1e-12
    assert np.abs(np.diag(gram) - encoding.d / 2).max() < 1e-12


@encodings
@pytest.mark.parametrize("offset", [1, -7, 97, 100_003])
def test_a_shift_by_any_offset_is_a_rotation_of_each_pair(encoding: Sinusoidal, offset: int) -> None:
    angle = offset * rates(encoding)
    before, after = encoding.table(POSITIONS), encoding.table(POSITIONS + offset)
    sines = before[:, 0::2] * np.cos(angle) + before[:, 1::2] * np.sin(angle)
    cosines = before[:, 1::2] * np.cos(angle) - before[:, 0::2] * np.sin(angle)
    rounding = 1e-14 + 1e-15 * np.abs(angle).max()  # of the angle here, not of the table
    assert np.abs(after[:, 0::2] - sines).max() < rounding
    assert np.abs(after[:, 1::2] - cosines).max() < rounding


@encodings
def test_frequencies_fall_geometrically_and_wavelengths_are_their_turns(encoding: Sinusoidal) -> None:
    assert encoding.frequencies() == pytest.approx(rates(encoding), rel=1e-14)
    assert encoding.wavelengths() * encoding.frequencies() == pytest.approx(2 * math.pi)


@encodings
def test_the_profile_is_the_inner_product_at_each_offset(encoding: Sinusoidal) -> None:
    table = encoding.table(np.arange(53.0))
    assert by_offset(encoding, MEASURES["dot"], 53) == pytest.approx(table @ table[0], abs=1e-12)


@encodings
@pytest.mark.parametrize("n", [1, 2, 3, 53, 1009])
def test_squares_are_the_squared_distances_from_position_0(encoding: Sinusoidal, n: int) -> None:
    table = encoding.table(np.arange(float(n)))
    assert encoding.squares(n) == pytest.approx(np.sum((table - table[0]) ** 2, axis=1), rel=1e-10, abs=1e-15)
    assert encoding.squares(n)[0] == 0


def test_squares_keep_their_digits_where_two_rows_nearly_coincide() -> None:
    near = Sinusoidal(d=2).squares(711)[710]  # 710 is nearly 113 turns
    assert near == pytest.approx(4 * math.sin(355) ** 2, rel=1e-11)


@pytest.mark.parametrize("d", [1, 2, 7, 22])
@pytest.mark.parametrize("base", [10000, 10, 1, 0.3])
@pytest.mark.parametrize(
    "blocks",
    [
        Blocks(0, 97, 7),
        Blocks(-13, 101, 9),
        Blocks(1_000_003, 23, 5),
        Blocks(5, 7, 7),
        Blocks(2, 5, 11),
        Blocks(3, 7, 1),
    ],
    ids=str,
)
def test_the_mean_table_is_the_mean_of_the_rows(d: int, base: float, blocks: Blocks) -> None:
    encoding = Sinusoidal(d=d, base=base)
    cuts = range(blocks.start, blocks.start + blocks.length, blocks.size)
    stop = blocks.start + blocks.length
    expected = [encoding.table(np.arange(a, min(a + blocks.size, stop), dtype=float)).mean(axis=0) for a in cuts]
    assert encoding.mean_table(blocks) == pytest.approx(np.array(expected), abs=1e-14)


def test_the_mean_of_a_long_far_block_is_exact() -> None:
    blocks = Blocks(1_000_000_007, 2 * 10007, 10007)
    encoding = Sinusoidal(d=7)
    table = encoding.table(np.arange(blocks.start, blocks.start + blocks.length, dtype=float))
    expected = [[math.fsum(column) / 10007 for column in half.T] for half in (table[:10007], table[10007:])]
    assert encoding.mean_table(blocks) == pytest.approx(np.array(expected), abs=1e-15)


def test_whole_turns_a_position_average_to_what_stands_still() -> None:
    class Still(Sinusoidal):
        def rates(self) -> list[float]:
            return [0.0]

    assert np.array_equal(Still(d=2).mean_table(Blocks(0, 35, 7)), np.tile([0.0, 1.0], (5, 1)))


def test_the_largest_value_is_known_beforehand() -> None:
    encoding: Harmonic = Sinusoidal(d=7)
    assert encoding.limit == 1
    assert np.abs(encoding.table(POSITIONS)).max() <= 1


def test_only_an_even_width_has_one_norm() -> None:
    assert Sinusoidal(d=6).invariant
    assert not Sinusoidal(d=7).invariant
    assert np.ptp(np.linalg.norm(Sinusoidal(d=7).table(POSITIONS), axis=1)) > 0.1


def test_a_table_made_in_pieces_is_the_table_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = Sinusoidal(d=13)
    whole = encoding.table(POSITIONS), encoding.squares(1009)
    monkeypatch.setattr("pecli.core.numbers.CHUNK", 31)
    assert np.array_equal(encoding.table(POSITIONS), whole[0])
    assert encoding.squares(1009) == pytest.approx(whole[1], rel=1e-12)


@pytest.mark.parametrize(("rate", "taken"), [(1e12, True), (-1e12, True), (1e12 + 1, False), (-1e12 - 1, False)])
def test_a_pair_turns_no_faster_than_positions_have_digits_for(rate: float, taken: bool) -> None:
    class Fast(Sinusoidal):
        def rates(self) -> list[float]:
            return [1.0, rate]

    if taken:
        assert Fast(d=4).frequencies()[1] == rate
    else:
        with pytest.raises(UsageError, match="1e\\+12 is the most"):
            Fast(d=4)


@pytest.mark.parametrize("first", [-711, -5, 700])
def test_squares_from_any_offset_on_are_those_of_the_whole_run(first: int) -> None:
    encoding = Sinusoidal(d=2)  # whose rows nearly coincide at the offsets 0 and 710
    offsets = np.arange(first, first + 20)
    expected = 4 * np.sin(encoding.angles(offsets.astype(float)) / 2)[:, 0] ** 2
    assert encoding.squares(20, first) == pytest.approx(expected, rel=1e-9, abs=1e-30)
