"""A drawing as the bytes of a file, the same bytes for the same picture; and as pixels."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from pecli.core.errors import escaped
from pecli.core.lazy import Array, np
from pecli.files.metadata import About

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from PIL.Image import Image

DARK_INKS = {  # inks and lines of pecli's style, and what they are on a dark page
    "#16191d": "#f2f4f6",
    "#3b424a": "#d3d8dd",
    "#6a727b": "#a2aab3",
    "#8b939c": "#7c848d",
    "#b9c0c7": "#5a626b",
    "#e7eaed": "#33393f",
    "#1e5eae": "#6ea8f0",
    "#c44327": "#f07a5c",
    "#1b8880": "#43bdb2",
    "#c0841a": "#e0a843",
    "#72357e": "#c98fd6",
}

PIXELATED = b' style="image-rendering:crisp-edges;image-rendering:pixelated"'  # makes some cells a pixel wider
UNUSUAL = re.compile(rb"[^ -~\n]+")  # bytes of what is not plain ASCII


def png(drawing: Drawing, about: About) -> bytes:
    """Return a PNG file; the job is a text chunk of its own."""
    from PIL.PngImagePlugin import PngInfo

    texts, buffer = PngInfo(), io.BytesIO()
    for name, text in {**_with_alt_text(about, "Description"), "pecli": about.job}.items():
        texts.add_text(name, text or "")
    image = pixels_of(drawing, drawing.dpi)
    image.save(buffer, "png", pnginfo=texts, dpi=(drawing.dpi, drawing.dpi), compress_level=LEVEL)
    return buffer.getvalue()


def pdf(drawing: Drawing, about: About) -> bytes:
    """Return a PDF file."""
    return _saved(drawing, "pdf", pdf_metadata(about))


def pdf_metadata(about: About) -> dict[str, Any]:
    """Return what a PDF says of itself, without a date: the job is its subject, what is seen among the keywords."""
    return {**_with_alt_text(about, "Keywords"), "Subject": about.job, "CreationDate": None}


def svg(drawing: Drawing, about: About) -> bytes:
    """Return an SVG file to stand in a page beside others: every name salted, a style of its own, a description."""
    from html import escape

    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": about.id_prefix}):
        data = _saved(drawing, "svg", {**_with_alt_text(about), "Description": about.job, "Date": None})
    salt = about.id_prefix.encode()
    head, end, body = data.partition(b"</metadata>")  # what is said of the job stays as it is
    head = head[head.index(b"<svg ") :] if about.inline else head
    head = head.replace(b"<svg ", b'<svg id="' + salt + b'" role="img" ', 1)
    text = b"<desc>" + escape(escaped(about.sentence, "\n"), quote=False).encode() + b"</desc>\n <metadata>"
    head = head.replace(b"<metadata>", text, 1)
    rules = dark_rules(about.id_prefix).encode() if about.adaptive else b""
    body = UNUSUAL.sub(lambda found: escaped(found[0].decode(), "\n").encode(), body)  # remarks tell what was drawn
    body = body.replace(b'<style type="text/css">*{', b'<style type="text/css">' + rules + b"#" + salt + b" *{", 1)
    body = re.sub(rb'(\bid="|xlink:href="#|url\(#)', rb"\g<1>" + salt + b"-", body.replace(PIXELATED, b""))
    return head + end + body


def dark_rules(salt: str) -> str:
    """Return what turns inks over on a dark page; programs that know no such rule show them as drawn."""
    rules = (
        f'#{salt} [style*="{what}: {ink}"] {{{what}: {dark} !important}} '
        for ink, dark in DARK_INKS.items()
        for what in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme: dark) {{{''.join(rules)}}} "


def _with_alt_text(about: About, place: str = "") -> dict[str, str | None]:
    """Return the title, and at that place the sentence, where there are any."""
    item = (("Title", about.title), (place, about.sentence))
    return {name: escaped(text, "\n") for name, text in item if name and text}


def _saved(drawing: Drawing, format: str, metadata: dict[str, str | None], **options: Any) -> bytes:
    buffer = io.BytesIO()
    drawing.savefig(buffer, format=format, metadata=metadata, **options)
    return buffer.getvalue()


LEVEL = (
    4  # of compression: without an alpha channel files are as small as with one at 6, and written in 0.7 of the time
)
COLOURS = 120  # of a file: as many as the eye tells apart, and files a third smaller than with 256
EXACT = 8  # of these, the most frequent ones and the darkest, which stay as they are: the ground is white, text black
SAMPLED = 1 << 22  # pixels that tell the colours of all frames


def pixels_of(drawing: Drawing, dpi: float) -> Image:
    """Return the drawing as pixels, without transparency where nothing is transparent."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = drawing.canvas if isinstance(drawing.canvas, FigureCanvasAgg) else FigureCanvasAgg(drawing)
    drawing.savefig(io.BytesIO(), format="rgba", dpi=dpi)
    image = Image.fromarray(np.asarray(canvas.renderer.buffer_rgba()))
    return image.convert("RGB") if image.getchannel("A").getextrema() == (255, 255) else image


def image_of(drawing: Drawing, dpi: int, opaque: bool = True) -> Image:
    """Return the drawing as pixels; opaque on white."""
    from PIL import Image

    image = pixels_of(drawing, dpi).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB") if opaque else image


def palette_of(images: Sequence[Image], most: int = COLOURS) -> Palette:
    """Return so many colours that serve all of these best; rare ones count too, as those of a diagonal do."""
    from PIL import Image

    width, height = images[0].size
    step = max(1, ceil(sqrt(len(images) * width * height / SAMPLED)))
    strip = Image.fromarray(np.concatenate([np.asarray(image)[::step, ::step] for image in images]))
    counted: Any = strip.getcolors(strip.width * strip.height)  # how often, and which
    counted.sort(key=lambda item: (-item[0], item[1]))
    counts, colours = (np.array(part) for part in zip(*counted, strict=True))
    weighed = np.repeat(colours.astype(np.uint8), np.ceil(np.cbrt(counts)).astype(int), axis=0)
    image = Image.fromarray(weighed[None])
    others = image.quantize(most - EXACT, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    found = np.array(others.getpalette() or [], dtype=np.int32).reshape(-1, 3)[: most - EXACT]
    exact = [*colours[: EXACT - 1], colours[colours.sum(axis=-1).argmin()]]
    return Palette(np.concatenate([np.array(exact, dtype=np.int32), found]))


class Palette:
    """Colours, shape (n, 3), red, green and blue from 0 to 255; every pixel gets the nearest.

    Pillow looks for the nearest of a whole box of colours, so that white may become a grey that is in the palette too.
    """

    def __init__(self, colours: Array) -> None:
        self.colours = colours
        self._nearest = np.full(1 << 24, -1, dtype=np.int16)  # of each colour that was seen

    def of(self, image: Image) -> Image:
        """Return the image in these colours."""
        from PIL import Image

        packed = np.asarray(image, dtype=np.int32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.int32)
        new = np.unique(packed[self._nearest[packed] < 0])
        levels = np.stack([new >> 16, new >> 8 & 255, new & 255], axis=-1)
        distances = (self.colours**2).sum(axis=-1) - 2 * levels @ self.colours.T  # but for what is the same for all
        self._nearest[new] = distances.argmin(axis=-1)
        result = Image.frombytes("P", image.size, self._nearest[packed].astype(np.uint8).tobytes())
        result.putpalette(self.colours.astype(np.uint8).tobytes())
        return result


def png_bytes(image: Image) -> bytes:
    """Return the image as the smallest PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, "png", optimize=True)
    return buffer.getvalue()
