"""The base class of all encodings (name, formula, parameters, texts), and base classes for what encodings can do."""

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

SIDES, TIMES = re.compile(r"\d+(x\d+)+"), str.maketrans({"x": " × "})  # 14x14 becomes 14 × 14
COUNTED = {
    "words.positions": "encoding.count_positions",
    "sinusoidal.timesteps": "sinusoidal.a_number_of_timesteps",
    "grids.rows_or_columns": "encoding.rows_or_columns",
    "grids.units_of_scaled_coordinates": "encoding.units_of_scaled_coordinates",
}
LISTED = 12  # most numbers that a title lists


def width_option(default: int | None, help: str, at_most: int = 65536, **more: Any) -> Any:
    """Return the option d, for encodings of any width; `more` are other attributes of the `Option`."""
    flags, aliases = ("-d", "--d-model"), ("dim", "head_dim", "hidden_size", "width")
    return option(default, help, at_least=1, at_most=at_most, flags=flags, aliases=aliases, common=True, **more)


def tensor_option() -> Any:
    """Return the option tensor, for encodings that can be read from a file."""
    help = "name of the table in the file, or the end of that name"
    return option(None, help, unset="a table with a usual name")


def check_tensor(file: str | None, tensor: str | None) -> None:
    """Raise UsageError if a tensor is named without a file."""
    if file is None and tensor is not None:
        text = f"{option_text('tensor', tensor)} names a table in a file, but no file is given"
        raise UsageError(text, option="tensor", value=tensor, advice="give --file too")


