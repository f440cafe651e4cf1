"""Who speaks and how: whose words a cue asks for, whether it speaks of its user, and whether a turn asks or tells."""

import re

AGENTS = frozenset({"agent", "ai", "assistant", "bot", "chatbot", "model"})
_REQUEST = re.compile(r"\b(?:can|could|would|will|do|may)\s+you\b|\b(?:help|thank)\s+you\b", re.IGNORECASE)
_ADDRESS = re.compile(
    r"\b(?:you|your|yours|you've|you'd|du|dir|dich|deine?[mnrs]?|usted|ustedes|vous|votre|vos|você|vocês|jij|jouw|sen|sana|senin|siz)\b"
    r"|\b(?:ты|тебя|тебе|вы|вас|вам|твой|твоя|ваш|ваша)\b|[你您妳]|あなた|당신|네가|أنت|आप|तुम"
    r"|\b(?:recommended|suggested|explained|described|offered|given|told|advised|mentioned)\s+(?:to|for)\s+(?:me|us)\b"
    r"|\b(?:was|were|have|had)\s+(?:I|we)\s+(?:been\s+)?(?:told|given|advised|recommended|offered|shown)\b"
    r"|\bthe\s+(?:assistant|agent|bot|chatbot|model|ai)\b",
    re.IGNORECASE,
)


# "How do I …" and "tell me …" ask for help with anything.
_SERVICE = re.compile(
    r"\bhow (?:do|can|should|would) (?:i|we)\b|\b(?:tell|give|show|help|sing|remind) me\b|\bfor (?:me|us)\b|\blet(?:'s| us)\b",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|ich|mir|mich|meine?[mnrs]?|wir|uns|unser\w{0,2}|yo|mi|mis|nuestr[oa]s?|je|mon|mes|nous|notre|nos"
    r"|io|mio|mia|miei|nostr[oa]|eu|meus?|minhas?|nosso|nossa|ik|mijn|ons|onze|ben|benim|bana|bizim|saya|tôi)\b"
    r"|\b(?:я|мне|меня|мой|моя|моё|мои|моей|моего|мы|нас|нам|наш|наша)\b|[我咱]|私|僕|俺|\b(?:나는?|내가?|저는?|제가?|우리)\b"
    r"|\b(?:أنا|لي|عندي)\b|मेर[ाीे]|मैं|हमार[ाीे]",
    re.IGNORECASE,
)


def speaks_of_itself(cue: str) -> bool:
    """Whether a cue speaks of whoever asks ("my passport", "are we insured?"), not only for help with anything."""
    return bool(_SELF.search(_SERVICE.sub(" ", cue)))


def addresses_agent(cue: str) -> bool:
    """Whether a cue asks for what the agent itself has said ("the list you gave me", "recommended to me"), not only for its help."""
    return bool(_ADDRESS.search(_REQUEST.sub(" ", cue)))


def asks(turn: str) -> bool:
    """Whether a turn ends in a question, in any script; emoji and closing marks after it do not matter."""
    return bool(_QUESTION.search(turn[-_END:]))


_END = 80
_QUESTION = re.compile(r"[?？؟⸮]\W*$")
