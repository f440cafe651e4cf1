"""why: the tree of what a memory comes from, and of what came of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from cued.explain.origins import found, with_origins
from cued.model import MERGED, NOBODY, Kind, Lookup, Memory
from cued.ports import Store
from cued.requests.checks import whole
from cued.stores.arrays import LAST
from cued.stores.standing.felling import unlifted
from cued.stores.standing.judging import table
from cued.stores.standing.why_not import SWEPT

MAX_DEPTH = 20
MAX_LINKS = 20
MAX_NODES = 500
SUPERSEDES = "supersedes"
FORWARD = frozenset({"causes"})
"""The relations whose target comes after their memory; every other points back to what a memory comes from or speaks of."""
Direction = Literal["because", "led to"]
Linked = tuple[str, str]
"""A relation and the id at its other end."""

_ABSENT = ("not stored: erased, or never a memory of this tenant",)


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
    """The tree of what a memory comes from and of what came of it, `depth` links deep each way; cycles end where they close."""
    whole("depth", depth, least=1, most=MAX_DEPTH)
    root = store.get(tenant, [memory_id])[0]
    known = _Known(tenant, store, root)
    because = _Walk(known, "because", root, depth)
    led_to = _Walk(known, "led to", root, depth)
    states = _states(known)
    return Why(
        memory=root,
        state=states[root.id],
        because=because.tree(states),
        led_to=led_to.tree(states),
        left_out=because.left_out[root.id] + led_to.left_out[root.id],
    )


class _Link(NamedTuple):
    relation: str
    target: str
    first: bool


class _Known:
    """The memories read so far, by id."""

    def __init__(self, tenant: str, store: Store, root: Memory) -> None:
        self.tenant, self.store = tenant, store
        self.memories = {root.id: root}

    def read(self, memory_ids: Sequence[str]) -> list[Memory]:
        """The memories of those ids that are stored, in their order; none is read twice."""
        self.memories |= found(self.store, self.tenant, (each for each in memory_ids if each not in self.memories))
        return [self.memories[memory_id] for memory_id in memory_ids if memory_id in self.memories]


def _states(known: _Known) -> dict[str, tuple[str, ...]]:
    """The state of each memory in its own scope, () for one that stands; what was noted counts whenever it holds."""
    memories = with_origins(known.store, known.tenant, known.memories.values())
    gates, states = table(memories), dict[str, tuple[str, ...]]()
    for scope in {memory.scope for memory in known.memories.values()}:
        lookup = Lookup(scope=scope, at=LAST)
        fallen = {"forgotten": gates.struck(lookup, "forgotten"), "stale": gates.struck(lookup, "provenance")}
        # The memories of the trees come first.
        for row, memory in enumerate(memories[: len(known.memories)]):
            if memory.scope == scope:
                states[memory.id] = (*_superseded(memory), *(state for state, rows in fallen.items() if rows[row]))
    return states


def _superseded(memory: Memory) -> list[str]:
    return [f"superseded by {mark.by or SWEPT}" + (f" in {mark.scope}" if mark.scope else "") for mark in unlifted(memory)]


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

    def tree(self, states: Mapping[str, tuple[str, ...]]) -> tuple[Node, ...]:
        """The nodes right below the root, where this has become of the memories."""
        return self._below(self._root, states)

    def _below(self, memory_id: str, states: Mapping[str, tuple[str, ...]]) -> tuple[Node, ...]:
        return tuple(self._node(link, states) for link in self._links.get(memory_id, ()))

    def _unfold(self, level: Sequence[Memory]) -> list[Memory]:
        reached: list[str] = []
        for memory_id, links in self._found(level).items():
            kept = links[: max(0, min(MAX_LINKS, MAX_NODES - len(self._seen)))]
            self.left_out[memory_id] = len(links) - len(kept)
            self._links[memory_id] = [_Link(relation, target, self._is_first(target, reached)) for relation, target in kept]
        return self._known.read(reached)

    def _is_first(self, target: str, reached: list[str]) -> bool:
        first = target not in self._seen
        if first:
            self._seen.add(target)
            reached.append(target)
        return first

    def _found(self, level: Sequence[Memory]) -> dict[str, list[Linked]]:
        """Each memory's links in this walk's direction: its own, and those of the memories that link to it."""
        back = self._direction == "because"
        found = {memory.id: _own_links(memory, back=back) for memory in level}
        for linking in self._known.store.linking(self._known.tenant, list(found)) if found else ():
            for edge in linking.edges:
                if edge.target in found and (edge.relation in FORWARD) == back:
                    found[edge.target].append((edge.relation, linking.id))
        return {memory_id: _without_twins(links) for memory_id, links in found.items()}

    def _node(self, link: _Link, states: Mapping[str, tuple[str, ...]]) -> Node:
        memory = self._known.memories.get(link.target)
        return Node(
            id=link.target,
            relation=link.relation,
            direction=self._direction,
            text=None if memory is None else memory.text,
            kind=None if memory is None else memory.kind,
            state=states.get(link.target, _ABSENT),
            children=self._below(link.target, states) if link.first else (),
            repeated=not link.first,
            left_out=self.left_out[link.target] if link.first else 0,
        )


def _own_links(memory: Memory, *, back: bool) -> list[Linked]:
    """What a memory's own edges and supersessions lead to: back to where it comes from, or on to what came of it."""
    ours, theirs = memory.supersedes, (mark.by for mark in unlifted(memory) if mark.by != NOBODY)
    superseding = [(SUPERSEDES, each) for each in (ours if back else theirs)]
    return [*((edge.relation, edge.target) for edge in memory.edges if (edge.relation not in FORWARD) == back), *superseding]


def _without_twins(links: Iterable[Linked]) -> list[Linked]:
    """The distinct links in order, without the supersession that every merge is too."""
    distinct = list(dict.fromkeys(links))
    merged = {target for relation, target in distinct if relation == MERGED}
    return sorted((link for link in distinct if link[0] != SUPERSEDES or link[1] not in merged), key=_supersessions_last)


def _supersessions_last(link: Linked) -> bool:
    return link[0] in {MERGED, SUPERSEDES}
