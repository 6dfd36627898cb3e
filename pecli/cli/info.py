"""`pecli encodings`, `pecli model` and `pecli tensors`: what there is, and what is in a file."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import typer

from pecli.cli.completion import offered_values
from pecli.cli.options import SharedOptions, argument, file_options, language_option, run_options, with_options
from pecli.cli.show import Command, publish, targets_of
from pecli.core.errors import PecliError, UsageError, as_flags, is_printable
from pecli.core.hub import CONFIG, pin_revision
from pecli.core.language import language_of, say, use_language
from pecli.core.terminal import Block, Facts, Paragraph, TextTable, print_notes, print_results, show as print_blocks
from pecli.encodings.learned import Learned
from pecli.encodings.papers import bibtex, sources_of
from pecli.encodings.registry import Encoding, all_encodings, find_encoding
from pecli.files.tables import TABLE_NAMES, TABLE_READERS, candidates, expand_paths, is_table, stored_arrays, table_name
from pecli.jobs.job_options import ANALYSES, EncodingOption
from pecli.models.asked import ExtendOptions, ModelOptions
from pecli.reports.identify import IdentifyOptions, read_and_identify


def encodings(
    name: str | None,
    *,
    output: tuple[str, ...],
    format: str | None,
    json: bool,
    cite: bool,
    **_: object,
) -> None:
    """Print the encodings there are, or one of them in detail."""
    targets = targets_of(output, format, json)[0]
    kinds = list(all_encodings().values()) if name is None else [find_encoding(name)]
    if cite:
        print_citations(kinds, targets)
        return
    document: list[Block] = [TextTable([*facts(kinds[0])], [tuple(facts(kind).values()) for kind in kinds])]
    if name is not None:
        document = detail(kinds[0])
    elif not targets:  # no terminal is as wide as the table
        document = [block for kind in kinds for block in (Facts(facts(kind)), Paragraph())]
    publish(document, {"results": [encoding_data(kind) for kind in kinds]}, targets)


ENCODINGS_COMMAND = Command(
    with_options(
        encodings,
        [*file_options(), SharedOptions.options()["cite"], *run_options("show", "jobs")],
        argument(
            "name",
            "the encoding to explain",
            offers=lambda: offered_values(EncodingOption.options()["encoding"]),
        ),
    ),
    ("pecli encodings", "pecli encodings rope", "pecli encodings rope --cite"),
)


def print_citations(encodings: Iterable[type[Encoding] | Encoding], targets: Sequence[Any]) -> None:
    """Print the papers of the encodings as BibTeX."""
    if targets:
        raise UsageError("--cite prints BibTeX: leave --output, --format and --json out")
    entries = bibtex(text for encoding in encodings for text in sources_of(encoding))
    if not entries:
        raise UsageError("no paper is known for it", option="cite")
    print_results(["\n\n".join(entries)])


def facts(encoding: type[Encoding]) -> dict[str, str]:
    """Return what the list has of an encoding."""
    return {
        "name": encoding.name,
        "what it is": encoding.summary,
        "kind": encoding.kind,
        "numbers": "learned" if encoding.trained else "fixed formula",
        "beyond its length": "the formula goes on" if encoding.extrapolates else "has no rows",
        "used by": encoding.models,
        "source": encoding.source,
    }


def encoding_data(encoding: type[Encoding]) -> dict[str, Any]:
    """Return the facts, the formula and the parameters of an encoding, for --json."""
    parameters = {name: {"help": entry.help, "takes": entry.bounds} for name, entry in encoding.options().items()}
    return {**facts(encoding), "formula": say(encoding.formula), "parameters": parameters}


def detail(encoding: type[Encoding]) -> list[Block]:
    """Return formula, figures, an example and parameters of one encoding; those of another's value under that value."""
    figures = ", ".join(name for name, figure in ANALYSES.items() if figure.takes(encoding))
    more = {"formula": say(encoding.formula), "figures": figures, "example": encoding.example}
    tables: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for entry in encoding.options().values():
        owner, values = entry.only_with or ("", ("",))
        for value in values:
            head = f"with {owner}={value}" if owner else "parameter"
            about = (encoding.about(owner, value) if owner else "") or "what it does"
            tables.setdefault((head, about), []).append((entry.name, entry.explained))
    text = re.sub(r"`+|^Notes\n-+$", "", inspect.cleandoc(encoding.__doc__ or ""), flags=re.M)
    paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return [
        Facts(facts(encoding) | more),
        *(TextTable(head, rows) for head, rows in tables.items()),
        Paragraph("\n" + "\n\n".join(filter(None, paragraphs))),
    ]


