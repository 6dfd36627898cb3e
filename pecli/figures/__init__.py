"""The registry of figures. Each entry has a summary, so that figures can be listed without imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.core.lazy import Registry, cached

if TYPE_CHECKING:
    from pecli.figures.base import Figure

PLUGINS = "pecli.figures"  # entry point group for figures of other packages


@cached
def plugins() -> dict[str, type[Figure[Any]]]:
    """Return the figures of other packages by name."""
    from pecli.core.plugins import load_plugins
    from pecli.figures.base import Figure

    return load_plugins(PLUGINS, Figure, ("name", "summary", "example"), {*SINGLE, *COMPOSED})


SINGLE: Registry[type[Figure[Any]]] = Registry(
    {
        "heatmap": ("pecli.figures.heatmap:Heatmap", "The table as an image: dimension across, position down"),
        "distance": ("pecli.figures.distance:Distance", "How far any two positions are apart: a matrix"),
        "scatter": (
            "pecli.figures.scatter:Scatter",
            "Two measures against each other, one point per pair of positions",
        ),
        "curves": (
            "pecli.figures.curves:Curves",
            "A measure from a few positions to all others: one line per position",
        ),
        "waves": ("pecli.figures.waves:Waves", "Chosen dimensions against position: how often each column changes"),
        "spectrum": ("pecli.figures.spectrum_ratio:SpectrumRatio", "The wavelength of every pair of dimensions"),
        "fourier": (
            "pecli.figures.fourier:Fourier",
            "The Fourier spectrum of every column of the table",
        ),
        "offsets": ("pecli.figures.offsets:Offsets", "A measure against the offset: whether it depends on p − q alone"),
        "path": (
            "pecli.figures.path:Path",
            "Positions as a path along the first principal components",
        ),
        "tiles": (
            "pecli.figures.tiles:Tiles",
            "How alike each patch of a grid is to all others: one small map per patch",
        ),
        "maps": ("pecli.figures.maps:Maps", "Columns of the table as images over a grid of positions"),
        "dials": ("pecli.figures.dials:Dials", "A position as clock faces: one hand per pair of dimensions"),
        "relative": (
            "pecli.figures.relative:RelativeTensor",
            "The tensor of relative encodings: one vector per pair of positions",
        ),
        "rotation": (
            "pecli.figures.rotation:Rotation",
            "What RoPE does to a query: before, after, and the circles on which pairs of columns rotate",
        ),
        "attention": (
            "pecli.figures.attention:Attention",
            "What word order does to attention: the same tokens in two orders, without and with encoding",
        ),
        "bias": ("pecli.figures.bias:Bias", "What each head adds to the score of every query and key"),
        "precision": (
            "pecli.figures.precision:Precision",
            "Rounding errors of a table in float16 or another type: by position and pair",
        ),
        "drift": (
            "pecli.figures.drift:Drift",
            "How far RoPE with other rates rotates vectors away from where the first encoding puts them",
        ),
        "unseen": ("pecli.figures.unseen:Unseen", "Angles that a model never saw in training, by position and pair"),
        "contributions": (
            "pecli.figures.contributions:Contributions",
            "What each pair of dimensions adds to a score, by offset",
        ),
        "ids": (
            "pecli.figures.ids:Ids",
            "Frame, row and column of every token of words, images and videos",
        ),
        "effective": (
            "pecli.figures.effective:Effective",
            "Relative positions that methods for longer contexts give queries and keys",
        ),
        "temperature": (
            "pecli.figures.temperature:Temperature",
            "The factor on attention scores at each position",
        ),
        "bases": (
            "pecli.figures.bases:Bases",
            "Up to which context each RoPE base suffices, and where released models lie",
        ),
        "layers": ("pecli.figures.layers:Layers", "How far each layer sees"),
        "addition": ("pecli.figures.addition:Addition", "Word vectors, position encodings and their sum"),
        "terms": (
            "pecli.figures.terms:Terms",
            "The score of two tokens as the sum of four parts: products of content and position",
        ),
    },
    more=plugins,
    aliases={"similarity": ("distance", {"measure": "cos"}), "clock": ("dials", {"encoding": "clock"})},
)

COMPOSED: Registry[type[Figure[Any]]] = Registry(  # composed of other figures
    {
        "overview": ("pecli.figures.overview:Overview", "Several figures of one encoding side by side"),
        "compare": ("pecli.figures.compare:Compare", "One figure of several encodings, side by side"),
    }
)

FIGURES: Registry[type[Figure[Any]]] = SINGLE | COMPOSED
