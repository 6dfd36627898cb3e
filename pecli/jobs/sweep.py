"""Expand options into jobs: one job per combination of values; combinations that share a file become one job.

An option with several values is swept; the jobs of all combinations are a sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod
from os.path import splitext
from typing import Any, TypeVar

from pecli.analysis import TAKEN_WHOLE, Analysis, refuse_unused
from pecli.core.errors import PecliError, UnknownNameError, UsageError, nearest, option_text, shorten
from pecli.core.hub import resolved
from pecli.core.language import Language, options_from_environment
from pecli.core.lazy import cached, np
from pecli.core.options import Option, Options, default_values, with_canonical_names
from pecli.core.positions import Positions
from pecli.encodings.registry import Encoding, all_encodings
from pecli.encodings.spec import encoding_of, parse_encoding, spread_spec
from pecli.figures.revealing import Revealing
from pecli.files.formats import FORMATS
from pecli.files.writer import ending_of, is_stdout
from pecli.jobs.job import MAX_CELLS, MAX_FRAMES, SINGLE, Job, too_many_in_one_file
from pecli.jobs.job_options import (
    ANALYSES,
    EncodingOption,
    Output,
    find_analysis,
    known_options,
    parameters_of,
    shared_options,
)
from pecli.jobs.names import escape_placeholders, fill_placeholders, placeholders
from pecli.page.canvas import Canvas

MAX_PICTURES = 100_000  # most pictures of one sweep

P = TypeVar("P", bound=Options)


def jobs_of(analysis: str, given: Mapping[str, Any]) -> list[Job]:
    """Return the checked jobs for a mapping of option names to values or lists of values (see `expand`)."""
    return [job.settle() for job in expand(analysis, given).by_file()]


def job_of(analysis: str, given: Mapping[str, Any]) -> Job:
    """Return one job for a mapping as in `jobs_of`, with all combinations of values in one picture.

    Raises UsageError if one picture cannot show them all.
    """
    return expand(analysis, given).as_one().settle()


def make_job(analysis: str, given: Mapping[str, Any]) -> Job:
    """Return the job for a mapping in which every option has one value."""
    (job,) = expand(analysis, given, swept=False).jobs
    return job.settle()


@dataclass(frozen=True)
class Sweep:
    """The jobs of all combinations of the options' values, the last option changing fastest.

    places : for each job, the index of its value on each of the `Job.axes`
    """

    jobs: tuple[Job, ...]
    places: tuple[tuple[int, ...], ...]

    def as_one(self) -> Job:
        """Return one job with all combinations; raise UsageError if one picture cannot show them all."""
        jobs = self._merged(range(len(self.jobs)), self.jobs[0].output)
        if len(jobs) > 1:
            swept = ", ".join(map(option_text, jobs[0].axes))
            text = f"{jobs[0].figure.name}: {swept} with several values make several pictures"
            raise UsageError(text, option=jobs[0].axes[0], advice="ask for one at a time")
        return jobs[0]

    def by_file(self) -> list[Job]:
        """Return the jobs; those with the same file are merged into one job, if one picture can show them.

        After each job come the jobs for files beside it, such as sheet-solved.md beside sheet.md.
        """
        return [each for job in self._by_file() for each in (job, *_beside(job))]

    def _by_file(self) -> list[Job]:
        first = self.jobs[0]
        if len(self.jobs) == 1 or not first.figure.drawn or any(job.output != first.output for job in self.jobs):
            return list(self.jobs)
        groups: dict[tuple[int, ...], list[str]] = {}
        for path in first.output.output:
            members: dict[str, list[int]] = {}
            for at, job in enumerate(self.jobs):
                name = escape_placeholders(fill_placeholders(path, placeholders(job))) if "{" in path else path
                members.setdefault(name, []).append(at)
            for name, own in members.items():
                groups.setdefault(tuple(own), []).append(name)
        if all(len(own) == 1 for own in groups):
            return list(self.jobs)
        outputs = {own: replace(first.output, output=tuple(paths)) for own, paths in groups.items()}
        return [job for own, output in outputs.items() for job in self._merged(own, output)]

    def _merged(self, members: Sequence[int], output: Output) -> list[Job]:
        """Return a list of one job, written to `output`, whose cells are the jobs with the indices `members`.

        Return these jobs unmerged if they are not all combinations of their values, or if they differ in an option that
        has only one value per picture.
        """
        jobs, first = [replace(self.jobs[at], output=output) for at in members], self.jobs[members[0]]
        if len(jobs) == 1 or not first.figure.drawn:
            return jobs
        columns = zip(*(self.places[at] for at in members), strict=True)
        lengths = {name: len({*column}) for name, column in zip(first.axes, columns, strict=True)}
        kind = type(first.figure)
        order = [*kind.options(), *EncodingOption.options(), *known_options(kind), *first.axes]  # the order of --help
        axes = tuple(name for name in dict.fromkeys(order) if lengths.get(name, 1) > 1)
        apart = SINGLE | ({*EncodingOption.options()} if first.figure.several else set())
        if {*axes} & apart or prod(lengths.values()) != len(jobs) or len({*jobs}) < len(jobs):
            return jobs
        used = max(1, *(job.positions_seen.stop for job in jobs))  # shared, so that cells differ only in the axes
        ordered = sorted(members, key=lambda at: [self.places[at][first.axes.index(name)] for name in axes])
        cells = tuple(replace(self.jobs[at], output=Output(), used=used) for at in ordered)
        return [replace(self.jobs[ordered[0]], output=output, swept=(), axes=axes, cells=cells)]


def expand(analysis: str, given: Mapping[str, Any], *, swept: bool = True, where: str = "") -> Sweep:
    """Return the jobs for a mapping of option names to texts or values, one job for each combination of values.

    A list gives an option several values. If one value of the option is a list already, it takes a list of lists.
    Several encodings count as several values only if the analysis shows one at a time. The last option changes fastest.

    given : option names as on the command line, with ``-`` or ``_``, and their values
    swept : False to take every list as a single value, so that the result is one job
    where : ``file:line`` in a batch file

    Raises
    ------
    UsageError : an unknown name, a value that is not allowed, or too many pictures
    """
    kind = find_analysis(analysis)
    known = known_options(kind)
    asked = {
        n: known[n].as_text(_array_as_list(value)) if n in known else value
        for n, value in with_canonical_names(known, given).items()
    }
    if kind.config_layers and asked.get("encoding"):
        found = _of_layers(asked["encoding"], kind.config_layers)
        told = {n: _as_list(asked[n]) for n in found.keys() & asked.keys() - {"encoding"} if asked[n] is not None}
        others = {n: values[0] for n, values in told.items() if values != [*found[n]]}
        refuse_unused(others, "the file has its own")
        asked |= found
    named = asked.get("encoding") or kind.default_encoding  # the reference keeps an array alive
    for spec in specs_in({"encoding": named}):
        _refuse_option_inside(spec, kind)
    own = parameters_of(specs_in({"encoding": named}), inner=True)
    known = {**{n: item for n, item in own.items() if not item.in_spec}, **known}
    spelled = with_canonical_names({**own, **known}, asked)
    inner = {n: _choices(own[n], spelled[n], kind) for n in spelled if n in own and n not in known}
    repeated = {n: list(map(own[n].write, values)) for n, values in inner.items() if len(values) > 1}
    spread = _spread_specs(named, repeated)
    labels = known["label"].read(spelled.pop("label", ()))
    if labels or spread != [named]:
        spelled["encoding"] = _with_labels(spread, labels) if labels else spread
    spelled = {n: value for n, value in spelled.items() if n not in repeated}
    spelled = {**options_from_environment(spelled), **spelled}
    values = {name: _choices(known.get(name), value, kind) if swept else [value] for name, value in spelled.items()}
    if swept and kind.several and not labels:
        values |= _encodings_per_picture(
            [_spread_specs(item, repeated) for item in _as_list(named)], values.get("output", ())
        )
    values = {name: _read_shared(shared_options(kind).get(name), each) for name, each in values.items()}
    if kind.frame_option:
        values = _split_over_frames(kind, values)
    if swept and any(values.pop("reveal", ())) and issubclass(kind, Revealing):
        values = _split_into_steps(kind, values)
    count = prod(map(len, values.values()))
    if count > MAX_PICTURES:
        raise UsageError(f"this sweep asks for {count:,} pictures, but the limit is {MAX_PICTURES:,}")
    for path in (str(path) for output in values.get("output", ()) for path in _as_list(output)):
        item = FORMATS.get(ending_of(path))
        most = MAX_FRAMES if item and (item.frames or item.paged) else MAX_CELLS
        if kind.drawn and item and item.picture and "{" not in path and count > most:  # before the jobs are made
            raise too_many_in_one_file(kind.name, count, most)
    several = tuple(name for name, each in values.items() if len(each) > 1)
    text = tuple(dict.fromkeys([*several, *_parameters_in_specs(values, several)]))
    combinations = (dict(zip(values, each, strict=True)) for each in product(*values.values()))
    maker = _Maker(kind)
    jobs = tuple(maker.job(combination, swept=text, axes=several, where=where) for combination in combinations)
    return Sweep(jobs, tuple(product(*(range(len(values[name])) for name in several))))


def _beside(job: Job) -> Iterator[Job]:
    """Yield the jobs for files that belong beside a job's documents, such as sheet-solved.md beside sheet.md."""
    for suffix, analysis in job.figure.written_beside().items():
        paths = [path for path in job.output.output if not is_stdout(path)]
        named = tuple(f"{root}{suffix}{ending}" for root, ending in map(splitext, paths))
        if paths or (job.output.format and not job.output.output):  # otherwise nothing is written
            yield replace(job, figure=analysis, output=replace(job.output, output=named))


