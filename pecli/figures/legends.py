"""Legends and colour bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pecli.core.lazy import np
from pecli.core.numbers import number_text
from pecli.figures.blocks import Box
from pecli.figures.canvas import Canvas
from pecli.figures.colors import COLOURS
from pecli.figures.panels import Bar
from pecli.figures.text import Ruler, ems, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.legend import Legend
    from matplotlib.transforms import Bbox

SHARE = 0.5  # of the panel's width, that a legend beside it takes at most
BELOW = "legend below"
SHARED = "legend of all panels"
NARROW = 18.0  # ems of a legend whose entries are broken into lines, at least
HANDLE = 4.0  # ems of a sample of a line and what stands around it and its text


def _of(axes: Axes) -> Legend:
    legend = axes.get_legend()
    assert legend is not None  # what the callers ask first
    return legend


def size_of(axes: Axes, ruler: Ruler) -> tuple[float, float]:
    """Width and height of the legend."""
    box = _of(axes).get_window_extent(ruler.renderer)
    return box.width / ruler.dpi, box.height / ruler.dpi


def gap_of(axes: Axes) -> float:
    """What is left free between a panel and its legend."""
    return 0.6 * _of(axes).prop.get_size_in_points() / 72


def is_beside(axes: Axes) -> bool:
    """Whether the legend stands right of its panel; one that was put below stays there."""
    return bool(_of(axes).get_label() != BELOW)


def keep_below(before: Sequence[Axes], after: Sequence[Axes]) -> None:
    """Lets the legends of panels made anew stand below where they did."""
    for old, new in zip(before, after, strict=True):
        if old.get_legend() is not None and new.get_legend() is not None and not is_beside(old):
            _of(new).set_label(BELOW)


def least_width(axes: Axes, ruler: Ruler) -> float:
    """The narrowest panel under which the legend can be read: its longest entry, but no more than some ems."""
    size = _of(axes).prop.get_size_in_points()
    longest = max((ruler.width(text, size) for text in _entries(_of(axes))), default=0.0)
    return min(longest + HANDLE * size / 72, NARROW * size / 72)


def place_legend(axes: Axes, frame: Box, bottom: float, ruler: Ruler) -> None:
    """Puts the legend beside the panel's frame or below it, where labels take so much."""
    legend = _of(axes)
    legend.set_in_layout(False)
    width, height = size_of(axes, ruler)
    gap = gap_of(axes)
    if is_beside(axes) and width <= SHARE * frame.width and height <= 1.05 * frame.height:
        _anchor(axes, 1 + gap / frame.width, 1.0)
        return
    _turn(axes, frame.width, ruler)
    _anchor(axes, 0.0, -(bottom + gap) / frame.height)


def _anchor(axes: Axes, x: float, y: float) -> None:
    """The legend with its upper left corner there, in shares of the frame."""
    legend = _of(axes)
    legend.set_loc("upper left")
    legend.borderaxespad = 0.0
    legend.borderpad = 0.0
    legend.set_bbox_to_anchor((x, y), transform=axes.transAxes)


def _entries(legend: Legend) -> list[str]:
    """The texts as they were before they were broken into lines."""
    return [str(handle.get_label()) for handle in legend.legend_handles if handle is not None]


def _turn(axes: Axes, room: float, ruler: Ruler) -> None:
    """Makes the legend anew for a place below the panel: in columns, with entries that fit it."""
    old = _of(axes)
    size = old.prop.get_size_in_points()
    texts = [ruler.wrapped(text, size, room - HANDLE * size / 72) for text in _entries(old)]
    columns = _columns(texts, size, room, ruler)
    title = " ".join(old.get_title().get_text().split("\n")) or None
    new = axes.legend(handles=old.legend_handles, labels=texts, ncols=columns, title=title, alignment="left")
    new.set_label(BELOW)
    new.set_in_layout(False)


