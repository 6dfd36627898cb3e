"""What every option takes, and what classes with options declare, stays as it is.

What they are now stands in tests/data/declared.txt. After a change that is meant, write that anew and read the
difference: ``python -m tests.test_declared``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pecli
from pecli.core.options import Option, Options

STORED = Path(__file__).with_name("data") / "declared.txt"
LEFT_OUT = ("help", "name", "advice", "text_of", "scalar", "many", "optional")  # texts, functions and types

TEXTS = ("examples", "row_meanings")


def classes(kind: type[Options]) -> Iterator[type[Options]]:
    for each in kind.__subclasses__():
        yield each
        yield from classes(each)


def told(value: Any) -> str:
    """Return a value as text, the words of choices as a list; "" for a class, a function and a text of a title."""
    if callable(value) and not isinstance(value, type):
        value = list(value())
    plain = value is None or isinstance(value, (bool, int, float, tuple, list, Mapping))
    return repr(value).replace("mappingproxy", "") if plain else ""


def option_line(option: Option) -> str:
    own = {field.name: getattr(option, field.name) for field in fields(Option) if field.name not in LEFT_OUT}
    plain = Option("", default=None)
    facts = {name: value for name, value in own.items() if value != getattr(plain, name)}
    texts = (f"{name}={value if isinstance(value, str) else told(value)}" for name, value in facts.items())
    return ", ".join(texts)


def declared() -> str:
    """Return a line for each option and each fact of the classes that define them."""
    for module in walk_packages(pecli.__path__, "pecli."):
        import_module(module.name)  # so that every class is there
    lines = []
    for kind in {each for each in classes(Options) if each.__module__.startswith("pecli.")}:
        options, place = kind.options(), f"{kind.__module__.removeprefix('pecli.')}.{kind.__name__}"
        for name, annotation in get_annotations(kind).items():
            if name in options:
                lines.append(f"{place}.{name}: {option_line(options[name])}")
            elif name not in TEXTS and "ClassVar" in str(annotation) and (text := told(kind.__dict__.get(name, ""))):
                lines.append(f"{place}.{name} = {text}")
    return "\n".join(sorted(lines)) + "\n"


def test_options_and_facts_of_classes_are_those_that_are_stored() -> None:
    stored = STORED.read_text(encoding="utf-8")
    assert declared().splitlines() == stored.splitlines()


if __name__ == "__main__":
    STORED.write_text(declared(), encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
