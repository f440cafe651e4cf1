"""One tenant's verbs for asyncio, and those of a conversation."""

from collections.abc import AsyncIterator
from itertools import islice

from cued.handles.conversation import Conversation
from cued.handles.tenant import Tenant
from cued.handles.threads import Threads, awaited, in_loop
from cued.ports import Progress, silent

_LINES = 256


class AsyncConversation:
    """The recalls of one conversation, for asyncio; see `cued.Conversation`."""

    def __init__(self, conversation: Conversation, threads: Threads) -> None:
        """Wrap the conversation."""
        self._plain, self._run = conversation, threads.run

    def heard(self, text: str) -> None:
        """Take note of what happened between recalls."""
        self._plain.heard(text)

    recall = awaited(Conversation.recall)


class AsyncTenant:
    """One tenant's memories, for asyncio: every verb of `cued.Tenant`, with the same arguments and answers.

    What is handed in is called in the worker's thread (a `boost`), and what hears of progress in the loop's.
    """

    def __init__(self, tenant: Tenant, threads: Threads) -> None:
        """Wrap the handle."""
        self._plain, self._run, self._threads = tenant, threads.run, threads
        self.name = tenant.name

    def __repr__(self) -> str:
        """Whose handle it is."""
        return f"{type(self).__name__}({self.name!r})"

    def conversation(self, *, turns: int = 3, keep: int = 10, avoid_repeats: bool = False) -> AsyncConversation:
        """A handle that recalls turn after turn."""
        return AsyncConversation(self._plain.conversation(turns=turns, keep=keep, avoid_repeats=avoid_repeats), self._threads)

    remember = awaited(Tenant.remember)
    remember_many = awaited(Tenant.remember_many)
    remember_turns = awaited(Tenant.remember_turns)
    get = awaited(Tenant.get)
    known = awaited(Tenant.known)
    list = awaited(Tenant.list)
    update = awaited(Tenant.update)
    conflicts = awaited(Tenant.conflicts)
    keep_both = awaited(Tenant.keep_both)
    forget = awaited(Tenant.forget)
    restore = awaited(Tenant.restore)
    quarantine = awaited(Tenant.quarantine)
    promote = awaited(Tenant.promote)
    erase_everything = awaited(Tenant.erase_everything)
    stats = awaited(Tenant.stats)
    recall = awaited(Tenant.recall)
    explain = awaited(Tenant.explain)
    gather = awaited(Tenant.gather)
    bootstrap = awaited(Tenant.bootstrap)
    feedback = awaited(Tenant.feedback)
    why = awaited(Tenant.why)
    timeline = awaited(Tenant.timeline)
    map = awaited(Tenant.map)
    keep = awaited(Tenant.keep)
    log = awaited(Tenant.log)
    plan_consolidation = awaited(Tenant.plan_consolidation)
    consolidate = awaited(Tenant.consolidate)
    merges = awaited(Tenant.merges)
    unmerge = awaited(Tenant.unmerge)
    expired = awaited(Tenant.expired)
    sweep = awaited(Tenant.sweep)
    cool = awaited(Tenant.cool)
    reembed = awaited(Tenant.reembed)
    import_file = awaited(Tenant.import_file)
    insight = awaited(Tenant.insight)
    doctor = awaited(Tenant.doctor)
    replay = awaited(Tenant.replay)
    compare = awaited(Tenant.compare)
    tune = awaited(Tenant.tune)
    policy_save = awaited(Tenant.policy_save)
    policy_history = awaited(Tenant.policy_history)
    policy_rollback = awaited(Tenant.policy_rollback)
    unlabelled = awaited(Tenant.unlabelled)
    label = awaited(Tenant.label)

    async def export(self, *, vectors: bool = False, progress: Progress = silent) -> AsyncIterator[bytes]:
        """The lines that `Tenant.export` gives, read in the worker's thread some hundred at a time."""
        lines = await self._run(self._plain.export, vectors=vectors, progress=in_loop(progress))
        while chunk := await self._run(lambda: [*islice(lines, _LINES)]):
            for line in chunk:
                yield line
