"""Drafts from other programs' files: with ids that are the same every time, clean texts and plausible times."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from msgspec import Struct

from cued.errors import InputError
from cued.importers.intake import Skipped
from cued.model import EPOCH, Scalar
from cued.requests.checks import MAX_LABEL, MAX_META, MAX_TAGS, MAX_TEXT, moment
from cued.requests.draft import Draft
from cued.text.entities import entities

PIECE = 1500
UUID = re.compile(r"[0-9a-f-]{36}")

TOO_LONG = Skipped(f"text longer than {MAX_TEXT} characters")
EMPTY = Skipped("empty text")

_MILLISECONDS_FROM = 1e11
_LATEST_S = 7_258_118_400
_CUTS = ("\n\n", "\n", ". ", "\u3002", " ")
_LARGEST = 2**53


class ImportedTurn(Struct, frozen=True, kw_only=True):
    """One turn of a conversation, whoever kept it."""

    source: str
    conversation: str
    message: str
    text: str
    speaker: str
    number: int
    at: datetime
    title: str = ""
    url: str | None = None


def from_turn(turn: ImportedTurn) -> Draft | Skipped:
    """The draft of a turn: an episode of its session."""
    return drafted(
        turn.text,
        id=source_id(turn.source, turn.conversation, turn.message),
        kind="episodic",
        session=session(turn.source, turn.conversation),
        turn=turn.number,
        speaker=turn.speaker,
        url=turn.url,
        at=turn.at,
        meta=meta({"title": turn.title}),
    )


def drafted(text: str, **facts: object) -> Draft | Skipped:
    """A draft of this text with these fields of Draft, or why there is none."""
    kept = clean(text)
    if not kept:
        return EMPTY
    return Draft(text=kept, trust="import", **facts) if len(kept) <= MAX_TEXT else TOO_LONG  # type: ignore[arg-type]


def source_id(source: str, *parts: str) -> str:
    """The id of a memory, derived from its name at the source, so that a second import recognises it."""
    told = "".join(f"{len(part)}:{part}" for part in parts)
    return f"{source}-{blake2b(told.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def session(source: str, conversation: str) -> str:
    """The name of a session by its name at the source."""
    plain = clean(conversation)
    return f"{source}:{plain}" if plain and len(plain) <= MAX_LABEL // 2 else source_id(source, conversation)


def clean(text: str) -> str:
    """The text as every store can keep it: without NUL and lone surrogates, and without white space around it."""
    return text.replace("\0", "").encode("utf-8", "replace").decode().strip()


def short(text: object) -> str:
    """A text as a name in one line, cut to the length of a label; "" for what is no text."""
    return " ".join(clean(text[: MAX_LABEL * 4]).split())[:MAX_LABEL].strip() if isinstance(text, str) else ""


def shorts(values: object) -> tuple[str, ...]:
    """Those of the values that can be names, once each, as many as a memory can have."""
    given: Iterable[object] = values if isinstance(values, list | tuple) else (values,)
    return tuple(dict.fromkeys(name for name in map(short, given) if name))[:MAX_TAGS]


def names(*called: str) -> tuple[str, ...]:
    """The entities in these names, in the form that a cue's entities have; a name that no rule knows is one by itself."""
    known = [name for each in called for name in (*entities(each), short(each).casefold())]
    return shorts(known)


def meta(values: Mapping[str, object]) -> dict[str, Scalar]:
    """Those of the values that metadata can hold: short texts, numbers that every store can carry, true and false."""
    kept: dict[str, Scalar] = {}
    for key, value in values.items():
        name = short(key)
        if isinstance(value, str) and short(value):
            kept[name] = short(value)
        elif isinstance(value, int | float) and abs(value) < _LARGEST:
            kept[name] = value
    kept.pop("", None)
    return dict(list(kept.items())[:MAX_META])


def when(value: object) -> datetime | None:
    """The time in a number of seconds or milliseconds since 1970, or in an ISO 8601 text; None for what is no plausible time."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return _plausible(_written(str(value)))
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        return None
    seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
    return EPOCH + timedelta(seconds=seconds) if 0 < seconds < _LATEST_S else None


def pieces(text: str, *, most: int = PIECE) -> Iterator[str]:
    """A long text in pieces of at most `most` characters, cut after a paragraph, a line, a sentence or a word, whichever is there."""
    whole = clean(text)
    start = 0
    while start < len(whole):
        end = start + most
        if end < len(whole):
            end = next((at for at in (_cut(whole, mark, start, end) for mark in _CUTS) if at), end)
        piece = whole[start:end].strip()
        if piece:
            yield piece
        start = end


def _cut(text: str, mark: str, start: int, end: int) -> int:
    """Where the last such mark of a stretch ends; 0 when it would leave a piece of less than a quarter."""
    at = text.rfind(mark, start + (end - start) // 4, end)
    return at + len(mark) if at >= 0 else 0


def _written(text: str) -> datetime | None:
    try:
        return moment("at", text[:64].strip())
    except InputError:
        return None


def _plausible(time: datetime | None) -> datetime | None:
    latest = datetime.fromtimestamp(_LATEST_S, UTC)
    return time if time is not None and EPOCH < time < latest else None
