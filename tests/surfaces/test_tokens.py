"""Tokens: shown once, kept as digests in the store, counted until they expire or are revoked, and in no listing of tenants."""

from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest

from cued.errors import InputError
from cued.handles.memories import open_memories
from cued.model import OWN_TENANT
from cued.surfaces.access_tokens import Tokens

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def memories(tmp_path):
    with open_memories(tmp_path / "memories.db", embedder=None) as opened:
        yield opened


def test_a_token_is_found_by_what_was_shown_and_by_nothing_else(memories, tmp_path):
    tokens = Tokens(memories.parts.store)
    written, kept = tokens.create("mira", scope="write")
    assert tokens.find(written) == kept
    for other in ("", "cued_", written[:-1], written + "x", written.swapcase(), f"cued_{kept.id}_{'A' * 43}", "Bearer " + written):
        assert tokens.find(other) is None
    secret = written.split("_", 2)[2].encode()
    assert not any(secret in path.read_bytes() for path in tmp_path.iterdir())


def test_a_token_counts_until_it_expires_or_is_revoked(memories):
    moment = [NOW]
    tokens = Tokens(memories.parts.store, clock=lambda: moment[0])
    short, _ = tokens.create("mira", scope="read", expires="90d")
    long, kept = tokens.create("mira", scope="read")
    moment[0] += timedelta(days=90)
    assert (tokens.find(short), tokens.find(long)) == (None, kept)
    assert tokens.any_live()
    elsewhere = Tokens(memories.parts.store)
    elsewhere.revoke(kept.id)
    assert tokens.find(long) is None
    assert not tokens.any_live()
    with pytest.raises(InputError, match="cued token list"):
        tokens.revoke("000000000000")


def test_tokens_that_ended_long_ago_are_no_longer_listed(memories):
    moment = [NOW]
    tokens = Tokens(memories.parts.store, clock=lambda: moment[0])
    tokens.create("mira", scope="read", expires="1d")
    _, kept = tokens.create("mira", scope="read")
    moment[0] += timedelta(days=92)
    tokens.create("jonas", scope="read")
    assert [token.tenant for token in tokens.all()] == ["mira", "jonas"]
    assert tokens.all()[0] == kept


def test_tokens_that_are_made_at_the_same_time_are_all_kept(memories):
    tokens = Tokens(memories.parts.store)
    makers = [Thread(target=lambda: [tokens.create("mira", scope="read") for _ in range(5)]) for _ in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len(tokens.all()) == 20


def test_no_tenant_can_be_where_tokens_are_kept_and_no_listing_shows_it(memories):
    Tokens(memories.parts.store).create("mira", scope="read")
    assert memories.tenants() == ()
    assert memories.parts.store.tenants() == (OWN_TENANT,)
    with pytest.raises(InputError):
        memories.tenant(OWN_TENANT)


@pytest.mark.parametrize(("scope", "allowed"), [("read", 1), ("write", 2), ("admin", 3)])
def test_each_scope_has_all_that_the_smaller_have(memories, scope, allowed):
    _, token = Tokens(memories.parts.store).create("mira", scope=scope)
    assert [token.allows(each) for each in ("read", "write", "admin")] == [n < allowed for n in range(3)]


def test_the_command_line_makes_lists_and_revokes_them(cued):
    made = cued.json("token", "create", "--tenant", "mira", "--scope", "read", "--expires", "90d")
    assert made["token"].startswith(f"cued_{made['id']}_")
    (listed,) = cued.json("token", "list")["tokens"]
    assert (listed["tenant"], listed["live"], "token" in listed) == ("mira", True, False)
    assert made["id"] in cued("token", "list").stdout
    assert cued.json("token", "revoke", made["id"])["live"] is False
    assert cued("token", "create", "--scope", "all").exit_code == 2
    assert cued("token", "revoke", "nobody").exit_code == 2
    assert "Usage" in cued("token").stdout


def test_a_token_says_how_far_what_it_stores_is_trusted(memories):
    tokens = Tokens(memories.parts.store)
    written, made = tokens.create("ada", scope="write", trust="tool")
    assert (tokens.find(written).trust, made.shown(NOW)["trust"], tokens.create("ada", scope="write")[1].trust) == ("tool", "tool", "user")
    with pytest.raises(InputError, match="trust"):
        tokens.create("ada", scope="write", trust="anybody")
