"""What every verb of a tenant's handle works with: its name, the store and the embedder, the policy that decides, ids, and spans.

Where a recall names no policy, the one decides that was learnt for the tenant, else the store's own; another may be on trial beside it.
"""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

import msgspec
from msgspec import Struct

from cued.errors import EmbedderError, InputError, PolicyError
from cued.handles.settling import Settler
from cued.model import CHANNELS, OWN_TENANT, TRUSTS, Trust
from cued.model.words import POLICY_DOCUMENT
from cued.policy.spec import Policy
from cued.ports import Clock, Parts, Store
from cued.requests.checks import label, one_of

if TYPE_CHECKING:
    from cued.model import Vector

log = logging.getLogger("cued")
EVERYBODY = OWN_TENANT
"""The tenant under whose name is kept what was learnt for all; no tenant is called so."""
_FRESH_S = 2.0


class Trial(Struct, frozen=True, kw_only=True):
    """A policy on trial: it decides beside the usual one, and is shown to this share of the conversations."""

    policy: Policy
    share: float = 0.0

    def shown_to(self, conversation: str) -> bool:
        """Whether this conversation is shown the policy on trial; the same answer in every process, and never without a conversation."""
        if not conversation or not self.share:
            return False
        place = int.from_bytes(blake2b(conversation.encode("utf-8", "replace"), digest_size=8).digest()) / 2**64
        return place < self.share


class Arms(Struct, frozen=True):
    """The policy that is shown, and the one that decides beside it, if any."""

    shown: Policy
    beside: Policy | None = None


class Usual:
    """The policies of one open store; what others learn meanwhile is noticed within two seconds."""

    def __init__(self, store: Store, policy: Policy, *, learnt: bool = True, trial: Trial | None = None) -> None:
        """Decide by this policy, and where something was `learnt` for a tenant and may decide, by that."""
        self.policy, self.trial = policy, trial
        self._store, self._may_decide = store, learnt
        self._learnt: dict[str, tuple[float, bytes | None, Policy | None]] = {}

    def of(self, tenant: str) -> Policy:
        """The policy that decides for a tenant."""
        if not self._may_decide:
            return self.policy
        now = time.monotonic()
        for whose in (tenant, EVERYBODY):
            read_at, document, policy = self._learnt.get(whose, (-_FRESH_S, None, None))
            if now - read_at >= _FRESH_S:
                fresh = self._store.document(whose, POLICY_DOCUMENT)
                if fresh != document:
                    policy = _policy(fresh)
                self._learnt[whose] = now, fresh, policy
            if policy is not None:
                return policy
        return self.policy

    def arms(self, tenant: str, conversation: str) -> Arms:
        """The policy that is shown in a conversation, and the one beside."""
        usual, trial = self.of(tenant), self.trial
        if trial is None:
            return Arms(usual)
        return Arms(trial.policy, usual) if trial.shown_to(conversation) else Arms(usual, trial.policy)

    def changed(self, tenant: str) -> None:
        """Forget what is known of a tenant, for it was changed here."""
        self._learnt.pop(tenant, None)


def on_trial(policy: Policy, share: float, *, beside: Policy) -> Trial:
    """A policy on trial beside another, whose evidence it decides on; one that opens a channel which that shuts is refused."""
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise InputError("share", share, "a number from 0 to 1")
    more = [name for name in CHANNELS if getattr(policy.channels, name) is not None and getattr(beside.channels, name) is None]
    if more:
        raise InputError("shadow", policy.name, f"a policy with no more channels than {beside.name}; this one opens {', '.join(more)}")
    return Trial(policy=policy, share=float(share))


def _policy(document: bytes | None) -> Policy | None:
    from cued.insight.learnt import current_policy  # noqa: PLC0415 - few tenants have learnt anything

    try:
        return None if document is None else current_policy(document)
    except (msgspec.DecodeError, PolicyError) as error:
        log.warning("the policy that was learnt cannot be read, so the usual one decides: %s", error)
        return None


_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)
_PAIR_SHIFTS = range(120, -1, -10)
_RANDOM_BITS = 80
_APART_BITS = 72
Said = ParamSpec("Said")
Answer = TypeVar("Answer")


