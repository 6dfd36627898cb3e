"""What pictures say stays as it is where few say it: title, headline, notes, titles of panels, facts, arrays.

Of an array, that is a weighted sum; of a table, the names of its columns in .csv files, long and wide.

Nothing is drawn, so a picture costs a hundredth of a second: every wording of a headline or a note can stand here. They
stand in tests/data/headlines.txt. After a change that is meant, write that anew and read the difference:
``python -m tests.figures.test_stored_headlines``; new command lines are its arguments.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import pecli
from pecli.core.language import use_language
from pecli.core.lazy import Array
from pecli.figures.base import groups_of
from pecli.jobs.text import python_call
from tests.reports.test_stored_reports import leaves

STORED = Path(__file__).parents[1] / "data" / "headlines.txt"


@contextmanager
def furnished(folder: Path) -> Iterator[None]:
    """Make tables and weights in a folder, the current one in the block."""
    table, before = np.array(pecli.encode("sinusoidal:d=8,base=10", length=40)), Path.cwd()
    os.chdir(folder)
    try:
        np.save("plain.npy", table)
        table[[3, 17]] *= [[2], [1.5]]
        np.save("long_rows.npy", table)
        table[9] = 0
        np.save("empty_row.npy", table)
        np.save("weights.npy", [1.0, 2.0, 3.0, 4.0])
        np.save("words.npy", np.eye(3, 8))
        yield
    finally:
        os.chdir(before)


def said(line: str) -> list[str]:
    """Return the command line of a picture, what it says, and a line for each fact."""
    picture = eval(python_call(f"pecli {line}"), {"pecli": pecli})
    job, numbers = picture.job, picture.numbers
    with use_language(job.language):
        panels = [panel for group in groups_of(job.analysis, job.view, job.canvas) for panel in group.panels]
    titles = dict.fromkeys(f"{panel.title} {panel.right_title}" for panel in panels)
    texts = [picture.title(), numbers.message(), numbers.caption(), " | ".join(titles)]
    facts = leaves("", json.loads(json.dumps(numbers.facts(), default=str)))
    sums = "sums: " + ", ".join(
        f"{name} {weighed(array)}" for name, array in numbers.arrays().items() if name != "coordinates"
    )
    headers = [numbers.sheet(long)[0] for long in (True, False)] if picture.figure.one_table else []
    columns = [f"columns: {', '.join(header[:5])}" for header in headers]
    return [
        f"$ {line}",
        *(" ".join(text.split()) for text in texts),
        *(fact.replace("\n", " ") for fact in facts),
        sums,
        *dict.fromkeys(columns),
    ]


def weighed(array: Array) -> str:
    """Return four digits of a weighted sum of an array; no digits where eigenvectors or rounding decide them."""
    flat = np.nan_to_num(np.asarray(array, dtype=float), posinf=0.0, neginf=0.0).ravel()
    weights = np.arange(1, len(flat) + 1)
    total, size = float(flat @ weights), float(np.abs(flat) @ weights)
    return f"{total:.4g}" if abs(total) > 1e-7 * size else "0"


def record(lines: Iterable[str], folder: Path) -> list[str]:
    with furnished(folder):
        return [text for line in lines for text in said(line)]


def stored() -> list[str]:
    return STORED.read_text(encoding="utf-8").splitlines()


def command_lines() -> list[str]:
    return [line[2:] for line in stored() if line.startswith("$ ")]


def test_what_pictures_say_is_what_is_stored(tmp_path: Path) -> None:
    assert record(command_lines(), tmp_path) == stored()


if __name__ == "__main__":
    known = sorted({*(command_lines() if STORED.exists() else ()), *sys.argv[1:]})
    with tempfile.TemporaryDirectory() as made:
        STORED.write_text("\n".join(record(known, Path(made))) + "\n", encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
