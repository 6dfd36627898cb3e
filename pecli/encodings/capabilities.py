"""What an encoding can do. A figure names the capability that it draws; an encoding has those that it derives from.

`TableEncoding` gives a vector for each position, `Additive` one that is added to the embedding, `Rotary` turns vectors,
`BiasEncoding` gives a number for each offset and head and has no table. `Harmonic`, the table of sines and cosines with
its closed forms, has a file of its own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ClassVar, TypeVar

from pecli.core.arithmetic import chunks
from pecli.core.language import phrase, template
from pecli.core.lazy import Array, np
from pecli.core.positions import Bins, Positions
from pecli.core.progress import track
from pecli.encodings.encoding import Encoding

Own = TypeVar("Own", bound="TableEncoding")


def of_any_shape(table: Callable[[Own, Array], Array]) -> Callable[[Own, Array | float], Array]:
    """A `table` that takes positions of any shape (…) and gives (…, d), for a number (d,), out of a plain one."""

    @wraps(table)
    def shaped(self: Own, positions: Array | float) -> Array:
        at = np.asarray(positions)
        return table(self, at.reshape(-1)).reshape(*at.shape, self.width)

    return shaped


@dataclass(frozen=True)
class TableEncoding(Encoding):
    """Every position has a vector: a row of the table."""

    gives: ClassVar[str] = "table"
    dimension_label: ClassVar[str] = template("dimension")
    continuous: ClassVar[bool] = True  # moves little from one position to the next; else a line is drawn in steps

    @property
    @abstractmethod
    def width(self) -> int:
        """How many columns the table has (d)."""

    @abstractmethod
    def table(self, positions: Array) -> Array:
        """The encoding of each position.

        Parameters
        ----------
        positions : shape (length,), dimensionless; pecli's own encodings take any shape (…), and a number

        Returns
        -------
        shape (length, d), float64; (…, d) of positions (…), (d,) of a number

        Raises
        ------
        UsageError : there is no row for a position
        """

    def columns(self, dims: Array, first: int, count: int) -> Array:
        """Some columns of the table at the positions first … first + count − 1, shape (len(dims), count)."""
        found = np.empty((len(dims), count))
        for part in chunks(0, count, self.width):
            positions = first + np.arange(part.start, part.stop, dtype=np.float64)
            found[:, part.start : part.stop] = self.table(positions)[:, dims].T
        return found

    @property
    def signed(self) -> bool:
        """Whether values lie on both sides of 0, so that a diverging map fits."""
        return True

    @property
    def limit(self) -> float | None:
        """The largest absolute value that can occur, or None where only the numbers tell."""
        return None

    def covered(self, positions: Positions) -> Positions:
        """The rows of the table for a sequence at these positions: themselves, or the offsets between them.

        Raises
        ------
        UsageError : the table has no row for one of them
        """
        return positions

    def check_positions(self, positions: Positions) -> None:
        """Refuses positions that are asked for and that the table has no rows for (UsageError)."""
        self.covered(positions)

    def cycle(self, most: int) -> Positions | None:
        """The positions after which all columns begin anew, if they do and are no more than so many."""
        return None

    def mean_table(self, blocks: Bins) -> Array:
        """The mean row of every block. Here by adding up, in bounded memory.

        Parameters
        ----------
        blocks : runs of positions

        Returns
        -------
        shape (blocks, d), float64
        """
        if blocks.size == 1:
            return self.table(blocks.firsts())
        rows = np.empty((blocks.count, self.width))
        runs = list(zip(blocks.firsts(), blocks.counts(), strict=True))
        for row, (first, count) in track(
            list(enumerate(runs)), f"averaging {self.name} position by position: it has no closed form"
        ):
            parts = chunks(0, int(count), self.width)
            sums = [self.table(first + np.arange(part.start, part.stop)).sum(axis=0) for part in parts]
            rows[row] = np.sum(sums, axis=0) / count
        return rows

    def dimension_names(self) -> list[str] | None:
        """What the columns mean one by one, or None where they are just numbered."""
        return None

    def column_formulas(self) -> list[str]:
        """Every column in short, as a function of p; here an entry of a table W."""
        return [f"W[p,{column}]" for column in range(self.width)]

    def written_out(self, position: int, column: int) -> list[str]:
        """One entry of the table with its numbers put in, step by step: each text equals the next."""
        return [f"W[{position}, {column}]"]


@dataclass(frozen=True)
class Additive(TableEncoding):
    """Row p of the table is added to the embedding of the token at position p."""

    gives: ClassVar[str] = "position vector to add"
    kind: ClassVar[str] = "added to the embedding"


@dataclass(frozen=True)
class Rotary(TableEncoding):
    """Queries and keys are turned by their positions; the table is what one fixed vector becomes."""

    gives: ClassVar[str] = "rotation"
    kind: ClassVar[str] = "turns queries and keys"

    @property
    def turned(self) -> dict[str, str]:
        """The option that says what the table turns, where it is given; it means nothing where other vectors turn."""
        return {}

    @abstractmethod
    def rotate(self, x: Array, positions: Array) -> Array:
        """Every vector turned by its position.

        Parameters
        ----------
        x : shape (…, length, d)
        positions : shape (length,)

        Returns
        -------
        shape (…, length, d), float64

        Raises
        ------
        UsageError : x has another width, or not one vector a position
        """

    @abstractmethod
    def split(self, x: Array) -> tuple[Array, Array]:
        """The first and the second column of every pair, each (…, n_pairs), of x (…, d)."""

    @abstractmethod
    def rotation_written_out(self, x: Array, position: int, column: int) -> list[str]:
        """One entry of the turned x (d,) with its numbers put in, step by step: each text equals the next."""

    def rotation_matrix(self, position: float) -> Array:
        """R_p, shape (d, d): f(x, p) = R_p x. Block-diagonal where pairs are neighbours."""
        return self.rotate(np.eye(self.width)[:, None, :], np.array([position], dtype=np.float64))[:, 0, :].T


@dataclass(frozen=True)
class BiasEncoding(Encoding):
    """Every offset between a query and a key has a number a head, which is added to their score. No table."""

    gives: ClassVar[str] = "bias"
    kind: ClassVar[str] = "added to the score"

    @property
    def known(self) -> bool:
        """Whether `bias` gives the bias; else it is learned, and numbers stand for it that are not added to a score."""
        return True

    @property
    def quantity(self) -> str:
        """What `bias` gives: the bias, or what stands for it."""
        return template("bias")

    @property
    @abstractmethod
    def n_heads(self) -> int:
        """How many heads, each with a bias of its own."""

    def head_text(self, head: int) -> str:
        """What a head is called, with what makes it differ from the others."""
        return phrase("head {head}", head=head)

    @abstractmethod
    def bias(self, offsets: Array) -> Array:
        """What is added to the score of a query and a key.

        Parameters
        ----------
        offsets : shape (n,), position of the query less that of the key, positions

        Returns
        -------
        shape (n_heads, n), float64; −inf where the query does not see the key
        """
