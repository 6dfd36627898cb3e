"""Width of a text, and its line breaks."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from pecli.core.lazy import Axes
from pecli.page.words import Piece, Words, ems, is_wide

LEAST_DPI = 100  # least resolution for measuring text; below it, widths are inaccurate
LINE = 1.25  # line height as a multiple of the text size
HEADLINE = "semibold"  # font weight of the headline
CLOSING = "，。、；：？！）】》」』”’·,.;:?!)]}"  # no line break before these
WORD = 2  # ems: no line break after a colon that follows a shorter word
OPENING = "（【《「『“‘"  # no line break after these
BEFORE_NUMBERS = ("×", "第", "在", "从", "到", "至")  # no line break after these and a blank
ARTICLE = "a"  # no line break after it
BETWEEN = ("<", ">", "=", "−")  # no line break on either side
SIGN = re.compile(r"\$[^$]*\$|.")  # a formula, or a single character


class Ruler:
    """A measure of text widths in one font weight (None: the style's). Lengths are in inches, text sizes in points.

    dpi : pixels per inch of the picture; text is measured at LEAST_DPI or more
    """

    def __init__(self, dpi: float, weight: str | None = None) -> None:
        from matplotlib.backends.backend_agg import RendererAgg

        self.dpi, self.weight = max(LEAST_DPI, dpi), weight
        self.renderer: Any = RendererAgg(16, 16, self.dpi)  # type: ignore[no-untyped-call]
        self._widths: dict[tuple[str, float], float] = {}

    def width(self, text: str, points: float) -> float:
        """Return the width of the longest line, without trailing blanks."""
        return max(self._line_width(line.rstrip(" "), points) for line in text.split("\n"))

    def _line_width(self, line: str, points: float) -> float:
        """Return the width of a single line, cached."""
        from matplotlib.cbook import is_math_text
        from matplotlib.font_manager import FontProperties

        if (line, points) not in self._widths:
            font, math = FontProperties(size=points, weight=self.weight), bool(is_math_text(line))
            width = self.renderer.get_text_width_height_descent(line, font, math)[0] if line else 0.0
            self._widths[line, points] = float(width) / self.dpi
        return self._widths[line, points]

    def words(self, text: str, points: float) -> Words:
        """Return the text as measured pieces for line breaking."""
        if not text:
            return Words()
        paragraphs = tuple(tuple(map(partial(self._piece, points), split_line(line))) for line in text.split("\n"))
        return Words(paragraphs, LINE * points / 72)

    def _piece(self, points: float, text: str) -> Piece:
        """Measure one piece of text."""
        word = text.rstrip(" ")
        blank = self._advance(" ", points) if word != text else 0.0
        return Piece(text, self._advance(word, points), blank * (len(text) - len(word)))

    def _advance(self, text: str, points: float) -> float:
        """Return the text's advance width, which includes the space around its ink."""
        return self._line_width(f"n{text}n", points) - self._line_width("nn", points)

    def wrapped(self, text: str, points: float, room: float) -> str:
        """Return the text wrapped to lines of width `room` at most."""
        return self.words(text, points).wrapped(room)


def points_per_pixel(axes: Axes) -> float:
    """Return the size of a pixel in points."""
    return 72 / float(axes.get_figure(root=True).dpi)  # type: ignore[union-attr]  # an Axes on a page has a figure


def split_line(line: str) -> list[str]:
    """Split a line where it may break; each piece keeps its trailing blanks, and formulas stay whole."""
    found: list[str] = []
    for sign in SIGN.findall(line):
        if found and _continues(found[-1], sign):
            found[-1] += sign
        else:
            found.append(sign)
    return found


def _continues(before: str, sign: str) -> bool:
    """Return whether the character `sign` continues the text `before` it, so that no line may break between."""
    word, wide = before.rstrip(" "), is_wide(sign[0])
    number = word[-1:].isdigit() or word.endswith("%")
    if sign in (" ", *CLOSING):
        return True
    if word != before:
        beside = sign in BETWEEN or word.endswith((*BEFORE_NUMBERS, *BETWEEN)) or word == ARTICLE
        beside |= word.endswith(":") and ems(word) < WORD  # Δ: reordered
        return beside or (number and (wide or sign == "×"))
    return word[-1] in OPENING or (number if wide else not is_wide(word[-1]))
