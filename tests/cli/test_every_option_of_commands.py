"""Tests that every option of the other commands changes the result or is refused.

Options of figures and reports are tested in `tests/jobs/test_every_option.py`. `redraw` and `explore` also take the
options of figures.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.cli.app import FILES, WORDS
from pecli.core.errors import notice
from tests.conftest import Ask

BATCH = "d = 4\nlength = 3\ndpi = 20\n[[figure]]\ncommand = 'heatmap'\noutput = 'a.json'\n"
CONFIG = '{"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2, "max_position_embeddings": 32}'
EXTEND = "extend config.json --to 256"
CONTEXT = "context"  # Typer's own, no option


def signs(line: str) -> dict[str, tuple[str, str]]:
    """Return the lines of the signs of .csv, of a command that has one."""
    csv = f"{line} --format csv"
    return {"csv_sep": (csv, f"{csv} --csv-sep tab"), "decimal": (csv, f"{csv} --decimal comma")}


ASKED = {  # of every option a line without it and one with it
    "batch": {
        "file": ("batch", "batch two.toml"),
        "init": ("batch none.toml", "batch none.toml --init"),
        "schema": ("batch", "batch --schema"),
        "folder": ("batch two.toml", "batch two.toml --folder new"),
        "only": ("batch two.toml", "batch two.toml --only a.json"),
        "dry_run": ("batch two.toml", "batch two.toml --dry-run"),
        "check": ("batch two.toml", "batch two.toml --check"),
        "jobs": ("batch two.toml", "batch two.toml -j 0"),  # as many give the same
        "shard": ("batch two.toml", "batch two.toml --shard 1/2"),
        "dask": ("batch two.toml", "batch two.toml --dask tcp://127.0.0.1:1 -j 1"),
        "force": ("batch done.toml", "batch done.toml --force"),
        "fail_fast": ("batch fails.toml -j 1", "batch fails.toml -j 1 --fail-fast"),
        "index": ("batch two.toml", "batch two.toml --index p.md"),
        "json": ("batch two.toml", "batch two.toml --json"),
        "quiet": ("batch two.toml", "batch two.toml -q"),
        "verbose": ("batch none.toml", "batch none.toml -v"),
    },
    "redraw": {CONTEXT: ("redraw", "redraw"), "file": ("redraw", "redraw done.json -n 2 -o b.json")},
    "recipe": {
        "files": ("recipe", "recipe done.json"),
        "form": ("recipe done.json", "recipe done.json --form toml"),
        "output": ("recipe done.json", "recipe done.json -o b.json"),
        "json": ("recipe done.json", "recipe done.json --json"),
        "quiet": ("recipe lost.json", "recipe lost.json -q"),
        "verbose": ("recipe none.json", "recipe none.json -v"),
    },
    "encodings": {
        "names": ("encodings", "encodings rope"),
        "output": ("encodings", "encodings -o e.md"),
        "format": ("encodings", "encodings --format csv"),
        **signs("encodings"),
        "json": ("encodings", "encodings --json"),
        "cite": ("encodings", "encodings --cite"),
        "verbose": ("encodings none", "encodings none -v"),
    },
    "model": {
        "paths": ("model", "model config.json odd.json"),
        "seq_len": ("model dynamic.json", "model dynamic.json -n 64"),
        "output": ("model config.json", "model config.json -o m.md"),
        "format": ("model config.json", "model config.json --format md"),
        **signs("model config.json"),
        "json": ("model config.json", "model config.json --json"),
        "cite": ("model config.json", "model config.json --cite"),
        "strict": ("model odd.json", "model odd.json --strict"),
        "same": ("model config.json odd.json", "model config.json odd.json --same"),
        "tolerance": ("model config.json near.json --same", "model config.json near.json --same --tolerance 0.1"),
        "runtime": ("model config.json", "model config.json --runtime all"),
        "flags": ("model config.json --runtime llama.cpp", "model config.json --runtime llama.cpp --flags --none"),
        "override": ("model config.json", "model config.json --override head_dim=8"),
        "figure": ("model config.json near.json -o m.svg", "model config.json near.json -o m.svg --figure drift"),
        "ignore": ("model odd.json", "model odd.json --ignore unknown_key"),
        "lang": ("model config.json", "model config.json --lang zh"),
        "verbose": ("model none", "model none -v"),
    },
    "extend": {
        "path": ("extend --to 256", EXTEND),
        "to": ("extend config.json", EXTEND),
        "trained": (EXTEND, f"{EXTEND} --trained 64"),
        "new_base": (EXTEND, f"{EXTEND} --new-base 20000"),
        "method": (EXTEND, f"{EXTEND} --method linear"),
        "output": (EXTEND, f"{EXTEND} -o m.md"),
        "format": (EXTEND, f"{EXTEND} --format md"),
        **signs(EXTEND),
        "json": (EXTEND, f"{EXTEND} --json"),
        "lang": (EXTEND, f"{EXTEND} --lang zh"),
        "verbose": ("extend none --to 256", "extend none --to 256 -v"),
    },
    "identify": {
        "table": ("identify", "identify t.csv"),
        "rates": ("identify", "identify --rates 1,0.1"),
        "base": ("identify --rates 1,0.1", "identify --rates 1,0.1 --base 10"),
        "tensor": ("identify t.csv", "identify t.csv --tensor none"),
        "output": ("identify t.csv", "identify t.csv -o t.md"),
        "format": ("identify t.csv", "identify t.csv --format md"),
        **signs("identify t.csv"),
        "json": ("identify t.csv", "identify t.csv --json"),
        "show": ("identify t.csv", "identify t.csv --show"),
        "strict": ("identify reversed.csv", "identify reversed.csv --strict"),
        "lang": ("identify t.csv", "identify t.csv --lang zh"),
        "quiet": ("identify --rates 1,0.1 -o r.png", "identify --rates 1,0.1 -o r.png -q"),
        "verbose": ("identify none.csv", "identify none.csv -v"),
    },
    "tensors": {
        "files": ("tensors", "tensors t.csv"),
        "output": ("tensors t.csv", "tensors t.csv -o t.md"),
        "format": ("tensors t.csv", "tensors t.csv --format csv"),
        **signs("tensors t.csv"),
        "json": ("tensors t.csv", "tensors t.csv --json"),
        "verbose": ("tensors none.csv", "tensors none.csv -v"),
    },
    "schema": {
        "command": ("schema", "schema model"),
        "verbose": ("schema none", "schema none -v"),
    },
    "skill": {},
    "explore": {
        CONTEXT: ("explore", "explore"),
        "figure": ("explore", "explore nothing"),
        "port": ("explore", "explore --port 65536"),
        "no_browser": ("explore", "explore --no-browser"),
    },
}


@pytest.fixture
def furnished(ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Files of all kinds; what is opened is told."""
    window = SimpleNamespace(open=lambda url: notice("a window"))
    monkeypatch.setattr("webbrowser.get", lambda: window)
    Path("two.toml").write_text(
        f"[defaults]\n{BATCH}[[figure]]\ncommand = 'waves'\noutput = 'b.json'\n", encoding="utf-8"
    )
    Path("done.toml").write_text("[defaults]\n" + BATCH.replace("a.json", "done.json"), encoding="utf-8")
    lost = "[[figure]]\ncommand = 'waves'\nsize = '0.6x0.6'\noutput = 'c.png'\n"
    Path("fails.toml").write_text(f"{lost}[[figure]]\ncommand = 'waves'\noutput = 'b.json'\n", encoding="utf-8")
    Path("t.csv").write_text("1,2\n3,4\n", encoding="utf-8")
    np.savetxt("reversed.csv", pecli.encode("sinusoidal", d=8, length=20)[:, ::-1], delimiter=",")
    Path("config.json").write_text(CONFIG, encoding="utf-8")
    scaling = '"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}'
    Path("dynamic.json").write_text(f"{CONFIG[:-1]}, {scaling}}}", encoding="utf-8")
    Path("near.json").write_text(f'{CONFIG[:-1]}, "rope_theta": 10001.0}}', encoding="utf-8")
    Path("odd.json").write_text(CONFIG.replace("{", '{"rope_thetta": 5, ', 1), encoding="utf-8")
    assert ask("batch", "done.toml", "-q", "-j", "1").code == 0
    assert ask("heatmap", "-e", "learned:file=t.csv", "-o", "lost.json").code == 0
    Path("lost.json").write_text(
        Path("lost.json").read_text(encoding="utf-8").replace("file=t.csv", "file=gone.csv"), encoding="utf-8"
    )
    return ask


