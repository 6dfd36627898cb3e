"""Tests that colours differ for every kind of colour vision, and that texts are readable."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import pecli
from pecli.page.colors import HEADLINE_INK, MAPS, NOTE_INK, add_maps, lightness, luminance
from pecli.page.style import style_context

EYES = {  # Machado et al. 2009, table 1, severity 1.0; of linear red, green and blue
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
WHITE = np.array([0.95047, 1.0, 1.08883])


def lab(colours: np.ndarray, eyes: str) -> np.ndarray:
    """Return CIELAB, (n, 3), of sRGB colours, (n, 3), as those eyes see them."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(EYES[eyes]).T, 0, 1)
    ratio = seen @ np.array(TO_XYZ).T / WHITE
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def line_colours() -> np.ndarray:
    with style_context(pecli.figure("curves").job.canvas, "a"):
        return np.array([to_rgb(colour) for colour in mpl.rcParams["axes.prop_cycle"].by_key()["color"]])


def contrast(colour: str) -> float:
    """Return the contrast with white, as WCAG 2.1 has it."""
    return float(1.05 / (luminance(colour) + 0.05))


@pytest.mark.parametrize("eyes", EYES)
def test_lines_are_told_apart(eyes: str) -> None:
    seen = lab(line_colours(), eyes)
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 15


@pytest.mark.parametrize("eyes", EYES)
def test_the_two_sides_of_0_are_told_apart(eyes: str) -> None:
    add_maps()
    low, high = lab(mpl.colormaps["signed"](np.array([[0.0, 0.2], [1.0, 0.8]]))[..., :3].reshape(-1, 3), eyes).reshape(
        2, 2, 3
    )
    assert (np.linalg.norm(low - high, axis=-1) > 25).all()


@pytest.mark.parametrize("name", ["distance", "amount", "order"])
def test_the_order_of_a_map_is_seen_in_grey(name: str) -> None:
    add_maps()
    steps = np.diff(lightness(mpl.colormaps[name](np.linspace(0, 1, 33))))
    assert (steps > 0).all() or (steps < 0).all()


def test_texts_can_be_read() -> None:
    with style_context(pecli.figure("curves").job.canvas, "a"):
        inks = [mpl.rcParams["axes.labelcolor"], mpl.rcParams["xtick.labelcolor"], mpl.rcParams["ytick.labelcolor"]]
    assert min(contrast(ink) for ink in (*inks, HEADLINE_INK, NOTE_INK)) >= 4.5
    assert contrast(MAPS["order"][-1]) > 3  # of a line
