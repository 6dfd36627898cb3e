"""Tests of the sizes for conferences, journals and slides: widths, text sizes and their sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pecli
from pecli.page.canvas import Canvas
from pecli.page.venues import VENUES, Venue

USE = Path(__file__).parents[2] / "gallery" / "use.md"
SIZES = [  # name, width in inches, points of text, points of the headline
    ("icml", 3.25, 9, 10),
    ("icml-full", 6.75, 9, 10),
    ("neurips", 5.5, 9, 10),
    ("iclr", 5.5, 9, 10),
    ("acl", 3.0315, 10, 11),
    ("acl-full", 6.2992, 10, 11),
    ("aaai", 3.3125, 9, 10),
    ("aaai-full", 7, 9, 10),
    ("cvpr", 3.28125, 9, 10),
    ("cvpr-full", 6.875, 9, 10),
    ("eccv", 12.2 / 2.54, 9, 10),
    ("jmlr", 6, 10, 11),
    ("tmlr", 6.5, 9, 10),
    ("ieee", 252 / 72.27, 8, 10),
    ("ieee-full", 516 / 72.27, 8, 10),
    ("nature", 89 / 25.4, 7, 7),
    ("nature-full", 183 / 25.4, 7, 7),
    ("pnas", 8.7 / 2.54, 7, 9),
    ("pnas-middle", 11.4 / 2.54, 7, 9),
    ("pnas-full", 17.8 / 2.54, 7, 9),
    ("beamer", 14 / 2.54, 10, 11),
    ("beamer-full", 16 / 2.54, 10, 11),
    ("a4", 345 / 72.27, 9, 10),
    ("a4-full", 210 / 25.4, 9, 10),
]


@pytest.mark.parametrize(("size", "width", "text", "headline"), SIZES)
def test_a_venue_gives_width_and_text_size(size: str, width: float, text: float, headline: float) -> None:
    canvas = Canvas(size=size)
    assert canvas.inches.width == pytest.approx(width, abs=1e-4)
    assert canvas.inches.font == text and canvas.headline_size == pytest.approx(headline)
    assert canvas.inches.least <= canvas.small < text


def test_every_size_of_every_venue_is_in_the_table_above() -> None:
    assert {size for size, *_ in SIZES} == {
        f"{name}{ending}" for name, venue in VENUES.items() for ending, length in venue.widths.items() if length
    }


@pytest.mark.parametrize("venue", VENUES.values(), ids=VENUES)
def test_every_venue_names_its_source(venue: Venue) -> None:
    assert re.search(r"[.](sty|cls|com)", venue.source)


@pytest.mark.parametrize(("name", "venue"), VENUES.items())
def test_the_page_on_latex_lists_every_venue_with_its_numbers(name: str, venue: Venue) -> None:
    names = ", ".join(f"`{name}{ending}` {length}" for ending, length in venue.widths.items() if length)
    assert f"| {names} | {venue.text:g} pt | {venue.source} |" in USE.read_text(encoding="utf-8")


def test_a_pdf_has_the_width_of_the_column() -> None:
    data = pecli.figure("heatmap", d=4, length=5, size="ieee").render("pdf")[0]
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+)", data)
    assert box and float(box[1]) == pytest.approx(252 / 72.27 * 72, abs=0.01)


@pytest.mark.long
@pytest.mark.parametrize("dpi", [100, 150, 233])
@pytest.mark.parametrize("size", [(1600, 900), (801, 455)])
def test_a_size_in_pixels_is_that_of_the_file(size: tuple[int, int], dpi: int) -> None:
    from io import BytesIO

    from PIL import Image

    options = {"d": 4, "length": 5, "size": "{}x{}px".format(*size), "dpi": dpi}
    assert Image.open(BytesIO(pecli.figure("heatmap", **options).render("png")[0])).size == size
    if dpi == 150 and size[0] < 1000:
        moving = pecli.figure("heatmap", base=[10, 100], **options).render("gif")[0]
        assert Image.open(BytesIO(moving)).size == size
