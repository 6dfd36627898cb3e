"""Tests of the figure effective: relative positions of queries and keys with methods for longer contexts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import language_of, say, use_language
from pecli.measures.effective import DualChunk, Method, Plain, SelfExtend, SlidingWindow
from pecli.page.labels import labels_of
from pecli.page.titles import TitleLabel
from tests.conftest import Ask
from tests.drawing import numbers_of, page_of, panels_of, texts, told

CHUNKS = {"chunk_size": 262144, "local_size": 8192, "original_max_position_embeddings": 262144}
QWEN = {"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "max_position_embeddings": 1010000}
QWEN |= {"rope_theta": 1e7, "use_sliding_window": False, "dual_chunk_attention_config": CHUNKS}
METHODS = [
    Plain(),
    SlidingWindow(16),
    SelfExtend(16, 4),
    SelfExtend(7, 3),
    SelfExtend(5, 9),
    DualChunk(20, 31),
    DualChunk(20, 32),
    DualChunk(5, 13),
    DualChunk(1, 2),
]


@pytest.mark.some(4)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("length", [2, 19, 20, 21, 40, 41, 64])
def test_closed_forms_are_those_of_all_pairs(method: Method, length: int) -> None:
    p, q = np.indices((length, length))
    found = np.where(q <= p, method.distance(p, q), -1)
    assert method.largest(length) == found.max() and found.diagonal().tolist() == [0] * length
    for least in (1, 2, 5, 6, 7, 8, 15, 16, 17, 31, 32):
        assert method.farther(np.arange(length), least).tolist() == (found >= least).sum(axis=1).tolist(), least


def test_values_of_the_papers() -> None:
    at = np.array
    assert SelfExtend(16, 4).distance(at(20), at(4)) == 16
    dual = DualChunk(20, 31)
    assert dual.distance(at(20), at(19)) == 1 and dual.distance(at(63), at(39)) == 12
    p, q = np.indices((12, 12))  # An et al. 2024, figure 2: s = 6, w = 4, c = 10
    figure = np.where(q <= p, DualChunk(6, 9).distance(p, q), -1)
    assert figure[11].tolist() == [9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0] and figure.max() == 9


def test_by_default_plain_positions_alone_are_new(ask: Ask, folder: Path) -> None:
    (result,) = json.loads(ask("effective", "-o", "a.npz", "--json").out)["results"]
    facts = result["facts"]
    assert facts["trained"] == 32 and list(facts["largest"].values()) == [63, 27, 31, 15]
    assert facts["beyond"] == {"plain": 528, "self-extend": 0, "dual-chunk": 0, "sliding-window": 0}
    assert result["finding"]["key"] == "effective.only_plain"
    found = np.load(folder / "a.npz")["distance"]
    assert found.shape == (4, 64, 64) and np.nansum(found[0] >= 32) == 528 and np.nanmax(found[2]) == 31
    assert found[1, 20, 4] == 16 and found[2, 63, 39] == 12 and np.isnan(found[3, 40, 3]) and np.isnan(found[0, 3, 4])


def test_a_file_has_whole_numbers_and_blanks(ask: Ask, folder: Path) -> None:
    ask("effective", "--methods", "sliding-window", "--window", "2", "-n", "3", "-o", "a.csv")
    rows = ["sliding-window,0,0,,", "sliding-window,1,1,0,", "sliding-window,2,,1,0"]
    assert (folder / "a.csv").read_text().split() == ["method,query,0,1,2", *rows]


def test_the_code_stops_one_later_than_the_paper() -> None:
    found = numbers_of("effective", stops="code")
    assert found.largest == (63, 27, 32, 15) and found.beyond[2] == 44


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"trained": 64}, {"key": "effective.within", "trained": 64}),
        ({"methods": "plain"}, {"key": "effective.one_beyond", "share": "25%"}),
        ({"stops": "code"}, {"key": "effective.some_beyond"}),
        ({"methods": ["plain", "dual-chunk"], "stops": "code"}, {"key": "effective.all_beyond", "largest": 32}),
        ({"methods": ["self-extend", "sliding-window"]}, {"key": "effective.within"}),
        ({"group": 1}, {"key": "effective.some_beyond"}),
        ({"length": 1024, "trained": 64}, {"key": "effective.only_plain"}),
    ],
)
def test_the_headline_names_what_goes_beyond_training(options: dict[str, Any], said: dict[str, Any]) -> None:
    assert told(numbers_of("effective", ((50, 50),) * 4, **options).message(), said) == said


def test_the_config_of_qwen_says_its_chunks(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(QWEN))
    found = numbers_of("effective", ((60, 60),) * 2, encoding="config.json", length=1_010_000)
    assert found.methods == ("plain", "dual-chunk") and found.trained == 262_144
    assert found.largest == (1_009_999, 262_144) and found.beyond[1] == 1_481_712 and found.stops_late
    (folder / "config.json").write_text(json.dumps({**QWEN, "dual_chunk_attention_config": None}))
    assert len(numbers_of("effective", encoding="config.json").methods) == 4
    assert numbers_of("effective", encoding="rope:dual_chunks=20,32", stops="paper").largest == (63, 31)
    windowed = {"model_type": "mistral", "hidden_size": 64, "num_attention_heads": 4, "sliding_window": 12}
    (folder / "config.json").write_text(json.dumps({**windowed, "rope_theta": 1e4}))
    found = numbers_of("effective", encoding="config.json", trained=20)
    assert found.methods == ("plain", "sliding-window") and found.largest == (63, 11)


@pytest.mark.long
@pytest.mark.parametrize("length", [64, 1000, 4099])
def test_pixels_are_means_or_what_was_never_trained(length: int) -> None:
    found = numbers_of("effective", ((50, 60),) * 4, length=length)
    assert found.distance.shape[1] <= 50 and found.largest[0] == length - 1
    plain, rows = found.distance[0], found.positions
    offsets = rows[:, None] - rows
    inside = (offsets > found.block) & (offsets < found.trained - 2 * found.block)
    assert np.abs(plain - offsets)[inside].max(initial=0) <= max(0.5, found.block / 4)
    assert (plain[offsets >= found.trained + found.block] >= found.trained).all()


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide", "5x3"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_panel_says_its_largest_position(size: str, lang: str) -> None:
    drawing = page_of("effective", size=size, lang=lang, dpi=50)
    panels = [panel for panel in drawing.axes if panel.images and panel.get_label() != "<colorbar>"]
    with use_language(language_of(lang)):
        largest = [say("effective.largest", count=count) for count in (63, 27, 31, 15)]
        notes = [*texts(labels_of(panel, TitleLabel)[0] for panel in panels)]
        never = say("effective.never")
    assert len(panels) == 4 and all(notes)
    for panel, text in zip(panels, largest, strict=True):
        assert text in texts(panel.texts)
    assert size not in ("page", "slide") or never in texts(panels[0].texts)
    assert [bool(getattr(panel, "named", False)) for panel in panels] == [True, False, False, False]


@pytest.mark.long
def test_colours_end_at_what_was_trained() -> None:
    for panel in panels_of("effective", trained=20)[:4]:
        (image,) = panel.images
        assert image.get_clim() == (0.0, 19.0)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"start": 3}, "start"),
        ({"length": 1}, "length"),
        ({"encoding": "rope:grid=4x4"}, "encoding"),
        ({"encoding": "rope:dual_chunks=9"}, "dual_chunks"),
        ({"encoding": "rope:dual_chunks=9,8"}, "dual_chunks"),
        ({"vmax": 3.0}, "vmax"),
        ({"encoding": "xpos"}, "encoding"),
        ({"methods": "plain", "trained": 9, "window": 9}, "window"),
        ({"methods": "sliding-window", "group": 2}, "group"),
        ({"methods": "self-extend", "chunk": 9}, "chunk"),
        ({"methods": "self-extend", "local": 9}, "local"),
        ({"encoding": "rope:window=9", "stops": "code"}, "stops"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], option: str) -> None:
    with pytest.raises(UsageError) as error:
        pecli.figure("effective", **options).numbers  # noqa: B018
    assert error.value.option == option
