"""Sines and cosines fitted to a table of which a part may be wrong: guesses, then least squares on what lies near.

Numbers that are NaN are left out of a fit: `trimmed` marks so what is far from the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, pi, sqrt
from typing import Any

from pecli.core.lazy import Array, np

MAX_START = 5000
FRONT = 8  # rows in front that may be something else: a class token's, padding
FIRST = 64  # rows that a fit begins with
FAR = 0.4  # rms of what a guess leaves over from which on it is none, as a share of its scale
NOISE = 5e-3  # rms of what a formula may leave over, as a share of its scale
EXACT = 1e-15  # of what rounding in float64 leaves over, as a share of the scale
SINGLE = 3e-7  # of a number and of angles, to which libraries agree that compute in float32
SHARE_RIGHT = 0.6  # of the numbers that a formula was fitted to, which it has to make up to rounding
ENOUGH = 0.95  # of a few rows that a fit has to make, from which on no other is looked for
CIRCLE = 0.12  # how far squares of a pair may be from one sum, as a share of it
STILL = 20.0  # decay of rates after the first, where no other pair turns
RISING = 0.01  # of the logarithm of the rates, from which on columns stand in another order
PARAMETERS = ("rate", "decay", "start", "scale")


@dataclass(frozen=True)
class Fit:
    """A table as scale · sin or cos of ω_c (row + start), ω_c = rate · e^(−decay · exponent_c).

    kind : pairs, whose columns share an exponent 2j, or columns, each with its own; linear, with ω_c = rate · exponent;
        whole, pairs whose angles are rounded down
    layout : interleaved, concatenated, permuted or columns
    cosine, exponents : of each column, (d,)
    rms : of what is left over
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

    def frequencies(self) -> Array:
        """Return ω of every column, rad/position, (d,)."""
        if self.kind == "linear":
            return self.rate * self.exponents
        return self.rate * np.exp(np.minimum(-self.decay * self.exponents, 50))

    def angles(self, rows: Array) -> Array:
        """Return the angle of every column, of a cosine a quarter turn more, (n, d)."""
        angles = np.outer(rows + self.start, self.frequencies())
        return (np.floor(angles + 1e-9) if self.kind == "whole" else angles) + pi / 2 * self.cosine

    def numbers(self, rows: Array) -> Array:
        """Return what it makes of rows of a table, (n, d)."""
        return self.scale * np.sin(self.angles(rows))

    def undecided(self, rows: Array) -> Array:
        """Return where rounding decides which whole number an angle is, (n, d)."""
        angles = np.outer(rows + self.start, self.frequencies())
        return (np.abs(angles - np.rint(angles)) < 1e-9) & (self.kind == "whole")

    def left(self, table: Array, rows: Array) -> Array:
        """Return what it leaves over of rows of a table, (n, d); nothing where rounding decides."""
        left = table - self.numbers(rows)
        if self.kind == "whole":
            left[self.undecided(rows)] = 0.0
        return left

    def measured(self, table: Array, rows: Array) -> Fit:
        """Return the same with the root mean square of what it leaves over."""
        return replace(self, rms=rms(self.left(table, rows)))

    def clean(self, table: Array, rows: Array) -> bool:
        """Return whether it leaves over rounding, or noise that is little and that no other waves would make less.

        The others are those of each column alone: its rate, phase and radius.
        """
        single = SINGLE * (1 + float(np.abs(rows + self.start).max()) * self.rate)
        if self.rms >= NOISE * self.scale or self.rms < single * self.scale:
            return self.rms < NOISE * self.scale
        angles = self.angles(rows).T[..., None]
        moves = np.concatenate([np.sin(angles), np.cos(angles), rows[:, None] * np.cos(angles)], axis=-1)
        basis, left = np.linalg.qr(moves)[0], np.nan_to_num(self.left(table, rows)).T[..., None]
        noise = rms(left - basis @ (basis.transpose(0, 2, 1) @ left)) * sqrt(len(rows) / max(len(rows) - 3, 1))
        return self.rms < 1.5 * noise


