"""Checks of what surrounds recall: the policy's settings, the block's share of the prompt, the database's files, and versions."""

from cued.insight.line import Line, failed, fine, percent, warned
from cued.insight.observing import Observed
from cued.insight.traffic import leaves, popular
from cued.stores.columns.kernels import SOURCE

ROOM_TOKENS = 4000
"""A quarter of a window of 16,000 tokens: what an unbounded block may come to."""
_FREE, _LOG_BYTES, _DISK_BYTES = 0.3, 64_000_000, 500_000_000
_CHANGES = 0.2
_ELSEWHERE = "kept in this process, or by a server whose own tools look after its files"


def lexical(seen: Observed) -> Line:
    """Whether the lexical channel is open; without it exact identifiers are lost."""
    if seen.policy.channels.lexical is not None:
        return fine("lexical", f"policy {seen.policy.name}", "the lexical channel is open")
    told = "the lexical channel is shut: exact identifiers will not be found"
    return failed("lexical", f"policy {seen.policy.name}", told, cause="lexical channel absent", mend="cued policy show cued")


def budget(seen: Observed) -> Line:
    """Whether the block's share of the prompt is bounded."""
    rules, largest = seen.policy.budget, max((line.tokens for line in seen.lines), default=0)
    figure = f"largest block {largest} tokens"
    if rules.window is not None:
        return fine("budget", f"{percent(rules.shares.memories)} of {rules.window} tokens, {figure}", "bounded by the model's window")
    if rules.tokens is not None:
        return fine("budget", f"at most {rules.tokens} tokens, {figure}", "bounded by its own budget")
    if largest <= ROOM_TOKENS:
        return fine("budget", f"at most {rules.limit} memories, {figure}", "bounded by the limit, within a quarter of a small window")
    told = f"no budget of tokens, and a block of more than {ROOM_TOKENS}: say the model's window, lower the limit, then raise the floor"
    return warned("budget", figure, told, cause="unbounded block", mend="cued recall CUE --window 16000")


def guide(seen: Observed) -> Line:
    """The decision guide on recency, for policies that trade it: by how much of what is stored has changed."""
    trades = any(term.lean for term in leaves(seen.policy.score.terms))
    changed = seen.stats.superseded / seen.stats.memories if seen.stats.memories else 0.0
    weight, figure = seen.policy.score.recency_weight, f"{percent(changed)} of {seen.stats.memories} memories were superseded"
    if not trades:
        return fine("guide", figure, f"policy {seen.policy.name} has no recency weight to choose")
    low, high = (0.7, 1.0) if changed > _CHANGES else (0.0, 0.3)
    if low <= weight <= high:
        return fine("guide", f"{figure}, recency weight {weight:g}", "as the decision guide has it")
    told = f"things {'change often' if changed > _CHANGES else 'hardly change'} here: a recency weight of {low:g} to {high:g} suits"
    mend = f"cued recall CUE --recency-weight {low:g}"
    return warned("guide", f"{figure}, recency weight {weight:g}", told, cause="recency weight", mend=mend)


def use(seen: Observed) -> Line:
    """Whether counts of use fade, so that what was popular once is not so for ever."""
    kept = seen.policy.settle.count_kept_per_day
    if kept < 1 or not popular(seen.policy):
        return fine("use", f"counts keep {percent(kept)} a day", "counts of use fade, or weigh next to nothing")
    told = "counts of use never fade, so what was popular once stays so: settle.count_kept_per_day = 0.99"
    return warned("use", "counts keep 100 % a day", told, cause="counts never fade", mend="cued policy show cued")


def database(seen: Observed) -> Line:
    """Whether the file is sound and tidy."""
    state = seen.condition
    if not state.place:
        return fine("database", "no file", _ELSEWHERE)
    free = state.free_pages / state.pages if state.pages else 0.0
    figure = f"{state.pages * state.page_bytes / 1e6:.1f} MB, {percent(free)} free pages, log {state.log_bytes / 1e6:.1f} MB"
    if state.sound != "ok":
        told = f"damaged: {state.sound}"
        return failed("database", figure, told, cause="damaged database", mend="cued restore BACKUP")
    if state.log_bytes > _LOG_BYTES:
        told = "the write-ahead log is long: some reader holds an old snapshot open"
        return warned("database", figure, told, cause="long write-ahead log", mend="cued backup copy.db")
    if free > _FREE and state.free_pages * state.page_bytes > _LOG_BYTES:
        told = "much of the file is empty: a copy of it is smaller"
        return warned("database", figure, told, cause="free pages", mend="cued backup copy.db")
    return fine("database", figure, "sound")


def disk(seen: Observed) -> Line:
    """Whether the disk has room."""
    room = seen.condition.free_disk_bytes
    if room is None:
        return fine("disk", "no file", _ELSEWHERE)
    if room > _DISK_BYTES:
        return fine("disk", f"{room / 1e9:.1f} GB free", "room to grow")
    told = "the disk is nearly full, and a write that finds no room is refused"
    return failed("disk", f"{room / 1e6:.0f} MB free", told, cause="disk full", mend="cued sweep --apply")


def permissions(seen: Observed) -> Line:
    """Whether the file is its owner's alone."""
    if not seen.condition.place:
        return fine("permissions", "no file", _ELSEWHERE)
    if not seen.condition.shared:
        return fine("permissions", seen.condition.place, "its owner's alone")
    told = f"{' and '.join(seen.condition.shared)} of this machine may read the memories"
    mend = f"chmod 600 {seen.condition.place}"
    return warned("permissions", seen.condition.place, told, cause="readable by others", mend=mend)


def versions(seen: Observed) -> Line:
    """Whether the file is of the schema that this Cued writes."""
    state = seen.condition
    if not state.place:
        return fine("versions", "no file", _ELSEWHERE)
    figure = f"schema {state.schema} of {state.knows}, {state.engine}"
    if state.schema == state.knows:
        return fine("versions", figure, "current")
    told = "the file is of an older schema: open it once for writing"
    return warned("versions", figure, told, cause="older schema", mend="cued stats")


def loops(seen: Observed) -> Line:
    """Whether the loops of a search are compiled."""
    if seen.condition.compiled:
        return fine("loops", "compiled", "a search takes as long as it has to")
    told = "no C compiler was at hand, or the loops are newer: recalls are the same, in up to twice the time; install the checkout again"
    again = "--editable ." if SOURCE.exists() else "."  # as before
    mend = f"pip install --force-reinstall --no-deps {again}"
    return warned("loops", "in numpy", told, cause="not compiled", mend=mend)
