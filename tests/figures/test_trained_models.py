"""Tests of figures for trained models: trained length, weights of biases, random scores, and Fourier spectra."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import enumerated, finding, join_and, join_title, say
from pecli.page.labels import BracketLabel, PointLabel, labels_of
from tests.drawing import axes_of, line_labels, numbers_of, page_of, panels_of, texts, told

# the trained length


@pytest.mark.long
@pytest.mark.parametrize(("figure", "options"), [
    ("offsets", {"encoding": "rope:d=8", "length": 30}),
    ("offsets", {"encoding": "alibi", "length": 30, "log": True}),
    ("bias", {"softmax": True, "length": 30}),
])  # fmt: skip
def test_lines_are_shaded_from_the_trained_length_on(figure: str, options: dict[str, Any]) -> None:
    axes = axes_of(figure, trained=12, **options)
    (zone,) = (patch for patch in axes.patches if patch.get_zorder() == 0)
    box = zone.get_path().get_extents(zone.get_patch_transform())
    assert (box.x0, box.x1) == pytest.approx((12, axes.get_xlim()[1]))
    assert say("highlights.trained_length", count=12) in texts(axes.texts)


def test_wavelengths_longer_than_the_trained_length_are_shaded_and_counted() -> None:
    axes = axes_of("spectrum", encoding="rope:d=32", trained=500)
    zones = [patch.get_path().get_extents(patch.get_patch_transform()) for patch in axes.patches]
    assert [(zone.y0, zone.y1) for zone in zones] == [pytest.approx((500, axes.get_ylim()[1]))]
    longer = int((pecli.encoding("rope:d=32").wavelengths() > 500).sum())
    said = say("spectrum.never_finish", count=longer, all=16)
    assert numbers_of("spectrum", encoding="rope:d=32", trained=500).message() == said
    assert numbers_of("spectrum", encoding="rope:d=32", trained=10**9).message() == say("spectrum.every_finishes")
    scaled = numbers_of("spectrum", encoding="rope:d=32,scaling=linear,factor=8", trained=500).message()
    assert (scaled.blanks["count"], scaled.blanks["all"]) == (longer, 16)  # of the rates that were trained
    two = numbers_of("spectrum", encoding=["rope:d=32", "rope:d=32,base=500000"], trained=500)
    more = int((two.wavelength[two.encoding == 1] > 500).sum())
    counts = join_and([f"{longer} (base = 10,000)", f"{more} (base = 500,000)"])
    assert finding(two.message())["counts"] == counts


@pytest.mark.parametrize(("figure", "corners"), [
    ("precision", [(-0.5, 7.5), (31.5, 7.5)]),
    ("bias", [(-0.5, 7.5), (11.5, 19.5)]),
])  # fmt: skip
def test_a_dashed_line_on_images_is_where_the_trained_length_ends(
    figure: str, corners: list[tuple[float, float]]
) -> None:
    options: dict[str, Any] = {"encoding": "rope:d=64"} if figure == "precision" else {"head": 0}
    border = axes_of(figure, length=20, trained=8, **options).lines[-1]
    assert border.get_xydata().tolist() == [list(corner) for corner in corners] and border.is_dashed()
    caption = pecli.figure(figure, length=20, trained=8, **options).caption()
    assert say("highlights.dashed_end_of_the", count=8) in caption


@pytest.mark.parametrize("figure", ["offsets", "precision", "bias"])
def test_a_trained_length_beyond_all_that_is_shown_is_refused(figure: str) -> None:
    with pytest.raises(
        UsageError, match="the positions shown, 0 to 19, do not reach beyond it: give more positions with length"
    ):
        pecli.figure(figure, length=20, trained=20).render("png")


# weights of biases


@pytest.mark.long
@pytest.mark.parametrize("length", [40, 3000])  # of more keys than pixels too
def test_the_dot_of_a_head_is_the_key_with_which_half_of_the_weight_is_reached(length: int) -> None:
    options: dict[str, Any] = {"encoding": "alibi:heads=4", "softmax": True, "length": length, "dpi": 30}
    weights = numbers_of("bias", **options).main.cumsum(axis=1)
    dots = [int(line.get_xdata()[0]) for line in axes_of("bias", **options).lines if line.get_marker() == "o"]
    assert len(dots) == 4 and all(
        own[at] >= 0.5 and (at == 0 or own[at - 1] < 0.5) for own, at in zip(weights, dots, strict=True)
    )
    assert say("bias.dots_at_least_half") in pecli.figure("bias", **options).seen.caption()


def test_the_heads_that_see_least_far_and_farthest_are_drawn() -> None:
    found = numbers_of("bias", ((99, 99),), encoding="alibi:heads=12", softmax=True, length=500)
    slopes = pecli.encoding("alibi:heads=12").slopes()
    assert len(found.heads) == 8 and {int(slopes.argmin()), int(slopes.argmax())} <= {*found.heads.tolist()}
    assert found.remarks()[0] == "8 of 12 heads" and "in head 7" in found.message()


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["alibi:heads=4", "kerple", "alibi:heads=2,direction=both"])
def test_weights_are_the_softmax_of_the_bias_of_the_last_query(encoding: str) -> None:
    found, bias = numbers_of("bias", encoding=encoding, softmax=True, length=40), pecli.encoding(encoding)
    raised = np.exp(bias.bias(np.arange(40.0)))
    assert found.main == pytest.approx(raised / raised.sum(axis=1, keepdims=True), rel=1e-12)
    for head, half in enumerate(found.half):
        assert found.main[head, :half].sum() >= 0.5 > found.main[head, : half - 1].sum()
    lines = axes_of("bias", encoding=encoding, softmax=True, length=40)
    assert len(lines.get_legend().get_texts()) == bias.n_heads and lines.get_yscale() == "log"


def test_weights_are_listed_and_coloured_from_the_nearest_to_the_farthest() -> None:
    panel = axes_of("bias", encoding="alibi:heads=12", softmax=True, length=40)
    named = [int(text.get_text().split()[1].rstrip(",")) for text in panel.get_legend().get_texts()]
    slopes = pecli.encoding("alibi:heads=12").slopes()
    assert sorted(named, key=lambda head: -slopes[head]) == named
    handles = [handle.get_color() for handle in panel.get_legend().get_lines()]
    red = [to_rgb(colour)[0] for colour in handles]
    assert red == sorted(red)  # from dark to light
    assert [line.get_color() for line in panel.lines[::2]] == [handles[named.index(head)] for head in sorted(named)]


@pytest.mark.some(2)
@pytest.mark.parametrize(("line", "said"), [
    ("bias t5 --softmax", "t5 without a file has only buckets"),
    ("bias --softmax --lowest -3", "--softmax draws lines"),
    ("offsets sinusoidal --random 9", "but sinusoidal rotates none"),
    ("offsets rope --random 9 -m cos", "--random plots scores"),
    ("offsets rope --decay -m cos", "--decay is a bound on the dot product"),
    ("spectrum rope --trained 9 --ratio", "--ratio does not compare wavelengths with a length"),
    ("spectrum rope sinusoidal --ratio", "--ratio changes nothing here, because every ratio is 1 without a scaling"),
    ("curves alibi --head 8", "has heads 0 to 7"),
    ("distance rope --head 0", "rope has no heads"),
    ("distance alibi -m cos", "alibi is a bias"),
    ("fourier -n 3", "4 to 65,536 positions"),
])  # fmt: skip
def test_what_means_nothing_is_refused(line: str, said: str, ask: Callable[..., Any]) -> None:
    answer = ask(*line.split())
    assert answer.code == 2 and said in answer.err and answer.err.count("\n") == 1


# random scores


def test_random_scores_have_the_moments_of_those_of_rotated_keys() -> None:
    rope = pecli.encoding("rope:d=16,rotary_dim=8")
    found = numbers_of("offsets", encoding=rope.spec(), random=50, length=20)
    q, k = np.random.default_rng(0).standard_normal((2, 50, 1, 16))
    scores = np.stack([(q * rope.rotate(k, np.array([float(at)]))).sum(axis=-1)[:, 0] / 4 for at in range(20)])
    assert found.mean[0] == pytest.approx(scores.mean(axis=1), abs=1e-12)
    assert (found.high - found.low)[0] / 2 == pytest.approx(scores.std(axis=1), abs=1e-12)
    assert found.message().key == "offsets.scores_of_random_queries"
    assert numbers_of("offsets", encoding="rope:d=2", random=2, length=20).message() == ""  # too few to say it


# Fourier spectra


def positions(count: int) -> str:
    return say("encoding.count_positions", count=count)


def test_shares_add_up_to_1_and_find_the_waves_that_are_there(folder: Path) -> None:
    p, columns = np.arange(60)[:, None], np.array([3, 10, 30, 0])
    np.save("waves.npy", np.cos(2 * np.pi * p * columns / 60))
    found = numbers_of("fourier", encoding="learned:file=waves.npy")
    assert found.share.argmax(axis=0)[:3].tolist() == [2, 9, 29] and found.share[:, 3].max() == 0
    assert found.wavelengths[[2, 9, 29]].tolist() == [20, 6, 2]
    assert found.share.sum(axis=0) == pytest.approx([1, 1, 1, 0]) and found.total.sum() == pytest.approx(1)
    assert found.share[8:11, 1].sum() > 0.999  # a wave and its two neighbours
    pixels = numbers_of("fourier", panels=((40, 4), (40, 4)), encoding="learned:file=waves.npy")
    assert pixels.share.max(axis=0) == pytest.approx(found.share.max(axis=0)) and pixels.message() == found.message()
    rows = pixels.wavelengths[pixels.share[:, :3].argmax(axis=0)]
    assert rows == pytest.approx([20, 6, 2], rel=0.15)
    over = numbers_of("fourier", encoding="sincos2d", grid="14x14")  # row by row, as its axis says
    assert over.message() == say("fourier.besides_drift", waves=join_and(["14", positions(7)]))


@pytest.mark.long
@pytest.mark.parametrize(
    ("waves", "said"),
    [
        ([10, 25, 90], {"key": "fourier.stand_out", "waves": join_and(["25", positions(10)])}),
        ([10.4, 90, 90, 90], {"key": "fourier.besides_drift", "waves": positions(10)}),
        ([90, 90], {"key": "fourier.of_the_variance_lies", "wave": positions(90)}),
        ([*np.geomspace(6, 60, 40).tolist()], {"key": "fourier.of_the_variance_lies"}),  # no wave more than others
    ],
)
def test_waves_that_stand_out_are_marked_with_their_shares(
    folder: Path, waves: list[float], said: dict[str, Any]
) -> None:
    weights = np.where(np.array(waves) < 90, 1.0, 0.3 if 25 in waves else 1.0)
    np.save("waves.npy", weights * np.sin(2 * np.pi * np.arange(180)[:, None] / np.array(waves)))
    found = numbers_of("fourier", encoding="learned:file=waves.npy")
    assert told(found.message(), said) == said
    every, together = page_of("fourier", encoding="learned:file=waves.npy").axes[:2]
    red = [patch for patch in together.patches if patch.get_facecolor()[0] > 1.5 * patch.get_facecolor()[2]]
    peaks = [say("fourier.wave_share", wave=f"{wave:.2g}", share=f"{share:.0%}") for wave, share in found.peaks]
    named = [label for label in labels_of(together, PointLabel) if label.get_text() in peaks]
    assert len(red) == len(named) == len(found.peaks) == ("waves" in said) * (2 if 25 in waves else 1)
    for patch, label, (wave, share) in zip(red, named, found.peaks, strict=True):
        low, high = np.log10(180 / (180 / wave + 2.1)), np.log10(180 / (180 / wave - 2.1))
        assert low < patch.get_data().edges.min() < np.log10(wave) < patch.get_data().edges.max() < high
        assert label.xy[1] == pytest.approx(np.log10(wave))
        assert patch.get_data().values.sum() == pytest.approx(share)
    assert bool([line for line in every.lines if line.get_linestyle() == ":"]) == (not found.peaks)


def test_the_three_highest_waves_are_named_and_others_counted(folder: Path) -> None:
    waves = np.array([6, 10, 18, 30])
    np.save("waves.npy", [4, 3.5, 3, 2.5] * np.sin(2 * np.pi * np.arange(180)[:, None] / waves))
    found = numbers_of("fourier", encoding="learned:file=waves.npy")
    named = say("fourier.and_more", waves=enumerated(["18", "10", positions(6)]), count=1)
    said = {"key": "fourier.stand_out", "waves": named}
    assert told(found.message(), said) == said
    assert [round(wave) for wave, _ in found.peaks] == [30, 18, 10, 6]


def test_a_slow_wave_that_does_not_fit_leaks_into_no_fast_one(folder: Path) -> None:
    np.save("waves.npy", np.sin(2 * np.pi * np.arange(200)[:, None] / 310))
    found = numbers_of("fourier", encoding="learned:file=waves.npy")
    assert found.total[8:].sum() < 1e-4  # without a window it is a hundredth


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "pairs", "share"),
    [({}, 39, "8.1%"), ({"encoding": "rope:base=500000,pairing=half", "length": 2000}, 35, "4.9%"), ({"d": 2}, 0, "")],
)
def test_waves_longer_than_the_positions_stand_in_a_band_of_their_own(
    options: dict[str, Any], pairs: int, share: str
) -> None:
    found = numbers_of("fourier", **options)
    assert found.longer_pairs == pairs and found.longer.sum() == 2 * pairs
    assert (found.share.sum(axis=0) + found.longer) == pytest.approx(1)
    assert found.total.sum() + found.longer_held == pytest.approx(1)
    if not pairs:
        return
    said = {"key": "fourier.longer", "count": pairs, "all": 64, "share": share}
    assert told(found.message(), said) == said
    every, together = page_of("fourier", **options, size="slide").axes[:2]
    assert len(every.images) == 2 and np.asarray(every.images[1].get_array()).max() == 1
    assert together.patches[-1].get_data().values == pytest.approx([found.longer_held])
    assert together.patches[-1].get_data().edges[0] > np.log10(found.view.positions.length)
    brackets = [pairs] if "encoding" not in options else []  # half pairs: the slow ones are in two places
    assert [int(text.split()[0]) for text in texts(labels_of(every, BracketLabel))] == brackets


# curves and matrices of biases, curves of several encodings


@pytest.mark.parametrize("encoding", ["alibi:heads=4", "t5", "kerple:direction=both"])
def test_a_curve_and_a_matrix_are_those_of_the_head(encoding: str) -> None:
    bias, steps, head = pecli.encoding(encoding), np.arange(20.0), 0 if encoding == "t5" else 2
    whole = bias.bias((steps[:, None] - steps).ravel())[head].reshape(20, 20)
    whole = np.where(np.isfinite(whole), whole, np.nan)
    given: Any = {} if encoding == "t5" else {"head": head}
    found = numbers_of("curves", encoding=encoding, length=20, at=[3, 11], **given)
    assert np.array_equal(found.main, whole[[3, 11]], equal_nan=True)
    matrix = numbers_of("distance", encoding=encoding, length=20, **given)
    assert np.array_equal(matrix.main, whole, equal_nan=True) and matrix.undefined == 0
    assert matrix.message() == say("words.the_depends_only_on", measure=say(bias.quantity))
    assert found.message() == say("curves.every_curve_is_the")


@pytest.mark.long
def test_several_encodings_have_panels_or_a_line_each_from_one_position() -> None:
    both: Any = {"encoding": ["rope:d=8", "binary"], "length": 16}
    panels = panels_of("curves", **both)
    assert [panel.get_title() for panel in panels] == [
        join_title(["RoPE", "d = 8", "base = 10,000"]),
        join_title(["Binary", "d = 4"]),
    ]
    assert len({panel.get_ylim() for panel in panels}) == 2  # d = 8 and d = 4 are on two scales
    (panel,) = panels_of("curves", at=5, **both)
    names = [join_title(["RoPE", "d = 8", "base = 10,000"]), join_title(["Binary", "d = 4"])]
    assert line_labels(panel) == names
    found = numbers_of("curves", at=[2, 5], **both)
    alone = [numbers_of("curves", encoding=each, length=16, at=[2, 5]) for each in both["encoding"]]
    assert np.array_equal(found.main, np.concatenate([each.main for each in alone]))
    assert found.message() == say("figures.only_with_the_offset", names="RoPE")


def test_a_band_lies_over_no_other_line() -> None:
    banded = ["rope:d=4", "sinusoidal:d=4", "binary"]
    assert [len(panels_of("offsets", encoding=some, length=20)) for some in (banded[:2], banded)] == [1, 3]
