"""Axes along which tokens stand: every one is labelled, turned where there is no room side by side."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pecli.analysis import E
from pecli.core.errors import UnusedOptionError, UsageError, option_text, shorten
from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.figures.axis_labels import names_fit
from pecli.figures.base import Figure, View, positions_text
from pecli.figures.panels import Bar, Panel
from pecli.figures.style import CJK
from pecli.figures.text import ems, is_wide
from pecli.files.tables import read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Example(NamedTuple):
    """The same tokens in two orders."""

    tokens: str
    reordered: str


EXAMPLES = {  # a pair for every machine's fonts, then those with which the first and the fourth article argue
    "bites": Example("the dog bites the man", "the man bites the dog"),
    "school": Example("你 说 我 明天 不 去 上学", "你 说 我 明天 去 上学 不"),
    "like": Example("我 喜欢 你", "你 喜欢 我"),
}


def examples() -> tuple[str, ...]:
    """The names of the example sentences."""
    return tuple(EXAMPLES)


@dataclass(frozen=True)
class TokenFigure(Figure[E]):
    """Base of the figures that look at tokens: one position a token, so ``--length`` is theirs to say.

    Notes
    -----
    Each number of a random embedding is normal with mean 0 and variance 1/√d. So an embedding's product with itself
    is about √d, its attention score about 1, and softmax neither blurs nor saturates. Two rows of a sinusoidal encoding
    have products of up to d/2: 8 to the embeddings' 4 at the usual d of 16, while at d 128 (64 to 11) position
    outweighs content. A word's vector comes from the seed and the word alone.
    """

    length_help: ClassVar[str] = "as many as there are tokens; nothing else, so leave it out"

    sentences: str | None = option(
        None,
        "example, also as --example: bites (the dog bites the man / the man bites the dog), "
        "school (你说，我明天不去上学 / 你说，我明天去上学不) or like (我喜欢你 / 你喜欢我)",
        choices=examples,
        flags=("--example",),
        unset="bites",
    )
    tokens: str | None = option(
        None,
        "your own tokens, separated by spaces; Chinese without spaces is cut by character",
        unset="those of the example",
    )
    embeddings: str | None = option(
        None,
        "file of embeddings (.npy .npz .csv .safetensors), a row for each different token in order of appearance",
        unset="random",
    )
    content_seed: int = option(0, "seed of random embeddings", at_least=0)
    content_scale: float = option(1.0, "what embeddings are multiplied by", at_least=0, at_most=1e6)

    def check(self) -> None:
        super().check()
        if self.embeddings is not None and self.content_seed:
            raise UnusedOptionError("content_seed", self.content_seed, "embeddings from a file are not random")
        if self.tokens is not None and self.sentences is not None:
            text = "--tokens and --sentences exclude each other"
            raise UsageError(text, option="sentences", value=self.sentences, advice="give one of them")
        if len(self.words) < 2:
            count = "one token" if self.words else "no token"
            text = f"{option_text('tokens', self.tokens)} holds {count}, and order shows with two or more"
            raise UsageError(text, option="tokens", value=self.tokens, advice="separate words by spaces: 'I like you'")

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens in the order given."""
        return split_tokens(self.example_pair.tokens if self.tokens is None else self.tokens)

    def notes(self) -> list[str]:
        if self.tokens is None or len(self.words) == len(self.tokens.split()):
            return []
        return [f"tokens without spaces are cut by character, {len(self.words)} here: put spaces between words"]

    @property
    def example_pair(self) -> Example:
        """The example in two orders."""
        return EXAMPLES[self.sentences or next(iter(EXAMPLES))]

    def default_length(self, rows: int | None) -> int:
        return len(self.words)

    def positions_for(self, asked: Positions) -> Positions:
        count = len(self.words)
        if asked.length not in (count, Positions.options()["length"].default):
            text = f"{self.name} has one position a token, {count} here"
            advice = f"leave {option_text('length', asked.length)} out"
            raise UsageError(text, option="length", value=asked.length, advice=advice)
        return replace(asked, length=count)

    def rows(self, view: View[E]) -> Array:
        """The position of every token, shape (n,), also where other figures look at more positions."""
        return replace(view.positions, length=len(self.words)).array()

    def content(self, width: int) -> Array:
        """The embedding of every token, shape (n, width)."""
        different = list(dict.fromkeys(self.words))
        table = self._random(different, width) if self.embeddings is None else self._read(len(different), width)
        row = {word: i for i, word in enumerate(different)}
        return self.content_scale * table[[row[word] for word in self.words]]

    def content_text(self) -> str:
        """Where the embeddings come from, as the caption says it."""
        if self.embeddings is not None:
            return phrase("embeddings from a file")
        return phrase("random embeddings, seed {seed}", seed=self.content_seed)

    def own_width(self, default: int) -> int:
        """How wide the file's embeddings are, or the default without one."""
        return default if self.embeddings is None else int(read_table(self.embeddings).shape[1])

    def _random(self, different: Sequence[str], width: int) -> Array:
        vectors = [random_vector(self.content_seed, word, width) for word in different]
        return np.stack(vectors) / width**0.25

    def inputs(self) -> tuple[str, ...]:
        return () if self.embeddings is None else (self.embeddings,)

    def _read(self, count: int, width: int) -> Array:
        assert self.embeddings is not None  # what the caller asks
        table = read_table(self.embeddings)
        if table.shape != (count, width):
            rows, columns = table.shape
            hint = f": try {option_text('d', columns)}" if rows == count else ", a row for each different token"
            given = f"{option_text('embeddings', self.embeddings)} holds {rows} × {columns} numbers"
            text = f"{given} and {count} × {width} are needed{hint}"
            raise UsageError(text, option="embeddings", value=self.embeddings)
        return table

    def texts(self) -> list[str]:
        return list(self.words)

    def unseen(self, view: View[E]) -> str:
        return positions_text(view.positions.start, len(self.words))


