"""The formats of a result: pictures that matplotlib writes, and the numbers behind them. Bytes only, no files."""

from __future__ import annotations

import io
import json
import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pecli.core.errors import PecliError, UnknownNameError, UsageError, mention
from pecli.core.lazy import Array, np

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


class Numbers(Protocol):
    """What a format of numbers needs to know of them."""

    @property
    def main(self) -> Array:
        """The main array."""

    def arrays(self) -> dict[str, Array]:
        """All arrays by name."""

    def facts(self) -> dict[str, Any]:
        """The key numbers."""

    def sheet(self) -> tuple[list[str], Array]:
        """Header and rows of a CSV file."""


@dataclass(frozen=True)
class Format:
    """One format: how its bytes are made, and how the job is read back from them."""

    numbers: bool
    encode: Callable[[Any, str, str], bytes]  # drawing or numbers, metadata, salt
    metadata: Callable[[bytes], str | None] | None = None
    one_table: bool = False


def format_of(path: str, given: str | None) -> str:
    """The format of a file by its extension, else the given one; standard output: the given one, else png."""
    if path.endswith(("/", os.sep)):
        raise _folder(path)
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix in FORMATS and path != "-":
        if given is not None and given != suffix:
            text = f"{mention('output', path)} is a .{suffix} file and {mention('format')} says {given}"
            raise UsageError(text, option="format", value=given, advice="drop one of the two")
        return suffix
    if given is not None and (path == "-" or not suffix):
        return given
    if os.path.isdir(path):
        raise _folder(path)
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return "png"  # standard output, a device or a pipe: no name to go by
    if not suffix:
        text = f"{mention('output', path)} has no extension to say its format"
        raise UsageError(text, option="output", value=path, advice=f"try {path}.png, or {mention('format', 'png')}")
    raise UnknownNameError("output format", suffix, FORMATS, option="output")


def _folder(path: str) -> UsageError:
    advice = f"name a file in it, such as {Path(path) / 'figure.png'}"
    return UsageError(f"{mention('output', path)} is a folder", option="output", value=path, advice=advice)


PNG_END = b"IEND\xaeB`\x82"


def _save(drawing: Drawing, format: str, metadata: dict[str, str | None]) -> bytes:
    buffer = io.BytesIO()
    drawing.savefig(buffer, format=format, metadata=metadata)
    return buffer.getvalue()


def _png(drawing: Drawing, metadata: str, salt: str) -> bytes:
    return _save(drawing, "png", {"pecli": metadata, "Software": None})


def _pdf(drawing: Drawing, metadata: str, salt: str) -> bytes:
    return _save(drawing, "pdf", {"Subject": metadata, "CreationDate": None})


def _svg(drawing: Drawing, metadata: str, salt: str) -> bytes:
    """With every id salted, so that two pictures can stand in one HTML page."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": salt}):
        svg = _save(drawing, "svg", {"Description": metadata, "Date": None})
    head, end, body = svg.partition(b"</metadata>")  # what is said of the job stays as it is
    return head + end + re.sub(rb'(\bid="|xlink:href="#|url\(#)', rb"\g<1>" + salt.encode() + b"-", body)


def _npy(numbers: Numbers, metadata: str, salt: str) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, numbers.main, allow_pickle=False)
    return buffer.getvalue()


def _npz(numbers: Numbers, metadata: str, salt: str) -> bytes:
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {**numbers.arrays(), "job": np.array(metadata)}
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _csv(numbers: Numbers, metadata: str, salt: str) -> bytes:
    header, rows = numbers.sheet()
    lines = [",".join(header)] + [",".join(map(_cell, row)) for row in rows.tolist()]
    return ("\n".join(lines) + "\n").encode()


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return f'"{value}"' if "," in value else value  # specs and names hold no quotation marks
    return "" if math.isnan(value) else repr(value).removesuffix(".0")


def _json(numbers: Numbers, metadata: str, salt: str) -> bytes:
    arrays = {name: plain(array.tolist()) for name, array in numbers.arrays().items()}
    facts = plain(numbers.facts())
    return (json.dumps({**json.loads(metadata), "facts": facts, "arrays": arrays}, allow_nan=False) + "\n").encode()


def plain(value: Any) -> Any:
    """Nested values as JSON has them: what is not a number becomes null."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _from_png(data: bytes) -> str | None:
    from PIL import Image

    with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
        text = image.info.get("pecli")
        image.verify()
    if not data.endswith(PNG_END):
        raise ValueError("cut short")
    return text if isinstance(text, str) else None


def _from_svg(data: bytes) -> str | None:
    from xml.etree import ElementTree

    if b"<!ENTITY" in data:
        return None
    found = ElementTree.fromstring(data).find(".//{http://purl.org/dc/elements/1.1/}description")
    return found.text if found is not None else None


def _from_pdf(data: bytes) -> str | None:
    if b"%%EOF" not in data[-8:]:
        raise ValueError("cut short")
    match = re.search(rb"/Subject \(((?:[^()\\]|\\.)*)\)", data, re.DOTALL)
    return re.sub(rb"\\(.)", rb"\1", match[1], flags=re.DOTALL).decode("latin-1") if match else None


def _from_npz(data: bytes) -> str | None:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return str(arrays["job"]) if "job" in arrays.files else None


def _from_json(data: bytes) -> str | None:
    return json.dumps(json.loads(data))


FORMATS: dict[str, Format] = {
    "png": Format(False, _png, _from_png),
    "svg": Format(False, _svg, _from_svg),
    "pdf": Format(False, _pdf, _from_pdf),
    "npy": Format(True, _npy, one_table=True),
    "npz": Format(True, _npz, _from_npz),
    "csv": Format(True, _csv, one_table=True),
    "json": Format(True, _json, _from_json),
}


def read_metadata(path: str) -> dict[str, Any]:
    """What a finished file says of itself: ``job`` and the versions that made it.

    Raises
    ------
    PecliError : the file does not exist, is damaged, or carries no job
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    format = FORMATS.get(suffix)
    if format is None or format.metadata is None:
        carriers = ", ".join(f".{name}" for name, one in FORMATS.items() if one.metadata)
        raise UsageError(f"{path} carries no job: only {carriers} files do")
    try:
        text = format.metadata(Path(path).read_bytes())
        found = json.loads(text) if text else None
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist") from None
    except OSError as error:
        raise PecliError(f"{path} could not be read: {error.strerror or error}") from None
    except Exception:  # each reader has its own kinds of damage
        raise PecliError(f"{path} could not be read: it is not a whole .{suffix} file") from None
    if not isinstance(found, dict) or not isinstance(found.get("job"), dict):
        raise PecliError(f"{path} carries no job: pecli did not make it, or something took the metadata away")
    return found
