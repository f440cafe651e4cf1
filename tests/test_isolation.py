"""Tenants never meet: whatever others hold, a tenant's every reading is as if it were alone in the store."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cued
from tests.building import ago
from tests.fakes import FixedClock
from tests.stores.kinds import KINDS, place

TWINS = ("1", "10", "a", "A", "%", "_", "é", "e\u0301", "x", "x\n", "x ", "tenant", "tenant%", "*", "'; --", "🙂", "global")
WORDS = ("garden", "boiler", "Petra", "invoice", "Lisbon", "ERR_42", "北京", "tap", "green", "Friday")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
drafts = st.fixed_dictionaries(
    {
        "text": texts,
        "scope": st.sampled_from(["global", "p"]),
        "tags": st.lists(st.sampled_from(["t1", "t2", "%"]), max_size=2, unique=True),
        "session": st.sampled_from([None, "s"]),
        "at": st.integers(0, 40).map(lambda days: ago(days=days)),
    },
)


def readings(tenant, ids, cue):
    """Everything that a tenant can read, as plain data."""
    recall = tenant.recall(cue, scope="p", floor=0.0, limit=50, settle=False)
    shown = recall.trace
    position = {memory_id: n for n, memory_id in enumerate(ids)}
    order = sorted(range(len(shown.ids)), key=lambda row: position[shown.ids[row]])
    return {
        "recalled": [(position[r.memory.id], r.score, r.relevance) for r in recall.memories],
        "columns": {name: column[order].tobytes() for name, column in {**shown.columns, **shown.contributions}.items()},
        "fates": [shown.fates[row].replace(shown.ids[row], "") for row in order],
        "outcome": recall.outcome,
        "suppressed": recall.suppressed,
        "block": recall.block,
        "stats": msgspec.to_builtins(tenant.stats()),
        "list": [m.text for m in tenant.list(limit=500, hidden=True).memories],
        "tagged": [m.text for m in tenant.list(limit=500, tags=["%"]).memories],
        "got": [tenant.get(memory_id).text for memory_id in ids],
        "log": len(tenant.log()),
    }


@pytest.mark.requirement("P19")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(
    st.sampled_from(TWINS),
    st.lists(drafts, min_size=1, max_size=8),
    st.lists(st.tuples(st.sampled_from(TWINS), drafts), min_size=1, max_size=12),
    texts,
)
def test_not_a_row_count_tag_idf_or_score_of_another_tenant(tmp_path_factory, kind, name, mine, others, cue):  # noqa: PLR0913, PLR0917 - hypothesis draws each
    with (
        place("memory", None) as own,
        place(kind, tmp_path_factory.mktemp("isolation")) as shared,
        cued.open(own, embedder="hashing", clock=FixedClock(), settle="off") as alone,
        cued.open(shared, embedder="hashing", clock=FixedClock(), settle="off") as crowded,
    ):
        for stranger, draft in others:
            if stranger != name:
                crowded.tenant(stranger).remember(draft)
        # ids break ties, so both stores are given the same
        named = [{**draft, "id": f"m{n}"} for n, draft in enumerate(mine)]
        here, there = ([tenant.remember(draft).id for draft in named] for tenant in (alone.tenant(name), crowded.tenant(name)))
        assert readings(alone.tenant(name), here, cue) == readings(crowded.tenant(name), there, cue)


@pytest.mark.requirement("P19")
@pytest.mark.parametrize("kind", KINDS)
def test_an_id_of_another_tenant_is_unknown_to_every_verb(tmp_path, kind):
    with place(kind, tmp_path) as found, cued.open(found, embedder="hashing", settle="off") as opened:
        theirs = opened.tenant("10").remember("The boiler code is 4711.").id
        me = opened.tenant("1")
        me.remember("Mine.")
        attempts = [
            lambda: me.get(theirs),
            lambda: me.update(theirs, text="taken over"),
            lambda: me.forget(theirs),
            lambda: me.forget(theirs, erase=True),
            lambda: me.restore(theirs),
            lambda: me.remember("mine now", supersedes=theirs),
            lambda: me.explain("boiler", memory=theirs),
        ]
        for attempt in attempts:
            with pytest.raises(cued.NotFoundError):
                attempt()
        assert opened.tenant("10").get(theirs).text == "The boiler code is 4711."
        assert me.stats().memories == 1


@pytest.mark.requirement("P19")
@pytest.mark.parametrize("name", ["", " ", None, 7, "a\0b", "\ud800", "x" * 201])
def test_there_is_no_default_tenant_and_no_unsafe_name(name):
    with cued.open(None, embedder=None) as opened, pytest.raises(cued.InputError, match="tenant"):
        opened.tenant(name)
