"""Every command and every option of the command line, in this process."""

import json
import re
import shutil
from importlib import import_module
from pathlib import Path

import click
import pytest

from cued.engine.envelope import Envelope
from cued.surfaces.cli import root
from cued.surfaces.cli.root import COMMANDS, cued_command

PEANUTS = "Mira is allergic to peanuts."
CUE = ("peanuts", "--floor", "0")


def commands():
    """Give every command that does something, with its path."""
    for name in COMMANDS:
        command = cued_command.get_command(None, name)
        if isinstance(command, click.Group):
            yield from (((name, inner), command.commands[inner]) for inner in command.commands)
        else:
            yield (name,), command


def shown_options():
    """Give every option that some help shows, as (path, option)."""
    return {
        (path, option)
        for path, command in commands()
        for param in command.params
        if isinstance(param, click.Option) and not param.hidden
        for option in param.opts
        if option.startswith("--")
    }


USED = {
    ("remember",): {
        "--jsonl": "FILE",
        "--scope": "x",
        "--kind": "episodic",
        "--tier": "core",
        "--importance": "0.9",
        "--weight": "0.5",
        "--tag": "food",
        "--ttl": "30d",
        "--supersedes": "ID",
        "--derived-from": "ID",
        "--edge": "EDGE",
        "--no-conflicts": None,
        "--on-conflict": "supersede",
        "--id": "mine",
        "--url": "https://example.org/",
        "--meta": "ticket=7",
        "--at": "2025-03-01",
        "--valid-from": "2025-03-01",
        "--valid-until": "2027-03-01",
        "--session": "s",
        "--turn": "3",
        "--speaker": "Jonas",
        "--trust": "tool",
        "--quarantine": None,
    },
    ("list",): {
        "--scope": "x",
        "--kind": "episodic",
        "--tier": "core",
        "--trust": "tool",
        "--quarantined": None,
        "--tag": "food",
        "--meta": "ticket=7",
        "--session": "s",
        "--since": "2025-01-01",
        "--until": "2025-02-01",
        "--hidden": None,
        "--state": "superseded",
        "--contains": "peanuts",
        "--order-by": "importance",
        "--oldest-first": None,
        "--limit": "3",
        "--after": "CURSOR",
    },
    ("update",): {
        "--text": "New.",
        "--kind": "episodic",
        "--tier": "core",
        "--scope": "x",
        "--tag": "food",
        "--no-tags": None,
        "--importance": "0.9",
        "--weight": "0.5",
        "--trust": "tool",
        "--meta": "ticket=7",
        "--supersedes": "SECOND",
        "--ttl": "12h",
        "--valid-from": "2025-03-01",
        "--valid-until": "none",
        "--if-version": "VERSION",
    },
    ("quarantine",): {},
    ("promote",): {"--trust": "agent"},
    ("forget",): {"--erase": None, "--all": None, "--yes": None, "--undo": None},
    ("bootstrap",): {"--scope": "x", "--budget": "300", "--block": None},
    ("feedback",): {"--cited": "ID", "--bad": "ID"},
    ("log",): {
        "--since": "2025-03-01",
        "--until": "2027-03-01",
        "--outcome": "recalled",
        "--under": "cued",
        "--limit": "5",
        "--oldest-first": None,
        "--content": None,
    },
    ("why",): {"--depth": "2"},
    ("timeline",): {
        "--at": "2025-03-01",
        "--before": "1",
        "--after": "1",
        "--scope": "x",
        "--session": "s",
        "--hidden": None,
    },
    ("consolidate",): {"--apply": None, "--undo": None, "--list": None, "--at-least": "0.9"},
    ("sweep",): {"--grace": "7d", "--apply": None, "--yes": None},
    ("cool",): {"--older-than": "30d", "--importance-below": "0.6"},
    ("export",): {"--vectors": None, "--overwrite": None},
    ("import",): {"--format": "markdown", "--scope": "x", "--user": "ann", "--as-exported": None},
    ("check",): {"--repair": None, "--backup": "COPY"},
    ("backup",): {"--overwrite": None},
    ("restore",): {"--overwrite": None},
    ("copy",): {},
    ("mcp",): {"--trust": "tool", "--scope": "x", "--project": ".", "--search-fetch": None},
    ("connect",): {
        "--here": None,
        "--hook": "recall",
        "--scope": "x",
        "--print": None,
        "--undo": None,
        "--yes": None,
        "--start-server": None,
    },
    ("hook",): {"--scope": "x", "--start-server": None},
    ("serve",): {
        "--resident": "1h",
        "--host": "127.0.0.1",
        "--port": "0",
        "--allow-host": "memory.example",
        "--behind-proxy": None,
        "--tls-cert": "FILE",
        "--tls-key": "FILE",
        "--rate": "10",
        "--max-body": "1000",
        "--threads": "2",
        "--processes": "2",
        "--quota-memories": "1000",
        "--quota-bytes": "1000000",
        "--quota-recalls": "100",
        "--demo": None,
        "--upkeep": "sweep",
        "--upkeep-every": "1d",
        "--shadow": "rrf",
        "--share": "0.1",
        "--mem0": None,
    },
    ("token", "create"): {"--scope": "read", "--trust": "tool", "--expires": "90d"},
    ("insight",): {
        "--since": "2025-03-01",
        "--until": "2030-03-01",
        "--every": "1d",
        "--by": "scope",
        "--all-tenants": None,
        "--compare": None,
        "--html": "report.html",
    },
    ("replay",): {"--last": "5"},
    ("label",): {"--verdict": "right", "--limit": "3", "--list": None},
    ("tune",): {"--from": "log", "--target": "0.5", "--apply": None, "--all-tenants": None},
    ("policy", "save"): {"--note": "too bold"},
    ("policy", "rollback"): {"--to": "0"},
    ("db", "init"): {"--role": "app", "--parts": "2", "--node": "postgresql://other.example/cued", "--vectors": "int8", "--print": None},
}
CUE_OPTIONS = {
    "--goal": "cook",
    "--step": "shop",
    "--open": "who pays?",
    "--scope": "x",
    "--tag": "food",
    "--kind": "semantic",
    "--trust": "user",
    "--as-of": "2026-03-01",
    "--intent": "past",
    "--present": "ID",
    "--conversation": "monday",
    "--without": "dense",
    "--limit": "3",
    "--floor": "0.7",
    "--budget": "200",
    "--window": "8000",
    "--compact": None,
    "--recency-weight": "0.5",
    "--no-decay": None,
}
USED[("recall",)] = {**CUE_OPTIONS, "--jsonl": "FILE", "--no-settle": None, "--block": None}
USED[("explain",)] = {**CUE_OPTIONS, "--memory": "ID", "--save": "NEW", "--from": "SAVED", "--all": None}
USED[("eval",)] = {
    "--k": "1,3",
    "--abstain": None,
    "--floors": "0.5,0.7",
    "--ablate": None,
    "--plot": "plots",
    "--tenants": "1",
    "--category": "all",
    "--cache": "kept",
}
GLOBALS = {
    "--db": "DB",
    "--tenant": "me",
    "--embedder": "hashing",
    "--policy": "cued",
    "--keep": "last",
    "--journal": None,
    "--json": None,
    "--direct": None,
}
BARE = {
    ("remember",): ("Likes tea.",),
    ("recall",): ("peanuts",),
    ("explain",): ("peanuts",),
    ("get",): ("ID",),
    ("update",): ("ID", "--weight", "0.9"),
    ("forget",): ("ID",),
    ("quarantine",): ("ID",),
    ("promote",): ("ID",),
    ("feedback",): ("last", "--cited", "ID"),
    ("why",): ("ID",),
    ("timeline",): ("ID",),
    ("export",): ("out.jsonl", "--overwrite"),
    ("import",): ("NOTES",),
    ("backup",): ("copy.db", "--overwrite"),
    ("restore",): ("COPY", "--overwrite"),
    ("copy",): ("COPY", "another.db"),
    ("token", "create"): ("--scope", "read"),
    ("token", "revoke"): ("TOKEN",),
    ("db", "init"): ("postgresql://db.example/cued", "--print"),
    ("policy", "show"): ("cued",),
    ("policy", "diff"): ("cued", "dense"),
    ("policy", "check"): ("POLICY",),
    ("policy", "save"): ("POLICY",),
    ("eval",): ("DATA", "--cache", "none"),
    ("label",): ("RECALL", "--verdict", "right"),
    ("tune",): ("PAIRS",),
    ("completion",): ("bash",),
    ("connect",): ("claude-code", "--print"),
    ("hook",): ("session-start",),
}
SPEAKS_OTHERWISE = {("completion",), ("mcp",), ("hook",), ("db", "init")}
INSTEAD = {
    ("remember", "--jsonl"): (),
    ("recall", "--jsonl"): (),
    ("explain", "--from"): (),
    ("label", "--verdict"): ("RECALL",),
    ("label", "--limit"): ("--list",),
    ("label", "--list"): (),
    ("tune", "--all-tenants"): (),
    ("forget", "--erase"): ("ID", "--yes"),
    ("forget", "--all"): ("--erase", "--yes"),
    ("feedback", "--cited"): ("last",),
    ("feedback", "--bad"): ("last",),
    ("timeline", "--at"): (),
    ("import", "--user"): ("MEM0",),
    ("check", "--backup"): ("--repair",),
    ("consolidate", "--undo"): ("ID",),
    ("sweep", "--apply"): ("--yes",),
    ("import", "--as-exported"): ("EXPORT",),
    ("connect", "--undo"): ("claude-code",),
    ("connect", "--start-server"): ("claude-code", "--hook", "recall", "--print"),
    # one that needs no store, and so starts nothing
    ("hook", "--start-server"): ("pre-tool-use",),
}


