"""The candidate table: columns over candidates, who is still alive, and why the others are not."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cued.model import Column, Evidence, Matrix, Memory, Omitted, Traits, Use
from cued.policy.spec import Policy

Order = NDArray[np.intp]
Pairs = tuple[Order, Order]
Turns = NDArray[np.bool_]
Words = NDArray[np.object_]
Part = Literal["core", "recalled", "digest", "unverified"]
Side = Literal["before", "after"]


class Table:
    """Candidates as columns, sorted by id so that nothing depends on the order in which they were found.

    A stage adds columns or strikes rows with a reason; nothing is thrown away, so what is left at the end explains the recall.
    """

    def __init__(self, evidence: Evidence, policy: Policy) -> None:
        """Lay out the evidence's candidates, all of them alive."""
        self.evidence = evidence
        self.policy = policy
        findings = evidence.findings
        found = [memory.id for memory in findings.memories]
        in_order = sorted(found)
        self.ids: tuple[str, ...] = tuple(in_order)
        self.memories: tuple[Memory, ...] = tuple(findings.memories)
        self.columns: dict[str, Column] = dict(findings.columns)
        self.vectors: Matrix | None = findings.vectors
        self.boost: Column | None = evidence.boost
        told = findings.traits
        self.traits = told if told is not None and told.memories is findings.memories else Traits(findings.memories)
        if in_order != found:  # a store gives them in this order already
            order = np.array(sorted(range(len(found)), key=found.__getitem__), dtype=np.intp)
            self.memories = tuple(self.memories[row] for row in order)
            self.columns = {name: column[order] for name, column in self.columns.items()}
            self.vectors = None if self.vectors is None else self.vectors[order]
            self.boost = None if self.boost is None else self.boost[order]
            self.traits = Traits(self.memories)
        self.contributions: dict[str, Column] = {}
        self.reasons: Words = np.full(len(found), "", dtype=object)
        self.stages: Words = np.full(len(found), "", dtype=object)
        self.duplicates: dict[int, list[str]] = {}
        self.mixed = False
        self.lines: dict[tuple[int, str, str | None], str] = {}
        self.degraded: list[str] = list(evidence.degraded)
        self.alive: NDArray[np.bool_] = np.ones(len(found), dtype=np.bool_)
        self.order: Order = np.arange(len(found), dtype=np.intp)
        # One for all who have nothing to say of any candidate, and nobody's to write to.
        self.nothing: Column = np.zeros(len(found))
        self.nothing.setflags(write=False)
        self._apart: dict[int, Pairs] = {}
        self._no_layout()

    def _no_layout(self) -> None:
        """Start with an empty block: `budget` decides what goes into it, `render` writes it."""
        self.core: tuple[Memory, ...] = ()
        self.left_out: tuple[Omitted, ...] = ()
        self.part: Part = "recalled"
        self.pieces: dict[int, str] = {}
        self.context: dict[int, list[tuple[int, Side]]] = {}
        self.summary: tuple[str, str] | None = None
        self.overfull: list[int] = []
        self.room_tokens = 0
        self.compacted = False
        self.block = ""

    def __len__(self) -> int:
        """The number of candidates, struck ones included."""
        return len(self.ids)

    def strike(self, row: int, stage: str, reason: str) -> None:
        """Take a row out of the running, with the stage and the reason; only the first reason counts."""
        if self.alive[row]:
            self.alive[row] = False
            self.stages[row] = stage
            self.reasons[row] = reason

    def strike_all(self, rows: Order | list[int], stage: str, reasons: str | Sequence[str]) -> None:
        """Take rows out of the running that are all alive, for one reason or each for its own."""
        self.alive[rows], self.stages[rows], self.reasons[rows] = False, stage, reasons

    def product(self, one: Column, other: Column) -> Column:
        """One column times another; `nothing` where one of them is."""
        return self.nothing if one is self.nothing or other is self.nothing else one * other

    @cached_property
    def texts(self) -> list[str]:
        """Each candidate's text, for whoever reads all of them."""
        return [memory.text for memory in self.memories]

    def text(self, row: int) -> str:
        """One candidate's text."""
        return self.memories[row].text

    @cached_property
    def notes(self) -> Column:
        """1 for each candidate that is a note, and 0 for what was said in a session; `nothing` where all of them were.

        What a session has without a turn and without a speaker was noted in it: what was made of it, or the items of a list.
        """
        traits = self.traits
        notes = (traits.session < 0.0) | (np.isnan(traits.turn) & (traits.speaker < 0.0))
        return notes.astype(float) if notes.any() else self.nothing

    @cached_property
    def speakers(self) -> dict[str, float]:
        """All who have said a candidate, each with its code among the traits."""
        by_code = dict(zip(self.traits.speaker.tolist(), self.memories, strict=True))
        return {memory.source.speaker: code for code, memory in by_code.items() if memory.source.speaker}

    def spoken_by(self, speaker: str) -> Turns:
        """Which candidates one of the speakers has said in a session."""
        spoken: Turns = (self.traits.speaker == self.speakers[speaker]) & (self.traits.session >= 0.0)
        return spoken

    @cached_property
    def used(self) -> list[tuple[int, Use]]:
        """The rows that were ever recalled or judged, each with its use."""
        return [(row, self.memories[row].use) for row in self.traits.used.nonzero()[0].tolist()]

    @cached_property
    def _in_turn(self) -> tuple[Order, Column, Column]:
        """The candidates that are turns by session and turn, and those of each; of several of one turn the last."""
        session, turn = self.traits.session, self.traits.turn
        rows = ((session >= 0.0) & ~np.isnan(turn)).nonzero()[0]
        rows = rows[np.lexsort((turn[rows], session[rows]))]
        sessions, turns = session[rows], turn[rows]
        last = np.ones(len(rows), dtype=np.bool_)
        last[:-1] = (sessions[1:] != sessions[:-1]) | (turns[1:] != turns[:-1])
        return rows[last], sessions[last], turns[last]

    def turns_apart(self, step: int) -> Pairs:
        """The candidates that are so many turns apart in one session, pair by pair: the earlier ones, and the later ones."""
        if step not in self._apart:
            rows, sessions, turns = self._in_turn
            found = list[Order]()
            # Whatever lies between is a turn as well, so the other is so many places further on at most.
            for ahead in range(1, step + 1):
                apart = (sessions[ahead:] == sessions[:-ahead]) & (turns[ahead:] - turns[:-ahead] == step)
                found += rows[:-ahead][apart], rows[ahead:][apart]
            self._apart[step] = np.concatenate(found[::2]), np.concatenate(found[1::2])
        return self._apart[step]

    def sort_by(self, column: Column) -> None:
        """Order the rows by a column, highest first, ties by id."""
        self.order = (-column).argsort(kind="stable")

    def survivors(self) -> list[int]:
        """The rows still alive, in order."""
        rows: list[int] = self.order[self.alive[self.order]].tolist()
        return rows

    @property
    def now(self) -> datetime:
        """The moment that ages are counted from: the cue's as_of, else its now."""
        return self.evidence.cue.as_of or self.evidence.cue.now

    @cached_property
    def now_s(self) -> float:
        """The moment that ages are counted from, in seconds since the epoch."""
        return self.now.timestamp()


def filled(column: Column) -> Column:
    """A column with 0 where there is no value."""
    return np.where(np.isnan(column), 0.0, column)
