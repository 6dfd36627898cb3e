"""Options given as text or values become jobs, every combination of them; those into one file become one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any, TypeVar

from pecli.analysis import TAKEN_WHOLE, Analysis, refuse_unused
from pecli.core.errors import PecliError, UnknownNameError, UsageError, option_text
from pecli.core.hub import resolved
from pecli.core.language import Language, options_from_environment
from pecli.core.lazy import cached, np
from pecli.core.options import Option, Options, default_values, with_canonical_names
from pecli.core.positions import Positions
from pecli.encodings.registry import Encoding, all_encodings
from pecli.encodings.spec import encoding_of, parse_encoding, spread_spec
from pecli.files.formats import FORMATS
from pecli.files.writer import ending_of
from pecli.jobs.job import MAX_CELLS, MAX_FRAMES, SINGLE, Job, too_many_in_one_file
from pecli.jobs.job_options import (
    EncodingOption,
    Output,
    find_analysis,
    known_options,
    parameters_of,
    shared_options,
)
from pecli.jobs.names import blanks, escape_blanks, fill_blanks
from pecli.page.canvas import Canvas

MAX_PICTURES = 100_000  # of one sweep

P = TypeVar("P", bound=Options)


def jobs_of(analysis: str, given: Mapping[str, Any]) -> list[Job]:
    """Return the jobs that a mapping of option names to values, or lists of values, asks for (see `expand`)."""
    return [job.settle() for job in expand(analysis, given).by_file()]


def job_of(analysis: str, given: Mapping[str, Any]) -> Job:
    """Return the one job that such a mapping asks for, with all its values in one picture; UsageError for none."""
    return expand(analysis, given).as_one().settle()


def make_job(analysis: str, given: Mapping[str, Any]) -> Job:
    """Return the job of such a mapping in which every option has one value."""
    (job,) = expand(analysis, given, swept=False).jobs
    return job.settle()


@dataclass(frozen=True)
class Sweep:
    """The jobs of every combination of the options' values, the last of the options running fastest.

    places : of each job, which of the values it has of each of the `Job.axes`
    """

    jobs: tuple[Job, ...]
    places: tuple[tuple[int, ...], ...]

    def as_one(self) -> Job:
        """Return one job of all; raises UsageError where they are no one picture."""
        jobs = self._merged(range(len(self.jobs)), self.jobs[0].output)
        if len(jobs) > 1:
            swept = ", ".join(map(option_text, jobs[0].axes))
            text = f"{jobs[0].figure.name}: {swept} with several values make several pictures"
            raise UsageError(text, option=jobs[0].axes[0], advice="ask for one after the other")
        return jobs[0]

    def by_file(self) -> list[Job]:
        """Return the jobs, those that go into one file as one; those that are no one picture stay apart."""
        first = self.jobs[0]
        if len(self.jobs) == 1 or not first.figure.drawn or any(job.output != first.output for job in self.jobs):
            return list(self.jobs)
        groups: dict[tuple[int, ...], list[str]] = {}
        for path in first.output.output:
            members: dict[str, list[int]] = {}
            for at, job in enumerate(self.jobs):
                name = escape_blanks(fill_blanks(path, blanks(job))) if "{" in path else path
                members.setdefault(name, []).append(at)
            for name, own in members.items():
                groups.setdefault(tuple(own), []).append(name)
        if all(len(own) == 1 for own in groups):
            return list(self.jobs)
        outputs = {own: replace(first.output, output=tuple(paths)) for own, paths in groups.items()}
        return [job for own, output in outputs.items() for job in self._merged(own, output)]

    def _merged(self, members: Sequence[int], output: Output) -> list[Job]:
        """Return one job whose cells are these; each where they are no whole grid, or differ in what is one of all."""
        jobs, first = [replace(self.jobs[at], output=output) for at in members], self.jobs[members[0]]
        if len(jobs) == 1 or not first.figure.drawn:
            return jobs
        columns = zip(*(self.places[at] for at in members), strict=True)
        lengths = {name: len({*column}) for name, column in zip(first.axes, columns, strict=True)}
        kind = type(first.figure)
        order = [*kind.options(), *EncodingOption.options(), *known_options(kind), *first.axes]  # that of the help
        axes = tuple(name for name in dict.fromkeys(order) if lengths.get(name, 1) > 1)
        apart = SINGLE | ({*EncodingOption.options()} if first.figure.several else set())
        if {*axes} & apart or prod(lengths.values()) != len(jobs) or len({*jobs}) < len(jobs):
            return jobs
        used = max(1, *(job.positions_seen.stop for job in jobs))  # one for all, so that they differ in nothing else
        ordered = sorted(members, key=lambda at: [self.places[at][first.axes.index(name)] for name in axes])
        cells = tuple(replace(self.jobs[at], output=Output(), used=used) for at in ordered)
        return [replace(self.jobs[ordered[0]], output=output, swept=(), axes=axes, cells=cells)]


def expand(analysis: str, given: Mapping[str, Any], *, swept: bool = True) -> Sweep:
    """Return what a mapping of option names (those of the command line, ``-`` or ``_``) to text or values asks for.

    A list is several values of an option that takes one, and one value of an option that takes a list; lists of lists
    are several of the latter. Encodings are several values where the analysis looks at one. Where nothing is swept
    every option has one value, and the list one job. The last option changes fastest.

    Raises
    ------
    UsageError : an unknown name, a value that is not allowed, too many pictures
    """
    kind = find_analysis(analysis)
    known = known_options(kind)
    asked = {
        n: known[n].as_text(_listed(value)) if n in known else value
        for n, value in with_canonical_names(known, given).items()
    }
    if kind.config_layers and asked.get("encoding"):
        asked["encoding"] = _of_layers(asked["encoding"], kind.config_layers)
    named = asked.get("encoding") or kind.default_encoding  # kept to the end: arrays are there as long as their texts
    own = parameters_of(specs_in({"encoding": named}), inner=True)
    known = {**{n: item for n, item in own.items() if not item.in_spec}, **known}
    spelled = with_canonical_names({**own, **known}, asked)
    inner = {n: _choices(own[n], spelled[n], kind) for n in spelled if n in own and n not in known}
    repeated = {n: list(map(own[n].write, values)) for n, values in inner.items() if len(values) > 1}
    spread = _spread(named, repeated)
    labels = known["label"].read(spelled.pop("label", ()))
    if labels or spread != [named]:
        spelled["encoding"] = _labelled(spread, labels) if labels else spread
    spelled = {n: value for n, value in spelled.items() if n not in repeated}
    spelled = {**options_from_environment(spelled), **spelled}
    values = {name: _choices(known.get(name), value, kind) if swept else [value] for name, value in spelled.items()}
    if swept and kind.several and not labels:
        values |= _in_files([_spread(item, repeated) for item in _items(named)], values.get("output", ()))
    values = {name: _read_shared(shared_options(kind).get(name), each) for name, each in values.items()}
    if kind.frame_option:
        values = _in_frames(kind, values)
    count = prod(map(len, values.values()))
    if count > MAX_PICTURES:
        raise UsageError(f"this sweep asks for {count:,} pictures, and {MAX_PICTURES:,} are the most")
    for path in (str(path) for output in values.get("output", ()) for path in _items(output)):
        item = FORMATS.get(ending_of(path))
        most = MAX_FRAMES if item and (item.frames or item.paged) else MAX_CELLS
        if kind.drawn and item and item.picture and "{" not in path and count > most:  # before so many jobs are made
            raise too_many_in_one_file(kind.name, count, most)
    several = tuple(name for name, each in values.items() if len(each) > 1)
    text = tuple(dict.fromkeys([*several, *_written(values, several)]))
    combinations = (dict(zip(values, each, strict=True)) for each in product(*values.values()))
    jobs = tuple(replace(_job(kind, combination), swept=text, axes=several) for combination in combinations)
    return Sweep(jobs, tuple(product(*(range(len(values[name])) for name in several))))


def _listed(value: Any) -> Any:
    """Return a range, or an array of one dimension, as a list."""
    return list(value) if isinstance(value, range) or (isinstance(value, np.ndarray) and value.ndim == 1) else value


def _of_layers(encodings: Any, layers: str) -> Any:
    """Return the texts of encodings, those of a config.json with the layers that are looked at."""
    from pecli.models.spec import of_layers  # few figures need it

    if isinstance(encodings, (list, tuple)):
        return [_of_layers(item, layers) for item in encodings]
    return of_layers(encodings, layers) if isinstance(encodings, str) else encodings


def _labelled(encodings: Any, labels: Sequence[str]) -> list[str]:
    """Return the texts of encodings, each with its label; raises UsageError where there are more or fewer labels."""
    specs = [str(item) for item in _items(encodings)]
    if len(specs) != len(labels) or any(isinstance(item, (list, tuple)) for item in _items(encodings)):
        example = f"{specs[0]}{',' if ':' in specs[0] else ':'}"
        text = f"{option_text('label')} is given {len(labels)} times, for {len(specs)} encoding{'s' * (len(specs) > 1)}"
        raise UsageError(text, option="label", advice=f"give it once for each, or write {example}label=NAME")
    return [text for spec, label in zip(specs, labels, strict=True) for text in spread_spec(spec, {"label": [label]})]


def _spread(encodings: Any, given: Mapping[str, Sequence[str]]) -> list[Any]:
    """Return the texts of encodings, one for each value that a text or `given` has of a parameter; lists stay apart."""
    spread: list[Any] = []
    for item in _items(encodings):
        if isinstance(item, (list, tuple)):
            spread.append(_spread(item, given))
        else:
            own = encoding_of(item).options()  # which refuses what is no text
            spread += spread_spec(item, {name: texts for name, texts in given.items() if name in own})
    return spread


def _in_files(spread: Sequence[Sequence[str]], outputs: Sequence[Any]) -> dict[str, Sequence[Any]]:
    """Return the encodings of each picture, where names of files have blanks for what is swept inside a spec."""
    written = [[parse_encoding(spec)[1] for spec in each] for each in spread if len(each) > 1]
    differ = {name for each in written for name in each[0] if len({own[name] for own in each}) > 1}
    paths = [str(path) for output in outputs for path in _items(output)]
    named = any(f"{{{name}}}" in path for name in differ for path in paths)
    return {"encoding": [list(each) for each in product(*spread)]} if named else {}


def _choices(option: Option | None, value: Any, analysis: type[Analysis[Any]]) -> Sequence[Any]:
    """Return the values an option is given, one or more."""
    if option is None:
        return [value]
    if not isinstance(value, (list, tuple)):
        return [value] if option.many else option.spread(value)
    if None in value:
        option.read(value)  # which says what is allowed
    single = not option.many or (option.name in EncodingOption.options() and not analysis.several)
    if single or any(isinstance(item, (list, tuple)) for item in value):
        return [each for item in value for each in ([item] if option.many else option.spread(item))] or [value]
    return [value]


def _read_shared(option: Option | None, values: Sequence[Any]) -> Sequence[Any]:
    """Return the values of an option that belongs to no encoding, each read once, files as a job records them."""
    if option is None:
        return values
    read = [None if value is None else option.read(value) for value in values]
    return [value and resolved(value) for value in read] if option.file else read


def _in_frames(kind: type[Analysis[Any]], values: dict[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return the values, where a picture moves and nothing is swept: those of a list that moves one by one."""
    name = kind.frame_option
    if any(len(several) > 1 for several in values.values()):
        return values
    endings = [ending_of(str(path)) for output in values.get("output", ()) for path in _items(output)]
    paged = any(values.get("pages", ()))
    formats = [FORMATS[ending] for ending in (*endings, *values.get("format", ())) if ending in FORMATS]
    if not any(format.frames or (paged and format.paged) for format in formats):
        return values
    given = {own: several[0] for own, several in values.items()}
    each = given.get(name) or kind.moving(given)
    return {**values, name: [(item,) for item in each]} if len(each) > 1 else values


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def specs_in(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of all encodings among the given values."""
    (choice,) = EncodingOption.options()
    items = [given.get(choice)]
    while items:
        item = items.pop()
        if isinstance(item, str):
            yield from spread_spec(item)
        elif isinstance(item, (list, tuple)):
            items += item


def _written(values: Mapping[str, Sequence[Any]], several: Sequence[str]) -> list[str]:
    """Return the parameters that encodings to choose from are written with."""
    choices = [value for name in several if name in EncodingOption.options() for value in values[name]]
    specs = [spec for value in choices for spec in value or ()]
    return [name for spec in specs for name in parse_encoding(spec)[1]]


def _job(kind: type[Analysis[Any]], given: Mapping[str, Any]) -> Job:
    """Return the job in which every option has one value: those of no encoding are read."""
    known = shared_options(kind)
    shared = {name: value for name, value in given.items() if name in known and value is not None}
    own = {name: value for name, value in given.items() if name not in known}
    choice = _part(EncodingOption, shared, _defaults(EncodingOption, kind))
    positions = _part(Positions, shared, _defaults(Positions, kind))
    figure = _part(kind, shared, _defaults(kind, kind))
    parsed = [parse_encoding(spec) for spec in choice.encoding or (kind.default_encoding,)]
    _check_names(figure, [encoding for encoding, _ in parsed], own, chosen="encoding" in given)
    meant = [_meant(encoding, own, written) for encoding, written in parsed]
    refused = {name: value for name, value in own.items() if not any(name in values for values in meant)}
    encodings = tuple(
        _encoding(encoding, {**values, **refused}, _defaults(encoding, kind), written)
        for (encoding, written), values in zip(parsed, meant, strict=True)
    )
    whole = all(encoding.own_positions for encoding in encodings)
    if whole:
        refuse_unused({name: given[name] for name in Positions.options() if given.get(name)}, TAKEN_WHOLE)
    if given.get("length") is None:
        rows = None if whole else _rows(encodings, positions.start, figure.length_in_use)
        positions = positions.changed_to(length=figure.default_length(rows))
    canvas = _part(Canvas, shared, _defaults(Canvas, kind))
    output, language = _part(Output, shared, {}), _part(Language, shared, _defaults(Language, kind))
    return Job(figure, encodings, positions, canvas, output, language=language)


def _meant(encoding: type[Encoding], given: Mapping[str, Any], written: Mapping[str, str]) -> dict[str, Any]:
    """Return what is given of the parameters that mean something with the values of the others."""
    owners = {name: encoding.options()[name].only_with for name in given if name in encoding.options()}
    values = {**written, **given}
    return {name: given[name] for name, owner in owners.items() if not owner or values.get(owner[0]) in owner[1]}


def _check_names(
    analysis: Analysis[Any], kinds: list[type[Encoding]], given: Mapping[str, Any], *, chosen: bool
) -> None:
    """Refuse a parameter that no encoding here has (UsageError), saying whose it is."""
    for name, value in given.items():
        if any(name in kind.options() for kind in kinds):
            continue
        owners = [kind for kind in all_encodings().values() if name in kind.options()]
        owners.sort(key=lambda kind: kind.options()[name].default is None)  # first those that always have it
        if not owners:
            raise UnknownNameError(f"option of {analysis.name}", name, known_options(type(analysis)), option=name)
        taken, others = (", ".join(kind.name for kind in several) for several in (kinds, owners))
        item = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        text = f"{option_text(name, item)} belongs to {others}, and the encoding is {taken}"
        leave, parts = f"leave {option_text(name)} out", analysis.made_of()
        shown = [kind for kind in owners if all(part.takes(kind) for part in parts)]
        if shown:
            give = f"give {option_text('encoding', shown[0].name)}"
            advice = f"{leave}, or {give} instead" if chosen else f"{give} too"
        else:
            advice = f"{leave}, as no encoding that {', '.join(part.name for part in parts)} can show has it"
        if name == "seq_len":  # which other programs call the length
            advice += f"; {option_text('length')} is how many positions are shown"
        raise UsageError(text, option=name, value=value, advice=advice)


def _part(owner: type[P], read: Mapping[str, Any], defaults: Mapping[str, Any]) -> P:
    """Return that part of a job: what is given wins over the defaults."""
    options = owner.options()
    return owner.of_read({**defaults, **{name: value for name, value in read.items() if name in options}})


def _encoding(
    owner: type[Encoding], given: Mapping[str, Any], defaults: Mapping[str, Any], written: Mapping[str, str]
) -> Encoding:
    """Return an encoding: what is given wins over what is written in its spec, both over the defaults."""
    options = owner.options()
    values = _read(owner, {n: value for n, value in given.items() if n in options and value is not None})
    try:
        spelled = _read(owner, {name: text for name, text in written.items() if name not in values})
    except UsageError as error:
        error.option = "encoding"  # which holds the spec
        raise
    return owner.of_read({**defaults, **spelled, **values})


def _read(owner: type[Encoding], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as the options read them, files by the names that a job records."""
    files = {name for name, entry in owner.options().items() if entry.file}
    read = owner.read_values(values)
    return {name: resolved(value) if name in files and value is not None else value for name, value in read.items()}


@cached
def _defaults(owner: type[Options], kind: type[Analysis[Any]]) -> dict[str, Any]:
    """Return the figure's own defaults of a part's options."""
    return owner.read_values(default_values(owner.options(), kind.default_options))


def _rows(encodings: Sequence[Encoding], start: int, in_use: bool) -> int | None:
    """Return the rows that the shortest table of a file has from there on; None where none ends, or cannot be read.

    Why it cannot is told where the view is made, which reads it again: what is asked for is known then.

    in_use : whether the lengths in use count too, of encodings that depend on one
    """
    with suppress(PecliError):
        ends = [rows for encoding in encodings if (rows := encoding.rows_from(start)) is not None]
        return min([*ends, *(item.context for item in encodings if in_use and item.context)], default=None)
    return None
