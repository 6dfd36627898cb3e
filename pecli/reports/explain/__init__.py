"""One small case step by step: frequencies, formulas, numbers, word vectors."""
