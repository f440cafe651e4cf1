"""The cue: what a recall is asked with."""

from datetime import datetime

from msgspec import Struct

from cued.model.words import GLOBAL, NO_TIME, Intent, Kind, Trust


class Cue(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the agent is doing now: the words, the state of the work, and where and when to look; without a `now` the clock says it.

    `pasted` is what stood in the utterance and was not written by hand, such as a log: only what it names is looked for.
    """

    utterance: str = ""
    goal: str = ""
    step: str = ""
    open_questions: tuple[str, ...] = ()
    scope: str = GLOBAL
    tags: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    trusts: tuple[Trust, ...] = ()
    now: datetime = NO_TIME
    as_of: datetime | None = None
    intent: Intent | None = None
    present: tuple[str, ...] = ()
    conversation: str = ""
    pasted: str = ""
