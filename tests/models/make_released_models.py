"""What each type of transformers builds from its default config, read off the library: kinds, pairs, rates, tables.

``python -m tests.models.make_released_models`` writes tests/data/released_models.json.xz in about five minutes; it
needs torch and transformers. Models are built on the meta device, where only the rates of rotary modules are real.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import lzma
import multiprocessing
import re
import signal
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "data" / "released_models.json.xz"
SECONDS = 150  # for one type
TASKS = ("PRETRAINING", "CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "SEQ_TO_SEQ_CAUSAL_LM", "BACKBONE", "SPEECH_SEQ_2_SEQ")
TOWER = re.compile(
    r"(^|[._])(vision|visual|vit|image|audio|speech|sam|vqmodel|vq|pixel|acoustic|semantic_tokenizer|qformer|perceiver"
    r"|resampler|connector|projector|codec|depth|backbone|mask_decoder|speaker|token2wav|talker|code_predictor|code2wav"
    r"|dit|vae|flow|tokenizer|aligner|abstractor|video|high_res)(\d|_|[.]|$)"
)
NO_TABLE = re.compile(r"norm|adapter|^post_|type|compos|expos|proj|dense|fc|class_pos_emb")
RELATIVE = re.compile(r"rel_attn|relative|rel_pos|bias_table|attention_bias|r_r_bias|r_w_bias|rel_embeddings")


def main() -> None:
    """Write the file."""
    import torch
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    transformers.logging.set_verbosity(50)
    torch.set_num_threads(1)
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=8) as pool:
        names, rows = sys.argv[1:] or list(CONFIG_MAPPING_NAMES), []
        answers = pool.imap_unordered(row_of, names)
        with contextlib.suppress(StopIteration, multiprocessing.TimeoutError):  # a process that a type has killed
            while True:
                rows.append(answers.next(SECONDS + 30))
                sys.stderr.write(f"{len(rows)} {rows[-1]['type']}\n")
    built = {row.pop("type"): row for row in rows if "kinds" in row}
    without = sorted(set(names) - set(built))
    data = {"transformers": transformers.__version__, "types": built, "not built": without}
    TARGET.write_bytes(lzma.compress(json.dumps(data, separators=(",", ":")).encode(), preset=9))
    sys.stdout.write(f"{len(built)} of {len(rows)} types, {TARGET.stat().st_size:,} bytes\n")


def row_of(name: str) -> dict[str, Any]:
    """Return what is known of one type; no kinds where its default config builds no model."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        config = CONFIG_MAPPING[name]()
        model = next(filter(None, (built(kind, config) for kind in classes_of(config))))
        return {"type": name, "config": json.loads(config.to_json_string(use_diff=True)), **facts_of(model, name)}
    except BaseException as error:  # whatever a model's code raises
        return {"type": name, "error": repr(error)[:200]}
    finally:
        signal.alarm(0)


def classes_of(config: Any) -> list[Any]:
    """Return the classes that take a config: those that the library registers, else all of its modeling file."""
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
    return [
        item for item in models if item.config_class is type(config) and not item.__name__.endswith("PreTrainedModel")
    ]


def built(kind: Any, config: Any) -> Any | None:
    """Return a model whose weights take no memory and whose buffers are real."""
    import torch

    empty, init = torch.empty, kind.init_weights
    torch.empty = lambda *sizes, **options: empty(*sizes, **{**options, "device": "meta"})
    kind.init_weights = lambda self: None
    try:
        return kind(config)
    except Exception:
        return None
    finally:
        torch.empty, kind.init_weights = empty, init


