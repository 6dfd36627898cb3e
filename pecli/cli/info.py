"""`pecli encodings`, `model`, `extend`, `identify` and `tensors`: reports on encodings, models and files of numbers."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypedDict

import typer

from pecli.cli.completion import offered_values
from pecli.cli.options import (
    ModelPicture,
    SharedOptions,
    argument,
    file_options,
    language_option,
    run_options,
    with_options,
)
from pecli.cli.show import Command, publish, targets_of
from pecli.core.errors import UnusedOptionError, UsageError, as_flags, is_printable
from pecli.core.hub import pin_revision
from pecli.core.json_schema import closed, results, results_of, schema_of
from pecli.core.language import language_of, say, use_language
from pecli.core.mathematics import Formula, latex
from pecli.core.options import REQUIRED, Option
from pecli.core.terminal import Block, Facts, Paragraph, TextTable, print_notes, print_results, show as print_blocks
from pecli.encodings.learned import Learned
from pecli.encodings.papers import bibtex, sources_of
from pecli.encodings.registry import Encoding, all_encodings
from pecli.encodings.spec import parse_encoding
from pecli.files.tables import (
    TABLE_NAMES,
    TABLE_READERS,
    arrays_in_file,
    candidates,
    expand_paths,
    is_table,
    table_name,
)
from pecli.jobs.job_options import ANALYSES, EncodingOption
from pecli.models.options import ExtendOptions, ModelOptions
from pecli.reports.identify import IdentifyData, IdentifyOptions, read_and_identify


def encodings(
    names: list[str] | None,
    *,
    cite: bool,
    **run: Any,
) -> None:
    """Print the list of encodings, or some of them in detail."""
    targets = targets_of(run)[0]
    every = [asked(spec) for spec in names or all_encodings()]
    if cite:
        print_citations((text for item in every for text in sources_of(item.encoding, item.given)), targets)
        return
    document: list[Block] = [TextTable([*facts(every[0])], [tuple(facts(item).values()) for item in every])]
    if names:
        document = [block for item in every for block in detail(item)]
    elif not targets:  # the table is too wide for a terminal
        document = [block for item in every for block in (Facts(facts(item)), Paragraph())]
    publish(document, {"results": [encoding_data(item) for item in every]}, targets)


ENCODINGS_COMMAND = Command(
    with_options(
        encodings,
        [*file_options(), SharedOptions.options()["cite"], *run_options("show", "jobs")],
        argument(
            "names",
            "the encodings to describe, by name or with parameters, such as rope:scaling=yarn",
            many=True,
            metavar="ENCODING",
            offers=lambda: offered_values(EncodingOption.options()["encoding"]),
        ),
    ),
    (
        "pecli encodings",
        "pecli encodings rope:scaling=yarn",
        "pecli encodings rope --format tex",
        "pecli encodings rope --cite",
    ),
    answer=lambda: results(closed(encoding_types(), encoding_types())),
)


def print_citations(sources: Iterable[str], targets: Sequence[Any]) -> None:
    """Print the papers that these texts name as BibTeX."""
    if targets:
        raise UsageError("--cite prints BibTeX: leave --output, --format and --json out", option="cite")
    entries = bibtex(sources)
    if not entries:
        raise UsageError("pecli knows no paper to cite here", option="cite")
    print_results(["\n\n".join(entries)])


class Asked(NamedTuple):
    """An encoding to describe: its spec, its class, and the texts of the parameters in the spec."""

    spec: str
    encoding: type[Encoding]
    given: dict[str, str]


def asked(spec: str) -> Asked:
    """Return what a spec asks for; required parameters may be missing."""
    encoding, given = parse_encoding(spec)
    encoding.read_values(given)
    return Asked(spec, encoding, given)


def facts(item: Asked) -> dict[str, str]:
    """Return an encoding's row in the list of encodings, by column name."""
    encoding = item.encoding
    return {
        "name": item.spec if item.given else encoding.name,
        "what it is": encoding.summary,
        "kind": encoding.kind,
        "numbers": "learned" if encoding.trained else "fixed formula",
        "beyond its length": "extrapolates" if encoding.extrapolates else "has no rows",
        "used by": encoding.models,
        "source": encoding.source,
    }


