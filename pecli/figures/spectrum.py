"""The wavelength of every pair of dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import enumerated, join_or, join_title, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.encodings.base import (
    Rotary,
    TableEncoding,
    distinguishing_labels,
    names_in_sentence,
    short_names,
    title_of_several,
)
from pecli.encodings.grid import AXES, HarmonicOnGrid
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.base import MAX_HEADLINE, Numbers, View
from pecli.figures.heatmap import length_shown
from pecli.figures.highlights import WithTrained, trained_text
from pecli.figures.wavelengths import MAX_WAVELENGTH, has_known_waves, short_length, short_wave_text
from pecli.files.sheet import aside, over
from pecli.measures.waves import MEASURED, wavelengths
from pecli.page.axis_labels import along_lines, powers_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import SHADE
from pecli.page.lines import Look, add_legend, share_ends
from pecli.page.panels import Panel, PanelGroup, in_columns
from pecli.page.text import points_per_pixel
from pecli.page.words import ems

NOTABLE = 1e-3  # relative difference above which wavelengths count as different
CONTEXTS = {
    "original": "spectrum.original_context",
    "extended": "spectrum.extended_context",
}
SCALING_NAMES = {
    "yarn": "YaRN",
    "longrope": "LongRoPE",
    "ntk": "NTK-aware",
    "dynamic": "dynamic NTK",
}  # other scalings keep their option value
NEAR = 4.0  # if two contexts have a smaller ratio, the label of the lower one goes below its line
MARGIN = 0.08  # space above and below the wavelengths, as a share of the axis
WIDE = 72 * 0.85  # estimated points of panel width per inch of page width
DOT, SMALLEST_DOT = 4.0, 1.8  # diameters in points
BEYOND, UNSCALED = "C1", "C5"  # colours of pairs beyond a length, and of unscaled wavelengths


@dataclass(frozen=True, kw_only=True)
class SpectrumNumbers(Numbers[TableEncoding]):
    """The wavelengths of all pairs of all encodings, in positions. Pairs that do not rotate are left out."""

    wavelength: Array = over("pair")
    pair: Array = over("pair")
    encoding: Array = over("pair")
    stretch: Array = over("pair")  # wavelength divided by the unscaled wavelength
    shows_ratio: bool = aside()  # whether the stretch is drawn, not the wavelength
    ratio: tuple[str, ...] = over("encoding")  # ratio of neighbouring wavelengths
    longer_than_length: tuple[int, ...] = over("encoding")  # pairs that never complete a turn within the length
    still: tuple[int, ...] = over("encoding")  # pairs left out: frequency 0, or a column that does not vary
    ramp: dict[str, tuple[float, float]] | None  # range of blended pairs, per encoding that has some
    contexts: dict[str, float] | None  # context lengths of models with scaled rope
    attention_factor: dict[str, float] | None  # factor of cos and sin, per encoding with one other than 1
    trained: int | None = aside()

    def remarks(self) -> list[str]:
        others = [e for e in self.view.encodings if not has_known_waves(e)]
        measured, what = listing(e.called() for e in others), {e.dimension_label for e in others}
        period = "spectrum.dominant_period_of_each"
        left_out = "spectrum.left_out_longer_than"
        most, counts = number_text(MAX_WAVELENGTH), zip(self.view.encodings, self.still, strict=True)
        names = [name for name, _ in panel_names(self.view.encodings)] if len(self.view.encodings) > 1 else []
        return [
            say(period, encodings=measured, dimension=join_or(sorted(map(say, what)))) if measured else "",
            *(say(left_out, encoding=e.called(), count=count, most=most) for e, count in counts if count),
            *(
                say("spectrum.attention_factor", encoding=own, factor=number_text(factor, 4))
                for e, own in zip(self.view.encodings, names or [e.called() for e in self.view.encodings], strict=True)
                if (factor := (self.attention_factor or {}).get(e.spec()))
            ),
            *self.other_lengths(names if len({*names}) == len(names) else ()),
        ]

    def mask_of(self, line: Line) -> Array:
        """Return the mask of the numbers that belong to a line, shape (pairs,)."""
        return (self.encoding == line.encoding) & np.isin(self.pair, line.pairs)

    def dashed(self, line: Line) -> bool:
        """Return whether a line has a dashed counterpart without scaling.

        Single dots and nearly equal lines have none.
        """
        stretch = self.stretch[self.mask_of(line)]
        return not self.shows_ratio and len(stretch) > 1 and bool((np.abs(stretch - 1) > NOTABLE).any())

    def message(self) -> str:
        encodings = self.view.encodings
        if any(self.still):  # a pair that does not rotate has no finite wavelength
            return ""
        if self.trained and all(isinstance(encoding, Harmonic) for encoding in encodings):
            return self._beyond_trained_text(self.trained)
        if self.level is not None:
            return self._unfinished_text(length_shown(encodings[0], self.level))
        if len(encodings) > 1:
            if not self.shows_ratio:
                return self._unchanged_text() or self._longer_text() or self._scaled_text() or self._longest_text()
            return self._counts_text("spectrum.of_pairs_keep_their", self.stretch <= 1 + NOTABLE)
        if (self.stretch != 1).any():
            return self._stretched_text()
        if encodings[0].sides and isinstance(encodings[0], Harmonic):
            beyond = "spectrum.of_pairs_have_wavelengths"
            sides = " × ".join(map(str, encodings[0].sides))
            return say(beyond, count=self.longer_than_length[0], all=len(self.wavelength), sides=sides)
        if len(self.wavelength) == 1 and has_known_waves(encodings[0]) and np.isfinite(self.wavelength[0]):
            return say("spectrum.the_only_pair", wave=short_wave_text(encodings[0], float(self.wavelength[0])))
        known = has_known_waves(encodings[0]) and np.ptp(self.wavelength) > NOTABLE * self.wavelength.max()
        text = "spectrum.wavelengths_grow_by_factor"
        low, high = (float(wave) for wave in self.wavelength[[0, -1]])
        ends = {"low": short_length(encodings[0], low), "high": short_wave_text(encodings[0], high)}
        pair = say("spectrum.pair" if isinstance(encodings[0], Harmonic) else encodings[0].dimension_label)
        return say(text, ratio=self.ratio[0], pair=pair, **ends) if known and low < high else ""

    @property
    def level(self) -> int | None:
        """The length to compare wavelengths with, or None.

        It is the trained length, if given. Otherwise it is the length shown, but only for a single formula without
        scaling and with waves longer than that.
        """
        (encoding, *others), length = self.view.encodings, self.view.positions.length
        if self.trained or self.shows_ratio:
            return self.trained
        alone = isinstance(encoding, Harmonic) and not encoding.sides and len(lines_of(self.view)) == 1 and not others
        return length if alone and not self.is_scaled(0) and self.longer_than_length[0] else None

    def is_scaled(self, at: int) -> bool:
        """Return whether a scaling changes wavelengths of the encoding with index `at`."""
        return bool((np.abs(self.stretch[self.encoding == at] - 1) > NOTABLE).any())

    def exceeds_level(self, line: Line) -> Array:
        """Return the mask of a line's pairs whose wavelengths exceed `level`; no pair if the encoding is scaled."""
        wave = self.wavelength[self.mask_of(line)]
        return wave > self.level if self.level is not None and not self.is_scaled(line.encoding) else wave > np.inf

    def level_labels(self) -> tuple[str, str, str]:
        """Return the labels of `level`, of the pairs that complete a turn within it, and of those that do not.

        A label that is not drawn is "".
        """
        level, line, encoding = self.level, lines_of(self.view)[0], self.view.encodings[0]
        if level is None or (not self.trained and level in {at for _, at in contexts_of([encoding])}):
            return "", "", ""  # in the latter case, the level is drawn as a context
        shown = say("spectrum.shown", length=length_shown(encoding, level))
        text = trained_text(level) if self.trained else shown
        pair, beyond = self.pair[self.mask_of(line)], self.exceeds_level(line)
        first = int(beyond.argmax()) if beyond.any() else len(pair)
        alone = len(lines_of(self.view)) == 1 and isinstance(encoding, Harmonic) and not self.is_scaled(0)
        if not alone or not beyond[first:].all():
            return text, "", ""
        turn = say("spectrum.pairs_turn", pairs=_pairs_text(pair[:first])) if first > 1 else ""
        length = encoding.length_text(level)
        longer = say("spectrum.pairs_longer", pairs=_pairs_text(pair[first:]), length=length) if beyond.any() else ""
        return text, turn, longer

    def _unfinished_text(self, length: str) -> str:
        """Return the headline on pairs of one encoding that complete no turn within the length."""
        count, every = int((self.wavelength > (self.level or np.inf)).sum()), len(self.wavelength)
        return say("spectrum.finish_no_turn", count=count, all=every, length=length) if count else ""

    def _stretched_text(self) -> str:
        """Return the headline on one scaling.

        It states how many pairs are left unchanged and fully scaled, or which pair is the first scaled one.
        """
        parts = {part.name: part.pairs for part in scaling_parts(self.view.encodings[0], self.stretch)}
        every, factor = len(self.stretch), number_text(float(self.stretch.max()), 3)
        if len(parts.get("stretched", ())) == every:
            return say("spectrum.all_stretched", all=every, ratio=factor)
        if "kept" in parts and "stretched" in parts:
            kept, stretched = len(parts["kept"]), len(parts["stretched"])
            return say("spectrum.kept_and_stretched", kept=kept, all=every, stretched=stretched, ratio=factor)
        return stretch_text(self.stretch)

    def _unchanged_text(self) -> str:
        """Return the headline on the fast pairs that several scalings leave unchanged; "" if one leaves none."""
        encodings = self.view.encodings
        stretches = [self.stretch[self.encoding == at] for at in range(len(encodings))]
        parts = [
            {part.name: len(part.pairs) for part in scaling_parts(*own)}
            for own in zip(encodings, stretches, strict=True)
        ]
        if not all("kept" in own and len(own) > 1 for own in parts):
            return ""
        counts = [(own["kept"], len(stretch)) for own, stretch in zip(parts, stretches, strict=True)]
        names, one = [name.split(" × ")[0] for name, _ in panel_names(encodings)], len({n for _, n in counts}) == 1
        names = names if len({*names}) == len(names) else distinguishing_names(encodings)
        each = [
            say("spectrum.count_in" if one and at else "spectrum.count_of_in", count=count, all=every, name=name)
            for at, ((count, every), name) in enumerate(zip(counts, names, strict=True))
        ]
        text = say("spectrum.both_leave" if len(counts) == 2 else "spectrum.all_leave", counts=", ".join(each))
        return text if len(text) <= MAX_HEADLINE else ""

    def _scaled_text(self) -> str:
        """Return the headline on the pairs that several scalings stretch; "" if an encoding is not scaled."""
        if not all(map(self.is_scaled, range(len(self.view.encodings)))):
            return ""
        return self._counts_text("spectrum.of_pairs_are_stretched", self.stretch > 1 + NOTABLE)

    def _beyond_trained_text(self, trained: int) -> str:
        """Return the headline on wavelengths that exceed the trained length.

        The wavelengths are those without any scaling, because training used none.
        """
        longer = self.wavelength / self.stretch > trained
        if len(self.view.encodings) == 1 and not self.is_scaled(0):
            count, every = int(longer.sum()), len(longer)
            return say("spectrum.never_finish" if count else "spectrum.every_finishes", count=count, all=every)
        waves = say("spectrum.unscaled_wavelengths" if (self.stretch != 1).any() else "spectrum.wavelengths")
        each = [longer[self.encoding == at] for at in range(len(self.view.encodings))]
        if any(not np.array_equal(part, each[0]) for part in each):
            counted = "spectrum.of_pairs_have_longer_than"
            return self._counts_text(counted, longer, length=trained, wavelengths=waves)
        text = "spectrum.of_pairs_have_longer"
        return say(text, count=int(each[0].sum()), all=len(each[0]), length=trained, wavelengths=waves)

    def _counts_text(self, text: str, counted: Array, **blanks: Any) -> str:
        """Return a headline that states, per encoding, how many pairs are in the mask `counted`.

        text, blanks : the text's key, and values for its other placeholders

        Returns "" if the encodings have different numbers of pairs, if no pair is counted, or if the text is too long.
        """
        parts = [counted[self.encoding == at] for at in range(len(self.view.encodings))]
        counts, pairs = [int(part.sum()) for part in parts], {len(part) for part in parts}
        names = distinguishing_names(self.view.encodings)
        each = enumerated([f"{count} ({name})" for count, name in zip(counts, names, strict=True)])
        said = say(text, counts=each, all=pairs.pop(), **blanks) if len(pairs) == 1 and counted.any() else ""
        return said if len(said) <= MAX_HEADLINE else ""

    def _longer_text(self) -> str:
        """Return the headline that states which of two encodings has longer wavelengths, or that all are equal."""
        encodings, waves = self.view.encodings, [self.wavelength[self.encoding == at] for at in (0, 1)]
        if len(encodings) != 2 or len(waves[0]) != len(waves[1]):
            return ""
        names, ratio = distinguishing_labels(encodings), waves[1] / waves[0]
        if (np.abs(ratio - 1) <= NOTABLE).all():
            both = dict(zip(("one", "other"), names_in_sentence(encodings), strict=True))
            return say("spectrum.the_wavelengths_of_and", **both)
        if ratio.min() < 1 - NOTABLE < 1 + NOTABLE < ratio.max():
            return ""
        at, times = (1, ratio.max()) if ratio.max() > 1 + NOTABLE else (0, 1 / ratio.min())
        amount = number_text(float(times), 2 if times >= 10 else 3)
        return say("spectrum.wavelengths_are_up_to", name=names[at], other=names[1 - at], ratio=amount)

    def _longest_text(self) -> str:
        """Return the headline with the longest wavelength of each encoding, or "" if it is too long."""
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
    Wavelengths follow from the formula if the encoding has frequencies. Otherwise they come from the strongest
    frequency of each column's discrete Fourier transform, over one whole cycle (binary) or over the length shown. Pairs
    that complete no turn within the trained length, or the length shown, are red. A scaled RoPE encoding has its own
    panel, with lines at the model's context lengths, dashed unscaled wavelengths, and brackets over the pairs that are
    unchanged, blended and scaled. ``ratio`` shows only the effect of the scaling.
    """

    name: ClassVar[str] = "spectrum"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "λ = 2π/ω of each pair of dimensions, the number of positions per turn; without a formula, the "
        "strongest period of each column"
    )
    example: ClassVar[str] = "pecli spectrum -e sinusoidal -e rope:base=500000"
    examples: ClassVar[tuple[str, ...]] = ("pecli spectrum sinusoidal:base=10 rope clock -n 4096",)
    several: ClassVar[bool] = True
    length_in_use: ClassVar[bool] = True

    ratio: bool = option(False, "show the wavelength divided by the unscaled wavelength; not with --trained")

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        lacking = [encoding.name for encoding in view.encodings if not isinstance(encoding, Harmonic)]
        if view.positions.start and all(map(has_known_waves, view.encodings)):
            raise UnusedOptionError(
                "start",
                view.positions.start,
                "wavelengths from a formula or over a whole cycle do not depend on the first position",
            )
        if self.ratio and lacking:
            text = f"--ratio needs wavelengths from a formula, but {lacking[0]} has none"
            raise UsageError(text, option="ratio", allowed="encodings such as rope and sinusoidal")
        if self.ratio and self.trained:
            raise UnusedOptionError("trained", self.trained, "--ratio does not compare wavelengths with a length")
        if self.ratio and not any(isinstance(own, Scaled) and own.scaling != "default" for own in view.encodings):
            example = "rope:scaling=yarn,factor=4,original=4096"
            advice = f"give a scaled rope, such as {option_text('encoding', example)}"
            raise UnusedOptionError("ratio", None, "every ratio is 1 without a scaling", advice)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        rows = min(view.positions.length, MEASURED)
        return max(((1 if isinstance(encoding, Harmonic) else rows), encoding.width) for encoding in view.encodings)

    def compute(self, view: View[TableEncoding]) -> SpectrumNumbers:
        waves = waves_of(view)
        known = [each < MAX_WAVELENGTH for each in waves]
        pairs = [np.arange(len(each)) for each in waves]
        encoding = [np.full(len(each), at) for at, each in enumerate(waves)]
        compared = compared_with(view) if self.ratio else view.encodings
        arrays = (waves, pairs, encoding, map(stretch_of, compared, waves))
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
            contexts={f"{name} context": at for name, at in contexts_of(view.encodings)} or None,
            attention_factor={
                encoding.spec(): encoding.attention_scaling
                for encoding in view.encodings
                if isinstance(encoding, Rotary) and encoding.attention_scaling != 1
            }
            or None,
            trained=self.trained,
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        waves, count = waves_of(view), self._panel_count(view)
        units = [say(unit) for unit in dict.fromkeys(encoding.wave_unit for encoding in view.encodings)]
        label = say("words.wavelength", units=join_or(sorted(units)))
        y = powers_axis(say("spectrum.wavelength_unscaled_wavelength") if self.ratio else label, 3.3)
        y = replace(y, log=2 if self.ratio else 10, scale="wavelength")
        kinds = {
            say("words.pair_of_dimensions_j" if isinstance(e, Harmonic) else e.dimension_label) for e in view.encodings
        }
        x = values_axis(join_or(sorted(kinds)), whole=True)
        aspect = (0.8 if canvas.narrow else 0.55) if count == 1 else 0.9  # a flat panel would squeeze the decades
        ends = self.ratio, frozenset(encoding.position_unit for encoding in view.encodings)
        panel = Panel(aspect, y=y, ends=ends, grid=True)
        if count == 1:
            x = along_lines(x, 0, max(map(len, waves)) - 1)
            wide = max(panel.least[0], 1 + max(map(ems, self.compute(view).level_labels())))
            return [PanelGroup((replace(panel, x=x, least=(wide, panel.least[1])),))]
        names = panel_names(view.encodings)
        panels = tuple(
            replace(panel, title=" · ".join(filter(None, name)), x=along_lines(x, 0, len(own) - 1))
            for name, own in zip(names, waves, strict=True)
        )
        return [PanelGroup(panels, in_columns(count, *[1] * canvas.narrow))]

    def _panel_count(self, view: View[TableEncoding]) -> int:
        """Return the number of panels: one per encoding if one of them is scaled, otherwise 1."""
        waves = zip(view.encodings, waves_of(view), strict=True)
        scaled = any((np.abs(stretch_of(*own) - 1) > NOTABLE).any() for own in waves)
        return len(view.encodings) if scaled and not self.ratio else 1

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import label_lines

        for panel in axes:
            panel.margins(y=MARGIN)
        if len(axes) > 1:
            return
        units = [say(encoding.wave_unit) for encoding in view.encodings]
        several = len({*units}) > 1 and not self.ratio  # units are in the labels
        waves, lines = waves_of(view), lines_of(view)
        looks = (self._look(view, line.encoding, at, canvas) for at, line in enumerate(lines))
        names = (f"{line.label} ({units[line.encoding]})" if several else line.label for line in lines)
        entries = list(zip(names, looks, strict=True))
        if len(lines) == len(waves) > 1 and len({*map(len, waves)}) == 1:  # otherwise leaders would cross other lines
            label_lines(axes[0], entries, canvas)
        elif len(entries) > 1:
            add_legend(axes[0], entries)

    def _look(self, view: View[TableEncoding], own: int, at: int, canvas: Canvas) -> Look:
        """Return the style of a line: dots for known wavelengths, crosses for estimates.

        own : index of the encoding
        at : index of the line's colour
        """
        encoding = view.encodings[own]
        pairs = len(wavelengths(encoding, encoding.covered(view.positions)))
        apart = (
            WIDE * canvas.inches.width / pairs / self._panel_count(view)
        )  # estimated distance between pairs in points
        size = canvas.scale * min(DOT, max(SMALLEST_DOT, 0.8 * apart / canvas.scale))
        look: Look = {"color": f"C{at}", "markersize": size, "linestyle": "none"}
        if not has_known_waves(encoding):
            return {**look, "marker": "x"}
        return {**look, "marker": "o", "markeredgewidth": 0.1 * size}

    def draw(self, numbers: SpectrumNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import merge_line_labels, put_line_labels

        ends: list[tuple[Array, Array]] = []
        for at, line in enumerate(lines_of(numbers.view)):
            panel, part = axes[line.encoding if len(axes) > 1 else 0], numbers.mask_of(line)
            pair, wave, stretch = numbers.pair[part], numbers.wavelength[part], numbers.stretch[part]
            drawn = stretch if self.ratio else wave
            ends.append((pair, drawn))
            if len(axes) == 1 and any(np.array_equal(pair, x) and np.allclose(drawn, y) for x, y in ends[:-1]):
                continue
            look = dict(self._look(numbers.view, line.encoding, 0 if len(axes) > 1 else at, canvas))
            colours = np.full(len(pair), look.pop("color"), dtype=object)
            rim: dict[str, Any] = {"markeredgecolor": panel.get_facecolor()} if look["marker"] == "o" else {}
            if (
                any(_run_together(drawn, later) for later in self._later_values(numbers, line.encoding))
                and len(axes) == 1
            ):
                ring = {"markersize": 1.7 * look["markersize"], "markeredgewidth": 0.8 * canvas.scale}
                look, rim = look | {"markerfacecolor": "none", **ring}, {}  # visible around the dots of the other line
            encoding = numbers.view.encodings[line.encoding]
            if numbers.is_scaled(line.encoding) and (len(axes) > 1 or len(numbers.view.encodings) == 1):
                parts = scaling_parts(encoding, stretch)
                for one in parts:
                    colours[one.pairs] = one.colour
                _mark_parts(panel, pair, parts, canvas)
            beyond = numbers.exceeds_level(line) & (len(numbers.view.encodings) == 1)
            colours[beyond] = BEYOND
            for colour in dict.fromkeys(colours.tolist()):
                panel.plot(
                    pair[colours == colour], drawn[colours == colour], color=colour, clip_on=False, **look, **rim
                )
            if numbers.dashed(line):
                _plot_unscaled(panel, pair, wave / stretch, canvas)
            if not self.ratio:
                _mark_contexts(panel, encoding, pair, wave, canvas, known=self.trained is None)
                if at == 0:
                    _mark_level(panel, numbers, canvas)
        if len(axes) == 1:
            put_line_labels(axes[0], ends)
            merge_line_labels(axes[0], [values for _, values in ends])
        share_ends(axes)
        for panel in axes:
            _shade_beyond(panel, numbers)
        return [None] * len(axes)

    def _later_values(self, numbers: SpectrumNumbers, at: int) -> list[Array]:
        """Return the values of each encoding after index `at`, unless they equal the values of encoding `at`."""
        values = numbers.stretch if self.ratio else numbers.wavelength
        later = [values[numbers.encoding == other] for other in range(at + 1, len(numbers.view.encodings))]
        own = values[numbers.encoding == at]
        return [other for other in later if len(other) != len(own) or not np.allclose(other, own)]

    def title(self, view: View[TableEncoding]) -> str:
        one = len(view.encodings) == 1
        trained = say("spectrum.trained_on", count=self.trained) if self.trained else ""
        title = join_title([super().title(view) if one else title_of_several(view.encodings), trained])
        return title or say("spectrum.of_every_pair")


class Part(NamedTuple):
    """A contiguous run of pairs that a scaling leaves unchanged, blends or scales fully.

    texts : its label from long to short
    """

    name: str
    pairs: Array
    colour: str
    texts: list[str]


def scaling_parts(encoding: TableEncoding, stretch: Array) -> list[Part]:
    """Return the runs of pairs that a scaling leaves unchanged, blends and scales fully, in order of the pairs.

    stretch : each wavelength divided by the unscaled one

    If the scaling has no such parts, the runs are the unchanged pairs and all others. Returns [] if a part is not
    contiguous.
    """
    factor, kept = float(stretch.max()), np.abs(stretch - 1) <= NOTABLE
    whole = ~kept & (stretch >= factor * (1 - NOTABLE))
    blends = bool((kept | whole).all()) or (isinstance(encoding, Scaled) and bool(encoding.parts()))
    kinds = [
        ("kept", kept, "C0", "spectrum.part_kept"),
        ("blended", ~kept & ~whole, "C3", "spectrum.part_blended"),
        ("stretched", whole, "C1", "spectrum.part_stretched"),
    ]
    if not blends:
        kinds = [kinds[0], ("up_to", ~kept, "C1", "spectrum.part_up_to")]
    found, times = [], number_text(factor, 3)
    for name, chosen, colour, key_of_text in kinds:
        pairs = np.flatnonzero(chosen)
        if len(pairs) and np.ptp(pairs) >= len(pairs):
            return []
        if len(pairs):
            texts = [say(key_of_text, count=len(pairs), ratio=times), f"{len(pairs)} × {times}", f"{len(pairs)}"]
            found.append(Part(name, pairs, colour, texts if name == "stretched" else texts[::2]))
    return sorted(found, key=lambda part: int(part.pairs[0]))


def panel_names(encodings: Sequence[TableEncoding]) -> list[tuple[str, str]]:
    """Return the short name of each encoding's scaling, and its other distinguishing parameters."""
    without = {name for e in encodings for name, item in e.options().items() if item.only_with or name == "scaling"}
    rests = distinguishing_labels([*encodings], without=without)
    pieces = [encoding.title_pieces(without)[0] for encoding in encodings]
    found = [
        (scaled_name(encoding), "" if rest == piece else rest)
        for encoding, rest, piece in zip(encodings, rests, pieces, strict=True)
    ]
    return found if len({*found}) == len(found) else [(label, "") for label in distinguishing_labels(encodings)]


