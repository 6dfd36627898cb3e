"""Tests of xPos: comparison with a direct implementation of its formulas, and properties of its scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.positions import Positions
from pecli.encodings.rope import Rope
from pecli.encodings.xpos import XPos
from pecli.measures.comparison import comparison_of
from tests.drawing import numbers_of

XPOS = XPos(d=12, base=100.0, scale_base=50.0)


def direct(x: np.ndarray, positions: np.ndarray, sign: int, gamma: float = 0.4, scale_base: float = 50) -> np.ndarray:
    """Return the rows of x (n, d) rotated and scaled, pair by pair, with complex numbers."""
    d = x.shape[1]
    rows = np.empty(x.shape)
    for pair in range(d // 2):
        zeta = (2 * pair / d + gamma) / (1 + gamma)
        z = x[:, 2 * pair] + 1j * x[:, 2 * pair + 1]
        z = z * zeta ** (sign * positions / scale_base) * np.exp(1j * positions * 100.0 ** (-2 * pair / d))
        rows[:, 2 * pair], rows[:, 2 * pair + 1] = z.real, z.imag
    return rows


def test_queries_and_keys_are_those_of_a_direct_implementation() -> None:
    positions, (queries, keys) = np.arange(40.0), np.random.default_rng(0).standard_normal((2, 40, 12))
    assert XPOS.rotate(queries, positions) == pytest.approx(direct(queries, positions, 1), abs=1e-13)
    assert XPOS.rotate_keys(keys, positions) == pytest.approx(direct(keys, positions, -1), abs=1e-12)
    ones = np.tile([1.0, 0.0], (40, 6))
    assert XPOS.table(positions) == pytest.approx(direct(ones, positions, 1), abs=1e-14)
    half = replace(XPOS, pairing="half")
    assert half.rotate(XPOS.reordered(queries, "half"), positions) == pytest.approx(
        XPOS.reordered(XPOS.rotate(queries, positions), "half")
    )


def test_bases_are_those_of_torchscale() -> None:
    d = 64  # torchscale: (arange(0, d, 2) + 0.4 d) / (1.4 d)
    assert XPos(d=d).bases == pytest.approx((np.arange(0, d, 2) + 0.4 * d) / (1.4 * d))
    assert XPos(d=d).bases[[0, -1]] == pytest.approx([0.4 / 1.4, 0.9776785714])


def test_scores_depend_on_the_offset_alone_and_are_the_compared_ones() -> None:
    positions, ones = np.arange(30.0), np.tile([1.0, 0.0], (30, 6))
    scores = direct(ones, positions, 1) @ direct(ones, positions, -1).T
    compared = comparison_of(XPOS, "dot")
    seen = np.tril_indices(30)
    assert compared.between(positions, positions)[seen] == pytest.approx(scores[seen])
    assert compared.at_offsets(0, 30) == pytest.approx(scores[:, 0])
    assert compared.profile(30) == pytest.approx(np.concatenate([scores[:0:-1, 0], scores[:, 0]]))
    assert comparison_of(XPOS, "cos").at_offsets(0, 30) == pytest.approx(scores[:, 0] / 6)
    squares = comparison_of(XPOS, "sqeuclidean").at_offsets(-3, 33)
    assert squares[3] == 0 and squares[3:] == pytest.approx(12 - 2 * scores[:, 0])
    assert np.linalg.eigvalsh(compared.between(positions, positions)).min() > 0  # a distance, of some vectors


def test_the_table_is_averaged_as_its_rows_are() -> None:
    for own in (XPOS, replace(XPOS, query="random:3", pairing="half")):
        blocks = Positions(start=5, length=70).blocks(10)
        rows = own.table(np.arange(5.0, 75.0)).reshape(10, 7, 12).mean(axis=1)
        assert blocks.size == 7 and own.mean_table(blocks) == pytest.approx(rows, abs=1e-14)
    blocks = Positions(length=40).blocks(8)
    offsets = np.subtract.outer(np.arange(40.0), np.arange(40.0))
    whole = XPOS.table(offsets)[..., 4].reshape(8, 5, 8, 5).mean(axis=(1, 3))
    assert XPOS.mean_offsets(blocks, 4) == pytest.approx(whole, abs=1e-13)


def test_it_decays_and_rope_does_not() -> None:
    own, rope = (comparison_of(each, "cos").at_offsets(20_000, 500) for each in (XPos(), Rope()))
    assert np.abs(own).max() < 0.05 < 0.2 < np.abs(rope).max()
    slow = XPos(gamma=1e6)
    assert comparison_of(slow, "dot").at_offsets(0, 500) == pytest.approx(
        comparison_of(Rope(), "dot").at_offsets(0, 500), rel=1e-3
    )
    bound = XPOS.decay(np.arange(200.0)) * 6
    assert (np.abs(comparison_of(XPOS, "dot").at_offsets(0, 200)) <= bound + 1e-9).all()


def test_contributions_are_the_parts_of_the_score() -> None:
    found = numbers_of("contributions", encoding="xpos:d=12,base=100,scale_base=50", length=40)
    ones = np.tile([1.0, 0.0], (40, 6))
    scores = direct(ones, np.arange(40.0), 1) @ direct(ones, np.arange(40.0), -1).T
    assert found.total == pytest.approx(scores[1:, 0])


def test_other_measures_are_of_the_table_and_a_rounded_type_is_refused() -> None:
    rows = XPOS.table(np.arange(9.0))
    compared = comparison_of(XPOS, "cityblock").between(np.arange(9.0), np.arange(9.0))
    assert compared == pytest.approx(np.abs(rows[:, None] - rows).sum(axis=-1))
    with pytest.raises(UsageError, match="only in float64"):
        numbers_of("distance", encoding="xpos:dtype=float16", measure="dot", length=5)
    with pytest.raises(UsageError, match="d=5 is odd"):
        XPos(d=5)


def test_attention_weighs_keys_with_their_own_factors() -> None:
    found = numbers_of("attention", encoding="xpos:d=8,scale_base=2")
    rope = numbers_of("attention", encoding="rope:d=8")
    assert not np.allclose(found.encoded, rope.encoded)
    alike = numbers_of("attention", encoding="xpos:d=8,scale_base=1e9")
    assert alike.encoded == pytest.approx(rope.encoded, abs=1e-6)


def test_random_scores_shrink_with_the_offset() -> None:
    found = numbers_of("offsets", encoding="xpos:d=16,scale_base=20", length=60, random=300)
    deviation = (found.high - found.low)[0] / 2
    assert deviation[-1] < deviation[0] / 2