@dataclass(frozen=True)
class Encoding(Options, ABC):
    """A position encoding: a rule whose parameters are dataclass fields.

    Its base classes, such as `Rotary`, state what it can do. Its class attributes describe it in lists of encodings.
    """

    what: ClassVar[str] = "parameter"
    name: ClassVar[str]  # name on the command line
    summary: ClassVar[str]  # one line
    formula: ClassVar[str]
    source: ClassVar[str]  # paper, section and arXiv number
    example: ClassVar[str]  # a command that shows it
    kind: ClassVar[str]  # where it enters the model
    gives: ClassVar[str]  # what it provides, for messages about missing capabilities
    models: ClassVar[str] = "none known"  # models that use it
    term: ClassVar[str] = ""  # spelling in papers if not the name: RoPE
    aliases: ClassVar[tuple[str, ...]] = ()  # other names, accepted but not listed
    trained: ClassVar[bool] = False  # its numbers are learned, not computed
    extrapolates: ClassVar[bool] = True  # it is defined beyond the positions of training

    # the following are keys of texts, except the letter
    position_label: ClassVar[str] = "encoding.position_p"  # label of an axis of positions
    position_letter: ClassVar[str] = "p"  # short for a position, as in p = 5
    other_label: ClassVar[str] = "encoding.position_q"  # label of the second of two compared positions
    offset_label: ClassVar[str] = "words.offset_p_minus_q"  # label of the difference of two positions
    position_named: ClassVar[str] = "encoding.position_at"  # one position, in a sentence
    rows_counted: ClassVar[str] = "words.count_positions"  # a number of rows of the table: "7 positions"
    length_counted: ClassVar[str] = "words.count_positions"  # a number of positions that has no unit
    range_named: ClassVar[str] = "words.positions_to"  # the first and the last position
    position_unit: ClassVar[str] = ""  # unit of ticks that are plain numbers
    tick_steps: ClassVar[tuple[int, ...]] = ()  # step sizes of ticks if not powers of ten

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
        """Return the encoding with unset parameters, such as the number of bits, chosen to fit the positions.

        used : current sequence length; by default the end of the positions
        """
        return self

    @property
    def context(self) -> int | None:
        """Current sequence length, given or by default, if the formula depends on it; otherwise None."""
        return None

    def other_lengths(self) -> str:
        """Return a text on how the rates depend on the sequence length; "" if they are constant."""
        return ""

    @classmethod
    def about(cls, parameter: str, value: str) -> str:
        """Return what a value of a parameter means, with formula and source; "" if the option's help explains it."""
        return ""

    def called(self) -> str:
        """Return the name used in pictures."""
        return say(self.term or self.name)

    @property
    def own_positions(self) -> Positions | None:
        """All positions if the encoding defines them, as a grid does; None if the user chooses them."""
        return None

    def rows_from(self, start: int) -> int | None:
        """Return the number of positions from `start` on; None if there is no last position."""
        return None if self.own_positions is None else self.own_positions.length

    @property
    def sides(self) -> tuple[int, ...]:
        """Lengths of the axes of the grid whose cells are the positions, row by row; () if positions are on a line."""
        return ()

    @property
    def wave_unit(self) -> str:
        """Unit of wavelengths."""
        return self.position_unit or "words.positions"

    @property
    def spacing(self) -> float:
        """Distance between neighbouring positions."""
        return 1.0

    def places_of(self, positions: Array) -> Array:
        """Return the coordinates, (axes, n), of positions (n,): rows and columns in a grid, otherwise the positions."""
        return positions[None]

    def position_at(self, place: int | str) -> int:
        """Return the position for a number, a row and column, 3x5, or a time, 3:15.

        Raises UsageError without a grid or a clock.
        """
        if isinstance(place, int):
            return place
        time = ":" in place
        text = f"{option_text('at', place)}: the encoding has no {'times' if time else 'grid'} ({self.title()})"
        advice = "write positions as numbers, " + ("ranges as FIRST..LAST" if time else "or give --grid too")
        raise UsageError(text, option="at", value=place, advice=advice)

    def position_text(self, position: float) -> str:
        """Return a position in the encoding's notation, as on its axis."""
        return minus(f"{position:,.0f}" if float(position).is_integer() else f"{position:g}")

    def named_position(self, position: float) -> str:
        """Return a position in a sentence, such as "position 7"."""
        return say(self.position_named, position=self.position_text(position))

    def place(self, position: float) -> dict[str, str]:
        """Return a position as values for the placeholders of a text, such as {"position": "7", "at": "position 7"}."""
        return {"position": self.position_text(position), "at": self.named_position(position)}

    def counted(self, length: int) -> str:
        """Return a number of positions in a sentence, such as "7 positions"."""
        return say(self.length_counted, count=length)

    def length_text(self, length: float) -> str:
        """Return a number of positions, such as a wavelength, in the encoding's notation."""
        return f"{length:,.4g}" if length < 9999.5 else f"{length:,.0f}" if length < 1e7 else f"{length:.3g}"

    def spec(self, defaults: Mapping[str, Any] | None = None, without: Collection[str] = ()) -> str:
        """Return the spec that recreates this encoding, such as ``sinusoidal:base=10``.

        defaults : default values that replace the options' own
        without : parameters to leave out
        """
        changed, given = self.changed() | self.changed(defaults), []
        for name, item in self.options().items():
            if name in changed and name not in without:
                text = item.write(changed[name])
                # a comma would end the value
                given.append(f"{name}=" + (text if item.many else text.replace(",", r"\,")))
        return self.name + (":" + ",".join(given) if given else "")

    def left_out(self) -> str:
        """Return a note on the columns of a query or key that a picture leaves out; usually ""."""
        return ""

    def beside_others(self) -> str:
        """Return a note that a picture of several encodings needs, because its short names leave it out; usually ""."""
        return ""

    def title(self, join: Join = listing) -> str:
        """Return the text for a title: the label or, without one, the parts of the description joined by `join`."""
        return self.label or self.described(join)

    def described(self, join: Join = listing) -> str:
        """Return the name and the changed or always shown parameters, such as ``sinusoidal, d = 128, base = 10``.

        join : function that joins these parts
        """
        return join(self.title_pieces())

    def title_pieces(self, without: Collection[str] = ()) -> list[str]:
        """Return the parts of the encoding's title, such as its name and ``base = 10``, without some parameters."""
        if self.label:
            return [self.label]
        known, titled = self.options(), self.titled().items()
        return [
            self.called(),
            *(f"{key} = {titled_text(known[key], value)}" for key, value in titled if key not in without),
        ]

    def parameter_text(self, name: str) -> str:
        """Return a parameter's text in a title if that is not ``name = value``; usually ""."""
        return ""

    def titled(self) -> dict[str, Any]:
        """Return the parameters that a title shows."""
        given = {name: value for name, value in self.settings().items() if value is not None and name != "label"}
        known = self.options()
        return {name: value for name, value in given.items() if known[name].shown or value != known[name].default}


