"""The options of a figure as controls of a page: sliders, choices, boxes and lines of text, all from their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pecli.analysis import Analysis
from pecli.core.errors import UsageError
from pecli.core.language import Language
from pecli.core.options import Option, default_of
from pecli.core.positions import Positions
from pecli.encodings import all_encodings, read_encoding
from pecli.figures.canvas import OWNED, Canvas
from pecli.jobs.job_options import Choice, parameters_of

WIDE = 10.0  # a slider without bounds ends at so many times the default
DECADES = 3  # and one whose values are evenly spaced by their ratios so many decades beyond it
FAR = 10**6  # a bound that no slider reaches

Control = dict[str, Any]


def encoding_control(figure: type[Analysis[Any]], specs: tuple[str, ...]) -> Control:
    """Which encoding: a choice, or a line of text where the figure shows several in one picture."""
    (one,) = Choice.options().values()
    if figure.several:
        return {**_named(one), "kind": "text", "value": " ".join(specs), "default": figure.default_encoding}
    names = [name for name, kind in all_encodings().items() if figure.takes(kind) and _complete(name)]
    choices = list(dict.fromkeys([*specs, *names]))
    return {**_named(one), "kind": "choice", "choices": choices, "value": specs[0], "default": figure.default_encoding}


def controls(
    figure: type[Analysis[Any]], options: Mapping[str, Option], values: Mapping[str, Any] | None = None
) -> list[Control]:
    """The options as controls, in their order; those that belong to a value of another stand in specs alone.

    values : what they have now; the default where nothing is said
    """
    now = values or {}
    return [_control(one, figure, now.get(name)) for name, one in options.items() if not one.in_spec]


def groups(figure: type[Analysis[Any]], specs: tuple[str, ...], values: Mapping[str, Any]) -> dict[str, list[Control]]:
    """All controls besides the encoding itself, by what they are about; several encodings have theirs in their specs.

    values : of options, by name, where they are not the defaults
    """
    named = specs or (figure.default_encoding,)
    own: Mapping[str, Any] = {}
    if len(named) == 1:
        own = {**read_encoding(named[0], defaults=figure.default_options).settings(), **values}
    still = {name: one for name, one in Canvas.options().items() if OWNED.get(name) != "moves"}
    return {
        "encoding": controls(figure, parameters_of(named) if own else {}, own),
        "positions": controls(figure, Positions.options(), values),
        "figure": controls(figure, figure.options(), values),
        "picture": controls(figure, {**still, **Language.options()}, values),
    }


def _control(one: Option, figure: type[Analysis[Any]], value: Any) -> Control:
    default = default_of(one, figure.default_options)
    text = "" if default is None else one.write(one.read(default))
    now = text if value is None else one.write(one.read(value))
    said = {**_named(one), "default": text, "value": now, "unset": one.unset}
    if one.scalar is bool:
        return {**said, "kind": "box"}
    if one.choices is not None and not one.many:
        return {**said, "kind": "choice", "choices": ([""] if one.optional else []) + list(one.choices())}
    if one.many or one.scalar is str or not now:
        return {**said, "kind": "text"}
    low, high = _ends(one, float(now), float(text or now))
    return {**said, "kind": "number", "low": low, "high": high, "log": one.log, "whole": one.scalar is int}


def _named(one: Option) -> Control:
    return {"name": one.name, "flag": one.flag, "help": one.help}


def _ends(one: Option, value: float, default: float) -> tuple[float, float]:
    """Where a slider begins and ends: at the bounds where they are near, else around the values."""
    far = max(abs(default), abs(value), 1.0)
    if one.log:
        least = max(one.at_least or 0, min(default, value, 1.0 if one.scalar is int else 1.01))
        return max(least, 1e-3), far * 10**DECADES
    low = one.at_least if one.at_least is not None else one.above
    most = one.at_most if one.at_most is not None and one.at_most <= FAR else WIDE * max(far, WIDE)
    return (low if low is not None and low >= -FAR else -WIDE * far), min(most, WIDE * max(far, WIDE))


def _complete(name: str) -> bool:
    """Whether an encoding is one by its name alone; a table needs a file."""
    try:
        read_encoding(name)
    except UsageError:
        return False
    return True
