"""Positions as clock faces, one hand per pair of dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import chosen_indices, places_option, positions_until
from pecli.core.language import enumerated, finding, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import minus, number_text
from pecli.core.options import EXACT, option, seconds_of
from pecli.core.positions import Positions
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.wavelengths import MAX_WAVELENGTH, short_length, short_wave_text, wavelength_unit
from pecli.files.sheet import aside, over
from pecli.page.axis_labels import names_fit
from pecli.page.canvas import Canvas
from pecli.page.colors import note_ink
from pecli.page.panels import Axis, Panel, PanelGroup
from pecli.page.text import LINE, points_per_pixel
from pecli.page.words import ems

ROWS, COLUMNS, NARROW = 4, 8, 4  # default number of positions, of pairs, of pairs on a narrow page
LENGTH, TICKS = 0.86, (0.12, 0.07)  # in radii: length of a hand; lengths of the mark at the top and of the others
HANDS, WIDTHS = (0.9, 0.5), (0.9, 2.4)  # lengths (radii) and widths (points) of the fastest and slowest hand
SWEPT = 0.16  # opacity of the sector that a hand has swept
BESIDE = 1.5  # radii: part of a column's width for the face; the rest is for the number of turns
MARKED = "C1"  # colour of pairs in the headline
ALL = 43200.0  # seconds per turn of the face with all hands
NUMERALS = {60.0: 60, 3600.0: 60, 43200.0: 12, 86400.0: 24}  # number at the top of a face, by seconds per turn
WHOLE = 1e-9  # turns: tolerance for a full turn
FACE, RIM = "#FAFAF8", "#C3C9CF"  # colours in pecli's own style
RADIUS = 0.4  # radius of a dial; the distance between rows is 1
SPREAD, ALONE = 1.08, 1.3  # least distance between columns: with several rows, with one
LEAST = 2  # ems of small text: least distance between dials
TALL = 0.8  # largest ratio of height to width of all dials together; with many rows, columns are farther apart


@dataclass(frozen=True, kw_only=True)
class DialsNumbers(Numbers[Harmonic]):
    """The angle ω_j p of each hand in radians, within [−π, π]."""

    angles: Array = over("position", "pair", across="pair")
    turns: Array = aside("position", "pair")  # full turns since position 0, negative for anticlockwise
    positions: Array = over("position")
    pairs: Array = over("pair")
    wavelengths: Array = aside("pair")  # in positions

    def message(self) -> str:
        """Return the headline: the angles on a clock, or how the fastest and the slowest pair compare."""
        encoding = self.view.encoding
        if encoding.tick_steps and len(self.positions) == 1 and len(self.pairs) <= COLUMNS // 2:
            angles = [f"{number_text(round(angle, 1), 4)}°" for angle in np.degrees(self.swept_angles[0]).tolist()]
            place = encoding.position_text(self.positions[0])
            return say("dials.hands_stand", position=place, angles=enumerated(angles))
        ends = (float(self.wavelengths.min()), float(self.wavelengths.max()))
        if ends[1] > MAX_WAVELENGTH or len({short_length(encoding, wave) for wave in ends}) == 1:
            return ""
        if encoding.tick_steps:  # a clock: hands are named after their periods
            fast, slow = (encoding.pair_text(int(self.pairs[self.wavelengths == wave][0])) for wave in ends)
            return say("dials.the_turns_times_more", slow=slow, fast=fast, ratio=number_text(ends[1] / ends[0], 3))
        fast, slow = (encoding.pair_text(int(pair)) for pair in self.headline_pairs)
        times = {"every": short_wave_text(encoding, ends[0]), "slowly": short_length(encoding, ends[1])}
        return say("dials.pair_turns_every", fast=fast, slow=slow, **times)

    @property
    def headline_pairs(self) -> list[int]:
        """The pairs of the shortest and of the longest wavelength."""
        return [int(self.pairs[at]) for at in (self.wavelengths.argmin(), self.wavelengths.argmax())]

    @property
    def swept_angles(self) -> Array:
        """The clockwise angle of each hand since its last full turn in radians, shape (positions, pairs)."""
        ways = self.angles % (2 * np.pi)
        return np.where(ways > 2 * np.pi * (1 - WHOLE), 0.0, ways)

    def marks(self) -> list[str]:
        clock = bool(self.view.encoding.tick_steps)
        unit = "" if clock else wavelength_unit(self.view.encoding)
        most = int(self.turns.max(initial=0))
        return [say("dials.hands_turn_clockwise_from"), say("dials.full_turns", count=most) if most else "", unit]


@dataclass(frozen=True)
class Dials(Figure[Harmonic]):
    """Clock faces, one row per position; the hand of pair j has turned clockwise by ω_j p from the top.

    Notes
    -----
    A hand points to (sin ω_j p, cos ω_j p): the two numbers that the encoding has for the pair.
    """

    name: ClassVar[str] = "dials"
    frame_option: ClassVar[str] = "at"
    requires: ClassVar[Any] = Harmonic
    defines: ClassVar[str] = (
        "the hand of pair j has turned clockwise from the top by ω_j p; one turn takes λ = 2π/ω_j positions"
    )
    example: ClassVar[str] = "pecli dials -e clock --at 10981,9870"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli dials clock --at 1,301,46799",
        "pecli dials clock --at 0..59:12 -o clock.gif",
    )

    at: tuple[int, ...] | None = places_option(
        "positions to show, one row each (in a .gif, one frame each)",
        at_least=-EXACT,
        unset=f"0 and powers of ten below the length, up to {ROWS}",
    )
    pairs: tuple[int, ...] | None = option(
        None,
        "pairs to show, one dial each",
        at_least=0,
        unset=f"up to {COLUMNS}, spread evenly; {NARROW} on a narrow page",
    )

    def rows(self, view: View[Harmonic]) -> Array:
        """Return the positions: the chosen ones, or 0 and powers of ten, so that fast and slow hands differ."""
        if self.at is not None:
            return np.array([view.encoding.position_at(at) for at in self.at], dtype=np.float64)
        covered = view.covered
        first = 0 if covered.start < 0 < covered.stop else covered.start
        length = covered.stop - first
        if length <= ROWS:
            return first + np.arange(float(length))
        powers = len(str(length - 1))  # number of powers 1, 10, … below the length
        exponents = np.linspace(0, powers - 1, min(powers, ROWS - 1)).astype(int)
        return first + np.append(0.0, 10.0**exponents)

    def drawn_pairs(self, view: View[Harmonic]) -> Array:
        """Return the indices of the pairs to draw, shape (n,)."""
        return chosen_indices("pairs", self.pairs, view, (view.encoding.width + 1) // 2, "pairs", COLUMNS)

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        if not self.at:
            return asked
        why = "--at alone decides which positions are drawn"
        last = max(seconds_of(at) or 0 for at in self.at)
        return positions_until(last, asked, self.default_length(None), in_use, why)

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        view.encoding.coordinates(self.rows(view))  # raises UsageError for a position outside a grid
        self.drawn_pairs(view)

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        return (len(self.rows(view)), len(self.drawn_pairs(view)))

    def compute(self, view: View[Harmonic]) -> DialsNumbers:
        harmonic, rows, pairs = view.encoding, self.rows(view), self.drawn_pairs(view)
        angles = harmonic.angles(rows) + harmonic.phases  # a phase may add a full turn
        angles -= 2 * np.pi * np.round(angles / (2 * np.pi))
        turns = harmonic.coordinates(rows).reshape(len(rows), -1) / harmonic.wavelengths()
        turns = np.zeros(angles.shape) if harmonic.phases.any() else np.trunc(turns + np.sign(turns) * WHOLE)
        known: dict[str, Any] = {"positions": rows, "pairs": pairs, "wavelengths": harmonic.wavelengths()[pairs]}
        return DialsNumbers(view=view, angles=angles[:, pairs], turns=turns[:, pairs], **known)

    def columns(self, view: View[Harmonic], canvas: Canvas) -> list[list[int]]:
        """Return the hands that each column of faces shows, as indices into `drawn_pairs`.

        A clock has all hands on the first face. A narrow page has fewer columns.
        """
        count = len(self.drawn_pairs(view))
        if self.pairs is None and canvas.narrow and count > NARROW:
            return [[int(at)] for at in np.linspace(0, count - 1, NARROW).round()]
        clock = bool(view.encoding.tick_steps) and count > 1
        return [*([[*range(count)]] if clock else []), *([at] for at in range(count))]

    def grid(self, view: View[Harmonic], canvas: Canvas) -> tuple[int, int, float]:
        """Return (rows, columns, spacing) of the faces.

        spacing : distance between columns divided by the distance between rows
        """
        rows, columns = len(self.rows(view)), len(self.columns(view, canvas))
        return rows, columns, max(SPREAD if rows > 1 else ALONE, rows / (TALL * columns))

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        rows, columns, spacing = self.grid(view, canvas)
        places = [view.encoding.position_text(at) for at in self.rows(view)]
        plain = view.encoding.position_unit or view.encoding.sides
        beside = tuple(places if plain else [f"{view.encoding.position_letter} = {place}" for place in places])
        across = tuple((spacing * np.arange(columns)).tolist())
        x = Axis(names=tuple(self.names(view, canvas)), places=across)
        y = Axis(names=beside, places=tuple((-np.arange(rows)).tolist()))
        least = LEAST * columns, LEAST * rows
        return [PanelGroup((Panel(rows / columns / spacing, exact=True, least=least, x=x, y=y),))]

    def names(self, view: View[Harmonic], canvas: Canvas) -> list[str]:
        """Return the name of each column: its pair with the wavelength or period."""
        encoding, pairs, waves = view.encoding, self.drawn_pairs(view), view.encoding.wavelengths()
        names = []
        for column in self.columns(view, canvas):
            if len(column) > 1:
                names.append(say("dials.all_hands"))
                continue
            if encoding.tick_steps and canvas.narrow:
                names.append(encoding.pair_text(int(pairs[column[0]])).replace(" ", "\n", 1))
                continue
            name, wave = encoding.pair_text(int(pairs[column[0]])), float(waves[pairs[column[0]]])
            length = say("words.still") if wave > MAX_WAVELENGTH else f"λ {number_text(wave, 3)}"
            if encoding.tick_steps:
                length = say("dials.one_turn_in", time=encoding.length_text(wave))
            names.append(f"{name}\n{length}")
        return names

    def decorate(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        rows, columns, spacing = self.grid(view, canvas)
        axes[0].set(xlim=(-spacing / 2, (columns - 0.5) * spacing), ylim=(-rows + 0.5, 0.5))
        axes[0].xaxis.tick_top()
        axes[0].tick_params(length=0)
        if rows == 1 and view.encoding.tick_steps:
            axes[0].tick_params(axis="x", pad=canvas.small)  # room for the numerals of the faces
        axes[0].spines[:].set_visible(False)

    def fit(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        """Write the names of columns side by side, or turned if they do not fit."""
        names, spacing = self.names(view, canvas), self.grid(view, canvas)[2]
        fits = names_fit(axes[0].xaxis, names, spacing)
        shown = names if fits else [listing(name.split("\n")) for name in names]
        axes[0].set_xticks(spacing * np.arange(len(names)), shown)
        axes[0].tick_params(axis="x", labelrotation=0 if fits else 90)

    def draw(self, numbers: DialsNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        columns, spacing = self.columns(numbers.view, canvas), self.grid(numbers.view, canvas)[2]
        clock = any(len(column) > 1 for column in columns)
        colours = [f"C{at}" if clock else "C0" for at in range(len(numbers.pairs))]
        for row, line in enumerate(numbers.angles):
            for at, column in enumerate(columns):
                centre = np.array([at * spacing, -float(row)])
                _draw_face(axes[0], centre, 12 if clock else 4, canvas)
                for pair in column:
                    share = pair / max(1, len(numbers.pairs) - 1) if len(column) > 1 else None
                    _draw_hand(axes[0], centre, float(line[pair]), share, colours[pair], canvas)
                if len(column) == 1:
                    _draw_swept_sector(axes[0], centre, float(numbers.swept_angles[row, column[0]]), colours[column[0]])
                    _write_turns(axes[0], centre, int(numbers.turns[row, column[0]]), spacing, canvas)
                    if clock and len(numbers.positions) == 1:
                        _write_numbers(axes[0], centre, float(line[column[0]]), canvas)
                if clock and len(numbers.positions) == 1:
                    turn = float(numbers.wavelengths[column[0]]) if len(column) == 1 else ALL
                    _write_numerals(axes[0], centre, NUMERALS.get(round(turn, 6), 0), canvas)
        said, labels = finding(numbers.message()), axes[0].get_xticklabels()
        for label, column in zip(labels, columns, strict=True):
            if clock and len(column) == 1:
                label.set_color(colours[column[0]])
            elif said and len(column) == 1 and numbers.pairs[column[0]] in numbers.headline_pairs:
                label.set_color(MARKED)
        return [None]


def _draw_face(axes: Axes, centre: Array, marks: int, canvas: Canvas) -> None:
    """Draw a clock face with `marks` marks on its rim."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    thin, plain = 0.7 * canvas.scale, canvas.user_style is None
    look: dict[str, Any] = {"facecolor": FACE if plain else "none", "edgecolor": RIM if plain else "0.6"}
    axes.add_patch(Circle((centre[0], centre[1]), RADIUS, linewidth=thin, zorder=0, clip_on=False, **look))
    turned = [2 * np.pi * mark / marks for mark in range(marks)]
    ways = np.stack([np.sin(turned), np.cos(turned)], axis=-1) * RADIUS
    inner = 1 - np.array([TICKS[bool(mark)] for mark in range(marks)])[:, None]
    lines = np.stack([centre + ways, centre + ways * inner], axis=1)
    axes.add_collection(LineCollection(list(lines), colors="0.6", linewidths=thin, zorder=1))


