"""Time expressions in languages other than English, by tables and one grammar for all of them; loaded when a text may need it.

Above: `times`, which comes here where a text has a word or a script that says so. Below: `time_words` (CLDR's words and those
that are `spoken`), `tokenising` (text to kinds), `rules` (kinds to spans), and `choice` of the languages to read a text by. To add a
language, write a table in one of `spoken_*`, add its name to `atoms.LATIN` or `tools.time_words`, for a new script also a line in
`choice` and `times`, and run `python -m tools.time_words`.
"""
