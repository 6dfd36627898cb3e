"""The report on runtimes: how each reads one config file, and how far its positions drift from the first runtime's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, cast

from pecli.core.language import say
from pecli.core.terminal import Block, Facts, Paragraph, TextTable
from pecli.encodings.rope import Rope
from pecli.files.documents import for_notebook
from pecli.models.options import ModelOptions
from pecli.models.reader import Model
from pecli.models.runtimes import RuntimeResult
from pecli.reports.layers import Layers, layers_data
from pecli.reports.model import finding_texts
from pecli.reports.same import ComparisonData, LayerComparison, comparison_data, comparison_text, comparisons

HOW = {"ran": "runtimes.ran", "read": "runtimes.read"}  # how a runtime's behaviour was found


class RuntimeData(TypedDict):
    """The --json output for one runtime.

    It has the layers, or the runtime's error, or the part of the file for which the runtime's behaviour is not known.
    """

    runtime: str
    version: str
    how: str
    layers: Layers | None
    error: str | None
    not_known: str | None
    why: list[str]
    comparison: ComparisonData | None


class RuntimesData(TypedDict):
    """The --json output for runtimes."""

    path: str
    runtimes: list[RuntimeData]


@dataclass(frozen=True)
class RuntimesReport:
    """The report on how runtimes read one config.json. It displays itself in a notebook.

    Attributes
    ----------
    path : the file
    found : the result of each runtime: a model, an error, or what pecli has not looked up
    """

    path: str
    found: tuple[RuntimeResult, ...]

    @property
    def data(self) -> dict[str, Any]:
        """The report as plain values, as ``pecli model --runtime all --json`` prints them."""
        return cast("dict[str, Any]", runtimes_data(self.path, self.found))

    @property
    def document(self) -> list[Block]:
        """The blocks to print."""
        return runtimes_text(self.path, self.found)

    @property
    def refused(self) -> bool:
        """Whether one of the runtimes cannot use the file."""
        return any(item.refused for item in self.found)

    def lines(self) -> list[str]:
        """Return the commands that draw the report; always empty."""
        return []

    def models_by_runtime(self) -> tuple[list[Model], list[str]]:
        """Return the models of the runtimes that can read the file, and the names of these runtimes."""
        found = [(item.model, item.runtime.name) for item in self.found if item.model]
        return [model for model, _ in found], [name for _, name in found]

    def __repr__(self) -> str:
        return f"<pecli model: {self.path}, {', '.join(item.runtime.label for item in self.found)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return for_notebook(self.document)


def differences_from_first(found: Sequence[RuntimeResult]) -> list[list[LayerComparison]]:
    """Return for each runtime its differences from the first one that can read the file.

    The list of the first runtime, and of a runtime with an error, is empty.
    """
    first = next((item.model for item in found if item.model), None)
    tolerance = ModelOptions.tolerance
    return [
        comparisons((first, item.model), tolerance) if first and item.model and item.model is not first else []
        for item in found
    ]


def runtimes_data(path: str, found: Sequence[RuntimeResult]) -> RuntimesData:
    """Return the report as plain values: for each runtime, its layers, an error, or what is unknown."""
    each: list[RuntimeData] = []
    for item, differences in zip(found, differences_from_first(found), strict=True):
        model = item.model
        data: RuntimeData = {
            "runtime": item.runtime.name,
            "version": item.runtime.label,
            "how": item.how,
            "layers": layers_data(model.layers) if model else None,
            "error": item.error or None,
            "not_known": item.unknown or item.trouble or None,
            "why": list(item.why),
            "comparison": comparison_data(differences) if differences else None,
        }
        each.append(data)
    return {"path": path, "runtimes": each}


def runtimes_text(path: str, found: Sequence[RuntimeResult]) -> list[Block]:
    """Return the blocks to print: one row per runtime, how and why each differs from the first, then findings.

    The findings are the errors and warnings on the file as the first runtime reads it.
    """
    names = [item.runtime.label for item in found]
    differences = differences_from_first(found)
    first = next((name for name, item in zip(names, found, strict=True) if item.model), "")
    shown: list[Block] = [Paragraph(path, heading=True)]
    header = ["", say("words.encoding"), say("runtimes.how")]
    rows = [[item.runtime.label, _text(item), "" if item.unknown else say(HOW[item.how])] for item in found]
    shown.append(TextTable(header, rows))
    for name, item, each in zip(names, found, differences, strict=True):
        why = {say("runtimes.why"): "; ".join(item.why)} if item.why else {}
        differs = any(not one.same for one in each)
        if not (why or differs):
            continue
        shown += [Paragraph(), Paragraph(name, heading=True), *([Facts(why)] if why else [])]
        shown += comparison_text(each, (first, name)) if differs else []
    read = next((item.model for item in found if item.model), None)
    told = finding_texts(read, ("error", "warning")) if read else []
    return [*shown, *([Paragraph()] if told else []), *told]


def _text(item: RuntimeResult) -> str:
    """Return the encoding that a runtime applies, as the text of one cell."""
    if item.error:
        return say("runtimes.fails", error=item.error)
    if item.model is None:
        return say("runtimes.not_looked_up", what=item.unknown) if item.unknown else item.trouble
    lines = []
    for name, layer in item.model.layers.items():
        rope = layer.encoding
        text = layer.kind
        if isinstance(rope, Rope):
            text = say("model.rope_base_pairs", base=rope.scaled_base, count=rope.width // 2)
            text += f", {rope.scaling}" * (rope.scaling != "default")
            text += f", × {rope.attention_scaling:.7g}" * (rope.attention_scaling != 1)
        lines.append(text if len(item.model.layers) == 1 else f"{name.replace('_', ' ')}: {text}")
    return "\n".join(lines)
