"""Whatever a caller sends costs little or is refused in words: sizes, growth, times at the edge, nesting, wrong types."""

import resource
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np
import pytest
from msgspec.structs import replace

import cued
from cued.engine.envelope import Envelope
from cued.errors import CuedError, InputError
from cued.policy import parse
from cued.policy.adjust import slower
from cued.policy.presets import load_policy
from cued.requests.checks import MAX_SUPERSEDED, MAX_TAGS
from cued.surfaces.bulk import remember_lines
from cued.text.durations import parse_duration
from tests.faults.test_fork import in_a_child

SECONDS = 5
"""Five times what is promised: this may run on a busy machine."""
DEEP = 100_000


@pytest.fixture
def tenant():
    with cued.open(None, embedder="hashing") as memories:
        held = memories.tenant("ada")
        held.remember("Ada drinks green tea in Paris.")
        yield held


HOSTILE = {
    "words": "word " * 200_000,
    "distinct words": " ".join(f"w{number}" for number in range(150_000)),
    "fewer distinct words": " ".join(f"w{number}" for number in range(7_000)),
    "ligatures that grow": "\ufdfa" * 100_000,
    "fewer of them": "\ufdfa" * 5_000,
    "marks": "a" + "\u0301" * 99_000,
    "dates": "last tuesday or 3 weeks ago " * 3_500,
    "quotes": '"' * 99_000,
    "identifiers": "aB" * 49_000,
    "white space": " " * 99_000 + "a",
    "a long word beyond ASCII": "é" + "a" * 49_000,
    "the same time": "today this time " * 3_000,
    "very many days": "9" * 9_000 + " days after the tea",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_any_cue_and_any_text_take_their_time_or_are_refused(tenant, text):
    refused = []
    for verb in (tenant.recall, tenant.remember, tenant.explain):
        started = time.process_time()
        try:
            verb(text)
        except InputError as error:
            refused.append(str(error))
        assert time.process_time() - started < SECONDS
    assert all("characters" in each or "at most" in each for each in refused)


def test_the_bounds_are_named(tenant):
    with pytest.raises(InputError, match="at most 50000 characters"):
        tenant.recall("tea " * 12_501)
    with pytest.raises(InputError, match="at most 50000 characters"):
        tenant.recall(cued.Cue(utterance="tea", goal="tea " * 12_500))
    with pytest.raises(InputError, match="normal form"):
        tenant.remember("\ufdfa" * 12_000)
    assert tenant.recall("tea " * 12_000).memories


def test_times_at_the_edge_are_refused(tenant):
    with pytest.raises(InputError, match="year 10000"):
        tenant.remember("x y", at="9999-12-31", ttl="30d")
    memory_id = tenant.remember("x y z").id
    for attempt in (
        lambda: tenant.update(memory_id, ttl=1e300),
        lambda: tenant.remember("x y", ttl=float("inf")),
        lambda: tenant.sweep(grace=1e12),
        lambda: tenant.recall("x y", floor=float("nan")),
        lambda: parse.parse("[floor]\nat = nan"),
    ):
        with pytest.raises(CuedError):
            attempt()
    for moment in (datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)):
        tenant.timeline(moment)
        for asked in ("x y last week, three years ago", "what is coming up?", "what is due by the end of the week?"):
            tenant.recall(asked, now=moment)


@pytest.mark.parametrize("at", ["0001-01-01", "2025-03-01", "9999-12-31"])
@pytest.mark.parametrize("cue", ["what came after the party?", "before the party", "around the party", "the week of the party",
                                 "the year after the party", "since the party", "9999 years before the party"])  # fmt: skip
def test_an_event_at_the_edge_of_the_calendar_does_no_harm(tenant, at, cue):
    tenant.remember("The party was in Paris.", at=at, trust="tool")
    tenant.remember("Ada had tea and cake.", at="2025-03-02")
    for now in ("0001-01-02", "2025-03-08", "9999-12-31"):
        assert tenant.recall(cue, now=now).degraded == ()


