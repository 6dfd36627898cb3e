"""A position as clock faces: one hand a pair of dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import chosen_indices, places_option, positions_until
from pecli.core.language import listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.encodings.clock import seconds_of_time
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.wavelengths import MAX_WAVELENGTH, short_length, short_wave_text, wavelength_unit
from pecli.files.sheet import aside, over
from pecli.page.axis_labels import names_fit
from pecli.page.canvas import Canvas
from pecli.page.panels import Panel, PanelGroup

ROWS, COLUMNS = 4, 4  # positions and pairs where none are asked for, at most
RADIUS = 0.4  # of a dial, of the distance between two below each other
SPREAD, ALONE = 1.6, 1.3  # distance between two side by side, over that, so their names have room; in a single row
LEAST = 2  # ems of small text from dial to dial
TALL = 1.3  # height over width of all dials, at most: of many rows the columns stand farther apart


@dataclass(frozen=True, kw_only=True)
class DialsNumbers(Numbers[Harmonic]):
    """The angles ω_j p in [−π, π], rad."""

    angles: Array = over("position", "pair", across="pair")
    positions: Array = over("position")
    pairs: Array = over("pair")
    wavelengths: Array = aside("pair")  # positions

    def message(self) -> str:
        """Return how the fastest and the slowest pair compare; nothing where one stands still or all are as fast."""
        encoding, ends = self.view.encoding, (float(self.wavelengths.min()), float(self.wavelengths.max()))
        if ends[1] > MAX_WAVELENGTH or len({short_length(encoding, wave) for wave in ends}) == 1:
            return ""
        if encoding.tick_steps:  # whose names are the periods
            fast, slow = (encoding.pair_text(int(self.pairs[self.wavelengths == wave][0])) for wave in ends)
            return say("dials.the_turns_times_more", slow=slow, fast=fast, ratio=number_text(ends[1] / ends[0], 3))
        fast, slow = short_wave_text(encoding, ends[0]), short_length(encoding, ends[1])
        return say("dials.the_fastest_pair_turns", fast=fast, slow=slow)

    def marks(self) -> list[str]:
        clock = bool(self.view.encoding.tick_steps)
        unit = "" if clock else wavelength_unit(self.view.encoding)
        count, every = len(self.pairs), (self.view.encoding.width + 1) // 2
        part = say("dials.of_pairs", count=count, all=every) if count < every else ""
        return [say("dials.hands_turn_clockwise_from"), unit, part]


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
    defines: ClassVar[str] = (
        "the hand of pair j has turned by ω_j p from the top, clockwise; λ = 2π/ω_j positions make one turn"
    )
    example: ClassVar[str] = "pecli dials -e clock --at 10981,9870"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli dials clock --at 1,301,46799",
        "pecli dials clock --at 0..59:12 -o clock.gif",
    )

    at: tuple[int, ...] | None = places_option(
        "the positions, one row each; in a .gif one frame each",
        at_least=-EXACT,
        advice=lambda value: seconds_of_time(str(value)),
        unset=f"0 and powers of ten below the length, {ROWS} at most",
    )
    pairs: tuple[int, ...] | None = option(
        None, "the pairs, one dial each", at_least=0, unset=f"{COLUMNS} at most, spread"
    )

    def rows(self, view: View[Harmonic]) -> Array:
        """Return the positions: those asked for, else as many as fast hands and slow ones need to have turned."""
        if self.at is not None:
            return np.array([view.encoding.position_at(at) for at in self.at], dtype=np.float64)
        covered = view.covered
        first = 0 if covered.start < 0 < covered.stop else covered.start
        length = covered.stop - first
        if length <= ROWS:
            return first + np.arange(float(length))
        powers = len(str(length - 1))  # 1, 10, … below the length
        exponents = np.linspace(0, powers - 1, min(powers, ROWS - 1)).astype(int)
        return first + np.append(0.0, 10.0**exponents)

    def dials(self, view: View[Harmonic]) -> Array:
        """Return the pairs."""
        return chosen_indices("pairs", self.pairs, view, (view.encoding.width + 1) // 2, "pairs", COLUMNS)

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        if not self.at:
            return asked
        why = "--at says which positions are drawn"
        return positions_until(max(self.at), asked, self.default_length(None), in_use, why)

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        view.encoding.coordinates(self.rows(view))  # refuses a position that a grid does not have
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

    def grid(self, view: View[Harmonic]) -> tuple[int, int, float]:
        """Return the number of rows and of columns, and how far apart columns are, where rows are 1 apart."""
        rows, columns = self.shape(view)
        return rows, columns, max(SPREAD if rows > 1 else ALONE, rows / (TALL * columns))

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        rows, columns, spacing = self.grid(view)
        return [PanelGroup((Panel(rows / columns / spacing, exact=True, least=(LEAST * columns, LEAST * rows)),))]

    def names(self, view: View[Harmonic]) -> list[str]:
        """Return the names of the dials: the pair, and its wavelength where that does not say it."""
        encoding, pairs = view.encoding, self.dials(view)
        names = [encoding.pair_text(pair) for pair in pairs.tolist()]
        if encoding.tick_steps:
            return names
        waves = encoding.wavelengths()[pairs]
        lengths = [say("words.still") if wave > MAX_WAVELENGTH else f"λ = {number_text(wave, 3)}" for wave in waves]
        return [f"{name}\n{length}" for name, length in zip(names, lengths, strict=True)]

    def decorate(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        (panel,), (rows, columns, spacing) = axes, self.grid(view)
        label = say(view.encoding.position_label)
        places = [view.encoding.position_text(at) for at in self.rows(view)]
        panel.set(xlim=(-spacing / 2, (columns - 0.5) * spacing), ylim=(-rows + 0.5, 0.5))
        panel.set_xticks(spacing * np.arange(columns), self.names(view))
        panel.set_yticks(-np.arange(rows), places if rows > 1 else [f"{label}\n{places[0]}"])  # one is less high
        panel.set_ylabel(label if rows > 1 else "")
        panel.xaxis.tick_top()
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)

    def fit(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        """Put the names side by side, else turned."""
        names, spacing = self.names(view), self.grid(view)[2]
        fits = names_fit(axes[0].xaxis, names, spacing)
        shown = names if fits else [listing(name.split("\n")) for name in names]
        axes[0].set_xticks(spacing * np.arange(len(names)), shown)
        axes[0].tick_params(axis="x", labelrotation=0 if fits else 90)

    def draw(self, numbers: DialsNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from matplotlib.collections import LineCollection, PatchCollection
        from matplotlib.patches import Circle

        positions, pairs = numbers.angles.shape
        row, column = np.indices((positions, pairs)).reshape(2, -1)
        centres = np.stack([self.grid(numbers.view)[2] * column, -row], axis=-1)
        angles = numbers.angles.reshape(-1)
        tips = centres + RADIUS * np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        tops = [[(x, y + RADIUS), (x, y + 0.85 * RADIUS)] for x, y in centres]
        faces = [Circle((x, y), RADIUS) for x, y in centres]
        thin, thick = 0.7 * canvas.scale, 1.6 * canvas.scale
        axes[0].add_collection(PatchCollection(faces, facecolor="none", edgecolor="0.6", linewidth=thin))
        axes[0].add_collection(LineCollection(tops, colors="0.6", linewidths=thin))
        axes[0].add_collection(LineCollection(list(np.stack([centres, tips], 1)), colors="C0", linewidths=thick))
        return [None]
