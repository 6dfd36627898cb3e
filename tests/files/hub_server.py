"""A local server with the answers of huggingface.co about models, which counts the bytes that it sends."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

COMMIT = "3f2a" + "0" * 36
ERRORS = {"missing": (404, "RepoNotFound"), "private": (401, "RepoNotFound"), "gated": (403, "GatedRepo")}


@dataclass
class Hub:
    """A hub whose models are folders org/name below a folder.

    Models with certain names are answered with an error, not at all, or late.
    """

    folder: Path
    address: str = ""
    asked: list[str] = field(default_factory=list)
    sent: int = 0  # number of bytes sent


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: ClassVar[Hub]

    def do_HEAD(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append(f"{self.command} {path} {self.headers.get('Range', '')}".strip())
        parts = path.strip("/").split("/")
        api = parts[:2] == ["api", "models"]
        repo, rest = (parts[2:4], parts[4:]) if api else (parts[:2], parts[2:])
        name = repo[-1]
        if name == "slow":
            time.sleep(0.3)
        if name == "broken":
            self.close_connection = True
        elif name in ERRORS:
            self.send(*ERRORS[name])
        elif len(rest) > 1 and rest[1] not in ("main", COMMIT):
            self.send(404, "RevisionNotFound")
        elif api:
            self.about(repo, rest)
        else:
            self.file(self.hub.folder.joinpath(*repo, *rest[2:]))

    do_GET = do_HEAD

    def about(self, repo: list[str], rest: list[str]) -> None:
        """Answer a request for information on a model or a folder in it."""
        model = self.hub.folder.joinpath(*repo)
        told: Any = {"id": "/".join(repo), "sha": COMMIT, "siblings": [], "private": False, "tags": []}
        if rest[:1] == ["tree"]:
            told = [entry(model, each) for each in sorted(model.joinpath(*rest[2:]).iterdir())]
        self.send(200, body=json.dumps(told).encode())

    def file(self, path: Path) -> None:
        """Answer a request for a file or a range of it."""
        if not path.is_file():
            self.send(404, "EntryNotFound")
            return
        size, asked = path.stat().st_size, self.headers.get("Range", "")
        begin, _, end = asked.removeprefix("bytes=").partition("-")
        first, last = int(begin or 0), min(size - 1, int(end or size - 1))
        with path.open("rb") as file:
            file.seek(first)
            body = file.read(last - first + 1)
        self.send(
            206 if asked else 200, body=body, **{"Content-Range": f"bytes {first}-{last}/{size}"} if asked else {}
        )

    def send(self, code: int, error: str = "", body: bytes = b"", **more: str) -> None:
        self.send_response(code)
        own = {"ETag": f'"{hashlib.sha1(self.path.encode()).hexdigest()}"', "X-Repo-Commit": COMMIT, **more}
        for name, value in {**own, "Content-Length": str(len(body)), "X-Error-Code": error}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
            self.hub.sent += len(body)

    def log_message(self, *_: object) -> None:
        pass


def entry(model: Path, path: Path) -> dict[str, Any]:
    """Return the entry of a file or folder in a listing."""
    kind = {"type": "directory"} if path.is_dir() else {"type": "file", "size": path.stat().st_size}
    return {**kind, "path": str(path.relative_to(model)), "oid": hashlib.sha1(str(path).encode()).hexdigest()}


@contextmanager
def running(folder: Path) -> Iterator[Hub]:
    """Serve the models of a folder inside the block."""
    hub = Hub(folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Answers,), {"hub": hub})) as server:
        hub.address = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield hub
        finally:
            server.shutdown()
