"""The context up to which each base of RoPE works, and models by base and context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import join_title, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.options import option
from pecli.encodings.rope import Rope
from pecli.figures.base import Figure, Numbers, View
from pecli.figures.drift import put_ticks
from pecli.figures.spectrum import scaled_name
from pecli.files.sheet import aside, over
from pecli.measures.bases import reach_of_base, reaches, released_models
from pecli.measures.waves import first_negative_offset
from pecli.page.axis_labels import along_lines, powers_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import SHADE
from pecli.page.lines import plot_dots
from pecli.page.panels import Panel, PanelGroup

BASES = 200  # number of bases tried
LOWEST, HIGHEST = 3e3, 1e8  # range of the bases, unless a base shown is close to its ends or beyond
BESIDE = 3.0  # smallest ratio of an end of the base axis and a base shown
FIRST, SHORT = 1024, 4096  # the context axis begins at FIRST, or at 1 if it ends at SHORT or before
APART = 4  # ratio of neighbouring ticks
LAST = 1.1  # smallest ratio of the last context on the axis and the longest context shown
SEARCHED = 1 << 22  # largest number of offsets examined
HOLDS, FAILS = "C0", "C1"


@dataclass(frozen=True)
class Entry:
    """A model or a RoPE encoding: its base, its context in positions (None if not stated), and `holds_to`.

    holds_to : first offset at which the sum of cosines is negative; None if there is none
    """

    name: str
    base: float
    context: int | None
    holds_to: int | None

    @property
    def holds(self) -> bool:
        """Whether no sum of cosines within the context is negative."""
        return self.holds_to is None or (self.context is not None and self.holds_to >= self.context)


@dataclass(frozen=True, kw_only=True)
class BasesNumbers(Numbers[Rope]):
    """The first offset at which the sum Σ_j cos ω_j m is negative, for each base; NaN if none below `searched` is."""

    reach: Array = over("base")
    base: Array = over("base")
    searched: int
    entries: tuple[Entry, ...] = aside()
    models: dict[str, dict[str, float | None]] = field(default_factory=dict)

    @property
    def stated(self) -> list[Entry]:
        """The entries with a stated context."""
        return [entry for entry in self.entries if entry.context is not None]

    def remarks(self) -> list[str]:
        scaled = any(encoding.scaling != "default" for encoding in self.view.encodings)
        return [say("bases.tried", count=len(self.base)), say("bases.unscaled") if scaled else ""]

    def message(self) -> str:
        stated, count = self.stated, sum(entry.holds for entry in self.stated)
        if len(self.entries) == 1 and not stated:
            (entry,) = self.entries
            known: dict[str, Any] = {"base": entry.base, "holds": entry.holds_to, "searched": self.searched}
            return say("bases.base_beyond" if entry.holds_to is None else "bases.base_holds_to", **known)
        if len(stated) == 1:
            (entry,) = stated
            known = {"name": entry.name, "holds": entry.holds_to, "context": entry.context}
            if entry.name in released_models() or any(encoding.label for encoding in self.view.encodings):
                return say("bases.one_holds" if entry.holds else "bases.one_fails", **known)
            return say("bases.base_holds" if entry.holds else "bases.base_fails", **known)
        if not stated:
            return ""
        if count in (0, len(stated)):
            return say("bases.all_hold" if count else "bases.none_holds", all=len(stated))
        return say("bases.some_hold", count=count, all=len(stated))


@dataclass(frozen=True)
class Bases(Figure[Rope]):
    """The context up to which each base keeps Σ_j cos ω_j m ≥ 0, and models by base and context.

    Notes
    -----
    At an offset with a negative sum, a key similar to the query scores lower on average than a dissimilar key: Men et
    al. 2024, Base of RoPE Bounds Context Length, arXiv:2405.14591. Offsets are whole numbers; therefore the edge is
    ragged, and a slightly larger base may have its first negative sum earlier. A RoPE encoding without a context is a
    dot at its first negative sum.
    """

    name: ClassVar[str] = "bases"
    config_layers: ClassVar[str] = "named"
    requires: ClassVar[Any] = Rope
    several: ClassVar[bool] = True
    default_encoding: ClassVar[str] = "rope"
    defines: ClassVar[str] = (
        "the first offset m at which the sum over pairs of cos ω_j m is negative, with ω_j = base^(−2j/d); a base "
        "suffices for L positions if no offset below L has a negative sum; no number means that none was found"
    )
    example: ClassVar[str] = "pecli bases"
    examples: ClassVar[tuple[str, ...]] = ("pecli bases rope:base=500000,max_position=8192",)
    default_options: ClassVar[Mapping[str, Any]] = {"length": 300_000}

    models: tuple[str, ...] | None = option(
        None,
        "released models to show",
        choices=lambda: tuple(released_models()),
        unset="those with the encoding's d, or none if several encodings or other parameters are given",
    )

    def check_view(self, view: View[Rope]) -> None:
        super().check_view(view)
        rows, widths = view.positions, {encoding.width for encoding in view.encodings}
        if rows.start or rows.stop < 3:
            text = f"bases needs contexts from 1 on, not {rows.start:,} to {rows.stop - 1:,}"
            raise UsageError(text, option="start" if rows.start else "length")
        if any(encoding.sides or encoding.own_positions for encoding in view.encodings):
            text = "bases needs positions on a line, not in a grid or in images"
            raise UsageError(text, option="encoding", advice="leave the grid or the sequence out")
        if len(widths) > 1:
            given = " and ".join(map(str, sorted(widths)))
            text = f"bases needs RoPE encodings with the same number of rotary columns, not {given}"
            raise UsageError(text, option="encoding")
        longest = self._longest_context(view)
        if rows.stop < longest and rows.length != self.default_options["length"]:
            text = f"{option_text('length', rows.length)} is below the longest context shown, {longest:,}"
            raise UsageError(text, option="length", value=rows.length, advice="leave it out, or choose --models")
        others = [name for name in self.models or () if released_models()[name].d != view.encoding.width]
        if others:
            text = f"{others[0]} has {released_models()[others[0]].d} rotary columns, not {view.encoding.width}"
            raise UsageError(text, option="models", value=others[0])

    def shape(self, view: View[Rope]) -> tuple[int, ...]:
        return (BASES, view.encoding.width)

    def compute(self, view: View[Rope]) -> BasesNumbers:
        most, bases = self._searched(view), self._bases(view)
        entries, reach = self._entries(view), reaches(bases, view.encoding.width, most)
        return BasesNumbers(
            view=view,
            reach=np.where(reach < most, reach, np.nan),
            base=bases,
            searched=most,
            entries=entries,
            models={e.name: {"base": e.base, "context": e.context, "holds_to": e.holds_to} for e in entries},
        )

    def _named(self, view: View[Rope]) -> list[tuple[str, float, int | None, Rope | None]]:
        """Return (name, base, context, encoding) of each dot; the encoding of a released model is None."""
        alone = len(view.encodings) == 1 and not view.encoding.changed().keys() - {"d"}
        told = () if alone else view.encodings
        found: list[tuple[str, float, int | None, Rope | None]] = [
            (name_of(encoding), encoding.base, context_of(encoding), encoding) for encoding in told
        ]
        models = released_models()
        chosen = self.models if self.models is not None else () if told else tuple(models)
        own = [(name, models[name]) for name in chosen if models[name].d == view.encoding.width]
        return [*((name, model.base, model.context, None) for name, model in own), *found]

    def _entries(self, view: View[Rope]) -> tuple[Entry, ...]:
        """Return the entries of all dots."""
        most, entries = self._searched(view), []
        for name, base, context, rope in self._named(view):
            if rope is None:
                reach = reach_of_base(base, view.encoding.width, most)
                holds = None if reach == most else reach
            else:
                holds = first_negative_offset(rope, most - 1)
            entries.append(Entry(name, base, context, holds))
        return tuple(entries)

    def _searched(self, view: View[Rope]) -> int:
        """Return the number of offsets examined."""
        return min(self._last(view), SEARCHED)

    def _last(self, view: View[Rope]) -> int:
        """Return the end of the context axis: the number of positions, or a little beyond the longest context."""
        longest = self._longest_context(view)
        return view.positions.stop if view.positions.stop >= longest else round(LAST * longest)

    def _longest_context(self, view: View[Rope]) -> int:
        return max((context or 0 for _, _, context, _ in self._named(view)), default=0)

    def _bases(self, view: View[Rope]) -> Array:
        """Return the bases on the axis, shape (BASES,)."""
        shown = [base for _, base, _, _ in self._named(view)]
        low, high = min([LOWEST, *(b / BESIDE for b in shown)]), max([HIGHEST, *(b * BESIDE for b in shown)])
        return np.geomspace(low, high, BASES)

    def panel_groups(self, view: View[Rope], canvas: Canvas) -> list[PanelGroup]:
        most, bases = self._last(view), self._bases(view)
        contexts = [context for _, _, context, _ in self._named(view) if context]
        first = 1 if most <= SHORT or min(contexts, default=SHORT) < FIRST else FIRST
        ticks = [first]
        apart = APART if most <= FIRST * APART**5 else APART**2
        while ticks[-1] * apart <= most:
            ticks.append(ticks[-1] * apart)
        x = values_axis(say("bases.context"), log=10)
        x = replace(along_lines(x, first, most), ends=(first, most), ticks=partial(put_ticks, ticks))
        y = powers_axis(say("bases.base"), ends=(float(bases[0]), float(bases[-1])))
        return [PanelGroup((Panel(0.9 if canvas.narrow else 0.55, x=x, y=y, grid=True),))]

    def draw(self, numbers: BasesNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.colors import note_ink
        from pecli.page.labels import label_level, label_point

        panel, bases = axes[0], numbers.base
        step = np.sqrt(bases[1] / bases[0])
        heights = np.repeat(np.append(bases / step, bases[-1] * step), 2)[1:-1]
        edge = np.repeat(numbers.reach, 2)
        shade: dict[str, Any] = {"facecolor": (FAILS, SHADE), "linewidth": 0, "zorder": 0}
        panel.fill_betweenx(heights, edge, panel.get_xlim()[1], where=np.isfinite(edge), **shade)
        thin: dict[str, Any] = {"color": FAILS, "alpha": 0.4, "linewidth": 0.8 * canvas.scale, "zorder": 2}
        panel.plot(edge, heights, **thin)
        low, high = panel.get_ylim()
        label_level(panel, say("bases.has_stayed"), high, note_ink(), canvas, below=True)
        label_level(panel, say("bases.has_been_below"), low, FAILS, canvas, right=True)
        for shown in together(numbers.entries):
            entry, colour = shown[0], HOLDS if shown[0].holds or shown[0].context is None else FAILS
            end = entry.context or entry.holds_to or numbers.searched
            if colour == FAILS and entry.holds_to is not None:
                line: dict[str, Any] = {"color": FAILS, "linewidth": 1.4 * canvas.scale, "zorder": 3}
                panel.plot([entry.holds_to, end], [entry.base] * 2, **line)
                panel.plot([entry.holds_to], [entry.base], "|", markersize=7 * canvas.scale, color=FAILS, zorder=3)
            plot_dots(panel, [end], [entry.base], colour, canvas, size=6.0)
            sides = (
                ((-1, 0), (-1, 1), (0, 1), (-1, -1))
                if colour == HOLDS
                else ((1, -1), (1, 0), (0, -1), (-1, -1), (-1, 1))
            )
            label_point(panel, text_of(shown, canvas.narrow), (float(end), entry.base), colour, canvas, sides)
        return [None]

    def title(self, view: View[Rope]) -> str:
        return join_title([say(Rope.term), f"d = {view.encoding.width}", say("bases.holds_if")])


def context_of(encoding: Rope) -> int | None:
    """Return the number of positions that a query sees: the context, or a shorter window."""
    return min(filter(None, (encoding.contexts()[1], encoding.window)), default=None)


def name_of(encoding: Rope) -> str:
    """Return the encoding's label, or its scaling and base."""
    if encoding.label:
        return encoding.label
    scaling = scaled_name(encoding) if encoding.scaling != "default" else ""
    return listing(filter(None, [scaling, say("bases.base_of", base=encoding.base)]))


def together(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the entries in groups that share a dot: the same base, context and first offset with a negative sum."""
    found: dict[tuple[float, int | None, int | None], list[Entry]] = {}
    for entry in entries:
        found.setdefault((entry.base, entry.context, entry.holds_to), []).append(entry)
    return list(found.values())


def text_of(entries: Sequence[Entry], narrow: bool) -> str:
    """Return the names at one dot, and the first offset at which the sum turns negative.

    The offset is left out if there is none, or if it lies beyond a stated context.

    narrow : whether to return only the names, one per line
    """
    names, entry = (",\n" if narrow else ", ").join(entry.name for entry in entries), entries[0]
    if narrow or entry.holds_to is None or (entry.holds and entry.context is not None):
        return names
    return f"{names}\n{say('bases.holds_to' if len(entries) == 1 else 'bases.hold_to', holds=entry.holds_to)}"
