"""cue: what the agent is doing now, read into what each channel looks for."""

from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from cued.flow import arc
from cued.flow.pasted import identifiers, set_apart
from cued.model import EPOCH, Cue, DenseLookup, EntityLookup, Intent, Interval, LexicalLookup, Lookup, TemporalLookup
from cued.policy.spec import Over, Policy
from cued.text.analyse import query_terms
from cued.text.entities import entities
from cued.text.event_times import Beside, beside
from cued.text.hollow_words import SAYING, unframed
from cued.text.intent import addresses_agent
from cued.text.intent import intent as intent_of
from cued.text.languages import foreignness
from cued.text.patterns import pattern, spoken
from cued.text.times import Mention, coming, loose, times
from cued.text.times.share import time_share
from cued.text.tongues.small_talk import is_idle

_SAID = 2
"""Fewer words beside what was pasted ("fix this") say nothing without it."""


class Read(NamedTuple):
    """A cue as it was read: what to look up, which way in time it leans, the share of its words that say a time, or an event instead."""

    lookup: Lookup
    intent: Intent
    time_share: float
    event: Beside | None


def read(cue: Cue, policy: Policy, dense: DenseLookup | None) -> Read:
    """The cue as the policy's channels look for it; for the one of meaning it has been embedded before."""
    channels = policy.channels
    temporal = spoken_times(cue, channels.temporal.over) if channels.temporal else _NO_TIME
    lookup = Lookup(
        scope=cue.scope,
        at=cue.as_of or cue.now,
        as_of=cue.as_of is not None,
        trusts=cue.trusts,
        apart=policy.trust.one_in > 1,
        kinds=cue.kinds,
        tags=cue.tags,
        lexical=_lexical(cue, policy),
        dense=dense,
        entity=_entity(cue, policy),
        temporal=TemporalLookup(intervals=temporal.intervals, pool=channels.temporal.pool)
        if channels.temporal and temporal.intervals
        else None,
        context=channels.context,
        core=True,
        document=arc.DOCUMENT if policy.settle.adapt == "arc" else None,
    )
    return Read(lookup, intent(cue), temporal.share, event(cue.utterance) if channels.temporal and not temporal.intervals else None)


def pool_of(policy: Policy, channel: str) -> int:
    """How many candidates an open channel may bring under this policy."""
    rules = getattr(policy.channels, channel)
    return int(max(rules.pool, getattr(rules, "per_limit", 0) * policy.budget.limit))


def _lexical(cue: Cue, policy: Policy) -> LexicalLookup | None:
    rules = policy.channels.lexical
    if rules and rules.over == "cue" and state(cue) and is_idle(cue.utterance):
        # "Go on" is not looked for by "go" where there is something to go on with.
        cue = replace(cue, utterance="")
    terms = _terms(words(cue, rules.over), cue) if rules else ()
    if rules is None or not terms:
        return None
    by_itself = alone(cue, rules.over)
    if cue.pasted and (pasted := tuple(term for term in identifiers(cue.pasted) if term not in terms)):
        by_itself, terms = by_itself or words(cue, rules.over), (*terms, *pasted)
    return LexicalLookup(
        terms=terms,
        alone=_terms(by_itself, cue) if by_itself else (),
        pool=pool_of(policy, "lexical"),
        k1=rules.k1,
        b=rules.b,
        delta=rules.delta,
    )


def _terms(text: str, cue: Cue) -> tuple[str, ...]:
    """The terms of the text; where the cue asks for what the agent said, without the words that say so, unless there are no others."""
    terms = query_terms(unframed(text)) or query_terms(text)
    if SAYING.isdisjoint(terms) or not addresses_agent(cue.utterance):
        return terms
    return tuple(term for term in terms if term not in SAYING) or terms


def _entity(cue: Cue, policy: Policy) -> EntityLookup | None:
    rules = policy.channels.entity
    names = named(words(cue, rules.over)) if rules else ()
    return EntityLookup(names=names, pool=rules.pool) if rules and names else None


named = lru_cache(maxsize=64)(entities)
"""The names in a cue: looked for in the search, and heard again when what was found is weighed."""
event = lru_cache(maxsize=64)(beside)
"""The event that an utterance puts a time beside, read as often."""


