"""The verbs of a tenant's handle, over both stores, with the default policy unless said."""

import gc
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import cued
from cued.errors import InputError, NotFoundError
from cued.policy.presets import names
from tests.building import NOW, ago
from tests.fakes import FailingEmbedder, FixedClock, ListEmbedder

STORES = ("memory", "sqlite")


@pytest.fixture(params=STORES)
def path(request, tmp_path):
    """Where the store lives: nowhere, or in a file."""
    return None if request.param == "memory" else tmp_path / "memories.db"


@pytest.fixture
def clock():
    return FixedClock()


@pytest.fixture
def memories(path, clock):
    with cued.open(path, embedder="hashing", clock=clock, settle="now") as opened:
        yield opened


@pytest.fixture
def alice(memories):
    return memories.tenant("alice")


def texts(recall):
    return [r.memory.text for r in recall.memories]


def test_what_is_remembered_can_be_recalled(alice):
    alice.remember("The kitchen tap was repaired by Novak plumbing.")
    alice.remember("Gym membership ends in October.")
    recall = alice.recall("who repaired the kitchen tap?")
    assert recall.outcome == "recalled"
    assert texts(recall) == ["The kitchen tap was repaired by Novak plumbing."]
    assert "Novak" in recall.block


@pytest.mark.requirement("R9")
def test_an_empty_recall_says_which_emptiness_it_is(alice, clock):
    assert alice.recall("anything").outcome == "nothing_stored"
    kept = alice.remember("The boiler code is 4711.", ttl="30d").id
    assert alice.recall("zebra quantum", without=["dense"]).outcome == "nothing_matched"
    near = alice.recall("what is the colour of the boiler in the attic of my aunt?", floor=0.99)
    assert (near.outcome, near.near_misses[0].memory.id) == ("below_floor", kept)
    clock.move(days=31)
    gone = alice.recall("boiler code 4711")
    assert (gone.outcome, gone.suppressed) == ("all_gated", {"expiry": 1})


@pytest.mark.requirement("P20")
def test_a_tenant_without_memories_is_answered_without_embedding(path, clock):
    embedder = ListEmbedder()
    with cued.open(path, embedder=embedder, clock=clock) as opened:
        assert opened.tenant("new").recall("hello").outcome == "nothing_stored"
    assert embedder.asked == []


@pytest.mark.requirement("R13")
def test_without_an_embedder_words_still_answer_and_the_gap_is_named(path, clock):
    with cued.open(path, embedder=None, clock=clock) as opened:
        alice = opened.tenant("alice")
        alice.remember("Invoice 8842 was paid.")
        recall = alice.recall("was invoice 8842 paid?")
    assert texts(recall) == ["Invoice 8842 was paid."]
    assert recall.degraded == ("dense: no embedder",)


@pytest.mark.requirement("R13")
def test_an_embedder_that_fails_degrades_writing_and_reading_and_breaks_neither(path, clock):
    embedder = FailingEmbedder()
    with cued.open(path, embedder=embedder, clock=clock) as opened:
        alice = opened.tenant("alice")
        embedder.down = True
        assert alice.remember("Invoice 8842 was paid.").degraded == ("vector pending: the embedder is down",)
        recall = alice.recall("invoice 8842 paid")
        assert (texts(recall), recall.degraded) == (["Invoice 8842 was paid."], ("dense: the embedder is down",))
        assert alice.stats().pending_vectors == 1
        embedder.down = False
        assert "1 of 1 memories carry no vector" in alice.recall("invoice 8842 paid").degraded[0]