class ParameterData(TypedDict):
    """What a parameter does, and the values that it takes."""

    help: str
    takes: str


def encoding_types() -> dict[str, Any]:
    """Return the types in the --json output for an encoding, by key."""
    return {
        **dict.fromkeys((*facts(asked(Learned.name)), "formula", "latex"), str),
        "parameters": dict[str, ParameterData],
    }


def parameters_by_condition(item: Asked) -> list[tuple[str, str, Option]]:
    """Return the parameters of an encoding, each with (another parameter, its value), or ("", ""), that it belongs to.

    Those that the spec rules out are left out; those that belong to what it gives come first.
    """
    conditions = [(*(entry.only_with or ("", ("",))), entry) for entry in item.encoding.options().values()]
    found = [(owner, value, entry) for owner, values, entry in conditions for value in values]
    possible = (each for each in found if item.given.get(*each[:2]) == each[1])
    return sorted(possible, key=lambda each: each[0] not in item.given)


def encoding_data(item: Asked) -> dict[str, Any]:
    """Return an encoding's facts, formula (as text and as LaTeX) and parameters, for --json."""
    entries = {entry.name: entry for _, _, entry in parameters_by_condition(item)}
    parameters = {name: {"help": entry.help, "takes": entry.bounds} for name, entry in entries.items()}
    formula = say(item.encoding.formula)
    return {**facts(item), "formula": formula, "latex": latex(formula), "parameters": parameters}


def detail(item: Asked) -> list[Block]:
    """Return formula, figures, example and parameters of an encoding; conditional parameters have their own tables."""
    encoding = item.encoding
    figures = ", ".join(name for name, figure in ANALYSES.items() if figure.takes(encoding))
    more = {"formula": Formula(say(encoding.formula)), "figures": figures, "example": encoding.example}
    tables: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for owner, value, entry in parameters_by_condition(item):
        head = f"with {owner}={value}" if owner else "parameter"
        about = (encoding.about(owner, value) if owner else "") or "what it does"
        shown = replace(entry, unset=REQUIRED) if value in entry.needed_with else entry
        tables.setdefault((head, about), []).append((shown.name, shown.explained))
    text = re.sub(r"`+|^Notes\n-+$", "", inspect.cleandoc(encoding.__doc__ or ""), flags=re.M)
    paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return [
        Facts(facts(item) | more),
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
    lang: str | None,
    **run: Any,
) -> None:
    """Print which position encoding a config.json describes, and its errors; for several files, first how they differ.

    Exits with 1 if a finding is an error, a file cannot be read, or a runtime refuses it; other files are still read.
    """
    from pecli.reports.answer import answer
    from pecli.reports.runtimes import RuntimesReport

    if not paths:
        raise UsageError("pecli model needs the path of a config.json, or of a folder with one")
    targets, pictures = targets_of(run, pictures=True)
    usual = ModelPicture.options()["figure"].default
    if figure != usual and not pictures:
        raise UnusedOptionError("figure", figure, "no picture is written", f"add a file, such as -o {figure}.png")
    others = {"--cite": cite, "--strict": strict, "--figure " + figure: bool(pictures) and figure != "drift"}
    values = {"same": same, "tolerance": tolerance, "override": override, "runtime": runtime, "flags": flags}
    asked = ModelOptions.of_read({"seq_len": seq_len, "ignore": ignore, **values})
    with use_language(language := language_of(lang)):
        report, failures = answer(paths, asked, others=[name for name, own in others.items() if own])
        document, lines, data = report.document, report.lines(), report.data
    if isinstance(report, RuntimesReport):
        if pictures:
            models, names = report.models_by_runtime()
            specs = specs_of(models, figure, names)
            draw(figure, {"encoding": specs, **language.settings()}, pictures, run)
        if targets or not pictures:
            publish(document, data, targets)
        if report.refused:
            raise typer.Exit(1)
        return
    if cite:
        made = filter(None, (layer.encoding for read in report.models for layer in read.layers.values()))
        print_citations((text for encoding in made for text in sources_of(encoding)), [*targets, *pictures])
    elif pictures:
        draw_models(report.models, figure, pictures, language, run)
    if not cite and (targets or not pictures):
        publish(document, data, targets, lines)
    for failure in failures:
        print_notes(failure.sentence(as_flags))
    levels = {finding.level for read in report.models for finding in read.findings}
    wrong = bool(levels & {"error", *(["warning"] if strict else [])})
    wrong = not report.same or (strict and wrong) if same else wrong
    if code := max([int(wrong), *(failure.exit_code for failure in failures)]):
        raise typer.Exit(code)


