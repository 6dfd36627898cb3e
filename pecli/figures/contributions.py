"""What each pair of dimensions adds to a score, and the sums of the slow pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from typing import Any, ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import minus
from pecli.core.options import option
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import ColouredNumbers, View
from pecli.figures.drift import position_ticks, put_ticks
from pecli.figures.matrix import decimal_places, show_matrix
from pecli.figures.pairwise_rates import PairwiseRates
from pecli.files.sheet import aside, over
from pecli.files.tables import read_table
from pecli.measures.contributions import log_runs, mean_cosines
from pecli.page.axis_labels import NEAR, in_steps, values_axis
from pecli.page.canvas import Canvas
from pecli.page.lines import add_legend, plot_dots
from pecli.page.panels import ColorBar, Panel, PanelGroup, in_columns
from pecli.page.text import points_per_pixel
from pecli.page.words import ems

AT = 100  # the offset that is marked by default
LITTLE = 0.05  # largest share of the score that the fast pairs in the headline may add
SLOPE = (0.2, 0.45)  # shares of the pairs between which the line of quarter turns is named
WHITE_ON = 0.6  # share of the colour limit above which that name is white
NAME = 1.6  # ems between a line and the bottom of the name below it
CLOSE = 1.2  # smallest distance in ems of lines at the left edge; closer lines are named in a legend


@dataclass(frozen=True, kw_only=True)
class ContributionsNumbers(ColouredNumbers[Harmonic]):
    """What each pair adds to the score at each offset, and the sum over all pairs; pairs from fast to slow.

    In a picture, each value is the mean over a run of offsets.
    """

    contribution: Array = over("offset", "pair", across="pair")
    offsets: Array = over("offset")  # the middle of each run
    total: Array = over("offset", name="total")
    pairs: Array = over("pair")
    block: int = aside()
    at: int
    bounds: tuple[int, ...]  # number of pairs in the first group, the first two groups, …, all groups
    sums: tuple[float, ...]  # what each group adds at the offset `at`
    score: float

    def remarks(self) -> list[str]:
        return [say("contributions.each_pixel", count=self.block) if self.block > 1 else "", *self.other_lengths()]

    def message(self) -> str:
        (_, count, added), *slow = fast_and_slow(self.sums, self.bounds)
        score = sum_text(self.score, self.sums)
        if not slow:
            return say("contributions.add_up", at=self.at, count=count, score=score)
        return say("contributions.fast_add", at=self.at, count=count, sum=sum_text(added, self.sums), score=score)


@dataclass(frozen=True)
class Contributions(PairwiseRates):
    """What each pair of dimensions adds to the score of a query and an equal key, cos ω_j Δ.

    Pairs are rows, offsets are columns; below are the sums of the slowest pairs.

    Notes
    -----
    If its query and key point the same way, a pair of rate ω_j adds |q_j| |k_j| cos ω_j Δ to a score at the offset Δ:
    Su et al. 2021, RoFormer, section 3.4.3, arXiv:2104.09864. Trained heads use some pairs more than others:
    Barbero et al. 2024, Round and Round We Go, arXiv:2410.06205; `--norms` weighs the pairs by measured norms. A pixel
    is the exact mean of its offsets, so that waves finer than a pixel fade to white.
    """

    name: ClassVar[str] = "contributions"
    several: ClassVar[bool] = False
    defines: ClassVar[str] = (
        "cos ω_j Δ of each pair j at the offset Δ = p − q, multiplied by the squared norm of the pair's vector and "
        "by the weight from --norms, if given"
    )
    example: ClassVar[str] = "pecli contributions rope --at 1000"
    examples: ClassVar[tuple[str, ...]] = ("pecli contributions rope:base=500000 --groups 8 -n 131072",)
    default_options: ClassVar[Mapping[str, Any]] = {"length": 4096}

    at: int | None = option(
        None, "offset to mark", at_least=0, unset=f"{AT}, or the square root of the last offset if that is smaller"
    )
    groups: int = option(
        4,
        "number of equal groups of pairs; the sums of the slowest group, the slowest two, … are drawn",
        at_least=1,
        at_most=8,
    )
    norms: str | None = option(
        None, "file with one weight per pair: query norm × key norm", unset="equal weights", file=True
    )

    def ends(self, view: View[Harmonic]) -> tuple[int, int]:
        """Return the first and the last offset shown."""
        return max(1, view.positions.start), view.positions.stop - 1

    def offset(self, view: View[Harmonic]) -> int:
        """Return the offset to mark."""
        first, last = self.ends(view)
        return self.at if self.at is not None else min(max(AT if last >= AT else isqrt(last), first), last)

    def weights(self, view: View[Harmonic]) -> Array:
        """Return the factor on the cosine of each pair, shape (n_pairs,)."""
        own = view.encoding.amplitudes**2
        if self.norms is None:
            return own
        found = read_table(self.norms, dimensions=1).reshape(-1)
        if found.shape != own.shape or (found < 0).any():
            given = f"{found.size} numbers" if found.shape != own.shape else "numbers below 0"
            text = f"{option_text('norms', self.norms)} has {given}, but needs {own.size} norms ≥ 0, one per pair"
            raise UsageError(text, option="norms", value=self.norms)
        return own * found

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        first, last = self.ends(view)
        if view.positions.start < 0 or last < NEAR * first or last < 2:
            text = f"{self.name} needs offsets from 1 on, not {first:,} to {last:,}"
            raise UsageError(text, option="length", advice="give more positions with --length")
        if not first <= self.offset(view) <= last:
            text = f"{option_text('at', self.at)} is outside the offsets shown, {first:,} to {last:,}"
            raise UsageError(text, option="at", value=self.at)
        if view.encoding.width % 2:
            raise UsageError(f"{self.name} needs whole pairs, but d is odd", option="d", value=view.encoding.width)

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        first, last = self.ends(view)
        columns = last - first + 1 if view.pixel_columns is None else view.pixel_columns
        return (4, columns, len(view.encoding.frequencies()))

    def from_fast_to_slow(self, view: View[Harmonic]) -> tuple[Array, Array, Array, Array]:
        """Return the pairs from fast to slow, and their rates, weights and rates of decay, (n_pairs,) each."""
        rates = view.encoding.rounded(view.encoding.frequencies()) * view.encoding.spacing
        order = np.argsort(-np.abs(rates), kind="stable")
        return order, rates[order], self.weights(view)[order], view.encoding.decay_rates[order]

    def sums(self, view: View[Harmonic]) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """Return two tuples with one number per group of pairs, the fastest group first.

        They are the sums of the groups at the marked offset, and the index after each group's last pair.
        """
        _, rates, weights, decay = self.from_fast_to_slow(view)
        exact = weights * mean_cosines(rates, np.array([float(self.offset(view))]), np.ones(1), decay)[0]
        groups = np.array_split(exact, min(self.groups, len(np.unique(rates))))  # equal rates are neither fast nor slow
        return tuple(float(own.sum()) for own in groups), tuple(np.cumsum([len(own) for own in groups]).tolist())

    def compute(self, view: View[Harmonic]) -> ContributionsNumbers:
        (first, last), (sums, bounds) = self.ends(view), self.sums(view)
        order, rates, weights, decay = self.from_fast_to_slow(view)
        if view.pixel_columns is None:
            firsts = np.arange(first, last + 1, dtype=np.float64)
            counts = np.ones(len(firsts))
        else:
            firsts, counts = log_runs(first, last, view.pixel_columns)
        values = weights * mean_cosines(rates, firsts, counts, decay)
        largest = float(weights.max()) or 1.0
        return ContributionsNumbers(
            view=view,
            contribution=values,
            offsets=firsts + (counts - 1) / 2,
            total=values.sum(axis=1),
            pairs=order,
            block=int(counts.max()),
            at=self.offset(view),
            bounds=bounds,
            sums=sums,
            score=sum(sums),
            ends=(-largest, largest),
        )

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        encoding, (first, last), weights = view.encoding, self.ends(view), self.weights(view)
        pairs, plain = len(weights), bool((weights == 1).all())
        x = values_axis(in_steps(say("contributions.offset"), view.encodings), log=10, ends=(first, last))
        x = replace(x, ticks=partial(put_ticks, position_ticks(first, last, canvas, {self.offset(view)})))
        slowing = bool((np.diff(np.abs(encoding.frequencies())) <= 0).all())
        label = say("contributions.pair" if slowing else "contributions.pairs_sorted")
        y = values_axis(label, whole=True, ends=(pairs - 0.5, -0.5))
        plain = plain and not encoding.decay_rates.any()
        bar = ColorBar(say("contributions.cosine" if plain else "contributions.contribution"))
        image = Panel(0.62 if canvas.narrow else 0.385, bar=bar, x=x, y=y)
        sums = Panel(0.5 if canvas.narrow else 0.27, x=x, y=values_axis(say("contributions.sum")), grid=True)
        return [PanelGroup((image, sums), in_columns(2, 1, *[2] * (canvas.inches.height is not None)))]

    def decorate(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import add_bracket_beside

        sums, bounds = self.sums(view)
        for begin, end, added in fast_and_slow(sums, bounds):
            text = sum_text(added, sums)
            text = text if text.startswith("−") else f"+{text}"
            if not canvas.narrow:
                known = {"count": end - begin, "first": begin, "last": end - 1, "at": self.offset(view)}
                text = say("contributions.add", sum=text, **known)
            add_bracket_beside(axes[0], begin - 0.4, end - 0.6, text, canvas, strong=begin == 0)

    def draw(self, numbers: ContributionsNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import label_slope

        upper, lower = axes
        first, last = self.ends(numbers.view)
        pairs, ink = len(numbers.pairs), upper.xaxis.label.get_color()
        extent, colours = (first, last, pairs - 0.5, -0.5), canvas.colours("diverging")
        image = show_matrix(
            upper, numbers.contribution.T, colours=colours, limits=numbers.ends, centred=True, extent=extent
        )
        with np.errstate(divide="ignore"):
            quarter = np.pi / 2 / np.abs(self.from_fast_to_slow(numbers.view)[1])
        upper.plot(quarter, np.arange(pairs), color=ink, linewidth=canvas.scale)
        ends = [int(share * pairs) for share in SLOPE]
        text, wide = say("contributions.quarter_turn"), upper.bbox.width * points_per_pixel(upper)
        room = wide * np.log(max(quarter[ends[1]], first) / first) / np.log(last / first)
        if quarter[ends[1]] < last and ends[0] < ends[1] and room > 1.2 * ems(text) * canvas.small:
            start, stop = ((float(quarter[at]), float(at)) for at in ends)
            label_slope(upper, text, (start, stop), ink, canvas)
            shade = 0.75 * numbers.contribution[0, sum(ends) // 2]
            upper.texts[-1].set_color("white" if shade > WHITE_ON * numbers.ends[1] else ink)
        for panel in axes:
            panel.axvline(numbers.at, color=ink, linewidth=0.8 * canvas.scale)
        self._draw_sums(numbers, lower, canvas)
        return [image, None]

    def _draw_sums(self, numbers: ContributionsNumbers, panel: Axes, canvas: Canvas) -> None:
        """Draw one line per group: the sum of its pairs and all slower ones.

        The lines are named at the left, or in a legend if there is no room.
        """
        from pecli.page.colors import headline_ink, visible_colours
        from pecli.page.labels import halo, label_level, label_point

        colours, pairs = visible_colours(canvas.colours("amount"), panel), len(numbers.pairs)
        x, chosen = np.unique(numbers.offsets, return_index=True)
        lines = []
        for step, start in enumerate(reversed((0, *numbers.bounds[:-1])), 1):
            every = step == len(numbers.bounds)
            name = say("contributions.all" if every else "contributions.slowest", count=pairs - start)
            colour = headline_ink() if every else colours((step - 1) / len(numbers.bounds))
            lines.append((name, numbers.contribution[chosen, start:].sum(axis=1), colour))
            panel.plot(x, lines[-1][1], color=colour, zorder=3 + every / 2)
        low, high = panel.get_ylim()
        high += 0.12 * (high - low)
        starts = np.sort([values[0] for _, values, _ in lines])
        height = panel.bbox.height * points_per_pixel(panel)
        below = min(NAME * canvas.small / height, 0.5)  # share of the panel for the lowest line's name
        panel.set_ylim(min(low, (starts[0] - below * high) / (1 - below)), high)
        room = height / (high - panel.get_ylim()[0])
        if np.diff(starts).min(initial=np.inf) * room < CLOSE * canvas.small:
            add_legend(panel, [(name, {"color": colour}) for name, _, colour in lines[::-1]])
        else:
            for name, values, colour in lines:
                label_level(panel, name, float(values[0]), colour, canvas, below=name != lines[-1][0])
                panel.texts[-1].set(path_effects=halo(panel, canvas), zorder=5)
        ink = headline_ink()
        plot_dots(panel, [numbers.at], [numbers.score], ink, canvas)
        place = (float(numbers.at), numbers.score)
        label_point(
            panel, sum_text(numbers.score, numbers.sums), place, ink, canvas, ((1, 1), (1, -1), (-1, -1), (-1, 1))
        )

    def title(self, view: View[Harmonic]) -> str:
        alike = len({*self.weights(view).tolist()}) == 1
        text = "contributions.alike" if alike else "contributions.weighed"
        return join_title([*(encoding.title(join_title) for encoding in view.encodings), say(text)])


def fast_and_slow(sums: Sequence[float], bounds: Sequence[int]) -> list[tuple[int, int, float]]:
    """Return (first pair, index after the last pair, sum) for the fast and for the slow pairs; leave out an empty part.

    The fast pairs are those of the first k groups, with the largest k for which these groups add up to little compared
    with the score. If there is no such k, the fast pairs are those of the faster half of the groups.

    sums, bounds : the sum of each group, and the index after its last pair, the fastest group first
    """
    little = np.flatnonzero(np.abs(np.cumsum(sums[:-1])) <= LITTLE * abs(sum(sums)))
    fast = int(little[-1]) + 1 if len(little) else len(sums) // 2
    cut = bounds[fast - 1] if fast else 0
    ends = [(0, cut, sum(sums[:fast])), (cut, bounds[-1], sum(sums[fast:]))]
    return [own for own in ends if own[1] > own[0]]


def sum_text(value: float, sums: Sequence[float]) -> str:
    """Return `value` as text, with as many decimal places as the score needs; the score is the total of `sums`."""
    digits = decimal_places([np.array([sum(sums), sums[0]])])
    return minus(f"{round(value, digits) + 0.0:,.{digits}f}")
