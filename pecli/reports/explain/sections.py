"""The sections of `pecli explain`, one function each: renderables from numbers that are made already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pecli.core.document import Block, Facts, Paragraph, Table
from pecli.core.language import phrase
from pecli.core.lazy import Array
from pecli.encodings.harmonic import Harmonic
from pecli.reports.explain.texts import TEXTS
from pecli.reports.number_table import DOWN, grid, head_and_tail

if TYPE_CHECKING:
    from pecli.reports.explain.numbers import ExplainNumbers
    from pecli.reports.explain.word_vectors import Entry


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
