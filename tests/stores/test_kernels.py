"""The loops of a search, compiled and in numpy: the same bits, and nothing that leads out of an array."""

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.conformance.samples import random_lookup, random_records
from cued.conformance.searching import assert_same_bits
from cued.stores import Store
from cued.stores.columns import channels, kernels, uncompiled
from cued.stores.columns.vectors import Told, Vectors, in_steps
from cued.stores.keepers.memory import MemoryKeeper
from tools.pythons import found, supported

compiled = pytest.importorskip("cued.stores.columns._kernels", reason="built without a compiler")

LOOPS = sorted(name for name, each in vars(compiled).items() if callable(each) and not name.startswith("__"))
chances = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def unit(chance, count, dimensions):
    drawn = chance.standard_normal((count, dimensions)) + 0.2
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def same(name, *arguments):
    """What a loop answers and writes, which has to be the same in both."""
    given = [[each.copy() if isinstance(each, np.ndarray) else each for each in arguments] for _ in range(2)]
    answers = [getattr(module, name)(*each) for module, each in zip((compiled, uncompiled), given, strict=True)]
    assert answers[0] == answers[1]
    for one, other in zip(*given, strict=True):
        if isinstance(one, np.ndarray):
            assert one.tobytes() == other.tobytes()
    return given[0], answers[0]


def test_every_loop_is_compiled_and_in_numpy():
    assert kernels.COMPILED
    assert all(callable(getattr(module, name)) for name in LOOPS for module in (kernels, uncompiled))


@given(chances, st.sampled_from([1, 3, 31, 64, 384, 1536, 8193]), st.integers(1, 40))
def test_vectors_are_taken_apart_scanned_told_and_put_together_alike(chance, dimensions, count):
    vectors = unit(chance, count, dimensions)
    vectors[0] = np.eye(1, dimensions) * np.float32(-0.9999)
    vectors[chance.integers(count), chance.integers(dimensions)] = chance.choice([0.1, 0.9, 50.0, np.nan, np.inf])
    longer = np.ones(dimensions, dtype=np.int16)
    longer[:32], longer[:1] = 2, 4
    scale = (2.0**25 / longer).astype(np.float32)
    high, low = np.ones((count, dimensions), dtype=np.int8), np.ones((count, dimensions), dtype=np.int16)
    told = [np.ones(count, dtype=np.float32) for _ in range(2)]
    (_, _, _, high, low, doubled, _), _ = same("take_apart", vectors, scale, longer, high, low, *told)

    cues, steps, fine = unit(chance, 2, dimensions), np.empty((2, dimensions), dtype=np.int16), np.empty((2, dimensions), dtype=np.int32)
    for number, cue in enumerate(cues):
        (_, _, steps[number], fine[number]), _ = same("in_steps", cue, longer, steps[number], fine[number])
    for many in (steps[:1], steps):
        same("scan", high, many, doubled, np.empty(count, dtype=np.float32))

    slots = chance.permutation(count).astype(np.int32)
    near = np.where(np.isnan(doubled[slots]), -np.inf, 0.5).astype(np.float32)
    rows = chance.integers(-1, count, 3 * count)
    space = np.zeros(count), chance.random(count) < 0.2, np.empty(len(rows))
    same("tell", high, low, doubled, fine, slots, near, rows, *space)
    step = (longer * 2.0**-25).astype(np.float32)
    sound = slots[np.isfinite(near)]
    same("put_together", high, low, step, doubled, sound, np.empty((len(sound), dimensions), dtype=np.float32))


@given(chances, st.integers(1, 500), st.integers(1, 60))
def test_the_best_are_told_ranked_and_summed_up_alike(chance, count, pool):
    values = np.round(chance.standard_normal(count), 2)
    values[chance.random(count) < 0.1] = -np.inf
    wanted, off = (min(pool, count), float(chance.choice([0.0, 0.02, 1.0]))), chance.choice([0.0, 0.01, 0.3], count)
    same("highest", values, np.zeros(count, dtype=np.intp), *wanted)
    same("nearest", values.astype(np.float32), off.astype(np.float32), np.zeros(count, dtype=np.intp), *wanted)
    same("background", values.astype(np.float32))
    fallen = np.where(chance.random(count) < 0.1, np.nan, values).astype(np.float32)  # some are no numbers
    same("most", fallen, np.sort(chance.integers(0, pool, count)).astype(np.int32), np.full(pool, -np.inf, dtype=np.float32))
    rows = chance.permutation(count)
    same("rank", values, rows, np.empty(min(pool, count), dtype=np.intp))
    drawn = chance.integers(-1, count, 2 * count)
    both = [(rows := drawn.copy())[: module.merge(rows, count)].tolist() for module in (compiled, uncompiled)]
    assert both[0] == both[1] == sorted({*drawn.tolist()} - {-1})
    some = np.sort(chance.choice(count, size=min(pool, count), replace=False))
    same("number", some, chance.permutation(some), np.zeros(len(some)))


