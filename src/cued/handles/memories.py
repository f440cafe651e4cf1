"""An open store with its embedder and policy: the way to a tenant's handle."""

import logging
import threading
import warnings
import weakref
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypedDict

from cued.errors import InputError
from cued.folders import Address, place
from cued.forking import across_forks
from cued.handles.ids import IdMaker
from cued.handles.settling import Mode, Settler
from cued.handles.usual_policies import Usual, on_trial
from cued.model import OWN_TENANT, LogRules, Quotas, Trust, VectorShape
from cued.policy.presets import DEFAULT, load_policy
from cued.policy.spec import Policy
from cued.ports import Clock, Embedder, Judge, Keeper, Parts, Progress, Reranker, Store, Summariser, silent

if TYPE_CHECKING:
    from cued.handles.tenant import Tenant
    from cued.insight.overview import Insight
    from cued.insight.tuning import Tuned
    from cued.upkeep.backup import Copied
    from cued.upkeep.checking import Checked
    from cued.upkeep.erasures import Erasure

log = logging.getLogger("cued")

_USUAL_LOG = LogRules()
_NO_QUOTAS = Quotas()


class Memories:
    """What `cued.open` gives: one store, open; close it, or use it in a `with`."""

    def __init__(self, parts: Parts, *, usual: Usual, clock: Clock, settle: Mode, dropping: bool) -> None:
        """Hold the parts together; with `dropping` the store is nobody else's, and is closed when this is dropped."""
        self.parts = parts
        self.policy = usual.policy
        self._usual = usual
        self.clock = clock
        self._settler = Settler(parts.store, settle)
        self._ids = IdMaker()
        self._dropped = weakref.finalize(self, _dropped, self._settler, parts.store if dropping else None)
        across_forks(self._settler, self._ids)

    def tenant(self, name: str, *, trust: Trust = "user") -> "Tenant":
        """The handle of this tenant; a tenant exists as soon as something is remembered for it.

        `trust` is a ceiling: what is stored through the handle is trusted no further, and nothing more trusted is changed through it.
        """
        # imported here, for it brings all that a recall goes through, and opening needs none of it
        from cued.handles.tenant import Tenant  # noqa: PLC0415

        return Tenant(name, self.parts, usual=self._usual, clock=self.clock, settler=self._settler, ids=self._ids, trust=trust, owner=self)

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants, for whoever looks after the store; no tenant is to see them."""
        return tuple(name for name in self.parts.store.tenants() if name != OWN_TENANT)

    def insight(self, *, since: datetime | str | None = None, until: datetime | str | None = None, every: str | None = None) -> "Insight":
        """What the recall logs of all tenants say together, each tenant a group, for whoever looks after the store."""
        from cued.handles.measuring import window  # noqa: PLC0415 - loaded when it is asked for
        from cued.insight.overview import insight_of_all  # noqa: PLC0415

        self._settler.flush()
        return insight_of_all(self.parts.store, self.tenants(), window(since, until, every, "none"))

    def tune(self, *, apply: bool = False, progress: Progress = silent) -> "Tuned":
        """A policy learnt from what the users of all tenants judged, for those tenants that have learnt none of their own."""
        from cued.handles.measuring import tune_for_all  # noqa: PLC0415 - loaded when it is asked for

        self._settler.flush()
        return tune_for_all(self.parts.store, self.tenants(), self._usual, at=self.clock() if apply else None, progress=progress)

    def backup(self, path: str | Path, *, overwrite: bool = False, progress: Progress = silent) -> "Copied":
        """Copy the whole store, all tenants, into one file as it is now, while others go on writing; `progress` hears of pages."""
        # imported here, so that `import cued` stays light
        from cued.upkeep.backup import backup  # noqa: PLC0415

        self._settler.flush()
        return backup(self.parts.store, path, overwrite=overwrite, progress=progress)

    def erasures(self) -> "tuple[tuple[Erasure, ...], tuple[str, ...]]":
        """When how much was erased, oldest first, and what of it is still pending and why; what can be finished now is."""
        from cued.upkeep.erasures import erasures  # noqa: PLC0415

        return erasures(self.parts.store, at=self.clock())

    def check(self, *, progress: Progress = silent) -> "Checked":
        """Whether the store is what was written: the file, its pages, every memory, what is searched of it, the journals."""
        from cued.upkeep.checking import check  # noqa: PLC0415

        self._settler.flush()
        return check(self.parts.store, progress=progress)

    def flush(self) -> None:
        """Wait until the touches of all recalls so far are written."""
        self._settler.flush()

    def close(self) -> None:
        """Write what is left and let go of the file."""
        self._dropped.detach()
        self._settler.close()
        self.parts.store.close()

    def __repr__(self) -> str:
        """Where the memories are; None for those in this process alone."""
        return f"Memories({_place(self.parts.store)!r})"

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close."""
        self.close()


