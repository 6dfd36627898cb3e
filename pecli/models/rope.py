"""The RoPE of one kind of layer, with its scaling, as parameters of `Rope`."""

from __future__ import annotations

from typing import Any

from pecli.core.errors import nearest
from pecli.encodings.rope_scaling import SCALINGS
from pecli.models.config_file import Keys
from pecli.models.facts import FULL, OTHER_BASES, OTHER_NAMES, OTHER_SHARES, SLIDING, SLIDING_BASES
from pecli.models.layers import BuildError, Reading, head_dim, latent, patches, suggestion, trained_length

ORIGINAL = "original_max_position_embeddings"


def original_length(reading: Reading, inside: Keys) -> int | None:
    """Return the original context.

    This is the key at the top level (or the type's default for it), otherwise the key in the scaling object `inside`,
    otherwise the maximum position (or the type's default).
    """
    top = original_at_top(reading)
    if top is None and reading.architecture.original is not None:
        top = reading.architecture.original
        reading.assumed(ORIGINAL, top)
    return top if top is not None else (inside.length(ORIGINAL) or trained_length(reading))


def original_at_top(reading: Reading) -> int | None:
    """Return the original context at the top level; None if objects for one kind of layer are read instead."""
    return None if nested_kinds(reading) or reading.architecture.by_kind else reading.keys.length(ORIGINAL)


THETA = ("rope_theta", *OTHER_BASES)
FRACTION = ("partial_rotary_factor", *OTHER_SHARES)
MSCALES = ("short_mscale", "long_mscale")  # keys of longrope's attention factors
HUGE = 1e12  # larger factors are refused


