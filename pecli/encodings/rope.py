"""Rotary position embedding: queries and keys are rotated by their positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import Any, ClassVar

from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.lazy import Array, np
from pecli.core.numbers import MAX_EXACT
from pecli.core.options import REQUIRED, option
from pecli.encodings.base import Rotary
from pecli.encodings.grid import GRID, HarmonicOnGrid, sides_of
from pecli.encodings.harmonic import PI, PowersOfBase, alternating, as_typed, geometric_rates
from pecli.encodings.rope_scaling import Scaled
from pecli.encodings.temperature import check_temperature, logn_option, score_factor_option, temperature_option
from pecli.files.tables import read_other, read_table

RANDOM = "random:"
MAX_WORDS = 10**6  # words in a sequence with images


@dataclass(frozen=True)
class OnAxes(HarmonicOnGrid, Scaled):
    """Base of rotary encodings that divide their pairs among the axes of a grid, or among frame, row and column.

    Notes
    -----
    The option `axes` divides the pairs among the axes of a grid:

    - ``blocks``: each axis has a block of pairs with the rates base^(−2j/(d/2)) (Qwen2-VL's vision tower, EVA-02,
      DINOv3)
    - ``alternating``: the rates are one series, base^(−2j/d); its pairs belong to the axes in turn (Pixtral)
    - ``repeated``: the rates of ``blocks``, but the pairs with the same rate, one per axis, are neighbours (MoonViT,
      LoFTR)
    - ``rising``: the order of ``repeated``, but the rates grow from π/2 to base·π/2, for coordinates from −1 to 1
      (LTX-Video)

    `axis_widths` gives the number of columns of each axis's block, from which the rates of the block follow. If
    `axis_bases` is given, the rates also follow from the base of the axis (Flux, Wan, HunyuanVideo).

    `sections` gives the number of pairs of each axis. The pairs of an axis are consecutive in one series (M-RoPE, Wang
    et al. 2024, Qwen2-VL, section 2.1, arXiv:2409.12191) or ``interleaved`` (Qwen3-VL). In a text all axes have the
    same coordinate, and sections change nothing.

    With `directions`, pairs turn along directions other than the axes:

    - ``golden``: the rates are one series, base^(−2j/d). The direction of pair j has the angle j·π(√5 − 1)/2 from the
      column axis towards the row axis (golden gate RoPE, Xiong 2025, jerryxio.ng/posts/nd-rope). That post spaces the
      rates from a lowest to a highest instead, and numbers the pairs of all heads consecutively.
    - ``mixed``: the directions of ``blocks``, both rotated by one random angle. RoPE-Mixed draws this angle for each
      head before training (Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, base
      10).
    - ``learned``: the directions and rates that RoPE-Mixed has after training, from a file
    """

    of_grids: ClassVar[tuple[str, ...]] = (*HarmonicOnGrid.of_grids, "axes", "axis_widths", "axis_bases", "directions")

    axes: str | None = option(
        None,
        "how the axes share the pairs: a block of pairs per axis, with the same rates in each block (blocks); the "
        "same rates, but with pairs of equal rate side by side (repeated); like repeated, but with growing rates "
        "(rising); or one series of rates whose pairs belong to the axes in turn (alternating)",
        choices=lambda: ("blocks", "alternating", "repeated", "rising"),
        names={"2": "blocks"},
        unset="blocks",
        in_spec=True,
    )
    axis_widths: tuple[int, ...] | None = option(
        None, "number of columns of each axis, if it differs", at_least=2, unset="equal", in_spec=True
    )
    axis_bases: tuple[float, ...] | None = option(
        None, "base of each axis, if it differs", above=0, at_most=MAX_EXACT, unset="base", in_spec=True
    )
    directions: str = option(
        "axial",
        "direction in which the angle of a pair grows: an axis of the grid (axial), one of many a golden angle apart "
        "(golden), one of two axes turned by a random angle (mixed), or that of a file (learned)",
        choices=lambda: ("axial", "golden", "mixed", "learned"),
        in_spec=True,
    )
    directions_seed: int = option(0, "seed of the random angle", at_least=0, only_with=("directions", "mixed"))
    directions_file: str | None = option(
        None,
        "file with the frequencies, (2, d/2) or (2, heads, d/2)",
        file=True,
        unset=REQUIRED,
        only_with=("directions", "learned"),
    )
    directions_head: int = option(0, "index of the head in the file", at_least=0, only_with=("directions", "learned"))
    sections: tuple[int, ...] | None = option(
        None,
        "M-RoPE: numbers of pairs that rotate by frame, row and column",
        at_least=0,
        aliases=("mrope_section",),
        unset="none",
    )
    interleaved: bool = option(
        False,
        "alternate the pairs of the sections instead of placing one section after the other",
        aliases=("mrope_interleaved",),
    )
    sequence: str | None = option(
        None,
        "words and images in order, with positions as in Qwen2-VL; for example, '4, 1x2x3, 4' stands for 4 words, an "
        "image of 1 frame × 2 rows × 3 columns, and 4 words",
        unset="none",
    )

    def check(self) -> None:
        super().check()
        count = len(self.places) if self.places is not None else 1
        if self.sequence is not None and self.grid is not None:
            raise UsageError("--sequence and --grid exclude each other", option="sequence", advice="give one of them")
        if self.axes and self.sections:
            raise UnusedOptionError("axes", self.axes, "--sections decides how the axes share the pairs")
        if self.interleaved and not self.sections:
            raise UsageError("--interleaved needs --sections", option="interleaved", advice="give --sections too")
        pairs = self.width // 2
        if self.sections and (len(self.sections) not in (count, 3 * count) or sum(self.sections) != pairs):
            text = (
                f"sections {self.options()['sections'].write(self.sections)} divide {sum(self.sections)} pairs among "
            )
            text += f"{len(self.sections)} axes, but {self.name} has {pairs} pairs (d = {self.width}) and {count} axes"
            raise UsageError(text, option="sections", value=self.sections)
        self._check_axes(count)
        self._check_directions()
        if not (self.sections or self.axis_widths or self.directions in ("golden", "learned")) and pairs % count:
            text = f"{pairs} pairs (d = {self.width}) cannot be divided equally among {count} axes"
            raise UsageError(text, option="d", value=self.width, advice="give --sections")
        if count > 1 and not self.sections and self.scaling != "default":
            text = f"{option_text('scaling', self.scaling)} needs positions on a line, or sections"
            raise UsageError(text, option="scaling", value=self.scaling)

    def _check_axes(self, count: int) -> None:
        """Raise UsageError if axis_widths or axis_bases do not fit the axes."""
        widths = self.axis_widths or ()
        for name in ("axis_widths", "axis_bases"):
            values = getattr(self, name)
            if values and (self.axes not in (None, "blocks") or self.sections):
                raise UnusedOptionError(name, values, "it needs axes=blocks and no sections")
            if values and len(values) != count:
                text = f"{name} needs {count} numbers, one for each axis, not {len(values)}"
                raise UsageError(text, option=name, value=values)
        if widths and (sum(widths) != self.width or any(width % 2 for width in widths)):
            text = f"axis_widths {','.join(map(str, widths))} add up to {sum(widths)}: they must be even numbers that "
            text += f"add up to {self.width}, the number of columns that rotate"
            raise UsageError(text, option="axis_widths", value=widths)

    def _check_directions(self) -> None:
        """Raise UsageError for directions without a grid of rows and columns, or with an option such as `axes`."""
        if self.directions == "axial":
            return
        if len(self.sides) != 2:
            text = f"{option_text('directions', self.directions)} needs a grid of rows and columns"
            raise UsageError(text, option="directions", value=self.directions, advice="give --grid, such as 14x14")
        for name in ("axes", "axis_widths", "axis_bases", "sections"):
            if value := getattr(self, name):
                raise UnusedOptionError(name, value, f"directions={self.directions} decides how the pairs are shared")
        if self.directions == "learned":
            if "base" in self.changed():
                raise UnusedOptionError("base", self.base, "the frequencies are those of directions_file")
            self._learned  # noqa: B018 - fails if the file does not fit

    @cached_property
    def _learned(self) -> Array:
        """The learned frequencies of each pair along columns and rows, (2, n_pairs)."""
        path, pairs = self.directions_file, self.width // 2
        if path is None:
            text, advice = "directions=learned needs a file of frequencies", "give directions_file=freqs.npy"
            raise UsageError(text, option="directions", value=self.directions, advice=advice)
        found, _ = read_other(path)
        found = read_table(path) if found is None else found
        if found.shape[0] != 2 or found.size % (2 * pairs):
            text = f"directions_file {path} has shape {found.shape}, not (2, {pairs}) or (2, heads, {pairs})"
            raise UsageError(text, option="directions_file", value=path)
        heads = found.size // (2 * pairs)
        if self.directions_head >= heads:
            text = f"directions_head={self.directions_head} does not exist: {path} has heads 0 to {heads - 1}"
            raise UsageError(text, option="directions_head", value=self.directions_head)
        return np.asarray(found.reshape(2, heads, pairs)[:, self.directions_head], dtype=np.float64)

    def titled(self) -> dict[str, Any]:
        found = super().titled()
        return {name: found[name] for name in found if name != "base" or self.directions != "learned"}

    @property
    def directions_of_pairs(self) -> Array | None:
        pairs = self.width // 2
        if self.directions == "axial" or self.places is None:
            return None
        if self.directions == "learned":
            angles = np.arctan2(*self._learned[::-1])
        elif self.directions == "golden":
            angles = np.arange(pairs) * (np.pi * (np.sqrt(5) - 1) / 2)
        else:
            turned = 2 * np.pi * np.random.default_rng(self.directions_seed).random()
            angles = turned + np.repeat([0, np.pi / 2], pairs // 2)
        return np.stack([np.sin(angles), np.cos(angles)])

    @cached_property
    def places(self) -> Array | None:
        return super().places if self.sequence is None else places_of_sequence(self.sequence)

    def sequence_parts(self) -> list[tuple[tuple[int, ...], int, int]]:
        """Return each part of the sequence, in order, with its first position and the position after its last.

        A part is (n,) for n words, or the sides of an image or video.
        """
        sides = parts_of_sequence(self.sequence) if self.sequence else []
        ends = accumulate(map(prod, sides), initial=0)
        return [(own, first, stop) for own, (first, stop) in zip(sides, pairwise(ends), strict=True)]

    @property
    def position_label(self) -> str:  # type: ignore[override]  # a class attribute elsewhere
        return "words.token_p" if self.sequence else super().position_label

    @property
    def other_label(self) -> str:  # type: ignore[override]
        return "words.token_q" if self.sequence else super().other_label

    @property
    def rows_counted(self) -> str:  # type: ignore[override]
        return "rope.count_tokens" if self.sequence else super().rows_counted

    def axes_of_pairs(self) -> Array:
        if self.sections is None:
            assert self.places is not None
            axes = np.arange(len(self.places))
            if self.axes in ("repeated", "rising"):
                return np.tile(axes, self.width // 2 // len(self.places))
            return np.repeat(axes, [width // 2 for width in self.widths])
        if not self.interleaved:
            return np.repeat(np.arange(len(self.sections)), self.sections)
        axes = np.zeros(sum(self.sections), dtype=np.int64)  # the remaining pairs turn by the first axis
        for axis, pairs in enumerate(self.sections[1:], 1):
            axes[axis : len(self.sections) * pairs : len(self.sections)] = axis
        return axes

    @property
    def widths(self) -> tuple[int, ...]:
        """Number of columns of each axis, if each has a block of its own."""
        count = 1 if self.places is None else len(self.places)
        return self.axis_widths or (self.width // count,) * count

    def rates(self) -> Iterable[Decimal | float]:
        if self.places is None or self.sections is not None or self.directions == "golden":
            return super().rates()
        if self.directions == "learned":
            return np.hypot(*self._learned).tolist()
        if self.axes == "rising":
            count = self.widths[0] // 2
            rising = geometric_rates(self.base, max(2 * count - 2, 1), count)[::-1]  # base^(j/(n − 1) − 1)
            return [PI / 2 * as_typed(self.base) * rate for rate in rising for _ in self.places]
        if self.axes == "repeated":
            return [rate for rate in geometric_rates(self.base, self.widths[0]) for _ in self.places]
        if self.axes != "alternating":
            bases = self.axis_bases or (self.base,) * len(self.widths)
            return [r for own, width in zip(bases, self.widths, strict=False) for r in geometric_rates(own, width)]
        rates = geometric_rates(self.base, self.width)
        return [rate for axis in range(len(self.places)) for rate in rates[axis :: len(self.places)]]

    def rate_formula(self, pair: int) -> str:
        return super().rate_formula(pair) if self.places is None or self.sections or self.directions == "golden" else ""


def places_of_sequence(text: str) -> Array:
    """Return frame, row and column of every position of a sequence of words and images, (3, n), as in Qwen2-VL.

    The three coordinates of a word are equal. The part after an image starts after the image's largest coordinate.
    """
    parts, start = [], 0
    for sides in parts_of_sequence(text):
        words = len(sides) == 1
        places = np.tile(np.arange(sides[0]), (3, 1)) if words else np.indices((1, *sides)[-3:]).reshape(3, -1)
        parts.append(start + places)
        start = int(parts[-1].max()) + 1
    return np.concatenate(parts, axis=1)


def parts_of_sequence(text: str) -> list[tuple[int, ...]]:
    """Return the parts of a sequence in order: the number of words, (6,), or the sides of an image or video, (2, 4, 6).

    Raises UsageError if a part is neither.
    """
    parts: list[tuple[int, ...]] = []
    for part in text.split(","):
        words = part.strip()
        count = int(words[:10]) if words.isdecimal() else 0
        if 0 < count <= MAX_WORDS:
            parts.append((count,))
        elif count > MAX_WORDS:
            raise UsageError(option="sequence", value=text, allowed=f"at most {MAX_WORDS:,} words")
        elif GRID.fullmatch(part):
            parts.append(tuple(sides_of("sequence", part)))
        else:
            allowed = "word counts and image sizes (rows x columns), such as 4, 2x3, 4"
            raise UsageError(option="sequence", value=text, allowed=allowed)
    return parts


@dataclass(frozen=True)
class RotatedPairs(PowersOfBase, Rotary):
    """Base of rotary encodings: pairs of columns, the vector that the table rotates, and the rotation itself."""

    pairing: str = option(
        "interleaved", "columns that make a pair: (2j, 2j+1) or (j, j + d/2)", choices=lambda: ("interleaved", "half")
    )
    query: str | None = option(
        None, "vector that is rotated: random:SEED or a file of d numbers", unset="(1, 0) in every pair", file=True
    )

    def check(self) -> None:
        super().check()
        if self.query is not None and self.query.startswith(RANDOM):
            seed = self.query.removeprefix(RANDOM)
            if not (seed.isdecimal() and len(seed) < 10):
                allowed = "random:SEED, where SEED is a whole number ≥ 0"
                raise UsageError(option="query", value=self.query, allowed=allowed)

    @property
    def turned(self) -> dict[str, str]:
        return {} if self.query is None else {"query": self.query}

    @cached_property
    def vector(self) -> Array:
        """The vector that the table rotates, shape (width,)."""
        if self.query is None:
            return self.join(np.ones(self.width // 2), np.zeros(self.width // 2))
        if self.query.startswith(RANDOM):
            return np.random.default_rng(int(self.query.removeprefix(RANDOM))).standard_normal(self.width)
        vector = read_table(self.query, dimensions=1).reshape(-1)
        if vector.size != self.width:
            text = f"{option_text('query', self.query)} has {vector.size} numbers, not d = {self.width}"
            raise UsageError(text, option="query", value=self.query)
        return vector

    @property
    def amplitudes(self) -> Array:
        return np.hypot(*self.split(self.vector)) * self.attention_scaling

    @property
    def phases(self) -> Array:
        first, second = self.split(self.vector)
        return np.arctan2(second, first)

    def arrange(self, sines: Array, cosines: Array) -> Array:
        return self.join(cosines, sines)

    def inputs(self) -> tuple[str, ...]:
        return tuple(path for path in super().inputs() if not path.startswith(RANDOM))

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return the first and the second column of every pair, (…, width/2) each, of x (…, width or more)."""
        half = self.width // 2
        if self.pairing == "interleaved":
            return x[..., 0 : 2 * half : 2], x[..., 1 : 2 * half : 2]
        return x[..., :half], x[..., half : 2 * half]

    def join(self, first: Array, second: Array) -> Array:
        """Return the vectors (…, width) with these first and second columns of the pairs; the inverse of `split`."""
        if self.pairing == "interleaved":
            return alternating(first, second)
        return np.concatenate([first, second], axis=-1)

    def reordered(self, x: Array, pairing: str) -> Array:
        """Return vectors with their columns reordered for another pairing, as in a conversion of weights.

        With ``half = replace(rope, pairing="half")``, ``half.rotate(rope.reordered(x, "half"), p)`` equals
        ``rope.reordered(rope.rotate(x, p), "half")``.

        x : shape (…, d), or (…, rotary_dim) with only the rotated columns; other columns keep their place
        pairing : ``"interleaved"`` or ``"half"``
        """
        self._check_width("reordered", x)
        turned = replace(self, pairing=pairing).join(*self.split(np.asarray(x)))
        return np.concatenate([turned, np.asarray(x)[..., self.width :]], axis=-1)

    def rotate(self, x: Array, positions: Array | float) -> Array:
        """Return f(x, p), float64: every vector rotated by its position. Columns from `rotary_dim` on are unchanged.

        x : shape (…, length, d), or (…, length, rotary_dim) with only the rotated columns
        positions : shape (length,), or (…, length); a number rotates every vector equally, and x may then be (d,)

        One vector and several positions give one rotated vector per position. The formula is the sparse form of
        RoFormer, equation 34: x ⊗ cos + (−x_1, x_0, …) ⊗ sin. A ``dtype`` below float64 rounds first the angles (see
        `Harmonic`), then the columns to rotate, cos and sin, each product and each sum.
        """
        self._check_width("rotate", x)
        at, rows = np.asarray(positions, dtype=np.float64), np.shape(x)[:-1]
        if any(own not in (1, count) for own, count in zip(rows[::-1], at.shape[::-1], strict=False)):
            given, asked = ("×".join(map(str, shape)) for shape in (rows[-at.ndim :], at.shape))
            raise UsageError(f"rotate takes one vector per position, not {given} vectors for {asked} positions")
        rounded, angles = self.rounded, self.made_angles(at)
        cos, sin = (rounded(self.attention_scaling * rounded(wave(angles))) for wave in (np.cos, np.sin))
        vectors = np.asarray(x, dtype=np.float64)
        first, second = (rounded(part) for part in self.split(vectors))
        ahead, across = rounded(first * cos) - rounded(second * sin), rounded(second * cos) + rounded(first * sin)
        turned = self.join(rounded(ahead), rounded(across))
        left = vectors[..., self.width :]
        return np.concatenate([turned, np.broadcast_to(left, (*turned.shape[:-1], left.shape[-1]))], axis=-1)

    def _check_width(self, name: str, x: Array) -> None:
        """Raise UsageError if vectors have neither d nor rotary_dim columns."""
        if np.shape(x)[-1:] not in ((self.d,), (self.width,)):
            given = np.shape(x)[-1] if np.ndim(x) else "none"
            raise UsageError(f"{name} takes vectors of d = {self.d} numbers, but {given} are given")

    def rotation_written_out(self, x: Array, position: int, column: int) -> list[str]:
        """Return the steps that compute one entry of f(x, p), for x (d,), as texts; see `written_out`."""
        if column >= self.width:
            return [f"x{column}", f"{x[column]:.10g}"]
        pairs = np.stack(self.split(np.arange(self.width)))
        place, j = (int(found[0]) for found in np.nonzero(pairs == column))
        first, second = (int(pair) for pair in pairs[:, j])
        this, other, sign = (first, second, "-") if place == 0 else (second, first, "+")
        angle = self.angles(np.array([position]))[0, j]
        place = self.coordinates(np.array([position], dtype=np.float64))[0]
        terms = [f"x{at} {wave}({place[j % len(place)]:.10g}ω{j})" for at, wave in ((this, "cos"), (other, "sin"))]
        numbers = [f"({x[at]:.10g})({turn(angle):.10g})" for at, turn in ((this, np.cos), (other, np.sin))]
        factor = self.attention_scaling
        before, after = ("", "") if factor == 1 else (f"{factor:.10g} · (", ")")
        return [f"{before}{f' {sign} '.join(both)}{after}" for both in (terms, numbers)]


