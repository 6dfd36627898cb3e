"""Files of strangers: what one carries says what to draw, never where to, and reads nothing that lies elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.files.formats import FORMATS
from pecli.files.metadata import READERS, read_metadata
from pecli.jobs.job import Job
from tests.conftest import Ask

VICTIM = "../home/.bashrc"
PLACES: dict[str, Any] = {"output": [VICTIM], "format": "json", "no_clobber": True, "title": "$(touch owned)"}
SMALL: dict[str, Any] = {"d": 4, "length": 5, "dpi": 20}


@pytest.fixture
def strange(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Make a file as pecli does, in a folder of downloads, the current one, that carries this besides its own job."""
    for name in ("home", "downloads"):
        (folder / name).mkdir()
    monkeypatch.chdir(folder / "downloads")
    Path(VICTIM).write_text("mine")
    np.save("../home/table.npy", np.ones((5, 4)))

    def make(format: str, carries: dict[str, Any], figure: str = "heatmap") -> str:
        own = Job.settings
        job = pecli.figure(figure, **SMALL, **({"base": [10, 100]} if FORMATS[format].frames else {}))
        with monkeypatch.context() as patch:
            patch.setattr(Job, "settings", lambda self: {**own(self), **carries})
            job.save(f"evil.{format}")
        assert carries.items() <= read_metadata(f"evil.{format}")["job"].items()
        return f"evil.{format}"

    return make


@pytest.mark.parametrize("format", [name for name in READERS if name not in ("webp", "html", "svg")])  # as gif and pdf
def test_no_file_says_where_to_write(
    format: str, ask: Ask, strange: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = strange(format, PLACES)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("KITTY_WINDOW_ID", "1")
    Path("figures.toml").write_text(f'[[figure]]\ncommand = "heatmap"\nlength = 5\noutput = "{file}"\n')
    lines = [("redraw", file, "--dpi", "30"), ("recipe", file), ("recipe", file, "--json")]
    if format == "png":  # what any other carries takes the same ways
        lines += [
            ("redraw", file, "--dpi", "30", "--show"),
            ("redraw", file, "--dpi", "30", "-o", "-", "--format", "svg"),
            ("recipe", file, "--form", "toml"),
            ("batch", "figures.toml", "--check"),
            ("batch", "figures.toml"),
        ]
    for words in lines:
        ended = ask(*words)
        assert "bashrc" not in ended.out + ended.err and ("format" not in ended.out or "svg" in words), words
        assert ended.code == 0 or words[0] == "batch", ended.err
    made = {item.name for item in Path().iterdir()} - {file, "figures.toml"}
    assert len(made) == 1 and made.pop().startswith("heatmap-sinusoidal-")
    assert Path(VICTIM).read_text() == "mine" and len(list(Path("../home").iterdir())) == 2


@pytest.mark.parametrize("key", ["output", "o", "no-clobber", "no_clobber", "format"])
def test_a_place_by_any_of_its_names_is_left_out(key: str, ask: Ask, strange: Callable[..., str]) -> None:
    ended = ask("redraw", strange("json", {key: True if "clobber" in key else "npz"}), "--json")
    assert ended.code == 0 and '"path": "heatmap-sinusoidal-d4-length5-dpi20.png"' in ended.out


@pytest.mark.posix
@pytest.mark.parametrize(("figure", "carries", "named"), [
    ("heatmap", {"encoding": ["learned:file={}"]}, "--file {}"),
    ("bias", {"encoding": ["t5:file={}"]}, "--file {}"),
    ("compare", {"encoding": ["learned:file={}", "learned"]}, "-e learned:file={} -e learned"),
    ("heatmap", {"encoding": ["rope:query={}"]}, "--query {}"),
    ("attention", {"embeddings": "{}"}, "--embeddings {}"),
    ("rotation", {"content": "{}"}, "--content {}"),
    ("heatmap", {"style": "{}"}, "--style {}"),
    ("heatmap", {"font": "{}"}, "--font {}"),
    ("heatmap", {"encoding": ["{}"]}, "pecli redraw evil.json -e {}"),
])  # fmt: skip
@pytest.mark.parametrize("path", ["{folder}/home/config.json", "link.json", "sub/../../home/c"])
def test_a_file_that_lies_elsewhere_is_not_read(
    figure: str, carries: dict[str, Any], named: str, path: str, ask: Ask, folder: Path, strange: Callable[..., str]
) -> None:
    path = path.replace("{folder}", str(folder))
    Path("sub").mkdir(exist_ok=True)
    file = strange("json", {})
    for place in ("../home/config.json", "../home/c"):
        Path(place).write_text("{}")
    Path("link.json").symlink_to("../home/config.json")
    Path(file).write_text(json.dumps({"job": {"command": figure, **carries}}).replace("{}", path))
    refused = ask("redraw", file)
    assert refused.code == 2 and refused.err.count("\n") == 1
    assert refused.err.endswith(
        f"{file} needs {path}, which is not beside it: "
        f"to have it read all the same, name it: {named.replace('{}', path)}\n"
    )
    assert sorted(item.name for item in Path().iterdir()) == ["evil.json", "link.json", "sub"]


def test_what_is_named_or_lies_beside_is_read(ask: Ask, strange: Callable[..., str]) -> None:
    file = strange("png", {"encoding": ["learned:file=../home/table.npy"]})
    assert ask("redraw", file, "-o", "a.png").code == 2
    for words in (("--file", "../home/table.npy"), ("-e", "learned:file=../home/../home/table.npy")):
        assert ask("redraw", file, *words, "-o", "a.png").code == 0
    Path("table.npy").write_bytes(Path("../home/table.npy").read_bytes())
    assert ask("redraw", file, "-o", "a.png").code == 0


@pytest.mark.parametrize("title", ["a\x1b[31mb", "a\nb", "a\x9bb", "a\x00b", "a\u202eb"])
@pytest.mark.parametrize("command", ["redraw", "recipe"])
def test_no_title_from_a_file_moves_the_terminal(title: str, command: str, ask: Ask, folder: Path) -> None:
    Path("evil.json").write_text(json.dumps({"job": {"command": "heatmap", "title": title}}))
    ended = ask(command, "evil.json")
    text = ended.out + ended.err
    assert text[:-1].isprintable() and text.endswith("\n") and ended.code in (0, 2)
