"""The one registry of scalings: how the rates of rope are changed so that a model reads more than it was trained on."""

from __future__ import annotations

from pecli.encodings.scalings.interpolation import Dynamic, Linear, Proportional
from pecli.encodings.scalings.llama3 import Llama3
from pecli.encodings.scalings.longrope import LongRope
from pecli.encodings.scalings.scaling import Scaling, Unscaled
from pecli.encodings.scalings.yarn import Yarn

__all__ = ["SCALINGS", "Scaling", "having", "scaling_names"]

SCALINGS: dict[str, type[Scaling]] = {
    Unscaled.name: Unscaled,
    Linear.name: Linear,
    Dynamic.name: Dynamic,
    Yarn.name: Yarn,
    LongRope.name: LongRope,
    Llama3.name: Llama3,
    Proportional.name: Proportional,
}


def scaling_names() -> tuple[str, ...]:
    """The scalings by the word that config.json has for each."""
    return tuple(SCALINGS)


def having(parameter: str) -> tuple[str, tuple[str, ...]]:
    """What the parameter belongs to: the option `scaling` and those of its values that take it."""
    return "scaling", tuple(name for name, one in SCALINGS.items() if parameter in (*one.needs, *one.takes))
