"""Beliefs, provenance, delivery and feedback on the command line: what people see, and the JSON beside it."""

import shlex

import pytest

from cued.model import GATES
from cued.surfaces.cli.tables import recall_view, rendered, utc_now
from cued.surfaces.mcp.answers import answered
from cued.surfaces.verbs import call

MYSQL, POSTGRES = "The ledger runs on MySQL.", "The ledger runs on Postgres."
ACTIONS = ["keep both", "update old", "supersede", "delete old"]


def typed(command):
    """Give a shown command as the words after `cued`."""
    program, *words = shlex.split(command)
    assert program == "cued"
    return words


@pytest.mark.requirement("M8")
def test_a_conflict_comes_with_type_similarity_reason_and_four_choices(cued):
    old = cued.remember(MYSQL, "--at", "2025-02-01")
    answer = cued.json("remember", POSTGRES)
    (conflict,) = answer["conflicts"]
    assert list(conflict) == ["id", "type", "similarity", "text", "reason", "choices"]
    assert (conflict["id"], conflict["type"], conflict["text"]) == (old, "update", MYSQL)
    assert 0 < conflict["similarity"] <= 1
    assert [choice["action"] for choice in conflict["choices"]] == ACTIONS
    assert all(list(choice) == ["action", "python", "cli"] for choice in conflict["choices"])


@pytest.mark.requirement("M8")
def test_people_see_the_id_on_stdout_and_the_conflict_with_its_commands_on_stderr(cued):
    old = cued.remember(MYSQL)
    told = cued("remember", POSTGRES)
    new = told.stdout.strip()
    assert cued.json("get", new)["text"] == POSTGRES
    head = told.stderr.splitlines()[0]
    assert head.startswith("update, ")
    assert f"% similar: this updates {old}" in head
    assert MYSQL in told.stderr
    for line in (
        "keep both   nothing to do",
        f"update old  cued update '--text={POSTGRES}' {old} && cued forget {new}",
        f"supersede   cued update --supersedes={old} {new}",
        f"delete old  cued forget {old}",
    ):
        assert f"  {line}\n" in told.stderr


@pytest.mark.requirement("M8")
@pytest.mark.parametrize(("action", "left"), [("update old", [POSTGRES]), ("supersede", [POSTGRES]), ("delete old", [POSTGRES])])
def test_the_commands_of_a_choice_do_what_it_says(cued, action, left):
    cued.remember(MYSQL)
    (conflict,) = cued.json("remember", POSTGRES)["conflicts"]
    (choice,) = (choice for choice in conflict["choices"] if choice["action"] == action)
    for command in choice["cli"]:
        assert cued(*typed(command)).exit_code == 0
    assert [memory["text"] for memory in cued.json("list")["memories"]] == left


@pytest.mark.requirement("M8")
def test_the_commands_of_a_choice_name_the_database_and_the_tenant_that_were_typed(cued, tmp_path):
    where = ("--db", str(tmp_path / "my own.db"), "--tenant", "mira")
    for args in ((*where, "remember", MYSQL), ("remember", MYSQL, *where)):
        cued(*args)
    choices = cued.json("remember", POSTGRES, *where)["conflicts"][0]["choices"]
    commands = [command for choice in choices for command in choice["cli"]]
    assert len(commands) >= len(choices) > 1
    for command in commands:
        assert command.endswith(shlex.join(where))
        assert cued(*typed(command)).exit_code == 0


@pytest.mark.requirement("M8")
def test_a_very_long_command_is_one_line(cued):
    long = "The ledger runs on Postgres, " + "and so on " * 40 + "today."
    cued.remember("The ledger runs on MySQL, " + "and so on " * 40 + "today.")
    told = cued("remember", long, env={"COLUMNS": "60"}).stderr
    assert any(line.startswith("  update old  cued update ") and line.count("and so on") == 40 for line in told.splitlines())


@pytest.mark.requirement("M8")
def test_conflicts_are_not_looked_for_when_not_wanted(cued, tenant):
    cued.remember(MYSQL)
    assert cued.json("remember", POSTGRES, "--no-conflicts")["conflicts"] == []
    assert cued("remember", POSTGRES, "--no-conflicts").stderr == ""
    call("remember", tenant, {"text": MYSQL})
    assert call("remember", tenant, {"text": POSTGRES, "conflicts": False})["conflicts"] == []


