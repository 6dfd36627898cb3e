"""One small case step by step: frequencies, formulas, numbers, word vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeVar

from pecli.analysis import Numbers
from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.terminal import Block, Facts, Paragraph, Table
from pecli.encodings.base import Additive, Rotary, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.files.tables import read_table
from pecli.reports.base import DOWN, Report, View, grid, head_and_tail

T = TypeVar("T")
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
        encoding = self.view.encoding
        pairs = range(len(self.frequencies))
        return {
            "parameters": encoding.settings(),
            "formula": encoding.formula,
            "columns": encoding.column_formulas(),
            "frequency_formulas": [encoding.rate_formula(j) for j in pairs] if isinstance(encoding, Harmonic) else [],
            **{name: array.tolist() for name, array in self.arrays().items()},
            "origin": self.origin,
            "how": self.how,
            "words": self.words,
            "entry": asdict(self.entry),
            "result_entry": self.result_entry and asdict(self.result_entry),
        }


@dataclass(frozen=True)
class Walk:
    """The sections of the report, as they are printed.

    errata : whether it is said where the article's own numbers are wrong
    file : of the word vectors
    width : columns of the terminal
    rows, digits : of each table
    """

    numbers: ExplainNumbers
    errata: bool
    file: str
    width: int
    rows: int
    digits: int

    def blocks(self) -> list[Block]:
        """The whole walk, one section below the other."""
        length, dimensions = self.numbers.table.shape
        words = len(self.numbers.words)
        frequencies = phrase("Frequencies (of sinusoidal: the fourth article's div_term)")
        outcome = {
            "add": phrase("Added: word vector + position encoding"),
            "rotate": phrase("Turned: f(x, p) = R_p x, nothing is added"),
            "pair_up": phrase("Pairs of words"),
        }
        sections: dict[str, list[Block]] = {
            phrase("Parameters"): self._parameters(),
            phrase("Positions"): [Paragraph(", ".join(self._ends(self._position_texts(), 2 * self.rows, "…")))],
            frequencies
            if len(self.numbers.frequencies)
            else phrase("How fast each column varies"): self._frequencies(),
            phrase("The table, shape ({length}, {dimensions})", length=length, dimensions=dimensions): self._table(),
            phrase("One entry with its numbers put in"): [self._entry("PE", self.numbers.entry)],
            phrase("Word vectors, shape ({words}, {dimensions})", words=words, dimensions=dimensions): self._vectors(),
            outcome[self.numbers.how]: self._outcome(),
            phrase("The product of query and key"): self._products(),
        }
        result: list[Block] = []
        for at, title in enumerate((title for title, body in sections.items() if body), 1):
            result += [Paragraph(f"{at}. {title}", heading=True), *sections[title], Paragraph()]
        return result[:-1]

    def _parameters(self) -> list[Block]:
        encoding, (length, dimensions) = self.numbers.view.encoding, self.numbers.table.shape
        facts = {
            phrase("encoding"): encoding.label(),
            phrase("formula"): phrase(encoding.formula),
            phrase("positions"): str(length),
            phrase("dimensions"): str(dimensions),
        }
        return [Facts(facts)]

    def _frequencies(self) -> list[Block]:
        """Frequency and wavelength of every pair; without frequencies how often every column changes."""
        encoding, numbers = self.numbers.view.encoding, self.numbers
        if not isinstance(encoding, Harmonic):
            learned = phrase(
                "Its numbers are learned, not calculated: there is no formula, and no row beyond the last one."
            )
            none = phrase("This encoding has no frequencies. How often a column changes from one position to the next:")
            columns = zip(encoding.column_formulas(), numbers.changes, numbers.distinct, strict=True)
            rows = [[str(at), formula, str(n), str(m)] for at, (formula, n, m) in enumerate(columns)]
            header = [phrase("column"), phrase("formula"), phrase("changes"), phrase("different values")]
            said = [learned, none] if encoding.trained else [none]
            return [*map(Paragraph, said), self._texts(header, rows)]
        pairs = enumerate(zip(numbers.frequencies, encoding.wavelengths(), strict=True))
        rows = [[str(j), encoding.rate_formula(j), f"{rate:.10g}", f"{wave:.10g}"] for j, (rate, wave) in pairs]
        header = [phrase("pair j"), phrase("formula"), phrase("ω, rad/position"), phrase("2π/ω, positions")]
        turning = phrase(
            "Pair j turns by the angle ωj·p. A fast pair tells neighbours apart, a slow one far positions."
        )
        div_term = phrase(
            "The article prints div_term 1, 0.3162, 0.1, 0.0316, which is 10000^(-i/8); its formula and its code are "
            "10000^(-2i/8) = 1, 0.1, 0.01, 0.001, as here (the printed ones are those of --base 100)."
        )
        slips = [div_term] if self.errata and encoding == ARTICLE_ENCODING else []
        return [self._texts(header, rows), *map(Paragraph, [turning, *slips])]

    def _table(self) -> list[Block]:
        formulas = self.numbers.view.encoding.column_formulas()
        header = [f"{column}\n{formula}" for column, formula in enumerate(formulas)]
        said = Paragraph(phrase("Under the number of each column stands its formula."))
        return [said, *self._numbers(self.numbers.table, self._position_texts(), header)]

    def _entry(self, name: str, entry: Entry) -> Paragraph:
        """The name of an entry, the steps to its number, and what a smaller type of number makes of that."""
        number = entry.value if entry.exact is None else entry.exact
        steps = " = ".join([f"{name}({entry.position}, {entry.column})", *entry.steps, f"{number:.10g}"])
        if entry.exact is None:
            return Paragraph(steps)
        made = {"steps": steps, "dtype": self.numbers.made_in, "value": f"{entry.value:.10g}"}
        return Paragraph(phrase("{steps}; made in {dtype} it is {value}", **made))

    def _vectors(self) -> list[Block]:
        """The word vectors before anything is done to them, and where they are from."""
        dimensions = self.numbers.table.shape[1]
        origins = {
            "article": phrase("我 喜欢 你 (I like you), with the article's numbers:"),
            "cut": phrase(
                "我 喜欢 你 (I like you), with the first {dimensions} of the article's 8 numbers each:",
                dimensions=dimensions,
            ),
            "made_up": phrase(
                "我 喜欢 你 (I like you), with random numbers: the article has 8 a word, here d is {dimensions}.",
                dimensions=dimensions,
            ),
            "own": phrase("Your own words, each with random numbers (the same for the same word):"),
            "file": phrase("From {file}:", file=self.file),
        }
        return [Paragraph(origins[self.numbers.origin]), *self._numbers(self.numbers.embeddings, self._word_labels())]

    def _outcome(self) -> list[Block]:
        """What is done with the rows of the table, and what comes of it."""
        numbers, labels = self.numbers, self._word_labels()
        if numbers.how == "pair_up":
            return self._pairs(labels)
        entry = [self._entry("x'", numbers.result_entry)] if numbers.result_entry else []
        result = [*self._numbers(numbers.result, labels), *entry]
        if numbers.how == "rotate":
            done = phrase("By the formula the product of two turned vectors depends on words and offset alone.")
            return [*result, Paragraph(done)]
        size = {"words": len(numbers.words), "dimensions": numbers.table.shape[1]}
        rows = phrase("Their position encodings, shape ({words}, {dimensions})", **size)
        total = phrase("Their sum, ({words}, {dimensions}) + ({words}, {dimensions}) → ({words}, {dimensions})", **size)
        done = phrase("Every vector now carries its position: the same words in another order give other vectors.")
        return [Paragraph(rows), *self._numbers(numbers.rows, labels), Paragraph(total), *result, Paragraph(done)]

    def _pairs(self, labels: Sequence[str]) -> list[Block]:
        """The row of the table that each pair of words gets."""
        words = np.arange(len(labels))
        offsets = grid("p \\ q", labels, labels, words[:, None] - words, width=self.width, digits=0)
        starts = [str(at - len(labels) + 1) for at in range(len(self.numbers.rows))]
        said = phrase("Nothing is added to a word. The pair of word i and word j gets the row of the offset i - j:")
        done = phrase("Every pair at one offset gets the same row, wherever it stands in the sequence.")
        return [Paragraph(said), offsets, *self._numbers(self.numbers.rows, starts), Paragraph(done)]

    def _products(self) -> list[Block]:
        """What a turned query and a turned key give: the same at every pair of positions with one offset."""
        numbers = self.numbers
        if not len(numbers.products):
            return []
        query, key = (numbers.words[at] or str(at) for at in (0, min(1, len(numbers.words) - 1)))
        said = phrase(
            "Query {query} at position p, key {other} at position q. "
            "By the formula the product is the same at one offset p - q:",
            query=query,
            other=key,
        )
        texts = [[*(f"{at:.0f}" for at in places), f"{value:.10g}"] for *places, value in numbers.products.tolist()]
        shown = Table(["p", "q", "p - q", "<R_p x, R_q y>"], texts, plain=True)
        done = phrase("Both are turned by the same when both move on: it depends on p - q alone.")
        if numbers.apart_by_rounding:
            done = phrase(
                "By the formula it depends on p - q alone; "
                "made in {dtype} it differs at one offset by up to {apart} here.",
                dtype=numbers.made_in,
                apart=f"{numbers.apart_by_rounding:.2g}",
            )
        return [Paragraph(said), shown, Paragraph(done)]

    def _numbers(self, values: Array, labels: Sequence[str], header: Sequence[str] | None = None) -> list[Block]:
        """A table of numbers with its middle rows left out, and a line that says so."""
        head, tail = head_and_tail(len(values), self.rows)
        shown = [*range(head), *range(len(values) - tail, len(values))]
        rest = len(values) - len(shown)
        names = header or [str(column) for column in range(values.shape[1])]
        some, gap = [labels[at] for at in shown], head if rest else 0
        table = grid("p", names, some, values[shown], width=self.width, digits=self.digits, gap=gap)
        left_out = phrase("left out: {n} of {all}; --rows prints more", n=rest, all=len(values))
        return [table, *([Paragraph(left_out)] if rest else [])]

    def _texts(self, header: list[str], rows: list[list[str]]) -> Table:
        """A table of texts with its middle rows left out."""
        shown: list[list[str]] = self._ends(rows, self.rows, [DOWN] * len(header))
        return Table(header, shown, plain=True)

    def _ends(self, items: list[T], most: int, gap: T) -> list[T]:
        """The items, or so many of them from both ends around a gap."""
        head, tail = head_and_tail(len(items), most)
        return items if head == len(items) else [*items[:head], gap, *items[len(items) - tail :]]

    def _position_texts(self) -> list[str]:
        """The positions of the table in the encoding's own terms."""
        return list(map(self.numbers.view.encoding.position_text, self.numbers.positions.tolist()))

    def _word_labels(self) -> list[str]:
        """The position of each word, and the word; for pairs, whose positions are offsets, its number."""
        text, start = self.numbers.view.encoding.position_text, self.numbers.view.positions.start
        pairs = self.numbers.how == "pair_up"
        return [f"{at if pairs else text(start + at)} {word}".strip() for at, word in enumerate(self.numbers.words)]


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
        return Walk(numbers, self.errata, self.embeddings or "", width, self.rows, self.digits).blocks()

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
            words = tuple(self.tokens.split())
            if len(words) == 1 and not self.tokens.isascii():  # of a script without spaces
                words = tuple(words[0])
            seeds = [[0, *word.encode()] for word in words]  # the same numbers wherever a word stands
            return (
                "own",
                words,
                np.array([np.random.default_rng(seed).uniform(-1, 1, width).round(4) for seed in seeds]),
            )
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
