"""What every encoding is: name, formula, parameters, text; and the capabilities that it derives from."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, ClassVar, Self, TypeVar

from pecli.core.errors import UsageError, option_text
from pecli.core.language import Join, capitalised, join_title, listing, say
from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks, minus
from pecli.core.options import EXACT, Option, Options, option
from pecli.core.positions import Bins, Positions
from pecli.core.progress import track
from pecli.files.tables import file_label

SIDES, TIMES = re.compile(r"\d+(x\d+)+"), str.maketrans({"x": " × "})  # of a grid, and how pictures write it
COUNTED = {
    "words.positions": "encoding.count_positions",
    "grids.rows_or_columns": "encoding.rows_or_columns",
    "grids.units_of_scaled_coordinates": "encoding.units_of_scaled_coordinates",
}
LISTED = 12  # numbers that a title still lists


def width_option(default: int | None, help: str, at_most: int = 65536, **more: Any) -> Any:
    """Return the field d, wherever the width is free."""
    flags, aliases = ("-d", "--d-model"), ("dim", "head_dim", "hidden_size", "width")
    return option(default, help, at_least=1, at_most=at_most, flags=flags, aliases=aliases, common=True, **more)


def tensor_option() -> Any:
    """Return the field tensor, of all whose numbers may come from a file."""
    help = "name of the table in the file, or how it ends"
    return option(None, help, unset="found by the usual names")


def check_tensor(file: str | None, tensor: str | None) -> None:
    """Refuse the name of a table where no file is named."""
    if file is None and tensor is not None:
        text = f"{option_text('tensor', tensor)} names a table in a file"
        raise UsageError(text, option="tensor", value=tensor, advice="give --file too")


@dataclass(frozen=True)
class Encoding(Options, ABC):
    """A position encoding by name: a rule with its parameters as fields. What it can do are its `capabilities`.

    Class attributes describe it wherever encodings are listed; nothing else repeats them.
    """

    what: ClassVar[str] = "parameter"
    name: ClassVar[str]  # the word on the command line
    summary: ClassVar[str]  # one line
    formula: ClassVar[str]
    source: ClassVar[str]  # with its section and arXiv number
    example: ClassVar[str]  # a command that shows it
    kind: ClassVar[str]  # where it enters the model
    gives: ClassVar[str]  # what it can do, a word for the message where that is not enough
    models: ClassVar[str] = "none known"  # who uses it
    term: ClassVar[str] = ""  # how papers write it, where that is not the name: RoPE
    aliases: ClassVar[tuple[str, ...]] = ()  # what others call it, understood and not listed
    trained: ClassVar[bool] = False  # its numbers are learned, not given by the formula
    extrapolates: ClassVar[bool] = True  # it goes on beyond the positions it was made for

    position_label: ClassVar[str] = "encoding.position_p"  # on an axis
    other_label: ClassVar[str] = "encoding.position_q"  # where two positions are compared
    rows_counted: ClassVar[str] = "words.count_positions"  # so many rows of its table
    position_unit: ClassVar[str] = ""  # of bare numbers, where ticks are not written in the encoding's own terms
    tick_steps: ClassVar[tuple[int, ...]] = ()  # round numbers of positions, where they are not powers of ten

    label: str | None = option(None, "name in the picture", unset="its name and parameters", in_spec=True)

    @classmethod
    def read_values(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return super().read_values(values)
        except UsageError as error:
            if item := cls.options().get(error.option or ""):
                beside = item.only_with and values.get(item.only_with[0])
                error.owner = f"{cls.name} with {item.only_with[0]}={beside}" if item.only_with and beside else cls.name
            raise

    def settings(self) -> dict[str, Any]:
        return {name: value for name, value in super().settings().items() if name != "label" or value is not None}

    def fitted(self, positions: Positions, used: int | None = None) -> Self:
        """This encoding with what it leaves open, such as a number of bits, settled by the positions.

        used : the length in use; that of a sequence that ends with the positions where none is given
        """
        return self

    @property
    def context(self) -> int | None:
        """The length in use where none is given, of a formula that depends on it; None of others."""
        return None

    def other_lengths(self) -> str:
        """Return what holds at the length in use and what at others, where the formula depends on it; else nothing."""
        return ""

    @classmethod
    def about(cls, parameter: str, value: str) -> str:
        """Return what a value of a parameter means, with formula and source, where its help does not tell."""
        return ""

    @classmethod
    def called(cls) -> str:
        """Return what it is called in a picture."""
        return say(cls.term or cls.name)

    @property
    def own_positions(self) -> Positions | None:
        """All positions, where the encoding says which there are, as a grid does; None where the user does."""
        return None

    def rows_from(self, start: int) -> int | None:
        """Return how many positions there are from that one on, as rows of a file; None where they do not end."""
        return None if self.own_positions is None else self.own_positions.length

    @property
    def sides(self) -> tuple[int, ...]:
        """How long the axes of the grid are whose cells the positions are, row by row; () of a line."""
        return ()

    @property
    def wave_unit(self) -> str:
        """What wavelengths are counted in."""
        return self.position_unit or "words.positions"

    @property
    def spacing(self) -> float:
        """How far a position is from the next."""
        return 1.0

    def places_of(self, positions: Array) -> Array:
        """Return positions (n,) by their coordinates, (axes, n): rows and columns of a grid, themselves on a line."""
        return positions[None]

    def position_at(self, place: int | str) -> int:
        """Return the position of a number, or of a row and column of the grid, 3x5; raises UsageError without one."""
        if isinstance(place, int):
            return place
        text = f"{option_text('at', place)}: {self.title()} has no grid"
        raise UsageError(text, option="at", value=place, advice="give positions as numbers, or --grid too")

    def position_text(self, position: float) -> str:
        """Return a position as its axis shows it."""
        return minus(f"{position:,.0f}" if float(position).is_integer() else f"{position:g}")

    def length_text(self, length: float) -> str:
        """Return a number of positions, such as a wavelength, as a legend shows it."""
        return f"{length:,.4g}" if length < 9999.5 else f"{length:,.0f}" if length < 1e7 else f"{length:.3g}"

    def spec(self, defaults: Mapping[str, Any] | None = None, without: Collection[str] = ()) -> str:
        """Return the text that gives this encoding again, also where `defaults` are defaults: ``sinusoidal:base=10``.

        without : parameters that are told elsewhere
        """
        changed, given = self.changed() | self.changed(defaults), []
        for name, item in self.options().items():
            if name in changed and name not in without:
                text = item.write(changed[name])
                given.append(f"{name}=" + (text if item.many else text.replace(",", r"\,")))  # no end of the value
        return self.name + (":" + ",".join(given) if given else "")

    def left_out(self) -> str:
        """Return which columns of a query or key a picture does not have; mostly nothing."""
        return ""

    def title(self, join: Join = listing) -> str:
        """Return the encoding in a title: its label, else what it is."""
        return self.label or self.described(join)

    def described(self, join: Join = listing) -> str:
        """Return the name and what was changed or is always shown: ``sinusoidal, d = 128, base = 10``."""
        return join(self.title_pieces())

    def title_pieces(self, without: Collection[str] = ()) -> list[str]:
        """Return what stands in a title, piece by piece: the name, ``base = 10``, but for these parameters."""
        if self.label:
            return [self.label]
        known, titled = self.options(), self.titled().items()
        return [
            self.called(),
            *(f"{key} = {titled_text(known[key], value)}" for key, value in titled if key not in without),
        ]

    def parameter_text(self, name: str) -> str:
        """Return what a title says of a parameter in place of ``name = value``; mostly nothing."""
        return ""

    def titled(self) -> dict[str, Any]:
        """Return the parameters that stand in a title."""
        given = {name: value for name, value in self.settings().items() if value is not None and name != "label"}
        known = self.options()
        return {name: value for name, value in given.items() if known[name].shown or value != known[name].default}


def titled_text(item: Option, value: Any) -> str:
    """Return a value inside a title: a number as ticks write it, 10,000, a long list by its length, a file by name."""
    if item.many:
        return say("encoding.numbers", count=len(value)) if len(value) > LISTED else item.write(value)
    if item.file:
        return file_label(value)
    whole = item.scalar in (int, float) and abs(value) < EXACT and float(value).is_integer()
    text = f"{int(value):,}" if whole else item.write(value)
    return text.translate(TIMES) if SIDES.fullmatch(text) else text


Own = TypeVar("Own", bound="TableEncoding")


def of_any_shape(table: Callable[[Own, Array], Array]) -> Callable[[Own, Array | float], Array]:
    """Return a `table` that takes positions of any shape (…) and gives (…, d) out of one for (length,)."""

    @wraps(table)
    def shaped(self: Own, positions: Array | float) -> Array:
        at = np.asarray(positions)
        return table(self, at.reshape(-1)).reshape(*at.shape, self.width)

    return shaped


@dataclass(frozen=True)
class TableEncoding(Encoding):
    """Every position has a vector: a row of the table."""

    gives: ClassVar[str] = "table"
    dimension_label: ClassVar[str] = "encoding.dimension"
    continuous: ClassVar[bool] = True  # moves little from one position to the next; else a line is drawn in steps

    @property
    @abstractmethod
    def width(self) -> int:
        """How many columns the table has (d)."""

    @abstractmethod
    def table(self, positions: Array) -> Array:
        """Return the encoding of each position, shape (length, d), float64, of positions (length,).

        pecli's own encodings take positions of any shape (…), and a number, too: (…, d), (d,). Raises UsageError where
        there is no row for a position.
        """

    def columns(self, dims: Array, first: int, count: int) -> Array:
        """Return some columns of the table at the positions first … first + count − 1, shape (len(dims), count)."""
        found = np.empty((len(dims), count))
        for part in chunks(0, count, self.width):
            positions = first + np.arange(part.start, part.stop, dtype=np.float64)
            found[:, part.start : part.stop] = self.table(positions)[:, dims].T
        return found

    def extremes(self, dims: Array, edges: Array) -> tuple[Array, Array] | None:
        """Return the smallest and largest value of some columns over runs of positions, each (len(dims), runs), where
        a formula has them without a look at every position; else None.

        edges : borders of the runs, whole numbers, shape (runs + 1,)
        """
        return None

    @property
    def signed(self) -> bool:
        """Whether values lie on both sides of 0, so that a diverging map fits."""
        return True

    @property
    def limit(self) -> float | None:
        """The largest absolute value that can occur, or None where only the numbers tell."""
        return None

    def covered(self, positions: Positions) -> Positions:
        """Return the rows of the table for a sequence at these positions: themselves, or the offsets between them.

        Raises UsageError where the table has no row for one of them.
        """
        return positions

    def check_positions(self, positions: Positions) -> None:
        """Refuse positions that are asked for and that the table has no rows for (UsageError)."""
        self.covered(positions)

    @cached_property
    def measured(self) -> dict[Any, Any]:
        """What was measured of the table, by what and its rows. Kept here: encodings of a changed file are equal."""
        return {}

    def cycle(self, most: int) -> Positions | None:
        """Return the positions after which all columns begin anew, if they do and are no more than so many."""
        return None

    def mean_table(self, blocks: Bins) -> Array:
        """Return the mean row of every block, shape (blocks, d), float64. Here by adding up, in bounded memory."""
        if blocks.size == 1:
            return self.table(blocks.firsts())
        rows = np.empty((blocks.count, self.width))
        runs = list(enumerate(zip(blocks.firsts(), blocks.counts(), strict=True)))
        for row, (first, count) in track(runs, f"averaging {self.name}: it has no closed form"):
            parts = chunks(0, int(count), self.width)
            sums = [self.table(first + np.arange(part.start, part.stop)).sum(axis=0) for part in parts]
            rows[row] = np.sum(sums, axis=0) / count
        return rows

    def dimension_names(self) -> list[str] | None:
        """Return what the columns mean one by one, or None where they are just numbered."""
        return None

    def column_formulas(self) -> list[str]:
        """Return every column in short, as a function of p; here an entry of a table W."""
        return [f"W[p,{column}]" for column in range(self.width)]

    def written_out(self, position: int, column: int) -> list[str]:
        """Return one entry of the table with its numbers put in, step by step: each text equals the next."""
        return [f"W[{position}, {column}]"]


@dataclass(frozen=True)
class Additive(TableEncoding):
    """Row p of the table is added to the embedding of the token at position p."""

    gives: ClassVar[str] = "position vector to add"
    kind: ClassVar[str] = "added to the embedding"


@dataclass(frozen=True)
class Rotary(TableEncoding):
    """Queries and keys are turned by their positions; the table is what one fixed vector becomes."""

    gives: ClassVar[str] = "rotation"
    kind: ClassVar[str] = "turns queries and keys"

    @property
    def turned(self) -> dict[str, str]:
        """The option that says what the table turns, where it is given; it means nothing where other vectors turn."""
        return {}

    @abstractmethod
    def rotate(self, x: Array, positions: Array) -> Array:
        """Return every vector of x, (…, length, d), turned by its position, (length,): the shape of x, float64.

        Raises UsageError where x has another width, or not one vector a position.
        """

    @abstractmethod
    def split(self, x: Array) -> tuple[Array, Array]:
        """Return the first and the second column of every pair, each (…, n_pairs), of x (…, d)."""

    @abstractmethod
    def rotation_written_out(self, x: Array, position: int, column: int) -> list[str]:
        """Return one entry of the turned x (d,) with its numbers put in, step by step: each text equals the next."""

    def rotation_matrix(self, position: float) -> Array:
        """R_p, shape (d, d): f(x, p) = R_p x. Block-diagonal where pairs are neighbours."""
        return self.rotate(np.eye(self.width)[:, None, :], np.array([position], dtype=np.float64))[:, 0, :].T


@dataclass(frozen=True)
class BiasEncoding(Encoding):
    """Every offset between a query and a key has a number a head, which is added to their score. No table."""

    gives: ClassVar[str] = "bias"
    kind: ClassVar[str] = "added to the score"

    @property
    def known(self) -> bool:
        """Whether `bias` gives the bias; else it is learned, and numbers stand for it that are not added to a score."""
        return True

    @property
    def quantity(self) -> str:
        """What `bias` gives: the bias, or what stands for it."""
        return "encoding.bias"

    @property
    @abstractmethod
    def n_heads(self) -> int:
        """How many heads, each with a bias of its own."""

    def head_text(self, head: int) -> str:
        """Return what a head is called, with what makes it differ from the others."""
        return say("encoding.head_head", head=head)

    @abstractmethod
    def bias(self, offsets: Array) -> Array:
        """Return what is added to the score of a query and a key, (n_heads, n), float64; −inf for keys it does not see.

        offsets : shape (n,), position of the query less that of the key, positions
        """


def ends_of(encodings: Sequence[Encoding], shown: Positions) -> tuple[float, float]:
    """Return the first and last position, as steps are counted where all of the encodings have one."""
    steps = {encoding.spacing for encoding in encodings}
    step = steps.pop() if len(steps) == 1 else 1
    return step * shown.start, step * (shown.stop - 1)


def common_pieces(encodings: Sequence[Encoding], without: Collection[str] = ()) -> list[str]:
    """Return what their titles have in common, without what is told elsewhere."""
    first, *others = (encoding.title_pieces(without) for encoding in encodings)
    return [text for text in first if all(text in other for other in others)]


def title_of_several(encodings: Sequence[Encoding]) -> str:
    """Return what they have in common, then what stands behind each label of the author's."""
    plain = [replace(encoding, label=None) for encoding in encodings]
    behind = zip(encodings, distinguishing_labels(plain) if len({*plain}) > 1 else [], strict=False)
    return join_title([*common_pieces(plain), *(f"{e.label}: {text}" for e, text in behind if e.label)])


