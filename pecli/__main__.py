"""The program: ``pecli``, ``python -m pecli``."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line. A signal that ends it raises an exception, so that no temporary file is left."""
    _open_closed()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # not under nohup
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        from pecli.cli.app import main as command_line

        command_line()
    except KeyboardInterrupt:
        sys.stderr.write("pecli: interrupted\n")
        _end(130)
    except SystemExit as ending:
        if isinstance(ending.code, int) and ending.code > 128:
            _end(ending.code)
        raise


def _open_closed() -> None:
    """Reopen each standard stream that was closed at the start (``>&-``), so that no file opened here takes its number.

    Standard input is then empty, writing to standard output fails, and messages are discarded.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY), number)
            setattr(sys, name, open(number, "r" if name == "stdin" else "w", closefd=False))  # noqa: SIM115


def _end(code: int) -> None:
    """Exit at once, without waiting for threads: those of an interrupted executor may wait for a lock."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
