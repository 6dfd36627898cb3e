"""Tests of ALiBi, T5 and KERPLE: slopes, buckets and kernels compared with published numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pecli.core.errors import UsageError
from pecli.core.language import listing, say
from pecli.encodings.base import BiasEncoding
from pecli.encodings.biases import T5, Alibi, Kerple
from pecli.encodings.spec import read_encoding

DATA = Path(__file__).parent.parent / "data"
OFFSETS = np.arange(-7.0, 12.0)


@pytest.mark.parametrize(
    "spec",
    ["alibi", "alibi:heads=3,direction=both", "t5", "t5:direction=causal", "kerple", "kerple:kernel=power,r1=1,2,3,4"],
)
def test_a_bias_is_a_number_a_head_and_offset(spec: str) -> None:
    encoding = read_encoding(spec)
    assert isinstance(encoding, BiasEncoding)
    values = encoding.bias(OFFSETS)
    assert values.shape == (encoding.n_heads, len(OFFSETS))
    assert values.dtype == np.float64
    assert np.isfinite(values[:, OFFSETS >= 0]).all()
    hidden = "both" not in spec and spec != "t5"
    assert np.isneginf(values[:, OFFSETS < 0]).all() == hidden
    assert not np.signbit(encoding.bias(np.zeros(1))).any()  # no −0 in files
    assert np.array_equal(encoding.bias(OFFSETS[::-1]), values[:, ::-1])
    assert len({encoding.head_text(head) for head in range(encoding.n_heads)}) == encoding.n_heads
    assert read_encoding(encoding.spec()) == encoding


@pytest.mark.parametrize("heads", [1, 2, 3, 7, 8, 12, 33, 64])
def test_slopes_are_a_geometric_sequence_and_every_other_one_of_twice_as_many(heads: int) -> None:
    power = 2 ** (heads.bit_length() - 1)
    slopes, doubled = Alibi(heads=heads).slopes(), [2 ** (-8 * i / (2 * power)) for i in range(1, 2 * power + 1)]
    assert slopes == pytest.approx([*doubled[1::2], *doubled[::2]][:heads], rel=1e-15)
    published = [*(2.0**-i for i in range(1, 9)), 0.707107, 0.353553, 0.176777, 0.088388]
    assert heads != 12 or slopes == pytest.approx(published, abs=5e-7)
    named = [Alibi(heads=12).head_text(head) for head in (7, 8)]
    assert named == [say("biases.head_slope", head=7, slope="1/256"), say("biases.head_slope", head=8, slope="0.707")]


def test_the_last_slope_is_two_to_minus_the_largest_bias() -> None:
    wanted = 2.0 ** -np.array([1, 2, 3, 4, 0.5, 1.5])  # build_mpt_alibi_tensor(6, …, alibi_bias_max=4)
    assert Alibi(heads=6, bias_max=4.0).slopes() == pytest.approx(wanted, rel=1e-15)


def test_alibi_falls_with_the_distance() -> None:
    values = Alibi(heads=2).bias(np.array([-1.0, 0, 1, 10]))
    assert values[0].tolist() == [-np.inf, 0, -1 / 16, -10 / 16]
    assert Alibi(heads=2, direction="both").bias(np.array([-3.0, 3]))[1].tolist() == [-3 / 256, -3 / 256]


@pytest.mark.parametrize(("direction", "key"), [("both", "bidirectional_n32_m128"), ("causal", "causal_n32_m128")])
def test_buckets_are_those_of_the_reference(direction: str, key: str) -> None:
    with np.load(DATA / "t5_buckets.npz") as known:
        relative, expected = known["offsets"], known[key]  # key less query
    assert np.array_equal(T5(direction=direction).bucket(-relative.astype(float)), expected)


@pytest.mark.parametrize(("buckets", "factor"), [(10, 2), (10, 5), (14, 3), (8, 10), (32, 2)])
def test_far_buckets_of_a_whole_factor_begin_exactly_at_its_powers(buckets: int, factor: int) -> None:
    exact = buckets // 2
    distances = np.array([float(exact * factor**k) for k in range(exact)])
    item = T5(buckets=buckets, max_distance=exact * factor**exact, direction="causal")
    assert item.bucket(distances).tolist() == list(range(exact, buckets))
    assert item.bucket(distances - 1).tolist() == list(range(exact - 1, buckets - 1))


def test_a_file_gives_the_learned_numbers_and_without_one_the_buckets_number_stands(tmp_path: Path) -> None:
    assert (T5().quantity, T5().n_heads) == ("biases.bucket", 1)
    assert np.array_equal(T5().bias(OFFSETS)[0], T5().bucket(OFFSETS))
    np.save(tmp_path / "short.npy", np.zeros((31, 5)))
    with pytest.raises(UsageError, match="31 rows, but t5 has 32 buckets"):
        T5(file=str(tmp_path / "short.npy")).bias(OFFSETS)
    table = np.random.default_rng(0).normal(size=(32, 5))
    np.save(tmp_path / "t5.npy", table)
    item = T5(file=str(tmp_path / "t5.npy"))
    assert (item.quantity, item.n_heads) == ("encoding.bias", 5)
    assert np.array_equal(item.bias(OFFSETS), table[item.bucket(OFFSETS)].T)
    assert item.title() == listing(["T5", say("biases.count_buckets", count=32), "t5.npy"])
    assert item.inputs()


def test_kernels_are_the_papers_and_a_power_of_one_is_alibi() -> None:
    log, power = (Kerple(kernel=kernel, r1=(2.0,), r2=(0.5,)) for kernel in ("log", "power"))
    assert log.bias(np.array([0.0, 6.0]))[0] == pytest.approx([0, -2 * np.log(4)])
    assert power.bias(np.array([0.0, 9.0]))[0] == pytest.approx([0, -6])
    alibi = Alibi(heads=8)
    item = Kerple(kernel="power", r1=tuple(alibi.slopes()), r2=(1.0,))
    assert np.array_equal(item.bias(OFFSETS), alibi.bias(OFFSETS))


@pytest.mark.some(7)
@pytest.mark.parametrize("direction", ["both", "causal"])
@pytest.mark.parametrize("buckets", [4, 5, 32, 33, 64])
@pytest.mark.parametrize("distance", [33, 128, 1000, 10**9])
def test_the_last_bucket_begins_where_it_is_said_to(buckets: int, distance: int, direction: str) -> None:
    item = T5(buckets=buckets, max_distance=distance, direction=direction)
    before, first, far = item.bucket(np.array([item.last_from - 1, item.last_from, 10 * distance]))
    assert before < first == far == item.buckets_each - 1


def test_the_last_bucket_of_t5_begins_at_91_both_ways_and_at_113_causal() -> None:
    assert [T5(direction=direction).last_from for direction in ("both", "causal")] == [91, 113]
    assert (
        say("biases.buckets_the_last_from", count=32, distance=171) in T5(direction="causal", max_distance=200).title()
    )


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("t5:tensor=x", "names a table in a file, but no file is given: give file too"),
        ("t5:max_distance=8", "max_distance=8 must be beyond the 8 distances that have a bucket each"),
        ("kerple:r1=1,2,3,r2=1,2", "r1 has 3 numbers, but r2 has 2"),
        ("kerple:kernel=power,r2=2.5", r"r2=2\.5 is not allowed with kernel"),
    ],
)
def test_what_does_not_fit_together_is_refused(spec: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_encoding(spec)
    assert Kerple(r1=(1, 2, 3), r2=(1,)).n_heads == 3 and Kerple(r2=(2.5,)).n_heads == 1
    assert Kerple(kernel="power", r1=(1,), r2=(2,)).bias(np.array([0.0, 3.0]))[0].tolist() == [0, -9]