WELL = {("doctor",): 6}
"""Exit codes that say more than that all went well: without a model the doctor warns."""
ENDLESS = ("serve",)
"""It runs until it is stopped: tests/surfaces/http/test_serving.py."""


def cases():
    for path, command in commands():
        if path == ENDLESS:
            continue
        for param in command.params:
            if isinstance(param, click.Option):
                for option in param.opts:
                    value = USED.get(path, {}).get(option, GLOBALS.get(option)) if option.startswith("--") else None
                    yield pytest.param(path, option, value, id=" ".join((*path, option)))


@pytest.fixture(scope="module")
def scenery(tmp_path_factory, shell_of):
    """Give a folder with a database of three memories, one of them merged, and what the placeholders of the option tables stand for."""
    folder = tmp_path_factory.mktemp("scenery")
    cued = shell_of(folder)
    places = {
        "ID": cued.remember(PEANUTS, "--at", "2026-01-02"),
        "FILE": "lines.jsonl",
        "POLICY": "mine.toml",
        "SAVED": "saved.json",
        "NEW": "new.json",
        "DATA": "data",
        "NOTES": "notes",
        "MEM0": "mem0.json",
        "COPY": "kept.db",
        "EXPORT": "export.jsonl",
    }
    places |= {"SECOND": cued.remember("A second one."), "EDGE": f"mentions={places['ID']}"}
    (folder / "cues.jsonl").write_text('{"text": "peanuts"}\n' * 16, "utf-8")
    cued("recall", "--jsonl", str(folder / "cues.jsonl"), "--keep", "last")
    assert "Judged 14" in cued("label", "--limit", "14", stdin="r" * 14).stdout
    pair = json.dumps({"query": "Who is allergic to peanuts?", "gold_ids": [places["ID"]]})
    (folder / "pairs.jsonl").write_text(f"{pair}\n" * 12, "utf-8")
    places |= {"PAIRS": "pairs.jsonl", "RECALL": cued.json("log", "--limit", "1")["recalls"][0]["recall_id"]}
    twin = cued.remember(PEANUTS, "--at", "2026-01-01", "--no-conflicts")
    cued.json("recall", *CUE)
    assert cued.json("consolidate", "--apply")["merges"][0]["older"] == twin
    cued.json("backup", str(folder / "kept.db"))
    cued.json("export", str(folder / "export.jsonl"))
    (folder / "notes").mkdir()
    (folder / "notes" / "one.md").write_text("# Kitchen\n\nOats are in the left cupboard.\n", "utf-8")
    (folder / "mem0.json").write_text('[{"memory": "Likes tea.", "user_id": "ann"}]', "utf-8")
    (folder / "lines.jsonl").write_text('{"text": "One."}\n', "utf-8")
    (folder / "mine.toml").write_text('name = "mine"\n', "utf-8")
    (folder / "data").mkdir()
    (folder / "data" / "memories.jsonl").write_text(
        '{"id": "1", "tenant": "a", "text": "Tea at four."}\n{"id": "2", "tenant": "b", "text": "The kiln cracked."}\n', "utf-8"
    )
    (folder / "data" / "queries.jsonl").write_text(
        '{"id": "p", "tenant": "a", "query": "When is tea?", "gold_ids": ["1"]}\n'
        '{"id": "q", "tenant": "b", "query": "What cracked?", "gold_ids": ["2"]}\n',
        "utf-8",
    )
    cued.json("explain", "peanuts", "--save", str(folder / "saved.json"))
    places |= {"TOKEN": cued.json("token", "create", "--scope", "read")["id"], "VERSION": str(cued.json("get", places["ID"])["version"])}
    return folder, {**places, "DB": cued.db.name, "CURSOR": cued.json("list", "--limit", "1")["next"]}


