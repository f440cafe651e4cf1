"""relevance: the probability that a candidate fits the cue, from absolute evidence and never from ranks.

A logistic model of a few columns whose coefficients are data (`policy/calibration`), so that 0.7 means the same with any embedder.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from cued.errors import InputError
from cued.flow import cue as cues
from cued.flow.pasted import quoted
from cued.flow.relevance.asked_times import asked_time, spared, time_columns
from cued.flow.relevance.bearing import bearing
from cued.flow.relevance.foreign_words import COMMON, Counted, counted, distrust, unnamed, usual_cosine
from cued.flow.relevance.lacking import lacking
from cued.flow.relevance.speakers import astray, long_answers, said_by_agent
from cued.flow.table import Table, filled
from cued.model import Column, Cue, TermStatistic
from cued.policy.calibration import calibrated
from cued.policy.spec import Calibration
from cued.text import intent
from cued.text.analyse import analyse, query_terms
from cued.text.event_times import Beside
from cued.text.languages import foreignness, is_code, is_latin, no_names, technical
from cued.text.tongues import small_talk

_BRIEF = 20.0
_USUAL, _TERSE, _NEAR_ANYWAY = 0.3, 9.0, 0.05
"""What more than this share of the memories has says little; in a text of so many terms a name is half as much as by itself; and by so
much it brings the nearest memory near as well."""
_ECHOED, _BEYOND = 0.4, 1 / 3
"""A question that has so much of the cue's words is the cue once more, where no more than this part of its own are others."""
_FEW = 10
"""Stores of fewer memories count as this large: what stands in one by itself is no nearer for that."""
_LETTERS = 4
"""Shorter texts have a vector that says nothing."""
_STRANGE = 0.5
"""How foreign a cue is from which on words may speak for themselves."""
_ALL = 0.999
"""From so large a share on all of the cue's words are there, which were rounded."""
_NEAREST, _NEARBY = 10, 40
"""So many of the nearest candidates tell whether code is kept here and how near many are, and of so many it is told whether they are in the
words of whoever asks."""
_FIFTH = 5
_LENT = 0.85
"""So much of what stands beside a note in its session counts for it: notes of a document are of one matter, and each says its own."""


def run(table: Table, *, without: str = "") -> None:
    """Add the columns `log_odds` and `relevance`, and the columns that they were made of; `without` is weighed by nobody.

    A row without a vector that says something is judged by the calibration for words alone. Where the encoder may not know the
    cue's language, or the row has all the words of a cue with a rare name, the surer of both counts.
    """
    calibration, by_words = calibrated(table.policy.relevance, table.evidence.fingerprint)
    table.columns |= features(table, calibration)
    log_odds = weighed(table, calibration, without=without)
    blind, foreign = table.columns["blind"], table.columns["foreign"]
    has_all = _has_all(table)
    if by_words is not None and any(column is not table.nothing for column in (blind, foreign, has_all)):
        by_word = weighed(table, by_words, without=without)
        doubtful = (has_all > 0) | (calibration.latin_only & (foreign >= _STRANGE))
        log_odds = np.where((blind > 0) | (doubtful & (by_word > log_odds)), by_word, log_odds)
    if (weight := calibration.weights.get("lacking")) and without != "lacking":
        table.columns["lacking"] = held_back = lacking(table, log_odds)
        log_odds = log_odds if held_back is table.nothing else log_odds + weight * held_back
    table.columns["log_odds"] = log_odds
    table.columns["relevance"] = 1.0 / (1.0 + np.exp(-np.minimum(np.maximum(log_odds, -50.0), 50.0)))


class _Heard(NamedTuple):
    """What a cue's words say about what is asked for, heard once for all candidates."""

    own: frozenset[str]
    """The utterance's terms, where state is looked for as well and the utterance asks for anything."""
    names: frozenset[str]
    """The terms of the names in the utterance."""
    latin: bool
    foreign: float
    technical: float
    seeks: intent.Sought
    greets: bool
    personal: bool
    to_agent: bool
    event: Beside | None


