"""The phase error of each pair with only one stage of the table's computation rounded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import Numbers, View
from pecli.figures.precision_figure import APART, NOTABLE, PrecisionFigure
from pecli.files.sheet import aside, over
from pecli.measures.stages import STAGES, largest_phase_errors
from pecli.page.axis_labels import along_lines, powers_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import SHADE
from pecli.page.lines import frame_by_grid
from pecli.page.panels import Panel, PanelGroup

NAMES = {
    "rates": "precision.stage_rates",
    "positions": "precision.stage_positions",
    "angles": "precision.stage_angles",
    "table": "precision.stage_table",
}
COLOURS = {"rates": "C2", "positions": "C3", "angles": "C1", "table": "C0"}
DOTS = "rates"  # the stage drawn without lines, because its errors jump from pair to pair
FLOOR = 1e-12  # smaller errors are not drawn
DECADES = 5  # largest number of decades on the axis
TOP = 6.0  # end of the axis, above π


@dataclass(frozen=True, kw_only=True)
class StageNumbers(Numbers[Harmonic]):
    """The largest phase error of each pair over all positions, in rad, with only one stage rounded."""

    error: Array = over("pair", "stage")
    stage: tuple[str, ...] = over("stage")
    last: int = aside()
    wrong: dict[str, int]  # number of pairs with an error above NOTABLE, by stage

    @property
    def worst(self) -> str:
        """The stage with the most wrong pairs; if several tie, the last of them.

        The later stage is computed from the earlier one.
        """
        return max(reversed(STAGES), key=lambda name: self.wrong[name])

    def message(self) -> str:
        worst, best = self.worst, min(reversed(STAGES), key=lambda name: self.wrong[name])
        known = {"dtype": self.view.encoding.dtype, "error": NOTABLE}
        if not self.wrong[worst]:
            return say("precision.no_stage", **known)
        known |= {"worst": say(NAMES[worst]), "count": self.wrong[worst], "all": len(self.error)}
        known |= {"best": say(NAMES[best]), "least": self.wrong[best] or say("precision.none")}
        return say("precision.spoilt_by", **known)


@dataclass(frozen=True)
class PrecisionStages(PrecisionFigure):
    """The largest phase error over all positions, one line per stage."""

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        return (len(view.encoding.frequencies()), len(STAGES))

    def compute(self, view: View[Harmonic]) -> StageNumbers:
        errors = largest_phase_errors(view.encoding, view.covered)
        return StageNumbers(
            view=view,
            error=np.stack([errors[name] for name in STAGES], axis=1),
            stage=tuple(STAGES),
            last=view.covered.stop - 1,
            wrong={name: int((errors[name] > NOTABLE).sum()) for name in STAGES},
        )

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        x = along_lines(
            values_axis(say("words.pair_of_dimensions_j"), whole=True), 0, len(view.encoding.frequencies()) - 1
        )
        y = replace(powers_axis(say("precision.phase_error")), scale="phase", ticks=_decimals)
        return [PanelGroup((Panel(0.8 if canvas.narrow else 0.55, x=x, y=y, grid=True),))]

    def decorate(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.labels import label_lines

        frame_by_grid(axes[0])
        label_lines(axes[0], [(say(NAMES[name]), {"color": COLOURS[name]}) for name in STAGES], canvas)

    def draw(self, numbers: StageNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.labels import add_bracket, label_level, put_line_labels

        panel, pairs = axes[0], np.arange(len(numbers.error))
        shown = np.where(numbers.error > FLOOR, numbers.error, np.nan)
        look: dict[str, Any] = {"marker": "o", "markersize": 3.2 * canvas.scale, "zorder": 3, "clip_on": False}
        look |= {"markeredgecolor": panel.get_facecolor(), "markeredgewidth": 0.4 * canvas.scale}
        for name, values in zip(STAGES, shown.T, strict=True):
            width = 0 if name == DOTS else 1.1 * canvas.scale
            panel.plot(pairs, values, color=COLOURS[name], linewidth=width, **look)
        put_line_labels(panel, [(pairs, values) for values in shown.T])
        low, high = float(np.nanmin(shown, initial=NOTABLE)), float(np.nanmax(shown, initial=NOTABLE))
        top = TOP if high > NOTABLE else 3 * NOTABLE
        panel.set_ylim(max(low / 2, top / 10**DECADES), top)
        panel.axhspan(NOTABLE, top, facecolor=("C1", SHADE), linewidth=0, zorder=0)
        panel.axhline(NOTABLE, color="C1", linewidth=0.8 * canvas.scale, zorder=1)
        label_level(panel, say("precision.more_than", error=NOTABLE), NOTABLE, "C1", canvas, right=True)
        wrong = np.flatnonzero(numbers.error[:, STAGES.index(numbers.worst)] > NOTABLE)
        if len(wrong) and np.ptp(wrong) == len(wrong) - 1:
            known = {"stage": say(NAMES[numbers.worst]), "count": len(wrong), "error": NOTABLE}
            texts = say("precision.stage_above", **known), f"{known['stage']}: {len(wrong)}", f"{len(wrong)}"
            add_bracket(panel, wrong[0] - APART, wrong[-1] + APART, texts, canvas)
        return [None]

    def title(self, view: View[Harmonic]) -> str:
        encoding = replace(view.encoding, label=None)
        last = encoding.named_position(view.covered.stop - 1)
        return join_title(
            [*encoding.title_pieces(("dtype",)), say("precision.one_stage", dtype=encoding.dtype, last=last)]
        )


def _decimals(axis: Any) -> None:
    """Write the powers of ten on an axis as decimals, such as 0.001.

    The label of the line at 0.1 is a decimal, too.
    """
    from pecli.page.ticks import NumberTexts

    axis.set_major_formatter(NumberTexts(lambda value: f"{value:.12f}".rstrip("0").rstrip(".")))
