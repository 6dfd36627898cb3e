"""Files of strangers: what one carries says what to draw, never where to, whatever its format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.files.formats import FORMATS
from pecli.files.metadata import READERS, read_metadata
from pecli.jobs.request import Request

Ask = Callable[..., Any]
VICTIM = "../home/.bashrc"
PLACES: dict[str, Any] = {"output": [VICTIM], "format": "json", "no_clobber": True, "title": "$(touch owned)"}
SMALL: dict[str, Any] = {"d": 4, "length": 5, "dpi": 20}


@pytest.fixture
def strange(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Makes a file as pecli does, in a folder of downloads, the current one, that carries this besides its own job."""
    for name in ("home", "downloads"):
        (folder / name).mkdir()
    monkeypatch.chdir(folder / "downloads")
    Path(VICTIM).write_text("mine")

    def make(format: str, carries: dict[str, Any], figure: str = "heatmap") -> str:
        own = Request.settings
        job = pecli.figure(figure, **SMALL, **({"base": [10, 100]} if FORMATS[format].frames else {}))
        with monkeypatch.context() as patch:
            patch.setattr(Request, "settings", lambda self: {**own(self), **carries})
            job.save(f"evil.{format}")
        assert carries.items() <= read_metadata(f"evil.{format}")["job"].items()
        return f"evil.{format}"

    return make


@pytest.mark.parametrize("format", READERS)
def test_no_file_says_where_to_write(
    format: str, ask: Ask, strange: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = strange(format, PLACES)
    monkeypatch.setattr("pecli.cli.drawing.check_show", lambda _: None)
    monkeypatch.setattr("pecli.cli.drawing.show_picture", lambda _: [])
    Path("figures.toml").write_text(f'[[figure]]\ncommand = "heatmap"\nlength = 5\noutput = "{file}"\n')
    lines = (
        ("redraw", file, "--dpi", "30"),
        ("redraw", file, "--dpi", "30", "--show"),
        ("redraw", file, "--dpi", "30", "-o", "-", "--format", "svg"),
        ("recipe", file),
        ("recipe", file, "--json"),
        ("recipe", file, "--form", "toml"),
        ("batch", "figures.toml", "--check"),
        ("batch", "figures.toml"),
    )
    for words in lines:
        ended = ask(*words)
        assert "bashrc" not in ended.out + ended.err and ("format" not in ended.out or "svg" in words), words
        assert ended.code == 0 or words[0] == "batch", ended.err
    made = {one.name for one in Path().iterdir()} - {file, "figures.toml"}
    assert len(made) == 1 and made.pop().startswith("heatmap-sinusoidal-")
    assert Path(VICTIM).read_text() == "mine" and len(list(Path("../home").iterdir())) == 1


@pytest.mark.parametrize("key", ["output", "o", "no-clobber", "no_clobber", "format"])
def test_a_place_by_any_of_its_names_is_left_out(key: str, ask: Ask, strange: Callable[..., str]) -> None:
    ended = ask("redraw", strange("png", {key: True if "clobber" in key else "json"}), "--json")
    assert ended.code == 0 and '"path": "heatmap-sinusoidal-d4-length5-dpi20.png"' in ended.out
