"""Tests of `pecli identify` and `pecli.identify`: text, JSON and picture of a table."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import pecli
from pecli.core.language import say
from pecli.core.lazy import Array
from pecli.core.numbers import ROUND
from pecli.encodings.biases import T5
from pecli.encodings.rope import Rope
from pecli.measures.fits import FRONT
from tests.conftest import Ask

DATA = Path(__file__).parents[1] / "data"
MINILM = Path(__file__).parents[2] / "gallery" / "minilm-128x96.npy"
RATES = json.loads((DATA / "rope_inv_freq.json").read_text(encoding="utf-8"))["cases"]


SCALED: dict[str, Any] = {
    "scaling": "llama3", "factor": 32, "original": 8192, "low_freq_factor": 1, "high_freq_factor": 4
}  # fmt: skip


def sines(length: int, d: int, base: float = 10000.0, start: int = 0) -> Array:
    """Return the paper's table, sines and cosines side by side."""
    angles = np.arange(start, start + length)[:, None] / base ** (np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, d)


def whisper() -> Array:
    """Return the table of Whisper's encoder as its code makes it, in float32."""
    rates = np.exp(-np.float32(np.log(10000) / 191) * np.arange(192, dtype=np.float32))
    angles = np.arange(1500, dtype=np.float32)[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def told(ask: Ask, *words: str, code: int = 0) -> dict[str, Any]:
    ended = ask("identify", *words, "--json")
    assert (ended.code, ended.err) == (code, "")
    return dict(json.loads(ended.out))


def sinusoidal(d: int, base: str = "10,000") -> str:
    return say("identify.sinusoidal_d", d=d, name=say("identify.base_base", base=base))


def test_the_line_that_it_prints_draws_the_same_table(ask: Ask, folder: Path) -> None:
    table = sines(80, 32, 5000, start=3)
    np.save("t.npy", table.astype(np.float16))
    ended = ask("identify", "t.npy")
    assert (ended.code, ended.err) == (0, "")
    said = say("identify.name_what", name="t.npy", what=sinusoidal(32, "5,000"))
    for fact in (said, say("identify.sine_and_cosine_of"), "float16", "2.44×10⁻⁴"):
        assert fact in ended.out
    line = ended.out.splitlines()[-1]
    assert ask(*shlex.split(line)[1:], "-o", "drawn.npy").code == 0
    assert np.load("drawn.npy") == pytest.approx(table, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("steps", "count"), [(1, 1), (3, 3)])
def test_rows_that_are_off_are_counted(steps: int, count: int, ask: Ask, folder: Path) -> None:
    np.save("t.npy", np.delete(sines(80, 16), range(50, 50 + steps), axis=0))
    said = say("identify.from_row_on_the", at="50", amount=str(count), count=count)
    assert said in " ".join(ask("identify", "t.npy").out.split())


@pytest.mark.some(2)
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_contexts_that_rates_leave_open_are_named(kind: Any, ask: Ask, folder: Path) -> None:
    np.save("t.npy", pecli.encode("rope:d=32,scaling=yarn,factor=4,original=4096", length=100).astype(kind))
    data = told(ask, "t.npy")
    assert data["spec"] == "rope:d=32,scaling=yarn,factor=4,original=4096"
    assert data["alike"] == [data["spec"].replace("4096", other) for other in ("6144", "5120")]
    assert say("identify.alike", others=say("join.or", one="original=6144", other="original=5120")) in data["formula"]


def test_rates_all_divided_are_said(ask: Ask, folder: Path) -> None:
    np.save("t.npy", pecli.encode("rope:d=32,scaling=linear,factor=4", length=100).astype(np.float16))
    data = told(ask, "t.npy")
    assert data["spec"] == "rope:d=32,scaling=linear,factor=4"
    assert say("identify.rates_times", rate="0.25") in data["formula"]


def test_three_rows_are_too_few(ask: Ask, folder: Path) -> None:
    np.save("t.npy", sines(3, 8))
    ended = ask("identify", "t.npy")
    assert (ended.code, ended.out.splitlines()[0]) == (1, say("identify.its_rows_are_too", name="t.npy", count=3))


@pytest.mark.some(2)
@pytest.mark.parametrize("first", [np.cos, np.sin])
def test_one_pair_has_no_base(first: Any, ask: Ask, folder: Path) -> None:
    positions = np.arange(20)[:, None]
    np.save("t.npy", np.hstack([first(positions), np.sin(positions + (np.pi / 2 if first is np.sin else 0))]))
    ended = ask("identify", "t.npy")
    assert (ended.code, ended.out.splitlines()[0]) == (1, say("identify.sines_and_cosines_but", name="t.npy"))


@pytest.mark.some(4)
@pytest.mark.parametrize("ending", ["npy", "npz", "csv", "safetensors"])
def test_every_kind_of_file_is_read(ending: str, ask: Ask, folder: Path) -> None:
    table, name = sines(20, 8), f"t.{ending}"
    if ending == "npy":
        np.save(name, table)
    elif ending == "npz":
        np.savez(name, other=np.eye(3), table=table)
        name += "#table"
    elif ending == "csv":
        np.savetxt(name, table, delimiter=",")
    else:
        save_file({"a.weight": table, "b.weight": np.eye(4)}, name)
        name += "#a.weight"
    data = told(ask, name)
    assert (data["identified"], data["spec"], data["first_position"]) == (True, "sinusoidal:d=8", 0)


@pytest.mark.long
def test_standard_input_is_read(process: Any, folder: Path) -> None:
    file = io.BytesIO()
    np.save(file, sines(20, 8))
    ended = process(["-m", "pecli", "identify", "-", "-o", "d.png"], folder, {}, input=file.getvalue())
    assert (ended.returncode, ended.stdout) == (0, b"d.png\n")
    said = say("identify.name_what", name=say("page.standard_input"), what=sinusoidal(8))
    assert ended.stderr.decode() == f"pecli: {said}\n"


def test_tables_of_libraries_and_of_whisper(ask: Ask, folder: Path) -> None:
    np.save("w.npy", whisper())
    data = told(ask, "w.npy")
    assert data["spec"] == "sinusoidal:d=384,layout=concatenated,family=tensor2tensor"
    assert data["names"][0] == {"name": "tensor2tensor", "base": 10000.0} and data["difference"] < 1e-3
    for name, table in np.load(DATA / "sinusoidal_libraries.npz").items():
        d, layout = table.shape[1], ",layout=concatenated" * name.startswith("marian")
        assert pecli.identify(table).data["spec"] == f"sinusoidal:d={d}{layout}", name
    for grid in ("3x5", "7x4"):
        assert pecli.identify(np.load(DATA / "grids.npz")[f"mae_{grid}"]).data["spec"] == f"sincos2d:d=24,grid={grid}"
        rope = pecli.identify(np.load(DATA / "grids.npz")[f"qwen2vl_vision_{grid}"])
        assert (rope.data["spec"], rope.found.certain) == (f"rope:d=24,grid={grid},pairing=half", True)


def test_a_trained_table_has_no_formula(ask: Ask) -> None:
    data = told(ask, str(MINILM), code=1)
    assert (data["identified"], data["spec"], data["rank"]) == (False, None, 34)
    assert 0.25 < data["explained"] < 0.35 and data["periods"][0] == 128


def test_a_mistake_is_named_with_what_was_meant(ask: Ask, folder: Path) -> None:
    columns = np.arange(16)
    angles = np.arange(60)[:, None] / 100 ** (columns / 16)
    np.save("t.npy", np.where(columns % 2, np.cos(angles), np.sin(angles)))
    ended = ask("identify", "t.npy")
    what = say("identify.sinusoidal_d", d=16, name=say("identify.base_exponent_i_d", base=100))
    assert say("identify.known_mistake", name="t.npy", what=what) in " ".join(ended.out.split())
    assert ended.code == 0 and ended.out.endswith("pecli heatmap -e sinusoidal:d=16,base=100 -n 60\n")
    assert "常见错误" in ask("identify", "t.npy", "--lang", "zh").out


@pytest.mark.some(6)
@pytest.mark.parametrize("case", RATES, ids=[f"{case['key']}" for case in RATES])
def test_rates_of_released_models_tell_their_scaling(case: dict[str, Any], ask: Ask) -> None:
    scaling = (case["config_v4"].get("rope_scaling") or {}).get("rope_type", "default")
    code = int(scaling == "longrope")  # divisors out of a search
    data = told(ask, "--rates", ",".join(map(str, case["inv_freq"])), code=code)
    if not code:
        assert pecli.encoding(data["spec"]).frequencies() == pytest.approx(case["inv_freq"], rel=1e-6)
        changed = "gemma" in case["key"] or (scaling == "dynamic" and case["seq_len"])  # to a base of its own
        assert changed or data["names"] == [{"name": "paper", "base": case["config_v4"]["rope_theta"]}]
        original = (case["config_v4"].get("rope_scaling") or {}).get("original_max_position_embeddings")
        assert scaling in ("linear", "dynamic", "default") or f"scaling={scaling},factor=" in data["spec"]
        assert original is None or f",original={original}" in data["spec"]


def test_rates_in_a_file_and_written_down(ask: Ask, folder: Path) -> None:
    save_file({"rotary.inv_freq": np.float32(500000.0) ** (-np.arange(32, dtype=np.float32) / 32)}, "r.safetensors")
    assert told(ask, "r.safetensors")["spec"] == "rope:d=64,base=500000"
    assert told(ask, "--rates", "1,0.3162,0.1,0.0316")["spec"] == "rope:d=8,base=100"
    assert told(ask, "--rates", "1,0.5,0.1,0.05", code=1)["spec"] is None


LLAMA3 = "rope:d=64,base=500000,scaling=llama3,factor=8,original=8192,low_freq_factor=1,high_freq_factor=4"
GPT_OSS = "rope:d=64,base=150000,scaling=yarn,factor=32,original=4096,truncate=false"


@pytest.mark.some(9)
@pytest.mark.parametrize("spec", ["rope:d=16", GPT_OSS, LLAMA3, "rope", "rope:d=16,scaling=linear,factor=4"])
@pytest.mark.parametrize(
    ("written", "rounding", "kind"),
    [
        ("{:.4e}", "digits_5", "float64"),
        ("{:.6g}", "digits_6", "float64"),
        ("{:.3g}", "digits_3", "float64"),
        ("{:.4f}", "decimals_4", "float64"),
        ("{:.9g}", "float32", "float32"),
        ("{}", "bfloat16", "bfloat16"),
        ("{:.4e}", "bfloat16", "bfloat16"),
        ("{:.6g}", "float16", "float16"),
    ],
)
def test_rates_are_known_as_they_are_printed(written: str, rounding: str, kind: str, spec: str, ask: Ask) -> None:
    rates = ROUND[kind](pecli.encoding(spec).frequencies())
    short = kind in ("bfloat16", "float16")
    words = "--rates", ",".join(written.format(rate) for rate in rates.tolist())
    data = told(ask, *words)
    assert (data["spec"], data["rounding"], data["correct"]) == (spec, rounding, not short)
    assert ask("identify", *words, "--strict").code == int(short)
    form, _, count = rounding.partition("_")
    printed = {"digits": "identify.printed_digits", "decimals": "identify.printed_decimals"}
    said = say(printed[form], count=int(count)) if count else say("identify.rounded_to", dtype=form)
    assert said in data["formula"]


@pytest.mark.parametrize(
    "rates",
    [
        "1,0.7,0.4,0.3",
        "1.0000e+00,3.1723e-01,1.0000e-01,3.1623e-02,1.0000e-02,3.1623e-03",
        "1,0.9,0.75,0.6,0.45,0.3,0.15,0.05",
        "0.988281,0.158203,0.025024,0.0039978,0.00062943",
        "1,0.0928,0.00094",
    ],
)
def test_printed_rates_of_no_base_are_not_known(rates: str, ask: Ask) -> None:
    assert told(ask, "--rates", rates, code=1)["spec"] is None


def of_rounded(rounded: tuple[str, ...], kind: str, length: int = 600, start: int = 0) -> Array:
    """Return the angles of RoPE, d = 64, with the named parts rounded to a number type."""
    low = {part: ROUND[kind if part in rounded else "float64"] for part in ("rates", "positions", "angles")}
    rates, places = low["rates"](Rope(d=64).frequencies()), low["positions"](start + np.arange(float(length)))
    return low["angles"](np.outer(places, rates))


@pytest.mark.some(12)
@pytest.mark.parametrize("form", ["cosines", "sines", "halves"])
@pytest.mark.parametrize(
    ("rounded", "kind", "first"),
    [
        (("rates",), "bfloat16", 85),
        (("positions",), "bfloat16", 257),
        (("angles",), "bfloat16", 42),
        (("rates", "positions", "angles"), "bfloat16", 33),
    ],
)
def test_rates_positions_and_angles_of_short_types_are_a_mistake(
    rounded: tuple[str, ...], kind: str, first: int, form: str, ask: Ask, folder: Path
) -> None:
    forms: dict[str, Callable[[Array], Array]] = {
        "cosines": np.cos,
        "sines": np.sin,
        "halves": lambda each: np.hstack([np.cos(each), np.sin(each)]),
    }
    made, exact = (forms[form](turned) for turned in (of_rounded(rounded, kind), of_rounded((), kind)))
    np.save("t.npy", made.astype(np.float32))
    data = told(ask, "t.npy")
    assert f"{kind}_{'_and_'.join(rounded) if len(rounded) < 3 else 'rates_positions_and_angles'}" in data["kept"]
    off = np.abs(made - exact)
    assert data["exact_difference"] == pytest.approx(off.max(), rel=1e-5) and not data["correct"]
    assert data["exact_difference_from"] == np.flatnonzero(off.max(axis=1) > 0.1)[0]
    ended = ask("identify", "t.npy", "--strict")
    assert ended.code == 1 and say("identify.from_exact") in ended.out
    np.save("t.npy", ROUND[kind](exact))  # rounded when it is finished
    assert told(ask, "t.npy", "--strict")["exact_difference"] is None


@pytest.mark.some(5)
@pytest.mark.parametrize("start", [1000, 100_000, 131_072])
@pytest.mark.parametrize("form", ["cosines", "sines", "both"])
def test_far_positions_are_known_if_float32_rounds_the_angles(start: int, form: str, ask: Ask, folder: Path) -> None:
    angles = ROUND["float32"](of_rounded(("rates", "positions", "angles"), "float32", 256, start))
    forms: dict[str, list[Any]] = {"cosines": [np.cos], "sines": [np.sin], "both": [np.sin, np.cos]}
    np.save("t.npy", np.hstack([wave(angles) for wave in forms[form]]).astype(np.float32))
    data = told(ask, "t.npy", "--strict")
    assert data["first_position"] == start and [each["base"] for each in data["names"]] == [10000]


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("spec", "told_as", "timesteps"),
    [
        ("rope:d=64,pairing=half", "rope:d=64,pairing=half", True),
        ("rope:d=64,base=500000", "rope:d=64,base=500000", False),
        ("rope:d=64,scaling=linear,factor=4,pairing=half", "rope:d=64,scaling=linear,factor=4,pairing=half", True),
        ("sinusoidal:d=64,family=timestep,flip=true", "sinusoidal:d=64,family=timestep,flip=true", False),
    ],
)
def test_cosines_before_sines_are_rope_first(spec: str, told_as: str, timesteps: bool, ask: Ask, folder: Path) -> None:
    np.save("t.npy", pecli.encode(spec, length=100).astype(np.float16))
    data = told(ask, "t.npy", "--strict")
    assert data["spec"] == told_as and ("RoPE" in data["formula"]) == told_as.startswith("rope")
    assert ["family=timestep" in each for each in data["alike"]] == [True] * timesteps
    assert (say("identify.timesteps") in data["formula"]) == timesteps


