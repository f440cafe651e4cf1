"""cue: what the agent is doing now, in the words that each channel looks for."""

from collections.abc import Sequence

from cued.model import Cue, Intent, Interval
from cued.policy.spec import Over
from cued.text.intent import intent as intent_of
from cued.text.times import loose, times
from cued.text.times.share import time_share as share_of


def state(cue: Cue, *, labelled: bool = True) -> str:
    """The agent's state as text, one line each for "Goal: …", "Current step: …" and "Open questions: a; b", empty ones left out."""
    lines = (("Goal", cue.goal), ("Current step", cue.step), ("Open questions", "; ".join(cue.open_questions)))
    return "\n".join(f"{label}: {value}" if labelled else value for label, value in lines if value)


def words(cue: Cue, over: Over, *, labelled: bool = False) -> str:
    """The text that a channel looks for: the utterance, the state, or both; each stands in where the other is empty.

    Labels help an embedder and hurt a search by words, which would look for "goal" and "step" as well.
    """
    working = state(cue, labelled=labelled)
    if over == "utterance":
        return cue.utterance or working
    if over == "state":
        return working or cue.utterance
    return "\n".join(part for part in (cue.utterance, working) if part)


def alone(cue: Cue, over: Over) -> str:
    """The utterance by itself where a channel looks for the state as well, so that no state can drown it; else nothing."""
    return cue.utterance if over == "cue" and cue.utterance and state(cue) else ""


def intent(cue: Cue) -> Intent:
    """The cue's temporal intent: what the caller stated, else what its words say."""
    return cue.intent or intent_of(cue.utterance)


def intervals(cue: Cue, over: Over) -> tuple[Interval, ...]:
    """The stretches of time that the cue speaks of, relative to its now, as loosely as it speaks of them."""
    return merged([loose(mention) for mention in times(words(cue, over), now=cue.now)])


def time_share(cue: Cue, over: Over) -> float:
    """The share of the cue's words that say a time, 0 to 1: 1 for "what did I do last week", whose other words ask nothing."""
    text = words(cue, over)
    return share_of(text, [(mention.start, mention.end) for mention in times(text, now=cue.now)])


def merged(found: Sequence[Interval]) -> tuple[Interval, ...]:
    """The intervals in order, overlapping ones joined."""
    result: list[Interval] = []
    for interval in sorted(found, key=lambda i: (i.start, i.end)):
        if result and interval.start <= result[-1].end:
            result[-1] = Interval(result[-1].start, max(result[-1].end, interval.end))
        else:
            result.append(interval)
    return tuple(result)
