"""Tests of what is asked of the hub's client, with a client whose hub is a folder: no process and no network.

`tests/files/test_hub.py` has the real client.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core import hub
from pecli.core.errors import PecliError
from pecli.files.tables import arrays_in_file, read_table
from pecli.models.config_file import config_path, read_config
from tests.files.hub_server import COMMIT
from tests.models.gguf_files import gguf

CONFIG = {"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2, "rope_theta": 500.0}
TABLE = np.arange(12, dtype="<f4").reshape(4, 3)
Client = Callable[..., list[str]]


def safetensors(**tensors: Any) -> bytes:
    header, data = {}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + data


MODELS: dict[str, dict[str, bytes]] = {  # files of each model
    "org/config": {"config.json": json.dumps(CONFIG).encode(), "sub/config.json": json.dumps(CONFIG).encode()},
    "org/yaml": {"train.yaml": b"model:\n  d_model: 8\n  n_heads: 2\n  n_layers: 1\n  max_seq_len: 9\n  name: mpt\n"},
    "org/gguf": {"m.gguf": gguf({"general.architecture": "llama", "llama.embedding_length": 8, "llama.block_count": 1,
                                 "llama.context_length": 9, "llama.attention.head_count": 2})},
    "org/one": {"model.safetensors": safetensors(wpe=TABLE), "sub/model.safetensors": safetensors(wpe=TABLE)},
    "org/named": {"other.safetensors": safetensors(wpe=TABLE), "b.safetensors": safetensors(b=TABLE[:2])},
    "org/shards": {
        "model.safetensors.index.json": json.dumps(
            {"weight_map": {"a.bias": "m1.safetensors", "x.wpe.weight": "m2.safetensors"}}
        ).encode(),
        "m1.safetensors": safetensors(**{"a.bias": TABLE[0]}),
        "m2.safetensors": safetensors(**{"x.wpe.weight": TABLE}),
    },
    "org/pickle": {"b.pth": b"", "pytorch_model.bin": b""},
    "org/empty": {"README.md": b""},
}  # fmt: skip


@pytest.fixture
def client(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """Return a function that sets which files are in the cache, and returns the list of what is asked of the hub."""
    asked: list[str] = []
    cached: set[str] = set()

    def path_of(repo: str, name: str) -> Path:
        path = folder / "cache" / repo / "snapshots" / COMMIT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(MODELS[repo][name])
        return path

    def download(repo: str, name: str, revision: str | None) -> str:
        asked.append(f"download {repo} {name} {revision}")
        if name not in MODELS[repo]:
            raise FileNotFoundError(name)
        return str(path_of(repo, name))

    def opened(place: str, mode: str, **how: Any) -> Any:
        asked.append(f"open {place}")
        repo, _, name = place.partition("@")
        return io.BytesIO(MODELS[repo][name.partition("/")[2]])

    def info(repo: str, revision: str | None) -> Any:
        asked.append(f"info {repo} {revision}")
        return SimpleNamespace(sha="b" * 40)

    def tree(repo: str, below: str | None, revision: str | None) -> list[Any]:
        asked.append(f"list {repo} {below} {revision}")
        return [SimpleNamespace(path="folder"), *(SimpleNamespace(path=name, size=1) for name in MODELS[repo])]

    def from_cache(repo: str, name: str, revision: str | None) -> Any:
        return str(path_of(repo, name)) if name in cached and name in MODELS[repo] else object()

    fake = SimpleNamespace(
        hf_hub_download=download,
        try_to_load_from_cache=from_cache,
        HfFileSystem=lambda: SimpleNamespace(open=opened),
        HfApi=lambda: SimpleNamespace(model_info=info, list_repo_tree=tree),
    )
    monkeypatch.setattr(hub, "_client", lambda: fake)

    def set_cached(*names: str) -> list[str]:
        cached.update(names)
        asked.clear()
        hub._commit.cache_clear()
        return asked

    yield set_cached
    hub._commit.cache_clear()


def test_what_is_in_the_cache_is_not_asked_for(client: Client) -> None:
    asked = client()
    assert hub.pin_revision("hf:org/config@main/sub") == f"hf:org/config@{'b' * 40}/sub"
    assert hub.download("hf:org/config@main/sub").endswith("sub/config.json")
    assert asked == ["info org/config main", "download org/config sub/config.json main"]
    asked = client("config.json", "sub/config.json")
    assert hub.pin_revision("hf:org/config@main/sub") == f"hf:org/config@{COMMIT}/sub"
    assert hub.download("hf:org/config@main/sub").endswith("sub/config.json") and asked == []
    assert hub.pin_revision(f"hf:org/other@{COMMIT}#t") == f"hf:org/other@{COMMIT}#t"
    assert hub.pin_revision("table.npy") == "table.npy"


@pytest.mark.parametrize(
    ("path", "downloaded"),
    [
        ("hf:org/config", "config.json"),
        ("hf:org/config/sub", "sub/config.json"),
        ("hf:org/config/sub/config.json", "sub/config.json"),
        ("hf:org/yaml/train.yaml", "train.yaml"),
    ],
)
def test_a_config_is_the_file_that_is_named_or_the_usual_one(client: Client, path: str, downloaded: str) -> None:
    asked = client()
    assert str(config_path(Path(path))).endswith(downloaded)
    assert asked == [f"download {path[3:].split('/')[0]}/{path.split('/')[1]} {downloaded} None"]


def test_of_a_gguf_file_the_bytes_that_are_read_are_asked_for(client: Client) -> None:
    asked = client()
    path = Path("hf:org/gguf/m.gguf")
    assert config_path(path) == path and read_config(path)["llama.embedding_length"] == 8
    assert asked == ["open org/gguf@main/m.gguf"]
    assert [layer["base"] for layer in pecli.model(str(path)).data["layers"].values()] == [10000]


@pytest.mark.parametrize(
    ("repo", "cached", "opened"),
    [
        ("org/one", (), ["list org/one None None", "open org/one@main/model.safetensors"]),
        ("org/one", ("model.safetensors",), []),
        ("org/one/sub", (), ["list org/one sub None", "open org/one@main/sub/model.safetensors"]),
        ("org/named/other.safetensors", (), ["list org/named None None", "open org/named@main/other.safetensors"]),
        ("org/named", (), ["list org/named None None", "open org/named@main/b.safetensors",
                           "open org/named@main/other.safetensors"]),
        ("org/shards", (), ["list org/shards None None", "download org/shards model.safetensors.index.json None",
                            "open org/shards@main/m2.safetensors"]),
        ("org/shards", ("model.safetensors.index.json",), ["open org/shards@main/m2.safetensors"]),
        ("org/shards", ("model.safetensors.index.json", "m2.safetensors"), []),
    ],
)  # fmt: skip
def test_of_weights_the_files_with_tables_are_opened(
    client: Client, repo: str, cached: tuple[str, ...], opened: list[str]
) -> None:
    asked = client(*cached)
    arrays = arrays_in_file(f"hf:{repo}", ("wpe.weight", "wpe"))
    assert sorted({*asked}) == sorted(opened) and {TABLE.shape} <= {array.shape for array in arrays.values()}
    if repo in ("org/one", "org/shards"):
        name = f"hf:{repo}@{COMMIT}#{next(iter(arrays))}"
        assert np.array_equal(read_table(name), TABLE)


@pytest.mark.parametrize(
    ("repo", "said"),
    [
        ("org/pickle", "stores its weights in b.pth, a pickle, which could run code: download it with hf download "
                       "org/pickle b.pth --local-dir .; pecli tensors b.pth then says how to convert it"),
        ("org/empty", "has no .safetensors file"),
    ],
)  # fmt: skip
def test_weights_that_cannot_be_read_are_named(client: Client, repo: str, said: str) -> None:
    client()
    with pytest.raises(PecliError) as caught:
        arrays_in_file(f"hf:{repo}")
    assert str(caught.value) == f"hf:{repo} {said}"


def test_a_large_part_of_a_remote_file_is_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "BLOCK_BYTES", 4)
    sizes: list[int] = []

    def read(count: int) -> bytes:
        sizes.append(count)
        return bytes(count)

    file = SimpleNamespace(read=read, seek=lambda place: place)
    remote = hub.RemoteFile("hf:org/a", file)
    assert (remote.seek(7), len(remote.read(10)), sizes) == (7, 10, [4, 4, 2])


class RepositoryNotFoundError(OSError):
    pass


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RepositoryNotFoundError("story"), "there is no such model, or it is private: check the name, or run hf auth "
                                           "login"),
        *((type(name, (OSError,), {})("story"), said) for name, said in (
            ("GatedRepoError", "access is restricted: accept the terms on its page, then run hf auth login"),
            ("RevisionNotFoundError", "it has no such revision"),
            ("OfflineModeIsEnabled", "it is not in the cache, and HF_HUB_OFFLINE forbids downloads"),
            ("HFValidationError", "it is not a valid model name"),
            ("TimeoutException", "the hub timed out; HF_HUB_DOWNLOAD_TIMEOUT sets how many seconds to wait"),
            ("TransportError", "the hub does not answer"),
            ("RemoteEntryNotFoundError", "it has no config.json"),
        )),
        (FileNotFoundError("story"), "it has no config.json"),
        (ValueError("story"), "outer"),
    ],
)  # fmt: skip
def test_an_error_of_the_client_is_one_line(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    client()

    def fails(*_: Any, **__: Any) -> str:
        try:
            raise KeyError from error
        except KeyError as inner:
            raise RuntimeError("\n outer\nand more") from inner

    monkeypatch.setattr(hub._client(), "hf_hub_download", fails)
    with pytest.raises(PecliError) as caught:
        hub.download("hf:org/config")
    assert str(caught.value) == f"hf:org/config could not be downloaded: {said}"


@pytest.mark.parametrize("known", [PecliError("ours"), MemoryError()])
def test_errors_of_pecli_and_of_memory_stay_what_they_are(
    client: Client, monkeypatch: pytest.MonkeyPatch, known: Exception
) -> None:
    client()

    def fails(*_: Any, **__: Any) -> str:
        raise known

    monkeypatch.setattr(hub._client(), "hf_hub_download", fails)
    with pytest.raises(type(known)):
        hub.download("hf:org/config")
