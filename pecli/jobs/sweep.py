"""Options given as text or values become requests, every combination of them; those into one file become one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, TypeVar

from pecli.analysis import Analysis
from pecli.core.errors import PecliError, UnknownNameError, UsageError, mention
from pecli.core.language import Language, by_environment
from pecli.core.lazy import cached
from pecli.core.options import Option, Options, default_values, named
from pecli.core.positions import Positions
from pecli.encodings.registry import Encoding, all_encodings
from pecli.figures.canvas import Canvas
from pecli.files.formats import FORMATS
from pecli.jobs.job_options import (
    Choice,
    Output,
    find_analysis,
    known_options,
    parameters_of,
    shared_options,
)
from pecli.jobs.names import blanks, filled, plain_path
from pecli.jobs.request import Request
from pecli.models.spec import parse_encoding

MOST = 100_000  # pictures of one sweep

P = TypeVar("P", bound=Options)
Picks = Mapping[str, int]  # of each option that is given, which of its values


def requests_of(analysis: str, given: Mapping[str, Any], *, swept: bool = True) -> list[Request]:
    """What a mapping of option names (those of the command line, ``-`` or ``_``) to text or values asks for.

    A list is several values of an option that takes one, and one value of an option that takes a list; lists of lists
    are several of the latter. Encodings are several values where the analysis looks at one. Where nothing is swept
    every option has one value, and the list one request.

    Raises
    ------
    UsageError : an unknown name, a value that is not allowed, too many pictures
    """
    kind = find_analysis(analysis)
    known = known_options(kind)
    spelled = {name: _plain(known.get(name), value) for name, value in named(known, given).items()}
    known = {**parameters_of(specs_in(spelled)), **known}
    spelled = named(known, spelled)
    spelled = {**by_environment(spelled), **spelled}
    values = {name: _choices(known.get(name), value, kind) if swept else [value] for name, value in spelled.items()}
    if kind.frame_option in values:
        values = _in_frames(kind.frame_option, values, known)
    count = prod(map(len, values.values()))
    if count > MOST:
        raise UsageError(f"this sweep asks for {count:,} pictures, and {MOST:,} are the most")
    return list(Sweep(kind, values).requests())


def _plain(one: Option | None, value: Any) -> Any:
    return value if one is None or one.text_of is None else one.as_text(value)


def _in_frames(name: str, values: dict[str, Sequence[Any]], known: Mapping[str, Option]) -> dict[str, Sequence[Any]]:
    """The values, where a picture moves and nothing is swept: those of a list that moves one by one."""
    if any(len(several) > 1 for several in values.values()):
        return values
    asked = [str(one) for name in Output.options() for value in values.get(name, ()) for one in _items(value)]
    endings = [text.rpartition(".")[2].lower() for text in asked]
    if not any(ending in FORMATS and FORMATS[ending].frames for ending in endings):
        return values
    each = known[name].read(values[name][0]) or ()
    return {**values, name: [[one] for one in each]} if len(each) > 1 else values


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def specs_in(given: Mapping[str, Any]) -> Iterator[str]:
    """The texts of all encodings among the given values."""
    (choice,) = Choice.options()
    items = [given.get(choice)]
    while items:
        item = items.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, (list, tuple)):
            items += item


def _choices(one: Option | None, value: Any, analysis: type[Analysis[Any]]) -> Sequence[Any]:
    """The values an option is given, one or more."""
    if one is None:
        return [value]
    if not isinstance(value, (list, tuple)):
        return [value] if one.many else one.spread(value)
    if None in value:
        one.read(value)  # which says what is allowed
    single = not one.many or (one.name in Choice.options() and not analysis.several)
    if single or any(isinstance(item, (list, tuple)) for item in value):
        return [each for item in value for each in ([item] if one.many else one.spread(item))] or [value]
    return [value]


class Sweep:
    """The values given to the options of one figure or report. Each is read once, each part of a request built once."""

    def __init__(self, kind: type[Analysis[Any]], values: Mapping[str, Sequence[Any]]) -> None:
        self.kind, self.values = kind, values
        self._shared = shared_options(kind)
        self._read: dict[tuple[type[Options], str, int], Any] = {}
        self._built: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def _axes(self) -> tuple[str, ...]:
        """The options that have several values."""
        return tuple(name for name, values in self.values.items() if len(values) > 1)

    @cached_property
    def _swept(self) -> tuple[str, ...]:
        """The options that have several values, and the parameters that encodings to choose from are written with."""
        several = self._axes
        choices = [
            self._part(Choice, {name: at})
            for name in several
            if name in Choice.options()
            for at in range(len(self.values[name]))
        ]
        written = [parse_encoding(spec)[1] for choice in choices for spec in choice.encoding]
        return tuple(dict.fromkeys([*several, *(name for one in written for name in one)]))

    def requests(self) -> Iterator[Request]:
        """One request a combination, the last option changing fastest."""
        for places in product(*(range(len(values)) for values in self.values.values())):
            yield self._request(dict(zip(self.values, places, strict=True)))

    def _request(self, picks: Picks) -> Request:
        own = {name: at for name, at in picks.items() if name in self._shared}
        choice, positions = self._part(Choice, own), self._part(Positions, own)
        canvas, output = self._part(Canvas, own), self._part(Output, own)
        language = self._part(Language, own)
        specs = choice.encoding or (self.kind.default_encoding,)
        encodings = self._encodings(specs, {name: at for name, at in picks.items() if name not in self._shared})
        figure = self._part(self.kind, own)
        if not self._is_given("length", picks):
            positions = replace(positions, length=figure.default_length(_rows(encodings, positions.start)))
        return Request(
            figure, encodings, positions, canvas, output, language=language, swept=self._swept, axes=self._axes
        )

    def _is_given(self, name: str, picks: Picks) -> bool:
        """Whether an option has a value here, and is not left open."""
        return name in picks and self.values[name][picks[name]] is not None

    def _encodings(self, specs: tuple[str, ...], picks: Picks) -> tuple[Encoding, ...]:
        """The encodings; each takes the parameters that it has, and every parameter must find one that has it."""
        parsed = [parse_encoding(spec) for spec in specs]
        self._check_names([kind for kind, _ in parsed], picks)
        return tuple(self._part(kind, picks, tuple(written.items())) for kind, written in parsed)

    def _check_names(self, kinds: list[type[Encoding]], picks: Picks) -> None:
        for name in picks:
            if any(name in kind.options() for kind in kinds):
                continue
            owners = [kind for kind in all_encodings().values() if name in kind.options()]
            if owners:
                raise self._of_others(name, self.values[name][picks[name]], kinds, owners)
            raise UnknownNameError(f"option of {self.kind.name}", name, known_options(self.kind), option=name)

    def _of_others(
        self, name: str, value: Any, kinds: list[type[Encoding]], owners: list[type[Encoding]]
    ) -> UsageError:
        """What to say where a parameter is given that only other encodings have."""
        taken, others = (", ".join(kind.name for kind in several) for several in (kinds, owners))
        said = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        text = f"{mention(name, said)} belongs to {others}, and the encoding is {taken}"
        shown = [kind for kind in owners if self.kind.takes(kind)]
        leave = f"leave {mention(name)} out"
        if not shown:
            return UsageError(text, option=name, value=value, advice=f"{leave}, {self.kind.refusal(owners[0])}")
        give = f"give {mention('encoding', shown[0].name)}"
        chosen = any(option in self.values for option in Choice.options())
        return UsageError(
            text, option=name, value=value, advice=f"{leave}, or {give} instead" if chosen else f"{give} too"
        )

    def _part(self, owner: type[P], picks: Picks, written: tuple[tuple[str, str], ...] = ()) -> P:
        """That part of the request: what is given wins over what is written in a spec, both over the defaults."""
        own = {name: at for name, at in picks.items() if name in owner.options()}
        key = (owner, written, *own.items())
        if key not in self._built:
            values = {name: self._value(owner, name, at) for name, at in own.items()}
            given = {name: value for name, value in values.items() if value is not None}
            spelled = read_spec(owner, {name: text for name, text in written if name not in given})
            self._built[key] = owner(**{**_defaults(owner, self.kind), **spelled, **given})
            self._built[key].check_owners([*spelled, *given])
        part: P = self._built[key]
        return part

    def _value(self, owner: type[Options], name: str, at: int) -> Any:
        """The value at that place in what an option is given, as its owner reads it; None where it is left open."""
        key, value = (owner, name, at), self.values[name][at]
        if key not in self._read:
            self._read[key] = None if value is None else owner.options()[name].read(value)
        return self._read[key]


def _rows(encodings: Sequence[Encoding], start: int) -> int | None:
    """The rows that the shortest table of a file has from there on; None where none ends, or cannot be read.

    Why it cannot is told where the view is made, which reads it again: what is asked for is known then.
    """
    with suppress(PecliError):
        ends = [rows for one in encodings if (rows := one.rows_from(start)) is not None]
        return min(ends, default=None)
    return None


def read_spec(owner: type[Options], written: Mapping[str, str]) -> dict[str, Any]:
    """The parameters in the text of an encoding; what is wrong with one is wrong with the option that holds it."""
    try:
        return owner.read_values(written)
    except UsageError as error:
        error.option = next(iter(Choice.options()))
        raise


@cached
def _defaults(owner: type[Options], kind: type[Analysis[Any]]) -> dict[str, Any]:
    """The figure's own defaults of a part's options."""
    return owner.read_values(default_values(owner.options(), kind.default_options))


def by_file(requests: Sequence[Request]) -> list[Request]:
    """The requests, those that are to be written to one file as one; those that cannot be one picture stay apart."""
    first = requests[0]
    if not first.figure.drawn or any(one.output != first.output for one in requests):
        return list(requests)
    groups: dict[tuple[int, ...], list[str]] = {}
    for path in first.output.output:
        for name, members in _named(path, requests).items():
            groups.setdefault(tuple(members), []).append(name)
    if all(len(members) == 1 for members in groups):
        return list(requests)
    return [one for members, paths in groups.items() for one in _together([requests[at] for at in members], paths)]


def as_one(requests: Sequence[Request]) -> list[Request]:
    """The requests as one, whatever their output, where they can be one picture."""
    return list(requests) if len(requests) == 1 else _together(requests, requests[0].output.output)


def _named(path: str, requests: Sequence[Request]) -> dict[str, list[int]]:
    """The files that a path with blanks means, each with the places of the requests that are written to it."""
    if "{" not in path:
        return {path: list(range(len(requests)))}
    names: dict[str, list[int]] = {}
    for at, one in enumerate(requests):
        names.setdefault(plain_path(filled(path, blanks(one))), []).append(at)
    return names


def _together(requests: Sequence[Request], paths: Sequence[str]) -> list[Request]:
    """One request of all of them; themselves where they are no whole grid, or differ in what a picture has one of."""
    first = requests[0]
    output = replace(first.output, output=tuple(paths))
    here = [replace(one, output=output) for one in requests]
    axes = tuple(name for name in _order(first) if len({one.value(name, first.axes) for one in requests}) > 1)
    sheet = replace(here[0], swept=(), axes=axes, cells=tuple(here))
    values = {name: sheet.values(name) for name in axes}
    one_canvas = not {*axes} & {*Canvas.options(), *Output.options(), *Language.options()}
    one_each = {*axes} & {*Choice.options()} and first.figure.several
    whole = prod(map(len, values.values())) == len(requests)
    if len(requests) == 1 or not one_canvas or one_each or not whole:
        return here
    cells = sorted(here, key=lambda one: [values[name].index(one.value(name, axes)) for name in axes])
    return [replace(cells[0], swept=(), axes=axes, cells=tuple(cells))]


def _order(request: Request) -> list[str]:
    """The options with several values in the order of the help, whatever order they were given in."""
    known = [*request.figure.options(), *Choice.options(), *known_options(type(request.figure))]
    return [name for name in dict.fromkeys([*known, *request.axes]) if name in request.axes]
