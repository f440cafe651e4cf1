"""The knowledge graph of the official MCP memory server: entities with observations, and relations between them, one a line."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Raw, Struct, field

from cued.importers.drafting import drafted, names, short, shorts, source_id
from cued.importers.files import MAX_BYTES, Member, decoded, members, rows
from cued.importers.intake import Skipped
from cued.requests.draft import Draft
from cued.text.entities import entities

WHAT = "the memory.jsonl of the official MCP memory server, or the JSON that its read_graph gives"
WANTED = re.compile(r".*\.jsonl?")


class _Entity(Struct):
    name: str
    entityType: str = ""  # noqa: N815 - as the file calls it
    observations: list[Any] = field(default_factory=list)


class _Relation(Struct, rename={"source": "from", "target": "to", "relation": "relationType"}):
    source: str
    target: str
    relation: str


class _Graph(Struct):
    entities: list[Raw] | None = None
    relations: list[Raw] | None = None


def read(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Draft | Skipped]:
    """A draft for each observation, and one for each relation with edges to what is known of its two ends."""
    for member in members(path, WANTED, max_bytes=max_bytes):
        first: dict[str, str] = {}
        related: list[_Relation] = []
        for raw in _nodes(member):
            relation, entity = decoded(raw, _Relation), decoded(raw, _Entity)
            if relation is not None:
                related.append(relation)
            elif entity is not None:
                yield from _observations(entity, first)
            else:
                yield Skipped("malformed line")
        yield from (_relation(each, first) for each in related)


def _nodes(member: Member) -> Iterator[Raw]:
    for raw in rows(member):
        graph = decoded(raw, _Graph) or _Graph()
        whole = graph.entities is not None or graph.relations is not None
        yield from [*(graph.entities or ()), *(graph.relations or ())] if whole else [raw]


def _observations(entity: _Entity, first: dict[str, str]) -> Iterator[Draft | Skipped]:
    if not entity.observations:
        yield Skipped("entity without observations")
    for observation in entity.observations:
        if not isinstance(observation, str):
            yield Skipped("observation that is no text")
            continue
        called = source_id("mcp-memory", entity.name, observation)
        first.setdefault(entity.name, called)
        text = observation if entity.name.casefold() in observation.casefold() else f"{entity.name}: {observation}"
        about = shorts((*names(entity.name), *entities(text)))
        yield drafted(text, id=called, entities=about, tags=shorts(entity.entityType)) if observation.strip() else drafted("")


def _relation(relation: _Relation, first: Mapping[str, str]) -> Draft | Skipped:
    ends = (relation.source, relation.target)
    text = f"{relation.source} {relation.relation.replace('_', ' ')} {relation.target}"
    return drafted(
        text if all(map(short, (*ends, relation.relation))) else "",
        id=source_id("mcp-memory", relation.source, relation.relation, relation.target),
        entities=names(*ends),
        tags=("relation",),
        edges=tuple(("mentions", first[end]) for end in dict.fromkeys(ends) if end in first),
    )
