"""A query and a key as arrows in the plane of one pair, shifted together to several positions."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, degrees, pi
from typing import Any

from pecli.analysis import Numbers, View
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import minus, number_text
from pecli.encodings.base import Rotary
from pecli.encodings.harmonic import Harmonic
from pecli.figures.rotation_figure import THIRDS, RotationFigure
from pecli.files.sheet import over
from pecli.page.canvas import Canvas
from pecli.page.colors import HAIRLINE, RULE, SHADE, legible, note_ink
from pecli.page.panels import Axis, Panel, PanelGroup, in_columns

QUERY, KEY = "C0", "C1"
LEAST, TURN = 15.0, 360.0  # degrees: arrows closer together than LEAST are hard to tell apart
SHOWN = 75.0  # degrees between query and key that the default pair comes closest to
STACKED = 2.1  # replaces WIDE if panels are stacked, so that rings are not too large
WIDE, TALL = 1.5, 1.32  # half the sides of a panel; the ring has radius 1
ARC, NAME, OUTSIDE = 0.34, 0.58, 1.12  # radii of the arc, its label, and the labels of the arrows
NEAR = 25.0  # at smaller angles, in degrees, the query's label is farther out
DOTS = 64  # largest number of positions drawn on a ring


@dataclass(frozen=True, kw_only=True)
class ArrowNumbers(Numbers[Rotary]):
    """The angles of key and query at each position of the key, in degrees."""

    key: Array = over("position")
    position: Array = over("position")
    query: Array = over("position")
    pair: int
    offset: int
    wavelength: float
    apart: float  # degrees, from 0 to 180
    score: float  # of equal unit vectors as query and key

    def message(self) -> str:
        return say("rotation.stay_apart", pair=self.pair, degrees=number_text(self.apart, 3))


@dataclass(frozen=True)
class RotationArrows(RotationFigure):
    """The figure of `rotation --offset D`.

    After Su et al. 2021, RoFormer, figure 1 and equation 12, arXiv:2104.09864.
    """

    def shape(self, view: View[Rotary]) -> tuple[int, ...]:
        return (len(self._places(view)), 2)

    def _pair(self, view: View[Rotary]) -> tuple[int, float]:
        """Return the pair (the given one, or one whose query and key are about SHOWN degrees apart) and its rate."""
        rates = self._rates(view)
        if self.pairs:
            return self.pairs[0], float(rates[self.pairs[0]])
        apart = np.abs(np.degrees(rates * (self.offset or 1)))
        pair = int(np.where(apart < LEAST, TURN, np.abs(apart - SHOWN)).argmin())
        return pair, float(rates[pair])

    def _rates(self, view: View[Rotary]) -> Array:
        assert isinstance(view.encoding, Harmonic)
        return view.encoding.frequencies() * view.encoding.spacing

    def _places(self, view: View[Rotary]) -> tuple[int, ...]:
        """Return the positions of the key."""
        if self.at is not None:
            return self.at
        rate = self._pair(view)[1]
        third = round(2 * pi / rate / THIRDS) if rate else 1
        return tuple(max(1, third) * place for place in range(THIRDS))

    def compute(self, view: View[Rotary]) -> ArrowNumbers:
        (pair, rate), offset, places = (
            self._pair(view),
            self.offset or 0,
            np.array(self._places(view), dtype=np.float64),
        )
        apart = abs((degrees(rate * offset) + 180) % 360 - 180)
        return ArrowNumbers(
            view=view,
            key=np.degrees(rate * places) % 360,
            position=places,
            query=np.degrees(rate * (places + offset)) % 360,
            pair=pair,
            offset=offset,
            wavelength=2 * pi / rate if rate else float("inf"),
            apart=apart,
            score=cos(rate * offset),
        )

    def panel_groups(self, view: View[Rotary], canvas: Canvas) -> list[PanelGroup]:
        count = len(self._places(view))
        wide = STACKED if canvas.narrow and count > 1 else WIDE
        x, y = Axis(ends=(-wide, wide)), Axis(ends=(-TALL, TALL))
        panel = Panel(TALL / wide, exact=True, least=(13.0, 12.0), x=x, y=y)
        return [PanelGroup((panel,) * count, in_columns(count, 1) if canvas.narrow else ())]

    def decorate(self, view: View[Rotary], axes: list[Axes], canvas: Canvas) -> None:
        for panel in axes:
            panel.set(xticks=[], yticks=[])
            panel.spines[:].set_visible(False)

    def draw(self, numbers: ArrowNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        rate = 2 * pi / numbers.wavelength
        for panel, n in zip(axes, numbers.position.tolist(), strict=True):
            _draw_ring(panel, numbers, canvas)
            first, last = rate * n, rate * (n + numbers.offset)
            turn = (last - first + pi) % (2 * pi) - pi
            _draw_angle(panel, first, turn, numbers.apart, canvas)
            near = numbers.apart < NEAR
            names = ("rotation.key_at", "rotation.query_at")
            for name, at, angle, colour in ((names[0], n, first, KEY), (names[1], n + numbers.offset, last, QUERY)):
                look = {"arrowstyle": "-|>,head_width=0.22,head_length=0.45", "linewidth": 1.6 * canvas.scale}
                place = np.array([np.cos(angle), np.sin(angle)])
                arrow: dict[str, Any] = {**look, "color": colour, "shrinkA": 0, "shrinkB": 0}
                panel.annotate("", (float(place[0]), float(place[1])), (0, 0), arrowprops=arrow)
                x, y = (OUTSIDE + 0.16 * (near and colour == QUERY)) * place
                side: dict[str, Any] = {"ha": "left" if x > 0.3 else "right" if x < -0.3 else "center"}
                side["va"] = "bottom" if y > 0.3 else "top" if y < -0.3 else "center"
                text = say(name, position=numbers.view.encoding.position_text(at))
                panel.text(x, y, text, color=legible(colour, panel), weight="medium", fontsize=canvas.small, **side)
        return [None] * len(axes)

    def title(self, view: View[Rotary]) -> str:
        pair, rate = self._pair(view)
        wave = view.encoding.length_text(2 * pi / rate) if rate else "∞"
        turn = degrees(rate * (self.offset or 0))
        apart = abs((turn + 180) % 360 - 180)
        cosine = minus(f"{cos(rate * (self.offset or 0)):.2f}")
        score = say("rotation.score_cos", degrees=number_text(apart, 3), score=cosine)
        pieces = (say("rotation.turn_every", pair=pair, wave=wave), say("rotation.equal_vectors"), score)
        return join_title([super().title(view), *pieces])


def _draw_ring(panel: Axes, numbers: ArrowNumbers, canvas: Canvas) -> None:
    """Draw the ring of the pair with a dot at each position of a turn and a 0 at its start."""
    ring = np.linspace(0, 2 * pi, 361)
    panel.plot(np.cos(ring), np.sin(ring), color=HAIRLINE, linewidth=0.8 * canvas.scale, zorder=0)
    if numbers.wavelength <= DOTS:
        turned = 2 * pi / numbers.wavelength * np.arange(int(np.ceil(numbers.wavelength)))
        look: dict[str, Any] = {"color": RULE, "markersize": 2.2 * canvas.scale, "markeredgewidth": 0, "zorder": 1}
        panel.plot(np.cos(turned), np.sin(turned), "o", **look)
    if not ((numbers.key < NEAR) | (numbers.key > 360 - NEAR)).any():
        panel.text(1.09, 0, "0", fontsize=0.9 * canvas.small, color=note_ink(), ha="left", va="center")


def _draw_angle(panel: Axes, first: float, turn: float, apart: float, canvas: Canvas) -> None:
    """Shade the angle between the arrows, draw its arc, and write its size.

    first, turn : where the arc begins, and its angle, in radians
    apart : the size to write, in degrees
    """
    arc = first + turn * np.linspace(0, 1, 61)
    x, y = np.cos(arc), np.sin(arc)
    panel.fill([0, *x], [0, *y], facecolor=(KEY, SHADE), linewidth=0, zorder=0)
    ink = panel.xaxis.label.get_color()
    panel.plot(ARC * x, ARC * y, color=ink, linewidth=0.9 * canvas.scale, zorder=2)
    text: dict[str, Any] = {"fontsize": canvas.inches.font, "weight": "semibold", "ha": "center", "va": "center"}
    panel.text(NAME * x[30], NAME * y[30], f"{number_text(apart, 3)}°", color=ink, zorder=4, **text)
