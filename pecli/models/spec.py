"""The text form of an encoding: ``sinusoidal:base=10,d=64``, or ``path[#kind of layer or tower][:parameter=value,…]``.

The path is that of a model's config.json, which becomes the plain text of its encoding.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from itertools import product
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pecli.core.errors import UnknownNameError, UsageError, notice, shorten
from pecli.core.lazy import Array
from pecli.core.options import Option, canonical_name, default_values, with_canonical_names
from pecli.core.readable import resolve_path
from pecli.encodings.base import Encoding, TableEncoding
from pecli.encodings.learned import Learned
from pecli.encodings.registry import ENCODINGS, PLUGINS, all_encodings, find_encoding, table_advice
from pecli.files.tables import hold
from pecli.models.config_file import ENDINGS, place

if TYPE_CHECKING:  # most texts are no config's: what reads those takes as long to load as a small picture to compute
    from pecli.models.reader import Layer, Model

CONFIG_SPEC = re.compile(r"(?P<path>.+?)(?:#(?P<kind>[\w-]+))?(?::(?P<text>[A-Za-z_-]+=.*))?", re.DOTALL)
OTHER_LAYERS = "{path} has layers of other kinds too: {kinds}; {chosen} is taken, name another as {path}#{other}"


class HasArray(Protocol):
    """What numpy makes an array of: its own, one of torch on the CPU, a data frame."""

    def __array__(self) -> Array: ...


Spec = str | HasArray  # what names an encoding: its text, or a table, rows for positions


def read_encoding(
    spec: Spec, given: Mapping[str, Any] | None = None, defaults: Mapping[str, Any] | None = None
) -> Encoding:
    """Return an encoding from its text; what is `given` wins over the text, both over the `defaults`.

    ``name`` or ``name:parameter=value,…``; a comma that no ``parameter=`` follows belongs to the value
    (``clock:periods=60,3600``), and so does one after a backslash. Or the path of a model's config.json.
    """
    spec = spec_of(spec)  # kept to the end, as an array is
    kind, written = parse_encoding(spec)
    own = with_canonical_names(kind.options(), given or {})
    return kind.make({**default_values(kind.options(), defaults or {}), **written, **own})


def read_table_encoding(spec: Spec, given: Mapping[str, Any] | None = None) -> TableEncoding:
    """Return the same of an encoding that has a table; raises UsageError for others."""
    made = read_encoding(spec, given)
    if not isinstance(made, TableEncoding):
        raise UsageError(f"{made.name} has no table: it is {made.kind}")
    return made


def encoding_of(spec: Spec) -> type[Encoding]:
    """Return the class that the text of an encoding names."""
    return _parts(spec_of(spec))[0]


def spec_of(encoding: Any) -> str:
    """Return the text of an encoding that is one already, text, or a table; raises UsageError for what is none.

    A table is what numpy makes an array of: it is a `Learned`.
    """
    if isinstance(encoding, (str, os.PathLike)):
        return os.fspath(encoding)
    if isinstance(encoding, Encoding):
        if all_encodings().get(encoding.name) is type(encoding):
            return encoding.spec(dict.fromkeys(encoding.settings()))  # whatever else is the default where it is read
        text = f"{type(encoding).__name__} is no encoding that is found by its name, {encoding.name}"
        raise UsageError(text, option="encoding", value=encoding, advice=f"its package names it under {PLUGINS}")
    if hasattr(encoding, "__array__") and not isinstance(encoding, Real):  # as numpy's single numbers are
        return hold(encoding, f"{Learned.name}:file={{}}")
    item = "an encoding is text such as 'sinusoidal:base=10', or an array of two dimensions"
    raise UsageError(f"{item}, not {shorten(repr(encoding))}", option="encoding", value=encoding)


def parse_encoding(spec: Spec) -> tuple[type[Encoding], dict[str, str]]:
    """Return the class that the text of an encoding names, and the parameters written there, not yet read.

    Both come out of a model's config.json where the text names one.
    """
    kind, _, told, written = _parts(spec_of(spec))
    for name in [name for name, texts in written.items() if len(texts) > 1]:
        raise UsageError(f"encoding '{spec}' gives {name} twice", option="encoding", value=spec)
    return kind, told | {name: text for name, (text,) in written.items()}


def spread_spec(spec: str, given: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """Return the texts of the encodings that one asks for: each value of a range, and of a parameter given repeatedly.

    given : values of parameters that take the place of those written
    """
    kind, head, _, written = _parts(spec)
    written |= {name: list(texts) for name, texts in (given or {}).items()}
    one = {name: item for name, item in kind.options().items() if not item.many}
    values = {
        n: [v for text in texts for v in (one[n].spread(text) if n in one else [text])] for n, texts in written.items()
    }
    if not given and all(len(texts) == 1 for texts in values.values()):
        return [spec]
    made = []
    for each in product(*values.values()):
        texts = (text.replace(",", r"\,") if name in one else text for name, text in zip(values, each, strict=True))
        made.append(f"{head}:{','.join(map('='.join, zip(values, texts, strict=True)))}")
    return made


def _parts(spec: str) -> tuple[type[Encoding], str, dict[str, str], dict[str, list[str]]]:
    """Return the class, what stands before parameters, those of a config, and the texts of those that are written."""
    name, _, text = spec.partition(":")
    config = None if name.strip() in ENCODINGS else config_words(spec, all_encodings())  # plugins load only if needed
    if config is not None:
        path, layers, text = config
        kind, told = parse_encoding(config_spec(resolve_path(path), layers))
        return kind, path + (f"#{layers}" if layers else ""), told, _parameters(spec, text, kind.options())
    kind = find_encoding(name.strip())
    return kind, name, {}, _parameters(spec, text, kind.options())


def _parameters(spec: str, text: str, known: Mapping[str, Option]) -> dict[str, list[str]]:
    parameters: dict[str, list[str]] = {}
    last = ""
    for escaped in re.split(r"(?<!\\),", text) if text else []:
        piece = escaped.replace("\\,", ",")
        key, equals, value = piece.partition("=")
        if equals:
            last = canonical_name(known, key.strip())
            parameters.setdefault(last, []).append(value.strip())
        elif last:
            parameters[last][-1] += "," + piece
        else:
            text = f"encoding '{spec}' is not of the form name:parameter=value,…"
            advice = table_advice(piece) or "try sinusoidal:base=10"
            raise UsageError(text, option="encoding", value=spec, advice=advice)
    return parameters


def config_words(spec: str, known: Container[str]) -> tuple[str, str | None, str] | None:
    """Return path, kind of layer and parameters, where a spec names a config rather than one of the known encodings."""
    match = CONFIG_SPEC.fullmatch(spec)
    if match is None or spec.partition(":")[0].strip() in known:
        return None
    path = match["path"]
    apart = path.endswith(ENDINGS) or "/" in path or os.sep in path
    folder = Path(resolve_path(path))
    isfolder = os.path.isdir(folder) and os.path.isfile(place(folder))
    return (path, match["kind"], match["text"] or "") if apart or isfolder else None


def config_spec(path: str, kind: str | None) -> str:
    """Return the plain spec of the layers of that kind, else of the full ones; raises UsageError for what is wrong."""
    try:
        changed = place(Path(path)).stat().st_mtime_ns
    except (OSError, ValueError):
        changed = 0  # what is wrong reading it says
    return _spec(path, kind, changed)


@lru_cache(maxsize=64)
def _spec(path: str, kind: str | None, changed: int) -> str:
    """Return the spec; tells of other layers, once for a file that does not change."""
    from pecli.models.reader import read_model

    model = read_model(path)
    name, layer = _chosen(model, kind)
    if layer.encoding is None:
        text = layer.trouble or f"its layers have no position encoding that can be drawn ({layer.kind})"
        raise UsageError(f"{path}: {text}; pecli model {path} tells more")
    others = [other for other in model.layers if other != name] if kind is None else []
    if others:
        notice(OTHER_LAYERS.format(path=path, kinds=", ".join(others), chosen=name, other=others[0]))
    return spec_of(layer.encoding)  # with d, of which a figure may have its default


def _chosen(model: Model, kind: str | None) -> tuple[str, Layer]:
    from pecli.models.layers import FULL
    from pecli.models.reader import ALL

    if kind is not None and kind in model.towers:
        return _chosen(model.towers[kind], None)
    if kind is not None:
        if kind not in model.layers:
            raise UnknownNameError(f"kind of layer in {model.path}", kind, [*model.layers, *model.towers])
        return kind, model.layers[kind]
    drawn = [name for name, layer in model.layers.items() if layer.parameters is not None]
    name = next(
        item for item in (ALL, FULL, *drawn, *model.layers) if item in model.layers and (item in drawn or not drawn)
    )
    return name, model.layers[name]
