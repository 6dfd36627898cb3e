"""Biases against the offset: one line a head."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, ClassVar

from pecli.core.errors import UsageError
from pecli.core.language import listing, phrase
from pecli.core.lazy import Array, np
from pecli.core.number_text import bound_text
from pecli.encodings.capabilities import BiasEncoding
from pecli.figures.colour_maps import colour_map
from pecli.figures.figure import Numbers, View, extremes_of_offsets
from pecli.figures.ground import seen_colours
from pecli.figures.line_names import MOST, end_of, put_names
from pecli.figures.lines import Look, look, plot_run
from pecli.measures.min_max import envelope, even_edges, log_edges, middles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEYOND = 1e12  # an offset farther than any that is shown


@dataclass(frozen=True, kw_only=True)
class BiasLinesNumbers(Numbers[BiasEncoding]):
    """bias, low : (lines, n), the largest and smallest bias at each of n runs of offsets, NaN where no key is seen;
    offsets : (n,), their middles; encoding, head : (lines,), whose line it is."""

    main_array: ClassVar[str] = "bias"
    row_coordinates: ClassVar[tuple[str, ...]] = ("encoding", "head")
    column_coordinates: ClassVar[str | None] = "offsets"

    bias: Array
    low: Array
    offsets: Array
    encoding: Array
    head: Array
    block: int
    alike_from: int | None  # the distance from which on it no longer counts

    def remarks(self) -> list[str]:
        return [extremes_of_offsets(self.block)]

    def marks(self) -> list[str]:
        many = len(self.head) > MOST
        return [phrase("dark to light: heads in order, the first and the last named")] if many else []

    def message(self) -> str:
        if self.alike_from is not None:
            return phrase("from {count} positions on, the distance no longer counts", count=bound_text(self.alike_from))
        sides = np.sign(self.offsets[1:] + self.offsets[:-1])
        steps = np.diff(self.bias, axis=1) * sides
        falls = (steps < 0).any(axis=1).all() and not (steps > 0).any()
        return phrase("the farther the key, the lower its bias, in every head") if falls else ""


def bias_lines(view: View[BiasEncoding], log: bool) -> BiasLinesNumbers:
    """The bias of every head at the offsets −(L − 1) … L − 1; from 0 on where no query sees a later key, or from 1."""
    first = 0 if log else first_offset(view)
    counts = [encoding.n_heads for encoding in view.encodings]
    cut = log_edges if log else even_edges
    edges = cut(view.positions.length - first, view.pixel_columns)

    def values(at: int, count: int) -> Array:
        offsets = first + np.arange(at, at + count, dtype=np.float64)
        rows = np.concatenate([encoding.bias(offsets) for encoding in view.encodings])
        return np.where(np.isfinite(rows), rows, np.nan)

    low, high, _ = envelope(values, edges, sum(counts))
    offsets = first + middles(edges)
    return BiasLinesNumbers(
        view=view,
        bias=high,
        low=low,
        offsets=offsets,
        encoding=np.repeat(np.arange(len(counts)), counts),
        head=np.concatenate([np.arange(count) for count in counts]),
        block=int(np.diff(edges).max()),
        alike_from=_alike_from(view, offsets, np.concatenate([low, high])),
    )


def _alike_from(view: View[BiasEncoding], offsets: Array, extremes: Array) -> int | None:
    """The distance from which on all keys of a side are alike, however far away; None where none so far is shown.

    extremes : (2 lines, n), the smallest and then the largest biases at each of n runs of offsets
    """
    last = np.tile(_biases(view, np.where(offsets < 0, -BEYOND, BEYOND)), (2, 1))
    distances, other = np.abs(offsets), ((extremes != last) & np.isfinite(last)).any(axis=0)
    farther = distances[distances > distances[other].max(initial=-1.0)]
    if not len(farther):
        return None
    run = farther.min()  # it is alike, and somewhere in the one before keys become so
    before = distances[distances < run].max(initial=0.0)
    within = range(max(0, floor(2 * before - run)), ceil(run) + 1)
    return within[bisect_left(within, True, key=lambda distance: _is_alike(view, distance))]


def _is_alike(view: View[BiasEncoding], distance: int) -> bool:
    """Whether keys so far away are like those that are farther than any."""
    sides = np.array([-1.0, 1.0])
    here, last = _biases(view, sides * distance), _biases(view, sides * BEYOND)
    return bool((here == last)[np.isfinite(last)].all())


def _biases(view: View[BiasEncoding], offsets: Array) -> Array:
    """The bias of every line, (lines, n), at those offsets."""
    return np.concatenate([encoding.bias(offsets) for encoding in view.encodings])


def first_offset(view: View[BiasEncoding]) -> int:
    """The lowest offset at which a head of some encoding sees a key."""
    before = 1 - view.positions.length
    seen = [np.isfinite(encoding.bias(np.array([-1.0]))).any() for encoding in view.encodings]
    return before if any(seen) and before < 0 else 0


def check_biases(view: View[BiasEncoding]) -> None:
    """Refuses biases beside what stands for them where they are learned (UsageError)."""
    unknown = [encoding for encoding in view.encodings if not encoding.known]
    if unknown and len(unknown) < len(view.encodings):
        one = unknown[0]
        text = f"a bias and a {one.quantity} are not on one scale: give {one.name} its learned table, {one.name}:file=…"
        raise UsageError(text)


def names_of_lines(view: View[BiasEncoding]) -> list[str]:
    """What each line is: its head, with its encoding where there are several. Of many only the first and the last head
    of an encoding have a name."""
    several, many = len(view.encodings) > 1, lines_of(view) > MOST
    return [
        "" if many and 0 < head < encoding.n_heads - 1 else listing([encoding.name * several, encoding.head_text(head)])
        for encoding in view.encodings
        for head in range(encoding.n_heads)
    ]


def short_names_of_lines(view: View[BiasEncoding]) -> list[str]:
    """The same without what makes heads differ; of several encodings nothing is shorter."""
    names = names_of_lines(view)
    if len(view.encodings) > 1:
        return names
    return [BiasEncoding.head_text(view.encoding, head) if name else "" for head, name in enumerate(names)]


def lines_of(view: View[BiasEncoding]) -> int:
    """How many lines there are: one a head."""
    return sum(encoding.n_heads for encoding in view.encodings)


def looks_of_lines(view: View[BiasEncoding], axes: Axes) -> list[Look]:
    """The look of each line of a panel: of many, colours run from dark to light in their order and dashes tell
    encodings."""
    if lines_of(view) <= MOST:
        return [look(line) for line in range(lines_of(view))]
    shades = seen_colours(colour_map("sequential", None), axes)
    return [
        {"color": shades(head / max(1, encoding.n_heads - 1)), "linestyle": look(at)["linestyle"]}
        for at, encoding in enumerate(view.encodings)
        for head in range(encoding.n_heads)
    ]


def draw_bias_lines(numbers: BiasLinesNumbers, axes: Axes) -> None:
    """One line a head, named where it ends."""
    looks = looks_of_lines(numbers.view, axes)
    for line, (owner, low, high) in enumerate(zip(numbers.encoding, numbers.low, numbers.bias, strict=True)):
        style = "default" if numbers.view.encodings[owner].known else "steps-mid"
        plot_run(axes, numbers.offsets, low, high, looks[line], style)
    put_names(axes, [end_of(numbers.offsets, row) for row in numbers.bias])
