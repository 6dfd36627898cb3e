"""Which formula made a table: the waves of its columns, the progression of their rates, and what is left over.

A pair of columns is one complex wave A e^{i(ωp + φ)}: its radius is constant only where the two belong together, and
its turning gives ω and φ without a guess, however slow it is. The rates of all pairs are matched with progressions;
each match is refined on the whole table (Gauss-Newton) and judged by what it leaves over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf, log, pi, sqrt

from pecli.core.lazy import Array, np

FRONT = 8  # rows in front that may be something else: a class token's, padding
ROUND_PAIR = 0.03  # how far from a circle a pair may be in the mean, as a share of its radius
SPREAD = 5.0  # standard errors within which a number may be a simpler one
MAX_START = 20_000
FAR = 0.4  # rms of what a first guess leaves over from which on it is none, as a share of its scale
FITTED = 1 << 20  # numbers of a table that are fitted; the first rows of a larger one
NEAR = 1e-4  # how far rounding in float32 moves a parameter
RATES = {"radians": 1.0, "degrees": pi / 180, "degrees of radians": 180 / pi}  # ω of the first pair
PARAMETERS = ("rate", "decay", "start", "scale")


@dataclass(frozen=True)
class Waves:
    """What stands in each column, (d,): whether a cosine, and the exponent of its rate, 2j of pair j."""

    layout: str  # interleaved, concatenated, columns (each has an exponent of its own), permuted
    cosine_first: bool
    cosine: Array
    exponents: Array


@dataclass(frozen=True)
class Fit:
    """A table as scale · sin or cos of ω_c (row + start), where ω_c = rate · e^(−decay · exponent_c) (geometric).

    progression : also linear, ω_c = rate · exponent_c, and halves, whose exponents are 0 and 1, half of the pairs each
    errors : standard errors of rate, decay, start and scale, of rate and scale as shares; inf where nothing tells
    """

    waves: Waves
    progression: str
    rate: float
    decay: float
    start: float
    scale: float
    normalised: bool = False
    whole: bool = False  # angles are rounded down, as ``position // base ** …`` does
    rms: float = inf
    errors: tuple[float, ...] = (inf, inf, inf, inf)

    def levels(self) -> Array:
        """Return what the decay is multiplied by, (d,)."""
        exponents = self.waves.exponents
        if self.progression == "halves":
            return (2 * exponents >= len(exponents)).astype(float)
        return exponents if self.progression == "geometric" else np.zeros(len(exponents))

    def frequencies(self) -> Array:
        """Return ω of every column, rad/position, (d,)."""
        proportional = self.progression == "linear"
        rates = (
            self.rate
            * (self.waves.exponents if proportional else 1.0)
            * np.exp(np.minimum(-self.decay * self.levels(), 50))
        )
        return np.asarray(rates, dtype=np.float64)

    def angles(self, rows: Array) -> Array:
        """Return the angle of every column, (n, d)."""
        angles = np.outer(rows + self.start, self.frequencies())
        return np.floor(angles + 1e-9) if self.whole else angles

    def table(self, rows: Array) -> Array:
        """Return the formula's table, (n, d)."""
        waves, cosine = self.angles(rows), self.waves.cosine
        waves[:, cosine], waves[:, ~cosine] = np.cos(waves[:, cosine]), np.sin(waves[:, ~cosine])
        return self.scale * (waves / np.linalg.norm(waves, axis=1, keepdims=True) if self.normalised else waves)

    def left(self, table: Array, rows: Array) -> Array:
        """Return what it leaves over of rows of a table, (n, d); nothing where rounding decides a whole number."""
        left = table - self.table(rows)
        if self.whole:
            angles = np.outer(rows + self.start, self.frequencies())
            left[np.abs(angles - np.rint(angles)) < 1e-9] = 0.0
        return left


