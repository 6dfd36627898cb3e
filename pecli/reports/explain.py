"""One small case step by step: frequencies, formulas, numbers, word vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import Numbers
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import phrase, templates
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.terminal import Block, Facts, Paragraph, Table
from pecli.encodings.base import Additive, Rotary, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.files.tables import read_table
from pecli.reports.base import DOWN, Report, View, grid, head_and_tail

TEXTS = templates(
    {
        "parameters": "Parameters",
        "encoding": "encoding",
        "formula": "formula",
        "length": "positions",
        "dimensions": "dimensions",
        "positions": "Positions",
        "frequencies": "Frequencies (of sinusoidal: the fourth article's div_term)",
        "pair": "pair j",
        "column": "column",
        "frequency": "ω, rad/position",
        "wavelength": "2π/ω, positions",
        "distinct": "different values",
        "changes": "changes",
        "turning": "Pair j turns by the angle ωj·p. A fast pair tells neighbours apart, a slow one far positions.",
        "div_term": (
            "The article prints div_term 1, 0.3162, 0.1, 0.0316, which is 10000^(-i/8); its formula and its code are "
            "10000^(-2i/8) = 1, 0.1, 0.01, 0.001, as here (the printed ones are those of --base 100)."
        ),
        "variation": "How fast each column varies",
        "no_frequencies": "This encoding has no frequencies. How often a column changes from one position to the next:",
        "learned": "Its numbers are learned, not calculated: there is no formula, and no row beyond the last one.",
        "table": "The table, shape ({length}, {dimensions})",
        "table_said": "Under the number of each column stands its formula.",
        "entry": "One entry with its numbers put in",
        "words": "Word vectors, shape ({words}, {dimensions})",
        "article": "我 喜欢 你 (I like you), with the article's numbers:",
        "cut": "我 喜欢 你 (I like you), with the first {dimensions} of the article's 8 numbers each:",
        "made_up": "我 喜欢 你 (I like you), with random numbers: the article has 8 a word, here d is {dimensions}.",
        "file": "From {file}:",
        "rows": "Their position encodings, shape ({words}, {dimensions})",
        "add": "Added: word vector + position encoding",
        "sum": "Their sum, ({words}, {dimensions}) + ({words}, {dimensions}) → ({words}, {dimensions})",
        "rotate": "Turned: f(x, p) = R_p x, nothing is added",
        "pair_up": "Pairs of words",
        "offsets": "Nothing is added to a word. The pair of word i and word j gets the row of the offset i - j:",
        "add_done": "Every vector now carries its position: the same words in another order give other vectors.",
        "rotate_done": "By the formula the product of two turned vectors depends on words and offset alone.",
        "offsets_done": "Every pair at one offset gets the same row, wherever it stands in the sequence.",
        "own": "Your own words, each with random numbers (the same for the same word):",
        "product": "The product of query and key",
        "product_said": (
            "Query {query} at position p, key {other} at position q. "
            "By the formula the product is the same at one offset p - q:"
        ),
        "product_done": "Both are turned by the same when both move on: it depends on p - q alone.",
        "product_made": (
            "By the formula it depends on p - q alone; made in {dtype} it differs at one offset by up to {apart} here."
        ),
        "made": "{steps}; made in {dtype} it is {value}",
        "left_out": "left out: {n} of {all}; --rows prints more",
    }
)


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


ARTICLE_ENCODING = Sinusoidal(d=len(ARTICLE[0]))


@dataclass(frozen=True, kw_only=True)
class ExplainNumbers(Numbers[TableEncoding]):
    """What is walked through.

    table : (L, d); positions : (L,); frequencies : (n_pairs,), empty where there are none
    changes, distinct : (d,), of each column of the table
    embeddings : (words, d); rows : (words, d), what is added to them or turns them, (2 words - 1, d) for offsets
    products : (pairs, 4): p, q, p - q and the product of a query and a key; (0, 4) where nothing is turned
    result : (words, d); (0, d) where nothing is done to a word
    """

    main_array: ClassVar[str] = "table"
    row_coordinates: ClassVar[tuple[str, ...]] = ("positions",)

    table: Array
    positions: Array
    frequencies: Array
    changes: Array
    distinct: Array
    embeddings: Array
    rows: Array
    result: Array
    products: Array
    words: tuple[str, ...]
    origin: str  # of the embeddings: article, cut, made_up, own, file
    how: str  # add, rotate or pair_up
    entry: Entry
    result_entry: Entry | None

    @property
    def article(self) -> bool:
        """Whether the parameters are the article's."""
        return self.view.encoding == ARTICLE_ENCODING

    @property
    def made_in(self) -> str:
        """The type of number that the table is made in where that is not the formula's; else nothing."""
        encoding = self.view.encoding
        return encoding.dtype if isinstance(encoding, Harmonic) and not encoding.exact else ""

    @property
    def apart_by_rounding(self) -> float:
        """How far the products of one offset differ at most; 0 where they are the formula's."""
        if not self.made_in:
            return 0.0
        offsets, found = self.products[:, 2], self.products[:, 3]
        return max(float(np.ptp(found[offsets == offset])) for offset in np.unique(offsets))

    def facts(self) -> dict[str, Any]:
        encoding, names = self.view.encoding, ("origin", "how", "words")
        pairs = range(len(self.frequencies))
        rates = [encoding.rate_formula(j) for j in pairs] if isinstance(encoding, Harmonic) else []
        entries = {"entry": self.entry, "result_entry": self.result_entry}
        return {
            "parameters": encoding.settings(),
            "formula": encoding.formula,
            "columns": encoding.column_formulas(),
            "frequency_formulas": rates,
            **{name: array.tolist() for name, array in self.arrays().items()},
            **{name: getattr(self, name) for name in names},
            **{name: entry and dict(vars(entry)) for name, entry in entries.items()},
        }


