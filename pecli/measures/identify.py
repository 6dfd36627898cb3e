"""Find the formula behind a table: its parameters, the encoding that draws it, and the values that differ.

A table may be the binary digits of positions; sines and cosines by one of the formulas, of positions or of the rows and
columns of a grid; or waves with arbitrary rates. Each is tried in turn: parameters are estimated robustly, rounded as
far as the table allows, and judged by how many values then match up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, product
from math import cos, exp, inf, log, pi, prod, sqrt
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUND, ROUNDING, chunks
from pecli.encodings.base import TableEncoding
from pecli.encodings.binary import MAX_BITS, Binary
from pecli.encodings.clock import NAMED, Clock, Geometric
from pecli.encodings.grid import SCALES
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.rope import Rope
from pecli.encodings.sincos2d import SinCos2D
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.files.tables import REAL_KINDS
from pecli.measures.differences import RELATIVE, Change, Differences, Expected, differences
from pecli.measures.fits import (
    CIRCLE,
    DOUBLE,
    EXACT,
    FIRST,
    FRONT,
    NOISE,
    SINGLE,
    SINGLE_RATE,
    STILL,
    Fit,
    first_position,
    fits_of,
    median_frequencies,
    pairs_of,
    rate_guesses,
    rows_of,
    shortest_decimal,
    simplified,
    usual_layouts,
)
from pecli.measures.formulas import (
    FLOORED,
    LARGEST,
    OCTAVES,
    PAPER,
    TENSOR2TENSOR,
    UNDIVIDED,
    USUAL,
    USUAL_RADIX,
    Formula,
    Name,
    bases_near,
    encoding_of,
    equivalent_bases,
    expected_of,
    is_round,
    matching_formulas,
)
from pecli.measures.kept import (
    FAST,
    MISTAKES,
    NEGATED,
    Waves,
    angles_of,
    axes_of_grid,
    holds_waves,
    kept_numbers,
    octaves,
    roundings,
    single_waves,
    standing_columns,
    without_copies,
    without_repeated_rows,
)
from pecli.measures.rates import (
    BASES,
    BLENDS,
    alibi_of,
    by_offset,
    ntk_equivalent,
    partial_ropes_of,
    rates_of,
    ropes_of,
    slopes_of,
    t5_of,
    tensor2tensor_of,
)
from pecli.measures.waves import power_spectrum
from pecli.measures.written import EXACT_DIGITS, LEAST, SHARES, Written, precision, rounding_of, ways

MIN_ROWS = 4  # fewest rows that determine rate, phase, radius and a residual
FITTED = 1 << 16  # largest number of values used for a fit
SMALLEST = 1e-60  # tables with a smaller maximum are not identified: fourth powers would underflow
TYPE_SHARE = 0.5  # a table has a number type if at least this share of its values does
MAX_WRONG = 0.1  # largest share of values that may differ from a formula with arbitrary rates
FEW = 0.01  # if a larger share of values is unexplained, other forms are tried, and a formula with noise is rejected
CLEAN = 6  # first number of `Identified.standing` if a formula explains every value without changes
MAX_ALIKE = 3  # alternatives listed beside an encoding
LOOSE = 0.5  # largest tolerance, for waves from −1 to 1, with which numbers count as equal
FAR_OFF = 0.1  # difference from the exact numbers, of waves from −1 to 1, that is reported with its position
MAX_HANDS = 6  # most hands of a clock
PAIRINGS = {  # pairing of RoPE by column order, or by how columns are copied
    "interleaved": "interleaved",
    "copied_columns": "interleaved",
    "concatenated": "half",
    "copied_halves": "half",
}
SHORT_TYPES = ("bfloat16", "float16")
TYPES = (*SHORT_TYPES, "float32")
UNDEFINED = 1e30  # placeholder for positions at which the encoding is undefined
UNITS = (pi / 180, 180 / pi)  # first rate of formulas that confuse degrees and radians


@dataclass(frozen=True, kw_only=True)
class Identified(Differences):
    """The formula that a table was identified as, and where the table differs from it.

    number_type : smallest type that holds all values, or with a known formula most of them; float64 otherwise
    filled, width : number of columns up to the last that is not all zero, and of all columns; width is 0 for rates
    fit : fitted sinusoids, None if none fit
    names : equivalent formulas, each with its base, the simplest first
    bases : smallest and largest integer base (or inf) that give the same table if several do; otherwise ()
    encoding : encoding that draws the table, or None; row 0 of the table is at its position `start`
    kept : names of the forms in which the numbers are stored, outermost first (see `pecli.measures.kept`); () if they
      are the encoding's own table
    alike : other encodings that fit equally well, at most MAX_ALIKE
    same : True if `encoding` gives the formula's values, False if it is the encoding that was probably intended
    scale : factor by which the formula's values are multiplied
    hint : "zeros" if all numbers are zero; "constant" if all rows are equal; "offsets" if the numbers depend on the
        offset alone, but no bias has them; "negated" if only the negative of the table has a formula; "few_rates" if
        fewer than two rates are above 0; otherwise ""
    off, off_from : if rates, positions or angles were rounded to a short type: the largest difference from the exact
      numbers, and the first position at which they differ by more than FAR_OFF, or None
    positions : the position of each row if they are not consecutive; otherwise ()
    rounding : how rates were rounded, as `pecli.measures.written.rounding_of` returns it
    exact : True if no number is rounded, such as biases with slopes that are powers of two
    certain : True if all values match up to rounding, or known changes explain those that differ
    noise : rms of noise in all values; 0 if most values match up to rounding
    explained, rank, periods : set if no formula was found: the share of variance in the strongest wave of each column,
      the number of principal components with 99 % of the variance, and the three strongest periods in positions
    """

    number_type: str
    filled: int
    width: int = 0
    fit: Fit | None = None
    names: tuple[Name, ...] = ()
    bases: tuple[float, ...] = ()
    encoding: TableEncoding | None = None
    kept: tuple[str, ...] = ()
    alike: tuple[TableEncoding, ...] = ()
    same: bool = False
    start: float = 0
    scale: float = 1.0
    certain: bool = False
    noise: float = 0.0
    explained: float = 0.0
    rank: int = 0
    periods: tuple[float, ...] = ()
    hint: str = ""
    rounding: str = ""
    positions: tuple[int, ...] = ()
    off: float = 0.0
    off_from: float | None = None
    exact: bool = False

    @property
    def up_to(self) -> tuple[str, ...]:
        """Names of the ways in which this table differs from the encoding's, although the formula is the same.

        They are the names in `kept`, "positions", "column_order", "scale", "columns_of_zeros", and the number type of
        the table.
        """
        if self.encoding is None:
            return ()
        rounded = "" if self.exact or self._computed_alike else self.number_type.removeprefix("float64")
        order = "column_order" if self.fit and self.fit.layout == "permuted" else ""
        zeros = "columns_of_zeros" if self.filled < self.width else ""
        rows = "positions" if self.positions else ""
        return tuple(filter(None, (*self.kept, rows, order, "scale" if self.scale != 1 else "", zeros, rounded)))

    @property
    def _computed_alike(self) -> bool:
        """Whether the encoding is computed in the number type of the table."""
        return getattr(self.encoding, "dtype", "float64") == self.number_type

    @property
    def rebuilt(self) -> bool:
        """Whether the encoding reproduces every number of the table up to rounding."""
        damaged = self.cells or self.noise or self.zeros or self.unlike
        changed = {"positions", "column_order", "scale", "columns_of_zeros"} & {*self.up_to}
        return self.same and not (self.kept or damaged or changed)

    @property
    def correct(self) -> bool:
        """True if the table follows a formula without any known mistake.

        Rows of zeros at the start are none: they are those of padding or of a class token. Nor are rows that are
        equally far apart.
        """
        strange = self.fit and (self.fit.layout == "permuted" or self.fit.rate in UNITS)
        return self.certain and not (
            self.changes
            or any(row >= FRONT for row in self.zeros)
            or len({*np.diff(self.positions).tolist()}) > 1
            or strange
            or {*MISTAKES} & {*self.kept}
            or self.computed_short
            or any(formula.mistake for formula, _ in self.names[:1])
        )

    @property
    def computed_short(self) -> bool:
        """Whether rates, positions or angles were rounded to a short type, which changes more than the last digits."""
        return self.off > 0 or self.rounding in SHORT_TYPES

    @property
    def standing(self) -> tuple[int, int]:
        """Sort key for how well the table is explained, larger if better.

        Among equally good results, one with fewer changes or differing values is better.
        """
        if not self.certain:
            return (0 if self.encoding is None else 1 if self.noise and self.cells else 2), -self.cells
        fit = self.fit  # clock hands or permuted columns can fit such rates by chance
        odd = fit and (fit.layout == "permuted" or float(f"{fit.rate:.3g}") != fit.rate not in UNITS)
        return CLEAN - bool(self.changes) - 2 * bool(fit and odd and fit.kind != "linear"), -len(self.changes)


def identify(table: Array) -> Identified:
    """Identify the formula of a table, (length, d), whose values are all finite."""
    blank = Identified(number_type=type_of(table, TYPE_SHARE), filled=table.shape[1], width=table.shape[1])
    if not SMALLEST < (largest := np.abs(table).max()) < 1 / SMALLEST:
        return replace(blank, hint="zeros" * bool(largest == 0))
    if (table == table[0]).all():
        return replace(blank, number_type=type_of(table), hint="constant")
    best = best_kept(table, blank)
    if best.encoding is None:
        hint = hint_of(table) if len(table) >= MIN_ROWS else ""
        best = replace(best, number_type=type_of(table), hint=hint)
    best = with_timesteps(best)
    return best if best.fit or best.encoding else replace(best, **spectrum_of(table))


def with_timesteps(best: Identified) -> Identified:
    """Return the result with the time steps of a diffusion model as `alike`, if they give the same table as RoPE."""
    rope, plain = best.encoding, best.certain and best.fit and not (best.kept or best.alike)
    if not (plain and isinstance(rope, Rope)) or rope.pairing != "half" or rope.dtype != "float64":
        return best
    step = best.fit.rate if best.fit else 1.0
    steps = Sinusoidal(d=rope.d, base=rope.base, family="timestep", shift=0.0, flip=True, step=step)
    return replace(best, alike=(steps,))


def best_kept(table: Array, blank: Identified, turned: bool = False) -> Identified:
    """Return the result that best explains the table, as it is or in one of the forms in which programs store tables.

    turned : whether the table is the transpose of another one
    """
    if (copies := without_copies(table)) is not None:
        name, table = copies
        found = best_kept(table, replace(blank, filled=table.shape[1], width=table.shape[1]), turned)
        if isinstance(found.encoding, Rope) and name in PAIRINGS:
            found = replace(found, encoding=replace(found.encoding, pairing=PAIRINGS[name]))
        return replace(found, kept=(name, *found.kept)) if found.encoding else found
    partial = partly_rotated(table, blank, turned)
    if partial and is_usual(partial.encoding):
        return partial
    if octaves(table):
        encoding = Geometric(d=table.shape[1], radix=2.0)
        return replace(blank, certain=True, encoding=encoding, kept=("octaves",), names=((OCTAVES, 2.0),))
    best = best_of(table, blank)
    few = best.encoding is not None and best.cells <= FEW * table.size
    if len(table) >= MIN_ROWS and not (best.certain or few):
        best = next((kept for kept in forms_of(table, blank, best, turned) if kept.certain), best)
    if partial and not best.certain:
        return partial
    return replace(best, kept=("half_positions",)) if best.start % 1 and not best.kept else best


def partly_rotated(table: Array, blank: Identified, turned: bool) -> Identified | None:
    """Return the result for RoPE that rotates only some columns, whose table is padded with columns that stand still.

    None if no columns stand still, or if the others have no formula. Cosines of slow pairs may also be 1 because of
    rounding; they are not counted as standing if the next pair of the series would be rounded to 1, too.

    turned : as for `best_kept`
    """
    if len(table) < MIN_ROWS or (still := standing_columns(table)) is None:
        return None
    part, width, kind = table[:, ~still], table.shape[1], blank.number_type
    found = best_kept(part, replace(blank, filled=part.shape[1], width=part.shape[1]), turned)
    rope, order = found.encoding, tuple[str, ...]()
    if isinstance(rope, Sinusoidal) and rope.family == "paper" and rope.step == 1 and rope.d % 2 == 0:
        rope = Rope(d=rope.d, base=rope.base, pairing=PAIRINGS[rope.layout], dtype=rope.dtype)
        order = ("sines_first",)
    kinds, tops = {"cosines", "sines"} & {*found.kept}, {*table[0, still].tolist()}
    if not (found.certain and isinstance(rope, Rope)) or rope.sides or rope.width != rope.d or found.changes:
        return None
    if tops != {"": {0.0, 1.0}, "cosines": {1.0}, "sines": {0.0}}["".join(kinds)]:
        return None
    d = rope.d * width // part.shape[1]
    whole = rope.base ** (d / rope.d)  # base of the series if no pair stood still
    slower = float(rope.frequencies()[-1]) * rope.base ** (-2 / rope.d)  # rate of the next pair
    visible = 1 - cos((len(table) - 1 + abs(found.start)) * slower) > RELATIVE[kind]
    if d % 2 or (kinds == {"cosines"} and not visible and whole < LARGEST):
        return None
    rope = replace(rope, d=d, rotary_dim=rope.d)
    kept = ("standing_columns", *found.kept, *order)
    return replace(found, encoding=rope, kept=kept, filled=width, width=width, alike=(), fit=None)


def is_usual(encoding: TableEncoding | None) -> bool:
    """Return True for an encoding with a round base that is not smaller than the usual one."""
    base = getattr(encoding, "base", 0.0)
    return is_round(base) and base >= USUAL


def forms_of(table: Array, blank: Identified, best: Identified, turned: bool) -> Iterator[Identified]:
    """Yield the results of reading the table in each form in which programs store tables, except copied columns.

    best : the result of reading the table as it is
    turned : whether the table is the transpose of another one
    """
    rounding = RELATIVE[blank.number_type]
    if (repeated := without_repeated_rows(table)) is not None:
        found = best_kept(repeated[1], blank, turned)
        yield replace(found, kept=(repeated[0], *found.kept))
    if (angles := angles_of(table, rounding)) is not None:
        yield of_waves(table, blank, angles)
    yield from rotary_grids(table, blank)
    if not turned and len(table.T) >= MIN_ROWS and holds_waves(table.T):
        found = best_kept(table.T, replace(blank, filled=len(table), width=len(table)), True)
        yield replace(found, kept=("transposed", *found.kept))
    if table.shape[1] % 4 == 0:
        fours = table.reshape(len(table), -1, 2, 2).transpose(0, 2, 1, 3).reshape(table.shape)
        found = best_explained([blank, *grid_of(fours, blank)])
        yield replace(found, kept=("columns_in_fours",))
    if holds_waves(table):
        yield from forms_of_waves(table, blank, best)
    yield from rows_elsewhere(table, blank)


def forms_of_waves(table: Array, blank: Identified, best: Identified) -> Iterator[Identified]:
    """Yield the results of reading a table whose columns are waves in each form in which programs store them.

    best : as for `forms_of`
    """
    rounding = RELATIVE[blank.number_type]
    if best.encoding is None:
        for waves in single_waves(table, rounding):
            yield of_waves(table, blank, waves)
        for waves in single_waves(-table, rounding):
            found = of_waves(-table, blank, waves)
            yield replace(found, kept=(f"{waves.kind}_negated", *found.kept))
        yield from negated_waves(table, blank)
        yield replace(best_of(table[::-1], blank), kept=("rows_reversed",))
        yield from rounded_waves(table, blank)
    yield from rounded_results(table, blank)
    yield from rising_waves(table, blank)


def rotary_grids(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results of reading the table as RoPE on a grid, half of its pairs for the row and half for the column.

    The formula is that of the rows, or of the columns if there are few rows; then it must explain all numbers.
    """
    for down, across in axes_of_grid(table):
        axis = down if len(down) >= MIN_ROWS else across
        found = best_kept(axis, replace(blank, filled=axis.shape[1], width=axis.shape[1]))
        rope = found.encoding
        if not (found.certain and isinstance(rope, Rope) and rope.scaling == "default" and not rope.sides):
            continue
        for axes in (None, "alternating"):
            encoding = replace(rope, d=2 * rope.d, grid=f"{len(down)}x{len(across)}", axes=axes)
            size = table.shape[1]
            whole = replace(found, encoding=encoding, filled=size, width=size, start=0, fit=None, alike=())
            told = with_differences(table, whole, np.arange(len(table), dtype=np.float64))
            yield from filter(None, [told])


