"""Tests of the sinusoidal tables: comparison with the paper's formula, other libraries and the articles' code."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array
from pecli.core.positions import Blocks, Positions
from pecli.encodings.sinusoidal import Relative, Sinusoidal
from tests.drawing import page_of, panels_of

DATA = Path(__file__).parents[1] / "data"


def textbook(positions: Array, d: int, base: float, doubled: int = 1) -> Array:
    """Return one number at a time, as the paper writes it; the last sine of an odd d has no cosine."""
    table = np.zeros((len(positions), d))
    for row, p in enumerate(positions):
        for i in range(d):
            angle = p / base ** (doubled * (i - i % 2) / d)
            table[row, i] = np.cos(angle) if i % 2 else np.sin(angle)
    return table


@pytest.mark.parametrize(("d", "base"), [(1, 10000), (2, 10000), (7, 10), (13, 0.5), (31, 1), (64, 1e4), (97, 7.25)])
def test_is_the_papers_formula(d: int, base: float) -> None:
    positions = np.append(np.arange(-5.0, 18), [0.5, -47.75, 1000 + 1 / 3])
    assert Sinusoidal(d=d, base=base).table(positions) == pytest.approx(textbook(positions, d, base), abs=2e-13)


@pytest.mark.parametrize("position", ["1", "1000000"])
def test_has_the_40_digit_numbers_to_1e_15(position: str) -> None:
    known = json.loads((DATA / "sinusoidal_40_digits.json").read_text())
    table = Sinusoidal(d=known["d"], base=float(known["base"])).table(np.array([float(position)]))
    assert np.abs(table[0] - [float(digits) for digits in known["values"][position]]).max() < 1e-15


@pytest.mark.parametrize("position", [-999_999_937, 1_000_000_007, 999_999_999_989])
def test_loses_no_digit_at_far_positions(decimals: SimpleNamespace, position: int) -> None:
    d, base = 7, 10007
    angles = [position * rate for rate in decimals.rates(base, d)]
    exact = [float(decimals.sine(angles[i // 2], i % 2)) for i in range(d)]
    table = Sinusoidal(d=d, base=base).table(np.array([float(position)]))
    assert np.abs(table[0] - exact).max() < 1e-15


@pytest.mark.parametrize("position", [10**6, 10**9, 10**12, 10**14 - 7])
@pytest.mark.parametrize(("spec", "base", "factor"), [
    ("sinusoidal:step=0.1", "10000", "0.1"),
    ("sinusoidal:step=3.7", "10000", "3.7"),
    ("sinusoidal:step=0.3333", "10000", "0.3333"),
    ("sinusoidal:base=10.1", "10.1", "1"),
    ("rope:base=10.1", "10.1", "1"),
    ("rope:scaling=linear,factor=1.7", "10000", "1/1.7"),
    ("rope:scaling=longrope,original=9,seq_len=9,short_factor=1.3/1.3/1.3,long_factor=1/1/1", "10000", "1/1.3"),
])  # fmt: skip
def test_a_number_that_is_no_whole_one_is_taken_by_its_digits(
    decimals: SimpleNamespace, spec: str, base: str, factor: str, position: int
) -> None:
    """At 10¹² a tenth and the float64 next to it are 5·10⁻⁶ rad apart."""
    top, _, bottom = factor.partition("/")
    angles = [rate * Decimal(top) / Decimal(bottom or 1) * position for rate in decimals.rates(base, 6)]
    first = spec.startswith("rope")  # a cosine
    exact = [float(decimals.sine(angle, turns)) for angle in angles for turns in (first, 1 - first)]
    name, _, given = spec.partition(":")
    options = dict(part.replace("/", ",").split("=") for part in given.split(","))
    table = pecli.encode(name, d=6, start=position, length=1, **options)
    assert np.abs(table[0] - exact).max() < 1e-15


@pytest.mark.parametrize("step", [0.1, 3.7, 1e6])
def test_a_mean_over_steps_is_that_of_the_table_also_far_away(step: float) -> None:
    encoding, first = Sinusoidal(d=6, step=step), 10**12
    rows = encoding.table(first + np.arange(5000.0))
    assert encoding.mean_table(Blocks(first, 5000, 5000))[0] == pytest.approx(rows.mean(axis=0), abs=1e-13)


@pytest.mark.parametrize("d", [16, 15])
@pytest.mark.parametrize(("model", "layout"), [("distilbert", "interleaved"), ("marian", "concatenated")])
def test_is_what_the_libraries_ship_for_even_and_odd_d(model: str, layout: str, d: int) -> None:
    with np.load(DATA / "sinusoidal_libraries.npz") as known:
        theirs = known[f"{model}_L20_d{d}"]
    ours = pecli.encode("sinusoidal", d=d, layout=layout, length=20)
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 1e-7


@pytest.mark.parametrize("d", [1, 2, 7, 12])
def test_concatenated_has_all_sines_then_all_cosines(d: int) -> None:
    interleaved = pecli.encode(d=d, length=11)
    concatenated = pecli.encode(d=d, length=11, layout="concatenated")
    assert np.array_equal(concatenated, np.hstack([interleaved[:, 0::2], interleaved[:, 1::2]]))


def test_tensor2tensors_table_is_that_of_log_timescale_increments() -> None:
    """The recipe of tensor2tensor and Whisper: exp(−j · ln(base) / (d/2 − 1)), all sines and then all cosines."""
    angles = np.arange(50)[:, None] * np.exp(-np.arange(8) * np.log(10000) / 7)
    made = Sinusoidal(d=16, family="tensor2tensor", layout="concatenated")
    expected = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    assert made.table(np.arange(50.0)) == pytest.approx(expected, abs=1e-12)
    assert made.rate_formula(3) == "10000^(-6/14)" and Sinusoidal(d=2, family="tensor2tensor").frequencies() == [1]
    assert made.wavelengths()[-1] == pytest.approx(2 * np.pi * 10000)
    with pytest.raises(UsageError, match="d=7 is not allowed with family"):
        Sinusoidal(d=7, family="tensor2tensor")


def test_the_fourth_articles_printed_numbers_are_those_of_half_the_exponent() -> None:
    """Its formula and its code (arange(0, d, 2)) say 2i/d for the pair i, as ours; its div_term is base^(−i/d).

    Its rows are right to three digits: it prints 0.3129 where sin(0.3162) is 0.3110. Half the exponent is base 100.
    """
    printed_rates, printed_row = [1.0, 0.3162, 0.1, 0.0316], [0.8415, 0.5403, 0.3129, 0.9499, 0.0998, 0.9950]
    code = np.exp(np.arange(0, 8, 2) * -(np.log(10000.0) / 8))
    assert Sinusoidal(d=8).frequencies() == pytest.approx(code, rel=1e-14)
    assert Sinusoidal(d=8).frequencies() == pytest.approx([1, 0.1, 0.01, 0.001], rel=1e-15)
    assert Sinusoidal(d=8, base=100).frequencies() == pytest.approx(printed_rates, abs=5e-5)
    assert pecli.encode(d=8, base=100, start=1, length=1)[0, :6] == pytest.approx(printed_row, abs=2e-3)


@pytest.mark.parametrize("length", [1, 2, 8, 13])
def test_the_table_runs_over_all_signed_offsets(length: int) -> None:
    rows = Relative().covered(Positions(length=length))
    assert rows.array().tolist() == list(range(1 - length, length))
    table = pecli.encode("relative", d=10, base=100, length=length)
    assert np.array_equal(table, pecli.encode("sinusoidal", d=10, base=100, start=1 - length, length=2 * length - 1))
    assert table[length - 1].tolist() == [0, 1] * 5


def test_the_start_of_a_sequence_does_not_matter_and_is_refused() -> None:
    with pytest.raises(UsageError, match="start=1000 changes nothing here"):
        pecli.encode("relative", d=6, length=7, start=1000)


@pytest.mark.parametrize("offset", [-7, -1, 3, 7])
def test_the_exponent_is_the_second_articles_texts_and_not_its_codes_doubled_one(offset: int) -> None:
    """The code draws base 1e8 under the name of 1e4."""
    row = pecli.encode("relative", d=32, length=8)[offset + 7]
    code = textbook(np.array([offset]), 32, 10000, doubled=2)[0]
    assert row == pytest.approx(textbook(np.array([offset]), 32, 10000)[0], abs=1e-14)
    assert np.abs(row[2:16] - code[2:16]).max() > 0.2
    assert Relative(d=32, base=1e8).table(np.array([offset]))[0] == pytest.approx(code, abs=1e-12)


@pytest.mark.long
def test_time_steps_are_called_so_and_positions_are_not() -> None:
    own, other = (pecli.encoding(f"sinusoidal:family={family}") for family in ("timestep", "tensor2tensor"))
    assert own.position_label == "sinusoidal.timestep_t" and other.position_label == "encoding.position_p"
    panel = panels_of("heatmap", encoding="sinusoidal:family=timestep,d=8", length=30, start=5)[0]
    assert panel.get_ylabel() == say("sinusoidal.timestep_t")
    panel = panels_of("heatmap", encoding="sinusoidal:family=timestep,d=8", length=30, lang="zh")[0]
    assert panel.get_ylabel() == "时间步 t"
    picture = pecli.heatmap("sinusoidal:family=timestep,d=8", length=30, start=5)
    assert say("sinusoidal.timesteps_to", first="5", last="34") in picture.alt
    mixed = pecli.offsets(["sinusoidal:family=timestep,d=8", "sinusoidal:d=8"], start=5, length=9)
    assert say("words.positions_to", first="5", last="13") in mixed.alt


@pytest.mark.long
@pytest.mark.parametrize(
    ("figure", "options"),
    [
        ("offsets", {}),
        ("distance", {}),
        ("curves", {"at": [7]}),
        ("curves", {"against": "offset"}),
        ("scatter", {"base": 10, "start": 4, "d": 128, "length": 200}),
        ("path", {"base": 100, "length": 60}),
        ("precision", {"dtype": "float16"}),
        ("precision", {"dtype": "float16", "by": "stage"}),
        ("drift", {}),
        ("unseen", {"trained": 9}),
        ("waves", {}),
    ],
)
def test_no_sentence_of_a_picture_calls_time_steps_positions(figure: str, options: dict[str, Any]) -> None:
    given = {"encoding": "sinusoidal:family=timestep", "d": 8, "length": 30, "dpi": 50, **options}
    drawing = page_of(figure, **given)
    found = [text.get_text() for text in drawing.findobj(Text) if text.get_visible()]
    assert not [text for text in found if "osition" in text or "p − q" in text]