def test_the_picture_has_table_formula_and_difference(ask: Ask, folder: Path) -> None:
    table = np.concatenate([np.ones((2, 16)), 4 * sines(40, 16)])  # BART's and RoBERTa's two rows in front
    np.save("t.npy", table)
    ended = ask("identify", "t.npy", "-o", "d.png")
    said = say("identify.name_what", name="t.npy", what=sinusoidal(16))
    assert (ended.code, ended.out, ended.err) == (0, "d.png\n", f"pecli: {said}\n")
    assert "√d = 4" in ask("identify", "t.npy").out
    assert "compare learned:file=t.npy,first_position=-2,divisor=4 sinusoidal" in ask("recipe", "d.png").out
    figure, options = pecli.identify("t.npy").picture()
    own, formula, difference = (part.numbers.main for part in pecli.figure(figure, **options).numbers.parts)
    assert own.shape == formula.shape == (40, 16) and np.abs(difference).max() < 1e-14


@pytest.mark.long
@pytest.mark.parametrize("kind", ["permuted", "wide", "start", "token"])
def test_a_picture_of_tables_that_the_formula_does_not_cover_as_they_are(kind: str, ask: Ask, folder: Path) -> None:
    parts = sines(8, 8), sines(6, 8)
    grid = np.concatenate([np.tile(parts[1], (8, 1)), np.repeat(parts[0], 6, axis=0)], axis=1)
    tables = {
        "permuted": sines(40, 16)[:, ::-1],
        "wide": np.pad(sines(40, 16), ((0, 0), (0, 4))),
        "start": sines(40, 16, start=7),
        "token": np.concatenate([np.ones((1, 16)), grid]),
    }
    np.save("t.npy", tables[kind])
    if kind == "token":  # the others are drawn alike
        ended = ask("identify", "t.npy", "-o", "t.png")
        assert (ended.code, ended.out) == (0, "t.png\n"), ended.err
    figure, options = pecli.identify("t.npy").picture()
    parts_ = pecli.figure(figure, **options).numbers.parts
    assert len(parts_) == 2 or np.abs(parts_[2].numbers.main).max() < 1e-12
    assert (len(parts_) == 3) == (kind in ("start", "token"))


