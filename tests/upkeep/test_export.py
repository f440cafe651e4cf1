"""Export and import: what goes out comes back, whatever is wrong in a file is named by its line, and nothing is half stored."""

import json
import subprocess
import sys
import tempfile
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import cued
from cued.conformance.samples import NOW, random_lookup, random_records
from cued.engine import Parts, Question, recall
from cued.errors import InputError, StoreError
from cued.flow.arc import DOCUMENT
from cued.importers.intake import CHUNK
from cued.importers.own import MAX_LINE, bounded_lines, import_export, read_export
from cued.insight.pairs import labels
from cued.model import OWN_TENANT, Cue, Edge, LogQuery, LogRules, RecallEntry, Record, Source, Supersession, Use
from cued.policy.presets import load_policy
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.text.analyse import analyse, searchable
from cued.upkeep import export as exporting
from cued.upkeep.export import export
from tests.fakes import FailingEmbedder, FixedClock, ListEmbedder

WORDS = ("tea", "coffee", "train to Paris", "garden", "unheard of")


def record(memory):
    """Give a record as the tenant's handle would make it, without a vector."""
    return Record(memory=memory, terms=analyse(searchable(memory.text, memory.source.speaker)))


def filled(tenant, random):
    """Give random records with everything that time does to memories."""
    records = []
    for each in random_records(tenant, random):
        memory = replace(
            each.memory,
            source=replace(each.memory.source, speaker=random.choice([None, "user"]), meta={"n": random.random(), "π": "é", "none": None}),
            weight=random.choice([0.1, 0.75, 1.0]),
            importance=random.random(),
            trust=random.choice(["user", "agent"] if each.memory.tier == "core" else ["user", "agent", "tool", "import"]),
            forgotten_at=random.choice([None, None, NOW]),
            supersedes=random.choice([(), tuple(sorted({"m000", "gone"} - {each.memory.id}))]),
            superseded=random.choice([(), (Supersession(by="m001", at=NOW, scope=random.choice([None, "atlas"]), weight_before=0.7),)]),
            edges=random.choice([(), (Edge("derived_from", "m002"), Edge("a word of mine", "gone"))]),
            use=random.choice([Use(), Use(last_at=NOW, previous_at=NOW, count=2.5, counted_at=NOW, boost=1.05)]),
            version=random.randint(1, 9),
        )
        records.append(Record(memory=memory, terms=analyse(searchable(memory.text, memory.source.speaker)), vector=each.vector))
    return records


def entries(random):
    """Give a few lines of a recall log."""
    return [
        RecallEntry(
            recall_id=f"r{number}",
            at=NOW,
            policy="cued",
            outcome=random.choice(["recalled", "below_floor"]),
            candidates=random.randint(0, 40),
            chosen=tuple(f"m{n:03}" for n in range(random.randint(0, 3))),
            best_relevance=random.random(),
            below_floor=3,
            tokens=120,
            total_ms=1.25,
            cited=("m000",),
            found_by=("", "dense"),
            stage_ms={"score": 0.5},
        )
        for number in range(random.randint(0, 4))
    ]


def opened(kind, folder):
    """Give a store of this kind."""
    return Store(MemoryKeeper()) if kind == "memory" else Store(SqliteKeeper(Path(folder, f"{kind}.db")))


def lines_of(store, tenant="t", **options):
    """An export's lines without the seal; the moment of it is the only thing that differs between two of them."""
    *lines, end = export(tenant, store, at=NOW, **options)
    return [*lines, json.dumps({**json.loads(end), "seal": ""}).encode() + b"\n"]


def recalled(store, tenant="t"):
    """Give what a store answers to a few cues, with scores and the rendered block."""
    answers = []
    for number, words in enumerate(WORDS):
        question = Question(tenant=tenant, cue=Cue(utterance=words, now=NOW), recall_id=f"q{number}")
        answer, _ = recall(question, load_policy("cued"), Parts(store=store))
        answers.append((answer.outcome, [(each.memory.id, each.score) for each in answer.memories], answer.block, answer.suppressed))
    return answers


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    store = opened(request.param, tmp_path)
    yield store
    store.close()


