"""How far apart the rotations of the same vector by two encodings are, by position."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, floor, log
from typing import Any, ClassVar

from pecli.core.errors import UsageError
from pecli.core.language import enumerated, join_title, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.core.options import option
from pecli.encodings.base import TableEncoding, title_of_several
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.base import Numbers, View
from pecli.figures.pairwise_rates import PairwiseRates
from pecli.figures.spectrum import distinguishing_names, panel_names
from pecli.files.sheet import aside, over
from pecli.measures.drift import drift
from pecli.measures.reduce import bin_centres, envelope, even_bins, log_edges
from pecli.page.axis_labels import NEAR, along_lines, in_steps, values_axis
from pecli.page.canvas import Canvas
from pecli.page.lines import plot_dots
from pecli.page.panels import Panel, PanelGroup

PIXELS = 6  # pixels of width for each mean that is drawn
HALF = 0.5
NAME = 0.15  # share of the width that the threshold's label takes
NEAR_LEVEL = 0.1  # lines less than this above the threshold would cross its label
BAND = 0.14  # opacity of a band from the lowest to the highest value
TICKS = 0.2  # ticks per em of the page's width
APART = 0.1  # share of the axis: smallest distance between a requested tick and others
NEAR_LAST = 3  # the last power of ten has no tick if the last position is less than this many times as large


@dataclass(frozen=True, kw_only=True)
class DriftNumbers(Numbers[Harmonic]):
    """The mean, smallest and largest agreement with the first encoding in each bin of positions."""

    agreement: Array = over("line", "position")
    encoding: Array = over("line")
    positions: Array = over("position")  # centres of the bins
    low: Array = over("line", "position")
    high: Array = over("line", "position")
    block: int = aside()
    threshold: float
    first_below: tuple[int | None, ...] = over("encoding")  # position; None for the first encoding, or if there is none
    lowest: tuple[float, ...] = over("encoding")

    def remarks(self) -> list[str]:
        positions = self.view.encoding.counted(self.block)
        return [
            say("drift.each_pixel_lowest_to_highest", positions=positions) if self.block > 1 else "",
            *self.other_lengths(distinguishing_names(self.view.encodings)),
        ]

    def marks(self) -> list[str]:
        return [
            say(
                "drift.mean_over_pairs",
                count=len(self.view.encoding.frequencies()),
                letter=self.view.encoding.position_letter,
            )
        ]

    def message(self) -> str:
        names, half = names_beside(self.view.encodings), self.threshold == HALF
        pairs = list(zip(self.first_below[1:], names, strict=True))
        falling = sorted((at, name) for at, name in pairs if at is not None)
        if not falling:
            last = self.view.positions.stop - 1
            known = {"last": self.view.encoding.position_text(last), "at": self.view.encoding.named_position(last)}
            low = min(self.lowest)
            text = "drift.same" if low >= 1 - ROUNDING else "drift.stays"
            return say(text, low=number_text(floor(1000 * low) / 1000, 3), **known)
        places = [self.view.encoding.position_text(at) for at, _ in falling]
        if len(pairs) == 1:
            key, known = "drift.halves" if half else "drift.falls", names_of_two(self.view.encodings)
            if known["other"] == self.view.encodings[1].dtype:
                known["other"] = say("drift.rounding", dtype=known["other"])
            return say(key, level=self.threshold, **self.view.encoding.place(falling[0][0]), **known)
        ends = [say("drift.at_of", position=places[at], name=falling[at][1]) for at in (0, -1)]
        if never := [name for at, name in pairs if at is None]:
            key = "drift.halves_or_never" if half else "drift.falls_or_never"
            return say(key, level=self.threshold, first=ends[0], names=enumerated(never))
        return say("drift.halve" if half else "drift.fall", level=self.threshold, first=ends[0], last=ends[1])


@dataclass(frozen=True)
class Drift(PairwiseRates):
    """The agreement of other encodings with the first: the mean over pairs of cos p(ω_j − ω'_j), by position.

    Notes
    -----
    The value is 1 where both rotate a vector alike, and about 0 where their rotations are unrelated. The rates ω and ω'
    are rounded to the encodings' dtypes. A single encoding is compared with itself without scaling and with rates
    rounded to bfloat16.
    """

    name: ClassVar[str] = "drift"
    defines: ClassVar[str] = (
        "the mean of cos p(ω − ω′) over all pairs, which is the cosine between a vector rotated by the first encoding "
        "and the same vector rotated by another, if all pairs weigh the same; if a pixel covers several positions, the "
        "line is their mean, and the band goes from their minimum to their maximum"
    )
    example: ClassVar[str] = "pecli drift rope:base=500000 rope"
    examples: ClassVar[tuple[str, ...]] = ("pecli drift rope:scaling=linear,factor=4 --threshold 0.9 -n 16384",)
    default_options: ClassVar[Mapping[str, Any]] = {"length": 131_072}

    threshold: float = option(
        HALF, "the headline names the first position with an agreement below this", above=-1, at_most=1
    )

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        first, last = max(1, view.positions.start), view.positions.stop - 1
        if view.positions.start < 0 or last < NEAR * first:
            allowed = f"positions from 1 on, the last at least {NEAR:g} times the first"
            text = f"drift needs {allowed}, not {view.positions.start:,} to {last:,}"
            raise UsageError(text, option="length", advice="give more positions with --length")

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        most = self._max_means(view)
        return (3, len(self.compared(view).encodings) - 1, even_bins(view.positions.length, most))

    def compared(self, view: View[Harmonic]) -> View[Harmonic]:
        """Return the view; if it has a single encoding, it gets the encodings to compare with."""
        if len(view.encodings) > 1:
            return view
        encoding = view.encoding
        plain = [encoding.unscaled()] if isinstance(encoding, Scaled) and encoding.scaling != "default" else []
        rounded = [replace(encoding, dtype="bfloat16" if encoding.dtype != "bfloat16" else "float64")]
        return replace(view, encodings=(encoding, *plain, *rounded))

    def compute(self, view: View[Harmonic]) -> DriftNumbers:
        view = self.compared(view)
        rates = [own.rounded(own.frequencies()) * own.spacing for own in view.encodings]
        lines = len(rates) - 1
        below, least = np.full(lines, -1), np.full(lines, np.inf)

        def values(first: int, count: int) -> Array:
            """Return the agreement at `count` positions from `first`, shape (lines, count).

            Also update each line's first position below the threshold (`below`) and smallest agreement (`least`).
            """
            positions = np.arange(first, first + count, dtype=np.float64)
            found = np.stack([drift(rates[0], other, positions) for other in rates[1:]])
            under = found < self.threshold
            new = (below < 0) & under.any(axis=1)
            below[new] = first + under.argmax(axis=1)[new]
            np.minimum(least, found.min(axis=1), out=least)
            return found

        first = max(1, view.positions.start)
        edges = log_edges(view.positions.stop, self._max_means(view), first)
        low, high, mean = envelope(values, edges, lines)
        return DriftNumbers(
            view=view,
            agreement=mean,
            encoding=np.arange(1, lines + 1),
            positions=bin_centres(edges),
            low=low,
            high=high,
            block=int(np.diff(edges).max()),
            threshold=self.threshold,
            first_below=(None, *(None if at < 0 else at for at in below.tolist())),
            lowest=(1.0, *least.tolist()),
        )

    def _max_means(self, view: View[Harmonic]) -> int | None:
        """Return the largest number of points of a line, each the mean of some positions; None for no limit."""
        return None if view.pixel_columns is None else max(2, view.pixel_columns // PIXELS)

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        first, last = max(1, view.positions.start), view.positions.stop - 1
        x = values_axis(in_steps(say(view.encoding.position_label), view.encodings), log=10)
        ticks = partial(put_ticks, position_ticks(first, last, canvas))
        x = replace(along_lines(x, first, last), ticks=ticks)
        y = values_axis(say("drift.agreement"), scale="agreement")
        return [PanelGroup((Panel(0.8 if canvas.narrow else 0.46, x=x, y=y, ends="agreement", grid=True),))]

    def decorate(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import label_lines
        from pecli.page.ticks import round_ticks

        (panel,), compared = axes, self.compared(view).encodings
        panel.yaxis.set_major_locator(round_ticks(4))
        entries = [(name, {"color": f"C{line}"}) for line, name in enumerate(names_beside(compared))]
        if len(entries) > 1:
            label_lines(panel, entries, canvas)

    def draw(self, numbers: DriftNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import label_level, label_point, put_line_labels

        panel, level, p = axes[0], self.threshold, numbers.positions
        ink = panel.xaxis.label.get_color()
        panel.axhline(level, color=ink, linewidth=0.7 * canvas.scale, zorder=2)
        put_line_labels(panel, [(p, row) for row in numbers.agreement])
        for line, (low, mean, high) in enumerate(zip(numbers.low, numbers.agreement, numbers.high, strict=True)):
            panel.fill_between(p, low, high, color=f"C{line}", alpha=BAND, linewidth=0)
            panel.plot(p, mean, color=f"C{line}", zorder=3)
        low, _ = panel.get_ylim()
        panel.set_ylim(min(low, level - 0.1), 1.03)
        text = say("drift.half") if level == HALF else number_text(level)
        crossed = numbers.agreement[:, p < p[0] * (p[-1] / p[0]) ** NAME]
        label_level(panel, text, level, ink, canvas, right=bool((crossed < level + NEAR_LEVEL).any()))
        for line, at in enumerate(numbers.first_below[1:]):
            if at is not None:
                plot_dots(panel, [at], [level], f"C{line}", canvas)
                place = (float(at), level)
                sides = ((1, 1), (-1, -1), (1, -1), (-1, 1), (0, 1), (0, -1))
                label_point(panel, numbers.view.encoding.position_text(at), place, f"C{line}", canvas, sides)
        return [None]

    def title(self, view: View[Harmonic]) -> str:
        compared = self.compared(view).encodings
        if len(compared) > 2:
            return join_title(
                [title_of_several(compared), say("drift.against", name=distinguishing_names(compared)[0])]
            )
        names = names_of_two(compared)
        whose = (say("drift.against", name=names["against"]), say("drift.other", name=names["other"]))
        return join_title([title_of_several(compared), *whose])


def names_of_two(encodings: Sequence[Harmonic]) -> dict[str, str]:
    """Return names that distinguish two encodings, under the keys "against" and "other".

    They are the parameters that differ, or the dtypes if no parameter does.
    """
    one, other = encodings
    if one != other == replace(one, dtype=other.dtype, label=other.label) and not other.label:
        return {"against": one.dtype, "other": other.dtype}
    return {"against": names_beside([other, one])[0], "other": names_beside([one, other])[0]}


def names_beside(encodings: Sequence[TableEncoding]) -> list[str]:
    """Return names that distinguish the further encodings from the first, such as "unscaled" or "base = 10,000"."""
    if not all(isinstance(encoding, Scaled) for encoding in encodings):
        return distinguishing_names(encodings)[1:]
    own, *pairs = panel_names(encodings)
    found = []
    for encoding, (name, rest) in zip(encodings[1:], pairs, strict=True):
        plain = isinstance(encoding, Scaled) and encoding.scaling == "default" and not encoding.label
        name = say("spectrum.unscaled") if plain and name != own[0] else name
        found.append(listing(piece for piece, known in zip((name, rest), own, strict=True) if piece not in ("", known)))
    return found if all(found) and len({*found}) == len(found) else distinguishing_names(encodings)[1:]


def position_ticks(first: int, last: int, canvas: Canvas, more: Collection[int] = ()) -> list[float]:
    """Return the ticks of a logarithmic axis.

    They are its ends `first` and `last`, the positions in `more`, and powers of ten far from these.
    """
    powers = [10.0**power for power in range(15) if first <= 10.0**power <= last / NEAR_LAST]
    span = log(last / first) * APART * (1 + canvas.narrow)
    more = [at for at in more if at in (first, last) or min(log(at / first), log(last / at)) > span]
    powers = [own for own in powers if all(own == at or abs(log(own / at)) > span for at in more)]
    room = TICKS * 72 * canvas.inches.width / canvas.small
    step = max(1, ceil((len(powers) + 1) / max(room, 1)))
    return sorted({first, *powers[::step], last, *more})


def put_ticks(places: Sequence[float], axis: Any) -> None:
    """Set the ticks of a logarithmic axis to exactly these positions."""
    from matplotlib.ticker import NullLocator

    from pecli.page.ticks import LogTicks, NumberTexts

    axis.set_major_locator(LogTicks(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(NumberTexts())
