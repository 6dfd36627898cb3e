"""`pecli explore`: a figure in the browser, served to one page on this machine."""

from __future__ import annotations

import json
import secrets
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import types_map
from select import select
from socket import MSG_PEEK
from typing import Annotated, Any, NamedTuple

import typer

from pecli.analysis import Analysis
from pecli.cli.app import run_words
from pecli.cli.figures import given, job_parameters, settings_of, values_of, with_parameters
from pecli.cli.show import Command, guard
from pecli.core.errors import PecliError, UsageError, failure_of
from pecli.core.terminal import results, say
from pecli.figures import FIGURES
from pecli.jobs.job import Job
from pecli.jobs.job_options import Output, find_analysis, known_options
from pecli.jobs.sweep import jobs_of

HOST = "127.0.0.1"
LARGEST = 64 << 10  # bytes of a request
PATIENCE = 30  # seconds for a request to arrive
POLICY = (
    "default-src 'none'; img-src data:; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Reply(NamedTuple):
    """What is sent back."""

    status: int
    kind: str
    data: bytes

    @classmethod
    def json(cls, value: Mapping[str, Any], status: int = HTTPStatus.OK) -> Reply:
        """A value as JSON."""
        return cls(status, "application/json", json.dumps(value).encode())


Question = Callable[[dict[str, Any], Callable[[], bool]], Reply]


@dataclass(frozen=True)
class Site:
    """What the server shows.

    page : the page, from the address of its own questions and the nonce of its script
    questions : the answers to what the page asks, by name, from the JSON object that it sends and from what tells
        whether the browser has gone
    """

    page: Callable[[str, str], bytes]
    questions: Mapping[str, Question]


class Server(ThreadingHTTPServer):
    """Serves a site on a free port under an address that nobody can guess."""

    daemon_threads = True  # what is still being drawn at the end is nobody's

    def __init__(self, site: Site, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.site, self.token = site, secrets.token_urlsafe(24)

    @property
    def hosts(self) -> set[str]:
        """The names under which this machine may ask."""
        return {f"{name}:{self.server_address[1]}" for name in (HOST, "localhost")}

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_address[1]}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keeps silent: the page that asked has gone."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = PATIENCE
    server_version, sys_version = "pecli", ""

    def do_GET(self) -> None:
        if self._welcome() and self._path() == "":
            nonce = secrets.token_urlsafe(16)
            page = self.server.site.page(self.server.url, nonce)
            self._send(Reply(HTTPStatus.OK, "text/html; charset=utf-8", page), POLICY.format(nonce=nonce))
        else:
            self._refuse(HTTPStatus.FORBIDDEN)

    def do_POST(self) -> None:
        if not self._welcome() or self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.FORBIDDEN)
        elif (answer := self.server.site.questions.get(self._path() or "")) is None:
            self._refuse(HTTPStatus.NOT_FOUND)
        elif (length := self._length()) is None:
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
        elif length > LARGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._answer(answer, self.rfile.read(length))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuses what the library does before anybody is asked: other methods than ours, lines that are no request."""
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED if code == HTTPStatus.NOT_IMPLEMENTED else HTTPStatus(code))

    def _answer(self, answer: Question, body: bytes) -> None:
        try:
            asked = json.loads(body)
            if not isinstance(asked, dict):
                raise ValueError
        except (ValueError, RecursionError):
            return self._refuse(HTTPStatus.BAD_REQUEST)
        return self._send(answer(asked, self._gone))

    def _gone(self) -> bool:
        """Whether the browser has closed the connection: it is at its end, where one that waits has nothing to read."""
        try:
            ended, _, _ = select([self.connection], [], [], 0)
            return bool(ended) and not self.connection.recv(1, MSG_PEEK)
        except OSError:
            return True

    def _welcome(self) -> bool:
        """Whether it is our page that asks: by its address, its host and, where the browser tells, its origin."""
        hosts, origin = self.server.hosts, self.headers.get("Origin")
        return (
            self._path() is not None
            and self.headers.get("Host") in hosts
            and (origin is None or origin in {f"http://{host}" for host in hosts})
            and self.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        )

    def _path(self) -> str | None:
        """What stands behind the token; None where the token is another."""
        token, slash, rest = self.path.removeprefix("/").partition("/")
        known = secrets.compare_digest(token.encode(errors="replace"), self.server.token.encode())
        return rest if known and slash else None

    def _length(self) -> int | None:
        text = self.headers.get("Content-Length", "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None

    def _refuse(self, status: HTTPStatus) -> None:
        self._send(Reply.json({"error": status.phrase}, status))

    def _send(self, reply: Reply, policy: str = "default-src 'none'") -> None:
        self.send_response(reply.status)
        for name, value in {
            **({"Allow": "GET, POST"} if reply.status == HTTPStatus.METHOD_NOT_ALLOWED else {}),
            "Content-Type": reply.kind,
            "Content-Length": str(len(reply.data)),
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the address is a secret."""


