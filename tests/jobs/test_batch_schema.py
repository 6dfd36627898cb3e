"""Tests of the JSON Schema of batch files: it accepts and refuses the same files as pecli."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pecli.core.errors import PecliError
from pecli.jobs.batch import EXAMPLE, read_batch
from pecli.jobs.job_options import ANALYSES, encoding_parameters, known_options
from pecli.jobs.schema import batch_schema

validators = pytest.importorskip("jsonschema")
GALLERY = Path(__file__).parents[2] / "gallery" / "gallery.toml"
HEAT = '[[figure]]\ncommand = "heatmap"\noutput = "a.png"\n'


@pytest.fixture(scope="module")
def schema() -> Any:
    """Return the schema as an editor has it."""
    made = json.loads(json.dumps(batch_schema(), allow_nan=False))
    validators.Draft7Validator.check_schema(made)
    return validators.Draft7Validator(made)


@pytest.mark.parametrize(
    "text", [GALLERY.read_text(encoding="utf-8"), EXAMPLE.format(path="f")], ids=["gallery", "init"]
)
def test_our_own_files_are_right(text: str, schema: Any) -> None:
    assert list(schema.iter_errors(tomllib.loads(text))) == []


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("text", "right"),
    [
        (HEAT, True),
        (HEAT.replace("a.png", "{base}.png") + "base = [1, 2.5]\nno-title = true\n", True),
        ("[batch]\ntitle = 't'\nindex = 'a.md'\n[defaults]\nbase = 10\n" + HEAT, True),
        ("[defaults]\nmeasure = 'dot'\n" + HEAT + "[[figure]]\ncommand = 'distance'\noutput = 'b.png'\n", True),
        (HEAT + "d = 2000\n", True),  # more than some encodings have
        (HEAT + "bsae = 3\n", False),
        (HEAT + "base = 'x'\n", False),
        (HEAT + "base = -1\n", False),
        (HEAT + "d = 2.5\n", False),
        (HEAT + "no_title = 1\n", False),
        (HEAT + "title = 1\n", False),
        (HEAT + "name = 1\n", False),
        ("[defaults]\nbsae = 3\n" + HEAT, False),
        ("[default]\n" + HEAT, False),
        ("[batch]\ntitel = 't'\n" + HEAT, False),
        ('[[figure]]\ncommand = "heatmpa"\noutput = "a.png"\n', False),
        ('[[figure]]\noutput = "a.png"\n', False),
        ("[defaults]\nd = 4\n", False),
    ],
)
def test_it_takes_what_pecli_takes(text: str, right: bool, schema: Any, folder: Path) -> None:
    (folder / "f.toml").write_text(text, encoding="utf-8")
    assert schema.is_valid(tomllib.loads(text)) == right
    if right:
        read_batch("f.toml")
    else:
        with pytest.raises(PecliError):
            read_batch("f.toml")


def test_every_option_is_a_key_with_its_help(schema: Any) -> None:
    entries = {entry["title"]: entry["properties"] for entry in schema.schema["properties"]["figure"]["items"]["anyOf"]}
    for name, analysis in ANALYSES.items():
        for option in known_options(analysis).values():
            value = entries[name][option.name]
            value = schema.schema["definitions"][option.name] if "$ref" in value else value
            assert value["description"] == option.help or option.name in encoding_parameters()
