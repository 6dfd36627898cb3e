"""Names of diagonal bands in a square matrix, each a run of offsets."""

from __future__ import annotations

from math import sqrt

from matplotlib.axes import Axes

from pecli.page.canvas import Canvas
from pecli.page.labels import Label, labels_of
from pecli.page.text import points_per_pixel
from pecli.page.words import ems

THICK = 1.35  # ems: a thinner band has no name


class BandLabel(Label):
    """The name of a diagonal band, from offset `first` to `last`; an offset is row minus column."""

    first: int
    last: int
    name: str


def add_band(axes: Axes, first: int, last: int, name: str, ink: str, canvas: Canvas) -> None:
    """Add a name to the band of offsets `first` to `last` (row minus column); it is shown if it fits."""
    label = BandLabel(axes, "", (0.0, 0.0), axes.transData, canvas, ha="center", va="center", color=ink)
    label.set(rotation=-45, rotation_mode="anchor")
    label.set_in_layout(False)
    label.first, label.last, label.name = first, last, name


def place_bands(axes: Axes, canvas: Canvas) -> None:
    """Place the name of each band in the middle of the band, and hide the names that do not fit."""
    (low, high), size = sorted(axes.get_xlim()), canvas.small
    cell = float(axes.bbox.width) * points_per_pixel(axes) / (high - low)
    for label in labels_of(axes, BandLabel):
        middle = (label.first + label.last) / 2
        across, along = (label.last - label.first + 1) * cell / sqrt(2), (high - low - abs(middle)) * cell * sqrt(2)
        fits = across >= THICK * size and along >= (0.95 * ems(label.name) + THICK) * size
        label.set_text(label.name if fits else "")
        label.xy = ((low + high - middle) / 2, (low + high + middle) / 2)
