"""The layers of one kind and how far they look back, as a text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from pecli.core.errors import UsageError
from pecli.core.positions import MAX_LENGTH

MOST = 10_000  # layers of a model


@dataclass(frozen=True)
class Bars:
    """The layers of one kind with the same reach: their indices, and the reach in positions, 0 if it is not stated."""

    kind: str
    layers: tuple[int, ...]
    reach: int

    @classmethod
    def read(cls, text: str) -> Bars:
        """Return the layers that a text such as ``sliding_attention:0-4+6-10:1024`` names, or raise UsageError."""
        kind, indices, reach = (*text.split(":"), "", "")[:3]
        found = [own for part in indices.split("+") if (own := _indices(part.strip()))]
        if text.count(":") != 2 or not kind or len(found) < indices.count("+") + 1 or not reach.strip().isdecimal():
            allowed = "kind:layers:positions, such as sliding_attention:0-4+6-10:1024"
            raise UsageError(option="layers", value=text, allowed=allowed)
        return cls(kind.strip(), tuple(at for own in found for at in own), min(int(reach), MAX_LENGTH))

    def write(self) -> str:
        """Return the text that `read` reads."""
        runs = [[at for _, at in own] for _, own in groupby(enumerate(self.layers), lambda item: item[1] - item[0])]
        parts = (f"{own[0]}-{own[-1]}" if len(own) > 1 else f"{own[0]}" for own in runs)
        return f"{self.kind}:{'+'.join(parts)}:{self.reach}"


def _indices(text: str) -> range:
    """Return the indices in a text such as "7" or "0-4"; an empty range if there are none."""
    first, _, last = text.partition("-")
    ends = [int(own) for own in (first, last or first) if own.isdecimal() and len(own) < len(str(MOST))]
    return range(ends[0], ends[1] + 1) if len(ends) == 2 else range(0)
