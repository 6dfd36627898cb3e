"""Layers: how many positions each layer of a model sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.core.errors import PecliError
from pecli.core.language import say
from tests.conftest import Ask
from tests.drawing import numbers_of, page_of, told

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
NOPE = "rope:label=a,scaling=proportional,partial_rotary_factor=0"
MIXED: dict[str, Any] = {"encoding": ["rope:label=a", NOPE, "alibi:label=b"]}
MIXED |= {"layers": ["sliding_attention:0-2+4:1024", "full_attention:3:8192", "all:0-1:2048"]}


@pytest.mark.long
def test_each_layer_has_its_reach_in_files_pictures_and_facts(ask: Ask, folder: Path) -> None:
    line = [word for spec in MIXED["encoding"] for word in ("-e", spec)]
    ended = ask("layers", *line, "--layers", ",".join(MIXED["layers"]), "-o", "a.csv", "-o", "a.png", "--json")
    (result,) = json.loads(ended.out)["results"]
    assert result["facts"]["layers"] == {"a": {"8192": 1, "1024": 4}, "b": {"2048": 2}}
    rows = (folder / "a.csv").read_text().split()
    assert rows[:6] == ["reach,layer,encoding", "1024,0,a", "1024,1,a", "1024,2,a", "8192,3,a", "1024,4,a"]
    assert rows[6:] == ["2048,0,b", "2048,1,b"]
    again = ask("layers", *ask("recipe", "a.png").out.split()[2:-1], "b.png", "--json")
    assert json.loads(again.out)["results"][0]["facts"] == result["facts"]


@pytest.mark.long
def test_bars_are_as_high_as_their_reach_and_layers_without_rope_have_another_colour() -> None:
    panels = page_of("layers", **MIXED).axes
    bars = [{round(bar.get_x() + 0.39): bar for bar in panel.patches} for panel in panels]
    heights = [[round(own[at].get_y() + own[at].get_height()) for at in sorted(own)] for own in bars]
    assert heights == [[1024, 1024, 1024, 8192, 1024], [2048, 2048]]
    assert len({bar.get_facecolor() for bar in bars[0].values()} | {bars[1][0].get_facecolor()}) == 3
    assert [bool(getattr(panel, "named", False)) for panel in panels] == [True, False]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (MIXED, {"key": "layers.only_one", "name": "a", "all": 5, "reach": 1024}),
        ({**MIXED, "layers": ["a:0-2:9", "b:3-4:80", "c:0:9"]}, {"key": "layers.only_some", "count": 2, "reach": 9}),
        ({}, {"key": "layers.all_alike", "all": 32, "reach": 4096}),
        ({"length": 64}, {"key": "layers.all_alike", "reach": 64}),
        ({"encoding": str(CONFIGS / "llama-2.json")}, {"key": "layers.all_alike", "name": "llama", "all": 4}),
        ({**MIXED, "layers": ["a:0-2:9", "b:3-4:0", "c:0:9"]}, {"key": "layers.some_unstated", "count": 3, "all": 5}),
    ],
)
def test_the_headline_says_how_many_see_farthest(options: dict[str, Any], said: dict[str, Any]) -> None:
    assert told(numbers_of("layers", **options).message(), said) == said


@pytest.mark.parametrize(
    ("name", "reach"),
    [
        ("llama-4-scout", [8192] * 3 + [10_485_760] + [8192] * 3 + [10_485_760]),
        ("gemma-3-1b", [512] * 5 + [32_768]),
        ("gemma-3", [1024] * 5 + [131_072] + [1024] * 5 + [131_072]),
        ("gpt-oss", [128, 131_072] * 2),  # of one kind, some with a window
        ("gpt-2", [1024] * 4),
        ("gpt-neo", [2048, 256] * 2),
        ("longformer", [513] * 2 + [65] * 2),  # both ways
        ("embedding-gemma", [513] * 5 + [2048]),
        ("mpt", [2048] * 4),
    ],
)
def test_a_config_gives_all_its_layers(name: str, reach: list[int]) -> None:
    found = numbers_of("layers", encoding=str(CONFIGS / f"{name}.json"))
    assert found.reach.tolist() == reach and found.layer.tolist() == [*range(len(reach))]


@pytest.mark.long
def test_models_of_one_type_have_panels_of_their_own() -> None:
    paths = [str(CONFIGS / f"{name}.json") for name in ("llama-2", "llama-3.1")]
    assert [*numbers_of("layers", encoding=paths).layers] == paths
    whisper = str(CONFIGS / "whisper.json")  # the bars of its encoder would hide those of its decoder
    stacks = numbers_of("layers", encoding=whisper)
    assert [*stacks.layers] == [f"whisper {kind}" for kind in ("encoder", "decoder")]
    assert [*stacks.layers.values()] == [{1500: 4}, {448: 4}]
    assert say("layers.no_rope") in page_of("layers", encoding=NOPE, layers=["a:0:9"]).axes[0].texts[0].get_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"layers": ["all:0-31"]}, "sliding_attention:0-4"),
        ({"layers": ["all:x:9"]}, "sliding_attention:0-4"),
        ({"layers": ["all:4-0:9"]}, "sliding_attention:0-4"),
        ({"layers": ["all:0:-9"]}, "sliding_attention:0-4"),
        ({"layers": ["all:0-99999999:9"]}, "sliding_attention:0-4"),
        ({"layers": ["all:0:9", "all:0:9"]}, "layers takes one entry for each encoding, 1 here, not 2"),
        ({"layers": ["all:0:9"], "length": 5}, "length=5 changes nothing here"),
        ({"start": 5}, "start=5 changes nothing here"),
        ({"encoding": [str(CONFIGS / "llama-2.json"), "rope"]}, "rope is an encoding"),
        ({"encoding": f"{CONFIGS / 'gemma-3-1b.json'}#full_attention"}, "gemma-3-1b.json"),
        ({"encoding": str(CONFIGS / "llama-2.json"), "layers": "full:0-1:8"}, "because the file has its own"),
        ({"encoding": str(CONFIGS / "bloom.json")}, "no file states how many layers"),
        ({"encoding": str(CONFIGS / "deberta-v3.json")}, "no position encoding that pecli can draw"),
        ({"encoding": str(CONFIGS / "trap-longrope-count.json")}, "has 47 numbers"),
        ({"encoding": "binary"}, "layers shows sinusoidal, learned, rope, alibi, t5, kerple, not binary"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(PecliError) as error:
        pecli.figure("layers", **options).numbers  # noqa: B018
    assert said in error.value.sentence()