def test_what_cannot_be_read_is_told_from_what_is_asked_wrongly(ask: Ask, folder: Path) -> None:
    Path("t.npy").write_bytes(b"\x93NUMPY no")
    np.save("nan.npy", np.full((9, 4), np.nan))
    for code, *words in (
        (2,),
        (1, "none.npy"),
        (1, "t.npy"),
        (1, "nan.npy"),
        (2, "t.npy", "--rates", "1,2"),
        (2, "--rates", "1,x"),
        (1, "t.pt"),
    ):
        ended = ask("identify", *words)
        assert (ended.code, ended.out) == (code, "") and ended.err.startswith("pecli: "), words
    np.save("noise.npy", np.random.default_rng(0).normal(size=(30, 8)))
    ended = ask("identify", "noise.npy", "-o", "n.png")
    assert ended.code == 1 and "noise.npy: no formula" in ended.err and not Path("n.png").exists()


def test_arrays_are_read_from_whatever_has_them() -> None:
    table = sines(30, 8)
    tensor = type("Tensor", (), {"__array__": lambda self, dtype=None, copy=None: table.astype(np.float32)})()
    assert pecli.identify(tensor).data["spec"] == "sinusoidal:d=8"
    assert pecli.identify(table[None]).found.certain
    assert pecli.identify(rates=[1, 0.1, 0.01]).data["spec"] == "rope:d=6,base=1000"
    assert sinusoidal(8) in pecli.identify(table)._repr_mimebundle_()["text/plain"]
    report = pecli.identify(table)
    figure, options = report.picture()
    assert pecli.figure(figure, **options).numbers.parts[2].numbers.main.shape == table.shape
    assert pecli.identify(500.0 ** -np.linspace(0, 0.75, 4)).data["spec"] == "rope:d=8,base=500"
    for wrong in (np.zeros((2, 3, 4, 5)), np.full((4, 4), np.nan), np.array([["a", "b"]])):
        with pytest.raises(pecli.PecliError):
            pecli.identify(wrong)