@dataclass(frozen=True)
class Page:
    """What every section is written with."""

    numbers: ExplainNumbers
    filling: Mapping[str, Any]
    width: int
    rows: int
    digits: int

    def say(self, key: str, **more: Any) -> Any:
        """A sentence, filled in."""
        return Paragraph(phrase(TEXTS[key], **self.filling, **more))

    def numbered(self, values: Array, labels: Sequence[str], header: Sequence[str] | None = None) -> list[Block]:
        """A table of numbers with its middle rows left out, and a line that says so."""
        head, tail = head_and_tail(len(values), self.rows)
        chosen = [*range(head), *range(len(values) - tail, len(values))]
        names = header or [str(column) for column in range(values.shape[1])]
        some = [labels[at] for at in chosen]
        rest = len(values) - len(chosen)
        shown = grid("p", names, some, values[chosen], width=self.width, digits=self.digits, gap=head if rest else 0)
        return [shown, *([self.say("left_out", n=rest, all=len(values))] if rest else [])]

    def listed(self, keys: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
        """A table of texts with its middle rows left out."""
        head, tail = head_and_tail(len(rows), self.rows)
        gap = [] if head == len(rows) else [[DOWN] * len(keys)]
        shown = [*rows[:head], *gap, *rows[len(rows) - tail :]]
        return Table([phrase(TEXTS[key]) for key in keys], shown, plain=True)

    def positions(self) -> list[str]:
        """The positions of the table in the encoding's own terms."""
        return list(map(self.numbers.view.encoding.position_text, self.numbers.positions.tolist()))


def sections(numbers: ExplainNumbers, said: Mapping[str, Any], width: int, rows: int, digits: int) -> list[Block]:
    """The whole walk, one section below the other."""
    length, dimensions = numbers.table.shape
    filling = {**said, "length": length, "dimensions": dimensions, "words": len(numbers.words)}
    page = Page(numbers, filling, width, rows, digits)
    chosen = {"outcome": numbers.how, "frequencies": "frequencies" if len(numbers.frequencies) else "variation"}
    result: list[Block] = []
    written = [(key, body) for key, section in SECTIONS.items() if (body := section(page))]
    for at, (key, body) in enumerate(written, 1):
        title = phrase(TEXTS[chosen.get(key, key)], **filling)
        result += [Paragraph(f"{at}. {title}", heading=True), *body, Paragraph()]
    return result[:-1]


def parameters(page: Page) -> list[Block]:
    """The encoding, its formula and its size."""
    encoding = page.numbers.view.encoding
    length, dimensions = page.numbers.table.shape
    facts = {"encoding": encoding.label(), "formula": page.filling["formula"], "length": str(length)}
    facts |= {"dimensions": f"{dimensions}"}
    return [Facts({phrase(TEXTS[key]): fact for key, fact in facts.items()})]


def positions(page: Page) -> list[Block]:
    """All of them, or both ends."""
    texts = page.positions()
    head, tail = head_and_tail(len(texts), 2 * page.rows)
    return [Paragraph(", ".join([*texts[:head], *([] if head == len(texts) else ["…"]), *texts[len(texts) - tail :]]))]


def frequencies(page: Page) -> list[Block]:
    """Frequency and wavelength of every pair; without frequencies how often every column changes."""
    encoding, numbers = page.numbers.view.encoding, page.numbers
    if not isinstance(encoding, Harmonic):
        formulas = encoding.column_formulas()
        counts = zip(formulas, numbers.changes.tolist(), numbers.distinct.tolist(), strict=True)
        rows = [[str(at), formula, str(n), str(m)] for at, (formula, n, m) in enumerate(counts)]
        learned = [page.say("learned")] if encoding.trained else []
        return [*learned, page.say("no_frequencies"), page.listed(("column", "formula", "changes", "distinct"), rows)]
    each = zip(numbers.frequencies.tolist(), encoding.wavelengths().tolist(), strict=True)
    rows = [[str(j), encoding.rate_formula(j), f"{rate:.10g}", f"{wave:.10g}"] for j, (rate, wave) in enumerate(each)]
    shown = page.listed(("pair", "formula", "frequency", "wavelength"), rows)
    return [shown, page.say("turning"), *([page.say("div_term")] if numbers.article and page.filling["errata"] else [])]


def table(page: Page) -> list[Block]:
    """The numbers, each column with its formula."""
    formulas = page.numbers.view.encoding.column_formulas()
    header = [f"{column}\n{formula}" for column, formula in enumerate(formulas)]
    return [page.say("table_said"), *page.numbered(page.numbers.table, page.positions(), header)]


def entry(page: Page) -> list[Block]:
    """One entry of the table from its formula to its digits."""
    return [written("PE", page.numbers.entry, page)]


def written(name: str, one: Entry, page: Page) -> Any:
    """The name of an entry, the steps to its number, and what a smaller type of number makes of that."""
    number = one.value if one.exact is None else one.exact
    steps = " = ".join([f"{name}({one.position}, {one.column})", *one.steps, f"{number:.10g}"])
    if one.exact is None:
        return Paragraph(steps)
    return page.say("made", steps=steps, dtype=page.numbers.made_in, value=f"{one.value:.10g}")


def word_vectors(page: Page) -> list[Block]:
    """The vectors before anything is done to them."""
    return [page.say(page.numbers.origin), *page.numbered(page.numbers.embeddings, word_labels(page))]


def word_labels(page: Page) -> list[str]:
    """The position of each word, and the word."""
    text, start = page.numbers.view.encoding.position_text, page.numbers.view.positions.start
    places = range(len(page.numbers.words))
    if page.numbers.how == "pair_up":  # its positions are offsets
        return [f"{at} {page.numbers.words[at]}".strip() for at in places]
    return [f"{text(start + at)} {page.numbers.words[at]}".strip() for at in places]


def outcome(page: Page) -> list[Block]:
    """What is done with the rows of the table, and what comes of it."""
    numbers, one = page.numbers, page.numbers.result_entry
    if numbers.how == "pair_up":
        return [page.say("offsets"), *pair_table(page), page.say("offsets_done")]
    labels = word_labels(page)
    before = [page.say("rows"), *page.numbered(numbers.rows, labels), page.say("sum")] if numbers.how == "add" else []
    line = [written("x'", one, page)] if one else []
    return [*before, *page.numbered(numbers.result, labels), *line, page.say(f"{numbers.how}_done")]


def product(page: Page) -> list[Block]:
    """What a turned query and a turned key give: the same at every pair of positions with one offset."""
    numbers = page.numbers
    if not len(numbers.products):
        return []
    texts = [[*(f"{at:.0f}" for at in places), f"{value:.10g}"] for *places, value in numbers.products.tolist()]
    query, key = (numbers.words[at] or str(at) for at in (0, min(1, len(numbers.words) - 1)))
    header = ["p", "q", "p - q", "<R_p x, R_q y>"]
    shown = Table(header, texts, plain=True)
    said = page.say("product_said", query=query, other=key)
    if not numbers.apart_by_rounding:
        return [said, shown, page.say("product_done")]
    return [said, shown, page.say("product_made", dtype=numbers.made_in, apart=f"{numbers.apart_by_rounding:.2g}")]


def pair_table(page: Page) -> list[Block]:
    """The row of the table that each pair of words gets."""
    from pecli.core.lazy import np

    words = np.arange(len(page.numbers.words))
    offsets = words[:, None] - words
    labels = word_labels(page)
    shown = grid("p \\ q", labels, labels, offsets, width=page.width, digits=0)
    starts = [str(at - len(words) + 1) for at in range(len(page.numbers.rows))]
    return [shown, *page.numbered(page.numbers.rows, starts)]


SECTIONS: dict[str, Callable[[Page], list[Block]]] = {
    "parameters": parameters,
    "positions": positions,
    "frequencies": frequencies,
    "table": table,
    "entry": entry,
    "words": word_vectors,
    "outcome": outcome,
    "product": product,
}


@dataclass(frozen=True)
class Explain(Report[TableEncoding]):
    """The fourth article's walk at the user's own k and d: parameters, positions, frequencies, the table with each
    column's formula, one entry written out, and what is done with the rows: they are added to word vectors, turn them
    (RoPE), or are given to pairs of words (relative).

    Notes
    -----
    The article's example is the default: d 8, 10 positions, three word vectors. Its printed frequencies are not those
    of its own formula; the text says so where the parameters are the article's.
    """

    name: ClassVar[str] = "explain"
    requires: ClassVar[Any] = TableEncoding
    summary: ClassVar[str] = "One small case step by step: frequencies, formulas, numbers, word vectors"
    defines: ClassVar[str] = "every step from position to vector, with the numbers that the formula says"
    example: ClassVar[str] = "pecli explain --d 6 --base 100 --lang zh"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli explain rope -d 4",
        "pecli explain --tokens 'the dog bites' -d 4",
    )
    default_options: ClassVar[Mapping[str, Any]] = {"d": 8, "length": 10}

    errata: bool = option(False, "say where the article's own numbers are wrong", aliases=("notes",))
    tokens: str | None = option(None, "your own words, separated by spaces", unset="those of an article")
    embeddings: str | None = option(
        None,
        "file of word vectors, a row each (.npy .npz .csv .safetensors)",
        unset="those of an article, three words",
    )
    entry: tuple[int, ...] | None = option(
        None, "position and dimension of the entry to write out, P,D", unset="the third position, dimension 3"
    )
    rows: int = option(10, "how many rows of a table to print, half from each end", at_least=1, at_most=10_000)
    digits: int = option(4, "digits after the decimal point", at_least=0, at_most=17)

    def check(self) -> None:
        if self.tokens is not None and (self.embeddings is not None or not self.tokens.split()):
            text = f"{option_text('tokens', self.tokens)} is words, and --embeddings a file of vectors"
            raise UsageError(text, option="tokens", value=self.tokens, advice="give one of them")
        if self.entry is not None and len(self.entry) != 2:
            text = f"--entry takes a position and a dimension, such as 2,3: {len(self.entry)} are given"
            raise UsageError(text, option="entry", value=self.entry)

    def inputs(self) -> tuple[str, ...]:
        return () if self.embeddings is None else (self.embeddings,)

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        self._place(view)
        if self.errata and view.encoding != ARTICLE_ENCODING:
            own = f"they are of the article's own numbers, {ARTICLE_ENCODING.spec()}"
            raise UnusedOptionError("errata", self.errata, own)
        if self.embeddings is not None:
            self._read(self.embeddings, view)

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        return (view.covered.length, view.encoding.width)

    def compute(self, view: View[TableEncoding]) -> ExplainNumbers:
        encoding, positions = view.encoding, view.covered.array()
        table = encoding.table(positions)
        origin, words, vectors = self._words(view)
        own = Positions(start=view.positions.start, length=len(words))
        rows = encoding.table(encoding.covered(own).array())
        how, result = combine(encoding, vectors, rows, own)
        row, column = self._place(view)
        steps = tuple(encoding.written_out(row, column))
        exact = by_formula(encoding, lambda of: of.table(np.array([row], dtype=np.float64))[0, column])
        entry = Entry(row, column, steps, float(table[row - view.covered.start, column]), exact)
        return ExplainNumbers(
            view=view,
            table=table,
            positions=positions,
            frequencies=encoding.frequencies() if isinstance(encoding, Harmonic) else np.empty(0),
            changes=(np.diff(table, axis=0) != 0).sum(axis=0),
            distinct=np.array([len(np.unique(values)) for values in table.T]),
            embeddings=vectors,
            rows=rows,
            result=result,
            products=products(encoding, vectors, own.start),
            words=words,
            origin=origin,
            how=how,
            entry=entry,
            result_entry=result_entry(encoding, vectors=vectors, rows=rows, result=result, own=own, column=column),
        )

    def show(self, numbers: ExplainNumbers, width: int) -> list[Block]:
        formula = phrase(numbers.view.encoding.formula)
        said = {"file": self.embeddings or "", "formula": formula, "errata": self.errata}
        return sections(numbers, said, width, self.rows, self.digits)

    def _place(self, view: View[TableEncoding]) -> tuple[int, int]:
        """Position and column of the entry that is written out."""
        rows, width = view.covered, view.encoding.width
        default = (min(max(0, rows.start) + 2, rows.stop - 1), min(3, width - 1))
        row, column = default if self.entry is None else self.entry
        if not (rows.start <= row < rows.stop and 0 <= column < width):
            text = f"{option_text('entry', f'{row},{column}')} is not in the table"
            advice = f"positions {rows.start} to {rows.stop - 1}, dimensions 0 to {width - 1}"
            raise UsageError(text, option="entry", value=(row, column), advice=advice)
        return row, column

    def _words(self, view: View[TableEncoding]) -> tuple[str, tuple[str, ...], Array]:
        """Where the word vectors are from, the words, and the vectors, (words, d)."""
        width, length = view.encoding.width, view.positions.length
        if self.embeddings is not None:
            vectors = self._read(self.embeddings, view)
            return "file", ("",) * len(vectors), vectors
        if self.tokens is not None:
            words = own_words(self.tokens)
            return "own", words, random_vectors(words, width)
        origin, vectors = "article", np.array(ARTICLE)
        if width > vectors.shape[1]:
            origin, vectors = "made_up", np.random.default_rng(0).uniform(-1, 1, (len(WORDS), width)).round(4)
        elif width < vectors.shape[1]:
            origin, vectors = "cut", vectors[:, :width]
        return origin, WORDS[:length], vectors[:length]

    def _read(self, path: str, view: View[TableEncoding]) -> Array:
        vectors = read_table(path)
        width, length = view.encoding.width, view.positions.length
        if vectors.shape[1] != width:
            wrong = f"holds vectors of {vectors.shape[1]} numbers, not of the encoding's {width}"
            advice = f"try {option_text('d', vectors.shape[1])}"
            raise UsageError(
                f"{option_text('embeddings', path)} {wrong}", option="embeddings", value=path, advice=advice
            )
        if len(vectors) > length:
            text = f"{option_text('embeddings', path)} holds {len(vectors)} vectors"
            advice = f"{option_text('length', len(vectors))} or more"
            raise UsageError(text, option="embeddings", value=path, advice=advice)
        return vectors
