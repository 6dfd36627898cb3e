"""The report extend: what each method changes to extend a model's context, and the commands for each runtime."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

from pecli.core.errors import FileError, UsageError
from pecli.core.language import enumerated, listing, say
from pecli.core.numbers import ROUNDING, number_text
from pecli.core.terminal import Block, Facts, Paragraph, TextTable
from pecli.encodings.rope import Rope
from pecli.files.documents import for_notebook
from pecli.measures.extension import Extension, extensions
from pecli.models.options import ExtendOptions
from pecli.models.reader import Layer, Model, read_model
from pecli.models.runtimes import without_window
from pecli.reports.extension_lines import NAMES, Line, runtime_lines
from pecli.reports.layers import counted_ranges


class MethodData(TypedDict):
    """The --json output for one method.

    first_negative_offset : first offset at which the sum of cosines is negative; null if there is none among the first
      `searched_offsets`
    """

    spec: str
    base: float
    factor: float | None
    pairs: dict[str, int]
    pairs_with_new_angles: int
    first_negative_offset: int | None
    searched_offsets: int
    attention_factor: float
    inv_freq: list[float]


class ExtendData(TypedDict):
    """The --json output of `pecli extend`."""

    path: str
    architecture: str
    layers: str
    trained: int
    to: int
    methods: dict[str, MethodData]
    method: str
    lines: list[Line]


@dataclass(frozen=True)
class ExtendReport:
    """The methods to extend one kind of layer to `length` positions. It displays itself in a notebook.

    Attributes
    ----------
    model : the model
    kind : the kind of layer that is extended
    trained, length : number of positions in training, and after the extension
    found : result of each method, the unchanged RoPE first
    method : method for which commands are printed
    """

    model: Model
    kind: str
    trained: int
    length: int
    found: tuple[Extension, ...]
    method: str

    @property
    def chosen(self) -> Extension:
        """The result of the chosen method."""
        return next(item for item in self.found if item.method == self.method)

    @property
    def typed(self) -> list[Line]:
        """The commands or config keys for each runtime."""
        return runtime_lines(self.model.path, self.chosen, self.length)

    @property
    def data(self) -> dict[str, Any]:
        """The report as plain values, as ``pecli extend --json`` prints them."""
        methods: dict[str, MethodData] = {}
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
        data: ExtendData = {
            "path": self.model.path,
            "architecture": self.model.architecture,
            "layers": self.kind,
            "trained": self.trained,
            "to": self.length,
            "methods": methods,
            "method": self.method,
            "lines": self.typed,
        }
        return {**data, "lines": [asdict(line) for line in data["lines"]]}

    @property
    def document(self) -> list[Block]:
        """The blocks to print: a table of the methods, and notes on their known drawbacks."""
        rope, layer = self.found[0].rope, self.model.layers[self.kind]
        growth = number_text(self.length / self.trained, 4)
        first = say("extend.first", path=self.model.path, trained=self.trained, length=self.length, growth=growth)
        known = {
            say("model.layers"): listing(filter(None, [self.kind.replace("_", " "), counted_ranges(layer.indices)])),
            say("words.encoding"): say("model.rope_base_pairs", base=rope.base, count=rope.width // 2),
        }
        notes = {say(NAMES[item.method]): note for item in self.found if (note := _note(item))}
        replaced = [Paragraph(), Paragraph(self._replaced)] if self._replaced else []
        return [
            Paragraph(first),
            Facts(known),
            TextTable([say(key) for key in HEADER], [_row(item) for item in self.found], numbers=True),
            Facts(notes),
            *replaced,
            Paragraph(),
            Paragraph(say("extend.lines", method=say(NAMES[self.method])), heading=True),
        ]

    @property
    def _replaced(self) -> str:
        """A sentence which says that the methods replace the file's scaling; "" if the file has none.

        The sentence also warns if the factor in the file is larger than the growth asked for.
        """
        own = next((item.rope for item in self.found if item.method == "file"), None)
        if own is None or own.factor is None:
            return ""
        growth = self.length / self.trained
        text = "extend.replaces_larger" if own.factor > growth * (1 + ROUNDING) else "extend.replaces"
        return say(text, scaling=own.scaling, factor=own.factor, growth=number_text(growth, 4), trained=self.trained)

    def lines(self) -> list[str]:
        """Return the commands, each after a comment that names the runtime."""
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


WIDE = 1e12  # larger bases are written as powers of ten
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
    """Return one method's row of the table."""
    holds = f"≥ {item.searched:,}" if item.holds is None else f"{item.holds:,}"
    base = item.rope.scaled_base
    return (
        say(NAMES[item.method]),
        f"{base:,.0f}" if base < WIDE else number_text(base),
        " · ".join(map(str, item.parts)),
        str(item.new),
        holds,
        f"{item.rope.attention_scaling:.4g}",
    )


