"""Axes along which tokens stand: every one is labelled, turned where there is no room side by side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pecli.analysis import E
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import say
from pecli.core.lazy import Array, Axes, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.figures.base import Figure, View, positions_text
from pecli.files.tables import read_table
from pecli.page.axis_labels import names_fit, no_marks
from pecli.page.panels import Axis, ColorBar, Panel
from pecli.page.style import CJK
from pecli.page.words import ems, is_wide

EXAMPLES = {  # two orders each: one for the fonts of every machine, then those of the first and the fourth article
    "bites": ("dog bites man", "man bites dog"),
    "school": ("你 说 我 明天 不 去 上学", "你 说 我 明天 去 上学 不"),
    "like": ("我 喜欢 你", "你 喜欢 我"),
}


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

    variance_power: ClassVar[float] = 0.5  # of random embeddings: 1/d to that power
    length_help: ClassVar[str] = "always the number of tokens, so leave it out"

    sentences: str | None = option(
        None,
        "example sentences: bites (dog bites man / man bites dog), "
        "school (你说，我明天不去上学 / 你说，我明天去上学不) or like (我喜欢你 / 你喜欢我)",
        choices=lambda: EXAMPLES,
        flags=("--example",),
        unset="bites",
    )
    tokens: str | None = option(
        None,
        "your own tokens, separated by spaces; Chinese without spaces is split into characters",
        unset="those of the example",
    )
    embeddings: str | None = option(
        None,
        "file of embeddings (.npy .npz .csv .safetensors), one row for each different token in order of appearance",
        flags=("--vectors",),
        unset="random",
        file=True,
    )
    content_seed: int = option(0, "seed of random embeddings", at_least=0)
    content_scale: float = option(1.0, "factor that embeddings are multiplied by", at_least=0, at_most=1e6)

    def check(self) -> None:
        super().check()
        if self.embeddings is not None and self.content_seed:
            raise UnusedOptionError("content_seed", self.content_seed, "embeddings from a file are not random")
        if self.tokens is not None and self.sentences is not None:
            text = "--tokens and --sentences exclude each other"
            raise UsageError(text, option="sentences", value=self.sentences, advice="give one of them")
        if len(self.words) < 2:
            count = "one token" if self.words else "no token"
            text = f"{option_text('tokens', self.tokens)} holds {count}, but order needs two or more"
            raise UsageError(text, option="tokens", value=self.tokens, advice="separate words by spaces: 'I like you'")

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens in the order given."""
        return split_tokens(self.example_pair[0] if self.tokens is None else self.tokens)

    @property
    def example_pair(self) -> tuple[str, str]:
        """The example in two orders."""
        return EXAMPLES[self.sentences or "bites"]

    def notes(self) -> list[str]:
        if self.tokens is None or len(self.words) == len(self.tokens.split()):
            return []
        return [f"tokens without spaces are cut by character, {len(self.words)} here: put spaces between words"]

    def default_length(self, rows: int | None) -> int:
        return len(self.words)

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        count = len(self.words)
        if asked.length not in (count, Positions.options()["length"].default):
            text = f"{self.name} has one position for each token, {count} here"
            advice = f"leave {option_text('length', asked.length)} out"
            raise UsageError(text, option="length", value=asked.length, advice=advice)
        return replace(asked, length=count)

    def rows(self, view: View[E]) -> Array:
        """Return the position of every token, shape (n,), also where other figures look at more positions."""
        return replace(view.positions, length=len(self.words)).array()

    def content(self, width: int) -> Array:
        """Return the embedding of every token, shape (n, width)."""
        different = list(dict.fromkeys(self.words))
        if self.embeddings is None:
            table = np.stack([random_vector(self.content_seed, word, width) for word in different])
            table /= width ** (self.variance_power / 2)
        else:
            table = read_table(self.embeddings)
            if table.shape != (len(different), width):
                rows, columns = table.shape
                hint = option_text("d", columns) if rows == len(different) else "a row for each different token"
                text = f"{option_text('embeddings', self.embeddings)} holds {rows} × {columns} numbers"
                text += f" and {len(different)} × {width} are needed"
                raise UsageError(text, option="embeddings", value=self.embeddings, advice=f"give {hint}")
        return self.content_scale * table[[different.index(word) for word in self.words]]

    def content_text(self) -> str:
        """Return where the embeddings come from, for the caption."""
        if self.embeddings is not None:
            return say("tokens.embeddings_from_file")
        return say("tokens.random_embeddings_seed", seed=self.content_seed)

    def own_width(self, default: int) -> int:
        """Return how wide the file's embeddings are, or the default without a file."""
        return default if self.embeddings is None else int(read_table(self.embeddings).shape[1])

    def texts(self) -> list[str]:
        return list(self.words)

    def unseen(self, view: View[E]) -> str:
        return positions_text(view.encodings, replace(view.positions, length=len(self.words)))