def test_every_option_of_every_command_is_asked_for() -> None:
    found = {name: [*inspect.signature(command.function).parameters] for name, command in (WORDS | FILES).items()}
    found["redraw"] = [name for name in found["redraw"] if name in (CONTEXT, "file")]  # the figure's own have theirs
    silent = {
        "encodings": {"quiet"},
        "model": {"quiet"},
        "extend": {"quiet"},
        "tensors": {"quiet"},
        "schema": {"quiet"},
    }  # it silences what these say rarely
    assert {name: {*options} for name, options in ASKED.items()} == {
        name: {*options} - silent.get(name, set()) for name, options in found.items()
    }


@pytest.mark.some(3)
@pytest.mark.parametrize("command", ASKED)
def test_an_option_changes_what_comes_or_is_refused(command: str, furnished: Ask, folder: Path) -> None:
    lines = {name: lines for name, lines in ASKED[command].items() if name != CONTEXT}
    came = {line: outcome(furnished, folder, line) for line in dict.fromkeys(sum(lines.values(), ()))}
    assert [name for name, (without, given) in lines.items() if came[without] == came[given]] == []


def outcome(ask: Ask, folder: Path, line: str) -> tuple[Any, ...]:
    """Return what comes of a line, but for the time that it takes and the port that is free; what it makes goes
    again.
    """
    before = set(folder.rglob("*"))
    ended = ask(*line.split())
    made = {path: path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*") if path not in before}
    for path in sorted(made, reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    item = [re.sub(r"in \d+\.\d s|:\d{4,}/\S*", "", text) for text in (ended.out, ended.err)]
    return ended.code, item, {str(path): data for path, data in made.items()}
