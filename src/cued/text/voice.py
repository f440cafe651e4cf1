"""Whose words are asked for: the agent's own, or what others told it."""

import re

AGENTS = frozenset({"agent", "ai", "assistant", "bot", "chatbot", "model"})
_REQUEST = re.compile(r"\b(?:can|could|would|will|do|may)\s+you\b|\b(?:help|thank)\s+you\b", re.IGNORECASE)
_ADDRESS = re.compile(r"\b(?:you|your|yours|you've|you'd)\b", re.IGNORECASE)


def addresses_agent(cue: str) -> bool:
    """Tell whether a cue asks for what the agent itself has said ("what did the list you gave me say?"), not only for its help."""
    return bool(_ADDRESS.search(_REQUEST.sub(" ", cue)))
