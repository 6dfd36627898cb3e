"""The factor on the scores of attention, position by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import log2
from typing import Any, ClassVar

from pecli.core.errors import UsageError
from pecli.core.language import listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.encodings.base import distinguishing_labels
from pecli.encodings.rope import Rope
from pecli.encodings.temperature import score_factors
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.drift import put_ticks
from pecli.figures.spectrum import scaled_name
from pecli.files.sheet import aside, over
from pecli.measures.reduce import check_line_length, log_edges
from pecli.page.axis_labels import NEAR, along_lines, in_steps, values_axis
from pecli.page.canvas import Canvas
from pecli.page.lines import plot_dots
from pecli.page.panels import Panel, PanelGroup

BEFORE = 8  # the axis begins at 1/BEFORE of the position at which a factor first changes
APART = 8  # ratio of neighbouring ticks
LAST = 3  # least ratio between the last position and the tick before it
SAME = 1e-9  # largest relative difference of equal factors
SPACE = 0.06  # space above and below the lines, as a share of their range


@dataclass(frozen=True, kw_only=True)
class TemperatureNumbers(Numbers[Rope]):
    """The factor of each encoding at each position (in a picture, at the first position of each pixel)."""

    factor: Array = over("line", "position")
    encoding: Array = over("line")
    positions: Array = over("position")
    last_factor: tuple[float, ...] = over("encoding")  # at the last position with a factor
    last_position: tuple[int, ...] = over("encoding")
    first_change: tuple[int | None, ...] = over("encoding")  # first position whose factor differs from the first factor
    growth: tuple[float, ...] = aside()  # ratio of the last and the first factor

    @property
    def named(self) -> int:
        """The index of the encoding in the headline: the one with the largest growth or the factor farthest from 1."""
        grows = max(self.growth) > 1 + SAME
        return int(np.argmax(self.growth if grows else np.abs(np.log(np.maximum(self.last_factor, SAME)))))

    def message(self) -> str:
        at, encoding = self.named, self.view.encodings[self.named]
        change = self.last_factor[at] - 1
        if abs(change) < SAME and self.first_change[at] is None:
            return say("temperature.none")
        share = f"{number_text(abs(100 * change), 3 if abs(change) < 0.1 else 2 if abs(change) < 1 else 3)}%"
        known = {"name": names_of(self.view)[at], "share": share}
        if self.first_change[at] is None:
            return say("temperature.all_larger" if change > 0 else "temperature.all_smaller", **known)
        text = "temperature.larger" if change > 0 else "temperature.smaller"
        return say(text, position=encoding.position_text(self.last_position[at]), **known)


@dataclass(frozen=True)
class Temperature(Figure[Rope]):
    """The factor on all scores of the query at each position, on a logarithmic axis, one line per encoding.

    Notes
    -----
    Given a config.json, the figure shows the layers that have such a factor: in Llama 4 those without RoPE. A line ends
    at the last position for which the model's code has a factor. The picture leaves out most positions before the first
    change, among them position 0, which a logarithmic axis cannot show; files have every position.
    """

    name: ClassVar[str] = "temperature"
    requires: ClassVar[Any] = Rope
    several: ClassVar[bool] = True
    config_layers: ClassVar[str] = "scores"
    default_encoding: ClassVar[str] = "rope"
    length_in_use: ClassVar[bool] = True
    defines: ClassVar[str] = (
        "factor on all scores of the query at p: 1 + s ln(1 + ⌊(p + o)/n⌋) (temperature), log_n(p + 1) for p ≥ n "
        "(logn), or the squared attention factor of cos and sin (yarn)"
    )
    example: ClassVar[str] = "pecli temperature rope:temperature=0.1,8192,1 rope:logn=8192,32767"
    examples: ClassVar[tuple[str, ...]] = ("pecli temperature rope:scaling=yarn,factor=16,original=8192",)
    default_options: ClassVar[Mapping[str, Any]] = {"length": 262_144}

    def check_view(self, view: View[Rope]) -> None:
        super().check_view(view)
        rows = view.positions
        check_line_length(self.name, rows.length)
        if any(encoding.sides or encoding.own_positions for encoding in view.encodings):
            text = "temperature needs positions on a line, not in a grid or in images"
            raise UsageError(text, option="encoding", advice="leave the grid or the sequence out")
        if rows.start < 0 or rows.stop < 3 or rows.stop - 1 < NEAR * max(1, rows.start):
            text = f"temperature needs positions ≥ 0 with the last > 1, not {rows.start:,} to {rows.stop - 1:,}"
            raise UsageError(text, option="length", advice="give more positions with --length")
        for encoding in view.encodings:
            if np.isnan(score_factors(encoding, np.array([rows.start]))[0]):
                text = f"{encoding.title()} has no factors from position {encoding.logn[-1]:,} on"  # type: ignore[index]
                raise UsageError(text, option="start", value=rows.start)

    def shape(self, view: View[Rope]) -> tuple[int, ...]:
        return (len(view.encodings), len(places_shown(view)) if view.panels else view.positions.length)

    def compute(self, view: View[Rope]) -> TemperatureNumbers:
        positions, ends = places_shown(view), [last_factor(encoding, view) for encoding in view.encodings]
        factors = np.stack([score_factors(encoding, positions) for encoding in view.encodings])
        firsts = [float(score_factors(encoding, positions[:1])[0]) for encoding in view.encodings]
        return TemperatureNumbers(
            view=view,
            factor=factors,
            encoding=np.arange(len(factors)),
            positions=positions,
            last_factor=tuple(value for _, value in ends),
            last_position=tuple(at for at, _ in ends),
            first_change=tuple(first_change(encoding, view) for encoding in view.encodings),
            growth=tuple(value / first for (_, value), first in zip(ends, firsts, strict=True)),
        )

    def panel_groups(self, view: View[Rope], canvas: Canvas) -> list[PanelGroup]:
        first, last = max(1, view.positions.start), view.positions.stop - 1
        changes = [at for encoding in view.encodings if (at := first_change(encoding, view)) is not None]
        if changes and not view.positions.start:
            first = max(1, 2 ** round(log2(min(changes))) // BEFORE)
        ticks = [first]
        while ticks[-1] * APART * LAST <= last:
            ticks.append(ticks[-1] * APART)
        x = values_axis(in_steps(say(view.encoding.position_label), view.encodings), log=10)
        x = replace(along_lines(x, first, last), ticks=partial(put_ticks, [*ticks, last]))
        y = values_axis(say("temperature.factor"), scale="factor")
        return [PanelGroup((Panel(0.8 if canvas.narrow else 0.5, x=x, y=y, ends="factor", grid=True),))]

    def decorate(self, view: View[Rope], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import label_lines
        from pecli.page.ticks import round_ticks

        axes[0].yaxis.set_major_locator(round_ticks(5))
        entries = [
            (text if at == view.positions.stop - 1 else "", {"color": f"C{line}"})
            for line, (text, at) in enumerate(zip(labels_of_lines(view), last_positions(view), strict=True))
        ]
        label_lines(axes[0], entries, canvas)

    def draw(self, numbers: TemperatureNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import label_point, put_line_labels

        panel, view, on_axis = axes[0], numbers.view, numbers.positions > 0
        p, factors = numbers.positions[on_axis], numbers.factor[:, on_axis]
        put_line_labels(panel, [(p, row) for row in factors])
        for line, (encoding, row) in enumerate(zip(view.encodings, factors, strict=True)):
            style = "steps-post" if encoding.temperature else "default"
            panel.plot(p, row, color=f"C{line}", zorder=3, drawstyle=style, solid_joinstyle="miter")
        seen = factors[:, p >= panel.get_xlim()[0]]
        low, high = min(1.0, float(np.nanmin(seen))), max(1.0, float(np.nanmax(seen)))
        space = SPACE * (high - low) or 0.1
        panel.set_ylim(low - space, high + space)
        texts = labels_of_lines(view)
        for line, (at, value) in enumerate(zip(numbers.last_position, numbers.last_factor, strict=True)):
            plot_dots(panel, [at], [value], f"C{line}", canvas)
            if at < view.positions.stop - 1:
                label_point(panel, texts[line], (float(at), value), f"C{line}", canvas, ((-1, 1), (1, -1), (-1, -1)))
        return [None]

    def title(self, view: View[Rope]) -> str:
        return say("temperature.of_query")


def places_shown(view: View[Rope]) -> Array:
    """Return the positions for which factors are computed: all, or the first and last and about one per pixel."""
    start, last = view.positions.start, view.positions.stop - 1
    edges = log_edges(view.positions.stop, view.line_points, max(1, start))
    return np.unique([start, *edges[:-1], last]).astype(np.float64)


def last_positions(view: View[Rope]) -> list[int]:
    """Return the last position with a factor for each encoding."""
    return [last_factor(encoding, view)[0] for encoding in view.encodings]


def last_factor(encoding: Rope, view: View[Rope]) -> tuple[int, float]:
    """Return the last position with a factor, and the factor."""
    last = view.positions.stop - 1
    if encoding.logn and len(encoding.logn) > 1:
        last = min(last, encoding.logn[1] - 1)
    return last, float(score_factors(encoding, np.array([last]))[0])


def first_change(encoding: Rope, view: View[Rope]) -> int | None:
    """Return the first position whose factor is larger than that of the first position; None if there is none.

    Factors never fall.
    """
    low, (high, last) = view.positions.start, last_factor(encoding, view)
    first = float(score_factors(encoding, np.array([low]))[0])
    if last <= first * (1 + SAME):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        changed = float(score_factors(encoding, np.array([middle]))[0]) > first * (1 + SAME)
        low, high = (low, middle) if changed else (middle, high)
    return high


def labels_of_lines(view: View[Rope]) -> list[str]:
    """Return the label of each line: its name, its last factor, and whether it ends early or is constant."""
    found = []
    for encoding, name in zip(view.encodings, names_of(view), strict=True):
        at, value = last_factor(encoding, view)
        texts = [say("temperature.name_and_factor", name=name, factor=f"{value:.2f}")]
        if at < view.positions.stop - 1:
            texts.append(say("temperature.ends_at", position=encoding.position_text(at)))
        elif abs(value - 1) > SAME and first_change(encoding, view) is None:
            texts.append(say("temperature.from_the_first"))
        found.append("\n".join(texts))
    return found


def names_of(view: View[Rope]) -> list[str]:
    """Return the name of each line: the encoding's label or the source of its factor.

    If two of these are equal, return labels that distinguish the encodings instead.
    """
    names = [encoding.label or _name(encoding) for encoding in view.encodings]
    return names if len({*names}) == len(names) else distinguishing_labels(view.encodings)


def _name(encoding: Rope) -> str:
    """Return the source of the factor, such as "YaRN × 16" or "log n from 8,192 on", or the encoding's name."""
    names = [scaled_name(encoding)] if encoding.attention_scaling != 1 else []
    if encoding.temperature:
        names.append(say("temperature.steps", length=encoding.temperature[1]))
    if encoding.logn:
        names.append(say("temperature.logn", length=encoding.logn[0]))
    return listing(names) or scaled_name(encoding)
