"""Tests that another value of any option of a figure, report or encoding changes the result or is refused.

The options, types, bounds and choices are taken from the fields in the registries. A parameter of an encoding must
change the encoding itself, because a measure may not depend on it. All other options must change the numbers, what is
drawn or printed of them, or the settings with which it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import islice
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from pecli.cli.completion import offered_values
from pecli.core import memory
from pecli.core.errors import PecliError, UsageError
from pecli.core.language import Language, use_language
from pecli.core.options import Option
from pecli.core.positions import Positions
from pecli.encodings.base import BiasEncoding
from pecli.encodings.registry import ENCODINGS, Encoding
from pecli.encodings.temperature import NAMES
from pecli.figures.base import Figure, groups_of, panels_of
from pecli.figures.composite import single_figures
from pecli.figures.page import words_of
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES, encoding_parameters
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import make_job
from pecli.page.axis_labels import put_axes, write_user_labels
from pecli.page.canvas import Canvas
from pecli.page.labels import end_value_axes
from pecli.page.legends import add_bar
from pecli.page.limits import resolve_limits
from pecli.page.style import style_context
from pecli.reports.base import Report

SIZES = {"d": 8, "length": 6, "start": 1}
NUMBERS = (0, 1, 2, 3, 5, 7, 0.5, -30, 1000)
TEXTS = (
    "serif",
    "reverse",
    "swap:0,1",
    "random",
    "a b c",
    "random:3",
    "3,5",
)  # one of them is a value of most options of free text
CHEAP, DRAWN = ("values", "settings"), ("small", "shown")  # parts of a result
FEW = len(NUMBERS)  # values of which the cheap parts are compared before anything is drawn
LOOKS = ("text", "color", "cmap", "array", "clim", "extent", "xydata", "offsets", "segments", "xlim", "ylim", "label")


@pytest.fixture(autouse=True)
def much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked of the system once, not for each of thousands of jobs."""
    free = memory.available()
    monkeypatch.setattr(memory, "available", lambda: free)


def others(one: Option, now: Any) -> Iterator[Any]:
    """Values that the option takes, other than the one it has."""
    offered = [value for value, _ in offered_values(one)]
    free: dict[type, Any] = {bool: (True, False), str: (*offered, *TEXTS)}
    for value in free.get(one.scalar, NUMBERS) if one.choices is None else one.choices():
        try:
            read = one.read([value] if one.many else value)
        except PecliError:
            continue
        if read != now:
            yield read


@cache
def styled(canvas: Canvas) -> str:
    """matplotlib's settings under which a canvas is drawn on."""
    with style_context(canvas):
        return repr(dict(mpl.rcParams))


class Result:
    """What a job gives, each part of it made when it is asked for, the cheap ones first."""

    def __init__(self, name: str, given: dict[str, Any]) -> None:
        self.job = make_job(name, given)
        self.job.check()
        numbers = self.job.analysis.compute(self.job.view)
        self.numbers = numbers.limited(lambda limits, values: resolve_limits(self.job.canvas, limits, values))

    @cached_property
    def values(self) -> list[Any]:
        arrays = self.numbers.arrays().items()
        return [self.numbers.limits(), repr(self.numbers.facts()), *((name, array.tobytes()) for name, array in arrays)]

    @cached_property
    def settings(self) -> list[Any]:
        canvas = self.job.canvas
        if not self.job.figure.drawn:
            return []
        with use_language(self.job.language):
            text = words_of(Picture(self.job).title(), self.numbers, canvas)
            return [*text, canvas.inches, canvas.dpi, styled(canvas)]

    @cached_property
    def small(self) -> list[Any]:
        return self.at(0.08)  # without numbers in cells, which take longest, unless they are asked for

    @cached_property
    def shown(self) -> list[Any]:
        return self.at(0.8)

    def at(self, size: float) -> list[Any]:
        figure = self.job.analysis
        with style_context(self.job.canvas), use_language(self.job.language):
            if isinstance(figure, Report):
                return [str(figure.show(figure.compute(self.job.display_view), 100))]
            try:
                return painted(self.job, self.numbers, size)
            except PecliError as error:  # of numbers that its cells do not hold
                return [str(error)]

    def differs(self, other: Result, parts: Sequence[str]) -> str:
        """Return the first of these parts in which another result is not the same."""
        return next((part for part in parts if getattr(self, part) != getattr(other, part)), "")


