"""T5's relative bias: offsets fall into buckets, and every bucket has a learned number a head."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log
from pathlib import Path
from typing import ClassVar

from pecli.core.arithmetic import ROUNDING
from pecli.core.errors import UsageError, mention
from pecli.core.language import phrase, template
from pecli.core.lazy import Array, np
from pecli.core.options import option
from pecli.encodings.directed_bias import DirectedBias, direction_option
from pecli.encodings.encoding import file_option, tensor_option
from pecli.files.table_files import read_table


@dataclass(frozen=True)
class T5(DirectedBias):
    """Near offsets have a bucket each, farther ones share a bucket that grows with the logarithm of the distance.

    The numbers that are added are learned: a file gives them, one row a bucket and one column a head. Without a file
    what is shown is the number of the bucket, the same for all heads.

    Notes
    -----
    Raffel et al. 2020, T5, section 2.1, arXiv:1910.10683. Half of the buckets, for both directions a quarter each, are
    exact; the last one holds every distance from max_distance on. Both directions: the encoder; causal: the decoder.
    """

    name: ClassVar[str] = "t5"
    summary: ClassVar[str] = (
        "learned biases by bucket: near offsets one by one, far ones by the logarithm of the distance"
    )
    formula: ClassVar[str] = "b(p, q) = W[bucket(q − p), head]"
    source: ClassVar[str] = "Raffel et al. 2020, section 2.1, arXiv:1910.10683"
    example: ClassVar[str] = "pecli bias -e t5 --length 128"
    models: ClassVar[str] = "T5, Flan-T5, mT5"
    trained: ClassVar[bool] = True

    buckets: int = option(32, "how many buckets", at_least=4, at_most=4096, aliases=("num_buckets",))
    max_distance: int = option(128, "from which distance on all share the last bucket", at_least=2, at_most=10**9)
    direction: str = direction_option("both")
    file: str | None = file_option("file of the learned table, buckets × heads", "the numbers of the buckets")
    tensor: str | None = tensor_option()

    def check(self) -> None:
        if self.file is None and self.tensor is not None:
            text = f"{mention('tensor', self.tensor)} names a table in a file"
            raise UsageError(text, option="tensor", value=self.tensor, advice=f"give {mention('file')} too")
        if self.max_distance <= self.exact:
            distance = mention("max_distance", self.max_distance)
            text = f"{distance} is not beyond the {self.exact} distances that are exact"
            raise UsageError(text, option="max_distance", value=self.max_distance, allowed=f"more than {self.exact}")

    @property
    def sides(self) -> int:
        """How many directions have buckets of their own."""
        return 1 if self.causal else 2

    @property
    def exact(self) -> int:
        """The distances that have a bucket each: 0 … exact − 1."""
        return self.buckets // self.sides // 2

    @property
    def n_heads(self) -> int:
        return 1 if self._learned is None else int(self._learned.shape[1])

    def head_text(self, head: int) -> str:
        return phrase("every head") if self.file is None else super().head_text(head)

    @property
    def known(self) -> bool:
        return self.file is not None

    @property
    def quantity(self) -> str:
        return super().quantity if self.known else template("bucket")

    @cached_property
    def _learned(self) -> Array | None:
        """The file's table, (buckets, heads)."""
        if self.file is None:
            return None
        table = read_table(self.file, self.tensor)
        if len(table) != self.buckets:
            text = f"{self.file} holds {len(table)} rows and t5 has {self.buckets} buckets"
            raise UsageError(text, option="file", value=self.file, allowed="a row a bucket")
        return table

    def bucket(self, offsets: Array) -> Array:
        """The bucket of every offset (n,), query less key: whole numbers from 0 to buckets − 1, shape (n,)."""
        each = self.buckets // self.sides
        ahead = np.where(offsets < 0, each, 0) if self.sides == 2 else 0
        distance = np.abs(offsets) if self.sides == 2 else np.maximum(offsets, 0)
        growth = np.log(np.maximum(distance, 1) / self.exact) / log(self.max_distance / self.exact)
        steps = np.floor(growth * (each - self.exact) + ROUNDING)
        far = np.minimum(self.exact + steps, each - 1)
        return (ahead + np.where(distance < self.exact, distance, far)).astype(np.int64)

    def of_offsets(self, offsets: Array) -> Array:
        bucket = self.bucket(offsets)
        return bucket[None, :] if self._learned is None else self._learned[bucket].T

    def inputs(self) -> tuple[str, ...]:
        return () if self.file is None else (self.file,)

    def label(self) -> str:
        known = [] if self.file is None else [Path(self.file).name, *filter(None, [self.tensor])]
        buckets = phrase("{count} buckets to {distance:,}", count=self.buckets, distance=self.max_distance)
        return ", ".join([self.name, buckets, *known])
