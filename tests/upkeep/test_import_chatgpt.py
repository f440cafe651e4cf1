"""ChatGPT's export: the turns that were last shown, each once, at the times they were said."""

import json

import pytest

from cued.errors import InputError
from cued.importers import detect
from cued.importers.chatgpt import read
from cued.model import EPOCH
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from tests.upkeep.import_samples import chatgpt_conversation, imported, spoken, utc, written, zipped

TALK = (
    spoken("system", "You are helpful.", at=1_700_000_001.0),
    spoken("user", "I drink tea, not coffee.", at=1_700_000_010.0),
    spoken("assistant", "search('tea')", at=1_700_000_011.0, recipient="python"),
    spoken("tool", "tea results", at=1_700_000_012.0),
    spoken("assistant", "Noted: tea it is.", at=1_700_000_013.0),
    spoken("user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
    spoken("assistant", "", content={"content_type": "thoughts", "thoughts": []}),
)


def test_turns_of_user_and_assistant_come_in_and_everything_else_is_counted(tmp_path):
    path = written(tmp_path / "conversations.json", [chatgpt_conversation(*TALK)])

    done, found = imported(path)

    assert detect(path) == done.format == "chatgpt"
    assert done.stored == 2
    assert done.skipped == {
        "system message": 1,
        "tool message": 1,
        "message to a tool": 1,
        "hidden message": 1,
        "content that is not text": 1,
    }
    assert [(m.text, m.source.speaker, m.source.turn) for m in found] == [
        ("I drink tea, not coffee.", "user", 0),
        ("Noted: tea it is.", "assistant", 1),
    ]


def test_a_turn_is_an_imported_episode_of_its_conversation_at_its_time(tmp_path):
    path = written(tmp_path / "conversations.json", [chatgpt_conversation(*TALK, called="a" * 36)])

    memory = imported(path)[1][0]

    assert (memory.kind, memory.tier, memory.trust, memory.scope) == ("episodic", "episode", "import", "global")
    assert memory.source.session == "chatgpt:" + "a" * 36
    assert memory.source.url == "https://chatgpt.com/c/" + "a" * 36
    assert memory.source.meta == {"title": "Tea"}
    assert memory.created_at == memory.updated_at == utc(2023, 11, 14, 22, 13, 30)
    assert memory.id.startswith("chatgpt-")


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_second_import_stores_nothing_and_a_conversation_that_grew_adds_its_new_turns(tmp_path, store):
    kept = Store(MemoryKeeper()) if store == "memory" else Store(SqliteKeeper(tmp_path / "m.db"))
    path = written(tmp_path / "conversations.json", [chatgpt_conversation(*TALK)])
    imported(path, kept)

    again, before = imported(path, kept)
    written(path, [chatgpt_conversation(*TALK, spoken("user", "Green tea, I mean.", at=1_700_000_020.0), update_time=1_800_000_000)])
    grown, after = imported(path, kept)

    assert (again.stored, again.known) == (0, 2)
    assert (grown.stored, grown.known) == (1, 2)
    assert after[:2] == before
    assert after[2].source.turn == 2
    kept.close()


def test_a_zip_file_is_read_without_being_unpacked_and_in_all_its_parts(tmp_path):
    path = zipped(
        tmp_path / "export.zip",
        {
            "chat.html": "<html>",
            "conversations-000.json": [chatgpt_conversation(*TALK)],
            "folder/conversations-001.json": [chatgpt_conversation(*TALK, called="c2")],
        },
    )

    done, _ = imported(path)

    assert (detect(path), done.stored) == ("chatgpt", 4)
    assert [each.name for each in tmp_path.iterdir()] == ["export.zip"]


def test_only_the_branch_last_shown_is_read(tmp_path):
    conversation = chatgpt_conversation(*TALK[:2])
    mapping = conversation["mapping"]
    mapping["edited"] = {"id": "edited", "message": spoken("user", "I drink coffee.", at=1_700_000_030.0), "parent": "c1-0", "children": []}
    mapping["c1-0"]["children"].append("edited")

    done, found = imported(written(tmp_path / "conversations.json", [conversation]))
    conversation["current_node"] = None
    unnamed, latest = imported(written(tmp_path / "conversations.json", [conversation]))

    assert [m.text for m in found] == ["I drink tea, not coffee."]
    assert done.skipped["message on another branch"] == unnamed.skipped["message on another branch"] == 1
    assert [m.text for m in latest] == ["I drink coffee."]


@pytest.mark.parametrize(
    ("facts", "at"),
    [
        ({}, utc(2023, 11, 14, 22, 13, 20, 500000)),
        ({"create_time": None}, utc(2023, 11, 14, 22, 15)),
        ({"create_time": "2024-05-01T00:00:00Z"}, utc(2024, 5, 1)),
        ({"create_time": float(10**30)}, utc(2023, 11, 14, 22, 15)),
        ({"create_time": -5}, utc(2023, 11, 14, 22, 15)),
        ({"create_time": True}, utc(2023, 11, 14, 22, 15)),
    ],
)
def test_a_turn_without_a_time_has_its_conversations_then_the_earliest_messages(tmp_path, facts, at):
    conversation = chatgpt_conversation(spoken("user", "When?"), spoken("user", "Later.", at=1_700_000_100), **facts)

    _, found = imported(written(tmp_path / "conversations.json", [conversation]))

    assert next(m for m in found if m.text == "When?").created_at == at


def test_a_turn_without_a_time_has_the_one_before_its_own_and_at_last_the_time_of_the_last_change(tmp_path):
    after = chatgpt_conversation(spoken("user", "First.", at=1_700_000_100), spoken("user", "Second."))
    bare = chatgpt_conversation(spoken("user", "When?"), called="c2", create_time=None, update_time=1_700_000_200)
    never = chatgpt_conversation(spoken("user", "Never?"), called="c3", create_time=None)

    _, found = imported(written(tmp_path / "conversations.json", [after, bare, never]))

    assert [(m.text, m.created_at) for m in found] == [
        ("Never?", EPOCH),
        ("First.", utc(2023, 11, 14, 22, 15)),
        ("Second.", utc(2023, 11, 14, 22, 15)),
        ("When?", utc(2023, 11, 14, 22, 16, 40)),
    ]


def test_parts_that_are_no_text_are_left_out_and_what_was_said_aloud_is_kept(tmp_path):
    heard = {"content_type": "audio_transcription", "text": "spoken words"}
    content = {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "look", 7, None, heard]}

    _, found = imported(written(tmp_path / "conversations.json", [chatgpt_conversation(spoken("user", "", content=content))]))

    assert [m.text for m in found] == ["look\nspoken words"]


