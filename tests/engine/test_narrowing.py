"""Evidence narrowed to a policy's channels and pools is what a search with those would have read."""

import pytest
from msgspec.structs import replace

from cued.engine import decide
from cued.engine.envelope import Envelope
from cued.engine.narrowing import narrowed
from cued.model import CHANNELS
from cued.policy.adjust import Adjustment, adjust
from cued.policy.presets import load_policy
from tests.insight.simulation import World

CUES = ("Where does Mira keep the kettle?", "Find where Hugo stores the tent since last week.", "Who moved the violin yesterday?")


@pytest.fixture(scope="module")
def world():
    made = World().fill(144)
    for number in range(30):
        text = f"{('Mira', 'Hugo')[number % 2]} said something about the {('kettle', 'tent', 'violin')[number % 3]}."
        made.tenant.remember(text, session="talk", turn=number, at=made.clock(), conflicts=False)
    yield made
    made.close()


@pytest.mark.requirement("S10", "X3")
@pytest.mark.parametrize("cue", CUES)
@pytest.mark.parametrize("channel", CHANNELS)
def test_a_channel_shut_on_saved_evidence_is_the_recall_without_it(world, cue, channel):
    whole = load_policy()
    without = adjust(whole, Adjustment(without=(channel,)))
    saved = Envelope.decode(Envelope.of(world.tenant.gather(cue), whole).encode()).evidence
    then = decide(narrowed(saved, without), without)
    live = world.tenant.recall(cue, without=[channel], settle=False)
    assert [each.id for each in then] == [each.id for each in live]
    assert [each.relevance for each in then] == pytest.approx([each.relevance for each in live])
    assert then.block == live.block
    assert set(then.trace.ids) == set(live.trace.ids)


@pytest.mark.parametrize("cue", CUES)
def test_smaller_pools_are_those_of_a_smaller_search(world, cue):
    whole = load_policy()
    channels = whole.channels
    small = replace(whole, channels=replace(channels, lexical=replace(channels.lexical, pool=4, per_limit=0),
                                            dense=replace(channels.dense, pool=4, per_limit=0)))  # fmt: skip
    then = decide(narrowed(world.tenant.gather(cue), small), small)
    live = world.tenant.recall(cue, policy=small, settle=False)
    assert [each.id for each in then] == [each.id for each in live]
    assert set(then.trace.ids) == set(live.trace.ids)


def test_what_reads_as_much_is_left_as_it_is(world):
    evidence = world.tenant.gather(CUES[0])
    assert narrowed(evidence, load_policy()) is evidence
    empty = world.memories.tenant("nobody").gather(CUES[0])
    assert narrowed(empty, adjust(load_policy(), Adjustment(without=("dense",)))) is empty