@pytest.mark.requirement("X8")
@given(seed=st.integers(0, 2**32), kinds=st.sampled_from([("memory", "sqlite"), ("sqlite", "memory"), ("memory", "memory")]))
def test_an_export_imported_into_an_empty_tenant_exports_the_same_bytes_and_recalls_the_same(seed, kinds):
    random = Random(seed)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        old, new = opened(kinds[0], one), opened(kinds[1], two)
        try:
            old.adopt("t", filled("t", random))
            old.settle("t", (), entries(random))
            if random.random() < 0.5:
                old.swap_document("t", DOCUMENT, old=None, new=b"learnt \xff")
            lines = lines_of(old, vectors=True)

            done = import_export("t", new, lines, at=NOW, embedder=None, believed=True)

            assert done.stored == old.size("t")
            assert lines_of(new, vectors=True) == lines
            assert recalled(new) == recalled(old)
            for _ in range(3):
                lookup = random_lookup(random)
                assert new.search("t", lookup).memories == old.search("t", lookup).memories
        finally:
            old.close()
            new.close()


def test_the_first_line_tells_whose_memories_these_are_when_and_how_many(store):
    store.adopt("t", [record(each.memory) if each.vector is None else each for each in random_records("t", Random(3))])

    header = json.loads(lines_of(store)[0])

    assert header == {"cued": 1, "tenant": "t", "exported_at": "2030-06-01T12:00:00Z", "memories": store.size("t"), "recalls": 0}


def test_an_export_of_nobody_is_a_header_and_an_end(store):
    assert [json.loads(line) for line in lines_of(store, "stranger")][1:] == [{"type": "end", "memories": 0, "recalls": 0, "seal": ""}]


def test_an_import_puts_everything_into_the_tenant_of_the_handle_whoever_the_file_names(store):
    store.adopt("t", filled("t", Random(5)))

    import_export("mine", store, lines_of(store), at=NOW, embedder=None)

    assert store.size("mine") == store.size("t") > 0
    assert {each.memory.tenant for each in store.scan("mine", limit=100)} == {"mine"}
    assert set(store.tenants()) - {OWN_TENANT} == {"t", "mine"}


def test_a_second_import_stores_nothing_and_changes_nothing(store):
    lines = exported_notes(5)
    first = import_export("t", store, lines, at=NOW, embedder=ListEmbedder())
    after = lines_of(store, vectors=True)
    again = ListEmbedder()

    second = import_export("t", store, lines, at=NOW, embedder=again)

    assert (first.stored, first.known) == (5, 0)
    assert (second.stored, second.known) == (0, 5)
    assert again.asked == []
    assert lines_of(store, vectors=True) == after


def test_what_is_known_stays_as_it_is(store):
    lines = exported_notes(3)
    import_export("t", store, [*lines[:2], end(1)], at=NOW, embedder=None)
    store.forget("t", ["n0000"], at=NOW)

    done = import_export("t", store, lines, at=NOW, embedder=None)

    assert (done.stored, done.known) == (2, 1)
    assert store.get("t", ["n0000"])[0].forgotten_at == NOW


def test_an_older_belief_gives_way_when_a_later_export_brings_the_newer_one(tmp_path):
    clock, file = FixedClock(), tmp_path / "export.jsonl"
    memories = cued.open(None, embedder="hashing", clock=clock, settle="now")
    source, target = memories.tenant("source"), memories.tenant("target")
    source.remember("The office is in Berlin.", id="berlin")
    file.write_bytes(b"".join(source.export()))
    target.import_file(file)
    clock.now += timedelta(days=1)
    source.remember("The office is in Lisbon.", id="lisbon", supersedes=["berlin"])
    file.write_bytes(b"".join(source.export()))

    target.import_file(file)

    assert [memory.id for memory in target.list()] == [memory.id for memory in source.list()] == ["lisbon"]
    target.forget("lisbon")
    assert [memory.id for memory in target.list()] == ["berlin"]


class StoppingStore(Store):
    """A store that goes down when it is written to for the n-th time."""

    def __init__(self, writes):
        super().__init__(MemoryKeeper())
        self.left = writes

    def adopt(self, tenant, records):
        self.left -= 1
        if not self.left:
            raise StoreError("the store went down")
        return super().adopt(tenant, records)


def test_an_import_that_was_stopped_between_chunks_ends_the_same_when_it_is_run_again():
    lines = exported_notes(CHUNK * 2 + 10)
    store, whole = StoppingStore(writes=2), Store(MemoryKeeper())

    with pytest.raises(StoreError, match="went down") as stopped:
        import_export("t", store, lines, at=NOW, embedder=None, believed=True)
    half = store.size("t")
    import_export("t", store, lines, at=NOW, embedder=None, believed=True)
    import_export("t", whole, lines, at=NOW, embedder=None, believed=True)

    assert half == CHUNK
    assert any(f"{CHUNK} memories are stored so far" in note for note in stopped.value.__notes__)
    assert lines_of(store) == lines_of(whole)


