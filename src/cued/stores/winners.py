"""The memories that searches found, kept with the shelf that found them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Self

from msgspec.structs import force_setattr, replace

from cued.model import Memory, Source
from cued.ports import Reading
from cued.stores.arrays import twin

Beside = Callable[[Sequence[int]], Sequence[int]]
"""Gives, of the keys of memories that have to be read, those of memories which are had for little more."""

WINNERS_BYTES = 32 * 2**20
_BYTES_EACH = 1500


class Winners:
    """The memories that searches found before, by key, so that a warm recall reads only how they were used."""

    def __init__(self, most_bytes: int = WINNERS_BYTES) -> None:
        """Start with none."""
        self.nbytes = 0
        self._most_bytes = most_bytes
        self._kept: dict[int, Memory] = {}
        self._words: dict[str, str] = {}

    def missing(self, keys: Sequence[int]) -> list[int]:
        """Those of the keys whose memories have to be read."""
        return [key for key in keys if key not in self._kept]

    def read(self, rows: Reading, keys: Sequence[int], beside: Beside = tuple) -> tuple[Memory | None, ...]:
        """The memories of these keys in their order, each with its use as of the transaction's snapshot; None for a broken one.

        Where any have to be read, those beside them are read too, as long as there is space for what was found and for what was not.
        """
        if not keys:
            return ()
        found: dict[int, Memory | None] = dict(zip(keys, map(self._kept.get, keys), strict=True))
        if missing := [key for key, memory in found.items() if memory is None]:
            more = self.missing(beside(missing)) if self.nbytes < self._most_bytes // 2 else ()
            wanted = list(dict.fromkeys([*missing, *more]))
            fresh = dict(zip(wanted, rows.memories(wanted), strict=True))
            found |= {key: fresh[key] for key in missing}
            self._keep(fresh)
        for key, use in rows.uses(keys):
            if (memory := found[key]) is not None:
                found[key] = replace(memory, use=use)
        return tuple(found.values())

    def without(self, keys: Sequence[int]) -> Self:
        """These winners but for those of some keys, which have changed."""
        if not keys:
            return self
        other = twin(self)
        other._kept = dict(self._kept)  # noqa: SLF001 - its own kind
        for key in keys:
            dropped = other._kept.pop(key, None)  # noqa: SLF001
            if dropped is not None:
                other.nbytes -= _size(dropped)
        return other

    def _keep(self, fresh: Mapping[int, Memory | None]) -> None:
        # Nothing is let go of to make space: in a tenant too large for it, each recall would replace what the next one needs.
        for key, memory in fresh.items():
            if memory is not None and self.nbytes + (size := _size(memory)) <= self._most_bytes:
                self._share(memory, "tenant", "fingerprint")
                self._share(memory.source, "session", "speaker")
                self._kept[key] = memory
                self.nbytes += size

    def _share(self, thing: Memory | Source, *names: str) -> None:
        """Have words that come again and again held once: that spares memory, and whoever compares them finds them the same."""
        for name in names:
            if (word := getattr(thing, name)) is not None:
                force_setattr(thing, name, self._words.setdefault(word, word))


def _size(memory: Memory) -> int:
    return _BYTES_EACH + len(memory.text)
