"""The Fourier spectrum of each column of the table: the wavelengths of a learned table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log10
from typing import Any, ClassVar

from pecli.core.errors import UsageError
from pecli.core.language import capitalised, enumerated, join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text, percent_text
from pecli.encodings.base import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.figures.base import ColouredNumbers, Figure, View
from pecli.figures.heatmap import length_shown
from pecli.figures.matrix import show_matrix
from pecli.figures.wavelengths import short_length, short_wave_text
from pecli.files.sheet import aside, over
from pecli.measures.reduce import averaged_columns
from pecli.measures.summary import SAMPLE_SIZE
from pecli.measures.waves import power_spectrum
from pecli.page.axis_labels import decades_axis, dimensions_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import RULE
from pecli.page.panels import ColorBar, Panel, PanelGroup

LONGEST = 65536  # largest number of positions to transform
SLOW = 4  # up to this many waves over the length count as drift
DRIFT, STANDS_OUT = 0.2, 0.1  # shares of the variance from which drift and a peak are mentioned
EVEN = 3.0  # least share of a peak, in multiples of its share if all waves were equally strong
MAX_PEAKS = 3  # peaks to label
USUAL = 0.15  # typical largest share, used before it is known
ROOM = 2.1  # length of the axis relative to the largest share, for labels beside it
BAND = 0.035, 0.09  # bottom and top of the band of longer waves above the rest, in heights of the rest
SHORTEST = 2.0  # positions: the shortest wavelength that whole positions can resolve


@dataclass(frozen=True, kw_only=True)
class FourierNumbers(ColouredNumbers[TableEncoding]):
    """The share of each column's variance at 1, 2, … waves over the length.

    In a picture, `share` has the largest share in each row of pixels. The share of a column whose wavelength is known
    to exceed the length is only in `longer`.
    """

    share: Array = over("wavelength", "dimension")
    wavelengths: Array = over("wavelength")  # in positions
    columns_block: int = aside()
    longer: Array = aside("dimension")  # share of a column's variance at a wave known to be longer than the length
    longer_pairs: int  # pairs with such waves
    longer_held: float  # share of the total variance in these pairs
    total: Array = aside("wave")  # share of the total variance at 1, 2, … waves
    half: float | None  # wavelength above which half of the variance is; None: no variance
    held: float  # share of the variance at that wavelength and longer ones
    slow: float  # share of the variance at up to SLOW waves
    peaks: tuple[tuple[float, float], ...]  # (wavelength, share) of each peak, the longest first

    def message(self) -> str:
        encoding, unit = self.view.encoding, row_unit(self.view.encoding)
        if self.peaks:
            *others, last = (rounded_wavelength(wave) for wave, _ in self.highest)
            waves = enumerated(
                [*(short_length(encoding, own) for own in others), short_wave_text(encoding, last, unit)]
            )
            if more := len(self.peaks) - len(self.highest):
                waves = say("fourier.and_more", waves=waves, count=more)
            return say(
                "fourier.besides_drift" if self.slow + self.longer_held >= DRIFT else "fourier.stand_out", waves=waves
            )
        if self.longer_pairs and isinstance(encoding, Harmonic):
            every = len(encoding.wavelengths())
            return say("fourier.longer", count=self.longer_pairs, all=every, share=percent_text(self.longer_held))
        if self.half is None:
            return ""
        wave = short_wave_text(encoding, rounded_wavelength(self.half), unit)
        return say("fourier.of_the_variance_lies", share=percent_text(self.held), wave=wave)

    @property
    def highest(self) -> list[tuple[float, float]]:
        """The highest peaks, at most MAX_PEAKS, the longest wavelength first."""
        return sorted(sorted(self.peaks, key=lambda peak: -peak[1])[:MAX_PEAKS], reverse=True)

    @property
    def names_half(self) -> bool:
        """Whether the headline is about the wavelength above which half of the variance lies."""
        return self.half is not None and not self.peaks and not self.longer_pairs

    def remarks(self) -> list[str]:
        return [say("fourier.each_pixel_is_the", count=self.columns_block)] if self.columns_block > 1 else []

    def marks(self) -> list[str]:
        dotted = say("fourier.dotted_at_least_half") if self.names_half else ""
        return [*filter(None, [say("fourier.window"), dotted])]


@dataclass(frozen=True)
class Fourier(Figure[TableEncoding]):
    """The share of each column's variance at every wavelength that fits a whole number of times into the length.

    Notes
    -----
    The discrete Fourier transform of each column minus its mean, under a Hann window, so that slow waves do not leak
    into fast ones; each wave spreads over its two neighbours. The shares of a column add up to 1. Peaks of the mean
    over all dimensions are marked beside the image. A wave that is known to be longer than the length would look like a
    wave of that length, so such waves are in a separate band. `Spectrum` shows only the strongest wave of each
    column.
    """

    name: ClassVar[str] = "fourier"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "the share of a column's variance at each wavelength, from the squared magnitude of its discrete Fourier "
        "transform over the positions; the shares of a column add up to 1; waves known to be longer than the span of "
        "positions are shown separately"
    )
    counts_positions: ClassVar[bool] = True
    example: ClassVar[str] = "pecli fourier learned --file model.safetensors"
    examples: ClassVar[tuple[str, ...]] = ("pecli fourier -n 512",)

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        if not 4 <= view.covered.length <= LONGEST:
            allowed = f"4 to {LONGEST:,} positions"
            raise UsageError(option="length", value=view.covered.length, allowed=allowed)

    def compute(self, view: View[TableEncoding]) -> FourierNumbers:
        rows = view.encoding.table(view.covered.array())
        power = power_spectrum(under_hann_window(rows))
        variance, size = power.sum(axis=0), np.square(rows).max(axis=0)
        share = power / np.where(variance > 1e-18 * len(rows) ** 2 * size, variance, np.inf)
        total = power.sum(axis=1).cumsum()
        beyond, pairs = longer_columns(view)
        longer = (beyond & (share.sum(axis=0) > 0)).astype(np.float64)
        share[:, beyond] = 0.0
        together = power[:, ~beyond].sum(axis=1) / (total[-1] or 1.0)
        step = view.encoding.spacing
        waves = step * len(rows) / np.arange(1, len(power) + 1)
        middle = int(np.searchsorted(total, total[-1] / 2 * (1 - ROUNDING)))
        half, held = (float(waves[middle]), float(total[middle] / total[-1])) if total[-1] > 0 else (None, 0.0)
        most = float(max(share.max(), longer.max()))
        ends, sample = (0.0, ceil(100 * most) / 100 or 1.0), share[:: -(-share.size // SAMPLE_SIZE)]
        if view.pixel_rows is not None:
            edges = np.geomspace(len(rows), SHORTEST, view.pixel_rows + 1)
            share, waves = strongest_per_run(share, len(rows) / edges), step * np.sqrt(edges[:-1] * edges[1:])
        share, across = averaged_columns(share, view.pixel_columns)
        longer, _ = averaged_columns(longer[None], view.pixel_columns)
        return FourierNumbers(
            view=view,
            share=share,
            wavelengths=waves,
            columns_block=across,
            longer=longer[0],
            longer_pairs=pairs,
            longer_held=float(power[:, beyond].sum() / (total[-1] or 1.0)),
            total=together,
            half=half,
            held=held,
            slow=float(together[:SLOW].sum()),
            peaks=tuple((step * wave, part) for wave, part in find_peaks(together, len(rows))),
            ends=ends,
            sample=(sample,),
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        encoding, units = view.encoding, say(row_unit(view.encoding))
        y = decades_axis(say("words.wavelength", units=units), *log_ends(view))
        if longer_columns(view)[1]:
            y = replace(y, ends=(log_ends(view)[0], longer_band(view)[1]))
        titles = (
            capitalised(say(key, dimension=say(encoding.dimension_label)))
            for key in ("fourier.each_dimension", "fourier.all_dimensions")
        )
        first, second = titles
        bar = ColorBar(say("fourier.share"), percent=True)
        every = Panel(title=first, bar=bar, x=dimensions_axis(encoding), y=y, aspect=0.8)
        share = values_axis(say("fourier.share"), scale="share")
        together = Panel(title=second, x=share, y=y, aspect=2.4, least=(6.0, 6.0))
        return [PanelGroup((every, together), (((0, 0, 1) if canvas.narrow else (0, 0, 0, 1),),))]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        label_percent(axes[1], USUAL)
        _mark_longer(view, axes[0], canvas)
        axes[1].spines["left"].set_visible(False)

    def draw(self, numbers: FourierNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        low, high = log_ends(numbers.view)
        right = numbers.share.shape[1] * numbers.columns_block - 0.5
        colours, limits = canvas.colours("amount"), numbers.ends
        if numbers.names_half:
            axes[0].axhline(log10(numbers.half or 1.0), color="C1", linestyle=":", linewidth=canvas.scale)
        image = show_matrix(axes[0], numbers.share, colours=colours, limits=limits, extent=(-0.5, right, low, high))
        if numbers.longer_pairs:
            extent = (-0.5, right, *longer_band(numbers.view))
            show_matrix(axes[0], numbers.longer[None], colours=colours, limits=limits, extent=extent)
        _draw_together(numbers, axes[1], canvas)
        return [image, None]

    def title(self, view: View[TableEncoding]) -> str:
        share = say("fourier.share_of_each", dimension=say(view.encoding.dimension_label))
        return join_title([super().title(view), share])


def row_unit(encoding: TableEncoding) -> str:
    """Return the text key of the unit of wavelengths; on a grid it is positions, numbered row by row."""
    return "words.positions" if encoding.sides else encoding.wave_unit


def _mark_longer(view: View[TableEncoding], panel: Axes, canvas: Canvas) -> None:
    """Draw a bracket over the columns with waves longer than the length, if these columns are contiguous."""
    from pecli.page.labels import add_bracket

    encoding: Any = view.encoding
    longer, count = longer_columns(view)
    columns = np.flatnonzero(longer)
    if not count or np.ptp(columns) >= len(columns):
        return
    known = {"count": count, "all": len(encoding.wavelengths()), "span": length_text(view)}
    texts = [say("heatmap.pairs_longer", length=length_shown(encoding, view.covered.length), **known)]
    texts += [say("heatmap.pairs_beyond", **known), f"λ > {known['span']}"]
    add_bracket(panel, columns[0] - 0.5, columns[-1] + 0.5, texts, canvas)


def length_text(view: View[TableEncoding]) -> str:
    """Return the length of the view as text, in the unit of wavelengths."""
    return f"{view.covered.length * view.encoding.spacing:,.15g}"


def _draw_together(numbers: FourierNumbers, panel: Axes, canvas: Canvas) -> None:
    """Draw the spectrum of all dimensions together, and label its peaks."""
    from pecli.page.labels import label_point

    low, high = log_ends(numbers.view)
    length, share = 10**high, numbers.total
    counts = np.arange(1, len(share) + 1)
    edges = np.clip(np.log10(length / np.append(counts - 0.5, counts[-1] + 0.5)), low, high)
    panel.stairs(share, edges, orientation="horizontal", fill=True, color=RULE)
    label_percent(panel, max(numbers.longer_held, float(share.max(initial=0.0))))
    encoding, text, named = numbers.view.encoding, "fourier.wave_share", numbers.names_half
    if numbers.longer_pairs:
        bottom, top = longer_band(numbers.view)
        bar, ink = (RULE, panel.xaxis.label.get_color()) if numbers.peaks else ("C1", "C1")
        panel.stairs([numbers.longer_held], [bottom, top], orientation="horizontal", fill=True, color=bar)
        longer = say("fourier.longer_share", wave=length_text(numbers.view), share=percent_text(numbers.longer_held))
        free = max(numbers.longer_held, float(share[:SLOW].max()))  # where the label is clear of the bars below
        label_point(panel, longer, (free, (bottom + top) / 2), ink, canvas, ((1, 0),))
    if named or (numbers.peaks and numbers.slow >= DRIFT and len(share) > 2 * SLOW):
        least, part = (numbers.half, numbers.held) if named else (length / SLOW, numbers.slow)
        longer = short_length(encoding, rounded_wavelength(float(least or length)))
        slow = say("fourier.slow_share", wave=longer, share=percent_text(part))
        top = int(share[:SLOW].argmax())
        place = float(share[top]), float(edges[top : top + 2].mean())
        label_point(panel, slow, place, "C1" if named else panel.xaxis.label.get_color(), canvas, ((1, 0),))
    for wave, part in numbers.highest:
        at = round(length / wave) - 1
        run = slice(at - 1, at + 2)
        panel.stairs(share[run], edges[at - 1 : at + 3], orientation="horizontal", fill=True, color="C1")
        short = short_length(encoding, rounded_wavelength(wave))
        place = float(share[run].max()), log10(wave)
        label_point(panel, say(text, wave=short, share=percent_text(part)), place, "C1", canvas, ((1, 0),))


def longer_columns(view: View[TableEncoding]) -> tuple[Array, int]:
    """Return a mask, (d,), of columns whose waves are known to exceed the length, and the number of their pairs."""
    encoding = view.encoding
    if not isinstance(encoding, Harmonic) or encoding.sides:
        return np.zeros(encoding.width, dtype=bool), 0
    longer = encoding.longer_than(view.covered.length)
    return np.array([bool(longer[pair]) for _, pair in encoding.waves()]), int(longer.sum())


def longer_band(view: View[TableEncoding]) -> tuple[float, float]:
    """Return bottom and top of the separate band for waves longer than the length, in decimal logarithms."""
    low, high = log_ends(view)
    bottom, top = (high + share * (high - low) for share in BAND)
    return bottom, top


def rounded_wavelength(wave: float) -> float:
    """Return a wavelength rounded to whole positions, or to two digits if it is below 100."""
    return float(f"{wave:.2g}") if wave < 100 else float(round(wave))


def label_percent(panel: Axes, most: float) -> None:
    """Label an axis of shares in per cent, with room for labels beyond the largest share, `most`."""
    from pecli.page.ticks import NumberTexts

    panel.set_xlim(0, ROOM * most or 1.0)
    panel.xaxis.set_major_formatter(NumberTexts(lambda share: number_text(100 * share, 3) + "%"))


def under_hann_window(rows: Array) -> Array:
    """Return the columns minus their means, under a Hann window, shape (n, d)."""
    window = np.hanning(len(rows) + 2)[1:-1, None]
    return np.asarray((rows - (window * rows).sum(axis=0) / window.sum()) * window)


def find_peaks(share: Array, length: int) -> list[tuple[float, float]]:
    """Return (wavelength, share) of each peak, the longest wavelength first.

    share : share of the variance at 1, 2, … waves over `length` positions

    The share of a peak is the sum over its wave and the two neighbouring ones.
    """
    sums = np.convolve(share, np.ones(3), "same")
    found: list[tuple[int, float]] = []
    inner = np.arange(SLOW + 1, len(share) - 1)
    for at in sorted(inner.tolist(), key=lambda own: -share[own])[: 8 * MAX_PEAKS]:
        top = share[at] >= share[at - 1] and share[at] >= share[at + 1]
        alone = all(abs(at - other) > 2 for other, _ in found)
        if top and alone and sums[at] >= max(STANDS_OUT, EVEN * 3 / len(share)):
            found.append((at, float(sums[at])))
    centres = [(length * sums[at] / (share[at - 1 : at + 2] @ np.arange(at, at + 3)), part) for at, part in found]
    return [(float(wave), part) for wave, part in sorted(centres, reverse=True)]


def strongest_per_run(share: Array, edges: Array) -> Array:
    """Return the largest share in each bin of waves, shape (bins, d).

    share : shares at 1, 2, … waves, shape (waves, d)
    edges : edges of the bins as numbers of waves, rising; a bin without a whole number uses the nearest wave
    """
    borders = np.append(np.rint(edges[:-1]).astype(np.int64) - 1, len(share))
    first = np.minimum(borders[:-1], len(share) - 1)
    stop = np.clip(borders[1:], first + 1, len(share))
    values = np.concatenate([share, share[-1:]])
    return np.asarray(np.maximum.reduceat(values, np.stack([first, stop], axis=-1).ravel(), axis=0)[::2])


def log_ends(view: View[TableEncoding]) -> tuple[float, float]:
    """Return the decimal logarithms of the shortest and the longest wavelength."""
    step = view.encoding.spacing
    return log10(step * SHORTEST), log10(step * view.covered.length)
