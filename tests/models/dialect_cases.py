"""Files of many programs with their correct results, and a check that `pecli model` gives the same results.

``python -m tests.models.dialect_cases FOLDER`` prints which cases in a folder are right, wrong and refused, by dialect.
Without a folder, it uses the stored cases; with ``--store``, it stores those of the folder. A case is a folder with a
file and expect.json.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import floor, isclose, log
from pathlib import Path
from typing import Any

import numpy as np

import pecli
from pecli.core.errors import PecliError
from tests.models.gguf_files import gguf

STORED = Path(__file__).parents[1] / "data" / "dialects" / "cases.json"
EVERY = 7  # every 7th number of a list of rates is stored, and the last
TOLERANCE = 3e-7  # for numbers rounded to ten digits or to float32
NUMBERS = {  # keys of numbers and lists in a case, and in pecli's data
    **{name: name for name in ("head_dim", "rotary_dim", "original", "width", "score_factor", "base", "shift", "grid")},
    "theta": "base",
    "rows": "length",
    "rows_before": "rows_before",
    "cos_sin_factor": "attention_factor",
    "position_offset": "grid_start",
    "axes_widths": "axis_widths",
    "flip_sin_to_cos": "flip",
    "pairing": "pairing",
    "inv_freq": "inv_freq",
    "rates": "rates",
    "slopes": "slopes",
}
Gives = Mapping[str, Any]  # the expected result of a case
Data = Mapping[str, Any]  # pecli's result
LETTERS = {"time": "t", "frame": "t", "text": "x", "height": "h", "width": "w"}
KINDS = {"full": ("full_attention", "all"), "sliding": ("sliding_attention",), "nope": ("full_attention", "no_rope"),
         "rope": ("chunked_attention", "full_attention")}  # fmt: skip


def thinned(value: Any) -> Any:
    """Return an expectation whose long lists are replaced by every seventh number, by index."""
    if isinstance(value, dict):
        return {key: thinned(item) for key, item in value.items()}
    if isinstance(value, list) and len(value) > 2 * EVERY and isinstance(value[0], float):
        return {
            "count": len(value),
            **{str(at): value[at] for at in sorted({*range(0, len(value), EVERY), len(value) - 1})},
        }
    return value


def cases_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the cases in a folder by name, each with file name, content and expected result."""
    cases = {}
    for place in sorted(folder.glob("*/expect.json")):
        expected = json.loads(place.read_text(encoding="utf-8"))
        file = next(item for item in sorted(place.parent.rglob("*")) if item.is_file() and item != place)
        gives = {key: item for key, item in expected.items() if key not in ("how", "source", "notes", "runtimes")}
        name = str(file.relative_to(place.parent))
        cases[place.parent.name] = {"file": name, "content": content_of(file), "gives": thinned(gives)}
    return cases


def content_of(file: Path) -> Any:
    """Return the content of a file: keys and tensors of GGUF, a JSON object, or YAML text."""
    if file.suffix == ".gguf":
        from pecli.models.gguf import read_gguf

        with file.open("rb") as opened:
            return {key: value for key, value in read_gguf(opened).items() if not key.startswith("tokenizer")}
    text = file.read_text(encoding="utf-8")
    return json.loads(text) if file.suffix == ".json" else text


