"""How wide a text is, and where it breaks into lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_DPI = 100  # at which texts are measured: with fewer pixels letters have no true width
HEADLINE = "bold"  # the weight of what there is to see in a picture
CLOSING = "，。、；：？！）】》」』”’·,.;:?!)]}"  # stays with what stands before
ENDS = (";", "；", "。")
BREAKS = (ENDS, (*ENDS, ",", "，"), (*ENDS, ",", "，", ":", "："))  # behind them a line breaks best, next best, …
STEPS = 12  # widths between the narrowest and the widest that lines of one length are tried at
OPENING = "（【《「『“‘"  # stays with what comes after
BEFORE_NUMBERS = ("×", "第", "在", "从", "到", "至")  # likewise across a blank
ARTICLE = "a"  # which does not stand at the end of a line
COMPARING = ("<", ">")  # never at the end or the beginning of a line
SIGN = re.compile(r"\$[^$]*\$|.")  # mathematics, or any other character


class Piece(NamedTuple):
    """A piece of a line that stays whole, its width, and that of the blanks behind it."""

    text: str
    width: float
    behind: float


class Ruler:
    """Measures text at a resolution, in one weight (None: the style's); lengths in inches, sizes in points.

    dpi : pixels an inch of the picture; of one that has few, text is measured as in a finer one
    """

    def __init__(self, dpi: float, weight: str | None = None) -> None:
        self.dpi, self.weight = max(LEAST_DPI, dpi), weight
        self.renderer = _renderer(self.dpi, _letters())

    def width(self, text: str, points: float) -> float:
        """The width of the longest line."""
        return max((self._line(line, points) for line in text.split("\n")), default=0.0)

    def _line(self, line: str, points: float) -> float:
        return _pixels(self.renderer, line, points, self.weight) / self.dpi if line else 0.0

    def wrapped(self, text: str, points: float, room: float) -> str:
        """The text in lines of at most so many inches; what is too long in one piece is broken anywhere."""
        return "\n".join(part for line in text.split("\n") for part in self._wrapped(line, points, room))

    def _wrapped(self, line: str, points: float, room: float) -> list[str]:
        """Lines of about one length, between clauses where that takes no line more."""
        if self.width(line, points) <= room:
            return [line]
        blank = self.width("a a", points) - self.width("aa", points)
        words = self._measured_pieces(self._short_pieces(line, points, room), points, blank)
        count = len(filled(words, room))
        for signs in BREAKS:
            whole = self._measured_pieces(clauses_of([text for text, *_ in words], signs), points, blank)
            if all(width <= room for _, width, _ in whole) and len(filled(whole, room)) <= count:
                return balanced(whole, room)
        return balanced(words, room)

    def _measured_pieces(self, texts: Sequence[str], points: float, blank: float) -> list[Piece]:
        """Pieces of a line with their widths and those of the blanks behind them."""
        return [Piece(one, self.width(one.rstrip(" "), points), blank * one.endswith(" ")) for one in texts]

    def _short_pieces(self, line: str, points: float, room: float) -> list[str]:
        """The pieces of a line, those that are too long as single characters, but for mathematics."""
        found: list[str] = []
        for piece in pieces(line):
            found += [piece] if "$" in piece or self.width(piece.rstrip(" "), points) <= room else list(piece)
        return found


@lru_cache(maxsize=8)
def _renderer(dpi: float, letters: str) -> Any:
    """What measures text: one for all pictures in these letters, since matplotlib keeps what each has measured."""
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(16, 16, dpi)  # type: ignore[no-untyped-call]  # matplotlib says nothing of it


def _letters() -> str:
    """All that the size of letters depends on besides what a text is given: settings, and the fonts that there are."""
    import matplotlib as mpl
    from matplotlib.font_manager import fontManager

    groups = ("font.", "text.", "mathtext.")
    return str([len(fontManager.ttflist), *(one for one in mpl.rcParams.items() if one[0].startswith(groups))])


@lru_cache(maxsize=4096)
def _pixels(renderer: Any, line: str, points: float, weight: str | None) -> float:
    """The width of a line, one renderer having one value for each."""
    from matplotlib.cbook import is_math_text
    from matplotlib.font_manager import FontProperties

    font, math = FontProperties(size=points, weight=weight), bool(is_math_text(line))
    width, _, _ = renderer.get_text_width_height_descent(line, font, math)
    return float(width)


def is_wide(sign: str) -> bool:
    """Whether a character is as wide as it is high, as Chinese is: a line may break beside it."""
    return unicodedata.east_asian_width(sign) in "WF"


def ems(text: str) -> float:
    """About how wide a text is, in its own size."""
    return sum(1.0 if is_wide(sign) else 0.65 for sign in text)


def backing(axes: Axes) -> dict[str, Any]:
    """The box behind a text that stands over lines; none on a panel that is itself transparent."""
    from matplotlib.colors import to_rgba

    red, green, blue, opacity = to_rgba(axes.get_facecolor())
    return {"facecolor": (red, green, blue, 0.8 * opacity), "edgecolor": "none", "pad": 0.5}


def points_per_pixel(axes: Axes) -> float:
    """How many points a pixel is in the picture that an Axes stands in."""
    return 72 / float(axes.get_figure(root=True).dpi)  # type: ignore[union-attr]  # an Axes that is drawn on has one


def filled(parts: Sequence[Piece], room: float) -> list[str]:
    """Lines of at most that width, each as full as it gets."""
    lines, used = [""], 0.0
    for text, width, behind in parts:
        if lines[-1] and used + width > room:
            lines.append("")
            used = 0.0
        lines[-1] += text
        used += width + behind
    return [one.strip(" ") for one in lines]


def balanced(parts: Sequence[Piece], room: float) -> list[str]:
    """As few lines as there can be, the longest of them as short as it can be: no last word stands alone."""
    lines = filled(parts, room)
    least = sum(width + behind for _, width, behind in parts) / len(lines)
    tried = (filled(parts, least + step * (room - least) / STEPS) for step in range(STEPS))
    return next((one for one in tried if len(one) == len(lines)), lines)


def clauses_of(parts: Sequence[str], signs: tuple[str, ...]) -> list[str]:
    """Pieces of a line joined as far as the next of these signs."""
    found = [""]
    for part in parts:
        found[-1] += part
        if part.rstrip(" ").endswith(signs):
            found.append("")
    return [one for one in found if one]


def pieces(line: str) -> list[str]:
    """The line in pieces between which it may break, each with the blanks behind it; mathematics stays whole."""
    found: list[str] = []
    for match in SIGN.finditer(line):
        if found and _goes_on(found[-1], match[0]):
            found[-1] += match[0]
        else:
            found.append(match[0])
    return found


def _goes_on(before: str, sign: str) -> bool:
    """Whether a piece goes on with a sign or word: an English word, a number with its unit, what closes or opens."""
    word, wide = before.rstrip(" "), is_wide(sign[0])
    number = word[-1:].isdigit() or word.endswith("%")
    if sign in (" ", *CLOSING):
        return True
    if word != before:
        beside = sign in COMPARING or word.endswith((*BEFORE_NUMBERS, *COMPARING)) or word == ARTICLE
        return beside or (number and (wide or sign == "×"))
    return word[-1] in OPENING or (number if wide else not is_wide(word[-1]))
