"""What every figure asks of a page stays as it is: its panels, their axes and bars, and the grids they may stand in.

It stands in tests/data/panels.txt, for a narrow page, a slide and the pictures of pictures.txt. After a change that is
meant, write that anew and read the difference: ``python -m tests.page.test_stored_panels``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pecli
from pecli.core.language import use_language
from pecli.figures import FIGURES
from pecli.figures.base import groups_of
from pecli.jobs.text import python_call
from pecli.page.panels import Axis, ColorBar, Panel

DATA = Path(__file__).parents[1] / "data"
STORED = DATA / "panels.txt"
SIZES = ("column", "slide")
LINES = [f"{name} --size {size}" for name in FIGURES for size in SIZES if name not in ("compare", "bases")]
LINES += [f"offsets sinusoidal binary --measure dot --size {size}" for size in SIZES]
LINES += (DATA / "pictures.txt").read_text(encoding="utf-8").splitlines()


def asked(line: str) -> Iterator[str]:
    """Yield a line for each group of panels of a picture, and for each panel in it that is not as the one before."""
    job = eval(python_call(f"pecli {line}"), {"pecli": pecli}).job
    with use_language(job.language):
        groups = groups_of(job.analysis, job.view, job.canvas)
    for group in groups:
        yield f"  {len(group.panels)}: {' '.join(map(told, group.grids))} {group.one_legend} {group.headings}"
        before = ""
        for panel in group.panels:
            if (text := told(panel)) != before:
                yield f"    {text}"
            before = text


def told(item: Any) -> str:
    """Return what of a panel, an axis or a bar is not usual; of a grid, its rows; of any number, six digits."""
    if isinstance(item, (Panel, Axis, ColorBar)):
        facts = [(field.name, getattr(item, field.name)) for field in fields(item) if field.name != "ticks"]
        plain = type(item)("") if isinstance(item, ColorBar) else type(item)()
        return " ".join(f"{name}={told(value)}" for name, value in facts if value != getattr(plain, name))
    if isinstance(item, tuple):
        return f"({','.join(map(told, item))})"
    return f"{item:.6g}" if isinstance(item, float) else repr(item)


def record() -> list[str]:
    return [text for line in LINES for text in (line, *asked(line))]


def test_figures_ask_of_a_page_what_is_stored() -> None:
    assert record() == STORED.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    STORED.write_text("\n".join(record()) + "\n", encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
