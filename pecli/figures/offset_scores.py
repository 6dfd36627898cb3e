"""Scores of random queries and keys against the offset. A rotation changes neither their mean nor their spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pecli.analysis import View
from pecli.core.language import say
from pecli.core.lazy import Array, np
from pecli.core.numbers import chunks
from pecli.core.progress import track
from pecli.encodings.base import Encoding
from pecli.encodings.rope import RotatedPairs
from pecli.figures.offset_figure import BandNumbers, OffsetBands
from pecli.measures.reduce import bin_centres

MAX_COMPARED = 2048  # offsets: with more, the extreme deviations are not computed
ALIKE = 1.25  # ratio of deviations below which the headline calls them equal


@dataclass(frozen=True, kw_only=True)
class RandomNumbers(BandNumbers[RotatedPairs]):
    """The mean score of random queries and keys at each offset, and one standard deviation below and above it."""

    draws: int
    lowest_deviation: float
    highest_deviation: float

    def marks(self) -> list[str]:
        return [say("offsets.line_mean_score_of", count=self.draws), say("offsets.score_query_key_d")]

    def message(self) -> str:
        least, most = self.lowest_deviation, self.highest_deviation
        text = "offsets.scores_of_random_queries"
        return say(text, least=f"{least:.2f}", most=f"{most:.2f}") if most < ALIKE * least else ""


@dataclass(frozen=True)
class RandomScores(OffsetBands):
    """The figure of `offsets --random N`."""

    def shape(self, view: View[Any]) -> tuple[int, ...]:
        return (2, self.random or 0, max(encoding.d for encoding in view.encodings))

    def compute(self, view: View[Any]) -> RandomNumbers:
        return _random_scores(view, bin_centres(self.edges(view)), self.random or 0)

    def has_band(self, encoding: Encoding) -> bool:
        return True

    def quantity(self, view: View[Any]) -> str:
        return say("offsets.score")


def _random_scores(view: View[RotatedPairs], offsets: Array, draws: int) -> RandomNumbers:
    """Return the mean and deviation of the scores of `draws` random queries and keys at these offsets.

    The lowest and highest deviation are over all offsets, so that they do not depend on the picture's size.
    """
    moments = np.stack([score_moments(encoding, offsets, draws) for encoding in view.encodings])
    every, known = np.arange(float(view.covered.length)), view.covered.length <= MAX_COMPARED
    whole = not known or len(offsets) == len(every)
    ends = moments if whole else np.stack([score_moments(encoding, every, draws) for encoding in view.encodings])
    return RandomNumbers(
        view=view,
        mean=moments[:, 0],
        encoding=np.arange(len(moments)),
        offsets=offsets,
        low=moments[:, 0] - moments[:, 1],
        high=moments[:, 0] + moments[:, 1],
        draws=draws,
        lowest_deviation=float(ends[:, 1].min()) if known else np.nan,
        highest_deviation=float(ends[:, 1].max()) if known else np.nan,
    )


def score_moments(encoding: RotatedPairs, offsets: Array, draws: int) -> Array:
    """Return the mean and standard deviation of ⟨q, R_Δ k⟩ / √d for independent normal q and k, shape (2, n).

    offsets : the offsets Δ, shape (n,)
    draws : number of random pairs q and k

    A rotation keeps the distribution of k, so neither falls with Δ: Barbero et al. 2024, section 3, arXiv:2410.06205.
    """
    queries, keys = np.random.default_rng(0).standard_normal((2, draws, 1, encoding.d))
    queries = encoding.rotate(queries, np.zeros(1))[:, 0] / np.sqrt(encoding.d)
    side = -1 if encoding.decay_rates.any() else 1  # −1: the keys are before the query; matters only with a decay
    parts = []
    for part in track(chunks(0, len(offsets), draws * encoding.d), "turning keys"):
        scores = np.einsum("md,mnd->mn", queries, encoding.rotate_keys(keys, side * offsets[part.start : part.stop]))
        parts.append([scores.mean(axis=0), scores.std(axis=0)])
    return np.concatenate(parts, axis=1)
