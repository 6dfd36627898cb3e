"""Biases of the distance between query and key, with the keys that a query sees."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.encodings.capabilities import BiasEncoding


def directions() -> tuple[str, ...]:
    """Which keys a query sees: none after it, or all."""
    return ("causal", "both")


def direction_option(default: str) -> Any:
    """The field direction, the same for all biases."""
    said = "which keys a query sees: none after it, or both sides"
    return option(default, said, choices=directions, leads=("bidirectional", "unidirectional", "causal"))


@dataclass(frozen=True)
class DirectedBias(BiasEncoding):
    """A bias for every offset; a causal one hides the keys after the query. A subclass gives `of_offsets`."""

    direction: str = direction_option("causal")

    @property
    def causal(self) -> bool:
        """Whether the keys after the query are hidden."""
        return self.direction == "causal"

    @abstractmethod
    def of_offsets(self, offsets: Array) -> Array:
        """The bias as if every key were seen, (n_heads, n) or what broadcasts to that, of offsets (n,)."""

    def bias(self, offsets: Array) -> Array:
        offsets = np.asarray(offsets, dtype=np.float64)
        values = np.broadcast_to(self.of_offsets(offsets), (self.n_heads, len(offsets)))
        return np.where(self.causal & (offsets < 0), -np.inf, values)
