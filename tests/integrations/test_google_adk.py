"""The memory service of Google's Agent Development Kit; tried where `google-adk` is installed."""

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("google.adk", reason="the google-adk extra is not installed: make frameworks")

from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from cued.integrations.google_adk import CuedMemoryService


def content(text, role="user"):
    return types.Content(role=role, parts=[types.Part(text=text)])


@pytest.fixture
def service(memories):
    return CuedMemoryService(memories, floor=0.0)


def found(service, query="hazelnuts", app="kitchen", user="mara"):
    return asyncio.run(service.search_memory(app_name=app, user_id=user, query=query)).memories


def session(*events):
    return SimpleNamespace(app_name="kitchen", user_id="mara", id="monday", events=list(events))


def test_a_session_may_be_added_as_often_as_it_grows_and_each_event_is_kept_once(service, memories):
    first = Event(author="user", content=content("I am allergic to hazelnuts."), timestamp=1_760_000_000.0)
    second = Event(author="helper", content=content("No hazelnuts, then.", role="model"))
    asyncio.run(service.add_session_to_memory(session(first, Event(author="user"))))
    asyncio.run(service.add_session_to_memory(session(first, second)))
    entries = {entry.id: entry for entry in found(service)}
    assert entries.keys() == {first.id, second.id}
    assert (entries[first.id].author, entries[first.id].content.role) == ("user", "user")
    assert entries[first.id].timestamp.startswith("2025-10-09")
    assert (entries[second.id].author, entries[second.id].content.role) == ("helper", "model")
    assert entries[first.id].custom_metadata["relevance"] > 0
    assert {(each.scope, each.source.session) for each in memories.tenant("mara").list()} == {("kitchen", "monday")}


def test_events_and_single_memories_are_added_with_their_metadata(service):
    event = Event(author="user", content=content("I am allergic to hazelnuts."))
    whose = {"app_name": "kitchen", "user_id": "mara"}
    for _ in range(2):
        asyncio.run(service.add_events_to_memory(**whose, events=[event], custom_metadata={"from": "delta"}))
        entry = MemoryEntry(id="e1", content=content("Hazelnuts are in the top drawer."), custom_metadata={"by": "hand"}, author="mara")
        asyncio.run(service.add_memory(**whose, memories=[entry, MemoryEntry(content=content(" "))]))
    told = {each.id: each.custom_metadata for each in found(service)}
    assert told.keys() == {event.id, "e1"}
    assert (told[event.id]["from"], told["e1"]["by"]) == ("delta", "hand")


def test_a_deleted_memory_stays_away_also_when_its_session_comes_again(service):
    event = Event(author="user", content=content("I am allergic to hazelnuts."))
    asyncio.run(service.add_session_to_memory(session(event)))
    with pytest.raises(ValueError, match="memory_id"):
        asyncio.run(service.delete_memory(app_name="office", user_id="mara", memory_id=event.id))
    asyncio.run(service.delete_memory(app_name="kitchen", user_id="mara", memory_id=event.id))
    asyncio.run(service.add_session_to_memory(session(event)))
    assert found(service) == []
    with pytest.raises(ValueError, match="memory_id"):
        asyncio.run(service.delete_memory(app_name="kitchen", user_id="mara", memory_id="nothing"))


def test_users_and_apps_are_kept_apart_and_what_is_global_is_seen_in_each(service, memories):
    memories.tenant("mara").remember("Hazelnuts make Mara ill.")
    asyncio.run(service.add_session_to_memory(session(Event(author="user", content=content("I bought hazelnuts.")))))
    assert len(found(service)) == 2
    assert [each.content.parts[0].text for each in found(service, app="office")] == ["Hazelnuts make Mara ill."]
    assert found(service, user="noor") == found(service, query=" ") == []
