"""Tests of README.md and the pages of the gallery: commands run, pictures match them, numbers are right."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.cli.app import PANELS
from pecli.cli.batch import DISTRIBUTION
from pecli.cli.questions import QUESTIONS
from pecli.encodings.registry import ENCODINGS
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.files.metadata import read_metadata
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES
from pecli.jobs.picture import Picture
from pecli.page.canvas import Canvas
from pecli.page.style import KEPT

Ask = Callable[..., Any]
Process = Callable[..., subprocess.CompletedProcess[Any]]
ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "gallery"
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE_README, COMMANDS, CHINESE_COMMANDS, ARTICLES, PLUGINS, USE = (
    (GALLERY / f"{name}.md").read_text(encoding="utf-8")
    for name in ("README.zh", "commands", "commands.zh", "articles", "plugins", "use")
)
TEXT = README + COMMANDS.replace('src="', 'src="gallery/')  # paths as seen from the README
CHINESE = CHINESE_README + CHINESE_COMMANDS
RUN = ROOT / ".ci" / "run"
PLUGIN = "octave"


def section(title: str) -> str:
    """Return what stands under a heading of the second level."""
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def blocks(language: str, text: str = TEXT) -> list[str]:
    """Return the code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def lines(text: str = TEXT) -> list[str]:
    """Return every `pecli …` of a shell block or in a sentence, in order, each once; not --help nor what changes a
    shell.
    """
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        inside = line.startswith("```sh") if line.startswith("```") else inside
        found += [line] if inside and line.startswith("pecli ") else re.findall(r"`(pecli [^`]+)`", line)
    return [line for line in dict.fromkeys(found) if "--help" not in line and "-completion" not in line]


def set_up() -> list[str]:
    """Return the commands behind the marker that .ci/run looks for."""
    (marker,) = re.findall(r"^marker='(.*?)'", RUN.read_text(encoding="utf-8"), re.M)
    return re.findall(rf"^{re.escape(marker)}\n```sh\n(.*)\n```$", TEXT, re.M)


def shown(text: str = TEXT) -> list[tuple[str, str]]:
    """Commands with the picture that stands behind them in the same cell or row."""
    return re.findall(r"`(pecli [^`]+)`(?:[^`\n]*?|\n\n)<img src=\"([^\"]+)\"", text)


def rows(title: str) -> list[list[str]]:
    """Return the cells of a section's tables, heads left out."""
    found = [line for line in section(title).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found if not line.startswith("| --- ")]


def words(line: str) -> list[str]:
    """Return the words after `pecli`; what follows a pipe or a redirection is the shell's."""
    program, *rest = shlex.split(re.split(r" [|>] ", line)[0], comments=True)
    assert program == "pecli"
    return rest


@pytest.fixture
def site(folder: Path) -> Path:
    """Return a folder with the files that README.md speaks of, the current one."""
    (folder / "gallery").mkdir()
    for table in (ROOT / "gallery").glob("*.npy"):
        shutil.copy(table, folder / "gallery")
    (config,) = blocks("json")
    (folder / "config.json").write_text(config, encoding="utf-8")
    (batch,) = [text for text in blocks("toml") if "[[figure]]" in text]
    (folder / "figures.toml").write_text(batch, encoding="utf-8")
    return folder


FIRST = set_up()[0].rpartition("/bin/")[2]  # pecli heatmap --base 10
ASKED = {*QUESTIONS.values(), *re.findall("`(pecli [^`]+)`", section("Figures"))}  # these are drawn in gallery/
RUN_LINES = [FIRST, *(line for line in lines() if line not in ASKED and "file=hf:" not in line)]
FONT = "Latin Modern Roman", "STIXGeneral"  # which every machine has
BEFORE = {  # what writes the file that a line reads
    "pecli identify mine.npy -o difference.png": "pecli table -k 5000 -n 64 -o mine.npy",
    "pecli batch figures.toml --folder out --check": "pecli batch figures.toml --folder out",
    "pecli recipe far.svg": "pecli distance -k 10 -o far.svg -o far.pdf -o far.npz",
    "pecli redraw heatmap-sinusoidal-base10.png --size 4x3 -o small.png": FIRST,
}


