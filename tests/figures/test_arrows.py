"""Tests of the figure arrows: the angle between query and key depends on the offset alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import pecli
from pecli.core.errors import UsageError
from pecli.core.language import say
from pecli.encodings.rope import Rope
from pecli.jobs.sweep import jobs_of
from tests.conftest import Ask
from tests.drawing import numbers_of, page_of, told


def test_query_and_key_stay_as_far_apart_wherever_they_are() -> None:
    found = numbers_of("rotation", offset=5, at=[0, 7, 1000])
    turn = np.degrees(Rope().frequencies()[found.pair])
    assert (found.query - found.key) % 360 == pytest.approx([5 * turn] * 3)
    assert (found.pair, found.apart) == (9, pytest.approx(5 * turn))
    assert found.score == pytest.approx(np.cos(5 * Rope().frequencies()[9]))
    said = {"key": "rotation.stay_apart", "pair": 9, "degrees": "78.4"}
    assert told(found.message(), said) == said
    assert numbers_of("rotation", encoding="rope:d=4", offset=3).pair == 0  # arrows of pair 1 are 1.7° apart
    rotated = [Rope().rotate(np.eye(128)[18], float(at)) for at in (7, 12)]
    assert rotated[0] @ rotated[1] == pytest.approx(found.score)


def test_a_moving_picture_has_about_a_turn(ask: Ask) -> None:
    assert [len(job.cells) for job in jobs_of("rotation", {"offset": 5, "output": "turn.gif"})] == [24]
    ended = ask("rotation", "--offset", "5", "--at", "0,4", "-o", "turn.npz", "--json")
    assert json.loads(ended.out)["results"][0]["job"]["at"] == [0, 4]


@pytest.mark.long
@pytest.mark.parametrize("size", ["page", "column", "slide"])
def test_each_place_is_a_ring_with_two_named_arrows(size: str) -> None:
    page = page_of("rotation", offset=5, size=size)
    named = [[text.get_text() for text in panel.texts] for panel in page.axes]
    assert len(named) == 3
    for texts, at in zip(named, (0, 8, 16), strict=True):
        assert {say("rotation.key_at", position=f"{at}"), say("rotation.query_at", position=f"{at + 5}")} <= {*texts}
        assert "78.4°" in texts


def test_a_pair_may_be_chosen() -> None:
    found = numbers_of("rotation", offset=-3, pairs=[2])
    assert found.pair == 2 and found.wavelength == pytest.approx(Rope().wavelengths()[2])


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"at": [3]}, "at"),
        ({"offset": 5, "matrix": 3}, "matrix"),
        ({"offset": 5, "content": "random"}, "content"),
        ({"offset": 5, "length": 9}, "length"),
        ({"offset": 5, "encoding": "rope:d=8,grid=2x2"}, "offset"),
    ],
)
def test_what_arrows_do_not_show_is_refused(options: dict[str, Any], option: str) -> None:
    with pytest.raises(UsageError) as error:
        pecli.figure("rotation", **options).numbers  # noqa: B018
    assert error.value.option == option
