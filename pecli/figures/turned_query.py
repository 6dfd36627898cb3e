"""A query before and after its rotation, some positions at a time: what the pixels of its pictures show, and paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pecli.analysis import View
from pecli.core.errors import UsageError, mention
from pecli.core.language import phrase
from pecli.core.lazy import Array, np
from pecli.core.progress import track
from pecli.encodings.capabilities import Rotary
from pecli.files.table_files import read_table
from pecli.measures.block_means import averaged_columns, averaged_rows

Rows = Callable[[slice], Array]  # of a query: asked for from first to last, each once
SIDE = 1024  # rows that are turned at once, at least a pixel's


class Turned(NamedTuple):
    """before, after : (blocks of positions, blocks of dimensions), means; paths : (length, pairs, 2)."""

    before: Array
    after: Array
    paths: Array
    columns_block: int


def query_text(content: str, seed: int) -> str:
    """Where a query comes from, as the caption says it; nothing of a file."""
    return phrase("random Q, seed {seed}", seed=seed) if content in ("same", "random") else ""


def query_rows(content: str, seed: int, shape: tuple[int, int]) -> Rows:
    """The rows of a query of that shape: one random vector, a random one a position, or those of a file."""
    random = np.random.default_rng(seed)
    if content == "same":
        vector = random.standard_normal(shape[1])
        return lambda rows: np.tile(vector, (rows.stop - rows.start, 1))
    if content == "random":
        return lambda rows: random.standard_normal((rows.stop - rows.start, shape[1]))
    table = read_table(content)
    if table.shape != shape:
        given, wanted = (" × ".join(map(str, sides)) for sides in (table.shape, shape))
        text = f"{mention('content', content)} holds {given} numbers and {wanted} are needed"
        raise UsageError(text, option="content", value=content)
    return lambda rows: table[rows]


def turned_query(view: View[Rotary], query: Rows, pairs: Array) -> Turned:
    """The query before and after, as many rows and columns of it as the panels have pixels."""
    rope, positions, blocks = view.encoding, view.covered.array(), view.covered.blocks(view.pixel_rows)
    step = blocks.size * max(1, SIDE // blocks.size)
    before, after, paths = [], [], []
    for at in track(range(0, len(positions), step), "turning the query"):
        rows = slice(at, min(at + step, len(positions)))
        plain = query(rows)
        turned = rope.rotate(plain, positions[rows])
        before.append(averaged_rows(plain, blocks.size))
        after.append(averaged_rows(turned, blocks.size))
        paths.append(np.stack(rope.split(turned), axis=-1)[:, pairs])
    (first, size), (second, _) = (
        averaged_columns(np.concatenate(parts), view.pixel_columns) for parts in (before, after)
    )
    return Turned(first, second, np.concatenate(paths), size)