@pytest.mark.some(35)
@pytest.mark.parametrize("line", RUN_LINES)
def test_a_line_runs(line: str, ask: Ask, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal is there, which says that it is kitty
    monkeypatch.setenv("KITTY_WINDOW_ID", "1")
    monkeypatch.setitem(KEPT, "savefig.dpi", 30)  # each line as it stands, laid out as it is, in fewer pixels
    monkeypatch.setattr("pecli.models.config_file.download", lambda *_: "config.json")  # tests/files/test_hub.py
    for each in (*([BEFORE[line]] if line in BEFORE else []), line):
        ended = ask(*words(each.replace(":24 ", ":3 ").replace("10,100,1000", "10,100").replace(*FONT)))  # fewer frames
        assert ended.code == 0, ended.err
        assert ended.out.strip() or "--check" in each  # it lists what is wrong, and nothing is


def test_the_lines_of_articles_and_questions_are_understood(
    ask: Ask, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Picture, "pieces", lambda _, formats: [[b""] for _ in formats])
    monkeypatch.setattr("pecli.jobs.run.write_files", lambda *_: None)
    assert len(lines(ARTICLES)) > 10
    assert [
        line
        for line in (*lines(ARTICLES), *lines(section("Figures")), *QUESTIONS.values())
        if ask(*words(line)).code != 0
    ] == []


@pytest.mark.long
def test_the_lines_beside_other_tools_are_understood(ask: Ask, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Picture, "pieces", lambda _, formats: [[b""] for _ in formats])
    monkeypatch.setattr("pecli.models.config_file.download", lambda *_: "config.json")
    typed = "\n".join(text for language in ("make", "yaml", "bash") for text in blocks(language, USE))
    for blank, value in (("$*", "10"), ("$@", "a.png"), ("{}", "64")):
        typed = typed.replace(blank, value)
    found = [*lines(USE), *re.findall(r"pecli (?:heatmap|batch) [^|:\n]+", typed)]
    assert len(found) > 8
    for line in found:
        draws = line.startswith("pecli batch") and not re.search("--dry-run|--check", line)
        code = ask(*words(line), *(["--dry-run"] if draws else [])).code
        assert code == int("--check" in line), line  # nothing is there yet


def test_the_chinese_readme_has_the_same_lines_and_pictures() -> None:
    def pictures(text: str, folder: str) -> list[str]:
        return [name.removeprefix(folder) for name in re.findall(r'<img src="([^"]+)" width="\d+"', text)]

    assert lines(CHINESE) == lines(TEXT)
    assert pictures(CHINESE, "") == pictures(TEXT, "gallery/")
    languages = ("sh", "bash", "toml", "json", "python")
    assert [blocks(language, CHINESE) for language in languages] == [blocks(language, TEXT) for language in languages]
    assert CHINESE.count("\n## ") == TEXT.count("\n## ") and CHINESE.count("\n| ") == TEXT.count("\n| ")
    assert len(re.findall("[\u4e00-\u9fff]", CHINESE)) > 1500  # it is in Chinese


@pytest.mark.long
def test_its_shards_are_all_there_is(ask: Ask, site: Path) -> None:
    ((line, parts),) = re.findall(r"'(pecli [^']*)\$SLURM_ARRAY_TASK_ID/(\d+)'", TEXT)
    made = [ask(*words(f"{line}{part}/{parts}"), "--dry-run").out for part in range(1, int(parts) + 1)]
    assert sorted("".join(made).split("\n")[:-1]) and f"--array=1-{parts} " in TEXT
    assert sorted("".join(made).split()) == sorted(ask("batch", "figures.toml", "--dry-run").out.split())


@pytest.mark.long
def test_a_picture_shown_is_what_its_line_makes(ask: Ask, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Job] = []

    def note(picture: Picture[Any], formats: Sequence[str]) -> list[list[bytes]]:
        made.append(picture.job)
        return [[b""] for _ in formats]

    monkeypatch.setattr(Picture, "pieces", note)
    assert len(shown()) > len(PANELS["Figures"])
    for line, path in shown():
        if "config.json" in line:  # a picture of the user's own file
            continue
        made.clear()
        assert ask(*words(line)).code == 0, line
        for target in made[0].targets:
            Path(target.path).unlink()
        ours = json.loads(made[0].metadata)["job"]
        del ours["command"]
        theirs = dict(read_metadata(str(ROOT / path))["job"])
        assert theirs.pop("command") == made[0].figure.name, line
        canvas = set(Canvas.options())
        assert {k: v for k, v in theirs.items() if k not in canvas} == as_read(ours, canvas), f"{line}: {path}"


def as_read(settings: dict[str, Any], without: set[str]) -> dict[str, Any]:
    """Return settings as JSON gives them back."""
    return {name: json.loads(json.dumps(value)) for name, value in settings.items() if name not in without}


def test_every_command_has_its_row() -> None:
    drawn = {words(line)[0] for row in rows("Figures") for line in lines(row[0])}
    listed = {words(line)[0] for _, cell in rows("Cheat sheet") for line in lines(cell)}
    assert {*PANELS["Figures"]} - drawn == set()
    assert {*PANELS["Words and numbers"], *PANELS["Files"]} - listed == set()


def test_every_encoding_has_its_row_with_a_line_that_shows_it() -> None:
    _, *found = rows("Encodings")
    assert [name for name, *_ in found] == list(ENCODINGS)
    for name, cell, *_ in found:
        (command,) = lines(cell)
        encodings = [word for word in words(command) if word.partition(":")[0] == name]
        assert encodings or ANALYSES[words(command)[0]].default_encoding == name


@pytest.mark.parametrize("page", ["README.md", *(f"gallery/{path.name}" for path in sorted(GALLERY.glob("*.md")))])
def test_every_file_that_is_linked_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = [path for path in re.findall(r"(?:\]\(|src=\")([^)\"#]+)", text) if not path.startswith("https://")]
    assert [path for path in paths if path.startswith("/") or not (ROOT / page).parent.joinpath(path).is_file()] == []
    assert len(paths) > 10 or "README" not in page


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_ci_runs_the_two_set_up_commands_as_they_stand() -> None:
    assert os.access(RUN, os.X_OK)
    found = subprocess.run(["bash", str(RUN), "--commands"], capture_output=True, text=True, check=True).stdout
    assert found.splitlines() == set_up()
    figure, tests = set_up()
    assert figure.endswith("/pecli heatmap --base 10") and tests.endswith("-m pytest")


@pytest.mark.long
def test_the_python_of_the_readme_runs(site: Path, process: Process) -> None:
    code, _ = blocks("python", section("From Python"))
    text = "print(table.shape, matrix.shape, *(outcome.state for outcome in outcomes))"
    ended = process(["-c", f"{code}\n{text}"], site, {})
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.decode().strip() == "(100, 64) (200, 200) written written written"
    assert {path.name for path in site.iterdir()} >= {"products.png", "products.npz", "heat-10.png", "rope.svg"}


@pytest.mark.long
def test_what_a_notebook_turns_is_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    stand_in = types.ModuleType("ipywidgets")
    stand_in.interact = lambda draw, **ends: shown.append(draw(**{name: end[0] for name, end in ends.items()}))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ipywidgets", stand_in)
    _, code = blocks("python", section("From Python"))
    exec(code, {"pecli": pecli})
    (picture,) = shown
    assert picture.job.specs() == ["sinusoidal:d=2,base=2"] and picture.seen.main.size


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Return a folder in which the worked examples are installed: their modules, and the entry points that a project
    declares.
    """
    project, figure = map(tomllib.loads, blocks("toml", PLUGINS))
    about = project["project"]
    installed = tmp_path / "installed"
    info = installed / f"{about['name']}-{about['version']}.dist-info"
    info.mkdir(parents=True)
    for module, code in zip((PLUGIN, "norms"), blocks("python", PLUGINS), strict=True):
        (installed / f"{module}.py").write_text(code, encoding="utf-8")
    head = f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    (info / "METADATA").write_text(head, encoding="utf-8")
    points = {**about["entry-points"], **figure["project"]["entry-points"], "pecli.figures": {"broken": "gone:Gone"}}
    points["pecli.figures"] |= figure["project"]["entry-points"]["pecli.figures"]
    text = "\n".join(
        f"[{group}]\n" + "\n".join(f"{k} = {v}" for k, v in those.items()) for group, those in points.items()
    )
    (info / "entry_points.txt").write_text(text + "\n", encoding="utf-8")
    return installed


def typed(*lines: str) -> str:
    """Return Python that runs these lines in one process, up to the first that fails."""
    return f"""
import sys
from pecli.__main__ import main
for sys.argv in {[["pecli", *words(line)] for line in lines]}:
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""


@pytest.mark.some(2)
@pytest.mark.parametrize(("code", "warned"), [
    ("print('one\\ntwo')", "printed 'one two'"),
    ("print('one'); import sys; sys.exit(3)", "was skipped: its import ends Python with exit(3) and printed 'one'"),
    ("raise RuntimeError('no GPU')", "was skipped: no GPU"),
])  # fmt: skip
def test_a_plugin_that_prints_exits_or_fails_is_one_line_and_changes_no_result(
    code: str, warned: str, folder: Path, process: Process, ask: Ask
) -> None:
    info = folder / "installed" / "loud-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[pecli.encodings]\nnoise = loud:Noise\n", encoding="utf-8")
    noise = "from pecli.encodings.binary import Binary\nclass Noise(Binary):\n    name = 'noise'\n"
    (info.parent / "loud.py").write_text(f"{code}\n{noise}", encoding="utf-8")
    source = str(Path(pecli.__file__).parents[1])
    np.save(folder / "t.npy", np.eye(3))
    small = "pecli heatmap t.npy"  # a name that is not one of pecli's own encodings
    lines = f"{small} -o a.csv --json", f"{small} -o - --format csv"
    path = os.pathsep.join([source, str(info.parent)])
    beside = process(["-c", typed(*lines)], folder, {"PYTHONPATH": path}, text=True)
    assert (beside.returncode, beside.stdout) == (0, "".join(ask(*words(line)).out for line in lines))
    assert beside.stderr == f"pecli: warning: encoding plugin 'noise' of loud {warned}\n"


