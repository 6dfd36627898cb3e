"""Tests of positions on a grid: comparison with other libraries, and mathematical properties."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import finding, say
from tests.drawing import numbers_of

REFERENCE = np.load(Path(__file__).parents[1] / "data/grids.npz")
GRIDS = ["3x5", "7x4", "1x6"]


@pytest.mark.parametrize("grid", GRIDS)
def test_tables_are_those_of_other_libraries(grid: str) -> None:
    assert pecli.encode("sincos2d", d=24, grid=grid) == pytest.approx(REFERENCE[f"mae_{grid}"], abs=1e-6)
    detr = pecli.encode("sincos2d", d=24, grid=grid, first="row", layout="interleaved", scale_grid="detr")
    assert detr.T.reshape(REFERENCE[f"detr_{grid}"].shape) == pytest.approx(REFERENCE[f"detr_{grid}"], abs=1e-6)


def test_a_video_has_three_axes() -> None:
    table = pecli.encode("sincos2d", d=24, grid=(2, 3, 5), first="row", layout="interleaved")
    assert table == pytest.approx(REFERENCE["three_axes_2x3x5"], abs=1e-6)


@pytest.mark.some(2)
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize(("library", "options"), [
    ("qwen2vl_vision", {}),
    ("pixtral", {"axes": "alternating"}),
    ("dinov3", {"scale_grid": "dinov3", "base": 100}),
])  # fmt: skip
def test_cosines_and_sines_of_rotary_axes_are_those_of_released_models(
    grid: str, library: str, options: dict[str, Any]
) -> None:
    cosines, sines = np.split(pecli.encode("rope", d=24, grid=grid, pairing="half", **options), 2, axis=1)
    expected = REFERENCE[f"{library}_{grid}"][..., :12]
    assert np.stack([cosines, sines]) == pytest.approx(expected, abs=3e-6)


def test_interleaved_sections_turn_as_in_qwen3_vl() -> None:
    rope = pecli.encoding("rope:d=24,sections=4,4,4,interleaved=true,grid=40x40x40")
    places = REFERENCE["qwen3vl_positions"]
    table = rope.table(np.ravel_multi_index(places, (40, 40, 40)))
    expected = REFERENCE["qwen3vl"][..., :12]
    assert np.stack([table[:, ::2], table[:, 1::2]]) == pytest.approx(expected, abs=3e-6)


def test_sections_of_one_coordinate_are_plain_rope() -> None:
    plain = pecli.encode("rope", d=24, length=9)
    for options in ({"sequence": "9"}, {"length": 9}, {"length": 9, "interleaved": True}):
        assert pecli.encode("rope", d=24, sections=(3, 4, 5), **options) == pytest.approx(plain, abs=1e-15)


def test_a_sequence_with_an_image_is_numbered_as_in_qwen2_vl() -> None:
    rope: Any = pecli.encoding("rope:d=16,sections=2,3,3", sequence="4, 1x2x3, 4")
    assert rope.places.tolist() == [
        [0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 7, 8, 9, 10],
        [0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 7, 8, 9, 10],
        [0, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8, 9, 10],
    ]
    assert rope.rates() == pecli.encoding("rope:d=16").rates()


@pytest.mark.parametrize("kernel", ["bicubic", "bilinear"])
@pytest.mark.parametrize("size", ["7x4", "2x9"])
def test_a_table_is_resized_as_models_do(kernel: str, size: str, folder: Path) -> None:
    rows = REFERENCE["rows_3x5"]
    np.save("table.npy", np.concatenate([np.ones((1, 2)), rows]))
    table = pecli.encode("learned:file=table.npy", grid="3x5", resize=size, resize_by=kernel)
    assert table == pytest.approx(REFERENCE[f"{kernel}_{size}"], abs=1e-5)
    assert np.array_equal(pecli.encode("learned:file=table.npy", grid="3x5"), rows)  # without its first row
    title = pecli.encoding("learned:file=table.npy,grid=3x5").described()
    assert title.endswith(say("learned.rows_before_it_left", count=1))


@pytest.mark.some(4)
@pytest.mark.parametrize("options", [{}, {"layout": "interleaved"}, {"first": "row"}, {"scale_grid": "unit"}])
def test_the_gram_matrix_is_a_sum_of_two_toeplitz_ones(options: dict[str, Any]) -> None:
    rows, columns = 4, 7
    table = pecli.encode("sincos2d", d=40, base=30, grid=(rows, columns), **options)
    gram = (table @ table.T).reshape(rows, columns, rows, columns)
    down, across = gram[:, 0, :, 0] - 10, gram[0, :, 0, :] - 10  # of an axis that is the same: 10 pairs of radius 1
    assert gram == pytest.approx(down[:, None, :, None] + across[None, :, None, :])
    for part in (down, across):
        assert all(np.ptp(np.diagonal(part, offset)) < 1e-12 for offset in range(1 - len(part), len(part)))


def test_a_rate_is_repeated_for_every_axis_as_in_loftr() -> None:
    rows, columns, rates = *np.indices((3, 5)).reshape(2, -1, 1), 10000.0 ** (-np.arange(6) / 6)
    angles = np.empty((15, 12))
    angles[:, ::2], angles[:, 1::2] = rows * rates, columns * rates
    table = pecli.encode("rope", d=24, grid="3x5", axes="repeated", pairing="half")
    assert table == pytest.approx(np.concatenate([np.cos(angles), np.sin(angles)], axis=1), abs=1e-14)


@pytest.mark.some(4)
@pytest.mark.parametrize("options", [{}, {"axes": "alternating"}, {"axes": "repeated"}, {"sections": (3, 5)}])
def test_rotary_scores_depend_on_rows_and_columns_between_alone(options: dict[str, Any]) -> None:
    rope: Any = pecli.encoding("rope:d=16,base=50", grid="5x7", **options)
    q, k = np.random.default_rng(3).standard_normal((2, 16))
    at = np.arange(35.0)
    scores = rope.rotate(np.tile(q, (35, 1)), at) @ rope.rotate(np.tile(k, (35, 1)), at).T
    for down, across in ((0, 0), (2, -3), (-1, 4)):
        pairs = [(r * 7 + c, (r + down) * 7 + c + across) for r in range(5) for c in range(7)
                 if 0 <= r + down < 5 and 0 <= c + across < 7]  # fmt: skip
        assert np.ptp([scores[pair] for pair in pairs]) < 1e-12
    found = numbers_of("distance", encoding=rope.spec(), measure="dot")
    assert finding(found.message()) == {"key": "words.the_depends_only_on", "measure": say("words.dot_product")}


def test_a_grid_of_one_row_is_the_line() -> None:
    line = pecli.encode("rope", d=8, length=9)
    assert pecli.encode("rope", d=16, grid="1x9")[:, 8:] == pytest.approx(line, abs=1e-15)


@pytest.mark.parametrize(("options", "name"), [
    ({"d": 10}, "timestep"),
    ({"d": 10, "flip": True, "shift": 0}, "timestep_flip_shift"),
    ({"d": 9}, "timestep_odd"),
])  # fmt: skip
def test_time_steps_of_diffusion_models_need_not_be_whole(options: dict[str, Any], name: str) -> None:
    encoding: Any = pecli.encoding("sinusoidal:family=timestep,step=0.5", **options)
    assert encoding.table(np.arange(10.0)) == pytest.approx(REFERENCE[name], abs=1e-6)
    dims = np.arange(options["d"])
    assert pytest.approx(encoding.table(np.arange(10.0)), abs=1e-14) == encoding.columns(dims, 0, 10).T
    assert [encoding.position_text(at) for at in (0, 3, 4)] == ["0", "1.5", "2"]
    assert encoding.longer_waves(10) == (encoding.wavelengths() > 5).sum()
    if options["d"] % 2:
        assert encoding.column_formulas()[-1] == "0" == encoding.written_out(3, 8)[0]
        assert np.isinf(encoding.column_wavelengths()[-1])


def test_blocks_of_half_steps_are_means() -> None:
    options: dict[str, Any] = {"encoding": "sinusoidal:d=6,base=9,step=0.5", "length": 90}
    whole, seen = numbers_of("heatmap", **options), numbers_of("heatmap", ((30, 25),), **options)
    assert seen.main == pytest.approx(whole.main.reshape(30, 3, 6).mean(axis=1))


@pytest.mark.parametrize(("spec", "said"), [
    ("sincos2d:d=18", "d=18 is not divisible by 4: each of 2 axes"),
    ("sincos2d:d=16,grid=2x2x2", "d=16 is not divisible by 6: each of 3 axes"),
    ("sincos2d:grid=14", "grid=14 is not allowed: it takes rows x columns such as 14x14"),
    ("sincos2d:grid=0x4", "grid=0x4 is not allowed"),
    ("sincos2d:grid=9999x9999", "at most 1,000,000 cells"),
    ("rope:axes=2", "axes=blocks needs positions in a grid"),
    ("rope:d=8,axes=blocks,axis_bases=5,grid=2x2", "axis_bases needs 2 numbers, one for each axis, not 1"),
    ("rope:sections=2,3", "sections 2,3 divide 5 pairs among 2 axes, but rope has 64 pairs (d = 128) and 1 axes"),
    ("rope:sections=2,3,grid=4x4", "sections 2,3 divide 5 pairs among 2 axes, but rope has 64 pairs (d = 128) and 2"),
    ("rope:d=18,grid=3x3", "9 pairs (d = 18) cannot be divided equally among 2 axes"),
    ("rope:grid=3x3,scaling=linear,factor=2", "scaling=linear needs positions on a line, or sections"),
    ("rope:scale_grid=detr", "scale_grid=detr needs positions in a grid"),
    ("rope:interleaved=true", "interleaved needs sections"),
    ("learned:prefix=1", "prefix=1 needs positions in a grid"),
    ("learned:resize=3x3", "resize=3x3 needs positions in a grid"),
    ("learned:grid=2x3,resize=2x3x4", "resize=2x3x4 needs as many axes as grid=2x3"),
    ("learned:grid=2x3,resize_by=bilinear", "resize_by needs"),
])  # fmt: skip
def test_what_does_not_fit_is_one_line_with_both_numbers(spec: str, said: str) -> None:
    with pytest.raises(UsageError) as found:
        pecli.encode(spec)
    assert said in str(found.value).replace("--", "").replace("resize-by", "resize_by")


@pytest.mark.parametrize(("options", "said"), [
    ({"grid": "14x15"}, "grid=14x15 has 210 positions, but t.npy has 197 rows"),
    ({"grid": "10x15"}, "grid=10x15 has 150 positions, but t.npy has 197 rows"),
    ({"grid": "14x14", "prefix": 2}, "grid=14x14 has 196 positions and 2 before them, but t.npy has 197 rows"),
])  # fmt: skip
def test_a_table_of_another_length_is_refused(options: dict[str, Any], said: str, folder: Path) -> None:
    np.save("t.npy", np.zeros((197, 4)))
    with pytest.raises(UsageError, match=said):
        pecli.encode("learned:file=t.npy", **options)


def test_yes_and_no_are_understood() -> None:
    spec, step = "rope:d=24,sections=4,4,4,interleaved=yes", "sinusoidal:family=timestep,flip=yes,shift=1,d=10"
    assert pecli.encoding(spec) == pecli.encoding(spec.replace("yes", "true"))
    assert pecli.encoding(step) == pecli.encoding(step.replace("yes", "true"))
    assert pecli.encoding(step.replace("yes", "no")) == pecli.encoding(step.replace("yes", "false"))


def directed(kind: str, rows: int, columns: int, d: int, base: float, angles: np.ndarray) -> np.ndarray:
    """Return the angles of every cell and pair, cell by cell, from directions at `angles` to the columns."""
    found = np.empty((rows * columns, d // 2))
    for row in range(rows):
        for column in range(columns):
            for pair in range(d // 2):
                # RoPE-Mixed has each rate twice, along two perpendicular directions
                rate = base ** (-2 * pair / d) if kind == "golden" else base ** (-4 * (pair % (d // 4)) / d)
                along = column * np.cos(angles[pair]) + row * np.sin(angles[pair])
                found[row * columns + column, pair] = rate * along
    return found


@pytest.mark.parametrize("kind", ["golden", "mixed"])
def test_oblique_directions_are_those_of_a_direct_implementation(kind: str) -> None:
    golden = np.arange(8) * np.pi / ((1 + np.sqrt(5)) / 2)
    turned = 2 * np.pi * np.random.default_rng(3).random() + np.repeat([0, np.pi / 2], 4)
    angles = directed(kind, 5, 7, 16, 10.0, golden if kind == "golden" else turned)
    more = {"directions_seed": 3} if kind == "mixed" else {}
    table = pecli.encode("rope", d=16, base=10, grid="5x7", directions=kind, **more)
    assert table[:, ::2] == pytest.approx(np.cos(angles)) and table[:, 1::2] == pytest.approx(np.sin(angles))


@pytest.mark.parametrize("kind", ["golden", "mixed"])
def test_scores_of_oblique_directions_depend_on_the_signed_offsets(kind: str) -> None:
    spec = f"rope:d=16,base=10,directions={kind}"
    found = numbers_of("offsets", encoding=spec, grid="5x7")
    table = pecli.encode(spec, grid="5x7")
    cell = [table[0] @ table[row * 7 + column] for row in range(5) for column in range(7)]
    assert found.mean[4::-1, 6::-1] == pytest.approx(np.reshape(cell, (5, 7)))  # offsets of the first cell to each
    assert not np.allclose(found.mean, found.mean[::-1])
    assert found.message() == say("offset_map.the_depends_only_on", measure=say("words.dot_product"))


def test_golden_directions_are_spread_and_mixed_ones_perpendicular() -> None:
    golden, mixed = (pecli.encoding(f"rope:d=64,directions={kind}", grid="4x4") for kind in ("golden", "mixed"))
    directions = golden.directions_of_pairs
    assert np.hypot(*directions) == pytest.approx(1)
    gaps = np.diff(np.sort(np.arctan2(*directions) % np.pi), append=np.pi)
    assert gaps.max() < 3 * np.pi / 32  # of 32 pairs, half a turn apart at most
    first, second = mixed.directions_of_pairs[:, [0, 16]].T
    assert first @ second == pytest.approx(0, abs=1e-15)
    assert golden.longer_waves(4) == sum(
        2 * np.pi * 10_000 ** (pair / 32) > 3 * np.abs(directions[:, pair]).sum() for pair in range(32)
    )


@pytest.mark.parametrize(("spec", "said"), [
    ("rope:directions=golden", "directions=golden needs positions in a grid"),
    ("rope:directions=golden,grid=2x3x4", "directions=golden needs a grid of rows and columns"),
    ("rope:directions=mixed,grid=3x4,axes=alternating", "directions=mixed decides how the pairs are shared"),
    ("rope:directions=golden,directions_seed=2,grid=3x4", "directions_seed belongs to directions=mixed"),
    ("rope:directions=learned,grid=3x4", "directions=learned needs a file of frequencies"),
    ("rope:directions=learned,grid=3x4,directions_file=f.npy", r"has shape \(2, 3, 4\), not \(2, 64\)"),
    ("rope:d=8,directions=learned,grid=3x4,directions_file=f.npy,directions_head=3", "has heads 0 to 2"),
    ("rope:d=8,base=10,directions=learned,grid=3x4,directions_file=f.npy", "the frequencies are those of"),
    ("rope:d=8,directions=golden,grid=3x4,directions_file=f.npy", "directions_file belongs to directions=learned"),
])  # fmt: skip
def test_directions_that_have_no_meaning_are_refused(spec: str, said: str, folder: Path) -> None:
    np.save("f.npy", np.ones((2, 3, 4)))
    with pytest.raises(UsageError, match=said):
        pecli.encoding(spec)


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 12), (2, 4)])
def test_learned_frequencies_turn_each_pair_along_columns_and_rows(shape: tuple[int, ...], folder: Path) -> None:
    freqs = np.random.default_rng(0).standard_normal((2, 3, 4))  # of columns and rows, for each head and pair
    np.save("freqs.npy", freqs[:, 1] if shape == (2, 4) else freqs.reshape(shape))
    rope: Any = pecli.encoding(
        f"rope:d=8,directions=learned,directions_file=freqs.npy,directions_head={0 if shape == (2, 4) else 1}",
        grid="3x5",
    )
    row, column = np.indices((3, 5)).reshape(2, -1, 1)
    table = rope.table(np.arange(15.0))
    angles = column * freqs[0, 1] + row * freqs[1, 1]
    assert table[:, ::2] == pytest.approx(np.cos(angles)) and table[:, 1::2] == pytest.approx(np.sin(angles))
    assert rope.inputs() == ("freqs.npy",) and rope.unscaled() == rope and "base" not in rope.title()


def test_maps_say_the_direction_of_each_wave_and_the_spectrum_has_one_line() -> None:
    from tests.drawing import panels_of

    options: dict[str, Any] = {"encoding": "rope:d=16,directions=golden", "grid": "6x6"}
    panels = panels_of("maps", dims=(0, 2), **options)
    assert [panel.get_title(loc="right") for panel in panels] == ["0°", "111°"]
    assert numbers_of("maps", **options).message() == say("maps.along_its_own_direction")
    mixed = {**options, "encoding": "rope:d=16,directions=mixed"}
    first = round(np.degrees(2 * np.pi * np.random.default_rng(0).random())) % 180
    told = say("maps.along_one_of_two_directions", first=first, second=(first + 90) % 180)
    assert numbers_of("maps", **mixed).message() == told
    assert numbers_of("spectrum", **options).level is None
