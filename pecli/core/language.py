"""The language of a picture or report: English, or one of the files of `pecli/languages`.

A text is a whole template with named blanks, ``phrase("mean of {count:,} positions", count=size)``, the key under which
`pecli/languages/zh.toml` has the Chinese one. Names that a person types, numbers and formulas go into blanks. A text
that stands as data is marked by `template` and translated by `phrase` where it is shown. Messages of the command line
are English. Another language is one more file in that folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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

_CURRENT: ContextVar[str] = ContextVar("current", default=ENGLISH)


def languages() -> tuple[str, ...]:
    """Return the languages that there are."""
    return (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.toml")))


@dataclass(frozen=True)
class Language(Options):
    """What language the texts are in."""

    what = "language option"

    lang: str = option(ENGLISH, f"language of the texts, for all by {VARIABLE}", choices=languages, names=OTHER_NAMES)


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


def translate(template: str, /, **blanks: Any) -> str:
    """Return the template in the current language, its blanks filled in; in English where there is no other."""
    text = texts(_CURRENT.get()).get(template, template)
    return text.format(**blanks) if blanks else text


def template(text: str) -> str:
    """Return the text, marked as a template that is translated elsewhere."""
    return text


def templates(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Return the texts, marked as templates that are translated elsewhere."""
    return texts


def capitalised(text: str) -> str:
    """Return the text with a capital where it begins."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text  # ρ and λ are names


def _joined_by(template: str) -> Callable[[Iterable[str]], str]:
    """Return a function that joins those of several texts that are not empty."""

    def joined(parts: Iterable[str]) -> str:
        filled = filter(None, parts)
        return reduce(lambda item, other: say(template, one=item, other=other), filled, next(filled, ""))

    return joined


join_clauses = _joined_by("{one}; {other}")
listing = _joined_by("{one}, {other}")
join_and = _joined_by("{one} and {other}")
join_or = _joined_by("{one} or {other}")


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
    return common + [say("join.text_names", text=text, names=join(names)) for text, names in rest.items()]


def letters() -> str:
    """Return every character of the current language, to find fonts for; nothing for English."""
    return "".join(sorted({sign for text in texts(_CURRENT.get()).values() for sign in text if not sign.isascii()}))


@cached
def texts(lang: str) -> dict[str, str]:
    """Return the templates of a language by the English ones."""
    import tomllib

    return {} if lang == ENGLISH else tomllib.loads((FOLDER / f"{lang}.toml").read_text(encoding="utf-8"))