@pytest.mark.long
def test_the_figure_of_another_package_is_a_figure_like_the_others(
    plugin: Path, folder: Path, process: Process
) -> None:
    """One that is broken is one warning with its name, and only where other packages are looked at."""
    assert len(blocks("python", PLUGINS)[1].splitlines()) < 40
    (folder / "figures.toml").write_text('[[figure]]\ncommand = "norms"\noutput = "n.svg"\n', encoding="utf-8")
    warning = rb"pecli: warning: figure plugin 'broken' of octave .*: No module named 'gone'\n"
    python = "import pecli; print(pecli.norms('learned', length=9).numbers.norms.shape)"
    lines = (
        "pecli compare rope sinusoidal --figure norms -o both.png -q",
        "pecli batch figures.toml -q",
        "pecli norms -e learned -n 50 --json",
    )
    for code, warned in ((typed(*lines), True), (typed("pecli heatmap -d 4 -n 5 -o a.json"), False), (python, False)):
        ended = process(
            [*(["-W", "ignore"] if code == python else []), "-c", code], folder, {"PYTHONPATH": str(plugin)}
        )
        assert ended.returncode == 0, ended.stderr
        assert re.fullmatch(warning if warned else b"", ended.stderr), code
    assert all((folder / name).is_file() for name in ("norms-learned-length50.png", "both.png", "n.svg"))


