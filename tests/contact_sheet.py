"""Every figure in every size, to be looked at: python tests/contact_sheet.py FOLDER [FIGURE…]."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pecli
from pecli.core.errors import PecliError
from pecli.figures import FIGURES

SIZES = ("column", "page", "blog", "slide", "5x3")
OPTIONS: dict[str, dict[str, object]] = {"compare": {"encoding": ["sinusoidal:base=10", "sinusoidal:base=10000"]}}


def main(folder: Path, names: list[str]) -> None:
    """Draws each of the figures in each size; says how long it took, or why not."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or FIGURES:
        for size in SIZES:
            begun = time.perf_counter()
            try:
                pecli.figure(name, size=size, dpi=100, **OPTIONS.get(name, {})).save(folder / f"{name}-{size}.png")
                said = f"{time.perf_counter() - begun:.2f} s"
            except PecliError as error:
                said = str(error)
            sys.stdout.write(f"{name} {size}: {said}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
