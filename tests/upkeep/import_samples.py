"""Small files as others would export them, written here by hand, and the way to import them."""

import json
import zipfile
from datetime import UTC, datetime

from cued.importers import import_file
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from tests.building import NOW


def imported(path, store=None, **options):
    """Import a file into tenant "t" and give what was done and the memories, oldest first."""
    kept = Store(MemoryKeeper()) if store is None else store
    done = import_file("t", kept, path, **{"embedder": None, "at": NOW, **options})
    return done, memories(kept)


def memories(store):
    """Give all that tenant "t" has, by time and turn."""
    found = [each.memory for each in store.scan("t", limit=100_000)]
    return sorted(found, key=lambda memory: (memory.created_at, memory.source.turn or 0, memory.text))


def written(path, data):
    """Write JSON, a text or bytes, and give the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode() if isinstance(data, str) else json.dumps(data).encode())
    return path


def zipped(path, files, *, compression=zipfile.ZIP_DEFLATED):
    """Write a zip file of these members and give the path."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data if isinstance(data, str | bytes) else json.dumps(data))
    return path


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


def spoken(role, text, *, at=None, **facts):
    """Give a message of ChatGPT's."""
    content = facts.pop("content", {"content_type": "text", "parts": [text]})
    return {"author": {"role": role}, "content": content, "create_time": at, "recipient": "all", "metadata": {}, **facts}


def chatgpt_conversation(*messages, called="c1", **facts):
    """Give a conversation of ChatGPT's with these messages in a row, after the empty root that each begins with."""
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    for number, message in enumerate(messages):
        name = f"{called}-{number}"
        mapping[last]["children"].append(name)
        mapping[name] = {"id": name, "message": {"id": name, **message}, "parent": last, "children": []}
        last = name
    return {"conversation_id": called, "title": "Tea", "create_time": 1_700_000_000.5, "mapping": mapping, "current_node": last, **facts}


def claude_conversation(*messages, called="11111111-2222-3333-4444-555555555555", **facts):
    """Give a conversation of Claude's."""
    listed = [{"uuid": f"{called}-{number}", "attachments": [], **message} for number, message in enumerate(messages)]
    times = {"created_at": "2025-03-01T10:00:00.123456Z", "updated_at": "2025-03-02T10:00:00Z"}
    return {"uuid": called, "name": "Garden", **times, "chat_messages": listed, **facts}
