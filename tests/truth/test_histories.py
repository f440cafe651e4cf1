"""Histories: whatever is done to memories, in whatever order, both stores show what the plain model says, now and for the past.

`make test` runs the same histories every time. For more, and other ones each time:

    CUED_HISTORIES=1000 python -m pytest tests/truth/test_histories.py

That is how many histories each test runs. One begins with two tenants who hold a few memories, and has up to STEPS steps.
"""

import os
from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

from tests.truth.world import SCOPES, TENANTS, World

ASKED = os.environ.get("CUED_HISTORIES")
HISTORIES = int(ASKED or 75)
STEPS = 20
TEXTS = (
    "Ada drinks green tea in the morning.",
    "ada drinks green tea, in the morning",
    "The garden gate is painted white.",
    "The garden gate is painted white!",
    "The spare key lies under the mat.",
)
HOUR, DAY = 3600, 86400

numbers = st.integers(0, 99)
up_to_two = st.lists(numbers, max_size=2)
texts = st.sampled_from(TEXTS)
scopes = st.sampled_from(SCOPES)
beliefs = st.fixed_dictionaries({"text": texts, "scope": scopes, "weight": st.sampled_from((1.0, 0.5))})
tenants = st.sampled_from((TENANTS[0], TENANTS[0], TENANTS[1]))
waits_hours = st.sampled_from((0, 0, 1, 5, 30, 24 * 20))
ttls = st.sampled_from((None, None, HOUR, 2 * DAY, 30 * DAY))
spans_hours = st.sampled_from(((None, None), (None, None), (-48, None), (None, 24), (2, 30), (-48, 2)))
passing_beliefs = st.fixed_dictionaries(
    {
        "text": texts,
        "scope": scopes,
        "ttl": ttls,
        "tier": st.sampled_from(("fact", "fact", "fact", "core")),
        "days_ago": st.sampled_from((0, 0, 1, 20)),
    }
)


class Beliefs(RuleBasedStateMachine):
    """How the beliefs of two tenants come, change, give way to others, and go."""

    elsewhere = None

    def __init__(self):
        super().__init__()
        self.world = World(self.elsewhere)

    def teardown(self):
        self.world.close()

    @initialize(ours=st.lists(st.tuples(texts, scopes), min_size=3, max_size=6), theirs=st.lists(st.tuples(texts, scopes), max_size=2))
    def begin(self, ours, theirs):
        for tenant, drafts in zip(TENANTS, (ours, theirs), strict=True):
            for text, scope in drafts:
                self.world.remember(tenant, text, scope=scope)

    @invariant()
    def everything_agrees(self):
        self.world.agree_where_something_was_done()

    @rule(hours=waits_hours, number=numbers, more=up_to_two, facts=beliefs)
    def remember_superseding(self, hours, number, more, facts):
        self.wait_and_look_back(hours, number)
        tenant, _ = self.one(number)
        self.world.remember(tenant, **facts, supersedes=self.known(tenant, number, *more))

    @rule(number=numbers, text=texts, scope=scopes, more=up_to_two, ahead=st.booleans())
    def remember_a_reflection(self, number, text, scope, more, ahead):
        tenant, _ = self.one(number)
        # A reflection may name a source that is yet to come, and so two can lean on each other.
        sources = (*self.known(tenant, number, *more), *([self.world.name_ahead(tenant, 2)] if ahead else []))
        self.world.remember(tenant, text, scope=scope, kind="reflection", tier="reflection", sources=sources)

    @rule(hours=waits_hours, number=numbers, older=up_to_two)
    def supersede_or_let_go(self, hours, number, older):
        self.wait_and_look_back(hours, number)
        tenant, newer = self.one(number)
        self.world.update(tenant, newer, supersedes=tuple(each for each in self.known(tenant, *older) if each != newer))

    @rule(hours=waits_hours, number=numbers, more=up_to_two, how=st.sampled_from(("forget", "restore", "restore", "erase")))
    def let_go_of(self, hours, number, more, how):
        self.wait_and_look_back(hours, number)
        tenant, _ = self.one(number)
        chosen, forgotten = self.known(tenant, number, *more), self.forgotten(tenant)
        if how == "restore" and forgotten:
            self.world.restore(tenant, *forgotten[: len(chosen)])
        elif how == "erase":
            self.world.erase(tenant, *chosen)
        else:
            self.world.forget(tenant, *chosen)

    @rule(number=numbers, text=texts, scope=scopes)
    def correct_and_move(self, number, text, scope):
        self.world.update(*self.one(number), text=text, scope=scope)

    @rule(number=numbers, weight=st.sampled_from((0.25, 0.75)))
    def weigh_anew(self, number, weight):
        self.world.update(*self.one(number), weight=weight)

    def wait_and_look_back(self, hours, number):
        """Let time pass, if any, and compare one of the moments gone by."""
        if hours:
            self.world.move_clock(hours=hours)
            for tenant in TENANTS:
                self.world.agree_on_the_past(tenant, self.world.moments[number % len(self.world.moments)])

    def one(self, number):
        """Give one of all memories, as its tenant and its id; there is always one."""
        every = [(tenant, memory_id) for tenant in TENANTS for memory_id in sorted(self.world.truths[tenant].beliefs)]
        if not every:
            self.world.remember(TENANTS[0], TEXTS[0])
            return self.one(number)
        return every[number % len(every)]

    def forgotten(self, tenant):
        """Give a tenant's ids of what is forgotten now."""
        return [each.id for each in self.world.truths[tenant].beliefs.values() if each.forgotten_at is not None]

    def known(self, tenant, *numbers):
        """Give some of a tenant's ids."""
        known = sorted(self.world.truths[tenant].beliefs)
        return tuple(dict.fromkeys(known[number % len(known)] for number in numbers))