@lru_cache(maxsize=8)
def _heard(cue: Cue) -> _Heard:
    # An explanation decides the same cue many times over.
    uttered, by_itself, working = cues.words(cue, "utterance"), cues.alone(cue, "cue"), cues.state(cue)
    idle, own = bool(by_itself) and small_talk.is_idle(by_itself), uttered if cue.pasted else by_itself
    return _Heard(
        own=frozenset(query_terms(own) if own and not idle else ()),
        names=frozenset(chain(*map(query_terms, cues.named(uttered)))).difference(*map(query_terms, no_names(uttered))),
        latin=is_latin(uttered),
        foreign=foreignness(uttered),
        technical=technical(uttered),
        seeks=intent.sought("" if idle else uttered, working, foreign=foreignness(uttered) >= _STRANGE),
        greets=not working and small_talk.greets(uttered),
        personal=intent.speaks_of_itself(cue.utterance),
        to_agent=intent.addresses_agent(cue.utterance),
        event=cues.event(cue.utterance),
    )


def features(table: Table, calibration: Calibration) -> dict[str, Column]:
    """The columns beyond those of the store that a calibration may weigh."""
    heard = _heard(table.evidence.cue)
    raw, said, passage = table.columns, said_by_agent(table), _passage(table)
    agent, kept = (table.nothing, said) if heard.to_agent else (said, table.nothing)
    spoken, noted, long = agent is not table.nothing, table.notes is not table.nothing, np.log1p(raw["length"])
    z, passage_z = _z(np.array([raw["cosine"], passage]), table, calibration)
    cosine, words = filled(raw["cosine"]), _counted(table, heard)
    note = table.notes
    turn = 1.0 - note
    nearest = (-cosine).argsort(kind="stable")[:_NEARBY].tolist()
    asked = asked_time(table, heard.event) if heard.event is not None or table.evidence.intervals else None
    columns = {
        **dict.fromkeys(("window", "timed"), table.nothing),
        **(time_columns(table, asked) if asked else {}),
        "z": z,
        "passage": passage,
        "passage_z": passage_z,
        "lift": (lift := filled(passage - raw["cosine"])),
        "replied": table.product(kept, lift),
        "neighbour_coverage": _lent(note) * np.maximum(raw["coverage_before"], raw["coverage_after"]) * _BRIEF / (_BRIEF + raw["length"]),
        "answers": _answers(table, replies=kept) * (1.0 - agent) if spoken else _answers(table, replies=kept),
        "voice": agent,
        "voice_length": long_answers(table, agent, personal=heard.personal) if spoken else agent,
        "blind": _blind(table, calibration, heard),
        # What is said in passing is seldom meant, but what the agent said is where the cue asks for it.
        "turn": turn - kept if kept is not table.nothing else turn,
        "note_length": table.product(note, long),
        **_kind(table, heard, note, cosine, calibration),
        "mine": _mine(table, nearest) * note if heard.personal and noted else table.nothing,
        "another": _another(table),
        "echo": _asked_nothing(table, turn) if heard.greets else _echo(table, turn),
        "apart": note * _apart(table, cosine, nearest[:_NEAREST]) if noted else note,
        **_words(table, heard, words, note=note),
        **_alike(table, heard, words, cosine),
        "foreign": table.nothing + heard.foreign * distrust(table, calibration) if heard.foreign else table.nothing,
        "code": _code(table, nearest[:_NEAREST]),
        "quoted": quoted(table) if table.evidence.cue.pasted else table.nothing,
        # Told when the rest is weighed, of what is relevant by that.
        "lacking": table.nothing,
    }
    return columns | spared(table, columns, asked.share) if asked and asked.share else columns


def _counted(table: Table, heard: _Heard) -> Counted:
    """What the cue's words come to, and how much of it each memory has."""
    terms = _own_terms(table, heard)
    if not heard.latin or heard.foreign >= _STRANGE:
        return counted(table, terms, latin=heard.latin)
    lacking, at_least = sum(each.idf for each in terms if not each.documents), sum(max(each.idf, COMMON) for each in terms)
    return Counted(sum(each.idf for each in terms), lacking, at_least, table.columns["coverage"])


