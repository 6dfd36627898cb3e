"""What is computed of encodings at positions: the view, the numbers, and the base of figures and reports."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args

from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import join_clauses, say
from pecli.core.lazy import Array, np
from pecli.core.memory import COPIES
from pecli.core.options import Options, option
from pecli.core.positions import MAX_LENGTH, Positions
from pecli.core.progress import track
from pecli.encodings.base import Encoding, TableEncoding, short_names
from pecli.files.sheet import Over, Sheet
from pecli.measures.pairwise import MEASURES

Limits = tuple[float, float]  # low, high
TAKEN_WHOLE = "a grid or a sequence is taken whole"
E = TypeVar("E", bound=Encoding)
E_co = TypeVar("E_co", bound=Encoding, covariant=True)


@dataclass(frozen=True)
class View(Generic[E_co]):
    """What a figure looks at: encodings at positions, through panels of so many pixels (rows, columns).

    Without panels a figure computes every number; with them no more than can be seen. Limits, facts and messages are
    those of every number either way.
    """

    encodings: tuple[E_co, ...]
    positions: Positions
    panels: tuple[tuple[int, int], ...] | None = None

    @property
    def encoding(self) -> E_co:
        """The only encoding."""
        return self.encodings[0]

    def of(self, encoding: E) -> View[E]:
        """Return the view of one of the encodings alone."""
        return View((encoding,), encoding.own_positions or self.positions, self.panels)

    @property
    def covered(self) -> Positions:
        """The rows of the first encoding's table; the positions themselves where it has none."""
        first = self.encodings[0]
        return first.covered(self.positions) if isinstance(first, TableEncoding) else self.positions

    @property
    def pixel_rows(self) -> int | None:
        """Pixels of every panel from top to bottom, or None for no limit."""
        return None if self.panels is None else min(rows for rows, _ in self.panels)

    @property
    def pixel_columns(self) -> int | None:
        """Pixels of every panel from left to right, or None for no limit."""
        return None if self.panels is None else min(columns for _, columns in self.panels)

    @property
    def line_points(self) -> int | None:
        """How many points of a line the first panel shows: two a pixel; None: every one."""
        return None if self.pixel_columns is None else 2 * self.pixel_columns

    @property
    def pixel_side(self) -> int | None:
        """Pixels of every panel's shorter side, or None for no limit."""
        return None if self.panels is None else min(map(min, self.panels))


def check_indices(option: str, given: Iterable[int] | None, view: View[Encoding], count: int, what: str) -> None:
    """Refuse a number of a dimension or pair that the only encoding does not have."""
    beyond = [index for index in given or () if index >= count]
    if beyond:
        text = f"{option_text(option, beyond[0])} does not exist: {view.encoding.title()} has {what} 0 to {count - 1}"
        raise UsageError(text, option=option, value=beyond[0])


def chosen_indices(
    option: str, given: Iterable[int] | None, view: View[Encoding], count: int, what: str, most: int
) -> Array:
    """Return the numbers of pairs or the like that are asked for, else at most so many from the first to the last."""
    check_indices(option, given, view, count, what)
    if given is not None:
        return np.array(given)
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def places_option(help: str, **more: Any) -> Any:
    """Return the field of the positions asked for, as numbers or as rows and columns of a grid."""
    return option(None, f"{help}; in a grid also row x column, 3x5", place=True, **more)


MEASURE_NAMES = {  # understood, not listed
    "manhattan": "cityblock",
    "l1": "cityblock",
    "l2": "euclidean",
    "cosine_similarity": "cos",
    "cosine_distance": "cosine",
    "dot_product": "dot",
    "inner_product": "dot",
    "pearson": "corr",
}


def choice_of_measure(default: str | None, help: str, **more: Any) -> Any:
    """Return a field that is a measure, by its name or another that people know; `more` as `option` takes it."""
    return option(default, help, choices=lambda: tuple(MEASURES), names=MEASURE_NAMES, **more)


def measure_option(default: str | None) -> Any:
    """Return the field measure of all that compare rows by one; without a default where each figure has its own."""
    similarities = ", ".join(name for name, measure in MEASURES.items() if measure.similarity)
    help = f"how two rows are compared: {similarities} are similarities, the others distances"
    unset = {"unset": "each figure's own"} if default is None else {}
    return choice_of_measure(default, help, flags=("-m",), aliases=("metric",), **unset)


def positions_at(places: Iterable[int | str], view: View[Encoding]) -> Array:
    """Return the positions asked for, each once; raises UsageError for one that is not shown."""
    rows, found = view.covered, [view.encoding.position_at(place) for place in places]
    for at in found:
        if not rows.start <= at < rows.stop:
            text = f"{option_text('at', at)} is outside the positions shown, {rows.start} to {rows.stop - 1}"
            raise UsageError(text, option="at", value=at)
    return np.array(list(dict.fromkeys(found)), dtype=np.float64)


