"""The turns in a transcript of Claude Code: what the user and the assistant said in words, without tools, thoughts and asides."""

import re
from pathlib import Path
from typing import Any

import msgspec

from cued.errors import InputError
from cued.model.plain import JSON
from cued.requests.checks import MAX_TEXT, checked_text, moment

_ASIDE = re.compile(r"<[a-z]+[-_][a-z_-]+>")
"""How the client's own remarks begin, such as `<command-name>`; what a user writes in HTML does not."""
_SPEAKERS = frozenset({"user", "assistant"})


def turns_in(path: str) -> list[JSON]:
    """The turns of a transcript, the oldest first, each as it can be stored.

    A missing file has none, and a line that cannot be read or stored is skipped. A turn without a time, or with an earlier one than the
    turn before it (as when a user types into a running answer), gets the time of that turn: the last turn must be the newest.
    """
    if not path or not Path(path).is_file():
        return []
    with Path(path).open("rb") as lines:
        turns = [turn for line in lines if (turn := _turn(line)) is not None]
    last = next((turn["at"] for turn in turns if turn["at"]), "")
    for turn in turns:
        last = max(turn["at"], last)
        turn["at"] = last or None
    return turns


def _turn(line: bytes) -> JSON | None:
    try:
        told = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("type") not in _SPEAKERS or told.get("isMeta") or told.get("isSidechain"):
        return None
    message = told.get("message")
    text = _storable(_words(message.get("content"))) if isinstance(message, dict) else ""
    if not text or _ASIDE.match(text):
        return None
    return {"role": told["type"], "content": text, "at": _time(told.get("timestamp"))}


def _words(content: Any) -> str:  # noqa: ANN401 - whatever stands in a transcript
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text.strip() for text in texts if isinstance(text, str) and text.strip())


def _storable(text: str) -> str:
    """The text, shortened to what a memory can hold; "" where it cannot be stored, so that the turns after it still are."""
    text = text.replace("\0", " ").strip()
    text = text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    try:
        return checked_text("content", text)
    except InputError:
        return ""


def _time(said: Any) -> str:  # noqa: ANN401 - whatever stands in a transcript
    """A time in a form that sorts as text; "" where there is none."""
    try:
        at = moment("timestamp", said) if isinstance(said, str) else None
    except InputError:
        return ""
    return "" if at is None else at.isoformat(timespec="microseconds")
