"""Policies as TOML: parse, dump, diff, and every problem at once."""

import time
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect as shapes

from cued.engine import decide
from cued.errors import InputError, PolicyError
from cued.flow.score.signals import SIGNALS as IMPLEMENTED
from cued.policy import spec
from cued.policy.calibration import calibration_for, resolved
from cued.policy.parse import diff, dump, parse
from cued.policy.presets import names, preset
from tests.building import evidence, memory

durations = st.integers(1, 10**15).map(lambda each: timedelta(microseconds=each))
leaf = st.one_of(
    st.builds(spec.Term, signal=st.sampled_from(["similarity", "fused", "importance", "bm25"]), weight=st.floats(-5, 5)),
    st.builds(spec.Term, signal=st.just("recency"), half_life=durations, since=st.sampled_from(["created", "updated", "last_used"])),
    st.builds(spec.Term, signal=st.just("scope"), values=st.just({"project": 1.0, "global": 0.8})),
)
named = st.builds(spec.Term, name=st.sampled_from(["x", "y é"]), sum=st.lists(leaf, min_size=1, max_size=2).map(tuple))
policies = st.builds(
    spec.Policy,
    name=st.text(st.characters(exclude_categories=["Cs"])),
    about=st.text(st.characters(exclude_categories=["Cs"])),
    channels=st.builds(spec.Channels, lexical=st.none() | st.builds(spec.Lexical, k1=st.floats(0.1, 3)), context=st.integers(0, 5)),
    fuse=st.builds(spec.Fuse, weights=st.dictionaries(st.sampled_from(["lexical", "dense"]), st.floats(0, 3))),
    score=st.builds(spec.Score, terms=st.lists(leaf | named, unique_by=lambda t: t.name or t.signal, max_size=3).map(tuple)),
    floor=st.builds(spec.Floor, at=st.none() | st.floats(0, 1)),
    settle=st.builds(spec.Settle, refresh_floor=durations),
)


def numbers(struct, path=""):
    """The dotted key of every number below a struct."""
    for each in shapes.type_info(struct).fields:
        for kind in getattr(each.type, "types", (each.type,)):
            if isinstance(kind, shapes.StructType):
                yield from numbers(kind.cls, f"{path}{each.name}.")
            elif isinstance(kind, shapes.IntType | shapes.FloatType):
                yield f"{path}{each.name}"


@given(policies)
def test_parse_undoes_dump(policy):
    assert parse(dump(policy)) == policy
    assert parse(dump(policy, whole=True)) == policy


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("fingerprint", [None, "minilm/all-MiniLM-L6-v2@1/384", "someone/else@1/8"])
def test_parse_undoes_dump_with_the_calibration_written_out(name, fingerprint):
    policy = resolved(preset(name), fingerprint)
    assert policy.relevance.coefficients == calibration_for(preset(name).relevance.calibration, fingerprint)
    assert parse(dump(policy)) == policy
    assert parse(dump(policy, whole=True)) == policy
    assert resolved(policy, "another/one@1/3") == policy


def test_a_whole_dump_says_every_number_so_that_no_default_can_change_it():
    said = dump(preset("cued"), whole=True)
    for line in ("limit_max = 100", "how = ", "trade = ", 'deadline = "0.2s"', "weight = 1.0"):
        assert line in said


def test_a_calibration_that_is_written_out_must_be_whole_and_weigh_columns_that_there_are():
    with pytest.raises(PolicyError) as caught:
        parse("[relevance]\ncoefficients = { intercpt = 1.0 }")
    for problem in (
        "intercpt: unknown key (did you mean 'intercept'?)",
        "coefficients.intercept: missing",
        "coefficients.weights: missing",
    ):
        assert problem in str(caught.value)
    charmed = parse('[relevance]\ncoefficients = { name = "mine", about = "", intercept = 0.0, weights = { charm = 1.0 } }')
    with pytest.raises(InputError, match=r"relevance.coefficients.weights: got 'charm'; accepted: columns: .*coverage"):
        decide(evidence([memory("a")]), charmed)


def test_every_signal_that_a_policy_may_name_exists_and_the_other_way_round():
    assert set(IMPLEMENTED) == set(spec.SIGNALS)
    assert set(spec.SIGNALS) >= spec.HISTORY_SIGNALS


