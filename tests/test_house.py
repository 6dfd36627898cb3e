"""Tests of the structure: which folders may import each other, and what each encoding, figure and option has."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

import pecli
from pecli.analysis import Analysis
from pecli.cli.figures import run_parameters
from pecli.core.errors import UsageError
from pecli.core.language import Language
from pecli.core.options import Option, Options
from pecli.core.positions import Positions
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.registry import ENCODINGS, Encoding
from pecli.figures import FIGURES
from pecli.figures.base import Figure
from pecli.files.formats import FORMATS
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES, EncodingOption, Output, encoding_parameters
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import make_job
from pecli.page.canvas import Canvas
from pecli.reports import REPORTS
from tests.conftest import Ask

ROOT = Path(pecli.__file__).parent
SECTIONS: list[type[Options]] = [EncodingOption, Positions, Canvas, Output, Language]
OPTIONS: list[type[Options]] = [*ANALYSES.values(), *ENCODINGS.values(), *SECTIONS]
PACKAGE = {"__version__"}  # names, not modules, that may be imported from pecli itself
LENGTH = 7
Node = TypeVar("Node", bound=ast.AST)

encodings = pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)
figures = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
analyses = pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)


def imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield every module that is imported, also inside functions and for types only."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def parsed() -> dict[str, ast.Module]:
    """Return every module: read where a test needs it, not wherever tests are collected."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def walked() -> dict[str, list[ast.AST]]:
    """Return every node of every module."""
    return {name: list(ast.walk(tree)) for name, tree in parsed().items()}


@cache
def imported() -> dict[str, list[str]]:
    """Return what each module imports."""
    return {name: list(imports(nodes)) for name, nodes in walked().items()}


def own(name: str) -> set[str]:
    """Return the parts of pecli that a module imports, by the first name below it."""
    return {item.split(".")[1] for item in imported()[name] if item.startswith("pecli.")}


def importing(packages: set[str], rooms: set[str]) -> list[str]:
    """Return the modules of these rooms that import one of these packages."""
    tops = {
        name: {item.split(".")[0] for item in every} for name, every in imported().items() if room_of(name) in rooms
    }
    return [name for name, found in tops.items() if found & packages]


FLOORS = [  # a module imports from its own room and from floors before its own
    "languages",
    "core",
    "files",
    "encodings",
    "models",  # a config.json becomes encodings
    "measures",
    "analysis",
    "page",  # knows no figure
    "figures reports",  # neither knows the other
    "jobs",
    "",  # the Python API
    "cli",
    "__main__",
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms.split(" ")}


def room_of(name: str) -> str:
    return name.split(".")[0]


@pytest.mark.long
def test_every_module_has_a_place_in_the_house_and_says_what_it_is() -> None:
    assert {room_of(name) for name in parsed()} <= set(FLOOR)
    assert [name for name, tree in parsed().items() if not ast.get_docstring(tree)] == []


@pytest.mark.long
def test_imports_lead_down() -> None:
    def below(name: str) -> set[str]:
        mine = room_of(name)
        return {room for room in FLOOR if FLOOR[room] < FLOOR[mine]} | {mine} | PACKAGE

    assert {name: up for name in parsed() if (up := own(name) - below(name))} == {}


def module_of(path: str) -> str:
    """Return the module of pecli's in which a name that is imported stands."""
    name = path.removeprefix("pecli.")
    while name not in parsed():
        name = name.rpartition(".")[0]
    return name


@pytest.mark.long
def test_modules_import_each_other_in_no_circle() -> None:
    """Import inside functions count too, those for types alone do not."""
    graph: dict[str, set[str]] = {}
    for name, every in walked().items():
        tests = [(block, block.test) for block in every if isinstance(block, ast.If)]
        blocks = [block for block, test in tests if isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"]
        for_types = [path for block in blocks for path in imports(ast.walk(block))]
        needed = Counter(imported()[name]) - Counter(for_types)
        graph[name] = {module_of(path) for path in needed if path.startswith("pecli.")} - {""}
    TopologicalSorter(graph).prepare()
    assert [name for name in graph if name in graph[name]] == []


@pytest.mark.long
def test_a_job_comes_out_of_a_finished_file_by_one_door() -> None:
    """`carried`, which leaves out what a stranger's file says of where to write."""
    jobs = {
        name
        for name, every in walked().items()
        for node in every
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == "job"
    }
    assert jobs == {"jobs.job"}


@pytest.mark.parametrize("owner", OPTIONS)
def test_a_value_is_read_without_a_look_at_the_disk_or_the_hub(
    owner: type[Options], monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: object, **__: object) -> None:
        raise AssertionError("something was asked for")

    for name in (name for name, option in owner.options().items() if option.file):
        with monkeypatch.context() as patched, suppress(UsageError):
            for place in ("builtins.open", "os.stat", "os.path.isfile", "os.path.exists", "pecli.core.hub._client"):
                patched.setattr(place, asked)
            for path in ("hf:org/model", "folder/none.npy"):
                assert getattr(owner(**{name: path}), name) == path


@pytest.mark.long
def test_only_the_edge_knows_the_command_line() -> None:
    rooms = {*FLOOR} - {"cli", "__main__", ""}
    assert importing({"typer", "click"}, rooms) == []
    assert [name for name in parsed() if room_of(name) in rooms and "cli" in own(name)] == []


HOUSE = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({*re.findall(r"`([a-z_]+(?:\.[A-Za-z_]+)+)`", HOUSE)} - {"zh.py", "en.py"}))
def test_what_the_readme_of_the_house_names_is_there(name: str) -> None:
    found, *rest = [pecli.__name__, *name.split(".")]
    thing: Any = importlib.import_module(found)
    for part in rest:
        thing = getattr(thing, part) if hasattr(thing, part) else importlib.import_module(f"{thing.__name__}.{part}")
    assert thing is not None


