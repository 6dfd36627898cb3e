"""Tests that texts, facts and sums of arrays in pecli's output stay the same.

The expected values are stored in tests/data/outputs.json. After an intended change, write the file again and read the
difference: ``python -m tests.test_outputs``.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection, PathCollection
from matplotlib.colors import to_rgba_array
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from typer.testing import CliRunner

import pecli
from pecli.cli.app import app
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.encodings.registry import ENCODINGS
from pecli.figures import FIGURES
from pecli.jobs.job_options import ANALYSES
from pecli.jobs.text import python_call
from pecli.page.limits import footnotes
from pecli.page.titles import TitleLabel
from tests.page.test_stored_pages import page, plain_letters, shown

DATA = Path(__file__).with_name("data")
STORED = DATA / "outputs.json"
PICTURES = DATA / "pictures.txt"  # command lines whose pictures say what few do
SMALL = {"d": 6, "length": 7, "size": "column", "dpi": 40}
SCALED = "rope:d=16,scaling=llama3,factor=8,original=64,low_freq_factor=1,high_freq_factor=4,base=100"
BIASES = ("alibi", "kerple", "t5")
MODELS = ("bert", "gemma-3", "gpt-oss", "llama-4-scout", "phi-3.5", "qwen2.5-yarn")  # others: test_configs.py
PARTS = 12  # that workers share
LINES = [
    "encodings",
    *(f"encodings {name}" for name in ENCODINGS),
    *(f"explain {name} -d 4 -n 3" for name in ("sinusoidal", "rope", "learned", "relative")),
    *("explain clock", "explain binary", "table clock --start 90000 -n 2"),
    *("stats rope clock binary -n 50", "table -d 4 -n 9", "table clock -n 30"),
    *("explain sincos2d --grid 2x3 -d 8", "stats clock:periods=1e9 -n 9"),
    *(f"model {name}.json" for name in MODELS),
]


def printed(line: str) -> list[str]:
    """Return the lines of a report in Markdown, made in the folder of the configs."""
    before = Path.cwd()
    os.chdir(DATA / "configs")
    try:
        to = ["-o", "-"] if line.split()[0] in ANALYSES else []
        ended = CliRunner().invoke(app, [*line.split(), "--format", "md", *to], prog_name="pecli")
    finally:
        os.chdir(before)
    return [line for line in (ended.stdout + ended.stderr).splitlines() if line]


def computed(figure: str, name: str) -> dict[str, Any]:
    """Return what a figure says, its key numbers, and of each array its shape and two sums."""
    known = {**ANALYSES[figure].options(), **ENCODINGS.get(name, ENCODINGS["rope"]).options()}
    options = {key: value for key, value in SMALL.items() if key != "d" or ("d" in known and ":" not in name)}
    options |= {"figure": "bias"} if figure == "compare" and name in BIASES else {}
    options |= {"panels": "bias,offsets"} if figure == "overview" and name in BIASES else {}
    if figure in ("attention", "addition", "terms", "dials", "bias"):
        del options["length"]
    if name == "sincos2d":
        options = {key: value for key, value in options.items() if key != "length"} | {"d": 8, "grid": "3x4"}
    try:
        picture = pecli.figure(figure, encoding=name, **options)
        numbers = picture.numbers
    except UsageError as error:
        return {"refused": str(error)[:50]}  # whole in tests/cli/test_mistakes.py
    sums = {}
    for key, array in numbers.arrays().items():
        if key == "coordinates":  # of equal eigenvalues every machine has its own eigenvectors
            continue
        flat = np.nan_to_num(np.asarray(array, dtype=float), posinf=0.0, neginf=0.0).ravel()
        sums[key] = [list(array.shape), rounded(flat.sum()), rounded(flat @ np.arange(1, len(flat) + 1))]
    title = picture.title() if picture.job.figure.drawn else ""
    said = {"title": title, "headline": numbers.message(), "notes": numbers.caption()}
    return {**said, "facts": json.loads(json.dumps(numbers.facts(), default=str)), "arrays": sums}


def rounded(number: float, digits: int = 7) -> float:
    """Return a number with so many digits, which keep the file small."""
    return float(f"{number:.{digits}g}")


def pictured(line: str) -> dict[str, Any]:
    """Return what a page says, the texts and ticks of its axes, and where everything stands."""
    picture = eval(python_call(f"pecli {line}"), {"pecli": pecli})
    drawing, numbers = page(picture)
    every = drawing.findobj(Axes)
    texts = [text for ax in every for text in (ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts)]
    texts += [text for ax in every if (legend := ax.get_legend()) for text in legend.get_texts()]
    lines = {" ".join(text.get_text().split()) for text in texts}
    said = {"title": picture.title(), "headline": numbers.message(), "notes": footnotes(numbers, picture.job.canvas)}
    words = sorted(line for line in lines if re.search("[a-z]{2}", line))
    drawn = [sketched(every, kind) for kind in (Line2D, Patch, Collection, Text, AxesImage)]
    around = {"ends": ends_of(every), "ticks": ticks_of(every), "frames": frames_of(every)}
    if picture.figure.name != "dials":  # whose labels of two lines are higher in other versions of matplotlib
        around["places"] = places_of(drawing, every)
    return {**said, "texts": words, "drawn": drawn, **around}


def places_of(drawing: Any, every: list[Axes]) -> list[float]:
    """Return weighted sums of the places of frames, of texts with their looks, and of rules and legends, in points.

    Left out is what moves with matplotlib's version: numbers of logarithmic axes, and heights of several lines.
    """
    renderer: Any = drawing.canvas.get_renderer()
    log = [axis for ax in every for axis in (ax.xaxis, ax.yaxis) if axis.get_scale() != "linear"]
    numbers = {label for axis in log for tick in axis.get_major_ticks() for label in (tick.label1, tick.label2)}
    texts = []
    with plain_letters():
        for text in (text for text in shown(drawing) if text not in numbers):
            x = 0.0 if text.get_rotation() else Text.get_window_extent(text, renderer).x0
            y = 0.0 if isinstance(text, TitleLabel) else text.get_transform().transform(text.get_position())[1]
            look = to_rgba_array(text.get_color()).sum() + len(text.get_verticalalignment())
            texts.append((x, y, text.get_fontsize(), look))
        others = [rule for rule in drawing.lines if rule.get_visible()] + drawing.findobj(Legend)
        boxes = [other.get_window_extent(renderer).bounds for other in others]
    frames = [ax.bbox.bounds for ax in every]
    weighted = [np.arange(1, len(found) + 1) @ np.array(found) for found in (frames, texts, boxes) if found]
    return [rounded(number) for sums in weighted for number in sums]


def ends_of(every: list[Axes]) -> list[float]:
    """Return weighted sums of the first and last numbers of the axes."""
    ends = np.array([[*ax.get_xlim(), *ax.get_ylim()] for ax in every])
    return [rounded(number, 4) for number in np.arange(1, len(ends) + 1) @ ends]


def frames_of(every: list[Axes]) -> list[float]:
    """Return weighted sums of what frames the axes: spines, background, ticks and grid."""
    looks = np.zeros(4)
    for weight, ax in enumerate(every, 1):
        spines = [spine for spine in ax.spines.values() if spine.get_visible() and ax.axison]
        lines = [line for line in (*ax.get_xticklines(), *ax.get_yticklines()) if line.get_visible() and ax.axison]
        grid = [line.get_linewidth() for line in (*ax.get_xgridlines(), *ax.get_ygridlines()) if line.get_visible()]
        edges = sum(spine.get_linewidth() + to_rgba_array(spine.get_edgecolor()).sum() for spine in spines)
        face = to_rgba_array(ax.get_facecolor()).sum() * ax.axison
        looks += weight * np.array([edges, face, bool(lines), bool(grid) * ax.axison])
    return [rounded(look, 4) for look in looks]


def ticks_of(every: list[Axes]) -> list[str]:
    """Return what is written along each axis, in one line; on logarithmic ones that moves with matplotlib's version."""
    axes = [axis for ax in every if ax.axison for axis in (ax.xaxis, ax.yaxis) if axis.get_scale() == "linear"]
    texts = [filter(None, (label.get_text() for label in axis.get_majorticklabels())) for axis in axes]
    return [line for own in texts if (line := " | ".join(own))]