@pytest.mark.requirement("X8")
def test_vectors_of_another_model_are_never_compared(memories, clock):
    store = memories.parts.store
    cued.open(store, embedder=ListEmbedder(name="one"), clock=clock, settle="off").tenant("alice").remember("Invoice 8842 was paid.")
    recall = cued.open(store, embedder=ListEmbedder(name="two"), clock=clock, settle="off").tenant("alice").recall("was invoice 8842 paid?")
    assert np.isnan(recall.trace.columns["cosine"]).all()
    assert recall.trace.columns["dense_rank"].tolist() == [0]
    assert texts(recall) == ["Invoice 8842 was paid."]
    assert recall.degraded == ("dense: 1 of 1 memories carry no vector of this embedder; `cued reembed` makes them",)


@pytest.mark.requirement("R26")
@pytest.mark.parametrize(
    ("identifier", "twin"),
    [
        ("ERR_SSL_VERSION_OR_CIPHER_MISMATCH", "ERR_SSL_PROTOCOL_ERROR"),
        ("ModuleNotFoundError: No module named 'recall'", "ModuleNotFoundError: No module named 'numpy'"),
        ("GPT-4o", "GPT-4"),
        ("auth-middleware", "auth-service"),
        ("parseConfig", "parseConfigs"),
        ("src/core/config.ts", "src/core/server.ts"),
        ("0x7fff5fbff8c0", "0x7fff5fbff8c1"),
        ("v2.3.1", "v2.3.10"),
    ],
)
def test_exact_identifiers_are_found_before_their_twins(alice, identifier, twin):
    alice.remember(f"Yesterday we looked at {twin} for an hour.")
    alice.remember(f"Yesterday we looked at {identifier} for an hour.")
    alice.remember("Lunch was late.")
    assert texts(alice.recall(identifier, floor=0.0))[0] == f"Yesterday we looked at {identifier} for an hour."


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    ("stored", "asked", "other"),
    [
        ("我住在北京的朝阳区", "北京", "他喜欢吃苹果"),
        ("来週の会議は大阪で開かれます", "大阪の会議", "猫が好きです"),
        ("회의는 서울에서 열립니다", "서울 회의", "고양이를 좋아해요"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด", "เขาไปทะเล"),
        ("Die Krankenversicherung läuft im Mai aus.", "Versicherung", "Der Hund schläft."),
        ("Der Umzug war 🚚 anstrengend", "🚚", "Alles ruhig 🌊"),
    ],
)
def test_words_are_found_in_any_script(alice, stored, asked, other):
    alice.remember(stored)
    alice.remember(other)
    assert texts(alice.recall(asked, floor=0.0, without=["dense"])) == [stored]


@pytest.mark.requirement("M4")
def test_a_project_sees_itself_and_global_and_never_another_project(alice):
    for scope in ("global", "atlas", "borealis"):
        alice.remember(f"The deadline of {scope} is Friday.", scope=scope)
    assert set(texts(alice.recall("deadline", scope="atlas", floor=0.0))) == {
        "The deadline of atlas is Friday.",
        "The deadline of global is Friday.",
    }
    assert texts(alice.recall("deadline", floor=0.0)) == ["The deadline of global is Friday."]


@pytest.mark.requirement("M5")
@pytest.mark.parametrize(
    ("ttl", "span"), [("30d", {"days": 30}), ("12h", {"hours": 12}), (90, {"seconds": 90}), (timedelta(weeks=1), {"weeks": 1})]
)
def test_a_ttl_is_days_hours_seconds_or_a_timedelta(alice, clock, ttl, span):
    kept = alice.get(alice.remember("The guest code is 99.", ttl=ttl).id)
    assert kept.expires_at == NOW + timedelta(**span)
    clock.move(**span)
    assert alice.recall("guest code").outcome == "all_gated"


@pytest.mark.requirement("M6", "S6")
def test_a_superseded_belief_is_hidden_kept_and_its_clock_is_not_reset(alice, clock):
    old = alice.remember("The team uses Redux for state.", at=ago(days=90)).id
    clock.move(days=1)
    new = alice.remember("The team uses Zustand for state.", supersedes=old).id
    recall = alice.recall("what does the team use for state?", floor=0.0)
    assert [r.memory.id for r in recall.memories] == [new]
    assert recall.suppressed == {"supersession": 1}
    kept = alice.get(old)
    assert (kept.weight, kept.updated_at, kept.superseded[0].by) == (0.1, ago(days=90), new)


