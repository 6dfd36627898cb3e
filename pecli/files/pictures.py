"""Drawings as files, byte for byte reproducible, and as pixels."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from pecli.core.errors import escaped
from pecli.core.lazy import Array, np
from pecli.files.metadata import FileMetadata

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from PIL.Image import Image

DARK_INKS = {  # colours of text and lines, and their replacements in dark mode
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

PIXELATED = b' style="image-rendering:crisp-edges;image-rendering:pixelated"'  # removed: makes some cells a pixel wider
NON_ASCII = re.compile(rb"[^ -~\n]+")  # also control characters


def png(drawing: Drawing, about: FileMetadata) -> bytes:
    """Return a PNG file; the job is a text chunk."""
    from PIL.PngImagePlugin import PngInfo

    texts, buffer = PngInfo(), io.BytesIO()
    for name, text in {**_with_alt_text(about, "Description"), "pecli": about.job}.items():
        texts.add_text(name, text or "")
    image = pixels_of(drawing, drawing.dpi)
    image.save(buffer, "png", pnginfo=texts, dpi=(drawing.dpi, drawing.dpi), compress_level=COMPRESSION)
    return buffer.getvalue()


def pdf(drawing: Drawing, about: FileMetadata) -> bytes:
    """Return a PDF file."""
    return _saved(drawing, "pdf", pdf_metadata(about))


def pdf_metadata(about: FileMetadata) -> dict[str, Any]:
    """Return the metadata of a PDF, without a date: the job is its subject, the alt text is in its keywords."""
    return {**_with_alt_text(about, "Keywords"), "Subject": about.job, "CreationDate": None}


def svg(drawing: Drawing, about: FileMetadata) -> bytes:
    """Return an SVG file that can be embedded beside others: with unique ids, its own style, and a description."""
    from html import escape

    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": about.id_prefix}):
        data = _saved(drawing, "svg", {**_with_alt_text(about), "Description": about.job, "Date": None})
    salt = about.id_prefix.encode()
    head, end, body = data.partition(b"</metadata>")  # leave the job in the metadata unchanged
    head = head[head.index(b"<svg ") :] if about.inline else head
    head = head.replace(b"<svg ", b'<svg id="' + salt + b'" role="img" ', 1)
    text = b"<desc>" + escape(escaped(about.sentence, "\n"), quote=False).encode() + b"</desc>\n <metadata>"
    head = head.replace(b"<metadata>", text, 1)
    rules = dark_rules(about.id_prefix).encode() if about.adaptive else b""
    body = NON_ASCII.sub(lambda found: escaped(found[0].decode(), "\n").encode(), body)  # comments contain drawn text
    body = body.replace(b'<style type="text/css">*{', b'<style type="text/css">' + rules + b"#" + salt + b" *{", 1)
    body = re.sub(rb'(\bid="|xlink:href="#|url\(#)', rb"\g<1>" + salt + b"-", body.replace(PIXELATED, b""))
    return head + end + body


def dark_rules(salt: str) -> str:
    """Return CSS that replaces colours in dark mode; programs without CSS media queries show the drawing unchanged.

    salt : id of the SVG element that the rules apply to
    """
    rules = (
        f'#{salt} [style*="{what}: {ink}"] {{{what}: {dark} !important}} '
        for ink, dark in DARK_INKS.items()
        for what in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme: dark) {{{''.join(rules)}}} "


def _with_alt_text(about: FileMetadata, place: str = "") -> dict[str, str | None]:
    """Return metadata with the title and, under the key `place`, the alt text; empty texts are left out."""
    item = (("Title", about.title), (place, about.sentence))
    return {name: escaped(text, "\n") for name, text in item if name and text}


def _saved(drawing: Drawing, format: str, metadata: dict[str, str | None], **options: Any) -> bytes:
    buffer = io.BytesIO()
    drawing.savefig(buffer, format=format, metadata=metadata, **options)
    return buffer.getvalue()


COMPRESSION = 4  # level: without alpha, files are as small as at level 6 with alpha, in 0.7 of the time
COLOURS = 120  # colours of a palette: they look the same as 256, in files a third smaller
EXACT_COLOURS = 8  # colours that stay exact: the most frequent and the darkest ones (white paper, black text)
RARE_COLOURS = 8  # colours that would otherwise be farthest from the palette, such as those of a colour bar alone
SAMPLED = 1 << 22  # pixels from which a palette is chosen
MEASURED = 50_000  # most colours whose distance from the palette is measured


def pixels_of(drawing: Drawing, dpi: float) -> Image:
    """Return the drawing as pixels, as RGB if nothing is transparent."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = drawing.canvas if isinstance(drawing.canvas, FigureCanvasAgg) else FigureCanvasAgg(drawing)
    drawing.savefig(io.BytesIO(), format="rgba", dpi=dpi)
    image = Image.fromarray(np.asarray(canvas.renderer.buffer_rgba()))
    return image.convert("RGB") if image.getchannel("A").getextrema() == (255, 255) else image


