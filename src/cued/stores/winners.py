"""The memories that searches found, kept with the shelf that found them, and what they say of themselves as columns."""

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple, Self

import numpy as np
from msgspec.structs import force_setattr, replace
from numpy.typing import NDArray

from cued.model import TRAITS, Memory, Source, Traits
from cued.ports import Reading
from cued.stores.arrays import Mask, RowNumbers, enlarged, twin

Beside = Callable[[Sequence[int]], Sequence[int]]
"""Gives, of the keys of memories that have to be read, those of memories which are had for little more."""
Keys = NDArray[np.int64]

WINNERS_BYTES = 32 * 2**20
_BYTES_EACH = 1500


class Won(NamedTuple):
    """Memories in the order in which they were asked for, None for a broken one, and the rows of their traits."""

    memories: tuple[Memory | None, ...]
    traits: NDArray[np.float64]


class _Held(NamedTuple):
    """Keys in order, the place of each one's memory, and the memories by place with their traits; what is in it does not change."""

    keys: Keys
    places: RowNumbers
    memories: list[Memory]
    traits: NDArray[np.float64]

    def find(self, keys: Keys) -> tuple[RowNumbers, Mask]:
        """The place of each key's memory, and which of them there are: the places of the others mean nothing."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.intp), np.zeros(len(keys), dtype=np.bool_)
        at = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
        return self.places[at], self.keys[at] == keys


_WIDTH, _USED = len(TRAITS), TRAITS.index("used")
_NONE = Won((), np.empty((0, _WIDTH)))
_NOTHING = _Held(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.intp), [], np.empty((0, _WIDTH)))


class Winners:
    """The memories that searches found before, by key, so that a warm recall reads only how they were used."""

    def __init__(self, most_bytes: int = WINNERS_BYTES) -> None:
        """Start with none."""
        self.nbytes = 0
        self._most_bytes = most_bytes
        self._held = _NOTHING._replace(memories=[])
        self._lock = Lock()
        self._words: dict[str, str] = {}
        self._codes: dict[str, int] = {}

    def missing(self, keys: Sequence[int]) -> list[int]:
        """Those of the keys whose memories have to be read."""
        asked = np.array(keys, dtype=np.int64)
        missing: list[int] = asked[~self._held.find(asked)[1]].tolist()
        return missing

    def read(self, rows: Reading, keys: Sequence[int], beside: Beside = tuple) -> Won:
        """The memories of these keys in their order, each with its use as of the transaction's snapshot.

        Where any have to be read, those beside them are read too, as long as there is space for what was found and for what was not.
        """
        if not keys:
            return _NONE
        asked, held = np.array(keys, dtype=np.int64), self._held
        places, known = held.find(asked)
        if known.all():
            found: list[Memory | None] = [held.memories[place] for place in places.tolist()]
            told = held.traits[places]
        else:
            found, told = self._with_fresh(asked, self._fresh(rows, asked[~known].tolist(), beside))
        used = rows.uses(keys)
        row_of = dict(zip(keys, range(len(keys)), strict=True)) if used else {}
        for key, use in used:
            if (memory := found[row_of[key]]) is not None:
                found[row_of[key]] = replace(memory, use=use)
                told[row_of[key], _USED] = 1.0
        return Won(tuple(found), told)

    def without(self, keys: Sequence[int]) -> Self:
        """These winners but for those of some keys, which have changed."""
        held = self._held
        dropped = np.isin(held.keys, keys)
        if not dropped.any():
            return self
        other = twin(self)
        other.nbytes -= sum(_size(held.memories[place]) for place in held.places[dropped].tolist())
        left = held.places[~dropped]
        memories = [held.memories[place] for place in left.tolist()]
        other._held = _Held(held.keys[~dropped], np.arange(len(left)), memories, held.traits[left])  # noqa: SLF001 - its own kind
        return other

    def _fresh(self, rows: Reading, missing: Sequence[int], beside: Beside) -> dict[int, Memory | None]:
        """The memories that had to be read, by key, with those written beside them; as many are kept as there is room for."""
        more = self.missing(beside(missing)) if self.nbytes < self._most_bytes // 2 else ()
        wanted = list(dict.fromkeys([*missing, *more]))
        fresh = dict(zip(wanted, rows.memories(wanted), strict=True))
        self._keep(fresh)
        return fresh

    def _with_fresh(self, asked: Keys, fresh: Mapping[int, Memory | None]) -> tuple[list[Memory | None], NDArray[np.float64]]:
        """The memories that are kept and those that were just read and are not, and the rows of their traits; a broken one has none."""
        held = self._held
        places, known = held.find(asked)
        told = np.zeros((len(asked), _WIDTH))
        told[known] = held.traits[places[known]]
        each = zip(asked.tolist(), places.tolist(), known.tolist(), strict=True)
        found = [held.memories[place] if is_known else fresh[key] for key, place, is_known in each]
        others = [(row, memory) for row, memory in enumerate(found) if memory is not None and not known[row]]
        with self._lock:
            told[[row for row, _ in others]] = Traits([memory for _, memory in others], self._codes).rows
        return found, told

    def _keep(self, fresh: Mapping[int, Memory | None]) -> None:
        # Nothing is let go of to make space: in a tenant too large for it, each recall would replace what the next one needs.
        with self._lock:
            held, kept = self._held, dict[int, Memory]()
            new = dict.fromkeys(self.missing(list(fresh)))
            for key, memory in fresh.items():
                if memory is not None and key in new and self.nbytes + (size := _size(memory)) <= self._most_bytes:
                    self._share(memory, "tenant", "fingerprint")
                    self._share(memory.source, "session", "speaker")
                    kept[key] = memory
                    self.nbytes += size
            if not kept:
                return
            count, more = len(held.memories), len(kept)
            traits = enlarged(held.traits, count, count + more)
            traits[count : count + more] = Traits(list(kept.values()), self._codes).rows
            # Whoever reads meanwhile knows of no place beyond those that there were.
            held.memories.extend(kept.values())
            keys = np.concatenate((held.keys, np.array(list(kept), dtype=np.int64)))
            order = keys.argsort(kind="stable")
            places = np.concatenate((held.places, np.arange(count, count + more)))[order]
            self._held = _Held(keys[order], places, held.memories, traits)

    def _share(self, thing: Memory | Source, *names: str) -> None:
        """Have words that come again and again held once: that spares memory, and whoever compares them finds them the same."""
        for name in names:
            if (word := getattr(thing, name)) is not None:
                force_setattr(thing, name, self._words.setdefault(word, word))


def _size(memory: Memory) -> int:
    return _BYTES_EACH + len(memory.text)