@pytest.mark.long
@pytest.mark.parametrize("line", ["identify t.npy", "model config.json", "tensors t.npy", "encodings rope"])
def test_every_file_that_is_asked_for_is_written(line: str, ask: Ask) -> None:
    np.save("t.npy", pecli.encode("sinusoidal", d=8, length=20))
    Path("config.json").write_text(
        '{"model_type": "llama", "hidden_size": 32, "num_attention_heads": 4}', encoding="utf-8"
    )
    drawn = ["a.png"] if line.split()[0] in ("identify", "model") else []
    files = [*drawn, "a.md", "a.json", "a.csv"]
    assert ask(*line.split(), *(word for file in files for word in ("-o", file))).code == 0
    assert all(Path(file).stat().st_size for file in files)


def test_strict_asks_for_a_formula_without_a_mistake(ask: Ask, folder: Path) -> None:
    table = sines(48, 16)
    flipped, late = table.copy(), table.copy()
    flipped[:, 5] *= -1
    late[40:, 15] += 0.3
    cases = {  # exit codes without and with --strict, numbers that differ
        "right": (table, 0, 0, 0),
        "scaled": (8 * table, 0, 0, 0),
        "flipped": (flipped, 0, 1, 48),
        "late": (late, 1, 1, 8),
        "permuted": (table[:, ::-1], 0, 1, 0),
        "noisy": (table + np.random.default_rng(0).normal(0, 1e-3, table.shape), 1, 1, 0),
    }
    for name, (numbers, plain, strict, wrong) in cases.items():
        np.save("t.npy", numbers)
        data = told(ask, "t.npy", code=plain)
        assert (data["names"][0]["base"], data["wrong"], data["correct"]) == (10000, wrong, not strict), name
        assert ask("identify", "t.npy", "--strict").code == strict, name
    np.save("t.npy", late)
    data = told(ask, "t.npy", code=1)
    assert (data["wrong_columns"], data["wrong_rows"], data["place"][1]) == ([15], [*range(40, 48)], 15)
    assert data["difference"] == pytest.approx(0.3) and data["wrong"] == 8
    assert say("words.first_to_last", first=40, last=47) in ask("identify", "t.npy").out


