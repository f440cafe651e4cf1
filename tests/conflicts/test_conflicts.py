"""Which stored memories a new one is at odds with, in both stores, and what can be done about each."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import cued
from cued.conflicts.finding import choices, find_conflicts, stretched
from cued.model import Record, Source
from cued.policy.calibration import calibration_for
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.text.analyse import analyse
from cued.text.claims import relate
from tests.building import NOW, ago, memory
from tests.conflicts.scoring import AT_ODDS, HALVES, load

pytestmark = pytest.mark.requirement("M8")
MODEL = "fake/list@1/2"
PEOPLE = Path(__file__).parents[2] / "training" / "pairs" / "people.tsv"
EVERYDAY = Path(__file__).parents[1] / "evaluation" / "everyday" / "memories.jsonl"
EAST, NORTH = np.array([1, 0], np.float32), np.array([0, 1], np.float32)


class SpokenJudge:
    """A judge that gives what it is told to give."""

    def __init__(self, *types):
        self.types, self.asked = types, []

    def judge(self, new, old):
        self.asked += old
        return self.types


class FailingJudge:
    """A judge that is down."""

    def judge(self, new, old):
        raise ConnectionError("nobody is there")


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    made = Store(MemoryKeeper()) if request.param == "memory" else Store(SqliteKeeper(tmp_path / "memories.db"))
    yield made
    made.close()


def keep(store, name, text, *, vector=EAST, tenant="t", **facts):
    kept = memory(name, text=text, fingerprint=None if vector is None else MODEL, created=facts.pop("created", ago(days=1)), **facts)
    store.remember(tenant, [Record(memory=kept if tenant == "t" else _of(kept, tenant), terms=analyse(text), vector=vector)])


def _of(kept, tenant):
    return type(kept)(**{name: getattr(kept, name) for name in kept.__struct_fields__} | {"tenant": tenant})


def conflicts(store, text, **asked):
    return looked_for(store, text, **asked)[0]


def looked_for(store, text, *, vector=EAST, judge=None, limit=5, **facts):
    new = memory("new", text=text, fingerprint=None if vector is None else MODEL, **facts)
    return find_conflicts(new, vector, store, terms=analyse(text), at=NOW, judge=judge, limit=limit)


def types(found):
    return [(conflict.id, conflict.type) for conflict in found]


def test_loving_and_hating_dark_mode_is_a_negation(store):
    keep(store, "old", "I love dark mode")
    (conflict,) = conflicts(store, "I hate dark mode")
    assert (conflict.id, conflict.type, conflict.similarity, conflict.text) == ("old", "negation", 1.0, "I love dark mode")
    assert [choice.action for choice in conflict.choices] == ["keep both", "update old", "supersede", "delete old"]


def test_without_vectors_similarity_is_the_share_of_words(store):
    keep(store, "old", "I love dark mode", vector=None)
    (conflict,) = conflicts(store, "I hate dark mode", vector=None)
    assert conflict.type == "negation"
    assert 0 < conflict.similarity < 1


def test_a_memory_that_is_only_related_needs_a_similarity_over_three_quarters(store):
    keep(store, "near", "The wedding is on 6 September", vector=np.array([0.8, 0.6], np.float32))
    keep(store, "far", "The wedding has a band", vector=np.array([0.6, 0.8], np.float32))
    assert types(conflicts(store, "The wedding is at a farm")) == [("near", "related")]


def test_the_gravest_come_first_and_then_the_most_similar(store):
    keep(store, "a", "I love dark mode", vector=np.array([0.8, 0.6], np.float32))
    keep(store, "b", "I hate dark mode")
    keep(store, "c", "I really love dark mode")
    assert types(conflicts(store, "I hate dark mode")) == [("c", "negation"), ("a", "negation"), ("b", "duplicate")]
    assert types(conflicts(store, "I hate dark mode", limit=1)) == [("c", "negation")]


@pytest.mark.requirement("M4")
def test_a_project_conflicts_with_itself_and_with_global_alone(store):
    keep(store, "global", "We use tabs")
    keep(store, "mine", "We use tabs", scope="mine")
    keep(store, "other", "We use tabs", scope="other")
    assert types(conflicts(store, "We don't use tabs", scope="mine")) == [("global", "negation"), ("mine", "negation")]
    assert types(conflicts(store, "We don't use tabs")) == [("global", "negation")]


def test_another_tenant_is_never_looked_at(store):
    keep(store, "old", "I love dark mode", tenant="someone else")
    assert conflicts(store, "I hate dark mode") == ()


@pytest.mark.requirement("M6")
def test_what_is_superseded_forgotten_or_expired_is_no_conflict(store):
    keep(store, "superseded", "I live in Berlin", created=ago(days=9))
    keep(store, "present", "I live in Rome", supersedes=("superseded",))
    keep(store, "forgotten", "I live in Oslo")
    keep(store, "expired", "I live in Bern", expires_at=ago(hours=1))
    store.forget("t", ["forgotten"], at=ago(hours=2))
    assert types(conflicts(store, "I moved to Paris")) == [("present", "update")]


def test_neither_the_memory_itself_nor_what_it_supersedes_is_a_conflict(store):
    keep(store, "old", "I live in Berlin")
    keep(store, "new", "I moved to Paris")
    assert conflicts(store, "I moved to Paris", supersedes=("old",)) == ()


def test_two_speakers_who_speak_of_themselves_do_not_contradict_each_other(store):
    keep(store, "old", "I love dark mode", source=Source(speaker="Anna"))
    assert conflicts(store, "I hate dark mode", source=Source(speaker="Ben")) == ()
    assert types(conflicts(store, "I hate dark mode", source=Source(speaker="Anna"))) == [("old", "negation")]


def test_vectors_of_another_model_are_not_compared(store):
    keep(store, "old", "I love dark mode")
    new = memory("new", text="I hate dark mode", fingerprint="fake/other@1/2")
    ((conflict,), _) = find_conflicts(new, EAST, store, terms=analyse(new.text), at=NOW)
    assert conflict.similarity < 1


def test_a_text_without_words_or_vector_finds_nothing(store):
    keep(store, "old", "I love dark mode")
    assert conflicts(store, "…", vector=None) == ()


def test_a_judge_decides_what_is_near_enough(store):
    keep(store, "near", "The wedding is on 6 September")
    keep(store, "far", "The wedding has a band", vector=NORTH)
    judge = SpokenJudge("update")
    assert types(conflicts(store, "The wedding is at a farm", judge=judge)) == [("near", "update")]
    assert judge.asked == ["The wedding is on 6 September"]


def test_a_judge_can_overrule_the_rules(store):
    keep(store, "old", "I love dark mode")
    assert conflicts(store, "I hate dark mode", judge=SpokenJudge(None)) == ()


@pytest.mark.parametrize("judge", [FailingJudge(), SpokenJudge(), SpokenJudge("perhaps"), SpokenJudge(["update"]), SpokenJudge(1)])
def test_a_judge_that_fails_or_talks_nonsense_leaves_it_to_the_rules_and_a_note(store, judge):
    keep(store, "old", "I love dark mode")
    found, note = looked_for(store, "I hate dark mode", judge=judge)
    assert types(found) == [("old", "negation")]
    assert note.startswith("judge: ")


def test_every_choice_comes_with_its_exact_calls():
    found = choices(memory("NEW", text='I "hate" dark mode; $HOME'), memory("OLD", text="I love dark mode"))
    keep_both, update_old, supersede, delete_old = found
    assert (keep_both.python, keep_both.cli) == ((), ())
    assert update_old.python == ('tenant.update("OLD", text="I \\"hate\\" dark mode; $HOME")', 'tenant.forget("NEW")')
    assert shlex.split(update_old.cli[0]) == ["cued", "update", '--text=I "hate" dark mode; $HOME', "OLD"]
    assert update_old.cli[1] == "cued forget NEW"
    assert (supersede.python, supersede.cli) == (('tenant.update("NEW", supersedes=["OLD"])',), ("cued update --supersedes=OLD NEW",))
    assert (delete_old.python, delete_old.cli) == (('tenant.forget("OLD")',), ("cued forget OLD",))


def test_an_id_that_looks_like_an_option_is_no_option():
    delete_old = choices(memory("new"), memory("--all"))[3]
    assert delete_old.cli == ("cued forget -- --all",)


@pytest.mark.parametrize(("model", "found"), [("fake/list@1/2", ["update"]), ("cued/recall-minilm-l6@1/2", [])])
def test_a_low_cosine_speaks_against_a_conflict_only_where_it_is_known_what_it_means(store, model, found):
    old = memory("old", text="I live in Berlin.", fingerprint=model, created=ago(days=1))
    store.remember("t", [Record(memory=old, terms=analyse(old.text), vector=EAST)])
    new = memory("new", text="I moved to Lisbon.", fingerprint=model)
    conflicts, _ = find_conflicts(new, NORTH, store, terms=analyse(new.text), at=NOW)
    assert [conflict.type for conflict in conflicts] == found


@pytest.mark.parametrize("model", ["minilm/all-MiniLM-L6-v2@1/2", "fake/list@1/2"])
def test_a_cosine_is_taken_as_it_is_where_unrelated_texts_are_far_apart(model):
    assert stretched(0.8, model) == pytest.approx(0.8)


def test_a_cosine_counts_less_where_an_embedder_has_all_texts_near_to_each_other():
    model = "cued/recall-minilm-l6@1/2"
    assert stretched(1.0, model) == 1.0
    assert stretched(calibration_for("auto", model).background_mean, model) == pytest.approx(0.15)


def at_odds(texts):
    """How many of the texts, remembered in turn, are taken for an update or a denial of an earlier one."""
    with cued.open(None, embedder="cued", settle="off") as memories:
        tenant = memories.tenant("t")
        return sum(any(conflict.type in AT_ODDS for conflict in tenant.remember(text).conflicts) for text in texts)


def test_facts_of_one_life_are_not_taken_for_conflicts_because_they_are_about_one_life():
    pytest.importorskip("cued_minilm", reason="the model wheel is not installed: pip install packages/cued-minilm")
    facts = [json.loads(line)["text"] for line in EVERYDAY.read_text("utf-8").splitlines()]
    assert len(facts) > 100
    assert at_odds(facts) <= len(facts) // 20


def test_notes_that_tell_several_things_are_not_taken_for_conflicts_because_one_of_them_meets():
    pytest.importorskip("cued_minilm", reason="the model wheel is not installed: pip install packages/cued-minilm")
    notes = list(dict.fromkeys(line.split("\t")[0] for line in PEOPLE.read_text("utf-8").splitlines()[1:]))[:300]
    assert len(notes) == 300
    assert at_odds(notes) <= len(notes) // 50


def test_long_texts_are_compared_by_the_words_that_both_have_where_no_vectors_are():
    old = "My daughter turned eighteen in April and moved to Malmö without a forwarding address."
    new = "My stammer vanishes in Spanish, and in a flat in Utrecht where nobody knows me."
    update = "My daughter moved from Malmö to Oslo in May, again without a forwarding address."
    assert relate(new, old, similarity=None) is None
    assert relate(update, old, similarity=None).type == "update"


def test_where_no_cosine_tells_texts_of_many_words_with_none_in_common_are_not_at_odds(store):
    keep(store, "old", "I hate open-plan. I took a pay cut to have a door.")
    new = "I've decided to be paid for every hour or do it for nothing, no favours at half price."
    assert relate(new, "I hate open-plan. I took a pay cut to have a door.", similarity=None).type == "negation"
    assert conflicts(store, new) == ()


def test_a_judge_is_asked_about_texts_in_other_words(store):
    keep(store, "old", "My daughter turned eighteen in April and moved to Malmö without a forwarding address.")
    judge = SpokenJudge("update")
    found = conflicts(store, "Elin packed everything she owned and started university in Oslo this autumn.", judge=judge)
    assert types(found) == [("old", "update")]
    assert len(judge.asked) == 1


def test_no_labelled_pair_at_odds_is_passed_over_for_having_few_words_in_common():
    labelled = [pair for half in HALVES for pair in load(half) if pair.type in {*AT_ODDS, "duplicate"}]
    long = [pair for pair in labelled if min(len(analyse(pair.a)), len(analyse(pair.b))) >= 6]
    apart = np.eye(len(long), dtype=np.float32)
    store = Store(MemoryKeeper())
    for number, pair in enumerate(long):
        keep(store, f"{number:03}", pair.a, vector=apart[number])
    assert len(long) > 40
    for number, pair in enumerate(long):
        by_rules = relate(pair.b, pair.a, similarity=None)
        found = dict(types(conflicts(store, pair.b, vector=apart[number])))
        if by_rules is not None and by_rules.type != "related":
            assert found.get(f"{number:03}") == by_rules.type, pair
