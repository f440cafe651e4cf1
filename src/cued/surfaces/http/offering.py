"""What a server offers to its own user's commands: a Unix socket, and a file that says where it is and how to use it.

Above: `serving`, which listens there too. Below: `surfaces.resident`, which finds and uses it.
"""

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from cued.folders import Address, made, replacing
from cued.policy.presets import names
from cued.surfaces.http.routes import ROUTES
from cued.surfaces.resident import Offer, offer_of, withdraw

log = logging.getLogger("cued.http")


class Started(Struct, frozen=True, kw_only=True):
    """What a server was started with, and its answers depend on."""

    db: Path | Address
    embedder: str | None
    policy: str | None


@contextmanager
def offered(started: Started | None, *, token: str) -> Iterator[list[socket.socket]]:
    """The offered sockets, until the server ends; none where there can be none, and commands then open the store themselves."""
    if started is None or sys.platform == "win32":
        yield []
        return
    path, routes = offer_of(started.db), [route for route in ROUTES if not route.place]
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    offer = Offer(
        socket=str(path.with_name(f"{path.stem}-{os.getpid()}.sock")),
        token=token,
        routes={route.verb: (route.method, route.path) for route in routes},
        writing=tuple(route.verb for route in routes if route.of.writes),
        presets=names(),
        embedder=started.embedder,
        policy=started.policy,
    )
    with listening:
        try:
            made(path.parent)
            with suppress(FileNotFoundError):
                Path(offer.socket).unlink()
            listening.bind(offer.socket)
            Path(offer.socket).chmod(0o600)
            listening.listen()
            with replacing(path) as file:
                file.write(msgspec.json.encode(offer))
        except OSError as error:
            log.warning("%s", msgspec.json.encode({"no_offer": str(error), "path": str(path)}).decode())
            yield []
            return
        try:
            yield [listening]
        finally:
            withdraw(started.db, offer)
