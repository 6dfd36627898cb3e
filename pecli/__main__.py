"""The program: ``pecli``, ``python -m pecli``."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line. A signal that ends it is an exception first, so that no temporary file is left."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup's stays
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        from pecli.cli.app import main as command_line

        command_line()
    except KeyboardInterrupt:
        sys.stderr.write("pecli: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
