"""Axes of positions, dimensions, values or names: their labels and ticks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
from pecli.page.lines import MARGIN, frame_by_grid
from pecli.page.panels import Axis, Panel, VisibleLabels

NEAR = 1.1  # least ratio of last to first position on a logarithmic axis
MAX_NAMES = 16  # with more dimensions, the axis shows numbers, not names


def values_axis(label: str, whole: bool = False, **facts: Any) -> Axis:
    """Return an axis for numbers; `whole` limits ticks to integers, `facts` are other fields of `Axis`."""
    return Axis(label, ticks=_whole_ticks if whole else _round_ticks, **facts)


def positions_axis(encoding: Encoding, label: str | None = None, **facts: Any) -> Axis:
    """Return an axis for positions in the encoding's unit.

    label : text key of a label to use instead of the encoding's own
    facts : other fields of `Axis`
    """
    text = say(label or encoding.position_label)
    if encoding.sides:
        text += " " + say("page.row_column" if len(encoding.sides) == 2 else "page.frame_row_column")
    return Axis(text, ticks=partial(_position_ticks, encoding), **facts)


def dimensions_axis(encoding: TableEncoding, dims: Sequence[int] | None = None) -> Axis:
    """Return an axis for the columns of the encoding's table, or for some of them, side by side."""
    names = tuple(encoding.dimension_names() or ())
    if dims is not None:
        shown = tuple(names[dim] if names else str(dim) for dim in dims)
        names, ticks = (shown, None) if len(shown) <= MAX_NAMES else ((), partial(_chosen_ticks, shown))
        return Axis(say(encoding.dimension_label), (-0.5, len(dims) - 0.5), names, ticks=ticks)
    names = names if len(names) <= MAX_NAMES else ()
    return Axis(
        say(encoding.dimension_label), (-0.5, encoding.width - 0.5), names, ticks=None if names else _whole_ticks
    )


def decades_axis(label: str, low: float, high: float) -> Axis:
    """Return an axis of decimal logarithms from `low` to `high`, with ticks at 1, 10, 100, … (or 1, 2, 5, …)."""
    return Axis(label, (low, high), ticks=partial(_decade_ticks, *sorted((low, high))))


def powers_axis(label: str, between: float = 2.5, **facts: Any) -> Axis:
    """Return a logarithmic axis.

    between : the largest number of decades on an axis that still has labels between the powers of ten
    facts : other fields of `Axis`
    """
    return Axis(label, ticks=partial(_power_ticks, between), **{"log": 10, **facts})


def along_lines(axis: Axis, first: float, last: float) -> Axis:
    """Return the axis with ends just outside `first` and `last`, the ends of the lines in its panel."""
    if axis.log:
        last = max(last, first * NEAR)
        share = (last / first) ** MARGIN
        return replace(axis, ends=(first / share, last * share), span=(first, last))
    margin = MARGIN * (last - first) or 0.5
    return replace(axis, ends=(first - margin, last + margin), span=(first, last))


def with_ticks(axis: Axis, at: Sequence[float]) -> Axis:
    """Return the axis with major ticks only at the values `at`."""

    def ticks(own: Any) -> None:
        from pecli.page.ticks import ticks_at

        if axis.ticks is not None:
            axis.ticks(own)
        own.set_major_locator(ticks_at(at))

    return replace(axis, ticks=ticks)


def put_axes(axes: Axes, panel: Panel, canvas: Canvas) -> None:
    """Apply the panel's axes and title to an empty Axes."""
    sides: Any = (
        (axes.xaxis, panel.x, axes.set_xlim, axes.set_xscale),
        (axes.yaxis, panel.y, axes.set_ylim, axes.set_yscale),
    )
    for axis, own, set_ends, set_scale in sides:
        if own.log:
            set_scale("log", base=own.log)
        if own.ends is not None:
            set_ends(*own.ends)
        if own.span is not None:
            axis.shown = own.span
        put_axis(axis, own)
    if panel.grid:
        frame_by_grid(axes)
    axes.set_title(panel.title)
    if panel.small:
        axes.title.set_fontsize(canvas.small)
    axes.set_title(panel.right_title, loc="right")


def put_axis(axis: Any, own: Axis) -> None:
    """Give a matplotlib axis the label and the ticks that `own`, pecli's description of the axis, states."""
    axis.set_label_text("\n".join(filter(None, (own.beside, own.label))))
    if own.ticks is not None:
        own.ticks(axis)
    if own.names:
        axis.set_ticks(own.places or range(len(own.names)), own.names, parse_math=False)


def hide_tick_marks(axis: Any) -> None:
    """Hide the tick marks of an axis."""
    axis.set_tick_params(length=0)


def _round_ticks(axis: Any) -> None:
    """Put ticks at round numbers."""
    from pecli.page.ticks import NumberTexts, round_ticks

    axis.set_major_locator(round_ticks())
    axis.set_major_formatter(NumberTexts())


def _whole_ticks(axis: Any) -> None:
    """Put ticks at whole numbers."""
    from pecli.page.ticks import NumberTexts, whole_ticks

    axis.set_major_locator(whole_ticks())
    axis.set_major_formatter(NumberTexts())


def _chosen_ticks(names: Sequence[str], axis: Any) -> None:
    """Put ticks at whole numbers, labelled with the names that have these indices."""
    from pecli.page.ticks import NumberTexts

    _whole_ticks(axis)
    axis.set_major_formatter(NumberTexts(lambda value: names[int(value)] if 0 <= value < len(names) else ""))


