"""Fits of sines and cosines to a table in which some values may be wrong.

Guesses of the parameters come first, then least squares on the values near the guess. `trimmed` replaces outliers by
NaN, and fits ignore NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, inf, log, pi, sqrt
from typing import Any

from pecli.core.lazy import Array, np

MAX_START = 5000  # largest absolute position of row 0 that is searched
BLOCK = 100  # positions that are searched together; divides MAX_START
MAX_SINGLE = 2.0**20  # the same limit if the angles were rounded to float32
MAX_FAR = 1e7  # the same limit if the angles are exact
FAR_PAIRS = 8  # least number of pairs that tell a far position; some position explains the angles of fewer
FAR_TURN = 0.01  # least rate of such a pair, rad/position
FAR_RATE = 1e-3  # largest difference from 1 of the first rate for which farther positions are tried
CLOSE = 0.999  # mean cosine of the residual angles at a position that explains them
FRONT = 8  # rows at the start that may be special: class token, padding
FIRST = 64  # rows of the first fit
MAX_GUESS_RMS = 0.4  # a guess with a larger relative residual rms is rejected
NOISE = 0.1  # largest relative residual rms of a formula
EXACT = 1e-15  # relative residual rms caused by float64 rounding
DOUBLE = 1e-14  # relative error of a table computed in float64
SINGLE = 3e-7  # relative difference between libraries that compute in float32
SINGLE_RATE = 1e-6  # the same of rates, which are powers of the base
SHARE_RIGHT = 0.6  # a formula must match at least this share of the fitted values up to rounding
GUESSED = 1 << 15  # numbers that are computed together for guesses
ENOUGH = 0.95  # the search stops at this share of matching values
CIRCLE = 0.12  # largest relative deviation of sin² + cos² within a pair
STILL = 20.0  # decay that stands for "only the first pair turns"
RISING = 0.01  # if the logarithm of the rates rises by more, the columns are in another order
PARAMETERS = ("rate", "decay", "start", "scale")


@dataclass(frozen=True)
class Fit:
    """A table modelled as scale · sin or cos of ω_c (row + start), with ω_c = rate · e^(−decay · exponent_c).

    kind : "pairs", two columns share an exponent 2j; "columns", each column has its own exponent; "linear", ω_c = rate
        · exponent_c; "whole", pairs with angles rounded down
    layout : column order: interleaved, concatenated, permuted or columns
    cosine, exponents : for each column, whether it is a cosine, and its exponent; (d,)
    rms : root mean square of the residual
    """

    kind: str
    layout: str
    cosine: Array
    exponents: Array
    scale: float
    rate: float = 1.0
    decay: float = 0.0
    start: float = 0.0
    rms: float = inf

    @property
    def cosine_first(self) -> bool:
        return self.layout != "permuted" and bool(self.cosine[0])

    def column_order(self) -> list[int]:
        """Return the index of each column in the usual order, in which sine and cosine of a pair are neighbours."""
        order = np.empty(len(self.exponents), dtype=int)
        for at, columns in enumerate(pairs_of(self.exponents, self.cosine)):
            order[columns] = 2 * np.arange(len(columns)) + at
        return [int(column) for column in order]

    def frequencies(self) -> Array:
        """Return ω of every column in rad/position, shape (d,)."""
        if self.kind == "linear":
            return self.rate * self.exponents
        return self.rate * np.exp(np.minimum(-self.decay * self.exponents, 50))

    def angles(self, rows: Array) -> Array:
        """Return the angle in rad of every row and column, shape (n, d), plus π/2 for cosine columns."""
        angles = np.outer(rows + self.start, self.frequencies())
        return (np.floor(angles + 1e-9) if self.kind == "whole" else angles) + pi / 2 * self.cosine

    def numbers(self, rows: Array) -> Array:
        """Return the fitted values for row numbers (n,), shape (n, d)."""
        return self.scale * np.sin(self.angles(rows))

    def undecided(self, rows: Array) -> Array:
        """Return a mask, (n, d), of angles so near an integer that rounding errors decide how they are rounded down."""
        angles = np.outer(rows + self.start, self.frequencies())
        return (np.abs(angles - np.rint(angles)) < 1e-9) & (self.kind == "whole")

    def residual(self, table: Array, rows: Array, angles: Array | None = None) -> Array:
        """Return the residual of a table's rows, (n, d), with 0 where `undecided`; `angles` are known ones."""
        residual = table - self.scale * np.sin(self.angles(rows) if angles is None else angles)
        if self.kind == "whole":
            residual[self.undecided(rows)] = 0.0
        return residual

    def with_rms(self, table: Array, rows: Array) -> Fit:
        """Return the fit with its residual rms for the given rows of a table."""
        return compared(table, rows, self)[2]

    def is_clean(self, table: Array, rows: Array) -> bool:
        """Return True if the residual is rounding error, or small noise that more flexible waves would not reduce.

        These waves have their own rate, phase and radius in each column.
        """
        single = SINGLE * (1 + float(np.abs(rows + self.start).max()) * self.rate)
        if self.rms >= NOISE * self.scale or self.rms < single * self.scale:
            return self.rms < NOISE * self.scale
        angles = self.angles(rows).T[..., None]
        moves = np.concatenate([np.sin(angles), np.cos(angles), rows[:, None] * np.cos(angles)], axis=-1)
        basis, residual = np.linalg.qr(moves)[0], np.nan_to_num(self.residual(table, rows)).T[..., None]
        noise = rms(residual - basis @ (basis.transpose(0, 2, 1) @ residual)) * sqrt(len(rows) / max(len(rows) - 3, 1))
        return self.rms < 1.5 * noise