@pytest.fixture
def stage(scenery, cued, tmp_path, monkeypatch):
    """Give a copy of the scenery to work in."""
    folder, places = scenery
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cued, places


def test_the_table_of_options_is_the_help():
    tabled = {(path, option) for path, options in USED.items() for option in options}
    own = {(path, option) for path, option in shown_options() if option not in GLOBALS}
    assert own == tabled


@pytest.mark.parametrize(("path", "option", "value"), list(cases()))
def test_every_option_of_every_command_is_taken(stage, path, option, value):
    cued, places = stage
    bare = [places.get(word, word) for word in INSTEAD.get((*path, option), BARE.get(path, ()))]
    used = [option] if value is None else [option, places.get(value, value)]
    result = cued(*path, *bare, *used)
    assert result.exit_code == WELL.get(path, 0), result.stderr


@pytest.mark.parametrize("path", [path for path, _ in commands() if path not in {*SPEAKS_OTHERWISE, ENDLESS}], ids=" ".join)
def test_every_answer_is_json_when_asked_before_or_after_the_command(stage, path):
    cued, places = stage
    bare = [places.get(word, word) for word in BARE.get(path, ())]
    for args in (("--json", *path, *bare), (*path, *bare, "--json")):
        result = cued(*args)
        if path != ("forget",):
            assert result.exit_code == WELL.get(path, 0), result.stderr
        assert isinstance(json.loads(result.stdout), dict)


def test_the_environment_can_ask_for_json_of_answers_and_errors(cued):
    assert json.loads(cued("stats", env={"CUED_JSON": "1"}).stdout)["memories"] == 0
    assert json.loads(cued("get", env={"CUED_JSON": "true"}).stderr)["error"]["exit_code"] == 2
    assert cued("stats", env={"CUED_JSON": "0"}).stdout.startswith("tenant")


@pytest.mark.parametrize(("path", "command"), list(commands()), ids=lambda v: " ".join(v) if isinstance(v, tuple) else "")
def test_every_option_says_what_it_is_for(path, command):
    assert command.help, path
    for param in command.params:
        assert not isinstance(param, click.Option) or param.help, (path, param.name)


def test_what_draws_an_answer_is_where_its_command_says():
    folder = Path(root.__file__).parent
    named = {name for path in folder.rglob("*.py") for name in re.findall(r'view\("([\w.]+)"', path.read_text("utf-8"))}
    assert len(named) > 15
    for module, _, name in (each.rpartition(".") for each in named):
        assert callable(getattr(import_module(f"{root.__package__}.{module}"), name)), name


