"""The one registry of figures. The `summary` of each is what the help says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.core.registry import Registry

if TYPE_CHECKING:
    from pecli.figures.figure import Figure

FIGURES: Registry[type[Figure[Any]]] = Registry(
    {
        "heatmap": "pecli.figures.heatmap:Heatmap",
        "distance": "pecli.figures.distance:Distance",
        "scatter": "pecli.figures.scatter:Scatter",
        "curves": "pecli.figures.curves:Curves",
        "overview": "pecli.figures.overview:Overview",
        "waves": "pecli.figures.waves:Waves",
        "spectrum": "pecli.figures.spectrum:Spectrum",
        "offsets": "pecli.figures.offsets:Offsets",
        "dials": "pecli.figures.clock_faces:Dials",
        "compare": "pecli.figures.compare:Compare",
        "relative": "pecli.figures.relative_tensor:RelativeTensor",
        "rotation": "pecli.figures.rotation:Rotation",
        "attention": "pecli.figures.attention:Attention",
        "terms": "pecli.figures.score_terms:Terms",
    }
)