@given(chances, st.integers(1, 60))
def test_rows_find_their_neighbours_and_their_columns_alike(chance, count):
    chain = chance.permutation(count).astype(np.int32)
    before, after = np.full((2, count), -1, dtype=np.int32)
    before[chain[1:]], after[chain[:-1]] = chain[:-1], chain[1:]
    visible = None if chance.random() < 0.3 else chance.random(count) < 0.7
    rows = chance.integers(0, count, chance.integers(0, 2 * count))
    (*_, everywhere), _ = same("beside", rows, before, after, visible, np.empty((3, len(rows)), dtype=np.intp))
    scores = np.append(chance.random((2, count)) * 9, [[0.0], [0.0]], axis=1)
    some = (*scores, chance.random(count), chance.random(count) < 0.5)
    lengths, totals, columns = chance.integers(0, 99, count), chance.choice([0.0, 7.3], 2), np.empty((9, len(rows)))
    for given_ones in (some, (None, None, None, None)):
        same("lay_out", everywhere, *given_ones, lengths, totals, columns)


@given(chances, st.integers(1, 200))
def test_words_are_found_and_weighed_alike(chance, count):
    hashes = np.unique(chance.integers(0, 2**64, 30, dtype=np.uint64))
    sizes = chance.integers(0, count + 1, len(hashes))
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    rows = np.concatenate([chance.choice(count, size=size, replace=False) for size in sizes]).astype(np.int32)
    counts = chance.integers(1, 9, len(rows)).astype(np.uint16)
    keys = np.append(chance.choice(hashes, 4), [np.uint64(0), np.uint64(2**64 - 1)])
    visible = None if chance.random() < 0.3 else chance.random(count) < 0.7
    (*_, begins, ends, documents), _ = same("find", hashes, starts, rows, visible, keys, *np.ones((3, len(keys)), dtype=np.int64))
    parameters, weights = np.array([0.04, 0.75, 1.2, 0.5]), chance.choice([0.0, 0.3, 4.1], len(keys))
    empty = np.zeros(count), np.zeros(count), np.zeros(int(documents.sum()), dtype=np.intp)
    same("weigh", rows, counts, begins, ends, visible, chance.integers(1, 99, count), weights, parameters, *empty)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 256]))
def test_a_whole_search_gives_the_same_bits(seed, few):
    found = []
    for module in (compiled, uncompiled):
        chance, store = Random(seed), Store(MemoryKeeper())
        store.remember("t", random_records("t", chance))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(channels, "_FEW", few)
            for name in LOOPS:
                patched.setattr(kernels, name, getattr(module, name))
            found.append(store.search("t", random_lookup(chance)))
    assert_same_bits(*found)


