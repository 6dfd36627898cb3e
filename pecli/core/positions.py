"""Which positions are encoded: a run of whole numbers, and the equal blocks that a long one is averaged in."""

from __future__ import annotations

from dataclasses import dataclass

from pecli.core.lazy import Array, np
from pecli.core.options import Options, option

MAX_LENGTH = 10**12  # positions
MAX_POSITION = 10**14  # the first: from 10**15 on matplotlib takes an axis of few positions for one without length


@dataclass(frozen=True)
class Positions(Options):
    """The positions start, start + 1, …, start + length − 1, dimensionless whole numbers.

    Raises
    ------
    UsageError : a length that is not 1 to 10¹², a start that is not −10¹⁴ to 10¹⁴
    """

    length: int = option(
        200,
        "number of positions; by default all rows of a table from a file",
        at_least=1,
        at_most=MAX_LENGTH,
        flags=("-n",),
        aliases=("max_position_embeddings", "n_positions", "max_len"),
        common=True,
    )
    start: int = option(
        0, "the first position; 1 counts from 1", at_least=-MAX_POSITION, at_most=MAX_POSITION, common=True
    )

    @property
    def stop(self) -> int:
        """One past the last position."""
        return self.start + self.length

    def array(self) -> Array:
        """Return all positions, shape (length,), float64."""
        return np.arange(self.start, self.stop, dtype=np.float64)

    def blocks(self, most: int | None) -> Blocks:
        """Return the positions in at most `most` blocks of one size; None: each position is a block."""
        size = 1 if most is None else -(-self.length // max(1, most))
        return Blocks(self.start, self.length, size)


@dataclass(frozen=True)
class Blocks:
    """A run of positions cut into blocks of `size`; only the last may be shorter."""

    start: int
    length: int
    size: int

    @property
    def positions(self) -> Positions:
        """All positions of the run."""
        return Positions(start=self.start, length=self.length)

    @property
    def count(self) -> int:
        """How many blocks."""
        return -(-self.length // self.size)

    @property
    def last(self) -> int:
        """How many positions the last block has."""
        return self.length - (self.count - 1) * self.size

    def firsts(self) -> Array:
        """Return the first position of every block, shape (count,)."""
        return self.start + self.size * np.arange(self.count, dtype=np.float64)

    def counts(self) -> Array:
        """Return how many positions every block has, shape (count,)."""
        counts = np.full(self.count, float(self.size))
        counts[-1] = self.last
        return counts

    def centres(self) -> Array:
        """Return the mean position of every block, shape (count,)."""
        return self.firsts() + (self.counts() - 1) / 2


@dataclass(frozen=True)
class LogBlocks:
    """Runs that get longer by a factor, one for each of so many pixels of a logarithmic axis.

    Where several pixels fall to one position each is a run of that position alone. Where a pixel holds several
    positions its run is two pixels long: of a wave of two pixels, half a run would leave a pattern that it has not.
    """

    start: int
    stop: int
    count: int

    @property
    def size(self) -> int:
        """How many positions the longest run has."""
        return int(self.counts().max())

    def _runs(self) -> tuple[Array, Array]:
        """Return the first position of every run and the one after its last, shape (count,)."""
        borders = np.geomspace(self.start, self.stop, self.count + 1)
        low, high = borders[:-1], borders[1:]
        half = np.where(high - low >= 1, (high - low) / 2, 0)
        first = np.ceil(low - half)
        first = np.where(first < np.ceil(high + half), first, np.floor(low)).clip(self.start, self.stop - 1)
        return first, np.maximum(first + 1, np.minimum(np.ceil(high + half), self.stop))

    def firsts(self) -> Array:
        """Return the first position of every run, shape (count,)."""
        return self._runs()[0]

    def counts(self) -> Array:
        """Return how many positions every run has, shape (count,)."""
        first, end = self._runs()
        return end - first

    def centres(self) -> Array:
        """Return the mean position of every run, shape (count,)."""
        return self.firsts() + (self.counts() - 1) / 2


Bins = Blocks | LogBlocks  # runs of positions to average over
