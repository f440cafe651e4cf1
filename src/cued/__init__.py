"""Cued recall for AI agents: the right memory at the right moment, or nothing at all, and it can show why.

>>> import cued
>>> alice = cued.open("memories.db").tenant("alice")
>>> alice.remember("Prefers Postgres for anything relational.")
>>> print(alice.recall("which database should I suggest?").block)
"""

from cued.engine import decide
from cued.errors import CuedError, InputError, NotFoundError
from cued.memories import Memories
from cued.memories import open_memories as open  # noqa: A004 - `cued.open` is the name that users type
from cued.model import Cue, Evidence, Memory, Recall
from cued.policy.presets import load as policy
from cued.policy.spec import Policy
from cued.tenant import Tenant

__version__ = "0.1.0"
__all__ = [
    "Cue",
    "CuedError",
    "Evidence",
    "InputError",
    "Memories",
    "Memory",
    "NotFoundError",
    "Policy",
    "Recall",
    "Tenant",
    "decide",
    "open",
    "policy",
]
