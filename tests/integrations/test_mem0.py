"""mem0's class over Cued: the same calls and answers, and nothing crosses from one user to another."""

import asyncio
from datetime import UTC, datetime, timedelta
from functools import reduce

import pytest

import cued
from cued.embed import CuedWarning
from cued.integrations.mem0 import AsyncMemory, Memory

TALK = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I am allergic to peanuts", "name": "Ada"},
    {"role": "assistant", "content": "Then I will suggest recipes without them"},
    {"role": "user", "content": ""},
]


class Facts:
    """An extractor that knows its answer."""

    def __init__(self, *facts):
        self.facts, self.heard = facts, []

    def extract(self, turns):
        self.heard.append(list(turns))
        return self.facts


class Broken:
    """An extractor that fails."""

    def extract(self, turns):
        raise RuntimeError("no model today")


@pytest.fixture(params=["store", "tenant"])
def memory(request, memories):
    return Memory(memories if request.param == "store" else memories.tenant("acme"))


def texts(answer):
    return [each["memory"] for each in answer["results"]]


def test_messages_are_kept_as_they_are_without_instructions_and_empty_ones(memory):
    added = memory.add(TALK, user_id="ada", infer=False, metadata={"topic": "food", "user_id": "eve"})["results"]
    assert [(each["memory"], each["event"], each["role"], each["actor_id"]) for each in added] == [
        ("I am allergic to peanuts", "ADD", "user", "Ada"),
        ("Then I will suggest recipes without them", "ADD", "assistant", None),
    ]
    first = memory.get(added[0]["id"])
    assert first["memory"] == "I am allergic to peanuts"
    assert first["metadata"] == {"topic": "food"}
    assert (first["user_id"], first["actor_id"], first["role"]) == ("ada", "Ada", "user")
    assert first["created_at"] <= first["updated_at"]
    assert len(first["hash"]) == 32
    assert first["score"] is None


def test_a_text_or_one_message_is_enough_and_anything_else_is_refused(memory):
    memory.add("Likes tea", user_id=7, infer=False)
    memory.add({"role": "user", "content": [{"type": "text", "text": "Likes cake"}]}, user_id="7", infer=False)
    assert texts(memory.get_all(filters={"user_id": 7})) == ["Likes cake", "Likes tea"]
    assert memory.add([], user_id="7", infer=False) == {"results": []}
    for wrong in (7, ["Likes tea"], [{"role": "user", "content": "Likes tea"}, "and cake"]):
        with pytest.raises(ValueError, match=r"messages must be str, dict, or list\[dict\]"):
            memory.add(wrong, user_id="7", infer=False)
    assert len(texts(memory.get_all(filters={"user_id": 7}))) == 2


def test_somebody_must_be_named_and_ids_have_no_white_space(memory):
    wrong = {
        "'user_id', 'agent_id', or 'run_id' must be provided": lambda: memory.add("x"),
        "filters must contain at least one of": memory.get_all,
        "one of: user_id, agent_id, run_id": lambda: memory.search("x", filters={}),
        "At least one filter is required": memory.delete_all,
        "Unsupported metadata filter operator: near": lambda: memory.search("x", filters={"user_id": "a", "k": {"near": 1}}),
        "OR operator requires a non-empty list": lambda: memory.get_all(filters={"user_id": "a", "OR": []}),
        "NOT: .*at most 32": lambda: memory.get_all(filters={"user_id": "a", **reduce(lambda inner, _: {"NOT": [inner]}, range(33), {})}),
        "filters: got .*an object": lambda: memory.search("x", filters=["user_id"]),
        "metadata: got .*an object": lambda: memory.add("x", user_id="a", metadata=["topic"]),
        "timestamp: got 1e": lambda: memory.add("x", user_id="a", timestamp=1e20),
    }
    for word, call in wrong.items():
        with pytest.raises(ValueError, match=word):
            call()
    with pytest.raises(ValueError, match=r"Invalid user_id: .*cannot contain whitespace"):
        memory.add("x", user_id="a b")


