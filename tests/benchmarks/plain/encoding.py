"""The sinusoidal table in plain numpy, as in a notebook."""

import numpy as np


def sinusoidal(length, d=128, base=10000.0):
    position = np.arange(length)[:, None]
    frequency = base ** (-np.arange(0, d, 2) / d)
    table = np.zeros((length, d))
    table[:, 0::2] = np.sin(position * frequency)
    table[:, 1::2] = np.cos(position * frequency)
    return table
