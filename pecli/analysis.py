"""Base classes of figures and reports.

A `View` is the input: encodings and positions. `Numbers` are what is computed from it. An `Analysis` is a figure or a
report: it has the options, and computes numbers from a view.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args, get_origin, get_type_hints

from pecli.core.errors import UnusedOptionError, UsageError, option_text
from pecli.core.language import join_clauses, say
from pecli.core.lazy import Array, np
from pecli.core.memory import COPIES
from pecli.core.options import Options, option
from pecli.core.positions import MAX_LENGTH, Positions
from pecli.core.progress import track
from pecli.encodings.base import Encoding, TableEncoding, short_names
from pecli.encodings.registry import all_encodings
from pecli.files.sheet import Over, Sheet
from pecli.measures.pairwise import MEASURES

Limits = tuple[float, float]  # low, high
TAKEN_WHOLE = "a grid or a sequence always has all its positions"
E = TypeVar("E", bound=Encoding)
E_co = TypeVar("E_co", bound=Encoding, covariant=True)


@dataclass(frozen=True)
class View(Generic[E_co]):
    """The input of a figure: encodings, positions, and the size (rows, columns) of each panel in pixels.

    If `panels` is given, a figure computes at most one number per pixel; if it is None, every number. Limits, facts and
    messages always take every number into account.
    """

    encodings: tuple[E_co, ...]
    positions: Positions
    panels: tuple[tuple[int, int], ...] | None = None

    @property
    def encoding(self) -> E_co:
        """The first encoding; used where there is only one."""
        return self.encodings[0]

    def of(self, encoding: E) -> View[E]:
        """Return a view of `encoding` alone, at its own positions if it has any."""
        return View((encoding,), encoding.own_positions or self.positions, self.panels)

    @property
    def covered(self) -> Positions:
        """The rows of the first encoding's table, or the view's positions if it has no table."""
        first = self.encodings[0]
        return first.covered(self.positions) if isinstance(first, TableEncoding) else self.positions

    @property
    def pixel_rows(self) -> int | None:
        """The height in pixels of the panel with the fewest rows, or None for no limit."""
        return None if self.panels is None else min(rows for rows, _ in self.panels)

    @property
    def pixel_columns(self) -> int | None:
        """The width of the narrowest panel in pixels, or None for no limit."""
        return None if self.panels is None else min(columns for _, columns in self.panels)

    @property
    def line_points(self) -> int | None:
        """The number of points to compute for a line, two per pixel of panel width, or None for every point."""
        return None if self.pixel_columns is None else 2 * self.pixel_columns

    @property
    def pixel_side(self) -> int | None:
        """The shortest side of any panel in pixels, or None for no limit."""
        return None if self.panels is None else min(map(min, self.panels))


def check_indices(option: str, given: Iterable[int] | None, view: View[Encoding], count: int, what: str) -> None:
    """Raise UsageError if an index is not below `count`.

    option : the option that holds the indices, named in the error
    what : the plural noun for the error message, such as "pairs"
    """
    beyond = [index for index in given or () if index >= count]
    if beyond:
        text = f"{option_text(option, beyond[0])} does not exist: {view.encoding.title()} has {what} 0 to {count - 1}"
        raise UsageError(text, option=option, value=beyond[0])


def chosen_indices(
    option: str, given: Iterable[int] | None, view: View[Encoding], count: int, what: str, most: int
) -> Array:
    """Return the indices in `given`, or up to `most` evenly spaced indices below `count` if `given` is None.

    option, what : as in `check_indices`
    """
    check_indices(option, given, view, count, what)
    if given is not None:
        return np.array(given)
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def places_option(help: str, **more: Any) -> Any:
    """Return an option field for positions, given as numbers, as rows and columns of a grid, or as times.

    more : further arguments of `option`
    """
    return option(None, f"{help}; in a grid also row x column, 3x5; of a clock also a time, 3:15", place=True, **more)


MEASURE_NAMES = {  # accepted spellings that the help does not list
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
    """Return an option field for a measure, given by its name or a synonym; `more` is passed on to `option`."""
    return option(default, help, choices=lambda: tuple(MEASURES), names=MEASURE_NAMES, **more)


def measure_option(default: str | None) -> Any:
    """Return the option field `measure`; with `default` None, each figure has its own default."""
    similarities = ", ".join(name for name, measure in MEASURES.items() if measure.similarity)
    help = f"measure between two rows: {similarities} are similarities, the others distances"
    unset = {"unset": "each figure's own"} if default is None else {}
    return choice_of_measure(default, help, flags=("-m",), aliases=("metric",), **unset)


def positions_at(places: Iterable[int | str], view: View[Encoding]) -> Array:
    """Return the positions at these places without duplicates; raise UsageError if one is not shown."""
    rows, found = view.covered, [view.encoding.position_at(place) for place in places]
    for at in found:
        if not rows.start <= at < rows.stop:
            text = f"{option_text('at', at)} is outside the positions shown, {rows.start} to {rows.stop - 1}"
            raise UsageError(text, option="at", value=at)
    return np.array(list(dict.fromkeys(found)), dtype=np.float64)


def refuse_unused(options: Mapping[str, Any], why: str) -> None:
    """Raise UnusedOptionError if any options are given, because they have no effect here.

    why : the reason, for the error message
    """
    for name, value in options.items():
        raise UnusedOptionError(name, value, why)


def positions_until(last: int, asked: Positions, default: int, in_use: bool, why: str) -> Positions:
    """Return the positions 0 … `last`, or `asked` if its length was set and exceeds `last`.

    default : the length to treat as not set
    in_use : whether a formula depends on the length; if not, a length that was set raises UnusedOptionError
    why : the reason, for the error message
    """
    given = asked.changed({"length": default})
    refuse_unused({name: value for name, value in given.items() if name != "length" or not in_use}, why)
    if "length" in given and asked.length > last:
        return asked
    return Positions(length=min(max(last + 1, 1), MAX_LENGTH))


@dataclass(frozen=True)
class Numbers(Generic[E_co]):
    """The numbers behind a picture or a report: arrays with named dimensions, and facts (single results).

    A field made by `over` names the dimensions of its array; a field made by `aside` is left out of tables.
    """

    view: View[E_co]

    def arrays(self) -> dict[str, Array]:
        """Return every array by field name."""
        every = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in every.items() if isinstance(value, np.ndarray)}

    def facts(self) -> dict[str, Any]:
        """Return the scalar results by field name, for ``--json``."""
        facts: dict[str, Any] = {}
        specs = [encoding.spec() for encoding in self.view.encodings]
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple) and field.metadata.get("over") == Over(("encoding",)):
                facts[field.name] = dict(zip(specs, value, strict=True))
            elif isinstance(value, (int, float, str, tuple, dict)) and not field.metadata:
                facts[field.name] = value
        return facts

    def failure(self, figure: Any) -> str:
        """Return how the numbers violate a limit that an option such as --tolerance sets; "" if they do not."""
        return ""

    @classmethod
    def fact_types(cls) -> dict[str, Any]:
        """Return the type of every fact that `facts` can return, by field name."""
        hints, types = get_type_hints(cls, localns={"Array": list}), dict[str, Any]()
        for field in dataclasses.fields(cls):
            hint = hints[field.name]
            kind = next((part for part in get_args(hint) if type(None) in get_args(hint)), hint)  # a fact is not None
            if field.metadata.get("over") == Over(("encoding",)) and get_origin(kind) is tuple:
                types[field.name] = dict.__class_getitem__((str, get_args(kind)[0]))
            elif (get_origin(kind) or kind) in (bool, int, float, str, tuple, dict) and not field.metadata:
                types[field.name] = kind
        return types

    def remarks(self) -> list[str]:
        """Return notes for the footnote on how the picture was made; none by default."""
        return []

    def other_lengths(self, names: Sequence[str] = ()) -> list[str]:
        """Return a note on the rates at this and other lengths for each encoding whose rates depend on the length.

        names : one name per encoding; by default its short name
        """
        texts = zip(
            names or short_names(self.view.encodings), (e.other_lengths() for e in self.view.encodings), strict=True
        )
        return [say("join.of_encoding", encoding=name, text=text) for name, text in dict.fromkeys(texts) if text]

    def marks(self) -> list[str]:
        """Return explanations of marks in the picture that no legend explains."""
        return []

    def caption(self) -> str:
        """Return `marks` and `remarks` joined into one line."""
        return join_clauses([*self.marks(), *self.remarks()])

    def message(self) -> str:
        """Return the headline: one short sentence on what the picture shows, or ""."""
        return ""

    def messages(self) -> list[str]:
        """Return the headline of each part of a composed picture, or [] for other pictures."""
        return []

    def limits(self) -> Limits | None:
        """Return the values at the two ends of the colour scale, or None if the picture has no colour scale."""
        return None

    def coloured(self) -> list[Array]:
        """Return arrays of the values shown as colours, or a sample that is large enough for percentiles."""
        return [] if self.limits() is None else [self.main]

    def shown(self) -> Sequence[tuple[str, Numbers[Any]]]:
        """Return (label, numbers) for each part that has a colour scale of its own."""
        return [("", self)]

    def limited(self, choose: Callable[[Limits, Sequence[Array]], Limits]) -> Self:
        """Return a copy whose colour limits are `choose(limits, coloured arrays)`."""
        limits = self.limits()
        return self if limits is None else self.with_limits(*choose(limits, self.coloured()))

    def with_limits(self, low: float, high: float) -> Self:
        """Return a copy with the colour scale from `low` to `high`."""
        return self

    def placed(self, grid: Sequence[Sequence[int]]) -> Self:
        """Return a copy whose parts are named after the places of their panels.

        grid : indices of the panels, row by row
        """
        return self

    def difference(self, other: Self, reach: Limits | None, whole: Array | None = None) -> Self:
        """Return these numbers minus the numbers of `other`.

        reach : the smallest and the largest difference, or None if there are too many differences to compute
        whole : all differences, or None if there are too many
        """
        text = (
            "--difference needs a figure that is one image of the same size for each encoding: try heatmap or distance"
        )
        raise UsageError(text, option="difference")

    @property
    def main_array(self) -> str:
        """The field name of the main array."""
        return Sheet(self).main.field

    @property
    def main(self) -> Array:
        """The main array."""
        main: Array = getattr(self, self.main_array)
        return main

    @property
    def always_long(self) -> bool:
        """Whether a CSV file of these numbers is always in long format, with one row per number."""
        return Sheet(self).always_long

    def sheet(self, long: bool = False) -> tuple[list[str], list[Array]]:
        """Return the header and the columns of a CSV file; `long` asks for one row per number."""
        header, columns = Sheet(self).written(long)
        if "encoding" in header:
            specs = [encoding.label or encoding.spec() for encoding in self.view.encodings]
            columns[header.index("encoding")] = np.array(specs, dtype=object)[columns[header.index("encoding")]]
        return header, columns


@dataclass(frozen=True)
class Parts:
    """Numbers for a file, computed in parts of consecutive rows or all at once.

    make : returns the numbers of the part that starts at the given row
    starts : the first row of each part
    length : total number of rows, or None if there is only one part
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
    """Base class of figures and reports.

    A subclass has its options as fields, computes its numbers in `compute`, and makes its output. E is the capability
    that an encoding must have, or a union of several: ``Additive | Rotary``.
    """

    name: ClassVar[str]
    defines: ClassVar[str] = ""  # the definition of its numbers, at the end of its help
    row_meanings: ClassVar[Mapping[str, str]] = {}  # the meaning of each row of a report
    example: ClassVar[str]
    examples: ClassVar[tuple[str, ...]] = ()  # more examples for its help
    requires: ClassVar[Any] = Encoding  # E as a value, for `issubclass`
    several: ClassVar[bool] = False  # whether it takes more than one encoding
    compares: ClassVar[bool] = False  # whether a command line with only one encoding is an error
    default_encoding: ClassVar[str] = "sinusoidal"  # the encoding if none is named
    default_options: ClassVar[Mapping[str, Any]] = {}  # defaults of encoding and positions: {"d": 8}
    length_help: ClassVar[str] = ""  # help of --length if another option sets the number of positions
    config_layers: ClassVar[str] = ""  # kind of layer to read from a config.json if the spec names none
    specs_are_arguments: ClassVar[bool] = False  # whether encodings are given as words, without --encoding
    one_table: ClassVar[bool] = True  # whether all numbers fit one array, which .npy and .csv need
    frame_option: ClassVar[str] = ""  # option whose values become frames if nothing else is swept
    drawn: ClassVar[bool] = True  # whether its output is a picture, not text
    composed: ClassVar[bool] = False  # whether it is composed of other figures
    length_in_use: ClassVar[bool] = False  # whether the default length is the current sequence length
    copies: ClassVar[int] = COPIES  # how many arrays of this `shape` are in memory at once, as measured

    @classmethod
    def takes(cls, encoding: type[Encoding]) -> bool:
        """Return whether this analysis can show encodings of that class."""
        return issubclass(encoding, cls.requires)

    @classmethod
    def moving(cls, given: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the default values of `frame_option` in an animation, one per frame; by default none.

        given : the options that were given, by name
        """
        return ()

    def made_of(self) -> Sequence[Analysis[Any]]:
        """Return the analyses that compute the numbers: itself, or the figures that it is composed of."""
        return [self]

    def variant(self, view: View[Any]) -> Analysis[Any]:
        """Return the analysis that computes and draws this view: itself, unless a subclass has variants."""
        return self

    @classmethod
    def variants(cls) -> tuple[type[Analysis[Any]], ...]:
        """Return the classes that `variant` chooses from; they have the same options and different numbers."""
        return (cls,)

    @classmethod
    def refusal(cls, encoding: type[Encoding]) -> str:
        """Return the error message for an encoding class that this analysis cannot show."""
        known, kinds = all_encodings(), get_args(cls.requires) or (cls.requires,)
        taken = [name for name, kind in known.items() if cls.takes(kind)]
        if len(taken) == 1 or not {*kinds}.isdisjoint(known.values()):
            return f"{cls.name} shows {', '.join(taken)}, not {encoding.name}"
        return f"{cls.name} cannot show {encoding.name}, which has no {' or '.join(kind.gives for kind in kinds)}"

    @property
    def judges(self) -> bool:
        """Whether an option sets a limit that the numbers can violate (see `Numbers.failure`)."""
        return False

    def document_options(self) -> dict[str, Any]:
        """Return the given options that change only the document, not the numbers, with their values."""
        return {}

    def written_beside(self) -> Mapping[str, Analysis[Any]]:
        """Return analyses that are written beside the document, each by its suffix: "-solved" for sheet-solved.md."""
        return {}

    def notes(self) -> list[str]:
        """Return warnings about the options, one line each; none by default."""
        return []

    def default_length(self, rows: int | None) -> int:
        """Return the default number of positions.

        rows : the number of rows if the encodings determine it, as a table from a file does; otherwise None
        """
        own = self.default_options.get("length")
        if own is not None:
            return min(own, rows or own)
        return rows or Positions.options()["length"].default

    def positions_for(self, asked: Positions, in_use: bool = False) -> Positions:
        """Return the positions that the analysis uses if the user asks for `asked`.

        in_use : whether a formula depends on the length
        """
        return asked

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        """Return the shape of the largest array that `compute` makes; memory is checked for it beforehand.

        By default, it is the table's shape.
        """
        return (view.covered.length, view.encoding.width)

    def parts(self, view: View[E]) -> Parts | None:
        """Return all numbers in parts of a few rows, so that a long file needs bounded memory; None for all at once."""
        return None

    def check_view(self, view: View[E]) -> None:
        """Raise UsageError if the encodings or positions cannot be shown."""
        if len(view.encodings) > 1 and not self.several:
            text = f"{self.name} takes one encoding, but {len(view.encodings)} are given: try pecli compare"
            raise UsageError(text, option="encoding")
        for encoding in view.encodings:
            if isinstance(encoding, TableEncoding):
                encoding.check_positions(view.positions)

    @abstractmethod
    def compute(self, view: View[E]) -> Numbers[E]:
        """Return the numbers of the view."""
