"""The report model: the positions in each kind of layer according to a model's config.json, and the file's mistakes."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from pecli.core.hub import CONFIG, is_hub
from pecli.core.language import listing, say
from pecli.core.terminal import Block, Facts, Paragraph, TextTable
from pecli.encodings.base import COUNTED, BiasEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.learned import Learned
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.files.documents import for_notebook
from pecli.files.tables import file_label
from pecli.models.config_file import ENDINGS
from pecli.models.facts import FULL
from pecli.models.options import ModelOptions
from pecli.models.reader import ALL, Layer, Model, Window
from pecli.reports.layers import Layers, counted_ranges, layer_data, layers_data
from pecli.reports.same import ComparisonData, LayerComparison, comparison_data, comparison_text, comparisons

PAIRINGS = {
    "half": "model.columns_j_and_j",
    "interleaved": "model.columns_2j_and_2j",
}
COMPARED = (
    "words.encoding",
    "model.base",
    "model.scaling",
    "model.context",
    "model.layers",
    "model.pairing",
)  # facts to compare, in the order of the report
IN_WORDS = {
    "rope": "model.rotary_position_embedding_queries",
    "learned": "model.learned_table_row_for",
    "sinusoidal": "model.sines_and_cosines_of",
    "alibi": "model.alibi_scores_fall_with",
    "t5": "model.t5s_bias_learned_number",
    "relative": "model.relative_positions_learned_for",
    "bias2d": "model.relative_positions_learned_bias",
    "relpos2d": "model.relative_positions_learned_for_offsets",
    "conv": "model.convolution_over_the_input",
    "timestep": "model.sines_and_cosines_of_timestep",
    "sincos2d": "model.sines_and_cosines_of_row",
    "fourier": "model.sines_and_cosines_of_many",
    "none": "model.no_position_encoding",
    "others": "model.none_in_the_other",
    "unknown": "model.not_known",
}
PARTS = {"kept": "model.count_kept", "between": "model.count_between", "divided": "model.count_divided"}
PLACES = {
    "context": "model.the_context_of",
    "original": "model.the_original_context_of",
    "extended": "model.the_extended_one_of",
    "long": "model.the_extended_one_of_long",
    "window": "model.the_window_of",
    "side": "model.one_side_of",
    "unscaled_window": "model.the_window_of_unscaled",
    "scaled_window": "model.the_window_of_scaled",
}
LEVELS = {"error": "bold red", "warning": "yellow", "note": ""}


class FindingData(TypedDict):
    """One finding on the file: something wrong, odd, ignored or missing."""

    key: str
    value: Any
    level: str
    code: str
    text: str


class PartData(TypedDict):
    """The --json output for a tower, a part of the model that reads images, sounds and so on."""

    architecture: str
    layers: Layers


class ModelData(PartData):
    """The --json output for a model, without the path of its file."""

    known: bool
    towers: dict[str, PartData]
    findings: list[FindingData]


class OneModel(ModelData):
    """The --json output for one model."""

    path: str


class SeveralModels(TypedDict):
    """The --json output for several models.

    differing : for each fact that differs, its text for every model
    """

    results: list[OneModel]
    differing: dict[str, list[str]]
    comparison: NotRequired[ComparisonData]


@dataclass(frozen=True)
class ModelReport:
    """The report on one config.json, or on several side by side. It displays itself in a notebook.

    Attributes
    ----------
    models : the models read
    tolerance : largest relative difference at which numbers of two models count as equal
    only_comparison : True if data, document and display are only the comparison of two models, as with --same
    """

    models: tuple[Model, ...]
    tolerance: float = ModelOptions.tolerance
    only_comparison: bool = False

    @cached_property
    def comparisons(self) -> list[LayerComparison]:
        """The comparisons of corresponding layers of two models; [] unless there are two."""
        return comparisons(self.models, self.tolerance) if len(self.models) == 2 else []

    @property
    def same(self) -> bool:
        """Whether two models apply the same encoding, up to a permutation of columns that reordered weights undo."""
        return all(item.same for item in self.comparisons)

    @property
    def data(self) -> dict[str, Any]:
        """The report as plain values, as ``pecli model --json`` prints them."""
        return cast("dict[str, Any]", self._data())

    def _data(self) -> OneModel | SeveralModels | ComparisonData:
        if self.only_comparison:
            return comparison_data(self.comparisons)
        each: list[OneModel] = [{"path": model.path, **model_data(model)} for model in self.models]
        if len(each) == 1:
            return each[0]
        several: SeveralModels = {"results": each, "differing": differing(self.models)}
        if self.comparisons:
            several["comparison"] = comparison_data(self.comparisons)
        return several

    @property
    def document(self) -> list[Block]:
        """The blocks to print, without the commands that draw the encodings."""
        if self.only_comparison:
            return self.comparison
        if len(self.models) == 1:
            return model_text(self.models[0])
        return [*side_by_side(self.models), *([Paragraph(), *self.comparison] if self.comparisons else [])]

    @property
    def comparison(self) -> list[Block]:
        """The blocks with the comparison of two models: whether they apply the same encoding, and where they differ."""
        return comparison_text(self.comparisons, names_of(self.models))

    def lines(self) -> list[str]:
        """Return the commands that draw the encodings.

        For a single model, there is one command per encoding; for several models, one command draws all of them.
        """
        if self.only_comparison:
            return []
        if len(self.models) == 1:
            return draw_commands(self.models[0])
        specs = [shlex.quote(spec) for spec in spectrum_specs(self.models)]
        return [f"pecli spectrum {' '.join(specs)}"] if specs else []

    def __repr__(self) -> str:
        return f"<pecli model: {'; '.join(f'{model.path}, {model.architecture}' for model in self.models)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return for_notebook([*self.document, *map(Paragraph, self.lines())])


def names_of(models: Sequence[Model]) -> list[str]:
    """Return a distinct name for each model: its reference on the hub, or the end of its file's path.

    If all files are called config.json, their folders give the names.
    """
    paths = [Path(model.path) for model in models]
    if all((path.name == CONFIG and path.parent.name) or path.suffix not in ENDINGS for path in paths):
        paths = [path.parent if path.name == CONFIG else path for path in paths]
    for depth in range(1, 1 + max(len(path.parts) for path in paths)):
        ends = ("/".join(path.parts[-depth:]) or "." for path in paths)
        names = [file_label(model.path) if is_hub(model.path) else end for model, end in zip(models, ends, strict=True)]
        if len({*names}) == len(names):
            return names
    return [model.path for model in models]


def facts_by_model(models: Sequence[Model]) -> dict[str, list[str]]:
    """Return the facts on the models: for each fact, one text per model. Facts have the order of `COMPARED`."""
    every = [_all_facts(model) for model in models]
    known = dict.fromkeys([*map(say, COMPARED), *chain(*every)])
    rows = {name: [facts.get(name, "") for facts in every] for name in known if any(name in facts for facts in every)}
    found = ["\n".join(finding.line() for finding in model.findings) or say("model.none") for model in models]
    return rows | {say("model.findings"): found}


def _all_facts(model: Model) -> dict[str, str]:
    """Return the facts on a model, as text by name.

    If the kinds of layer differ in a fact, its text has one line per kind. The positions of each tower (an encoder of
    images, sounds and so on) are a fact, too.
    """
    kinds = {name.replace("_", " "): _facts(layer) for name, layer in model.layers.items()}
    for layer, facts in zip(model.layers.values(), kinds.values(), strict=True):
        if isinstance(rope := layer.encoding, Rope):
            others = {name for name, item in rope.options().items() if not item.only_with}
            scaling = listing([rope.scaling, *rope.title_pieces(others)[1:]])
            facts[say("model.base")] = f"{rope.base:,.10g}"
            facts[say("model.scaling")] = say("model.none") if rope.scaling == "default" else scaling
    result = {}
    for fact in dict.fromkeys(chain(*kinds.values())):
        texts = {kind: facts[fact] for kind, facts in kinds.items() if fact in facts}
        alike = len(texts) == len(kinds) and len({*texts.values()}) == 1
        result[fact] = texts.popitem()[1] if alike else "\n".join(f"{kind}: {text}" for kind, text in texts.items())
    return result | {name.replace("_", " "): _tower_text(tower) for name, tower in model.towers.items()}


def differing(models: Sequence[Model]) -> dict[str, list[str]]:
    """Return the facts in which the models differ: for each, its text for every model."""
    return {fact: texts for fact, texts in facts_by_model(models).items() if len({*texts}) > 1}


def side_by_side(models: Sequence[Model]) -> list[Block]:
    """Return a table of the facts in which the models differ, one column per model, then the facts that are equal."""
    rows = [[fact, *texts] for fact, texts in differing(models).items()]
    same = {fact: texts[0] for fact, texts in facts_by_model(models).items() if len({*texts}) == 1}
    shown: list[Block] = [Paragraph(say("model.what_differs"), heading=True), TextTable(["", *names_of(models)], rows)]
    alike: list[Block] = [Paragraph(say("model.what_is_the_same"), heading=True), Facts(same)]
    return [*(shown if rows else []), *(alike if same else [])]


def spectrum_specs(models: Sequence[Model]) -> list[str]:
    """Return the specs of all encodings with wavelengths, labelled with the model and, if needed, the kind of layer."""
    specs = []
    for name, model in zip(names_of(models), models, strict=True):
        made = {kind: made for kind, layer in model.layers.items() if isinstance(made := layer.encoding, Harmonic)}
        for kind, encoding in made.items():
            label = name if len(made) == 1 else f"{name} ({kind.replace('_', ' ')})"
            specs.append(replace(encoding, label=label).spec())
    return specs


def drift_specs(models: Sequence[Model], names: Sequence[str]) -> list[str]:
    """Return the spec of each model's default layers, labelled with its name; models without rates are left out."""
    specs = []
    for name, model in zip(names or names_of(models), models, strict=True):
        made = {kind: made for kind, layer in model.layers.items() if isinstance(made := layer.encoding, Harmonic)}
        if made:
            usual = next((kind for kind in (ALL, FULL) if kind in made), next(iter(made)))
            specs.append(replace(made[usual], label=name).spec())
    return specs


