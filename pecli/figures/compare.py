"""One figure of several encodings, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, ClassVar, TypeAlias

from pecli.analysis import measure_option
from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_clauses, join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding, TableEncoding, panel_titles, short_names, title_of_several
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Figure, View
from pecli.figures.composite import (
    Cell,
    ComposedNumbers,
    Composite,
    Part,
    check_part,
    kind_text,
    longer_waves_text,
    part_of,
    single_figures,
)
from pecli.figures.distance import DistanceNumbers
from pecli.figures.heatmap import HeatmapNumbers
from pecli.figures.highlights import Highlighting
from pecli.figures.wavelengths import CLEAR
from pecli.measures.comparison import comparison_of
from pecli.page.canvas import Canvas
from pecli.page.colors import STROKES
from pecli.page.panels import PanelGroup

MAX_WHOLE = 2**22  # numbers: with more, the place of the largest difference is not computed
FEW = 0.5  # largest share of dimensions or positions with differences that the headline lists
Differences: TypeAlias = "tuple[tuple[float, float] | None, dict[str, Any], Array | None]"
MAX_NAME = 28  # characters of a difference's title


@dataclass(frozen=True, kw_only=True)
class CompareNumbers(ComposedNumbers):
    """The figure and numbers of each encoding, in order, then the figure and numbers of the difference if requested.

    reach : the smallest and the largest difference, or None if there are too many numbers to compute it
    where : the place of the largest difference: position and dimension, or p and q, or the offset if the difference
        depends on it alone; for tables also the dimensions and the range of positions with any difference
    measured : the name of the measure, or ""
    apart : a note on why the panels do not share colour limits, or ""
    whole : whether all differences were computed, of which a pixel shows the largest
    """

    reach: tuple[float, float] | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    measured: str = ""
    apart: str = ""
    whole: bool = False

    def marks(self) -> list[str]:
        limits = [part.numbers.limits() for part in self.parts[: len(self.view.encodings)]]
        texts = {tuple(number_text(end, 2) for end in ends) if ends else None for ends in limits}
        apart = "" if len(texts) == 1 and None not in texts else self.apart  # no note if limits look equal
        return [apart, self._column_order_note(), self._pixel_note(), *super().marks()]

    def _pixel_note(self) -> str:
        """Return the note that a pixel shows the largest of several differences; "" if it shows a single one."""
        numbers = self.parts[-1].numbers
        if not self.whole or not isinstance(numbers, HeatmapNumbers | DistanceNumbers):
            return ""
        columns = numbers.columns_block if isinstance(numbers, HeatmapNumbers) else numbers.block
        cells = say("figures.cells", rows=numbers.block, columns=columns)
        return say("compare.each_pixel_largest", cells=cells) if max(numbers.block, columns) > 1 else ""

    def _column_order_note(self) -> str:
        """Return a note that the two tables of a difference order their columns differently, or ""."""
        pairings = [getattr(encoding, "pairing", "") for encoding in self.view.encodings]
        difference = len(self.parts) > len(self.view.encodings) and isinstance(self.parts[0].numbers, HeatmapNumbers)
        known = difference and all(pairings) and len({*pairings}) > 1
        return say("compare.orders", first=pairings[0], second=pairings[1]) if known else ""

    def message(self) -> str:
        """Return the headline.

        It states the largest difference, or that only the order of columns differs, or the headline of each part.
        """
        if len(self.parts) == len(self.view.encodings):
            if self.reach is not None:
                return self._difference_text()
            if len({*self.view.encodings}) == 1 < len(self.parts):
                return say("compare.the_same_encoding")
            same = say("compare.the_same_columns_in") if len(self.parts) == 2 and self._are_reordered_tables() else ""
            return same or longer_waves_text(self.labels, self.parts) or super().message()
        return self._difference_text()

    def _difference_text(self) -> str:
        """Return the headline on the largest difference, its place, and whether only the column order differs."""
        low, high = self.reach or (0.0, 0.0)
        number, rounding = number_text(max(-low, high), 3), ROUNDING * max(-low, high)
        if self.reach is None:
            text = ""
        elif not low < 0 and not high > 0:
            text = say("compare.no_difference")
        elif -low > rounding and high > rounding:
            text = say("compare.the_two_differ_by", number=number)
        else:
            name = self.labels[0 if high > rounding else 1]
            measured = "compare.the_is_larger_by"
            larger = "compare.values_are_larger_by"
            text = say(measured if self.measured else larger, measure=self.measured, name=name, number=number)
        same = say("compare.the_same_columns_in") if self.reordered() else ""
        return join_clauses([same, text, self._place_text()])

    def failure(self, figure: Any) -> str:
        tolerance, (low, high) = figure.tolerance, self.reach or (0.0, 0.0)
        if max(-low, high) <= tolerance:
            return ""
        return f"{self._difference_text()}: more than {option_text('tolerance', tolerance)}"

    def _are_reordered_tables(self) -> bool:
        """Return whether two tables are shown that have the same columns in different orders."""
        return all(isinstance(part.numbers, HeatmapNumbers) for part in self.parts) and self.reordered()

    def _place_text(self) -> str:
        """Return the clause on where the difference is largest, and in which dimensions and positions tables differ."""
        where, position = self.where, self.view.encoding.position_text
        if "offset" in where:
            return say("compare.most_at_offset", offset=where["offset"])
        if "q" in where:
            return say("compare.most_at_p_q", p=position(where["p"]), q=position(where["q"]))
        texts = []
        if "dimensions" in where:
            first, last = map(position, where["positions"])
            positions = say(self.view.encoding.range_named, first=first, last=last)
            count, width = len(where["dimensions"]), self.parts[0].numbers.main.shape[1]
            texts = [
                say(
                    "compare.in_of_dimensions_positions",
                    count=count,
                    all=width,
                    positions=positions,
                    first=first,
                    last=last,
                )
            ]
        if where:
            most = "compare.most_in_dimension_at"
            texts += [say(most, number=where["dimension"], **self.view.encoding.place(where["position"]))]
        return join_clauses(texts)

    def reordered(self) -> bool:
        """Return whether the formulas of two encodings give the same columns in different orders."""
        known = [item for item in self.view.encodings if isinstance(item, Harmonic) and not item.sides]
        if len(known) < 2 or len({item.covered(self.view.positions) for item in known}) > 1:
            return False
        item, other = map(column_terms, known)
        return item != other and sorted(item) == sorted(other)

    def facts(self) -> dict[str, Any]:
        names = [encoding.spec() for encoding in self.view.encodings] + ["difference"]
        facts = {name: part.numbers.facts() for name, part in zip(names, self.parts, strict=False)}
        if len(self.parts) > len(self.view.encodings):  # extremes of all numbers, not of the pixels
            shown = {k: v for k, v in facts["difference"].items() if k not in ("smallest", "largest", "limit")}
            reach = dict(zip(("smallest", "largest"), self.reach or (), strict=False))
            facts["difference"] = {**shown, **reach, **({"where": dict(self.where)} if self.where else {})}
        return facts


def column_terms(encoding: Harmonic) -> list[tuple[Any, ...]]:
    """Return the terms that define each column of the table; equal terms mean equal columns."""
    pairs = list(zip(encoding.frequencies(), encoding.amplitudes, encoding.phases, encoding.decay_rates, strict=True))
    return [(wave, *pairs[pair], encoding.dtype) for wave, pair in encoding.waves()]


@dataclass(frozen=True)
class Compare(Composite, Highlighting[Encoding]):
    """One figure for several encodings in a grid; panels on the same scale share limits and a colour bar."""

    name: ClassVar[str] = "compare"
    defines: ClassVar[str] = (
        "the figure's numbers for each encoding; panels share limits if they show the same quantity (with the same "
        "width d, if the measure grows with d), otherwise a note says that limits differ; the difference is the first "
        "minus the second"
    )
    example: ClassVar[str] = "pecli compare sinusoidal:base=10 sinusoidal:base=10000"
    examples: ClassVar[tuple[str, ...]] = ("pecli compare rope sinusoidal --figure curves",)
    several: ClassVar[bool] = True
    compares: ClassVar[bool] = True
    specs_are_arguments: ClassVar[bool] = True
    shares_limits: ClassVar[bool] = False

    figure: str = option("heatmap", "figure to draw for each encoding", choices=single_figures, advice=kind_text)
    measure: str | None = measure_option(None)
    difference: bool = option(False, "add the difference of two encodings, first minus second")
    tolerance: float | None = option(
        None,
        "largest difference allowed (adds --difference); if the tables differ by more, exit with 1 and say where",
        at_least=0,
    )

    @property
    def judges(self) -> bool:
        return self.tolerance is not None

    @property
    def subtracts(self) -> bool:
        """Whether the difference of two encodings is shown."""
        return self.difference or self.judges

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        return self.part().positions_for(asked, in_use)

    def part(self) -> Figure[Any]:
        """Return the figure to draw for each encoding."""
        return part_of(self, self.figure)

    def made_of(self) -> list[Figure[Any]]:
        return [self.part()]

    def check_view(self, view: View[Encoding]) -> None:
        if self.subtracts and len(view.encodings) != 2:
            text = f"{option_text('difference')} takes two encodings, not {len(view.encodings)}"
            raise UsageError(text, option="difference")
        for cell in self.cells_of(view):
            check_part(cell.figure, cell.view, "figure")

    def cells_of(self, view: View[Encoding]) -> list[Cell]:
        """Return one cell per encoding and, if requested, one for the difference.

        The cell of the difference has the figure and view of the first cell.
        """
        views = [replace(view, panels=None).of(encoding) for encoding in view.encodings]
        figures, names = [self.part().variant(item) for item in views], distinct_titles(view)
        cells = list(map(Cell, figures, views, names))
        difference = Cell(figures[0], views[0], difference_name(view), derived=True)
        return [*cells, difference] if self.subtracts else cells

    def _cell_panels(self, cell: Cell, at: int, canvas: Canvas) -> PanelGroup:
        """Return the panels of the cell with index `at`; the panels of the difference have a second colour bar."""
        group = super()._cell_panels(cell, at, canvas)
        if not self.subtracts or at < 2:
            return group
        other: dict[str, Any] = {"part": 1, "label": say("compare.difference"), "ticks": None, "trimmed": True}
        panels = (replace(panel, bar=panel.bar and replace(panel.bar, **other)) for panel in group.panels)
        return replace(group, panels=tuple(panels))

    def compute(self, view: View[Encoding]) -> CompareNumbers:
        numbers = super().compute(self._with_all_columns(view) if self.subtracts else view)
        assert isinstance(numbers, CompareNumbers)  # `composed_numbers` returns this class
        return numbers

    def _with_all_columns(self, view: View[Encoding]) -> View[Encoding]:
        """Return the view with enough pixels for every column.

        With fewer pixels, a column could be left out of one table and not of the other.
        """
        tables = [encoding for encoding in view.encodings if isinstance(encoding, TableEncoding)]
        waves = [encoding.waves() if isinstance(encoding, Harmonic) else [] for encoding in tables]
        if view.panels is None or all(item == waves[0] for item in waves):
            return view
        least = CLEAR * max(encoding.width for encoding in tables)
        return replace(view, panels=tuple((rows, max(columns, least)) for rows, columns in view.panels))

    def composed_numbers(self, view: View[Encoding], **fields: Any) -> CompareNumbers:
        labels = tuple(short_names(view.encodings))
        numbers = CompareNumbers(view=view, labels=labels, apart=self._limits_note(view), **fields)
        if not self.subtracts:
            trained = len(view.encodings) == 2 and all(getattr(own, "trained", False) for own in view.encodings)
            if not trained or not isinstance(numbers.parts[0].numbers, HeatmapNumbers):
                return numbers
            reach, where, _ = self._measured_differences(view)
            return replace(numbers, reach=reach, where=where)
        first, second = numbers.parts
        if not isinstance(first.numbers, HeatmapNumbers | DistanceNumbers):
            first.numbers.difference(second.numbers, None)  # raises UsageError
        reach, where, whole = self._measured_differences(view)
        difference = first.numbers.difference(second.numbers, reach, whole)
        parts, measure = (first, second, Part(first.figure, difference)), getattr(first.numbers, "measure", "")
        measured = comparison_of(view.encoding, measure).label if measure else ""
        known = whole is not None
        return replace(numbers, parts=parts, measured=measured, reach=reach, where=where, whole=known)

    def draw(self, numbers: Any, axes: list[Axes], canvas: Canvas) -> list[Any]:
        """Draw the panels and mark the largest difference; return one mappable per panel."""
        drawn = super().draw(numbers, axes, canvas)
        if self.subtracts and numbers.where:
            self._mark_largest(numbers, axes[-1], canvas)
        return drawn

    def _mark_largest(self, numbers: Any, panel: Axes, canvas: Canvas) -> None:
        """Mark the place of the largest difference with its value.

        If the place is an offset, mark the middle of its diagonal.
        """
        from pecli.page.labels import halo

        where, (low, high) = numbers.where, sorted(panel.get_xlim())
        x, y = (where["q"], where["p"]) if "q" in where else (where["dimension"], where["position"])
        look: dict[str, Any] = {"markersize": 6 * canvas.scale, "fillstyle": "none", "clip_on": False}
        for colour, width in STROKES:
            panel.plot(x, y, "o", markeredgecolor=colour, markeredgewidth=width * canvas.scale, **look)
        side = 1 if x - low < (high - low) / 2 else -1
        style: dict[str, Any] = {"textcoords": "offset points", "va": "center", "ha": "left" if side > 0 else "right"}
        style |= {"fontsize": canvas.small, "weight": "medium", "path_effects": halo(panel, canvas), "zorder": 6}
        text = number_text(where["difference"], 3)
        panel.annotate(text if text.startswith("−") else f"+{text}", (x, y), (6 * side * canvas.scale, 0), **style)
        panel.named = True  # type: ignore[attr-defined]  # read by `Sheet`: the headline is about this panel

    def _limits_note(self, view: View[Encoding]) -> str:
        """Return the note on why panels do not share colour limits, or "" if they do."""
        placed = [self._cell_panels(cell, 0, Canvas()).panels for cell in self.cells_of(view)[: len(view.encodings)]]
        ends = {frozenset((None if p.bar and p.bar.fixed else p.bar, p.ends) for p in panels) for panels in placed}
        if len(ends) == 1:
            return ""
        measure = getattr(self.part(), "measure", None)
        every = [comparison_of(encoding, measure) for encoding in view.encodings] if measure else []
        growing = [compared.label for compared in every if compared.grows]
        if not growing or len({getattr(e, "width", 0) for e in view.encodings}) == 1:
            return say("compare.not_all_panels_have")
        return say("compare.limits_are_shared_by", measure=growing[0])

    def _measured_differences(self, view: View[Encoding]) -> Differences:
        """Return the same as `_differences`; raise UsageError if --tolerance cannot be checked."""
        reach, where, whole = self._differences(view)
        if self.tolerance is not None and reach is None:
            text = f"--tolerance compares at most {MAX_WHOLE:,} numbers of a table, but these have more"
            raise UsageError(text, option="tolerance", advice="give a smaller --length")
        return reach, where, whole

    def _differences(self, view: View[Encoding]) -> Differences:
        """Return the smallest and the largest difference, the places where tables differ, and all differences.

        Return (None, {}, None) if there are too many numbers or the shapes differ.
        """
        figure, views = self.part(), [cell.view for cell in self.cells_of(view)[:2]]
        if max(prod(figure.shape(own)) for own in views) > MAX_WHOLE:
            first, second = (figure.all_values(own) for own in views)
            if first is None or second is None or first.shape != second.shape:
                return None, {}, None
            return _ends_of(first - second), {}, None
        one, other = (figure.compute(own) for own in views)
        assert isinstance(one, HeatmapNumbers | DistanceNumbers)  # only these have differences
        if one.main.shape != other.main.shape:
            return None, {}, None  # `difference_of` raises UsageError
        array, rows = one.main - other.main, one.positions
        reach, sizes = _ends_of(array), np.nan_to_num(np.abs(array))
        if not sizes.any():
            return reach, {}, array
        row, column = map(int, np.unravel_index(sizes.argmax(), sizes.shape))
        found = float(array[row, column])
        if isinstance(one, DistanceNumbers):
            offset, most = column - row, ROUNDING * sizes.max()
            if not np.allclose(array[1:, 1:], array[:-1, :-1], rtol=0, atol=most):
                return reach, {"p": int(rows[row]), "q": int(rows[column]), "difference": found}, array
            middle = (len(rows) - abs(offset)) // 2 + max(0, -offset)
            place = {"p": int(rows[middle]), "q": int(rows[middle + offset])}
            return reach, {**place, "offset": abs(offset), "difference": found}, array
        differing = sizes > ROUNDING * sizes.max()
        places, dims = rows[differing.any(axis=1)], np.flatnonzero(differing.any(axis=0))
        where: dict[str, Any] = {"position": int(rows[row]), "dimension": column, "difference": found}
        if min(len(dims) / array.shape[1], np.ptp(places) / len(rows)) <= FEW:
            where |= {"dimensions": dims.tolist(), "positions": [int(places[0]), int(places[-1])]}
        return reach, where, array

    def title(self, view: View[Encoding]) -> str:
        item = view.encoding.title(join_title) if len(view.encodings) == 1 else ""
        shared = title_of_several(view.encodings) if len(set(view.encodings)) > 1 else ""
        return join_title([item, shared, self.positions_clause(view)])

    def positions_clause(self, view: View[Encoding]) -> str:
        return self.part().positions_clause(view)


def difference_name(view: View[Encoding]) -> str:
    """Return the title of the difference: the two encodings' titles with a minus sign.

    If these titles are long or equal, return "first − second".
    """
    name = " − ".join(name.replace(" = ", "\u00a0") for name in distinct_titles(view))  # not to look like equations
    return (
        name if len(name) <= MAX_NAME and len(set(view.encodings)) > 1 else say("compare.difference_first_minus_second")
    )


def distinct_titles(view: View[Encoding]) -> list[str]:
    """Return one title per encoding, which distinguishes it from the others.

    Return full titles if the encodings are equal, [""] for a single encoding.
    """
    if len(view.encodings) == 1:
        return [""]
    if len(set(view.encodings)) == 1:
        return [encoding.title(join_title) for encoding in view.encodings]
    return panel_titles(view.encodings)


def _ends_of(array: Array) -> tuple[float, float]:
    """Return the smallest and the largest number of an array, ignoring NaN, widened to a range that contains 0."""
    low, high = (float(end.reduce(array, axis=None, initial=0.0)) for end in (np.fmin, np.fmax))
    return low, high
