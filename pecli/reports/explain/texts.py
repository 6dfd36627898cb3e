"""Every sentence of `pecli explain`, by a key: templates that `phrase` says in the language of the reader."""

from __future__ import annotations

from pecli.core.language import templates

TEXTS = templates(
    {
        "parameters": "Parameters",
        "encoding": "encoding",
        "formula": "formula",
        "length": "positions",
        "dimensions": "dimensions",
        "positions": "Positions",
        "frequencies": "Frequencies (of sinusoidal: the fourth article's div_term)",
        "pair": "pair j",
        "column": "column",
        "frequency": "ω, rad/position",
        "wavelength": "2π/ω, positions",
        "distinct": "different values",
        "changes": "changes",
        "turning": "Pair j turns by the angle ωj·p. A fast pair tells neighbours apart, a slow one far positions.",
        "div_term": (
            "The article prints div_term 1, 0.3162, 0.1, 0.0316, which is 10000^(-i/8); its formula and its code are "
            "10000^(-2i/8) = 1, 0.1, 0.01, 0.001, as here (the printed ones are those of --base 100)."
        ),
        "variation": "How fast each column varies",
        "no_frequencies": "This encoding has no frequencies. How often a column changes from one position to the next:",
        "learned": "Its numbers are learned, not calculated: there is no formula, and no row beyond the last one.",
        "table": "The table, shape ({length}, {dimensions})",
        "table_said": "Under the number of each column stands its formula.",
        "entry": "One entry with its numbers put in",
        "words": "Word vectors, shape ({words}, {dimensions})",
        "article": "我 喜欢 你 (I like you), with the article's numbers:",
        "cut": "我 喜欢 你 (I like you), with the first {dimensions} of the article's 8 numbers each:",
        "made_up": "我 喜欢 你 (I like you), with random numbers: the article has 8 a word, here d is {dimensions}.",
        "file": "From {file}:",
        "rows": "Their position encodings, shape ({words}, {dimensions})",
        "add": "Added: word vector + position encoding",
        "sum": "Their sum, ({words}, {dimensions}) + ({words}, {dimensions}) → ({words}, {dimensions})",
        "rotate": "Turned: f(x, p) = R_p x, nothing is added",
        "pair_up": "Pairs of words",
        "offsets": "Nothing is added to a word. The pair of word i and word j gets the row of the offset i - j:",
        "add_done": "Every vector now carries its position: the same words in another order give other vectors.",
        "rotate_done": "By the formula the product of two turned vectors depends on words and offset alone.",
        "offsets_done": "Every pair at one offset gets the same row, wherever it stands in the sequence.",
        "own": "Your own words, each with random numbers (the same for the same word):",
        "product": "The product of query and key",
        "product_said": (
            "Query {query} at position p, key {other} at position q. "
            "By the formula the product is the same at one offset p - q:"
        ),
        "product_done": "Both are turned by the same when both move on: it depends on p - q alone.",
        "product_made": (
            "By the formula it depends on p - q alone; made in {dtype} it differs at one offset by up to {apart} here."
        ),
        "made": "{steps}; made in {dtype} it is {value}",
        "left_out": "left out: {n} of {all}; --rows prints more",
    }
)
