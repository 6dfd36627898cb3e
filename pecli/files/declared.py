"""What a file of numbers says that it holds, before any of it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.lazy import Array

MAPPED = 1 << 26  # bytes from which an array stays in its file until it is looked at
REAL = "fiu"  # numpy's letters for real numbers
USUAL = (  # how the position table is named in released models; a name that ends so
    "wpe.weight",
    "position_embeddings.weight",
    "position_embedding.weight",
    "embed_positions.weight",
    "positions_embed.weight",
    "positional_embedding",
    "pos_embed",
)


class Declared(NamedTuple):
    """Shape and kind (numpy's letter) of an array, what reads it, and whether it stays in its file then."""

    shape: tuple[int, ...]
    kind: str
    load: Callable[[], Array]
    stays: bool = False


def choose(path: str, tensor: str | None, shapes: Mapping[str, tuple[int, ...]]) -> str:
    """The name of the table: as given, else by the usual names, else the only one, or the only one of two dimensions.

    Raises
    ------
    UsageError : no such name, or several that fit
    """
    if tensor is not None:
        fitting = [name for name in shapes if name == tensor] or [name for name in shapes if name.endswith(tensor)]
        if not fitting:
            raise UnknownNameError(f"tensor of {path}", tensor, shapes)
    else:
        fitting = [name for name in shapes if name.endswith(USUAL)] or [n for n in shapes if len(shapes[n]) == 2]
        fitting = fitting or list(shapes)
    if not fitting:
        raise UsageError(f"{path} holds no table")
    if len(fitting) != 1:
        raise UsageError(f"{path} holds {_listed(fitting)}: name the table with {mention('tensor')}")
    return fitting[0]


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join(shown[:8]) + (f", … {len(shown)} tensors" if len(shown) > 8 else "")
