"""`pecli explore`: a web server on this machine for the page of one figure."""

from __future__ import annotations

import json
import secrets
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import types_map
from select import select
from socket import MSG_PEEK
from typing import TYPE_CHECKING, Any

import typer

from pecli.analysis import Analysis
from pecli.cli.app import run_words
from pecli.cli.figures import job_parameters, passed_options, settings_of
from pecli.cli.help import OPTIONS
from pecli.cli.options import argument, context_parameter, parameter, value_of, values_of, with_parameters
from pecli.cli.show import Command, guard
from pecli.core.errors import PecliError, UnknownNameError, UsageError, as_pecli_error, reason_of
from pecli.core.options import Options, option
from pecli.core.terminal import print_notes, print_results
from pecli.figures import FIGURES
from pecli.jobs.job_options import ANALYSES, Output, find_analysis, known_options
from pecli.jobs.sweep import jobs_of

if TYPE_CHECKING:
    from pecli.jobs.explore import Explorer

HOST = "127.0.0.1"
MAX_BYTES = 64 << 10  # largest request
TIMEOUT = 30  # seconds to wait for a request's data
POLICY = (
    "default-src 'none'; img-src data:; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Server(ThreadingHTTPServer):
    """HTTP server of an explorer's page, on a free port and under a secret path."""

    daemon_threads = True  # unfinished drawings are dropped at exit

    def __init__(self, explorer: Explorer, port: int) -> None:
        super().__init__((HOST, port), _Handler)
        self.explorer, self.token = explorer, secrets.token_urlsafe(24)

    @property
    def url(self) -> str:
        """The URL of the page."""
        return f"http://{HOST}:{self.server_address[1]}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error: the client has closed the connection."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = TIMEOUT
    server_version, sys_version = "pecli", ""

    def do_GET(self) -> None:
        nonce = secrets.token_urlsafe(16)
        if self._request_path() == "":
            page = self.server.explorer.page(self.server.url, nonce)
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", page, POLICY.format(nonce=nonce))
        else:
            self._send_json({"error": "Forbidden"}, HTTPStatus.FORBIDDEN)

    def do_POST(self) -> None:
        question, length = self._request_path(), int(self.headers.get("Content-Length") or 0)
        answer = {"picture": self._picture, "file": self._file}.get(question or "")
        if question is None or self.headers.get_content_type() != "application/json":
            self._send_json({"error": "Forbidden"}, HTTPStatus.FORBIDDEN)
        elif answer is None:
            self._send_json({"error": "Not Found"}, HTTPStatus.NOT_FOUND)
        elif length > MAX_BYTES:
            self._send_json({"error": "the request is too large"}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            try:
                asked = json.loads(self.rfile.read(length))
                values = asked.get("values")
            except (ValueError, RecursionError, AttributeError):
                self._send_json({"error": "the request is not a JSON object"}, HTTPStatus.BAD_REQUEST)
            else:
                answer(asked, values if isinstance(values, dict) else {})

    def _picture(self, asked: dict[str, Any], values: dict[str, Any]) -> None:
        pixels = asked.get("pixels")
        self._send_json(self.server.explorer.answer(values, pixels if isinstance(pixels, int) else 0, self._gone))

    def _file(self, asked: dict[str, Any], values: dict[str, Any]) -> None:
        from pecli.jobs.explore import as_labels

        format, explorer = str(asked.get("format")), self.server.explorer
        try:
            if format not in explorer.formats:
                raise UsageError(option="format", value=format, allowed=", ".join(explorer.formats))
            data = explorer.file(values, format, self._gone)
        except Exception as error:  # the page shows any error
            self._send_json({"error": as_pecli_error(error).sentence(as_labels)}, HTTPStatus.BAD_REQUEST)
        else:
            self._send(HTTPStatus.OK, types_map[f".{format}"], data)

    def _request_path(self) -> str | None:
        """Return the path after the secret token; None if the token, host or origin is not the page's own."""
        token, slash, rest = self.path.removeprefix("/").partition("/")
        hosts = [f"{name}:{self.server.server_address[1]}" for name in (HOST, "localhost")]
        ours = (
            secrets.compare_digest(token.encode(errors="replace"), self.server.token.encode())
            and self.headers.get("Host") in hosts
            and self.headers.get("Origin") in [None, *(f"http://{host}" for host in hosts)]
            and self.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        )
        return rest if ours and slash else None

    def _gone(self) -> bool:
        """Return whether the browser has closed the connection: it is then readable, but has no data."""
        try:
            ended, _, _ = select([self.connection], [], [], 0)
            return bool(ended) and not self.connection.recv(1, MSG_PEEK)
        except OSError:
            return True

    def _send_json(self, value: Any, status: int = HTTPStatus.OK) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, data: bytes, policy: str = "default-src 'none'") -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because the address is secret."""


START = "heatmap"


@dataclass(frozen=True)
class ExploreOptions(Options):
    """Options for how the page is served."""

    port: int = option(0, "port of the page; 0 picks a free one", at_least=0, at_most=65535)
    no_browser: bool = option(False, "print the address without opening a browser")


def explore(context: typer.Context, figure: str | None, port: list[str] | None, no_browser: bool) -> None:
    """Serve a page on this machine with the figure's options as controls, until Ctrl-C."""
    with guard():
        figure, options = figure or START, ExploreOptions.options()
        if figure.startswith("-"):
            raise UsageError(f"the figure comes first: pecli explore {START} {figure} …")
        if figure not in FIGURES and figure not in ANALYSES and figure not in ANALYSES.aliases:
            raise UnknownNameError("figure", figure, FIGURES)
        kind, number = find_analysis(figure), value_of(options["port"], port)
    raise typer.Exit(
        run_words(_explore_command(kind, number, not no_browser), context.args, f"explore {figure}", settings_of(kind))
    )


def _explore_command(kind: type[Analysis[Any]], port: int, browser: bool) -> Any:
    """Return the figure's command, changed to serve and open the page instead of drawing."""
    from pecli.jobs.explore import Explorer

    def command(**texts: Any) -> None:
        with guard():
            jobs = jobs_of(kind.name, values_of(known_options(kind), passed_options(texts, kind)))
            if len(jobs) > 1:
                text = f"explore starts from one picture, but {len(jobs)} are asked for"
                raise UsageError(text, advice="give one value, and change it on the page")
            jobs[0].check()
            try:
                server = Server(Explorer(jobs[0]), port)
            except OSError as error:
                raise PecliError(f"port {port} could not be used: {reason_of(error)}") from None
            with server:
                print_results([server.url])
                print_notes("the page is only visible on this machine; Ctrl-C ends it")
                if browser:
                    open_window(server.url)
                server.serve_forever()

    return with_parameters(command, [each for each in job_parameters(kind) if each.name not in Output.options()])


def open_window(url: str) -> None:
    """Open the page in a graphical browser; a text browser would take over the terminal."""
    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:
            browser.open(url)


COMMAND = Command(
    with_parameters(
        explore,
        [
            context_parameter(),
            argument("figure", f"the figure, followed by its options (default {START}; one of {', '.join(FIGURES)})"),
            *(parameter(entry, OPTIONS) for entry in ExploreOptions.options().values()),
        ],
    ),
    ("pecli explore heatmap", "pecli explore curves rope --length 512 --no-browser"),
    notes=("The options of the figure come after its name: pecli curves --help lists them.",),
    settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
