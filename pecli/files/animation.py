"""Several pictures in one file: animated GIF and WebP, an HTML page with sliders, a PDF with pages."""

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
from pecli.files.metadata import FileMetadata
from pecli.files.pictures import Palette, image_of, palette_of, png_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from PIL.Image import Image


class SweptOption(NamedTuple):
    """An option that differs between frames.

    texts : label of each of its values
    number : whether the values are numbers, chosen with a slider; otherwise with a menu
    """

    name: str
    texts: tuple[str, ...]
    number: bool


class Frame(NamedTuple):
    """One picture: the drawing, its label, the command that draws it alone, and its headline."""

    drawing: Drawing
    label: str
    line: str
    message: str = ""


@dataclass(frozen=True)
class Animation:
    """Frames of equal layout; the last swept option varies fastest.

    dpi : pixels per inch; an HTML page also has each picture with twice as many
    seconds : duration of each frame
    times : number of times the animation plays, None for endlessly
    map : function that applies a function to each drawing, possibly in several processes
    """

    frames: tuple[Frame, ...]
    swept: tuple[SweptOption, ...]
    dpi: int
    seconds: float
    times: int | None
    map: Callable[[Callable[[Drawing], Any], list[Drawing]], Iterable[Any]] = map

    @property
    def drawings(self) -> list[Drawing]:
        """The drawings of all frames."""
        return [frame.drawing for frame in self.frames]

    def images(self, opaque: bool = True) -> list[Image]:
        """Return the pixels of every frame, on a white ground if `opaque`."""
        return list(self.map(partial(image_of, dpi=self.dpi, opaque=opaque), self.drawings))


XMP = (  # where programs look for the description of a picture
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>{title}</dc:title><dc:description>{job}</dc:description>"
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
)


GIF_COLOURS = 56  # half the bytes of a palette for a single picture


def gif(animation: Animation, about: FileMetadata) -> bytes:
    """Return a GIF file with the job as its comment; one palette for all frames keeps colours from flickering."""
    images = animation.images()
    palette = palette_of(images, GIF_COLOURS)
    frames = [palette.of(image) for image in images]
    loop = {} if animation.times == 1 else {"loop": (animation.times or 1) - 1}  # number of repeats, 0 for endless
    return _saved("gif", frames, animation, comment=about.job.encode(), optimize=False, **loop)


def webp(animation: Animation, about: FileMetadata) -> bytes:
    """Return a lossless WebP file; the job is its XMP description."""
    from PIL import features

    if not features.check("webp"):
        raise PecliError("this installation of Pillow cannot write .webp: use .gif")
    images = animation.images(opaque=False)
    text = XMP.format(title=escape(about.title, quote=False), job=escape(about.job, quote=False)).encode()
    return _saved("webp", images, animation, xmp=text, lossless=True, method=3, loop=animation.times or 0)


def _saved(format: str, frames: list[Any], animation: Animation, **how: Any) -> bytes:
    buffer = io.BytesIO()
    first, *others = frames
    first.save(buffer, format, save_all=True, append_images=others, duration=round(1000 * animation.seconds), **how)
    return buffer.getvalue()


TEMPLATE = Path(__file__).with_name("frames.html")


def html(animation: Animation, about: FileMetadata) -> bytes:
    """Return an HTML page with controls to choose a picture; without JavaScript all pictures are listed."""
    template = TEMPLATE.read_text(encoding="utf-8")
    style, script = (_hash(template.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]) for tag in ("style", "script"))
    button = (
        f'<button type="button" data-done="{escape(say("page.copied"))}" hidden>{escape(say("page.copy"))}</button>'
    )
    figures = []
    for frame, image in zip(animation.frames, _images(animation, about.id_prefix), strict=True):
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
        controls="\n".join(map(_control, animation.swept)),
        figures="".join(figures),
    )
    return page.encode()


def pdf(animation: Animation, about: FileMetadata) -> bytes:
    """Return a PDF file with one page per picture, and with one set of metadata, as for a single picture."""
    from matplotlib.backends.backend_pdf import PdfPages

    buffer = io.BytesIO()
    with PdfPages(buffer, metadata=pictures.pdf_metadata(about)) as pages:
        for drawing in animation.drawings:
            pages.savefig(drawing)
    return buffer.getvalue()


def _hash(text: str) -> str:
    """Return the hash that the page's content security policy needs to allow its one script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _control(option: SweptOption) -> str:
    name = escape(option.name)
    if option.number:
        texts, last = escape(json.dumps(option.texts)), len(option.texts) - 1
        slider = f'<input type="range" min="0" max="{last}" value="0" data-texts="{texts}">'
        return f"<label>{name} {slider}<output>{escape(option.texts[0])}</output></label>"
    options = "".join(f"<option>{escape(text)}</option>" for text in option.texts)
    return f"<label>{name} <select>{options}</select></label>"


def _images(animation: Animation, salt: str) -> Iterator[str]:
    """Yield the HTML attributes of each image: an SVG if that is smaller, otherwise a PNG at single and double size.

    salt : prefix of the ids inside an SVG
    """
    small = animation.images()
    palette = palette_of(small)
    as_svg = partial(_svg, salt=salt)
    as_png = partial(_png, dpi=2 * animation.dpi, palette=palette)
    size = 'width="{}" height="{}"'.format(*small[0].size)
    first = animation.drawings[0]
    if len(as_svg(first)) < len(png_bytes(palette.of(small[0]))) + len(as_png(first)):
        for svg in animation.map(as_svg, animation.drawings):
            yield f'{size} src="{_data("svg+xml", svg)}"'
        return
    for image, large in zip(small, animation.map(as_png, animation.drawings), strict=True):
        png = _data("png", png_bytes(palette.of(image)))
        yield f'{size} src="{png}" srcset="{_data("png", large)} 2x"'


def _svg(drawing: Drawing, salt: str) -> bytes:
    return pictures.svg(drawing, FileMetadata("{}", salt))


def _png(drawing: Drawing, dpi: int, palette: Palette) -> bytes:
    return png_bytes(palette.of(image_of(drawing, dpi)))


def _data(kind: str, data: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