ODD = {
    "a number": (5, {"list limit", "log limit"}),
    "a fraction": (2.5, set()),
    "true": (True, set()),
    "an empty text": ("", set()),
    "NUL": ("\0", set()),
    "a lone surrogate": ("\ud800", {"recall cue"}),
    "bytes": (b"x", set()),
    "an empty list": ([], {"list tags", "list kinds", "list tiers"}),
    "a list in a list": ([[]], set()),
    "an empty object": ({}, {"list meta"}),
    "a list in an object": ({"a": [1]}, set()),
    "an object of Python's": (object(), set()),
    "no number": (float("nan"), set()),
}
"""Odd values, and which verbs take them all the same, and where."""


def takers(tenant, value):
    """Every verb that could take such a value, by where it would stand."""
    listed = ("limit", "tags", "meta", "kinds", "tiers", "since", "after", "scope", "session")
    return {
        **{f"list {name}": partial(tenant.list, **{name: value}) for name in listed},
        "log limit": partial(tenant.log, limit=value),
        "why": partial(tenant.why, value),
        "get": partial(tenant.get, value),
        "update": partial(tenant.update, value, text="x y"),
        "timeline": partial(tenant.timeline, value),
        "feedback": partial(tenant.feedback, value),
        "feedback cited": partial(tenant.feedback, "r", cited=value),
        "explain memory": partial(tenant.explain, "tea", memory=value),
        "recall cue": partial(tenant.recall, value),
        "forget": partial(tenant.forget, value),
        "restore": partial(tenant.restore, value),
        "erase": partial(tenant.forget, value, erase=True),
    }


@pytest.mark.parametrize("case", ODD)
def test_wrong_types_are_refused_in_words(tenant, case):
    value, accepted = ODD[case]
    taken = set()
    for name, verb in takers(tenant, value).items():
        try:
            verb()
        except CuedError as error:
            str(error).encode()  # Whoever passes it on in JSON can.
        else:
            taken.add(name)
    assert taken == accepted


def test_what_gives_way_to_one_memory_is_bounded(tenant):
    ids = tenant.remember_many([f"Note {number}" for number in range(MAX_SUPERSEDED + 2)]).ids
    newest, *others = reversed(ids)
    with pytest.raises(InputError, match="at most 64"):
        tenant.update(newest, supersedes=others[: MAX_TAGS + 1])
    for start in range(0, MAX_SUPERSEDED, MAX_TAGS):
        tenant.update(newest, supersedes=others[start : min(start + MAX_TAGS, MAX_SUPERSEDED)])
    with pytest.raises(InputError, match="at most 1000 that give way"):
        tenant.update(newest, supersedes=others[-1])
    assert len(tenant.get(newest).supersedes) == MAX_SUPERSEDED


def test_nesting_is_refused_wherever_it_is_read(tenant, tmp_path):
    nested = b"[" * DEEP + b"]" * DEEP
    with pytest.raises(InputError):
        remember_lines(tenant, [b'{"text": "x y", "meta": {"a": ' + nested + b"}}"])
    policy = tmp_path / "deep.toml"
    policy.write_bytes(b"a = " + nested)
    with pytest.raises(CuedError):
        load_policy(policy)
    policy.write_bytes(b"name = 'caf\xe9'")
    with pytest.raises(InputError, match="UTF-8"):
        load_policy(policy)
    for name, text in {"mem0": b'[{"memory": ' + nested + b"}]", "cued": b'{"cued": ' + nested + b"}"}.items():
        file = tmp_path / f"{name}.json"
        file.write_bytes(text)
        try:
            tenant.import_file(file, format=name)
        except InputError:
            continue


@pytest.mark.skipif(sys.platform == "win32", reason="the memory of a child is measured in another way here")
def test_a_dense_file_does_not_fill_the_memory(tenant, tmp_path):
    dense = tmp_path / "conversations.json"
    dense.write_text('[{"mapping":{' + ",".join(f'"{number:x}":{{}}' for number in range(3_100_000)) + "}}]")

    def imported() -> str:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            tenant.import_file(dense)
        except InputError:
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
            return "refused" if grown < 400 else f"{grown} MB"
        return "imported"

    assert in_a_child(imported) == "refused"


