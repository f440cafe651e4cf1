"""A table of a TOML file put in or taken out as a block of lines; everything else keeps its spelling."""

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

_HEADER = re.compile(r"^\s*\[", re.MULTILINE)
_MARK = "\ufeff"
"""What some editors put before a text; Codex reads past it, and tomllib does not."""


def parse(text: str) -> Any:  # noqa: ANN401 - any TOML value
    """What the text says."""
    try:
        return tomllib.loads(text.removeprefix(_MARK))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from error


def put(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """The text with this table at its end, in place of the one that was there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    rest = drop(text, path)
    gap = "" if not rest.strip() else newline if rest.endswith("\n") else newline * 2
    lines = [f"[{'.'.join(path)}]", *(f"{name} = {_written(item)}" for name, item in value.items())]
    return rest + gap + newline.join(lines) + newline


def drop(text: str, path: Sequence[str]) -> str:
    """The text without this table and the tables inside it."""
    name = r"\s*\.\s*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in path)
    header = re.compile(rf"^\s*\[\s*{name}\s*(?:\.[^\]]*)?\][^\n]*\n?", re.MULTILINE)
    while found := header.search(text):
        after = _HEADER.search(text, found.end())
        text = text[: found.start()] + (text[after.start() :].lstrip("\r\n") if after else "")
    return text


def _written(value: Any) -> str:  # noqa: ANN401 - any TOML value
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_written(item)}" for name, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