def _array_as_list(value: Any) -> Any:
    """Return a range or a 1-D array as a list, any other value unchanged."""
    return list(value) if isinstance(value, range) or (isinstance(value, np.ndarray) and value.ndim == 1) else value


def _of_layers(encodings: Any, layers: str) -> dict[str, Any]:
    """Return the encodings as options, with the kind of layer added to each config.json that names none.

    If `layers` is EVERY, return the options that show all layers of these files.
    """
    from pecli.models.spec import EVERY, every_layer, of_layers  # few figures need it

    def added(item: Any) -> Any:
        if isinstance(item, (list, tuple)):
            return [added(each) for each in item]
        return of_layers(item, layers) if isinstance(item, str) else item

    if layers == EVERY:
        return dict(every_layer([item for item in _as_list(encodings) if isinstance(item, str)]))
    return {"encoding": added(encodings)}


def _with_labels(encodings: Any, labels: Sequence[str]) -> list[str]:
    """Return the specs of the encodings, each with its label; raise UsageError unless there is one label for each."""
    specs = [str(item) for item in _as_list(encodings)]
    if len(specs) != len(labels) or any(isinstance(item, (list, tuple)) for item in _as_list(encodings)):
        example = f"{specs[0]}{',' if ':' in specs[0] else ':'}"
        text = f"{option_text('label')} is given {len(labels)} times, for {len(specs)} encoding{'s' * (len(specs) > 1)}"
        raise UsageError(text, option="label", advice=f"give it once per encoding, or write {example}label=NAME")
    return [text for spec, label in zip(specs, labels, strict=True) for text in spread_spec(spec, {"label": [label]})]


