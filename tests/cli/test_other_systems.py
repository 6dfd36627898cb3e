"""Tests of what differs on Windows and macOS, as far as any system can show it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.files import writer
from tests.conftest import Ask

SMALL = ("-d", "4", "-n", "4")
HEAT = '[[figure]]\ncommand = "heatmap"\nd = 4\nlength = 4\n'


@pytest.mark.some(4)
@pytest.mark.parametrize("path", [
    "CON.csv", "aux.csv", "nul.csv", "out/Com1.csv", "lpt9.x.csv", "C:\\out\\con.csv", "a./b.csv", "a /b.csv",
    "heat:1.csv", "a?.csv", "a*.csv", 'a".csv', "a|b\\c.csv", "x<y>.csv",
])  # fmt: skip
def test_windows_refuses_what_is_no_file_name_there(path: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "WINDOWS", True)
    refused = ask("heatmap", *SMALL, "-o", path)
    assert refused.code == 2 and "is not a file name on Windows" in refused.err and not list(Path().iterdir())


@pytest.mark.parametrize("path", ["console.csv", "com.csv", "a.b.csv", "./out/../a b.csv", "null.csv"])
def test_windows_takes_other_names(path: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "WINDOWS", True)
    assert ask("heatmap", *SMALL, "-o", path).code == 0


@pytest.mark.parametrize(("words", "said"), [
    (("-o", "A.csv", "-o", "a.csv"), "--output a.csv is the same file as A.csv on Windows and macOS"),
    (("-o", "x/A.csv", "-o", "./x/a.csv"), "./x/a.csv is the same file as x/A.csv"),
    (("-e", "sinusoidal:label=q", "-e", "sinusoidal:label=Q,base=9", "-o", "{label}.csv"),
     "would be written to q.csv, the same file as Q.csv on Windows and macOS: add {base} to the name"),
    (("-e", "learned:file=t.npy", "-o", "T.npy"), "T.npy would replace a file that a picture is made from"),
])  # fmt: skip
def test_names_that_differ_only_in_case_are_refused_everywhere(words: tuple[str, ...], said: str, ask: Ask) -> None:
    np.save("t.npy", np.ones((4, 4)))
    refused = ask("heatmap", *SMALL, *words)
    assert refused.code == 2 and said in refused.err and [path.name for path in Path().iterdir()] == ["t.npy"]


@pytest.mark.parametrize(("text", "said"), [
    (f"{HEAT}output = 'A.csv'\n{HEAT}base = 9\noutput = 'a.csv'", "the same file as a.csv on Windows and macOS"),
    (f'{HEAT}encoding = "learned:file=C:\\data\\t.npy"', "write a path with / or in single quotes"),
    (f'{HEAT}encoding = "learned:file=C:\\Users\\t.npy"', "write a path with / or in single quotes"),
    pytest.param(f"{HEAT}output = 'out\\a.csv'", "write /, which Windows accepts, too", marks=pytest.mark.posix),
])  # fmt: skip
def test_batch_files_of_another_system_are_refused_with_advice(text: str, said: str, ask: Ask) -> None:
    Path("figures.toml").write_text(text, encoding="utf-8")
    refused = ask("batch", "figures.toml")
    assert refused.code in (1, 2) and said in refused.err and len(list(Path().iterdir())) == 1


@pytest.mark.posix  # where such a path is a plain name
@pytest.mark.parametrize("form", ["{}", "learned:file={}", "{}:label=mine"])
def test_paths_with_a_drive_and_backslashes_name_tables(form: str, ask: Ask) -> None:
    np.save(r"C:\x\mine.npy", np.ones((4, 4)))
    assert ask("heatmap", form.format(r"C:\x\mine.npy"), "-o", "a.csv").code == 0


def test_a_drive_that_does_not_exist_is_said(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_status", lambda _: None)
    monkeypatch.setattr("os.path.isdir", lambda _: False)
    assert "is not a folder" in ask("heatmap", *SMALL, "-o", "a.csv").err


def test_a_file_that_another_program_has_open_is_said(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(*_: Any) -> None:
        error = PermissionError(13, "Access is denied")
        error.winerror = 32  # type: ignore[attr-defined,unused-ignore]
        raise error

    monkeypatch.setattr("os.replace", held)
    ended = ask("heatmap", *SMALL, "-o", "a.csv")
    assert ended.code == 1 and "close it if another program has it open" in ended.err and not list(Path().iterdir())


@pytest.mark.long
def test_a_script_without_a_guard_is_said_where_processes_are_spawned(
    folder: Path, process: Callable[..., Any]
) -> None:
    Path("figures.toml").write_text(f'{HEAT}base = [10, 100]\noutput = "{{base}}.csv"\n', encoding="utf-8")
    lines = "import pecli\nfrom pecli.jobs import workers\nworkers.START = 'spawn'\n"
    call = "print([str(one.failure) for one in pecli.batch('figures.toml', jobs=2)])\n"
    Path("bare.py").write_text(lines + call, encoding="utf-8")
    Path("guarded.py").write_text(f"{lines}if __name__ == '__main__':\n    {call}", encoding="utf-8")
    source = {"PYTHONPATH": str(Path(pecli.__file__).parents[1])}
    bare, guarded = (process([name], folder, source, text=True).stdout for name in ("bare.py", "guarded.py"))
    assert bare.count("outside `if __name__ ==") == 2 and guarded.strip() == "['None', 'None']"
