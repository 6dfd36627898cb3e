"""All that sine/cosine encodings share: frequencies, exact angles, and what follows from them in closed form.

A pair j of dimensions turns with the frequency ω_j: its two columns are sin(ω_j p) and cos(ω_j p). Angles are kept as
turns, ω p / 2π, in two float64 numbers and reduced to half a turn before the sine is taken: the textbook's
``sin(p * w)`` loses a digit for every digit of p (an error of 8e-8 at p = 1e9), this loses none.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from functools import cached_property
from typing import Any, ClassVar

from pecli.core.arithmetic import chunks
from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Bins
from pecli.encodings.capabilities import TableEncoding

PI = Decimal("3.14159265358979323846264338327950288419716939937510582")
DIGITS = 45
NEAR = 1e-4  # squared distances below this share of the norm are worked out again without cancellation


def _two_floats(number: Decimal) -> tuple[float, float]:
    high = float(number)
    return high, float(number - Decimal(high))


def _halves(x: Array) -> tuple[Array, Array]:
    """x as a sum of two numbers of 26 bits (Veltkamp 1968), so that products of halves are exact."""
    big = 134217729.0 * x
    high = big - (big - x)
    return high, x - high


def _reduced_product(x: Array, high: Array, low: Array) -> Array:
    """x · (high + low) less the nearest whole number, right to the last bit (Dekker's product, 1971)."""
    product = x * high
    x1, x2 = _halves(x)
    y1, y2 = _halves(high)
    error = ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2
    return (product - np.rint(product)) + (error + x * low)


FASTEST = 10**12  # rad/position; a faster turn has no digits left at large positions


@contextmanager
def many_digits() -> Iterator[None]:
    """Decimal arithmetic with enough digits for two floats, and exponents that do not run out."""
    with localcontext(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN):
        yield


def width_option() -> Any:
    """The field d, the same for all whose width is free."""
    return option(
        128, "width of the encoding, d_model", at_least=1, at_most=65536, flags=("-d", "--d-model"), shown=True
    )


@dataclass(frozen=True)
class Harmonic(TableEncoding):
    """Base of the encodings made of sines and cosines. A subclass gives `rates`; all else follows."""

    gives: ClassVar[str] = "frequencies"

    @abstractmethod
    def rates(self) -> Iterable[Decimal | float]:
        """The frequencies ω_j, rad/position, one a pair; Decimal where more digits than a float's are known."""

    def check(self) -> None:
        with many_digits():
            fastest = max(abs(Decimal(rate)) for rate in self.rates())
        if fastest > FASTEST:
            raise UsageError(
                f"{self.label()} turns by {float(fastest):.3g} rad a position: {FASTEST:.0e} is the most, "
                "such as a larger base, radix or period gives"
            )

    @property
    def amplitudes(self) -> Array:
        """The radius of each pair's circle, shape (n_pairs,)."""
        return np.ones(len(self._turns[0]))

    @property
    def phases(self) -> Array:
        """The angle of each pair at position 0, shape (n_pairs,), rad."""
        return np.zeros(len(self._turns[0]))

    def arrange(self, sines: Array, cosines: Array) -> Array:
        """The table's columns from the pairs' sines and cosines, both (n, n_pairs): sin, cos, sin, cos, …"""
        return np.stack([sines, cosines], axis=-1).reshape(len(sines), -1)[:, : self.width]

    @property
    def limit(self) -> float | None:
        return float(np.max(self.amplitudes))

    @property
    def invariant(self) -> bool:
        return self.width % 2 == 0

    def frequencies(self) -> Array:
        """ω_j of every pair, rad/position, shape (n_pairs,)."""
        return np.array([float(rate) for rate in self.rates()])

    def wavelengths(self) -> Array:
        """2π/ω_j of every pair, positions, shape (n_pairs,)."""
        with np.errstate(divide="ignore", over="ignore"):
            return 2 * np.pi / self.frequencies()

    @cached_property
    def _turns(self) -> tuple[Array, Array]:
        """ω_j / 2π, turns/position, each the sum of two float64 numbers."""
        with many_digits():
            pairs = [_two_floats(Decimal(rate) / (2 * PI)) for rate in self.rates()]
        high, low = np.array(pairs).T
        return high, low

    def angles(self, positions: Array) -> Array:
        """ω_j p less whole turns, in [−π, π], rad, shape (n, n_pairs)."""
        high, low = self._turns
        return 2 * np.pi * _reduced_product(np.asarray(positions, dtype=np.float64)[:, None], high, low)

    def table(self, positions: Array) -> Array:
        positions = np.asarray(positions, dtype=np.float64)
        table = np.empty((len(positions), self.width))
        for part in chunks(0, len(positions), self.width):
            angles = self.angles(positions[part.start : part.stop]) + self.phases
            sines, cosines = self.amplitudes * np.sin(angles), self.amplitudes * np.cos(angles)
            table[part.start : part.stop] = self.arrange(sines, cosines)
        return table

    def mean_table(self, blocks: Bins) -> Array:
        """The mean row of every block, exact, at the cost of one row a block."""
        if blocks.size == 1:
            return self.table(blocks.firsts())
        angles, scale = self._mean_angles(blocks)
        angles, scale = angles + self.phases, self.amplitudes * scale
        return self.arrange(scale * np.sin(angles), scale * np.cos(angles))

    def mean_offsets(self, blocks: Bins, column: int) -> Array:
        """One column of the table at the offset i − j, averaged over i in one block and j in another, (blocks, blocks).

        The mean of e^{iω(i − j)} is the mean of e^{iωi} times the conjugate of that of e^{iωj}: no offset is listed.
        """
        wave, pair = self.waves()[column]
        angles, scale = self._mean_angles(blocks)
        turning = scale[:, pair] * np.exp(1j * angles[:, pair])
        mean = turning[:, None] * turning.conj() * self.amplitudes[pair] * np.exp(1j * self.phases[pair])
        return np.ascontiguousarray(mean.imag if wave == "sin" else mean.real)

    def _mean_angles(self, blocks: Bins) -> tuple[Array, Array]:
        """Angle and radius of the mean of e^{iωp} over every block, each (blocks, n_pairs).

        The mean over n positions around m has the angle ωm and the radius sin(n ω/2) / (n sin(ω/2)). Positions are
        whole numbers, so whole turns a position are dropped from ω first.
        """
        high, low = self._turns
        high = high - np.rint(high)
        centres, counts = blocks.centres()[:, None], blocks.counts()[:, None]
        return 2 * np.pi * _reduced_product(centres, high, low), _dirichlet(counts, high, low)

    def rate_formula(self, pair: int) -> str:
        """ω of a pair as its formula with the numbers put in; empty where the number says it all."""
        return ""

    def pair_text(self, pair: int) -> str:
        """What a pair of dimensions is called."""
        return f"pair {pair}"

    def waves(self) -> list[tuple[str, int]]:
        """Which wave of which pair every column is: ("sin", 0), ("cos", 0), …"""
        pairs = np.arange(1.0, 1 + len(self._turns[0]))[None, :]
        return [("sin" if code > 0 else "cos", int(abs(code)) - 1) for code in self.arrange(pairs, -pairs)[0]]

    def column_formulas(self) -> list[str]:
        plain = not self.phases.any() and (self.amplitudes == 1).all()
        return [f"{wave} ω{j}p" if plain else f"r{j} {wave}(ω{j}p+φ{j})" for wave, j in self.waves()]

    def written_out(self, position: int, column: int) -> list[str]:
        wave, j = self.waves()[column]
        rates = [f"ω{j}", *filter(None, [self.rate_formula(j)])]
        rate, radius, phase = (float(of[j]) for of in (self.frequencies(), self.amplitudes, self.phases))
        return wave_steps(wave, position, rates, rate, radius, phase)

    def profile(self, offsets: Array) -> Array:
        """⟨PE_p, PE_q⟩ = Σ_j r_j² cos(ω_j (p − q)) for each offset, shape (n,); even d."""
        return np.cos(self.angles(offsets)) @ self.amplitudes**2

    def column_wavelengths(self) -> Array:
        """The wavelength of every column of the table, positions, shape (d,)."""
        waves = self.wavelengths()[None, :]
        return self.arrange(waves, waves)[0]

    def decay(self, offsets: Array) -> Array:
        """RoFormer's bound on how the score falls with the offset: the mean over j of |Σ_{i ≤ j} e^{i Δ ω_i}|.

        Su et al. 2021, section 3.4.3, arXiv:2104.09864. Shape (n,); at offset 0 (n_pairs + 1)/2.
        """
        means = np.empty(len(offsets))
        for part in chunks(0, len(offsets), self.width):
            turning = np.exp(1j * self.angles(offsets[part.start : part.stop]))
            means[part.start : part.stop] = np.abs(np.cumsum(turning, axis=1)).mean(axis=1)
        return means

    def squares(self, n: int, first: int = 0) -> Array:
        """‖PE_p − PE_q‖² at the offsets first … first + n − 1, shape (n,); even d; exactly 0 where two rows coincide.

        The offset is written i·B + j: cos(ω(iB + j)) = cos·cos − sin·sin is a matrix product of two small tables.
        What is left small by the difference is worked out again as 4 Σ_j r_j² sin²(ω_j Δ/2).
        """
        step = max(1, int(np.sqrt(n)))
        coarse = self.angles(first + np.arange(0, n, step, dtype=np.float64))
        fine = self.angles(np.arange(step, dtype=np.float64))
        weights = self.amplitudes**2
        products = (np.cos(coarse) * weights) @ np.cos(fine).T - (np.sin(coarse) * weights) @ np.sin(fine).T
        squares = 2 * (weights.sum() - products.reshape(-1)[:n])
        near = np.flatnonzero(squares < NEAR * weights.sum())
        for part in chunks(0, len(near), len(weights)):
            at = near[part.start : part.stop]
            squares[at] = 4 * np.sin(self.angles(first + at) / 2) ** 2 @ weights
        return squares


def wave_steps(wave: str, position: int, rates: list[str], rate: float, radius: float, phase: float) -> list[str]:
    """r · sin(ω p + φ) with its numbers, ω first as each of the `rates`, then multiplied out; no r of 1, no φ of 0."""
    before = f"{radius:.10g} · " if radius != 1 else ""
    after = f" {'-' if phase < 0 else '+'} {abs(phase):.10g}" if phase else ""
    inside = [f"{position} · {text}{after}" for text in (*rates, f"{rate:.10g}")]
    return [f"{before}{wave}({text})" for text in (*inside, f"{position * rate + phase:.10g}")]


def _dirichlet(counts: Array, high: Array, low: Array) -> Array:
    """sin(π n f) / (n sin(π f)) for n consecutive positions at f = high + low turns a position; 1 at f = 0."""
    top = np.sin(2 * np.pi * _reduced_product(counts / 2, high, low))
    # n f / 2 reduced by whole turns keeps sin(2π n f/2) = sin(π n f)
    bottom = counts * np.sin(np.pi * (high + low))
    still = np.abs(counts * high) < 1e-9  # the quotient is 1 to the last bit, and its halves may be denormal
    return np.where(still, 1.0, top / np.where(still, 1.0, bottom))
