"""Functions that draw for tests: a figure on given Axes, or a whole page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

import pecli
from pecli.core.language import finding, use_language
from pecli.figures.page import draw_frames, draw_page
from pecli.jobs.picture import frame_titles
from pecli.page.labels import LineLabel, labels_of
from pecli.page.style import style_context

FIXED = {"attention": "length", "terms": "length", "addition": "length", "dials": "length", "tiles": "length",
         "maps": "length", "ids": "length", "bias": "d"}  # an option that each figure has  # fmt: skip


def fitting(figure: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the figure has."""
    return {name: value for name, value in options.items() if name != FIXED.get(figure)}


def axes_of(figure: str, /, **options: Any) -> Any:
    """Draw a figure onto a new Axes and return it; its panels are the child axes."""
    return pecli.figure(figure, **options).draw(Drawing().subplots())


def panels_of(figure: str, /, **options: Any) -> list[Any]:
    """Return the panels and colour bars of a figure drawn onto an Axes; for a single panel, the Axes and its bar."""
    axes = axes_of(figure, **options)
    inner = [ax for ax in axes.child_axes if isinstance(ax, Axes)]
    return [axes, *inner] if axes.axison else inner


def page_of(figure: str, /, **options: Any) -> Any:
    """Return the matplotlib figure of a whole page."""
    picture = pecli.figure(figure, **options)
    with use_language(picture.job.language), style_context(picture.job.canvas, "a"):
        return draw_page(picture.figure, picture.job.view, picture.job.canvas, picture.title(), 0)[0]


def frames_of(figure: str, /, **options: Any) -> list[Any]:
    """Return the matplotlib figure of each frame of a sweep, all with the same layout."""
    picture: Any = pecli.figure(figure, **options)
    canvas, grid = picture.job.canvas, picture.job.grid
    titles = frame_titles(picture.job, grid, grid.title_text)
    with use_language(picture.job.language), style_context(canvas, "a"):
        return draw_frames(grid, picture.job.view, replace(canvas, dpi=canvas.frame_dpi), titles, 0)[0]


def numbers_of(figure: str, /, panels: tuple[tuple[int, int], ...] | None = None, **options: Any) -> Any:
    """Return all numbers of a figure, or only those that panels of the given sizes in pixels (rows, columns) show."""
    job = pecli.figure(figure, **options).job
    return job.analysis.compute(replace(job.view, panels=panels))


def line_labels(axes: Any) -> list[str]:
    """Return the labels at the ends of lines, each as one line of text."""
    return [" ".join(label.get_text().split()) for label in labels_of(axes, LineLabel)]


def told(text: str, said: dict[str, Any]) -> dict[str, Any]:
    """Return the values in a text made by `say` for the keys in `said`, from the clause with the same text key."""
    every = [finding(clause) for clause in clauses(text)]
    found = next((clause for clause in every if clause.get("key") == said.get("key")), every[0])
    return {name: value for name, value in found.items() if name in {"key", *said}}


def clauses(text: str) -> list[str]:
    """Return the sentences that a text joins."""
    found = finding(text)
    return [*clauses(found["one"]), *clauses(found["other"])] if found.get("key") == "join.clauses" else [text]


def texts(artists: Any) -> list[str]:
    """Return the texts of artists, such as ticks."""
    return [artist.get_text() for artist in artists]
