"""Scores and weights of attention between embeddings Q = K, with their positions in them, or with a bias."""

from __future__ import annotations

from pecli.core.errors import UsageError
from pecli.core.lazy import Array, np
from pecli.encodings.base import Additive, BiasEncoding, Rotary

AttentionEncoding = Additive | Rotary | BiasEncoding


def attention_weights(encoding: AttentionEncoding, content: Array, positions: Array, head: int) -> Array:
    """Return the weights of embeddings at their positions, (n, n); of a bias, those of this head."""
    if isinstance(encoding, Rotary):
        return weights(encoding.rotate(content, positions))
    if isinstance(encoding, Additive):
        return weights(content + encoding.table(positions))
    offsets = positions[:, None] - positions
    return weights(content, encoding.bias(offsets.reshape(-1))[head].reshape(offsets.shape))


def weights(x: Array, bias: Array | float = 0.0) -> Array:
    """Return softmax(x xᵀ / √d + bias), shape (n, n); the same bits for the same rows in any order."""
    scores = products(x, x) / np.sqrt(x.shape[1]) + bias
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / np.sort(raised, axis=1).sum(axis=1, keepdims=True)  # sorted: a sum that no order changes


def restore_order(second: Array, order: Array) -> Array:
    """Return the weights of the second order, (n, n), with rows and columns in the first; order : (n,)."""
    back = np.argsort(order)
    return second[np.ix_(back, back)]


def products(first: Array, second: Array) -> Array:
    """Return ⟨first_p, second_q⟩ for rows p of one, (n, d), and q of the other, (m, d): (n, m).

    Each entry is summed by itself, not by BLAS, whose rounding depends on where in the matrix an entry stands: the
    same two rows give the same bits in any order of the rows.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.stack([(second * row).sum(axis=-1) for row in first])
    if not np.isfinite(result).all():
        raise UsageError("the embeddings or the encoding hold numbers too large to be multiplied")
    return result
