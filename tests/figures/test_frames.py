"""Tests of files with several frames or pages: nothing moves that should not, and each frame is its own picture."""

from __future__ import annotations

import io
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import pecli
from pecli.core.errors import UsageError
from pecli.files.pictures import Palette, image_of, palette_of
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import job_of, jobs_of
from pecli.jobs.workers import map_in_order
from tests.drawing import frames_of

SMALL: dict[str, Any] = {"d": 4, "length": 5, "dpi": 30}


def places(drawing: Any) -> list[Any]:
    """Return where everything stands on a page, and between which ends."""
    axes = [(ax.get_position().bounds, ax.get_xlim(), ax.get_ylim()) for ax in drawing.axes]
    words = [
        np.round(text.get_window_extent().extents[[0, 3]], 6).tolist() for text in (drawing._suptitle, drawing.texts[0])
    ]
    return [tuple(drawing.get_size_inches()), *words, *axes]


@pytest.mark.long
@pytest.mark.parametrize("figure", ["heatmap", "distance", "curves", "scatter", "spectrum"])
def test_nothing_jumps(figure: str) -> None:
    frames = frames_of(figure, **SMALL, base=[2, 10000, 31.62])
    first, *others = map(places, frames)
    assert all(other == first for other in others)
    assert min(word[0] for word in first[1:3]) > 0  # nothing begins beyond the page
    limits = {image.get_clim() for frame in frames for axes in frame.axes[:1] for image in axes.images}
    assert len(limits) <= 1
    assert [frame.get_suptitle().rpartition("base = ")[2] for frame in frames] == ["2", "10,000", "31.62"]


@pytest.mark.long
def test_a_list_that_moves_is_a_frame_a_value(ask: Any, folder: Path) -> None:
    assert ask("dials", "-e", "clock", "--at", "0..4", "--dpi", "30", "-o", "clock.gif", "--fps", "4").code == 0
    with Image.open("clock.gif") as image:
        assert (image.n_frames, image.info["duration"], image.info["loop"]) == (5, 250, 0)  # type: ignore[attr-defined]
    assert ask("recipe", "clock.gif").out.startswith("pecli dials --encoding clock --dpi 30 --fps 4 --at 0,1,2,3,4 ")
    (still,) = jobs_of("dials", {"encoding": "clock", "at": "0..4", "output": "a.png"})
    assert not still.cells and still.settings()["at"] == (0, 1, 2, 3, 4)
    (both,) = jobs_of("dials", {"at": [0, 1], "base": [10, 100], "output": "a.webp"})
    assert both.axes == ("base",)


@pytest.mark.long
def test_a_frame_of_a_gif_takes_under_80_kb() -> None:
    """So 40 take under 3 MB, most being smaller; 110 kB with the colours of columns mixed at their edges."""
    assert len(pecli.figure("heatmap", base=[2, 20, 100, 1000]).render("gif")[0]) < 4 * 80_000


@pytest.mark.long
@pytest.mark.parametrize(("loops", "said"), [(None, 0), (3, 2)])
def test_it_plays_as_often_as_asked(loops: int | None, said: int) -> None:
    data = pecli.figure("heatmap", **SMALL, base=[10, 100], loops=loops).render("gif")[0]
    with Image.open(io.BytesIO(data)) as image:
        assert image.info["loop"] == said


@pytest.mark.long
def test_many_processes_draw_what_one_does() -> None:
    job = job_of("heatmap", {**SMALL, "base": [10, 20, 30]})
    assert Picture(job, workers=2).render("gif") == Picture(job).render("gif")
    with pytest.raises(UsageError, match="no drawing"):
        list(map_in_order(_refused, [None, None], "drawing", 1))


def _refused(drawing: Any) -> Any:
    raise UsageError("no drawing")


def test_every_pixel_has_the_nearest_colour() -> None:
    levels = np.random.default_rng(3).integers(0, 256, (40, 40, 3), dtype=np.uint8)
    noise, white = Image.fromarray(levels), Image.new("RGB", (40, 40), "white")
    palette = palette_of([noise, white])
    assert len(palette.colours) <= 128 and palette.of(white).convert("RGB").getcolors() == [(1600, (255, 255, 255))]
    shown = np.asarray(palette.of(noise).convert("RGB"), dtype=int)
    away = np.abs(levels[:, :, None].astype(int) - palette.colours).astype(float) ** 2
    np.testing.assert_array_equal(((shown - levels) ** 2).sum(axis=-1), away.sum(axis=-1).min(axis=-1))
    assert isinstance(palette, Palette)


def test_colours_of_few_pixels_stay_what_they_are() -> None:
    levels = np.repeat(np.random.default_rng(1).integers(180, 256, (90, 90, 1), dtype=np.uint8), 3, axis=2)
    levels[0, :3] = (20, 60, 150), (60, 120, 200), (120, 170, 220)  # the blues of a colour bar, over greys
    shown = np.asarray(palette_of([Image.fromarray(levels)], 56).of(Image.fromarray(levels)).convert("RGB"), dtype=int)
    assert np.abs(shown[0, :3] - levels[0, :3]).max() < 8


@pytest.mark.long
def test_few_colours_keep_the_diagonal_and_the_text() -> None:
    images = [image_of(drawing, 100) for drawing in frames_of("distance", base=[10, 100, 1000, 10000])]
    palette = palette_of(images, 56)
    away = [np.abs(np.asarray(palette.of(image).convert("RGB"), int) - np.asarray(image)).max(-1) for image in images]
    assert len(palette.colours) <= 56 and np.percentile(away, 99) < 30
    assert [22, 25, 29] in palette.colours.tolist() and [255, 255, 255] in palette.colours.tolist()


