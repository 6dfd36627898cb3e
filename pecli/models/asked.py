"""What one can ask of a model's file beside its path: the options of `pecli model`, `pecli extend`, `pecli.model`."""

from __future__ import annotations

from pecli.core.options import Option


def runtime_names() -> tuple[str, ...]:
    """Return what `--runtime` takes."""
    from pecli.models.runtimes import ALL_RUNTIMES, runtimes

    return (ALL_RUNTIMES, *runtimes())


def finding_codes() -> tuple[str, ...]:
    """Return what `--ignore` takes."""
    from pecli.models.layers import codes

    return codes()


SEQ_LEN = Option("the length in use", name="seq_len", scalar=int, at_least=1, optional=True)
SAME = Option("exit with 1 where two files do not apply the same encoding", name="same", scalar=bool, default=False)
TOLERANCE = Option(
    "the largest relative difference of numbers that two files have alike",
    name="tolerance",
    scalar=float,
    at_least=0,
    default=1e-6,
)
OVERRIDE = Option(
    "lay keys over the file as transformers does: an object of JSON, or key=value; repeatable",
    name="override",
    many=True,
    split=False,
    default=(),
)
RUNTIME = Option("what runtimes do with a config.json", name="runtime", many=True, choices=runtime_names, default=())
FLAGS = Option(
    "llama.cpp's flags for a GGUF file, with --runtime llama.cpp: '--rope-freq-base 1e6'", name="flags", optional=True
)
IGNORE = Option(
    "findings that do not count, by their codes", name="ignore", many=True, choices=finding_codes, default=()
)
METHODS = ("linear", "ntk", "dynamic", "yarn", "longrope", "base")  # to extend a context
TO = Option("positions that the model is to read", name="to", scalar=int, at_least=2, at_most=10**8, optional=True)
TRAINED = Option(
    "positions that it was trained on",
    name="trained",
    scalar=int,
    at_least=1,
    at_most=10**8,
    optional=True,
    unset="the context that the file names, before its scaling",
)
BASE = Option("the new base", name="base", scalar=float, above=1, optional=True, unset="see its note")
METHOD = Option("the method whose lines are printed", name="method", choices=lambda: METHODS, default="yarn")