@pytest.mark.requirement("M6")
def test_a_projects_supersession_hides_a_global_memory_in_that_project_alone(alice):
    old = alice.remember("Indent with four spaces.").id
    new = alice.remember("Indent with two spaces.", scope="web", supersedes=old).id
    assert [r.memory.id for r in alice.recall("how to indent", scope="web", floor=0.0).memories] == [new]
    assert [r.memory.id for r in alice.recall("how to indent", scope="api", floor=0.0).memories] == [old]
    assert alice.get(old).weight == 1.0


@pytest.mark.requirement("M7")
def test_an_update_resets_the_decay_clock_and_is_searched_by_its_new_words(alice, clock):
    kept = alice.remember("The spare key is under the mat.", at=ago(days=50)).id
    clock.move(days=2)
    changed = alice.update(kept, text="The spare key is with Petra.", importance=0.9)
    assert (changed.updated_at, changed.created_at, changed.version) == (clock.now, ago(days=50), 2)
    assert texts(alice.recall("Petra", without=["dense"])) == ["The spare key is with Petra."]
    assert alice.recall("mat", without=["dense"]).outcome == "nothing_matched"


@pytest.mark.requirement("P12")
def test_what_is_no_longer_valid_is_struck_and_not_only_weighed_down(alice, clock):
    alice.remember("The office is in Graz.", valid_from=ago(days=9), valid_until=NOW + timedelta(days=1))
    assert alice.recall("where is the office").outcome == "recalled"
    clock.move(days=1)
    assert alice.recall("where is the office").suppressed == {"validity": 1}


def test_what_is_over_when_it_is_stored_is_said_to_be_recalled_only_as_of_before(alice):
    long_ago = {"at": ago(days=400), "valid_until": ago(days=300)}
    told = alice.remember("The wifi code is 1234.", **long_ago).degraded
    assert told == ("time: what is over when it is stored (valid_until, ttl) is recalled only as of a time before that",)
    assert (
        alice.remember_many([{"text": f"The wifi code is {code}.", "at": ago(days=90), "ttl": "30d"} for code in range(3)]).degraded == told
    )
    assert alice.recall("what is the wifi code?").outcome == "all_gated"
    assert alice.recall("what is the wifi code?", as_of=ago(days=350)).outcome == "recalled"
    assert alice.remember("The wifi code is 5678.", valid_until=NOW + timedelta(days=1)).degraded == ()


def test_many_memories_have_ids_and_no_id(alice):
    many = alice.remember_many(["One.", "Two."])
    with pytest.raises(InputError, match="id: got '2 memories'; accepted: the answer for one; `ids` has those of many"):
        many.id  # noqa: B018 - it raises
    assert many.to_dict()["id"] is None
    assert alice.remember_many(["Three."]).id == alice.list(limit=1).memories[0].id


@pytest.mark.requirement("P13")
def test_as_of_draws_what_was_known_then(alice, clock):
    old = alice.remember("The manager is Ines.", at=ago(days=100)).id
    alice.remember("The manager is Omar.", at=ago(days=10), supersedes=old)
    assert texts(alice.recall("who is the manager?", floor=0.0)) == ["The manager is Omar."]
    assert texts(alice.recall("who is the manager?", floor=0.0, as_of=ago(days=50))) == ["The manager is Ines."]
    assert alice.recall("who is the manager?", as_of=ago(days=200)).outcome == "all_gated"


def test_forgetting_hides_and_restoring_undoes_it(alice):
    kept = alice.remember("The alarm code is 1234.").id
    alice.forget(kept)
    assert alice.recall("alarm code").outcome == "all_gated"
    assert alice.list().memories == ()
    alice.restore(kept)
    assert alice.recall("alarm code").outcome == "recalled"
    alice.forget(kept, erase=True)
    with pytest.raises(NotFoundError):
        alice.get(kept)


