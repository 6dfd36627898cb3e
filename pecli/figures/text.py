"""How wide a text is, and where it breaks into lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from pecli.core.lazy import Axes

LEAST_DPI = 100  # at which texts are measured: with fewer pixels letters have no true width
HEADLINE = "bold"  # the weight of what there is to see in a picture
CLOSING = "，。、；：？！）】》」』”’·,.;:?!)]}"  # stays with what stands before
ENDS = (";", "；", "。")
BREAKS = (ENDS, (*ENDS, ":", "："), (*ENDS, ":", "：", ",", "，"))  # behind them a line breaks best, next best, …
WORD = 2  # ems of what a colon does not part from what it explains
CLAUSE = 4  # ems that a clause has at least: a line does not end behind "Δ:"
EVEN = 0.6  # of the longest line, that the shortest has where lines break between clauses
STEPS = 12  # widths between the narrowest and the widest that lines of one length are tried at
OPENING = "（【《「『“‘"  # stays with what comes after
BEFORE_NUMBERS = ("×", "第", "在", "从", "到", "至")  # likewise across a blank
ARTICLE = "a"  # which does not stand at the end of a line
BETWEEN = ("<", ">", "=", "−")  # never at the end or the beginning of a line
SIGN = re.compile(r"\$[^$]*\$|.")  # mathematics, or any other character
NARROW, BROAD = frozenset("fijlrtI .,:;|()[]'"), frozenset("mwMW%")  # letters of about 0.4 em, and of about 1


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

    def wrapped(self, text: str, points: float, room: float) -> str:
        """Return the text in lines of at most so many inches; what is too long in one piece is broken anywhere."""
        return "\n".join(part for line in text.split("\n") for part in self._wrapped(line, points, room))

    def _wrapped(self, line: str, points: float, room: float) -> list[str]:
        """Return lines of about one length, between clauses where that takes no line more."""
        if self.width(line, points) <= room:
            return [line]
        parts: list[str] = []
        for piece in pieces(line):
            fits = "$" in piece or self.width(piece, points) <= room
            parts += [piece] if fits else re.findall("[^ ]+ *", piece) if " " in piece.strip() else list(piece)
        lines = self._balanced(parts, points, room)
        for signs in BREAKS:
            between = self._balanced(clauses_of(parts, signs), points, room)
            widths = [self.width(own, points) for own in between]
            if len(between) <= len(lines) and max(widths) <= room and min(widths) >= EVEN * max(widths):
                return between
        return lines

    def _balanced(self, parts: Sequence[str], points: float, room: float) -> list[str]:
        """Return as few lines as there can be, the longest as short as it can be."""
        lines = self._filled(parts, points, room)
        least = self.width("".join(parts), points) / len(lines)
        tried = (self._filled(parts, points, least + step * (room - least) / STEPS) for step in range(STEPS))
        return next((item for item in tried if len(item) == len(lines)), lines)

    def _filled(self, parts: Sequence[str], points: float, room: float) -> list[str]:
        """Return lines of at most that width, each as full as it gets."""
        lines = [""]
        for part in parts:
            if lines[-1] and self.width(lines[-1] + part, points) > room:
                lines.append("")
            lines[-1] += part
        return [line.strip(" ") for line in lines]


def is_wide(sign: str) -> bool:
    """Return whether a character is as wide as it is high, as Chinese is: a line may break beside it."""
    return unicodedata.east_asian_width(sign) in "WF"


def ems(text: str) -> float:
    """Return about how wide a text is, in its own size."""
    return sum(1.0 if is_wide(sign) or sign in BROAD else 0.4 if sign in NARROW else 0.65 for sign in text)


def points_per_pixel(axes: Axes) -> float:
    """Return how many points a pixel is in the picture of an Axes."""
    return 72 / float(axes.get_figure(root=True).dpi)  # type: ignore[union-attr]  # an Axes that is drawn on has one


def clauses_of(parts: Sequence[str], signs: tuple[str, ...]) -> list[str]:
    """Return pieces of a line joined as far as the next of these signs."""
    found = [""]
    for part in parts:
        found[-1] += part
        if part.rstrip(" ").endswith(signs) and ems(found[-1]) >= CLAUSE:
            found.append("")
    return [item for item in found if item]


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
