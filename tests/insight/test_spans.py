"""Spans after the conventions for memory of GenAI: one a verb, no content unless asked for, and nothing where nobody set it up."""

import json
import subprocess
import sys

import pytest

import cued
from cued.handles.telemetry import CONTENT

trace = pytest.importorskip("opentelemetry.trace")
sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="the extra otel is not installed")


@pytest.fixture(scope="module")
def exporter():
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415 - of an extra
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    kept = InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    return kept


@pytest.fixture
def spans(exporter):
    exporter.clear()
    return lambda: [(span.name, dict(span.attributes)) for span in exporter.get_finished_spans()]


@pytest.fixture
def alice():
    with cued.open(embedder=None, settle="off") as memories:
        yield memories.tenant("alice")


def test_each_verb_is_a_span_of_its_operation(alice, spans):
    alice.remember("The deploy is on Friday.", id="deploy")
    alice.recall("When is the deploy?")
    alice.update("deploy", importance=0.9)
    alice.forget("deploy")
    found = spans()
    assert [name for name, _ in found] == ["create_memory", "search_memory", "update_memory", "delete_memory"]
    assert all(told["gen_ai.operation.name"] == name and told["gen_ai.provider.name"] == "cued" for name, told in found)
    assert [told["gen_ai.memory.record.count"] for _, told in found] == [1, 1, 1, 1]
    assert found[0][1]["gen_ai.memory.record.id"] == "deploy"
    assert found[1][1]["cued.outcome"] == "recalled"
    assert "Friday" not in str(found)
    assert "alice" not in str(found)


def test_content_is_in_them_only_where_it_is_asked_for(alice, spans, monkeypatch):
    monkeypatch.setenv(CONTENT, "true")
    alice.remember("The deploy is on Friday.", id="deploy")
    alice.recall(cued.Cue(utterance="When is the deploy?"))
    told = spans()[1][1]
    assert told["gen_ai.memory.query.text"] == "When is the deploy?"
    (record,) = json.loads(told["gen_ai.memory.records"])
    assert (record["id"], record["content"]) == ("deploy", "The deploy is on Friday.")


def test_an_error_is_noted_by_its_type(alice, spans):
    with pytest.raises(cued.NotFoundError):
        alice.update("nope", importance=0.9)
    assert spans()[0][1]["error.type"] == "NotFoundError"


def test_nothing_of_it_is_imported_by_recalling():
    code = (
        "import sys, cued; a = cued.open(embedder=None).tenant('a'); a.remember('x'); a.recall('x'); print('opentelemetry' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
