"""The JSON contract: every verb over a tenant, plain data in and out."""

import json

import pytest

from cued.errors import InputError, NotFoundError
from cued.handles.memories import open_memories
from cued.model.plain import plain
from cued.policy.presets import load_policy, text_of
from cued.requests.cue import DecideRequest
from cued.surfaces import service
from cued.surfaces.verbs import call

PEANUTS = "Mira is allergic to peanuts."


def strict(answer):
    """Give the answer through a JSON writer that knows no NaN."""
    return json.loads(json.dumps(answer, allow_nan=False))


def test_remember_gives_the_id_alone_and_in_a_list(tenant):
    answer = call("remember", tenant, {"text": PEANUTS, "tags": ["food"]})
    assert answer == {"id": answer["ids"][0], "ids": answer["ids"], "conflicts": [], "superseded": [], "degraded": []}


@pytest.mark.requirement("R25")
def test_recall_gives_the_fields_of_the_contract(tenant):
    call("remember", tenant, {"text": PEANUTS, "speaker": "Jonas", "at": "2025-09-09"})
    answer = strict(call("recall", tenant, {"text": "peanuts allergic"}))
    assert list(answer) == [
        *("recall_id", "policy", "outcome", "memories", "core", "block", "compacted", "drift"),
        *("near_misses", "omitted", "suppressed", "degraded", "tokens", "timings_ms"),
    ]
    (memory,) = answer["memories"]
    assert memory["text"] == PEANUTS
    assert (memory["rank"], memory["speaker"], memory["created_at"]) == (1, "Jonas", "2025-09-09T00:00:00Z")
    assert sum(memory["contributions"].values()) == pytest.approx(memory["score"])
    assert PEANUTS in answer["block"]


@pytest.mark.requirement("R9")
def test_an_empty_recall_says_the_best_near_miss_and_its_fate(tenant):
    call("remember", tenant, {"text": PEANUTS})
    answer = call("recall", tenant, {"text": "who reviews the ledger peanuts", "floor": 1.0})
    assert (answer["outcome"], answer["memories"], answer["block"]) == ("below_floor", [], "")
    assert answer["near_misses"][0]["text"] == PEANUTS
    assert answer["near_misses"][0]["rank"] is None
    assert answer["near_misses"][0]["fate"].endswith("floor 1.00")


@pytest.mark.requirement("S9")
def test_explain_gives_every_candidate_with_ranks_signals_contributions_and_fate(tenant):
    for text in (PEANUTS, "Peanuts are sold by the kilo.", "The audit is in March."):
        call("remember", tenant, {"text": text})
    answer = strict(call("explain", tenant, {"text": "peanuts allergic"}))
    assert answer["candidates"][0]["rank"] == 1
    assert answer["candidates"][0]["ranks"]["lexical"] == 1
    for candidate in answer["candidates"]:
        assert candidate["fate"]
        assert candidate["stage"]
        assert sum(candidate["contributions"].values()) == pytest.approx(candidate["signals"]["score"])
    assert answer["verdict"] is None
    assert answer["read"]["visible"] == 3


@pytest.mark.requirement("S9")
def test_explain_says_which_gate_struck_a_memory_and_what_would_change_it(tenant):
    old = call("remember", tenant, {"text": "The ledger runs on MySQL.", "at": "2025-06-03"})["id"]
    new = call("remember", tenant, {"text": "The ledger runs on PostgreSQL.", "at": "2025-10-30", "supersedes": old})["id"]
    answer = call("explain", tenant, {"text": "what does the ledger run on", "memory": old})
    assert answer["verdict"]["fate"] == "struck by the supersession gate"
    assert new in answer["verdict"]["change"]


@pytest.mark.requirement("S10")
def test_a_shut_channel_is_put_beside_the_recall_with_all_channels(tenant):
    found = call("remember", tenant, {"text": PEANUTS})["id"]
    whole = call("explain", tenant, {"text": "peanuts allergic", "floor": 0.0})
    bent = call("explain", tenant, {"text": "peanuts allergic", "floor": 0.0, "without": ["lexical"]})
    assert whole["ablation"] is None
    assert bent["ablation"] == {
        "without": ["lexical"],
        "memories": [{"id": found, "text": PEANUTS, "rank_with": 1, "rank_without": 1}],
    }
    assert "lexical" in whole["candidates"][0]["ranks"]
    assert "lexical" not in bent["candidates"][0]["ranks"]


