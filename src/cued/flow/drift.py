"""drift: whether a conversation's recalls have stopped following it. Pure: a history in, a sentence out.

A cue that is built once and never again keeps bringing the same early memories while the work moves on, and it looks as if all were well.
"""

from collections.abc import Iterable
from hashlib import blake2b
from itertools import pairwise, takewhile

from msgspec import Struct


class Turn(Struct, frozen=True, kw_only=True):
    """One recall of a conversation: digests of its cue and of all that had been heard by then, and the ids that it chose."""

    cue: str
    state: str
    chosen: tuple[str, ...] = ()


def drift(history: Iterable[Turn], *, turns: int = 3) -> str:
    """How recalls have stopped following the conversation (oldest turn first) and what helps; "" while they follow it.

    It is drift when the same cue is used for this many turns while something was heard between each of them, or when the same memories
    come back for this many turns although each had another cue. Asking again with nothing new heard is the same turn.
    """
    moved = _moved(history)
    last = moved[-turns:]
    if len(last) < turns:
        return ""
    if all(turn.cue == last[-1].cue for turn in last):
        run = sum(1 for _ in takewhile(lambda turn: turn.cue == last[-1].cue, reversed(moved)))
        return f"the same cue for {run} turns while the conversation moved on: build it anew from the current goal, step and open questions"
    memories = set(last[-1].chosen)
    if memories and all(set(turn.chosen) == memories for turn in last) and all(a.cue != b.cue for a, b in pairwise(last)):
        return f"the same memories ({len(memories)}) for {turns} turns of changing cues: make the cue say what is new"
    return ""


def digest(*parts: object) -> str:
    """A short digest of these parts; other parts, or the same cut in other places, give another."""
    return blake2b(repr(parts).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()


def _moved(history: Iterable[Turn]) -> list[Turn]:
    """The turns with each repetition, the same cue in the same state, joined to the one before."""
    moved: list[Turn] = []
    for turn in history:
        if moved and (moved[-1].cue, moved[-1].state) == (turn.cue, turn.state):
            moved.pop()
        moved.append(turn)
    return moved
