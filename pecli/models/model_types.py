"""Defaults and behaviour of each model type's code, from types.toml, with one table per model_type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from pecli.models.config_file import Keys
from pecli.models.facts import BY_KIND, REMARKS, FactsError, faults, meant, read_facts

ENDINGS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "ForMaskedLM", "Model", "ForQuestionAnswering")


@dataclass(frozen=True)
class Architecture:
    """Facts about one model_type. A fact per kind of layer may also be a single value for all kinds.

    position : kind of positions, one of `facts.POSITIONS`; per stack (encoder, decoder) if they differ
    theta : the base, per kind of layer; sliding layers with a base of their own have no scaling
    base_for_all : True if rope_theta at the top level is also the base of those sliding layers
    scales_all : True if a scaling in older keys also applies to those sliding layers
    original : original_max_position_embeddings if the file does not have it at the top level
    partial : share of a head's columns that are rotated, per kind of layer
    rotary_dim : number of a head's columns that are rotated, if it is given instead of a share
    head_dim : columns of a head, per kind of layer, if not hidden_size / num_attention_heads
    pairing : "half" for pairs (j, j + d/2), "interleaved" for (2j, 2j + 1)
    always_whole : True if, without a scaling, all columns are rotated whatever partial_rotary_factor is
    parameters : rope_parameters if the file has none
    by_kind : how the code reads rope_parameters with an object per kind of layer: "only": it reads nothing else;
      "older": it also reads older keys, and adds objects that are missing; "strict": so too, but a rope_parameters
      without such objects is an error; "either": an object for all kinds is also read
    assigned : True if rope_scaling, even null, replaces rope_parameters
    bases : kinds of RoPE (a scaling applies only to the last one); each has the key of its base, the default, and
      the kinds of layer that use it
    scalings : scalings that its code accepts, if it does not accept all (it always accepts no scaling)
    needs : keys that a scaling with the head dimension in its formula requires
    softmax : True if the softmax scale is also multiplied by the square of the scaling's factor from mscale_all_dim
    reads : keys and scalings that few types read: other names of rope_theta and partial_rotary_factor
      (`facts.OTHER_KEYS`), alibi, use_mem_rope, longrope's short_mscale and long_mscale, the scaling ntk, with
      base · factor and all rates divided by factor^(2/d), and other names of scalings (`facts.OTHER_NAMES`)
    unread : keys that its code does not read
    words : further kinds of positions that position_embedding_type may select in its code; relative_key is, in
      transformers 4, a table of offsets in every layer
    speech : kinds of positions that position_embeddings_type may select in its speech encoder (other values: none);
      relative_key is a table of the offsets from −left to right, and `rope` rotates what goes into the projections
    pattern : one letter per layer (`facts.KINDS`), such as "f(ss)f": the first layers, in parentheses the layers that
      repeat, then the last layers; "-(sssn)" repeats from the last layer backwards
    last_full : True if the last layer sees all positions, whatever layer_types has for it
    blocks : entries of layer_types for one layer, if a file lists a layer's attention and MLP one by one
    interval : key of the number of layers from one with full attention to the next, or from one without a window
    full_before : number of layers at the start without a window if the file has no max_window_layers
    windowed : kinds of layer that have a window besides those that are named for it
    window_keys : keys of its attention window, the first that is present counts; by default those of `layers.SPANS`
    full_from : number of layers at the start that may have a window if the file has no max_window_layers
    halved : window keys of which its code takes half
    one_more : window keys that do not count the query's own position
    both_ways : what a number at such a key means if queries see keys on both sides, see `layers.BOTH_WAYS`
    both_if : a key and its value, if queries see both sides only with that value (false: also without the key)
    every_other_window : window of every second layer with a window, if the file has no per_layer_config
    window_opt_in : True if layers have a window only if use_sliding_window is true
    nope_layer_types : kinds of layer without RoPE
    nope_needs_window : True if those kinds do have RoPE when the file has no sliding_window
    nope_interval : every n-th layer has no RoPE
    nope_kinds : new kinds of the layers with and without RoPE; "" keeps the kind
    causal : True if T5's buckets are only for keys up to the query, as in a decoder; with two stacks, that is known
    encoder_decoder : True for two stacks, with encoder_layers and decoder_layers
    also : kinds of positions besides those of the layers, at the input or in attention
    sections, interleaved : default split of the pairs in M-RoPE
    axes : how rows and columns of patches share the pairs, as in `Rope`
    axis_names : letters of the axes in that order
    axis_shares : columns of each axis: [m, n] means m · ⌊d/n⌋, [] means the remaining columns
    scale_grid : how grid indices become coordinates, as in `Rope`
    grid_start, grid_step : coordinate of the first cell and step between cells, per axis
    grid_rule : rule that computes grid_start and grid_step from the file, see `rope.grid_places`
    grid : keys of size, patch and stride for each side of an image's table, if not image_size and patch_size
    extra_rows : rows of an image's table that are not for patches
    resized : whether its table is interpolated for other image sizes: "always", or only if "asked"
    width_key : key of the width, if hidden_size is something else
    rows_before : rows of a table before the first position, not counted in the file
    after_padding : True if the first position has the row after pad_token_id; the file's count includes the rows before
        it in a learned table, but not in a sinusoidal one
    first_row : row of the first position, if the file's count includes the rows before it
    alibi : parameters of `Alibi` besides heads: family of slopes, direction of the bias
    alibi_scaled : True if ALiBi is added to the scores before they are divided by √head_dim
    alibi_from : hidden_size from which its models use ALiBi in place of RoPE
    temperature : rule for `scores.temperature_of`: which layers scale queries by position, and how
    sizes : default sizes (hidden, heads, layers, positions and others); those of transformers are in sizes.toml;
      divides is 1 if its code refuses a width that is not a multiple of the number of heads
    remark : key in `facts.REMARKS` of a note on the type
    """

    name: str
    known: bool = True
    position: Mapping[str, str] = field(default_factory=lambda: {"all": "rope"})
    theta: Mapping[str, float] = field(default_factory=lambda: {"all": 10000.0})
    base_for_all: bool = False
    scales_all: bool = False
    original: int | None = None
    partial: Mapping[str, float] = field(default_factory=lambda: {"all": 1.0})
    rotary_dim: int | None = None
    head_dim: Mapping[str, int] = field(default_factory=dict)
    pairing: str = "half"
    always_whole: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    by_kind: str = ""
    assigned: bool = False
    bases: Mapping[str, Any] = field(default_factory=dict)
    scalings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    softmax: bool = False
    reads: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    speech: tuple[str, ...] = ()
    pattern: str = "(f)"
    last_full: bool = False
    blocks: int = 1
    interval: str = ""
    full_before: int | None = None
    full_from: int | None = None
    windowed: tuple[str, ...] = ()
    window_keys: tuple[str, ...] = ()
    halved: tuple[str, ...] = ()
    one_more: tuple[str, ...] = ()
    both_ways: str = ""
    both_if: tuple[str | bool, ...] = ()
    every_other_window: int | None = None
    window_opt_in: bool = False
    nope_layer_types: tuple[str, ...] = ()
    nope_needs_window: bool = False
    nope_interval: int | None = None
    nope_kinds: tuple[str, ...] = ("", "no_rope")
    causal: bool = False
    encoder_decoder: bool = False
    also: tuple[str, ...] = ()
    sections: tuple[int, ...] = ()
    interleaved: bool = False
    axes: str = ""
    axis_names: str = "thw"
    axis_shares: tuple[tuple[int, ...], ...] = ()
    scale_grid: str = "index"
    grid_start: tuple[float, ...] = ()
    grid_step: tuple[float, ...] = ()
    grid_rule: str = ""
    grid: tuple[tuple[str, ...], ...] = ()
    extra_rows: int = 1
    resized: str = ""
    width_key: str = ""
    rows_before: int = 0
    after_padding: bool = False
    first_row: int = 0
    alibi: Mapping[str, str] = field(default_factory=dict)
    alibi_scaled: bool = False
    alibi_from: int | None = None
    temperature: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    remark: str = ""

    @classmethod
    def of(cls, name: str, facts: Mapping[str, Any]) -> Architecture:
        """Return the architecture described by facts of a TOML file, which are checked already."""
        values: dict[str, Any] = {}
        for key, value in facts.items():
            by_kind = {"all": value} if key in BY_KIND and not isinstance(value, dict) else value
            values[key] = tuple(by_kind) if isinstance(by_kind, list) else by_kind
        return cls(name, **values)

    @property
    def in_transformers(self) -> bool:
        """Whether transformers has this type; then its default sizes are known."""
        return bool(self.sizes)

    @property
    def adds_kinds(self) -> bool:
        """Whether its code adds an object for a kind of layer that has none in rope_parameters."""
        return self.by_kind in ("older", "strict")

    def takes(self, kind: str) -> bool:
        """Return whether its code accepts this kind of positions in position_embedding_type."""
        return not self.known or kind in self.words or kind in self.position.values()

    def theta_of(self, kind: str) -> float:
        """Return the base for a kind of layer."""
        return self.theta.get(kind, self.theta.get("all", 10000.0))


TYPES = {"float": (int, float), "int": (int,), "str": (str,), "bool": (bool,), "tuple": (list,), "Mapping": (dict,)}
FIELDS = {  # fields of a table, with the allowed types of their values
    item.name: TYPES[str(item.type).partition("[")[0].removesuffix(" | None")]
    for item in fields(Architecture)
    if item.name not in ("name", "known")
}


LINKS = ("like", "text")  # keys of a table that name another type
TYPES_FILE, SIZES_FILE = "types.toml", "sizes.toml"


def check_facts(file: str, name: str, facts: Mapping[str, Any], links: tuple[str, ...] = ()) -> None:
    """Raise FactsError for an unknown field, a value of the wrong type, or an unknown name in a value.

    file, name : the fact file, and the model type or dialect, for the message
    links : names allowed besides fields, such as "like", for suggestions
    """
    for key, value in facts.items():
        if key not in FIELDS:
            raise FactsError(file, name, key, f"is not a field{meant(key, (*links, *FIELDS))}")
        kinds = ((str,) if key == "position" else (int, float)) if key in BY_KIND else FIELDS[key]
        for fault in faults(key, value, kinds, facts.get("bases", ())):
            raise FactsError(file, name, key, fault)


def read_types(tables: Mapping[str, Any], sizes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the facts of each type: its own, those inherited from the type that it is `like`, and its sizes.

    Raises
    ------
    FactsError : an unknown field or type, a value of the wrong type, or circular references
    """
    found: dict[str, dict[str, Any]] = {}

    def facts_of(name: str, likes: tuple[str, ...]) -> dict[str, Any]:
        if name in found:
            return found[name]
        if name in likes:
            raise FactsError(TYPES_FILE, name, "like", f"in a circle with {', '.join(likes)}")
        table = tables[name]
        if not isinstance(table, dict):
            raise FactsError(TYPES_FILE, name, "", f"{table!r} is not a table, as {name} = {{ like = {table!r} }} is")
        links = {key: table[key] for key in LINKS if key in table}
        own = {key: value for key, value in table.items() if key not in links}
        check_facts(TYPES_FILE, name, own, LINKS)
        for key, other in links.items():
            if other not in tables:
                raise FactsError(TYPES_FILE, name, key, f"{other!r} is not a type{meant(other, tables)}")
        inherited = facts_of(links["like"], (*likes, name)) if "like" in links else {}
        found[name] = {**inherited, **own, **({"text": links["text"]} if "text" in links else {})}
        return found[name]

    for name in tables:
        facts = facts_of(name, ())
        if "text" in facts and (beside := facts.keys() - {"text", "remark"}):
            raise FactsError(TYPES_FILE, name, min(beside), "is not read beside text")
    for name, own in sizes.items():
        if name not in found:
            raise FactsError(SIZES_FILE, name, "sizes", f"is not a type{meant(name, tables)}")
        found[name] = {"sizes": own, **found[name]}
    return found


