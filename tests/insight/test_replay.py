"""Replay decides kept recalls under another policy, before anybody switches; and says what it could not read."""

import time

import pytest

from cued.errors import InputError
from cued.policy.adjust import Adjustment, adjust
from cued.policy.presets import load_policy
from tests.insight.simulation import World


@pytest.fixture(scope="module")
def asked():
    made = World(keep="last").fill(144).ask(120)
    yield made.tenant
    made.close()


@pytest.mark.requirement("X5")
def test_under_the_same_policy_nothing_changes(asked):
    same = asked.replay()
    assert (same.recalls, same.unchanged, same.overlap) == (120, 120, 1.0)
    assert (same.injection_before, same.tokens_before) == (same.injection_after, same.tokens_after)
    assert (same.came, same.went, same.changed, same.notes) == ((), (), (), ())


@pytest.mark.requirement("X5")
def test_under_another_policy_it_tells_what_comes_in_and_goes_as_a_recall_would(asked):
    strict = adjust(load_policy(), Adjustment(floor=0.99, limit=3))
    replayed = asked.replay(strict)
    lines = {line.recall_id: line for line in asked.log(limit=500, content=True)}
    truth = {key: {each.id for each in asked.recall(line.cue, policy=strict, settle=False)} for key, line in lines.items()}
    spoke = sum(map(bool, truth.values()))
    assert replayed.injection_after == spoke / 120 < replayed.injection_before
    assert replayed.tokens_after < replayed.tokens_before
    assert all(set(change.went) == set(lines[change.recall_id].chosen) - truth[change.recall_id] for change in replayed.changed)
    assert replayed.went[0].recalls >= replayed.went[-1].recalls
    assert replayed.went[0].text
    looser = asked.replay(adjust(load_policy(), Adjustment(floor=0.0)))
    assert looser.injection_after == 1.0
    assert looser.came
    assert looser.to_dict()["came"][0]["text"]


@pytest.mark.requirement("X5")
def test_one_recall_is_shown_side_by_side(asked):
    line = next(line for line in asked.log(limit=100) if len(line.chosen) > 2)
    replayed = asked.replay(adjust(load_policy(), Adjustment(limit=1)), recall_id=line.recall_id)
    (change,) = replayed.changed
    assert [place.before for place in change.places] == list(range(1, len(line.chosen) + 1))
    assert [place.after for place in change.places] == [1] + [None] * (len(line.chosen) - 1)
    assert "limit" in change.places[1].fate
    with pytest.raises(InputError, match="kept recalls"):
        asked.replay(recall_id="01JWNAQ5E0ZZZZZZZZZZZZZZZZ")


def test_a_channel_that_was_shut_is_noted():
    made = World(keep="last", policy="siftcoder").fill(30).ask(5)
    assert made.tenant.replay("cued").notes == (
        "entity: was shut when these recalls were made, so it adds nothing here",
        "temporal: was shut when these recalls were made, so it adds nothing here",
    )
    made.close()


def test_without_kept_recalls_it_says_how_they_are_kept():
    made = World().fill(10).ask(5)
    with pytest.raises(InputError, match="--keep last"):
        made.tenant.replay("rrf")
    made.close()


def test_five_hundred_recalls_would_be_replayed_in_two_seconds(asked):
    """Counted in the processor's time, which others on the machine do not lengthen; a quarter of them is here."""
    best = min(_seconds(lambda: asked.replay("rrf")) for _ in range(3))
    assert best * 500 / 120 < 2.0


def _seconds(work):
    started = time.process_time()
    work()
    return time.process_time() - started
