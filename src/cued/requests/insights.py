"""What the verbs take that look at recalls as a whole: insight, doctor, replay, tune, label, and the history of a policy."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from cued.model import GLOBAL
from cued.policy.spec import Share
from cued.requests.listing import Few

TARGET_RATE = 0.475
"""The middle of the injection rates that are healthy for a mixed stream."""
LAST = 500
"""How many kept recalls are replayed."""

When = datetime | str | None
Recalls = Annotated[int, Meta(ge=1, le=10_000)]
Number = Annotated[int, Meta(ge=0)]
Grouping = Literal["none", "scope", "policy"]
Judgement = Literal["right", "wrong", "nothing"]
Labels = Literal["judged", "log"]


class InsightRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for what the recall log says as a whole."""

    since: Annotated[datetime | None, Meta(description="Recalls at this time or later.")] = None
    until: Annotated[datetime | None, Meta(description="Recalls before this time.")] = None
    every: Annotated[str | None, Meta(description="In stretches as long as this, such as 1h or 1d; else in what suits.")] = None
    by: Annotated[Grouping, Meta(description="In groups beside, one a scope or one a policy.")] = "none"


class ReplayRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for what another policy would have made of kept recalls."""

    policy: Annotated[str | None, Meta(description="A preset, in place of the usual policy.")] = None
    last: Annotated[Recalls, Meta(description="So many of the newest kept recalls.")] = LAST
    recall_id: Annotated[str | None, Meta(description="Only this recall, side by side.")] = None


class Labelled(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cue with the memories that are right for it; without any it says that nothing in the store is."""

    query: Annotated[str, Meta(description="What was asked.")]
    gold_ids: Annotated[tuple[str, ...], Meta(description="The memories that are right.")] = ()
    asked_at: Annotated[datetime | None, Meta(description="When it was asked.")] = None
    goal: Annotated[str, Meta(description="What the agent was working towards.")] = ""
    step: Annotated[str, Meta(description="The step it was at.")] = ""
    open_questions: Annotated[tuple[str, ...], Meta(description="An open question.")] = ()
    scope: Annotated[str, Meta(description="A project: looked up there and in what is global.")] = GLOBAL


class TuneRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to learn a policy."""

    pairs: Annotated[tuple[Labelled, ...], Meta(description="Labelled cues, in place of what the store has.")] = ()
    source: Annotated[Labels, Meta(description="Learn from labels and feedback, or from the log alone, which moves the floor.")] = "judged"
    target: Annotated[Share, Meta(description="The injection rate that the log alone is tuned to.")] = TARGET_RATE
    apply: Annotated[bool, Meta(description="Save it and decide by it from now on, if it is shown to help.")] = False


class UnlabelledRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for kept recalls that nobody has judged."""

    limit: Annotated[Few, Meta(description="So many at most.")] = 20


class LabelRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person says of a recall."""

    recall_id: Annotated[str, Meta(description="The recall, by the `recall_id` in its answer.")]
    verdict: Annotated[Judgement, Meta(description="What came back was right, was wrong, or nothing in the store was right.")]


class PolicyRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to decide by a policy from now on."""

    toml: Annotated[str, Meta(description="The policy, as TOML.", max_length=100_000)]
    note: Annotated[str, Meta(description="Why, for whoever reads the history.", max_length=500)] = ""


class RollbackRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to decide by an earlier policy again."""

    to: Annotated[Number | None, Meta(description="The version's number, 0 for the usual policy; else the one before.")] = None
