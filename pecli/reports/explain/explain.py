"""One small case step by step: frequencies, formulas, numbers, word vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.core.document import Block
from pecli.core.errors import UnusedOptionError, UsageError, mention
from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.files.table_files import read_table
from pecli.reports.explain.numbers import ARTICLE_ENCODING, ExplainNumbers
from pecli.reports.explain.sections import sections
from pecli.reports.explain.word_vectors import (
    ARTICLE,
    WORDS,
    Entry,
    by_formula,
    combine,
    own_words,
    products,
    random_vectors,
    result_entry,
)
from pecli.reports.report import Report, View


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
    summary: ClassVar[str] = "One small case step by step: frequencies, formulas, numbers, word vectors"
    defines: ClassVar[str] = "every step from position to vector, with the numbers that the formula says"
    example: ClassVar[str] = "pecli explain --d 6 --base 100 --lang zh"
    examples: ClassVar[tuple[str, ...]] = (
        "pecli explain rope -d 4",
        "pecli explain --tokens 'the dog bites' -d 4",
    )
    default_options: ClassVar[Mapping[str, Any]] = {"d": 8, "length": 10}

    errata: bool = option(False, "say where the article's own numbers are wrong", aliases=("notes",), printed=True)
    tokens: str | None = option(None, "your own words, separated by spaces", unset="those of an article")
    embeddings: str | None = option(
        None,
        "file of word vectors, a row each (.npy .npz .csv .safetensors)",
        unset="those of an article, three words",
    )
    entry: tuple[int, ...] | None = option(
        None, "position and dimension of the entry to write out, P,D", unset="the third position, dimension 3"
    )
    rows: int = option(
        10, "how many rows of a table to print, half from each end", at_least=1, at_most=10_000, printed=True
    )
    digits: int = option(4, "digits after the decimal point", at_least=0, at_most=17, printed=True)

    def check(self) -> None:
        if self.tokens is not None and (self.embeddings is not None or not self.tokens.split()):
            text = f"{mention('tokens', self.tokens)} is words, and {mention('embeddings')} a file of vectors"
            raise UsageError(text, option="tokens", value=self.tokens, advice="give one of them")
        if self.entry is not None and len(self.entry) != 2:
            text = f"{mention('entry')} takes a position and a dimension, such as 2,3: {len(self.entry)} are given"
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
            text = f"{mention('entry', f'{row},{column}')} is not in the table"
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
            advice = f"try {mention('d', vectors.shape[1])}"
            raise UsageError(f"{mention('embeddings', path)} {wrong}", option="embeddings", value=path, advice=advice)
        if len(vectors) > length:
            text = f"{mention('embeddings', path)} holds {len(vectors)} vectors"
            advice = f"{mention('length', len(vectors))} or more"
            raise UsageError(text, option="embeddings", value=path, advice=advice)
        return vectors
