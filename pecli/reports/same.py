"""Comparison of two models: whether they apply the same encoding in each layer, and how far positions drift apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, TypedDict

from pecli.core.language import listing, say
from pecli.core.lazy import Array, np
from pecli.core.terminal import Block, Facts, Paragraph, TextTable
from pecli.encodings.rope import Rope
from pecli.measures.drift import drift
from pecli.models.reader import ALL, Layer, Model
from pecli.reports.layers import counted_ranges, layer_data

LENGTHS = (1024, 8192, 32768)  # offsets at which drift is reported besides the models' own contexts
RATES = ("inv_freq", "rates", "slopes")  # keys of lists with one number per pair or head
FACTS = {  # keys of layer_data that must be equal, and their labels
    "kind": "words.encoding",
    "rotary_dim": "same.rotary_dim",
    "head_dim": "same.head_dim",
    "axes": "model.turned_by",
    "axis_lengths": "same.axis_lengths",
    "mrope_section": "model.m_rope",
    "mrope_interleaved": "model.m_rope",
    "attention_factor": "model.attention_factor",
    "softmax_factor": "same.softmax_factor",
    "temperature": "model.temperature",
    "dual_chunk": "same.dual_chunk",
    "grid": "same.grid",
    "grid_start": "same.grid",
    "grid_step": "same.grid",
    "width": "same.width",
    "length": "model.table",
    "rows_before": "same.rows_before",
    "buckets": "model.buckets",
    "max_distance": "model.buckets",
    "bidirectional": "model.buckets",
    "attention_window": "model.attention_window",
    "attention_window_ahead": "same.window_ahead",
    "attention_window_each": "same.window_each",
    "original": "same.original",
    "extended": "same.extended",
    "max_position": "model.context",
}
SETTINGS = {"base": "model.base", "scaling": "model.scaling", "factor": "same.factor"}  # told if rates differ
WHERE_SAID = ("original", "extended", "max_position", "axis_lengths")  # compared only if both files have them


@dataclass(frozen=True)
class LayerComparison:
    """The differences between corresponding layers of two models.

    layers : kind of the layers in each model
    indices : indices of the layers, if both files have them
    seq_len : current sequence length at which rates were compared, in positions; None for that of the files
    share : largest relative difference of a rate or slope; None if the models have different numbers of them, or if
        their encodings are of different kinds
    first, count : first pair whose rates differ by more than the tolerance, and the number of such pairs
    differing : values of the facts that differ, by key of `layer_data`; if rates differ, also those of SETTINGS
    pairing : the pairings of both models if they differ
    pairs : number of pairs or heads
    drift : mean over pairs of cos(p (ω − ω′)) by offset p; {} without pairs to compare
    trouble : why the layers cannot be compared
    """

    layers: tuple[str, str]
    indices: tuple[int, ...] = ()
    seq_len: int | None = None
    share: float | None = 0.0
    first: int | None = None
    count: int = 0
    differing: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    pairing: tuple[str, str] | None = None
    pairs: int = 0
    drift: Mapping[int, float] = field(default_factory=dict)
    trouble: str = ""

    @property
    def same(self) -> bool:
        """Whether the encodings are equal, up to a permutation of columns that reordered weights undo."""
        return not (self.trouble or self.differing) and self.first is None and self.share is not None


def comparisons(models: Sequence[Model], tolerance: float) -> list[LayerComparison]:
    """Return the comparisons of all corresponding layers of two models."""
    one, other = models
    found = []
    for kinds, indices in _corresponding_layers(one, other):
        each = [_layer_at(model, kind, indices) for model, kind in zip(models, kinds, strict=True)]
        if each[0] is None or each[1] is None:
            found.append(LayerComparison(kinds, indices, trouble=say("same.no_such_layers")))
        else:
            found += [replace(item, layers=kinds, indices=indices) for item in _at_lengths(each[0], each[1], tolerance)]
    return found


def _layer_at(model: Model, kind: str, indices: tuple[int, ...]) -> Layer | None:
    """Return the layer of this kind; without its attention window if the layers with these indices have none."""
    layer = model.layers.get(kind)
    if layer is None or layer.window is None or not indices or indices[0] in layer.window.indices:
        return layer
    return replace(layer, window=None)


def _corresponding_layers(one: Model, other: Model) -> list[tuple[tuple[str, str], tuple[int, ...]]]:
    """Return kinds and indices of corresponding layers: by index if both files have indices, otherwise by name.

    Layers with an attention window are kept apart from those of the same kind without one.
    """
    by_index = [{at: kind for kind, layer in model.layers.items() for at in layer.indices} for model in (one, other)]
    beside = [{kind for kind, layer in model.layers.items() if not layer.indices} for model in (one, other)]
    if not all(by_index):
        names = [[*model.layers] for model in (one, other)]
        if [ALL] in names:
            return [((a, b), ()) for a in names[0] for b in names[1]]
        return [((name if name in names[0] else "", name if name in names[1] else ""), ())
                for name in dict.fromkeys(names[0] + names[1])]  # fmt: skip
    windows = [[layer.window for layer in model.layers.values() if layer.window] for model in (one, other)]
    seen = [{at for window in each for at in window.indices} for each in windows]
    places: dict[tuple[str, str, bool, bool], list[int]] = {}
    for at in sorted({*by_index[0], *by_index[1]}):
        key = by_index[0].get(at, ""), by_index[1].get(at, ""), at in seen[0], at in seen[1]
        places.setdefault(key, []).append(at)
    for kind in sorted(beside[0] | beside[1]):
        places[kind if kind in beside[0] else "", kind if kind in beside[1] else "", False, False] = []
    return [(key[:2], tuple(indices)) for key, indices in places.items()]


def _at_lengths(one: Layer, other: Layer, tolerance: float) -> Iterator[LayerComparison]:
    """Yield the comparison of two layers.

    If the rates depend on the current sequence length, also yield comparisons at lengths at which they have changed.
    """
    yield _compare_layers(one, other, tolerance)
    ropes = [layer.encoding for layer in (one, other)]
    changes = {rope.first_length for rope in ropes if isinstance(rope, Rope) and rope.first_length}
    longest = max((layer.max_position or 0 for layer in (one, other)), default=0)
    for length in sorted({*(first + 1 for first in changes), *([longest] if changes else [])}):
        if all(isinstance(rope, Rope) and rope.seq_len is None for rope in ropes) and length > min(changes):
            yield replace(
                _compare_layers(_at_length(one, length), _at_length(other, length), tolerance), seq_len=length
            )


def _at_length(layer: Layer, length: int) -> Layer:
    """Return the layer at this current sequence length, if its scaling depends on it."""
    rope = layer.encoding
    grows = isinstance(rope, Rope) and rope.first_length is not None
    return replace(layer, parameters={**(layer.parameters or {}), "seq_len": length}) if grows else layer


def _compare_layers(one: Layer, other: Layer, tolerance: float) -> LayerComparison:
    """Return the comparison of two layers at the current sequence length of the files."""
    trouble = one.trouble or other.trouble
    if trouble:
        return LayerComparison(("", ""), trouble=trouble)
    data = [layer_data(layer) for layer in (one, other)]
    differing = {}
    extended = [item.get("extended") for item in data]
    for name in FACTS:
        if name == "max_position" and None not in extended and extended[0] == extended[1]:
            continue  # some files give the original context here, others the extended one
        values = data[0].get(name), data[1].get(name)
        silent = None in values and (name in WHERE_SAID or "kind" in differing)  # facts that only one of two kinds has
        if not silent and not _equal(*values, tolerance):
            differing[name] = values
    rates = [next((np.asarray(item[name]) for name in RATES if item.get(name)), np.zeros(0)) for item in data]
    pairing: tuple[Any, Any] = data[0].get("pairing"), data[1].get("pairing")
    found = LayerComparison(("", ""), differing=differing)
    found = replace(found, pairing=pairing if all(pairing) and pairing[0] != pairing[1] else None)
    if len(rates[0]) != len(rates[1]) or "kind" in differing:  # RoPE's rates are no slopes of ALiBi
        return replace(found, share=None)
    shares = _relative_differences(*rates)
    far = np.flatnonzero(shares > tolerance)
    found = replace(found, share=float(shares.max(initial=0.0)), pairs=len(shares), count=len(far))
    found = replace(found, first=int(far[0]) if len(far) else None)
    if len(far):
        given = {name: tuple((layer.parameters or {}).get(name) for layer in (one, other)) for name in SETTINGS}
        changed = {name: (values[0], values[1]) for name, values in given.items() if values[0] != values[1]}
        found = replace(found, differing={**differing, **changed})
    if not all(item.get("inv_freq") for item in data):
        return found
    lengths = {*LENGTHS, *(item[name] for item in data for name in ("original", "extended") if item[name])}
    at = np.array(sorted(map(int, lengths)))
    return replace(found, drift=dict(zip(at.tolist(), drift(rates[0], rates[1], at).tolist(), strict=True)))


def _relative_differences(one: Array, other: Array) -> Array:
    """Return the relative difference of each pair of numbers; 0 if both are 0."""
    size = np.maximum(np.abs(one), np.abs(other))
    return np.divide(np.abs(one - other), size, out=np.zeros(len(one)), where=size > 0)


def _equal(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key], tolerance) for key in one)
    if isinstance(one, float) or isinstance(other, float):
        numbers = all(isinstance(value, (int, float)) and isfinite(value) for value in (one, other))
        return numbers and abs(one - other) <= tolerance * max(abs(one), abs(other))
    return bool(one == other)


class ComparedLayers(TypedDict):
    """The --json output for corresponding layers of two models."""

    layers: tuple[str, str]
    indices: tuple[int, ...]
    seq_len: int | None
    differing: Mapping[str, tuple[Any, Any]]
    pairing: tuple[str, str] | None
    pairs: int
    drift: Mapping[int, float]
    trouble: str
    same: bool
    permutation: bool
    largest_relative_difference: float | None
    first_pair: int | None
    pairs_differing: int


class ComparisonData(TypedDict):
    """The --json output for two models: whether they apply the same encoding, and the comparison of their layers."""

    same: bool
    layers: list[ComparedLayers]


def comparison_data(found: Sequence[LayerComparison]) -> ComparisonData:
    """Return the comparison of two models as plain values."""
    each: list[ComparedLayers] = [
        {
            "layers": item.layers,
            "indices": item.indices,
            "seq_len": item.seq_len,
            "differing": item.differing,
            "pairing": item.pairing,
            "pairs": item.pairs,
            "drift": item.drift,
            "trouble": item.trouble,
            "same": item.same,
            "permutation": item.pairing is not None,
            "largest_relative_difference": item.share,
            "first_pair": item.first,
            "pairs_differing": item.count,
        }
        for item in found
    ]
    return {"same": all(item.same for item in found), "layers": each}


def comparison_text(found: Sequence[LayerComparison], names: Sequence[str]) -> list[Block]:
    """Return the blocks to print: whether two models apply the same encoding, then the differences by kind of layer."""
    same = all(item.same for item in found)
    shown: list[Block] = [Paragraph(say("same.same" if same else "same.differ", one=names[0], other=names[1]))]
    for item in found:
        kinds = " / ".join(dict.fromkeys(kind.replace("_", " ") or say("model.none") for kind in item.layers))
        where = [kinds, *([counted_ranges(item.indices)] if item.indices else [])]
        where += [say("same.at_length", length=item.seq_len)] if item.seq_len else []
        shown += [Paragraph(), Paragraph(listing(where), heading=True)]
        if item.trouble:
            shown.append(Paragraph(item.trouble, style="bold red"))
            continue
        if rows := [[say({**FACTS, **SETTINGS}[name]), *map(_text, values)] for name, values in item.differing.items()]:
            shown.append(TextTable(["", *names], rows))
        shown.append(Facts(dict(_rows(item))))
    return shown


def _rows(item: LayerComparison) -> Iterator[tuple[str, str]]:
    """Yield (label, text) for rates, pairing and drift."""
    if item.share is None:
        if "kind" not in item.differing:
            yield say("model.rates"), say("same.not_as_many")
    elif item.first is not None:
        yield say("model.rates"), say("same.rates_differ", count=item.count, all=item.pairs, first=item.first,
                                      share=item.share)  # fmt: skip
    elif item.pairs:
        text = "same.rates_alike" if item.share else "same.rates_equal"
        yield say("model.rates"), say(text, all=item.pairs, share=item.share)
    if item.pairing:
        yield say("model.pairing"), say("same.permutation", one=item.pairing[0], other=item.pairing[1],
                                        half=item.pairs)  # fmt: skip
    if item.drift and item.first is not None:
        at = (say("same.drift_at", value=value, length=length) for length, value in item.drift.items())
        yield say("same.drift"), listing(at)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return listing(f"{key} {_text(own)}" for key, own in value.items())
    if isinstance(value, float):
        return f"{value:.7g}"
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
