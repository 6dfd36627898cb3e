"""In words: which formula made a table, the line that draws the same, and how far the two are apart."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from math import isfinite, pi, sqrt
from typing import Any

from pecli.core.errors import PecliError, TableFileError, UsageError
from pecli.core.hub import fixed, is_hub
from pecli.core.language import join_clauses, listing, template, templates, translate
from pecli.core.lazy import np
from pecli.core.numbers import number_text
from pecli.core.options import Option
from pecli.core.readable import found as found_file
from pecli.core.terminal import Block, Facts, Paragraph
from pecli.encodings.learned import Learned
from pecli.files.documents import for_notebook
from pecli.files.tables import IN_MEMORY, HeldSpec, hold, open_table, short
from pecli.measures.identify import Identified, identify
from pecli.measures.rates import identify_rates

RATES = Option("rates in rad/position, the first pair first", name="rates", scalar=float, many=True, at_least=0)
NAMES = templates(
    {
        "paper": "base {base}",
        "tensor2tensor": "base {base}, exponent j/(d/2 − 1)",
        "doubled": "base {base}, exponent doubled: 2·(2j)/d",
        "halved": "base {base}, half the exponent: j/d",
        "undivided": "base {base}, exponent not divided by d",
        "columns": "base {base}, exponent i/d of column i in place of 2⌊i/2⌋/d",
        "precedence": "base {base}, angle (position / base²)·i/d, as position / base ** 2*i/d is read",
        "whole": "base {base}, angles rounded down: position // base ** (2j/d)",
        "integers": "base {base}, exponent rounded down: 2j // d",
        "ntk": "base {base}, with NTK-aware scaling by {growth}",
    }
)
MISTAKES = ("doubled", "halved", "undivided", "columns", "precedence", "whole", "integers")
LAYOUTS = templates(
    {
        "interleaved": "sine and cosine of a pair side by side",
        "concatenated": "all sines, then all cosines",
        "permuted": "columns in another order",
        "columns": "sines and cosines in turn",
    }
)
EXCHANGED = templates(
    {
        "interleaved": "cosine first, sine beside it: cos first, or the two exchanged",
        "concatenated": "all cosines, then all sines",
        "columns": "cosines and sines in turn",
    }
)
DEGREES = template("angles taken for degrees: rates times π/180")
TO_DEGREES = template("angles turned into degrees: rates times 180/π")
UNITS = {pi / 180: DEGREES, 180 / pi: TO_DEGREES}  # of the first rate


@dataclass(frozen=True)
class IdentifyReport:
    """Which formula made a table; it shows itself in a notebook.

    Attributes
    ----------
    name : of the table, for a sentence
    file : the file and tensor that it is from, None of an array
    found : what was found
    length : rows of the table, 0 of rates
    """

    name: str
    file: Learned | None
    found: Identified
    length: int

    @property
    def data(self) -> dict[str, Any]:
        """The same as plain values, as ``pecli identify --json`` prints them."""
        found, fit = self.found, self.found.fit
        return {
            "table": self.name,
            "identified": found.certain,
            "formula": self.sentence(),
            "names": [{"name": name, "base": base} for name, base in found.names],
            "spec": found.encoding.spec() if found.encoding else None,
            "same": found.same,
            "command": self.lines()[0] if found.encoding else None,
            "layout": fit.waves.layout if fit else None,
            "cosine_first": fit.waves.cosine_first if fit else None,
            "first_position": self.first_position if self.length else None,
            "rate": fit.rate if fit else None,
            "scale": fit.scale if fit else None,
            "number_type": found.number_type,
            "filled_columns": found.filled,
            "rows_in_front": list(found.unlike),
            "difference": found.difference if isfinite(found.difference) else None,
            "explained": found.explained,
            "rank": found.rank,
            "periods": list(found.periods),
        }

    def __repr__(self) -> str:
        return f"<pecli identify: {self.sentence()}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return for_notebook([*self.blocks(), *map(Paragraph, self.lines())])

    @property
    def first_position(self) -> int:
        """The position of the table's first row; those of a grid begin behind what precedes it."""
        sides = self.found.encoding.sides if self.found.encoding else ()
        return -len(self.found.unlike) if sides else self.found.start

    def sentence(self) -> str:
        """Return what the table is, in one sentence."""
        found, encoding = self.found, self.found.encoding
        if encoding is None:
            text = template("{name}: no formula; the strongest wave of each column holds {share:.0%} of the variance")
            if not self.length:
                text = template("{name}: no base and no scaling of rope makes these rates")
            elif found.fit:
                text = template("{name}: sines and cosines whose base the table does not tell")
            return translate(text, name=self.name, share=found.explained)
        what, unit = encoding.title(), UNITS.get(found.fit.rate, "") if found.fit else ""
        if found.fit and not encoding.sides:
            what = translate("sinusoidal, d = {d}, {name}", d=found.filled, name=named(found.names[0]))
        text = template("{name}: {what}")
        if not found.certain:
            text = template("{name}: like {what}, and not the same")
        elif unit or (found.names and found.names[0][0] in MISTAKES):
            text = template("{name}: {what}, a known mistake")
        return translate(text, name=self.name, what=listing([what, unit and translate(unit)]))

    def blocks(self) -> list[Block]:
        """Return what to print: the sentence and the facts that speak for it."""
        facts = self._facts() if self.found.encoding or self.found.fit else self._waves()
        return [Paragraph(self.sentence()), Paragraph(), Facts({name: fact for name, fact in facts.items() if fact})]

    def _waves(self) -> dict[str, str]:
        """Return the facts of a table without a formula."""
        found = self.found
        if not found.periods:
            return {}
        waves = listing(number_text(period, 3) for period in found.periods)
        return {
            translate("strongest waves of all"): translate("{waves} positions", waves=waves),
            translate("99% of the variance"): translate("{count} principal components", count=found.rank),
            translate("numbers"): found.number_type,
        }

    def _facts(self) -> dict[str, str]:
        """Return the facts of one with a formula by name, empty where there is nothing to say."""
        found, fit, width = self.found, self.found.fit, self.file.width if self.file else self.found.filled
        layout = (EXCHANGED if fit.waves.cosine_first else LAYOUTS)[fit.waves.layout] if fit else ""
        step = fit.rate if fit and fit.waves.progression == "geometric" else 1.0
        dtype = getattr(found.encoding, "dtype", "float64")
        kind = translate("computed in {type}", type=dtype) if dtype != "float64" else ""
        meant = bool(found.encoding) and not found.same
        return {
            translate("the same formula"): join_clauses(map(named, found.names[1:])),
            translate("order of columns"): layout and translate(layout),
            translate("position of row 0"): str(self.first_position) if self.length else "",
            translate("rows of another kind"): listing(map(str, found.unlike)),
            translate("columns of zeros"): f"{width - found.filled}" * (found.filled < width),
            translate("scale"): self._scale(),
            translate("step"): f"{step:.6g}" * (step != 1),
            translate("numbers"): kind or found.number_type,
            translate("largest difference"): number_text(found.difference, 3) if isfinite(found.difference) else "",
            translate("the line below"): translate("what was probably meant") if meant else "",
        }  # fmt: skip

    def _scale(self) -> str:
        fit, d = self.found.fit, self.found.filled
        known = {sqrt(d): "√d = ", 1 / sqrt(d): "1/√d = ", sqrt(2 / d): "√(2/d) = "}  # the last makes rows of norm 1
        return "" if fit is None or fit.scale == 1 else f"{known.get(fit.scale, '')}{fit.scale:.6g}"

    @property
    def drawn(self) -> dict[str, Any]:
        """The options of the picture of its formula; nothing where there is none."""
        encoding, unlike = self.found.encoding, self.found.unlike
        if encoding is None:
            return {}
        if encoding.sides or not self.length:
            return {"encoding": encoding.spec()}
        front = len(unlike) if unlike == tuple(range(len(unlike))) else 0
        return {"encoding": encoding.spec(), "start": self.found.start + front, "length": self.length - front}

    def lines(self) -> list[str]:
        """Return the line that draws the formula, or what was probably meant; without one, the waves that there are."""
        options = self.drawn
        if not options:
            named = self.file is not None and not (self.file.file or "").startswith(IN_MEMORY)
            return (
                [f"pecli fourier -e {shlex.quote(self.file.spec())}"] if self.file and named and self.length > 3 else []
            )
        start = f" --start={options['start']}" if options.get("start") else ""
        length = f" -n {options['length']}" if "length" in options else ""
        return [
            f"pecli {'heatmap' if self.length else 'spectrum'} -e {shlex.quote(options['encoding'])}{start}{length}"
        ]

    def picture(self) -> tuple[str, dict[str, Any]]:
        """Return the figure that shows table, formula and, where columns stand as in it, the difference; its options.

        Raises
        ------
        PecliError : there is no formula
        """
        options, fit = self.drawn, self.found.fit
        if not options:
            raise PecliError(f"{self.sentence()}: there is nothing to draw beside it")
        if self.file is None:
            return "spectrum", options
        scale = fit.scale if fit else 1.0
        table = replace(self.file, first_position=self.first_position, divisor=scale)
        alike = fit is None or (fit.waves.layout != "permuted" and self.found.filled == table.width)
        return "compare", {**options, "encoding": [table.spec(), options["encoding"]], "difference": alike}


