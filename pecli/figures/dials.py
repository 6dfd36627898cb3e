"""A position as clock faces: one hand a pair of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.analysis import check_indices, refuse_positions
from pecli.core.language import listing, phrase
from pecli.core.lazy import Array, np
from pecli.core.numbers import number_text
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.encodings.clock import seconds_of_time
from pecli.encodings.harmonic import Harmonic
from pecli.figures.axis_labels import names_fit
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.canvas import Canvas
from pecli.figures.panels import Panel, PanelGroup
from pecli.figures.wavelengths import MAX_WAVELENGTH, short_length, short_wave_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class DialsNumbers(Numbers[Harmonic]):
    """angles : (positions, pairs), rad, ω_j p in [−π, π]; positions : (positions,); pairs : (pairs,);
    wavelengths : (pairs,), positions."""

    main_array: ClassVar[str] = "angles"
    row_coordinates: ClassVar[tuple[str, ...]] = ("positions",)

    angles: Array
    positions: Array
    pairs: Array
    wavelengths: Array

    def message(self) -> str:
        """Nothing where a hand stands still, or none is faster than the others."""
        encoding, ends = self.view.encoding, (float(self.wavelengths.min()), float(self.wavelengths.max()))
        if ends[1] > MAX_WAVELENGTH or len({short_length(encoding, wave) for wave in ends}) == 1:
            return ""
        fast, slow = short_wave_text(encoding, ends[0]), short_length(encoding, ends[1])
        return phrase("the fastest hand turns once in {fast}, the slowest in {slow}", fast=fast, slow=slow)

    def marks(self) -> list[str]:
        named = bool(self.view.encoding.tick_steps)  # the hands' names say how long they take
        return [phrase("top: angle 0; hands turn clockwise"), "" if named else phrase("λ: positions of one turn")]

    def columns(self) -> list[str]:
        return [f"pair {pair}" for pair in self.pairs]


MOST = 8  # dials side by side where none are asked for
STRIP = 4  # positions where none are asked for
RADIUS = 0.4  # of a dial, of the distance between two below each other
SPREAD = 1.2  # distance between two side by side, over that: so their names have room
LEAST = 2  # ems of small text from dial to dial
TALL = 1.3  # height over width of all dials, at most: of many rows the columns stand farther apart
WIDE = 50  # ems of small text that a page is wide at least, where names have room side by side
FEW = 4  # dials whose names have room side by side on a page less wide


@dataclass(frozen=True)
class Dials(Figure[Harmonic]):
    """One row of clock faces a position; the hand of pair j has turned clockwise by ω_j p from the top.

    Notes
    -----
    The tip of a hand stands at (sin ω_j p, cos ω_j p): the two numbers that the encoding holds for the pair.
    """

    name: ClassVar[str] = "dials"
    frame_option: ClassVar[str] = "at"
    requires: ClassVar[Any] = Harmonic
    summary: ClassVar[str] = "A position as clock faces: one hand a pair of dimensions"
    defines: ClassVar[str] = (
        "the hand of pair j has turned by ω_j p from the top, clockwise; λ = 2π/ω_j positions make one turn"
    )
    example: ClassVar[str] = "pecli dials -e clock --at 10981,9870"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli dials clock --at 1,301,46799",
        "pecli dials clock --at 0..59:12 -o clock.gif",
    )

    at: tuple[int, ...] | None = option(
        None,
        "the positions, one row each; in a .gif one frame each",
        at_least=-EXACT,
        advice=lambda value: seconds_of_time(str(value)),
        unset=f"0 and powers of ten below the length, {STRIP} at most",
    )
    pairs: tuple[int, ...] | None = option(
        None, "the pairs, one dial each", at_least=0, unset=f"{MOST} at most, spread"
    )

    def rows(self, view: View[Harmonic]) -> Array:
        """The positions."""
        if self.at is not None:
            return np.array(self.at, dtype=np.float64)
        covered = view.covered
        first = 0 if covered.start < 0 < covered.stop else covered.start
        return first + growing(covered.stop - first)

    def dials(self, view: View[Harmonic]) -> Array:
        """The pairs."""
        count = (view.encoding.width + 1) // 2
        check_indices("pairs", self.pairs, view, count, "pairs")
        if self.pairs is not None:
            return np.array(self.pairs)
        return np.unique(np.linspace(0, count - 1, min(count, MOST)).astype(int))

    def positions_for(self, asked: Positions) -> Positions:
        if self.at is not None:
            refuse_positions(asked, self.default_length(None), "--at says which positions are drawn")
        return asked

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        self.dials(view)

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        return (len(self.rows(view)), len(self.dials(view)))

    def compute(self, view: View[Harmonic]) -> DialsNumbers:
        harmonic, rows, pairs = view.encoding, self.rows(view), self.dials(view)
        angles = harmonic.angles(rows) + harmonic.phases  # of a query's phase: a turn too many, perhaps
        angles -= 2 * np.pi * np.round(angles / (2 * np.pi))
        return DialsNumbers(
            view=view, angles=angles[:, pairs], positions=rows, pairs=pairs, wavelengths=harmonic.wavelengths()[pairs]
        )

    def turned(self, view: View[Harmonic], canvas: Canvas) -> bool:
        """Whether pairs stand below each other and positions side by side: more than have room on a narrow page."""
        rows, columns = self.shape(view)
        return canvas.narrower_than(WIDE) and rows > 1 and columns > FEW

    def grid(self, view: View[Harmonic], canvas: Canvas) -> tuple[int, int]:
        """The rows and columns in which the dials stand."""
        rows, columns = self.shape(view)
        return (columns, rows) if self.turned(view, canvas) else (rows, columns)

    def apart(self, view: View[Harmonic], canvas: Canvas) -> float:
        """How far apart columns stand, where rows are 1 apart."""
        rows, columns = self.grid(view, canvas)
        return max(SPREAD, rows / (TALL * columns))

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        rows, columns = self.grid(view, canvas)
        aspect = rows / columns / self.apart(view, canvas)
        return [PanelGroup((Panel(aspect, exact=True, least=(LEAST * columns, LEAST * rows)),))]

    def names(self, view: View[Harmonic]) -> list[str]:
        """What stands above the dials: the pair and its wavelength."""
        encoding, pairs = view.encoding, self.dials(view)
        waves = encoding.wavelengths()
        names = [(encoding.pair_text(pair), short_wave(encoding, waves[pair])) for pair in pairs.tolist()]
        return ["\n".join(filter(None, name)) for name in names]

    def texts_of(self, view: View[Harmonic], canvas: Canvas) -> tuple[list[str], list[str]]:
        """What stands above the columns and left of the rows."""
        names, label = self.names(view), phrase(view.encoding.position_label)
        places = [view.encoding.position_text(position) for position in self.rows(view)]
        if self.turned(view, canvas):
            return places, in_lines(names)
        return names, places if len(places) > 1 else [f"{label}\n{places[0]}"]  # one is less high

    def decorate(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        encoding, one = view.encoding, axes[0]
        (rows, columns), apart = self.grid(view, canvas), self.apart(view, canvas)
        one.set(xlim=(-apart / 2, (columns - 0.5) * apart), ylim=(-rows + 0.5, 0.5))
        across, down = self.texts_of(view, canvas)
        one.set_xticks(apart * np.arange(columns), across)
        one.set_yticks(-np.arange(rows), down)
        if self.turned(view, canvas):
            one.set_xlabel(phrase(encoding.position_label), labelpad=6 * canvas.scale)
        elif rows > 1:
            one.set_ylabel(phrase(encoding.position_label))
        one.xaxis.tick_top()
        one.xaxis.set_label_position("top")
        one.tick_params(length=0)
        one.spines[:].set_visible(False)

    def fit(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        level, apart = self.texts_of(view, canvas)[0], self.apart(view, canvas)
        ways = (
            (level, 0, names_fit(axes[0].xaxis, level, apart)),
            (raised(level), 0, names_fit(axes[0].xaxis, level, 2 * apart)),
            (in_lines(level), 90, True),
        )
        texts, turned = next((texts, turned) for texts, turned, fits in ways if fits)
        axes[0].set_xticks(apart * np.arange(len(texts)), texts)
        axes[0].tick_params(axis="x", labelrotation=turned)

    def draw(self, numbers: DialsNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from matplotlib.collections import LineCollection, PatchCollection
        from matplotlib.patches import Circle

        rows, columns = numbers.angles.shape
        across, down = self.apart(numbers.view, canvas) * np.arange(max(rows, columns)), -np.arange(max(rows, columns))
        row, column = np.indices((rows, columns)).reshape(2, -1)
        centres = np.stack(
            [across[row], down[column]] if self.turned(numbers.view, canvas) else [across[column], down[row]], axis=-1
        )
        angles = numbers.angles.reshape(-1)
        tips = centres + RADIUS * np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        tops = [[(x, y + RADIUS), (x, y + 0.85 * RADIUS)] for x, y in centres]
        faces = [Circle((x, y), RADIUS) for x, y in centres]
        hands = list(np.stack([centres, tips], axis=1))
        colours = [f"C{column}" for column in range(columns)] * rows
        thin, thick = 0.7 * canvas.scale, 1.6 * canvas.scale
        axes[0].add_collection(PatchCollection(faces, facecolor="none", edgecolor="0.6", linewidth=thin))
        axes[0].add_collection(LineCollection(tops, colors="0.6", linewidths=thin))
        axes[0].add_collection(LineCollection(hands, colors=colours, linewidths=thick))
        return [None]


def growing(length: int) -> Array:
    """Positions below the length at which fast hands and slow ones have turned: all, or 0 and powers of ten."""
    if length <= STRIP:
        return np.arange(float(length))
    powers = len(str(length - 1))  # 1, 10, … below the length
    exponents = np.linspace(0, powers - 1, min(powers, STRIP - 1)).astype(int)
    return np.array([0.0, *(10.0**exponent for exponent in exponents)])


def in_lines(names: Sequence[str]) -> list[str]:
    """Names each in one line."""
    return [listing(name.split("\n")) for name in names]


def raised(names: Sequence[str]) -> list[str]:
    """Names of which every other stands above its neighbours."""
    lines = 1 + max(name.count("\n") for name in names)
    return [name + "\n" * lines * (at % 2) for at, name in enumerate(names)]


def short_wave(encoding: Harmonic, wave: float) -> str:
    """A wavelength in the width of a dial; nothing where the pair's name says it."""
    if encoding.tick_steps:
        return ""
    return phrase("still") if wave > MAX_WAVELENGTH else f"λ {number_text(wave, 3)}"