@pytest.mark.requirement("M6")
def test_update_says_what_a_memory_replaces_and_takes_it_back(cued):
    old, new = cued.remember(MYSQL), cued.remember(POSTGRES)
    assert cued.json("update", new, "--supersedes", old)["supersedes"] == [old]
    assert cued.json("get", old)["superseded"][0]["lifted_at"] is None
    assert [memory["id"] for memory in cued.json("list")["memories"]] == [new]
    assert "superseded" in cued("list", "--hidden").stdout
    assert cued.json("update", new, "--supersedes", "none")["supersedes"] == []
    assert cued.json("list")["total"] == 2
    assert "superseded" not in cued("list", "--hidden").stdout
    cued("remember", "The guest code is 1234.", "--at", "2025-01-01", "--ttl", "1d")
    assert "expired" in cued("list", "--hidden").stdout


@pytest.fixture
def derived(cued):
    """Give a shell whose store has a fact that was replaced, and a reflection on it that led to a plan."""
    friday = cued.remember("Deploys happen on Fridays.", "--at", "2025-01-03", "--session", "s1")
    plan = cued.remember("Keep weekends free.", "--at", "2025-01-04", "--kind", "procedural")
    thought = cued.remember(
        "Weekend work is likely.", "--at", "2025-01-05", "--kind", "reflection", "--derived-from", friday, "--edge", f"causes={plan}"
    )
    monday = cued.remember("Deploys happen on Mondays.", "--at", "2025-01-06", "--supersedes", friday, "--no-conflicts")
    return cued, {"friday": friday, "plan": plan, "thought": thought, "monday": monday}


@pytest.mark.requirement("S7")
def test_why_is_a_tree_of_what_a_memory_comes_from_and_led_to(derived):
    cued, ids = derived
    drawn = cued("why", ids["thought"]).stdout
    assert drawn.splitlines()[0] == f"Weekend work is likely.  {ids['thought']} · stale"
    assert f"└── derived from: Deploys happen on Fridays.  {ids['friday']} · superseded by {ids['monday']}" in drawn
    assert f"└── causes: Keep weekends free.  {ids['plan']}" in drawn
    assert f"drawn from it: Weekend work is likely.  {ids['thought']}" in cued("why", ids["friday"]).stdout
    assert f"caused by: Weekend work is likely.  {ids['thought']}" in cued("why", ids["plan"]).stdout
    assert "nothing is linked to it" in cued("why", cued.remember("Bob bakes.")).stdout


@pytest.mark.requirement("S7")
def test_why_is_json_with_relations_states_and_depth(derived):
    cued, ids = derived
    answer = cued.json("why", ids["plan"])
    assert list(answer) == ["memory", "state", "because", "led_to", "left_out"]
    (cause,) = answer["because"]
    assert (cause["id"], cause["relation"], cause["direction"], cause["state"]) == (ids["thought"], "causes", "because", ["stale"])
    assert [node["id"] for node in cause["children"]] == [ids["friday"]]
    shallow = cued.json("why", ids["plan"], "--depth", "1")["because"][0]
    assert (shallow["children"], shallow["left_out"]) == ([], 1)
    assert "1 more, not followed" in cued("why", ids["plan"], "--depth", "1").stdout


@pytest.mark.requirement("P12", "S9")
def test_a_reflection_that_lost_its_sources_is_held_back_and_explain_says_what_would_bring_it_back(derived):
    cued, ids = derived
    assert cued.json("recall", "weekend work")["suppressed"]["provenance"] == 1
    assert "1 derived from what no longer holds" in cued("recall", "weekend work").stdout
    verdict = cued.json("explain", "weekend work", "--memory", ids["thought"])["verdict"]
    assert verdict["fate"] == "struck by the provenance gate"
    assert f"{ids['friday']} (superseded by {ids['monday']})" in verdict["change"]
    cued.json("forget", ids["monday"])
    assert "provenance" not in cued.json("recall", "weekend work")["suppressed"]


