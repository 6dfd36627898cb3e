"""Images in a terminal: what it says that it can show, and pixels as the sequences of each protocol.

What is sent is made of pixels alone: nothing that stands in a file reaches the terminal. The library textual-image
(LGPL, 0.1 MB) was tried: it knows no iTerm, shows kitty's images by placeholders that kitty alone understands, and asks
the terminal when it is imported.
"""

from __future__ import annotations

import base64
import io
import os
import re
import select
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pecli.core.lazy import Array, np

if TYPE_CHECKING:
    from rich.console import Console

CELL = 10  # pixels of a column, where the terminal does not say it
PATIENCE = 1.0  # seconds in which a terminal answers, also from far away
CHUNK = 4096  # characters that kitty takes at once
BAND = 6  # rows of pixels in a sixel
COLOURS = 256  # of a sixel image
KITTY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"  # may it be shown?
ATTRIBUTES = "\x1b[c"  # what every terminal answers
ATTRIBUTES_ARE = re.compile(rb"\x1b\[\?([\d;]*)c")
SIXEL = b"4"  # among them


def kitty(pixels: Array, columns: int) -> str:
    """Pixels, shape (h, w, 3), uint8, so many columns wide, by kitty's graphics protocol."""
    height, width, _ = pixels.shape
    data = base64.b64encode(zlib.compress(pixels.tobytes())).decode()
    parts = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    head = f"a=T,f=24,o=z,q=2,s={width},v={height},c={columns},"
    keys = [head, *[""] * (len(parts) - 1)]
    more = [1] * (len(parts) - 1) + [0]
    return "".join(f"\x1b_G{key}m={m};{part}\x1b\\" for key, m, part in zip(keys, more, parts, strict=True))


def iterm(pixels: Array, columns: int) -> str:
    """The same by iTerm's inline images."""
    from PIL import Image

    Image.fromarray(pixels).save(file := io.BytesIO(), "png")
    data = file.getvalue()
    keys = f"inline=1;size={len(data)};width={columns};preserveAspectRatio=1"
    return f"\x1b]1337;File={keys}:{base64.b64encode(data).decode()}\x07"


def sixel(pixels: Array, columns: int) -> str:
    """The same as sixels, of at most so many colours; as wide as the pixels are."""
    from PIL import Image

    image = Image.fromarray(pixels).quantize(COLOURS)
    known, index = image.getpalette() or [], np.asarray(image)
    height, width = index.shape
    used = np.unique(index).tolist()
    shares = {at: [round(100 * one / 255) for one in known[3 * at : 3 * at + 3]] for at in used}
    palette = "".join(f"#{at};2;{red};{green};{blue}" for at, (red, green, blue) in shares.items())
    bands = "-".join(_band(index[top : top + BAND]) for top in range(0, height, BAND))
    return f'\x1bP0;1q"1;1;{width};{height}{palette}{bands}\x1b\\'


def _band(rows: Array) -> str:
    """Six rows of pixels: of each colour in them, in which columns and rows it stands."""
    weights = 1 << np.arange(len(rows))
    lines = []
    for colour in np.unique(rows).tolist():
        signs = (weights @ (rows == colour) + 63).astype(np.uint8).tobytes().decode()
        lines.append(f"#{colour}" + re.sub(r"(.)\1{3,}", lambda run: f"!{len(run[0])}{run[1]}", signs))
    return "$".join(lines)


def half_blocks(pixels: Array, console: Console) -> Any:
    """The same as rich's segments, two pixels a character, one column a pixel, in the colours that the console has."""
    from rich.color import Color
    from rich.segment import Segment, Segments
    from rich.style import Style

    even = np.concatenate([pixels, pixels[-1:]]) if len(pixels) % 2 else pixels
    found: list[Segment] = []
    for upper, lower in zip(even[::2].tolist(), even[1::2].tolist(), strict=True):
        cells = zip(upper, lower, strict=True)
        found += [Segment("▀", Style(color=Color.from_rgb(*up), bgcolor=Color.from_rgb(*down))) for up, down in cells]
        found.append(Segment.line())
    return Segments(found)


PROTOCOLS: dict[str, Callable[[Array, int], str]] = {"kitty": kitty, "iterm": iterm, "sixel": sixel}


def protocol(environment: Mapping[str, str] = os.environ, ask: Callable[[str], bytes] | None = None) -> str | None:
    """Which of the protocols the terminal says that it has; None where it says nothing."""
    if environment.get("TERM") == "dumb":
        return None
    inside = "TMUX" in environment or environment.get("TERM", "").startswith(("screen", "tmux"))
    program = (environment.get("TERM_PROGRAM"), environment.get("LC_TERMINAL"))
    if not inside and ("iTerm.app" in program or "iTerm2" in program):
        return "iterm"
    said = (ask or answer)(ATTRIBUTES if inside else KITTY + ATTRIBUTES)  # tmux takes kitty's question for a title
    if b"\x1b_Gi=31;OK" in said:
        return "kitty"
    attributes = ATTRIBUTES_ARE.search(said)
    return "sixel" if attributes and SIXEL in attributes[1].split(b";") else None


def answer(question: str) -> bytes:
    """What the terminal answers to it and to the question for its attributes; nothing where there is none to ask."""
    with suppress(OSError, ImportError), _unbuffered() as terminal:
        os.write(terminal, question.encode())
        return heard(terminal)
    return b""


def heard(terminal: int) -> bytes:
    """What a terminal says until it has said its attributes, or has had time to."""
    said, end = b"", time.monotonic() + PATIENCE
    while ATTRIBUTES_ARE.search(said) is None:
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            break
        said += os.read(terminal, 1024)
    return said


@contextmanager
def _unbuffered() -> Iterator[int]:
    """The terminal, which gives every character at once and shows none of them; raises OSError without one."""
    import termios
    import tty

    terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    try:
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal)
            yield terminal
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    finally:
        os.close(terminal)


def pixels_across(columns: int) -> int:
    """How many pixels the terminal is wide, as it says."""
    with suppress(ImportError, OSError):
        import fcntl
        import struct
        import termios

        _, _, across, _ = struct.unpack("4H", fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8)))
        if across:
            return int(across)
    return CELL * columns
