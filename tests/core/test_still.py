"""Axes that do not move: their ticks are found out once, and anew once they may move again."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pecli.core.still import still


def test_ticks_are_found_out_once_while_nothing_moves_and_anew_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = Figure()
    axes: Any = drawing.add_subplot()
    axes.set(title="title", xlabel="x", ylabel="y")
    renderer = FigureCanvasAgg(drawing).get_renderer()  # type: ignore[no-untyped-call]
    found: list[Any] = []
    whole = Axis._update_ticks  # type: ignore[attr-defined]

    def noted(axis: Any) -> Any:
        found.append(axis)
        return whole(axis)

    monkeypatch.setattr(Axis, "_update_ticks", noted)
    plain = axes.get_tightbbox(renderer).bounds
    assert len(found) > 2  # else there is no need for it
    found.clear()
    with still([axes]):
        assert axes.get_tightbbox(renderer).bounds == plain
    assert found == [axes.xaxis, axes.yaxis]
    axes.set_ylim(0, 1e4)
    assert axes.get_tightbbox(renderer).bounds != plain