@pytest.mark.long
def test_the_start_is_told_where_phases_nearly_agree(ask: Ask, folder: Path) -> None:
    assert ask("table", "-e", "sinusoidal:family=timestep,d=4", "--start", "100", "-n", "128", "-o", "t.npy").code == 0
    assert told(ask, "t.npy")["first_position"] == 100
    line = ask("identify", "t.npy").out.splitlines()[-1]
    assert ask(*shlex.split(line)[1:], "-o", "drawn.npy").code == 0
    assert np.load("drawn.npy") == pytest.approx(np.load("t.npy"), abs=1e-12)


@pytest.mark.long
def test_the_line_of_a_table_computed_in_a_short_type_draws_it(ask: Ask, folder: Path) -> None:
    for spec in ("sinusoidal:d=16,base=5000", "clock", "geometric:d=8,radix=3", "sincos2d:d=16,grid=5x7"):
        length = [] if "grid" in spec else ["-n", "60"]
        assert ask("table", "-e", spec, "--dtype", "float16", *length, "-o", "t.npy").code == 0
        ended = ask("identify", "t.npy")
        assert (ended.code, "float16" in ended.out) == (0, True)
        assert ask("identify", "t.npy", "--strict").code == int("grid" not in spec), spec  # of small positions
        line = ended.out.splitlines()[-1]
        assert ask(*shlex.split(line)[1:], "-o", "drawn.npy").code == 0
        assert np.array_equal(np.load("drawn.npy"), np.load("t.npy")), spec
        assert ask("identify", "t.npy", "-o", "t.png").code == 0


ZEROS = {  # rows of zeros in a table of 512 rows or put before it, rows of ones before it; the position of row 0
    "first": ([0], 0, 0, 0),
    "second": ([1], 0, 0, 0),
    "third": ([2], 0, 0, 0),
    "eighth": ([7], 0, 0, 0),
    "far down": ([300], 0, 0, 0),
    "several": ([0, 5, 511], 0, 0, 0),
    "the last quarter": ([*range(384, 512)], 0, 0, 0),
    "padding": ([0, 1], 2, 0, -2),
    "padding and a token": ([0], 1, 1, -2),
}


@pytest.mark.long
@pytest.mark.some(16)
@pytest.mark.parametrize("case", ZEROS)
def test_rows_of_zeros_are_named_wherever_they_are(case: str, ask: Ask, folder: Path) -> None:
    zeros, padding, tokens, start = ZEROS[case]
    table = np.concatenate([np.zeros((padding, 64)), np.ones((tokens, 64)), sines(512, 64)])
    table[zeros] = 0
    np.save("t.npy", table)
    data = told(ask, "t.npy")
    assert (data["spec"], data["rows_of_zeros"], data["first_position"]) == ("sinusoidal:d=64", zeros, start)
    correct = max(zeros) < FRONT  # padding or a class token
    assert (data["wrong"], data["rows_in_front"], data["correct"]) == (0, [*range(padding, padding + tokens)], correct)
    assert ask("identify", "t.npy", "--strict").code == int(not correct)
    table[200, 3] += 1  # and they are named beside other mistakes
    np.save("t.npy", table)
    data = told(ask, "t.npy", code=1)
    assert (data["rows_of_zeros"], data["wrong"], data["wrong_columns"]) == (zeros, 1, [3])


@pytest.mark.long
def test_a_row_of_zeros_before_a_grid_is_named(ask: Ask, folder: Path) -> None:
    np.save("t.npy", np.concatenate([np.zeros((1, 32)), pecli.encode("sincos2d:d=32,grid=7x9")]))
    data = told(ask, "t.npy")
    assert (data["spec"], data["rows_of_zeros"], data["first_position"]) == ("sincos2d:d=32,grid=7x9", [0], -1)
    ended = ask("identify", "t.npy", "--strict")
    order = say("identify.within_each_axis", order=say("identify.sines_in_one_half"))
    assert ended.code == 0 and order in " ".join(ended.out.split())


BASES: dict[
    tuple[int, str, int, int], list[int | None]
] = {  # radix, type, rows and d: the least and the largest that make the same table
    (3600, "float16", 64, 128): [3345, 5792],
    (4000, "float16", 200, 10): [3345, 5792],
    (10000, "float16", 200, 128): [5793, None],
    (1000000, "float16", 64, 8): [5793, None],
    (1000, "float16", 200, 8): [980, 1008],
    (500, "float16", 200, 128): [],
    (3, "float16", 200, 16): [],
    (3600, "bfloat16", 64, 128): [],
    (10000, "bfloat16", 200, 128): [],
}


