"""The table of verbs is the handle, the command line and the reference: the same verbs, the same fields, the same defaults."""

import inspect
import json
import re

import click
import pytest

from cued.errors import ConflictError, InputError, NotFoundError
from cued.handles.memories import Memories, open_memories
from cued.handles.tenant import Tenant
from cued.model import LogRules
from cued.requests.checks import read
from cued.requests.fields import fields_of
from cued.surfaces.cli.root import COMMANDS, cued_command
from cued.surfaces.failures import error_json
from cued.surfaces.verbs import VERBS, call, schemas
from tests.docs.pages import ROOT
from tests.surfaces.verb_names import command_of, handle_of

NO_VERB_OF_THEIR_OWN = {
    "gather": "evidence is no JSON; `explain --save` keeps it",
    "keep": "a recall in an envelope is no request; the inspector's permalinks are made with it",
    "conversation": "a handle, not an answer",
    "plan_consolidation": "`consolidate` without `apply`",
    "expired": "`sweep` without `apply`",
    "known": "`get` says it of one; a bulk load asks for many",
}
OTHERWISE = {
    ("remember", "entities"): "found in the text",
    ("remember", "vector"): "nobody types a vector",
    ("remember", "fingerprint"): "nobody types a vector",
    ("explain", "envelope"): "`--save` keeps it in a file",
    ("remember_many", "memories"): "the lines of the file",
    ("tune", "pairs"): "the lines of the file",
    ("tune_for_all", "pairs"): "learnt from what was judged",
    ("policy_save", "toml"): "what the named policy says",
}
ARGUMENTS = {"text", "id", "ids", "recall_id", "path", "policy"}
OFF = {"settle", "decay", "conflicts"}
HANDLE_DEFAULTS = {"conflicts", "on_conflict", "settle", "memory", "depth", "before", "after", "budget_tokens", "at_least", "vectors"}
verbs = pytest.mark.parametrize("verb", VERBS.values(), ids=lambda verb: verb.name)


def public(holder):
    return {name for name, _ in inspect.getmembers(holder, inspect.isfunction) if not name.startswith("_")}


def test_every_verb_of_the_handle_is_in_the_table_or_said_to_be_elsewhere():
    assert public(Tenant) - set(NO_VERB_OF_THEIR_OWN) == {handle_of(verb) for verb in VERBS.values() if verb.works_on == "tenant"}
    assert public(Memories) - {"tenant", "flush", "close"} == {handle_of(verb) for verb in VERBS.values() if verb.works_on == "store"}


def test_every_command_is_a_verb_or_one_of_a_few_that_ask_no_store():
    commanded = {command.split()[0] for verb in VERBS.values() if (command := command_of(verb))}
    asks_none = {"demo", "restore", "copy", "serve", "db", "token", "eval", "completion", "mcp", "connect", "hook"}
    assert set(COMMANDS) - commanded == asks_none


@verbs
def test_a_verb_says_who_may_use_it_and_its_examples_can_be_read(verb):
    assert verb.about.endswith(".")
    assert verb.examples
    assert verb.authority != "read" or not verb.writes or verb.name == "recall"
    for example in verb.examples:
        read(example, verb.request)


@verbs
def test_the_fields_of_a_verb_are_the_options_of_its_command(verb):
    typed = command_of(verb).split()
    if not typed:
        return
    command = cued_command.get_command(None, typed[0])
    if isinstance(command, click.Group):
        command = command.commands[typed[1]]
    params = {param.name: param for param in command.params}
    for name, field in fields_of(verb.request).items():
        if name in ARGUMENTS or (verb.name, name) in OTHERWISE:
            continue
        option = params[name]
        if isinstance(option.type, click.Choice) and name != "format":
            assert ", ".join(option.type.choices) in str(read_refusal(verb, name)), name
        told = isinstance(field.default, str | float | int) and not isinstance(field.default, bool) and field.default != ""
        assert name in OFF or option.help.startswith(field.about.removesuffix(".")), name
        assert (f"Default: {field.default}".removesuffix(".0") in option.help) is told, name


def read_refusal(verb, name):
    """Give the refusal of a value that no field takes."""
    needed = {each: ["x"] if each == "ids" else "x" for each, field in fields_of(verb.request).items() if field.required}
    with pytest.raises(InputError) as refused:
        read({**needed, name: ["no such word"] if name in {"kinds", "tiers", "without"} else "no such word"}, verb.request)
    return refused.value


@verbs
def test_the_defaults_of_a_verb_are_those_of_the_handle(verb):
    holder = Tenant if verb.works_on == "tenant" else Memories
    parameters = inspect.signature(getattr(holder, handle_of(verb))).parameters
    for name, field in fields_of(verb.request).items():
        if name in HANDLE_DEFAULTS and name in parameters:
            assert parameters[name].default == field.default, name