def written(folder: Path, case: Mapping[str, Any]) -> Path:
    """Write the file of a case into a folder and return its path."""
    path, content = folder / case["file"], case["content"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gguf":
        path.write_bytes(gguf(content))
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def verdict(path: Path, gives: Gives) -> tuple[str, list[str]]:
    """Return "right", "wrong" or "refused", and the differences or the reason."""
    unknown = gives["kind"] == "rope" and "inv_freq" in gives and gives["inv_freq"] is None  # the rates are unknown
    try:
        data = pecli.model(str(path)).data
    except PecliError as failure:
        return ("right" if unknown else "refused"), [failure.text]
    errors = [f"{item['key']}: {item['text']}" for item in data["findings"] if item["level"] == "error"]
    rates = [layer["inv_freq"] for layer in data["layers"].values() if layer.get("inv_freq")]
    if unknown:
        return ("right", errors) if errors and not rates else ("wrong", ["rates, and there are none to know"])
    if errors and not rates and gives["kind"] == "rope":
        return "refused", errors
    wrong = [*of_model(data, gives), *of_lengths(path, gives)]
    return ("wrong" if wrong else "right"), wrong


def of_lengths(path: Path, gives: Gives) -> Iterator[str]:
    """Yield the differences at the lengths in use that a case has."""
    original = gives.get("original", 1)
    sizes = {"n_ctx <= original": original, "n_ctx > original": original + 1}
    for length, item in gives.get("by_length", {}).items():
        used = sizes.get(length) or int(length)
        layer = next(iter(pecli.model(str(path), seq_len=used).data["layers"].values()))
        found = of_layer({**layer, "base": layer.get("scaled_base")}, {"rtol": gives.get("rtol", 0), **item})
        yield from (f"at {length}: {text}" for text in found)


def of_model(data: Data, gives: Gives) -> Iterator[str]:
    """Yield the differences in a whole model, as ``pecli model --json`` prints it."""
    layers, kind = data["layers"], "sincos2d" if gives.get("family") == "2d" else gives["kind"]
    named = [name for name, layer in layers.items() if layer["kind"] == kind]
    if not named:
        yield f"kind is {[layer['kind'] for layer in layers.values()]}, not {kind}"
        return
    layer = layers[next((name for name in ("all", "full_attention") if name in named), named[0])]
    yield from of_layer(layer, gives)
    yield from of_kinds(layers, layer, gives)
    yield from of_scores(layers, layer, gives)
    parts = {"also": layers.get("learned"), "timestep": layers.get("timestep"), "text": layer}
    parts["vision"] = next(iter(data["towers"].get("vision", {"layers": {}})["layers"].values()), None)
    for name, part in parts.items():
        if gives.get(name):
            yield from of_layer(part, gives[name]) if part else [f"no {name}"]


def of_kinds(layers: Data, layer: Data, gives: Gives) -> Iterator[str]:
    """Yield the layers of a different kind, and the differences in each kind."""
    named = {name: [layers[item] for item in items if item in layers] for name, items in KINDS.items()}
    for name, indices in (gives.get("layers") or {}).items():
        found: Any = named[name][0]["layer_indices"] if named.get(name) else []
        if name == "all":
            found = sum(len(item["layer_indices"]) for item in layers.values())
        elif gives.get("same_rope_in_all_layers"):
            own = {*layer["attention_window_layers"]}
            found = [at for at in layer["layer_indices"] if (at in own) == (name == "sliding")]
        if found != indices:
            yield f"{name} layers are {found}, not {indices}"
    for name, item in gives.get("kinds", {}).items():
        yield from of_layer(named[name][0], item) if named[name] else [f"no {name} layers"]
    if "chunk" in gives and layer["attention_window"] != gives["chunk"]["size"]:
        yield f"chunks of {layer['attention_window']}"


def of_scores(layers: Data, layer: Data, gives: Gives) -> Iterator[str]:
    """Yield the differences in factors of scores that depend on the position."""
    expected, warm = gives.get("temperature") or {}, [item for item in layers.values() if item.get("temperature")]
    every = expected.get("layers") == "all"
    if len(warm) != (len(layers) if every else bool(expected)) and ("temperature" in gives or warm):
        yield f"temperature in {len(warm)} of {len(layers)} kinds of layers"
    for rule in (item["temperature"] for item in warm):
        for position, value in expected.get("at", {}).items():
            found = 1 + rule["scale"] * log(1 + floor((int(position) + rule["offset"]) / rule["length"]))
            if not isclose(found, value, rel_tol=1e-6):
                yield f"temperature at {position} is {found}, not {value}"
    for key in ("chunk_length", "largest_distance_seen"):
        value, found = gives.get("dual_chunk", {}).get(key), (layer.get("dual_chunk") or {}).get(key)
        if value != found:
            yield f"{key} is {found}, not {value}"


def of_layer(layer: Data, gives: Gives) -> Iterator[str]:
    """Yield the differences in one kind of layers."""
    rtol = max(gives.get("rtol", 0), TOLERANCE)
    own = {key: value for key, value in layer.items() if value is not None}
    if own.get("grid"):
        own = {"grid_start": 0.0, "grid_step": 1.0, **own}
    if own.get("kind") == "rope":
        own["width"] = own.get("head_dim")
    for key, name in NUMBERS.items():
        ours = own.get("kind") == "rope" or key != "score_factor"  # tables have no score factor
        if gives.get(key) is not None and ours and not alike(own.get(name), gives[key], rtol):
            yield f"{key} is {str(own.get(name))[:60]}, not {str(gives[key])[:60]}"
    if gives.get("context") and gives["context"] not in (own.get("max_position"), own.get("extended")):
        yield f"context is {own.get('max_position')}, not {gives['context']}"
    rule = (gives.get("scaling") or {}).get("type", "default")
    if "scaling" in gives and own.get("scaling") != rule:
        yield f"scaling is {own.get('scaling')}, not {rule}"
    yield from of_axes(own, gives)


def of_axes(own: Data, gives: Gives) -> Iterator[str]:
    """Yield the differences along the axes of a grid."""
    by_axis = own.get("axis_rates") or {}
    letters = LETTERS | dict(zip(("first", "second"), by_axis, strict=False))
    for name, rates in (gives.get("axes") or {}).items():
        if not alike(by_axis.get(letters[name]), rates, 2e-6):
            yield f"rates of {name} are {str(by_axis.get(letters[name]))[:60]}, not {str(rates)[:60]}"
    first = LETTERS.get({"row": "height", "column": "width"}.get(gives.get("order", "?").split()[0], ""))
    if first and own.get("axes") and own["axes"][0] != first:
        yield f"axes are {own['axes']}, not {gives['order']}"
    scales = gives.get("position_scale") if "grid" in gives else None
    if scales is not None and not alike(own.get("grid_step"), scales[0] if isinstance(scales, list) else scales):
        yield f"positions are times {own.get('grid_step')}, not {scales}"
    if "axes_lengths" in gives and list(gives["axes_lengths"].values()) != own.get("axis_lengths"):
        yield f"lengths of axes are {own.get('axis_lengths')}"
    if "first_row_of_table" in gives:
        row = pecli.encoding(own["spec"]).table(np.array([1]))[0][:4].tolist()
        if not alike(row, gives["first_row_of_table"], 1e-5):
            yield f"the second row of the table begins {row}, not {gives['first_row_of_table']}"


def alike(found: Any, value: Any, rtol: float = TOLERANCE) -> bool:
    """Return whether numbers, lists of numbers or thinned lists are equal within a relative tolerance."""
    if isinstance(value, list):
        same = isinstance(found, list) and len(found) == len(value)
        return same and all(alike(one, other, rtol) for one, other in zip(found, value, strict=True))
    if isinstance(value, dict):
        same = isinstance(found, list) and len(found) == value["count"]
        return same and all(alike(found[int(at)], one, rtol) for at, one in value.items() if at != "count")
    if isinstance(found, (int, float)) and isinstance(value, (int, float)):
        return isclose(found, value, rel_tol=rtol)
    return bool(found == value)


def counted(folder: Path | None, cases: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each case that is not right, then a table by dialect."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    with tempfile.TemporaryDirectory() as place:
        for name, case in cases.items():
            path = folder / name / case["file"] if folder else written(Path(place) / name, case)
            result, why = verdict(path, case["gives"])
            counts[name.partition("-")[0]][result] += 1
            if result != "right":
                yield f"{result:8} {name}: {'; '.join(why)[:400]}"
    names = ("right", "wrong", "refused")
    total = {name: sum(item[name] for item in counts.values()) for name in names}
    yield f"{'':12}" + "".join(f"{name:>8}" for name in names)
    for dialect, item in [*counts.items(), ("all", total)]:
        yield f"{dialect:12}" + "".join(f"{item[name]:8}" for name in names)


def main(words: list[str]) -> None:
    folder = next((Path(word) for word in words if not word.startswith("-")), None)
    cases = cases_of(folder) if folder else json.loads(STORED.read_text(encoding="utf-8"))
    if "--store" in words:
        lines = (f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items())
        STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    sys.stdout.writelines(f"{line}\n" for line in counted(folder, cases))


if __name__ == "__main__":
    main(sys.argv[1:])
