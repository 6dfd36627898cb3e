"""Numbers computed from tables: comparisons of rows, statistics of pairs, reductions to the pixels of a picture."""