def painted(job: Job, numbers: Any, size: float) -> list[Any]:
    """Return the artists on bare axes of that share of a page."""
    figure = job.analysis
    assert isinstance(figure, Figure)
    drawing = Drawing()
    groups, panels = groups_of(figure, job.view, job.canvas), panels_of(figure, job.view)
    axes = [drawing.add_axes((0.1, 0.1, size, size)) for _ in panels]
    for ax, panel in zip(axes, panels, strict=True):
        put_axes(ax, panel, job.canvas)
    figure.decorate(job.view, axes, job.canvas)
    write_user_labels(axes, panels, job.canvas)
    drawn = figure.draw(numbers, axes, job.canvas)
    end_value_axes(axes, panels, job.canvas)
    shown = zip(drawn, panels, strict=True)
    for mappable, bar in {panel.bar: (item, panel.bar) for item, panel in shown if panel.bar}.values():
        add_bar(drawing, [mappable], bar, job.canvas)
    return [[group.grids for group in groups], *(text.get_text() for text in drawing.texts)] + [
        look(artist) for ax in drawing.axes for artist in artists(ax)
    ]


def artists(axes: Axes) -> list[Artist]:
    legend = axes.get_legend()
    around = [axes, axes.title, axes.xaxis.label, axes.yaxis.label, *(legend.get_texts() if legend else [])]
    return [*around, *axes.lines, *axes.collections, *axes.images, *axes.patches, *axes.texts]


def look(artist: Artist) -> list[Any]:
    """Return what an artist looks like and where it is."""
    values = [getattr(artist, f"get_{name}", lambda: None)() for name in LOOKS]
    values = [getattr(value, "name", value) for value in values]
    return [value.tobytes() if isinstance(value, np.ndarray) else repr(value) for value in values]


def told(name: str, given: dict[str, Any]) -> Result | None:
    """Return the result, or None where it is refused with a message."""
    try:
        return Result(name, given)
    except PecliError as error:
        assert str(error)
        return None


def effect(name: str, given: dict[str, Any], first: Result, one: Option) -> str:
    """Return what another value changes first, a part of the result; or that all others are refused; or nothing."""
    now = {**first.job.positions.settings(), **first.job.settings()}.get(one.name, one.default)
    made: list[Result | None] = []
    for parts, most in ((CHEAP, FEW), ((*CHEAP, *DRAWN), None)):  # nothing is drawn where another value shows it
        for at, value in enumerate(islice(others(one, now), most)):
            if at == len(made):
                made.append(told(name, {**given, one.name: value}))
            if (other := made[at]) is not None and (part := first.differs(other, parts)):
                return part
    return "" if any(made) else "refused"


def start(name: str, kind: str) -> dict[str, Any]:
    """Return the figure or report of an encoding, with those of the sizes that it takes."""
    analysis: Any = ANALYSES[name]
    known = {**analysis.options(), **ENCODINGS[kind].options(), **Positions.options()}
    given: dict[str, Any] = {"encoding": [kind]}
    for size, value in SIZES.items():
        if size in known and told(name, {**given, size: value}):
            given[size] = value
    return given


def modes(name: str) -> Iterator[dict[str, Any]]:
    """Yield the figure or report of its default encoding, as it is and with each of its own options changed."""
    analysis = ANALYSES[name]
    plain = start(name, analysis.default_encoding)
    yield plain
    for option in analysis.options().values():
        several = len(ANALYSES) if option.choices is single_figures else 1
        changed = ({**plain, option.name: value} for value in islice(others(option, option.default), several))
        yield from (given for given in changed if told(name, given))


def known_options(name: str) -> list[Option]:
    analysis = ANALYSES[name]
    sections: list[Any] = [analysis, Positions, Language, *([Canvas] if analysis.drawn else [])]
    every = [option for section in sections for option in section.options().values()]
    return [
        option for option in every if option.name != "columns" and not option.name.startswith("no_")
    ]  # of panels, bars


