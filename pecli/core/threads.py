"""Whether the system gives threads, which containers and quotas may limit."""

from __future__ import annotations

import os
import threading
from functools import cache


@cache
def threads_available() -> bool:
    """Whether a thread more for every core can be started."""
    end, begun = threading.Event(), list[threading.Thread]()
    try:
        for _ in range(os.cpu_count() or 1):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            begun.append(thread)
    except RuntimeError:
        return False
    finally:
        end.set()
        for thread in begun:
            thread.join()
    return True


def do_without_threads() -> None:
    """Lets numpy's OpenBLAS start none where there are none: it would end the program as Ctrl-C does."""
    if not threads_available():
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
