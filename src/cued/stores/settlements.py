"""What recalls leave behind with a tenant, as the store's rules have it written: uses on top of what is stored, and lines of the log."""

from collections.abc import Collection, Iterator, Sequence

from cued.model import LogRules, RecallEntry, Settlement
from cued.ports import Transaction
from cued.stores.admission import admit_entry
from cued.stores.recall_log import all_stored, as_kept, bare, without_ids
from cued.stores.use import counted


def admitted(entries: Sequence[RecallEntry], rules: LogRules, *, keep: bool = False) -> list[RecallEntry]:
    """These lines as they may be written; with `keep` with their cue and evidence, whatever the rules say."""
    lines = [admit_entry(entry) for entry in entries]
    return lines if keep else [as_kept(each, rules) if each.cue or each.evidence else each for each in lines]


def write(rows: Transaction, left: Settlement, rules: LogRules) -> bool:
    """Whether this was written, whose lines are admitted; of a tenant that was known and is gone by now nothing is.

    What such a tenant's recalls named was stored when they were made: an id that is gone by now was erased, and is written nowhere.
    """
    if left.known and not rows.head().change:
        return False
    named = {each for line in left.entries for each in _ids_in(line)} if left.known else set()
    found = rows.read(sorted({touch.id for touch in left.touches} | named))
    lines = [_without_erased(rows, line, named.difference(found)) for line in left.entries]
    if left.touches:
        rows.put_uses(counted(found, left.touches))
    if lines:
        rows.put_log(lines, rules)
    return True


def _ids_in(line: RecallEntry) -> Iterator[str]:
    """The ids of the memories that a recall chose, and that the policy on trial would have chosen."""
    yield from line.chosen
    if line.shadow is not None:
        yield from line.shadow.chosen


def _without_erased(rows: Transaction, line: RecallEntry, gone: Collection[str]) -> RecallEntry:
    """The line, in which what was erased since the recall does not come back: neither by its id nor in the evidence."""
    if any(each in gone for each in _ids_in(line)):
        return without_ids(line, gone)
    return line if line.evidence is None or all_stored(rows, line.evidence) else bare(line)
