import os

import pytest
from msgspec.structs import replace

from cued.engine import Parts, Question, decide, gather
from cued.errors import EmbedderError, InputError
from cued.evaluation import ablate
from cued.evaluation.abstain import asked_at_home
from cued.evaluation.cache import checked_folder, prune
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.dataset import answerable
from cued.evaluation.evidence_cache import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.ranking import Variant, rank, relevance_columns, unfloored
from cued.evaluation.runner import Bench, run
from cued.handles.memories import open_memories
from cued.model import Cue
from cued.policy.parse import parse
from cued.policy.presets import load_policy
from cued.policy.spec import Diversify
from tests.evaluation.made import lines, write
from tests.fakes import FailingEmbedder, ListEmbedder


@pytest.fixture
def dataset(tmp_path):
    return read(write(tmp_path))


def _variant(policy="cued", limit=10, **more):
    chosen = load_policy(policy)
    return Variant(name=chosen.name, policy=unfloored(chosen, limit=limit), **more)


def _run(dataset, variants, embedder, folder=None):
    cached = None if embedder is None else CachedEmbedder(embedder, folder)
    return run(dataset, asked_at_home(answerable(dataset)), variants, Bench(embedder=cached, evidence=EvidenceCache(folder)))


def _told(done):
    """Give everything of the answers but the time they took."""
    return {name: [replace(answer, ms=None) for answer in answers] for name, answers in done.answers.items()}


@pytest.mark.parametrize(("field", "value"), [("text", "a\0b"), ("session", "s" * 10_000), ("speaker", "\0")])
def test_a_memory_that_cannot_be_stored_is_named_with_its_data_set_and_what_is_wrong(tmp_path, field, value):
    memories, queries = lines()
    memories[4][field] = value
    dataset = read(write(tmp_path, memories, queries))
    with pytest.raises(InputError, match=rf"data set {dataset.name}, tenant 'ada', memory 'm4', {field}: got '.*; accepted: .* characters"):
        _run(dataset, [_variant()], None)


@pytest.mark.requirement("P21")
@pytest.mark.parametrize("policy", ["cued", "rrf", "generative-agents", "recall"])
def test_the_answers_are_those_of_a_recall_in_use(dataset, policy):
    embedder = ListEmbedder(dimensions=64)
    done = _run(dataset, [_variant(policy, limit=3)], embedder)
    for ask, answer in zip(done.asks, done.answers[policy], strict=True):
        items = dataset.memories[ask.tenant]
        with open_memories(None, embedder=embedder, settle="off") as memories:
            tenant = memories.tenant(ask.tenant)
            tenant.remember_many({"text": i.text, "session": i.session, "turn": i.turn, "speaker": i.speaker, "at": i.at} for i in items)
            chosen = load_policy(policy)
            wish = replace(chosen, floor=replace(chosen.floor, at=None))
            found = tenant.recall(ask.query.text, policy=wish, now=ask.at, limit=3, settle=False)
        assert [recalled.memory.text for recalled in found.memories] == [i.text for each in answer.ids for i in items if i.id == each]
        assert [recalled.relevance for recalled in found.memories] == list(answer.relevances)


def test_the_whole_ranking_starts_with_what_decide_recalls(dataset):
    variant = _variant("cued", limit=2)
    with open_memories(None, embedder=None) as memories:
        memories.tenant("t").remember_many(item.text for item in dataset.memories["ada"])
        cue = Cue(utterance="Which teacher gave Bertram's bow in Lisbon?", now=dataset.queries[0].asked_at)
        evidence = gather(Question(tenant="t", cue=cue, recall_id="r"), variant.policy, Parts(store=memories.parts.store))
    ranking = rank(evidence, variant, timed=True)
    assert ranking.ids[:2] == tuple(recalled.memory.id for recalled in decide(evidence, variant.policy).memories)
    assert len(ranking.ids) > 2
    assert ranking.decide_ms > 0
    assert replace(rank(evidence, variant), decide_ms=ranking.decide_ms) == ranking


def test_ids_of_the_data_set_are_never_a_feature(tmp_path):
    plain, renamed = tmp_path / "plain", tmp_path / "renamed"
    plain.mkdir()
    renamed.mkdir()
    memories, queries = lines()
    before = _run(read(write(plain, memories, queries)), [_variant()], None)
    for row in memories:
        row["id"], row["session"] = f"answer-{99 - int(row['id'][1:])}", f"zz{row['session']}"
    for row in queries:
        row["gold_ids"] = [f"answer-{99 - int(each[1:])}" for each in row["gold_ids"]]
        row["gold_sessions"] = [f"zz{each}" for each in row["gold_sessions"]]
    after = _run(read(write(renamed, memories, queries)), [_variant()], None)
    for old, new in zip(before.answers["cued"], after.answers["cued"], strict=True):
        assert [f"answer-{99 - int(each[1:])}" for each in old.ids] == list(new.ids)
        assert [f"zz{each}" for each in old.sessions] == list(new.sessions)


