"""How many times more slowly each pair turns under several scalings, and which pairs they change."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from pecli.core.language import listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.encodings.base import TableEncoding
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.base import Figure, View
from pecli.figures.spectrum import NOTABLE, Spectrum, SpectrumNumbers, panel_names, scaled_bases, waves_of
from pecli.page.axis_labels import along_lines, powers_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import SHADE, legible
from pecli.page.panels import Axis, Panel, PanelGroup, in_columns
from pecli.page.text import points_per_pixel
from pecli.page.words import ems

BANDS = {"unchanged": ("C0", "spectrum.part_kept"), "blended": ("C3", "spectrum.part_blended")}
BANDS |= {"scaled": ("C1", "spectrum.part_scaled")}
PALE = 0.3  # opacity of a band
TALL = 0.74  # height of a band, rows
ROW = 0.055  # height of a row, panel widths
MARGIN = 0.7  # space left and right, pairs
CANDIDATES = 6  # number of points of a line at which its label may be


@dataclass(frozen=True, kw_only=True)
class RatioNumbers(SpectrumNumbers):
    """The numbers of `Spectrum`, and the number of pairs that each scaling changes.

    parts : number of pairs that are unchanged, blended and scaled, for each scaling with such parts
    needed : ratio of the extended to the original context, if it is the same in all scalings
    too_slow : number of pairs that each encoding slows more than `needed`
    most : largest ratio of each encoding
    """

    parts: dict[str, dict[str, int]] = field(default_factory=dict)
    needed: float | None = None
    too_slow: dict[str, int] = field(default_factory=dict)
    most: dict[str, float] = field(default_factory=dict)

    def remarks(self) -> list[str]:
        bases = scaled_bases(self.view)
        every = bases | {encoding.base for encoding in self.view.encodings if isinstance(encoding, Scaled)}
        if len(every) == 1:
            return super().remarks()
        texts = ("spectrum.compared_with_base", "spectrum.compared_with_own_base")
        return [*super().remarks(), say(texts[len(bases) > 1], base=min(bases))]

    def message(self) -> str:
        counts = list(self.too_slow.values())
        if self.needed is None or not any(counts):
            return super().message()
        at = int(np.argmax(counts))
        every = int((self.encoding == at).sum())
        known = {"name": names_of(self.view)[at].partition(" × ")[0], "factor": number_text(self.needed, 3)}
        return say("spectrum.slower_than_needed", count=counts[at], all=every, **known)


@dataclass(frozen=True)
class SpectrumRatio(Spectrum):
    __doc__ = Spectrum.__doc__  # the help of both; this one is drawn for several encodings with --ratio

    @classmethod
    def variants(cls) -> tuple[type[Figure[Any]], ...]:
        return (Spectrum, SpectrumRatio)

    def variant(self, view: View[TableEncoding]) -> Figure[Any]:
        return self.as_kind(SpectrumRatio if self.ratio and len(view.encodings) > 1 else Spectrum)

    def compute(self, view: View[TableEncoding]) -> RatioNumbers:
        found = super().compute(view)
        specs, needed = [encoding.spec() for encoding in view.encodings], needed_factor(view)
        each = [found.stretch[found.encoding == at] for at in range(len(specs))]
        beyond = [int((own > (needed or np.inf) * (1 + NOTABLE)).sum()) for own in each]
        return RatioNumbers(
            **{own.name: getattr(found, own.name) for own in fields(found)},
            parts={
                specs[at]: {name: int(own.sum()) for name, own in masks.items()} for at, masks in bands_of(view).items()
            },
            needed=needed,
            too_slow=dict(zip(specs, beyond, strict=True)),
            most=dict(zip(specs, (float(own.max(initial=1.0)) for own in each), strict=True)),
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        (group,) = super().panel_groups(view, canvas)
        (panel,) = group.panels
        rows, last = bands_of(view), max(map(len, waves_of(view))) - 1
        y = replace(powers_axis(say("spectrum.times_slower"), 3.3), log=2, scale="wavelength")
        if not rows:
            return [PanelGroup((replace(panel, y=y),))]
        ends = (-MARGIN, last + MARGIN)
        x = replace(along_lines(values_axis(panel.x.label, whole=True), 0, last), ends=ends)
        names = names_of(view)
        bands = Axis(
            ends=(len(rows) - 0.5, -0.5), names=tuple(names[at].partition(" × ")[0] for at in rows), ticks=None
        )
        strip = Panel(ROW * len(rows) * (1.6 if canvas.narrow else 1), least=(9.0, 2.2 * len(rows)), x=x, y=bands)
        return [PanelGroup((replace(panel, x=x, y=y), strip), in_columns(2, 1))]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        axes[0].margins(y=0.08)
        for strip in axes[1:]:
            strip.spines["left"].set_visible(False)
            strip.tick_params(axis="y", length=0)
            axes[0].tick_params(axis="x", length=0)
            axes[0].spines["bottom"].set_visible(False)

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import label_point

        panel, view = axes[0], numbers.view
        each = [numbers.encoding == at for at in range(len(view.encodings))]
        look: dict[str, Any] = {"marker": "o", "markersize": 3.2 * canvas.scale, "linewidth": 1.1 * canvas.scale}
        look |= {"markeredgecolor": panel.get_facecolor(), "markeredgewidth": 0.4 * canvas.scale, "clip_on": False}
        for line, own in enumerate(each):
            panel.plot(numbers.pair[own], numbers.stretch[own], color=f"C{line}", zorder=3, **look)
        low, high = panel.get_ylim()
        if any(numbers.too_slow.values()):
            panel.axhspan(numbers.needed, high, facecolor=("C1", SHADE), linewidth=0, zorder=0)
        panel.set_ylim(low, high)
        for line, (own, name) in enumerate(zip(each, labels_of_lines(numbers, canvas.narrow), strict=True)):
            points = _apart(numbers, line)
            sides = ((-1, 1), (1, -1), (0, 1), (0, -1), (1, 1), (-1, -1))
            if own.any():
                label_point(panel, name, points[0], f"C{line}", canvas, sides, points[1:])
        for strip in axes[1:]:
            _draw_bands(strip, view, canvas)
        return [None] * len(axes)


def names_of(view: View[TableEncoding]) -> list[str]:
    """Return names that distinguish the encodings."""
    pairs = panel_names(view.encodings)
    return [rest if rest.startswith(name) else listing(filter(None, (name, rest))) for name, rest in pairs]


def labels_of_lines(numbers: RatioNumbers, narrow: bool) -> list[str]:
    """Return the labels of lines: their names and, unless `narrow`, the number of pairs that are too slow."""
    names, found = names_of(numbers.view), []
    heads = [name.partition(" × ")[0] for name in names]
    names = heads if len({*heads}) == len(heads) and numbers.needed else names
    for name, count, most in zip(names, numbers.too_slow.values(), numbers.most.values(), strict=False):
        known = {"name": name, "count": count, "factor": number_text(numbers.needed or 1, 3)}
        found.append(say("spectrum.pairs_above", most=number_text(most, 3), **known) if count and not narrow else name)
    return [*found, *names[len(found) :]]


def needed_factor(view: View[TableEncoding]) -> float | None:
    """Return the ratio of the extended to the original context; None if scalings have different ratios."""
    found = set()
    for encoding in view.encodings:
        if not isinstance(encoding, Scaled) or encoding.scaling == "default":
            continue
        original, extended = encoding.contexts()
        if encoding.factor is not None:
            found.add(encoding.factor)
        elif original and extended:
            found.add(extended / original)
    return found.pop() if len(found) == 1 else None


def bands_of(view: View[TableEncoding]) -> dict[int, dict[str, Array]]:
    """Return masks of the unchanged, blended and scaled pairs, by index of the encoding, for scalings that blend."""
    found = {}
    for at, encoding in enumerate(view.encodings):
        weights = encoding.blend() if isinstance(encoding, Scaled) else []
        if weights:
            shares = np.array([float(weight) for weight in weights])
            masks = (shares == 0, (shares > 0) & (shares < 1), shares == 1)
            found[at] = dict(zip(BANDS, masks, strict=True))
    return found


def _apart(numbers: RatioNumbers, line: int) -> list[tuple[float, float]]:
    """Return points spread along a line where its label may be; those farthest from other lines come first."""
    own = numbers.encoding == line
    pair, stretch = numbers.pair[own], np.log(numbers.stretch[own])
    nearest = np.full(len(pair), np.inf)
    for other in {*numbers.encoding.tolist()} - {line}:
        mine = numbers.encoding == other
        values = np.interp(pair, numbers.pair[mine], np.log(numbers.stretch[mine]))
        nearest = np.minimum(nearest, np.abs(stretch - values))
    step = len(pair) // 12
    inner = np.arange(step, len(pair) - step)
    chosen: list[int] = []
    for at in inner[np.argsort(-nearest[inner], kind="stable")].tolist():
        if len(chosen) < CANDIDATES and all(abs(at - other) >= step for other in chosen):
            chosen.append(at)
    return [(float(pair[at]), float(np.exp(stretch[at]))) for at in chosen]


def _draw_bands(strip: Axes, view: View[TableEncoding], canvas: Canvas) -> None:
    """Draw one row of bands per scaling, each band with the longest label that fits."""
    low, high = strip.get_xlim()
    room = strip.bbox.width * points_per_pixel(strip) / (high - low)  # width of a pair, points
    for row, masks in enumerate(bands_of(view).values()):
        for name, mask in masks.items():
            pairs, (colour, key) = np.flatnonzero(mask), BANDS[name]
            if not len(pairs):
                continue
            first, count = pairs[0] - 0.5, len(pairs)
            strip.barh(row, count, left=first, height=TALL, color=colour, alpha=PALE, linewidth=0)
            texts = [say(key, count=count), f"{count}"]
            fits = [text for text in texts if ems(text) * canvas.small < room * count]
            style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": canvas.small}
            ink = legible(strip.xaxis.label.get_color(), strip)
            strip.text(first + count / 2, row, fits[0] if fits else "", color=ink, **style)
