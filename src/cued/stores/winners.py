"""The memories of one tenant that searches found before, so that a warm recall reads only how they were used."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from cued.model import Memory
from cued.ports import Transaction

WINNERS_BYTES = 32 * 2**20

_BYTES_EACH = 1500


class Winners:
    """Memories by key, as of the change that their shelf is at."""

    def __init__(self, most_bytes: int = WINNERS_BYTES) -> None:
        """Start with none."""
        self.nbytes = 0
        self._most_bytes = most_bytes
        self._kept: dict[int, Memory] = {}

    def read(self, rows: Transaction, keys: Sequence[int]) -> tuple[Memory, ...]:
        """The memories of these keys in their order, each with its use as of the transaction's snapshot."""
        if not keys:
            return ()
        missing = [key for key in keys if key not in self._kept]
        read = dict(zip(missing, rows.memories(missing), strict=True)) if missing else {}
        found = {key: read[key] if key in read else self._kept[key] for key in keys}
        for key, use in rows.uses(keys):
            found[key] = replace(found[key], use=use)
        for key, memory in read.items():
            self._keep(key, memory)
        return tuple(found.values())

    def drop(self, keys: Iterable[int]) -> None:
        """Let go of memories that have changed; an unknown key changes nothing."""
        for key in keys:
            dropped = self._kept.pop(key, None)
            if dropped is not None:
                self.nbytes -= _size(dropped)

    def _keep(self, key: int, memory: Memory) -> None:
        # Nothing is let go of to make space: in a tenant too large for it, each recall would replace what the next one needs.
        size = _size(memory)
        if self.nbytes + size <= self._most_bytes:
            self._kept[key] = memory
            self.nbytes += size


def _size(memory: Memory) -> int:
    return _BYTES_EACH + len(memory.text)
