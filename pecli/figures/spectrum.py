"""The wavelength of every pair of dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.core.errors import UnusedOptionError, UsageError
from pecli.core.language import join_or, listing, template, templates, translate
from pecli.core.lazy import Array, np
from pecli.core.numbers import bound_text, number_text
from pecli.core.options import option
from pecli.encodings.base import Encoding, TableEncoding, short_names
from pecli.encodings.harmonic import Harmonic, PowersOfBase
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.axis_labels import label_powers, label_values
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.canvas import Canvas
from pecli.figures.colors import is_dark
from pecli.figures.lines import Look, frame_lines, key
from pecli.figures.panels import Panel, PanelGroup
from pecli.figures.text import points_per_pixel
from pecli.figures.wavelengths import MAX_WAVELENGTH, has_known_waves, short_length, short_wave_text
from pecli.measures.waves import MEASURED, wavelengths

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOTABLE = 1e-3  # of a wavelength, by which another is a longer one


@dataclass(frozen=True, kw_only=True)
class SpectrumNumbers(Numbers[TableEncoding]):
    """wavelength : (n,), positions (a pair that stands still has none and is left out); pair : (n,);
    encoding : (n,), which of the encodings; stretch : (n,), over the wavelength without the scaling."""

    main_array: ClassVar[str] = "wavelength"
    row_coordinates: ClassVar[tuple[str, ...]] = ("pair", "encoding", "stretch")

    wavelength: Array
    pair: Array
    encoding: Array
    stretch: Array
    shows_ratio: bool  # the stretch is drawn, not the wavelength
    contexts: tuple[tuple[str, float], ...]  # of the models whose rope is scaled, each once
    ramps: tuple[tuple[float, float] | None, ...]  # the pairs between kept and divided, of each encoding
    ratios: tuple[str, ...]  # between neighbours, one text an encoding
    longer: tuple[int, ...]  # pairs that never finish a turn over the length shown
    still: tuple[int, ...]  # pairs left out: frequency 0, or a column that does not vary

    def remarks(self) -> list[str]:
        measured = listing(e.name for e in self.view.encodings if not isinstance(e, Harmonic))
        period = template("{encodings}: the dominant period of each column, measured over one cycle or the length")
        left_out = template("{encoding}: {count} left out, longer than {most} or still")
        most = number_text(MAX_WAVELENGTH)
        return [
            translate(period, encodings=measured) if measured else "",
            *(
                translate(left_out, encoding=e.name, count=n, most=most) if n else ""
                for e, n in zip(self.view.encodings, self.still, strict=True)
            ),
        ]

    def marks(self) -> list[str]:
        dashed = (self.stretch != 1).any() and not self.shows_ratio
        return [
            translate("dashed: without the scaling") if dashed else "",
            translate("band: pairs between kept and divided") if any(self.ramps) else "",
        ]

    def message(self) -> str:
        encodings = self.view.encodings
        if any(self.still):  # the longest shown is not the longest
            return ""
        if len(encodings) > 1:
            parts = [self.encoding == at for at in range(len(encodings))]
            waves, names = [self.wavelength[part] for part in parts], short_names(encodings)
            alike = len(parts) == 2 and np.array_equal(*(self.pair[part] for part in parts))
            text = longer_from_text(waves, names) if alike else ""
            return "" if self.shows_ratio else text or longest_text(encodings, waves, names)
        if (self.stretch != 1).any():
            unscaled = self.wavelength / self.stretch
            return longer_from_text([self.wavelength, unscaled], [translate("the scaling"), translate("no scaling")])
        known = has_known_waves(encodings[0]) and self.ratios[0]
        return growth_text(encodings[0], self.wavelength, self.ratios[0]) if known else ""

    def facts(self) -> dict[str, Any]:
        names = [encoding.spec() for encoding in self.view.encodings]
        columns: tuple[tuple[Any, ...], ...] = (self.ratios, self.longer, self.still, self.ramps)
        ratios, longer, still, ramps = (dict(zip(names, values, strict=True)) for values in columns)
        facts: dict[str, Any] = {"ratio": ratios, "longer_than_length": longer, "still": still}
        facts |= {"ramp": {name: ramp for name, ramp in ramps.items() if ramp}} if any(self.ramps) else {}
        return facts | ({"contexts": dict(self.contexts)} if self.contexts else {})


LENGTHS = templates(
    {
        "length": "length {count:,.0f}",
        "original context": "original context {count:,.0f}",
        "scaled context": "factor × original {count:,.0f}",
    }
)
LEVEL_ROOM = 1.8  # ems above or below a level that is written on
EDGE = 1.05  # times a power of ten: the end of an axis that shows the line there whole
NEAR_POWER = 3.0  # times as long, at most, is the power of ten that an axis is drawn out to
ON_LIGHT, ON_DARK = 0.12, 0.3  # how much grey a shade has on a light and on a dark panel
BEYOND = 1e9  # times the upper end: a shade still fills its panel when that is moved for others
TEXT_BETWEEN = 12  # times as long, so that two lines of text fit between two wavelengths
RIGHT = 0.4  # of the pairs are longer than the length, at least, where the right end below it is free
TOGETHER = 0.8  # of the most pairs, that all encodings have at least where their lines end beside their names
MARKS = "os^Dv"  # of the encodings in turn, so that they stay apart in grey


@dataclass(frozen=True)
class Spectrum(Figure[TableEncoding]):
    """Wavelengths 2π/ω on a logarithmic axis, with a line at the length shown.

    Notes
    -----
    Pairs above the line never finish a turn. From the formula where the encoding has frequencies; else each column's
    strongest frequency in its discrete Fourier transform, over one whole cycle (binary) or over the length shown.
    A rope that is scaled has lines at the model's contexts, its wavelengths without the scaling dashed, and a band over
    the pairs between kept and divided; ``ratio`` shows what the scaling alone does.
    """

    name: ClassVar[str] = "spectrum"
    requires: ClassVar[Any] = TableEncoding
    summary: ClassVar[str] = "The wavelength of every pair of dimensions"
    defines: ClassVar[str] = (
        "λ = 2π/ω of each pair of dimensions, the positions that one turn takes; without a formula, the "
        "strongest period of each column"
    )
    example: ClassVar[str] = "pecli spectrum -e sinusoidal -e rope:base=500000"
    examples: ClassVar[tuple[str, ...]] = ("pecli spectrum sinusoidal:base=10 rope clock -n 4096",)
    several: ClassVar[bool] = True

    ratio: bool = option(False, "the wavelength over that without the scaling, instead of the wavelength")

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        lacking = [encoding.name for encoding in view.encodings if not isinstance(encoding, Harmonic)]
        if view.positions.start and all(map(has_known_waves, view.encodings)):
            raise UnusedOptionError("start", view.positions.start, "a formula or a whole cycle has no first position")
        if self.ratio and lacking:
            text = f"--ratio is of wavelengths by a formula, and {lacking[0]} has none"
            raise UsageError(text, option="ratio", allowed="rope, sinusoidal and such")

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        rows = min(view.positions.length, MEASURED)
        return max(((1 if isinstance(encoding, Harmonic) else rows), encoding.width) for encoding in view.encodings)

    def compute(self, view: View[TableEncoding]) -> SpectrumNumbers:
        waves = waves_of(view)
        known = [each < MAX_WAVELENGTH for each in waves]

        def shown(arrays: Iterable[Array]) -> Array:
            return np.concatenate([array[k] for array, k in zip(arrays, known, strict=True)])

        scaled = [encoding for encoding in view.encodings if isinstance(encoding, Scaled) and not self.ratio]
        contexts = [(f"{name} context", at) for encoding in scaled for name, at in encoding.contexts().items()]
        return SpectrumNumbers(
            view=view,
            wavelength=shown(waves),
            pair=shown(places_of(view)),
            encoding=shown(np.full(len(each), at) for at, each in enumerate(waves)),
            stretch=shown(map(stretch_of, view.encodings, waves)),
            shows_ratio=self.ratio,
            contexts=tuple(dict.fromkeys(contexts)),
            ramps=tuple(encoding.ramp() if isinstance(encoding, Scaled) else None for encoding in view.encodings),
            ratios=tuple(ratio_text(each[k]) for each, k in zip(waves, known, strict=True)),
            longer=tuple(int((each > view.positions.length).sum()) for each in waves),
            still=tuple(int((~k).sum()) for k in known),
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        ends = self.ratio, frozenset(encoding.position_unit for encoding in view.encodings)
        return [PanelGroup((Panel(0.8 if canvas.narrow else 0.55, ends=ends),))]  # decades would be flat

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.figures.labels import label_lines

        last = [float(places[-1]) for places in places_of(view)]
        frame_lines(axes[0], 0, max(last))
        labels = {translate(encoding.dimension_label) for encoding in view.encodings}
        pairs = any(isinstance(encoding, Harmonic) for encoding in view.encodings)
        across = translate("pair of dimensions j") if pairs else join_or(sorted(labels))
        label_values(axes[0].xaxis, across, integer=True)
        axes[0].set_yscale("log", base=2 if self.ratio else 10)
        units = join_or(
            sorted({translate(encoding.position_unit or template("positions")) for encoding in view.encodings})
        )
        ratio = translate("wavelength, times that without the scaling")
        label_powers(axes[0].yaxis, ratio if self.ratio else translate("wavelength λ, {units}", units=units))
        names = [encoding.label() for encoding in view.encodings]
        if not self.ratio:
            above = template("{encoding}: {count} of {all} above")
            counts = [((waves > view.positions.length).sum(), len(waves)) for waves in waves_of(view)]
            names = [
                translate(above, encoding=name, count=count, all=every)
                for name, (count, every) in zip(names, counts, strict=True)
            ]
        entries = [(name, self._look(view.encodings[at], at, canvas)) for at, name in enumerate(names)]
        if len(entries) > 1 and min(last) >= TOGETHER * max(last):  # no line leads from an end across others
            label_lines(axes[0], entries, canvas)
        elif len(entries) > 1:
            key(axes[0], entries)

    def _look(self, encoding: TableEncoding, at: int, canvas: Canvas) -> Look:
        """Return connected dots for what a formula gives, crosses for what is measured."""
        known = isinstance(encoding, Harmonic)
        marks = {"marker": MARKS[at % len(MARKS)] if known else "x", "markersize": 3 * canvas.scale}
        return {"color": f"C{at}", "linestyle": "-" if known else "none", **marks}

    def draw(self, numbers: SpectrumNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.figures.labels import put_line_labels

        panel, ends = axes[0], []
        for at, encoding in enumerate(numbers.view.encodings):
            part, ramp = numbers.encoding == at, numbers.ramps[at]
            pair, wave, stretch = numbers.pair[part], numbers.wavelength[part], numbers.stretch[part]
            drawn = stretch if self.ratio else wave
            panel.plot(pair, drawn, clip_on=False, **self._look(encoding, at, canvas))  # marks stand on the frame
            if (stretch != 1).any() and not self.ratio:
                panel.plot(pair, wave / stretch, "--", color=f"C{at}", linewidth=0.8 * canvas.scale)
            if ramp is not None:
                panel.axvspan(*ramp, color=f"C{at}", alpha=0.12, linewidth=0)
            ends.append((float(pair[-1]), float(drawn[-1])) if len(pair) else (0.0, 1.0))
        put_line_labels(panel, ends)
        if not self.ratio:
            self._mark(numbers, panel, canvas)
        return [None]

    def _mark(self, numbers: SpectrumNumbers, panel: Axes, canvas: Canvas) -> None:
        """Mark the lengths there are; of one encoding alone, where its wavelengths begin and tend to."""
        from pecli.figures.labels import label_level

        view, length, color = numbers.view, numbers.view.positions.length, panel.xaxis.label.get_color()
        for name, at in [("length", length), *numbers.contexts]:  # labelled left, where waves are short
            style = "--" if name == "length" else ":"
            panel.axhline(at, color=color, linestyle=style, linewidth=0.8 * canvas.scale, alpha=0.7)
            below = name == "original context"
            label_level(panel, translate(LENGTHS[name], count=at), at, canvas, right=False, below=below)
        alone = len(view.encodings) == 1 and not numbers.contexts
        ends = textbook_ends(view.encoding, numbers.wavelength) if alone else []
        make_room(panel, length, [wave for _, wave in ends], canvas)
        shade_longer(panel, length)
        for text, wave in ends:  # left, where no line of wavelengths begins there
            panel.axhline(wave, color="0.6", linestyle=":", linewidth=0.8 * canvas.scale, zorder=0)
            label_level(panel, text, wave, canvas, right=TEXT_BETWEEN * wave < length, below=True, optional=True)
        longer, every = numbers.longer[0], len(waves_of(view)[0])
        if alone and longer:
            pairs = template("↑ {count} of {all} pairs\nnever finish a turn")
            columns = template("↑ {count} of {all} columns\nnever finish a turn")
            text = translate(pairs if isinstance(view.encoding, Harmonic) else columns, count=longer, all=every)
            label_level(panel, text, length, canvas, right=longer >= RIGHT * every, below=True)

    def title(self, view: View[TableEncoding]) -> str:
        if len(view.encodings) == 1:
            return super().title(view)
        return translate("what scalings do to wavelengths") if self.ratio else translate("wavelengths")


def waves_of(view: View[TableEncoding]) -> list[Array]:
    """Return the wavelengths of each encoding."""
    return [wavelengths(encoding, encoding.covered(view.positions)) for encoding in view.encodings]


def stretch_of(encoding: TableEncoding, waves: Array) -> Array:
    """Return how many times longer each wavelength is than without the scaling; 1 where there is none."""
    return waves / encoding.unscaled().wavelengths() if isinstance(encoding, Scaled) else np.ones(len(waves))


def places_of(view: View[TableEncoding]) -> list[Array]:
    """Return where the wavelengths of each encoding stand: at their pair, a column among pairs at half its number."""
    pairs = [isinstance(encoding, Harmonic) for encoding in view.encodings]
    both = zip(pairs, waves_of(view), strict=True)
    return [np.arange(len(waves)) / (2 if any(pairs) and not is_pair else 1) for is_pair, waves in both]


def ratio_text(waves: Array) -> str:
    """Return how many times longer each wavelength is than the one before: ×1.155, or ×12 to ×60."""
    if len(waves) < 2:
        return ""
    ratios = waves[1:] / waves[:-1]
    low, high = float(ratios.min()), float(ratios.max())
    texts = [number_text(ratio, 4) for ratio in (low, high)]
    return f"×{texts[0]}" if high - low < 1e-6 * high else translate("×{low} to ×{high}", low=texts[0], high=texts[1])


def growth_text(encoding: Encoding, waves: Array, ratio: str) -> str:
    """Return how a formula's wavelengths follow each other, and their ends; nothing where they are all alike."""
    if np.ptp(waves) <= NOTABLE * waves.max():
        return ""
    text = template("each wavelength is {ratio} the one before: {low} to {high}")
    low, high = short_length(encoding, float(waves[0])), short_wave_text(encoding, float(waves[-1]))
    return translate(text, ratio=ratio, low=low, high=high)


