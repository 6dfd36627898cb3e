"""How far each layer of a model looks back: one bar per layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pecli.analysis import Numbers, View, refuse_unused
from pecli.core.errors import UsageError
from pecli.core.language import listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import BiasEncoding, Encoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.learned import Learned
from pecli.encodings.rope import Rope
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.figures.base import Figure
from pecli.figures.spectrum import scaled_name
from pecli.files.sheet import over
from pecli.models.facts import ALL
from pecli.models.reach import Bars
from pecli.page.axis_labels import powers_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import legible
from pecli.page.panels import Panel, PanelGroup, in_columns

FLOORS, TOP = (100, 10, 1), 1.3  # possible bottoms of the bars; ratio of the axis end and the longest reach
FULL, LOCAL, NOPE = "C0", "#B7D0E8", "C3"
WIDTH = 0.78  # width of a bar, layers
COUNT = 32  # layers, if none are given


@dataclass(frozen=True, kw_only=True)
class LayerNumbers(Numbers[Encoding]):
    """The number of positions that each layer sees, 0 if it is not stated."""

    reach: Array = over("bar")
    layer: Array = over("bar")
    encoding: Array = over("bar")
    layers: dict[str, dict[int, int]]  # by model, how many layers have each reach; 0: not stated

    @property
    def named(self) -> str:
        """The model in the headline: the first whose layers differ in how far they see, otherwise the first known."""
        mixed = (name for name, own in self.layers.items() if len(own) > 1)
        known = (name for name, own in self.layers.items() if any(own))
        return next(mixed, next(known, next(iter(self.layers))))

    def message(self) -> str:
        counts = self.layers[self.named]
        far, *nearer = sorted(filter(None, counts), reverse=True) or [0]
        known: dict[str, Any] = {"name": self.named, "count": counts[far], "all": sum(counts.values())}
        if unstated := counts.get(0):
            return say("layers.some_unstated", reach=far, **{**known, "count": known["all"] - unstated})
        if not nearer:
            return say("layers.all_alike", reach=far, **known)
        return say("layers.only_one" if counts[far] == 1 else "layers.only_some", reach=nearer[0], **known)


@dataclass(frozen=True)
class Layers(Figure[Encoding]):
    """How many positions each layer sees, as a bar on a logarithmic scale, with one panel per model.

    Notes
    -----
    Given files of models, such as config.json, the figure shows how far each layer sees: the window or chunk of
    attention, or else the context. A hollow bar is a layer whose file does not state its context. Each encoding is that
    of one kind of layer; those with the same label are one model.
    """

    name: ClassVar[str] = "layers"
    requires: ClassVar[Any] = Rope | Learned | Sinusoidal | BiasEncoding
    several: ClassVar[bool] = True
    config_layers: ClassVar[str] = "every"
    default_encoding: ClassVar[str] = "rope"
    default_options: ClassVar[Mapping[str, Any]] = {"length": 4096}
    defines: ClassVar[str] = "positions that each layer sees: its attention window or chunk, otherwise the context"
    example: ClassVar[str] = "pecli layers config.json"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli layers rope rope:base=1000000 --layers sliding_attention:0-4:1024,full_attention:5:131072",
    )

    layers: tuple[str, ...] | None = option(
        None,
        "the layers of each encoding, and the positions that they see: sliding_attention:0-4+6-10:1024,full:5:131072",
        unset=f"the layers in the file; without a file, {COUNT} layers that see --length positions",
    )

    def check(self) -> None:
        super().check()
        for text in self.layers or ():
            Bars.read(text)

    def default_length(self, rows: int | None) -> int:
        return super().default_length(None)

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        if not self.layers:
            return asked
        given = asked.changed({"length": self.default_length(None)})
        refuse_unused(given, "each layer states how many positions it sees")
        if longest := max(Bars.read(text).reach for text in self.layers):
            return Positions(length=longest)
        text = "--layers gives 0 positions for every kind of layer, which means that none is known"
        raise UsageError(text, option="layers", advice="give at least one number of positions")

    def check_view(self, view: View[Encoding]) -> None:
        if self.layers and len(self.layers) != len(view.encodings):
            text = f"--layers takes one entry for each encoding, {len(view.encodings)} here, not {len(self.layers)}"
            raise UsageError(text, option="layers")
        if view.positions.start:
            refuse_unused({"start": view.positions.start}, "--start does not change how far a layer sees")

    def shape(self, view: View[Encoding]) -> tuple[int, ...]:
        return (sum(len(own.layers) for own in self.bars(view)),)

    def bars(self, view: View[Encoding]) -> list[Bars]:
        """Return the layers of each encoding."""
        alike = Bars(ALL, tuple(range(COUNT)), view.positions.length).write()
        return [Bars.read(text) for text in self.layers or [alike] * len(view.encodings)]

    def models(self, view: View[Encoding]) -> dict[str, list[int]]:
        """Return the indices of the encodings of each model, by the model's name."""
        found: dict[str, list[int]] = {}
        for at, encoding in enumerate(view.encodings):
            found.setdefault(encoding.label or encoding.called(), []).append(at)
        return found

    def compute(self, view: View[Encoding]) -> LayerNumbers:
        bars = self.bars(view)
        rows = sorted(
            (model, layer, bars[at].reach, at)
            for model, own in enumerate(self.models(view).values())
            for at in own
            for layer in bars[at].layers
        )
        _, layer, reach, encoding = np.array(rows).T
        counts: dict[str, dict[int, int]] = {}
        for name, own in self.models(view).items():
            counts[name] = {}
            for at in own:
                counts[name][bars[at].reach] = counts[name].get(bars[at].reach, 0) + len(bars[at].layers)
        return LayerNumbers(view=view, reach=reach, layer=layer, encoding=encoding, layers=counts)

    def _floor(self, view: View[Encoding]) -> int:
        """Return the bottom of the bars: at most half of the fewest positions that a layer sees."""
        least = min((own.reach for own in self.bars(view) if own.reach), default=1)
        return next((floor for floor in FLOORS if 2 * floor <= least), 0) or FLOORS[-1]

    def panel_groups(self, view: View[Encoding], canvas: Canvas) -> list[PanelGroup]:
        bars = self.bars(view)
        last, most = max(layer for own in bars for layer in own.layers), max(own.reach for own in bars)
        x = values_axis(say("layers.layer"), whole=True, ends=(-0.7, last + 0.7))
        y = powers_axis(say("layers.positions"), 0.0, ends=(self._floor(view), most * TOP))
        panels = tuple(
            Panel(0.3 if canvas.narrow else 0.14, least=(9.0, 5.0), title=f"{name}\n ", x=x, y=y, grid=True)
            for name in self.models(view)
        )
        return [PanelGroup(panels, in_columns(len(panels), 1))]

    def fit(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import place_titles

        super().fit(view, axes, canvas)
        place_titles(axes, canvas)

    def draw(self, numbers: LayerNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.titles import add_below_title, name_panel

        view = numbers.view
        bars, floor = self.bars(view), self._floor(view)
        for panel, (name, chosen) in zip(axes, self.models(view).items(), strict=True):
            far = max(bars[at].reach for at in chosen)
            notes: dict[bool, list[tuple[list[str], str]]] = {False: [], True: []}
            for at in sorted(chosen, key=lambda at: -bars[at].reach):
                own = bars[at]
                colour = NOPE if has_no_rope(view.encodings[at]) else FULL if own.reach == far else LOCAL
                if own.reach:
                    panel.bar(own.layers, own.reach - floor, WIDTH, floor, color=colour, linewidth=0)
                else:
                    hollow: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "linewidth": 0.8 * canvas.scale}
                    panel.bar(own.layers, panel.get_ylim()[1], WIDTH, floor, linestyle=":", **hollow)
                notes[bool(notes[False])].append((_texts(own, view.encodings[at]), colour))
            for right, found in notes.items():
                if found:
                    ink = legible("C0" if found[0][1] == LOCAL else found[0][1], panel)
                    text, short = ("; ".join(texts[at] for texts, _ in found) for at in (0, 1))
                    add_below_title(panel, text, canvas, right=right, short=short, color=ink, weight="medium")
            if len(axes) > 1 and name == numbers.named:
                name_panel(panel)
        return [None] * len(axes)

    def title(self, view: View[Encoding]) -> str:
        return say("layers.one_bar")


def has_no_rope(encoding: Encoding) -> bool:
    """Return whether an encoding rotates no pair; such an encoding stands for layers without RoPE."""
    return isinstance(encoding, Harmonic) and not encoding.frequencies().any()


def _texts(bars: Bars, encoding: Encoding) -> list[str]:
    """Return a long and a short text of some layers, such as "8 full attention: base 1,000,000, 131,072 positions"."""
    known = []
    if has_no_rope(encoding):
        known.append(say("layers.no_rope"))
    elif isinstance(encoding, Rope):
        known.append(say("bases.base_of", base=encoding.base))
        known += [scaled_name(replace(encoding, label=None))] if encoding.scaling != "default" else []
    known.append(say("layers.sees", reach=bars.reach) if bars.reach else say("layers.unstated"))
    name = say("layers.of_all") if bars.kind == ALL else bars.kind.replace("_", " ")
    group: dict[str, str] = {"count": number_text(len(bars.layers)), "kind": name}
    return [say("layers.of_kind", facts=listing(known), **group), say("layers.of_kind_short", **group)]
