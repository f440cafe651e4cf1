"""The shipped adapter: a small file of float16 factors, one pair a matrix of MiniLM's layers, and a rotation."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

PATH = Path(__file__).parents[2] / "packages" / "cued-minilm" / "adapter" / "encoder.safetensors"
SIZES = {
    "attention.self.query": (384, 384),
    "attention.self.key": (384, 384),
    "attention.self.value": (384, 384),
    "attention.output.dense": (384, 384),
    "intermediate.dense": (1536, 384),
    "output.dense": (384, 1536),
}
MATRICES = {f"encoder.layer.{layer}.{name}": size for layer in range(6) for name, size in SIZES.items()}


@pytest.fixture(scope="module")
def adapter():
    with safe_open(PATH, "np") as file:
        return file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)


def test_the_file_is_under_three_megabytes():
    assert PATH.stat().st_size < 3_000_000


def test_it_adapts_each_matrix_of_each_layer_and_nothing_else(adapter):
    _, tensors = adapter
    assert set(tensors) == {"rotation"} | {f"{name}.lora_{side}" for name in MATRICES for side in "AB"}


def test_factors_have_the_shapes_that_the_merge_needs(adapter):
    facts, tensors = adapter
    rank = int(facts["rank"])
    for name, (rows, columns) in MATRICES.items():
        assert tensors[f"{name}.lora_A"].shape == (rank, columns)
        assert tensors[f"{name}.lora_B"].shape == (rows, rank)


def test_every_number_is_a_finite_half_and_no_matrix_is_left_as_it_was(adapter):
    _, tensors = adapter
    assert {tensor.dtype for tensor in tensors.values()} == {np.dtype(np.float16)}
    assert all(np.isfinite(tensor).all() for tensor in tensors.values())
    assert all(np.abs(tensors[f"{name}.lora_B"] @ tensors[f"{name}.lora_A"]).max() > 0 for name in MATRICES)


def test_the_rotation_keeps_lengths_and_angles(adapter):
    turn = adapter[1]["rotation"].astype(np.float64)
    assert np.abs(turn.T @ turn - np.eye(384)).max() < 2e-3


def test_the_file_says_how_it_was_made(adapter):
    facts, _ = adapter
    assert float(facts["scale"]) == 1
    assert json.loads(facts["recipe"])["prefix"] == ""
    assert facts["base"] == "all-MiniLM-L6-v2"