@pytest.mark.requirement("S8")
def test_the_timeline_has_what_stood_around_a_memory(derived):
    cued, ids = derived
    answer = cued.json("timeline", ids["plan"], "--before", "1", "--after", "1", "--hidden")
    assert [memory["id"] for memory in answer["before"]] == [ids["friday"]]
    assert answer["centre"]["id"] == ids["plan"]
    assert [memory["id"] for memory in answer["after"]] == [ids["thought"]]
    lines = cued("timeline", ids["plan"], "--hidden").stdout.splitlines()
    assert [line for line in lines if line.startswith("▶")] == [line for line in lines if "2025-01-04 00:00  Keep weekends free." in line]


@pytest.mark.requirement("S8")
def test_the_timeline_around_a_time_is_narrowed_by_session_and_shows_what_is_hidden_when_asked(derived):
    cued, ids = derived
    answer = cued.json("timeline", "--at", "2025-01-05", "--before", "1", "--after", "1")
    assert (answer["before"][0]["id"], answer["centre"], answer["after"][0]["id"]) == (ids["plan"], None, ids["thought"])
    assert "▶  2025-01-05" in cued("timeline", "--at", "2025-01-05").stdout
    narrow = ("timeline", "--at", "2025-01-05", "--session", "s1")
    assert cued.json(*narrow)["before"] == []
    assert [memory["id"] for memory in cued.json(*narrow, "--hidden")["before"]] == [ids["friday"]]


@pytest.mark.requirement("P7")
def test_feedback_on_a_recall_moves_importance_once_and_says_by_how_much(cued):
    good, harm = cued.remember("Mira is allergic to peanuts."), cued.remember("Peanuts are sold by the kilo.")
    recall_id = cued.json("recall", "peanuts", "--floor", "0")["recall_id"]
    answer = cued.json("feedback", recall_id, "--cited", good, "--bad", harm)
    assert answer == {
        "recall_id": recall_id,
        "changed": [{"id": good, "importance": 0.5, "boost": 1.05}, {"id": harm, "importance": 0.5, "boost": 0.95}],
    }
    assert cued.json("feedback", recall_id, "--cited", good)["changed"] == []
    assert "nothing changed, for this was said before" in cued("feedback", "last", "--cited", good).stdout
    assert cued.json("get", good)["use"]["boost"] == 1.05


@pytest.mark.requirement("P7")
def test_the_last_recall_can_be_judged_without_its_id(cued):
    found = cued.remember("Mira is allergic to peanuts.")
    refused = cued("feedback", "last", "--cited", found)
    assert (refused.exit_code, "this tenant has none yet" in refused.stderr) == (2, True)
    recall_id = cued.json("recall", "peanuts", "--floor", "0")["recall_id"]
    assert cued("feedback", "last", "--cited", found).stdout == f"Recall {recall_id}: importance is now {found} 0.525 (×1.050)\n"


@pytest.mark.requirement("M9", "P10")
def test_core_memories_stand_above_every_recall_and_in_its_json(cued):
    pinned = cued.remember("Answer in British English.", "--tier", "core")
    cued.remember("Mira is allergic to peanuts.")
    drawn = cued("recall", "peanuts", "--floor", "0").stdout
    assert drawn.splitlines()[0] == f"core  Answer in British English.  {pinned}"
    answer = cued.json("recall", "what is the weather?", "--floor", "1")
    assert [memory["id"] for memory in answer["core"]] == [pinned]
    assert (answer["outcome"], answer["memories"], answer["compacted"], answer["drift"]) == ("below_floor", [], False, "")
    assert "British" in answer["block"]
    verdict = cued.json("explain", "weather", "--embedder", "none", "--memory", pinned)["verdict"]
    assert (verdict["fate"], verdict["change"]) == ("core: shown in every block", "nothing: it is in the answer")


@pytest.mark.requirement("M9")
def test_bootstrap_has_the_core_first_then_what_is_needed_most_within_its_budget(cued):
    pinned = cued.remember("Answer in British English.", "--tier", "core")
    low = cued.remember("Bob bakes.", "--importance", "0.1")
    high = cued.remember("Mira is allergic to peanuts.", "--importance", "0.9")
    answer = cued.json("bootstrap")
    assert list(answer) == ["core", "memories", "block", "omitted", "tokens"]
    assert [memory["id"] for memory in answer["core"]] == [pinned]
    assert [memory["id"] for memory in answer["memories"]] == [high, low]
    assert answer["memories"][0]["need"] == pytest.approx(sum(answer["memories"][0]["contributions"].values()))
    assert cued("bootstrap", "--block").stdout == answer["block"]
    drawn = cued("bootstrap").stdout
    assert drawn.index("British") < drawn.index("peanuts") < drawn.index("Bob bakes")
    small = cued.json("bootstrap", "--budget", "80")
    assert small["tokens"] <= 80
    assert low in {each["id"] for each in small["omitted"]}
    assert "Left out: " in cued("bootstrap", "--budget", "80").stdout


