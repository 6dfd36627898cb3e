"""A writer of GGUF files for tests."""

from __future__ import annotations

import struct
from typing import Any

TENSORS = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight", "position_embd.weight")


def gguf(data: dict[str, Any], order: str = "<", version: int = 3) -> bytes:
    """Return a GGUF file with these keys, in which arrays become float32 tensors."""

    def text(value: str) -> bytes:
        return struct.pack(f"{order}Q", len(value)) + value.encode()

    def typed(value: Any) -> bytes:
        if isinstance(value, str):
            return struct.pack(f"{order}I", 8) + text(value)
        if isinstance(value, list):
            items = [typed(item) for item in value]
            return (
                struct.pack(f"{order}I", 9)
                + items[0][:4]
                + struct.pack(f"{order}Q", len(items))
                + b"".join(item[4:] for item in items)
            )
        kind, code = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}[type(value)]
        return struct.pack(f"{order}I{code}", kind, value)

    keys = {name: value for name, value in data.items() if name not in TENSORS}
    body = b"".join(text(name) + typed(value) for name, value in keys.items())
    names, numbers = b"", b""
    for name in filter(data.__contains__, TENSORS):
        shape, values = (data[name], []) if name == "position_embd.weight" else ([len(data[name])], data[name])
        names += text(name) + struct.pack(f"{order}I{len(shape)}QIQ", len(shape), *shape, 0, len(numbers))
        numbers += struct.pack(f"{order}{len(values)}f", *values)
        numbers += bytes(-len(numbers) % 32)
    count = sum(name in TENSORS for name in data)
    header = b"GGUF" + struct.pack(f"{order}IQQ", version, count, len(keys)) + body + names
    return header + bytes(-len(header) % 32) + numbers
