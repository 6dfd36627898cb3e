"""Collect the positions in each model type of transformers, from models built with the default configs.

``python -m tests.models.make_released_models`` writes tests/data/released_models.json.xz in about ten minutes; it needs
torch and transformers. It stores kinds of layer, pairs, rates and tables. Models are built on the meta device, where
only the rates of rotary modules are real. With names of types as arguments, it prints their results and writes nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import lzma
import math
import multiprocessing
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "data" / "released_models.json.xz"
SECONDS = 150  # time limit for one type
TASKS = ("PRETRAINING", "CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "SEQ_TO_SEQ_CAUSAL_LM", "BACKBONE", "SPEECH_SEQ_2_SEQ")
TOWER = re.compile(
    r"(^|[._])(vision|visual|vit|image|audio|speech|sam|vqmodel|vq|pixel|acoustic|semantic_tokenizer|qformer|perceiver"
    r"|resampler|connector|projector|codec|depth|backbone|mask_decoder|speaker|token2wav|talker|code_predictor|code2wav"
    r"|dit|vae|flow|tokenizer|aligner|abstractor|video|high_res)(\d|_|[.]|$)"
)
# modules without positions
OTHER = re.compile(r"(?i)time_?embed|timestep|diffusion_?head|noise|compressor|query_position")
NO_TABLE = re.compile(r"norm|adapter|^post_|type|compos|expos|proj|dense|fc|class_pos_emb")
RELATIVE = re.compile(
    r"rel_attn|relative|rel_pos|bias_table|attention_bias|r_[rw]_bias|rel_embeddings|pos_bias_[uv]|bias_[uv]$"
    r"|emb_rel_|rel_logits|distance_embedding"
)
SINES = re.compile(r"(?i)sinus|SinePos|SinusoidalPos|PositionalEncoding$|CanaryPosition|FunAsrNanoPosition")
SINES_KEPT = re.compile(r"sinus|^embed_positions|^position(al)?_embeddings?$|^pos_encoding$|pos_embeds?$")
ROTATED = re.compile(r"apply_\w*(rotary|rope|rotate)\w*|rotate_half|rotate_every_two|multi_dimensional_rope")


def main() -> None:
    """Write the file, or print the results for the types named as arguments."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    if sys.argv[1:]:
        rows = {name: row_of(name) for name in sys.argv[1:]}
        sys.stdout.write("".join(f"{name} {json.dumps(row)}\n" for name, row in rows.items()))
        return
    rows = rows_of(list(CONFIG_MAPPING_NAMES))
    built = {name: row for name, row in sorted(rows.items()) if "kinds" in row}
    without = {name: rows.get(name, {}).get("error", "stopped") for name in CONFIG_MAPPING_NAMES if name not in built}
    data = {"transformers": transformers.__version__, "types": built, "not built": without}
    TARGET.write_bytes(lzma.compress(json.dumps(data, separators=(",", ":")).encode(), preset=9))
    sys.stdout.write(f"{len(built)} of {len(rows)} types, {TARGET.stat().st_size:,} bytes\n")


def rows_of(names: list[str]) -> dict[str, dict[str, Any]]:
    """Return the facts on each type, computed in two processes at a time."""
    import torch
    import transformers

    transformers.logging.set_verbosity(50)
    torch.set_num_threads(1)
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=8) as pool:
        asked = {name: pool.apply_async(row_of, (name,)) for name in names}
        done, idle = 0, 0
        while idle < SECONDS and done < len(names):  # a type that crashed its process never answers
            time.sleep(1)
            ready = sum(answer.ready() for answer in asked.values())
            done, idle = ready, 0 if ready > done else idle + 1
            sys.stderr.write(f"{done} of {len(names)}\n" if idle == 0 else "")
        return {name: answer.get() for name, answer in asked.items() if answer.ready()}


