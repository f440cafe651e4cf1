"""Claude's export: conversations with their attachments, projects with their documents."""

import pytest

from cued.importers import detect
from cued.model import EPOCH
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from tests.upkeep.import_samples import claude_conversation, imported, utc, written, zipped

TALK = (
    {"sender": "human", "text": "My roses need sun.", "created_at": "2025-03-01T10:00:01Z"},
    {
        "sender": "assistant",
        "text": "Plant them south.\n```\nThis block is not supported.\n```",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Plant them south."}, {"type": "tool_use"}],
        "created_at": "2025-03-01T10:00:02Z",
    },
)
PROJECT = {
    "uuid": "p1",
    "name": "Allotment",
    "prompt_template": "Answer as a gardener.",
    "created_at": "2025-02-01T00:00:00Z",
    "docs": [
        {
            "uuid": "d1",
            "filename": "soil.md",
            "content": "Clay in the north.\n\n" + "Loam in the south. " * 120,
            "created_at": "2025-02-02T00:00:00Z",
        },
        {"uuid": "d2", "filename": "empty.md", "content": ""},
    ],
}


def test_turns_come_in_with_their_speakers_and_what_could_not_be_shown_stays_out(tmp_path):
    path = written(tmp_path / "conversations.json", [claude_conversation(*TALK)])

    done, found = imported(path)

    assert detect(path) == done.format == "claude"
    assert [(m.text, m.source.speaker, m.source.turn, m.kind, m.trust) for m in found] == [
        ("My roses need sun.", "user", 0, "episodic", "import"),
        ("Plant them south.", "assistant", 1, "episodic", "import"),
    ]
    assert found[0].created_at == utc(2025, 3, 1, 10, 0, 1)
    assert found[0].source.url == "https://claude.ai/chat/11111111-2222-3333-4444-555555555555"
    assert found[0].source.meta == {"title": "Garden"}


def test_a_conversation_that_grew_adds_only_its_new_turns(tmp_path):
    store = Store(MemoryKeeper())
    path = written(tmp_path / "conversations.json", [claude_conversation(*TALK)])
    imported(path, store)

    written(path, [claude_conversation(*TALK, {"sender": "human", "text": "And tulips?", "created_at": "2025-03-05T00:00:00Z"})])
    done, found = imported(path, store)

    assert (done.stored, done.known) == (1, 2)
    assert found[-1].text == "And tulips?"


def test_attached_texts_come_in_as_pieces_of_the_same_conversation(tmp_path):
    attached = {"sender": "human", "text": "", "attachments": [{"file_name": "plan.txt", "extracted_content": "Sow in May.\n\n" * 300}]}

    done, found = imported(written(tmp_path / "conversations.json", [claude_conversation(attached)]))

    assert done.stored + done.known == len(found) + done.known == 3
    assert all(len(m.text) <= 1500 for m in found)
    assert {m.source.session for m in found} == {"claude:11111111-2222-3333-4444-555555555555"}
    assert found[0].source.meta == {"title": "Garden", "file": "plan.txt"}


def test_a_project_gives_its_instructions_and_its_documents_in_pieces(tmp_path):
    path = written(tmp_path / "projects.json", [PROJECT])

    done, found = imported(path)

    assert detect(path) == "claude"
    assert done.stored == len(found) == 3
    assert (found[0].text, found[0].kind, found[0].tags, found[0].created_at) == (
        "Answer as a gardener.",
        "procedural",
        ("Allotment",),
        utc(2025, 2, 1),
    )
    assert found[1].text.startswith("Clay in the north.")
    assert found[1].source.meta == {"project": "Allotment", "file": "soil.md"}
    assert imported(path)[1] == found


def test_a_zip_file_gives_conversations_and_projects(tmp_path):
    path = zipped(tmp_path / "data.zip", {"users.json": [], "conversations.json": [claude_conversation(*TALK)], "projects.json": [PROJECT]})

    done, _ = imported(path)

    assert (detect(path), done.stored) == ("claude", 5)


def test_without_any_time_a_turn_is_of_1970_and_a_message_without_an_id_is_told_by_its_place(tmp_path):
    bare = {"uuid": "u", "chat_messages": [{"sender": "human", "text": "Hello."}, {"sender": "human", "text": "Hello."}]}

    _, found = imported(written(tmp_path / "conversations.json", [bare]))

    assert [m.created_at for m in found] == [EPOCH, EPOCH]
    assert found[0].id != found[1].id


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (7, "malformed message"),
        ({"sender": 7}, "malformed message"),
        ({"sender": "robot", "text": "hi"}, "message of an unknown sender"),
        ({"sender": "human", "content": [7]}, "malformed message"),
        ({"sender": "human", "text": "x" * 100_001}, "text longer than 100000 characters"),
        ({"sender": "human"}, "empty text"),
    ],
)
def test_an_odd_message_is_skipped_with_a_reason(tmp_path, odd, reason):
    conversation = claude_conversation(*TALK)
    conversation["chat_messages"].append(odd)

    done, _ = imported(written(tmp_path / "conversations.json", [conversation]))

    assert (done.stored, done.skipped) == (2, {reason: 1})


@pytest.mark.parametrize("odd", [None, 7, {}, {"chat_messages": 7}, {"uuid": 7, "docs": []}])
def test_what_is_neither_a_conversation_nor_a_project_is_skipped(tmp_path, odd):
    done, _ = imported(written(tmp_path / "conversations.json", [odd, claude_conversation(*TALK)]), format="claude")

    assert (done.stored, done.skipped) == (2, {"malformed conversation or project": 1})
