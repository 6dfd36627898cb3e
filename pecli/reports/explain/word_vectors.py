"""What `pecli explain` does with the rows of a table: they are added to word vectors, turn them, or belong to pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pecli.core.lazy import Array, np
from pecli.core.positions import Positions
from pecli.encodings.capabilities import Additive, Rotary, TableEncoding
from pecli.encodings.harmonic import Harmonic

OFFSETS = (0, 1, 2)  # p - q at which products are shown
SHIFTS = (0, 7, 100)  # n at each of them
WORDS = ("我", "喜欢", "你")
ARTICLE = (  # the fourth article's word vectors, d_model 8
    (0.1234, -0.5678, 0.9012, -0.3456, 0.7890, -0.1234, 0.5678, -0.9012),
    (0.2345, -0.6789, 0.0123, -0.4567, 0.8901, -0.2345, 0.6789, -0.0123),
    (0.3456, -0.7890, 0.1234, -0.5678, 0.9012, -0.3456, 0.7890, -0.1234),
)


@dataclass(frozen=True)
class Entry:
    """One number and how it comes about: texts that each equal the next, and the value.

    exact : what the steps come to, where the value is that number made in a smaller type; else None
    """

    position: int
    column: int
    steps: tuple[str, ...]
    value: float
    exact: float | None = None


def by_formula(encoding: TableEncoding, number: Callable[[TableEncoding], float]) -> float | None:
    """The number that the formula says, where a smaller type of number makes another of it; else None."""
    if not isinstance(encoding, Harmonic) or encoding.exact:
        return None
    return float(number(encoding.in_float64()))


def combine(encoding: TableEncoding, vectors: Array, rows: Array, own: Positions) -> tuple[str, Array]:
    """What is done with word vectors at their positions, and what comes of it, (words, d)."""
    if isinstance(encoding, Rotary):
        return "rotate", encoding.rotate(vectors, own.array())
    if isinstance(encoding, Additive):
        return "add", vectors + rows
    return "pair_up", vectors[:0]


def own_words(text: str) -> tuple[str, ...]:
    """The words of a text, or its characters where it is one word of a script without spaces."""
    words = text.split()
    return tuple(words[0]) if len(words) == 1 and not text.isascii() else tuple(words)


def random_vectors(words: Sequence[str], width: int) -> Array:
    """A vector for each word, the same wherever it stands, (words, d)."""
    return np.array([np.random.default_rng([0, *word.encode()]).uniform(-1, 1, width).round(4) for word in words])


def products(encoding: TableEncoding, vectors: Array, start: int) -> Array:
    """p, q, p − q and ⟨R_p x, R_q y⟩ of the first word as query and the second as key, (pairs, 4)."""
    if not isinstance(encoding, Rotary):
        return np.empty((0, 4))
    places = np.array([(start + n + offset, start + n) for offset in OFFSETS for n in SHIFTS], dtype=float)
    queries, keys = (np.tile(vectors[at], (len(places), 1)) for at in (0, min(1, len(vectors) - 1)))
    found = np.sum(encoding.rotate(queries, places[:, 0]) * encoding.rotate(keys, places[:, 1]), axis=1)
    return np.column_stack([places, places[:, 0] - places[:, 1], found])


def result_entry(
    encoding: TableEncoding, *, vectors: Array, rows: Array, result: Array, own: Positions, column: int
) -> Entry | None:
    """How one number of the result comes about: of the last word, in the same column; None where there is none."""
    if not len(result):
        return None
    word = len(vectors) - 1
    place, value = own.start + word, float(result[word, column])
    if not isinstance(encoding, Rotary):
        return Entry(place, column, (f"{vectors[word, column]:.10g} + {rows[word, column]:.10g}",), value)
    steps = tuple(encoding.rotation_written_out(vectors[word], place, column))
    return Entry(
        place, column, steps, value, by_formula(encoding, lambda of: combine(of, vectors, rows, own)[1][word, column])
    )