def _spread_specs(encodings: Any, given: Mapping[str, Sequence[str]]) -> list[Any]:
    """Return one spec for each value that an encoding's spec or `given` has for a parameter.

    A list among the encodings gives a list of specs.
    """
    spread: list[Any] = []
    for item in _as_list(encodings):
        if isinstance(item, (list, tuple)):
            spread.append(_spread_specs(item, given))
        else:
            own = encoding_of(item).options()  # raises for values that are not text
            spread += spread_spec(item, {name: texts for name, texts in given.items() if name in own})
    return spread


def _encodings_per_picture(spread: Sequence[Sequence[str]], outputs: Sequence[Any]) -> dict[str, Sequence[Any]]:
    """Return the encodings of each picture if output names have a placeholder for a parameter swept in a spec, else {}.

    spread : for each given spec, one spec per value of its swept parameters
    outputs : given output paths
    """
    written = [[parse_encoding(spec)[1] for spec in each] for each in spread if len(each) > 1]
    differ = {name for each in written for name in each[0] if len({own[name] for own in each}) > 1}
    paths = [str(path) for output in outputs for path in _as_list(output)]
    named = any(f"{{{name}}}" in path for name in differ for path in paths)
    return {"encoding": [list(each) for each in product(*spread)]} if named else {}