def model_schema() -> dict[str, Any]:
    """Return the schema of the --json output for one model, several models, a comparison, and runtimes."""
    from pecli.reports.model import OneModel, SeveralModels
    from pecli.reports.runtimes import RuntimesData
    from pecli.reports.same import ComparisonData

    return schema_of(OneModel | SeveralModels | ComparisonData | RuntimesData)


def draw_models(models: Sequence[Any], figure: str, paths: list[str], language: Any, run: Mapping[str, Any]) -> None:
    """Draw the figure of these models into the files, or show it in the terminal if there are none.

    language : the language of the picture's texts
    run : the values of the options that all commands share
    """
    from pecli.models.spec import layers_of
    from pecli.reports.model import names_of

    shown = {"encoding": specs_of(models, figure)} if figure != "layers" else layers_of(models, names_of(models))
    draw(figure, {**shown, **language.settings()}, paths, run)


def specs_of(models: Sequence[Any], figure: str, names: Sequence[str] = ()) -> list[str]:
    """Return the specs that a picture of models shows; raise UsageError if there are too few.

    names : labels of the models in the drift figure, instead of their paths
    """
    from pecli.reports.model import drift_specs, spectrum_specs

    specs = spectrum_specs(models) if figure == "spectrum" else drift_specs(models, names)
    if figure == "drift" and len(specs) < 2:
        text = f"--figure drift needs two files or runtimes with rates, not {len(specs)}"
        raise UsageError(text, option="figure", value=figure)
    if not specs:
        raise UsageError("none of the layers has wavelengths to draw", option="output")
    return specs


MODEL_COMMAND = Command(
    with_options(
        model,
        [
            *ModelOptions.options().values(),
            *ModelPicture.options().values(),
            *SharedOptions.options().values(),
            *file_options(pictures=True),
            language_option(),
            *run_options("show", "jobs"),
        ],
        argument(
            "paths",
            "a config.json, params.json, GGUF or YAML, a folder or glob, hf:org/name; several are shown side by side",
            many=True,
            metavar="FILE",
        ),
    ),
    (
        "pecli model path/to/config.json",
        "pecli model hf:Qwen/Qwen2.5-7B models/*/config.json -o spectra.png",
        "pecli model config.json model.gguf --same",
    ),
    answer=model_schema,
    notes=(
        "In a picture, config.json#NAME selects one kind of layer: pecli spectrum config.json#sliding_attention.",
        "Exit codes: 0 if the file has no error; 1 if it has one (with --strict, also a warning; with --same, also if "
        "the encodings differ; with --runtime, only if one of these runtimes refuses the file); 2 for wrong usage. "
        "Each finding ends with its code, which --ignore takes; gallery/reference.md lists all codes.",
        "critical dimension: the number of columns whose pairs make a full turn in training (arXiv:2310.05209). first "
        "Σ cos < 0: the first offset at which a distant key can get a higher score than a similar, nearer one "
        "(arXiv:2405.14591).",
    ),
)


def draw(figure: str, options: dict[str, Any], paths: list[str], run: Mapping[str, Any], seen: bool = False) -> None:
    """Draw a figure into these files, or show it in the terminal.

    run : the values of the options that all commands share
    seen : also show the picture in the terminal
    """
    from pecli.cli.draw import run_jobs
    from pecli.jobs.sweep import job_of

    files = {"output": paths, "format": run["format"]} if paths else {}
    how = {"as_json": run["json"], "quiet": run["quiet"], "verbose": run["verbose"], "seen": seen}
    run_jobs([job_of(figure, {**options, **files})], **how)


def extend(
    path: str | None,
    *,
    to: int | None,
    trained: int | None,
    new_base: float | None,
    method: str,
    lang: str | None,
    **run: Any,
) -> None:
    """Print how a model's context could be extended: what each method changes, and the settings for each runtime."""
    from pecli.reports.extend import extend as report_of

    if path is None:
        raise UsageError("pecli extend needs the path of a config.json, or of a folder with one")
    targets = targets_of(run)[0]
    with use_language(language_of(lang)):
        report = report_of(path, to, trained, new_base, method)
        document, data, lines = report.document, report.data, report.lines()
    publish(document, data, targets, lines)


