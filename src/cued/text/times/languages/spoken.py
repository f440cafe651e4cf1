"""What CLDR has no words for, by language: pointers, prepositions, small numbers, cases, and how people say it.

A value is a list with "|" between the forms of one thing and "/" between things that are numbered (months and numbers from 1, weekdays
from Monday = 0); in `relday`, `relunit …` and `quantity …` each form has its number in front. `word` has what only looks like a time.
`beginnings` and `endings` are what a word may carry before or behind it. `function` are the commonest other words of a language,
which tell it from its neighbours.

Some words are a time only beside others. `monthnear` and `weekdaynear` are everyday words or names too; `weekdayahead` is the coming
weekday, `seasonlast` the last season that is over, and `dayaside` a day that is as far back as ahead, as the rest of the text says.
"Minggu lalu" (`unitback`) is last week, and with a number before it so many weeks ago; `unitbefore` is so only where no event follows
that the weeks are before, and `unitpast` with a number is the last so many. `agosince` is "ago" behind a unit and "since" before a time,
`agobefore` is "ago" beside a number and "before" before a time, `inpost` is "in" behind a month, and `subject` are words that begin a
clause.

`era` is by how many years a calendar of its own is ahead. Where `marks` are kept, words are told apart by them, and where `pointers` are
behind, "last", "this" and "next" never come before what they point at.
"""

from cued.text.times.languages.spoken_asia import SPOKEN_ASIA
from cued.text.times.languages.spoken_elsewhere import SPOKEN_ELSEWHERE
from cued.text.times.languages.spoken_latin import SPOKEN_LATIN
from cued.text.times.languages.spoken_north import SPOKEN_NORTH

SPOKEN = SPOKEN_LATIN | SPOKEN_NORTH | SPOKEN_ASIA | SPOKEN_ELSEWHERE
