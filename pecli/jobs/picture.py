"""The result of a job: its numbers, its picture, its files."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from typing import TYPE_CHECKING, Any, Generic, NotRequired, TypedDict, TypeVar, cast

from pecli.analysis import Numbers, Parts
from pecli.core.errors import UnknownNameError, UsageError, escaped
from pecli.core.language import (
    capitalised,
    finding,
    join_and,
    join_clauses,
    letters,
    listing,
    say,
    summary_of,
    use_language,
)
from pecli.core.lazy import Array, Axes
from pecli.core.options import write_scalar
from pecli.core.terminal import Document
from pecli.encodings.base import ends_of
from pecli.figures.base import Figure, range_text_of
from pecli.figures.grid import Grid
from pecli.files.animation import Animation, Frame, SweptOption
from pecli.files.documents import WIDTH, for_notebook
from pecli.files.formats import FORMATS, encode, encode_pieces
from pecli.files.metadata import FileMetadata, find_metadata
from pecli.files.numbers import json_value
from pecli.files.tables import file_label
from pecli.files.writer import check_target, is_stdout, write
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES, DECIMALS, SEPARATORS
from pecli.jobs.names import fill_texts
from pecli.jobs.text import command
from pecli.jobs.workers import map_in_order
from pecli.page.canvas import FEW, FPS, LABELS, SLOW, TEXTS, Canvas
from pecli.page.limits import footnotes, note_on_colours
from pecli.page.style import style_context
from pecli.reports.base import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pecli.page.sheet import Texts

MIME_TYPES = {  # of the formats that a notebook can show
    "png": "image/png", "svg": "image/svg+xml", "gif": "image/gif", "webp": "image/webp", "html": "text/html",
}  # fmt: skip
GROW = "this.style.height = this.contentDocument.documentElement.scrollHeight + 'px'"
N_co = TypeVar("N_co", bound=Numbers[Any], covariant=True)
WHOLE = 4096  # most rows and columns of cells in a vector file, whatever its size in pixels


class PictureTexts(TypedDict):
    """The texts of a picture."""

    headline: str
    finding: dict[str, Any]
    footnotes: list[str]
    alt: str


class JobData(PictureTexts):
    """The --json output for a job: its texts, options, digests of the files that it reads, and versions."""

    job: dict[str, Any]
    inputs: NotRequired[list[str]]
    pecli: str
    matplotlib: str
    numpy: str
    encodings: list[dict[str, Any]]


class Answer(JobData):
    """The --json output for one picture or report."""

    facts: dict[str, Any]


def answer_of(picture: Picture[Any]) -> Answer:
    """Return the --json output for one job: "headline", "finding", "footnotes", "alt", "job", "facts" and versions."""
    job, numbers = picture.job, picture.computed
    return {**job_data(job, texts_of(job, numbers)), "facts": json_value(numbers.facts())}


def job_data(job: Job, said: PictureTexts) -> JobData:
    """Return all settings of a job (None if unset), its encodings, inputs and versions, and the texts in `said`."""
    settings = {"command": job.figure.name, **job.settings()}
    encodings = [{"name": encoding.name, "spec": encoding.spec(), **encoding.settings()} for encoding in job.encodings]
    return cast("JobData", {**json.loads(job.metadata), "job": settings, "encodings": encodings, **said})


def texts_of(job: Job, numbers: Numbers[Any] | None = None) -> PictureTexts:
    """Return the texts of a picture, even if the picture omits them; "finding" is the headline as data.

    numbers : None if they were not computed; then only "alt" has a text
    """
    text, notes, found = "", list[str](), dict[str, Any]()
    if numbers is not None:
        with use_language(job.language):
            text, notes = numbers.message(), footnotes(numbers, job.canvas)
            text, found = capitalised(text), json_value(finding(text))
    return {"headline": text, "finding": found, "footnotes": notes, "alt": alt_text(job, numbers)}


def alt_text(job: Job, numbers: Numbers[Any] | None = None) -> str:
    """Return the alt text: the headline, what is drawn (figure, encodings, positions, options), and the footnotes.

    numbers : None if they were not computed; headline and footnotes are then missing
    """
    figure, positions = job.figure, job.view.positions
    with use_language(job.language):
        first, last = map(write_scalar, ends_of(job.encodings, positions))
        where = "" if job.own_positions else say(range_text_of(job.encodings), first=first, last=last)
        options, known = figure.changed(figure.default_options), figure.options()
        texts = {n: file_label(v) if known[n].file else known[n].write(v) for n, v in options.items() if v is not True}
        names = {name: name.replace("_", " ") for name in options}
        how = [
            say("join.of_encoding", encoding=names[name], text=texts[name]) if name in texts else names[name]
            for name in options
        ]
        clauses = join_clauses(
            [summary_of(figure.name, ANALYSES.summary(figure.name)), encoding_titles(job), where, *how]
        )
        said = ["", ""] if numbers is None else [numbers.message(), join_clauses(footnotes(numbers, job.canvas))]
        *before, last = filter(None, [said[0], clauses, said[1]])
        text = say("page.sentence", sentence=capitalised(last))
        for sentence in reversed(before):
            text = say("page.message_sentence", message=capitalised(sentence), sentence=text)
        return text


def texts_in_file(job: Job) -> PictureTexts:
    """Return the same texts as `texts_of`, read from the first of the job's files that has them, otherwise computed."""
    found = next((data for path in job.paths if (data := find_metadata(path)).get("alt")), None)
    if found is None:
        return texts_of(job)
    notes, facts = found.get("footnotes"), found.get("finding")
    return {
        "headline": str(found.get("headline") or ""),
        "finding": facts if isinstance(facts, dict) else {},
        "footnotes": list(map(str, notes)) if isinstance(notes, list) else [],
        "alt": str(found["alt"]),
    }


