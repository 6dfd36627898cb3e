"""The report identify: the formula of a table, the command that draws it, and where table and formula differ."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, pi, sqrt
from typing import Any, TypedDict

from pecli.core.errors import PecliError, UsageError
from pecli.core.hub import is_hub, resolved
from pecli.core.language import join_clauses, join_or, listing, say
from pecli.core.lazy import np
from pecli.core.numbers import number_text
from pecli.core.options import Options, option
from pecli.core.terminal import Block, Facts, Paragraph
from pecli.encodings.base import TableEncoding, tensor_option
from pecli.encodings.biases import DirectedBias
from pecli.encodings.learned import Learned
from pecli.encodings.rope import Rope
from pecli.encodings.sincos2d import SinCos2D
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.files.documents import for_notebook
from pecli.files.tables import IN_MEMORY, array_name, file_label, hold, numbers_of, read_other, read_table
from pecli.measures.differences import Change
from pecli.measures.fits import FRONT, Fit
from pecli.measures.formulas import PAPER, TENSOR2TENSOR, Name
from pecli.measures.identify import FAR_OFF, MIN_ROWS, Identified, identify, identify_biases, identify_rates
from pecli.measures.kept import flattened, with_forgotten
from pecli.measures.rates import dynamic_factor
from pecli.reports.layers import ranges

MAX_ORDER = 8  # most columns of an order, and most ranges of rows or columns, that are listed
LAYOUTS = {
    "interleaved": "identify.sine_and_cosine_of",
    "concatenated": "identify.sines_in_one_half",
    "columns": "identify.sines_and_cosines_in",
}
COSINE_FIRST = "identify.cosine_first_or_the"
CHANGES = {
    "flipped": "identify.columns_with_the_wrong",
    "exchanged": "identify.columns_in_each_others",
    "copied": "identify.columns_copied",
    "scaled": "identify.columns_multiplied_by",
    "zero": "identify.columns_of_zeros",
    "raised": "identify.columns_with_added",
    "moved": "identify.from_row_on_the",
    "front": "identify.rows_of_later_positions",
    "heads": "identify.heads_with_other_biases",
}
HINTS = {
    "zeros": "identify.only_zeros",
    "constant": "identify.equal_rows",
    "negated": "identify.negated",
    "offsets": "identify.offsets_alone",
    "few_rates": "identify.too_few_rates",
}
UP_TO = {  # text keys of differences between the printed command's table and this one
    "positions": "identify.up_to_positions",
    "column_order": "identify.up_to_order",
    "scale": "identify.up_to_scale",
    "columns_of_zeros": "identify.up_to_zeros",
}
KEPT = {  # text keys of the forms in which the numbers can be stored
    "complex": "identify.kept_complex",
    "pairs": "identify.kept_pairs",
    "pairs_in_front": "identify.kept_pairs_in_front",
    "rotations": "identify.kept_rotations",
    "channels_in_front": "identify.kept_channels_in_front",
    "grid": "identify.kept_grid",
    "copied_halves": "identify.kept_copied_halves",
    "copied_columns": "identify.kept_copied_columns",
    "mixed_pairings": "identify.kept_mixed_pairings",
    "rising_rates": "identify.kept_rising_rates",
    "sines_negated": "identify.kept_sines_negated",
    "cosines_negated": "identify.kept_cosines_negated",
    "cosines": "identify.kept_cosines",
    "sines": "identify.kept_sines",
    "standing_columns": "identify.kept_standing_columns",
    "sines_first": "identify.kept_sines_first",
    "sines_twice": "identify.kept_sines_twice",
    "sines_for_cosines": "identify.kept_sines_for_cosines",
    "cosines_for_sines": "identify.kept_cosines_for_sines",
    "names_exchanged": "identify.kept_names_exchanged",
    "angles": "identify.kept_angles",
    "divisors": "identify.kept_divisors",
    "slopes": "identify.kept_slopes",
    "biases": "identify.kept_biases",
    "biases_of_one_query": "identify.kept_biases_of_one_query",
    "bucketed_biases": "identify.kept_bucketed_biases",
    "transposed": "identify.kept_transposed",
    "rows_reversed": "identify.kept_rows_reversed",
    "rows_tiled": "identify.kept_rows_tiled",
    "rows_repeated": "identify.kept_rows_repeated",
    "columns_in_fours": "identify.kept_columns_in_fours",
    "half_positions": "identify.kept_half_positions",
    "octaves": "identify.kept_octaves",
}
ROUNDED = {  # text keys of what was rounded to a smaller number type
    "rates": "identify.what_rates",
    "positions": "identify.what_positions",
    "angles": "identify.what_angles",
    "rates_and_positions": "identify.what_rates_positions",
    "rates_positions_and_angles": "identify.what_all",
}
PRINTED = {"digits": "identify.printed_digits", "decimals": "identify.printed_decimals"}  # text keys
UNITS = {  # rate of pair 0 if degrees and radians were confused, and its text key
    pi / 180: "identify.angles_taken_for_degrees",
    180 / pi: "identify.angles_turned_into_degrees",
}


class FormulaName(TypedDict):
    """A formula that gives the same table."""

    name: str
    base: float | None


class ChangeData(TypedDict):
    """A known change of columns or rows: its kind, the columns or rows, and an amount."""

    kind: str
    at: list[int]
    amount: float


class IdentifyData(TypedDict):
    """The --json output for a table or rates; numbers are null if no formula was found."""

    table: str
    identified: bool
    formula: str
    names: list[FormulaName]
    bases: list[float | None]
    spec: str | None
    kept: list[str]
    alike: list[str]
    same: bool
    up_to: list[str]
    hint: str | None
    command: str | None
    layout: str | None
    cosine_first: bool | None
    rate: float | None
    column_order: list[int] | None
    scale: float | None
    first_position: float | None
    positions: list[int]
    number_type: str
    filled_columns: int
    rows_in_front: list[int]
    rows_of_zeros: list[int]
    difference: float | None
    place: list[int] | None
    wrong: int
    wrong_columns: list[int]
    wrong_rows: list[int]
    changes: list[ChangeData]
    noise: float
    rounding: str | None
    exact_difference: float | None
    exact_difference_from: float | None
    correct: bool
    explained: float
    rank: int
    periods: list[float]


@dataclass(frozen=True)
class IdentifyReport:
    """The formula of a table. It displays itself in a notebook.

    Attributes
    ----------
    name : the table's name in sentences
    file : file and tensor that were read, None for rates
    found : the result
    length : number of rows of the table, 0 for rates
    """

    name: str
    file: Learned | None
    found: Identified
    length: int

    @property
    def data(self) -> dict[str, Any]:
        """The report as plain values, as ``pecli identify --json`` prints them."""
        found, fit = self.found, self.found.fit
        data: IdentifyData = {
            "table": self.name,
            "identified": found.certain,
            "formula": self.sentence(),
            "names": [{"name": formula.name, "base": None if found.bases else base} for formula, base in found.names],
            "bases": [base if isfinite(base) else None for base in found.bases],
            "spec": found.encoding.spec() if found.encoding else None,
            "kept": list(found.kept),
            "alike": [each.spec() for each in found.alike],
            "same": found.rebuilt,
            "up_to": list(found.up_to),
            "hint": found.hint or None,
            "command": self.lines()[0] if found.encoding else None,
            "layout": None if fit is None else fit.layout,
            "cosine_first": None if fit is None else fit.cosine_first,
            "rate": None if fit is None else fit.rate,
            "column_order": fit.column_order() if fit and fit.layout == "permuted" else None,
            "scale": found.scale if found.encoding else None,
            "first_position": self.first_position if self.length else None,
            "positions": list(found.positions),
            "number_type": found.number_type,
            "filled_columns": found.filled,
            "rows_in_front": list(found.unlike),
            "rows_of_zeros": list(found.zeros),
            "difference": found.difference if isfinite(found.difference) else None,
            "place": list(found.place) if found.place else None,
            "wrong": found.cells,
            "wrong_columns": list(found.columns),
            "wrong_rows": list(found.rows),
            "changes": [{"kind": each.kind, "at": list(each.at), "amount": each.amount} for each in found.changes],
            "noise": found.noise,
            "rounding": found.rounding or None,
            "exact_difference": found.off or None,
            "exact_difference_from": found.off_from,
            "correct": found.correct,
            "explained": found.explained,
            "rank": found.rank,
            "periods": list(found.periods),
        }
        return {**data}

    def __repr__(self) -> str:
        return f"<pecli identify: {self.sentence()}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return for_notebook([*self.blocks(), *map(Paragraph, self.lines())])

    def sentence(self) -> str:
        """Return the result in one sentence."""
        found, encoding, fit = self.found, self.found.encoding, self.found.fit
        if encoding is None:
            return self._without_formula()
        what, unit = grid_title(encoding, found.names), UNITS.get(fit.rate, "") if fit else ""
        if fit and found.names and not getattr(encoding, "sides", ()):
            text = "identify.rope_d" if isinstance(encoding, Rope) else "identify.sinusoidal_d"
            what = say(text, d=found.filled, name=formula_text(found.names[0], found.bases))
            if fit.rate != 1 and fit.kind != "linear" and not unit:
                what = listing([what, self._rates_text(fit.rate)])
            if (dtype := getattr(encoding, "dtype", "float64")) != "float64":
                what = listing([what, say("identify.computed_in", dtype=dtype)])
        elif getattr(encoding, "sides", ()):
            others = [formula_text(name) for name in found.names[:1] if name[0] not in (PAPER, TENSOR2TENSOR)]
            what = listing([what, *others])
        if fit and fit.layout == "permuted":
            what = listing([what, order_text(fit)])
        if found.positions:
            what = listing([what, say("identify.rows_at_positions", at=ranges(found.positions, MAX_ORDER))])
        text = "identify.name_what"
        if found.noise:
            text = "identify.close_to_but_not"
        elif found.cells and not found.changes:
            text = "identify.but_of_numbers_differ"
        elif unit or found.computed_short or (found.names and found.names[0][0].mistake):
            text = "identify.known_mistake"
        what = listing([what, unit and say(unit), *kept_texts(found.kept), rounding_text(found.rounding)])
        numbers = {"count": found.cells, "all": f"{self.length * found.filled:,}"}
        main = say(text, name=self.name, what=what, noise=number_text(found.noise, 2), **numbers)
        padding, empty = (tuple(row for row in found.zeros if (row < FRONT) == front) for front in (True, False))
        zeros = [
            say(key, at=ranges(rows, MAX_ORDER), count=len(rows))
            for key, rows in (("identify.rows_of_padding", padding), ("identify.rows_of_zeros", empty)) if rows
        ]  # fmt: skip
        others = [other_options(encoding, each) for each in found.alike if not isinstance(each, Sinusoidal)]
        others += [say("identify.timesteps")] * (len(others) < len(found.alike))
        alike = say("identify.alike", others=join_or(others))
        alike = join_clauses([alike, dynamic_text(found.alike)]) if found.alike else ""
        return join_clauses([main, *map(change_text, found.changes), *zeros, alike])

    def _rates_text(self, rate: float) -> str:
        """Return, as text, that all rates are multiplied by `rate`, which may mean that rows were skipped."""
        if rate % 1 or self.found.start < 0 or self.found.start % 1:
            return say("identify.rates_times", rate=f"{rate:.6g}")
        places = (f"{(self.found.start + row) * rate:.9g}" for row in range(3))
        return say("identify.rates_or_rows", rate=f"{rate:.6g}", at=listing([*places, "…"]))

    def _without_formula(self) -> str:
        """Return one sentence on a table for which no formula was found."""
        text = "identify.no_formula_the_strongest"
        if self.found.hint:
            text = HINTS[self.found.hint]
        elif not self.length:
            text = "identify.no_base_and_no"
        elif self.length < MIN_ROWS:
            text = "identify.its_rows_are_too"
        elif self.found.fit:
            text = "identify.sines_and_cosines_but"
        return say(text, name=self.name, share=self.found.explained, count=self.length)

    def blocks(self) -> list[Block]:
        """Return the blocks to print: the sentence and the facts that support it."""
        found, fit, width = self.found, self.found.fit, self.found.width or self.found.filled
        waves = listing(number_text(period, 3) for period in found.periods)
        facts = {
            say("identify.strongest_waves_of_all"): waves and say("identify.waves_positions", waves=waves),
            say("identify.99_of_the_variance"): waves and say("identify.principal_components", count=found.rank),
            say("identify.the_same_formula"): join_clauses(map(formula_text, found.names[1:])),
        }
        if fit:
            order = listing(
                [
                    order_text(fit) if fit.layout == "permuted" else say(LAYOUTS[fit.layout]),
                    say(COSINE_FIRST) * fit.cosine_first,
                ]
            )
            grid = bool(getattr(found.encoding, "sides", ()))
            facts[say("identify.order_of_columns")] = say("identify.within_each_axis", order=order) if grid else order
        if self.length and (fit or found.encoding):
            d, scale = found.filled, found.scale
            known = {sqrt(d): "√d = ", 1 / sqrt(d): "1/√d = ", sqrt(2 / d): "√(2/d) = "}  # √(2/d) gives rows of norm 1
            facts |= {
                say("identify.position_of_row", row=self.front): str(self.first_position + self.front),
                say("identify.rows_of_another_kind"): row_text(found.unlike),
                say("identify.columns_of_zeros_2"): f"{width - d}" * (d < width),
                say("identify.scale"): f"{known.get(scale, '')}{scale:.6g}" * (scale != 1),
            }
        if fit and fit.rate != 1 and fit.kind != "linear":
            facts[say("identify.step")] = f"{fit.rate:.6g}"
        place = say("identify.row_column", row=found.place[0], column=found.place[1]) if found.place else ""
        far = number_text(found.difference, 3) if isfinite(found.difference) else ""
        facts |= {
            say("identify.numbers"): found.number_type,
            say("identify.numbers_that_differ"): f"{found.cells:,}" * bool(found.cells),
            say("identify.columns_that_differ"): counted(found.columns),
            say("identify.rows_that_differ"): counted(found.rows),
            say("identify.noise"): number_text(found.noise, 2) * bool(found.noise),
            say("identify.largest_difference"): listing([far, place * bool(found.cells)]),
            say("identify.from_exact"): self._from_exact(),
            say("identify.the_line_below"): self.kept(),
        }
        if self.length >= MIN_ROWS and not (fit or found.encoding or found.hint):
            facts[say("identify.tried")] = say("identify.what_was_tried")
        told = {name: fact for name, fact in facts.items() if fact}
        return [Paragraph(self.sentence()), Paragraph(), Facts(told)]

    def _from_exact(self) -> str:
        """Return how far numbers of rounded rates, positions or angles are from the exact ones; "" if they are not."""
        found = self.found
        if not found.off:
            return ""
        far = say("identify.from_exact_up_to", far=number_text(found.off, 3))
        if found.off_from is None:
            return far
        return listing([far, say("identify.from_exact_at", limit=FAR_OFF, at=f"{found.off_from:,.9g}")])

    def kept(self) -> str:
        """Return, as text, how the table that the printed command draws differs from this one; "" if they are equal."""
        found = self.found
        damage = {
            "identify.up_to_differing": found.cells if not (found.changes or found.noise) else 0,
            "identify.up_to_changes": len(found.changes),
            "identify.up_to_zero_rows": len(found.zeros),
            "identify.up_to_rows_in_front": len(found.unlike),
            "identify.up_to_noise": int(found.noise > 0),
        }
        damaged = [say(key, count=count) for key, count in damage.items() if count]
        if found.encoding is None or (found.same and not found.up_to and not damaged):
            return ""
        if "octaves" in found.kept:
            return say("identify.same_ratio")
        if not found.same:
            return say("identify.what_was_probably_meant")
        parts = [
            say(UP_TO.get(part, "identify.up_to_rounding"), scale=f"{found.scale:.6g}", dtype=part)
            for part in found.up_to
            if part not in found.kept
        ]
        rounded = tuple(name for name in found.kept if name.partition("_")[2] in ROUNDED)
        biases = isinstance(found.encoding, DirectedBias) and "slopes" not in found.kept
        form = [say("identify.up_to_form")] if len(found.kept) > len(rounded) and not biases else []
        parts = [*damaged, *form, *kept_texts(rounded), *parts]
        if "bucketed_biases" in found.kept:
            return say("identify.same_buckets")
        what = say("identify.same_biases" if biases else "identify.same_table")
        return say("identify.same_up_to", what=what, parts=listing(parts)) if parts else what

    @property
    def first_position(self) -> float:
        """The position of row 0."""
        if self.found.positions:
            return self.found.positions[0]
        moved = sum(int(each.amount) for each in self.found.changes if each.kind == "front" and 0 in each.at)
        return self.found.start + moved + (self.length - 1 if "rows_reversed" in self.found.kept else 0)

    @property
    def front(self) -> int:
        """The first row that is neither of zeros nor of another kind, such as a class token's."""
        aside = {*self.found.unlike, *self.found.zeros}
        return next(row for row in range(self.length) if row not in aside)

    @property
    def drawn(self) -> dict[str, Any]:
        """The options that draw the formula; {} if no formula was found."""
        encoding, places = self.found.encoding, self.found.positions
        if encoding is None:
            return {}
        if places:
            return {"encoding": encoding.spec(), "start": min(places), "length": max(places) - min(places) + 1}
        if getattr(encoding, "sides", ()) or not self.length:
            return {"encoding": encoding.spec()}
        if self.found.start % 1:
            return {"encoding": encoding.spec(), "length": self.length}
        moved = {row for each in self.found.changes if each.kind == "front" for row in each.at}
        front = next(row for row in range(self.front, self.length) if row not in moved)
        return {"encoding": encoding.spec(), "start": self.found.start + front, "length": self.length - front}

    @property
    def _figure_without_rows(self) -> str:
        """The figure that draws biases, slopes or rates, which have no rows of positions."""
        return "bias" if isinstance(self.found.encoding, DirectedBias) else "spectrum"

    def lines(self) -> list[str]:
        """Return the command that draws the formula found, or the formula that was probably meant.

        If there is neither, return the command that draws the Fourier spectrum of the table's file. The list is empty
        if there is nothing to draw.
        """
        options = self.drawn
        if options:
            start = f" --start={options['start']}" if options.get("start") else ""
            length = f" -n {options['length']}" if "length" in options else ""
            figure = "heatmap" if self.length else self._figure_without_rows
            return [f"pecli {figure} -e {shlex.quote(options['encoding'])}{start}{length}"]
        if (
            self.found.hint in ("zeros", "constant")
            or self.file is None
            or self.length < MIN_ROWS
            or (self.file.file or "").startswith(IN_MEMORY)
        ):
            return []
        return [f"pecli fourier -e {shlex.quote(self.file.spec())}"]

    def picture(self) -> tuple[str, dict[str, Any]]:
        """Return the figure that compares table and formula, and its options.

        The difference is included if the columns have the same order.

        Raises
        ------
        PecliError : there is no formula
        """
        options, fit = self.drawn, self.found.fit
        if not options:
            raise PecliError(f"{self.sentence()}: there is no formula to compare it with in a picture")
        if not self.length:
            return self._figure_without_rows, options
        if self.file is None or self.found.kept or self.found.positions:
            return "heatmap", options
        table = replace(self.file, first_position=int(self.found.start), divisor=self.found.scale)
        alike = (fit is None or fit.layout != "permuted") and self.found.filled == table.width
        return "compare", {**options, "encoding": [table.spec(), options["encoding"]], "difference": alike}