def _draw_hand(axes: Axes, centre: Array, angle: float, share: float | None, colour: str, canvas: Canvas) -> None:
    """Draw a hand.

    share : rank of the hand among several on one face, from 0 (fastest) to 1 (slowest); None: the only hand of the face
    """
    length, width = (
        (LENGTH, 1.8) if share is None else (float(np.interp(share, (0, 1), own)) for own in (HANDS, WIDTHS))
    )
    tip = centre + length * RADIUS * np.array([np.sin(angle), np.cos(angle)])
    axes.plot(*np.stack([centre, tip], axis=1), color=colour, linewidth=width * canvas.scale, zorder=3)
    hub: dict[str, Any] = {
        "color": colour if share is None else axes.xaxis.label.get_color(),
        "markersize": 3.5 * canvas.scale,
    }
    axes.plot(*centre, "o", markeredgewidth=0, zorder=4, **hub)


def _draw_swept_sector(axes: Axes, centre: Array, way: float, colour: str) -> None:
    """Shade the sector that a hand has swept since its last full turn.

    way : clockwise angle from the top, in radians
    """
    from matplotlib.patches import Wedge

    if way:
        look: dict[str, Any] = {"facecolor": colour, "alpha": SWEPT, "linewidth": 0, "zorder": 2}
        axes.add_patch(Wedge((centre[0], centre[1]), RADIUS, 90 - np.degrees(way), 90, **look))