def facts_of(model: Any, name: str) -> dict[str, Any]:
    """Return kinds, rates and tables of the language model and of its towers, and how the code pairs columns."""
    sources = sorted({type(module).__module__ for module in model.modules() if ".models." in type(module).__module__})
    source = "\n".join(inspect.getsource(sys.modules[item]) for item in sources)
    parts: dict[str, dict[str, Any]] = {side: {"kinds": set(), "rates": [], "tables": []} for side in ("text", "tower")}
    if re.search(r"def build_\w*alibi", source) and getattr(model.config, "alibi", True):
        parts["text"]["kinds"].add("alibi")
    for path, module in model.named_modules():
        part = parts["tower" if TOWER.search(path) else "text"]
        for kind, value in facts_of_module(path, module, source):
            part["kinds"].add(kind)
            for key in {"rope": ["rates"], "learned": ["tables"]}.get(kind, []):
                if value is not None and value not in part[key]:
                    part[key].append(value)
    if not parts["text"]["kinds"] or re.search("vision|audio|image", name):  # a tower by itself
        both = {key: [*parts["text"][key], *parts["tower"][key]] for key in ("kinds", "rates", "tables")}
        parts = {"text": both, "tower": {"kinds": [], "rates": [], "tables": []}}
    for part in parts.values():
        part["kinds"] = sorted({"rope" if kind == "rope?" else kind for kind in part["kinds"]})
    turns = [pairing for pairing in ("half", "interleaved") if re.search(PAIRING[pairing], source, re.DOTALL)]
    if len(turns) == 2 and hasattr(model.config, "rope_interleave"):
        turns = [turns[model.config.rope_interleave]]
    return {key: {side: part[key] for side, part in parts.items()} for key in ("kinds", "rates", "tables")} | {
        "pairing": turns if "rope" in {kind for part in parts.values() for kind in part["kinds"]} else []
    }


PAIRING = {
    "half": r"def rotate_half\((?:(?!\ndef ).)*shape\[-1\] // 2",
    "interleaved": r"def rotate_\w+\((?:(?!\ndef ).)*\d?::2|view_as_complex|apply_rotary_pos_emb_interleave",
}


def facts_of_module(path: str, module: Any, source: str) -> list[tuple[str, Any]]:
    """Return the kinds of positions that a module makes, each with its rates or the shape of its table."""
    kind = type(module).__name__
    if re.search("(?i)relpos|relativepos|RelativePosition", kind):
        return [("relative", None)]
    found: list[tuple[str, Any]] = [("conv", None)] if "PositionalConv" in kind else []
    for name, buffer in module._buffers.items():
        if buffer is None or "original" in name or name == "position_ids":
            continue
        if "inv_freq" in name and buffer.device.type == "cpu" and not re.search("(?i)sinus", kind):
            found.append(("rope", [float(f"{rate:.8g}") for rate in buffer.flatten().tolist()]))
            continue
        words = {"sinus|^embed_positions": "sinusoidal", "inv_freq|rope|freqs|rotary": "rope?", "^rel": "relative"}
        found += [(word, None) for part, word in words.items() if re.search(f"(?i){part}", name)][:1]
    if re.search("(?i)sinus", kind):
        found.append(("sinusoidal", None))
    if re.search("rotate_every_two|apply_rotary_position_embeddings", source):  # GPT-J's and RoFormer's sines turn
        found = [("rope?", None) if word == "sinusoidal" else (word, value) for word, value in found]
    return found + tables_of_module(path, module, source)


def tables_of_module(path: str, module: Any, source: str) -> list[tuple[str, Any]]:
    """Return the kinds of positions that its weights are, each with the shape of its table."""
    kind = type(module).__name__
    found: list[tuple[str, Any]] = []
    for name, weight in module._parameters.items():
        full = f"{path.rpartition('.')[2]}.{name}"
        if weight is None or weight.dim() < 2 or NO_TABLE.search(full) or re.search("(?i)norm|linear|conv", kind):
            continue
        if RELATIVE.search(f"{path}.{name}"):
            found.append(("t5" if "relative_attention_bias" in full else "relative", None))
        elif re.search("pos|wpe", full):
            fixed = "embed_positions" in full and "decoder" not in path and "sinusoids(" in source  # Whisper's
            fixed = fixed or bool(re.search("(?i)sinus", kind))
            found.append(("sinusoidal", None) if fixed else ("learned", list(weight.shape)))
    return found or ([("sinusoidal", None)] if re.search("SinePos|SinusoidalPos|PositionalEncoding$", kind) else [])


if __name__ == "__main__":
    main()
