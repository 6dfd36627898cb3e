"""What a model's config.json does to its position encoding, layer kind by layer kind, and what is wrong in the file."""

from __future__ import annotations

import shlex
from math import isfinite
from typing import Any

from pecli.core.language import listing, phrase, template, templates
from pecli.core.terminal import Block, Facts, Paragraph
from pecli.encodings.base import BiasEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.registry import Encoding, find_encoding
from pecli.encodings.rope import Rope
from pecli.measures.waves import critical_dimension, first_negative_offset, longer_than
from pecli.models.reader import Layer, Model

SEARCHED = 1 << 24  # cosines that are added up to look for a negative sum, at most
PAIRINGS = templates(
    {
        "half": "{width} of {all} dimensions, half pairs",
        "interleaved": "{width} of {all} dimensions, interleaved pairs",
    }
)
PARTS = templates({"kept": "{count} kept", "between": "{count} between", "divided": "{count} divided"})
LEVELS = {"error": "bold red", "warning": "yellow", "note": ""}


def model_data(model: Model) -> dict[str, Any]:
    """All of it as plain values: "layers" by kind and "findings"."""
    findings = [{"key": f.key, "value": _finite(f.value), "level": f.level, "text": f.text} for f in model.findings]
    layers = {name: layer_data(layer) for name, layer in model.layers.items()}
    return {"architecture": model.architecture, "layers": layers, "findings": findings}


def _finite(value: Any) -> Any:
    """A value out of a file, where a number that JSON does not have is text."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def layer_data(layer: Layer) -> dict[str, Any]:
    """One kind of layers as plain values; null where the file does not say or nothing can be built."""
    encoding = encoding_of(layer)
    data: dict[str, Any] = {"kind": layer.kind, "spec": encoding.spec() if encoding else None}
    if isinstance(encoding, Rope):
        data |= _rope_data(encoding, layer)
    elif layer.length is not None and layer.parameters is not None:
        data |= {"length": layer.length, "width": layer.parameters["d"]}
    elif encoding is not None:
        data |= {name: value for name, value in encoding.settings().items() if value is not None}
        data |= {"slopes": encoding.slopes().tolist()} if hasattr(encoding, "slopes") else {}
    return {**data, "max_position": layer.max_position, "layer_indices": list(layer.indices)}


def encoding_of(layer: Layer) -> Encoding | None:
    """The encoding of a kind of layers, where there is one."""
    if layer.name is None or layer.parameters is None:
        return None
    return find_encoding(layer.name).make(layer.parameters)


def _rope_data(rope: Rope, layer: Layer) -> dict[str, Any]:
    original, longest, extended = layer.original, layer.max_position, extended_context(rope, layer)
    waves = rope.wavelengths()
    return {
        "head_dim": rope.d,
        "rotary_dim": rope.width,
        "pairing": rope.pairing,
        "base": rope.base,
        "scaling": rope.scaling,
        "inv_freq": rope.frequencies().tolist(),
        "attention_factor": rope.attention_scaling,
        "score_factor": rope.attention_scaling**2,
        "original": original,
        "longest_wavelength": float(waves.max()) if waves.max() < float("inf") else None,
        "longer_than_original": None if original is None else longer_than(rope, original),
        "longer_than_max_position": None if longest is None else longer_than(rope, longest),
        "scaled_context": int(scaled) if (scaled := rope.contexts().get("scaled")) else None,
        "extended": extended,
        "longer_than_extended": None if extended is None else longer_than(rope, extended),
        "pairs": rope.parts(),
        "critical_dimension": None if original is None else critical_dimension(rope, original),
        "first_negative_offset": first_negative_offset(rope, _searched(rope, layer)),
    }


def extended_context(rope: Rope, layer: Layer) -> int | None:
    """The positions that the model is served with: the file's length or factor × original, whichever is larger."""
    known = [layer.max_position or 0, int(rope.contexts().get("scaled", 0))]
    return max(known) or None


def _searched(rope: Rope, layer: Layer) -> int:
    """The offsets in which a negative sum of cosines is looked for: twice the context, or as many as take a moment."""
    most = 2 * SEARCHED // rope.width
    context = extended_context(rope, layer) or layer.original
    return most if context is None else min(most, 2 * context)


