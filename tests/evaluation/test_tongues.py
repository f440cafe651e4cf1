"""Everyday facts in other languages and scripts: the right memory or nothing, with our encoder, which knows English, and by words alone."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest

import cued

STORES = tomllib.loads(Path(__file__).with_name("tongues.toml").read_text("utf-8"))


def told(language, embedder):
    """How many questions of a language were asked and answered, wrong facts shown, far questions asked and met by silence."""
    if embedder == "cued":
        pytest.importorskip("cued_minilm")
    counts, data = Counter(), STORES[language]
    with cued.open(embedder=embedder, settle="off") as memories:
        tenant = memories.tenant(language)
        ids = list(tenant.remember_many(data["facts"]).ids)
        for question, number in data["questions"]:
            shown = {each.memory.id for each in tenant.recall(question).memories}
            counts.update(asked=1, answered=ids[number - 1] in shown, extra=len(shown - {ids[number - 1]}))
        counts.update(far=len(data["far"]), silent=sum(not tenant.recall(question).memories for question in data["far"]))
    return counts


@pytest.mark.parametrize("embedder", ["cued", None])
def test_nearly_all_questions_are_answered_with_little_beside_and_far_ones_met_by_silence(embedder):
    counts = sum((told(language, embedder) for language in STORES), Counter())
    assert counts["answered"] >= 0.9 * counts["asked"]
    assert counts["extra"] <= 0.12 * counts["asked"]
    assert counts["silent"] >= 0.93 * counts["far"]


@pytest.mark.parametrize("embedder", ["cued", None])
@pytest.mark.parametrize("language", STORES)
def test_no_language_is_left_behind(language, embedder):
    counts = told(language, embedder)
    assert counts["answered"] >= 0.75 * counts["asked"]
    assert counts["extra"] <= 0.6 * counts["asked"]
    assert counts["silent"] >= 0.75 * counts["far"]