def row_of(name: str) -> dict[str, Any]:
    """Return the facts on one type; without kinds if its default config builds no model."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        config = CONFIG_MAPPING[name]()
        model = built(config)
        words = json.loads(config.to_json_string(use_diff=True))
        return {"config": words, **facts_of(model, name), "variants": variants_of(model, name, words)}
    except BaseException as error:  # a model's code may raise anything
        return {"error": repr(error)[:200]}
    finally:
        signal.alarm(0)


def built(config: Any) -> Any:
    """Return the first model that its classes build from a config, with weights on the meta device."""
    import torch

    makers = {name: getattr(torch, name) for name in ("empty", "zeros", "ones", "randn", "rand")}
    reason = Exception("no class takes the config")
    for name, make in makers.items():
        setattr(torch, name, on_meta(make, 0 if name == "empty" else MANY))
    for part in (config, *vars(config).values()):  # a padding id beyond the default vocabulary
        if isinstance(getattr(part, "pad_token_id", None), int) and isinstance(getattr(part, "vocab_size", None), int):
            with contextlib.suppress(Exception):  # some configs need a number
                part.pad_token_id = part.pad_token_id if part.pad_token_id < part.vocab_size else None
    try:
        for kind in classes_of(config):
            init, kind.init_weights = kind.init_weights, lambda self: None
            try:
                return kind(config)
            except Exception as error:
                reason = error
            finally:
                kind.init_weights = init
    finally:
        for name, make in makers.items():
            setattr(torch, name, make)
    raise reason


MANY = 1 << 23  # tensors with more numbers are weights, not positions


def on_meta(make: Any, most: int) -> Any:
    """Return a version of a tensor factory that puts tensors with more than `most` numbers on the meta device."""

    def made(*sizes: Any, **options: Any) -> Any:
        whole = sizes[0] if sizes and isinstance(sizes[0], (tuple, list)) else sizes
        numbers = math.prod(size for size in whole if isinstance(size, int))
        return make(*sizes, **({**options, "device": "meta"} if numbers > most else options))

    return made


def classes_of(config: Any) -> list[Any]:
    """Return the model classes for a config: those registered in the library, otherwise all in its modeling file."""
    from transformers import AutoModel, PreTrainedModel
    from transformers.models.auto import modeling_auto

    found: list[Any] = []
    for mapping in (AutoModel._model_mapping, *(getattr(modeling_auto, f"MODEL_FOR_{task}_MAPPING") for task in TASKS)):
        if type(config) in mapping:
            kinds = mapping[type(config)]
            found += kinds if isinstance(kinds, (tuple, list)) else [kinds]
    if found:
        return found
    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    models: list[Any] = [
        item for item in vars(module).values() if inspect.isclass(item) and issubclass(item, PreTrainedModel)
    ]
    found = [item for item in models if item.config_class is type(config) and "PreTrainedModel" not in item.__name__]
    return sorted(found, key=lambda item: not item.__name__.endswith("Model"))


def facts_of(model: Any, name: str) -> dict[str, Any]:
    """Return kinds, rates, tables and biases of the language model and of its towers, and the pairing of columns."""
    sources = sorted({type(module).__module__ for module in model.modules() if ".models." in type(module).__module__})
    source = "\n".join(inspect.getsource(sys.modules[item]) for item in sources)
    keys = {"rope": "rates", "learned": "tables", "relative": "biases"}
    parts: dict[str, dict[str, Any]] = {
        side: {"kinds": set(), "resized": set(), **{key: [] for key in keys.values()}} for side in ("text", "tower")
    }
    if re.search(r"def build_\w*alibi", source) and getattr(model.config, "alibi", True):
        parts["text"]["kinds"].add("alibi")
    for path, module in model.named_modules():
        if "PositionalConv" in type(module).__name__ and not is_called(model, path):  # as in Wav2Vec2-Conformer
            continue
        part = parts["tower" if TOWER.search(path) else "text"]
        for kind, value in facts_of_module(path, module, source):
            part["kinds"].add(kind)
            if value is not None and value not in part[keys[kind]]:
                part[keys[kind]].append(value)
            if kind == "learned":
                part["resized"] |= resizing(model, path)
    if not parts["text"]["kinds"] or re.search("vision|audio|image", name):  # a tower by itself
        text, tower = parts.values()
        both = {key: [*text[key], *(item for item in tower[key] if item not in text[key])] for key in text}
        parts = {"text": both, "tower": {key: [] for key in both}}
    for part in parts.values():
        part["kinds"] = sorted({"rope" if kind == "rope?" else kind for kind in part["kinds"]})
        part["resized"] = sorted(part["resized"])
    turns = [pairing for pairing in ("half", "interleaved") if re.search(PAIRING[pairing], source, re.DOTALL)]
    if len(turns) == 2 and hasattr(model.config, "rope_interleave"):
        turns = [turns[model.config.rope_interleave]]
    return {key: {side: part[key] for side, part in parts.items()} for key in ("kinds", "resized", *keys.values())} | {
        "pairing": turns if "rope" in {kind for part in parts.values() for kind in part["kinds"]} else [],
        "layers": layers_of(model),
    }


def is_called(model: Any, path: str) -> bool:
    """Return whether the code of the module that holds the module at this path calls it."""
    holder, _, name = path.rpartition(".")
    return not name or f"self.{name}(" in inspect.getsource(type(model.get_submodule(holder)))


def resizing(model: Any, path: str) -> set[str]:
    """Return whether a table is resized for other image sizes: always, only if asked, or never."""
    import torch

    inside = isinstance(model.get_submodule(path), torch.nn.Embedding)
    owner = model.get_submodule(path.rpartition(".")[0]) if inside else model.get_submodule(path)
    if not re.search(r"interpolat|resize_pos|resample|grid_sample|get_abs_pos", inspect.getsource(type(owner))):
        return set()
    return {"asked" if "interpolate_pos_encoding" in inspect.signature(owner.forward).parameters else "always"}


PAIRING = {
    "half": r"def rotate_half\((?:(?!\ndef ).)*shape\[-1\] // 2",
    "interleaved": r"def rotate_\w+\((?:(?!\ndef ).)*\d?::2|view_as_complex|apply_rotary_pos_emb_interleave"
    r"|def apply_rotary_position_embeddings",
}


def facts_of_module(path: str, module: Any, source: str) -> list[tuple[str, Any]]:
    """Return the kinds of positions that a module implements, each with its rates or the shape of its table."""
    kind = type(module).__name__
    if OTHER.search(f"{path} {kind}"):
        return []
    named = " ".join(name for name, _ in module.named_parameters())
    if re.search("(?i)relpos|relativepos|RelativeLogits", kind) and "relative_attention_bias" not in named:
        tables = [list(weight.shape) for name, weight in module.named_parameters() if re.search(RELATIVE, name)]
        return [("relative", shape) for shape in tables] or [("relative", None)]
    found: list[tuple[str, Any]] = [("conv", None)] if "PositionalConv" in kind else []
    sines = bool(re.search("(?i)sinus", f"{kind} {path}"))
    for name, buffer in module._buffers.items():
        if buffer is None or "original" in name or name == "position_ids":
            continue
        if "inv_freq" in name and buffer.device.type == "cpu" and not sines:
            found.append(("rope", rope_of(module, name, buffer)))
            continue
        words = {SINES_KEPT.pattern: "sinusoidal", "inv_freq|rope|freqs|rotary": "rope?", "^rel": "relative"}
        found += [(word, None) for part, word in words.items() if re.search(f"(?i){part}", name)][:1]
    fixed = [name for name, value in vars(module).items() if hasattr(value, "requires_grad") and "pos" in name]
    if sines or SINES.search(kind) or any(map(SINES_KEPT.search, fixed)):
        found.append(("sinusoidal", None))
    if re.search("rotate_every_two|apply_rotary_position_embeddings", source):  # GPT-J's and RoFormer's sines turn
        return [("rope?", None) if word == "sinusoidal" else (word, value) for word, value in found]
    return [item for item in found + tables_of_module(path, module) if item != ("rope?", None) or not sines]


def rope_of(module: Any, name: str, buffer: Any) -> list[Any]:
    """Return a rope's kind of layers, the factor of its cosines, its rates and the sections of M-RoPE."""
    label = name.removesuffix("inv_freq").rstrip("_")
    factor = getattr(module, f"{label}_attention_scaling" if label else "attention_scaling", 1.0)
    sections = getattr(module, "mrope_section", None)
    sections = sections.get(label) if isinstance(sections, dict) else sections
    rates = [float(f"{rate:.8g}") for rate in buffer.flatten().tolist()]
    return [label, round(float(factor), 7), rates, *([list(sections)] if sections else [])]