def state(cue: Cue, *, labelled: bool = True) -> str:
    """The agent's state as text, one line each for "Goal: …", "Current step: …" and "Open questions: a; b", empty ones left out."""
    if not (cue.goal or cue.step or cue.open_questions):
        return ""
    lines = (("Goal", cue.goal), ("Current step", cue.step), ("Open questions", "; ".join(cue.open_questions)))
    return "\n".join(f"{label}: {value}" if labelled else value for label, value in lines if value)


def words(cue: Cue, over: Over, *, labelled: bool = False) -> str:
    """The text that a channel looks for: the utterance, the state, or both; each stands in where the other is empty.

    Labels help an embedder and hurt a search by words, which would look for "goal" and "step" as well.
    """
    working = state(cue, labelled=labelled)
    if not working or not cue.utterance:
        return working or cue.utterance
    return {"utterance": cue.utterance, "state": working, "cue": f"{cue.utterance}\n{working}"}[over]


def alone(cue: Cue, over: Over) -> str:
    """The utterance by itself where a channel looks for the state as well, so that no state can drown it; else nothing."""
    return cue.utterance if over == "cue" and cue.utterance and state(cue) else ""


def without_pasted(cue: Cue) -> Cue:
    """The cue with what was pasted into its utterance apart from what is said, which it would drown; where hardly anything is, in both."""
    said, pasted = set_apart(cue.utterance) if "\n" in cue.utterance else ("", "")
    if not pasted:
        return cue
    return replace(cue, utterance=said if len(query_terms(said)) >= _SAID else cue.utterance, pasted=pasted)


def intent(cue: Cue) -> Intent:
    """The cue's temporal intent: what the caller stated, else what its words say."""
    return cue.intent or intent_of(cue.utterance)


class Times(NamedTuple):
    """The stretches of time that a cue speaks of, the share of its words that say so, 1 for "what did I do last week", and those words."""

    intervals: tuple[Interval, ...]
    share: float
    mentions: tuple[Mention, ...] = ()


_NO_TIME = Times((), 0.0)
_DAY = timedelta(days=1)
_DONE = pattern(r"\W(?:did|was|were|had|(?:have|has) (?:(?!to\b)\w+ ){0,2}(?:been|done|made|said|\w\w+ed))\b")
"""What tells of the past or of what has been done."""
_STRANGE = 0.5
"""How foreign a cue is from which on it is not told whether it speaks of the past."""


@lru_cache(maxsize=64)
def spoken_times(cue: Cue, over: Over) -> Times:
    """The times that the cue speaks of, relative to its now, as loosely as it speaks of them; none where it only greets."""
    text = words(cue, over)
    found = tuple(still_to_come(mention, cue) for mention in times(text, now=cue.now) or coming(text, now=cue.now))
    share = time_share(text, [(mention.start, mention.end) for mention in found]) if found else 0.0
    return Times(merged([loose(mention) for mention in found]), share, found) if share else _NO_TIME


def still_to_come(mention: Mention, cue: Cue) -> Mention:
    """The mention, from now on where it says until when there is time: "by the end of the month", "before Christmas".

    Who tells of the past asks for all that was before, and so may any cue that is not English.
    """
    open_until = mention.interval.end if mention.interval.start == EPOCH else cue.now
    if open_until - cue.now <= _DAY or intent(cue) == "past":
        return mention
    if _DONE.search(spoken(cue.utterance)) or foreignness(cue.utterance) >= _STRANGE:
        return mention
    return replace(mention, interval=Interval(cue.now, open_until))


def timeless(cue: Cue) -> str:
    """The utterance without the times that it speaks of."""
    said = cue.utterance
    for mention in reversed(spoken_times(cue, "utterance").mentions):
        said = f"{said[: mention.start]} {said[mention.end :]}"
    return said


def merged(found: Sequence[Interval]) -> tuple[Interval, ...]:
    """The intervals in order, overlapping ones joined."""
    result: list[Interval] = []
    for interval in sorted(found, key=lambda i: (i.start, i.end)):
        if result and interval.start <= result[-1].end:
            result[-1] = Interval(result[-1].start, max(result[-1].end, interval.end))
        else:
            result.append(interval)
    return tuple(result)
