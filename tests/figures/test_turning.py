"""Tests of the figures dials and rotation: clock faces and rotated queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle, Wedge

import pecli
from pecli.analysis import View
from pecli.core.errors import UsageError
from pecli.core.language import enumerated, join_title, listing, say
from pecli.core.lazy import Array
from pecli.core.positions import Positions
from pecli.encodings.base import Rotary
from pecli.encodings.rope import Rope
from pecli.encodings.spec import read_encoding
from pecli.figures.rotation import Rotation, rotation_text
from pecli.page.colors import legible
from tests.drawing import axes_of, clauses, numbers_of, page_of, panels_of, texts, told

PAIRS = [say("words.pair_pair", pair=pair) for pair in range(8)]


def dials(**options: Any) -> Any:
    return numbers_of("dials", **options)


def hands(**options: object) -> Any:
    """Return the tip of every hand from the middle of its face, in radii, shape (rows, columns, 2)."""
    picture = pecli.figure("dials", **options)
    axes: Any = picture.draw(Drawing().subplots())
    rows, columns = picture.seen.main.shape
    across, down = axes.get_xticks()[-columns:], axes.get_yticks()  # their texts say what stands there
    lines = [np.array(line.get_data()).T for line in axes.lines if len(line.get_xdata()) == 2]
    own = [line for line in lines if line[0, 0] >= across[0] - 0.01]  # of a clock all hands stand on a face before
    segments = np.array(sorted(own, key=lambda line: (-round(line[0, 1], 9), line[0, 0])))
    assert segments[:, 0] == pytest.approx(np.array([(x, y) for y in down for x in across]))
    assert len(across) == columns and len(down) == rows
    return ((segments[:, 1] - segments[:, 0]) / 0.4 / 0.86).reshape(rows, columns, 2)


@pytest.mark.long
@pytest.mark.parametrize("d", [6, 7])
def test_the_tip_of_a_hand_is_the_sine_and_the_cosine_of_its_pair(d: int) -> None:
    at = [0, 1, 50, -7]
    table = np.hstack([pecli.encode(d=d + d % 2, base=10 ** ((d + d % 2) / d), length=1, start=p) for p in at])
    expected = table.reshape(len(at), -1, 2)
    assert hands(d=d, base=10, at=at) == pytest.approx(expected, abs=1e-12)


@pytest.mark.long
def test_hands_turn_clockwise_and_rows_say_the_time() -> None:
    (seconds, minutes, hours), half_past = hands(encoding="clock", at=["3:00", "00:30:00"])
    assert [*seconds, *minutes, *hours] == pytest.approx([0, 1, 0, 1, 1, 0], abs=1e-12)  # the hour hand to the right
    assert half_past[1] == pytest.approx([0, -1], abs=1e-12)
    axes: Any = pecli.figure("dials", encoding="clock", at=[10981, 1800]).draw(Drawing().subplots())
    assert texts(axes.get_yticklabels()) == ["03:03:01", "00:30:00"]


def test_every_dial_is_named_with_its_wavelength() -> None:
    axes: Any = pecli.figure("dials", d=4, base=100, at=[0]).draw(Drawing().subplots())
    assert texts(axes.get_xticklabels()) == [f"{PAIRS[0]}\nλ 6.28", f"{PAIRS[1]}\nλ 62.8"]
    (width,), (height,) = (abs(np.diff(ends)) for ends in (axes.get_xlim(), axes.get_ylim()))
    assert axes.get_box_aspect() == pytest.approx(height / width) == 1 / 2.6  # so that a circle is round


@pytest.mark.parametrize(
    ("length", "start", "rows"),
    [
        (200, 7, [7, 8, 17, 107]),
        (1, -3, [-3]),
        (200, -30, [0, 1, 10, 100]),
        (4, 0, [0, 1, 2, 3]),
        (100, 0, [0, 1, 10]),
        (101, 0, [0, 1, 10, 100]),
        (10**6, 0, [0, 1, 100, 10**5]),
    ],
)
def test_without_positions_four_at_most_grow_so_that_fast_and_slow_hands_turn(
    length: int, start: int, rows: list[int]
) -> None:
    assert dials(length=length, start=start).positions.tolist() == rows


@pytest.mark.parametrize(("d", "count"), [(128, 8), (16, 8), (14, 7), (7, 4), (1, 1)])
def test_without_pairs_eight_at_most_are_spread_from_the_first_to_the_last(d: int, count: int) -> None:
    pairs = dials(d=d).pairs.tolist()
    assert len(pairs) == count == len(set(pairs))
    assert (pairs[0], pairs[-1]) == (0, (d + 1) // 2 - 1)


def test_pairs_and_positions_are_the_users_in_their_order_and_numbers_are_angles() -> None:
    found = dials(d=128, pairs=[63, 0], at=[10**9, 3])
    assert found.wavelengths == pytest.approx([2 * np.pi * 10000 ** (63 / 64), 2 * np.pi])
    header, (positions, *angles) = found.sheet()
    assert header == ["positions", "pair 63", "pair 0"] and positions.tolist() == [10**9, 3]  # beyond the length too
    assert angles[1][1] == pytest.approx(3) and np.abs(angles).max() <= np.pi


@pytest.mark.long
@pytest.mark.parametrize(
    ("figure", "encoding", "said"),
    [
        ("dials", "rope", [say("waves.wavelength_in", units=say("words.positions"))]),
        ("dials", "clock", []),
        ("compare", ["clock", "rope:d=4"], [say("waves.wavelength_in", units=say("words.positions"))]),
    ],
)
def test_the_caption_says_where_0_is_and_which_way_hands_turn(figure: str, encoding: Any, said: list[str]) -> None:
    options = {"figure": "dials"} if figure == "compare" else {}
    caption = pecli.figure(figure, encoding=encoding, length=5, **options).caption()
    assert clauses(caption) == [say("dials.hands_turn_clockwise_from"), *said]


@pytest.mark.parametrize(
    ("encoding", "pairs", "said"),
    [
        (
            "rope:d=4,base=100", None, say("dials.pair_turns_every", fast=PAIRS[0], slow=PAIRS[1], slowly="62.8",
                                           every=say("encoding.count_positions", count="6.28")),
        ),
        (
            "clock", None, say("dials.the_turns_times_more", ratio="720",
                               slow=say("clock.hour_hand"), fast=say("clock.second_hand")),
        ),
        ("clock", [1], ""),
    ],
)  # fmt: skip
def test_the_fastest_and_the_slowest_hand_are_named(encoding: str, pairs: Any, said: str) -> None:
    assert dials(encoding=encoding, pairs=pairs, length=5).message() == said


def test_at_one_time_the_headline_of_a_clock_says_where_its_hands_stand() -> None:
    found = dials(encoding="clock", at=[10860])
    angles = enumerated(["0°", "6°", "90.5°"])
    assert found.message() == say("dials.hands_stand", position="03:01:00", angles=angles)
    texts_of = texts(axes_of("dials", encoding="clock", at=[10860]).texts)
    assert {"sin 0.00 · cos 1.00", "sin 0.10 · cos 0.99", "sin 1.00 · cos −0.01"} <= {*texts_of}


@pytest.mark.long
def test_what_is_swept_is_shaded_and_full_turns_are_counted() -> None:
    options: dict[str, Any] = {"encoding": "sinusoidal:d=16", "at": [0, 10, 100, -7], "size": "page"}
    found = dials(**options)
    waves = 2 * np.pi * 10000 ** (np.arange(8) / 8)
    assert np.array_equal(found.turns, np.trunc(np.array(options["at"])[:, None] / waves))
    axes = page_of("dials", **options).axes[0]
    wedges = [(*own.center, own.theta2 - own.theta1) for own in axes.patches if isinstance(own, Wedge)]
    step = axes.get_xticks()[1]
    drawn = {(round(-y), round(x / step)): angle for x, y, angle in wedges}
    ways = np.degrees(np.array(options["at"])[:, None] / waves * 2 * np.pi) % 360
    assert drawn == pytest.approx({at: float(ways[at]) for at in np.ndindex(ways.shape) if ways[at]})
    counts = {(round(-text.xy[1] - 0.4), round(text.xy[0] // step)): text.get_text() for text in axes.texts}
    assert counts == {(1, 0): "+ 1", (2, 0): "+ 15", (2, 1): "+ 5", (2, 2): "+ 1", (3, 0): "− 1"}
    red = [label.get_text() for label in axes.get_xticklabels() if label.get_color() == "C1"]
    assert red == [f"{PAIRS[0]}\nλ 6.28", f"{PAIRS[7]}\nλ 19,869"]  # those that the headline names
    assert len(page_of("dials", **{**options, "size": "column"}).axes[0].get_xticks()) == 4


LENGTH, D = 11, 14


@dataclass(frozen=True)
class Quarters(Rotary):
    """The only pair is turned by a quarter each position: no waves, no rope."""

    name: ClassVar[str] = "quarters"

    @property
    def width(self) -> int:
        return 2

    def rotate(self, x: Array, positions: Array) -> Array:
        turned = (x[..., 0] + 1j * x[..., 1]) * 1j**positions
        return np.stack([turned.real, turned.imag], axis=-1)

    def table(self, positions: Array) -> Array:
        return self.rotate(np.tile([1.0, 0.0], (len(positions), 1)), positions)

    def split(self, x: Array) -> tuple[Array, Array]:
        return x[..., :1], x[..., 1:]

    def rotation_written_out(self, x: Array, position: int, column: int) -> list[str]:
        return [f"{x[column]}"]


def rotated(**options: Any) -> Any:
    """Return the numbers of the figure."""
    return numbers_of("rotation", **{"length": LENGTH, "d": D, **options})


def panels(**options: Any) -> list[Any]:
    """Return the panels of the drawn figure: before, after, circles."""
    return [
        panel
        for panel in panels_of("rotation", **{"length": LENGTH, "d": D, "dpi": 20, **options})
        if panel.get_title()
    ]


def on_rings(numbers: Any) -> Array:
    """Return the paths as they are drawn: each on a circle of its own, the last on the unit circle, from the top."""
    rings = np.linspace(0.4, 1, len(numbers.pairs))
    paths = numbers.paths @ [1, 1j]
    paths = paths / paths[:, :1] * 1j * rings[:, None]
    return np.stack([paths.real, paths.imag], axis=-1)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_after_is_before_turned(pairing: str) -> None:
    numbers, rope = rotated(pairing=pairing, start=5, content="random"), Rope(d=D, pairing=pairing)
    turned = [rope.rotation_matrix(5 + row) @ before for row, before in enumerate(numbers.before)]
    assert numbers.after == pytest.approx(np.array(turned), abs=1e-13)


def test_paths_run_on_circles_at_the_pairs_own_speed() -> None:
    numbers, speeds = rotated(pairs=(0, 2, 6)), Rope(d=D).frequencies()
    for pair, path in zip((0, 2, 6), numbers.paths @ [1, 1j], strict=True):
        assert np.abs(path) == pytest.approx(np.hypot(*numbers.before[0, 2 * pair : 2 * pair + 2]))
        assert np.angle(path[1:] / path[:-1]) == pytest.approx(np.full(LENGTH - 1, speeds[pair]), abs=1e-12)


@pytest.mark.parametrize(("d", "pairs"), [(14, [0, 2, 4, 6]), (2, [0]), (4, [0, 1]), (128, [0, 21, 42, 63])])
def test_four_pairs_from_the_fastest_to_the_slowest_where_none_are_named(d: int, pairs: list[int]) -> None:
    assert rotated(d=d).pairs.tolist() == pairs


def test_a_pair_that_turns_once_is_said_to_make_one_turn() -> None:
    assert [rotation_text(turns) for turns in (1.0, 2.0)] == [
        say("rotation.one_turn"),
        say("rotation.turns", turns="2"),
    ]


@pytest.mark.long
def test_the_names_of_pairs_stand_on_their_circles_in_their_colours() -> None:
    plane = panels(pairs=(0, 2), start=1009)[2]
    assert plane.get_title() == say("rotation.of_pairs_in_their", count=2, all=7)
    first, *names = plane.texts
    assert first.get_text() == say("rotation.position_number", position="1,009")
    assert first.xy[1] > 1  # where all begin, at the top
    turns = 10 * 10000 ** (-np.array([0, 2]) / 7) / (2 * np.pi)
    angles = (say("rotation.turns", turns=f"{turns[0]:.3g}"), f"{360 * turns[1]:.2g}°")
    for name, pair, turned in zip(names, (0, 2), angles, strict=True):
        assert name.get_text().split("\n") in ([PAIRS[pair], turned], [join_title([PAIRS[pair], turned])])
    dots = [line for line in plane.lines if line.get_marker() == "."]
    assert [name.get_color() for name in names] == [legible(line.get_color(), plane) for line in dots]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, {"slow": 6, "little": "0.21"}),
        ({"base": 10}, {"slow": 6, "little": "80"}),
        ({"rotary_dim": 4}, {"slow": 1, "little": "5.7"}),
        ({"rotary_dim": 2}, {}),
    ],
)
def test_the_message_is_how_far_the_fastest_and_the_slowest_pair_turn(
    options: dict[str, Any], said: dict[str, Any]
) -> None:
    ours = {"key": "rotation.from_position_to_pair_turns", "much": f"{10 / (2 * np.pi):.3g}", **said} if said else {}
    assert told(rotated(**options).message(), ours) == ours


@pytest.mark.parametrize("content", ["same", "random"])
def test_more_positions_than_pixels_are_averaged_and_of_pairs_every_other_one_is_shown(content: str) -> None:
    options: Any = {"length": 2051, "start": 7, "d": 6, "content": content, "content_seed": 3}
    every, shown = (numbers_of("rotation", panels, **options) for panels in (None, ((100, 6),)))
    dots, pairs = say("rotation.dot_for_each_position", position=7), say("waves.every_second_pair_drawn")
    averaged = say("figures.each_pixel_is_the_mean", cells=say("words.count_positions", count=21))
    assert clauses(shown.caption()) == [dots, averaged, say("rotation.q_note", note=pairs)]
    random = np.random.default_rng(3)
    rows = np.tile(random.standard_normal(6), (2051, 1)) if content == "same" else random.standard_normal((2051, 6))
    assert np.array_equal(every.before, rows)
    assert np.array_equal(every.after, pecli.encoding("rope:d=6").rotate(rows, 7 + np.arange(2051.0)))
    runs = [every.after[at : at + 21, [0, 1, 4, 5]].mean(axis=0) for at in range(0, 2051, 21)]
    np.testing.assert_allclose(shown.after, runs, rtol=0, atol=1e-14)
    assert np.array_equal(shown.paths, every.paths)


def test_content_is_from_a_seed_or_a_file(folder: Path) -> None:
    first, other = (rotated(content_seed=seed).before for seed in (3, 4))
    assert not np.any(first == other)
    table = np.random.default_rng(1).standard_normal((LENGTH, D))
    np.save("q.npy", table)
    assert np.array_equal(rotated(content="q.npy").before, table)
    np.save("q.npy", np.zeros((LENGTH, D + 2)))
    with pytest.raises(UsageError, match=r"q\.npy has 11 × 16 numbers, but 11 × 14 are needed"):
        rotated(content="q.npy")


@pytest.mark.long
def test_before_after_and_paths_stand_beside_each_other() -> None:
    before, after, plane = panels(pairs=(0, 2), start=100)
    numbers = rotated(pairs=(0, 2), start=100)
    for axes, array in ((before, numbers.before), (after, numbers.after)):
        (image,) = axes.get_images()
        low, high = image.get_clim()
        assert np.array_equal(image.get_array(), array) and low == -high
        assert list(image.get_extent()) == [-0.5, D - 0.5, 110.5, 99.5] and image.get_cmap().name == "signed"
    assert before.images[0].get_clim() == after.images[0].get_clim()
    keys = ("rotation.q_before_rotation", "rotation.q_after_rotation")
    assert [item.get_title() for item in (before, after)] == [say(key) for key in keys]
    lines = [line for line in plane.get_lines() if line.get_marker() == "."]
    for line, path in zip(lines, on_rings(numbers), strict=True):
        assert np.asarray(line.get_xydata()) == pytest.approx(path)
        assert line.get_linestyle() == "None"  # one dot a position, not a polygon
        assert line.get_xydata()[0] == pytest.approx([0, np.hypot(*path[0])], abs=1e-12)  # all begin at the top
    marks = [line.get_xdata()[0] for line in after.get_lines()]
    assert marks == [0.5, 4.5]  # above the columns of both pairs
    top, bottom, circles = (item.get_position() for item in (before, after, plane))
    assert top.y0 > bottom.y1
    assert circles.x0 > top.x1 and (circles.y0, circles.y1) == (bottom.y0, top.y1)


@pytest.mark.long
@pytest.mark.parametrize("size", ["column", "5x3", "4x7"])
def test_circles_stand_whole_and_round(size: str) -> None:
    page = page_of("rotation", length=8, d=8, size=size, dpi=40)
    plane = next(ax for ax in page.axes if ax.get_title() == say("rotation.pairs_in_their_planes"))
    for circle in (patch.get_window_extent() for patch in plane.patches if isinstance(patch, Circle)):
        assert circle.width == pytest.approx(circle.height)
        assert plane.bbox.x0 < circle.x0 and circle.x1 < plane.bbox.x1
        assert plane.bbox.y0 < circle.y0 and circle.y1 < plane.bbox.y1


@pytest.mark.long
def test_each_pair_has_a_circle_on_which_it_turns_counterclockwise(folder: Path) -> None:
    plane = panels(pairs=range(7))[2]
    circles = [patch.get_radius() for patch in plane.patches if isinstance(patch, Circle)]
    assert circles == pytest.approx(np.linspace(0.4, 1, 7))
    assert all(np.linalg.det(path[:2]) > 0 for path in on_rings(rotated(pairs=range(7))))
    np.save("q.npy", np.ones((LENGTH, D)) * (np.arange(D) > 1))  # of pair 0 nothing turns
    plane = panels(content="q.npy", pairs=(0, 2))[2]
    assert all(np.all(np.isfinite(line.get_xydata())) for line in plane.get_lines())


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({"pairing": "interleaved"}, 1),
        ({"pairing": "half"}, 1),
        ({"scaling": "yarn", "factor": 16, "original": 4096}, 1.277),
    ],
)
def test_matrix_draws_r_p(options: dict[str, Any], limit: float) -> None:
    axes, _ = panels_of("rotation", d=D, matrix=29, dpi=20, **options)
    assert np.array_equal(axes.images[0].get_array(), Rope(d=D, **options).rotation_matrix(29))
    assert axes.images[0].get_clim() == pytest.approx((-limit, limit), abs=1e-3) and "29" in axes.get_title()


@pytest.mark.some(2)
@pytest.mark.parametrize("spec", ["sinusoidal:d=14", "sinusoidal:d=14,layout=concatenated", "clock", "geometric:d=8"])
def test_matrix_draws_m_k_of_sinusoids(spec: str) -> None:
    axes, _ = panels_of("rotation", encoding=spec, matrix=29, dpi=20)
    encoding: Any = read_encoding(spec)
    assert np.array_equal(axes.images[0].get_array(), encoding.shift_matrix(29))
    assert axes.get_title() == say("rotation.shift_matrix_m_k", offset=29)


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-d", "7"), "even d"),
        (("-d", "14", "--pairs", "7"), "--pairs 7 does not exist"),
        (("--content", "none.npy"), "none.npy does not exist"),
        (("--matrix", "1", "--pairs", "2"), "shows the matrix of that position and no query"),
        (("-e", "binary"), "rotation cannot show binary, which has no rotation or frequencies: try heatmap, distance"),
        (("sinusoidal",), "sinusoidal rotates no query"),
        (("sinusoidal", "-d", "7", "--matrix", "3"), "the sin in dimension 6 has no cos beside it"),
        (("sincos2d", "--grid", "3x3", "--matrix", "3"), "has positions in a grid"),
        (("sinusoidal:dtype=float16", "--matrix", "3"), "M_k is exact in float64, not in float16"),
    ],
)
def test_a_mistake_is_one_line(words: tuple[str, ...], said: str, ask: Callable[..., Any]) -> None:
    ended = ask("rotation", *words, "-o", "never.png")
    code = 1 if "none.npy" in said else 2
    assert (ended.code, ended.err.count("\n")) == (code, 1) and said in ended.err


def test_whatever_turns_is_shown() -> None:
    """No waves, no rope: a quarter each position."""
    view = View((Quarters(),), Positions(length=9))
    turned, matrix = Rotation().compute(view), Rotation(matrix=1).variant(view).compute(view)
    assert turned.main[4] == pytest.approx(-turned.main[2])
    assert matrix.main == pytest.approx(np.array([[0.0, -1.0], [1.0, 0.0]]))


@pytest.mark.long
@pytest.mark.parametrize(("size", "turned"), [("column", 90), ("page", 0)])
def test_names_of_dials_are_turned_where_they_would_touch(size: str, turned: int) -> None:
    axes = page_of("dials", d=16, pairs=range(8), size=size, dpi=40).axes[0]
    assert texts(axes.get_yticklabels()) == ["p = 0", "p = 1", "p = 10", "p = 100"]
    names = axes.get_xticklabels()
    parts = [PAIRS[1], "λ 19.9"]
    assert texts(names)[1] == (listing(parts) if turned else "\n".join(parts))
    assert {name.get_rotation() for name in names} == {turned}
    hands = [np.array(line.get_data()).T[0] for line in axes.lines if len(line.get_xdata()) == 2]  # by position
    place, beside = hands[:2]
    assert place.tolist() == [0, 0] and beside[0] > 1 and beside[1] == 0


@pytest.mark.parametrize(("size", "kept"), [("page", 1), ("column", 2)])
def test_faces_of_one_time_have_the_numerals_of_their_hands(size: str, kept: int) -> None:
    axes = axes_of("dials", encoding="clock", at=[10981], size=size)
    found = [text.get_text() for text in axes.texts if text.get_text().isdigit()]
    turns = [["12", "3", "6", "9"], *[["60", "15", "30", "45"]] * 2, ["12", "3", "6", "9"]]
    assert found == [numeral for turn in turns for numeral in turn[::kept]]
    several = axes_of("dials", encoding="clock", at=[1, 10], size=size)
    assert not [text for text in several.texts if text.get_text().isdigit()]


@pytest.mark.long
@pytest.mark.parametrize(("pairs", "fast", "slow"), [(None, 0, 15), ([9, 2, 6], 2, 9)])
def test_the_headline_of_a_rotation_names_pairs_that_are_drawn(pairs: list[int] | None, fast: int, slow: int) -> None:
    seen: Any = pecli.figure("rotation", encoding="rope:d=32", length=64, pairs=pairs).seen
    said = {"key": "rotation.from_position_to_pair_turns", "fast": fast, "slow": slow}
    assert told(seen.message(), said) == said
