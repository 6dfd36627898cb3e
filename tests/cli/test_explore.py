"""Tests of `pecli explore`: its local server, and its page in a browser."""

from __future__ import annotations

import base64
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from pecli.cli.explore import HOST, MAX_BYTES, Server
from pecli.jobs.explore import Explorer
from pecli.jobs.sweep import make_job
from tests.browser import browsing, needs_browser
from tests.conftest import Ask

JOB = {"d": "8", "length": "9", "size": "3.5x2.5"}
ALWAYS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(Explorer(make_job("heatmap", JOB)), 0) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def asked(
    server: Server, method: str = "GET", path: str | None = None, body: str | None = None, **headers: str
) -> tuple[int, bytes, Any]:
    connection = HTTPConnection(HOST, server.server_address[1], timeout=20)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, f"/{server.token}/" if path is None else path, body, named)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers


def posted(server: Server, question: str, value: Any, **headers: str) -> tuple[int, bytes, Any]:
    body = value if isinstance(value, str) else json.dumps(value)
    headers = {"Content_Type": "application/json", **headers}
    return asked(server, "POST", f"/{server.token}/{question}", body, **headers)


def test_the_page_comes_with_a_policy_that_lets_nothing_else_in(server: Server) -> None:
    assert server.url == f"http://{HOST}:{server.server_address[1]}/{server.token}/"
    status, page, headers = asked(server)
    policy = headers["Content-Security-Policy"]
    assert {name: headers[name] for name in ALWAYS} == ALWAYS and headers["Content-Length"] == str(len(page))
    assert status == 200 and b"<!doctype html>" in page and "default-src 'none'" in policy
    nonce = policy.partition("script-src 'nonce-")[2].partition("'")[0]
    assert page.count(nonce.encode()) == 2 and b"%" + b"DATA%" not in page
    assert nonce not in asked(server)[2]["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/wrong/", {}),
        ("/%C3%A9/", {}),
        (None, {"Host": "evil.example"}),
        (None, {"Origin": "http://evil.example"}),
        (None, {"Origin": "null"}),
        (None, {"Sec_Fetch_Site": "cross-site"}),
    ],
)
def test_nobody_else_is_answered(server: Server, path: str | None, headers: dict[str, str]) -> None:
    status, body, _ = asked(server, path=path, **headers)
    assert status == 403 and json.loads(body) == {"error": "Forbidden"}


@pytest.mark.parametrize("name", [HOST, "localhost"])
def test_the_page_itself_is_answered_under_either_name(server: Server, name: str) -> None:
    host = f"{name}:{server.server_address[1]}"
    for site in ("none", "same-origin"):
        assert asked(server, Host=host, Origin=f"http://{host}", Sec_Fetch_Site=site)[0] == 200


def test_a_picture_and_a_file_are_answers(server: Server) -> None:
    status, body, _ = posted(server, "picture", {"values": {**JOB, "base": "10"}, "pixels": 250})
    assert status == 200 and json.loads(body)["command"].startswith("pecli heatmap --d 8 --base 10")
    assert 240 < int.from_bytes(base64.b64decode(json.loads(body)["image"].partition(",")[2])[16:20], "big") < 260
    status, body, headers = posted(server, "file", {"values": JOB, "format": "pdf"})
    assert (status, headers["Content-Type"]) == (200, "application/pdf") and body.startswith(b"%PDF")


@pytest.mark.parametrize(
    ("question", "value", "headers", "status"),
    [
        ("picture", "{", {}, 400),
        ("picture", "[" * 50_000, {}, 400),
        ("picture", "[]", {}, 400),
        ("nope", {}, {}, 404),
        ("picture", "x" * (MAX_BYTES + 1), {}, 413),
        ("picture", {}, {"Content_Type": "text/plain"}, 403),
        ("file", {"format": "npz"}, {}, 400),
        ("file", {"format": "png", "values": {"base": "x"}}, {}, 400),
        ("picture", {"values": [], "pixels": "many"}, {}, 200),
    ],
)
def test_other_requests_are_refused(
    server: Server, question: str, value: Any, headers: dict[str, str], status: int
) -> None:
    assert posted(server, question, value, **headers)[0] == status


