"""What CLDR has no words for, by language: pointers, prepositions, small numbers, cases, and how people say it.

A value is a list with "|" between the forms of one thing and "/" between things that are numbered (months and numbers from 1, weekdays
from Monday = 0); in `relday`, `relunit …` and `quantity …` each form has its number in front. `word` has what only looks like a time.
`beginnings` and `endings` are what a word may carry before or behind it. `function` are the commonest other words of a language,
which tell it from its neighbours.
"""

from cued.text.times.languages.spoken_elsewhere import SPOKEN_ELSEWHERE
from cued.text.times.languages.spoken_latin import SPOKEN_LATIN

SPOKEN = SPOKEN_LATIN | SPOKEN_ELSEWHERE