def distinguishing_names(encodings: Sequence[TableEncoding]) -> list[str]:
    """Return names that distinguish the encodings, with short names of scalings."""
    if not any(isinstance(encoding, Scaled) and encoding.scaling != "default" for encoding in encodings):
        return distinguishing_labels(encodings)
    return [listing(filter(None, names)) for names in panel_names(encodings)]


def scaled_name(encoding: TableEncoding) -> str:
    """Return the encoding's label, or its scaling and factor."""
    if encoding.label or not isinstance(encoding, Scaled) or encoding.scaling == "default":
        return encoding.label or encoding.called()
    name = SCALING_NAMES.get(encoding.scaling, encoding.scaling)
    return name if encoding.factor is None else f"{name} × {number_text(encoding.factor, 3)}"


def _mark_parts(panel: Axes, pair: Array, parts: list[Part], canvas: Canvas) -> None:
    """Draw a bracket over each part."""
    from pecli.page.labels import add_spans

    spans = [(pair[part.pairs[0]] - 0.38, pair[part.pairs[-1]] + 0.38, part.texts, part.colour) for part in parts]
    add_spans(panel, spans, canvas)


def _plot_unscaled(panel: Axes, pair: Array, wave: Array, canvas: Canvas) -> None:
    """Draw unscaled wavelengths as a dashed line with a label along its end."""
    from pecli.page.labels import label_slope

    panel.plot(pair, wave, "--", color=UNSCALED, linewidth=0.9 * canvas.scale, zorder=1.5)
    ends = [(float(pair[at]), float(wave[at])) for at in (len(pair) // 2, -1 - len(pair) // 16)]
    label_slope(panel, say("spectrum.unscaled"), (ends[0], ends[1]), UNSCALED, canvas)


def _mark_contexts(panel: Axes, encoding: TableEncoding, pair: Array, wave: Array, canvas: Canvas, known: bool) -> None:
    """Draw labelled lines at the context lengths of a model with scaled RoPE.

    known : whether to draw the original context too, which is so if no trained length is given
    """
    from pecli.page.labels import label_level

    contexts = [(name, at) for name, at in contexts_of([encoding]) if known or name != "original"]
    levels = [at for _, at in contexts]
    near = len(levels) == 2 and max(levels) < NEAR * min(levels)
    for name, at in contexts:
        panel.axhline(at, color=panel.xaxis.label.get_color(), linewidth=0.7 * canvas.scale, zorder=1)
        text = say(CONTEXTS[name], count=at)
        place = _clear_place(panel, text, at, pair, wave, canvas)
        place["below"] |= near and name == "original"
        label_level(panel, text, at, panel.xaxis.label.get_color(), canvas, **place)


def _clear_place(panel: Axes, text: str, level: float, pair: Array, wave: Array, canvas: Canvas) -> dict[str, bool]:
    """Return the arguments `right` and `below` of `label_level` with which the label of a level covers fewest dots.

    The first of equally good places is taken: above the level at the left, above at the right, below at the right,
    because wavelengths rise, and below at the left.
    """
    wide, high = np.array(panel.bbox.size) * points_per_pixel(panel) / canvas.small  # ems
    across = (pair - panel.get_xlim()[0]) / np.ptp(panel.get_xlim()) * wide
    low, top = np.log(panel.get_ylim())
    above = np.log(wave / level) / (top - low) * high
    length = ems(text) + 1

    def covered(right: bool, below: bool) -> int:
        beside, up = across > wide - length if right else across < length, -above if below else above
        return int((beside & (up > -0.4) & (up < 1.7)).sum())

    right, below = min(((False, False), (True, False), (True, True), (False, True)), key=lambda own: covered(*own))
    return {"right": right, "below": below}


def _mark_level(panel: Axes, numbers: SpectrumNumbers, canvas: Canvas) -> None:
    """Draw the line at `level`, and label the pairs that complete a turn within it and those that do not."""
    from pecli.page.labels import label_level, label_point

    level, line = numbers.level, lines_of(numbers.view)[0]
    text, turn, longer = numbers.level_labels()
    if level is None or not text:
        return
    part, beyond = numbers.mask_of(line), numbers.exceeds_level(line)
    pair, wave = numbers.pair[part], numbers.wavelength[part]
    panel.axhline(level, color=BEYOND, linewidth=0.8 * canvas.scale, zorder=1)
    place = _clear_place(panel, text, level, numbers.pair, numbers.wavelength, canvas)
    label_level(panel, text, level, BEYOND, canvas, **place)
    sides: list[Any] = [((1, -1), (1, 0), (-1, 1), (0, -1)), ((-1, 0), (-1, 1), (1, -1), (1, 0))]
    for name, run, colour, own in ((turn, ~beyond, "C0", sides[0]), (longer, beyond, BEYOND, sides[1])):
        points = list(zip(pair[run].tolist(), wave[run].tolist(), strict=True))
        if name:
            tried = [points[len(points) * share // 8] for share in (3, 4, 2, 6, 1, 0)]
            label_point(panel, name, tried[0], colour, canvas, own, tried[1:])


def _pairs_text(pair: Array) -> str:
    """Return a range of pairs as text, for a label."""
    text = "spectrum.pair_number" if len(pair) == 1 else "spectrum.pairs_from_to"
    return say(text, first=int(pair[0]), last=int(pair[-1]))


def _shade_beyond(panel: Axes, numbers: SpectrumNumbers) -> None:
    """Shade wavelengths that exceed `level`."""
    if numbers.level is not None and numbers.level < panel.get_ylim()[1]:
        ends = panel.get_ylim()
        panel.axhspan(numbers.level, ends[1], facecolor=(BEYOND, SHADE), linewidth=0, zorder=0)
        panel.set_ylim(ends)


class Line(NamedTuple):
    """Pairs of an encoding that form a line: all pairs, or those of one axis of a grid."""

    encoding: int
    pairs: Array
    label: str


def lines_of(view: View[TableEncoding]) -> list[Line]:
    """Return the lines of all encodings."""
    lines, labels = [], distinguishing_names(view.encodings)
    for at, (encoding, label) in enumerate(zip(view.encodings, labels, strict=True)):
        if (
            not isinstance(encoding, HarmonicOnGrid)
            or encoding.places is None
            or encoding.directions_of_pairs is not None
        ):
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
    """Return the number of wavelengths that exceed the length."""
    return encoding.longer_waves(length) if isinstance(encoding, Harmonic) else int((waves > length).sum())


def scaled_bases(view: View[TableEncoding]) -> set[float]:
    """Return the bases of the encodings that have a scaling."""
    return {e.base for e in view.encodings if isinstance(e, Scaled) and e.scaling != "default"}


def compared_with(view: View[TableEncoding]) -> list[TableEncoding]:
    """Return for each encoding the one whose unscaled wavelengths its own are divided by: itself in most cases.

    If all scaled encodings have one base, an encoding with another base and no scaling is compared with that base.
    """
    bases = scaled_bases(view)
    return [
        e.changed_to(base=min(bases)) if isinstance(e, Scaled) and e.scaling == "default" and len(bases) == 1 else e
        for e in view.encodings
    ]


def stretch_of(encoding: TableEncoding, waves: Array) -> Array:
    """Return each wavelength divided by the unscaled one of `encoding`; 1 for an encoding that cannot be scaled."""
    return waves / encoding.unscaled().wavelengths() if isinstance(encoding, Scaled) else np.ones(len(waves))


def contexts_of(encodings: Iterable[TableEncoding]) -> list[tuple[str, int]]:
    """Return (name, context length) for models with scaled RoPE, without duplicates."""
    scaled = (each for each in encodings if isinstance(each, Scaled) and each.scaling != "default")
    named = (item for each in scaled for item in zip(CONTEXTS, each.contexts(), strict=True))
    return list(dict.fromkeys((name, at) for name, at in named if at))


def ramps_of(view: View[TableEncoding]) -> dict[int, tuple[float, float]]:
    """Return the range of blended pairs by index of the encoding, for encodings that blend any."""
    scaled = {at: encoding for at, encoding in enumerate(view.encodings) if isinstance(encoding, Scaled)}
    between = {at: e.ramp() for at, e in scaled.items() if e.factor != 1 and e.parts().get("between")}
    return {at: ramp for at, ramp in between.items() if ramp}


def _run_together(one: Array, other: Array) -> bool:
    """Return whether two lines coincide over some pairs."""
    return len(one) == len(other) and int(np.isclose(one, other, rtol=NOTABLE).sum()) > 1


def ratio_text(waves: Array) -> str:
    """Return the ratio of neighbouring wavelengths as text, such as "1.155" or "12 to 60"."""
    if len(waves) < 2:
        return ""
    ratios = waves[1:] / waves[:-1]
    low, high = (number_text(float(ratio), 4) for ratio in (ratios.min(), ratios.max()))
    return low if low == high else say("spectrum.low_to_high", low=low, high=high)


def stretch_text(stretch: Array) -> str:
    """Return the headline on the pair from which on a scaling stretches all waves, or "" if there is no such pair."""
    longer = stretch > 1 + NOTABLE
    first = int(longer.argmax())
    text = "spectrum.from_pair_on_the"
    return say(text, pair=first, ratio=number_text(float(stretch.max()), 3)) if longer[first:].all() else ""
