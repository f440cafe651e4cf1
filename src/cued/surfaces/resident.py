"""A server that already runs on a store: its user's commands ask it, and load neither a model nor a store.

A server leaves an offer in its user's cache folder: a Unix socket, a token that lives as long as it does, and what it was started with.
Only its own user can read the offer or reach the socket, and that user may read the store anyway, so nobody gains a right. An offer
whose server is gone is removed, and a server that would answer otherwise than the store itself is not asked.
"""

import hashlib
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from cued import __version__
from cued.errors import ServerError
from cued.folders import Address, user_folder
from cued.model.plain import JSON

TIMEOUT_S = 65.0
"""A little longer than the server gives a request."""
_OWN_CAUSE = frozenset({401, 404, 408, 429, 503})
"""Statuses that say nothing about the request, but about this way of asking."""
_MAY_BE_DONE = 503
"""The status of a write that took too long, and may still be done."""


class Offer(Struct, frozen=True, kw_only=True):
    """What a server says of itself.

    `routes` are the verbs that can be asked for without an id in the path, `writing` those of them that write, `presets` the default first.
    """

    socket: str
    token: str
    routes: dict[str, tuple[str, str]]
    writing: tuple[str, ...]
    presets: tuple[str, ...]
    embedder: str | None
    policy: str | None
    version: str = __version__


class Asker(Struct, frozen=True, kw_only=True):
    """What a command was started with, and its answer depends on."""

    db: Path | Address
    tenant: str
    embedder: str | None
    policy: str | None


def offer_of(db: Path | Address) -> Path:
    """Where the offer for a store lies, if there is one."""
    spelled = db.url.encode("utf-8", "surrogatepass") if isinstance(db, Address) else os.fsencode(db.resolve())
    named = hashlib.sha256(spelled).hexdigest()[:24]
    return user_folder("cache") / "serving" / f"{named}.json"


def ask(asker: Asker, verb: str, body: JSON) -> JSON | None:
    """The answer of a server on the same store; None where there is none, or it would answer otherwise than the store.

    A refusal is raised as the error of the store itself. A lost answer is a ServerError, for the write may have been done.
    """
    offer = _offered(asker.db)
    if offer is None or verb not in offer.routes or (said := _under(offer, asker, verb, body)) is None:
        return None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as way:
        way.settimeout(TIMEOUT_S)
        try:
            way.connect(offer.socket)
        except OSError:
            withdraw(asker.db, offer)
            return None
        try:
            status, raw = _exchanged(way, _request(offer, verb, said, tenant=asker.tenant))
        except (OSError, ValueError) as error:
            raise ServerError(f"the server on {asker.db} broke off ({error!r}); --direct asks the store itself") from error
    if status < 400:  # noqa: PLR2004 - a status
        answer: JSON = msgspec.json.decode(raw)
        return answer
    if status in _OWN_CAUSE and b"NotFoundError" not in raw and not (status == _MAY_BE_DONE and verb in offer.writing):
        return None
    from cued.surfaces.remote.raised import raised  # noqa: PLC0415 - few requests are refused

    raise raised(status, raw, noted=False)


def answers(db: Path | Address) -> bool:
    """Whether a server that can be asked runs on this store."""
    offer = _offered(db)
    if offer is None:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as way:
        return way.connect_ex(offer.socket) == 0


def withdraw(db: Path | Address, offer: Offer) -> None:
    """Remove an offer with its socket, unless another server's has taken its place."""
    with suppress(OSError):
        if _read(offer_of(db)) == offer:
            offer_of(db).unlink()
        Path(offer.socket).unlink()


def _offered(db: Path | Address) -> Offer | None:
    """The offer for a store, if it is our own user's and of this version; else None."""
    if sys.platform == "win32":
        return None
    offer = _read(offer_of(db))
    return offer if offer is not None and offer.version == __version__ else None


def _read(path: Path) -> Offer | None:
    try:
        told = path.stat()
        if told.st_uid != os.getuid() or told.st_mode & 0o077:
            return None
        return msgspec.json.decode(path.read_bytes(), type=Offer)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _under(offer: Offer, asker: Asker, verb: str, body: JSON) -> JSON | None:
    """The request with the policy that it is meant to run under; None where the server cannot answer as the store itself would."""
    if offer.embedder != asker.embedder:
        return None
    if offer.policy == asker.policy and (asker.policy is None or asker.policy in offer.presets):
        return body
    meant = asker.policy or offer.presets[0]
    return {**body, "policy": meant} if verb == "recall" and meant in offer.presets else None


def _request(offer: Offer, verb: str, body: JSON, *, tenant: str) -> bytes:
    from urllib.parse import quote, urlencode  # noqa: PLC0415 - loaded when there is somebody to ask

    method, path = offer.routes[verb]
    if method == "GET":
        path, said = f"{path}?{urlencode({k: str(v).lower() if isinstance(v, bool) else v for k, v in body.items()})}", b""
    else:
        said = msgspec.json.encode(body)
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {offer.token}\r\n"
        f"Cued-Tenant: {quote(tenant, safe='')}\r\nIdempotency-Key: {os.urandom(16).hex()}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
    )
    return head.encode("ascii") + said


def _exchanged(way: socket.socket, asked: bytes) -> tuple[int, bytes]:
    """The status and the body of the answer, after which the server closes the connection; a body cut short is a ValueError."""
    way.sendall(asked)
    head, _, body = b"".join(iter(lambda: way.recv(65_536), b"")).partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    lengths = [int(line.partition(":")[2]) for line in lines[1:] if line.lower().startswith("content-length:")]
    if lengths != [len(body)]:
        raise ValueError("the answer was cut short")
    return int(lines[0].split(" ")[1]), body
