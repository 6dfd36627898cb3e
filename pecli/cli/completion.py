"""Shell completion of options' values, of encodings and their parameters, and of table files."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout, suppress
from importlib.util import find_spec
from pathlib import Path

from pecli.core.options import Option
from pecli.core.terminal import print_results
from pecli.encodings.registry import all_encodings, encoding_named
from pecli.files.tables import TABLE_READERS
from pecli.page.canvas import SIZES
from pecli.page.colors import MAPS

Offer = tuple[str, str]  # a completion and its description
INDICES = ("0", "0,1,2,3", "0..7")  # examples for lists of integers
BREAKS = ":="  # characters that bash splits words at


def offered_values(entry: Option, typed: str = "") -> list[Offer]:
    """Return the completions for an option's value; none if any text is allowed or a file is expected.

    typed : the text typed so far
    """
    if entry.name == "encoding":
        return _encodings(typed)
    names: Iterable[str] = entry.choices() if entry.choices is not None else entry.names
    if entry.name == "size":
        names = SIZES
    elif entry.name == "cmap":
        names = (name for name in (*MAPS, *_colour_maps()) if not name.endswith("_r"))
    elif entry.name == "style":
        names = sorted(path.stem for path in _matplotlib("mpl-data").glob("stylelib/[!_]*.mplstyle"))
    elif entry.many and entry.scalar is int:
        names = INDICES
    before = typed[: typed.rfind(",") + 1]  # values typed before the last comma
    return [(f"{before}{name}", "") for name in names]


def _matplotlib(name: str) -> Path:
    """Return the path of a file or folder in matplotlib, without importing matplotlib, because that takes 0.15 s."""
    return Path(getattr(find_spec("matplotlib"), "origin", "")).with_name(name)


def _colour_maps() -> Iterable[str]:
    """Return the names of matplotlib's colour maps, read from its stub file, which has listed them since 3.11."""
    if names := re.findall(
        r"^(\w+): colors\.Colormap$", _matplotlib("cm.pyi").read_text(encoding="utf-8"), re.MULTILINE
    ):
        return names
    from matplotlib import colormaps

    return colormaps


def _encodings(typed: str) -> list[Offer]:
    """Return completions for a spec: names of encodings, parameters after ``name:``, or values after ``parameter=``."""
    name, colon, text = typed.partition(":")
    if not colon:
        return [(name, kind.summary) for name, kind in all_encodings().items()]
    kind = encoding_named(name)
    if kind is None:
        return []
    before, _, last = text.rpartition(",")
    key, equals, value = last.partition("=")
    given = dict(part.partition("=")[::2] for part in before.split(","))
    head = f"{name}:{before}{',' if before else ''}"
    if equals and key in kind.options():
        entry = kind.options()[key]
        values = list(_files(value)) if entry.file else offered_values(entry)
        return [(f"{head}{key}={offer}", about) for offer, about in values]
    owned = ((entry, *(entry.only_with or ("", ()))) for entry in kind.options().values())
    fitting = [entry for entry, owner, values in owned if not owner or given.get(owner) in values]
    offers = [(f"{head}{entry.name}=", entry.help) for entry in fitting if entry.name not in given]
    matching = [offer for offer in offers if offer[0].startswith(typed)]
    if len(matching) != 1:
        return offers
    return [*matching, (matching[0][0] + "…", "")]  # a second offer, so that the shell adds no space


def _files(typed: str) -> Iterator[Offer]:
    """Yield the table files and folders that complete a path."""
    folder = typed.rpartition("/")[0]
    for item in sorted(os.scandir(folder or "."), key=lambda item: item.name) if os.path.isdir(folder or ".") else ():
        path = f"{folder}/{item.name}" if folder or typed.startswith("/") else item.name
        if item.is_dir():
            yield f"{path}/", ""
        elif Path(path).suffix.lower() in TABLE_READERS:
            yield path, ""


def complete_in_bash(run: Callable[[], None]) -> None:
    """Run the completion for bash, which splits words at colons and equals signs.

    The pieces are joined for Typer, and the part that bash already has is removed from each completion.
    """
    text = os.environ["COMP_WORDS"]
    words = text.split("\n" if "\n" in text else " ")[: int(os.environ["COMP_CWORD"]) + 1]
    joined: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if word == "=" and joined[-1].startswith("--"):
            joined.append("")  # the option's value follows
        elif joined and any(part and not part.strip(BREAKS) for part in (before, word)):
            joined[-1] += word
        else:
            joined.append(word)
    os.environ |= {"COMP_WORDS": " ".join(joined), "COMP_CWORD": str(len(joined) - 1)}
    kept = max(joined[-1].rfind(sign) for sign in BREAKS) + 1
    with redirect_stdout(io.StringIO()) as told, suppress(SystemExit):
        run()
    print_results(line[kept:] for line in told.getvalue().splitlines())
