"""An extractor that asks an OpenAI-compatible chat endpoint: OpenAI, Ollama, vLLM, LM Studio, llama.cpp and others."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from cued.embed.endpoint import Endpoint, excerpt
from cued.errors import EmbedderError, InputError
from cued.model import KINDS, Kind
from cued.model.plain import JSON

_TURN_CHARACTERS = 8_000
_REFUSED = frozenset({400, 404, 415, 422, 501})
_PROMPT = "prompt.txt"


class Fact(Struct, frozen=True, kw_only=True):
    """One memory as the model tells it."""

    text: Annotated[str, Meta(min_length=1, max_length=2000)]
    kind: Kind = "semantic"
    importance: Annotated[float, Meta(ge=0, le=1)] = 0.5
    tags: tuple[str, ...] = ()


class ToldFacts(Struct, frozen=True):
    """What the model must answer."""

    memories: tuple[Fact, ...]


class ChatExtractor:
    """Asks a chat model what of a conversation is worth remembering, with a prompt and a JSON schema of Cued's own."""

    def __init__(self, model: str, *, endpoint: Endpoint | None = None, prompt: str | None = None) -> None:
        """Ask this model at this endpoint, or at the one that OPENAI_BASE_URL and OPENAI_API_KEY name; `prompt` is yours to replace."""
        if not isinstance(model, str) or not model.strip():
            raise InputError("model", model, "the name of a model that the endpoint serves")
        self._model, self._endpoint = model, endpoint or Endpoint.from_environment()
        self._prompt = prompt or files(__package__).joinpath(_PROMPT).read_text(encoding="utf-8")

    def extract(self, turns: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """The memories that the model tells; an answer that is not to the schema is an EmbedderError, as every failure of an endpoint."""
        messages = [{"role": "system", "content": self._prompt}, {"role": "user", "content": _transcript(turns)}]
        for form in _FORMS:
            reply = self._endpoint.post("chat/completions", {"model": self._model, "messages": messages, "temperature": 0, **form})
            if reply.status not in _REFUSED or not form:
                break
        if reply.status != 200:  # noqa: PLR2004 - a status
            raise EmbedderError(f"{self._endpoint.base_url} answered {reply.status}: {self._endpoint.redact(excerpt(reply))}")
        return [msgspec.to_builtins(fact) for fact in _facts_in(reply.body)]


def _transcript(turns: Sequence[Mapping[str, Any]]) -> str:
    """The conversation as JSON lines, so that no turn can pass for another's or for an instruction of ours."""
    said = ({"role": turn.get("role"), "at": turn.get("at"), "content": _shortened(turn.get("content"))} for turn in turns)
    return "\n".join(_written({key: value for key, value in each.items() if value is not None}) for each in said)


def _shortened(content: object) -> str:
    text = content if isinstance(content, str) else _written(content)
    return text if len(text) <= _TURN_CHARACTERS else f"{text[:_TURN_CHARACTERS]} […]"


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _facts_in(body: bytes) -> tuple[Fact, ...]:
    """The memories in a reply; models that wrap their JSON in a fence are understood."""
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
        text = str(content)
        return msgspec.json.decode(text[text.index("{") : text.rindex("}") + 1], type=ToldFacts).memories
    except (ValueError, KeyError, IndexError, TypeError, msgspec.MsgspecError) as error:
        raise EmbedderError(f"the model's answer is not to the schema: {error}") from error


def _schema() -> JSON:
    fact = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "kind": {"type": "string", "enum": list(KINDS)},
            "importance": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["text", "kind", "importance", "tags"],
        "additionalProperties": False,
    }
    memories = {"type": "array", "items": fact}
    return {"type": "object", "properties": {"memories": memories}, "required": ["memories"], "additionalProperties": False}


_FORMS: tuple[JSON, ...] = (
    {"response_format": {"type": "json_schema", "json_schema": {"name": "memories", "strict": True, "schema": _schema()}}},
    {"response_format": {"type": "json_object"}},
    {},
)
"""How the form of the answer is asked for, from the strictest to none: servers differ in what they know."""
