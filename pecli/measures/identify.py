"""Which formula made a table: its names, its parameters, and the encoding that draws it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.core.numbers import ROUND, chunks
from pecli.encodings.base import TableEncoding
from pecli.encodings.binary import MAX_BITS, Binary
from pecli.encodings.clock import Clock, Geometric
from pecli.encodings.grid import SCALES
from pecli.encodings.rope import Rope
from pecli.encodings.sincos2d import SinCos2D
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.measures.fits import (
    NOISE,
    SPREAD,
    Fit,
    best_fit,
    plausible,
    rms,
    roundest,
    rounding,
    simplified,
    start_of,
    turning,
)

FRONT = 8  # rows in front that may be something else: a class token's, padding
FITTED = 1 << 18  # numbers of a table that are fitted: the first rows of a larger one
SMALLEST = 1e-60  # of the largest number of a table, so that squares of squares have a place in float64
UNSURE = 0.02  # of the logarithm of a base, from which on it is not told
STEPS = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24}  # of numbers below 1


@dataclass(frozen=True)
class Identified:
    """What a table was found to be.

    number_type : float64, or the smallest type that holds all numbers
    filled : columns before those that are all zero
    fit : None where no sinusoids fit
    certain : whether it leaves over no more than noise or rounding, and tells every parameter
    unlike : rows in front that the formula does not make
    names : of one and the same formula, with the base that each has, the plainest first
    encoding : what draws it, row 0 at position `start`; None where there is none
    same : whether that is the formula, and not the one that was probably meant
    difference : the largest, between table and formula
    explained, rank, periods : without a formula, the share of variance in the strongest wave of each column, principal
        components that hold 99 % of it, and the strongest periods of all columns, positions
    """

    number_type: str
    filled: int
    fit: Fit | None = None
    certain: bool = False
    unlike: tuple[int, ...] = ()
    names: tuple[tuple[str, float], ...] = ()
    encoding: TableEncoding | None = None
    same: bool = False
    start: int = 0
    difference: float = inf
    explained: float = 0.0
    rank: int = 0
    periods: tuple[float, ...] = ()


def identify(table: Array) -> Identified:
    """Return which formula made a table, (length, d), finite."""
    kinds = () if np.array_equal(np.rint(table), table) else STEPS  # whole numbers say nothing of it
    number_type = next((kind for kind in kinds if np.array_equal(ROUND[kind](table), table)), "float64")
    blank = Identified(number_type, table.shape[1])
    if not SMALLEST < np.abs(table).max() < 1 / SMALLEST:
        return blank
    found = as_bits(table, blank) or on_line(table, blank)
    if not found.certain:
        found = as_clock(table, blank) or on_grid(table, blank) or found
    return found if found.fit or found.certain else replace(found, **waves_of(table))


def waves_of(table: Array) -> dict[str, Any]:
    """Return what there is to say of a table that no formula makes."""
    centred = table - table.mean(axis=0)
    power = np.abs(np.fft.rfft(centred, axis=0)[1:]) ** 2
    power[: (len(table) - 1) // 2] *= 2  # each stands for its mirror image too
    flat = centred if len(centred) < centred.shape[1] else centred.T
    parts = np.linalg.eigvalsh(flat @ flat.T)[::-1]
    if not power.sum() > 0:
        return {}
    strongest = np.argsort(-power.sum(axis=1))[:3]
    return {
        "explained": float(power.max(axis=0).sum() / power.sum()),
        "rank": int(np.searchsorted(np.cumsum(parts), 0.99 * parts.sum())) + 1,
        "periods": tuple((len(table) / (strongest + 1.0)).tolist()),
    }


def on_line(table: Array, blank: Identified, front: int = FRONT) -> Identified:
    """Return what sines and cosines of positions one after the other a table is."""
    length, d = table.shape
    best = blank
    filled = int(np.flatnonzero(np.any(table != 0, axis=0)).max(initial=0)) + 1
    for first in dict.fromkeys([min(front, length // 4), 0]) if length > 3 and d > 1 else ():
        body = table[first:][: max(64, FITTED // d)]
        rows = np.arange(first, first + len(body), dtype=np.float64)
        found = [(*best_fit(body[:, :width], rows), width) for width in dict.fromkeys([filled, d])]
        for fit, clean, width in found:
            here = described(table, replace(blank, filled=width), fit, clean) if fit else blank
            if here.certain:
                return here
            best = best if best.fit else here
    return best


def described(table: Array, blank: Identified, fit: Fit, clean: bool) -> Identified:
    """Return a fit in its simplest parameters, its names, and how far its encoding is from the table."""
    rows, part = np.arange(len(table), dtype=np.float64), slice(max(64, FITTED // table.shape[1]))
    left = fit.left(table[:FRONT, : blank.filled], rows[:FRONT])
    unlike = np.flatnonzero(np.sqrt(np.mean(left**2, axis=1)) > max(8 * fit.rms, 1e-6 * fit.scale))
    table, rows = np.delete(table[:, : blank.filled], unlike, axis=0), np.delete(rows, unlike)
    blank = replace(blank, unlike=tuple(unlike.tolist()))
    fit = simplified(table[part], rows[part], fit)
    names = names_of(table[part], rows[part], fit)
    found = compared(table, rows, replace(blank, fit=fit, names=names))
    if names and clean and fit.start == found.start and found.difference <= max(8 * fit.rms, rounding(fit, rows)):
        return replace(found, certain=True)
    for guess in computed(fit, table.shape[1]) if blank.number_type != "float64" else ():
        names = names_of(table[part], rows[part], guess)
        other = compared(table, rows, replace(blank, fit=guess, names=names), blank.number_type)
        if other.same and other.difference <= 2 * STEPS[blank.number_type] * fit.scale:
            return replace(other, certain=True)
    return found


def computed(fit: Fit, d: int) -> Iterator[Fit]:
    """Yield fits of round parameters near one of a table that may have been computed in a small type of numbers, whose
    errors are no noise."""
    if fit.waves.progression != "geometric" or fit.whole or fit.waves.layout == "columns":
        return
    near = {name: 1.0 for name in ("rate", "scale") if abs(log(getattr(fit, name))) < 0.01}
    fit = replace(fit, start=float(round(fit.start)), errors=(0.0, 0.0, 0.0, 0.0), **near)  # type: ignore[arg-type]
    for divisor in (d, d // 2 * 2 - 2):
        for digits in range(1, 5):
            base = float(f"{exp(min(fit.decay * divisor, 700)):.{digits}g}")
            if divisor and base:
                yield replace(fit, decay=log(base) / divisor)


def compared(table: Array, rows: Array, found: Identified, kind: str = "float64") -> Identified:
    """Return the same with the encoding of its fit, in a type of numbers, and the largest difference from the table."""
    fit, d = found.fit, table.shape[1]
    assert fit is not None
    encoding, same = drawn(fit, found.names, d)
    difference = float(np.abs(fit.left(table, rows)).max())
    if encoding is not None and same:
        encoding, difference = replace(encoding, dtype=kind), 0.0  # type: ignore[call-arg]
        permuted = fit.waves.layout == "permuted"
        places = (fit.waves.exponents + fit.waves.cosine).astype(int) if permuted else np.arange(d)
        for part in chunks(0, len(table), d):
            made = encoding.table(rows[part.start : part.stop] + round(fit.start))[:, places]
            off = np.abs(table[part.start : part.stop] - fit.scale * made).max()
            difference = max(difference, float(off))
    return replace(found, encoding=encoding, same=same, start=round(fit.start), difference=difference)


def names_of(table: Array, rows: Array, fit: Fit) -> tuple[tuple[str, float], ...]:
    """Return the names of the formula, with the base of each; none where the table does not tell the base."""
    d, kind = table.shape[1], fit.waves.progression

    def base(divisor: float) -> tuple[float, int]:
        if fit.decay * divisor > 700:
            return inf, 17
        return roundest(exp(fit.decay * divisor), lambda k: plausible(table, rows, fit, "decay", log(k) / divisor))

    def base_of_rate(times: float) -> tuple[float, int]:
        return roundest(sqrt(times / (fit.rate * d)), lambda k: plausible(table, rows, fit, "rate", times / (k**2 * d)))

    if kind == "linear":
        found = min(map(base_of_rate, (1.0, 0.5)), key=lambda item: item[1])
        return (("precedence", found[0]),) if fit.errors[0] < UNSURE else ()
    if not SPREAD * fit.errors[1] * (1 if kind == "halves" else d) < UNSURE:
        return ()
    if kind == "halves":
        return (("integers", base(1)[0]),)
    if fit.whole or fit.waves.layout == "columns":
        return (("whole" if fit.whole else "columns", base(d)[0]),)
    divisors = {"paper": d} | ({"tensor2tensor": d - 2} if d % 2 == 0 and d > 2 else {})
    bases = {name: base(divisor) for name, divisor in divisors.items()}
    first = min(bases, key=lambda name: bases[name][1])
    value, digits = bases.pop(first)
    names = [(name, k) for name, (k, n) in bases.items() if n <= digits or digits > 2 or name == "paper"]
    names.insert(0, (first, value))
    doubled, halved, undivided = base(d / 2), base(2 * d), base(1)
    if value == 1:
        names.append(("integers", value))
    if value > 10001 and doubled[1] <= min(digits, 3):
        names.append(("doubled", doubled[0]))
    if halved[0] == 10000:
        names.append(("halved", halved[0]))
    if d > 2 and undivided[0] > 1.5 and undivided[1] <= min(digits, 3):
        huge = value > 1e12 or undivided[1] + 2 <= digits
        names = [item for item in names if item[1] < 1e12]
        names.insert(0 if huge else len(names), ("undivided", undivided[0]))
    return tuple(names)


def drawn(fit: Fit, names: tuple[tuple[str, float], ...], d: int) -> tuple[TableEncoding | None, bool]:
    """Return the encoding of a fit, and whether it draws the same; else it is what was probably meant."""
    if not names:
        return None, False
    (name, base), waves = names[0], fit.waves
    layout = "concatenated" if waves.layout == "concatenated" else "interleaved"
    family = "tensor2tensor" if name == "tensor2tensor" else "paper"
    plain = base if name in ("paper", family) else exp(min(fit.decay * d, 700))
    same = fit.start == round(fit.start)
    options: dict[str, Any] = {"base": plain, "d": d, "step": fit.rate}
    try:
        if waves.progression != "geometric" or fit.whole or waves.layout == "columns":
            return Sinusoidal(base=base, d=d, layout=layout), False
        if waves.cosine_first and layout == "interleaved":
            return Rope(base=plain, d=d), same and fit.rate == 1 and family == "paper"
        if waves.cosine_first:
            return Sinusoidal(family="timestep", flip=True, shift=float(family != "paper"), **options), same
        if name == "undivided" and layout == "interleaved" and fit.rate == 1:
            return Geometric(d=d, radix=base), same
        return Sinusoidal(layout=layout, family=family, **options), same
    except UsageError:
        return None, False


def as_bits(table: Array, blank: Identified) -> Identified | None:
    """Return which bits of positions a table is, if it is."""
    low, d = table.min(), table.shape[1]
    if low not in (0, -1) or d > MAX_BITS or not np.isin(table, (low, 1.0)).all():
        return None
    for order in ("lsb", "msb"):
        bits = (table > 0)[:, :: 1 if order == "lsb" else -1]
        numbers = bits @ 2.0 ** np.arange(d)
        if len(table) > 3 and np.all(np.diff(numbers) == 1):
            encoding = Binary(d=d, order=order, values="pm1" if low else "01")
            return replace(blank, certain=True, encoding=encoding, same=True, start=int(numbers[0]), difference=0.0)
    return None


def as_clock(table: Array, blank: Identified) -> Identified | None:
    """Return which hands of a clock a table is, if its pairs have whole periods."""
    length, d = table.shape
    found = turning(table[:, 1::2] + 1j * table[:, ::2], 0.0) if d % 2 == 0 and length >= 4 else None
    if found is None or found.noise > NOISE or not np.all(found.omega > SPREAD * found.error):
        return None
    periods = 2 * np.pi / found.omega
    if np.any(np.abs(periods / np.rint(periods) - 1) > 2 * SPREAD * found.error / found.omega + 1e-6):
        return None
    clock = Clock(periods=tuple(np.rint(periods).tolist()))
    start = round(start_of(clock.frequencies(), found.phase))
    difference = float(np.abs(table - clock.table(np.arange(length) + start)).max())
    sure = difference <= 8 * found.noise + 1e-6
    return replace(blank, certain=True, encoding=clock, same=True, start=start, difference=difference) if sure else None


def on_grid(table: Array, blank: Identified) -> Identified | None:
    """Return the sinusoids of rows and columns that a table is, one half of it of each; with up to two rows before."""
    d, half, enough = table.shape[1], table.shape[1] // 2, 0.02 * np.abs(table).max()
    for prefix in range(3 if d % 4 == 0 else 0):
        cells = table[prefix:]
        for rows in (rows for rows in range(2, len(cells) // 2 + 1) if len(cells) % rows == 0):
            grid = cells.reshape(rows, -1, d)
            down, across = (np.ptp(grid[:, :, [0, half]], axis=axis).max(axis=0) > enough for axis in (0, 1))
            if down.tolist() == (~across).tolist() in ([False, True], [True, False]):
                first = int(down[0])  # 1 where the first half encodes the row
                parts = grid.mean(axis=first)[:, :half], grid.mean(axis=1 - first)[:, half:]
                axis = on_line(max(parts, key=len), blank, front=0)
                found = of_grid(cells, grid.shape[:2], ("column", "row")[first], axis)
                return found and replace(found, filled=d, unlike=tuple(range(prefix)))
    return None


def of_grid(cells: Array, sides: tuple[int, ...], first: str, axis: Identified) -> Identified | None:
    """Return the encoding of a grid, one of whose axes is known, if it makes the cells."""
    if axis.fit is None or "paper" not in (bases := dict(axis.names)):
        return None
    layout = "concatenated" if axis.fit.waves.layout == "concatenated" else "interleaved"
    for scale_grid in SCALES:
        options = {"grid": "x".join(map(str, sides)), "d": cells.shape[1], "layout": layout, "first": first}
        encoding = SinCos2D.make({**options, "base": bases["paper"], "scale_grid": scale_grid})
        left = cells - axis.fit.scale * encoding.table(np.arange(len(cells), dtype=np.float64))
        difference, noise = float(np.abs(left).max()), rms(left)
        if difference <= 8 * noise + 1e-9 * axis.fit.scale and noise < NOISE * axis.fit.scale:
            return replace(axis, certain=True, encoding=encoding, same=True, start=0, difference=difference)
    return None
