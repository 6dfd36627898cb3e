"""What the code of a model does where its config.json is silent: types.toml, a table a model_type."""

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
    """Facts about one model_type. A fact that is a table by kind of layers may also be one value for all of them.

    position : what tells positions apart, one of `facts.POSITIONS`; by stack (encoder, decoder) where these differ
    theta : the base, by kind of layers; sliding layers with a base of their own have no scaling
    partial : the share of the columns of a head that turn, by kind of layers
    rotary_dim : how many columns of a head turn, instead of a share
    head_dim : the columns of a head, by kind of layers, where they are not hidden_size / num_attention_heads
    pairing : "half" for pairs (j, j + d/2), "interleaved" for (2j, 2j + 1)
    always_whole : without a scaling all columns turn, whatever partial_rotary_factor says
    parameters : rope_parameters where the file has none
    by_kind : an object of rope_parameters for each kind of layers and no older keys (only), or older keys too (older);
        the strict take those, and stop at a rope_parameters without objects
    bases : kinds of rope where one scaling counts for the last alone: the key of the base, its default, and the
        kinds of layers that turn so
    scalings : those that its code takes beside none, where it does not take all
    needs : keys without which transformers stops, in a scaling that counts the columns of a head
    own_scaling : a scaling and what its parameters are called, where the code has keys of its own for it
    softmax : mscale_all_dim of a scaling also multiplies what the softmax takes, squared
    reads : what few types read: the keys alibi and use_mem_rope, longrope's short_mscale and long_mscale, and the
        scaling ntk, with base · factor and all rates divided by factor^(2/d)
    unread : keys that its code does not read
    words : kinds of positions beside its own that position_embedding_type may name in its code; relative_key, in
        transformers 4, is a table of offsets in every layer
    pattern : kinds of layers by letter, as `facts.KINDS` has them: before the brackets the first, in them those that
        repeat, behind them the last; "-" in front counts from the end
    full_before : the layers that see all positions before those with a window, where max_window_layers does not say it
    halved : keys of a window of which its code takes half
    window_opt_in : layers have a window only where use_sliding_window asks for it
    nope_layer_types : the kinds of layers that have no rope
    nope_needs_window : those kinds have rope all the same where the file gives no sliding_window
    nope_interval : one layer in so many has no rope
    nope_kinds : what the layers with and without rope are then; empty as they were
    encoder_decoder : two stacks, counted by encoder_layers and decoder_layers
    also : kinds of positions that it has beside that of its layers, at its input or in its attention
    sections, interleaved : how M-RoPE shares the pairs where the file does not say
    axes : how rows and columns of patches share the pairs, as `Rope` names it
    axis_names : the axes in that order, by letter
    axis_shares : the columns of each axis as [m, n], m · ⌊d/n⌋; [] are those that are left
    scale_grid : how places on the axes become coordinates, as `Rope` names it
    grid_start, grid_step : coordinate of the first cell and what a step counts, of each axis
    grid_rule : how these follow from the file: `rope.grid_places`
    grid : the sides of an image's table by the keys of a size, a patch and a stride, if not image_size by patch_size
    extra_rows : rows of an image's table that are not for patches
    resized : whether its table is made to fit images of other sizes: "always", or when that is "asked"
    width_key : the key of the width, where hidden_size is something else
    rows_before : rows of a learned table beside those that the file counts, before that of the first position
    after_padding : the first position has the row after that of pad_token_id, and the file counts those rows too
    alibi : what `Alibi` takes beside heads: how slopes are made (family), where biases look (direction)
    alibi_from : the hidden_size from which its models have ALiBi in place of rope
    temperature : what `scores.temperature_of` takes: in which layers queries grow with the position, and how
    sizes : hidden, heads, layers, positions and the like where the file gives none; those of transformers are in
        sizes.toml
    remark : what to say of the type whatever its config, one of `facts.REMARKS`
    """

    name: str
    known: bool = True
    position: Mapping[str, str] = field(default_factory=lambda: {"all": "rope"})
    theta: Mapping[str, float] = field(default_factory=lambda: {"all": 10000.0})
    partial: Mapping[str, float] = field(default_factory=lambda: {"all": 1.0})
    rotary_dim: int | None = None
    head_dim: Mapping[str, int] = field(default_factory=dict)
    pairing: str = "half"
    always_whole: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    by_kind: str = ""
    bases: Mapping[str, Any] = field(default_factory=dict)
    scalings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    own_scaling: Mapping[str, str] = field(default_factory=dict)
    softmax: bool = False
    reads: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    pattern: str = "(f)"
    full_before: int | None = None
    halved: tuple[str, ...] = ()
    window_opt_in: bool = False
    nope_layer_types: tuple[str, ...] = ()
    nope_needs_window: bool = False
    nope_interval: int | None = None
    nope_kinds: tuple[str, ...] = ("", "no_rope")
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
    alibi: Mapping[str, str] = field(default_factory=dict)
    alibi_from: int | None = None
    temperature: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    remark: str = ""

    @classmethod
    def of(cls, name: str, facts: Mapping[str, Any]) -> Architecture:
        """Return the architecture that facts of a TOML file describe, checked before."""
        values: dict[str, Any] = {}
        for key, value in facts.items():
            by_kind = {"all": value} if key in BY_KIND and not isinstance(value, dict) else value
            values[key] = tuple(by_kind) if isinstance(by_kind, list) else by_kind
        return cls(name, **values)

    def takes(self, kind: str) -> bool:
        """Return whether its code takes another kind of positions where position_embedding_type names it."""
        return not self.known or kind in self.words or kind in self.position.values()

    def theta_of(self, kind: str) -> float:
        """Return the base of layers of that kind."""
        return self.theta.get(kind, self.theta.get("all", 10000.0))