def test_the_lines_of_the_readme_of_the_house_work(ask: Ask, folder: Path) -> None:
    assert len(HOUSE.splitlines()) <= 100
    (lines,) = re.findall(r"```sh\n(.*?)```", HOUSE, re.S)
    tests, *lines = map(shlex.split, lines.splitlines())
    assert tests[:3] == ["python", "-m", "pytest"] and (ROOT.parent / tests[-1]).is_file()
    for program, *words in lines:
        assert program == "pecli" and ask(*words).code == 0
    assert Path("heat.png").is_file()


@pytest.mark.long
def test_nobody_imports_pyplot() -> None:
    every = [item for found in imported().values() for item in found]
    assert [item for item in every if "pyplot" in item or item.startswith("pylab")] == []


@pytest.mark.long
def test_encodings_and_measures_know_numpy_only_through_lazy() -> None:
    assert importing({"matplotlib", "rich", "typer"}, {"encodings", "measures"}) == []


@pytest.mark.long
def test_what_computes_and_draws_knows_no_terminal() -> None:
    """What takes long reports to `core.progress`, and whoever shows it listens there."""
    rooms = {"encodings", "measures", "models", "analysis", "page", "figures"}
    names = [name for name in parsed() if room_of(name) in rooms]
    assert [name for name in names if "core.terminal" in map(module_of, imported()[name])] == []


@pytest.mark.long
def test_numpy_and_matplotlib_are_not_imported_at_the_top() -> None:
    def heavy(tree: ast.Module) -> set[str]:
        return {item.split(".")[0] for item in imports(tree.body)} & {"numpy", "matplotlib", "PIL"}

    late = [
        "figures.own_axes",
        "figures.page",
        "page.bands",
        "page.cell_image",
        "page.labels",
        "page.legends",
        "page.sheet",
        "page.ticks",
        "page.titles",
    ]  # matplotlib's classes: they are imported where something is drawn
    assert [name for name, tree in parsed().items() if heavy(tree)] == late


def nodes(kind: type[Node]) -> Iterator[tuple[str, Node]]:
    """Return every such node of every module."""
    return ((name, node) for name, every in walked().items() for node in every if isinstance(node, kind))


@pytest.mark.long
def test_only_the_writer_writes_files() -> None:
    writers = {"write_text", "write_bytes", "mkstemp", "NamedTemporaryFile", "fdopen", "touch"}
    calls = [(name, getattr(call.func, "attr", ""), call.args) for name, call in nodes(ast.Call)]
    modes = {*map(repr, ("w", "wb", "x", "xb", "a", "ab"))}
    used = {name for name, called, args in calls if called in writers or {*map(ast.unparse, args)} & modes}
    assert used == {"files.writer"}


def defaults(encoding: type[Encoding], length: int = LENGTH) -> Encoding:
    """Return the encoding with nothing said but the length."""
    return encoding().fitted(Positions(length=length))


@pytest.mark.parametrize("registry", [ENCODINGS, FIGURES, ANALYSES], ids=["encodings", "figures", "analyses"])
def test_the_registrys_key_is_the_name(registry: dict[str, type[Any]]) -> None:
    assert [(key, item.name) for key, item in registry.items() if key != item.name] == []
    assert all(key.isidentifier() or key.replace("-", "_").isidentifier() for key in registry)


@pytest.mark.long
@pytest.mark.parametrize("kind", [*ENCODINGS.values(), *ANALYSES.values()], ids=lambda kind: str(kind.name))
def test_an_encoding_figure_or_report_says_what_it_is(kind: Any) -> None:
    if issubclass(kind, Encoding):
        assert kind.formula.strip() and kind.source.strip() and kind.models.strip()
    summary = kind.summary if issubclass(kind, Encoding) else ANALYSES.summary(kind.name)
    assert summary.strip() and not summary.endswith(".") and "\n" not in summary
    assert shlex.split(kind.example)[0] == "pecli" and f"{kind.__name__}(" not in kind.__doc__


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.__name__)
def test_an_options_class_is_frozen_and_every_field_an_option_with_help(options: type[Options]) -> None:
    assert options.__dataclass_params__.frozen  # type: ignore[attr-defined]  # dataclasses does not type it
    assert {field.name for field in dataclasses.fields(options)} == set(options.options())
    for option in options.options().values():
        assert option.help and not option.help.endswith(".") and "\n" not in option.help
        assert option.default is not None or option.unset or not option.optional or option.help


