"""Markdown notes: what a block is, what it is about, and what is left alone in a folder."""

import os
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.errors import InputError
from cued.importers import detect, markdown
from cued.importers.notes import blocks, split
from tests.upkeep.import_samples import imported, utc, written

COFFEE = """---
title: "Coffee Brewing"
type: note
permalink: coffee/brewing
tags: [coffee, '#brewing']
created: 2025-01-05
aliases:
  - Brewing
---
# Coffee Brewing

Pour over takes four minutes,
all in all.

## Observations
- [method] Grind before brewing #fresh (learnt in Oslo)
- [ ] buy filters
- [x] clean the kettle
* Plain item with [[Water|good water]]
    - nested detail
1. First step

## Relations
- requires [[Proper Grinding]] (always)
- [[Tea Brewing]]

---
```python
- [not] an item

# not a heading
```
"""


def test_a_note_gives_paragraphs_items_observations_and_relations(tmp_path):
    path = written(tmp_path / "Coffee.md", COFFEE)

    done, found = imported(path)

    assert detect(path) == done.format == "markdown"
    assert sorted((m.text, m.tags) for m in found) == [
        ("Coffee Brewing > Observations: First step", ("coffee", "brewing")),
        ("Coffee Brewing > Observations: Grind before brewing #fresh (learnt in Oslo)", ("method", "fresh", "coffee", "brewing")),
        ("Coffee Brewing > Observations: Plain item with good water\n    - nested detail", ("coffee", "brewing")),
        ("Coffee Brewing > Observations: buy filters", ("todo", "coffee", "brewing")),
        ("Coffee Brewing > Observations: clean the kettle", ("done", "coffee", "brewing")),
        ("Coffee Brewing > Relations: ```python\n- [not] an item\n\n# not a heading\n```", ("coffee", "brewing")),
        ("Coffee Brewing relates to Tea Brewing", ("relation", "coffee", "brewing")),
        ("Coffee Brewing requires Proper Grinding (always)", ("relation", "coffee", "brewing")),
        ("Coffee Brewing: Pour over takes four minutes,\nall in all.", ("coffee", "brewing")),
    ]


def test_a_memory_knows_its_note_its_heading_and_whom_it_is_about(tmp_path):
    _, found = imported(written(tmp_path / "Coffee.md", COFFEE))

    required = next(m for m in found if "requires" in m.text)

    assert {"coffee brewing", "proper grinding"} <= set(required.entities)
    assert required.source.session == "markdown:coffee/brewing"
    assert required.source.meta == {"note": "Coffee Brewing", "heading": "Relations", "type": "note"}
    assert (required.trust, required.created_at) == ("import", utc(2025, 1, 5))


def test_a_folder_is_read_with_its_folders_and_a_second_time_stores_nothing(tmp_path):
    written(tmp_path / "a.md", "Alpha.")
    written(tmp_path / "deep/er/b.markdown", "Beta.")
    written(tmp_path / ".obsidian/c.md", "Hidden.")
    written(tmp_path / "d.txt", "Not Markdown.")

    done, found = imported(tmp_path)

    assert detect(tmp_path) == "markdown"
    assert {(m.text, m.source.session) for m in found} == {("a: Alpha.", "markdown:a.md"), ("b: Beta.", "markdown:deep/er/b.markdown")}
    assert [m.id for m in imported(tmp_path)[1]] == [m.id for m in found]
    assert done.skipped == {}


def test_an_edited_note_adds_what_is_new(tmp_path):
    path = written(tmp_path / "a.md", "One.\n\nTwo.")
    before = {m.id for m in imported(path)[1]}

    _, found = imported(written(path, "One.\n\nTwo, or three."))

    assert {m.text for m in found if m.id not in before} == {"a: Two, or three."}


