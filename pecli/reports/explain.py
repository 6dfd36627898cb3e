"""The report explain: a small example step by step, with frequencies, formulas, numbers and word vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from pecli.analysis import Numbers
from pecli.core.errors import UsageError, option_text
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.mathematics import Formula
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.core.terminal import Block, Facts, Paragraph, TextTable
from pecli.encodings.base import Additive, Rotary, TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope import Rope
from pecli.files.sheet import aside, over
from pecli.files.tables import read_table
from pecli.reports.base import LEFT_OUT_COLUMNS, LEFT_OUT_ROWS, Report, View, both_ends, grid

OFFSETS = (0, 1, 2)  # offsets p − q of the products shown
SHIFTS = (0, 7, 100)  # key positions for each offset
SHIFT = 3  # offset k of the matrix M_k shown
WIDEST = 128  # largest matrix M_k, in rows
BLANK = "______"  # in place of a number to be computed
ARTICLE = (  # vectors of the words of the example, d = 8
    (0.1234, -0.5678, 0.9012, -0.3456, 0.7890, -0.1234, 0.5678, -0.9012),
    (0.2345, -0.6789, 0.0123, -0.4567, 0.8901, -0.2345, 0.6789, -0.0123),
    (0.3456, -0.7890, 0.1234, -0.5678, 0.9012, -0.3456, 0.7890, -0.1234),
)


def _significant(number: float, digits: int) -> str:
    """Return a number with this many significant digits, at least one; numbers below 10^10 without an exponent."""
    return f"{float(f'{number:.{digits}g}'):.{max(digits, 10)}g}"


@dataclass(frozen=True)
class Entry:
    """A number of the table with its derivation.

    steps : texts of equal value, from the formula to its numbers
    value : the number
    """

    position: int
    column: int
    steps: tuple[str, ...]
    value: float


def combine(encoding: TableEncoding, vectors: Array, words: Positions) -> tuple[str, Array]:
    """Return how the encoding is applied to word vectors ("rotate", "add" or "pair_up"), and the resulting vectors.

    The vectors have the shape (words, d), or (0, d) if the encoding changes no vector.
    """
    if isinstance(encoding, Rotary):
        return "rotate", encoding.rotate(vectors, words.array())
    if isinstance(encoding, Additive):
        return "add", vectors + encoding.table(words.array())
    return "pair_up", vectors[:0]


def products(encoding: TableEncoding, vectors: Array, start: int) -> Array:
    """Return p, q, p − q and ⟨R_p x, R_q y⟩ for several pairs of positions, shape (pairs, 4).

    The query x is the first word, the key y the second. The shape is (0, 4) for encodings that do not rotate, and on a
    grid, where the offset is not the difference of positions.

    start : smallest position q of the examples
    """
    if not isinstance(encoding, Rotary) or encoding.own_positions:
        return np.empty((0, 4))
    places = np.array([(start + n + offset, start + n) for offset in OFFSETS for n in SHIFTS], dtype=float)
    queries, keys = (np.tile(vectors[at], (len(places), 1)) for at in (0, min(1, len(vectors) - 1)))
    found = np.sum(encoding.rotate(queries, places[:, 0]) * encoding.rotate_keys(keys, places[:, 1]), axis=1)
    return np.column_stack([places, places[:, 0] - places[:, 1], found])


def _decays(encoding: TableEncoding) -> bool:
    """Return whether queries and keys are scaled by their positions, so that scores decay with the offset."""
    return isinstance(encoding, Harmonic) and bool(encoding.decay_rates.any())


def written_out(encoding: TableEncoding, row: int, column: int, vectors: Array, words: Positions) -> list[Entry]:
    """Return the derivation of the table's number in this row and column.

    If there are words, also return the derivation of the last word's number in this column, after encoding.

    vectors, words : vectors of the words, shape (words, d), and their positions
    """
    at, last, word = np.array([row], dtype=np.float64), words.stop - 1, vectors[-1]
    value, results = float(encoding.table(at)[0, column]), combine(encoding, vectors, words)[1][-1:, column].tolist()
    found = [Entry(row, column, tuple(encoding.written_out(row, column)), value)]
    if isinstance(encoding, Rotary):
        found += [Entry(last, column, tuple(encoding.rotation_written_out(word, last, column)), results[0])]
    elif results:
        added = encoding.table(np.array([last], dtype=np.float64))[0, column]
        found += [Entry(last, column, (f"{word[column]:.10g} + {added:.10g}",), results[0])]
    return found


def shifted(encoding: TableEncoding, row: int, column: int) -> tuple[Array, Entry | None]:
    """Return M_k with PE(p + k) = M_k PE(p), shape (d, d), and the derivation of one entry of row p + k.

    If there is no such matrix, return an array of the shape (0, 0) and None.

    row, column : p, and the dimension of the entry
    """
    none = np.empty((0, 0)), None
    if not isinstance(encoding, Harmonic) or isinstance(encoding, Rotary) or encoding.width > WIDEST:
        return none
    try:
        partner = encoding.partners()[column]
    except UsageError:  # of an odd d, or on a grid
        return none
    matrix, at = encoding.shift_matrix(SHIFT), np.array([row, row + SHIFT], dtype=np.float64)
    before, after = encoding.table(at)
    wave, j = encoding.waves()[column]
    if wave == "0":
        return matrix, None
    sign = "+" if wave == "sin" else "-"
    columns = [column, partner]
    formula = f"cos({SHIFT}ω{j}) PE({row}, {column}) {sign} sin({SHIFT}ω{j}) PE({row}, {partner})"
    numbers = (
        f"({factor:.10g})({value:.10g})" for factor, value in zip(matrix[column, columns], before[columns], strict=True)
    )
    return matrix, Entry(row + SHIFT, column, (formula, " + ".join(numbers)), float(after[column]))


@dataclass(frozen=True, kw_only=True)
class ExplainNumbers(Numbers[TableEncoding]):
    """All numbers of the example."""

    table: Array = over("position", "dimension")
    positions: Array = over("position")
    frequencies: Array = aside("pair")  # empty if there are none
    changes: Array = aside("dimension")  # number of changes down each column
    distinct: Array = aside("dimension")
    embeddings: Array = aside("word", "dimension")
    rows: Array = aside("row", "dimension")  # encodings of the words, or of 2 words − 1 offsets
    result: Array = aside("word", "dimension")  # empty if words do not change
    products: Array = aside("product", "term")  # p, q, p − q and the product; empty if nothing rotates
    shift: Array = aside("dimension", "column")  # M_k with PE(p + k) = M_k PE(p); empty if there is none
    words: tuple[str, ...]
    origin: str  # source of the embeddings: article, random or file
    how: str  # add, rotate or pair_up
    entry: Entry
    shift_entry: Entry | None
    result_entry: Entry | None

    def facts(self) -> dict[str, Any]:
        encoding = self.view.encoding
        pairs = range(len(self.frequencies))
        return {
            "parameters": encoding.settings(),
            "formula": say(encoding.formula),
            "columns": encoding.column_formulas(),
            "frequency_formulas": [encoding.rate_formula(j) for j in pairs] if isinstance(encoding, Harmonic) else [],
            **{name: array.tolist() for name, array in self.arrays().items()},
            **super().facts(),
            "entry": asdict(self.entry),
            "shift_entry": self.shift_entry and asdict(self.shift_entry),
            "result_entry": self.result_entry and asdict(self.result_entry),
        }

    @classmethod
    def fact_types(cls) -> dict[str, Any]:
        texts, arrays = ("columns", "frequency_formulas"), (field.name for field in fields(cls) if field.metadata)
        types = {"parameters": dict, "formula": str, **dict.fromkeys(texts, list[str]), **dict.fromkeys(arrays, list)}
        return (
            types
            | super().fact_types()
            | {
                "entry": Entry,
                "shift_entry": Entry | None,
                "result_entry": Entry | None,
            }
        )


@dataclass(frozen=True)
class ExplainDocument:
    """The document of the report, section by section."""

    numbers: ExplainNumbers
    options: Explain
    width: int  # characters

    def blocks(self) -> list[Block]:
        """Return the blocks of all sections that are not empty."""
        numbers, (length, dimensions) = self.numbers, self.numbers.table.shape
        outcome = {
            "add": say("explain.added_word_vector_position"),
            "rotate": say("explain.turned_scaled")
            if _decays(numbers.view.encoding)
            else Formula(say("explain.turned_f_x_p"), inside="f(x, p) = R_p x"),
            "pair_up": say("explain.pairs_of_words"),
        }
        parameters = {
            say("words.encoding"): numbers.view.encoding.title(),
            say("explain.formula"): Formula(say(numbers.view.encoding.formula)),
            say("words.positions"): str(length),
            say("explain.dimensions"): str(dimensions),
        }
        if isinstance(numbers.view.encoding, Rope) and (base := numbers.view.encoding.other_base()):
            parameters[say("model.base_in_use")] = base
        positions = ", ".join(self._ends(self._position_texts(), 2 * self.options.rows, LEFT_OUT_COLUMNS))
        title = say("explain.word_vectors_shape", words=len(numbers.words), dimensions=dimensions)
        sections: dict[str, list[Block]] = {
            say("explain.parameters"): [Facts(parameters)],
            say("explain.positions"): [Paragraph(positions)],
            **(self._frequencies() if len(numbers.frequencies) else self._changes()),
            say("explain.the_table_shape", length=length, dimensions=dimensions): self._table(),
            say("explain.one_entry_with_its"): [self._entry("PE", numbers.entry)],
            Formula(say("explain.shift_by", k=SHIFT), inside="PE(p + k) = M_k PE(p)"): self._shift()
            if len(numbers.shift)
            else [],
            title: self._vectors(),
            outcome[numbers.how]: self._pairs() if numbers.how == "pair_up" else self._outcome(),
            say("explain.the_product_of_query"): self._products() if len(numbers.products) else [],
        }
        task = say("explain.fill_in", blank=BLANK, digits=self.options.digits)
        result: list[Block] = [Paragraph(task), Paragraph()] if self.options.blank else []
        for at, (title, body) in enumerate(((title, body) for title, body in sections.items() if body), 1):
            heading = f"{at}. {title}"
            inside = Formula(heading, title.inside) if isinstance(title, Formula) else heading
            result += [Paragraph(inside, heading=True), *body, Paragraph()]
        return result[:-1]

    def _changes(self) -> dict[str, list[Block]]:
        """Return the section on how often each column changes, for an encoding without frequencies."""
        encoding, numbers = self.numbers.view.encoding, self.numbers
        learned = say("explain.its_numbers_are_learned")
        none = say("explain.this_encoding_has_no")
        columns = zip(encoding.column_formulas(), numbers.changes, numbers.distinct, strict=True)
        rows = [
            [str(at), Formula(formula), self._text(str(n)), self._text(str(m))]
            for at, (formula, n, m) in enumerate(columns)
        ]
        header = [say("words.column"), say("explain.formula"), say("explain.changes"), say("explain.different_values")]
        texts = [learned, none] if encoding.trained else [none]
        return {say("explain.how_fast_each_column"): [*map(Paragraph, texts), self._texts(header, rows)]}

    def _frequencies(self) -> dict[str, list[Block]]:
        """Return the section on the frequency and wavelength of every pair."""
        encoding = self.numbers.view.encoding
        assert isinstance(encoding, Harmonic)
        digits = self.options.digits
        pairs = enumerate(zip(self.numbers.frequencies, encoding.wavelengths(), strict=True))
        rows = [
            [str(j), Formula(encoding.rate_formula(j)), *(self._text(_significant(each, digits)) for each in both)]
            for j, both in pairs
        ]
        rate, units = say("explain.rad" if encoding.own_positions else "explain.rad_position"), say(encoding.wave_unit)
        header = [
            say("explain.pair_j"),
            say("explain.formula"),
            say("explain.omega_rate", rate=rate),
            say("explain.2_omega_units", units=units),
        ]
        at = " or ωj·".join(sorted({*encoding.coordinate_names()}))
        turning = Formula(say("explain.pair_j_turns_by", at=at), inside=f"ωj·{at}")
        title = say("explain.frequencies_of_sinusoidal_div")
        return {title: [self._texts(header, rows), Paragraph(turning)]}

    def _table(self) -> list[Block]:
        formulas = self.numbers.view.encoding.column_formulas()
        header = [Formula(f"{column}\n{formula}") for column, formula in enumerate(formulas)]
        under = Paragraph(say("explain.under_the_number_of"))
        table, given = self.numbers.table, self.numbers.view.encoding.trained
        return [under, *self._numbers(table, self._position_texts(), header, given=given)]

    def _entry(self, name: str, entry: Entry, given: bool = True) -> Paragraph:
        """Return the derivation of a number as a paragraph; in an exercise, only its formula.

        given : True for a number of the table, which an exercise shows if the table is learned
        """
        encoding = self.numbers.view.encoding
        position = encoding.position_text(entry.position) if encoding.sides else entry.position
        steps = [*entry.steps, f"{entry.value:.{self.options.digits}f}"]
        if self.options.blank and not (given and encoding.trained):
            steps = [*(steps[:1] if given or len(steps) > 2 else []), BLANK]
        return Paragraph(Formula(" = ".join([f"{name}({position}, {entry.column})", *steps])))

    def _shift(self) -> list[Block]:
        """Return the matrix that shifts every position by SHIFT, and one entry of a shifted row."""
        numbers = self.numbers
        entry = [self._entry("PE", numbers.shift_entry)] if numbers.shift_entry else []
        rows = list(map(str, range(len(numbers.shift))))
        matrix = self._numbers(numbers.shift, rows, corner=Formula(f"M_{SHIFT}"))
        about = Formula(say("explain.one_matrix_for_every", k=SHIFT), inside=f"M_{SHIFT}")
        return [Paragraph(about), *matrix, *entry]

    def _vectors(self) -> list[Block]:
        """Return the word vectors, after a line on their source."""
        origins = {
            "article": say("explain.words_of_example", dimensions=self.numbers.table.shape[1]),
            "random": say("explain.each_word_has_random"),
            "file": say("explain.from", file=self.options.embeddings),
        }
        vectors = self._numbers(self.numbers.embeddings, self._word_labels(), given=True)
        return [Paragraph(origins[self.numbers.origin]), *vectors]

    def _outcome(self) -> list[Block]:
        """Return the word vectors after encoding."""
        numbers, labels = self.numbers, self._word_labels()
        entry = [self._entry("x'", numbers.result_entry, given=False)] if numbers.result_entry else []
        result: list[Block] = [*self._numbers(numbers.result, labels), *entry]
        if numbers.how == "rotate":
            return result
        size = {"words": len(numbers.words), "dimensions": numbers.table.shape[1]}
        rows = say("explain.their_position_encodings_shape", **size)
        total = say("explain.their_sum", **size)
        done = say("explain.every_vector_now_carries")
        added = self._numbers(numbers.rows, labels, given=numbers.view.encoding.trained)
        return [Paragraph(rows), *added, Paragraph(total), *result, Paragraph(done)]

    def _pairs(self) -> list[Block]:
        """Return the section on encodings of pairs of words: their offsets, and the table's row for each offset."""
        labels = self._word_labels()
        words = np.arange(len(labels))
        offsets = grid("p \\ q", labels, labels, words[:, None] - words, width=self.width, digits=0)
        starts = [str(at - len(labels) + 1) for at in range(len(self.numbers.rows))]
        what = Formula(say("explain.nothing_is_added_to"), inside="i - j")
        done = say("explain.every_pair_at_one")
        return [Paragraph(what), offsets, *self._numbers(self.numbers.rows, starts), Paragraph(done)]

    def _products(self) -> list[Block]:
        """Return products of rotated query and key, equal for all pairs of positions with the same offset."""
        numbers = self.numbers
        query, key = (numbers.words[at] or str(at) for at in (0, min(1, len(numbers.words) - 1)))
        texts = [
            [*(f"{at:.0f}" for at in places), self._text(f"{value:.{self.options.digits}f}")]
            for *places, value in numbers.products.tolist()
        ]
        header = [Formula(text) for text in ("p", "q", "p - q", "⟨R_p x, R_q y⟩")]
        about = Formula(say("explain.query_at_position_p", query=query, other=key), inside="p - q")
        return [Paragraph(about), TextTable(header, texts, plain=True)]

    def _text(self, number: str) -> str:
        """Return the text of a computed number; in an exercise, the line to write it on."""
        return BLANK if self.options.blank else number

    def _numbers(
        self,
        values: Array,
        labels: Sequence[str],
        header: Sequence[str] | None = None,
        *,
        given: bool = False,
        corner: str = "p",
    ) -> list[Block]:
        """Return a table of numbers; if rows in the middle are left out, also a line with their number.

        given : True if an exercise shows the numbers
        corner : header of the labels
        """
        (shown, gap), options = both_ends(len(values), self.options.rows), self.options
        names, some = header or [str(column) for column in range(values.shape[1])], [labels[at] for at in shown]
        blank = BLANK if options.blank and not given else ""
        table = grid(corner, names, some, values[shown], width=self.width, digits=options.digits, gap=gap, blank=blank)
        rest = len(values) - len(shown)
        left_out = say("explain.left_out_of_rows", n=rest, all=len(values))
        return [table, *([Paragraph(left_out)] if rest else [])]

    def _texts(self, header: list[str], rows: list[list[str]]) -> TextTable:
        """Return a table of texts, shortened in the middle."""
        return TextTable(header, self._ends(rows, self.options.rows, [LEFT_OUT_ROWS] * len(header)), plain=True)

    def _ends(self, items: list[Any], most: int, gap: Any) -> list[Any]:
        """Return the items; if there are more than `most`, only those at both ends, with `gap` between them."""
        shown, head = both_ends(len(items), most)
        some = [items[at] for at in shown]
        return [*some[:head], gap, *some[head:]] if head else some

    def _position_texts(self) -> list[str]:
        """Return the positions of the table in the encoding's notation."""
        return list(map(self.numbers.view.encoding.position_text, self.numbers.positions.tolist()))

    def _word_labels(self) -> list[str]:
        """Return position and word of each word; for pairs of words, index and word, because they have no position."""
        text, start = self.numbers.view.encoding.position_text, self.numbers.view.positions.start
        pairs = self.numbers.how == "pair_up"
        return [f"{at if pairs else text(start + at)} {word}".strip() for at, word in enumerate(self.numbers.words)]


