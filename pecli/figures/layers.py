"""How far each layer of a model looks back: one bar per layer, drawn by `pecli model --figure layers`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pecli.analysis import Numbers, View
from pecli.core.errors import UsageError
from pecli.core.language import listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import number_text
from pecli.encodings.base import Encoding
from pecli.encodings.rope import Rope
from pecli.figures.base import Figure
from pecli.figures.spectrum import scaled_name
from pecli.files.sheet import over
from pecli.models.reader import ALL, Layer, Model
from pecli.page.axis_labels import powers_axis, values_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import legible
from pecli.page.panels import Panel, PanelGroup, in_columns

FLOORS, TOP = (100, 10, 1), 1.3  # possible bottoms of the bars; ratio of the axis end and the longest reach
FULL, LOCAL, NOPE = "C0", "#B7D0E8", "C3"
WIDTH = 0.78  # width of a bar, layers


@dataclass(frozen=True)
class Bars:
    """The layers of one kind with the same reach: their indices, the reach in positions, and their text.

    nope : whether they have no position encoding
    """

    layers: tuple[int, ...]
    reach: int
    text: str
    nope: bool


@dataclass(frozen=True, kw_only=True)
class LayerNumbers(Numbers[Encoding]):
    """The number of positions that each layer sees."""

    reach: Array = over("bar")
    layer: Array = over("bar")
    model: Array = over("bar")
    headline: str = ""

    def message(self) -> str:
        return self.headline


@dataclass(frozen=True)
class Layers(Figure[Encoding]):
    """The reach of every layer as a bar, on a logarithmic scale, with one panel per model."""

    name: ClassVar[str] = "layers"
    example: ClassVar[str] = "pecli model config.json --figure layers -o layers.png"

    models: tuple[tuple[str, tuple[Bars, ...]], ...] = field(default=())

    def compute(self, view: View[Encoding]) -> LayerNumbers:
        rows = [
            (at, layer, own.reach) for at, (_, bars) in enumerate(self.models) for own in bars for layer in own.layers
        ]
        model, layer, reach = np.array(sorted(rows)).T
        return LayerNumbers(view=view, reach=reach, layer=layer, model=model, headline=self._headline())

    @property
    def _named(self) -> int:
        """The index of the model in the headline: the first whose layers differ in reach, or 0."""
        mixed = (at for at, (_, bars) in enumerate(self.models) if len({own.reach for own in bars}) > 1)
        return next(mixed, 0)

    def _headline(self) -> str:
        name, bars = self.models[self._named]
        far, every = max(own.reach for own in bars), sum(len(own.layers) for own in bars)
        near = max((own.reach for own in bars if own.reach < far), default=None)
        if near is None:
            return say("layers.all_alike", name=name, all=every, reach=far)
        count = sum(len(own.layers) for own in bars if own.reach == far)
        text = "layers.only_one" if count == 1 else "layers.only_some"
        return say(text, name=name, count=count, all=every, reach=near)

    @property
    def _floor(self) -> int:
        """The bottom of the bars: at most half of the shortest reach."""
        least = min(own.reach for _, bars in self.models for own in bars)
        return next((floor for floor in FLOORS if 2 * floor <= least), 0) or FLOORS[-1]

    def panel_groups(self, view: View[Encoding], canvas: Canvas) -> list[PanelGroup]:
        last = max(layer for _, bars in self.models for own in bars for layer in own.layers)
        most = max(own.reach for _, bars in self.models for own in bars)
        x = values_axis(say("layers.layer"), whole=True, ends=(-0.7, last + 0.7))
        y = powers_axis(say("layers.positions"), 0.0, ends=(self._floor, most * TOP))
        panels = tuple(
            Panel(0.3 if canvas.narrow else 0.14, least=(9.0, 5.0), title=f"{name}\n ", x=x, y=y, grid=True)
            for name, _ in self.models
        )
        return [PanelGroup(panels, in_columns(len(panels), 1))]

    def fit(self, view: View[Encoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import place_titles

        super().fit(view, axes, canvas)
        place_titles(axes, canvas)

    def draw(self, numbers: LayerNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.titles import add_below_title, name_panel

        for panel, (_, bars) in zip(axes, self.models, strict=True):
            far = max(own.reach for own in bars)
            notes: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
            for own in sorted(bars, key=lambda item: -item.reach):
                colour = NOPE if own.nope else FULL if own.reach == far else LOCAL
                panel.bar(own.layers, own.reach - self._floor, WIDTH, self._floor, color=colour, linewidth=0)
                notes[bool(notes[False])].append((own.text, colour))
            for right, found in notes.items():
                if found:
                    ink = legible("C0" if found[0][1] == LOCAL else found[0][1], panel)
                    short = "; ".join(text.partition(":")[0] for text, _ in found)
                    text = "; ".join(text for text, _ in found)
                    add_below_title(panel, text, canvas, right=right, short=short, color=ink, weight="medium")
        if len(axes) > 1:
            name_panel(axes[self._named])
        return [None] * len(axes)

    def title(self, view: View[Encoding]) -> str:
        return say("layers.one_bar")


def layers_of(models: Sequence[Model], names: Sequence[str]) -> Layers:
    """Return the figure of models; raise UsageError if no model has known layers and reaches."""
    shown = [(name, bars) for name, model in zip(names, models, strict=True) if (bars := bars_of(model))]
    if not shown:
        raise UsageError("no file says how many layers there are and how far they see", option="figure")
    return Layers(models=tuple(shown))


def bars_of(model: Model) -> tuple[Bars, ...]:
    """Return the layers of a model with a known reach, grouped by kind and reach."""
    found = []
    for kind, layer in model.layers.items():
        window = layer.window
        within = window.indices if window else ()
        parts = ((within, window.length if window else None), (_others(layer.indices, within), _context(layer)))
        for indices, reach in parts:
            if indices and reach:
                known = min(reach, _context(layer) or reach)
                found.append(Bars(indices, known, _text(kind, layer, indices, known), layer.kind == "none"))
    return tuple(found)


def _others(indices: tuple[int, ...], left_out: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(at for at in indices if at not in {*left_out})


def _context(layer: Layer) -> int | None:
    """Return the context of the layers, extended by their scaling, or None."""
    encoding = layer.encoding
    return (encoding.contexts()[1] if isinstance(encoding, Rope) else None) or layer.max_position


def _text(kind: str, layer: Layer, indices: tuple[int, ...], reach: int) -> str:
    """Return the text of some layers, such as "8 full attention: base 1,000,000, linear × 8, 131,072 positions"."""
    encoding = layer.encoding
    known = []
    if isinstance(encoding, Rope):
        known.append(say("bases.base_of", base=encoding.base))
        known += [scaled_name(encoding)] if encoding.scaling != "default" else []
    elif layer.kind == "none":
        known.append(say("layers.no_rope"))
    known.append(say("layers.sees", reach=reach))
    name = say("layers.of_all") if kind == ALL else kind.replace("_", " ")
    return say("layers.of_kind", count=number_text(len(indices)), kind=name, facts=listing(known))


def draw_layers(models: Sequence[Model], names: Sequence[str], formats: Sequence[str], canvas: Canvas) -> list[bytes]:
    """Return the picture of models in each format."""
    from pecli.core.positions import Positions
    from pecli.figures.page import draw_page
    from pecli.files.formats import encode
    from pecli.files.metadata import FileMetadata
    from pecli.page.style import style_context

    figure, view = (
        layers_of(models, names),
        View[Encoding]((Rope(),), Positions()),
    )  # a page needs an encoding; it is not shown
    with style_context(canvas, "layers"):
        drawing, numbers = draw_page(figure, view, canvas, figure.title(view))
        about = FileMetadata("", "layers", numbers.message(), numbers.message())
        return [encode(form, drawing, about, "picture") for form in formats]
