"""The colours of a single panel along its top, where a bar beside it would push its neighbours away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.core.lazy import np
from pecli.core.number_text import number_text
from pecli.figures.canvas import Canvas
from pecli.figures.colour_maps import COLOURS
from pecli.figures.text_size import ems, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

GAP, HEIGHT, TOP = 0.35, 0.4, 1.0  # ems of small text: below the strip, of the strip, and of the numbers on it


def strip_width(reach: float) -> float:
    """How many ems of small text the numbers on a strip take."""
    return 2 * ems(number_text(-reach)) + 2.0


def title_pad(canvas: Canvas) -> float:
    """How far above its panel a title stands that has a strip below it, in points."""
    return (GAP + HEIGHT + GAP + TOP + GAP) * canvas.small


def add_strip(axes: Axes, canvas: Canvas, reach: float, colours: str) -> None:
    """A strip of the colours from −reach to reach above a panel, with 0 and both ends written on it."""
    from matplotlib.image import BboxImage

    strip: Any = BboxImage(lambda _: _place(axes, canvas), cmap=colours, interpolation="nearest")
    strip.set_data(np.linspace(-reach, reach, COLOURS)[None, :])
    strip.set_clim(-reach, reach)
    axes.add_artist(strip)
    strip.set_clip_on(False)
    for share, side, value in ((0.0, "left", -reach), (0.5, "center", 0.0), (1.0, "right", reach)):
        axes.annotate(
            number_text(value),
            (share, 1.0),
            xycoords="axes fraction",
            xytext=(0.0, (GAP + HEIGHT + GAP) * canvas.small),
            textcoords="offset points",
            ha=side,
            va="bottom",
            fontsize=canvas.small,
        )


def _place(axes: Axes, canvas: Canvas) -> Bbox:
    """Where the strip is, in pixels."""
    from matplotlib.transforms import Bbox

    em, frame = canvas.small / points_per_pixel(axes), axes.bbox
    return Bbox.from_bounds(frame.x0, frame.y1 + GAP * em, frame.width, HEIGHT * em)
