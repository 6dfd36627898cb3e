"""The relative positions that queries and keys get: unchanged, grouped, in chunks or within a window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import enumerated, join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import chunks, percent_text
from pecli.core.options import EXACT, option
from pecli.encodings.rope import Rope
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.matrix import show_matrix
from pecli.files.sheet import aside, over
from pecli.measures.effective import DualChunk, Method, Plain, SelfExtend, SlidingWindow
from pecli.page.axis_labels import positions_axis, with_ticks
from pecli.page.canvas import Canvas
from pecli.page.colors import MAPS, NAMED_INK, legible, note_ink
from pecli.page.panels import ColorBar, Panel, PanelGroup, in_columns
from pecli.page.text import points_per_pixel

METHODS = {
    "plain": "effective.plain",
    "self-extend": "effective.self_extend",
    "dual-chunk": "effective.dual_chunk",
    "sliding-window": "effective.sliding_window",
}  # text keys of the methods
METHODS_OF = {
    "window": ("self-extend", "sliding-window"),
    **dict.fromkeys(("chunk", "local", "stops"), ("dual-chunk",)),
    "group": ("self-extend",),
}  # the methods that each option changes
GROUP, LOCAL = 4, 3  # smallest group; default local window in eighths of the trained positions
NEVER = MAPS["signed"][5]  # colour of relative positions that training never had
SAMPLES = 4  # number of rows and of columns examined per pixel
LINES, EMS = 2.6, 3.8  # ems: height and width of the text in the corner
MAX_TOKENS = 10**8


@dataclass(frozen=True, kw_only=True)
class EffectiveNumbers(Numbers[Rope]):
    """The relative position of each query and key under each method, NaN where the key is not seen.

    largest : the largest relative position, per method
    beyond : the number of pairs of query and key whose relative position was never trained, per method
    """

    distance: Array = over("method", "query", "key")
    positions: Array = over(each=("query", "key"))
    methods: tuple[str, ...] = over("method")
    block: int = aside()
    trained: int
    largest: tuple[int, ...] = aside()
    beyond: tuple[int, ...] = aside()
    stops_late: bool = aside()  # query positions of dual chunk attention end at c (code), not c − 1 (paper)

    @classmethod
    def fact_types(cls) -> dict[str, Any]:
        return super().fact_types() | dict.fromkeys(("largest", "beyond"), dict[str, int])

    def facts(self) -> dict[str, Any]:
        counts = {"largest": self.largest, "beyond": self.beyond}
        return super().facts() | {name: dict(zip(self.methods, own, strict=True)) for name, own in counts.items()}

    def remarks(self) -> list[str]:
        return [say("effective.each_pixel", count=self.block) if self.block > 1 else ""]

    def marks(self) -> list[str]:
        seen = say("effective.colours" if any(self.beyond) else "effective.masked")
        if "dual-chunk" not in self.methods:
            return [seen]
        return [seen, say("effective.stops_code" if self.stops_late else "effective.stops_paper")]

    def message(self) -> str:
        names = [say(METHODS[name]) for name in self.methods]
        over, within = (
            [n for n, own in zip(names, self.beyond, strict=True) if bool(own) == is_over] for is_over in (True, False)
        )
        if not over:
            return say("effective.within", trained=self.trained)
        if not within and len(names) == 1:
            length = self.view.positions.length
            return say(
                "effective.one_beyond", share=percent_text(self.beyond[0] / (length * (length + 1) / 2), digits=1)
            )
        if not within:
            least = int(np.argmin(self.largest))
            largest, last = self.largest[least], self.trained - 1
            return say("effective.all_beyond", name=names[least], largest=largest, last=last)
        if over == [say(METHODS["plain"])]:
            return say("effective.only_plain", trained=self.trained)
        return say("effective.some_beyond", names=enumerated(over), others=enumerated(within), trained=self.trained)


@dataclass(frozen=True)
class Effective(Figure[Rope]):
    """The relative position that each query and key get; queries are rows, keys are columns, one panel per method.

    Notes
    -----
    Methods that need no training keep relative positions among those that the model was trained on. Self-Extend: Jin et
    al. 2024, arXiv:2401.01325. Dual chunk attention: An et al. 2024, arXiv:2402.17463. Sliding window: Beltagy et al.
    2020, arXiv:2004.05150. The chunks come from a config.json with `dual_chunk_attention_config`, such as that of
    Qwen2.5-1M (Yang et al. 2025, arXiv:2501.15383), the window from one with a sliding window.
    """

    name: ClassVar[str] = "effective"
    requires: ClassVar[Any] = Rope
    defines: ClassVar[str] = (
        "relative position of query p and key q ≤ p by each method; a pixel that covers several cells shows their "
        "mean, and is marked as never trained if any of the cells is"
    )
    example: ClassVar[str] = "pecli effective"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli effective --methods plain,self-extend --window 1024 --group 8 --trained 4096 -n 16384",
    )
    default_encoding: ClassVar[str] = "rope"
    default_options: ClassVar[Mapping[str, Any]] = {"length": 64}

    methods: tuple[str, ...] | None = option(
        None,
        "methods to show",
        choices=lambda: METHODS,
        unset="all, or plain and the method that a config names",
    )
    trained: int | None = option(
        None,
        "number of positions that the model was trained on",
        at_least=1,
        at_most=EXACT,
        unset="the original context of a scaling or config, otherwise half of the positions shown",
    )
    window: int | None = option(
        None,
        "neighbour window of Self-Extend, and size of the sliding window",
        at_least=1,
        at_most=EXACT,
        unset="that of a config, otherwise half of the trained positions",
    )
    group: int | None = option(
        None,
        "group size of Self-Extend",
        at_least=1,
        at_most=EXACT,
        unset=f"the first of {GROUP}, 8, 16, … that keeps all positions within the trained ones",
    )
    chunk: int | None = option(
        None,
        "chunk size of dual chunk attention, without the local window",
        at_least=1,
        at_most=EXACT,
        unset="that of a config, otherwise the trained positions minus the local window",
    )
    local: int | None = option(
        None,
        "local window of dual chunk attention",
        at_least=1,
        at_most=EXACT,
        unset="that of a config, otherwise 3/8 of the trained positions",
    )
    stops: str | None = option(
        None,
        "largest query position of dual chunk attention: c − 1 (paper) or c (code of ChunkLlama and vLLM), where "
        "c = chunk + local",
        choices=lambda: ("paper", "code"),
        unset="paper, but code if a config has the chunks",
    )

    def check_view(self, view: View[Rope]) -> None:
        super().check_view(view)
        if view.encoding.own_positions:
            text = f"{self.name} needs tokens on a line, not in a grid or in images"
            raise UsageError(text, option="encoding", advice="leave the grid or the sequence out")
        if view.positions.start or not 2 <= view.positions.length <= MAX_TOKENS:
            text = f"{self.name} needs 2 to {MAX_TOKENS:,} tokens from position 0 on"
            raise UsageError(text, option="start" if view.positions.start else "length")
        for name, methods in METHODS_OF.items():
            value = getattr(self, name)
            if value is not None and not {*methods} & {*self.shown(view)}:
                advice = f"give {option_text('methods', f'plain,{methods[0]}')}"
                raise UnusedOptionError(name, value, f"it is for {' and '.join(methods)}", advice)

    def trained_length(self, view: View[Rope]) -> int:
        """Return the number of positions that the model was trained on.

        It is the option's value, else the config's, else half of the positions shown.
        """
        known = view.encoding.dual_chunks or ()
        return self.trained or (known[2:] or (view.encoding.contexts()[0],))[0] or max(1, view.positions.length // 2)

    def late(self, view: View[Rope]) -> bool:
        """Return whether query positions of dual chunk attention end at c (the code), not at c − 1 (the paper).

        c : the length of a chunk plus the local window
        """
        known = view.encoding.dual_chunks and not (self.chunk or self.local)
        return (self.stops or ("code" if known else "paper")) == "code"

    def chunk_and_local(self, view: View[Rope]) -> tuple[int, int]:
        """Return the number of tokens in a chunk of dual chunk attention, and in its local window."""
        known, trained = view.encoding.dual_chunks, self.trained_length(view)
        if known and not (self.chunk or self.local):
            return known[0], known[1] - known[0]
        left = trained - self.chunk if self.chunk and self.chunk < trained else LOCAL * trained // 8
        local = self.local or max(1, left)
        return self.chunk or max(1, trained - local), local

    def group_of(self, view: View[Rope], window: int) -> int:
        """Return how many positions Self-Extend merges into one.

        The default is large enough to keep all relative positions among the trained ones.

        window : distance within which Self-Extend leaves positions unchanged
        """
        group, length, trained = self.group or GROUP, view.positions.length, self.trained_length(view)
        while not self.group and group < trained and SelfExtend(window, group).largest(length) >= trained:
            group *= 2
        return group

    def shown(self, view: View[Rope]) -> dict[str, tuple[Method, list[str]]]:
        """Return the methods to show, by name, each with a long and a short text of its parameters."""
        encoding, window = view.encoding, self.window or view.encoding.window or max(1, self.trained_length(view) // 2)
        group, (chunk, local) = self.group_of(view, window), self.chunk_and_local(view)
        groups, parts = {"window": window, "group": group}, {"chunk": chunk, "local": local}
        every: dict[str, tuple[Method, list[str]]] = {
            "plain": (Plain(), ["p − q"] * 2),
            "self-extend": (
                SelfExtend(window, group),
                [say("effective.groups", **groups), say("effective.groups_short", **groups)],
            ),
            "dual-chunk": (
                DualChunk(chunk, chunk + local - (not self.late(view))),
                [say("effective.chunks", **parts), say("effective.chunks_short", **parts)],
            ),
            "sliding-window": (SlidingWindow(window), [say("effective.positions", count=window), f"{window:,}"]),
        }
        told = ["dual-chunk"] * bool(encoding.dual_chunks) + ["sliding-window"] * bool(encoding.window)
        names = self.methods or (("plain", *told) if told else METHODS)
        return {name: every[name] for name in dict.fromkeys(names)}

    def shape(self, view: View[Rope]) -> tuple[int, ...]:
        count = view.positions.blocks(view.pixel_side).count
        return (len(self.shown(view)), count, count)

    def compute(self, view: View[Rope]) -> EffectiveNumbers:
        blocks, trained, shown = view.positions.blocks(view.pixel_side), self.trained_length(view), self.shown(view)
        methods, length = [method for method, _ in shown.values()], view.positions.length
        samples = np.unique(np.linspace(0, blocks.size - 1, min(SAMPLES, blocks.size)).round())
        places = np.minimum(blocks.firsts()[:, None] + samples, length - 1).astype(np.int64)
        queries = (np.arange(part.start, part.stop) for part in chunks(0, length, 1))
        beyond = sum(np.array([own.farther(p, trained).sum() for own in methods]) for p in queries)
        return EffectiveNumbers(
            view=view,
            distance=np.stack([np.stack([*_rows(own, places, trained)]) for own in methods]),
            positions=blocks.centres(),
            methods=tuple(shown),
            block=blocks.size,
            trained=trained,
            largest=tuple(own.largest(length) for own in methods),
            beyond=tuple(np.asarray(beyond).tolist()),
            stops_late=self.late(view),
        )

    def panel_groups(self, view: View[Rope], canvas: Canvas) -> list[PanelGroup]:
        last, trained, shown = view.positions.stop - 1, self.trained_length(view), self.shown(view)
        places = [0, *[trained] * (trained < last), last]
        x = with_ticks(positions_axis(view.encoding, "words.key_q", ends=(-0.5, last + 0.5)), places)
        y = with_ticks(positions_axis(view.encoding, "words.query_p", ends=(last + 0.5, -0.5)), places)
        bar = ColorBar(say("effective.relative_position"), fixed=True, scale=trained)
        panel = Panel(1.0, exact=True, bar=bar, x=x, y=y)
        titles = [say(METHODS[name]) + "\n " for name in shown]
        grids = in_columns(len(titles), *(2, 1) if canvas.narrow else (4, 2, 1)) if len(titles) > 3 else ()
        return [PanelGroup(tuple(replace(panel, title=title) for title in titles), grids)]

    def decorate(self, view: View[Rope], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import add_below_title

        for panel, (_, (text, short)) in zip(axes, self.shown(view).values(), strict=True):
            add_below_title(panel, text, canvas, short=short, color=note_ink())

    def fit(self, view: View[Rope], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import place_titles

        super().fit(view, axes, canvas)
        place_titles(axes, canvas)

    def draw(self, numbers: EffectiveNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        import matplotlib as mpl

        from pecli.page.titles import name_panel

        colours: Any = mpl.colormaps[canvas.colours("distance")].with_extremes(over=NEVER)
        end = numbers.distance.shape[1] * numbers.block - 0.5
        look: dict[str, Any] = {
            "colours": colours,
            "limits": (0.0, max(numbers.trained - 1.0, 0.5)),
            "extent": (-0.5, end, end, -0.5),
        }
        images = [show_matrix(panel, own, **look) for panel, own in zip(axes, numbers.distance, strict=True)]
        named = min(range(len(axes)), key=lambda at: not numbers.beyond[at])
        for at, panel in enumerate(axes):
            over = bool(numbers.beyond[at])
            ink = legible(NAMED_INK, panel) if over else panel.xaxis.label.get_color()
            text: dict[str, Any] = {"xycoords": "axes fraction", "fontsize": canvas.small, "weight": "medium"}
            largest = say("effective.largest", count=numbers.largest[at])
            panel.annotate(largest, (0.97, 0.95), color=ink, ha="right", va="top", **text)
            if over and len(axes) > 1:
                name_panel(panel)
            side = panel.bbox.width * points_per_pixel(panel) / canvas.small
            room = side * (1 - numbers.trained / numbers.view.positions.length)
            if at == named and over and numbers.methods[at] == "plain" and room > LINES + EMS:
                panel.annotate(say("effective.never"), (0.04, 0.04), color="black", va="bottom", **text)
        return images

    def title(self, view: View[Rope]) -> str:
        lengths = say("effective.lengths", trained=self.trained_length(view), length=view.positions.length)
        return join_title([view.encoding.label or view.encoding.called(), lengths])


def _rows(method: Method, places: Array, trained: int) -> Iterator[Array]:
    """Yield the rows of the matrix, one cell per block of queries and block of keys.

    A cell is the mean relative position of its pairs of query and key, or the largest one if that was never trained;
    NaN if no key is seen.

    places : positions in each block, shape (blocks, samples)
    """
    q = places.reshape(-1)
    for queries in places:
        p = queries[:, None]
        found = np.where(q <= p, method.distance(p, q), -1).reshape(len(queries), *places.shape)
        seen = found >= 0
        count = seen.sum(axis=(0, 2))
        mean = np.where(seen, found, 0).sum(axis=(0, 2)) / np.where(count, count, np.nan)
        most = found.max(axis=(0, 2))
        yield np.where(most >= trained, most.astype(np.float64), mean)
