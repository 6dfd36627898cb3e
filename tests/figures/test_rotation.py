"""The rotation figure: Q before and after, the circles of its pairs, the matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.legend import Legend
from matplotlib.patches import Circle
from typer.testing import CliRunner

import pecli
from pecli.analysis import View
from pecli.cli import app
from pecli.core.errors import UsageError
from pecli.core.lazy import Array
from pecli.core.positions import Positions
from pecli.encodings.rope import Rope
from pecli.figures.rotation import MatrixNumbers, Rotation, RotationNumbers
from pecli.figures.style import style_context

LENGTH, D = 11, 14


def numbers_of(rope: Rope | None = None, start: int = 0, **options: Any) -> RotationNumbers:
    """What the figure computes."""
    view = View((rope or Rope(d=D),), Positions(length=LENGTH, start=start))
    numbers = Rotation.make(options).compute(view)
    assert isinstance(numbers, RotationNumbers)
    return numbers


def panels(**options: Any) -> list[Axes]:
    """The panels of the drawn figure."""
    axes = Drawing(dpi=20).subplots()
    rows = {} if "matrix" in options else {"length": LENGTH}
    pecli.figure("rotation", **rows, d=D, dpi=20, **options).draw(axes)
    return [axes] if axes.axison else [one for one in axes.child_axes if isinstance(one, Axes)]


def image(axes: Axes) -> Array:
    """The numbers that an Axes shows as an image."""
    return np.asarray(axes.get_images()[0].get_array())


def on_rings(numbers: RotationNumbers) -> Array:
    """The paths as they are drawn: each on a circle of its own, the last on the unit circle."""
    rings = np.arange(1, len(numbers.pairs) + 1) / len(numbers.pairs)
    return np.array(numbers.paths * (rings / numbers.radii)[:, None, None])


def test_the_same_vector_stands_at_every_position_before() -> None:
    before = numbers_of().before
    assert before.shape == (LENGTH, D)
    assert np.array_equal(before, np.tile(before[0], (LENGTH, 1)))
    assert len(np.unique(before[0])) == D


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
@pytest.mark.parametrize("content", ["same", "random"])
def test_after_is_before_turned(pairing: str, content: str) -> None:
    rope = Rope(d=D, pairing=pairing)
    numbers = numbers_of(rope, start=5, content=content)
    for row, position in enumerate(range(5, 5 + LENGTH)):
        turned = rope.rotation_matrix(position) @ numbers.before[row]
        assert numbers.after[row] == pytest.approx(turned, abs=1e-13)


def test_the_rotation_makes_the_pattern_that_was_not_there() -> None:
    """The second article's case analysis: what does not vary before varies after, fast columns more than slow ones."""
    numbers = numbers_of(Rope(d=32))
    assert np.ptp(numbers.before, axis=0).max() == 0
    pairs = np.hypot(*np.split(np.ptp(numbers.after, axis=0).reshape(-1, 2), 2, axis=1))[:, 0]
    sizes = np.hypot(numbers.before[0, 0::2], numbers.before[0, 1::2])
    assert np.all(np.diff(pairs / sizes) < 0.1)
    assert pairs[0] / sizes[0] > 100 * pairs[-1] / sizes[-1]


def test_independent_vectors_differ_from_row_to_row() -> None:
    before = numbers_of(content="random").before
    assert len(np.unique(before)) == LENGTH * D


def test_content_has_a_seed() -> None:
    first, same, other = (numbers_of(content_seed=seed).before for seed in (3, 3, 4))
    assert np.array_equal(first, same)
    assert not np.any(first == other)


def test_content_may_be_a_file(tmp_path: Path) -> None:
    table = np.random.default_rng(1).standard_normal((LENGTH, D))
    np.save(tmp_path / "q.npy", table)
    numbers = numbers_of(content=str(tmp_path / "q.npy"))
    assert np.array_equal(numbers.before, table)
    assert numbers.after == pytest.approx(Rope(d=D).rotate(table, np.arange(LENGTH)), abs=1e-15)


