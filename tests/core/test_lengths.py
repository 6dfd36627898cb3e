"""Widths and heights as people write them."""

from __future__ import annotations

import pytest

from pecli.core.options import inches_of


@pytest.mark.parametrize(
    ("text", "width", "height"),
    [
        ("5x3", 5, 3),
        ("5.5 × 3", 5.5, 3),
        ("2.54cm", 1, None),
        ("2.54cmx5.08cm", 1, 2),
        ("254x127mm", 10, 5),  # a unit said once holds for both
        ("254mmx127", 10, 5),
        ("5inx25.4mm", 5, 1),
        ("1cm,1in", 1 / 2.54, 1),
        ("7", 7, None),
        ("722.7pt", 10, None),
    ],
)
def test_a_size_is_inches_whatever_it_was_written_in(text: str, width: float, height: float | None) -> None:
    found = inches_of(text)
    assert found is not None
    assert found[0] == pytest.approx(width)
    assert found[1] == (None if height is None else pytest.approx(height))


@pytest.mark.parametrize("text", ["", "page", "5x", "x3", "5x3x2", "-5x3", "5px", "1e3x2", "5 x 3 ft"])
def test_what_is_no_size_is_none(text: str) -> None:
    assert inches_of(text) is None
