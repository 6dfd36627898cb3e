"""What several tests share: the command line in this process and in one of its own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from pecli.cli.app import app
from pecli.encodings.registry import Encoding, plugins

LONGEST = ("test_readme", "test_hub", "test_frames", "test_identify", "test_outputs", "test_environment")
OWN = (
    "PECLI_LANG",
    "MPLBACKEND",
    "MATPLOTLIBRC",
    "SOURCE_DATE_EPOCH",
    "NO_COLOR",
    "FORCE_COLOR",
    "PYTHONWARNINGS",
    "PYTHONDONTWRITEBYTECODE",  # dozens of processes compile pecli once
)


def pytest_configure() -> None:
    """Handle the signals that whoever started the tests ignores, as nohup and a shell's & do: children inherit that.

    The garbage collector comes more rarely than in `main`, some 200 MB later. What tests are compiled to is kept,
    whatever the environment says: 4 s of the next time.
    """
    gc.set_threshold(1_000_000, 20, 20)
    sys.dont_write_bytecode = False
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over thousands of tests."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out on Windows what it has none of, and all but some cases where they are marked so; begin with the tests
    that take longest, so that no worker waits.
    """
    cases = Counter[tuple[Path, str]]()
    for item in items:
        if some := item.get_closest_marker("some"):
            test = item.path, item.nodeid.partition("[")[0]
            if cases[test] % some.args[0]:
                item.add_marker(pytest.mark.long)
            cases[test] += 1
    items.sort(key=lambda item: item.path.stem not in LONGEST)
    for item in items:
        if os.name == "nt" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="Windows has none"))


class Answer(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str
    data: bytes


Ask = Callable[..., Answer]  # `ask("heatmap", "-n", "9")`
BUILT = cache(typer.main.get_command)  # what Typer's runner would build again for each line


@pytest.fixture(autouse=True)
def commands_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the list of commands once."""
    monkeypatch.setattr("typer.testing._get_command", BUILT, raising=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    """Run `pecli …` in this process, in an empty folder; a page that it would serve ends at once."""
    monkeypatch.setattr("socketserver.BaseServer.serve_forever", lambda _: None)
    monkeypatch.setattr("webbrowser.get", lambda: webbrowser.GenericBrowser("none"))  # which has no window

    def run(*words: str) -> Answer:
        ended = CliRunner().invoke(app, list(words), prog_name="pecli")
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        return Answer(ended.exit_code, ended.stdout, ended.stderr, ended.stdout_bytes)

    return run


def run_process(
    words: list[str], cwd: Path, environment: dict[str, str], **more: Any
) -> subprocess.CompletedProcess[Any]:
    """Run Python with these words in a process of its own."""
    clean = {name: value for name, value in os.environ.items() if name not in OWN}
    source = {} if "input" in more else {"stdin": subprocess.DEVNULL}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **source, **more}
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env={**clean, **environment}, timeout=60, check=False, **streams
    )


@pytest.fixture(scope="session")
def process() -> Callable[..., subprocess.CompletedProcess[Any]]:
    """Run `python …` in a process of its own: process(words, cwd, environment, **for subprocess.run)."""
    return run_process


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    """Set the umask; the old one comes back."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[type[Encoding]], None]]:
    """Installs a package that brings an encoding."""

    def install(kind: type[Encoding]) -> None:
        point = SimpleNamespace(name=kind.name, load=lambda: kind, dist=None)
        monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: [point])
        plugins.cache_clear()

    yield install
    plugins.cache_clear()