def _write_turns(axes: Axes, centre: Array, turns: int, spacing: float, canvas: Canvas) -> None:
    """Write the number of full turns of a hand beside its face, if it fits.

    spacing : distance to the next column of faces, in the units of the axes
    """
    low, high = axes.get_xlim()
    size, unit = 0.9 * canvas.small, axes.bbox.width * points_per_pixel(axes) / (high - low)
    sign = "+" if turns > 0 else "−"
    texts = [f"{sign} {abs(turns):,}", f"{sign} {number_text(abs(turns), 2)}", ""]
    text = next(text for text in texts if size * ems(text) <= (spacing - BESIDE * RADIUS) * unit)
    if turns and text:
        look: dict[str, Any] = {"textcoords": "offset points", "va": "bottom", "color": note_ink()}
        place = (centre[0] + 0.72 * RADIUS, centre[1] - RADIUS)
        axes.annotate(text, place, (2 * canvas.scale, 0), fontsize=size, **look)


def _write_numbers(axes: Axes, centre: Array, angle: float, canvas: Canvas) -> None:
    """Write the sine and cosine of a hand's angle below its face."""
    sine, cosine = (minus(f"{value + 0.0:.2f}") for value in np.round((np.sin(angle), np.cos(angle)), 2))
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "top", "fontsize": canvas.small}
    between = "\n" if canvas.narrow else " · "
    below = -3 * canvas.scale - LINE * canvas.small
    axes.annotate(f"sin {sine}{between}cos {cosine}", (centre[0], centre[1] - RADIUS), (0, below), **look)


def _write_numerals(axes: Axes, centre: Array, top: int, canvas: Canvas) -> None:
    """Write four numerals around a face, or two on a narrow page.

    top : the numeral at the top, 0 for none
    """
    look: dict[str, Any] = {"textcoords": "offset points", "fontsize": canvas.small, "color": note_ink()}
    sides = ((0, 1, "center", "bottom"), (1, 0, "left", "center"), (0, -1, "center", "top"), (-1, 0, "right", "center"))
    for at, (right, up, across, along) in [*enumerate(sides if top else ())][:: 2 if canvas.narrow else 1]:
        place, moved = centre + RADIUS * np.array([right, up]), np.array([right, up]) * 3 * canvas.scale
        axes.annotate(f"{at * top // 4 or top}", tuple(place), tuple(moved), ha=across, va=along, **look)
