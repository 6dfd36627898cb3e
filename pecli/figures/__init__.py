"""The one registry of figures."""

from __future__ import annotations

from pecli.figures.curves import Curves
from pecli.figures.distance import Distance
from pecli.figures.figure import Figure
from pecli.figures.heatmap import Heatmap
from pecli.figures.overview import Overview
from pecli.figures.relative import RelativeTensor
from pecli.figures.rotation import Rotation
from pecli.figures.scatter import Scatter

FIGURES: dict[str, type[Figure]] = {
    Heatmap.name: Heatmap,
    Distance.name: Distance,
    Scatter.name: Scatter,
    Curves.name: Curves,
    Overview.name: Overview,
    RelativeTensor.name: RelativeTensor,
    Rotation.name: Rotation,
}
