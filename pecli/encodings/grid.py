"""Positions on a grid: the patches of an image or a video, numbered row by row."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import pi, prod
from typing import Any, ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic

GRID = re.compile(r"\s*[1-9]\d{0,8}(?:\s*[xX×]\s*[1-9]\d{0,8}){1,3}\s*")
MAX_CELLS = 10**6
SCALES: dict[str, Callable[[Array, int], Array]] = {  # the coordinate of cell i on an axis of n cells
    "index": lambda i, n: i,
    "unit": lambda i, n: (i + 0.5) / n,
    "dinov3": lambda i, n: 2 * pi * (2 * (i + 0.5) / n - 1),
    "detr": lambda i, n: 2 * pi * (i + 1) / (n + 1e-6),
}


def grid_text(sides: Any) -> str | None:
    """Return the text of a grid, 14x14 for (14, 14); None for anything else."""
    sides = sides.tolist() if isinstance(sides, np.ndarray) else sides
    whole = (
        isinstance(sides, (list, tuple)) and len(sides) in (2, 3, 4) and all(isinstance(side, int) for side in sides)
    )
    return "x".join(map(str, sides)) if whole else None


def grid_option(default: str | None, help: str = "", **more: Any) -> Any:
    """Return the option grid; `more` are other attributes of the `Option`."""
    help = help or "grid whose cells are the positions, row by row: rows x columns, or frames x rows x columns"
    return option(default, help, text_of=grid_text, split=True, **more)


def sides_of(name: str, text: str) -> tuple[int, ...]:
    """Return the lengths of a grid's axes, rows before columns. Raises UsageError if the text is not a grid."""
    sides = tuple(map(int, re.split("[xX×]", text))) if GRID.fullmatch(text) else ()
    if not sides or prod(sides) > MAX_CELLS:
        allowed = f"rows x columns such as 14x14, or frames x rows x columns, at most {MAX_CELLS:,} cells"
        raise UsageError(option=name, value=text, allowed=allowed)
    return sides


AXES = ("words.frame", "words.row", "words.column")  # names of the axes; a grid with two axes has the last two


@dataclass(frozen=True)
class OnGrid(TableEncoding):
    """Base of encodings whose positions can be the cells of a grid, numbered row by row from the top left."""

    gives: ClassVar[str] = "grid of positions"
    of_grids: ClassVar[tuple[str, ...]] = ()  # parameters that need a grid

    grid: str | None = grid_option(None, unset="positions on a line")

    def check(self) -> None:
        if self.grid is not None:
            sides_of("grid", self.grid)
        changed = self.changed() if self.places is None else {}
        for name in [name for name in self.of_grids if name in changed]:
            value = getattr(self, name)
            text = f"{option_text(name, value)} needs positions in a grid"
            raise UsageError(text, option=name, value=value, advice="give --grid too")
        super().check()

    @property
    def sides(self) -> tuple[int, ...]:
        return () if self.grid is None else sides_of("grid", self.grid)

    @cached_property
    def places(self) -> Array | None:
        """The coordinates of every position, (axes, n): frame, row and column; None on a line."""
        return np.indices(self.sides).reshape(len(self.sides), -1) if self.sides else None

    @property
    def own_positions(self) -> Positions | None:
        return None if self.places is None else Positions(length=self.places.shape[1])

    def covered(self, positions: Positions) -> Positions:
        return super().covered(self.own_positions or positions)

    def whole_numbers(self, positions: Array) -> Array:
        """Return positions as integers. Raises UsageError if the grid does not have these cells."""
        whole, count = np.asarray(positions, dtype=np.int64), 0 if self.places is None else self.places.shape[1]
        if whole.size and not 0 <= whole.min() <= whole.max() < count:
            raise UsageError(f"{self.title()} has the positions 0 to {count - 1} and no others")
        return whole

    def places_of(self, positions: Array) -> Array:
        whole = np.asarray(positions, dtype=np.int64)
        return np.stack(np.unravel_index(whole, self.sides)) if self.sides else super().places_of(positions)

    def position_text(self, position: float) -> str:
        if not self.sides:
            return super().position_text(position)
        if position >= np.prod(self.sides):
            return ""  # no text for a tick beyond the last position
        return str(tuple(int(at) for at in np.unravel_index(int(position), self.sides)))

    def position_at(self, place: int | str) -> int:
        if not self.sides or isinstance(place, int) or ":" in place:
            return super().position_at(place)
        at = [*map(int, re.findall(r"\d+", place))]
        if len(at) != len(self.sides) or any(own >= side for own, side in zip(at, self.sides, strict=True)):
            text = f"{option_text('at', place)} is outside the grid {'x'.join(map(str, self.sides))}, counted from 0x0"
            raise UsageError(text, option="at", value=place)
        return int(np.ravel_multi_index(tuple(at), self.sides))


