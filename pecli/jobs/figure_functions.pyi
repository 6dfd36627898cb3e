"""The functions of all figures and reports, made of their options; python -m pecli.jobs.functions prints this."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypedDict, TypeVar, Unpack

from numpy.typing import NDArray

from pecli.encodings.base import Encoding
from pecli.figures.addition import AdditionNumbers
from pecli.figures.attention import AttentionNumbers
from pecli.figures.bases import BasesNumbers
from pecli.figures.bias import BiasNumbers
from pecli.figures.bias_weights import WeightNumbers
from pecli.figures.compare import CompareNumbers
from pecli.figures.composite import ComposedNumbers
from pecli.figures.contributions import ContributionsNumbers
from pecli.figures.curves import CurvesNumbers
from pecli.figures.dials import DialsNumbers
from pecli.figures.distance import DistanceNumbers
from pecli.figures.drift import DriftNumbers
from pecli.figures.effective import EffectiveNumbers
from pecli.figures.fourier import FourierNumbers
from pecli.figures.heatmap import HeatmapNumbers
from pecli.figures.ids import IdsNumbers
from pecli.figures.layers import LayerNumbers
from pecli.figures.maps import MapsNumbers
from pecli.figures.offset_bias import BiasLinesNumbers
from pecli.figures.offset_map import OffsetMapNumbers
from pecli.figures.offset_scores import RandomNumbers
from pecli.figures.offsets import OffsetsNumbers
from pecli.figures.path import PathNumbers
from pecli.figures.precision import PrecisionNumbers
from pecli.figures.precision_stages import StageNumbers
from pecli.figures.relative import RelativeNumbers
from pecli.figures.rotation import RotationNumbers
from pecli.figures.rotation_arrows import ArrowNumbers
from pecli.figures.rotation_matrix import MatrixNumbers
from pecli.figures.scatter import CloudNumbers
from pecli.figures.spectrum import SpectrumNumbers
from pecli.figures.spectrum_ratio import RatioNumbers
from pecli.figures.temperature import TemperatureNumbers
from pecli.figures.terms import TermsNumbers
from pecli.figures.tiles import TilesNumbers
from pecli.figures.unseen import UnseenNumbers
from pecli.figures.waves import WavesNumbers
from pecli.reports.explain import ExplainNumbers
from pecli.reports.stats import StatsNumbers
from pecli.reports.table import TableNumbers
from pecli.jobs.picture import Picture
from pecli.encodings.spec import HasArray

Item = TypeVar("Item")
Text = str | PathLike[str]
OneEncoding = Text | Encoding | HasArray
Several = Item | Sequence[Item] | NDArray[Any]

class FigureOptions(TypedDict, total=False):
    dtype: Several[Literal["float64", "float32", "float16", "bfloat16"]] | None
    d: Several[SupportsIndex] | None
    base: Several[SupportsFloat] | None
    layout: Several[Literal["interleaved", "concatenated"]] | None
    family: Several[Literal["paper", "tensor2tensor", "timestep"]] | None
    step: Several[SupportsFloat] | None
    periods: Several[SupportsFloat | str] | Sequence[Several[SupportsFloat | str]] | None
    radix: Several[SupportsFloat] | None
    order: Several[Literal["lsb", "msb"]] | None
    values: Several[Literal["01", "pm1"]] | None
    grid: Several[Text | Any] | None
    file: Several[Text] | None
    tensor: Several[Text] | None
    seed: Several[SupportsIndex] | None
    prefix: Several[SupportsIndex] | None
    resize: Several[Text | Any] | None
    resize_by: Several[Literal["bicubic", "bilinear"]] | None
    seq_len: Several[SupportsIndex] | None
    scale_grid: Several[Literal["index", "unit", "dinov3", "detr"]] | None
    sections: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None
    interleaved: bool | None
    sequence: Several[Text] | None
    pairing: Several[Literal["interleaved", "half"]] | None
    query: Several[Text] | None
    first: Several[Literal["column", "row"]] | None
    direction: Several[Literal["causal", "both"]] | None
    heads: Several[SupportsIndex] | None
    bias_max: Several[SupportsFloat] | None
    buckets: Several[SupportsIndex] | None
    max_distance: Several[SupportsIndex] | None
    kernel: Several[Literal["log", "power"]] | None
    r1: Several[SupportsFloat] | Sequence[Several[SupportsFloat]] | None
    r2: Several[SupportsFloat] | Sequence[Several[SupportsFloat]] | None
    label: Several[Text] | Sequence[Several[Text]] | None
    length: Several[SupportsIndex] | None
    start: Several[SupportsIndex]
    size: Text | tuple[float, float] | float
    dpi: SupportsIndex
    cmap: Text | None
    vmin: SupportsFloat | None
    vmax: SupportsFloat | None
    robust: bool
    headline: Text | None
    title: Text | None
    footnote: Text | None
    xlabel: Text | None
    ylabel: Text | None
    cbar_label: Text | None
    columns: SupportsIndex | None
    letters: bool
    no_headline: bool
    no_title: bool
    no_footnote: bool
    plain: bool
    no_colorbar: bool
    no_legend: bool
    style: Text | None
    transparent: bool
    text: bool
    inline: bool
    text_size: SupportsFloat | None
    fps: SupportsFloat | None
    loops: SupportsIndex | None
    pages: bool
    font: Text | None
    output: Several[Text] | None
    format: Literal["png", "svg", "pdf", "gif", "webp", "html", "npy", "npz", "csv", "json", "md", "tex"] | None
    no_clobber: bool
    long: bool
    csv_sep: Literal["comma", "semicolon", "tab"]
    decimal: Literal["point", "comma"]
    lang: Literal["en", "zh"]

class HeatmapOptions(FigureOptions, total=False):
    reveal: bool
    revealed: Several[SupportsIndex] | None
    highlight: Several[Text | int | range] | Sequence[Several[Text | int | range]] | None
    numbers: bool
    no_numbers: bool
    log: bool
    dims: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None

def heatmap(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[HeatmapOptions],
) -> Picture[HeatmapNumbers]:
    """The table as an image: dimension across, position down."""

class DistanceOptions(FigureOptions, total=False):
    highlight: Several[Text | int | range] | Sequence[Several[Text | int | range]] | None
    measure: Several[Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]]
    head: Several[SupportsIndex] | None
    numbers: bool
    no_numbers: bool

def distance(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[DistanceOptions],
) -> Picture[DistanceNumbers]:
    """How far any two positions are apart: a matrix."""

class ScatterOptions(FigureOptions, total=False):
    x: Several[Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]]
    y: Several[Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]]
    triangle: Several[Literal["both", "upper", "lower"]]

def scatter(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[ScatterOptions],
) -> Picture[CloudNumbers]:
    """Two measures against each other, one point per pair of positions."""

class CurvesOptions(FigureOptions, total=False):
    highlight: Several[Text | int | range] | Sequence[Several[Text | int | range]] | None
    measure: Several[Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]]
    head: Several[SupportsIndex] | None
    at: Several[SupportsIndex | str] | Sequence[Several[SupportsIndex | str]] | None
    log: bool
    against: Several[Literal["position", "offset"]]

def curves(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[CurvesOptions],
) -> Picture[CurvesNumbers]:
    """A measure from a few positions to all others: one line per position."""

class WavesOptions(FigureOptions, total=False):
    reveal: bool
    revealed: Several[SupportsIndex] | None
    dims: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None

def waves(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[WavesOptions],
) -> Picture[WavesNumbers]:
    """Chosen dimensions against position: how often each column changes."""

class SpectrumOptions(FigureOptions, total=False):
    trained: Several[SupportsIndex] | None
    ratio: bool

def spectrum(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[SpectrumOptions],
) -> Picture[SpectrumNumbers | RatioNumbers]:
    """The wavelength of every pair of dimensions."""

class FourierOptions(FigureOptions, total=False):
    ...

def fourier(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[FourierOptions],
) -> Picture[FourierNumbers]:
    """The Fourier spectrum of every column of the table."""

class OffsetsOptions(FigureOptions, total=False):
    trained: Several[SupportsIndex] | None
    highlight: Several[Text | int | range] | Sequence[Several[Text | int | range]] | None
    measure: Several[Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]]
    decay: bool
    random: Several[SupportsIndex] | None
    unscaled: bool
    log: bool
    spread: bool

def offsets(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[OffsetsOptions],
) -> Picture[OffsetsNumbers | BiasLinesNumbers | RandomNumbers | OffsetMapNumbers]:
    """A measure against the offset: whether it depends on p − q alone."""

class PathOptions(FigureOptions, total=False):
    components: Several[SupportsIndex]

def path(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[PathOptions],
) -> Picture[PathNumbers]:
    """Positions as a path along the first principal components."""

class TilesOptions(FigureOptions, total=False):
    measure: Several[Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]]
    at: Several[SupportsIndex | str] | Sequence[Several[SupportsIndex | str]] | None

def tiles(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[TilesOptions],
) -> Picture[TilesNumbers]:
    """How alike each patch of a grid is to all others: one small map per patch."""

class MapsOptions(FigureOptions, total=False):
    dims: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None

def maps(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[MapsOptions],
) -> Picture[MapsNumbers]:
    """Columns of the table as images over a grid of positions."""

class DialsOptions(FigureOptions, total=False):
    at: Several[SupportsIndex | str] | Sequence[Several[SupportsIndex | str]] | None
    pairs: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None

def dials(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[DialsOptions],
) -> Picture[DialsNumbers]:
    """A position as clock faces: one hand per pair of dimensions."""

class RelativeOptions(FigureOptions, total=False):
    numbers: bool
    no_numbers: bool
    offsets: bool
    dims: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None

def relative(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[RelativeOptions],
) -> Picture[RelativeNumbers]:
    """The tensor of relative encodings: one vector per pair of positions."""

class RotationOptions(FigureOptions, total=False):
    numbers: bool
    no_numbers: bool
    content: Several[Text]
    content_seed: Several[SupportsIndex]
    pairs: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None
    panels: Several[Literal["before", "after", "plane"]] | Sequence[Several[Literal["before", "after", "plane"]]]
    matrix: Several[SupportsIndex] | None
    offset: Several[SupportsIndex] | None
    at: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None

def rotation(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[RotationOptions],
) -> Picture[RotationNumbers | MatrixNumbers | ArrowNumbers]:
    """What RoPE does to a query: before, after, and the circles on which pairs of columns rotate."""

class AttentionOptions(FigureOptions, total=False):
    sentences: Several[Literal["bites", "school", "like"]] | None
    tokens: Several[Text] | None
    embeddings: Several[Text] | None
    content_seed: Several[SupportsIndex]
    content_scale: Several[SupportsFloat]
    numbers: bool
    no_numbers: bool
    reorder: Several[Text] | None
    head: Several[SupportsIndex] | None

def attention(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[AttentionOptions],
) -> Picture[AttentionNumbers]:
    """What word order does to attention: the same tokens in two orders, without and with encoding."""

class BiasOptions(FigureOptions, total=False):
    trained: Several[SupportsIndex] | None
    numbers: bool
    no_numbers: bool
    head: Several[SupportsIndex] | Sequence[Several[SupportsIndex]] | None
    lowest: Several[SupportsFloat] | None
    softmax: bool

def bias(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[BiasOptions],
) -> Picture[BiasNumbers | WeightNumbers]:
    """What each head adds to the score of every query and key."""

class PrecisionOptions(FigureOptions, total=False):
    trained: Several[SupportsIndex] | None
    by: Several[Literal["position", "stage"]]

def precision(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[PrecisionOptions],
) -> Picture[PrecisionNumbers | StageNumbers]:
    """Rounding errors of a table in float16 or another type: by position and pair."""

class DriftOptions(FigureOptions, total=False):
    threshold: Several[SupportsFloat]

def drift(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[DriftOptions],
) -> Picture[DriftNumbers]:
    """How far RoPE with other rates rotates vectors away from where the first encoding puts them."""

class UnseenOptions(FigureOptions, total=False):
    trained: Several[SupportsIndex] | None

def unseen(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[UnseenOptions],
) -> Picture[UnseenNumbers]:
    """Angles that a model never saw in training, by position and pair."""

class ContributionsOptions(FigureOptions, total=False):
    at: Several[SupportsIndex] | None
    groups: Several[SupportsIndex]
    norms: Several[Text] | None

def contributions(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[ContributionsOptions],
) -> Picture[ContributionsNumbers]:
    """What each pair of dimensions adds to a score, by offset."""

class IdsOptions(FigureOptions, total=False):
    ...

def ids(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[IdsOptions],
) -> Picture[IdsNumbers]:
    """Frame, row and column of every token of words, images and videos."""

class EffectiveOptions(FigureOptions, total=False):
    methods: Several[Literal["plain", "self-extend", "dual-chunk", "sliding-window"]] | Sequence[Several[Literal["plain", "self-extend", "dual-chunk", "sliding-window"]]] | None
    trained: Several[SupportsIndex] | None
    window: Several[SupportsIndex] | None
    group: Several[SupportsIndex] | None
    chunk: Several[SupportsIndex] | None
    local: Several[SupportsIndex] | None
    stops: Several[Literal["paper", "code"]] | None

def effective(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[EffectiveOptions],
) -> Picture[EffectiveNumbers]:
    """Relative positions that methods for longer contexts give queries and keys."""

class TemperatureOptions(FigureOptions, total=False):
    ...

def temperature(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[TemperatureOptions],
) -> Picture[TemperatureNumbers]:
    """The factor on attention scores at each position."""

class BasesOptions(FigureOptions, total=False):
    models: Several[Literal["Llama 2", "OLMo 2", "Llama 3", "Code Llama", "Qwen2.5", "Mistral 7B v0.2", "SmolLM3", "Qwen2.5-1M"]] | Sequence[Several[Literal["Llama 2", "OLMo 2", "Llama 3", "Code Llama", "Qwen2.5", "Mistral 7B v0.2", "SmolLM3", "Qwen2.5-1M"]]] | None

def bases(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[BasesOptions],
) -> Picture[BasesNumbers]:
    """Up to which context each RoPE base suffices, and where released models lie."""

class LayersOptions(FigureOptions, total=False):
    layers: Several[Text] | Sequence[Several[Text]] | None

def layers(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[LayersOptions],
) -> Picture[LayerNumbers]:
    """How far each layer sees."""

class AdditionOptions(FigureOptions, total=False):
    sentences: Several[Literal["bites", "school", "like"]] | None
    tokens: Several[Text] | None
    embeddings: Several[Text] | None
    content_seed: Several[SupportsIndex]
    content_scale: Several[SupportsFloat]
    numbers: bool
    no_numbers: bool
    scale: Several[Literal["sqrt", "none"]]

def addition(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[AdditionOptions],
) -> Picture[AdditionNumbers]:
    """Word vectors, position encodings and their sum."""

class TermsOptions(FigureOptions, total=False):
    sentences: Several[Literal["bites", "school", "like"]] | None
    tokens: Several[Text] | None
    embeddings: Several[Text] | None
    content_seed: Several[SupportsIndex]
    content_scale: Several[SupportsFloat]
    numbers: bool
    no_numbers: bool

def terms(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[TermsOptions],
) -> Picture[TermsNumbers]:
    """The score of two tokens as the sum of four parts: products of content and position."""

class OverviewOptions(FigureOptions, total=False):
    highlight: Several[Text | int | range] | Sequence[Several[Text | int | range]] | None
    panels: Several[Text] | Sequence[Several[Text]] | None
    measure: Several[Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]] | None

def overview(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[OverviewOptions],
) -> Picture[ComposedNumbers]:
    """Several figures of one encoding side by side."""

class CompareOptions(FigureOptions, total=False):
    highlight: Several[Text | int | range] | Sequence[Several[Text | int | range]] | None
    figure: Several[Text]
    measure: Several[Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]] | None
    difference: bool
    tolerance: Several[SupportsFloat] | None

def compare(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[CompareOptions],
) -> Picture[CompareNumbers]:
    """One figure of several encodings, side by side."""

class ReportOptions(TypedDict, total=False):
    dtype: Literal["float64", "float32", "float16", "bfloat16"] | None
    d: SupportsIndex | None
    base: SupportsFloat | None
    layout: Literal["interleaved", "concatenated"] | None
    family: Literal["paper", "tensor2tensor", "timestep"] | None
    step: SupportsFloat | None
    periods: Several[SupportsFloat | str] | None
    radix: SupportsFloat | None
    order: Literal["lsb", "msb"] | None
    values: Literal["01", "pm1"] | None
    grid: Text | Any | None
    file: Text | None
    tensor: Text | None
    seed: SupportsIndex | None
    prefix: SupportsIndex | None
    resize: Text | Any | None
    resize_by: Literal["bicubic", "bilinear"] | None
    seq_len: SupportsIndex | None
    scale_grid: Literal["index", "unit", "dinov3", "detr"] | None
    sections: Several[SupportsIndex] | None
    interleaved: bool | None
    sequence: Text | None
    pairing: Literal["interleaved", "half"] | None
    query: Text | None
    first: Literal["column", "row"] | None
    direction: Literal["causal", "both"] | None
    heads: SupportsIndex | None
    bias_max: SupportsFloat | None
    buckets: SupportsIndex | None
    max_distance: SupportsIndex | None
    kernel: Literal["log", "power"] | None
    r1: Several[SupportsFloat] | None
    r2: Several[SupportsFloat] | None
    label: Several[Text] | None
    length: SupportsIndex | None
    start: SupportsIndex
    output: Several[Text] | None
    format: Literal["png", "svg", "pdf", "gif", "webp", "html", "npy", "npz", "csv", "json", "md", "tex"] | None
    no_clobber: bool
    long: bool
    csv_sep: Literal["comma", "semicolon", "tab"]
    decimal: Literal["point", "comma"]
    lang: Literal["en", "zh"]

class TableOptions(ReportOptions, total=False):
    rows: SupportsIndex
    at: Several[SupportsIndex | str] | None
    dims: Several[SupportsIndex] | None
    digits: SupportsIndex

def table(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[TableOptions],
) -> Picture[TableNumbers]:
    """The numbers of an encoding, in the terminal or as a file."""

class StatsOptions(ReportOptions, total=False):
    measure: Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]
    against: Literal["euclidean", "sqeuclidean", "cityblock", "chebyshev", "hamming", "cosine", "correlation", "dot", "cos", "corr"]

def stats(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[StatsOptions],
) -> Picture[StatsNumbers]:
    """Encodings in numbers, side by side."""

class ExplainOptions(ReportOptions, total=False):
    tokens: Text | None
    embeddings: Text | None
    entry: Several[SupportsIndex] | None
    rows: SupportsIndex
    digits: SupportsIndex
    blank: bool

def explain(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[ExplainOptions],
) -> Picture[ExplainNumbers]:
    """One small example step by step: frequencies, formulas, numbers, word vectors."""
