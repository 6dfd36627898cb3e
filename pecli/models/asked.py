"""What one can ask of a model's file beside its path: the options of `pecli model`, `pecli extend`, `pecli.model`."""

from __future__ import annotations

from dataclasses import dataclass

from pecli.core.options import Options, option


def runtime_names() -> tuple[str, ...]:
    """Return what `--runtime` takes."""
    from pecli.models.runtimes import ALL_RUNTIMES, runtimes

    return (ALL_RUNTIMES, *runtimes())


@dataclass(frozen=True)
class ModelOptions(Options):
    """What is asked of models' files."""

    seq_len: int | None = option(None, "the length in use, on which the rates depend", at_least=1, flags=("-n",))
    same: bool = option(False, "exit with 1 where two files do not apply the same encoding")
    tolerance: float = option(1e-6, "the largest relative difference of numbers that two files have alike", at_least=0)
    override: tuple[str, ...] = option(
        (),
        "lay keys over the file as transformers does: an object of JSON, or key=value; again for more",
        split=False,
    )
    runtime: tuple[str, ...] = option((), "what runtimes do with a config.json", choices=runtime_names)
    flags: str | None = option(
        None, "llama.cpp's flags for a GGUF file, with --runtime llama.cpp: '--rope-freq-base 1e6'"
    )
    ignore: tuple[str, ...] = option((), "findings that do not count, by their codes")
    figure: str = option(
        "spectrum",
        "what a picture shows: wavelengths, how far each layer sees, or how far the rates of other files or of "
        "runtimes drift from the first",
        choices=lambda: ("spectrum", "layers", "drift"),
    )


METHODS = ("linear", "ntk", "dynamic", "yarn", "longrope", "base")  # to extend a context


@dataclass(frozen=True)
class ExtendOptions(Options):
    """What is asked of a model that is to read longer texts."""

    to: int | None = option(None, "positions that the model is to read", at_least=2, at_most=10**8)
    trained: int | None = option(
        None,
        "positions that it was trained on",
        at_least=1,
        at_most=10**8,
        unset="the context that the file names, before its scaling",
    )
    new_base: float | None = option(None, "base of the method that takes another", above=1, unset="see its note")
    method: str = option("yarn", "the method whose lines are printed", choices=lambda: METHODS)