def test_a_chain_of_a_hundred_thousand_nodes_is_walked_without_recursion(tmp_path):
    talk = [spoken("user", f"turn {number}", at=1_700_000_000 + number) for number in range(100_000)]
    path = written(tmp_path / "conversations.json", [chatgpt_conversation(*talk, current_node=None)])

    turns = list(read(path))

    assert len(turns) == 100_000
    assert turns[-1].turn == 99_999


def circle(*, current):
    conversation = chatgpt_conversation(*TALK[:2], current_node=current)
    conversation["mapping"]["root"]["parent"] = "c1-1"
    conversation["mapping"]["c1-1"]["children"] = ["root"]
    return conversation


@pytest.mark.parametrize("current", ["c1-1", "missing", None])
def test_messages_that_go_in_a_circle_are_skipped(tmp_path, current):
    done, _ = imported(written(tmp_path / "conversations.json", [circle(current=current), chatgpt_conversation(*TALK)]))

    assert done.stored == 2
    assert done.skipped["conversation whose messages go in a circle"] == 1


@pytest.mark.parametrize(
    "odd",
    [
        None,
        7,
        "text",
        [],
        {},
        {"mapping": []},
        {"mapping": {"a": 7}},
        {"mapping": {"a": {"parent": 7}}},
        {"mapping": {}, "title": 7},
        {"mapping": {"a": {"children": "bc"}}},
    ],
)
def test_a_malformed_conversation_is_skipped_and_the_others_come_in(tmp_path, odd):
    done, _ = imported(written(tmp_path / "conversations.json", [odd, chatgpt_conversation(*TALK)]))

    assert done.stored == 2
    assert done.skipped["malformed conversation"] == 1


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (7, "malformed message"),
        ({}, "malformed message"),
        ({"author": {"role": 7}}, "malformed message"),
        ({"author": {"role": "martian"}, "content": {"parts": ["hello"]}}, "message of an unknown role"),
        ({"author": {"role": "user"}}, "content that is not text"),
        ({"author": {"role": "user"}, "content": {"content_type": "text", "parts": None}}, "empty text"),
        ({"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["\0 \n"]}}, "empty text"),
        ({"author": {"role": "user"}, "content": {"parts": ["x" * 100_001]}}, "text longer than 100000 characters"),
    ],
)
def test_a_malformed_message_is_skipped_with_a_reason(tmp_path, message, reason):
    conversation = chatgpt_conversation(*TALK)
    conversation["mapping"]["c1-4"]["message"] = message

    done, _ = imported(written(tmp_path / "conversations.json", [conversation]))

    assert done.stored == 1
    assert done.skipped[reason] >= 1


def test_half_a_character_is_replaced_and_a_message_of_broken_bytes_is_skipped(tmp_path):
    talk = json.dumps(chatgpt_conversation(*TALK))
    halves = talk.replace("coffee", "\\ud83d \\ude00 \\ud83d\\ude00 \\\\ud800")
    bytes_ = json.dumps(chatgpt_conversation(*TALK, called="c2")).encode().replace(b"coffee", b"\xff")
    path = written(tmp_path / "conversations.json", b"[" + halves.encode() + b"," + bytes_ + b"]")

    done, found = imported(path)

    assert done.stored == 3
    assert done.skipped["malformed message"] == 1
    assert found[0].text == "I drink tea, not \ufffd \ufffd \U0001f600 \\ud800."


@pytest.mark.parametrize("data", [b"", b"[", b"[" * 100_000, b"[NaN]", b"\xff\xfe", b"[" + b"9" * 5000 + b"]x", b"nothing"])
def test_a_file_that_is_no_json_array_is_an_input_error(tmp_path, data):
    with pytest.raises(InputError, match=r"conversations\.json"):
        imported(written(tmp_path / "conversations.json", data), format="chatgpt")


def test_an_id_that_is_too_long_for_a_name_is_told_by_its_hash(tmp_path):
    conversation = chatgpt_conversation(*TALK, called="x" * 5000)

    memory = imported(written(tmp_path / "conversations.json", [conversation]))[1][0]

    assert len(memory.source.session) < 60
    assert memory.source.url is None
