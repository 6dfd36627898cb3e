"""Bits: the third article's table, and no position that is silently another."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from typer.testing import CliRunner

import pecli
from pecli.cli import app
from pecli.core.errors import UsageError
from pecli.core.positions import Blocks, Positions
from pecli.encodings.binary import Binary

ARTICLE = {1: "1000", 2: "0100", 3: "1100", 4: "0010", 5: "1010", 6: "0110"}


def digits(row: object) -> str:
    """A row of 0 and 1 as text."""
    return "".join(str(int(bit)) for bit in np.asarray(row))


@pytest.mark.parametrize(("number", "bits"), ARTICLE.items())
def test_the_articles_table(number: int, bits: str) -> None:
    assert digits(pecli.encode("binary:d=4", start=number, length=1)[0]) == bits


@pytest.mark.parametrize(("number", "bits"), ARTICLE.items())
def test_msb_is_the_article_reversed_and_what_python_writes(number: int, bits: str) -> None:
    msb = digits(pecli.encode("binary:d=4,order=msb", start=number, length=1)[0])
    assert msb == bits[::-1] == f"{number:04b}"


def test_pm1_is_2x_minus_1() -> None:
    bits = pecli.encode("binary", length=37)
    assert np.array_equal(pecli.encode("binary", length=37, values="pm1"), 2 * bits - 1)
    assert set(np.unique(bits)) == {0, 1}


@pytest.mark.parametrize(("length", "d"), [(1, 1), (2, 1), (3, 2), (64, 6), (65, 7), (200, 8)])
def test_d_is_what_the_last_position_needs(length: int, d: int) -> None:
    assert pecli.encode("binary", length=length).shape == (length, d)


def test_d_counts_from_the_start() -> None:
    assert pecli.encode("binary", start=1020, length=5).shape == (5, 11)


def test_the_largest_number_of_d_bits_fits_and_the_next_is_refused() -> None:
    assert digits(pecli.encode("binary:d=4", start=15, length=1)[0]) == "1111"
    with pytest.raises(UsageError, match=r"binary with 4 bits counts to 15: position 16 needs 5, try d=5"):
        pecli.encode("binary:d=4", length=17)


def test_the_table_itself_does_not_wrap() -> None:
    with pytest.raises(UsageError, match="0 to 15"):
        Binary(d=4).table(np.array([3.0, 16.0]))
    with pytest.raises(UsageError, match="0 to 15"):
        Binary(d=4).table(np.array([-1.0]))


@pytest.mark.parametrize("words", [("--length", "17", "-d", "4"), ("--start=-1", "--length", "3")])
def test_a_position_without_bits_ends_with_2(words: tuple[str, ...]) -> None:
    ended = CliRunner().invoke(app, ["heatmap", "-e", "binary", *words, "-o", "never.png"])
    assert ended.exit_code == 2
    assert ended.stderr.startswith("pecli: binary ")
    assert ended.stderr.count("\n") == 1


def test_a_negative_position_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="negative position -3"):
        pecli.encode("binary", start=-3, length=5)


@pytest.mark.parametrize("d", [0, -1, 54, 1.5])
def test_a_d_that_cannot_be_is_refused(d: object) -> None:
    with pytest.raises(UsageError, match=r"^d="):
        Binary.make({"d": d})


def test_every_position_of_53_bits_is_exact() -> None:
    last = 2**53 - 1
    bits = Binary(d=53).table(np.array([last, last - 1, 2**52], dtype=float))
    assert bits.sum(axis=1).tolist() == [53, 52, 1]


@pytest.mark.parametrize("values", ["01", "pm1"])
def test_hamming_is_the_popcount_of_xor_over_d(values: str) -> None:
    length, d = 37, 6
    numbers = pecli.figure("distance", encoding="binary", values=values, measure="hamming", length=length).numbers
    expected = [[(p ^ q).bit_count() / d for q in range(length)] for p in range(length)]
    assert np.array_equal(numbers.main, expected)


def test_neighbours_can_be_far_apart() -> None:
    """The article's point against bits: 31 and 32 differ in every one of 6."""
    matrix = pecli.figure("distance", encoding="binary", measure="hamming", length=64).numbers.main
    assert matrix[31, 32] == 1
    assert matrix[32, 33] == matrix[0, 32] == 1 / 6


@pytest.mark.parametrize("order", ["lsb", "msb"])
@pytest.mark.parametrize("values", ["01", "pm1"])
@pytest.mark.parametrize("blocks", [Blocks(0, 101, 7), Blocks(5, 64, 64), Blocks(2**45 - 31, 97, 13)], ids=str)
def test_block_means_are_the_brute_force(blocks: Blocks, values: str, order: str) -> None:
    encoding = Binary(d=46, order=order, values=values)
    table = encoding.table(np.arange(blocks.start, blocks.start + blocks.length, dtype=float))
    cuts = np.split(table, range(blocks.size, blocks.length, blocks.size))
    assert encoding.mean_table(blocks) == pytest.approx(np.array([part.mean(axis=0) for part in cuts]), abs=1e-15)


def test_block_means_of_a_billion_positions_are_counted_not_added_up() -> None:
    means = Binary(d=40).mean_table(Blocks(0, 2**40, 2**30))
    assert means.shape == (1024, 40)
    assert np.array_equal(means[:, :30], np.full((1024, 30), 0.5))
    assert np.array_equal(means[:, 30:], Binary(d=10).table(np.arange(1024, dtype=float)))


def test_0_and_1_get_no_diverging_map_and_two_ticks() -> None:
    drawing = Drawing(dpi=20)
    axes = drawing.subplots()
    pecli.figure("heatmap", encoding="binary", length=16).draw(axes)
    image = axes.get_images()[0]
    assert image.get_cmap().name == "Greys"
    assert image.get_clim() == (0, 1)
    (bar,) = [other for other in axes.child_axes if isinstance(other, Axes)]
    assert drawing.axes == [axes]
    assert bar.get_yticks().tolist() == [0, 1]


def test_minus_1_and_1_get_the_diverging_map() -> None:
    axes = Drawing(dpi=20).subplots()
    pecli.figure("heatmap", encoding="binary", values="pm1", length=16).draw(axes)
    assert axes.get_images()[0].get_cmap().name == "RdBu_r"
    assert axes.get_images()[0].get_clim() == (-1, 1)


@pytest.mark.parametrize(("order", "names"), [("lsb", ["0", "1", "2", "3"]), ("msb", ["3", "2", "1", "0"])])
def test_columns_are_numbered_by_bit(order: str, names: list[str]) -> None:
    axes = Drawing(dpi=20).subplots()
    pecli.figure("heatmap", encoding="binary", order=order, length=16).draw(axes)
    assert axes.get_xlabel() == "bit"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == names
    assert axes.get_ylabel() == "position p"


def test_a_fitted_encoding_reads_back() -> None:
    fitted = Binary().fitted(Positions(length=100))
    assert fitted.spec() == "binary:d=7"
    assert fitted.label() == "binary, d 7"
    assert not Binary.extrapolates
