"""A position as clock faces: one hand a pair of dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pecli.analysis import check_indices
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.values import EXACT
from pecli.encodings.harmonic import Harmonic
from pecli.figures.canvas import Canvas
from pecli.figures.figure import Figure, Numbers, View
from pecli.figures.spectrum import STILL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 8  # dials side by side where none are asked for
STRIP = 4  # positions where none are asked for


@dataclass(frozen=True, kw_only=True)
class DialsNumbers(Numbers[Harmonic]):
    """angles : (positions, pairs), rad, ω_j p in [−π, π]; positions : (positions,); pairs : (pairs,);
    wavelengths : (pairs,), positions."""

    main_array: ClassVar[str] = "angles"
    row_coordinates: ClassVar[tuple[str, ...]] = ("positions",)

    angles: Array
    positions: Array
    pairs: Array
    wavelengths: Array

    def columns(self) -> list[str]:
        return [f"pair {pair}" for pair in self.pairs]


@dataclass(frozen=True)
class Dials(Figure[Harmonic]):
    """One row of clock faces a position; the hand of pair j has turned clockwise by ω_j p from the top.

    Notes
    -----
    The tip of a hand stands at (sin ω_j p, cos ω_j p): the two numbers that the encoding holds for the pair.
    """

    name: ClassVar[str] = "dials"
    summary: ClassVar[str] = "A position as clock faces: one hand a pair of dimensions"
    example: ClassVar[str] = "pecli dials -e clock --at 10981,9870"

    at: tuple[int, ...] | None = option(
        None, "the positions, one row each", at_least=-EXACT, unset=f"{STRIP} spread over the length"
    )
    pairs: tuple[int, ...] | None = option(
        None, "the pairs, one dial each", at_least=0, unset=f"{MOST} at most, spread"
    )

    def rows(self, view: View[Harmonic]) -> Array:
        """The positions."""
        if self.at is not None:
            return np.array(self.at, dtype=np.float64)
        covered = view.covered
        return np.unique(covered.start + np.arange(STRIP) * covered.length // STRIP).astype(np.float64)

    def dials(self, view: View[Harmonic]) -> Array:
        """The pairs."""
        count = (view.encoding.width + 1) // 2
        check_indices("pairs", self.pairs, view, count, "pairs")
        if self.pairs is not None:
            return np.array(self.pairs)
        return np.unique(np.linspace(0, count - 1, min(count, MOST)).astype(int))

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        self.dials(view)

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        return (len(self.rows(view)), len(self.dials(view)))

    def aspect_for(self, view: View[Harmonic]) -> float:
        rows, columns = self.shape(view)
        return (rows + 0.7) / (columns + 0.9)

    def compute(self, view: View[Harmonic]) -> DialsNumbers:
        harmonic, rows, pairs = view.encoding, self.rows(view), self.dials(view)
        angles = harmonic.angles(rows) + harmonic.phases
        return DialsNumbers(
            view=view, angles=angles[:, pairs], positions=rows, pairs=pairs, wavelengths=harmonic.wavelengths()[pairs]
        )

    def draw(self, numbers: DialsNumbers, axes: list[Axes], canvas: Canvas) -> None:
        from matplotlib.collections import LineCollection, PatchCollection
        from matplotlib.patches import Circle

        rows, columns = numbers.angles.shape
        centres = np.stack(np.meshgrid(np.arange(columns), -np.arange(rows)), axis=-1).reshape(-1, 2)
        angles = numbers.angles.reshape(-1)
        tips = centres + 0.4 * np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        ticks = [[(x, y + 0.4), (x, y + 0.34)] for x, y in centres]
        faces = [Circle((x, y), 0.4) for x, y in centres]
        colours = [f"C{column}" for column in range(columns)] * rows
        axes[0].add_collection(PatchCollection(faces, facecolor="none", edgecolor="0.6", linewidth=0.7))
        axes[0].add_collection(LineCollection(ticks, colors="0.6", linewidths=0.7))
        axes[0].add_collection(LineCollection(list(np.stack([centres, tips], axis=1)), colors=colours, linewidths=1.6))
        axes[0].set(xlim=(-0.55, columns - 0.45), ylim=(-rows + 0.45, 0.55), aspect="equal")
        self._label(numbers, axes[0])

    def _label(self, numbers: DialsNumbers, axes: Axes) -> None:
        encoding = numbers.view.encoding
        shown = zip(numbers.pairs.tolist(), numbers.wavelengths, strict=True)
        pairs = [encoding.pair_text(pair) + f"\n{short_wave(encoding, wave)}" for pair, wave in shown]
        axes.set_xticks(range(len(pairs)), pairs, fontsize="x-small")
        axes.set_yticks(-np.arange(len(numbers.positions)), [encoding.position_text(p) for p in numbers.positions])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_ylabel(encoding.position_label)


def short_wave(encoding: Harmonic, wave: float) -> str:
    """A wavelength in the width of a dial; nothing where the pair's name says it."""
    if encoding.tick_steps:
        return ""
    if wave > STILL:
        return "still"
    return f"λ {wave:.3g}" if wave < 999.5 else f"λ {wave:.1e}".replace("e+0", "e").replace("e+", "e")
