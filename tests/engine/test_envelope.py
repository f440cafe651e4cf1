"""An envelope decides to the same bytes next year, says what it lacks, and refuses what is no envelope."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import cued
from cued.engine.envelope import Envelope
from cued.errors import CuedError, InputError
from cued.model import DenseLookup, Lookup
from cued.policy import calibration
from cued.policy.presets import names, preset
from tests.building import NOW, comparable, evidence, memory, policy
from tests.fakes import FixedClock, ListEmbedder

HERE = Path(__file__).parent
SAMPLE = (HERE / "evidence-2.json").read_bytes()
TWINS = policy("[channels]\ndense = {}\n[diversify]\ncollapse = 0.9")


def two_alike(**facts):
    """Evidence of two memories whose vectors are one."""
    lookup = Lookup(scope="global", at=NOW, dense=DenseLookup(vector=np.array([1, 0], dtype=np.float32), fingerprint="test/e@1/2", pool=9))
    found = evidence([memory("a"), memory("b")], cosine=[0.9, 0.8], vectors=[[1, 0], [1, 0]], **facts)
    return replace(found, lookup=lookup)


def recalibrated():
    """The calibrations of another release: all that ship, with other numbers."""
    changed = {name: replace(each, intercept=each.intercept + 1.0) for name, each in calibration.calibrations().items()}
    return lambda: changed


@pytest.mark.requirement("X3")
def test_a_recall_comes_out_of_its_envelope_as_it_went_in():
    with cued.open(None, embedder=ListEmbedder(), clock=FixedClock(), settle="off") as memories:
        alice = memories.tenant("alice")
        for text in ("The garden gate is green.", "The gate squeaks on Fridays.", "Bob bakes a cake."):
            alice.remember(text)
        told = alice.explain("when did the garden gate squeak last week?", boost=lambda _: 1.5, floor=0.1)
    read = Envelope.decode(Envelope.of(told.evidence, told.policy).encode())
    assert read.vectors
    assert read.policy.floor.at == 0.1
    assert comparable(read.decide()) == comparable(replace(told.recall, timings_ms={}))
    assert read.evidence.lookup.dense.vector.tobytes() == told.evidence.lookup.dense.vector.tobytes()
    without = [replace(each.lookup, dense=None) for each in (read.evidence, told.evidence)]
    assert without[0] == without[1]


@pytest.mark.requirement("X3")
@pytest.mark.parametrize("name", names())
def test_another_releases_calibrations_and_presets_do_not_reach_into_an_envelope(name, monkeypatch):
    found = evidence([memory("a"), memory("b"), memory("c")], cosine=[0.4, 0.2, np.nan], coverage=[0.5, 0.1, 0.4], dense_rank=[1, 2, 0])
    kept = Envelope.of(found, preset(name)).encode()
    before = comparable(Envelope.decode(kept).decide())
    live = comparable(cued.decide(found, preset(name)))
    monkeypatch.setattr(calibration, "calibrations", recalibrated())
    assert comparable(Envelope.decode(kept).decide()) == before == live
    assert comparable(cued.decide(found, preset(name))) != live


@pytest.mark.requirement("X3")
def test_an_envelope_of_this_version_decides_as_on_the_day_it_was_saved():
    recall = Envelope.decode(SAMPLE).decide()
    told = [[each.memory.id, each.score.hex(), each.relevance.hex()] for each in recall.memories]
    assert told == json.loads((HERE / "decided-2.json").read_text())


@pytest.mark.requirement("X3")
def test_without_vectors_an_envelope_says_so_and_so_does_what_is_decided_from_it():
    whole, lean = (Envelope.of(two_alike(), TWINS, vectors=vectors).encode() for vectors in (True, False))
    assert len(lean) < len(whole)
    assert [r.memory.id for r in Envelope.decode(whole).decide().memories] == ["a"]
    read = Envelope.decode(lean)
    assert not read.vectors
    told = read.decide()
    assert [r.memory.id for r in told.memories] == ["a", "b"]
    assert told.degraded == ("diversify: saved without vectors, so near-duplicates could not be told apart",)
    assert cued.decide(read.evidence, TWINS).degraded == told.degraded
    assert read.decide(policy("[channels]\ndense = {}")).degraded == ()


def test_a_column_that_is_newer_than_the_envelope_says_nothing_of_any_row():
    found = two_alike()
    older = replace(found, findings=replace(found.findings, columns={k: v for k, v in found.findings.columns.items() if k != "window"}))
    read = Envelope.decode(Envelope.of(older, TWINS).encode())
    assert read.evidence.findings.columns["window"].tolist() == [0.0, 0.0]
    assert [r.score for r in read.decide().memories] == [r.score for r in cued.decide(found, TWINS).memories]


def damaged(**changes):
    """The sample with parts of its JSON replaced; a name's parts stand between underscores."""
    written = json.loads(SAMPLE)
    for path, value in changes.items():
        *above, last = path.split("__")
        part = written
        for name in above:
            part = part[name]
        part[last] = value
    return json.dumps(written).encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "saved recall"),
        (SAMPLE[:-200], "saved recall"),
        (b"{}", "saved recall"),
        (b"[1, 2]", "saved recall"),
        (b"not JSON", "saved recall"),
        (b"\xff\xfe" + SAMPLE, "saved recall"),
        (SAMPLE.replace(b"staging", b"sta\xffing"), "saved recall"),
        (b"[" * 100_000, "saved recall"),
        (b'{"version": 2, "evidence": ' + b'{"x": ' * 100_000, "saved recall"),
        (b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "saved recall"),
        (b"SQLite format 3\0", "saved recall"),
        (damaged(version=99), "of version 2"),
        (damaged(version="two"), "saved recall"),
        (damaged(policy="name = "), "not TOML"),
        (damaged(policy='[score]\nterms = [{ signal = "charm" }]'), "unknown signal 'charm'"),
        (damaged(evidence__cue=3), "saved recall"),
        (SAMPLE.replace(b"2025-05-02T00:00:00Z", b"2025-05-02T00:00:00"), "has no zone"),
        (damaged(evidence__findings__columns__bm25={"dtype": "float64", "shape": [1], "data": "AAAAAAAA8D8="}), "not one for each"),
        (damaged(evidence__findings__columns__bm25={"dtype": "float64", "shape": [3], "data": "AAAAAAAA8D8="}), "saved recall"),
        (damaged(evidence__findings__columns__bm25={"dtype": "object", "shape": [3], "data": ""}), "saved recall"),
        (damaged(evidence__findings__columns__bm25={"shape": [3]}), "saved recall"),
        (damaged(evidence__findings__columns__bm25=[1.0, 2.0, 3.0]), "saved recall"),
        (damaged(evidence__findings__vectors={"dtype": "float32", "shape": [1], "data": "AACAPw=="}), "not one for each"),
        (damaged(evidence__boost={"dtype": "float64", "shape": [1], "data": base64.b64encode(bytes(8)).decode()}), "not one for each"),
    ],
)
def test_what_is_no_envelope_or_is_damaged_is_refused_in_words(data, words):
    with pytest.raises(InputError, match=words):
        Envelope.decode(data)


@given(st.binary(max_size=80), st.integers(0, len(SAMPLE)), st.integers(0, 40))
def test_whatever_is_written_over_an_envelope_is_refused_in_words_or_decides(noise, start, length):
    try:
        Envelope.decode(SAMPLE[:start] + noise[:length] + SAMPLE[start + length :]).decide()
    except CuedError:
        return


def test_a_file_that_is_not_there_and_a_folder_are_refused_in_words(tmp_path):
    for place in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(InputError, match="a file that can be read"):
            Envelope.load(place)


@pytest.mark.parametrize("place", ["", "nowhere/envelope.json", "a\0b"])
def test_a_folder_and_a_place_that_is_not_there_are_refused_in_words_when_an_envelope_is_saved(tmp_path, place):
    with pytest.raises(InputError, match=r"^path: .*(a file that can be written|the path of a file)"):
        Envelope.decode(SAMPLE).save(tmp_path / place)


def test_a_presets_name_in_the_place_of_a_policy_is_refused_with_the_way_to_the_policy():
    with pytest.raises(InputError, match=r"^policy: got 'rrf'; .*cued\.load_policy"):
        Envelope.decode(SAMPLE).decide("rrf")
