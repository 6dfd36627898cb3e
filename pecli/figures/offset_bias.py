"""The bias of every head against the offset, and how far back each head sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from pecli.analysis import View
from pecli.core.language import listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.encodings.base import BiasEncoding, full_names
from pecli.encodings.biases import T5
from pecli.figures.base import Numbers, offset_extremes_note
from pecli.figures.offset_figure import OffsetFigure
from pecli.files.sheet import aside, over
from pecli.measures.comparison import unmasked_bias
from pecli.measures.reduce import EnvelopeBuilder, bin_centres, even_bins
from pecli.page.canvas import Canvas
from pecli.page.colors import SHADE
from pecli.page.lines import MAX_LINES, Look, line_look, plot_dots, plot_run, shades

SLIGHT, HUNDREDTH = -log(100), 0.01  # a bias that leaves 1/100 of a key's weight, and that share
FAINT = -10.0  # the axis ends at this bias, below which weights are negligible


@dataclass(frozen=True, kw_only=True)
class BiasLinesNumbers(Numbers[BiasEncoding]):
    """The largest (`bias`) and the smallest (`low`) bias in each bin of offsets, NaN where no key is seen."""

    bias: Array = over("line", "offset")
    low: Array = aside("line", "offset")
    offsets: Array = over("offset")  # centres of the bins
    encoding: Array = over("line")
    head: Array = over("line")
    block: int = aside()
    falls: bool  # whether every head's bias decreases with the distance
    reach: tuple[int, ...] = over("line")  # largest distance at which a key has 1/100 of the weight at distance 0
    crossing: tuple[float, ...] = aside()  # offset where the line crosses SLIGHT, or NaN

    def remarks(self) -> list[str]:
        return [offset_extremes_note(self.block)]

    def marks(self) -> list[str]:
        encodings, count = self.view.encodings, len(self.head)
        ends = [encodings[0].head_text(head) for head in (0, encodings[0].n_heads - 1)]
        named = len(encodings) == 1 < count and ends[0] != head_name(0)
        several = say("offsets.dark_to_light_heads") if count > MAX_LINES else ""
        in_order = self.offsets[0] >= 0 and (np.diff(self.low[:, -1]) > 0).all()
        text = "offsets.heads_left_to_right" if in_order else "offsets.heads_from_to"
        heads = say(text, first=ends[0], last=ends[1]) if named else several
        share = say("bias.line_weighs_less") if np.isfinite(self.crossing).any() else ""
        return [*filter(None, [heads, share])]

    @property
    def reach_known(self) -> bool:
        """Whether it is known how far heads see."""
        return bool(self.reach)

    @property
    def buckets(self) -> T5 | None:
        """The encoding, if it is the only one and its lines are indices of buckets, otherwise None."""
        first, *others = self.view.encodings
        return first if isinstance(first, T5) and not first.known and not others else None

    def message(self) -> str:
        if (own := self.buckets) and own.last_from < self.view.covered.length:
            return say("offsets.buckets", last=own.exact - 1, first=own.last_from)
        if not self.reach_known or len(self.view.encodings) > 1:
            return say("offsets.the_farther_the_key") if self.falls else ""
        length, near = self.view.covered.length, int(np.argmin(self.reach))
        least, whole = self.reach[near], [at for at, reach in enumerate(self.reach) if reach >= length - 1]
        if len(whole) == len(self.reach):
            return say("offsets.every_head_sees", count=length)
        if len(self.reach) == 1:
            return say("offsets.the_head_sees", count=least)
        if not whole:
            far = int(np.argmax(self.reach))
            return say("offsets.head_sees_head", head=near, count=least, far=far, most=self.reach[far])
        run = whole[-1] - whole[0] + 1 == len(whole)
        text = "offsets.head_sees_heads" if run else "offsets.head_sees_some"
        text = "offsets.head_sees_one" if len(whole) == 1 else text
        names = {"first": whole[0], "last": whole[-1], "some": len(whole)}
        return say(text, head=near, count=least, all=length, **names)


@dataclass(frozen=True)
class BiasOffsets(OffsetFigure):
    """The figure of `offsets` for biases."""

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        return (
            3,
            sum(encoding.n_heads for encoding in view.encodings),
            even_bins(self.shown(view).length, view.line_points),
        )

    def compute(self, view: View[Any]) -> BiasLinesNumbers:
        return _bias_lines(view, self.edges(view))

    def line_names(self, view: View[Any]) -> list[str]:
        names = full_names(view.encodings) if len(view.encodings) > 1 else [""]
        heads = [(name, e, n) for e, name in zip(view.encodings, names, strict=True) for n in range(e.n_heads)]
        one = len(view.encodings) == 1 < len(heads)  # then the footnote gives the parameters of the heads
        return [listing([name, head_name(head) if one else e.head_text(head)]) for name, e, head in heads]

    def looks(self, view: View[Any], panel: Axes, canvas: Canvas) -> list[Look]:
        """Return the style of each line: shades from dark to light by head, dashes by encoding."""
        heads = [encoding.n_heads for encoding in view.encodings]
        if max(heads) == 1:
            return super().looks(view, panel, canvas)
        lines = [(at, shade) for at, count in enumerate(heads) for shade in shades(count, panel, canvas)]
        return [{**shade, "linestyle": line_look(at)["linestyle"]} for at, shade in lines]

    def draw(self, numbers: BiasLinesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import put_line_labels

        (panel,), offsets, encodings = axes, numbers.offsets, numbers.view.encodings
        looks = self.looks(numbers.view, panel, canvas)
        put_line_labels(panel, [(offsets, row) for row in numbers.main])
        for low, high, encoding, line in zip(numbers.low, numbers.bias, numbers.encoding, looks, strict=True):
            plot_run(panel, offsets, low, high, line, "default" if encodings[encoding].known else "steps-mid")
        if numbers.reach_known:
            _mark_reach(panel, numbers, looks, canvas)
        if (own := numbers.buckets) and own.last_from < numbers.view.covered.length:
            _mark_buckets(panel, own, looks[0]["color"], canvas)
        return [None]


def head_name(head: int) -> str:
    """Return the name of a head."""
    return say("encoding.head_head", head=head)


def _mark_buckets(panel: Axes, encoding: T5, colour: Any, canvas: Canvas) -> None:
    """Mark the last distance with a bucket of its own and the first one in the last bucket."""
    from pecli.page.labels import label_point

    for distance, sides in ((encoding.exact - 1, ((1, -1), (1, 1))), (encoding.last_from, ((0, 1), (-1, 1)))):
        bucket = float(encoding.bias(np.array([float(distance)]))[0, 0])
        plot_dots(panel, [distance], [bucket], colour, canvas)
        label_point(panel, f"{distance:,}", (float(distance), bucket), colour, canvas, sides)


def _mark_reach(panel: Axes, numbers: BiasLinesNumbers, looks: Sequence[Look], canvas: Canvas) -> None:
    """Shade the biases that leave less than 1/100 of a weight, and mark where each head's line enters them.

    The axis ends at the bias FAINT; a line that goes beyond FAINT is labelled at that end.
    """
    from pecli.page.labels import LineLabel, label_point, labels_of

    bottom, first = float(np.nanmin(numbers.low)), float(numbers.offsets[0])
    if bottom < FAINT:
        panel.set_ylim(FAINT, -0.02 * FAINT)
    low, last = max(bottom, FAINT), float(numbers.offsets[-1])
    if bottom < SLIGHT:
        panel.axhspan(low, SLIGHT, facecolor=("C1", SHADE), linewidth=0, zorder=0)
        panel.axhline(SLIGHT, color="C1", linewidth=0.8 * canvas.scale, zorder=1)
    crossed = [line for line, x in enumerate(numbers.crossing) if np.isfinite(x)]
    for line in crossed:
        plot_dots(panel, [numbers.crossing[line]], [SLIGHT], looks[line]["color"], canvas)
    for line in sorted(crossed, key=lambda own: -numbers.crossing[own]):
        place, colour, sides = (numbers.crossing[line], SLIGHT), looks[line]["color"], ((1, 1), (-1, 1))
        label_point(panel, f"{numbers.reach[line]:,}", place, colour, canvas, sides, needed=line == crossed[0])
    if bottom < SLIGHT:
        text = say("offsets.weighs_less", share=f"{HUNDREDTH:.0%}")
        places = [
            (first + share * (last - first), SLIGHT + y * (low - SLIGHT))
            for y in (0, 0.25, 0.5)
            for share in (1, 0.9, 0.6)
        ]
        label_point(panel, text, places[0], "C1", canvas, ((-1, -1),), places[1:], needed=False)
    back, tried = numbers.offsets >= 0, (0.96 * FAINT, 0.88 * FAINT, 0.8 * FAINT, 0.7 * FAINT)
    for label in labels_of(panel, LineLabel):
        own = numbers.low[label.line]
        if np.nanmin(own) < FAINT:
            label.set_visible(False)
            places = [(float(np.interp(-level, -own[back], numbers.offsets[back])), level) for level in tried]
            name, colour = label.get_text().replace("\n", " "), looks[label.line]["color"]
            label_point(panel, name, places[0], colour, canvas, ((1, 1), (1, 0), (-1, 0)), places[1:], needed=False)


def _bias_lines(view: View[BiasEncoding], edges: Array) -> BiasLinesNumbers:
    """Return the extremes of the biases in the bins with these edges, and how far back every head sees."""
    heads = [encoding.n_heads for encoding in view.encodings]
    falls, rises, before = np.zeros(sum(heads), dtype=bool), False, np.full((sum(heads), 1), np.nan)
    reach, crossing, zero = np.full(sum(heads), -1), np.full(sum(heads), np.nan), np.full(sum(heads), np.nan)

    runs = EnvelopeBuilder(edges, sum(heads))
    for part in runs.parts():
        first, count = part.start, len(part)
        offsets = first + np.arange(count, dtype=np.float64)
        found = np.concatenate([unmasked_bias(encoding, offsets) for encoding in view.encodings])
        runs.add(part, found)
        steps = np.diff(found, axis=1, prepend=before) * np.where(offsets > 0, 1.0, -1.0)
        falls |= (steps < 0).any(axis=1)
        seen = (found >= SLIGHT) & (offsets >= 0)
        last = np.where(seen.any(axis=1), count - 1 - seen[:, ::-1].argmax(axis=1), -1)
        reach[last >= 0] = first + last[last >= 0]
        for head in np.flatnonzero((found < SLIGHT).any(axis=1) & np.isnan(crossing) & (part.stop > 1)).tolist():
            at = int(((found[head] < SLIGHT) & (offsets > 0)).argmax())
            earlier = found[head, at - 1] if at else before[head, 0]
            if offsets[at] > 0 and np.isfinite(earlier):
                crossing[head] = offsets[at] - (SLIGHT - found[head, at]) / (earlier - found[head, at])
        if first <= 0 < part.stop:
            zero = found[:, -first]
        rises, before = rises or bool((steps > 0).any()), found[:, -1:]
    falling = bool(falls.all()) and not rises
    sees = falling and bool((zero == 0).all())
    return BiasLinesNumbers(
        view=view,
        bias=runs.high,
        low=runs.low,
        offsets=bin_centres(edges),
        encoding=np.repeat(np.arange(len(heads)), heads),
        head=np.concatenate([np.arange(count) for count in heads]),
        block=int(np.diff(edges).max()),
        falls=falling,
        reach=tuple(reach.tolist()) if sees else (),
        crossing=tuple(crossing.tolist()) if sees else (),
    )
