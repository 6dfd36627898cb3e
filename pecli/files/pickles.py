"""What torch saves: pickles, which can run code when they are read, and so are not read here."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

PICKLES = (".pt", ".pth", ".bin", ".ckpt")
CONVERSION = (  # of a state dict or a single tensor, by torch, which can read its own files without running them
    'import numpy, torch; t = torch.load({source}, map_location="cpu", weights_only=True); '
    't = t if isinstance(t, dict) else {{"table": t}}; '
    "numpy.savez({target}, **{{k: v.detach().float().numpy() for k, v in t.items()}})"
)


def conversion(path: str) -> str:
    """The line for a shell that makes a .npz file of what torch saved."""
    source, target = (json.dumps(one, ensure_ascii=False) for one in (path, str(Path(path).with_suffix(".npz"))))
    return f"python -c {shlex.quote(CONVERSION.format(source=source, target=target))}"
