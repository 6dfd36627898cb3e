"""What the code of a model does where its config.json is silent."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pecli.models.config_file import Keys

UNDRAWN = ("relative", "bias2d", "relpos2d", "conv", "sincos2d", "fourier")  # of images, or inside of the attention
SINUSOIDAL_LAYOUTS: dict[str, dict[str, str]] = {
    "sinusoidal": {},
    "sinusoidal_halves": {"layout": "concatenated"},
    "sinusoidal_j": {"layout": "concatenated", "family": "tensor2tensor"},
}
SINCOS2D_LAYOUTS: dict[str, dict[str, str]] = {  # MAE's table, DETR's from 2π/n to 2π, RT-DETR's with the row first
    "sincos2d_mae": {},
    "sincos2d_detr": {"layout": "interleaved", "first": "row", "scale_grid": "detr"},
    "sincos2d_rows": {"first": "row"},
}
KINDS = ("alibi", "t5", "none", "learned", *SINUSOIDAL_LAYOUTS, *SINCOS2D_LAYOUTS, *UNDRAWN)
ENDINGS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "ForMaskedLM", "Model", "ForQuestionAnswering")


@dataclass(frozen=True)
class Architecture:
    """Facts about one model_type.

    position : what tells positions apart, one for all layers or one for the encoder and one for the decoder
    turning_share : the share of pairs that turn where the scaling is proportional
    theta, sliding_theta : the base, in all layers or in the full and the sliding ones; those have no scaling then
    layer_names : what its rope_parameters call kinds of layers
    pattern : kinds of layers by letter, as `layers.KINDS` has them: before the brackets the first, in them those that
        repeat, behind them the last; "-" in front counts from the end
    full_before : the layers that see all positions before those with a window, where max_window_layers does not say it
    window_opt_in : layers have a window only where use_sliding_window asks for it
    nope_layer_types : the kinds of layers that have no rope
    nope_needs_window : those kinds have rope all the same where the file gives no sliding_window
    nope_interval : one layer in so many has no rope
    nope_kinds : what the layers with and without rope are then; empty as they were
    parameters : rope_parameters where the file has none
    alibi_from : the hidden_size from which its models have ALiBi in place of rope
    by_kind : an object of rope_parameters for each kind of layers and no older keys (only), or older keys too (older);
        the strict take those, and stop at a rope_parameters without objects
    bases : the key of the base in each kind of layers and its default, where one scaling counts for the last kind alone
    scalings : those that its code takes beside none, where it does not take all
    ntk : knows a scaling ntk, base · factor and all rates divided by factor^(2/d)
    mscale : longrope's attention factor is short_mscale or long_mscale
    rope_opt_in : rope only where the file asks for it
    always_whole : without a scaling all columns turn, whatever partial_rotary_factor says
    also : kinds of positions that it has beside that of its layers
    axes : how rows and columns of patches share the pairs, as `Rope` names it
    axis_names : the axes in that order, by letter
    scale_grid : how places on the axes become coordinates, as `Rope` names it
    axis_shares : the columns of each axis as [m, n], m · ⌊d/n⌋; [] are those that are left
    grid_start, grid_step : coordinate of the first cell and what a step counts, of each axis
    grid_rule : how these follow from the file: `rope.grid_places`
    width_key : the key of the width, where hidden_size is something else
    unread : keys that its code does not read
    beside_patches : rows of an image's table that are not for patches, one if there is nothing
    grid : the sides of an image's table by the keys of a size, a patch and a stride, if not image_size by patch_size
    resized : whether its table is made to fit images of other sizes, always or when it is asked for
    needs : keys without which transformers stops, in a scaling that counts the columns of a head
    rows_before : rows of a learned table beside those that the file counts, before that of the first position
    after_padding : the first position has the row after that of pad_token_id, and the file counts those rows too
    words : kinds of positions beside its own that position_embedding_type may name in its code
    reads_alibi : the key alibi puts ALiBi in place of its own positions
    relative_key : position_embedding_type may be relative_key or relative_key_query, a table of offsets
    temperature : what `scores.temperature_of` takes: in which layers queries grow with the position, and how
    softmax : mscale_all_dim of a scaling also multiplies what the softmax takes
    slopes : how ALiBi's slopes are made, as `Alibi` names it
    direction : "both" where its biases look both ways, as those beside a learned table do
    own_scaling : a scaling and what its parameters are called, where the code has keys of its own for it
    sections, interleaved : how M-RoPE shares the pairs where the file does not say
    """

    name: str
    position: Mapping[str, str] = field(default_factory=lambda: {"all": "rope"})
    known: bool = True
    theta: float = 10000.0
    sliding_theta: float | None = None
    partial: float = 1.0
    partial_by_kind: Mapping[str, float] = field(default_factory=dict)
    turning_share: float = 1.0
    rotary_dim: int | None = None
    head_dim: int | None = None
    full_head_dim: int | None = None
    pairing: str = "half"
    scaling: str = "default"
    layer_names: Mapping[str, str] = field(default_factory=dict)
    pattern: str = "(f)"
    full_before: int | None = None
    window_opt_in: bool = False
    nope_layer_types: tuple[str, ...] = ()
    nope_needs_window: bool = False
    nope_interval: int | None = None
    nope_kinds: tuple[str, ...] = ("", "no_rope")
    parameters: Mapping[str, Any] = field(default_factory=dict)
    alibi_from: int | None = None
    by_kind: str = ""
    bases: Mapping[str, Any] = field(default_factory=dict)
    scalings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    ntk: bool = False
    mscale: bool = False
    rope_opt_in: bool = False
    always_whole: bool = False
    also: tuple[str, ...] = ()
    axes: str | None = None
    axis_names: str = "thw"
    scale_grid: str = "index"
    axis_shares: tuple[tuple[int, ...], ...] = ()
    grid_start: tuple[float, ...] = ()
    grid_step: tuple[float, ...] = ()
    grid_rule: str = ""
    width_key: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    beside_patches: tuple[str, ...] = ()
    grid: tuple[tuple[str, ...], ...] = ()
    resized: tuple[str, ...] = ()
    sections: tuple[int, ...] = ()
    interleaved: bool = False
    encoder_decoder: bool = False
    rows_before: int = 0
    after_padding: bool = False
    relative_key: bool = False
    words: tuple[str, ...] = ()
    reads_alibi: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)
    temperature: Mapping[str, Any] = field(default_factory=dict)
    softmax: bool = False
    slopes: str = "paper"
    direction: str = ""
    own_scaling: Mapping[str, str] = field(default_factory=dict)

    def reads(self, kind: str) -> bool:
        """Return whether its code takes another kind of positions where position_embedding_type names it."""
        return not self.known or kind in self.words or kind in self.position.values()

    @property
    def extra_rows(self) -> int:
        """How many rows of an image's table are not for patches."""
        return int("".join(self.beside_patches) or 1)