def negated_waves(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results of reading the table with all its sines, or all its cosines, negated.

    Negated sines are those of positions with the other sign. A table of positions below 0 is therefore not reported as
    negated, but as rows in descending order.
    """
    for layout, _, cosine in usual_layouts(table.shape[1]) if table.shape[1] % 2 == 0 else ():
        signs = np.where(cosine, 1.0, -1.0)
        few = best_of(signs * table[:FIRST], blank)
        if not few.certain or few.start < 0 or (few.fit and few.fit.layout != layout):
            continue
        found = best_of(signs * table, blank)
        if found.encoding and not found.encoding.sides:
            of_sines = bool(kept_numbers(found.encoding, np.zeros(1), ())[0, np.argmin(cosine)] == 0)
            yield replace(found, kept=(NEGATED[0 if of_sines else 1], *found.kept))


def rising_waves(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results of reading the table as one from position 0 whose exponent lacks its minus: base^(2j/d)."""
    d, few = table.shape[1], np.arange(min(len(table), MIN_ROWS), dtype=np.float64)
    for layout, exponents, cosine in usual_layouts(d) if d % 2 == 0 and d > 2 else ():
        sines, cosines = pairs_of(exponents, cosine)
        fit = Fit("pairs", layout, cosine, exponents, 1.0)
        for name in ((PAPER, base) for base in (*rising_base(table[1, cosines] + 1j * table[1, sines]), *BASES)):
            encoding, same = encoding_of(fit, name, d)
            found = replace(blank, encoding=encoding, same=same, kept=("rising_rates",), names=(name,))
            expected = expected_of_encoding(found, SINGLE, 0.0)
            off = expected.mismatches(few, table[: len(few)], expected.numbers(few))
            if not off.any() and np.mean(expected.slack(few) < LOOSE) > 0.5:
                yield from filter(None, [with_differences(table, found, few)])


def rising_base(turns: Array) -> list[float]:
    """Return the base, to six digits, whose rates base^(2j/d) are the angles of the pairs at position 1, (n_pairs,).

    The rate of each pair is known from those of the slower ones but for whole turns. Returns [] if the base is not
    above 1.
    """
    angles = np.angle(turns) % (2 * pi)
    ratio = float(angles[1])
    for pair in range(2, len(angles)):
        turned = ratio**pair
        if not 1 < turned < 100:
            break
        ratio = abs(angles[pair] + 2 * pi * float(np.rint((turned - angles[pair]) / (2 * pi)))) ** (1 / pair)
    return [float(f"{ratio ** len(angles):.6g}")] if 1 < ratio ** len(angles) < LARGEST else []


def of_waves(table: Array, blank: Identified, waves: Waves) -> Identified:
    """Return the result for a table of angles, or of one wave per pair.

    The rates may have been rounded to a short type, bfloat16 or float16.
    """
    share, known = 4 * RELATIVE[blank.number_type] + 1e-9, np.isfinite(waves.rates)
    for kind in ("", *SHORT_TYPES):
        errors, kept = waves.errors, tuple(filter(None, [waves.kind, kind and f"{kind}_rates"]))
        if kind:
            off = np.abs(ROUND[kind](waves.rates) - waves.rates)
            if blank.number_type in SHORT_TYPES or np.any((off > waves.errors)[known]):
                continue
            errors = errors + waves.rates * SHARES[kind]
        ropes = (
            encoding
            for rope in ropes_of(waves.rates, errors) if rope.base > 1
            for encoding in (tensor2tensor_of(rope, waves.rates, errors), rope) if encoding
        )  # fmt: skip
        found = of_encodings(table, replace(blank, start=waves.start, kept=kept), ropes, waves.scale, share)
        if found.certain:
            return compared_with_exact(table, found)
    return blank


def rows_elsewhere(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results of reading each row as the vector of any position, such as rows selected by position ids.

    Only usual bases are tried, and all rows must match.
    """
    d, few = table.shape[1], slice(None, None, max(1, len(table) // FIRST))
    for layout, exponents, cosine in usual_layouts(d) if d % 2 == 0 and d > 2 else ():
        sines, cosines = pairs_of(exponents, cosine)
        waves = table[:, cosines] + 1j * table[:, sines]
        size = float(np.median(np.abs(waves)))
        if np.abs(np.abs(waves[few]) - size).max() > 0.02 * size or not size:
            continue
        share = 4 * RELATIVE[blank.number_type] + 1e-9
        scale = round_number(size, (1.0, sqrt(d), 1 / sqrt(d)), share)
        near = Fit("pairs", layout, cosine, exponents, scale)
        for formula, base in product((PAPER, TENSOR2TENSOR), BASES):
            fit = formula.with_base(near, d, base)
            expected = expected_of(fit, SINGLE, blank.number_type)
            for part in (few, slice(None)):
                rows = decoded_positions(np.angle(waves[part]), fit.frequencies()[sines])
                known = rows.min() >= 0 and 5 * SINGLE * rows.max() < LOOSE / 10
                if not known or expected.mismatches(rows, table[part], expected.numbers(rows)).any():
                    break
            else:
                encoding, same = encoding_of(fit, (formula, base), d)
                off = np.abs(table - expected.numbers(rows))
                row, column = (int(at) for at in np.unravel_index(np.argmax(off), off.shape))
                yield replace(
                    blank, certain=True, encoding=encoding, same=same, names=((formula, base),), fit=fit, scale=scale,
                    positions=tuple(rows.astype(int).tolist()), difference=float(off.max()), place=(row, column),
                )  # fmt: skip
                return


def decoded_positions(angles: Array, omega: Array) -> Array:
    """Return the position of each row, (n,), by the angles of its pairs, (n, n_pairs), the slowest pair first.

    The slowest pair must not have made half a turn; each faster one refines the position.
    """
    places = np.zeros(len(angles))
    for pair in np.argsort(omega):
        turned = angles[:, pair] - omega[pair] * places
        places += (turned - 2 * pi * np.rint(turned / (2 * pi))) / omega[pair]
    return np.rint(places)


def hint_of(table: Array) -> str:
    """Return "negated" if the negative of the table's first rows has a formula; otherwise ""."""
    blank = Identified(number_type=type_of(table[:FIRST], TYPE_SHARE), filled=table.shape[1], width=table.shape[1])
    return "negated" if best_of(-table[:FIRST], blank).certain else ""


def best_of(table: Array, blank: Identified) -> Identified:
    """Return the result that best explains the table; `blank`, the result without a formula, if none does."""
    best = blank
    for search in (binary_results, waves_of_formula, grid_of, waves_of_rates) if len(table) >= MIN_ROWS else ():
        found = best_explained((blank, *search(table, blank)))
        if found.certain or best.standing < (2,):  # otherwise the new one cannot be better
            best = best_explained((best, found))
        if best.standing[0] == CLEAN:
            break
    return compared_with_exact(table, best)


def best_explained(found: Iterable[Identified]) -> Identified:
    """Return the best explained result; among results without a formula, prefer one with a fit."""
    return max(found, key=lambda each: (each.standing, each.fit is not None))


def type_of(numbers: Array, share: float = 1.0) -> str:
    """Return the smallest number type that holds at least `share` of the non-integer values.

    Integers are ignored because every type holds them.
    """
    broken = numbers[np.rint(numbers) != numbers]
    kinds = TYPES if broken.size else ()
    return next((kind for kind in kinds if np.mean(ROUND[kind](broken) == broken) >= share), "float64")


def with_differences(table: Array, found: Identified, places: Array, noisy: bool = False) -> Identified | None:
    """Return the result with its differences from the table, or None if most values differ.

    Tolerances are tried in turn: none at all for bfloat16 and float16, otherwise rounding in float64, then in float32;
    then, if `noisy`, noise.

    places : row numbers to which the formula was fitted, (n,)
    """
    fit, kind = found.fit, found.number_type
    short = isinstance(found.encoding, Binary) or getattr(found.encoding, "dtype", "float64") != "float64"
    levels = [0.0] if short else [DOUBLE, SINGLE] if kind == "float64" else [SINGLE]

    def expected(level: float, noise: float = 0.0) -> Expected:
        if fit and not short and not (found.encoding and found.encoding.sides):
            return expected_of(fit, level, kind, noise)
        return expected_of_encoding(found, level, noise)

    for level in levels:
        if 5 * level * abs(found.start) > LOOSE:  # so far out, the tolerance explains any number
            break
        if (told := differences(table, expected(level), places)) is not None:
            if fit and fit.layout == "permuted" and {each.kind for each in told.changes} == {"exchanged"}:
                told = replace(
                    told, cells=0, columns=(), rows=(), changes=()
                )  # the columns are too similar to tell their order
            return replace(found, **vars(told), noise=0.0, certain=not told.cells or bool(told.changes))
    noise = 1.5 * float(np.median(np.abs(table[places.astype(int)] - expected(0.0).numbers(places))))
    if not noisy or noise > NOISE * found.scale:
        return None
    told = differences(table, expected(levels[-1], 6 * noise), places)
    if told is None or told.cells > FEW * table.size:
        return None
    return replace(found, **(vars(told) | {"changes": ()}), noise=noise, certain=False)


def expected_of_encoding(found: Identified, level: float, noise: float) -> Expected:
    """Return the values of the identified encoding, times the scale, with their tolerance.

    level : relative rounding error of the computation
    noise : additional absolute tolerance
    """
    encoding, scale = found.encoding, found.scale
    assert encoding is not None
    width = found.filled if found.kept else encoding.width
    cells = prod(encoding.sides) if encoding.sides else inf

    def numbers(rows: Array) -> Array:
        made, places = np.full((len(rows), width), UNDEFINED), rows + found.start
        if encoding.sides or isinstance(encoding, Binary):
            inside = (places >= 0) & (places < cells)
        else:
            inside = np.isfinite(places)
        with suppress(UsageError):  # the type cannot hold the angles
            made[inside] = scale * kept_numbers(encoding, places[inside], found.kept)
        return made

    rates = np.ones((1, 1))
    if isinstance(encoding, Harmonic) and "rising_rates" in found.kept:
        rates = encoding.arrange(*[1 / encoding.frequencies()[None]] * 2)

    def slack(rows: Array) -> Array:
        return noise + level * scale * (1 + 5 * np.abs(rows + found.start)[:, None] * rates)

    return Expected(numbers, slack, found.number_type, scale != 1)


def compared_with_exact(table: Array, found: Identified) -> Identified:
    """Return the result with `off` and `off_from`, if rates, positions or angles were rounded to a short type.

    They stay as they are if the numbers differ by no more than rounding of the finished table.
    """
    encoding: Any = found.encoding
    kept = tuple(name for name in found.kept if name.partition("_")[0] not in SHORT_TYPES)
    if not found.certain or (kept == found.kept and getattr(encoding, "dtype", "") not in SHORT_TYPES):
        return found
    exact = replace(found, encoding=replace(encoding, dtype="float64"), kept=kept)
    numbers, aside = expected_of_encoding(exact, 0, 0).numbers, [*found.unlike, *found.zeros]
    off = np.zeros(len(table))
    for window in chunks(0, *table.shape):
        own, rows = rows_of(table, window)
        off[window.start : window.stop] = np.abs(own[:, : found.filled] - numbers(rows)).max(axis=1)
    off[aside] = 0.0
    off[off > UNDEFINED / 2] = 0.0
    if off.max() <= 4 * RELATIVE[found.number_type] * np.abs(table).max():
        return found
    far = np.flatnonzero(off > FAR_OFF * found.scale)
    return replace(found, off=float(off.max()), off_from=float(found.start + far[0]) if len(far) else None)


def binary_results(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results of reading the table as binary digits of consecutive positions.

    blank : result without a formula; the yielded results are filled-in copies of it
    """
    values, width = np.unique(table[:, 0]), table.shape[1]
    rows = np.arange(len(table), dtype=np.float64)
    signed = bool(np.isin(values, (-1.0, 1.0)).all())
    if not (signed or np.isin(values, (0.0, 1.0)).all()) or width > MAX_BITS:
        return
    for order in ("lsb", "msb"):
        numbers = (table > 0)[:, :: 1 if order == "lsb" else -1] @ 2.0 ** np.arange(width)
        first = float(np.median(numbers - rows))
        if first >= 0 and first == round(first) and first + len(table) <= 2**width:
            encoding = Binary(d=width, order=order, values="pm1" if signed else "01")
            found = with_differences(table, replace(blank, encoding=encoding, same=True, start=int(first)), rows)
            yield from filter(None, [found])


def waves_of_formula(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results of fitting sines and cosines of consecutive positions; some values may be wrong.

    blank : as for `binary_results`
    """
    filled = int(np.flatnonzero(np.any(table != 0, axis=0)).max()) + 1
    for width in dict.fromkeys([filled, table.shape[1]]):
        part, most, rounding = table[:, :width], max(FIRST, FITTED // width), RELATIVE[blank.number_type]
        for fitted in fits_of(part, most, rounding) if width > 1 else ():
            found = with_formulas(part, replace(blank, filled=width), *fitted)
            if blank.number_type in SHORT_TYPES and not (
                found.certain and any(is_round(base) for _, base in found.names)
            ):
                found = best_explained([*best_in_number_type(part, found, fitted[2]), found])
            yield found
            if found.certain or (found.encoding and found.cells < MAX_WRONG * table.size):
                return


def with_formulas(table: Array, blank: Identified, fit: Fit, part: Array, places: Array) -> Identified:
    """Return the result for a fit: simplified parameters, its formulas, and its differences from the table.

    blank : as for `binary_results`
    part, places : rows to which the fit was made, (n, d), with outliers as NaN, and their row numbers, (n,)
    """
    clean, kind = fit.is_clean(part, places), blank.number_type
    unit = RELATIVE["float32" if fit.rms > 1e-10 * fit.scale else "float64"]  # relative precision of the rates
    turned = float(np.abs(places + fit.start).mean() * np.abs(fit.frequencies()).mean())
    noisy = fit.rms > RELATIVE[kind] * fit.scale  # rounding errors are not independent, so their rms may reach this
    limit = (sqrt(1 + 100 / part.size) if noisy else 1.5) * fit.rms + 3 * (EXACT + unit * turned) * fit.scale
    fit = simplified(part, places, fit, limit)
    start = round(fit.start) if fit.start % 1 != 0.5 else fit.start
    found = replace(blank, fit=fit, start=start, scale=fit.scale)
    if not (names := matching_formulas(part, places, fit, limit, kind)):
        return found
    formula, base = names[0]
    fit = formula.with_base(fit, table.shape[1], base)
    encoding, same = encoding_of(fit, names[0], table.shape[1])
    return (
        with_differences(table, replace(found, fit=fit, names=names, encoding=encoding, same=same), places, clean)
        or found
    )


def best_in_number_type(table: Array, found: Identified, places: Array) -> list[Identified]:
    """Return a list of one result, which matches most values if computed in the table's number type; [] if none fits.

    Among equally good results, prefer the usual base, then the fewest digits.
    """
    fit, d = found.fit, table.shape[1]
    if fit is None or fit.kind != "pairs" or fit.layout == "permuted":
        return []

    rate, scale = (each if each in UNITS else float(f"{each:.3g}") for each in (fit.rate, fit.scale))

    def with_base(formula: Formula, base: float) -> Identified:
        own = replace(formula.with_base(fit, d, base), start=float(found.start), rate=rate, scale=scale)
        encoding: Any
        encoding, same = encoding_of(own, (formula, base), d)
        encoding = replace(encoding, dtype=found.number_type)
        return replace(found, fit=own, names=((formula, base),), encoding=encoding, same=same, scale=scale)

    formulas = [each for each in (PAPER, TENSOR2TENSOR, UNDIVIDED) if each.divisor(d)]
    tries = [
        (digits + formula.mistake, base not in (USUAL, USUAL_RADIX), order, (formula, base))
        for order, formula in enumerate(formulas) if 1 < formula.base(fit, d) < LARGEST
        for digits, base in bases_near(formula.base(fit, d)) if formula.least < base < LARGEST and base != 1
    ]  # fmt: skip
    few, told = places[:: max(1, len(places) // 32)], list[Identified]()
    for *_, name in sorted(tries, key=lambda each: each[:3]):
        low = with_base(*name)
        if low.same and (each := with_differences(table, low, few)) is not None:
            told.append(each)
            if not each.cells:
                break
    best = min(told, key=lambda each: each.cells, default=found)
    if not told or (best.cells and fit.decay > STILL / 2):  # too few pairs turn to determine the base
        return []
    formula, base = best.names[0]
    bases = equivalent_bases(lambda base: expected_of_encoding(with_base(formula, base), 0, 0).numbers(places), base)
    usual = next((each for each in (USUAL, USUAL_RADIX) if bases and bases[0] <= each <= bases[1]), base)
    return [replace(with_differences(table, with_base(formula, usual), few) or best, bases=bases)]


def grid_of(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results of reading the table as a grid, half of the columns for the row and half for the column.

    Up to two rows at the start may not be cells of the grid.

    blank : as for `binary_results`
    """
    d, half, enough = table.shape[1], table.shape[1] // 2, 0.005 * np.abs(table).max()
    for prefix in range(3 if d % 4 == 0 else 0):
        cells = table[prefix:]
        for rows in (rows for rows in range(2, len(cells) // 2 + 1) if len(cells) % rows == 0):
            grid = cells.reshape(rows, -1, d)
            down, across = ([median_deviation(grid[:, :, at], axis) > enough for at in (0, half)] for axis in (0, 1))
            if [down, across] in ([[False, True], [True, False]], [[True, False], [False, True]]):
                by_row = int(down[0])  # 1 where the first half encodes the row
                parts = np.median(grid, axis=by_row)[:, :half], np.median(grid, axis=1 - by_row)[:, half:]
                axes = [
                    best_explained([blank, *waves_of_formula(part, blank)]) for part in parts[:: 1 if by_row else -1]
                ]
                yield from grid_encodings(table, prefix, grid.shape[:2], ("column", "row")[by_row], axes)


def median_deviation(values: Array, axis: int) -> float:
    """Return the median absolute deviation of all values from their medians along an axis."""
    return float(np.median(np.abs(values - np.median(values, axis=axis, keepdims=True))))


def grid_encodings(
    table: Array, prefix: int, sides: tuple[int, ...], first: str, axes: list[Identified]
) -> Iterator[Identified]:
    """Yield the results for grid encodings whose rows and columns have the formulas `axes`.

    prefix : number of rows at the start that are not cells of the grid
    sides : numbers of rows and columns of the grid
    first : what the first half of the columns encodes, "row" or "column"
    """
    axis = axes[int(sides[1] > sides[0])]
    formulas = PAPER, TENSOR2TENSOR, FLOORED
    name = next((name for name in axis.names if name[0] in formulas), None)
    if (fit := axis.fit) is None or name is None:
        return
    kind = axis.number_type
    layout = "concatenated" if fit.layout == "concatenated" else "interleaved"
    width = table.shape[1] // 2
    options = {"grid": "x".join(map(str, sides)), "d": table.shape[1], "layout": layout, "first": first}
    options["base"] = name[1] ** (width / name[0].divisor(width))
    found = replace(axis, filled=table.shape[1], same=True, names=(name,), start=-prefix)
    places = np.arange(prefix, len(table), dtype=np.float64)
    for scale in (*({"scale_grid": scale} for scale in SCALES), *steps_of(axes, fit)):
        for dtype in ("float64", *([kind] if kind in SHORT_TYPES else [])):
            encoding = SinCos2D.make({**options, **scale, "dtype": dtype})
            told = with_differences(table, replace(found, encoding=encoding), places, noisy=dtype == "float64")
            yield from filter(None, [told])


def steps_of(axes: list[Identified], longer: Fit) -> Iterator[dict[str, Any]]:
    """Yield the options grid_step and grid_start that the fits of rows and columns imply, unless they are 1 and 0.

    longer : fit of the longer axis, used for an axis without a fit
    """
    fits = [each.fit or replace(longer, start=0.0) for each in axes]
    near = max(1e-7, RELATIVE[axes[0].number_type] / 100)
    steps = [shortest_decimal(fit.rate, lambda x, fit=fit: abs(x / fit.rate - 1) < near)[0] for fit in fits]  # type: ignore[misc]
    starts = [round(fit.start * step, 6) for fit, step in zip(fits, steps, strict=True)]
    given = {"grid_step": (steps, [1.0, 1.0]), "grid_start": (starts, [0.0, 0.0])}
    changed = {name: values for name, (values, usual) in given.items() if values != usual}
    if changed:
        yield {name: tuple(values[: len({*values})]) for name, values in changed.items()}


def waves_of_rates(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results of reading the table as a clock or a scaled RoPE encoding, from the rate of each pair.

    blank : as for `binary_results`
    """
    places = np.arange(min(len(table), 8 * FIRST), dtype=np.float64)
    part, kind = table[: len(places)], blank.number_type
    for layout, exponents, cosine in usual_layouts(table.shape[1]) if table.shape[1] % 2 == 0 else ():
        sines, cosines = pairs_of(exponents, cosine)
        radius = np.hypot(part[:, sines], part[:, cosines])
        size = float(np.median(radius))
        if not size or np.median(np.abs(radius - size)) > CIRCLE * size:
            continue
        share = 4 * RELATIVE[kind] + 1e-9
        omega, phase = median_frequencies(part, places, sines, cosines, reach=3)
        omega[np.median(np.abs(radius - size), axis=0) > share * size] = np.nan  # a column is wrong
        turning = omega > 1e-9  # other pairs stand still or have a column with the wrong sign
        if not turning.any():
            continue
        start = int(first_position(omega[turning], phase[turning]))
        rounded = max(share, SINGLE_RATE) if kind == "float32" else share  # rates of blends are off by more than others
        encodings = encodings_of(np.abs(omega), layout, bool(cosine[0]), rounded, LEAST.get(kind, 1e-12))
        best = of_encodings(table, replace(blank, start=start), encodings, size, share)
        yield best
        if best.standing[0] == CLEAN:
            return


def of_encodings(
    table: Array, blank: Identified, encodings: Iterable[Clock | Rope | Sinusoidal], size: float, share: float
) -> Identified:
    """Return the result for the first encoding that explains the table, with others that explain it equally well.

    size, share : radius of the waves, and the relative precision of the numbers
    """
    best, alike, kind = blank, list[TableEncoding](), blank.number_type
    types = ("float64", *([kind] if kind in SHORT_TYPES and not blank.kept else []))
    for encoding in encodings:
        rope = encoding if isinstance(encoding, Rope) else None
        if rope and rope.attention_scaling != 1 and ("angles" in blank.kept or abs(size - 1) < share):
            encoding = rope = replace(rope, attention_factor=1.0)
        scale = round_number(size / (rope.attention_scaling if rope else 1), (), share)
        names = ((PAPER, rope.base),) if rope else ()
        if isinstance(encoding, Sinusoidal):
            names = ((TENSOR2TENSOR, encoding.base),)
        for made in (replace(encoding, dtype=dtype) for dtype in types):
            found = replace(blank, encoding=made, same=True, scale=scale, names=names)
            told = with_differences(table, found, np.arange(min(len(table), 8 * FIRST), dtype=np.float64))
            if told is None or not (told.certain or told.cells < MAX_WRONG * table.size):
                continue
            if best.standing[0] < CLEAN:
                best = best_explained((best, told))
            elif told.standing[0] == CLEAN and made.dtype == getattr(best.encoding, "dtype", ""):
                alike.append(made)
        if best.standing[0] == CLEAN and (not rope or rope.scaling not in BLENDS or len(alike) == MAX_ALIKE):
            break
    return replace(best, alike=tuple(alike))


def encodings_of(omega: Array, layout: str, cosine_first: bool, share: float, least: float) -> Iterator[Clock | Rope]:
    """Yield clocks or RoPE encodings that have the given rates `omega`, in rad/position, (n_pairs,).

    share, least : relative and absolute precision of the rates
    """
    if cosine_first:
        ropes = (rope for rope in ropes_of(omega, omega * share + least) if rope.base >= 1)
        for rope in ropes:  # base < 1 would mean that the columns are reversed
            yield replace(rope, pairing=PAIRINGS[layout])
    elif layout == "interleaved" and len(omega) <= MAX_HANDS and np.all(omega > 0):
        for known in (NAMED.values(), ()):
            periods = [round_number(period, known, share) for period in (2 * np.pi / omega).tolist()]
            if all(period in NAMED.values() or float(f"{period:.4g}") == period for period in periods):
                yield Clock(periods=tuple(periods))


def round_number(number: float, known: Iterable[float], share: float) -> float:
    """Return `number` rounded to one of `known`, or to the fewest digits, within the relative tolerance `share`."""
    nearest = min(known, key=lambda each: abs(each - number), default=0)
    return (
        nearest
        if abs(nearest / number - 1) < share
        else shortest_decimal(number, lambda x: abs(x / number - 1) < share)[0]
    )


def rounded_results(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results for a table whose rates, positions or angles were rounded to bfloat16 or float16."""
    rows = np.arange(min(len(table), FIRST), dtype=np.float64)
    for layout, exponents, cosine in usual_layouts(table.shape[1]) if table.shape[1] % 2 == 0 else ():
        sines, cosines = pairs_of(exponents, cosine)
        radius = np.hypot(table[:, sines], table[:, cosines])
        if np.abs(radius - 1).max() > 1e-2:
            continue
        omega, phase = median_frequencies(table[: len(rows)], rows, sines, cosines, reach=3)
        turning = omega > 1e-9
        start = first_position(omega[turning], phase[turning], unsure=1e-2) if turning.any() else 0.0
        near = Fit("pairs", layout, cosine, exponents, 1.0, start=start)
        slopes = [
            slope for rate, slope in rate_guesses(omega[turning], exponents[sines][turning]) if abs(rate - 1) < 0.05
        ]
        formulas = [each for each in (PAPER, TENSOR2TENSOR) if each.divisor(table.shape[1])]
        for formula, decay in product(formulas, slopes):
            guess = formula.base(replace(near, decay=decay), table.shape[1])
            for base in (base for _, base in bases_near(guess) if is_round(base) and base > 1):
                encoding, same = encoding_of(near, name := (formula, base), table.shape[1])
                found = replace(blank, encoding=encoding, same=same, start=int(start), names=(name,))
                yield from rounded_to(table, found)


def rounded_waves(table: Array, blank: Identified) -> Iterator[Identified]:
    """Yield the results for one wave per pair, from position 0, with rounded rates, positions or angles."""
    for kind, still, inverse in (("cosines", 1.0, np.arccos), ("sines", 0.0, np.arcsin)):
        omega = np.asarray(inverse(np.clip(table[1], -1, 1)))  # of row 1, at position 1
        told = np.flatnonzero((omega > FAST) & (omega < 3))
        if np.all(table[0] == still) and len(told) > 2:
            slope = -float(np.polyfit(told, np.log(omega[told]), 1, w=omega[told] * np.sin(omega[told]))[0])
            guess = exp(min(max(slope, 0.0) * len(omega), log(LARGEST)))
            for base in (base for _, base in bases_near(guess) if is_round(base) and base > 1):
                encoding = Rope(d=2 * len(omega), base=base)
                yield from rounded_to(
                    table, replace(blank, encoding=encoding, same=True, kept=(kind,), names=((PAPER, base),))
                )


def rounded_to(table: Array, guess: Identified) -> Iterator[Identified]:
    """Yield the results for a guessed encoding with rates, positions or angles in bfloat16 or float16."""
    places = np.unique(np.linspace(0, len(table) - 1, 64).astype(int))
    tried, close = table[places], 1e-3 + RELATIVE[guess.number_type]
    exact = kept_numbers(guess.encoding, places + guess.start, guess.kept)
    for kept in roundings():
        numbers = kept_numbers(guess.encoding, places + guess.start, (*guess.kept, kept))
        off = np.abs(numbers - tried)
        if np.abs(numbers - exact).max() < ROUNDING:  # such as positions below 256 in bfloat16
            continue
        if off.max() < close:
            told = with_differences(table, replace(guess, kept=(*guess.kept, kept)), places.astype(np.float64))
            yield from [compared_with_exact(table, told)] if told else []
        elif np.median(off) > 0.1:
            return


def spectrum_of(table: Array) -> dict[str, Any]:
    """Return the fields `explained`, `rank` and `periods` of `Identified` for a table without a formula."""
    power = power_spectrum(table)
    if not power.sum() > 0:
        return {}
    centred = table - table.mean(axis=0)
    products = centred @ centred.T if len(table) < table.shape[1] else centred.T @ centred
    parts = np.cumsum(np.linalg.eigvalsh(products)[::-1])
    strongest = np.argsort(-power.sum(axis=1))[:3]
    return {
        "explained": float(power.max(axis=0).sum() / power.sum()),
        "rank": int(np.searchsorted(parts, 0.99 * parts[-1])) + 1,
        "periods": tuple((len(table) / (strongest + 1.0)).tolist()),
    }


def identify_rates(numbers: Array, base: float | None) -> Identified:
    """Identify the RoPE with the given rates, or the ALiBi with the given slopes; `difference` is relative here.

    numbers : rates in rad/position, (n_pairs,); or slopes; or divisors of rates, as in the files of llama.cpp
    base : if given, the numbers are divisors of the rates base^(−2j/d)

    Raises
    ------
    UsageError : divisors that are not positive
    """
    if base is not None and not (numbers > 0).all():
        raise UsageError("--base needs divisors above 0", option="base")
    if base is not None:
        return of_rates(Rope(d=2 * len(numbers), base=base).frequencies() / numbers, numbers)
    if numbers[0] == 1 and numbers[-1] > 1 and np.all(np.diff(numbers) >= 0):
        for usual in BASES:
            found = of_rates(Rope(d=2 * len(numbers), base=usual).frequencies() / numbers, numbers)
            if getattr(found.encoding, "base", 0.0) == usual and getattr(found.encoding, "scaling", "") in BLENDS:
                return replace(found, kept=("divisors",))
    found = of_rates(numbers, numbers)
    if (encoding := slopes_of(numbers, SHARES.get(found.number_type, SINGLE_RATE))) is not None:
        slopes = replace(found, certain=True, encoding=encoding, same=True, kept=("slopes",), rounding="")
        far = float(np.abs(encoding.slopes() / numbers - 1).max())
        return replace(slopes, names=(), alike=(), difference=far)
    return found


def identify_biases(biases: Array) -> Identified | None:
    """Return the ALiBi or T5 with these biases, in the forms of `alibi_of` and `by_offset`; None for other numbers."""
    if biases.dtype.kind not in REAL_KINDS:
        return None
    kind = type_of(biases)
    encoding, heads = alibi_of(biases, 4 * RELATIVE[kind])
    if encoding is None and (known := by_offset(biases)) is not None:
        t5 = t5_of(*known)
        form, hint = (("bucketed_biases",), "") if t5 else ((), "offsets")
        blank = Identified(number_type=kind, filled=biases.shape[-1], kept=form, hint=hint)
        return replace(blank, certain=t5 is not None, encoding=t5, same=t5 is not None)
    if encoding is None:
        return None
    kept = "biases" if np.squeeze(biases).ndim == 3 else "biases_of_one_query"
    return Identified(
        number_type=kind, filled=biases.shape[-1], certain=True, encoding=encoding, same=True, kept=(kept,),
        changes=(Change("heads", heads),) * bool(heads), exact=alibi_of(biases, EXACT)[0] is not None,
    )  # fmt: skip


def of_rates(rates: Array, numbers: Array) -> Identified:
    """Return the result for rates, in rad/position, (n_pairs,), computed from the `numbers` of a file."""
    held, least = type_of(numbers), np.where(numbers > 0, numbers, 1.0)
    number_type = held if precision(numbers)[1] >= EXACT_DIGITS else "float64"
    hint = "few_rates" if np.count_nonzero(rates) < 2 else ""
    blank = Identified(number_type=number_type, filled=2 * len(rates), hint=hint)
    found: list[tuple[Rope | Sinusoidal, Iterator[Rope | Sinusoidal], Written]] = []
    for way in ways(numbers, held):
        errors = np.where(numbers > 0, rates, 1.0) * way.errors / least
        ropes = known_ropes(rates, errors, numbers, way) if way.tells else iter(())
        found += [(rope, ropes, way) for rope in islice(ropes, 1)]
        if found and (is_round(found[-1][0].base) or not way.form):
            break
    if not found:
        return blank
    rope, ropes, way = next((each for each in found if is_round(each[0].base)), found[0])
    larger = ntk_equivalent(rope) if isinstance(rope, Rope) else None
    alike: tuple[TableEncoding, ...] = () if larger is None else (larger,)
    if not rates[-1]:  # the rates of two series, one of all pairs and one of those that rotate
        alike += tuple(each for each in ropes if is_round(each.base) and each.base <= LARGEST)
    elif isinstance(rope, Rope) and rope.scaling in BLENDS:
        alike = tuple(islice(ropes, MAX_ALIKE))
    turning = rates > 0
    difference = float(np.abs(rates_of(rope, len(rates))[turning] / rates[turning] - 1).max())
    names = ((PAPER if isinstance(rope, Rope) else TENSOR2TENSOR, rope.base),)
    kind = way.kind if way.kind != "float64" else number_type
    return replace(
        blank, number_type=kind, certain=True, encoding=rope, alike=alike, same=True, names=names,
        difference=difference, rounding=rounding_of(numbers, way, difference),
    )  # fmt: skip


def known_ropes(rates: Array, errors: Array, numbers: Array, way: Written) -> Iterator[Rope | Sinusoidal]:
    """Yield the encodings with these rates, as `ropes_of` takes them, whose numbers are rounded in this `way`."""
    sizes = np.where(numbers > 0, numbers, 1.0) / np.where(rates > 0, rates, 1.0)
    ropes = ropes_of(rates, errors)
    if not rates[-1]:
        both = [*islice(partial_ropes_of(rates, errors), 1), *islice(ropes, 1)]
        ropes = iter(sorted(both, key=lambda rope: not is_usual(rope)))
    for rope in ropes:
        for known in (tensor2tensor_of(rope, rates, errors), rope):
            if known and (rates is not numbers or way.holds(rates_of(known, len(rates)) * sizes)):
                yield known
