"""The script of an article, with savefig instead of show."""

import numpy as np
from matplotlib import pyplot as plt


def sin_position(pos, d=256, n=10000):
    p = np.zeros(d)
    for i in np.arange(int(d / 2)):
        denominator = np.power(n, 2 * i / d)
        p[2 * i] = np.sin(pos / denominator)
        p[2 * i + 1] = np.cos(pos / denominator)
    return p


pe = np.array([sin_position(i) for i in range(200)])
distances = pe.dot(pe.T)

plt.imshow(pe)
plt.xlabel("d")
plt.ylabel("pos")
plt.savefig("table.png")

plt.imshow(distances)
plt.savefig("distances.png")