def test_an_id_that_is_named_again_and_again_is_erased_once(alice):
    named = alice.remember("The fox naps at noon.").id
    alice.forget(*[named] * 600, erase=True)
    assert alice.known(named) == frozenset()


def test_forgetting_a_belief_brings_back_what_it_had_superseded(alice):
    old = alice.remember("The standup is at nine.").id
    new = alice.remember("The standup is at ten.", supersedes=old).id
    alice.forget(new)
    assert texts(alice.recall("when is the standup", floor=0.0)) == ["The standup is at nine."]
    assert alice.get(old).weight == 1.0
    alice.restore(new)
    assert texts(alice.recall("when is the standup", floor=0.0)) == ["The standup is at ten."]


@pytest.mark.requirement("P4", "F4")
def test_recalls_are_settled_and_logged(alice, clock):
    kept = alice.remember("The wifi is called moonbase.").id
    clock.move(days=1)
    recall = alice.recall("wifi moonbase")
    assert alice.get(kept).use.last_at == clock.now
    assert alice.get(kept).use.count == 1.0
    (line,) = alice.log()
    assert (line.recall_id, line.outcome, line.chosen) == (recall.recall_id, "recalled", (kept,))
    alice.recall("wifi moonbase", settle=False)
    assert len(alice.log()) == 1


def test_settling_in_the_background_is_done_by_the_time_of_close(tmp_path):
    path = tmp_path / "m.db"
    with cued.open(path, embedder="hashing") as opened:
        kept = opened.tenant("alice").remember("The wifi is called moonbase.").id
        opened.tenant("alice").recall("wifi moonbase")
    with cued.open(path, embedder="hashing", readonly=True) as opened:
        assert opened.tenant("alice").get(kept).use.count == 1.0


@pytest.mark.requirement("S10")
def test_a_channel_can_be_left_out_to_see_what_it_adds(alice):
    alice.remember("Invoice 8842 was paid.")
    both, dense = alice.recall("invoice 8842", floor=0.0), alice.recall("invoice 8842", floor=0.0, without=["lexical"])
    assert both.trace.columns["lexical_rank"].tolist() == [1.0]
    assert dense.trace.columns["lexical_rank"].tolist() == [0.0]


@pytest.mark.requirement("S4")
def test_a_boost_lifts_an_area(alice):
    alice.remember("The cache is flushed at noon.", tags=["api"])
    alice.remember("The cache is flushed at midnight.", tags=["web"])
    lifted = alice.recall("when is the cache flushed", floor=0.0, boost=lambda m: 3.0 if "web" in m.tags else 1.0)
    assert lifted.memories[0].memory.tags == ("web",)
    assert "boost" in lifted.memories[0].contributions
    for wrong in (0.0, "a", None, float("inf")):
        with pytest.raises(InputError, match="a function that gives a positive, finite factor"):
            alice.recall("when is the cache flushed", boost=lambda _, factor=wrong: factor)
    with pytest.raises(InputError, match=r"boost: got 1\.5"):
        alice.recall("when is the cache flushed", boost=1.5)


@pytest.mark.requirement("P3")
def test_tags_filter_before_the_pool_is_cut(alice):
    for i in range(60):
        alice.remember(f"Plan step {i} of the move.", tags=["noise"])
    alice.remember("Plan step zero of the move.", tags=["move-2025"])
    assert texts(alice.recall("plan step of the move", tags=["move-2025"], policy="planning")) == ["Plan step zero of the move."]


def test_every_preset_answers(alice):
    alice.remember("The wifi is called moonbase.", importance=1.0)
    for name in names():
        assert alice.recall("what is the wifi called? moonbase", policy=name, floor=0.0).outcome == "recalled", name


