"""What can be measured of encodings, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from pecli.core.document import Block, Facts, Paragraph, Table
from pecli.core.language import listing, phrase
from pecli.core.lazy import Array, np
from pecli.encodings.capabilities import TableEncoding
from pecli.measures.measure_options import choice_of_measure, measure_option
from pecli.measures.pairwise import MEASURES, is_by_offset
from pecli.reports.indicators import SAMPLE, Indicators, indicators
from pecli.reports.number_table import BETWEEN, widest
from pecli.reports.report import Numbers, Report, View
from pecli.reports.stats_rows import ROWS


@dataclass(frozen=True, kw_only=True)
class StatsNumbers(Numbers[TableEncoding]):
    """values : (encodings, indicators), NaN where one is not defined; encoding : (encodings,), their number."""

    main_array: ClassVar[str] = "values"

    values: Array
    encoding: Array
    measured: tuple[Indicators, ...]

    def columns(self) -> list[str]:
        return list(flat(self.measured[0]))

    def sheet(self) -> tuple[list[str], list[Array]]:
        specs = np.array([encoding.spec() for encoding in self.view.encodings], dtype=object)
        return ["encoding", *self.columns()], [specs, self.values]

    def facts(self) -> dict[str, Any]:
        both = zip(self.view.encodings, self.measured, strict=True)
        return {"statistics": [{"encoding": encoding.spec(), **asdict(one)} for encoding, one in both]}


@dataclass(frozen=True)
class Stats(Report[TableEncoding]):
    """Indicators of one or several encodings at the same positions; `pecli.reports.indicators` defines each.

    translation invariance : how far the measure m(p, p + Δ) spreads over the positions p, over the range of all m:
        the widest and the mean over the offsets Δ. 0 where the measure is a function of the offset alone.
    monotonicity : the share of the steps from one offset to the next at which the mean distance grows, and the first
        offset at which it falls, the wrap-around of a clock.
    symmetry : the mean of |m(p, p + Δ) − m(p, p − Δ)| over the range: 0 where ahead and behind look alike.
    uniqueness : the smallest Euclidean distance of two different positions, and which they are.
    effective dimension : participation ratio (Σ λ)² / Σ λ² of the covariance's eigenvalues, from 1 to d.
    correlation : linear and rank, of two measures over all pairs, the cloud of `pecli scatter`.
    slow pairs : those whose wavelength is longer than the sequence: they never finish a turn.
    critical dimension : the columns whose pairs make a whole turn within the sequence (of powers of one base).
    Σ cos < 0 : the first offset at which a vector has a negative product with itself moved so far. A base is large
        enough for a length where there is none (arXiv:2405.14591): not monotone, so sweep bases finely.

    Notes
    -----
    The first three properties are those of Wang et al. 2021, On Position Embeddings in BERT, ICLR 2021; the indicators
    are our own and taken from the vectors, not from attention. Where a formula proves that the measure depends on the
    offset alone (sines and cosines, even d), its spread and asymmetry are 0 and not measured. Of more than 2,000
    positions symmetry and correlation see an even choice of that many; everything else sees every pair.
    """

    name: ClassVar[str] = "stats"
    summary: ClassVar[str] = "What can be measured of encodings, side by side"
    defines: ClassVar[str] = (
        "of all pairs of positions, or those of one position in some where there are more than 2,000; each "
        "row is defined here"
    )
    row_meanings: ClassVar[Mapping[str, str]] = {label: row.meaning for label, row in ROWS.items()}
    example: ClassVar[str] = "pecli stats sinusoidal clock binary --length 512"
    examples: ClassVar[tuple[str, ...]] = ("pecli stats rope:base=500000 -n 4096",)
    several: ClassVar[bool] = True
    specs_are_arguments: ClassVar[bool] = True

    measure: str = measure_option("euclidean")
    against: str = choice_of_measure("corr", "the measure that it is correlated with")

    def shape(self, view: View[TableEncoding]) -> tuple[int, ...]:
        return max((self._largest(one, view) for one in view.encodings), key=lambda shape: float(np.prod(shape)))

    def _largest(self, encoding: TableEncoding, view: View[TableEncoding]) -> tuple[int, ...]:
        """The largest of: a row of pairs at a time, pairs of the sample, products of columns, the table by chunks."""
        length = encoding.covered(view.positions).length
        sides = min(length, SAMPLE)
        exact = is_by_offset(encoding, MEASURES[self.measure])
        shapes = [(2 if exact else 4, length), (3, sides, sides), (min(length, encoding.width), encoding.width)]
        return max([*shapes, (sides, encoding.width)], key=lambda shape: float(np.prod(shape)))

    def compute(self, view: View[TableEncoding]) -> StatsNumbers:
        measured = tuple(indicators(one, view.positions, self.measure, self.against) for one in view.encodings)
        values = np.array([list(flat(one).values()) for one in measured], dtype=np.float64)
        return StatsNumbers(view=view, values=values, encoding=np.arange(len(measured)), measured=measured)

    def show(self, numbers: StatsNumbers, width: int) -> list[Block]:
        pairs = list(zip(numbers.view.encodings, numbers.measured, strict=True))
        labels, texts = [phrase(label) for label in ROWS], [row.text for row in ROWS.values()]
        columns = [[encoding.spec(), *(text(one, encoding) for text in texts)] for encoding, one in pairs]
        positions, thinned = numbers.view.positions, max(one.thinned for one in numbers.measured)
        first, last = f"{positions.start:,}", f"{positions.stop - 1:,}"
        where = phrase("positions {first} to {last}", first=first, last=last)
        title = listing([where, MEASURES[self.measure].label])
        note = phrase("asymmetry and correlations: of one position in {count}", count=thinned) if thinned > 1 else ""
        tables = [side_by_side(["", *labels], some) for some in groups(columns, width - widest(labels))]
        spaced = [one for table in tables for one in (Paragraph(), table)]
        meanings = Facts({phrase(label): phrase(meaning) for label, meaning in self.row_meanings.items()})
        return [Paragraph(title), *spaced[1:], *([Paragraph(note)] if note else []), Paragraph(), meanings]


def groups(columns: list[list[str]], room: int) -> list[list[list[str]]]:
    """The columns in runs that stand side by side within so many characters; at least one a run."""
    runs: list[list[list[str]]] = []
    free = 0
    for column in columns:
        needed = BETWEEN + widest(column)
        if not runs or needed > free:
            runs.append([])
            free = room
        runs[-1].append(column)
        free -= needed
    return runs


def side_by_side(labels: list[str], columns: list[list[str]]) -> Table:
    """A table of columns, the first cell of each its header."""
    header, *rows = zip(labels, *columns, strict=True)
    return Table(header, rows, plain=True)


def flat(one: Indicators) -> dict[str, float]:
    """The indicators as numbers: NaN where one is not defined, the closest pair as two."""
    values = asdict(one)
    pair = values.pop("closest") or (np.nan, np.nan)
    named = {**values, "closest_p": pair[0], "closest_q": pair[1]}
    return {name: np.nan if value is None else value for name, value in named.items()}
