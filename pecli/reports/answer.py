"""The report of ``pecli model`` and ``pecli.model``: on models, or on one model in several runtimes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from pecli.core.errors import PecliError, UnusedOptionError, UsageError
from pecli.core.hub import CONFIG
from pecli.files.tables import expand_paths
from pecli.models.config_file import config_path
from pecli.models.flags import read_flagged
from pecli.models.options import ModelOptions
from pecli.models.overrides import check_override, read_overridden, read_overrides
from pecli.models.reader import Model, read_model, without_findings
from pecli.models.runtimes import apply_runtimes, runtimes_named
from pecli.reports.model import ModelReport
from pecli.reports.runtimes import RuntimesReport


def places_of(paths: Iterable[str]) -> list[str]:
    """Return the files named by paths, folders and patterns with wildcards, without duplicates."""
    each = (
        [path] if Path(path).is_dir() and config_path(Path(path)).is_file() else expand_paths([path], CONFIG)
        for path in paths
    )
    return list(dict.fromkeys(chain(*each)))


def answer(
    paths: Sequence[str], asked: ModelOptions, keys: Mapping[str, Any] | None = None, others: Sequence[str] = ()
) -> tuple[ModelReport | RuntimesReport, list[PecliError]]:
    """Return the report on the files, and the errors of files that could not be read.

    keys : values that replace those of the files, instead of the texts in `asked.override`
    others : names of options that were given but cannot be combined with --runtime

    Raises
    ------
    UsageError : two options exclude each other
    PecliError : none of the files could be read
    """
    places = places_of(paths)
    given = read_overrides(asked.override) if keys is None else keys
    for name, value in given.items():
        check_override(name, value)
    if asked.flags and (asked.runtime != ("llama.cpp",) or given):
        raise UsageError("--flags needs --runtime llama.cpp as the only runtime, and no --override", option="flags")
    if asked.runtime and not asked.flags:
        own = {"--same": asked.same, "--ignore": asked.ignore, "--tolerance": asked.tolerance != ModelOptions.tolerance}
        for other in [*(name for name, value in own.items() if value), *others]:
            text = f"--runtime and {other} exclude each other"
            raise UsageError(text, option="runtime", advice="leave one of them out")
        if len(places) != 1:
            raise UsageError(f"--runtime takes one file, but {len(places)} were given", option="runtime")
        found = apply_runtimes(places[0], runtimes_named(asked.runtime), asked.seq_len, given)
        return RuntimesReport(places[0], tuple(found)), []
    models, failures = _read(places, asked, given)
    models = [without_findings(model, asked.ignore) for model in models]
    if asked.same and len(places) != 2:
        twice = len(paths) == 2 and len(places) == 1
        what = f"two different files, but {places[0]} was given twice" if twice else f"two files, not {len(places)}"
        raise UsageError(f"--same compares {what}", option="same")
    if asked.tolerance != ModelOptions.tolerance and len(places) != 2:
        raise UnusedOptionError("tolerance", asked.tolerance, "it is for comparing two files")
    return ModelReport(tuple(models), asked.tolerance, asked.same and not failures), failures


def _read(places: Iterable[str], asked: ModelOptions, given: Mapping[str, Any]) -> tuple[list[Model], list[PecliError]]:
    """Return the models that can be read, and the errors of the others; raise the first error if none can be read."""
    models, failures = list[Model](), list[PecliError]()
    for path in places:
        try:
            if asked.flags:
                models.append(read_flagged(path, asked.flags, asked.seq_len))
            elif given:
                models.append(read_overridden(path, asked.seq_len, given))
            else:
                models.append(read_model(path, asked.seq_len))
        except PecliError as error:
            failures.append(error)
    if failures and not models:
        raise failures[0]
    return models, failures
