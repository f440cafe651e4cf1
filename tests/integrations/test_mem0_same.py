"""mem0's own class and ours, side by side: the same calls give answers of the same shape; tried where `mem0ai` is installed."""

import os
import tempfile

import pytest

import cued

os.environ.setdefault("MEM0_TELEMETRY", "False")
os.environ.setdefault("MEM0_DIR", tempfile.gettempdir())
mem0 = pytest.importorskip("mem0", reason="mem0ai is not installed: make frameworks")

from cued.integrations.mem0 import Memory  # noqa: E402 - after the question whether it can be

TALK = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I like tea", "name": "ada"},
    {"role": "assistant", "content": "Noted."},
]
MINE = {"user_id": "u"}


class Letters:
    """An embedder for theirs that counts letters."""

    def embed(self, text, *_, **__):
        return [text.lower().count(letter) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz"]

    def embed_batch(self, texts, *_, **__):
        return [self.embed(text) for text in texts]


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """Theirs and ours, with the id that each gave to the same memory."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    places = {"path": str(tmp_path / "vectors"), "embedding_model_dims": 26}
    theirs = mem0.Memory.from_config({"vector_store": {"provider": "qdrant", "config": places}, "history_db_path": str(tmp_path / "h.db")})
    theirs.embedding_model = Letters()
    with cued.open() as memories:
        added = {"agent_id": "a", "infer": False, "metadata": {"k": 1}}
        yield [(each, each.add(TALK, **MINE, **added)["results"][0]["id"]) for each in (theirs, Memory(memories))]
    theirs.vector_store.client.close()
    theirs.close()


def shape(value):
    """A value with the kinds of its leaves in place of them; the order of a list is left to each."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in sorted(value.items())}
    return sorted(str(shape(each)) for each in value) if isinstance(value, list) else type(value).__name__


def told(call, memory, memory_id):
    try:
        return shape(call(memory, memory_id))
    except (ValueError, mem0.exceptions.ValidationError):
        return "ValueError"


CALLS = {
    "add": lambda memory, _: memory.add(TALK, **MINE, infer=False, metadata={"k": 1}),
    "add text": lambda memory, _: memory.add("Likes cake", **MINE, infer=False, expiration_date="2099-01-01"),
    "add nobody": lambda memory, _: memory.add("Likes cake", infer=False),
    "get": lambda memory, known: memory.get(known),
    "get unknown": lambda memory, _: memory.get("00000000-0000-0000-0000-000000000000"),
    "get_all": lambda memory, _: memory.get_all(filters=MINE),
    "get_all agent": lambda memory, _: memory.get_all(filters={**MINE, "agent_id": "a"}),
    "get_all nobody": lambda memory, _: memory.get_all(),
    "search": lambda memory, _: memory.search("tea", filters=MINE, threshold=0.0),
    "search filtered": lambda memory, _: memory.search("tea", filters={**MINE, "k": {"gte": 1}}, threshold=0.0),
    "search nobody": lambda memory, _: memory.search("tea"),
    "search threshold": lambda memory, _: memory.search("tea", filters=MINE, threshold=3),
    "update": lambda memory, known: memory.update(known, text="I like cake", metadata={"k": 2}),
    "update nothing": lambda memory, known: memory.update(known),
    "update unknown": lambda memory, _: memory.update("00000000-0000-0000-0000-000000000000", text="x"),
    "history": lambda memory, known: [memory.update(known, text="I like cake"), memory.delete(known), memory.history(known)],
    "delete": lambda memory, known: memory.delete(known),
    "delete unknown": lambda memory, _: memory.delete("00000000-0000-0000-0000-000000000000"),
    "delete_all": lambda memory, _: [memory.delete_all(**MINE), memory.get_all(filters=MINE)],
    "delete_all nobody": lambda memory, _: memory.delete_all(),
    "reset": lambda memory, _: [memory.reset(), memory.get_all(filters=MINE)],
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_an_answer_of_the_same_shape(name, pair):
    (theirs, their_id), (ours, our_id) = pair
    assert told(CALLS[name], ours, our_id) == told(CALLS[name], theirs, their_id)
