"""The explorer: a web page whose controls set a figure's options, and the picture for the values of the controls."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from pecli.analysis import Analysis
from pecli.core.errors import PecliError, UsageError, as_keywords, as_pecli_error, option_text
from pecli.core.language import Language
from pecli.core.options import Option, default_of
from pecli.core.positions import Positions
from pecli.core.progress import TRACKER
from pecli.core.readable import restrict_reading
from pecli.encodings.registry import all_encodings
from pecli.encodings.spec import read_encoding
from pecli.figures.base import Figure
from pecli.files.formats import FORMATS
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES, EncodingOption, Output, parameters_of, shared_options
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import make_job
from pecli.jobs.text import command
from pecli.page.canvas import OWNED, Canvas
from pecli.page.style import DRAWING

WIDE = 10.0  # a slider without bounds ends at this multiple of the default
DECADES = 3  # a logarithmic slider ends this many decades beyond the default
NO_BOUND = 10**6  # a lower bound below −NO_BOUND counts as none

Control = dict[str, Any]


def encoding_control(figure: type[Analysis[Any]], specs: tuple[str, ...]) -> Control:
    """Return the control for the encoding: a choice, or a text field if the figure shows several in one picture.

    specs : texts of the encodings shown at the start
    """
    (item,) = EncodingOption.options().values()
    if figure.several:
        return {**_description(item), "kind": "text", "value": " ".join(specs), "default": figure.default_encoding}
    choices = list(specs)
    for name, kind in all_encodings().items():
        with suppress(UsageError):  # skips encodings that need a file
            if figure.takes(kind) and name not in choices and read_encoding(name):
                choices.append(name)
    return {
        **_description(item),
        "kind": "choice",
        "choices": choices,
        "value": specs[0],
        "default": figure.default_encoding,
    }


def controls(
    figure: type[Analysis[Any]], options: Mapping[str, Option], values: Mapping[str, Any] | None
) -> list[Control]:
    """Return the options as controls, in their order, without options that can only be written in an encoding's spec.

    values : current values by option name; missing ones have their defaults
    """
    now = values or {}
    own = {name: item for name, item in options.items() if not (item.in_spec or item.only_with)}
    return [_control(item, figure, now.get(name)) for name, item in own.items()]


def groups(figure: type[Analysis[Any]], specs: tuple[str, ...], values: Mapping[str, Any]) -> dict[str, list[Control]]:
    """Return all controls except the encoding's, grouped by subject.

    Parameters have controls only if there is a single encoding.

    values : values of options that are not at their defaults, by name
    """
    named = specs or (figure.default_encoding,)
    own: Mapping[str, Any] = {}
    if len(named) == 1:
        own = {**read_encoding(named[0], defaults=figure.default_options).settings(), **values}
    still = {name: option for name, option in Canvas.options().items() if OWNED.get(name) != "moves"}
    return {
        "encoding": controls(figure, parameters_of(named) if own else {}, own),
        "positions": controls(figure, Positions.options(), values),
        "figure": controls(figure, figure.options(), values),
        "picture": controls(figure, {**still, **Language.options()}, values),
    }


def _control(option: Option, figure: type[Analysis[Any]], value: Any) -> Control:
    default = default_of(option, figure.default_options)
    text = "" if default is None else option.write(option.read(default))
    now = text if value is None else option.write(option.read(value))
    item = {**_description(option), "default": text, "value": now, "unset": option.unset}
    if option.scalar is bool:
        return {**item, "kind": "box"}
    if option.choices is not None and not option.many:
        return {**item, "kind": "choice", "choices": ([""] if option.optional else []) + list(option.choices())}
    if option.many or option.scalar is str or not now:
        return {**item, "kind": "text"}
    low, high = _ends(option, float(now), float(text or now))
    return {**item, "kind": "number", "low": low, "high": high, "log": option.log, "whole": option.scalar is int}


def _description(option: Option) -> Control:
    return {"name": option.name, "flag": option.flag, "help": option.help}


def _ends(option: Option, value: float, default: float) -> tuple[float, float]:
    """Return the ends of a slider: the option's bounds if they are near, otherwise a range around the values."""
    far = max(abs(default), abs(value), 1.0)
    if option.log:
        least = max(option.at_least or 0, min(default, value, 1.0 if option.scalar is int else 1.01))
        return max(least, 1e-3), far * 10**DECADES
    low, most = option.at_least if option.at_least is not None else option.above, WIDE * max(far, WIDE)
    high = most if option.at_most is None else min(option.at_most, most)
    return (low if low is not None and low >= -NO_BOUND else -WIDE * far), high