@pytest.mark.some(3)
@pytest.mark.parametrize(("radix", "dtype", "length", "d"), BASES)
def test_bases_that_give_one_table_are_told_as_a_range(
    radix: int, dtype: str, length: int, d: int, ask: Ask, folder: Path
) -> None:
    bases = BASES[radix, dtype, length, d]
    np.save("t.npy", table := pecli.encode("geometric", radix=radix, d=d, dtype=dtype, length=length))
    data = told(ask, "t.npy")
    assert data["bases"] == bases
    assert data["names"] == [{"name": "undivided", "base": None if bases else radix}]
    assert np.array_equal(pecli.encode(data["spec"], length=length), table)
    for end, beyond in zip([end for end in bases if end], (-1, 1), strict=False):
        made = (pecli.encode("geometric", radix=at, d=d, dtype=dtype, length=length) for at in (end, end + beyond))
        assert [np.array_equal(each, table) for each in made] == [True, False]


@pytest.mark.parametrize(
    ("spec", "alike"),  # rates, and what else made them
    [
        ("rope:scaling=dynamic,factor=2,max_position=2048,seq_len=4096", ["rope:scaling=ntk,factor=3"]),
        ("rope:d=64,base=500000,scaling=ntk,factor=4", ["rope:d=64,base=500000,scaling=ntk,factor=4"]),
        ("rope:base=81273.9", []),
        ("rope:base=30500", []),
        ("rope:d=32,rotary_dim=16", ["rope:d=32,base=100000000,scaling=proportional,partial_rotary_factor=0.5"]),
        (
            "rope:d=32,base=1000000,scaling=proportional,partial_rotary_factor=0.5",
            ["rope:d=32,base=1000,rotary_dim=16"],
        ),
        ("rope:d=64,base=1000000,scaling=proportional,partial_rotary_factor=0.25", []),
    ],
)
def test_a_base_that_a_scaling_made_larger_is_said(ask: Ask, spec: str, alike: list[str]) -> None:
    rope: Any = pecli.encoding(spec)
    rates = np.pad(rope.frequencies(), (0, (rope.d - rope.width) // 2))
    found = told(ask, "--rates", ",".join(map(repr, rates.tolist())))
    assert (found["alike"], "factor=2" in found["formula"]) == (alike, False)
    assert (say("identify.as_dynamic", factor=2) in found["formula"]) == ("dynamic" in spec)


@pytest.mark.parametrize("stored", [True, False])
def test_divisors_are_rates_with_their_base(ask: Ask, folder: Path, stored: bool) -> None:
    spec = "rope:base=500000,scaling=llama3,factor=8,original=8192,low_freq_factor=1,high_freq_factor=4"
    divisors = pecli.encoding("rope:base=500000").frequencies() / pecli.encoding(spec).frequencies()
    np.save("divisors.npy", divisors.astype(np.float32))
    words = ["divisors.npy"] if stored else ["--rates", ",".join(map(str, divisors.astype(np.float32)))]
    assert told(ask, *words, "--base", "500000")["spec"] == spec
    np.save("table.npy", np.eye(4))
    for wrong in (("table.npy", "--base", "10"), ("--rates", "1,0", "--base", "10"), ("--rates", "1,0.1", "-k", "1")):
        ended = ask("identify", *wrong)
        assert (ended.code, ended.err.count("\n"), "--base" in ended.err) == (2, 1, True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "same", "up_to", "said"),
    [
        (lambda table: table, True, [], ""),
        (lambda table: table[:, ::-1], False, ["column_order"], say("identify.columns_reversed")),
        (
            lambda table: np.hstack([table[:, ::2], table[:, 1::2]])[:, ::-1],
            False,
            ["column_order"],
            say("identify.halves_reversed"),
        ),
        (lambda table: table[:, [1, 0, *range(2, 32)][::-1]], False, ["column_order"], "31, 30, 29"),
        (lambda table: table * 0.5, False, ["scale"], say("identify.up_to_scale", scale="0.5")),
        (
            lambda table: table.astype(np.float16),
            True,
            ["float16"],
            say("identify.up_to_rounding", dtype="float16"),
        ),
        (lambda table: np.pad(table, ((0, 0), (0, 2))), False, ["columns_of_zeros"], say("identify.up_to_zeros")),
        (lambda table: np.vstack([table[:1] + 1, table]), False, [], say("identify.up_to_rows_in_front", count=1)),
        (lambda table: table[[1, *range(1, 41)]], False, ["positions"], "1, 1 to 40"),
        (lambda table: table[1::3], False, ["positions"], "1, 4, 7, 10, 13, 16, 19, 22, …, 61"),
        (lambda table: table[::2], True, [], say("identify.rates_or_rows", rate="2", at="0, 2, 4, …")),
    ],
)
def test_the_report_says_in_what_the_line_draws_another_table(
    change: Callable[[Array], Array], same: bool, up_to: list[str], said: str, ask: Ask, folder: Path
) -> None:
    np.save("t.npy", change(sines(64, 32)))
    data = told(ask, "t.npy")
    assert (data["same"], data["up_to"]) == (same, up_to)
    assert said in " ".join(ask("identify", "t.npy").out.split())


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (lambda table: -table, "negated"),
        (lambda table: table * 0, "zeros"),
        (lambda table: table[[3] * 8], "constant"),
        (lambda table: np.sqrt(abs(table)), None),
    ],
)
def test_a_table_without_a_formula_gets_a_hint(
    change: Callable[[Array], Array], hint: str | None, ask: Ask, folder: Path
) -> None:
    np.save("t.npy", change(sines(32, 8)))
    assert told(ask, "t.npy", code=1)["hint"] == hint


