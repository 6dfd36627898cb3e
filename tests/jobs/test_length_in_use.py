"""Tests of formulas that depend on the current sequence length, in every figure and report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array
from pecli.encodings.rope import Rope
from pecli.jobs.job_options import ANALYSES
from tests.conftest import Ask

LONGROPE = "rope:d=8,scaling=longrope,original=64,factor=4,short_factor=1,1,1,1,long_factor=2,3,4,5"
DYNAMIC = "rope:d=8,scaling=dynamic,max_position=64,factor=2"
# their positions come from a grid, tokens or a sequence, or their numbers do not depend on the rates of a length
NO_LENGTH = ("tiles", "maps", "attention", "ids", "effective", "temperature", "bases", "layers")
FIGURES = [name for name, kind in ANALYSES.items() if kind.takes(Rope) and name not in NO_LENGTH]


def arrays(name: str, spec: Any, **options: Any) -> dict[str, Array]:
    return dict(pecli.figure(name, encoding=spec, **options).numbers.arrays())


def equal(one: dict[str, Array], other: dict[str, Array]) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f") for name in one
    )


@pytest.mark.some(42)
@pytest.mark.parametrize("spec", [LONGROPE, DYNAMIC], ids=["longrope", "dynamic"])
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_the_rates_of_its_length(name: str, spec: str) -> None:
    short, long = arrays(name, spec, length=64), arrays(name, spec, length=100)
    assert equal(long, arrays(name, spec, length=100, seq_len=100))
    assert not equal(long, arrays(name, spec, length=100, seq_len=64))
    assert equal(short, arrays(name, spec, length=64, seq_len=1))
    assert not equal(short, arrays(name, spec, length=64, seq_len=65))


@pytest.mark.parametrize(
    ("options", "used"),
    [
        ({"length": 64}, 64),
        ({"length": 20, "start": 45}, 65),
        ({"length": 20, "start": -30}, 1),
        ({"length": 64, "seq_len": 100}, 100),
        ({"length": 100, "seq_len": 9}, 9),
    ],
)
def test_the_length_in_use_is_given_or_ends_with_the_positions(options: dict[str, int], used: int) -> None:
    divisors: Any
    for spec, divisors in ((LONGROPE, (1, 1, 1, 1) if used <= 64 else (2, 3, 4, 5)), (DYNAMIC, None)):
        encoding = pecli.figure("heatmap", encoding=spec, **options).job.view.encoding
        plain = encoding.unscaled()
        if divisors is None:
            divisors = (2 * max(used, 64) / 64 - 1) ** (
                np.arange(4) / 3
            )  # base'^(−2j/d), the base · growth^(d/(d − 2))
        np.testing.assert_allclose(encoding.frequencies(), plain.frequencies() / divisors, rtol=1e-15)
        position = np.arange(1.0) + options.get("start", 0) + options["length"] - 1
        table = pecli.encode(spec, **options)
        assert encoding.seq_len == used and np.array_equal(table[-1:], encoding.table(position))


@pytest.mark.some(2)
@pytest.mark.parametrize("spec", [LONGROPE, DYNAMIC])
@pytest.mark.parametrize(
    ("figure", "options", "used"),
    [
        ("dials", {"at": 63}, 64),
        ("dials", {"at": [5, 64]}, 65),
        ("dials", {"at": 5}, 6),
        ("dials", {"at": 5, "length": 65}, 65),
        ("dials", {"at": 100, "length": 65}, 101),
        ("dials", {"at": 100, "seq_len": 9}, 9),
        ("dials", {"at": -5}, 1),
        ("rotation", {"matrix": 64}, 65),
        ("rotation", {"matrix": 5, "length": 65}, 65),
    ],
)
def test_a_position_by_itself_ends_the_length_in_use(
    figure: str, options: dict[str, Any], used: int, spec: str
) -> None:
    made = pecli.figure(figure, encoding=spec, **options)
    expected = pecli.encode(spec, seq_len=used, start=63, length=1)
    np.testing.assert_array_equal(made.job.view.encoding.table(np.array([63.0])), expected)
    assert str(used) in made.title()
    others = {name: value for name, value in options.items() if name != "seq_len"}
    if "length" in others:
        with pytest.raises(UsageError, match="changes nothing"):
            pecli.figure(figure, encoding="rope:d=8", **others)
    else:
        pecli.figure(figure, encoding="rope:d=8", **others)
    assert made.job.job()["length"] == options.get("length", 200)


@pytest.mark.long
@pytest.mark.parametrize(("starts", "lengths"), [((0,), (50, 100)), ((0, 50), (50,))])
def test_pictures_of_one_file_have_one_length_in_use(
    starts: tuple[int, ...], lengths: tuple[int, ...], ask: Ask, folder: Path
) -> None:
    words = ["--start", ",".join(map(str, starts)), "--length", ",".join(map(str, lengths)), "--dpi", "30"]
    assert ask("heatmap", "-e", LONGROPE, *words, "-o", "a.html", "-o", "a.npz").code == 0
    each = [(start, length) for start in starts for length in lengths]
    with np.load(folder / "a.npz") as numbers:
        for at, (start, length) in enumerate(each):
            expected = pecli.encode(LONGROPE, start=start, length=length, seq_len=100)
            own = numbers["table"][at] if "table" in numbers else numbers[f"{at}.table"]  # of one shape: one array
            np.testing.assert_array_equal(own, expected)
    assert (folder / "a.html").read_text().count("seq_len=100,") == 2  # what draws each frame by itself
    assert "seq_len" not in ask("recipe", "a.html").out
    assert ask("heatmap", "-e", LONGROPE, *words, "-o", "{length}-{start}.npy").code == 0
    for start, length in each:  # files of their own
        alone = pecli.encode(LONGROPE, start=start, length=length)
        np.testing.assert_array_equal(np.load(folder / f"{length}-{start}.npy"), alone)


@pytest.mark.parametrize(("command", "used"), [("spectrum", 64), ("stats", 64), ("heatmap", 200)])
def test_without_a_length_it_is_the_original_one_where_waves_are_told(command: str, used: int) -> None:
    for spec in (LONGROPE, [LONGROPE, "rope:d=8"]) if command != "heatmap" else (LONGROPE,):
        job = pecli.figure(command, encoding=spec).job
        assert (job.view.encoding.seq_len, job.positions.length) == (used, used)
    assert pecli.figure(command, encoding="rope:d=8").job.positions.length == 200
    assert pecli.figure(command, encoding=LONGROPE, length=200).job.view.encoding.seq_len == 200


@pytest.mark.long
@pytest.mark.parametrize("words", [[], ["-n", "200"], ["-n", "90"], ["--seq-len", "70"]])
@pytest.mark.parametrize("command", ["spectrum", "offsets"])
def test_a_finished_picture_drawn_again_has_the_same_rates(
    command: str, words: list[str], ask: Ask, folder: Path
) -> None:
    ask(command, LONGROPE, *words, "-o", "a.svg", "-o", "a.npz")
    first = (folder / "a.svg").read_bytes()
    ask("redraw", "a.svg", "-o", "b.svg", "-o", "b.npz")
    assert (folder / "b.svg").read_bytes() == first
    line = ask("recipe", "a.svg").out.split()[1:]
    (folder / "a.svg").unlink()
    ask(*(word.strip("'") for word in line))
    assert (folder / "a.svg").read_bytes() == first
    with np.load(folder / "a.npz") as one, np.load(folder / "b.npz") as other:
        assert equal({name: one[name] for name in one if name != "job"}, {n: other[n] for n in other if n != "job"})


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("spec", "length", "key"),
    [
        (LONGROPE, 64, "short_factors_at_length"),
        (LONGROPE, 65, "long_factors_at_length"),
        (DYNAMIC, 64, "unscaled_at_length"),
        (DYNAMIC, 512, "wavelengths_up_to_fold"),
    ],
)
def test_the_title_says_the_length_and_what_holds_there(spec: str, length: int, key: str) -> None:
    said = say(f"rope_scaling.{key}", length=length, count=15)
    for name in ("heatmap", "spectrum", "offsets"):
        assert said in pecli.figure(name, encoding=spec, length=length).title()
    remark = pecli.figure("spectrum", encoding=spec, length=length).caption()
    assert ("65" if length == 64 else "64") in remark  # where other rates begin
    swept = pecli.figure("heatmap", encoding=spec, length=20, seq_len=[length, 400]).job.grid
    assert said in swept.axes[0].texts[0]


def test_the_length_in_use_goes_to_the_encodings_that_depend_on_it() -> None:
    encodings: Any = pecli.figure("offsets", encoding=["rope:d=8", DYNAMIC], seq_len=128).job.encodings
    plain, scaled = encodings
    assert (plain.seq_len, scaled.seq_len) == (None, 128)
    for spec in ("rope", "rope:scaling=linear,factor=2", "sinusoidal"):
        with pytest.raises(UsageError, match="seq_len") as refused:
            pecli.figure("heatmap", encoding=spec, seq_len=128)
        assert refused.value.option == "seq_len"


def test_figures_and_model_mean_one_thing_by_seq_len(ask: Ask, folder: Path) -> None:
    rope = {"rope_type": "longrope", "short_factor": [1] * 4, "long_factor": [2, 3, 4, 5], "factor": 4}
    sizes = {"hidden_size": 32, "num_attention_heads": 4, "max_position_embeddings": 256}
    config = {"model_type": "phi3", **sizes, "original_max_position_embeddings": 64, "rope_scaling": rope}
    (folder / "c.json").write_text(json.dumps(config))
    for words, used, divisors in (([], 64, [1] * 4), (["--seq-len", "65"], 65, [2, 3, 4, 5])):
        layer = json.loads(ask("model", "c.json", "--json", *words).out)["layers"]["all"]
        assert (layer["seq_len"], layer["first_length"]) == (used, 64)
        np.testing.assert_allclose(layer["inv_freq"], 10.0 ** -np.arange(4) / divisors, rtol=1e-14)
        data = json.loads(ask("spectrum", "c.json", *words, "-o", "s.npz", "--json").out)["results"][0]
        assert all(f"seq_len={used}," in spec for spec in data["facts"]["ratio"])
        with np.load(folder / "s.npz") as numbers:
            np.testing.assert_allclose(2 * np.pi / numbers["wavelength"], layer["inv_freq"], rtol=1e-14)
    assert "65" in ask("model", "c.json").out


def test_either_attention_factor_of_phimoe_holds_at_its_length(ask: Ask, folder: Path) -> None:
    scales = {"short_mscale": 1.1, "long_mscale": 1.3, "original_max_position_embeddings": 64}
    rope = {"type": "longrope", "short_factor": [1] * 4, "long_factor": [2] * 4, **scales}
    config = {"model_type": "phimoe", "hidden_size": 32, "num_attention_heads": 4, "rope_scaling": rope}
    (folder / "c.json").write_text(json.dumps({**config, "max_position_embeddings": 256}))
    for length, factor in ((64, 1.1), (65, 1.3)):
        layer = json.loads(ask("model", "c.json", "--json", "-n", str(length)).out)["layers"]["all"]
        assert layer["attention_factor"] == factor
        np.testing.assert_allclose(pecli.encode("c.json", length=length)[0, :4], factor, rtol=1e-15)