def test_an_id_of_no_tenant_is_nobodys(memory):
    for told in ("AAAA.x", "YWFh" * 100 + ".x", "no code.x", "", "."):
        assert (memory.get(told), memory.history(told)) == (None, [])


def test_a_long_memory_can_be_changed_as_often_as_a_short_one_and_its_oldest_texts_are_let_go(memory):
    told = memory.add("first " * 9_000, user_id="ada", infer=False)["results"][0]["id"]
    for word in ("second ", "third ", "fourth "):
        memory.update(told, text=word * 9_000)
    assert memory.get(told)["memory"].startswith("fourth")
    assert [event["new_memory"][:6] for event in memory.history(told)] == ["second", "third ", "fourth"]


def test_search_ranks_scores_by_relevance_and_keeps_the_threshold(memory):
    for text in ("Allergic to peanuts", "Plays the cello", "Works night shifts"):
        memory.add(text, user_id="ada", infer=False)
    found = memory.search("is there anything she must not eat?", filters={"user_id": "ada"}, threshold=0.0)["results"]
    assert found[0]["memory"] == "Allergic to peanuts"
    assert len(found) == 3
    assert all(0 <= each["score"] <= 1 for each in found)
    assert texts(memory.search("peanuts", filters={"user_id": "ada"}, threshold=0.9)) == ["Allergic to peanuts"]
    assert len(memory.search("peanuts", filters={"user_id": "ada"}, threshold=0, top_k=2)["results"]) == 2
    assert memory.search("peanuts", filters={"user_id": "ada"}, top_k=0) == {"results": []}
    told = memory.search("peanuts", filters={"user_id": "ada"}, explain=True)["results"][0]
    assert "score_details" in told
    assert texts(memory.search("peanuts", user_id="ada", limit=1)) == ["Allergic to peanuts"]
    for wrong in ({"threshold": 2}, {"top_k": -1}, {"top_k": True}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            memory.search("x", filters={"user_id": "ada"}, **wrong)
    with pytest.raises(ValueError, match="query"):
        memory.search("  ", filters={"user_id": "ada"})


def test_nothing_crosses_from_one_user_agent_or_run_to_another(memory):
    memory.add("The code word is heron", user_id="ada", infer=False)
    memory.add("The code word is otter", user_id="bob", infer=False)
    memory.add("The code word is badger", agent_id="ada", infer=False)
    memory.add("The code word is marten", run_id="ada", infer=False)
    memory.add("The code word is weasel", user_id="agent:ada", infer=False)
    for filters, animal in (
        ({"user_id": "ada"}, "heron"),
        ({"user_id": "bob"}, "otter"),
        ({"agent_id": "ada"}, "badger"),
        ({"run_id": "ada"}, "marten"),
        ({"user_id": "agent:ada"}, "weasel"),
    ):
        assert texts(memory.get_all(filters=filters)) == [f"The code word is {animal}"]
        assert texts(memory.search("what is the code word?", filters=filters, threshold=0)) == [f"The code word is {animal}"]
    memory.delete_all(user_id="ada")
    assert texts(memory.get_all(filters={"user_id": "ada"})) == []
    assert texts(memory.get_all(filters={"agent_id": "ada"})) == ["The code word is badger"]


def test_within_a_user_agent_and_run_filter(memory):
    memory.add("Said to the cook", user_id="ada", agent_id="cook", infer=False)
    memory.add("Said to the guide", user_id="ada", agent_id="guide", run_id="r1", infer=False)
    assert texts(memory.get_all(filters={"user_id": "ada", "agent_id": "cook"})) == ["Said to the cook"]
    assert texts(memory.search("said", filters={"user_id": "ada", "run_id": "r1"}, threshold=0)) == ["Said to the guide"]
    assert len(memory.get_all(filters={"user_id": "ada"})["results"]) == 2
    memory.delete_all(user_id="ada", agent_id="cook")
    assert texts(memory.get_all(filters={"user_id": "ada"})) == ["Said to the guide"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"n": 1}, "a"),
        ({"n": {"eq": 2}}, "b"),
        ({"n": {"ne": 2}}, "ac"),
        ({"n": {"gt": 1}}, "bc"),
        ({"n": {"gte": 2, "lt": 3}}, "b"),
        ({"n": {"lte": 1}}, "a"),
        ({"s": {"in": ["red", "blue"]}}, "ac"),
        ({"s": {"nin": ["red"]}}, "bc"),
        ({"s": {"contains": "ee"}}, "b"),
        ({"s": {"icontains": "EE"}}, "b"),
        ({"s": {"gt": 1}}, ""),
        ({"extra": "*"}, "c"),
        ({"role": "user"}, "abc"),
        ({"AND": [{"n": {"gt": 1}}, {"s": "blue"}]}, "c"),
        ({"OR": [{"n": 1}, {"s": "blue"}]}, "ac"),
        ({"NOT": [{"n": 1}]}, "bc"),
    ],
)
def test_filters_know_every_operator(memory, wanted, expected):
    rows = {"a": {"n": 1, "s": "red"}, "b": {"n": 2, "s": "green"}, "c": {"n": 3, "s": "blue", "extra": {"deep": [1]}}}
    for name, metadata in rows.items():
        memory.add(f"row {name}", user_id="ada", metadata=metadata, infer=False)
    filters = {"user_id": "ada", **wanted}
    assert sorted(text[-1] for text in texts(memory.get_all(filters=filters))) == list(expected)
    assert sorted(text[-1] for text in texts(memory.search("row", filters=filters, threshold=0))) == list(expected)


