r"""Text made safe to show: on one line, without hidden characters, and without anything that a model's template or a frame would obey.

What stays: every visible character, and the few invisible ones without which writing falls apart — a joiner between two emoji, a
joiner or non-joiner between two letters of a script that it shapes (Persian, Hindi …), one variation selector after a symbol. None
of these can hide a word. Everything else that cannot be seen is spelled out, such as \u{200b}.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from cued.text import scripts
from cued.text.patterns import pattern

MAX_NAME = 40
# Letters and marks to Unicode, and blank to the eye: fillers, variation selectors, the grapheme joiner.
_BLANK = pattern(r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]")
_MARKS: Final = frozenset({"Mn", "Me"})
_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = "\ufe0e\ufe0f"
_EMOJI = pattern(rf"[{scripts.EMOJI}\u200d\ufe0f\u2190-\u21ff\u2640\u2642\U0001f3fb-\U0001f3ff]")
_SHAPED = pattern(r"[\u0600-\u0dff\u1000-\u109f\u1780-\u18aa]")
_SYMBOLS: Final = frozenset("0123456789#*‼⁉")

_LOOKALIKES: Final = (
    {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, "﹤˂ᐸ❮⧼〈❬❰⦉⦑⦓◁⊲"), "<")
    | dict.fromkeys(map(ord, "〈⟨⟪《«︽︿"), "‹")
    | dict.fromkeys(map(ord, "﹝【〔⟦❲⦗〘〚⁅⌈⌊⎡⎢⎣⟬⦋⦍⦏⦇⟅⸂⸄⸢⸤⹕⹗〖︗︹︻﹇༺༼᚛"), "[")
    | dict.fromkeys(map(ord, "﹞】〕⟧❳⦘〙〛⁆⌉⌋⎤⎥⎦⟭⦌⦎⦐⦈⟆⸃⸅⸣⸥⹖⹘〗︘︺︼﹈༻༽᚜"), "]")
    | dict.fromkeys(map(ord, "∕⁄⧸"), "/")
    | dict.fromkeys(map(ord, "¦│∣ǀ❘"), "|")
    | {ord("▁"): "_"}
    | str.maketrans("аеіјорсѕухһԁԛԝοαвгкмнптѵьӏεηικνρστυω", "aeijopcsyxhdqwoabrkmhntvblenikvpotuw")
    | str.maketrans("ոօսհցգզᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᏀᏃᏚᏞᏟᏢᏦᏧ", "nouhgqqDRTIYAJEWMHGZSLCPKd")
    | str.maketrans("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU")
    | str.maketrans("ıɩɑɡłøđħŧƀɨʉɇɍɏȼⱥⱦŁØĐĦŦɃƗɄɆɌɎȻȺȾ", "iiaglodhtbiuerycatLODHTBIUERYCAT")
    | str.maketrans("АВЕІЈКМНОРСЅТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEIJKMHOPCSTYXABEZHIKMNOPTYX")
    | str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz")
    | {first + place: chr(ord("A") + place) for first in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)}
)


class _Looks(dict[int, str | int]):
    """The plain character that each character looks like: letters without accents, and look-alikes from other alphabets.

    A combining mark maps to nothing.
    """

    def __missing__(self, code: int) -> str:
        """The look-alike of a character that is asked for the first time."""
        base = unicodedata.normalize("NFKD", chr(code))[0]
        seen = base if base.isascii() and base.isalnum() else chr(code)
        looks = self[code] = "" if unicodedata.category(chr(code)) in _MARKS else seen
        return looks


_LOOKS: Final = _Looks(_LOOKALIKES)
_HEADS = r"(?:semantic|episodic|procedural)(?:[\s_-]+memor(?:y|ies)|,)|previously[\s_-]+inferred"
"""The beginnings of our own lines in a block."""
_SPEAKERS = (
    r"inst|sys|system|user|human|assistant|model|tools?|end[\s_.-]+of|recalled|memor(?:y|ies)|core|digest|unverified|instructions?"
    rf"|\|\s{{0,9}}\w+\s{{0,9}}\||unused_token_\d+|{_HEADS}"
)
_OBEYED = pattern(
    r"(?P<tag><(?=[|/!?<]|[^\W\d]|0x[0-9a-f]{2}>)|‹(?=[|/]))"
    rf"|(?P<bracket>\[(?=e~\[|[\s/*\"'“”‘’.:=+~-]{{0,9}}(?:{_SPEAKERS})(?![^\W_])|(?-i:/?[A-Za-z]?[A-Z][A-Z_]+\]))(?P<inside>[^\[\]<‹#`~]{{0,80}}\])?)"
    r"|(?P<minimax>\](?=~))"
    r"|(?P<heading>(?<!\#)\#{2,}+(?=\s{0,9}[^\W\d]))"
    r"|(?P<fence>`{3,}|~{3,})",
    re.IGNORECASE,
)
_OPENINGS: Final = "<‹[]#`~"
_SPARSE: Final = 16
"""If openings are this close on average, one search of the whole line is faster than trying each of them."""
_OPENED = pattern(f"[{re.escape(_OPENINGS)}]")
_OPENING = pattern("[" + re.escape(_OPENINGS + "".join(chr(code) for code, seen in _LOOKALIKES.items() if seen in set(_OPENINGS))) + "]")
"""The characters, look-alikes included, without which nothing in a text can be obeyed."""
_NAME = pattern(rf"[\w .'@{scripts.MARKS}-]+")
_UNFRAMED = str.maketrans('[]{}"“”', "()()'''")


def plain(text: str) -> str:
    """The text on one line, with everything visible: control, format and bidi characters are written out."""
    if text.isascii() and text.isprintable():
        return text
    # Between two marks, so that a break at either end counts as well.
    line = " ⏎ ".join(filter(None, f"|{text}|".replace("\t", " ").splitlines()))[1:-1]
    if line.isprintable() and (text.isascii() or not _BLANK.search(line)):
        return line
    odd = "".join(re.escape(character) for character in sorted(set(line)) if not character.isprintable() or _BLANK.match(character))
    return re.sub(f"[{odd}]", lambda match: _visible(line, match.start()), line)


def harmless(text: str) -> str:
    """The text as it may stand in a block: plain, without fences, and without what a chat template would take for its own.

    An angle bracket that could open a tag is followed by a space, a bracket that names a role or the frame becomes round, a run of
    number signs before a word becomes one, and fences become quotation marks; look-alikes of these count as they look.
    """
    line = plain(text.strip()).strip()
    if not _opens(line):
        return line
    view, places = _view(line)
    pieces: list[str] = []
    last = 0
    for match in _obeyed(view):
        pieces += line[last : places[match.start()]], _defused(match, line, places)
        last = places[match.end()]
    return "".join(pieces) + line[last:]


def _opens(line: str) -> bool:
    """Whether a line has a character that could open something that is obeyed, or a look-alike."""
    # Of plain letters it is told ten times as fast by looking for each by itself.
    return any(map(line.__contains__, _OPENINGS)) if line.isascii() else _OPENING.search(line) is not None


def _view(line: str) -> tuple[str, Sequence[int]]:
    """The line in look-alike characters without combining marks, and for each of them its place in the line."""
    view = line if line.isascii() else line.translate(_LOOKS)
    if len(view) == len(line):
        return view, range(len(line) + 1)
    return view, [*(place for place, character in enumerate(line) if _LOOKS[ord(character)]), len(line)]


def _obeyed(view: str) -> Iterator[re.Match[str]]:
    """The matches of what would be obeyed in a line that looks like this, in order."""
    if sum(map(view.count, _OPENINGS)) * _SPARSE > len(view):
        yield from _OBEYED.finditer(view)
        return
    after = 0
    for opening in _OPENED.finditer(view):
        match = _OBEYED.match(view, opening.start()) if opening.start() >= after else None
        if match:
            after = match.end()
            yield match


def name(text: str) -> str:
    """The name as it may stand in a line of a block: harmless, short, and in quotation marks if it is more than words."""
    if text.isalpha() and text.isascii() and len(text) <= MAX_NAME:
        return text
    safe = harmless(text).translate(_UNFRAMED)
    if len(safe) > MAX_NAME:
        safe = safe[: MAX_NAME - 1].rstrip() + "…"
    return safe if _NAME.fullmatch(safe) else f'"{safe}"'


def _defused(match: re.Match[str], line: str, places: Sequence[int]) -> str:
    """The harmless replacement of a piece that would be obeyed."""
    kind, start = match.lastgroup, places[match.start()]
    if match["bracket"]:
        return f"({line[places[match.start('inside')] : places[match.end('inside') - 1]]})" if match["inside"] else "("
    if kind == "heading":
        return "#"
    if kind == "fence":
        return "'" * len(match[0])
    return ("< " if match[0] == "<" else line[start] + " ") if kind == "tag" else "] "


def _visible(line: str, at: int) -> str:
    """A character of a line, written out if it is invisible."""
    character = line[at]
    if character.isprintable() and not _BLANK.match(character):
        return character
    category = unicodedata.category(character)
    if category == "Zs" or (category == "Cn" and not _is_noncharacter(character) and not _BLANK.match(character)):
        return character
    if _needed(line, at):
        return character
    return f"\\u{{{ord(character):x}}}"


def _needed(line: str, at: int) -> bool:
    """Whether an invisible character shapes the two visible ones around it."""
    character, before, after = line[at], line[at - 1 : at], line[at + 1 : at + 2]
    if character in _SELECTORS:
        return before in _SYMBOLS or (before > "\x7f" and unicodedata.category(before) in {"So", "Sm"})
    if character not in _JOINERS or not before or not after:
        return False
    if _SHAPED.match(before) and _SHAPED.match(after):
        return True
    return character == "\u200d" and before not in _JOINERS and _EMOJI.match(before) is not None and _is_emoji(after)


def _is_emoji(character: str) -> bool:
    """Whether a character is an emoji by itself."""
    return _EMOJI.match(character) is not None and character not in _JOINERS + _SELECTORS


def _is_noncharacter(character: str) -> bool:
    """Whether a code point is a Unicode noncharacter."""
    code = ord(character)
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF  # noqa: PLR2004 - the two stretches that Unicode names
