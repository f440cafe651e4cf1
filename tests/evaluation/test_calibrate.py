"""Fitting a calibration: the regression, and a made-up data set from which one can be learnt."""

import json
import subprocess
import sys
import tomllib

import numpy as np
import pytest

from cued.evaluation.logistic import fit


def test_the_regression_finds_the_coefficients_that_made_the_labels():
    random = np.random.default_rng(4)
    columns = random.normal(size=(20_000, 2))
    chance = 1 / (1 + np.exp(-(-1.0 + 2.0 * columns[:, 0] + 0.5 * columns[:, 1])))
    labels = (random.uniform(size=20_000) < chance).astype(float)
    intercept, slopes = fit(columns, labels, np.ones(20_000), ridge=1e-6)
    assert intercept == pytest.approx(-1.0, abs=0.08)
    assert slopes == pytest.approx([2.0, 0.5], abs=0.08)


def test_evidence_never_speaks_against_unless_it_is_let():
    random = np.random.default_rng(5)
    columns = random.normal(size=(5_000, 2))
    labels = (columns[:, 0] - columns[:, 1] > 0).astype(float)
    _, held = fit(columns, labels, np.ones(5_000), free=[False, False])
    _, let = fit(columns, labels, np.ones(5_000), free=[False, True])
    assert held[1] == 0.0
    assert let[1] < 0.0


def test_a_heavier_example_counts_for_more():
    columns, labels = np.zeros((2, 1)), np.array([1.0, 0.0])
    even, _ = fit(columns, labels, np.array([1.0, 1.0]))
    heavy, _ = fit(columns, labels, np.array([3.0, 1.0]))
    assert even == pytest.approx(0.0, abs=1e-6)
    assert heavy == pytest.approx(np.log(3.0), abs=1e-4)


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
    assert all(weight > 0 for name, weight in made["weights"].items() if name not in {"crowd", "voice"})
    assert "cross-validated by conversation: recall@5" in done.stderr
    assert "floor 0.7: injects" in done.stderr
