"""What killed runs have left: removed once it is old, and nothing else is."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pecli.files import writer
from pecli.files import writer as leftovers

OLD = time.time() - 2 * leftovers.OLD


@pytest.fixture(autouse=True)
def anew() -> None:
    """Lets every test see its folder for the first time."""
    leftovers.remove_leftovers.cache_clear()


def there(path: Path, old: bool) -> Path:
    path.write_bytes(b"half a picture")
    if old:
        os.utime(path, (OLD, OLD))
    return path


@pytest.mark.parametrize("name", [".pecli-abcd_123.png", ".pecli-00000000"])
def test_what_a_killed_run_left_goes_once_it_is_old(name: str, tmp_path: Path) -> None:
    old, young = there(tmp_path / name, True), there(tmp_path / ".pecli-zzzzzzzz.png", False)
    writer.write(str(tmp_path / "a.png"), b"whole")
    assert (os.path.exists(old), os.path.exists(young)) == (False, True)


@pytest.mark.parametrize("name", [".pecli-notes", ".pecli-abcd_1234.png", "pecli-abcd_123.png", ".pecli-ABCDEFGH.png"])
def test_what_has_another_name_stays(name: str, tmp_path: Path) -> None:
    old = there(tmp_path / name, True)
    writer.write(str(tmp_path / "a.png"), b"whole")
    assert os.path.exists(old)


def test_the_name_is_that_of_the_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def note(source: str, target: Path) -> None:
        seen.append(Path(source).name)
        Path(source).rename(target)

    monkeypatch.setattr("pecli.files.writer.os.replace", note)
    for name in ("a.png", "b"):
        writer.write(str(tmp_path / name), b"whole")
    assert len(seen) == 2 and all(leftovers.NAME.fullmatch(name) for name in seen)


def test_a_folder_or_a_link_of_that_name_stays(tmp_path: Path) -> None:
    (tmp_path / ".pecli-abcdefgh").mkdir()
    os.utime(tmp_path / ".pecli-abcdefgh", (OLD, OLD))
    (tmp_path / ".pecli-aaaaaaaa").symlink_to("nothing")
    os.utime(tmp_path / ".pecli-aaaaaaaa", (OLD, OLD), follow_symlinks=False)
    writer.write(str(tmp_path / "a.png"), b"whole")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_folder_that_cannot_be_listed_is_left_alone(tmp_path: Path) -> None:
    leftovers.remove_leftovers(tmp_path / "missing")
    assert not list(tmp_path.iterdir())
