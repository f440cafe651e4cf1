"""Two stores and the plain model, driven side by side: each deed is done to all three, and then they are compared."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from msgspec import json

import cued
from cued.errors import InputError, NotFoundError
from tests.building import policy
from tests.fakes import FixedClock
from tests.truth.model import GLOBAL, Belief, RefusedError, Truth

TENANTS = ("ada", "bob")
SCOPES = (GLOBAL, "boat", "house")
CUE = "What does Ada drink in the morning, and where is the spare key of the white gate?"
EVERYTHING = policy(
    """
    [channels]
    dense = { pool = 1000 }
    lexical = { pool = 1000 }
    [budget]
    limit = 100
    core = 100000
    """
)
VARYING = frozenset({"recall_id", "stage_ms", "total_ms", "tenant", "seal"})


class World:
    """Two tenants in a store in memory and in one in a file or elsewhere, with one clock, and what is true about each."""

    def __init__(self, elsewhere=None):
        self._folder = Path(mkdtemp(prefix="cued-truth-"))
        self.clock = FixedClock()
        self._stores = [
            cued.open(path, embedder="hashing", clock=self.clock, settle="now")
            for path in (None, elsewhere or self._folder / "memories.db")
        ]
        self._names = {tenant: tenant for tenant in TENANTS}
        self.truths = {tenant: Truth() for tenant in TENANTS}
        self.moments = []
        self._seen = {tenant: {} for tenant in TENANTS}
        self._counts = dict.fromkeys(TENANTS, 0)
        self._touched = set()
        self._before = {}

    def close(self):
        for store in self._stores:
            store.close()
        rmtree(self._folder)

    @property
    def now(self):
        return self.clock.now

    def handles(self, tenant):
        """Give the tenant's handle in each store; whoever asks for it may change something."""
        self._touched.add(tenant)
        return [store.tenant(self._names[tenant]) for store in self._stores]

    # Deeds.

    def remember(self, tenant, text, *, days_ago=0, supersedes=(), sources=(), **facts):
        """Store a memory under a new id, as of now or as of some days ago; both tenants have the same ids."""
        self._counts[tenant] += 1
        at, memory_id = self.now - timedelta(days=days_ago), self.name_ahead(tenant, 0)
        if days_ago:
            # The past is another one from now on.
            self._seen[tenant].clear()
        belief = Belief(memory_id, text, at, sources=list(sources), **lasting(facts, at))
        told_too = {"id": memory_id, "at": at, "supersedes": supersedes, "derived_from": sources, "conflicts": False}
        self._do(
            tenant,
            lambda truth: truth.remember(belief, supersedes),
            lambda handle: handle.remember(text, **told_too, **facts),
        )

    def name_ahead(self, tenant, count):
        """Give the id that the tenant's last memory has, or the one so many after it will have."""
        return f"m{self._counts[tenant] + count:02}"

    def update(self, tenant, memory_id, **facts):
        """Change a memory in place."""
        if set(facts) - {"supersedes", "text"}:
            self._seen[tenant].clear()
        self._do(
            tenant,
            lambda truth: truth.update(memory_id, at=self.now, **lasting(facts, self.now)),
            lambda handle: handle.update(memory_id, **facts),
        )

    def forget(self, tenant, *memory_ids):
        """Hide memories."""
        self._do(tenant, lambda truth: truth.forget(*memory_ids, at=self.now), lambda handle: handle.forget(*memory_ids))

    def restore(self, tenant, *memory_ids):
        """Undo that, for the past too."""
        self._seen[tenant].clear()
        self._do(tenant, lambda truth: truth.restore(*memory_ids), lambda handle: handle.restore(*memory_ids))

    def erase(self, tenant, *memory_ids):
        """Remove memories for good, from the past too."""
        self._seen[tenant].clear()
        self._do(tenant, lambda truth: truth.erase(*memory_ids), lambda handle: handle.forget(*memory_ids, erase=True))

    def sweep(self, tenant):
        """Remove what has expired."""
        due = self.truths[tenant].sweep(at=self.now)
        if due:
            self._seen[tenant].clear()
        assert [sorted(handle.sweep()) for handle in self.handles(tenant)] == [sorted(due)] * 2

    def consolidate(self, tenant):
        """Merge what says the same, until nothing is left; each merge must be one that may be done, and none may be left out.

        A second round finds something where a reflection gave way in the first: what it had stood on may then give way too.
        """
        truth = self.truths[tenant]
        while truth.mergeable(at=self.now):
            one, other = (handle.consolidate() for handle in self.handles(tenant))
            assert one == other
            assert one.merged
            assert one.skipped == ()
            for merge in one.merged:
                truth.merge(merge.newer, merge.older, at=self.now)
        assert [handle.plan_consolidation().merges for handle in self.handles(tenant)] == [(), ()]
        self.agree_on_merges(tenant)

    def unmerge(self, tenant, newer):
        """Bring back what was merged into a memory."""
        back = self.truths[tenant].unmerge(newer, at=self.now)
        assert [sorted(handle.unmerge(newer)) for handle in self.handles(tenant)] == [sorted(back)] * 2
        self.agree_on_merges(tenant)

    def move_house(self, tenant):
        """Export the tenant and import it under another name, where its history goes on; the old one is erased."""
        old, lines = self.handles(tenant), []
        for handle, kind in zip(old, ("memory", "sqlite"), strict=True):
            file = self._folder / f"{kind}.jsonl"
            file.write_bytes(b"".join(handle.export(vectors=True)))
            lines.append(comparable(handle))
        assert lines[0] == lines[1]
        self._names[tenant] += "-again"
        # Each store takes in what the other has given.
        for handle, kind in zip(self.handles(tenant), ("sqlite", "memory"), strict=True):
            handle.import_file(self._folder / f"{kind}.jsonl")
            assert unlabelled(comparable(handle)) == unlabelled(lines[0])
        for handle in old:
            assert handle.erase_everything().memories == len(self.truths[tenant].beliefs)
            assert handle.stats().memories == 0

    def move_clock(self, **span):
        """Let time pass; what could be seen until then is noted."""
        self._touched.update(TENANTS)
        self.moments.append(self.now)
        for tenant, truth in self.truths.items():
            self._seen[tenant][self.now] = {scope: truth.visible(scope, at=self.now) for scope in SCOPES}
        self.clock.move(**span)

    def recall(self, tenant, cue, scope):
        """Recall under the usual policy, and let it leave its traces."""
        one, other = (handle.recall(cue, scope=scope) for handle in self.handles(tenant))
        assert told(one) == told(other)
        assert ids(one) <= self.truths[tenant].visible(scope, at=self.now)

    # Comparisons.

    def agree_where_something_was_done(self):
        """Compare all that can be seen of a tenant to whom something was done, and see to it that the other is as it was."""
        for tenant in TENANTS:
            if tenant in self._touched:
                self.agree(tenant)
                self._before[tenant] = self._everything(tenant)
            else:
                assert self._everything(tenant) == self._before.get(tenant, [(), ()])
        self._touched.clear()

    def agree(self, tenant):
        """Compare what can be seen now, by recall in each scope and by listing."""
        truth, listed = self.truths[tenant], self.truths[tenant].listed(at=self.now)
        for scope in SCOPES:
            self.agree_as_of(tenant, scope, None)
        for handle in self.handles(tenant):
            assert {memory.id for memory in handle.list(limit=1000).memories} == listed
            everything = {memory.id: memory.weight for memory in handle.list(limit=1000, hidden=True).memories}
            assert everything == {memory_id: truth.weight(memory_id, at=self.now) for memory_id in truth.beliefs}

    def agree_as_of(self, tenant, scope, at):
        """Compare what could be seen in a scope at a moment, None for now; asking leaves no trace."""
        truth, moment = self.truths[tenant], at or self.now
        one, other = (handle.recall(CUE, policy=EVERYTHING, scope=scope, as_of=at, settle=False) for handle in self.handles(tenant))
        assert ids(one) == truth.visible(scope, at=moment)
        assert told(one) == told(other)
        weights = {each.memory.id: each.memory.weight for each in one.memories}
        assert weights == {memory_id: truth.weight(memory_id, at=moment) for memory_id in weights}

    def agree_on_gates(self, tenant, scope, at):
        """Compare the gate that an explanation names for each memory with those that a recall counts, at a moment, None for now."""
        asked = {"policy": EVERYTHING, "scope": scope, "as_of": at}
        for handle in self.handles(tenant):
            recall = handle.recall(CUE, **asked, settle=False)
            fates = {memory_id: handle.explain(CUE, memory=memory_id, **asked).verdict.fate for memory_id in self.truths[tenant].beliefs}
            gates = {memory_id: fate.split()[3] for memory_id, fate in fates.items() if fate.startswith("struck by the ")}
            assert Counter(gates.values()) == recall.suppressed
            assert gates.keys() == self.truths[tenant].beliefs.keys() - ids(recall)

    def agree_on_the_past(self, tenant, at):
        """Compare a moment of the past with what the model says of it, and with what was seen then unless that was rewritten since."""
        for scope in SCOPES:
            self.agree_as_of(tenant, scope, at)
            if at in self._seen[tenant]:
                assert self.truths[tenant].visible(scope, at=at) == self._seen[tenant][at][scope]

    def agree_on_exports(self, tenant):
        """Compare the two stores' exports, line by line."""
        one, other = map(comparable, self.handles(tenant))
        assert one == other

    def agree_on_merges(self, tenant):
        """Compare which merges stand."""
        for handle in self.handles(tenant):
            assert {(merge.newer, merge.older) for merge in handle.merges()} == self.truths[tenant].merges()

    def _everything(self, tenant):
        name = self._names[tenant]
        return [store.tenant(name).list(limit=1000, hidden=True).memories for store in self._stores]

    def _do(self, tenant, in_truth, in_store):
        """Do one thing to the model and to both stores; all of them do it, or all of them refuse."""
        done = []
        with suppress(RefusedError):
            in_truth(self.truths[tenant])
            done.append("truth")
        for handle in self.handles(tenant):
            with suppress(InputError, NotFoundError):
                in_store(handle)
                done.append(handle)
        assert len(done) in (0, 3), f"only {done} did it"


def lasting(facts, since):
    """Give the facts with the moment of expiry in place of the time to live, in seconds from a moment."""
    known = {name: value for name, value in facts.items() if name != "ttl"}
    if "ttl" in facts:
        known["expires_at"] = None if facts["ttl"] is None else since + timedelta(seconds=facts["ttl"])
    return known


def ids(recall):
    """Give the ids of all that a recall shows."""
    return {each.memory.id for each in recall.memories} | {memory.id for memory in recall.core}


def told(recall):
    """Give what a recall says, without its own id, its tenant's name and the time it took."""
    chosen = [(each.memory, each.score, each.relevance, each.duplicates) for each in recall.memories]
    return recall.outcome, chosen, recall.core, recall.block, recall.suppressed, recall.omitted, recall.degraded


def unlabelled(lines):
    """Give the lines without how far they are trusted: what comes from elsewhere is an import, and not pinned."""
    return [{name: value for name, value in line.items() if name not in {"trust", "tier"}} for line in lines]


def comparable(handle):
    """Give the lines of an export as data, without what differs from run to run."""
    lines = [json.decode(line) for line in handle.export(vectors=True)]
    return [{name: value for name, value in line.items() if name not in VARYING} for line in lines]
