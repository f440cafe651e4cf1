"""The policy that decides if a recall names none: the tenant's learnt one, else the store's; another may be on trial beside it."""

import logging
import time
from hashlib import blake2b

import msgspec
from msgspec import Struct

from cued.errors import InputError, PolicyError
from cued.model import CHANNELS, OWN_TENANT
from cued.model.words import POLICY_DOCUMENT
from cued.policy.spec import Policy
from cued.ports import Store

log = logging.getLogger("cued")
EVERYBODY = OWN_TENANT
"""The name under which the policy learnt for all tenants is stored; no tenant has it."""
_FRESH_S = 2.0
_MOST_KNOWN = 10_000
"""Of how many tenants it is known what was learnt; beyond it all are forgotten, for after two seconds each is asked for anew anyway."""


class Trial(Struct, frozen=True, kw_only=True):
    """A policy on trial: it decides beside the usual one, and is shown to this share of the conversations."""

    policy: Policy
    share: float = 0.0

    def shown_to(self, conversation: str) -> bool:
        """Whether this conversation is shown the policy on trial: the same in every process, and never without a conversation."""
        if not conversation or not self.share:
            return False
        place = int.from_bytes(blake2b(conversation.encode("utf-8", "replace"), digest_size=8).digest()) / 2**64
        return place < self.share


class Arms(Struct, frozen=True):
    """The policy that is shown, and the one that decides beside it, if any."""

    shown: Policy
    beside: Policy | None = None


class Usual:
    """The policies of one open store; a change by another process is noticed within two seconds."""

    def __init__(self, store: Store, policy: Policy, *, learnt: bool, trial: Trial | None) -> None:
        """Decide by this policy or, with `learnt`, by the one that was learnt for a tenant."""
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
                if len(self._learnt) >= _MOST_KNOWN:
                    self._learnt.clear()
                self._learnt[whose] = now, fresh, policy
            if policy is not None:
                return policy
        return self.policy

    def arms(self, tenant: str, conversation: str) -> Arms:
        """The policy that is shown in a conversation, and the one beside it."""
        usual, trial = self.of(tenant), self.trial
        if trial is None:
            return Arms(usual)
        return Arms(trial.policy, usual) if trial.shown_to(conversation) else Arms(usual, trial.policy)

    def changed(self, tenant: str) -> None:
        """Drop what is cached of a tenant, because it was changed here."""
        self._learnt.pop(tenant, None)


def on_trial(policy: Policy, share: float, *, beside: Policy) -> Trial:
    """A policy on trial, which decides on the evidence of another; one that needs a channel which the other shuts is refused."""
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
