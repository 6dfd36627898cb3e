"""The attention bias of each head as a matrix over queries and keys, all on one colour scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose, log, prod
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.language import join_title, say
from pecli.core.lazy import Array, Axes, np
from pecli.core.numbers import ROUNDING, number_text
from pecli.encodings.base import BiasEncoding
from pecli.encodings.biases import T5, Alibi
from pecli.figures.base import ColouredNumbers, Figure, View, averaging_note
from pecli.figures.bias_figure import FAINT, BiasFigure
from pecli.figures.highlights import draw_trained_border, trained_border_note
from pecli.figures.matrix import MAX_CELLS, hatch, show_matrix
from pecli.files.sheet import aside, over
from pecli.measures.reduce import means_of_finite
from pecli.measures.summary import summary_of_offsets
from pecli.page.axis_labels import positions_axis
from pecli.page.canvas import Canvas
from pecli.page.colors import NAMED_INK, headline_ink, text_color_on
from pecli.page.panels import ColorBar, Panel, PanelGroup, in_columns

SLIGHT = log(100)  # a bias lower by this leaves 1/100 of the weight; a head does not "see" keys with less


@dataclass(frozen=True, kw_only=True)
class BiasNumbers(ColouredNumbers[BiasEncoding]):
    """The biases of heads; rows are queries, columns are keys.

    seen : the largest distance back at which each head's weight is at least 1/100 of its largest weight
    ahead : the same for keys after the query
    """

    bias: Array = over("head", "query", "key", across="head")  # NaN for masked keys
    by_colour: Array = aside("head", "query", "key")  # values to colour; bucket numbers are those of |distance|
    heads: Array = over("head")
    positions: Array = over(each=("query", "key"))  # the mean position of each row and column
    block: int = aside()  # positions per row
    apart: int  # number of nearest distances with a value of their own, 0 if no distances share one
    seen: tuple[int, ...]
    ahead: tuple[int, ...] = aside()
    reach: tuple[int, ...]  # for each head, the largest distance back whose bias is on the colour scale
    farthest: tuple[float, ...] = aside()  # the bias of the first key for the last query
    smallest: float
    largest: float
    trained: int | None

    def coloured(self) -> list[Array]:
        return [*self.sample] or [self.by_colour]

    @property
    def all_back(self) -> int:
        """The distance from the last position to the first."""
        return self.view.positions.length - 1

    @property
    def by_bucket(self) -> bool:
        """Whether the headline and lines show shared buckets instead of how far back heads see."""
        return not self.view.encoding.known or min(self.seen) == self.all_back

    def message(self) -> str:
        """Return the headline: how far back heads see, or the distance from which on several share a bucket."""
        if self.by_bucket:
            what = say(self.view.encoding.quantity)
            return say("bias.beyond_distance_share", last=self.apart - 1, what=what) if self.apart else ""
        whole = [int(head) for head, seen in zip(self.heads, self.seen, strict=True) if seen == self.all_back]
        if (ratio := self._reach_ratio()) and (not whole or whole[0] > self.heads[1]):  # two heads do not see all
            twice = "bias.each_head_sees_twice" if isclose(ratio, 2) else "bias.each_head_sees_times"
            end = say("bias.until_head_sees_all", head=whole[0]) if whole else ""
            return say(twice, ratio=number_text(ratio, 3)) + end
        heads, few, many = self.heads.tolist(), int(np.argmin(self.seen)), int(np.argmax(self.seen))
        if self.seen[few] == self.seen[many]:
            return say("bias.beyond_distance_slight", last=self.seen[few])
        ends = {"few": self.seen[few], "first": heads[few], "many": self.seen[many], "last": heads[many]}
        if self.seen[many] == self.all_back:
            return say("bias.head_sees_to_all", **ends, count=self.view.positions.length)
        return say("bias.head_sees_to", **ends)

    def _reach_ratio(self) -> float:
        """Return the constant factor by which each head sees farther than the head before; 0 if there is none."""
        if not isinstance(self.view.encoding, Alibi) or len(self.heads) < 2 or (np.diff(self.heads) != 1).any():
            return 0.0
        slopes = self.view.encoding.slopes()[self.heads]
        ratios = slopes[:-1] / slopes[1:]
        return float(ratios[0]) if ratios[0] > 1 and np.allclose(ratios, ratios[0]) else 0.0

    def remarks(self) -> list[str]:
        shown, heads = len(self.heads), self.view.encoding.n_heads
        count = say("bias.of_heads", count=shown, all=heads) if shown < heads else ""
        return [count, averaging_note(self.block)]

    def marks(self) -> list[str]:
        encoding, sides = self.view.encoding, ""
        if isinstance(encoding, T5) and not encoding.known and not encoding.causal:
            sides = say("bias.bucket_of_a_key_after", more=encoding.buckets_each)
        line = "" if self.by_bucket else say("bias.line_weighs_less")
        hidden = say("bias.hatched_causal_mask") if np.isnan(self.bias).any() else ""
        corners = self.view.positions.length > MAX_CELLS and any(map(self.sees_all, range(len(self.heads))))
        farthest = say("bias.number_farthest") if corners else ""
        return [line, farthest, hidden, sides, trained_border_note(self.trained)]

    def sees_all(self, at: int) -> bool:
        """Return whether the shown head with index `at` sees the farthest key; always False with `by_bucket`."""
        return not self.by_bucket and self.seen[at] == self.all_back

    def reach_text(self, at: int) -> str:
        """Return a title's note on how far back the shown head `at` sees; "" with `by_bucket` or a single head."""
        if self.by_bucket or self.view.encoding.n_heads == 1:
            return ""
        back, ahead = self.seen[at], self.ahead[at]
        if self.sees_all(at):
            return say("bias.all")
        return say("bias.either_side" if ahead == back else "bias.back", count=back)