@dataclass(frozen=True)
class Explain(Report[TableEncoding]):
    """An encoding step by step, at the user's own base and d.

    The steps are parameters, positions, frequencies, the table with each column's formula, one entry written out, and
    how the rows are used: added to word vectors, rotating them (RoPE), or given to pairs of words (relative).

    Notes
    -----
    The defaults are an article's example: d = 8, 10 positions, three word vectors. The frequencies printed in that
    article do not follow from its formula.
    """

    name: ClassVar[str] = "explain"
    requires: ClassVar[Any] = TableEncoding
    defines: ClassVar[str] = "every step from position to vector, with the numbers of the formula"
    example: ClassVar[str] = "pecli explain --d 6 --base 100 --lang zh"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli explain rope -d 4",
        "pecli explain --tokens 'the dog bites' -d 4",
    )
    default_options: ClassVar[Mapping[str, Any]] = {"d": 8, "length": 10}

    tokens: str | None = option(None, "your own words, separated by spaces", unset="I like you; in Chinese, 我 喜欢 你")
    embeddings: str | None = option(
        None,
        "file of word vectors, one per row (.npy .npz .csv .safetensors)",
        unset="the three words of the example",
        file=True,
    )
    entry: tuple[int, ...] | None = option(
        None, "position and dimension, P,D, of the entry to write out", unset="the third position, dimension 3"
    )
    rows: int = option(10, "number of rows of a table to print, half from each end", at_least=1, at_most=10_000)
    digits: int = option(
        4, "digits after the decimal point; for frequencies, significant digits", at_least=0, at_most=17
    )
    blank: bool = option(
        False,
        "make an exercise sheet, with blanks for the numbers; -o sheet.md also writes the solution, sheet-solved.md",
    )

    def check(self) -> None:
        if self.tokens is not None and not self.tokens.split():
            raise UsageError("the text has no tokens", option="tokens", value=self.tokens)
        if self.tokens is not None and self.embeddings is not None:
            text = f"{option_text('tokens', self.tokens)} gives words, but --embeddings gives a file of vectors"
            raise UsageError(text, option="tokens", value=self.tokens, advice="give one of them")
        if self.entry is not None and len(self.entry) != 2:
            text = f"--entry takes two numbers, a position and a dimension, such as 2,3; {len(self.entry)} given"
            raise UsageError(text, option="entry", value=self.entry)

    def written_beside(self) -> Mapping[str, Explain]:
        return {"-solved": replace(self, blank=False)} if self.blank else {}

    def document_options(self) -> dict[str, Any]:
        return {"blank": True} if self.blank else {}

    def check_view(self, view: View[TableEncoding]) -> None:
        super().check_view(view)
        self._place(view)
        if isinstance(view.encoding, Harmonic) and not view.encoding.exact:
            text = f"explain only works in float64, not in {view.encoding.dtype}"
            raise UsageError(text, option="dtype", value=view.encoding.dtype, advice="try pecli precision")
        if self.embeddings is not None:
            self._read(self.embeddings, view)

    def compute(self, view: View[TableEncoding]) -> ExplainNumbers:
        encoding, positions = view.encoding, view.covered.array()
        table = encoding.table(positions)
        origin, words, vectors = self._words(view)
        at = Positions(start=view.positions.start, length=len(words))
        how, result = combine(encoding, vectors, at)
        entry, *of_result = written_out(encoding, *self._place(view), vectors, at)
        shift, of_shift = shifted(encoding, *self._place(view))
        return ExplainNumbers(
            view=view,
            table=table,
            positions=positions,
            frequencies=encoding.frequencies() if isinstance(encoding, Harmonic) else np.empty(0),
            changes=(np.diff(table, axis=0) != 0).sum(axis=0),
            distinct=np.array([len(np.unique(values)) for values in table.T]),
            embeddings=vectors,
            rows=encoding.table((encoding.covered(at) if how == "pair_up" else at).array()),
            result=result,
            products=products(encoding, vectors, at.start),
            words=words,
            origin=origin,
            how=how,
            entry=entry,
            shift=shift,
            shift_entry=of_shift,
            result_entry=of_result[0] if of_result else None,
        )

    def show(self, numbers: ExplainNumbers, width: int) -> list[Block]:
        return ExplainDocument(numbers, self, width).blocks()

    def _place(self, view: View[TableEncoding]) -> tuple[int, int]:
        """Return position and column of the entry to write out."""
        rows, width = view.covered, view.encoding.width
        default = (min(max(0, rows.start) + 2, rows.stop - 1), min(3, width - 1))
        row, column = default if self.entry is None else self.entry
        if not (rows.start <= row < rows.stop and 0 <= column < width):
            text = f"{option_text('entry', f'{row},{column}')} is not in the table"
            advice = f"it has positions {rows.start} to {rows.stop - 1}, dimensions 0 to {width - 1}"
            raise UsageError(text, option="entry", value=(row, column), advice=advice)
        return row, column

    def _words(self, view: View[TableEncoding]) -> tuple[str, tuple[str, ...], Array]:
        """Return the source of the word vectors, the words, and the vectors, (words, d)."""
        width, length = view.encoding.width, view.positions.length
        if self.embeddings is not None:
            vectors = self._read(self.embeddings, view)
            return "file", ("",) * len(vectors), vectors
        words = tuple(say("explain.example").split())[:length]
        if self.tokens is not None:
            words = tuple(self.tokens.split())
            if len(words) == 1 and not self.tokens.isascii():  # a script without spaces
                words = tuple(words[0])
        elif width <= len(ARTICLE[0]):
            return "article", words, np.array(ARTICLE)[:length, :width]
        rows = [np.random.default_rng([0, *word.encode()]).uniform(-1, 1, width).round(4) for word in words]
        return "random", words, np.array(rows)

    def _read(self, path: str, view: View[TableEncoding]) -> Array:
        vectors, width = read_table(path), view.encoding.width
        count, size = vectors.shape
        if size == width and count <= view.positions.length:
            return vectors
        wrong, advice = f"has {count} vectors, more than there are positions", f"{option_text('length', count)} or more"
        if size != width:
            wrong = f"has vectors of width {size}, but the encoding has width {width}"
            advice = f"try {option_text('d', size)}"
        raise UsageError(f"{option_text('embeddings', path)} {wrong}", option="embeddings", value=path, advice=advice)