def sketched(every: list[Axes], kind: type[Artist]) -> list[float]:
    """Return how many artists of a kind there are, and weighted sums of their looks and of their points."""
    if not (artists := [artist for ax in every for artist in ax.get_children() if isinstance(artist, kind)]):
        return []
    looks, points = np.zeros(4), np.zeros(2)
    for weight, artist in enumerate(artists, 1):
        colours, size = shades(artist), getattr(artist, "get_fontsize", getattr(artist, "get_linewidth", lambda: 0))
        look = (colours.sum(), np.sum(size()), artist.get_zorder(), (artist.get_alpha() or 0) + dashes(artist))
        looks += weight * np.array(look, dtype=float)
        at = np.where(np.isfinite(found := places(artist)), found, 0.0)
        points += weight * (at.sum(axis=0) + np.abs(np.diff(at, axis=0)).sum(axis=0))  # the latter grows with extents
    return [len(artists), *(rounded(number, 4) for number in (*looks, *points))]


def dashes(artist: Any) -> float:
    """Return a number for the dashes of a line and for its marker, or for the dashes of other artists."""
    style = getattr(artist, "get_linestyle", lambda: "-")()
    marker = str(artist.get_marker()) if isinstance(artist, Line2D) else ""
    size = artist.get_markersize() + artist.get_markeredgewidth() if marker not in ("", "None") else 0.0
    if not isinstance(style, str):  # of a collection: (offset, lengths)
        return sum(sum(lengths) for _, lengths in style if lengths is not None)
    return sum(map(ord, style + marker)) + size