def architecture_of(keys: Keys, outer: str | None = None, tower: str = "") -> Architecture:
    """Return the architecture that a config names; by its keys where the name is not known.

    outer, tower : the model_type of the config around it and what it calls this one, for one without a name of its own
    """
    name = keys.text("model_type") or _named_by_class(keys)
    if outer is not None and name in (None, outer):
        names = [f"{outer}_{tower}{ending}" for ending in ("", "_encoder", "_model")] if tower else []
        name = next((item for item in names if item in _known()), names[0] if names else outer)
    name = _facts()["inside"].get(name, name) if name else None
    known = _known()
    if name in known:
        return known[name]
    return Architecture(name or "unknown", _position_by_keys(keys), known=False)


def remarks_on(name: str | None) -> list[str]:
    """Return what there is to say of a model_type whatever its config, by the names that `lint.REMARKS` has."""
    return [remark for remark, names in _facts()["remarks"].items() if name in names]


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
    return next((name for item in plain for name in _known() if letters(name) == item), None)


@cache
def _facts() -> dict[str, Any]:
    return read_facts("architectures.toml")


def read_facts(name: str) -> dict[str, Any]:
    """Return the tables of a file of facts beside this one."""
    with Path(__file__).with_name(name).open("rb") as file:
        return tomllib.load(file)


@cache
def _known() -> dict[str, Architecture]:
    facts, sizes = _facts(), read_facts("sizes.toml")
    rows: dict[str, dict[str, Any]] = {name: {} for name in facts["plain"]} | facts["rope"]
    rows |= {name: {"position": {"all": kind}} for kind in KINDS for name in facts[kind]}
    rows |= {name: {"position": by_stack} for name, by_stack in facts["position"].items()}
    known = {}
    for name, row in rows.items():
        values = {**row, "sizes": sizes.get(name, {})}
        values |= {key: name in names for key, names in facts["flags"].items()}
        values |= {key: table[name] for key, table in facts["fields"].items() if name in table}
        for key, groups in facts["groups"].items():
            values[key] = [value for value, names in groups.items() if name in names]
        values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
        known[name] = Architecture(name, **values)
    return known