def _alike(table: Table, heard: _Heard, words: Counted, cosine: Column) -> dict[str, Column]:
    """The columns that are the same for all candidates: what cue and store are like."""
    terms = _own_terms(table, heard)
    # Whoever orders something new gives it a name that nothing here has.
    named = [each for each in terms if each.term in heard.names] if heard.seeks != "order" else []
    values = {
        "crowd": np.log1p(max(table.evidence.findings.visible, _FEW)),
        "astray": astray(table, cosine),
        "script": float(not heard.latin),
        "personal": float(heard.personal),
        "cue_length": np.log1p(len(terms)),
        "unknown": words.lacking / words.total if words.total else 0.0,
        "strangers": sum(not each.documents for each in named) / len(named) if named else 0.0,
        "unnamed": 0.0 if heard.latin else unnamed(table, terms, words.coverage),
    }
    return {name: table.nothing + value if value else table.nothing for name, value in values.items()}


def _own_terms(table: Table, heard: _Heard) -> list[TermStatistic]:
    """The utterance's own terms where the cue has state too: state may add, and never takes away."""
    return [each for each in table.evidence.findings.terms if not heard.own or each.term in heard.own]


def _has_all(table: Table) -> Column:
    """1 for what has all the words of a cue that names what few here name, else 0.

    A name means nothing to an encoder, so that "Who is Petra?" is hardly nearer to a note that names her than to others.
    """
    names, findings, has_all = _heard(table.evidence.cue).names, table.evidence.findings, table.columns["coverage"] >= _ALL
    if not names or not has_all.any():
        return table.nothing
    few = _USUAL * max(findings.visible, _FEW)
    named = any(each.term in names and 0 < each.documents <= few for each in findings.terms)
    return has_all.astype(float) if named else table.nothing


def _code(table: Table, nearest: Sequence[int]) -> Column:
    """How much of what is nearest to the cue is code, 0 to 1, the same for all candidates."""
    marked = [technical(table.text(row)) for row in nearest]
    return table.nothing + np.array(marked).sum() / len(marked) if any(marked) else table.nothing


def _blind(table: Table, calibration: Calibration, heard: _Heard) -> Column:
    """1 where there is no vector, or none that says anything.

    The encoder knows Latin script alone and cue or memory has another, or one of them is a letter or two, which any short text is near to,
    or the cue is a code or an identifier, which means nothing.
    """
    said = cues.words(table.evidence.cue, "cue")
    if len(said) < _LETTERS or is_code(said) or (calibration.latin_only and not heard.latin):
        return np.ones(len(table))
    blind = np.isnan(table.columns["cosine"])
    if (table.traits.letters < _LETTERS).any() or (calibration.latin_only and not table.traits.ascii.all()):
        blind[[len(text) < _LETTERS or (calibration.latin_only and not is_latin(text)) for text in table.texts]] = True
    return blind.astype(float) if blind.any() else table.nothing


def _kind(table: Table, heard: _Heard, note: Column, cosine: Column, calibration: Calibration) -> dict[str, Column]:
    """What sort of memory this is for what sort of cue: a note, how long, bearing on a request, as technical as it."""
    raw, noted = table.columns, note is not table.nothing
    behind, shared = (note * (cosine.max(initial=0.0) - cosine), _shared(table, heard)) if noted else (note, note)
    return {
        "behind": behind,
        "shared": table.product(shared, behind + _NEAR_ANYWAY * note) if noted else shared,
        "bears": _bears(table, heard, cosine, calibration) if heard.seeks and noted else table.nothing,
        "technical": heard.technical * np.array(list(map(technical, table.texts))) if heard.technical else table.nothing,
        "foreign_coverage": heard.foreign * raw["coverage"] if heard.foreign else table.nothing,
    }


def _shared(table: Table, heard: _Heard) -> Column:
    """How much a name alone brings a memory near to the cue, 0 to 1: the more of all memories have it, and the shorter this one is.

    Where every note begins with "Maya", each of them is as near to a question about her as only an answer is elsewhere.
    """
    findings = table.evidence.findings
    having = max((each.documents for each in findings.terms if each.term in heard.names), default=0) / max(findings.visible, _FEW)
    if having <= _USUAL:
        return table.nothing
    return np.asarray((having - _USUAL) / (1.0 - _USUAL) * (_TERSE / (_TERSE + table.columns["length"])) ** 2)


