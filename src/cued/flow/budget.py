"""budget: how many memories and how many tokens may go into the prompt; what does not fit is skipped, not the rest."""

from cued.flow.render import close, line, opening
from cued.flow.table import Table
from cued.text.tokens import estimate_tokens


def run(table: Table) -> None:
    """Keep the best rows that fit by count and by tokens, and strike the others with what they would have needed."""
    budget = table.policy.budget
    present = set(table.evidence.cue.present)
    taken = 0
    spent = estimate_tokens(opening(table) + close(table)) if budget.tokens else 0
    for row in table.survivors():
        if table.ids[row] in present:
            table.strike(row, "budget", "already in the prompt")
            continue
        if taken == budget.limit:
            table.strike(row, "budget", f"beyond the limit of {budget.limit}")
            continue
        if budget.tokens:
            # one more for the join, since an estimate of the whole may round up where its parts do not
            cost = estimate_tokens(line(table, row)) + 1
            if spent + cost > budget.tokens:
                table.strike(row, "budget", f"needs {cost} tokens, {max(0, budget.tokens - spent)} left of {budget.tokens}")
                continue
            spent += cost
        taken += 1
        table.fates[row], table.stages[row] = "chosen", "budget"