def refined(table: Array, rows: Array, fit: Fit, free: tuple[str, ...] = PARAMETERS) -> Fit:
    """Return the fit with those of its parameters set that leave least over (Gauss-Newton), and their errors."""
    best, levels = replace(fit, rms=_rms(fit.left(table, rows))), fit.levels()
    for _ in range(30 if best.rms < FAR * abs(fit.scale) else 0):
        angles, rates = best.angles(rows), best.frequencies()
        waves = np.where(best.waves.cosine, np.cos(angles), np.sin(angles))
        slopes = np.where(best.waves.cosine, -np.sin(angles), np.cos(angles))
        if best.normalised:
            norms = np.linalg.norm(waves, axis=1, keepdims=True)
            waves, slopes = waves / norms, slopes / norms
        turned = slopes * (rows + best.start)[:, None] * rates
        columns = {"rate": turned, "decay": -turned * levels, "start": slopes * rates, "scale": waves}
        moves = np.stack([best.scale * columns[name].ravel() for name in free], axis=1)
        left = (table - best.scale * waves).ravel()
        sizes = np.maximum(np.linalg.norm(moves, axis=0), 1e-300)
        inverse = np.linalg.pinv((moves / sizes).T @ (moves / sizes), rcond=1e-14, hermitian=True)
        step = dict(zip(free, (inverse @ ((moves / sizes).T @ left) / sizes).tolist(), strict=True))
        told = best.rms * np.sqrt(np.diag(inverse)) / sizes
        errors = dict(zip(free, np.where(sizes > 1e-290, told, inf).tolist(), strict=True))
        best = replace(best, errors=tuple(errors.get(name, 0.0) for name in PARAMETERS))
        next_ = replace(
            best,
            rate=best.rate * float(np.exp(np.clip(step.get("rate", 0.0), -1, 1))),
            decay=best.decay + step.get("decay", 0.0),
            start=best.start + step.get("start", 0.0),
            scale=best.scale * (1.0 + step.get("scale", 0.0)),
        )
        next_ = replace(next_, rms=_rms(next_.left(table, rows)))
        if not next_.rms < best.rms:
            break
        done, best = next_.rms > best.rms * (1 - 1e-3), next_
        if done:
            break
    return best


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if values.size else inf


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
    of_row = np.median(radius, axis=1, keepdims=True) if radius.shape[1] > 2 else np.full((len(radius), 1), scale)
    if scale == 0 or of_row.min() <= 0 or np.mean(np.abs(radius / of_row - 1), axis=0).max() > ROUND_PAIR:
        return None
    unit, rows = waves / of_row, np.arange(len(waves), dtype=np.float64)[:, None]
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
    noise = _rms(np.abs(unit - middle * np.exp(1j * omega * rows))) / sqrt(2)
    error = noise * sqrt(12 / len(unit) ** 3) + 1e-16
    return Turning(omega, np.angle(middle) - omega * first, error, scale, noise * scale)