IMPORTER = """
import sys
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.conformance.samples import NOW
from cued.importers.own import import_export
with open(sys.argv[2], "rb") as file:
    store = Store(SqliteKeeper(sys.argv[1]))
    import_export("t", store, file, at=NOW, embedder=None, believed=True, progress=lambda *each: print(*each, flush=True))
"""


@pytest.mark.parametrize("chunks", [1, 3, 6])
def test_an_import_that_was_killed_ends_the_same_when_it_is_run_again(tmp_path, chunks):
    lines = exported_notes(CHUNK * 8)
    (tmp_path / "notes.jsonl").write_bytes(b"".join(lines))
    arguments = [sys.executable, "-c", IMPORTER, str(tmp_path / "m.db"), str(tmp_path / "notes.jsonl")]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    told = [process.stdout.readline() for _ in range(chunks)]
    process.kill()
    process.communicate()
    store = Store(SqliteKeeper(tmp_path / "m.db"))
    half = store.size("t")

    done = import_export("t", store, lines, at=NOW, embedder=None, believed=True)

    assert half % CHUNK == 0
    assert half >= int(told[-1].split()[0]) == CHUNK * chunks
    assert (done.stored, done.known) == (CHUNK * 8 - half, half)
    assert lines_of(store) == lines
    store.close()


@pytest.mark.requirement("X8")
def test_vectors_are_taken_from_the_file_when_the_same_embedder_made_them():
    maker, taker = ListEmbedder(), ListEmbedder()
    lines = exported_notes(4, embedder=maker, vectors=True)
    new = Store(MemoryKeeper())

    import_export("t", new, lines, at=NOW, embedder=taker, believed=True)

    assert taker.asked == []
    assert lines_of(new, vectors=True)[1:] == lines[1:]


@pytest.mark.requirement("X8")
@pytest.mark.parametrize("vectors", [True, False])
def test_vectors_of_another_embedder_are_made_anew_and_never_mixed(vectors):
    lines = exported_notes(4, embedder=ListEmbedder(name="old", dimensions=32), vectors=vectors)
    taker, new = ListEmbedder(name="new"), Store(MemoryKeeper())

    import_export("t", new, lines, at=NOW, embedder=taker)

    assert len(taker.asked) == 4
    assert {each.memory.fingerprint for each in new.scan("t", limit=9)} == {str(taker.fingerprint)}
    assert {len(each.vector) for each in new.scan("t", limit=9)} == {16}


@pytest.mark.requirement("X8")
def test_a_vector_that_only_claims_to_be_of_this_embedder_is_made_anew():
    lines = exported_notes(1, embedder=ListEmbedder(dimensions=32), vectors=True)
    claimed = json.loads(lines[1]) | {"fingerprint": str(ListEmbedder().fingerprint)}
    new = Store(MemoryKeeper())

    import_export("t", new, [lines[0], json.dumps(claimed).encode(), lines[2]], at=NOW, embedder=ListEmbedder())

    assert [len(each.vector) for each in new.scan("t", limit=9)] == [16]


def test_without_an_embedder_the_vectors_stay_with_the_fingerprint_that_they_have():
    maker = ListEmbedder()
    new = Store(MemoryKeeper())

    import_export("t", new, exported_notes(2, embedder=maker, vectors=True), at=NOW, embedder=None, believed=True)
    pending = import_export("u", new, exported_notes(2, embedder=maker), at=NOW, embedder=None)

    assert {each.memory.fingerprint for each in new.scan("t", limit=9)} == {str(maker.fingerprint)}
    assert pending.stored == 2
    assert new.stats("u", at=NOW).pending_vectors == 2


def test_with_the_embedder_down_memories_come_in_without_vectors_and_the_answer_says_so():
    down, new = FailingEmbedder(), Store(MemoryKeeper())
    down.down = True

    done = import_export("t", new, exported_notes(2), at=NOW, embedder=down)

    assert done.stored == 2
    assert done.degraded == ("vector pending: the embedder is down",)
    assert new.stats("t", at=NOW).pending_vectors == 2