def titled_text(item: Option, value: Any) -> str:
    """Return a value as a title shows it: 10,000 with a comma, a long list as its length, a file as its name."""
    if item.many:
        return say("encoding.numbers", count=len(value)) if len(value) > LISTED else item.write(value)
    if item.file:
        return file_label(value)
    whole = item.scalar in (int, float) and abs(value) < EXACT and float(value).is_integer()
    text = f"{int(value):,}" if whole else item.write(value)
    return text.translate(TIMES) if SIDES.fullmatch(text) else text


Own = TypeVar("Own", bound="TableEncoding")


def of_any_shape(table: Callable[[Own, Array], Array]) -> Callable[[Own, Array | float], Array]:
    """Extend a `table` method for positions (length,) to positions of any shape (…); the result is (…, d)."""

    @wraps(table)
    def shaped(self: Own, positions: Array | float) -> Array:
        at = np.asarray(positions)
        return table(self, at.reshape(-1)).reshape(*at.shape, self.width)

    return shaped


@dataclass(frozen=True)
class TableEncoding(Encoding):
    """Base of encodings with a vector for every position: a row of the table."""

    gives: ClassVar[str] = "table"
    dimension_label: ClassVar[str] = "encoding.dimension"
    continuous: ClassVar[bool] = True  # values change little between positions; otherwise lines are drawn as steps

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of columns of the table (d)."""

    @abstractmethod
    def table(self, positions: Array) -> Array:
        """Return the encoding of each position, shape (length, d), float64, for positions (length,).

        pecli's own encodings accept positions of any shape (…) and return (…, d). Raises UsageError if there is no row
        for a position.
        """

    def columns(self, dims: Array, first: int, count: int) -> Array:
        """Return some columns of the table at the positions first … first + count − 1, shape (len(dims), count)."""
        found = np.empty((len(dims), count))
        for part in chunks(0, count, self.width):
            positions = first + np.arange(part.start, part.stop, dtype=np.float64)
            found[:, part.start : part.stop] = self.table(positions)[:, dims].T
        return found

    def extremes(self, dims: Array, edges: Array) -> tuple[Array, Array] | None:
        """Return exact minima and maxima of some columns over ranges of positions; None if no formula gives them.

        Both results have the shape (len(dims), n_ranges).

        dims : indices of the columns
        edges : first position of each range, and the position after the last range, whole numbers, shape (n_ranges +
            1,)
        """
        return None

    @property
    def signed(self) -> bool:
        """Whether there are positive and negative values, so that a diverging colour map fits."""
        return True

    @property
    def limit(self) -> float | None:
        """Largest possible absolute value; None if it depends on the data."""
        return None

    def covered(self, positions: Positions) -> Positions:
        """Return the rows of the table for a sequence at these positions: the positions, or the offsets between them.

        Raises UsageError if the table does not have all of these rows.
        """
        return positions

    def check_positions(self, positions: Positions) -> None:
        """Raise UsageError if the table has no rows for some of the requested positions."""
        self.covered(positions)

    @cached_property
    def measured(self) -> dict[Any, Any]:
        """Cache of measurements, by measure and rows.

        Each encoding has its own: two encodings of one file are equal, but the file may have changed between them.
        """
        return {}

    def cycle(self, most: int) -> Positions | None:
        """Return the positions of one common period of all columns, up to length `most`; None if there is none."""
        return None

    def mean_table(self, blocks: Bins) -> Array:
        """Return the mean row of every block, shape (blocks, d), float64, by default summed in bounded memory."""
        if blocks.size == 1:
            return self.table(blocks.firsts())
        rows = np.empty((blocks.count, self.width))
        runs = list(enumerate(zip(blocks.firsts(), blocks.counts(), strict=True)))
        for row, (first, count) in track(runs, f"averaging {self.name} row by row, as it has no closed form"):
            parts = chunks(0, int(count), self.width)
            sums = [self.table(first + np.arange(part.start, part.stop)).sum(axis=0) for part in parts]
            rows[row] = np.sum(sums, axis=0) / count
        return rows

    def dimension_names(self) -> list[str] | None:
        """Return the names of the columns; None if they are only numbered."""
        return None

    def column_formulas(self) -> list[str]:
        """Return a short formula of p for every column; by default an entry of a table W."""
        return [f"W[p,{column}]" for column in range(self.width)]

    def written_out(self, position: int, column: int) -> list[str]:
        """Return the steps that compute one table entry, such as ["cos(2 · ω1)", "cos(2 · 0.01)", "cos(0.02)"]."""
        return [f"W[{position}, {column}]"]


@dataclass(frozen=True)
class Additive(TableEncoding):
    """Base of encodings whose row p is added to the embedding of the token at position p."""

    gives: ClassVar[str] = "position vector to add"
    kind: ClassVar[str] = "added to the embedding"


@dataclass(frozen=True)
class Rotary(TableEncoding):
    """Base of encodings that rotate queries and keys by their positions.

    Row p of the table is one fixed vector, rotated to position p.
    """

    gives: ClassVar[str] = "rotation"
    kind: ClassVar[str] = "rotates queries and keys"

    @property
    def turned(self) -> dict[str, str]:
        """Non-default options of the vector that the table rotates; they have no effect on other vectors."""
        return {}

    @property
    def attention_scaling(self) -> float:
        """Factor by which rotated queries, and also rotated keys, are multiplied."""
        return 1.0

    @abstractmethod
    def rotate(self, x: Array, positions: Array) -> Array:
        """Return every vector of x (…, length, d) rotated by its position (length,); same shape as x, float64.

        Raises UsageError if x has another width, or not one vector per position.
        """

    def rotate_keys(self, x: Array, positions: Array) -> Array:
        """Return every key of x rotated by its position; most encodings rotate keys as they do queries."""
        return self.rotate(x, positions)

    @abstractmethod
    def split(self, x: Array) -> tuple[Array, Array]:
        """Return the first and the second column of every pair of columns of x (…, d); two arrays (…, n_pairs)."""

    @abstractmethod
    def rotation_written_out(self, x: Array, position: int, column: int) -> list[str]:
        """Return the steps that compute one entry of the rotated vector x (d,), as texts; see `written_out`."""

    def rotation_matrix(self, position: float) -> Array:
        """Return the matrix R_p, (d, d), of the rotation to position p, f(x, p) = R_p x.

        It is block-diagonal if pairs are neighbours.
        """
        return self.rotate(np.eye(self.width)[:, None, :], np.array([position], dtype=np.float64))[:, 0, :].T


@dataclass(frozen=True)
class BiasEncoding(Encoding):
    """Base of encodings without a table: a number for every head and offset is added to the score of query and key."""

    gives: ClassVar[str] = "bias"
    kind: ClassVar[str] = "added to the score"

    @property
    def known(self) -> bool:
        """Whether `bias` returns biases.

        If False, the biases are learned and unknown, and `bias` returns the class of each offset: the index of T5's
        bucket.
        """
        return True

    @property
    def quantity(self) -> str:
        """Key of the text that names what `bias` returns: biases, or classes of offsets such as T5's buckets."""
        return "encoding.bias"

    @property
    @abstractmethod
    def n_heads(self) -> int:
        """Number of heads, each with its own bias."""

    def head_text(self, head: int) -> str:
        """Return the name of a head and what distinguishes it from the others."""
        return say("encoding.head_head", head=head)

    @abstractmethod
    def bias(self, offsets: Array) -> Array:
        """Return the numbers added to the score of query and key, (n_heads, n), float64; −inf for masked keys.

        offsets : position of the query minus that of the key, (n,)
        """


