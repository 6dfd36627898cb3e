"""The language that a picture or report speaks: English, or one of the files of `pecli/languages`.

A text that somebody reads in a picture or report is a template with named blanks, said by `phrase`:

    phrase("each pixel: mean of {count:,} positions", count=size)

The English template is the key under which `pecli/languages/zh.toml` has the same in Chinese, with the same blanks in
whatever order Chinese wants them. So a new text is written in two places: here whole, never put together from halves
("pairs" or "columns" inside a sentence are two templates), and as a line of every file of that folder; a test names
what is missing. Names that a person types (encodings, options, values), numbers and formulas stay as they are: they go
into blanks. A text that stands as data, a label of a class or a table, is marked where it stands and said where it is
shown: ``position_label = template("position p")``, later ``phrase(encoding.position_label)``. What stands side by side
is joined by `clauses` (a; b), `listing` (a, b), `both` (a and b) and `either` (a or b). Messages of the
command line are English.

The folder is the list of languages: another language is one more file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pecli.core.errors import UnknownNameError, UsageError
from pecli.core.lazy import cached
from pecli.core.options import Options, option

ENGLISH = "en"  # the templates themselves
FOLDER = Path(__file__).parent.parent / "languages"
VARIABLE = "PECLI_LANG"
OTHER_NAMES = {"cn": "zh", "zh-cn": "zh", "zh_cn": "zh"}  # understood, not listed

_SPOKEN: ContextVar[str] = ContextVar("spoken", default=ENGLISH)


def languages() -> tuple[str, ...]:
    """The languages that there are."""
    return (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.toml")))


@dataclass(frozen=True)
class Language(Options):
    """What language the texts are in."""

    what = "language option"

    lang: str = option(ENGLISH, f"language of the texts, for all by {VARIABLE}", choices=languages, names=OTHER_NAMES)


IN_ENGLISH = Language()


def by_environment(given: Collection[str] = (), environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The option that the environment gives, by name; mostly none.

    given : the options that are given, which win, whatever the environment says

    Raises
    ------
    UsageError : the environment counts, and names no language
    """
    lang = environment.get(VARIABLE, "")
    if not lang or "lang" in given:
        return {}
    if lang not in languages():
        error = UnknownNameError("language", lang, languages())
        raise UsageError(f"{VARIABLE}: {error.sentence()}")
    return {"lang": lang}


def left_open(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The options whose defaults the environment changes: a line that is to be run anywhere tells them."""
    return ("lang",) if environment.get(VARIABLE, "") else ()


def language_of(lang: str | None) -> Language:
    """The language of that name, or of the environment where none is given; raises UsageError for none that is."""
    return Language.make(by_environment() if lang is None else {"lang": lang})


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Says all phrases in that language inside the block."""
    token = _SPOKEN.set(language.lang)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def spoken() -> str:
    """The language that is spoken, as web pages call it too."""
    return _SPOKEN.get()


def phrase(template: str, /, **blanks: Any) -> str:
    """The template in the language that is spoken, its blanks filled in; in English where there is no other."""
    said = texts(_SPOKEN.get()).get(template, template)
    return said.format(**blanks) if blanks else said


def template(text: str) -> str:
    """The same text, marked as a template that is said elsewhere."""
    return text


def templates(texts: Mapping[str, str]) -> Mapping[str, str]:
    """The same texts by the same names, marked as templates that are said elsewhere."""
    return texts


def clauses(parts: Iterable[str]) -> str:
    """Those of the parts that say something, one after the other."""
    return _joined(parts, "{one}; {other}")


def capitalised(text: str) -> str:
    """The text with a capital where it begins."""
    return text[:1].upper() + text[1:]


def said_by_each(labels: Sequence[str], own: Sequence[Sequence[str]]) -> list[str]:
    """What several say, each thing once: first what all of them do, then the rest with the labels of those who do."""
    texts = dict.fromkeys(text for one in own for text in one if text)
    common = [text for text in texts if all(text in one for one in own)]
    said = {text: [label for label, one in zip(labels, own, strict=True) if text in one] for text in texts}
    join = clauses if any(", " in label for label in labels) else listing  # a name with a comma ends at none
    rest = (phrase("{text} ({names})", text=text, names=join(said[text])) for text in texts if text not in common)
    return [*common, *rest]


def listing(parts: Iterable[str]) -> str:
    """Those of the names that are not empty, as a list."""
    return _joined(parts, "{one}, {other}")


def both(parts: Iterable[str]) -> str:
    """The parts, all of them meant."""
    return _joined(parts, "{one} and {other}")


def either(parts: Iterable[str]) -> str:
    """The parts, one of them meant."""
    return _joined(parts, "{one} or {other}")


def letters() -> str:
    """Every character of the language that is spoken, to find fonts for; nothing for English."""
    every = {sign for text in texts(_SPOKEN.get()).values() for sign in text if not sign.isascii()}
    return "".join(sorted(every))


@cached
def texts(lang: str) -> dict[str, str]:
    """The templates of a language by the English ones."""
    import tomllib

    return {} if lang == ENGLISH else tomllib.loads((FOLDER / f"{lang}.toml").read_text(encoding="utf-8"))


def _joined(parts: Iterable[str], between: str) -> str:
    said = [part for part in parts if part]
    return reduce(lambda one, other: phrase(between, one=one, other=other), said) if said else ""