def model(
    paths: list[str] | None,
    *,
    seq_len: int | None,
    same: bool,
    tolerance: float,
    override: tuple[str, ...],
    runtime: tuple[str, ...],
    flags: str | None,
    ignore: tuple[str, ...],
    figure: str,
    strict: bool,
    cite: bool,
    output: tuple[str, ...],
    format: str | None,
    lang: str | None,
    json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Print what a config.json does to its model's position encoding, and what is wrong; of several what differs first.

    It exits with 1 where a finding is an error or a file cannot be read; the others are read all the same.
    """
    from pecli.models.config_file import place
    from pecli.models.overrides import read_overrides
    from pecli.models.reader import without_findings
    from pecli.reports.model import ModelReport

    if not paths:
        raise UsageError("pecli model takes the path of a config.json, or of a folder that holds one")
    targets, pictures = targets_of(output, format, json, pictures=True)
    with use_language(language := language_of(lang)):
        each = (
            [path] if Path(path).is_dir() and place(Path(path)).is_file() else expand_paths([path], CONFIG)
            for path in paths
        )
        places = list(dict.fromkeys(chain(*each)))
        given = read_overrides(override)
        if flags and (runtime != ("llama.cpp",) or given):
            raise UsageError("--flags are of --runtime llama.cpp alone", option="flags")
        if runtime and not flags:
            others = {"same": same, "cite": cite, "strict": strict, "a picture": bool(pictures)}
            if pictures and figure == "drift":
                options = {"encoding": runtime_specs(places, runtime, seq_len, given), **language.settings()}
                draw(figure, options, pictures, format, quiet=quiet, verbose=verbose)
                return
            publish_runtimes(places, runtime, seq_len, given, targets, [name for name, own in others.items() if own])
            return
        models, failures = read_models(places, seq_len, given, flags)
        report = ModelReport(tuple(without_findings(model, ignore) for model in models), tolerance)
        if same and len(places) != 2:
            raise UsageError(f"--same compares two files, not {len(places)}", option="same")
        document, lines, data = report.document, report.lines(), report.data
        if same and not failures:
            document, lines, data = report.comparison, [], data["comparison"]
    if cite:
        made = filter(None, (layer.encoding for read in report.models for layer in read.layers.values()))
        print_citations(made, [*targets, *pictures])
    elif pictures:
        draw_models(report.models, figure, pictures, format, language, quiet=quiet, verbose=verbose)
    if not cite and (targets or not pictures):
        publish(document, data, targets, lines)
    for failure in failures:
        print_notes(failure.sentence(as_flags))
    levels = {finding.level for read in report.models for finding in read.findings}
    wrong = bool(levels & {"error", *(["warning"] if strict else [])})
    wrong = not report.same or (strict and wrong) if same else wrong
    if code := max([wrong, *(failure.exit_code for failure in failures)]):
        raise typer.Exit(code)


def publish_runtimes(
    places: Sequence[str],
    names: Iterable[str],
    seq_len: int | None,
    given: Mapping[str, Any],
    targets: Sequence[Any],
    others: Sequence[str],
) -> None:
    """Print what runtimes do with one file; others : what is asked that does not go with that."""
    from pecli.models.runtimes import applied, chosen
    from pecli.reports.runtimes import runtimes_data, runtimes_text

    if others:
        other = others[0] if " " in others[0] else f"--{others[0]}"
        raise UsageError(f"--runtime and {other} exclude each other", option="runtime", advice="give one of them")
    if len(places) != 1:
        raise UsageError(f"--runtime is of one file, not of {len(places)}", option="runtime")
    found = applied(places[0], chosen(names), seq_len, given)
    publish(runtimes_text(places[0], found), runtimes_data(places[0], found), targets)


def draw_models(
    models: Sequence[Any], figure: str, paths: list[str], format: str | None, language: Any, **how: Any
) -> None:
    """Draw what is asked for of models into these files."""
    if figure == "layers":
        write_layers(models, paths, format, language)
    else:
        draw(figure, {"encoding": specs_of(models, figure), **language.settings()}, paths, format, **how)


def write_layers(models: Sequence[Any], paths: Sequence[str], format: str | None, language: Any) -> None:
    """Write the picture of the layers of models into each of these files."""
    from pecli.figures.layers import draw_layers
    from pecli.files.formats import format_of
    from pecli.files.writer import check_target, write
    from pecli.page.canvas import Canvas
    from pecli.reports.model import names_of

    for path in paths:
        check_target(path, clobber=True, example="picture.png")
    formats = [format_of(path, format) for path in paths]
    with use_language(language):
        drawn = draw_layers(models, names_of(models), formats, Canvas())
    for path, data in zip(paths, drawn, strict=True):
        write(path, data)
        print_results([path])


def specs_of(models: Sequence[Any], figure: str) -> list[str]:
    """Return the specs that a picture of models shows; raises UsageError where there are too few."""
    from pecli.reports.model import drift_specs, spectrum_specs

    specs = spectrum_specs(models) if figure == "spectrum" else drift_specs(models)
    if not specs:
        raise UsageError("none of the layers has wavelengths to draw", option="output")
    if figure == "drift" and len(specs) < 2:
        raise UsageError("--figure drift compares the rates of two files or runtimes", option="figure")
    return specs


def runtime_specs(
    places: Sequence[str], names: Iterable[str], seq_len: int | None, given: Mapping[str, Any]
) -> list[str]:
    """Return the specs of what runtimes make of one file, labelled with their names; raises where fewer than two are
    known."""
    from pecli.models.runtimes import applied, chosen
    from pecli.reports.model import drift_specs

    if len(places) != 1:
        raise UsageError(f"--runtime is of one file, not of {len(places)}", option="runtime")
    found = [item for item in applied(places[0], chosen(names), seq_len, given) if item.model is not None]
    specs = drift_specs([item.model for item in found if item.model], [item.runtime.name for item in found])
    if len(specs) < 2:
        raise UsageError("--figure drift compares the rates of two files or runtimes", option="figure")
    return specs


def read_models(
    places: Iterable[str], seq_len: int | None, given: Mapping[str, Any], flags: str | None
) -> tuple[list[Any], list[PecliError]]:
    """Return what can be read, and why the others cannot; raises where nothing can."""
    from pecli.models.flags import read_flagged
    from pecli.models.overrides import read_overridden
    from pecli.models.reader import read_model

    models, failures = [], []
    for place in places:
        try:
            if flags:
                models.append(read_flagged(place, flags, seq_len))
                continue
            models.append(read_overridden(place, seq_len, given) if given else read_model(place, seq_len))
        except PecliError as error:
            failures.append(error)
    if failures and not models:
        raise failures[0]
    return models, failures


MODEL_COMMAND = Command(
    with_options(
        model,
        [
            *ModelOptions.options().values(),
            *SharedOptions.options().values(),
            *file_options(pictures=True),
            language_option(),
            *run_options("show", "jobs"),
        ],
        argument(
            "paths",
            "a config.json, params.json, GGUF or YAML, a folder or glob, hf:org/name; several stand side by side",
            many=True,
        ),
    ),
    (
        "pecli model path/to/config.json",
        "pecli model hf:Qwen/Qwen2.5-7B models/*/config.json -o spectra.png",
        "pecli model config.json model.gguf --same",
        "pecli model config.json --figure layers -o layers.png",
        "pecli model config.json other.json --figure drift -o drift.png",
    ),
    notes=(
        "One kind of layers is config.json#NAME in a picture: pecli spectrum config.json#sliding_attention.",
        "Exit codes: 0 read, 1 an error in the file, with --strict a warning too, with --same another encoding; "
        "2 wrong words. Each finding ends with its code, which --ignore takes; gallery/reference.md lists them.",
        "critical dimension: columns whose pairs make a whole turn in training (arXiv:2310.05209). first Σ cos < 0: "
        "the offset from which a key can outscore a nearer one that is alike (arXiv:2405.14591).",
    ),
)


def draw(figure: str, options: dict[str, Any], paths: list[str], format: str | None, **how: Any) -> None:
    """Draw a figure into these files, or show it; `how` as `run_jobs` takes it."""
    from pecli.cli.draw import run_jobs
    from pecli.jobs.sweep import job_of

    files = {"output": paths, "format": format} if paths else {}
    run_jobs([job_of(figure, {**options, **files})], **{"as_json": False, **how})


def extend(
    path: str | None,
    *,
    to: int | None,
    trained: int | None,
    new_base: float | None,
    method: str,
    output: tuple[str, ...],
    format: str | None,
    lang: str | None,
    json: bool,
    **_: object,
) -> None:
    """Print how a model could read longer texts: what each method changes, and what to type for each runtime."""
    from pecli.reports.extend import extend as report_of

    if path is None:
        raise UsageError("pecli extend takes the path of a config.json, or of a folder that holds one")
    targets = targets_of(output, format, json)[0]
    with use_language(language_of(lang)):
        report = report_of(path, to, trained, new_base, method)
        document, data, lines = report.document, report.data, report.lines()
    publish(document, data, targets, lines)


EXTEND_COMMAND = Command(
    with_options(
        extend,
        [
            *ExtendOptions.options().values(),
            *file_options(),
            language_option(),
            *run_options("show", "jobs"),
        ],
        argument("path", "a config.json, params.json, GGUF or YAML, a folder, or hf:org/name", metavar="FILE"),
    ),
    ("pecli extend path/to/config.json --to 131072", "pecli extend hf:Qwen/Qwen2.5-7B --to 131072 --method base"),
)


def identify(
    table: str | None,
    *,
    rates: tuple[float, ...] | None,
    base: float | None,
    tensor: str | None,
    strict: bool,
    output: tuple[str, ...],
    format: str | None,
    lang: str | None,
    show: bool,
    json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Print which formula made a table, the line that draws the same, and where and by how much the two differ.

    It exits with 1 where no formula or known mistake explains all of it, up to rounding.
    """
    (targets, pictures), language = targets_of(output, format, json, pictures=True), language_of(lang)
    with use_language(language):
        report = read_and_identify(table, tensor, rates, base)
        document, lines, sentence = report.blocks(), report.lines(), report.sentence()
    if pictures or show:
        figure, options = report.picture()
        how = {"as_json": json, "quiet": quiet, "verbose": verbose, "seen": show}
        draw(figure, {**options, **language.settings()}, pictures, format, **how)
    if targets or not pictures:
        publish(document, report.data, targets, lines)
    if pictures and not quiet:
        print_notes(sentence)
    if not (report.found.correct if strict else report.found.certain):
        raise typer.Exit(1)


IDENTIFY_COMMAND = Command(
    with_options(
        identify,
        [
            *IdentifyOptions.options().values(),
            SharedOptions.options()["strict"],
            *file_options(pictures=True),
            language_option(),
            *run_options("jobs"),
        ],
        argument("table", "a .npy, .npz, .csv or .safetensors file, FILE#tensor, hf:org/name or -"),
    ),
    (
        "pecli identify table.npy",
        "pecli identify model.safetensors#embed_positions.weight -o difference.png",
        "pecli identify --rates 1,0.1,0.01,0.001",
    ),
)


def tensors(
    files: list[str], *, output: tuple[str, ...], format: str | None, json: bool, quiet: bool, **_: object
) -> None:
    """Print what is in a file of numbers, and the line that draws its table, or one of the tensors that may be it."""
    targets = targets_of(output, format, json)[0]
    paths = expand_paths(files, *(f"*{ending}" for ending in TABLE_READERS))
    every = [(path, *tensors_in(path)) for path in paths]
    document: list[Block] = []
    for path, table, lines, _ in every:
        blocks: list[Block] = [*([Paragraph(path, heading=True)] if len(paths) > 1 else []), table]
        document += [*blocks, *map(Paragraph, [] if quiet else lines)]
        if not targets:
            print_blocks(blocks)
            if not quiet:
                print_results(lines)  # as they are, not broken into lines that fit
    if targets:
        publish(document, {"results": [data for *_, data in every]}, targets)


def tensors_in(file: str) -> tuple[TextTable, list[str], dict[str, Any]]:
    """Return what is in a file as a table, the lines that draw its table, and the same as plain data."""
    arrays = stored_arrays(file)
    table = table_name(file, arrays)
    data = [
        {"name": name or None, "shape": array.shape, "numbers": array.numbers, "table": name == table}
        for name, array in arrays.items()
    ]
    rows = [
        (
            name or "(no name)",
            " × ".join(f"{side:,}" for side in array.shape) or "one number",
            array.numbers,
            "the table" * (name == table),
        )
        for name, array in arrays.items()
    ]
    fitting = [name for name in candidates(arrays) if is_table(arrays[name].shape) and arrays[name].readable]
    typed = [None] if table is not None else [name for name in fitting if is_printable_name(name)]
    several = [name for name in typed if name and name.endswith(TABLE_NAMES)] or typed[:1]
    specs = [Learned(file=pin_revision(file), tensor=name).spec() for name in several]
    lines = [f"try: pecli heatmap -e {shlex.quote(spec)}" for spec in specs]
    lines += [f"try: pecli identify {shlex.quote(f'{file}#{name}')}{more}" for name, more in rates_in(arrays)]
    lines = lines or ["none has real numbers in two dimensions and a plain name"]
    return TextTable(("tensor", "shape", "numbers", ""), rows), lines, {"file": file, "tensors": data}


RATES = {"inv_freq": "", "rope_freqs.weight": " --base 10000"}  # how names of rates end, and those of divisors


def rates_in(arrays: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the names of different rates, one of each kind, and what `pecli identify` needs to be told of them."""
    found: dict[Any, tuple[str, str]] = {}
    for name, array in arrays.items():
        for end, more in RATES.items():
            if name.endswith(end) and len(array.shape) == 1 and array.readable and is_printable_name(name):
                found.setdefault((end, array.shape), (name, more))
    return list(found.values())


def is_printable_name(name: str) -> bool:
    """Return whether a name out of a file can be typed as it is shown."""
    return all(map(is_printable, name))


TENSORS_COMMAND = Command(
    with_options(
        tensors,
        [*file_options(), *run_options("show", "jobs")],
        argument(
            "files",
            "files of numbers: .npy, .npz, .csv or .safetensors; a folder or glob",
            many=True,
            required=True,
            metavar="FILE",
        ),
    ),
    ("pecli tensors model.safetensors", "pecli tensors words.npz --json"),
)
