"""Files of models on the Hugging Face hub, named ``hf:org/name[@revision][/folder][#tensor]``.

huggingface_hub reads and downloads them with its own settings: address, token, proxies, cache, offline mode.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from logging import DEBUG, ERROR
from pathlib import Path
from typing import Any, NamedTuple

from pecli.core.errors import PecliError, UsageError
from pecli.core.progress import track
from pecli.core.readable import HUB, check_readable, resolve_path

NAME = re.compile(rf"({HUB.pattern})(?:@([^/@#]+))?((?:/[^/@#]+)*)/?(?:#(.+))?")
COMMIT = re.compile("[0-9a-f]{40}")
CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
VERBOSE = ContextVar("verbose", default=False)  # whether requests are logged
Opener = Callable[[], Any]  # opens a file for reading
BLOCK_BYTES = 1 << 20  # bytes in one request
ERROR_TEXTS = {  # messages for errors of the client; the first that matches is used
    "GatedRepoError": "access is restricted: accept the terms on its page, then run hf auth login",
    "RepositoryNotFoundError": "there is no such model, or it is private: check the name, or run hf auth login",
    "RevisionNotFoundError": "it has no such revision",
    "OfflineModeIsEnabled": "it is not in the cache, and HF_HUB_OFFLINE forbids downloads",
    "HFValidationError": "it is not a valid model name",
    "TimeoutException": "the hub timed out; HF_HUB_DOWNLOAD_TIMEOUT sets how many seconds to wait",
    "TransportError": "the hub does not answer",
}


class HubFile(NamedTuple):
    """A model on the hub, or a file or tensor in it.

    folder : a folder, or a file that ends in .json or .safetensors
    tensor : name of a tensor, or the end of such a name
    """

    repo: str
    revision: str | None
    folder: str
    tensor: str | None

    def __str__(self) -> str:
        revision, folder, tensor = self.revision, self.folder, self.tensor
        parts = (revision and f"@{revision}", folder and f"/{folder}", tensor and f"#{tensor}")
        return f"hf:{self.repo}{''.join(part or '' for part in parts)}"

    def file(self, name: str) -> str:
        """Return the path of the file `name` in `folder`, or `folder` itself if it is a file with the same ending."""
        return self.folder if self.folder.endswith(Path(name).suffix) else f"{self.folder}/{name}".strip("/")


def is_hub(path: str) -> bool:
    """Return True if the path is a hub reference, ``hf:…``."""
    return path.startswith("hf:")


def parse_hub_path(path: str) -> HubFile:
    """Return the parts of a hub reference. Raises UsageError if `path` is not one."""
    match = NAME.fullmatch(path)
    if match is None:
        raise UsageError(f"{path} is not a model name", advice="try hf:org/name or hf:org/name@revision/folder#tensor")
    repo, revision, folder, tensor = match.groups()
    return HubFile(repo.removeprefix("hf:"), revision, folder.strip("/"), tensor)


def resolved(path: str) -> str:
    """Return a path as jobs store it.

    A file in the search folder is returned with that folder. A hub reference is returned with its current commit.
    """
    return pin_revision(resolve_path(path))


def pin_revision(path: str) -> str:
    """Return a hub reference with its revision replaced by the current commit; other paths are returned unchanged."""
    if not is_hub(path) or COMMIT.fullmatch((item := parse_hub_path(path)).revision or ""):
        return path
    check_readable(path)
    with _as_pecli_errors(path):
        return str(item._replace(revision=_commit(item.repo, item.revision, item.folder)))


@cache
def _commit(repo: str, revision: str | None, folder: str) -> str:
    item = HubFile(repo, revision, folder, None)
    for known in filter(None, (_on_disk(item, name) for name in (CONFIG, WEIGHTS, INDEX))):
        return str(known).partition("snapshots")[2][1:41]
    return str(_client().HfApi().model_info(repo, revision=revision).sha)


def download(path: str, name: str = CONFIG) -> str:
    """Return the local path of the file `name` of a model, after downloading it if it is not in the cache."""
    check_readable(path)
    item = parse_hub_path(path)
    with _as_pecli_errors(path, item.file(name)):
        known = _on_disk(item, name)
        return known or str(_client().hf_hub_download(item.repo, item.file(name), revision=item.revision))


def weight_files(path: str, endings: Collection[str]) -> Iterator[Opener]:
    """Yield one function per .safetensors file of a model; each opens its file for reading.

    Of a remote file, only the parts that are read are downloaded. Raises PecliError if the model has no such file.

    endings : endings of tensor names; files without such a tensor are skipped, unless no file has one
    """
    check_readable(path)
    item = parse_hub_path(path)
    with _as_pecli_errors(path):
        every = [item.file(WEIGHTS)]
        if _on_disk(item, WEIGHTS) is None:
            here = set(_files(item)) if _on_disk(item, INDEX) is None else {item.file(INDEX)}
            if item.file(INDEX) in here and item.file(INDEX) != item.file(WEIGHTS):
                shards = json.loads(Path(download(path, INDEX)).read_bytes())["weight_map"]
                fitting = [shard for name, shard in shards.items() if name.endswith(tuple(endings))]
                every = [item.file(shard) for shard in dict.fromkeys(fitting or shards.values())]
            elif every[0] not in here:
                every = sorted(name for name in here if name.endswith(".safetensors"))
            if not every:
                _refuse(path, here)
    for name in every:
        yield lambda name=name: _open(path, item, name)  # type: ignore[misc]


def open_remote(path: str) -> io.IOBase:
    """Open the file that a hub reference ends with. Only the parts that are read are downloaded."""
    check_readable(path)
    item = parse_hub_path(path)
    return _open(path, item, item.folder)


def _refuse(path: str, files: Collection[str]) -> None:
    pickle = next((name for name in sorted(files) if name.endswith((".bin", ".pt", ".pth", ".ckpt"))), None)
    if pickle is None:
        raise PecliError(f"{path} has no .safetensors file")
    text = f"{path} stores its weights in {pickle}, a pickle, which could run code"
    fetch = f"hf download {parse_hub_path(path).repo} {pickle} --local-dir ."
    raise PecliError(text, advice=f"download it with {fetch}; pecli tensors {pickle} then says how to convert it")


def _files(item: HubFile) -> list[str]:
    """Return the paths of the files in a model's folder."""
    folder = str(Path(item.folder).parent) if Path(item.folder).suffix else item.folder
    entries = _client().HfApi().list_repo_tree(item.repo, folder.strip("./") or None, revision=item.revision)
    return [entry.path for entry in entries if hasattr(entry, "size")]