def extend_schema() -> dict[str, Any]:
    """Return the schema of the --json output of `pecli extend`."""
    from pecli.reports.extend import ExtendData

    return schema_of(ExtendData)


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
    answer=extend_schema,
)


def identify(
    table: str | None,
    *,
    rates: tuple[float, ...] | None,
    base: float | None,
    tensor: str | None,
    strict: bool,
    lang: str | None,
    show: bool,
    **run: Any,
) -> None:
    """Print which formula made a table, a command line that draws it, and where and by how much the table differs.

    Exits with 1 if no formula or known mistake explains all values up to rounding.
    """
    (targets, pictures), language = targets_of(run, pictures=True), language_of(lang)
    with use_language(language):
        report = read_and_identify(table, tensor, rates, base)
        document, lines, sentence = report.blocks(), report.lines(), report.sentence()
    if pictures or show:
        figure, options = report.picture()
        draw(figure, {**options, **language.settings()}, pictures, run, seen=show)
    if targets or not pictures:
        publish(document, report.data, targets, lines)
    if pictures and not run["quiet"]:
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
        argument("table", "a .npy, .npz, .csv or .safetensors file, FILE#tensor, hf:org/name or -", metavar="FILE"),
    ),
    (
        "pecli identify table.npy",
        "pecli identify model.safetensors#embed_positions.weight -o difference.png",
        "pecli identify --rates 1,0.1,0.01,0.001",
    ),
    notes=(
        "Exit codes: 0 if a formula or a known mistake explains every number; 1 if none does (with --strict, also for "
        "a mistake); 2 for wrong usage.",
    ),
    answer=partial(schema_of, IdentifyData),
)


def tensors(
    files: list[str],
    **run: Any,
) -> None:
    """Print the tensors in files of numbers, and a command line that draws the most likely position table."""
    targets = targets_of(run)[0]
    paths = expand_paths(files, *(f"*{ending}" for ending in TABLE_READERS))
    every = [(path, *tensors_in(path)) for path in paths]
    document: list[Block] = []
    for path, table, lines, _found in every:
        blocks: list[Block] = [*([Paragraph(path, heading=True)] if len(paths) > 1 else []), table]
        document += [*blocks, *map(Paragraph, [] if run["quiet"] else lines)]
        if not targets:
            print_blocks(blocks)
            if not run["quiet"]:
                print_results(lines)  # not wrapped, so that they can be copied
    if targets:
        publish(document, {"results": [each for *_, each in every]}, targets)


class TensorData(TypedDict):
    """A tensor of a file; `table` is true for the tensor that figures draw."""

    name: str | None
    shape: tuple[int, ...]
    numbers: str
    table: bool


class FileData(TypedDict):
    """The --json output for a file of tensors."""

    file: str
    tensors: list[TensorData]


def tensors_in(file: str) -> tuple[TextTable, list[str], FileData]:
    """Return the tensors of a file as a table, command lines that draw the position table, and plain data."""
    arrays = arrays_in_file(file)
    table = table_name(file, arrays)
    data: list[TensorData] = [
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
    lines = lines or ["no tensor has two dimensions, real numbers and a printable name"]
    return TextTable(("tensor", "shape", "numbers", ""), rows), lines, {"file": file, "tensors": data}


RATES = {"inv_freq": "", "rope_freqs.weight": " --base 10000"}  # endings of tensor names, for rates and for divisors


def rates_in(arrays: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each tensor of rates or divisors as (name, options for `pecli identify`).

    Every layer may store the same rates. So of the tensors with the same name ending and shape, only the first is
    returned.
    """
    found: dict[Any, tuple[str, str]] = {}
    for name, array in arrays.items():
        for end, more in RATES.items():
            if name.endswith(end) and len(array.shape) == 1 and array.readable and is_printable_name(name):
                found.setdefault((end, array.shape), (name, more))
    return list(found.values())


def is_printable_name(name: str) -> bool:
    """Return whether a name from a file can be typed: all its characters are printable."""
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
    answer=partial(results_of, FileData),
)