@pytest.mark.requirement("M9", "M4")
def test_bootstrap_of_a_project_has_the_project_and_what_is_global(cued):
    for scope in ("atlas", "billing", "global"):
        cued.remember(f"A fact of {scope}.", "--scope", scope)
    told = {memory["text"] for memory in cued.json("bootstrap", "--scope", "atlas")["memories"]}
    assert told == {"A fact of atlas.", "A fact of global."}


@pytest.mark.requirement("M6")
def test_what_a_project_has_superseded_is_said_to_be_hidden_there_alone(cued):
    old = cued.remember("The deploy runs on Fridays.")
    newer = cued.remember("Here the deploy runs on Mondays.", "--scope", "atlas", "--supersedes", old)
    assert "superseded in atlas" in cued("list", "--hidden").stdout
    assert cued.json("recall", "When is the deploy?")["memories"][0]["id"] == old
    shown = answered("timeline", cued.json("timeline", newer, "--scope", "atlas", "--hidden"), budget=2000)
    assert [row.hidden for row in shown.data.before] == ["superseded in atlas"]


def test_a_long_memory_is_shown_from_where_it_speaks_to_the_cue(cued):
    cued.remember("The gutters are clear and the ladder is back in the shed. " * 8 + "The spare key hangs behind the boiler.")
    assert "… The spare key hangs behind the boiler." in " ".join(cued("recall", "Where is the spare key?", "--floor", "0").stdout.split())
    assert "The gutters are clear" in cued("recall", "Are the gutters clear?", "--floor", "0").stdout
    assert "… The spare key" in cued("recall", "-", "--floor", "0", stdin="Where is the spare key?").stdout
    whole = cued.json("recall", "Where is the spare key?", "--floor", "0")["memories"][0]["text"]
    assert whole.startswith("The gutters")


@pytest.mark.requirement("F6")
def test_a_recall_that_does_not_fit_is_compacted_when_asked(cued):
    for word in ("salted", "roasted", "boiled", "candied"):
        cued.remember(f"Peanuts, {word}, are bought at the market on the corner. " + f"The {word} ones keep for a long while. " * 5)
    cue = ("recall", "peanuts at the market", "--floor", "0")
    whole, small = cued.json(*cue), cued.json(*cue, "--budget", "160", "--compact")
    assert (whole["compacted"], small["compacted"]) == (False, True)
    assert small["tokens"] <= 160
    assert "Compacted: " in cued(*cue, "--budget", "160", "--compact").stdout


def test_what_a_gate_held_back_is_told_whatever_the_gate(cued):
    answer = cued.json("recall", "peanuts")
    told = rendered(recall_view({**answer, "suppressed": dict.fromkeys(GATES, 1)}, now=utc_now()), columns=1000)
    assert told.splitlines()[-1].count("1 ") == len(GATES)
    cued("quarantine", cued.remember("Mira is allergic to peanuts."))
    assert "Held back: 1 in quarantine" in cued("recall", "peanuts").stdout


@pytest.mark.requirement("F8")
def test_drift_is_told_with_the_recall_that_shows_it(cued):
    cued.remember("Mira is allergic to peanuts.")
    answer = cued.json("recall", "peanuts", "--floor", "0")
    told = rendered(recall_view({**answer, "drift": "the cue has not changed for 3 turns"}, now=utc_now()))
    assert "Drift: the cue has not changed for 3 turns" in told


@pytest.mark.requirement("R21")
def test_a_recall_takes_a_quarter_of_the_window_at_most(cued):
    for i in range(30):
        cued.remember(f"Peanuts, lot {i}, are bought at the market on the corner of the old square.", "--no-conflicts")
    answer = cued.json("recall", "peanuts at the market", "--floor", "0", "--window", "1000", "--limit", "30")
    assert 0 < answer["tokens"] <= 250
    assert "limit lowered" in answer["omitted"][0]["reason"]
