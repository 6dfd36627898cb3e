"""Tests of the figure unseen: the angles that do not occur in training."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import language_of, say, use_language
from pecli.encodings.harmonic import turns_of
from pecli.measures.unseen import NEW, SEEN, SLOWER, new_angles
from pecli.page.labels import LevelLabel, labels_of
from pecli.page.titles import TitleLabel
from tests.conftest import Ask
from tests.drawing import axes_of, numbers_of, page_of, panels_of, texts, told

NTK = "rope:scaling=dynamic,factor=1,max_position=4096,seq_len=16384,label=NTK-aware × 4"
LINEAR, YARN = "rope:scaling=linear,factor=4", "rope:scaling=yarn,factor=4,original=4096"
EACH = ["rope", NTK, LINEAR, YARN]


def test_angles_outside_the_arc_of_training_are_new() -> None:
    rates, now, length = np.array([1.0, 0.1, 0.02, 0.0]), (0.9, 0.05, 0.03, 0.0), 20
    positions = np.arange(200.0)
    angles = np.outer(positions, now) % (2 * np.pi)
    expected = (angles >= rates * length) & (rates * length < 2 * np.pi) & (rates > 0)
    turns = turns_of(now, 1.0)
    assert np.array_equal(new_angles(rates / (2 * np.pi), length, turns, positions), expected)
    same = turns_of(tuple(rates.tolist()), 1.0)
    assert not new_angles(same[0], length, same, np.arange(20.0)).any()  # what was trained is seen
    assert new_angles(same[0], length, same, np.array([20.0])).tolist() == [[False, True, True, False]]


@pytest.mark.long
@pytest.mark.parametrize("panels", [None, ((40, 60),) * 4])
def test_counts_are_of_all_positions_whatever_the_pixels(panels: Any) -> None:
    found = numbers_of("unseen", panels, encoding=EACH, trained=4096)
    assert found.new == (171_358, 44_207, 0, 0) and found.beyond == 786_432
    assert found.slowed == (0, 63, 64, 43) and found.trained == 4096
    said = {"key": "unseen.avoid", "name": "YaRN × 4", "count": 43, "all": 64, "other": "linear × 4"}
    assert found.headline_encodings == [3, 2] and told(found.message(), said) == said


def test_states_are_the_worst_of_their_positions() -> None:
    whole, seen = (
        numbers_of("unseen", panels, encoding=EACH[:2], trained=512, length=2048) for panels in (None, ((64, 9),))
    )
    assert whole.state.shape == (2, 2048, 64) and seen.block == 32
    assert np.array_equal(seen.state, whole.state.reshape(2, 64, 32, 64).max(axis=2))
    assert {*np.unique(whole.state)} == {SEEN, SLOWER, NEW} and (whole.state[0, 512:] == NEW).sum() == whole.new[0]


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("encoding", "trained", "said"),
    [
        ("rope", 4096, {"key": "unseen.angles_new", "share": "22%"}),
        (LINEAR, 4096, {"key": "unseen.none_new_slowed", "count": 64, "all": 64}),
        ("rope:d=4", 4096, {"key": "unseen.none_new"}),
        ([LINEAR, YARN], 4096, {"key": "unseen.none_new"}),
        ([NTK, LINEAR], 4096, {"key": "unseen.avoids_all", "name": "linear × 4", "all": 64}),
        ([NTK, "rope:d=128,scaling=yarn,factor=4,original=4096"], 4096, {"key": "unseen.avoids", "count": 43}),
        (["rope", NTK], 4096, {"key": "unseen.unscaled_new", "share": "22%"}),
        ([NTK, "rope:base=9000"], 4096, {"key": "unseen.with_new", "share": "21%"}),
        ("rope:max_position=131072", None, {"key": "unseen.all_within", "trained": 131_072}),
        ([YARN, "rope"], None, {"key": "unseen.avoids", "count": 43}),
    ],
)
def test_the_headline_names_the_most(encoding: Any, trained: int | None, said: dict[str, Any]) -> None:
    assert told(numbers_of("unseen", ((30, 60),), encoding=encoding, trained=trained).message(), said) == said


@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("options", "trained"),
    [
        ({}, 4096),
        ({"length": 400}, 100),
        ({"encoding": YARN.replace("4096", "1000")}, 1000),
        ({"trained": 7}, 7),
        ({"encoding": "rope:max_position=900"}, 900),
    ],
)
def test_where_nothing_says_the_trained_length_it_is_a_quarter(options: dict[str, Any], trained: int) -> None:
    assert numbers_of("unseen", ((20, 20),), **options).trained == trained


@pytest.mark.some(8)
@pytest.mark.parametrize("size", ["page", "column", "slide", "5x3"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_panel_a_scaling_carries_what_the_headline_counts(size: str, lang: str) -> None:
    drawing = page_of("unseen", encoding=EACH, trained=4096, size=size, lang=lang, dpi=50)
    panels = [panel for panel in drawing.axes if panel.images]
    assert len(panels) == 4
    shares, slowed = zip(*[texts(labels_of(panel, TitleLabel)) for panel in panels], strict=True)
    with use_language(language_of(lang)):
        short = "" if lang == "zh" and size in ("page", "slide") else "_short"
        assert [*shares] == [say(f"unseen.share_new{short}", value=share) for share in ("22%", "6%", "0%", "0%")]
        assert size == "5x3" or [*slowed] == [say(f"unseen.slowed{short}", value=count) for count in (0, 63, 64, 43)]
    for panel in panels:
        (line,) = panel.lines
        assert set(line.get_ydata()) == {4095.5} and panel.get_ylim() == (16383.5, -0.5)
    assert len(labels_of(panels[0], LevelLabel)) == 1
    assert [bool(getattr(panel, "named", False)) for panel in panels] == [False, False, True, True]


def test_one_panel_has_no_title_and_the_key_names_what_there_is() -> None:
    panel = axes_of("unseen", encoding="rope:d=16,scaling=linear,factor=4", length=400)
    assert panel.get_title() == "" and not labels_of(panel, TitleLabel)
    assert [text.get_text() for text in panel.get_legend().get_texts()] == [
        say(key) for key in ("unseen.new", "unseen.slower", "unseen.as_trained")
    ]
    assert len(axes_of("unseen", encoding="rope:d=16", length=400).get_legend().get_texts()) == 2
    assert len([own for own in panels_of("unseen", encoding=EACH, trained=100, length=400) if own.images]) == 4


@pytest.mark.long
def test_a_file_and_json(ask: Ask, folder: Any) -> None:
    config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0}
    (folder / "config.json").write_text(json.dumps(config))
    (result,) = json.loads(ask("unseen", "config.json", LINEAR, "--trained", "4096", "-o", "a.csv", "--json").out)[
        "results"
    ]
    assert [*result["facts"]["new"].values()] == [171_358, 0] and (folder / "a.csv").exists()


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"encoding": ["rope:d=8", "rope:d=6"]}, "encoding"),
        ({"encoding": "rope:d=8", "trained": 4096, "length": 4096}, "length"),
        ({"encoding": "rope:d=8", "start": -9}, "length"),
        ({"encoding": "rope:d=8,grid=4x4"}, "encoding"),
        ({"encoding": "binary"}, None),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], option: str | None) -> None:
    with pytest.raises(UsageError) as error:
        pecli.figure("unseen", **options).numbers  # noqa: B018
    assert option is None or error.value.option == option
