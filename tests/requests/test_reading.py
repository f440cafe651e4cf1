"""The one reader of requests, and the keywords of the handle beside it."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec import Struct

from cued.errors import InputError, UnknownFieldError
from cued.requests.checks import read
from cued.requests.cue import CueRequest, DecideRequest, ExplainRequest, RecallRequest
from cued.requests.draft import Change, Draft, compose
from cued.requests.fields import accepted, fields_of
from cued.requests.keywords import Changes, Facts, LogOptions, RecallOptions, Wanted
from cued.requests.listing import ListRequest, LogRequest
from cued.requests.upkeep import ManyRequest
from cued.surfaces.verbs import VERBS

REQUESTS = sorted({verb.request for verb in VERBS.values()} | {DecideRequest}, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("request_kind", REQUESTS, ids=lambda kind: kind.__name__)
def test_every_field_of_every_request_has_a_line_about_it_and_refuses_what_is_unknown(request_kind):
    assert all(field.about.endswith(".") for field in fields_of(request_kind).values())
    with pytest.raises(UnknownFieldError, match="unknown field 'no_such_thing'"):
        read({"no_such_thing": 1}, request_kind)


@pytest.mark.parametrize(
    ("keywords", "request_kind", "beside"),
    [
        (RecallOptions, CueRequest, ({"now", "boost", "vector", "fingerprint"}, {"text", "policy"})),
        (Facts, Draft, (set(), {"text"})),
        (Changes, Change, (set(), set())),
        (Wanted, ListRequest, (set(), set())),
        (LogOptions, LogRequest, (set(), set())),
    ],
)
def test_the_keywords_of_the_handle_are_the_fields_of_the_request(keywords, request_kind, beside):
    python_alone, positional = beside
    assert set(keywords.__annotations__) - python_alone == set(fields_of(request_kind)) - positional


def test_recall_and_explain_differ_in_settling_in_the_memory_asked_about_and_in_what_comes_along():
    assert set(fields_of(RecallRequest)) ^ set(fields_of(ExplainRequest)) == {"settle", "memory", "envelope"}


def test_a_misspelt_field_is_told_the_nearest_and_all_known_ones():
    with pytest.raises(UnknownFieldError) as refused:
        read({"text": "x", "importence": 1}, Draft)
    assert refused.value.field == "importence"
    assert str(refused.value).startswith("unknown field 'importence'; did you mean 'importance'? known: text, id, kind")


@pytest.mark.parametrize(
    ("body", "request_kind", "field", "said"),
    [
        ({"text": "x", "kind": "dream"}, Draft, "kind", "one of semantic, episodic, procedural, reflection"),
        ({"text": "x", "turn": 1.5}, Draft, "turn", "a whole number"),
        ({"text": "x", "importance": 7}, Draft, "importance", "a number from 0 to 1; a rating on a 1–10 scale"),
        ({"text": "x", "edges": [["causes"]]}, Draft, "edges", "a list, each a list of 2, each a text"),
        ({"kind": "semantic"}, Draft, "text", "a text"),
        ({"tags": 3}, CueRequest, "tags", "a list, each a text"),
        ({"compact": "yes"}, CueRequest, "compact", "true or false"),
        ({"window_tokens": 0}, CueRequest, "window_tokens", "a whole number from 1 to 100000000"),
        ({"limit": 0}, ListRequest, "limit", "a whole number from 1 to 1000"),
        ({"since": "soon"}, ListRequest, "since", "a time such as"),
        ({"memories": [{"text": "x", "kin": 1}]}, ManyRequest, "kin", "one of text, id, kind"),
        ({"memories": ["x"]}, ManyRequest, "memories", "a list, each an object"),
        ([], CueRequest, "request", "an object with the fields"),
    ],
)
def test_a_wrong_type_or_range_is_refused_by_the_field_with_what_is_accepted(body, request_kind, field, said):
    with pytest.raises(InputError) as refused:
        read(body, request_kind)
    assert refused.value.field == field
    assert said in refused.value.accepted


def test_times_may_be_texts_at_any_depth_and_lists_anything_that_can_be_gone_through():
    asked = read({"as_of": "2025-03-01", "tags": {"a"}, "kinds": iter(["semantic"])}, CueRequest)
    assert (asked.as_of, asked.tags, asked.kinds) == (datetime(2025, 3, 1, tzinfo=UTC), ("a",), ("semantic",))
    many = read({"memories": [{"text": "x", "at": "2025-03-01"}]}, ManyRequest)
    assert many.memories[0].at == datetime(2025, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("kind", [Draft, Change], ids=lambda kind: kind.__name__)
def test_a_span_of_time_may_be_a_timedelta_and_only_a_span(kind):
    text = {"text": "x"}
    assert read({**text, "ttl": timedelta(minutes=2)}, kind).ttl == 120
    for wrong, field in ((timedelta(seconds=0.5), "importance"), (True, "ttl"), ([30], "ttl")):
        with pytest.raises(InputError) as refused:
            read({**text, field: wrong}, kind)
        assert refused.value.field == field
        assert ("30d" in refused.value.accepted) is (field == "ttl")


def test_what_a_field_accepts_is_told_for_every_type_that_a_request_has():
    told = [accepted(field.type) for kind in REQUESTS for field in fields_of(kind).values()]
    assert not [each for each in told if each.endswith("Type")]


def test_a_request_is_frozen_and_takes_its_fields_by_name_alone():
    for kind in REQUESTS:
        assert issubclass(kind, Struct)
        assert kind.__struct_config__.frozen
        assert kind.__struct_config__.forbid_unknown_fields


@pytest.mark.parametrize("body", [{"kind": "\ud800"}, {"at": "\ud800"}, {"meta": {"\ud800": 1}}, {"importance": "\ud800"}])
def test_a_lone_surrogate_is_refused_by_name_wherever_it_stands(body):
    with pytest.raises(InputError) as refused:
        compose(read({"text": "x", **body}, Draft), tenant="t", memory_id="m", now=datetime(2025, 1, 1, tzinfo=UTC))
    assert refused.value.field == next(iter(body))
