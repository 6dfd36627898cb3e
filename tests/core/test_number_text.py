"""Tests of the text of numbers in pictures."""

from __future__ import annotations

import pytest

from pecli.core.numbers import number_text, number_texts, percent_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.25, "0.25"),
        (-3.0, "−3"),
        (1000.0, "1,000"),
        (999.96, "1,000"),
        (-9999.6, "−10,000"),
        (0.00099999, "10⁻³"),
        (-1234.5, "−1,234"),
        (999_999.0, "999,999"),
        (1e6, "10⁶"),
        (-2.5e6, "−2.5×10⁶"),
        (1.2345e12, "1.23×10¹²"),
        (0.001, "0.001"),
        (0.00099, "9.9×10⁻⁴"),
        (-5e-324, "−4.94×10⁻³²⁴"),  # 10.0**-324 is 0
        (-1e50, "−10⁵⁰"),
        (1.7976e308, "1.8×10³⁰⁸"),
        (float("-inf"), "−∞"),  # beyond the end of a logarithmic axis
    ],
)
def test_a_number_is_short_at_any_size(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (0.0004, "< 0.1%"),
        (0.0042, "0.4%"),
        (0.056, "5.6%"),
        (0.994, "99%"),
        (0.9998, "> 99%"),  # and not all
        (1.0, "100%"),
    ],
)
def test_a_share_of_100_percent_is_all(share: float, text: str) -> None:
    assert percent_text(share) == text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.0, 0.5, 1.0], ["0", "0.5", "1"]),
        ([1e6, 2.5e6], ["10⁶", "2.5×10⁶"]),
        ([10.0, 1e5, 1e6], ["10¹", "10⁵", "10⁶"]),  # powers of ten in one way
        ([0.1, 1e-4], ["10⁻¹", "10⁻⁴"]),
        ([10.0, 1e5], ["10", "100,000"]),
        ([1_230_000.0, 2_000_000.0], ["1.23×10⁶", "2×10⁶"]),
        ([1_234_000.0, 2_000_000.0], ["1,234,000", "2,000,000"]),  # three digits would not say the first
        ([0.0, 800_000.0, 1e6], ["0", "800,000", "1,000,000"]),  # no power beside it
        ([-0.001, -0.0008, 0.0], ["−0.001", "−0.0008", "0"]),
        ([0.0, 3 * 1e99, 6 * 1e99], ["0", "3×10⁹⁹", "6×10⁹⁹"]),  # the last bit apart from what they say
        ([1e9, 1e9 + 1], ["1,000,000,000", "1,000,000,001"]),  # nearly a power
        ([2e-4, 4e-4], ["2×10⁻⁴", "4×10⁻⁴"]),
        ([0.12341, 0.12342], ["0.12341", "0.12342"]),  # four would be the same
    ],
)
def test_ticks_say_what_they_are_and_differ(values: list[float], texts: list[str]) -> None:
    assert number_texts(values) == texts
