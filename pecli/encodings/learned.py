"""A table that was trained, from a file; or what it is before training."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import template, translate
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import Additive, check_tensor, of_any_shape, tensor_option, width_option
from pecli.files.tables import StoredTable, open_table, short

DEVIATION = 0.02  # of the untrained table: BERT's and GPT-2's initializer_range
MAX_UNTRAINED_ROWS = 10**7  # rows of the untrained table: they are drawn one by one
UNTRAINED = 128  # columns of the untrained table
RUN = 1024  # rows drawn together, so that a row is the same whatever other rows are asked for


@dataclass(frozen=True)
class Learned(Additive):
    """Row p of a table of parameters. It has no row beyond its last: learned positions do not extrapolate.

    Without a file it is the untrained table, independent numbers of mean 0 and deviation 0.02.

    Notes
    -----
    Gehring et al. 2017, arXiv:1705.03122; Devlin et al. 2018, BERT, arXiv:1810.04805; Radford et al. 2018, GPT.
    """

    name: ClassVar[str] = "learned"
    summary: ClassVar[str] = "a trained table from a file (.npy .npz .csv .safetensors), or an untrained one"
    formula: ClassVar[str] = template("PE(p) = row p of a table")
    source: ClassVar[str] = "Gehring et al. 2017, arXiv:1705.03122; BERT, arXiv:1810.04805"
    example: ClassVar[str] = "pecli distance -e learned --file model.safetensors --length 512 --measure cos"
    models: ClassVar[str] = "BERT, GPT, GPT-2, OPT"
    trained: ClassVar[bool] = True
    extrapolates: ClassVar[bool] = False

    file: str | None = option(
        None, "file of the table: .npy, .npz, .csv or .safetensors", unset="the untrained table", file=True
    )
    tensor: str | None = tensor_option()
    seed: int = option(0, "seed of the untrained table", at_least=0)
    d: int | None = width_option(None, "columns of the untrained table", unset=f"the file's, or {UNTRAINED}")

    def check(self) -> None:
        check_tensor(self.file, self.tensor)
        if self.file is not None and self.seed:
            trained = f"{option_text('file', self.file)} is a trained one"
            text = f"{option_text('seed', self.seed)} is of the untrained table, and {trained}"
            raise UsageError(text, option="seed", value=self.seed)

    @property
    def width(self) -> int:
        return (self.d or UNTRAINED) if self._rows is None else int(self._rows.shape[1])

    @cached_property
    def _rows(self) -> StoredTable | None:
        """The file's table."""
        if self.file is None:
            return None
        rows = open_table(self.file, self.tensor)
        if self.d not in (None, rows.shape[1]):
            text = f"{option_text('d', self.d)} does not fit {self.file}, whose table has {rows.shape[1]} columns"
            raise UsageError(text, option="d", value=self.d)
        return rows

    @property
    def bounded(self) -> bool:
        return self.file is not None

    def rows_from(self, start: int) -> int | None:
        return None if self._rows is None else max(1, len(self._rows) - start)

    def covered(self, positions: Positions) -> Positions:
        rows = MAX_UNTRAINED_ROWS if self._rows is None else len(self._rows)
        first, last = positions.start, positions.stop - 1
        if first >= 0 and last < rows:
            return positions
        text = f"{self.file or 'an untrained table'} has the positions 0 to {rows - 1}, not {first} to {last}"
        if not 0 <= first < rows:
            raise UsageError(text, option="start", value=first, allowed=f"0 to {rows - 1}")
        advice = f"learned positions do not extrapolate, try {option_text('length', rows - first)}"
        raise UsageError(text, option="length", value=positions.length, advice=advice)

    @of_any_shape
    def table(self, positions: Array) -> Array:
        whole = np.asarray(positions, dtype=np.int64)
        if self._rows is not None:
            if len(whole) and not 0 <= whole.min() <= whole.max() < len(self._rows):
                raise UsageError(f"{self.file} has the positions 0 to {len(self._rows) - 1} and no others")
            return self._rows[whole]
        rows = np.empty((len(whole), self.width))
        for run in np.unique(whole // RUN).tolist():
            mine = whole // RUN == run
            rows[mine] = _untrained(self.seed, run, self.width)[whole[mine] % RUN]
        return rows

    def inputs(self) -> tuple[str, ...]:
        return () if self.file is None else (self.file,)

    def described(self) -> str:
        if self.file is None:
            return translate("{encoding}, untrained", encoding=super().described())
        return ", ".join(filter(None, [self.called(), short(self.file), self.tensor, f"d = {self.width}"]))


@lru_cache(maxsize=16)
def _untrained(seed: int, run: int, width: int) -> Array:
    """Return rows run · RUN … (run + 1) · RUN − 1 of the untrained table."""
    return np.random.default_rng([seed, run]).normal(0.0, DEVIATION, (RUN, width))
