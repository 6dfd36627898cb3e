"""pecli shows what position encodings look like. This page is the Python API; importing it loads no library.

>>> import pecli
>>> table = pecli.encode("sinusoidal", base=10, d=64, length=100)  # (100, 64), float64
>>> picture = pecli.figure("heatmap", base=10)                     # shows itself in a notebook
>>> picture.save("heatmap.png", "heatmap.svg")
>>> picture.draw(ax)                                               # onto an Axes of your own
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pecli.core.errors import PecliError
from pecli.core.version import __version__

if TYPE_CHECKING:
    from pecli.core.lazy import Array
    from pecli.jobs.picture import Picture
    from pecli.jobs.run_jobs import Outcome

__all__ = ["PecliError", "__version__", "batch", "encode", "figure"]


def encode(encoding: str = "sinusoidal", *, length: int = 200, start: int = 0, **parameters: Any) -> Array:
    """The table of a position encoding.

    Parameters
    ----------
    encoding : a name or a spec, ``"sinusoidal"``, ``"sinusoidal:base=10,d=64"``
    length, start : the positions start … start + length − 1
    **parameters : the encoding's own, winning over the spec (``pecli heatmap --help`` lists them)

    Returns
    -------
    shape (length, d), float64

    Raises
    ------
    PecliError : an unknown name or a value that is not allowed; a ValueError
    """
    from pecli.core.memory import check_memory
    from pecli.core.positions import Positions
    from pecli.encodings import encoding_of, read_table_encoding
    from pecli.jobs.job_options import spelled_out

    positions = Positions(length=length, start=start)
    made = read_table_encoding(encoding, spelled_out(encoding_of(encoding).options(), parameters)).fitted(positions)
    rows = made.covered(positions)
    check_memory("encode", (rows.length, made.width), "take a smaller length or d")
    return made.table(rows.array())


def figure(name: str, **options: Any) -> Picture:
    """A figure, computed; it shows itself in a notebook.

    Parameters
    ----------
    name : ``"heatmap"``, ``"distance"``, … as on the command line
    **options : the command's options under the same names, ``base=10``, ``no_title=True``

    Raises
    ------
    PecliError : an unknown name or a value that is not allowed; a ValueError
    """
    from pecli.jobs.job import Job
    from pecli.jobs.picture import Picture

    return Picture(Job.make(name, options))


def batch(
    path: str, *, folder: str | None = None, only: Sequence[str] = (), workers: int = 1, force: bool = False
) -> list[Outcome]:
    """Every figure of a batch file, as ``pecli batch`` draws them.

    Parameters
    ----------
    path : the TOML file
    folder : where outputs go and stay; by default the file's folder
    only : names of figures or files, or globs
    workers : processes
    force : draw also what its file already shows

    Returns
    -------
    one outcome a picture: its job, state (written, skipped, failed), paths and notes

    Raises
    ------
    PecliError : something in the file is wrong; nothing has been drawn then
    """
    from pecli.jobs.batch_file import read_batch
    from pecli.jobs.run_jobs import run

    plan = read_batch(path, folder)
    return list(run((plan.only(only) if only else plan).jobs, workers=workers, force=force))