def _mine(table: Table, nearest: Sequence[int]) -> Column:
    """1 for what of the nearest is in the first person."""
    mine = np.zeros(len(table))
    mine[[row for row in nearest if intent.in_first_person(table.text(row))]] = 1.0
    return mine


def _another(table: Table) -> Column:
    """1 for a memory of somebody else, where the cue asks about one whom no memory names, or of another number than it names; else 0.

    Where it names one of a series, what begins with another of that series is of another number too.
    """
    # "Saturday's dinner" and "Mother's Day" name nobody.
    cue, documents = cues.timeless(table.evidence.cue), {each.term: each.documents for each in table.evidence.findings.terms}
    name, numbers, (series, number) = intent.asked_about(cue), intent.numbered(cue), intent.labelled(cue)
    known = [documents[term] for term in query_terms(name) if term in documents] if name else []
    stranger = name if known and not any(known) else ""
    if not stranger and not numbers and not series:
        return table.nothing
    others = [
        intent.of_somebody_else(text, stranger)
        or intent.of_another_number(text, numbers)
        or (bool(series) and intent.of_another_label(text, series, number))
        for text in table.texts
    ]
    return np.array(others, dtype=float)


def _asked_nothing(table: Table, turn: Column) -> Column:
    """1 for what cannot answer who only greets or thanks: each turn, and each note that does not have the very words."""
    said, asked_nothing = small_talk.spoken_in_order(table.evidence.cue.utterance), np.ones(len(table))
    for row in np.flatnonzero((turn <= 0.0) & (table.columns["coverage"] > 0.0)).tolist():
        asked_nothing[row] = f" {' '.join(said)} " not in f" {' '.join(small_talk.spoken_in_order(table.text(row)))} "
    return asked_nothing


def _echo(table: Table, turn: Column) -> Column:
    """1 for a turn that asks hardly anything but what the cue says itself: whoever asked before has not answered by that."""
    begun = (turn * table.columns["coverage"] >= _ECHOED).nonzero()[0].tolist()
    echo = np.zeros(len(table)) if begun else table.nothing
    for row in begun:
        text = table.text(row)
        if intent.asks(text) and (own := analyse(text)):
            said = analyse(table.evidence.cue.utterance)
            echo[row] = sum(count for term, count in own.items() if term not in said) <= _BEYOND * sum(own.values())
    return echo


def _apart(table: Table, cosine: Column, nearest: Sequence[int]) -> Column:
    """How much nearer than the tenth nearest candidate, by the logarithm of how many times as large as a small store this one is.

    Among ten thousand memories the best by chance has many as near beside it, and what answers in other words has few.
    """
    if not nearest:
        return table.nothing
    larger = np.log1p(max(table.evidence.findings.visible, _FEW)) - np.log1p(_FEW)
    nearer: Column = np.maximum(cosine - cosine[nearest[-1]], 0.0) * larger
    return nearer


def _deviations(table: Table, heard: _Heard, cosine: Column, calibration: Calibration) -> Column:
    """How many deviations each cosine stands above what an unrelated one usually is, or is here to a foreign cue, if that is more."""
    usual = calibration.background_mean
    if heard.foreign >= _STRANGE:
        usual = max(usual, usual_cosine(table, calibration))
    return (cosine - usual) / calibration.background_deviation


def _bears(table: Table, heard: _Heard, cosine: Column, calibration: Calibration) -> Column:
    """How far each note bears on the request."""
    known = frozenset(each.term for each in _own_terms(table, heard) if each.documents and each.term in heard.names)
    above = _deviations(table, heard, cosine, calibration)
    return bearing(table, above, seeks=heard.seeks, foreign=heard.foreign >= _STRANGE, known=known)


