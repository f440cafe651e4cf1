"""Upkeep on the command line: shown before it is done, undone when asked, and nothing lost without a word."""

import json
import shlex
from contextlib import closing

import apsw
import pytest

from cued.handles.memories import open_memories
from cued.stores.keepers.sqlite import page_sums
from cued.surfaces.verbs import call

TEA, TEA_AGAIN = "Alice prefers tea to coffee.", "Alice prefers tea to coffee"
EXPIRED = ("--at", "2025-01-05", "--ttl", "2d")


@pytest.fixture
def twins(cued):
    """Give a shell whose store has a near-duplicate, two that differ in a number, and the ids of the first two."""
    older = cued.remember(TEA, "--at", "2025-01-01")
    newer = cued.remember(TEA_AGAIN, "--at", "2025-01-02", "--no-conflicts")
    cued.remember("The staging deploy runs on port 8080 every Friday.", "--at", "2025-01-03")
    cued.remember("The staging deploy runs on port 9090 every Friday.", "--at", "2025-01-04", "--no-conflicts")
    return cued, older, newer


@pytest.mark.requirement("S5")
def test_consolidation_is_shown_before_it_is_done(twins):
    cued, older, newer = twins
    answer = cued.json("consolidate", "--at-least", "0.7")
    assert list(answer) == ["applied", "at_least", "scanned", "compared", "merges", "spared", "skipped"]
    (merge,) = answer["merges"]
    assert list(merge) == ["newer", "older", "similarity", "text_newer", "text_older", "version_newer", "version_older"]
    assert (merge["older"], merge["newer"], answer["applied"]) == (older, newer, False)
    assert "8080" in answer["spared"][0]["reason"]
    drawn = cued("consolidate", "--at-least", "0.7").stdout
    for said in ("gives way", older, newer, "Spared, though they look alike", "1 would give way; --apply lets them"):
        assert said in drawn
    assert cued.json("list")["total"] == 4


@pytest.mark.requirement("S5")
@pytest.mark.parametrize("which", [1, 2], ids=["by the one that gave way", "by the one that stayed"])
def test_a_merge_is_done_listed_and_undone_and_stays_undone(twins, which):
    cued, older, newer = twins
    assert cued.json("consolidate", "--apply")["merges"][0]["older"] == older
    assert cued.json("list")["total"] == 3
    (standing,) = cued.json("consolidate", "--list")["merges"]
    assert (standing["older"], standing["newer"]) == (older, newer)
    assert older in cued("consolidate", "--list").stdout
    assert cued.json("consolidate", "--undo", twins[which]) == {"restored": [older]}
    assert cued("consolidate", "--list").stdout == "No merges.\n"
    assert "Nothing would give way" in cued("consolidate").stdout
    assert cued.json("list")["total"] == 4


@pytest.mark.requirement("S5")
def test_one_of_several_merges_into_a_memory_is_undone_alone(cued):
    ids = [cued.remember(TEA, "--at", f"2025-01-0{day}", "--no-conflicts") for day in (1, 2, 3)]
    assert len(cued.json("consolidate", "--apply")["merges"]) == 2
    assert cued("consolidate", "--undo", ids[0]).stdout == f"Restored: {ids[0]}\n"
    assert {memory["id"] for memory in cued.json("list")["memories"]} == {ids[0], ids[2]}
    refused = cued("consolidate", "--undo", ids[1], "nope")
    assert refused.exit_code == 2
    assert len(cued.json("consolidate", "--list")["merges"]) == 1


