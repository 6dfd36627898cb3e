"""The parameters of each scaling out of the object that holds them, by the names that `Rope` has for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pecli.encodings.configs.keys import Keys
from pecli.encodings.configs.reading import STOPS, Reading, trouble
from pecli.encodings.configs.sizes import max_position

ORIGINAL = "original_max_position_embeddings"


def _linear(reading: Reading, inside: Keys) -> dict[str, Any]:
    return {"factor": _needed(inside, "factor")}


def _dynamic(reading: Reading, inside: Keys) -> dict[str, Any]:
    longest = max_position(reading)
    if longest is None:
        raise trouble("max_position_embeddings", "is missing, and the dynamic scaling begins there")
    return {"factor": _needed(inside, "factor"), "max_position": longest, "seq_len": reading.seq_len}


def _yarn(reading: Reading, inside: Keys) -> dict[str, Any]:
    original = _original(reading, inside)
    turns = {name: inside.number(name) or None for name in ("beta_fast", "beta_slow")}
    scales = {name: inside.number(name) for name in ("attention_factor", "mscale", "mscale_all_dim")}
    given = {**turns, **scales, "truncate": inside.flag("truncate")}
    said = {name: value for name, value in given.items() if value is not None}
    return {"factor": _factor(reading, inside, original), "original": original, **said}


def _longrope(reading: Reading, inside: Keys) -> dict[str, Any]:
    original = _original(reading, inside)
    lists = {name: tuple(_needed(inside, name)) for name in ("short_factor", "long_factor")}
    used = reading.seq_len
    long = used is not None and used > original
    sharpening = inside.number("attention_factor")
    if sharpening is None and reading.architecture.mscale:
        sharpening = inside.number("long_mscale" if long else "short_mscale")
    factor = _factor(reading, inside, original) if sharpening is None else inside.number("factor")
    given = {"factor": factor, "attention_factor": sharpening, "seq_len": used}
    return {"original": original, **lists, **{name: value for name, value in given.items() if value is not None}}


def _llama3(reading: Reading, inside: Keys) -> dict[str, Any]:
    names = ("factor", "low_freq_factor", "high_freq_factor")
    return {"original": _original(reading, inside), **{name: _needed(inside, name) for name in names}}


def _proportional(reading: Reading, inside: Keys) -> dict[str, Any]:
    share = inside.number("partial_rotary_factor")
    if share is None:
        share = reading.architecture.live if not inside.data else 1.0
    factor = inside.number("factor")
    return {"partial_rotary_factor": share, **({} if factor is None else {"factor": factor})}


Rule = Callable[[Reading, Keys], dict[str, Any]]
RULES: dict[str, Rule] = {
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
}


def original_length(reading: Reading, inside: Keys) -> int | None:
    """The positions of the first training: the key at the top wins over that inside; else all there are."""
    top = reading.keys.length(ORIGINAL)
    return top if top is not None else (inside.length(ORIGINAL) or max_position(reading))


def _original(reading: Reading, inside: Keys) -> int:
    original = original_length(reading, inside)
    if original is None:
        raise trouble(ORIGINAL, "is missing, and so is max_position_embeddings, which would take its place")
    return original


def _factor(reading: Reading, inside: Keys, original: int) -> float:
    factor, longest = inside.number("factor"), max_position(reading)
    if factor is not None:
        return factor
    if longest is None:
        raise trouble("factor", f"is missing, and so is max_position_embeddings: {STOPS}")
    return longest / original


def _needed(inside: Keys, name: str) -> Any:
    read = inside.numbers if name in ("short_factor", "long_factor") else inside.number
    value = read(name)
    if value is None:
        raise trouble(name, f"is missing: {STOPS}")
    return value