def grid_title(encoding: TableEncoding, names: Sequence[Name]) -> str:
    """Return the title of an encoding; of a grid with tensor2tensor's exponents, the title with their base."""
    if not (isinstance(encoding, SinCos2D) and names and names[0][0] is TENSOR2TENSOR):
        return encoding.title()
    return listing([replace(encoding, base=names[0][1]).title(), say("identify.exponent_j_d_grid")])


def counted(numbers: Sequence[int]) -> str:
    """Return sorted integers as text with their number; "" for none."""
    return say("identify.counted", count=len(numbers), at=ranges(numbers, MAX_ORDER)) if numbers else ""


def formula_text(item: Name, bases: tuple[float, ...] = ()) -> str:
    """Return a formula with its base, or with its range of bases, as text."""
    first, last = (f"{base:,.10g}" for base in bases or (item[1], inf))
    range_ = "words.first_to_last" if last != "inf" else "identify.base_or_more"
    return say(item[0].sentence, base=say(range_, first=first, last=last) if bases else first)


def order_text(fit: Fit) -> str:
    """Return the permutation of a fit's columns as text: its name, or the first indices if it has no name."""
    order = fit.column_order()
    d = len(order)
    orders = {
        "identify.columns_reversed": [*range(d)][::-1],
        "identify.halves_reversed": [*range(0, d, 2), *range(1, d, 2)][::-1],
        "identify.pairs_reversed": [column for pair in range(0, d, 2)[::-1] for column in (pair, pair + 1)],
    }
    name = next((name for name, usual in orders.items() if usual == order), "")
    if name:
        return say(name)
    first = next((at for at, column in enumerate(order) if at != column), 0)
    first = first if first >= MAX_ORDER else 0  # begins with a column that is elsewhere
    columns = ["…"] * bool(first) + [*map(str, order[first : first + MAX_ORDER])] + ["…"] * (first + MAX_ORDER < d)
    return say("identify.columns_in_another_order", order=", ".join(columns))


