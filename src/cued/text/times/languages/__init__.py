"""Time expressions in languages other than English, by tables and one grammar for all of them; loaded when a text may need it.

Above: `times`, which comes here where a text has a word or a script that says so. Below: `lexicon` (CLDR's words and those that are
spoken), `reading` (text to kinds), `rules` (kinds to spans), and `choice` of the languages to read a text by.
"""
