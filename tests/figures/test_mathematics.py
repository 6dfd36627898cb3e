"""Titles that would be mathematics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.figures.style import DEEPEST, check_mathematics


@pytest.mark.parametrize("text", ["$^$", "$x_$", r"a $\frac{1}$ b", "$\\nope$", "$$"])
def test_what_cannot_be_set_is_refused(ask: Callable[..., Any], text: str) -> None:
    with pytest.raises(UsageError, match="dollar sign"):
        check_mathematics(text, "title")
    ended = ask("heatmap", "-d", "4", "-n", "3", "--title", text, "-o", "a.png")
    assert ended.code == 2 and "dollar sign" in ended.err and len(ended.err.splitlines()) == 1
    with pytest.raises(UsageError, match="dollar sign"):
        pecli.figure("heatmap", d=4, length=3, title=text).render("png")


@pytest.mark.parametrize("text", ["$", "5$", r"\$a_\$", "$x_1$ costs 5\\$", "$\\omega$", "位 $x$", ""])
def test_what_can_be_set_is_not(text: str) -> None:
    check_mathematics(text, "title")


def test_mathematics_nested_beyond_what_matplotlib_sets_is_refused_and_what_is_taken_is_set() -> None:
    deep = "{" * DEEPEST + "x" + "}" * DEEPEST
    check_mathematics(f"${deep}$", "title")
    check_mathematics("{" * 99, "title")
    for text in (f"${{{deep}}}$", f"${'{' * 3000}$", rf"$\sqrt{{{deep}}}$"):
        with pytest.raises(UsageError, match="braces inside each other"):
            check_mathematics(text, "title")