def test_the_listing_in_the_help_is_what_the_commands_say_of_themselves():
    for name in COMMANDS:
        assert cued_command.get_command(None, name).name == name


def test_help_shows_commands_options_defaults_and_exit_codes(cued):
    for result in (cued("--help"), cued("-h"), cued()):
        assert result.exit_code == 0
        for said in (*COMMANDS, "memories.db", '"me"', "CUED_DB", "CUED_TENANT", "Exit codes", "130", "NO_COLOR"):
            assert said in result.stdout


def test_where_the_next_page_begins_can_be_copied(cued):
    for n in range(3):
        cued.remember(f"Fact {n}.", "--id", f"{n}" * 150)
    shown = cued("list", "--limit", "1", env={"COLUMNS": "60"}).stdout.splitlines()
    assert shown[-1].split() == ["--after", cued.json("list", "--limit", "1")["next"]]


@pytest.mark.parametrize(("group", "said"), [("policy", "diff"), ("token", "revoke"), ("db", "init")])
def test_a_group_without_a_command_shows_its_help(cued, group, said):
    result = cued(group)
    assert (result.exit_code, result.stderr) == (0, "")
    assert said in result.stdout


def test_version(cued):
    result = cued("--version")
    assert result.stdout.split()[0] == "cued"
    assert result.stdout.split()[1][0].isdigit()


@pytest.mark.requirement("R25")
def test_remember_recall_list_get_stats_update_and_forget_work_together(cued):
    found = cued("remember", PEANUTS, "--tag", "food").stdout.strip()
    assert cued.json("recall", *CUE)["memories"][0]["id"] == found
    assert cued.json("list", "--tag", "food")["total"] == 1
    assert cued.json("get", found)["text"] == PEANUTS
    assert cued.json("update", found, "--text", "Mira eats everything.", "--no-tags")["tags"] == []
    assert cued.json("forget", found) == {"forgotten": [found], "erased": False, "gone": False, "pending": []}
    assert cued.json("recall", *CUE)["outcome"] == "all_gated"
    assert cued.json("forget", "--undo", found) == {"restored": [found]}
    assert cued.json("forget", found, "--erase", "--yes")["erased"]
    assert cued.json("stats")["memories"] == 0


def test_several_ids_give_a_list_of_memories(cued):
    ids = [cued.remember("One."), cued.remember("Two.")]
    assert [m["id"] for m in cued.json("get", *ids)["memories"]] == ids
    assert "One." in cued("get", *ids).stdout


@pytest.mark.parametrize("args", [("remember", "-"), ("remember",)])
def test_a_memory_comes_from_stdin(cued, args):
    found = cued.json(*args, stdin="First line.\nSecond line: ünï ✓\n")["id"]
    assert cued.json("get", found)["text"] == "First line.\nSecond line: ünï ✓"
    assert "Second line: ünï ✓" in cued("get", found).stdout


def test_a_cue_and_a_new_text_come_from_stdin(cued):
    found = cued.remember(PEANUTS)
    assert cued.json("recall", "-", "--floor", "0", stdin="peanuts\n")["memories"][0]["id"] == found
    assert cued.json("recall", "--floor", "0", stdin="peanuts\n")["memories"][0]["id"] == found
    assert cued.json("recall", "--floor", "0", "--goal", "Buy peanuts", stdin="")["memories"][0]["id"] == found
    assert cued.json("update", found, "--text", "-", stdin="New.\n")["text"] == "New."


def test_json_lines_are_stored_from_a_file_and_from_stdin(cued, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"text": "One.", "ts": "2025-03-01"}\n{"text": "Two."}\n', "utf-8")
    assert len(cued("remember", "--jsonl", str(tmp_path / "in.jsonl")).stdout.split()) == 2
    assert len(cued.json("remember", "--jsonl", "-", stdin='{"text": "Three."}\n')["ids"]) == 1
    assert cued.json("stats")["memories"] == 3


def test_a_bad_json_line_is_named_and_stores_nothing(cued):
    result = cued("remember", "--jsonl", "-", "--json", stdin='{"text": "One."}\n{"text": "Two.", "importance": 7}\n')
    error = json.loads(result.stderr)["error"]
    assert (result.exit_code, result.stdout) == (2, "")
    assert error["field"] == "importance"
    assert error["notes"][0].startswith("in line 2;")
    assert cued.json("stats")["memories"] == 0
    assert "  in line 1; nothing of the chunk" in cued("remember", "--jsonl", "-", stdin="nonsense\n").stderr


@pytest.mark.requirement("P19")
def test_what_is_typed_after_the_command_wins_over_before_and_before_over_the_environment(cued):
    found = cued.remember(PEANUTS, "--tenant", "mira")
    for args in (("--tenant", "jonas", "get", found, "--tenant", "mira"), ("--tenant", "mira", "get", found)):
        assert cued(*args, env={"CUED_TENANT": "jonas"}).exit_code == 0
    assert cued("get", found, env={"CUED_TENANT": "mira"}).exit_code == 0
    assert cued("get", found).exit_code == 3
    assert cued("get", found, "--tenant", "jonas").exit_code == 3


