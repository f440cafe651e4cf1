"""The memories of one tenant that were read before, decoded, so that a warm recall reads only how they were used."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw
from msgspec.structs import replace

from cued.model import Memory
from cued.stores.keepers.sqlite.rows import read_bodies, read_uses

BODIES_BYTES = 32 * 2**20

_BYTES_EACH = 1200


class _Kept(NamedTuple):
    memory: Memory
    nbytes: int


class Bodies:
    """Memories by key, as of the change that their shelf is at."""

    def __init__(self, most_bytes: int = BODIES_BYTES) -> None:
        """Start with none."""
        self.nbytes = 0
        self._most_bytes = most_bytes
        self._kept: dict[int, _Kept] = {}

    def read(self, connection: apsw.Connection, keys: Sequence[int]) -> tuple[Memory, ...]:
        """Give the memories of these keys in their order, each with its use as of the connection's snapshot."""
        missing = [key for key in keys if key not in self._kept]
        read = dict(zip(missing, read_bodies(connection, missing), strict=True))
        found = {key: read[key][0] if key in read else self._kept[key].memory for key in keys}
        for key, use in read_uses(connection, keys):
            found[key] = replace(found[key], use=use)
        for key, (memory, size) in read.items():
            self._keep(key, _Kept(memory, size + _BYTES_EACH))
        return tuple(found.values())

    def drop(self, keys: Iterable[int]) -> None:
        """Let go of memories that have changed; an unknown key changes nothing."""
        for key in keys:
            dropped = self._kept.pop(key, None)
            if dropped is not None:
                self.nbytes -= dropped.nbytes

    def _keep(self, key: int, kept: _Kept) -> None:
        # Nothing is let go of to make room: in a tenant too large for it, each recall would replace what the next one needs.
        if self.nbytes + kept.nbytes <= self._most_bytes:
            self._kept[key] = kept
            self.nbytes += kept.nbytes
