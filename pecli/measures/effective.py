"""The relative positions that methods for longer contexts give to a query and a key, and counts over all pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pecli.core.lazy import Array, np


@dataclass(frozen=True)
class Method(ABC):
    """Base class of the methods. A method assigns a relative position to a query at p and a key at q ≤ p."""

    @abstractmethod
    def distance(self, p: Array, q: Array) -> Array:
        """Return the relative positions of queries at p and keys at q, which broadcast; −1 where a key is not seen."""

    @abstractmethod
    def farther(self, p: Array, least: int) -> Array:
        """Return, for each query at p, how many keys q ≤ p have a relative position of at least `least`."""

    @abstractmethod
    def largest(self, length: int) -> int:
        """Return the largest relative position in a sequence of `length` tokens."""


@dataclass(frozen=True)
class Plain(Method):
    """The true distance, p − q."""

    def distance(self, p: Array, q: Array) -> Array:
        return p - q

    def farther(self, p: Array, least: int) -> Array:
        return np.maximum(p - least + 1, 0)

    def largest(self, length: int) -> int:
        return length - 1


@dataclass(frozen=True)
class SlidingWindow(Method):
    """p − q within the window; keys beyond it are not seen: Beltagy et al. 2020, Longformer, arXiv:2004.05150."""

    window: int

    def distance(self, p: Array, q: Array) -> Array:
        return np.where(p - q < self.window, p - q, -1)

    def farther(self, p: Array, least: int) -> Array:
        return np.maximum(np.minimum(p, self.window - 1) - least + 1, 0)

    def largest(self, length: int) -> int:
        return min(self.window, length) - 1


@dataclass(frozen=True)
class SelfExtend(Method):
    """p − q within the window W; beyond it ⌊p/G⌋ − ⌊q/G⌋ + W − ⌊W/G⌋ with groups of G positions.

    Jin et al. 2024, arXiv:2401.01325, and LongLM's code.
    """

    window: int
    group: int

    def distance(self, p: Array, q: Array) -> Array:
        moved = self.window - self.window // self.group
        return np.where(p - q < self.window, p - q, p // self.group - q // self.group + moved)

    def farther(self, p: Array, least: int) -> Array:
        if least < self.window:
            return np.maximum(p - least + 1, 0)  # grouped keys are at relative position `window` or more
        groups = p // self.group + self.window - self.window // self.group - least + 1
        return np.clip(np.minimum(groups * self.group, p - self.window + 1), 0, None)

    def largest(self, length: int) -> int:
        return int(self.distance(np.array(length - 1), np.array(0)))


@dataclass(frozen=True)
class DualChunk(Method):
    """Dual chunk attention: the sequence is cut into chunks of s tokens, and keys are numbered within their chunk.

    A query's position depends on the key's chunk. For keys in the query's own chunk, it is its number in that chunk.
    For keys in the chunk before, it is s more, but at most `top`. For keys farther back, it is `top`. In An et al.
    2024, section 3, arXiv:2402.17463, `top` is c − 1 for a trained length c. In the code of ChunkLlama and vLLM it is
    c, the length of a chunk plus the local window.
    """

    chunk: int
    top: int

    def distance(self, p: Array, q: Array) -> Array:
        own, apart = p % self.chunk, p // self.chunk - q // self.chunk
        query = np.where(apart == 0, own, np.where(apart == 1, np.minimum(own + self.chunk, self.top), self.top))
        return query - q % self.chunk

    def farther(self, p: Array, least: int) -> Array:
        own, before = p % self.chunk, p // self.chunk
        near = np.maximum(own - least + 1, 0)
        last = np.clip(np.minimum(own + self.chunk, self.top) - least + 1, 0, self.chunk)
        far = min(max(self.top - least + 1, 0), self.chunk)
        result: Array = near + (before > 0) * last + np.maximum(before - 1, 0) * far
        return result

    def largest(self, length: int) -> int:
        last = length - 1
        if last < self.chunk:
            return last
        return self.top if last >= 2 * self.chunk else min(last, self.top)