def test_list_pages_through_everything_newest_first_and_filters(alice):
    for i in range(7):
        alice.remember(f"note {i}", at=ago(days=10 - i), tags=["even"] if i % 2 == 0 else ["odd"], kind="episodic" if i < 3 else "semantic")
    first = alice.list(limit=3)
    second = alice.list(limit=3, after=first.next)
    third = alice.list(limit=3, after=second.next)
    got = [m.text for page in (first, second, third) for m in page.memories]
    assert got == [f"note {i}" for i in range(6, -1, -1)]
    assert (first.total, third.next) == (7, None)
    assert [m.text for m in alice.list(tags=["odd"], kinds=["semantic"]).memories] == ["note 5", "note 3"]
    assert [m.text for m in alice.list(since=ago(days=5), until=ago(days=4)).memories] == ["note 5"]


@pytest.mark.requirement("R25")
def test_stats_count_what_is_there(alice):
    old = alice.remember("a", kind="procedural").id
    alice.remember("b", scope="p", tags=["x"], supersedes=())
    alice.remember("c", supersedes=old)
    stats = alice.stats()
    assert (stats.memories, stats.visible, stats.superseded, stats.pending_vectors) == (3, 2, 1, 0)
    assert stats.by_scope == {"global": 2, "p": 1}
    assert stats.by_tag == {"x": 1}


def test_many_are_remembered_in_chunks_with_progress(alice):
    heard = []
    done = alice.remember_many((f"note number {i}" for i in range(600)), progress=lambda *told: heard.append(told))
    assert len(set(done.ids)) == 600
    assert list(done.ids) == sorted(done.ids)
    assert heard == [(256, 0), (512, 0), (600, 0)]
    assert alice.stats().memories == 600


def test_threads_may_share_a_handle(alice):
    failures = []

    def work(i):
        try:
            for j in range(10):
                alice.remember(f"thread {i} note {j}")
                alice.recall(f"thread {i} note {j}")
        except Exception as error:  # noqa: BLE001 - whatever it is, the test must see it
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert alice.stats().memories == 40


@pytest.mark.requirement("X3", "S9")
def test_gathered_evidence_decides_under_any_policy_without_the_store(memories, alice):
    alice.remember("The kitchen tap was repaired by Novak plumbing.")
    evidence = alice.gather("who repaired the tap?")
    memories.close()
    assert cued.decide(evidence, cued.load_policy("cued")).tenant == "alice"
    assert cued.decide(evidence, cued.load_policy("rrf")).memories[0].memory.text.startswith("The kitchen tap")


def test_times_without_a_zone_are_utc(alice):
    kept = alice.get(alice.remember("x", at="2024-05-03").id)
    assert kept.created_at == datetime(2024, 5, 3, tzinfo=UTC)


@pytest.mark.requirement("F7")
def test_a_recall_writes_its_line_to_the_log_for_whoever_listens(alice, caplog):
    alice.remember("The wifi is called moonbase.")
    with caplog.at_level("INFO", logger="cued"):
        recall = alice.recall("what is the wifi called? moonbase")
    assert caplog.messages == [
        f"candidates 1 · [sem] {recall.memories[0].score:.2f} · 0 below floor · {recall.tokens} tokens · not compacted"
    ]


def test_what_sqlite_calls_memory_is_one_memory_for_all_threads_and_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with cued.open(":memory:", embedder=None) as memories, ThreadPoolExecutor(1) as another:
        memories.tenant("alice").remember("Alice likes tea.")
        found = another.submit(memories.tenant("alice").recall, "Who likes tea?").result()
        assert [each.memory.text for each in found.memories] == ["Alice likes tea."]
    assert not list(tmp_path.iterdir())
    with warnings.catch_warnings(record=True) as warned:
        cued.open(":memory:", embedder=None)
        gc.collect()
    assert not warned, "there is no file that stays open"