def encoding_titles(job: Job) -> str:
    """Return the titles of the encodings; for swept options, what the titles have in common, and the options' names."""
    if job.cells and isinstance(job.analysis, Figure):
        through = say("page.by_options", options=listing(name.replace("_", " ") for name in job.axes))
        return listing([job.analysis.title(job.view), through])
    return join_and(dict.fromkeys(encoding.title() for encoding in job.view.encodings))


@dataclass
class Picture(Generic[N_co]):
    """The result of a job. Numbers and drawings are computed on first use and kept.

    Attributes
    ----------
    job : the checked job
    workers : number of processes that draw the frames of a .gif, .webp or .html file
    numbers : every number behind the picture; its fields document shapes and units
    seen : the numbers that the picture shows, averaged to its pixels
    sizes : bytes written to each path, filled by `save`

    Raises
    ------
    UsageError : on first use, if the picture cannot be drawn or does not fit into memory
    OutputError : from `save`, if a file cannot be written
    """

    job: Job
    workers: int = 1
    sizes: dict[str, int] = field(default_factory=dict, init=False, compare=False)
    _numbers: Numbers[Any] | None = field(default=None, init=False, compare=False)
    _shown: Numbers[Any] | None = field(default=None, init=False, compare=False)

    def __repr__(self) -> str:
        return f"<pecli {self.job.figure.name}: {encoding_titles(self.job)}, length {self.job.view.positions.length:,}>"

    @property
    def figure(self) -> Figure[Any]:
        """The figure that draws; raises UsageError for a report, which has no picture."""
        if not isinstance(self.job.analysis, Figure):
            raise UsageError(f"{self.job.figure.name} is a report: it has numbers and no picture")
        return self.job.analysis

    @property
    def numbers(self) -> N_co:
        """Every number behind the picture, however large the table."""
        view, shown = self.job.view, self._shown
        if self._numbers is None and shown is not None and shown.view.panels is None:
            self._numbers = shown
        if self._numbers is None:
            self.job.check_memory(view)
            with use_language(self.job.language):
                self._numbers = self.job.analysis.compute(view)
        return cast(N_co, self._numbers)

    @property
    def seen(self) -> Numbers[Any]:
        """The numbers that the picture shows, averaged where there are more numbers than pixels."""
        if self._shown is None:
            if isinstance(self.job.figure, Figure):
                with self._style():
                    self._drawing()
            else:
                with use_language(self.job.language):
                    self._shown = self.job.figure.compute(self.job.display_view)
        assert self._shown is not None  # drawing has set it
        return self._shown

    @property
    def computed(self) -> Numbers[Any]:
        """The numbers for its files: every number if a file needs them, otherwise those that the picture shows."""
        job = self.job
        whole = job.figure.drawn and all(FORMATS[target.format].numbers for target in job.targets)
        return self.numbers if whole else self.seen

    @property
    def failure(self) -> str:
        """Why the numbers fail a condition that the figure's options set, such as a tolerance; "" if they do not."""
        with use_language(self.job.language):
            return self.computed.failure(self.job.figure) if self.job.figure.judges else ""

    @cached_property
    def notes(self) -> list[str]:
        """Notes for the user, one line each: how options were understood, and after drawing, what was drawn."""
        return self.job.figure.notes()

    @property
    def alt(self) -> str:
        """A description of the picture in a sentence or two, for ``alt=`` in a web page."""
        return alt_text(self.job, self.seen)

    def draw(self, axes: Axes) -> Axes:
        """Draw onto an existing Axes with the current matplotlib style; several panels share the space of the Axes.

        Parameters
        ----------
        axes : a 2-D matplotlib Axes with linear scales; the rest of its figure is left alone

        Returns
        -------
        the same Axes

        Raises
        ------
        UsageError : the Axes is not 2-D with linear scales
        """
        from pecli.figures.own_axes import check_axes, draw_on

        check_axes(axes)
        self.job.check_names()
        with use_language(self.job.language):
            self._shown = draw_on(self.figure, self.job.view, axes, self.job.canvas)
        return axes

    def to_dict(self) -> dict[str, Array]:
        """Return the numbers as named columns, as in a .csv file: ``pandas.DataFrame(picture.to_dict())``.

        Returns
        -------
        column names to arrays of shape (rows,)

        Raises
        ------
        UsageError : the figure has several tables; ``picture.numbers.arrays()`` returns them all
        """
        if not self.job.analysis.one_table:
            raise UsageError(f"{self.job.figure.name} has several tables: picture.numbers.arrays() has them by name")
        return dict(zip(*self.numbers.sheet(self.job.output.long), strict=True))

    def to_html(self) -> str:
        """Return the picture as an inline SVG with its alt text, or a report as HTML tables.

        Use it for ``mo.Html`` in marimo, ``IPython.display.HTML`` in Jupyter and Colab, and templates of web pages.
        """
        if isinstance(self.job.figure, Report):
            return for_notebook(self.document(WIDTH))["text/html"]
        text = self.render("svg")[0].decode()
        label = f'role="img" aria-label="{escape(escaped(self.alt, ""))}"'
        return text[text.index("<svg ") :].replace('role="img"', label, 1)

    def render(self, *formats: str) -> list[bytes]:
        """Return the bytes of the result in each format, identical on every call; pictures are drawn only once."""
        return list(map(b"".join, self._pieces(formats, Parts(lambda _: self.numbers))))

    def pieces(self, formats: Sequence[str]) -> list[Iterable[bytes]]:
        """Return the same files as `render`, each as an iterable of byte strings.

        If rows can be computed one by one, they are computed while the pieces are written, in bounded memory.
        """
        return self._pieces(formats, self.job.analysis.parts(self.job.view) or Parts(lambda _: self.numbers))

    def _pieces(self, formats: Sequence[str], parts: Parts) -> list[Iterable[bytes]]:
        for format in formats:
            if format not in FORMATS:
                raise UnknownNameError("output format", format, FORMATS, option="format")
            self.job.check_format(format)
        result: dict[str, Iterable[bytes]] = {}
        for kind in ("picture", "frames"):
            if several := [format for format in formats if self.job.kind_of(format) == kind]:
                with self._style():
                    drawn = self._animation(several) if kind == "frames" else self._drawing(several)
                    about = self._metadata(self.seen if kind == "picture" else None)
                    result |= {format: [encode(format, drawn, about, kind)] for format in several}
        for format in formats:
            if FORMATS[format].numbers:
                parts.first  # noqa: B018 - fail before anything is written if the numbers cannot be computed
            if not FORMATS[format].picture:  # a document has the width of a page, not of the terminal
                content = self.document(WIDTH) if FORMATS[format].document else parts
                result[format] = encode_pieces(format, content, self._metadata())
        return [result[format] for format in formats]

    def save(self, *paths: str | os.PathLike[str]) -> list[str]:
        """Write the result to the given paths (default: those of the job), each atomically, and return the paths."""
        job = self.job
        if paths:
            job = job.written_to(paths)
            job.check()
        write_files(job, self.pieces([target.format for target in job.targets]), self.sizes)
        return list(job.paths)

    def add_pages(self, pages: Any) -> None:
        """Append the picture to a matplotlib PdfPages, one page per frame if the job's files have frames."""
        with self._style():
            formats = ("pdf",)
            several = self._animation(formats).drawings if self.job.has_frames else [self._drawing(formats)]
            for drawing in several:
                pages.savefig(drawing)

    @property
    def canvas(self) -> Canvas:
        """The canvas, with placeholders in the user's texts filled in."""
        return fill_texts(self.job)

    def title(self) -> str:
        """Return the title as drawn; "" if there is none."""
        return self.canvas.final_text("title", {"title": self._own_title()})

    def caption(self) -> str:
        """Return the footnote, with remarks on how the picture was made; "" if there is none."""
        return self._page_texts().footnote

    def message(self) -> str:
        """Return the headline, the main finding of the picture; "" if there is none."""
        return self._page_texts().headline

    def _page_texts(self) -> Texts:
        from pecli.figures.page import words_of

        with use_language(self.job.language):
            return words_of(self._own_title(), self.seen, self.canvas)

    def _own_title(self) -> str:
        with use_language(self.job.language):
            return self.figure.title(self.job.display_view)

    @contextmanager
    def _style(self) -> Iterator[None]:
        self.job.check_names()
        with use_language(self.job.language):
            own = [getattr(self.canvas, name) or "" for name in (*TEXTS, *LABELS)]
            own += [encoding.label or "" for encoding in self.job.encodings]
            texts = " ".join([*own, self._own_title(), *self.figure.texts(), letters()])
            with style_context(self.job.canvas, texts) as notes:
                yield
        self._note(*notes)

    def _note(self, *notes: str) -> None:
        self.notes.extend(note for note in notes if note and note not in self.notes)

    def _drawing(self, formats: Sequence[str] = ()) -> Drawing:
        """Return the matplotlib figure for these formats; it has every cell of a matrix if all are vector formats."""
        from pecli.figures.page import draw_page

        title, cells = self._own_title(), vector_cells(formats)
        drawing, self._shown = draw_page(self.figure, self.job.view, self.canvas, title, cells)
        self._note(note_on_colours(self._shown, self.job.canvas))
        return drawing

    def _animation(self, formats: Sequence[str]) -> Animation:
        from pecli.figures.page import draw_frames

        grid, canvas = self.job.grid, self.canvas.changed_to(title=None, dpi=self.job.canvas.frame_dpi)
        titles = frame_titles(self.job, grid, grid.title_text)
        drawings, numbers = draw_frames(grid, self.job.view, canvas, titles, vector_cells(formats))
        self._shown, messages = numbers, numbers.messages()
        lines = [command(cell.alone()) for cell in self.job.cells]
        swept = []
        for axis in grid.axes:
            name = axis.name.replace("_", " ")
            swept.append(SweptOption(name, tuple(text.removeprefix(f"{name} = ") for text in axis.texts), axis.number))
        return Animation(
            frames=tuple(Frame(*frame) for frame in zip(drawings, grid.labels, lines, messages, strict=True)),
            swept=tuple(swept),
            dpi=canvas.dpi,
            seconds=1 / (canvas.fps or (FPS if len(drawings) > FEW else SLOW)),
            times=canvas.loops,
            map=partial(map_in_order, doing="drawing", count=self.workers),
        )

    def document(self, width: int) -> Document:
        """Return the document of a report, for lines of `width` characters; raise UsageError for a figure."""
        if not isinstance(self.job.figure, Report):
            raise UsageError(f"{self.job.figure.name} is a picture: it has nothing to read")
        with use_language(self.job.language):
            return list(self.job.figure.show(self.seen, width))

    def _metadata(self, shown: Numbers[Any] | None = None) -> FileMetadata:
        """Return the metadata for the job's files. It has a title even if the picture shows none.

        shown : the numbers that the picture shows; None for frames and documents
        """
        job, canvas = self.job, self.job.canvas
        title = self.title() or self._own_title() if isinstance(job.figure, Figure) else job.figure.name
        one_line = " ".join((title or summary_of(job.figure.name, ANALYSES.summary(job.figure.name))).split())
        alt = alt_text(job, shown)
        made = job.metadata if shown is None else json.dumps({**json.loads(job.metadata), **texts_of(job, shown)})
        about = FileMetadata(made, job.id_prefix(), one_line, alt, canvas.inline, canvas.adaptive, job.output.long)
        return about._replace(separator=SEPARATORS[job.output.csv_sep], decimal=DECIMALS[job.output.decimal])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return what a notebook displays: the picture as PNG or in the job's format, or a report as a table."""
        if isinstance(self.job.figure, Report):
            return for_notebook(self.document(WIDTH))
        format = self.job.output.format if self.job.output.format in MIME_TYPES else "png"
        data = self.render(format)[0]
        if format == "html":  # in a frame that grows to the height of the page
            page = f'<iframe srcdoc="{escape(data.decode())}" style="border: 0; width: 100%" onload="{GROW}"></iframe>'
            return {"text/plain": repr(self), "text/html": page}
        text = data.decode() if FORMATS[format].text else b64encode(data).decode()
        return {"text/plain": repr(self), MIME_TYPES[format]: text}


