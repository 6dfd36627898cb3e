"""A config as it is read: its keys, its architecture, and what there is to say of it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pecli.core.errors import UsageError
from pecli.core.language import phrase, templates
from pecli.encodings.configs.architecture import Architecture
from pecli.encodings.configs.json_file import shown
from pecli.encodings.configs.keys import Keys

SAID = templates({"error": "error: {key}: {text}", "warning": "warning: {key}: {text}", "note": "note: {key}: {text}"})
LEVELS = tuple(SAID)
STOPS = "transformers 4.57 and 5.23 stop with a KeyError"


def trouble(key: str, text: str) -> UsageError:
    """What keeps the encoding of a layer from being built: the key that is to blame, and why."""
    return UsageError(f"{key} {text}", option=key)


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion, or nothing."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.5)
    return phrase("; probably meant: {word}", word=near[0]) if near else ""


@dataclass(frozen=True)
class Finding:
    """What is wrong (error), odd or ignored (warning) or not in the file (note): a key, its value, one sentence."""

    key: str
    value: Any
    level: str
    text: str

    def line(self) -> str:
        """All of it on one line, safe for a terminal."""
        value = "" if self.value is None else f" = {shown(self.value)}"
        return phrase(SAID[self.level], key=f"{self.key}{value}", text=self.text)


@dataclass(frozen=True)
class Reading:
    """One config in the middle of being read; findings are added on the way, each once."""

    keys: Keys
    architecture: Architecture
    seq_len: int | None = None
    findings: list[Finding] = field(default_factory=list)

    @cached_property
    def given(self) -> Keys:
        """The object that holds the scaling, or all of rope; where there are two transformers 5 takes rope_scaling."""
        said = self.keys.table("rope_scaling") or self.keys.table("rope_parameters")
        older = self.keys.data.get("rotary")
        if said is None and isinstance(older, dict):  # InternLM
            names = {"base": "rope_theta", "type": "type", "scaling_factor": "factor"}
            return Keys(
                {"factor": 1.0} | {names[key]: value for key, value in older.items() if key in names}, "rotary."
            )
        if said is None and self.architecture.parameters:
            self.assumed("rope_parameters", shown(dict(self.architecture.parameters), most=200))
            return Keys(self.architecture.parameters)
        return said or Keys({})

    def error(self, key: str, text: str, value: Any = None) -> None:
        """Adds what keeps the model from being built."""
        self._add("error", key, text, value)

    def warning(self, key: str, text: str, value: Any = None) -> None:
        """Adds what is odd or ignored."""
        self._add("warning", key, text, value)

    def note(self, key: str, text: str) -> None:
        """Adds what is worth knowing."""
        self._add("note", key, text, None)

    def assumed(self, key: str, fact: object) -> None:
        """Adds that the file does not say a thing, and what the architecture's code takes."""
        one = self.architecture
        said = (
            phrase("the file does not say; the architecture {name} uses {fact}", name=one.name, fact=fact)
            if one.known
            else phrase("the file does not say; taken, as most models do: {fact}", fact=fact)
        )
        self.note(key, said)

    def _add(self, level: str, key: str, text: str, value: Any) -> None:
        value = self.keys.data.get(key) if value is None else value
        made = Finding(key, value, level, text)
        if made not in self.findings:
            self.findings.append(made)
