"""Tests of arrays as encodings: accepted types, identity by content, and the pictures and recipes."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pecli
from pecli import PecliError, UsageError
from pecli.jobs.job_options import ANALYSES

TABLE = np.random.default_rng(8).integers(-9, 10, (7, 4)) / 4  # exact in every type here


class Tensor:
    """What torch has: numpy takes it once it is detached, from the CPU."""

    def __init__(self, on: str = "cpu") -> None:
        self.on = on

    def detach(self) -> Any:
        if self.on != "cpu":
            raise TypeError(f"it is on {self.on}")
        return TABLE

    def __array__(self) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


class Plain:
    """What numpy can make an array of, and no more."""

    def __array__(self) -> Any:
        return TABLE


def of(module: str, name: str) -> Callable[[], Any]:
    return lambda: getattr(pytest.importorskip(module) and import_module(module), name)(TABLE)


SAME: dict[str, Callable[[], Any]] = {
    "float32": lambda: TABLE.astype(np.float32),
    "other order of bytes": lambda: TABLE.astype(">f8"),
    "columns first": lambda: np.asfortranarray(TABLE),
    "a side of 1": lambda: TABLE[None],
    "needs a gradient": Tensor,
    "has __array__": Plain,
    "pandas": of("pandas", "DataFrame"),
    "polars": of("polars", "DataFrame"),
    "torch": of("torch", "tensor"),
}


@pytest.mark.some(3)
@pytest.mark.parametrize("make", SAME.values(), ids=SAME)
def test_the_same_numbers_are_the_same_encoding_whatever_holds_them(make: Callable[[], Any]) -> None:
    picture = pecli.heatmap(make())
    assert picture.job == pecli.heatmap(TABLE).job and picture.job.metadata == pecli.heatmap(TABLE).job.metadata
    assert np.array_equal(picture.numbers.main, TABLE) and np.array_equal(pecli.encode(make()), TABLE)


@pytest.mark.some(7)
@pytest.mark.parametrize("name", [name for name, kind in ANALYSES.items() if kind.takes(type(pecli.encoding(TABLE)))])
def test_an_array_is_what_its_file_is(name: str, folder: Path) -> None:
    np.save("t.npy", TABLE)
    options = {"grid": "1x7"} if name in ("tiles", "maps") else {}
    ours, file = (getattr(pecli, name)(it, label=["t"], **options).numbers for it in (TABLE, "learned:file=t.npy"))
    for key, array in ours.arrays().items():
        other = file.arrays()[key]
        assert array.dtype.kind == "U" or np.array_equal(array, other, equal_nan=array.dtype.kind == "f"), key


def test_several_are_compared_and_swept_and_hold_apart() -> None:
    both = pecli.compare(TABLE, "rope", label=["mine", "RoPE"])
    assert [encoding.label for encoding in both.job.encodings] == ["mine", "RoPE"]
    assert both.job == pecli.compare([TABLE, "rope"], label=["mine", "RoPE"]).job
    assert pecli.offsets([TABLE, -2 * TABLE]).numbers.main.shape == (2, 7)
    titles = pecli.compare(TABLE, -TABLE).job.view.encodings
    assert len({encoding.title() for encoding in titles}) == 2
    assert pecli.heatmap(TABLE).job != pecli.heatmap(TABLE.reshape(4, 7)).job
    assert len(pecli.heatmap([TABLE, -TABLE, "rope"]).job.cells) == 3


REFUSED: list[tuple[Any, str]] = [
    (TABLE[0], r"dimensions|shape \(4,\)"),
    (np.float64(3), "dimensions"),
    (np.zeros((0, 3)), r"shape \(0, 3\)"),
    (np.zeros((2, 3, 4)), r"shape \(2, 3, 4\)"),
    (TABLE * 1j, "complex"),
    (TABLE > 0, "bool"),
    (TABLE.astype(object), "object"),
    (np.where(TABLE > 2, np.nan, TABLE), "values? that (is|are) not finite, the first in row"),
    (TABLE * 1e200, "values? that (is|are) beyond"),
    ([[1.0, 2.0], [3.0, 4.0]], "dimensions"),
    (Tensor(on="meta"), "it is on meta"),
]


@pytest.mark.parametrize(("array", "said"), REFUSED, ids=range(len(REFUSED)))
@pytest.mark.parametrize("ask", [pecli.encode, pecli.heatmap], ids=["encode", "heatmap"])
def test_what_is_no_table_is_refused_in_one_line(ask: Callable[[Any], Any], array: Any, said: str) -> None:
    with pytest.raises(PecliError, match=said) as caught:
        ask(array)
    assert "\n" not in str(caught.value)


def test_a_picture_keeps_the_numbers_that_it_was_given_and_no_longer_than_it_lasts() -> None:
    gc.freeze()  # what other tests left: the collections below are quick
    for factor, made in ((6, pecli.encode(TABLE * 6)), (7, pecli.heatmap(TABLE * 7, length=7).numbers.main)):
        assert np.array_equal(made, TABLE * factor)
    own = TABLE * 5
    picture = pecli.heatmap(own)
    own[:] = 0  # it may be written to
    (name,) = picture.job.inputs
    assert np.array_equal(picture.numbers.main, TABLE * 5)
    assert pecli.heatmap("learned", file=name).numbers.main is not None
    del picture
    gc.collect()
    with pytest.raises(UsageError, match=f"^{name} is an array"):
        pecli.encode("learned", file=name)


def test_the_recipe_says_that_a_text_has_not_the_numbers_and_redraw_what_to_do(ask: Callable[..., Any]) -> None:
    gc.freeze()
    picture = pecli.heatmap(TABLE * 3, dpi=20, size="2x2")
    (name,), (digest,) = picture.job.inputs, json.loads(picture.job.metadata)["inputs"]
    assert name == f"array:{digest}" and len(digest) == 16 and digest[:6] in picture.title()
    picture.save("a.png")
    del picture
    gc.collect()
    recipe, again = ask("recipe", "a.png"), ask("redraw", "a.png", "-o", "b.png")
    assert recipe.code == 0 and name in recipe.out and again.code == 2
    for text in (recipe.err, again.err):
        assert text.count("\n") == 1 and f"{name} is an array" in text
    np.save("t.npy", TABLE * 3)
    assert "numpy.save" in again.err and ask("redraw", "a.png", "--file", "t.npy", "-o", "b.png").code == 0


@pytest.mark.parametrize(
    ("sides", "advice"), [((2, 3), ": try grid=2x3"), ((2, 3, 4), ": try grid=2x3x4"), ((2, 2, 2, 2), "")]
)
def test_an_array_of_a_grid_needs_that_grid(sides: tuple[int, ...], advice: str) -> None:
    array = np.arange(np.prod(sides) * 5).reshape(*sides, 5)
    with pytest.raises(PecliError) as caught:
        pecli.encode(array)
    assert str(caught.value).endswith(f"not that of a table (positions, dimensions){advice}")
    if advice:
        grid = advice.rpartition("=")[2]
        assert np.array_equal(pecli.encode(array, grid=grid), array.reshape(-1, 5))
        with pytest.raises(PecliError):
            pecli.encode(array, grid=grid.replace("2x3", "3x2"))
    assert np.array_equal(pecli.encode(array.reshape(-1, 1, 5)), array.reshape(-1, 5))
