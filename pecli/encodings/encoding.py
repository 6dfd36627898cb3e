"""What every position encoding is: a rule with its parameters that maps positions to vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pecli.core.lazy import Array, np
from pecli.core.number_text import minus
from pecli.core.options import Option, Options
from pecli.core.positions import Bins, Positions
from pecli.core.progress import track

CHUNK = 1 << 20  # numbers handled at once where a whole table would be too much


@dataclass(frozen=True)
class Encoding(Options):
    """Base of the encodings. A subclass is one file: its parameters as fields, its formula as `table`.

    Class attributes describe it wherever encodings are listed; nothing else repeats them.
    """

    what: ClassVar[str] = "parameter"
    name: ClassVar[str]
    summary: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    example: ClassVar[str]
    kind: ClassVar[str] = "added to the embedding"
    additive: ClassVar[bool] = True  # row p of the table is added to the embedding of token p
    models: ClassVar[str] = "none known"
    trained: ClassVar[bool] = False  # its numbers are learned, not given by the formula
    extrapolates: ClassVar[bool] = True
    continuous: ClassVar[bool] = True  # moves little from one position to the next; else a line is drawn in steps

    position_label: ClassVar[str] = "position p"
    other_label: ClassVar[str] = "position q"  # where two positions are compared
    position_unit: ClassVar[str] = ""  # of bare numbers, where ticks are not written in the encoding's own terms
    dimension_label: ClassVar[str] = "dimension"
    tick_steps: ClassVar[tuple[int, ...]] = ()  # round numbers of positions, where they are not powers of ten

    @property
    @abstractmethod
    def width(self) -> int:
        """How many columns the table has (d)."""

    @property
    def signed(self) -> bool:
        """Whether values lie on both sides of 0, so that a diverging map fits."""
        return True

    @property
    def limit(self) -> float | None:
        """The largest absolute value that can occur, or None where only the numbers tell."""
        return None

    @property
    def invariant(self) -> bool:
        """Whether rows have one norm and distances that depend on the offset alone, in closed form."""
        return False

    @abstractmethod
    def table(self, positions: Array) -> Array:
        """The encoding of each position.

        Parameters
        ----------
        positions : shape (length,), dimensionless

        Returns
        -------
        shape (length, d), float64
        """

    def fitted(self, positions: Positions) -> Self:
        """This encoding with what it leaves open settled by the positions."""
        return self

    def covered(self, positions: Positions) -> Positions:
        """The rows of the table for a sequence at these positions; raises UsageError where there are none."""
        return positions

    def cycle(self, most: int) -> Positions | None:
        """The positions after which all columns begin anew, if they do and are no more than so many."""
        return None

    def mean_table(self, blocks: Bins) -> Array:
        """The mean row of every block, shape (blocks, d). Here by adding up, in bounded memory."""
        if blocks.size == 1:
            return self.table(blocks.firsts())
        rows = np.empty((blocks.count, self.width))
        step = max(1, CHUNK // self.width)
        runs = list(zip(blocks.firsts(), blocks.counts(), strict=True))
        for row, (first, count) in track(list(enumerate(runs)), "averaging positions"):
            stops = np.arange(0, count, step)
            parts = [self.table(first + np.arange(at, min(at + step, count))).sum(axis=0) for at in stops]
            rows[row] = np.sum(parts, axis=0) / count
        return rows

    def position_text(self, position: float) -> str:
        """A position as its axis shows it."""
        text = f"{position:,.0f}" if float(position).is_integer() else f"{position:g}"
        return minus(text)

    def length_text(self, length: float) -> str:
        """A number of positions, such as a wavelength, as a legend shows it."""
        return f"{length:,.4g}" if length < 9999.5 else f"{length:,.0f}" if length < 1e7 else f"{length:.3g}"

    def pair_text(self, pair: int) -> str:
        """What a pair of dimensions is called."""
        return f"pair {pair}"

    def dimension_names(self) -> list[str] | None:
        """What the columns mean one by one, or None where they are just numbered."""
        return None

    def column_formulas(self) -> list[str]:
        """Every column in short, as a function of p; here an entry of a table W."""
        return [f"W[p,{column}]" for column in range(self.width)]

    def written_out(self, position: int, column: int) -> list[str]:
        """One entry of the table with its numbers put in, step by step: each text equals the next."""
        return [f"W[{position}, {column}]"]

    def spec(self, defaults: Mapping[str, Any] | None = None) -> str:
        """The text that gives this encoding again, also where `defaults` are defaults: ``sinusoidal:base=10``."""
        known, said = self.options(), self.changed() | self.changed(defaults)
        given = [f"{name}={_spelled(known[name], said[name])}" for name in known if name in said]
        return self.name + (":" + ",".join(given) if given else "")

    def label(self) -> str:
        """The encoding in a title: what was changed, and what is always shown: ``sinusoidal, d 128, base 10``."""
        known = self.options()
        shown = {name: v for name, v in self.settings().items() if known[name].shown or v != known[name].default}
        return ", ".join([self.name, *(f"{n} {known[n].write(v)}" for n, v in shown.items() if v is not None)])


def _spelled(one: Option, value: object) -> str:
    """A value inside a spec, where a comma that belongs to a single text is marked."""
    return one.write(value) if one.many else one.write(value).replace(",", "\\,")
