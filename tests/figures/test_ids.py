"""Tests of the figure ids: frame, row and column of each token of text, images and videos."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.page.labels import BracketLabel, PointLabel, RowLabel, labels_of
from tests.conftest import Ask
from tests.drawing import axes_of, numbers_of, page_of, texts, told

SEQUENCE = "6, 1x4x6, 5, 3x3x4, 6"


def test_ids_are_those_of_qwen2_vl(ask: Ask, folder: Path) -> None:
    (result,) = json.loads(ask("ids", "--sequence", SEQUENCE, "-o", "a.csv", "--json").out)["results"]
    facts = result["facts"]
    assert facts["length"] == 77 and facts["largest"] == 26 and result["headline"]
    rows = (folder / "a.csv").read_text().splitlines()
    assert rows[0] == "token,t,h,w" and len(rows) == 78
    assert rows[1 + 29] == "29,6,9,11" and rows[1 + 30] == "30,12,12,12" and rows[1 + 70] == "70,19,19,20"


def test_without_a_sequence_there_is_an_example() -> None:
    assert np.array_equal(numbers_of("ids").ids, numbers_of("ids", sequence=SEQUENCE).ids)
    assert len(numbers_of("ids", sequence="2, 3x4").ids) == 14


@pytest.mark.parametrize(
    ("sequence", "said"),
    [
        (SEQUENCE, {"key": "ids.moves", "count": 6, "all": 24, "what": "the image"}),
        ("3, 4x6, 2, 5x5, 1", {"key": "ids.moves", "count": 6, "all": 24, "what": "the first image"}),
        ("3, 2x4x6, 2", {"key": "ids.moves", "count": 6, "all": 48, "what": "the video"}),
        ("3, 2x4x6, 2x2x2", {"key": "ids.moves", "count": 6, "all": 48, "what": "the first video"}),
        ("3, 1x4, 2", {"key": "ids.as_many", "count": 4}),
        ("7", {"key": "ids.words_alone"}),
    ],
)
def test_the_headline_names_what_an_image_takes(sequence: str, said: dict[str, Any]) -> None:
    assert told(numbers_of("ids", sequence=sequence).message(), said) == said


def test_a_config_has_sections(folder: Path) -> None:
    rope = {"type": "mrope", "mrope_section": [16, 24, 24]}
    config = {"model_type": "qwen2_vl", "hidden_size": 1536, "num_attention_heads": 12, "rope_scaling": rope}
    (folder / "config.json").write_text(json.dumps(config))
    assert len(numbers_of("ids", encoding="config.json", sequence="2, 3x4").ids) == 14


@pytest.mark.some(9)
@pytest.mark.parametrize("size", ["page", "column", "slide", "5x3"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_parts_and_lines_have_names(size: str, lang: str) -> None:
    drawing = page_of("ids", sequence=SEQUENCE, size=size, lang=lang, dpi=50)
    (panel,) = drawing.axes
    shown = [text for text in texts(labels_of(panel, BracketLabel)) if text]
    assert sum(text[0] in "thw" and text[1:2] in ("", " ") for text in shown) >= 4  # t twice, h and w
    assert sum("4" in text and "6" in text for text in shown) >= 1
    (point,) = labels_of(panel, PointLabel)
    assert point.get_text().startswith("6 ")


@pytest.mark.long
def test_lines_are_the_ids_as_steps() -> None:
    panel = axes_of("ids", sequence="2, 2x3, 1")
    steps = [patch.get_data() for patch in panel.patches if hasattr(patch, "get_data")]
    values = [step.values.tolist() for step in steps]
    assert values == [[0, 1], [2, 3, 4, 2, 3, 4], [2, 2, 2, 3, 3, 3], [2] * 6, [5]]
    assert steps[1].edges.tolist() == [at - 0.5 for at in range(2, 9)]


def test_without_room_beside_an_image_its_positions_stand_beside_the_panel() -> None:
    panel = axes_of("ids", sequence="2, 3x4")
    assert texts(labels_of(panel, RowLabel)) == [say("ids.positions", count=4)] and not labels_of(panel, PointLabel)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"length": 9}, "length"),
        ({"start": 3}, "start"),
        ({"sequence": "a"}, "sequence"),
        ({"encoding": "sinusoidal"}, None),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], option: str | None) -> None:
    with pytest.raises(UsageError) as error:
        pecli.figure("ids", **options).numbers  # noqa: B018
    assert option is None or error.value.option == option