class Upkeep(Beliefs):
    """The same, with times to live, merges, sweeps, moves from one name to another, and recalls that leave traces."""

    @rule(number=numbers, facts=passing_beliefs, span=spans_hours, superseding=st.booleans())
    def remember_for_a_while(self, number, facts, span, superseding):
        tenant, older = self.one(number)
        self.world.remember(tenant, **facts, **self.validity(span), supersedes=(older,) if superseding else ())

    @rule(number=numbers, ttl=ttls, span=spans_hours)
    def let_last(self, number, ttl, span):
        self.world.update(*self.one(number), ttl=ttl, **self.validity(span))

    @precondition(lambda self: self.mergeable() or self.merged())
    @rule(number=numbers, part=st.booleans())
    def merge_or_part(self, number, part):
        mergeable, merged = self.mergeable(), self.merged()
        if mergeable and not (part and merged):
            self.world.consolidate(mergeable[number % len(mergeable)])
        else:
            self.world.unmerge(*merged[number % len(merged)])

    @rule(hours=waits_hours, number=numbers, tenant=tenants)
    def sweep(self, hours, number, tenant):
        self.wait_and_look_back(hours, number)
        self.world.sweep(tenant)

    @rule(tenant=tenants)
    def move_house(self, tenant):
        self.world.move_house(tenant)

    @rule(tenant=tenants, cue=texts, scope=scopes)
    def recall(self, tenant, cue, scope):
        self.world.recall(tenant, cue, scope)
        self.world.agree_on_exports(tenant)

    def mergeable(self):
        return [tenant for tenant, truth in self.world.truths.items() if truth.mergeable(at=self.world.now)]

    def merged(self):
        return [(tenant, newer) for tenant, truth in self.world.truths.items() for newer, _ in sorted(truth.merges())]

    def validity(self, span):
        start, end = (None if hours is None else self.world.now + timedelta(hours=hours) for hours in span)
        return {"valid_from": start, "valid_until": end}


class Explained(Upkeep):
    """The same, and for each memory that a recall does not show, the gate that is named is one of those counted."""

    @rule(number=numbers, back=numbers, scope=scopes)
    def explain(self, number, back, scope):
        tenant, _ = self.one(number)
        moments = [None, *self.world.moments, *(moment - timedelta(hours=1) for moment in self.world.moments)]
        for at in {None, moments[back % len(moments)]}:
            self.world.agree_on_gates(tenant, scope, at)


@pytest.mark.requirement("P13", "M4", "M6", "P12", "P19", "X9")
def test_beliefs_are_in_both_stores_as_in_the_model():
    agrees_throughout(Beliefs)


@pytest.mark.requirement("P13", "M4", "M5", "M6", "S5", "P12", "P19", "X9")
def test_upkeep_leaves_in_both_stores_what_it_leaves_in_the_model():
    agrees_throughout(Upkeep)


@pytest.mark.requirement("S9", "S6", "P12")
def test_explain_names_the_gates_that_both_stores_count():
    agrees_throughout(Explained, histories=HISTORIES // 3)


def agrees_throughout(machine, histories=HISTORIES):
    """Run histories of this kind, each step of which asserts: the same ones each time, unless a number of them was asked for."""
    run_state_machine_as_test(
        machine, settings=settings(max_examples=histories, stateful_step_count=STEPS, derandomize=ASKED is None, print_blob=True)
    )