def tables_of_module(path: str, module: Any) -> list[tuple[str, Any]]:
    """Return the kinds of positions among a module's weights, each with the shape of its table."""
    kind = type(module).__name__
    found: list[tuple[str, Any]] = []
    for name, weight in module._parameters.items():
        full = f"{path if kind == 'ParameterList' else path.rpartition('.')[2]}.{name}"
        if weight is None or weight.dim() < 2 or NO_TABLE.search(full):
            continue
        if RELATIVE.search(f"{path}.{name}") and not re.search("(?i)norm|linear|conv", kind):
            bias = "relative_attention_bias" in full or "position_bias_relative" in path
            found.append(("t5", None) if bias else ("relative", list(weight.shape)))
        elif re.search("pos|wpe|row_embedder|column_embedder", full) and not re.search("(?i)norm|linear|conv", kind):
            random = name == "positional_embedding" and len(weight) == 2  # SAM's frequencies
            fixed = random or not weight.requires_grad or bool(SINES.search(kind))
            found.append(("sinusoidal", None) if fixed else ("learned", list(weight.shape)))
    return found


class Turned(Exception):
    """Raised to signal that a layer rotates its queries and keys."""


def layers_of(model: Any) -> dict[str, Any] | None:
    """Return the number of layers, and which of them rotate queries and keys; None if the model cannot run.

    Each layer runs alone, with its rotation replaced by a function that raises `Turned`; its input is then passed on.
    """
    import torch

    stacks = {
        path: module
        for path, module in model.named_modules()
        if re.search(r"(^|\.)(layers|h|blocks|layer)$", path) and hasattr(module, "append") and not TOWER.search(path)
    }
    if not stacks:
        return None
    path, layers = max(stacks.items(), key=lambda item: len(item[1]))
    model.to("meta", torch.bfloat16)  # required by grouped products of experts
    owner = model.get_submodule(path.rpartition(".")[0])
    names = inspect.signature(owner.forward).parameters
    words = torch.zeros(1, 3, dtype=torch.long, device="meta")
    given = {key: words for key in ("input_ids", "input_values") if key in names}
    for more in (None, (), (None,)):  # further return values of a layer
        turned: dict[int, bool | None] = {}
        with contextlib.ExitStack() as kept:
            for at, layer in enumerate(layers):
                kept.callback(setattr, layer, "forward", layer.forward)
                layer.forward = probe(layer, at, turned, more)
            space = vars(sys.modules[type(owner).__module__])
            masks = {key: value for key, value in space.items() if re.fullmatch(r"create_\w*mask\w*", key)}
            kept.callback(space.update, masks)
            space.update(dict.fromkeys(masks, no_mask))
            whole = False
            with contextlib.suppress(Exception):
                owner(**given, use_cache=False)
                whole = True
        if whole or len(turned) == len(layers):
            break
    else:
        return None
    if not turned or None in turned.values():
        return None
    return {"count": len(layers), "rope": runs([layer for layer, turns in turned.items() if turns])}


