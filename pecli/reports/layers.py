"""The positions of a model's layers, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from math import isfinite, prod
from typing import Annotated, Any, Required, TypedDict, cast

from pecli.core.json_schema import OPEN
from pecli.core.language import listing, say
from pecli.encodings.biases import T5
from pecli.encodings.grid import HarmonicOnGrid
from pecli.encodings.harmonic import Harmonic, PowersOfBase
from pecli.encodings.rope import Rope
from pecli.measures.waves import first_negative_offset, incomplete_turns
from pecli.models.reader import Layer

MAX_COSINES = 1 << 24  # most cosines summed in the search for a negative sum


class RopeData(TypedDict, total=False):
    """The --json output for layers with RoPE; null for values that are not in the file."""

    head_dim: int
    rotary_dim: int
    pairing: str
    base: float
    scaled_base: float
    mrope_section: list[int] | None
    mrope_interleaved: bool
    axes: str | None
    axis_widths: list[int] | None
    axis_rates: dict[str, list[float]] | None
    axis_lengths: list[int] | None
    grid: list[int] | None
    grid_start: float | list[float] | None
    grid_step: float | list[float] | None
    scaling: str
    seq_len: int | None
    first_length: int | None
    inv_freq: list[float]
    attention_factor: float
    softmax_factor: float
    score_factor: float
    longest_wavelength: float | None
    original: int | None
    extended: int | None
    critical_dimension_length: int | None
    longer_than_original: int | None
    longer_than_extended: int | None
    unscaled_longer_than_attention_window: int | None
    longer_than_attention_window: int | None
    pairs: dict[str, int] | None
    critical_dimension: int | None
    searched_offsets: int | None
    first_negative_offset: int | None


class TableData(TypedDict, total=False):
    """The --json output for layers with a table, a bias or waves, besides the options of the encoding."""

    length: int
    first_row: int
    rows_before: int
    width: int
    resized: str | None
    rates: list[float]
    slopes: list[float]
    last_bucket_from: int
    window: list[int]
    temperature: dict[str, float]
    dual_chunk: dict[str, Any]


class LayerData(RopeData, TableData, total=False):
    """The --json output for one kind of layer."""

    kind: Required[str]
    spec: Required[str | None]
    attention_window: Required[int | None]
    attention_window_ahead: int
    attention_window_each: list[int]
    attention_window_layers: Required[list[int]]
    max_position: Required[int | None]
    layer_indices: Required[list[int]]


Layers = dict[str, Annotated[LayerData, OPEN]]  # by kind; with the encoding's own options


def layers_data(layers: Mapping[str, Layer]) -> Layers:
    """Return the layers of a model by kind as plain values."""
    return cast("Layers", {name: layer_data(layer) for name, layer in layers.items()})


def layer_data(layer: Layer) -> dict[str, Any]:
    """Return one kind of layer as plain values; None for values that are not in the file or cannot be computed."""
    encoding = layer.encoding
    data: dict[str, Any] = {"kind": layer.kind, "spec": encoding.spec() if encoding else None}
    if isinstance(encoding, Rope):
        data |= _rope_data(encoding, layer)
    elif layer.length is not None and layer.parameters is not None:
        grid = layer.grid and list(layer.grid)
        before = layer.length - prod(layer.grid) if layer.grid else layer.first_row
        data |= {"length": layer.length, "first_row": layer.first_row, "rows_before": before}
        data |= {"width": layer.parameters["d"], "grid": grid, "resized": layer.resized}
        data |= _wave_data(encoding) if isinstance(encoding, Harmonic) else {}
    elif encoding is not None:
        data |= {name: value for name, value in encoding.settings().items() if value is not None}
        data |= {**_wave_data(encoding), "width": data["d"]} if isinstance(encoding, Harmonic) else {}
        data |= {"slopes": encoding.slopes().tolist()} if hasattr(encoding, "slopes") else {}
        data |= {"last_bucket_from": encoding.last_from} if isinstance(encoding, T5) else {}
    elif layer.parameters is not None:
        data["width"] = layer.parameters["d"]
    elif layer.grid is not None:
        data["window"] = list(layer.grid)
    if layer.temperature is not None:
        data["temperature"] = asdict(layer.temperature)
    if layer.dual_chunks is not None:
        data["dual_chunk"] = layer.dual_chunks.data()
    window = layer.window
    data["attention_window"] = None if window is None else window.length
    data["attention_window_layers"] = [] if window is None else list(window.indices)
    if window is not None and window.ahead:
        data["attention_window_ahead"] = window.ahead
    if window is not None and window.each:
        data["attention_window_each"] = list(window.each)
    return {**data, "max_position": layer.max_position, "layer_indices": list(layer.indices)}


def _wave_data(encoding: Harmonic) -> dict[str, Any]:
    """Return rates, base and grid coordinates of a sinusoidal table; on a grid, the rates of one axis."""
    rates = encoding.frequencies().tolist()
    data: dict[str, Any] = {"rates": rates[: len(rates) // max(1, len(encoding.sides))]}
    if isinstance(encoding, PowersOfBase):
        data["base"] = encoding.base
    if isinstance(encoding, HarmonicOnGrid):
        data |= {name: _one_or_all(getattr(encoding, name)) for name in ("grid_start", "grid_step")}
    return data


def _rope_data(rope: Rope, layer: Layer) -> RopeData:
    window, found = layer.window.length if layer.window else None, incomplete_turns(rope)
    wave = float(rope.wavelengths().max())
    line = rope if rope.places is None else None  # some facts are only true for offsets on a line
    searched = _offsets_to_search(rope, found.extended or layer.max_position)
    searched = searched if found.window is None else min(searched, found.window - 1)
    return {
        "head_dim": rope.d,
        "rotary_dim": rope.width,
        "pairing": rope.pairing,
        "base": rope.base,
        "scaled_base": rope.scaled_base,
        "mrope_section": None if rope.sections is None else list(rope.sections),
        "mrope_interleaved": rope.interleaved,
        "axes": _axes_text(rope, layer.axis_names),
        "axis_widths": list(rope.widths) if rope.sides else None,
        "axis_rates": _axis_rates(rope, layer.axis_names),
        "axis_lengths": list(layer.axis_lengths) or None,
        "grid": list(rope.sides) or None,
        "grid_start": _one_or_all(rope.grid_start),
        "grid_step": _one_or_all(rope.grid_step),
        "scaling": rope.scaling,
        "seq_len": rope.context,
        "first_length": rope.first_length,
        "inv_freq": rope.frequencies().tolist(),
        "attention_factor": rope.attention_scaling,
        "softmax_factor": layer.softmax_factor,
        "score_factor": rope.attention_scaling**2 * layer.softmax_factor,
        "longest_wavelength": wave if isfinite(wave) else None,
        "original": found.original,
        "extended": found.extended,
        "critical_dimension_length": min(filter(None, (found.original, found.window)), default=None),
        "longer_than_original": found.unscaled,  # number of wavelengths, unscaled and scaled
        "longer_than_extended": found.scaled,
        "unscaled_longer_than_attention_window": None if window is None else rope.in_training().longer_waves(window),
        "longer_than_attention_window": None if window is None else rope.longer_waves(window),
        "pairs": rope.parts(),
        "critical_dimension": None if line is None else found.critical_dimension,
        "searched_offsets": None if line is None else searched,
        "first_negative_offset": None if line is None else first_negative_offset(line, searched),
    }


def _axes_text(rope: Rope, names: str) -> str | None:
    """Return one letter per pair for its axis, such as t (frame), h (row) or w (column).

    Return None if the same position rotates all pairs.

    names : the letters of the axes, in order
    """
    if rope.sections is None and rope.places is None:
        return None
    count = len(rope.sections or rope.places)  # type: ignore[arg-type]
    axes = min(count, len(names))
    return "".join(names[-axes:][axis % axes] for axis in rope.axes_of_pairs())


def _axis_rates(rope: Rope, names: str) -> dict[str, list[float]] | None:
    """Return the rates of the pairs of each axis of a grid, by the axis's letter; None without a grid."""
    axes = _axes_text(rope, names)
    if axes is None or rope.places is None:
        return None
    rates = rope.frequencies().tolist()
    return {name: [r for r, own in zip(rates, axes, strict=True) if own == name] for name in dict.fromkeys(axes)}


