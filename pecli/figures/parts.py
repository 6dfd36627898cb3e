"""Figures as parts of a composed one: which there are, with which options, and why one does not fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pecli.core.errors import UnusedOptionError, UsageError, mention
from pecli.core.registry import Registry
from pecli.encodings.encoding import Encoding
from pecli.figures import FIGURES, SINGLE
from pecli.figures.figure import Figure, View
from pecli.figures.panels import Panel

HANDED_ON = ("measure", "highlight")  # options of a composed figure that its parts take, where they have them


def single_figures() -> Registry[type[Figure[Any]]]:
    """The figures that are not made of figures."""
    return SINGLE


def what_it_is(name: str) -> str:
    """What to ask for instead of another name of a figure: similarity is distance with a measure; else nothing."""
    own, options = FIGURES.aliases.get(name, ("", {}))
    said = ", ".join(mention(option, value) for option, value in options.items())
    return f"{name} is {own} with {said}" if own else ""


def part_of(whole: Figure[Any], name: str) -> Figure[Any]:
    """A figure with the options that the composed one hands on; refuses what it cannot show (UsageError)."""
    kind, given = single_figures()[name], {option: getattr(whole, option) for option in HANDED_ON}
    own = {option: value for option, value in given.items() if option in kind.options() and value is not None}
    return kind(**own).as_part()


def refused_part(whole: Figure[Any], part: Figure[Any], view: View[Encoding], option: str) -> UsageError:
    """What to say of a part that cannot show an encoding: the figures that this option may name for it."""
    fitting = [name for name in single_figures() if _shows(whole, name, view)]
    advice = f"{mention(option)} takes {', '.join(fitting)} here" if fitting else ""
    return UsageError(part.refusal(type(view.encoding)), option="encoding", advice=advice)


def _shows(whole: Figure[Any], name: str, view: View[Encoding]) -> bool:
    """Whether that figure, with the options that the composed one hands on, shows the encoding."""
    if not single_figures()[name].takes(type(view.encoding)):
        return False
    try:
        part_of(whole, name).check_view(view)
    except UsageError:
        return False
    return True


def check_handed_on(whole: Figure[Any], parts: Iterable[Figure[Any]]) -> None:
    """Refuses an option that none of the parts has (UsageError)."""
    names = dict.fromkeys(part.name for part in parts)
    for one, value in whole.changed().items():
        fitting = [name for name, figure in single_figures().items() if one in figure.options()]
        if one in HANDED_ON and not {*fitting} & {*names}:
            why = f"{', '.join(names)} has no {mention(one)}, {', '.join(fitting)} have"
            raise UnusedOptionError(one, whole.options()[one].write(value), why)


def owned(panel: Panel, part: int) -> Panel:
    """The panel with a colour bar that it shares with its own part alone."""
    return replace(panel, bar=panel.bar and replace(panel.bar, part=part))


def through(view: View[Encoding], own: slice) -> View[Encoding]:
    """The view through some of the panels."""
    return replace(view, panels=view.panels and view.panels[own])