def _dropped(settler: Settler, store: Store | None) -> None:
    """Write what recalls left to write, close a file that was opened here and then dropped, and warn of it."""
    if settler.here:  # collected in the middle of its work, which has to end first
        threading.Thread(target=_dropped, args=(settler, store), name="cued-dropped").start()
        return
    settler.close()
    if store is not None:
        named = _place(store)
        store.close()
        warnings.warn(f"{named}: the memories were dropped without being closed; use `with cued.open(…)`", ResourceWarning, stacklevel=2)


def _place(store: Store) -> str | None:
    """The file or address of a store; None where it has none."""
    keeper = getattr(store, "keeper", None)
    named = getattr(keeper, "path", None) or getattr(keeper, "place", None)
    return None if named is None else str(named)


class Opening(TypedDict, total=False):
    """What `open` takes beside the place of the memories."""

    embedder: str | Embedder | None
    policy: str | Path | Policy
    learnt: bool
    shadow: str | Path | Policy | None
    share: float
    reranker: Reranker | None
    summariser: Summariser | None
    judge: Judge | None
    settle: Mode
    log: LogRules | None
    quotas: Quotas | None
    readonly: bool
    journal: bool
    vectors: VectorShape | None
    clock: Clock


IN_MEMORY: Final = ":memory:"
"""SQLite's name for a database in memory. There each connection has a database of its own, and we have one for each thread."""


def open_memories(  # noqa: PLR0913 - one keyword a part that can be exchanged
    path: str | Path | Address | Store | Keeper | None = None,
    *,
    embedder: str | Embedder | None = "auto",
    policy: str | Path | Policy = DEFAULT,
    learnt: bool = True,
    shadow: str | Path | Policy | None = None,
    share: float = 0.0,
    reranker: Reranker | None = None,
    summariser: Summariser | None = None,
    judge: Judge | None = None,
    settle: Mode = "background",
    log: LogRules | None = None,
    quotas: Quotas | None = None,
    readonly: bool = False,
    journal: bool = False,
    vectors: VectorShape | None = None,
    clock: Clock = lambda: datetime.now(UTC),
) -> Memories:
    """Open memories: in a file (made if it is not there), at a postgresql:// address, in a store or keeper of your own, or in this process.

    `embedder` is an Embedder, None for words alone, or a name: "auto", "cued", "minilm", "hashing", "openai:MODEL",
    "sentence-transformers:NAME".
    `policy` is a preset's name, a TOML file or a Policy. Where `tune` has `learnt` one for a tenant, that decides for it, unless learnt is
    False or a recall names its own. A `shadow` is a second policy that decides on the same evidence without being shown, but to this
    `share` of the conversations; `compare` tells the two apart.
    `reranker`, `summariser` and `judge` are parts of your own: one orders the best candidates anew, one writes a digest of what does not
    fit, one tells conflicts apart. A policy asks a reranker where its `rerank.depth` is not 0, and a summariser where its
    `budget.overflow` is "compact"; the presets ask neither.
    `settle` says when recalls are written back: "background", "now" or "off"; `log`, how much of the recall log is kept, and whether
    cues and evidence are kept in it; `quotas`, how much each tenant may keep and ask for. With `journal` each tenant that is written to
    gets a journal of its writes and erasures, which shows when somebody has meddled with it; once begun it goes on.
    `vectors` is how a new file keeps its vectors: "float32" (where nothing is said), "float16" or "int8", in half or a quarter of the
    space. `clock` is for tests.
    """
    if settle not in {"background", "now", "off"}:
        raise InputError("settle", settle, '"background", "now" or "off"')
    if not callable(clock) or clock().tzinfo is None:
        raise InputError("clock", clock, "what gives times with a zone, such as lambda: datetime.now(UTC)")
    chosen = load_policy(policy)
    for name, part in (("reranker", reranker), ("summariser", summariser), ("judge", judge)):
        _refuse_other(name, part, chosen)
    trial = None if shadow is None else on_trial(load_policy(shadow), share, beside=chosen)
    made = _embedder(embedder)
    if not isinstance(path, str | Path | Address | None) and vectors is not None:
        raise InputError("vectors", vectors, "nothing beside a store or a keeper, which has its own: SqliteKeeper(path, vectors=…)")
    if not isinstance(path, str | Path | Address | None) and readonly:
        raise InputError("readonly", readonly, "nothing beside a store or a keeper, which has its own: SqliteKeeper(path, readonly=True)")
    kept = _store_or_keeper(path, readonly=readonly, vectors=vectors)
    store = _store(kept, log, quotas, journal=journal)
    return Memories(
        Parts(store=store, embedder=made, reranker=reranker, summariser=summariser, judge=judge),
        usual=Usual(store, chosen, learnt=learnt, trial=trial),
        clock=clock,
        settle="off" if readonly else settle,
        dropping=isinstance(path, str | Path | Address) and str(path) != IN_MEMORY,
    )