def test_a_browser_that_goes_is_noticed() -> None:
    seen: list[bool] = []
    asked_for, left = threading.Event(), threading.Event()

    class Slow(Explorer):
        def answer(self, values: Any, pixels: int, gone: Callable[[], bool] = bool) -> dict[str, Any]:
            seen.append(gone())
            asked_for.set()
            left.wait(10)
            seen.append(gone())
            asked_for.set()
            return {}

    with Server(Slow(make_job("heatmap", JOB)), 0) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        with closing(HTTPConnection(HOST, server.server_address[1], timeout=10)) as connection:
            connection.request("POST", f"/{server.token}/picture", "{}", {"Content-Type": "application/json"})
            assert asked_for.wait(10)
            asked_for.clear()
        left.set()
        assert asked_for.wait(10)
        server.shutdown()
    assert seen == [False, True]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("stats",), "stats is a report"),
        (("nope",), "nope"),
        (("heatmap", "--base", "10,100"), "starts from one picture, but 2 are asked for"),
        (("heatmap", "--base", "-1"), "--base -1"),
        (("heatmap", "-o", "a.png"), "-o"),
        (("--base", "10"), "the figure comes first"),
    ],
)
def test_what_cannot_be_explored_is_refused(ask: Ask, words: tuple[str, ...], said: str) -> None:
    refused = ask("explore", *words)
    assert refused.code == 2 and said in refused.err


def test_where_the_page_is_and_who_sees_it_is_said_and_so_is_a_port_in_use(server: Server, ask: Ask) -> None:
    shown, busy = ask("explore", "heatmap"), ask("explore", "heatmap", "--port", str(server.server_address[1]))
    assert re.fullmatch(rf"http://{HOST}:\d+/[\w-]+/\n", shown.out)
    assert shown.err == "pecli: the page is only visible on this machine; Ctrl-C ends it\n"
    assert busy.err.startswith(f"pecli: port {server.server_address[1]} could not be used: ") and busy.code == 1


@pytest.mark.long
def test_the_page_offers_the_files_that_it_gives(server: Server) -> None:
    offered = json.loads(asked(server)[1].decode().partition("const data = ")[2].partition(";\n")[0])["formats"]
    answers = [posted(server, "file", {"values": JOB, "format": item}) for item in offered]
    kinds = [headers["Content-Type"] for _, _, headers in answers]
    assert [status for status, _, _ in answers] == [200] * len(offered)
    assert kinds == ["image/png", "image/svg+xml", "application/pdf"]


@needs_browser
@pytest.mark.posix
def test_turning_k_changes_the_picture(server: Server, tmp_path: Path) -> None:
    with browsing(tmp_path) as page:
        page.open(server.url)
        first = wait(page, lambda: page.run("picture.src"))
        page.run("document.getElementById('control-base').nextElementSibling.focus()")
        page.press("ArrowLeft")
        wait(page, lambda: "--base" in page.run("command.textContent"))
        assert page.run("picture.src") != first and page.run("said.className") == ""
        page.run(typed("base", "-1"))
        wait(page, lambda: page.run("said.className") == "wrong")
        page.run(typed("encoding", "clock"))
        wait(page, lambda: page.run("!!document.getElementById('control-periods')"))
        assert not page.run("!!document.getElementById('control-base')")
        assert all(url.startswith((server.url, "data:")) for url in page.requests)


def typed(name: str, value: str) -> str:
    field = f"document.getElementById('control-{name}')"
    return f"{field}.value = {json.dumps(value)}; {field}.dispatchEvent(new Event('input', {{bubbles: true}}))"


def wait(page: Any, condition: Callable[[], Any]) -> Any:
    for _ in range(400):
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(page.run("document.body.innerText"))
