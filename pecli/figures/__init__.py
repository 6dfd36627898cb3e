"""The one registry of figures."""

from __future__ import annotations

from pecli.figures.attention import Attention
from pecli.figures.compare import Compare
from pecli.figures.curves import Curves
from pecli.figures.dials import Dials
from pecli.figures.distance import Distance
from pecli.figures.figure import Figure
from pecli.figures.heatmap import Heatmap
from pecli.figures.offsets import Offsets
from pecli.figures.overview import Overview
from pecli.figures.relative import RelativeTensor
from pecli.figures.rotation import Rotation
from pecli.figures.scatter import Scatter
from pecli.figures.spectrum import Spectrum
from pecli.figures.terms import Terms
from pecli.figures.waves import Waves

FIGURES: dict[str, type[Figure]] = {
    Heatmap.name: Heatmap,
    Distance.name: Distance,
    Scatter.name: Scatter,
    Curves.name: Curves,
    Overview.name: Overview,
    Waves.name: Waves,
    Spectrum.name: Spectrum,
    Offsets.name: Offsets,
    Dials.name: Dials,
    Compare.name: Compare,
    RelativeTensor.name: RelativeTensor,
    Rotation.name: Rotation,
    Attention.name: Attention,
    Terms.name: Terms,
}
