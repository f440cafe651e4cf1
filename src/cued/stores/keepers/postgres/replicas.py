"""Servers that follow the first one and answer warm recalls in its place: each in turn, one that is down not for a while."""

import re
from collections.abc import Iterator, Sequence
from itertools import count
from time import monotonic
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from cued.errors import InputError, StoreError
from cued.folders import Address
from cued.stores.keepers.postgres.pooling import ConnectionPool, results

_ACCEPTED: Final = (
    "an address that libpq reads, such as postgresql://user:password@host:5432/database; what is special in a password, as %, / and @ "
    "are, is percent-encoded"
)
REST_S: Final = 10.0
"""How long a replica that failed is left alone."""


class Replicas:
    """The replicas of one database."""

    def __init__(self, servers: Sequence[ConnectionPool]) -> None:
        """Ask none yet."""
        self.servers = servers
        self._turns = count()
        self._resting = [0.0] * len(servers)

    def answers(self, text: str, values: dict[str, Any]) -> Iterator[list[list[Any]]]:
        """What the statements found on the next replica in turn; nothing where there is none, or it is down."""
        if not self.servers:
            return
        turn = next(self._turns) % len(self.servers)
        if monotonic() < self._resting[turn]:
            return
        try:
            with self.servers[turn].taken() as connection:
                found = results(connection, text, values)
        except (psycopg.Error, StoreError):
            # Whatever it is: the first server answers, and says what is wrong if something is.
            self._resting[turn] = monotonic() + REST_S
            self.servers[turn].drop_idle()
            return
        yield found

    def close(self) -> None:
        """Let go of their connections."""
        for server in self.servers:
            server.close()


def addresses(address: Address) -> tuple[str, list[str]]:
    """The address of the first server, and those of the replicas that it names as replica=HOST or replica=HOST:PORT.

    One that cannot be read is an InputError; what libpq says of it is not repeated, for it quotes what may be of a password.
    """
    try:
        first, replicas = _split(address.url)
        told = conninfo_to_dict(first)
    except (ValueError, psycopg.ProgrammingError):
        raise InputError("path", str(address), _ACCEPTED) from None
    if "@" in str(told.get("host", ""))[1:] or not re.fullmatch(r"[0-9,]*", str(told.get("port", ""))):
        raise InputError("path", str(address), _ACCEPTED)
    return first, replicas


def _split(url: str) -> tuple[str, list[str]]:
    parts = urlsplit(url)
    asked = parse_qsl(parts.query, keep_blank_values=True)
    replicas = [value for name, value in asked if name == "replica"]
    if not replicas:
        return url, []
    rest = parts._replace(query=urlencode([each for each in asked if each[0] != "replica"]))
    who = parts.netloc.rpartition("@")
    return urlunsplit(rest), [urlunsplit(rest._replace(netloc=f"{who[0]}{who[1]}{host}")) for host in replicas]