def image_of(drawing: Drawing, dpi: int, opaque: bool = True) -> Image:
    """Return the drawing as pixels, on a white ground if `opaque`."""
    from PIL import Image

    image = pixels_of(drawing, dpi).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB") if opaque else image


def palette_of(images: Sequence[Image], most: int = COLOURS) -> Palette:
    """Return the palette that fits these images best; rare colours, such as those of a diagonal, count more."""
    from PIL import Image

    width, height = images[0].size
    step = max(1, ceil(sqrt(len(images) * width * height / SAMPLED)))
    strip = Image.fromarray(np.concatenate([np.asarray(image)[::step, ::step] for image in images]))
    counted: Any = strip.getcolors(strip.width * strip.height)  # (count, colour)
    counted.sort(key=lambda item: (-item[0], item[1]))
    counts, colours = (np.array(part) for part in zip(*counted, strict=True))
    weighed = np.repeat(colours.astype(np.uint8), np.ceil(np.cbrt(counts)).astype(int), axis=0)
    image = Image.fromarray(weighed[None])
    usual = most - EXACT_COLOURS - RARE_COLOURS
    others = image.quantize(usual, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    found = np.array(others.getpalette() or [], dtype=np.int32).reshape(-1, 3)[:usual]
    exact = [*colours[: EXACT_COLOURS - 1], colours[colours.sum(axis=-1).argmin()]]
    palette = np.concatenate([np.array(exact, dtype=np.int32), found])
    some = colours[:: max(1, len(colours) // MEASURED)].astype(np.int32)
    away = np.full(len(some), np.iinfo(np.int32).max)  # squared distances from the palette
    for at in range(most):
        if at >= len(palette):
            palette = np.concatenate([palette, some[[away.argmax()]]])
        away = np.minimum(away, ((some - palette[at]) ** 2).sum(axis=-1))
    return Palette(palette)


class Palette:
    """A palette, shape (n, 3), red, green and blue from 0 to 255. Every pixel gets the nearest colour.

    Pillow's own lookup is approximate: white may become a grey that is also in the palette.
    """

    def __init__(self, colours: Array) -> None:
        self.colours = colours
        self._nearest = np.full(1 << 24, -1, dtype=np.int16)  # cache: index of the nearest colour for every RGB value

    def of(self, image: Image) -> Image:
        """Return the image with every pixel in the nearest colour of the palette."""
        from PIL import Image

        packed = np.asarray(image, dtype=np.int32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.int32)
        new = np.unique(packed[self._nearest[packed] < 0])
        levels = np.stack([new >> 16, new >> 8 & 255, new & 255], axis=-1)
        distances = (self.colours**2).sum(axis=-1) - 2 * levels @ self.colours.T  # up to a constant for each pixel
        self._nearest[new] = distances.argmin(axis=-1)
        result = Image.frombytes("P", image.size, self._nearest[packed].astype(np.uint8).tobytes())
        result.putpalette(self.colours.astype(np.uint8).tobytes())
        return result


def png_bytes(image: Image) -> bytes:
    """Return the image as an optimised PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, "png", optimize=True)
    return buffer.getvalue()