def other_options(encoding: TableEncoding, other: TableEncoding) -> str:
    """Return the options in the spec of `other` that are not in the spec of `encoding`."""
    known = {*encoding.spec().replace(":", ",").split(",")}
    return ",".join(each for each in other.spec().partition(":")[2].split(",") if each not in known)


def kept_texts(kept: tuple[str, ...]) -> list[str]:
    """Return texts on how the table's numbers are stored, and on what was rounded."""
    texts = list[str]()
    for name in kept:
        dtype, _, what = name.partition("_")
        if dtype == "copies" and what.isdecimal():
            texts.append(say("identify.kept_copies", count=int(what)))
            continue
        twice = name == "sines" and len(kept) > 1 and kept[-2].startswith("copied")
        rounded = "" if name in KEPT else say("identify.kept_rounded", what=say(ROUNDED[what]), dtype=dtype)
        texts.append(rounded or say(KEPT["sines_twice" if twice else name]))
    return texts


def rounding_text(rounding: str) -> str:
    """Return, as text, how rates were rounded; "" if they were not."""
    form, _, count = rounding.partition("_")
    if not count:
        return say("identify.rounded_to", dtype=form) if form else ""
    return say(PRINTED[form], count=int(count))


def row_text(rows: Sequence[int]) -> str:
    """Return rows as text, "row 0" or "rows 0, 1"; "" for none."""
    return say("identify.rows_at", at=listing(map(str, rows)), count=len(rows)) if rows else ""