def test_a_daily_note_is_of_its_day_and_any_other_as_old_as_its_file(tmp_path):
    written(tmp_path / "2024-02-29.md", "Leapt.")
    os.utime(written(tmp_path / "plain.md", "Stood."), (1_700_000_000, 1_700_000_000))

    _, found = imported(tmp_path)

    assert [m.created_at for m in found] == [datetime.fromtimestamp(1_700_000_000, UTC), utc(2024, 2, 29)]


def test_links_pipes_and_broken_notes_in_a_folder_are_skipped_with_reasons(tmp_path):
    outside = written(tmp_path / "outside/secret.md", "Secret.")
    vault = tmp_path / "vault"
    written(vault / "good.md", "Good.")
    written(vault / "latin.md", b"caf\xe9")
    written(vault / "large.md", b"x" * (markdown.MAX_NOTE + 1))
    (vault / "link.md").symlink_to(outside)
    (vault / "linked").symlink_to(outside.parent)
    os.mkfifo(vault / "pipe.md")

    done, found = imported(vault)

    assert [m.text for m in found] == ["good: Good."]
    assert done.skipped == {
        "note of more than 4000000 bytes": 1,
        "note that cannot be read": 1,
        "note that is not UTF-8": 1,
        "symbolic link": 1,
    }


@pytest.mark.parametrize("data", [b"caf\xe9", b"x" * (markdown.MAX_NOTE + 1)])
def test_a_single_note_that_cannot_be_read_is_an_input_error(tmp_path, data):
    with pytest.raises(InputError, match="Markdown"):
        imported(written(tmp_path / "a.md", data))


def test_a_folder_without_notes_or_with_too_much_is_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="at least one Markdown file"):
        imported(tmp_path)
    written(tmp_path / "a.md", "Alpha.")
    written(tmp_path / "b.md", "Beta.")
    with pytest.raises(InputError, match="at most 8 bytes"):
        imported(tmp_path, max_bytes=8)
    monkeypatch.setattr(markdown, "MAX_NOTES", 1)
    with pytest.raises(InputError, match="at most 1 notes"):
        imported(tmp_path)


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("---\na: b\n---\nbody", {"a": "b"}),
        ("---\r\na: 'b c'\r\n---\r\nbody", {"a": "b c"}),
        ('---\nlist:\n  - one\n  - "two"\n---\n', {"list": ("one", "two")}),
        ("---\nnested:\n  deep: 1\n---\n", {"nested": ""}),
        ("---\na: [x, , 'y']\n...\n", {"a": ("x", "y")}),
        ("---\nnever ends", {}),
        ("no matter", {}),
        ("", {}),
    ],
)
def test_front_matter_is_read_without_a_yaml_library(text, matter):
    assert split(text)[0] == matter


@given(st.text(alphabet="-#*>[]()!`~:|x1. \t\n\r\u2028é", max_size=400))
def test_any_text_at_all_gives_blocks(text):
    _, body = split(text)

    assert all(block.text.strip() for block in blocks(body) if block.kind == "paragraph")


REPEATED = {
    "a heading of spaces": ("# " + " " * 500_000, 0),
    "a line of dashes": ("- " * 250_000, 0),
    "an observation of brackets": ("- [ab] x" + "(" * 500_000 + ")", 1),
    "links that never close": ("[[" * 250_000, 0),
    "blank lines": ("\n " * 250_000, 0),
    "a line of hashes": ("#" * 500_000, 0),
    "rules": ("---\n" * 100_000, 0),
    "an item of half links": ("- [a](" * 80_000, 1),
    "items": ("- x\n" * 100_000, 100_000),
    "fences that open and close": ("```\nx\n```\n" * 50_000, 334),
    "a fence that never closes": ("```\n" + "x" * 3000, 3),
}


@pytest.mark.parametrize("repeated", REPEATED)
def test_a_note_of_one_thing_over_and_over_is_read_like_any_other(repeated):
    text, expected = REPEATED[repeated]

    assert len(list(blocks(text))) == expected
