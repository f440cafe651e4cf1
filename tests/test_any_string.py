"""Any string at all may be asked, and almost any may be stored: none errs, none acts as an operator."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cued
from tests.fakes import FixedClock

OPERATORS = (
    *(
        '"',
        "hello AND",
        "NEAR(",
        "*",
        "(((",
        "-",
        'a"b',
        "col:val",
        "' OR 1=1 --",
        "AND",
        "",
        "title:x",
        "body : ^hello",
        "{title body}: hello",
    ),
    *(
        "\0",
        "\ud800",
        "a\0b",
        "\u202e",
        "\ufdfa" * 50,
        "\n\n",
        "%",
        "_",
        "\\",
        "NOT boiler",
        "boil*",
        "+boiler",
        "boiler OR garden",
        "^boiler",
    ),
)
anything = st.one_of(st.sampled_from(OPERATORS), st.text(st.characters(), max_size=80), st.text(max_size=80))
storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=80).filter(str.strip)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with cued.open(tmp_path_factory.mktemp("any") / "m.db", embedder="hashing", clock=FixedClock(), settle="off") as memories:
        memories.tenant("asked").remember("The boiler in the garden is broken.")
        yield memories


@pytest.mark.requirement("S3")
@settings(max_examples=5000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(anything)
def test_any_query_with_something_in_it_is_answered_and_an_empty_one_is_refused_in_words(opened, query):
    tenant = opened.tenant("asked")
    if query.replace("\0", " ").strip():
        assert len(tenant.recall(query, goal=query, open_questions=[query], floor=0.0).trace.ids) <= 1
    else:
        with pytest.raises(cued.InputError, match="a cue with words"):
            tenant.recall(query, goal=query, open_questions=[query], floor=0.0)


@pytest.mark.requirement("S3")
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(storable, storable, storable)
def test_any_text_tag_and_scope_is_kept_as_it_is(opened, text, tag, scope):
    tenant = opened.tenant("kept")
    kept = tenant.get(tenant.remember(text, tags=[tag], scope=scope, session=tag).id)
    assert (kept.text, kept.tags, kept.scope, kept.source.session) == (text, (tag,), scope, tag)
    assert kept.id in {m.id for m in tenant.list(tags=[tag], scope=scope, session=tag, limit=500).memories}
    tenant.recall(text, scope=scope, tags=[tag])
    tenant.forget(kept.id, erase=True)


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    "query", ["NOT boiler", "boiler -garden", "boiler AND kitchen", "title:boiler", '"boiler kitchen"', "boiler NEAR kitchen", "^boiler"]
)
def test_an_operator_is_only_a_word(opened, query):
    recall = opened.tenant("asked").recall(query, without=["dense"], floor=0.0)
    assert recall.outcome == "recalled"
    assert opened.tenant("asked").recall("boil*", without=["dense"], floor=0.0).outcome in {"recalled", "nothing_matched"}
