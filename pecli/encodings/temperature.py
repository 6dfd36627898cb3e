"""Factors on attention scores: some depend on the query's position, one is the same at every position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.core.numbers import MAX_EXACT
from pecli.core.options import option

if TYPE_CHECKING:
    from pecli.encodings.rope import Rope

NAMES = ("temperature", "logn", "score_factor")  # parameters that do not change the table


def temperature_option() -> Any:
    """Return the parameter for scores that grow in steps, as in Llama 4."""
    help = "s,n,o (o is 0 if left out): scores are multiplied by 1 + s ln(1 + ⌊(p + o)/n⌋); see pecli temperature"
    return option(None, help, at_least=0, at_most=MAX_EXACT, unset="none", in_spec=True)


def logn_option() -> Any:
    """Return the parameter for scores that grow with the logarithm of the position, as in Qwen-7B."""
    help = "n,N (N optional): from position n to N − 1, scores are multiplied by log_n(p + 1); see pecli temperature"
    return option(None, help, at_least=2, at_most=2**53, unset="none", in_spec=True)


def score_factor_option() -> Any:
    """Return the parameter for a factor on all scores, in addition to the square of the attention factor."""
    help = "another factor on all scores, in addition to the squared attention factor; see pecli temperature"
    return option(1.0, help, above=0, at_most=MAX_EXACT, in_spec=True)


def check_temperature(rope: Rope) -> None:
    """Raise UsageError if a parameter has a wrong number of values or a length below 1."""
    allowed = {
        "temperature": (2, 3, "s, n and o, such as 0.1,8192,1"),
        "logn": (1, 2, "n and N, such as 8192,32767"),
    }
    for name, (least, most, meant) in allowed.items():
        values = getattr(rope, name)
        if values is not None and not (least <= len(values) <= most and values[least - 1] >= 1):
            raise UsageError(option=name, value=rope.options()[name].write(values), allowed=meant)


def score_factors(rope: Rope, positions: Array) -> Array:
    """Return the factor on the scores of a query at each position, shape (n,); NaN beyond the model's table.

    Notes
    -----
    ``temperature``: 1 + s ln(1 + ⌊(p + o)/n⌋); transformers, modeling_llama4 (o = 1, layers without RoPE) and
    modeling_ministral3 (o = 0); after Nakanishi 2025, Scalable-Softmax, arXiv:2501.19399. ``logn``: log_n(p + 1) where
    p + 1 > n, else 1; modeling_qwen of Qwen-7B, whose table has 32,767 factors. The attention factor multiplies query
    and key, so that scores have its square: Peng et al. 2023, YaRN, section 3.4, arXiv:2309.00071.
    """
    p = np.asarray(positions, dtype=np.float64)
    factors = np.full(len(p), rope.attention_scaling**2 * rope.score_factor)
    if rope.temperature:
        scale, length, offset = (*rope.temperature, 0.0)[:3]
        factors *= 1 + scale * np.log1p(np.floor((p + offset) / length))
    if rope.logn:
        first, count = rope.logn[0], (*rope.logn[1:], np.inf)[0]
        factors *= np.log(np.maximum(p + 1, first)) / np.log(first)
        factors[p >= count] = np.nan
    return factors
