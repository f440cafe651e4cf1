"""For a memory that did not come back: the single changes by which it would have, the smallest first, and each does what it says."""

import json

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import cued
from cued.engine import decide
from cued.engine.envelope import Envelope
from cued.explain.single_changes import single_changes
from cued.policy.adjust import Adjustment, adjust
from cued.policy.presets import load_policy
from cued.surfaces.cli.root import cued_command
from tests.insight.simulation import World


@pytest.fixture(scope="module")
def world():
    made = World().fill(144)
    yield made
    made.close()


def told(world, memory, **options):
    return world.tenant.explain("Where does Mira keep the kettle?", memory=memory, **options).verdict.single


@pytest.mark.requirement("S9", "X3")
def test_below_the_floor_the_smallest_change_is_the_floor_that_it_passes(world):
    explained = world.tenant.explain("Where does Mira keep the kettle?", floor=0.99)
    missed = explained.recall.near_misses[0]
    first = told(world, missed.id, floor=0.99)[0]
    assert first.setting == "floor.at"
    assert float(first.after) <= missed.relevance < float(first.after) + 0.001
    again = world.tenant.recall("Where does Mira keep the kettle?", floor=float(first.after), settle=False)
    assert missed.id in {each.id for each in again}
    assert first.steps == pytest.approx((0.99 - float(first.after)) / 0.05)


@pytest.mark.requirement("S9")
def test_beyond_the_limit_it_is_the_limit_that_reaches_it(world):
    recall = world.tenant.recall("Where does Mira keep the kettle?", floor=0.0, settle=False)
    third = recall.memories[2].id
    (limit,) = [change for change in told(world, third, floor=0.0, limit=2) if change.setting == "budget.limit"]
    assert (limit.before, limit.after, limit.steps) == ("2", "3", 1)
    steps = [change.steps for change in told(world, third, floor=0.0, limit=2)]
    assert steps == sorted(steps)


def test_beyond_the_pools_it_is_a_wider_pool(world):
    policy = load_policy()
    narrow = replace(
        policy,
        channels=replace(
            policy.channels,
            lexical=replace(policy.channels.lexical, pool=1, per_limit=0),
            dense=replace(policy.channels.dense, pool=1, per_limit=0),
            entity=None,
            context=0,
        ),
        floor=replace(policy.floor, at=None),
    )
    rest = world.tenant.recall("Where does Mira keep the kettle?", policy=adjust(policy, Adjustment(floor=0.0)), settle=False)
    second = rest.memories[1].id
    changes = told(world, second, policy=narrow)
    assert {change.setting for change in changes} <= {"channels.lexical.pool", "channels.dense.pool"}
    assert all(int(change.after) > 1 for change in changes)


def test_what_came_back_needs_nothing_and_a_duplicate_needs_no_collapse(world):
    recall = world.tenant.recall("Where does Mira keep the kettle?", settle=False)
    assert told(world, recall.memories[0].id) == ()
    vector = [1.0] + [0.0] * 95
    for name in ("one", "other"):
        world.tenant.remember("The harbour crane is green.", id=name, vector=vector, conflicts=False)
    explained = world.tenant.explain("harbour crane", vector=vector, memory="other")
    assert explained.verdict.stage == "diversify"
    assert "diversify.collapse" in {change.setting for change in explained.verdict.single}
    world.tenant.forget("one", "other")


@pytest.mark.requirement("X3")
def test_a_saved_recall_gives_the_same_bytes_elsewhere_and_says_the_same(world, tmp_path):
    explained = world.tenant.explain("Where does Mira keep the kettle?", floor=0.99)
    Envelope.of(explained.evidence, explained.policy).save(tmp_path / "saved.json")
    opened = Envelope.load(tmp_path / "saved.json")
    assert opened.encode() == (tmp_path / "saved.json").read_bytes()
    assert opened.decide().block == explained.recall.block
    missed = explained.recall.near_misses[0].id
    assert single_changes(opened.evidence, opened.policy, missed) == told(world, missed, floor=0.99)
    assert decide(opened.evidence, cued.load_policy("rrf")).memories


@pytest.mark.requirement("S10", "X3")
def test_a_saved_recall_is_explained_with_a_channel_off_another_floor_and_another_policy(shell, world, tmp_path):
    explained = world.tenant.explain("Where does Mira keep the kettle?")
    Envelope.of(explained.evidence, explained.policy).save(tmp_path / "saved.json")
    without = shell("explain", "--from", str(tmp_path / "saved.json"), "--without", "lexical")
    live = world.tenant.explain("Where does Mira keep the kettle?", without=["lexical"])
    assert [each["id"] for each in without["memories"]] == [each.id for each in live.recall]
    assert without["ablation"]["without"] == ["lexical"]
    assert {row["id"] for row in without["ablation"]["memories"] if row["rank_with"]} == {each.id for each in explained.recall}
    missed = live.recall.trace.ids[live.recall.trace.ranks.index(0)]
    verdict = shell("explain", "--from", str(tmp_path / "saved.json"), "--floor", "0.9", "--memory", missed)["verdict"]
    assert verdict["single"] == sorted(verdict["single"], key=lambda change: (change["steps"], change["setting"]))


@pytest.fixture
def shell(tmp_path):
    def run(*args):
        result = CliRunner().invoke(cued_command, [*args, "--json"], env={"CUED_DB": str(tmp_path / "m.db"), "CUED_EMBEDDER": "hashing"})
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return run
