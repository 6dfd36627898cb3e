"""A function a figure: what editors and type checkers are told is what the options are, and a typo is an error."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

import pecli
from pecli.jobs.functions import stub
from pecli.jobs.job_options import ANALYSES, known_options

STUB = (Path(pecli.__file__).parent / "jobs" / "figure_functions.pyi").read_text(encoding="utf-8")
TYPED = {node.name: node.args for node in ast.parse(STUB).body if isinstance(node, ast.FunctionDef)}


def test_the_stub_is_what_the_options_give_now() -> None:
    assert stub() == STUB, "python -m pecli.jobs.functions > pecli/jobs/figure_functions.pyi"


@pytest.mark.parametrize("name", ANALYSES)
def test_a_function_takes_every_option_of_its_figure_and_nothing_else(name: str) -> None:
    text, signature = TYPED[name], inspect.signature(getattr(pecli, name))
    assert {arg.arg for arg in (*text.args, *text.kwonlyargs)} == set(known_options(ANALYSES[name]))
    assert text.kwarg is None and text.vararg is None  # so that a typo is an error
    assert [arg.arg for arg in text.args] == ["encoding"]
    assert list(signature.parameters) == [arg.arg for arg in (*text.args, *text.kwonlyargs)]


def test_types_and_defaults_are_those_of_the_fields() -> None:
    (line, *_) = [line for line in STUB.splitlines() if line.startswith("    pairing: ")]
    item = 'Literal["interleaved", "half"]'
    assert line == f"    pairing: {item} | Sequence[{item}] | None = None,"  # several are one picture of all
    typed = inspect.signature(pecli.explain).parameters
    assert (typed["rows"].annotation, typed["rows"].default) == ("int", 10)
    assert (typed["length"].annotation, typed["length"].default) == ("int | None", None)
    assert typed["periods"].annotation == "float | str | Sequence[float | str] | None"


def test_a_function_is_its_figure() -> None:
    ours, other = pecli.heatmap("rope", base=10, length=5), pecli.figure("heatmap", encoding="rope", base=10, length=5)
    assert ours.job.metadata == other.job.metadata
    assert np.array_equal(ours.numbers.main, other.numbers.main)


def test_help_lists_the_options() -> None:
    text = pecli.distance.__doc__ or ""
    assert "measure : Literal" in text and "how two rows are compared" in text
    assert {"heatmap", "stats"} <= set(dir(pecli))


def test_a_notebook_shows_svg_where_it_is_asked_for() -> None:
    asked, plain = (pecli.heatmap(length=3, d=4, dpi=20, size="2x2", format=item) for item in ("svg", None))
    assert asked._repr_png_() is None and "</svg>" in (asked._repr_svg_() or "")
    assert plain._repr_svg_() is None and (plain._repr_png_() or b"").startswith(b"\x89PNG")
