"""What a shell offers at Tab: values of options, parameters of encodings, files in their texts."""

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

Offer = tuple[str, str]  # a value, and what it is
INDICES = ("0", "0,1,2,3", "0..7")  # for lists of whole numbers
BREAKS = ":="  # what bash takes for words of their own


def offered_values(entry: Option, typed: str = "") -> list[Offer]:
    """Return the values that a shell offers for an option and what each is; none where any text may stand, or a file.

    typed : what stands there so far
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
    before = typed[: typed.rfind(",") + 1]  # of several values
    return [(f"{before}{name}", "") for name in names]


def _matplotlib(name: str) -> Path:
    """Return a file or folder of matplotlib's, whose import takes 0.15 s."""
    return Path(getattr(find_spec("matplotlib"), "origin", "")).with_name(name)


def _colour_maps() -> Iterable[str]:
    """Return matplotlib's colour maps: those in its stub file, which names them since 3.11."""
    if names := re.findall(r"^(\w+): colors\.Colormap$", _matplotlib("cm.pyi").read_text(), re.MULTILINE):
        return names
    from matplotlib import colormaps

    return colormaps


def _encodings(typed: str) -> list[Offer]:
    """Return names of encodings; behind a name and a colon its parameters, behind a parameter its values."""
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
    return offers if len(matching) != 1 else [*matching, (matching[0][0] + "…", "")]  # so that no blank follows


def _files(typed: str) -> Iterator[Offer]:
    """Yield the tables, and the folders, that a path may go on with."""
    folder = typed.rpartition("/")[0]
    for item in sorted(os.scandir(folder or "."), key=lambda item: item.name) if os.path.isdir(folder or ".") else ():
        path = f"{folder}/{item.name}" if folder or typed.startswith("/") else item.name
        if item.is_dir():
            yield f"{path}/", ""
        elif Path(path).suffix.lower() in TABLE_READERS:
            yield path, ""


def complete_in_bash(run: Callable[[], None]) -> None:
    """Answer bash, which splits words at colons and equals signs: they are joined for Typer, and of what is offered
    the part stays that takes the last one's place."""
    text = os.environ["COMP_WORDS"]
    words = text.split("\n" if "\n" in text else " ")[: int(os.environ["COMP_CWORD"]) + 1]
    joined: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if word == "=" and joined[-1].startswith("--"):
            joined.append("")  # for the value
        elif joined and any(part and not part.strip(BREAKS) for part in (before, word)):
            joined[-1] += word
        else:
            joined.append(word)
    os.environ |= {"COMP_WORDS": " ".join(joined), "COMP_CWORD": str(len(joined) - 1)}
    kept = max(joined[-1].rfind(sign) for sign in BREAKS) + 1
    with redirect_stdout(io.StringIO()) as told, suppress(SystemExit):
        run()
    print_results(line[kept:] for line in told.getvalue().splitlines())