@pytest.mark.some(2)
@pytest.mark.parametrize("names", [("cos", "sin"), ("rotary.cos_cached", "rotary.sin_cached")])
def test_cosines_and_sines_of_one_file_are_read_together(names: tuple[str, str], ask: Ask, folder: Path) -> None:
    halves = np.tile(sines(80, 64, 500000), 2).reshape(80, 2, 32, 2).reshape(80, 64, 2).astype(np.float32)
    arrays: dict[str, Any] = {
        name: np.ascontiguousarray(halves[..., at]) for name, at in zip(names, (1, 0), strict=True)
    }
    np.savez("t.npz", **arrays)
    save_file(arrays, "t.safetensors")
    for name in ("t.npz", "t.safetensors"):
        data = told(ask, name)
        assert (data["kept"], data["spec"]) == (
            ["pairs_in_front", "copied_halves"],
            "rope:d=64,base=500000,pairing=half",
        )
        assert told(ask, f"{name}#{names[0]}")["kept"] == ["copied_halves", "cosines"]
    repeated: dict[str, Any] = {name: np.repeat(array[:, :32], 2, axis=1) for name, array in arrays.items()}
    np.savez("t.npz", **repeated)  # as in GPT-J
    data = told(ask, "t.npz")
    assert (data["kept"], data["spec"]) == (["pairs_in_front", "copied_columns"], "rope:d=64,base=500000")
    np.savez("t.npz", **arrays, other=halves[..., 0])
    assert ask("identify", "t.npz").code == 2
    (cosines, sines_), (other, _) = arrays.values(), repeated.values()
    wrong = {  # the arrays named cos and sin
        "sines_for_cosines": (sines_, sines_),
        "cosines_for_sines": (cosines, cosines),
        "names_exchanged": (sines_, cosines),
        "mixed_pairings": (other, sines_),
    }
    for mistake, pair in wrong.items():
        np.savez("t.npz", **dict(zip(names, pair, strict=True)))
        data = told(ask, "t.npz")
        assert (data["kept"][-1], data["correct"]) == (mistake, False), mistake


@pytest.mark.some(8)
@pytest.mark.parametrize(
    ("name", "change", "kept"),
    [
        ("cis.npy", lambda table: (table[:, 1::2] + 1j * table[:, ::2]).astype(np.complex64), ["complex"]),
        ("cis.npz", lambda table: table[:, 1::2] + 1j * table[:, ::2], ["complex"]),
        ("real.safetensors", lambda table: table.reshape(80, -1, 2)[:, :, ::-1].astype(np.float32), ["pairs"]),
        ("cosines.npy", lambda table: np.tile(table[:, 1::2], 2), ["copied_halves", "cosines"]),
        ("turned.csv", lambda table: table.T, ["transposed"]),
        ("late.npy", lambda table: table[::-1], ["rows_reversed"]),
        ("conjugate.npy", lambda table: table[:, 1::2] - 1j * table[:, ::2], ["complex", "sines_negated"]),
        ("sines.npy", lambda table: table * np.tile([-1.0, 1.0], 32), ["sines_negated"]),
        ("cosines.npy", lambda table: table * np.tile([1.0, -1.0], 32), ["cosines_negated"]),
        ("one.npy", lambda table: -table[:, 1::2], ["cosines_negated", "cosines"]),
    ],
)
def test_how_programs_keep_a_table_is_told(
    name: str, change: Callable[[Array], Array], kept: list[str], ask: Ask, folder: Path
) -> None:
    array = np.ascontiguousarray(change(sines(80, 64, 500000)))
    if name.endswith("csv"):
        np.savetxt(name, array, delimiter=",")
    elif name.endswith("safetensors"):
        save_file({"freqs": array}, name)
    else:
        np.save(name, array) if name.endswith("npy") else np.savez(name, freqs=array)
    data = told(ask, name)
    assert data["kept"] == kept and not data["same"] and set(kept) <= {*data["up_to"]}
    assert "base=500000" in data["spec"] and data["identified"]
    assert data["correct"] == ("negated" not in " ".join(kept))
    assert (say("identify.rope_d", d=64, name=say("identify.base_base", base="500,000")) in data["formula"]) == (
        kept[0] in ("complex", "pairs")
    )
    assert data["first_position"] == (79 if kept == ["rows_reversed"] else 0)
    assert ask(*shlex.split(data["command"])[1:], "-o", "drawn.npy").code == 0
    assert np.load("drawn.npy").shape == (80, 64)
    if name == "cis.npy":
        assert ask("identify", name, "-o", "picture.png").code == 0


@pytest.mark.parametrize("rates", ["1", "0,0", "0,0.5"])
def test_one_rate_determines_no_base(rates: str, ask: Ask) -> None:
    data, said = told(ask, "--rates", rates, code=1), say("identify.too_few_rates", name=say("identify.the_rates"))
    assert (data["hint"], data["formula"]) == ("few_rates", said)


AWAY = np.arange(6) - np.arange(6)[:, None]  # of the key from the query


