"""Sines and cosines fitted to a table: a first guess of their rates, then least squares on the whole table.

Numbers that are NaN are left out of a fit: `trimmed` marks so what is far from the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, pi, sqrt
from typing import Any

from pecli.core.lazy import Array, np

MAX_START = 5000
FAR = 0.4  # rms of what a guess leaves over from which on it is none, as a share of its scale
NOISE = 5e-3  # rms of what a formula may leave over, as a share of its scale
EXACT = 1e-15  # of what rounding in float64 leaves over, as a share of the scale
CIRCLE = 0.12  # how far squares of a pair may be from one sum, in the mean, as a share of it
FIRST = 64  # rows that a formula is guessed from where others may be wrong
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

    def left(self, table: Array, rows: Array) -> Array:
        """Return what it leaves over of rows of a table, (n, d); nothing where rounding decides a whole number."""
        left = table - self.scale * np.sin(self.angles(rows))
        if self.kind == "whole":
            angles = np.outer(rows + self.start, self.frequencies())
            left[np.abs(angles - np.rint(angles)) < 1e-9] = 0.0
        return left

    def measured(self, table: Array, rows: Array) -> Fit:
        """Return the same with the root mean square of what it leaves over."""
        return replace(self, rms=rms(self.left(table, rows)))

    def noise(self, table: Array, rows: Array) -> float:
        """Return the rms of what columns leave over that are fitted each alone, rate, phase and radius."""
        angles = self.angles(rows).T[..., None]
        moves = np.concatenate([np.sin(angles), np.cos(angles), rows[:, None] * np.cos(angles)], axis=-1)
        basis, left = np.linalg.qr(moves)[0], np.nan_to_num(self.left(table, rows)).T[..., None]
        return rms(left - basis @ (basis.transpose(0, 2, 1) @ left)) * sqrt(len(rows) / max(len(rows) - 3, 1))

    def rounding(self, rows: Array) -> float:
        """Return how far computing in float32, rates and angles, may take the numbers of these rows."""
        return 3e-7 * abs(self.scale) * (1 + float(np.abs(rows + self.start).max()) * self.rate)


def rms(values: Array) -> float:
    """Return the root mean square of the numbers that are not NaN."""
    mean = np.mean(squares := np.square(values))
    return float(np.sqrt(np.nanmean(squares) if np.isnan(mean) and not np.isnan(values).all() else mean))


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


def turning(table: Array, rows: Array, sines: Array, cosines: Array) -> tuple[Array, Array, Array]:
    """Return ω of pairs of columns, their angle at row 0, (n_pairs,) each, and all angles, (n, n_pairs)."""
    angles = np.unwrap(np.angle(table[:, cosines] + 1j * table[:, sines]), axis=0)
    omega, phase = np.polyfit(rows, angles, 1)
    return omega, phase, angles


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


def layouts(table: Array, rows: Array) -> Iterator[tuple[str, Array, Array]]:
    """Yield the usual layouts and, where its pairs can be told, that of a table whose columns have another order."""
    d, columns = table.shape[1], np.arange(table.shape[1])
    yield from usual_layouts(d)
    if (pairs := partners(table)) is not None:
        omega, _, _ = turning(table, rows, *pairs)
        larger = np.abs(table[:, pairs]).mean(axis=0)
        still = np.abs(omega) * np.ptp(rows) < 0.1  # too little to tell the direction by: the cosine is near 1
        sines, cosines = np.where(np.where(still, larger[0] > larger[1], omega < 0), pairs[::-1], pairs)
        order = np.argsort(-np.abs(omega))
        exponents = np.zeros(d)
        exponents[sines[order]] = exponents[cosines[order]] = 2.0 * np.arange(d // 2)
        yield "permuted", exponents, np.isin(columns, cosines)


def partners(table: Array) -> Array | None:
    """Return the two columns of each pair, (2, n_pairs), those whose squares add up to one number the best."""
    d, mean = table.shape[1], np.mean(table**2)
    squares = table**2 - mean
    sizes = np.mean(squares**2, axis=0)
    apart = sizes[:, None] + sizes + 2 * squares.T @ squares / len(table)
    if d % 2 or d < 4 or apart.min(axis=0).max() > (CIRCLE * mean) ** 2:
        return None
    apart[np.tril_indices(d)] = inf
    free, pairs = np.ones(d, dtype=bool), []
    for at in np.argsort(apart, axis=None)[: d * (d - 1) // 2].tolist():
        pair = divmod(at, d)
        if free[[*pair]].all():
            free[[*pair]] = False
            pairs.append(pair)
    return np.array(pairs).T


def fits_of_pairs(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses from how each pair of columns turns: all of them, or the slower half, where others alias."""
    d, scale = table.shape[1], sqrt(2 * np.mean(table**2))
    for layout, exponents, cosine in layouts(table, rows):
        sines, cosines = pairs_of(exponents, cosine)
        radius = np.hypot(table[:, sines], table[:, cosines])
        if np.abs(radius - scale).mean(axis=0).max() > CIRCLE * scale:
            continue
        omega, phase, angles = turning(table, rows, sines, cosines)
        blank, steps = Fit("pairs", layout, cosine, exponents, scale), exponents[sines]
        if rows[0] == 0 and np.abs(angles - np.rint(angles)).max() < 0.1:
            yield from fit_of_steps(blank, np.rint(angles), rows, steps)
        for part in (slice(None), slice(d // 4, None)):
            weights = np.maximum(omega[part], 1e-300)  # an error of ω as one of log ω
            lines = np.stack([weights, -weights * steps[part]], axis=1)
            level, decay = np.linalg.lstsq(lines, weights * np.log(weights), rcond=None)[0].tolist()
            start = start_of(omega[part], phase[part])
            yield replace(blank, rate=exp(min(max(level, -300), 50)), decay=decay, start=start)


def fit_of_steps(blank: Fit, counts: Array, rows: Array, steps: Array) -> Iterator[Fit]:
    """Yield the fit of pairs whose angles are whole numbers, ⌊position · ω⌋: each count bounds ω from both sides."""
    places = (rows + counts[0, 0])[1:, None]
    with np.errstate(divide="ignore"):
        high = -np.log((counts[1:, 1:] / places).max(axis=0)) / steps[1:]
    low = -np.log(((counts[1:, 1:] + 1) / places).min(axis=0)) / steps[1:]
    if len(high) and np.isfinite(decay := float((high.min() + low.max()) / 2)):
        yield replace(blank, kind="whole", decay=decay, start=float(counts[0, 0]))


def start_of(omega: Array, phase: Array) -> float:
    """Return the position of row 0, of whole ones the nearest to 0 from which all pairs have turned as far."""
    places = np.array(sorted(range(-MAX_START, MAX_START), key=abs))
    some = slice(None, None, max(1, len(omega) // 16))
    agree = np.cos(phase[some] - np.outer(places, omega[some])).mean(axis=1)
    return float(places[np.argmax(agree > agree.max() - max(1e-12, 2 * (1 - agree.max())))])


def fits_of_grid(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses for what does not turn in pairs: of many bases the one that makes the first rows the best."""
    columns, scale = np.arange(table.shape[1]), sqrt(2 * np.mean(table**2))
    decays, rates = np.log(np.logspace(0.1, 9, 90)) / len(columns), np.logspace(-12, 0, 121)
    searches = (
        ("columns", "columns", columns * 1.0, "decay", decays),
        ("linear", "columns", columns * 1.0, "rate", rates),
        ("linear", "interleaved", columns // 2 * 2.0, "rate", rates),
    )
    table, rows = table[:8], rows[:8, None] + [[[0.0]], [[1.0]]]  # of two starts, (2, 8, 1)
    for kind, layout, exponents, name, values in searches:
        left = np.empty((2, len(values), 2))  # squares, of sines and cosines as usual and swapped
        for at, value in enumerate(values):
            angles = rows * (value * exponents if kind == "linear" else np.exp(-value * exponents))
            sines, cosines = np.sin(angles), np.cos(angles)
            for swap in (0, 1):
                waves = np.where(columns % 2 == 1 - swap, cosines, sines)
                left[swap, at] = np.mean((table - scale * waves) ** 2, axis=(1, 2))
        for swap in (0, 1):
            best, start = divmod(int(np.argmin(left[swap])), 2)
            found: dict[str, Any] = {name: float(values[best]), "start": float(start)}
            yield Fit(kind, layout, columns % 2 == 1 - swap, exponents, scale, **found)


def best_fit(table: Array, rows: Array) -> Fit | None:
    """Return the first fit that leaves over no more than noise, else the one that leaves least."""
    found: list[Fit] = []
    for search in (fits_of_pairs, fits_of_grid):
        for fit in search(table, rows):
            count = 8
            while count < 2 * len(table):  # the longer the rows, the nearer the guess has to be
                fit, count = refined(table[:count], rows[:count], fit), 2 * count
            if fit.rms < FAR / 2 * fit.scale and fit.decay * table.shape[1] > -RISING:
                if fit.rms < min(NOISE * fit.scale, 1.5 * fit.noise(table, rows) + EXACT * fit.scale):
                    return fit
                found.append(fit)
    return min(found, key=lambda fit: fit.rms, default=None)


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


def robust_guesses(table: Array, rows: Array) -> Iterator[Fit]:
    """Yield guesses that hold where less than a third of the pairs of columns is wrong."""
    for layout, exponents, cosine in usual_layouts(table.shape[1]):
        sines, cosines = pairs_of(exponents, cosine)
        radius, steps = np.hypot(table[:, sines], table[:, cosines]), exponents[sines]
        scale = float(np.median(radius))
        if np.median(np.abs(radius - scale)) > CIRCLE * scale:
            continue
        omega, phase = median_turning(table, rows, sines, cosines, reach=8)
        with np.errstate(divide="ignore"):
            logs = np.log(np.abs(omega))
        told = np.isfinite(logs) & (np.abs(omega) * np.ptp(rows) > 1e-7)
        if not told.any() or not scale:
            continue
        first, second = np.triu_indices(min(int(told.sum()), 256), 1)
        apart = steps[told][second] - steps[told][first]
        later = told & (steps > 0)
        slopes = (
            -logs[later] / steps[later],
            (logs[told][first] - logs[told][second]) / apart,
        )  # the first ω 1, or any
        decays = [float(np.median(each)) if len(each) else 0.0 for each in slopes]
        for decay, free in zip(decays, (False, True), strict=True):
            level = float(np.median((logs + decay * steps)[told])) if free else 0.0
            near = told & (np.abs(logs - level + decay * steps) < 0.05) & (omega > 0)
            if near.any() and abs(level) < 50:
                start = start_of(omega[near], phase[near])
                yield Fit("pairs", layout, cosine, exponents, scale, exp(level), decay, start)


def trimmed(table: Array, rows: Array, fit: Fit, rounding: float) -> tuple[Fit, Array]:
    """Return the fit to those numbers of a table that lie near it, and the table with NaN in place of the others.

    rounding : how far numbers may be off because they are rounded, as a share of the scale
    """
    before = inf
    while True:
        off = np.abs(fit.left(table, rows))
        middle = float(np.median(off))
        kept = np.where(off <= 5 * middle + rounding * fit.scale, table, np.nan)
        if middle >= 0.8 * before or middle > FAR * abs(fit.scale):
            return fit.measured(kept, rows), kept
        fit, before = refined(kept, rows, fit), middle


def robust_fit(table: Array, most: int, rounding: float) -> tuple[Fit, Array, Array] | None:
    """Return the fit to what is right in a table, of which a part may be wrong; the rows that it was fitted to, with
    NaN for what is far from it, and which these are. At most so many rows are taken.
    """
    length, best = len(table), None
    for anchor in (0.0, 1.0, 0.5):  # the first rows, the last, those in the middle: some are right
        count = min(FIRST, length)
        first = round(anchor * (length - count))
        rows = np.arange(first, first + count, dtype=np.float64)
        part = table[first : first + count]
        fits = [trimmed(part, rows, guess, rounding)[0] for guess in robust_guesses(part, rows)]
        fits = [fit for fit in fits if np.isfinite(fit.rms) and fit.decay * table.shape[1] > -RISING]
        middles = [float(np.median(np.abs(fit.left(part, rows)))) / fit.scale for fit in fits]
        if not fits or (middle := min(middles)) > FAR / 4 or (best and middle >= best[0]):
            continue
        fit, spread = fits[middles.index(middle)], middle
        while 2 * count <= min(length, most):  # as long as most of more rows are right too
            count *= 2
            first = round(anchor * (length - count))
            longer = np.arange(first, first + count, dtype=np.float64)
            off = np.abs(fit.left(table[first : first + count], longer))
            if np.median(off) > 50 * spread * fit.scale + 1e-12 * fit.scale:
                break
            part, rows = table[first : first + count], longer
            fit, _ = trimmed(part, rows, fit, rounding)
            spread = max(spread, float(np.median(np.abs(fit.left(part, rows)))) / fit.scale)
        best = (middle, *trimmed(part, rows, fit, rounding), rows)
        if middle < 1e-6:
            break
    return best and best[1:]


def simplified(table: Array, rows: Array, fit: Fit, limit: float) -> Fit:
    """Return the fit with rate, start and scale as they are in formulas, where no more than the limit is left over."""
    d, free = table.shape[1], list(PARAMETERS)
    rates = (1.0, pi / 180, 180 / pi, float(f"{fit.rate:.3g}"))  # π/180 where degrees slipped in
    known: dict[str, Sequence[float]] = {
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
