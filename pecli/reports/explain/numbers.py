"""The numbers of `pecli explain`: what is walked through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.analysis import Numbers
from pecli.core.lazy import Array, np
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.reports.explain.word_vectors import ARTICLE, Entry

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
