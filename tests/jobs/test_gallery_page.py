"""Tests of pages with every picture and its command, in Markdown and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.jobs.batch import Batch, read_batch
from pecli.jobs.index import page, page_path

Ask = Callable[..., Any]
TEXT = """\
[batch]
title = "Waves & <tags>"
[defaults]
d = 4
length = 5
dpi = 20
[[figure]]
command = "heatmap"
name = "heat"
note = "The base stretches <i>slow</i> waves."
base = [10, 100]
output = "x/heat-{base}.png"
[[figure]]
command = "distance"
title = "<b>&\\"quoted\\" 'single' 位置</b>"
output = ["d.svg", "d.npz", "d.pdf"]
[[figure]]
command = "curves"
output = "only.csv"
"""
FILES = ["x/heat-10.png", "x/heat-100.png", "d.svg", "d.npz", "d.pdf", "only.csv"]


@pytest.fixture
def plan(folder: Path) -> Batch:
    """Return a batch file in the current folder, nothing of it drawn."""
    Path("figures.toml").write_text(TEXT, encoding="utf-8")
    return read_batch("figures.toml")


class Page(HTMLParser):
    """What stands in a page: its tags with their attributes, and its texts by tag."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(data.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and data.strip():
            self.texts.append((self.tags[-1][0], data.strip()))

    def all(self, tag: str, attribute: str) -> list[str | None]:
        return [attributes[attribute] for name, attributes in self.tags if name == tag and attribute in attributes]


def touch(plan: Batch) -> None:
    for path in (Path(path) for job in plan.jobs for path in job.paths):
        path.parent.mkdir(exist_ok=True)
        path.touch()


def test_markdown_shows_every_picture_with_its_line(plan: Batch) -> None:
    assert page(plan, "README.md").count(b"Not drawn yet") == len(plan.jobs)
    touch(plan)
    text = page(plan, "README.md").decode()
    assert text.startswith("# Waves &amp; &lt;tags&gt;\n") and text.endswith("\n")
    assert re.findall(r"^!\[.*\]\((.*)\)$", text, re.M) == ["x/heat-10.png", "x/heat-100.png", "d.svg"]
    assert re.findall(r"^pecli heatmap .*--output (.*)$", text, re.M) == ["x/heat-10.png", "x/heat-100.png"]
    assert re.findall(r"^## (.*)$", text, re.M) == ["heat", "d.svg", "only.csv"]
    assert "The base stretches &lt;i&gt;slow&lt;/i&gt; waves." in text  # a note may be Markdown
    assert "[d.npz](d.npz), [d.pdf](d.pdf)" in text and "[only.csv](only.csv)" in text


@pytest.mark.long
def test_html_shows_every_picture_with_its_line(plan: Batch) -> None:
    touch(plan)
    found = Page(page(plan, "index.html"))
    assert found.all("img", "src") == ["x/heat-10.png", "x/heat-100.png", "d.svg"]
    assert found.all("a", "href") == ["d.npz", "d.pdf", "only.csv"]
    lines = [text for tag, text in found.texts if tag == "code"]
    assert [line.split()[1] for line in lines] == ["heatmap", "heatmap", "distance", "curves"]
    assert "--base 10 " in lines[0] and "--base 100 " in lines[1]
    assert all(found.all("img", "alt"))
    assert any(tag == "style" and ":root { color-scheme: light dark; }" in text for tag, text in found.texts)
    picture = pecli.heatmap(length=9, dpi=20, d=4)
    picture.save("x/heat-10.png")
    assert Page(page(plan, "index.html")).all("img", "alt")[0] == picture.alt
    assert [text for tag, text in found.texts if tag == "h2"] == ["heat", "heat", "d.svg", "only.csv"]


def test_html_holds_text_as_text(plan: Batch) -> None:
    found = Page(page(plan, "index.html"))
    assert ("title", "Waves & <tags>") in found.texts and ("h1", "Waves & <tags>") in found.texts
    assert not {"b", "i", "tags"} & {tag for tag, _ in found.tags}
    assert any("The base stretches <i>slow</i> waves." in text for _, text in found.texts)
    assert any("--title" in text and "<b>&" in text for tag, text in found.texts if tag == "code")


@pytest.mark.parametrize("path", ["index.txt", "a.pdf/b.txt", "index"])
def test_another_kind_of_page_is_refused(path: str, plan: Batch) -> None:
    with pytest.raises(UsageError, match=r"\.md, \.html|try index\.md or index\.html"):
        page_path(plan, path)


@pytest.mark.long
def test_a_page_is_written_beside_the_pictures_and_links_only_what_is_there(ask: Ask, plan: Batch) -> None:
    ended = ask("batch", "figures.toml", "-j", "1", "--index", "README.md", "--index", "pages/index.html")
    assert ended.code == 0
    assert ended.out.splitlines()[-2:] == ["README.md", "pages/index.html"]
    for path in Page(Path("pages/index.html").read_bytes()).all("img", "src"):
        assert (Path("pages") / str(path)).is_file()
    assert [path for path in FILES if not Path(path).is_file()] == []


def test_a_page_that_would_be_the_same_is_not_written_again(ask: Ask, folder: Path) -> None:
    text = TEXT[: TEXT.index("[[figure]]\ncommand = \"distance\"")]  # fmt: skip
    Path("figures.toml").write_text(
        text.replace("x/heat-{base}.png", "{base}.json").replace("[batch]", INDEX), encoding="utf-8"
    )
    first = ask("batch", "figures.toml", "-j", "1")
    before = Path("README.md").stat()
    second = ask("batch", "figures.toml", "-j", "1", "--force")
    assert "README.md" in first.out.splitlines() and "README.md" not in second.out.splitlines()
    assert (Path("README.md").stat().st_ino, Path("README.md").stat().st_mtime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
    )
    assert ask("batch", "figures.toml", "--check").code == 0
    Path("README.md").write_text(Path("README.md").read_text(encoding="utf-8") + "edited", encoding="utf-8")
    assert ask("batch", "figures.toml", "--check").out == "stale: README.md\n"
    assert ask("batch", "figures.toml", "-j", "1").out == "README.md\n"
    assert "edited" not in Path("README.md").read_text(encoding="utf-8")


INDEX = '[batch]\nindex = "README.md"'


def test_markdown_shows_html_and_control_characters_of_titles_and_notes(folder: Path) -> None:
    hostile = "<script>alert(1)</script>\\u202e & "
    Path("h.toml").write_text(
        f'[batch]\ntitle = "{hostile}"\n[[figure]]\ncommand = "heatmap"\nname = "a\\n## {hostile}"\n'
        f'note = "{hostile}\\n\\nsecond"\noutput = "a.png"\n',
        encoding="utf-8",
    )
    batch = read_batch("h.toml")
    text, web = (page(batch, name).decode() for name in ("README.md", "page.html"))
    assert "\u202e" not in web and "<script" not in web
    assert "<script" not in text and "\u202e" not in text
    assert text.count("&lt;script&gt;") == 3 and "\n\nsecond" in text
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# &lt;script&gt;alert(1)&lt;/script&gt;\\u202e &amp;",
        "## a ## &lt;script&gt;alert(1)&lt;/script&gt;\\u202e &amp;",
    ]