@pytest.mark.requirement("M5")
def test_a_sweep_is_shown_first_and_then_erases_what_has_expired(cued):
    gone = cued.remember("The wifi code of the week is 1234.", *EXPIRED)
    kept = cued.remember(TEA, "--ttl", "30d")
    answer = cued.json("sweep")
    assert [row["id"] for row in answer["expired"]] == [gone]
    assert (answer["applied"], answer["erased"], answer["expired"][0]["expires_at"]) == (False, [], "2025-01-07T00:00:00Z")
    assert "2025-01-07 00:00  The wifi code" in cued("sweep", "--grace", "7d").stdout
    assert cued.json("sweep", "--grace", "9000d")["expired"] == []
    assert cued("sweep", "--apply").exit_code == 2
    assert cued.json("get", gone)["id"] == gone
    assert cued.json("sweep", "--apply", "--yes") == {"applied": True, "expired": [], "erased": [gone]}
    assert cued("sweep").stdout == "Nothing has expired.\n"
    assert cued("get", gone).exit_code == 3
    assert cued.json("get", kept)["id"] == kept


@pytest.mark.requirement("F10")
def test_cool_memories_are_listed_with_why_and_the_command_that_hides_them(cued):
    cool = cued.remember(TEA, "--at", "2025-01-01", "--importance", "0.1")
    cued.remember("Mira is allergic to peanuts.", "--at", "2025-01-01", "--importance", "0.9")
    answer = cued.json("cool")
    (row,) = answer["memories"]
    assert row["id"] == cool
    assert row["reason"].startswith("never recalled, ")
    assert 0 < row["coolness"] < 1
    drawn = cued("cool").stdout
    assert row["reason"] in drawn
    assert drawn.splitlines()[-1] == f"cued forget {cool}" == answer["cli"]
    assert cued(*shlex.split(answer["cli"])[1:]).exit_code == 0
    assert cued("cool").stdout == "Nothing has cooled.\n"
    assert cued.json("cool", "--importance-below", "0", "--older-than", "1d") == {"memories": [], "cli": ""}
    assert cued.json("forget", "--undo", cool) == {"restored": [cool]}
    assert cued.json("cool", "--tenant", "me")["cli"] == f"cued forget {cool} --tenant me"


@pytest.mark.requirement("X8")
def test_vectors_of_another_embedder_are_made_anew(cued):
    cued.json("remember", TEA, "--embedder", "none")
    cued.remember("Mira is allergic to peanuts.")
    assert cued.json("stats")["pending_vectors"] == 1
    answer = cued.json("reembed")
    assert (answer["done"], answer["left"], answer["failed"]) == (1, 0, [])
    assert cued.json("stats")["by_fingerprint"] == {answer["fingerprint"]: 2}
    assert cued("reembed").stdout == f"Embedded: 0 memories with {answer['fingerprint']}; 0 left\n"


def test_an_export_goes_to_a_file_or_to_stdout_and_comes_back_whole(cued, tmp_path):
    old = cued.remember("The ledger runs on MySQL.")
    new = cued.remember("The ledger runs on Postgres.", "--supersedes", old)
    cued.json("recall", "ledger", "--floor", "0")
    file = tmp_path / "out.jsonl"
    answer = cued.json("export", str(file))
    assert (answer["memories"], answer["recalls"], answer["bytes"]) == (2, 1, file.stat().st_size)
    streamed = cued("export").stdout.splitlines()
    *written, end = file.read_text("utf-8").splitlines()
    assert streamed[1:-1] == written[1:]
    # The seal is over the first line too, which has the time of the export.
    assert json.loads(streamed[-1]) | {"seal": ""} == json.loads(end) | {"seal": ""}
    assert [json.loads(line)["id"] for line in streamed[1:3]] == [old, new]
    assert '"vector"' not in streamed[1]
    assert '"vector"' in cued("export", "--vectors").stdout
    moved = cued.json("import", str(file), "--tenant", "bob")
    assert (moved["format"], moved["stored"], moved["known"], moved["recalls"], moved["skipped"]) == ("cued", 2, 0, 1, {})
    assert cued("import", str(file), "--tenant", "bob").stdout == "Imported (cued): 0 memories, 2 known already\n"
    assert cued.json("get", old, "--tenant", "bob")["superseded"] == cued.json("get", old)["superseded"]


