"""The program: ``pecli``, ``python -m pecli``. Listens for signals first, for what it loads next takes a while."""

from __future__ import annotations

import os

from pecli.core.interrupts import SIGNALS, exit_code, ignore, listen, number_of


def main() -> None:
    """Runs the command line; a signal ends it with one line and 128 + its number, wherever it arrives."""
    try:
        listen()
        from pecli.cli import main as command_line

        command_line()
    except BaseException as error:
        number = number_of(error)
        if number is None:
            raise
        _end(number, told=isinstance(error, SystemExit))
    finally:
        ignore()


def _end(number: int, told: bool) -> None:
    """Ends at once: a library that was half loaded may crash where Python takes its time to clean up."""
    from pecli.core.terminal import flush, say

    if not told:
        say(SIGNALS[number])
    flush()
    os._exit(exit_code(number))


if __name__ == "__main__":
    main()
