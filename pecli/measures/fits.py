"""Which formula made a table: the waves of its columns, the progression of their rates, and what is left over.

A pair of columns is one complex wave A e^{i(ωp + φ)}: its radius is constant only where the two belong together, and
its turning gives ω and φ without a guess, however slow it is. The rates of all pairs are matched with progressions;
each match is refined on the whole table (Gauss-Newton) and judged by what it leaves over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, pi, sqrt
from typing import Any

from pecli.core.lazy import Array, np

FRONT = 8  # rows in front that may be something else: a class token's, padding
CIRCLE = 0.03  # how far from a circle a pair may be in the mean, as a share of its radius
SPREAD = 5.0  # standard errors within which a number may be a simpler one
MAX_START = 20_000
FAR = 0.4  # rms of what a first guess leaves over from which on it is none, as a share of its scale
NOISE = 5e-3  # rms of what a formula may leave over to be certain, as a share of its scale
RISING = 0.01  # of the logarithm of the rates, from which on columns stand in another order
NEAR = 1e-4  # how far rounding in float32 moves a parameter, at most
RATES = (1.0, pi / 180, 180 / pi)  # of the first pair, in radians, and where angles in degrees slipped in
PARAMETERS = ("rate", "decay", "start", "scale")


@dataclass(frozen=True)
class Waves:
    """What stands in each column, (d,): whether a cosine, and the exponent of its rate, 2j of pair j.

    layout : interleaved, concatenated, permuted, or columns, each of which has an exponent of its own
    progression : of the rates, rate · e^(−decay · exponent) (geometric), rate · exponent (linear), or two of them for
        half of the pairs each (halves)
    """

    layout: str
    cosine_first: bool
    cosine: Array
    exponents: Array
    progression: str = "geometric"

    def levels(self) -> Array:
        """Return what the decay is multiplied by, (d,)."""
        half = self.exponents >= len(self.exponents) / 2
        return {"geometric": self.exponents, "halves": half + 0.0}.get(self.progression, 0 * self.exponents)


@dataclass(frozen=True)
class Fit:
    """A table as scale · sin or cos of ω_c (row + start).

    whole : angles are rounded down, as ``position // base ** …`` does
    errors : standard errors of rate, decay, start and scale, of rate and scale as shares; inf where nothing tells
    """

    waves: Waves
    rate: float
    decay: float
    start: float
    scale: float
    whole: bool = False
    rms: float = inf
    errors: tuple[float, ...] = (inf, inf, inf, inf)

    def frequencies(self) -> Array:
        """Return ω of every column, rad/position, (d,)."""
        factors = self.waves.exponents if self.waves.progression == "linear" else 1.0
        return self.rate * factors * np.exp(np.minimum(-self.decay * self.waves.levels(), 50))

    def angles(self, rows: Array) -> Array:
        """Return the angle of every column, of a cosine a quarter turn more, (n, d)."""
        angles = np.outer(rows + self.start, self.frequencies())
        return (np.floor(angles + 1e-9) if self.whole else angles) + pi / 2 * self.waves.cosine

    def table(self, rows: Array) -> Array:
        """Return the formula's table, (n, d)."""
        return self.scale * np.sin(self.angles(rows))

    def left(self, table: Array, rows: Array) -> Array:
        """Return what it leaves over of rows of a table, (n, d); nothing where rounding decides a whole number."""
        left = table - self.table(rows)
        if self.whole:
            angles = np.outer(rows + self.start, self.frequencies())
            left[np.abs(angles - np.rint(angles)) < 1e-9] = 0.0
        return left

    def measured(self, table: Array, rows: Array) -> Fit:
        """Return the same with the root mean square of what it leaves over."""
        return replace(self, rms=rms(self.left(table, rows)))


def rms(values: Array) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