def spanned(operation: str) -> Callable[[Callable[Said, Answer]], Callable[Said, Answer]]:
    """What puts a span of this operation around a verb, where somebody has loaded OpenTelemetry."""

    def around(verb: Callable[Said, Answer]) -> Callable[Said, Answer]:
        @wraps(verb)
        def traced(*args: Said.args, **options: Said.kwargs) -> Answer:
            if "opentelemetry.trace" not in sys.modules:
                return verb(*args, **options)
            from cued.handles.telemetry import in_span  # noqa: PLC0415 - few processes are watched

            return in_span(operation, verb, *args, **options)

        return traced

    return around


class IdMaker:
    """Makes ids of 48 bits of milliseconds and 80 random bits, in Crockford's base 32 (the ULID layout).

    They are unique across processes and, within one maker, rise strictly even in one millisecond.
    """

    def __init__(self) -> None:
        """Start with no id made."""
        self._last = 0
        self._lock = threading.Lock()

    def after_fork(self) -> None:
        """Go on apart from the parent: where both count on from one id, as when a clock stands still, they are far from each other."""
        self._lock = threading.Lock()
        self._last += int.from_bytes(os.urandom(_APART_BITS // 8))

    def make(self, at: datetime) -> str:
        """A new id for this moment; a clock that went back does not make ids fall."""
        fresh = (max(0, int(at.timestamp() * 1000)) << _RANDOM_BITS) | int.from_bytes(os.urandom(_RANDOM_BITS // 8))
        with self._lock:
            self._last = fresh if fresh > self._last else self._last + 1
            number = self._last
        return "".join([_PAIRS[(number >> shift) & 1023] for shift in _PAIR_SHIFTS])


class Bound:
    """A tenant's name, and the parts that its verbs are bound to."""

    remote: ClassVar[bool] = False
    """Whether a server does what is asked: then a policy is a preset's name, and a memory among many is told in brief."""

    def __init__(  # noqa: PLR0913 - one keyword a part
        self,
        name: str,
        parts: Parts,
        *,
        usual: Usual,
        clock: Clock,
        settler: Settler,
        ids: IdMaker,
        trust: Trust = "user",
        owner: object = None,
    ) -> None:
        """Bind the verbs to one tenant; whoever shares the `ids` gets ids that rise together.

        `trust` is the ceiling here, and the `owner` lives as long as this does.
        """
        self.name = label("tenant", name)
        self.trust: Trust = one_of("trust", trust, TRUSTS)
        self._usual, self._parts, self._clock, self._settler, self._ids, self._owner = usual, parts, clock, settler, ids, owner

    @property
    def policy(self) -> Policy:
        """The policy that decides where a recall names none."""
        return self._usual.of(self.name)

    @property
    def _store(self) -> Store:
        return self._parts.store

    def _vectors(self, texts: Sequence[str]) -> tuple[Any, str | None, tuple[str, ...]]:
        """The vectors and their fingerprint; when the embedder fails, none, and a note: the memories are stored all the same."""
        embedder = self._parts.embedder
        if embedder is None:
            return None, None, ()
        from cued.others import embedded  # noqa: PLC0415 - made of numpy, which naming `cued.open` does not need

        try:
            return *embedded(texts, embedder, role="memory"), ()
        except EmbedderError as error:
            log.warning("stored without a vector: %s", error)
            return None, None, (f"vector pending: {error}",)

    def _own_vector(self, vector: Sequence[float] | None, fingerprint: str | None) -> "tuple[Vector, str]":
        """A vector of the caller's own at unit length, with the fingerprint of the model that made it: the one named, or the embedder's."""
        from cued.embed.unit_vectors import unit  # noqa: PLC0415 - only a vector of the caller's own needs it

        used = None if self._parts.embedder is None else self._parts.embedder.fingerprint
        fingerprint = fingerprint or (None if used is None else str(used))
        if vector is None or fingerprint is None:
            raise InputError("fingerprint", fingerprint, "a vector with the name of the model that made it, or the embedder in use")
        dimensions = used.dimensions if used is not None and fingerprint == str(used) else None
        try:
            return unit([vector], count=1, dimensions=dimensions, source="the caller")[0], label("fingerprint", fingerprint)
        except EmbedderError as error:
            raise InputError("vector", vector, f"finite numbers, not all zero, as many as the model makes ({error})") from error
