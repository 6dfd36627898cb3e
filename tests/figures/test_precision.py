"""Tables in smaller types of numbers: what they lose, and that nothing passes them off as exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection

import pecli
from pecli.core.errors import UsageError
from pecli.core.numbers import number_text
from pecli.core.positions import Blocks
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.figures.cell_image import CellImage
from pecli.figures.precision import pair_errors
from pecli.measures.pairwise import MEASURES, by_offset, matrix
from tests.drawing import axes_of, numbers_of, page_of, texts


def numbers(**options: Any) -> Any:
    return numbers_of("precision", **options)


def test_the_published_case_of_float16() -> None:
    """EleutherAI/gpt-neox, issue 1003: the angle 1044.27 becomes 1045, the largest error of a cosine is 0.7819."""
    found = numbers(encoding="rope:d=32", length=2048)
    assert found.largest == pytest.approx(0.7819, abs=5e-5)
    assert (found.position, found.pair) == (2008, 1)
    half = Rope(d=32, dtype="float16")
    assert half.made_angles(np.array([1857.0]))[0, 1] == 1045
    cosines = half.table(np.arange(2048.0)) - Rope(d=32).table(np.arange(2048.0))
    assert np.abs(cosines[:, ::2]).max() == pytest.approx(0.7819, abs=5e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_a_table_is_what_numpy_makes_in_that_type(dtype: str, layout: str) -> None:
    encoding = Sinusoidal(d=14, base=100, dtype=dtype, layout=layout)
    kind = np.dtype(dtype)
    rates = (100.0 ** (-np.arange(0, 14, 2) / 14)).astype(kind)
    angles = np.arange(500).astype(kind)[:, None] * rates
    found = encoding.table(np.arange(500.0))
    sines, cosines = found[:, [encoding.waves().index((wave, 3)) for wave in ("sin", "cos")]].T
    assert np.array_equal(found, found.astype(kind))
    assert sines == pytest.approx(np.sin(angles[:, 3].astype(float)).astype(kind).astype(float), abs=0)
    assert cosines == pytest.approx(np.cos(angles[:, 3].astype(float)).astype(kind).astype(float), abs=0)


def test_every_operation_of_a_turned_query_is_rounded() -> None:
    encoding = Rope(d=4, base=100, query="random:0", dtype="bfloat16")
    r, positions = encoding.rounded, np.arange(300.0)
    angles = r(r(r(positions)[:, None] * r(encoding.frequencies())) + r(encoding.phases))
    first = r(r(encoding.amplitudes) * r(np.cos(angles)))
    assert np.array_equal(encoding.split(encoding.table(positions))[0], first)


def test_closed_forms_do_not_stand_for_a_rounded_table() -> None:
    encoding, blocks = Sinusoidal(d=6, dtype="float16"), Blocks(0, 600, 100)
    assert not encoding.invariant
    assert by_offset(encoding, MEASURES["euclidean"], 10) is None
    table = encoding.table(np.arange(600.0))
    assert encoding.mean_table(blocks) == pytest.approx(table.reshape(6, 100, 6).mean(axis=1), abs=1e-12)
    distances = np.linalg.norm(table[:, None] - table, axis=2)[::37, ::37]
    assert matrix(encoding, MEASURES["euclidean"], Blocks(0, 600, 1))[::37, ::37] == pytest.approx(distances, abs=1e-9)
    with pytest.raises(UsageError, match="not float16's: show fewer positions"):
        encoding.mean_offsets(blocks, 0)


def test_an_error_is_the_larger_of_a_pairs_two_columns() -> None:
    encoding, positions = Sinusoidal(d=5, base=10, dtype="float16"), np.arange(40.0)
    errors = np.abs(encoding.table(positions) - Sinusoidal(d=5, base=10).table(positions))
    found = pair_errors(encoding, positions)
    assert found.shape == (3, 40)
    assert np.array_equal(found[0], errors[:, :2].max(axis=1))
    assert np.array_equal(found[2], errors[:, 4])  # an odd d: a sine without a cosine
    half = Rope(d=6, pairing="half", dtype="float16")
    errors = np.abs(half.table(positions) - Rope(d=6, pairing="half").table(positions))
    assert np.array_equal(pair_errors(half, positions)[1], errors[:, [1, 4]].max(axis=1))


def test_a_pixel_is_the_largest_error_of_its_positions_and_pairs() -> None:
    whole, seen = (numbers_of("precision", panels, encoding="rope:d=96", length=99) for panels in (None, ((20, 9),)))
    assert (seen.block, seen.pairs_block, seen.columns()[1]) == (5, 6, "pair 6")
    cells = np.pad(whole.error, ((0, 1), (0, 0))).reshape(20, 5, 8, 6)
    assert np.array_equal(seen.error, cells.max(axis=(1, 3)))
    assert (seen.largest, seen.position, seen.pair) == (whole.largest, whole.position, whole.pair)
    assert seen.caption().endswith("each pixel: largest of 5 positions × 6 pairs")
    rows = numbers_of("precision", ((20, 99),), encoding="rope:d=96", length=99)
    assert rows.caption().endswith("each pixel: largest of 5 positions")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dtype": "float64"}, "is right to the last bit: float16, bfloat16, float32 are not"),
        ({"length": 70_000}, "float16 has no number for the angles at position 69,999"),
        ({"encoding": "geometric:d=64", "start": -(10**9), "length": 3}, "at position −1,000,000,000: try bfloat16"),
        ({"encoding": "binary"}, "precision cannot show binary: it has no frequencies"),
        ({"dtype": "float8"}, "dtype"),
    ],
)
def test_what_cannot_be_shown_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        _ = numbers(**options)


@pytest.mark.parametrize(
    ("encoding", "said"), [("rope:d=8,base=10", "3 of 4"), ("rope:d=8,base=10,dtype=float32", "no")]
)
def test_the_picture_says_once_how_large_the_largest_error_is(encoding: str, said: str) -> None:
    options: Any = {"encoding": encoding, "length": 2048, "size": "3x3", "dpi": 40}
    picture, (axes, bar) = pecli.figure("precision", **options), page_of("precision", **options).axes
    found: Any = picture.seen
    (written,) = [text.get_text() for text in axes.texts]
    assert written == number_text(found.largest)
    assert found.message().startswith(f"{said} pair") and "0.1" in found.message()
    assert f"position {found.position:,}, pair {found.pair}" in found.caption()
    assert written not in picture.caption()
    (ring,) = [line for line in axes.lines if line.get_marker() == "o"]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (found.pair, found.position)
    assert [line.get_ydata()[0] for line in bar.lines if line.get_linewidth() > 1] == [0.1, 0.1] * (said != "no")
    bar.set_ylim(0.05, 0.35)  # fewer powers of ten than ticks
    assert {"0.2", "0.3"} <= {tick.get_text() for tick in bar.get_yticklabels(minor=True)}


@pytest.mark.parametrize(("start", "length"), [(0, 997), (-600, 997), (-996, 1101), (-700, 650), (40, 700)])
def test_the_message_is_how_many_pairs_are_off_and_from_which_position_on_nearest_to_0(start: int, length: int) -> None:
    options: Any = {"encoding": "rope:d=8,base=10", "start": start, "length": length}
    whole, seen = (numbers_of("precision", panels, **options) for panels in (None, ((30, 9),)))
    positions = np.arange(start, start + length)
    wrong = pair_errors(Rope(d=8, base=10, dtype="float16"), positions.astype(float)) > 0.1
    first = [min(positions[pair], key=lambda at: (abs(at), -at), default=np.nan) for pair in wrong]
    assert wrong.any() and seen.first_wrong == pytest.approx(first, nan_ok=True)
    nearest = min((at for at in first if np.isfinite(at)), key=abs)
    said = f"{wrong.any(axis=1).sum()} of 4 pairs are off by more than 0.1, the first at position {nearest}"
    assert whole.message() == seen.message() == said.replace("-", "−")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_picture_says_what_is_rounded_and_against_what_the_error_is(lang: str) -> None:
    options: Any = {"encoding": "sinusoidal:d=6,dtype=bfloat16", "length": 300, "lang": lang}
    rounded, error = {
        "en": ("every step in bfloat16, against float64", "error of sine or cosine"),
        "zh": ("每一步都用 bfloat16 计算，与 float64 相比", "正弦或余弦的误差"),
    }[lang]
    assert rounded in pecli.figure("precision", **options).caption()
    assert error in [axes.get_ylabel() for axes in page_of("precision", **options).axes]


def test_the_picture_is_logarithmic_and_marks_the_largest_error() -> None:
    panel, seen = axes_of("precision", encoding="rope:d=8", length=50), numbers(encoding="rope:d=8", length=50)
    image: Any = panel.get_images()[0]
    assert type(image.norm).__name__ == "LogNorm" and isinstance(image, CellImage)  # whose cells are equally wide
    assert np.ma.getmaskarray(np.ma.asarray(image.get_array()))[0].all()  # position 0 is exact
    assert panel.get_lines()[0].get_xydata().tolist() == [[seen.pair, seen.position]]
    assert texts(panel.texts) == [f"{seen.largest:.4g}"]


@pytest.mark.parametrize(
    ("options", "block"),
    [({"length": 240, "d": 64, "base": 3, "size": "9x9"}, 1), ({"length": 2000, "d": 8, "base": 10}, 2)],
)
def test_a_bar_stands_where_each_pair_is_first_off_by_much(options: dict[str, Any], block: int) -> None:
    """In two strokes, at the position that the error says, not at a pixel's first."""
    panel, seen = axes_of("precision", **options), pecli.figure("precision", **options).seen
    rope = Rope(d=options["d"], base=options.get("base", 10000), dtype="float16")
    wrong = pair_errors(rope, np.arange(float(options["length"]))) > 0.1
    columns = np.flatnonzero(wrong.any(axis=1))
    strokes = [np.array(one.get_segments()) for one in panel.collections if isinstance(one, LineCollection)]
    assert (seen.facts()["block"] > 1) == (block > 1) and len(strokes) == 2 and len(columns) > 0
    for ends in strokes:
        assert ends[:, :, 0].tolist() == [[column - 0.5, column + 0.5] for column in columns]
        assert ends[:, 0, 1] == pytest.approx(wrong.argmax(axis=1)[columns] - 0.5)
