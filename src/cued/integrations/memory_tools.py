"""The two tools that agents get, as plain functions; the tenant is bound to them and never an argument of the model."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from cued.errors import InputError, QuotaError
from cued.handles.tenant import Tenant
from cued.model import GLOBAL
from cued.requests.checks import MAX_CUE

NOTHING = "Nothing relevant is remembered."
RECALL = "What is remembered that bears on a question: facts, preferences and events of earlier conversations. Ask in full sentences."
REMEMBER = "Keep one fact for later conversations: a full sentence that can be understood alone."


class MemoryTools(Struct, frozen=True, kw_only=True):
    """Recall and remember for one tenant in one scope."""

    tenant: Tenant
    scope: str = GLOBAL
    limit: int | None = None
    budget_tokens: int | None = None
    present: Callable[[], Sequence[str]] = tuple
    """The ids of what the prompt holds already, asked for at each recall."""

    def recall_memories(self, query: str) -> str:
        """The block of what a question brings to mind, or word that there is nothing."""
        return self.block(query) or NOTHING

    def remember_memory(self, text: str) -> str:
        """Word of what was kept, and of what it may be at odds with; or of why nothing was, for a model to read and no run to end over."""
        try:
            kept = self.tenant.remember(text, scope=self.scope, trust="agent")
        except (InputError, QuotaError) as error:
            return f"Nothing was remembered: {error}"
        at_odds = ", ".join(f"{conflict.type} of {conflict.id}" for conflict in kept.conflicts)
        return f"Remembered as {kept.id}." + (f" It may be at odds with what is known: {at_odds}." if at_odds else "")

    def block(self, query: str) -> str:
        """The block that what is said now brings to mind, as far as a cue goes; "" where there is nothing to say or nothing relevant."""
        if not query.strip():
            return ""
        held = self.present()
        return self.tenant.recall(query[:MAX_CUE], scope=self.scope, limit=self.limit, budget_tokens=self.budget_tokens, present=held).block
