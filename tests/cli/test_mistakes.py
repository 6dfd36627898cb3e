"""Tests of wrong input: one line with advice, and exit code 2, or 1 for files; no traceback."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import pecli
from pecli.cli.app import ALIASES, PANEL
from pecli.cli.suggestions import unknown_option
from pecli.core.options import option
from pecli.encodings.registry import ENCODINGS
from pecli.encodings.sinusoidal import Sinusoidal
from pecli.jobs.job_options import ANALYSES
from tests.conftest import Ask

# the words of a command line, and what stderr must say (what was given, what is allowed or what to try)
MISTAKES: list[tuple[str, list[str]]] = [
    ("heatmap -d 0", ["--d 0", "from 1 to 65536"]),
    ("model a.json --hf-overrides {}", ["did you mean --override?"]),
    ("model a.json --json-model-override-args {}", ["did you mean --override?"]),
    ("model a.json --rope-scaling yarn", ["did you mean --override or --flags?"]),
    ("model a.json --rope-freq-base 5", ["did you mean --flags?"]),
    ("model a.json --max-model-len 5", ["did you mean --seq-len?"]),
    ("model a.json --tolerence 5", ["did you mean --tolerance?"]),
    ("heatmap --layout interlaced", ["interlaced", "did you mean 'interleaved'"]),
    ("spectrum rope --trained 4,096", ["--trained 4,096 is not allowed", "write 4096"]),
    ("heatmap -e sinusoid", ["sinusoid", "did you mean 'sinusoidal'"]),
    ("heatmap -e sinusoidal:bse=10", ["bse", "did you mean 'base'"]),
    ("heatmap -e sinusoidal:base", ["name:parameter=value"]),
    ("heatmap -e rope:scaling=yarn,factor=circle", ["rope with scaling=yarn: factor=circle is", "number > 0"]),
    (
        "spectrum -e rope:trianed=5",
        ["'trianed': did you mean --trained, an option of spectrum? Write it outside"],
    ),
    ("heatmap -e rope:trained=5", ["'trained': did you mean --trained, an option of "]),
    ("heatmap -e rope:length=5", ["rope has no parameter 'length': did you mean --length, an option of heatmap?"]),
    ("heatmap -e rope:fator=5", ["'fator'; did you mean 'factor'?"]),
    ("heatmap -e rope:scaling=yern", ["rope: unknown value of scaling: 'yern'; did you mean 'yarn'?"]),
    ("heatmap -e clock --periods soon", ["clock: --periods soon is", "or one of minute"]),
    ("heatmap -e rope:factor=2..4.5", ["factor=2..4.5 is", "FIRST..LAST:COUNT"]),
    ("heatmap --title a\x01b", ["--title a\\x01b", "without control characters"]),
    ("heatmap -e rope:a\\b", ["'rope:a\\b'"]),
    ("heatmap -o b\udcff.png", ["--output b\\udcff.png is not allowed: it takes text in UTF-8"]),
    ("waves --vmax 3", ["--vmax 3 changes nothing here", "no axis of values"]),
    ("spectrum --vmax 0", ["--vmax 0 is not allowed", "logarithmic"]),
    ("heatmap -o \xa0", ["is not a file name", "figure.png"]),
    ("offsets --decay rope:scaling=yarn,factor=4,original=64,attention_factor=1e-200", ["0, or 1e-50 to 1e+50"]),
    ("bias kerple:r1=1e300", ["--r1 1e300", "≤ 1e+50"]),
    ("heatmap clock --start -4503599627370496", ["from -100000000000000 to"]),
    (
        "curves --log --start 1000000",
        ["the last ≥ 2 and ≥ 1.1 times the first, not 1,000,000", "leave --log out"],
    ),
    ("curves --size 2x2 --text-size 100", ["--size 2x2 is too small", "it needs 1", "give --size 1"]),
    ("rotation -d 2 -n 1000000000000", ["rotation: 1,000,", "TiB", "shorten --length"]),
    ("heatmap --size colum", ["colum", "did you mean 'column'"]),
    ("heatmap --size 100x100 --dpi 2400", ["pixels", "--dpi"]),
    ("heatmap --cmap virids", ["virids", "did you mean 'viridis'"]),
    ("heatmap --style dark", ["did you mean 'dark_background'"]),
    ("heatmap --font Nonsens", ["Nonsens", "known"]),
    ("heatmap --title a --no-title", ["--title", "--no-title"]),
    ("heatmap -o a.pgn", ["pgn", "did you mean 'png'"]),
    ("heatmap -o a", ["a.png"]),
    ("stats -o noext", ["noext.md", "--format md"]),
    ("batch plan.toml --index ../x.md", ["--index ../x.md is outside the folder"]),
    ("batch --init new.toml --force", ["--force changes nothing here, because nothing is drawn with --init"]),
    (
        "batch plan.toml --check --index a.md",
        ["--index a.md changes nothing here, because nothing is drawn"],
    ),
    ("batch plan.toml --dry-run --check", ["--check changes nothing here, because nothing is drawn with --dry-run"]),
    ("recipe a.png --json --form toml", ["--form toml changes nothing here, because --json"]),
    ("heatmap -o a.png -o a.png", ["a.png", "twice"]),
    ("heatmap -o a.png --format svg", ["a.png", "svg"]),
    ("overview -o a.csv", [".csv", ".npz"]),
    ("overview --panels overview", ["overview"]),
    ("overview --panels similarity", ["similarity is distance with --measure cos"]),
    ("distance --measure euclid", ["euclid", "did you mean 'euclidean'"]),
    ("distance -n 1000000 -o a.npy", ["1,000,000 × 1,000,000", "7.3 TiB", "--length"]),
    ("scatter -n 1", ["--length 1", "2 or more"]),
    ("scatter --x cor", ["cor", "did you mean 'corr'"]),
    ("scatter --triangle left", ["left", "upper, lower"]),
    ("scatter -n 1000000000 -o a.npz", ["499,999,999,500,000,000 pairs", "--length"]),
    ("curves --at 200", ["--at 200", "0 to 199"]),
    ("curves --at 0-7", ["--at 0-7", "a range is FIRST..LAST"]),
    ("heatmap --base 10:100", ["--base 10:100", "FIRST..LAST:COUNT"]),
    ("table --digits 3 -o x.png", ["table is a report, so it cannot be a .png file"]),
    ("heatmap --numbers -o b.png", ["--numbers", "3.5-point text", "show fewer rows and columns"]),
    ("heatmap learned:table.npy", ["--encoding learned:file=table.npy"]),
    ("redraw a.png b.png", ["b.png is not an encoding: write it with --output b.png"]),
    ("distance base=10", ["base=10 is not an encoding", "write --base 10"]),
    ("distance far.svg", ["far.svg is not an encoding", "write it with --output far.svg"]),
    (
        "overview alibi",
        ["heatmap cannot show alibi", "here, --panels takes distance, curves, offsets, attention, bias, layers"],
    ),
    ("explore --lang zh overview", ["the figure comes first: pecli explore heatmap --lang"]),
    ("distance --log", ["no option --log, which belongs to heatmap, curves, offsets:"]),
    ("heatmap -x 3", ["no option -x, which belongs to scatter:"]),
    ("explain --at 5", ["no option --at, which belongs to curves, tiles, dials, …:"]),
    ("heatmap --size page,slide -o -", ["takes one picture, but 2 are asked for", "--output heatmap-{size}.png"]),
    ("heatmap --json -o -", ["both write to standard output"]),
    ("heatmap -o fig/{bas}.png", ["unknown placeholder 'bas'; did you mean 'base'?"]),
    ("heatmap -e yarn", ["yarn is not an encoding but a value of rope's scaling", "--encoding rope:scaling=yarn"]),
    ("heatmap rope --scaling yarn", ["--scaling is a parameter of rope", "-e rope:scaling="]),
    ("plot --base 10", ["pecli heatmap draws a table"]),
    ("gif", ["gif is a format: pecli heatmap --base 10,100,1000 -o heatmap.gif writes it"]),
    ("heatmpa", ["did you mean heatmap?"]),
    ("dials rope --at 3:15:20", ["--at 3:15:20", "has no times", "write positions as numbers"]),
    ("dials clock --at 3:75", ["--at 3:75", "or a time on a clock"]),
    ("heatmap --size 1200*600px", ["'1200*600px'", "WxH", "8cm", "did you mean '1600x900px'"]),
    ("heatmap --size icml2025", ["did you mean 'icml'", "icml-full", "nature"]),
    ("heatmap --size neurips-full", ["did you mean 'neurips'"]),
    ("heatmap --size EMNLP-2025", ["unknown size 'EMNLP-2025'", "uses the style of acl", "give --size acl"]),
    ("heatmap --size iccv-full", ["uses the style of cvpr", "give --size cvpr-full"]),
    ("bias hf:bloom", ["hf:org/name"]),
    ("model config.json --figure layers", ["--figure layers changes nothing here", "-o layers.png"]),
    ("model config.json --runtime all --figure layers", ["--figure layers changes nothing here"]),
    ("model config.json --runtime all --figure layers -o a.png", ["--runtime and --figure layers exclude each other"]),
    ("heatmap --width 64", ["--width may mean --d (width", "or --size (size of the picture)", "give the one"]),
    ("stats --base 10..10000", ["--base 10..10000", "FIRST..LAST:COUNT"]),
    ("heatmap -d 10..500 -o a.png", ["491 pictures", "2..10000:40"]),
    ("encodings rope --cite --json", ["--cite prints BibTeX", "--json out"]),
    (
        "encodings --csv-sep semicolon -o a.md",
        ["--csv-sep semicolon is for .csv files only: write one with --output"],
    ),
    ("model folder.json --decimal comma -o a.csv", ["--decimal comma needs a separator other than the comma"]),
    ("encodings kerple --cite -o a.md", ["--cite prints BibTeX"]),
    ("curves -n 1e12", ["shorten --length"]),
    ("heatmap -e learned -n 1e9", ["the untrained table has positions 0 to 9999999"]),
    ("curves -n 10000000000 -o a.csv", ["GiB"]),
    ("heatmap --base 1e-320 -d 97", ["base"]),
    ("heatmap --content-seed 3", ["no option --content-seed, which belongs to rotation, attention, addition, …:"]),
    ("heatmap rope --periods 3", ["the encoding is rope: leave --periods out, or give --encoding clock instead"]),
    ("overview clock --base 10", ["the encoding is clock", "or give --encoding sinusoidal instead"]),
    ("compare rope", ["compare takes two encodings or more, but only rope", "try pecli compare rope sinusoidal"]),
    ("compare", ["only sinusoidal is given", "try pecli compare sinusoidal rope"]),
    ("compare alibi --figure bias", ["try pecli compare alibi kerple --figure bias"]),
    ("compare --base 10,100 -o {base}.png", ["compare takes two encodings or more"]),
    ("scatter --y corr", ["--x and --y are both corr", "try --y euclidean"]),
    ("compare rope clock --step 2", ["the encodings are rope, clock", "or give --encoding sinusoidal instead"]),
    ("compare binary --dtype float16", ["the encoding is binary", "or give --encoding sinusoidal instead"]),
    ("compare alibi --figure bias --base 10", ["--base out, because bias shows no encoding with this parameter"]),
    (
        "compare t5 clock --figure bias --base 3",
        ["--base out, because bias shows no encoding with this parameter"],
    ),
    ("heatmap learned --seed 3 --file a.npy", ["--seed 3"]),
    ("heatmap --lenght=5", ["did you mean --length?"]),
    ("recipe", ["FILE", "pecli recipe --help"]),
    ("heatmap -o a.pgf", ["try a.csv, whose numbers pgfplots can draw (see gallery/use.md)"]),
    ("table alibi", ["which has no table: try pecli bias alibi -o bias.csv; pecli encodings alibi lists all figures"]),
    ("model folder.json folder.json --same", ["--same compares two different files", "folder.json was given twice"]),
    ("model folder.json --same", ["--same compares two files, not 1"]),
    (
        "model folder.json --tolerance 0.1",
        ["--tolerance 0.1 changes nothing here, because it is for comparing"],
    ),
    ("model folder.json --runtime all --tolerance 0.1", ["--runtime and --tolerance exclude each other"]),
    ("bias alibi --heads 4,8 -o b.gif", ["different numbers of panels: 4, 8", "--head 0,1,2,3"]),
    ("ids --sequence 1000000000", ["--sequence 1000000000 is not allowed: it takes at most 1,000,000 words"]),
    ("ids --sequence 4,0", ["--sequence 4,0 is not allowed: it takes word counts and image sizes"]),
    ("explain --blank --json", ["--blank changes nothing here, because --json prints all numbers"]),
    ("model folder.json --ignore nonsense", ["no finding has the code nonsense", "gallery/reference.md lists all"]),
    ("model folder.json --ignore facter_one", ["did you mean factor_one?"]),
    ("model folder.json --format yaml", ["unknown value of --format: 'yaml' (known: png"]),
    ("extend folder.json --to 2048", ["--to 2048 is within the 2,048 positions", "above 2048"]),
    ("extend folder.json --to 4096 --new-base 100", ["--new-base 100 is not above the file's base, 10,000"]),
    ("identify numbers.npy -o d.pgn", ["did you mean 'png'?", "(known: png, svg, pdf, gif, webp, html, md, tex, csv"]),
    ("identify numbers.npy -o d.npy", ["--output d.npy", "takes png, svg, pdf, gif, webp, html, md, tex, csv, json;"]),
    ("heatmap folder.json#al", ["unknown kind of layer 'al'", "try folder.json#all"]),
    ("explore heatmp", ["did you mean 'heatmap'", "overview, compare)"]),
    ("batch plan.toml --shard 3/2", ["--shard 3/2", "K/N, part K of N"]),
]
OF_FILES: list[tuple[str, list[str]]] = [  # where the words would do with other files: exit code 1
    ("batch \xa0", ["'\\xa0' does not exist"]),
    ("tensors words.csv", ["words.csv, line 2: 'x' is not a number"]),
    ("identify objects.npy", ["objects.npy contains Python objects, not numbers"]),
    ("tensors odd.npy", ["odd.npy could not be read"]),
    ("identify folder.json", ["unknown kind of table file '.json'", "try pecli model folder.json"]),
    ("model numbers.npy", ["numbers.npy is not a config", "try pecli tensors numbers.npy"]),
    ("model deep.json", ["deep.json is not a config: lists or objects are nested too deeply\n"]),
    ("model digits.json", ["digits.json is not a config: a number has thousands of digits\n"]),
    ("batch digits.toml", ["digits.toml is not TOML: a number has thousands of digits\n"]),
    ("tensors a.png", ["unknown kind of table file '.png' (known"]),
    ("heatmap --font junk.ttf", ["junk.ttf", "not a font"]),
    ("heatmap -o folder", ["folder", "folder/figure.png"]),
    ("heatmap -o folder.png", ["folder.png", "folder"]),
    ("batch --init new/", ["--init new/ is a folder", "new/pecli.toml"]),
    ("batch plan.toml --index page.md", ["--index page.md is a folder", "page.md/index.md"]),
    ("batch plan.toml --folder a.png", ["--folder a.png is not a folder"]),
    ("heatmap -e learned:file=.", ["."]),
    ("batch own.toml", ["own.toml: [batch]: index = page.md is a folder"]),
    ("heatmap -o junk.ttf/a.png", ["junk.ttf", "not a folder"]),
    ("recipe none.png", ["none.png", "not exist"]),
    ("recipe a.csv", ["a.csv", ".npz"]),
    ("recipe junk.ttf", ["ttf", "png"]),
    ("model *.none", ["*.none"]),
    ("model gpt2", ["gpt2 does not exist", "hf:OWNER/gpt2"]),
    ("model openai/gpt2", ["does not exist", "hf:openai/gpt2"]),
    ("tensors folder", ["folder", "*.safetensors"]),
]


@functools.cache
def picture() -> bytes:
    """Return a finished picture."""
    return pecli.figure("heatmap", d=2, length=2, size="column", dpi=40).render("png")[0]


def furnish(folder: Path) -> None:
    """Write folders and files to stumble over."""
    (folder / "folder").mkdir()
    (folder / "folder.png").mkdir()
    (folder / "page.md").mkdir()
    (folder / "plan.toml").write_text('[[figure]]\ncommand = "heatmap"\n')
    (folder / "own.toml").write_text('[batch]\nindex = "page.md"\n[[figure]]\ncommand = "heatmap"\n')
    (folder / "figur.toml").write_text("[figur]\nbase = 10\n")
    (folder / "report.toml").write_text('[[figure]]\ncommand = "table"\n')
    same = "".join(f'[[figure]]\ncommand = "{name}"\noutput = "z.png"\n' for name in ("heatmap", "waves"))
    (folder / "twice.toml").write_text(same)
    (folder / "bare.toml").write_text("[[figure]]\nbase = 10\n")
    (folder / "header.toml").write_text('[batch]\nindex = "../a.md"\n[[figure]]\ncommand = "heatmap"\n')
    (folder / "large.yaml").write_text("#" * (1 << 20) + "\n")
    (folder / "waves-clock.png").write_bytes(b"somebody else's")
    (folder / "latin.csv").write_bytes(b"\xe9,1\n")
    (folder / "ragged.csv").write_text("1,2\n3\n")
    (folder / "blank.csv").write_text("\n")
    (folder / "pickle.pt").write_bytes(b"\x80\x02}q\x00.")
    np.savez(folder / "two.npz", a=np.eye(3), b=np.eye(3))
    nine: dict[str, Any] = {name: np.eye(3) for name in "abcdefghi"}
    np.savez(folder / "nine.npz", **nine)
    np.savez(folder / "none.npz")
    np.save(folder / "table.npy", [[np.nan, 1.0]])
    (folder / "a.png").write_bytes(picture())
    np.save(folder / "numbers.npy", np.eye(5))
    np.savez(folder / "numbers.npz", pos=np.eye(5))
    np.save(folder / "objects.npy", np.array([{}, 1], dtype=object))
    odd = b"{'descr': '<f8', 'fortran_order': 0x1is 1, 'shape': (2, 3)}\n"
    (folder / "odd.npy").write_bytes(b"\x93NUMPY\x01\0\x40\0" + odd)
    (folder / "words.csv").write_text("a,b\nx,y\n")
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "digits.json").write_text('{"rope_theta": %s}' % ("1" * 5000))
    (folder / "digits.toml").write_text(f"x = {'1' * 5000}\n")
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 2048}
    (folder / "folder.json").write_text(json.dumps(config))
    odd_configs: dict[str, Any] = {
        "wrong": config | {"hidden_size": "wide"},
        "negative": config | {"num_attention_heads": -4},
        "uneven": config | {"num_attention_heads": 7},
        "unknown": config | {"rope_scaling": {"rope_type": "yern", "factor": 2}},
        "without": config | {"rope_scaling": {"rope_type": "yarn"}},
        "endless": {name: value for name, value in config.items() if name != "max_position_embeddings"},
        "mistral": {"dim": 32, "n_heads": 4, "n_layers": 2, "hidden_dim": 64},
        "huge": config | {"max_position_embeddings": 1e300},
        "recurrent": {"model_type": "mamba", "hidden_size": 64},
        "bert": config | {"model_type": "bert"},
        "seeing": {"model_type": "llava", "text_config": config},
        "list": [1, 2],
    }
    for name, content in odd_configs.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    for ending in FILES:
        (folder / f"junk.{ending}").write_bytes(b"\xff\xfe\0junk")
        (folder / f"empty.{ending}").write_bytes(b"")


@pytest.fixture
def furnished(folder: Path) -> Path:
    """Return a folder with folders and files to stumble over."""
    furnish(folder)
    return folder


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


@pytest.mark.some(8)
@pytest.mark.parametrize(("line", "words"), MISTAKES + OF_FILES, ids=[line for line, _ in MISTAKES + OF_FILES])
def test_a_mistake_is_one_line_that_says_what_to_do(line: str, words: list[str], ask: Ask, furnished: Path) -> None:
    code = 1 if (line, words) in OF_FILES else 2
    before = {path.name for path in furnished.rglob("*")}
    ended = ask(*line.split(" "))
    assert [word for word in words if word not in ended.err] == []
    assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1)
    assert ended.err.startswith("pecli: ") and ended.err.count(" or --") < 3
    assert {path.name for path in furnished.rglob("*")} == before


LONG = ["heatmap -o {}.png", "heatmap --style {}.mplstyle", "heatmap --font {}.ttf", "batch {}.toml"]
LONG += ["batch --init {}.toml", "heatmap -e learned:file={}.npy", "distance --base {}", "distance --size {}"]


@pytest.mark.parametrize("line", LONG)
def test_a_name_too_long_for_the_system_is_one_line(line: str, ask: Ask) -> None:
    ended = ask(*line.format("a" * 300).split())
    assert (ended.code, ended.err.count("\n")) == (1 if "{}." in line else 2, 1) and len(ended.err) < 1000


FILES = {  # lines that read a file {}, by its ending
    "npy": ["heatmap learned:file={}", "stats learned:file={}", "bias t5:file={}", "rotation --content {}"],
    "npz": ["identify {}", "tensors {}", "attention --embeddings {}", "explain --embeddings {}", "recipe {}"],
    "safetensors": ["overview learned:file={}", "compare rope learned:file={}", "curves rope:query={}"],
    "json": ["model ./{}", "heatmap ./{}", "redraw {}", "recipe {}"],
    "png": ["recipe {}", "redraw {}"],
    "mplstyle": ["heatmap --style {}"],
    "ttf": ["heatmap --font {}"],
    "toml": ["batch {}", "batch {} --check", "batch {} --dry-run"],
    "xyz": ["tensors {}", "identify {}", "recipe {}", "heatmap learned:file={}"],
}
STATES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "folder": Path.mkdir,
    "unreadable": lambda path: path.symlink_to(path),
    "junk": lambda path: path.write_bytes(b"\xff\xfe\0junk"),
}


@pytest.mark.some(8)
@pytest.mark.posix
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("line", [line.format(f"a.{end}") for end, lines in FILES.items() for line in lines])
def test_a_file_that_cannot_be_read_is_1(line: str, state: str, ask: Ask, folder: Path) -> None:
    path = next(word for word in line.replace("=", " ").replace("./", " ").split() if word.startswith("a."))
    STATES[state](Path(path))
    (folder / "f.toml").write_text(
        f'[[figure]]\ncommand = "heatmap"\nencoding = "learned"\nfile = "{path}"\noutput = "b.png"\n'
    )
    for words in (line.split(), *([["batch", "f.toml"]] if "learned:file" in line and "heatmap" in line else [])):
        ended = ask(*words)
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1), words
        assert "internal" not in ended.err


@pytest.mark.some(4)
@pytest.mark.posix
@pytest.mark.parametrize("target", ["folder.{}", "file/a.{}", "loop.{}", "new/", "denied/a.{}"])
@pytest.mark.parametrize(
    ("line", "ending"),
    [
        ("heatmap -n 3 -o {}", "png"),
        ("table -n 3 -o {}", "csv"),
        ("encodings -o {}", "md"),
        ("redraw a.png -o {}", "svg"),
        ("batch --init {}", "toml"),
        ("batch f.toml", "png"),
    ],
)
def test_a_file_that_cannot_be_written_is_1(
    line: str, ending: str, target: str, ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = target.format(ending)
    (folder / "a.png").write_bytes(picture())
    (folder / "file").write_text("")
    (folder / "denied").mkdir()
    Path(f"folder.{ending}").mkdir()
    Path(f"loop.{ending}").symlink_to(f"loop.{ending}")
    (folder / "f.toml").write_text(f'[[figure]]\ncommand = "heatmap"\noutput = "{target}"\n')
    monkeypatch.setattr("os.access", lambda path, _: Path(path).name != "denied")  # root may write everywhere
    before = left(folder)
    ended = ask(*line.format(target).split())
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1) and left(folder) == before


@pytest.mark.parametrize(
    ("options", "code", "lines"),
    [
        ("base = 0", 2, 2),
        ('file = "none.npy"', 1, 2),
        ('base = 0\ncmap = "no"', 2, 3),
        ("base = 0\nlenght = 3\nlength = -1", 2, 4),
    ],
)
def test_a_batch_file_of_wrong_words_is_2_and_one_whose_files_are_not_there_1(
    options: str, code: int, lines: int, ask: Ask, folder: Path
) -> None:
    missing = '[[figure]]\ncommand = "heatmap"\nencoding = "learned:file=gone.npy"\noutput = "a.png"\n'
    figure = (
        missing.replace("gone", "none").replace("a.png", "b.png")
        if "file" in options
        else (f'[[figure]]\ncommand = "heatmap"\n{options}\n')
    )
    (folder / "f.toml").write_text(missing + figure)
    ended = ask("batch", "f.toml")
    assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", lines)


def test_what_a_file_read_twice_says_is_said_once(ask: Ask, folder: Path) -> None:
    (folder / "t.csv").write_text("a,b\n1,inf\n")  # what fails is not kept
    ended = ask("table", "learned:file=t.csv", "-o", "n.npz")
    assert ended.err.count("header") == 1, ended.err


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("line", "way", "value"),
    [
        ("bias -d 8", "heatmap -e sinusoidal:d=…", "8"),
        ("heatmap --max-distance 20", "distance -e t5:max_distance=…", "20"),
        ("heatmap --rotary-dim 4", "heatmap -e rope:rotary_dim=…", "4"),
        ("t5", "distance t5", ""),
    ],
)
def test_advice_works_when_followed(line: str, way: str, value: str, ask: Ask) -> None:
    assert f"pecli {way}" in ask(*line.split(" ")).err
    assert ask(*way.replace("…", value).split(" "), "-n", "6", "-o", "a.npz").code == 0


@pytest.mark.some(33)
@pytest.mark.parametrize("figure", ANALYSES)
def test_whatever_parameter_is_misplaced_the_line_to_try_is_of_a_figure_that_shows_it(figure: str) -> None:
    flags = {item.flag for kind in ENCODINGS.values() for item in kind.options().values()}
    answers = [re.search(r"pecli (\w+) -e (\w+):", unknown_option(figure, flag, {})) for flag in flags]
    assert [answer[0] for answer in answers if answer and not ANALYSES[answer[1]].takes(ENCODINGS[answer[2]])] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, "--length"),
        (OSError(28, "No space left"), 1, "No space left"),
        (RuntimeError("odd"), 1, "odd"),
        (BrokenPipeError(), 1, ""),
    ],
)
def test_every_other_end_is_one_line_too(
    error: BaseException, code: int, said: str, ask: Ask, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("pecli.files.writer.os.replace", fail)
    ended = ask("heatmap", "-d", "7", "-n", "5", "--dpi", "20", "-o", "a.png")
    assert ended.code == code
    assert said in ended.err
    assert ended.err.count("\n") == (1 if said else 0)
    assert list(folder.iterdir()) == []


def test_verbose_shows_where_an_error_comes_from(ask: Ask) -> None:
    assert "Traceback" in ask("heatmap", "-d", "0", "-v").err


@dataclass(frozen=True)
class Beaten(Sinusoidal):
    """A plugin's encoding: sinusoidal with a parameter of its own."""

    name: ClassVar[str] = "beaten"

    beat: int = option(1, "how many times", at_least=1)