def test_a_second_run_neither_embeds_nor_reads_again_and_answers_alike(dataset, tmp_path):
    folder = checked_folder(tmp_path / "cache")
    first, second, none = ListEmbedder(), ListEmbedder(), ListEmbedder()
    done = _run(dataset, [_variant()], first, folder)
    assert len(first.asked) == 10 + 5
    assert _told(_run(dataset, [_variant()], second, folder)) == _told(done)
    assert second.asked == []
    assert _told(_run(dataset, [_variant()], none)) == _told(done)
    assert len(none.asked) == 15


def test_policies_with_the_same_channels_share_one_reading(dataset, tmp_path):
    folder = checked_folder(tmp_path / "cache")
    other = replace(load_policy("cued"), name="other", score=replace(load_policy("cued").score, decay=False))
    _run(dataset, [_variant(), _variant(other)], ListEmbedder(), folder)
    assert len(list(folder.glob("evidence-*.npz"))) == len(dataset.memories)


def test_evidence_kept_with_vectors_serves_policies_that_diversify(dataset, tmp_path):
    folder = checked_folder(tmp_path / "cache")
    varied = replace(load_policy("cued"), name="varied", diversify=Diversify(trade=0.3))
    fresh = _run(dataset, [_variant(varied)], ListEmbedder(), folder)
    assert _told(_run(dataset, [_variant(varied)], ListEmbedder(), folder)) == _told(fresh)
    assert _told(_run(dataset, [_variant()], ListEmbedder(), folder)) == _told(_run(dataset, [_variant()], ListEmbedder()))


def test_a_damaged_cache_is_read_again(dataset, tmp_path):
    folder = checked_folder(tmp_path / "cache")
    done = _run(dataset, [_variant()], ListEmbedder(), folder)
    for file in folder.glob("evidence-*.npz"):
        file.write_bytes(file.read_bytes()[:100])
    assert _told(_run(dataset, [_variant()], ListEmbedder(), folder)) == _told(done)


def test_the_cache_keeps_within_its_bounds(tmp_path):
    for name, size in (("old", 600), ("new", 600)):
        (tmp_path / name).write_bytes(b"x" * size)
    os.utime(tmp_path / "old", (1, 1))
    prune(tmp_path, most_bytes=1000)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_vectors_that_are_only_read_count_as_used(tmp_path):
    CachedEmbedder(ListEmbedder(), tmp_path).close()
    file = next(tmp_path.glob("vectors-*.db"))
    os.utime(file, (1, 1))
    CachedEmbedder(ListEmbedder(), tmp_path).close()
    assert file.stat().st_mtime > 1


def test_an_embedder_that_fails_stops_the_run_instead_of_bending_its_figures(dataset):
    broken = FailingEmbedder()
    broken.down = True
    with pytest.raises(EmbedderError, match="the embedder is down"):
        _run(dataset, [_variant()], broken)


def test_progress_ends_at_its_total(dataset):
    heard = []
    bench = Bench(embedder=None, evidence=EvidenceCache(None), progress=lambda done, total: heard.append((done, total)))
    run(dataset, asked_at_home(answerable(dataset)), [_variant(), _variant("lexical")], bench)
    assert heard == sorted(heard)
    assert heard[-1] == (10 + 5 * (2 + 2),) * 2


@pytest.mark.requirement("S10")
def test_each_channel_term_and_relevance_column_is_left_out_in_turn():
    policy = unfloored(
        parse(
            """
            [channels]
            lexical = {}
            dense = {}
            context = 1
            [fuse]
            how = "sum"
            neighbours = 0.3
            [score]
            terms = [{ signal = "log_odds" }, { name = "old", product = [{ signal = "importance" }, { signal = "confidence" }] }]
            """,
            name="p",
        ),
        limit=10,
    )
    made = ablate.variants(policy, fingerprint=None)
    parts = [ablate.part_of(variant.name, policy) for variant in made]
    assert parts[:6] == ["channel lexical", "channel dense", "candidates' neighbours", "neighbours' support", "term log_odds", "term old"]
    assert parts[6:] == [f"relevance column {name}" for name in relevance_columns(policy, None)]
    assert made[0].policy.channels.lexical is None
    assert [term.name for term in made[4].policy.score.terms] == ["old"]


def test_without_its_column_the_relevance_is_the_one_of_the_other_columns(dataset):
    whole = _variant()
    without = [replace(whole, name=f"less {column}", without=column) for column in ("matched", "window")]
    done = _run(dataset, [whole, *without], None)
    best = {name: [answer.best for answer in answers] for name, answers in done.answers.items()}
    assert all(less <= full for less, full in zip(best["less matched"], best["cued"], strict=True))
    assert best["less matched"] != best["cued"]
    assert best["less window"] == best["cued"]