def refined(table: Array, rows: Array, fit: Fit, free: Sequence[str] = PARAMETERS) -> Fit:
    """Return the fit with those of its parameters set that leave least over (Gauss-Newton), and their errors."""
    best, levels = fit.measured(table, rows), fit.waves.levels()
    for _ in range(30 if best.rms < FAR * abs(fit.scale) else 0):
        angles, rates = best.angles(rows), best.frequencies()
        waves, slopes = np.sin(angles), np.cos(angles)
        turned = slopes * (rows + best.start)[:, None] * rates
        moves = {"rate": turned, "decay": -turned * levels, "start": slopes * rates, "scale": waves}
        columns = np.stack([(best.scale * moves[name]).ravel() for name in free], axis=1)
        lengths = np.linalg.norm(columns, axis=0)
        sizes = np.where(lengths > 1e-290, lengths, 1.0)  # what changes nothing stays
        columns /= sizes
        inverse = np.linalg.pinv(columns.T @ columns, rcond=1e-14, hermitian=True)
        steps = inverse @ (columns.T @ (table - best.scale * waves).ravel()) / sizes
        told = np.where(lengths > 1e-290, best.rms * np.sqrt(np.diag(inverse)) / sizes, inf)
        step, errors = (dict(zip(free, values.tolist(), strict=True)) for values in (steps, told))
        best = replace(best, errors=tuple(errors.get(name, 0.0) for name in PARAMETERS))
        rate, decay, start, scale = (step.get(name, 0.0) for name in PARAMETERS)
        better = replace(
            best, rate=best.rate * exp(min(max(rate, -1), 1)), decay=best.decay + decay, start=best.start + start,
            scale=best.scale * (1 + scale),
        ).measured(table, rows)  # fmt: skip
        if not better.rms < best.rms:
            break
        enough, best = better.rms > best.rms * (1 - 1e-3), better
        if enough:
            break
    return best


@dataclass(frozen=True)
class Turning:
    """Pairs of columns as complex waves: ω, φ at row 0 and standard error of ω of each, (n_pairs,), rms of the rest."""

    omega: Array
    phase: Array
    error: float
    scale: float
    noise: float


def turning(waves: Array, first: float) -> Turning | None:
    """Return how waves, (rows, n_pairs), rows from the `first` on, turn; None where one is no circle."""
    radius = np.abs(waves)
    scale = float(np.median(radius))
    if scale == 0 or np.mean(np.abs(radius / scale - 1), axis=0).max() > CIRCLE:
        return None
    unit, rows = waves / scale, np.arange(len(waves), dtype=np.float64)[:, None]
    omega, lag = np.zeros(waves.shape[1]), 1
    while lag < len(unit):
        ahead = np.sum(unit[lag:] * unit[:-lag].conj(), axis=0) * np.exp(-1j * omega * lag)
        omega, lag = omega + np.angle(ahead) / lag, 2 * lag
    for _ in range(2):
        middle = np.sum(unit * np.exp(-1j * omega * rows), axis=0)
        left = np.angle(unit * np.exp(-1j * omega * rows) * middle.conj())
        centred = rows - rows.mean()
        omega = omega + np.sum(left * centred, axis=0) / np.sum(centred**2)
    middle = np.mean(unit * np.exp(-1j * omega * rows), axis=0)
    noise = rms(np.abs(unit - middle * np.exp(1j * omega * rows))) / sqrt(2)
    error = noise * sqrt(12 / len(unit) ** 3) + 1e-16
    return Turning(omega, np.angle(middle) - omega * first, error, scale, noise * scale)