def refuse_unused(options: Mapping[str, Any], why: str) -> None:
    """Refuse options that are given where nothing looks at them."""
    for name, value in options.items():
        raise UnusedOptionError(name, value, why)


def positions_until(last: int, asked: Positions, default: int, in_use: bool, why: str) -> Positions:
    """Return the positions up to the last that is shown, or those asked for if they go on.

    Raises UsageError for others than those of the default length, unless in_use : a formula depends on the length
    """
    given = asked.changed({"length": default})
    refuse_unused({name: value for name, value in given.items() if name != "length" or not in_use}, why)
    if "length" in given and asked.length > last:
        return asked
    return Positions(length=min(max(last + 1, 1), MAX_LENGTH))


@dataclass(frozen=True)
class Numbers(Generic[E_co]):
    """The numbers behind a picture or a report as a table: arrays `over` dimensions, and facts; some stand `aside`."""

    view: View[E_co]

    def arrays(self) -> dict[str, Array]:
        """Return all arrays by name."""
        every = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in every.items() if isinstance(value, np.ndarray)}

    def facts(self) -> dict[str, Any]:
        """Return the key numbers, for ``--json``."""
        facts: dict[str, Any] = {}
        specs = [encoding.spec() for encoding in self.view.encodings]
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple) and field.metadata.get("over") == Over(("encoding",)):
                facts[field.name] = dict(zip(specs, value, strict=True))
            elif isinstance(value, (int, float, str, tuple, dict)) and not field.metadata:
                facts[field.name] = value
        return facts

    def remarks(self) -> list[str]:
        """Return what the reader has to know about how the picture was made; mostly nothing."""
        return []

    def other_lengths(self) -> list[str]:
        """Return of each encoding whose formula depends on the length in use what holds there, and what at others."""
        texts = zip(short_names(self.view.encodings), (e.other_lengths() for e in self.view.encodings), strict=True)
        return [say("join.of_encoding", encoding=name, text=text) for name, text in dict.fromkeys(texts) if text]

    def marks(self) -> list[str]:
        """Return the key to marks that nothing else explains."""
        return []

    def caption(self) -> str:
        """Return the key to marks and the remarks in one line."""
        return join_clauses([*self.marks(), *self.remarks()])

    def message(self) -> str:
        """Return the headline: one short sentence on what there is to see, or nothing."""
        return ""

    def messages(self) -> list[str]:
        """Return the headlines of the parts of a composed picture, where they differ."""
        return []

    def limits(self) -> Limits | None:
        """Return the values at the ends of the colours, or None where colours mean nothing."""
        return None

    def coloured(self) -> list[Array]:
        """Return arrays of what the colours show, enough of them to tell percentiles."""
        return [] if self.limits() is None else [self.main]

    def shown(self) -> Sequence[tuple[str, Numbers[Any]]]:
        """Return the numbers whose colours have limits, each with the label of its part."""
        return [("", self)]

    def limited(self, choose: Callable[[Limits, Sequence[Array]], Limits]) -> Self:
        """Return the numbers under the limits chosen from theirs and from what is coloured."""
        limits = self.limits()
        return self if limits is None else self.with_limits(*choose(limits, self.coloured()))

    def with_limits(self, low: float, high: float) -> Self:
        """Return the numbers under other limits of the colours."""
        return self

    def placed(self, grid: Sequence[Sequence[int]]) -> Self:
        """Return the numbers with parts that are named by where their panels stand; grid : panels, row by row."""
        return self

    def difference(self, other: Self, reach: Limits | None) -> Self:
        """Return the difference of two such numbers, as numbers.

        reach : the smallest and the largest of all differences; None where they are too many to know
        """
        raise UsageError("a difference is for one image of the same size each: try heatmap or distance")

    @property
    def main_array(self) -> str:
        """The name of the main array."""
        return Sheet(self).main.field

    @property
    def main(self) -> Array:
        """The main array."""
        main: Array = getattr(self, self.main_array)
        return main

    @property
    def always_long(self) -> bool:
        """Whether a file has a row a number, or several facts of one thing, whatever is asked."""
        return Sheet(self).always_long

    def sheet(self, long: bool = False) -> tuple[list[str], list[Array]]:
        """Return header and columns of a CSV file."""
        header, columns = Sheet(self).written(long)
        if "encoding" in header:
            specs = [encoding.label or encoding.spec() for encoding in self.view.encodings]
            columns[header.index("encoding")] = np.array(specs, dtype=object)[columns[header.index("encoding")]]
        return header, columns