BYTES, HALVES, WHOLES = np.zeros((2, 3), np.int8), np.zeros((2, 3), np.int16), np.zeros((2, 3), np.int32)
FLOATS, DOUBLES, LONGS = np.zeros((2, 3), np.float32), np.zeros((2, 3)), np.zeros((2, 3), np.int64)
THREE, TWO = FLOATS[0], FLOATS[0, :2]
OUTSIDE = np.array([2], dtype=np.int32)
ROWS = np.arange(2)
WIDE, SPACE = (np.zeros(2**17, np.int8), np.zeros(2**17, np.int16)), (DOUBLES[0, :1], ROWS[:1] == 9, DOUBLES[0, :1])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("take_apart", (FLOATS, THREE, HALVES[0], BYTES, HALVES, TWO, THREE)),
        ("in_steps", (THREE, HALVES[0], HALVES[0], WHOLES)),
        ("in_steps", (np.array([9, 0, 0], np.float32), HALVES[0] + 1, HALVES[0], WHOLES[0])),
        ("in_steps", (THREE + 1, HALVES[0] + 32767, HALVES[0], WHOLES[0])),
        ("take_apart", (FLOATS, THREE, HALVES[0] + 32767, BYTES, HALVES, TWO, TWO)),
        ("scan", (BYTES, HALVES[0], TWO, THREE)),
        ("scan", (BYTES, HALVES[0, :2], TWO, TWO)),
        ("scan", (np.zeros((2, 600), np.int8), np.full(600, -32768, np.int16), TWO, TWO)),
        ("tell", (BYTES, HALVES, TWO, WHOLES[0], WHOLES[0, :2], TWO, np.array([2]), DOUBLES[0, :2], ROWS == 9, DOUBLES[0, :1])),
        ("tell", (BYTES, HALVES, TWO, WHOLES[0], OUTSIDE, TWO[:1], np.array([0]), DOUBLES[0, :1], ROWS[:1] == 9, DOUBLES[0, :1])),
        ("tell", (*WIDE, TWO[:1], np.full(2**17, -(2**31), np.int32), WHOLES[0, :1], TWO[:1], ROWS[:1], *SPACE)),
        ("put_together", (BYTES, HALVES, THREE, TWO, OUTSIDE, FLOATS[:1])),
        ("put_together", (BYTES, HALVES, THREE, TWO, OUTSIDE - 1, FLOATS)),
        ("nearest", (THREE, THREE, LONGS[0], 4, 0.0)),
        ("nearest", (THREE, TWO, LONGS[0], 1, 0.0)),
        ("highest", (DOUBLES[0], LONGS[0], 0, 0.0)),
        ("highest", (DOUBLES[0], LONGS[0, :2], 1, 0.0)),
        ("rank", (DOUBLES[0], LONGS[0, :2], LONGS[0, :1])),
        ("rank", (DOUBLES[0, :2], LONGS[0, :2], LONGS[0])),
        ("beside", (np.array([2]), OUTSIDE, OUTSIDE, None, np.zeros(3, np.int64))),
        ("beside", (np.array([0]), OUTSIDE, OUTSIDE - 3, None, np.zeros(3, np.int64))),
        ("beside", (np.array([0]), OUTSIDE - 3, OUTSIDE - 3, None, np.zeros(2, np.int64))),
        ("beside", (ROWS, *np.array([[1, 0], [1, 0]], np.int32), ROWS == 9, np.zeros(6, np.int64))),
        ("merge", (np.array([0, 3]), 3)),
        ("merge", (np.array([0, -2]), 3)),
        ("merge", (LONGS[0, :0], -200)),
        ("number", (LONGS[0, :1], np.array([5]), DOUBLES[0, :1])),
        ("lay_out", (np.array([3, -1, -1]), None, None, None, None, ROWS, DOUBLES[0, :2], np.zeros(9))),
        ("lay_out", (np.array([-1, -1, -1]), None, None, None, None, ROWS, DOUBLES[0, :2], np.zeros(9))),
        ("lay_out", (np.array([0, -1, -1]), DOUBLES[0], None, None, None, ROWS, DOUBLES[0, :2], np.zeros(9))),
        ("find", (np.ones(1, np.uint64), np.array([0, 9]), OUTSIDE, None, np.ones(1, np.uint64), *np.zeros((3, 1), np.int64))),
        ("find", (np.ones(1, np.uint64), np.array([0, 1]), OUTSIDE, ROWS == 1, np.ones(1, np.uint64), *np.zeros((3, 1), np.int64))),
        *(
            ("weigh", (OUTSIDE, np.ones(1, np.uint16), np.array([0]), np.array([end]), None, ROWS, np.ones(1), np.ones(4), *space))
            for end, space in (
                (1, (np.zeros(2), np.zeros(2), np.zeros(1, np.int64))),
                (2, (np.zeros(2), np.zeros(2), np.zeros(1, np.int64))),
                (1, (np.zeros(2), np.zeros(3), np.zeros(1, np.int64))),
            )
        ),
        (
            "weigh",
            (OUTSIDE - 1, np.ones(1, np.uint16), ROWS[:1], ROWS[1:], None, ROWS, np.ones(1), np.ones(4), *np.zeros((2, 2)), ROWS[:0]),
        ),
    ],
)
def test_what_would_lead_out_of_an_array_is_an_error(name, arguments):
    with pytest.raises(ValueError, match=name):
        getattr(compiled, name)(*(each.copy() if isinstance(each, np.ndarray) else each for each in arguments))