def probe(layer: Any, at: int, turned: dict[int, bool | None], more: tuple[None, ...] | None) -> Any:
    """Return a forward method that records whether a layer rotates, and returns its input."""
    forward, spaces = layer.forward, {type(module).__module__ for module in layer.modules()}
    attends = any("Attention" in type(module).__name__ for module in layer.modules())

    def run(hidden_states: Any, *args: Any, **options: Any) -> Any:
        with contextlib.ExitStack() as kept:
            for space in (vars(sys.modules[name]) for name in spaces if ".models." in name):
                found = {key: value for key, value in space.items() if ROTATED.fullmatch(key) and callable(value)}
                kept.callback(space.update, found)
                space.update(dict.fromkeys(found, stop_turning))
            try:
                forward(hidden_states, *args, **options)
                turned[at] = False
            except Turned:
                turned[at] = True
            except Exception:
                turned[at] = None if attends else False
        return hidden_states if more is None else (hidden_states, *more)

    return run


def no_mask(*_: Any, **__: Any) -> None:
    """Return None in place of a mask, which would need real numbers."""


def stop_turning(*_: Any, **__: Any) -> None:
    raise Turned


def runs(numbers: list[int]) -> list[list[int]]:
    """Return the first and last number of each run of consecutive numbers."""
    firsts = [item for item in numbers if item - 1 not in numbers]
    lasts = [item for item in numbers if item + 1 not in numbers]
    return [list(pair) for pair in zip(firsts, lasts, strict=True)]


