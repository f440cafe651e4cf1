"""ChatGPT's export: conversations.json, by itself or in the zip file. A conversation is a tree; the branch last shown is read."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Raw, Struct, field

from cued.importers.drafting import UUID, ImportedTurn, from_turn, when
from cued.importers.files import MAX_BYTES, decoded, items, members
from cued.importers.intake import Skipped
from cued.model import EPOCH
from cued.requests.draft import Draft

WHAT = "ChatGPT's data export: the .zip file, or the conversations.json in it"
WANTED = re.compile(r"conversations(?:-\d+)?\.json")

_TEXTS = {"text", "multimodal_text"}
_SPEAKERS = {"user": "user", "assistant": "assistant"}


class _Node(Struct):
    parent: str | None = None
    children: list[str] = field(default_factory=list)
    message: Raw = Raw(b"null")


class _Conversation(Struct):
    mapping: dict[str, _Node]
    conversation_id: str | None = None
    id: str | None = None
    title: str | None = None
    current_node: str | None = None
    create_time: Any = None
    update_time: Any = None


class _Author(Struct):
    role: str = ""


class _Content(Struct):
    content_type: str = "text"
    parts: list[Any] | None = None


class _Metadata(Struct):
    is_visually_hidden_from_conversation: bool | None = None
    is_user_system_message: bool | None = None


class _Message(Struct):
    author: _Author
    id: str | None = None
    content: _Content | None = None
    create_time: Any = None
    recipient: str | None = None
    metadata: _Metadata | None = None


def read(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Draft | Skipped]:
    """A draft for each turn of user and assistant; what else there is comes as skipped."""
    for member in members(path, WANTED, max_bytes=max_bytes):
        for raw in items(member):
            conversation = decoded(raw, _Conversation)
            if conversation is None:
                yield Skipped("malformed conversation")
            else:
                yield from _turns(conversation)


def _turns(conversation: _Conversation) -> Iterator[Draft | Skipped]:
    branch = _branch(conversation)
    if branch is None:
        yield Skipped("conversation whose messages go in a circle")
        return
    others = conversation.mapping.keys() - set(branch)
    yield from (Skipped("message on another branch") for name in others if _says(conversation.mapping[name]))
    called = conversation.conversation_id or conversation.id or (branch[0] if branch else "")
    url = f"https://chatgpt.com/c/{called}" if UUID.fullmatch(called) else None
    number, at = 0, None
    for name in branch:
        if not _says(conversation.mapping[name]):
            continue
        message = decoded(conversation.mapping[name].message, _Message)
        text = _text(message)
        if message is None or isinstance(text, Skipped):
            yield text if isinstance(text, Skipped) else Skipped("malformed message")
            continue
        at = when(message.create_time) or at or _began(conversation)
        turn = ImportedTurn(
            source="chatgpt",
            conversation=called,
            message=message.id or name,
            text=text,
            speaker=_SPEAKERS[message.author.role],
            number=number,
            at=at,
            title=conversation.title or "",
            url=url,
        )
        number += 1
        yield from_turn(turn)


def _says(node: _Node) -> bool:
    return bytes(node.message) != b"null"


def _text(message: _Message | None) -> str | Skipped:
    """What a message says, or why it is not taken in."""
    if message is None:
        return Skipped("malformed message")
    hidden, role = message.metadata or _Metadata(), message.author.role
    if role not in _SPEAKERS:
        return Skipped(f"{role} message" if role in {"system", "tool"} else "message of an unknown role")
    if hidden.is_visually_hidden_from_conversation or hidden.is_user_system_message:
        return Skipped("hidden message")
    if message.recipient not in {None, "all"}:
        return Skipped("message to a tool")
    if message.content is None or message.content.content_type not in _TEXTS:
        return Skipped("content that is not text")
    return "\n".join(filter(None, map(_part, message.content.parts or ())))


def _part(part: object) -> str:
    if isinstance(part, Mapping) and part.get("content_type") == "audio_transcription":
        part = part.get("text")
    return part if isinstance(part, str) else ""


def _branch(conversation: _Conversation) -> list[str] | None:
    """The nodes from the first to the one last shown; None where they go in a circle."""
    mapping = conversation.mapping
    shown = conversation.current_node if conversation.current_node in mapping else _newest(mapping)
    path: dict[str, None] = {}
    while shown is not None and shown in mapping:
        if shown in path:
            return None
        path[shown] = None
        shown = mapping[shown].parent
    return list(reversed(path)) if path or not mapping else None


def _newest(mapping: Mapping[str, _Node]) -> str | None:
    """The leaf that is reached from the first root by the last child of each node."""
    node = next((name for name, node in mapping.items() if node.parent not in mapping), None)
    seen: set[str] = set()
    while node is not None and node not in seen:
        seen.add(node)
        child = next((name for name in reversed(mapping[node].children) if name in mapping), None)
        if child is None:
            return node
        node = child
    return node


def _began(conversation: _Conversation) -> datetime:
    """When the conversation began, from what a later export of it will say too; 1970 where it says nothing."""
    said = when(conversation.create_time)
    if said is not None:
        return said
    messages = (decoded(node.message, _Message) for node in conversation.mapping.values())
    times = [time for time in (when(message.create_time) for message in messages if message is not None) if time is not None]
    return min(times, default=None) or when(conversation.update_time) or EPOCH
