"""xPos: rotary pairs whose scores decay with the offset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.core.options import option, write_scalar
from pecli.core.positions import Bins
from pecli.encodings.base import TableEncoding, of_any_shape
from pecli.encodings.rope import RotatedPairs


@dataclass(frozen=True)
class XPos(RotatedPairs):
    """Rotary encoding with a decay of the scores, from factors on queries and keys.

    Pair j of a query is multiplied by ζ_j^(p/scale_base) and pair j of a key by ζ_j^(−q/scale_base), with ζ_j below 1.
    The table has the rotated queries. ⟨R_p x, R_q y⟩ depends only on p − q, as with RoPE: pair j of a query and an
    equal key adds ζ_j^((p − q)/scale_base) cos ω_j (p − q). The measures dot, cos, cosine, euclidean and sqeuclidean
    are computed from these scores, with q as the earlier position: a decoder's query sees no later key, for which the
    factor would grow. Other measures compare rows of the table.

    Notes
    -----
    Sun et al. 2022, A Length-Extrapolatable Transformer, section 3, arXiv:2212.10554: ζ_j = (2j/d + γ)/(1 + γ), γ = 0.4
    and exponents of p/512. TorchScale counts positions from the middle of the sequence, which keeps the factors near 1
    and changes no score.
    """

    name: ClassVar[str] = "xpos"
    term: ClassVar[str] = "xPos"
    summary: ClassVar[str] = "rotary with a decay: scores shrink with the distance of the key, most in fast pairs"
    formula: ClassVar[str] = "xpos.score"
    source: ClassVar[str] = "Sun et al. 2022, A Length-Extrapolatable Transformer, section 3, arXiv:2212.10554"
    example: ClassVar[str] = "pecli offsets rope xpos -n 2048"
    models: ClassVar[str] = "LEX (TorchScale)"

    gamma: float = option(
        0.4, "γ in ζ_j = (2j/d + γ)/(1 + γ); a larger γ makes the decay slower", above=0, at_most=1e6, in_spec=True
    )
    scale_base: float = option(
        512.0,
        "number of positions after which pair j has decayed by the factor ζ_j",
        above=0,
        at_most=1e9,
        in_spec=True,
    )

    def check(self) -> None:
        if self.d % 2:
            text = f"xpos rotates pairs of columns, but {option_text('d', self.d)} is odd"
            raise UsageError(text, option="d", value=self.d, allowed="an even d")
        super().check()

    @cached_property
    def bases(self) -> Array:
        """ζ_j of every pair, (n_pairs,)."""
        return np.asarray((np.arange(0, self.d, 2) / self.d + self.gamma) / (1 + self.gamma))

    @property
    def decay_rates(self) -> Array:
        return np.asarray(-np.log(self.bases) / self.scale_base)

    def factors(self, positions: Array | float) -> Array:
        """Return the factors ζ_j^(p/scale_base) of queries at positions (…), shape (…, n_pairs)."""
        return np.asarray(np.exp(-np.asarray(positions, dtype=np.float64)[..., None] * self.decay_rates))

    @of_any_shape
    def table(self, positions: Array) -> Array:
        at, table = np.asarray(positions, dtype=np.float64), super().table(positions)
        for part in chunks(0, len(at), self.width):
            own = slice(part.start, part.stop)
            factors = self.rounded(self.factors(at[own]))
            table[own] = self.rounded(table[own] * self.join(factors, factors))
        return table

    def rotate(self, x: Array, positions: Array | float) -> Array:
        factors = self.rounded(self.factors(positions))
        return np.asarray(self.rounded(super().rotate(x, positions) * self.join(factors, factors)))

    def rotate_keys(self, x: Array, positions: Array | float) -> Array:
        factors = self.rounded(self.factors(-np.asarray(positions, dtype=np.float64)))
        return np.asarray(self.rounded(super().rotate(x, positions) * self.join(factors, factors)))

    def mean_table(self, blocks: Bins) -> Array:
        if blocks.size == 1 or not self.exact:
            return TableEncoding.mean_table(self, blocks)
        means = self._mean_powers(blocks, 1) * self.amplitudes * np.exp(1j * self.phases)
        return self.arrange(means.imag, means.real)

    def extremes(self, dims: Array, edges: Array) -> tuple[Array, Array] | None:
        return None

    def _mean_pairs(self, blocks: Bins) -> tuple[Array, Array]:
        return self._mean_powers(blocks, 1), self._mean_powers(blocks, -1)

    def _mean_powers(self, blocks: Bins, sign: int) -> Array:
        """Return the mean of z_j^p, z_j = ζ_j^(1/scale_base) e^{iω_j}, or of z_j^(−p), over every block, complex.

        The mean of z^p over n positions from a on is z^a (z^n − 1) / (n (z − 1)).
        """
        powers = sign * (1j * self.frequencies() - self.decay_rates)
        firsts, counts = blocks.firsts(), blocks.counts()[:, None]
        begun = self.factors(sign * firsts) * np.exp(sign * 1j * self.angles(firsts))
        return np.asarray(begun * np.expm1(counts * powers) / (counts * np.expm1(powers)))

    def decay(self, offsets: Array) -> Array:
        """Return RoFormer's bound for decaying pairs, shape (n,).

        It is the mean over j of |Σ_{i ≤ j} (ζ_i^(1/scale_base) e^{iω_i})^Δ|.
        """
        means = np.empty(len(offsets))
        for part in chunks(0, len(offsets), self.width):
            own = offsets[part.start : part.stop]
            turning = self.factors(own) * np.exp(1j * self.angles(own))
            means[part.start : part.stop] = np.abs(np.cumsum(turning, axis=1)).mean(axis=1)
        return means

    def squares(self, n: int, first: int = 0) -> Array:
        """Return 2 (S(0) − S(Δ)) at the offsets first … first + n − 1, (n,); S is the score of equal query and key.

        With z = ζ^(|Δ|/scale_base), 1 − z cos ωΔ is computed as (1 − z) + 2 z sin²(ωΔ/2), in which nothing cancels.
        This is the square of a distance: S is a positive definite function of the offset.
        """
        squares, weights = np.empty(n), 2 * self.amplitudes**2
        for part in chunks(0, n, self.width):
            offsets = first + np.arange(part.start, part.stop, dtype=np.float64)
            decayed = self.factors(np.abs(offsets))
            lost = -np.expm1(-np.abs(offsets)[:, None] * self.decay_rates)
            squares[part.start : part.stop] = (lost + 2 * decayed * np.sin(self.angles(offsets) / 2) ** 2) @ weights
        return squares

    def column_formulas(self) -> list[str]:
        power = f"^(p/{write_scalar(self.scale_base)})"
        waves = zip(super().column_formulas(), self.waves(), strict=True)
        return [f"ζ{j}{power} {text}" for text, (_, j) in waves]

    def written_out(self, position: int, column: int) -> list[str]:
        return self._with_factor(super().written_out(position, column), position, self.waves()[column][1])

    def rotation_written_out(self, x: Array, position: int, column: int) -> list[str]:
        texts = [f"({text})" for text in super().rotation_written_out(x, position, column)]
        return self._with_factor(texts, position, self.waves()[column][1])

    def _with_factor(self, texts: list[str], position: int, pair: int) -> list[str]:
        """Return the steps in `texts`, multiplied by the pair's ζ^(position/scale_base), as a name, then as numbers."""
        power, base = f"^({position}/{write_scalar(self.scale_base)})", float(self.bases[pair])
        number = f"{self.factors(float(position))[pair]:.10g}"
        before = [f"ζ{pair}{power}", f"{base:.10g}{power}", number] if len(texts) > 2 else [f"ζ{pair}{power}", number]
        return [f"{factor} · {text}" for factor, text in zip_longest(before, texts, fillvalue=number)]
