"""What every encoding is, whatever it can do: a name, a formula, parameters and their text."""

from __future__ import annotations

from abc import ABC
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pecli.core.language import phrase, template
from pecli.core.number_text import minus
from pecli.core.options import Option, Options, option
from pecli.core.positions import Positions
from pecli.core.values import EXACT

LISTED = 12  # numbers that a title still lists
WIDTH_FLAGS = ("-d", "--d-model")  # of the parameter d, wherever there is one
WIDTH_ALIASES = ("dim", "head_dim", "hidden_size")


def file_option(help: str, unset: str) -> Any:
    """The field file, of all whose numbers may come from one."""
    return option(None, help, unset=unset, leads=("table", "path"))


def tensor_option() -> Any:
    """The field tensor, of all whose numbers may come from a file."""
    said = "name of the table in the file, or how it ends"
    return option(None, said, unset="found by the usual names", leads=("key", "name"))


@dataclass(frozen=True)
class Encoding(Options, ABC):
    """A position encoding by name: a rule with its parameters as fields. What it can do are its `capabilities`.

    Class attributes describe it wherever encodings are listed; nothing else repeats them.

    Attributes
    ----------
    name : the word on the command line
    summary, formula, source : what it is, in one line each; the source with its section and arXiv number
    example : a command that shows it
    kind : where it enters the model
    models : who uses it
    trained : whether its numbers are learned, not given by the formula
    extrapolates : whether it goes on beyond the positions it was made for
    position_label, other_label, position_unit, tick_steps : how positions stand on an axis
    """

    what: ClassVar[str] = "parameter"
    name: ClassVar[str]
    summary: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    example: ClassVar[str]
    kind: ClassVar[str]  # where it enters the model
    gives: ClassVar[str]  # what it can do, a word for the message where that is not enough
    models: ClassVar[str] = "none known"
    aliases: ClassVar[tuple[str, ...]] = ()  # what others call it, understood and not listed
    trained: ClassVar[bool] = False  # its numbers are learned, not given by the formula
    extrapolates: ClassVar[bool] = True

    position_label: ClassVar[str] = template("position p")
    other_label: ClassVar[str] = template("position q")  # where two positions are compared
    position_unit: ClassVar[str] = ""  # of bare numbers, where ticks are not written in the encoding's own terms
    tick_steps: ClassVar[tuple[int, ...]] = ()  # round numbers of positions, where they are not powers of ten

    def fitted(self, positions: Positions) -> Self:
        """This encoding with what it leaves open, such as a number of bits, settled by the positions."""
        return self

    @classmethod
    def about(cls, parameter: str, value: str) -> str:
        """What a value of a parameter means, its formula and source, where that is not told by the parameter's help."""
        return ""

    @property
    def bounded(self) -> bool:
        """Whether its positions end, as the rows of a file do: all are shown where no length is asked for."""
        return False

    def rows_from(self, start: int) -> int | None:
        """How many positions there are from that one on; None where they do not end."""
        return None

    def position_text(self, position: float) -> str:
        """A position as its axis shows it."""
        text = f"{position:,.0f}" if float(position).is_integer() else f"{position:g}"
        return minus(text)

    def length_text(self, length: float) -> str:
        """A number of positions, such as a wavelength, as a legend shows it."""
        return f"{length:,.4g}" if length < 9999.5 else f"{length:,.0f}" if length < 1e7 else f"{length:.3g}"

    def spec(self, defaults: Mapping[str, Any] | None = None, without: Collection[str] = ()) -> str:
        """The text that gives this encoding again, also where `defaults` are defaults: ``sinusoidal:base=10``.

        without : parameters that are told elsewhere
        """
        known, said = self.options(), self.changed() | self.changed(defaults)
        told = [name for name in known if name in said and name not in without]
        given = [f"{name}={_spelled(known[name], said[name])}" for name in told]
        return self.name + (":" + ",".join(given) if given else "")

    def label(self) -> str:
        """The encoding in a title: what was changed, and what is always shown: ``sinusoidal, d 128, base 10``."""
        return ", ".join([self.name, *self.title_texts().values()])

    def title_texts(self) -> dict[str, str]:
        """The parameters that stand in a title, as they stand there: ``base 10``."""
        known, shown = self.options(), self.titled()
        return {name: f"{name} {titled_text(known[name], value)}" for name, value in shown.items()}

    def titled(self) -> dict[str, Any]:
        """The parameters that stand in a title."""
        known = self.options()
        given = {name: value for name, value in self.settings().items() if value is not None}
        return {name: value for name, value in given.items() if known[name].shown or value != known[name].default}


def titled_text(one: Option, value: Any) -> str:
    """A value inside a title: a number as ticks write it, 10,000, and of a long list how many it has."""
    if one.many:
        return phrase("({count} numbers)", count=len(value)) if len(value) > LISTED else one.write(value)
    whole = one.scalar in (int, float) and abs(value) < EXACT and float(value).is_integer()
    return f"{int(value):,}" if whole else one.write(value)


def _spelled(one: Option, value: object) -> str:
    """A value inside a spec, where a comma that belongs to a single text is marked."""
    return one.write(value) if one.many else one.write(value).replace(",", "\\,")
