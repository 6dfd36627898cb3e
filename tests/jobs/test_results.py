"""Tests of the JSON output of jobs, and of its sentence on what the picture shows."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

import pecli
from pecli.core.language import join_clauses, join_title, say
from pecli.encodings.registry import find_encoding
from pecli.jobs.job_options import ANALYSES, shared_options
from pecli.jobs.picture import alt_text
from pecli.jobs.sweep import make_job

Ask = Callable[..., Any]
SMALL = ("-d", "4", "-n", "5", "--dpi", "20", "--size", "column")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.some(2)
@pytest.mark.parametrize(("words", "count"), [
    (("heatmap", *SMALL, "-o", "a.png"), 1),
    (("heatmap", *SMALL, "--base", "10,100", "-o", "a{base}.png"), 2),
    (("stats", "clock"), 1),
    (("stats", "clock", "-n", "4,5"), 2),
    (("table", "-o", "t.csv", "-n", "5"), 1),
])  # fmt: skip
def test_json_has_one_shape_whatever_is_asked(ask: Ask, words: tuple[str, ...], count: int) -> None:
    found = json.loads(ask(*words, "--json").out)
    assert list(found) == ["results"] and len(found["results"]) == count
    for item in found["results"]:
        assert set(item) == {
            "files",
            "headline",
            "finding",
            "footnotes",
            "job",
            "encodings",
            "alt",
            "facts",
            "pecli",
            "matplotlib",
            "numpy",
        }


@pytest.mark.long
def test_json_has_the_whole_job_with_its_defaults(ask: Ask) -> None:
    (item,) = json.loads(ask("heatmap", *SMALL, "-o", "a.png", "--json").out)["results"]
    assert set(item["job"]) == {"command", *shared_options(ANALYSES["heatmap"])} - {
        "output",
        "format",
        "no_clobber",
        "label",
        "long",  # there where it is asked for
        "csv_sep",
        "decimal",
        "reveal",  # in a job it is the steps that it stands for
    }
    assert (item["job"]["length"], item["job"]["start"], item["job"]["cmap"]) == (5, 0, None)
    (encoding,) = item["encodings"]
    assert (encoding["name"], encoding["d"], encoding["base"]) == ("sinusoidal", 4, 10000)
    job = dict(item["job"])
    assert (
        make_job(job.pop("command"), job).metadata == pecli.heatmap(d=4, length=5, dpi=20, size="column").job.metadata
    )


@pytest.mark.parametrize("name", ANALYSES)
def test_a_sentence_tells_what_is_seen(name: str) -> None:
    text = alt_text(make_job(name, {}))
    assert text.startswith(ANALYSES.summary(name)) and "\n" not in text
    assert find_encoding(ANALYSES[name].default_encoding.split(":")[0]).make({}).called() in text


@pytest.mark.long
def test_it_tells_what_was_chosen() -> None:
    text = pecli.distance("rope", measure="dot", start=-3, length=5).alt
    assert join_clauses(["", say("words.positions_to", first=-3, last=1), "measure: dot"]) in text


TITLE = "位置 & <b>"


@pytest.mark.long
def test_files_say_their_title_and_what_is_seen() -> None:
    picture = pecli.heatmap(d=4, length=5, dpi=20, title=TITLE)
    png, svg, pdf = picture.render("png", "svg", "pdf")
    with Image.open(io.BytesIO(png)) as image:
        assert (image.info["Title"], image.info["Description"]) == (TITLE, picture.alt)
        assert json.loads(image.info["pecli"])["alt"] == picture.alt
    shown = join_clauses([ANALYSES.summary("heatmap"), "sinusoidal"])
    assert picture.alt.startswith(picture.message()) and f" {shown}" in picture.alt
    root = ElementTree.fromstring(svg)
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == (TITLE, picture.alt)
    assert root.get("role") == "img"
    assert b"/Title " in pdf and picture.message().encode("utf-16-be").hex() in pdf.hex().lower()
    plain = pecli.heatmap(d=4, length=5, dpi=20, no_title=True)
    title = join_title(["sinusoidal", "d = 4", "base = 10,000"])
    assert ElementTree.fromstring(plain.render("svg")[0]).findtext(f"{SVG}title") == title
