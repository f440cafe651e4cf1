"""Tenants that stick to servers: a pure rule, the same for everybody, and another server while one is down."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cued
from cued.surfaces.remote.rendezvous import by_draw, home_of
from tests.stores.nodes import free_port

SERVERS = [f"http://node-{number}:7333" for number in range(5)]
TENANTS = [f"tenant {number}" for number in range(4000)]


@given(st.text(), st.permutations(SERVERS), st.sampled_from(SERVERS))
def test_a_tenants_home_depends_on_no_order_and_stays_when_another_server_goes(tenant, servers, gone):
    home = home_of(tenant, servers)
    assert home == home_of(tenant, SERVERS)
    left = [each for each in servers if each != gone]
    assert home_of(tenant, left) == (by_draw(tenant, servers)[1] if gone == home else home)


def test_tenants_are_spread_evenly_and_a_new_server_takes_only_its_share():
    homes = {tenant: home_of(tenant, SERVERS) for tenant in TENANTS}
    assert all(abs(count - len(TENANTS) / 5) < len(TENANTS) / 40 for count in Counter(homes.values()).values())
    moved = {tenant for tenant in TENANTS if home_of(tenant, [*SERVERS, "http://new:7333"]) != homes[tenant]}
    assert abs(len(moved) - len(TENANTS) / 6) < len(TENANTS) / 40
    assert {home_of(tenant, [*SERVERS, "http://new:7333"]) for tenant in moved} == {"http://new:7333"}


def test_the_rule_is_written_down_for_others_to_follow():
    assert [SERVERS.index(home_of(tenant, SERVERS)) for tenant in ("ada", "bo", "\u00e9")] == [4, 2, 3]


def test_each_tenant_is_asked_at_its_home_and_elsewhere_while_that_is_down(serve):
    with serve() as one, serve() as two:
        token, _ = one.tokens.create("mira", scope="admin")
        urls, nowhere = [one.url, two.url], f"http://127.0.0.1:{free_port()}"
        asked = Counter()
        for server in (one, two):
            counted(server, asked)
        with cued.connect(urls, token=token) as memories:
            tenants = [f"t{number}" for number in range(12)]
            for tenant in tenants:
                memories.tenant(tenant).remember(f"{tenant} likes tea.")
                memories.tenant(tenant).remember(f"{tenant} likes rain.")
            assert asked == Counter({(home_of(tenant, urls), tenant): 2 for tenant in tenants})
            assert len({url for url, _ in asked}) == 2
            assert set(memories.tenants()) >= set(tenants)
        with cued.connect([nowhere, two.url], token=token, tries=1) as memories:
            lost = next(tenant for tenant in tenants if home_of(tenant, [nowhere, two.url]) == nowhere)
            assert memories.tenant(lost).stats().memories == 2
    with pytest.raises(cued.InputError, match="at least one"):
        cued.connect([], token=token)
    with pytest.raises(cued.InputError, match="without a path"):
        cued.connect([one.url, "http://x/y"], token=token)


def counted(server, asked):
    """Count who is written for at which server."""
    store = server.memories.parts.store
    remember = store.remember

    def noted(tenant, records):
        asked[server.url, tenant] += 1
        return remember(tenant, records)

    store.remember = noted
