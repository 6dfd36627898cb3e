"""Files of models on a hub, named ``hf:org/name[@revision][/folder][#tensor]``. Its own client reads and fetches them:
address, token, proxies, cache and offline mode are settings of huggingface_hub."""

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
VERBOSE = ContextVar("verbose", default=False)  # whether every request is told
Opener = Callable[[], Any]  # of a file to read
STEP = 1 << 20  # bytes that are fetched at once
WHY = {  # what the client's errors mean to a user; the first that fits
    "GatedRepoError": "its owner asks to accept terms: do so on its page, then run hf auth login",
    "RepositoryNotFoundError": "there is no model of that name, or it is private: check it, or run hf auth login",
    "RevisionNotFoundError": "it has no such revision",
    "OfflineModeIsEnabled": "it is not in the cache, and HF_HUB_OFFLINE forbids to fetch it",
    "HFValidationError": "no model has such a name",
    "TimeoutException": "the hub took too long to answer; HF_HUB_DOWNLOAD_TIMEOUT gives it more seconds",
    "TransportError": "the hub does not answer",
}


class HubFile(NamedTuple):
    """A place in a model of the hub.

    folder : a folder, or a file with the ending .json or .safetensors; tensor : a name in it, or how it ends
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
        """Return the file of that name in the folder, or the one that is named itself."""
        return self.folder if self.folder.endswith(Path(name).suffix) else f"{self.folder}/{name}".strip("/")


def is_hub(path: str) -> bool:
    """Return whether a path is a name on the hub."""
    return path.startswith("hf:")


def parse(path: str) -> HubFile:
    """Return the parts of a name on the hub; raises UsageError for what is none."""
    match = NAME.fullmatch(path)
    if match is None:
        raise UsageError(
            f"{path} is no name of a model", advice="try hf:org/name or hf:org/name@revision/folder#tensor"
        )
    repo, revision, folder, tensor = match.groups()
    return HubFile(repo.removeprefix("hf:"), revision, folder.strip("/"), tensor)


def resolved(path: str) -> str:
    """Return a path as jobs record it: where the file is, of a model on the hub with its commit."""
    return pin_revision(resolve_path(path))


def pin_revision(path: str) -> str:
    """Return a name on the hub with the commit that its revision means now; any other path as it is."""
    if not is_hub(path) or COMMIT.fullmatch((item := parse(path)).revision or ""):
        return path
    check_readable(path)
    with _explained(path):
        return str(item._replace(revision=_commit(item.repo, item.revision, item.folder)))


@cache
def _commit(repo: str, revision: str | None, folder: str) -> str:
    item = HubFile(repo, revision, folder, None)
    for known in filter(None, (_on_disk(item, name) for name in (CONFIG, WEIGHTS, INDEX))):
        return str(known).partition("snapshots")[2][1:41]
    return str(_client().HfApi().model_info(repo, revision=revision).sha)


def downloaded(path: str, name: str = CONFIG) -> str:
    """Return where the file of that name is on this disk; it is fetched where it is not in the client's cache."""
    check_readable(path)
    item = parse(path)
    with _explained(path, item.file(name)):
        known = _on_disk(item, name)
        return known or str(_client().hf_hub_download(item.repo, item.file(name), revision=item.revision))


def weight_files(path: str, endings: Collection[str] = ()) -> Iterator[Opener]:
    """Yield what opens each .safetensors file of a model; of one not on this disk only what is read is fetched.

    endings : of several files only those that have a tensor whose name ends so, where one has
    """
    check_readable(path)
    item = parse(path)
    with _explained(path):
        every = [item.file(WEIGHTS)]
        if _on_disk(item, WEIGHTS) is None:
            here = set(_files(item)) if _on_disk(item, INDEX) is None else {item.file(INDEX)}
            if item.file(INDEX) in here and item.file(INDEX) != item.file(WEIGHTS):
                shards = json.loads(Path(downloaded(path, INDEX)).read_bytes())["weight_map"]
                fitting = [shard for name, shard in shards.items() if name.endswith(tuple(endings))]
                every = [item.file(shard) for shard in dict.fromkeys(fitting or shards.values())]
            elif every[0] not in here:
                every = sorted(name for name in here if name.endswith(".safetensors"))
            if not every:
                _refuse(path, here)
    for name in every:
        yield lambda name=name: _opened(path, item, name)  # type: ignore[misc]


