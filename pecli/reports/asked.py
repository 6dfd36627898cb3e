"""What ``pecli model`` and ``pecli.model`` answer: a report on models, or on what runtimes make of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from pecli.core.errors import PecliError, UsageError
from pecli.core.hub import CONFIG
from pecli.files.tables import expand_paths
from pecli.models.asked import ModelOptions
from pecli.models.config_file import place
from pecli.models.flags import read_flagged
from pecli.models.overrides import read_overridden, read_overrides
from pecli.models.reader import Model, read_model, without_findings
from pecli.models.runtimes import applied, chosen
from pecli.reports.model import ModelReport
from pecli.reports.runtimes import RuntimesReport


def places_of(paths: Iterable[str]) -> list[str]:
    """Return the files that paths, folders and globs name, each once."""
    each = (
        [path] if Path(path).is_dir() and place(Path(path)).is_file() else expand_paths([path], CONFIG)
        for path in paths
    )
    return list(dict.fromkeys(chain(*each)))


def answer(
    paths: Iterable[str], asked: ModelOptions, keys: Mapping[str, Any] | None = None, others: Sequence[str] = ()
) -> tuple[ModelReport | RuntimesReport, list[PecliError]]:
    """Return the report on models' files, and why some of them could not be read.

    keys : laid over the files, in place of those that `asked` has as text
    others : what else is asked that does not go with runtimes

    Raises
    ------
    UsageError : options that exclude each other
    PecliError : none of the files could be read
    """
    places = places_of(paths)
    given = read_overrides(asked.override) if keys is None else keys
    if asked.flags and (asked.runtime != ("llama.cpp",) or given):
        raise UsageError("--flags are of --runtime llama.cpp alone", option="flags")
    if asked.runtime and not asked.flags:
        own = {"--same": asked.same, "--ignore": asked.ignore}
        for other in [*(name for name, value in own.items() if value), *others]:
            raise UsageError(f"--runtime and {other} exclude each other", option="runtime", advice="give one of them")
        if len(places) != 1:
            raise UsageError(f"--runtime is of one file, not of {len(places)}", option="runtime")
        return RuntimesReport(places[0], tuple(applied(places[0], chosen(asked.runtime), asked.seq_len, given))), []
    models, failures = _read(places, asked, given)
    models = [without_findings(model, asked.ignore) for model in models]
    if asked.same and len(places) != 2:
        raise UsageError(f"--same compares two files, not {len(places)}", option="same")
    return ModelReport(tuple(models), asked.tolerance, asked.same and not failures), failures


def _read(places: Iterable[str], asked: ModelOptions, given: Mapping[str, Any]) -> tuple[list[Model], list[PecliError]]:
    """Return what can be read, and why the others cannot; raises where nothing can."""
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
