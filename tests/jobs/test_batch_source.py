"""Where the text of a batch file comes from, and what is none."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from pecli.core.errors import UsageError
from pecli.jobs import batch as batch_source
from pecli.jobs.batch import read_batch, read_text

TEXT = '[[figure]]\ncommand = "heatmap"\noutput = "a.json"\n'


class Stream(io.TextIOWrapper):
    """Standard input with that text."""

    def __init__(self, text: str) -> None:
        super().__init__(io.BytesIO(text.encode()))


@pytest.mark.parametrize("name", batch_source.STDIN)
def test_a_stream_is_seen_from_the_current_folder(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Stream(TEXT))
    assert read_batch(name).jobs[0].paths == ("a.json",)


@pytest.mark.posix
def test_what_a_shell_puts_in_place_of_a_command_is_a_stream(folder: Path) -> None:
    read, write = os.pipe()
    os.write(write, TEXT.encode())
    os.close(write)
    try:
        assert read_batch(f"/dev/fd/{read}").jobs[0].paths == ("a.json",)
    finally:
        os.close(read)


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match=r"^standard input is closed"):
        read_text("-")


@pytest.mark.posix
def test_what_never_ends_or_never_begins_is_refused(folder: Path) -> None:
    os.mkfifo("pipe")
    for name in ("pipe", "/dev/zero"):
        with pytest.raises(UsageError, match=rf"^{name} is no file: .* pecli batch - < {name}$"):
            read_text(name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", "it is a folder"),
        ("none.toml", "does not exist"),
        ("a\0b", "could not be read"),
        ("a" * 300, "could not be"),
    ],
)
def test_what_cannot_be_read_is_told(name: str, said: str, folder: Path) -> None:
    with pytest.raises(UsageError, match=said):
        read_text(name)
