"""Arrays that name their dimensions, and the columns of a file that follow from that.

Numbers are a dataclass: ``table: Array = over("position", "dimension")``, ``positions: Array = over("position")``.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, NamedTuple

from pecli.core.lazy import Array, np

LINE = "line"  # a dimension without numbers: the coordinates of a line tell which it is, and a file has a row a point


class Over(NamedTuple):
    """What a field is over; see `over`."""

    dimensions: tuple[str, ...]
    each: tuple[str, ...] = ()
    across: str = ""
    name: str = ""

    @property
    def axes(self) -> list[tuple[str, ...]]:
        """The dimensions, all together or one by one."""
        return [(name,) for name in self.each] or [self.dimensions]


def over(*dimensions: str, **more: Any) -> Any:
    """Return the field of an array of these dimensions, for tables. The first is the main array; others of its
    dimensions stand beside it, those of fewer are coordinates. A tuple over "encoding" is a fact of each.

    each : instead, dimensions of which every one has these coordinates
    across : of the main array, the dimension that has a column each in a wide file, ``pair 0``; else the last, ``0``
    name : of the column of a long file, where it is not the dimension's, or of lines the field's in the singular
    """
    return field(metadata={"over": Over(dimensions, **more)})


def aside(*dimensions: str, **more: Any) -> Any:
    """Return the field of what is no fact, or of an array of these dimensions that is in no table."""
    return field(metadata={"aside": Over(dimensions)}, **more)


class Column(NamedTuple):
    """An array in a table; name : what it is called as a coordinate in a long file."""

    field: str
    name: str
    dimensions: tuple[str, ...]
    values: Any


class Sheet:
    """The arrays of numbers as a table: the main one, what stands beside it, and where its numbers stand.

    order : the dimensions of the main array, last the one across; its coordinates, where they are texts, are headers
    of columns that stay side by side in every file
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
        """Return where coordinates stand from left to right: the encoding before others of a line."""
        return max(map(self.order.index, own.dimensions)), len(own.dimensions), own.field != "encoding"

    def coordinates(self) -> list[str]:
        """Return the names of arrays along the first axis of the main one, and along the second of a matrix."""
        axes = [(name,) for name in self.main.dimensions[: 2 if len(self.order) == 2 else 1]]
        return [own.field for own in self.places or self.beside if own.dimensions in axes]

    def written(self, long: bool = False) -> tuple[list[str], list[Array]]:
        """Return header and columns of a file: where a row stands, and the numbers across side by side; where it is
        long a row a number, and what stands beside."""
        long = long or self.always_long
        rows = self.order if long and not self.named else self.order[:-1]
        places = [own for own in self.places if {*own.dimensions} <= {*rows}]
        header = [own.name if long or len(self.order) > 2 else own.field for own in places]
        columns = [self._column(own, rows) for own in places]
        if rows == self.order:
            beside = [own for own in self.beside if np.shape(own.values) == np.shape(self.main.values)]
            header += ["value" if places else self.main.field, *(own.field for own in beside)]
            return header, columns + [self._column(own, rows) for own in (self.main, *beside)]
        numbers = np.moveaxis(self.main.values, self.main.dimensions.index(self.order[-1]), 0)
        return header + self.headers(), [*columns, *numbers.reshape(len(numbers), -1)]

    def headers(self) -> list[str]:
        """Return the headers of numbers side by side."""
        texts = (f"{at:g}" if isinstance(at, float) else str(at) for at in np.asarray(self.ends[0]).tolist())
        return [f"{self.across} {text}".lstrip() for text in texts]

    def _column(self, own: Column, rows: list[str]) -> Array:
        """Return what an array says of every row."""
        values = np.transpose(own.values, [own.dimensions.index(name) for name in rows if name in own.dimensions])
        sides = [self.shape[name] if name in own.dimensions else 1 for name in rows]
        return np.broadcast_to(values.reshape(sides), [self.shape[name] for name in rows]).reshape(-1)