def longer_from_text(waves: Sequence[Array], names: Sequence[str]) -> str:
    """Return from which pair on one of two encodings' waves, of as many pairs, are all longer, where that is so."""
    for name, stretch in zip(names, (waves[0] / waves[1], waves[1] / waves[0]), strict=True):
        longer, alike = stretch > 1 + NOTABLE, np.abs(stretch - 1) <= NOTABLE
        first = int(longer.argmax())
        if longer[first:].all() and alike[:first].all():
            text = template("from pair {pair} on waves are longer with {name}, up to {ratio} times")
            return translate(text, pair=first, name=name, ratio=bound_text(float(stretch.max()), 3))
    return ""


def longest_text(encodings: Sequence[Encoding], waves: Sequence[Array], names: Sequence[str]) -> str:
    """Return which of several encodings has the shortest and which the longest of their longest waves."""
    longest = [float(each.max(initial=0.0)) for each in waves]
    low, high = int(np.argmin(longest)), int(np.argmax(longest))
    if longest[high] <= longest[low] * (1 + NOTABLE):
        return ""
    short, long = (short_wave_text(encodings[at], longest[at]) for at in (low, high))
    text = template("the longest waves run from {short} with {one} to {long} with {other}")
    return translate(text, short=short, one=names[low], long=long, other=names[high])