def shades(artist: Any) -> Any:
    """Return the colours of an artist; of an image, some of its colours and its limits."""
    if isinstance(artist, AxesImage):
        return np.append(artist.cmap([0.0, 0.3, 0.7, 1.0]), np.nan_to_num(np.array(artist.get_clim(), dtype=float)))
    colours: Any = getattr(artist, "get_edgecolor", getattr(artist, "get_color", None))
    return to_rgba_array(colours())


def places(artist: Any) -> Any:
    """Return the points of an artist, (n, 2); of a text, its halo and rotation too."""
    if isinstance(artist, Collection):
        ends = [path.vertices for path in artist.get_paths() if not isinstance(artist, PathCollection)]
        return np.concatenate([np.ma.filled(artist.get_offsets(), 0.0).reshape(-1, 2), *ends])
    if isinstance(artist, AxesImage):
        return np.reshape(artist.get_extent(), (2, 2)).T
    if isinstance(artist, Line2D):
        return artist.get_path().vertices
    if isinstance(artist, Text):
        at = [getattr(artist, "xy", (0, 0)), (0, 0) if isinstance(artist, TitleLabel) else artist.get_position()]
        return np.array([[len(artist.get_path_effects()), artist.get_rotation()], *at], dtype=float)
    return artist.get_verts()


def outputs() -> dict[str, Callable[[], Any]]:
    """Return what makes each thing that is compared."""
    kinds = {**ENCODINGS, SCALED: ENCODINGS["rope"]}
    every = [f"{name} {own}" for name, figure in FIGURES.items() for own, kind in kinds.items() if figure.takes(kind)]
    return {
        **{line: partial(printed, line) for line in LINES},
        **{line: partial(computed, *line.split(" ", 1)) for line in every},
        **{line: partial(pictured, line) for line in PICTURES.read_text(encoding="utf-8").splitlines()},
        "help": helps,
    }


def helps() -> Any:
    """Return what a page of help says of a figure or report beside its options."""
    return {
        name: [ANALYSES.summary(name), kind.defines, *map(say, kind.row_meanings.values())]
        for name, kind in ANALYSES.items()
    }


def alike(first: Any, second: Any) -> bool:
    """Return whether both are the same but for rounding."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(alike(first[key], second[key]) for key in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(alike, first, second))
    if isinstance(first, float) or isinstance(second, float):
        return bool(first == pytest.approx(second, rel=1e-6, abs=1e-9, nan_ok=True))
    return bool(first == second)


@pytest.mark.parametrize("part", range(PARTS))
def test_outputs_are_those_that_are_stored(part: int) -> None:
    stored, made = json.loads(STORED.read_text(encoding="utf-8")), outputs()
    assert stored.keys() == made.keys()
    for line in [*stored][part::PARTS]:
        now = made[line]()
        assert alike(stored[line], now), f"{line}:\n{now}\nwas\n{stored[line]}"


if __name__ == "__main__":
    found = {line: make() for line, make in outputs().items()}
    text = json.dumps(found, indent=0, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    STORED.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