def model_text(model: Model) -> list[Block]:
    """What to print: facts of each kind of layers, then the findings."""
    shown: list[Block] = [Paragraph(f"{model.path}: {model.architecture}")]
    for name, layer in model.layers.items():
        shown += [Paragraph(), Paragraph(name.replace("_", " "), heading=True), Facts(_facts(layer))]
    found = [Paragraph(one.line(), style=LEVELS[one.level]) for one in model.findings]
    return [*shown, Paragraph(), *(found or [Paragraph(phrase("nothing in the file is wrong or odd"))])]


def _facts(layer: Layer) -> dict[str, str]:
    """The facts of one kind of layers in words."""
    encoding, data = encoding_of(layer), layer_data(layer)
    facts = {phrase("layers"): runs(layer.indices) or phrase("the file does not say which")}
    why = phrase("{kind}, and it cannot be built: {trouble}", kind=layer.kind, trouble=layer.trouble)
    facts[phrase("encoding")] = why if layer.trouble else layer.kind
    if isinstance(encoding, Rope):
        facts |= _rope_facts(encoding, data, _searched(encoding, layer))
    elif "length" in data:
        size = {"rows": data["length"], "columns": data["width"]}
        facts[phrase("table")] = phrase("{rows:,} positions × {columns:,} columns", **size)
    elif "slopes" in data:
        facts[phrase("slopes")] = listing(f"{slope:.4g}" for slope in data["slopes"])
    if layer.max_position is not None and "length" not in data:
        scaled = data.get("scaled_context")
        text = phrase("{count:,} positions", count=layer.max_position)
        if scaled not in (None, layer.max_position):
            both = template("{count:,} positions by the file's length, {scaled:,} by factor × original")
            text = phrase(both, count=layer.max_position, scaled=scaled)
        facts[phrase("context")] = text
    return facts


def _rope_facts(rope: Rope, data: dict[str, Any], searched: int) -> dict[str, str]:
    """The facts of a rope in words, without those that are not known."""
    pairs, factor, wave = rope.width // 2, rope.attention_scaling, data["longest_wavelength"]
    original, extended = data["longer_than_original"], data["longer_than_extended"]
    critical, length, negative = data["critical_dimension"], data["original"], data["first_negative_offset"]
    longer = [
        "" if original is None else phrase("{count} of {all} than the original context", count=original, all=pairs),
        "" if extended is None else phrase("{count} of {all} than the extended context", count=extended, all=pairs),
    ]
    facts = {
        phrase("rotary"): phrase(PAIRINGS[rope.pairing], width=rope.width, all=rope.d),
        phrase("base"): f"{rope.base:,.10g}",
        phrase("scaling"): rope.scaling,
        phrase("original context"): _positions(length),
        phrase("pairs"): listing(phrase(PARTS[what], count=count) for what, count in data["pairs"].items()),
        phrase("longest wavelength"): _positions(wave) or phrase("some pairs stand still"),
        phrase("longer pairs"): listing(longer),
        phrase("attention factor"): phrase("{factor:.7g}: scores times {square:.7g}", factor=factor, square=factor**2),
        phrase("critical dimension"): (
            phrase("{count} at {length:,} positions", count=critical, length=length) if critical else ""
        ),
        phrase("first Σ cos < 0"): (
            phrase("none up to offset {searched:,}", searched=searched)
            if negative is None
            else phrase("at offset {offset:,}", offset=negative)
        ),
    }
    return {name: fact for name, fact in facts.items() if fact}


def _positions(count: float | None) -> str:
    """A number of positions, where it is known."""
    return "" if count is None else phrase("{count:,.0f} positions", count=count)


def lines_to_type(model: Model) -> list[str]:
    """The lines that draw each kind of layers, from the numbers alone."""
    figures: dict[str, str] = {}
    for encoding in filter(None, map(encoding_of, model.layers.values())):
        distance = "bias" if isinstance(encoding, BiasEncoding) else "distance"
        figures[encoding.spec()] = "spectrum" if isinstance(encoding, Harmonic) else distance
    return [f"pecli {figure} -e {shlex.quote(spec)}" for spec, figure in figures.items()]


def runs(numbers: tuple[int, ...]) -> str:
    """Whole numbers in order as runs: 0-4, 6, 8-9, and how many they are."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    text = listing(
        str(low) if low == high else phrase("{first} to {last}", first=low, last=high) for low, high in parts
    )
    return phrase("{count}: {runs}", count=len(numbers), runs=text) if numbers else ""