def test_brackets_in_texts_are_no_objects(tenant, tmp_path):
    code = tmp_path / "rows.json"
    code.write_text('[{"memory": "' + "[{" * 45_000 + '"},' + ",".join(['{"memory": "' + "[{" * 45_000 + '"}'] * 3) + "]")
    assert sum(tenant.import_file(code, format="mem0").skipped.values()) == 0


def test_a_dense_file_with_a_text_that_does_not_end_is_refused_at_once(tenant, tmp_path):
    cut = tmp_path / "rows.json"
    cut.write_text('[{"memory": "' + "[" * 200_001 + '"}, "' + '\\"' * 40_000)
    started = time.process_time()
    with pytest.raises(InputError, match="truncated"):
        tenant.import_file(cut, format="mem0")
    assert time.process_time() - started < SECONDS


def test_bytes_that_are_no_text_are_refused_and_not_replaced(tmp_path):
    command = [sys.executable, "-m", "cued.surfaces.cli", "--db", str(tmp_path / "m.db"), "--embedder", "none", "remember", "-"]
    done = subprocess.run(command, input=b"caf\xe9", capture_output=True, check=False)
    assert done.returncode == 2
    assert b"UTF-8" in done.stderr


def test_a_bulk_load_that_fails_says_how_to_go_on(tenant):
    lines = [b'{"text": "memory %d"}' % number for number in range(300)] + [b"broken"]
    with pytest.raises(InputError) as failed:
        remember_lines(tenant, lines)
    assert any("256 memories are stored so far" in note for note in failed.value.__notes__)
    assert remember_lines(tenant, lines[:-1])["known"] == 256
    assert tenant.list().total == 301


@pytest.mark.parametrize("bad", ["", {"text": "x", "tag": []}, {"text": "x", "at": "never"}])
def test_of_many_the_one_that_is_refused_is_named(tenant, bad):
    drafts = [f"memory {number}" for number in range(300)]
    drafts[2:2] = [bad]
    with pytest.raises(InputError) as failed:
        tenant.remember_many(drafts)
    assert failed.value.__notes__ == ["in memory 3 of those given; none of them is stored"]
    with pytest.raises(InputError) as failed:
        tenant.remember_many([*drafts[3:], bad])
    assert failed.value.__notes__ == ["in memory 299 of those given; the first 256 are stored"]
    assert tenant.list().total == 257


def test_a_duration_that_is_none_and_numbers_that_no_store_gives_are_refused(tenant):
    for duration in (1e-9, "0.0000001s", 10**400, timedelta(0)):
        with pytest.raises(InputError, match="positive duration"):
            parse_duration(duration)
    envelope = Envelope.of(tenant.gather("green tea"), load_policy())
    found = envelope.evidence.findings
    for broken in (
        replace(found, vectors=np.full_like(found.vectors, 1e30)),
        replace(found, vectors=np.full_like(found.vectors, np.nan)),
        replace(found, columns=found.columns | {"bm25": np.full(len(found.memories), 1e300)}),
    ):
        with pytest.raises(InputError, match="none that a store gives"):
            Envelope.decode(replace(envelope, evidence=replace(envelope.evidence, findings=broken)).encode())
    assert Envelope.decode(envelope.encode()) is not None


def test_what_fades_within_seconds_still_fades_by_finite_numbers(tenant):
    policy = parse.parse(
        '[channels]\nlexical = { pool = 9 }\n[score]\nterms = [{ signal = "recency", tau = 2 }]\n[floor]\non = "score"\nat = 0.9'
    )
    (term,) = policy.score.terms
    quicker = replace(policy, score=replace(policy.score, terms=(slower(term, 0.1),)))
    recall = tenant.recall("green tea", policy=quicker, now=tenant.list().memories[0].created_at)
    assert [each.score for each in recall.memories] == [1.0]
