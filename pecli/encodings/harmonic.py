"""Sine/cosine encodings: frequencies, exact angles, closed forms.

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
from functools import cached_property, lru_cache
from typing import ClassVar

from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUND, chunks, number_types
from pecli.core.options import option, write_scalar
from pecli.core.positions import Bins, Positions
from pecli.encodings.base import TableEncoding, of_any_shape, width_option

PI = Decimal("3.14159265358979323846264338327950288419716939937510582")
DIGITS = 45
PIECE = 1 << 13  # numbers of a table that are made at once: what they are made from stays in a processor's cache
STEP = 32  # positions: the sines of one in so many, and of the offsets to those between, make all others


def _halves(x: Array) -> tuple[Array, Array]:
    """x as a sum of two numbers of 26 bits (Veltkamp 1968), so that products of halves are exact."""
    big = 134217729.0 * x
    high = big - (big - x)
    return high, x - high


def reduced_product(x: Array, high: Array, low: Array) -> Array:
    """x · (high + low) less the nearest whole number, in [−½, ½], right to the last bit (Dekker's product, 1971)."""
    product = x * high
    x1, x2 = _halves(x)
    y1, y2 = _halves(high)
    error = ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2
    rest = (product - np.rint(product)) + (error + x * low)
    return rest - np.rint(rest)  # of a product beyond 2⁵³ the error alone is many turns


@contextmanager
def many_digits() -> Iterator[None]:
    """Decimal arithmetic with enough digits for two floats, and exponents that do not run out."""
    with localcontext(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN):
        yield


def as_typed(value: Decimal | float) -> Decimal:
    """Return a parameter by the digits that it is written with: 0.1 is a tenth, not the float64 next to it."""
    return Decimal(str(value))


def dirichlet(counts: Array, high: Array, low: Array) -> Array:
    """sin(π n f) / (n sin(π f)) for n consecutive positions at f = high + low turns a position; 1 at f = 0."""
    top = np.sin(2 * np.pi * reduced_product(counts / 2, high, low))
    # n f / 2 reduced by whole turns keeps sin(2π n f/2) = sin(π n f)
    bottom = counts * np.sin(np.pi * (high + low))
    still = np.abs(counts * high) < 1e-9  # the quotient is 1 to the last bit, and its halves may be denormal
    return np.where(still, 1.0, top / np.where(still, 1.0, bottom))


def alternating(first: Array, second: Array) -> Array:
    """Return columns of both in turn, (…, 2n) of (…, n): faster than np.stack, which copies number by number."""
    columns = np.empty((*first.shape, 2), dtype=np.result_type(first, second))
    columns[..., 0], columns[..., 1] = first, second
    return columns.reshape(*first.shape[:-1], -1)


def _distinct(values: Array, step: int) -> tuple[Array, Array]:
    """Return the different ones of values (n,), all between where they stand a whole number of steps apart and are no
    more than n, and which of them each value is; (0,) and (0,) of none."""
    if len(values):
        first = values.min()
        index = (values - first) / step
        count = index.max() + 1
        if count <= len(values) and (index == np.rint(index)).all():
            return first + step * np.arange(count), index.astype(np.intp)
    return np.unique(values, return_inverse=True)


@lru_cache(maxsize=64)
def turns_of(rates: tuple[Decimal | float, ...], spacing: float) -> tuple[Array, Array]:
    """Return spacing · rates / 2π, each as the sum of two float64 numbers."""
    with many_digits():
        turns = [as_typed(spacing) * Decimal(rate) / (2 * PI) for rate in rates]
        high = [float(turn) for turn in turns]
        low = [float(turn - Decimal(nearest)) for turn, nearest in zip(turns, high, strict=True)]
    return np.array(high), np.array(low)


SORTED = 1 << 15  # positions of which the angles are sorted at once, to find where a wave is largest
NEAR = 1e-2  # squared distances below this share of the norm are worked out again without cancellation
FASTEST = 10**12  # rad/position; a faster turn has no digits left at large positions


@dataclass(frozen=True)
class Harmonic(TableEncoding):
    """Base of the encodings made of sines and cosines. A subclass gives `rates`; all else follows.

    With a ``dtype`` below float64 the table is what a straightforward implementation in that type makes. Rounded to the
    type are, in this order: the frequency ω_j (the exact one, once), the position, their product, its sum with the
    phase if there is one, sine and cosine of that, and their product with the radius if it is not 1. What follows from
    the formula alone (frequencies, wavelengths, RoFormer's bound) stays exact; what the rounding spoils, one distance
    for one offset, is measured instead.
    """

    gives: ClassVar[str] = "frequencies"

    dtype: str = option("float64", "number type in which the table is computed", choices=number_types)

    @abstractmethod
    def rates(self) -> Iterable[Decimal | float]:
        """Return the frequencies ω_j, rad/position, one a pair; Decimal where more digits than a float's are known."""

    def check(self) -> None:
        rates = tuple(self.rates())
        fastest = max(max(rates), -min(rates))
        if fastest > FASTEST:
            raise UsageError(
                f"{self.title()} turns by {float(fastest):.3g} rad a position: {FASTEST:.0e} is the most, "
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
        """Return the table's columns from the pairs' sines and cosines, both (n, n_pairs): sin, cos, sin, cos, …"""
        return alternating(sines, cosines)[:, : self.width]

    @property
    def limit(self) -> float | None:
        return float(np.max(self.rounded(self.amplitudes)))

    @property
    def exact(self) -> bool:
        """Whether the table is the formula's, to 10⁻¹⁵ of the radius, at any position."""
        return self.dtype == "float64"

    def rounded(self, values: Array) -> Array:
        """Return what the values become in the type of number that the table is made in, as float64."""
        return ROUND[self.dtype](values)

    @property
    def invariant(self) -> bool:
        return self.width % 2 == 0 and self.exact

    def frequencies(self) -> Array:
        """ω_j of every pair, rad/position, shape (n_pairs,)."""
        return np.array([float(rate) for rate in self.rates()])

    def wavelengths(self) -> Array:
        """2π/ω_j of every pair, positions, shape (n_pairs,)."""
        with np.errstate(divide="ignore", over="ignore"):
            return 2 * np.pi / self.frequencies()

    def longer_waves(self, length: int) -> int:
        """Return how many pairs have a wavelength longer than so many positions: they never finish a turn."""
        return int(self.longer_than(length).sum())

    def longer_than(self, length: int) -> Array:
        """Return which pairs those are, (n_pairs,)."""
        return np.asarray(self.wavelengths() > length)

    @cached_property
    def _turns(self) -> tuple[Array, Array]:
        """spacing · ω_j / 2π, turns from one position to the next, each the sum of two float64 numbers."""
        return turns_of(tuple(self.rates()), self.spacing)

    def angles(self, positions: Array | float) -> Array:
        """ω_j p less whole turns, p in steps of `spacing`, in [−π, π], rad, (…, n_pairs) of positions (…)."""
        angles = reduced_product(self.coordinates(np.asarray(positions, dtype=np.float64)), *self._turns)
        angles *= 2 * np.pi
        return angles

    def coordinates(self, positions: Array) -> Array:
        """Return what `spacing` times the frequencies is multiplied by, (…, n_pairs) or (…, 1), of positions (…)."""
        return positions[..., None]

    def coordinate_names(self) -> str:
        """Return the letter of what the frequency of each pair is multiplied by, in a formula."""
        return "p" * len(self._turns[0])

    def covered(self, positions: Positions) -> Positions:
        positions = super().covered(positions)
        if not self.exact:
            self.made_angles(np.array([positions.start, positions.stop - 1.0]))  # none of them is too large
        return positions

    @of_any_shape
    def table(self, positions: Array) -> Array:
        positions = np.asarray(positions, dtype=np.float64)
        if self.exact and self.coordinates(positions[:1]).shape[-1] == 1:
            return self._exact_table(self.coordinates(positions)[:, 0])
        table = np.empty((len(positions), self.width))
        phases, radii = self.rounded(self.phases), self.rounded(self.amplitudes)
        for part in chunks(0, len(positions), self.width):
            angles = self.rounded(self.made_angles(positions[part.start : part.stop]) + phases)
            waves = [self.rounded(radii * self.rounded(wave(angles))) for wave in (np.sin, np.cos)]
            table[part.start : part.stop] = self.arrange(*waves)
        return table

    def _exact_table(self, at: Array) -> Array:
        """Return the table at x (n,), where one coordinate turns all pairs; each number depends on its x alone.

        e^{iωx} is the product of those of the whole step next to x and of what is left: a sine is taken once for all x
        that share either. The error is below 5·10⁻¹⁶ of the radius.
        """
        table, steps = np.empty((len(at), self.width)), STEP * np.rint(at / STEP)
        rests = at - steps
        (coarse, step), (fine, rest) = _distinct(steps, STEP), _distinct(np.abs(rests), 1)
        begun, ended = np.split(self._turned(np.concatenate([coarse, fine])), [len(coarse)])
        begun *= self.amplitudes * np.exp(1j * self.phases)
        ended, rest = np.concatenate([ended, ended.conj()]), rest + len(fine) * (rests < 0)
        for part in chunks(0, len(at), self.width, PIECE):
            own = slice(part.start, part.stop)
            turned = begun[step[own]]
            turned *= ended[rest[own]]
            table[own] = self.arrange(turned.imag, turned.real)
        return table

    def _turned(self, at: Array) -> Array:
        """Return e^{iωx} of every pair, (n, n_pairs), of x (n,): quarters of a turn and an angle of at most π/4, whose
        rounding is small."""
        turns = reduced_product(at[:, None], *self._turns)
        quarters = np.rint(4 * turns)
        angles = 2 * np.pi * (turns - quarters / 4)
        return (np.cos(angles) + 1j * np.sin(angles)) * np.array([1, 1j, -1, -1j])[quarters.astype(int) % 4]

    def made_angles(self, positions: Array) -> Array:
        """Return the angles of the table, (…, n_pairs) for positions (…): `angles`, or as the number type has ω_j p.

        Raises
        ------
        UsageError : a position or an angle is larger than any number of the type
        """
        if self.exact:
            return self.angles(positions)
        with np.errstate(invalid="ignore"):  # ∞ · 0: neither the position nor the frequency has a number there
            angles = self.rounded(
                self.rounded(self.spacing * self.coordinates(np.asarray(positions))) * self.rounded(self.frequencies())
            )
        if not np.isfinite(angles).all():
            largest = float(np.ravel(positions)[np.abs(positions).argmax()])
            raise UsageError(
                f"{self.dtype} cannot hold the angles at position {self.position_text(largest)}: "
                "try bfloat16 or float32, or fewer positions"
            )
        return angles

    def mean_table(self, blocks: Bins) -> Array:
        """Return the mean row of every block, exact, at the cost of one row a block."""
        if blocks.size == 1 or not self.exact or self.own_positions:  # the closed form is of whole p
            return super().mean_table(blocks)
        angles, scale = self._mean_angles(blocks)
        angles, scale = angles + self.phases, self.amplitudes * scale
        return self.arrange(scale * np.sin(angles), scale * np.cos(angles))

    def extremes(self, dims: Array, edges: Array) -> tuple[Array, Array] | None:
        if not self.exact or self.own_positions:
            return None
        sizes, waves = np.diff(edges), self.waves()
        extremes = np.empty((2, len(dims), len(sizes)))
        for size in np.unique(sizes):
            own, length = np.flatnonzero(sizes == size), min(size, SORTED)
            firsts = edges[own, None] + np.minimum(np.arange(0, size, length), size - length)  # pieces may overlap
            for row, dim in enumerate(dims):
                wave, pair = waves[int(dim)]
                low, high = self._extremes_of(wave, pair, firsts.astype(np.float64), length)
                extremes[0, row, own], extremes[1, row, own] = low.min(axis=-1), high.max(axis=-1)
        return extremes[0], extremes[1]

    def _extremes_of(self, wave: str, pair: int, firsts: Array, length: int) -> tuple[Array, Array]:
        """Return smallest and largest value of a wave over so many positions from each first one on, both of its shape.

        The angles of any such run are those of 0 … length − 1, sorted once, turned by that of its first position: the
        extremes are at the two that stand on either side of the crest, and of the trough.
        """
        if wave == "0":
            return np.zeros_like(firsts), np.zeros_like(firsts)
        turns, phase = [part[pair] for part in self._turns], float(self.phases[pair])
        steps = reduced_product(np.arange(float(length)), *turns) % 1
        order = np.argsort(steps)
        begun = reduced_product(firsts, *turns) + phase / (2 * np.pi) - (0.25 if wave == "sin" else 0)
        found = []
        for crest in (0.5, 0.0):
            after = np.searchsorted(steps, (crest - begun) % 1, sorter=order)
            near = firsts + order[np.stack([after - 1, after % length])]
            angles = 2 * np.pi * reduced_product(near, *turns) + phase
            found.append(self.amplitudes[pair] * (np.sin(angles) if wave == "sin" else np.cos(angles)))
        return found[0].min(axis=0), found[1].max(axis=0)

    def mean_offsets(self, blocks: Bins, column: int) -> Array:
        """Return one column of the table at offset i − j, averaged over i in a block, j in another, (blocks, blocks).

        The mean of e^{iω(i − j)} is the mean of e^{iωi} times the conjugate of that of e^{iωj}: no offset is listed.
        """
        if not self.exact:
            raise UsageError(f"the exact mean over offsets is the formula's, not {self.dtype}'s: show fewer positions")
        wave, pair = self.waves()[column]
        angles, scale = self._mean_angles(blocks)
        turning = scale[:, pair] * np.exp(1j * angles[:, pair])
        mean = turning[:, None] * turning.conj() * self.amplitudes[pair] * np.exp(1j * self.phases[pair])
        return np.ascontiguousarray(mean.imag if wave == "sin" else mean.real)

    def _mean_angles(self, blocks: Bins) -> tuple[Array, Array]:
        """Return angle and radius of the mean of e^{iωp} over every block, each (blocks, n_pairs).

        The mean over n positions around m has the angle ωm and the radius sin(n ω/2) / (n sin(ω/2)). Positions are
        whole numbers, so whole turns a position are dropped from ω first.
        """
        high, low = self._turns
        high = high - np.rint(high)
        centres, counts = blocks.centres()[:, None], blocks.counts()[:, None]
        return 2 * np.pi * reduced_product(centres, high, low), dirichlet(counts, high, low)

    def rate_formula(self, pair: int) -> str:
        """ω of a pair as its formula with the numbers put in; empty where the number says it all."""
        return ""

    def pair_text(self, pair: int) -> str:
        """Return what a pair of dimensions is called."""
        return say("words.pair_pair", pair=pair)

    def waves(self) -> list[tuple[str, int]]:
        """Return which wave of which pair every column is: ("sin", 0), ("cos", 0), …"""
        pairs = np.arange(1.0, 1 + len(self._turns[0]))[None, :]
        names = {1.0: "sin", -1.0: "cos", 0.0: "0"}  # of the sign; a column of zeros fills an odd d
        return [(names[np.sign(code)], max(0, int(abs(code)) - 1)) for code in self.arrange(pairs, -pairs)[0]]

    def wave_names(self) -> list[str]:
        """Return what every column is, sin or cos; empty where pairs begin at angles of their own."""
        return ["" if self.phases.any() else wave for wave, _ in self.waves()]

    def column_formulas(self) -> list[str]:
        plain = not self.phases.any() and (self.amplitudes == 1).all()
        at = self.coordinate_names()
        texts = (f"{wave} ω{j}{at[j]}" if plain else f"r{j} {wave}(ω{j}{at[j]}+φ{j})" for wave, j in self.waves())
        return ["0" if text.startswith("0") else text for text in texts]

    def written_out(self, position: int, column: int) -> list[str]:
        """r · sin(ω p + φ), ω as its name, its formula and its number, then the whole angle; no r of 1, no φ of 0."""
        wave, j = self.waves()[column]
        if wave == "0":
            return ["0"]
        radius, phase = (float(of[j]) for of in (self.amplitudes, self.phases))
        before = f"{radius:.10g} · " if radius != 1 else ""
        after = f" {'-' if phase < 0 else '+'} {abs(phase):.10g}" if phase else ""
        rates = filter(None, [f"ω{j}", self.rate_formula(j), f"{self.frequencies()[j]:.10g}"])
        place = self.coordinates(np.array([position], dtype=np.float64))[0]
        with many_digits():
            exact = as_typed(self.spacing) * Decimal(float(place[j % len(place)]))
            angle = Decimal(list(self.rates())[j]) * exact + Decimal(phase)
        at = float(exact)
        whole = f"{float(angle):.10g}" if abs(angle) < 1 else f"{angle:.10f}".rstrip("0").rstrip(".")
        return [f"{before}{wave}({text})" for text in (*(f"{at:.10g} · {rate}{after}" for rate in rates), whole)]

    def column_wavelengths(self) -> Array:
        """Return the wavelength of every column of the table, positions, shape (d,)."""
        waves = self.wavelengths()[None, :]
        found = self.arrange(waves, waves)[0]
        return np.where(found > 0, found, np.inf)

    def decay(self, offsets: Array) -> Array:
        """RoFormer's bound on how the score falls with the offset: the mean over j of |Σ_{i ≤ j} e^{i Δ ω_i}|.

        Su et al. 2021, section 3.4.3, arXiv:2104.09864, where it is (2/d) Σ of d/2 pairs. Shape (n,); at offset 0
        (n_pairs + 1)/2. Of an odd d, which the paper has not, the last column turns with a frequency of its own and
        counts as a pair: the mean is over (d + 1)/2.
        """
        means = np.empty(len(offsets))
        for part in chunks(0, len(offsets), self.width):
            turning = np.exp(1j * self.angles(offsets[part.start : part.stop]))
            means[part.start : part.stop] = np.abs(np.cumsum(turning, axis=1)).mean(axis=1)
        return means

    def squares(self, n: int, first: int = 0) -> Array:
        """‖PE_p − PE_q‖² at the offsets first … first + n − 1, shape (n,); even d; exactly 0 where two rows coincide.

        The offset is written i·B + j: cos(ω(iB + j)) = cos·cos − sin·sin is a matrix product of two small tables, to
        which a column adds the constant: another pass over all numbers would take as long as the product.
        What is left small by the difference is worked out again as 4 Σ_j r_j² sin²(ω_j Δ/2).
        """
        step = max(1, int(np.sqrt(n)))
        coarse = self.angles(first + np.arange(0, n, step, dtype=np.float64))
        fine = self.angles(np.arange(step, dtype=np.float64))
        weights = self.amplitudes**2
        begun = [-2 * weights * np.cos(coarse), 2 * weights * np.sin(coarse), np.full((len(coarse), 1), 1.0)]
        ended = [np.cos(fine), np.sin(fine), np.full((step, 1), 2 * weights.sum())]
        squares = (np.concatenate(begun, axis=1) @ np.concatenate(ended, axis=1).T).reshape(-1)[:n]
        near = np.flatnonzero(squares < NEAR * weights.sum())
        for part in chunks(0, len(near), len(weights)):
            at = near[part.start : part.stop]
            squares[at] = 4 * np.sin(self.angles(first + at) / 2) ** 2 @ weights
        return squares


@dataclass(frozen=True)
class PowersOfBase(Harmonic):
    """Pair j turns by base^(−2j/d) rad a position: wavelengths from 2π to nearly base · 2π."""

    d: int = width_option(128, "width of the encoding, d_model", shown=True)
    base: float = option(
        10000.0,
        "base of the wavelengths, a model's rope_theta",
        above=0,
        log=True,
        flags=("-k",),
        aliases=("theta", "rope_theta"),
        shown=True,
        common=True,
    )

    @property
    def width(self) -> int:
        return self.d

    def rates(self) -> Iterable[Decimal | float]:
        return geometric_rates(self.base, self.width)

    def rate_formula(self, pair: int) -> str:
        return f"{write_scalar(self.base)}^(-{2 * pair}/{self.width})"


@lru_cache(maxsize=64)
def geometric_rates(base: float | Decimal, d: float, n_pairs: int | None = None) -> tuple[Decimal, ...]:
    """ω_j = base^(−2j/d) for each of so many pairs, of ⌈d/2⌉ where none are said, to 40 digits."""
    with many_digits():
        ratio = (-2 * as_typed(base).ln() / as_typed(d)).exp()
        rates = [Decimal(1)]
        for _ in range((int(d + 1) // 2 if n_pairs is None else n_pairs) - 1):
            rates.append(rates[-1] * ratio)
    return tuple(rates)
