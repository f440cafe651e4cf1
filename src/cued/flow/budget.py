"""budget: how much may go into the prompt. Core memories come first, then the recalled ones from the best down; what does not fit is named.

When the block would be too full the limit is lowered first, and the best memory is shortened before it is left out; only where
not even that fits is the floor raised above everything.
"""

from collections.abc import Sequence
from datetime import datetime

from cued.flow.compact import extract, least, summarised
from cued.flow.context import place_context
from cued.flow.render import around, core_line, frame, line
from cued.flow.table import Table
from cued.flow.trust import share_tokens, unverified, within_share
from cued.model import TRUSTS, Memory, Omitted
from cued.policy.spec import Budget
from cued.text.token_counts import estimate_tokens, least_tokens, most_tokens

IN_PROMPT, PINNED = "already in the prompt", "core: shown in every block"
"""Why a memory that is in view is not said again."""
LINE_TOKENS = 8
"""What no memory's line comes below; with its words counted, so that a full block costs no more time, whatever is left to try."""


def run(table: Table) -> None:
    """Keep the best rows that fit by count and by tokens, and strike the others with what they would have needed."""
    budget = table.policy.budget
    most = allowed_tokens(budget)
    left = None if most is None else most - estimate_tokens(frame(table))
    left = _place_core(table, left)
    rows = _eligible(table)
    table.mixed = table.mixed and not all(unverified(table, row) for row in rows)
    if table.mixed:
        rows = within_share(table, rows, budget.limit)
    if most is None or left is None:
        chosen = rows[: budget.limit]
    else:
        table.room_tokens = left - (estimate_tokens(around(table, "unverified")) if table.mixed else 0)
        chosen, left = _fitted(table, rows, most)
    if table.mixed:
        # what is verified may not have fitted
        chosen = within_share(table, chosen, len(chosen))
    taken = set(chosen)
    if beyond := [row for row in table.survivors() if row not in taken]:
        table.strike_all(beyond, "budget", f"beyond the limit of {budget.limit}")
    table.reasons[chosen], table.stages[chosen] = "chosen", "budget"
    if table.policy.render.neighbours and not table.compacted:
        place_context(table, chosen, left)


def allowed_tokens(budget: Budget) -> int | None:
    """How many tokens a block may have: the lesser of `tokens` and the memories' share of the window; None for no bound."""
    bounds = [budget.tokens] if budget.tokens is not None else []
    if budget.window is not None:
        bounds.append(int(budget.shares.memories * budget.window))
    return min(bounds, default=None)


def _place_core(table: Table, left: int | None) -> int | None:
    """The tokens that are left after the core memories that fit their own budget are laid out, by trust and then by importance."""
    bound = table.policy.budget.core
    most = bound if left is None else min(bound, left)
    spent = 0
    shown: list[Memory] = []
    left_out: list[Omitted] = []
    for memory in sorted(table.evidence.findings.core, key=_precedence):
        if memory.id in table.evidence.cue.present:
            left_out.append(Omitted(memory.id, IN_PROMPT))
            continue
        if most - spent < LINE_TOKENS:
            left_out.append(Omitted(memory.id, f"core: {max(0, most - spent)} tokens left of {max(0, most)}"))
            continue
        cost = estimate_tokens(core_line(table, memory)) + (0 if shown else estimate_tokens(around(table, "core")))
        if spent + cost > most:
            left_out.append(Omitted(memory.id, f"core: needs {cost} tokens, {most - spent} left of {most}"))
            continue
        spent += cost
        shown.append(memory)
    table.core, table.left_out = tuple(shown), tuple(left_out)
    return None if left is None else left - spent


def _precedence(core: Memory) -> tuple[int, float, datetime, str]:
    return TRUSTS.index(core.trust), -core.importance * core.use.boost, core.created_at, core.id


def _eligible(table: Table) -> list[int]:
    """The surviving rows that the prompt does not hold already, and strike the others."""
    present = set(table.evidence.cue.present)
    core = {memory.id for memory in table.core}
    for row in table.survivors():
        if table.ids[row] in core:
            table.strike(row, "budget", PINNED)
        elif table.ids[row] in present:
            table.strike(row, "budget", IN_PROMPT)
    return table.survivors()


