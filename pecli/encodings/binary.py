"""The binary digits of the position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from pecli.core.errors import UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Bins, Positions
from pecli.encodings.base import Additive, of_any_shape, width_option

MAX_BITS = 53  # float64 represents positions exactly up to 53 bits


@dataclass(frozen=True)
class Binary(Additive):
    """The bits of the position: bit j is in column j (``order=lsb``: 6 is 0110) or in column d − 1 − j (``msb``).

    A position that needs more than d bits is an error.
    """

    name: ClassVar[str] = "binary"
    summary: ClassVar[str] = "the bits of the position"
    formula: ClassVar[str] = "binary.pe_p_j_p"
    source: ClassVar[str] = "fleuria, 2023: Positional Encoding"
    example: ClassVar[str] = "pecli distance -e binary --measure hamming --length 64"
    models: ClassVar[str] = "none; only to build intuition"
    extrapolates: ClassVar[bool] = False
    continuous: ClassVar[bool] = False
    dimension_label: ClassVar[str] = "binary.bit"

    d: int | None = width_option(None, "number of bits", MAX_BITS, unset="as many as the last position needs")
    order: str = option(
        "lsb", "the bit in the first column: the lowest (lsb) or the highest (msb)", choices=lambda: ("lsb", "msb")
    )
    values: str = option("01", "values of a bit: 0 and 1 (01), or −1 and 1 (pm1)", choices=lambda: ("01", "pm1"))

    @property
    def width(self) -> int:
        return self.d or MAX_BITS

    @property
    def signed(self) -> bool:
        return self.values == "pm1"

    limit = 1.0

    def fitted(self, positions: Positions, used: int | None = None) -> Self:
        return self if self.d else replace(self, d=max(1, (positions.stop - 1).bit_length()))

    def covered(self, positions: Positions) -> Positions:
        if positions.start < 0:
            text = f"binary has no bits for the negative position {positions.start}"
            raise UsageError(text, option="start", value=positions.start, advice="--start=0 or more")
        if positions.stop > 2**self.width:
            needed, last = (positions.stop - 1).bit_length(), positions.stop - 1
            bits = f"{self.width} bit{'s' * (self.width > 1)}"
            text = f"binary with {bits} counts to {2**self.width - 1}: position {last} needs {needed} bits"
            raise UsageError(text + f", try {option_text('d', needed)}", option="d", value=self.d)
        return positions

    @of_any_shape
    def table(self, positions: Array) -> Array:
        whole = np.asarray(positions, dtype=np.int64)
        if len(whole) and (whole.min() < 0 or whole.max() >= 2**self.width):
            raise UsageError(f"binary with {self.width} bits has the positions 0 to {2**self.width - 1}")
        bits = np.empty((len(whole), self.width))
        for bit in range(self.width):  # one column at a time: all at once would need the memory of three more tables
            bits[:, bit] = whole >> bit & 1
        return self._written(bits)

    def cycle(self, most: int) -> Positions | None:
        return Positions(length=2**self.width) if 2**self.width <= most else None

    def mean_table(self, blocks: Bins) -> Array:
        """Return the mean row of every block, shape (blocks, d), from the number of positions at which a bit is 1."""
        first = blocks.firsts().astype(np.int64)
        counts = blocks.counts().astype(np.int64)
        shares = np.empty((len(first), self.width))
        for bit in range(self.width):
            shares[:, bit] = (_ones_below(first + counts, bit) - _ones_below(first, bit)) / counts
        return self._written(shares)

    def extremes(self, dims: Array, edges: Array) -> tuple[Array, Array]:
        bits = [int(name) for name in self.dimension_names()]
        ones = np.stack([np.diff(_ones_below(edges, bits[dim])) for dim in dims])
        low, high = (found.astype(np.float64) for found in (ones == np.diff(edges), ones > 0))
        return (2 * low - 1, 2 * high - 1) if self.signed else (low, high)

    def column_formulas(self) -> list[str]:
        texts = [f"⌊p/{2 ** int(bit)}⌋%2" for bit in self.dimension_names()]
        return [f"2({text})-1" for text in texts] if self.signed else texts

    def written_out(self, position: int, column: int) -> list[str]:
        size = 2 ** int(self.dimension_names()[column])
        steps = [f"⌊{position} / {size}⌋ mod 2", f"{position // size} mod 2"]
        return [f"2 · ({step}) - 1" for step in steps] if self.signed else steps

    def dimension_names(self) -> list[str]:
        bits = [str(j) for j in range(self.width)]
        return bits if self.order == "lsb" else bits[::-1]

    def _written(self, bits: Array) -> Array:
        """Return `bits`, given lowest first, in the order and with the values of the options. Modifies `bits`."""
        if self.signed:
            np.subtract(np.multiply(bits, 2, out=bits), 1, out=bits)
        return bits if self.order == "lsb" else bits[:, ::-1]


def _ones_below(n: Array, bit: int) -> Array:
    """Return how many of 0 … n − 1 have the bit set, shape (len(n),)."""
    half = np.int64(1) << np.int64(bit)
    whole, rest = np.divmod(n, 2 * half)
    return whole * half + np.maximum(0, rest - half)
