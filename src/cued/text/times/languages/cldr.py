"""The words of time as CLDR has them, by language."""

from cued.text.times.languages.cldr_elsewhere import CLDR_ELSEWHERE
from cued.text.times.languages.cldr_latin import CLDR_LATIN

CLDR = CLDR_LATIN | CLDR_ELSEWHERE
