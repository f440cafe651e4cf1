"""Insight, doctor, replay, tune and label on the command line: text, JSON, a page for a browser, and exit codes."""

import json
import re

import pytest

from cued.handles.memories import open_memories
from tests.insight.simulation import World


@pytest.fixture(scope="module")
def filled(tmp_path_factory, shell_of):
    """A shell on a database with kept traffic of the tenant `me`."""
    folder = tmp_path_factory.mktemp("insight")
    shell = shell_of(folder)
    world = World(path=shell.db, keep="last", embedder="hashing")
    world.tenant = world.memories.tenant("me")
    world.fill(60).ask(240)
    pairs = world.pairs(30)
    world.memories.tenant("other").recall("Anything?")
    world.close()
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)), "utf-8")
    return shell


def test_insight_is_drawn_with_sparklines_and_told_as_json(filled):
    drawn = filled("insight").stdout
    assert "240 recalls from" in drawn
    assert re.search(r"injection rate +\d+ % |injection rate +\d+%", drawn)
    assert set("▁▂▃▄▅▆▇█") & set(drawn)
    told = filled.json("insight", "--by", "policy")
    assert (told["counted"]["recalls"], told["groups"][0]["label"].partition("@")[0]) == (240, "cued")
    everybody = filled.json("insight", "--all-tenants")
    assert [group["label"] for group in everybody["groups"]] == ["me", "other"]
    assert "me" in filled("insight", "--all-tenants").stdout


def test_the_report_is_one_file_that_fetches_nothing(filled, tmp_path):
    result = filled("insight", "--html", str(tmp_path / "report.html"), "--by", "scope")
    assert result.exit_code == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") >= 3
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="', page)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "</html>" in page


def test_insight_of_nothing_is_drawn_and_written_too(cued, tmp_path):
    assert "No recalls." in cued("insight").stdout
    assert cued("insight", "--html", str(tmp_path / "r.html")).exit_code == 0
    assert "No recalls." in cued("insight", "--compare").stdout
    assert cued("insight", "--compare", "--html", "x.html").exit_code == 2


def test_the_doctor_s_exit_code_says_what_it_found(filled, cued):
    result = filled("doctor")
    assert result.exit_code == 6
    assert "The production checklist" in result.stdout
    assert "weak in use" in result.stdout
    told = json.loads(filled("doctor", "--json").stdout)
    assert told["verdict"] == "warn"
    assert {line["name"] for line in told["checklist"]} == {"injection", "lexical", "fading", "variety", "blindness", "budget"}
    assert cued("doctor").exit_code == 0
    assert filled("doctor", "--policy", "dense").exit_code == 1


def test_what_the_doctor_found_stays_beside_its_name_however_narrow_it_is(cued):
    cued.remember("The deploy is on Friday.")
    lines = cued("doctor", env={"COLUMNS": "60"}).stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.split()[1:2] == ["scans"])
    assert lines[at + 1].startswith(" " * 14)


def test_the_doctor_says_how_many_recalls_are_missing(cued):
    cued.remember("The deploy is on Friday.")
    cued.json("recall", "When is the deploy?")
    assert "199 more recalls are needed" in cued("doctor").stdout


def test_replay_is_drawn_as_a_whole_and_side_by_side(filled):
    drawn = filled("replay", "--policy", "rrf", "--last", "100").stdout
    assert "100 recalls under rrf" in drawn
    assert "injection rate" in drawn
    line = next(line for line in filled.json("log", "--limit", "50")["recalls"] if line["chosen"])
    one = filled.json("replay", line["recall_id"], "--policy", "rrf")
    assert one["changed"][0]["places"][0]["before"] == 1
    assert "then" in filled("replay", line["recall_id"], "--policy", "rrf").stdout
    assert filled("replay", "--last", "0").exit_code == 2


def test_tune_tells_what_it_would_do_and_writes_nothing_unless_told(filled):
    drawn = filled("tune", str(filled.db.parent / "pairs.jsonl")).stdout
    assert "30 pairs: 20 searched, the newest 10 held out" in drawn
    assert "share found" in drawn
    assert "injection rate" in filled("tune", "--from", "log").stdout
    assert filled.json("tune", "--from", "log")["version"] is None
    assert "Nothing was learnt" in filled("policy", "history").stdout
    assert filled("tune").exit_code == 2
    assert filled("tune", "--all-tenants").exit_code == 2