@pytest.mark.requirement("M5")
@pytest.mark.parametrize(("ttl", "until"), [("30d", "03-31T00:00:00Z"), ("12h", "03-01T12:00:00Z"), ("90", "03-01T00:01:30Z")])
def test_a_ttl_is_written_in_days_hours_or_seconds(cued, ttl, until):
    found = cued.remember(PEANUTS, "--at", "2025-03-01", "--ttl", ttl)
    assert cued.json("get", found)["expires_at"] == f"2025-{until}"
    assert cued.json("recall", "peanuts")["suppressed"] == {"expiry": 1}
    assert cued.json("update", found, "--ttl", "none")["expires_at"] is None


@pytest.mark.requirement("R1", "R9")
def test_the_floor_is_set_per_call_and_an_empty_recall_says_what_was_nearest(cued):
    cued.remember(PEANUTS)
    result = cued("recall", "peanuts", "--floor", "1")
    assert result.exit_code == 0
    assert "Nothing relevant. The best was relevance " in result.stdout
    assert f"floor 1.00: {PEANUTS}" in result.stdout
    assert PEANUTS in cued("recall", "peanuts", "--floor", "0").stdout


@pytest.mark.requirement("R9")
def test_each_way_to_be_empty_is_told_apart(cued):
    assert "Nothing is stored yet for this tenant; `cued tenants` lists" in " ".join(cued("recall", "peanuts").stdout.split())
    assert "No memories; `cued tenants` lists" in cued("list").stdout
    found = cued.remember(PEANUTS, "--scope", "kitchen")
    gated = cued("recall", "peanuts").stdout
    assert "a gate struck every stored memory" in gated
    assert "Held back: 1 in another scope" in gated
    words = ("--scope", "kitchen", "--embedder", "none")
    assert "Nothing matched" in cued("recall", "tomatoes", *words).stdout
    over = cued("recall", *CUE, "--scope", "kitchen", "--present", found).stdout
    assert "already in the prompt" in over


def test_recall_prints_the_block_alone_when_asked(cued):
    cued.remember(PEANUTS)
    assert cued("recall", *CUE, "--block").stdout == cued.json("recall", *CUE)["block"]
    assert cued("recall", "peanuts", "--floor", "1", "--block").stdout == ""


@pytest.mark.requirement("F1")
def test_the_state_of_the_work_is_a_cue(cued):
    cued.remember(PEANUTS)
    answer = cued.json("explain", "--goal", "cook dinner", "--step", "buy peanuts", "--open", "who pays?", "--open", "when?")
    assert {"cook", "peanut", "pay"} <= {term["term"] for term in answer["read"]["terms"]}


def test_recall_settles_unless_told_not_to(cued):
    found = cued.remember(PEANUTS)
    cued.json("recall", *CUE, "--no-settle")
    assert cued.json("get", found)["use"]["count"] == 0
    cued.json("recall", *CUE)
    assert cued.json("get", found)["use"]["count"] == 1


@pytest.mark.requirement("S9")
def test_explain_draws_ranks_signals_contributions_and_fates(cued):
    cued.remember(PEANUTS)
    cued.remember("The audit is in March.")
    drawn = cued("explain", "peanuts allergic").stdout
    for said in ("fate", "lex", "den", "rel", "log_o", "score", "chosen", "floor: ", "score = log_odds + note_words"):
        assert said in drawn


@pytest.mark.requirement("S9")
def test_explain_of_a_memory_that_did_not_come_back_says_what_would_have_to_change(cued):
    found = cued.remember(PEANUTS, "--scope", "kitchen")
    drawn = cued("explain", "peanuts", "--memory", found).stdout
    assert "struck by the scope gate" in drawn
    assert "What would change it: it belongs to scope 'kitchen'" in drawn