@dataclass(frozen=True)
class HarmonicOnGrid(OnGrid, Harmonic):
    """Base of encodings by sines and cosines in which each pair turns by one coordinate of the position."""

    of_grids: ClassVar[tuple[str, ...]] = ("scale_grid", "grid_step", "grid_start")

    scale_grid: str = option(
        "index",
        "coordinate of cell i of n along an axis, i = 0 to n − 1: i (index), (i + ½)/n (unit), 2π(2(i + ½)/n − 1) "
        "(dinov3), 2π(i + 1)/n (detr)",
        choices=lambda: tuple(SCALES),
    )
    grid_step: tuple[float, ...] | None = option(
        None,
        "difference between the coordinates of neighbouring cells, one number or one per axis",
        above=0,
        at_most=1e6,
        unset="1",
        in_spec=True,
    )
    grid_start: tuple[float, ...] | None = option(
        None,
        "coordinate of the first cell, one number or one per axis",
        at_least=-1e9,
        at_most=1e9,
        unset="0",
        in_spec=True,
    )

    def check(self) -> None:
        for name in ("grid_step", "grid_start"):
            if self.sides and len(getattr(self, name) or ()) not in (0, 1, len(self.sides)):
                text = f"{name} needs {len(self.sides)} numbers, one for each axis, not {len(getattr(self, name))}"
                raise UsageError(text, option=name, value=getattr(self, name))
        super().check()

    @abstractmethod
    def axes_of_pairs(self) -> Array:
        """Return for each pair the index of the axis whose coordinate turns it, (n_pairs,)."""

    @property
    def directions_of_pairs(self) -> Array | None:
        """The unit vector along which each pair turns, (axes, n_pairs); None if every pair turns along an axis."""
        return None

    @cached_property
    def _scaled(self) -> list[Array]:
        """For each axis, the scaled coordinates of its n cells and of one more cell after them, (n + 1,)."""
        lengths = [] if self.places is None else (self.places.max(axis=1) + 1).tolist()
        starts, steps = (np.broadcast_to(own, len(lengths)) for own in (self.grid_start or 0.0, self.grid_step or 1.0))
        along = (SCALES[self.scale_grid](np.arange(n + 1.0), n) for n in lengths)
        return [start + step * own for start, step, own in zip(starts, steps, along, strict=True)]

    def coordinates(self, positions: Array) -> Array:
        if self.places is None:
            return super().coordinates(positions)
        whole = self.whole_numbers(positions)
        scaled = [along[places[whole]] for along, places in zip(self._scaled, self.places, strict=True)]
        stacked, directions = np.stack(scaled, axis=-1), self.directions_of_pairs
        return stacked[..., self.axes_of_pairs()] if directions is None else stacked @ directions

    def coordinate_names(self) -> str:
        if self.places is None:
            return super().coordinate_names()
        if self.directions_of_pairs is not None:
            return "u" * len(self.wavelengths())  # the coordinate along the pair's own direction
        letters = "xfrc"[-len(self.places) :]  # frame, row, column; x for a fourth axis before them
        return "".join(letters[axis] for axis in self.axes_of_pairs())

    @property
    def wave_unit(self) -> str:
        cells = "grids.rows_or_columns" if self.scale_grid == "index" else "grids.units_of_scaled_coordinates"
        return cells if self.sides else super().wave_unit

    def longer_than(self, length: int) -> Array:
        """Return a mask, (n_pairs,), of the pairs whose wavelength is longer than the range of their coordinate.

        Positions on a line have no such range: their wavelengths are compared with `length` instead.
        """
        if self.places is None:
            return super().longer_than(length)
        lengths, directions = np.array([*map(np.ptp, self._scaled)]), self.directions_of_pairs
        own = lengths[self.axes_of_pairs()] if directions is None else lengths @ np.abs(directions)
        return np.asarray(self.wavelengths() > own)