@pytest.fixture
def plugin(install: Callable[[type[Sinusoidal]], None]) -> None:
    """An installed package that brings an encoding."""
    install(Beaten)


@pytest.mark.long
@pytest.mark.usefixtures("plugin")
def test_the_options_of_a_plugins_encoding_are_as_ours(ask: Ask, folder: Path) -> None:
    ended = ask("heatmap", "beaten", "--beat", "2,3", "-n", "3", "-d", "4", "-o", "{beat}.json", "-v")
    assert ended.out.split() == ["2.json", "3.json"]
    assert "--encoding beaten:d=4,beat=2" in ended.err
    assert "--beat" in ask("heatmap", "beaten", "--help").out and "--beat" not in ask("heatmap", "--help").out
    text = ask("heatmap", "rope", "--beat", "2")
    assert text.code == 2 and "-e beaten:beat=" in text.err
    assert ask("heatmap", "beaten", "--beat", "0").code == 2
    assert pecli.figure("heatmap", encoding="beaten", beat=2, length=3).job.encodings[0] == Beaten(beat=2)


@pytest.mark.some(24)
@pytest.mark.parametrize("name", [*PANEL, *ALIASES])
def test_the_help_that_is_named_is_that_of_the_command(name: str, ask: Ask, furnished: Path) -> None:
    before = ["a.png"] if name == "redraw" else ["heatmap"] if name == "explore" else []
    flag = {"batch": "--jobs", "explore": "--base"}.get(name, "--output")
    for words in ([flag], ["--foo"]):
        ended = ask(name, *before, *words)
        assert (ended.code, ended.out) == (2, "") and " ".join(["pecli", name, *before, "--help"]) in ended.err