@pytest.mark.long
def test_the_worked_example_is_an_encoding_like_the_others(plugin: Path, folder: Path, process: Process) -> None:
    example, _ = re.findall(r'example: ClassVar\[str\] = "(.*)"', PLUGINS)
    lines = (example, "pecli distance -e octave:d=6 -n 64 -o far.json", "pecli encodings octave")
    ended = process(["-c", typed(*lines)], folder, {"PYTHONPATH": str(plugin)})
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (folder / "heatmap-octave.png").is_file()
    assert b"a smooth version of binary" in ended.stdout


def test_the_worked_example_does_what_it_says(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(plugin))
    monkeypatch.delitem(sys.modules, PLUGIN, raising=False)
    import importlib

    octave = importlib.import_module(PLUGIN).Octave
    p = np.arange(20.0)
    table = octave(d=6).table(p)
    for j in range(3):
        assert table[:, 2 * j] == pytest.approx(np.sin(2 * np.pi * p / 2 ** (j + 1)), abs=1e-14)
        assert table[:, 2 * j + 1] == pytest.approx(np.cos(2 * np.pi * p / 2 ** (j + 1)), abs=1e-14)


def test_the_distances_on_the_clock_are_those_it_tells() -> None:
    def apart(periods: tuple[int, ...], first: int, second: int) -> str:
        a, b = (pecli.encode("clock", periods=periods, start=p, length=1)[0] for p in (first, second))
        return f"{np.linalg.norm(a - b):.3f}"

    article, ours = (1, 3600, 43200), (60, 3600, 43200)
    late, noon, early, five = 46799, 43199, 1, 301
    assert [apart(article, late, early), apart(article, early, five)] == ["0.517", "0.519"]
    assert [apart(ours, late, early), apart(ours, noon, early)] == ["0.558", "0.209"]
    assert apart(ours, early, five) == "0.519"
    assert all(number in ARTICLES for number in ("0.517", "0.519", "0.558", "0.209"))