def change_text(change: Change) -> str:
    """Return a known change of columns or rows as text."""
    amount = number_text(change.amount, 6)
    return say(CHANGES[change.kind], at=listing(map(str, change.at)), amount=amount, count=abs(change.amount))


def dynamic_text(alike: Sequence[TableEncoding]) -> str:
    """Return, as text, which dynamic scaling has the same rates as an NTK-aware one in `alike`; "" if there is none."""
    growth = next((each.factor for each in alike if isinstance(each, Rope) and each.scaling == "ntk"), None)
    factor = None if growth is None else dynamic_factor(growth)
    return "" if factor is None else say("identify.as_dynamic", factor=factor)


@dataclass(frozen=True)
class IdentifyOptions(Options):
    """Options of identify besides the file."""

    rates: tuple[float, ...] | None = option(
        None, "rates to identify instead of a table, in rad/position, beginning with pair 0: 1,0.5,…", at_least=0
    )
    base: float | None = option(
        None,
        "read the numbers as divisors of this base's rates, as in llama.cpp's rope_freqs",
        above=1,
        flags=("-k",),
    )
    tensor: str | None = tensor_option()


def read_and_identify(
    table: Any, tensor: str | None = None, rates: tuple[float, ...] | None = None, base: float | None = None
) -> IdentifyReport:
    """Return the report on a table (a path, ``path#tensor``, hf:org/name or an array) or on rates.

    base : if given, the numbers are divisors of the rates base^(−2j/d), as in llama.cpp's files

    Raises
    ------
    UsageError : neither a table nor rates, both, or a table that cannot be read
    """
    if (table is None) == (rates is None):
        raise UsageError("pecli identify needs a table or --rates, but not both")
    if rates is not None:
        return IdentifyReport(say("identify.the_rates"), None, identify_rates(np.array(rates), base), 0)
    path, named = "", False
    if isinstance(table, (str, os.PathLike)):
        path = os.fspath(table)
        if tensor is None and not is_hub(path) and "#" in path and not os.path.exists(path):
            path, _, tensor = path.rpartition("#")
        path = resolved(path)
        array, named = read_other(path, tensor)
    else:
        array = numbers_of(table)
    kept: tuple[str, ...] = ()
    biases = read_table(path, tensor, dimensions=1) if array is None else array
    if base is None and (alibi := identify_biases(biases)) is not None:
        return IdentifyReport(file_label(path or array_name(biases)), None, alibi, 0)
    if array is None:
        numbers = biases
    else:
        kept, array = flattened(array)
        held = hold(array[None] if array.ndim < 2 else array, "{}")
        path = path or held
        numbers = read_table(held)
    if 1 in numbers.shape:
        found = identify_rates(numbers.ravel(), base)
        return IdentifyReport(file_label(path), None, found, 0)
    if base is not None:
        raise UsageError("--base needs divisors, one number per pair, not a table", option="base")
    found = identify(numbers)
    file = None if kept else Learned(file=path, tensor=tensor)
    length = numbers.shape["transposed" in found.kept]
    if {"rows_tiled", "rows_repeated"} & {*found.kept}:
        length = len(np.unique(numbers, axis=0))
    sines_first = "sines_first" in found.kept or bool(found.fit and not found.fit.cosine_first)
    kept = with_forgotten((*kept, *found.kept), named, sines_first)
    return IdentifyReport(file_label(path), file, replace(found, kept=kept), length)
