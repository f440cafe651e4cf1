"""What recalls leave behind with a tenant, as the store's rules have it written: uses on top of what is stored, and lines of the log."""

from collections.abc import Sequence

from cued.model import LogRules, RecallEntry, Settlement
from cued.ports import Transaction
from cued.stores.admission import admit_entry
from cued.stores.recall_log import all_stored, as_kept, bare
from cued.stores.use import counted


def admitted(entries: Sequence[RecallEntry], rules: LogRules, *, keep: bool = False) -> list[RecallEntry]:
    """These lines as they may be written; with `keep` with their cue and evidence, whatever the rules say."""
    lines = [admit_entry(entry) for entry in entries]
    return lines if keep else [as_kept(each, rules) if each.cue or each.evidence else each for each in lines]


def write(rows: Transaction, left: Settlement, rules: LogRules) -> bool:
    """Whether this was written, whose lines are admitted; of a tenant that was known and is gone by now nothing is."""
    if left.known and not rows.head().change:
        return False
    # what was erased since the recall must not come back in its evidence
    lines = [line if line.evidence is None or all_stored(rows, line.evidence) else bare(line) for line in left.entries]
    if left.touches:
        rows.put_uses(counted(rows.read([touch.id for touch in left.touches]), left.touches))
    if lines:
        rows.put_log(lines, rules)
    return True
