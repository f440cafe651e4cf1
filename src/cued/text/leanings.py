"""Requests and leanings: a cue that asks for advice, a choice or a plan is about whatever its user prefers, avoids or cannot have."""

import re

_SEEKS = re.compile(
    r"\b(?:recommend\w*|suggest\w*|advi[cs]e|ideas?|tips?|options?|plan|planning|choose|pick|find me|looking for|help me|best"
    r"|(?:should|shall) (?:i|we)|i should|(?:could|can|would) you (?:find|give|make|create|show|provide|name|put together|come up with)"
    r"|what (?:are|would be) (?:some|a)|what \w+ of \w+ (?:can|could|would|should)|which \w+ (?:would|should)|what's a good"
    r"|(?:how|what|where) (?:can|should|could) (?:i|we))\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:did|was|were|had)\b", re.IGNORECASE)
_LEANS = re.compile(
    r"\b(?:prefer\w*|favou?rites?|loves?|enjoy\w*|hates?|dislike\w*|avoid\w*|despise|loathe|detest|allerg\w+|intoleran\w+|sensitive to"
    r"|can(?:'t|not| not) (?:stand|eat|tolerate|bear|take|have|sleep|use)|never|always|rather|would like|insist|refuse"
    r"|not (?:a |much of a )?fan"
    r"|(?:do|does|wo)(?:n't|nt| not) (?:like|want|eat|drink|enjoy|use|buy|trust|wear|do|go|watch|read|need|take)|will not"
    r"|vegan|vegetarian|kosher|halal|gluten|diet|afraid|scared|scares|fear\w*|phobi\w+|terrified|anxious|uncomfortable|upset\w*"
    r"|keen on|fond of|fan of|interested in|passionate|drawn to|committed to|opposed to|strict\w*|must|only|mostly|budget|hardly"
    r"|i (?:like|want|need|find|value|believe|tend))\b",
    re.IGNORECASE,
)
_LOOKED_AT = 300


def seeks(cue: str) -> bool:
    """Whether a cue asks for advice, a choice or a plan ("recommend …", "what should I …"), in English, and not what came of one."""
    return bool(_SEEKS.search(cue)) and not _PAST.search(cue)


def leans(text: str) -> bool:
    """Whether a memory tells what somebody prefers, avoids or cannot have, in English."""
    return bool(_LEANS.search(text[:_LOOKED_AT]))