def test_an_export_that_fails_leaves_the_file_that_was_there(cued, tmp_path):
    cued.remember(TEA)
    file = tmp_path / "out.jsonl"
    file.write_text("mine", "utf-8")
    assert cued("export", str(file)).exit_code == 2
    assert file.read_text("utf-8") == "mine"
    assert cued("export", str(file), "--overwrite", "--db", __file__).exit_code == 4
    assert file.read_text("utf-8") == "mine"
    assert cued("export", str(file), "--overwrite").stdout.startswith("Exported: 1 memory and 0 lines of the recall log to ")
    assert sorted(path.name for path in tmp_path.iterdir() if "partial" in path.name) == []


def test_an_import_names_the_format_and_says_what_was_left_out_and_why(cued, tmp_path):
    rows = [{"id": "1", "memory": "Likes tea.", "user_id": "u"}, {"id": "2", "memory": " ", "user_id": "u"}]
    (tmp_path / "rows.json").write_text(json.dumps(rows), "utf-8")
    answer = cued.json("import", str(tmp_path / "rows.json"), "--scope", "kitchen")
    assert (answer["format"], answer["stored"]) == ("mem0", 1)
    assert sum(answer["skipped"].values()) == 1
    assert cued.json("list")["memories"][0]["scope"] == "kitchen"
    told = cued("import", str(tmp_path / "rows.json")).stdout.splitlines()
    assert told[0] == "Imported (mem0): 0 memories, 1 known already"
    assert told[1].startswith("Left out: 1 × ")


def test_a_backup_is_a_database_and_restores_into_one(cued, tmp_path):
    found = cued.remember(TEA)
    copy = tmp_path / "copy.db"
    answer = cued.json("backup", str(copy))
    assert answer == {"path": str(copy), "bytes": copy.stat().st_size, "schema": answer["schema"]}
    assert cued.json("get", found, "--db", str(copy))["text"] == TEA
    cued.json("forget", found, "--erase", "--yes")
    refused = cued("restore", str(copy))
    assert (refused.exit_code, "--overwrite replaces it" in refused.stderr) == (4, True)
    assert cued("get", found).exit_code == 3
    assert cued("restore", str(copy), "--overwrite").stdout.startswith(f"Copied: {copy} to {cued.db}")
    assert cued.json("get", found)["text"] == TEA
    assert cued.json("restore", str(copy), "--db", str(tmp_path / "new.db"))["bytes"] == copy.stat().st_size


@pytest.mark.parametrize(("left", "least"), [(0.97, 40), (0.75, 20)])
def test_of_a_file_whose_end_is_missing_a_repair_keeps_what_is_left(cued, left, least):
    ids = {cued.remember(f"The lighthouse of island {number} was painted in {1900 + number}.") for number in range(40)}
    whole = cued.db.read_bytes()
    cued.db.write_bytes(whole[: int(left * len(whole))])
    told = cued("check")
    assert (told.exit_code, ".partial" in told.stdout) == (4, False)
    assert f"the last {len(whole) - cued.db.stat().st_size} bytes of the file are missing" in told.stdout
    assert "`cued check --repair` keeps what is whole" in told.stdout
    repaired = json.loads(cued("check", "--repair", "--json").stdout)
    kept = repaired["kept"]
    assert kept >= least
    assert kept + len(repaired["aside"]) == len(ids)
    assert cued.json("check")["ok"]
    found = cued.json("list", "--limit", "100")["memories"]
    assert {each["id"] for each in found} <= ids
    assert len(found) == kept
    assert not list(cued.db.parent.glob(".*partial*"))


@pytest.mark.parametrize("left", [50, 5000])
def test_a_file_of_which_nothing_is_left_is_told_what_mends_it_and_that_does(cued, tmp_path, left):
    cued.remember(TEA)
    copy = tmp_path / "copy.db"
    assert cued("backup", str(copy)).exit_code == 0
    cued.db.write_bytes(cued.db.read_bytes()[:left])
    told = cued("check")
    assert told.exit_code == 4
    assert "--repair" not in told.stdout
    assert "`cued restore BACKUP --overwrite` makes it anew" in told.stdout
    assert "`cued check` says" in cued("list").stderr
    refused = cued("check", "--repair")
    assert (refused.exit_code, "cued restore" in refused.stderr) == (4, True)
    assert cued("restore", str(copy), "--overwrite").exit_code == 0
    assert cued.json("list")["total"] == 1