@pytest.mark.requirement("X3", "R1")
def test_saved_evidence_is_decided_again_as_it_was_and_under_other_wishes(tenant):
    kept = []
    for text in (PEANUTS, "Peanuts are sold by the kilo."):
        call("remember", tenant, {"text": text})
    live = call("explain", tenant, {"text": "peanuts allergic"}, keep=kept.append)
    again = service.explain_saved(kept[0], DecideRequest())
    assert again["candidates"] == live["candidates"]
    assert service.explain_saved(kept[0], DecideRequest(floor=1.0))["outcome"] == "below_floor"
    assert service.explain_saved(kept[0], DecideRequest(limit=1))["memories"][0]["id"] == live["memories"][0]["id"]
    assert service.explain_saved(kept[0], DecideRequest(), policy=load_policy("lexical"))["policy"] == "lexical"
    assert service.explain_saved(kept[0], DecideRequest(memory=live["memories"][0]["id"]))["verdict"]["fate"] == "chosen"
    assert not any("dense" in row["ranks"] for row in service.explain_saved(kept[0], DecideRequest(without=("dense",)))["candidates"])
    with pytest.raises(InputError, match="2 candidates"):
        service.explain_saved(kept[0], DecideRequest(memory="unknown"))


def test_without_vectors_no_nan_reaches_the_json():
    with open_memories(None, embedder=None) as memories:
        wordy = memories.tenant("wordy")
        call("remember", wordy, {"text": PEANUTS, "session": "s", "turn": 1})
        answer = call("explain", wordy, {"text": "peanuts"})
    assert strict(answer)["candidates"][0]["signals"]["cosine_before"] is None
    assert answer["degraded"] == ["dense: no embedder"]


def test_what_is_not_finite_is_null_at_any_depth():
    assert plain({"a": [float("nan"), {"b": float("inf")}], "c": 0.5}) == {"a": [None, {"b": None}], "c": 0.5}


def test_list_pages_and_get_update_forget_restore_and_stats_agree(tenant):
    ids = [call("remember", tenant, {"text": f"Fact {i}.", "at": f"2025-01-0{i}"})["id"] for i in (1, 2, 3)]
    first = call("list", tenant, {"limit": 2})
    assert ([m["id"] for m in first["memories"]], first["total"]) == ([ids[2], ids[1]], 3)
    assert [m["id"] for m in call("list", tenant, {"after": first["next"]})["memories"]] == [ids[0]]
    assert call("update", tenant, {"id": ids[0], "text": "Fact one.", "ttl": "30d"})["text"] == "Fact one."
    assert call("get", tenant, {"id": ids[0]})["expires_at"] == "2026-04-01T09:00:00Z"
    assert call("forget", tenant, {"ids": [ids[1]]}) == {"forgotten": [ids[1]], "erased": False, "gone": False, "pending": []}
    assert call("stats", tenant)["forgotten"] == 1
    assert call("restore", tenant, {"ids": [ids[1]]}) == {"restored": [ids[1]]}
    assert call("forget", tenant, {"ids": [ids[2]], "erase": True}) == {"forgotten": [ids[2]], "erased": True, "gone": True, "pending": []}
    assert call("stats", tenant)["memories"] == 2
    with pytest.raises(NotFoundError):
        call("get", tenant, {"id": ids[2]})


def test_a_memory_is_shown_with_the_names_that_remember_takes(tenant):
    draft = {"text": PEANUTS, "kind": "episodic", "scope": "x", "tags": ["food"], "session": "s", "turn": 3, "meta": {"a": 1}, "url": "u"}
    shown = strict(call("get", tenant, {"id": call("remember", tenant, draft)["id"]}))
    assert {name: shown[name] for name in draft} == draft
    assert "tenant" not in shown


