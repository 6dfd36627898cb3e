"""Tests of the command line that is printed for a job."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.core.errors import is_printable
from pecli.jobs.job import Job
from pecli.jobs.sweep import make_job
from pecli.jobs.text import command, quoted


def job(analysis: str = "heatmap", /, **options: Any) -> Job:
    return make_job(analysis, options)


@pytest.mark.parametrize("encoding", ["sinusoidal", "sinusoidal:base=10", "rope", "clock:periods=60,3600"])
def test_the_command_line_names_an_encoding_only_where_it_is_not_the_usual(encoding: str) -> None:
    words = shlex.split(command(job(encoding=encoding)))
    assert ("--encoding" in words) == (not encoding.startswith("sinusoidal"))
    assert ("--base" in words) == ("base" in encoding)


def test_encodings_stand_without_an_option_where_they_are_the_subject() -> None:
    words = shlex.split(command(job("compare", encoding=["sinusoidal:base=10", "rope"], figure="curves")))
    assert words == ["pecli", "compare", "sinusoidal:base=10", "rope", "--figure", "curves"]


SHELLS = [words for words in (["dash"], ["bash"], ["busybox", "sh"], ["sh"]) if shutil.which(words[0])]
LETTERS = "".join(map(chr, range(1, 128)))
WORDS = [
    LETTERS,
    *LETTERS.replace("\n", ""),
    "位置编码",
    "a\n\n位\x9b\u2028.",
    "x\n'; touch PWNED #",
    "\t$(touch PWNED)`touch PWNED`",
    "",
    "100%d \\n \\012",
]


@pytest.mark.long
@pytest.mark.parametrize("shell", SHELLS, ids=lambda words: words[0])
def test_every_shell_reads_back_the_word(tmp_path: Path, shell: list[str]) -> None:
    line = "printf '%s\\0' " + " ".join(map(quoted, WORDS))
    ended = subprocess.run([*shell, "-c", line], capture_output=True, check=True, cwd=tmp_path, timeout=10)
    assert ended.stdout.decode().split("\0")[:-1] == WORDS
    assert list(tmp_path.iterdir()) == []


@pytest.mark.some(5)
@pytest.mark.parametrize("word", WORDS, ids=ascii)
def test_what_is_printed_to_be_run_does_nothing_to_a_terminal(word: str) -> None:
    assert all(map(is_printable, quoted(word)))


@pytest.mark.long
def test_a_recipe_does_nothing_but_what_it_says(
    folder: Path, process: Callable[..., subprocess.CompletedProcess[Any]]
) -> None:
    title = "位置\n'; touch PWNED #\x9b\u202e"
    pecli.figure("heatmap", d=4, length=3, dpi=20, title=title).save("t.json")
    ended = process(["-m", "pecli", "recipe", "t.json"], folder, {"PYTHONIOENCODING": "utf-8"})
    text = subprocess.run(["sh", "-c", f"printf '%s\\0' {ended.stdout.decode()}"], capture_output=True, check=True)
    assert title in text.stdout.decode().split("\0")
    assert not (folder / "PWNED").exists()
