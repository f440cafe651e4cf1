"""A Markdown note taken apart: its front matter, and its blocks under their headings. Pure text in, data out."""

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from cued.importers.drafting import pieces, short

Matter = dict[str, str | tuple[str, ...]]
BlockKind = Literal["paragraph", "item", "observation", "relation"]

_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t](.*)")
_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)")
_TASK = re.compile(r"\[(.)\]\s+(.*)", re.DOTALL)
_OBSERVATION = re.compile(r"\[([^\[\]\n]{2,100})\]\s+(\S.*)", re.DOTALL)
_RELATION = re.compile(r"([^\[\]\n]{0,100}?)\s*\[\[([^\[\]\n]{1,200})\]\]\s*(?:\(([^()\n]*)\))?")
_TAG = re.compile(r"(?<![\w#&/])#([^\W\d_][\w/-]{0,100}|\d+[^\W\d_][\w/-]{0,100})")
_LINK = re.compile(r"!?\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
_KEY = re.compile(r"([A-Za-z_][\w -]{0,60}):(?:\s+(.*))?")
_MAX_MATTER_LINES = 200
_DEEPEST = 6
_MAX_ASIDE = 500


class Block(Struct, frozen=True, kw_only=True):
    """One thought of a note: where it stands, what it says, and for a relation to what."""

    kind: BlockKind
    text: str
    headings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    category: str = ""
    context: str = ""
    relation: str = ""
    target: str = ""


def split(text: str) -> tuple[Matter, str]:
    """A note's front matter and its body; a note that does not begin with `---` has none."""
    lines = text.split("\n", _MAX_MATTER_LINES + 1)
    if lines[0].strip() != "---":
        return {}, text
    for end, line in enumerate(lines[1:], 1):
        if line.strip() in {"---", "..."}:
            return _matter(lines[1:end]), "\n".join(lines[end + 1 :])
    return {}, text


def blocks(body: str) -> Iterator[Block]:
    """The blocks of a note: a paragraph, a code block or a list item with what is nested in it each make one."""
    headings: list[str] = []
    for lines in _runs(body):
        heading = _HEADING.fullmatch(lines[0])
        if heading is not None:
            level = len(heading[1])
            headings = [*headings[: level - 1], *[""] * (level - 1 - len(headings)), short(heading[2].strip().rstrip("#"))]
            continue
        item = _ITEM.match(lines[0])
        if item is None:
            yield from _paragraph("\n".join(lines), _trail(headings))
        else:
            yield _item("\n".join([item[1], *lines[1:]]).strip(), _trail(headings))


def _runs(body: str) -> Iterator[list[str]]:
    """Runs of lines that belong together: a heading, a list item with its continuation, or whatever lies between blank lines."""
    run: list[str] = []
    fence = ""
    item_at: int | None = None
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if fence:
            run.append(line)
            fence = "" if mark is not None and mark[1].startswith(fence) else fence
        elif mark is not None:
            run.append(line)
            fence = mark[1]
        elif _begins(line, item_at):
            yield from (run,) if run else ()
            run = [line] if line.strip() and not _RULE.fullmatch(line) else []
            item_at = _indent(line) if run and _ITEM.match(line) else None
        else:
            run.append(line)
        if len(run) == 1 and _HEADING.fullmatch(line) is not None:
            yield run
            run = []
    if run:
        yield run


def _begins(line: str, item_at: int | None) -> bool:
    """Whether a line ends the run before it: a blank one, a heading, a rule, or an item that is not nested in the one that begins there."""
    if not line.strip() or _HEADING.fullmatch(line) or _RULE.fullmatch(line):
        return True
    return _ITEM.match(line) is not None and (item_at is None or _indent(line) <= item_at)


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _item(text: str, headings: tuple[str, ...]) -> Block:
    task = _TASK.fullmatch(text)
    if task is not None:
        state = ("todo",) if task[1] == " " else ("done",)
        return Block(kind="item", text=_plain(task[2]), headings=headings, tags=(*state, *_tags(task[2])))
    relation = _RELATION.fullmatch(text)
    if relation is not None:
        target = relation[2].partition("|")[0].strip()
        return Block(
            kind="relation",
            text=_plain(text),
            headings=headings,
            relation=short(relation[1]) or "relates to",
            target=short(target),
            context=short(relation[3]),
        )
    observation = _OBSERVATION.fullmatch(text)
    if observation is None or observation[2].startswith("("):
        return Block(kind="item", text=_plain(text), headings=headings, tags=_tags(text))
    kept, context = _bracketed_end(observation[2].rstrip())
    return Block(
        kind="observation",
        text=_plain(kept),
        headings=headings,
        tags=_tags(kept),
        category=short(observation[1]),
        context=short(context),
    )


def _bracketed_end(text: str) -> tuple[str, str]:
    """A text without the brackets that end it, and what is in them."""
    start = text.rfind("(", len(text) - _MAX_ASIDE) if text.endswith(")") else -1
    return (text, "") if start <= 0 else (text[:start].rstrip(), text[start + 1 : -1])


def _paragraph(text: str, headings: tuple[str, ...]) -> Iterator[Block]:
    for piece in pieces(text):
        if any(character.isalnum() for character in piece):
            yield Block(kind="paragraph", text=_plain(piece), headings=headings, tags=_tags(piece))


def _trail(headings: list[str]) -> tuple[str, ...]:
    return tuple(filter(None, headings[:_DEEPEST]))


def _plain(text: str) -> str:
    """The text with its wiki links as the words they show."""
    return _LINK.sub(lambda link: link[2] or link[1], text).strip()


def _tags(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_TAG.findall(text)))


def _matter(lines: list[str]) -> Matter:
    """The keys of front matter with texts and lists as their values; what is nested deeper is left out."""
    matter: Matter = {}
    key = ""
    for line in lines:
        found = _KEY.fullmatch(line.rstrip())
        item = _ITEM.match(line)
        if found is not None:
            key = found[1].strip().lower()
            matter[key] = _value((found[2] or "").strip())
        elif item is not None and key:
            before = matter[key]
            matter[key] = (*(before if isinstance(before, tuple) else ()), _unquoted(item[1]))
    return matter


def _value(text: str) -> str | tuple[str, ...]:
    if text.startswith("[") and text.endswith("]"):
        return tuple(filter(None, map(_unquoted, text[1:-1].split(","))))
    return _unquoted(text)


def _unquoted(text: str) -> str:
    bare = text.strip()
    return bare[1:-1].strip() if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'" else bare
