"""How wide a text is, and where it breaks into lines."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from pecli.core.lazy import Axes
from pecli.page.words import Piece, Words, ems, is_wide

LEAST_DPI = 100  # at which texts are measured: with fewer pixels letters have no true width
LINE = 1.25  # of its size, the height of a line of text
HEADLINE = "semibold"  # the weight of what there is to see in a picture
CLOSING = "，。、；：？！）】》」』”’·,.;:?!)]}"  # stays with what stands before
WORD = 2  # ems of what a colon does not part from what it explains
OPENING = "（【《「『“‘"  # stays with what comes after
BEFORE_NUMBERS = ("×", "第", "在", "从", "到", "至")  # likewise across a blank
ARTICLE = "a"  # which does not stand at the end of a line
BETWEEN = ("<", ">", "=", "−")  # never at the end or the beginning of a line
SIGN = re.compile(r"\$[^$]*\$|.")  # mathematics, or any other character


class Ruler:
    """Measures text at a resolution, in one weight (None: the style's); lengths in inches, sizes in points.

    dpi : pixels an inch of the picture; of one that has few, text is measured as in a finer one
    """

    def __init__(self, dpi: float, weight: str | None = None) -> None:
        from matplotlib.backends.backend_agg import RendererAgg

        self.dpi, self.weight = max(LEAST_DPI, dpi), weight
        self.renderer: Any = RendererAgg(16, 16, self.dpi)  # type: ignore[no-untyped-call]
        self._widths: dict[tuple[str, float], float] = {}

    def width(self, text: str, points: float) -> float:
        """Return the width of the longest line, without the blanks at its end."""
        return max(self._line_width(line.rstrip(" "), points) for line in text.split("\n"))

    def _line_width(self, line: str, points: float) -> float:
        from matplotlib.cbook import is_math_text
        from matplotlib.font_manager import FontProperties

        if (line, points) not in self._widths:
            font, math = FontProperties(size=points, weight=self.weight), bool(is_math_text(line))
            width = self.renderer.get_text_width_height_descent(line, font, math)[0] if line else 0.0
            self._widths[line, points] = float(width) / self.dpi
        return self._widths[line, points]

    def words(self, text: str, points: float) -> Words:
        """Return a text in measured pieces."""
        if not text:
            return Words()
        paragraphs = tuple(tuple(map(partial(self._piece, points), pieces(line))) for line in text.split("\n"))
        return Words(paragraphs, LINE * points / 72)

    def _piece(self, points: float, text: str) -> Piece:
        word = text.rstrip(" ")
        blank = self._advance(" ", points) if word != text else 0.0
        return Piece(text, self._advance(word, points), blank * (len(text) - len(word)))

    def _advance(self, text: str, points: float) -> float:
        """Return how far a text moves what comes after it, which is more than the width of its ink."""
        return self._line_width(f"n{text}n", points) - self._line_width("nn", points)

    def wrapped(self, text: str, points: float, room: float) -> str:
        """Return the text in lines of at most so many inches."""
        return self.words(text, points).wrapped(room)


def points_per_pixel(axes: Axes) -> float:
    """Return how many points a pixel is in the picture of an Axes."""
    return 72 / float(axes.get_figure(root=True).dpi)  # type: ignore[union-attr]  # an Axes that is drawn on has one


def pieces(line: str) -> list[str]:
    """Return the line in pieces between which it may break, each with the blanks behind it; mathematics stays whole."""
    found: list[str] = []
    for sign in SIGN.findall(line):
        if found and _goes_on(found[-1], sign):
            found[-1] += sign
        else:
            found.append(sign)
    return found


def _goes_on(before: str, sign: str) -> bool:
    """Return whether a piece goes on: an English word, a number with its unit, what closes or opens."""
    word, wide = before.rstrip(" "), is_wide(sign[0])
    number = word[-1:].isdigit() or word.endswith("%")
    if sign in (" ", *CLOSING):
        return True
    if word != before:
        beside = sign in BETWEEN or word.endswith((*BEFORE_NUMBERS, *BETWEEN)) or word == ARTICLE
        beside |= word.endswith(":") and ems(word) < WORD  # Δ: reordered
        return beside or (number and (wide or sign == "×"))
    return word[-1] in OPENING or (number if wide else not is_wide(word[-1]))
