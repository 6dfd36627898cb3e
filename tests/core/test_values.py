"""Single values as text."""

from __future__ import annotations

import pytest

from pecli.core.values import shorten


@pytest.mark.parametrize("most", [40, 120])
def test_a_value_is_whole_up_to_the_most_letters_and_longer_ones_keep_both_ends(most: int) -> None:
    letters = "".join(chr(ord("a") + at % 26) for at in range(most + 1))
    assert shorten(letters[:most], most) == letters[:most]
    assert shorten(letters, most) == f"{letters[: most // 2]}…{letters[-most // 4 :]} ({most + 1} characters)"


def test_a_value_is_shown_as_text_or_as_code() -> None:
    assert (shorten("a'b"), shorten("a'b", written=True)) == ("a'b", '"a\'b"')
