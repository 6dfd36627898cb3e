"""Benchmarks of pecli against plain scripts, both measured in one run: python tests/benchmarks/run.py [--write].

Seconds are wall time of whole processes, the median of several runs taken in turn. Memory is the peak resident set
reported by the operating system; it is at least this script's own 40 MB, as it loads no numpy. With --write, the table
is written into gallery/benchmarks.md between its marks.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pecli.cli.app import PANELS
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.registry import ENCODINGS
from pecli.jobs.workers import cores

PLAIN = Path(__file__).with_name("plain")
PAGE = Path(__file__).parents[2] / "gallery" / "benchmarks.md"
PECLI = [str(Path(sys.executable).with_name("pecli"))]
HEATMAPS = 100

Command = Sequence[str]


@dataclass(frozen=True)
class Cost:
    """The cost of one side: median seconds, and peak memory in MB; 0 MB if both sides run in one process."""

    seconds: float
    memory: float

    def cells(self) -> list[str]:
        """Return seconds and memory as texts."""
        seconds = f"{self.seconds:.2f}" if self.seconds > 0.1 else f"{self.seconds:.2g}"
        return [seconds, f"{self.memory:,.0f}" if self.memory else ""]


@dataclass(frozen=True)
class Row:
    """A row of the table of benchmarks."""

    what: str
    ours: Cost
    other: Cost | None
    beside: str
    asked: str

    def cells(self) -> list[str]:
        """Return the cells of the row; ratios are other side / pecli."""
        ours = [self.what, *self.ours.cells(), self.beside]
        if (other := self.other) is None:
            return [*ours, "", "", "", self.asked]
        ratios = [f"{other.seconds / self.ours.seconds:.2f}"]
        if self.ours.memory:
            ratios.append(f"{other.memory / self.ours.memory:.2f}")
        return [*ours, *other.cells(), ", ".join(ratios), self.asked]


def plain(script: str, *words: str) -> Command:
    """Return the command for a plain script with its arguments."""
    return [sys.executable, str(PLAIN / script), *words]


def pecli(*words: str) -> Command:
    """Return the command for a pecli command line."""
    return [*PECLI, *words]


def once(command: Command) -> Cost:
    """Run a command once and return its cost."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"exit {process.returncode}: {' '.join(command)}")
    return Cost(time.perf_counter() - begun, usage.ru_maxrss / 1000)


def in_turn(sides: Sequence[Command], runs: int) -> list[Cost]:
    """Return the costs of commands run in turn (A B A B …), after one uncounted run of each."""
    if runs > 1:
        for side in sides:
            once(side)
    costs = [[once(side) for side in sides] for _ in range(runs)]
    return [
        Cost(statistics.median(c.seconds for c in cost), max(c.memory for c in cost))
        for cost in zip(*costs, strict=True)
    ]


def beside(what: str, ours: Command, other: Command, name: str, asked: str, runs: int = 5) -> Row:
    """Return a row that compares pecli with another command.

    what : the task
    ours, other : the two commands
    name : name of the other side
    asked : the options that were measured
    """
    first, second = in_turn([ours, other], runs)
    return Row(what, first, second, name, asked)


def start() -> list[Row]:
    """Return rows for doing nothing and for one heatmap."""
    count = str(sum(len(names) for names in PANELS.values()))
    rows = []
    for flag in ("--version", "--help"):
        empty = plain("empty_app.py", count, flag)
        rows.append(beside(f"`pecli {flag}`", pecli(flag), empty, "an empty Typer app", "time ≥ 0.80", 9))
    article = plain("third_article.py")
    vectorised = plain("heatmap.py", "10000", "plain.png")
    return [
        *rows,
        beside("`pecli heatmap`", pecli("heatmap"), article, "the third article's script", "time ≥ 1.02", 9),
        beside("`pecli heatmap`", pecli("heatmap"), vectorised, "the same picture by pyplot", "time ≥ 1.04", 9),
    ]


