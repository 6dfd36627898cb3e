"""Sines and cosines fitted to a table: a first guess of their rates, then least squares on the whole table."""

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
        basis, left = np.linalg.qr(moves)[0], self.left(table, rows).T[..., None]
        return rms(left - basis @ (basis.transpose(0, 2, 1) @ left)) * sqrt(len(rows) / max(len(rows) - 3, 1))

    def rounding(self, rows: Array) -> float:
        """Return how far computing in float32, rates and angles, may take the numbers of these rows."""
        return 3e-7 * abs(self.scale) * (1 + float(np.abs(rows + self.start).max()) * self.rate)


def rms(values: Array) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


def refined(table: Array, rows: Array, fit: Fit, free: Sequence[str] = PARAMETERS) -> Fit:
    """Return the fit with those of its parameters set that leave least over (Gauss-Newton)."""
    fit, free = fit.measured(table, rows), [name for name in free if fit.kind != "whole" or name == "scale"]
    for _ in range(30 if free and fit.rms < FAR * abs(fit.scale) else 0):
        angles, rates = fit.angles(rows), fit.frequencies()
        slopes = fit.scale * np.cos(angles) * rates
        turned = slopes * (rows + fit.start)[:, None]
        moves = {"rate": turned, "decay": -turned * fit.exponents, "start": slopes, "scale": fit.scale * np.sin(angles)}
        columns = np.stack([moves[name].ravel() for name in free], axis=1)
        columns /= (sizes := np.maximum(np.linalg.norm(columns, axis=0), 1e-290))
        inverse = np.linalg.pinv(columns.T @ columns, rcond=1e-14, hermitian=True)
        steps = inverse @ (columns.T @ fit.left(table, rows).ravel()) / sizes
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


def layouts(table: Array, rows: Array) -> Iterator[tuple[str, Array, Array]]:
    """Yield by name the exponents of columns in pairs, and which are cosines, (d,) each."""
    d, columns = table.shape[1], np.arange(table.shape[1])
    half = (d + 1) // 2
    for swap in (False, True):
        yield "interleaved", columns // 2 * 2.0, (columns % 2 == 1) ^ swap
        yield "concatenated", columns % half * 2.0, (columns >= half) ^ swap
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
        order = np.argsort(exponents, kind="stable")
        sines, cosines = order[~cosine[order]][: d // 2], order[cosine[order]][: d // 2]
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
    places = np.array(sorted(range(-100, MAX_START), key=abs))
    some = slice(None, None, max(1, len(omega) // 16))
    agree = np.cos(phase[some] - np.outer(places, omega[some])).mean(axis=1)
    return float(places[np.argmax(agree > agree.max() - 1e-4)])


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
