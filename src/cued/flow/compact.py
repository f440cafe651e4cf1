"""Compaction: when what was recalled does not fit whole, the sentences that speak to the cue, each still with its memory's provenance.

Extractive, so nothing is said that no memory says, and deterministic. A summary that a model wrote can stand in its place.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from math import log2

from cued.flow.cue import words
from cued.flow.render import form, line
from cued.flow.table import Table
from cued.text.analyse import analyse, query_terms
from cued.text.harmless import harmless, name
from cued.text.passages import sentences, shorten
from cued.text.token_counts import estimate_tokens

PIECE_TOKENS = 12
"""The least that is worth showing of a memory that does not fit."""
_MOST_ADDED = 200


class Extract:
    """A memory's text as sentences, how much of the cue each covers, and which of them are shown so far."""

    def __init__(self, text: str, weights: Mapping[str, float]) -> None:
        """Take the text apart; nothing is shown yet."""
        self.text = text
        self.spans, terms = _taken_apart(text)
        self.coverage = [_coverage(each, weights) for each in terms]
        self.best = max(range(len(self.spans)), key=lambda i: (self.coverage[i], -i))
        self.chosen: frozenset[int] = frozenset()

    def with_sentence(self, which: int, cut: Callable[[str], str] = lambda sentence: sentence) -> str:
        """The text of the chosen sentences and this one, in their order, "…" where something was left out."""
        shown = sorted(self.chosen | {which})
        pieces = ["" if shown[0] == 0 else "… "]
        for at, index in enumerate(shown):
            start, end = self.spans[index]
            pieces.append(cut(self.text[start:end]) if index == which else self.text[start:end])
            if index != shown[-1]:
                pieces.append(self.text[end : self.spans[shown[at + 1]][0]] if shown[at + 1] == index + 1 else " … ")
        whole = "".join(pieces)
        cut_off = shown[-1] != len(self.spans) - 1 or self.text[self.spans[-1][1] :].strip()
        return whole + (" …" if cut_off and not whole.endswith("…") else "")


def extract(table: Table, rows: Sequence[int], room_tokens: int) -> dict[int, str]:
    """A piece of each row that gets in, best first, whose lines together cost at most `room_tokens`.

    First the least that is worth showing of every row, down to the first that does not fit; then each row's best sentence gets its
    share of what is left; then further sentences come in by coverage / log2(rank + 1), where coverage is the sentence's share of
    the cue's idf.
    """
    weights = cue_weights(table)
    extracts: dict[int, Extract] = {}
    pieces: dict[int, str] = {}
    costs: dict[int, int] = {}
    for row in rows:
        found = Extract(table.memories[row].text, weights)
        piece = found.with_sentence(found.best, _dozen)
        cost = estimate_tokens(line(table, row, piece))
        if cost > room_tokens - sum(costs.values()):
            break
        extracts[row], pieces[row], costs[row] = found, piece, cost
    _share_out(table, extracts, pieces, room_tokens)
    _add_sentences(table, extracts, pieces, room_tokens)
    return pieces


def least(table: Table, row: int) -> str:
    """The least that is worth showing of a row: a dozen tokens of its best sentence."""
    found = Extract(table.memories[row].text, cue_weights(table))
    return found.with_sentence(found.best, _dozen)


def summarised(table: Table, rows: Sequence[int], room_tokens: int) -> tuple[str, str] | None:
    """A summary's label and text, the text shortened and the ids fewer where they do not fit.

    None when there is no room, or no summary of exactly these rows: one made under another limit or floor says other things.
    """
    made = table.evidence.summary
    if made is None or made.of != tuple(table.ids[row] for row in rows) or not harmless(made.text):
        return None
    text = made.text
    write = form(table).summary
    ids = [name(table.ids[row]) for row in rows]
    for shown in range(len(ids), -1, -1):
        label = _label(ids, shown)
        # the ids may take half of the room, or what the text does not need
        most = room_tokens // 2 if shown else room_tokens
        if estimate_tokens(write(label, "")) <= most or estimate_tokens(write(label, text)) <= room_tokens:
            kept = _summary_that_fits(text, partial(_fits, partial(write, label), room_tokens))
            return (label, kept) if kept.strip(" …") else None
    return None


