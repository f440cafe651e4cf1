"""What the smaller verbs take: memories by id, what a recall was good for, how a conversation starts, and looking after a store."""

from typing import Annotated

from msgspec import Meta, Struct

from cued.model import GLOBAL, Trust
from cued.policy.adjust import Count
from cued.policy.spec import Share
from cued.requests.draft import Draft
from cued.requests.listing import Few

AT_LEAST = 0.95
"""From which cosine on a memory gives way to a newer one that says the same."""
OLDER_THAN = "90d"
"""How long ago a memory was stored and last recalled before it counts as cool."""
IMPORTANCE_BELOW = 0.4
"""How unimportant it must be then."""
BUDGET_TOKENS = 1000
"""How long the block is that a conversation starts with."""

Cosine = Annotated[float, Meta(gt=0.0, le=1.0)]
Depth = Annotated[int, Meta(ge=1, le=20)]


class NoFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request that says nothing."""


class IdRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request about one memory."""

    id: Annotated[str, Meta(description="The memory.")]


class IdsRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request about memories."""

    ids: Annotated[tuple[str, ...], Meta(description="The memories.")]


class ForgetRequest(IdsRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to hide memories, or to erase them."""

    erase: Annotated[bool, Meta(description="Remove them for good; there is no way back.")] = False


class PromoteRequest(IdsRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person's word for memories."""

    trust: Annotated[Trust | None, Meta(description="From now on they are trusted so far; without this as before.")] = None


class WhyRequest(IdRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for what a memory comes from and what came of it."""

    depth: Annotated[Depth, Meta(description="How many links deep, each way.")] = 3


class ConflictsRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for open conflicts, found by comparing a page of memories, newest first, with all that stand."""

    scope: Annotated[str | None, Meta(description="Only this scope; `global` is one.")] = None
    limit: Annotated[Few, Meta(description="How many memories are compared, at most 200.")] = 20
    after: Annotated[str | None, Meta(description="Continue after the page that gave this cursor as `next`.")] = None


class KeepBothRequest(IdRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to settle a conflict by keeping both."""

    other: Annotated[str, Meta(description="The memory that it seemed to be at odds with.")]


class ManyRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to store many memories; conflicts are not looked for."""

    memories: Annotated[tuple[Draft, ...], Meta(description="The memories, with the fields of `remember`.")]


class BootstrapRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for what a conversation should start with."""

    scope: Annotated[str, Meta(description="A project: what is there and what is global.")] = GLOBAL
    budget_tokens: Annotated[Count, Meta(description="At most so many tokens in the block.")] = BUDGET_TOKENS


class FeedbackRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a recall was good for."""

    recall_id: Annotated[str, Meta(description="The recall, by the `recall_id` in its answer.")]
    cited: Annotated[tuple[str, ...], Meta(description="A memory of it that was of use.")] = ()
    bad: Annotated[tuple[str, ...], Meta(description="A memory of it that did harm.")] = ()


class ConsolidateRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to let near-duplicates give way."""

    apply: Annotated[bool, Meta(description="Do it; without this it is only shown.")] = False
    at_least: Annotated[Cosine, Meta(description="From which similarity on.")] = AT_LEAST


class SweepRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to erase what has expired."""

    apply: Annotated[bool, Meta(description="Erase it; without this it is only shown.")] = False
    grace: Annotated[str | float, Meta(description='Only what expired this long ago: "7d", "12h", seconds.')] = 0


class CoolRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for the memories that could be let go."""

    older_than: Annotated[str | float, Meta(description="Stored, and last recalled, longer ago than this.")] = OLDER_THAN
    importance_below: Annotated[Share, Meta(description="Less important than this, from 0 to 1.")] = IMPORTANCE_BELOW


class ExportRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for everything that is kept for the tenant."""

    vectors: Annotated[bool, Meta(description="With the vectors, so that the same embedder need not make them again.")] = False


class ImportRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to store what a file or folder holds."""

    path: Annotated[str, Meta(description="The file or the folder.")]
    format: Annotated[str | None, Meta(description="What it is; without this it is told by its contents.")] = None
    scope: Annotated[str | None, Meta(description="Put everything into this scope.")] = None
    user: Annotated[str | None, Meta(description="Of mem0's rows, only this user's.")] = None
    as_exported: Annotated[bool, Meta(description="Believe an export that this store has written: trust, pins and vectors.")] = False


class BackupRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to copy the whole store into one file."""

    path: Annotated[str, Meta(description="The file to be made.")]
    overwrite: Annotated[bool, Meta(description="Replace FILE if it is there.")] = False
