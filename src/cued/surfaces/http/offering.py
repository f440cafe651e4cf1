"""What a server offers the commands of its own user: a socket of this machine, and in a file where it is and what it needs.

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

from cued.folders import Address, made, private
from cued.policy.presets import names
from cued.surfaces.http.routes import ROUTES
from cued.surfaces.resident import Offer, offer_of, withdraw

log = logging.getLogger("cued.http")


class Started(Struct, frozen=True, kw_only=True):
    """What a server was started with, of which its answers depend."""

    db: Path | Address
    embedder: str | None
    policy: str | None


@contextmanager
def offered(started: Started | None, *, token: str) -> Iterator[list[socket.socket]]:
    """The socket that is offered, until the server ends; none where this cannot be done, and then commands ask the store themselves."""
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
            _write(path, msgspec.json.encode(offer))
        except OSError as error:
            log.warning("%s", msgspec.json.encode({"no_offer": str(error), "path": str(path)}).decode())
            yield []
            return
        try:
            yield [listening]
        finally:
            withdraw(started.db, offer)


def _write(path: Path, body: bytes) -> None:
    """Put the whole file in its place at once, readable for its owner alone."""
    fresh = path.with_suffix(f".{os.getpid()}")
    with open(fresh, "wb", opener=private) as file:
        file.write(body)
    fresh.replace(path)
