"""The table of quality that is checked in: what it must show, and that the page shows the same. `make quality` measures it anew."""

import tomllib
from pathlib import Path

import pytest

from cued.policy.presets import names

ROOT = Path(__file__).parents[2]
TABLES = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in (ROOT / "src/cued/evaluation/expected").glob("*.toml")}


@pytest.mark.requirement("P21")
def test_every_preset_is_measured_on_both_data_sets():
    assert set(TABLES) == {"locomo", "longmemeval"}
    assert all(set(table) == set(names()) for table in TABLES.values())


@pytest.mark.parametrize("name", ["locomo", "longmemeval"])
def test_the_checked_in_floor_of_point_seven_speaks_to_about_half_of_a_mixed_stream(name):
    figures = TABLES[name]["cued"]
    assert 0.40 <= figures["injection_rate at 0.7"] <= 0.55
    assert figures["injection_rate at 0.5"] > figures["injection_rate at 0.7"] > figures["injection_rate at 0.9"]
    assert figures["precision at 0.7"] >= 0.92
    assert figures["answered at 0.7"] >= 0.70


@pytest.mark.requirement("P21")
@pytest.mark.parametrize("name", ["locomo", "longmemeval"])
def test_the_default_finds_more_than_every_source_system_and_baseline(name):
    found = {policy: row["recall@10"] for policy, row in TABLES[name].items()}
    assert found["cued"] == max(found.values())


@pytest.mark.parametrize("name", ["locomo", "longmemeval"])
def test_the_page_shows_the_checked_in_figures(name):
    page = (ROOT / "docs/quality.md").read_text("utf-8")
    for policy, row in TABLES[name].items():
        figures = " | ".join(f"{100 * row[metric]:.1f}" for metric in ("recall@5", "recall@10", "ndcg@10", "sessions all@5"))
        assert f"| {policy} | {figures} |" in page


@pytest.mark.parametrize("floor", ["0.5", "0.7", "0.9"])
def test_the_decision_guide_shows_the_checked_in_rates(floor):
    rates = (f"{100 * TABLES[name]['cued'][f'injection_rate at {floor}']:.0f} %" for name in ("locomo", "longmemeval"))
    assert f"| {floor} | {' | '.join(rates)} |" in (ROOT / "docs/decision-guide.md").read_text("utf-8")
