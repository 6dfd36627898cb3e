"""Tests of pictures for web pages: SVG with text, light and dark pages, and a transparent background."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex
from PIL import Image

import pecli
from pecli.core.language import say
from pecli.figures import FIGURES
from pecli.files.pictures import DARK_INKS
from pecli.page.colors import luminance
from pecli.page.style import style_context

Ask = Callable[..., Any]
SMALL: dict[str, Any] = {"d": 8, "length": 9, "dpi": 30, "size": "column"}
SVG = "{http://www.w3.org/2000/svg}"


def svg(figure: str = "curves", **options: Any) -> str:
    return pecli.figure(figure, **{**SMALL, **options}).render("svg")[0].decode()


@pytest.mark.long
def test_text_stays_text_where_it_is_asked_for() -> None:
    kept, drawn = (ElementTree.fromstring(svg(text=text)) for text in (True, False))
    words = {"".join(item.itertext()).strip() for item in kept.iter(f"{SVG}text")}
    assert {say("encoding.position_p"), say("curves.from_position_2", position=0)} <= words
    assert next(drawn.iter(f"{SVG}text"), None) is None


@pytest.mark.long
def test_inline_begins_with_the_first_tag_and_its_job_is_still_found(ask: Ask, folder: Path) -> None:
    assert svg(inline=True).startswith("<svg ") and svg().startswith("<?xml ")
    assert ask("curves", "-d", "8", "-n", "9", "--inline", "-o", "a.svg").code == 0
    assert ask("recipe", "a.svg").out == "pecli curves --d 8 --length 9 --inline --output a.svg\n"


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(luminance(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def colours(text: str) -> list[str]:
    return re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", text.partition("</defs>")[2])


def test_every_colour_of_lines_and_texts_has_another_on_dark_pages() -> None:
    with style_context(pecli.figure("heatmap").job.canvas, ""):
        inks = [mpl.rcParams[name] for name in ("text.color", "axes.edgecolor", "xtick.color", "grid.color")]
        inks += mpl.rcParams["axes.prop_cycle"].by_key()["color"]
    assert {to_hex(ink) for ink in inks} <= {*DARK_INKS}


@pytest.mark.long
def test_light_and_dark_turn_over_ink_alone() -> None:
    plain, auto = svg(), svg(style="auto")
    (rule,) = re.findall(r"@media \(prefers-color-scheme: dark\) \{(.*?)\} \} ", auto)
    turned = re.findall(r'\[style\*="(?:fill|stroke): (#\w+)"\] \{(?:fill|stroke): (#\w+) !important', rule)
    clear = {"#000000", "#ffffff"}  # edges of dots without one, and the paper
    own = {light for light, _ in turned}
    assert {"#1e5eae", "#c44327", "#16191d"} <= set(colours(auto)) - clear <= own | {colour for _, colour in turned}
    assert "pixelated" not in svg("heatmap")  # else some cells are a pixel wider where a screen has fewer pixels
    for light, dark in turned:
        if contrast(light, "#ffffff") >= 3:  # of a line or a text
            assert contrast(dark, "#121417") >= 3
    assert "prefers-color-scheme" not in plain


@pytest.mark.some(24)
@pytest.mark.parametrize("figure", FIGURES)
def test_every_text_of_any_figure_is_read_on_a_dark_page(figure: str) -> None:
    options: dict[str, Any] = {"encoding": "alibi"} if figure in ("offsets", "bias") else {}
    picture = pecli.figure(figure, style="auto", text=True, **options)
    root = ElementTree.fromstring(picture.render("svg")[0].decode())
    styles = [item.get("style", "") for item in root.iter(f"{SVG}text")]
    inks = {found for style in styles for found in re.findall(r"fill: (#\w+)", style)}
    assert styles and inks
    for ink in inks - {"#ffffff", "#000000"}:  # on cells
        assert ink in DARK_INKS or min(contrast(ink, "#ffffff"), contrast(ink, "#121417")) >= 2.9


def corner(**options: Any) -> Any:
    with Image.open(io.BytesIO(pecli.figure("heatmap", **SMALL, **options).render("png")[0])) as image:
        return np.asarray(image.convert("RGBA"))[0, 0].tolist()


@pytest.mark.long
def test_a_transparent_picture_has_no_background() -> None:
    assert corner() == [255, 255, 255, 255]
    assert corner(transparent=True)[3] == 0


@pytest.mark.long
@pytest.mark.parametrize("words", [("--text",), ("--inline",), ("--style", "auto")])
def test_what_only_an_svg_has_is_refused_elsewhere(ask: Ask, words: tuple[str, ...]) -> None:
    refused = ask("heatmap", "-d", "8", "-n", "9", *words, "-o", "a.png")
    assert (
        refused.code == 2
        and f"{' '.join(words)} is for .svg files only: write one with --output FILE.svg" in refused.err
    )
    assert ask("heatmap", "-d", "8", "-n", "9", "--dpi", "20", *words, "-o", "a.svg", "-o", "a.png").code == 0


@pytest.mark.parametrize("style", [None, "auto"])
def test_no_rule_of_style_reaches_out_of_its_picture(style: str | None) -> None:
    text = svg(style=style)
    (name,) = re.findall(r"<svg id=\"(\w+)\"", text)
    rules = re.sub(r"@media [^{]*\{|\}(?=\})", "", "".join(re.findall(r"<style[^>]*>(.*?)</style>", text, re.S)))
    selectors = [item.strip() for item in re.findall(r"([^{}]+)\{", rules)]
    assert len(selectors) == (1 if style is None else 1 + 2 * len(DARK_INKS))
    assert all(selector.startswith(f"#{name} ") for selector in selectors)


@pytest.mark.long
@pytest.mark.parametrize("figure", ["offsets", "spectrum", "curves"])
def test_names_inside_an_svg_are_unique_and_without_blanks(figure: str) -> None:
    options: dict[str, Any] = {"encoding": "rope"} if figure == "curves" else {"encoding": ["rope", "sinusoidal"]}
    ids = re.findall(r'\bid="([^"]*)"', svg(figure, **options))
    assert len(ids) == len(set(ids)) and not any(" " in name for name in ids)
