"""Types of numbers that models compute in: what a number becomes in each. Values stay in float64 arrays."""

from __future__ import annotations

from collections.abc import Callable

from pecli.core.lazy import Array, np


def _float32(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(x, dtype=np.float64).astype(np.float32).astype(np.float64)


def _float16(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(x, dtype=np.float64).astype(np.float16).astype(np.float64)


def _bfloat16(x: Array) -> Array:
    """The upper 16 bits of a float32, rounded to the nearest, ties to even."""
    single = np.atleast_1d(_float32(x)).astype(np.float32)
    bits = single.view(np.uint32)
    nearest = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    rounded = np.where(np.isfinite(single), nearest.view(np.float32), single).astype(np.float64)
    return rounded.reshape(np.shape(x))


ROUND: dict[str, Callable[[Array], Array]] = {
    "float64": lambda x: x,
    "float32": _float32,
    "float16": _float16,
    "bfloat16": _bfloat16,
}


def number_types() -> tuple[str, ...]:
    """The names of the types."""
    return tuple(ROUND)
