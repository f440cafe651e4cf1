"""The adapter as a file: low-rank matrices in float16, averaged over runs and cut to a rank; and back into an encoder."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from training.encoder import LAYERS, MATRICES, Adapted, Encoder, Layer

Deltas = dict[str, Tensor]
ROTATION = "rotation"


def names() -> list[str]:
    """The names of the adapted matrices as they stand in the base checkpoint, without `.weight`."""
    return [f"encoder.layer.{index}.{matrix}" for index in range(LAYERS) for matrix in MATRICES]


def adapted(encoder: Encoder, name: str) -> Adapted:
    """The map of that name."""
    _, _, index, matrix = name.split(".", 3)
    return cast("Adapted", cast("Layer", encoder.layers[int(index)]).maps[matrix.replace(".", "_")])


def deltas(encoder: Encoder) -> Deltas:
    """What the adapter adds to each matrix: scale · B A."""
    return {name: (part.scale * part.b @ part.a).detach().cpu() for name in names() if (part := adapted(encoder, name))}


def average(runs: Sequence[Deltas], weights: Sequence[float] | None = None) -> Deltas:
    """The weighted mean of several runs' deltas (Wortsman et al. 2022, model soups); equal weights unless told."""
    shares = weights or [1 / len(runs)] * len(runs)
    return {name: sum((share * run[name] for share, run in zip(shares, runs, strict=True)), torch.zeros(())) for name in runs[0]}


def factors(delta: Tensor, rank: int) -> tuple[Tensor, Tensor]:
    """B and A of a rank whose product is nearest to the delta (Eckart and Young 1936), with the singular values shared evenly."""
    left, values, right = torch.linalg.svd(delta.double(), full_matrices=False)
    root = values[:rank].sqrt()
    return (left[:, :rank] * root).float(), (root[:, None] * right[:rank]).float()


def rotation(vectors: Tensor) -> Tensor:
    """The orthogonal matrix whose columns are the principal directions of unit vectors, the strongest first.

    `vector @ rotation` keeps every cosine, and its leading dimensions hold as much of it as any so many can.
    """
    unit = torch.nn.functional.normalize(vectors.double(), dim=1)
    _, directions = torch.linalg.eigh(unit.T @ unit)
    turned: Tensor = directions.flip(1).float()
    return turned


def save(path: Path, found: Deltas, *, rank: int, turn: Tensor | None = None, facts: dict[str, str]) -> None:
    """Write the adapter: `<matrix>.lora_A` (rank × in) and `<matrix>.lora_B` (out × rank), so that W' = W + scale · B A with scale 1.

    `turn`, where given, is written as `rotation`: pooled vectors are multiplied by it before they are cut to a width.
    """
    tensors = {} if turn is None else {ROTATION: turn.half().contiguous()}
    for name, delta in found.items():
        b, a = factors(delta, rank)
        tensors[f"{name}.lora_A"], tensors[f"{name}.lora_B"] = a.half().contiguous(), b.half().contiguous()
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path, metadata={"scale": "1.0", "rank": str(rank), **facts})


def load(path: Path) -> Deltas:
    """The deltas that an adapter file stands for."""
    with safe_open(path, "pt") as file:
        scale = float(file.metadata()["scale"])
        return {name: scale * file.get_tensor(f"{name}.lora_B").float() @ file.get_tensor(f"{name}.lora_A").float() for name in names()}


def load_rotation(path: Path) -> Tensor | None:
    """The rotation of an adapter file, or None if it has none."""
    with safe_open(path, "pt") as file:
        return file.get_tensor(ROTATION).float() if ROTATION in file.keys() else None  # noqa: SIM118 not a dict


def added(first: Deltas, second: Deltas) -> Deltas:
    """The sum of two adapters' deltas; an empty one adds nothing."""
    return {name: first[name] + delta if name in first else delta for name, delta in second.items()}


def scaled(found: Deltas, strength: float) -> Deltas:
    """The deltas times a strength between 0 (the base model) and 1 (all that was learnt), after Wortsman et al. 2022 (WiSE-FT)."""
    return {name: strength * delta for name, delta in found.items()}


def merge(encoder: Encoder, found: Deltas) -> Encoder:
    """Add the deltas to the encoder's base matrices, in place, and switch its own adapter off."""
    for name, delta in found.items():
        part = adapted(encoder, name)
        part.weight += delta.to(part.weight)
        part.b.data.zero_()
    return encoder