@pytest.mark.parametrize("wrong", [{"n": {"like": 1}}, {"AND": []}, {"OR": {"n": 1}}, {"NOT": [{"n": {"like": 1}}]}])
def test_a_filter_that_nobody_knows_is_refused(memory, wrong):
    with pytest.raises(ValueError, match="accepted"):
        memory.get_all(filters={"user_id": "ada", **wrong})


def test_an_update_changes_text_metadata_and_day_and_history_tells_it_all(memory):
    told = memory.add("Lives in Graz", user_id="ada", metadata={"a": 1, "b": 1}, infer=False)["results"][0]["id"]
    assert memory.update(told, text="Lives in Linz") == {"message": "Memory updated successfully!"}
    memory.update(told, metadata={"b": 2, "user_id": "eve"})
    memory.update(told, data="Lives in Wien")
    now = memory.get(told)
    assert (now["memory"], now["metadata"], now["user_id"]) == ("Lives in Wien", {"a": 1, "b": 2}, "ada")
    assert texts(memory.search("where does she live?", filters={"user_id": "ada"}, threshold=0)) == ["Lives in Wien"]
    assert memory.delete(told) == {"message": "Memory deleted successfully!"}
    assert memory.get(told) is None
    assert memory.get_all(filters={"user_id": "ada"}) == memory.search("live", filters={"user_id": "ada"}) == {"results": []}
    events = memory.history(told)
    assert [(each["event"], each["old_memory"], each["new_memory"], each["is_deleted"]) for each in events] == [
        ("ADD", None, "Lives in Graz", False),
        ("UPDATE", "Lives in Graz", "Lives in Linz", False),
        ("UPDATE", "Lives in Linz", "Lives in Wien", False),
        ("DELETE", "Lives in Wien", None, True),
    ]
    assert [each["updated_at"] for each in events] == sorted(each["updated_at"] for each in events)
    for call in (lambda: memory.delete(told), lambda: memory.update(told, text="x")):
        with pytest.raises(ValueError, match=r"Memory with id .* not found"):
            call()
    with pytest.raises(ValueError, match="At least one of text"):
        memory.update(told)


def test_unknown_ids_are_nobodys(memory):
    for unknown in ("", "x", "x.y", "YQ.nothing", "…", "IA.x"):
        assert memory.get(unknown) is None
        assert memory.history(unknown) == []


