"""The wavelength of every pair of dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.core.errors import UnusedOptionError, UsageError
from pecli.core.language import either, listing, phrase, template
from pecli.core.lazy import Array, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.encodings.base import TableEncoding, short_names
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.axis_labels import label_powers, label_values
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.canvas import Canvas
from pecli.figures.lines import Look, frame_lines, key
from pecli.figures.panels import Panel, PanelGroup
from pecli.figures.wavelengths import (
    MAX_WAVELENGTH,
    growth_text,
    has_known_waves,
    longer_from_text,
    longest_text,
    make_room,
    mark_lengths,
    ratio_text,
    shade_longer,
    textbook_ends,
)
from pecli.measures.waves import MEASURED, wavelengths

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    @property
    def dashed(self) -> bool:
        """Whether the wavelengths without the scaling are shown too."""
        return bool((self.stretch != 1).any()) and not self.shows_ratio

    def remarks(self) -> list[str]:
        measured = listing(e.name for e in self.view.encodings if not isinstance(e, Harmonic))
        period = template("{encodings}: the dominant period of each column, measured over one cycle or the length")
        left_out = template("{encoding}: {count} left out, longer than {most} or still")
        most = number_text(MAX_WAVELENGTH)
        return [
            phrase(period, encodings=measured) if measured else "",
            *(
                phrase(left_out, encoding=e.name, count=n, most=most) if n else ""
                for e, n in zip(self.view.encodings, self.still, strict=True)
            ),
        ]

    def marks(self) -> list[str]:
        dashed = phrase("dashed: without the scaling") if self.dashed else ""
        return [dashed, phrase("band: pairs between kept and divided") if any(self.ramps) else ""]

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
            return longer_from_text([self.wavelength, unscaled], [phrase("the scaling"), phrase("no scaling")])
        known = has_known_waves(encodings[0]) and self.ratios[0]
        return growth_text(encodings[0], self.wavelength, self.ratios[0]) if known else ""

    def facts(self) -> dict[str, Any]:
        names = [encoding.spec() for encoding in self.view.encodings]
        columns = {"ratio": self.ratios, "longer_than_length": self.longer, "still": self.still}
        scaled = {name: ramp for name, ramp in zip(names, self.ramps, strict=True) if ramp is not None}
        return {
            **{name: dict(zip(names, values, strict=True)) for name, values in columns.items()},
            **({"ramp": scaled} if scaled else {}),
            **({"contexts": dict(self.contexts)} if self.contexts else {}),
        }


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
        lacking = [one.name for one in view.encodings if not isinstance(one, Harmonic)]
        if view.positions.start and all(map(has_known_waves, view.encodings)):
            raise UnusedOptionError("start", view.positions.start, "a formula or a whole cycle has no first position")
        if self.ratio and lacking:
            text = f"--ratio is of wavelengths by a formula, and {lacking[0]} has none"
            raise UsageError(text, option="ratio", allowed="rope, sinusoidal and such")

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        rows = min(view.positions.length, MEASURED)
        return max(((1 if isinstance(one, Harmonic) else rows), one.width) for one in view.encodings)

    def compute(self, view: View[TableEncoding]) -> SpectrumNumbers:
        waves = waves_of(view)
        known = [each < MAX_WAVELENGTH for each in waves]

        def shown(arrays: Iterable[Array]) -> Array:
            return np.concatenate([array[k] for array, k in zip(arrays, known, strict=True)])

        contexts = [one.contexts() for one in view.encodings if isinstance(one, Scaled) and not self.ratio]
        named = [(f"{name} context", at) for each in contexts for name, at in each.items()]
        return SpectrumNumbers(
            view=view,
            wavelength=shown(waves),
            pair=shown(places_of(view)),
            encoding=shown(np.full(len(each), at) for at, each in enumerate(waves)),
            stretch=shown(map(stretch_of, view.encodings, waves)),
            shows_ratio=self.ratio,
            contexts=tuple(dict.fromkeys(named)),
            ramps=tuple(one.ramp() if isinstance(one, Scaled) else None for one in view.encodings),
            ratios=tuple(ratio_text(each[k]) for each, k in zip(waves, known, strict=True)),
            longer=tuple(int((each > view.positions.length).sum()) for each in waves),
            still=tuple(int((~k).sum()) for k in known),
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        return [PanelGroup((Panel(0.8 if canvas.narrow else 0.55),))]  # decades would be flat

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.figures.labels import label_lines

        last = [float(places[-1]) for places in places_of(view)]
        frame_lines(axes[0], 0, max(last))
        label_values(axes[0].xaxis, across_text(view), integer=True)
        axes[0].set_yscale("log", base=2 if self.ratio else 10)
        if self.ratio:
            label_powers(axes[0].yaxis, phrase("wavelength, times that without the scaling"))
        else:
            units = {phrase(encoding.position_unit or template("positions")) for encoding in view.encodings}
            label_powers(axes[0].yaxis, phrase("wavelength λ, {units}", units=either(sorted(units))))
        entries = [
            (self._name(view, encoding, waves), self._look(encoding, at, canvas))
            for at, (encoding, waves) in enumerate(zip(view.encodings, waves_of(view), strict=True))
        ]
        if len(entries) == 1:
            return
        if min(last) >= TOGETHER * max(last):  # nothing has to lead from a line's end across others
            label_lines(axes[0], entries, canvas)
        else:
            key(axes[0], entries)

    def _look(self, encoding: TableEncoding, at: int, canvas: Canvas) -> Look:
        """Return connected dots for what a formula gives, crosses for what is measured."""
        known = isinstance(encoding, Harmonic)
        marks = {"marker": MARKS[at % len(MARKS)] if known else "x", "markersize": 3 * canvas.scale}
        return {"color": f"C{at}", "linestyle": "-" if known else "none", **marks}

    def _name(self, view: View[TableEncoding], encoding: TableEncoding, waves: Array) -> str:
        """Return an encoding's label, and how many of its wavelengths are above the line at the length."""
        if self.ratio:
            return encoding.label()
        longer = int((waves > view.positions.length).sum())
        return phrase("{encoding}: {count} of {all} above", encoding=encoding.label(), count=longer, all=len(waves))

    def draw(self, numbers: SpectrumNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.figures.labels import put_line_labels

        one = axes[0]
        for at, encoding in enumerate(numbers.view.encodings):
            mine = numbers.encoding == at
            pair, wave, stretch = numbers.pair[mine], numbers.wavelength[mine], numbers.stretch[mine]
            one.plot(pair, stretch if self.ratio else wave, clip_on=False, **self._look(encoding, at, canvas))  # marks
            if numbers.dashed and (stretch != 1).any():
                one.plot(pair, wave / stretch, "--", color=f"C{at}", linewidth=0.8 * canvas.scale)
            ramp = numbers.ramps[at]
            if ramp is not None:
                one.axvspan(*ramp, color=f"C{at}", alpha=0.12, linewidth=0)
        drawn = numbers.stretch if self.ratio else numbers.wavelength
        ends = [np.flatnonzero(numbers.encoding == at)[-1:] for at in range(len(numbers.view.encodings))]
        put_line_labels(one, [(numbers.pair[end[0]], drawn[end[0]]) if len(end) else (0.0, 1.0) for end in ends])
        if not self.ratio:
            self._mark(numbers, one, canvas)
        return [None]

    def _mark(self, numbers: SpectrumNumbers, one: Axes, canvas: Canvas) -> None:
        """Mark the lengths there are; of one encoding alone, where its wavelengths begin and tend to."""
        from pecli.figures.labels import label_level

        view, length = numbers.view, numbers.view.positions.length
        mark_lengths(one, length, numbers.contexts, canvas)
        alone = len(view.encodings) == 1 and not numbers.contexts
        ends = textbook_ends(view.encoding, numbers.wavelength) if alone else []
        make_room(one, length, [wave for _, wave in ends], canvas)
        shade_longer(one, length)
        for text, wave in ends:  # left, where no line of wavelengths begins there
            one.axhline(wave, color="0.6", linestyle=":", linewidth=0.8 * canvas.scale, zorder=0)
            label_level(one, text, wave, canvas, right=TEXT_BETWEEN * wave < length, below=True, optional=True)
        longer, every = numbers.longer[0], len(waves_of(view)[0])
        if alone and longer:
            pairs = template("↑ {count} of {all} pairs\nnever finish a turn")
            columns = template("↑ {count} of {all} columns\nnever finish a turn")
            text = phrase(pairs if isinstance(view.encoding, Harmonic) else columns, count=longer, all=every)
            label_level(one, text, length, canvas, right=longer >= RIGHT * every, below=True)

    def title(self, view: View[TableEncoding]) -> str:
        if self.ratio:
            return phrase("what scalings do to wavelengths") if len(view.encodings) > 1 else super().title(view)
        return phrase("wavelengths") if len(view.encodings) > 1 else super().title(view)


def waves_of(view: View[TableEncoding]) -> list[Array]:
    """Return the wavelengths of each encoding."""
    return [wavelengths(encoding, encoding.covered(view.positions)) for encoding in view.encodings]


def stretch_of(encoding: TableEncoding, waves: Array) -> Array:
    """Return how many times longer each wavelength is than without the scaling; 1 where there is none."""
    return waves / encoding.unscaled().wavelengths() if isinstance(encoding, Scaled) else np.ones(len(waves))


def across_text(view: View[TableEncoding]) -> str:
    """Return what the wavelengths stand against: pairs or, where there are none, columns."""
    if any(isinstance(one, Harmonic) for one in view.encodings):
        return phrase("pair of dimensions j")
    return either(sorted({phrase(one.dimension_label) for one in view.encodings}))


def places_of(view: View[TableEncoding]) -> list[Array]:
    """Return where the wavelengths of each encoding stand: at their pair, a column among pairs at half its number."""
    pairs = [isinstance(one, Harmonic) for one in view.encodings]
    both = zip(pairs, waves_of(view), strict=True)
    return [np.arange(len(waves)) / (2 if any(pairs) and not is_pair else 1) for is_pair, waves in both]