def values_of(one: Option) -> list[Any]:
    """Values that an option takes."""
    found: list[Any] = [] if one.default in (None, ()) else [one.default]
    if one.choices is not None:
        return [*found, *((tuple(one.choices()),) if one.many else one.choices())]
    if one.scalar in (int, float):
        bounds = [one.at_least, one.at_most, None if one.above is None else one.above + 0.5]
        numbers = [one.scalar(bound) for bound in bounds if bound is not None]
        return [*found, *(((number, number) for number in numbers) if one.many else numbers)]
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.__name__)
def test_what_an_option_writes_it_reads(options: type[Options]) -> None:
    for option in options.options().values():
        for value in values_of(option):
            assert option.read(option.write(value)) == value, option.name


@pytest.mark.long
@analyses
def test_names_and_flags_do_not_clash(analysis: type[Analysis[Any]]) -> None:
    groups = [set(analysis.options()), set(encoding_parameters()), *(set(section.options()) for section in SECTIONS)]
    everything = [name for group in [*groups, {parameter.name for parameter in run_parameters()}] for name in group]
    assert sorted(everything) == sorted(set(everything))
    known: dict[str, str] = {"--help": "help", "-h": "help", "-q": "quiet", "-v": "verbose"}
    every: list[Option] = [*analysis.options().values(), *encoding_parameters().values()]
    for item in [*every, *(option for section in SECTIONS for option in section.options().values())]:
        for flag in (item.flag, *item.flags):
            assert known.setdefault(flag, item.name) == item.name, flag


@pytest.mark.long
@pytest.mark.parametrize("name", encoding_parameters())
def test_a_parameter_that_encodings_share_is_one_option_on_the_command_line(name: str) -> None:
    owners = [encoding.options()[name] for encoding in ENCODINGS.values() if name in encoding.options()]
    assert len({(owner.scalar, owner.many, owner.split, owner.flags) for owner in owners}) == 1


@encodings
def test_an_invariant_encoding_has_one_norm_and_a_toeplitz_gram_matrix(encoding: type[Encoding]) -> None:
    made = defaults(encoding, 23)
    if not isinstance(made, Harmonic) or not made.invariant or made.own_positions or made.decay_rates.any():
        pytest.skip("its rows differ")
    table = made.table(made.covered(Positions(length=23)).array())
    gram = table @ table.T
    assert np.abs(gram[1:, 1:] - gram[:-1, :-1]).max() < 1e-12
    assert np.diag(gram) == pytest.approx(np.sum(made.amplitudes**2))


@pytest.mark.long
@pytest.mark.parametrize("kind", [*OPTIONS, *ENCODINGS.values()])
def test_what_an_option_belongs_to_is_an_option_with_that_value(kind: type[Options]) -> None:
    for option in kind.options().values():
        owner, values = option.only_with or (option.name, ())
        assert set(values) <= set(choices() if (choices := kind.options()[owner].choices) else ())


def small(analysis: type[Analysis[Any]], **options: Any) -> Job:
    """Return a small job of the analysis, of its usual encoding where none is given."""
    given = {**options, **({"dpi": 20} if analysis.drawn else {})}
    try:
        return make_job(analysis.name, {"length": LENGTH, **given})
    except UsageError:  # the length is not free: it has a token a position
        return make_job(analysis.name, given)


@analyses
def test_arrays_have_the_dimensions_that_they_name(analysis: type[Analysis[Any]]) -> None:
    numbers = Picture[Any](small(analysis)).numbers
    sizes = set()
    for field in dataclasses.fields(numbers):
        array = getattr(numbers, field.name)
        if isinstance(array, np.ndarray) and array.size:
            (own,) = field.metadata.values()
            sizes |= {side for names in own.axes for side in zip(names, array.shape, strict=True)}
    assert len(sizes) == len({name for name, _ in sizes})


@pytest.mark.some(2)
@analyses
@pytest.mark.parametrize("format", [name for name, item in FORMATS.items() if item.numbers])
def test_a_study_writes_its_numbers_or_says_why_not(analysis: type[Analysis[Any]], format: str, tmp_path: Path) -> None:
    target = tmp_path / f"a.{format}"
    try:
        Picture(small(analysis)).save(str(target))
    except UsageError:
        assert not target.exists()
    else:
        assert target.stat().st_size > 10


@figures
def test_a_figure_fits_the_memory_it_says(figure: type[Figure[Any]]) -> None:
    job = small(figure)
    largest = max((array.size for array in Picture[Any](job).numbers.arrays().values()), default=0)
    assert largest <= np.prod(job.analysis.shape(job.view))


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@encodings
def test_a_report_is_of_every_encoding_it_takes_or_says_why_not(
    report: type[Analysis[Any]], encoding: type[Encoding]
) -> None:
    try:
        picture = Picture[Any](small(report, encoding=encoding.name))
    except UsageError as refused:
        assert "\n" not in str(refused)
        return
    assert picture.numbers.facts() or picture.numbers.arrays()
