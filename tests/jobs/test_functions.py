"""Tests of the Python functions of figures: their types and help follow the options, and typos are errors."""

from __future__ import annotations

import ast
import inspect
import tempfile
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.jobs.functions import stub
from pecli.jobs.job_options import ANALYSES, known_options
from pecli.jobs.text import command, python_call

STUB = (Path(pecli.__file__).parent / "jobs" / "figure_functions.pyi").read_text(encoding="utf-8")
TREE = ast.parse(STUB).body
TYPED = {node.name: node.args for node in TREE if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in TREE if isinstance(node, ast.ClassDef)}


def fields(name: str) -> dict[str, str]:
    """Return the fields of a TypedDict of the stub, those of its bases too."""
    own = {ast.unparse(f.target): ast.unparse(f.annotation) for f in CLASSES[name].body if isinstance(f, ast.AnnAssign)}
    bases = [base.id for base in CLASSES[name].bases if isinstance(base, ast.Name) and base.id in CLASSES]
    return {**{name: kind for base in bases for name, kind in fields(base).items()}, **own}


def test_the_stub_is_what_the_options_give_now() -> None:
    assert stub() == STUB, "python -m pecli.jobs.functions > pecli/jobs/figure_functions.pyi"


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ANALYSES)
def test_a_function_takes_every_option_of_its_figure_and_nothing_else(name: str) -> None:
    text, signature = TYPED[name], inspect.signature(getattr(pecli, name))
    assert text.kwarg is not None and text.kwarg.annotation is not None and text.vararg is not None
    options = fields(ast.unparse(text.kwarg.annotation).removeprefix("Unpack[").removesuffix("]"))  # a typo is an error
    assert {"encoding", *options} == set(known_options(ANALYSES[name]))
    assert [arg.arg for arg in text.args] == ["encoding"] and not text.kwonlyargs
    assert {*signature.parameters} == {"encoding", "others", *options}


def test_types_and_defaults_are_those_of_the_fields() -> None:
    assert fields("HeatmapOptions")["pairing"] == "Several[Literal['interleaved', 'half']] | None"  # one picture of all
    typed = fields("ExplainOptions")
    assert (typed["rows"], typed["length"]) == ("SupportsIndex", "SupportsIndex | None")
    assert typed["periods"] == "Several[SupportsFloat | str] | None"
    assert inspect.signature(pecli.explain).parameters["rows"].default == 10


SCRIPT = """
from pathlib import Path

import numpy as np

import pecli
from pecli import *

picture = pecli.distance("sinusoidal:base=10", d=np.int64(64), length=np.int32(100), measure="cos")
reveal_type(picture.numbers.matrix)
reveal_type(pecli.bias("alibi").numbers)
pecli.heatmap(base=np.array([10.0, 100.0]), d=[16, 32], output=Path("x-{base}-{d}.png"))
pecli.waves(dims=np.arange(4), base=np.float32(10)).save(Path("a.png"), "b.svg")
spectrum(["rope", pecli.encoding("sinusoidal")], size=(4, 3))
pecli.encode("rope", length=np.int64(5), start=np.int8(1)).mean()
pecli.compare(np.ones((4, 8), np.float32), "rope", label=["mine", "RoPE"]).save("c.png")
pecli.offsets([np.ones((4, 8)), pecli.encode(np.eye(4))], length=2)
pecli.model(Path("config.json")).data["layers"]
pecli.model("config.json", override={"rope_theta": 5e5}, ignore="unknown_key").models
pecli.model("config.json", runtime=["vllm", "sglang"], override="rope_theta=5e5").found
pecli.model("model.gguf", runtime="llama.cpp", flags="--rope-freq-base 1e6").models
"""


SLIPS = ('pecli.waves(dim=["x"])', "picture.numbers.nothing", "pecli.heatmap(d=None, base='x')", "pecli.heatmap(8)")


@pytest.mark.long  # mypy reads all of numpy
def test_a_users_script_passes_a_strict_type_checker_and_slips_do_not(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "\n".join(SLIPS), encoding="utf-8")
    cache = f"--cache-dir={Path(tempfile.gettempdir()) / 'pecli-mypy'}"
    said = api.run(["--strict", "--no-error-summary", cache, str(script)])[0].splitlines()
    notes = [line.partition("type is ")[2] for line in said if "note: Revealed" in line]
    first = len(SCRIPT.splitlines()) + 1
    wrong = {int(line.split(":")[1]) for line in said if ": error:" in line}
    assert wrong == {*range(first, first + len(SLIPS))}, said
    assert "ndarray" in notes[0] and "BiasNumbers" in notes[1]


