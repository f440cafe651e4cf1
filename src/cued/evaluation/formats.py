"""Readers for the public benchmarks as they are downloaded, and the one way in: a folder, or a file told by its content."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from cued.errors import InputError
from cued.evaluation.dataset import Dataset, Item, Query, gathered, opened, read_folder

Pairs = list[tuple[str, Item]]
_ACCEPTED = "a folder with memories.jsonl and queries.jsonl, LoCoMo's locomo10.json, or a file of LongMemEval's (longmemeval_s.json …)"
_LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_LOCOMO_TURN = re.compile(r"D\d+:\d+")
_LOCOMO_SESSION = re.compile(r"session_(\d+)")
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"
_LONGMEMEVAL_TIME = "%Y/%m/%d (%a) %H:%M"


class _LocomoTurn(Struct, frozen=True):
    speaker: str
    dia_id: str
    text: str = ""
    blip_caption: str | None = None


class _LocomoQuestion(Struct, frozen=True):
    question: str
    category: int
    evidence: tuple[str, ...] = ()


class _LocomoSample(Struct, frozen=True):
    conversation: dict[str, Any]
    qa: tuple[_LocomoQuestion, ...]
    sample_id: str = ""


class _ChatTurn(Struct, frozen=True):
    role: str
    content: str
    has_answer: bool | None = None


class _LongMemEvalQuestion(Struct, frozen=True):
    question_id: str
    question_type: str
    question: str
    question_date: str
    haystack_dates: tuple[str, ...]
    haystack_session_ids: tuple[str, ...]
    haystack_sessions: tuple[tuple[_ChatTurn, ...], ...]
    answer_session_ids: tuple[str, ...] = ()


def read(path: Path) -> Dataset:
    """The data set at this path."""
    if path.is_dir():
        return read_folder(path)
    if not path.is_file():
        raise InputError("data set", str(path), _ACCEPTED)
    data = opened(path)
    name = path.name.removesuffix(".gz").removesuffix(".json")
    for mark, reader in _READERS.items():
        if mark in data:
            try:
                return reader(name, data)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise InputError(str(path), "something else", f"{_ACCEPTED} ({error})") from error
    raise InputError(str(path), data[:40].decode("utf-8", "replace"), _ACCEPTED)


def _locomo(name: str, data: bytes) -> Dataset:
    """LoCoMo (Maharana et al., ACL 2024): each conversation a tenant; asked when its last session began."""
    items: Pairs = []
    queries: list[Query] = []
    for number, sample in enumerate(msgspec.json.decode(data, type=tuple[_LocomoSample, ...]), 1):
        tenant = sample.sample_id or f"conversation-{number}"
        turns = list(_locomo_turns(sample.conversation))
        items += [(tenant, item) for item, _ in turns]
        asked_at = max((begun for _, begun in turns), default=datetime.min.replace(tzinfo=UTC))
        sessions = {item.id: item.session or "" for item, _ in turns if item.text}
        for place, asked in enumerate(sample.qa):
            # the file names some turns that do not exist, and some together in one string
            gold = tuple(dict.fromkeys(turn for said in asked.evidence for turn in _LOCOMO_TURN.findall(said) if turn in sessions))
            queries.append(
                Query(
                    id=f"{tenant}/{place}",
                    tenant=tenant,
                    text=asked.question,
                    asked_at=asked_at,
                    category=_LOCOMO_CATEGORIES.get(asked.category, str(asked.category)),
                    gold_ids=gold,
                    gold_sessions=tuple(dict.fromkeys(sessions[turn] for turn in gold)),
                )
            )
    memories, blank = gathered(items)
    return Dataset(name=name, memories=memories, queries=tuple(queries), blank=blank)


def _locomo_turns(conversation: dict[str, Any]) -> Iterator[tuple[Item, datetime]]:
    for session, turns in conversation.items():
        if not _LOCOMO_SESSION.fullmatch(session) or not turns:
            continue
        begun = _moment(conversation.get(f"{session}_date_time"), _LOCOMO_TIME)
        for place, turn in enumerate(msgspec.convert(turns, tuple[_LocomoTurn, ...])):
            photo = f" [shares {turn.blip_caption}]" if turn.blip_caption else ""
            at = begun + timedelta(seconds=place)
            text = (turn.text + photo).strip()
            yield Item(id=turn.dia_id, text=text, session=session, turn=place, speaker=turn.speaker, at=at), begun


def _longmemeval(name: str, data: bytes) -> Dataset:
    """LongMemEval (Wu et al., ICLR 2025): each question a tenant of its own; ids ending in _abs have no answer."""
    items: Pairs = []
    queries: list[Query] = []
    for asked in msgspec.json.decode(data, type=tuple[_LongMemEvalQuestion, ...]):
        gold: list[str] = []
        gold_sessions: list[str] = []
        for number, (session_id, said_at, turns) in enumerate(
            zip(asked.haystack_session_ids, asked.haystack_dates, asked.haystack_sessions, strict=True)
        ):
            # a session can stand in a haystack twice; its place tells the two apart
            session = f"{number}/{session_id}"
            chat = list(_chat(session, turns, begun=_moment(said_at, _LONGMEMEVAL_TIME)))
            items += [(asked.question_id, item) for item in chat]
            gold += [item.id for item, turn in zip(chat, turns, strict=True) if turn.has_answer and turn.content.strip()]
            gold_sessions += [session] if session_id in asked.answer_session_ids else []
        queries.append(
            Query(
                id=asked.question_id,
                tenant=asked.question_id,
                text=asked.question,
                asked_at=_moment(asked.question_date, _LONGMEMEVAL_TIME),
                category="abstention" if asked.question_id.endswith("_abs") else asked.question_type,
                gold_ids=tuple(gold),
                gold_sessions=tuple(gold_sessions),
            )
        )
    memories, blank = gathered(items)
    return Dataset(name=name, memories=memories, queries=tuple(queries), blank=blank)


def _chat(session: str, turns: Sequence[_ChatTurn], *, begun: datetime) -> Iterator[Item]:
    for place, turn in enumerate(turns):
        at = begun + timedelta(seconds=place)
        yield Item(id=f"{session}/{place}", text=turn.content, session=session, turn=place, speaker=turn.role, at=at)


def _moment(written: object, layout: str) -> datetime:
    try:
        return datetime.strptime(str(written), layout).replace(tzinfo=UTC)
    except ValueError as error:
        raise InputError("time", written, f"a time written as {datetime(2023, 5, 8, 13, 56, tzinfo=UTC).strftime(layout)!r}") from error


_READERS: dict[bytes, Callable[[str, bytes], Dataset]] = {b'"haystack_sessions"': _longmemeval, b'"conversation"': _locomo}