@cache
def model_types() -> dict[str, dict[str, Any]]:
    """Return the facts of every known type, by name."""
    return read_types(read_facts(TYPES_FILE), read_facts(SIZES_FILE))


@cache
def type_of(name: str) -> Architecture:
    """Return the architecture of a known type; for a composite type, that of its language model."""
    facts = model_types()[name]
    return type_of(facts["text"]) if "text" in facts else Architecture.of(name, facts)


def architecture_of(keys: Keys, outer: str | None = None, tower: str = "") -> Architecture:
    """Return the architecture that a config names; for an unknown name, one guessed from its keys.

    outer, tower : for a config without a model_type of its own, the model_type of the enclosing config, and the name of
        this part in it
    """
    name = keys.text("model_type") or _named_by_class(keys)
    if outer is not None and name in (None, outer):
        names = [f"{outer}_{tower}{ending}" for ending in ("", "_encoder", "_model")] if tower else []
        name = next((item for item in names if item in model_types()), names[0] if names else outer)
    if name in model_types():
        return type_of(name)
    return Architecture(name or "unknown", position=_position_by_keys(keys), known=False)


def remark_on(name: str | None) -> str:
    """Return the text key of the note on a model_type; "" if there is none."""
    facts = model_types().get(name or "", {})
    return REMARKS[facts["remark"]] if "remark" in facts else ""


def _position_by_keys(keys: Keys) -> Mapping[str, str]:
    """Return the kind of positions that the keys of a config indicate."""
    signs = {
        "rope": "rope_theta rope_scaling rope_parameters rotary_dim rotary_pct rotary_emb_base rope_ratio "
        "rotary_emb_fraction partial_rotary_factor qk_rope_head_dim",
        "t5": "relative_attention_num_buckets",
        "learned": "position_embedding_type n_positions max_position_embeddings n_ctx",
    }
    return {"all": next((kind for kind, names in signs.items() if keys.first(*names.split())), "unknown")}


def _named_by_class(keys: Keys) -> str | None:
    """Return the model_type that matches the class name under "architectures"."""

    def letters(name: str) -> str:
        return "".join(filter(str.isalnum, name)).lower()

    classes = keys.words("architectures") or []
    plain = [letters(item.removesuffix(next(filter(item.endswith, ENDINGS), ""))) for item in classes]
    return next((name for item in plain for name in model_types() if letters(name) == item), None)
