"""The relative figure: the article's tensor, its slices, and what it cannot show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.image import BboxImage
from typer.testing import CliRunner

import pecli
from pecli.analysis import View
from pecli.cli import app
from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.positions import Blocks, Positions
from pecli.encodings.clock import Clock
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Relative
from pecli.figures.relative import SLICES, RelativeTensor, telling_dims
from pecli.figures.style import style_context
from pecli.figures.text import points_per_pixel
from pecli.models.spec import read_encoding

LENGTH, D = 7, 6


def tensor(length: int, d: int, base: float = 10000) -> Array:
    """The encoding of i − j for every i and j, restated."""
    result = np.empty((length, length, d))
    for i in range(length):
        for j in range(length):
            angles = (i - j) / base ** (2 * np.arange(d // 2) / d)
            result[i, j, 0::2], result[i, j, 1::2] = np.sin(angles), np.cos(angles)
    return result


def panels(**options: Any) -> list[Axes]:
    """The panels of the drawn figure."""
    axes = Drawing(dpi=20).subplots()
    pecli.figure("relative", dpi=20, **options).draw(axes)
    return [one for one in axes.child_axes if isinstance(one, Axes)]


def test_the_articles_tensor_is_8_by_8_by_32() -> None:
    view = View((Relative(d=32),), Positions(length=8))
    numbers = RelativeTensor().compute(view)
    assert numbers.tensor.shape == (8, 8, 32)
    assert numbers.tensor == pytest.approx(tensor(8, 32), abs=1e-15)
    assert numbers.dims.tolist() == list(range(32))


def test_npy_holds_the_whole_tensor(tmp_path: Path) -> None:
    target = tmp_path / "relative.npy"
    ended = CliRunner().invoke(app, ["relative", "--length", "8", "--d", "32", "-o", str(target)])
    assert ended.exit_code == 0
    assert np.load(target) == pytest.approx(tensor(8, 32), abs=1e-15)


def test_npz_holds_the_tensor_its_offsets_and_its_dimensions(tmp_path: Path) -> None:
    pecli.figure("relative", length=LENGTH, d=12, dims=(1, 4)).save(str(tmp_path / "r.npz"))
    with np.load(tmp_path / "r.npz") as arrays:
        assert arrays["tensor"] == pytest.approx(tensor(LENGTH, 12)[:, :, [1, 4]], abs=1e-15)
        assert arrays["offsets"][2].tolist() == [2, 1, 0, -1, -2, -3, -4]
        assert arrays["dims"].tolist() == [1, 4]


@pytest.mark.parametrize("base", [10000, 10])
def test_every_slice_is_constant_along_its_diagonals(base: float) -> None:
    numbers = RelativeTensor().compute(View((Relative(d=D, base=base),), Positions(length=LENGTH)))
    assert np.array_equal(numbers.tensor[1:, 1:], numbers.tensor[:-1, :-1])
    assert len(np.unique(numbers.tensor.reshape(-1, D), axis=0)) == 2 * LENGTH - 1


def test_transposed_the_sines_change_sign_and_the_cosines_do_not() -> None:
    numbers = RelativeTensor().compute(View((Relative(d=D),), Positions(length=LENGTH)))
    assert np.array_equal(numbers.tensor.swapaxes(0, 1)[:, :, 0::2], -numbers.tensor[:, :, 0::2])
    assert np.array_equal(numbers.tensor.swapaxes(0, 1)[:, :, 1::2], numbers.tensor[:, :, 1::2])


def test_the_panels_are_the_offsets_and_the_chosen_slices() -> None:
    drawn = panels(length=LENGTH, d=D, dims=(1, 0, 4))
    assert [one.get_title() for one in drawn] == [
        "offset p − q",
        "cos, dim 1\nλ 6.283",
        "sin, dim 0\nλ 6.283",
        "sin, dim 4\nλ 2,916",
    ]
    for one, dim in zip(drawn[1:], (1, 0, 4), strict=True):
        assert np.asarray(one.get_images()[0].get_array()) == pytest.approx(tensor(LENGTH, D)[:, :, dim], abs=1e-15)
    offsets = np.asarray(drawn[0].get_images()[0].get_array())
    assert offsets == pytest.approx(np.subtract.outer(range(LENGTH), range(LENGTH)), abs=1e-12)


def test_all_slices_share_colours_and_say_query_and_key() -> None:
    drawn = panels(length=LENGTH, d=D, dims=(0, 5))
    assert {one.get_images()[0].get_clim() for one in drawn} == {(-6, 6), (-1, 1)}  # offsets, values
    assert {one.get_images()[0].get_cmap().name for one in drawn} == {"RdBu_r"}
    assert {(one.get_xlabel(), one.get_ylabel()) for one in drawn} == {("key q", "query p")}


def test_the_offsets_have_a_strip_of_their_own_colours_and_push_no_panel_away() -> None:
    drawn = panels(length=LENGTH, d=D, dims=(0, 5))
    (strip,) = drawn[0].findobj(BboxImage)
    assert strip.get_clim() == drawn[0].get_images()[0].get_clim() == (-6, 6)
    assert [text.get_text() for text in drawn[0].texts[:3]] == ["−6", "0", "6"]
    top, em = strip.get_window_extent().y1, float(drawn[0].texts[0].get_fontsize()) / points_per_pixel(drawn[0])
    assert all(0 < text.get_window_extent().y0 - top < em for text in drawn[0].texts[:3])
    assert all(not one.texts and not one.findobj(BboxImage) for one in drawn[1:])


def test_the_axes_are_positions_from_start() -> None:
    (first, _) = panels(length=LENGTH, d=D, dims=(0,), start=100)
    assert list(first.get_images()[0].get_extent()) == [99.5, 106.5, 106.5, 99.5]


def test_the_picture_computes_only_the_slices_it_shows() -> None:
    picture = pecli.figure("relative", length=LENGTH, d=100)
    assert picture.seen.main.shape[2] == 4
    assert picture.numbers.main.shape == (LENGTH, LENGTH, 100)


@pytest.mark.parametrize(("d", "length"), [(128, 200), (64, 40), (128, 3000), (33, 200)])
def test_slices_are_those_that_tell_offsets_apart(d: int, length: int) -> None:
    """Between an eighth of the length and three times it, but for one a side; one of them as sine and cosine."""
    encoding = Relative(d=d)
    dims = telling_dims(encoding, length, SLICES)
    waves, kinds = encoding.column_wavelengths()[dims], [encoding.waves()[dim][0] for dim in dims]
    assert kinds == ["sin", "sin", "cos", "sin"] and waves[1] == waves[2]
    assert np.all(np.diff(waves) >= 0) and waves[1] > length / 8 and waves[0] >= length / 10 and waves[2] < 3 * length


@pytest.mark.parametrize(("d", "length", "count"), [(1, 5, 1), (2, 5, 2), (128, 10**6, 4), (128, 10**9, 4), (5, 1, 2)])
def test_there_are_slices_where_no_wavelength_is_telling(d: int, length: int, count: int) -> None:
    assert len(set(telling_dims(Relative(d=d), length, SLICES).tolist())) == count


def test_waves_that_look_flat_are_left_out() -> None:
    assert telling_dims(Relative(d=7), 10**6, SLICES).tolist() == [6]  # the others are averaged to nothing
    assert telling_dims(Clock(), 200, SLICES).tolist() == [0, 1, 2]  # a minute; of an hour the cosine is 1 throughout
    assert telling_dims(Clock(), 20000, SLICES).tolist() == [2, 3, 4, 5]


def test_a_wave_that_begins_anywhere_is_not_called_a_sine_and_colours_are_those_of_the_slices() -> None:
    (_, slice_) = panels(encoding="rope:d=8,query=random:3", length=LENGTH, dims=(2,))
    radii = Rope(d=8, query="random:3").amplitudes
    assert slice_.get_title() == "dim 2\nλ 62.83"
    assert slice_.get_images()[0].get_clim() == pytest.approx((-radii[1], radii[1])) and radii[1] < radii.max() / 2


def test_there_is_a_panel_for_the_offsets_and_one_for_every_slice() -> None:
    drawn = panels(length=LENGTH, d=D, dims=(0, 1, 2, 3))
    assert [len(one.get_images()) for one in drawn] == [1, 1, 1, 1, 1]


@pytest.mark.parametrize("encoding", ["sinusoidal", "clock", "geometric", "rope"])
def test_any_encoding_with_negative_positions_is_shown(encoding: str) -> None:
    picture = pecli.figure("relative", encoding=encoding, length=LENGTH)
    table = pecli.encode(encoding, start=1 - LENGTH, length=2 * LENGTH - 1)
    assert np.array_equal(picture.numbers.main[3, 5], table[3 - 5 + LENGTH - 1])


@pytest.mark.parametrize("encoding", ["binary", "learned"])
def test_encodings_without_negative_positions_are_refused(encoding: str, tmp_path: Path) -> None:
    target = tmp_path / "never.png"
    ended = CliRunner().invoke(app, ["relative", "-e", encoding, "--length", "8", "-o", str(target)])
    assert ended.exit_code == 2
    assert ended.stderr.startswith("pecli: ")
    assert encoding in ended.stderr
    assert "negative" in ended.stderr or "cannot show" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize(("dims", "said"), [("32", "dims=32 does not exist"), ("0,99", "dims=99"), ("-1", "dims")])
def test_a_dimension_that_is_not_there_is_refused(dims: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure("relative", length=8, d=32, dims=dims)


def test_a_tensor_that_memory_does_not_hold_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("pecli.core.memory.available", lambda: 2**30)
    picture = pecli.figure("relative", length=1000, d=512)
    with pytest.raises(UsageError, match=r"1,000 × 1,000 × 512 numbers take 3\.8 GiB"):
        picture.save(str(tmp_path / "never.npy"))


def test_one_position_has_one_offset() -> None:
    numbers = pecli.figure("relative", length=1, d=D).numbers
    assert numbers.main.tolist() == [[[0, 1, 0, 1, 0, 1]]]
    assert numbers.message() == ""


def block_means(encoding: Harmonic, blocks: Blocks, column: int) -> Array:
    """The mean of the column at i − j over every i of one block and j of another, added up."""
    length = blocks.length
    table = encoding.table(np.arange(1 - length, length, dtype=float))[:, column]
    cells = table[np.subtract.outer(np.arange(length), np.arange(length)) + length - 1]
    cuts = range(0, length, blocks.size)
    return np.array([[cells[i : i + blocks.size, j : j + blocks.size].mean() for j in cuts] for i in cuts])


@pytest.mark.parametrize("blocks", [Blocks(0, 60, 6), Blocks(-5, 101, 8), Blocks(3, 17, 17)])
@pytest.mark.parametrize(
    "spec",
    [
        "sinusoidal:d=6,base=10",
        "sinusoidal:d=7,base=10",
        "sinusoidal:d=7,layout=concatenated",
        "relative:d=6",
        "geometric:d=4,radix=3",
        "clock",
        "rope:d=6,base=10",
        "rope:d=6,base=10,query=random:3",
        "rope:d=6,pairing=half,query=random:3",
    ],
)
def test_averages_over_pixels_are_those_of_every_pair_in_them(spec: str, blocks: Blocks) -> None:
    encoding = read_encoding(spec)
    assert isinstance(encoding, Harmonic)
    for column in range(encoding.width):
        found = encoding.mean_offsets(blocks, column)
        assert found == pytest.approx(block_means(encoding, blocks, column), abs=1e-14), column


def test_more_positions_than_pixels_are_averaged_and_the_caption_says_so() -> None:
    options: Any = {"d": D, "base": 10, "length": 101, "start": 3, "dims": (0, 5), "size": "5x3"}
    picture = pecli.figure("relative", **options, dpi=30)
    size = picture.seen.facts()["block"]
    assert size > 1 and 101 % size
    assert picture.seen.caption() == f"each pixel: mean of {size} × {size} pairs; wavelength λ in positions"
    expected = [block_means(Relative(d=D, base=10), Blocks(3, 101, size), dim) for dim in (0, 5)]
    assert np.moveaxis(picture.seen.main, -1, 0) == pytest.approx(np.array(expected), abs=1e-14)
    with style_context(picture.job.canvas):
        drawn = picture._drawing().axes[:3]
    assert drawn[0].get_title() == "offset p − q"
    assert [text.get_text() for text in drawn[0].texts] == ["−100", "0", "100"]
    for one, values in zip(drawn[1:], expected, strict=True):
        assert np.asarray(one.get_images()[0].get_array()) == pytest.approx(values, abs=1e-14)
    stop = 2.5 + size * len(expected[0])
    for one in drawn:  # a shorter last block does not stretch the axis
        assert one.get_xlim() == one.get_ylim()[::-1] == (2.5, 103.5)
        assert list(one.get_images()[0].get_extent()) == [2.5, stop, stop, 2.5]


def test_a_length_that_the_pixels_hold_is_exact_and_the_caption_has_the_unit_alone() -> None:
    picture = pecli.figure("relative", d=D, base=10, length=LENGTH, start=1009, dpi=30)
    assert picture.seen.caption() == "wavelength λ in positions"
    assert picture.message() == "One value per diagonal: only the offset counts"
    assert picture.seen.main == pytest.approx(tensor(LENGTH, D, 10)[:, :, picture.seen.arrays()["dims"]], abs=1e-15)


def test_the_numbers_are_never_averaged() -> None:
    numbers = pecli.figure("relative", d=D, base=10, length=101, size="5x3", dpi=30).numbers
    assert numbers.caption() == "wavelength λ in positions"
    assert numbers.main == pytest.approx(tensor(101, D, 10), abs=1e-13)


def test_a_million_positions_cost_no_more_than_the_pixels() -> None:
    seen = pecli.figure("relative", d=4, length=10**6, dpi=20).seen
    assert len(seen.main) <= 6.75 * 20
    assert np.abs(seen.main).max() <= 1


@pytest.mark.parametrize(("d", "dims"), [(3, [0, 1, 2]), (4, [0, 1, 2, 3]), (32, [0, 2, 3, 4])])
def test_four_dimensions_are_all_shown_and_of_more_those_that_tell(d: int, dims: list[int]) -> None:
    assert pecli.figure("relative", d=d, length=4).seen.arrays()["dims"].tolist() == dims