def lengths() -> list[Row]:
    """Return rows that show that the cost of a picture depends on its pixels, not on its length."""
    on_lines = {name: kind for name, kind in ENCODINGS.items() if issubclass(kind, Harmonic) and not kind().sides}
    closed = [f"heatmap -e {name}" for name in on_lines]
    asked = [
        *((line, "1e9", "200", "time ≥ 0.67, memory ≥ 0.83") for line in closed),
        ("distance", "1e6", "1e4", "time ≥ 0.50; under 300 MB"),
        ("curves", "1e7", "1e4", "bounded memory"),
        ("offsets", "1e7", "1e4", "bounded memory"),
        ("offsets", "1e8", "1e4", "time ≥ 0.25; bounded memory"),
        ("waves", "1e8", "1e4", "time ≥ 0.67, memory ≥ 0.83"),
        ("waves -e binary", "1e8", "1e4", "time ≥ 0.67, memory ≥ 0.83"),
    ]
    rows = []
    for line, far, near, bound in asked:
        long, short = (pecli(*line.split(), "-n", length, "-o", f"{length}.png") for length in (far, near))
        rows.append(beside(f"`pecli {line} -n {far}`", long, short, f"-n {near}", bound))
    return rows


def pairs(whole: bool) -> list[Row]:
    """Return rows for figures of all pairs of positions."""
    table = "np.random.default_rng(0).normal(size=(16384, 384)).astype(np.float32)"
    once([sys.executable, "-c", f"import numpy as np; np.save('learned.npy', {table})"])
    learned = pecli("distance", "-e", "learned", "--file", "learned.npy", "-n", "16384", "-o", "learned.png")
    large = pecli("scatter", "-n", "16384", "-o", "cloud.png")
    rows = [
        beside(
            "`pecli scatter -n 4096`",
            pecli("scatter", "-n", "4096", "-o", "cloud.png"),
            plain("scatter.py", "4096", "plain.png"),
            "plain script",
            "time ≥ 10; under 300 MB",
            2,
        ),
        alone("`pecli scatter -n 16384`", large, "134,209,536 pairs", "under 500 MB"),
        alone("`pecli distance -e learned -n 16384`", learned, "16,384 × 384 numbers", "under 500 MB"),
        alone("`pecli scatter -o scatter.svg`", pecli("scatter", "-o", "scatter.svg"), "scatter.svg", "under 400 kB"),
    ]
    if whole:
        ours, other = pecli("distance", "-n", "16384", "-o", "far.png"), plain("distance.py", "16384", "plain.png")
        asked = "time ≥ 40, memory ≥ 50"
        rows.insert(0, beside("`pecli distance -n 16384`", ours, other, "plain script", asked, 1))
    return rows


def grids() -> list[Row]:
    """Return rows that compare positions in a grid with as many on a line."""
    lines = {"tiles": "time ≥ 0.67", "offsets": "time ≥ 0.67"}
    line = pecli("distance", "-d", "768", "-n", "1024", "-o", "line.png")
    return [
        beside(
            f"`pecli {name} sincos2d -d 768 --grid 32x32`",
            pecli(name, "sincos2d", "-d", "768", "--grid", "32x32", "-o", "grid.png"),
            line,
            "`pecli distance -d 768 -n 1024`",
            asked,
        )
        for name, asked in lines.items()
    ]


def encode() -> list[Row]:
    """Return rows that compare `pecli.encode` with the formula in plain numpy, both in one process."""
    rows = []
    for name in ("sinusoidal", "rope"):
        for length, d, asked in ((200, 128, 0.6), (1024, 128, 1), (16384, 512, 1)):
            command = plain("encode.py", name, str(length), str(d))
            ours, other = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            what = f'`pecli.encode("{name}", d={d}, length={length})`'
            rows.append(Row(what, Cost(float(ours), 0), Cost(float(other), 0), "plain numpy", f"time ≥ {asked}"))
    return rows


def tables() -> list[Row]:
    """Return rows for writing long tables: against Python's own text of the numbers, and at two lengths."""
    size, limit = ("table", "-d", "64"), "under 150 MB"
    own = plain("repr_table.py", "300000", "64", "plain.csv")
    text = pecli(*size, "-n", "300000", "-o", "t.csv")
    rows = [beside(f"`pecli {' '.join(text[1:])}`", text, own, "repr of each number", f"time ≥ 0.5; {limit}", 2)]
    for ending in ("npy", "npz", "json"):
        written = pecli(*size, "-n", "300000", "-o", f"t.{ending}")
        rows.append(alone(f"`pecli {' '.join(written[1:])}`", written, f"t.{ending}", limit))
    return rows