def rope_parameters(reading: Reading, kind: str, layer: int) -> dict[str, Any]:
    """Return the parameters of `Rope` for one kind of layer: widths, pairing, base and scaling.

    layer : index of the first layer of that kind, for files with a list of bases

    Raises
    ------
    BuildError : the RoPE cannot be built from the file, or the file lacks a value
    """
    inside = scaling_object(reading, kind)
    d, scaling = head_dim(reading, kind), scaling_rule(reading, inside)
    if scaling == "dynamic" and inside.number("alpha"):  # Hunyuan: a fixed alpha, not a growing base
        scaling = "default"
    rotary = d if scaling == "proportional" and not latent(reading) else _rotary_dim(reading, inside, d, kind, layer)
    item = reading.architecture
    key = inside.first("rope_type", "type") or "rope_type"
    wrong_axes = item.known and (scaling not in ("default", "axial") if item.axes else scaling == "axial")
    if wrong_axes or (item.scalings and scaling not in ("default", *item.scalings)):
        raise BuildError(key, "findings.refused", inside.data.get(key), name=item.name)
    place = next((keys for keys in (inside, reading.keys) if "partial_rotary_factor" in keys), None)
    whole = item.always_whole and place is not None
    scaled = scaling not in ("default", "proportional") and not item.axes
    if whole and scaled and place and (share := place.number("partial_rotary_factor") or 0) < 1:
        raise BuildError("partial_rotary_factor", "findings.share_stops", share, name=item.name)
    if rotary != d and scaling == "default" and whole and not latent(reading):
        text = "findings.share_ignored"
        reading.warning("partial_rotary_factor", text, rotary / d, name=item.name, d=d)
        rotary = d
    pairing, base = _pairing(reading), _theta(reading, inside, kind, layer)
    if rotary % 2 and rotary < d and scaling == "default":  # rates base^(−2j/rotary), and one more column
        text = "findings.odd_share"
        reading.warning("partial_rotary_factor", text, rotary / d, rotary=rotary, name=item.name)
        base, rotary = base ** ((rotary + 1) / rotary), rotary + 1
    parameters: dict[str, Any] = {"d": d, "pairing": pairing, "base": base}
    if scaling == "axial" or item.axes:
        return parameters | _axial(reading, rotary, d)
    if rotary != d:
        parameters["rotary_dim"] = rotary
    parameters |= _sections(reading, inside, rotary // 2)
    _check_columns(reading, d, rotary)
    if scaling == "default":
        return parameters
    if scaling == "ntk" and "ntk" in item.reads:  # GTE: base · factor, and every rate divided by factor^(2/d)
        factor = inside.number("factor")
        if factor is None or not 1 <= factor < HUGE:
            raise BuildError("factor", "findings.factor_below_one")
        return parameters | {"base": base * factor, "scaling": "linear", "factor": factor ** (2 / d)}
    known = [name for name, rule in SCALINGS.items() if rule.in_configs or (name == "divisors" and reading.keys.names)]
    if scaling not in known:
        text = "findings.unknown_scaling"
        raise BuildError(key, text, inside.data.get(key), meant=suggestion(nearest(scaling, known)))
    values = {"scaling": scaling, **_scaling(reading, inside, scaling, rotary // 2)}
    return parameters | {name: value for name, value in values.items() if value is not None}


def _axial(reading: Reading, rotary: int, d: int) -> dict[str, Any]:
    """Return the parameters of axes such as rows and columns: how they share the pairs, and their coordinates.

    rotary, d : number of columns that are rotated, and of all columns of a head
    """
    item, grid = reading.architecture, patch_grid(reading)
    widths = _axis_widths(reading, rotary)
    count = len(widths or grid)
    if widths:
        rotary = sum(widths)
    elif item.axes == "rising":
        count = len(item.axis_names)
    if count > len(grid):  # in an image, axes besides h and w have one coordinate
        sides = dict(zip("hw", grid[-2:], strict=True))
        grid = tuple(sides.get(name, 1) for name in item.axis_names[-count:])
    if not widths and rotary // 2 % count:  # columns left over are not rotated
        rotary = 2 * count * (rotary // count // 2)
    made: dict[str, Any] = {"axes": item.axes or "blocks", "grid": grid, "scale_grid": item.scale_grid}
    made |= {"rotary_dim": rotary} if rotary != d else {}
    made |= {"axis_widths": widths} if widths and len({*widths}) > 1 else {}
    return made | grid_places(reading, grid)


def _axis_widths(reading: Reading, rotary: int) -> tuple[int, ...]:
    """Return the number of columns of each axis, if the file or the architecture has it, otherwise ().

    rotary : number of all columns that are rotated
    """
    numbers = reading.keys.numbers("axis_widths")
    if numbers is not None:
        if any(width != int(width) or width < 2 or width % 2 for width in numbers) or len(numbers) not in (2, 3, 4):
            raise BuildError("axis_widths", "findings.widths_uneven")
        return tuple(map(int, numbers))
    shares = reading.architecture.axis_shares
    own = [share[0] * (rotary // share[1]) if share else 0 for share in shares]
    return tuple(width or rotary - sum(own) for width in own)


def grid_places(reading: Reading, grid: tuple[int, ...]) -> dict[str, Any]:
    """Return the parameters `grid_start` and `grid_step` for the axes.

    A start that is 0 on every axis, and a step that is 1 on every axis, are left out. The rule of the architecture,
    `grid_rule`, is one of these:
    middle : rows and columns are counted from the middle of the image (Qwen-Image)
    reference : coordinates are those of a grid of a reference size, plus an offset (EVA)
    base : coordinates are those of the grid for the image size, divided by interpolation_scale (SD3, PixArt)
    """
    keys, item = reading.keys, reading.architecture
    start: Any = item.grid_start
    step: Any = item.grid_step
    if item.grid_rule == "middle":
        start = [-(side - side // 2) if name in "hw" else 0 for side, name in zip(grid, item.axis_names, strict=True)]
    elif item.grid_rule == "reference":
        listed = isinstance(keys.data.get("reference"), list)
        reference = (keys.numbers("reference") if listed else None) or [keys.number("reference") or 1] * len(grid)
        step = [own / side for own, side in zip(reference, grid, strict=True)]
        start = [(keys.number("grid_offset") or 0) * own for own in step]
    elif item.grid_rule == "base":
        size, patch = keys.whole("image_size") or 1, keys.whole("patch_size") or 1
        scale = keys.number("interpolation_scale") or 1.0
        step = [size // patch / side / scale for side in grid]
    made = {"grid_start": tuple(map(float, start)), "grid_step": tuple(map(float, step))}
    return {name: own for name, own in made.items() if any(value != (name == "grid_step") for value in own)}


def _check_columns(reading: Reading, d: int, rotary: int) -> None:
    """Raise BuildError for an odd number of columns, or more rotated columns than there are."""
    odd = "findings.odd_columns"
    more = "findings.more_columns_than_head"
    if d % 2 or rotary % 2 or rotary > d:
        names = ("head_dim",) if d % 2 else ("qk_rope_head_dim", "rotary_dim", *FRACTION)
        raise BuildError(reading.keys.first(*names) or names[0], more if rotary > d else odd, rotary=rotary, d=d)


def _sections(reading: Reading, inside: Keys, pairs: int) -> dict[str, Any]:
    """Return the parameters that assign M-RoPE's pairs to frame, row and column; {} if they are not drawn.

    Adds a finding on the sections, a warning or an error if they do not cover all pairs.
    """
    item = reading.architecture
    names = ("mrope_section", *(("xdrope_section",) if "xdrope" in item.reads else ()))
    key = inside.first(*names) or names[0]
    parts = inside.numbers(key) or item.sections
    if parts and key not in inside:
        reading.assumed(key, list(parts))
    turn, whole = inside.flag("mrope_interleaved"), sum(parts) == pairs
    interleaved = item.interleaved if turn is None else turn
    text = "findings.sections"
    if item.axis_names == "hwt":
        text = "findings.sections_interleaved"
    elif len(parts) != 3:
        text = "findings.sections_of_axes"
    if parts and whole:
        reading.note(key, text)
    elif parts:
        text = "findings.sections_sum"
        say = reading.warning if interleaved else reading.error  # if interleaved, the remaining pairs follow the frame
        say(key, text, list(parts), sum=sum(parts), pairs=pairs)
    drawn = whole and len(parts) == 3 and item.axis_names != "hwt"
    return {"sections": tuple(map(int, parts)), "interleaved": interleaved} if drawn else {}


def patch_grid(reading: Reading) -> tuple[int, ...]:
    """Return the sides of the grid of patches; 16 rows and columns, with a note, if the file does not have them."""
    sides = patches(reading)
    if sides is None:
        reading.note("image_size", "findings.any_image_size")
    return sides or (*(1,) * (len(reading.architecture.grid) - 2), 16, 16)


def _scaling(reading: Reading, inside: Keys, rule: str, pairs: int) -> dict[str, Any]:
    """Return the parameters of the scaling `rule` from its object `inside`.

    Optional parameters that the file does not have are None.
    """
    if rule == "linear":
        return {"factor": _required_number(inside, "factor")}
    if rule == "proportional":
        share = inside.number("partial_rotary_factor")
        return {"partial_rotary_factor": 1.0 if share is None else share, "factor": inside.number("factor")}
    if rule == "dynamic":
        if (longest := trained_length(reading)) is None:
            raise BuildError("max_position_embeddings", "findings.max_position_missing")
        return {"factor": _required_number(inside, "factor"), "max_position": longest, "seq_len": reading.seq_len}
    if rule == "divisors":
        return {"divisors": _factors(inside, "divisors", pairs), "attention_factor": inside.number("attention_factor")}
    original = original_length(reading, inside)
    if original is None:
        raise BuildError(ORIGINAL, "findings.original_unknown")
    if rule == "llama3":
        names = ("factor", "low_freq_factor", "high_freq_factor")
        return {"original": original, **{name: _required_number(inside, name) for name in names}}
    if rule == "yarn":
        turns = {name: inside.number(name) or None for name in ("beta_fast", "beta_slow")}
        scales = {name: inside.number(name) for name in ("attention_factor", "mscale", "mscale_all_dim")}
        factor = _factor(reading, inside, original)
        whole = inside.flag("truncate")
        if whole is False and (nested_kinds(reading) or reading.architecture.by_kind):
            reading.warning("truncate", "findings.ignored_by_kind")
            whole = None
        exchanged = inside.flag("exchanged") if reading.keys.names else None  # only in litgpt
        return {"factor": factor, "original": original, **turns, **scales, "truncate": whole, "exchanged": exchanged}
    for name in ("short_factor", "long_factor"):  # marks both lists as read, even if the first has the wrong length
        inside.numbers(name)
    lists = {name: _factors(inside, name, pairs) for name in ("short_factor", "long_factor")}
    scales = {"attention_factor": inside.number("attention_factor")}
    scales |= {name: inside.number(name) for name in reading.architecture.reads if name in MSCALES}
    given = any(scale is not None for scale in scales.values())
    factor = inside.number("factor") if given else _factor(reading, inside, original)
    return {"original": original, **lists, "factor": factor, **scales, "seq_len": reading.seq_len}


def _factor(reading: Reading, inside: Keys, original: int) -> float | None:
    """Return the factor in the scaling object `inside`, otherwise maximum position / original context."""
    factor = inside.number("factor")
    if factor is not None:
        return factor
    longest = trained_length(reading)
    if longest is None:
        raise BuildError("factor", "findings.original_stops")
    return longest / original


def _required_number(inside: Keys, name: str) -> float:
    value = inside.number(name)
    if value is None:
        raise BuildError(name, "findings.key_stops")
    return value


def _factors(inside: Keys, name: str, pairs: int) -> tuple[float, ...]:
    """Return the divisors of the rates, one per pair, from the key `name` of the scaling object `inside`."""
    numbers = inside.numbers(name)
    if numbers is None:
        raise BuildError(name, "findings.key_stops")
    if len(numbers) != pairs:
        raise BuildError(name, "findings.factors_count", count=len(numbers), pairs=pairs)
    return tuple(numbers)


def scaling_object(reading: Reading, kind: str) -> Keys:
    """Return the object with the RoPE of that kind of layer; empty if there is none."""
    given, item = reading.given, reading.architecture
    if nested_kinds(reading):
        if kind not in nested_kinds(reading):
            if item.adds_kinds:
                return Keys({})
            raise BuildError(given.place[:-1], "findings.kind_missing", kind=kind)
        return given.table(kind) or Keys({})
    if given and item.by_kind not in ("", "either") and not _by_kind(reading):
        return Keys({})
    return Keys({}) if kind == SLIDING and SLIDING in item.theta and not item.scales_all else given


def _by_kind(reading: Reading) -> bool:
    """Return whether a single object for all kinds of layer is used, in an architecture that expects one per kind."""
    item, key = reading.architecture, reading.given.place[:-1]
    newer = key.endswith("rope_parameters")
    if item.by_kind == "only" or (item.by_kind == "strict" and (newer or item.assigned)):
        text = "findings.by_kind_needed"
        reading.error(key, text, name=item.name)
        return True
    text = "findings.type_alone"
    if newer:
        text = "findings.by_kind_ignored"
    if ignored := newer or reading.given.first("rope_type", "type") == "type":
        reading.warning(key, text, name=item.name)
    return not ignored


def nested_kinds(reading: Reading) -> list[str]:
    """Return the kinds of layer that have an object of their own in rope_parameters."""
    return [name for name, value in reading.given.data.items() if isinstance(value, dict)]


def scaling_rule(reading: Reading, inside: Keys) -> str:
    """Return the name that the scaling of the object `inside` has in transformers 5."""
    name, item = inside.text("rope_type", "type") or "default", reading.architecture
    taken = name in item.reads or not item.in_transformers or reading.keys.names
    return OTHER_NAMES.get(name, name) if taken else name


def _theta(reading: Reading, inside: Keys, kind: str, layer: int) -> float:
    """Return the base for that kind of layer, from the scaling object `inside` or from other keys."""
    keys, item = reading.keys, reading.architecture
    base = inside.number("rope_theta")
    if base is None and item.by_kind == "only" and item.assigned and nested_kinds(reading):
        raise BuildError(f"{inside.place}rope_theta", "findings.base_needed", name=item.name)
    apart = SLIDING in item.theta and not (item.by_kind == "either" and reading.given.place)
    if base is None and kind == SLIDING and (apart or keys.first(*SLIDING_BASES)):
        base = keys.number(*SLIDING_BASES, *(("rope_theta",) if item.base_for_all else ()))
        if base is None:
            base = item.theta_of(kind)
            reading.assumed(f"{kind}.rope_theta", f"{base:.10g}")
    elif base is None:
        base = _theta_at_top(reading, layer)
    alpha = inside.number("alpha") if scaling_rule(reading, inside) == "dynamic" else None
    if alpha is None:
        return base
    d = head_dim(reading, FULL)  # Hunyuan's fixed NTK scaling: base · alpha^(d/(d − 2))
    if d <= 2 or not 0 < alpha < HUGE:
        raise BuildError("alpha", "findings.alpha_without_base", d=d)
    return float(base * alpha ** (d / (d - 2)))


def _theta_at_top(reading: Reading, layer: int) -> float:
    """Return the base from keys outside the scaling object, or else the architecture's default."""
    keys, item = reading.keys, reading.architecture
    if isinstance(keys.data.get("rope_theta"), list):  # one base per layer; the last is for all further layers
        return (keys.numbers("rope_theta") or [item.theta_of(FULL)])[: layer + 1][-1]
    ratio = keys.number("rope_ratio")  # ChatGLM
    if ratio is not None:
        return item.theta_of(FULL) * ratio
    base = keys.number("global_rope_theta", *THETA)
    inner = keys.table("attn_config")  # DBRX, MPT
    if base is None and inner is not None:
        base = inner.number("rope_theta")
    if base is None:
        reading.assumed("rope_theta", f"{item.theta_of(FULL):.10g}")
    return item.theta_of(FULL) if base is None else base


def _rotary_dim(reading: Reading, inside: Keys, d: int, kind: str, layer: int) -> int:
    keys, item = reading.keys, reading.architecture
    columns = keys.whole(*(("qk_rope_head_dim",) if latent(reading) else ()), "rotary_dim")
    if columns is not None:
        return columns
    if "position_encoding_2d" in keys and keys.flag("position_encoding_2d"):  # the first ChatGLM
        return d // 2
    fraction = inside.number("partial_rotary_factor")
    if "partial_rotary_factors" in keys:  # one per layer
        fraction = (keys.numbers("partial_rotary_factors") or [1.0])[: layer + 1][-1]
    fraction = keys.number(*FRACTION) if fraction is None else fraction
    if fraction is None and "qk_rope_head_dim" in keys and not latent(reading):
        return d
    if fraction is None and item.rotary_dim is not None and item.rotary_dim <= d:
        reading.assumed("rotary_dim", item.rotary_dim)
        return item.rotary_dim
    if fraction is None:
        fraction = item.partial.get(kind, item.partial.get("all", 1.0))
        if fraction != 1:
            reading.assumed("partial_rotary_factor", fraction)
    if not 0 < fraction <= 1:
        key = keys.first(*FRACTION) or "partial_rotary_factor"
        raise BuildError(key, "findings.share_out_of_range")
    return int(d * fraction)


def _pairing(reading: Reading) -> str:
    keys, item = reading.keys, reading.architecture
    name = keys.first("rope_interleave", "rope_interleaved", "rotary_emb_interleaved", "is_neox_style")
    if name is not None:
        return "interleaved" if keys.flag(name) != (name == "is_neox_style") else "half"
    if "position_encoding_2d" in keys or keys.flag("use_mla") is False:
        return "half"
    if item.pairing == "interleaved":
        reading.assumed("pairing", "interleaved pairs (2j, 2j + 1)")
    elif not item.known:
        reading.assumed("pairing", "pairs (j, j + d/2)")
    return item.pairing
