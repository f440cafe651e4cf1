"""Every example runs as it stands, and says what it is there to show."""

import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
AGENTS = {
    "langgraph": "langgraph.graph",
    "langchain": "langchain_core",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
    "mem0": "cued",
    "claude": "anthropic",
    "llama_index": "llama_index.core",
    "google_adk": "google.adk",
    "crewai": "crewai",
    "agent_framework": "agent_framework",
    "strands": "strands",
}
"""Each framework's agent, with the package that it cannot do without."""


def installed(package):
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    def ran(name):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return ran


def test_there_is_an_agent_for_every_framework():
    assert {path.stem.removesuffix("_agent") for path in (EXAMPLES / "frameworks").glob("*.py")} == AGENTS.keys()


@pytest.mark.parametrize("name", AGENTS)
def test_a_frameworks_agent_recalls_what_it_was_told(name, run):
    if not installed(AGENTS[name]):
        pytest.skip(f"{AGENTS[name]} is not installed: make frameworks")
    for _ in range(2):
        assert "allergic to hazelnuts" in run(f"frameworks/{name}_agent.py")


@pytest.mark.parametrize("name", AGENTS)
def test_a_frameworks_agent_is_short(name):
    text = (EXAMPLES / "frameworks" / f"{name}_agent.py").read_text("utf-8")
    assert len(text.splitlines()) <= 45
    assert "cued.integrations." in text


def test_the_coding_agent_keeps_projects_apart_and_shares_what_is_pinned(run):
    atlas, borealis = run("coding_agent.py").split("== borealis")
    assert "uv run pytest -n 4" in atlas
    assert "cargo nextest" not in atlas
    assert "cargo nextest run" in borealis
    assert "uv run pytest" not in borealis
    assert atlas.count("imperative sentences") == borealis.count("imperative sentences") == 1


def test_the_support_bot_keeps_customers_apart_and_erases_who_leaves(run):
    ada, bob, technician, erased, gone = run("support_bot.py").splitlines()
    assert "Fritzbox 7590" in ada
    assert "Speedport Smart 4" in bob
    assert "Fritzbox" not in bob
    assert "nothing about that" in technician
    assert erased == "erased: 2"
    assert "nothing about that" in gone


def test_the_assistant_answers_from_an_imported_history_and_imports_it_once(run):
    first = run("personal_assistant.py")
    assert first.startswith("6 new memories, 0 known already")
    assert "02 April 2024: I booked the hotel Santa Justa" in first
    assert "17 November 2024: My starter is called Gustav" in first
    assert first.rstrip().endswith("Nothing in your history is about that.")
    assert run("personal_assistant.py").startswith("0 new memories, 6 known already")