def remote(path: str) -> io.IOBase:
    """Open the file that a name on the hub ends with; of one that is not on this disk only what is read is fetched."""
    check_readable(path)
    item = parse(path)
    return _opened(path, item, item.folder)


def _refuse(path: str, files: Collection[str]) -> None:
    pickle = next((name for name in sorted(files) if name.endswith((".bin", ".pt", ".pth", ".ckpt"))), None)
    if pickle is None:
        raise PecliError(f"{path} has no .safetensors file")
    text = f"{path} keeps its numbers in {pickle}, a pickle that could run code"
    fetch = f"hf download {parse(path).repo} {pickle} --local-dir ."
    raise PecliError(text, advice=f"fetch it with {fetch}, then pecli tensors {pickle} says how to convert it")


def _files(item: HubFile) -> list[str]:
    """Return the files in the folder of a model."""
    folder = str(Path(item.folder).parent) if Path(item.folder).suffix else item.folder
    entries = _client().HfApi().list_repo_tree(item.repo, folder.strip("./") or None, revision=item.revision)
    return [entry.path for entry in entries if hasattr(entry, "size")]


def _opened(path: str, item: HubFile, name: str) -> io.IOBase:
    """Open a file, on this disk or, by ranges, on the hub."""
    if known := _on_disk(item._replace(folder=""), name):
        return Path(known).open("rb")
    with _explained(path):
        place = f"{item.repo}@{(item.revision or 'main').replace('/', '%2F')}/{name}"
        file: Any = _client().HfFileSystem().open(place, "rb", block_size=STEP, cache_type="none")
        return Fetched(path, file)


class Fetched(io.RawIOBase):
    """A file on the hub; reads are requests of the client for ranges."""

    def __init__(self, path: str, file: Any) -> None:
        self.path, self.file, self.name = path, file, path

    def seek(self, place: int, _: int = 0) -> int:
        return int(self.file.seek(place))

    def read(self, count: int = -1) -> bytes:
        with _explained(self.path):
            steps = [min(STEP, count - done) for done in range(0, count, STEP)]
            return b"".join(self.file.read(step) for step in track(steps, "fetching"))


def _on_disk(item: HubFile, name: str) -> str | None:
    """Return where the client's cache has a file, None where it has none."""
    known = _client().try_to_load_from_cache(item.repo, item.file(name), revision=item.revision)
    return known if isinstance(known, str) else None


def _client() -> Any:
    try:
        import huggingface_hub
        from huggingface_hub.utils import logging
    except ImportError:
        raise PecliError("names such as hf:org/name take the hub's client: pip install huggingface_hub") from None
    logging.set_verbosity(DEBUG if VERBOSE.get() else ERROR)  # of retries nobody wants to read
    return huggingface_hub


@contextmanager
def _explained(path: str, file: str = "such file") -> Iterator[None]:
    """Make one line of what the client could not do."""
    try:
        yield
    except (PecliError, MemoryError):
        raise
    except Exception as error:
        chain: list[BaseException] = [error]
        while (before := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 9:
            chain.append(before)
        kinds = {kind.__name__ for each in chain for kind in type(each).__mro__}
        known = WHY | dict.fromkeys(("RemoteEntryNotFoundError", "FileNotFoundError"), f"it has no {file}")
        why = next((text for name, text in known.items() if name in kinds), str(error).strip().split("\n")[0])
        raise PecliError(f"{path} could not be fetched: {why}") from error
