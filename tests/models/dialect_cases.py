"""Files of many programs, what is right of each, and whether `pecli model` says so.

``python -m tests.models.dialect_cases FOLDER`` prints which of the cases in a folder are right, wrong and refused, by
dialect; without a folder it takes the stored ones, and with ``--store`` those of the folder are stored. A case is a
folder with a file and expect.json.
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

import pecli
from pecli.core.errors import PecliError
from tests.models.gguf_files import gguf

STORED = Path(__file__).parents[1] / "data" / "dialects" / "cases.json"
EVERY = 7  # of a list of rates so many are stored, and the last
TOLERANCE = 3e-7  # of numbers that are rounded to ten digits or to float32
NUMBERS = {  # of a case, and what pecli calls them
    **{name: name for name in ("head_dim", "rotary_dim", "original", "width", "score_factor", "base", "shift")},
    "theta": "base",
    "rows": "length",
    "rows_before": "first_row",
    "cos_sin_factor": "attention_factor",
    "position_offset": "grid_start",
    "axes_widths": "axis_widths",
}
LETTERS = {"time": "t", "frame": "t", "text": "x", "height": "h", "width": "w"}
NAMES = {"full": ("full_attention", "all"), "sliding": ("sliding_attention",), "nope": ("full_attention", "no_rope"),
         "rope": ("chunked_attention", "full_attention")}  # fmt: skip


class Rates(list[float]):
    """A list of rates of which every seventh is known, and how many there are."""


def thinned(value: Any) -> Any:
    """Return an expectation with every seventh number of its long lists, by place."""
    if isinstance(value, dict):
        return {key: thinned(item) for key, item in value.items()}
    if isinstance(value, list) and len(value) > 2 * EVERY and isinstance(value[0], float):
        return {
            "count": len(value),
            **{str(at): value[at] for at in sorted({*range(0, len(value), EVERY), len(value) - 1})},
        }
    return value


def cases_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the cases in a folder by name: file, content and what is right."""
    cases = {}
    for place in sorted(folder.glob("*/expect.json")):
        expected = json.loads(place.read_text(encoding="utf-8"))
        file = next(item for item in sorted(place.parent.rglob("*")) if item.is_file() and item != place)
        gives = {key: item for key, item in expected.items() if key not in ("how", "source", "notes", "runtimes")}
        name = str(file.relative_to(place.parent))
        cases[place.parent.name] = {"file": name, "content": content_of(file), "gives": thinned(gives)}
    return cases


def content_of(file: Path) -> Any:
    """Return what is in a file: keys and tensors of GGUF, an object of JSON, a text of YAML."""
    if file.suffix == ".gguf":
        from pecli.models.gguf import read_gguf

        with file.open("rb") as opened:
            return {key: value for key, value in read_gguf(opened).items() if not key.startswith("tokenizer")}
    text = file.read_text(encoding="utf-8")
    return json.loads(text) if file.suffix == ".json" else text