def _fitted(table: Table, rows: Sequence[int], most: int) -> tuple[list[int], int]:
    """The rows that go into the block, and the tokens that are left then; rows that do not fit are struck."""
    budget = table.policy.budget
    if budget.overflow == "compact":
        within = list(rows[: budget.limit])
        costs = {row: estimate_tokens(line(table, row)) for row in within}
        left, share = table.room_tokens - estimate_tokens(around(table, "recalled")) - sum(costs.values()), share_tokens(table, most)
        if left >= 0 and sum(cost for row, cost in costs.items() if unverified(table, row)) <= share:
            return within, left
        if all(unverified(table, row) for row in within):
            table.room_tokens = min(table.room_tokens, share)
        return _digested(table, within, most), 0
    return _skipped_and_fitted(table, rows, most)


def _digested(table: Table, rows: Sequence[int], most: int) -> list[int]:
    """Compact the rows into one digest and give those that are in it."""
    table.overfull = list(rows)
    table.summary = summarised(table, rows, table.room_tokens - estimate_tokens(around(table, "recalled")))
    if table.summary:
        table.compacted = True
        return list(rows)
    table.part = "digest"
    left = table.room_tokens - estimate_tokens(around(table, "digest"))
    table.pieces = extract(table, rows, left)
    table.compacted = bool(table.pieces)
    if not table.pieces:
        return _nothing_fits(table, rows, most)
    for row in rows:
        if row not in table.pieces:
            needed = estimate_tokens(line(table, row, least(table, row)))
            lowered = _lowered(table, len(table.pieces))
            table.strike(row, "budget", f"{lowered}a shortened line needs {needed} tokens, and less is left of {most}")
    return list(table.pieces)


def _skipped_and_fitted(table: Table, rows: Sequence[int], most: int) -> tuple[list[int], int]:
    """Take rows from the best down as long as they fit, the best shortened if it must be; one that does not fit is passed over.

    What is unverified has a share of the room, and no more.
    """
    limit = table.policy.budget.limit
    left, share = table.room_tokens - estimate_tokens(around(table, "recalled")), share_tokens(table, most)
    if not table.policy.render.neighbours and _all_fit(table, rows[:limit], left, share):
        return list(rows[:limit]), left
    of_block, of_share = f"of {most}", f"for what is unverified, of a block of {most}"
    chosen: list[int] = []
    passed_over: dict[int, str] = {}
    for row in rows:
        if len(chosen) == limit:
            break
        unsure = unverified(table, row)
        room = min(left, share) if unsure else left
        whose = of_share if room < left else of_block
        least_cost = max(LINE_TOKENS, least_tokens(table.memories[row].text))
        if chosen and least_cost > room:
            passed_over[row] = f"needs at least {least_cost} tokens, {room} left {whose}"
            continue
        cost = estimate_tokens(line(table, row))
        if cost > room and row == rows[0]:
            table.pieces = extract(table, [row], room)
            table.compacted = bool(table.pieces)
            if not table.pieces:
                return _nothing_fits(table, rows, most), 0
            cost = estimate_tokens(line(table, row))
        if cost > room:
            passed_over[row] = f"needs {cost} tokens, {room} left {whose}"
            continue
        chosen.append(row)
        left, share = left - cost, share - (cost if unsure else 0)
    lowered = _lowered(table, len(chosen))
    if passed_over:
        table.strike_all(list(passed_over), "budget", [lowered + reason for reason in passed_over.values()])
    return chosen, left


def _all_fit(table: Table, rows: Sequence[int], left: int, share: int) -> bool:
    """Whether the rows surely fit, told by lengths alone; what is too long as it is need not be written out for that."""
    texts = sum(len(table.memories[row].text) for row in rows)
    if texts > left or sum(most_tokens(line(table, row)) for row in rows) > left:
        return False
    return share >= left or sum(most_tokens(line(table, row)) for row in rows if unverified(table, row)) <= share


def _lowered(table: Table, taken: int) -> str:
    limit = table.policy.budget.limit
    return f"limit lowered from {limit} to {taken}: " if taken < limit else ""


def _nothing_fits(table: Table, rows: Sequence[int], most: int) -> list[int]:
    """Strike every row, since not even a piece of the best one fits, and say what would do; nothing is chosen then."""
    if rows:
        left = max(0, table.room_tokens - estimate_tokens(around(table, table.part)))
        needed = estimate_tokens(line(table, rows[0], least(table, rows[0])))
        for row in rows:
            table.strike(row, "budget", f"floor raised above all: the best memory shortened needs {needed} tokens, {left} left of {most}")
    return []
