"""Tests of figures for positions on a grid: tiles, maps, offsets in rows and columns, ticks and headlines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from PIL import Image

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import capitalised, finding, join_and, join_title, say
from pecli.measures.pairwise import MEASURES
from pecli.page.labels import PointLabel, labels_of
from tests.conftest import Ask
from tests.drawing import axes_of, clauses, numbers_of, page_of, panels_of, texts, told

GRID: dict[str, Any] = {"encoding": "sincos2d:d=16,base=9", "grid": "4x6"}


def table() -> Any:
    return pecli.encode(**GRID)


def test_a_tile_is_a_patch_against_all_where_the_patch_stands() -> None:
    found = numbers_of("tiles", measure="dot", **GRID)
    assert found.main == pytest.approx(table() @ table().T)
    assert found.limits() == (-found.main.max(), found.main.max())  # of both signs
    whole, one = axes_of("tiles", measure="dot", **GRID).child_axes[:2]
    (image,) = whole.images
    seen = image.get_array()
    assert seen.shape == (4 * 5 - 1, 6 * 7 - 1) and np.isnan(seen.filled(np.nan)[4]).all()  # a gap below each tile
    for row, column in ((0, 0), (3, 5), (1, 2)):
        tile = seen[5 * row : 5 * row + 4, 7 * column : 7 * column + 6]
        assert np.array_equal(tile, found.main[6 * row + column].reshape(4, 6))
    left, right, bottom, top = image.get_extent()  # so that the middle of a tile is its patch's place
    assert (left, top) == pytest.approx((-3 / 7, -2 / 5)) and (right, bottom) == pytest.approx((5 + 3 / 7, 3 + 2 / 5))
    (mark,) = (own for own in whole.patches if own.get_edgecolor() == to_rgba("C1"))  # the tile that is drawn once more
    row, column = (
        round(at + size / 2) for at, size in ((mark.get_y(), mark.get_height()), (mark.get_x(), mark.get_width()))
    )
    assert np.array_equal(one.images[0].get_array(), found.main[6 * row + column].reshape(4, 6))
    assert mark.get_bbox().extents == pytest.approx([column - 3 / 7, row - 2 / 5, column + 3 / 7, row + 2 / 5])


@pytest.mark.long
def test_cells_of_tiles_have_whole_pixels_and_the_means_stand_beside() -> None:
    options: dict[str, Any] = {"encoding": "sincos2d", "grid": "14x14", "size": "page", "dpi": 150}
    drawing, found = page_of("tiles", **options), numbers_of("tiles", encoding="sincos2d", grid="14x14")
    drawing.draw_without_rendering()
    whole, one = drawing.axes[0].child_axes
    cells = 14 * 16 - 2
    assert np.array(whole.bbox.size) / cells == pytest.approx([3, 3], abs=0.02)
    means = [f"{mean:.2f}" for mean in (found.in_line, found.elsewhere)]
    assert [text for text in texts(one.texts) if text in means] == means
    assert {*means} <= {*finding(found.message()).values()}
    narrow = page_of("tiles", **{**options, "size": "column"}).axes[0]
    assert narrow.images and not narrow.child_axes and all(mean in found.caption() for mean in means)


def test_of_many_patches_some_have_a_tile_and_the_headline_stays() -> None:
    whole, seen = (numbers_of("tiles", panels, encoding="rope:d=16", grid="30x41") for panels in (None, ((200, 300),)))
    keys = ["tiles.each_tile_of_one", "tiles.means"]
    assert [finding(note)["key"] for note in clauses(whole.caption())] == keys
    assert finding(clauses(seen.caption())[-1]) == {"key": "tiles.one_patch_in_shown", "count": 6}
    assert seen.positions.tolist() == [41 * row + column for row in range(0, 30, 6) for column in range(0, 41, 6)]
    assert seen.message() == whole.message() and seen.limits() == whole.limits()
    assert np.array_equal(seen.main, whole.main[seen.positions.astype(int)])


@pytest.mark.some(12)
@pytest.mark.parametrize("measure", ["euclidean", "cos", "dot"])
@pytest.mark.parametrize("options", [
    {},
    {"scale_grid": "detr", "first": "row"},
    {"encoding": "rope:d=16,axes=alternating"},
    {"encoding": "rope:d=16,sections=3,5,query=random:1,scale_grid=dinov3"},
])  # fmt: skip
def test_the_closed_form_over_a_grid_is_the_measure_of_the_rows(measure: str, options: dict[str, Any]) -> None:
    given = {**GRID, "measure": measure, **options}
    found, spread = numbers_of("tiles", **given), numbers_of("offsets", **given)
    rows = pecli.encode(**{name: value for name, value in given.items() if name != "measure"})
    expected = MEASURES[measure].between(rows, rows)
    assert found.main == pytest.approx(expected, abs=1e-12)
    assert numbers_of("distance", **given).main == pytest.approx(expected, abs=1e-12)
    means = [np.diagonal(expected.reshape(4, 6, 4, 6), -down, 0, 2).diagonal(-across).mean()
             for down in range(4) for across in range(6)]  # fmt: skip
    assert spread.mean[3:, 5:].ravel() == pytest.approx(means, abs=1e-12) and spread.widest == 0
    assert found.limits()[1] == pytest.approx(expected.max())


def test_patches_asked_for_have_a_panel_each() -> None:
    found = numbers_of("tiles", at=["0x0", 23, "1x2"], **GRID)
    assert found.positions.tolist() == [0, 23, 8]
    panels = panels_of("tiles", at="0x0,23,1x2", **GRID)[:3]
    assert [panel.get_title() for panel in panels] == ["(0, 0)", "(3, 5)", "(1, 2)"]
    assert np.array_equal(panels[2].images[0].get_array(), found.main[2].reshape(4, 6))


def test_the_headline_of_tiles_is_of_rows_and_columns_and_false_of_noise() -> None:
    found = numbers_of("tiles", **GRID)
    cosines, at = np.corrcoef(np.eye(24)), np.array(np.unravel_index(np.arange(24), (4, 6)))
    cosines = table() @ table().T / 8
    shared = (at[:, :, None] == at[:, None]).sum(axis=0)
    inside, outside = (float(cosines[shared == count].mean()) for count in (1, 0))
    said = {"key": "tiles.patches_in_the_same", "inside": f"{inside:.2g}", "outside": f"{outside:.2g}"}
    assert finding(found.message()) == said
    for seed in range(4):
        assert numbers_of("tiles", encoding=f"learned:seed={seed}", grid="7x7").message() == ""
        assert numbers_of("tiles", encoding=f"learned:seed={seed}", grid="14x14", at="7x7").message() == ""
    assert numbers_of("tiles", measure="euclidean", **GRID).message().key == said["key"]


@pytest.mark.long
def test_maps_are_columns_over_the_grid() -> None:
    found = numbers_of("maps", dims=(0, 9), **GRID)
    panels = panels_of("maps", dims=(0, 9), **GRID)[:2]
    assert [panel.get_title() for panel in panels] == [say("maps.dim_number", number=number) for number in (0, 9)]
    for panel, dim, row in zip(panels, (0, 9), found.main, strict=True):
        assert np.array_equal(panel.images[0].get_array(), table()[:, dim].reshape(4, 6))
        assert np.array_equal(row, table()[:, dim])
    assert [panel.get_title(loc="right") for panel in panels] == [
        join_title(["sin", f"λ {wave}"]) for wave in ("6.28", "10.9")
    ]
    assert finding(found.message())["key"] == "maps.every_dimension_shown_varies"
    assert numbers_of("maps", encoding="learned:d=4", grid="3x3").message() == ""
    assert numbers_of("maps", encoding="sincos2d:base=10000", grid="14x14").dims.max() < 110  # no constant ones


@pytest.mark.some(12)
@pytest.mark.parametrize(("encoding", "dims", "headed"), [
    ("sincos2d:d=128", None, {0: ("columns_range", 0, 63), 6: ("rows_range", 64, 127)}),
    ("sincos2d:d=128,first=row", None, {0: ("rows_range", 0, 63), 6: ("columns_range", 64, 127)}),
    ("sincos2d:d=16", (0, 1, 2, 8, 9, 10), {0: ("columns_range", 0, 7), 3: ("rows_range", 8, 15)}),
    ("sincos2d:d=16", (0, 1, 8, 9, 10, 11), {}),  # not as many of each
    ("sincos2d:d=16", (0, 8, 1, 9, 2, 10), {}),
    ("rope:d=64,axes=repeated", (0, 1, 4, 2, 3, 6), {0: ("rows", None, None), 3: ("columns", None, None)}),
    ("learned:d=64", None, {}),
])  # fmt: skip
def test_a_row_an_axis_of_the_grid_stands_under_its_heading(encoding: str, dims: Any, headed: dict[int, Any]) -> None:
    options: dict[str, Any] = {"encoding": encoding, "grid": "14x14", "size": "page"}
    if dims is not None:
        options["dims"] = dims
    picture = pecli.figure("maps", **options)
    (group,) = picture.figure.panel_groups(picture.job.view, picture.job.canvas)
    found = dict(group.headings)
    said = {at: say(f"maps.{key}", first=first, last=last) for at, (key, first, last) in headed.items()}
    assert found == {at: capitalised(text) for at, text in said.items()}
    drawing = page_of("maps", **options)
    axes = [own for own in drawing.axes if own.get_label() != "<colorbar>"]
    rules = [np.array(own.get_data()).T for own in drawing.artists if isinstance(own, Line2D)]
    size = drawing.get_size_inches()
    for at, text in found.items():
        (artist,) = (own for own in drawing.texts if own.get_text() == text)
        corner = np.array([axes[at].get_position().x0, axes[at].get_position().y1]) * size
        above = [own[0] - corner for own in rules if 0 < own[0, 1] - corner[1] < 0.4]  # its own row
        assert len(above) == 1 and above[0][0] == pytest.approx(0, abs=0.01)
        assert (artist.get_position() - corner >= above[0] - 0.01).all()


def test_frames_of_a_video_stand_side_by_side() -> None:
    image = panels_of("maps", encoding="sincos2d:d=12", grid="2x3x4", dims=(0,))[0].images[0].get_array()
    values = pecli.encode("sincos2d:d=12", grid="2x3x4")[:, 0].reshape(2, 3, 4)
    assert image.shape == (3, 9) and image.mask[:, 4].all()
    assert np.array_equal(image[:, :4], values[0]) and np.array_equal(image[:, 5:], values[1])
    with pytest.raises(UsageError, match="for a video, tiles shows only the patches chosen with at: give at"):
        pecli.tiles("sincos2d:d=12", grid="2x3x4")


def test_offsets_of_a_grid_are_means_over_all_pairs_there() -> None:
    found = numbers_of("offsets", encoding="learned:d=5,seed=2", grid="3x4", measure="dot")
    rows = pecli.encode("learned:d=5,seed=2", grid="3x4").reshape(3, 4, 5)
    for down, across in ((0, 0), (1, -2), (-2, 3)):
        pairs = [float(rows[r, c] @ rows[r - down, c - across]) for r in range(3) for c in range(4)
                 if 0 <= r - down < 3 and 0 <= c - across < 4]  # fmt: skip
        place = found.row_offsets.tolist().index(down), found.column_offsets.tolist().index(across)
        assert found.mean[place] == pytest.approx(np.mean(pairs))
        assert found.spread[place] == pytest.approx(np.ptp(pairs), abs=1e-15)
    assert found.message().key == "words.at_equal_offset_the" and found.widest == found.spread.max()
    assert found.caption().key == "offset_map.mean_of_all_pairs"
    invariant = numbers_of("offsets", measure="cos", **GRID)
    assert invariant.message().key == "offset_map.the_depends_only_on" and invariant.caption() == ""
    (image,) = axes_of("offsets", spread=True, encoding="learned:d=5,seed=2", grid="3x4").images
    assert np.array_equal(image.get_array(), found.spread) and image.get_extent() == (-3.5, 3.5, 2.5, -2.5)


@pytest.mark.parametrize(("figure", "options", "said"), [
    ("offsets", {"log": True}, "offsets on a grid are drawn as a map, but log is for lines"),
    ("offsets", {"length": 3}, "length=3 changes nothing here, because a grid or a sequence always has all its"),
    ("tiles", {"start": 1}, "start=1 changes nothing here, because a grid or a sequence always has all its positions"),
    ("dials", {"at": 24}, "has the positions 0 to 23 and no others"),
    ("maps", {"grid": None, "encoding": "rope"}, "maps shows positions in a grid, but the positions of RoPE"),
    ("curves", {"at": "4x0"}, "at=4x0 is outside the grid 4x6, counted from 0x0"),
    ("curves", {"at": "1x1x1"}, "at=1x1x1 is outside the grid"),
    ("curves", {"at": "x1"}, "x1"),
])  # fmt: skip
def test_what_a_grid_has_not_is_refused(figure: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pecli.figure(figure, **{**GRID, **options})


@pytest.mark.parametrize(("figure", "said"), [("offsets", {"spread": True}), ("curves", {"at": "1x1"})])
def test_what_is_for_grids_is_refused_on_a_line(figure: str, said: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="grid"):
        pecli.figure(figure, **said)


@pytest.mark.long
def test_ticks_are_places_where_rows_begin() -> None:
    axes = axes_of("distance", size="4x4", **GRID)
    assert axes.get_ylabel() == f"{say('encoding.position_p')} {say('page.row_column')}"
    assert texts(axes.get_yticklabels()) == ["(0, 0)", "(1, 0)", "(2, 0)", "(3, 0)"]
    assert axes.get_yticks().tolist() == [0, 6, 12, 18]
    lines = axes_of("curves", at=("1x2", 9), **GRID)
    assert texts(labels_of(lines, PointLabel)) == [
        say("curves.from_position_2", position=place) for place in ("(1, 2)", "(1, 3)")
    ]


def test_wavelengths_are_longer_than_the_grid_not_than_its_cells() -> None:
    options: dict[str, Any] = {"encoding": "sincos2d:d=16,base=9", "grid": "9x14"}
    encoding: Any = pecli.encoding("sincos2d:d=16,base=9,grid=9x14")
    waves = encoding.wavelengths().reshape(2, 4)  # columns, rows
    longer = int((waves[0] > 14).sum() + (waves[1] > 9).sum())
    assert 0 < longer < 8 and (encoding.wavelengths() > 126).sum() != longer
    for figure, key in (
        ("heatmap", "heatmap.of_sine_cosine_pairs"),
        ("spectrum", "spectrum.of_pairs_have_wavelengths"),
    ):
        said = {"key": key, "count": longer, "all": 8}
        assert told(numbers_of(figure, **options).message(), said) == said
    (axes,) = panels_of("spectrum", **GRID)
    assert texts(axes.get_legend().get_texts()) == [say("words.row"), say("words.column")]
    assert [line.get_xdata().tolist() for line in axes.lines] == [[4, 5, 6, 7], [0, 1, 2, 3]]


def test_arrows_show_how_far_pairs_are_turned() -> None:
    panel = panels_of("rotation", encoding="rope:d=8", grid="3x4", panels="plane")[0]
    row, column = panel.collections
    places = np.indices((3, 4)).reshape(2, -1)
    for arrows, angle in ((row, places[0]), (column, places[1])):  # both turn by 1 rad a patch
        assert np.arctan2(arrows.V, arrows.U) == pytest.approx(np.angle(np.exp(1j * angle)))
    assert texts(panel.get_legend().get_texts()) == [say("words.pair_pair", pair=0), say("words.pair_pair", pair=2)]
    found = numbers_of("rotation", encoding="rope:d=8,base=9", grid="3x4")
    turns = np.array([2, 2 / 3, 3, 1]) / (2 * np.pi)
    said = {"key": "rotation.from_position_to_pair", "fast": 2, "much": f"{turns[2]:.3g}", "slow": 0}  # of those drawn
    assert told(found.message(), {**said, "little": ""}) == {**said, "little": f"{turns[0]:.3g}"}


def test_pairs_in_a_grid_are_as_far_apart_as_their_patches() -> None:
    found = numbers_of("scatter", **GRID)
    for p, q, apart in zip(found.p, found.q, found.pair_distances(), strict=True):
        assert apart == pytest.approx(np.hypot(q // 6 - p // 6, q % 6 - p % 6))
    path = axes_of("path", **GRID)
    (line,) = (item for item in path.collections if hasattr(item, "get_segments"))
    assert len(line.get_segments()) == 4 * 5  # a row by itself


def test_stats_of_a_grid_are_by_rows_and_columns() -> None:
    values = pecli.stats(["sincos2d:grid=5x5"]).numbers.values
    assert values[0, 0] == pytest.approx(0, abs=1e-12) and np.isnan(values[0, 2])


def test_a_configs_sections_are_read(folder: Path) -> None:
    Path("config.json").write_text(
        '{"model_type": "qwen3_vl_text", "hidden_size": 96, "num_attention_heads": 4, "head_dim": 24,'
        '"num_hidden_layers": 2, "max_position_embeddings": 99,'
        '"rope_parameters": {"rope_type": "default", "rope_theta": 1e4,'
        '"mrope_section": [4, 4, 4], "mrope_interleaved": true}}',
        encoding="utf-8",
    )
    rope: Any = pecli.heatmap("config.json", sequence="2, 2x2, 1").job.encodings[0]
    assert rope.spec().startswith("rope:d=24,")
    assert rope.axes_of_pairs().tolist() == [0, 1, 2] * 4
    layer = pecli.model("config.json").data["layers"]["all"]
    assert (layer["mrope_section"], layer["mrope_interleaved"]) == ([4, 4, 4], True)


@pytest.mark.long
def test_another_grid_is_drawn_whole(ask: Any, folder: Path) -> None:
    assert ask("tiles", "--grid", "3x4", "-d", "8", "-o", "a.png").code == 0
    assert ask("recipe", "a.png").out.strip() == "pecli tiles --d 8 --grid 3x4 --output a.png"
    assert ask("redraw", "a.png", "--grid", "2x5", "-o", "b.npy").code == 0
    assert np.load("b.npy").shape == (10, 10)


@pytest.mark.long
@pytest.mark.parametrize("figure", ["curves", "waves"])
@pytest.mark.parametrize("grid", ["8x8", "14x14", "20x30"])
def test_lines_over_a_grid_claim_nothing_of_a_line_of_positions(ask: Ask, figure: str, grid: str) -> None:
    ended = ask(figure, "sincos2d", "--grid", grid, "--json", "-o", "a.png")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["results"][0]["headline"] in ("", None)


@pytest.mark.long
@pytest.mark.parametrize("spec", ["rope:axes=alternating", "sincos2d", "rope:axes=blocks"])
def test_explain_names_cells_and_claims_no_offset_on_a_line(ask: Ask, spec: str) -> None:
    ended = ask("explain", spec, "--grid", "2x3", "-d", "8")
    assert ended.code == 0, ended.err
    product = say("explain.the_product_of_query")
    assert "PE((0, 2), 3)" in ended.out and product not in ended.out
    assert product in ask("explain", "rope", "-d", "8").out


@pytest.mark.long
@pytest.mark.parametrize("figure", ["tiles", "offsets"])
@pytest.mark.parametrize("grid", ["20x5", "5x20", "12x101", "64x8", "1x9"])
def test_long_grids_have_room(ask: Ask, figure: str, grid: str) -> None:
    ended = ask(figure, "sincos2d", "--grid", grid, "--dpi", "60", "-o", "a.png")
    assert ended.code == 0, ended.err
    width, height = np.frombuffer(Path("a.png").read_bytes()[16:24], ">u4")
    assert width == 405 and 120 < height <= 540


def test_grids_of_two_sizes_are_each_shown_whole(ask: Ask, folder: Path) -> None:
    specs = ["sincos2d:d=8,grid=3x5", "sincos2d:d=8,grid=4x6"]
    for figure, shapes in (("heatmap", [(15, 8), (24, 8)]), ("tiles", [(15, 15), (24, 24)])):
        assert [
            part.numbers.main.shape for part in numbers_of("compare", encoding=specs, figure=figure).parts
        ] == shapes
    sizes = join_and(["grid = 3 × 5 has 15", "grid = 4 × 6 has 24"])
    with pytest.raises(UsageError, match=f"equal numbers of positions: {sizes}"):
        pecli.curves(specs)
    assert ask("compare", specs[0], "sinusoidal:d=8", "-n", "9", "-o", "a.json").code == 0
    parts = numbers_of("compare", encoding=[specs[0], "sinusoidal:d=8"], length=9).parts
    assert [len(part.numbers.main) for part in parts] == [15, 9]


def test_an_overview_of_a_grid_has_tiles() -> None:
    for options, names in (
        (GRID, ["heatmap", "tiles"]),
        ({"encoding": "sincos2d:d=12", "grid": "2x3x4"}, ["heatmap", "distance"]),
        ({}, ["heatmap", "distance"]),
    ):
        assert [part.figure.name for part in numbers_of("overview", **options).parts] == names


@pytest.mark.long
def test_waves_over_a_grid_are_counted_in_rows_and_columns(ask: Ask) -> None:
    found = numbers_of("dials", at=["3x5", 1], **GRID)
    units = say("grids.rows_or_columns")
    assert found.positions.tolist() == [23, 1] and say("waves.wavelength_in", units=units) in found.caption()
    assert finding(found.message())["every"] == say("encoding.rows_or_columns", count="6.28")
    assert axes_of("spectrum", **GRID).get_ylabel() == say("words.wavelength", units=units)
    scaled = axes_of("spectrum", scale_grid="detr", **GRID)
    assert scaled.get_ylabel() == say("words.wavelength", units=say("grids.units_of_scaled_coordinates"))
    text = ask("explain", "sincos2d", "--grid", "4x6", "-d", "8").out
    assert say("explain.2_omega_units", units=units) in text and "ωj·c or ωj·r" in text
    words: dict[str, Any] = {"encoding": "sincos2d:d=8", "grid": "2x3", "tokens": "a b c d e f"}
    assert finding(numbers_of("terms", **words).message())["offset"] == say("terms.offset_in_rows_and")


@pytest.mark.some(6)
@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 3, 4, 5), (1, 12, 5), (12, 5)])
def test_an_array_may_have_the_axes_of_the_grid(ask: Ask, folder: Path, shape: tuple[int, ...]) -> None:
    rows = np.random.default_rng(1).normal(size=shape)
    np.save("t.npy", rows)
    assert np.array_equal(pecli.encode("learned:file=t.npy", grid="3x4"), rows.reshape(12, 5))
    if 4 in shape:
        for grid in (None, "4x3"):
            with pytest.raises(ValueError, match="grid=3x4"):
                pecli.encode("learned:file=t.npy", grid=grid)
    assert ask("tiles", "learned", "--file", "t.npy", "--grid", "3x4", "-o", "a.png").code == 0
    assert ask("recipe", "a.png").out == "pecli tiles --encoding learned --grid 3x4 --file t.npy --output a.png\n"


def test_ticks_of_some_tiles_are_their_patches() -> None:
    panel, _ = panels_of("tiles", encoding="sincos2d:d=16", grid="30x41", size="column")
    step = -(-30 // ((panel.images[0].get_size()[0] + 2) // 32))  # a tile is 30 cells high, 2 are between two
    for axis, side in ((panel.xaxis, 41), (panel.yaxis, 30)):
        shown = [float(tick) for tick in axis.get_majorticklocs()]
        assert step > 2 and len(shown) > 1 and set(shown) <= {*np.arange(0, side, step)}
        assert not np.signbit(shown[0])


def test_a_configs_vectors_keep_their_width(folder: Path) -> None:
    Path("config.json").write_text(
        '{"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4, "num_hidden_layers": 2}',
        encoding="utf-8",
    )
    encoding: Any = pecli.attention("config.json").job.encodings[0]
    assert encoding.d == 128  # not the 16 of the figure


@pytest.mark.long
def test_a_tile_walks_over_the_grid(ask: Ask) -> None:
    assert ask("tiles", "--grid", "3x4", "-d", "8", "--at", "0x0,1x1,2x3", "--dpi", "40", "-o", "a.gif").code == 0
    with Image.open("a.gif") as image:
        assert getattr(image, "n_frames", 1) == 3
