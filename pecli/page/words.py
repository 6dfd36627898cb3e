"""Line breaking of a text in measured pieces. Lengths are in inches."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

ENDS = (";", "；", "。", "·")
BREAKS = (ENDS, (*ENDS, ":", "："), (*ENDS, ":", "：", ",", "，"))  # signs to break after, the best first
CLAUSE = 4  # least length of a clause in ems: no break after "Δ:"
EVEN = 0.5  # least ratio of the shortest to the longest line if lines break between clauses
STEPS = 12  # number of widths to try for balanced lines
NARROW, BROAD = frozenset("fijlrtI .,:;|()[]'"), frozenset("mwMW%")  # letters of about 0.4 em and about 1 em


class Piece(NamedTuple):
    """A piece of text that is not broken, its width, and the width of its trailing blanks."""

    text: str
    width: float
    blanks: float


@dataclass(frozen=True)
class Words:
    """A text in measured pieces.

    paragraphs : the pieces of each paragraph, which begins on a new line
    line : the height of a line
    """

    paragraphs: tuple[tuple[Piece, ...], ...] = ()
    line: float = 0.0

    def width(self) -> float:
        """Return the width of the widest paragraph on a single line."""
        return max(map(width_of, self.paragraphs), default=0.0)

    def height(self, room: float) -> float:
        """Return the text's height in lines of width `room` at most."""
        return self.line * sum(
            len(fill_lines(split_wide_pieces(paragraph, room), room)) for paragraph in self.paragraphs
        )

    def wrapped(self, room: float) -> str:
        """Return the text in the fewest lines, balanced in length, with breaks between clauses where possible."""
        lines = (line for paragraph in self.paragraphs for line in wrap_pieces(paragraph, room))
        return "\n".join("".join(piece.text for piece in line).strip(" ") for line in lines)


def width_of(line: Sequence[Piece]) -> float:
    """Return the width of a line without trailing blanks."""
    return sum(piece.width + piece.blanks for piece in line) - (line[-1].blanks if line else 0.0)


def fill_lines(pieces: Sequence[Piece], room: float) -> list[list[Piece]]:
    """Break pieces into lines of width `room` at most, each as full as possible."""
    lines: list[list[Piece]] = [[]]
    used = 0.0
    for piece in pieces:
        if lines[-1] and used + piece.width > room:
            lines.append([])
            used = 0.0
        lines[-1].append(piece)
        used += piece.width + piece.blanks
    return lines


def split_wide_pieces(pieces: Sequence[Piece], room: float) -> list[Piece]:
    """Split the pieces that are wider than `room`; return all pieces."""
    return [part for piece in pieces for part in split_piece(piece, room)]


def split_piece(piece: Piece, room: float) -> list[Piece]:
    """Return the piece, or its words or letters if it is wider than `room`; formulas stay whole."""
    text = piece.text.rstrip(" ")
    if piece.width <= room or "$" in text or len(text) < 2:
        return [piece]
    parts = [f"{word} " for word in text.split(" ")] if " " in text else list(text)
    em = piece.width / ems(text)
    found = [Piece(part, em * ems(part.rstrip(" ")), em * ems(part) - em * ems(part.rstrip(" "))) for part in parts]
    found[-1] = found[-1]._replace(blanks=piece.blanks)
    return [own for part in found for own in (split_piece(part, room) if " " in text else [part])]


def wrap_pieces(pieces: Sequence[Piece], room: float) -> list[list[Piece]]:
    """Break pieces into the fewest lines, balanced in length.

    Lines break between clauses if that takes no more lines.
    """
    if width_of(pieces) <= room:
        return [[*pieces]]
    pieces = split_wide_pieces(pieces, room)
    lines = balance_lines(pieces, room)
    for signs in BREAKS:
        clauses = [join_pieces(clause) for clause in clauses_of(pieces, signs)]
        if max(clause.width for clause in clauses) > room:
            continue
        between = balance_lines(clauses, room)
        widths = [width_of(line) for line in between]
        if len(between) <= len(lines) and min(widths) >= EVEN * max(widths) - 1e-9:
            return between
    return lines


def balance_lines(pieces: Sequence[Piece], room: float) -> list[list[Piece]]:
    """Break pieces into the fewest lines, with the longest line as short as possible."""
    lines = fill_lines(pieces, room)
    least = width_of(pieces) / len(lines)
    tried = (fill_lines(pieces, least + step * (room - least) / STEPS) for step in range(STEPS))
    return next((item for item in tried if len(item) == len(lines)), lines)


def clauses_of(pieces: Sequence[Piece], signs: tuple[str, ...]) -> list[list[Piece]]:
    """Group pieces into clauses, each of which ends with one of these signs."""
    found: list[list[Piece]] = [[]]
    for piece in pieces:
        found[-1].append(piece)
        if piece.text.rstrip(" ").endswith(signs) and ems("".join(own.text for own in found[-1])) >= CLAUSE:
            found.append([])
    return [clause for clause in found if clause]


def join_pieces(pieces: Sequence[Piece]) -> Piece:
    """Join pieces into one."""
    return Piece("".join(piece.text for piece in pieces), width_of(pieces), pieces[-1].blanks)


def is_wide(sign: str) -> bool:
    """Return whether a character is full-width, as in Chinese; lines may break beside it."""
    return unicodedata.east_asian_width(sign) in "WF"


def ems(text: str) -> float:
    """Estimate the width of a text in ems."""
    return sum(1.0 if is_wide(sign) or sign in BROAD else 0.4 if sign in NARROW else 0.65 for sign in text)
