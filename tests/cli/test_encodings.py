"""Tests of `pecli encodings`, and of every figure of every encoding, which is drawn or refused with advice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure as Drawing
from typer.testing import CliRunner

import pecli
from pecli.cli.app import app
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.options import REQUIRED
from pecli.encodings.base import BiasEncoding, Rotary
from pecli.encodings.registry import ENCODINGS
from pecli.figures import FIGURES
from pecli.figures.maps import OverGrid

WIDE = {"COLUMNS": "400"}
TOLD = ("summary", "kind", "models", "source")


def ask(*words: str) -> str:
    """Return what the command prints."""
    ended = CliRunner().invoke(app, ["encodings", *words], env=WIDE)
    assert ended.exit_code == 0
    assert ended.stderr == ""
    return ended.stdout


def test_the_list_has_every_encoding_with_what_its_class_says() -> None:
    rows = {line.partition(",")[0]: line for line in ask("--format", "csv").splitlines()[1:]}
    assert [*rows] == [*ENCODINGS] and [name for name in ENCODINGS if name not in ask()] == []
    for name, encoding in ENCODINGS.items():
        assert [fact for fact in TOLD if getattr(encoding, fact) not in rows[name]] == []
        assert ("fixed formula" in rows[name]) is not encoding.trained
        assert ("extrapolates" in rows[name]) is encoding.extrapolates


@pytest.mark.some(12)
@pytest.mark.parametrize("name", ENCODINGS)
def test_one_encoding_is_told_with_its_parameters_and_the_figures_that_take_it(name: str) -> None:
    text, encoding = ask(name), ENCODINGS[name]
    assert [fact for fact in (*TOLD, "formula", "example") if say(getattr(encoding, fact)) not in text] == []
    for parameter, option in encoding.options().items():
        lines = [line for line in text.splitlines() if line.split()[:1] == [parameter]]
        assert len(lines) == (1 if option.only_with is None else len(option.only_with[1]))
        for line, value in zip(lines, (option.only_with or ("", ("",)))[1], strict=True):
            default = option.unset if option.default is None else option.write(option.default)
            default = REQUIRED if value in option.needed_with else default
            assert (REQUIRED in line) == (default == REQUIRED)
            switch = option.scalar is bool and not option.default  # off where it is not given
            assert option.help in line and (switch or f"{'' if default == REQUIRED else 'default '}{default}" in line)
            assert option.at_least is None or option.at_least <= -1e6 or str(option.at_least) in line
            assert [word for word in (option.choices() if option.choices else ()) if word not in line] == []
    (line,) = [line for line in text.splitlines() if line.split()[:1] == ["figures"]]
    assert set(re.split(r",?\s+", line.strip())[1:]) & set(FIGURES) == fitting(name)
    assert len(encoding.summary) < 100 and not encoding.summary.endswith(".")


def fitting(name: str) -> set[str]:
    """Return the figures that take an encoding."""
    return {figure for figure, item in FIGURES.items() if item.takes(ENCODINGS[name])}


@pytest.mark.parametrize(
    ("spec", "there", "absent"),
    [
        ("rope:scaling=yarn", "with scaling=yarn", "with scaling=ntk"),  # what it requires need not be given
        ("rope:scaling=ntk,factor=4", "rope:scaling=ntk,factor=4", "beta_fast"),
        ("rope:scaling=yarn --cite", "2309.00071", "2306.15595"),
        ("rope:scaling=yarn --json", "beta_fast", "low_freq_factor"),
    ],
)
def test_a_spec_is_told_without_what_it_rules_out(spec: str, there: str, absent: str) -> None:
    text = ask(*spec.split())
    assert there in text and absent not in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ropee", "did you mean 'rope'"),
        ("Clokc", "did you mean 'clock'"),
        ("rope:scaling=yarm", "did you mean 'yarn'"),
    ],
)
def test_an_unknown_encoding_ends_with_2_and_the_nearest(name: str, said: str) -> None:
    ended = CliRunner().invoke(app, ["encodings", name])
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert ended.stdout == ""


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in ENCODINGS if name != "learned"])
def test_the_examples_options_are_the_programs(name: str, tmp_path: Path) -> None:
    """Run at a tenth of the resolution, at a length that takes no time."""
    words = ENCODINGS[name].example.split()[1:]
    words = [word for at, word in enumerate(words) if word != "-o" and words[at - 1] != "-o"]
    target = tmp_path / "example.png"
    ended = CliRunner().invoke(app, [*words, "--dpi", "20", "--size", "column", "-o", str(target)])
    assert ended.exit_code == 0, ended.stderr
    assert target.read_bytes().startswith(b"\x89PNG")


# the numbers of each are in the record; what draws and refuses them is the figure's, of which a share is enough
@pytest.mark.some(40)
@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("name", ENCODINGS)
def test_every_figure_of_every_encoding_is_drawn_or_refused(name: str, figure: str) -> None:
    options: dict[str, object] = {"encoding": f"{name}:d=8" if "d" in ENCODINGS[name].options() else name, "dpi": 20}
    if issubclass(ENCODINGS[name], BiasEncoding):
        options |= {"compare": {"figure": "bias"}, "overview": {"panels": "bias"}}.get(figure, {})
    if figure not in fitting(name):
        with pytest.raises(UsageError, match=f"{figure} (cannot show|shows .* not) {name}[:,] .*try ") as caught:
            pecli.figure(figure, **options)
        *tried, rest = str(caught.value).rpartition("try ")[2].split(", ")
        names = [item for item in FIGURES if item in fitting(name)]
        assert tried == (["bias", names[0]] if issubclass(ENCODINGS[name], BiasEncoding) else names[:2])
        assert rest == f"…; pecli encodings {name} lists all figures"
    elif issubclass(FIGURES[figure], OverGrid) and name != "sincos2d":
        with pytest.raises(UsageError, match=rf"{figure} shows positions in a grid, .* form a line: give grid"):
            pecli.figure(figure, **options)
    elif figure == "relative" and name in ("binary", "learned", "sincos2d"):  # a table, but none for negative offsets
        with pytest.raises(UsageError, match=name):
            pecli.figure(figure, **options)
    elif figure == "rotation" and not issubclass(ENCODINGS[name], Rotary):
        with pytest.raises(UsageError, match=f"{name} rotates no query"):
            pecli.figure(figure, **options)
    elif figure == "attention" and name == "t5":
        with pytest.raises(UsageError, match="t5 adds a learned bias; give its table"):
            pecli.figure(figure, **options)
    else:
        axes = Drawing(dpi=20).subplots()
        assert pecli.figure(figure, **options).draw(axes) is axes
        parts = [axes, *axes.child_axes]
        drawn = [(*part.get_images(), *part.get_lines(), *part.collections, *part.patches) for part in parts]
        assert any(drawn)
