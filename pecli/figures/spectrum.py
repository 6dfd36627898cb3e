"""The wavelength of every pair of dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.encodings.encoding import Encoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.canvas import Canvas
from pecli.figures.figure import Figure, Numbers, View
from pecli.lazy import Array, np
from pecli.positions import Positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURED = 4096  # positions from which the period of a column without a formula is measured, at most
STILL = 1e100  # positions; a longer wave stands still, and an axis has no room for it


@dataclass(frozen=True)
class SpectrumNumbers(Numbers):
    """wavelength : (n,), positions (a pair that stands still has none and is left out); pair : (n,);
    encoding : (n,), which of the encodings."""

    wavelength: Array
    pair: Array
    encoding: Array
    ratios: tuple[str, ...]  # between neighbours, one text an encoding
    longer: tuple[int, ...]  # pairs that never finish a turn over the length shown
    still: tuple[int, ...]  # pairs left out: frequency 0, or a column that does not vary

    def caption(self) -> str:
        measured = [e.name for e in self.view.encodings if not isinstance(e, Harmonic)]
        return f"{', '.join(measured)}: the dominant period of each column, measured" if measured else ""

    def facts(self) -> dict[str, Any]:
        names = [encoding.spec() for encoding in self.view.encodings]
        columns = {"ratio": self.ratios, "longer_than_length": self.longer, "still": self.still}
        return {name: dict(zip(names, values, strict=True)) for name, values in columns.items()}


@dataclass(frozen=True)
class Spectrum(Figure):
    """Wavelengths 2π/ω on a logarithmic axis, with a line at the length shown.

    Notes
    -----
    Pairs above the line never finish a turn. From the formula where the encoding has frequencies; else each column's
    strongest frequency in its discrete Fourier transform, which cannot be longer than the window measured.
    """

    name: ClassVar[str] = "spectrum"
    example: ClassVar[str] = "pecli spectrum -e sinusoidal -e rope:base=500000"
    aspect: ClassVar[float] = 0.55
    several: ClassVar[bool] = True

    def compute(self, view: View) -> SpectrumNumbers:
        waves = [wavelengths(encoding, encoding.covered(view.positions)) for encoding in view.encodings]
        known = [one < STILL for one in waves]
        length = max(encoding.covered(view.positions).length for encoding in view.encodings)
        return SpectrumNumbers(
            view,
            np.concatenate([one[k] for one, k in zip(waves, known, strict=True)]),
            np.concatenate([pairs_of(e, len(one))[k] for e, one, k in zip(view.encodings, waves, known, strict=True)]),
            np.repeat(np.arange(len(waves)), [k.sum() for k in known]),
            tuple(ratio_text(one[k]) for one, k in zip(waves, known, strict=True)),
            tuple(int((one[k] > length).sum()) for one, k in zip(waves, known, strict=True)),
            tuple(int((~k).sum()) for k in known),
        )

    def draw(self, numbers: SpectrumNumbers, axes: list[Axes], canvas: Canvas) -> None:
        view = numbers.view
        for at, (encoding, ratio) in enumerate(zip(view.encodings, numbers.ratios, strict=True)):
            mine = numbers.encoding == at
            formula = isinstance(encoding, Harmonic)
            label = encoding.label() + (f"\nneighbours {ratio}" if ratio and formula else "")
            axes[0].plot(
                numbers.pair[mine], numbers.wavelength[mine], "o-" if formula else "x", label=label, markersize=3
            )
        axes[0].axhline(view.positions.length, color="0.4", linestyle="--", linewidth=0.8)
        axes[0].annotate(
            f"length {view.positions.length:,}",
            (1, view.positions.length),
            xycoords=("axes fraction", "data"),
            xytext=(-2, 2),
            textcoords="offset points",
            ha="right",
            color="0.3",
            fontsize="small",
        )
        axes[0].set(yscale="log", xlabel="pair of dimensions j", ylabel="wavelength λ, positions")
        axes[0].grid(axis="y")
        axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    def title(self, view: View) -> str:
        return "wavelengths" if len(view.encodings) > 1 else super().title(view)


def wavelengths(encoding: Encoding, rows: Positions) -> Array:
    """Positions a turn takes: of each pair by the formula, else of each column as measured; inf where it stands."""
    if isinstance(encoding, Harmonic):
        return encoding.wavelengths()
    count = min(rows.length, MEASURED)
    table = encoding.table(rows.start + np.arange(count, dtype=np.float64))
    strength = np.abs(np.fft.rfft(table - table.mean(axis=0), axis=0))
    strength[0] = 0
    peak = strength.argmax(axis=0)
    varies = strength.max(axis=0) > 1e-9 * count
    return np.where(varies, count / np.maximum(peak, 1), np.inf)


def pairs_of(encoding: Encoding, count: int) -> Array:
    """Where the wavelengths stand on the axis of pairs: a column without a partner at half its number."""
    return np.arange(count) if isinstance(encoding, Harmonic) else np.arange(count) / 2


def ratio_text(waves: Array) -> str:
    """How many times longer each wavelength is than the one before: ×1.155, or ×12 to ×60."""
    if len(waves) < 2:
        return ""
    ratios = waves[1:] / waves[:-1]
    low, high = float(ratios.min()), float(ratios.max())
    return f"×{low:.4g}" if high - low < 1e-6 * high else f"×{low:.4g} to ×{high:.4g}"
