"""Tests of the figure contributions: the part of each pair of dimensions in a score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import language_of, say, use_language
from pecli.measures.contributions import log_runs, mean_cosines
from pecli.page.labels import LevelLabel, RowLabel, labels_of
from tests.conftest import Ask
from tests.drawing import numbers_of, page_of, panels_of, texts, told


def test_runs_hold_every_offset_and_narrow_parts_the_nearest() -> None:
    firsts, counts = log_runs(1, 4095, 800)
    assert firsts[0] == 1 and (firsts + counts)[-1] == 4096 and counts.min() == 1
    held = np.unique(np.concatenate([first + np.arange(count) for first, count in zip(firsts, counts, strict=True)]))
    assert np.array_equal(held, np.arange(1, 4096))
    middles = np.geomspace(1, 4095, 1601)[1::2]
    single = counts == 1
    assert (np.abs(firsts - middles)[single] <= 1).all() and firsts[0] == 1


def test_means_are_those_of_all_their_offsets() -> None:
    rates = np.array([1.0, 2 * np.pi, 0.3, 0.001, 0.0])
    firsts, counts = np.array([1.0, 7.0, 1000.0]), np.array([1.0, 5.0, 371.0])
    expected = [
        np.cos(np.outer(first + np.arange(count), rates)).mean(0) for first, count in zip(firsts, counts, strict=True)
    ]
    assert np.allclose(mean_cosines(rates, firsts, counts), expected, atol=1e-12)


@pytest.mark.parametrize("panels", [None, ((80, 300), (40, 300))])
def test_the_fast_half_adds_next_to_nothing(panels: Any) -> None:
    found = numbers_of("contributions", panels)
    assert found.sums[0] + found.sums[1] == pytest.approx(0.449571, abs=5e-7)
    assert found.score == pytest.approx(30.543455, abs=5e-7) and found.at == 100
    said = {"key": "contributions.fast_add", "at": 100, "count": 32, "sum": "0.4", "score": "30.5"}
    assert told(found.message(), said) == said
    assert np.allclose(found.total, found.contribution.sum(axis=1))


def test_all_pairs_are_the_product_of_two_rows_of_the_table() -> None:
    options: dict[str, Any] = {"encoding": "rope:d=16,scaling=yarn,factor=4,original=64,base=100", "length": 90}
    table = pecli.figure("heatmap", **options).numbers.table
    found = numbers_of("contributions", **options)
    assert np.allclose(found.total, table[1:] @ table[0]) and found.offsets.tolist() == [*range(1, 90)]


def test_pairs_stand_from_fast_to_slow() -> None:
    found = numbers_of("contributions", encoding="clock", length=4000)
    rates = found.view.encoding.frequencies()[found.pairs]
    assert (np.diff(rates) <= 0).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "rope:d=2"}, {"key": "contributions.add_up", "count": 1}),
        ({"groups": 1}, {"key": "contributions.add_up", "count": 64, "score": "30.5"}),
        ({"encoding": "rope:d=4", "at": 3}, {"key": "contributions.fast_add", "count": 1, "sum": "−0.99"}),
        ({"encoding": "rope:d=8,base=1", "at": 1}, {"key": "contributions.add_up", "count": 4}),  # none is faster
        ({"groups": 8, "at": 1000}, {"key": "contributions.fast_add", "at": 1000}),
    ],
)
def test_the_headline_names_the_fast_pairs(options: dict[str, Any], said: dict[str, Any]) -> None:
    assert told(numbers_of("contributions", ((40, 60),) * 2, **options).message(), said) == said


def test_norms_weigh_the_pairs(folder: Path) -> None:
    norms = np.arange(8.0)
    np.save(folder / "norms.npy", norms)
    plain, found = (
        numbers_of("contributions", encoding="rope:d=16", length=50, norms=name) for name in (None, "norms.npy")
    )
    assert np.allclose(found.contribution, plain.contribution * norms) and found.ends == (-7.0, 7.0)
    np.save(folder / "norms.npy", norms[1:])
    with pytest.raises(UsageError, match="7 numbers, but needs 8"):
        numbers_of("contributions", encoding="rope:d=16", length=50, norms="norms.npy")


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide", "6x6"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_the_headline_says_is_marked(size: str, lang: str) -> None:
    drawing = page_of("contributions", size=size, lang=lang, dpi=50)
    upper, lower, _ = drawing.axes
    for panel in (upper, lower):
        assert any(set(line.get_xdata()) == {100} for line in panel.lines)
    with use_language(language_of(lang)):
        names = [say("contributions.slowest", count=count) for count in (16, 32, 48)]
        names.append(say("contributions.all", count=64))
    assert texts(labels_of(lower, LevelLabel)) == names
    assert ["+0.4" in text or "+30.1" in text for text in texts(labels_of(upper, RowLabel))] == [True, True]
    bottom, top = lower.get_ylim()
    assert bottom < 0 and top > 64


def test_a_legend_names_lines_that_are_close_together(folder: Path) -> None:
    np.save(folder / "norms.npy", np.append(np.full(7, 1e-3), 1.0))
    _, lower, *_ = panels_of("contributions", encoding="rope:d=16", norms="norms.npy", length=500)
    assert not labels_of(lower, LevelLabel) and len(lower.get_legend().get_texts()) == 4


def test_a_config_a_file_and_json(ask: Ask, folder: Path) -> None:
    config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0}
    (folder / "config.json").write_text(json.dumps(config))
    line = ("contributions", "config.json", "-o", "a.csv", "--json", "-n", "200")
    (result,) = json.loads(ask(*line).out)["results"]
    assert result["facts"]["score"] == pytest.approx(30.543455, abs=5e-7)
    rows = (folder / "a.csv").read_text().splitlines()
    assert rows[0].startswith("offsets,total,pair 0,pair 1") and len(rows) == 200


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"at": 5000}, "at"),
        ({"at": 0}, "at"),
        ({"length": 2}, "length"),
        ({"start": -9}, "length"),
        ({"encoding": "rope:grid=4x4"}, "encoding"),
        ({"encoding": "sinusoidal:d=7"}, "d"),
        ({"encoding": "binary"}, None),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], option: str | None) -> None:
    with pytest.raises(UsageError) as error:
        pecli.figure("contributions", **options).numbers  # noqa: B018
    assert option is None or error.value.option == option


def test_a_long_file_has_each_column_once(ask: Ask, folder: Path) -> None:
    assert ask("contributions", "-d", "4", "-n", "5", "--long", "-o", "c.csv").code == 0
    assert Path("c.csv").read_text(encoding="utf-8").splitlines()[0] == "offset,total,pair,value"


def test_a_vector_file_has_an_image_that_fills_its_panel() -> None:
    (figure,) = [page_of("contributions", encoding="rope:d=8", length=64, dpi=150)]
    (panel,) = [axes for axes in figure.axes if axes.images and axes.get_xscale() == "log"]
    (image,) = panel.images
    assert image.get_transform().is_affine  # of other images, PDF and SVG take pixels at the wrong size
    assert np.allclose(image.get_window_extent().extents, panel.bbox.extents)


@pytest.mark.long
def test_a_headline_that_takes_room_from_the_image_leaves_no_more_columns_than_pixels() -> None:
    drawing = page_of("contributions", encoding="rope:d=8", size="beamer", dpi=50)
    (panel,) = [axes for axes in drawing.axes if axes.images and axes.get_xscale() == "log"]
    assert panel.images[0].get_array().shape[1] <= panel.bbox.width + 1.5


@pytest.mark.long
def test_the_lowest_name_is_above_the_axis() -> None:
    _, lower, *_ = page_of("contributions", size="icml", length=200).axes
    assert min(label.get_window_extent().y0 for label in labels_of(lower, LevelLabel)) > lower.bbox.y0