def test_what_has_expired_is_shown_only_to_those_who_ask(memory):
    yesterday, tomorrow = ((datetime.now(UTC) + timedelta(days=days)).date() for days in (-1, 1))
    memory.add("Old offer", user_id="ada", expiration_date=yesterday, infer=False)
    kept = memory.add("New offer", user_id="ada", expiration_date=tomorrow.isoformat(), infer=False)["results"][0]["id"]
    assert texts(memory.get_all(filters={"user_id": "ada"})) == ["New offer"]
    assert texts(memory.get_all(filters={"user_id": "ada"}, show_expired=True)) == ["New offer", "Old offer"]
    assert texts(memory.search("offer", filters={"user_id": "ada"}, threshold=0)) == ["New offer"]
    assert memory.get(kept)["expiration_date"] == tomorrow.isoformat()
    memory.update(kept, expiration_date=yesterday)
    assert memory.get_all(filters={"user_id": "ada"}) == {"results": []}
    memory.update(kept, expiration_date=None)
    assert texts(memory.get_all(filters={"user_id": "ada"})) == ["New offer"]
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        memory.add("x", user_id="ada", expiration_date="soon", infer=False)


def test_a_time_may_be_said_for_what_is_added_and_for_what_is_asked(memory):
    memory.add("Went to the dentist", user_id="ada", timestamp=datetime(2025, 3, 1, tzinfo=UTC), infer=False)
    memory.add("Went to the dentist again", user_id="ada", timestamp=1_760_000_000, infer=False)
    assert memory.get_all(filters={"user_id": "ada"})["results"][-1]["created_at"].startswith("2025-03-01")
    assert memory.search("dentist", filters={"user_id": "ada"}, reference_date="2025-12-01")["results"]


def test_with_an_extractor_its_facts_are_kept(memories):
    extractor = Facts("Ada is allergic to peanuts", {"text": "Ada likes recipes", "importance": 0.8})
    memory = Memory(memories, extractor=extractor)
    added = memory.add(TALK, user_id="ada")["results"]
    assert [(each["memory"], each["event"]) for each in added] == [("Ada is allergic to peanuts", "ADD"), ("Ada likes recipes", "ADD")]
    assert [turn["content"] for turn in extractor.heard[0]] == [TALK[1]["content"], TALK[2]["content"]]
    assert {each.trust for each in memories.tenant("ada").list()} == {"agent"}
    memory.add("Kept as said", user_id="ada", infer=False)
    assert len(extractor.heard) == 1


def test_without_an_extractor_or_with_one_that_fails_the_messages_are_kept(memories):
    with pytest.warns(CuedWarning, match="without an extractor"):
        assert texts(Memory(memories).add("Likes tea", user_id="ada")) == ["Likes tea"]
    assert texts(Memory(memories, extractor=Broken()).add("Likes cake", user_id="ada")) == ["Likes cake"]
    assert texts(Memory(memories, extractor=Facts()).add("Hello", user_id="ada")) == []


def test_a_procedure_is_kept_as_one_and_another_type_is_refused(memories):
    memory = Memory(memories)
    memory.add("First boil, then stir", agent_id="cook", memory_type="procedural_memory", infer=False)
    assert [each.kind for each in memories.tenant("agent:cook").list()] == ["procedural"]
    with pytest.raises(ValueError, match="procedural_memory"):
        memory.add("x", user_id="ada", memory_type="semantic")


def test_what_other_programs_remember_for_a_user_is_found_too(memories):
    memories.tenant("ada").remember("Ada rides a blue bicycle", meta={"from": "chat"})
    found = Memory(memories).search("bicycle", filters={"user_id": "ada"})["results"][0]
    assert (found["memory"], found["user_id"], found["metadata"]) == ("Ada rides a blue bicycle", "ada", {"from": "chat"})
    memories.tenant("ada").remember("A project's own", scope="atlas")
    assert len(Memory(memories).get_all(filters={"user_id": "ada"})["results"]) == 1


def test_in_one_tenant_what_is_not_a_users_is_no_memory_of_mem0s(memories):
    acme = memories.tenant("acme")
    shared = acme.remember("The office opens at nine").id
    memory = Memory(acme)
    memory.add("Comes at ten", user_id="ada", infer=False)
    assert texts(memory.search("when does it open?", filters={"user_id": "ada"}, threshold=0)) == ["Comes at ten"]
    assert memory.get(shared) is None
    memory.reset()
    assert [each.text for each in acme.list()] == ["The office opens at nine"]


