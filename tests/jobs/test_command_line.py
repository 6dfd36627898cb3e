"""A job as the command line that asks for it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from pecli.jobs.command_line import command
from pecli.jobs.job import Job
from pecli.jobs.job_options import ANALYSES


def job(analysis: str = "heatmap", /, **options: Any) -> Job:
    return Job.make(analysis, options)


@pytest.mark.parametrize("encoding", ["sinusoidal", "sinusoidal:base=10", "rope", "clock:periods=60,3600"])
def test_the_command_line_names_an_encoding_only_where_it_is_not_the_usual(encoding: str) -> None:
    words = shlex.split(command(job(encoding=encoding)))
    assert ("--encoding" in words) == (not encoding.startswith("sinusoidal"))
    assert ("--base" in words) == ("base" in encoding)


def test_the_command_line_of_nothing_special_is_two_words() -> None:
    plain = [name for name in ANALYSES if ANALYSES[name].default_encoding == "sinusoidal"]
    assert [command(job(name)) for name in plain] == [f"pecli {name}" for name in plain]


def test_encodings_stand_without_an_option_where_they_are_the_subject() -> None:
    words = shlex.split(command(job("compare", encoding=["sinusoidal:base=10", "rope"], figure="curves")))
    assert words == ["pecli", "compare", "sinusoidal:base=10", "rope", "--figure", "curves"]


def test_other_outputs_may_stand_in_the_command_line() -> None:
    one = job(base=10, output="x/{base}.png")
    assert command(one) == "pecli heatmap --base 10 --output x/10.png"
    assert command(one, ("b {c}.svg",)) == "pecli heatmap --base 10 --output 'b {{c}}.svg'"