@dataclass(frozen=True)
class Bias(BiasFigure):
    """The bias of chosen heads; rows are queries, columns are keys.

    Notes
    -----
    The bias depends on the offset alone, so every panel is constant along its diagonals. What matters is how fast it
    falls: a score lowered by 5 keeps less than 1/100 of its weight.
    """

    @classmethod
    def variants(cls) -> tuple[type[Figure[Any]], ...]:
        from pecli.figures.bias_weights import BiasWeights

        return (Bias, BiasWeights)

    def variant(self, view: View[BiasEncoding]) -> Figure[Any]:
        return self.as_kind(self.variants()[self.softmax])

    def panel_groups(self, view: View[BiasEncoding], canvas: Canvas) -> list[PanelGroup]:
        encoding, first, last = view.encoding, view.positions.start - 0.5, view.positions.stop - 0.5
        named = self._bar_names(view)
        label = say("bias.distance" if named else encoding.quantity)
        bar = ColorBar(label, tuple([*named][:3]) or None, names=tuple(named.items()))
        side = 4.5 if canvas.narrow else 6.0  # ems: width of the numbers at the ends of an axis
        x = positions_axis(encoding, "words.key_q", ends=(first, last))
        y = positions_axis(encoding, "words.query_p", ends=(last, first))
        several = encoding.known and encoding.n_heads > 1
        panel = Panel(1.0, small=True, exact=True, least=(side, side), bar=bar, x=x, y=y, title_end_taken=several)
        titles = [self._title(encoding, int(head), canvas) for head in self.shown_heads(view)]
        grids = in_columns(len(titles))
        full = tuple(grid for grid in grids if len(grid[-1]) == len(grid[0]))
        panels = tuple(replace(panel, title=title) for title in titles)
        return [PanelGroup(panels, full if len(full) > 2 else grids)]  # full rows only, except for a prime number

    def _title(self, encoding: BiasEncoding, head: int, canvas: Canvas) -> str:
        """Return the name of a head, followed by a blank line on a narrow page."""
        if encoding.n_heads == 1:
            return ""
        return say("encoding.head_head", head=head) + "\n " * (canvas.narrow and encoding.known)

    def _bar_names(self, view: View[BiasEncoding]) -> dict[float, str]:
        """Return {bucket: distance as text} for the ticks of the colour bar.

        The ticks are the first bucket, the last bucket with a single distance, the last bucket, and the bucket of the
        largest distance shown.
        """
        encoding, most = view.encoding, view.positions.length - 1
        if not isinstance(encoding, T5) or encoding.known:
            return {}
        shown = float(encoding.bucket(np.array([float(most)]))[0])
        alone, last = encoding.exact - 1, encoding.buckets_each - 1
        fixed = {0.0: "0", float(alone): f"{alone:,}", float(last): f"{encoding.last_from:,}+"}
        return {**fixed, **({shown: f"{most:,}"} if shown not in fixed else {})}

    def decorate(self, view: View[BiasEncoding], axes: list[Axes], canvas: Canvas) -> None:
        for panel, head in zip(axes, self.shown_heads(view).tolist(), strict=True):
            _label_head(view.encoding, head, panel, canvas)

    def title(self, view: View[BiasEncoding]) -> str:
        encoding, slopes = view.encoding, ""
        if isinstance(encoding, Alibi) and encoding.n_heads > 1:
            order = sorted(self.shown_heads(view).tolist(), key=lambda head: -encoding.slopes()[head])
            slopes = say("bias.slopes", first=encoding.slope_text(order[0]), last=encoding.slope_text(order[-1]))
        return join_title([super().title(view), slopes])

    def fit(self, view: View[BiasEncoding], axes: list[Axes], canvas: Canvas) -> None:
        from pecli.page.bands import place_bands
        from pecli.page.titles import place_titles

        super().fit(view, axes, canvas)
        place_titles(axes, canvas)
        for panel in axes:
            place_bands(panel, canvas)

    def shape(self, view: View[BiasEncoding]) -> tuple[int, ...]:
        heads, count = len(self.computed_heads(view)), view.positions.blocks(view.pixel_side).count
        return max((heads, count, count), (view.encoding.n_heads, 2 * view.positions.length), key=prod)

    def compute(self, view: View[BiasEncoding]) -> BiasNumbers:
        blocks, heads = view.positions.blocks(view.pixel_side), self.computed_heads(view)
        by_offset = view.encoding.bias(np.arange(1 - blocks.length, blocks.length, dtype=np.float64))[heads]
        coloured = distances_of_buckets(view.encoding, by_offset)
        seen = coloured[np.isfinite(coloured)]
        low, high = float(seen.min()), float(seen.max())  # limits from all numbers, before averaging
        signed, reach = low < 0 < high, max(-low, high)
        low_end, high_end = (-reach, reach) if signed else (max(low, FAINT), high if high > low else low + 1)
        low_end = low_end if self.lowest is None else self.lowest
        if low_end >= high_end:
            allowed = f"less than the upper end of the colours, {number_text(high_end)}"
            raise UsageError(option="lowest", value=self.lowest, allowed=allowed)
        back, ahead = by_offset[:, blocks.length - 1 :], by_offset[:, blocks.length - 1 :: -1]
        heavy = by_offset.max(axis=1, keepdims=True) - SLIGHT - ROUNDING
        same = (np.diff(back, axis=1) == 0).all(axis=0)
        bias = np.stack([means_of_finite(run, blocks) for run in by_offset])
        shown = bias if coloured is by_offset else np.stack([means_of_finite(run, blocks) for run in coloured])
        return BiasNumbers(
            view=view,
            bias=bias,
            heads=heads,
            positions=blocks.centres(),
            block=blocks.size,
            by_colour=shown,
            seen=_last_seen(back >= heavy),
            ahead=_last_seen(ahead >= heavy),
            apart=int(same.argmax()) if same.any() else 0,
            reach=tuple(np.where(back >= low_end, np.arange(blocks.length), -1).max(axis=1).tolist()),
            farthest=tuple(back[:, -1].tolist()),
            smallest=low,
            largest=high,
            trained=self.trained,
            ends=(low_end, high_end),
            sample=tuple(summary_of_offsets(run).sample for run in coloured),
        )

    def draw(self, numbers: BiasNumbers, axes: list[Axes], canvas: Canvas) -> list[Any]:
        from pecli.page.titles import add_at_end_of_title

        encoding, signed = numbers.view.encoding, numbers.ends[0] < 0 < numbers.ends[1]
        first = numbers.view.positions.start - 0.5
        last = first + len(numbers.positions) * numbers.block
        kind = "diverging" if signed else "amount" if encoding.known else "distance"
        look: dict[str, Any] = {"extent": (first, last, last, first), "extremes": (numbers.smallest, numbers.largest)}
        look |= {
            "colours": canvas.colours(kind),
            "limits": numbers.ends,
            "centred": signed,
            "steps": not encoding.known,
        }
        images = [show_matrix(panel, values, **look) for panel, values in zip(axes, numbers.by_colour, strict=True)]
        self.write_numbers(axes, images, canvas, [*numbers.bias])
        for at, (panel, image) in enumerate(zip(axes, images, strict=True)):
            if np.isnan(numbers.bias[at]).any():
                hatch(panel)
            ink = headline_ink() if signed else NAMED_INK
            draw_reach(numbers, at, panel, canvas, ink)
            if text := numbers.reach_text(at):
                add_at_end_of_title(panel, text, canvas, color=NAMED_INK, weight="medium")
            if (
                numbers.sees_all(at) and numbers.view.positions.length > MAX_CELLS and not image.numbers
            ):  # heads that see all have nearly the same colours, but not the same numbers
                name_corner(panel, image, numbers.farthest[at], canvas)
            if not encoding.known and not image.numbers:
                add_bands(numbers, panel, image, canvas)
        if self.trained is not None:
            start = numbers.view.positions.start + self.trained - 0.5  # the first position beyond the trained length
            ends = numbers.view.positions.start - 0.5, numbers.view.positions.stop - 0.5
            for panel in axes:
                draw_trained_border(panel, (ends[0], ends[1] - self.trained), (start, ends[1]), canvas)
        return images


