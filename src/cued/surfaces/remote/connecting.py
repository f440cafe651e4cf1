"""`cued.connect`: a handle of a server's memories, with the same verbs as that of a store opened here."""

import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import convert
from msgspec.structs import replace

from cued.errors import InputError
from cued.handles.memories import Memories
from cued.model import Trust
from cued.ports import Progress, silent
from cued.requests.checks import label
from cued.requests.insights import When
from cued.surfaces.remote import nouns
from cued.surfaces.remote.calls import call_of, left_out
from cued.surfaces.remote.connections import Connections, ServerAddress, refuse_no_server
from cued.surfaces.remote.remote_tenant import RemoteTenant
from cued.surfaces.remote.rendezvous import by_draw, home_of

if TYPE_CHECKING:
    from cued.insight.overview import Insight
    from cued.insight.tuning import Tuned
    from cued.upkeep.backup import Copied
    from cued.upkeep.checking import Checked
    from cued.upkeep.erasures import Erasure


class RemoteMemories(Memories):
    """What `cued.connect` gives: the memories of a server; close it, or use it in a `with`."""

    def __init__(self, *servers: Connections) -> None:
        """Use these connections, one set for each server; calls that are about no tenant go to the first."""
        self._servers = {each.url: each for each in servers}
        self._connections = servers[0]

    def __repr__(self) -> str:
        """Where the servers are."""
        return f"RemoteMemories({', '.join(map(repr, self._servers))})"

    def tenant(self, name: str, *, trust: Trust = "user") -> RemoteTenant:
        """The handle of this tenant: the token's own, or any with a token of scope admin; the token says how far it is trusted."""
        if trust != "user":
            raise InputError("trust", trust, '"user": how far it is trusted, a token says (cued token create --trust)')
        return RemoteTenant(name, self._servers[home_of(label("tenant", name), list(self._servers))])

    def tenants(self) -> tuple[str, ...]:
        """What `Memories.tenants` gives; it needs a token of scope admin."""
        return tuple(each["name"] for each in self._connections.ask(call_of("tenants", {}))["tenants"])

    def insight(self, *, since: When = None, until: When = None, every: str | None = None) -> "Insight":
        """What `Memories.insight` gives; it needs a token of scope admin."""
        from cued.insight.overview import Insight  # noqa: PLC0415 - as the handle has it

        asked = call_of("insight_of_all", {"since": since, "until": until, "every": every})
        return convert(self._connections.ask(asked), Insight)

    def tune(self, *, apply: bool = False, progress: Progress = silent) -> "Tuned":
        """What `Memories.tune` gives; it needs a token of scope admin."""
        del progress
        return nouns.tuned(self._connections.ask(call_of("tune_for_all", {"apply": apply})))

    def erasures(self) -> "tuple[tuple[Erasure, ...], tuple[str, ...]]":
        """What `Memories.erasures` gives; it needs a token of scope admin."""
        from cued.upkeep.erasures import Erasure  # noqa: PLC0415 - as the handle has it

        told = self._connections.ask(call_of("erasures", {}))
        return convert(told["erasures"], tuple[Erasure, ...]), tuple(told["pending"])

    def check(self, *, progress: Progress = silent) -> "Checked":
        """An InputError: a server is not checked over HTTP. `cued check` works where the file is."""
        del progress
        raise left_out("check", "over HTTP")

    def backup(self, path: str | Path, *, overwrite: bool = False, progress: Progress = silent) -> "Copied":
        """An InputError: a server writes no files for others. `cued backup` works where it is."""
        del overwrite, progress
        raise left_out("backup", path)

    def flush(self) -> None:
        """Nothing: a server writes what recalls leave behind by itself, and before it ends."""

    def close(self) -> None:
        """Close the connections."""
        for connections in self._servers.values():
            connections.close()


def connect(
    url: str | Sequence[str], *, token: str, timeout_s: float = 60.0, tries: int = 4, tls: ssl.SSLContext | None = None
) -> Memories:
    """The memories of the server at this address, as a handle like that of `cued.open`; nothing is asked of it yet.

    With several servers over one database, each tenant is always asked for at the same one, which has its memories in RAM, and at another
    while that one cannot be reached.
    `timeout_s` is how long an answer is waited for, longer for a verb that may take long. `tries` is how often a call is sent at most when
    the server cannot be reached or is busy; a write has an idempotency key, so that it happens once however often it is sent.
    `tls` is for a certificate of your own.
    """
    urls = list(dict.fromkeys(url)) if isinstance(url, Sequence) and not isinstance(url, str) else [url]
    if not urls:
        raise InputError("url", url, "at least one server's address, such as http://127.0.0.1:7333")
    for each in urls:
        refuse_no_server(each)
    place = ServerAddress(url=urls[0], token=token, timeout_s=timeout_s, tries=tries, tls=tls)
    others = {each: tuple(by_draw(each, (other for other in urls if other != each))) for each in urls}
    return RemoteMemories(*(Connections(replace(place, url=each, others=others[each])) for each in urls))
