"""matplotlib without the settings of the folder that one happens to stand in."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

RC_FILE = "matplotlibrc"


def ignore_matplotlibrc() -> None:
    """Lets matplotlib, imported from here on, read no matplotlibrc of the current folder nor of the user.

    It reads them while it is imported, the current folder's before the one that its variable names: one byte that is
    not UTF-8 would be a crash, a FIFO of that name a wait without end.
    """
    os.environ["MATPLOTLIBRC"] = os.devnull
    if "matplotlib" not in sys.modules and not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds matplotlib as the others do, and puts the shield before its loader."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "matplotlib":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Shield(spec.loader)
        return spec


class _Shield(Loader):
    """Runs a module while the current folder seems to hold no such file."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        exists, spec = os.path.exists, module.__spec__
        if spec is not None:
            spec.loader = module.__loader__ = self.loader
        os.path.exists = lambda path: path != RC_FILE and exists(path)
        try:
            self.loader.exec_module(module)
        finally:
            os.path.exists = exists
