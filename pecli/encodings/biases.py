"""Attention biases by distance: ALiBi, T5's buckets, KERPLE."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log
from typing import Any, ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import Join, listing, say
from pecli.core.lazy import Array, np
from pecli.core.numbers import MAX_EXACT, ROUNDING
from pecli.core.options import option
from pecli.encodings.base import BiasEncoding, check_tensor, tensor_option
from pecli.files.tables import file_label, read_table

HEAD_ALIASES = ("num_heads", "n_heads", "num_attention_heads")


def direction_option(default: str) -> Any:
    """Return the option `direction`; all biases have it, each with its own default."""
    help = "which keys a query sees: only those up to itself (causal), or those on both sides"
    return option(default, help, choices=lambda: ("causal", "both"))


@dataclass(frozen=True)
class DirectedBias(BiasEncoding):
    """Base of biases with a direction; a causal one hides the keys after the query. Subclasses define `of_offsets`."""

    direction: str = direction_option("causal")

    @property
    def causal(self) -> bool:
        """Whether the keys after the query are hidden."""
        return self.direction == "causal"

    @abstractmethod
    def of_offsets(self, offsets: Array) -> Array:
        """Return the bias without masking, (n_heads, n) or a shape that broadcasts to it, for offsets (n,)."""

    def bias(self, offsets: Array) -> Array:
        offsets = np.asarray(offsets, dtype=np.float64)
        values = np.broadcast_to(self.of_offsets(offsets), (self.n_heads, len(offsets)))
        return np.where(self.causal & (offsets < 0), -np.inf, values)


@dataclass(frozen=True)
class Alibi(DirectedBias):
    """Linear bias −slope · |p − q| on the score of query p and key q; each head has its own slope.

    If the number of heads n is a power of two, the slopes are 2^(−8i/n) for i = 1 … n; a model such as MPT may replace
    the 8 by its `bias_max`. For any other n, let c be the largest power of two below n: the first c heads have the
    slopes of c heads, the others every second slope of 2c heads. OLMo's code takes 2^(−bias_max·i/n) for every n
    (``family=geometric``). BTLM and JAIS divide all slopes by a `divisor`.

    Notes
    -----
    Press et al. 2022, Train Short, Test Long, section 3, arXiv:2108.12409. Nothing is learned.
    """

    name: ClassVar[str] = "alibi"
    term: ClassVar[str] = "ALiBi"
    summary: ClassVar[str] = "linear biases: each head lowers a score in proportion to the distance of the key"
    formula: ClassVar[str] = "b(p, q) = −s_h · |p − q|, s_h = 2^(−8h/heads)"
    source: ClassVar[str] = "Press et al. 2022, section 3, arXiv:2108.12409"
    example: ClassVar[str] = "pecli bias -e alibi:heads=8"
    models: ClassVar[str] = "BLOOM, MPT, Baichuan-13B"

    heads: int = option(8, "number of attention heads", at_least=1, at_most=1024, shown=True, aliases=HEAD_ALIASES)
    bias_max: float = option(
        8.0, "sets the slope of the last head, 2^(−bias_max)", above=0, at_most=1000, aliases=("alibi_bias_max",)
    )
    family: str = option(
        "paper",
        "how slopes are chosen if heads is not a power of two; paper: the slopes for the next smaller power of two n, "
        "then every second slope for 2n heads; geometric: one geometric series",
        choices=lambda: ("paper", "geometric"),
    )
    divisor: float = option(1.0, "number that the slopes are divided by", above=0, at_most=MAX_EXACT, in_spec=True)

    @property
    def n_heads(self) -> int:
        return self.heads

    def slopes(self) -> Array:
        """Return the slope of each head, shape (n_heads,)."""
        if self.family == "geometric":
            return 2.0 ** (-self.bias_max * np.arange(1, self.heads + 1) / self.heads) / self.divisor
        power = 2 ** (self.heads.bit_length() - 1)
        doubled = 2.0 ** (-self.bias_max / 2 * np.arange(1, 2 * power + 1) / power)  # slopes of twice as many heads
        return np.concatenate([doubled[1::2], doubled[::2]])[: self.heads] / self.divisor

    def slope_text(self, head: int) -> str:
        """Return the slope of a head, as a fraction if it is a simple one."""
        slope = float(self.slopes()[head])
        return f"1/{1 / slope:.0f}" if slope < 1 and (1 / slope).is_integer() else f"{slope:.3g}"

    def head_text(self, head: int) -> str:
        return say("biases.head_slope", head=head, slope=self.slope_text(head))

    def of_offsets(self, offsets: Array) -> Array:
        return 0.0 - self.slopes()[:, None] * np.abs(offsets)  # 0.0 − 0 is 0, not −0


@dataclass(frozen=True)
class T5(DirectedBias):
    """Learned bias per bucket of offsets: each near offset has its own bucket, farther ones share logarithmic buckets.

    The biases are learned: a file gives them, one row per bucket and one column per head. Without a file, pictures show
    the index of the bucket, which is the same for all heads.

    Notes
    -----
    Raffel et al. 2020, T5, section 2.1, arXiv:1910.10683. The encoder has ``direction=both``, half of the buckets for
    each direction; the decoder has ``causal``, all buckets for keys up to the query. In each direction, half of the
    buckets hold one distance each. The other buckets grow with the distance, up to max_distance; the last of them
    begins at `last_from` and also holds all larger distances.
    """

    name: ClassVar[str] = "t5"
    term: ClassVar[str] = "T5"
    summary: ClassVar[str] = (
        "learned biases, one per bucket: a bucket for each near offset, logarithmic buckets for far ones"
    )
    formula: ClassVar[str] = "b(p, q) = W[bucket(q − p), head]"
    source: ClassVar[str] = "Raffel et al. 2020, section 2.1, arXiv:1910.10683"
    example: ClassVar[str] = "pecli bias -e t5 --length 128"
    models: ClassVar[str] = "T5, Flan-T5, mT5"
    trained: ClassVar[bool] = True

    buckets: int = option(32, "number of buckets", at_least=4, at_most=4096, aliases=("num_buckets",))
    max_distance: int = option(
        128,
        "the distance at which the growing buckets end; the last bucket also has all larger distances",
        at_least=2,
        at_most=10**9,
    )
    direction: str = direction_option("both")
    file: str | None = option(
        None, "file of the learned table, buckets × heads", unset="the numbers of the buckets", file=True
    )
    tensor: str | None = tensor_option()

    def check(self) -> None:
        check_tensor(self.file, self.tensor)
        if self.max_distance <= self.exact:
            distance = option_text("max_distance", self.max_distance)
            text = f"{distance} must be beyond the {self.exact} distances that have a bucket each"
            raise UsageError(text, option="max_distance", value=self.max_distance, allowed=f"more than {self.exact}")

    @property
    def buckets_each(self) -> int:
        """Number of buckets for each direction."""
        return self.buckets if self.causal else self.buckets // 2

    @property
    def exact(self) -> int:
        """Number of distances with a bucket of their own: 0 … exact − 1."""
        return self.buckets_each // 2

    @property
    def last_from(self) -> int:
        """First distance of the last bucket: 91 for T5's encoder, 113 for its decoder."""
        far = self.buckets_each - self.exact
        about = ceil(self.exact * (self.max_distance / self.exact) ** ((far - 1) / far))
        near = np.arange(max(about - 1, 1), about + 2)
        return int(near[self.bucket(near) == self.buckets_each - 1][0])

    @property
    def n_heads(self) -> int:
        return 1 if self._learned is None else int(self._learned.shape[1])

    def head_text(self, head: int) -> str:
        return say("biases.every_head") if self.file is None else super().head_text(head)

    @property
    def known(self) -> bool:
        return self.file is not None

    @property
    def quantity(self) -> str:
        return super().quantity if self.known else "biases.bucket"

    @cached_property
    def _learned(self) -> Array | None:
        """The table in the file, (buckets, heads); None without a file."""
        if self.file is None:
            return None
        table = read_table(self.file, self.tensor)
        if len(table) != self.buckets:
            text = f"{self.file} has {len(table)} rows, but t5 has {self.buckets} buckets"
            raise UsageError(text, option="file", value=self.file, allowed="one row for each bucket")
        return table

    def bucket(self, offsets: Array) -> Array:
        """Return the bucket of every offset (n,), query minus key: 0 to buckets − 1, shape (n,)."""
        ahead = 0 if self.causal else np.where(offsets < 0, self.buckets_each, 0)
        distance = np.maximum(offsets, 0) if self.causal else np.abs(offsets)
        growth = np.log(np.maximum(distance, 1) / self.exact) / log(self.max_distance / self.exact)
        steps = np.floor(growth * (self.buckets_each - self.exact) + ROUNDING)
        far = np.minimum(self.exact + steps, self.buckets_each - 1)
        return (ahead + np.where(distance < self.exact, distance, far)).astype(np.int64)

    def of_offsets(self, offsets: Array) -> Array:
        bucket = self.bucket(offsets)
        return bucket[None, :] if self._learned is None else self._learned[bucket].T

    def described(self, join: Join = listing) -> str:
        known = [] if self.file is None else [file_label(self.file), *filter(None, [self.tensor])]
        usual = self.max_distance == self.options()["max_distance"].default
        text = "biases.count_buckets" if usual else "biases.buckets_the_last_from"
        buckets = say(text, count=self.buckets, distance=self.last_from)
        direction = self.title_pieces([name for name in self.options() if name != "direction"])[1:]
        return join([self.called(), buckets, *direction, *known])