TYPES = {"float": (int, float), "int": (int,), "str": (str,), "bool": (bool,), "tuple": (list,), "Mapping": (dict,)}
FIELDS = {  # of a table, and the types of TOML that a value may have
    item.name: TYPES[str(item.type).partition("[")[0].removesuffix(" | None")]
    for item in fields(Architecture)
    if item.name not in ("name", "known")
}


LINKS = ("like", "text")  # keys of a table that name another type
TYPES_FILE, SIZES_FILE = "types.toml", "sizes.toml"


def check_facts(file: str, name: str, facts: Mapping[str, Any], links: tuple[str, ...] = ()) -> None:
    """Raise FactsError for a field that there is not, a value of the wrong kind, or a name in it that is none."""
    for key, value in facts.items():
        if key not in FIELDS:
            raise FactsError(file, name, key, f"is not a field{meant(key, (*links, *FIELDS))}")
        kinds = ((str,) if key == "position" else (int, float)) if key in BY_KIND else FIELDS[key]
        for fault in faults(key, value, kinds, facts.get("bases", ())):
            raise FactsError(file, name, key, fault)


def read_types(tables: Mapping[str, Any], sizes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the facts of each type: its own, those of the type that it is like, and its sizes.

    Raises
    ------
    FactsError : a field that there is not, a value of the wrong kind, a type that there is not, types in a circle
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
    """Return the facts of every type that pecli knows, by its name."""
    return read_types(read_facts(TYPES_FILE), read_facts(SIZES_FILE))


@cache
def type_of(name: str) -> Architecture:
    """Return the architecture of a type that pecli knows, or of the language model inside of it."""
    facts = model_types()[name]
    return type_of(facts["text"]) if "text" in facts else Architecture.of(name, facts)


def architecture_of(keys: Keys, outer: str | None = None, tower: str = "") -> Architecture:
    """Return the architecture that a config names; by its keys where the name is not known.

    outer, tower : the model_type of the config around it and what it calls this one, for one without a name of its own
    """
    name = keys.text("model_type") or _named_by_class(keys)
    if outer is not None and name in (None, outer):
        names = [f"{outer}_{tower}{ending}" for ending in ("", "_encoder", "_model")] if tower else []
        name = next((item for item in names if item in model_types()), names[0] if names else outer)
    if name in model_types():
        return type_of(name)
    return Architecture(name or "unknown", position=_position_by_keys(keys), known=False)


def remark_on(name: str | None) -> str:
    """Return the key of what there is to say of a model_type whatever its config; empty where there is nothing."""
    facts = model_types().get(name or "", {})
    return REMARKS[facts["remark"]] if "remark" in facts else ""


def _position_by_keys(keys: Keys) -> Mapping[str, str]:
    """Return what tells positions apart where only the keys say so."""
    signs = {
        "rope": "rope_theta rope_scaling rope_parameters rotary_dim rotary_pct rotary_emb_base rope_ratio "
        "rotary_emb_fraction partial_rotary_factor qk_rope_head_dim",
        "t5": "relative_attention_num_buckets",
        "learned": "position_embedding_type n_positions max_position_embeddings n_ctx",
    }
    return {"all": next((kind for kind, names in signs.items() if keys.first(*names.split())), "unknown")}


def _named_by_class(keys: Keys) -> str | None:
    """Return the model_type whose name the class under "architectures" begins with."""

    def letters(name: str) -> str:
        return "".join(filter(str.isalnum, name)).lower()

    classes = keys.words("architectures") or []
    plain = [letters(item.removesuffix(next(filter(item.endswith, ENDINGS), ""))) for item in classes]
    return next((name for item in plain for name in model_types() if letters(name) == item), None)