@dataclass(frozen=True)
class Parts:
    """Numbers as a file is written from them: those of some rows after the other, or all at once.

    make : gives the numbers from a row on
    starts : the first rows of all parts
    length : rows of all parts together, None of one part
    """

    make: Callable[[int], Numbers[Any]]
    starts: range = range(1)
    length: int | None = None

    @cached_property
    def first(self) -> Numbers[Any]:
        """The first part."""
        return self.make(0)

    def __iter__(self) -> Iterator[Numbers[Any]]:
        return map(self.make, track(self.starts, "writing"))


@dataclass(frozen=True)
class Analysis(Options, Generic[E], ABC):
    """Base of figures and reports. A subclass is one file: its options as fields, `compute`, and how it is shown.

    E is what it requires: the capability that an encoding must have, or several, ``Additive | Rotary``.
    """

    name: ClassVar[str]
    defines: ClassVar[str] = ""  # what its numbers are, two lines at the end of its help
    row_meanings: ClassVar[Mapping[str, str]] = {}  # and what each row of a report is
    example: ClassVar[str]
    examples: ClassVar[tuple[str, ...]] = ()  # further lines for its help
    requires: ClassVar[Any] = Encoding  # E as a value, for `issubclass`
    several: ClassVar[bool] = False  # takes more than one encoding
    default_encoding: ClassVar[str] = "sinusoidal"  # the encoding where none is named
    default_options: ClassVar[Mapping[str, Any]] = {}  # its own defaults of parameters and positions: {"d": 8}
    length_help: ClassVar[str] = ""  # how many positions there are, where something else than that option says it
    config_layers: ClassVar[str] = ""  # which layers of a config.json it looks at where none are named
    specs_are_arguments: ClassVar[bool] = False  # on the command line the encodings stand without --encoding
    one_table: ClassVar[bool] = True  # the numbers are one array with coordinates, so .npy and .csv can hold them
    frame_option: ClassVar[str] = ""  # whose values are a frame each where a picture moves and nothing else is swept
    drawn: ClassVar[bool] = True  # a picture, not text
    composed: ClassVar[bool] = False  # made of other figures
    length_in_use: ClassVar[bool] = False  # where no length is given it is that of encodings that depend on one
    copies: ClassVar[int] = COPIES  # arrays of its `shape` that live at once while it computes, measured

    @classmethod
    def takes(cls, encoding: type[Encoding]) -> bool:
        """Return whether this can show encodings of that kind."""
        return issubclass(encoding, cls.requires)

    @classmethod
    def moving(cls, given: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the values of its `frame_option` where a picture moves and none are given; mostly none."""
        return ()

    def made_of(self) -> Sequence[Analysis[Any]]:
        """Return what computes of each encoding: itself, or the figures that it is made of."""
        return [self]

    def variant(self, view: View[Any]) -> Analysis[Any]:
        """Return what computes and draws that view: itself, or another of its variants."""
        return self

    @classmethod
    def variants(cls) -> tuple[type[Analysis[Any]], ...]:
        """Return the classes behind the command: mostly one, else each with the same options and numbers of its own."""
        return (cls,)

    @classmethod
    def refusal(cls, encoding: type[Encoding]) -> str:
        """Return why it does not take encodings of that kind."""
        needed = " or ".join(kind.gives for kind in get_args(cls.requires) or [cls.requires])
        return f"{cls.name} cannot show {encoding.name}: it has no {needed}"

    def notes(self) -> list[str]:
        """Return warnings on how the options were understood, one line each; mostly none."""
        return []

    def default_length(self, rows: int | None) -> int:
        """Return the length where none is given; rows : what the encodings say, as a table from a file does, if any."""
        own = self.default_options.get("length")
        if own is not None:
            return min(own, rows or own)
        return rows or Positions.options()["length"].default

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        """Return the positions that it looks at where these are given; in_use : a formula depends on the length."""
        return asked

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        """Return the shape of the largest array that `compute` makes, to check memory beforehand: mostly the table."""
        return (view.covered.length, view.encoding.width)

    def parts(self, view: View[E]) -> Parts | None:
        """Return all numbers some rows at a time, so that a file of any length is written in bounded memory; None where
        they are made at once."""
        return None

    def check_view(self, view: View[E]) -> None:
        """Refuse encodings or positions that cannot be shown (UsageError)."""
        if len(view.encodings) > 1 and not self.several:
            text = f"{self.name} takes one encoding, {len(view.encodings)} are given: try pecli compare"
            raise UsageError(text, option="encoding")
        for encoding in view.encodings:
            if isinstance(encoding, TableEncoding):
                encoding.check_positions(view.positions)

    @abstractmethod
    def compute(self, view: View[E]) -> Numbers[E]:
        """Return the numbers to show."""
