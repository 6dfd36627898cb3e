"""In which places of a grid panels stand; one that stands large beside a grid of the others stands in several."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import ceil, sqrt
from typing import NamedTuple

Mosaic = tuple[tuple[int, ...], ...]  # the panels of each row; one that spans several places stands in each


class Place(NamedTuple):
    """The first and the last row and column in which a panel stands."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def is_large(self) -> bool:
        """Whether there is more than one of either."""
        return self.top < self.bottom or self.left < self.right


class Band(NamedTuple):
    """So many panels that make a grid of their own.

    columns : side by side where there is room
    grids : the numbers of columns that there may be; none where the mosaics are all that there is to try
    mosaics : grids to be tried first, as around one that stands large
    """

    panels: int
    columns: int
    grids: tuple[int, ...]
    mosaics: tuple[Mosaic, ...] = ()


def in_columns(count: int, columns: int) -> Mosaic:
    """Panels in rows of so many; the last may have fewer."""
    return tuple(tuple(range(at, min(at + columns, count))) for at in range(0, count, columns))


def in_rows(counts: Sequence[int], columns: int) -> Mosaic:
    """Several times so many panels, each in rows of their own of at most so many."""
    parts = zip([0, *accumulate(counts)], counts, strict=False)
    return tuple(row for first, own in parts for row in counted_from(first, in_columns(own, columns)))


def rows_of_their_own(counts: Sequence[int], grids: Sequence[int], wanted: int) -> tuple[Mosaic, ...]:
    """Those for each number of columns that there may be: as many as are wanted, then fewer, then more."""
    return tuple(in_rows(counts, one) for one in sorted(grids, key=lambda one: (one > wanted, -one)))


def width_of(mosaic: Mosaic) -> int:
    """How many columns there are."""
    return max(map(len, mosaic))


def places_of(mosaic: Mosaic) -> list[Place]:
    """Where each panel stands, in their order."""
    found: dict[int, Place] = {}
    for row, ones in enumerate(mosaic):
        for column, at in enumerate(ones):
            found[at] = found.get(at, Place(row, row, column, column))._replace(bottom=row, right=column)
    return [found[at] for at in sorted(found)]


def beside(large: int, others: Mosaic) -> Mosaic:
    """One panel as tall as all rows of the others: left of them where it comes first, else right of them."""
    return tuple((large, *row) if large < row[0] else (*row, large) for row in others)


def across(large: int, others: Mosaic) -> Mosaic:
    """One panel as wide as all columns of the others: above them where it comes first, else below them."""
    row = (large,) * len(others[0])
    return (row, *others) if large < others[0][0] else (*others, row)


def around(large: int, count: int) -> tuple[Mosaic, ...]:
    """The first or the last panel beside a full grid of the others, or above or below it; nothing without such."""
    rest = count - 1
    if rest < 2 or rest % columns_of(rest):
        return ()
    few, many = sorted((columns_of(rest), rest // columns_of(rest)))
    tall, wide = (counted_from(int(large == 0), in_columns(rest, columns)) for columns in (few, many))
    return beside(large, tall), across(large, wide)


def counted_from(first: int, mosaic: Mosaic) -> Mosaic:
    """The same places for panels of which that is the first."""
    return tuple(tuple(first + at for at in row) for row in mosaic)


def columns_of(count: int) -> int:
    """In how many columns so many panels stand where there is room: about a square, its last row full if it can be."""
    root = ceil(sqrt(count))
    return count if count <= 3 else next((one for one in (root, root + 1) if count % one == 0), root)