def _position_ticks(encoding: Encoding, axis: Any) -> None:
    """Put ticks at positions that suit the encoding: rows of a grid, whole hours, and so on."""
    from pecli.page.ticks import FittingTicks, NumberTexts, multiples

    _whole_ticks(axis)
    steps = encoding.tick_steps or tuple(encoding.sides[-1] * step for step in (1, 2, 5, 10) if encoding.sides)
    if steps:
        axis.set_major_locator(FittingTicks(partial(multiples, steps), encoding.position_text))
    if steps or encoding.spacing != 1:
        axis.set_major_formatter(NumberTexts(encoding.position_text))


def _decade_ticks(low: float, high: float, axis: Any) -> None:
    """Put ticks at 1, 10, 100, … (or 1, 2, 5, …) on an axis of decimal logarithms."""
    from pecli.page.ticks import FittingTicks, NumberTexts

    factors = (1, 2, 5) if high - low < 2.5 else (1,)
    ticks = np.log10([factor * 10**power for power in range(int(low) - 1, int(high) + 1) for factor in factors])
    ticks = ticks[(ticks >= low - 1e-9) & (ticks <= high + 1e-9)]

    def text(value: float) -> str:
        return number_text(round(10**value, 6))

    axis.set_major_locator(FittingTicks(lambda *_: (ticks[::step] for step in range(1, len(ticks) + 1)), text))
    axis.set_major_formatter(NumberTexts(text))


def _power_ticks(between: float, axis: Any) -> None:
    """Label the powers of ten of a logarithmic axis, and numbers between them on a short one."""
    from pecli.page.ticks import BetweenPowers, NumberTexts

    axis.set_major_formatter(NumberTexts())
    axis.set_minor_formatter(BetweenPowers(between))


def label_edges(axes: Axes, panel: Panel, shown: VisibleLabels) -> None:
    """Show or hide the axis labels that a panel shares with its neighbours."""
    if panel.x.shared:
        axes.xaxis.label.set_visible(shown.below)
        axes.tick_params(axis="x", labelbottom=shown.below)
    if panel.y.shared:
        axes.yaxis.label.set_visible(shown.left)
        axes.tick_params(axis="y", labelleft=shown.left)


def write_user_labels(axes: Sequence[Axes], panels: Sequence[Panel], canvas: Canvas) -> None:
    """Write the user's axis labels and the panels' letters; raise UsageError if there is no label to replace."""
    for name, along in {"xlabel": "xaxis", "ylabel": "yaxis"}.items():
        text, labels = getattr(canvas, name), [getattr(ax, along).label for ax in axes]
        shown = [label for label in labels if label.get_text()]
        if text is not None and not shown:
            raise UsageError(f"no panel has such a label: leave {option_text(name)} out", option=name, value=text)
        for label in shown if text is not None else ():
            beside, line, _ = label.get_text().rpartition("\n")  # `beside`: in a grid, the row's name
            label.set_text(beside + line + text)
    if canvas.cbar_label and not any(panel.bar for panel in panels):
        raise UsageError("there is no colour bar: leave --cbar-label out", option="cbar_label")
    for ax, letter in zip(axes, letters_of(len(axes)) if canvas.letters else (), strict=False):
        look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right"}
        place = -0.8 * canvas.small, 0.5 * canvas.small
        ax.annotate(letter, (0.0, 1.0), place, weight="bold", fontsize=canvas.inches.font, va="bottom", **look)


def letters_of(count: int) -> list[str]:
    """Return the first `count` of a, b, c, … z, aa, ab, …."""
    one = [*ascii_lowercase]
    return [*one, *(first + last for first in one for last in one)][:count]


def names_fit(axis: Any, names: Sequence[str], apart: float = 1) -> bool:
    """Return whether names that are `apart` data units from each other leave room between them."""
    from pecli.page.ticks import axis_length, labels_fit

    low, high = sorted(axis.get_view_interval())
    return labels_fit(axis, names, apart * axis_length(axis) / (high - low))


def turn_names(axis: Any, names: Sequence[str]) -> None:
    """Turn the names below a panel vertical if they would touch side by side."""
    if names:
        axis.set_tick_params(labelrotation=0 if names_fit(axis, names) else 90)


NO_PLACE = {
    "position": "page.position_0_has_no",
    "offset": "page.offset_0_has_no",
}


def log_option() -> Any:
    """Return the option field `log`."""
    return option(False, "logarithmic axis of positions, which starts at 1")


def log_label(encoding: TableEncoding) -> str:
    """Return the label of a logarithmic axis, with the unit, since its ticks are plain numbers."""
    label = say(encoding.position_label)
    return in_steps(listing(filter(None, [label, say(encoding.position_unit)])), [encoding])


def in_steps(label: str, encodings: Sequence[Encoding]) -> str:
    """Return the label of an axis of row numbers, with the step added if positions are not 1 apart."""
    steps = {encoding.spacing for encoding in encodings}
    if steps == {1.0}:
        return label
    text = "page.in_steps_of" if len(steps) == 1 else "page.in_steps"
    return listing([label, say(text, step=f"{steps.pop():,.15g}")])


def check_log(positions: Positions) -> None:
    """Raise UsageError for positions that a logarithmic axis cannot show."""
    if positions.start < 0 or positions.stop < 3 or positions.stop - 1 < NEAR * positions.start:
        needs = f"--log needs positions ≥ 0, with the last ≥ 2 and ≥ {NEAR:g} times the first"
        text = f"{needs}, not {positions.start:,} to {positions.stop - 1:,}"
        raise UsageError(text, option="log", advice="leave --log out")