def _one_or_all(numbers: tuple[float, ...] | None) -> float | list[float] | None:
    """Return a single number if all axes have the same number, otherwise the list of the axes' numbers."""
    return None if numbers is None else numbers[0] if len({*numbers}) == 1 else list(numbers)


def _offsets_to_search(rope: Rope, context: int | None) -> int:
    """Return the number of offsets to search for a negative sum: twice the context, or fewer if that would be slow."""
    most = 2 * MAX_COSINES // rope.width
    return most if context is None else min(most, 2 * context)


def ranges(numbers: Sequence[int], most: int | None = None) -> str:
    """Return integers in their order as text with ranges, such as "0 to 4, 6, 8 to 9".

    If there are more than `most` ranges, only the first ones and the last are given.
    """
    cuts = [at for at in range(1, len(numbers)) if numbers[at] != numbers[at - 1] + 1]
    ends = ((numbers[at], numbers[after - 1]) for at, after in pairwise([0, *cuts, len(numbers)]))
    texts = [str(one) if one == last else say("words.first_to_last", first=one, last=last) for one, last in ends]
    if most is not None and len(texts) > most + 1:
        texts[most:-1] = ["…"]
    return listing(texts)


def counted_ranges(numbers: tuple[int, ...]) -> str:
    """Return sorted integers as text with their number and ranges, such as "8: 0 to 4, 6, 8 to 9"."""
    return say("model.count_runs", count=len(numbers), runs=ranges(numbers)) if numbers else ""