def written(folder: Path, case: Mapping[str, Any]) -> Path:
    """Write the file of a case into a folder and return it."""
    path, content = folder / case["file"], case["content"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gguf":
        path.write_bytes(gguf(content))
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def verdict(path: Path, gives: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return right, wrong or refused, and what is wrong."""
    error = gives.get("kind") == "rope" and "inv_freq" in gives and gives["inv_freq"] is None
    try:
        data = pecli.model(str(path)).data
    except PecliError as failure:
        return ("right" if error else "refused"), [failure.text]
    if error:
        found = [layer.get("inv_freq") for layer in data["layers"].values()]
        stopped = any(finding["level"] == "error" for finding in data["findings"])
        return ("right", []) if stopped and not any(found) else ("wrong", ["rates, and there are none to know"])
    trouble = [item for layer in data["layers"].values() if layer["kind"] == "rope" and not layer.get("inv_freq")
               for item in ["no rates"]]  # fmt: skip
    if trouble and any(finding["level"] == "error" for finding in data["findings"]):
        return "refused", [f"{item['key']}: {item['text']}" for item in data["findings"] if item["level"] == "error"]
    wrong = list(differences(data, gives))
    for length, item in gives.get("by_length", {}).items():
        original = gives.get("original", 1)
        used = {"n_ctx <= original": original, "n_ctx > original": original + 1}.get(length) or int(length)
        layers = pecli.model(str(path), seq_len=used).data["layers"]
        layer = next(iter(layers.values()))
        layer["base"] = layer.get("scaled_base")
        wrong += [f"at {length}: {text}" for text in of_layer(layer, item, tolerance(gives))]
    return ("wrong" if wrong else "right"), wrong


def tolerance(gives: Mapping[str, Any]) -> float:
    return max(gives.get("rtol", 0), TOLERANCE)


def differences(data: Mapping[str, Any], gives: Mapping[str, Any]) -> Iterator[str]:
    """Yield what pecli says otherwise, as ``pecli model --json`` has it."""
    layers, kind = data["layers"], gives["kind"]
    if gives.get("family") == "2d":
        kind = "sincos2d"
    wanted = [name for name, layer in layers.items() if layer["kind"] == kind]
    if not wanted:
        yield f"kind is {[layer['kind'] for layer in layers.values()]}, not {kind}"
        return
    layer = layers[next((name for name in ("all", "full_attention") if name in wanted), wanted[0])]
    yield from of_layer(layer, gives, tolerance(gives))
    for name, indices in (gives.get("layers") or {}).items():
        if name == "all":
            found: Any = sum(len(item["layer_indices"]) for item in layers.values())
        elif gives.get("same_rope_in_all_layers"):
            own = set(layer["attention_window_layers"])
            found = [at for at in layer["layer_indices"] if (at in own) == (name == "sliding")]
        else:
            named = [layers[item] for item in NAMES[name] if item in layers]
            found = named[0]["layer_indices"] if named else []
        if found != indices:
            yield f"{name} layers are {found}, not {indices}"
    for name, item in gives.get("kinds", {}).items():
        named = [layers[key] for key in NAMES[name] if key in layers]
        yield from of_layer(named[0], item, tolerance(gives)) if named else [f"no {name} layers"]
    for name, place in (("also", "learned"), ("timestep", "timestep")):
        if name in gives:
            other = layers.get(place)
            yield from of_layer(other, gives[name], tolerance(gives)) if other else [f"no {place}"]
    for name in ("vision", "text"):
        if gives.get(name):
            towers = data["towers"].get(name, {"layers": layers} if name == "text" else {"layers": {}})["layers"]
            yield from of_layer(next(iter(towers.values()), {}), gives[name], tolerance(gives))
    if gives.get("temperature"):
        warm = [item for item in layers.values() if item.get("temperature")]
        if not warm or (gives["temperature"]["layers"] == "all") != (len(warm) == len(layers)):
            yield f"temperature in {len(warm)} of {len(layers)} kinds of layers"
        for item in warm:
            rule = item["temperature"]
            for position, value in gives["temperature"]["at"].items():
                found = 1 + rule["scale"] * log(1 + floor((int(position) + rule["offset"]) / rule["length"]))
                if not isclose(found, value, rel_tol=1e-6):
                    yield f"temperature at {position} is {found}, not {value}"
    if (
        "temperature" in gives
        and gives["temperature"] is None
        and any(item.get("temperature") for item in layers.values())
    ):
        yield "a temperature"
    if "chunk" in gives and layer["attention_window"] != gives["chunk"]["size"]:
        yield f"chunks of {layer['attention_window']}"
    if chunks := gives.get("dual_chunk"):
        found = layer.get("dual_chunk") or {}
        for key in ("chunk_length", "largest_distance_seen"):
            if found.get(key) != chunks[key]:
                yield f"{key} is {found.get(key)}, not {chunks[key]}"


def of_layer(layer: Mapping[str, Any], gives: Mapping[str, Any], rtol: float) -> Iterator[str]:
    """Yield what is otherwise in one kind of layers."""

    def alike(one: Any, other: Any, rel: float = rtol) -> bool:
        if isinstance(other, list):
            return isinstance(one, list) and len(one) == len(other) and all(map(alike, one, other))
        if isinstance(other, dict) and "count" in other:
            places = [key for key in other if key != "count"]
            return (
                isinstance(one, list)
                and len(one) == other["count"]
                and all(alike(one[int(p)], other[p]) for p in places)
            )
        if isinstance(one, (int, float)) and isinstance(other, (int, float)):
            return isclose(one, other, rel_tol=rel, abs_tol=0)
        return bool(one == other)

    for key, own in NUMBERS.items():
        if gives.get(key) is not None and not alike(layer.get(own), gives[key]):
            yield f"{key} is {layer.get(own)}, not {gives[key]}"
    for key, own in (("pairing", "pairing"), ("inv_freq", "inv_freq"), ("slopes", "slopes"), ("rates", "inv_freq"),
                     ("axes_rates", "axis_rates")):  # fmt: skip
        if gives.get(key) is not None and not alike(layer.get(own), gives[key]):
            shown = str(layer.get(own))[:60]
            yield f"{key} is {shown}, not {str(gives[key])[:60]}"
    for name, rates in (gives.get("axes") or {}).items():
        letters = layer.get("axes") or ""
        letter = LETTERS.get(name) or dict(zip(("first", "second"), dict.fromkeys(letters), strict=False)).get(name)
        own = [rate for rate, axis in zip(layer.get("inv_freq") or [], letters, strict=False) if axis == letter]
        if not alike(own, rates, 2e-6):
            yield f"rates of {name} are {str(own)[:60]} ({letters[:6]}…), not {str(rates)[:60]}"
    if gives.get("grid") and list(layer.get("grid") or []) != gives["grid"]:
        yield f"grid is {layer.get('grid')}, not {gives['grid']}"
    if gives.get("context") and gives["context"] not in (layer.get("max_position"), layer.get("extended")):
        yield f"context is {layer.get('max_position')}, not {gives['context']}"
    if "flip_sin_to_cos" in gives and layer.get("flip") != gives["flip_sin_to_cos"]:
        yield f"flip is {layer.get('flip')}"
    if "scaling" in gives:
        rule = (gives["scaling"] or {}).get("type", "default")
        own = layer.get("scaling")
        if own != rule and (own, rule) not in ({("divisors", "linear"), ("divisors", "llama3")}):
            yield f"scaling is {own}, not {rule}"
    scale = gives.get("position_scale")
    if (
        scale is not None
        and "inv_freq" not in gives
        and not alike(layer.get("grid_step") or 1.0, scale[0] if isinstance(scale, list) else scale)
    ):
        yield f"positions are times {layer.get('grid_step')}, not {scale}"
    if "axes_lengths" in gives and list(gives["axes_lengths"].values()) != layer.get("axis_lengths"):
        yield f"lengths of axes are {layer.get('axis_lengths')}"
    if "first_row_of_table" in gives:
        import numpy as np

        at = pecli.encoding(layer["spec"]).table(np.array([1]))[0][:4].tolist()
        if not all(isclose(a, b, rel_tol=1e-5) for a, b in zip(at, gives["first_row_of_table"], strict=True)):
            yield f"the second row of the table begins {at}, not {gives['first_row_of_table']}"


def main(words: list[str]) -> None:
    folder = next((Path(word) for word in words if not word.startswith("-")), None)
    cases = cases_of(folder) if folder else json.loads(STORED.read_text(encoding="utf-8"))
    if "--store" in words:
        STORED.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in cases.items()) + "\n}\n")
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    with tempfile.TemporaryDirectory() as place:
        for name, case in cases.items():
            path = folder / name / case["file"] if folder else written(Path(place) / name, case)
            result, why = verdict(path, case["gives"])
            counts[name.partition("-")[0]][result] += 1
            if result != "right" or "-v" in words:
                print(f"{result:8} {name}: {'; '.join(why)[:400]}")
    names = ("right", "wrong", "refused")
    print(f"{'':12}" + "".join(f"{name:>8}" for name in names))
    total = {name: sum(item[name] for item in counts.values()) for name in names}
    for dialect, item in [*counts.items(), ("all", total)]:
        print(f"{dialect:12}" + "".join(f"{item[name]:8}" for name in names))


if __name__ == "__main__":
    main(sys.argv[1:])