def rms(values: Array) -> float:
    """Return the root mean square of the values, ignoring NaN."""
    mean = np.mean(squares := np.square(values))
    return float(np.sqrt(np.nanmean(squares) if np.isnan(mean) and not np.isnan(values).all() else mean))


def fits_of(table: Array, most: int, rounding: float) -> Iterator[tuple[Fit, Array, Array]]:
    """Yield the best fit with pairs in a usual column order, then the best fit of any other kind.

    Each comes with the rows to which it was fitted, (n, d), outliers as NaN, and their row numbers, (n,).

    most : largest number of rows to fit
    rounding : relative rounding error of the values
    """
    length, count = len(table), min(FIRST, len(table))
    ends = (0, length - count, (length - count) // 2)  # one or two of these windows may have wrong rows
    for search, starts in ((guesses_of_pairs, ends), (guesses_of_others, (min(FRONT, length // 4), 0))):
        found: list[tuple[float, float, Fit, range]] = []
        for window in (range(at, min(at + count, length)) for at in dict.fromkeys(starts)):
            part, rows = rows_of(table, window)
            for guess in search(part, rows) if not found or found[-1][0] <= ENOUGH else ():
                fit, kept, off = trimmed(part, rows, guess, rounding)
                if off < MAX_GUESS_RMS / 4 and fit.decay * table.shape[1] > -RISING:
                    right = round(float(np.isfinite(kept).mean()), 2) if fit.is_clean(kept, rows) else 0.0
                    found.append((right, -off, fit, window))
                    if right > ENOUGH:
                        break
        if found:
            _, off, fit, window = max(found, key=lambda each: each[:2])
            yield extend_fit(table, -off, fit, window, most, rounding)


def rows_of(table: Array, window: range) -> tuple[Array, Array]:
    """Return the rows of a table in the range `window`, (n, d), and their row numbers, (n,)."""
    return table[window.start : window.stop], np.arange(window.start, window.stop, dtype=np.float64)


def extend_fit(
    table: Array, off: float, fit: Fit, window: range, most: int, rounding: float
) -> tuple[Fit, Array, Array]:
    """Extend a fit of a few rows to more: double the window, up to `most` rows, as long as most rows match.

    Return the fit, its rows (n, d) with outliers as NaN, and their row numbers (n,).

    off : relative median residual on the first window
    """
    length, most = len(table), min(len(table), most)
    while len(window) < most:
        count = min(2 * len(window), most)
        first = round(window.start / max(length - len(window), 1) * (length - count))  # at the same relative place
        longer = range(first, first + count)
        part, rows = rows_of(table, longer)
        if np.mean(np.abs(fit.residual(part, rows)) > (10 * off + rounding + 1e-12) * fit.scale) > 1 - SHARE_RIGHT:
            break
        fit, _, now = trimmed(part, rows, fit, rounding)
        window, off = longer, max(off, now)
    part, rows = rows_of(table, window)
    return *trimmed(part, rows, fit, rounding)[:2], rows


def refine(table: Array, rows: Array, fit: Fit, free: Sequence[str] = PARAMETERS) -> Fit:
    """Return the fit after Gauss-Newton steps on the parameters named in `free`."""
    free = [name for name in free if fit.kind != "whole" or name == "scale"]
    missing = np.isnan(table).ravel() if np.isnan(table.sum()) else None
    angles, residual, fit = compared(table, rows, fit)
    for _ in range(30 if free and fit.rms < MAX_GUESS_RMS * abs(fit.scale) else 0):
        slopes = fit.scale * np.cos(angles) * fit.frequencies()
        turned = slopes * (rows + fit.start)[:, None]
        moves = {"rate": turned, "decay": -turned * fit.exponents, "start": slopes, "scale": fit.scale * np.sin(angles)}
        columns, residual = np.stack([moves[name].ravel() for name in free]), residual.ravel()
        if missing is not None:
            columns[:, missing] = residual[missing] = 0.0
        columns /= (sizes := np.maximum(np.linalg.norm(columns, axis=1), 1e-290))[:, None]
        values, vectors = np.linalg.eigh(columns @ columns.T)
        large = values > 1e-14 * values[-1]
        told = vectors[:, large] / np.sqrt(values[large])
        steps = told @ (told.T @ (columns @ residual)) / sizes
        step = dict.fromkeys(PARAMETERS, 0.0) | dict(zip(free, steps.tolist(), strict=True))
        better = replace(
            fit, rate=fit.rate * exp(min(max(step["rate"], -1), 1)), decay=fit.decay + step["decay"],
            start=fit.start + step["start"], scale=fit.scale * (1 + step["scale"]),
        )  # fmt: skip
        angles, residual, better = compared(table, rows, better)
        before, fit = fit.rms, min(fit, better, key=lambda each: each.rms)
        if not fit.rms <= before * (1 - 1e-3):
            break
    return fit


def compared(table: Array, rows: Array, fit: Fit) -> tuple[Array, Array, Fit]:
    """Return a fit's angles and residual for the given rows of a table, (n, d) each, and the fit with its rms."""
    angles = fit.angles(rows)
    residual = fit.residual(table, rows, angles)
    return angles, residual, replace(fit, rms=rms(residual))


def trimmed(table: Array, rows: Array, fit: Fit, rounding: float) -> tuple[Fit, Array, float]:
    """Return the fit without outliers, the table with outliers as NaN, and the relative median residual of all values.

    rounding : relative rounding error of the values
    """
    before = inf
    while True:
        off = np.abs(fit.residual(table, rows))
        middle = float(np.median(off))
        kept = np.where(off <= 5 * middle + rounding * fit.scale, table, np.nan)
        if middle >= 0.8 * before or middle > MAX_GUESS_RMS * abs(fit.scale):
            return fit.with_rms(kept, rows), kept, middle / abs(fit.scale)
        fit, before = refine(kept, rows, fit), middle


def guesses_of_pairs(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses made from how each pair of columns turns; good if fewer than a third of the pairs are wrong."""
    for layout in usual_layouts(table.shape[1]):
        yield from guesses_of_layout(table, rows, *layout)


def guesses_of_layout(table: Array, rows: Array, layout: str, exponents: Array, cosine: Array) -> Iterator[Fit]:
    """Yield guesses for pairs in a given column order; none if the pairs do not lie on circles of equal radius.

    layout, exponents, cosine : the column order, as in `Fit`
    """
    sines, cosines = pairs_of(exponents, cosine)
    radius, steps = np.hypot(table[:, sines], table[:, cosines]), exponents[sines]
    scale = float(np.median(radius))
    if not scale or np.median(np.abs(radius - scale)) > CIRCLE * scale:
        return
    omega, phase = median_frequencies(table, rows, sines, cosines, reach=8)
    told, decays = omega * np.ptp(rows) > 1e-7, list[float]()
    for rate, decay in rate_guesses(omega[told], steps[told]):
        decays += [decay] * (abs(rate - 1) < FAR_RATE)
        near = np.flatnonzero(told)[np.abs(np.log(omega[told] / rate) + decay * steps[told]) < 0.05]
        starts = [first_position(omega[near], phase[near], unsure) for unsure in (1e-6, 1e-12)] if len(near) else []
        for start in dict.fromkeys(starts):
            yield Fit("pairs", layout, cosine, exponents, scale, rate, decay, start)
    waves = table[:, cosines] + 1j * table[:, sines]
    for decay in far_decays(decays, table.shape[1]):
        omega = np.exp(-decay * steps)
        if np.count_nonzero(omega > FAR_TURN) < FAR_PAIRS:
            continue
        phase = median_angle(waves * np.exp(-1j * np.outer(rows, omega)))
        start = first_position(omega, phase)
        if MAX_START < abs(start) <= MAX_SINGLE and np.cos(phase - omega * start).mean() > CLOSE:
            yield Fit("pairs", layout, cosine, exponents, scale, 1.0, decay, start)


def far_decays(decays: list[float], d: int) -> list[float]:
    """Return the decays of the nearest bases of two digits; at far positions, only exact rates tell the position.

    Measured rates do not if the angles were rounded to float32.
    """
    divisors = [divisor for divisor in (d, d - 2) if divisor > 0 and all(0 < decay * divisor < 50 for decay in decays)]
    bases = {(float(f"{exp(decay * divisor):.2g}"), divisor) for decay in decays for divisor in divisors}
    return [log(base) / divisor for base, divisor in sorted(bases) if base > 1]


def rate_guesses(omega: Array, steps: Array) -> Iterator[tuple[float, float]]:
    """Yield (rate, decay) of lines through log ω (n,) against the exponents `steps` (n,).

    The first line has rate 1. Others are fitted by medians and by least squares, to all pairs and to the slower half
    only, because fast pairs may alias.
    """
    if (later := steps > 0).any():
        yield 1.0, float(np.median(-np.log(omega[later]) / steps[later]))
    for part in (slice(None), slice(len(omega) // 2, None)) if len(omega) else ():
        ys, xs, weights = np.log(omega[part]), steps[part], omega[part]
        first, second = np.triu_indices(min(len(xs), 256), 1)
        decay = (
            float(np.median((ys[first] - ys[second]) / (xs[second] - xs[first])))
            if len(first)
            else STILL * (xs[0] == 0)
        )
        lines = np.stack([weights, -weights * xs], axis=1)  # weighted by ω, errors of log ω become errors of ω
        least = np.linalg.lstsq(lines, weights * ys, rcond=None)[0].tolist()
        for level, slope in ((float(np.median(ys + decay * xs)), decay), least):
            yield exp(min(max(level, -300), 50)), slope


def guesses_of_others(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses for rounded angles, for pairs in another column order, and for columns without pairs."""
    for layout in usual_layouts(table.shape[1]) if rows[0] == 0 else ():
        yield from guesses_of_whole(table, rows, *layout)
    if (other := other_layout(table, rows)) is not None:
        yield from guesses_of_layout(table, rows, *other)
    yield from guesses_of_columns(table, rows)


def guesses_of_whole(table: Array, rows: Array, layout: str, exponents: Array, cosine: Array) -> Iterator[Fit]:
    """Yield the fit of pairs whose angles are rounded down, ⌊position · ω⌋; each angle bounds ω from both sides.

    layout, exponents, cosine : the column order, as in `Fit`
    """
    sines, cosines = pairs_of(exponents, cosine)
    counts = np.unwrap(np.angle(table[:, cosines] + 1j * table[:, sines]), axis=0)
    if np.abs(counts - np.rint(counts)).max() > 0.1:
        return
    counts, steps = np.rint(counts), exponents[sines][1:]
    places = (rows + counts[0, 0])[1:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        high = -np.log((counts[1:, 1:] / places).max(axis=0)) / steps
        low = -np.log(((counts[1:, 1:] + 1) / places).min(axis=0)) / steps
    if len(high) and np.isfinite(decay := float((high.min() + low.max()) / 2)):
        yield Fit("whole", layout, cosine, exponents, rms(table) * sqrt(2), decay=decay, start=float(counts[0, 0]))


def guesses_of_columns(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses for columns without pairs; many bases are tried on a few rows, and the best one is used."""
    columns, scale = np.arange(table.shape[1]), sqrt(2 * np.mean(table**2))
    if np.mean(np.abs(table) > 1.1 * scale) > 1 - ENOUGH:  # no sines of this scale
        return
    decays, rates = np.log(np.logspace(0.1, 9, 90)) / len(columns), np.logspace(-12, 0, 121)
    searches = (
        ("columns", "columns", columns * 1.0, "decay", decays),
        ("linear", "columns", columns * 1.0, "rate", rates),
        ("linear", "interleaved", columns // 2 * 2.0, "rate", rates),
    )
    few, places = table[:8], rows[:8, None] + [[[0.0]], [[1.0]]]  # positions if row 0 is at 0 or at 1, (2, 8, 1)
    odd, size = columns % 2 == 1, max(1, GUESSED // (places.size * len(columns)))
    for kind, layout, exponents, name, values in searches:
        residual = np.empty((2, len(values), 2))  # sums of squared residuals for sines first and for cosines first
        for part in (slice(at, at + size) for at in range(0, len(values), size)):
            rates = values[part, None] * exponents if kind == "linear" else np.exp(-values[part, None] * exponents)
            angles = places * rates[:, None, None]  # (values, 2, 8, d)
            sines, cosines = np.sin(angles), np.cos(angles)
            squares = np.einsum("vsrc,vsrc->vsc", sines, sines) * scale
            ways = squares - 2 * np.einsum("rc,vsrc->vsc", few, sines)
            others = scale * len(few) - squares - 2 * np.einsum("rc,vsrc->vsc", few, cosines)
            for swap in (0, 1):
                residual[swap, part] = np.where(odd ^ swap, others, ways).sum(axis=-1)
        for swap in (0, 1):
            best, start = divmod(int(np.argmin(residual[swap])), 2)
            found: dict[str, Any] = {name: float(values[best]), "start": float(start)}
            fit, count = Fit(kind, layout, columns % 2 == 1 - swap, exponents, scale, **found), 8
            while count < 2 * len(table):  # doubles the rows, because more rows need a better guess
                fit, count = refine(table[:count], rows[:count], fit), 2 * count
            yield fit


def usual_layouts(d: int) -> Iterator[tuple[str, Array, Array]]:
    """Yield each usual column order: its name, the exponents (d,), and a mask of the cosine columns (d,)."""
    columns, half = np.arange(d), (d + 1) // 2
    for swap in (False, True):
        yield "interleaved", columns // 2 * 2.0, (columns % 2 == 1) ^ swap
        yield "concatenated", columns % half * 2.0, (columns >= half) ^ swap


def pairs_of(exponents: Array, cosine: Array) -> tuple[Array, Array]:
    """Return the sine and the cosine column of each pair, (n_pairs,) each, without an unpaired last column."""
    order = np.argsort(exponents, kind="stable")
    n_pairs = len(order) // 2
    return order[~cosine[order]][:n_pairs], order[cosine[order]][:n_pairs]


def other_layout(table: Array, rows: Array) -> tuple[str, Array, Array] | None:
    """Return the layout of a table with permuted columns: name, exponents and cosine mask.

    The fastest pair comes first. Return None if the pairs cannot be found.
    """
    d = table.shape[1]
    if (pairs := paired_columns(table)) is None:
        return None
    omega, _ = median_frequencies(table, rows, pairs[0], pairs[1], reach=8)
    larger = np.abs(table[:, pairs]).mean(axis=0)
    still = np.abs(omega) * np.ptp(rows) < 0.1  # too slow to show a direction: cosine = larger column
    sines, cosines = np.where(np.where(still, larger[0] > larger[1], omega < 0), pairs[::-1], pairs)
    order = np.argsort(-np.abs(omega))
    exponents = np.zeros(d)
    exponents[sines[order]] = exponents[cosines[order]] = 2.0 * np.arange(d // 2)
    return "permuted", exponents, np.isin(np.arange(d), cosines)


def paired_columns(table: Array) -> Array | None:
    """Return the two columns of each pair, (2, n_pairs), chosen so that the sums of their squares are nearly constant.

    None if the columns do not form such pairs.
    """
    d, mean = table.shape[1], np.mean(table**2)
    squares = table**2 - mean
    sizes = np.mean(squares**2, axis=0)
    apart = sizes[:, None] + sizes + 2 * squares.T @ squares / len(table)
    if d % 2 or d < 4 or apart.min(axis=0).max() > (CIRCLE * mean) ** 2:
        return None
    apart[np.tril_indices(d)] = inf
    free, pairs = set(range(d)), []
    for at in np.argsort(apart, axis=None)[: d * (d - 1) // 2].tolist():
        first, second = divmod(at, d)
        if first in free and second in free:
            free -= {first, second}
            pairs.append((first, second))
    return np.array(pairs).T


def median_frequencies(table: Array, rows: Array, sines: Array, cosines: Array, reach: int) -> tuple[Array, Array]:
    """Return ω (rad/position) of each pair of columns, and the angle of each pair at row 0, (n_pairs,) each.

    Both are medians, so a few wrong rows do not matter. ω is measured between neighbouring rows, then refined between
    rows 4, 16, … apart. Larger distances are more precise, but suffer more from a block of wrong rows.

    reach : the largest distance is the number of rows divided by this
    """
    waves = table[:, cosines] + 1j * table[:, sines]
    omega, lag = np.zeros(len(sines)), 1
    while lag == 1 or lag <= len(rows) // reach:
        omega += median_angle(waves[lag:] * waves[:-lag].conj() * np.exp(-1j * lag * omega)) / lag
        lag *= 4
    return omega, median_angle(waves * np.exp(-1j * np.outer(rows, omega)))


def median_angle(waves: Array) -> Array:
    """Return the median angle of complex numbers over the first axis."""
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = np.nan_to_num(waves / np.abs(waves)).sum(axis=0)
    return np.asarray(np.angle(middle) + np.median(np.angle(waves * middle.conj()), axis=0))


def first_position(omega: Array, phase: Array, unsure: float = 1e-12) -> float:
    """Return the position of row 0: the integer nearest 0 that explains the angles of all pairs at row 0.

    If no integer up to MAX_START does, half-integers and larger numbers are tried.

    unsure : tolerance: how far the mean cosine of the residual angles may be below that of the best position
    """
    near, some = nearest_positions(), slice(None, None, max(1, len(omega) // 16))
    rates, angles = omega[some], phase[some]

    def agreement_near(shift: float) -> Array:
        """Return the mean cosines for all of `near`, by e^(iφ − iω(p + q)) = e^(iφ − iωp) · e^(−iωq)."""
        first = np.exp(1j * (angles - np.outer(np.arange(-MAX_START, MAX_START, BLOCK) + shift, rates)))
        waves = first @ np.exp(-1j * np.outer(np.arange(BLOCK), rates)).T
        return np.asarray(waves.real.ravel()[near + MAX_START] / len(rates))

    places, agree = near * 1.0, agreement_near(0)
    if agree.max() < CLOSE and len(omega) > 1:
        if (better := agreement_near(0.5)).max() > CLOSE:
            places, agree = places + 0.5, better
        else:
            far = far_positions(omega, phase)
            for count in (1, len(rates)):  # the cosine of one pair leaves few, which saves time
                better = np.cos(angles[:count] - np.outer(far, rates[:count])).mean(axis=1)
                far, better = (kept[better > 1 - (1 - CLOSE) * len(rates) / count] for kept in (far, better))
            if len(far):
                places, agree = far, better
    return float(places[np.argmax(agree > agree.max() - max(unsure, 2 * (1 - agree.max())))])


@cache
def nearest_positions() -> Array:
    """Return 0, −1, 1, −2, 2, … up to MAX_START, shape (2 · MAX_START,)."""
    steps = np.arange(2 * MAX_START)
    return np.where(steps % 2, -(steps + 1) // 2, steps // 2)


def far_positions(omega: Array, phase: Array) -> Array:
    """Return integers up to MAX_FAR that explain the slowest pair's angle at row 0, adjusted to faster pairs."""
    order = np.argsort(omega)
    turns = min(int(MAX_FAR * omega[order[0]] / (2 * pi)) + 1, MAX_START)
    places = (phase[order[0]] + 2 * pi * np.arange(-turns, turns + 1)) / omega[order[0]]
    for pair in order[1:]:
        turns_off = (phase[pair] - omega[pair] * places) / (2 * pi)
        places = places + 2 * pi * (turns_off - np.rint(turns_off)) / omega[pair]
    places = np.rint(places)
    return places[np.argsort(np.abs(places), kind="stable")]


def simplified(table: Array, rows: Array, fit: Fit, limit: float) -> Fit:
    """Return the fit with rate, start and scale rounded to usual values while the residual rms is at most `limit`."""
    d, free = table.shape[1], list(PARAMETERS)
    rates = (1.0, pi / 180, 180 / pi, float(f"{fit.rate:.3g}"))  # π/180 if degrees and radians were confused
    known: dict[str, Iterable[float]] = {
        "rate": rates if fit.kind != "linear" else (),
        "start": (float(round(fit.start)), round(2 * fit.start) / 2),
        "scale": (1.0, sqrt(d), 1 / sqrt(d), sqrt(2 / d)),
    }
    for name, values in known.items():
        others = [each for each in free if each != name]
        simple: list[dict[str, Any]] = [{name: value} for value in values]
        tried = (refine(table, rows, replace(fit, **each), others) for each in simple)
        if (better := next((each for each in tried if each.rms <= limit), None)) is not None:
            fit, free = better, others
    return fit


def shortest_decimal(center: float, fits: Callable[[float], bool]) -> tuple[float, int]:
    """Return the number near `center` with the fewest digits for which `fits` is true, and its number of digits.

    Returns (center, 17) if there is none.
    """
    for digits in range(1, 17):
        value = float(f"{center:.{digits}g}")
        if value > 0 and fits(value):
            return value, digits
    return center, 17
