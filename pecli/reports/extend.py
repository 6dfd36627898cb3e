"""How a model could read longer texts: what each method changes, and what to type for each runtime."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from typing import Any

from pecli.core.errors import FileError, UsageError
from pecli.core.language import listing, say
from pecli.core.numbers import number_text
from pecli.core.terminal import Block, Facts, Paragraph, TextTable
from pecli.encodings.rope import Rope
from pecli.files.documents import for_notebook
from pecli.measures.extension import Extension, extensions
from pecli.models.asked import ExtendOptions
from pecli.models.reader import Layer, Model, read_model
from pecli.reports.extension_lines import NAMES, Line, lines_of
from pecli.reports.layers import runs


@dataclass(frozen=True)
class ExtendReport:
    """The ways to make one kind of layers read `length` positions; it shows itself in a notebook.

    Attributes
    ----------
    model : what was read
    kind : the layers that are extended
    trained, length : positions of the training, and those that are wanted
    found : what each method does, the rope without one first
    method : whose lines are told
    """

    model: Model
    kind: str
    trained: int
    length: int
    found: tuple[Extension, ...]
    method: str

    @property
    def chosen(self) -> Extension:
        """The method whose lines are told."""
        return next(item for item in self.found if item.method == self.method)

    @property
    def typed(self) -> list[Line]:
        """What to type for each runtime."""
        return lines_of(self.model.path, self.chosen, self.length)

    @property
    def data(self) -> dict[str, Any]:
        """The same as plain values, as ``pecli extend --json`` prints them."""
        methods = {}
        for item in self.found:
            rope = item.rope
            unchanged, blended, scaled = item.parts
            methods[item.method] = {
                "spec": rope.spec(),
                "base": rope.scaled_base,
                "factor": rope.factor,
                "pairs": {"unchanged": unchanged, "blended": blended, "scaled": scaled},
                "pairs_with_new_angles": item.new,
                "first_negative_offset": item.holds,
                "searched_offsets": item.searched,
                "attention_factor": rope.attention_scaling,
                "inv_freq": rope.frequencies().tolist(),
            }
        return {
            "path": self.model.path,
            "architecture": self.model.architecture,
            "layers": self.kind,
            "trained": self.trained,
            "to": self.length,
            "methods": methods,
            "method": self.method,
            "lines": [asdict(line) for line in self.typed],
        }

    @property
    def document(self) -> list[Block]:
        """The table of methods, and what is known to go wrong, to print."""
        rope, layer = self.found[0].rope, self.model.layers[self.kind]
        growth = number_text(self.length / self.trained, 4)
        first = say("extend.first", path=self.model.path, trained=self.trained, length=self.length, growth=growth)
        known = {
            say("model.layers"): listing(filter(None, [self.kind.replace("_", " "), runs(layer.indices)])),
            say("words.encoding"): say("model.rope_base_pairs", base=rope.base, count=rope.width // 2),
        }
        notes = {say(NAMES[item.method]): note for item in self.found if (note := _note(item))}
        return [
            Paragraph(first),
            Facts(known),
            TextTable([say(key) for key in HEADER], [_row(item) for item in self.found], numbers=True),
            Facts(notes),
            Paragraph(),
            Paragraph(say("extend.lines", method=say(NAMES[self.method])), heading=True),
        ]

    def lines(self) -> list[str]:
        """Return what to type, a comment on the runtime before each line."""
        lines = []
        for line in self.typed:
            lines += [f"# {listing(filter(None, [line.runtime, line.remark]))}", *([line.text] if line.text else [])]
        specs = [shlex.quote(item.rope.spec()) for item in (self.found[0], self.chosen)]
        drawn = f"pecli unseen {' '.join(specs)} --trained {self.trained} -n {self.length}"
        return [*lines, f"# {say('extend.picture')}", drawn]

    def __repr__(self) -> str:
        return f"<pecli extend: {self.model.path}, {self.trained:,} to {self.length:,} positions>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return for_notebook([*self.document, *map(Paragraph, self.lines())])


NOTES = {
    "linear": "extend.note_linear",
    "ntk": "extend.note_ntk",
    "dynamic": "extend.note_dynamic",
    "yarn": "extend.note_yarn",
    "longrope": "extend.note_longrope",
    "base": "extend.note_base",
}
HEADER = ("extend.method", "extend.base_of", "extend.parts", "extend.new_angles", "extend.holds", "extend.factor")


def _row(item: Extension) -> tuple[str, ...]:
    """Return the cells of one method."""
    holds = f"≥ {item.searched:,}" if item.holds is None else f"{item.holds:,}"
    return (
        say(NAMES[item.method]),
        f"{item.rope.scaled_base:,.0f}",
        " · ".join(map(str, item.parts)),
        str(item.new),
        holds,
        f"{item.rope.attention_scaling:.4g}",
    )


def _note(item: Extension) -> str:
    """Return what is known to go wrong with a method; nothing of the rope as it is."""
    return say(NOTES[item.method]) if item.method in NOTES else ""


def extend(
    path: str,
    length: int | None,
    trained: int | None = None,
    base: float | None = None,
    method: str = ExtendOptions.method,
) -> ExtendReport:
    """Return the ways to make the model of a file read `length` positions.

    Raises
    ------
    FileError : as `read_model` does
    UsageError : no length, no rope that sees all positions, or a file that does not say its context
    """
    if length is None:
        raise UsageError(
            "pecli extend needs the number of positions that the model is to read, such as --to 131072", option="to"
        )
    model = read_model(path, None)
    kind, layer = _extended_layer(model)
    rope = layer.encoding
    assert isinstance(rope, Rope)
    known = trained or rope.contexts()[0] or layer.max_position
    if known is None:
        text = "the file does not say how many positions the model was trained on"
        raise UsageError(text, option="trained", advice="give it with --trained")
    found = tuple(extensions(rope, known, length, base))
    if method not in {item.method for item in found}:
        text = f"{method} is not a method for this file"
        raise UsageError(text, option="method", value=method, allowed=", ".join(item.method for item in found[1:]))
    return ExtendReport(model, kind, known, length, found, method)


def _extended_layer(model: Model) -> tuple[str, Layer]:
    """Return the first kind of layers that turns by position and sees all positions."""
    ropes = {kind: layer for kind, layer in model.layers.items() if isinstance(layer.encoding, Rope)}
    if not ropes:
        raise FileError(f"{model.path} has no layers with rope, so there are no rates to change")
    for kind, layer in ropes.items():
        if layer.window is None or layer.window.indices != layer.indices:
            return kind, layer
    raise FileError(
        f"every layer of {model.path} with rope looks back over a window only, so there is nothing to extend"
    )
