"""The table of quality that is checked in: what it must show, and that the page shows the same. `make quality` measures it anew."""

import tomllib
from pathlib import Path

import pytest

from cued.policy.presets import names
from tools.quality import OWN, SETS, floors, genres, tables

ROOT = Path(__file__).parents[2]
TABLES = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in (ROOT / "src/cued/evaluation/expected").glob("*.toml")}


CONVERSATIONS = ("locomo", "longmemeval")
PLAIN = ("dense", "lexical", "rrf")
BEHIND = {"long_notes": 0.031}
"""A known gap: in its two chats an agent's long answers are found less than by vectors alone."""
NOT_FOREIGN = {"prefeval", "swefix", "memorybank", "memdaily_zh"}
"""Where other tenants' questions are about the same things."""


SHOWN = {
    "everyday": 0.8, "locomo": 0.85, "longmemeval": 0.58, "locomo_obs": 0.9, "locomo_sum": 0.75, "lifebench_en": 0.65, "lifebench_zh": 0.75,
    "memorybank": 0.8, "memdaily_zh": 0.85, "prefeval": 0.5, "swefix": 0.55, "xquad": 0.55, "long_notes": 0.65,
}  # fmt: skip
"""Of the questions whose answer stands in the first ten, the share whose answer is above the floor."""


@pytest.mark.requirement("P21")
def test_every_folder_is_measured_and_conversations_with_every_preset():
    assert set(TABLES) == {*OWN, *SETS}
    assert all(set(TABLES[name]) == set(names()) for name in CONVERSATIONS)
    assert all({"cued", *PLAIN} <= set(table) for table in TABLES.values())


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_checked_in_floor_of_point_seven_speaks_to_about_half_of_a_mixed_stream(name):
    figures = TABLES[name]["cued"]
    assert 0.34 <= figures["injection_rate at 0.7"] <= 0.5
    assert figures["injection_rate at 0.5"] > figures["injection_rate at 0.7"] > figures["injection_rate at 0.9"]


@pytest.mark.requirement("R3", "X1")
@pytest.mark.parametrize("name", sorted(set(TABLES) - NOT_FOREIGN))
def test_in_every_genre_hardly_a_far_question_is_spoken_to(name):
    assert TABLES[name]["cued"]["precision at 0.7"] >= 0.9
    assert TABLES[name]["cued"]["auroc"] >= 0.91


@pytest.mark.requirement("R3")
def test_everyday_facts_are_answered_and_foreign_questions_are_not():
    figures = TABLES["everyday"]["cued"]
    assert figures["answered at 0.7"] >= 0.75
    assert figures["silence at 0.7"] >= 0.95
    assert figures["extra at 0.7"] <= 1.0


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(("name", "least"), SHOWN.items())
def test_most_of_what_is_found_is_shown_at_the_default_floor(name, least):
    assert TABLES[name]["cued"]["shown at 0.7"] >= least


@pytest.mark.requirement("P21")
@pytest.mark.parametrize(("name", "least"), [("locomo", 0.825), ("longmemeval", 0.95)])
def test_conversations_are_found(name, least):
    assert TABLES[name]["cued"]["recall@10"] >= least


@pytest.mark.requirement("P21")
@pytest.mark.parametrize("name", sorted(TABLES))
def test_the_default_finds_at_least_what_the_best_plain_search_finds(name):
    found = {policy: row["recall@10"] for policy, row in TABLES[name].items()}
    assert found["cued"] >= max(found[policy] for policy in PLAIN) - BEHIND.get(name, 0.01)


@pytest.mark.requirement("P21")
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_default_finds_more_than_every_source_system_and_baseline(name):
    found = {policy: row["recall@10"] for policy, row in TABLES[name].items()}
    assert found["cued"] == max(found.values())


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_page_shows_the_checked_in_figures(name):
    page = (ROOT / "docs/quality.md").read_text("utf-8")
    for policy, row in TABLES[name].items():
        figures = " | ".join(f"{100 * row[metric]:.1f}" for metric in ("recall@5", "recall@10", "ndcg@10", "sessions all@5"))
        assert f"| {policy} | {figures} |" in page
    assert genres(TABLES_IN_ORDER) in page


@pytest.mark.parametrize(
    ("name", "row"), {"locomo": "LoCoMo", "longmemeval": "LongMemEval", "everyday": "everyday", "xquad": "XQuAD"}.items()
)
def test_the_readme_shows_the_checked_in_figures(name, row):
    (line,) = [line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if line.startswith(f"| {row}")]
    own, *plain = (f"{100 * TABLES[name][policy]['recall@10']:.1f}" for policy in ("cued", "dense", "lexical", "rrf"))
    assert f"| **{own}** | {' | '.join(plain)} |" in line


def test_the_page_of_the_floor_shows_the_checked_in_figures():
    assert floors(TABLES_IN_ORDER) in (ROOT / "docs/flow/floor.md").read_text("utf-8")


@pytest.mark.parametrize("floor", ["0.5", "0.7", "0.9"])
def test_the_decision_guide_shows_the_checked_in_rates(floor):
    rates = (f"{100 * TABLES[name]['cued'][f'injection_rate at {floor}']:.0f} %" for name in ("locomo", "longmemeval"))
    assert f"| {floor} | {' | '.join(rates)} |" in (ROOT / "docs/decision-guide.md").read_text("utf-8")


TABLES_IN_ORDER = tables()
