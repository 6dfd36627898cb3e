"""Tests of the figure relative: the article's tensor, its slices, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.image import BboxImage

import pecli
from pecli.core.language import finding, join_title, say
from pecli.core.lazy import Array
from pecli.core.positions import Blocks
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Relative
from pecli.encodings.spec import read_encoding
from pecli.page.text import points_per_pixel
from tests.drawing import clauses, numbers_of, page_of, panels_of, texts

LENGTH, D = 7, 6
IN_POSITIONS = say("waves.wavelength_in", units=say("words.positions"))


def panels(**options: Any) -> list[Any]:
    """Return the panels of the drawn figure."""
    return panels_of("relative", dpi=20, **options)


def tensor(length: int, d: int, base: float = 10000) -> Array:
    """Return the encoding of i − j for every i and j, restated."""
    result = np.empty((length, length, d))
    for i in range(length):
        for j in range(length):
            angles = (i - j) / base ** (2 * np.arange(d // 2) / d)
            result[i, j, 0::2], result[i, j, 1::2] = np.sin(angles), np.cos(angles)
    return result


def test_the_offsets_have_a_strip_of_their_own_colours_and_push_no_panel_away() -> None:
    drawn = panels(length=LENGTH, d=D, dims=(0, 5), offsets=True)
    (strip,) = drawn[0].findobj(BboxImage)
    assert strip.get_clim() == drawn[0].get_images()[0].get_clim() == (-6, 6)
    assert texts(drawn[0].texts[:3]) == ["−6", "0", "6"]
    top, em = strip.get_window_extent().y1, float(drawn[0].texts[0].get_fontsize()) / points_per_pixel(drawn[0])
    assert all(0 < text.get_window_extent().y0 - top < em for text in drawn[0].texts[:3])
    assert all(not item.texts and not item.findobj(BboxImage) for item in drawn[1:])


@pytest.mark.parametrize(("d", "length"), [(128, 200), (64, 40), (128, 3000), (33, 200)])
def test_slices_are_those_that_tell_offsets_apart(d: int, length: int) -> None:
    """Between an eighth of the length and three times it, but for one a side; one of them as sine and cosine."""
    encoding, dims = Relative(d=d), slices(d=d, length=length)
    waves, kinds = encoding.column_wavelengths()[dims], [encoding.waves()[dim][0] for dim in dims]
    assert kinds == ["sin", "sin", "cos", "sin"] and waves[1] == waves[2]
    assert np.all(np.diff(waves) >= 0) and waves[1] > length / 8 and waves[0] >= length / 10 and waves[2] < 3 * length


@pytest.mark.some(7)
@pytest.mark.parametrize(
    ("encoding", "length", "dims"),
    [
        ("relative:d=1", 5, [0]),
        ("relative:d=4", 4, [0, 1, 2, 3]),
        ("relative:d=5", 1, [0, 1]),
        ("relative:d=32", 4, [0, 2, 3, 4]),
        ("relative:d=7", 10**6, [6]),  # the others are averaged to nothing
        ("clock", 200, [0, 1, 2]),  # a minute; of an hour the cosine is 1 throughout
        ("clock", 20000, [2, 3, 4, 5]),
    ],
)
def test_four_dimensions_are_all_shown_and_of_more_those_that_do_not_look_flat(
    encoding: str, length: int, dims: list[int]
) -> None:
    assert slices(encoding=encoding, length=length) == dims
    assert len(set(slices(d=128, length=10**9))) == 4


@pytest.mark.long
def test_a_wave_that_begins_anywhere_is_not_called_a_sine_and_colours_are_those_of_the_slices() -> None:
    (slice_, _) = panels(encoding="rope:d=8,query=random:3", length=LENGTH, dims=(2,))  # and its colour bar
    radii = Rope(d=8, query="random:3").amplitudes
    assert slice_.get_title().startswith(say("relative.dim_dim", dim=2) + "\n")
    assert slice_.get_title(loc="right").strip() == "λ 62.8"
    assert slice_.get_images()[0].get_clim() == pytest.approx((-radii[1], radii[1])) and radii[1] < radii.max() / 2


@pytest.mark.some(9)
@pytest.mark.parametrize(
    ("length", "start", "offset"), [(3, 0, 0), (4, 0, 2), (8, 0, 2), (8, 5, 2), (20, 0, 5), (200, 7, 50), (999, 0, 200)]
)
def test_one_offset_is_marked_everywhere_and_titles_say_the_value_there(length: int, start: int, offset: int) -> None:
    options: dict[str, Any] = {"d": D, "length": length, "start": start, "dims": (0, 3), "offsets": True}
    drawn, found = panels(**options), numbers_of("relative", **options)
    for panel in drawn[:3]:
        assert len(panel.lines) == 2 * bool(offset)
        for line in panel.lines:  # light below dark
            x, y = line.get_data()
            assert np.median(y - x) == pytest.approx(offset) and np.ptp(y - x) == (2 if length <= 25 else 0)
            half = 0.5 * (length <= 25)
            assert (x.min(), y.max()) == (start - half, start + length - 1 + half)
    for panel, values in zip(drawn[1:], np.moveaxis(found.tensor, -1, 0), strict=False):
        value = f"{values[offset, 0]:.2f}".replace("-", "−")
        said = say("relative.value_where", value=value, offset=offset)
        assert panel.get_title().split("\n")[1:] == ([said] if offset else [])


def slices(**options: Any) -> list[int]:
    """Return the dimensions that a picture shows where none are asked for."""
    found: list[int] = numbers_of("relative", ((9, 9),), **options).dims.tolist()
    return found


def block_means(encoding: Harmonic, blocks: Blocks, column: int) -> Array:
    """Return the mean of the column at i − j over every i of one block and j of another, added up."""
    length = blocks.length
    table = encoding.table(np.arange(1 - length, length, dtype=float))[:, column]
    cells = table[np.subtract.outer(np.arange(length), np.arange(length)) + length - 1]
    cuts = range(0, length, blocks.size)
    return np.array([[cells[i : i + blocks.size, j : j + blocks.size].mean() for j in cuts] for i in cuts])


@pytest.mark.some(18)
@pytest.mark.parametrize("blocks", [Blocks(0, 60, 6), Blocks(-5, 101, 8), Blocks(3, 17, 17)])
@pytest.mark.parametrize(
    "spec",
    [
        "sinusoidal:d=7,base=10",
        "sinusoidal:d=7,layout=concatenated",
        "geometric:d=4,radix=3",
        "clock",
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


@pytest.mark.long
def test_more_positions_than_pixels_are_averaged_and_the_caption_says_so() -> None:
    options: Any = {"d": D, "base": 10, "length": 101, "start": 3, "dims": (0, 5), "offsets": True}
    options |= {"size": "5x3", "dpi": 30}
    seen: Any = pecli.figure("relative", **options).seen
    assert seen.block > 1 and 101 % seen.block
    some, cells = say("words.of_dimensions", count=2, all=6), say("figures.cells", rows=seen.block, columns=seen.block)
    means = say("figures.each_pixel_is_the_mean", cells=cells)
    assert clauses(seen.caption()) == [say("relative.line", offset=20), IN_POSITIONS, some, means]
    first, *slices = page_of("relative", **options).axes[:3]
    assert texts(first.texts) == ["−100", "0", "100"]
    for panel, dim in zip(slices, (0, 5), strict=True):
        expected = block_means(Relative(d=D, base=10), Blocks(3, 101, seen.block), dim)
        assert np.asarray(panel.get_images()[0].get_array()) == pytest.approx(expected, abs=1e-14)
    stop = 2.5 + seen.block * len(seen.tensor)
    for panel in (first, *slices):  # a shorter last block does not stretch the axis
        assert panel.get_xlim() == panel.get_ylim()[::-1] == (2.5, 103.5)
        assert list(panel.get_images()[0].get_extent()) == [2.5, stop, stop, 2.5]


def test_the_articles_tensor_is_8_by_8_by_32_as_files_hold_it(ask: Callable[..., Any]) -> None:
    assert ask("relative", "--length", "8", "--d", "32", "-o", "r.npy", "-o", "r.npz").code == 0
    assert np.load("r.npy").shape == (8, 8, 32) and np.load("r.npy") == pytest.approx(tensor(8, 32), abs=1e-15)
    with np.load("r.npz") as arrays:
        assert arrays["offsets"][2].tolist() == [2, 1, 0, -1, -2, -3, -4, -5]
        assert arrays["dims"].tolist() == list(range(32))


def test_every_slice_is_constant_along_its_diagonals_and_transposed_the_sines_change_sign() -> None:
    found = numbers_of("relative", d=D, length=LENGTH).tensor
    assert np.array_equal(found[1:, 1:], found[:-1, :-1])
    assert np.array_equal(found.swapaxes(0, 1), found * np.tile([-1, 1], D // 2))
    assert numbers_of("relative", length=1, d=D).message() == ""


@pytest.mark.long
def test_the_panels_are_the_offsets_and_the_chosen_slices() -> None:
    first, *slices = panels(length=LENGTH, d=D, dims=(1, 0, 4), start=100, offsets=True)
    assert first.get_title() == say("words.offset_p_minus_q")
    names = [say("relative.dim_dim", dim=dim) for dim in (1, 0, 4)]
    assert [item.get_title().split("\n")[0] for item in slices] == names
    waves = [item.get_title(loc="right").strip() for item in slices]
    parts = (["cos", "λ 6.28"], ["sin", "λ 6.28"], ["sin", "λ 2,916"])
    assert waves == [join_title(part) for part in parts]
    offsets = np.subtract.outer(range(LENGTH), range(LENGTH))
    arrays = [offsets, *np.moveaxis(tensor(LENGTH, D), -1, 0)[[1, 0, 4]]]
    for item, array, limit in zip((first, *slices), arrays, (6, 1, 1, 1), strict=True):
        (image,) = item.get_images()
        assert np.asarray(image.get_array()) == pytest.approx(array, abs=1e-12)
        assert (image.get_clim(), image.get_cmap().name) == ((-limit, limit), "signed")
        assert list(image.get_extent()) == [99.5, 106.5, 106.5, 99.5]
        assert (item.get_xlabel(), item.get_ylabel()) == (say("words.key_q"), say("words.query_p"))


def test_numbers_are_whole_and_the_picture_computes_only_what_it_shows() -> None:
    every = numbers_of("relative", length=51, d=100, base=10)
    assert np.allclose(every.tensor, tensor(51, 100, 10), rtol=0, atol=1e-13)
    assert clauses(every.caption()) == [say("relative.line", offset=10), IN_POSITIONS]
    assert finding(every.message()) == {"key": "relative.each_dimension_is_constant"}
    assert numbers_of("relative", ((20, 20),), length=10**6, d=100).tensor.shape == (20, 20, 4)
