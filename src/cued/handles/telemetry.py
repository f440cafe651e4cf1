"""OpenTelemetry spans around the verbs, by the GenAI conventions for memory; nothing where OpenTelemetry is not set up.

To get spans, install the extra `otel` and set up a provider; Cued itself imports nothing of it. Cues and answers are in the spans only if
OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT says so.
"""

import os
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import msgspec

from cued.model import Cue, Recall

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_COUNT, _RECORD = "gen_ai.memory.record.count", "gen_ai.memory.record.id"
_QUERY, _RECORDS = "gen_ai.memory.query.text", "gen_ai.memory.records"
_PROVIDER = {"gen_ai.provider.name": "cued"}
Params = ParamSpec("Params")
Answer = TypeVar("Answer")


def spanned(operation: str) -> Callable[[Callable[Params, Answer]], Callable[Params, Answer]]:
    """A decorator that puts a span of this operation around a verb, if OpenTelemetry is set up in this process."""

    def around(verb: Callable[Params, Answer]) -> Callable[Params, Answer]:
        @wraps(verb)
        def traced(*args: Params.args, **options: Params.kwargs) -> Answer:
            tracer = _tracer() if "opentelemetry.trace" in sys.modules else None
            if tracer is None:
                return verb(*args, **options)
            with tracer.start_as_current_span(operation, attributes={"gen_ai.operation.name": operation, **_PROVIDER}) as span:
                try:
                    answer = verb(*args, **options)
                except Exception as error:  # noted, whatever it is, and the caller's all the same
                    span.set_attribute("error.type", type(error).__name__)
                    raise
                span.set_attributes(_TOLD[operation](answer, args[1:]))
                return answer

        return traced

    return around


def _of_recall(recall: Recall, said: tuple[Any, ...]) -> Mapping[str, Any]:
    """The attributes of a recall; the cue and the memories only if content is to be captured."""
    told: dict[str, Any] = {
        _COUNT: len(recall.memories),
        "cued.recall_id": recall.recall_id,
        "cued.outcome": recall.outcome,
        "cued.policy": recall.policy,
        "cued.tokens": recall.tokens,
        "cued.candidates": len(recall.trace.ids),
        "cued.degraded": len(recall.degraded),
    }
    if os.environ.get(CONTENT, "").lower() not in {"true", "1"}:
        return told
    cue = said[0] if said else ""
    text = cue.utterance if isinstance(cue, Cue) else getattr(cue, "text", cue)
    records = [{"id": each.id, "content": each.text, "score": each.relevance} for each in recall]
    return told | {_QUERY: str(text), _RECORDS: msgspec.json.encode(records).decode()}


def _of_stored(answer: Any, _said: tuple[Any, ...]) -> Mapping[str, Any]:  # noqa: ANN401 - what a verb that stores gives
    """How many memories were stored, and which where it is one."""
    return _counted_ids(answer.ids)


def _of_named(_answer: object, said: tuple[Any, ...]) -> Mapping[str, Any]:
    """The memories that were named."""
    return _counted_ids([each for each in said if isinstance(each, str)])


def _counted_ids(ids: Any) -> Mapping[str, Any]:  # noqa: ANN401 - any list of ids
    return {_COUNT: len(ids), **({_RECORD: ids[0]} if len(ids) == 1 else {})}


def _tracer() -> Any | None:  # noqa: ANN401 - of a package that may not be there
    """The tracer of the provider that is set up; None if OpenTelemetry is only imported."""
    trace = sys.modules["opentelemetry.trace"]
    return None if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider) else trace.get_tracer("cued")


_TOLD: dict[str, Callable[[Any, tuple[Any, ...]], Mapping[str, Any]]] = {
    "search_memory": _of_recall,
    "create_memory": _of_stored,
    "update_memory": _of_named,
    "delete_memory": _of_named,
}
"""The attributes of each operation's span, from the answer and the arguments."""
