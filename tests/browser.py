"""A headless Chromium for tests of web pages, controlled with JavaScript."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None or os.name == "nt", reason="no Chromium is installed")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--remote-debugging-pipe")


class Browser:
    """One page of the browser, controlled through a pipe by the protocol of the developer tools."""

    def __init__(self, told: int, heard: int) -> None:
        self._out, self._in = os.fdopen(told, "wb", 0), os.fdopen(heard, "rb")
        self._number, self._session = 0, ""
        self.requests: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Network.enable")
        self._call("Page.enable")

    def open(self, address: str, *, dark: bool = False, scripts: bool = True) -> None:
        """Open an address and wait until it is loaded."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self._call("Page.navigate", url=address)
        self._wait_for("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression, awaiting promises."""
        found = self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key as a user does."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session else {}
        self._out.write(json.dumps(message).encode() + b"\0")
        while (heard := self._next()).get("id") != self._number:
            self._note(heard)
        assert "error" not in heard, heard
        result: dict[str, Any] = heard["result"]
        return result

    def _wait_for(self, method: str) -> None:
        while (heard := self._next()).get("method") != method:
            self._note(heard)

    def _note(self, heard: dict[str, Any]) -> None:
        if heard.get("method") == "Network.requestWillBeSent":
            self.requests.append(heard["params"]["request"]["url"])

    def _next(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self._in.read(1)) != b"\0":
            assert byte, "Chromium has ended"
            data += byte
        heard: dict[str, Any] = json.loads(data)
        return heard


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """Yield a browser that keeps all its files in the given folder."""
    assert CHROMIUM is not None
    (hears, text), (heard, tells) = os.pipe(), os.pipe()
    # the browser uses file descriptors 3 (input) and 4 (output)
    start = f'exec "$0" "$@" 3<&{hears} 4>&{tells}'
    words = ["/bin/bash", "-c", start, CHROMIUM, *FLAGS, f"--user-data-dir={folder}"]
    process = subprocess.Popen(words, pass_fds=(hears, tells), stderr=subprocess.DEVNULL, start_new_session=True)
    os.close(hears)
    os.close(tells)
    try:
        yield Browser(text, heard)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()
