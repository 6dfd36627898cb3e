"""Write a sinusoidal table as .csv with Python's repr of each number, some rows at a time. Arguments: LENGTH D FILE."""

import sys
from pathlib import Path

import numpy as np

length, d, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rates = 10000.0 ** (-np.arange(0, d, 2) / d)
with Path(path).open("w", encoding="utf-8") as file:
    for first in range(0, length, 1000):
        positions = np.arange(first, min(first + 1000, length))
        angles = positions[:, None] * rates
        rows = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), d)
        for position, row in zip(positions.tolist(), rows.tolist(), strict=True):
            file.write(",".join(map(repr, [position, *row])) + "\n")