def _choices(option: Option | None, value: Any, analysis: type[Analysis[Any]]) -> Sequence[Any]:
    """Return the values that are given for an option, one or more."""
    if option is None:
        return [value]
    if not isinstance(value, (list, tuple)):
        return [value] if option.many else option.spread(value)
    if None in value:
        option.read(value)  # raises, and says what is allowed
    single = not option.many or (option.name in EncodingOption.options() and not analysis.several)
    if single or any(isinstance(item, (list, tuple)) for item in value):
        return [each for item in value for each in ([item] if option.many else option.spread(item))] or [value]
    return [value]


def _read_shared(option: Option | None, values: Sequence[Any]) -> Sequence[Any]:
    """Return the parsed values of an option that belongs to no encoding; file names are spelled as jobs store them."""
    if option is None:
        return values
    read = [None if value is None else option.read(value) for value in values]
    return [value and resolved(value) for value in read] if option.file else read


def _split_over_frames(kind: type[Analysis[Any]], values: dict[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return the values, with the list of the figure's `frame_option` split so that each frame has one item.

    Return the values unchanged if another option is swept, or if no file has frames.
    """
    name = kind.frame_option
    if any(len(several) > 1 for several in values.values()):
        return values
    endings = [ending_of(str(path)) for output in values.get("output", ()) for path in _as_list(output)]
    paged = any(values.get("pages", ()))
    formats = [FORMATS[ending] for ending in (*endings, *values.get("format", ())) if ending in FORMATS]
    if not any(format.frames or (paged and format.paged) for format in formats):
        return values
    given = {own: several[0] for own, several in values.items()}
    each = given.get(name) or kind.moving(given)
    return {**values, name: [(item,) for item in each]} if len(each) > 1 else values


def _split_into_steps(kind: type[Revealing[Any]], values: dict[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return the values with one value of `revealed` per step of --reveal; a PDF file gets one page per step."""
    if any(value is not None for value in values.get("revealed", ())):
        text = "--reveal makes a picture of every step, --revealed only of the steps given"
        raise UsageError(text, option="revealed", advice="give one of them")
    combinations = (dict(zip(values, each, strict=True)) for each in product(*values.values()))
    jobs = [replace(_Maker(kind).job(each), output=Output(), shown=True).settle() for each in combinations]
    steps = max(job.figure.steps(job.view) for job in jobs if isinstance(job.figure, Revealing))
    files = [ending_of(str(path)) for output in values.get("output", ()) for path in _as_list(output)]
    pages = {"pages": [True]} if any(FORMATS[own].paged for own in files if own in FORMATS) else {}
    return {**values, **pages, "revealed": range(1, steps + 1)} if steps > 1 else values


def _as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def specs_in(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the specs of all encodings among the given values."""
    (choice,) = EncodingOption.options()
    items = [given.get(choice)]
    while items:
        item = items.pop()
        if isinstance(item, str):
            yield from spread_spec(item)
        elif isinstance(item, (list, tuple)):
            items += item


def _refuse_option_inside(spec: str, analysis: type[Analysis[Any]]) -> None:
    """Raise UsageError if a parameter in a spec is not the encoding's but a figure's option, even a misspelt one."""
    encoding, given = parse_encoding(spec)
    own = encoding.options()
    for name in (name for name in given if name not in own and not nearest(name, own)):
        others = (*reversed([*ANALYSES.values()]), analysis)  # the last one that has an option is named
        owners = {option: other.name for other in others for option in shared_options(other)}
        if near := nearest(name, owners, 0.65):
            text = f"{encoding.name} has no parameter '{shorten(name)}'"
            advice = (
                f"did you mean {option_text(near[0])}, an option of {owners[near[0]]}? Write it outside the encoding"
            )
            raise UsageError(text, option="encoding", value=spec, advice=advice)


def _parameters_in_specs(values: Mapping[str, Sequence[Any]], several: Sequence[str]) -> list[str]:
    """Return the names of all parameters in the encodings' specs if several encodings are swept, otherwise []."""
    choices = [value for name in several if name in EncodingOption.options() for value in values[name]]
    specs = [spec for value in choices for spec in value or ()]
    return [name for spec in specs for name in parse_encoding(spec)[1]]


class _Maker:
    """Makes the jobs of one sweep. What several of them have in common is made once and shared.

    A value in several combinations must be the same object in all of them.
    """

    def __init__(self, kind: type[Analysis[Any]]) -> None:
        self.kind, self.made = kind, dict[tuple[Any, ...], Any]()

    def job(self, given: Mapping[str, Any], **about: Any) -> Job:
        """Return the job for a mapping with one value per option; only parameters of encodings are not parsed yet.

        about : other fields of the job
        """
        known, (choice,) = shared_options(self.kind), EncodingOption.options()
        shared = {name: given[name] for name in given.keys() & known.keys()}
        figure: Analysis[Any] = self._part(self.kind, shared)
        canvas, output, language = self._part(Canvas, shared), self._part(Output, shared), self._part(Language, shared)
        own = {name: value for name, value in given.items() if name not in known or name == choice}
        key = (Encoding, *map(id, own.values()))
        encodings: tuple[Encoding, ...] = self._once(key, lambda: self._encodings(figure, own))
        positions = self._part(Positions, shared)
        whole = all(encoding.own_positions for encoding in encodings)
        if whole:
            refuse_unused({name: given[name] for name in Positions.options() if given.get(name)}, TAKEN_WHOLE)
        if given.get("length") is None:
            rows = None if whole else _shortest_table(encodings, positions.start, figure.length_in_use)
            length, asked = figure.default_length(rows), positions
            positions = self._once((id(asked), length), lambda: asked.changed_to(length=length))
        return Job(figure, encodings, positions, canvas, output, language=language, **about)

    def _part(self, owner: type[P], given: Mapping[str, Any]) -> P:
        """Return the group `owner` of a job's options; the parsed values in `given` override the figure's defaults."""
        options = owner.options()
        own = {name: given[name] for name in given.keys() & options.keys() if given[name] is not None}
        make = partial(owner.of_read, {**_defaults(owner, self.kind), **own})
        return self._once((owner, *own, *map(id, own.values())), make)

    def _encodings(self, figure: Analysis[Any], given: Mapping[str, Any]) -> tuple[Encoding, ...]:
        """Return the encodings for the given values of their parameters and of the option that chooses them."""
        (choice,) = EncodingOption.options()
        own = {name: value for name, value in given.items() if name != choice}
        specs = self._part(EncodingOption, given).encoding or (self.kind.default_encoding,)
        parsed = [parse_encoding(spec) for spec in specs]
        _check_names(figure, [encoding for encoding, _ in parsed], own, chosen=choice in given)
        meant = [_applicable(encoding, own, written) for encoding, written in parsed]
        refused = {name: value for name, value in own.items() if not any(name in values for values in meant)}
        return tuple(
            _encoding(encoding, {**values, **refused}, _defaults(encoding, self.kind), written)
            for (encoding, written), values in zip(parsed, meant, strict=True)
        )

    def _once(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Return what `make` returned when it was first called for this key."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]


def _applicable(encoding: type[Encoding], given: Mapping[str, Any], written: Mapping[str, str]) -> dict[str, Any]:
    """Return the given parameters that apply to an encoding; some apply only if another parameter has a certain value.

    written : parameters in the encoding's spec
    """
    owners = {name: encoding.options()[name].only_with for name in given if name in encoding.options()}
    values = {**written, **given}
    return {name: given[name] for name, owner in owners.items() if not owner or values.get(owner[0]) in owner[1]}


def _check_names(
    analysis: Analysis[Any], kinds: list[type[Encoding]], given: Mapping[str, Any], *, chosen: bool
) -> None:
    """Raise UsageError for a parameter that none of these encodings has, and say which encodings have it.

    chosen : True if the user chose the encodings
    """
    for name, value in given.items():
        if any(name in kind.options() for kind in kinds):
            continue
        owners = [kind for kind in all_encodings().values() if name in kind.options()]
        owners.sort(key=lambda kind: kind.options()[name].default is None)  # encodings with a default come first
        if not owners:
            known = known_options(type(analysis))
            raise UnknownNameError(f"option of {analysis.name}:", name, known, option=name, alike=0.65)
        taken, others = (", ".join(kind.name for kind in several) for several in (kinds, owners))
        item = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        chosen_are = f"encoding{'s are' if len(kinds) > 1 else ' is'}"
        text = f"{option_text(name, item)} is a parameter of {others}, but the {chosen_are} {taken}"
        leave, parts = f"leave {option_text(name)} out", analysis.made_of()
        shown = [kind for kind in owners if all(part.takes(kind) for part in parts)]
        if shown:
            give = f"give {option_text('encoding', shown[0].name)}"
            advice = f"{leave}, or {give} instead" if chosen else f"{give} too"
        else:
            advice = f"{leave}, because {', '.join(part.name for part in parts)} shows no encoding with this parameter"
        if name == "seq_len":  # the name of the length in other programs
            advice += f"; {option_text('length')} is how many positions are shown"
        raise UsageError(text, option=name, value=value, advice=advice)


def _encoding(
    owner: type[Encoding], given: Mapping[str, Any], defaults: Mapping[str, Any], written: Mapping[str, str]
) -> Encoding:
    """Return an encoding; given values override those `written` in its spec, and both override the defaults."""
    options = owner.options()
    values = _read(owner, {n: value for n, value in given.items() if n in options and value is not None})
    try:
        spelled = _read(owner, {name: text for name, text in written.items() if name not in values})
    except UsageError as error:
        error.option = "encoding"  # the option that holds the spec
        raise
    return owner.of_read({**defaults, **spelled, **values})


def _read(owner: type[Encoding], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parsed values of an encoding's parameters, with file names resolved as a job stores them."""
    files = {name for name, entry in owner.options().items() if entry.file}
    read = owner.read_values(values)
    return {name: resolved(value) if name in files and value is not None else value for name, value in read.items()}


@cached
def _defaults(owner: type[Options], kind: type[Analysis[Any]]) -> dict[str, Any]:
    """Return the figure's own defaults for a group of options."""
    return owner.read_values(default_values(owner.options(), kind.default_options))


def _shortest_table(encodings: Sequence[Encoding], start: int, in_use: bool) -> int | None:
    """Return the number of rows from `start` on in the shortest of the encodings' tables; None if no table ends.

    A file that cannot be read is ignored here, because making the view reads it again and reports the error.

    in_use : include the current sequence lengths of encodings that depend on one
    """
    with suppress(PecliError):
        ends = [rows for encoding in encodings if (rows := encoding.rows_from(start)) is not None]
        return min([*ends, *(item.context for item in encodings if in_use and item.context)], default=None)
    return None
