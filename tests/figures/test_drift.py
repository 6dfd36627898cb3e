"""Tests of the figure drift: the angle between vectors rotated with other rates and with the first encoding's."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.encodings.rope import Rope
from pecli.measures.drift import drift
from pecli.page.labels import LevelLabel, PointLabel, labels_of
from tests.conftest import Ask
from tests.drawing import axes_of, line_labels, numbers_of, page_of, texts, told

SCALING = "scaling=llama3,factor=8,original=8192,low_freq_factor=1,high_freq_factor=4"
LLAMA = f"rope:base=500000,{SCALING}"
PLAIN, OTHER_BASE, LINEAR = "rope:base=500000", f"rope:{SCALING}", "rope:base=500000,scaling=linear,factor=8"
EACH = [LLAMA, PLAIN, OTHER_BASE, LINEAR]


def test_the_mean_cosine_is_that_of_a_vector_turned_by_both() -> None:
    one, other = Rope(d=10, base=50.0, query="random:1"), Rope(d=10, base=70.0, query="random:1")
    positions = np.array([0.0, 1.0, 7.0, 300.0])
    found = drift(one.frequencies(), other.frequencies(), positions)
    turned, again = (e.split(Rope(d=10, base=e.base).table(positions)) for e in (one, other))
    assert found == pytest.approx(sum((a * b).mean(axis=1) for a, b in zip(turned, again, strict=True)), abs=1e-12)
    assert found[0] == 1 and drift(np.ones(3), np.ones(3), positions).tolist() == [1] * 4


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("other", "threshold", "first", "names"),
    [
        (PLAIN, 0.5, 60_725, (say("spectrum.unscaled"), "llama3 × 8")),
        (PLAIN, 0.9, 1_724, (say("spectrum.unscaled"), "llama3 × 8")),
        (OTHER_BASE, 0.5, 27, ("base = 10,000", "base = 500,000")),
        (LINEAR, 0.5, 190, ("linear × 8", "llama3 × 8")),
        (f"{LLAMA},dtype=bfloat16", 0.9, 1_580, (say("drift.rounding", dtype="bfloat16"), "float64")),
    ],
)
@pytest.mark.parametrize("panels", [None, ((40, 60),)])
def test_the_first_position_below_is_exact_whatever_the_pixels(
    other: str, threshold: float, first: int, names: tuple[str, str], panels: Any
) -> None:
    found = numbers_of("drift", panels, encoding=[LLAMA, other], threshold=threshold)
    assert found.first_below == (None, first)
    key = "drift.halves" if threshold == 0.5 else "drift.falls"
    said = {"key": key, "position": f"{first:,}", "other": names[0], "against": names[1]}
    assert told(found.message(), said) == said


def test_pixels_hold_the_mean_least_and_most_of_their_positions() -> None:
    whole = numbers_of("drift", encoding=[LLAMA, PLAIN], length=8192)
    assert whole.positions[[0, -1]].tolist() == [1, 8191]
    assert whole.agreement[0, -1] == pytest.approx(0.768971, abs=5e-7)
    seen = numbers_of("drift", ((40, 60),), encoding=[LLAMA, PLAIN], length=8192)
    assert len(seen.positions) <= 10 and seen.block > 1 and seen.lowest == whole.lowest
    last = whole.agreement[0, -seen.block :]
    assert [own[0, -1] for own in (seen.low, seen.agreement, seen.high)] == pytest.approx(
        [last.min(), last.mean(), last.max()]
    )
    positions = seen.view.encoding.counted(seen.block)
    assert say("drift.each_pixel_lowest_to_highest", positions=positions) in seen.caption()


def test_the_headline_names_the_first_and_the_last() -> None:
    found = numbers_of("drift", ((40, 60),), encoding=EACH)
    first = say("drift.at_of", position="27", name="base = 10,000")
    last = say("drift.at_of", position="60,725", name=say("spectrum.unscaled"))
    assert told(found.message(), {"key": "drift.halve"}) == {"key": "drift.halve"}
    assert found.message() == say("drift.halve", level=0.5, first=first, last=last)
    some = numbers_of("drift", encoding=EACH, length=1000).message()
    assert told(some, {"key": "drift.halves_or_never"})["key"] == "drift.halves_or_never"
    none = numbers_of("drift", encoding=[LLAMA, PLAIN], length=100).message()
    assert told(none, {"key": "drift.stays", "last": "99"}) == {"key": "drift.stays", "last": "99"}
    near = numbers_of("drift", encoding=[PLAIN, "rope:base=499999"], length=1000).message()
    assert told(near, {"low": "0.999"}) == {"key": "drift.stays", "low": "0.999"}
    assert told(numbers_of("drift", encoding=[PLAIN, PLAIN], length=9).message(), {})["key"] == "drift.same"


@pytest.mark.parametrize(
    ("encoding", "specs"),
    [
        (PLAIN, [PLAIN, f"{PLAIN},dtype=bfloat16"]),
        (LINEAR, [LINEAR, PLAIN, f"{LINEAR},dtype=bfloat16"]),
        ("sinusoidal:d=6,dtype=bfloat16", ["sinusoidal:d=6,dtype=bfloat16", "sinusoidal:d=6"]),
    ],
)
def test_one_alone_is_compared_with_itself_unscaled_and_rounded(encoding: str, specs: list[str]) -> None:
    view = numbers_of("drift", encoding=encoding, length=50).view
    assert [set(own.spec().replace(":", ",").split(",")) for own in view.encodings] == [
        set(spec.replace(":", ",").split(",")) for spec in specs
    ]


def test_rates_are_as_the_type_rounds_them() -> None:
    found = numbers_of("drift", encoding=["rope:d=4,base=50", "rope:d=4,base=50,dtype=bfloat16"], length=2000)
    rounded = Rope(d=4, base=50, dtype="bfloat16")
    apart = rounded.rounded(rounded.frequencies()) - rounded.frequencies()
    assert found.agreement[0] == pytest.approx(np.cos(np.outer(found.positions, apart)).mean(axis=1), abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide", "5x3"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_dots_and_names_stand_at_the_first_positions(size: str, lang: str) -> None:
    panel = page_of("drift", encoding=EACH, size=size, lang=lang, dpi=50).axes[0]
    assert {"27", "190", "60,725"} == {*texts(labels_of(panel, PointLabel))}
    dots = [line.get_xydata().tolist() for line in panel.lines if line.get_marker() == "o"]
    assert dots == [[[60_725, 0.5]], [[27, 0.5]], [[190, 0.5]]]
    assert [label.xy[0] for label in labels_of(panel, LevelLabel)] == [0] and panel.get_xscale() == "log"
    assert panel.get_xticks()[[0, -1]].tolist() == [1, 131_071]


def test_lines_are_named_by_what_tells_them_from_the_first() -> None:
    named = [say("spectrum.unscaled"), "base = 10,000", "linear × 8"]
    assert line_labels(axes_of("drift", encoding=EACH, length=99)) == named
    assert line_labels(axes_of("drift", encoding=[PLAIN, LINEAR, OTHER_BASE], length=99))[0] == "linear × 8"


@pytest.mark.long
def test_a_config_and_json(ask: Ask, folder: Any) -> None:
    rope = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0}
    config |= {"max_position_embeddings": 131072}
    config["rope_scaling"] = rope | {"original_max_position_embeddings": 8192}
    (folder / "config.json").write_text(json.dumps(config))
    words = ["drift", "config.json", PLAIN, "-n", "70000", "-o", "a.csv", "--json"]
    (result,) = json.loads(ask(*words).out)["results"]
    assert 60_725 in result["facts"]["first_below"].values() and (folder / "a.csv").exists()


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"encoding": ["rope:d=8", "rope:d=6"]}, "encoding"),
        ({"encoding": ["rope:d=8", "rope:d=8"], "start": -5}, "length"),
        ({"encoding": ["rope:d=8", "rope:d=8"], "length": 2}, "length"),
        ({"encoding": ["rope:d=8,grid=4x4", "rope:d=8"]}, "encoding"),
        ({"threshold": 2.0}, "threshold"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], option: str) -> None:
    with pytest.raises(UsageError) as error:
        pecli.figure("drift", **options).numbers  # noqa: B018
    assert error.value.option == option
