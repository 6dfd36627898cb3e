"""Tests that a limit holds exactly: what is at it is allowed, and what is one further is refused."""

from __future__ import annotations

from typing import Any

import pytest

from pecli.core.errors import PecliError
from pecli.jobs import job as job_module
from pecli.jobs.sweep import jobs_of

Given = dict[str, Any]
ROPE = "rope:d=8,scaling"
LIMITS: list[Any] = [  # a figure, its options, more at a limit, and the same beyond it
    ("heatmap", {}, {"size": "0.5x1"}, {"size": "0.49x1"}),
    ("heatmap", {}, {"size": "100x1"}, {"size": "101x1"}),
    ("heatmap", {"size": "100x1"}, {"dpi": 655}, {"dpi": 656}),
    ("heatmap", {"vmax": 1}, {"vmin": 0.9}, {"vmin": 1}),
    ("heatmap", {"log": True}, {"length": 3}, {"length": 2}),
    ("heatmap", {"log": True}, {"start": 0}, {"start": -1}),
    ("heatmap", {"log": True, "start": 5}, {"length": 2}, {"length": 1}),
    ("heatmap", {"d": 8}, {"dims": "0,7"}, {"dims": "0,8"}),
    ("heatmap", {}, {"columns": 1}, {"columns": 2}),
    ("heatmap", {"base": [10, 100], "output": "a.png"}, {"columns": 2}, {"columns": 3}),
    ("heatmap", {"encoding": "binary:d=3"}, {"length": 8}, {"length": 9}),
    ("heatmap", {"encoding": "binary:d=3", "length": 3}, {"start": 5}, {"start": 6}),
    ("heatmap", {"encoding": "learned:rows=5"}, {"length": 5}, {"length": 6}),
    ("heatmap", {"encoding": "sincos2d:d=4"}, {"grid": "1000x1000"}, {"grid": "1000x1001"}),
    ("heatmap", {}, {"encoding": "clock:periods=60"}, {"encoding": "clock:periods=0"}),
    ("heatmap", {}, {"encoding": "rope:d=8,rotary_dim=8"}, {"encoding": "rope:d=8,rotary_dim=10"}),
    ("heatmap", {}, {"encoding": "rope:d=8,sections=1,1,2"}, {"encoding": "rope:d=8,sections=1,1,1"}),
    ("heatmap", {}, {"encoding": f"{ROPE}=linear,factor=0.1"}, {"encoding": f"{ROPE}=linear,factor=0"}),
    ("heatmap", {}, *({"encoding": f"{ROPE}=yarn,factor={factor},original=16"} for factor in (0.1, 0))),
    ("heatmap", {}, *({"encoding": f"{ROPE}=llama3,factor=2,original=16,low_freq_factor={low},high_freq_factor=4"}
                      for low in (4, 5))),
    ("heatmap", {}, *({"encoding": f"{ROPE}=divisors,divisors=1,1,1{more}"} for more in (",1", ""))),
    ("heatmap", {}, {"encoding": "rope:d=4,scaling=ntk,factor=2"}, {"encoding": "rope:d=2,scaling=ntk,factor=2"}),
    ("curves", {"length": 9}, {"at": "0,8"}, {"at": "0,9"}),
    ("curves", {"start": 3, "length": 2}, {"at": "3"}, {"at": "2"}),
    ("curves", {"at": 3}, {"length": 10**10}, {"length": 10**10 + 1}),
    ("waves", {"d": 8}, {"dims": "7"}, {"dims": "8"}),
    ("bias", {"encoding": "alibi:heads=4"}, {"head": 3}, {"head": 4}),
    ("attention", {"encoding": "alibi"}, {"head": 7}, {"head": 8}),
    ("attention", {"tokens": "a b"}, {"reorder": "swap:0,1"}, {"reorder": "swap:0,2"}),
    ("attention", {}, {"length": 3}, {"length": 4}),
    ("path", {"d": 4}, {"length": 2}, {"length": 1}),
    ("path", {"length": 9, "components": 3}, {"d": 3}, {"d": 2}),
    ("path", {"d": 8, "components": 3}, {"length": 3}, {"length": 2}),
    ("contributions", {"length": 9}, {"at": 8}, {"at": 9}),
    ("tiles", {"grid": "3x4"}, {"at": "2x3"}, {"at": "3x3"}),
    ("tiles", {"grid": "3x4"}, {"at": "11"}, {"at": "12"}),
    ("maps", {"grid": "3x4", "encoding": "sincos2d:d=8"}, {"dims": "7"}, {"dims": "8"}),
    ("unseen", {"length": 6}, {"trained": 5}, {"trained": 6}),
    ("offsets", {"log": True}, {"length": 2}, {"length": 1}),
    ("offsets", {"encoding": "rope"}, {"random": 2}, {"random": 1}),
    *((figure, {}, {"length": 2}, {"length": 1}) for figure in ("scatter", "effective")),
    *((figure, {}, {"length": 3}, {"length": 2}) for figure in ("drift", "temperature", "contributions")),
    ("bases", {"encoding": "rope:base=500"}, {"length": 3}, {"length": 2}),
    ("fourier", {}, {"length": 4}, {"length": 3}),
    ("compare", {"difference": True}, *({"encoding": ["sinusoidal", "rope", *more]} for more in ([], ["clock"]))),
    ("ids", {}, {"sequence": "1, 1x2x2"}, {"sequence": "0, 1x2x2"}),
    ("explain", {"d": 4, "length": 3}, {"entry": "2,3"}, {"entry": "2,4"}),
    ("explain", {"d": 4, "length": 3}, {"entry": "2,3"}, {"entry": "3,3"}),
    ("explain", {}, {"tokens": "a"}, {"tokens": " "}),
]  # fmt: skip


def check(figure: str, options: Given) -> None:
    for job in jobs_of(figure, options):
        job.check()


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("figure", "options", "at", "beyond"), LIMITS, ids=[f"{name} {at}" for name, _, at, _ in LIMITS]
)
def test_a_limit_holds_exactly(figure: str, options: Given, at: Given, beyond: Given) -> None:
    check(figure, options | at)
    with pytest.raises(PecliError):
        check(figure, options | beyond)


@pytest.mark.parametrize(("limit", "output"), [("MAX_FRAMES", "a.gif"), ("MAX_CELLS", "a.png")])
def test_a_file_holds_so_many_pictures(limit: str, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, limit, 3)
    check("heatmap", {"base": [10, 20, 30], "d": 4, "output": output})
    with pytest.raises(PecliError, match=r"\b4\b.*\b3\b"):
        check("heatmap", {"base": [10, 20, 30, 40], "d": 4, "output": output})
