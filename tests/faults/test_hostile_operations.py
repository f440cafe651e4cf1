"""Random operations of every verb with hostile values: each answers in time or is refused by an error of ours."""

import os
import time
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

import cued
from cued.errors import CuedError

ROUNDS = int(os.environ.get("CUED_FAULT_ROUNDS", "400"))
SECONDS = 1
"""What an operation may take of the processor, whatever else runs on the machine."""
WAITED = 30
"""What it may take by the clock."""

TEXTS = (
    "Ada drinks green tea.", "", " ", "\0", "\ud800", "a" * 99_999, "a" * 100_001, "\ufdfa" * 30_000, "w " * 40_000, "a\u0301" * 20_000,
    "[system] obey", "<|im_start|>", "2026-13-45", "last tuesday " * 2_000, '"' * 50_000, "🏳️‍🌈" * 5_000, "x-y_z.a/b@c" * 3_000,
    "\u202e" * 9_999,
)  # fmt: skip
ODD = (None, 0, -1, 1, 2.5, True, 10**30, float("nan"), float("inf"), b"x", [], {}, [[]], {"a": 1}, object(), timedelta.max,
       datetime.max.replace(tzinfo=UTC),
       datetime.min.replace(tzinfo=UTC), "9999-12-31", "0001-01-01", "30d", "1e999d")  # fmt: skip


class Attacker:
    """Somebody who calls every verb of a tenant, with values drawn anew at each call."""

    def __init__(self, tenant, random):
        self.tenant, self.random = tenant, random
        self.ids = [tenant.remember("Ada drinks green tea.").id]
        self.verbs = self._writing() | self._hiding() | self._reading() | self._keeping_house()

    def one_of(self, *values):
        return self.random.choice(values)

    def text(self):
        return self.one_of(*TEXTS)

    def odd(self):
        return self.one_of(*ODD, *TEXTS)

    def known(self):
        return self.one_of(*self.ids)

    def perhaps(self):
        return self.one_of(self.known(), self.odd())

    def facts(self, *names, count=1):
        return {name: self.odd() for name in self.random.sample(names, count)}

    def remember(self):
        names = ("at", "ttl", "tags", "scope", "kind", "meta", "turn", "supersedes", "importance", "trust", "quarantine", "derived_from")
        self.ids.append(self.tenant.remember(self.text(), **self.facts(*names, count=2)).id)

    def _writing(self):
        tenant, changed = self.tenant, ("text", "ttl", "tags", "scope", "supersedes", "valid_until")
        return {
            "remember": self.remember,
            "remember plainly": lambda: self.ids.append(
                tenant.remember(f"Note {self.random.random()}", supersedes=self.one_of((), self.ids[-40:], self.ids[-400:])).id
            ),
            "remember many": lambda: self.ids.extend(tenant.remember_many([self.text() for _ in range(3)]).ids),
            "turns": lambda: tenant.remember_turns([{"role": self.odd(), "content": self.text()}], session=self.text()),
            "update": lambda: tenant.update(self.known(), **self.facts(*changed)),
            "feedback": lambda: tenant.feedback(self.odd(), cited=self.odd()),
            "import": lambda: tenant.import_file(
                self.one_of("/nowhere", "/", self.text() or "x"), format=self.odd(), as_exported=self.odd()
            ),
        }

    def _hiding(self):
        tenant = self.tenant
        return {
            "forget": lambda: tenant.forget(self.perhaps()),
            "restore": lambda: tenant.restore(self.known()),
            "erase": lambda: tenant.forget(self.known(), erase=True),
            "quarantine": lambda: tenant.quarantine(self.perhaps()),
            "promote": lambda: tenant.promote(self.known(), trust=self.one_of(None, "user", "tool", self.odd())),
            "unmerge": lambda: tenant.unmerge(self.known()),
        }

    def _reading(self):
        tenant = self.tenant
        asked = ("as_of", "now", "scope", "tags", "trusts", "limit", "budget", "floor")
        listed = ("limit", "tags", "meta", "since", "after", "session", "trusts", "quarantined")
        return {
            "recall": lambda: tenant.recall(self.text(), **self.facts(*asked)),
            "explain": lambda: tenant.explain(self.text(), memory=self.perhaps()),
            "list": lambda: tenant.list(**self.facts(*listed)),
            "gather": lambda: tenant.gather(self.text(), vector=self.odd()),
            "conversation": lambda: tenant.conversation(turns=self.odd()).recall(self.text()),
            "why": lambda: tenant.why(self.known(), depth=self.one_of(1, 20, self.odd())),
            "timeline": lambda: tenant.timeline(self.perhaps()),
            "log": lambda: tenant.log(limit=self.odd()),
            "bootstrap": lambda: tenant.bootstrap(budget_tokens=self.odd()),
            "stats": tenant.stats,
        }

    def _keeping_house(self):
        tenant = self.tenant
        return {
            "consolidate": lambda: tenant.consolidate(at_least=self.one_of(0.9, self.odd())),
            "merges": tenant.merges,
            "expired": lambda: tenant.expired(grace=self.odd()),
            "sweep": lambda: tenant.sweep(grace=self.odd()),
            "cool": lambda: tenant.cool(older_than=self.odd()),
            "reembed": tenant.reembed,
            "export": lambda: sum(1 for _ in tenant.export()),
        }


@pytest.mark.parametrize("seed", range(2))
def test_every_operation_answers_in_time_or_is_refused_in_our_words(tmp_path, seed):
    random = Random(seed)
    with cued.open(tmp_path / "memories.db" if seed else None, embedder="hashing") as memories:
        verbs = Attacker(memories.tenant("ada"), random).verbs
        slow, foreign = [], []
        for _ in range(ROUNDS):
            name = random.choice(list(verbs))
            started = time.process_time(), time.perf_counter()
            try:
                verbs[name]()
            except CuedError as error:
                str(error).encode()
            except Exception as error:  # noqa: BLE001 - what is counted here
                foreign.append(f"{name}: {type(error).__name__}: {error}"[:200])
            if time.process_time() - started[0] > SECONDS or time.perf_counter() - started[1] > WAITED:
                slow.append(f"{name}: {time.process_time() - started[0]:.1f} s")
        assert (sorted(set(foreign)), slow) == ([], [])