def test_what_would_be_written_over_what_is_read_is_an_error():
    shared = np.zeros(8, dtype=np.int64)
    keys, hashes = np.zeros(2, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    for begins, ends, documents in ((shared[:2], shared[1:3], shared[4:6]), (shared[:2], shared[2:4], shared[3:5])):
        with pytest.raises(ValueError, match="written over"):
            compiled.find(hashes, np.array([0, 1]), OUTSIDE - 1, None, keys, begins, ends, documents)
    with pytest.raises(ValueError, match="written over"):
        compiled.rank(shared[:4].view(np.float64), shared[4:], shared[:2])
    compiled.rank(shared[:2].view(np.float64), shared[2:4], shared[4:6])


def test_what_is_no_number_comes_last_and_what_no_cosine_can_be_counts_as_two():
    values = np.array([0.3, np.nan, -np.inf, np.nan, 0.9, np.inf, 0.3])
    (*_, best), _ = same("rank", values, np.arange(7)[::-1].copy(), np.empty(7, dtype=np.intp))
    assert best.tolist() == [1, 2, 0, 6, 4, 3, 5]
    _, sums = same("background", np.array([70_000.0, -3e38, 0.5, np.nan, np.inf], dtype=np.float32))
    assert sums == (3, 2**14, 2 * 2**32 + 2**28)


def test_what_was_compiled_from_another_source_is_not_used(tmp_path):
    source = tmp_path / "_kernels.c"
    assert kernels.is_current(compiled, source)
    source.write_bytes(b"other loops")
    assert not kernels.is_current(compiled, source)
    older = ModuleType("_kernels")
    assert not kernels.is_current(older, source)


COUNTED = """
import sys
import _kernels
import numpy as np

number = np.arange(3), np.arange(3), np.zeros(3)
before = sys.getrefcount(None)
for _ in range(1000):
    _kernels.number(*number)
print(sys.getrefcount(None) - before)
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="from 3.12 on None lives for ever")
@pytest.mark.parametrize("version", supported()[1:])
def test_what_a_later_python_compiles_leaves_none_alive_in_this_one(tmp_path, version):
    later, compiler = found(version), shutil.which("cc")
    if later is None or compiler is None:
        pytest.skip(f"no Python {version} or no compiler on this machine")
    asked = [later, "-c", "import sysconfig; print(sysconfig.get_path('include'))"]
    headers = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(headers, "Python.h").exists():
        pytest.skip(f"the Python {version} on this machine came without its headers")
    source = Path(kernels.__file__).with_name("_kernels.c")
    subprocess.run([compiler, "-shared", "-fPIC", f"-I{headers}", source, "-o", tmp_path / "_kernels.abi3.so", "-lm"], check=True)
    ran = subprocess.run([sys.executable, "-c", COUNTED], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert abs(int(ran.stdout)) < 100


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_no_array_of_the_right_kind_is_an_error(name):
    for arguments in (
        (),
        ("ab",),
        (DOUBLES,) * 13,
        (None,) * 4,
        *((np.zeros(3, kind),) * count for kind in ("?", ">i4") for count in range(1, 12)),
    ):
        with pytest.raises((TypeError, ValueError, BufferError)):
            getattr(compiled, name)(*arguments)
    with pytest.raises((TypeError, ValueError)):
        getattr(compiled, name)(*(DOUBLES[:, :2],) * 7)


def test_a_matrix_of_many_rows_is_scanned_without_the_lock():
    held, cue = Vectors(384), unit(np.random.default_rng(1), 1, 384)[0]
    rows = 45_000
    held.add(np.arange(rows, dtype=np.int32), np.tile(unit(np.random.default_rng(2), 1000, 384), (45, 1)))
    found = held.scan(in_steps(cue))
    assert found[:1000].tobytes() * 45 == found.tobytes()
    assert np.isnan(held.tell(in_steps(cue), np.arange(rows, dtype=np.int32), found, np.array([-1]), into=Told.nothing(rows))).all()
