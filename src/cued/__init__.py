"""Cued recall for AI agents: the right memory at the right moment, or nothing at all, and it can show why.

>>> import cued
>>> alice = cued.open("memories.db").tenant("alice")
>>> alice.remember("Prefers Postgres for anything relational.")
>>> print(alice.recall("which database should I suggest?").block)

A name is loaded when it is first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cued.engine import decide
    from cued.errors import CuedError, InputError, NotFoundError
    from cued.handles.memories import Memories
    from cued.handles.memories import open_memories as open  # noqa: A004 - `cued.open` is the name that users type
    from cued.handles.tenant import Tenant
    from cued.model import Cue, Evidence, Memory, Recall
    from cued.policy.presets import load as load_policy
    from cued.policy.spec import Policy

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
    "load_policy",
    "open",
]

_HOMES = {
    "Cue": "model",
    "CuedError": "errors",
    "Evidence": "model",
    "InputError": "errors",
    "Memories": "handles.memories",
    "Memory": "model",
    "NotFoundError": "errors",
    "Policy": "policy.spec",
    "Recall": "model",
    "Tenant": "handles.tenant",
    "decide": "engine",
    "load_policy": "policy.presets:load",
    "open": "handles.memories:open_memories",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    """Give a public name, loaded from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cued' has no attribute {name!r}; it has {', '.join(__all__)}")
    module, _, renamed = _HOMES[name].partition(":")
    value = getattr(import_module(f"cued.{module}"), renamed or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Give the public names."""
    return sorted(__all__)
