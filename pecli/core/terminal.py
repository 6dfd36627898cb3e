"""What a person sees in the terminal: messages on stderr, results on stdout, a progress bar for long work.

Whatever is printed may come from a file of somebody else's, so control characters are shown and never sent.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from pecli.core.threads import threads_available

if TYPE_CHECKING:
    from rich.console import Console

WIDTHS = (20, 1000)  # columns: a terminal may say anything
PATIENCE = 1.0  # seconds before a progress bar appears
LONG = 60.0  # seconds that are announced where no bar can be shown


def is_shown(character: str) -> bool:
    """Whether a terminal shows this character and does nothing else: it moves nothing, ends no line, turns no text."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


def can_print(character: str) -> bool:
    """Whether stdout takes this character and a terminal shows it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return is_shown(character) and character.encode(encoding, "ignore") != b""


def whole_stdout() -> None:
    """Puts a buffer before a standard output that has none (PYTHONUNBUFFERED): one write may take a part only."""
    stream: Any = sys.stdout
    if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
        encoding, errors = stream.encoding, stream.errors
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(stream.detach()), encoding, errors, line_buffering=True)


def escaped(text: str, kept: str = "") -> str:
    """Text with each character that is not shown, nor one of those kept, as its code: ``\\x1b``, ``\\u202e``."""
    if text.isprintable():
        return text
    return "".join(one if one in kept or is_shown(one) else repr(one)[1:-1] for one in text)


def console() -> Console:
    """The console on stderr. NO_COLOR, TERM=dumb and a pipe are rich's to respect."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


class _Lossy(io.FileIO):
    """A file that takes everything, also where it is full."""

    def write(self, data: Any) -> int:
        with suppress(OSError):
            taken = super().write(data)
            if taken:  # else it would have to wait
                return taken
        return len(memoryview(data).cast("B"))


def prepare_streams() -> None:
    """Lets every text be shown in any terminal, and no message fail: the work matters more than being told of it."""
    whole_stdout()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    with suppress(AttributeError, OSError, ValueError):  # closed, or no file at all
        raw = _Lossy(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(raw), sys.stderr.encoding, "backslashreplace", line_buffering=True
        )


def say(*lines: str) -> None:
    """A message on stderr, mostly of one line."""
    if sys.stderr is not None:
        for line in lines:
            print(f"pecli: {escaped(line)}", file=sys.stderr)


def flush() -> None:
    """Lets go of what was printed, where somebody takes it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, full
            stream.flush()


def results(lines: Iterable[str]) -> None:
    """Results, on stdout."""
    print(escaped("\n".join(lines), "\n"), flush=True)


def json_results(found: Sequence[Any]) -> None:
    """Results on stdout in the one shape of JSON that all commands have."""
    results([json.dumps({"results": found}, allow_nan=False)])


def animated() -> bool:
    """Whether stderr can show something that moves, for which rich needs a thread."""
    shown = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return shown and threads_available()


def progress(items: Sequence[Any], doing: str) -> Iterable[Any]:
    """The items; once they take longer than a moment, with a bar on stderr, or else a word where they will for long."""
    begun, at = time.monotonic(), 0
    while at < len(items) and time.monotonic() - begun < PATIENCE:
        yield items[at]
        at += 1
    if at < len(items) and animated():
        from rich.progress import track

        yield from track(items[at:], description=doing, console=console(), transient=True)
    elif at < len(items):
        yield from _announced(items, doing, begun, at)


def _announced(items: Sequence[Any], doing: str, begun: float, done: int) -> Iterable[Any]:
    """The items from that one on; says it once when they will take for long."""
    told = False
    for at in range(done, len(items)):
        left = (time.monotonic() - begun) / max(at, 1) * (len(items) - at)
        if left > LONG and not told:
            say(f"{doing} takes about {duration(left)}; Ctrl-C ends it")
            told = True
        yield items[at]


def duration(seconds: float) -> str:
    """A time as people say it: 3 minutes, 20 hours."""
    for unit, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds:.0f} seconds"


def columns() -> int:
    """How wide the terminal is; 80 where there is none or it does not say, and never beyond `WIDTHS`."""
    size = (80, 24)
    with suppress(AttributeError, OSError, ValueError):
        size = os.get_terminal_size(sys.stdout.fileno())  # shutil asks the first stdout, which may be detached
    told = shutil.get_terminal_size(size).columns or 80
    return min(max(told, WIDTHS[0]), WIDTHS[1])


class Steps:
    """Progress of many pictures on stderr: a bar with names and time left, or a plain line each."""

    def __init__(self, total: int, quiet: bool) -> None:
        self.total, self.quiet, self.done = total, quiet, 0
        self.bar: Any = None
        self.waiting: list[str] = []

    def __enter__(self) -> Self:
        if animated() and not self.quiet:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            shown = (
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.description}", markup=False),
            )
            self.bar = Progress(*shown, console=console(), transient=True)
            self.task = self.bar.add_task("", total=self.total)
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
        if self.waiting:
            results(self.waiting)

    def advance(self, text: str, notes: Sequence[str]) -> None:
        """One picture more, with what the user should know about it."""
        self.done += 1
        if self.bar is not None:
            self.bar.update(self.task, advance=1, description=escaped(text))
        elif not self.quiet:
            say(f"[{self.done}/{self.total}] {text}")
        for note in [] if self.quiet else notes:
            say(note)

    def result(self, paths: Iterable[str]) -> None:
        """Paths for stdout; kept until a bar is gone, so that they do not run into it."""
        if self.bar is not None:
            self.waiting += paths
        else:
            results(paths)
