"""A text as measured pieces: how many lines it takes in a given width, and where they break. Lengths in inches."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

ENDS = (";", "；", "。", "·")
BREAKS = (ENDS, (*ENDS, ":", "："), (*ENDS, ":", "：", ",", "，"))  # behind them a line breaks best, next best, …
CLAUSE = 4  # ems that a clause has at least: a line does not end behind "Δ:"
EVEN = 0.6  # of the longest line, that the shortest has where lines break between clauses
STEPS = 12  # widths between the narrowest and the widest that lines of one length are tried at
NARROW, BROAD = frozenset("fijlrtI .,:;|()[]'"), frozenset("mwMW%")  # letters of about 0.4 em, and of about 1


class Piece(NamedTuple):
    """What stays in one line, its width, and that of the blanks behind it."""

    text: str
    width: float
    blanks: float


@dataclass(frozen=True)
class Words:
    """A text. paragraphs : begin on a line of their own each; line : the height of a line."""

    paragraphs: tuple[tuple[Piece, ...], ...] = ()
    line: float = 0.0

    def width(self) -> float:
        """Return the width of the widest paragraph in one line."""
        return max(map(width_of, self.paragraphs), default=0.0)

    def height(self, room: float) -> float:
        """Return how high the text is in lines of at most that width."""
        return self.line * sum(len(filled(fitting(paragraph, room), room)) for paragraph in self.paragraphs)

    def wrapped(self, room: float) -> str:
        """Return the text in as few lines as there can be, of about one length, between clauses where that takes no
        line more."""
        lines = (line for paragraph in self.paragraphs for line in wrapped(paragraph, room))
        return "\n".join("".join(piece.text for piece in line).strip(" ") for line in lines)


def width_of(line: Sequence[Piece]) -> float:
    """Return the width of a line without the blanks at its end."""
    return sum(piece.width + piece.blanks for piece in line) - (line[-1].blanks if line else 0.0)


def filled(pieces: Sequence[Piece], room: float) -> list[list[Piece]]:
    """Return lines of at most that width, each as full as it gets."""
    lines: list[list[Piece]] = [[]]
    used = 0.0
    for piece in pieces:
        if lines[-1] and used + piece.width > room:
            lines.append([])
            used = 0.0
        lines[-1].append(piece)
        used += piece.width + piece.blanks
    return lines


def fitting(pieces: Sequence[Piece], room: float) -> list[Piece]:
    """Return the pieces, those that are too long for a line in parts."""
    return [part for piece in pieces for part in broken(piece, room)]


def broken(piece: Piece, room: float) -> list[Piece]:
    """Return a piece as it is, or its words or letters where it is too long for a line; mathematics stays whole."""
    text = piece.text.rstrip(" ")
    if piece.width <= room or "$" in text or len(text) < 2:
        return [piece]
    parts = [f"{word} " for word in text.split(" ")] if " " in text else list(text)
    em = piece.width / ems(text)
    found = [Piece(part, em * ems(part.rstrip(" ")), em * ems(part) - em * ems(part.rstrip(" "))) for part in parts]
    found[-1] = found[-1]._replace(blanks=piece.blanks)
    return [own for part in found for own in (broken(part, room) if " " in text else [part])]


def wrapped(pieces: Sequence[Piece], room: float) -> list[list[Piece]]:
    """Return lines of about one length, between clauses where that takes no line more."""
    if width_of(pieces) <= room:
        return [[*pieces]]
    pieces = fitting(pieces, room)
    lines = balanced(pieces, room)
    for signs in BREAKS:
        clauses = [joined(clause) for clause in clauses_of(pieces, signs)]
        if max(clause.width for clause in clauses) > room:
            continue
        between = balanced(clauses, room)
        widths = [width_of(line) for line in between]
        if len(between) <= len(lines) and min(widths) >= EVEN * max(widths) - 1e-9:
            return between
    return lines


def balanced(pieces: Sequence[Piece], room: float) -> list[list[Piece]]:
    """Return as few lines as there can be, the longest as short as it can be."""
    lines = filled(pieces, room)
    least = width_of(pieces) / len(lines)
    tried = (filled(pieces, least + step * (room - least) / STEPS) for step in range(STEPS))
    return next((item for item in tried if len(item) == len(lines)), lines)


def clauses_of(pieces: Sequence[Piece], signs: tuple[str, ...]) -> list[list[Piece]]:
    """Return pieces as far as the next of these signs each."""
    found: list[list[Piece]] = [[]]
    for piece in pieces:
        found[-1].append(piece)
        if piece.text.rstrip(" ").endswith(signs) and ems("".join(own.text for own in found[-1])) >= CLAUSE:
            found.append([])
    return [clause for clause in found if clause]


def joined(pieces: Sequence[Piece]) -> Piece:
    """Return pieces as one."""
    return Piece("".join(piece.text for piece in pieces), width_of(pieces), pieces[-1].blanks)


def is_wide(sign: str) -> bool:
    """Return whether a character is as wide as it is high, as Chinese is: a line may break beside it."""
    return unicodedata.east_asian_width(sign) in "WF"


def ems(text: str) -> float:
    """Return about how wide a text is, in its own size."""
    return sum(1.0 if is_wide(sign) or sign in BROAD else 0.4 if sign in NARROW else 0.65 for sign in text)
