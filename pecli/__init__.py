"""pecli shows what position encodings look like. This module is the Python API; it loads other libraries when needed.

>>> import pecli
>>> table = pecli.encode("sinusoidal", base=10, d=64, length=100)  # (100, 64), float64
>>> rope = pecli.encoding("rope:base=500000,d=64")
>>> turned = rope.rotate(queries, positions)                       # (…, length, 64)
>>> picture = pecli.heatmap(base=10)                               # one function per figure; shows itself in a notebook
>>> picture.save("heatmap.png", "heatmap.svg")
>>> picture.draw(ax)                                               # onto an Axes of your own
>>> pecli.compare(weights, "rope", label=["mine", "RoPE"])         # an array can stand for an encoding

A spec is an encoding written as text: its name, or its name and parameters as in ``"rope:base=500000,d=64"``.

An encoding of your own derives from one of the base classes here; its fields are made with `option`. A package that
lists it under the entry point group ``pecli.encodings`` makes it available in every command.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor
    from typing import Any, Literal, SupportsIndex

    from pecli.core.errors import PecliError as PecliError, UsageError as UsageError
    from pecli.core.lazy import Array
    from pecli.core.options import option as option
    from pecli.core.positions import Positions as Positions
    from pecli.encodings.base import (
        Additive as Additive,
        BiasEncoding as BiasEncoding,
        Encoding as Encoding,
        Rotary as Rotary,
        TableEncoding as TableEncoding,
    )
    from pecli.encodings.harmonic import Harmonic as Harmonic
    from pecli.encodings.spec import Spec
    from pecli.jobs.figure_functions import *  # noqa: F403  # pecli.heatmap and its like, for editors and type checkers
    from pecli.jobs.picture import Picture as Picture
    from pecli.jobs.run import Result
    from pecli.reports.extend import ExtendReport
    from pecli.reports.identify import IdentifyReport
    from pecli.reports.model import ModelReport
    from pecli.reports.runtimes import RuntimesReport

__version__ = "0.2.0"

_MODULES = {  # where each name is defined; it is imported when first used
    **dict.fromkeys(("Additive", "BiasEncoding", "Encoding", "Rotary", "TableEncoding"), "pecli.encodings.base"),
    **dict.fromkeys(("PecliError", "UsageError"), "pecli.core.errors"),
    "Harmonic": "pecli.encodings.harmonic",
    "Picture": "pecli.jobs.picture",
    "Positions": "pecli.core.positions",
    "option": "pecli.core.options",
}

if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> Any:
        """Import a name of the API when it is first used.

        This keeps ``import pecli`` and ``pecli --version`` fast.
        """
        if name in _MODULES:
            return getattr(import_module(_MODULES[name]), name)
        if name == "__all__":
            named = (import_module("pecli.figures").FIGURES, import_module("pecli.reports").REPORTS)
            own = [name for name, value in globals().items() if getattr(value, "__module__", "") == __name__]
            return sorted({"__version__", *own, *_MODULES, *chain(*named)} - {"__getattr__", "__dir__"})
        if name.startswith("_"):
            raise AttributeError(f"module 'pecli' has no attribute {name!r}")
        functions = import_module("pecli.jobs.functions")
        if name in functions.ANALYSES:
            return functions.function_of(name)
        raise AttributeError(f"module 'pecli' has no attribute {name!r}{functions.advice_for(name)}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__")})


def encode(
    encoding: Spec = "sinusoidal", *, length: SupportsIndex | None = None, start: SupportsIndex = 0, **parameters: Any
) -> Array:
    """Compute the table of a position encoding.

    Parameters
    ----------
    encoding : a spec, such as ``"sinusoidal:base=10,d=64"``; or a table, as for `pecli.encoding`
    length, start : the positions are start … start + length − 1; by default, length is 200, or for a table from a file
        its number of rows
    **parameters : parameters of the encoding, which override the spec (``pecli encodings NAME`` lists them)

    Returns
    -------
    ndarray, shape (length, d), float64
        Row i is the vector of position start + i, dimensionless. An encoding of offsets, such as ``relative``, has one
        row per offset.

    Raises
    ------
    UsageError : an unknown name, a value that is not allowed, an encoding without a table. It is a ValueError with
        attributes ``option``, ``value`` and ``allowed``.
    PecliError : a file of numbers that could not be read. It is a ValueError, too.
    """
    from pecli.analysis import TAKEN_WHOLE, refuse_unused
    from pecli.core.memory import check_memory
    from pecli.core.options import canonical_name
    from pecli.core.positions import Positions
    from pecli.encodings.spec import read_table_encoding

    for name in [name for name in parameters if canonical_name(Positions.options(), name) == "length"]:
        length = parameters.pop(name)  # as max_len, n or another of its names
    kind = read_table_encoding(encoding, parameters)
    begin = Positions.make({"start": start})
    if kind.own_positions:
        refuse_unused({n: value for n, value in (("length", length), ("start", start)) if value}, TAKEN_WHOLE)
    count = (kind.rows_from(begin.start) or begin.length) if length is None else length
    positions = Positions.make({"length": count, "start": start})
    fitted = kind.fitted(positions)
    fitted.check_positions(positions)
    rows = fitted.covered(positions)
    check_memory("encode", (rows.length, fitted.width), "take a smaller length or d")
    return fitted.table(rows.array())


def encoding(spec: Spec = "sinusoidal", **parameters: Any) -> Any:
    """Return an encoding, whose methods compute its table, rotation, frequencies or bias.

    Parameters
    ----------
    spec : a spec, such as ``"rope:base=500000,d=64,pairing=half"``; or a table: a numpy array, or any object with
        ``__array__`` (torch on the CPU, pandas). A table is copied into a `learned` encoding.
    **parameters : parameters of the encoding, which override the spec (``pecli encodings NAME`` lists them)

    Returns
    -------
    Encoding
        Its methods depend on its kind: ``table(positions)`` of a `TableEncoding`, ``rotate(x, positions)`` of a
        `Rotary`, ``frequencies()`` of a `Harmonic`, ``bias(offsets)`` of a `BiasEncoding`. It is immutable. Two
        encodings with the same parameters are equal.

    Raises
    ------
    UsageError : an unknown name or a value that is not allowed
    """
    from pecli.encodings.spec import read_encoding

    return read_encoding(spec, parameters)


def figure(name: str, **options: Any) -> Picture[Any]:
    """Return a figure or report, which is computed on first use and displayed by notebooks.

    Parameters
    ----------
    name : ``"heatmap"``, ``"distance"``, … as on the command line
    **options : the command's options under the same names, such as ``base=10`` or ``no_title=True``

    Returns
    -------
    Picture

    Raises
    ------
    UsageError : an unknown name, a value that is not allowed, more numbers than fit into memory
    """
    from pecli.jobs.picture import Picture
    from pecli.jobs.sweep import job_of

    return Picture(job_of(name, options))


@overload
def model(
    *paths: str | os.PathLike[str],
    seq_len: SupportsIndex | None = None,
    tolerance: float = 1e-6,
    override: Mapping[str, Any] | str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    same: bool = False,
) -> ModelReport: ...
@overload
def model(
    *paths: str | os.PathLike[str],
    seq_len: SupportsIndex | None = None,
    tolerance: float = 1e-6,
    ignore: str | Sequence[str] = (),
    same: bool = False,
    runtime: Literal["llama.cpp"],
    flags: str,
) -> ModelReport: ...
@overload
def model(
    *paths: str | os.PathLike[str],
    seq_len: SupportsIndex | None = None,
    override: Mapping[str, Any] | str | Sequence[str] | None = None,
    runtime: str | Sequence[str],
    flags: None = None,
) -> RuntimesReport: ...
def model(
    *paths: str | os.PathLike[str],
    seq_len: SupportsIndex | None = None,
    tolerance: float = 1e-6,
    override: Mapping[str, Any] | str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    same: bool = False,
    runtime: str | Sequence[str] = (),
    flags: str | None = None,
) -> ModelReport | RuntimesReport:
    """Report which position encoding a model's config.json describes, and what is wrong in the file.

    Parameters
    ----------
    *paths : the file, a folder or a glob, or ``hf:org/name``; several models are shown side by side
    seq_len : sequence length, in positions, for which dynamic and longrope scalings compute their rates
    override : keys that replace those of the file, as in transformers: a mapping; or one or several texts as on the
        command line, ``'rope_scaling={"type": "yarn", …}'``
    ignore : codes of findings that are left out
    same : compare two files instead; ``report.same`` is then True if they describe the same encoding
    tolerance : for ``same``: the largest relative difference at which two numbers count as equal
    runtime : names of runtimes, ``"vllm"``, … or ``"all"`` (see ``pecli model --help``); the report then shows what
        each of them does with one file
    flags : llama.cpp's own flags for a GGUF file, with ``runtime="llama.cpp"``: ``"--rope-freq-base 1e6"``

    Returns
    -------
    ModelReport; or RuntimesReport if `runtime` is given without `flags`
        Notebooks display it. ``data`` has the whole report as plain values, as ``pecli model --json`` prints them.

    Raises
    ------
    PecliError : a file could not be read, or is no config
    UsageError : an unknown name, or options that exclude each other
    """
    from pecli.core.options import Option
    from pecli.models.options import ModelOptions
    from pecli.reports.answer import answer

    places = Option("the config.json", name="path", many=True).read(
        list(paths[0] if len(paths) == 1 and isinstance(paths[0], list | tuple) else paths)
    )
    keys = dict(override) if isinstance(override, Mapping) else None
    texts = () if override is None or keys is not None else override
    more = {"same": same, "override": texts, "runtime": runtime, "flags": flags}
    asked = ModelOptions.make({"seq_len": seq_len, "tolerance": tolerance, "ignore": ignore, **more})
    report, failures = answer(places, asked, keys)
    if failures:
        raise failures[0]
    return report


def extend(
    path: str | os.PathLike[str],
    to: SupportsIndex,
    *,
    trained: SupportsIndex | None = None,
    new_base: float | None = None,
    method: str = "yarn",
) -> ExtendReport:
    """Report how a model could read longer texts: what each method changes, and what to type for each runtime.

    Parameters
    ----------
    path : the file, or a folder that holds one, or ``hf:org/name``
    to : number of positions that the model is to read
    trained : number of positions in training; by default, the context that the file states, before its scaling
    new_base : the base for the method "base"; by default, the base from Liu et al. 2023, arXiv:2310.05209, theorem 2
    method : the method whose settings for runtimes are returned: linear, ntk, dynamic, yarn, base, or longrope (only
        for a file that has its factors)

    Returns
    -------
    ExtendReport
        Notebooks display it. ``data`` has the whole report as plain values.

    Raises
    ------
    PecliError : the file could not be read, or no layer with RoPE sees all positions
    UsageError : the context needs no extension, or the method does not apply to this file
    """
    from pecli.core.options import Option
    from pecli.models.options import ExtendOptions
    from pecli.reports.extend import extend as report_of

    place = Option("the config.json", name="path").read(path)
    asked = ExtendOptions.make({"to": to, "trained": trained, "new_base": new_base, "method": method})
    return report_of(place, asked.to, asked.trained, asked.new_base, asked.method)


def identify(
    table: Any = None, *, tensor: str | None = None, rates: Any = None, base: float | None = None
) -> IdentifyReport:
    """Find the formula that made a table of numbers, and its parameters; known mistakes are recognised, too.

    Parameters
    ----------
    table : the table's file, ``"file#tensor"`` or ``"hf:org/name"``, or the numbers themselves, shape (length, d)
    tensor : the table's name in the file, or the end of that name
    rates : instead of a table, the rates of a RoPE encoding in rad/position, shape (n_pairs,)
    base : if given, `rates` are not rates but divisors of the rates with this base, as in llama.cpp's files

    Returns
    -------
    IdentifyReport
        Notebooks display it. ``data`` has the whole report as plain values, ``found`` has the fit.

    Raises
    ------
    PecliError : no table could be read, or it has values that are not finite
    """
    from pecli.reports.identify import IdentifyOptions, read_and_identify

    asked = IdentifyOptions.make({"rates": rates, "tensor": tensor, "base": base})
    return read_and_identify(table, asked.tensor, asked.rates, asked.base)


def batch(
    path: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    only: Sequence[str] = (),
    jobs: SupportsIndex = 1,
    executor: Executor | None = None,
    force: bool = False,
    workers: SupportsIndex | None = None,
) -> list[Result]:
    """Draw every figure of a batch file, as ``pecli batch`` does.

    Parameters
    ----------
    path : the TOML file
    folder : folder that holds all outputs; by default the file's folder
    only : names of figures or files, or globs
    jobs : number of processes, 1 or more
    executor : draws the pictures instead of `jobs` processes, possibly on other machines; this machine writes the files
    force : also redraw files that are up to date
    workers : the former name of jobs

    Returns
    -------
    list of Result
        One per picture: its job, state (written, skipped, failed), paths, notes, error, and its line in the batch file.
        If a picture fails while it is drawn, the others are still drawn.

    Raises
    ------
    PecliError : the file has mistakes, listed with their lines; nothing is drawn
    UsageError : an argument has a wrong value
    """
    from pecli.core.options import Option
    from pecli.jobs.batch import read_batch
    from pecli.jobs.run import run
    from pecli.jobs.run_options import BatchOptions, RunOptions

    path = str(Option("the TOML file", name="path").read(path))
    asked = BatchOptions.make({"folder": folder, "only": only, "force": force})
    count = RunOptions.options()["jobs"].read(jobs if workers is None else workers)
    plan = read_batch(path, asked.folder)
    chosen = plan.only(asked.only) if asked.only else plan
    return list(run(chosen.jobs, workers=count, executor=executor, force=asked.force))
