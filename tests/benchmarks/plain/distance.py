"""Draw a distance matrix without pecli. Arguments: LENGTH FILE."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from encoding import sinusoidal

table = sinusoidal(int(sys.argv[1]))
squares = np.sum(table**2, axis=1)
distances = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2 * table @ table.T, 0))
plt.imshow(distances)
plt.colorbar(label="distance")
plt.savefig(sys.argv[2])