def _fits(write: Callable[[str], str], room_tokens: int, text: str) -> bool:
    return estimate_tokens(write(text)) <= room_tokens


def _label(ids: Sequence[str], shown: int) -> str:
    """The label of a summary, such as "digest of 3 memories: a, b and 1 more"."""
    more = f" and {len(ids) - shown} more" if shown < len(ids) and shown else ""
    named = f": {', '.join(ids[:shown])}{more}" if shown else ""
    return f"digest of {len(ids)} memor{'y' if len(ids) == 1 else 'ies'}{named}"


def _summary_that_fits(text: str, fits: Callable[[str], bool]) -> str:
    """As many whole sentences of a summary as fit, or the beginning of its first."""
    if fits(text):
        return text
    spans = sentences(text) or [(0, len(text))]
    kept = ""
    for start, end in spans:
        longer = text[:end] + " …"
        if not fits(longer):
            return kept or shorten(text[start:end], fits)
        kept = longer
    return kept


def cue_weights(table: Table) -> dict[str, float]:
    """The cue's terms with their idf; where no channel searched by words, its terms as equals."""
    known = {each.term: each.idf for each in table.evidence.findings.terms}
    return known or dict.fromkeys(query_terms(words(table.evidence.cue, "cue")), 1.0)


@lru_cache(maxsize=8)
def _taken_apart(text: str) -> tuple[Sequence[tuple[int, int]], Sequence[Collection[str]]]:
    """Where a text's sentences begin and end, and the terms of each."""
    # An explanation decides the same texts many times over.
    spans = sentences(text) or [(0, len(text))]
    return spans, [analyse(text[start:end]).keys() for start, end in spans]


def _coverage(terms: Collection[str], weights: Mapping[str, float]) -> float:
    """The share of the cue's terms that stand in a sentence of these, weighted by idf, from 0 to 1."""
    total = sum(weights.values())
    return sum(weights[term] for term in terms if term in weights) / total if total > 0 else 0.0


def _dozen(sentence: str) -> str:
    return shorten(sentence, lambda piece: estimate_tokens(harmless(piece)) <= PIECE_TOKENS)


def _share_out(table: Table, extracts: Mapping[int, Extract], pieces: dict[int, str], room_tokens: int) -> None:
    """Lengthen each row's best sentence by an equal share of the room that is left, best row first."""
    spent = {row: estimate_tokens(line(table, row, piece)) for row, piece in pieces.items()}
    for at, (row, found) in enumerate(extracts.items()):
        most = spent[row] + (room_tokens - sum(spent.values())) // (len(extracts) - at)
        longer = found.with_sentence(found.best, _cutter(table, row, found, most))
        cost = estimate_tokens(line(table, row, longer))
        if len(longer) > len(pieces[row]) and cost <= most:
            pieces[row], spent[row] = longer, cost


def _cutter(table: Table, row: int, found: Extract, most: int) -> Callable[[str], str]:
    """How to cut the row's best sentence so that its line costs at most so much."""

    def fits(piece: str) -> bool:
        return estimate_tokens(line(table, row, found.with_sentence(found.best, lambda _: piece))) <= most

    return lambda sentence: shorten(sentence, fits)


def _add_sentences(table: Table, extracts: Mapping[int, Extract], pieces: dict[int, str], room_tokens: int) -> None:
    """Complete the sentences that were cut, then add others by worth, each where it still fits."""
    spent = {row: estimate_tokens(line(table, row, piece)) for row, piece in pieces.items()}
    left = room_tokens - sum(spent.values())
    first = [(row, found.best) for row, found in extracts.items()]
    ranked = enumerate(extracts.items(), 1)
    worth = [(-found.coverage[i] / log2(rank + 1), rank, i, row) for rank, (row, found) in ranked for i in range(len(found.spans))]
    others = [(row, i) for _, _, i, row in sorted(worth) if i != extracts[row].best]
    for row, which in [*first, *others[:_MOST_ADDED]]:
        found = extracts[row]
        start, end = found.spans[which]
        if which != found.best and (found.best not in found.chosen or estimate_tokens(found.text[start:end]) > left):
            continue
        longer = found.with_sentence(which)
        cost = estimate_tokens(line(table, row, longer))
        if cost - spent[row] <= left:
            found.chosen |= {which}
            left -= cost - spent[row]
            pieces[row], spent[row] = longer, cost
