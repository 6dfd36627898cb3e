"""The error of a table in a smaller number type, by position and pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Any, Self

from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUND, ROUNDING
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import ColouredNumbers, Figure, View, other_positions_text
from pecli.figures.highlights import draw_trained_border, trained_border_note
from pecli.figures.matrix import show_matrix
from pecli.figures.precision_figure import APART, NOTABLE, PrecisionFigure
from pecli.files.sheet import aside, over
from pecli.measures.reduce import EnvelopeBuilder, bin_centres, even_bins, even_edges
from pecli.measures.summary import SAMPLE_SIZE, spread_evenly
from pecli.page.axis_labels import positions_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import STROKES
from pecli.page.panels import ColorBar, Panel, PanelGroup
from pecli.page.text import points_per_pixel
from pecli.page.words import ems

WORST = 2.0  # the largest possible error of a sine
DECADES = 1e4  # largest ratio of errors on the colour scale
LOW = 0.9  # beyond this share of the positions, a number is written above its line


@dataclass(frozen=True, kw_only=True)
class PrecisionNumbers(ColouredNumbers[Harmonic]):
    """The largest error of each pair in each bin of positions, and the largest error of all with its place.

    The error of a pair is the larger of the errors of its sine and its cosine.
    """

    error: Array = over("position", "pair", across="pair")
    positions: Array = over("position")  # centres of the bins
    first_wrong: Array = aside("pair")  # first position with an error above NOTABLE, or NaN
    block: int = aside()
    largest: float
    position: int
    pair: int
    wrong: int  # number of pairs with an error above NOTABLE
    wrong_from: int | None  # first position of such an error
    trained: int | None

    def remarks(self) -> list[str]:
        pooled = (
            say("precision.each_pixel_shows_the", positions=self.view.encoding.counted(self.block))
            if self.block > 1
            else ""
        )
        return [other_positions_text(self.view), pooled]

    def marks(self) -> list[str]:
        line = say("precision.line_first_error_above", error=NOTABLE) if self.wrong else ""
        rounded = say("precision.rounded", dtype=self.view.encoding.dtype, letter=self.view.encoding.position_letter)
        return [rounded, line, trained_border_note(self.trained), self._pair_0_note()]

    def _pair_0_note(self) -> str:
        """Return the note that pair 0 has almost no error, as its angles are whole positions; "" if it has an error."""
        encoding, rows = self.view.encoding, self.view.covered
        far = max(rows.stop - 1, -rows.start) - np.array([0.0, 1.0])  # the two farthest; one of them is odd
        if not self.wrong or encoding.frequencies()[0] != 1 or not np.array_equal(ROUND[encoding.dtype](far), far):
            return ""
        return say("precision.pair_0_angles_are", dtype=encoding.dtype)

    def message(self) -> str:
        encoding = self.view.encoding
        if self.wrong_from is None:
            return say("precision.in_errors_exceed_in_no", dtype=encoding.dtype, error=NOTABLE)
        text = "precision.in_errors_exceed_in"
        position, pairs = encoding.position_text(self.wrong_from), len(encoding.frequencies())
        return say(text, dtype=encoding.dtype, count=self.wrong, all=pairs, error=NOTABLE, position=position)

    def with_limits(self, low: float, high: float) -> Self:
        if low <= 0:
            raise UsageError(option="vmin", value=low, allowed="more than 0: the colours are on a logarithmic scale")
        return super().with_limits(low, high)

    def coloured(self) -> list[Array]:
        return [errors[errors > 0] for errors in self.sample]


@dataclass(frozen=True)
class Precision(PrecisionFigure):
    """The error of a table computed in a smaller number type; pairs are columns, positions are rows.

    Notes
    -----
    Colours are logarithmic. The angle ω p of a fast pair is large, and so is its rounding error compared with 2π. The
    error therefore grows with the position, most of all in fast pairs, until it is as large as the wave. Cells without
    error are blank. `Harmonic` lists the operations that are rounded. With ``by="stage"``, the figure shows the largest
    phase error of each pair with only one stage rounded.
    """

    @classmethod
    def variants(cls) -> tuple[type[Figure[Any]], ...]:
        from pecli.figures.precision_stages import PrecisionStages

        return (Precision, PrecisionStages)

    def variant(self, view: View[Harmonic]) -> Figure[Any]:
        return self.as_kind(self.variants()[self.by == "stage"])

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        pairs, rows = len(view.encoding.frequencies()), even_bins(view.covered.length, view.pixel_rows)
        return (4, rows, pairs)

    def compute(self, view: View[Harmonic]) -> PrecisionNumbers:
        encoding, rows = view.encoding, view.covered
        pairs, edges = len(encoding.frequencies()), even_edges(rows.length, view.pixel_rows)
        first, least, largest = np.full(pairs, np.inf), WORST, (0.0, 0, rows.start)
        runs = EnvelopeBuilder(edges, pairs)
        for part in runs.parts():
            positions = rows.start + np.arange(part.start, part.stop, dtype=np.float64)
            values = _pair_errors(encoding, positions)
            runs.add(part, values)
            least = min(least, float(values.min(where=values > 0, initial=WORST)))
            wrong = values > NOTABLE
            np.minimum(first, np.where(wrong.any(axis=1), positions[wrong.argmax(axis=1)], np.inf), out=first)
            if values.max() > largest[0]:
                pair, at = np.unravel_index(values.argmax(), values.shape)
                largest = float(values.max()), int(pair), int(positions[at])
        wrong, (low, top) = np.isfinite(first), (least, largest[0]) if largest[0] else (WORST / 10, WORST)
        low, top = 10.0 ** floor(log10(low)), min(WORST, 10.0 ** ceil(log10(top) - ROUNDING))
        return PrecisionNumbers(
            view=view,
            error=runs.high.T,
            positions=rows.start + bin_centres(edges),
            first_wrong=np.where(wrong, first, np.nan),
            block=int(edges[1] - edges[0]),
            largest=largest[0],
            pair=largest[1],
            position=largest[2],
            wrong=int(wrong.sum()),
            wrong_from=int(first.min()) if wrong.any() else None,
            trained=self.trained,
            ends=(max(low, top / DECADES), max(top, 2 * low)),
            sample=(_pair_errors(encoding, spread_evenly(rows, SAMPLE_SIZE // pairs)),),
        )

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        rows, pairs = view.covered, len(view.encoding.frequencies())
        bar = ColorBar(say("precision.larger_of_the_sine"), level=NOTABLE)
        x = values_axis(say("words.pair_of_dimensions_j"), whole=True, ends=(-0.5, pairs - 0.5))
        y = positions_axis(view.encoding, ends=(rows.stop - 0.5, rows.start - 0.5))
        return [PanelGroup((Panel(0.75, bar=bar, x=x, y=y),))]

    def draw(self, numbers: PrecisionNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        panel, first = axes[0], numbers.view.covered.start - 0.5
        rows, columns = numbers.error.shape
        image = show_matrix(
            panel,
            np.where(numbers.error > 0, numbers.error, np.nan),
            colours=canvas.colours("amount"),
            limits=numbers.ends,
            log=True,
            extent=(-0.5, columns - 0.5, first + rows * numbers.block, first),
        )
        edges = np.append(numbers.first_wrong, np.nan) - 0.5
        for colour, width in STROKES:  # a dark line in a light one, at each pair's first wrong position
            panel.step(np.arange(columns + 1) - 0.5, edges, where="post", color=colour, linewidth=width * canvas.scale)
        self._label_pairs(numbers, panel, canvas)
        if self.trained is not None:
            draw_trained_border(panel, panel.get_xlim(), (self.trained - 0.5,) * 2, canvas)
        return [image]

    def _label_pairs(self, numbers: PrecisionNumbers, panel: Axes, canvas: Canvas) -> None:
        """Draw brackets over the pairs with and without notable errors, and label each pair's first wrong position.

        If the labels do not fit, only the first position of all is labelled.
        """
        from matplotlib.patheffects import withStroke

        from pecli.page.labels import add_bracket, label_point

        wrong = np.isfinite(numbers.first_wrong)
        if not wrong.any():
            return
        runs = np.split(np.arange(len(wrong)), np.flatnonzero(np.diff(wrong)) + 1)
        longest = max((run for run in runs if wrong[run[0]]), key=len)
        off = say("precision.error_above", error=NOTABLE), f"> {NOTABLE}"
        for run in runs:
            texts = off if run[0] == longest[0] else ("",)
            if not wrong[run[0]]:
                texts = (say("precision.below_throughout", error=NOTABLE), f"< {NOTABLE}") if run[0] else ("",)
            if wrong[run[0]] or run[0]:
                add_bracket(panel, run[0] - APART, run[-1] + APART, texts, canvas, strong=bool(wrong[run[0]]))
        encoding, rows = numbers.view.encoding, numbers.view.covered
        room = panel.bbox.width * points_per_pixel(panel) / len(wrong)
        names = {int(pair): encoding.position_text(numbers.first_wrong[pair]) for pair in np.flatnonzero(wrong)}
        effects = [withStroke(linewidth=1.6 * canvas.scale, foreground="black")]
        if max(map(ems, names.values())) * canvas.small > room:  # label only the first, away from the line
            pair = int(np.nanargmin(numbers.first_wrong))
            place, sides = (float(pair), float(numbers.first_wrong[pair])), ((1, 1), (0, 1), (1, -1), (0, -1))
            label = label_point(panel, names[pair], place, "white", canvas, sides)
            label.set(color="white", weight="semibold", path_effects=effects, zorder=5)
            return
        look: dict[str, Any] = {"ha": "center", "color": "white", "weight": "semibold", "path_effects": effects}
        for pair, text in names.items():
            low = numbers.first_wrong[pair] - rows.start > LOW * rows.length
            way: dict[str, Any] = {"va": "bottom" if low else "top", "xytext": (0, (4 if low else -4) * canvas.scale)}
            place = (float(pair), float(numbers.first_wrong[pair]))
            panel.annotate(text, place, textcoords="offset points", fontsize=canvas.small, **way, **look)


def _pair_errors(encoding: Harmonic, positions: Array) -> Array:
    """Return the larger error of each pair's two columns against the float64 table, shape (n_pairs, n)."""
    errors = np.abs(encoding.table(positions) - replace(encoding, dtype="float64").table(positions))
    pairs = np.array([pair for _, pair in encoding.waves()])
    order = np.argsort(pairs, kind="stable")
    starts = np.searchsorted(pairs[order], np.arange(len(encoding.frequencies())))
    return np.maximum.reduceat(errors[:, order], starts, axis=1).T
