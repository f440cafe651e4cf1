"""budget: limit, tokens, shares of a window, core memories, and what is already in the prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.engine import Parts, decide
from cued.engine.opinions import summarised
from cued.flow import run
from cued.flow.budget import allowed_tokens
from cued.model import Cue, Findings, Use
from cued.policy.parse import parse
from cued.policy.spec import Budget, Shares
from cued.text.token_counts import estimate_tokens
from tests.building import NOW, ago, memory
from tests.flow.blocks import FORMS, Writer, facts, found, rules, texts

LONG = "check the queue, then the workers, then the cache; " * 40


def ids(recall):
    return [r.memory.id for r in recall.memories]


def reasons(recall):
    return {o.id: o.reason for o in recall.omitted}


def test_the_limit_cuts_by_order_and_says_so():
    rows = [memory(f"m{i}") for i in range(5)]
    recall = decide(found(rows, cosine=[0.1, 0.5, 0.4, 0.3, 0.2]), rules("limit = 3"))
    assert ids(recall) == ["m1", "m2", "m3"]
    assert [(o.id, o.reason) for o in recall.omitted] == [("m4", "beyond the limit of 3"), ("m0", "beyond the limit of 3")]


@pytest.mark.requirement("R21")
def test_what_does_not_fit_is_skipped_and_the_next_that_fits_is_taken():
    rows = [memory("short", text="tea"), memory("long", text=LONG), memory("brief", text="milk")]
    recall = decide(found(rows), rules("limit = 3\ntokens = 100"))
    assert ids(recall) == ["short", "brief"]
    assert reasons(recall)["long"].startswith("limit lowered from 3 to 2: needs ")
    assert reasons(recall)["long"].endswith(" left of 100")


def test_a_place_that_a_long_memory_leaves_free_goes_to_the_next_and_the_limit_is_not_lowered():
    rows = [memory("short", text="tea"), memory("long", text=LONG), memory("brief", text="milk")]
    recall = decide(found(rows), rules("limit = 2\ntokens = 100"))
    assert ids(recall) == ["short", "brief"]
    assert reasons(recall)["long"].startswith("needs ")


@pytest.mark.requirement("R21")
def test_the_best_memory_is_shortened_and_never_the_one_dropped():
    recall = decide(found([memory("best", text=LONG), memory("next", text="tea")]), rules("tokens = 100"))
    assert recall.memories[0].memory.id == "best"
    assert (recall.compacted, "check the queue" in recall.block, "…" in recall.block) == (True, True, True)
    assert 80 < recall.tokens <= 100
    assert reasons(recall)["next"].startswith("limit lowered from 5 to 1: ")


@pytest.mark.requirement("R21")
def test_the_limit_is_lowered_first_and_only_then_the_floor_raised():
    rows = [memory(f"m{i}", text=LONG) for i in range(4)]
    roomy, tight, tiny = (decide(found(rows), rules(f"limit = 4\ntokens = {tokens}")) for tokens in (1400, 120, 20))
    assert (ids(roomy), roomy.compacted) == (["m0", "m1"], False)
    assert (ids(tight), tight.compacted) == (["m0"], True)
    assert {reason.partition(":")[0] for reason in reasons(tight).values()} == {"limit lowered from 4 to 1"}
    assert (ids(tiny), tiny.outcome, tiny.block) == ([], "omitted", "")
    assert {reason.partition(":")[0] for reason in reasons(tiny).values()} == {"floor raised above all"}


def test_when_nothing_fits_the_outcome_says_omitted_and_what_would_do():
    recall = decide(found([memory("a")]), rules("tokens = 40"))
    assert (recall.outcome, recall.block, recall.compacted) == ("omitted", "", False)
    assert reasons(recall)["a"].startswith("floor raised above all: the best memory shortened needs ")


def test_what_the_prompt_already_holds_is_not_repeated():
    cue = Cue(utterance="x", now=NOW, present=("a", "pinned"))
    pinned = memory("pinned", tier="core")
    recall = decide(found([memory("a"), memory("b"), pinned], cue=cue, core=[pinned]), rules())
    assert ids(recall) == ["b"]
    assert recall.core == ()
    assert [(o.id, o.reason) for o in recall.omitted] == [("pinned", "already in the prompt"), ("a", "already in the prompt")]


@pytest.mark.requirement("P22")
def test_the_limit_bounds_the_answer_however_many_candidates_there_are():
    rows = [memory(f"m{i:03}") for i in range(300)]
    assert len(decide(found(rows), rules("limit = 3")).memories) == 3


@pytest.mark.requirement("R21")
@pytest.mark.parametrize(
    ("budget", "most"),
    [
        (Budget(), None),
        (Budget(tokens=300), 300),
        (Budget(window=8000), 2000),
        (Budget(window=8000, shares=Shares(memories=0.15)), 1200),
        (Budget(window=8000, tokens=300), 300),
        (Budget(window=800, tokens=300), 200),
    ],
)
def test_the_block_may_have_the_lesser_of_its_tokens_and_its_share_of_the_window(budget, most):
    assert allowed_tokens(budget) == most


@pytest.mark.requirement("R21")
def test_a_quarter_of_the_window_is_the_ceiling():
    with pytest.raises(ValueError, match="memories"):
        parse("[budget]\nshares = { memories = 0.3 }\n", name="greedy")
    recall = decide(found([memory(f"m{i}", text="tea " * 50) for i in range(20)]), rules("limit = 20\nwindow = 2000"))
    assert 400 < recall.tokens <= 500


PINNED = [
    memory("less", text="Speaks German.", tier="core", importance=0.4),
    memory("most", text="Is allergic to nuts.", tier="core", importance=0.9),
    memory("long", text=LONG, tier="core", importance=0.8),
]


@pytest.mark.requirement("P10", "M9")
def test_core_memories_stand_first_in_a_part_of_their_own_by_importance():
    recall = decide(found([memory("a", text="Tea at five.")], core=PINNED), rules())
    lines = recall.block.splitlines()
    assert [m.id for m in recall.core] == ["most", "less"]
    assert [line.rpartition("] ")[2] for line in lines[1:-1]] == [
        "Core memories, shown every time:",
        "Is allergic to nuts.",
        "Speaks German.",
        "Recalled:",
        "Tea at five.",
    ]
    assert reasons(recall)["long"].startswith("core: needs ")
    assert ids(recall) == ["a"]


@pytest.mark.requirement("P10")
def test_feedback_and_age_order_core_memories_too():
    pinned = [
        memory("new", tier="core", importance=0.5),
        memory("old", tier="core", importance=0.5, created=ago(days=9)),
        memory("cited", tier="core", importance=0.4, use=Use(boost=1.5)),
    ]
    assert [m.id for m in decide(found([], core=pinned), rules()).core] == ["cited", "old", "new"]


@pytest.mark.requirement("P10")
def test_core_memories_are_shown_when_nothing_matches_and_the_outcome_tells_of_the_recall():
    nothing = found([], core=PINNED[:2])
    nothing = replace(nothing, findings=replace(nothing.findings, visible=2))
    recall = decide(nothing, rules())
    assert (recall.outcome, recall.memories, len(recall.core)) == ("nothing_matched", (), 2)
    assert recall.block.splitlines()[1] == "Core memories, shown every time:"
    assert "Recalled for this cue" not in recall.block
    assert decide(replace(nothing, findings=Findings()), rules()).block == ""


@pytest.mark.requirement("P10")
def test_core_memories_are_shown_when_all_is_below_the_floor():
    floored = replace(rules(), floor=parse('[floor]\non = "score"\nat = 2.0\n[score]\nterms = []', name="t").floor)
    recall = decide(found([memory("a"), PINNED[0]], core=PINNED[:1]), floored)
    assert (recall.outcome, [m.id for m in recall.core]) == ("below_floor", ["less"])
    assert [r.memory.id for r in recall.near_misses] == ["a"]


@pytest.mark.requirement("P10")
def test_a_core_memory_that_is_shown_is_never_recalled_as_well():
    recall = decide(found([PINNED[1], memory("a")], core=PINNED[:2]), rules())
    assert ids(recall) == ["a"]
    assert reasons(recall)["most"] == "core: shown in every block"
    assert recall.block.count("allergic") == 1


@pytest.mark.requirement("P10")
def test_a_core_memory_that_did_not_fit_may_be_recalled_and_is_not_omitted_then():
    recall = decide(found([PINNED[2]], core=PINNED), rules())
    assert [m.id for m in recall.core] == ["most", "less"]
    assert ids(recall) == ["long"]
    assert recall.omitted == ()


@pytest.mark.requirement("P10")
@pytest.mark.parametrize("form", FORMS)
def test_core_memories_keep_to_their_own_budget_and_to_that_of_the_block(form):
    pinned = [memory(f"c{i}", text="tea " * 10, tier="core") for i in range(30)]
    alone = estimate_tokens(decide(found([memory("a")]), rules(form=form)).block)
    recall = decide(found([memory("a")], core=pinned), rules("core = 200", form=form))
    assert 0 < len(recall.core) < 30
    assert len(recall.core) + len(recall.omitted) == 30
    # the heading of the recalled part is the only thing between the two parts and the block without core memories
    assert recall.tokens <= alone + 200 + 10
    assert decide(found([memory("a")], core=pinned), rules("core = 200\ntokens = 100", form=form)).tokens <= 100


memories = facts(texts)


def distinct(rows):
    return list({row.id: row for row in rows}.values())


@pytest.mark.requirement("R21", "F6", "P10")
@given(
    st.lists(memories, max_size=6).map(distinct),
    st.lists(memories, max_size=3).map(distinct),
    st.integers(1, 400),
    st.builds(rules, st.sampled_from(['overflow = "omit"\nlimit = 4', 'overflow = "compact"\nlimit = 4']), form=st.sampled_from(FORMS)),
    st.none() | texts,
)
def test_the_budget_is_never_exceeded_whatever_is_in_it(rows, core, tokens, policy, summary):
    policy = replace(policy, budget=replace(policy.budget, tokens=tokens), render=replace(policy.render, neighbours=1))
    evidence = found(rows, core=core, terms={"deploy": 1.0, "queue": 2.0})
    written = None if summary is None else Writer(summary)
    recall = decide(summarised(run(evidence, policy), Parts(store=None, summariser=written)) or evidence, policy)
    assert recall.tokens == estimate_tokens(recall.block) <= tokens
    assert not {r.memory.id for r in recall.memories} & {m.id for m in recall.core}
    known = {o.id for o in recall.omitted} | {r.memory.id for r in recall.memories} | {m.id for m in recall.core}
    assert known == {m.id for m in (*rows, *core)}
    assert len(recall.omitted) == len({o.id for o in recall.omitted})
    shown = [row.id for row in rows if row.id not in {m.id for m in recall.core}]
    if recall.memories:
        assert recall.memories[0].memory.id == shown[0]