@dataclass(frozen=True)
class Kerple(DirectedBias):
    """Kernel bias −r1 · ln(1 + r2 · |p − q|), or −r1 · |p − q|^r2, on the score; r1 and r2 are learned for each head.

    A power with r2 = 1 is `Alibi` with the slope r1. The numbers of a trained model are given as lists, one per head.

    Notes
    -----
    Chi et al. 2022, KERPLE, section 4, equations 6 and 7, arXiv:2205.09821: r1, r2 > 0, and r2 ≤ 2 for a power.
    """

    name: ClassVar[str] = "kerple"
    term: ClassVar[str] = "KERPLE"
    summary: ClassVar[str] = "kernel biases: a score falls with the logarithm, or with a power, of the distance"
    formula: ClassVar[str] = "biases.b_p_q_minus"
    source: ClassVar[str] = "Chi et al. 2022, section 4, arXiv:2205.09821"
    example: ClassVar[str] = "pecli bias -e kerple:r1=1,r2=2,1,0.5"
    models: ClassVar[str] = "GPT-NeoX (as trained for the paper)"
    trained: ClassVar[bool] = True

    kernel: str = option("log", "function by which the bias falls with the distance", choices=lambda: ("log", "power"))
    r1: tuple[float, ...] = option(
        (1.0,), "factor of the bias, one number for all heads or one per head", above=0, at_most=MAX_EXACT
    )
    r2: tuple[float, ...] = option(
        (2.0, 1.0, 0.5, 0.25),
        "factor (log) or exponent (power) of the distance, one number for all heads or one per head",
        above=0,
        at_most=MAX_EXACT,
    )

    def check(self) -> None:
        if len({len(self.r1), len(self.r2)} - {1}) > 1:
            text = f"--r1 has {len(self.r1)} numbers, but --r2 has {len(self.r2)}"
            raise UsageError(text, option="r1", value=self.r1, advice="give one number for all heads, or one per head")
        if self.kernel == "power" and max(self.r2) > 2:
            text = f"{option_text('r2', max(self.r2))} is not allowed with {option_text('kernel', self.kernel)}"
            raise UsageError(text, option="r2", value=self.r2, allowed="numbers ≤ 2")

    @property
    def n_heads(self) -> int:
        return max(len(self.r1), len(self.r2))

    def head_text(self, head: int) -> str:
        own = [f"r{sign} = {each[head]:g}" for sign, each in (("₁", self.r1), ("₂", self.r2)) if len(each) > 1]
        return listing([super().head_text(head), *own])

    def title_pieces(self, without: Collection[str] = ()) -> list[str]:
        shared = {
            f"r{n}": f"r{sign} = {own[0]:g}" for n, sign, own in ((1, "₁", self.r1), (2, "₂", self.r2)) if len(own) == 1
        }
        return [*super().title_pieces((*without, *shared)), *(() if self.label else shared.values())]

    def of_offsets(self, offsets: Array) -> Array:
        r1, r2, distance = np.array(self.r1)[:, None], np.array(self.r2)[:, None], np.abs(offsets)
        return 0.0 - r1 * (np.log1p(r2 * distance) if self.kernel == "log" else distance**r2)  # 0.0 − 0 is 0, not −0
