"""What every store promises about the hop from the cue's names to those beside them, as tests."""

from math import log

import pytest

from cued.conformance.samples import NOW, lookup, near, record
from cued.conformance.searching import assert_as_expected, ids
from cued.model import EntityLookup, Findings
from cued.ports import Store


class HoppingConformance:
    """Memories found through a name that stands beside one of the cue's."""

    def test_a_hop_finds_what_stands_beside_the_cues_names(self, store: Store) -> None:
        """Without it only the names of the cue are looked for."""
        store.remember("t", [
            record("t", "a", "Ada works with Grace.", entities=("ada", "grace")),
            record("t", "b", "Grace leads the compiler team.", entities=("grace",)),
            record("t", "c", "Linus keeps bees.", entities=("linus",)),
        ])  # fmt: skip
        assert ids(named(store, "ada")) == ["a"]
        found = named(store, "ada", hop=0.5)
        assert ids(found) == ["a", "b"]
        assert found.columns["entity_rank"].tolist() == [1, 2]
        assert found.columns["entities"].tolist() == [1, 0]
        assert found.columns["linked"].tolist() == [0, 0.5]

    def test_companions_weigh_by_how_rare_they_are_and_how_many_seeds_have_them(self, store: Store) -> None:
        """By idf times the seeds' share, over the sum of that for all companions."""
        named_so(store, a=("ada", "bo"), b=("ada", "bo", "cy"), c=("bo",), d=("cy",), e=("bo", "cy"), f=())
        bo, cy = log(1 + 2.5 / 4.5) * 2 / 2, log(1 + 3.5 / 3.5) * 1 / 2
        found = named(store, "ada", hop=0.8)
        linked = {memory_id: value for memory_id, value in zip(ids(found), found.columns["linked"].tolist(), strict=True) if value}
        assert linked == pytest.approx({"c": 0.8 * bo / (bo + cy), "d": 0.8 * cy / (bo + cy), "e": 0.8}, abs=1e-8)

    def test_no_hop_leads_past_a_memory_that_has_all_of_the_cues_names(self, store: Store) -> None:
        """However many companions another has, however near it is, and with the whole of the hop."""
        beside = ("bo", "cy", "di")
        store.remember("t", [
            record("t", "seed", entities=("ada", "eve", *beside), vector=1),
            record("t", "whole", entities=("ada", "eve"), vector=9),
            record("t", "beside", entities=beside, vector=1),
            record("t", "half", entities=("ada", *beside), vector=1),
        ])  # fmt: skip
        found = named(store, "ada", "eve", hop=1.0, dense=near(1))
        ranks = dict(zip(ids(found), found.columns["entity_rank"].tolist(), strict=True))
        assert ranks == {"seed": 1, "whole": 2, "half": 3, "beside": 4}
        assert all(found.columns["entities"] + found.columns["linked"] <= 1)

    def test_a_hidden_memory_is_no_bridge(self, store: Store) -> None:
        """What a gate struck leads nowhere, and is led to from nowhere."""
        named_so(store, a=("ada", "bo"), b=("bo",), c=("ada",))
        assert ids(named(store, "ada", hop=1.0)) == ["a", "b", "c"]
        store.forget("t", ["b"], at=NOW)
        assert ids(named(store, "ada", hop=1.0)) == ["a", "c"]
        store.restore("t", ["b"])
        store.forget("t", ["a"], at=NOW)
        assert ids(named(store, "ada", hop=1.0)) == ["c"]

    def test_revised_names_lead_elsewhere(self, store: Store) -> None:
        """The old ones lead nowhere from then on."""
        named_so(store, a=("ada", "bo"), b=("bo",), c=("cy",))
        store.revise("t", ["a"], lambda _: record("t", "a", entities=("ada", "cy")), at=NOW)
        assert ids(named(store, "ada", hop=1.0)) == ["a", "c"]

    def test_of_many_companions_the_heaviest_count(self, store: Store) -> None:
        """Twenty, and those that weigh the same as the last of them; the seeds are the best of the pool."""
        companies = [[f"n{each}" for each in range(number, 40, 1 + number)] for number in range(12)]
        seeds = [record("t", f"s{number:02}", entities=("ada", *company)) for number, company in enumerate(companies)]
        others = [record("t", f"x{number:02}", entities=(f"n{number}", f"n{number // 2}")) for number in range(40)]
        store.remember("t", [*seeds, *others])
        for pool in (1, 5, 60):
            asked = lookup(entity=EntityLookup(names=("ada",), pool=pool, hop=0.5))
            assert_as_expected(store.search("t", asked), [*seeds, *others], asked)
        reached = ids(named(store, "ada", hop=0.5, pool=60))
        assert 12 < len(reached) < 52


def named_so(store: Store, **named: tuple[str, ...]) -> None:
    """Store a memory of each id with these names."""
    store.remember("t", [record("t", memory_id, entities=names) for memory_id, names in named.items()])


def named(store: Store, *names: str, hop: float = 0.0, pool: int = 10, **facts: object) -> Findings:
    """Give what a lookup by names finds."""
    return store.search("t", lookup(entity=EntityLookup(names=names, pool=pool, hop=hop), **facts))