def model_data(model: Model) -> ModelData:
    """Return the report on one model as plain values, with "layers" by kind and "findings"."""
    findings: list[FindingData] = [
        {"key": f.key, "value": _finite(f.value), "level": f.level, "code": f.code, "text": f.text}
        for f in model.findings
    ]
    towers = {name: _part(tower) for name, tower in model.towers.items()}
    return {**_part(model), "known": model.known, "towers": towers, "findings": findings}


def _part(model: Model) -> PartData:
    """Return architecture and layers of a model or tower."""
    return {"architecture": model.architecture, "layers": layers_data(model.layers)}


def _finite(value: Any) -> Any:
    """Return a value with NaN and infinity replaced by text, because JSON has neither."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def model_text(model: Model) -> list[Block]:
    """Return the blocks to print: facts on each kind of layer, one line per tower, then the findings."""
    own = sorted(dict.fromkeys(map(_kind_of, model.layers.values())), key="none".__eq__)  # "none" last
    kinds = "; ".join(say(IN_WORDS["others" if kind == "none" != own[0] else kind]) for kind in own)
    line = "model.text"
    if not model.known:
        line = "model.pecli_does_not_know"
    if own == ["unknown"]:
        line = "model.pecli_does_not_know_the"
    shown: list[Block] = [Paragraph(say(line, path=model.path, name=model.architecture, kinds=kinds))]
    for name, layer in model.layers.items():
        shown += [Paragraph(), Paragraph(name.replace("_", " "), heading=True), Facts(_facts(layer))]
    if model.towers:
        rows = {name.replace("_", " "): _tower_text(tower) for name, tower in model.towers.items()}
        shown += [Paragraph(), Paragraph(say("model.beside_the_language_model"), heading=True), Facts(rows)]
    found = finding_texts(model, LEVELS) or [Paragraph(say("model.nothing_in_the_file"))]
    return [*shown, Paragraph(), *found]


def finding_texts(model: Model, levels: Collection[str]) -> list[Paragraph]:
    """Return one paragraph for each finding of these levels."""
    return [Paragraph(f.line(), style=LEVELS[f.level]) for f in model.findings if f.level in levels]


def _kind_of(layer: Layer) -> str:
    """Return the key in IN_WORDS for the kind of positions that a layer has."""
    timestep = isinstance(layer.encoding, Sinusoidal) and layer.encoding.family == "timestep"
    return "timestep" if timestep else layer.kind


def _tower_text(tower: Model) -> str:
    """Return one line of text on the position encodings of a tower, such as a vision tower."""
    parts = []
    for layer in tower.layers.values():
        encoding, data = layer.encoding, layer_data(layer)
        if isinstance(encoding, Rope):
            text = "model.rope_base_pairs"
            words = [say(text, base=encoding.base, count=encoding.width // 2), *_pairs_by_axis(data["axes"])]
            parts.append(listing(words))
        elif "length" in data:
            parts.append(f"{layer.kind}, {_table_text(data)}")
        else:
            parts.append(listing(filter(None, [layer.kind, _window_text(data)])))
    return f"{tower.architecture}: {'; '.join(parts)}"


def _pairs_by_axis(axes: str | None) -> list[str]:
    """Return the number of pairs of each axis as texts."""
    names = {"h": say("words.row"), "w": say("words.column"), "t": say("words.frame"), "x": say("model.axis_of_text")}
    return [f"{(axes or '').count(axis)} × {names[axis]}" for axis in dict.fromkeys(axes or "")]


RESIZED = {"always": "model.resized_for_images_of", "asked": "model.resized_for_images_of_other"}


def _table_text(data: dict[str, Any]) -> str:
    """Return the size of a table, its grid of patches, and whether it is resized for other images, as text."""
    text = [say("model.rows_columns", rows=data["length"], columns=data["width"])]
    if data["grid"]:
        text.append(say("model.of_patches", grid=" × ".join(map(str, data["grid"]))))
    if data["resized"]:
        text.append(say(RESIZED[data["resized"]]))
    return listing(text)


def _window_text(data: dict[str, Any]) -> str:
    """Return the size of the window in which offsets have a bias, as text; "" if unknown."""
    sides = " × ".join(map(str, data.get("window", ())))
    return sides and say("model.windows_of_patches", sides=sides)


def _facts(layer: Layer) -> dict[str, str]:
    """Return the facts on one kind of layer as texts by label."""
    encoding, data = layer.encoding, layer_data(layer)
    refused = say("model.which_cannot_be_built", kind=layer.kind)
    facts = {
        say("model.layers"): counted_ranges(layer.indices) or say("model.the_file_does_not"),
        say("words.encoding"): refused if layer.trouble else layer.kind,
    }
    if isinstance(encoding, Rope):
        facts |= _rope_facts(encoding, data)
    elif "length" in data:
        facts[say("model.table")] = _table_text(data)
    elif "window" in data:
        facts[say("model.offsets")] = _window_text(data)
    elif "buckets" in data:
        buckets = "model.all_distances_from_on"
        facts[say("model.buckets")] = say(buckets, buckets=data["buckets"], distance=data["last_bucket_from"])
    elif "slopes" in data:
        facts[say("model.slopes")] = listing(f"{slope:.4g}" for slope in data["slopes"])
    facts |= _score_facts(layer)
    original, extended = data.get("original"), data.get("extended")
    if extended not in (None, original):
        longer = "model.positions_extended"
        if extended not in (layer.max_position, data["seq_len"]):
            longer = "model.positions_extended_factor_original"
        parts = [say(longer, count=extended), say("model.count_original", count=original)]
        if data["scaling"] == "yarn" and layer.max_position not in (None, extended):
            parts.append(say("model.own_max_position", count=layer.max_position))
        facts[say("model.context")] = listing(parts)
    elif layer.max_position is not None and "length" not in data:
        either = "original" in data and original is None
        context = "model.positions_original_or_extended" if either else "words.count_positions"
        facts[say("model.context")] = say(context, count=layer.max_position)
    return facts


def _score_facts(layer: Layer) -> dict[str, str]:
    """Return the facts on factors of scores, and on the keys that a query sees, as texts by label."""
    facts = {}
    if warm := layer.temperature:
        facts[say("model.temperature")] = say("model.queries_grow", **asdict(warm))
    if chunks := layer.dual_chunks:
        facts[say("model.dual_chunks")] = say("model.keys_begin_anew", length=chunks.length, largest=chunks.largest)
    if window := layer.window:
        facts[say("model.attention_window")] = _reach_text(window)
        if window.indices != layer.indices:
            facts[say("model.layers_with_it")] = counted_ranges(window.indices)
    return facts


def _reach_text(window: Window) -> str:
    """Return how far queries see, as text."""
    if window.each:
        return say("model.positions_by_layer", least=min(window.each), most=max(window.each), key=window.key)
    if window.ahead:
        blanks = {"back": window.length - 1, "ahead": window.ahead, "count": window.seen}
        return say("model.positions_both_ways", key=window.key, **blanks)
    return say("model.positions", count=window.length, key=window.key)


def _rope_facts(rope: Rope, data: dict[str, Any]) -> dict[str, str]:
    """Return the known facts on a RoPE encoding as texts by label."""

    def text(template: str, value: Any, **blanks: Any) -> str:
        return "" if value is None else say(template, count=value, **blanks)

    pairs, factor, waves = rope.width // 2, rope.attention_scaling, rope.wavelengths()
    longest = data["longest_wavelength"]
    to = "model.base_pairs_wavelengths_to"
    high = "" if longest is None else say(COUNTED[rope.wave_unit], count=f"{longest:,.0f}")
    rates = [say(to if high else "model.base_pairs_some_of", base=rope.base, pairs=pairs, low=waves.min(), high=high)]
    if rope.width < rope.d:
        rates.append(say("words.of_columns_turn", count=rope.width, all=rope.d))
    parts = [say(PARTS[what], count=count) for what, count in data["pairs"].items()]
    factor_text = text("model.factor_count", rope.factor)
    scores = say("model.scores_times", factor=factor, square=data["score_factor"])
    facts = {
        say("model.rates"): listing(rates),
        say("model.pairing"): say(PAIRINGS[rope.pairing], half=pairs),
        say("model.m_rope"): _sections_text(rope),
        say("model.turned_by"): "" if rope.sections else listing(_pairs_by_axis(data["axes"])),
        say("model.scaling"): "" if rope.scaling == "default" else listing([rope.scaling, factor_text, *parts]),
        say("model.length_in_use"): rope.other_lengths(),
        say("model.base_in_use"): rope.other_base(),
        say("model.long_waves"): _long_waves_text(data, pairs),
        say("model.attention_factor"): "" if data["score_factor"] == 1 else scores,
        say("words.critical_dimension"): text(
            "model.at_positions", data["critical_dimension"] or None, length=data["critical_dimension_length"]
        ),
        say("model.first_cos_0"): ""
        if rope.places is not None
        else text("model.at_offset", data["first_negative_offset"])
        or say("words.none_up_to_offset", searched=data["searched_offsets"]),
    }
    return {name: fact for name, fact in facts.items() if fact}


def _long_waves_text(data: dict[str, Any], pairs: int) -> str:
    """Return, as text, how many pairs turn less than once in each context, or in the attention window."""
    window, original, extended = (data[name] for name in ("attention_window", "original", "extended"))
    limited = window is not None and (extended is None or window < extended)
    whole = "side" if data.get("attention_window_ahead") else "window"
    names = (whole,) if data["scaling"] == "default" else ("unscaled_window", "scaled_window")
    longer = (data["unscaled_longer_than_attention_window"], data["longer_than_attention_window"])
    counts = [(name, count, window) for name, count in zip(names, longer, strict=False) if limited]
    if original is not None and not (limited and data["attention_window_layers"] == data["layer_indices"]):
        longest = "long" if data["scaling"] == "longrope" else "extended"
        scaled = [(longest, data["longer_than_extended"], extended)] if extended not in (None, original) else []
        counts = [
            ("context" if data["scaling"] == "default" else "original", data["longer_than_original"], original),
            *scaled,
            *counts,
        ]
    first, more = "model.of_pairs_turn_less", "model.count_in_place"
    return listing(
        say(more if at else first, count=count, all=pairs, place=say(PLACES[name], length=length))
        for at, (name, count, length) in enumerate(counts)
    )


def _sections_text(rope: Rope) -> str:
    """Return, as text, which pairs follow frame, row and column; "" without sections."""
    if rope.sections is None:
        return ""
    one, turn = (
        "model.pairs_by_frame_row",
        "model.pairs_by_frame_row_and",
    )
    return say(turn if rope.interleaved else one, pairs=listing(map(str, rope.sections)))


def draw_commands(model: Model) -> list[str]:
    """Return the commands that draw the encoding of each kind of layer."""
    lines: list[str] = []
    for encoding in filter(None, (layer.encoding for layer in model.layers.values())):
        tables = ("spectrum", "heatmap") if isinstance(encoding, Harmonic) else ("heatmap", "distance")
        figures = ("bias",) if isinstance(encoding, BiasEncoding) else tables
        untrained = isinstance(encoding, Learned) and encoding.file is None
        # without a file, it would draw random numbers
        spec = "learned:file=model.safetensors" if untrained else encoding.spec()
        lines += [f"pecli {figure} -e {shlex.quote(spec)}" for figure in figures]
    return list(dict.fromkeys(lines))