def frames() -> list[Row]:
    """Return rows for animations."""
    lines = [pecli(name, "--base", "2..10000:40", "-o", f"{name}.gif") for name in ("heatmap", "distance")]
    return [alone(f"`pecli {' '.join(line[1:])}`", line, line[-1], "under 3,000 kB") for line in lines]


def alone(what: str, command: Command, note: str, asked: str) -> Row:
    """Return a row with pecli only."""
    (cost,) = in_turn([command], 1)
    if Path(note).exists():
        note = f"{Path(note).stat().st_size / 1000:,.0f} kB"
    return Row(what, cost, None, note, asked)


def batch() -> list[Row]:
    """Return rows for hundreds of pictures."""
    bases = ", ".join(str(10 + 100 * i) for i in range(HEATMAPS))
    text = f'[[figure]]\ncommand = "heatmap"\nbase = [{bases}]\noutput = "many/{{base}}.png"\n'
    Path("many.toml").write_text(text, encoding="utf-8")
    run = ("batch", "many.toml", "-q")
    two, item = in_turn([pecli(*run, "--force", "-j", "2"), pecli(*run, "--force", "-j", "1")], 2)
    scripts = [once(plain("heatmap.py", str(10 + 100 * i), "plain.png")) for i in range(HEATMAPS)]
    every = Cost(sum(cost.seconds for cost in scripts), max(cost.memory for cost in scripts))
    nothing, shown = in_turn([pecli(*run), pecli("--version")], 5)
    return [
        Row(f"`pecli batch`, {HEATMAPS} heatmaps, -j 2", two, every, f"{HEATMAPS} plain scripts", "time ≥ 8"),
        Row("the same, -j 2", two, item, "-j 1", "time ≥ 1.6"),
        Row("the same, nothing to do", nothing, shown, "`pecli --version`", "at most 1 s more"),
        *plans(),
    ]


def plans() -> list[Row]:
    """Return rows for planning the largest batches: one figure of 100,000 pictures, and 5,000 figures of 20."""
    sweep = 'base = "2..100:50"\nd = "2..100:50"\nlength = "2..41"\noutput = "many/{base}-{d}-{length}.png"\n'
    each = 'base = {number}\nd = "2..40:20"\noutput = "many/{number}-{{d}}.png"\n'
    texts = {"one figure": [sweep], "5,000 figures": [each.format(number=number) for number in range(1, 5001)]}
    rows = []
    for what, figures in texts.items():
        text = "".join(f'[[figure]]\ncommand = "heatmap"\n{figure}' for figure in figures)
        Path("plan.toml").write_text(text, encoding="utf-8")
        planned = pecli("batch", "plan.toml", "--dry-run", "--shard", "1/100000")  # all are planned, one is printed
        rows.append(alone("`pecli batch --dry-run`, 100,000 heatmaps", planned, what, "under 20 s, under 500 MB"))
    return rows


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table, with date and machine."""
    header = ["pecli", "s", "MB", "compared with, or size", "s", "MB", "time, memory: other ÷ pecli", "required"]
    lines = [header, ["---"] * len(header), *(row.cells() for row in rows)]
    today = datetime.date.today().isoformat()
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "matplotlib", "typer"))
    where = f"{cores()} cores, {today}, Python {sys.version.split()[0]}, {libraries}"
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + f"\n\nMeasured on {where}."


def main() -> None:
    """Measure, print, and with --write update the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into gallery/benchmarks.md")
    parser.add_argument("--quick", action="store_true", help="leave out the plain distance matrix, which takes 18 GB")
    asked = parser.parse_args()
    os.environ["MPLBACKEND"] = "agg"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise each run compiles the code again
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rows = [*start(), *lengths(), *pairs(not asked.quick), *grids(), *encode(), *tables(), *frames(), *batch()]
        os.chdir(PAGE.parent)
    text = table(rows)
    print(text)
    if asked.write:
        marked = re.compile(r"(<!-- benchmark -->\n).*?(<!-- /benchmark -->)", re.DOTALL)
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(marked.sub(lambda match: f"{match[1]}{text}\n{match[2]}", page), encoding="utf-8")


if __name__ == "__main__":
    main()