@dataclass(frozen=True)
class Rope(RotatedPairs, OnAxes):
    """Pair j of a query or key is rotated by ω_j p, ω_j = base^(−2j/d) or as changed by a `scaling`.

    The table is the rotation of (1, 0) in every pair, or of a given query: ⟨R_p x, R_q y⟩ depends only on p − q.

    Notes
    -----
    Su et al. 2021, RoFormer, section 3.2 and equation 34, arXiv:2104.09864. ``interleaved`` pairs neighbours (the
    paper, GPT-J); ``half`` pairs column j with j + d/2 (Llama). The two are equal up to the order of the columns.
    """

    name: ClassVar[str] = "rope"
    term: ClassVar[str] = "RoPE"
    summary: ClassVar[str] = "rotary: every pair of a query or key is rotated by an angle that grows with the position"
    formula: ClassVar[str] = "rope.f_x_p_r"
    source: ClassVar[str] = "Su et al. 2021, RoFormer, section 3.2, arXiv:2104.09864"
    example: ClassVar[str] = "pecli curves -e rope --measure dot"
    aliases: ClassVar[tuple[str, ...]] = ("rotary",)
    models: ClassVar[str] = "LLaMA, GPT-NeoX, GPT-J, Qwen"

    temperature: tuple[float, ...] | None = temperature_option()
    logn: tuple[int, ...] | None = logn_option()
    score_factor: float = score_factor_option()

    def check(self) -> None:
        super().check()
        check_temperature(self)
