"""Index pages of a batch file: all pictures with their commands in Markdown or HTML, or as pages of a PDF."""

from __future__ import annotations

import html
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pecli.core.errors import OutputError, PecliError, UnknownNameError, as_keys, escaped
from pecli.core.progress import track
from pecli.files.documents import plain_md
from pecli.files.writer import check_target, ending_of
from pecli.jobs.batch import Batch, Entry, path_inside
from pecli.jobs.inputs import with_relative_inputs
from pecli.jobs.job import Job
from pecli.jobs.picture import Picture, texts_in_file
from pecli.jobs.text import command
from pecli.page.style import without_date

Failures = Mapping[tuple[str, ...], PecliError]  # by the paths of the picture
NOT_DRAWN = "Not drawn"
SHOWN = ("png", "svg", "gif", "webp")
MARKS = {  # text near the start of each index; a page without it was written by the user
    ".md": "Every picture with the ",
    ".html": '<meta name="generator" content="pecli batch">\n',
    ".pdf": "(pecli batch)",
}

STYLE = """\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 2rem; }
figure { margin: 0; } img { width: 100%; height: auto; border: 1px solid #8886; }
img:not([src$=".svg"]) { background: #fff; }
code { font-size: 0.8rem; white-space: pre-wrap; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 0; }
"""


def page(batch: Batch, path: str, failures: Failures | None = None) -> bytes:
    """Return the index of the batch as Markdown, HTML or PDF, according to the extension of `path`.

    failures : errors of the jobs that could not be drawn, by their paths
    """
    made = PAGES[Path(path).suffix.lower()](batch, Path(path).parent, failures or {})
    return made if isinstance(made, bytes) else made.encode()


def page_path(batch: Batch, path: str, *, written: bool = True) -> str:
    """Return the path of an index page inside the batch's folder.

    Raises
    ------
    UsageError : the extension is unknown, or the path leaves the folder
    OutputError : the page cannot be written, or would replace a file that pecli did not make (checked if `written`)
    """
    ending = Path(path).suffix.lower()
    if ending not in PAGES:
        raise UnknownNameError("kind of index", ending, PAGES, option="index")
    target = path_inside(batch.folder, path, "index")
    if not written:
        return target
    check_target(target, option="index", example=f"index{ending}")
    if os.path.exists(target) and MARKS[ending].encode() not in Path(target).read_bytes():
        raise OutputError(f"{target} exists, but pecli batch did not make it: name another page, or move it away")
    return target


def _markdown(batch: Batch, folder: Path, failures: Failures) -> str:
    parts = [f"# {_one_line(batch.title)}", f"{MARKS['.md']}command that made it."]
    for entry in batch.entries:
        parts += [_head(entry), *(_picture(job, folder, failures) for job in entry.jobs)]
    return "\n\n".join(parts) + "\n"


def _head(entry: Entry) -> str:
    """Return the heading and the note of a figure, in Markdown."""
    return "\n\n".join(filter(None, [f"## {_one_line(entry.name)}", _text(entry.note)]))


def _picture(job: Job, folder: Path, failures: Failures) -> str:
    """Return one picture in Markdown: its command line, then the image and links to its other files, or the error."""
    parts = [f"```sh\n{_line(job, folder)}\n```"]
    if failure := _failure(job, failures):
        return "\n\n".join([*parts, plain_md(" ".join(failure.split()))])
    image, others = _files(job, folder)
    parts += [f"![{plain_md(texts_in_file(job)['alt'])}]({image})"] if image else []
    return "\n\n".join(filter(None, [*parts, ", ".join(f"[{path}]({path})" for path in others)]))


def _html(batch: Batch, folder: Path, failures: Failures) -> str:
    """Return an HTML page with a grid of all pictures; images load lazily."""
    from markdown_it import MarkdownIt  # a dependency of rich

    cells = (f"{_head(entry)}\n\n{_picture(job, folder, failures)}" for entry in batch.entries for job in entry.jobs)
    figures = "".join(f"<figure>\n{MarkdownIt().render(cell)}</figure>\n" for cell in cells)
    figures, title = figures.replace("<img ", '<img loading="lazy" '), _text(batch.title)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'{MARKS[".html"]}<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
        f"<style>\n{STYLE}</style>\n<h1>{title}</h1>\n<main>\n{figures}</main>\n</html>\n"
    )


def _pdf(batch: Batch, folder: Path, failures: Failures) -> bytes:
    """Return a PDF with each picture redrawn on a page of its own size; an animation has one page per frame."""
    from matplotlib.backends.backend_pdf import PdfPages

    buffer = io.BytesIO()
    about: dict[str, Any] = {"Title": batch.title, "Creator": "pecli batch", "CreationDate": None}
    with without_date(), PdfPages(buffer, metadata=about) as pages:
        for job in track(
            [job for job in batch.jobs if job.figure.drawn and job.paths not in failures], "drawing pages"
        ):
            Picture[Any](job).add_pages(pages)
    return buffer.getvalue()


def _failure(job: Job, failures: Failures) -> str:
    """Return why a job's picture is missing; "" if it is not missing."""
    failure = failures.get(job.paths)
    if failure is not None:
        return f"{NOT_DRAWN}: {failure.sentence(as_keys)}"
    return "" if all(map(os.path.exists, job.paths)) else f"{NOT_DRAWN} yet"


def _text(text: str) -> str:
    """Return a text for Markdown: its Markdown is kept, its HTML and control characters are escaped."""
    return html.escape(escaped(text, "\n"), quote=False)


def _one_line(text: str) -> str:
    return _text(" ".join(text.split()))


def _line(job: Job, folder: Path) -> str:
    """Return the job's command line, with paths relative to the page's folder."""
    return command(with_relative_inputs(job, folder), tuple(os.path.relpath(path, folder) for path in job.paths))


def _files(job: Job, folder: Path) -> tuple[str, list[str]]:
    """Return the job's first image file ("" if none) and its other files, relative to the page's folder."""
    paths = [quote(Path(os.path.relpath(path, folder)).as_posix()) for path in job.paths]
    image = next((path for path in paths if ending_of(path) in SHOWN), "")
    return image, [path for path in paths if path != image]


PAGES: dict[str, Callable[[Batch, Path, Failures], str | bytes]] = {".md": _markdown, ".html": _html, ".pdf": _pdf}
