"""What options take, what classes with options or numbers declare, and what encodings say of themselves stays as it is.

What they are now stands in tests/data/declared.txt. After a change that is meant, write that anew and read the
difference: ``python -m tests.test_declared``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from inspect import get_annotations, getmembers
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pecli
from pecli.analysis import Numbers
from pecli.core.options import Option, Options
from pecli.encodings.spec import read_encoding
from pecli.page.canvas import SIZES
from pecli.page.venues import VENUES

STORED = Path(__file__).with_name("data") / "declared.txt"
LEFT_OUT = ("name", "advice", "text_of", "scalar", "many", "optional")  # functions and types


def subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def told(value: Any) -> str:
    """Return a value as text, the words of choices as a list; "" for a class and a function that takes something."""
    if callable(value) and not isinstance(value, type):
        value = list(value())
    plain = value is None or isinstance(value, (bool, int, float, str, tuple, list, Mapping))
    return repr(value).replace("mappingproxy", "") if plain else ""


def option_line(option: Option) -> str:
    own = {field.name: getattr(option, field.name) for field in fields(Option) if field.name not in LEFT_OUT}
    plain = Option("", default=None)
    facts = {name: value for name, value in own.items() if value != getattr(plain, name)}
    texts = (f"{name}={value if isinstance(value, str) else told(value)}" for name, value in facts.items())
    return ", ".join(texts)


SPECS = (  # encodings whose properties are recorded
    *("sinusoidal:d=8,base=100", "sinusoidal:d=6,family=tensor2tensor", "sinusoidal:d=8,family=timestep,step=3"),
    *("clock", "clock:periods=60,600", "geometric:d=8", "binary:d=3,values=pm1", "learned:d=4,rows=9", "relative:d=4"),
    *("rope:d=8,pairing=half", "rope:d=8,rotary_dim=4,dtype=float16", "rope:d=8,grid=2x3", "rope:d=8,sections=1,1,2"),
    *("rope:d=12,sections=2,2,2,interleaved=true", "rope:d=8,scaling=yarn,factor=4,original=16", "xpos:d=4"),
    *("rope:d=8,scaling=dynamic,factor=2,max_position=16,seq_len=64", "rope:d=8,max_position=16,window=8"),
    *("sincos2d:d=8,grid=2x3", "sincos2d:d=12,grid=2x3x4", "alibi:heads=3", "kerple", "t5", "t5:direction=causal"),
)


def property_lines() -> Iterator[str]:
    """Yield a line for each encoding: its plain properties, and how it writes a position and a length."""
    for spec in SPECS:
        encoding: Any = read_encoding(spec)
        names = sorted(name for name, _ in getmembers(type(encoding), lambda item: isinstance(item, property)))
        values = {name: getattr(encoding, name) for name in names if not name.startswith("_")}
        values = {name: float(f"{own:.9g}") if isinstance(own, float) else own for name, own in values.items()}
        facts = [f"{name}={value!r}" for name, value in values.items() if isinstance(value, (str, int, float, tuple))]
        written = [encoding.title(), encoding.position_text(61), encoding.length_text(61)]
        yield f"{spec}: {' '.join(facts)} {written}"


def array_lines() -> Iterator[str]:
    """Yield a line for each class of numbers: the dimensions of its arrays, and how they stand in tables."""
    for kind in subclasses(Numbers):
        arrays = [(each.name, *own) for each in fields(kind) for own in each.metadata.items()]
        texts = (f"{name} {how}{[*filter(None, over)]}" for name, how, over in arrays)
        yield f"{kind.__module__.removeprefix('pecli.')}.{kind.__name__}: {', '.join(texts)}"


def declared() -> str:
    """Return a line for each option, each fact of the classes that define them, each class of numbers and each size."""
    for module in walk_packages(pecli.__path__, "pecli."):
        import_module(module.name)  # so that every class is there
    lines = []
    for kind in {each for each in subclasses(Options) if each.__module__.startswith("pecli.")}:
        options, place = kind.options(), f"{kind.__module__.removeprefix('pecli.')}.{kind.__name__}"
        for name, annotation in get_annotations(kind).items():
            if name in options:
                lines.append(f"{place}.{name}: {option_line(options[name])}")
            elif "ClassVar" in str(annotation) and (text := told(kind.__dict__.get(name, str))):
                lines.append(f"{place}.{name} = {text}")
    venues = [f"{name}: {venue!r}" for name, venue in VENUES.items()]
    sizes = [f"{name}: {size!r}" for name, size in SIZES.items()]
    return "\n".join([*sorted(lines), *sorted({*array_lines()}), *property_lines(), *venues, *sizes]) + "\n"


def test_options_and_facts_of_classes_are_those_that_are_stored() -> None:
    stored = STORED.read_text(encoding="utf-8")
    assert declared().splitlines() == stored.splitlines()


if __name__ == "__main__":
    STORED.write_text(declared(), encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
