"""Encodings by sines and cosines: their frequencies, exact angles, and formulas for means, extremes and distances.

Pair j has the frequency ω_j: its two columns are sin(ω_j p) and cos(ω_j p). Angles are kept as turns, ω p / 2π, in two
float64 numbers and reduced to half a turn before the sine is taken. The usual ``sin(p * w)`` loses a digit for every
digit of p (an error of 8e-8 at p = 1e9); this computation loses none.
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
PIECE = 1 << 13  # numbers of a table computed at once: intermediate arrays fit a processor's cache
STEP = 32  # sines are taken of every 32nd position and of the offsets in between; products give the rest


def _halves(x: Array) -> tuple[Array, Array]:
    """Split x into a sum of two numbers of 26 bits (Veltkamp 1968); a product of two such numbers is exact."""
    big = 134217729.0 * x
    high = big - (big - x)
    return high, x - high


def reduced_product(x: Array, high: Array, low: Array) -> Array:
    """Return x · (high + low) minus the nearest integer, in [−½, ½], correct to the last bit (Dekker 1971)."""
    product = x * high
    x1, x2 = _halves(x)
    y1, y2 = _halves(high)
    error = ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2
    rest = (product - np.rint(product)) + (error + x * low)
    return rest - np.rint(rest)  # beyond 2⁵³, `error` alone can be many turns


@contextmanager
def many_digits() -> Iterator[None]:
    """Use Decimal arithmetic inside the block: more digits than a product of two floats has, exponents of any size."""
    with localcontext(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN):
        yield


def as_typed(value: Decimal | float) -> Decimal:
    """Return the exact decimal value of a parameter as typed: 0.1 is a tenth, not the nearest float64."""
    return Decimal(str(value))


def dirichlet(counts: Array, high: Array, low: Array) -> Array:
    """Return sin(π n f) / (n sin(π f)) for n consecutive positions at f = high + low turns per position; 1 at f = 0."""
    top = np.sin(2 * np.pi * reduced_product(counts / 2, high, low))
    # n f / 2 reduced by whole turns keeps sin(2π n f/2) = sin(π n f)
    bottom = counts * np.sin(np.pi * (high + low))
    still = np.abs(counts * high) < 1e-9  # the quotient rounds to 1, and both its parts may be denormal
    return np.where(still, 1.0, top / np.where(still, 1.0, bottom))


def alternating(first: Array, second: Array) -> Array:
    """Return the columns of both arrays in turn, (…, 2n) from (…, n) each; faster than np.stack."""
    columns = np.empty((*first.shape, 2), dtype=np.result_type(first, second))
    columns[..., 0], columns[..., 1] = first, second
    return columns.reshape(*first.shape[:-1], -1)


def _distinct(values: Array, step: int) -> tuple[Array, Array]:
    """Return the distinct values of an array (n,), and for each value its index in them; both are empty if n = 0.

    If all values are whole multiples of `step` apart and their span has at most n steps, every step of the span is
    returned.
    """
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


SORTED = 1 << 15  # positions whose angles are sorted at once to find extremes
NEAR = 1e-2  # squared distances below this share of the norm are computed again without cancellation
FASTEST = 10**12  # rad/position; a faster turn has no digits left at large positions


@dataclass(frozen=True)
class Harmonic(TableEncoding):
    """Base of encodings by sines and cosines. Subclasses define `rates`, from which everything else follows.

    With a ``dtype`` below float64, the table is that of a straightforward implementation in this type. It rounds, in
    this order: the frequency ω_j (computed exactly), the position, their product, the sum with a phase, sine and
    cosine, and their product with a radius other than 1. Frequencies, wavelengths and RoFormer's bound follow from the
    formula and stay exact. Properties that rounding breaks, such as equal distances at equal offsets, are measured in
    the table.
    """

    gives: ClassVar[str] = "frequencies"

    dtype: str = option("float64", "number type in which the table is computed", choices=number_types)

    @abstractmethod
    def rates(self) -> Iterable[Decimal | float]:
        """Return the frequency ω_j of each pair, in rad/position; a Decimal if known to more digits than a float's."""

    def check(self) -> None:
        if (fastest := float(self.fastest())) > FASTEST:
            raise UsageError(
                f"{self.title()} turns by {fastest:.3g} rad per position, but the limit is {FASTEST:.0e}: "
                "try a larger base, radix or period"
            )

    def fastest(self) -> Decimal | float:
        """Return the largest |ω_j|, in rad/position."""
        rates = tuple(self.rates())
        return max(max(rates), -min(rates))

    @property
    def amplitudes(self) -> Array:
        """Radius of each pair's circle, shape (n_pairs,)."""
        return np.ones(len(self._turns[0]))

    @property
    def phases(self) -> Array:
        """Angle of each pair at position 0, in rad, shape (n_pairs,)."""
        return np.zeros(len(self._turns[0]))

    @property
    def decay_rates(self) -> Array:
        """Decay rate k_j of each pair, (n_pairs,); 0 without decay.

        The pair's part of a score falls as e^(−k_j Δ) with the offset Δ.
        """
        return np.zeros(len(self._turns[0]))

    def arrange(self, sines: Array, cosines: Array) -> Array:
        """Return the columns of the table from sines and cosines, (n, n_pairs) each; by default sin, cos, sin, …"""
        return alternating(sines, cosines)[:, : self.width]

    @property
    def limit(self) -> float | None:
        return float(np.max(self.rounded(self.amplitudes)))

    @property
    def exact(self) -> bool:
        """Whether the table equals the formula to within 10⁻¹⁵ of the radius at every position."""
        return self.dtype == "float64"

    def rounded(self, values: Array) -> Array:
        """Return the values rounded to the number type of the table, as float64."""
        return ROUND[self.dtype](values)

    @property
    def invariant(self) -> bool:
        return self.width % 2 == 0 and self.exact

    def frequencies(self) -> Array:
        """Return ω_j of every pair, in rad/position, shape (n_pairs,)."""
        return np.array([float(rate) for rate in self.rates()])

    def wavelengths(self) -> Array:
        """Return the wavelength 2π/ω_j of every pair, in positions, shape (n_pairs,)."""
        with np.errstate(divide="ignore", over="ignore"):
            return 2 * np.pi / self.frequencies()

    def longer_waves(self, length: int) -> int:
        """Return how many pairs have a wavelength longer than `length` positions."""
        return int(self.longer_than(length).sum())

    def longer_than(self, length: int) -> Array:
        """Return a mask, (n_pairs,), of the pairs with a wavelength longer than `length` positions."""
        return np.asarray(self.wavelengths() > length)

    @cached_property
    def _turns(self) -> tuple[Array, Array]:
        """spacing · ω_j / 2π, turns from one position to the next, each as the sum of two float64 numbers."""
        return turns_of(tuple(self.rates()), self.spacing)

    def angles(self, positions: Array | float) -> Array:
        """Return ω_j p reduced to [−π, π], in rad, (…, n_pairs) for positions (…); p counts steps of `spacing`."""
        angles = reduced_product(self.coordinates(np.asarray(positions, dtype=np.float64)), *self._turns)
        angles *= 2 * np.pi
        return angles

    def coordinates(self, positions: Array) -> Array:
        """Return, for positions (…), what the frequencies are multiplied by: coordinates (…, n_pairs) or (…, 1)."""
        return positions[..., None]

    def coordinate_names(self) -> str:
        """Return the letter of each pair's coordinate in formulas."""
        return "p" * len(self._turns[0])

    def covered(self, positions: Positions) -> Positions:
        positions = super().covered(positions)
        if not self.exact:
            self.made_angles(np.array([positions.start, positions.stop - 1.0]))  # raises if an angle is too large
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
        """Return the table, (n, d), at coordinates x (n,) shared by all pairs; each row depends only on its own x.

        e^{iωx} is the product of two factors, for the nearest multiple of STEP and for the remainder, each computed
        once for all x that share it. The error is below 5·10⁻¹⁶ of the radius.
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
        """Return e^{iωx} of every pair, (n, n_pairs), at x (n,), from quarter turns and an angle of at most π/4."""
        turns = reduced_product(at[:, None], *self._turns)
        quarters = np.rint(4 * turns)
        angles = 2 * np.pi * (turns - quarters / 4)
        return (np.cos(angles) + 1j * np.sin(angles)) * np.array([1, 1j, -1, -1j])[quarters.astype(int) % 4]

    def made_angles(self, positions: Array) -> Array:
        """Return the angles of the table, (…, n_pairs), at positions (…): exact, or ω_j p rounded to the type.

        Raises
        ------
        UsageError : a position or an angle is larger than the type can hold
        """
        if self.exact:
            return self.angles(positions)
        with np.errstate(invalid="ignore"):  # ∞ · 0
            angles = self.rounded(
                self.rounded(self.spacing * self.coordinates(np.asarray(positions))) * self.rounded(self.frequencies())
            )
        if not np.isfinite(angles).all():
            largest = float(np.ravel(positions)[np.abs(positions).argmax()])
            raise UsageError(
                f"{self.dtype} cannot represent the angles at position {self.position_text(largest)}: "
                "try bfloat16 or float32, or fewer positions"
            )
        return angles

    def mean_table(self, blocks: Bins) -> Array:
        """Return the exact mean row of every block, at the cost of one row per block."""
        if blocks.size == 1 or not self.exact or self.own_positions:  # the formula needs integer positions
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
            firsts = edges[own, None] + np.minimum(np.arange(0, size, length), size - length)  # the last piece overlaps
            for row, dim in enumerate(dims):
                wave, pair = waves[int(dim)]
                low, high = self._extremes_of(wave, pair, firsts.astype(np.float64), length)
                extremes[0, row, own], extremes[1, row, own] = low.min(axis=-1), high.max(axis=-1)
        return extremes[0], extremes[1]

    def _extremes_of(self, wave: str, pair: int, firsts: Array, length: int) -> tuple[Array, Array]:
        """Return minimum and maximum of a wave over `length` positions from each of `firsts`, shaped like `firsts`.

        The angles at these positions are those at 0 … length − 1, which are sorted once, plus the angle at the first
        position. Each extreme is at one of the two angles next to the crest or the trough.
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
        """Return one column of the table at offset i − j, averaged over i and j in two blocks, (blocks, blocks).

        The mean of e^{iω(i − j)} is the mean of e^{iωi} times the conjugate mean of e^{iωj}.
        """
        if not self.exact:
            text = f"means over many offsets are computed without rounding to {self.dtype}"
            raise UsageError(f"{text}: show fewer positions")
        wave, pair = self.waves()[column]
        turning, back = (each[:, pair] for each in self._mean_pairs(blocks))
        mean = turning[:, None] * back * self.amplitudes[pair] * np.exp(1j * self.phases[pair])
        return np.ascontiguousarray(mean.imag if wave == "sin" else mean.real)

    def _mean_pairs(self, blocks: Bins) -> tuple[Array, Array]:
        """Return the means of e^{iωp} and of e^{−iωp} over every block, complex, (blocks, n_pairs) each."""
        angles, scale = self._mean_angles(blocks)
        turning = scale * np.exp(1j * angles)
        return turning, turning.conj()

    def _mean_angles(self, blocks: Bins) -> tuple[Array, Array]:
        """Return angle and radius of the mean of e^{iωp} over every block, (blocks, n_pairs) each.

        The mean over n positions centred at m has the angle ωm and the radius sin(n ω/2) / (n sin(ω/2)). Positions are
        integers, so whole turns per position are removed from ω first.
        """
        high, low = self._turns
        high = high - np.rint(high)
        centres, counts = blocks.centres()[:, None], blocks.counts()[:, None]
        return 2 * np.pi * reduced_product(centres, high, low), dirichlet(counts, high, low)

    def rate_formula(self, pair: int) -> str:
        """Return the formula for ω of a pair with its numbers; "" if the number alone is enough."""
        return ""

    def pair_text(self, pair: int) -> str:
        """Return the name of a pair of dimensions."""
        return say("words.pair_pair", pair=pair)

    def waves(self) -> list[tuple[str, int]]:
        """Return wave and pair of every column: ("sin", 0), ("cos", 0), …; a column of zeros has the wave "0"."""
        pairs = np.arange(1.0, 1 + len(self._turns[0]))[None, :]
        names = {1.0: "sin", -1.0: "cos", 0.0: "0"}  # by sign; a column of zeros fills an odd d
        return [(names[np.sign(code)], max(0, int(abs(code)) - 1)) for code in self.arrange(pairs, -pairs)[0]]

    def wave_names(self) -> list[str]:
        """Return the wave of every column: "sin", "cos" or, for a column of zeros, "0"; all "" if pairs have phases."""
        return ["" if self.phases.any() else wave for wave, _ in self.waves()]

    def partners(self) -> list[int]:
        """Return for every column the index of its pair's other column, d indices; a column of zeros has its own index.

        Raises
        ------
        UsageError : a wave has no partner, such as the last sine if d is odd, or positions are cells of a grid
        """
        if self.own_positions or self.sides:
            text = f"{self.title()} has positions in a grid, and no single offset shifts them all"
            raise UsageError(text, option="encoding", value=self.name)
        waves = self.waves()
        place, other = {wave: column for column, wave in enumerate(waves)}, {"sin": "cos", "cos": "sin"}
        found = [column if wave == "0" else place.get((other[wave], j)) for column, (wave, j) in enumerate(waves)]
        partners = [column for column in found if column is not None]
        if len(partners) < len(waves):
            wave, last = waves[found.index(None)][0], found.index(None)
            text = (
                f"the {wave} in dimension {last} has no {other[wave]} beside it, so PE(p) does not determine PE(p + k)"
            )
            raise UsageError(text, option="d", value=self.width, advice="give an even d")
        return partners

    def shift_matrix(self, offset: float) -> Array:
        """Return M_k, shape (d, d), that shifts every position by k: table(p + k) = M_k table(p).

        Each pair turns by ω_j k: sin(a + b) = cos b sin a + sin b cos a, cos(a + b) = cos b cos a − sin b sin a.
        Raises UsageError as `partners` does.
        """
        angles = self.angles(float(offset))
        matrix = np.zeros((self.width, self.width))
        for column, ((wave, pair), partner) in enumerate(zip(self.waves(), self.partners(), strict=True)):
            if wave == "0":
                matrix[column, column] = 1.0
            else:
                matrix[column, column] = np.cos(angles[pair])
                matrix[column, partner] = np.sin(angles[pair]) * (1 if wave == "sin" else -1)
        return matrix

    def column_formulas(self) -> list[str]:
        plain = not self.phases.any() and (self.amplitudes == 1).all()
        at = self.coordinate_names()
        texts = (f"{wave} ω{j}{at[j]}" if plain else f"r{j} {wave}(ω{j}{at[j]}+φ{j})" for wave, j in self.waves())
        return ["0" if text.startswith("0") else text for text in texts]

    def written_out(self, position: int, column: int) -> list[str]:
        """Return the steps that compute r · sin(ω p + φ): with ω as a name, a formula and a number, then the angle.

        A radius of 1 and a phase of 0 are left out: ["sin(2 · ω1)", "sin(2 · 10000^(-2/4))", "sin(2 · 0.01)",
        "sin(0.02)"].
        """
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
        """Return the wavelength of every column of the table, in positions, shape (d,)."""
        waves = self.wavelengths()[None, :]
        found = self.arrange(waves, waves)[0]
        return np.where(found > 0, found, np.inf)

    def decay(self, offsets: Array) -> Array:
        """Return RoFormer's bound on the score at each offset Δ, (n,): the mean over pairs j of |Σ_{k ≤ j} e^{iΔω_k}|.

        At offset 0 it is (n_pairs + 1)/2. Su et al. 2021, section 3.4.3, arXiv:2104.09864, has an even d and writes the
        mean as (2/d) Σ. For an odd d the last column counts as a pair here: the mean is over (d + 1)/2 pairs.
        """
        means = np.empty(len(offsets))
        for part in chunks(0, len(offsets), self.width):
            turning = np.exp(1j * self.angles(offsets[part.start : part.stop]))
            means[part.start : part.stop] = np.abs(np.cumsum(turning, axis=1)).mean(axis=1)
        return means

    def squares(self, n: int, first: int = 0) -> Array:
        """Return ‖PE_p − PE_q‖² at the offsets first … first + n − 1, (n,), for even d; exactly 0 for equal rows.

        With the offset written as i·B + j, cos(ω(iB + j)) = cos·cos − sin·sin is a matrix product of two small tables.
        The constant term is an extra column of both tables: adding it afterwards would take as long as the product.
        Small squares are computed again as 4 Σ_j r_j² sin²(ω_j Δ/2), in which nothing cancels.
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
    """Base of encodings with rates base^(−2j/d) rad/position: wavelengths from 2π to nearly base · 2π."""

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
    """Return ω_j = base^(−2j/d) of `n_pairs` pairs, by default ⌈d/2⌉, to 40 digits."""
    with many_digits():
        ratio = (-2 * _logarithm(base) / as_typed(d)).exp()
        rates = [Decimal(1)]
        for _ in range((int(d + 1) // 2 if n_pairs is None else n_pairs) - 1):
            rates.append(rates[-1] * ratio)
    return tuple(rates)


@lru_cache(maxsize=64)
def _logarithm(base: float | Decimal) -> Decimal:
    """Return ln(base) to 40 digits; a sweep over d needs it for each of its jobs."""
    with many_digits():
        return as_typed(base).ln()
