"""Where everything stands on finished pages stays as it is: frames, texts, rules and legends.

Every letter is as wide as every other here, whatever fonts and whatever version of matplotlib there are. What stands
where is in tests/data/pages.txt. After a change that is meant, write that anew and read the difference:
``python -m tests.page.test_stored_pages``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import Collection, PathCollection
from matplotlib.figure import Figure as Drawing
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

import pecli
from pecli.analysis import Numbers
from pecli.core.language import use_language
from pecli.figures.page import draw_page
from pecli.jobs.picture import Picture
from pecli.jobs.text import python_call
from pecli.page.style import style_context

STORED = Path(__file__).parents[1] / "data" / "pages.txt"
LETTER, ASCENT, DESCENT = 0.55, 0.9, 0.25  # ems
NEAR = 0.02  # points


@contextmanager
def plain_letters() -> Iterator[None]:
    """Measure every letter alike in the block."""

    def measured(self: RendererAgg, text: str, font: Any, ismath: Any) -> tuple[float, float, float]:
        size = font.get_size_in_points() * self.dpi / 72
        return LETTER * len(text) * size, (ASCENT + DESCENT) * size, DESCENT * size

    def heights(self: RendererAgg, font: Any) -> tuple[float, float, float]:
        size = font.get_size_in_points() * self.dpi / 72
        return ASCENT * size, DESCENT * size, 0.0

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(RendererAgg, "get_text_width_height_descent", measured)
        patched.setattr(RendererAgg, "_get_font_height_metrics", heights, raising=False)
        yield


def page(picture: Picture[Any]) -> tuple[Drawing, Numbers[Any]]:
    """Return the page of a picture in points, with plain letters, and the numbers that it shows."""
    job = picture.job
    with use_language(job.language), plain_letters(), style_context(job.canvas, picture.title()):
        drawing, numbers = draw_page(picture.figure, job.view, job.canvas, picture.title(), 0)
        drawing.set_dpi(72)  # pixels are points
        return drawing, numbers


def placed(line: str) -> list[str]:
    """Return a line for each frame, for what is drawn in it, and for each text, rule and legend, with its place."""
    picture = eval(python_call(f"pecli {line}"), {"pecli": pecli})
    drawing, _ = page(picture)
    with plain_letters():
        drawing.draw_without_rendering()
        renderer: Any = drawing.canvas.get_renderer()  # type: ignore[attr-defined]
        found = [f"$ {line}", f"page {told(drawing.bbox.size)}"]
        for axes in drawing.findobj(Axes):
            found += [f"frame {told(axes.bbox.bounds)}", f"drawn {told(sums(axes, renderer))}"]
        for text in shown(drawing):
            x = Text.get_window_extent(text, renderer).x0
            y = text.get_transform().transform(text.get_position())[1]  # heights of lines differ between versions
            words = " / ".join(text.get_text().split("\n")).rstrip()
            found.append(f"text {told((x, y, text.get_fontsize()))} {words}")
        for rule in (rule for rule in drawing.lines if rule.get_visible()):
            found.append(f"rule {told((*rule.get_window_extent(renderer).bounds, rule.get_linewidth()))}")
        for legend in drawing.findobj(Legend):
            found.append(f"legend {told(legend.get_window_extent(renderer).bounds)}")
        return found


def sums(axes: Axes, renderer: Any) -> list[float]:
    """Return sums over lines, areas and dots in a frame: of their widths and sizes, and of their ends."""
    artists: list[Any] = [item for item in axes.get_children() if isinstance(item, (Line2D, Patch, Collection))]
    widths = [np.sum(item.get_linewidth()) for item in artists]
    sizes = [item.get_markersize() for item in artists if isinstance(item, Line2D)]
    sizes += [np.sum(item.get_sizes()) for item in artists if isinstance(item, PathCollection)]
    ends = np.array([item.get_window_extent(renderer).extents for item in artists]).reshape(-1, 4)
    return [sum(widths), sum(sizes), *np.where(np.isfinite(ends), ends, 0).sum(axis=0)]


def told(numbers: Any) -> str:
    """Return numbers with two decimals, which the eye does not see."""
    return " ".join(f"{number:.2f}" for number in numbers)


def shown(drawing: Any) -> Iterator[Text]:
    """Yield the texts that are seen; of ticks, those that are drawn."""
    every = list(drawing.texts)
    for axes in drawing.findobj(Axes):
        every += [axes.title, axes._right_title, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            every += [axis.label, *(label for tick in axis._update_ticks() for label in (tick.label1, tick.label2))]
    yield from (text for text in every if text.get_visible() and text.get_text().strip())


def near(one: str, other: str) -> bool:
    """Return whether two lines are the same but for rounding."""
    same = one.count(" ") == other.count(" ")
    return same and all(map(alike, one.split(" "), other.split(" ")))


def alike(one: str, other: str) -> bool:
    numbers = is_number(one) and is_number(other)
    return abs(float(one) - float(other)) <= NEAR if numbers else one == other


def is_number(word: str) -> bool:
    return bool(re.fullmatch(r"-?\d+\.\d\d", word))


def stored() -> dict[str, list[str]]:
    """Return the stored lines of each page."""
    found: dict[str, list[str]] = {}
    for line in STORED.read_text(encoding="utf-8").splitlines():
        found.setdefault(line[2:], []) if line.startswith("$ ") else found[[*found][-1]].append(line)
    return found


PAGES = [  # together they reach what a page may have: bars, brackets, legends, headings, wrapped grids, leaders
    "heatmap -d 8 -n 23 --size column",
    "temperature rope:temperature=0.1,64,1 rope:logn=64,900 -n 999 --size column",
    "unseen rope:d=8 rope:d=8,scaling=linear,factor=4 --trained 64 -n 256 --size slide",
    "offsets rope --decay -n 90 --size 6x4",
    "overview rope:d=16 -n 64 --size page",
    "overview rope:d=64 --panels spectrum,curves,offsets --size neurips",  # two columns, for the labels of pairs
    "overview sinusoidal:d=64,base=10 --panels spectrum,curves,offsets --size neurips",  # a label of two lines
    "contributions -d 16 -n 64 --at 9 --size column",
    "tiles rope --grid 5x6 --at 0x3,2x2 --size slide",
    "spectrum rope:d=16 rope:d=16,scaling=yarn,factor=8,original=64 -n 90 --size acl",
    "bias alibi:heads=3 -n 9 --size 9x4",
    "fourier -d 16 -n 90",
    "curves rope binary --at 2,5 -n 23 --size column",
    "distance -n 40 -d 8 --highlight 3:6 --size slide",
    "drift rope:d=16 rope:d=16,base=500 -n 3000000 --size column",
]


@pytest.mark.parametrize("line", PAGES)
def test_everything_stands_where_it_is_stored(line: str) -> None:
    _, *now = placed(line)
    assert [one for one, other in zip(now, stored()[line], strict=True) if not near(one, other)] == []


if __name__ == "__main__":
    STORED.write_text("".join(f"{text}\n" for line in PAGES for text in placed(line)), encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
