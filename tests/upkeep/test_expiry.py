"""Expiry: what has expired is listed, and swept for good after its grace."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import Revision
from cued.text.durations import parse_duration
from cued.upkeep import expiry
from cued.upkeep.expiry import expired, sweep
from tests.building import NOW, ago, memory
from tests.stocking import everything, stock


def lived(name, ttl, *, born=30):
    """Give a memory born this many days ago with this time to live."""
    return memory(name, created=ago(days=born), expires_at=ago(days=born) + parse_duration(ttl))


@pytest.mark.requirement("M5")
def test_every_spelling_of_a_time_to_live_expires_alike(store):
    stock(store, lived("words", "12 hours"), lived("letters", "12h"), lived("seconds", 43200), lived("later", "31d"), memory("never"))
    assert [each.id for each in expired("t", store, at=NOW)] == ["letters", "seconds", "words"]
    assert expired("t", store, at=ago(days=30)) == ()
    assert [each.id for each in expired("t", store, at=ago(days=29.5))] == ["letters", "seconds", "words"]


@pytest.mark.requirement("M5")
def test_a_sweep_erases_what_expired_before_the_grace_and_nothing_else(store):
    stock(store, lived("long", "1d"), lived("lately", "29d"), lived("later", "31d"), memory("never"))
    stock(store, replace(memory("theirs", expires_at=ago(days=9)), tenant="other"))
    store.forget("t", ["long"], at=NOW)
    assert sweep("t", store, at=NOW, grace=timedelta(days=7)) == ("long",)
    assert sweep("t", store, at=NOW) == ("lately",)
    assert sweep("t", store, at=NOW) == ()
    assert everything(store).keys() == {"later", "never"}
    assert everything(store, "other").keys() == {"theirs"}


@pytest.mark.requirement("M5")
def test_a_sweep_goes_in_steps_and_passes_over_what_went_meanwhile(store, monkeypatch):
    monkeypatch.setattr(expiry, "BATCH", 2)
    stock(store, *(lived(f"m{number}", "1d") for number in range(5)))
    heard = []

    def meanwhile(done, total):
        if not heard:
            store.erase("t", ["m3"])
        heard.append((done, total))

    assert sweep("t", store, at=NOW, progress=meanwhile) == ("m0", "m1", "m2", "m4")
    assert heard == [(2, 5), (3, 5), (4, 5)]
    assert everything(store) == {}


@pytest.mark.requirement("M5")
def test_a_life_extended_during_the_sweep_is_spared(store, monkeypatch):
    monkeypatch.setattr(expiry, "BATCH", 1)
    stock(store, lived("m0", "1d"), lived("m1", "1d"))

    def extend(done, total):
        if done == 1:
            store.revise("t", [Revision(id="m1", set={"expires_at": None})], at=NOW)

    assert sweep("t", store, at=NOW, progress=extend) == ("m0",)
    assert everything(store).keys() == {"m1"}


def test_a_negative_grace_is_refused(store):
    with pytest.raises(InputError, match="grace"):
        sweep("t", store, at=NOW, grace=timedelta(days=-1))
