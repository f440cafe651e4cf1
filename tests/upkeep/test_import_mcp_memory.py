"""The knowledge graph of the MCP memory server: an observation is a memory about its entity, a relation one about two."""

import json

import pytest

from cued.importers import detect
from tests.upkeep.import_samples import imported, written

LINES = [
    {"type": "entity", "name": "Ada_Lovelace", "entityType": "person", "observations": ["Writes programs", "Ada_Lovelace likes tea"]},
    {"type": "entity", "name": "Analytical Engine", "entityType": "machine", "observations": []},
    {"type": "relation", "from": "Ada_Lovelace", "to": "Analytical Engine", "relationType": "works_on"},
    {"type": "relation", "from": "Ada_Lovelace", "to": "Ada_Lovelace", "relationType": "knows"},
]


@pytest.mark.parametrize("shape", ["lines", "graph"])
def test_observations_and_relations_come_in_as_memories(tmp_path, shape):
    graph = {"entities": LINES[:2], "relations": LINES[2:]}
    path = written(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, LINES)) if shape == "lines" else graph)

    done, found = imported(path)

    assert detect(path) == done.format == "mcp-memory"
    assert done.skipped == {"entity without observations": 1}
    assert sorted((m.text, m.tags) for m in found) == [
        ("Ada_Lovelace knows Ada_Lovelace", ("relation",)),
        ("Ada_Lovelace likes tea", ("person",)),
        ("Ada_Lovelace works on Analytical Engine", ("relation",)),
        ("Ada_Lovelace: Writes programs", ("person",)),
    ]


def test_a_memory_is_about_its_entities_in_the_form_that_a_cue_asks_for_them(tmp_path):
    _, found = imported(written(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, LINES))))

    by_text = {m.text: m for m in found}

    assert "ada_lovelace" in by_text["Ada_Lovelace: Writes programs"].entities
    assert {"ada_lovelace", "analytical engine"} <= set(by_text["Ada_Lovelace works on Analytical Engine"].entities)


def test_a_relation_has_edges_to_what_is_known_of_its_ends(tmp_path):
    _, found = imported(written(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, LINES))))

    by_text = {m.text: m for m in found}
    known = by_text["Ada_Lovelace: Writes programs"].id

    assert [(e.relation, e.target) for e in by_text["Ada_Lovelace works on Analytical Engine"].edges] == [("mentions", known)]
    assert [(e.relation, e.target) for e in by_text["Ada_Lovelace knows Ada_Lovelace"].edges] == [("mentions", known)]


def test_a_second_import_adds_only_new_observations(tmp_path):
    path = written(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, LINES)))
    from_first = {m.id for m in imported(path)[1]}
    grown = [{**LINES[0], "observations": [*LINES[0]["observations"], "Plays chess", "Plays chess"]}, *LINES[1:]]

    done, found = imported(written(path, "\n".join(map(json.dumps, grown))))

    assert done.known == 1
    assert {m.text for m in found if m.id not in from_first} == {"Ada_Lovelace: Plays chess"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "malformed line"),
        ("7", "malformed line"),
        ('{"type": "entity"}', "malformed line"),
        ('{"name": "x", "observations": [7, {}]}', "observation that is no text"),
        ('{"name": "x", "observations": [" "]}', "empty text"),
        ('{"from": " ", "to": "b", "relationType": "r"}', "empty text"),
    ],
)
def test_an_odd_line_is_skipped_with_a_reason(tmp_path, line, reason):
    path = written(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, LINES)) + f"\n{line}\n")

    done, _ = imported(path)

    assert done.stored == 4
    assert reason in done.skipped