def bars(result: Result) -> list[Any]:
    """Return the colour bars of the panels: where they are others, other options of colours mean something."""
    figure = result.job.figure
    return [panel.bar for panel in panels_of(figure, result.job.view)] if isinstance(figure, Figure) else []


@pytest.mark.some(12)
@pytest.mark.parametrize("every", [6, 1])
@pytest.mark.parametrize("name", ANALYSES)
def test_every_option_changes_the_result_or_is_refused(name: str, every: int) -> None:
    """As it is, and with each own option changed; drawn again only where colour bars are others."""
    plain: Result | None = None
    effects: dict[str, str] = {}
    idle: list[Any] = []
    for given in islice(modes(name), 0, None, every):
        first = told(name, given)
        assert first is not None
        plain = plain or first
        again = first is plain or (bars(first) != bars(plain) and not getattr(first.job.figure, "composed", False))
        for option in known_options(name):
            if (option.name in SIZES or option.name not in given) and (
                again or effects[option.name] in ("values", "refused")
            ):
                found = effect(name, given, first, option)
                effects.setdefault(option.name, found)
                idle += [] if found else [(option.name, given)]
    assert not idle


@pytest.mark.long
@pytest.mark.parametrize("name", ANALYSES)
def test_positions_change_the_result_of_every_encoding_or_are_refused(name: str) -> None:
    kinds = [kind for kind, encoding in ENCODINGS.items() if ANALYSES[name].takes(encoding)]
    starts = {kind: start(name, kind) for kind in kinds}
    firsts = {kind: told(name, given) for kind, given in starts.items()}
    idle = [
        (option.name, kind)
        for kind, first in firsts.items()
        for option in Positions.options().values()
        if first is not None and not effect(name, starts[kind], first, option)
    ]
    assert not idle


@pytest.mark.some(14)
@pytest.mark.parametrize("name", ANALYSES)
def test_an_option_of_another_encoding_is_refused_in_one_line(name: str) -> None:
    """Whatever the figure is: one made of figures has the encodings of them all."""
    kinds = ENCODINGS if ANALYSES[name].composed else [ANALYSES[name].default_encoding]
    for kind in kinds:
        for option in (one for one in encoding_parameters().values() if one.name not in ENCODINGS[kind].options()):
            value = next(others(option, option.default), "x")
            with pytest.raises(UsageError) as caught:
                make_job(name, {"encoding": [kind], option.name: value})
            assert "\n" not in str(caught.value)


def own_numbers(kind: type[Encoding], given: dict[str, Any]) -> bytes | None:
    """Return what an encoding is: its table or its bias; None where it is refused."""
    try:
        item = kind.make(given).fitted(Positions(start=3, length=40))
        at = np.arange(-40.0, 40.0) if isinstance(item, BiasEncoding) else np.arange(3.0, 43.0)
        return item.bias(at).tobytes() if isinstance(item, BiasEncoding) else item.table(at).tobytes()  # type: ignore[attr-defined]
    except PecliError as error:
        assert str(error)
        return None


def wanted(kind: type[Encoding], one: Option, value: Any) -> dict[str, Any]:
    """Return the value with a number for each option that belongs to it."""
    belong = [other for other in kind.options().values() if other.only_with and other.only_with[0] == one.name]
    own = {
        other.name: 2 for other in belong if other.only_with and value in other.only_with[1] and other.scalar is float
    }
    return {**own, one.name: value}


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ENCODINGS)
def test_every_parameter_changes_the_encoding_or_is_refused(name: str) -> None:
    kind = ENCODINGS[name]
    silent = ("label", "max_position", "window", "rows", "dual_chunks", *NAMES)  # they change no number of the table
    for option in (option for option in kind.options().values() if option.name not in silent):
        owner = {} if option.only_with is None else {option.only_with[0]: option.only_with[1][0]}
        plainest = {"d": 8, "heads": 6}  # of no power of two are slopes in two ways
        given = {**{own: value for own, value in plainest.items() if own in {*kind.options()} - {option.name}}, **owner}
        plain = own_numbers(kind, given)
        changed = [
            own_numbers(kind, {**given, **wanted(kind, option, value)}) for value in others(option, option.default)
        ]
        assert not any(changed) or any(numbers not in (None, plain) for numbers in changed), option.name