def _last_seen(seen: Array) -> tuple[int, ...]:
    """Return, for each row (head) of a mask, the largest distance at which the mask is True, or 0."""
    return tuple(np.where(seen, np.arange(seen.shape[1]), 0).max(axis=1).tolist())


def distances_of_buckets(encoding: BiasEncoding, by_offset: Array) -> Array:
    """Return the number that the colour of each offset shows: `by_offset`, except for the buckets of a T5 encoding.

    With T5, a key after the query gets the bucket of the key at the same distance before the query.
    """
    if not isinstance(encoding, T5) or encoding.known or encoding.causal:
        return by_offset
    return by_offset % encoding.buckets_each


def _label_head(encoding: BiasEncoding, head: int, panel: Axes, canvas: Canvas) -> None:
    """Write the parameter of a head, such as its slope, after its name in the title."""
    from pecli.page.titles import add_behind_title

    if encoding.n_heads == 1:
        return
    own = encoding.head_text(head).removeprefix(say("encoding.head_head", head=head)).lstrip(",， ")
    if own:
        short = own if "=" in own else own.rpartition(" ")[2]  # "1/2" of "slope 1/2"
        add_behind_title(panel, [f" · {short}"], canvas)


def draw_reach(numbers: BiasNumbers, at: int, panel: Axes, canvas: Canvas, ink: str) -> None:
    """Draw diagonal lines at the largest distance that the shown head with index `at` sees.

    With `by_bucket`, draw them at the last distance that has a bucket of its own.
    """
    back, ahead, end = numbers.seen[at], numbers.ahead[at], numbers.all_back
    if numbers.by_bucket:
        back = numbers.apart - 1 if numbers.apart else end
        ahead = back
    hidden = np.isnan(numbers.bias[at]).any()
    low, high = numbers.view.positions.start - 0.5, numbers.view.positions.stop - 0.5
    look: dict[str, Any] = {"color": ink, "linewidth": canvas.scale, "zorder": 2, "solid_capstyle": "butt"}
    if back < end:
        panel.plot([low, high - back - 0.5], [low + back + 0.5, high], **look)
    if ahead < end and not hidden:
        panel.plot([low + ahead + 0.5, high], [low, high - ahead - 0.5], **look)


