"""Print the median seconds of pecli.encode and of plain numpy, called in turn. Arguments: NAME LENGTH D."""

import statistics
import sys
import time

import numpy as np

import pecli


def plain(name, length, d, base=10000.0):
    angles = np.arange(length)[:, None] / base ** (np.arange(0, d, 2) / d)
    table = np.empty((length, d))
    first, second = (np.sin, np.cos) if name == "sinusoidal" else (np.cos, np.sin)
    table[:, 0::2] = first(angles)
    table[:, 1::2] = second(angles)
    return table


def seconds(call):
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


name, length, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sides = (lambda: pecli.encode(name, length=length, d=d), lambda: plain(name, length, d))
assert np.abs(sides[0]() - sides[1]()).max() < 1e-9
times = [[seconds(side) for side in sides] for _ in range(max(5, 20_000_000 // (length * d)))]
print(*(statistics.median(column) for column in zip(*times, strict=True)))
