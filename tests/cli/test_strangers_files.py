"""Tests of untrusted files: a stored job says what to draw, but not where to write or what else to read."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.files.formats import FORMATS
from pecli.files.metadata import METADATA_READERS, read_metadata
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
    Path(VICTIM).write_text("mine", encoding="utf-8")
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


@pytest.mark.some(5)
@pytest.mark.parametrize(
    "format", [name for name in METADATA_READERS if name not in ("webp", "html", "svg")]
)  # as gif and pdf
def test_no_file_says_where_to_write(
    format: str, ask: Ask, strange: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = strange(format, PLACES)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("KITTY_WINDOW_ID", "1")
    Path("figures.toml").write_text(
        f'[[figure]]\ncommand = "heatmap"\nlength = 5\noutput = "{file}"\n', encoding="utf-8"
    )
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
    assert Path(VICTIM).read_text(encoding="utf-8") == "mine" and len(list(Path("../home").iterdir())) == 2


@pytest.mark.long
@pytest.mark.parametrize("key", ["output", "o", "no-clobber", "no_clobber", "format"])
def test_a_place_by_any_of_its_names_is_left_out(key: str, ask: Ask, strange: Callable[..., str]) -> None:
    ended = ask("redraw", strange("json", {key: True if "clobber" in key else "npz"}), "--json")
    assert ended.code == 0 and '"path": "heatmap-sinusoidal-d4-length5-dpi20.png"' in ended.out


@pytest.mark.some(14)
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
        Path(place).write_text("{}", encoding="utf-8")
    Path("link.json").symlink_to("../home/config.json")
    Path(file).write_text(json.dumps({"job": {"command": figure, **carries}}).replace("{}", path), encoding="utf-8")
    refused = ask("redraw", file)
    assert refused.code == 2 and refused.err.count("\n") == 1
    assert refused.err.endswith(
        f"{file} needs {path}, which is not beside it: to read it anyway, name it: {named.replace('{}', path)}\n"
    )
    assert sorted(item.name for item in Path().iterdir()) == ["evil.json", "link.json", "sub"]


@pytest.mark.long
def test_what_is_named_or_lies_beside_is_read(ask: Ask, strange: Callable[..., str]) -> None:
    file = strange("png", {"encoding": ["learned:file=../home/table.npy"]})
    assert ask("redraw", file, "-o", "a.png").code == 2
    for words in (("--file", "../home/table.npy"), ("-e", "learned:file=../home/../home/table.npy")):
        assert ask("redraw", file, *words, "-o", "a.png").code == 0
    Path("table.npy").write_bytes(Path("../home/table.npy").read_bytes())
    assert ask("redraw", file, "-o", "a.png").code == 0


@pytest.mark.some(12)
@pytest.mark.parametrize("title", ["a\x1b[31mb", "a\nb", "a\x9bb", "a\x00b", "a\u202eb"])
@pytest.mark.parametrize("command", ["redraw", "recipe"])
def test_no_title_from_a_file_moves_the_terminal(title: str, command: str, ask: Ask, folder: Path) -> None:
    Path("evil.json").write_text(json.dumps({"job": {"command": "heatmap", "title": title}}), encoding="utf-8")
    ended = ask(command, "evil.json")
    text = ended.out + ended.err
    assert text[:-1].isprintable() and text.endswith("\n") and ended.code in (0, 2)


LONG = 20_000  # characters: what took their square took seconds


@pytest.fixture
def in_time() -> Iterator[None]:
    """End a test of one line that takes minutes: nothing here takes a second."""

    def end(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, 10)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize(
    "carries",
    [
        {"base": "1" * LONG + "x"},
        {"base": "1" * LONG},
        {"base": "1.." + "1" * LONG},
        {"base": "1..9:" + "1" * LONG},
        {"length": "1" * LONG},
        {"size": "4" + " " * LONG + "!"},
        {"size": "4x4" + " " * LONG + "!"},
        {"at": "1" * LONG + "x3"},
        {"highlight": "1" * LONG},
        {"encoding": "rope:sequence=" + "1" * LONG},
        {"encoding": "rope:sequence=²"},
        {"encoding": f"sincos2d:grid={'1' * LONG}x3"},
    ],
    ids=lambda carries: str(carries)[:30],
)
def test_a_long_text_is_refused_at_once(carries: dict[str, str], ask: Ask, folder: Path) -> None:
    figure = "curves" if "at" in carries else "heatmap"
    Path("evil.json").write_text(json.dumps({"job": {"command": figure, **carries}}), encoding="utf-8")
    assert ask("recipe", "evil.json").code == 2
    words = [carries["encoding"]] if "encoding" in carries else [f"--{name}={text}" for name, text in carries.items()]
    ended = ask(figure, *words, "-o", "a.png")
    assert ended.code == 2 and len(ended.err) < 400


@pytest.mark.some(5)
@pytest.mark.parametrize("encoding", [[None], [[None]], [5], {}, [{}]])
def test_an_encoding_that_is_no_text_is_refused(encoding: Any, ask: Ask, folder: Path) -> None:
    Path("evil.json").write_text(json.dumps({"job": {"command": "heatmap", "encoding": encoding}}), encoding="utf-8")
    for words in (("recipe", "evil.json"), ("redraw", "evil.json", "-o", "a.npy")):
        assert ask(*words).code == 2


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.usefixtures("in_time")
def test_a_long_cell_is_read_or_refused_at_once(ask: Ask) -> None:
    for cell, code in (("1" * LONG + "x", 1), ("1." + "1" * LONG, 0), ("1" * LONG, 1)):
        Path("t.csv").write_text(f"1,2\n3,4\n{cell},5\n", encoding="utf-8")
        ended = ask("heatmap", "learned:file=t.csv", "-o", "a.png")
        assert ended.code == code and len(ended.err) < 400


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.usefixtures("in_time")
def test_of_files_elsewhere_those_of_known_endings_are_known_again(
    ask: Ask, strange: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("../home/plain.mplstyle").write_text("lines.linewidth: 3\n", encoding="utf-8")
    file = strange("png", {})
    words = ["heatmap", "-n", "5", "--file", "../home/table.npy", "--style", "../home/plain.mplstyle", "-o", file]
    assert ask(*words, "-e", "learned").code == 0
    assert ask("recipe", file).err == "" and ask("redraw", file, "-o", "again.png").code == 0
    with monkeypatch.context() as patch:
        patch.setattr("pecli.files.tables.MAX_HASHED", 10)
        assert ask("recipe", file).err.count("\n") == 2 and ask("redraw", file, "-o", "again.png").code == 2
    Path("../home/plain.mplstyle").rename("../home/plain")
    prints = read_metadata(file)["inputs"]
    for named in ("../home/plain", "/proc/self/pagemap"):  # the latter has no end
        Path("evil.json").write_text(
            json.dumps({"job": {"command": "heatmap", "style": named}, "inputs": prints}), encoding="utf-8"
        )
        assert ask("recipe", "evil.json").err.count("\n") == 1
        assert ask("redraw", "evil.json", "-o", "again.png").code == 2
    Path("t.csv").symlink_to("/proc/self/pagemap")
    Path("evil.json").write_text(
        json.dumps({"job": {"command": "heatmap", "file": "t.csv"}, "inputs": prints}), encoding="utf-8"
    )
    assert ask("redraw", "evil.json", "-e", "learned", "-o", "again.png").code != 0