SCALINGS: dict[str, dict[str, Any]] = {
    "plain": {"rope_type": "default"},
    "partial": {"rope_type": "default", "partial_rotary_factor": 0.5},
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 2.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024},
    "yarn exact": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024, "truncate": False},
    "longrope": {"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 1024},
    "llama3": {
        "rope_type": "llama3",
        "factor": 8.0,
        "original_max_position_embeddings": 1024,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
    },
    "proportional": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "factor": 2.0},
}
THETA = 23456.0
OLDER = {"rope_theta": THETA, "rope_scaling": {"type": "linear", "factor": 4.0}}


def variants(words: dict[str, Any], pairs: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each kind of scaling with the config keys that select it, which replace the config's own rope keys."""
    given = words.get("rope_parameters") or {}
    kinds = [key for key, value in given.items() if isinstance(value, dict)]
    for rule, own in SCALINGS.items():
        lists = {"short_factor": [1.0] * pairs, "long_factor": [2.0] * pairs} if rule == "longrope" else {}
        one = {"rope_theta": THETA, **own, **lists}
        yield rule, {"rope_parameters": dict.fromkeys(kinds, one) if kinds else one}
    yield "older keys", OLDER
    plain = {"rope_theta": THETA, **SCALINGS["plain"]}
    yield "partial at the top", {"partial_rotary_factor": 0.5, "rope_parameters": plain}
    yield "minimal", {}


def with_variant(words: dict[str, Any], rule: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Return a config with its rope keys replaced by those of a variant; a minimal variant has only the type."""
    rest = () if rule == "minimal" else words.items()
    kept = {key: value for key, value in rest if not re.search("rope|rotary|theta", key) or key == "qk_rope_head_dim"}
    config: dict[str, Any] = json.loads(json.dumps({**kept, "model_type": words["model_type"], **keys}))  # a copy
    return config


def variants_of(model: Any, name: str, words: dict[str, Any]) -> dict[str, Any]:
    """Return for each kind of scaling the ropes that the language model's own module makes of it; None if it raises."""
    found: dict[Any, Any] = {}
    for module in model.modules():
        if any("inv_freq" in key for key in module._buffers) and getattr(module, "config", None) is not None:
            found |= {type(module): module.config} if module.config.model_type == name else {}
    if len(found) != 1:
        return {}
    ((kind, config),) = found.items()
    pairs = max(buffer.numel() for key, buffer in kind(config)._buffers.items() if "inv_freq" in key)
    result: dict[str, Any] = {"pairs": pairs}
    for rule, keys in variants(words, pairs):
        try:
            module = kind(type(config)(**with_variant(words, rule, keys)))
            names = [key for key in module._buffers if "inv_freq" in key and "original" not in key]
            ropes = [rope_of(module, key, module._buffers[key]) for key in names]
            result[rule] = [[label, factor, sample(rates)] for label, factor, rates, *_ in ropes]
        except Exception as error:
            result[rule] = repr(error)[:60]
    return result


def sample(rates: list[float]) -> list[float]:
    """Return the number of rates, and five of them from the first to the last."""
    return [len(rates), *(rates[at * (len(rates) - 1) // 4] for at in range(5))]


if __name__ == "__main__":
    main()