@pytest.mark.parametrize(
    ("body", "field", "accepted"),
    [
        ({"text": "x", "limt": 3}, "limt", "one of text, goal"),
        ({"text": "x", "limit": "three"}, "limit", "a whole number, 1 or more"),
        ({"text": "x", "limit": 2.5}, "limit", "a whole number, 1 or more"),
        ({"text": "x", "tags": "food"}, "tags", "a list, each a text"),
        ({"text": "x", "without": ["smell"]}, "without", "a list, each one of lexical, dense, entity, temporal"),
        ({"text": "x", "policy": "/etc/passwd.toml"}, "policy", "one of cued"),
        ({"text": "x", "tenant": "jonas"}, "tenant", "one of "),
        ({"text": "x", "intent": "future"}, "intent", "one of past, present, neutral"),
        ({"text": "x", "as_of": "soon"}, "as_of", "a time such as"),
        ({"text": " "}, "text", "a cue with words"),
    ],
)
def test_a_bad_request_is_refused_by_field_with_what_is_accepted(tenant, body, field, accepted):
    with pytest.raises(InputError) as refused:
        call("recall", tenant, body)
    assert refused.value.field == field
    assert accepted in refused.value.accepted


@pytest.mark.parametrize("verb", [lambda t: call("list", t, {"self": 1}), lambda t: call("update", t, {"id": "x", "memory_id": "y"})])
def test_a_request_cannot_name_an_argument_of_the_handle(tenant, verb):
    with pytest.raises(InputError, match="unknown field"):
        verb(tenant)


@pytest.mark.requirement("P19")
def test_two_tenants_of_one_store_see_nothing_of_each_other():
    with open_memories(None, embedder="hashing") as memories:
        mira, jonas = memories.tenant("mira"), memories.tenant("jonas")
        found = call("remember", mira, {"text": PEANUTS})["id"]
        assert call("recall", jonas, {"text": "peanuts"})["outcome"] == "nothing_stored"
        with pytest.raises(NotFoundError):
            call("get", jonas, {"id": found})


@pytest.mark.requirement("F1")
def test_a_cue_may_be_the_state_of_the_work_alone(tenant):
    call("remember", tenant, {"text": PEANUTS})
    state = {"goal": "cook for Mira", "step": "choose peanuts", "open_questions": ["is Mira allergic?", "who pays?"]}
    answer = call("explain", tenant, {**state, "floor": 0.1})
    assert [m["text"] for m in answer["memories"]] == [PEANUTS]
    assert {"cook", "peanut", "allerg"} <= {term["term"] for term in answer["read"]["terms"]}


@pytest.mark.requirement("S12")
def test_without_decay_an_old_memory_scores_as_a_new_one(tenant):
    for at in ("2020-01-01", "2026-03-01"):
        call("remember", tenant, {"text": PEANUTS, "at": at})
    fading = call("recall", tenant, {"text": "peanuts allergic", "policy": "siftcoder"})
    kept = call("recall", tenant, {"text": "peanuts allergic", "policy": "siftcoder", "decay": False})
    assert [m["contributions"]["recency"] for m in kept["memories"]] == [1.0, 1.0]
    assert min(m["contributions"]["recency"] for m in fading["memories"]) < 1e-6


def test_settle_false_leaves_no_trace(tenant):
    found = call("remember", tenant, {"text": PEANUTS})["id"]
    call("recall", tenant, {"text": "peanuts allergic", "settle": False})
    assert call("get", tenant, {"id": found})["use"]["count"] == 0
    call("recall", tenant, {"text": "peanuts allergic"})
    assert call("get", tenant, {"id": found})["use"]["count"] == 1


def test_policies_are_listed_shown_compared_and_checked():
    listed = service.policy_list()["policies"]
    assert listed[0]["name"] == "cued"
    assert listed[0]["default"]
    shown = service.policy_show(load_policy("mememory"), text=text_of("mememory"))
    assert shown["policy"]["name"] == "mememory"
    assert shown["toml"] == text_of("mememory")
    differences = service.policy_diff(load_policy("cued"), load_policy("mememory"))["differences"]
    assert {"path": "budget.limit", "left": "10", "right": "5"} in differences
    assert service.policy_check(text_of("cued"), name="x") == {"ok": True, "name": "cued", "problems": []}
    bad = service.policy_check("[floor]\nat = 'high'\non = 'mood'\n", name="mine")
    assert (bad["ok"], bad["name"], len(bad["problems"])) == (False, "mine", 2)
