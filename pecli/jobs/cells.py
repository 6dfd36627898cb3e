"""The picture of several jobs as one figure: its cells, what tells them apart and what they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pecli.analysis import View
from pecli.core.language import clauses, listing, phrase, speaking, templates
from pecli.core.options import Option
from pecli.encodings.encoding import titled_text
from pecli.encodings.titles import apart, in_common
from pecli.figures.figure import Figure
from pecli.figures.grid import Cell, Grid
from pecli.figures.grid_numbers import Axis
from pecli.jobs.job_options import Choice, known_options
from pecli.jobs.request import Request

if TYPE_CHECKING:
    from pecli.jobs.job import Job


SAID = templates(  # of options that are no encoding's, in the language of the picture
    {"length": "length", "start": "start", "measure": "measure", "tokens": "tokens", "reorder": "order", "head": "head"}
)


def grid_of(request: Request, cells: Sequence[Job]) -> Grid:
    """The figure of a request with cells; raises UsageError where they make no grid."""
    drawn = [cell.figure.as_part() for cell in cells if isinstance(cell.figure, Figure)]
    pairs = [Cell(figure, cell.view) for figure, cell in zip(drawn, cells, strict=True)]
    with speaking(request.language):
        grid = Grid(tuple(pairs), tuple(_axis(request, name) for name in request.axes), title_of(request, cells))
    grid.check_panels()
    return grid


def view_of(cells: Sequence[Job]) -> View[Any]:
    """What all cells look at: each encoding once, at the positions of the first."""
    encodings = dict.fromkeys(one for cell in cells for one in cell.view.encodings)
    return View(tuple(encodings), cells[0].view.positions)


def title_of(request: Request, cells: Sequence[Job]) -> str:
    """What the encodings of all cells have in common, and the positions, in the figure's own words."""
    own = cells[0].figure
    if not isinstance(own, Figure) or len(request.encodings) > 1 or not own.title(cells[0].view):
        return own.title(cells[0].view) if isinstance(own, Figure) and not request.axes else ""
    common = listing(in_common([cell.view.encoding for cell in cells], request.axes))
    positions = {own.unseen(cell.view) for cell in cells}
    return clauses([common, *positions] if len(positions) == 1 else [common])


def _axis(request: Request, name: str) -> Axis:
    values, known = request.values(name), _options(request)
    if name in Choice.options():
        every = [next(one.encodings[0] for one in request.cells if one.value(name, request.axes) == v) for v in values]
        texts = apart(every, request.axes)
        return Axis(name, tuple(" ".join(value) for value in values), tuple(texts), number=False)
    one = known[name]
    single = all(len(value) == 1 for value in values) if one.many else True
    plain = tuple(value[0] if one.many else value for value in values) if single else tuple(map(one.write, values))
    said = phrase(SAID[name]) if name in SAID else name.replace("_", " ")
    return Axis(name, plain, tuple(f"{said} {_text(one, v)}" for v in values), single and one.scalar in (int, float))


def _options(request: Request) -> dict[str, Option]:
    """The options that the cells may differ in."""
    own = {name: one for encoding in request.encodings for name, one in encoding.options().items()}
    return {**own, **known_options(type(request.figure))}


def _text(one: Option, value: Any) -> str:
    return phrase("default") if value is None else titled_text(one, value)
