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

    seq_len: int | None = option(
        None, "sequence length for which dynamic and LongRoPE scalings compute their rates", at_least=1, flags=("-n",)
    )
    same: bool = option(False, "compare two files, and exit with 1 if they do not apply the same encoding")
    tolerance: float = option(1e-6, "largest relative difference at which two numbers count as equal", at_least=0)
    override: tuple[str, ...] = option(
        (),
        "override keys of the file, as transformers does: a JSON object, or key=value; repeat for more",
        split=False,
    )
    runtime: tuple[str, ...] = option((), "show what these runtimes do with a config.json", choices=runtime_names)
    flags: str | None = option(
        None, "llama.cpp's flags for a GGUF file, with --runtime llama.cpp: '--rope-freq-base 1e6'"
    )
    ignore: tuple[str, ...] = option((), "codes of findings to leave out")


METHODS = ("linear", "ntk", "dynamic", "yarn", "longrope", "base")  # methods that extend a context


@dataclass(frozen=True)
class ExtendOptions(Options):
    """Options for extending a model's context."""

    to: int | None = option(None, "number of positions that the model is to read", at_least=2, at_most=10**8)
    trained: int | None = option(
        None,
        "number of positions that the model was trained on",
        at_least=1,
        at_most=10**8,
        unset="the context that the file names, before its scaling",
    )
    new_base: float | None = option(
        None, "rope_theta for --method base", above=1, unset="from a formula, arXiv:2310.05209, theorem 2"
    )
    method: str = option("yarn", "method whose commands are printed", choices=lambda: METHODS)