def _words(table: Table, heard: _Heard, words: Counted, *, note: Column) -> dict[str, Column]:
    """How much of what the cue's words come to a memory has."""
    raw, lexical = table.columns, table.policy.channels.lexical
    # What has the utterance's own words was scaled as if they were all that is looked for.
    total = sum(each.idf for each in table.evidence.findings.terms) if heard.own else words.total
    perfect = total * (lexical.k1 + 1.0 + lexical.delta) if lexical and total else 1.0
    matched = np.log1p(words.coverage * words.at_least)
    # The best beside the fifth, or the last of fewer: what everything here has as well is what they all talk about.
    best = np.sort(words.coverage)[-_FIFTH:]
    return {
        "coverage": words.coverage,
        "ahead": (best[-1] - best[0]) / best[-1] * words.coverage if len(best) and best[-1] else table.nothing,
        "matched": matched,
        "note_matched": table.product(note, matched),
        "technical_matched": heard.technical * matched if heard.technical else table.nothing,
        "wordless": (words.coverage <= 0.0).astype(float),
        "wording": np.minimum(raw["bm25"] / perfect, 1.0),
    }


def _passage(table: Table) -> Column:
    """The best cosine among a candidate, its neighbours and the candidates within two turns: what is said takes several turns."""
    raw, cosine = table.columns, table.columns["cosine"]
    best: Column = np.fmax(cosine, np.fmax(raw["cosine_before"], raw["cosine_after"]))
    for step in (1, 2):
        earlier, later = table.turns_apart(step)
        best[earlier] = np.fmax(best[earlier], cosine[later])
        best[later] = np.fmax(best[later], cosine[earlier])
    return best if table.notes is table.nothing else np.where(table.notes > 0.0, cosine + _LENT * (best - cosine), best)


def _lent(note: Column) -> Column:
    """The share of its neighbours' words that counts for each candidate."""
    return 1.0 - (1.0 - _LENT) * note


def _answers(table: Table, *, replies: Column) -> Column:
    """How much of the cue's words the question has, for a turn that tells right after one that asks; else 0.

    An answer need not repeat what was asked. Where an agent's replies are asked for, whatever it was told before asked for them.
    """
    found, covered, (earlier, later) = np.zeros(len(table)), table.columns["coverage"], table.turns_apart(1)
    asked = covered[earlier] > 0.0
    for before, row in zip(earlier[asked].tolist(), later[asked].tolist(), strict=True):
        if replies[row] > replies[before] or (intent.asks(table.text(before)) and not intent.asks(table.text(row))):
            found[row] = covered[before]
    return found


def weighed(table: Table, calibration: Calibration, *, without: str = "") -> Column:
    """Intercept + Σ weight · column, a missing value counting as 0, for all columns but one that is left out.

    A weight on no column is an InputError.
    """
    columns, weights = table.columns, calibration.weights
    if not weights.keys() <= columns.keys():
        raise InputError("relevance.coefficients.weights", min(weights.keys() - columns), f"columns: {', '.join(sorted(columns))}")
    terms = [name for name in weights if name != without and columns[name] is not table.nothing]
    stacked = np.concatenate([np.full(len(table), calibration.intercept), *[columns[name] for name in terms]])
    stacked[np.isnan(stacked)] = 0.0
    matrix = stacked.reshape(1 + len(terms), len(table))
    matrix *= np.array([1.0, *[weights[name] for name in terms]])[:, None]
    # Row is added to row, in the order of the weights; a single candidate stands twice, for what lies in one line numpy adds up in pairs.
    log_odds: Column = np.add.reduce(matrix if len(table) > 1 else matrix.repeat(2, axis=1))
    return log_odds[: len(table)]


def _z(cosine: Column, table: Table, calibration: Calibration) -> Column:
    """The (cosine − mean)/deviation against this cue's own background; 0 without a vector.

    A background of few memories says little, so mean and variance are shrunk towards the embedder's usual ones
    as if `background_count` more memories had been seen.
    """
    seen, usual = table.evidence.findings.background, calibration.background_count
    total = seen.count + usual
    mean = (seen.count * seen.mean + usual * calibration.background_mean) / total
    variance = (seen.count * seen.deviation**2 + usual * calibration.background_deviation**2) / total
    return filled((cosine - mean) / np.sqrt(variance))
