"""The wavelength of every pair of dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.axis_labels import label_powers, label_values
from pecli.figures.canvas import Canvas
from pecli.figures.figure import Figure, Numbers, View
from pecli.figures.lines import Look, frame_lines, key
from pecli.figures.panels import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURED = 65536  # positions from which the period of a column without a formula is measured, at most
PADDING = 8  # a transform so many times as long finds the peak between whole numbers of waves
TRANSFORMED = 1 << 21  # numbers that are transformed together, some columns at a time
WINDOW = "one cycle or the length"
MARKS = "os^Dv"  # of the encodings in turn, so that they stay apart in grey
STILL = 1e15  # positions; a longer wave stands still, and an axis has no room for it


@dataclass(frozen=True, kw_only=True)
class SpectrumNumbers(Numbers[TableEncoding]):
    """wavelength : (n,), positions (a pair that stands still has none and is left out); pair : (n,);
    encoding : (n,), which of the encodings."""

    main_array: ClassVar[str] = "wavelength"
    row_coordinates: ClassVar[tuple[str, ...]] = ("pair", "encoding")

    wavelength: Array
    pair: Array
    encoding: Array
    ratios: tuple[str, ...]  # between neighbours, one text an encoding
    longer: tuple[int, ...]  # pairs that never finish a turn over the length shown
    still: tuple[int, ...]  # pairs left out: frequency 0, or a column that does not vary

    def caption(self) -> str:
        measured = [e.name for e in self.view.encodings if not isinstance(e, Harmonic)]
        rows = zip(self.view.encodings, self.still, strict=True)
        left_out = [f"{e.name}: {count} left out, longer than {STILL:.0e} or still" for e, count in rows if count]
        said = f"{', '.join(measured)}: the dominant period of each column, measured over {WINDOW}" if measured else ""
        return "; ".join(filter(None, [said, *left_out]))

    def facts(self) -> dict[str, Any]:
        names = [encoding.spec() for encoding in self.view.encodings]
        columns = {"ratio": self.ratios, "longer_than_length": self.longer, "still": self.still}
        return {name: dict(zip(names, values, strict=True)) for name, values in columns.items()}


@dataclass(frozen=True)
class Spectrum(Figure[TableEncoding]):
    """Wavelengths 2π/ω on a logarithmic axis, with a line at the length shown.

    Notes
    -----
    Pairs above the line never finish a turn. From the formula where the encoding has frequencies; else each column's
    strongest frequency in its discrete Fourier transform, over one whole cycle (binary) or over the length shown.
    """

    name: ClassVar[str] = "spectrum"
    summary: ClassVar[str] = "The wavelength of every pair of dimensions"
    example: ClassVar[str] = "pecli spectrum -e sinusoidal -e rope:base=500000"
    examples: ClassVar[tuple[str, ...]] = ("pecli spectrum sinusoidal:base=10 rope clock -n 4096",)
    several: ClassVar[bool] = True

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        rows = min(view.positions.length, MEASURED)
        return max(((1 if isinstance(one, Harmonic) else rows), one.width) for one in view.encodings)

    def compute(self, view: View[TableEncoding]) -> SpectrumNumbers:
        waves = waves_of(view)
        known = [one < STILL for one in waves]
        pairs = [pairs_of(encoding, len(one)) for encoding, one in zip(view.encodings, waves, strict=True)]
        return SpectrumNumbers(
            view=view,
            wavelength=np.concatenate([one[k] for one, k in zip(waves, known, strict=True)]),
            pair=np.concatenate([one[k] for one, k in zip(pairs, known, strict=True)]),
            encoding=np.repeat(np.arange(len(waves)), [k.sum() for k in known]),
            ratios=tuple(ratio_text(one[k]) for one, k in zip(waves, known, strict=True)),
            longer=tuple(int((one > view.positions.length).sum()) for one in waves),
            still=tuple(int((~k).sum()) for k in known),
        )

    def panels_for(self, view: View[TableEncoding]) -> list[Panel]:
        return [Panel(0.55)]

    def frame(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        frame_lines(axes[0], 0, max(len(one) for one in waves_of(view)) - 1)
        label_values(axes[0].xaxis, "pair of dimensions j", integer=True)
        axes[0].set_yscale("log")
        units = {encoding.position_unit or "positions" for encoding in view.encodings}
        label_powers(axes[0].yaxis, f"wavelength λ, {' or '.join(sorted(units))}")
        looks = [self._look(encoding, at, canvas) for at, encoding in enumerate(view.encodings)]
        names = [self._name(*one) for one in zip(view.encodings, waves_of(view), strict=True)]
        key(axes[0], zip(names, looks, strict=True))

    def _look(self, encoding: TableEncoding, at: int, canvas: Canvas) -> Look:
        """Connected dots for what a formula gives, crosses for what is measured."""
        known = isinstance(encoding, Harmonic)
        marks = {"marker": MARKS[at % len(MARKS)] if known else "x", "markersize": 3 * canvas.scale}
        return {"color": f"C{at}", "linestyle": "-" if known else "none", **marks}

    def _name(self, encoding: TableEncoding, waves: Array) -> str:
        """An encoding with the ratio of its neighbouring wavelengths."""
        ratio = ratio_text(waves[waves < STILL]) if isinstance(encoding, Harmonic) else ""
        return encoding.label() + (f"\nneighbours {ratio}" if ratio else "")

    def draw(self, numbers: SpectrumNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        view, one = numbers.view, axes[0]
        for at, encoding in enumerate(view.encodings):
            mine = numbers.encoding == at
            one.plot(numbers.pair[mine], numbers.wavelength[mine], **self._look(encoding, at, canvas))
        length = view.positions.length
        colour = one.xaxis.label.get_color()
        one.axhline(length, color=colour, linestyle="--", linewidth=0.8 * canvas.scale, alpha=0.7)
        one.annotate(
            f"length {length:,}",
            (0, length),
            xycoords=("axes fraction", "data"),
            xytext=(3, 2),
            textcoords="offset points",
            fontsize=canvas.small,
            bbox={"facecolor": one.get_facecolor(), "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
        )
        return [None]

    def title(self, view: View[TableEncoding]) -> str:
        return "wavelengths" if len(view.encodings) > 1 else super().title(view)


def waves_of(view: View[TableEncoding]) -> list[Array]:
    """The wavelengths of each encoding."""
    return [wavelengths(encoding, encoding.covered(view.positions)) for encoding in view.encodings]


def wavelengths(encoding: TableEncoding, rows: Positions) -> Array:
    """Positions a turn takes: of each pair by the formula, else of each column as measured; inf where it stands."""
    if isinstance(encoding, Harmonic):
        return encoding.wavelengths()
    cycle = encoding.cycle(MEASURED)
    window = cycle or Positions(start=rows.start, length=min(rows.length, MEASURED))
    padding = 1 if cycle else PADDING  # a whole cycle holds whole waves
    table = encoding.table(window.array())
    count = padding * window.length
    step = max(1, TRANSFORMED // count)
    parts = (table[:, at : at + step] for at in range(0, table.shape[1], step))
    return np.concatenate([_periods(part, count, padding) for part in parts])


def _periods(columns: Array, count: int, padding: int) -> Array:
    """The period of the strongest wave of each column, from a transform of so many numbers; inf where none is."""
    strength = np.abs(np.fft.rfft(columns - columns.mean(axis=0), n=count, axis=0))
    strength[:padding] = 0  # waves longer than the window cannot be told from none
    peak = strength.argmax(axis=0)
    varies = strength.max(axis=0) > 1e-9 * len(columns)
    return np.where(varies, count / np.maximum(peak, 1), np.inf)


def pairs_of(encoding: TableEncoding, count: int) -> Array:
    """Where the wavelengths stand on the axis of pairs: a column without a partner at half its number."""
    return np.arange(count) if isinstance(encoding, Harmonic) else np.arange(count) / 2


def ratio_text(waves: Array) -> str:
    """How many times longer each wavelength is than the one before: ×1.155, or ×12 to ×60."""
    if len(waves) < 2:
        return ""
    ratios = waves[1:] / waves[:-1]
    low, high = float(ratios.min()), float(ratios.max())
    return f"×{low:.4g}" if high - low < 1e-6 * high else f"×{low:.4g} to ×{high:.4g}"