@verbs
def test_the_reference_has_every_verb_with_every_field(verb):
    page = (ROOT / "docs" / "reference" / "json.md").read_text("utf-8")
    section = re.search(rf"^## `{verb.name}`\n(?P<text>.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)["text"]
    for name in fields_of(verb.request):
        assert f"| `{name}` |" in section


@verbs
def test_the_schema_of_a_verb_has_every_field_with_its_line_and_nothing_else(verb):
    schema = schemas()[verb.name]
    assert (
        json.loads(json.dumps(schema)) == json.loads((ROOT / "docs" / "reference" / "requests.schema.json").read_text("utf-8"))[verb.name]
    )
    assert schema["additionalProperties"] is False
    assert {name: told["description"] for name, told in schema["properties"].items()} == {
        name: field.about for name, field in fields_of(verb.request).items()
    }
    assert set(schema.get("required", ())) == {name for name, field in fields_of(verb.request).items() if field.required}


def test_no_folder_of_the_command_line_has_more_than_twenty_modules_and_a_view_stands_beside_its_command():
    folder = ROOT / "src" / "cued" / "surfaces" / "cli"
    for each in (folder, *(path for path in folder.iterdir() if path.is_dir())):
        assert len(list(each.glob("*.py"))) <= 20
    for view in folder.rglob("*_view.py"):
        assert view.with_name(view.name.replace("_view", "")).is_file()


def test_an_unknown_verb_is_refused_with_the_known_ones(tenant):
    with pytest.raises(InputError, match="one of remember, remember_many"):
        call("recal", tenant)


def test_errors_become_json_with_what_they_carry(tenant):
    tenant.remember("The office is in Berlin.", id="berlin")
    with pytest.raises(ConflictError) as refused:
        call("remember", tenant, {"text": "The office is in Lisbon.", "on_conflict": "refuse"})
    told = error_json(refused.value)["error"]
    assert (told["type"], told["exit_code"], told["conflicts"][0]["id"]) == ("ConflictError", 2, "berlin")
    assert error_json(NotFoundError("x"))["error"]["memory_id"] == "x"
    assert error_json(InputError("limit", 0, "1 or more"))["error"]["accepted"] == "1 or more"


def test_many_and_turns_are_remembered_and_the_log_is_shown(tenant):
    heard = []
    many = call(
        "remember_many",
        tenant,
        {"memories": [{"text": "The kiln cracked on Monday."}, {"text": "Two."}]},
        progress=lambda *told: heard.append(told),
    )
    assert (len(many["ids"]), heard) == (2, [(2, 2)])
    turns = {"session": "s", "turns": [{"role": "user", "content": "Three."}]}
    assert call("get", tenant, {"id": call("remember_turns", tenant, turns)["id"]})["speaker"] == "user"
    recall = call("recall", tenant, {"text": "When did the kiln crack?"})
    answer = call("log", tenant, {"limit": 1})
    assert (answer["recalls"][0]["recall_id"], answer["rates"]["injection_rate"]) == (recall["recall_id"], 1.0)
    assert call("log", tenant, {"outcome": "below_floor"}) == {"recalls": [], "rates": None}


def test_tenants_are_listed_with_how_many_memories_each_has(cued):
    cued.remember("One.", "--tenant", "mira")
    cued.remember("Two.", "--tenant", "jonas")
    cued.remember("Three.", "--tenant", "jonas")
    assert cued.json("tenants") == {"tenants": [{"name": "jonas", "memories": 2}, {"name": "mira", "memories": 1}]}
    drawn = cued("tenants").stdout.split()
    assert (drawn[:2], drawn[-4:]) == (["tenant", "memories"], ["jonas", "2", "mira", "1"])


def test_memories_are_listed_by_their_own_facts(cued):
    seven = cued.remember("One.", "--meta", "ticket=7", "--meta", "team=ops")
    cued.remember("Two.", "--meta", "ticket=8")
    assert [memory["id"] for memory in cued.json("list", "--meta", "ticket=7")["memories"]] == [seven]
    assert cued.json("get", seven)["meta"] == {"ticket": 7, "team": "ops"}


def test_a_conflict_is_refused_or_superseded_when_asked(cued):
    old = cued.remember("The office is in Berlin.")
    refused = cued("remember", "The office is in Lisbon.", "--on-conflict", "refuse", "--json")
    assert (refused.exit_code, json.loads(refused.stderr)["error"]["conflicts"][0]["id"]) == (2, old)
    assert cued.json("stats")["memories"] == 1
    assert cued.json("remember", "The office is in Lisbon.", "--on-conflict", "supersede")["superseded"] == [old]


def test_a_recall_that_is_kept_comes_as_json_that_explain_decides_again(tmp_path, shell_of):
    cued = shell_of(tmp_path)
    with open_memories(cued.db, embedder="hashing", settle="now", log=LogRules(content="last")) as memories:
        memories.tenant("me").remember("The staging deploy runs every Friday.")
        block = memories.tenant("me").recall("When is the staging deploy?").block
    assert cued.json("log")["recalls"][0]["evidence"] is None
    (line,) = cued.json("log", "--content")["recalls"]
    assert line["cue"] == "When is the staging deploy?"
    (tmp_path / "saved.json").write_text(json.dumps(line["evidence"]), "utf-8")
    assert cued.json("explain", "--from", str(tmp_path / "saved.json"))["block"] == block


def test_the_log_is_drawn_as_a_table_with_its_rates(cued):
    assert "No recalls." in cued("log").stdout
    cued.remember("The staging deploy runs every Friday.")
    recall = cued.json("recall", "When is the staging deploy?")
    cued.json("recall", "How do I boil an egg?")
    head, _, newest, oldest, rates = cued("log").stdout.splitlines()
    assert head.split() == ["time", "outcome", "chosen", "best", "floor", "tokens", "took", "recall"]
    assert oldest.split()[2:6] == ["recalled", "1", "of", "1"]
    assert oldest.endswith(recall["recall_id"])
    assert "0 of 1" in newest
    assert rates.startswith("2 recalls: injection 0.50 · blindness 0.50 · degraded 0.00 · half of them within")
    assert len(cued("log", recall["recall_id"]).stdout.splitlines()) == 3
    assert "No recalls." in cued("log", "--under", "rrf").stdout
    assert cued.json("log", "--oldest-first", "--limit", "1")["recalls"][0]["recall_id"] == recall["recall_id"]
    refused = cued("log", "--since", "soon")
    assert (refused.exit_code, "a time such as" in refused.stderr) == (2, True)
