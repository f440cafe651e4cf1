"""A policy's digest: the same in every process, and another as soon as a number is another."""

import subprocess
import sys
from datetime import timedelta

import pytest
from hypothesis import given
from msgspec import Struct
from msgspec.structs import replace

from cued.policy import calibration
from cued.policy.calibration import digest, resolved
from cued.policy.parse import dump, parse
from cued.policy.presets import names, preset
from cued.policy.spec import Dense, Entity, Lexical, Policy, Temporal, Term
from tests.policy.test_parse import policies

OTHER = {
    "combine": "product",
    "how": "sum",
    "on": "score",
    "overflow": "compact",
    "form": "json",
    "adapt": "arc",
    "over": "state",
    "calibration": "lexical",
    "at": 0.123,
    "tokens": 7,
    "window": 7,
    "second_within": timedelta(days=3),
    "coefficients": calibration.calibrations()["generic"],
    "word_coefficients": calibration.calibrations()["generic"],
    "lexical": Lexical(),
    "dense": Dense(),
    "entity": Entity(),
    "temporal": Temporal(),
    "weights": {"lexical": 2.0},
    "terms": (Term(signal="importance"), Term(signal="bm25")),
    "boost_range": (0.6, 1.5),
}


def variants(struct, path=""):
    """The struct with each of its fields another, one at a time, and the path of that field."""
    for name in struct.__struct_fields__:
        value, where = getattr(struct, name), f"{path}.{name}"
        if isinstance(value, Struct):
            for changed, deeper in variants(value, where):
                yield replace(struct, **{name: changed}), deeper
        elif isinstance(value, bool):
            yield replace(struct, **{name: not value}), where
        elif name in OTHER:
            yield replace(struct, **{name: OTHER[name]}), where
        elif isinstance(value, str):
            yield replace(struct, **{name: value + "x"}), where
        elif isinstance(value, timedelta):
            yield replace(struct, **{name: value + timedelta(seconds=1)}), where
        else:
            yield replace(struct, **{name: value + 1}), where


def unnamed(policy):
    """The policy without its own name and those of its terms."""
    bare = tuple(replace(term, name=None) for term in policy.score.terms)
    return replace(policy, name="", about="", source="", score=replace(policy.score, terms=bare))


def test_every_number_counts_and_no_name_does():
    policy = parse("[channels]\nlexical = {}\ndense = {}\nentity = {}\ntemporal = {}", name="plain")
    told = {where: digest(changed) for changed, where in variants(policy)}
    assert {where for where, found in told.items() if found == digest(policy)} == {".name", ".source", ".about"}
    counted = [found for where, found in told.items() if where not in {".name", ".source", ".about"}]
    assert len(counted) > 50
    assert len(set(counted)) == len(counted)


@given(policies, policies)
def test_two_policies_have_one_digest_when_they_are_the_same_but_for_their_names(one, other):
    assert (digest(one) == digest(other)) is (unnamed(one) == unnamed(other))
    assert digest(parse(dump(one))) == digest(one)


def test_the_name_of_a_term_and_the_way_a_number_is_written_do_not_count():
    one, other = (
        Policy(name="p", score=replace(Policy(name="p").score, terms=terms))
        for terms in (
            (Term(signal="scope", weight=1, values={"project": 1, "global": 0}),),
            (Term(signal="scope", name="here", weight=1.0, values={"global": 0.0, "project": 1.0}),),
        )
    )
    assert digest(one) == digest(other)


def test_a_digest_is_sixteen_hex_digits_and_the_same_in_another_process():
    code = "from cued.policy import calibration, presets; print(*(calibration.digest(presets.preset(name)) for name in presets.names()))"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert told == [digest(preset(name)) for name in names()]
    assert all(len(each) == 16 and int(each, 16) >= 0 for each in told)


def test_a_calibration_that_changes_changes_the_digest_of_the_policies_that_may_take_it(monkeypatch):
    taking, naming, written = preset("cued"), parse('[relevance]\ncalibration = "lexical"'), resolved(preset("cued"), None)
    before = [digest(each) for each in (taking, naming, written)]
    shipped = calibration.calibrations()
    changed = {**shipped, "minilm": replace(shipped["minilm"], intercept=0.0)}
    monkeypatch.setattr(calibration, "calibrations", lambda: changed)
    assert [digest(each) == was for each, was in zip((taking, naming, written), before, strict=True)] == [False, True, True]


@pytest.mark.parametrize("fingerprint", [None, "minilm/all-MiniLM-L6-v2@1/384"])
def test_a_policy_written_out_for_another_embedder_has_another_digest(fingerprint):
    assert digest(resolved(preset("cued"), fingerprint)) != digest(resolved(preset("cued"), "cued/recall-minilm-l6@1/384"))
