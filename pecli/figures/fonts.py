"""Which fonts a picture is written in; Chinese characters wherever a font that has them is installed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from pecli.core.caching import cached
from pecli.core.errors import UnknownNameError, UsageError, mention
from pecli.core.readable import check_readable

CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
RARE = re.compile(r"[\u0590-\u1cff\U00010000-\U000e00ff]")  # letters of other scripts, emoji: not in every font
GENERIC = ("serif", "sans-serif", "monospace", "cursive", "fantasy")  # families that stand for others
CJK_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "SimHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)


def families(font: str | None, texts: str, notes: list[str]) -> list[str]:
    """Font families, the first wins for each character."""
    import matplotlib as mpl
    from matplotlib import font_manager

    installed = font_manager.fontManager.get_font_names()
    own = [family for family in mpl.rcParams["font.family"] if family in installed or family in GENERIC]
    members: Any = f"font.{font}"  # of a generic family, which stands for these
    if font in GENERIC and not set(mpl.rcParams[members]) & set(installed):
        notes.append(f"no {font} font is installed: {own[0]} is used")
    elif font is not None:
        own.insert(0, family_of(font))
    chinese = "".join(CJK.findall(texts))
    if chinese and not (font is not None and _draws(own[0], chinese)):
        found = _cjk_families()
        own = found + own if "$" in texts else own + found  # inside mathematics only the first family counts
        if not found:
            notes.append("no font with Chinese characters is installed: they are drawn as boxes; try --font FILE.ttf")
    notes += _boxes(own, texts)
    return own


def _boxes(used: list[str], texts: str) -> list[str]:
    """A note on rare characters that none of these families has; nothing where there are none."""
    lost = [one for one in dict.fromkeys(RARE.findall(texts)) if not any(_draws(family, one) for family in used)]
    return [f"no font in use has {' '.join(lost[:5])}: drawn as boxes; try --font FILE.ttf"] if lost else []


def _draws(family: str, text: str) -> bool:
    """Whether a font family has all these characters."""
    from matplotlib.ft2font import FT2Font

    known = FT2Font(os.fspath(_file_of(family))).get_charmap()  # matplotlib 3.10 takes no Path
    return all(ord(character) in known for character in text)


def _file_of(family: str) -> Path:
    """The file of a family, generic ones too; in a list, since a text with a hyphen would be a pattern."""
    from matplotlib.font_manager import FontProperties, findfont

    return Path(findfont(FontProperties(family=[family])))


@cached
def is_postscript(family: str) -> bool:
    """Whether the letters of a family are PostScript outlines (CFF) and not TrueType's, as those of most CJK fonts."""
    with _file_of(family).open("rb") as file:
        head = file.read(16)
        if head.startswith(b"ttcf"):  # a collection: its first font is at the offset that stands here
            file.seek(int.from_bytes(head[12:]))
            head = file.read(4)
    return head.startswith(b"OTTO")


def family_of(font: str) -> str:
    """The family of a font by its name, generic ones too, or from its file; raises UsageError for one that is none."""
    from matplotlib import font_manager

    manager = font_manager.fontManager
    if os.path.isfile(font):
        check_readable(font)
        try:
            manager.addfont(font)
            return font_manager.FontProperties(fname=font).get_name()
        except (OSError, RuntimeError, ValueError) as error:
            text = f"{mention('font', font)} is not a font file: {error}"
            raise UsageError(text, option="font", value=font) from None
    if font not in (*manager.get_font_names(), *GENERIC) and not _found_anew(font):
        raise UnknownNameError("font", font, sorted(manager.get_font_names()), option="font")
    return font


def _found_anew(font: str) -> bool:
    """Whether a font of that family was installed since matplotlib made its list; it is on the list then."""
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    manager = font_manager.fontManager
    listed = {one.fname for one in manager.ttflist}
    for path in sorted(set(font_manager.findSystemFonts()) - listed):
        try:
            if FT2Font(path).family_name == font:
                manager.addfont(path)
        except (OSError, RuntimeError, ValueError):
            continue
    return font in manager.get_font_names()


def _cjk_families() -> list[str]:
    """The installed fonts with Chinese characters; looked for again when matplotlib's list of fonts knows none."""
    from matplotlib import font_manager

    manager = font_manager.fontManager
    known = [name for name in CJK_FONTS if name in manager.get_font_names()]
    if known:
        return known
    for path in font_manager.findSystemFonts():
        if re.search(r"cjk|han|wqy|hei|ming|song|kai|yahei|pingfang|fallback", Path(path).name, re.IGNORECASE):
            try:
                manager.addfont(path)
            except (OSError, RuntimeError, ValueError):
                continue
    return [name for name in CJK_FONTS if name in manager.get_font_names()]
