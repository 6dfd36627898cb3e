"""What titles say of several encodings: what they have in common once, and what tells each from the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pecli.encodings.encoding import Encoding


def title_pieces(encoding: Encoding, without: Collection[str] = ()) -> list[str]:
    """What a title says of an encoding, piece by piece, but for these parameters."""
    told = encoding.title_texts()
    return [encoding.name, *(text for name, text in told.items() if name not in without)]


def in_common(encodings: Sequence[Encoding], without: Collection[str] = ()) -> list[str]:
    """What their titles have in common, without what is told elsewhere."""
    first, *others = (title_pieces(one, without) for one in encodings)
    return [text for text in first if all(text in other for other in others)]


def apart(encodings: Sequence[Encoding], without: Collection[str] = ()) -> list[str]:
    """What tells each from the others; the name of one that has nothing more than they all."""
    shared, every = in_common(encodings, without), [title_pieces(one, without) for one in encodings]
    if not shared and not without:
        return [one.label() for one in encodings]  # in its own words
    return [", ".join(text for text in own if text not in shared) or own[0] for own in every]


def short_names(encodings: Sequence[Encoding]) -> list[str]:
    """What tells each from the others in a sentence: its name, or else its parameters."""
    names = [one.name for one in encodings]
    return names if len(set(names)) == len(names) or len(set(encodings)) == 1 else apart(encodings)
