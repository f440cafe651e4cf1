"""Fitting a calibration: the fit, and a made-up data set from which one can be learnt."""

import json
import subprocess
import sys
import tomllib

import numpy as np
import pytest

from cued.evaluation.calibrate import AGAINST, cross_validated
from cued.evaluation.fitting import FAR, NEAR, OWN, Sample, fit, growth, shift, stretched

PER_ASK = 6


def made(columns, gold, kind, *, size=None, weight=1.0):
    """Give a sample of questions with six candidates each."""
    count = len(kind)
    return Sample(
        name="made",
        columns=np.asarray(columns, dtype=float),
        gold=np.asarray(gold, dtype=bool),
        missing=np.zeros(count, dtype=int),
        starts=np.arange(count) * PER_ASK,
        kind=np.asarray(kind),
        size=np.full(count, 3.0) if size is None else np.asarray(size, dtype=float),
        group=np.array(["g"] * count),
        weight=weight,
    )


def asked(count, *, seed=4, strength=2.0):
    """Give questions of which every second has gold that stands out in the first column; the second column is noise."""
    random = np.random.default_rng(seed)
    columns, gold = random.normal(size=(count * PER_ASK, 2)), np.zeros(count * PER_ASK, dtype=bool)
    kind = np.where(np.arange(count) % 2, FAR, OWN)
    gold[np.flatnonzero(kind == OWN) * PER_ASK] = True
    columns[gold, 0] += strength
    return made(columns, gold, kind)


def test_what_makes_gold_stand_out_is_weighed_and_noise_is_not():
    intercept, slopes = fit([asked(400, strength=3.0)], free=[True, True])
    assert slopes[0] > 5 * abs(slopes[1])
    assert intercept < 0


def test_evidence_never_speaks_against_unless_it_is_let():
    sample = asked(200)
    sample.columns[:, 1] -= sample.gold
    _, held = fit([sample], free=[False, False])
    _, let = fit([sample], free=[False, True])
    assert held[1] == 0.0
    assert let[1] < 0.0


def test_the_floor_lies_where_so_many_far_questions_are_met_with_silence():
    sample = asked(400)
    odds = sample.columns[:, 0]
    moved = odds + shift([sample], [odds], silence=0.9)
    silent = sample.best(moved)[sample.kind == FAR] < np.log(0.7 / 0.3)
    assert silent.mean() == pytest.approx(0.9, abs=0.01)


def test_growth_is_the_slope_of_what_far_questions_reach_against_the_size_of_the_store():
    sample = asked(400)
    sizes = np.repeat([2.0, 4.0, 6.0, 8.0], 100)
    grown = made(sample.columns, sample.gold, sample.kind, size=sizes)
    odds = grown.columns[:, 0] + 0.5 * sizes[grown.asked]
    assert growth([grown], [odds]) == pytest.approx(0.5, abs=0.15)


def test_stretching_makes_the_best_odds_tell_the_chance_of_an_answer():
    random = np.random.default_rng(3)
    chance = random.uniform(0.05, 0.95, size=4000)
    kind = np.where(random.uniform(size=4000) < chance, OWN, FAR)
    odds = np.repeat(np.log(chance / (1 - chance)), PER_ASK)
    sample = made(np.zeros((4000 * PER_ASK, 1)), np.zeros(4000 * PER_ASK), kind)
    assert stretched([sample], [odds / 2]) == pytest.approx(2.0, rel=0.15)


def test_kinds_and_sizes_count_alike_and_a_weight_multiplies():
    kind, size = [OWN] * 3 + [NEAR] + [FAR] * 4, [1, 1, 9, 5, 1, 1, 1, 9]
    shares = made(np.zeros((48, 1)), np.zeros(48), kind, size=size, weight=3.0).shares
    assert shares.tolist() == pytest.approx([0.75, 0.75, 1.5, 3.0, 0.5, 0.5, 0.5, 1.5])


def test_one_tenant_alone_leaves_nothing_unseen_to_report_on():
    assert cross_validated([asked(8)], None) == []


@pytest.fixture
def data(tmp_path):
    """Six tenants that each own a colour and a thing, and are asked about them."""
    things = ["boat", "violin", "garden", "bicycle", "kitchen", "camera"]
    memories, queries = [], []
    for i, thing in enumerate(things):
        for j, fact in enumerate(["was painted red", "was sold in May", "needs repair", "came from Maria"]):
            text = f"The {thing} {fact}."
            memories.append(
                {"id": f"{i}-{j}", "tenant": thing, "session": "s", "turn": j, "speaker": None, "text": text, "ts": "2024-01-01T00:00:00"}
            )
            question = f"Which {thing} {fact}?"
            asked = {"id": f"q{i}-{j}", "tenant": thing, "query": question, "asked_at": "2024-02-01T00:00:00", "category": "x"}
            queries.append({**asked, "gold_ids": [f"{i}-{j}"], "gold_sessions": ["s"]})
    for name, rows in (("memories", memories), ("queries", queries)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return tmp_path


@pytest.mark.requirement("X1")
def test_the_command_refits_a_calibration_and_reports_it_cross_validated(data, tmp_path):
    (tmp_path / "cache").mkdir()
    command = [sys.executable, "-m", "cued.evaluation.calibrate", str(data), "--embedder", "hashing", "--cache", str(tmp_path / "cache")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    made = tomllib.loads(done.stdout)
    assert made["embedder"].startswith("hashing/")
    assert made["weights"]["coverage"] > 0
    assert all(weight > 0 for name, weight in made["weights"].items() if name not in AGAINST)
    assert "left out of the fit, at a floor of 0.7: recall@10" in done.stderr
    assert done.stderr.splitlines()[-1].endswith("worst")
