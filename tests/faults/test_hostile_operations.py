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


def operations(tenant, random, ids):
    """Every verb, with values drawn anew at each call."""

    def text():
        return random.choice(TEXTS)

    def odd():
        return random.choice((*ODD, *TEXTS))

    def known():
        return random.choice(ids)

    def remember():
        names = ("at", "ttl", "tags", "scope", "kind", "meta", "turn", "supersedes", "importance", "trust", "quarantine", "derived_from")
        facts = {name: odd() for name in random.sample(names, 2)}
        ids.append(tenant.remember(text(), **facts).id)

    return {
        "remember": remember,
        "remember plainly": lambda: ids.append(tenant.remember(f"Note {random.random()}", supersedes=ids[-40:]).id),
        "recall": lambda: tenant.recall(
            text(), **{random.choice(("as_of", "now", "scope", "tags", "trusts", "limit", "budget", "floor")): odd()}
        ),
        "explain": lambda: tenant.explain(text(), memory=random.choice((known(), odd()))),
        "list": lambda: tenant.list(
            **{random.choice(("limit", "tags", "meta", "since", "after", "session", "trusts", "quarantined")): odd()}
        ),
        "update": lambda: tenant.update(known(), **{random.choice(("text", "ttl", "tags", "scope", "supersedes", "valid_until")): odd()}),
        "forget": lambda: tenant.forget(random.choice((known(), odd()))),
        "restore": lambda: tenant.restore(known()),
        "quarantine": lambda: tenant.quarantine(random.choice((known(), odd()))),
        "promote": lambda: tenant.promote(known(), trust=random.choice((None, "user", "tool", odd()))),
        "remember many": lambda: ids.extend(tenant.remember_many([text() for _ in range(3)]).ids),
        "gather": lambda: tenant.gather(text(), vector=odd()),
        "conversation": lambda: tenant.conversation(turns=odd()).recall(text()),
        "consolidate": lambda: tenant.consolidate(at_least=random.choice((0.9, odd()))),
        "merges": tenant.merges,
        "unmerge": lambda: tenant.unmerge(known()),
        "expired": lambda: tenant.expired(grace=odd()),
        "reembed": tenant.reembed,
        "import": lambda: tenant.import_file(random.choice(("/nowhere", "/", text() or "x")), format=odd(), as_exported=odd()),
        "erase": lambda: tenant.forget(known(), erase=True),
        "why": lambda: tenant.why(known(), depth=random.choice((1, 20, odd()))),
        "timeline": lambda: tenant.timeline(random.choice((known(), odd()))),
        "feedback": lambda: tenant.feedback(odd(), cited=odd()),
        "sweep": lambda: tenant.sweep(grace=odd()),
        "cool": lambda: tenant.cool(older_than=odd()),
        "bootstrap": lambda: tenant.bootstrap(budget_tokens=odd()),
        "log": lambda: tenant.log(limit=odd()),
        "export": lambda: sum(1 for _ in tenant.export()),
        "stats": tenant.stats,
        "turns": lambda: tenant.remember_turns([{"role": odd(), "content": text()}], session=text()),
    }


@pytest.mark.parametrize("seed", range(2))
def test_every_operation_answers_in_time_or_is_refused_in_our_words(tmp_path, seed):
    random = Random(seed)
    with cued.open(tmp_path / "memories.db" if seed else None, embedder="hashing") as memories:
        tenant = memories.tenant("ada")
        ids = [tenant.remember("Ada drinks green tea.").id]
        verbs = operations(tenant, random, ids)
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
                slow.append(name)
        assert (sorted(set(foreign)), slow) == ([], [])
