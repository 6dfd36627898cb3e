"""Base of the figures of tokens, and axes that label every token; labels are turned if they do not fit."""

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
from pecli.page.axis_labels import hide_tick_marks, names_fit
from pecli.page.panels import Axis, ColorBar, Panel
from pecli.page.style import CJK
from pecli.page.words import ems, is_wide

EXAMPLES = {  # two orders each; the first needs no Chinese font
    "bites": ("dog bites man", "man bites dog"),
    "school": ("你 说 我 明天 不 去 上学", "你 说 我 明天 去 上学 不"),
    "like": ("我 喜欢 你", "你 喜欢 我"),
}


@dataclass(frozen=True)
class TokenFigure(Figure[E]):
    """Base of the figures of tokens. There is one position per token, so these figures set ``--length`` themselves.

    Notes
    -----
    Each number of a random embedding is normal with mean 0 and variance 1/√d. The product of an embedding with itself
    is then about √d and its attention score about 1, so softmax neither blurs nor saturates. Two rows of a sinusoidal
    encoding have products of up to d/2. At the default d of 16, that is 8, against 4 for embeddings; at d = 128, it is
    64 against 11, so that position outweighs content. A word's vector depends only on the seed and the word.
    """

    variance_power: ClassVar[float] = 0.5  # the variance of random embeddings is 1/d to this power
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
            raise UnusedOptionError(
                "content_seed", self.content_seed, "a file gives the embeddings, so nothing is random"
            )
        if self.tokens is not None and self.sentences is not None:
            text = "--tokens and --sentences exclude each other"
            raise UsageError(text, option="sentences", value=self.sentences, advice="give one of them")
        if len(self.words) < 2:
            count = "one token" if self.words else "no token"
            text = f"{option_text('tokens', self.tokens)} has {count}, but word order needs two or more"
            raise UsageError(
                text, option="tokens", value=self.tokens, advice="separate words by spaces, as in 'I like you'"
            )

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens in the given order."""
        return split_tokens(self.example_pair[0] if self.tokens is None else self.tokens)

    @property
    def example_pair(self) -> tuple[str, str]:
        """The two orders of the example."""
        return EXAMPLES[self.sentences or "bites"]

    def notes(self) -> list[str]:
        if self.tokens is None or len(self.words) == len(self.tokens.split()):
            return []
        return [f"text without spaces is split by character, into {len(self.words)} tokens: put spaces between words"]

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
        """Return the position of every token, shape (n,), even if the view has more positions."""
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
                hint = option_text("d", columns) if rows == len(different) else "one row per different token"
                text = f"{option_text('embeddings', self.embeddings)} has {rows} × {columns} numbers"
                text += f", but {len(different)} × {width} are needed"
                raise UsageError(text, option="embeddings", value=self.embeddings, advice=f"give {hint}")
        return self.content_scale * table[[different.index(word) for word in self.words]]

    def content_text(self) -> str:
        """Return the note on the source of the embeddings, for the footnote."""
        if self.embeddings is not None:
            return say("tokens.embeddings_from_file")
        return say("tokens.random_embeddings_seed", seed=self.content_seed)

    def embedding_width(self, default: int) -> int:
        """Return the width of the embeddings in the file, or `default` without a file."""
        return default if self.embeddings is None else int(read_table(self.embeddings).shape[1])

    def texts(self) -> list[str]:
        return list(self.words)

    def positions_clause(self, view: View[E]) -> str:
        return positions_text(view.encodings, replace(view.positions, length=len(self.words)))


def split_tokens(text: str) -> tuple[str, ...]:
    """Split a text into words, or, if it has no spaces, into Chinese characters and the parts between them.

    >>> split_tokens("我喜欢 你"), split_tokens("我喜欢GPT")
    (('我喜欢', '你'), ('我', '喜', '欢', 'GPT'))
    """
    words = text.split()
    return tuple(part for part in re.split(f"({CJK})", words[0]) if part) if len(words) == 1 else tuple(words)


def random_vector(seed: int, word: str, width: int) -> Array:
    """Return the standard normal vector of a word, shape (width,), independent of other words."""
    return np.random.default_rng([seed, *word.encode()]).standard_normal(width)


def read_order(text: str, words: Sequence[str]) -> list[int]:
    """Return the second order as indices: token order[i] is at place i.

    text : "reverse", "swap:I,J", or the tokens in another order; of equal tokens, the k-th in `text` is the k-th in the
        first order
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


PITCH = 0.87, 1.05  # least distance of tokens in ems of tick labels: normal, Chinese
MAX_EMS = 12.0  # longer tokens are cut


def token_panel(words: Sequence[str], bar: ColorBar, down: str, across: str) -> Panel:
    """Return a square panel with these tokens on both axes.

    down, across : the axis labels
    """
    side = max(6.0, PITCH[any(map(is_wide, "".join(words)))] * len(words))
    x, y = tokens_axis(across, words), tokens_axis(down, words, turned=True)
    return Panel(1.0, exact=True, least=(side, side), bar=bar, x=x, y=y, small=True)


def tokens_axis(label: str, words: Sequence[str], turned: bool = False) -> Axis:
    """Return an axis of tokens.

    turned : whether it runs from top to bottom
    """
    low, high = -0.5, len(words) - 0.5
    return Axis(label, (high, low) if turned else (low, high), tuple(map(shortened, words)), ticks=hide_tick_marks)


def fit_tokens(axes: Axes, size: float) -> None:
    """Set the size of token labels in points, and turn the labels below a panel if they would touch.

    The characters of Chinese labels are stacked instead.
    """
    axes.tick_params(labelsize=size)
    words = [label.get_text().replace("\n", "") for label in axes.get_xticklabels()]
    fits = names_fit(axes.xaxis, words)
    stacks = not fits and all(map(is_wide, "".join(words)))
    axes.set_xticks(range(len(words)), ["\n".join(word) if stacks else word for word in words], parse_math=False)
    axes.tick_params(axis="x", labelrotation=0 if fits or stacks else 90)


def shortened(word: str) -> str:
    """Return the token, cut to MAX_EMS with an ellipsis if it is longer."""
    if ems(word) <= MAX_EMS:
        return word
    kept = next(n for n in range(len(word), -1, -1) if ems(word[:n]) <= MAX_EMS - 1)
    return word[:kept] + "…"
