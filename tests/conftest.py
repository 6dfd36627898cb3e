"""Fixtures for many tests: the command line, run in this process or in a separate one."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read by numpy: threads of several workers wait for each other

import pytest
import typer
from typer.testing import CliRunner

from pecli.cli import app as app_module
from pecli.cli.app import app
from pecli.core.errors import PecliError
from pecli.encodings.registry import Encoding, plugins

LONGEST = (
    "test_readme",
    "test_hub",
    "test_frames",
    "test_identify",
    "test_outputs",
    "test_environment",
    "test_stored_messages",
    "test_stored_headlines",
    "test_stored_reports",
)
OWN = (
    "PECLI_LANG",
    "MPLBACKEND",
    "MATPLOTLIBRC",
    "SOURCE_DATE_EPOCH",
    "NO_COLOR",
    "FORCE_COLOR",
    "PYTHONWARNINGS",
    "PYTHONDONTWRITEBYTECODE",  # so that pecli is compiled once for dozens of processes
)


def pytest_configure() -> None:
    """Restore the signals that the parent process ignores (nohup, a shell's &), because child processes inherit that.

    The garbage collector runs less often than in `main`, about every 200 MB. Compiled tests are kept whatever the
    environment says, which saves 4 s in the next run.
    """
    gc.set_threshold(1_000_000, 20, 20)
    sys.dont_write_bytecode = False
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Collect garbage once; pytest does so ten times, of which nothing is left here."""
    gc.collect()
    gc.freeze()


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Make no cases of tests that take long where none of them is run."""
    marks = getattr(obj, "pytestmark", ())
    unwanted = collector.config.option.markexpr == "not long" and any(mark.name == "long" for mark in marks)
    return [] if unwanted else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deselect tests for features that Windows lacks, and most cases of tests marked so; order the longest tests first,
    so that no worker waits at the end."""
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
    """The result of a command: exit code and output."""

    code: int
    out: str
    err: str
    data: bytes


Ask = Callable[..., Answer]  # `ask("heatmap", "-n", "9")`
FOLDERS = count()
BUILT = cache(typer.main.get_command)  # otherwise built again for each line
BUILD = cache(app_module._build_command)


@pytest.fixture(scope="session")
def patched() -> Iterator[pytest.MonkeyPatch]:
    """Return what patches for all tests."""
    with pytest.MonkeyPatch.context() as patched:
        yield patched


@pytest.fixture(autouse=True, scope="session")
def commands_built_once(patched: pytest.MonkeyPatch) -> None:
    """Cache the built commands, which a process builds once and Typer's runner would build for each line."""

    def build(name: str, words: list[str]) -> Any:
        names = (word.removeprefix("--encoding=").removeprefix("-e").partition(":")[0] for word in words)
        return BUILD(name, tuple(filter(str.isidentifier, names)))  # the words that may name an encoding

    patched.setattr("typer.testing._get_command", BUILT, raising=False)
    patched.setattr(app_module, "_build_command", build)


@pytest.fixture(autouse=True, scope="session")
def errors_carry_what_they_say(patched: pytest.MonkeyPatch) -> None:
    """Check of every error whose message begins with an option that it has the option's name and value."""
    make = PecliError.__init__

    def checked(self: PecliError, text: str = "", **facts: Any) -> None:
        make(self, text, **facts)
        if begins := re.match(r"--([a-z][a-z-]*)(=?)", text):
            assert self.option is not None and (self.value is not None or not begins[2]), text

    patched.setattr(PecliError, "__init__", checked)


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty folder; pytest's own fixture looks through all folders of other tests for a name."""
    folder = tmp_path_factory.getbasetemp() / str(next(FOLDERS))
    folder.mkdir()
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    """Return a function that runs `pecli …` in this process, in an empty folder; a served page ends at once."""
    monkeypatch.setattr("socketserver.BaseServer.serve_forever", lambda _: None)
    monkeypatch.setattr("webbrowser.get", lambda: webbrowser.GenericBrowser("none"))  # a browser without windows

    def run(*words: str) -> Answer:
        ended = CliRunner().invoke(app, list(words), prog_name="pecli")
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        return Answer(ended.exit_code, ended.stdout, ended.stderr, ended.stdout_bytes)

    return run


def run_process(
    words: list[str], cwd: Path, environment: dict[str, str], **more: Any
) -> subprocess.CompletedProcess[Any]:
    """Run Python with these arguments in a separate process."""
    clean = {name: value for name, value in os.environ.items() if name not in OWN}
    source = {} if "input" in more else {"stdin": subprocess.DEVNULL}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **source, **more}
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env={**clean, **environment}, timeout=60, check=False, **streams
    )


@pytest.fixture(scope="session")
def process() -> Callable[..., subprocess.CompletedProcess[Any]]:
    """Return the function `run_process`, to run `python …` in a separate process."""
    return run_process


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    """Return a function that sets the umask; the old one is restored afterwards."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[type[Encoding]], None]]:
    """Return a function that installs a package with an encoding."""

    def install(kind: type[Encoding]) -> None:
        point = SimpleNamespace(name=kind.name, load=lambda: kind, dist=None)
        monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: [point])
        plugins.cache_clear()

    BUILD.cache_clear()
    yield install
    BUILD.cache_clear()
    plugins.cache_clear()
