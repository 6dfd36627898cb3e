"""Tests of a web page with many pictures and controls that choose one."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.core.language import join_clauses, say
from tests.browser import browsing, needs_browser

SMALL: dict[str, Any] = {"d": 4, "length": 5, "dpi": 30}
SHOWN = "[...document.querySelectorAll('figure')].flatMap((one, at) => one.hidden ? [] : [at])"


def page(**options: Any) -> str:
    return pecli.figure("heatmap", **{**SMALL, **options}).render("html")[0].decode()


@cache
def plain() -> str:
    """Return the page of two bases, made once."""
    return page(base=[10, 100])


def test_every_picture_stands_in_the_page_with_its_line() -> None:
    text = page(base=[10, 100], layout=["interleaved", "concatenated"])
    lines = re.findall(r"<code>(.*?)</code>", text)
    assert lines == [
        "pecli heatmap --d 4 --base 10 --length 5 --dpi 30",
        "pecli heatmap --d 4 --base 10 --layout concatenated --length 5 --dpi 30",
        "pecli heatmap --d 4 --base 100 --length 5 --dpi 30",
        "pecli heatmap --d 4 --base 100 --layout concatenated --length 5 --dpi 30",
    ]
    assert text.count("<img ") == 4 and text.count(" hidden>") == 5  # the form and the buttons: all without scripts
    assert "<option>concatenated</option>" in text and 'max="1" value="0"' in text


@pytest.mark.long
def test_nothing_is_asked_of_anybody_and_nothing_is_taken_for_markup() -> None:
    text = page(base=[10, 100], title='</title><script>alert("x")</script>&')
    assert "<script>alert" not in text and "default-src 'none'" in text
    assert set(re.findall(r'(?:src|href)="([^":]*):', text)) == {"data"}


@pytest.mark.long
def test_who_does_not_see_a_picture_is_told_what_there_is_to_see_in_it() -> None:
    alts = re.findall(r'alt="([^"]*)"', plain())
    for alt, base in zip(alts, (10, 100), strict=True):
        alone = pecli.heatmap(**SMALL, base=base).message()
        told = join_clauses([f"base = {base}", alone])
        assert alone and alt.startswith(say("page.message_sentence", message=told, sentence=""))


@pytest.mark.long
def test_lines_are_drawn_as_svg_where_that_is_smaller() -> None:
    text = pecli.figure("curves", d=4, length=3, at=[0, 1, 2], base=[10, 100], dpi=400).render("html")[0].decode()
    assert "image/svg+xml" in text and "image/png" not in text
    assert "image/png" in plain() and " 2x" in plain()


@needs_browser
def test_the_slider_changes_the_picture(tmp_path: Path) -> None:
    target = tmp_path / "a.html"
    target.write_text(page(base=[10, 100, 1000], layout=["interleaved", "concatenated"]), encoding="utf-8")
    with browsing(tmp_path / "profile") as browser:
        browser.open(target.as_uri())
        assert browser.run(SHOWN) == [0]
        browser.press("ArrowRight")
        assert browser.run(SHOWN) == [2] and browser.run("document.querySelector('output').value") == "100"
        browser.run("document.querySelector('select').selectedIndex = 1")
        browser.run("document.querySelector('select').dispatchEvent(new Event('input', {bubbles: true}))")
        assert browser.run(SHOWN) == [3]
        assert browser.run("document.querySelector('figure:not([hidden]) img').naturalWidth") == 135
        asked = [request for request in browser.requests if not request.startswith(("data:", target.as_uri()))]
        assert asked == []
        browser.open(target.as_uri(), dark=True)
        assert browser.run("getComputedStyle(document.documentElement).colorScheme") == "light dark"
        browser.open(target.as_uri(), scripts=False)
        assert browser.run(SHOWN) == [0, 1, 2, 3, 4, 5]
