"""Arrays with named dimensions, and the columns of the file that is written from them.

A figure's numbers are a dataclass with fields such as ``table: Array = over("position", "dimension")``. A wide file has
a column for each value of the table's last dimension; a long file has a row for each number.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, NamedTuple

from pecli.core.lazy import Array, np

LINE = "line"  # a dimension without coordinates: a file has one row per point of the line


class Over(NamedTuple):
    """The dimensions of a field; see `over`."""

    dimensions: tuple[str, ...]
    each: tuple[str, ...] = ()
    across: str = ""
    name: str = ""

    @property
    def axes(self) -> list[tuple[str, ...]]:
        """The dimensions of each column that the array becomes: one column, or one for each dimension in `each`."""
        return [(name,) for name in self.each] or [self.dimensions]


def over(*dimensions: str, **more: Any) -> Any:
    """Return a dataclass field for an array with these dimensions, to be written in tables.

    The first such field is the main array. A field with the same dimensions is a further column; one with fewer
    dimensions is a coordinate. A tuple over "encoding" holds one fact for each encoding.

    each : dimensions of the main array that all have this array as their coordinates; given instead of `dimensions`
    across : dimension of the main array that a wide file spreads over columns, with headers such as ``pair 0``; by
      default the last dimension, with headers such as ``0``
    name : name of the column in a long file; by default the dimension, or for a line the field's name in the singular
    """
    return field(metadata={"over": Over(dimensions, **more)})


def aside(*dimensions: str, **more: Any) -> Any:
    """Return a dataclass field that is neither a fact nor part of a table; `more` are arguments of `field`."""
    return field(metadata={"aside": Over(dimensions)}, **more)


class Column(NamedTuple):
    """An array in a table.

    field : name of the field that holds it
    name : name of its column in a long file
    """

    field: str
    name: str
    dimensions: tuple[str, ...]
    values: Any


class Sheet:
    """The arrays of a dataclass of numbers as one table.

    order : dimensions of the main array; the last one is spread over columns. If the coordinates of this dimension are
        texts, they are column headers even in a long file.
    """

    def __init__(self, numbers: Any) -> None:
        declared = {own.name: own.metadata["over"] for own in fields(numbers) if "over" in own.metadata}
        columns = []
        for field_name, own in declared.items():
            for dimensions in own.axes:
                singular = len(dimensions) > 1 or dimensions[0] == LINE
                name = own.name or (field_name.removesuffix("s") if singular else dimensions[0])
                columns.append(Column(field_name, name, dimensions, getattr(numbers, field_name)))
        self.main, *others = columns
        self.across = declared[self.main.field].across
        self.shape = dict(zip(self.main.dimensions, np.shape(self.main.values), strict=True))
        self.order = sorted(self.shape, key=lambda name: name == (self.across or self.main.dimensions[-1]))
        told = {own.dimensions for own in columns}
        others += [Column(name, name, (name,), range(n)) for name, n in self.shape.items() if (name,) not in told]
        self.beside = [own for own in others if own.dimensions == self.main.dimensions]
        self.places = sorted((own for own in others if {*own.dimensions} < {*self.order}), key=self._rank)
        self.ends = [own.values for own in self.places if own.dimensions == (self.order[-1],)]
        self.named = bool(self.ends) and isinstance(self.ends[0], tuple)
        self.always_long = len(self.order) == 1 or LINE in self.order or self.named

    def _rank(self, own: Column) -> tuple[int, int, bool]:
        """Return the sort key of a coordinate's column: by dimension; for lines the encoding comes first."""
        return max(map(self.order.index, own.dimensions)), len(own.dimensions), own.field != "encoding"

    @property
    def common(self) -> list[str]:
        """The names of the coordinates that do not vary along the rows of the main array."""
        return [own.field for own in self.places if self.main.dimensions[0] not in own.dimensions]

    def coordinates(self) -> list[str]:
        """Return the coordinates' names for the main array's first axis; for a matrix, also for its second axis."""
        axes = [(name,) for name in self.main.dimensions[: 2 if len(self.order) == 2 else 1]]
        return [own.field for own in self.places or self.beside if own.dimensions in axes]

    def written(self, long: bool) -> tuple[list[str], list[Array]]:
        """Return header and columns of a wide file: the coordinates, and a column for each value of the last dimension.

        If `long`, there is one row per number, and arrays of the same dimensions are further columns.
        """
        long = long or self.always_long
        rows = self.order if long and not self.named else self.order[:-1]
        places = [own for own in self.places if {*own.dimensions} <= {*rows} and np.size(own.values)]
        header = [own.name if long or len(self.order) > 2 else own.field for own in places]
        columns = [self._column(own, rows) for own in places]
        if rows == self.order:
            beside = [own for own in self.beside if np.shape(own.values) == np.shape(self.main.values)]
            header += ["value" if places else self.main.field, *(own.field for own in beside)]
            return header, columns + [self._column(own, rows) for own in (self.main, *beside)]
        numbers = np.moveaxis(self.main.values, self.main.dimensions.index(self.order[-1]), 0)
        return header + self.headers(), [*columns, *numbers.reshape(len(numbers), -1)]

    def headers(self) -> list[str]:
        """Return the headers of the columns of a wide file."""
        texts = (f"{at:g}" if isinstance(at, float) else str(at) for at in np.asarray(self.ends[0]).tolist())
        return [f"{self.across} {text}".lstrip() for text in texts]

    def _column(self, own: Column, rows: list[str]) -> Array:
        """Return the values of an array, repeated so that each row of the file has one."""
        values = np.transpose(own.values, [own.dimensions.index(name) for name in rows if name in own.dimensions])
        sides = [self.shape[name] if name in own.dimensions else 1 for name in rows]
        return np.broadcast_to(values.reshape(sides), [self.shape[name] for name in rows]).reshape(-1)