def name_corner(panel: Axes, image: Any, bias: float, canvas: Canvas) -> None:
    """Write the bias of the farthest key at the lower left, in the corner where that key is."""
    place, away = (panel.get_xlim()[0], panel.get_ylim()[0]), (2.5 * canvas.scale,) * 2
    style: dict[str, Any] = {"color": text_color_on(image, bias), "fontsize": canvas.small, "va": "bottom"}
    panel.annotate(number_text(bias, 2), place, away, textcoords="offset points", in_layout=False, **style)


def add_bands(numbers: BiasNumbers, panel: Axes, image: Any, canvas: Canvas) -> None:
    """Write names along the diagonal, one per band.

    A band is a run of distances that share a bucket. All distances with a bucket of their own form one band.
    """
    from pecli.page.bands import add_band

    encoding: Any = numbers.view.encoding
    if not numbers.apart:
        return
    reach = numbers.apart - 1
    middle = text_color_on(image, reach / 2)
    add_band(panel, 0 if encoding.causal else -reach, reach, say("bias.a_bucket_each", last=reach), middle, canvas)
    offsets = np.arange(numbers.all_back + 1.0)
    buckets = encoding.bucket(offsets)
    for bucket in range(int(buckets[reach]) + 1, int(buckets[-1]) + 1):
        first, last = np.flatnonzero(buckets == bucket)[[0, -1]].tolist()
        ink = text_color_on(image, bucket)
        beyond = bucket == encoding.buckets_each - 1
        text = say("bias.distances_from" if beyond else "words.first_to_last", first=first, last=last)
        add_band(panel, first, last, text, ink, canvas)
        if not encoding.causal:
            add_band(panel, -last, -first, say("bias.bucket", bucket=bucket + encoding.buckets_each), ink, canvas)
