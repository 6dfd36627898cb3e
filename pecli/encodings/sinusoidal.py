"""The sinusoidal encoding of the first Transformer, and the same encoding of signed offsets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.options import option, write_scalar
from pecli.core.positions import MAX_LENGTH, Positions
from pecli.encodings.base import Additive
from pecli.encodings.harmonic import PowersOfBase, as_typed, geometric_rates


@dataclass(frozen=True)
class SineCosineColumns(PowersOfBase):
    """Base of encodings with a sine and a cosine column for each pair, side by side or all sines first."""

    layout: str = option("interleaved", "order of sines and cosines", choices=lambda: ("interleaved", "concatenated"))

    def arrange(self, sines: Array, cosines: Array) -> Array:
        if self.layout == "interleaved":
            return super().arrange(sines, cosines)
        return np.concatenate([sines, cosines[:, : self.d // 2]], axis=1)


@dataclass(frozen=True)
class Sinusoidal(SineCosineColumns, Additive):
    """PE(p, 2j) = sin(p / base^(2j/d)), PE(p, 2j+1) = cos(p / base^(2j/d)).

    The paper's exponent stays below 1, so the last wavelength is shorter than base·2π. The exponent of tensor2tensor,
    j/(d/2 − 1), ends at 1 (Whisper, M2M100, time steps of diffusion models).

    For an odd d there is one more sine than cosines, and the exponent has the true d, as in DistilBERT and Marian.
    tensor2tensor fills the last column of an odd d with zeros; with tensor2tensor's exponent, d must be even. The time
    steps of diffusion models (Ho et al. 2020, arXiv:2006.11239, as coded in diffusers) have this column of zeros, and
    all sines before all cosines.

    Notes
    -----
    Vaswani et al. 2017, Attention Is All You Need, section 3.5, arXiv:1706.03762. The concatenated layout, all sines
    and then all cosines, is the one of tensor2tensor and Marian.
    """

    name: ClassVar[str] = "sinusoidal"
    summary: ClassVar[str] = "sines and cosines, wavelengths from 2π to base·2π"
    formula: ClassVar[str] = "PE(p, 2j) = sin(p / base^(2j/d)), PE(p, 2j+1) = cos(p / base^(2j/d))"
    source: ClassVar[str] = "Vaswani et al. 2017, section 3.5, arXiv:1706.03762"
    example: ClassVar[str] = "pecli heatmap --base 10"
    models: ClassVar[str] = "Transformer, Marian, Whisper"

    family: str = option(
        "paper",
        "exponent of the base; paper: 2j/d, tensor2tensor: j/(d/2 − 1), timestep: j/(⌊d/2⌋ − shift)",
        choices=lambda: ("paper", "tensor2tensor", "timestep"),
    )
    shift: float = option(
        1.0,
        "shift in the exponent, the downscale_freq_shift of diffusion models",
        at_least=0,
        at_most=1,
        only_with=("family", "timestep"),
    )
    flip: bool = option(
        False, "cosines before sines, the flip_sin_to_cos of diffusion models", only_with=("family", "timestep")
    )
    step: float = option(1.0, "distance between neighbouring positions", above=0, at_most=1e6)

    def check(self) -> None:
        if self.family == "timestep" and self.layout != "interleaved":
            raise UnusedOptionError("layout", self.layout, "time steps never interleave sines and cosines")
        if self.family == "tensor2tensor" and self.d % 2:
            text = f"{option_text('d', self.d)} is not allowed with {option_text('family', self.family)}"
            raise UsageError(text, option="d", value=self.d, allowed="an even d")
        super().check()

    @property
    def position_label(self) -> str:  # type: ignore[override]  # a class attribute elsewhere
        return "sinusoidal.timestep_t" if self.family == "timestep" else super().position_label

    @property
    def position_letter(self) -> str:  # type: ignore[override]
        return "t" if self.family == "timestep" else super().position_letter

    @property
    def other_label(self) -> str:  # type: ignore[override]
        return "sinusoidal.other_timestep" if self.family == "timestep" else super().other_label

    @property
    def offset_label(self) -> str:  # type: ignore[override]
        return "sinusoidal.offset_t_minus_s" if self.family == "timestep" else super().offset_label

    @property
    def position_named(self) -> str:  # type: ignore[override]
        return "sinusoidal.timestep_at" if self.family == "timestep" else super().position_named

    @property
    def rows_counted(self) -> str:  # type: ignore[override]
        return "sinusoidal.count_timesteps" if self.family == "timestep" else super().rows_counted

    @property
    def length_counted(self) -> str:  # type: ignore[override]
        return self.rows_counted

    @property
    def range_named(self) -> str:  # type: ignore[override]
        return "sinusoidal.timesteps_to" if self.family == "timestep" else super().range_named

    @property
    def wave_unit(self) -> str:
        return "sinusoidal.timesteps" if self.family == "timestep" else super().wave_unit

    @property
    def _denominator(self) -> float:
        """Divisor of 2j in the exponent of the base."""
        if self.family == "timestep":
            return max(self.d // 2 * 2 - 2 * self.shift, 1)
        return self.d if self.family == "paper" else max(self.d - 2, 1)

    def rates(self) -> Iterable[Decimal | float]:
        return geometric_rates(self.base, self._denominator, max(1, (self.d + (self.family != "timestep")) // 2))

    def fastest(self) -> Decimal | float:
        return 1.0 if self.base >= 1 else super().fastest()  # saves a sweep the rates, which are powers of many digits

    def rate_formula(self, pair: int) -> str:
        return f"{write_scalar(self.base)}^(-{2 * pair}/{write_scalar(self._denominator)})"

    def arrange(self, sines: Array, cosines: Array) -> Array:
        if self.family != "timestep":
            return super().arrange(sines, cosines)
        halves = (cosines, sines) if self.flip else (sines, cosines)
        return np.concatenate([*halves, np.zeros((len(sines), self.d % 2))], axis=1)[:, : self.d]

    @property
    def spacing(self) -> float:
        return self.step

    def position_text(self, position: float) -> str:
        return super().position_text(float(as_typed(self.step) * as_typed(position)))

    def longer_than(self, length: int) -> Array:
        return np.asarray(self.wavelengths() > length * self.step)


@dataclass(frozen=True)
class Relative(SineCosineColumns):
    """`Sinusoidal` at the offset p − q; the table of a sequence of L positions has the offsets −(L − 1) … L − 1.

    Notes
    -----
    Published code for this table doubles the exponent (``2 * i`` where i already steps by 2) and looks up negative
    offsets along the wrong axis.
    """

    name: ClassVar[str] = "relative"
    term: ClassVar[str] = "relative sinusoidal"
    summary: ClassVar[str] = "the sinusoid of the signed offset between two positions"
    formula: ClassVar[str] = "sinusoidal.pe_p_minus_q"
    source: ClassVar[str] = "after Dai et al. 2019, Transformer-XL, arXiv:1901.02860"
    example: ClassVar[str] = "pecli relative --length 8 --d 32 -o relative.npy"
    kind: ClassVar[str] = "added to the score of a pair"
    models: ClassVar[str] = "Transformer-XL (as input to a learned map)"
    position_label: ClassVar[str] = "words.offset_p_minus_q"
    other_label: ClassVar[str] = "sinusoidal.other_offset"
    rows_counted: ClassVar[str] = "sinusoidal.count_offsets"

    def check_positions(self, positions: Positions) -> None:
        if positions.start:
            why = "the table of relative depends on the offsets between positions, not on the first position"
            raise UnusedOptionError("start", positions.start, why)
        super().check_positions(positions)

    def covered(self, positions: Positions) -> Positions:
        if 2 * positions.length > MAX_LENGTH:
            text = f"{option_text('length', positions.length)} is too long: relative has two offsets for each position"
            text += f" and takes at most {MAX_LENGTH // 2:,} positions"
            raise UsageError(text, option="length", value=positions.length)
        return super().covered(Positions(start=1 - positions.length, length=2 * positions.length - 1))
