"""The arguments of tools: their JSON schemas, and the body of a verb's request made of what a model said.

The schemas are those of the table of verbs, trimmed. Tenant and scope belong to the connection: a tenant is never an argument, and a
scope can only be the project's own or the global one.
"""

from collections.abc import Mapping
from typing import Any, get_args

from cued.errors import InputError, NotFoundError, UnknownFieldError
from cued.handles.tenant import Tenant
from cued.model import GLOBAL, Memory
from cued.model.plain import JSON
from cued.surfaces.mcp.tools import ScopeChoice, Tool
from cued.surfaces.verbs import schemas

BUDGET_TOKENS = 2000
"""How many tokens of memories an answer may have where the caller does not say."""
_NAMING = ("id", "ids", "memory", "supersedes", "derived_from", "cited", "bad")
_IN_A_PROJECT = frozenset({"recall", "explain", "timeline"})


def input_schema(tool: Tool) -> JSON:
    """The schema of a tool's arguments; it is complete in itself, and has only what a model should say."""
    whole = schemas()[tool.verb]["properties"]
    shown = {name: _shown(tool, name, whole[name]) for name in tool.fields}
    return {"type": "object", "properties": shown, "required": list(tool.needed), "additionalProperties": False}


def body(tool: Tool, said: Mapping[str, Any], *, tenant: Tenant, scope: str) -> JSON:
    """The body of the verb's request: what was said, what is usual, and the project's scope.

    A memory of another project is as unknown here as one that is not there.
    """
    for name in said:
        if name not in tool.fields:
            raise UnknownFieldError(str(name), tool.fields)
    stated = {**tool.usual, **{name: value for name, value in said.items() if value is not None or _null_says_something(tool, name)}}
    if not stated.keys() - {*tool.needed, *tool.usual} and tool.verb == "update":
        raise InputError("update", stated, f"at least one of {', '.join(name for name in tool.fields if name not in tool.needed)}")
    if "scope" in tool.fields:
        stated |= _place(stated, scope, needed=tool.verb == "remember")
    elif tool.verb in _IN_A_PROJECT:
        stated["scope"] = scope
    if tool.verb == "recall" and stated.get("budget_tokens") is None:
        stated["budget_tokens"] = BUDGET_TOKENS
    for name in _NAMING:
        for each in _ids(stated.get(name)):
            visible(tenant, each, scope=scope)
    return stated


def _null_says_something(tool: Tool, name: str) -> bool:
    """Whether null means something in this field; elsewhere some models write it for a field that they leave out."""
    field = schemas()[tool.verb]["properties"][name]
    return field.get("default", 0) is not None and {"type": "null"} in field.get("anyOf", ())


def visible(tenant: Tenant, memory_id: str, *, scope: str) -> Memory:
    """The memory, if it is the project's or global; else a NotFoundError."""
    memory = tenant.get(memory_id)
    if memory.scope not in {scope, GLOBAL}:
        raise NotFoundError(memory_id)
    return memory


def _place(stated: JSON, scope: str, *, needed: bool) -> JSON:
    if "scope" not in stated and not needed:
        return {}
    said = stated.get("scope", "project")
    if said not in get_args(ScopeChoice):
        raise InputError("scope", said, f"one of {', '.join(get_args(ScopeChoice))}")
    return {"scope": scope if said == "project" else GLOBAL}


def _ids(value: object) -> tuple[str, ...]:
    """The ids in a field, as far as they are texts; the request refuses whatever else it holds."""
    if isinstance(value, str):
        return (value,)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()


def _shown(tool: Tool, name: str, field: JSON) -> JSON:
    if name == "scope":
        typed: JSON = {"type": "string", "enum": list(get_args(ScopeChoice))}
        typed |= {"default": "project"} if tool.verb == "remember" else {}
    else:
        typed = _typed(field)
    usual = {"default": tool.usual[name]} if name in tool.usual else {}
    return {"description": tool.told.get(name, field["description"]), **typed, **usual}


def _typed(field: JSON) -> JSON:
    """A field's schema as every client understands it: no null where leaving the field out means the same, no text in place of a list."""
    kept = {name: value for name, value in field.items() if name not in {"description", "anyOf"}}
    parts = field.get("anyOf", [])
    if field.get("default", 0) is None:
        parts = [part for part in parts if part != {"type": "null"}]
    if "default" in field and not field["default"] and field["default"] not in (0, False):
        kept.pop("default")
    if any(part.get("type") == "array" for part in parts):
        parts = [part for part in parts if part.get("type") == "array"]
    parts = [_word(part) for part in parts]
    return _word({**parts[0], **kept} if len(parts) == 1 else {**({"anyOf": parts} if parts else {}), **kept})


def _word(part: JSON) -> JSON:
    if "enum" in part:
        part = {"type": "string", **part}
    return {**part, "items": _word(part["items"])} if isinstance(part.get("items"), dict) else part
