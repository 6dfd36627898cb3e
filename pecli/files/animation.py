"""Many pictures in one file: animated GIF and WebP, an HTML page with sliders, a PDF of pages."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from pecli.core.errors import PecliError, escaped
from pecli.core.language import current_language, join_clauses, say
from pecli.files import pictures
from pecli.files.metadata import About
from pecli.files.pictures import Palette, image_of, palette_of, png_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from PIL.Image import Image


class SweptOption(NamedTuple):
    """An option whose values the frames have.

    texts : what is said of each value
    number : whether the values are numbers, to be run through; else words, to be chosen from
    """

    name: str
    texts: tuple[str, ...]
    number: bool


class Frame(NamedTuple):
    """One picture: what is drawn, what tells it from the others, the line that makes it alone, what there is to see."""

    drawing: Drawing
    label: str
    line: str
    message: str = ""


@dataclass(frozen=True)
class Animation:
    """The frames, the last of the swept options running fastest, all laid out alike.

    dpi : pixels an inch; a page has pictures of twice as many too
    seconds : that each frame is shown
    times : that it plays, None for ever
    map : applies a function to each drawing, in this process or several, as the builtin does
    """

    frames: tuple[Frame, ...]
    swept: tuple[SweptOption, ...]
    dpi: int
    seconds: float
    times: int | None
    map: Callable[[Callable[[Drawing], Any], list[Drawing]], Iterable[Any]] = map

    @property
    def drawings(self) -> list[Drawing]:
        """What is drawn on each frame."""
        return [frame.drawing for frame in self.frames]

    def images(self, opaque: bool = True) -> list[Image]:
        """Return the pixels of every frame; opaque on white."""
        return list(self.map(partial(image_of, dpi=self.dpi, opaque=opaque), self.drawings))


XMP = (  # where programs look for what a picture says of itself
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>{title}</dc:title><dc:description>{job}</dc:description>"
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
)


MOVING_COLOURS = 56  # of a GIF: half the bytes of what a picture that stands still has


def gif(film: Animation, about: About) -> bytes:
    """Return a GIF file under one palette, so that no colour flickers; the job is its comment."""
    images = film.images()
    palette = palette_of(images, MOVING_COLOURS)
    frames = [palette.of(image) for image in images]
    loop = {} if film.times == 1 else {"loop": (film.times or 1) - 1}  # how often it is repeated, 0 for ever
    return _saved("gif", frames, film, comment=about.job.encode(), optimize=False, **loop)


def webp(film: Animation, about: About) -> bytes:
    """Return a WebP file without loss; the job is its XMP description."""
    from PIL import features

    if not features.check("webp"):
        raise PecliError("this installation of Pillow cannot write .webp: write a .gif")
    images = film.images(opaque=False)
    text = XMP.format(title=escape(about.title, quote=False), job=escape(about.job, quote=False)).encode()
    return _saved("webp", images, film, xmp=text, lossless=True, method=3, loop=film.times or 0)


def _saved(format: str, frames: list[Any], film: Animation, **how: Any) -> bytes:
    buffer = io.BytesIO()
    first, *others = frames
    first.save(buffer, format, save_all=True, append_images=others, duration=round(1000 * film.seconds), **how)
    return buffer.getvalue()


TEMPLATE = Path(__file__).with_name("frames.html")


def html(film: Animation, about: About) -> bytes:
    """Return a page on which controls choose a picture; with scripts off every picture stands below the other."""
    template = TEMPLATE.read_text(encoding="utf-8")
    style, script = (_hash(template.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]) for tag in ("style", "script"))
    button = (
        f'<button type="button" data-done="{escape(say("page.copied"))}" hidden>{escape(say("page.copy"))}</button>'
    )
    figures = []
    for frame, image in zip(film.frames, _images(film, about.id_prefix), strict=True):
        message = join_clauses([frame.label, frame.message])
        alt = escape(escaped(say("page.message_sentence", message=message, sentence=about.sentence)))
        figures.append(
            f'<figure><img {image} alt="{alt}" decoding="sync">\n'
            f"<figcaption><code>{escape(frame.line)}</code>{button}</figcaption></figure>\n"
        )
    page = Template(template).substitute(
        policy=f"default-src 'none'; img-src data:; style-src {style}; script-src {script}",
        lang=current_language(),
        title=escape(escaped(about.title, "\n")),
        job=escape(about.job),
        controls="\n".join(map(_control, film.swept)),
        figures="".join(figures),
    )
    return page.encode()


def pdf(film: Animation, about: About) -> bytes:
    """Return a PDF of a page a picture, which says of itself what that of one picture does."""
    from matplotlib.backends.backend_pdf import PdfPages

    buffer = io.BytesIO()
    with PdfPages(buffer, metadata=pictures.pdf_metadata(about)) as pages:
        for drawing in film.drawings:
            pages.savefig(drawing)
    return buffer.getvalue()


def _hash(text: str) -> str:
    """Return what a policy calls the one script or style that it allows."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _control(option: SweptOption) -> str:
    name = escape(option.name)
    if option.number:
        texts, last = escape(json.dumps(option.texts)), len(option.texts) - 1
        slider = f'<input type="range" min="0" max="{last}" value="0" data-texts="{texts}">'
        return f"<label>{name} {slider}<output>{escape(option.texts[0])}</output></label>"
    options = "".join(f"<option>{escape(text)}</option>" for text in option.texts)
    return f"<label>{name} <select>{options}</select></label>"


def _images(film: Animation, salt: str) -> Iterator[str]:
    """Yield the attributes of every picture: as SVG where that is smaller, else as PNG for screens of two densities."""
    small = film.images()
    palette = palette_of(small)
    as_svg = partial(_svg, salt=salt)
    as_png = partial(_png, dpi=2 * film.dpi, palette=palette)
    size = 'width="{}" height="{}"'.format(*small[0].size)
    first = film.drawings[0]
    if len(as_svg(first)) < len(png_bytes(palette.of(small[0]))) + len(as_png(first)):
        for svg in film.map(as_svg, film.drawings):
            yield f'{size} src="{_data("svg+xml", svg)}"'
        return
    for image, large in zip(small, film.map(as_png, film.drawings), strict=True):
        png = _data("png", png_bytes(palette.of(image)))
        yield f'{size} src="{png}" srcset="{_data("png", large)} 2x"'


def _svg(drawing: Drawing, salt: str) -> bytes:
    return pictures.svg(drawing, About("{}", salt))


def _png(drawing: Drawing, dpi: int, palette: Palette) -> bytes:
    return png_bytes(palette.of(image_of(drawing, dpi)))


def _data(kind: str, data: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
