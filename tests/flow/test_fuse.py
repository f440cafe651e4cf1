"""fuse: ranks or scores into one column."""

import pytest

import cued
from cued.engine import decide
from tests.building import evidence, memory, policy

BOTH = "[channels]\nlexical = {}\ndense = {}\n"


def fused(text, **columns):
    """The fused column of two candidates under a policy."""
    found = evidence([memory("a"), memory("b")], **columns)
    return decide(found, policy(text)).trace.columns["fused"].tolist()


@pytest.mark.requirement("R12")
def test_rrf_adds_one_over_k_plus_rank_for_each_channel_that_found_it():
    got = fused(BOTH + '[fuse]\nhow = "rrf"\nk = 60', lexical_rank=[1, 3], dense_rank=[2, 0])
    assert got == pytest.approx([1 / 61 + 1 / 62, 1 / 63])


def test_rrf_weighs_channels_and_rescales_by_what_a_perfect_candidate_would_get():
    got = fused(BOTH + '[fuse]\nhow = "rrf"\nk = 10\nweights = { dense = 2.0 }\nrescale = true', lexical_rank=[1, 2], dense_rank=[1, 0])
    assert got == pytest.approx([1.0, (1 / 12) / (1 / 11 + 2 / 11)])


def test_sum_adds_scores_over_their_maximum():
    got = fused(BOTH + '[fuse]\nhow = "sum"\nweights = { lexical = 0.5 }', lexical_rank=[1, 2], bm25=[8, 2], cosine=[0.2, 0.4])
    assert got == pytest.approx([0.5 * 8 / 8 + 0.2 / 0.4, 0.5 * 2 / 8 + 0.4 / 0.4])


@pytest.mark.requirement("X6")
def test_a_neighbour_lends_a_share_of_its_score():
    got = fused(
        BOTH + '[fuse]\nhow = "sum"\nneighbours = 0.3',
        bm25=[8, 2],
        cosine=[0.2, 0.4],
        bm25_before=[0, 8],
        cosine_after=[0.1, float("nan")],
    )
    assert got == pytest.approx([8 / 8 + 0.2 / 0.4 + 0.3 * (0.1 / 0.4), 2 / 8 + 0.4 / 0.4 + 0.3 * (8 / 8)])


def test_a_negative_cosine_and_a_missing_vector_lend_nothing():
    got = fused('[channels]\ndense = {}\n[fuse]\nhow = "sum"', cosine=[-0.5, float("nan")])
    assert got == [0.0, 0.0]


@pytest.mark.requirement("P9")
def test_entities_and_times_fuse_like_words_and_meaning():
    channels = "[channels]\nlexical = {}\ndense = {}\nentity = {}\ntemporal = {}\n"
    got = fused(channels + '[fuse]\nhow = "rrf"', lexical_rank=[1, 0], dense_rank=[2, 1], entity_rank=[1, 0], temporal_rank=[0, 5])
    assert got == pytest.approx([1 / 61 + 1 / 62 + 1 / 61, 1 / 61 + 1 / 65])


@pytest.mark.requirement("P9")
def test_a_walk_from_a_name_to_what_mentions_it_is_a_channel_of_its_own_fused_with_words_and_meaning():
    with cued.open(embedder=None, policy="cued", settle="off") as memories:
        alice = memories.tenant("alice")
        alice.remember("ERR_CARGO_77 means that the harbour crane has stopped.", id="crane")
        alice.remember("Told Novak that the crane is fine.", id="novak")
        alice.remember("Bread is baked at dawn.", id="bread")
        explained = alice.explain("What did I tell Novak about ERR_CARGO_77?", floor=0.0)
        ranks = {row: explained.recall.trace.columns["entity_rank"][number] for number, row in enumerate(explained.recall.trace.ids)}
        assert ranks["crane"] > 0
        assert ranks["novak"] > 0
        assert ranks.get("bread", 0) == 0
        without = alice.recall("What did I tell Novak about ERR_CARGO_77?", without=["lexical"], floor=0.0)
        assert {each.id for each in without} == {"crane", "novak"}
