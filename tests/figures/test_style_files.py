"""Styles of others: read as data, tried, and named where they are at fault."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

import pecli
from pecli.core.errors import PecliError, UnknownNameError, UsageError
from pecli.figures.canvas import Canvas
from pecli.figures.style import bundled_styles, read_style, use_defaults

Process = Callable[..., subprocess.CompletedProcess[Any]]
DRAW = ["-m", "pecli", "heatmap", "-d", "4", "--length", "5", "--dpi", "30", "-o", "a.png"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("figure.subplot.left: 5", "cannot draw with it: left"),
        ("path.effects: [1]", "cannot draw with it"),
        ("font.style: 1e9", "cannot draw with it: '1e9'"),
        ("axes.prop_cycle: cycler('color', [])", "cannot draw with it"),
        ("axes.facecolor: nocolour", "cannot be used: Key axes.facecolor"),
        ("axes.titlesizze: 3", "'axes.titlesizze: 3' is no setting"),
        ("a line", "'a line' is no setting"),
    ],
)
def test_a_setting_that_cannot_be_drawn_is_told_with_its_file(folder: Path, line: str, said: str) -> None:
    (folder / "s.mplstyle").write_text(f"axes.edgecolor: red  # a: b\n{line}\nlines.linewidth: 2\n")
    with pytest.raises(UsageError) as caught:
        pecli.figure("curves", d=4, length=5, dpi=30, style="s.mplstyle").render("png")
    text = str(caught.value)
    assert "s.mplstyle" in text and said in text and "\n" not in text and len(text) < 500


@pytest.mark.parametrize(
    ("style", "options", "colours"),
    [
        ("grayscale", {}, "gray"),
        ("grayscale", {"cmap": "magma"}, "magma"),
        ("ggplot", {}, "RdBu_r"),
        ("s.mplstyle", {}, "viridis"),
        (None, {}, "RdBu_r"),
    ],
)
def test_a_style_that_names_its_colours_has_them(
    folder: Path, style: str | None, options: dict[str, str], colours: str
) -> None:
    (folder / "s.mplstyle").write_text("image.cmap: viridis\n")
    assert Canvas.make({"style": style, **options}).colours("diverging") == colours


def test_colours_of_a_style_that_do_not_exist_are_refused(folder: Path) -> None:
    (folder / "s.mplstyle").write_text("image.cmap: virids\n")
    with pytest.raises(UnknownNameError, match="did you mean 'viridis'"):
        Canvas.make({"style": "s.mplstyle"}).check_names()


@pytest.mark.parametrize("line", ["savefig.format: nope", "figure.dpi: 1e9", "backend: svg", "savefig.bbox: tight"])
def test_a_setting_that_no_picture_heeds_does_no_harm(folder: Path, line: str) -> None:
    before = mpl.rcParams["backend"]
    (folder / "s.mplstyle").write_text(f"{line}\nimage.cmap: magma\n")
    picture = pecli.figure("heatmap", d=4, length=5, dpi=30, size="column", style="s.mplstyle")
    assert picture.render("png", "svg") and mpl.rcParams["backend"] == before


@pytest.mark.parametrize("data", [b"axes.facecolor: nocolour\n", b"\xff\xfe\n", b"", b"# nothing\n", b"a" * (1 << 20)])
def test_a_file_that_is_no_style_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "s.mplstyle").write_bytes(data)
    with pytest.raises(UsageError, match=r"s\.mplstyle"):
        read_style(str(tmp_path / "s.mplstyle"))


@pytest.mark.parametrize("style", ["ggplott", "no/such.mplstyle", "/dev/zero", "a" * 5000, "https://x/y.mplstyle"])
def test_no_style_of_that_name_is_a_mistake_of_the_user(style: str) -> None:
    with pytest.raises(UsageError):
        read_style(style)


def test_names_of_styles_lead_to_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ggplot'"):
        read_style("ggplott")
    assert "dark_background" in bundled_styles()
    assert all(read_style(name) for name in bundled_styles())


def test_the_defaults_are_matplotlibs_own() -> None:
    with mpl.rc_context({"axes.facecolor": "red", "lines.linewidth": 9}):
        use_defaults()
        assert mpl.rcParams["axes.facecolor"] == mpl.rcParamsDefault["axes.facecolor"]
        assert mpl.rcParams["lines.linewidth"] == mpl.rcParamsDefault["lines.linewidth"]


@pytest.mark.posix
def test_the_users_own_settings_are_not_read(folder: Path, process: Process) -> None:
    """A matplotlibrc of the user's and a folder of styles with nothing good in them."""
    pecli.figure("heatmap", d=4, length=5, dpi=30).save("undisturbed.png")
    home = folder / "home"
    styles = home / "stylelib"
    styles.mkdir(parents=True)
    for fonts in Path(mpl.get_cachedir()).glob("fontlist-*.json"):  # half a second to find again
        shutil.copy(fonts, home)
    (styles / "gone.mplstyle").symlink_to("nowhere")
    (styles / "folder.mplstyle").mkdir()
    (styles / "._x.mplstyle").write_bytes(b"\x00\x05\x16\x07\xff")
    (home / "matplotlibrc").write_bytes(b"\xff")
    ended = process(DRAW, folder, {"MPLCONFIGDIR": str(home)})
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (folder / "a.png").read_bytes() == (folder / "undisturbed.png").read_bytes()


@pytest.mark.parametrize("options", [{"cmap": "nope"}, {"style": "nope"}, {"font": "nope"}, {"font": "a" * 5000}])
def test_python_is_told_of_a_wrong_name_too(options: dict[str, Any]) -> None:
    with pytest.raises(PecliError, match="unknown"):
        pecli.figure("heatmap", d=4, length=5, dpi=30, **options).render("png")
