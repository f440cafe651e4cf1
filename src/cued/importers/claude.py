"""Claude's export: conversations.json and projects.json, by themselves or in the zip file."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Raw, Struct, field

from cued.importers.drafting import UUID, ImportedTurn, drafted, from_turn, meta, pieces, session, shorts, source_id, when
from cued.importers.files import MAX_BYTES, decoded, items, members
from cued.importers.intake import Skipped
from cued.model import EPOCH
from cued.requests.draft import Draft

WHAT = "Claude's data export: the .zip file, or the conversations.json or projects.json in it"
WANTED = re.compile(r"(?:conversations|projects)(?:-\d+)?\.json")

_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}


class _Block(Struct):
    type: str = "text"
    text: str | None = None


class _Attachment(Struct):
    file_name: str | None = None
    extracted_content: str | None = None


class _Message(Struct):
    sender: str = ""
    uuid: str | None = None
    text: str | None = None
    content: list[_Block] | None = None
    attachments: list[_Attachment] | None = None
    created_at: Any = None


class _Conversation(Struct):
    chat_messages: list[Raw]
    uuid: str = ""
    name: str | None = None
    created_at: Any = None
    updated_at: Any = None


class _Document(Struct):
    uuid: str = ""
    filename: str | None = None
    content: str | None = None
    created_at: Any = None


class _Project(Struct):
    uuid: str
    name: str | None = None
    prompt_template: str | None = None
    docs: list[_Document] = field(default_factory=list)
    created_at: Any = None


def read(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Draft | Skipped]:
    """A draft for each turn, each piece of an attached or project text, and each project's instructions."""
    for member in members(path, WANTED, max_bytes=max_bytes):
        for raw in items(member):
            conversation = decoded(raw, _Conversation)
            project = decoded(raw, _Project) if conversation is None else None
            if conversation is not None:
                yield from _turns(conversation)
            elif project is not None:
                yield from _texts(project)
            else:
                yield Skipped("malformed conversation or project")


def _turns(conversation: _Conversation) -> Iterator[Draft | Skipped]:
    at = when(conversation.created_at)
    for number, raw in enumerate(conversation.chat_messages):
        message = decoded(raw, _Message)
        if message is None or message.sender not in _SPEAKERS:
            yield Skipped("malformed message" if message is None else "message of an unknown sender")
            continue
        at = when(message.created_at) or at or when(conversation.updated_at) or EPOCH
        name = message.uuid or str(number)
        text = _text_of(message)
        if text or not message.attachments:
            turn = ImportedTurn(
                source="claude",
                conversation=conversation.uuid,
                message=name,
                text=text,
                speaker=_SPEAKERS[message.sender],
                number=number,
                at=at,
                title=conversation.name or "",
                url=f"https://claude.ai/chat/{conversation.uuid}" if UUID.fullmatch(conversation.uuid) else None,
            )
            yield from_turn(turn)
        yield from _attached(message, conversation, at=at)


def _text_of(message: _Message) -> str:
    """A message's text; its blocks are preferred, for the flat text also tells of blocks that could not be shown."""
    blocks = [block.text for block in message.content or () if block.type == "text" and block.text]
    return "\n\n".join(blocks) or message.text or ""


def _attached(message: _Message, conversation: _Conversation, *, at: datetime) -> Iterator[Draft | Skipped]:
    for attachment in message.attachments or ():
        told = meta({"title": conversation.name, "file": attachment.file_name})
        for piece in pieces(attachment.extracted_content or ""):
            yield drafted(
                piece,
                id=source_id("claude", conversation.uuid, message.uuid or "", attachment.file_name or "", piece),
                session=session("claude", conversation.uuid),
                at=at,
                meta=told,
            )


def _texts(project: _Project) -> Iterator[Draft | Skipped]:
    at, tags = when(project.created_at) or EPOCH, shorts(project.name)
    if project.prompt_template:
        told = meta({"project": project.name})
        called = source_id("claude", project.uuid, "prompt", project.prompt_template)
        yield drafted(project.prompt_template, id=called, kind="procedural", tags=tags, at=at, meta=told)
    for document in project.docs:
        told = meta({"project": project.name, "file": document.filename})
        for piece in pieces(document.content or ""):
            called = source_id("claude", project.uuid, document.uuid, piece)
            yield drafted(piece, id=called, tags=tags, at=when(document.created_at) or at, meta=told)
