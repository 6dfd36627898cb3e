"""Ranges of positions, and the blocks over which long ranges are averaged."""

from __future__ import annotations

from dataclasses import dataclass

from pecli.core.lazy import Array, np
from pecli.core.options import Options, option

MAX_LENGTH = 10**12  # most positions
MAX_POSITION = 10**14  # largest first position: from 10**15 on, matplotlib takes a short axis for an empty one


@dataclass(frozen=True)
class Positions(Options):
    """The positions start, start + 1, …, start + length − 1.

    Raises
    ------
    UsageError : length is not in 1 … 10¹², or start not in −10¹⁴ … 10¹⁴
    """

    length: int = option(
        200,
        "number of positions; without it, a data file is shown whole",
        at_least=1,
        at_most=MAX_LENGTH,
        flags=("-n",),
        aliases=("max_position_embeddings", "n_positions", "max_len"),
        common=True,
    )
    start: int = option(0, "number of the first position", at_least=-MAX_POSITION, at_most=MAX_POSITION, common=True)

    @property
    def stop(self) -> int:
        """One past the last position."""
        return self.start + self.length

    def array(self) -> Array:
        """Return all positions, shape (length,), float64."""
        return np.arange(self.start, self.stop, dtype=np.float64)

    def blocks(self, most: int | None) -> Blocks:
        """Return the positions in at most `most` blocks of equal size; one position per block if None."""
        size = 1 if most is None else -(-self.length // max(1, most))
        return Blocks(self.start, self.length, size)


@dataclass(frozen=True)
class Blocks:
    """Positions divided into blocks of `size`; only the last may be shorter."""

    start: int
    length: int
    size: int

    @property
    def positions(self) -> Positions:
        """All positions of the blocks."""
        return Positions(start=self.start, length=self.length)

    @property
    def count(self) -> int:
        """Number of blocks."""
        return -(-self.length // self.size)

    @property
    def last(self) -> int:
        """Number of positions in the last block."""
        return self.length - (self.count - 1) * self.size

    def firsts(self) -> Array:
        """Return the first position of each block, shape (count,)."""
        return self.start + self.size * np.arange(self.count, dtype=np.float64)

    def counts(self) -> Array:
        """Return the number of positions in each block, shape (count,)."""
        counts = np.full(self.count, float(self.size))
        counts[-1] = self.last
        return counts

    def centres(self) -> Array:
        """Return the mean position of each block, shape (count,)."""
        return self.firsts() + (self.counts() - 1) / 2


@dataclass(frozen=True)
class LogBlocks:
    """Blocks whose length grows geometrically, one for each pixel of a logarithmic axis.

    Where a position is wider than a pixel, each block has one position. Where a pixel spans several positions, its
    block is two pixels long and overlaps its neighbours: shorter blocks would alias a wave of two pixels.
    """

    start: int
    stop: int
    count: int

    @property
    def size(self) -> int:
        """Number of positions in the longest block."""
        return int(self.counts().max())

    def _runs(self) -> tuple[Array, Array]:
        """Return the first position of each block, and the position after its last; two arrays of shape (count,)."""
        borders = np.geomspace(self.start, self.stop, self.count + 1)
        low, high = borders[:-1], borders[1:]
        half = np.where(high - low >= 1, (high - low) / 2, 0)
        first = np.ceil(low - half)
        first = np.where(first < np.ceil(high + half), first, np.floor(low)).clip(self.start, self.stop - 1)
        return first, np.maximum(first + 1, np.minimum(np.ceil(high + half), self.stop))

    def firsts(self) -> Array:
        """Return the first position of each block, shape (count,)."""
        return self._runs()[0]

    def counts(self) -> Array:
        """Return the number of positions in each block, shape (count,)."""
        first, end = self._runs()
        return end - first

    def centres(self) -> Array:
        """Return the mean position of each block, shape (count,)."""
        return self.firsts() + (self.counts() - 1) / 2


Bins = Blocks | LogBlocks  # blocks of positions to average over
