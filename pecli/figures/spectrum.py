"""The wavelength of every pair of dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

from pecli.core.errors import UnusedOptionError, UsageError
from pecli.core.language import enumerated, join_or, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.encodings.base import TableEncoding, distinguishing_labels, names_in_sentence, short_names, title_of_several
from pecli.encodings.grid import AXES, HarmonicOnGrid
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.base import MAX_HEADLINE, Numbers, View
from pecli.figures.highlights import WithTrained, trained_text
from pecli.figures.wavelengths import MAX_WAVELENGTH, has_known_waves, short_length, short_wave_text
from pecli.files.sheet import aside, over
from pecli.measures.waves import MEASURED, wavelengths
from pecli.page.axis_labels import label_powers, label_values
from pecli.page.canvas import Canvas
from pecli.page.lines import Look, frame_lines, key
from pecli.page.panels import Panel, PanelGroup

NOTABLE = 1e-3  # of a wavelength, by which another is a longer one
CONTEXTS = {
    "original": "spectrum.original_context",
    "extended": "spectrum.extended_context",
}
MARGIN = 0.12  # above and below wavelengths, as a share of the axis: for what is written there
WIDE = 2 * 72 * 0.65  # points of a panel an inch of the page, for two columns
MARK_STEP = 2.5  # sizes of a mark from one to the next, at least
MARKS = "os^Dv"  # of the encodings in turn, so that they stay apart in grey


@dataclass(frozen=True, kw_only=True)
class SpectrumNumbers(Numbers[TableEncoding]):
    """Wavelengths of all pairs of all encodings, positions; a pair that stands still has none and is left out."""

    wavelength: Array = over("pair")
    pair: Array = over("pair")
    encoding: Array = over("pair")
    stretch: Array = over("pair")  # over the wavelength without the scaling
    shows_ratio: bool = aside()  # the stretch is drawn, not the wavelength
    ratio: tuple[str, ...] = over("encoding")  # between neighbours
    longer_than_length: tuple[int, ...] = over("encoding")  # pairs that never finish a turn over the length shown
    still: tuple[int, ...] = over("encoding")  # pairs left out: frequency 0, or a column that does not vary
    ramp: dict[str, tuple[float, float]] | None  # pairs between kept and divided, of encodings that have some
    contexts: dict[str, float] | None  # of models whose rope is scaled
    trained: int | None = aside()

    def remarks(self) -> list[str]:
        others = [e for e in self.view.encodings if not has_known_waves(e)]
        measured, what = listing(e.called() for e in others), {e.dimension_label for e in others}
        period = "spectrum.dominant_period_of_each"
        left_out = "spectrum.left_out_longer_than"
        most, counts = number_text(MAX_WAVELENGTH), zip(self.view.encodings, self.still, strict=True)
        return [
            say(period, encodings=measured, dimension=join_or(sorted(map(say, what)))) if measured else "",
            *(say(left_out, encoding=e.called(), count=count, most=most) for e, count in counts if count),
            *self.other_lengths(),
        ]

    def marks(self) -> list[str]:
        dashed = any(self.dashed(line) for line in lines_of(self.view))
        return [
            say("spectrum.dashed_without_the_scaling") if dashed else "",
            say("spectrum.band_pairs_scaled_in") if ramps_of(self.view) else "",
        ]

    def of(self, line: Line) -> Array:
        """Return which of the numbers are those of a line."""
        return (self.encoding == line.encoding) & np.isin(self.pair, line.pairs)

    def dashed(self, line: Line) -> bool:
        """Return whether a line has a dashed one without the scaling: a dot has none, nor what it hardly changes."""
        stretch = self.stretch[self.of(line)]
        return not self.shows_ratio and len(stretch) > 1 and bool((np.abs(stretch - 1) > NOTABLE).any())

    def message(self) -> str:
        encodings = self.view.encodings
        if any(self.still):  # the longest shown is not the longest
            return ""
        if self.trained and all(isinstance(encoding, Harmonic) for encoding in encodings):
            return self._beyond_text(self.trained)
        if len(encodings) > 1:
            if not self.shows_ratio:
                return self._longer_text() or self._longest_text()
            return self._counts_text("spectrum.of_pairs_keep_their", self.stretch <= 1 + NOTABLE)
        if (self.stretch != 1).any():
            return stretch_text(self.stretch)
        if encodings[0].sides and isinstance(encodings[0], Harmonic):
            beyond = "spectrum.of_pairs_have_wavelengths"
            sides = " × ".join(map(str, encodings[0].sides))
            return say(beyond, count=self.longer_than_length[0], all=len(self.wavelength), sides=sides)
        known = has_known_waves(encodings[0]) and np.ptp(self.wavelength) > NOTABLE * self.wavelength.max()
        text = "spectrum.wavelengths_grow_by_factor"
        low, high = (float(wave) for wave in self.wavelength[[0, -1]])
        ends = {"low": short_length(encodings[0], low), "high": short_wave_text(encodings[0], high)}
        pair = say("spectrum.pair" if isinstance(encodings[0], Harmonic) else encodings[0].dimension_label)
        return say(text, ratio=self.ratio[0], pair=pair, **ends) if known and low < high else ""

    def _beyond_text(self, trained: int) -> str:
        """Return how many wavelengths, unscaled as they were trained, are longer than the trained length; of several
        where they have as many pairs."""
        longer = self.wavelength / self.stretch > trained
        waves = say("spectrum.unscaled_wavelengths" if (self.stretch != 1).any() else "spectrum.wavelengths")
        if len(self.view.encodings) > 1:
            text = "spectrum.of_pairs_have_longer_than"
            return self._counts_text(text, longer, length=trained, wavelengths=waves)
        text = "spectrum.of_pairs_have_longer"
        return say(text, count=int(longer.sum()), all=len(longer), length=trained, wavelengths=waves)

    def _counts_text(self, text: str, counted: Array, **blanks: Any) -> str:
        """Return how many wavelengths of each encoding are counted; nothing where they have not as many pairs."""
        parts = [counted[self.encoding == at] for at in range(len(self.view.encodings))]
        counts, pairs = [int(part.sum()) for part in parts], {len(part) for part in parts}
        names = distinguishing_labels(self.view.encodings, without=("original",))
        each = enumerated([f"{count} ({name})" for count, name in zip(counts, names, strict=True)])
        return say(text, counts=each, all=pairs.pop(), **blanks) if len(pairs) == 1 else ""

    def _longer_text(self) -> str:
        """Return by how much one of two encodings has longer wavelengths, pair by pair, or that they are the same."""
        encodings, waves = self.view.encodings, [self.wavelength[self.encoding == at] for at in (0, 1)]
        if len(encodings) != 2 or len(waves[0]) != len(waves[1]):
            return ""
        names, ratio = distinguishing_labels(encodings), waves[1] / waves[0]
        if (np.abs(ratio - 1) <= NOTABLE).all():
            both = dict(zip(("one", "other"), names_in_sentence(encodings), strict=True))
            return say("spectrum.the_wavelengths_of_and", **both)
        if ratio.min() < 1 - NOTABLE < 1 + NOTABLE < ratio.max():
            return ""
        name, times = (names[1], ratio.max()) if ratio.max() > 1 + NOTABLE else (names[0], 1 / ratio.min())
        text = "spectrum.wavelengths_are_up_to"
        return say(text, name=name, ratio=number_text(float(times), 2 if times >= 10 else 3))

    def _longest_text(self) -> str:
        """Return the longest wavelength of each encoding; nothing where that is too long."""
        encodings = self.view.encodings
        if not all(map(has_known_waves, encodings)):
            return ""
        names = short_names(encodings)
        waves = [float(self.wavelength[self.encoding == at].max()) for at in range(len(encodings))]
        each = [
            f"{short_wave_text(own, wave)} ({name})" for own, wave, name in zip(encodings, waves, names, strict=True)
        ]
        text = say("spectrum.wavelengths_reach", lengths=enumerated(each))
        return text if len(text) <= MAX_HEADLINE else ""


@dataclass(frozen=True)
class Spectrum(WithTrained[TableEncoding]):
    """Wavelengths 2π/ω on a logarithmic axis.

    Notes
    -----
    From the formula where the encoding has frequencies; else each column's
    strongest frequency in its discrete Fourier transform, over one whole cycle (binary) or over the length shown.
    A rope that is scaled has lines at the model's contexts, its wavelengths without the scaling dashed, and a band over
    the pairs between kept and divided; ``ratio`` shows what the scaling alone does.
    """

    name: ClassVar[str] = "spectrum"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "λ = 2π/ω of each pair of dimensions, the positions that one turn takes; without a formula, the "
        "strongest period of each column"
    )
    example: ClassVar[str] = "pecli spectrum -e sinusoidal -e rope:base=500000"
    examples: ClassVar[tuple[str, ...]] = ("pecli spectrum sinusoidal:base=10 rope clock -n 4096",)
    several: ClassVar[bool] = True
    length_in_use: ClassVar[bool] = True

    ratio: bool = option(False, "the wavelength over that without the scaling, instead of the wavelength")

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        lacking = [encoding.name for encoding in view.encodings if not isinstance(encoding, Harmonic)]
        if view.positions.start and all(map(has_known_waves, view.encodings)):
            raise UnusedOptionError("start", view.positions.start, "a formula or a whole cycle has no first position")
        if self.ratio and lacking:
            text = f"--ratio is of wavelengths by a formula, and {lacking[0]} has none"
            raise UsageError(text, option="ratio", allowed="rope, sinusoidal and such")
        if self.ratio and self.trained:
            raise UnusedOptionError("trained", self.trained, "--ratio compares no wavelength with a length")

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        rows = min(view.positions.length, MEASURED)
        return max(((1 if isinstance(encoding, Harmonic) else rows), encoding.width) for encoding in view.encodings)

    def compute(self, view: View[TableEncoding]) -> SpectrumNumbers:
        waves = waves_of(view)
        known = [each < MAX_WAVELENGTH for each in waves]
        pairs = [np.arange(len(each)) for each in waves]
        encoding = [np.full(len(each), at) for at, each in enumerate(waves)]
        arrays = (waves, pairs, encoding, map(stretch_of, view.encodings, waves))
        parts = [[array[k] for array, k in zip(each, known, strict=True)] for each in arrays]
        names = ("wavelength", "pair", "encoding", "stretch")
        return SpectrumNumbers(
            view=view,
            **dict(zip(names, map(np.concatenate, parts), strict=True)),
            shows_ratio=self.ratio,
            ratio=tuple(map(ratio_text, parts[0])),
            longer_than_length=tuple(map(_longer_than, view.encodings, waves, repeat(view.positions.length))),
            still=tuple(int((~k).sum()) for k in known),
            ramp={view.encodings[at].spec(): ramp for at, ramp in ramps_of(view).items()} or None,
            contexts={f"{name} context": at for name, at in contexts_of(view)} or None,
            trained=self.trained,
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        ends = self.ratio, frozenset(encoding.position_unit for encoding in view.encodings)
        return [PanelGroup((Panel(0.8 if canvas.narrow else 0.55, ends=ends),))]  # decades would be flat

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import label_lines

        (panel,), waves, pair = axes, waves_of(view), "words.pair_of_dimensions_j"
        frame_lines(panel, 0, max(map(len, waves)) - 1)
        labels = {say(pair if isinstance(e, Harmonic) else e.dimension_label) for e in view.encodings}
        label_values(panel.xaxis, join_or(sorted(labels)), integer=True)
        panel.set_yscale("log", base=2 if self.ratio else 10)
        panel.margins(y=MARGIN)
        units = [say(encoding.wave_unit) for encoding in view.encodings]
        several = len({*units}) > 1 and not self.ratio  # each line says its own
        ratio = say("spectrum.wavelength_unscaled_wavelength")
        length = say("words.wavelength", units=join_or(sorted({*units})))
        label_powers(panel.yaxis, ratio if self.ratio else length)
        lines = lines_of(view)
        looks = (self._look(view, line.encoding, at, canvas) for at, line in enumerate(lines))
        names = (f"{line.label} ({units[line.encoding]})" if several else line.label for line in lines)
        entries = list(zip(names, looks, strict=True))
        if len(lines) == len(waves) > 1 and len({*map(len, waves)}) == 1:  # no line leads from an end across others
            label_lines(panel, entries, canvas)
        elif len(entries) > 1:
            key(panel, entries)

    def _look(self, view: View[TableEncoding], own: int, at: int, canvas: Canvas) -> Look:
        """Return connected dots for what is known, crosses for what is measured over the length shown."""
        encoding, size = view.encodings[own], 3 * canvas.scale
        apart = WIDE * canvas.inches.width / encoding.width  # points from one pair to the next, about
        look: Look = {"color": f"C{at}", "markersize": size}
        if not has_known_waves(encoding):
            return {**look, "marker": "x", "linestyle": "none"}
        return {**look, "marker": MARKS[at % len(MARKS)] if apart > MARK_STEP * size else ""}

    def draw(self, numbers: SpectrumNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import put_line_labels

        panel, ends = axes[0], []
        for at, line in enumerate(lines_of(numbers.view)):
            part = numbers.of(line)
            pair, wave, stretch = numbers.pair[part], numbers.wavelength[part], numbers.stretch[part]
            drawn = stretch if self.ratio else wave
            style = dict(self._look(numbers.view, line.encoding, at, canvas))
            if any(_run_together(drawn, later) for later in self._later(numbers, line.encoding)):  # seen on either side
                style |= {"linewidth": 5 * canvas.scale, "marker": "", "alpha": 0.5}
            panel.plot(pair, drawn, clip_on=False, **style)  # marks stand on the frame
            if numbers.dashed(line):
                panel.plot(pair, wave / stretch, "--", color=f"C{at}", linewidth=0.8 * canvas.scale)
            ends.append((pair, drawn))
        for at, ramp in ramps_of(numbers.view).items():
            panel.axvspan(*ramp, color=f"C{at}", alpha=0.12, linewidth=0)
        put_line_labels(panel, ends)
        if not self.ratio:
            _mark_lengths(numbers, panel, canvas)
        return [None]

    def _later(self, numbers: SpectrumNumbers, at: int) -> list[Array]:
        """Return what is drawn of the encodings after one."""
        values = numbers.stretch if self.ratio else numbers.wavelength
        return [values[numbers.encoding == later] for later in range(at + 1, len(numbers.view.encodings))]

    def title(self, view: View[TableEncoding]) -> str:
        if len(view.encodings) == 1:
            return super().title(view)
        return title_of_several(view.encodings)


def _mark_lengths(numbers: SpectrumNumbers, panel: Axes, canvas: Canvas) -> None:
    """Mark the contexts of the models whose rope is scaled, and shade what is longer than the trained length."""
    from pecli.page.labels import label_level

    view, trained = numbers.view, numbers.trained
    pairs = [int((numbers.encoding == at).sum()) for at in range(len(view.encodings))]
    few = min(pairs) < max(pairs) / 2  # they rise to the labels, which stand left where waves are short
    look: dict[str, Any] = {"color": panel.xaxis.label.get_color(), "linewidth": 0.8 * canvas.scale, "alpha": 0.7}
    levels = [(say(CONTEXTS[name], count=at), at) for name, at in contexts_of(view)]
    for text, at in [*levels, *([(trained_text(trained), float(trained))] if trained else [])]:
        panel.axhline(at, linestyle=":", **look)
        label_level(panel, text, at, canvas, right=few)
    if trained:
        ends = panel.get_ylim()
        panel.axhspan(trained, ends[1], facecolor=("0.5", 0.2), linewidth=0, zorder=0)
        panel.set_ylim(ends)
        panel.grid(visible=False)  # runs through the labels


class Line(NamedTuple):
    """Pairs of an encoding that are joined: all, or those that turn by one axis of a grid; label : what tells them."""

    encoding: int
    pairs: Array
    label: str


def lines_of(view: View[TableEncoding]) -> list[Line]:
    """Return the lines of all encodings."""
    lines, labels = [], distinguishing_labels(view.encodings)
    for at, (encoding, label) in enumerate(zip(view.encodings, labels, strict=True)):
        if not isinstance(encoding, HarmonicOnGrid) or encoding.places is None:
            lines.append(Line(at, np.arange(encoding.width), label))
            continue
        names, axes = AXES[-len(encoding.places) :], encoding.axes_of_pairs()
        for axis, name in enumerate(names):
            own = listing([label * (len(labels) > 1), say(name)])
            lines.append(Line(at, np.flatnonzero(axes == axis), own))
    return lines


def waves_of(view: View[TableEncoding]) -> list[Array]:
    """Return the wavelengths of each encoding."""
    return [wavelengths(encoding, encoding.covered(view.positions)) for encoding in view.encodings]


def _longer_than(encoding: TableEncoding, waves: Array, length: int) -> int:
    """Return how many wavelengths are longer than the positions shown."""
    return encoding.longer_waves(length) if isinstance(encoding, Harmonic) else int((waves > length).sum())


def stretch_of(encoding: TableEncoding, waves: Array) -> Array:
    """Return how many times longer each wavelength is than without the scaling; 1 where there is none."""
    return waves / encoding.unscaled().wavelengths() if isinstance(encoding, Scaled) else np.ones(len(waves))


def contexts_of(view: View[TableEncoding]) -> list[tuple[str, float]]:
    """Return the contexts of the models whose rope is scaled, by what they are, each once."""
    scaled = [encoding.contexts() for encoding in view.encodings if isinstance(encoding, Scaled)]
    return list(dict.fromkeys(context for contexts in scaled for context in contexts.items()))


def ramps_of(view: View[TableEncoding]) -> dict[int, tuple[float, float]]:
    """Return the pairs between kept and divided, by the number of the encoding; of others nothing, nor where no pair
    lies between, or the factor changes none."""
    scaled = {at: encoding for at, encoding in enumerate(view.encodings) if isinstance(encoding, Scaled)}
    between = {at: e.ramp() for at, e in scaled.items() if e.factor != 1 and e.parts().get("between")}
    return {at: ramp for at, ramp in between.items() if ramp}


def _run_together(one: Array, other: Array) -> bool:
    """Return whether two lines are one over some pairs."""
    return len(one) == len(other) and int(np.isclose(one, other, rtol=NOTABLE).sum()) > 1


def ratio_text(waves: Array) -> str:
    """Return how many times longer each wavelength is than the one before: 1.155, or 12 to 60."""
    if len(waves) < 2:
        return ""
    ratios = waves[1:] / waves[:-1]
    low, high = (number_text(float(ratio), 4) for ratio in (ratios.min(), ratios.max()))
    return low if low == high else say("spectrum.low_to_high", low=low, high=high)


def stretch_text(stretch: Array) -> str:
    """Return from which pair on a scaling makes all waves longer, where that is so."""
    longer = stretch > 1 + NOTABLE
    first = int(longer.argmax())
    text = "spectrum.from_pair_on_the"
    return say(text, pair=first, ratio=number_text(float(stretch.max()), 3)) if longer[first:].all() else ""
