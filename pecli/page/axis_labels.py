"""Labels and ticks of axes along which positions, dimensions or values run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from string import ascii_lowercase
from typing import Any

from pecli.core.errors import UsageError, option_text
from pecli.core.language import listing, say
from pecli.core.lazy import Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import Encoding, TableEncoding
from pecli.page.canvas import Canvas
from pecli.page.panels import Panel, VisibleLabels

NEAR = 1.1  # times the first position: what ends before cannot be told from it on a logarithmic axis
MAX_NAMES = 16  # dimensions that have a name each


def label_values(axis: Any, label: str, integer: bool = False) -> None:
    """Label an axis along which numbers run."""
    from pecli.page.ticks import NumberTexts, round_ticks, whole_ticks

    axis.set_label_text(label)
    axis.set_major_locator(whole_ticks() if integer else round_ticks())
    axis.set_major_formatter(NumberTexts())


def label_positions(axis: Any, encoding: Encoding, label: str | None = None) -> None:
    """Label an axis along which positions run, in the encoding's terms; the label is a template."""
    from pecli.page.ticks import FittingTicks, NumberTexts, multiples

    text = say(label or encoding.position_label)
    if encoding.sides:
        text += " " + say("page.row_column" if len(encoding.sides) == 2 else "page.frame_row_column")
    label_values(axis, text, integer=True)
    steps = encoding.tick_steps or tuple(encoding.sides[-1] * step for step in (1, 2, 5, 10) if encoding.sides)
    if steps:
        axis.set_major_locator(FittingTicks(partial(multiples, steps), encoding.position_text))
    if steps or encoding.spacing != 1:
        axis.set_major_formatter(NumberTexts(encoding.position_text))


def label_dimensions(axis: Any, encoding: TableEncoding) -> None:
    """Label an axis along which the columns of the table run."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    names = encoding.dimension_names()
    label_values(axis, say(encoding.dimension_label), integer=True)
    if names is not None and len(names) <= MAX_NAMES:
        axis.set_major_locator(FixedLocator(range(len(names))))
        axis.set_major_formatter(FixedFormatter(names))


def label_decades(axis: Any, low: float, high: float) -> None:
    """Put ticks at 1, 10, 100, … (or 1, 2, 5, …) on an axis that shows the decimal logarithms from low to high."""
    from pecli.page.ticks import FittingTicks, NumberTexts

    factors = (1, 2, 5) if high - low < 2.5 else (1,)
    ticks = np.log10([factor * 10**power for power in range(int(low) - 1, int(high) + 1) for factor in factors])
    ticks = ticks[(ticks >= low - 1e-9) & (ticks <= high + 1e-9)]

    def text(value: float) -> str:
        return number_text(round(10**value, 6))

    axis.set_major_locator(FittingTicks(lambda *_: (ticks[::step] for step in range(1, len(ticks) + 1)), text))
    axis.set_major_formatter(NumberTexts(text))


def label_powers(axis: Any, label: str) -> None:
    """Label a logarithmic axis."""
    from pecli.page.ticks import BetweenPowers, NumberTexts

    axis.set_label_text(label)
    axis.set_major_formatter(NumberTexts())
    axis.set_minor_formatter(BetweenPowers(2.5))


def label_edges(axes: Axes, panel: Panel, shown: VisibleLabels) -> None:
    """Show or hide the labels of axes that a panel shares with its neighbours."""
    if panel.x is not None:
        axes.xaxis.label.set_visible(shown.below)
        axes.tick_params(axis="x", labelbottom=shown.below)
    if panel.y is not None:
        axes.yaxis.label.set_visible(shown.left)
        axes.tick_params(axis="y", labelleft=shown.left)


def label_as_asked(axes: Sequence[Axes], panels: Sequence[Panel], canvas: Canvas) -> None:
    """Write the author's labels of axes, and letters at panels; raises UsageError where there is none to write over."""
    for name, along in {"xlabel": "xaxis", "ylabel": "yaxis"}.items():
        text, labels = getattr(canvas, name), [getattr(ax, along).label for ax in axes]
        shown = [label for label in labels if label.get_text()]
        if text is not None and not shown:
            raise UsageError(f"no panel has a label there: leave {option_text(name)} out", option=name, value=text)
        for label in shown if text is not None else ():
            beside, line, _ = label.get_text().rpartition("\n")  # what a grid says of a row
            label.set_text(beside + line + text)
    if canvas.cbar_label and not any(panel.bar for panel in panels):
        raise UsageError("there is no colour bar: leave --cbar-label out", option="cbar_label")
    for ax, letter in zip(axes, letters_of(len(axes)) if canvas.letters else (), strict=False):
        look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right"}
        place = -0.8 * canvas.small, 0.5 * canvas.small
        ax.annotate(letter, (0.0, 1.0), place, weight="bold", fontsize=canvas.inches.font, va="bottom", **look)


def letters_of(count: int) -> list[str]:
    """Return a, b, c, … z, aa, ab, … for so many panels."""
    one = [*ascii_lowercase]
    return [*one, *(first + last for first in one for last in one)][:count]


def names_fit(axis: Any, names: Sequence[str], apart: float = 1) -> bool:
    """Return whether names so many units apart leave room between each other."""
    from pecli.page.ticks import fit, inches

    low, high = sorted(axis.get_view_interval())
    return fit(axis, names, apart * inches(axis) / (high - low))


def turn_names(axis: Any) -> None:
    """Turn the names below a panel where they would touch each other side by side."""
    from matplotlib.ticker import FixedFormatter

    formatter = axis.get_major_formatter()
    if isinstance(formatter, FixedFormatter):
        axis.set_tick_params(labelrotation=0 if names_fit(axis, formatter.seq) else 90)


NO_PLACE = {
    "position": "page.position_0_has_no",
    "offset": "page.offset_0_has_no",
}


def log_option() -> Any:
    """Return the option as a field of a figure."""
    return option(False, "logarithmic axis of positions, from 1, for many decades at once")


def log_label(encoding: TableEncoding) -> str:
    """Return the label of a logarithmic axis, whose ticks are plain numbers: the unit too."""
    label = say(encoding.position_label)
    return in_steps(listing(filter(None, [label, say(encoding.position_unit)])), [encoding])


def in_steps(label: str, encodings: Sequence[Encoding]) -> str:
    """Return the label of an axis along which rows are counted, not positions that are farther apart, or nearer."""
    steps = {encoding.spacing for encoding in encodings}
    if steps == {1.0}:
        return label
    text = "page.in_steps_of" if len(steps) == 1 else "page.in_steps"
    return listing([label, say(text, step=f"{steps.pop():,.15g}")])


def check_log(positions: Positions) -> None:
    """Refuse positions that a logarithmic axis cannot show (UsageError)."""
    if positions.start < 0 or positions.stop < 3 or positions.stop - 1 < NEAR * positions.start:
        text = f"--log is for decades from position 1 on, not for {positions.start:,} to {positions.stop - 1:,}"
        raise UsageError(text, option="log", advice="leave --log out")
