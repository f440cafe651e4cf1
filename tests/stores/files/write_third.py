"""Writes third.db and third.json with a Cued of the third schema, from before the log had columns: `PYTHONPATH=… python write_third.py`.

The database has beliefs, forgotten memories, uses, feedback, a learnt document and two tenants; the JSON has what that Cued found.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cued
from cued.model import DenseLookup, EntityLookup, Filter, LexicalLookup, Lookup
from cued.text.analyse import query_terms
from cued.text.entities import entities

HERE = Path(__file__).parent
CUES = ("Where does Ada live?", "What is the deploy day?", "tea or coffee", "Grace and the compiler", "what happened in January")
COLUMNS = ("lexical_rank", "dense_rank", "entity_rank", "bm25", "cosine", "entities", "coverage", "cosine_before", "bm25_after", "length")


class Clock:
    """Goes on by an hour a look."""

    def __init__(self):
        self.now = datetime(2030, 1, 1, tzinfo=UTC)

    def __call__(self):
        self.now += timedelta(hours=1)
        return self.now


def found(store, embedder, *, at):
    """Give what each cue finds in each scope, now and as of some days before: ids, counts and columns."""
    answers = []
    for cue in CUES:
        for scope, days in (("global", 0), ("work", 0), ("global", 1), ("work", 1)):
            lookup = Lookup(
                scope=scope,
                at=at - timedelta(days=days),
                as_of=days > 0,
                lexical=LexicalLookup(terms=query_terms(cue), pool=20, k1=1.2, b=0.75, delta=0.5),
                dense=DenseLookup(vector=embedder.embed([cue], role="query")[0], fingerprint=str(embedder.fingerprint), pool=20),
                entity=EntityLookup(names=entities(cue), pool=20),
                context=1,
                core=True,
            )
            read = store.search("ada", lookup)
            columns = {name: read.columns[name].astype("<f8").tobytes().hex() for name in COLUMNS}
            answers.append([[memory.id for memory in read.memories], [memory.id for memory in read.core], read.struck, columns])
    return answers


def as_line(entry, cited, bad):
    """Give a line of the log as the JSON has it."""
    told = [entry.recall_id, entry.at.isoformat(), entry.policy, entry.outcome, entry.candidates, list(entry.chosen)]
    return [*told, entry.best_relevance, entry.below_floor, entry.tokens, entry.total_ms, list(cited), list(bad)]


def kept(store):
    """Give every memory of the tenant as the JSON has it."""
    memories = store.list("ada", Filter(hidden=True), at=datetime(2031, 1, 1, tzinfo=UTC), limit=100).memories
    return {each.id: [each.text, each.version, each.weight, each.use.count, each.use.boost, list(each.tags)] for each in memories}


def write(path):
    """Write the database and give what it holds."""
    clock = Clock()
    with cued.open(path, embedder="hashing", clock=clock, settle="now") as memories:
        ada, store = memories.tenant("ada"), memories.parts.store
        old = ada.remember("Ada lives in Paris.", tags=["home"]).id
        ada.remember("Ada lives in Berlin now, with Grace.", supersedes=[old], importance=0.9)
        gone = ada.remember("The deploy day is Monday.").id
        ada.remember("The deploy day is Thursday.", tier="core", kind="procedural")
        for number in range(20):
            scope = "work" if number % 5 == 0 else "global"
            ada.remember(f"On day {number} Ada drank tea and Grace mended the compiler.", session="s1", scope=scope, conflicts=False)
        ada.remember("Ada prefers coffee in the morning.", ttl="30d", meta={"mood": "good", "strength": 3})
        ada.update(gone, text="The deploy day was Monday.", tags=["past"])
        ada.forget(gone)
        for cue in CUES:
            recall = ada.recall(cue)
            chosen = [each.memory.id for each in recall.memories]
            if chosen:
                ada.feedback(recall.recall_id, cited=chosen[:1], bad=chosen[1:2])
        store.keep_document("ada", "arc", lambda _: b"learnt \xff")
        memories.tenant("bo").remember("Bo is somebody else, and knows Ada.")
        return {
            "at": clock.now.isoformat(),
            "found": found(store, memories.parts.embedder, at=clock.now),
            "kept": kept(store),
            "log": [as_line(entry, entry.detail.get("cited", ()), entry.detail.get("bad", ())) for entry in ada.log()],
        }


if __name__ == "__main__":
    for name in ("third.db", "third.json"):
        (HERE / name).unlink(missing_ok=True)
    (HERE / "third.json").write_text(json.dumps(write(HERE / "third.db")) + "\n")
