"""One field, one fact: the name, type, default, help, bounds and flags of an option stand in one dataclass field.

The command-line option, the TOML key, the Python keyword, the ``--help`` text, the key in a file's metadata and the
error message all come from there. `Options` is the base of everything that has options; `Option` is one of them.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pecli.core.caching import cached
from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.one_option import Option

__all__ = ["Option", "Options", "default_of", "default_values", "named", "option", "own_name"]


def option(
    default: Any,
    help: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    choices: Callable[[], Iterable[str]] | None = None,
    flags: tuple[str, ...] = (),
    unset: str = "",
    split: bool | None = None,
    separator: str = ",",
    log: bool = False,
    aliases: tuple[str, ...] = (),
    leads: tuple[str, ...] = (),
    advice: Callable[[Any], str] | None = None,
    names: Mapping[str, float | str] | None = None,
    only_with: tuple[str, str | tuple[str, ...]] | None = None,
    shown: bool = False,
    moves: bool = False,
    printed: bool = False,
    in_spec: bool = False,
    text_of: Callable[[Any], str | None] | None = None,
) -> Any:
    """A dataclass field that is an option; its name and type come from the field itself.

    Parameters
    ----------
    default : the value when nothing is given; None only where the field's type allows it
    help : what the option does, one line, no full stop
    at_least, at_most, above : bounds of a number (of each number of a list)
    choices : gives the allowed words
    flags : further spellings on the command line, ``("-k",)``
    unset : what is done when the value is None
    split : whether one text may hold several values; None: numbers, lists and choices may
    separator : what stands between them, a regular expression
    log : whether the values of a range are evenly spaced by their ratios
    aliases : what other programs call the same thing, with _; understood everywhere, shown nowhere
    leads : what people look for that this option does in a way of its own; the answer to such a word names it
    advice : gives what to try instead of a value that is refused, or ""
    names : words that may stand for numbers
    only_with : another option of the class and its value, or values, without which this one means nothing
    shown : whether titles show the value also where it was not changed
    moves : whether each of its values is a frame where a picture moves and nothing else is swept
    printed : whether it says how a report is printed, and nothing of a file of numbers
    in_spec : whether it is said in an encoding's spec alone, as all with `only_with` are
    text_of : gives the text of a value that Python has another type for, that of its argument; None for others
    """
    given = {name: value for name, value in locals().items() if name != "default"}  # the fields of Option
    owner = (only_with[0], _several(only_with[1])) if only_with else None
    made = Option(**{**given, "names": names or {}, "only_with": owner, "in_spec": in_spec or owner is not None})
    return dataclasses.field(default=default, metadata={"option": made}, kw_only=True)


def _several(values: str | tuple[str, ...]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else values


@dataclass(frozen=True)
class Options:
    """Base of the frozen dataclasses whose fields are options. Every value is checked when one is made."""

    what: ClassVar[str] = "option"

    def __post_init__(self) -> None:
        for name, one in self.options().items():
            object.__setattr__(self, name, one.read(getattr(self, name)))
        self._check_owners(self.changed())
        self.check()

    def check(self) -> None:
        """Refuses values that do not go together (UsageError)."""

    @classmethod
    def options(cls) -> dict[str, Option]:
        """The options by name, in the order of the fields."""
        owner: Any = cls
        return _options(owner)

    def inputs(self) -> tuple[str, ...]:
        """The files that are read for these values. Mostly none."""
        return ()

    @classmethod
    def make(cls, values: Mapping[str, Any]) -> Self:
        """From a mapping of option names to values; unknown names are refused with a suggestion."""
        return cls.from_read(cls.read_values(values))

    @classmethod
    def read_values(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values as the options read them, one by one; unknown names are refused with a suggestion."""
        known = cls.options()
        own = named(known, values)
        for name in own:
            if name not in known:
                owner = getattr(cls, "name", cls.__name__)
                raise UnknownNameError(f"{cls.what} of {owner}", name, known, option=name)
        return {name: known[name].read(value) for name, value in own.items()}

    @classmethod
    def from_read(cls, values: Mapping[str, Any]) -> Self:
        """From values that the options have read: they are not read again, only checked together."""
        made = object.__new__(cls)
        for name, value in {**_defaults(cls), **values}.items():
            object.__setattr__(made, name, value)
        made._check_owners(name for name, value in values.items() if value is not None)
        made.check()
        return made

    def settings(self) -> dict[str, Any]:
        """The options that apply and their values, in order."""
        return {name: getattr(self, name) for name in self.options() if self._applies(name)}

    def _applies(self, name: str) -> bool:
        """Whether an option means anything beside the values of the others."""
        owner = self.options()[name].only_with
        return owner is None or getattr(self, owner[0]) in owner[1]

    def _check_owners(self, given: Iterable[str]) -> None:
        """Refuses what was given although the option that it belongs to has another value."""
        for name in given:
            owner = self.options()[name].only_with
            if owner is not None and not self._applies(name):
                known = self.options()[owner[0]]
                has = known.write(getattr(self, owner[0]))
                text = f"{name} belongs to {owner[0]}={', '.join(owner[1])}, and {owner[0]} is {has}"
                raise UsageError(text, option=name, value=getattr(self, name))

    def changed(self, defaults: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The options that differ from their defaults, or from the `defaults` that stand in for them."""
        given, standing = {name: getattr(self, name) for name in self.options()}, defaults or {}
        return {name: given[name] for name, one in self.options().items() if given[name] != default_of(one, standing)}


def own_name(known: Mapping[str, Option], word: str) -> str:
    """The name of the option that a word spells, ``d-model`` or ``head_dim`` that of d; of none, the word with _."""
    plain = word.replace("-", "_")
    if plain in known:
        return plain
    return next((name for name, one in known.items() if plain in one.spellings), plain)


def named(known: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values under the options' own names; raises UsageError for two spellings of one."""
    result: dict[str, Any] = {}
    for name, value in given.items():
        own = own_name(known, name)
        if own in result:
            raise UsageError(f"{mention(own)} is given twice, once as {name}", option=own)
        result[own] = value
    return result


def default_of(one: Option, defaults: Mapping[str, Any]) -> Any:
    """An option's default, or what stands in for it; a default of None, which leaves a thing open, stays."""
    return None if one.default is None else defaults.get(one.name, one.default)


def default_values(known: Mapping[str, Option], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the default values that these options take."""
    return {name: value for name, value in defaults.items() if name in known and known[name].default is not None}


@cached
def _defaults(cls: Any) -> dict[str, Any]:
    """The value of every option where none is given."""
    return {name: one.read(one.default) for name, one in cls.options().items()}


@cached
def _options(cls: Any) -> dict[str, Option]:
    hints = typing.get_type_hints(cls)
    fields = [f for f in dataclasses.fields(cls) if "option" in f.metadata]
    return {f.name: _bound(f, hints[f.name]) for f in fields}


def _bound(field: dataclasses.Field[Any], hint: Any) -> Option:
    """The field's Option with what the field itself says: name, default, type."""
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    inner = next(part for part in parts if part is not type(None))
    many = typing.get_origin(inner) is tuple
    made: Option = field.metadata["option"]
    return dataclasses.replace(
        made,
        name=field.name,
        default=field.default,
        scalar=typing.get_args(inner)[0] if many else inner,
        many=many,
        optional=type(None) in parts,
    )
