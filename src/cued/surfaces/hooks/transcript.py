"""The turns in a transcript of Claude Code: what the user and the assistant said in words, without tools, thoughts and asides."""

from pathlib import Path
from typing import Any

import msgspec

from cued.model.plain import JSON

_SPEAKERS = frozenset({"user", "assistant"})


def turns_in(path: str) -> list[JSON]:
    """The turns of a transcript, the oldest first; a file that is not there has none, and a line that cannot be read is passed over."""
    if not path or not Path(path).is_file():
        return []
    with Path(path).open("rb") as lines:
        return [turn for line in lines if (turn := _turn(line)) is not None]


def _turn(line: bytes) -> JSON | None:
    try:
        told = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    if not isinstance(told, dict) or told.get("type") not in _SPEAKERS or told.get("isMeta") or told.get("isSidechain"):
        return None
    message = told.get("message")
    text = _words(message.get("content")) if isinstance(message, dict) else ""
    if not text or text.startswith("<"):
        return None
    at = told.get("timestamp")
    return {"role": told["type"], "content": text, **({"at": at} if isinstance(at, str) else {})}


def _words(content: Any) -> str:  # noqa: ANN401 - whatever stands in a transcript
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text.strip() for text in texts if isinstance(text, str) and text.strip())