def test_a_file_of_another_shape_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "q.npy", np.zeros((LENGTH, D + 2)))
    with pytest.raises(UsageError, match=r"q\.npy' holds 11 × 16 numbers and 11 × 14 are needed"):
        numbers_of(content=str(tmp_path / "q.npy"))


def test_paths_run_on_circles_at_the_pairs_own_speed() -> None:
    rope = Rope(d=D)
    numbers = numbers_of(rope, pairs=(0, 2, 6))
    assert numbers.pairs.tolist() == [0, 2, 6]
    assert numbers.paths.shape == (3, LENGTH, 2)
    for pair, path in zip((0, 2, 6), numbers.paths, strict=True):
        turning = path @ [1, 1j]
        assert np.abs(turning) == pytest.approx(np.hypot(*numbers.before[0, 2 * pair : 2 * pair + 2]))
        steps = np.angle(turning[1:] / turning[:-1])
        assert steps == pytest.approx(np.full(LENGTH - 1, rope.frequencies()[pair]), abs=1e-12)


def test_paths_of_the_half_pairing_take_its_own_columns() -> None:
    numbers = numbers_of(Rope(d=D, pairing="half"), pairs=(3,))
    assert np.array_equal(numbers.paths[0], numbers.after[:, [3, 3 + D // 2]])


@pytest.mark.parametrize(("d", "pairs"), [(14, [0, 2, 4, 6]), (2, [0]), (4, [0, 1]), (128, [0, 21, 42, 63])])
def test_four_pairs_from_the_fastest_to_the_slowest_where_none_are_named(d: int, pairs: list[int]) -> None:
    assert numbers_of(Rope(d=d)).pairs.tolist() == pairs


@pytest.mark.parametrize(("pairs", "said"), [("7", "pairs=7 does not exist: .* pairs 0 to 6"), ("0,-1", "pairs=.?-1")])
def test_a_pair_that_is_not_there_is_refused(pairs: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure("rotation", d=D, pairs=pairs)


def test_before_after_and_paths_stand_beside_each_other() -> None:
    before, after, change, plane = panels(pairs=(0, 2))
    numbers = numbers_of(pairs=(0, 2))
    assert np.array_equal(image(before), numbers.before)
    assert np.array_equal(image(after), numbers.after)
    assert np.array_equal(image(change), numbers.after - numbers.before)
    assert change.get_images()[0].get_clim() == (-np.abs(numbers.change).max(), np.abs(numbers.change).max())
    assert [one.get_title() for one in (before, after, change, plane)] == [
        "Q before",
        "Q after",
        "after − before",
        "pairs in the plane",
    ]
    lines = [line for line in plane.get_lines() if line.get_marker() == "."]
    for line, path in zip(lines, on_rings(numbers), strict=True):
        assert np.asarray(line.get_xydata()) == pytest.approx(path)
        assert (line.get_linestyle(), line.get_marker()) == ("None", ".")  # one dot a position, not a polygon
    rings = [line for line in plane.get_lines() if line not in lines]
    assert np.concatenate([ring.get_xydata() for ring in rings]) == pytest.approx(on_rings(numbers)[:, 0])
    assert [(ring.get_marker(), ring.get_markeredgecolor()) for ring in rings] == [("o", "black"), ("s", "black")]
    assert [ring.get_color() for ring in rings] == [line.get_color() for line in lines]
    (left, bottom), (right, top) = plane.transData.transform([(-1, -1), (1, 1)])
    assert right - left == pytest.approx(top - bottom, rel=0.02)  # a circle is one


def test_the_key_says_how_far_each_pair_turns() -> None:
    plane = panels(pairs=(0, 2), start=1009)[3]
    (legend,) = plane.findobj(Legend)
    assert plane.get_title() == "pairs in the plane"
    assert legend.get_title().get_text() == "pair j"
    degrees = 360 * (LENGTH - 1) / (2 * np.pi) * 10000 ** (-4 / D)
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == [f"0: {(LENGTH - 1) / (2 * np.pi):.3g} turns", f"2: {degrees:.3g}°"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, f"from position 0 to 10 pair 0 covers {10 / (2 * np.pi):.3g} turns, pair 6 only 0.214°"),
        ({"base": 10}, "from position 0 to 10 pair 0 covers 1.59 turns, pair 6 only 79.6°"),
        ({"rotary_dim": 4}, "from position 0 to 10 pair 0 covers 1.59 turns, pair 1 only 5.73°"),
        ({"rotary_dim": 2}, ""),
    ],
)
def test_the_message_is_how_far_the_fastest_and_the_slowest_pair_turn(options: dict[str, Any], said: str) -> None:
    assert numbers_of(Rope(d=D, **options)).message() == said


def test_the_turns_that_are_said_are_those_of_the_path_that_is_drawn() -> None:
    numbers = numbers_of(start=1009, pairs=(0,))
    angles = np.unwrap(np.arctan2(*numbers.paths[0, :, ::-1].T))
    said = f"from position 1,009 to 1,019 pair 0 covers {(angles[-1] - angles[0]) / (2 * np.pi):.3g} turns"
    assert numbers.message().startswith(said)


@pytest.mark.parametrize(
    ("size", "most"), [("column", 6.1), ("page", 5.2), ("slide", 7.5), ("5x3", 3.0), ("4x7", 7.0), ("7cmx14cm", 5.52)]
)
def test_circles_stand_whole_and_round_in_a_square_with_their_key_beside_it(size: str, most: float) -> None:
    picture = pecli.figure("rotation", length=8, d=8, size=size, dpi=40)
    with style_context(picture.job.canvas, "a"):
        drawing = picture._drawing()
        plane = next(one for one in drawing.axes if one.get_title() == "pairs in the plane")
        (key,) = (one.get_window_extent() for one in plane.findobj(Legend))
    assert drawing.get_size_inches()[1] < most + 0.01
    circles = [one.get_window_extent() for one in plane.patches if isinstance(one, Circle)]
    (left, bottom), (right, top) = plane.transData.transform([(-1, -1), (1, 1)])
    assert right - left == pytest.approx(top - bottom)
    assert key.height < plane.bbox.height + 1 and key.x1 < plane.bbox.x1 + 1
    for circle in circles:
        assert plane.bbox.x0 < circle.x0 and circle.x1 < plane.bbox.x1
        assert plane.bbox.y0 < circle.y0 and circle.y1 < plane.bbox.y1
        assert circle.x1 < key.x0 or circle.y1 < key.y0
    assert max(one.width for one in circles) > 0.35 * min(plane.bbox.width, plane.bbox.height)


def test_the_key_of_many_pairs_has_two_columns_above_the_circles() -> None:
    picture = pecli.figure("rotation", length=8, d=64, pairs=range(32), size="column", dpi=40)
    with style_context(picture.job.canvas, "a"):
        drawing = picture._drawing()
        plane = next(one for one in drawing.axes if one.get_title() == "pairs in the plane")
        (key,) = (one.get_window_extent() for one in plane.findobj(Legend))
        circles = [one.get_window_extent() for one in plane.patches if isinstance(one, Circle)]
    assert len(circles) == 32 and key.x1 < plane.bbox.x1 and max(one.y1 for one in circles) < key.y0


@pytest.mark.parametrize("pairs", [(0,), (0, 2), tuple(range(7))])
def test_circles_and_arrows_stand_clear_of_each_other(pairs: tuple[int, ...]) -> None:
    """Each pair has a circle of its own, and its arrow runs between that and the one inside of it."""
    plane = panels(pairs=pairs)[3]
    circles = [one.get_radius() for one in plane.patches if isinstance(one, Circle)]
    assert circles == pytest.approx(np.arange(1, len(pairs) + 1) / len(pairs))
    arrows = [np.hypot(*arrow.xy) for arrow in plane.texts]  # type: ignore[attr-defined]  # Annotations
    for inner, arrow, circle in zip([0.0, *circles[:-1]], arrows, circles, strict=True):
        assert inner + 0.02 < arrow < circle - 0.1 * circles[0]


@pytest.mark.parametrize("start", [0, 1009])
def test_pairs_turn_the_way_that_arrows_point(start: int) -> None:
    plane = panels(pairs=(0, 2), start=start)[3]
    paths = on_rings(numbers_of(pairs=(0, 2), start=start))
    for arrow, path in zip(plane.texts, paths, strict=True):
        (x, y), (to_x, to_y) = path[0], arrow.xy  # type: ignore[attr-defined]  # an Annotation
        assert x * to_y - y * to_x > 0  # counterclockwise, as from the first position to the second
    assert all(np.linalg.det(path[:2]) > 0 for path in paths)


def test_an_arrow_goes_no_farther_than_its_pair() -> None:
    """As far as a slow pair turns or, where that is hardly seen, little more than its head; a fast one turns on."""
    axes = Drawing(dpi=20).subplots()
    pecli.figure("rotation", d=128, length=200, pairs=[0, 42, 63], dpi=20).draw(axes)
    plane: Any = next(one for one in axes.child_axes if isinstance(one, Axes) and one.get_title().startswith("pairs"))
    spans = [np.angle(complex(*one.xy) / complex(*one.xyann)) for one in plane.texts]
    assert spans[1] == pytest.approx(199 / 10000 ** (42 / 64)) and spans[2] < spans[1] / 2 < 0.4 < spans[0]


def test_a_pair_that_is_nothing_has_no_arrow(tmp_path: Path) -> None:
    np.save(tmp_path / "q.npy", np.ones((LENGTH, D)) * (np.arange(D) > 1))
    plane = panels(content=str(tmp_path / "q.npy"), pairs=(0, 2))[3]
    assert len(plane.texts) == 1 and all(np.all(np.isfinite(line.get_xydata())) for line in plane.get_lines())


@pytest.mark.parametrize(("size", "beside"), [("slide", True), ("4x9", False)])
def test_circles_stand_large_beside_the_images_or_last(size: str, beside: bool) -> None:
    """As tall as all three where the page is wide."""
    picture = pecli.figure("rotation", length=8, d=8, size=size, dpi=40)
    with style_context(picture.job.canvas, "a"):
        *images, plane = (axes.bbox for axes in picture._drawing().axes if axes.get_label() != "<colorbar>")
    ends = min(one.y0 for one in images), max(one.y1 for one in images)
    assert ((plane.y0, plane.y1) == pytest.approx(ends, abs=2)) == beside
    assert (plane.x0 > max(one.x1 for one in images)) == beside


def test_circles_stand_beside_all_images_and_the_matrix_alone() -> None:
    before, after, change, plane = (one.get_position() for one in panels())
    assert before.y0 > after.y1 and after.y0 > change.y1
    assert plane.x0 > before.x1 and (plane.y0, plane.y1) == (change.y0, before.y1)
    assert len(panels(matrix=5)) == 1


def test_before_and_after_share_symmetric_colours() -> None:
    before, after, *_ = panels()
    low, high = before.get_images()[0].get_clim()
    numbers = numbers_of()
    assert (low, high) == after.get_images()[0].get_clim()
    assert {one.get_images()[0].get_cmap().name for one in (before, after)} == {"RdBu_r"}
    assert high == -low == max(np.abs(numbers.before).max(), np.abs(numbers.after).max())


def test_positions_run_down_from_start() -> None:
    before, *_ = panels(start=100)
    assert before.get_ylabel() == "position p"
    assert list(before.get_images()[0].get_extent()) == [-0.5, D - 0.5, 110.5, 99.5]


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_matrix_draws_r_p(pairing: str) -> None:
    (axes,) = panels(matrix=29, pairing=pairing)
    assert np.array_equal(image(axes), Rope(d=D, pairing=pairing).rotation_matrix(29))
    assert axes.get_images()[0].get_clim() == (-1, 1)
    assert "29" in axes.get_title()


def test_a_matrix_that_stretches_has_colours_for_all_its_numbers() -> None:
    rope = "rope:scaling=yarn,factor=16,original=4096"
    (axes,) = panels(matrix=29, encoding=rope)
    assert axes.images[0].get_clim()[1] == pytest.approx(np.abs(image(axes)).max()) and np.abs(image(axes)).max() > 1.2


def test_matrix_of_position_0_is_the_unit_matrix() -> None:
    numbers = pecli.figure("rotation", d=D, matrix=0).numbers
    assert isinstance(numbers, MatrixNumbers)
    assert np.array_equal(numbers.matrix, np.eye(D))


@pytest.mark.parametrize("words", [("-n", "11"), ("--matrix", "5")])
def test_numbers_of_either_picture_are_written(words: tuple[str, ...], tmp_path: Path) -> None:
    for name in ("r.npy", "r.csv"):
        ended = CliRunner().invoke(app, ["rotation", "-d", "14", *words, "-o", str(tmp_path / name)])
        assert ended.exit_code == 0
    expected = Rope(d=D).rotation_matrix(5) if "--matrix" in words else numbers_of().after
    assert np.array_equal(np.load(tmp_path / "r.npy"), expected)
    assert np.loadtxt(tmp_path / "r.csv", delimiter=",", skiprows=1)[:, 1:] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("encoding", ["sinusoidal", "clock", "geometric", "binary", "learned", "relative"])
def test_what_cannot_be_rotated_is_refused_naming_the_figures_that_fit(encoding: str, tmp_path: Path) -> None:
    target = tmp_path / "never.png"
    ended = CliRunner().invoke(app, ["rotation", "-e", encoding, "-o", str(target)])
    assert ended.exit_code == 2
    assert f"rotation cannot show {encoding}" in ended.stderr
    assert "try heatmap, distance" in ended.stderr
    assert "rotation," not in ended.stderr.partition("try ")[2]
    assert ended.stderr.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-d", "7"), "even d"),
        (("--content", "none.npy"), "none.npy does not exist"),
        (("--content", "differnt"), "differnt"),
        (("--matrix", "1.5"), "--matrix 1.5"),
        (("--content-seed=-1",), "--content-seed -1"),
    ],
)
def test_a_mistake_is_one_line_and_2(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    ended = CliRunner().invoke(app, ["rotation", *words, "-n", "5", "-o", str(tmp_path / "never.png")])
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("content", ["same", "random"])
def test_more_positions_than_pixels_are_averaged_and_the_caption_says_so(content: str) -> None:
    picture = pecli.figure("rotation", length=2051, start=7, d=6, content=content, content_seed=3, size="5x3", dpi=40)
    size, shown, every = picture.seen.facts()["block"], picture.seen.arrays(), picture.numbers.arrays()
    assert size > 1 and f"each pixel: mean of {size} positions" in picture.caption()
    random = np.random.default_rng(3)
    rows = np.tile(random.standard_normal(6), (2051, 1)) if content == "same" else random.standard_normal((2051, 6))
    assert np.array_equal(every["before"], rows)
    assert np.array_equal(every["after"], pecli.encoding("rope:d=6").rotate(rows, 7 + np.arange(2051.0)))
    means = np.array([every["after"][at : at + size].mean(axis=0) for at in range(0, 2051, size)])
    np.testing.assert_allclose(shown["after"], means, rtol=0, atol=1e-14)
    assert shown["paths"].shape == every["paths"].shape


def test_the_caption_says_which_seed_made_the_query() -> None:
    assert "random Q, seed 3" in numbers_of(content_seed=3).caption()
