"""Vectors at rest in three shapes: what each costs and loses, and that a store of any shape recalls the same in every keeper."""

from contextlib import closing

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec import DecodeError
from msgspec.structs import replace

import cued
from cued.conformance.samples import NOW, direction, lookup, near, record, words
from cued.conformance.searching import ids
from cued.model import VECTOR_SHAPES
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.vector_bytes import as_data, as_vector, matrices, runs, smaller
from cued.surfaces.cli.root import cued_command
from cued.upkeep.copy_check import copy_compared
from cued.upkeep.repairing import repair
from tests.stores.kinds import KINDS, place

OFF = {"float32": 0.0, "float16": 2.0**-11, "int8": 1 / 127}
"""How far a component may be off, beside the largest."""


def unit(seed, dimensions):
    vector = np.random.default_rng(seed).normal(size=dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


@given(st.integers(0, 10_000), st.integers(1, 400), st.sampled_from(VECTOR_SHAPES))
def test_a_vector_comes_back_as_near_as_its_shape_allows(seed, dimensions, shape):
    vector = unit(seed, dimensions)
    data = as_data(vector, shape)
    back = as_vector(data)
    assert len(data) <= {"float32": 4, "float16": 2, "int8": 1}[shape] * dimensions + 6
    assert np.abs(back - vector).max() <= OFF[shape] * 1.1 * np.abs(vector).max()
    assert as_data(back, shape) == data, "once small, it changes no more"
    assert abs(float(np.linalg.norm(back)) - 1) < 1e-3
    assert smaller(data, "int8") == (as_data(vector, "int8") if shape == "float32" else data)


def test_vectors_of_several_shapes_lie_in_one_run_and_are_told_apart():
    # 1 + 2·d is 5 + d for d = 4: a half and an int8 vector of one size.
    stored = [(key, as_data(unit(key, 4), shape)) for key, shape in enumerate(("float16", "int8", "float16", "float32"))]
    found = {key: row for run in runs(stored) for keys, matrix, _ in matrices(*run) for key, row in zip(keys, matrix, strict=True)}
    assert {key: row.tolist() for key, row in found.items()} == {key: as_vector(data).tolist() for key, data in stored}


def test_a_file_gives_every_vector_with_its_key_whatever_is_missing_between_or_of_another_size(tmp_path):
    store, short = Store(SqliteKeeper(tmp_path / "memories.db")), unit(1, 4)
    known = [record("t", f"m{number:04}", vector=None if number % 7 == 0 else number % 30) for number in range(2500)]
    known[2300] = replace(known[2300], vector=short, memory=replace(known[2300].memory, fingerprint="other"))
    store.remember("t", known)
    store.erase("t", [f"m{number:04}" for number in (3, *range(300, 1900), 2200)])
    with store.keeper.begin("t", write=False) as rows:
        runs_read = [each for run in rows.vectors(0) for each in matrices(*run)]
        found = {int(key): matrix[at].tolist() for keys, matrix, _ in runs_read for at, key in enumerate(keys)}
        stored = rows.read([each.memory.id for each in known], content=True).values()
    assert found == {row.key: as_vector(row.vector).tolist() for row in stored if row.vector is not None}
    assert (len(found), [len(row) for row in found.values()].count(4)) == (sum(row.vector is not None for row in stored), 1)
    store.close()


@pytest.mark.parametrize("data", [b"", b"\x07ab", b"\x02abcd", b"\x01a\x00b\x00c\x00"[:6]])
def test_bytes_that_are_no_vector_are_refused(data):
    with pytest.raises(DecodeError, match="a vector of"):
        as_vector(data)


@pytest.mark.parametrize("shape", VECTOR_SHAPES)
def test_every_keeper_recalls_the_same_from_a_shape(shape, tmp_path):
    found = []
    for kind in KINDS:
        with place(kind, tmp_path) as where, closing(keeper(kind, where, shape)) as kept:
            store = Store(kept)
            store.remember("t", [record("t", f"m{n:03}", f"tea number {n}", vector=n % 30) for n in range(90)])
            asked = store.search("t", lookup(lexical=words("tea"), dense=near(3)))
            found.append((ids(asked), {name: column.tobytes() for name, column in asked.columns.items()}, asked.vectors.tobytes()))
            assert as_data(store.fetch("t", ["m003"])[0].vector, shape) == as_data(direction(3), shape)
    assert found[0] == found[1] == found[2]


def keeper(kind, where, shape):
    """A keeper of this kind whose vectors have this shape."""
    if kind == "memory":
        return MemoryKeeper(vectors=shape)
    if kind == "sqlite":
        return SqliteKeeper(where, vectors=shape)
    from tests.stores.postgres import PostgresKeeper, server  # noqa: PLC0415 - starts a server, or skips

    with server().connected() as connection:
        connection.execute("UPDATE cued.version SET vectors = %s", (shape,))
    made = PostgresKeeper(where)
    with server().connected() as connection:
        connection.execute("UPDATE cued.version SET vectors = 'float32'")
    return made


def test_a_store_keeps_the_shape_it_was_made_with(tmp_path):
    path = tmp_path / "m.db"
    made = CliRunner().invoke(cued_command, ["db", "init", str(path), "--vectors", "int8"])
    assert made.exit_code == 0, made.output
    with closing(Store(SqliteKeeper(path))) as store:
        store.remember("t", [record("t", "a", vector=1)])
        with store.keeper.begin("t", write=False) as rows:
            assert rows.read(["a"], content=True)["a"].vector == as_data(direction(1), "int8")
    with pytest.raises(cued.InputError, match="int8, which this store was made with"):
        cued.open(path, embedder=None, vectors="float16")
    with pytest.raises(cued.InputError, match="float32, float16, int8"):
        cued.open(path, embedder=None, vectors="float64")
    with cued.open(path, embedder=None, vectors="int8") as memories:
        assert memories.check().ok
    path.chmod(0o644)
    repair(path, at=NOW)
    with closing(SqliteKeeper(path)) as kept:
        assert kept.vectors == "int8"


@pytest.mark.parametrize("new", ["new.db", None], ids=["in a file", "in memory"])
def test_a_shape_that_there_is_not_is_refused_before_anything_is_made(tmp_path, monkeypatch, new):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cued.InputError, match="one of float32, float16, int8"):
        cued.open(new, embedder=None, vectors="int4")
    assert list(tmp_path.iterdir()) == []


def test_a_copy_into_a_smaller_store_is_smaller_and_says_what_it_compared(tmp_path):
    with closing(SqliteKeeper(tmp_path / "a.db")) as source, closing(SqliteKeeper(tmp_path / "b.db", vectors="float16")) as target:
        Store(source).remember("t", [record("t", f"m{n}", f"tea number {n}", vector=n) for n in range(20)])
        moved = [copy_compared(source, target, name="a", at=NOW) for _ in range(2)]
        assert [(each.memories, each.mended, each.sampled) for each in moved] == [(20, 0, 20)] * 2
        with target.begin("t", write=False) as rows:
            assert rows.read(["m3"], content=True)["m3"].vector == as_data(direction(3), "float16")
