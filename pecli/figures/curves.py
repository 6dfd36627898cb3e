"""The measure from a few positions to all others, one line per position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import places_option, positions_at
from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_and, join_title, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING
from pecli.core.options import EXACT, option
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding, panel_titles, short_names, title_of_several
from pecli.figures.base import Numbers, View, extremes_note, has_comparable_offsets
from pecli.figures.comparing import OneHeadFigure, default_query_notes, differing_text
from pecli.figures.highlights import mark_stretch
from pecli.files.sheet import aside, over
from pecli.measures.comparison import comparison_of, largest_spread, offset_codes
from pecli.measures.reduce import (
    bin_centres,
    check_line_length,
    envelope,
    even_bins,
    even_edges,
    log_edges,
    mirrored_envelope,
)
from pecli.page.axis_labels import (
    NO_PLACE,
    along_lines,
    check_log,
    in_steps,
    log_label,
    log_option,
    positions_axis,
    powers_axis,
    values_axis,
)
from pecli.page.canvas import Canvas
from pecli.page.lines import MAX_LINES, Look, add_legend, plot_dots, shades, share_ends
from pecli.page.panels import Axis, Panel, PanelGroup, in_columns

DEFAULT_LINES = 3  # default number of lines
MANY = 6  # with more lines, colours show their order
MAX_NEAREST = 64  # nearest positions that are listed among the facts
MAX_NAMED = 3  # nearest positions that the headline names
MAX_WHOLE = 100_000  # positions: with more, facts that need every position are not computed


@dataclass(frozen=True, kw_only=True)
class CurvesNumbers(Numbers[Any]):
    """The largest (`curves`) and smallest (`low`) value of each line in each bin of positions."""

    curves: Array = over("line", "position")
    at: Array = over("line")  # the position that the line starts from
    encoding: Array = over("line")
    low: Array = aside("line", "position")
    positions: Array = over("position")
    own: Array = aside("line")  # the measure of each start with itself
    block: int = aside()
    apart: tuple[float, ...]  # per encoding, largest difference between lines at the same offset; −1 if unknown
    measure: str
    nearest: tuple[int, ...] | None  # for a single line of distances, the nearest positions, at most MAX_NEAREST
    nearest_count: int | None  # how many are equally near
    nearest_distance: float | None
    no_place: str = aside()  # "position" or "offset" if the dot at 0 is off a logarithmic axis, else ""

    def facts(self) -> dict[str, Any]:
        known = zip((encoding.spec() for encoding in self.view.encodings), self.apart, strict=True)
        return super().facts() | {"apart": {spec: apart for spec, apart in known if apart >= 0}}

    @classmethod
    def fact_types(cls) -> dict[str, Any]:
        return super().fact_types() | {"apart": dict[str, float]}

    def remarks(self) -> list[str]:
        lost = listing(dict.fromkeys(map(self.view.encoding.position_text, self.at[np.isnan(self.own)])))
        undefined = say("curves.from_undefined_constant_row", positions=lost) if lost else ""
        return [
            *default_query_notes(self.view.encodings),
            undefined,
            say(NO_PLACE[self.no_place]) if self.no_place else "",
            extremes_note(self.view.encoding, self.block),
        ]

    def nearest_to_mark(self) -> tuple[int, ...]:
        """Return the positions nearest to the start of a single line, which are marked.

        Return () if they are just the neighbours of the start.
        """
        return () if self.nearest == neighbours(self.view.covered, int(self.at[0])) else self.nearest or ()

    def message(self) -> str:
        """Return the headline: the nearest position, or whether all lines have the same shape."""
        label = comparison_of(self.view.encoding, self.measure).label
        if self.nearest:
            own, others = self.view.encoding.place(self.at[0]), self.nearest_to_mark()
            if not others:
                return say("curves.nothing_is_nearer", **own)
            few = sorted(sorted(others, key=lambda at: abs(at - self.at[0]))[:MAX_NAMED])
            text = "curves.nearest_to_are" if len(others) > 1 else "curves.nearest_to_is"
            text = text if len(others) == len(few) else "curves.equally_near"
            named = [self.view.encoding.position_text(at) for at in few]
            joined = join_and(named) if len(few) < MAX_NAMED else listing(named)
            return say(text, others=joined, count=self.nearest_count, **own)
        if len(self.at) == len(self.apart):
            return self._larger_text(label)
        if min(self.apart) < 0:
            return ""
        same = ROUNDING * float(np.nanmax(np.abs(self.curves), initial=0.0))
        if differ := differing_text(self.view, label, self.apart, same):
            return differ
        if any(encoding.sides for encoding in self.view.encodings):
            return ""  # with positions numbered row by row, curves are not shifted copies of each other
        one = "curves.every_curve_is_the"
        only = one if len(self.apart) == 1 else "curves.with_each_encoding_the"
        return say(only, measure=label) if has_comparable_offsets(self.view) else ""

    def _larger_text(self, label: str) -> str:
        """Return the headline that states which of two encodings has the larger measure at every other position.

        Return "" if neither measure is larger everywhere.

        label : the name of the measure
        """
        if len(self.at) != 2:
            return ""
        others = np.abs(self.positions - self.at[0]) >= max(1, self.block)
        margin = ROUNDING * float(np.nanmax(np.abs(self.curves), initial=0.0))
        names = short_names(self.view.encodings)
        for first, second in ((0, 1), (1, 0)):
            if others.any() and (self.low[first] > self.curves[second] + margin)[others].all():
                text = "curves.larger_everywhere"
                return say(text, name=names[first], measure=label)
        return ""


@dataclass(frozen=True)
class Curves(OneHeadFigure):
    """The measure, or the bias of a head, from chosen positions to all positions.

    Notes
    -----
    If all lines are shifted copies of one shape, only the offset matters. If a line of distances returns to 0 at
    a position other than its own, these two positions cannot be told apart. Each encoding has its own panel, or its own
    line if all start from the same position.
    """

    name: ClassVar[str] = "curves"
    frame_option: ClassVar[str] = "at"
    defines: ClassVar[str] = (
        "each line is the measure between the vector of one position (the dot) and the vectors of all positions, or "
        "the biases of all keys for one query"
    )
    example: ClassVar[str] = "pecli curves --at 0,50,100"
    copies: ClassVar[int] = 7
    examples: ClassVar[tuple[str, ...]] = (
        "pecli curves rope -m dot --at 0..199:3",
        "pecli curves rope sinusoidal:base=100 --at 50",
    )
    several: ClassVar[bool] = True

    at: tuple[int, ...] | None = places_option(
        "positions that the lines start from", at_least=-EXACT, unset=f"{DEFAULT_LINES} positions, spread evenly"
    )
    log: bool = log_option()
    against: str = option(
        "position",
        "x axis: position, or offset from the position that the line starts from",
        choices=lambda: ("position", "offset"),
    )

    def overlaid(self, view: View[Any]) -> bool:
        """Return whether all encodings share a panel, with one line each."""
        return len(view.encodings) > 1 and len(self.starts(view)) == 1

    def x_positions(self, view: View[Any]) -> Positions:
        """Return the positions that the lines run over, or the offsets from the starts of the lines."""
        rows = view.covered
        if self.against == "position":
            return rows
        starts = self.starts(view)
        first, last = rows.start - int(starts.max()), rows.stop - 1 - int(starts.min())
        return Positions(start=first, length=last - first + 1)

    def starts(self, view: View[Any]) -> Array:
        """Return the positions that the lines start from."""
        rows = view.covered
        if self.at is None:
            steps = np.arange(DEFAULT_LINES) * rows.length // (DEFAULT_LINES - 1)
            return np.unique(rows.start + np.minimum(steps, rows.length - 1)).astype(np.float64)
        return positions_at(self.at, view)

    def check_view(self, view: View[Any]) -> None:
        super().check_view(view)
        check_line_length(self.name, view.covered.length)
        if self.log:
            if self.x_positions(view).start < 0 <= view.covered.start:
                advice = f"start from the first position, {option_text('at', view.covered.start)}"
                raise UsageError("--log cannot show offsets below 0", option="log", advice=advice)
            check_log(self.x_positions(view))
        self.check_spans(self.x_positions(view))
        self.starts(view)

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        return (len(self.starts(view)), even_bins(view.covered.length, view.line_points))

    def compute(self, view: View[Any]) -> CurvesNumbers:
        starts, rows = self.starts(view), view.covered
        edges, across = even_edges(rows.length, view.line_points), self.x_positions(view)
        if self.log:
            edges = log_edges(across.stop, view.line_points, max(1, across.start)) - across.start
        parts = [self._lines(encoding, starts, rows, edges) for encoding in view.encodings]
        low, high, own = (np.concatenate([part[at] for part in parts]) for at in range(3))
        return CurvesNumbers(
            view=view,
            curves=high,
            at=np.tile(starts, len(parts)),
            encoding=np.repeat(np.arange(len(parts)), len(starts)),
            low=low,
            positions=rows.start + bin_centres(edges),
            own=own,
            block=int(np.diff(edges).max()),
            apart=tuple(part[3] for part in parts),
            measure=self.measure,
            **self._nearest(view, int(starts[0]) if len(low) == 1 else None),
            no_place=self.against if self.log and across.start == 0 and rows.start in starts else "",
        )

    def _nearest(self, view: View[Any], own: int | None) -> dict[str, Any]:
        """Return the facts `nearest`, `nearest_count` and `nearest_distance`.

        `nearest` : the positions at the smallest distance from `own`, at most MAX_NEAREST, those with the smallest
            offsets. They are the neighbours of `own`, unless a farther position is as near.
        `nearest_count` : how many positions are at the smallest distance
        `nearest_distance` : the smallest distance

        All are None if `own` is None, if the measure is a similarity, on a grid, or if there are too many positions.

        own : the position from which the curve is drawn; None if there are several curves
        """
        rows, compared = view.covered, self.compared(view.encoding)
        none = dict.fromkeys(("nearest", "nearest_count", "nearest_distance"))
        if own is None or view.encoding.sides or compared.similarity:
            return none
        if not 2 < rows.length <= MAX_WHOLE:
            return none
        distances = compared.to_run(np.array([float(own)]), rows.start, rows.length)[0]
        distances[own - rows.start] = np.nan
        if np.isnan(distances).all():
            return none
        beside, least = neighbours(rows, own), float(np.nanmin(distances))
        found = rows.start + np.flatnonzero(distances <= least * (1 + ROUNDING) + ROUNDING)
        few = np.sort(found[np.argsort(np.abs(found - own), kind="stable")][:MAX_NEAREST])
        farther = np.nanmin(np.delete(distances, np.array([*beside, own]) - rows.start), initial=np.inf)
        at_most = max(distances[at - rows.start] for at in beside) * (1 - ROUNDING) - ROUNDING
        usual = farther >= at_most and {*found.tolist()} <= {*beside}
        nearest = beside if usual else tuple(few.tolist())
        return {"nearest": nearest, "nearest_count": len(beside if usual else found), "nearest_distance": least}

    def _lines(self, encoding: Any, at: Array, rows: Positions, edges: Array) -> tuple[Array, Array, Array, float]:
        """Return low, high, the measure between each start and itself, and how much lines differ.

        low and high are the extremes in each bin, shape (lines, bins). The last result is the largest difference
        between lines at the same offset, −1 if there are too many positions.

        at : the start of each line, shape (lines,)
        rows : the positions that the lines run over
        edges : the first position of each bin and the end of the last bin, as indices of `rows`, (bins + 1,)
        """
        compared, single = self.compared(encoding), len(edges) - 1 == rows.length

        def values(first: int, count: int) -> Array:
            return compared.to_run(at, rows.start + first, count)

        if compared.is_of_offset and compared.symmetric and not single:
            low, high = mirrored_envelope(compared.at_offsets, (at - rows.start).astype(np.int64), edges)
        else:
            low, high, _ = envelope(values, edges, len(at))
        own = np.array([values(int(p) - rows.start, 1)[line, 0] for line, p in enumerate(at)])
        apart = 0.0 if compared.is_of_offset else -1.0  # stays −1 for very many positions
        if apart < 0 and rows.length <= MAX_WHOLE:
            every = high if single else values(0, rows.length)
            apart = largest_spread(every, -offset_codes(encoding, at, rows.array()))
        return low, high, own, apart

    def panel_groups(self, view: View[Any], canvas: Canvas) -> list[PanelGroup]:
        count, across = 1 if self.overlaid(view) else len(view.encodings), self.x_positions(view)
        first = max(1, across.start) if self.log else across.start
        aspect, names = 0.8 if canvas.narrow else 0.55, panel_titles(view.encodings)
        panels = []
        for name, encoding, scale in zip(names, view.encodings[:count], self.scales(view), strict=False):
            shown = self.quantity(view), scale
            x = along_lines(self._axis_across(view, encoding), first, across.stop - 1)
            y = values_axis(self.quantity(view), scale=shown)
            panels.append(Panel(aspect, title=name if count > 1 else "", x=x, y=y, ends=shown, grid=True))
        return [PanelGroup(tuple(panels), in_columns(count, *[1] * canvas.narrow), one_legend=count > 1)]

    def _axis_across(self, view: View[Any], encoding: Any) -> Axis:
        """Return the horizontal axis: positions, or offsets from where the lines start."""
        starts = self.starts(view)
        own = "curves.offset_from_lines_own" if len(starts) > 1 else "curves.offset_p_minus"
        offset = in_steps(
            say(own, letter=view.encoding.position_letter, at=view.encoding.position_text(starts[0])), view.encodings
        )
        label = offset if self.against == "offset" else log_label(encoding)
        if self.log:
            return powers_axis(label)
        return values_axis(label, whole=True) if self.against == "offset" else positions_axis(encoding)

    def scales(self, view: View[Any]) -> list[int]:
        """Return a key per encoding; panels with equal keys share a scale.

        The key is the width of the encoding if the measure grows with the width, otherwise 0.
        """
        grows = not self.overlaid(view) and self.compared(view.encoding).grows
        return [encoding.width if grows else 0 for encoding in view.encodings]

    def decorate(self, view: View[Any], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import label_lines

        starts = [view.encoding.position_text(at) for at in self.starts(view)]
        for panel, encoding in zip(axes, view.encodings, strict=False):
            if self.overlaid(view):
                names = panel_titles(view.encodings)
                label_lines(panel, list(zip(names, self._looks(view, panel, canvas), strict=True)), canvas)
            elif self.against == "offset" and panel is axes[-1] and not self._lines_coincide(encoding):
                add_legend(panel, zip(map(self._start_label, starts), self._looks(view, panel, canvas), strict=True))
            mark_stretch(panel, self.spans(), canvas)

    def _start_label(self, position: str) -> str:
        """Return the label of a line that starts from this position."""
        return say("curves.from_position_2", position=position)

    def _lines_coincide(self, encoding: Encoding) -> bool:
        """Return whether lines from all positions coincide when drawn against the offset."""
        return self.against == "offset" and self.compared(encoding).is_of_offset

    def _looks(self, view: View[Any], panel: Axes, canvas: Canvas) -> list[Look]:
        """Return the style of each line in a panel; many lines have ordered shades from dark to light."""
        count = len(view.encodings) if self.overlaid(view) else len(self.starts(view))
        if count <= MANY or self.overlaid(view):
            return [{"color": f"C{line}"} for line in range(count)]
        return [{"color": look["color"]} for look in shades(count, panel, canvas)]

    def draw(self, numbers: CurvesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import merge_line_labels, put_line_labels

        lines = len(numbers.at) // len(axes)
        ends = [(numbers.positions, row) for row in (numbers.low + numbers.curves) / 2]
        for at, panel in enumerate(axes):
            own = slice(at * lines, (at + 1) * lines)
            encoding = numbers.view.encodings[numbers.encoding[own.start]]
            self._draw_panel(
                numbers, own, panel, self._lines_coincide(encoding) and not self.overlaid(numbers.view), canvas
            )
            put_line_labels(panel, ends[own])
            if self.overlaid(numbers.view):
                merge_line_labels(panel, [row for _, row in ends[own]])
            if not self.compared(encoding).similarity and np.nanmin(numbers.own, initial=np.inf) == 0:
                panel.set_ylim(bottom=0)
        scales = self.scales(numbers.view)
        for scale in {*scales}:
            share_ends([panel for panel, own in zip(axes, scales, strict=False) if own == scale])
        return [None] * len(axes)

    def _draw_panel(self, numbers: CurvesNumbers, own: slice, panel: Axes, once: bool, canvas: Canvas) -> None:
        """Draw and label the lines of a panel with their dots.

        own : slice that selects the panel's lines
        once : whether to draw coinciding lines as one
        """
        from pecli.page.labels import label_point

        looks, overlaid = self._looks(numbers.view, panel, canvas), self.overlaid(numbers.view)
        named = np.unique(np.linspace(0, len(looks) - 1, MAX_LINES).astype(int)) if len(looks) > MAX_LINES else None
        columns = zip(numbers.low[own], numbers.curves[own], numbers.at[own], numbers.own[own], strict=True)
        offset = self.against == "offset"
        rows = [(numbers.positions - offset * at, low, high, at, value) for low, high, at, value in columns]
        for line, (x, low, high, at, value) in enumerate(merged_lines(rows) if once else rows):
            same = (np.allclose(high, before, equal_nan=True) for before in numbers.curves[own][:line])
            if overlaid and any(same):
                continue
            colour, encoding = looks[line]["color"], numbers.view.encodings[numbers.encoding[own][line]]
            start, middle = offset * at, (low + high) / 2
            place = at - start
            if numbers.block > 1:
                panel.fill_between(x, low, high, color=colour, linewidth=0, alpha=0.2)
            here = [(place, value)] * bool(place > 0 or not self.log)
            near = [at for at in numbers.nearest_to_mark() if not self.log or at > start]
            others = [(at - start, float(numbers.nearest_distance or 0.0)) for at in near]
            dots = [*here, *others]
            if numbers.block > 1 and dots:  # add the dots to the line, so that it passes through them
                places, values = zip(*sorted(dots), strict=True)
                index = np.searchsorted(x, places)
                x, middle = np.insert(x, index, places), np.insert(middle, index, values)
            steps = self.compared(encoding).is_classes
            panel.plot(x, middle, color=colour, drawstyle="steps-mid" if steps else "default")
            for dot in here:
                plot_dots(panel, *dot, colour, canvas)
            for dot in others:
                plot_dots(panel, *dot, panel.get_facecolor(), canvas, markeredgecolor=colour)
            finite = np.flatnonzero(np.isfinite(middle))
            if offset or overlaid or not len(finite):
                continue
            if named is None or line in named:
                first = here[0] if here and np.isfinite(value) else (x[finite[0]], middle[finite[0]])
                label_point(panel, self._start_label(encoding.position_text(at)), first, colour, canvas)
            for other, dot in zip(near, others, strict=True) if len(others) < MAX_NAMED else ():
                label_point(panel, encoding.position_text(other), dot, colour, canvas)

    def title(self, view: View[Any]) -> str:
        if len(view.encodings) == 1:
            return super().title(view)
        start = say(
            "curves.from_position",
            measure=self.quantity(view),
            at=view.encoding.named_position(self.starts(view)[0]),
        )
        return join_title(
            [title_of_several(view.encodings), start if self.overlaid(view) else "", self.positions_clause(view)]
        )


def merged_lines(rows: Sequence[tuple[Array, ...]]) -> Sequence[tuple[Array, ...]]:
    """Merge coinciding lines over offsets into a single line over all offsets.

    rows : (offsets, low, high, start, value at the start) of each line
    """
    (x, low, high, *own), *others = rows
    for offsets, *ends, _, _ in others:
        new = (offsets < x[0]) | (offsets > x[-1])
        order = np.argsort(np.concatenate([x, offsets[new]]), kind="stable")
        pairs = ((x, offsets), (low, ends[0]), (high, ends[1]))
        x, low, high = (np.concatenate([values, more[new]])[order] for values, more in pairs)
    return [(x, low, high, *own)]


def neighbours(rows: Positions, own: int) -> tuple[int, ...]:
    """Return the positions right before and right after `own`, without those outside `rows`."""
    return tuple(at for at in (own - 1, own + 1) if rows.start <= at < rows.stop)
