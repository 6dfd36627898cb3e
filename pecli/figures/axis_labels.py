"""Axes along which positions or dimensions run: their names, and as many ticks as there is room for."""

from __future__ import annotations

from typing import Any

from pecli.core.lazy import np
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.encoding import Encoding


def label_positions(axis: Any, encoding: Encoding, label: str | None = None) -> None:
    """Names an axis along which positions run, in the encoding's own terms."""
    axis.set_label_text(label or encoding.position_label)
    if encoding.tick_steps:
        from matplotlib.ticker import FuncFormatter, MultipleLocator

        low, high = sorted(axis.get_view_interval())
        most = max(1, _room(axis) / (0.8 if axis.axis_name == "x" else 0.35))
        step = next((step for step in encoding.tick_steps if (high - low) / step <= most), encoding.tick_steps[-1])
        axis.set_major_locator(MultipleLocator(step))
        axis.set_major_formatter(FuncFormatter(lambda value, _: encoding.position_text(value)))
    else:
        from matplotlib.ticker import MaxNLocator

        room = max(2, min(9, int(_room(axis) / (0.45 if axis.axis_name == "x" else 0.25))))
        axis.set_major_locator(MaxNLocator(nbins=room, steps=[1, 2, 2.5, 5, 10], integer=True, min_n_ticks=1))


def label_decades(axis: Any, low: float, high: float) -> None:
    """Ticks at 1, 10, 100, … (or 1, 2, 5, …) on an axis that shows the decimal logarithms from low to high."""
    steps = [m * 10**e for e in range(int(low) - 1, int(high) + 1) for m in ((1, 2, 5) if high - low < 2.5 else (1,))]
    ticks = [step for step in steps if low - 1e-9 <= np.log10(step) <= high + 1e-9]
    names = [f"$10^{{{round(np.log10(step))}}}$" if step >= 10_000 else f"{step:g}" for step in ticks]
    axis.set_ticks([float(np.log10(step)) for step in ticks], names)


def _room(axis: Any) -> float:
    """Inches along the axis, about."""
    place, size = axis.axes.get_position(), axis.axes.get_figure(root=True).get_size_inches()
    return float(place.width * size[0] if axis.axis_name == "x" else place.height * size[1])


def label_dimensions(axis: Any, encoding: TableEncoding) -> None:
    """Names an axis along which the columns of the table run."""
    axis.set_label_text(encoding.dimension_label)
    names = encoding.dimension_names()
    if names is not None and len(names) <= 16:
        axis.set_ticks(range(len(names)), names, rotation=45 if max(map(len, names)) > 3 else 0)
    else:
        from matplotlib.ticker import MaxNLocator

        room = max(2, min(7, int(_room(axis) / 0.32)))
        axis.set_major_locator(MaxNLocator(nbins=room, steps=[1, 2, 5, 10], integer=True, min_n_ticks=1))
