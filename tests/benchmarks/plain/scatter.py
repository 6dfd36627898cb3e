"""Draw correlation against distance, in the upper and lower triangle, without pecli. Arguments: LENGTH FILE."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from encoding import sinusoidal

table = sinusoidal(int(sys.argv[1]))
squares = np.sum(table**2, axis=1)
distances = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2 * table @ table.T, 0))
correlations = np.corrcoef(table)
figure, axes = plt.subplots(1, 2, figsize=(10, 5))
for ax, triangle in zip(axes, (np.triu_indices, np.tril_indices), strict=True):
    pairs = triangle(len(table), 1 if triangle is np.triu_indices else -1)
    ax.scatter(correlations[pairs], distances[pairs], s=4)
    ax.set_xlabel("correlation")
    ax.set_ylabel("distance")
plt.savefig(sys.argv[2])