@pytest.fixture
def narrow(tmp_path, monkeypatch):
    """Work in a folder with a policy whose only channel brings one candidate."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "narrow.toml").write_text('[channels]\nlexical = { pool = 1 }\n[score]\nterms = [{ signal = "bm25" }]\n', "utf-8")


@pytest.mark.requirement("S9")
@pytest.mark.parametrize(
    ("asked", "fate", "change"),
    [
        (("peanuts", "--floor", "1"), "floor 1.00 (stage floor)", "it would pass a floor at or below 0."),
        (("butter", "--floor", "0", "--limit", "1"), "beyond the limit of 1 (stage budget)", "a limit above 1 would reach it"),
        (("tomatoes", "--embedder", "none"), "found by no channel (stage gather)", "share a word, a name or a time"),
        (("butter", "--policy", "narrow.toml"), "beyond every pool: lexical rank 2", "a wider pool would have brought it"),
    ],
)
@pytest.mark.usefixtures("narrow")
def test_explain_names_the_floor_the_cut_the_channel_or_the_pool(cued, asked, fate, change):
    cued.remember("Butter.")
    found = cued.remember("Peanuts and what else goes with butter on a slice of bread.")
    drawn = cued("explain", *asked, "--memory", found).stdout
    assert fate in drawn
    assert change in drawn


@pytest.mark.parametrize("columns", [60, 100, 140])
def test_explain_shows_ids_whole_for_they_are_copied(cued, columns):
    named = "a-name-of-ones-own-for-a-memory-about-peanuts"
    cued("remember", "Peanuts.", "--id", named)
    assert named in cued("explain", "peanuts", env={"COLUMNS": str(columns)}).stdout


def test_explain_shows_fifteen_candidates_unless_all_are_asked_for(cued):
    lines = "".join(json.dumps({"text": f"Peanuts, lot {i}."}) + "\n" for i in range(20))
    cued.json("remember", "--jsonl", "-", stdin=lines)
    assert cued("explain", "peanuts").stdout.count("Peanuts, lot") == 15
    assert "5 more candidates: --all" in cued("explain", "peanuts").stdout
    assert cued("explain", "peanuts", "--all").stdout.count("Peanuts, lot") == 20


@pytest.mark.parametrize("columns", [60, 80, 100, 140, 200])
@pytest.mark.parametrize("policy", ["cued", "recall", "mememory", "siftcoder"])
def test_explain_stays_within_the_width(cued, columns, policy):
    ids = [cued.remember(f"Peanuts 豆 {i} " + "and so on " * 30) for i in range(3)]
    drawn = cued("explain", "peanuts and so on", "--policy", policy, env={"COLUMNS": str(columns)}).stdout
    lines = drawn.splitlines()
    assert max(map(len, lines)) <= columns
    # whole: the id, to be asked for with --memory, the columns and their numbers; and enough of the text to know it by
    assert all(sum(each in line for line in lines) == 1 for each in ids)
    assert sum("Peanuts 豆" in line for line in lines) == 3
    assert lines[0].split()[0] == "#"
    assert "score" in lines[0]
    assert "…" not in lines[0]


@pytest.mark.requirement("S10")
def test_a_channel_is_shut_and_shown_beside_the_whole(cued):
    cued.remember(PEANUTS)
    drawn = cued("explain", *CUE, "--without", "lexical").stdout
    assert "all channels" in drawn
    assert "without lexical" in drawn


@pytest.mark.requirement("S12")
def test_decay_is_switched_off(cued):
    cued.remember(PEANUTS, "--at", "2001-01-01")
    faded = cued.json("explain", *CUE)["candidates"][0]["contributions"]["activation"]
    assert faded < 0
    assert cued.json("explain", *CUE, "--no-decay")["candidates"][0]["contributions"]["activation"] == 0


@pytest.mark.requirement("X3")
def test_a_saved_recall_is_decided_again_without_the_store(cued, tmp_path):
    found = cued.remember(PEANUTS)
    saved = str(tmp_path / "saved.json")
    live = cued.json("explain", *CUE, "--save", saved)
    assert Envelope.load(tmp_path / "saved.json").evidence.cue.utterance == "peanuts"
    cued.db.unlink()
    again = cued.json("explain", "--from", saved, "--floor", "0", "--memory", found)
    assert again["candidates"] == live["candidates"]
    assert again["verdict"]["fate"] == "chosen"
    assert cued.json("explain", "--from", saved, "--policy", "dense")["policy"] == "dense"
    assert cued.json("explain", "--from", saved, "--limit", "1", "--floor", "1")["outcome"] == "below_floor"
    assert not cued.db.exists()


@pytest.mark.requirement("X3")
def test_a_saved_recall_is_decided_as_it_was_unless_another_policy_is_typed(cued, tmp_path):
    cued.remember(PEANUTS)
    saved = str(tmp_path / "saved.json")
    live = cued.json("explain", *CUE, "--policy", "rrf", "--limit", "1", "--save", saved)
    told = [json.loads(cued("explain", "--from", saved, "--json", env=env).stdout) for env in ({}, {"CUED_POLICY": "dense"})]
    assert [(each["policy"], each["block"], each["candidates"]) for each in told] == [("rrf", live["block"], live["candidates"])] * 2
    for damage in (b"[" * 100_000, b"\xff", b"{}"):
        (tmp_path / "damaged.json").write_bytes(damage)
        refused = cued("explain", "--from", str(tmp_path / "damaged.json"))
        assert (refused.exit_code, "the JSON of a saved recall" in refused.stderr) == (2, True)


def test_reads_of_a_database_that_is_not_there_say_so_and_make_nothing(cued):
    for args, empty in (
        (("recall", "x"), "memories"),
        (("list",), "memories"),
        (("tenants",), "tenants"),
        (("explain", "x"), "candidates"),
    ):
        result = cued(*args, "--json")
        assert (result.exit_code, json.loads(result.stdout)[empty]) == (0, [])
        assert f"nothing is stored at {cued.db} yet" in result.stderr
    assert cued.json("stats")["memories"] == 0
    for args in (("get", "x"), ("update", "x", "--weight", "1"), ("forget", "x"), ("explain", "x", "--memory", "y"), ("why", "x")):
        assert cued(*args).exit_code == 3
    for args in (("bootstrap",), ("timeline", "--at", "2025-01-01"), ("consolidate",), ("consolidate", "--apply"), ("cool",), ("sweep",)):
        assert cued(*args).exit_code == 0, args
    for args, code in ((("reembed",), 4), (("backup", str(cued.db) + ".copy"), 4), (("feedback", "last", "--cited", "x"), 2)):
        assert cued(*args).exit_code == code, args
    assert not list(cued.db.parent.iterdir())
    assert not cued.db.exists()


def test_the_usual_folder_is_made_by_remember(cued, tmp_path):
    result = cued("remember", PEANUTS, env={"CUED_DB": "", "XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path)})
    assert result.exit_code == 0, result.stderr
    assert len(list(tmp_path.rglob("memories.db"))) == 1


def test_a_text_of_several_words_without_quotes_is_told_of_them(cued):
    refused = cued("remember", "Alice", "prefers", "tea")
    assert (refused.exit_code, "a text of several words stands in quotes" in refused.stderr) == (2, True)
    assert "quotes" not in cued("remember", "Alice", "--sope", "tea").stderr


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("recal", "x"), 2, "did you mean 'recall'?"),
        (("recall", "x", "--floor", "high"), 2, "got 'high'; accepted: a number, or one of eager, balanced, strict"),
        (("recall",), 2, "a cue with words in its text, goal, step or open_questions"),
        (("recall", "x", "--limit", "0"), 2, "a whole number, 1 or more"),
        (("recall", "x", "--limit", "101"), 2, "a whole number from 1 to 100"),
        (("recall", "x", "--floor", "2"), 2, "a number from 0 to 1"),
        (("recall", "x", "--kind", "dream"), 2, "'semantic', 'episodic', 'procedural', 'reflection'"),
        (("recall", "x", "--without", "smell"), 2, "'lexical', 'dense', 'entity', 'temporal'"),
        (("recall", "x", "--as-of", "soon"), 2, "a time such as"),
        (("recall", "x", "--policy", "nope"), 2, "one of cued, assistant"),
        (("recall", "x", "--policy", "nope.toml"), 2, "an existing TOML file"),
        (("recall", "x", "--tenant", ""), 2, "leave the option out"),
        (("recall", "x", "y"), 2, "unexpected extra argument"),
        (("remember", "x", "--importance", "7"), 2, "a number from 0 to 1"),
        (("remember", "x", "--ttl", "soon"), 2, '"30d", "12h"'),
        (("remember", "  "), 2, "not only white space"),
        (("remember", "x", "--supersedes", "nope"), 3, "no memory 'nope'"),
        (("remember", "x", "--jsonl", "-"), 2, "no TEXT and no other option"),
        (("remember", "--jsonl", "/nowhere/x.jsonl"), 2, "File '/nowhere/x.jsonl' does not exist"),
        (("remember", "--jsonl", "."), 2, "File '.' is a directory"),
        (("remember", "x", "--embedder", "psychic"), 2, "auto, cued, minilm, hashing"),
        (("remember", "x", "--db", ":memory:"), 2, "what is kept in memory is gone when this command ends"),
        (("remember", "x", "--db", "/nowhere/at/all.db"), 4, "there is no folder"),
        (("remember", "x", "--db", "/"), 4, "this is a folder; a store is one file"),
        (("list", "--db", "."), 4, "this is a folder; a store is one file"),
        (("list", "--limit", "0"), 2, "a whole number from 1 to 1000"),
        (("list", "--meta", "ticket"), 2, "KEY=VALUE, such as ticket=7"),
        (("get",), 2, "Missing argument 'ID...'"),
        (("get", "nope"), 3, "no memory 'nope'"),
        (("update", "nope"), 2, "at least one option"),
        (("update", "nope", "--weight", "1"), 3, "no memory 'nope'"),
        (("update", "nope", "--tag", "x", "--no-tags"), 2, "one of them"),
        (("forget", "nope"), 3, "no memory 'nope'"),
        (("forget", "x", "--erase"), 2, "add --yes"),
        (("forget", "x", "--erase", "--undo"), 2, "one of --erase and --undo"),
        (("forget",), 2, "Missing argument 'ID...'"),
        (("forget", "--all"), 2, "--all only goes with --erase: hiding a whole tenant would leave everything stored"),
        (("forget", "--all", "--undo"), 2, "--all only goes with --erase"),
        (("forget", "--all", "--erase", "x"), 2, "no ID beside it"),
        (("forget", "--all", "--erase"), 2, "add --yes"),
        (("remember", "x", "--edge", "causes"), 2, "RELATION=ID"),
        (("update", "nope", "--supersedes", "none", "--supersedes", "x"), 2, "no ID beside it"),
        (("recall", "x", "--window", "0"), 2, "a whole number from 1 to"),
        (("bootstrap", "--budget", "0"), 2, "1 or more"),
        (("feedback", "nope", "--cited", "x"), 2, "the id of a settled recall"),
        (("feedback", "last"), 2, "at least one id in `cited` or `bad`"),
        (("why", "nope"), 3, "no memory 'nope'"),
        (("why", "nope", "--depth", "0"), 2, "a whole number from 1 to 20"),
        (("timeline",), 2, "the ID of a memory, or a time with --at"),
        (("timeline", "x", "--at", "2025-01-01"), 2, "the ID of a memory, or a time with --at"),
        (("timeline", "--at", "soon"), 2, "a time such as"),
        (("timeline", "nope"), 3, "no memory 'nope'"),
        (("consolidate", "--undo"), 2, "one of --apply, --undo ID... and --list"),
        (("consolidate", "--apply", "--list"), 2, "one of --apply, --undo ID... and --list"),
        (("consolidate", "--undo", "nope"), 2, "as `consolidate --list` shows them"),
        (("consolidate", "--at-least", "2"), 2, "a number above 0 and up to 1"),
        (("sweep", "--grace", "soon"), 2, '"30d", "12h"'),
        (("cool", "--older-than", "soon"), 2, '"30d", "12h"'),
        (("cool", "--importance-below", "7"), 2, "a number from 0 to 1"),
        (("reembed", "--db", "nowhere.db"), 4, "there is no such file"),
        (("reembed", "--embedder", "none"), 2, "an embedder"),
        (("export", "lines.jsonl"), 2, "--overwrite replaces it"),
        (("import", "/nowhere/x.json"), 2, "does not exist"),
        (("import", "mine.toml"), 2, "one of these formats; cued: an export of Cued"),
        (("import", "notes", "--format", "smoke"), 2, "'chatgpt', 'claude', 'claude-mem'"),
        (("backup", "kept.db"), 4, "exists already"),
        (("backup", "x.db", "--db", "nowhere.db"), 4, "there is no such file"),
        (("restore", "kept.db"), 4, "exists already"),
        (("restore", "nope.db"), 2, "a file that `cued backup` wrote"),
        (("explain", "x", "--from", "y"), 2, "--from decides what was read then"),
        (("explain", "--from", "saved.json", "--scope", "x"), 2, "--from decides what was read then"),
        (("explain", "--from", "/nowhere/x.json"), 2, "No such file"),
        (("policy", "show", "nope"), 2, "one of cued"),
        (("policy", "check", "/nowhere/x.toml"), 2, "does not exist"),
        (("policy", "frobnicate"), 2, "commands: list, show, diff, check"),
        (("completion", "tcsh"), 2, "'bash', 'zsh', 'fish'"),
    ],
)
def test_what_is_refused_says_what_is_accepted_with_its_exit_code(stage, args, code, said):
    cued, _ = stage
    told = cued(*args)
    assert (told.exit_code, told.stdout) == (code, "")
    assert said in told.stderr
    error = json.loads(cued(*args, "--json").stderr)["error"]
    assert error["exit_code"] == code
    assert said in error["message"]


def test_a_file_that_is_no_database_is_a_store_problem(cued):
    cued.db.write_bytes(b"these are not the memories you are looking for" * 100)
    for args in (("recall", "x"), ("list",), ("remember", "x")):
        result = cued(*args)
        assert (result.exit_code, result.stdout) == (4, "")
        assert str(cued.db) in result.stderr


def test_stored_text_cannot_steer_the_terminal_or_the_markup(cued):
    evil = "\x1b[31mred\x1b[0m \x1b]0;title\x07 [bold]peanuts[/bold] \u202e :smile: \r\x08"
    found = cued.json("remember", "-", "--speaker", "a\x1b[1mb", stdin=evil)["id"]
    for args in (("recall", *CUE), ("explain", *CUE, "--memory", found), ("list",), ("get", found), ("recall", *CUE, "--block")):
        drawn = cued(*args).stdout
        assert not {"\x1b", "\x07", "\x08", "\r", "\u202e"} & set(drawn), args
        assert "\\u{1b}[31mred" in drawn
    assert "[bold]peanuts[/bold]" in cued("get", found).stdout
    assert cued.json("get", found)["text"].startswith("\x1b[31mred")


def test_policies_are_shown_compared_and_checked(cued, tmp_path):
    listed = cued("policy", "list").stdout
    assert "cued (default)" in listed
    assert "Recall, Sentient Zero Labs" in listed
    assert ".txt" not in listed
    assert cued("policy", "show", "mememory").stdout.startswith("#")
    assert cued.json("policy", "show", "mememory")["policy"]["name"] == "mememory"
    assert "budget.limit" in cued("policy", "diff", "cued", "mememory").stdout
    assert "do not differ" in cued("policy", "diff", "cued", "cued").stdout
    mine = tmp_path / "mine.toml"
    mine.write_text('[floor]\nat = "high"\n[channels]\nsmell = {}\n', "utf-8")
    for result in (cued("policy", "check", str(mine)), cued("policy", "check", str(mine), "--json")):
        assert result.exit_code == 2
        assert "floor.at" in result.stdout
        assert "channels.smell" in result.stdout
    mine.write_text('about = "mine"\n[budget]\nlimit = 2\n', "utf-8")
    assert "a sound policy" in cued("policy", "check", str(mine)).stdout
    assert cued("policy", "show", str(mine)).stdout == mine.read_text("utf-8")
    assert cued.json("recall", "x", "--policy", str(mine))["policy"] == "mine"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_completion(cued, shell):
    script = cued("completion", shell).stdout
    assert f"_CUED_COMPLETE={shell}_complete" in script
    completing = {"_CUED_COMPLETE": f"{shell}_complete", "COMP_WORDS": "cued re", "COMP_CWORD": "re" if shell == "fish" else "1"}
    found = cued(env=completing).stdout
    assert "remember" in found
    assert "recall" in found
    assert "list" not in found.split()


@pytest.mark.usefixtures("model")
def test_the_demo_shows_its_scenes_in_one_screenful(cued):
    result = cued("demo", "--embedder", "cued", env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.stderr
    drawn = result.stdout.splitlines()
    assert len(drawn) <= 45
    assert max(map(len, drawn)) <= 100
    assert not cued.db.exists()


@pytest.mark.usefixtures("model")
def test_the_demo_recalls_what_it_promises(cued):
    scenes = cued.json("demo", "--embedder", "cued")["scenes"]
    found = [[memory["id"] for memory in scene["answer"]["memories"]] for scene in scenes]
    assert found == [["deploy"], [], ["tls"], ["db-new"], ["db-old"], ["db-new"]]
    assert scenes[1]["answer"]["outcome"] == "below_floor"
    assert scenes[3]["answer"]["suppressed"] == {"supersession": 1}
    assert scenes[5]["answer"]["verdict"]["fate"] == "struck by the supersession gate"


def test_the_demo_is_the_same_every_time(cued):
    assert cued("demo").stdout == cued("demo").stdout