def test_a_policy_of_ones_own_is_saved_shown_and_rolled_back(tmp_path, shell_of):
    cued = shell_of(tmp_path)
    cued("remember", "The ferry leaves at nine.")
    (tmp_path / "mine.toml").write_text('name = "mine"\n\n[floor]\nat = 0.1\n', "utf-8")
    drawn = cued("policy", "save", str(tmp_path / "mine.toml"), "--note", "it was too silent").stdout
    assert "1 (applied)" in drawn
    assert "it was too silent" in drawn
    assert cued.json("recall", "When does the ferry leave?")["policy"] == "mine"
    saved = cued.json("policy", "save", "rrf")
    assert (saved["current"], [each["name"] for each in saved["versions"]]) == (2, ["mine", "rrf"])
    changes = {each["path"]: (each["before"], each["after"]) for each in saved["versions"][1]["report"]["changes"]}
    assert changes["floor.at"][0] == "0.1"
    assert cued.json("policy", "rollback")["current"] == 1
    assert cued.json("policy", "rollback")["current"] == 0
    assert cued.json("recall", "When does the ferry leave?")["policy"] == "cued"
    assert cued("policy", "rollback", "--to", "7").exit_code == 2
    assert cued("policy", "save", "no-such-policy").exit_code == 2


def test_recalls_are_judged_one_key_each(filled):
    result = filled("label", "--limit", "4", stdin="rxnsw")
    assert result.exit_code == 0, result.stderr
    assert "Judged 3 recalls" in result.stdout
    assert len(filled.json("label", "--list", "--limit", "5")["recalls"]) == 5
    stopped = filled("label", "--limit", "4", stdin="q")
    assert "Judged 0 recalls" in stopped.stdout
    (first,) = filled.json("label", "--list", "--limit", "1")["recalls"]
    assert filled.json("label", first["recall_id"], "--verdict", "nothing")["verdict"] == "nothing"
    assert filled("label", first["recall_id"]).exit_code == 2
    assert filled("label", "--limit", "2", stdin="").exit_code == 2


def test_nothing_is_to_be_judged_where_nothing_is_kept(cued):
    cued.remember("The deploy is on Friday.")
    cued.json("recall", "When is the deploy?")
    assert "Nothing is to be judged: no kept recall is without a verdict; with --keep last" in cued("label").stdout


def test_recalls_are_kept_when_told_so(cued):
    cued.remember("The deploy is on Friday.")
    cued.json("recall", "When is the deploy?", "--keep", "last")
    assert cued.json("log", "--content")["recalls"][0]["cue"] == "When is the deploy?"
    assert cued.json("replay", "--policy", "rrf")["recalls"] == 1
    assert cued("recall", "tea", "--keep", "all").exit_code == 2


def test_a_file_of_cues_is_recalled_line_by_line(cued, tmp_path):
    cued.remember("The deploy is on Friday.")
    (tmp_path / "cues.jsonl").write_text('{"text": "When is the deploy?"}\n\n{"text": "egg?", "limit": 1}\n', "utf-8")
    answers = [json.loads(line) for line in cued("recall", "--jsonl", str(tmp_path / "cues.jsonl")).stdout.splitlines()]
    assert [answer["outcome"] for answer in answers] == ["recalled", "below_floor"]
    assert len(cued.json("log")["recalls"]) == 2
    refused = cued("recall", "--jsonl", "-", stdin="no json\n")
    assert (refused.exit_code, "line 1" in refused.stderr) == (2, True)
    assert cued("recall", "tea", "--jsonl", str(tmp_path / "cues.jsonl")).exit_code == 2


def test_the_policies_on_trial_are_compared(tmp_path, shell_of):
    cued = shell_of(tmp_path)
    with open_memories(cued.db, embedder="hashing", settle="now", shadow="rrf") as memories:
        memories.tenant("me").remember("The deploy is on Friday.")
        for _ in range(3):
            memories.tenant("me").recall("When is the deploy?")
    drawn = cued("insight", "--compare").stdout
    assert "On trial beside cued: rrf" in drawn
    assert "197 more recalls are needed" in drawn