def _note(item: Extension) -> str:
    """Return a note on the known drawbacks of a method; "" for the unchanged RoPE."""
    return say(NOTES[item.method]) if item.method in NOTES else ""


def extend(
    path: str,
    length: int | None,
    trained: int | None = None,
    base: float | None = None,
    method: str = ExtendOptions.method,
) -> ExtendReport:
    """Return the report on extending the model of a file to `length` positions.

    trained : number of positions in training; by default from the file
    base : the new base for the method "base"; by default from a formula
    method : the method for which commands are printed

    Raises
    ------
    FileError : as for `read_model`, or no layer has RoPE without an attention window
    UsageError : no length is given, the file does not have its context, or the method cannot be used for this file
    """
    if length is None:
        raise UsageError(
            "pecli extend needs the number of positions that the model is to read, such as --to 131072", option="to"
        )
    model = read_model(path, None)
    kind, layer = _extended_layer(model, trained)
    rope = layer.encoding
    assert isinstance(rope, Rope)
    known = trained or rope.contexts()[0]
    if known is None and layer.max_position and rope.factor not in (None, 1):
        text = f"{path} scales with {rope.scaling}, factor {rope.factor:g}, but does not say whether its context of "
        either = f"{text}{layer.max_position:,} positions is the one before or after that scaling"
        before = int(layer.max_position / rope.factor)
        advice = (
            f"give --trained {layer.max_position} if it is the one before, --trained {before} if it is the one after"
        )
        raise UsageError(either, option="trained", advice=advice)
    known = known or layer.max_position
    if known is None:
        text = "the file does not say how many positions the model was trained on"
        raise UsageError(text, option="trained", advice="give it with --trained")
    found = tuple(extensions(rope, known, length, base))
    if method not in {item.method for item in found}:
        text = f"{method} cannot extend this file"
        raise UsageError(text, option="method", value=method, allowed=", ".join(item.method for item in found[1:]))
    return ExtendReport(model, kind, known, length, found, method)


def _extended_layer(model: Model, trained: int | None) -> tuple[str, Layer]:
    """Return the first kind of layer that has RoPE and, in at least one layer, sees farther than in training.

    trained : number of positions in training; by default the context in the file

    Raises FileError if there is none.
    """
    ropes = {kind: layer for kind, layer in model.layers.items() if isinstance(layer.encoding, Rope)}
    troubled = (layer.trouble for layer in model.layers.values() if layer.kind == "rope" and layer.trouble)
    if not ropes and (trouble := next(troubled, "")):
        raise FileError(f"{model.path}: {trouble}; see pecli model {model.path}")
    if not ropes:
        raise FileError(f"{model.path} has no layers with RoPE, so there are no rates to change")
    for kind, layer in ropes.items():
        window, known = layer.window, trained or layer.max_position
        if window is None or window.indices != layer.indices or (known and window.length > known):
            return kind, layer
    text = f"every RoPE layer of {model.path} has an attention window, so there is nothing to extend"
    if names := without_window(model.architecture):
        text += f"; {enumerated(names)} do not read the window, so every layer sees all positions there"
        raise FileError(text, advice=f"see pecli model {model.path} --runtime all")
    raise FileError(text)