def textbook_ends(encoding: Encoding, waves: Array) -> list[tuple[str, float]]:
    """Return the wavelengths that the textbook names, where they begin and what they tend to, with their texts."""
    turn = 2 * np.pi
    if not (isinstance(encoding, PowersOfBase) and len(waves) and np.isclose(waves.min(), turn, rtol=1e-9)):
        return []
    last = turn * encoding.base
    whole = waves.max() <= last * (1 + 1e-9) and last < MAX_WAVELENGTH
    first = [(f"2π = {number_text(turn, 3)}", turn)]
    return first + ([(f"base · 2π = {number_text(last)}", last)] if whole and last > turn else [])


def make_room(axes: Axes, length: int, waves: Sequence[float], canvas: Canvas) -> None:
    """End the axis at a power of ten if one is near, with room for what is written above the length, below waves."""
    low, high = axes.get_ylim()
    share = LEVEL_ROOM * canvas.small / (axes.bbox.height * points_per_pixel(axes))
    high = max([high, *(EDGE * wave for wave in waves)])
    power = EDGE * 10.0 ** float(np.ceil(np.log10(high / EDGE)))
    high = power if power <= NEAR_POWER * high else high
    if share < 0.5:
        low = min([low, *(_beyond(wave, high, share) for wave in waves)])
        high = max(high, _beyond(length, low, share)) if length > low else high
    axes.set_ylim(low, high, auto=True)  # where data end: panels beside each other share it


def _beyond(level: float, other: float, share: float) -> float:
    """Return the end of a logarithmic axis that leaves such a share of it beyond a level, given its other end."""
    return float(np.exp((np.log(level) - share * np.log(other)) / (1 - share)))


def shade_longer(axes: Axes, length: int) -> None:
    """Shade what is longer than the length; opaquely on an opaque panel, so that labels take the shade's colour."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    face, high = to_rgba(axes.get_facecolor()), axes.get_ylim()[1]
    share = ON_DARK if face[3] and is_dark(face) else ON_LIGHT
    mixed = [share * 0.5 + (1 - share) * level for level in face[:3]]
    color = (*mixed, 1.0) if face[3] == 1 else (0.5, 0.5, 0.5, share)
    across = axes.get_yaxis_transform()
    shade = Rectangle((0, length), 1, BEYOND * high - length, color=color, linewidth=0, zorder=0, transform=across)
    axes.add_artist(shade)  # no data, which would move the limits