def ends_of(encodings: Sequence[Encoding], shown: Positions) -> tuple[float, float]:
    """Return the first and last position of `shown`, multiplied by the spacing if all encodings have the same one."""
    steps = {encoding.spacing for encoding in encodings}
    step = steps.pop() if len(steps) == 1 else 1
    return step * shown.start, step * (shown.stop - 1)


def common_pieces(encodings: Sequence[Encoding], without: Collection[str] = ()) -> list[str]:
    """Return the parts that the titles of all encodings share; parameters in `without` are left out."""
    first, *others = (encoding.title_pieces(without) for encoding in encodings)
    return [text for text in first if all(text in other for other in others)]


def title_of_several(encodings: Sequence[Encoding]) -> str:
    """Return one title for all encodings: the parts that they share, then the other parts of each."""
    plain = [replace(encoding, label=None) for encoding in encodings]
    behind = zip(encodings, distinguishing_labels(plain) if len({*plain}) > 1 else [], strict=False)
    return join_title([*common_pieces(plain), *(f"{e.label}: {text}" for e, text in behind if e.label)])


def distinguishing_labels(
    encodings: Sequence[Encoding], without: Collection[str] = (), join: Join = listing
) -> list[str]:
    """Return for each encoding what distinguishes it from the others, or its name if nothing does.

    without : parameters to leave out
    join : function that joins several parameters
    """
    shared = common_pieces(encodings, without)
    if not shared and not without:
        return [encoding.title(join) for encoding in encodings]
    every = [encoding.title_pieces(without) for encoding in encodings]
    return [join(text for text in pieces if text not in shared) or pieces[0] for pieces in every]