def rms(values: Array) -> float:
    """Return the root mean square of the numbers that are not NaN."""
    mean = np.mean(squares := np.square(values))
    return float(np.sqrt(np.nanmean(squares) if np.isnan(mean) and not np.isnan(values).all() else mean))


def fits_of(table: Array, most: int, rounding: float) -> Iterator[tuple[Fit, Array, Array]]:
    """Yield the fit of pairs in a usual order to what is right in a table, then that of anything else; with the rows
    that it was fitted to, at most so many, NaN for what is far from it, (n, d), and which these are, (n,).

    rounding : how far numbers may be off because they are rounded, as a share of the scale
    """
    length, count = len(table), min(FIRST, len(table))
    ends = (0, length - count, (length - count) // 2)  # the rows at one or two of them may be wrong
    for search, starts in ((guesses_of_pairs, ends), (guesses_of_others, (min(FRONT, length // 4), 0))):
        found: list[tuple[float, float, Fit, range]] = []
        for window in (range(at, min(at + count, length)) for at in dict.fromkeys(starts)):
            part, rows = rows_of(table, window)
            for guess in search(part, rows) if not found or found[-1][0] <= ENOUGH else ():
                fit, kept, off = trimmed(part, rows, guess, rounding)
                if off < FAR / 4 and fit.decay * table.shape[1] > -RISING:
                    right = round(float(np.isfinite(kept).mean()), 2) if fit.clean(kept, rows) else 0.0
                    found.append((right, -off, fit, window))
                    if right > ENOUGH:
                        break
        if found:
            _, off, fit, window = max(found, key=lambda each: each[:2])
            yield lengthened(table, -off, fit, window, most, rounding)


def rows_of(table: Array, window: range) -> tuple[Array, Array]:
    """Return rows of a table, (n, d), and their numbers, (n,)."""
    return table[window.start : window.stop], np.arange(window.start, window.stop, dtype=np.float64)


def lengthened(
    table: Array, off: float, fit: Fit, window: range, most: int, rounding: float
) -> tuple[Fit, Array, Array]:
    """Return a fit to a few rows, which are off so far in the median, fitted to twice as many, and again, up to so many
    as long as most of them are right too; and these rows as `fits_of` does."""
    length, most = len(table), min(len(table), most)
    while len(window) < most:
        count = min(2 * len(window), most)
        first = round(window.start / max(length - len(window), 1) * (length - count))  # as far down the table
        longer = range(first, first + count)
        part, rows = rows_of(table, longer)
        if np.mean(np.abs(fit.left(part, rows)) > (10 * off + rounding + 1e-12) * fit.scale) > 1 - SHARE_RIGHT:
            break
        fit, _, now = trimmed(part, rows, fit, rounding)
        window, off = longer, max(off, now)
    part, rows = rows_of(table, window)
    return *trimmed(part, rows, fit, rounding)[:2], rows


def refined(table: Array, rows: Array, fit: Fit, free: Sequence[str] = PARAMETERS) -> Fit:
    """Return the fit with those of its parameters set that leave least over (Gauss-Newton)."""
    fit, free = fit.measured(table, rows), [name for name in free if fit.kind != "whole" or name == "scale"]
    missing = np.isnan(table).ravel() if np.isnan(table.sum()) else None
    for _ in range(30 if free and fit.rms < FAR * abs(fit.scale) else 0):
        angles, rates = fit.angles(rows), fit.frequencies()
        slopes = fit.scale * np.cos(angles) * rates
        turned = slopes * (rows + fit.start)[:, None]
        moves = {"rate": turned, "decay": -turned * fit.exponents, "start": slopes, "scale": fit.scale * np.sin(angles)}
        columns, left = np.stack([moves[name].ravel() for name in free], axis=1), fit.left(table, rows).ravel()
        if missing is not None:
            columns[missing] = left[missing] = 0.0
        columns /= (sizes := np.maximum(np.linalg.norm(columns, axis=0), 1e-290))
        inverse = np.linalg.pinv(columns.T @ columns, rcond=1e-14, hermitian=True)
        steps = inverse @ (columns.T @ left) / sizes
        step = dict.fromkeys(PARAMETERS, 0.0) | dict(zip(free, steps.tolist(), strict=True))
        better = replace(
            fit, rate=fit.rate * exp(min(max(step["rate"], -1), 1)), decay=fit.decay + step["decay"],
            start=fit.start + step["start"], scale=fit.scale * (1 + step["scale"]),
        ).measured(table, rows)  # fmt: skip
        before, fit = fit.rms, min(fit, better, key=lambda each: each.rms)
        if fit.rms > before * (1 - 1e-3):
            break
    return fit


def trimmed(table: Array, rows: Array, fit: Fit, rounding: float) -> tuple[Fit, Array, float]:
    """Return the fit to those numbers of a table that lie near it, the table with NaN in place of the others, and how
    far all are off in the median, as a share of the scale.

    rounding : how far numbers may be off because they are rounded, as a share of the scale
    """
    before = inf
    while True:
        off = np.abs(fit.left(table, rows))
        middle = float(np.median(off))
        kept = np.where(off <= 5 * middle + rounding * fit.scale, table, np.nan)
        if middle >= 0.8 * before or middle > FAR * abs(fit.scale):
            return fit.measured(kept, rows), kept, middle / abs(fit.scale)
        fit, before = refined(kept, rows, fit), middle


def guesses_of_pairs(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses from how each pair of columns turns, which hold where less than a third of the pairs is wrong."""
    for layout in usual_layouts(table.shape[1]):
        yield from guesses_of_layout(table, rows, *layout)


def guesses_of_layout(table: Array, rows: Array, layout: str, exponents: Array, cosine: Array) -> Iterator[Fit]:
    """Yield guesses of pairs in one order of columns; none where they do not lie on circles."""
    sines, cosines = pairs_of(exponents, cosine)
    radius, steps = np.hypot(table[:, sines], table[:, cosines]), exponents[sines]
    scale = float(np.median(radius))
    if not scale or np.median(np.abs(radius - scale)) > CIRCLE * scale:
        return
    omega, phase = median_turning(table, rows, sines, cosines, reach=8)
    told = omega * np.ptp(rows) > 1e-7
    for rate, decay in rates_of(omega[told], steps[told]):
        near = np.flatnonzero(told)[np.abs(np.log(omega[told] / rate) + decay * steps[told]) < 0.05]
        starts = [start_of(omega[near], phase[near], unsure) for unsure in (1e-6, 1e-12)] if len(near) else []
        for start in dict.fromkeys(starts):
            yield Fit("pairs", layout, cosine, exponents, scale, rate, decay, start)


def rates_of(omega: Array, steps: Array) -> Iterator[tuple[float, float]]:
    """Yield rate and decay of lines through the logarithms of ω: of a first rate of 1, and of any from all pairs and
    from the slower half, where others alias; medians, and least squares for where none is wrong."""
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
        lines = np.stack([weights, -weights * xs], axis=1)  # an error of ω is one of its logarithm
        least = np.linalg.lstsq(lines, weights * ys, rcond=None)[0].tolist()
        for level, slope in ((float(np.median(ys + decay * xs)), decay), least):
            yield exp(min(max(level, -300), 50)), slope


def guesses_of_others(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses of angles that are whole numbers, of pairs in another order, and of what does not turn in pairs."""
    for layout in usual_layouts(table.shape[1]) if rows[0] == 0 else ():
        yield from guesses_of_whole(table, rows, *layout)
    if (other := other_layout(table, rows)) is not None:
        yield from guesses_of_layout(table, rows, *other)
    yield from guesses_of_columns(table, rows)


def guesses_of_whole(table: Array, rows: Array, layout: str, exponents: Array, cosine: Array) -> Iterator[Fit]:
    """Yield the fit of pairs whose angles are whole numbers, ⌊position · ω⌋: each count bounds ω from both sides."""
    sines, cosines = pairs_of(exponents, cosine)
    counts = np.unwrap(np.angle(table[:, cosines] + 1j * table[:, sines]), axis=0)
    if np.abs(counts - np.rint(counts)).max() > 0.1:
        return
    counts, steps = np.rint(counts), exponents[sines][1:]
    places = (rows + counts[0, 0])[1:, None]
    with np.errstate(divide="ignore"):
        high = -np.log((counts[1:, 1:] / places).max(axis=0)) / steps
    low = -np.log(((counts[1:, 1:] + 1) / places).min(axis=0)) / steps
    if len(high) and np.isfinite(decay := float((high.min() + low.max()) / 2)):
        yield Fit("whole", layout, cosine, exponents, rms(table) * sqrt(2), decay=decay, start=float(counts[0, 0]))


def guesses_of_columns(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses for what does not turn in pairs: of many bases the one that makes a few rows the best."""
    columns, scale = np.arange(table.shape[1]), sqrt(2 * np.mean(table**2))
    if np.mean(np.abs(table) > 1.1 * scale) > 1 - ENOUGH:  # no sines
        return
    decays, rates = np.log(np.logspace(0.1, 9, 90)) / len(columns), np.logspace(-12, 0, 121)
    searches = (
        ("columns", "columns", columns * 1.0, "decay", decays),
        ("linear", "columns", columns * 1.0, "rate", rates),
        ("linear", "interleaved", columns // 2 * 2.0, "rate", rates),
    )
    few, places = table[:8], rows[:8, None] + [[[0.0]], [[1.0]]]  # of two starts, (2, 8, 1)
    for kind, layout, exponents, name, values in searches:
        left = np.empty((2, len(values), 2))  # squares, of sines and cosines as usual and swapped
        for at, value in enumerate(values):
            angles = places * (value * exponents if kind == "linear" else np.exp(-value * exponents))
            sines, cosines = np.sin(angles), np.cos(angles)
            for swap in (0, 1):
                waves = np.where(columns % 2 == 1 - swap, cosines, sines)
                left[swap, at] = np.mean((few - scale * waves) ** 2, axis=(1, 2))
        for swap in (0, 1):
            best, start = divmod(int(np.argmin(left[swap])), 2)
            found: dict[str, Any] = {name: float(values[best]), "start": float(start)}
            fit, count = Fit(kind, layout, columns % 2 == 1 - swap, exponents, scale, **found), 8
            while count < 2 * len(table):  # the longer the rows, the nearer the guess has to be
                fit, count = refined(table[:count], rows[:count], fit), 2 * count
            yield fit


def usual_layouts(d: int) -> Iterator[tuple[str, Array, Array]]:
    """Yield by name the exponents of columns in pairs, and which are cosines, (d,) each."""
    columns, half = np.arange(d), (d + 1) // 2
    for swap in (False, True):
        yield "interleaved", columns // 2 * 2.0, (columns % 2 == 1) ^ swap
        yield "concatenated", columns % half * 2.0, (columns >= half) ^ swap


def pairs_of(exponents: Array, cosine: Array) -> tuple[Array, Array]:
    """Return the columns of sines and of cosines, pair by pair, (n_pairs,) each; that of an odd d has none."""
    order = np.argsort(exponents, kind="stable")
    n_pairs = len(order) // 2
    return order[~cosine[order]][:n_pairs], order[cosine[order]][:n_pairs]


def other_layout(table: Array, rows: Array) -> tuple[str, Array, Array] | None:
    """Return the same of a table whose columns have another order, where its pairs can be told; the fastest first."""
    d = table.shape[1]
    if (pairs := partners(table)) is None:
        return None
    omega, _ = median_turning(table, rows, pairs[0], pairs[1], reach=8)
    larger = np.abs(table[:, pairs]).mean(axis=0)
    still = np.abs(omega) * np.ptp(rows) < 0.1  # too little to tell the direction by: the cosine is near 1
    sines, cosines = np.where(np.where(still, larger[0] > larger[1], omega < 0), pairs[::-1], pairs)
    order = np.argsort(-np.abs(omega))
    exponents = np.zeros(d)
    exponents[sines[order]] = exponents[cosines[order]] = 2.0 * np.arange(d // 2)
    return "permuted", exponents, np.isin(np.arange(d), cosines)


def partners(table: Array) -> Array | None:
    """Return the two columns of each pair, (2, n_pairs), those whose squares add up to one number the best."""
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


def median_turning(table: Array, rows: Array, sines: Array, cosines: Array, reach: int) -> tuple[Array, Array]:
    """Return ω of pairs of columns and their angle at row 0, (n_pairs,) each, which a few wrong rows do not move.

    Each is the median over all rows that lie so many rows apart: 1, then 4, 16, … for more digits, up to a share
    1/reach of all; the farther, the more of them a block of wrong rows spoils.
    """
    waves = table[:, cosines] + 1j * table[:, sines]
    omega, lag = np.zeros(len(sines)), 1
    while lag == 1 or lag <= len(rows) // reach:
        omega += middle_angle(waves[lag:] * waves[:-lag].conj() * np.exp(-1j * lag * omega)) / lag
        lag *= 4
    return omega, middle_angle(waves * np.exp(-1j * np.outer(rows, omega)))


def middle_angle(waves: Array) -> Array:
    """Return the median angle of complex numbers, over the first axis."""
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = np.nan_to_num(waves / np.abs(waves)).sum(axis=0)
    return np.asarray(np.angle(middle) + np.median(np.angle(waves * middle.conj()), axis=0))


def start_of(omega: Array, phase: Array, unsure: float = 1e-12) -> float:
    """Return the position of row 0, of whole ones the nearest to 0 from which all pairs have turned as far.

    unsure : of the mean cosine of what is left, how much it may be smaller than at the best position
    """
    steps = np.arange(2 * MAX_START)
    places = np.where(steps % 2, -(steps + 1) // 2, steps // 2)  # 0, −1, 1, −2, 2, …
    some = slice(None, None, max(1, len(omega) // 16))
    agree = np.cos(phase[some] - np.outer(places, omega[some])).mean(axis=1)
    return float(places[np.argmax(agree > agree.max() - max(unsure, 2 * (1 - agree.max())))])


def simplified(table: Array, rows: Array, fit: Fit, limit: float) -> Fit:
    """Return the fit with rate, start and scale as they are in formulas, where no more than the limit is left over."""
    d, free = table.shape[1], list(PARAMETERS)
    rates = (1.0, pi / 180, 180 / pi, float(f"{fit.rate:.3g}"))  # π/180 where degrees slipped in
    known: dict[str, Iterable[float]] = {
        "rate": rates if fit.kind != "linear" else (),
        "start": (float(round(fit.start)),),
        "scale": (1.0, sqrt(d), 1 / sqrt(d), sqrt(2 / d)),
    }
    for name, values in known.items():
        others = [each for each in free if each != name]
        simple: list[dict[str, Any]] = [{name: value} for value in values]
        tried = (refined(table, rows, replace(fit, **each), others) for each in simple)
        if (better := next((each for each in tried if each.rms <= limit), None)) is not None:
            fit, free = better, others
    return fit


def roundest(center: float, fits: Callable[[float], bool]) -> tuple[float, int]:
    """Return the number near a center of fewest digits that fits, and how many these are."""
    for digits in range(1, 17):
        value = float(f"{center:.{digits}g}")
        if value > 0 and fits(value):
            return value, digits
    return center, 17