def split_tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text: what stands between spaces; without any, each Chinese character and what is between them.

    >>> split_tokens("我喜欢 你"), split_tokens("我喜欢GPT")
    (('我喜欢', '你'), ('我', '喜', '欢', 'GPT'))
    """
    words = text.split()
    return tuple(part for part in re.split(f"({CJK.pattern})", words[0]) if part) if len(words) == 1 else tuple(words)


def random_vector(seed: int, word: str, width: int) -> Array:
    """The vector of a word: standard normal numbers, the same whatever other words there are, shape (width,)."""
    return np.random.default_rng([seed, *word.encode()]).standard_normal(width)


def read_order(text: str, words: Sequence[str]) -> list[int]:
    """The second order: word number order[i] stands at place i. ``reverse``, ``swap:I,J``, or the words themselves.

    The k-th occurrence of a word in one order is the k-th in the other.
    """
    if text == "reverse":
        return list(range(len(words)))[::-1]
    if text.startswith("swap:"):
        return _swapped(text, len(words))
    wanted = split_tokens(text)
    lacking, foreign = Counter(words) - Counter(wanted), Counter(wanted) - Counter(words)
    if lacking or foreign:
        said = {"lacks": lacking, "adds": foreign}
        what = " and ".join(f"{verb} {shorten(' '.join(some.elements()))}" for verb, some in said.items() if some)
        taken = "takes reverse, swap:I,J or the same tokens in another order; this one"
        raise UsageError(f"--reorder {taken} {what}", option="reorder", value=text)
    places = defaultdict[str, deque[int]](deque)
    for place, word in enumerate(words):
        places[word].append(place)
    return [places[word].popleft() for word in wanted]


def _swapped(text: str, count: int) -> list[int]:
    match = re.fullmatch(r"swap:([0-9]{1,9}),([0-9]{1,9})", text)
    i, j = map(int, match.groups()) if match else (count, count)
    if max(i, j) >= count:
        raise UsageError(option="reorder", value=text, advice=f"swap:I,J takes I and J from 0 to {count - 1}")
    order = list(range(count))
    order[i], order[j] = j, i
    return order


PITCH = 0.87  # ems of tick labels from one token to the next, at least
LONGEST = 12.0  # ems of a token, before it is cut


def token_panel(words: Sequence[str], bar: Bar) -> Panel:
    """A square panel in which these tokens are labelled on both sides."""
    side, shown = max(6.0, PITCH * len(words)), tuple(words)
    return Panel(1.0, exact=True, least=(side, side), bar=bar, x=shown, y=shown)


def label_tokens(axes: Axes, words: Sequence[str], across: Sequence[str], down: str, right: str) -> None:
    """Names rows by one order of the tokens and columns by another; every one, and what they are.

    down, right : what rows and columns are
    """
    count = len(words)
    axes.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5), xlabel=right, ylabel=down)
    axes.tick_params(length=0)
    axes.set_xticks(range(count), list(map(cut, across)), parse_math=False)
    axes.set_yticks(range(count), list(map(cut, words)), parse_math=False)


def fit_tokens(axes: Axes, size: float) -> None:
    """Gives the labels that size in points; turns those below a panel that would touch.

    Chinese stands one character below the other instead.
    """
    axes.tick_params(labelsize=size)
    words = [label.get_text().replace("\n", "") for label in axes.get_xticklabels()]
    fits = names_fit(axes.xaxis, words)
    stacks = not fits and all(map(is_wide, "".join(words)))
    axes.set_xticks(range(len(words)), ["\n".join(word) if stacks else word for word in words], parse_math=False)
    axes.tick_params(axis="x", labelrotation=0 if fits or stacks else 90)


def cut(word: str) -> str:
    """A token of at most so many ems."""
    if ems(word) <= LONGEST:
        return word
    kept = next(n for n in range(len(word), -1, -1) if ems(word[:n]) <= LONGEST - 1)
    return word[:kept] + "…"