def split_tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of a text: its words; without spaces each Chinese character and what is between them.

    >>> split_tokens("我喜欢 你"), split_tokens("我喜欢GPT")
    (('我喜欢', '你'), ('我', '喜', '欢', 'GPT'))
    """
    words = text.split()
    return tuple(part for part in re.split(f"({CJK})", words[0]) if part) if len(words) == 1 else tuple(words)


def random_vector(seed: int, word: str, width: int) -> Array:
    """Return the vector of a word, standard normal and the same whatever other words there are, shape (width,)."""
    return np.random.default_rng([seed, *word.encode()]).standard_normal(width)


def read_order(text: str, words: Sequence[str]) -> list[int]:
    """Return the second order: word number order[i] stands at place i. ``reverse``, ``swap:I,J``, or the words.

    The k-th occurrence of a word in one order is the k-th in the other.
    """
    order, wanted = list(range(len(words))), split_tokens(text)
    if text == "reverse":
        return order[::-1]
    if match := re.fullmatch(r"swap:([0-9]{1,9}),([0-9]{1,9})", text):
        i, j = map(int, match.groups())
        if max(i, j) < len(words):
            order[i], order[j] = j, i
            return order
    if Counter(words) != Counter(wanted):
        allowed = f"reverse, swap:I,J with I and J from 0 to {len(words) - 1}, or the same tokens in another order"
        raise UsageError(option="reorder", value=text, allowed=allowed)
    places = {word: [place for place in order if words[place] == word] for word in words}
    return [places[word].pop(0) for word in wanted]


PITCH = 0.87, 1.05  # ems of tick labels from one token to the next, at least; of Chinese
MAX_EMS = 12.0  # ems of a token, before it is cut


def token_panel(words: Sequence[str], bar: ColorBar, down: str, across: str) -> Panel:
    """Return a square panel with these tokens on both axes, which have these names."""
    side = max(6.0, PITCH[any(map(is_wide, "".join(words)))] * len(words))
    x, y = tokens_axis(across, words), tokens_axis(down, words, turned=True)
    return Panel(1.0, exact=True, least=(side, side), bar=bar, x=x, y=y, small=True)


def tokens_axis(label: str, words: Sequence[str], turned: bool = False) -> Axis:
    """Return an axis along which tokens stand; turned : from the top down."""
    low, high = -0.5, len(words) - 0.5
    return Axis(label, (high, low) if turned else (low, high), tuple(map(cut, words)), ticks=no_marks)


def fit_tokens(axes: Axes, size: float) -> None:
    """Set the labels' size in points; turn those below a panel that would touch, or stack Chinese characters."""
    axes.tick_params(labelsize=size)
    words = [label.get_text().replace("\n", "") for label in axes.get_xticklabels()]
    fits = names_fit(axes.xaxis, words)
    stacks = not fits and all(map(is_wide, "".join(words)))
    axes.set_xticks(range(len(words)), ["\n".join(word) if stacks else word for word in words], parse_math=False)
    axes.tick_params(axis="x", labelrotation=0 if fits or stacks else 90)


def cut(word: str) -> str:
    """Return a token of at most 12 ems."""
    if ems(word) <= MAX_EMS:
        return word
    kept = next(n for n in range(len(word), -1, -1) if ems(word[:n]) <= MAX_EMS - 1)
    return word[:kept] + "…"
