"""Tests of the binary encoding: the third article's table, and an error for positions with too many bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.positions import Blocks
from pecli.encodings.binary import Binary

ARTICLE = {1: "1000", 2: "0100", 3: "1100", 4: "0010", 5: "1010", 6: "0110", 15: "1111"}


@pytest.mark.parametrize(("number", "bits"), ARTICLE.items())
def test_the_articles_table_which_msb_reverses(number: int, bits: str) -> None:
    lsb, msb = (pecli.encode(f"binary:d=4,order={order}", start=number, length=1)[0] for order in ("lsb", "msb"))
    assert "".join(f"{bit:.0f}" for bit in lsb) == bits
    assert "".join(f"{bit:.0f}" for bit in msb) == bits[::-1] == f"{number:04b}"


def test_pm1_is_2x_minus_1() -> None:
    bits = pecli.encode("binary", length=37)
    assert np.array_equal(pecli.encode("binary", length=37, values="pm1"), 2 * bits - 1)
    assert set(np.unique(bits)) == {0, 1}


@pytest.mark.parametrize(
    ("start", "length", "d"), [(0, 1, 1), (0, 2, 1), (0, 3, 2), (0, 64, 6), (0, 65, 7), (1020, 5, 11)]
)
def test_d_is_what_the_last_position_needs(start: int, length: int, d: int) -> None:
    assert pecli.encode("binary", start=start, length=length).shape == (length, d)


def test_a_position_without_bits_is_refused_and_never_wrapped() -> None:
    with pytest.raises(UsageError, match=r"binary with 4 bits counts to 15: position 16 needs 5 bits, try d=5"):
        pecli.encode("binary:d=4", length=17)
    with pytest.raises(UsageError, match="negative position -3"):
        pecli.encode("binary", start=-3, length=5)
    for position in (16.0, -1.0):
        with pytest.raises(UsageError, match="0 to 15"):
            Binary(d=4).table(np.array([3.0, position]))


def test_every_position_of_53_bits_is_exact() -> None:
    last = 2**53 - 1
    bits = Binary(d=53).table(np.array([last, last - 1, 2**52], dtype=float))
    assert bits.sum(axis=1).tolist() == [53, 52, 1]


@pytest.mark.parametrize("values", ["01", "pm1"])
def test_hamming_is_the_popcount_of_xor_over_d(values: str) -> None:
    """The article's point against bits: 31 and 32 differ in every one of 6."""
    numbers = pecli.figure("distance", encoding="binary", values=values, measure="hamming", length=64).numbers
    expected = [[(p ^ q).bit_count() / 6 for q in range(64)] for p in range(64)]
    assert np.array_equal(numbers.main, expected)
    assert numbers.main[31, 32] == 1


def test_block_means_of_a_billion_positions_are_counted_not_added_up() -> None:
    means = Binary(d=40).mean_table(Blocks(0, 2**40, 2**30))
    assert np.array_equal(means[:, :30], np.full((1024, 30), 0.5))
    assert np.array_equal(means[:, 30:], Binary(d=10).table(np.arange(1024, dtype=float)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "names", "colours", "ends"),
    [
        ({}, ["0", "1", "2", "3"], "bits", (0, 1)),
        ({"order": "msb", "values": "pm1"}, ["3", "2", "1", "0"], "signed", (-1, 1)),
    ],
)
def test_columns_are_numbered_by_bit_and_minus_1_and_1_alone_get_a_diverging_map(
    options: dict[str, Any], names: list[str], colours: str, ends: tuple[int, int]
) -> None:
    axes = Drawing(dpi=20).subplots()
    pecli.figure("heatmap", encoding="binary", length=16, **options).draw(axes)
    (image,), (bar,) = axes.get_images(), axes.child_axes
    half = 0.5 if ends == (0, 1) else 0  # the middles of two blocks
    assert (image.get_cmap().name, image.get_clim()) == (colours, (ends[0] - half, ends[1] + half))
    assert (image.get_cmap().N == 2) == bool(half)
    assert set(ends) <= set(bar.get_yticks().tolist())
    assert (axes.get_xlabel(), axes.get_ylabel()) == (say("binary.bit"), say("encoding.position_p"))
    assert [tick.get_text() for tick in axes.get_xticklabels()] == names
