"""A drawing as the bytes of a file: the same bytes for the same picture, with its job inside."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pecli.files.metadata import PNG_END

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def png(drawing: Drawing, metadata: str, salt: str) -> Iterator[bytes]:
    """Without its last chunk, before which the digest goes."""
    yield _saved(drawing, "png", {"pecli": metadata, "Software": None}).removesuffix(PNG_END)


def pdf(drawing: Drawing, metadata: str, salt: str) -> Iterator[bytes]:
    """The job is its subject; no date."""
    yield _saved(drawing, "pdf", {"Subject": metadata, "CreationDate": None})


def svg(drawing: Drawing, metadata: str, salt: str) -> Iterator[bytes]:
    """With every id salted, so that two pictures can stand in one HTML page."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": salt}):
        data = _saved(drawing, "svg", {"Description": metadata, "Date": None})
    head, end, body = data.partition(b"</metadata>")  # what is said of the job stays as it is
    yield head + end
    yield re.sub(rb'(\bid="|xlink:href="#|url\(#)', rb"\g<1>" + salt.encode() + b"-", body)


def _saved(drawing: Drawing, format: str, metadata: dict[str, str | None]) -> bytes:
    buffer = io.BytesIO()
    drawing.savefig(buffer, format=format, metadata=metadata)
    return buffer.getvalue()
