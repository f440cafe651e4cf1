"""Particles and question words of Korean and Thai, which are written without a space next to the words of a cue.

Memories are indexed whole; only a cue drops them, like the function words in `hollow_words`.
"""

import unicodedata
from typing import Final

from cued.text import scripts
from cued.text.patterns import pattern

_SYLLABLE: Final = "\uac00-\ud7a3"
# What a noun carries behind it. Two syllables of the noun must be left, for many words of two end like one.
_PARTICLES: Final = """에서는 에서도 에게서 한테서 으로는 으로도 에게는 까지는 부터는 이라고 이라는 입니다 이에요 인가요 에서 에게 한테
께서 으로 까지 부터 보다 처럼 마다 밖에 이나 이랑 하고 라고 에는 에도 로는 이야 예요 은 는 이 가 을 를 의 에 로 와 과 랑 도 만 께"""
# Whatever they carry, these are what they are: hardly another word begins so.
_ASKING: Final = "무엇 무슨 누구 언제 어디 어떻게 어떤 어느 얼마 며칠 뭐 뭘 뭔"
_WORDS: Final = """나 나는 내 내가 저 저는 제 제가 우리 우리는 너 너는 네 네가 누가 그 이 것 게 거 걸 수 왜 몇 및 또 또는 그리고 하지만
그런데 있다 있어 있어요 있나요 있습니까 있지 있니 없어 없지 하다 해 해요 하지 했지 했어 하는 하는데 해야
돼 돼요 되지 되나요 안 못 좀 더 지금 데"""
# Shorter ones stand within other words too often.
_THAI: Final = """หรือเปล่า เมื่อไหร่ เมื่อไร เท่าไหร่ เท่าไร อย่างไร ที่ไหน ยังไง ทำไม อะไร ใคร ไหน ไหม มั้ย หรือ คือ เป็น อยู่ ที่ ของ และ กับ ต้อง
ครับ ค่ะ ฉัน"""


def _any(words: str) -> str:
    return "|".join(words.split())


_MAY_HAVE = pattern(f"[{scripts.HANGUL}{scripts.THAI}]")
_JOINING = pattern(
    rf"(?<=[{_SYLLABLE}]{{2}})(?:{_any(_PARTICLES)})(?![{_SYLLABLE}])"
    rf"|(?<![{_SYLLABLE}])(?:(?:{_any(_ASKING)})[{_SYLLABLE}]*|(?:{_any(_WORDS)})(?![{_SYLLABLE}]))"
    rf"|{_any(_THAI)}"
)
_LEFT_OVER = pattern(rf"(?<![{scripts.THAI}])[{scripts.THAI}](?![{scripts.THAI}])")
"""A single letter, which is never a Thai word."""


def without_particles(text: str) -> str:
    """The text with a space in place of each Korean or Thai particle and question word; unchanged if no letter or digit would be left."""
    if not _MAY_HAVE.search(text):
        return text
    left = _LEFT_OVER.sub(" ", _JOINING.sub(" ", unicodedata.normalize("NFC", text)))
    return left if any(map(str.isalnum, left)) else text