def test_the_recall_log_comes_along_in_its_order_and_only_once(store):
    log = [replace(entry, recall_id=f"r{number}") for number, entry in enumerate(entries(Random(1)) * 300)]
    source = Store(MemoryKeeper())
    source.settle("t", (), log)
    lines = lines_of(source)

    first = import_export("t", store, lines, at=NOW, embedder=None)
    second = import_export("t", store, lines, at=NOW, embedder=None)

    assert (first.recalls, second.recalls) == (len(log), 0)
    assert len(log) > CHUNK
    assert list(store.log("t", LogQuery(limit=10_000))) == [replace(entry, cited=()) for entry in log[::-1]]


def test_a_line_of_the_log_is_never_replaced_whatever_time_the_file_gives_it(store):
    own, *others = [replace(entry, recall_id=f"r{number}") for number, entry in enumerate(entries(Random(1)) * 2)]
    store.settle("t", (), [own])
    source = Store(MemoryKeeper())
    claimed = replace(own, at=own.at - timedelta(days=9), chosen=("m007",))
    source.settle("t", (), [claimed, *others])

    assert import_export("t", store, lines_of(source), at=NOW, embedder=None).recalls == len(others)
    assert list(store.log("t", LogQuery(recall_id=own.recall_id))) == [own]


def test_a_log_that_is_not_believed_teaches_nothing_and_crowds_nobody_out(tmp_path):
    with cued.open(tmp_path / "m.db", embedder=None, settle="now", log=LogRules(rows=5, age=timedelta(days=9), content="last")) as memories:
        mira = memories.tenant("mira")
        mira.remember("Mira prefers tea.", id="tea")
        asked = mira.recall("Mira tea")
        lines = [*map(json.loads, mira.export())]
        recall, end = lines[2], lines[3]
        forged = [
            {**recall, "recall_id": "said", "cited": ["tea"], "evidence": "AAAA"},
            *({**recall, "recall_id": f"ahead-{number}", "at": "9999-12-31T00:00:00Z"} for number in range(9)),
        ]
        written = [lines[0], *forged, {**end, "memories": 0, "recalls": len(forged)}]
        (tmp_path / "forged.jsonl").write_text("\n".join(map(json.dumps, written)))

        assert mira.import_file(tmp_path / "forged.jsonl").skipped == {
            "recall that is yet to come, for the file is not believed": 9,
            "what was learnt or said of recalls, for the file is not believed": 1,
        }
        assert mira.feedback(asked.recall_id, cited=["tea"]) == ("tea",)
        assert [line.cited for line in memories.parts.store.log("mira", LogQuery(recall_id="said"))] == [()]
        assert mira.replay("cued").recalls == 1


def test_progress_hears_of_each_chunk_and_of_the_total():
    heard = []

    import_export("t", Store(MemoryKeeper()), exported_notes(CHUNK + 1), at=NOW, embedder=None, progress=lambda *each: heard.append(each))

    assert heard == [(CHUNK, CHUNK + 1), (CHUNK + 1, CHUNK + 1)]


def note(number=0, **fields):
    """Give a line of an export by hand."""
    plain = {"type": "memory", "id": f"n{number:04}", "text": f"note {number}", "created_at": "2025-01-01T00:00:00Z"}
    return json.dumps({**plain, "updated_at": "2025-01-01T00:00:00Z", **fields}).encode()


def end(memories, recalls=0):
    return json.dumps({"type": "end", "memories": memories, "recalls": recalls}).encode()


HEADER = b'{"cued": 1, "tenant": "t", "exported_at": "2025-01-01T00:00:00Z", "memories": 1, "recalls": 0}'


def exported_notes(count, *, embedder=None, vectors=False):
    """Give the export of a tenant with so many notes."""
    store = Store(MemoryKeeper())
    import_export("t", store, [HEADER, *map(note, range(count)), end(count)], at=NOW, embedder=embedder)
    return lines_of(store, vectors=vectors)


def logged(**fields):
    """Give an entry of the recall log by hand."""
    plain = {"type": "recall", "recall_id": "r", "at": "2025-01-01T00:00:00Z", "policy": "p", "outcome": "recalled", "candidates": 1}
    more = {"chosen": [], "best_relevance": 0.5, "below_floor": 0, "tokens": 1, "total_ms": 0.1}
    return json.dumps({**plain, **more, **fields}).encode()


