"""The rotation angles that a model never met in training; pairs are columns, positions are rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pecli.core.errors import UsageError
from pecli.core.language import join_title, listing, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, percent_text
from pecli.core.options import EXACT, option
from pecli.encodings.base import title_of_several
from pecli.encodings.harmonic import Harmonic, turns_of
from pecli.encodings.rope_scaling import Scaled
from pecli.figures.base import Numbers, View
from pecli.figures.matrix import show_matrix
from pecli.figures.pairwise_rates import PairwiseRates
from pecli.figures.spectrum import panel_names
from pecli.files.sheet import aside, over
from pecli.measures.reduce import EnvelopeBuilder, bin_centres, even_bins, even_edges
from pecli.measures.unseen import NEW, SEEN, SLOWER, new_angles
from pecli.page.axis_labels import positions_axis, values_axis, with_ticks
from pecli.page.canvas import Canvas
from pecli.page.colors import MAPS, NAMED_INK, NOTE_INK, legible
from pecli.page.lines import add_legend
from pecli.page.panels import Panel, PanelGroup, in_columns

COLOURS = {SEEN: "#EDEFF2", SLOWER: "#B7D0E8", NEW: MAPS["signed"][5]}
NAMES = {NEW: "unseen.new", SLOWER: "unseen.slower", SEEN: "unseen.as_trained"}
QUIET = NOTE_INK  # colour of counts that are 0
PART = 4  # the default trained length is 1/4 of the length shown


@dataclass(frozen=True, kw_only=True)
class UnseenNumbers(Numbers[Harmonic]):
    """The state of each pair at each position: 0 as trained, 1 slower than trained, 2 new angle.

    A row for several positions has the largest of their states.
    """

    state: Array = over("encoding", "position", "pair", across="pair")
    positions: Array = over("position")  # centres of the bins
    block: int = aside()
    trained: int
    beyond: int  # number of angles beyond the trained length: pairs × positions
    new: tuple[int, ...] = aside()  # number of new angles among them, per encoding
    slowed: tuple[int, ...] = aside()  # number of slower pairs, per encoding

    def facts(self) -> dict[str, Any]:
        specs = [encoding.spec() for encoding in self.view.encodings]
        counts = {"new": self.new, "slowed": self.slowed}
        return super().facts() | {name: dict(zip(specs, own, strict=True)) for name, own in counts.items()}

    @classmethod
    def fact_types(cls) -> dict[str, Any]:
        return super().fact_types() | dict.fromkeys(("new", "slowed"), dict[str, int])

    def remarks(self) -> list[str]:
        positions = self.view.encoding.counted(self.block)
        covered = say("unseen.each_pixel_is_new", positions=positions) if self.block > 1 else ""
        return [covered, *self.other_lengths(names_of_panels(self.view))]

    def marks(self) -> list[str]:
        pairs = self.state.shape[2]
        positions = self.view.encoding.counted(self.beyond // pairs)
        counts = {"count": self.new[0], "pairs": pairs, "positions": positions}
        return [say("unseen.counts" if len(self.new) == 1 else "unseen.angles_are", trained=self.trained, **counts)]

    def share(self, at: int) -> str:
        """Return the share of new angles beyond the trained length for the encoding with index `at`, as text."""
        return percent_text(self.new[at] / max(1, self.beyond), digits=1)

    @property
    def worst_encoding(self) -> int:
        """The index of the encoding with the most new angles."""
        return int(np.argmax(self.new))

    @property
    def avoiding_encodings(self) -> list[int]:
        """The encodings without new angles that slow some pairs, the fewest pairs first.

        Empty if no encoding has new angles.
        """
        found = [at for at, new in enumerate(self.new) if not new and self.slowed[at]]
        return sorted(found, key=lambda at: self.slowed[at]) if self.new[self.worst_encoding] else []

    @property
    def headline_encodings(self) -> list[int]:
        """The encodings in the headline."""
        if len(self.new) == 1 or not self.new[self.worst_encoding]:
            return []
        return (
            [self.avoiding_encodings[0], *self.avoiding_encodings[1:][-1:]]
            if self.avoiding_encodings
            else [self.worst_encoding]
        )

    def message(self) -> str:
        at, trained, pairs = self.worst_encoding, self.trained, self.state.shape[2]
        several = len(self.new) > 1
        if not self.beyond:
            return say("unseen.all_within", trained=trained)
        if not self.new[at]:
            if several or not self.slowed[0]:
                return say("unseen.none_new", trained=trained)
            return say("unseen.none_new_slowed", trained=trained, count=self.slowed[0], all=pairs)
        if not several:
            return say("unseen.angles_new", share=self.share(at), trained=trained)
        names = names_of_panels(self.view)
        if self.avoiding_encodings:
            (name, count), *others = (
                (names[at], say("unseen.all_pairs") if self.slowed[at] == pairs else self.slowed[at])
                for at in self.headline_encodings
            )
            known = {"name": name, "count": count, "all": pairs}
            if not others:
                return say(
                    "unseen.avoids_all" if self.slowed[self.headline_encodings[0]] == pairs else "unseen.avoids",
                    **known,
                )
            return say("unseen.avoid", other=others[0][0], more=others[0][1], **known)
        text = "unseen.unscaled_new" if names[at] == say("spectrum.unscaled") else "unseen.with_new"
        return say(text, name=names[at], share=self.share(at), trained=trained)


@dataclass(frozen=True)
class Unseen(PairwiseRates):
    """The angles of pairs that training never reached, one panel per encoding.

    Notes
    -----
    In training, over L positions, pair j covered the arc [0, ω_j L), with its unscaled rate ω_j. A pair whose arc is
    the whole circle has met every angle. Peng et al. 2023, YaRN, section 3, arXiv:2309.00071.
    """

    name: ClassVar[str] = "unseen"
    defines: ClassVar[str] = (
        "an angle is new if ω′p mod 2π ≥ ωL and ωL < 2π, where ω is the rate in training, ω′ the rate now and L the "
        "training length; if it is not new, it is slower if ω′ < ω, otherwise as trained"
    )
    example: ClassVar[str] = "pecli unseen rope rope:scaling=linear,factor=4 --trained 4096"
    examples: ClassVar[tuple[str, ...]] = ("pecli unseen rope:scaling=yarn,factor=4,original=4096",)
    default_options: ClassVar[Mapping[str, Any]] = {"length": 16_384}

    trained: int | None = option(
        None,
        "number of positions that the model was trained on",
        at_least=1,
        at_most=EXACT,
        unset=f"the original context of a scaling or config, otherwise 1/{PART} of the positions shown",
    )

    def trained_length(self, view: View[Harmonic]) -> int:
        """Return the trained length, in positions.

        It is the option's value, else the context length of an encoding, else a quarter of the length shown.
        """
        known = (encoding.contexts()[0] for encoding in view.encodings if isinstance(encoding, Scaled))
        return self.trained or next(filter(None, known), 0) or max(1, view.positions.stop // PART)

    def check_view(self, view: View[Harmonic]) -> None:
        super().check_view(view)
        rows = view.positions
        if rows.start < 0 or (self.trained or 0) >= rows.stop:
            text = f"unseen needs positions from 0 to beyond the trained ones, not {rows.start:,} to {rows.stop - 1:,}"
            raise UsageError(text, option="length", advice="give more positions with --length")

    def shape(self, view: View[Harmonic]) -> tuple[int, ...]:
        rows, pairs = even_bins(view.positions.length, view.pixel_rows), len(view.encoding.frequencies())
        return (2, len(view.encodings), rows, pairs)

    def compute(self, view: View[Harmonic]) -> UnseenNumbers:
        rows, trained, pairs = view.positions, self.trained_length(view), len(view.encoding.frequencies())
        edges = even_edges(rows.length, view.pixel_rows)
        states, new, slowed = [], [], []
        for encoding in view.encodings:
            before = encoding.in_training() if isinstance(encoding, Scaled) else encoding
            plain, turns = (turns_of(tuple(own.rates()), own.spacing) for own in (before, encoding))
            slower = np.abs(turns[0]) < np.abs(plain[0]) * (1 - ROUNDING)
            count, runs = 0, EnvelopeBuilder(edges, pairs)
            for part in runs.parts():
                positions = rows.start + np.arange(part.start, part.stop, dtype=np.float64)
                found = new_angles(plain[0], trained, turns, positions)
                count += int(found[positions >= trained].sum())
                runs.add(part, np.where(found, NEW, np.where(slower, SLOWER, SEEN)).T.astype(np.float64))
            states.append(runs.high.T)
            new.append(count)
            slowed.append(int(slower.sum()))
        return UnseenNumbers(
            view=view,
            state=np.stack(states),
            positions=rows.start + bin_centres(edges),
            block=int(edges[1] - edges[0]),
            trained=trained,
            beyond=pairs * max(0, rows.stop - max(rows.start, trained)),
            new=tuple(new),
            slowed=tuple(slowed),
        )

    def panel_groups(self, view: View[Harmonic], canvas: Canvas) -> list[PanelGroup]:
        rows, trained, pairs = view.positions, self.trained_length(view), len(view.encoding.frequencies())
        whole = rows.start == 0 and rows.stop % trained == 0 and rows.stop <= 5 * trained
        steps = range(trained, rows.stop, trained) if whole else [trained] * (rows.start < trained < rows.stop)
        x = values_axis(say("words.pair_of_dimensions_j"), whole=True, ends=(-0.5, pairs - 0.5))
        y = positions_axis(view.encoding, ends=(rows.stop - 0.5, rows.start - 0.5))
        count = len(view.encodings)
        aspect = 0.55 if count == 1 else 1.1 if canvas.narrow else 0.8 if count < 3 else 1.5
        panel = Panel(aspect, x=x, y=with_ticks(y, [rows.start, *steps, rows.stop - 1]))
        titles = (f"{name}\n " if count > 1 else "" for name in names_of_panels(view))
        grids = in_columns(count, *([2, 1] if canvas.narrow or count > 4 else [count]))
        return [PanelGroup(tuple(replace(panel, title=title) for title in titles), grids, one_legend=True)]

    def decorate(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        look: dict[str, Any] = {"marker": "s", "linestyle": "none", "markersize": 0.9 * canvas.small}
        scaled = any(isinstance(encoding, Scaled) and encoding.scaling != "default" for encoding in view.encodings)
        states = [state for state in NAMES if scaled or state != SLOWER]
        add_legend(axes[0], [(say(NAMES[state]), {**look, "color": COLOURS[state]}) for state in states])

    def fit(self, view: View[Harmonic], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.titles import place_titles

        super().fit(view, axes, canvas)
        place_titles(axes, canvas)

    def draw(self, numbers: UnseenNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from matplotlib.colors import ListedColormap

        from pecli.page.labels import label_level
        from pecli.page.titles import add_below_title, name_panel

        first, pairs = numbers.view.positions.start - 0.5, numbers.state.shape[2]
        for at, (panel, state) in enumerate(zip(axes, numbers.state, strict=True)):
            extent = (-0.5, pairs - 0.5, first + len(state) * numbers.block, first)
            colours: Any = ListedColormap([COLOURS[own] for own in sorted(COLOURS)])
            show_matrix(panel, state, colours=colours, limits=(SEEN - 0.5, NEW + 0.5), extent=extent)
            ink = panel.xaxis.label.get_color()
            rows = numbers.view.positions
            within = rows.start < numbers.trained < rows.stop
            if within:
                panel.axhline(numbers.trained - 0.5, color=ink, linewidth=0.8 * canvas.scale)
            if within and at == 0:
                label_level(panel, say("unseen.trained"), numbers.trained - 0.5, ink, canvas)
            if len(axes) > 1:
                new, slowed, share = numbers.new[at], numbers.slowed[at], numbers.share(at)
                look: dict[str, Any] = {"color": legible(NAMED_INK if new else QUIET, panel), "weight": "medium"}
                short = say("unseen.share_new_short", value=share)
                add_below_title(panel, say("unseen.share_new", value=share), canvas, short=short, **look)
                look = {"color": legible("C0" if slowed else QUIET, panel), "weight": "medium"}
                short = say("unseen.slowed_short", value=slowed)
                add_below_title(panel, say("unseen.slowed", value=slowed), canvas, right=True, short=short, **look)
        for at in numbers.headline_encodings:
            name_panel(axes[at])
        return [None] * len(axes)

    def title(self, view: View[Harmonic]) -> str:
        plain = [replace(encoding, label=None) for encoding in view.encodings]
        lengths = say(
            "unseen.lengths", trained=self.trained_length(view), length=view.encoding.counted(view.positions.stop)
        )
        return join_title([title_of_several(plain), lengths])


def names_of_panels(view: View[Harmonic]) -> list[str]:
    """Return the name of each panel: the encoding's label, or a name such as "unscaled" or "YaRN × 4"."""
    found = []
    plain = [replace(encoding, label=None) for encoding in view.encodings]
    for encoding, (name, rest) in zip(view.encodings, panel_names(plain), strict=True):
        unscaled = isinstance(encoding, Scaled) and encoding.scaling == "default"
        own = listing(filter(None, [say("spectrum.unscaled") if unscaled else name, rest]))
        found.append(encoding.label or own)
    return found
