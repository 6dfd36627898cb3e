"""Draw a heatmap without pecli. Arguments: BASE FILE."""

import sys

import matplotlib.pyplot as plt
from encoding import sinusoidal

plt.figure(figsize=(6.75, 4.7), dpi=150)
plt.imshow(sinusoidal(200, base=float(sys.argv[1])), aspect="auto", cmap="RdBu_r", vmin=-1, vmax=1)
plt.xlabel("dimension")
plt.ylabel("position")
plt.colorbar(label="value")
plt.title(f"base {sys.argv[1]}")
plt.tight_layout()
plt.savefig(sys.argv[2])