def test_reset_erases_everything(memories):
    memory = Memory(memories)
    memory.add("x", user_id="ada", infer=False)
    memory.add("y", agent_id="cook", infer=False)
    memory.reset()
    assert [memories.tenant(name).stats().memories for name in ("ada", "agent:cook")] == [0, 0]


def test_a_file_is_opened_and_closed_and_a_configuration_of_theirs_is_no_obstacle(tmp_path, monkeypatch):
    config = {"cued": {"path": tmp_path / "m.db"}, "vector_store": {"provider": "qdrant"}}
    with pytest.warns(CuedWarning, match="vector_store"):
        memory = Memory.from_config(config)
    with memory:
        memory.add("Likes tea", user_id="ada", infer=False)
    with Memory(tmp_path / "m.db") as again:
        assert texts(again.get_all(filters={"user_id": "ada"})) == ["Likes tea"]
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with Memory() as usual:
        usual.add("Likes cake", user_id="ada", infer=False)
    assert (tmp_path / "data" / "cued" / "memories.db").exists()


def test_memories_of_mem0_are_taken_in_split_by_user_and_once(memories):
    rows = [
        {
            "id": "u-1",
            "memory": "Likes tea",
            "user_id": "ada",
            "created_at": "2024-02-03T10:00:00+00:00",
            "metadata": {"n": 1},
            "hash": "x",
        },
        {"id": "u-2", "data": "Likes coffee", "user_id": "bob", "role": "user", "topic": "drinks", "expiration_date": "2999-01-01"},
        {"id": "u-3", "memory": "Stir slowly", "agent_id": "cook"},
    ]
    memory = Memory(memories)
    assert memory.take_in(rows) == {"ada": 1, "bob": 1, "cook": 1}
    assert memory.take_in(rows) == {"ada": 0, "bob": 0, "cook": 0}
    ada, bob = (memory.get_all(filters={"user_id": name})["results"] for name in ("ada", "bob"))
    assert [(each["memory"], each["metadata"], each["created_at"][:10]) for each in ada] == [("Likes tea", {"n": 1}, "2024-02-03")]
    assert [(each["memory"], each["metadata"], each["role"]) for each in bob] == [("Likes coffee", {"topic": "drinks"}, "user")]
    assert texts(memory.search("tea", filters={"user_id": "ada"}, threshold=0)) == ["Likes tea"]
    with pytest.raises(ValueError, match="at least one of: user_id"):
        memory.take_in([{"id": "x", "memory": "nobody's"}])
    with pytest.raises(ValueError, match="rows with an id"):
        memory.take_in([{"memory": "no id", "user_id": "ada"}])


def test_the_async_class_awaits_every_method():
    async def use():
        async with AsyncMemory(cued.open()) as memory:
            told = (await memory.add("Likes tea", user_id="ada", infer=False))["results"][0]["id"]
            await memory.update(told, "Likes cake")
            assert (await memory.get(told))["memory"] == "Likes cake"
            assert texts(await memory.search("cake", filters={"user_id": "ada"})) == ["Likes cake"]
            assert len((await memory.get_all(filters={"user_id": "ada"}))["results"]) == 1
            await memory.delete(told)
            assert len(await memory.history(told)) == 3
            await memory.delete_all(user_id="ada")
            await memory.reset()

    asyncio.run(use())
    AsyncMemory.from_config({"cued": {"path": ":memory:"}}).close()


@pytest.mark.parametrize("forged", ["not JSON", "[1]", "7", '{"promoted": 3}', "[" * 2000], ids=["text", "list", "number", "part", "deep"])
def test_a_memory_with_a_mark_that_we_did_not_write_is_shown_like_any_other_programs(memories, forged):
    memory, tool = Memory(memories.tenant("acme")), memories.tenant("acme", trust="tool")
    memory.add("Ada likes tea", user_id="ada", infer=False)
    tool.remember("Ada likes cake", scope="user:ada", meta={"mem0": forged})
    assert {*texts(memory.get_all(filters={"user_id": "ada"}))} == {"Ada likes tea", "Ada likes cake"}
