"""Kinds of value: which one a cue asks for (a phone number, a price, an age), and whether a text may have one."""

from functools import lru_cache

from cued.text.kinds.how_many import counted, may_count
from cued.text.kinds.owners import of_another
from cued.text.kinds.signs import AS_WRITTEN, ENGLISH_ONLY, IN_CHINESE, SIGNS, Kind
from cued.text.kinds.value_questions import asked_kind
from cued.text.languages import foreignness, is_chinese, is_latin
from cued.text.patterns import spoken

__all__ = ["Kind", "asked_kind", "may_have", "of_another"]


_TELLS_MUCH = 600
"""A longer text has some number or word of any kind."""


def may_have(kind: Kind, text: str, *, asked: str = "") -> bool:
    """Whether a text has anything that could be a value of this kind, or a word that is about one; in doubt, true.

    The words of `asked` tell what a wanted number counts.
    """
    if len(text) > _TELLS_MUCH:
        return True
    if kind == "count" and (things := counted(asked)) and not foreignness(text):
        return may_count(text, things)
    return _has(kind, text)


@lru_cache(maxsize=1 << 12)
def _has(kind: Kind, text: str) -> bool:
    if not is_latin(text):
        return not is_chinese(text) or kind not in IN_CHINESE or IN_CHINESE[kind].search(text) is not None
    if kind in ENGLISH_ONLY and foreignness(text):
        return True
    return SIGNS[kind].search(text if kind in AS_WRITTEN else f"{spoken(text)} ") is not None