def panel_titles(encodings: Sequence[Encoding], without: Collection[str] = ()) -> list[str]:
    """Return what distinguishes each encoding, as titles of panels, such as "Sinusoidal · d = 128"."""
    labels = zip(encodings, distinguishing_labels(encodings, without, join_title), strict=True)
    return [capitalised(text) if text.startswith(encoding.called()) else text for encoding, text in labels]


def full_names(encodings: Sequence[Encoding]) -> list[str]:
    """Return the name of each encoding and, if others have this name, what distinguishes the encodings.

    An example is "T5, direction = causal".
    """
    names, short = [e.label or e.called() for e in encodings], short_names(encodings)
    return [name if name == text else listing([name, text]) for name, text in zip(names, short, strict=True)]


def names_in_sentence(encodings: Sequence[Encoding]) -> list[str]:
    """Return short names as nouns, such as "RoPE" or "the sinusoidal encoding"."""
    names = short_names(encodings)
    bare = [name == e.called() and (not e.term or " " in e.term) for e, name in zip(encodings, names, strict=True)]
    return [say("encoding.the_encoding", name=n) if own else n for n, own in zip(names, bare, strict=True)]


def short_names(encodings: Sequence[Encoding]) -> list[str]:
    """Return a short name for each encoding in a sentence.

    If two names would be equal, the parameters that distinguish the encodings are used instead.
    """
    names = [encoding.label or encoding.called() for encoding in encodings]
    return names if len(set(names)) == len(names) or len(set(encodings)) == 1 else distinguishing_labels(encodings)
