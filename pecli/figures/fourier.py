"""The Fourier spectrum of every column of the table: what wavelengths a learned table holds."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import Any, ClassVar

from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING
from pecli.encodings.base import TableEncoding
from pecli.figures.base import ColouredNumbers, Figure, View
from pecli.figures.matrix import show_matrix
from pecli.figures.wavelengths import short_wave_text
from pecli.files.sheet import aside, over
from pecli.measures.reduce import averaged_columns
from pecli.measures.summary import ENOUGH
from pecli.measures.waves import power_spectrum
from pecli.page.axis_labels import label_decades, label_dimensions
from pecli.page.canvas import Canvas
from pecli.page.panels import ColorBar, Panel, PanelGroup

LONGEST = 65536  # positions that are transformed, at most
SHORTEST = 2.0  # positions: no shorter wave can be told in whole positions


@dataclass(frozen=True, kw_only=True)
class FourierNumbers(ColouredNumbers[TableEncoding]):
    """The share of the variance of each column at 1, 2, … waves over the length; in a picture the largest of the waves
    of a row."""

    share: Array = over("wavelength", "dimension")
    wavelengths: Array = over("wavelength")  # positions
    columns_block: int = aside()
    half: float | None  # the longest wavelength from which on, upwards, there is half of it; None: nothing varies
    held: float  # how much there is

    def message(self) -> str:
        if self.half is None:
            return ""
        wave = short_wave_text(
            self.view.encoding, float(f"{self.half:.3g}"), "words.positions"
        )  # over a grid row by row
        share = round(100 * self.held)
        return say("fourier.of_the_variance_lies", share=share, wave=wave)

    def remarks(self) -> list[str]:
        return [say("fourier.each_pixel_is_the", count=self.columns_block)] if self.columns_block > 1 else []

    def marks(self) -> list[str]:
        return [say("fourier.dotted_at_least_half")] if self.half else []


@dataclass(frozen=True)
class Fourier(Figure[TableEncoding]):
    """The share of each column's variance at every wavelength that fits whole into the positions shown.

    Notes
    -----
    The discrete Fourier transform of each column less its mean; no window, so that the shares of a column add up to 1.
    A wave that does not fit whole spreads over its neighbours. `Spectrum` shows the strongest wave alone.
    """

    name: ClassVar[str] = "fourier"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = (
        "the share of a column's variance at each wavelength: squared size of its discrete Fourier transform over "
        "the positions, all shares of a column adding up to 1"
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
        power = power_spectrum(rows)
        variance = power.sum(axis=0)
        share = power / np.where(variance > 1e-18 * len(rows) ** 2 * np.square(rows).max(axis=0), variance, np.inf)
        total = power.sum(axis=1).cumsum()
        step = view.encoding.spacing
        waves = step * len(rows) / np.arange(1, len(power) + 1)
        middle = int(np.searchsorted(total, total[-1] / 2 * (1 - ROUNDING)))
        half, held = (float(waves[middle]), float(total[middle] / total[-1])) if total[-1] > 0 else (None, 0.0)
        ends, sample = (0.0, float(share.max()) or 1.0), share[:: -(-share.size // ENOUGH)]
        if view.pixel_rows is not None:
            edges = np.geomspace(len(rows), SHORTEST, view.pixel_rows + 1)
            share, waves = strongest(share, len(rows) / edges), step * np.sqrt(edges[:-1] * edges[1:])
        share, across = averaged_columns(share, view.pixel_columns)
        return FourierNumbers(
            view=view,
            share=share,
            wavelengths=waves,
            columns_block=across,
            half=half,
            held=held,
            ends=ends,
            sample=(sample,),
        )

    def panel_groups(self, view: View[TableEncoding], canvas: Canvas) -> list[PanelGroup]:
        encoding = view.encoding
        bar = ColorBar(say("fourier.share_of_the_dimensions"))
        return [PanelGroup((Panel(bar=bar, x=(encoding.dimension_label, encoding.width), y=("waves", view.covered)),))]

    def decorate(self, view: View[TableEncoding], axes: list[Axes], canvas: Canvas) -> None:
        ends = log_ends(view)
        axes[0].set(xlim=(-0.5, view.encoding.width - 0.5), ylim=ends)
        label_dimensions(axes[0].xaxis, view.encoding)
        label_decades(axes[0].yaxis, *ends)
        units = say(view.encoding.position_unit or "words.positions")
        axes[0].set_ylabel(say("words.wavelength", units=units))

    def draw(self, numbers: FourierNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        low, high = log_ends(numbers.view)
        right = numbers.share.shape[1] * numbers.columns_block - 0.5
        colours, limits = canvas.colours("amount"), numbers.ends
        if numbers.half is not None:
            axes[0].axhline(log10(numbers.half), color="white", linestyle=":", linewidth=canvas.scale)
        return [show_matrix(axes[0], numbers.share, colours=colours, limits=limits, extent=(-0.5, right, low, high))]


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