def distinguishing_labels(
    encodings: Sequence[Encoding], without: Collection[str] = (), join: Join = listing
) -> list[str]:
    """Return what tells each from the others; the name of one that has nothing more than they all."""
    shared = common_pieces(encodings, without)
    if not shared and not without:
        return [encoding.title(join) for encoding in encodings]
    every = [encoding.title_pieces(without) for encoding in encodings]
    return [join(text for text in pieces if text not in shared) or pieces[0] for pieces in every]


def panel_titles(encodings: Sequence[Encoding], without: Collection[str] = ()) -> list[str]:
    """Return what tells each from the others, as the titles of panels: Sinusoidal · d = 128."""
    labels = zip(encodings, distinguishing_labels(encodings, without, join_title), strict=True)
    return [capitalised(text) if text.startswith(encoding.called()) else text for encoding, text in labels]


def full_names(encodings: Sequence[Encoding]) -> list[str]:
    """Return the name of each, with what tells it from others of the same name: T5, direction = causal."""
    names, short = [e.label or e.called() for e in encodings], short_names(encodings)
    return [name if name == text else listing([name, text]) for name, text in zip(names, short, strict=True)]


def names_in_sentence(encodings: Sequence[Encoding]) -> list[str]:
    """Return short names as nouns: RoPE, the sinusoidal encoding."""
    names = short_names(encodings)
    bare = [name == e.called() and (not e.term or " " in e.term) for e, name in zip(encodings, names, strict=True)]
    return [say("encoding.the_encoding", name=n) if own else n for n, own in zip(names, bare, strict=True)]


def short_names(encodings: Sequence[Encoding]) -> list[str]:
    """Return what tells each from the others in a sentence: its name, or else its parameters."""
    names = [encoding.label or encoding.called() for encoding in encodings]
    return names if len(set(names)) == len(names) or len(set(encodings)) == 1 else distinguishing_labels(encodings)