@pytest.mark.parametrize(
    ("places", "hidden", "spec"),
    [
        (AWAY, -np.inf, "alibi"),
        (AWAY[None], np.finfo(np.float16).min, "alibi"),  # of a batch of one
        (np.minimum(AWAY, 0), 0, "alibi"),  # only the lower triangle
        (AWAY[-1:], 0, "alibi"),
        (AWAY[-1], 0, "alibi"),
        (np.arange(6)[None], 0, "alibi"),
        (-np.abs(AWAY), 0, "alibi:direction=both"),
        (AWAY - 0.1, -np.inf, None),
        (AWAY**2, 0, None),
        (np.full((6, 6), -np.inf), 0, None),
    ],
)
def test_biases_of_heads_tell_their_alibi(
    places: Array, hidden: float, spec: str | None, ask: Ask, folder: Path
) -> None:
    slopes = 2.0 ** -np.arange(1, 9)
    biases = np.multiply.outer(slopes, places)
    np.save("b.npy", np.where(AWAY > 0, hidden, biases) if hidden else biases)
    ended = ask("identify", "b.npy", "--json")
    assert (ended.code, "Warning" in ended.err) == (0 if spec else 1, False)
    if spec:
        data = json.loads(ended.out)
        kept = "biases" if AWAY.shape == places.shape[-2:] else "biases_of_one_query"
        assert (data["spec"], data["kept"], data["command"]) == (spec, [kept], f"pecli bias -e {spec}")
        text = " ".join(ask("identify", "b.npy").out.split())
        assert say(f"identify.kept_{kept}") in text and say("identify.same_table") not in text


@pytest.mark.parametrize(
    ("t5", "spec"),
    [
        (T5(), "t5"),
        (T5(direction="causal"), "t5:direction=causal"),
        (T5(buckets=64, max_distance=256), "t5:buckets=64,max_distance=256"),
        (T5(max_distance=64), "t5:max_distance=64"),
        (T5(direction="causal", max_distance=64), "t5:direction=causal,max_distance=64"),
        (T5(buckets=40, max_distance=100), "t5:buckets=40,max_distance=100"),
        (T5(direction="causal", max_distance=20), None),  # one bucket has several distances
    ],
)
def test_biases_with_one_value_per_bucket_are_those_of_t5(t5: T5, spec: str | None, ask: Ask, folder: Path) -> None:
    offsets = np.arange(80)[:, None] - np.arange(80)
    buckets = t5.bucket(offsets.ravel()).reshape(offsets.shape)
    learned = np.random.default_rng(0).normal(size=(4, t5.buckets)).astype(np.float32)[:, buckets]
    for biases in (buckets, learned, np.where(offsets < 0, -np.inf, learned)[None]):
        np.save("b.npy", biases)
        ended = ask("identify", "b.npy", "--json")
        assert (ended.code == 0) == (spec is not None)
        data = json.loads(ended.out)
        named = ["bucketed_biases"] if spec else []
        if t5.buckets == 64 and biases.ndim == 4:  # with hidden keys, the same as 32 buckets of one direction
            spec = "t5:direction=causal,max_distance=256"
        assert (data["spec"], data["kept"], data["hint"]) == (spec, named, None if spec else "offsets")
    learned[0, 0, 79] += 1  # one offset has two values
    np.save("b.npy", learned)
    assert ask("identify", "b.npy").code == 1


@pytest.mark.parametrize(("heads", "code"), [((3,), 0), ((0, 3, 7), 0), ((1, 2, 4, 6), 1)])
def test_heads_of_an_alibi_with_other_biases_are_named(
    heads: tuple[int, ...], code: int, ask: Ask, folder: Path
) -> None:
    slopes = 2.0 ** -np.arange(1, 9)
    slopes[[*heads]] *= 1.1
    np.save("b.npy", np.where(AWAY > 0, -np.inf, np.multiply.outer(slopes, AWAY)))
    ended = ask("identify", "b.npy", "--json")
    assert (ended.code, ask("identify", "b.npy", "--strict").code) == (code, 1)
    if code == 0:
        data = json.loads(ended.out)
        assert (data["spec"], data["correct"]) == ("alibi", False)
        assert [(each["kind"], tuple(each["at"])) for each in data["changes"]] == [("heads", heads)]


@pytest.mark.parametrize(("by", "at"), [(5, "0, 1, 2, 3, 4"), (1, "0")])
def test_rows_that_were_rolled_to_the_front_are_named(by: int, at: str, ask: Ask, folder: Path) -> None:
    np.save("t.npy", np.roll(sines(80, 16), by, axis=0))
    data = told(ask, "t.npy")
    assert say("identify.rows_of_later_positions", at=at, amount="80") in data["formula"]
    assert (data["first_position"], data["rows_in_front"], data["correct"]) == (80 - by, [], False)


def test_slopes_and_divisors_are_known_without_a_base(ask: Ask, folder: Path) -> None:
    for spec in ("alibi", "alibi:heads=12,family=geometric", "alibi:heads=6,family=geometric"):
        alibi: Any = pecli.encoding(spec)
        data = told(ask, "--rates", ",".join(map(repr, alibi.slopes().tolist())))
        assert (data["spec"], data["difference"]) == (spec, 0)
    spec = "rope:d=64,base=500000,scaling=llama3,factor=32,original=8192,low_freq_factor=1,high_freq_factor=4"
    scaled, plain = (np.array(Rope(d=64, base=500000, **each).frequencies()) for each in (SCALED, {}))
    np.save("freqs.npy", (plain / scaled).astype(np.float32))
    data = told(ask, "freqs.npy")
    assert (data["spec"], data["kept"]) == (spec, ["divisors"])


def test_rounded_rates_are_not_in_what_the_command_draws(ask: Ask, folder: Path) -> None:
    rates = ROUND["bfloat16"](Rope(d=64, base=500000).frequencies())
    np.save("t.npy", np.cos(np.arange(300.0)[:, None] * rates))
    said = say("identify.kept_rounded", what=say("identify.what_rates"), dtype="bfloat16")
    assert " ".join(ask("identify", "t.npy").out.split()).count(said) == 2
