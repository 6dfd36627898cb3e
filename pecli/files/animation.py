"""Frames that follow each other as the bytes of one file, with its job inside."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from functools import partial
from html import escape
from typing import Any

from pecli.core.errors import PecliError
from pecli.files.about import About
from pecli.files.film import DRAWING, Film
from pecli.files.metadata import GIF_END, seal
from pecli.files.pixels import image_of, palette_of, raster

XMP = (  # where programs look for what a picture says of itself
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>{title}</dc:title><dc:description>{job}</dc:description>"
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
)


def gif(film: Film, about: About) -> Iterator[bytes]:
    """Without its last byte, before which the digest goes; under one palette, so that no colour flickers."""
    images = [image_of(one) for one in film.each(partial(raster, dpi=film.dpi), film.drawings, DRAWING)]
    palette = palette_of(images)
    frames = [palette.of(image) for image in images]
    loop = {} if film.times == 1 else {"loop": (film.times or 1) - 1}  # how often it is repeated, 0 for ever
    yield _saved("gif", frames, film, comment=about.job.encode(), optimize=False, **loop).removesuffix(GIF_END)


def webp(film: Film, about: About) -> Iterator[bytes]:
    """Without loss; the digest is a chunk of its own, that the head of the file counts."""
    from PIL import features

    if not features.check("webp"):
        raise PecliError("this installation of Pillow cannot write .webp: write a .gif")
    images = [image_of(one, opaque=False) for one in film.each(partial(raster, dpi=film.dpi), film.drawings, DRAWING)]
    said = XMP.format(title=escape(about.title, quote=False), job=escape(about.job, quote=False)).encode()
    data = _saved("webp", images, film, xmp=said, lossless=True, method=3, loop=film.times or 0)
    size = struct.pack("<I", len(data) - 8 + len(seal("webp", b"")))
    yield data[:4] + size + data[8:]


def _saved(format: str, frames: list[Any], film: Film, **how: Any) -> bytes:
    buffer = io.BytesIO()
    first, *others = frames
    first.save(buffer, format, save_all=True, append_images=others, duration=round(1000 * film.seconds), **how)
    return buffer.getvalue()