def write_files(job: Job, files: Sequence[Iterable[bytes]], sizes: dict[str, int]) -> None:
    """Write a job's files, each from its pieces, and record in `sizes` the bytes written to each path."""
    kept = kept_files(job)
    for (path, format), data in zip(job.targets, files, strict=True):
        if path not in kept:
            check_target(path, text=FORMATS[format].text)
            sizes[path] = write(path, data)


def kept_files(job: Job) -> list[str]:
    """Return the paths of a job's existing files that --no-clobber keeps."""
    return [path for path in job.paths if job.output.no_clobber and not is_stdout(path) and os.path.lexists(path)]


def vector_cells(formats: Sequence[str]) -> int:
    """Return the limit on rows, and on columns, of a matrix drawn in files of these formats.

    If any of the formats has pixels, return 0: the number of pixels is then the limit.
    """
    return WHOLE if formats and all(FORMATS[format].lines for format in formats) else 0


def frame_titles(job: Job, grid: Grid, title: str) -> list[str]:
    """Return the title of each frame; if some titles are equal, the label of each frame is appended to it."""
    own = [fill_texts(cell).final_text("title", {"title": title}) for cell in job.cells]
    if len(set(own)) == len(own) or job.axes == ("revealed",):  # frames of --reveal show what differs
        return own
    return [listing(both) for both in zip(own, grid.labels, strict=True)]
