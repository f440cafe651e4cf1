"""Which of several servers is asked for a tenant: always the same one, which has its memories in RAM.

Rendezvous hashing (Thaler & Ravishankar 1998): every server draws a number for the tenant, and the highest wins. A server that comes or
goes moves only the tenants that it gets or had, and no table is needed.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b


def home_of(tenant: str, servers: Sequence[str]) -> str:
    """The server of a tenant: the one that draws the highest number for it, whatever their order."""
    return by_draw(tenant, servers)[0]


def by_draw(name: str, servers: Iterable[str]) -> list[str]:
    """The servers in the order in which they are tried for a name."""
    return sorted(servers, key=lambda server: (_drawn(name, server), server), reverse=True)


def _drawn(name: str, server: str) -> bytes:
    return blake2b(name.encode(), digest_size=8, key=blake2b(server.encode(), digest_size=16).digest()).digest()
