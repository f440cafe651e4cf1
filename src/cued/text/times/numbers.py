"""Number words put together: "twenty first", "nineteen seventy eight", "two thousand and eighteen"."""

from collections.abc import Callable

from cued.text.times.vocabulary import TENS, Token

Joiner = Callable[[list[Token]], tuple[Token | None, int]]

_STARTS = frozenset([*TENS, "eighteen", "nineteen", "thousand"])
_CENTURIES = range(18, 21)
_DIGITS = range(1, 10)
_TAILS = range(10, 100)


def joined(pieces: list[Token]) -> list[Token]:
    """The tokens with every run of number words as one token."""
    if not any(piece.word in _STARTS for piece in pieces):
        return pieces
    return _pairs(_pairs(pieces, _tens), _year)


def _pairs(pieces: list[Token], join: Joiner) -> list[Token]:
    result: list[Token] = []
    index = 0
    while index < len(pieces):
        whole, used = join(pieces[index : index + 5]) if _spelt(pieces[index]) else (None, 1)
        result.append(whole or pieces[index])
        index += used
    return result


def _spelt(piece: Token) -> bool:
    return piece.kind == "number" and bool(piece.word)


def _tens(window: list[Token]) -> tuple[Token | None, int]:
    head, *rest = window
    skip = 1 if rest and rest[0].kind == "dash" and rest[0].start == head.end else 0
    unit = rest[skip] if len(rest) > skip else None
    if unit is None or head.word not in TENS or unit.kind not in {"number", "ordinal"} or not unit.word or unit.number not in _DIGITS:
        return None, 1
    return unit._replace(start=head.start, number=head.number + unit.number, word=f"{head.word} {unit.word}"), skip + 2


def _year(window: list[Token]) -> tuple[Token | None, int]:
    head, *rest = window
    if rest and rest[0].kind == "thousand" and head.number in {1, 2}:
        return _thousands(head, rest)
    skip = 1 if rest and rest[0].kind == "dash" else 0
    tail = rest[skip] if len(rest) > skip else None
    if tail is None or head.number not in _CENTURIES or not tail.word:
        return None, 1
    if tail.kind == "decade" or (_spelt(tail) and tail.number in _TAILS):
        kind = "year" if tail.kind == "number" else "decade"
        return Token(kind, head.start, tail.end, head.number * 100 + tail.number), skip + 2
    return None, 1


def _thousands(head: Token, rest: list[Token]) -> tuple[Token | None, int]:
    used = 2 if len(rest) > 1 and rest[1].kind == "and" else 1
    tail = rest[used] if len(rest) > used else None
    if tail is not None and _spelt(tail) and tail.number < _TAILS.stop:
        return Token("year", head.start, tail.end, head.number * 1000 + tail.number), used + 2
    return Token("year", head.start, rest[0].end, head.number * 1000), 2