def test_a_function_is_its_figure() -> None:
    ours, other = pecli.heatmap("rope", base=10, length=5), pecli.figure("heatmap", encoding="rope", base=10, length=5)
    assert ours.job.metadata == other.job.metadata
    assert np.array_equal(ours.numbers.main, other.numbers.main)


def test_help_says_what_the_command_line_says_and_gives_lines_that_run() -> None:
    text = pecli.distance.__doc__ or ""
    assert "measure : str or several\n    measure between two rows" in text and "DistanceNumbers" in text
    assert {"heatmap", "stats"} <= set(dir(pecli)) and {"heatmap", "stats", "encode", "Picture"} <= set(pecli.__all__)  # type: ignore[attr-defined]  # made when asked


@pytest.mark.long
@pytest.mark.parametrize("name", ANALYSES)
def test_the_call_of_every_example_asks_for_what_its_line_asks_for(name: str) -> None:
    for line in (ANALYSES[name].example, *ANALYSES[name].examples):
        if ".safetensors" in line or "config.json" in line:
            continue
        picture = eval(python_call(line).removesuffix(".save()"), {"pecli": pecli})
        assert command(picture.job).split()[:2] == ["pecli", name]
        assert python_call(command(picture.job)).startswith(f"pecli.{name}(")
        again = eval(python_call(command(picture.job)).removesuffix(".save()"), {"pecli": pecli})
        assert again.job.metadata == picture.job.metadata
        assert python_call(line) in (getattr(pecli, name).__doc__ or "")


def shown(name: str, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = getattr(pecli, name)(length=3, d=4, **options)._repr_mimebundle_()
    return found


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("options", "kind", "begins"),
    [
        ({}, "image/png", b"\x89PNG"),
        ({"format": "npz"}, "image/png", b"\x89PNG"),
        ({"format": "svg"}, "image/svg+xml", b"<?xml"),
        ({"base": [2, 10], "format": "gif"}, "image/gif", b"GIF8"),
        ({"base": [2, 10], "format": "webp"}, "image/webp", b"RIFF"),
        ({"base": [2, 10], "format": "html"}, "text/html", b'<iframe srcdoc="&lt;!'),
    ],
)
def test_a_notebook_shows_the_format_that_is_asked_for(options: dict[str, Any], kind: str, begins: bytes) -> None:
    found = shown("heatmap", dpi=20, size="2.1x2.1", **options)
    assert sorted(found) == sorted([kind, "text/plain"])
    data = found[kind].encode() if kind in ("text/html", "image/svg+xml") else b64decode(found[kind])
    assert data.startswith(begins)


@pytest.mark.parametrize("name", ["stats", "table", "explain"])
def test_a_notebook_shows_a_report_in_all_three_kinds(name: str) -> None:
    found = shown(name)
    assert "<table>" in found["text/html"] and "| :--" in found["text/markdown"]
    assert "sinusoidal" in found["text/plain"] + found["text/html"] and "\x1b" not in found["text/plain"]


def test_a_notebook_runs(tmp_path: Path) -> None:
    """Through nbconvert, as a user's notebook runs; a long call shows no bar where nothing can show one."""
    nbformat, preprocessors = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert.preprocessors")
    pytest.importorskip("ipykernel")
    lines = ["pecli.heatmap(d=8)", "pecli.stats(['rope', 'binary'])", "pecli.heatmap(base=[2, 10], format='gif', d=8)"]
    cells = [nbformat.v4.new_code_cell(code) for code in ("import pecli", *lines)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    preprocessors.ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook, {})
    kinds = [set(cell.outputs[0].data) for cell in notebook.cells[1:]]
    assert [len(cell.outputs) for cell in notebook.cells] == [0, 1, 1, 1]
    assert kinds[0] == {"text/plain", "image/png"} and kinds[2] == {"text/plain", "image/gif"}
    assert kinds[1] == {"text/plain", "text/html", "text/markdown"}