def _refuse_other(name: str, part: object, policy: Policy) -> None:
    """Refuse an object that is no such part, and warn if the policy never calls one of its kind."""
    if part is None:
        return
    verb, unasked = _PARTS[name]
    if isinstance(part, type) or not callable(getattr(part, verb.partition("(")[0], None)):
        raise InputError(name, part, f"an object with a method {verb}")
    if said := unasked(policy):
        log.warning("the %s is not asked, unless a recall names a policy that does: %s in %r", name, said, policy.name)


_PARTS: dict[str, tuple[str, Callable[[Policy], str]]] = {
    "reranker": ("rerank(query, texts)", lambda policy: "" if policy.rerank.depth else "rerank.depth is 0"),
    "summariser": (
        "summarise(query, texts, *, tokens)",
        lambda policy: "" if policy.budget.overflow == "compact" else f"budget.overflow is {policy.budget.overflow!r}",
    ),
    "judge": ("judge(new, old)", lambda _: ""),
}
"""The method of each part that a caller may bring, and a function that says why a policy never calls it, "" if it does."""


def _store_or_keeper(path: str | Path | Address | Store | Keeper | None, *, readonly: bool, vectors: VectorShape | None) -> Store | Keeper:
    """The keeper at a place that is named, or else the store or keeper that was handed in."""
    if path is None or str(path) == IN_MEMORY:
        from cued.stores.keepers.memory import MemoryKeeper  # noqa: PLC0415 - so that `import cued` stays light

        return MemoryKeeper(vectors=vectors or "float32")
    if isinstance(path, str | Path | Address):
        return keeper_at(path if isinstance(path, Address) else place(path), readonly=readonly, vectors=vectors)
    if not isinstance(path, Keeper) and not callable(getattr(path, "search", None)):
        raise InputError("path", path, "the path of a file as a str or a Path, a postgresql:// address, a store, a keeper, or None")
    return path


def _store(path: Store | Keeper, log: LogRules | None, quotas: Quotas | None, *, journal: bool) -> Store:
    if not isinstance(log, LogRules | None):
        raise InputError("log", log, 'a cued.LogRules, such as LogRules(rows=1000, content="last")')
    if not isinstance(quotas, Quotas | None):
        raise InputError("quotas", quotas, "a cued.Quotas, such as Quotas(memories=10_000, recalls_a_minute=600)")
    # imported here, so that `import cued` stays light
    from cued.stores import Store as KeptStore  # noqa: PLC0415

    made = partial(KeptStore, log_rules=log or _USUAL_LOG, quotas=quotas or _NO_QUOTAS, journalled=journal)
    if isinstance(path, Keeper):
        return made(path)
    for name, value in (("log", log), ("quotas", quotas), ("journal", journal or None)):
        if value is not None:
            raise InputError(name, value, "nothing beside a store, which has its own: Store(keeper, log_rules=…, quotas=…, journalled=…)")
    return path


def keeper_at(found: Path | Address, *, readonly: bool, vectors: VectorShape | None = None) -> Keeper:
    """The keeper of the rows in a file, or in the database of an address."""
    if isinstance(found, Path):
        from cued.stores.keepers.sqlite import SqliteKeeper  # noqa: PLC0415

        return SqliteKeeper(found, readonly=readonly, vectors=vectors)
    try:
        from cued.stores.keepers.postgres import PostgresKeeper  # noqa: PLC0415
    except ImportError as error:
        raise InputError("path", str(found), f"a file, or with pip install 'cued[postgres]' an address such as this ({error})") from error
    return PostgresKeeper(found, readonly=readonly, vectors=vectors)


def _embedder(embedder: str | Embedder | None) -> Embedder | None:
    if embedder is None:
        return None
    from cued.embed import load_embedder  # noqa: PLC0415

    return load_embedder(embedder)