def _open(path: str, item: HubFile, name: str) -> io.IOBase:
    """Open the file `name` in the cache, or on the hub, where only the parts that are read are downloaded."""
    if known := _on_disk(item._replace(folder=""), name):
        return Path(known).open("rb")
    with _as_pecli_errors(path):
        place = f"{item.repo}@{(item.revision or 'main').replace('/', '%2F')}/{name}"
        file: Any = _client().HfFileSystem().open(place, "rb", block_size=BLOCK_BYTES, cache_type="none")
        return RemoteFile(path, file)


class RemoteFile(io.RawIOBase):
    """A remote file; each read is one or more range requests."""

    def __init__(self, path: str, file: Any) -> None:
        self.path, self.file, self.name = path, file, path

    def seek(self, place: int, _: int = 0) -> int:
        return int(self.file.seek(place))

    def read(self, count: int = -1) -> bytes:
        with _as_pecli_errors(self.path):
            steps = [min(BLOCK_BYTES, count - done) for done in range(0, count, BLOCK_BYTES)]
            return b"".join(self.file.read(step) for step in track(steps, "downloading"))


def _on_disk(item: HubFile, name: str) -> str | None:
    """Return the path of a file in the client's cache, or None."""
    known = _client().try_to_load_from_cache(item.repo, item.file(name), revision=item.revision)
    return known if isinstance(known, str) else None


def _client() -> Any:
    try:
        import huggingface_hub
        from huggingface_hub.utils import logging
    except ImportError:
        raise PecliError("names such as hf:org/name need the hub's client: pip install huggingface_hub") from None
    logging.set_verbosity(DEBUG if VERBOSE.get() else ERROR)  # otherwise every retry is logged
    return huggingface_hub


@contextmanager
def _as_pecli_errors(path: str, file: str = "such file") -> Iterator[None]:
    """Raise any error of the client as a PecliError with a one-line reason.

    file : name of the requested file, for the message if it was not found
    """
    try:
        yield
    except (PecliError, MemoryError):
        raise
    except Exception as error:
        chain: list[BaseException] = [error]
        while (before := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 9:
            chain.append(before)
        kinds = {kind.__name__ for each in chain for kind in type(each).__mro__}
        known = ERROR_TEXTS | dict.fromkeys(("RemoteEntryNotFoundError", "FileNotFoundError"), f"it has no {file}")
        why = next((text for name, text in known.items() if name in kinds), str(error).strip().split("\n")[0])
        raise PecliError(f"{path} could not be downloaded: {why}") from error