PAGE = Path(__file__).with_name("explorer.html")
MAX_VALUE_LENGTH = 2_000  # most characters of a value; longer texts take long to draw
FEWEST, MOST = 200, 2400  # smallest and largest width of a picture on the page, pixels
MAX_SECONDS = 8.0  # longest time to draw one picture
MAX_NUMBERS = 200_000_000  # most numbers computed in one array: about 5 seconds of work


class TooLongError(PecliError):
    """Error for a picture that takes too long for the page.

    line : the command line that draws it in a terminal
    """

    line = ""


@dataclass(frozen=True)
class Explorer:
    """The explorer of one figure.

    start : job whose options are the controls' first values
    """

    start: Job

    def __post_init__(self) -> None:
        if not isinstance(self.start.figure, Figure):
            raise UsageError(f"{self.figure.name} is a report: pecli {self.figure.name} prints it")

    @property
    def figure(self) -> type[Analysis[Any]]:
        """The figure's class."""
        return type(self.start.figure)

    @property
    def formats(self) -> list[str]:
        """The file formats that hold a single picture, for the page's download menu."""
        return [name for name, item in FORMATS.items() if item.picture and not item.frames]

    def page(self, address: str, nonce: str) -> bytes:
        """Return the HTML page. Its script sends requests to `address`; the security policy allows `nonce`."""
        data = {"address": address, "formats": self.formats, **self.layout()}
        text = json.dumps(data).replace("<", "\\u003c")  # it is embedded in a <script>
        filled = PAGE.read_text(encoding="utf-8")
        for blank, value in {"NONCE": nonce, "FIGURE": self.figure.name, "DATA": text}.items():
            filled = filled.replace(f"%{blank}%", value)
        return filled.encode()

    def layout(self) -> dict[str, Any]:
        """Return the figure's name and summary, and the controls with their values at the start."""
        specs = tuple(encoding.name for encoding in self.start.encodings)
        changed = [item.options()[name] for item in self.start.encodings for name in item.changed()]
        if self.figure.several or any(option.in_spec or option.only_with for option in changed):
            specs = tuple(self.start.specs())
        values = {name: value for name, value in self.start.settings().items() if name not in EncodingOption.options()}
        values |= self.start.encodings[0].settings() if len(specs) == 1 else {}
        return {
            "figure": self.figure.name,
            "summary": ANALYSES.summary(self.figure.name),
            "encoding": encoding_control(self.figure, specs),
            "groups": groups(self.figure, specs, values),
        }

    def answer(self, values: Mapping[str, Any], pixels: int, gone: Callable[[], bool] = bool) -> dict[str, Any]:
        """Return the picture for the values, or the error, as data for the page.

        Parameters
        ----------
        values : values of the controls, by option name
        pixels : width of the picture
        gone : returns True once the client has left; drawing then stops

        Returns
        -------
        "image" (a data URL), "alt", "command" (the command line), "name" (for a file, without extension), "notes" and
        "parameters" (controls of the encoding); or "error", with "command" if the picture takes too long for the page
        """
        try:
            with self._drawing(values, gone) as known:
                return self._picture(known, pixels)
        except Exception as error:  # the page shows any error
            found = {"error": as_pecli_error(error).sentence(as_labels)}
            return {**found, "command": error.line} if isinstance(error, TooLongError) else found

    def file(self, values: Mapping[str, Any], format: str, gone: Callable[[], bool] = bool) -> bytes:
        """Return the picture as a file of the given format; raise PecliError as the command line does."""
        with self._drawing(values, gone, format=format) as known:
            job = self._job(known)
            self._check_size(job)
            return Picture(job).render(format)[0]

    @contextmanager
    def _drawing(self, values: Mapping[str, Any], gone: Callable[[], bool], **more: str) -> Iterator[dict[str, Any]]:
        """Run a block that draws one picture; yield the values from the page as options of a job.

        Only one block runs at a time. Drawing ends with an error after MAX_SECONDS, or when the client has left.
        """
        with DRAWING, restrict_reading(self.start.inputs):
            begun = time.monotonic()
            before = TRACKER.set(lambda items, doing: _until_timeout(items, doing, begun, gone))
            try:
                _check_waiting(gone)
                known = {**self._options_from_page(values), **more}
                yield known
            except TooLongError as error:
                error.line = command(self._job(known))
                error.advice = f"type in a terminal: {error.line}"
                raise
            finally:
                TRACKER.reset(before)

    def _picture(self, values: dict[str, Any], pixels: int) -> dict[str, Any]:
        asked = self._job(values)
        self._check_size(asked)
        dpi = round(min(max(pixels, FEWEST), MOST) / asked.canvas.inches.width)
        picture: Picture[Any] = Picture(self._job({**values, "dpi": max(10, dpi)}))
        data = base64.b64encode(picture.render("png")[0]).decode()
        specs = tuple(values.get("encoding", ()))
        return {
            "image": f"data:image/png;base64,{data}",
            "alt": picture.alt,
            "command": command(asked, ()),
            "name": Path(asked.paths[0]).stem,
            "notes": [as_labels(note) for note in picture.notes],
            "parameters": groups(self.figure, specs, values)["encoding"],
        }

    def _job(self, values: Mapping[str, Any]) -> Job:
        job = make_job(self.figure.name, values)
        job.check_names()
        return job

    def _check_size(self, job: Job) -> None:
        """Raise TooLongError if computing the job's largest array, which cannot be interrupted, would take too long."""
        if (count := prod(job.analysis.shape(job.display_view))) > MAX_NUMBERS:
            raise TooLongError(
                f"{self.figure.name} makes {count:,} numbers at once, but the page takes at most {MAX_NUMBERS:,}"
            )

    def _options_from_page(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values sent by the page as options of a job, without parameters of other encodings."""
        given = {str(name): str(value) for name, value in values.items()}
        for name, value in given.items():
            if len(value) > MAX_VALUE_LENGTH:
                text = (
                    f"{option_text(name)} has {len(value):,} characters, but at most {MAX_VALUE_LENGTH:,} are allowed"
                )
                raise UsageError(text, option=name, value=value)
        text = given.pop("encoding", "").strip() or self.figure.default_encoding
        specs = text.split() if self.figure.several else [text]
        known = {**shared_options(self.figure), **parameters_of(specs)}
        taken = {name: text for name, text in given.items() if name in known and name not in Output.options()}
        return {"encoding": specs, **taken}


def _until_timeout(items: Sequence[Any], doing: str, begun: float, gone: Callable[[], bool]) -> Iterable[Any]:
    """Yield the items; raise PecliError once the client has left (`gone`) or MAX_SECONDS have passed since `begun`."""
    for item in items:
        _check_waiting(gone)
        if time.monotonic() - begun > MAX_SECONDS:
            raise TooLongError(f"{doing} takes longer than the {MAX_SECONDS:.0f} seconds that the page waits")
        yield item


def _check_waiting(gone: Callable[[], bool]) -> None:
    if gone():
        raise PecliError("the page no longer waits for this picture")


def as_labels(text: str) -> str:
    """Return a message with option names as the page shows them: ``text size 5``."""
    return as_keywords(text, " ", " ")