START = "heatmap"


def explore(
    context: typer.Context,
    figure: Annotated[
        str, typer.Argument(help=f"The figure, by default {START}; its options may follow: {', '.join(FIGURES)}.")
    ] = START,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The page's port; 0 is any that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
) -> None:
    """Shows a figure on a page of this machine, its options as sliders and choices, until Ctrl-C."""
    with guard():
        if figure.startswith("-"):
            named = next((word for word in context.args if word in FIGURES), START)
            raise UsageError(f"the figure comes first: pecli explore {named} {figure} …")
        kind = find_analysis(figure)
    raise typer.Exit(
        run_words(_served(kind, port, not no_browser), context.args, f"explore {figure}", settings_of(kind))
    )


def _served(kind: type[Analysis[Any]], port: int, browser: bool) -> Any:
    """The figure's own command, which opens the page in place of drawing."""

    def command(**texts: Any) -> None:
        with guard():
            jobs = jobs_of(kind.name, values_of(known_options(kind), given(texts, kind)))
            if len(jobs) > 1:
                text = f"explore starts from one picture, {len(jobs)} are asked for"
                raise UsageError(text, advice="turn the option on the page")
            serve(jobs[0], port, browser)

    return with_parameters(command, [one for one in job_parameters(kind) if one.name not in Output.options()])


def serve(job: Job, port: int, browser: bool) -> None:
    """Answers the page until a signal arrives."""
    job.check()
    try:
        server = Server(site_of(job), port)
    except OSError as error:
        raise PecliError(f"port {port} could not be used: {error.strerror}") from None
    with server:
        results([server.url])
        say("the page is for this machine alone; Ctrl-C ends it")
        if browser:
            open_window(server.url)
        server.serve_forever()


def open_window(url: str) -> None:
    """Opens a window with the page, where there is a browser that has windows: others would take the terminal."""
    with suppress(webbrowser.Error):
        found = webbrowser.get()
        if type(found) is not webbrowser.GenericBrowser:
            found.open(url)


def site_of(job: Job) -> Site:
    """The page of a job's figure, and what it may ask."""
    from pecli.jobs.explore import Explorer, as_labels

    explorer = Explorer(job)

    def picture(asked: dict[str, Any], gone: Callable[[], bool]) -> Reply:
        pixels = asked.get("pixels")
        return Reply.json(explorer.answer(_values(asked), pixels if isinstance(pixels, int) else 0, gone))

    def file(asked: dict[str, Any], gone: Callable[[], bool]) -> Reply:
        format = str(asked.get("format"))
        try:
            if format not in explorer.formats:
                raise UsageError(option="format", value=format, allowed=", ".join(explorer.formats))
            return Reply(HTTPStatus.OK, types_map[f".{format}"], explorer.file(_values(asked), format, gone))
        except Exception as error:  # whatever it is, the page says it
            return Reply.json({"error": failure_of(error).sentence(as_labels)}, HTTPStatus.BAD_REQUEST)

    return Site(explorer.page, {"picture": picture, "file": file})


def _values(asked: dict[str, Any]) -> dict[str, Any]:
    values = asked.get("values")
    return values if isinstance(values, dict) else {}


COMMAND = Command(
    explore,
    ("pecli explore heatmap", "pecli explore curves rope --length 512 --no-browser"),
    notes=("The options of the figure stand behind its name: pecli curves --help lists them.",),
    settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
