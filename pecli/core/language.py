"""The language of a picture or report: English, or another one of the files of `pecli/languages`.

Every text has a key there, under which each language has its sentence: ``say("figures.cells", rows=3, columns=4)``.
Names that a person types, numbers and formulas are the blanks of a sentence. A pair of sentences is for one and for
more than one, told by the blank ``count``. What is no key is said as it stands, in another language as that has it:
names of encodings and summaries of commands. Messages of the command line are English.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

from pecli.core.errors import UnknownNameError, UsageError
from pecli.core.lazy import cached
from pecli.core.options import Options, option

ENGLISH = "en"
FOLDER = Path(__file__).parent.parent / "languages"
VARIABLE = "PECLI_LANG"
OTHER_NAMES = {"cn": "zh", "zh-cn": "zh", "zh_cn": "zh"}  # understood, not listed

_CURRENT: ContextVar[str] = ContextVar("current", default=ENGLISH)


def languages() -> tuple[str, ...]:
    """Return the languages that there are."""
    return (ENGLISH, *sorted({path.stem for path in FOLDER.glob("[a-z]*.py")} - {ENGLISH}))


@dataclass(frozen=True)
class Language(Options):
    """What language the texts are in."""

    what = "language option"

    lang: str = option(
        ENGLISH, f"language of the texts, for all by {VARIABLE}", choices=languages, names=OTHER_NAMES, common=True
    )


IN_ENGLISH = Language()


def by_environment(given: Collection[str] = ()) -> dict[str, str]:
    """Return the option that the environment gives where it is not given; raises UsageError for no language."""
    lang = "" if "lang" in given else os.environ.get(VARIABLE, "")
    if lang and lang not in languages():
        raise UsageError(f"{VARIABLE}: {UnknownNameError('language', lang, languages())}")
    return {"lang": lang} if lang else {}


def set_by_environment() -> tuple[str, ...]:
    """Return the options whose defaults the environment changes: a line that is to be run anywhere tells them."""
    return ("lang",) if os.environ.get(VARIABLE) else ()


def language_of(lang: str | None) -> Language:
    """Return the language of that name, or of the environment where none is given; raises UsageError for none."""
    return Language.make(by_environment() if lang is None else {"lang": lang})


@contextmanager
def use_language(language: Language) -> Iterator[None]:
    """Translate all phrases into that language inside the block."""
    token = _CURRENT.set(language.lang)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_language() -> str:
    """Return the current language, as web pages call it too."""
    return _CURRENT.get()


class Sentence(str):
    """A text that was said, which knows its key and the numbers and names in it."""

    key: str
    blanks: Mapping[str, Any]


def say(key: str, /, **blanks: Any) -> str:
    """Return the text of that key in the current language, its blanks filled in; the key itself where it is none."""
    text = texts(_CURRENT.get()).get(key) or texts(ENGLISH).get(key, key)
    if isinstance(text, tuple):
        text = text[blanks["count"] != 1]
    said = Sentence(text.format_map(blanks) if blanks else text)
    said.key, said.blanks = key, {name: item.item() if hasattr(item, "item") else item for name, item in blanks.items()}
    return said


def finding(text: str) -> dict[str, Any]:
    """Return a text that was said as data: its key, and the numbers and names in it; {} of any other text."""
    return {**text.blanks, "key": text.key} if isinstance(text, Sentence) else {}


def capitalised(text: str) -> str:
    """Return the text with a capital where it begins, unless that is the name of a number: ρ, d."""
    return text[:1].upper() + text[1:] if text[:1].isascii() and text[1:2] not in (" ", "") else text


Join = Callable[[Iterable[str]], str]


def _joined_by(key: str) -> Join:
    """Return a function that joins those of several texts that are not empty."""

    def joined(parts: Iterable[str]) -> str:
        filled = filter(None, parts)
        return reduce(lambda item, other: say(key, one=item, other=other), filled, next(filled, ""))

    return joined


join_clauses = _joined_by("join.clauses")
listing = _joined_by("join.list")
join_and = _joined_by("join.and")
join_or = _joined_by("join.or")
join_title = _joined_by("join.title")


def enumerated(texts: Sequence[str]) -> str:
    """Return texts as a sentence lists them: one, two and three."""
    return join_and([listing(texts[:-1]), *texts[-1:]])


def merge_labels(labels: Sequence[str], texts: Sequence[Sequence[str]]) -> list[str]:
    """Return the texts of several, each once: those of all, then the others with the labels that they belong to."""
    every = dict.fromkeys(text for each in texts for text in each if text)
    owners = {text: [label for label, each in zip(labels, texts, strict=True) if text in each] for text in every}
    join = join_clauses if any(", " in label for label in labels) else listing  # a name with a comma ends at none
    rest = {text: names for text, names in owners.items() if len(names) < len(labels)}
    common = [text for text in every if text not in rest]
    return common + [say("join.with_names", text=text, names=join(names)) for text, names in rest.items()]


def letters() -> str:
    """Return every character of the current language, to find fonts for; nothing for English."""
    lang = _CURRENT.get()
    return "" if lang == ENGLISH else "".join(sorted({sign for sign in str(texts(lang)) if not sign.isascii()}))


@cached
def texts(lang: str) -> dict[str, str | tuple[str, str]]:
    """Return the texts of a language by their keys."""
    found: dict[str, str | tuple[str, str]] = import_module(f"pecli.languages.{lang}").TEXTS
    return found