TRIAL = {"policy": "q", "policy_digest": "", "outcome": "recalled", "best_relevance": 0.5, "tokens": 3}
WRONG = {
    "a field that nobody knows": (note(colour="red"), "colour"),
    "a field inside the source that nobody knows": (note(source={"colour": "red"}), "colour"),
    "a field inside the use that nobody knows": (note(use={"colour": "red"}), "colour"),
    "a field inside an edge that nobody knows": (note(edges=[{"relation": "a", "target": "b", "colour": 1}]), "colour"),
    "a number for a text": (note(text=7), "text"),
    "an empty text": (note(text=" "), "text"),
    "a text that is too long": (note(text="x" * 100_001), "text"),
    "a NUL in an id": (note(id="a\0b"), "id"),
    "an importance of more than one": (note(importance=2), "importance"),
    "a weight below the least": (note(weight=0.01), "weight"),
    "a kind that there is not": (note(kind="vague"), "kind"),
    "a negative count": (note(use={"count": -1}), "use"),
    "a boost of nothing": (note(use={"boost": 0}), "use"),
    "a number that is none": (note().replace(b'"text"', b'"importance": NaN, "text"'), "malformed"),
    "a number beyond all numbers": (note().replace(b'"text"', b'"importance": 1e999, "text"'), "range"),
    "a turn of more than 64 bits": (note(source={"turn": 2**63}), "turn"),
    "a version before the first": (note(version=0), "version"),
    "a time that is none": (note(created_at="yesterday"), "created_at"),
    "a time beyond the calendar": (note(created_at="9999-12-31T23:59:59-23:00"), "created_at"),
    "a memory that supersedes itself": (note(supersedes=["n0000"]), "supersedes"),
    "a vector without a fingerprint": (note(vector="AAAAAA=="), "vector"),
    "a vector that is no base64": (note(vector="!", fingerprint="f"), "vector"),
    "a vector of half a number": (note(vector="AAA=", fingerprint="f"), "vector"),
    "a vector without length": (note(vector="AAAAAA==", fingerprint="f"), "vector"),
    "a line of another kind": (b'{"type": "joke"}', "joke"),
    "a line that is no object": (b"[1]", "line"),
    "a line that is no JSON": (b"{", "line"),
    "bytes that are no text": (note().replace(b"note", b"\xff\xfe"), "line"),
    "brackets without end": (b"[" * 200_000, "line"),
    "a log entry without its fields": (b'{"type": "recall", "recall_id": "r"}', "line"),
    "a log entry of odd numbers": (logged(candidates=-1), "candidates"),
    "a log entry that cannot be added up": (logged(tokens=2**62), "tokens"),
    "a log entry of a time beyond all times": (logged(total_ms=1e300), "total_ms"),
    "a log entry whose trial no store can search": (logged(shadow={**TRIAL, "chosen": ["a\0"]}), "chosen"),
    "a document that Cued does not keep": (b'{"type": "document", "name": "secrets", "data": ""}', "name"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_line_is_an_input_error_that_names_it_and_nothing_of_its_chunk_is_stored(wrong):
    line, named = WRONG[wrong]
    store = Store(MemoryKeeper())

    with pytest.raises(InputError) as refused:
        import_export("t", store, [HEADER, note(7), line, end(2)], at=NOW, embedder=None)

    assert named in str(refused.value)
    assert any("line 3" in told or "line 2 to line 3" in told for told in refused.value.__notes__)
    assert store.size("t") == 0


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([], "header"),
        ([b"", b"  "], "header"),
        ([note()], "header"),
        ([HEADER.replace(b'"cued": 1', b'"cued": 2')], "another version"),
        ([HEADER, note()], "cut short"),
        ([HEADER, note(), end(2)], "1 memories and 0 recalls"),
        ([HEADER, note(), end(1), note(1)], "nothing after the end"),
        ([HEADER, HEADER, end(0)], "line"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(lines, named):
    with pytest.raises(InputError, match=named):
        import_export("t", Store(MemoryKeeper()), lines, at=NOW, embedder=None)


class EndlessFile:
    """A file of one line that goes on for as long as it is read, and tells how much was asked for."""

    def __init__(self):
        self.read = 0

    def readline(self, most=-1):
        assert 0 < most <= MAX_LINE + 2
        self.read += most
        return b"x" * most


def test_a_line_without_end_is_refused_after_the_longest_that_is_accepted():
    file = EndlessFile()

    with pytest.raises(InputError, match="at most 8000000 bytes"):
        import_export("t", Store(MemoryKeeper()), file, at=NOW, embedder=None)

    assert file.read == MAX_LINE + 2


def test_lines_may_be_blank_end_in_crlf_or_begin_with_a_byte_order_mark():
    file = BytesIO(b"\xef\xbb\xbf" + HEADER + b"\r\n\r\n" + note() + b"\r\n" + end(1))

    assert import_export("t", Store(MemoryKeeper()), file, at=NOW, embedder=None).stored == 1


def test_read_export_gives_each_line_with_its_number():
    read = list(read_export([HEADER, b"", note(1), end(1)]))

    assert [each.number for each in read] == [1, 3, 4]
    assert read[1].line.text == "note 1"


def test_chunks_are_bounded_by_size_as_well_as_by_number(monkeypatch):
    monkeypatch.setattr("cued.importers.intake.CHUNK_SIZE", 1000)
    heard = []

    import_export(
        "t",
        Store(MemoryKeeper()),
        [HEADER, *(note(number, text="x" * 400) for number in range(4)), end(4)],
        at=NOW,
        embedder=None,
        progress=lambda done, _: heard.append(done),
    )

    assert heard == [2, 4]


def test_times_of_another_zone_are_stored_as_utc():
    store = Store(MemoryKeeper())

    import_export("t", store, [HEADER, note(created_at="2025-01-01T02:00:00+02:00"), end(1)], at=NOW, embedder=None)

    assert store.get("t", ["n0000"])[0].created_at.isoformat() == "2025-01-01T00:00:00+00:00"


def test_an_export_pages_through_the_store(monkeypatch):
    monkeypatch.setattr(exporting, "PAGE", 2)
    heard = []

    lines = lines_of_many(5, progress=lambda *each: heard.append(each))

    assert [json.loads(line)["id"] for line in lines[1:-1]] == [f"n{number:04}" for number in range(5)]
    assert heard == [(2, 5), (4, 5), (5, 5)]


def lines_of_many(count, **options):
    store = Store(MemoryKeeper())
    import_export("t", store, [HEADER, *map(note, range(count)), end(count)], at=NOW, embedder=None, believed=True)
    return lines_of(store, **options)


def test_bounded_lines_reads_a_file_and_a_list_alike():
    assert list(bounded_lines(BytesIO(b"a\n\nb"))) == list(bounded_lines([b"a\n", b"\n", b"b"])) == [(1, b"a"), (3, b"b")]


def test_a_default_source_is_left_out_of_the_line():
    lines = lines_of_many(1)

    assert json.loads(lines[1]).keys() == {"type", "id", "text", "created_at", "updated_at"}
    assert Source() == Source(meta={})


def test_a_log_of_any_length_is_exported_whole():
    (line,) = entries(Random(1))[:1]
    store = Store(MemoryKeeper(), log_rules=LogRules(rows=200_000))
    store.settle("t", (), [replace(line, recall_id=f"r{number}", at=NOW + timedelta(seconds=number // 3)) for number in range(100_007)])
    lines = lines_of(store)
    assert [json.loads(lines[at])["recalls"] for at in (0, -1)] == [100_007, 100_007]
    assert json.loads(lines[-2])["recall_id"] == "r100006"


def test_what_is_taken_over_of_a_long_log_is_said_where_it_is_not_all():
    log = [replace(entry, recall_id=f"r{number}", evidence=b"{}") for number, entry in enumerate(entries(Random(1)) * 20)]
    old, new = Store(MemoryKeeper(), log_rules=LogRules(content="last")), Store(MemoryKeeper(), log_rules=LogRules(rows=5))
    old.settle("t", (), log)
    assert import_export("t", new, lines_of(old), at=NOW, embedder=None).degraded == (
        "recall log: cues and evidence are left out where this store keeps none",
        "recall log: this store keeps the newest 5 lines, and the file has more",
    )


def test_policies_and_labels_of_a_tenant_come_along_where_the_file_is_believed(tmp_path):
    with cued.open(tmp_path / "m.db", embedder="hashing", settle="now", log=LogRules(content="last")) as memories:
        tenant = memories.tenant("mira")
        tenant.remember("Mira prefers tea.")
        tenant.label(tenant.recall("tea").recall_id, "nothing")
        tenant.policy_save("support")
        (tmp_path / "mira.jsonl").write_bytes(b"".join(tenant.export()))
        before = tenant.policy_history(), labels("mira", memories.parts.store)
        tenant.erase_everything()
        (told,) = tenant.import_file(tmp_path / "mira.jsonl").skipped.items()
        assert told == ("what was learnt or said of recalls, for the file is not believed", 2)
        assert (tenant.policy_history().versions, labels("mira", memories.parts.store)) == ((), ())
        tenant.import_file(tmp_path / "mira.jsonl", as_exported=True)
        assert (tenant.policy_history(), labels("mira", memories.parts.store)) == before