def arrangements(d: int) -> Iterator[tuple[str, Array, Array]]:
    """Yield layouts with the columns of sines and cosines, pair by pair; an odd d has a column more."""
    half = (d + 1) // 2
    yield "interleaved", np.arange(0, d - 1, 2), np.arange(1, d, 2)
    yield "concatenated", np.arange(d // 2), np.arange(half, half + d // 2)


def fits_of_pairs(table: Array, rows: Array) -> Iterator[tuple[Fit, float]]:
    """Yield fits of a table whose columns are pairs, and the noise of its pairs alone."""
    d = table.shape[1]
    for layout, sines, cosines in arrangements(d):
        found = turning(table[:, cosines] + 1j * table[:, sines], rows[0])
        if found is None:
            continue
        cosine_first = is_swapped(found)
        exponents, cosine = np.zeros(d), np.full(d, cosine_first)
        exponents[sines] = exponents[cosines] = 2.0 * np.arange(len(sines))
        cosine[cosines] ^= True
        if d % 2:
            exponents[d - 1 if layout == "interleaved" else d // 2] = d - 1
        waves = Waves(layout, cosine_first, cosine, exponents)
        if (steps := fit_of_steps(waves, table, rows, sines, cosines, found.scale)) is not None:
            yield steps, found.noise
        yield from progressions(waves, swapped(found) if cosine_first else found, table, rows)
        if d % 2:  # else rows have one norm anyway
            yield from progressions(waves, swapped(found) if cosine_first else found, table, rows, normalised=True)


def fits_in_any_order(table: Array, rows: Array) -> Iterator[tuple[Fit, float]]:
    """Yield the same of columns in any order: two whose squares add up to one number are a pair, the faster first."""
    d = table.shape[1]
    if d % 2 or d < 4:
        return
    first, second = partners(table)
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


def partners(table: Array) -> tuple[Array, Array]:
    """Return the two columns of each pair, (n_pairs,) each, of those whose squares add up to one number the best."""
    d = table.shape[1]
    squares = table**2 - np.mean(table**2)
    sizes = np.sum(squares**2, axis=0)
    apart = sizes[:, None] + sizes + 2 * squares.T @ squares
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
    for cosine_first in (False, True):
        waves = Waves("columns", cosine_first, (columns % 2 == 1) ^ cosine_first, columns.astype(float))
        slow = np.diff(table, axis=0)[:, ~waves.cosine].mean(axis=0) / scale  # of sin(ω p) where ω p is small
        creep = float(np.sum(slow * columns[~waves.cosine]) / np.sum(columns[~waves.cosine] ** 2))
        for kind, rates, decay in (("geometric", [float(np.exp(level))], -slope), ("linear", [proportion, creep], 0.0)):
            guesses = [
                Fit(waves, kind, max(rate, 1e-300), decay, float(start), scale)
                for start in range(-FRONT, FRONT)
                for rate in rates
            ]
            best = min(guesses, key=lambda fit: _rms(fit.left(table[:FRONT], rows[:FRONT])))
            count = FRONT
            while count < 2 * len(table):  # the longer the rows, the nearer the guess has to be
                best = refined(table[:count], rows[:count], best)
                count *= 2
            yield best, 0.0


def fit_of_steps(waves: Waves, table: Array, rows: Array, sines: Array, cosines: Array, scale: float) -> Fit | None:
    """Return the fit of a table whose angles are whole numbers, ⌊position · ω⌋: each step bounds ω from both sides."""
    swap = waves.cosine_first
    angles = np.angle(table[:, sines if swap else cosines] + 1j * table[:, cosines if swap else sines])
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
    fit = Fit(waves, "geometric", 1.0, float(decay), start, scale, whole=True)
    return replace(fit, rms=_rms(fit.left(table, rows)), errors=(0.0, abs(float(spread)) / SPREAD, 0.0, 1e-9))


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


def progressions(
    waves: Waves, found: Turning, table: Array, rows: Array, normalised: bool = False
) -> Iterator[tuple[Fit, float]]:
    """Yield fits whose rates are those of the pairs, and the noise of the pairs alone."""
    n = len(found.omega)
    steps = 2.0 * np.arange(n)
    guesses: list[Fit] = []
    scale = float(np.linalg.norm(table, axis=1).mean()) if normalised else found.scale
    for omega in [found.omega, unaliased(found.omega, found.error)][: 1 + (n > 2)]:
        weights = np.clip(omega, 0, None) / found.error
        good = weights > SPREAD
        if not good.any() or (guesses and np.array_equal(omega, found.omega)):
            continue
        start = start_of(omega[good], found.phase[good])
        level, slope = line(steps[good], np.log(omega[good]), weights[good])
        guesses.append(Fit(waves, "geometric", float(np.exp(level)), -slope, start, scale, normalised))
    if n > 2 and guesses:
        proportion = np.sum(found.omega * steps) / np.sum(steps**2)
        fast, slow = (float(np.median(half)) for half in np.split(found.omega, [(n + 1) // 2]))
        linear = [replace(guesses[0], progression="linear", rate=float(proportion))] if proportion > 0 else []
        halves = (
            [replace(guesses[0], progression="halves", rate=fast, decay=log(fast / slow))] if slow > 0 < fast else []
        )
        guesses += linear + halves
    for guess in guesses:
        yield refined(table, rows, guess), found.noise


def line(x: Array, y: Array, weights: Array) -> tuple[float, float]:
    """Return level and slope of the weighted straight line through points; the slope is 0 through one."""
    share = weights**2 / np.sum(weights**2)
    mean, level = np.sum(share * x), np.sum(share * y)
    spread = np.sum(share * (x - mean) ** 2)
    slope = float(np.sum(share * (x - mean) * (y - level)) / spread) if spread > 0 else 0.0
    return float(level - slope * mean), slope


def unaliased(omega: Array, error: float) -> Array:
    """Return rates, from the slowest on, with whole turns added that continue the progression of the slower ones."""
    result = np.array(omega)
    for at in range(len(omega) - 2, -1, -1):
        known = np.arange(at + 1, len(omega))
        weights = np.clip(result[known], 0, None) / error
        known, weights = known[weights > SPREAD], weights[weights > SPREAD]
        if len(known) > 1:
            level, slope = line(known.astype(float), np.log(result[known]), weights)
            with np.errstate(over="ignore"):
                expected = np.exp(min(level + slope * at, 50))
            result[at] += 2 * pi * np.rint((expected - result[at]) / (2 * pi))
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
    """Return the plainest fit of those that leave least over, and whether that is no more than noise and none is as
    good."""
    found: list[tuple[Fit, float]] = []
    told = False
    for search in (fits_of_pairs, fits_in_any_order, fits_of_columns):
        if not found or (search is fits_of_columns and not told):
            found += [(fit, noise) for fit, noise in search(table, rows) if fit.rms < FAR / 2 * abs(fit.scale)]
            told = any(fit.rms < 1.3 * noise and fit.errors[1] * table.shape[1] < 0.01 for fit, noise in found)
    if not found:
        return None, False
    least = min(fit.rms for fit, _ in found)
    tied = [(fit, noise) for fit, noise in found if fit.rms <= least * (1 + 4 / sqrt(table.size)) + 1e-16 * fit.scale]
    fit, noise = tied[0]
    rival = any(differ(fit, other) for other, _ in tied)
    free = 2e-3 * fit.scale if noise == 0 else 1.5 * noise  # of columns that were not fitted one by one it is not known
    return fit, not rival and fit.rms < max(rounding(fit, rows), free)


def differ(fit: Fit, other: Fit) -> bool:
    """Return whether two fits of a table have different names, and are not one rate for all columns both."""
    kinds = [(each.progression, each.waves.layout if each.progression == "geometric" else "") for each in (fit, other)]
    return kinds[0] != kinds[1] and any(abs(each.decay) > SPREAD * each.errors[1] + 1e-9 for each in (fit, other))


def plausible(table: Array, rows: Array, fit: Fit, **changes: float) -> bool:
    """Return whether the table may have been made with these parameters, as far as the fit can tell.

    Errors of rates that were rounded are no noise: what leaves no more over than the fit does is taken too.
    """
    errors, d = dict(zip(PARAMETERS, fit.errors, strict=True)), table.shape[1]
    within, near = True, fit.rms <= rounding(fit, rows)
    for name, value in changes.items():
        own = getattr(fit, name)
        move = abs(log(value / own)) if name in ("rate", "scale") else abs(value - own)
        exact = {"decay": 1e-12 / d, "start": 1e-12 * max(1.0, abs(own))}.get(name, 1e-12)
        biased = fit.rms / fit.scale if name == "scale" else 0.0  # rounding may make most numbers larger, or smaller
        within &= move <= max(SPREAD * errors[name] + exact, biased)
        near &= move * {"decay": d, "start": fit.rate}.get(name, 1.0) < NEAR
    if within or not near:
        return within
    return _rms(replace(fit, **changes).left(table, rows)) < 1.5 * fit.rms + 1e-15 * fit.scale  # type: ignore[arg-type]


def rounding(fit: Fit, rows: Array) -> float:
    """Return how far computing in float32, rates and angles, may take the numbers of these rows."""
    return 3e-7 * abs(fit.scale) * (1 + float(np.abs(rows + fit.start).max()) * fit.rate)


def simplified(table: Array, rows: Array, fit: Fit) -> Fit:
    """Return the fit with rate, start and scale as they are in formulas, where the table does not say otherwise."""
    if fit.whole:
        return fit
    d, free = table.shape[1], PARAMETERS
    fit = refined(table, rows, fit)
    known = {
        "rate": RATES.values() if fit.progression != "linear" else (),
        "start": (float(round(fit.start)),),
        "scale": (1.0, sqrt(d), 1 / sqrt(d), sqrt(2 / d)),
    }
    for name, values in known.items():
        value = next((value for value in values if plausible(table, rows, fit, **{name: value})), None)
        if value is not None:
            free = tuple(other for other in free if other != name)
            fit = refined(table, rows, replace(fit, **{name: value}), free)  # type: ignore[arg-type]
    return fit


def roundest(center: float, fits: Callable[[float], bool]) -> tuple[float, int]:
    """Return the number near a center of fewest digits that fits, and how many these are."""
    for digits in range(1, 17):
        value = float(f"{center:.{digits}g}")
        if value > 0 and fits(value):
            return value, digits
    return center, 17
