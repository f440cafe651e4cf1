"""The memories of one tenant that were read of late, decoded, so that a warm recall reads only how they were used."""

from collections.abc import Sequence
from typing import NamedTuple

import apsw
from msgspec.structs import replace

from cued.model import Memory
from cued.stores.sqlite.rows import read_bodies, read_uses

BODIES_BYTES = 32 * 2**20

_BYTES_EACH = 1200


class _Kept(NamedTuple):
    memory: Memory
    nbytes: int


class Bodies:
    """Memories by key, as of the change that their shelf is at; when they occupy too many bytes, the first read go first."""

    def __init__(self, most_bytes: int = BODIES_BYTES) -> None:
        """Start with none."""
        self.nbytes = 0
        self._most_bytes = most_bytes
        self._kept: dict[int, _Kept] = {}

    def read(self, connection: apsw.Connection, keys: Sequence[int]) -> tuple[Memory, ...]:
        """Give the memories of these keys in their order, each with its use as of the connection's snapshot."""
        missing = [key for key in keys if key not in self._kept]
        for key, (memory, size) in zip(missing, read_bodies(connection, missing), strict=True):
            self._kept[key] = _Kept(memory, size + _BYTES_EACH)
            self.nbytes += size + _BYTES_EACH
        found = {key: self._kept[key].memory for key in keys}
        for key, use in read_uses(connection, keys):
            found[key] = replace(found[key], use=use)
        while self.nbytes > self._most_bytes:
            self.drop(next(iter(self._kept)))
        return tuple(found.values())

    def drop(self, key: int) -> None:
        """Let go of a memory that has changed; an unknown key changes nothing."""
        dropped = self._kept.pop(key, None)
        if dropped is not None:
            self.nbytes -= dropped.nbytes