def test_a_file_of_a_newer_cued_needs_that_and_no_backup(cued):
    cued.remember(TEA)
    with closing(apsw.Connection(str(cued.db), vfs=page_sums.file_system())) as connection:
        connection.pragma("user_version", 99)
    for args in (("check",), ("check", "--repair")):
        result = cued(*args)
        assert (result.exit_code, "written by a newer Cued" in result.output, "restore" in result.output) == (4, True, False)


def test_a_restore_makes_the_usual_folder(cued, tmp_path):
    cued.remember(TEA)
    cued.json("backup", str(tmp_path / "copy.db"))
    usual = {"CUED_DB": "", "XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path)}
    result = cued("restore", str(tmp_path / "copy.db"), env=usual)
    assert result.exit_code == 0, result.stderr
    assert len(list(tmp_path.rglob("memories.db"))) == 2


@pytest.mark.requirement("X9")
def test_erasing_a_tenant_leaves_no_byte_of_it_and_nothing_of_others_is_touched(cued):
    cued.remember("The password hint is a quokka.", "--tenant", "mira")
    kept = cued.remember(TEA)
    cued.json("recall", "quokka", "--tenant", "mira", "--floor", "0")
    answer = cued.json("forget", "--all", "--erase", "--yes", "--tenant", "mira")
    assert answer == {"erased": True, "everything": True, "memories": 1, "gone": True, "pending": []}
    files = [path.read_bytes() for path in cued.db.parent.iterdir()]
    assert not any(b"quokka" in data or b"mira" in data for data in files)
    assert cued.json("get", kept)["text"] == TEA
    told = cued("forget", "--all", "--erase", "--yes", "--tenant", "mira").stdout
    assert told == "Erased: everything that was kept for mira, 0 memories; their bytes are gone\n"


def test_the_tenants_of_a_store_are_named_to_whoever_opens_it(tmp_path):
    with open_memories(tmp_path / "m.db", embedder=None) as memories:
        for name in ("mira", "jonas"):
            memories.tenant(name).remember(TEA)
        assert memories.tenants() == ("jonas", "mira")
        heard = []
        copied = call("backup", memories, {"path": str(tmp_path / "copy.db")}, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1][0] == heard[-1][1] > 0
    with open_memories(copied["path"], embedder=None, readonly=True) as memories:
        assert memories.tenants() == ("jonas", "mira")


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("consolidate", {"aply": True}),
        ("sweep", {"grace": []}),
        ("cool", {"older": "90d"}),
        ("timeline", {"id": "x", "at": "2025-01-01"}),
        ("timeline", {}),
        ("bootstrap", {"budget_tokens": "many"}),
        ("remember", {"text": "x", "conflicts": "no"}),
    ],
)
def test_a_bad_request_is_refused_by_field(tenant, verb, body):
    with pytest.raises(ValueError, match=r"accepted: |known: "):
        call(verb, tenant, body)


def test_stored_text_cannot_steer_the_terminal_in_any_view(cued):
    evil = "\x1b[31mThe ledger\x1b[0m runs on MySQL \u202e [bold]x[/bold]\r"
    old = cued.json("remember", "-", "--at", "2025-01-01", "--importance", "0.1", "--ttl", "1d", stdin=evil)["id"]
    new = cued("remember", "-", "--at", "2025-01-02", "--derived-from", old, "--importance", "0.1", stdin=evil).stdout.strip()
    views = [("why", new), ("timeline", new), ("sweep",), ("cool",), ("consolidate", "--at-least", "0.5"), ("bootstrap",)]
    told = [cued("remember", "-", stdin=evil), *(cued(*view) for view in views)]
    for result in told:
        assert "The ledger" in result.stdout + result.stderr
        assert not {"\x1b", "\r", "\u202e"} & set(result.stdout + result.stderr)