def share_legend(drawing: Drawing, axes: Sequence[Axes], room: float, ruler: Ruler) -> Legend | None:
    """Moves the legend of all panels, if there is one, from its panel to the page, in as many columns as fit."""
    owner = next((one for one in axes if (own := one.get_legend()) and own.get_label() == SHARED), None)
    if owner is None:
        return None
    old = _of(owner)
    size = old.prop.get_size_in_points()
    texts = [ruler.wrapped(text.get_text(), size, room - HANDLE * size / 72) for text in old.get_texts()]
    columns = _columns(texts, size, room, ruler)
    handles = old.legend_handles
    old.remove()
    return drawing.legend(handles=handles, labels=texts, ncols=columns, loc="lower center", borderaxespad=0.0)


def _columns(texts: Sequence[str], size: float, room: float, ruler: Ruler) -> int:
    """In how many columns these entries fit."""
    widest = max((ruler.width(text, size) for text in texts), default=0.0) + HANDLE * size / 72
    return max(1, min(len(texts), int(room / widest)))


def beside_own(axes: Axes) -> None:
    """Puts the legend, if there is one, right of an Axes whose layout is not ours."""
    if axes.get_legend() is not None:
        _anchor(axes, 1.02, 1.0)


def keep_last_legend(axes: list[Axes], cells: int) -> None:
    """Leaves the legend of the last cell alone where all have the same, for the whole picture if it is the only one."""
    size = len(axes) // cells
    for place in range(size):
        legends = [axes[at * size + place].get_legend() for at in range(cells)]
        said = [[text.get_text() for text in one.get_texts()] for one in legends if one is not None]
        if len(said) == cells and all(one == said[0] for one in said):
            for legend in filter(None, legends[:-1]):
                legend.remove()
            if size == 1:
                axes[-1].get_legend().set_label(SHARED)  # type: ignore[union-attr]  # all of them have one


PLACEHOLDER = "−0.00"  # about the widest tick
BEFORE, WIDTH = 0.6, 0.9  # ems between panel and bar, and of the bar
OUTLINE = 0.4  # points
STROKES = (("white", 2.6), ("black", 1.2))  # colour and points of what is seen on any colour: dark within light


def bar_width(canvas: Canvas, ruler: Ruler) -> float:
    """About what a colour bar takes beside a panel before it is drawn, in inches."""
    return (BEFORE + WIDTH + 2.4) * canvas.inches.font / 72 + ruler.width(PLACEHOLDER, canvas.small)


def add_bar(drawing: Drawing, mappable: Any, bar: Bar, canvas: Canvas, axes: Axes | None = None) -> Axes:
    """A colour bar on an Axes of its own, to be put in its place."""
    from matplotlib.colors import LogNorm

    from pecli.figures.ticks import BetweenPowers, NumberTexts, RoundTicks

    place = drawing.add_axes((0.0, 0.0, 0.05, 1.0)) if axes is None else axes
    place.set_label("<colorbar>")  # as matplotlib calls those that it makes itself
    log = isinstance(mappable.norm, LogNorm)
    ticks: Any = list(bar.ticks) if bar.ticks is not None else None if log else RoundTicks()
    drawn = drawing.colorbar(
        mappable, cax=place, ticks=ticks, label=bar.label, format=NumberTexts(), extend=_beyond(mappable)
    )
    if log:
        drawn.minorformatter = BetweenPowers()
    drawn.outline.set_linewidth(OUTLINE * canvas.scale)
    low, high = mappable.get_clim()
    if bar.level is not None and low < bar.level < high:
        for colour, width in STROKES:
            place.axhline(bar.level, color=colour, linewidth=width * canvas.scale)
    return place


def _beyond(mappable: Any) -> Any:
    """At which ends values lie beyond the colours."""
    values, (low, high) = mappable.get_array(), mappable.get_clim()
    if not values.size:
        return "neither"
    below, above = bool(values.min() < low), bool(values.max() > high)
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get((below, above), "neither")


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
