"""Where things stand in a TOML text."""

from __future__ import annotations

import tomllib

import pytest

from pecli.jobs.batch import Lines

TEXT = '''\
# [[figure]] in a remark
title = "[batch]"  # outside
[defaults]
size = "column"

[[figure]]  # the first
command = "heatmap"
note = """
[[figure]]
base = 1
"""
"no-title" = true
base = [
  10,  # base = 2
  [100],
]
[[ figure ]]
command = 'dist#ance'
note = \'\'\'
d = 5
\'\'\'
tokens = "a \\" [[figure]] # b"
d = { a = [1,
  2] }
length = 7
[figure.size]
x = 1
[["figure"]]
command = "waves"
last = 1'''

PLACES: list[tuple[str, int, str | None, int]] = [
    ("", 0, "title", 2),
    ("defaults", 0, None, 3),
    ("defaults", 0, "size", 4),
    ("defaults", 0, "command", 3),  # it is in another table
    ("figure", 0, None, 6),
    ("figure", 0, "command", 7),
    ("figure", 0, "note", 8),
    ("figure", 0, "no_title", 12),
    ("figure", 0, "no-title", 12),
    ("figure", 0, "base", 13),
    ("figure", 0, "length", 6),
    ("figure", 1, None, 17),
    ("figure", 1, "command", 18),
    ("figure", 1, "note", 19),
    ("figure", 1, "tokens", 22),
    ("figure", 1, "d", 23),
    ("figure", 1, "length", 25),  # the last key before the next head
    ("figure", 1, "size", 26),
    ("figure", 1, "x", 17),
    ("figure", 2, None, 28),
    ("figure", 2, "last", 30),  # the last of the file, without a line break
]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(("table", "number", "key", "line"), PLACES)
def test_a_key_is_found_where_it_stands(table: str, number: int, key: str | None, line: int, end: str) -> None:
    text = TEXT.replace("\n", end)
    assert len(tomllib.loads(text)["figure"]) == 3
    assert Lines("f.toml", text).of(table, number, key) == f"f.toml:{line}"


@pytest.mark.parametrize(("table", "number"), [("figure", 3), ("batch", 0)])
def test_what_is_not_there_is_in_the_file(table: str, number: int) -> None:
    assert Lines("f.toml", TEXT).of(table, number) == "f.toml"


@pytest.mark.parametrize("quotes", ['""""', '"""""'])
def test_quotation_marks_at_the_end_of_a_text_of_many_lines_belong_to_it(quotes: str) -> None:
    text = f'[[figure]]\nnote = """\n# {quotes}\nbase = 1\n'
    assert tomllib.loads(text)["figure"][0]["base"] == 1
    assert Lines("f.toml", text).of("figure", 0, "base") == "f.toml:4"