def named(item: tuple[str, float]) -> str:
    """Return a name of a formula and its base in words; that of NTK-aware scaling is ``ntk`` and how far it goes."""
    name, _, growth = item[0].partition(" ") if item[0].startswith("ntk") else (item[0], "", "")
    return translate(NAMES[name], base=f"{item[1]:,.10g}", growth=growth)


def read_and_identify(table: Any, tensor: str | None = None, rates: Any = None) -> IdentifyReport:
    """Return what a table is: a path, ``path#tensor`` or hf:org/name, an array, or rates.

    Raises
    ------
    UsageError : it cannot be read, or holds no table and no rates
    """
    if (table is None) == (rates is None):
        raise UsageError("pecli identify takes a table, or --rates")
    if rates is not None:
        values = np.array(RATES.read(rates))
        return IdentifyReport(translate("the rates"), None, identify_rates(values), 0)
    try:
        path = os.fspath(table) if isinstance(table, (str, os.PathLike)) else hold(_as_rows(table), "{}")
        if tensor is None and not is_hub(path) and "#" in path and not os.path.exists(path):
            path, _, tensor = path.rpartition("#")
        path = path if isinstance(path, HeldSpec) else fixed(found_file(path))
        numbers = open_table(path, tensor, dimensions=1)[:]
    except TableFileError as error:
        raise UsageError(error.text, advice=error.advice) from error
    if len(numbers) == 1:
        return IdentifyReport(short(path), None, identify_rates(numbers[0]), 0)
    return IdentifyReport(short(path), Learned(file=path, tensor=tensor), identify(numbers), len(numbers))


def _as_rows(array: Any) -> Any:
    """Return an array, one of one dimension as a row."""
    return array[None] if getattr(array, "ndim", 2) == 1 else array