REFUSED = [
    (("-o", "a.gif"), "a sweep, but this is one picture"),
    (("--base", "1..1001:1001", "-o", "a.gif"), "1,001 pictures in one file, but at most 1,000 are allowed"),
    (("--base", "1..257:257", "-o", "a.png"), "257 pictures in one file, but at most 256 are allowed"),
    (("--start", "1..9991", "-o", "a.png"), "9,991 pictures in one file, but at most 256 are allowed"),
    (
        ("--base", "1..1000:1000", "--size", "slide", "--dpi", "600", "-o", "a.gif"),
        "drawing 1,000 × 5,332 × 3,000 pixels",
    ),  # memory
    (("--base", "10,20", "--transparent", "-o", "a.gif"), "--transparent is for .png, .svg, .pdf, .webp, .html"),
    (("--base", "10,20", "--fps", "2", "-o", "a.png"), "--fps 2 is for .gif, .webp files only"),
    (("--base", "10,20", "-j", "2", "-o", "a.png"), "--jobs 2 needs several pictures, or a .gif"),
    (("--base", "10,20", "-j", "no", "-o", "a.gif"), "--jobs no is not allowed"),
    (("--base", "10,20", "--cmap", "viridis,magma", "-o", "a.gif"), "can have only one --cmap"),
]


@pytest.mark.some(6)
@pytest.mark.parametrize(("words", "said"), REFUSED, ids=itertools.count())
def test_what_cannot_move_is_refused(words: tuple[str, ...], said: str, ask: Any, folder: Path) -> None:
    ended = ask("heatmap", "-d", "4", *words)
    assert ended.code == 2 and said in ended.err and ended.err.count("\n") == 1
    assert not list(folder.iterdir())


@pytest.mark.long
def test_each_frame_is_its_own_picture_and_a_webp_loses_nothing() -> None:
    options: dict[str, Any] = {**SMALL, "base": [2, 100]}
    drawings = frames_of("heatmap", **options)
    for base, drawing in zip((2, 100), drawings, strict=True):
        own = pecli.figure("heatmap", **SMALL, base=base)
        np.testing.assert_array_equal(np.asarray(drawing.axes[0].images[0].get_array()), own.numbers.main)
    data = pecli.figure("heatmap", **options).render("webp")[0]
    assert data.count(b"VP8L") == 2 and b"VP8 " not in data
    assert not any(frame.get_suptitle() for frame in frames_of("heatmap", no_title=True, **options))


@pytest.mark.long
def test_a_file_of_frames_is_drawn_again_as_one(ask: Any, folder: Path) -> None:
    pecli.figure("heatmap", **SMALL, base=[10, 100]).save("a.webp")
    assert ask("redraw", "a.webp", "--title", "T").out == "heatmap-sinusoidal-d4-base10_100-length5-dpi30-titleT.webp\n"


PAGE = re.compile(rb"/Type /Page\b")


@pytest.mark.long
def test_a_sweep_is_a_pdf_of_a_page_a_picture_and_its_recipe_says_so(ask: Any, folder: Path) -> None:
    words = ("heatmap", "--base", "10,100", "-d", "4", "-n", "9", "--size", "column", "--pages")
    assert ask(*words, "-o", "all.pdf").code == 0 and ask(*words, "-o", "again.pdf").code == 0
    data = Path("all.pdf").read_bytes()
    assert len(PAGE.findall(data)) == 2
    assert "--pages --base 10,100 --output all.pdf" in ask("recipe", "all.pdf").out
    assert data.replace(b"all.pdf", b"") == Path("again.pdf").read_bytes().replace(b"again.pdf", b"")
    assert ask("dials", "clock", "--at", "1,5", "--pages", "-o", "dials.pdf").code == 0
    assert len(PAGE.findall(Path("dials.pdf").read_bytes())) == 2
    ended = ask(*words, "-o", "all.png")
    assert ended.code == 2 and "--pages is for .pdf files only" in ended.err


def test_a_batch_file_is_a_pdf_of_pages(ask: Any, folder: Path) -> None:
    Path("figures.toml").write_text(
        "[defaults]\nd = 4\nlength = 9\ndpi = 30\nsize = 'column'\n"
        "[[figure]]\ncommand = 'heatmap'\noutput = 'h.png'\n"
        "[[figure]]\ncommand = 'heatmap'\nbase = [2, 3]\noutput = 'h.gif'\n"
        "[[figure]]\ncommand = 'stats'\noutput = 's.json'\n",
        encoding="utf-8",
    )
    assert ask("batch", "figures.toml", "--pages", "all.pdf", "-q").code == 0
    assert len(PAGE.findall(Path("all.pdf").read_bytes())) == 3
    Path("mine.pdf").write_bytes(b"%PDF-1.4 of somebody else")
    ended = ask("batch", "figures.toml", "--index", "mine.pdf")
    assert ended.code == 1 and "pecli batch did not make it" in ended.err


@pytest.mark.long
def test_many_files_are_drawn_in_processes_as_in_one(ask: Any, folder: Path) -> None:
    words = ("heatmap", "--base", "2,3", "-d", "4", "-n", "5", "--dpi", "20")
    one, two = ask(*words, "-o", "one-{base}.png"), ask(*words, "-o", "two-{base}.png", "-j", "2", "--json")
    assert (one.code, two.code) == (0, 0)
    assert [each["files"][0]["path"] for each in json.loads(two.out)["results"]] == ["two-2.png", "two-3.png"]
    for base in (2, 3):
        assert Path(f"one-{base}.png").read_bytes() == Path(f"two-{base}.png").read_bytes()
    Path("two-3.png").unlink()
    Path("two-3.png").mkdir()
    failed = ask(*words, "-o", "two-{base}.png", "-j", "2")
    assert failed.code == 1 and "two-3.png is a folder" in failed.err
