"""The language of pictures and reports: English, or another module of `pecli.languages`.

Every text has a key, under which each language has a sentence: ``say("figures.cells", rows=3, columns=4)``. Names,
numbers and formulas fill its placeholders. If a key has two sentences, singular and plural, the placeholder ``count``
chooses between them. Names of encodings have no key: the English name itself is looked up, and is returned unchanged
if the language does not translate it. Messages of the command line are always English.
"""

from __future__ import annotations

import os
import re
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
from pecli.languages import VERSIONS

ENGLISH = "en"
FOLDER = Path(__file__).parent.parent / "languages"
VARIABLE = "PECLI_LANG"
ALIASES = {"cn": "zh", "zh-cn": "zh", "zh_cn": "zh"}  # other codes that are accepted but not listed

_CURRENT: ContextVar[str] = ContextVar("current", default=ENGLISH)


def languages() -> tuple[str, ...]:
    """Return the codes of the available languages, English first."""
    return (ENGLISH, *sorted({path.stem for path in FOLDER.glob("[a-z]*.py")} - {ENGLISH}))


@dataclass(frozen=True)
class Language(Options):
    """The language of the texts."""

    what = "language option"

    lang: str = option(
        ENGLISH,
        f"language of the texts; {VARIABLE} sets it for every command",
        choices=languages,
        names=ALIASES,
        common=True,
    )


IN_ENGLISH = Language()


def options_from_environment(given: Collection[str] = ()) -> dict[str, str]:
    """Return the language option set by the environment, {} if there is none or `lang` is in `given`.

    Raises UsageError if the environment names an unknown language.
    """
    lang = "" if "lang" in given else os.environ.get(VARIABLE, "")
    if lang and lang not in languages():
        raise UsageError(f"{VARIABLE}: {UnknownNameError('language', lang, languages())}")
    return {"lang": lang} if lang else {}


def options_set_by_environment() -> tuple[str, ...]:
    """Return the names of the options whose defaults the environment sets; a portable command spells them out."""
    return ("lang",) if os.environ.get(VARIABLE) else ()


def language_of(lang: str | None) -> Language:
    """Return the language with the given code, by default the environment's. Raises UsageError if it is unknown."""
    return Language.make(options_from_environment() if lang is None else {"lang": lang})


@contextmanager
def use_language(language: Language) -> Iterator[None]:
    """Use the language inside the block."""
    token = _CURRENT.set(language.lang)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_language() -> str:
    """Return the code of the current language, as in HTML's ``lang``."""
    return _CURRENT.get()


class Sentence(str):
    """A text made by `say`, with its key and the values in its placeholders."""

    key: str
    blanks: Mapping[str, Any]


def say(key: str, /, **blanks: Any) -> str:
    """Return the text of this key in the current language, placeholders filled in; the key itself if it is unknown."""
    text = texts(_CURRENT.get()).get(key) or texts(ENGLISH).get(key, key)
    if isinstance(text, tuple):
        text = text[blanks["count"] != 1]
    said = Sentence(text.format_map(blanks) if blanks else text)
    said.key, said.blanks = key, {name: item.item() if hasattr(item, "item") else item for name, item in blanks.items()}
    return said


def summary_of(name: str, english: str) -> str:
    """Return the one-line summary of a figure or report in the current language; `english` if it is not translated."""
    text = texts(_CURRENT.get()).get("summary." + name, english)
    return text if isinstance(text, str) else text[-1]


def finding(text: str) -> dict[str, Any]:
    """Return a text made by `say` as data: its key, and the values in its placeholders; {} for any other text."""
    return {**text.blanks, "key": text.key} if isinstance(text, Sentence) else {}


def capitalised(text: str) -> str:
    """Return the text with its first letter capitalised.

    Texts that begin with a symbol (ρ, d), a name such as xPos or the name of a file are returned unchanged.
    """
    symbol = not text[:1].isascii() or (text[1:2] in (" ", "") and text[:2] != "a ")
    word = not symbol and not text[1:2].isupper()
    word = word and not re.match(r"\S*[^\W\d][./_#][^\W\d]", text)
    return text[:1].upper() + text[1:] if word else text


Join = Callable[[Iterable[str]], str]


def _joined_by(key: str) -> Join:
    """Return a function that joins texts by the sentence with the given key and skips empty texts."""

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
    """Return texts as an enumeration: one, two and three."""
    return join_and([listing(texts[:-1]), *texts[-1:]])


def merge_labels(labels: Sequence[str], texts: Sequence[Sequence[str]]) -> list[str]:
    """Return the distinct texts: first those that all labels share, then the others, each with its labels.

    texts : the texts of each label
    """
    every = dict.fromkeys(text for each in texts for text in each if text)
    owners = {text: [label for label, each in zip(labels, texts, strict=True) if text in each] for text in every}
    # names that contain commas are not joined by commas
    join = join_clauses if any(", " in label for label in labels) else listing
    rest = {text: names for text, names in owners.items() if len(names) < len(labels)}
    common = [text for text in every if text not in rest]
    return common + [say("join.with_names", text=text, names=join(names)) for text, names in rest.items()]


def letters() -> str:
    """Return the non-ASCII characters of the current language, for which a font must be found; "" for English."""
    lang = _CURRENT.get()
    return "" if lang == ENGLISH else "".join(sorted({sign for sign in str(texts(lang)) if not sign.isascii()}))


@cached
def texts(lang: str) -> dict[str, str | tuple[str, str]]:
    """Return the texts of a language by key."""
    found: dict[str, str | tuple[str, str]] = import_module(f"pecli.languages.{lang}").TEXTS
    return {key: _with_versions(text) for key, text in found.items()}


def _with_versions(text: str | tuple[str, str]) -> Any:
    """Return a text, or its singular and plural, with the versions of transformers filled in."""
    if isinstance(text, tuple):
        return tuple(map(_with_versions, text))
    for name, version in VERSIONS.items():
        text = text.replace(f"{{{name}}}", version)
    return text
