"""Options of `pecli model`, `pecli extend` and `pecli.model`, besides the path of the model's file."""

from __future__ import annotations

from dataclasses import dataclass

from pecli.core.options import Options, option


def runtime_names() -> tuple[str, ...]:
    """Return the allowed values of `--runtime`."""
    from pecli.models.runtimes import ALL_RUNTIMES, runtimes

    return (ALL_RUNTIMES, *runtimes())


@dataclass(frozen=True)
class ModelOptions(Options):
    """Options for reading and comparing models' files."""

    seq_len: int | None = option(None, "the length in use, on which the rates depend", at_least=1, flags=("-n",))
    same: bool = option(False, "exit with 1 if two files do not apply the same encoding")
    tolerance: float = option(1e-6, "the largest relative difference at which two numbers count as equal", at_least=0)
    override: tuple[str, ...] = option(
        (),
        "lay keys over the file as transformers does: a JSON object, or key=value; repeat for more",
        split=False,
    )
    runtime: tuple[str, ...] = option((), "show what runtimes do with a config.json", choices=runtime_names)
    flags: str | None = option(
        None, "llama.cpp's flags for a GGUF file, with --runtime llama.cpp: '--rope-freq-base 1e6'"
    )
    ignore: tuple[str, ...] = option((), "codes of findings to leave out")


METHODS = ("linear", "ntk", "dynamic", "yarn", "longrope", "base")  # methods that extend a context


@dataclass(frozen=True)
class ExtendOptions(Options):
    """Options for extending a model's context."""

    to: int | None = option(None, "positions that the model is to read", at_least=2, at_most=10**8)
    trained: int | None = option(
        None,
        "positions that it was trained on",
        at_least=1,
        at_most=10**8,
        unset="the context that the file names, before its scaling",
    )
    new_base: float | None = option(None, "base for the method called base", above=1, unset="as its note says")
    method: str = option("yarn", "the method whose command lines are printed", choices=lambda: METHODS)
