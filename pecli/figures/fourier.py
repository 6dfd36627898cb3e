"""The Fourier spectrum of every column of the table: what wavelengths a learned table holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log10
from typing import Any, ClassVar

from pecli.core.errors import UsageError
from pecli.core.language import capitalised, enumerated, join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
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

LONGEST = 65536  # positions that are transformed, at most
SLOW = 4  # waves over the length, up to which they are drift
DRIFT, STANDS_OUT = 0.2, 0.1  # shares of the variance, from which on drift and a wave are spoken of
EVEN = 3.0  # times as much as where all waves are as strong
MAX_PEAKS = 3  # that are named
USUAL = 0.15  # about the largest share of a table, before it is known
ROOM = 2.1  # times the largest share, for what is written beside it
BAND = 0.035, 0.09  # of the height: where the band of longer waves begins and ends above the rest
SHORTEST = 2.0  # positions: no shorter wave can be told in whole positions


@dataclass(frozen=True, kw_only=True)
class FourierNumbers(ColouredNumbers[TableEncoding]):
    """The share of the variance of each column at 1, 2, … waves over the length; in a picture the largest of the waves
    of a row. Columns whose wave is known to be longer have theirs in `longer` alone."""

    share: Array = over("wavelength", "dimension")
    wavelengths: Array = over("wavelength")  # positions
    columns_block: int = aside()
    longer: Array = aside("dimension")  # the share of the variance at a wave known to be longer than the positions
    longer_pairs: int  # pairs with such waves
    longer_held: float  # the share of the variance of all dimensions that they hold
    total: Array = aside("wave")  # the share of the variance of all dimensions at 1, 2, … waves
    half: float | None  # the longest wavelength from which on, upwards, there is half of it; None: nothing varies
    held: float  # how much there is
    slow: float  # how much there is at up to SLOW waves
    peaks: tuple[tuple[float, float], ...]  # wavelengths that stand out, and how much there is at each; long ones first

    def message(self) -> str:
        encoding, unit = self.view.encoding, "words.positions"  # over a grid row by row
        if self.peaks:
            *others, last = (rounded(wave) for wave, _ in self.peaks)
            waves = enumerated(
                [*(short_length(encoding, own) for own in others), short_wave_text(encoding, last, unit)]
            )
            return say(
                "fourier.besides_drift" if self.slow + self.longer_held >= DRIFT else "fourier.stand_out", waves=waves
            )
        if self.longer_pairs and isinstance(encoding, Harmonic):
            every = len(encoding.wavelengths())
            return say("fourier.longer", count=self.longer_pairs, all=every, share=percent(self.longer_held))
        if self.half is None:
            return ""
        wave = short_wave_text(encoding, rounded(self.half), unit)
        share = round(100 * self.held)
        return say("fourier.of_the_variance_lies", share=share, wave=wave)

    @property
    def names_half(self) -> bool:
        """Whether the headline names the wavelength from which on there is half of the variance."""
        return self.half is not None and not self.peaks and not self.longer_pairs

    def remarks(self) -> list[str]:
        return [say("fourier.each_pixel_is_the", count=self.columns_block)] if self.columns_block > 1 else []

    def marks(self) -> list[str]:
        dotted = say("fourier.dotted_at_least_half") if self.names_half else ""
        return [*filter(None, [say("fourier.window"), dotted])]


@dataclass(frozen=True)
class Fourier(Figure[TableEncoding]):
    """The share of each column's variance at every wavelength that fits whole into the positions shown.

    Notes
    -----
    The discrete Fourier transform of each column less its mean under a Hann window, so that slow waves do not leak into
    fast ones; a wave spreads over its two neighbours. The shares of a column add up to 1. Waves of all dimensions
    together that stand out are marked beside it. Waves that are known to be longer than the positions would look like
    waves as long as these: they have a band of their own. `Spectrum` shows the strongest wave alone.
    """

    name: ClassVar[str] = "fourier"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "the share of a column's variance at each wavelength: squared size of its discrete Fourier transform over "
        "the positions, all shares of a column adding up to 1; waves known to be longer than the positions are "
        "shown apart"
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
        power = power_spectrum(windowed(rows))
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
            share, waves = strongest(share, len(rows) / edges), step * np.sqrt(edges[:-1] * edges[1:])
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
            peaks=tuple((step * wave, part) for wave, part in peaks_of(together, len(rows))),
            ends=ends,
            sample=(sample,),
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        encoding, units = view.encoding, say(view.encoding.position_unit or "words.positions")
        y = decades_axis(say("words.wavelength", units=units), *log_ends(view))
        if longer_columns(view)[1]:
            y = replace(y, ends=(log_ends(view)[0], band(view)[1]))
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
            extent = (-0.5, right, *band(numbers.view))
            show_matrix(axes[0], numbers.longer[None], colours=colours, limits=limits, extent=extent)
        _draw_together(numbers, axes[1], canvas)
        return [image, None]

    def title(self, view: View[TableEncoding]) -> str:
        share = say("fourier.share_of_each", dimension=say(view.encoding.dimension_label))
        return join_title([super().title(view), share])


def _mark_longer(view: View[TableEncoding], panel: Axes, canvas: Canvas) -> None:
    """Draw a bracket over the columns whose wave is longer than the positions, where they stand side by side."""
    from pecli.page.labels import add_bracket

    encoding: Any = view.encoding
    longer, count = longer_columns(view)
    columns = np.flatnonzero(longer)
    if not count or np.ptp(columns) >= len(columns):
        return
    known = {"count": count, "all": len(encoding.wavelengths()), "span": length_of(view)}
    texts = [say("heatmap.pairs_longer", length=length_shown(encoding, view.covered.length), **known)]
    texts += [say("heatmap.pairs_beyond", **known), f"λ > {known['span']}"]
    add_bracket(panel, columns[0] - 0.5, columns[-1] + 0.5, texts, canvas)


def length_of(view: View[TableEncoding]) -> str:
    """Return how long the positions shown are, as wavelengths are written."""
    return f"{view.covered.length * view.encoding.spacing:,.15g}"


def _draw_together(numbers: FourierNumbers, panel: Axes, canvas: Canvas) -> None:
    """Draw the share of every wave of all dimensions together, and mark those that stand out."""
    from pecli.page.labels import label_point

    low, high = log_ends(numbers.view)
    length, share = 10**high, numbers.total
    counts = np.arange(1, len(share) + 1)
    edges = np.clip(np.log10(length / np.append(counts - 0.5, counts[-1] + 0.5)), low, high)
    panel.stairs(share, edges, orientation="horizontal", fill=True, color=RULE)
    label_percent(panel, max(numbers.longer_held, float(share.max(initial=0.0))))
    encoding, text, named = numbers.view.encoding, "fourier.wave_share", numbers.names_half
    if numbers.longer_pairs:
        bottom, top = band(numbers.view)
        bar, ink = (RULE, panel.xaxis.label.get_color()) if numbers.peaks else ("C1", "C1")
        panel.stairs([numbers.longer_held], [bottom, top], orientation="horizontal", fill=True, color=bar)
        longer = say("fourier.longer_share", wave=length_of(numbers.view), share=percent(numbers.longer_held))
        free = max(numbers.longer_held, float(share[:SLOW].max()))  # right of the bars below
        label_point(panel, longer, (free, (bottom + top) / 2), ink, canvas, ((1, 0),))
    if named or (numbers.peaks and numbers.slow >= DRIFT and len(share) > 2 * SLOW):
        least, part = (numbers.half, numbers.held) if named else (length / SLOW, numbers.slow)
        longer = short_length(encoding, rounded(float(least or length)))
        slow = say("fourier.slow_share", wave=longer, share=f"{part:.0%}")
        top = int(share[:SLOW].argmax())
        place = float(share[top]), float(edges[top : top + 2].mean())
        label_point(panel, slow, place, "C1" if named else panel.xaxis.label.get_color(), canvas, ((1, 0),))
    for wave, part in numbers.peaks:
        at = round(length / wave) - 1
        run = slice(at - 1, at + 2)
        panel.stairs(share[run], edges[at - 1 : at + 3], orientation="horizontal", fill=True, color="C1")
        short = short_length(encoding, rounded(wave))
        place = float(share[run].max()), log10(wave)
        label_point(panel, say(text, wave=short, share=f"{part:.0%}"), place, "C1", canvas, ((1, 0),))


def longer_columns(view: View[TableEncoding]) -> tuple[Array, int]:
    """Return which columns have a wave that is known to be longer than the positions shown, (d,), and of how many
    pairs."""
    encoding = view.encoding
    if not isinstance(encoding, Harmonic) or encoding.sides:
        return np.zeros(encoding.width, dtype=bool), 0
    longer = encoding.longer_than(view.covered.length)
    return np.array([bool(longer[pair]) for _, pair in encoding.waves()]), int(longer.sum())


def band(view: View[TableEncoding]) -> tuple[float, float]:
    """Return where the band of longer waves begins and ends, above the decimal logarithms of the others."""
    low, high = log_ends(view)
    bottom, top = (high + share * (high - low) for share in BAND)
    return bottom, top


def percent(share: float) -> str:
    """Return a share in per cent, of one below a hundredth its first digit, if that is no more than one behind 0."""
    if share < 0.001:
        return "< 0.1%"
    return number_text(100 * share, 1 if share < 0.01 else 2) + "%"


def rounded(wave: float) -> float:
    """Return a wavelength that is known to some per cent."""
    return float(f"{wave:.2g}") if wave < 100 else float(round(wave))


def label_percent(panel: Axes, most: float) -> None:
    """Label an axis of shares, up to the largest and what is written beside it."""
    from pecli.page.ticks import NumberTexts

    panel.set_xlim(0, ROOM * most or 1.0)
    panel.xaxis.set_major_formatter(NumberTexts(lambda share: number_text(100 * share, 3) + "%"))


def windowed(rows: Array) -> Array:
    """Return columns less their means under a Hann window, (n, d)."""
    window = np.hanning(len(rows) + 2)[1:-1, None]
    return np.asarray((rows - (window * rows).sum(axis=0) / window.sum()) * window)


def peaks_of(share: Array, length: int) -> list[tuple[float, float]]:
    """Return wavelengths that stand out of the shares at 1, 2, … waves over a length, and the share of the three waves
    that the window makes of each; long ones first."""
    sums = np.convolve(share, np.ones(3), "same")
    found: list[tuple[int, float]] = []
    inner = np.arange(SLOW + 1, len(share) - 1)
    for at in sorted(inner.tolist(), key=lambda own: -share[own])[: 8 * MAX_PEAKS]:
        top = share[at] >= share[at - 1] and share[at] >= share[at + 1]
        alone = all(abs(at - other) > 2 for other, _ in found)
        if top and alone and sums[at] >= max(STANDS_OUT, EVEN * 3 / len(share)):
            found.append((at, float(sums[at])))
    centres = [(length * sums[at] / (share[at - 1 : at + 2] @ np.arange(at, at + 3)), part) for at, part in found]
    return [(float(wave), part) for wave, part in sorted(centres[:MAX_PEAKS], reverse=True)]


def strongest(share: Array, edges: Array) -> Array:
    """Return the largest of each run of waves between these numbers of them, rising, of shares (waves, d) at 1, 2, …
    waves: (runs, d); a run without a whole number has its nearest."""
    borders = np.append(np.rint(edges[:-1]).astype(np.int64) - 1, len(share))
    first = np.minimum(borders[:-1], len(share) - 1)
    stop = np.clip(borders[1:], first + 1, len(share))
    values = np.concatenate([share, share[-1:]])
    return np.asarray(np.maximum.reduceat(values, np.stack([first, stop], axis=-1).ravel(), axis=0)[::2])


def log_ends(view: View[TableEncoding]) -> tuple[float, float]:
    """Return the decimal logarithms of the shortest wavelength and of the longest."""
    step = view.encoding.spacing
    return log10(step * SHORTEST), log10(step * view.covered.length)
