"""why: the tree of what a memory comes from, and of what came of it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from cued.errors import InputError, NotFoundError
from cued.model import DERIVED_FROM, MERGED, Kind, Memory, Supersession
from cued.ports import Store

MAX_DEPTH = 20
MAX_LINKS = 20
MAX_NODES = 500
SUPERSEDES = "supersedes"
FORWARD = frozenset({"causes"})
"""The relations whose target comes after their memory; every other points back to what a memory comes from or speaks of."""
Direction = Literal["because", "led to"]
Linked = tuple[str, str]
"""A relation and the id at its other end."""


class Node(Struct, frozen=True, kw_only=True):
    """One memory of a tree of provenance, and by which link it was reached.

    `relation` is the link's word; under `because` this node is what the one above rests on or replaced, under `led to` it is what
    rests on or replaced the one above. `state` says what has become of it, `repeated` that it stands elsewhere in the tree with its
    own links, and `left_out` how many links were not followed.
    """

    id: str
    relation: str
    direction: Direction
    text: str | None = None
    kind: Kind | None = None
    state: tuple[str, ...] = ()
    children: tuple["Node", ...] = ()
    repeated: bool = False
    left_out: int = 0


class Why(Struct, frozen=True, kw_only=True):
    """A memory, what it comes from, and what came of it."""

    memory: Memory
    state: tuple[str, ...] = ()
    because: tuple[Node, ...] = ()
    led_to: tuple[Node, ...] = ()
    left_out: int = 0


def why(tenant: str, store: Store, memory_id: str, *, depth: int = 3) -> Why:
    """Give the tree of what a memory comes from and of what came of it, `depth` links deep each way; cycles end where they close."""
    if not isinstance(depth, int) or not 1 <= depth <= MAX_DEPTH:
        raise InputError("depth", depth, f"a number from 1 to {MAX_DEPTH}")
    known = _Known(tenant, store)
    root = store.get(tenant, [memory_id])[0]
    because = _Walk(known, "because", root, depth)
    led_to = _Walk(known, "led to", root, depth)
    return Why(
        memory=root,
        state=known.state(root),
        because=because.tree(),
        led_to=led_to.tree(),
        left_out=because.left_out[root.id] + led_to.left_out[root.id],
    )


def is_stale(memory: Memory, sources: Iterable[Memory | None], *, fallen: Callable[[Memory], bool] | None = None) -> bool:
    """Tell whether a reflection has lost everything it was derived from: each source that is stored is forgotten or superseded.

    A source that is no longer stored does not count, as it does not in the gate of every recall. `fallen` may judge sources better.
    """
    left = [source for source in sources if source is not None]
    judged = fallen or (lambda source: _fallen(source, memory.scope))
    return memory.kind == "reflection" and bool(left) and all(judged(source) for source in left)


class _Link(NamedTuple):
    relation: str
    target: str
    first: bool


class _Known:
    """The memories read so far."""

    def __init__(self, tenant: str, store: Store) -> None:
        self.tenant, self.store = tenant, store
        self._found: dict[str, Memory | None] = {}

    def find(self, memory_ids: Iterable[str]) -> dict[str, Memory | None]:
        """Give the memories by id, None for an id of no memory of this tenant."""
        wanted = dict.fromkeys(memory_ids)
        unread = [memory_id for memory_id in wanted if memory_id not in self._found]
        while unread:
            try:
                self._found |= {memory.id: memory for memory in self.store.get(self.tenant, unread)}
                break
            except NotFoundError as error:
                self._found[error.memory_id] = None
                unread = [memory_id for memory_id in unread if memory_id not in self._found]
        return {memory_id: self._found[memory_id] for memory_id in wanted}

    def state(self, memory: Memory | None) -> tuple[str, ...]:
        """Give what has become of a memory, () for one that stands."""
        if memory is None:
            return ("not stored: erased, or never a memory of this tenant",)
        marks = [f"superseded by {mark.by}" + (f" in {mark.scope}" if mark.scope else "") for mark in _standing(memory)]
        forgotten = ["forgotten"] if memory.forgotten_at is not None else []
        return (*marks, *forgotten, *(["stale"] if self._stale(memory, ()) else []))

    def _stale(self, memory: Memory, path: tuple[str, ...]) -> bool:
        if memory.kind != "reflection" or memory.id in path:
            return False

        def fallen(source: Memory) -> bool:
            return _fallen(source, memory.scope) or self._stale(source, (*path, memory.id))

        return is_stale(memory, self.find(_sources(memory)).values(), fallen=fallen)


class _Walk:
    """The links of one direction, followed level by level, so that a memory is unfolded where it stands nearest to the root."""

    def __init__(self, known: _Known, direction: Direction, root: Memory, depth: int) -> None:
        self._known, self._direction, self._root = known, direction, root.id
        self._links: dict[str, list[_Link]] = {}
        self.left_out: defaultdict[str, int] = defaultdict(int)
        self._seen = {root.id}
        level = [root]
        for _ in range(depth):
            level = self._unfold(level)
        for memory_id, links in self._found(level).items():
            self.left_out[memory_id] = len(links)

    def tree(self) -> tuple[Node, ...]:
        """Give the nodes right below the root."""
        return tuple(self._node(link) for link in self._links.get(self._root, ()))

    def _unfold(self, level: Sequence[Memory]) -> list[Memory]:
        reached: list[str] = []
        for memory_id, links in self._found(level).items():
            kept = links[: max(0, min(MAX_LINKS, MAX_NODES - len(self._seen)))]
            self.left_out[memory_id] = len(links) - len(kept)
            self._links[memory_id] = [_Link(relation, target, self._is_first(target, reached)) for relation, target in kept]
        return [memory for memory in self._known.find(reached).values() if memory is not None]

    def _is_first(self, target: str, reached: list[str]) -> bool:
        first = target not in self._seen
        if first:
            self._seen.add(target)
            reached.append(target)
        return first

    def _found(self, level: Sequence[Memory]) -> dict[str, list[Linked]]:
        """Give each memory's links in this walk's direction: its own, and those of the memories that link to it."""
        back = self._direction == "because"
        found = {memory.id: _own_links(memory, back=back) for memory in level}
        for linking in self._known.store.linking(self._known.tenant, list(found)) if found else ():
            for edge in linking.edges:
                if edge.target in found and (edge.relation in FORWARD) == back:
                    found[edge.target].append((edge.relation, linking.id))
        return {memory_id: _without_twins(links) for memory_id, links in found.items()}

    def _node(self, link: _Link) -> Node:
        memory = self._known.find([link.target])[link.target]
        return Node(
            id=link.target,
            relation=link.relation,
            direction=self._direction,
            text=None if memory is None else memory.text,
            kind=None if memory is None else memory.kind,
            state=self._known.state(memory),
            children=tuple(self._node(each) for each in self._links.get(link.target, ())) if link.first else (),
            repeated=not link.first,
            left_out=self.left_out[link.target] if link.first else 0,
        )


def _own_links(memory: Memory, *, back: bool) -> list[Linked]:
    """Give what a memory's own edges and supersessions lead to: back to where it comes from, or on to what came of it."""
    superseding = [(SUPERSEDES, old) for old in memory.supersedes] if back else [(SUPERSEDES, mark.by) for mark in _standing(memory)]
    return [*((edge.relation, edge.target) for edge in memory.edges if (edge.relation not in FORWARD) == back), *superseding]


def _without_twins(links: Iterable[Linked]) -> list[Linked]:
    """Give the distinct links in order, without the supersession that every merge is too."""
    distinct = list(dict.fromkeys(links))
    merged = {target for relation, target in distinct if relation == MERGED}
    return sorted((link for link in distinct if link[0] != SUPERSEDES or link[1] not in merged), key=_supersessions_last)


def _supersessions_last(link: Linked) -> bool:
    return link[0] in {MERGED, SUPERSEDES}


def _sources(memory: Memory) -> list[str]:
    return [edge.target for edge in memory.edges if edge.relation == DERIVED_FROM]


def _fallen(memory: Memory, scope: str) -> bool:
    return memory.forgotten_at is not None or any(mark.scope in {None, scope} for mark in _standing(memory))


def _standing(memory: Memory) -> list[Supersession]:
    """Give the supersessions that have not been lifted."""
    return [mark for mark in memory.superseded if mark.lifted_at is None]