def test_all_problems_are_reported_at_once_each_with_its_path():
    faulty = """
        nme = "x"
        [channels]
        lexicl = { pool = 1 }
        dense = { pool = "a", over = "foo" }
        [score]
        terms = [ { signal = "recncy" }, { signal = "importance", tau = "1d" }, { signal = "recency" }, { weight = 200 } ]
        [floor]
        at = "high"
        [settle]
        refresh_floor = "-3d"
    """
    with pytest.raises(PolicyError) as caught:
        parse(faulty)
    report = str(caught.value)
    for path in (
        *(
            "nme: unknown key (did you mean 'name'?)",
            "channels.lexicl",
            "channels.dense.pool",
            "channels.dense.over",
            "utterance, state, cue",
        ),
        *(
            "score.terms[0].signal: unknown signal 'recncy' (did you mean 'recency'?)",
            "score.terms[1].tau",
            "score.terms[2]: recency needs",
        ),
        *("score.terms[3].weight", "score.terms[3]: exactly one of", "floor.at", "settle.refresh_floor"),
    ):
        assert path in report
    assert len(caught.value.problems) == 11


@pytest.mark.parametrize("text", ["name = ", "[score]\nterms = 3", "score = 1", "[score]\nterms = [1]"])
def test_what_is_not_a_policy_is_refused_in_words(text):
    with pytest.raises(PolicyError):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "floor.at = " + "9" * 5000,
        "budget.limit = " + "[" * 450 + "]" * 450,
        "budget.limit" + ".a" * 900 + " = 1",
        "a" + ".a" * 45_000 + " = 1",
    ],
    ids=["endless number", "deep list", "deep key", "key of many parts"],
)
def test_what_takes_long_to_read_or_lies_too_deep_is_refused_in_words_and_at_once(text):
    began = time.process_time()
    with pytest.raises(PolicyError):
        parse(text)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("terms", "problem"),
    [
        ('{ sum = [{ signal = "importance" }] }', "needs a name"),
        ('{ signal = "importance" }, { signal = "importance" }', "is taken"),
        ('{ signal = "importance", sum = [{ signal = "bm25" }] }', "exactly one of"),
        ('{ signal = "scope" }', "needs a table of values"),
        ('{ signal = "recency", tau = "1d", half_life = "1d" }', "exactly one of"),
    ],
)
def test_a_term_that_makes_no_sense_is_refused(terms, problem):
    with pytest.raises(PolicyError, match=problem):
        parse(f"[score]\nterms = [{terms}]")


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("[floor]\nat = 2", r"floor\.at: got 2\.0; accepted: a number from 0 to 1, as relevance has them"),
        ('[floor]\non = "similarity"\nat = -1.5', "from -1 to 1, as similarity has them"),
        ("[channels]\nlexical = { k1 = 0 }", r"lexical\.k1: got 0; accepted: a number above 0 to 10000"),
        ("[channels]\ndense = { pool = 0 }", "accepted: a whole number from 1 to 10000"),
        ("[fuse]\nweights = { dense = 101 }", r"fuse\.weights: got .* <= 100"),
        ('[score]\nterms = [{ signal = "bm25", clip = [1, 0] }]', r"terms\[0\]\.clip: got \[1\.0, 0\.0\]; accepted: the least value"),
        ('[score]\nterms = [{ signal = "recency", half_life = [] }]', "a positive duration"),
        ("[budget]\nlimit = 200", r"budget\.limit: got 200; accepted: at most budget\.limit_max, which is 100"),
    ],
)
def test_a_number_out_of_its_range_is_refused_with_the_range(written, problem):
    with pytest.raises(PolicyError, match=problem):
        parse(written)


def test_a_floor_on_the_score_may_be_any_number_because_a_score_may():
    assert parse('[floor]\non = "score"\nat = -2.5').floor.at == -2.5


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_what_is_no_finite_number_is_refused_wherever_a_policy_has_a_number(value):
    for path in numbers(spec.Policy):
        with pytest.raises(PolicyError, match=rf"{path}: got {value}; accepted: a (whole )?number "):
            parse(f"{path} = {value}")
    for key in numbers(spec.Term):
        with pytest.raises(PolicyError, match=rf"score\.terms\[0\]\.{key}: got {value}; accepted: a number "):
            parse(f'score.terms = [{{ signal = "decay", {key} = {value} }}]')
    for table in (f"fuse.weights = {{ dense = {value} }}", f'score.terms = [{{ signal = "tier", values = {{ core = {value} }} }}]'):
        with pytest.raises(PolicyError, match=rf"got {{ .* = {value} }}; accepted: Expected `float`"):
            parse(table)


def test_diff_shows_where_two_policies_differ_and_nothing_else():
    assert diff(preset("assistant"), preset("support")) == [
        ("score.terms[recency].weight", "1.5", "1.0"),
        ("score.terms[recency].half_life", '"7d"', '"30d"'),
        ("score.terms[importance].weight", "1.0", "1.5"),
    ]
    assert diff(preset("cued"), preset("cued")) == []
    paths = [path for path, _, _ in diff(preset("dense"), preset("rrf"))]
    assert "channels.lexical.pool" in paths
    assert "fuse.how" in paths