def test_the_textbooks_formula_loses_what_it_says() -> None:
    position, base, d = 1e9, 10000.0, 128
    plain = np.sin(position * base ** (-np.arange(0, d, 2) / d))
    exact = Sinusoidal(d=d, base=base).table(np.array([position]))[0, 0::2]
    assert np.abs(plain - exact).max() > 1e-8


def test_the_plugin_needs_the_distribution_that_this_is() -> None:
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    plugin, _ = blocks("toml", PLUGINS)
    assert tomllib.loads(plugin)["project"]["dependencies"] == [ours["name"]]
    assert f"The distribution is called `{ours['name']}`" in section("Set-up")
    assert list(ours["scripts"]) == ["pecli"] and ours["name"] == DISTRIBUTION


@pytest.mark.posix
def test_a_released_package_names_its_repository(folder: Path) -> None:
    steps = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    (line,) = re.findall(r"run: (printf .*project\.urls.*)", steps)
    shutil.copy(ROOT / "pyproject.toml", folder)
    subprocess.run(["bash", "-c", line], cwd=folder, env=os.environ | {"HERE": "https://a.example/b"}, check=True)
    urls = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Repository"] == "https://a.example/b"
    assert (ROOT / urls["Changes"].partition("/HEAD/")[2]).is_file()


@pytest.mark.parametrize("text", [TEXT, CHINESE], ids=["en", "zh"])
def test_every_question_has_its_row_and_every_figure_and_report_answers_one(text: str) -> None:
    assert [line for line in QUESTIONS.values() if f" | `{line}` |" not in text] == []
    assert text is not TEXT or all(f"| {question} |" in text for question in QUESTIONS)
    assert {line.split()[1] for line in QUESTIONS.values()} >= {*ANALYSES} - {"dials"}


def test_the_help_ends_with_the_questions(ask: Ask) -> None:
    text = " ".join(ask("--help").out.split())
    assert all(f"{question} {line}" in text for question, line in QUESTIONS.items())
