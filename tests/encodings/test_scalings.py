"""Tests of every scaling: comparison with transformers, and identities between scalings."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.encodings.rope import Rope
from pecli.encodings.rope_scaling import SCALINGS
from pecli.encodings.spec import read_encoding
from pecli.models.reader import read_model

DATA = Path(__file__).parents[1] / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "rope_inv_freq.json").read_text(encoding="utf-8"))["cases"]
EXAMPLES = {
    "default": "",
    "linear": ",factor=4",
    "ntk": ",factor=4,original=64",
    "dynamic": ",factor=4,max_position=64,seq_len=256",
    "yarn": ",factor=4,original=64",
    "divisors": ",divisors=1,1,2,8,attention_factor=1.5",
    "longrope": ",original=64,short_factor=1,1,1,2,long_factor=2,3,4,5,factor=4,seq_len=65",
    "llama3": ",factor=4,original=64,low_freq_factor=1,high_freq_factor=4",
    "proportional": ",partial_rotary_factor=0.5,factor=2",
}


def rope(text: str, d: int = 8) -> Rope:
    made = read_encoding(f"rope:d={d},{text}")
    assert isinstance(made, Rope)
    return made


@pytest.mark.parametrize("spelling", ["config_v4", "config_v5"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['name']}-{case['seq_len']}-{case.get('layer_type')}")
def test_rates_and_factor_are_those_of_transformers(case: dict[str, Any], spelling: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    neox = case["name"].startswith("gpt-neox")  # llama reads no partial_rotary_factor
    named = {"model_type": "gemma3_text" if "layer_type" in case else "gpt_neox" if neox else "llama"}
    file.write_text(json.dumps({**named, **case[spelling]}), encoding="utf-8")
    layer = read_model(file, case["seq_len"]).layers[case.get("layer_type", "all")]
    assert layer.parameters is not None
    made = Rope.make(layer.parameters)
    np.testing.assert_allclose(made.frequencies(), case["inv_freq"], rtol=1e-6)
    assert made.attention_scaling == case["attention_factor"]
    assert (made.d, made.width) == (case["head_dim"], case["rotary_dim"])


@pytest.mark.parametrize("name", SCALINGS)
def test_every_scaling_reads_back_from_its_text_and_closed_forms_hold(name: str) -> None:
    made = rope(f"scaling={name}{EXAMPLES[name]}")
    assert read_encoding(made.spec()) == made and len(made.title()) < 200
    table = made.table(np.arange(30.0))
    sums = np.cos(made.angles(np.arange(30.0))) @ made.amplitudes**2
    np.testing.assert_allclose(table @ table[0], sums, atol=1e-12)
    squares = ((table - table[0]) ** 2).sum(axis=1)
    np.testing.assert_allclose(made.squares(30), squares, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("scaling=yarn,factor=2,original=64,base=1", "base=1 is not allowed"),
        ("scaling=dynamic,factor=2,max_position=64,rotary_dim=2", "4 or more rotary dimensions"),
        (
            "scaling=longrope,original=64,short_factor=1,1,long_factor=1,1,1,1",
            "short_factor needs one number for each",
        ),
        ("scaling=llama3,factor=4,original=64,low_freq_factor=4,high_freq_factor=1", "swap the two"),
        ("rotary_dim=10", "rotary_dim 10 is more than"),
        ("rotary_dim=3", "rotary_dim=3 is odd: it takes an even rotary_dim"),
        ("scaling=ynar", "did you mean 'yarn'"),
        ("factor=4", "factor belongs to scaling=linear, ntk, dynamic, yarn"),
        ("scaling=linear,factor=4,beta_fast=16", "beta_fast belongs to scaling=yarn, but scaling is linear"),
        *[
            (f"scaling={name}", f"scaling={name} needs {scaling.needs[0]}=")
            for name, scaling in SCALINGS.items()
            if scaling.needs
        ],
    ],
)
def test_what_cannot_be_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        rope(text)
    assert refused.value.option in (None, *Rope.options())


def test_longrope_changes_at_one_token_beyond_the_original() -> None:
    text = "scaling=longrope,original=64,short_factor=1,1,1,1,long_factor=2,2,2,2,factor=4"
    plain = rope("base=10000").frequencies()
    for used, expected in (("", plain), (",seq_len=64", plain), (",seq_len=65", plain / 2)):
        np.testing.assert_allclose(rope(text + used).frequencies(), expected, rtol=1e-15)
        assert rope(text + used).attention_scaling == math.sqrt(1 + math.log(4) / math.log(64))


def test_pairs_of_a_proportional_rope_stand_still() -> None:
    made = rope("scaling=proportional,partial_rotary_factor=0.5,base=100")
    np.testing.assert_allclose(made.frequencies(), [1, 100**-0.25, 0, 0], rtol=1e-15)
    faster = rope("scaling=proportional,partial_rotary_factor=0.5,base=100,factor=0.5")
    np.testing.assert_allclose(faster.frequencies(), 2 * made.frequencies(), rtol=1e-15)


def test_the_attention_factor_is_in_the_table_and_its_square_in_the_scores() -> None:
    plain, made = rope("base=10000"), rope("scaling=yarn,factor=4,original=1000000000")
    factor = 0.1 * math.log(4) + 1
    assert made.attention_scaling == factor
    np.testing.assert_allclose(made.table(np.arange(5.0)), factor * plain.table(np.arange(5.0)), rtol=1e-12)
    np.testing.assert_allclose(made.squares(5), factor**2 * plain.squares(5), rtol=1e-9)


@pytest.mark.parametrize("pairing", ["half", "interleaved"])
def test_partly_rotary_vectors_keep_the_rest(pairing: str) -> None:
    made, inner = rope(f"pairing={pairing},rotary_dim=4"), rope(f"pairing={pairing}", 4)
    x = np.random.default_rng(0).standard_normal((3, 5, 8))
    turned = made.rotate(x, np.arange(5.0))
    np.testing.assert_array_equal(turned[..., 4:], x[..., 4:])
    np.testing.assert_allclose(turned[..., :4], inner.rotate(x[..., :4], np.arange(5.0)), atol=1e-15)
    np.testing.assert_allclose(made.rotate(x[..., :4], np.arange(5.0)), turned[..., :4], atol=1e-15)
    assert made.table(np.arange(5.0)).shape == (5, 4)


@pytest.mark.parametrize("low", [1, 2])
@pytest.mark.parametrize("high", [4, 8])
def test_llama3s_ramp_runs_from_the_last_pair_kept_to_the_first_divided(low: int, high: int) -> None:
    made = rope(f"scaling=llama3,factor=4,original=2048,low_freq_factor={low},high_freq_factor={high}", 128)
    parts = made.parts()
    assert parts["between"] > 0
    assert made.ramp() == (parts["kept"] - 1, 64 - parts["divided"])


@pytest.mark.parametrize("truncate", ["true", "false"])
def test_a_yarn_ramp_without_width_is_a_step(truncate: str) -> None:
    made = rope(f"scaling=yarn,factor=4,original=2048,beta_fast=8,beta_slow=8,truncate={truncate}", 128)
    low, high = made.ramp() or (0.0, 0.0)
    assert (high - low) == (1 if truncate == "true" else 0)
    pairs = np.arange(64)
    expected = np.where(pairs <= low, 1, 4)
    np.testing.assert_allclose(rope("base=10000", 128).frequencies() / made.frequencies(), expected, rtol=1e-14)


@pytest.mark.parametrize(
    "text",
    [
        "scaling=yarn,factor=1,original=32",
        "scaling=llama3,factor=1,original=32,low_freq_factor=1,high_freq_factor=4",
        "scaling=linear,factor=1",
        "scaling=dynamic,factor=4,max_position=64,seq_len=64",
    ],
)
def test_a_scaling_by_1_is_rope(text: str) -> None:
    made, plain = rope(text, 64), rope("base=10000", 64)
    np.testing.assert_allclose(made.table(np.arange(9.0)), plain.table(np.arange(9.0)), rtol=1e-14)
    assert made.attention_scaling == 1


@pytest.mark.parametrize(
    ("text", "d", "ramp"),
    [
        ("base=1000000,scaling=yarn,factor=4,original=32768", 128, (23, 40)),  # Qwen
        ("base=150000,scaling=yarn,factor=32,original=4096,truncate=false", 64, (8.093, 17.398)),
        ("scaling=llama3,factor=4,original=2048,low_freq_factor=4,high_freq_factor=4", 128, None),
    ],
)
def test_a_ramp_runs_between_pairs_where_any_lie_between(text: str, d: int, ramp: tuple[float, float] | None) -> None:
    made = rope(text, d)
    assert made.ramp() == (None if ramp is None else pytest.approx(ramp, abs=5e-4))
    assert (made.parts()["between"] > 0) == (ramp is not None)


def test_a_factor_below_1_makes_waves_shorter_as_in_transformers() -> None:
    plain = rope("scaling=default").frequencies()
    assert np.allclose(rope("scaling=linear,factor=0.25").frequencies(), plain * 4, rtol=1e-12)
    yarn = rope("scaling=yarn,factor=0.5,original=64")
    assert yarn.attention_scaling == 1 and yarn.frequencies()[-1] == pytest.approx(plain[-1] * 2)


def test_ntk_has_the_rates_of_a_larger_base() -> None:
    made, plain = (rope(f"scaling={own}", d=128) for own in ("ntk,factor=8", "default"))
    assert made.scaled_base == pytest.approx(82_685, abs=0.5)
    np.testing.assert_allclose(made.frequencies(), rope(f"base={made.scaled_base!r}", d=128).frequencies(), rtol=1e-14)
    longest = made.wavelengths()[-1] / plain.wavelengths()[-1]
    assert longest == pytest.approx(8, rel=1e-12)  # and the shortest stays
    with pytest.raises(UsageError, match="4 or more rotary dimensions"):
        rope("scaling=ntk,factor=8", d=2)
