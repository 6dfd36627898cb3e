"""A drawing as the bytes of a file: the same bytes for the same picture, with its job inside."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pecli.core.still import still
from pecli.core.terminal import escaped
from pecli.files.about import About
from pecli.files.metadata import PNG_END

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

INK = "#1b1b1c"  # of lines and text in an SVG that follows light and dark; no colour of data is the same
DARK = (  # what turns it over on a dark page; programs that know no such rule show it as drawn
    "@media (prefers-color-scheme: dark) {{"
    '#{0} [style*="fill: {1}"] {{fill: #e4e4e4 !important}} '
    '#{0} [style*="stroke: {1}"] {{stroke: #e4e4e4 !important}}}} '
)

PIXELATED = b' style="image-rendering:crisp-edges;image-rendering:pixelated"'  # makes some cells a pixel wider
UNUSUAL = re.compile(rb"[^ -~\n]+")  # bytes of what is not plain ASCII


def png(drawing: Drawing, about: About) -> Iterator[bytes]:
    """Without its last chunk, before which the digest goes."""
    yield _saved(drawing, "png", {**_said(about, "Description"), "pecli": about.job, "Software": None}).removesuffix(
        PNG_END
    )


def pdf(drawing: Drawing, about: About) -> Iterator[bytes]:
    """The job is its subject, what is seen stands among the keywords, the only place left for it; no date."""
    yield _saved(drawing, "pdf", {**_said(about, "Keywords"), "Subject": about.job, "CreationDate": None})


def svg(drawing: Drawing, about: About) -> Iterator[bytes]:
    """Ready to stand in a page beside others: every name salted, its style for itself alone, told to screen readers."""
    from html import escape

    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": about.salt}):
        data = _saved(drawing, "svg", {**_said(about), "Description": about.job, "Date": None})
    salt = about.salt.encode()
    head, end, body = data.partition(b"</metadata>")  # what is said of the job stays as it is
    head = head[head.index(b"<svg ") :] if about.inline else head
    head = head.replace(b"<svg ", b'<svg id="' + salt + b'" role="img" ', 1)
    told = b"<desc>" + escape(escaped(about.sentence, "\n"), quote=False).encode() + b"</desc>\n <metadata>"
    yield head.replace(b"<metadata>", told, 1) + end
    rules = DARK.format(about.salt, INK).encode() if about.adaptive else b""
    body = UNUSUAL.sub(lambda found: escaped(found[0].decode(), "\n").encode(), body)  # remarks tell what was drawn
    body = body.replace(b'<style type="text/css">*{', b'<style type="text/css">' + rules + b"#" + salt + b" *{", 1)
    yield re.sub(rb'(\bid="|xlink:href="#|url\(#)', rb"\g<1>" + salt + b"-", body.replace(PIXELATED, b""))


def _said(about: About, place: str = "") -> dict[str, str | None]:
    """The title, and at that place the sentence, where there are any."""
    said = (("Title", about.title), (place, about.sentence))
    return {name: escaped(text, "\n") for name, text in said if name and text}


def _saved(drawing: Drawing, format: str, metadata: dict[str, str | None]) -> bytes:
    buffer = io.BytesIO()
    with still(drawing.axes):
        drawing.savefig(buffer, format=format, metadata=metadata)
    return buffer.getvalue()
