"""JSON with comments and trailing commas, edited in place: everything else keeps its spelling, its order and its comments."""

import json
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DEEPEST = 200


class PlacedValue(Struct, frozen=True, kw_only=True):
    """A value with its place in the text; `members` are those of an object, each with the place of its key."""

    start: int
    end: int
    value: Any
    members: dict[str, tuple[int, "PlacedValue"]]


def parse(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """The value in a text; an empty one is an empty object."""
    return _root(text).value


def put(text: str, path: Sequence[str], value: Any) -> str:  # noqa: ANN401 - any JSON value
    """The text with this value at the path; objects that are missing on the way are made."""
    text = text if text.strip() else "{}\n"
    node = _root(text)
    for depth, key in enumerate(path):
        _object(node, path[:depth])
        if key not in node.members:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value}
            return _inserted(text, node, key, value)
        node = node.members[key][1]
    return text[: node.start] + _dumped(value, text, node.start) + text[node.end :]


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the member at the path; unchanged where there is none."""
    node = _root(text)
    for key in path[:-1]:
        if key not in node.members:
            return text
        node = node.members[key][1]
    return _removed(text, node, path[-1]) if path[-1] in node.members else text


def _root(text: str) -> PlacedValue:
    if not text.strip():
        return PlacedValue(start=0, end=0, value={}, members={})
    node = _value(text, _skip(text, 0), 0)
    if _skip(text, node.end) != len(text):
        raise _wrong(text, _skip(text, node.end), "the end")
    return node


def _value(text: str, at: int, depth: int) -> PlacedValue:
    if depth > _DEEPEST:
        raise _wrong(text, at, f"no more than {_DEEPEST} levels")
    first = text[at : at + 1]
    if first == "{":
        return _members(text, at, depth)
    if first == "[":
        return _items(text, at, depth)
    if first == '"':
        value, end = _string(text, at)
        return PlacedValue(start=at, end=end, value=value, members={})
    found = _SCALAR.match(text, at)
    if found is None:
        raise _wrong(text, at, "a value")
    return PlacedValue(start=at, end=found.end(), value=json.loads(found[0]), members={})


def _members(text: str, start: int, depth: int) -> PlacedValue:
    members: dict[str, tuple[int, PlacedValue]] = {}
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise _wrong(text, at, "a key or }")
        key, end = _string(text, at)
        colon = _skip(text, end)
        if text[colon : colon + 1] != ":":
            raise _wrong(text, colon, "a colon")
        node = _value(text, _skip(text, colon + 1), depth + 1)
        members[key] = (at, node)
        at = _next(text, node.end, "}")
    return PlacedValue(start=start, end=at + 1, value={key: node.value for key, (_, node) in members.items()}, members=members)


def _items(text: str, start: int, depth: int) -> PlacedValue:
    items = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        node = _value(text, at, depth + 1)
        items.append(node.value)
        at = _next(text, node.end, "]")
    return PlacedValue(start=start, end=at + 1, value=items, members={})


def _next(text: str, end: int, closing: str) -> int:
    """Where the next thing stands after a value: past a comma, or at the end of what holds it."""
    at = _skip(text, end)
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise _wrong(text, at, f"a comma or {closing}")
    return at


def _string(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    if found is None:
        raise _wrong(text, at, "a text that ends on its line")
    try:
        return str(json.loads(found[0])), found.end()
    except json.JSONDecodeError as error:
        raise _wrong(text, at, "a text without odd escapes") from error


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _wrong(text: str, at: int, wanted: str) -> ValueError:
    return ValueError(f"line {text.count(chr(10), 0, at) + 1}: {wanted} is expected")


def _object(node: PlacedValue, path: Sequence[str]) -> None:
    if not isinstance(node.value, dict):
        raise ValueError(f"{'.'.join(path) or 'the whole'} is no object")  # noqa: TRY004 - what is wrong is a file's contents


def _inserted(text: str, node: PlacedValue, key: str, value: Any) -> str:  # noqa: ANN401 - any JSON value
    newline = "\r\n" if "\r\n" in text else "\n"
    close = node.end - 1
    outer = _indent_at(text, node.start)
    inner = outer + _unit(text)
    tail = node.start + 1 + len(text[node.start + 1 : close].rstrip())
    if node.members:
        at, last = max(node.members.values(), key=lambda member: member[0])
        if text[text.rfind("\n", 0, at) + 1 : at].isspace():
            inner = text[text.rfind("\n", 0, at) + 1 : at]
        after = _skip(text, last.end)
        if text[after : after + 1] != ",":
            text = text[: last.end] + "," + text[last.end :]
            tail, close = tail + 1, close + 1
    entry = f"{json.dumps(key)}: {_laid_out(value, inner, text)}"
    gap = text[tail:close] if "\n" in text[tail:close] else newline + outer
    return text[:tail] + newline + inner + entry + gap + text[close:]


def _removed(text: str, node: PlacedValue, key: str) -> str:
    at, member = node.members[key]
    end = member.end
    after = _skip(text, end)
    begin = node.start + 1
    if text[after : after + 1] == ",":
        end = after + 1
    else:
        before = [other for start, other in node.members.values() if start < at]
        if before:
            last = max(before, key=lambda other: other.end)
            comma = _skip(text, last.end)
            text = text[:comma] + text[comma + 1 :]
            at, end, begin = at - 1, end - 1, comma
    while at > begin and text[at - 1].isspace():
        at -= 1
    rest = text[end:]
    return text[:at] + (rest.lstrip() if text[at - 1] == "{" and rest.lstrip().startswith("}") else rest)


def _dumped(value: Any, text: str, at: int) -> str:  # noqa: ANN401 - any JSON value
    return _laid_out(value, _indent_at(text, at), text)


def _laid_out(value: Any, indent: str, text: str) -> str:  # noqa: ANN401 - any JSON value
    newline = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, indent=_unit(text), ensure_ascii=False).replace("\n", newline + indent)


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "
