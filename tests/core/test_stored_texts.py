"""Every sentence stays as it is in every language, and whoever changes one is told to look at the others.

A short digest of each sentence stands in tests/data/texts.txt. After a change that is meant, in all languages that it
concerns, write that anew: ``python -m tests.core.test_stored_texts``.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

from pecli.core.language import languages, texts

STORED = Path(__file__).parents[1] / "data" / "texts.txt"
DIGITS = 6  # of a digest


def digests() -> dict[str, str]:
    """Return for each key a digest of its sentence in each language, "-" where a language has none."""
    every = [texts(lang) for lang in languages()]
    keys = sorted({key for own in every for key in own})
    return {key: " ".join(digest(own[key]) if key in own else "-" for own in every) for key in keys}


def digest(text: str | tuple[str, str]) -> str:
    return sha256(repr(text).encode()).hexdigest()[:DIGITS]


def test_a_sentence_is_changed_in_every_language_or_in_none() -> None:
    stored = dict(line.split("\t") for line in STORED.read_text(encoding="utf-8").splitlines())
    made = digests()
    changed = [key for key in {*stored, *made} if stored.get(key) != made.get(key)]
    assert changed == [], f"look at these sentences in {', '.join(languages())}, then write the record anew"


if __name__ == "__main__":
    STORED.write_text("".join(f"{key}\t{text}\n" for key, text in digests().items()), encoding="utf-8")
    sys.stdout.write(f"{STORED.stat().st_size:,} bytes\n")