def fits_of_pairs(table: Array, rows: Array) -> Iterator[tuple[Fit, float]]:
    """Yield fits of a table whose columns are pairs, and the noise of its pairs alone; an odd d has a sine more."""
    d, pairs = table.shape[1], np.arange(table.shape[1] // 2)
    for layout, sines, cosines, single in (
        ("interleaved", 2 * pairs, 2 * pairs + 1, d - 1),
        ("concatenated", pairs, pairs + (d + 1) // 2, d // 2),
    ):
        found = turning(table[:, cosines] + 1j * table[:, sines], rows[0])
        if found is None:
            continue
        swap = is_swapped(found)
        exponents, cosine = np.full(d, d - 1.0), np.full(d, swap)
        exponents[sines] = exponents[cosines] = 2.0 * pairs
        cosine[cosines] ^= True
        cosine[single] &= d % 2 == 0
        waves = Waves(layout, swap, cosine, exponents)
        first, second = (cosines, sines) if swap else (sines, cosines)
        found = swapped(found) if swap else found
        if (steps := fit_of_steps(waves, table, rows, first, second, found.scale)) is not None:
            yield steps, found.noise
        yield from progressions(waves, found, table, rows)


def fits_in_any_order(table: Array, rows: Array) -> Iterator[tuple[Fit, float]]:
    """Yield the same of columns in any order: two whose squares add up to one number are a pair, the faster first."""
    d, pairs = table.shape[1], partners(table)
    if pairs is None:
        return
    first, second = pairs
    found = turning(table[:, second] + 1j * table[:, first], rows[0])
    if found is None:
        return
    sizes = np.abs(table).mean(axis=0)
    still = np.abs(found.omega) < SPREAD * found.error
    other = np.where(still, sizes[first] > sizes[second], found.omega < 0)  # the sine stands second
    omega, phase = np.where(other, -found.omega, found.omega), np.where(other, pi / 2 - found.phase, found.phase)
    order = np.argsort(-omega)
    exponents, cosine = np.zeros(d), np.zeros(d, dtype=bool)
    exponents[first[order]] = exponents[second[order]] = 2.0 * np.arange(d // 2)
    cosine[np.where(other, first, second)] = True
    waves = Waves("permuted", False, cosine, exponents)
    yield from progressions(waves, replace(found, omega=omega[order], phase=phase[order]), table, rows)


def partners(table: Array) -> tuple[Array, Array] | None:
    """Return the two columns of each pair, (n_pairs,) each, of those whose squares add up to one number the best."""
    d, mean = table.shape[1], np.mean(table**2)
    squares = table**2 - mean
    sizes = np.mean(squares**2, axis=0)
    apart = sizes[:, None] + sizes + 2 * squares.T @ squares / len(table)
    if d % 2 or d < 4 or apart.min(axis=0).max() > (4 * CIRCLE * mean) ** 2:
        return None
    apart[np.tril_indices(d)] = inf
    free, pairs = np.ones(d, dtype=bool), []
    for at in np.argsort(apart, axis=None)[: d * (d - 1) // 2].tolist():
        first, second = divmod(at, d)
        if free[first] and free[second]:
            free[[first, second]] = False
            pairs.append((first, second))
    return np.array(pairs)[:, 0], np.array(pairs)[:, 1]


def fits_of_columns(table: Array, rows: Array) -> Iterator[tuple[Fit, float]]:
    """Yield fits of a table each of whose columns has an exponent of its own: x_{p+1} + x_{p−1} = 2 cos(ω) x_p."""
    columns = np.arange(table.shape[1])
    norms = 2 * np.sum(table[1:-1] ** 2, axis=0)
    turns = np.sum(table[1:-1] * (table[2:] + table[:-2]), axis=0) / np.where(norms > 0, norms, 1)
    omega = np.arccos(np.clip(turns, -1, 1))
    weights = np.where(omega > 1e-4, omega * np.sin(omega), 0)  # an error of cos ω as one of log ω
    weights = weights * norms / max(norms.max(), 1e-300) + 1e-300  # the noise of a slow sine has any rate
    level, slope = line(columns, np.log(np.maximum(omega, 1e-4)), weights)
    proportion = float(np.sum(weights * omega * columns) / np.sum(weights * columns**2))
    scale = sqrt(2 * np.mean(table**2))
    for swap in (False, True):
        waves = Waves("columns", swap, (columns % 2 == 1) ^ swap, columns.astype(float))
        sines = columns[~waves.cosine]
        slow = np.diff(table, axis=0)[:, sines].mean(axis=0) / scale  # of sin(ω p) where ω p is small
        creep = float(np.sum(slow * sines) / max(np.sum(sines**2), 1))
        for kind, rates, decay in (("geometric", [exp(level)], -slope), ("linear", [proportion, creep], 0.0)):
            guesses = [
                Fit(replace(waves, progression=kind), max(rate, 1e-300), decay, float(start), scale)
                for start in range(-FRONT, FRONT)
                for rate in rates
            ]
            best, count = min(guesses, key=lambda fit: rms(fit.left(table[:FRONT], rows[:FRONT]))), FRONT
            while count < 2 * len(table):  # the longer the rows, the nearer the guess has to be
                best, count = refined(table[:count], rows[:count], best), 2 * count
            yield best, noise_of_columns(table, rows, best)


def noise_of_columns(table: Array, rows: Array, fit: Fit) -> float:
    """Return the rms that each column leaves over whose radius, phase and rate are set for it alone (one step)."""
    angles = fit.angles(rows).T[..., None]
    moves = np.concatenate([np.sin(angles), np.cos(angles), rows[:, None] * np.cos(angles)], axis=-1)
    basis, left = np.linalg.qr(moves)[0], fit.left(table, rows).T[..., None]
    return rms(left - basis @ (basis.transpose(0, 2, 1) @ left)) * sqrt(len(rows) / max(len(rows) - 3, 1))


def fit_of_steps(waves: Waves, table: Array, rows: Array, sines: Array, cosines: Array, scale: float) -> Fit | None:
    """Return the fit of a table whose angles are whole numbers, ⌊position · ω⌋: each step bounds ω from both sides."""
    angles = np.angle(table[:, cosines] + 1j * table[:, sines])
    moves = np.diff(angles, axis=0) % (2 * pi)
    steps = np.rint(moves) % 6  # 2π is none
    off = np.minimum(np.abs(moves - steps), 2 * pi - np.abs(moves - steps))
    if rows[0] != 0 or steps.max() > 1 or off.max() > 0.1 or np.all(steps == steps[:1]):
        return None
    counts = np.rint(angles[0]) + np.vstack([np.zeros(len(sines)), np.cumsum(steps, axis=0)])
    start = float(counts[0, 0])
    places = rows[rows + start > 0] + start
    counts, exponents = counts[rows + start > 0][:, 1:], waves.exponents[sines][1:]
    with np.errstate(divide="ignore"):
        high = -np.log((counts / places[:, None]).max(axis=0)) / exponents
    low = -np.log(((counts + 1) / places[:, None]).min(axis=0)) / exponents
    decay, spread = (high.min() + low.max()) / 2, (high.min() - low.max()) / 2
    fit = Fit(waves, 1.0, float(decay), start, scale, whole=True, errors=(0.0, abs(float(spread)) / SPREAD, 0.0, 1e-9))
    return fit.measured(table, rows)


def swapped(found: Turning) -> Turning:
    """Return the same with sines and cosines exchanged."""
    return replace(found, omega=-found.omega, phase=pi / 2 - found.phase)


def is_swapped(found: Turning) -> bool:
    """Return whether the cosines stand where sines were looked for: then the slower of the pairs turn backwards."""
    turns = np.flatnonzero(np.abs(found.omega) > SPREAD * found.error)
    if not len(turns):
        return bool(np.abs(np.sin(found.phase)).mean() > 0.5)
    slow = turns[np.argsort(np.abs(found.omega[turns]))][: (len(turns) + 1) // 2]
    return bool(np.sign(found.omega[slow]).sum() < 0)


def progressions(waves: Waves, found: Turning, table: Array, rows: Array) -> Iterator[tuple[Fit, float]]:
    """Yield fits whose rates are those of the pairs, and the noise of the pairs alone."""
    n = len(found.omega)
    steps = 2.0 * np.arange(n)
    guesses: list[Fit] = []
    for omega in [found.omega, unaliased(found.omega, found.error)]:
        good = omega > SPREAD * found.error
        if good.any() and not (guesses and np.array_equal(omega, found.omega)):
            level, slope = line(steps[good], np.log(omega[good]), omega[good])
            start = start_of(omega[good], found.phase[good])
            guesses.append(Fit(waves, exp(level), -slope, start, found.scale))
    if n > 2 and guesses:
        proportion = float(np.sum(found.omega * steps) / np.sum(steps**2))
        fast, slow = (float(np.median(half)) for half in np.split(found.omega, [(n + 1) // 2]))
        linear, halves = (replace(waves, progression=kind) for kind in ("linear", "halves"))
        guesses += [replace(guesses[0], waves=linear, rate=proportion, decay=0.0)] * (proportion > 0)
        if min(fast, slow) > 0:
            guesses.append(replace(guesses[0], waves=halves, rate=fast, decay=log(fast / slow)))
    fits = (refined(table, rows, guess) for guess in guesses)
    yield from ((fit, found.noise) for fit in fits if fit.decay * len(waves.exponents) > -RISING)


def line(x: Array, y: Array, weights: Array) -> tuple[float, float]:
    """Return level and slope of the weighted straight line through points; the slope is 0 through one."""
    share = (weights / weights.max()) ** 2
    share /= share.sum()
    mean, level = np.sum(share * x), np.sum(share * y)
    spread = np.sum(share * (x - mean) ** 2)
    slope = float(np.sum(share * (x - mean) * (y - level)) / spread) if spread > 0 else 0.0
    return float(level - slope * mean), slope


def unaliased(omega: Array, error: float) -> Array:
    """Return rates with whole turns added, from the slowest on, that continue the progression of the slower ones."""
    result = np.array(omega)
    for at in range(len(omega) - 2, -1, -1):
        known = np.flatnonzero(result[at + 1 :] > SPREAD * error) + at + 1
        if len(known) > 1:
            level, slope = line(known.astype(float), np.log(result[known]), result[known])
            result[at] += 2 * pi * np.rint((exp(min(level + slope * at, 50)) - result[at]) / (2 * pi))
    return result


def start_of(omega: Array, phase: Array) -> float:
    """Return the position of row 0: phases are ω · start but for whole turns, told one after the other from the
    slowest."""
    start, weight = 0.0, 0.0
    for rate, angle in sorted(zip(omega.tolist(), phase.tolist(), strict=True)):
        off = (angle - rate * start + pi) % (2 * pi) - pi
        weight += rate**2
        start += off / rate * rate**2 / weight
    if np.mean(np.cos(phase - omega * start)) < 0.99:
        places = np.arange(-FRONT, MAX_START)
        agree = sum(np.cos(angle - rate * places) for rate, angle in zip(omega, phase, strict=True))
        start = float(places[np.argmax(agree)])
    return start


def best_fit(table: Array, rows: Array) -> tuple[Fit | None, bool]:
    """Return the plainest fit of those that leave least over, and whether that is no more than noise or
    rounding."""
    found: list[tuple[Fit, float]] = []
    told = not table.any()
    for search in (fits_of_pairs, fits_in_any_order, fits_of_columns):
        if not told and (not found or search is fits_of_columns):
            found += [(fit, noise) for fit, noise in search(table, rows) if fit.rms < FAR / 2 * abs(fit.scale)]
            told = any(fit.rms < 1.3 * noise and fit.errors[1] * table.shape[1] < 0.01 for fit, noise in found)
    if not found:
        return None, False
    least = min(fit.rms for fit, _ in found)
    tied = [(fit, noise) for fit, noise in found if fit.rms <= least * (1 + 4 / sqrt(table.size)) + 1e-16 * fit.scale]
    fit, noise = tied[0]
    return fit, fit.rms < min(NOISE * fit.scale, max(rounding(fit, rows), 1.5 * noise))


def plausible(table: Array, rows: Array, fit: Fit, name: str, value: float) -> bool:
    """Return whether the table may have been made with this value of a parameter, as far as the fit can tell.

    Errors of rates that were rounded are no noise: what leaves no more over than the fit does is taken too.
    """
    own, d = getattr(fit, name), table.shape[1]
    move = abs(log(value / own)) if name in ("rate", "scale") else abs(value - own)
    exact = 1e-12 * {"decay": 1 / d, "start": max(1.0, abs(own))}.get(name, 1.0)
    biased = fit.rms / fit.scale if name == "scale" else 0.0  # rounding may make most numbers larger, or smaller
    if move <= max(SPREAD * fit.errors[PARAMETERS.index(name)] + exact, biased):
        return True
    near = move * {"decay": d, "start": fit.rate}.get(name, 1.0) < NEAR and fit.rms <= rounding(fit, rows)
    changed: dict[str, Any] = {name: value}
    return near and rms(replace(fit, **changed).left(table, rows)) < 1.5 * fit.rms + 1e-15 * fit.scale


def rounding(fit: Fit, rows: Array) -> float:
    """Return how far computing in float32, rates and angles, may take the numbers of these rows."""
    return 3e-7 * abs(fit.scale) * (1 + float(np.abs(rows + fit.start).max()) * fit.rate)


def simplified(table: Array, rows: Array, fit: Fit) -> Fit:
    """Return the fit with rate, start and scale as they are in formulas, where the table does not say otherwise."""
    d, free = table.shape[1], list(PARAMETERS)
    if not fit.whole:  # which steps tell, not slopes
        fit = refined(table, rows, fit)
    step = roundest(fit.rate, lambda rate: plausible(table, rows, fit, "rate", rate))[0]
    known: dict[str, Sequence[float]] = {
        "rate": (*RATES, step) if fit.waves.progression != "linear" else (),
        "start": (float(round(fit.start)),),
        "scale": (1.0, sqrt(d), 1 / sqrt(d), sqrt(2 / d)),
    }
    for name, values in known.items():
        vague = name == "start" and SPREAD * fit.errors[2] > 0.5  # of several whole numbers each may be it
        fitting = [value for value in values if not vague and plausible(table, rows, fit, name, value)]
        if fitting:
            free.remove(name)
            simple: dict[str, Any] = {name: fitting[0]}
            fit = replace(fit, **simple)
    return fit if fit.whole else refined(table, rows, fit, free)


def roundest(center: float, fits: Callable[[float], bool]) -> tuple[float, int]:
    """Return the number near a center of fewest digits that fits, and how many these are."""
    for digits in range(1, 17):
        value = float(f"{center:.{digits}g}")
        if value > 0 and fits(value):
            return value, digits
    return center, 17
