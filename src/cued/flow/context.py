"""Context: the turns before and after a chosen memory, shown along with it where they are among the candidates and fit."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import zip_longest

from cued.flow.render import context_line
from cued.flow.table import Side, Table
from cued.flow.trust import unverified
from cued.text.token_counts import estimate_tokens

Turn = tuple[int, Side]
Distance = tuple[int, timedelta, str]


def place_context(table: Table, chosen: Sequence[int], left: int | None) -> None:
    """Lay out the turns around each chosen row, best memory first and nearest turn first, as long as `left` tokens hold them."""
    reach = table.policy.render.neighbours
    shown = {table.ids[row] for row in chosen} | {memory.id for memory in table.core} | set(table.evidence.cue.present)
    for row in chosen:
        beside: list[Turn] = []
        for other, side in _turns_around(table, row, reach):
            if table.ids[other] in shown:
                continue
            if left is not None:
                cost = estimate_tokens(context_line(table, other, row, side))
                if cost > left:
                    continue
                left -= cost
            shown.add(table.ids[other])
            beside.append((other, side))
        table.context[row] = sorted(beside, key=lambda turn: _distance(table, turn[0], row))


def _turns_around(table: Table, row: int, reach: int) -> list[Turn]:
    """The candidates that are a row's turns before and after in its session, nearest first, one of each in turn."""
    session = table.memories[row].source.session
    if session is None:
        return []
    others = [other for other in range(len(table)) if other != row and table.memories[other].source.session == session]
    if table.policy.trust.one_in > 1:  # whatever else is recalled: nothing unverified stands beside what a user has said
        others = [other for other in others if unverified(table, row) or not unverified(table, other)]
    near = sorted((_distance(table, other, row), other) for other in others)
    own = _distance(table, row, row)
    before: list[Turn] = [(other, "before") for distance, other in near if distance < own and distance[0] >= -reach][-reach:]
    after: list[Turn] = [(other, "after") for distance, other in near if distance > own and distance[0] <= reach][:reach]
    return [turn for pair in zip_longest(before[::-1], after) for turn in pair if turn is not None]


def _distance(table: Table, other: int, row: int) -> Distance:
    """How far a turn is from another, by turns where both are numbered, then by time; negative when it came before."""
    there, here = table.memories[other], table.memories[row]
    numbered = there.source.turn is not None and here.source.turn is not None
    turns = (there.source.turn or 0) - (here.source.turn or 0) if numbered else 0
    return turns, there.created_at - here.created_at, there.id
